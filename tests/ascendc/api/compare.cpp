// SPDX-License-Identifier: MIT
/* Comparisons, selections and conversions. */
#include "unit.h"

template <class T> inline bool holds(CMPMODE mode, T a, T b)
{
	switch (mode) {
	case CMPMODE::LT: return a < b;
	case CMPMODE::GT: return a > b;
	case CMPMODE::EQ: return a == b;
	case CMPMODE::LE: return a <= b;
	case CMPMODE::GE: return a >= b;
	default: return a != b;
	}
}

/* The counter mode: 100 floats are a repeat and a part, whose bits do not begin at a block of 32 bytes */
TEST(select_by_count)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);
	LocalTensor<uint8_t> bits = at<uint8_t>(3);
	Random random;

	fill(a, 128, 1);
	fill(b, 128, 2);
	fill(c, 128, 3);
	float before = c.GetValue(100);

	for (uint32_t i = 0; i < 16; i++)
		bits.SetValue(i, uint8_t(random.next()));
	PipeBarrier<PIPE_ALL>();
	SetMaskCount();
	Select(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t(100), 1, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	SetMaskNorm();
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 100; i++)
		assert(c.GetValue(i) == (bits.GetValue(i / 8) >> i % 8 & 1 ? a : b).GetValue(i));
	SetMaskCount();
	Select(c, bits, a, -7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t(99), 1, BinaryRepeatParams());
	SetMaskNorm();
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 99; i++)
		assert(c.GetValue(i) == (bits.GetValue(i / 8) >> i % 8 & 1 ? a.GetValue(i) : -7.0f));
	assert(same(c.GetValue(100), before));
}

TEST(compare_and_select)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);
	LocalTensor<uint8_t> bits = at<uint8_t>(3);

	fill(a, 256, 1);
	fill(b, 256, 2);
	for (CMPMODE mode : {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE}) {
		Compare(bits, a, b, mode, 192);
		for (int i = 0; i < 192; i++)
			assert((bits(i / 8) >> i % 8 & 1) == holds(mode, a(i), b(i)));
		Select(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 192);
		for (int i = 0; i < 192; i++)
			assert(same(c(i), holds(mode, a(i), b(i)) ? a(i) : b(i)));
	}
	CompareScalar(bits, a, 1.25f, CMPMODE::GE, 128);
	Select(c, bits, a, -7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
	for (int i = 0; i < 128; i++)
		assert(same(c(i), a(i) >= 1.25f ? a(i) : -7.0f));
}

TEST(compare_repeats)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);
	LocalTensor<uint8_t> bits = at<uint8_t>(3);

	fill(a, 256, 1);
	fill(b, 256, 2);
	Compare(bits, a, b, CMPMODE::LT, 64, 4, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
	for (int i = 0; i < 256; i++)
		assert((bits(i / 8) >> i % 8 & 1) == (a(i) < b(i % 64)));
	Duplicate(c, 99.0f, 256);
	Select(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 40, 4, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	for (int i = 0; i < 256; i++)
		assert(same(c(i), i % 64 >= 40 ? 99.0f : a(i) < b(i % 64) ? a(i) : b(i)));
}

TEST(compare_mask_register)
{
	LocalTensor<half> a = at<half>(0), b = at<half>(1), c = at<half>(2);

	fill(a, 256, 1);
	fill(b, 256, 2);
	Compare(a, b, CMPMODE::GT, 128, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	Select<half, SELMODE::VSEL_CMPMASK_SPR>(c, a, b, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
	for (int i = 0; i < 256; i++)
		assert(same(c(i), a(i % 128) > b(i % 128) ? a(i) : b(i)));
}

template <class D, class S> inline void casts(const LocalTensor<D> &d, const LocalTensor<S> &s, RoundMode mode,
					      std::initializer_list<D> want)
{
	uint32_t i = 0;

	Cast(d, s, mode, uint32_t(want.size()));
	for (D value : want)
		assert(same(d(i++), value));
}

TEST(cast_rounding)
{
	LocalTensor<float> a = at<float>(0);
	LocalTensor<int32_t> c = at<int32_t>(2);
	const float values[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4f, -2.6f, 3e9f};

	for (int i = 0; i < 8; i++)
		a.SetValue(i, values[i]);
	casts(c, a, RoundMode::CAST_RINT, {0, 2, 2, 0, -2, 2, -3, INT32_MAX});
	casts(c, a, RoundMode::CAST_NONE, {0, 2, 2, 0, -2, 2, -3, INT32_MAX});
	casts(c, a, RoundMode::CAST_FLOOR, {0, 1, 2, -1, -2, 2, -3, INT32_MAX});
	casts(c, a, RoundMode::CAST_CEIL, {1, 2, 3, 0, -1, 3, -2, INT32_MAX});
	casts(c, a, RoundMode::CAST_ROUND, {1, 2, 3, -1, -2, 2, -3, INT32_MAX});
	casts(c, a, RoundMode::CAST_TRUNC, {0, 1, 2, 0, -1, 2, -2, INT32_MAX});
	casts(a[64], a, RoundMode::CAST_FLOOR, {0.0f, 1.0f, 2.0f, -1.0f, -2.0f, 2.0f, -3.0f, 3e9f});
}

TEST(cast_types)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1);
	LocalTensor<half> h = at<half>(2);
	LocalTensor<bfloat16_t> w = at<bfloat16_t>(3);
	LocalTensor<int8_t> s8 = at<int8_t>(4);
	LocalTensor<int64_t> s64 = at<int64_t>(5);

	fill(a, 333, 1);
	Cast(h, a, RoundMode::CAST_NONE, 333);
	Cast(w, a, RoundMode::CAST_RINT, 333);
	Cast(s8, h, RoundMode::CAST_RINT, 333);
	Cast(s64, a, RoundMode::CAST_RINT, 333);
	for (int i = 0; i < 333; i++) {
		assert(same(h(i), half(a(i))));
		assert(same(w(i), bfloat16_t(a(i))));
		assert(s64(i) == s8(i));
	}
	Cast(b, w, RoundMode::CAST_NONE, 333);
	for (int i = 0; i < 333; i++)
		assert(same(b(i), a(i)));
	/* repeats: half to float, 64 elements each */
	Duplicate(b, 0.0f, 256);
	Cast(b, h, RoundMode::CAST_NONE, 50, 2, UnaryRepeatParams(1, 1, 8, 4));
	for (int i = 0; i < 128; i++)
		assert(same(b(i), i % 64 < 50 ? a(i) : 0.0f));
	assert((ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(2.25f) == 3));
	assert((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(-2.5f) == -3));
	assert(ToFloat(ToBfloat16(1.5f)) == 1.5f);
}
