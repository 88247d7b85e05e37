/* SPDX-License-Identifier: MIT */
/*
 * Two operations in one: arithmetic and a conversion, a difference and its exponential, products of 64 bits, Prelu. This core runs
 * them one after the other, with the result of the first one in working memory behind the buffers of UB.
 */
#ifndef ASCENDC_VECTOR_FUSED_H
#define ASCENDC_VECTOR_FUSED_H

#include "../adv/pieces.h"

namespace AscendC {

namespace detail {

/* The conversion of an intermediate result: int32_t becomes half by the scale of SetDeqScale() */
template <class T, class U> ASCENDC_FN uint64_t fused_cast(RoundMode mode)
{
	check_cast<T, U>();
	return ANPU_CTL_CVT(0, type_of<T>, type_of<U>, round_of(mode)) | (dequantises<T, U> ? ANPU_CTL_QUANT : 0);
}

/* dst = cast of (src0 op src1), in pieces */
template <anpu_bin_op op, class T, class U>
ASCENDC_FN void binary_cast(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, uint32_t count)
{
	Work work = work_for(LocalTensor<uint8_t>(), 1, count);

	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t n = count - at < work.step ? count - at : work.step;

		anpu_tile_VBIN(work.area.address, src0[at].address, src1[at].address, ANPU_CTL(n, type_of<U>, op));
		anpu_tile_VCVT(dst[at].address, work.area.address, 0, (fused_cast<T, U>(RoundMode::CAST_RINT)) | n);
	}
}

/* The same by mask and repeats; a repeat has 256 bytes of the wider type */
template <anpu_bin_op op, bool sets, class T, class U, class M>
ASCENDC_FN void binary_cast(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const M &mask,
			    uint32_t repeats, const BinaryRepeatParams &p)
{
	constexpr uint32_t each = ONE_REPEAT_BYTE_SIZE / (sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U));
	LocalTensor<U> work = scratch<U>(each);

	if (state()->counter)
		anpu_trap("an operation with a conversion: the counter mode is not supported here; use the form with a number of elements");
	for (uint32_t r = 0; r < repeats; r++) {
		Operands first = {work.address, src0.address + r * p.src0RepStride * ONE_BLK_SIZE,
				  src1.address + r * p.src1RepStride * ONE_BLK_SIZE, {1, 8}, {p.src0BlkStride, 8}, {p.src1BlkStride, 8},
				  sizeof(U), sizeof(U), sizeof(U)};
		Operands second = {dst.address + r * p.dstRepStride * ONE_BLK_SIZE, work.address, 0, {p.dstBlkStride, 8}, {1, 8}, {0, 0},
				   sizeof(T), sizeof(U), 0};

		repeated<sets>(ANPU_TILE_VBIN, ANPU_CTL(0, type_of<U>, op), first, mask, 1, each);
		repeated<sets>(ANPU_TILE_VCVT, fused_cast<T, U>(RoundMode::CAST_RINT), second, mask, 1, each);
	}
}

} // namespace detail

#define ASCENDC_FUSED(name, op, types) \
	template <class T, class U> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count) \
	{ \
		static_assert(types, "AscendC::" #name " does not exist for these types of elements"); \
		detail::binary_cast<op>(dst, src0, src1, count); \
	} \
	template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const M &mask, \
			     const R repeatTimes, const BinaryRepeatParams &params) \
	{ \
		static_assert(types, "AscendC::" #name " does not exist for these types of elements"); \
		detail::binary_cast<op, isSetMask>(dst, src0, src1, mask, detail::repeats_of(repeatTimes), params); \
	}
#define ASCENDC_RELU_TYPES \
	((std::is_same_v<T, int8_t> && (std::is_same_v<U, half> || std::is_same_v<U, int16_t>)) || \
	 (std::is_same_v<T, half> && std::is_same_v<U, float>))
/** AddReluCast(), SubReluCast(), MulCast() - a sum, difference or product, converted to a narrower type by CAST_RINT */
ASCENDC_FUSED(AddReluCast, ANPU_BIN_ADDRELU, ASCENDC_RELU_TYPES)
ASCENDC_FUSED(SubReluCast, ANPU_BIN_SUBRELU, ASCENDC_RELU_TYPES)
ASCENDC_FUSED(MulCast, ANPU_BIN_MUL, (std::is_same_v<U, half> && (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>)))
/** AddDeqRelu() - max(a + b, 0) times the scale of SetDeqScale() */
ASCENDC_FUSED(AddDeqRelu, ANPU_BIN_ADDRELU, (std::is_same_v<T, half> && std::is_same_v<U, int32_t>))
#undef ASCENDC_RELU_TYPES
#undef ASCENDC_FUSED

/** MulsCast() - src * scalar as half, by CAST_ROUND; the scalar may stand in front */
template <class T, class U, class V, class = std::enable_if_t<std::is_convertible_v<V, float>>>
ASCENDC_FN void MulsCast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const V &scalar, const uint32_t count)
{
	detail::Work work = detail::work_for(LocalTensor<uint8_t>(), 1, count);

	static_assert(std::is_same_v<T, half> && std::is_same_v<U, float>, "AscendC::MulsCast is from float to half");
	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t n = count - at < work.step ? count - at : work.step;

		detail::row_scalar(work[0], src[at], static_cast<float>(scalar), n, ANPU_BIN_MUL);
		anpu_tile_VCVT(dst[at].address, work.area.address, 0, ANPU_CTL_CVT(n, ANPU_TYPE_F16, ANPU_TYPE_F32, ANPU_ROUND_ROUND));
	}
}

template <class T, class U, class V, class = std::enable_if_t<std::is_convertible_v<V, float>>>
ASCENDC_FN void MulsCast(const LocalTensor<T> &dst, const V &scalar, const LocalTensor<U> &src, const uint32_t count)
{
	MulsCast(dst, src, scalar, count);
}

/** ExpSub() - e to the power of a difference, in float also for half */
template <class T, class U>
ASCENDC_FN void ExpSub(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count)
{
	static_assert(std::is_same_v<T, float> && (std::is_same_v<U, float> || std::is_same_v<U, half>),
		      "AscendC::ExpSub is from float or half to float");
	if constexpr (std::is_same_v<U, float>) {
		detail::row_bin(dst, src0, src1, count, ANPU_BIN_SUB);
	} else {
		detail::Work work = detail::work_for(LocalTensor<uint8_t>(), 2, count);

		for (uint32_t at = 0; at < count; at += work.step) {
			uint32_t n = count - at < work.step ? count - at : work.step;

			detail::to_float(work[0], src0[at], n);
			detail::to_float(work[1], src1[at], n);
			detail::row_bin(dst[at], work[0], work[1], n, ANPU_BIN_SUB);
		}
	}
	detail::row_un(dst, dst, count, ANPU_UN_EXP);
}

/** FusedExpSub(), FusedAbsSub() - earlier names of ExpSub() and AbsSub() */
template <class T, class U>
ASCENDC_FN void FusedExpSub(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count)
{
	ExpSub(dst, src0, src1, count);
}

template <class T>
ASCENDC_FN void FusedAbsSub(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
	AbsSub(dst, src0, src1, static_cast<int32_t>(count));
}

/** Prelu() - src0 where it is greater than 0, else src0 * src1 */
template <class T>
ASCENDC_FN void Prelu(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
	detail::Work work = detail::work_for(LocalTensor<uint8_t>(), 2, count);

	static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>, "AscendC::Prelu is for float and half");
	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t n = count - at < work.step ? count - at : work.step;
		LocalTensor<T> product = work.area.ReinterpretCast<T>();

		anpu_tile_VCMP(work[1].address, src0[at].address, detail::scalar_bits(T(0)), ANPU_CTL(n, detail::type_of<T>, ANPU_CMP_GT) |
			       ANPU_CTL_SCALAR);
		anpu_tile_VBIN(product.address, src0[at].address, src1[at].address, ANPU_CTL(n, detail::type_of<T>, ANPU_BIN_MUL));
		anpu_set_csr_selmask(work[1].address);
		anpu_tile_VSEL(dst[at].address, src0[at].address, product.address, ANPU_CTL(n, detail::bits_type<T>, ANPU_SEL_TENSOR));
	}
}

/** Mull() - products of 64 bits: their low halves to dst0, their high halves to dst1; on the scalar unit */
template <class T>
ASCENDC_FN void Mull(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		     const uint32_t count)
{
	using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;

	static_assert(std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t>, "AscendC::Mull is for int32_t and uint32_t");
	detail::settle();
	for (uint32_t i = 0; i < count; i++) {
		Wide product = static_cast<Wide>(src0.GetValue(i)) * static_cast<Wide>(src1.GetValue(i));

		dst0.SetValue(i, static_cast<T>(product));
		dst1.SetValue(i, static_cast<T>(product >> 32));
	}
	detail::settle();
}

/** Truncate() - to integral values by a rounding mode, in the type that they have */
template <class T, RoundMode roundMode>
ASCENDC_FN void Truncate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	static_assert(detail::is_float<T>, "AscendC::Truncate is for floating-point numbers");
	anpu_tile_VUN(dst.address, src.address, 0, ANPU_CTL(count, detail::type_of<T>, ANPU_UN_ROUND) |
		      detail::round_of(roundMode) << ANPU_CTL_ROUND_SHIFT);
}

/** DeInterleave() - elements of even places to dst0, of odd ones to dst1; both sources have count elements */
template <class T>
ASCENDC_FN void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src, const int32_t srcCount)
{
	uint64_t n = static_cast<uint64_t>(srcCount);

	anpu_tile_VGMASK(dst0.address, src.address, 0, ANPU_CTL(n, detail::bits_type<T>, ANPU_GMASK_EVEN));
	anpu_tile_VGMASK(dst1.address, src.address, 0, ANPU_CTL(n, detail::bits_type<T>, ANPU_GMASK_ODD));
}

template <class T>
ASCENDC_FN void DeInterleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
			     const LocalTensor<T> &src1, const int32_t count)
{
	DeInterleave(dst0, dst1, src0, count);
	DeInterleave(dst0[static_cast<uint32_t>(count) / 2], dst1[static_cast<uint32_t>(count) / 2], src1, count);
}

/** Interleave() - elements of src0 and src1 in turn: the first count to dst0, the others to dst1; on the scalar unit */
template <class T>
ASCENDC_FN void Interleave(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src0,
			   const LocalTensor<T> &src1, const int32_t count)
{
	uint32_t n = static_cast<uint32_t>(count);

	detail::settle();
	for (uint32_t i = 0; i < 2 * n; i++) {
		const LocalTensor<T> &from = i % 2 ? src1 : src0;

		(i < n ? dst0 : dst1).SetValue(i < n ? i : i - n, from.GetValue(i / 2));
	}
	detail::settle();
}

} // namespace AscendC

#endif
