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

/* LOAD2D's word for elements of T */
template <class T> constexpr uint64_t load_type =
	ANPU_CTL(0, (std::is_same_v<T, int4b_t> ? unsigned(ANPU_TYPE_S4) : unsigned(bits_type<T>)), 0);

/* Fractals that form a square, which transposes without other data: 4 bits 64 x 64, 8 bits 32 x 32, 32 bits 16 x 16 */
template <class T> constexpr uint32_t square_fractals = std::is_same_v<T, int4b_t> ? 4 : sizeof(T) == 2 ? 1 : 2;

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
			 load_type<T> | (transpose ? ANPU_CTL_TRANSPOSE : 0));
}

/* @count squares: the first is @first fractals behind @src, each is @src_step and @dst_step behind the former, its fractals @pair apart */
template <class T>
ASCENDC_FN void load_squares(uint32_t dst, uint32_t src, uint32_t count, uint32_t src_step, uint32_t dst_step, uint32_t src_next,
			     uint32_t dst_next)
{
	if constexpr (sizeof(T) == 2)
		anpu_tile_LOAD2D(dst, src, ANPU_LOAD2D(0, count, src_step, dst_step),
				 load_type<T> | (in_l0b(dst) ? 0 : ANPU_CTL_TRANSPOSE));
	else
		anpu_tile_LOAD2D(dst, src, ANPU_LOAD2D(0, count, src_step, dst_step),
				 load_type<T> | ANPU_CTL(ANPU_LOAD_PAIR(src_next, dst_next), 0, ANPU_LOAD_SQUARE));
}

/* The source has k in its rows: what lies side by side there lies in the same block of k of the destination. */
template <class T> ASCENDC_FN void load_transposed(uint32_t dst, uint32_t src, const LoadData2DParamsV2 &p)
{
	constexpr uint32_t high = sizeof(T) == 1 ? square_fractals<T> : 1, wide = sizeof(T) == 4 ? 2 : 1;

	if (p.mStep % high || p.kStep % wide)
		anpu_trap("LoadData: ifTranspose moves whole squares: mStep is a multiple of 4 for int4b_t and of 2 for types of 8 bits, kStep of "
			  "2 for types of 32 bits");
	for (uint32_t i = 0; i < p.mStep; i += high)
		load_squares<T>(dst + i / high * wide * p.dstStride * fractal_bytes, src + i * fractal_bytes, p.kStep / wide,
				wide * uint32_t(p.srcStride), high, wide == 2 ? uint32_t(p.srcStride) : 1, wide == 2 ? p.dstStride : 1);
}

template <class T> ASCENDC_FN uint64_t load_from(uint64_t src, const LoadData2DParamsV2 &p)
{
	return src + (int64_t(p.kStartPosition) * p.srcStride + p.mStartPosition) * fractal_bytes;
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

/* Rows and columns of fractals of a matrix; without ifTranspose its rows are those of m in L0A and of n in L0B */
template <class T>
ASCENDC_FN void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParamsV2 &p)
{
	uint32_t from = uint32_t(detail::load_from<T>(src.address, p));

	if (p.ifTranspose) {
		detail::load_transposed<T>(dst.address, from, p);
		return;
	}
	for (uint32_t k = 0; k < p.kStep; k++)
		anpu_tile_LOAD2D(dst.address + k * p.dstStride * detail::fractal_bytes, from + k * uint32_t(p.srcStride) * detail::fractal_bytes,
				 ANPU_LOAD2D(0, p.mStep, 1, 1),
				 detail::load_type<T> | (detail::in_l0b(dst.address) ? ANPU_CTL_TRANSPOSE : 0));
}

template <class T>
ASCENDC_FN void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParamsV2 &p)
{
	uint64_t from = detail::load_from<T>(detail::place(src), p);

	if (dst.address - ANPU_L1_BASE >= ANPU_L1_SIZE || p.ifTranspose)
		anpu_trap("LoadData: LoadData2DParamsV2 moves fractals from GM to L1 as they are, or from L1 to L0A and L0B");
	for (uint32_t k = 0; k < p.kStep; k++)
		anpu_tile_DMA_LIN(dst.address + k * p.dstStride * detail::fractal_bytes, from + int64_t(k) * p.srcStride * detail::fractal_bytes,
				  p.mStep * detail::fractal_bytes, 0);
}

/** LoadDataWithTranspose() - squares: 16 x 16 elements of 16 or 32 bits, 32 x 32 of 8 bits, 64 x 64 of 4 bits */
template <class T>
ASCENDC_FN void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
				      const LoadData2dTransposeParams &p)
{
	constexpr uint32_t whole = detail::square_fractals<T>;

	if (p.addrMode)
		anpu_trap("LoadDataWithTranspose: addrMode 1 (descending addresses) is not built");
	/* a square's fractals lie one behind the other in L1 */
	detail::load_squares<T>(dst.address, src.address + p.startIndex * whole * detail::fractal_bytes, p.repeatTimes, p.srcStride * whole,
				p.dstGap + 1, 1, p.dstFracGap + 1);
}

template <class T>
ASCENDC_FN void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
				      const LoadData2dTransposeParamsV2 &p)
{
	if (p.addrMode)
		anpu_trap("LoadDataWithTranspose: addrMode 1 (descending addresses) is not built");
	detail::load_squares<T>(dst.address, src.address + p.startIndex * detail::fractal_bytes, p.repeatTimes, p.srcStride, p.dstGap + 1,
				p.srcFracGap + 1, p.dstFracGap + 1);
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
