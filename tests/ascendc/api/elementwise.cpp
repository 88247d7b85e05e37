// SPDX-License-Identifier: MIT
/* Operations on one or two tensors and on a scalar, in both styles of calling. */
#include "unit.h"

template <class T, class F, class G, class H> inline void binary(F count_style, G repeat_style, H reference)
{
	LocalTensor<T> a = at<T>(0), b = at<T>(1), c = at<T>(2);
	constexpr uint32_t each = 256 / sizeof(T);

	fill(a, 1024, 1);
	fill(b, 1024, 2);
	for (uint32_t n : {1, 7, 64, 333}) {
		fill(c, 1024, 3);
		count_style(c, a, b, n);
		for (uint32_t i = 0; i < n; i++)
			assert(same(c.GetValue(i), static_cast<T>(reference(a.GetValue(i), b.GetValue(i)))));
	}
	/* 3 repeats of all elements but one; every second block of c, a again and again */
	fill(c, 2048, 3);
	repeat_style(c, a, b, each - 1, 3, BinaryRepeatParams(2, 1, 1, 16, 0, 8));
	for (uint32_t r = 0; r < 3; r++)
		for (uint32_t i = 0; i < each - 1; i++) {
			uint32_t block = 32 / sizeof(T), to = r * 2 * each + i / block * 2 * block + i % block;

			assert(same(c.GetValue(to), static_cast<T>(reference(a.GetValue(i), b.GetValue(r * each + i)))));
		}
}

#define BINARY(test, name, T, expression) \
	TEST(test) \
	{ \
		binary<T>([](auto &c, auto &a, auto &b, auto n) { name(c, a, b, n); }, \
			  [](auto &c, auto &a, auto &b, uint64_t m, uint8_t r, const BinaryRepeatParams &p) { \
				  name(c, a, b, m, r, p); }, \
			  [](T a, T b) { return expression; }); \
	}
BINARY(add_f32, Add, float, a + b)
BINARY(add_f16, Add, half, a + b)
BINARY(add_s16, Add, int16_t, a + b)
BINARY(add_s32, Add, int32_t, a + b)
BINARY(sub_f32, Sub, float, a - b)
BINARY(sub_s32, Sub, int32_t, a - b)
BINARY(mul_f32, Mul, float, a * b)
BINARY(mul_f16, Mul, half, a * b)
BINARY(max_f32, Max, float, a > b ? a : b)
BINARY(min_s32, Min, int32_t, a < b ? a : b)
BINARY(and_u16, And, uint16_t, a & b)
BINARY(or_s16, Or, int16_t, a | b)

TEST(div_f32)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);

	fill(a, 100, 1);
	Duplicate(b, 3.0f, 100);
	Div(c, a, b, 100);
	for (int i = 0; i < 100; i++)
		assert(same(c(i), a(i) / 3.0f));
}

TEST(operators)
{
	LocalTensor<float> a = at<float>(0)[0], b = at<float>(1), c = at<float>(2);

	fill(a, 100, 1);
	fill(b, 100, 2);
	c.SetSize(100);
	c = a * b;
	for (int i = 0; i < 100; i++)
		assert(same(c(i), a(i) * b(i)));
	c = a - b;
	for (int i = 0; i < 100; i++)
		assert(same(c(i), a(i) - b(i)));
}

TEST(mask_bits)
{
	LocalTensor<half> a = at<half>(0), b = at<half>(1), c = at<half>(2);
	uint64_t mask[2] = {0x5555000011112222, 0x8000000000000001};

	fill(a, 256, 1);
	fill(b, 256, 2);
	Duplicate<half>(c, half(77), 256);
	Add(c, a, b, mask, 2, {1, 1, 1, 8, 8, 8});
	for (int i = 0; i < 256; i++)
		assert(same(c(i), (mask[i % 128 / 64] >> i % 64 & 1) ? half(a(i) + b(i)) : half(77)));
}

TEST(counter_mode)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);

	fill(a, 256, 1);
	fill(b, 256, 2);
	Duplicate(c, 77.0f, 256);
	SetMaskCount();
	SetVectorMask<float, MaskMode::COUNTER>(0, 147);
	Add<float, false>(c, a, b, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});
	SetMaskNorm();
	ResetMask();
	for (int i = 0; i < 256; i++)
		assert(same(c(i), i < 147 ? a(i) + b(i) : 77.0f));
}

TEST(vector_mask)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);

	fill(a, 64, 1);
	Duplicate(c, 77.0f, 64);
	SetVectorMask<float>(0, 0xff00ff00ff00ff00);
	Muls<float, false>(c, a, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
	ResetMask();
	for (int i = 0; i < 64; i++)
		assert(same(c(i), i / 8 % 2 ? a(i) * 2 : 77.0f));
}

template <class T, class F, class H> inline void one(F function, H reference)
{
	LocalTensor<T> a = at<T>(0), c = at<T>(2);

	fill(a, 333, 1);
	function(c, a, 333);
	for (uint32_t i = 0; i < 333; i++)
		assert(same(c.GetValue(i), static_cast<T>(reference(a.GetValue(i)))));
}

#define SCALAR(test, T, call, expression) \
	TEST(test) \
	{ \
		one<T>([](auto &c, auto &a, auto n) { call; }, [](T a) { return expression; }); \
	}
SCALAR(adds_f32, float, Adds(c, a, 1.5f, n), a + 1.5f)
SCALAR(adds_s32, int32_t, Adds(c, a, 5, n), a + 5)
SCALAR(muls_f16, half, Muls(c, a, half(-3), n), a * half(-3))
SCALAR(maxs_f32, float, Maxs(c, a, 0.5f, n), a > 0.5f ? a : 0.5f)
SCALAR(mins_s16, int16_t, Mins(c, a, int16_t(3), n), a < 3 ? a : 3)
SCALAR(leaky_relu, float, LeakyRelu(c, a, 0.25f, n), a > 0 ? a : a * 0.25f)
SCALAR(shift_left, uint32_t, ShiftLeft(c, a, 3u, n), a << 3)
SCALAR(shift_right, int32_t, ShiftRight(c, a, 2, n), a >> 2)
SCALAR(abs_f32, float, Abs(c, a, n), __builtin_fabsf(a))
SCALAR(abs_f16, half, Abs(c, a, n), a < 0 ? -a : a)
SCALAR(relu_s32, int32_t, Relu(c, a, n), a > 0 ? a : 0)
SCALAR(not_u16, uint16_t, Not(c, a, n), ~a)
SCALAR(neg_f32, float, Neg(c, a, n), -a)

TEST(sqrt_and_reciprocal)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2), d = at<float>(3);

	CreateVecIndex(a, 1.0f, 200);
	Sqrt(c, a, 200);
	Reciprocal(d, a, 200);
	for (int i = 0; i < 200; i++) {
		assert(same(c(i), __builtin_sqrtf(a(i))));
		assert(same(d(i), 1 / a(i)));
	}
}

TEST(axpy_and_fused)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2), d = at<float>(3);

	fill(a, 100, 1);
	fill(b, 100, 2);
	fill(c, 100, 3);
	fill(d, 100, 3);
	Axpy(c, a, 2.5f, 100);
	for (int i = 0; i < 100; i++)
		assert(same(c(i), __builtin_fmaf(a(i), 2.5f, d(i))));
	fill(c, 100, 3);
	MulAddDst(c, a, b, 100);
	for (int i = 0; i < 100; i++)
		assert(same(c(i), __builtin_fmaf(a(i), b(i), d(i))));
	fill(c, 100, 3);
	FusedMulAdd(c, a, b, 100);
	for (int i = 0; i < 100; i++)
		assert(same(c(i), __builtin_fmaf(d(i), a(i), b(i))));
}

TEST(duplicate_and_copy)
{
	LocalTensor<int16_t> a = at<int16_t>(0), c = at<int16_t>(2);

	fill(a, 256, 1);
	Duplicate<int16_t>(c, 9, 300);
	Copy(c, a, 64, 2, {1, 1, 4, 8});
	for (int i = 0; i < 300; i++)
		assert(c(i) == (i < 64 ? a(i) : i < 128 ? a(i + 64) : 9));
	Duplicate<int16_t>(c, 5, 100, 2, 1, 8);
	for (int i = 0; i < 300; i++)
		assert(c(i) == (i % 128 < 100 && i < 256 ? 5 : i < 64 ? a(i) : i < 128 ? a(i + 64) : 9));
}

TEST(duplicate_of_an_element)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);
	LocalTensor<int8_t> d = at<int8_t>(3), e = at<int8_t>(1);

	fill(a, 64, 1);
	fill(c, 400, 3);
	fill(d, 64, 2);
	float behind = c(333);
	Duplicate(c, a[8], 333);
	Duplicate<int8_t>(e, d, 77);
	for (int i = 0; i < 333; i++)
		assert(same(c(i), a(8)));
	assert(same(c(333), behind));
	for (int i = 0; i < 77; i++)
		assert(e(i) == d(0));
}

/* float from half: in whole, and by repeats with strides and a mask */
TEST(float_from_half)
{
	LocalTensor<float> c = at<float>(2), d = at<float>(3);
	LocalTensor<half> a = at<half>(0), b = at<half>(1);
	uint64_t bits[2] = {0x5555555555555555ull, 0};

	fill(a, 1500, 1);
	fill(b, 1500, 2);
	fill(c, 1500, 3);
	fill(d, 1500, 3);
	Axpy(c, a, half(2.5f), 1500);
	for (int i = 0; i < 1500; i++)
		assert(same(c(i), float(a(i)) * 2.5f + d(i)));
	fill(c, 1500, 3);
	MulAddDst(c, a, b, 1500);
	for (int i = 0; i < 1500; i++)
		assert(same(c(i), float(a(i)) * float(b(i)) + d(i)));
	fill(c, 1500, 3);
	Axpy(c, a, half(-1.5f), 50, 3, {1, 1, 16, 4});
	for (int i = 0; i < 384; i++)
		assert(same(c(i), i % 128 < 50 ? float(a(i / 128 * 64 + i % 128)) * -1.5f + d(i) : d(i)));
	fill(c, 1500, 3);
	MulAddDst(c, a, b, bits, 2, {1, 1, 1, 8, 8, 4});
	for (int i = 0; i < 200; i++)
		assert(same(c(i), i < 128 && i % 2 == 0 ? float(a(i / 64 * 128 + i % 64)) * float(b(i)) + d(i) : d(i)));
	SetMaskCount();
	fill(c, 1500, 3);
	FusedMulAdd(c, a, b, 130, 1, {1, 1, 1, 8, 4, 4});
	SetMaskNorm();
	for (int i = 0; i < 200; i++)
		assert(same(c(i), i < 130 ? d(i) * float(a(i)) + float(b(i)) : d(i)));
}

/* Operators pass functions of the API to their templates by the documented prototypes. */
template <class T> using ByCount = void(const LocalTensor<T> &, const LocalTensor<T> &, const int32_t &);
template <class T> using ByMask = void(const LocalTensor<T> &, const LocalTensor<T> &, uint64_t, const uint8_t, const UnaryRepeatParams &);
template <class T> using OfTwoByMask = void(const LocalTensor<T> &, const LocalTensor<T> &, const LocalTensor<T> &, uint64_t, const uint8_t,
					    const BinaryRepeatParams &);
template <class T> using WithScalar = void(const LocalTensor<T> &, const LocalTensor<T> &, const T &, const int32_t &);

template <class T, ByCount<T> *count, ByMask<T> *mask, OfTwoByMask<T> *two, WithScalar<T> *scalar> inline void passed()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1), z = at<T>(2);
	const uint32_t part = 256 / sizeof(T);

	fill(x, 2 * part, 3);
	count(y, x, static_cast<int32_t>(2 * part));
	mask(z, x, part, 2, UnaryRepeatParams(1, 1, 8, 8));
	for (uint32_t i = 0; i < 2 * part; i++)
		assert(same(y(i), T(-float(x(i)))) && same(z(i), y(i)));
	two(z, x, x, part, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	scalar(y, x, T(2), static_cast<int32_t>(2 * part));
	for (uint32_t i = 0; i < 2 * part; i++)
		assert(same(y(i), T(float(x(i)) * 2)) && same(z(i), y(i)));
}

TEST(functions_as_arguments)
{
	passed<half, Neg<half>, Neg<half>, Add<half>, Muls<half>>();
	passed<float, Neg<float>, Neg<float>, Add<float, true>, Muls<float, true>>();
}
