/* SPDX-License-Identifier: MIT */
/* Integer and bit functions, conversions, and what <math.h> calls differently. */
#pragma once

static inline int __popc(unsigned int v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned int)v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }
static inline unsigned int __brev(unsigned int v) { return __builtin_bitreverse32(v); }
static inline unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
/* The bit of @mask that is number @n, from 1, of those from bit @base upwards, or downwards for a negative one; 0: @base itself */
static inline unsigned int __fns(unsigned int mask, unsigned int base, int n)
{
	int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n ? n : 1;

	for (unsigned int bit = base; bit < 32; bit += (unsigned int)step) {
		if (mask >> bit & 1 && !--left)
			return bit;
		if (!n)
			break;
	}
	return 0xffffffff;
}
/* The products' lower 32 bits, of the factors' lower 24 */
static inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline int __mul24(int a, int b) { return (int)((unsigned int)((int)((unsigned int)a << 8) >> 8) * (unsigned int)((int)((unsigned int)b << 8) >> 8)); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned int __umulhi(unsigned int a, unsigned int b)
{
	return (unsigned int)((unsigned long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
static inline int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
static inline unsigned int __float_as_uint(float v) { return __builtin_bit_cast(unsigned int, v); }
static inline float __uint_as_float(unsigned int v) { return __builtin_bit_cast(float, v); }
static inline long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
static inline double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __saturatef(float v) { return v > 0 ? v < 1 ? v : 1 : 0; }
static inline float rsqrtf(float v) { return 1.0f / __builtin_sqrtf(v); }
static inline double rsqrt(double v) { return 1.0 / __builtin_sqrt(v); }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
static inline unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
static inline long long min(long long a, long long b) { return a < b ? a : b; }
static inline long long max(long long a, long long b) { return a > b ? a : b; }
static inline unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static inline unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static inline float min(float a, float b) { return __builtin_fminf(a, b); }
static inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double min(double a, double b) { return __builtin_fmin(a, b); }
static inline double max(double a, double b) { return __builtin_fmax(a, b); }
#include <stdlib.h> /* abs(int) */
static inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static inline long min(long a, long b) { return a < b ? a : b; }
static inline long max(long a, long b) { return a > b ? a : b; }
static inline long long llmin(long long a, long long b) { return min(a, b); }
static inline long long llmax(long long a, long long b) { return max(a, b); }
static inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
static inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
/* of different types: in the type of their sum */
template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b)
{
	return min((decltype(a + b))a, (decltype(a + b))b);
}
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b)
{
	return max((decltype(a + b))a, (decltype(a + b))b);
}
static inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
static inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline int __hadd(int a, int b) { return (int)(((long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long)a + b + 1) >> 1); }
static inline unsigned int __uhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long)a + b) >> 1); }
static inline unsigned int __urhadd(unsigned int a, unsigned int b) { return (unsigned int)(((unsigned long)a + b + 1) >> 1); }
static inline unsigned int __sad(int a, int b, unsigned int c)
{
	return (unsigned int)(a < b ? (unsigned int)b - (unsigned int)a : (unsigned int)a - (unsigned int)b) + c;
}
static inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) { return (a < b ? b - a : a - b) + c; }
static inline unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n)
{
	return (unsigned int)(((unsigned long long)hi << 32 | lo) << (n & 31) >> 32);
}
static inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n)
{
	return (unsigned int)(((unsigned long long)hi << 32 | lo) >> (n & 31));
}
/* A shift by 32 and more moves all of the other word */
static inline unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n)
{
	return n < 32 ? __funnelshift_l(lo, hi, n) : lo;
}
static inline unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n)
{
	return n < 32 ? __funnelshift_r(lo, hi, n) : hi;
}
/* Bytes of the two words by the four numbers of @s; bit 3 of a number repeats the byte's sign */
static inline unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s)
{
	unsigned long long both = (unsigned long long)y << 32 | x;
	unsigned int r = 0;

	for (int i = 0; i < 4; i++) {
		unsigned int n = s >> 4 * i & 15, byte = (unsigned int)(both >> 8 * (n & 7)) & 255;

		r |= (n & 8 ? byte >> 7 ? 255u : 0u : byte) << 8 * i;
	}
	return r;
}
