/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 8 bits. e4m3 has a fraction of 3 bits, goes up to 448 and has NaN and no infinity; e5m2 is the upper half of a half number
 * and goes up to 57344. What is converted to one is rounded to the nearest, of two as near ones to the even one.
 */
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
/* With SATFINITE numbers beyond the largest one become the largest one, else infinite or, in e4m3, NaN */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
	int digits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15; /* of the fraction; of the exponent */
	unsigned int largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned int word = __builtin_bit_cast(unsigned int, f), sign = word >> 24 & 0x80, rest = word & 0x7fffffff;
	int exponent = (int)(rest >> 23) - 127, drop = 23 - digits;

	if (rest > 0x7f800000)
		return 0x7f;
	if (exponent < -bias - digits)
		return (__nv_fp8_storage_t)sign;
	/* a number below the smallest normal one has fewer digits */
	if (exponent < 1 - bias)
		drop += 1 - bias - exponent;
	unsigned int all = (rest & 0x7fffff) | 0x800000, kept = all >> drop, lost = all & ((1u << drop) - 1), tie = 1u << (drop - 1);

	kept += lost > tie || (lost == tie && (kept & 1));
	/* a carry out of the fraction counts the exponent up by itself */
	if (exponent >= 1 - bias)
		kept += (unsigned int)(exponent + bias - 1) << digits;
	if (kept > largest)
		kept = largest + (saturate == __NV_NOSAT);
	return (__nv_fp8_storage_t)(sign | kept);
}

static inline float anpu_float_of_fp8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
	unsigned int sign = (unsigned int)(x & 0x80) << 24, exponent = x >> 3 & 15, fraction = x & 7;

	if (kind == __NV_E5M2)
		return (float)__builtin_bit_cast(_Float16, (unsigned short)(x << 8));
	if ((x & 0x7f) == 0x7f)
		return __builtin_bit_cast(float, sign | 0x7fc00000);
	if (exponent)
		return __builtin_bit_cast(float, sign | (exponent + 120) << 23 | fraction << 20);
	return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, (float)fraction * 0x1p-9f) | sign);
}

#define ANPU_TO_FP8(from, type, pair, value) \
	static inline __nv_fp8x2_storage_t __nv_cvt_##from##2_to_fp8x2(pair v, __nv_saturation_t s, __nv_fp8_interpretation_t k) \
	{ \
		return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(value(v.x), s, k) | __nv_cvt_float_to_fp8(value(v.y), s, k) << 8); \
	}
#define ANPU_SAME(v) (float)(v)
static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t k)
{
	return __nv_cvt_float_to_fp8(anpu_odd_float(v), s, k);
}
static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k)
{
	return __nv_cvt_float_to_fp8((float)v, s, k);
}
static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k)
{
	return __nv_cvt_float_to_fp8((float)v, s, k);
}
ANPU_TO_FP8(float, float, float2, ANPU_SAME)
ANPU_TO_FP8(double, double, double2, anpu_odd_float)
ANPU_TO_FP8(halfraw, __half_raw, __half2_raw, ANPU_SAME)
ANPU_TO_FP8(bfloat16raw, __nv_bfloat16_raw, __nv_bfloat162_raw, ANPU_SAME)
#undef ANPU_TO_FP8
#undef ANPU_SAME
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k)
{
	return __half_raw(anpu_float_of_fp8(x, k));
}
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k)
{
	return __half2_raw(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, k), __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k));
}

/* Types of one, two and four numbers; the first is in the lowest bits */
#define ANPU_FP8_FROM(name, kind, type, how) explicit name(type v) : __x(how(v, __NV_SATFINITE, kind)) {}
#define ANPU_FP8_TO(kind, type) explicit operator type() const { return anpu_to_whole<type>(anpu_float_of_fp8(__x, kind)); }
#define ANPU_FP8(name, pair, four, kind) \
	struct name { \
		__nv_fp8_storage_t __x; \
		name() = default; \
		ANPU_FP8_FROM(name, kind, float, __nv_cvt_float_to_fp8) \
		ANPU_FP8_FROM(name, kind, __half, __nv_cvt_halfraw_to_fp8) \
		ANPU_FP8_FROM(name, kind, __nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8) \
		ANPU_FP8_FROM(name, kind, double, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, short, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, unsigned short, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, int, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, unsigned int, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, long, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, unsigned long, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, long long, __nv_cvt_double_to_fp8) \
		ANPU_FP8_FROM(name, kind, unsigned long long, __nv_cvt_double_to_fp8) \
		explicit operator float() const { return anpu_float_of_fp8(__x, kind); } \
		explicit operator double() const { return (double)anpu_float_of_fp8(__x, kind); } \
		explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, kind); } \
		explicit operator __nv_bfloat16() const { return __nv_bfloat16(anpu_float_of_fp8(__x, kind)); } \
		explicit operator bool() const { return (__x & 0x7f) != 0; } \
		ANPU_FP8_TO(kind, char) \
		ANPU_FP8_TO(kind, signed char) \
		ANPU_FP8_TO(kind, unsigned char) \
		ANPU_FP8_TO(kind, short) \
		ANPU_FP8_TO(kind, unsigned short) \
		ANPU_FP8_TO(kind, int) \
		ANPU_FP8_TO(kind, unsigned int) \
		ANPU_FP8_TO(kind, long) \
		ANPU_FP8_TO(kind, unsigned long) \
		ANPU_FP8_TO(kind, long long) \
		ANPU_FP8_TO(kind, unsigned long long) \
	}; \
	struct pair { \
		__nv_fp8x2_storage_t __x; \
		pair() = default; \
		ANPU_FP8_FROM(pair, kind, float2, __nv_cvt_float2_to_fp8x2) \
		ANPU_FP8_FROM(pair, kind, double2, __nv_cvt_double2_to_fp8x2) \
		ANPU_FP8_FROM(pair, kind, __half2, __nv_cvt_halfraw2_to_fp8x2) \
		ANPU_FP8_FROM(pair, kind, __nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2) \
		explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, kind); } \
		explicit operator float2() const \
		{ \
			return { anpu_float_of_fp8((__nv_fp8_storage_t)__x, kind), anpu_float_of_fp8((__nv_fp8_storage_t)(__x >> 8), kind) }; \
		} \
	}; \
	struct four { \
		__nv_fp8x4_storage_t __x; \
		four() = default; \
		explicit four(__half2 low, __half2 high) : __x(pair(low).__x | (__nv_fp8x4_storage_t)pair(high).__x << 16) {} \
		explicit four(__nv_bfloat162 low, __nv_bfloat162 high) : __x(pair(low).__x | (__nv_fp8x4_storage_t)pair(high).__x << 16) {} \
		explicit four(float4 v) : \
			__x(pair(float2{ v.x, v.y }).__x | (__nv_fp8x4_storage_t)pair(float2{ v.z, v.w }).__x << 16) {} \
		explicit four(double4 v) : \
			__x(pair(double2{ v.x, v.y }).__x | (__nv_fp8x4_storage_t)pair(double2{ v.z, v.w }).__x << 16) {} \
		explicit operator float4() const \
		{ \
			pair low, high; \
			low.__x = (__nv_fp8x2_storage_t)__x; \
			high.__x = (__nv_fp8x2_storage_t)(__x >> 16); \
			float2 l = (float2)low, h = (float2)high; \
			return { l.x, l.y, h.x, h.y }; \
		} \
	};
ANPU_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
ANPU_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef ANPU_FP8
#undef ANPU_FP8_FROM
#undef ANPU_FP8_TO
