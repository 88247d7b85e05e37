/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits with a fraction of 10 (binary16). */
#pragma once
#include <cuda_runtime.h>
#include "device/small_float.h"
#include "device/small_compare.h"

struct __half {
	_Float16 v;
	__half() = default;
	constexpr __half(float f) : v((_Float16)f) {}
	constexpr __half(double f) : v((_Float16)f) {}
	constexpr __half(int i) : v((_Float16)i) {}
	constexpr __half(unsigned int i) : v((_Float16)i) {}
	constexpr __half(long long i) : v((_Float16)i) {}
	constexpr operator float() const { return (float)v; }
};
typedef __half half;
typedef __half __half_raw;
template <class T> static inline T anpu_small_add(T *p, T v);
ANPU_SMALL_FLOAT(__half, __half2, half, half2)
ANPU_SMALL_FLOAT_MORE(__half, __half2, half, half2)
#define CUDART_INF_FP16			__ushort_as_half(0x7c00)
#define CUDART_NAN_FP16			__ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16		__ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16		__ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16		__ushort_as_half(0x8000)
#define CUDART_ZERO_FP16		__ushort_as_half(0x0000)
#define CUDART_ONE_FP16			__ushort_as_half(0x3c00)
typedef __half2 half2;
