/* SPDX-License-Identifier: MIT */
/* Complex numbers: x is the real part of a float2 or double2, y the imaginary one. Programs of the host, in C too, have the same header. */
#pragma once
#include <math.h>
#include <vector_types.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* @s: what is behind the names for float, @C: such a number, @R: a part of it */
#define ANPU_COMPLEX(s, C, R, T, fma_, hypot_, fabs_) \
	static inline C make_cu##T##Complex(R x, R y) { C r_ = { x, y }; return r_; } \
	static inline R cuCreal##s(C a) { return a.x; } \
	static inline R cuCimag##s(C a) { return a.y; } \
	static inline C cuConj##s(C a) { C r_ = { a.x, -a.y }; return r_; } \
	static inline C cuCadd##s(C a, C b) { C r_ = { a.x + b.x, a.y + b.y }; return r_; } \
	static inline C cuCsub##s(C a, C b) { C r_ = { a.x - b.x, a.y - b.y }; return r_; } \
	static inline C cuCmul##s(C a, C b) { C r_ = { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; return r_; } \
	/* the divisor is made about 1 first, so that its square is in range */ \
	static inline C cuCdiv##s(C a, C b) \
	{ \
		R scale = 1 / (fabs_(b.x) + fabs_(b.y)), ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
		R inverse = 1 / (bx * bx + by * by); \
		C r_ = { (ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse }; \
\
		return r_; \
	} \
	static inline R cuCabs##s(C a) { return hypot_(a.x, a.y); } \
	/* a * b + c */ \
	static inline C cuCfma##s(C a, C b, C c) \
	{ \
		C r_ = { fma_(-a.y, b.y, fma_(a.x, b.x, c.x)), fma_(a.y, b.x, fma_(a.x, b.y, c.y)) }; \
\
		return r_; \
	}
ANPU_COMPLEX(f, cuFloatComplex, float, Float, fmaf, hypotf, fabsf)
ANPU_COMPLEX(, cuDoubleComplex, double, Double, fma, hypot, fabs)
#undef ANPU_COMPLEX

static inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_cuFloatComplex((float)a.x, (float)a.y); }
