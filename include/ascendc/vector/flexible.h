/* SPDX-License-Identifier: MIT */
/*
 * Operations of a tensor and a number with the number in front, or as an element of a tensor; shifts by a tensor of amounts.
 */
#ifndef ASCENDC_VECTOR_FLEXIBLE_H
#define ASCENDC_VECTOR_FLEXIBLE_H

#include "compare.h"
#include "scalar.h"

namespace AscendC {

/** struct BinaryConfig - which of two tensors gives a number, its first element: 0 the first one, 1 the second one */
struct BinaryConfig {
	int8_t scalarTensorIndex = 1;
};
constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {};

/** struct BinaryDefaultType - stands for a type that follows from the operands */
struct BinaryDefaultType {};

namespace detail {

template <class A> inline constexpr bool is_tensor = false;
template <class T> inline constexpr bool is_tensor<LocalTensor<T>> = true;

/* The forms of scalar.h have a tensor and a number; others are here. */
template <class A, class B> inline constexpr bool is_flexible = is_tensor<B> && (is_tensor<A> || std::is_arithmetic_v<A> || is_float<A>);

/* A number, or the first element of a tensor, which the vector unit may still be writing */
template <class T, class A> ASCENDC_FN uint64_t number_of(const A &value)
{
	if constexpr (is_tensor<A>) {
		anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
		return scalar_bits(value.GetValue(0));
	} else {
		return scalar_of<T>(value);
	}
}

/* Whether the number is the operand in front */
template <class A, int8_t index> inline constexpr bool number_first = !is_tensor<A> || index == 0;

template <anpu_bin_op op, int8_t index, class T, class A, class B>
ASCENDC_FN Operands flexible(const LocalTensor<T> &dst, const A &a, const B &b, const UnaryRepeatParams &p)
{
	if constexpr (number_first<A, index>) {
		Operands o = unary(dst, b, p);

		o.src1 = number_of<T>(a);
		return o;
	} else {
		Operands o = unary(dst, a, p);

		o.src1 = number_of<T>(b);
		return o;
	}
}

template <anpu_bin_op op, int8_t index, class T, class A> ASCENDC_FN uint64_t flexible_ctl()
{
	return ANPU_CTL(0, (bin_type<T, op>), op) | (number_first<A, index> ? ANPU_CTL_REVERSE : 0);
}

} // namespace detail

#define ASCENDC_FLEXIBLE(name, op) \
	template <class D = BinaryDefaultType, bool isSetMask = true, const BinaryConfig &config = DEFAULT_BINARY_CONFIG, \
		  class T, class A, class B, class = std::enable_if_t<detail::is_flexible<A, B>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const A &src0, const B &src1, const int32_t &count) \
	{ \
		constexpr int8_t index = config.scalarTensorIndex; \
		detail::Operands o = detail::flexible<op, index>(dst, src0, src1, UnaryRepeatParams()); \
		anpu_tile_VBINS(o.dst, o.src0, o.src1, (detail::flexible_ctl<op, index, T, A>()) | uint64_t(count)); \
	} \
	template <class D = BinaryDefaultType, bool isSetMask = true, const BinaryConfig &config = DEFAULT_BINARY_CONFIG, \
		  class T, class A, class B, class M, class R, class = std::enable_if_t<detail::is_flexible<A, B> && detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const A &src0, const B &src1, const M &mask, const R repeatTimes, \
			     const UnaryRepeatParams &params) \
	{ \
		constexpr int8_t index = config.scalarTensorIndex; \
		detail::repeated<isSetMask>(ANPU_TILE_VBINS, detail::flexible_ctl<op, index, T, A>(), \
					    detail::flexible<op, index>(dst, src0, src1, params), mask, detail::repeats_of(repeatTimes), \
					    detail::per_repeat<T>); \
	}
ASCENDC_FLEXIBLE(Adds, ANPU_BIN_ADD)
ASCENDC_FLEXIBLE(Subs, ANPU_BIN_SUB)
ASCENDC_FLEXIBLE(Muls, ANPU_BIN_MUL)
ASCENDC_FLEXIBLE(Divs, ANPU_BIN_DIV)
ASCENDC_FLEXIBLE(Maxs, ANPU_BIN_MAX)
ASCENDC_FLEXIBLE(Mins, ANPU_BIN_MIN)
ASCENDC_FLEXIBLE(Ands, ANPU_BIN_AND)
ASCENDC_FLEXIBLE(Ors, ANPU_BIN_OR)
#undef ASCENDC_FLEXIBLE

/** Compares() - the newer name of CompareScalar() */
template <class T, class U>
ASCENDC_FN void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count)
{
	CompareScalar(dst, src0, src1Scalar, cmpMode, count);
}

template <class T, class U, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar, CMPMODE cmpMode, const M &mask,
			 const R repeatTimes, const UnaryRepeatParams &params)
{
	CompareScalar<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, detail::repeats_of(repeatTimes), params);
}

namespace detail {

/* a op b as b op a */
ASCENDC_FN constexpr CMPMODE mirrored(CMPMODE mode)
{
	return mode == CMPMODE::LT ? CMPMODE::GT : mode == CMPMODE::GT ? CMPMODE::LT : mode == CMPMODE::LE ? CMPMODE::GE :
		mode == CMPMODE::GE ? CMPMODE::LE : mode;
}

} // namespace detail

template <class D = BinaryDefaultType, class E = BinaryDefaultType, bool isSetMask = true,
	  const BinaryConfig &config = DEFAULT_BINARY_CONFIG, class U, class A, class T,
	  class = std::enable_if_t<detail::is_flexible<A, LocalTensor<T>>>>
ASCENDC_FN void Compares(const LocalTensor<U> &dst, const A &src0, const LocalTensor<T> &src1, CMPMODE cmpMode, uint32_t count)
{
	if constexpr (detail::number_first<A, config.scalarTensorIndex>)
		anpu_tile_VCMP(dst.address, src1.address, detail::number_of<T>(src0),
			       detail::compare_ctl<T>(detail::mirrored(cmpMode), count) | ANPU_CTL_SCALAR);
	else
		anpu_tile_VCMP(dst.address, src0.address, detail::number_of<T>(src1), detail::compare_ctl<T>(cmpMode, count) | ANPU_CTL_SCALAR);
}

namespace detail {

template <anpu_bin_op op, class T, class U>
ASCENDC_FN void shift_by(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &amounts, int32_t count)
{
	static_assert(std::is_integral_v<T> && std::is_integral_v<U> && sizeof(T) == sizeof(U),
		      "AscendC: a shift by a tensor is of integers by integers of their size");
	anpu_tile_VBIN(dst.address, src.address, amounts.address, ANPU_CTL(count, type_of<T>, op));
}

} // namespace detail

/* Each element by an amount of its own */
template <class T, class U>
ASCENDC_FN void ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1, const int32_t &count)
{
	detail::shift_by<ANPU_BIN_SHL>(dst, src0, src1, count);
}

template <class T, class U>
ASCENDC_FN void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1, const int32_t &count)
{
	detail::shift_by<ANPU_BIN_SHR>(dst, src0, src1, count);
}

} // namespace AscendC

#endif
