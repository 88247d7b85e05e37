/* SPDX-License-Identifier: MIT */
/* dst = src op scalar, element by element. */
#ifndef ASCENDC_VECTOR_SCALAR_H
#define ASCENDC_VECTOR_SCALAR_H

#include "binary.h"

namespace AscendC {

#define ASCENDC_SCALAR(name, op, flags) \
	template <class T, bool isSetMask = true, class U, class = std::enable_if_t<std::is_convertible_v<U, T>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalar, \
			     const int32_t &count) \
	{ \
		static_assert(detail::type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		detail::elements<ANPU_TILE_VBINS>(ANPU_CTL(0, (detail::bin_type<T, op>), op) | (flags), \
						  detail::plain(dst, src, detail::scalar_of<T>(scalar)), static_cast<uint32_t>(count)); \
	} \
	template <class T, bool isSetMask = true, class U, class M, class R, \
		  class = std::enable_if_t<detail::is_mask<M> && std::is_convertible_v<U, T>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalar, \
			     const M &mask, const R repeatTimes, const UnaryRepeatParams &params) \
	{ \
		detail::Operands operands = detail::unary(dst, src, params); \
		static_assert(detail::type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		operands.src1 = detail::scalar_of<T>(scalar); \
		detail::repeated<isSetMask>(ANPU_TILE_VBINS, \
					    ANPU_CTL(0, (detail::bin_type<T, op>), op) | (flags), operands, \
					    mask, detail::repeats_of(repeatTimes), detail::per_repeat<T>); \
	}
ASCENDC_SCALAR(Adds, ANPU_BIN_ADD, 0)
ASCENDC_SCALAR(Subs, ANPU_BIN_SUB, 0)
ASCENDC_SCALAR(Muls, ANPU_BIN_MUL, 0)
ASCENDC_SCALAR(Divs, ANPU_BIN_DIV, 0)
ASCENDC_SCALAR(Maxs, ANPU_BIN_MAX, 0)
ASCENDC_SCALAR(Mins, ANPU_BIN_MIN, 0)
ASCENDC_SCALAR(Ands, ANPU_BIN_AND, 0)
ASCENDC_SCALAR(Ors, ANPU_BIN_OR, 0)
ASCENDC_SCALAR(ShiftLeft, ANPU_BIN_SHL, 0)
ASCENDC_SCALAR(LeakyRelu, ANPU_BIN_LRELU, 0)
#undef ASCENDC_SCALAR

namespace detail {

/* Shifting to the right with rounding adds half of the last bit that stays. */
template <class T, class U> ASCENDC_FN void no_round(bool round)
{
	static_assert(std::is_convertible_v<U, T>);
	if (round)
		anpu_trap("ShiftRight: the rounding shift of signed elements is not built");
}

} // namespace detail

template <class T, bool isSetMask = true, class U, class = std::enable_if_t<std::is_convertible_v<U, T>>>
ASCENDC_FN void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalar,
			   const int32_t &count)
{
	static_assert(std::is_integral_v<T>, "AscendC::ShiftRight is for integers");
	detail::elements<ANPU_TILE_VBINS>(ANPU_CTL(0, detail::type_of<T>, ANPU_BIN_SHR),
					  detail::plain(dst, src, detail::scalar_of<T>(scalar)), static_cast<uint32_t>(count));
}

template <class T, bool isSetMask = true, class U, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &scalar, const M &mask,
			   const R repeatTimes, const UnaryRepeatParams &params, bool roundEn = false)
{
	detail::Operands operands = detail::unary(dst, src, params);

	static_assert(std::is_integral_v<T>, "AscendC::ShiftRight is for integers");
	detail::no_round<T, U>(roundEn);
	operands.src1 = detail::scalar_of<T>(scalar);
	detail::repeated<isSetMask>(ANPU_TILE_VBINS, ANPU_CTL(0, detail::type_of<T>, ANPU_BIN_SHR), operands,
				    mask, detail::repeats_of(repeatTimes), detail::per_repeat<T>);
}

namespace detail {

/* Axpy() of float from half: adv/mixed.h */
void mixed_axpy(const LocalTensor<float> &dst, const LocalTensor<half> &src, float scalar, uint32_t count);
template <bool sets, class M>
void mixed_axpy(const Operands &o, const LocalTensor<float> &dst, const LocalTensor<half> &src, float scalar, const M &mask,
		uint32_t repeats);

} // namespace detail

/** Axpy() - dst += src * scalar with one rounding */
template <class T, class U>
ASCENDC_FN void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar, const int32_t &count)
{
	static_assert(std::is_same_v<T, U> || detail::is_mixed<T, U>, "AscendC::Axpy has operands of one type, or float from half");
	if constexpr (detail::is_mixed<T, U>)
		detail::mixed_axpy(dst, src, static_cast<float>(scalar), static_cast<uint32_t>(count));
	else
		detail::elements<ANPU_TILE_VTRI>(ANPU_CTL(0, detail::type_of<T>, ANPU_TRI_MLA) | ANPU_CTL_SCALAR,
						 detail::plain(dst, src, detail::scalar_bits(scalar)), static_cast<uint32_t>(count));
}

template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar, const M &mask,
		     const R repeatTimes, const UnaryRepeatParams &params)
{
	detail::Operands operands = detail::unary(dst, src, params);

	static_assert(std::is_same_v<T, U> || detail::is_mixed<T, U>, "AscendC::Axpy has operands of one type, or float from half");
	if constexpr (detail::is_mixed<T, U>) {
		detail::mixed_axpy<isSetMask>(operands, dst, src, static_cast<float>(scalar), mask, detail::repeats_of(repeatTimes));
	} else {
		operands.src1 = detail::scalar_bits(scalar);
		detail::repeated<isSetMask>(ANPU_TILE_VTRI,
					    ANPU_CTL(0, detail::type_of<T>, ANPU_TRI_MLA) | ANPU_CTL_SCALAR, operands,
					    mask, detail::repeats_of(repeatTimes), detail::per_repeat<T>);
	}
}

} // namespace AscendC

#endif
