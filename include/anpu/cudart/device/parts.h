/* SPDX-License-Identifier: MIT */
/* Words as four numbers of 8 bits or two of 16: sums, comparisons, distances; and products of such numbers that are added up. */
#pragma once

/* @f of each two parts; @T: type of a part, which has its sign */
template <class T, class F> static inline unsigned int anpu_parts(unsigned int a, unsigned int b, F f)
{
	constexpr unsigned int bits = 8 * sizeof(T);
	unsigned int r = 0;

	for (unsigned int i = 0; i < 32; i += bits)
		r |= ((unsigned int)f((int)(T)(a >> i), (int)(T)(b >> i)) & ((1u << bits) - 1)) << i;
	return r;
}
/* @v in the range of T */
template <class T> static inline int anpu_saturated(int v)
{
	constexpr int last = (T)-1 > 0 ? (1 << 8 * sizeof(T)) - 1 : (1 << (8 * sizeof(T) - 1)) - 1;
	constexpr int first = (T)-1 > 0 ? 0 : -last - 1;

	return v < first ? first : v > last ? last : v;
}

#define ANPU_PARTS(name, T, expression) \
	static inline unsigned int name(unsigned int a, unsigned int b) \
	{ \
		return anpu_parts<T>(a, b, [](int x, int y) { return expression; }); \
	}
/* @n: numbers in a word, @S and @U: their types */
#define ANPU_COMPARE(n, S, U, what, T, op) \
	ANPU_PARTS(__vcmp##what##n, T, x op y ? -1 : 0) \
	ANPU_PARTS(__vset##what##n, T, x op y ? 1 : 0)
#define ANPU_WORD_OF(n, S, U) \
	ANPU_PARTS(__vadd##n, U, x + y) \
	ANPU_PARTS(__vsub##n, U, x - y) \
	ANPU_PARTS(__vaddss##n, S, anpu_saturated<S>(x + y)) \
	ANPU_PARTS(__vaddus##n, U, anpu_saturated<U>(x + y)) \
	ANPU_PARTS(__vsubss##n, S, anpu_saturated<S>(x - y)) \
	ANPU_PARTS(__vsubus##n, U, anpu_saturated<U>(x - y)) \
	ANPU_PARTS(__vhaddu##n, U, (x + y) >> 1) \
	ANPU_PARTS(__vavgu##n, U, (x + y + 1) >> 1) \
	ANPU_PARTS(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1) \
	ANPU_PARTS(__vmaxs##n, S, x > y ? x : y) \
	ANPU_PARTS(__vmaxu##n, U, x > y ? x : y) \
	ANPU_PARTS(__vmins##n, S, x < y ? x : y) \
	ANPU_PARTS(__vminu##n, U, x < y ? x : y) \
	ANPU_PARTS(__vabsdiffs##n, S, x > y ? x - y : y - x) \
	ANPU_PARTS(__vabsdiffu##n, U, x > y ? x - y : y - x) \
	ANPU_COMPARE(n, S, U, eq, U, ==) \
	ANPU_COMPARE(n, S, U, ne, U, !=) \
	ANPU_COMPARE(n, S, U, ges, S, >=) \
	ANPU_COMPARE(n, S, U, geu, U, >=) \
	ANPU_COMPARE(n, S, U, gts, S, >) \
	ANPU_COMPARE(n, S, U, gtu, U, >) \
	ANPU_COMPARE(n, S, U, les, S, <=) \
	ANPU_COMPARE(n, S, U, leu, U, <=) \
	ANPU_COMPARE(n, S, U, lts, S, <) \
	ANPU_COMPARE(n, S, U, ltu, U, <) \
	static inline unsigned int __vneg##n(unsigned int a) { return __vsub##n(0, a); } \
	static inline unsigned int __vnegss##n(unsigned int a) { return __vsubss##n(0, a); } \
	static inline unsigned int __vabs##n(unsigned int a) { return __vabsdiffs##n(a, 0); } \
	static inline unsigned int __vabsss##n(unsigned int a) \
	{ \
		return anpu_parts<S>(a, 0, [](int x, int) { return anpu_saturated<S>(x < 0 ? -x : x); }); \
	} \
	static inline unsigned int __vsads##n(unsigned int a, unsigned int b) { return anpu_sum_of_parts<U>(__vabsdiffs##n(a, b)); } \
	static inline unsigned int __vsadu##n(unsigned int a, unsigned int b) { return anpu_sum_of_parts<U>(__vabsdiffu##n(a, b)); }

template <class T> static inline unsigned int anpu_sum_of_parts(unsigned int a)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 32; i += 8 * sizeof(T))
		sum += (T)(a >> i);
	return sum;
}
ANPU_WORD_OF(4, signed char, unsigned char)
ANPU_WORD_OF(2, short, unsigned short)
#undef ANPU_PARTS
#undef ANPU_COMPARE
#undef ANPU_WORD_OF

/* The products of four numbers of 8 bits, or of two of 16 with two of 8, and @c */
template <class R, class A, class B> static inline R anpu_dot(unsigned int a, unsigned int b, R c)
{
	for (unsigned int i = 0; i < 4 / sizeof(A); i++)
		c += (R)(A)(a >> i * 8 * sizeof(A)) * (R)(B)(b >> i * 8 * sizeof(B));
	return c;
}
static inline int __dp4a(int a, int b, int c) { return anpu_dot<int, signed char, signed char>((unsigned int)a, (unsigned int)b, c); }
static inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	return anpu_dot<unsigned int, unsigned char, unsigned char>(a, b, c);
}
static inline int __dp4a(char4 a, char4 b, int c) { return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
static inline unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c)
{
	return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
static inline int __dp2a_lo(int a, int b, int c) { return anpu_dot<int, short, signed char>((unsigned int)a, (unsigned int)b, c); }
static inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
static inline unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c)
{
	return anpu_dot<unsigned int, unsigned short, unsigned char>(a, b, c);
}
static inline unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) { return __dp2a_lo(a, b >> 16, c); }
static inline int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
static inline int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c); }
