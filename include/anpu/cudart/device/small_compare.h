/* SPDX-License-Identifier: MIT */
/*
 * The rest of what cuda_fp16.h and cuda_bf16.h have alike: sums in the range of 0 to 1, comparisons of pairs, other roundings of
 * conversions, functions of pairs. Each result is the one of small_float.h's function for each number.
 */
#pragma once

/* @r is @v rounded to the nearest; the neighbour of it that lies in another direction, if it is not @v itself */
template <class S> static inline S anpu_small_towards(S r, double v, int direction)
{
	unsigned short bits = __builtin_bit_cast(unsigned short, r);
	double off = (double)(float)r - v;

	if (v != v || off == 0 || (direction == 0 ? __builtin_fabs((double)(float)r) <= __builtin_fabs(v) : direction > 0 ? off > 0 : off < 0))
		return r;
	if (!(bits & 0x7fff)) /* the least number that is not 0 */
		return __builtin_bit_cast(S, (unsigned short)(off > 0 ? 0x8001 : 1));
	return __builtin_bit_cast(S, (unsigned short)(((float)r < 0) == (off > 0) ? bits + 1 : bits - 1));
}

/* @op: of numbers; those with u are also true if one of them is none */
#define ANPU_SMALL_COMPARE(S, P, name, op) \
	static inline bool __h##name##u(S a, S b) { return a op b || __hisnan(a) || __hisnan(b); } \
	static inline P __h##name##2(P a, P b) { return P(S(a.x op b.x ? 1.0f : 0.0f), S(a.y op b.y ? 1.0f : 0.0f)); } \
	static inline P __h##name##u2(P a, P b) { return P(S(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), S(__h##name##u(a.y, b.y) ? 1.0f : 0.0f)); } \
	static inline unsigned int __h##name##2_mask(P a, P b) { return (a.x op b.x ? 0xffffu : 0) | (a.y op b.y ? 0xffff0000u : 0); } \
	static inline unsigned int __h##name##u2_mask(P a, P b) \
	{ \
		return (__h##name##u(a.x, b.x) ? 0xffffu : 0) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0); \
	} \
	static inline bool __hb##name##u2(P a, P b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); } \
	static inline bool operator op(P a, P b) { return a.x op b.x && a.y op b.y; }
#define ANPU_SMALL_BOTH(S, P, name, op) \
	static inline bool __hb##name##2(P a, P b) { return a.x op b.x && a.y op b.y; }

#define ANPU_SMALL_TO_WHOLE(S, s, name, T) \
	static inline T __##s##2##name##_rn(S v) { return anpu_to_whole<T>(rintf((float)v)); } \
	static inline T __##s##2##name##_rz(S v) { return anpu_to_whole<T>(truncf((float)v)); } \
	static inline T __##s##2##name##_rd(S v) { return anpu_to_whole<T>(floorf((float)v)); } \
	static inline T __##s##2##name##_ru(S v) { return anpu_to_whole<T>(ceilf((float)v)); }
#define ANPU_SMALL_TO_WHOLE_UP_DOWN(S, s, name, T) \
	static inline T __##s##2##name##_rd(S v) { return anpu_to_whole<T>(floorf((float)v)); } \
	static inline T __##s##2##name##_ru(S v) { return anpu_to_whole<T>(ceilf((float)v)); }
/* A number of type T has up to 53 digits in this, which the second rounding sees unless there are more */
#define ANPU_SMALL_DIRECTED(S, s, name, T) \
	static inline S __##name##2##s##_rz(T v) { return anpu_small_towards(S((double)v), (double)v, 0); } \
	static inline S __##name##2##s##_rd(T v) { return anpu_small_towards(S((double)v), (double)v, -1); } \
	static inline S __##name##2##s##_ru(T v) { return anpu_small_towards(S((double)v), (double)v, 1); }
#define ANPU_SMALL_PAIR(P, name, of) static inline P name(P a) { return P(of(a.x), of(a.y)); }

#define ANPU_SMALL_FLOAT_MORE(S, P, s, p) \
	static inline S anpu_in_1(S v) { return S(__saturatef((float)v)); } \
	static inline S anpu_not_below_0(S v) { return __hisnan(v) || (float)v > 0 ? v : S(0.0f); } \
	static inline S operator+(S a) { return a; } \
	static inline S &operator++(S &a) { return a = a + S(1.0f); } \
	static inline S &operator--(S &a) { return a = a - S(1.0f); } \
	static inline S operator++(S &a, int) { S old = a; a = a + S(1.0f); return old; } \
	static inline S operator--(S &a, int) { S old = a; a = a - S(1.0f); return old; } \
	static inline P &operator/=(P &a, P b) { return a = a / b; } \
	static inline S __hadd_rn(S a, S b) { return a + b; } \
	static inline S __hsub_rn(S a, S b) { return a - b; } \
	static inline S __hmul_rn(S a, S b) { return a * b; } \
	static inline P __hadd2_rn(P a, P b) { return a + b; } \
	static inline P __hsub2_rn(P a, P b) { return a - b; } \
	static inline P __hmul2_rn(P a, P b) { return a * b; } \
	static inline S __hadd_sat(S a, S b) { return anpu_in_1(a + b); } \
	static inline S __hsub_sat(S a, S b) { return anpu_in_1(a - b); } \
	static inline S __hmul_sat(S a, S b) { return anpu_in_1(a * b); } \
	static inline S __hfma_sat(S a, S b, S c) { return anpu_in_1(__hfma(a, b, c)); } \
	static inline S __hfma_relu(S a, S b, S c) { return anpu_not_below_0(__hfma(a, b, c)); } \
	static inline P __hadd2_sat(P a, P b) { return P(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); } \
	static inline P __hsub2_sat(P a, P b) { return P(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); } \
	static inline P __hmul2_sat(P a, P b) { return P(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); } \
	static inline P __hfma2_sat(P a, P b, P c) { return P(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); } \
	static inline P __hfma2_relu(P a, P b, P c) { return P(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
	/* a * b + c of complex numbers */ \
	static inline P __hcmadd(P a, P b, P c) \
	{ \
		return P(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
	} \
	static inline S __hmax_nan(S a, S b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); } \
	static inline S __hmin_nan(S a, S b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); } \
	static inline P __hmax2_nan(P a, P b) { return P(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); } \
	static inline P __hmin2_nan(P a, P b) { return P(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); } \
	static inline P __hisnan2(P a) { return P(S(__hisnan(a.x) ? 1.0f : 0.0f), S(__hisnan(a.y) ? 1.0f : 0.0f)); } \
	ANPU_SMALL_COMPARE(S, P, eq, ==) ANPU_SMALL_COMPARE(S, P, ne, !=) ANPU_SMALL_COMPARE(S, P, lt, <) \
	ANPU_SMALL_COMPARE(S, P, gt, >) ANPU_SMALL_COMPARE(S, P, le, <=) ANPU_SMALL_COMPARE(S, P, ge, >=) \
	ANPU_SMALL_BOTH(S, P, ne, !=) ANPU_SMALL_BOTH(S, P, lt, <) ANPU_SMALL_BOTH(S, P, gt, >) \
	ANPU_SMALL_BOTH(S, P, le, <=) ANPU_SMALL_BOTH(S, P, ge, >=) \
	ANPU_SMALL_TO_WHOLE_UP_DOWN(S, s, int, int) ANPU_SMALL_TO_WHOLE_UP_DOWN(S, s, uint, unsigned int) \
	ANPU_SMALL_TO_WHOLE_UP_DOWN(S, s, short, short) ANPU_SMALL_TO_WHOLE_UP_DOWN(S, s, ushort, unsigned short) \
	ANPU_SMALL_TO_WHOLE(S, s, ll, long long) ANPU_SMALL_TO_WHOLE(S, s, ull, unsigned long long) \
	static inline S __ll2##s##_rn(long long v) { return S((double)v); } \
	static inline S __ull2##s##_rn(unsigned long long v) { return S((double)v); } \
	ANPU_SMALL_DIRECTED(S, s, float, float) ANPU_SMALL_DIRECTED(S, s, int, int) ANPU_SMALL_DIRECTED(S, s, uint, unsigned int) \
	ANPU_SMALL_DIRECTED(S, s, short, short) ANPU_SMALL_DIRECTED(S, s, ushort, unsigned short) \
	static inline S hexp10(S a) { return S(exp10f((float)a)); } \
	static inline S hlog10(S a) { return S(log10f((float)a)); } \
	ANPU_SMALL_PAIR(P, h2sin, hsin) ANPU_SMALL_PAIR(P, h2cos, hcos) ANPU_SMALL_PAIR(P, h2exp2, hexp2) \
	ANPU_SMALL_PAIR(P, h2exp10, hexp10) ANPU_SMALL_PAIR(P, h2log2, hlog2) ANPU_SMALL_PAIR(P, h2log10, hlog10) \
	ANPU_SMALL_PAIR(P, h2rcp, hrcp) ANPU_SMALL_PAIR(P, h2floor, hfloor) ANPU_SMALL_PAIR(P, h2ceil, hceil) \
	ANPU_SMALL_PAIR(P, h2trunc, htrunc) ANPU_SMALL_PAIR(P, h2rint, hrint) ANPU_SMALL_PAIR(P, h2tanh, htanh)
