/* SPDX-License-Identifier: MIT */
/*
 * Functions of numbers of 16 bits and of pairs of them, which cuda_fp16.h and cuda_bf16.h have alike. Each result is
 * calculated in float and rounded once, which is right for sums, products, quotients and roots of half numbers.
 */
#pragma once

/* A float whose last bit tells that something was cut off, so that the second rounding, to fewer digits, is the only one that counts */
static inline float anpu_odd_float(double d)
{
	float f = (float)d;
	unsigned int u = __builtin_bit_cast(unsigned int, f);

	if ((double)f == d || d != d || __builtin_isinf(f))
		return f;
	if (__builtin_fabs((double)f) > __builtin_fabs(d))
		u--;
	return __builtin_bit_cast(float, u | 1);
}

/* @S: the type, @P: a pair of it, @s and @p: their names within those of conversions */
#define ANPU_SMALL_FLOAT(S, P, s, p) \
	struct alignas(4) P { \
		S x, y; \
		P() = default; \
		constexpr P(S x, S y) : x(x), y(y) {} \
	}; \
	typedef P P##_raw; \
	static inline S __float2##s(float v) { return S(v); } \
	static inline S __float2##s##_rn(float v) { return S(v); } \
	static inline S __double2##s(double v) { return S(v); } \
	static inline float __##s##2float(S v) { return (float)v; } \
	static inline S __int2##s##_rn(int v) { return S((float)v); } \
	static inline S __uint2##s##_rn(unsigned int v) { return S((float)v); } \
	static inline int __##s##2int_rn(S v) { return __float2int_rn((float)v); } \
	static inline int __##s##2int_rz(S v) { return __float2int_rz((float)v); } \
	static inline S __short2##s##_rn(short v) { return S((float)v); } \
	static inline S __ushort2##s##_rn(unsigned short v) { return S((float)v); } \
	static inline short __##s##2short_rn(S v) { return anpu_to_whole<short>(rintf((float)v)); } \
	static inline short __##s##2short_rz(S v) { return anpu_to_whole<short>((float)v); } \
	static inline unsigned short __##s##2ushort_rn(S v) { return anpu_to_whole<unsigned short>(rintf((float)v)); } \
	static inline unsigned short __##s##2ushort_rz(S v) { return anpu_to_whole<unsigned short>((float)v); } \
	static inline signed char __##s##2char_rz(S v) { return anpu_to_whole<signed char>((float)v); } \
	static inline unsigned char __##s##2uchar_rz(S v) { return anpu_to_whole<unsigned char>((float)v); } \
	static inline unsigned int __##s##2uint_rz(S v) { return __float2uint_rz((float)v); } \
	static inline unsigned int __##s##2uint_rn(S v) { return __float2uint_rn((float)v); } \
	static inline unsigned short __##s##_as_ushort(S v) { return __builtin_bit_cast(unsigned short, v); } \
	static inline short __##s##_as_short(S v) { return __builtin_bit_cast(short, v); } \
	static inline S __ushort_as_##s(unsigned short v) { return __builtin_bit_cast(S, v); } \
	static inline S __short_as_##s(short v) { return __builtin_bit_cast(S, v); } \
	static inline S operator+(S a, S b) { return S((float)a + (float)b); } \
	static inline S operator-(S a, S b) { return S((float)a - (float)b); } \
	static inline S operator*(S a, S b) { return S((float)a * (float)b); } \
	static inline S operator/(S a, S b) { return S((float)a / (float)b); } \
	static inline S operator-(S a) { return S(-(float)a); } \
	static inline S &operator+=(S &a, S b) { return a = a + b; } \
	static inline S &operator-=(S &a, S b) { return a = a - b; } \
	static inline S &operator*=(S &a, S b) { return a = a * b; } \
	static inline S &operator/=(S &a, S b) { return a = a / b; } \
	static inline bool operator==(S a, S b) { return (float)a == (float)b; } \
	static inline bool operator!=(S a, S b) { return (float)a != (float)b; } \
	static inline bool operator<(S a, S b) { return (float)a < (float)b; } \
	static inline bool operator>(S a, S b) { return (float)a > (float)b; } \
	static inline bool operator<=(S a, S b) { return (float)a <= (float)b; } \
	static inline bool operator>=(S a, S b) { return (float)a >= (float)b; } \
	static inline S __hadd(S a, S b) { return a + b; } \
	static inline S __hsub(S a, S b) { return a - b; } \
	static inline S __hmul(S a, S b) { return a * b; } \
	static inline S __hdiv(S a, S b) { return a / b; } \
	static inline S __hneg(S a) { return -a; } \
	static inline S __habs(S a) { return S(__builtin_fabsf((float)a)); } \
	static inline S __hfma(S a, S b, S c) { return S((double)(float)a * (double)(float)b + (double)(float)c); } \
	static inline bool __heq(S a, S b) { return a == b; } \
	static inline bool __hne(S a, S b) { return a != b; } \
	static inline bool __hlt(S a, S b) { return a < b; } \
	static inline bool __hgt(S a, S b) { return a > b; } \
	static inline bool __hle(S a, S b) { return a <= b; } \
	static inline bool __hge(S a, S b) { return a >= b; } \
	static inline bool __hisnan(S a) { return __builtin_isnan((float)a); } \
	static inline int __hisinf(S a) { return __builtin_isinf((float)a) ? (float)a > 0 ? 1 : -1 : 0; } \
	static inline S __hmax(S a, S b) { return S(__builtin_fmaxf((float)a, (float)b)); } \
	static inline S __hmin(S a, S b) { return S(__builtin_fminf((float)a, (float)b)); } \
	static inline S max(S a, S b) { return __hmax(a, b); } \
	static inline S min(S a, S b) { return __hmin(a, b); } \
	static inline S hsqrt(S a) { return S(sqrtf((float)a)); } \
	static inline S hrsqrt(S a) { return S(1.0f / sqrtf((float)a)); } \
	static inline S hrcp(S a) { return S(1.0f / (float)a); } \
	static inline S hexp(S a) { return S(expf((float)a)); } \
	static inline S hexp2(S a) { return S(exp2f((float)a)); } \
	static inline S hlog(S a) { return S(logf((float)a)); } \
	static inline S hlog2(S a) { return S(log2f((float)a)); } \
	static inline S hsin(S a) { return S(sinf((float)a)); } \
	static inline S hcos(S a) { return S(cosf((float)a)); } \
	static inline S htanh(S a) { return S(tanhf((float)a)); } \
	static inline S hfloor(S a) { return S(floorf((float)a)); } \
	static inline S hceil(S a) { return S(ceilf((float)a)); } \
	static inline S htrunc(S a) { return S(truncf((float)a)); } \
	static inline S hrint(S a) { return S(rintf((float)a)); } \
	static inline P __halves2##p(S a, S b) { return P(a, b); } \
	static inline P make_##p(S a, S b) { return P(a, b); } \
	static inline P __##s##2##p(S a) { return P(a, a); } \
	static inline P __float2##p##_rn(float a) { return P(S(a), S(a)); } \
	static inline P __floats2##p##_rn(float a, float b) { return P(S(a), S(b)); } \
	static inline P __float22##p##_rn(float2 v) { return P(S(v.x), S(v.y)); } \
	static inline float2 __##p##2float2(P v) { return { (float)v.x, (float)v.y }; } \
	static inline float __low2float(P v) { return (float)v.x; } \
	static inline float __high2float(P v) { return (float)v.y; } \
	static inline S __low2##s(P v) { return v.x; } \
	static inline S __high2##s(P v) { return v.y; } \
	static inline P __low2##p(P v) { return P(v.x, v.x); } \
	static inline P __high2##p(P v) { return P(v.y, v.y); } \
	static inline P __lowhigh2highlow(P v) { return P(v.y, v.x); } \
	static inline P __lows2##p(P a, P b) { return P(a.x, b.x); } \
	static inline P __highs2##p(P a, P b) { return P(a.y, b.y); } \
	static inline P operator+(P a, P b) { return P(a.x + b.x, a.y + b.y); } \
	static inline P operator-(P a, P b) { return P(a.x - b.x, a.y - b.y); } \
	static inline P operator*(P a, P b) { return P(a.x * b.x, a.y * b.y); } \
	static inline P operator/(P a, P b) { return P(a.x / b.x, a.y / b.y); } \
	static inline P operator-(P a) { return P(-a.x, -a.y); } \
	static inline P &operator+=(P &a, P b) { return a = a + b; } \
	static inline P &operator-=(P &a, P b) { return a = a - b; } \
	static inline P &operator*=(P &a, P b) { return a = a * b; } \
	static inline P __hadd2(P a, P b) { return a + b; } \
	static inline P __hsub2(P a, P b) { return a - b; } \
	static inline P __hmul2(P a, P b) { return a * b; } \
	static inline P __h2div(P a, P b) { return a / b; } \
	static inline P __hneg2(P a) { return -a; } \
	static inline P __habs2(P a) { return P(__habs(a.x), __habs(a.y)); } \
	static inline P __hfma2(P a, P b, P c) { return P(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
	static inline P __hmax2(P a, P b) { return P(__hmax(a.x, b.x), __hmax(a.y, b.y)); } \
	static inline P __hmin2(P a, P b) { return P(__hmin(a.x, b.x), __hmin(a.y, b.y)); } \
	static inline bool __hbeq2(P a, P b) { return a.x == b.x && a.y == b.y; } \
	static inline P h2exp(P a) { return P(hexp(a.x), hexp(a.y)); } \
	static inline P h2log(P a) { return P(hlog(a.x), hlog(a.y)); } \
	static inline P h2sqrt(P a) { return P(hsqrt(a.x), hsqrt(a.y)); } \
	static inline P h2rsqrt(P a) { return P(hrsqrt(a.x), hrsqrt(a.y)); } \
	static inline S atomicAdd(S *p, S v) { return anpu_small_add(p, v); } \
	static inline P atomicAdd(P *p, P v) { return anpu_small_add(p, v); }

/* By compare-and-swap of the word around the number */
template <class T> static inline T anpu_small_add(T *p, T v)
{
	unsigned int *word = (unsigned int *)((uintptr_t)p & ~(uintptr_t)3), shift = (unsigned int)((uintptr_t)p & 3) * 8;
	unsigned int old = *(volatile unsigned int *)word, seen;
	T before;

	do {
		unsigned int now = old, bits = old >> shift;
		T after;

		seen = old;
		__builtin_memcpy(&before, &bits, sizeof(T));
		after = before + v;
		__builtin_memcpy((char *)&now + shift / 8, &after, sizeof(T));
		old = atomicCAS(word, seen, now);
	} while (old != seen);
	return before;
}
