/* SPDX-License-Identifier: MIT */
/*
 * Functions of the high-level API on each element. Those of the core have its accuracy
 * (Documentation/isa-tiles.md), others are composed of them in the type of the elements.
 */
#ifndef ASCENDC_ADV_MATH_H
#define ASCENDC_ADV_MATH_H

#include "../vector/compare.h"
#include "scratch.h"

namespace AscendC {

/* Each function has four forms: with working memory or without, with a number of elements or all of src. */
#define ASCENDC_MATH(name, body) \
	namespace detail { \
	template <class T> \
	ASCENDC_FN void math_##name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
				    const LocalTensor<uint8_t> &given, const uint32_t n) \
	{ \
		static_assert(is_float<T>, "AscendC::" #name " is for floating-point numbers"); \
		(void)given; \
		body \
	} \
	} \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
			     const LocalTensor<uint8_t> &tmp, const uint32_t count) \
	{ \
		detail::math_##name(dst, src, tmp, count); \
	} \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
			     const LocalTensor<uint8_t> &tmp) \
	{ \
		detail::math_##name(dst, src, tmp, src.GetSize()); \
	} \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) \
	{ \
		detail::math_##name(dst, src, LocalTensor<uint8_t>(), count); \
	} \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src) \
	{ \
		detail::math_##name(dst, src, LocalTensor<uint8_t>(), src.GetSize()); \
	}

namespace detail {

template <class T> ASCENDC_FN void un(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t n, uint64_t op)
{
	anpu_tile_VUN(dst.address, src.address, 0, ANPU_CTL(n, type_of<T>, op));
}

template <class T>
ASCENDC_FN void to_integral(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t n, uint64_t mode)
{
	anpu_tile_VUN(dst.address, src.address, 0,
		      ANPU_CTL(n, type_of<T>, ANPU_UN_ROUND) | mode << ANPU_CTL_ROUND_SHIFT);
}

/* 1 / (1 + exp(-x * scale)) */
template <class T>
ASCENDC_FN void logistic(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t n, float scale)
{
	Muls(dst, src, T(-scale), static_cast<int32_t>(n));
	un(dst, dst, n, ANPU_UN_EXP);
	Adds(dst, dst, T(1.0f), static_cast<int32_t>(n));
	un(dst, dst, n, ANPU_UN_REC);
}

} // namespace detail

ASCENDC_MATH(Sin, un(dst, src, n, ANPU_UN_SIN);)
ASCENDC_MATH(Cos, un(dst, src, n, ANPU_UN_COS);)
ASCENDC_MATH(Tanh, un(dst, src, n, ANPU_UN_TANH);)
ASCENDC_MATH(Erf, un(dst, src, n, ANPU_UN_ERF);)
ASCENDC_MATH(Log, un(dst, src, n, ANPU_UN_LN);)
ASCENDC_MATH(Floor, to_integral(dst, src, n, ANPU_ROUND_FLOOR);)
ASCENDC_MATH(Ceil, to_integral(dst, src, n, ANPU_ROUND_CEIL);)
ASCENDC_MATH(Rint, to_integral(dst, src, n, ANPU_ROUND_RINT);)
ASCENDC_MATH(Round, to_integral(dst, src, n, ANPU_ROUND_ROUND);)
ASCENDC_MATH(Trunc, to_integral(dst, src, n, ANPU_ROUND_TRUNC);)
ASCENDC_MATH(Log2, un(dst, src, n, ANPU_UN_LN); Muls(dst, dst, T(1.44269504f), int32_t(n));)
ASCENDC_MATH(Log10, un(dst, src, n, ANPU_UN_LN); Muls(dst, dst, T(0.434294482f), int32_t(n));)
ASCENDC_MATH(Sigmoid, logistic(dst, src, n, 1.0f);)
ASCENDC_MATH(Silu, {
	LocalTensor<T> part = scratch<T>(given, n);

	logistic(part, src, n, 1.0f);
	Mul(dst, src, part, int32_t(n));
})
ASCENDC_MATH(FasterGelu, {
	LocalTensor<T> part = scratch<T>(given, n);

	logistic(part, src, n, 1.702f);
	Mul(dst, src, part, int32_t(n));
})
/* x / (1 + exp(-1.59576912 * (x + 0.0447145 * x^3))) */
ASCENDC_MATH(Gelu, {
	LocalTensor<T> part = scratch<T>(given, n);

	Mul(part, src, src, int32_t(n));
	Muls(part, part, T(0.0447145f), int32_t(n));
	Adds(part, part, T(1.0f), int32_t(n));
	Mul(part, part, src, int32_t(n));
	logistic(part, part, n, 1.59576912f);
	Mul(dst, src, part, int32_t(n));
})
ASCENDC_MATH(Tan, {
	LocalTensor<T> part = scratch<T>(given, n);

	un(part, src, n, ANPU_UN_COS);
	un(dst, src, n, ANPU_UN_SIN);
	Div(dst, dst, part, int32_t(n));
})
ASCENDC_MATH(Frac, {
	LocalTensor<T> part = scratch<T>(given, n);

	to_integral(part, src, n, ANPU_ROUND_TRUNC);
	Sub(dst, src, part, int32_t(n));
})

/* Numbers, as the division that sources call by this name */
template <class A, class B, class = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
ASCENDC_FN constexpr auto Ceil(A a, B b)
{
	return (a + b - 1) / b;
}

/** Swish() - x / (1 + exp(-x * beta)) */
template <class T, bool isReuseSource = false>
ASCENDC_FN void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const T beta)
{
	LocalTensor<T> part = detail::scratch<T>(count);

	detail::logistic(part, src, count, float(beta));
	Mul(dst, src, part, int32_t(count));
}

/** SwiGLU() - a * swish(b) */
template <class T, bool isReuseSource = false>
ASCENDC_FN void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		       const float beta, const uint32_t count)
{
	LocalTensor<T> part = detail::scratch<T>(count);

	detail::logistic(part, src1, count, beta);
	Mul(part, part, src1, int32_t(count));
	Mul(dst, src0, part, int32_t(count));
}

/** GeGLU() - a * gelu(b) */
template <class T, bool isReuseSource = false>
ASCENDC_FN void GeGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		      const uint32_t count)
{
	LocalTensor<T> part = detail::scratch<T>(count);

	Mul(part, src1, src1, int32_t(count));
	Muls(part, part, T(0.0447145f), int32_t(count));
	Adds(part, part, T(1.0f), int32_t(count));
	Mul(part, part, src1, int32_t(count));
	detail::logistic(part, part, count, 1.59576912f);
	Mul(part, part, src1, int32_t(count));
	Mul(dst, src0, part, int32_t(count));
}

/** Fmod() - a - trunc(a / b) * b */
template <class T, bool isReuseSource = false>
ASCENDC_FN void Fmod(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		     const LocalTensor<uint8_t> &tmp, const uint32_t count)
{
	LocalTensor<T> part = detail::scratch<T>(tmp, count);

	Div(part, src0, src1, int32_t(count));
	detail::to_integral(part, part, count, ANPU_ROUND_TRUNC);
	Mul(part, part, src1, int32_t(count));
	Sub(dst, src0, part, int32_t(count));
}

#define ASCENDC_CLAMP(name, op) \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
			     const LocalTensor<uint8_t> &, const T scalar, const uint32_t count) \
	{ \
		op(dst, src, scalar, int32_t(count)); \
	} \
	template <class T, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T scalar, \
			     const uint32_t count) \
	{ \
		op(dst, src, scalar, int32_t(count)); \
	}
ASCENDC_CLAMP(ClampMax, Mins)
ASCENDC_CLAMP(ClampMin, Maxs)
#undef ASCENDC_CLAMP

template <class T, bool isReuseSource = false>
ASCENDC_FN void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		    const LocalTensor<uint8_t> &, const uint32_t count)
{
	anpu_tile_VBIN(dst.address, src0.address, src1.address, ANPU_CTL(count, detail::bits_type<T>, ANPU_BIN_XOR));
}

} // namespace AscendC

#endif
