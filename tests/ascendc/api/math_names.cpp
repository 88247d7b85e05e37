// SPDX-License-Identifier: MIT
/* Kernels that are called like functions of <math.h>, beside calls of these functions and of others of the run-time library. */
#include "unit.h"
#include <cmath>

static inline float volatile_float(float value)
{
	volatile float kept = value;

	return kept;
}

extern "C" __global__ __aicore__ void exp()
{
	double one = volatile_float(1.0f);
	LocalTensor<float> a = at<float>(0);

	assert(exp(one) > 2.718281828 && exp(one) < 2.718281829);
	assert(std::exp(one) == exp(one) && expf(volatile_float(0)) == 1 && log(one) == 0);
	Duplicate(a, 0.0f, 64);
	Exp(a, a, 64);
	assert(a(63) == 1);
}

extern "C" __global__ __aicore__ void round()
{
	double half = volatile_float(2.5f);

	assert(round(half) == 3 && std::round(half) == 3 && roundf(volatile_float(-2.5f)) == -3);
	assert(floor(half) == 2 && trunc(-half) == -2 && exp(half - half) == 1);
}

extern "C" __global__ __aicore__ void asinh()
{
	double one = volatile_float(1.0f);

	assert(asinh(one) > 0.88137358 && asinh(one) < 0.88137359 && asinhf(volatile_float(0)) == 0 && acosh(one) == 0);
}
