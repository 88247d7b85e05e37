/* SPDX-License-Identifier: MIT */
/* Arithmetic, comparison and selection of registers, element by element. */
#ifndef ASCENDC_REG_ARITHMETIC_H
#define ASCENDC_REG_ARITHMETIC_H

#include "move.h"

namespace AscendC {
namespace MicroAPI {
namespace detail {

/* The mode is one of MaskMergeMode, or the address of a structure with one in it */
template <auto mode> constexpr ASCENDC_FN bool merges()
{
	if constexpr (std::is_same_v<decltype(mode), MaskMergeMode>)
		return mode == MaskMergeMode::MERGING;
	else
		return mode->mrgMode == MaskMergeMode::MERGING;
}

template <auto mode, class D> ASCENDC_FN void left_out(D &dst, uint32_t i)
{
	if constexpr (!merges<mode>())
		dst.put(i, typename D::ActualT(0));
}

/* The type that an element is computed in: float for half and bfloat16_t, else its own */
template <class T> using Wide = std::conditional_t<std::is_same_v<T, bfloat16_t> || std::is_same_v<T, half>, float, T>;
template <class T> inline constexpr bool eight =
	std::is_same_v<T, fp8_e4m3fn_t> || std::is_same_v<T, fp8_e5m2_t> || std::is_same_v<T, fp8_e8m0_t> || std::is_same_v<T, hifloat8_t>;
template <class T> inline constexpr bool real =
	std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t> || eight<T>;

/* Integers of the machine's own width would overflow in C++, so that sums and products are those of unsigned numbers */
template <class T, class F> ASCENDC_FN T compute(T a, T b, F f)
{
	if constexpr (real<T>)
		return static_cast<T>(f(static_cast<Wide<T>>(a), static_cast<Wide<T>>(b)));
	else
		return static_cast<T>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

template <class T> ASCENDC_FN T largest(T a, T b)
{
	if constexpr (real<T>) {
		float x = static_cast<float>(a), y = static_cast<float>(b);

		return x != x || y != y ? static_cast<T>(__builtin_nanf("")) : x < y || (x == y && __builtin_signbit(x)) ? b : a;
	} else {
		return a < b ? b : a;
	}
}

template <class T> ASCENDC_FN T smallest(T a, T b)
{
	if constexpr (real<T>) {
		float x = static_cast<float>(a), y = static_cast<float>(b);

		return x != x || y != y ? static_cast<T>(__builtin_nanf("")) : y < x || (x == y && __builtin_signbit(y)) ? b : a;
	} else {
		return b < a ? b : a;
	}
}

/* a * b + c with one rounding; of half and bfloat16_t in double, where the product is exact */
template <class T> ASCENDC_FN T fused(T a, T b, T c)
{
	if constexpr (std::is_same_v<T, float>)
		return __builtin_fmaf(a, b, c);
	else if constexpr (std::is_same_v<T, half>)
		return static_cast<T>(double(a) * double(b) + double(c));
	else if constexpr (std::is_same_v<T, bfloat16_t>)
		return static_cast<T>(static_cast<float>(double(float(a)) * double(float(b)) + double(float(c))));
	else
		return static_cast<T>(uint64_t(a) * uint64_t(b) + uint64_t(c));
}

template <class T> ASCENDC_FN T shifted(T a, int64_t n, bool left)
{
	constexpr int64_t bits = sizeof(T) * 8;

	if (n < 0 || n >= bits)
		return left || a >= T(0) ? T(0) : T(-1);
	return left ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << n) : static_cast<T>(a >> n);
}

template <CMPMODE mode, class T> ASCENDC_FN bool holds(T a, T b)
{
	switch (mode) {
	case CMPMODE::LT: return a < b;
	case CMPMODE::GT: return b < a;
	case CMPMODE::EQ: return a == b;
	case CMPMODE::LE: return a <= b;
	case CMPMODE::GE: return b <= a;
	default: return !(a == b);
	}
}

} // namespace detail

/* dst = a op b; for two registers, and with a scalar */
#define ASCENDC_REG_BINARY(name, scalar_name, expression) \
	template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class B, class = detail::if_reg<R>, \
		  class = detail::if_reg<B>> \
	ASCENDC_FN void name(R &dst, const A &src0, const B &src1, const MaskReg &mask) \
	{ \
		using E = typename R::ActualT; \
		for (uint32_t i = 0; i < R::count; i++) { \
			if (!R::on(mask, i)) { \
				detail::left_out<mode>(dst, i); \
				continue; \
			} \
			E a = static_cast<E>(src0.get(i)), b = static_cast<E>(src1.get(i)); \
			dst.put(i, static_cast<E>(expression)); \
		} \
	} \
	template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class S, class = detail::if_reg<R>> \
	ASCENDC_FN void scalar_name(R &dst, const A &src0, S scalar, const MaskReg &mask) \
	{ \
		using E = typename R::ActualT; \
		E b = static_cast<E>(scalar); \
		for (uint32_t i = 0; i < R::count; i++) { \
			if (!R::on(mask, i)) { \
				detail::left_out<mode>(dst, i); \
				continue; \
			} \
			E a = static_cast<E>(src0.get(i)); \
			dst.put(i, static_cast<E>(expression)); \
		} \
	}
ASCENDC_REG_BINARY(Add, Adds, detail::compute(a, b, [](auto x, auto y) { return x + y; }))
ASCENDC_REG_BINARY(Sub, Subs, detail::compute(a, b, [](auto x, auto y) { return x - y; }))
ASCENDC_REG_BINARY(Mul, Muls, detail::compute(a, b, [](auto x, auto y) { return x * y; }))
ASCENDC_REG_BINARY(Div, Divs, detail::real<E> ? static_cast<E>(static_cast<detail::Wide<E>>(a) / static_cast<detail::Wide<E>>(b)) :
			      b == E(0) ? static_cast<E>(-1) : static_cast<E>(a / b))
ASCENDC_REG_BINARY(Max, Maxs, detail::largest(a, b))
ASCENDC_REG_BINARY(Min, Mins, detail::smallest(a, b))
ASCENDC_REG_BINARY(And, Ands, a & b)
ASCENDC_REG_BINARY(Or, Ors, a | b)
ASCENDC_REG_BINARY(Xor, Xors, a ^ b)
ASCENDC_REG_BINARY(AbsSub, AbsSubs, a < b ? detail::compute(b, a, [](auto x, auto y) { return x - y; }) : detail::compute(a, b, [](auto x, auto y) { return x - y; }))
ASCENDC_REG_BINARY(FusedAbsSub, FusedAbsSubs, a < b ? detail::compute(b, a, [](auto x, auto y) { return x - y; }) : detail::compute(a, b, [](auto x, auto y) { return x - y; }))
ASCENDC_REG_BINARY(Prelu, LeakyRelu, a < E(0) ? detail::compute(a, b, [](auto x, auto y) { return x * y; }) : a)
ASCENDC_REG_BINARY(Pow, Pows, ::powf(static_cast<float>(a), static_cast<float>(b)))
ASCENDC_REG_BINARY(ExpSub, ExpSubs, ::expf(static_cast<float>(a) - static_cast<float>(b)))
#undef ASCENDC_REG_BINARY

/* Shifts: the distance has a type of its own */
#define ASCENDC_REG_SHIFT(name, scalar_name, left) \
	template <class T = void, class U = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class B, \
		  class = detail::if_reg<R>, class = detail::if_reg<B>> \
	ASCENDC_FN void name(R &dst, const A &src, const B &by, const MaskReg &mask) \
	{ \
		for (uint32_t i = 0; i < R::count; i++) \
			if (R::on(mask, i)) \
				dst.put(i, detail::shifted(src.get(i), static_cast<int64_t>(by.get(i)), left)); \
			else \
				detail::left_out<mode>(dst, i); \
	} \
	template <class T = void, class U = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class S, \
		  class = detail::if_reg<R>> \
	ASCENDC_FN void scalar_name(R &dst, const A &src, S by, const MaskReg &mask) \
	{ \
		for (uint32_t i = 0; i < R::count; i++) \
			if (R::on(mask, i)) \
				dst.put(i, detail::shifted(src.get(i), static_cast<int64_t>(by), left)); \
			else \
				detail::left_out<mode>(dst, i); \
	}
ASCENDC_REG_SHIFT(ShiftLeft, ShiftLefts, true)
ASCENDC_REG_SHIFT(ShiftRight, ShiftRights, false)
#undef ASCENDC_REG_SHIFT

/* dst = op a */
#define ASCENDC_REG_UNARY(name, expression) \
	template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const A &src, const MaskReg &mask) \
	{ \
		using E = typename R::ActualT; \
		for (uint32_t i = 0; i < R::count; i++) { \
			if (!R::on(mask, i)) { \
				detail::left_out<mode>(dst, i); \
				continue; \
			} \
			E a = src.get(i); \
			dst.put(i, static_cast<E>(expression)); \
		} \
	}
ASCENDC_REG_UNARY(Abs, detail::real<E> ? static_cast<E>(__builtin_fabsf(static_cast<float>(a))) : a < E(0) ? static_cast<E>(-a) : a)
ASCENDC_REG_UNARY(Neg, -a)
ASCENDC_REG_UNARY(Not, ~a)
ASCENDC_REG_UNARY(Relu, detail::largest(a, E(0)))
ASCENDC_REG_UNARY(Sqrt, __builtin_sqrtf(static_cast<float>(a)))
ASCENDC_REG_UNARY(Rsqrt, 1 / __builtin_sqrt(static_cast<float>(a)))
ASCENDC_REG_UNARY(Reciprocal, 1 / static_cast<float>(a))
ASCENDC_REG_UNARY(Exp, ::expf(static_cast<float>(a)))
ASCENDC_REG_UNARY(Ln, ::logf(static_cast<float>(a)))
ASCENDC_REG_UNARY(Log, ::logf(static_cast<float>(a)))
ASCENDC_REG_UNARY(Log2, ::log2f(static_cast<float>(a)))
ASCENDC_REG_UNARY(Log10, ::log10f(static_cast<float>(a)))
#undef ASCENDC_REG_UNARY

/* Three operands, one of them dst; with one rounding */
#define ASCENDC_REG_FUSED(name, expression) \
	template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class B, class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const A &src0, const B &src1, const MaskReg &mask) \
	{ \
		using E = typename R::ActualT; \
		for (uint32_t i = 0; i < R::count; i++) { \
			E a = src0.get(i), b = detail::operand<E>(src1, i), d = dst.get(i); \
			if (R::on(mask, i)) \
				dst.put(i, static_cast<E>(expression)); \
			else \
				detail::left_out<mode>(dst, i); \
		} \
	}
namespace detail {
template <class E, class B> ASCENDC_FN E operand(const B &b, uint32_t i)
{
	if constexpr (is_reg<B>)
		return static_cast<E>(b.get(i));
	else
		return static_cast<E>(b);
}
} // namespace detail
ASCENDC_REG_FUSED(MulAddDst, detail::fused(a, b, d))
ASCENDC_REG_FUSED(FusedMulDstAdd, detail::fused(d, a, b))
ASCENDC_REG_FUSED(MulDstAdd, detail::fused(d, a, b))
ASCENDC_REG_FUSED(Axpy, detail::fused(a, b, d))
#undef ASCENDC_REG_FUSED

/** FusedExpSub() - float exp(a - b); of half: of the elements at even or odd places */
template <class T = void, class U = void, RegLayout layout = RegLayout::ZERO, auto mode = MaskMergeMode::ZEROING, class R, class A,
	  class = detail::if_reg<R>>
ASCENDC_FN void FusedExpSub(R &dst, const A &src0, const A &src1, const MaskReg &mask)
{
	constexpr uint32_t each = A::count / R::count, at = layout == RegLayout::ONE ? 1 : 0;

	for (uint32_t i = 0; i < R::count; i++) {
		uint32_t from = i * each + (each > 1 ? at : 0);

		if (R::on(mask, i))
			dst.put(i, static_cast<typename R::ActualT>(::expf(float(src0.get(from)) - float(src1.get(from)))));
		else
			detail::left_out<mode>(dst, i);
	}
}

/** Mull() - the whole products of integers of 32 bits: the lower and the upper words */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void Mull(R &low, R &high, const R &src0, const R &src1, const MaskReg &mask)
{
	using E = typename R::ActualT;
	using Product = std::conditional_t<std::is_signed_v<E>, int64_t, uint64_t>;

	static_assert(sizeof(E) == 4, "AscendC::MicroAPI::Mull: integers of 32 bits");
	for (uint32_t i = 0; i < R::count; i++) {
		Product p = R::on(mask, i) ? Product(src0.get(i)) * Product(src1.get(i)) : 0;

		low.put(i, static_cast<E>(p));
		high.put(i, static_cast<E>(p >> 32));
	}
}

template <class T = void, CMPMODE mode = CMPMODE::EQ, class A, class = detail::if_reg<A>>
ASCENDC_FN void Compare(MaskReg &dst, const A &src0, const A &src1, const MaskReg &mask)
{
	MaskReg out = {};

	for (uint32_t i = 0; i < A::count; i++)
		out.put(i * A::step, A::on(mask, i) && detail::holds<mode>(src0.get(i), src1.get(i)));
	dst = out;
}

#define ASCENDC_REG_COMPARE(name) \
	template <class T = void, CMPMODE mode = CMPMODE::EQ, class A, class S, class = detail::if_reg<A>> \
	ASCENDC_FN void name(MaskReg &dst, const A &src0, S scalar, const MaskReg &mask) \
	{ \
		typename A::ActualT b = static_cast<typename A::ActualT>(scalar); \
		MaskReg out = {}; \
		for (uint32_t i = 0; i < A::count; i++) \
			out.put(i * A::step, A::on(mask, i) && detail::holds<mode>(src0.get(i), b)); \
		dst = out; \
	}
ASCENDC_REG_COMPARE(CompareScalar)
ASCENDC_REG_COMPARE(Compares)
#undef ASCENDC_REG_COMPARE

/** Select() - elements of @src0 where the mask is set, of @src1 elsewhere */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void Select(R &dst, const R &src0, const R &src1, const MaskReg &mask)
{
	for (uint32_t i = 0; i < R::count; i++)
		dst.put(i, R::on(mask, i) ? src0.get(i) : src1.get(i));
}

} // namespace MicroAPI
} // namespace AscendC

#endif
