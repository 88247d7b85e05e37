// SPDX-License-Identifier: MIT
/* Reductions; numbers are multiples of 1/4 and small, so that sums are exact in any order. */
#include "unit.h"

template <class T> inline void whole_sum()
{
	LocalTensor<T> a = at<T>(0), c = at<T>(2);
	constexpr uint32_t each = 256 / sizeof(T);

	fill(a, 8 * each, 1);
	Duplicate(c, T(77), 64);
	WholeReduceSum(c, a, each, 4, 1, 1, 8);
	for (uint32_t r = 0; r < 4; r++) {
		T sum = 0;

		for (uint32_t i = 0; i < each; i++)
			sum += a(r * each + i);
		assert(same(c(r), sum));
	}
	/* fewer elements, every second block, results two apart */
	Duplicate(c, T(77), 64);
	WholeReduceSum(c, a, each / 2 - 3, 3, 2, 2, 4);
	for (uint32_t r = 0; r < 3; r++) {
		uint32_t block = 32 / sizeof(T);
		T sum = 0;

		for (uint32_t i = 0; i < each / 2 - 3; i++)
			sum += a(r * 4 * block + i / block * 2 * block + i % block);
		assert(same(c(r * 2), sum));
		assert(same(c(r * 2 + 1), T(77)));
	}
}

TEST(whole_sum_f32)
{
	whole_sum<float>();
}

TEST(whole_sum_f16)
{
	whole_sum<half>();
}

TEST(whole_sum_bits)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);
	uint64_t mask[2] = {0x8000000100f0000f, 0};

	fill(a, 128, 1);
	WholeReduceSum(c, a, mask, 2, 1, 1, 8);
	for (uint32_t r = 0; r < 2; r++) {
		float sum = 0;

		for (uint32_t i = 0; i < 64; i++)
			if (mask[0] >> i & 1)
				sum += a(r * 64 + i);
		assert(same(c(r), sum));
	}
}

TEST(whole_max_index)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);
	uint64_t mask[2] = {0xfffffffffffffff0, 0};

	for (int i = 0; i < 128; i++)
		a.SetValue(i, i % 64 == 2 ? 50.0f : i % 64 == 9 || i % 64 == 40 ? 20.0f : -1.0f);
	WholeReduceMax(c, a, 64, 2, 1, 1, 8);
	assert(same(c(0), 50.0f) && c.ReinterpretCast<uint32_t>()(1) == 2 && same(c(2), 50.0f));
	WholeReduceMax(c, a, mask, 2, 1, 1, 8);
	assert(same(c(0), 20.0f) && c.ReinterpretCast<uint32_t>()(1) == 9);
	WholeReduceMax(c, a, 64, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
	assert(same(c(1), 50.0f));
	for (int i = 0; i < 128; i++)
		a.SetValue(i, 3.0f);
	WholeReduceMin(c, a, mask, 1, 1, 1, 8);
	assert(same(c(0), 3.0f) && c.ReinterpretCast<uint32_t>()(1) == 4);
}

TEST(block_and_pair)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);

	fill(a, 128, 1);
	BlockReduceSum(c, a, 2, 64, 1, 1, 8);
	for (int b = 0; b < 16; b++) {
		float sum = 0;

		for (int i = 0; i < 8; i++)
			sum += a(b * 8 + i);
		assert(same(c(b), sum));
	}
	PairReduceSum(c, a, 2, 64, 1, 1, 8);
	for (int i = 0; i < 64; i++)
		assert(same(c(i), a(2 * i) + a(2 * i + 1)));
	BlockReduceMax(c, a, 1, 64, 1, 1, 8);
	for (int b = 0; b < 8; b++) {
		float most = a(b * 8);

		for (int i = 1; i < 8; i++)
			most = a(b * 8 + i) > most ? a(b * 8 + i) : most;
		assert(same(c(b), most));
	}
}

/* The mask is the number of all elements, and the number of repeats that is given means nothing. */
TEST(counter_mode)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);

	fill(a, 256, 1);
	Duplicate(c, 77.0f, 64);
	SetMaskCount();
	SetVectorMask<float, MaskMode::COUNTER>(0, 150);
	WholeReduceSum<float, false>(c, a, MASK_PLACEHOLDER, 1, 2, 1, 8);
	WholeReduceMax(c[8], a, 70, 1, 1, 1, 8);
	BlockReduceSum(c[16], a, 1, 130, 1, 1, 8);
	PairReduceSum(c[40], a, 1, 10, 1, 1, 8);
	SetMaskNorm();
	ResetMask();
	for (uint32_t r = 0; r < 4; r++) {
		float sum = 0;

		for (uint32_t i = r * 64; i < (r < 2 ? r * 64 + 64 : 150); i++)
			sum += a(i);
		assert(same(c(2 * r), r < 3 ? sum : 77.0f) && same(c(2 * r + 1), 77.0f));
	}
	for (uint32_t r = 0; r < 2; r++) {
		uint32_t best = r * 64;

		for (uint32_t i = best; i < (r ? 70 : 64); i++)
			best = a(i) > a(best) ? i : best;
		assert(same(c(8 + 2 * r), a(best)) && c.ReinterpretCast<uint32_t>()(9 + 2 * r) == best % 64);
	}
	for (uint32_t b = 0; b < 17; b++) {
		float sum = 0;

		for (uint32_t i = b * 8; i < (b < 16 ? b * 8 + 8 : 130); i++)
			sum += a(i);
		assert(same(c(16 + b), sum));
	}
	for (uint32_t i = 0; i < 6; i++)
		assert(same(c(40 + i), i < 5 ? a(2 * i) + a(2 * i + 1) : 77.0f));
}

TEST(all_elements)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2), work = at<float>(3);

	for (int n : {1, 63, 64, 1000}) {
		float sum = 0, most = -100;
		uint32_t where = 0;

		fill(a, n, n);
		for (int i = 0; i < n; i++) {
			sum += a(i);
			if (a(i) > most) {
				most = a(i);
				where = i;
			}
		}
		ReduceSum(c, a, work, n);
		assert(same(c(0), sum));
		assert(same(GetAccVal<float>(), sum));
		ReduceMax(c, a, work, n, true);
		assert(same(c(0), most) && c.ReinterpretCast<uint32_t>()(1) == where);
	}
}

TEST(masked_in_two_steps)
{
	LocalTensor<half> a = at<half>(0), c = at<half>(2), work = at<half>(3);
	half sum = 0, most = -100;
	int where = 0;

	fill(a, 512, 1);
	for (int r = 0; r < 4; r++)
		for (int i = 0; i < 100; i++) {
			half x = a(r * 128 + i);

			sum += x;
			if (x > most) {
				most = x;
				where = r * 128 + i;
			}
		}
	ReduceSum<half>(c, a, work, 100, 4, 8);
	assert(same(c(0), sum));
	ReduceMax<half>(c, a, work, 100, 4, 8, true);
	assert(same(c(0), most) && c.ReinterpretCast<uint16_t>()(1) == where);
}

/* The older name, the mask set by the function below the API, and names that the compiler has built in as variables */
TEST(repeat_reduce_sum)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2), d = at<float>(4);
	int64_t block_idx = ::block_idx + ::block_num;

	assert(block_idx == GetBlockIdx() + GetBlockNum());
	fill(a, 512, 3);
	RepeatReduceSum(c, a, 8, 50, 1, 1, 2, 8);
	WholeReduceSum(d, a, 50, 8, 2, 1, 8);
	for (int i = 0; i < 8; i++)
		assert(same(c(i * 2), d(i * 2)));
	Duplicate(c, 9.0f, 128);
	AscendCUtils::SetMask<float>(0, 0x0f);
	Muls<float, false>(c, a, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
	AscendCUtils::ResetMask();
	for (int i = 0; i < 64; i++)
		assert(c(i) == (i < 4 ? a(i) * 2 : 9.0f));
	static_assert(AscendCUtils::GetC0Count(sizeof(half)) == 16);
	PRELOAD(2);
	assert(GetSysWorkSpacePtr() != nullptr && GetSysWorkspace() != nullptr);
}
