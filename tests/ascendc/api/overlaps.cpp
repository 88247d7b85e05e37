// SPDX-License-Identifier: MIT
/* Operations within one buffer: a repeat of 256 bytes reads before it writes, and repeats are in ascending order. */
#include "unit.h"

TEST(upper_half_to_the_whole)
{
	TPipe pipe;
	LocalTensor<float> x = at<float>(0);
	LocalTensor<half> h = x.ReinterpretCast<half>()[1008], same_numbers = at<half>(1);

	fill(h, 1008, 3);
	fill(same_numbers, 1008, 3);
	PipeBarrier<PIPE_ALL>();
	Cast(x, h, RoundMode::CAST_NONE, 1001);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 1001; i++)
		assert(x.GetValue(i) == float(same_numbers.GetValue(i)));
}

TEST(shifts_within_a_buffer)
{
	TPipe pipe;
	LocalTensor<float> x = at<float>(0), y = at<float>(1), z = at<float>(2);

	fill(x, 1024, 1);
	fill(y, 1024, 1);
	fill(z, 1024, 1);
	PipeBarrier<PIPE_ALL>();
	Add(x, x, x[64], 500);
	Muls(y, y[8], 2.0f, 500);
	DataCopy(z, z[24], 504);
	PipeBarrier<PIPE_ALL>();
	LocalTensor<float> before = at<float>(3);

	fill(before, 1024, 1);
	for (uint32_t i = 0; i < 500; i++) {
		assert(x.GetValue(i) == before.GetValue(i) + before.GetValue(i + 64));
		assert(y.GetValue(i) == 2 * before.GetValue(i + 8) && z.GetValue(i) == before.GetValue(i + 24));
	}
	assert(x.GetValue(500) == before.GetValue(500) && z.GetValue(504) == before.GetValue(504));
	/* towards the end, within a repeat; beyond it the operation is refused (the case overlap_shift of the catalogue) */
	Adds(x[8], x, 1.0f, 64);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 64; i++)
		assert(x.GetValue(8 + i) == before.GetValue(i) + before.GetValue(i + 64) + 1);
}

TEST(selections_within_a_buffer)
{
	TPipe pipe;
	LocalTensor<half> x = at<half>(0), before = at<half>(1);
	LocalTensor<uint8_t> bits = at<uint8_t>(2);

	fill(x, 1024, 1);
	fill(before, 1024, 1);
	PipeBarrier<PIPE_ALL>();
	CompareScalar(bits, x, half(0), CMPMODE::GT, 512);
	Select(x, bits, x[128], x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 500);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 500; i++)
		assert(x.GetValue(i) == before.GetValue(before.GetValue(i) > half(0) ? i + 128 : i));
	assert(x.GetValue(500) == before.GetValue(500));
}

/* The bits of one repeat within what it compares, which is read before */
TEST(comparisons_within_a_buffer)
{
	TPipe pipe;
	LocalTensor<float> x = at<float>(0), y = at<float>(1), before = at<float>(2);
	LocalTensor<uint8_t> bits = x[16].ReinterpretCast<uint8_t>();

	fill(x, 64, 1);
	fill(before, 64, 1);
	fill(y, 64, 2);
	PipeBarrier<PIPE_ALL>();
	Compare(bits, y, x, CMPMODE::NE, 64);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 64; i++)
		assert((bits(i / 8) >> i % 8 & 1) == (y(i) != before(i)), "%u", i);
	fill(x, 64, 1);
	PipeBarrier<PIPE_ALL>();
	CompareScalar(bits, x, 1.0f, CMPMODE::GT, 48);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 48; i++)
		assert((bits(i / 8) >> i % 8 & 1) == (before(i) > 1), "%u", i);
}

/* Rows of three blocks lose their last one in place */
TEST(rows_become_shorter)
{
	TPipe pipe;
	LocalTensor<int32_t> x = at<int32_t>(0);

	for (uint32_t i = 0; i < 24 * 20; i++)
		x.SetValue(i, int32_t(i));
	PipeBarrier<PIPE_ALL>();
	DataCopy(x[16], x[24], DataCopyParams(19, 2, 1, 0));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 16 * 20; i++)
		assert(x.GetValue(i) == int32_t(i / 16 * 24 + i % 16));
}

TEST(results_among_the_elements)
{
	TPipe pipe;
	LocalTensor<float> x = at<float>(0), before = at<float>(1);
	LocalTensor<half> h = at<half>(2);
	float sum = 0;
	uint32_t best = 0;

	fill(x, 1000, 5);
	fill(before, 1000, 5);
	fill(h, 300, 6);
	for (uint32_t i = 0; i < 1000; i++)
		sum += x.GetValue(i);
	for (uint32_t i = 1; i < 300; i++)
		if (h.GetValue(i) > h.GetValue(best))
			best = i;
	half most = h.GetValue(best);

	PipeBarrier<PIPE_ALL>();
	ReduceSum(x[16], x, x, 1000);
	ReduceMax(h[32], h, h, 300, true);
	PipeBarrier<PIPE_ALL>();
	assert(x.GetValue(16) == sum && __builtin_bit_cast(uint16_t, h.GetValue(33)) == best && h.GetValue(32) == most);
	for (uint32_t i = 0; i < 1000; i++)
		assert(i == 16 || x.GetValue(i) == before.GetValue(i));
}

TEST(transposed_in_place)
{
	TPipe pipe;
	LocalTensor<half> x = at<half>(0), y = at<half>(1), before = at<half>(2);
	LocalTensor<half> lists[16];

	fill(x, 256, 1);
	fill(y, 256, 1);
	fill(before, 256, 1);
	for (uint32_t i = 0; i < 16; i++)
		lists[i] = y[i * 16];
	PipeBarrier<PIPE_ALL>();
	Transpose(x, x);
	TransDataTo5HD<half>(lists, lists, TransDataTo5HDParams(false, false, 1, 0, 0));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 256; i++)
		assert(x.GetValue(i) == before.GetValue(i % 16 * 16 + i / 16) && y.GetValue(i) == x.GetValue(i));
}
