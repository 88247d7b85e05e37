/* SPDX-License-Identifier: MIT */
/* Gather, Scatter, GatherMask, Brcb: elements that change their places. */
#ifndef ASCENDC_VECTOR_GATHER_H
#define ASCENDC_VECTOR_GATHER_H

#include "engine.h"

namespace AscendC {

/** Gather() - dst[i] = the element at src + base + offset[i] bytes */
template <class T>
ASCENDC_FN void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
		       const uint32_t srcBaseAddr, const uint32_t count)
{
	anpu_tile_VGATHER(dst.address, src.address + srcBaseAddr, srcOffset.address,
			  ANPU_CTL(count, detail::bits_type<T>, ANPU_GATHER_ELEMENT));
}

namespace detail {

/* A mask of bits on the scalar unit: body(repeat, place in the repeat) of what it selects */
template <class T, class F> ASCENDC_FN void each_selected(const uint64_t mask[], uint32_t repeats, F body)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (uint32_t i = 0; i < repeats * per_repeat<T>; i++)
		if (mask_has(mask, i % per_repeat<T>))
			body(i / per_repeat<T>, i % per_repeat<T>);
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

template <class T> ASCENDC_FN T &element(uint64_t address)
{
	return *reinterpret_cast<T *>(static_cast<uintptr_t>(address));
}

} // namespace detail

/* Repeats: 256 bytes of dst each, the offsets one behind the other */
template <class T, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
		       const uint32_t srcBaseAddr, const M &mask, const R repeatTimes,
		       const uint16_t dstRepStride)
{
	constexpr uint32_t each = detail::per_repeat<T>;

	if constexpr (std::is_integral_v<M>) {
		for (uint32_t r = 0; r < detail::repeats_of(repeatTimes); r++)
			anpu_tile_VGATHER(dst.address + r * dstRepStride * ONE_BLK_SIZE, src.address + srcBaseAddr,
					  srcOffset.address + r * each * sizeof(uint32_t),
					  ANPU_CTL(mask, detail::bits_type<T>, ANPU_GATHER_ELEMENT));
	} else {
		detail::each_selected<T>(mask, detail::repeats_of(repeatTimes), [&](uint32_t r, uint32_t i) {
			detail::element<T>(dst.address + r * dstRepStride * ONE_BLK_SIZE + i * sizeof(T)) =
				detail::element<T>(src.address + srcBaseAddr + srcOffset.GetValue(r * each + i));
		});
	}
}

/** Gatherb() - eight blocks of 32 bytes per repeat, each by an offset */
template <class T, class R>
ASCENDC_FN void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &offset,
			const R repeatTimes, const GatherRepeatParams &params)
{
	if (params.dstBlkStride == 1 && params.dstRepStride == DEFAULT_REPEAT_STRIDE) {
		anpu_tile_VGATHER(dst.address, src0.address, offset.address,
				  ANPU_CTL(detail::repeats_of(repeatTimes) * DEFAULT_BLK_NUM, detail::bits_type<T>, ANPU_GATHER_BLOCK));
		return;
	}
	/* one block at a time, since VGATHER writes its blocks side by side */
	for (uint32_t i = 0; i < uint32_t(detail::repeats_of(repeatTimes)) * DEFAULT_BLK_NUM; i++) {
		uint32_t from = reinterpret_cast<const uint32_t *>(uintptr_t(offset.address))[i];
		uint32_t to = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;

		anpu_tile_DMA_LIN(dst.address + to * ONE_BLK_SIZE, src0.address + from, ONE_BLK_SIZE, 0);
	}
}

/** Scatter() - the element at dst + base + offset[i] bytes = src[i] */
template <class T>
ASCENDC_FN void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &dstOffset,
			const uint32_t dstBaseAddr, const uint32_t count)
{
	anpu_tile_VSCATTER(dst.address + dstBaseAddr, src.address, dstOffset.address,
			   ANPU_CTL(count, detail::bits_type<T>, 0));
}

/* Repeats: 256 bytes of src each, the offsets one behind the other */
template <class T, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &dstOffset,
			const uint32_t dstBaseAddr, const M &mask, const R repeatTimes, const uint8_t srcRepStride)
{
	constexpr uint32_t each = detail::per_repeat<T>;

	if constexpr (std::is_integral_v<M>) {
		for (uint32_t r = 0; r < detail::repeats_of(repeatTimes); r++)
			anpu_tile_VSCATTER(dst.address + dstBaseAddr, src.address + r * srcRepStride * ONE_BLK_SIZE,
					   dstOffset.address + r * each * sizeof(uint32_t), ANPU_CTL(mask, detail::bits_type<T>, 0));
	} else {
		detail::each_selected<T>(mask, detail::repeats_of(repeatTimes), [&](uint32_t r, uint32_t i) {
			detail::element<T>(dst.address + dstBaseAddr + dstOffset.GetValue(r * each + i)) =
				detail::element<T>(src.address + r * srcRepStride * ONE_BLK_SIZE + i * sizeof(T));
		});
	}
}

namespace detail {

/* Packs what @sub or the bits at @bits select of repeats of @each elements; the number that were kept. */
template <class T>
ASCENDC_FN uint64_t gather_mask(uint32_t dst, uint32_t src, uint64_t bits, uint64_t sub, uint32_t each,
				const GatherMaskParams &p)
{
	uint64_t kept = 0, all = uint64_t(each) * sizeof(T) * p.repeatTimes;
	/* repeats are in ascending order, so that the result may begin where the last ones are read: in a tail that nobody needs */
	bool apart = dst == src || dst >= src + all || dst + all <= src;

	if (p.src0BlockStride != 1)
		anpu_trap("GatherMask: only a src0BlockStride of 1 is built");
	if (apart && (p.repeatTimes == 1 || (each * sizeof(T) == p.src0RepeatStride * ONE_BLK_SIZE && sub) ||
	    (!sub && each * sizeof(T) == p.src0RepeatStride * ONE_BLK_SIZE &&
	     each / 8 == p.src1RepeatStride * ONE_BLK_SIZE))) {
		anpu_tile_VGMASK(dst, src, bits, ANPU_CTL(each * p.repeatTimes, bits_type<T>, sub));
		return anpu_csr_vcount();
	}
	for (uint32_t r = 0; r < p.repeatTimes; r++) {
		anpu_tile_VGMASK(dst + kept * sizeof(T), src + r * p.src0RepeatStride * ONE_BLK_SIZE,
				 bits + (sub ? 0 : r * p.src1RepeatStride * ONE_BLK_SIZE),
				 ANPU_CTL(each, bits_type<T>, sub));
		kept += anpu_csr_vcount();
	}
	return kept;
}

} // namespace detail

template <class T>
ASCENDC_FN void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern,
			   const bool reduceMode, const uint32_t mask, const GatherMaskParams &params,
			   uint64_t &rsvdCnt)
{
	if (src1Pattern < 1 || src1Pattern > 7)
		anpu_trap("GatherMask: the pattern is 1 to 7");
	rsvdCnt = detail::gather_mask<T>(dst.address, src0.address, 0, src1Pattern,
					 reduceMode ? mask : detail::per_repeat<T>, params);
}

template <class T, class U>
ASCENDC_FN void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
			   const bool reduceMode, const uint32_t mask, const GatherMaskParams &params,
			   uint64_t &rsvdCnt)
{
	rsvdCnt = detail::gather_mask<T>(dst.address, src0.address, src1Pattern.address, ANPU_GMASK_BITS,
					 reduceMode ? mask : detail::per_repeat<T>, params);
}

ASCENDC_FN int64_t GetGatherMaskRemainCount()
{
	return static_cast<int64_t>(anpu_csr_vcount());
}

/** Brcb() - each of eight elements per repeat fills a block of 32 bytes */
template <class T, class R>
ASCENDC_FN void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const R repeatTimes,
		     const BrcbRepeatParams &params)
{
	constexpr uint32_t fill = ONE_BLK_SIZE / sizeof(T);

	if (params.dstBlkStride == 1 && params.dstRepStride == DEFAULT_REPEAT_STRIDE) {
		anpu_tile_VBRC(dst.address, src0.address, 0,
			       ANPU_CTL(detail::repeats_of(repeatTimes) * 8, detail::bits_type<T>, ANPU_BRC_BLOCK));
		return;
	}
	for (uint32_t i = 0; i < detail::repeats_of(repeatTimes) * 8u; i++) {
		uint32_t to = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;

		anpu_tile_VDUP(dst.address + to * ONE_BLK_SIZE,
			       detail::scalar_bits(src0.GetValue(i)), 0, ANPU_CTL(fill, detail::bits_type<T>, 0));
	}
}

/** CreateVecIndex() - first, first + 1, ... */
template <class T, class U>
ASCENDC_FN void CreateVecIndex(const LocalTensor<T> &dst, const U &firstValue, uint32_t count)
{
	anpu_tile_VIOTA(dst.address, detail::scalar_of<T>(firstValue), detail::scalar_of<T>(1),
			ANPU_CTL(count, detail::type_of<T>, 0));
}

template <class T, class U, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void CreateVecIndex(const LocalTensor<T> &dst, const U &firstValue, const M &mask, const R repeatTimes,
			       uint16_t dstBlkStride, uint8_t dstRepStride)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);

	if constexpr (std::is_integral_v<M>) {
		if (dstBlkStride == 1) {
			for (uint32_t r = 0; r < detail::repeats_of(repeatTimes); r++)
				anpu_tile_VIOTA(dst.address + r * dstRepStride * ONE_BLK_SIZE,
						detail::scalar_of<T>(firstValue + static_cast<T>(r * detail::per_repeat<T>)),
						detail::scalar_of<T>(1), ANPU_CTL(mask, detail::type_of<T>, 0));
			return;
		}
	}
	uint64_t bits[2];

	if constexpr (std::is_integral_v<M>) {
		bits[0] = mask >= 64 ? ~0ull : (1ull << mask) - 1;
		bits[1] = mask >= 128 ? ~0ull : mask > 64 ? (1ull << (mask - 64)) - 1 : 0;
	} else {
		bits[0] = mask[0];
		bits[1] = detail::per_repeat<T> > 64 ? mask[1] : 0;
	}
	detail::each_selected<T>(bits, detail::repeats_of(repeatTimes), [&](uint32_t r, uint32_t i) {
		uint32_t blocks = r * dstRepStride + i / block * dstBlkStride;

		detail::element<T>(dst.address + blocks * ONE_BLK_SIZE + i % block * sizeof(T)) =
			static_cast<T>(firstValue + static_cast<T>(r * detail::per_repeat<T> + i));
	});
}

/** ArithProgression(), Arange() - first, first + diff, ... */
template <class T>
ASCENDC_FN void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
				 const int32_t count)
{
	anpu_tile_VIOTA(dst.address, detail::scalar_bits(firstValue), detail::scalar_bits(diffValue),
			ANPU_CTL(count, detail::type_of<T>, 0));
}

template <class T>
ASCENDC_FN void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count)
{
	ArithProgression(dst, firstValue, diffValue, count);
}

} // namespace AscendC

#endif
