/* SPDX-License-Identifier: MIT */
/* dst = op src, element by element; Duplicate and Copy. */
#ifndef ASCENDC_VECTOR_UNARY_H
#define ASCENDC_VECTOR_UNARY_H

#include "engine.h"

namespace AscendC {

namespace detail {

template <class T, anpu_un_op op>
inline constexpr int un_type = op == ANPU_UN_NOT || op == ANPU_UN_COPY ? bits_type<T> : type_of<T>;

/* Functions of floating-point numbers only */
template <class T, anpu_un_op op>
inline constexpr bool un_exists = op == ANPU_UN_NOT || op == ANPU_UN_COPY ? sizeof(T) <= 8 :
	op == ANPU_UN_ABS || op == ANPU_UN_NEG || op == ANPU_UN_RELU ?
	is_float<T> || (std::is_integral_v<T> && std::is_signed_v<T>) : is_float<T>;

} // namespace detail

#define ASCENDC_UNARY(name, op) \
	template <class T> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) \
	{ \
		static_assert(detail::un_exists<T, op>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		detail::elements<ANPU_TILE_VUN>(ANPU_CTL(0, (detail::un_type<T, op>), op), detail::plain(dst, src), \
						static_cast<uint32_t>(count)); \
	} \
	template <class T, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const M &mask, \
			     const R repeatTimes, const UnaryRepeatParams &params) \
	{ \
		static_assert(detail::un_exists<T, op>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		detail::repeated<isSetMask>(ANPU_TILE_VUN, ANPU_CTL(0, (detail::un_type<T, op>), op), \
					    detail::unary(dst, src, params), mask, detail::repeats_of(repeatTimes), \
					    detail::per_repeat<T>); \
	} \
	/* the documented prototype, for operators that take its address */ \
	template <class T, bool isSetMask = true> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, \
			     const uint8_t repeatTimes, const UnaryRepeatParams &params) \
	{ \
		name<T, isSetMask, uint64_t>(dst, src, mask, repeatTimes, params); \
	}
ASCENDC_UNARY(Abs, ANPU_UN_ABS)
ASCENDC_UNARY(Exp, ANPU_UN_EXP)
ASCENDC_UNARY(Ln, ANPU_UN_LN)
ASCENDC_UNARY(Neg, ANPU_UN_NEG)
ASCENDC_UNARY(Not, ANPU_UN_NOT)
ASCENDC_UNARY(Reciprocal, ANPU_UN_REC)
ASCENDC_UNARY(Relu, ANPU_UN_RELU)
ASCENDC_UNARY(Rsqrt, ANPU_UN_RSQRT)
ASCENDC_UNARY(Sqrt, ANPU_UN_SQRT)
#undef ASCENDC_UNARY

template <class T, class U, class = std::enable_if_t<std::is_convertible_v<U, T>>>
ASCENDC_FN void Duplicate(const LocalTensor<T> &dst, const U &scalar, const int32_t &count)
{
	anpu_tile_VDUP(dst.address, detail::scalar_of<T>(scalar), 0, ANPU_CTL(count, detail::bits_type<T>, 0));
}

/* The number is the first element of a tensor. */
template <class T> ASCENDC_FN void Duplicate(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)
{
	if (count > 0)
		anpu_tile_VBRC(dst.address, src.address, ANPU_SHAPE(1, count), ANPU_CTL(0, detail::bits_type<T>, ANPU_BRC_COLS));
}

template <class T, bool isSetMask = true, class U, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Duplicate(const LocalTensor<T> &dst, const U &scalar, const M &mask, const R repeatTimes,
			  const uint16_t dstBlockStride, const uint8_t dstRepeatStride)
{
	detail::Operands operands = {dst.address, detail::scalar_of<T>(scalar), 0,
				     detail::stride(dstBlockStride, dstRepeatStride), {0, 0}, {0, 0},
				     sizeof(T), 0, 0};

	detail::repeated<isSetMask>(ANPU_TILE_VDUP, ANPU_CTL(0, detail::bits_type<T>, 0), operands, mask,
				    detail::repeats_of(repeatTimes), detail::per_repeat<T>);
}

/** Copy() - within UB by the vector unit */
template <class T, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const M &mask,
		     const R repeatTimes, const CopyRepeatParams &p)
{
	detail::Operands operands = {dst.address, src.address, 0, detail::stride(p.dstStride, p.dstRepeatSize),
				     detail::stride(p.srcStride, p.srcRepeatSize), {0, 0}, sizeof(T),
				     sizeof(T), 0};

	detail::repeated<isSetMask>(ANPU_TILE_VUN, ANPU_CTL(0, detail::bits_type<T>, ANPU_UN_COPY), operands,
				    mask, detail::repeats_of(repeatTimes), detail::per_repeat<T>);
}

template <class T> ASCENDC_FN void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count)
{
	detail::elements<ANPU_TILE_VUN>(ANPU_CTL(0, detail::bits_type<T>, ANPU_UN_COPY), detail::plain(dst, src), count);
}

} // namespace AscendC

#endif
