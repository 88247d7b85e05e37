/* SPDX-License-Identifier: MIT */
/*
 * <math.h> for operator code: what the scalar unit has instructions for, roundings, and functions of the
 * run-time library. Arrays are the vector unit's: anpu_vun().
 */
#ifndef ANPU_LIBC_MATH_H
#define ANPU_LIBC_MATH_H

#define INFINITY	(__builtin_inff())
#define NAN		(__builtin_nanf(""))
#define HUGE_VAL	(__builtin_inf())
#define HUGE_VALF	(__builtin_inff())
#define M_PI		3.14159265358979323846
#define M_E		2.71828182845904523536
#define M_LOG2E		1.44269504088896340736
#define M_LOG10E	0.43429448190325182765
#define M_LN2		0.69314718055994530942
#define M_LN10		2.30258509299404568402
#define M_PI_2		1.57079632679489661923
#define M_PI_4		0.78539816339744830962
#define M_1_PI		0.31830988618379067154
#define M_2_PI		0.63661977236758134308
#define M_2_SQRTPI	1.12837916709551257390
#define M_SQRT2		1.41421356237309504880
#define M_SQRT1_2	0.70710678118654752440

typedef float float_t;
typedef double double_t;

#ifdef __cplusplus
extern "C" {
#else
#define isnan(x)	__builtin_isnan(x)
#define isinf(x)	__builtin_isinf(x)
#define isfinite(x)	__builtin_isfinite(x)
#define signbit(x)	__builtin_signbit(x)
#endif

#define ANPU_MATH1(name) \
	static inline __attribute__((always_inline, unused)) float name##f(float a) \
	{ return __builtin_##name##f(a); } \
	static inline __attribute__((always_inline, unused)) double name(double a) \
	{ return __builtin_##name(a); }
#define ANPU_MATH2(name) \
	static inline __attribute__((always_inline, unused)) float name##f(float a, float b) \
	{ return __builtin_##name##f(a, b); } \
	static inline __attribute__((always_inline, unused)) double name(double a, double b) \
	{ return __builtin_##name(a, b); }

ANPU_MATH1(sqrt)
ANPU_MATH1(fabs)
ANPU_MATH2(fmin)
ANPU_MATH2(fmax)
ANPU_MATH2(copysign)

static inline __attribute__((always_inline, unused)) float fmaf(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

static inline __attribute__((always_inline, unused)) double fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

#undef ANPU_MATH1
#undef ANPU_MATH2

float floorf(float a);
float ceilf(float a);
float truncf(float a);
float roundf(float a);
float roundevenf(float a);
float rintf(float a);
float nearbyintf(float a);
double floor(double a);
double ceil(double a);
double trunc(double a);
double round(double a);
double roundeven(double a);
double rint(double a);
double nearbyint(double a);
/* the run-time library's, on the scalar unit; the vector unit's anpu_vun() is faster for arrays */
double exp(double a);
double exp2(double a);
double log(double a);
double log2(double a);
double log10(double a);
double sin(double a);
double cos(double a);
double tan(double a);
double sinh(double a);
double cosh(double a);
double tanh(double a);
float expf(float a);
float exp2f(float a);
float expm1f(float a);
float logf(float a);
float log2f(float a);
float log10f(float a);
float log1pf(float a);
float sinf(float a);
float cosf(float a);
float tanf(float a);
void sincosf(float a, float *sine, float *cosine);
float sinhf(float a);
float coshf(float a);
float tanhf(float a);
float atanf(float a);
float atan2f(float a, float b);
float asinf(float a);
float acosf(float a);
float powf(float a, float b);
float hypotf(float a, float b);
float cbrtf(float a);
float fmodf(float a, float b);
float erff(float a);
float erfcf(float a);
float exp10f(float a);
float asinhf(float a);
float acoshf(float a);
float atanhf(float a);
float tgammaf(float a);
float lgammaf(float a);
float fdimf(float a, float b);
float remainderf(float a, float b);
float ldexpf(float a, int n);
float scalbnf(float a, int n);
float frexpf(float a, int *n);
float modff(float a, float *whole);
float logbf(float a);
int ilogbf(float a);
double pow(double a, double b);
double exp10(double a);
double expm1(double a);
double log1p(double a);
double cbrt(double a);
double hypot(double a, double b);
double fmod(double a, double b);
double remainder(double a, double b);
double fdim(double a, double b);
double erf(double a);
double erfc(double a);
double atan(double a);
double atan2(double a, double b);
double asin(double a);
double acos(double a);
double asinh(double a);
double acosh(double a);
double atanh(double a);
double ldexp(double a, int n);
double scalbn(double a, int n);
double frexp(double a, int *n);
double modf(double a, double *whole);
void sincos(double a, double *sine, double *cosine);
long lroundf(float a);
long lround(double a);
long lrintf(float a);
long lrint(double a);

#ifdef __cplusplus
}
#endif

#endif /* ANPU_LIBC_MATH_H */
