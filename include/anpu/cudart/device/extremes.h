/* SPDX-License-Identifier: MIT */
/*
 * The larger and the smaller of two and three numbers, also of a sum, which wraps around, and of what is not negative (_relu): of
 * words (s32, u32) and of both halves of words (s16x2, u16x2).
 */
#pragma once

template <class T> static inline T anpu_larger(T a, T b) { return a > b ? a : b; }
template <class T> static inline T anpu_smaller(T a, T b) { return a < b ? a : b; }
template <class T> static inline T anpu_sum(T a, T b) { return (T)((unsigned int)a + (unsigned int)b); }

/* @f of numbers of the type T, which are the words W, or their halves */
template <class T, class W, class F> static inline W anpu_each(W a, W b, W c, F f)
{
	if (sizeof(T) == sizeof(W))
		return (W)f((T)a, (T)b, (T)c);
	return (W)((unsigned int)(unsigned short)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16)) << 16 |
		   (unsigned short)f((T)a, (T)b, (T)c));
}

#define ANPU_OF_THREE(name, W, T, expression) \
	static inline W name(W a, W b, W c) { return anpu_each<T>(a, b, c, [](T x, T y, T z) -> T { return expression; }); }
#define ANPU_EXTREMES(X, end, ...) \
	X(__viaddmax_##end, __VA_ARGS__, anpu_larger(anpu_sum(x, y), z)) \
	X(__viaddmin_##end, __VA_ARGS__, anpu_smaller(anpu_sum(x, y), z)) \
	X(__vimax3_##end, __VA_ARGS__, anpu_larger(anpu_larger(x, y), z)) \
	X(__vimin3_##end, __VA_ARGS__, anpu_smaller(anpu_smaller(x, y), z))
ANPU_EXTREMES(ANPU_OF_THREE, s32, int, int)
ANPU_EXTREMES(ANPU_OF_THREE, u32, unsigned int, unsigned int)
ANPU_EXTREMES(ANPU_OF_THREE, s16x2, unsigned int, short)
ANPU_EXTREMES(ANPU_OF_THREE, u16x2, unsigned int, unsigned short)
#define ANPU_X_(name, W, T, expression) ANPU_OF_THREE(name, W, T, anpu_larger<T>(expression, 0))
ANPU_EXTREMES(ANPU_X_, s32_relu, int, int)
ANPU_EXTREMES(ANPU_X_, s16x2_relu, unsigned int, short)
#undef ANPU_X_
#undef ANPU_EXTREMES
#undef ANPU_OF_THREE

static inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
static inline int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
static inline unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vimax3_s16x2(a, b, 0); }
static inline unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vimin3_s16x2_relu(a, b, b); }

/* Of two numbers, and whether it is the first one, as it is when both are the same */
#define ANPU_X_(name, T, op) \
	static inline T name(T a, T b, bool *first) \
	{ \
		*first = a op b; \
		return *first ? a : b; \
	}
ANPU_X_(__vibmax_s32, int, >=)
ANPU_X_(__vibmin_s32, int, <=)
ANPU_X_(__vibmax_u32, unsigned int, >=)
ANPU_X_(__vibmin_u32, unsigned int, <=)
#undef ANPU_X_
#define ANPU_X_(name, T, op) \
	static inline unsigned int name(unsigned int a, unsigned int b, bool *first_high, bool *first_low) \
	{ \
		*first_high = (T)(a >> 16) op (T)(b >> 16); \
		*first_low = (T)a op (T)b; \
		return ((*first_high ? a : b) & 0xffff0000) | ((*first_low ? a : b) & 0xffff); \
	}
ANPU_X_(__vibmax_s16x2, short, >=)
ANPU_X_(__vibmin_s16x2, short, <=)
ANPU_X_(__vibmax_u16x2, unsigned short, >=)
ANPU_X_(__vibmin_u16x2, unsigned short, <=)
#undef ANPU_X_
