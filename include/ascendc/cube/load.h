/* SPDX-License-Identifier: MIT */
/*
 * LoadData: fractals into L0A and L0B. Ascend C's L0B has a row per column of the matrix in each fractal, this core's
 * a row per k (Documentation/isa-tiles.md), so that for L0B the wish to transpose means the opposite.
 */
#ifndef ASCENDC_CUBE_LOAD_H
#define ASCENDC_CUBE_LOAD_H

#include "../move/pad.h"
#include "params.h"

namespace AscendC {

namespace detail {

constexpr uint32_t fractal_bytes = 512;

ASCENDC_FN bool in_l0b(uint32_t address)
{
	return address - ANPU_L0B_BASE < ANPU_L0B_SIZE;
}

template <class T> ASCENDC_FN void load_2d(uint32_t dst, uint64_t src, const LoadData2DParams &p)
{
	bool transpose = p.ifTranspose != in_l0b(dst);

	if (p.addrMode)
		anpu_trap("LoadData: addrMode 1 (descending addresses) is not built");
	if (p.ifTranspose && sizeof(T) != 2)
		anpu_trap("LoadData: ifTranspose is for types of 16 bits; use LoadDataWithTranspose()");
	anpu_tile_LOAD2D(dst, src, ANPU_LOAD2D(p.startIndex, p.repeatTimes, p.srcStride, p.dstGap + 1),
			 ANPU_CTL(0, bits_type<T>, 0) | (transpose ? ANPU_CTL_TRANSPOSE : 0));
}

/*
 * Where the results of a tensor in CO1 lie. This core's L0C has words of 32 bits only: results of type half are float there, at
 * twice their distance from the beginning, and are rounded on their way out.
 */
template <class S> ASCENDC_FN uint32_t co1_address(const LocalTensor<S> &tensor)
{
	if constexpr (sizeof(S) == 2) {
		uint32_t from = tensor.address - ANPU_L0C_BASE;

		if (from >= ANPU_L0C_SIZE / 2)
			anpu_trap("a tensor of half in CO1 lies behind the first 64 KiB; this core keeps results in 32 bits, so that it has no more of "
				  "them");
		return ANPU_L0C_BASE + 2 * from;
	} else {
		return tensor.address;
	}
}

template <class S> using Co1Type = std::conditional_t<std::is_same_v<S, half>, float, S>;

} // namespace detail

template <class T>
ASCENDC_FN void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params)
{
	if (detail::hardware_of(dst.position) == Hardware::L1 && dst.address - ANPU_L1_BASE < ANPU_L1_SIZE)
		anpu_trap("LoadData: the destination is in L0A or L0B, or the source in GM");
	detail::load_2d<T>(dst.address, src.address, params);
}

template <class T>
ASCENDC_FN void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p)
{
	/* to L1 fractals are copied as they are */
	if (dst.address - ANPU_L1_BASE < ANPU_L1_SIZE) {
		for (uint32_t i = 0; i < p.repeatTimes; i++)
			anpu_tile_DMA_LIN(dst.address + i * (p.dstGap + 1u) * detail::fractal_bytes,
					  detail::place(src) + (p.startIndex + uint64_t(i) * p.srcStride) *
					  detail::fractal_bytes, detail::fractal_bytes, 0);
		return;
	}
	detail::load_2d<T>(dst.address, detail::place(src), p);
}

/** LoadDataWithTranspose() - squares: 16 x 16 elements of 16 or 32 bits, 32 x 32 of 8 bits */
template <class T>
ASCENDC_FN void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
				      const LoadData2dTransposeParams &p)
{
	if constexpr (sizeof(T) == 2) {
		LoadData2DParams plain;

		plain.startIndex = p.startIndex;
		plain.repeatTimes = p.repeatTimes;
		plain.srcStride = p.srcStride;
		plain.dstGap = p.dstGap;
		plain.ifTranspose = true;
		detail::load_2d<T>(dst.address, src.address, plain);
	} else {
		/* a square is two fractals, one behind the other in L1 */
		anpu_tile_LOAD2D(dst.address, src.address,
				 ANPU_LOAD2D(p.startIndex * 2, p.repeatTimes, p.srcStride * 2, p.dstGap + 1),
				 ANPU_CTL(ANPU_LOAD_PAIR(1, p.dstFracGap + 1), detail::bits_type<T>, ANPU_LOAD_SQUARE));
	}
}

/** InitConstValue(), Fill() - blocks of L1 (32 bytes), L0A and L0B (512 bytes) */
template <class T>
ASCENDC_FN void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &p)
{
	bool l1 = dst.address - ANPU_L1_BASE < ANPU_L1_SIZE;
	uint32_t unit = l1 ? ONE_BLK_SIZE : detail::fractal_bytes;

	for (uint32_t i = 0; i < p.repeatTimes; i++)
		anpu_tile_DMA_FILL(dst.address + i * (p.blockNum + p.dstGap) * unit, uint64_t(p.blockNum) * unit,
				   detail::pattern(p.initValue), 0);
}

template <class T> ASCENDC_FN void Fill(const LocalTensor<T> &dst, const InitConstValueParams<T> &params)
{
	InitConstValue(dst, params);
}

} // namespace AscendC

#endif
