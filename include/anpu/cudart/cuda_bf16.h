/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits that are the upper half of a float (bfloat16). */
#pragma once
#include <cuda_runtime.h>
#include "device/small_float.h"
#include "device/small_compare.h"

struct __nv_bfloat16 {
	unsigned short bits;
	__nv_bfloat16() = default;
	__nv_bfloat16(float f) : bits(of(f)) {}
	__nv_bfloat16(double f) : bits(of(anpu_odd_float(f))) {}
	__nv_bfloat16(int i) : bits(of((float)i)) {}
	__nv_bfloat16(unsigned int i) : bits(of((float)i)) {}
	operator float() const { return __builtin_bit_cast(float, (unsigned int)bits << 16); }
private:
	/* to the nearest, of two as near ones to the even one */
	static unsigned short of(float f)
	{
		unsigned int u = __builtin_bit_cast(unsigned int, f);

		return f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
	}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat16 __nv_bfloat16_raw;
template <class T> static inline T anpu_small_add(T *p, T v);
ANPU_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
ANPU_SMALL_FLOAT_MORE(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
#define CUDART_INF_BF16			__ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16			__ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16		__ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16		__ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16		__ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16		__ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16			__ushort_as_bfloat16(0x3f80)
typedef __nv_bfloat162 nv_bfloat162;
