/* SPDX-License-Identifier: MIT */
/*
 * Functions of the high-level API on each element: rounding, exponents and logarithms, activations. Those that the core has are of its
 * accuracy (Documentation/isa-tiles.md), others are composed of them in fp32 (adv/pieces.h).
 */
#ifndef ASCENDC_ADV_MATH_H
#define ASCENDC_ADV_MATH_H

#include "pieces.h"

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
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
			     const LocalTensor<uint8_t> &tmp, const uint32_t count) \
	{ \
		detail::math_##name(dst, src, tmp, count); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, \
			     const LocalTensor<uint8_t> &tmp) \
	{ \
		detail::math_##name(dst, src, tmp, src.GetSize()); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) \
	{ \
		detail::math_##name(dst, src, LocalTensor<uint8_t>(), count); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src) \
	{ \
		detail::math_##name(dst, src, LocalTensor<uint8_t>(), src.GetSize()); \
	}

/* The same of two sources */
#define ASCENDC_MATH2(name, body) \
	namespace detail { \
	template <class T> \
	ASCENDC_FN void math_##name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
				    const LocalTensor<uint8_t> &given, const uint32_t n) \
	{ \
		(void)given; \
		body \
	} \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
			     const LocalTensor<uint8_t> &tmp, const uint32_t count) \
	{ \
		detail::math_##name(dst, src0, src1, tmp, count); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
			     const LocalTensor<uint8_t> &tmp) \
	{ \
		detail::math_##name(dst, src0, src1, tmp, src0.GetSize()); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
			     const uint32_t count) \
	{ \
		detail::math_##name(dst, src0, src1, LocalTensor<uint8_t>(), count); \
	} \
	template <class T, auto... options> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1) \
	{ \
		detail::math_##name(dst, src0, src1, LocalTensor<uint8_t>(), src0.GetSize()); \
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
ASCENDC_MATH(Log2, (in_float<0>(dst, src, given, n, [](auto y, auto x, auto, uint32_t m) {
	row_un(y, x, m, ANPU_UN_LN);
	row_scalar(y, y, 1.44269504f, m, ANPU_BIN_MUL);
}));)
ASCENDC_MATH(Log10, (in_float<0>(dst, src, given, n, [](auto y, auto x, auto, uint32_t m) {
	row_un(y, x, m, ANPU_UN_LN);
	row_scalar(y, y, 0.434294482f, m, ANPU_BIN_MUL);
}));)
ASCENDC_MATH(Sigmoid, (in_float<0>(dst, src, given, n, [](auto y, auto x, auto, uint32_t m) {
	row_logistic(y, x, m, 1.0f);
}));)
ASCENDC_MATH(Silu, (in_float<1>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_logistic(work[0], x, m, 1.0f);
	row_bin(y, x, work[0], m, ANPU_BIN_MUL);
}));)
ASCENDC_MATH(FasterGelu, (in_float<1>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_logistic(work[0], x, m, 1.702f);
	row_bin(y, x, work[0], m, ANPU_BIN_MUL);
}));)
/* x * (sgn(x) * (-0.1444 * (min(|0.7071 x|, 1.769) - 1.769)^2 + 0.5) + 0.5), which is max(x, 0) + |x| * (that square) */
ASCENDC_MATH(FasterGeluV2, (in_float<2>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_un(work[0], x, m, ANPU_UN_ABS);
	row_scalar(work[1], work[0], 0.7071f, m, ANPU_BIN_MUL);
	row_scalar(work[1], work[1], 1.769f, m, ANPU_BIN_MIN);
	row_scalar(work[1], work[1], 1.769f, m, ANPU_BIN_SUB);
	row_bin(work[1], work[1], work[1], m, ANPU_BIN_MUL);
	row_scalar(work[1], work[1], -0.1444f, m, ANPU_BIN_MUL);
	row_bin(work[1], work[1], work[0], m, ANPU_BIN_MUL);
	row_un(y, x, m, ANPU_UN_RELU);
	row_bin(y, y, work[1], m, ANPU_BIN_ADD);
}));)
ASCENDC_MATH(Gelu, (in_float<1>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_gelu(work[0], x, m);
	row_scalar(y, work[0], 1.0f, m, ANPU_BIN_MUL);
}));)
ASCENDC_MATH(Tan, (in_float<1>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_un(work[0], x, m, ANPU_UN_COS);
	row_un(y, x, m, ANPU_UN_SIN);
	row_bin(y, y, work[0], m, ANPU_BIN_DIV);
}));)
ASCENDC_MATH(Frac, (in_float<1>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_round(work[0], x, m, ANPU_ROUND_TRUNC);
	row_bin(y, x, work[0], m, ANPU_BIN_SUB);
}));)
/* -1, 0 or 1; of NaN 0 */
ASCENDC_MATH(Sign, (in_float<3>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_fill(work[1], 0.0f, m);
	row_test(work.bits(0), x, 0.0f, m, ANPU_CMP_GT);
	row_put(work[1], work.bits(0), 1.0f, work[2], m);
	row_test(work.bits(0), x, 0.0f, m, ANPU_CMP_LT);
	row_fill(work[2], -1.0f, m);
	row_pick(y, work.bits(0), work[2], work[1], m);
}));)

/* Numbers, as the division that sources call by this name */
template <class A, class B, class = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
ASCENDC_FN constexpr auto Ceil(A a, B b)
{
	return (a + b - 1) / b;
}

/** Exp() - with the level of a series that the core does not need */
template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
ASCENDC_FN void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	detail::un(dst, src, count, ANPU_UN_EXP);
}

template <class T, uint8_t taylorExpandLevel, bool isReuseSource = false>
ASCENDC_FN void Exp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const uint32_t count)
{
	detail::un(dst, src, count, ANPU_UN_EXP);
}

/** Swish() - x / (1 + exp(-x * beta)) */
template <class T, bool isReuseSource = false>
ASCENDC_FN void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const T beta)
{
	float scale = float(beta);

	detail::in_float<1>(dst, src, LocalTensor<uint8_t>(), count, [scale](auto y, auto x, auto work, uint32_t m) {
		detail::row_logistic(work[0], x, m, scale);
		detail::row_bin(y, x, work[0], m, ANPU_BIN_MUL);
	});
}

/** SwiGLU() - a * swish(b) */
template <class T, bool isReuseSource = false>
ASCENDC_FN void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		       const float &beta, const LocalTensor<uint8_t> &tmp, const uint32_t count)
{
	float scale = beta;

	detail::in_float2<1>(dst, src0, src1, tmp, count, [scale](auto y, auto a, auto b, auto work, uint32_t m) {
		detail::row_logistic(work[0], b, m, scale);
		detail::row_bin(work[0], work[0], b, m, ANPU_BIN_MUL);
		detail::row_bin(y, a, work[0], m, ANPU_BIN_MUL);
	});
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		       const float &beta, const LocalTensor<uint8_t> &tmp)
{
	SwiGLU<T>(dst, src0, src1, beta, tmp, src0.GetSize());
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		       const float &beta, const uint32_t count)
{
	SwiGLU<T>(dst, src0, src1, beta, LocalTensor<uint8_t>(), count);
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const float &beta)
{
	SwiGLU<T>(dst, src0, src1, beta, LocalTensor<uint8_t>(), src0.GetSize());
}

/** GeGLU() - a * gelu(b) */
ASCENDC_MATH2(GeGLU, (in_float2<1>(dst, src0, src1, given, n, [](auto y, auto a, auto b, auto work, uint32_t m) {
	row_gelu(work[0], b, m);
	row_bin(y, a, work[0], m, ANPU_BIN_MUL);
}));)
/** ReGlu() - a * max(b, 0) */
ASCENDC_MATH2(ReGlu, (in_float2<1>(dst, src0, src1, given, n, [](auto y, auto a, auto b, auto work, uint32_t m) {
	row_un(work[0], b, m, ANPU_UN_RELU);
	row_bin(y, a, work[0], m, ANPU_BIN_MUL);
}));)
namespace detail {

/* rest = the remainders of a and b by fmod() of the scalar unit where the quotient has more than 23 bits, or overflows */
ASCENDC_FN void row_far_fmod(const Row &rest, const Row &quotient, const Row &a, const Row &b, uint32_t n)
{
	settle();
	for (uint32_t i = 0; i < n; i++)
		if (__builtin_fabsf(quotient.GetValue(i)) >= 8388608.0f)
			rest.SetValue(i, float(__builtin_fmod(double(a.GetValue(i)), double(b.GetValue(i)))));
	settle();
}

} // namespace detail

/** Fmod() - a - trunc(a / b) * b, exact: 0 has the sign of a; a where b is infinite, NaN where a is or b is 0 */
ASCENDC_MATH2(Fmod, (in_float2<5>(dst, src0, src1, given, n, [](auto y, auto a, auto b, auto work, uint32_t m) {
	Row quotient = work[0], rest = work[1], sign = work[2], more = work[3];

	row_bin(quotient, a, b, m, ANPU_BIN_DIV);
	row_round(quotient, quotient, m, ANPU_ROUND_TRUNC);
	row_un(more, quotient, m, ANPU_UN_NEG);
	row_scalar(rest, a, 1.0f, m, ANPU_BIN_MUL);
	anpu_tile_VTRI(rest.address, more.address, b.address, ANPU_CTL(m, ANPU_TYPE_F32, ANPU_TRI_MLA));
	/* a quotient that was rounded up leaves a rest of the other sign */
	anpu_tile_VBINS(sign.address, a.address, 1u << 31, ANPU_CTL(m, ANPU_TYPE_U32, ANPU_BIN_AND));
	row_un(more, b, m, ANPU_UN_ABS);
	anpu_tile_VBIN(more.address, more.address, sign.address, ANPU_CTL(m, ANPU_TYPE_U32, ANPU_BIN_OR));
	row_bin(more, more, rest, m, ANPU_BIN_ADD);
	anpu_tile_VBIN(sign.address, sign.address, rest.address, ANPU_CTL(m, ANPU_TYPE_U32, ANPU_BIN_XOR));
	anpu_tile_VCMP(work.bits(4).address, sign.address, 0, ANPU_CTL(m, ANPU_TYPE_S32, ANPU_CMP_LT) | ANPU_CTL_SCALAR);
	row_pick(more, work.bits(4), more, rest, m);
	row_test(work.bits(4), rest, 0.0f, m, ANPU_CMP_NE);
	row_pick(rest, work.bits(4), more, 0.0f, m);
	row_test(work.bits(4), quotient, 0.0f, m, ANPU_CMP_EQ);
	row_pick(rest, work.bits(4), a, rest, m);
	row_un(more, quotient, m, ANPU_UN_ABS);
	anpu_tile_VRED(more.address, more.address, 0, ANPU_CTL(m, ANPU_TYPE_F32, ANPU_RED_MAX));
	settle();
	if (!(more.GetValue(0) < 8388608.0f))
		row_far_fmod(rest, quotient, a, b, m);
	row_un(rest, rest, m, ANPU_UN_ABS);
	anpu_tile_VBINS(sign.address, a.address, 1u << 31, ANPU_CTL(m, ANPU_TYPE_U32, ANPU_BIN_AND));
	anpu_tile_VBIN(y.address, rest.address, sign.address, ANPU_CTL(m, ANPU_TYPE_U32, ANPU_BIN_OR));
}));)
/** Hypot() - the root of a^2 + b^2, by the larger one so that squares do not overflow; infinite if one is, whatever the other is */
ASCENDC_MATH2(Hypot, (in_float2<3>(dst, src0, src1, given, n, [](auto y, auto a, auto b, auto work, uint32_t m) {
	row_un(work[0], a, m, ANPU_UN_ABS);
	row_un(work[1], b, m, ANPU_UN_ABS);
	row_bin(work[2], work[0], work[1], m, ANPU_BIN_MAX);
	row_bin(work[1], work[0], work[1], m, ANPU_BIN_MIN);
	row_bin(work[1], work[1], work[2], m, ANPU_BIN_DIV);
	row_bin(work[1], work[1], work[1], m, ANPU_BIN_MUL);
	row_scalar(work[1], work[1], 1.0f, m, ANPU_BIN_ADD);
	row_un(work[1], work[1], m, ANPU_UN_SQRT);
	row_bin(work[1], work[1], work[2], m, ANPU_BIN_MUL);
	/* 0 / 0 */
	row_test(work.bits(0), work[2], 0.0f, m, ANPU_CMP_EQ);
	row_pick(work[1], work.bits(0), work[2], work[1], m);
	row_un(work[2], b, m, ANPU_UN_ABS);
	row_test(work.bits(0), work[2], __builtin_inff(), m, ANPU_CMP_EQ);
	row_pick(work[1], work.bits(0), work[2], work[1], m);
	row_un(work[2], a, m, ANPU_UN_ABS);
	row_test(work.bits(0), work[2], __builtin_inff(), m, ANPU_CMP_EQ);
	row_pick(y, work.bits(0), work[2], work[1], m);
}));)
ASCENDC_MATH2(Xor, anpu_tile_VBIN(dst.address, src0.address, src1.address, ANPU_CTL(n, bits_type<T>, ANPU_BIN_XOR));)

/* Of the high-level API: with working memory, which the core does not need */
template <class T, class U, bool isReuseSource = false>
ASCENDC_FN void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U scalar, const LocalTensor<uint8_t> &,
		     const uint32_t count)
{
	Axpy(dst, src, scalar, int32_t(count));
}

struct FmaConfig {
	bool isReuseSource;
};
inline constexpr FmaConfig DEFAULT_FMA_CONFIG = {false};

/** Fma() - src0 * src1 + src2, rounded once */
template <const FmaConfig &config = DEFAULT_FMA_CONFIG, class T>
ASCENDC_FN void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const LocalTensor<T> &src2,
		    const uint32_t count)
{
	static_assert(detail::is_float<T>, "AscendC::Fma is for floating-point numbers");
	anpu_tile_VUN(dst.address, src2.address, 0, ANPU_CTL(count, detail::bits_type<T>, ANPU_UN_COPY));
	anpu_tile_VTRI(dst.address, src0.address, src1.address, ANPU_CTL(count, detail::type_of<T>, ANPU_TRI_MLA));
}

template <const FmaConfig &config = DEFAULT_FMA_CONFIG, class T>
ASCENDC_FN void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const LocalTensor<T> &src2,
		    const LocalTensor<uint8_t> &, const uint32_t count)
{
	Fma(dst, src0, src1, src2, count);
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

struct ClampConfig {
	bool isReuseSource;
};
inline constexpr ClampConfig DEFAULT_CLAMP_CONFIG = {false};

namespace detail {

/* dst = the greater or smaller one of src and a limit, a number or one for each element; NaN of src stays */
template <class T, class L>
ASCENDC_FN void limit(const LocalTensor<T> &dst, const LocalTensor<T> &src, const L &by, uint32_t n, uint64_t op)
{
	if constexpr (std::is_convertible_v<L, T>)
		anpu_tile_VBINS(dst.address, src.address, scalar_of<T>(T(by)), ANPU_CTL(n, type_of<T>, op));
	else
		anpu_tile_VBIN(dst.address, src.address, by.address, ANPU_CTL(n, type_of<T>, op));
}

} // namespace detail

/** Clamp() - at least min, then at most max; both are numbers or tensors */
template <const ClampConfig &config = DEFAULT_CLAMP_CONFIG, class T, class U, class S>
ASCENDC_FN void Clamp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &min, const S &max, const uint32_t count)
{
	static_assert(detail::type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, "AscendC::Clamp does not exist for this type of elements");
	detail::limit(dst, src, min, count, ANPU_BIN_MAX);
	detail::limit(dst, dst, max, count, ANPU_BIN_MIN);
}

} // namespace AscendC

#include "transcendental.h"

#undef ASCENDC_MATH
#undef ASCENDC_MATH2

#endif
