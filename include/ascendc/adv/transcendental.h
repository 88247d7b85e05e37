/* SPDX-License-Identifier: MIT */
/*
 * Functions that the core does not have: arcs, hyperbolic functions, powers, the gamma function. Each is composed in fp32;
 * Documentation/ascendc.md states the largest errors. adv/math.h includes this header.
 */
#ifndef ASCENDC_ADV_TRANSCENDENTAL_H
#define ASCENDC_ADV_TRANSCENDENTAL_H

namespace AscendC {

namespace detail {

constexpr float half_pi = 1.57079632679f, quarter_pi = 0.78539816339f, ln_2 = 0.69314718056f;

/* y = arc tangent of x; rows 0 to 3 of work. y may be x. */
ASCENDC_FN void row_atan(const Row &y, const Row &x, const Work &work, uint32_t n)
{
	Row t = work[0], u = work[1], z = work[2];
	LocalTensor<uint8_t> bits = work.bits(3);

	/* t = min(|x|, 1 / |x|) is at most 1; above tan(pi / 8) it becomes (t - 1) / (t + 1) and pi / 4 */
	row_un(u, x, n, ANPU_UN_ABS);
	row_un(t, u, n, ANPU_UN_REC);
	row_bin(t, u, t, n, ANPU_BIN_MIN);
	row_scalar(u, t, 1.0f, n, ANPU_BIN_SUB);
	row_scalar(z, t, 1.0f, n, ANPU_BIN_ADD);
	row_bin(u, u, z, n, ANPU_BIN_DIV);
	row_test(bits, t, 0.41421356f, n, ANPU_CMP_GT);
	row_pick(t, bits, u, t, n);
	row_fill(u, quarter_pi, n);
	row_pick(u, bits, u, 0.0f, n);
	/* Cephes' polynomial: t + t^3 * p(t^2) */
	Row p = work[4];

	row_bin(z, t, t, n, ANPU_BIN_MUL);
	row_poly(p, z, n, {8.05374449538e-2f, -1.38776856032e-1f, 1.99777106478e-1f, -3.33329491539e-1f});
	row_bin(p, p, z, n, ANPU_BIN_MUL);
	row_bin(p, p, t, n, ANPU_BIN_MUL);
	row_bin(p, p, t, n, ANPU_BIN_ADD);
	row_bin(p, p, u, n, ANPU_BIN_ADD);
	/* arcs of |x| above 1 are pi / 2 less that of 1 / |x|; then the sign of x */
	row_un(u, x, n, ANPU_UN_ABS);
	row_test(bits, u, 1.0f, n, ANPU_CMP_GT);
	row_reverse(t, p, half_pi, n, ANPU_BIN_SUB);
	row_pick(p, bits, t, p, n);
	anpu_tile_VBINS(t.address, x.address, 1u << 31, ANPU_CTL(n, ANPU_TYPE_U32, ANPU_BIN_AND));
	anpu_tile_VBIN(y.address, p.address, t.address, ANPU_CTL(n, ANPU_TYPE_U32, ANPU_BIN_OR));
}

/* y = x + x^3 * p(x^2), the beginning of an odd function's series; y is not x. One row of work */
template <uint32_t k>
ASCENDC_FN void row_odd(const Row &y, const Row &x, const Row &square, uint32_t n, const float (&c)[k])
{
	row_bin(square, x, x, n, ANPU_BIN_MUL);
	row_poly(y, square, n, c);
	row_bin(y, y, square, n, ANPU_BIN_MUL);
	row_bin(y, y, x, n, ANPU_BIN_MUL);
	row_bin(y, y, x, n, ANPU_BIN_ADD);
}

/* y = near ? small : large, with bits = |x| < limit */
ASCENDC_FN void row_near(const Row &y, const Row &x, float limit, const Row &small, const Row &large,
			 const Row &spare, const LocalTensor<uint8_t> &bits, uint32_t n)
{
	row_un(spare, x, n, ANPU_UN_ABS);
	row_test(bits, spare, limit, n, ANPU_CMP_LT);
	row_pick(y, bits, small, large, n);
}

/* y = ln(z) where the argument of the gamma function's asymptotic series is large enough; see below */
ASCENDC_FN void row_gamma_series(const Row &y, const Row &z, const Row &a, const Row &b, uint32_t n)
{
	/* (z - 1/2) ln z - z + ln(2 pi) / 2 + 1 / 12z - 1 / 360z^3 + 1 / 1260z^5 */
	row_un(a, z, n, ANPU_UN_REC);
	row_bin(b, a, a, n, ANPU_BIN_MUL);
	row_poly(y, b, n, {7.9365079365e-4f, -2.7777777778e-3f, 8.3333333333e-2f});
	row_bin(y, y, a, n, ANPU_BIN_MUL);
	row_scalar(y, y, 0.91893853320f, n, ANPU_BIN_ADD);
	row_un(a, z, n, ANPU_UN_LN);
	row_scalar(a, a, 1.0f, n, ANPU_BIN_SUB);
	row_scalar(b, z, 0.5f, n, ANPU_BIN_SUB);
	row_bin(a, a, b, n, ANPU_BIN_MUL);
	row_bin(y, y, a, n, ANPU_BIN_ADD);
	row_scalar(y, y, 0.5f, n, ANPU_BIN_SUB);
}

} // namespace detail

ASCENDC_MATH(Atan, (in_float<5>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) { row_atan(y, x, work, m); }));)
/* 2 atan(x / (1 + sqrt((1 - x)(1 + x)))) */
ASCENDC_MATH(Asin, (in_float<6>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_reverse(work[0], x, 1.0f, m, ANPU_BIN_SUB);
	row_scalar(work[1], x, 1.0f, m, ANPU_BIN_ADD);
	row_bin(work[0], work[0], work[1], m, ANPU_BIN_MUL);
	row_un(work[0], work[0], m, ANPU_UN_SQRT);
	row_scalar(work[0], work[0], 1.0f, m, ANPU_BIN_ADD);
	row_bin(work[5], x, work[0], m, ANPU_BIN_DIV);
	row_atan(work[5], work[5], work, m);
	row_scalar(y, work[5], 2.0f, m, ANPU_BIN_MUL);
}));)
/* 2 atan(sqrt(1 - x) / sqrt(1 + x)) */
ASCENDC_MATH(Acos, (in_float<6>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_reverse(work[0], x, 1.0f, m, ANPU_BIN_SUB);
	row_scalar(work[1], x, 1.0f, m, ANPU_BIN_ADD);
	row_un(work[0], work[0], m, ANPU_UN_SQRT);
	row_un(work[1], work[1], m, ANPU_UN_SQRT);
	row_bin(work[5], work[0], work[1], m, ANPU_BIN_DIV);
	row_atan(work[5], work[5], work, m);
	row_scalar(y, work[5], 2.0f, m, ANPU_BIN_MUL);
}));)
/* exp(x - ln 2) - 1 / (4 exp(x - ln 2)); below 1 the series */
ASCENDC_MATH(Sinh, (in_float<5>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_odd(work[0], x, work[1], m, {2.7557319e-6f, 1.9841270e-4f, 8.3333333e-3f, 1.6666667e-1f});
	row_scalar(work[1], x, -ln_2, m, ANPU_BIN_ADD);
	row_un(work[1], work[1], m, ANPU_UN_EXP);
	row_un(work[2], x, m, ANPU_UN_NEG);
	row_scalar(work[2], work[2], -ln_2, m, ANPU_BIN_ADD);
	row_un(work[2], work[2], m, ANPU_UN_EXP);
	row_bin(work[1], work[1], work[2], m, ANPU_BIN_SUB);
	row_near(y, x, 1.0f, work[0], work[1], work[3], work.bits(4), m);
}));)
ASCENDC_MATH(Cosh, (in_float<2>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_un(work[1], x, m, ANPU_UN_NEG);
	row_scalar(work[0], x, -ln_2, m, ANPU_BIN_ADD);
	row_un(work[0], work[0], m, ANPU_UN_EXP);
	row_scalar(work[1], work[1], -ln_2, m, ANPU_BIN_ADD);
	row_un(work[1], work[1], m, ANPU_UN_EXP);
	row_bin(y, work[0], work[1], m, ANPU_BIN_ADD);
}));)
/*
 * sign of x * ln(|x| + sqrt(x^2 + 1)); below 0.5 twice the arc of x / (1 + sqrt(x^2 + 1)) by its series; from 1e10 on, before the square
 * overflows, ln 2|x|
 */
ASCENDC_MATH(Asinh, (in_float<6>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_bin(work[0], x, x, m, ANPU_BIN_MUL);
	row_scalar(work[0], work[0], 1.0f, m, ANPU_BIN_ADD);
	row_un(work[0], work[0], m, ANPU_UN_SQRT);
	row_scalar(work[1], work[0], 1.0f, m, ANPU_BIN_ADD);
	row_bin(work[1], x, work[1], m, ANPU_BIN_DIV);
	row_odd(work[2], work[1], work[3], m, {1.1111111e-1f, 1.4285714e-1f, 2.0e-1f, 3.3333333e-1f});
	row_scalar(work[2], work[2], 2.0f, m, ANPU_BIN_MUL);
	row_un(work[1], x, m, ANPU_UN_ABS);
	row_bin(work[1], work[1], work[0], m, ANPU_BIN_ADD);
	row_un(work[1], work[1], m, ANPU_UN_LN);
	row_un(work[5], x, m, ANPU_UN_ABS);
	row_test(work.bits(4), work[5], 1e10f, m, ANPU_CMP_GT);
	row_un(work[5], work[5], m, ANPU_UN_LN);
	row_scalar(work[5], work[5], ln_2, m, ANPU_BIN_ADD);
	row_pick(work[1], work.bits(4), work[5], work[1], m);
	row_un(work[3], work[1], m, ANPU_UN_NEG);
	row_test(work.bits(4), x, 0.0f, m, ANPU_CMP_LT);
	row_pick(work[1], work.bits(4), work[3], work[1], m);
	row_near(y, x, 0.5f, work[2], work[1], work[3], work.bits(4), m);
}));)
/* ln(x + sqrt(x - 1) * sqrt(x + 1)): NaN below 1, and no square that overflows */
ASCENDC_MATH(Acosh, (in_float<2>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_scalar(work[0], x, 1.0f, m, ANPU_BIN_SUB);
	row_scalar(work[1], x, 1.0f, m, ANPU_BIN_ADD);
	row_un(work[0], work[0], m, ANPU_UN_SQRT);
	row_un(work[1], work[1], m, ANPU_UN_SQRT);
	row_bin(work[0], work[0], work[1], m, ANPU_BIN_MUL);
	row_bin(work[0], work[0], x, m, ANPU_BIN_ADD);
	row_un(y, work[0], m, ANPU_UN_LN);
}));)
/* ln((1 + x) / (1 - x)) / 2; below 0.25 the series */
ASCENDC_MATH(Atanh, (in_float<5>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_odd(work[0], x, work[1], m, {9.0909091e-2f, 1.1111111e-1f, 1.4285714e-1f, 2.0e-1f, 3.3333333e-1f});
	row_reverse(work[1], x, 1.0f, m, ANPU_BIN_SUB);
	row_scalar(work[2], x, 1.0f, m, ANPU_BIN_ADD);
	row_bin(work[1], work[2], work[1], m, ANPU_BIN_DIV);
	row_un(work[1], work[1], m, ANPU_UN_LN);
	row_scalar(work[1], work[1], 0.5f, m, ANPU_BIN_MUL);
	row_near(y, x, 0.25f, work[0], work[1], work[3], work.bits(4), m);
}));)
/* 1 - erf(x), by a fraction of its own, since little is left of the difference for large x */
ASCENDC_MATH(Erfc, (in_float<4>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	row_un(work[0], x, m, ANPU_UN_ABS);
	row_scalar(work[1], work[0], 0.5f, m, ANPU_BIN_MUL);
	row_scalar(work[1], work[1], 1.0f, m, ANPU_BIN_ADD);
	row_un(work[1], work[1], m, ANPU_UN_REC);
	row_poly(work[2], work[1], m, {0.17087277f, -0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f, -0.18628806f,
				       0.09678418f, 0.37409196f, 1.00002368f, -1.26551223f});
	row_bin(work[0], work[0], work[0], m, ANPU_BIN_MUL);
	row_bin(work[2], work[2], work[0], m, ANPU_BIN_SUB);
	row_un(work[2], work[2], m, ANPU_UN_EXP);
	row_bin(work[2], work[2], work[1], m, ANPU_BIN_MUL);
	row_reverse(work[1], work[2], 2.0f, m, ANPU_BIN_SUB);
	row_test(work.bits(3), x, 0.0f, m, ANPU_CMP_LT);
	row_pick(y, work.bits(3), work[1], work[2], m);
}));)

namespace detail {

/*
 * The gamma function's logarithm and its derivative work on z = x, or 1 - x below 1/2 (@z), and from there on z + 8 (@large) unless
 * z is 8 or more; the bits say which z are less.
 */
ASCENDC_FN void gamma_arguments(const Row &z, const Row &large, const LocalTensor<uint8_t> &bits, const Row &x, uint32_t n)
{
	row_reverse(large, x, 1.0f, n, ANPU_BIN_SUB);
	row_test(bits, x, 0.5f, n, ANPU_CMP_LT);
	row_pick(z, bits, large, x, n);
	row_scalar(large, z, 8.0f, n, ANPU_BIN_ADD);
	row_test(bits, z, 8.0f, n, ANPU_CMP_LT);
	row_pick(large, bits, large, z, n);
}

} // namespace detail

ASCENDC_MATH(Lgamma, (in_float<7>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	Row z = work[0], large = work[1], sum = work[3], a = work[4], b = work[5];
	LocalTensor<uint8_t> bits = work.bits(2);

	gamma_arguments(z, large, bits, x, m);
	row_gamma_series(sum, large, a, b, m);
	/* less ln(z (z + 1) ... (z + 7)) */
	row_scalar(a, z, 1.0f, m, ANPU_BIN_MUL);
	for (int i = 1; i < 8; i++) {
		row_scalar(b, z, float(i), m, ANPU_BIN_ADD);
		row_bin(a, a, b, m, ANPU_BIN_MUL);
	}
	row_un(a, a, m, ANPU_UN_LN);
	row_bin(a, sum, a, m, ANPU_BIN_SUB);
	row_pick(sum, bits, a, sum, m);
	/* below 1/2: ln(pi / |sin(pi x)|) - that; the sine of what is left of x behind the point */
	row_round(a, x, m, ANPU_ROUND_RINT);
	row_bin(a, x, a, m, ANPU_BIN_SUB);
	row_scalar(a, a, 3.14159265359f, m, ANPU_BIN_MUL);
	row_un(a, a, m, ANPU_UN_SIN);
	row_un(a, a, m, ANPU_UN_ABS);
	row_reverse(a, a, 3.14159265359f, m, ANPU_BIN_DIV);
	row_un(a, a, m, ANPU_UN_LN);
	row_bin(a, a, sum, m, ANPU_BIN_SUB);
	row_test(bits, x, 0.5f, m, ANPU_CMP_LT);
	row_pick(a, bits, a, sum, m);
	/* all of these are whole, and what is above is a difference of infinities for the largest */
	row_fill(sum, __builtin_inff(), m);
	row_test(bits, x, -8388608.0f, m, ANPU_CMP_LT);
	row_pick(y, bits, sum, a, m);
}));)
ASCENDC_MATH(Digamma, (in_float<7>(dst, src, given, n, [](auto y, auto x, auto work, uint32_t m) {
	Row z = work[0], large = work[1], sum = work[3], a = work[4], b = work[5], c = work[6];
	LocalTensor<uint8_t> bits = work.bits(2);

	gamma_arguments(z, large, bits, x, m);
	/* ln z - 1 / 2z - 1 / 12z^2 + 1 / 120z^4 - 1 / 252z^6 */
	row_un(a, large, m, ANPU_UN_REC);
	row_bin(b, a, a, m, ANPU_BIN_MUL);
	row_poly(sum, b, m, {-3.9682540e-3f, 8.3333333e-3f, -8.3333333e-2f});
	row_bin(sum, sum, b, m, ANPU_BIN_MUL);
	row_scalar(a, a, -0.5f, m, ANPU_BIN_MUL);
	row_bin(sum, sum, a, m, ANPU_BIN_ADD);
	row_un(a, large, m, ANPU_UN_LN);
	row_bin(sum, sum, a, m, ANPU_BIN_ADD);
	row_scalar(c, sum, 1.0f, m, ANPU_BIN_MUL);
	for (int i = 7; i >= 0; i--) {
		row_scalar(a, z, float(i), m, ANPU_BIN_ADD);
		row_un(a, a, m, ANPU_UN_REC);
		row_bin(c, c, a, m, ANPU_BIN_SUB);
	}
	row_pick(sum, bits, c, sum, m);
	/* below 1/2: that - pi / tan(pi x) */
	row_round(a, x, m, ANPU_ROUND_RINT);
	row_bin(a, x, a, m, ANPU_BIN_SUB);
	row_scalar(a, a, 3.14159265359f, m, ANPU_BIN_MUL);
	row_un(b, a, m, ANPU_UN_COS);
	row_un(a, a, m, ANPU_UN_SIN);
	row_bin(a, b, a, m, ANPU_BIN_DIV);
	row_scalar(a, a, -3.14159265359f, m, ANPU_BIN_MUL);
	row_bin(a, a, sum, m, ANPU_BIN_ADD);
	row_test(bits, x, 0.5f, m, ANPU_CMP_LT);
	row_pick(y, bits, a, sum, m);
}));)

namespace detail {

/*
 * y = a to the power of b: exp(b ln |a|), negative if a is and b is odd; NaN if a is negative, neither -0 nor infinite, and b no integer; 1 if
 * b is 0, or if a is 1 or -1 and b infinite. Five rows of work
 */
ASCENDC_FN void row_power(const Row &y, const Row &a, const Row &b, const Work &work, uint32_t n)
{
	Row p = work[0], whole = work[1], t = work[2], other = work[4];
	LocalTensor<uint8_t> bits = work.bits(3);

	row_un(t, a, n, ANPU_UN_ABS);
	row_un(p, t, n, ANPU_UN_LN);
	row_bin(p, p, b, n, ANPU_BIN_MUL);
	row_un(p, p, n, ANPU_UN_EXP);
	row_test(bits, t, 1.0f, n, ANPU_CMP_NE);
	row_pick(p, bits, p, 1.0f, n);
	/* the sign where b is no integer: + of 0 and infinity, of others NaN */
	row_fill(other, 1.0f, n);
	row_test(bits, t, __builtin_inff(), n, ANPU_CMP_EQ);
	row_pick(other, bits, other, __builtin_nanf(""), n);
	row_test(bits, t, 0.0f, n, ANPU_CMP_NE);
	row_pick(other, bits, other, 1.0f, n);
	/* 1 - 2 * (b mod 2) is -1 for odd b; infinite b are even */
	row_scalar(whole, b, 0.5f, n, ANPU_BIN_MUL);
	row_round(t, whole, n, ANPU_ROUND_FLOOR);
	row_bin(whole, whole, t, n, ANPU_BIN_SUB);
	row_scalar(whole, whole, -4.0f, n, ANPU_BIN_MUL);
	row_scalar(whole, whole, 1.0f, n, ANPU_BIN_ADD);
	row_un(t, b, n, ANPU_UN_ABS);
	row_test(bits, t, __builtin_inff(), n, ANPU_CMP_NE);
	row_pick(whole, bits, whole, 1.0f, n);
	row_round(t, b, n, ANPU_ROUND_FLOOR);
	anpu_tile_VCMP(bits.address, t.address, b.address, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_CMP_EQ));
	row_pick(whole, bits, whole, other, n);
	row_bin(whole, whole, p, n, ANPU_BIN_MUL);
	/* by the sign bit, which -0 has, too */
	anpu_tile_VCMP(bits.address, a.address, 0, ANPU_CTL(n, ANPU_TYPE_S32, ANPU_CMP_LT) | ANPU_CTL_SCALAR);
	row_pick(p, bits, whole, p, n);
	row_test(bits, b, 0.0f, n, ANPU_CMP_NE);
	row_pick(y, bits, p, 1.0f, n);
}

/* Powers of integers, on the scalar unit: wrapping products; a negative exponent gives 0 but of 1 and -1 */
ASCENDC_FN int32_t integer_power(int32_t a, int32_t b)
{
	uint32_t result = 1, base = uint32_t(a);

	if (b < 0)
		return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
	for (uint32_t e = uint32_t(b); e; e >>= 1, base *= base)
		if (e & 1)
			result *= base;
	return int32_t(result);
}

template <class T, class A, class B>
ASCENDC_FN void power(const LocalTensor<T> &dst, const A &a, const B &b, const LocalTensor<uint8_t> &given, uint32_t n)
{
	constexpr bool scalar_a = std::is_convertible_v<A, T>, scalar_b = std::is_convertible_v<B, T>;

	if constexpr (std::is_same_v<T, int32_t>) {
		settle();
		for (uint32_t i = 0; i < n; i++) {
			int32_t base, exponent;

			if constexpr (scalar_a)
				base = a;
			else
				base = a.GetValue(i);
			if constexpr (scalar_b)
				exponent = b;
			else
				exponent = b.GetValue(i);
			dst.SetValue(i, integer_power(base, exponent));
		}
		settle();
	} else if constexpr (scalar_b) {
		float value = float(T(b));

		in_float<6>(dst, a, given, n, [value](auto y, auto x, auto work, uint32_t m) {
			row_fill(work[5], value, m);
			row_power(y, x, work[5], work, m);
		});
	} else if constexpr (scalar_a) {
		float value = float(T(a));

		in_float<6>(dst, b, given, n, [value](auto y, auto x, auto work, uint32_t m) {
			row_fill(work[5], value, m);
			row_power(y, work[5], x, work, m);
		});
	} else {
		in_float2<5>(dst, a, b, given, n, [](auto y, auto x, auto e, auto work, uint32_t m) { row_power(y, x, e, work, m); });
	}
}

template <class T, class A, class B> ASCENDC_FN uint32_t power_count(const A &a, const B &b)
{
	if constexpr (std::is_convertible_v<A, T>)
		return b.GetSize();
	else
		return a.GetSize();
}

} // namespace detail

/** Power() - of elements by elements, by a number, or of a number by elements */
template <class T, bool isReuseSource = false, class A, class B>
ASCENDC_FN void Power(const LocalTensor<T> &dst, const A &a, const B &b, const LocalTensor<uint8_t> &tmp, uint32_t count)
{
	detail::power(dst, a, b, tmp, count);
}

template <class T, bool isReuseSource = false, class A, class B>
ASCENDC_FN void Power(const LocalTensor<T> &dst, const A &a, const B &b, const LocalTensor<uint8_t> &tmp)
{
	detail::power(dst, a, b, tmp, detail::power_count<T>(a, b));
}

template <class T, bool isReuseSource = false, class A, class B>
ASCENDC_FN void Power(const LocalTensor<T> &dst, const A &a, const B &b, uint32_t count)
{
	detail::power(dst, a, b, LocalTensor<uint8_t>(), count);
}

template <class T, bool isReuseSource = false, class A, class B>
ASCENDC_FN void Power(const LocalTensor<T> &dst, const A &a, const B &b)
{
	detail::power(dst, a, b, LocalTensor<uint8_t>(), detail::power_count<T>(a, b));
}

} // namespace AscendC

#endif
