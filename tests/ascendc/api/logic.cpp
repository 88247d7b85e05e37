// SPDX-License-Identifier: MIT
/* IsNan and its kind, Logical..., Where, Bitwise..., SinCos, beside plain C++. */
#include "unit.h"

constexpr uint32_t N = 1301, BEFORE = 7;	/* more than are compared at a time, and nothing is written behind them */

template <class T> inline void specials(const LocalTensor<T> &a)
{
	const float odd[] = {__builtin_nanf(""), __builtin_inff(), -__builtin_inff(), 0.0f, -0.0f, 1e-7f, 60000.0f};

	for (uint32_t i = 0; i < N; i++)
		a.SetValue(i, static_cast<T>(odd[(i + i / 7) % 7]));
}

template <class T, class R> inline void classes()
{
	LocalTensor<T> a = at<T>(0);
	LocalTensor<R> nan = at<R>(1), inf = at<R>(2), finite = at<R>(3);

	specials(a);
	for (uint32_t i = 0; i < N + 1; i++) {
		nan.SetValue(i, static_cast<R>(BEFORE));
		inf.SetValue(i, static_cast<R>(BEFORE));
		finite.SetValue(i, static_cast<R>(BEFORE));
	}
	IsNan(nan, a, N);
	IsInf(inf, a, N);
	IsFinite(finite, a, N);
	for (uint32_t i = 0; i < N; i++) {
		float x = static_cast<float>(a.GetValue(i));

		assert(nan.GetValue(i) == static_cast<R>(x != x));
		assert(inf.GetValue(i) == static_cast<R>(x == __builtin_inff() || x == -__builtin_inff()));
		assert(finite.GetValue(i) == static_cast<R>(x - x == 0));
	}
	assert(nan.GetValue(N) == static_cast<R>(BEFORE) && finite.GetValue(N) == static_cast<R>(BEFORE));
}

TEST(is_nan)
{
	classes<float, float>();
	classes<float, bool>();
	classes<half, half>();
	classes<half, int8_t>();
	classes<bfloat16_t, bfloat16_t>();
}

template <class T> inline void logic()
{
	LocalTensor<T> a = at<T>(0), b = at<T>(2);
	LocalTensor<bool> both = at<bool>(4), one = at<bool>(5), odd = at<bool>(6), no = at<bool>(7), ands = at<bool>(8), ors = at<bool>(9);
	LocalTensor<bool> first = at<bool>(10);

	fill(a, N, 1);
	fill(b, N, 2);
	for (uint32_t i = 0; i < N; i += 3)
		a.SetValue(i, static_cast<T>(0.0f));
	for (uint32_t i = 0; i < N; i += 4)
		b.SetValue(i, static_cast<T>(0.0f));
	LogicalAnd(both, a, b, N);
	LogicalOr(one, a, b, N);
	LogicalXor(odd, a, b, N);
	LogicalNot(no, a, N);
	LogicalAnds(ands, a, static_cast<T>(2.0f), N);
	LogicalOrs(ors, static_cast<T>(0.0f), b, N);
	LogicalAnds(first, a, b, N);
	for (uint32_t i = 0; i < N; i++) {
		bool x = a.GetValue(i) != static_cast<T>(0.0f), y = b.GetValue(i) != static_cast<T>(0.0f);

		assert(both.GetValue(i) == (x && y) && one.GetValue(i) == (x || y) && odd.GetValue(i) == (x != y));
		assert(no.GetValue(i) == !x && ands.GetValue(i) == x && ors.GetValue(i) == y);
		assert(first.GetValue(i) == false);
	}
}

TEST(logical)
{
	logic<float>();
	logic<half>();
	logic<bool>();
	logic<int32_t>();
	logic<uint16_t>();
}

template <class T> inline void where()
{
	LocalTensor<T> a = at<T>(0), b = at<T>(2), both = at<T>(4), left = at<T>(6), right = at<T>(8), none = at<T>(10);
	LocalTensor<bool> condition = at<bool>(12);
	T two = static_cast<T>(2.0f), three = static_cast<T>(3.0f);

	fill(a, N, 1);
	fill(b, N, 2);
	for (uint32_t i = 0; i < N; i++)
		condition.SetValue(i, i % 5 < 2);
	Where(both, a, b, condition, N);
	Where(left, a, three, condition, N);
	Where(right, two, b, condition, N);
	Where(none, two, three, condition, N);
	for (uint32_t i = 0; i < N; i++) {
		bool yes = i % 5 < 2;

		assert(same(both.GetValue(i), yes ? a.GetValue(i) : b.GetValue(i)) && same(left.GetValue(i), yes ? a.GetValue(i) : three));
		assert(same(right.GetValue(i), yes ? two : b.GetValue(i)) && same(none.GetValue(i), yes ? two : three));
	}
}

TEST(where_each_type)
{
	where<float>();
	where<half>();
	where<int8_t>();
	where<uint32_t>();
	where<int64_t>();
}

template <class T> inline void bitwise()
{
	LocalTensor<T> a = at<T>(0), b = at<T>(2), both = at<T>(4), one = at<T>(6), odd = at<T>(8), no = at<T>(10);

	fill(a, N, 1);
	fill(b, N, 2);
	BitwiseAnd(both, a, b, N);
	BitwiseOr(one, a, b, N);
	BitwiseXor(odd, a, b, N);
	BitwiseNot(no, a, N);
	for (uint32_t i = 0; i < N; i++) {
		T x = a.GetValue(i), y = b.GetValue(i);

		assert(both.GetValue(i) == static_cast<T>(x & y) && one.GetValue(i) == static_cast<T>(x | y));
		assert(odd.GetValue(i) == static_cast<T>(x ^ y) && no.GetValue(i) == static_cast<T>(~x));
	}
}

TEST(bitwise_each_type)
{
	bitwise<uint8_t>();
	bitwise<int16_t>();
	bitwise<int32_t>();
	bitwise<uint64_t>();
}

TEST(sin_cos)
{
	LocalTensor<float> a = at<float>(0), s = at<float>(1), c = at<float>(2), want = at<float>(3);

	fill(a, 333);
	SinCos(s, c, a, 333);
	Sin(want, a, 333);
	for (uint32_t i = 0; i < 333; i++)
		assert(same(s.GetValue(i), want.GetValue(i)));
	Cos(want, a, 333);
	SinCos(s, c, a, at<uint8_t>(4), 333);
	for (uint32_t i = 0; i < 333; i++)
		assert(same(c.GetValue(i), want.GetValue(i)));
	assert(s.GetValue(0) * s.GetValue(0) + c.GetValue(0) * c.GetValue(0) > 0.9999f);
}
