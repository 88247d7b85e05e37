/* SPDX-License-Identifier: MIT */
/* CastDequant: int16_t to int8_t or uint8_t, and int32_t to half, by the numbers of SetDeqScale(). */
#ifndef ASCENDC_VECTOR_DEQUANT_H
#define ASCENDC_VECTOR_DEQUANT_H

#include "fused.h"

namespace AscendC {

constexpr uint8_t VDEQ_TENSOR_SIZE = 16;

/** struct VdeqInfo - a scale, an offset and a sign mode for each of the 16 elements of a block */
struct VdeqInfo {
	VdeqInfo() = default;
	ASCENDC_FN VdeqInfo(const float scale[VDEQ_TENSOR_SIZE], const int16_t offset[VDEQ_TENSOR_SIZE], const bool sign[VDEQ_TENSOR_SIZE])
	{
		for (int i = 0; i < VDEQ_TENSOR_SIZE; i++) {
			vdeqScale[i] = scale[i];
			vdeqOffset[i] = offset[i];
			vdeqSignMode[i] = sign[i];
		}
	}

	float vdeqScale[VDEQ_TENSOR_SIZE] = {};
	int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
	bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

namespace detail {

/* The word of a scale as Ascend C packs it: the scale in its low half, the offset of 9 bits at bit 37, the sign mode at bit 46 */
ASCENDC_FN uint64_t deq_word(float scale, int16_t offset, bool sign)
{
	return scalar_bits(scale) | (static_cast<uint64_t>(offset) & 0x1ff) << 37 | static_cast<uint64_t>(sign) << 46;
}

/* One number: x * scale + offset, each step in fp32, to the nearest integer, saturated */
template <class T> ASCENDC_FN T deq_one(int16_t x, uint64_t word)
{
	constexpr int32_t least = std::is_signed_v<T> ? -128 : 0, most = std::is_signed_v<T> ? 127 : 255;
	int32_t offset = static_cast<int32_t>(static_cast<int64_t>(word << 18) >> 55);
	float value = static_cast<float>(x) * __builtin_bit_cast(float, static_cast<uint32_t>(word)) + static_cast<float>(offset);
	int32_t whole = ScalarCast<float, int32_t, RoundMode::CAST_RINT>(value);

	return static_cast<T>(whole < least ? least : whole > most ? most : whole);
}

/* Element @i of a block of int16_t goes to one half of a block of bytes; the other half stays as it is. */
template <bool vector, bool low, class T>
ASCENDC_FN void deq_element(uint32_t dst_block, uint32_t src_block, uint32_t i)
{
	uint64_t word = state()->deq_word;

	if constexpr (vector)
		word = reinterpret_cast<const uint64_t *>(uintptr_t(word))[i];
	reinterpret_cast<T *>(uintptr_t(dst_block))[i + (low ? 0 : 16)] =
		deq_one<T>(reinterpret_cast<const int16_t *>(uintptr_t(src_block))[i], word);
}

template <class T, class U> ASCENDC_FN void check_deq()
{
	static_assert((std::is_same_v<U, int16_t> && sizeof(T) == 1 && std::is_integral_v<T>) ||
		      (std::is_same_v<U, int32_t> && std::is_same_v<T, half>),
		      "AscendC::CastDequant is from int16_t to int8_t or uint8_t, or from int32_t to half");
}

} // namespace detail

/** SetDeqScale() - for CastDequant() with one scale; the sign mode follows from the type of the result */
ASCENDC_FN void SetDeqScale(float scale, int16_t offset, bool signMode)
{
	detail::state()->deq_word = detail::deq_word(scale, offset, signMode);
}

/* For CastDequant() with 16 scales, which are written to @vdeq */
template <class T> ASCENDC_FN void SetDeqScale(const LocalTensor<T> &vdeq, const VdeqInfo &info)
{
	static_assert(sizeof(T) == 8, "AscendC::SetDeqScale takes a tensor of uint64_t");
	detail::settle();
	for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; i++)
		vdeq.SetValue(i, static_cast<T>(detail::deq_word(info.vdeqScale[i], info.vdeqOffset[i], info.vdeqSignMode[i])));
	detail::state()->deq_word = vdeq.address;
}

/**
 * CastDequant() - x * scale + offset, on the scalar unit. 16 numbers of a block become the lower half (@halfBlock) or the upper half of a
 * block of bytes. From int32_t to half it is Cast() with the scale of SetDeqScale().
 */
template <class T, class U, bool isVecDeq = true, bool halfBlock = true>
ASCENDC_FN void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
	detail::check_deq<T, U>();
	if constexpr (std::is_same_v<U, int32_t>) {
		anpu_tile_VCVT(dst.address, src.address, 0, (detail::fused_cast<T, U>(RoundMode::CAST_RINT)) | count);
	} else {
		detail::settle();
		for (uint32_t i = 0; i < count; i++)
			detail::deq_element<isVecDeq, halfBlock, T>(dst.address + i / 16 * ONE_BLK_SIZE, src.address + i / 16 * ONE_BLK_SIZE,
								    i % 16);
		detail::settle();
	}
}

template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, class M, class R,
	  class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void CastDequant(const LocalTensor<T> &dst, const LocalTensor<U> &src, const M &mask, const R repeatTimes,
			    const UnaryRepeatParams &p)
{
	detail::check_deq<T, U>();
	if constexpr (std::is_same_v<U, int32_t>) {
		detail::repeated<isSetMask>(ANPU_TILE_VCVT, detail::fused_cast<T, U>(RoundMode::CAST_RINT), detail::unary(dst, src, p), mask,
					    detail::repeats_of(repeatTimes), detail::per_repeat<U>);
	} else {
		static_assert(isSetMask, "AscendC::CastDequant takes its mask as an operand here");
		detail::settle();
		for (uint32_t i = 0; i < uint32_t(detail::repeats_of(repeatTimes)) * 128; i++) {
			uint32_t repeat = i / 128, block = i % 128 / 16;

			if (detail::mask_has(mask, i % 128))
				detail::deq_element<isVecDeq, halfBlock, T>(
					dst.address + (repeat * p.dstRepStride + block * p.dstBlkStride) * ONE_BLK_SIZE,
					src.address + (repeat * p.srcRepStride + block * p.srcBlkStride) * ONE_BLK_SIZE, i % 16);
		}
		detail::settle();
	}
}

/** CastDeq() - the earlier name of CastDequant() */
template <class T, class U, bool isVecDeq = true, bool halfBlock = true>
ASCENDC_FN void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
	CastDequant<T, U, isVecDeq, halfBlock>(dst, src, count);
}

template <class T, class U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true, class M, class R,
	  class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void CastDeq(const LocalTensor<T> &dst, const LocalTensor<U> &src, const M &mask, const R repeatTimes,
			const UnaryRepeatParams &params)
{
	CastDequant<T, U, isSetMask, isVecDeq, halfBlock>(dst, src, mask, detail::repeats_of(repeatTimes), params);
}

} // namespace AscendC

#endif
