/* SPDX-License-Identifier: MIT */
/* Compare and Select. */
#ifndef ASCENDC_VECTOR_COMPARE_H
#define ASCENDC_VECTOR_COMPARE_H

#include "engine.h"

namespace AscendC {

namespace detail {

/* CMPMODE has the numbers of VCMP's operations. */
template <class T> ASCENDC_FN uint64_t compare_ctl(CMPMODE mode, uint32_t count)
{
	static_assert(type_of<T> >= 0, "AscendC::Compare does not exist for this type of elements");
	return ANPU_CTL(count, type_of<T>, static_cast<uint64_t>(mode));
}

/*
 * The bits of all repeats stand one behind the other; the mask has no effect on a comparison to memory. In the counter mode it is the
 * number of elements, of which the last repeat is whole here.
 */
template <bool sets, class M>
ASCENDC_FN void compare_repeated(uint64_t ctl, const Operands &o, const M &mask, uint32_t repeats, uint32_t each)
{
	if (state()->counter) {
		uint64_t count = state()->count;

		if constexpr (sets && std::is_integral_v<M>)
			count = static_cast<uint64_t>(mask);
		else if constexpr (sets)
			count = mask[0];
		repeats = static_cast<uint32_t>((count + each - 1) / each);
	}
	repeat_once(ANPU_TILE_VCMP, ctl | each, o, repeats);
}

/* Whether bits fall on the elements that they are of, which is well-defined in one repeat: it reads before it writes. */
template <class T> ASCENDC_FN bool compare_crosses(uint32_t dst, uint32_t src, uint32_t count)
{
	return count <= per_repeat<T> && crosses(dst, (count + 7) / 8, src, uint64_t(count) * sizeof(T));
}

} // namespace detail

template <class T, class U>
ASCENDC_FN void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
			CMPMODE cmpMode, uint32_t count)
{
	if (detail::compare_crosses<T>(dst.address, src0.address, count) || detail::compare_crosses<T>(dst.address, src1.address, count)) {
		detail::Operands operands = detail::binary(dst, src0, src1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));

		operands.to = {0, 0};
		detail::repeat_once(ANPU_TILE_VCMP, detail::compare_ctl<T>(cmpMode, count), operands, 1);
		return;
	}
	anpu_tile_VCMP(dst.address, src0.address, src1.address, detail::compare_ctl<T>(cmpMode, count));
}

template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
			CMPMODE cmpMode, const M &mask, const R repeatTimes, const BinaryRepeatParams &params)
{
	detail::Operands operands = detail::binary(dst, src0, src1, params);

	operands.to = {0, 0};
	detail::compare_repeated<isSetMask>(detail::compare_ctl<T>(cmpMode, 0), operands, mask, detail::repeats_of(repeatTimes),
					    detail::per_repeat<T>);
}

/* To the compare mask register, for Select() without a tensor of bits; one repeat */
template <class T, bool isSetMask = true, class M, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE cmpMode, const M &mask,
			const BinaryRepeatParams &params)
{
	detail::Operands operands = detail::binary(src0, src0, src1, params);

	operands.dst = 0;
	operands.to = {0, 0};
	if constexpr (std::is_integral_v<M>)
		detail::repeat_once(ANPU_TILE_VCMP, detail::compare_ctl<T>(cmpMode, (uint32_t(mask) + 7) / 8 * 8) |
				    ANPU_CTL_CMPMASK, operands, 1);
	else
		detail::repeated<isSetMask>(ANPU_TILE_VCMP, detail::compare_ctl<T>(cmpMode, 0) | ANPU_CTL_CMPMASK,
					    operands, mask, 1, detail::per_repeat<T>);
}

/*
 * And the selection by it. With VSEL_TENSOR_TENSOR_MODE the register has the address of the bits, one mask behind the other. The
 * vector mask is that of SetVectorMask().
 */
template <class T, SELMODE mode = SELMODE::VSEL_CMPMASK_SPR, class M = int>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		       const int32_t repeatTimes, const BinaryRepeatParams &params)
{
	static_assert(mode != SELMODE::VSEL_TENSOR_SCALAR_MODE, "AscendC::Select of a tensor and a number has a tensor of bits as an operand");
	constexpr uint64_t sub = mode == SELMODE::VSEL_CMPMASK_SPR ? ANPU_SEL_CMPMASK : ANPU_SEL_TENSOR;

	if (mode != SELMODE::VSEL_CMPMASK_SPR)
		anpu_set_csr_selmask(anpu_csr_cmpmask0());
	detail::repeated<false>(ANPU_TILE_VSEL, ANPU_CTL(0, detail::bits_type<T>, sub), detail::binary(dst, src0, src1, params), static_cast<uint64_t>(0),
				static_cast<uint32_t>(repeatTimes), detail::per_repeat<T>);
}

/* Of a tensor and the number that SetCmpMask() has put into the register, by a tensor of bits */
template <class T, class U>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0, const uint8_t repeatTimes,
		       const BinaryRepeatParams &params)
{
	detail::Operands operands = detail::binary(dst, src0, src0, params);
	uint64_t bits = anpu_csr_cmpmask0();

	operands.src1 = sizeof(T) == 2 ? uint16_t(bits) : sizeof(T) == 4 ? uint32_t(bits) : bits;
	operands.from1 = {0, 0};
	anpu_set_csr_selmask(selMask.address);
	detail::repeated<false>(ANPU_TILE_VSEL, ANPU_CTL(0, detail::bits_type<T>, ANPU_SEL_TENSOR) | ANPU_CTL_SCALAR, operands, static_cast<uint64_t>(0),
				repeatTimes, detail::per_repeat<T>);
}

namespace detail {

/*
 * The scalar unit moves the register's 16 bytes, or the 8 that a repeat of fewer elements has, for the vector unit, in whose order the
 * barriers keep it.
 */
ASCENDC_FN void load_cmpmask(uint64_t address, bool whole)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	anpu_set_csr_cmpmask0(*reinterpret_cast<const uint64_t *>(uintptr_t(address)));
	if (whole)
		anpu_set_csr_cmpmask1(*reinterpret_cast<const uint64_t *>(uintptr_t(address) + 8));
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

template <class T> ASCENDC_FN void GetCmpMask(const LocalTensor<T> &dst)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	*reinterpret_cast<uint64_t *>(uintptr_t(dst.address)) = anpu_csr_cmpmask0();
	*reinterpret_cast<uint64_t *>(uintptr_t(dst.address) + 8) = anpu_csr_cmpmask1();
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

template <class T> ASCENDC_FN void SetCmpMask(const LocalTensor<T> &src)
{
	detail::load_cmpmask(src.address, true);
}

template <class T, class U>
ASCENDC_FN void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,
			      CMPMODE cmpMode, uint32_t count)
{
	if (detail::compare_crosses<T>(dst.address, src0.address, count)) {
		detail::Operands operands = detail::unary(dst, src0, UnaryRepeatParams(1, 1, 8, 8));

		operands.to = {0, 0};
		operands.src1 = detail::scalar_bits(src1Scalar);
		detail::repeat_once(ANPU_TILE_VCMP, detail::compare_ctl<T>(cmpMode, count) | ANPU_CTL_SCALAR, operands, 1);
		return;
	}
	anpu_tile_VCMP(dst.address, src0.address, detail::scalar_bits(src1Scalar),
		       detail::compare_ctl<T>(cmpMode, count) | ANPU_CTL_SCALAR);
}

template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,
			      CMPMODE cmpMode, const M &mask, const R repeatTimes,
			      const UnaryRepeatParams &params)
{
	detail::Operands operands = detail::unary(dst, src0, params);

	operands.to = {0, 0};
	operands.src1 = detail::scalar_bits(src1Scalar);
	detail::compare_repeated<isSetMask>(detail::compare_ctl<T>(cmpMode, 0) | ANPU_CTL_SCALAR, operands, mask, detail::repeats_of(repeatTimes),
					    detail::per_repeat<T>);
}

namespace detail {

template <class T, class U> ASCENDC_FN uint64_t select_ctl(const LocalTensor<U> &bits, SELMODE mode)
{
	if (mode == SELMODE::VSEL_CMPMASK_SPR) {
		load_cmpmask(bits.address, sizeof(T) < 4);
		return ANPU_CTL(0, bits_type<T>, ANPU_SEL_CMPMASK);
	}
	anpu_set_csr_selmask(bits.address);
	return ANPU_CTL(0, bits_type<T>, ANPU_SEL_TENSOR);
}

} // namespace detail

/** Select() - dst = bit ? src0 : src1 */
template <class T, class U>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		       const LocalTensor<T> &src1, SELMODE selMode, uint32_t count)
{
	detail::elements<ANPU_TILE_VSEL>(detail::select_ctl<T>(selMask, selMode), detail::plain(dst, src0, src1), count);
}

template <class T, class U, class V, class = std::enable_if_t<std::is_convertible_v<V, T>>>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		       V src1, SELMODE selMode, uint32_t count)
{
	detail::elements<ANPU_TILE_VSEL>(detail::select_ctl<T>(selMask, selMode) | ANPU_CTL_SCALAR,
					 detail::plain(dst, src0, detail::scalar_of<T>(src1)), count);
}

namespace detail {

template <class T, bool sets, class M>
ASCENDC_FN void select_repeated(uint64_t ctl, const Operands &o, const M &mask, uint32_t repeats)
{
	constexpr uint32_t each = per_repeat<T>;

	/* each repeat goes on in the selection by a whole repeat's bits, so that fewer elements are a mask of bits */
	if constexpr (std::is_integral_v<M>) {
		uint64_t n = mask, bits[2] = {n >= 64 ? ~0ull : (1ull << n) - 1,
					      n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0};

		if (sets && n < each && !state()->counter) {
			repeated<sets>(ANPU_TILE_VSEL, ctl, o, static_cast<const uint64_t *>(bits), repeats, each);
			return;
		}
	}
	repeated<sets>(ANPU_TILE_VSEL, ctl, o, mask, repeats, each);
}

} // namespace detail

template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		       const LocalTensor<T> &src1, SELMODE selMode, const M &mask, const R repeatTimes,
		       const BinaryRepeatParams &params)
{
	detail::select_repeated<T, isSetMask>(detail::select_ctl<T>(selMask, selMode),
					      detail::binary(dst, src0, src1, params), mask, detail::repeats_of(repeatTimes));
}

template <class T, class U, bool isSetMask = true, class V, class M, class R,
	  class = std::enable_if_t<detail::is_mask<M> && std::is_convertible_v<V, T>>>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		       V src1, SELMODE selMode, const M &mask, const R repeatTimes,
		       const BinaryRepeatParams &params)
{
	detail::Operands operands = detail::binary(dst, src0, src0, params);

	operands.src1 = detail::scalar_of<T>(src1);
	operands.from1 = {0, 0};
	detail::select_repeated<T, isSetMask>(detail::select_ctl<T>(selMask, selMode) | ANPU_CTL_SCALAR,
					      operands, mask, detail::repeats_of(repeatTimes));
}

} // namespace AscendC

#endif
