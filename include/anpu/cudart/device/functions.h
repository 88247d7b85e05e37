/* SPDX-License-Identifier: MIT */
/*
 * Mathematical functions of kernels beyond <math.h>: fast forms, roundings, and overloads of the C++ names for float and
 * whole numbers. Of the fast forms __expf() and __logf() compute in float, without calls and branches that lanes could part at, and are
 * wrong by less than one unit in the last place; the others are the exact functions.
 */
#pragma once

#define ANPU_LN2_HIGH	0.693145752f	/* a product with an exponent is exact */
#define ANPU_LN2_LOW	1.42860677e-6f
/* A sum with it has the nearest integer in its lower bits */
#define ANPU_TO_INTEGER	12582912.0f
/* e^a as 2^n * e^r, where r is at most ln 2 / 2; 2^n in two factors, so that subnormal results are rounded once */
static inline float __expf(float a)
{
	float x = __builtin_fminf(__builtin_fmaxf(a, -104.0f), 89.0f);
	float sum = __builtin_fmaf(x, 1.44269504f, ANPU_TO_INTEGER), n = sum - ANPU_TO_INTEGER;
	float r = __builtin_fmaf(n, -ANPU_LN2_LOW, __builtin_fmaf(n, -ANPU_LN2_HIGH, x)), p = 1 / 5040.0f;
	int power = __builtin_bit_cast(int, sum) - __builtin_bit_cast(int, ANPU_TO_INTEGER), half = power >> 1;
	unsigned int nan = -(unsigned int)(a != a) & 0x7fc00000;

	p = __builtin_fmaf(p, r, 1 / 720.0f);
	p = __builtin_fmaf(p, r, 1 / 120.0f);
	p = __builtin_fmaf(p, r, 1 / 24.0f);
	p = __builtin_fmaf(p, r, 1 / 6.0f);
	p = __builtin_fmaf(p, r, 0.5f);
	p = __builtin_fmaf(p, r, 1.0f);
	p = __builtin_fmaf(p, r, 1.0f);
	p = p * __builtin_bit_cast(float, (half + 127) << 23) * __builtin_bit_cast(float, (power - half + 127) << 23);
	return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, p) | nan);
}
static inline float __exp10f(float a) { return exp10f(a); }
/* A number between the roots of 1/2 and 2 times 2^n; a subnormal one is multiplied by 2^23 before */
static inline float __logf(float a)
{
	int tiny = -(int)(a < 0x1p-126f) & 23;
	float x = a * __builtin_bit_cast(float, (127 + tiny) << 23);
	int bits = __builtin_bit_cast(int, x), n = (bits - 0x3f3504f3) >> 23;
	float f = __builtin_bit_cast(float, (int)((unsigned int)bits - ((unsigned int)n << 23))) - 1, k = (float)(n - tiny);
	float s = f / (2 + f), z = s * s, half = 0.5f * f * f, r = 2 / 9.0f;

	r = __builtin_fmaf(r, z, 2 / 7.0f);
	r = __builtin_fmaf(r, z, 2 / 5.0f);
	r = __builtin_fmaf(r, z, 2 / 3.0f) * z;
	r = k * ANPU_LN2_HIGH - ((half - (s * (half + r) + k * ANPU_LN2_LOW)) - f);
	if (!(a > 0))
		r = a == 0 ? -__builtin_inff() : __builtin_nanf("");
	if (a == __builtin_inff())
		r = a;
	return r;
}
static inline float __log2f(float a) { return log2f(a); }
static inline float __log10f(float a) { return log10f(a); }
static inline float __sinf(float a) { return sinf(a); }
static inline float __cosf(float a) { return cosf(a); }
static inline float __tanf(float a) { return tanf(a); }
static inline float __powf(float a, float b) { return powf(a, b); }
static inline void __sincosf(float a, float *s, float *c) { sincosf(a, s, c); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float rcbrtf(float a) { return 1.0f / cbrtf(a); }
static inline double rcbrt(double a) { return 1.0 / cbrt(a); }
/*
 * Half turns. What is left of @a is at most a quarter of one, where pi times it loses nothing that counts, so whole numbers and
 * halves have exact results.
 */
static inline double anpu_half_turns(double a, int from)
{
	double n = rint(2 * a), left = (a - n / 2) * M_PI, half = n / 4;
	int quarter = (int)((half - floor(half)) * 4) + from;
	double r = __builtin_isinf(a) ? NAN : quarter & 1 ? cos(left) : sin(left);

	return quarter & 2 ? -r : r;
}
static inline double sinpi(double a) { return a == rint(a) && !__builtin_isinf(a) ? copysign(0.0, a) : anpu_half_turns(a, 0); }
static inline double cospi(double a) { double r = anpu_half_turns(a, 1); return r == 0 ? 0 : r; }
static inline float sinpif(float a) { return (float)sinpi((double)a); }
static inline float cospif(float a) { return (float)cospi((double)a); }
static inline void sincospif(float a, float *s, float *c) { *s = sinpif(a); *c = cospif(a); }
static inline void sincospi(double a, double *s, double *c) { *s = sinpi(a); *c = cospi(a); }
static inline float normcdff(float a) { return (float)(erfc((double)a * -M_SQRT1_2) / 2); }
static inline double normcdf(double a) { return erfc(a * -M_SQRT1_2) / 2; }
/* exp(a * a) * erfc(a), also where the one is too large and the other too small: there by its continued fraction */
static inline double erfcx(double a)
{
	double low = __builtin_fma(a, a, -(a * a)), r = a;

	if (!(a > 8))
		return exp(a * a) * (1 + low) * erfc(a);
	for (int n = 40; n > 0; n--)
		r = a + n / 2.0 / r;
	return M_2_SQRTPI / 2 / r;
}
static inline float erfcxf(float a) { return (float)erfcx((double)a); }
/* Lengths of vectors: by the largest number of it, so that squares neither overflow nor vanish */
static inline double norm(int n, const double *v)
{
	double most = 0, sum = 0;

	for (int i = 0; i < n; i++)
		if (__builtin_isinf(v[i]))
			return INFINITY;
		else
			most = fmax(most, fabs(v[i]));
	for (int i = 0; i < n && most > 0; i++)
		sum += v[i] / most * (v[i] / most);
	for (int i = 0; i < n; i++)
		if (v[i] != v[i])
			return NAN;
	return most * sqrt(sum);
}
static inline float normf(int n, const float *v)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		if (__builtin_isinf(v[i]))
			return INFINITY;
		else
			sum += (double)v[i] * v[i];
	return (float)sqrt(sum);
}
static inline double norm3d(double a, double b, double c) { double v[] = { a, b, c }; return norm(3, v); }
static inline double norm4d(double a, double b, double c, double d) { double v[] = { a, b, c, d }; return norm(4, v); }
static inline float norm3df(float a, float b, float c) { float v[] = { a, b, c }; return normf(3, v); }
static inline float norm4df(float a, float b, float c, float d) { float v[] = { a, b, c, d }; return normf(4, v); }
static inline double rnorm(int n, const double *v) { return 1 / norm(n, v); }
static inline float rnormf(int n, const float *v) { return 1 / normf(n, v); }
static inline double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
static inline double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
static inline float rnorm4df(float a, float b, float c, float d) { return 1 / norm4df(a, b, c, d); }
static inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
static inline double scalbln(double a, long n) { return scalbn(a, n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n); }
static inline float scalblnf(float a, long n) { return scalbnf(a, n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n); }
static inline double logb(double a)
{
	int e = 0;

	return a == 0 ? -INFINITY : !__builtin_isfinite(a) ? a * a : (frexp(a, &e), (double)(e - 1));
}
static inline int ilogb(double a) { return a == 0 ? INT_MIN : !__builtin_isfinite(a) ? INT_MAX : (int)logb(a); }
/* The last three bits of the quotient that was taken to the nearest, and what is left */
static inline double remquo(double a, double b, int *quotient)
{
	double left = remainder(a, b), n = rint(fmod(fabs(a) - (a < 0 ? -left : left), 8 * fabs(b)) / fabs(b));

	*quotient = ((int)n & 7) * ((a < 0) != (b < 0) ? -1 : 1);
	return left;
}
static inline float remquof(float a, float b, int *quotient) { return (float)remquo((double)a, (double)b, quotient); }
static inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
static inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
static inline long long llroundf(float a) { return lroundf(a); }
static inline long long llround(double a) { return lround(a); }
static inline long long llrintf(float a) { return lrintf(a); }
static inline long long llrint(double a) { return lrint(a); }
static inline float nanf(const char *) { return __builtin_nanf(""); }
static inline double nan(const char *) { return __builtin_nan(""); }

/* The next number towards @b */
static inline float nextafterf(float a, float b)
{
	int bits = __float_as_int(a);

	if (a != a || b != b || a == b)
		return a == b ? b : a + b;
	if (a == 0)
		return __int_as_float(b > 0 ? 1 : (int)0x80000001u);
	return __int_as_float((a < b) == (a > 0) ? bits + 1 : bits - 1);
}
static inline double nextafter(double a, double b)
{
	long long bits = __double_as_longlong(a);

	if (a != a || b != b || a == b)
		return a == b ? b : a + b;
	if (a == 0)
		return __longlong_as_double(b > 0 ? 1 : 1 | 1LL << 63);
	return __longlong_as_double((a < b) == (a > 0) ? bits + 1 : bits - 1);
}

/*
 * Inverses of the error function by Halley's steps, from Winitzki's approximation, which has two digits. In the tails, where 1 - a
 * would lose digits, by erfc() of what is left.
 */
static inline double anpu_inverse_error(double a, double left)
{
	double l = log(left * (2 - left)), b = 2 / (M_PI * 0.147) + l / 2, x = copysign(sqrt(sqrt(b * b - l / 0.147) - b), a);

	if (!(left > 0) || left > 2)
		return left == 0 || left == 2 ? copysign(INFINITY, a) : NAN;
	for (int i = 0; i < 3 && a != 0; i++) {
		double y = fabs(x), off = fabs(a) < 0.5 ? erf(y) - fabs(a) : (left < 1 ? left : 2 - left) - erfc(y);
		double step = off / (M_2_SQRTPI * exp(-y * y));

		x = copysign(y - step / (1 + y * step), a);
	}
	return a != 0 ? x : a;
}
static inline double erfinv(double a) { return anpu_inverse_error(a, a < 0 ? 1 + a : 1 - a); }
static inline float erfinvf(float a) { return (float)erfinv((double)a); }
static inline double erfcinv(double a) { return anpu_inverse_error(1 - a, a < 1 ? a : 2 - a); }
static inline float erfcinvf(float a) { return (float)erfcinv((double)a); }
static inline double normcdfinv(double a) { return -M_SQRT2 * erfcinv(2 * a); }
static inline float normcdfinvf(float a) { return (float)normcdfinv((double)a); }

/* Numbers are rounded to the nearest; rounding.h has the other directions */
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __frsqrt_rn(float a) { return (float)(1.0 / sqrt((double)a)); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

/* A conversion beyond the type's numbers gives the nearest of them, and 0 for what is no number */
template <class To, class From> static inline To anpu_to_whole(From v)
{
	constexpr bool is_unsigned = (To)-1 > 0;
	constexpr To last = is_unsigned ? (To)-1 : sizeof(To) == 1 ? (To)__SCHAR_MAX__ : sizeof(To) == 2 ? (To)__SHRT_MAX__ : sizeof(To) == 4 ? (To)__INT_MAX__ : (To)__LONG_MAX__;
	constexpr To first = is_unsigned ? (To)0 : (To)(-last - 1);

	return v != v ? 0 : v >= (From)last ? last : v <= (From)first ? first : (To)v;
}
#define ANPU_TO_WHOLE(from, name, to, result, f) \
	static inline result __##name##2##to##_rn(from v) { return anpu_to_whole<result>(f(rint, v)); } \
	static inline result __##name##2##to##_rz(from v) { return anpu_to_whole<result>(f(trunc, v)); } \
	static inline result __##name##2##to##_rd(from v) { return anpu_to_whole<result>(f(floor, v)); } \
	static inline result __##name##2##to##_ru(from v) { return anpu_to_whole<result>(f(ceil, v)); }
#define ANPU_FLOAT_OF(name, v) name##f(v)
#define ANPU_DOUBLE_OF(name, v) name(v)
ANPU_TO_WHOLE(float, float, int, int, ANPU_FLOAT_OF)
ANPU_TO_WHOLE(float, float, uint, unsigned int, ANPU_FLOAT_OF)
ANPU_TO_WHOLE(float, float, ll, long long, ANPU_FLOAT_OF)
ANPU_TO_WHOLE(float, float, ull, unsigned long long, ANPU_FLOAT_OF)
ANPU_TO_WHOLE(double, double, int, int, ANPU_DOUBLE_OF)
ANPU_TO_WHOLE(double, double, uint, unsigned int, ANPU_DOUBLE_OF)
ANPU_TO_WHOLE(double, double, ll, long long, ANPU_DOUBLE_OF)
ANPU_TO_WHOLE(double, double, ull, unsigned long long, ANPU_DOUBLE_OF)
#undef ANPU_TO_WHOLE
#undef ANPU_FLOAT_OF
#undef ANPU_DOUBLE_OF
static inline float __int2float_rn(int v) { return (float)v; }
static inline float __uint2float_rn(unsigned int v) { return (float)v; }
static inline float __ll2float_rn(long long v) { return (float)v; }
static inline float __ull2float_rn(unsigned long long v) { return (float)v; }
static inline double __int2double_rn(int v) { return (double)v; }
static inline double __uint2double_rn(unsigned int v) { return (double)v; }
static inline double __ll2double_rn(long long v) { return (double)v; }
static inline double __ull2double_rn(unsigned long long v) { return (double)v; }
static inline float __double2float_rn(double v) { return (float)v; }
static inline int __double2hiint(double v) { return (int)(__builtin_bit_cast(unsigned long long, v) >> 32); }
static inline int __double2loint(double v) { return (int)__builtin_bit_cast(unsigned long long, v); }
static inline double __hiloint2double(int hi, int lo)
{
	return __builtin_bit_cast(double, (unsigned long long)(unsigned int)hi << 32 | (unsigned int)lo);
}

/* Overloads that <cmath> has, too: float gives float, whole numbers give double */
template <class T> struct anpu_whole {};
#define ANPU_X_(T) template <> struct anpu_whole<T> { typedef double type; };
ANPU_X_(bool) ANPU_X_(char) ANPU_X_(signed char) ANPU_X_(unsigned char) ANPU_X_(short) ANPU_X_(unsigned short) ANPU_X_(int)
ANPU_X_(unsigned int) ANPU_X_(long) ANPU_X_(unsigned long) ANPU_X_(long long) ANPU_X_(unsigned long long)
#undef ANPU_X_
#define ANPU_WHOLE(T) typename anpu_whole<T>::type
#define ANPU_OVERLOAD(name) \
	static inline float name(float a) { return name##f(a); } \
	template <class T> static inline ANPU_WHOLE(T) name(T a) { return name((double)a); }
#define ANPU_OVERLOAD2(name) \
	static inline float name(float a, float b) { return name##f(a, b); } \
	template <class T> static inline ANPU_WHOLE(T) name(T a, T b) { return name((double)a, (double)b); } \
	static inline double name(double a, float b) { return name(a, (double)b); } \
	static inline double name(float a, double b) { return name((double)a, b); } \
	template <class T> static inline ANPU_WHOLE(T) name(double a, T b) { return name(a, (double)b); } \
	template <class T> static inline ANPU_WHOLE(T) name(T a, double b) { return name((double)a, b); }
ANPU_OVERLOAD(sqrt)
ANPU_OVERLOAD(fabs)
ANPU_OVERLOAD(floor)
ANPU_OVERLOAD(ceil)
ANPU_OVERLOAD(trunc)
ANPU_OVERLOAD(round)
ANPU_OVERLOAD(rint)
ANPU_OVERLOAD(nearbyint)
ANPU_OVERLOAD(exp)
ANPU_OVERLOAD(exp2)
ANPU_OVERLOAD(exp10)
ANPU_OVERLOAD(expm1)
ANPU_OVERLOAD(log)
ANPU_OVERLOAD(log2)
ANPU_OVERLOAD(log10)
ANPU_OVERLOAD(log1p)
ANPU_OVERLOAD(sin)
ANPU_OVERLOAD(cos)
ANPU_OVERLOAD(tan)
ANPU_OVERLOAD(asin)
ANPU_OVERLOAD(acos)
ANPU_OVERLOAD(atan)
ANPU_OVERLOAD(sinh)
ANPU_OVERLOAD(cosh)
ANPU_OVERLOAD(tanh)
ANPU_OVERLOAD(asinh)
ANPU_OVERLOAD(acosh)
ANPU_OVERLOAD(atanh)
ANPU_OVERLOAD(cbrt)
ANPU_OVERLOAD(erf)
ANPU_OVERLOAD(erfc)
ANPU_OVERLOAD(rsqrt)
ANPU_OVERLOAD2(pow)
ANPU_OVERLOAD2(atan2)
ANPU_OVERLOAD2(hypot)
ANPU_OVERLOAD2(fmod)
ANPU_OVERLOAD2(fmin)
ANPU_OVERLOAD2(fmax)
ANPU_OVERLOAD2(fdim)
ANPU_OVERLOAD2(copysign)
ANPU_OVERLOAD2(remainder)
#undef ANPU_OVERLOAD
#undef ANPU_OVERLOAD2
static inline float pow(float a, int b) { return powf(a, (float)b); }
static inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
static inline float ldexp(float a, int n) { return ldexpf(a, n); }
static inline float frexp(float a, int *n) { return frexpf(a, n); }
static inline float modf(float a, float *whole) { return modff(a, whole); }
static inline float abs(float a) { return __builtin_fabsf(a); }
static inline double abs(double a) { return __builtin_fabs(a); }
static inline long abs(long a) { return a < 0 ? -a : a; }
static inline long long abs(long long a) { return a < 0 ? -a : a; }
static inline long long llabs(long long a) { return a < 0 ? -a : a; }
static inline bool isnan(float a) { return __builtin_isnan(a); }
static inline bool isnan(double a) { return __builtin_isnan(a); }
static inline bool isinf(float a) { return __builtin_isinf(a); }
static inline bool isinf(double a) { return __builtin_isinf(a); }
static inline bool isfinite(float a) { return __builtin_isfinite(a); }
static inline bool isfinite(double a) { return __builtin_isfinite(a); }
static inline bool signbit(float a) { return __builtin_signbit(a); }
static inline bool signbit(double a) { return __builtin_signbit(a); }
