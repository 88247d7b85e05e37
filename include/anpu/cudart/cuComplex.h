/* SPDX-License-Identifier: MIT */
/* Complex numbers: x is the real part of a float2 or double2, y the imaginary one. */
#pragma once
#include <cuda_runtime.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* @s: what is behind the names for float, @C: such a number, @R: a part of it */
#define ANPU_COMPLEX(s, C, R, T, fma_, hypot_, fabs_) \
	static inline C make_cu##T##Complex(R x, R y) { return { x, y }; } \
	static inline R cuCreal##s(C a) { return a.x; } \
	static inline R cuCimag##s(C a) { return a.y; } \
	static inline C cuConj##s(C a) { return { a.x, -a.y }; } \
	static inline C cuCadd##s(C a, C b) { return { a.x + b.x, a.y + b.y }; } \
	static inline C cuCsub##s(C a, C b) { return { a.x - b.x, a.y - b.y }; } \
	static inline C cuCmul##s(C a, C b) { return { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; } \
	/* the divisor is made about 1 first, so that its square is in range */ \
	static inline C cuCdiv##s(C a, C b) \
	{ \
		R scale = 1 / (fabs_(b.x) + fabs_(b.y)), ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
		R inverse = 1 / (bx * bx + by * by); \
\
		return { (ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse }; \
	} \
	static inline R cuCabs##s(C a) { return hypot_(a.x, a.y); } \
	/* a * b + c */ \
	static inline C cuCfma##s(C a, C b, C c) \
	{ \
		return { fma_(-a.y, b.y, fma_(a.x, b.x, c.x)), fma_(a.y, b.x, fma_(a.x, b.y, c.y)) }; \
	}
ANPU_COMPLEX(f, cuFloatComplex, float, Float, fmaf, hypotf, fabsf)
ANPU_COMPLEX(, cuDoubleComplex, double, Double, fma, hypot, fabs)
#undef ANPU_COMPLEX

static inline cuComplex make_cuComplex(float x, float y) { return { x, y }; }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return { a.x, a.y }; }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return { (float)a.x, (float)a.y }; }
