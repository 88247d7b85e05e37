// SPDX-License-Identifier: MIT
/* Reductions by pattern, quantisation, padding, selections by bytes, top-k: beside plain loops. */
#include "unit.h"

template <class T> inline void patterns()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	const uint32_t shape[2] = {5, 43};
	const uint32_t step = (43 * sizeof(T) + 31) / 32 * 32 / sizeof(T);

	fill(x, 5 * step, 1);
	ReduceSum<T, Pattern::Reduce::AR>(y, x, shape, true);
	for (uint32_t row = 0; row < 5; row++) {
		float sum = 0;

		for (uint32_t i = 0; i < 43; i++)
			sum += float(x(row * step + i));
		assert(same(y(row), T(sum)));
	}
	ReduceMean<T, Pattern::Reduce::RA>(y, x, at<uint8_t>(3), shape, true);
	for (uint32_t i = 0; i < 43; i++) {
		float sum = 0;

		for (uint32_t row = 0; row < 5; row++)
			sum += float(x(row * step + i));
		assert(same(y(i), T(sum / 5)));
	}
	ReduceMax<T, Pattern::Reduce::AR>(y, x, shape, true);
	for (uint32_t row = 0; row < 5; row++) {
		T most = x(row * step);

		for (uint32_t i = 1; i < 43; i++)
			most = x(row * step + i) > most ? x(row * step + i) : most;
		assert(y(row) == most);
	}
	ReduceMin<T, Pattern::Reduce::RA>(y, x, shape, true);
	ReduceProd<T, Pattern::Reduce::AR>(y[64], x, shape, true);
	for (uint32_t i = 0; i < 43; i++) {
		T least = x(i);

		for (uint32_t row = 1; row < 5; row++)
			least = x(row * step + i) < least ? x(row * step + i) : least;
		assert(y(i) == least);
	}
	/* a 0 is among them */
	assert(y(64) == T(0));
}

TEST(patterns_float) { patterns<float>(); }
TEST(patterns_half) { patterns<half>(); }

TEST(patterns_of_bytes)
{
	LocalTensor<uint8_t> x = at<uint8_t>(0), y = at<uint8_t>(1);
	LocalTensor<int16_t> a = at<int16_t>(2), b = at<int16_t>(3), c = at<int16_t>(4);
	const uint32_t shape[2] = {3, 32};

	for (uint32_t i = 0; i < 96; i++)
		x.SetValue(i, i >= 64 ? 7 : i == 40);
	ReduceAny<uint8_t, Pattern::Reduce::AR>(y, x, shape, true);
	assert(y(0) == 0 && y(1) == 1 && y(2) == 1);
	ReduceAll<uint8_t, Pattern::Reduce::AR>(y, x, shape, true);
	assert(y(0) == 0 && y(1) == 0 && y(2) == 1);
	ReduceAny<uint8_t, Pattern::Reduce::RA>(y, x, shape, true);
	assert(y(0) == 1 && y(8) == 1);
	fill(a, 50, 1);
	fill(b, 50, 2);
	ReduceXorSum(c, a, b, 50);
	int16_t sum = 0;

	for (uint32_t i = 0; i < 50; i++)
		sum = int16_t(sum + (a(i) ^ b(i)));
	assert(c(0) == sum);
}

template <class T> inline void quantise()
{
	LocalTensor<T> x = at<T>(0), scale = at<T>(2), offset = at<T>(3);
	LocalTensor<int8_t> y = at<int8_t>(1);

	fill(x, 96, 1);
	fill(scale, 32, 2);
	fill(offset, 32, 3);
	AscendQuant(y, x, 30.0f, 1.0f, 96);
	for (uint32_t i = 0; i < 96; i++) {
		float want = float(x(i)) * 30 + 1;

		/* ties go to the even neighbour: a tie is .5, since x is a number of quarters */
		want = want > 127 ? 127 : want < -128 ? -128 : __builtin_floorf(want + 0.5f) - (want - __builtin_floorf(want) == 0.5f &&
											      int32_t(__builtin_floorf(want)) % 2 == 0);
		assert(float(y(i)) == want);
	}
	AscendQuant(y, x, at<uint8_t>(4), scale, offset, 32u, 32u, 96u);
	for (uint32_t i = 0; i < 96; i++)
		assert(__builtin_fabsf(float(y(i)) - (float(x(i)) * float(scale(i % 32)) + float(offset(i % 32)))) <= 0.5f);
	/* one offset, without working memory; a rest of the last row; all numbers from the tensors */
	AscendQuant(y, x, scale, T(2), 32u, 70u);
	for (uint32_t i = 0; i < 70; i++)
		assert(__builtin_fabsf(float(y(i)) - (float(x(i)) * float(scale(i % 32)) + 2)) <= 0.5f);
	LocalTensor<T> some = x, scales = scale;

	some.SetSize(64);
	scales.SetSize(32);
	AscendQuant(y, some, scales, offset);
	assert(__builtin_fabsf(float(y(63)) - (float(x(63)) * float(scale(31)) + float(offset(31)))) <= 0.5f);
	AscendQuant(y, x, 30.0f, 1.0f, 96);
	LocalTensor<int8_t> part = y;

	part.SetSize(96);
	AscendAntiQuant<int8_t, T>(x, part, T(2), T(0.5f), at<uint8_t>(4), 3);
	for (uint32_t i = 0; i < 96; i++)
		assert(float(x(i)) == (float(y(i)) + 2) * 0.5f);
	AscendAntiQuant<int8_t, T>(x, part, offset, scale, at<uint8_t>(4), 3);
	for (uint32_t i = 0; i < 96; i++)
		assert(__builtin_fabsf(float(x(i)) - (float(y(i)) + float(offset(i % 32))) * float(scale(i % 32))) <=
		       1e-3f * __builtin_fabsf(float(x(i))));
}

TEST(quantise_float) { quantise<float>(); }
TEST(quantise_half) { quantise<half>(); }

TEST(dequantise)
{
	LocalTensor<int32_t> x = at<int32_t>(0);
	LocalTensor<half> y = at<half>(1);
	LocalTensor<uint64_t> words = at<uint64_t>(2);

	fill(x, 3 * 24, 1);
	for (uint32_t i = 0; i < 24; i++)
		words.SetValue(i, __builtin_bit_cast(uint32_t, float(i) / 4) | 1ull << 46);
	AscendDequant(y, x, words, DequantParams{3, 24, 20});
	for (uint32_t row = 0; row < 3; row++)
		for (uint32_t i = 0; i < 20; i++)
			assert(y(row * 32 + i) == half(float(x(row * 24 + i)) * float(i) / 4));
	/* one row in parts of calCount, which have the same scales, or a row of which calCount count */
	AscendDequant(y, x, words, DequantParams{1, 64, 16});
	for (uint32_t i = 0; i < 64; i++)
		assert(y(i) == half(float(x(i)) * float(i % 16) / 4));
	y.SetValue(16, half(7));
	AscendDequant<half, uint64_t, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(y, x, words, DequantParams{1, 64, 16});
	assert(y(16) == half(7));
	LocalTensor<bfloat16_t> z = at<bfloat16_t>(3);
	AscendDequant(z, x, bfloat16_t(0.5f), DequantParams{1, 16, 16});
	assert(float(z(3)) == float(x(3)) / 2);
	AscendDequant(y, x, 0.25f, DequantParams{3, 24, 24});
	for (uint32_t i = 0; i < 24; i++)
		assert(y(32 + i) == half(float(x(24 + i)) / 4));
}

TEST(pad_and_transpose)
{
	LocalTensor<half> x = at<half>(0), y = at<half>(1), z = at<half>(2);
	PadParams pad{1, 2, 9};
	UnPadParams unpad{1, 2};
	PadTiling tiling = {};
	UnPadTiling back = {};
	TransposeParamsExt shape{2, 3, 4, 8, TransposeType::TRANSPOSE_NCHW2NHWC};
	ConfusionTransposeTiling matrix = {};

	fill(x, 256, 1);
	tiling.srcHeight = back.srcHeight = 3;
	tiling.srcWidth = tiling.srcOriWidth = 13;
	back.srcWidth = 16;
	Pad(y, x, pad, tiling);
	for (uint32_t i = 0; i < 48; i++)
		assert(y(i) == (i % 16 == 0 || i % 16 > 13 ? half(9) : x(i / 16 * 13 + i % 16 - 1)));
	UnPad(z, y, unpad, back);
	for (uint32_t i = 0; i < 39; i++)
		assert(z(i) == x(i));
	Transpose(y, x, at<uint8_t>(4), shape);
	for (uint32_t n = 0; n < 2; n++)
		for (uint32_t c = 0; c < 3; c++)
			for (uint32_t p = 0; p < 32; p++)
				assert(y((n * 32 + p) * 3 + c) == x((n * 3 + c) * 32 + p));
	matrix.param0 = 16;
	matrix.param1 = 12;
	ConfusionTranspose(y, x, TransposeType::TRANSPOSE_ND2ND_ONLY, matrix);
	for (uint32_t i = 0; i < 192; i++)
		assert(y(i % 12 * 16 + i / 12) == x(i));
}

/* Place of an element in fractals of matrices of rows x cols */
inline uint32_t nz(uint32_t matrix, uint32_t rows, uint32_t cols, uint32_t row, uint32_t col)
{
	uint32_t high = (rows + 15) / 16 * 16, wide = (cols + 15) / 16 * 16;

	return matrix * high * wide + col / 16 * high * 16 + row * 16 + col % 16;
}

/* Heads [B, N, S, D] in each form of each type */
template <class T> inline void heads(uint32_t B, uint32_t N, uint32_t S, uint32_t D)
{
	LocalTensor<T> x = at<T>(0), y = at<T>(4);
	ConfusionTransposeTiling tiling = {};

	tiling.param0 = B;
	tiling.param1 = N;
	tiling.param2 = S;
	tiling.param3 = D;
	for (uint32_t i = 0; i < 8192 * 3 / sizeof(T); i++)
		x.SetValue(i, T(int(i)));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t type = 1; type <= 6; type++) {
		ConfusionTranspose(y, x, at<uint8_t>(8), static_cast<TransposeType>(type), tiling);
		PipeBarrier<PIPE_ALL>();
		for (uint32_t b = 0; b < B; b++)
			for (uint32_t n = 0; n < N; n++)
				for (uint32_t s = 0; s < S; s++)
					for (uint32_t d = 0; d < D; d++) {
						uint32_t bnsd = nz(b * N + n, S, D, s, d), bsh = nz(b, S, N * D, s, n * D + d);
						uint32_t pitch = (D + 15) / 16 * 16, pitch_h = (N * D + 15) / 16 * 16;
						uint32_t to[] = {((b * S + s) * N + n) * D + d, nz(b * S + s, N, D, n, d), bnsd,
								 ((b * N + n) * S + s) * pitch + d, (b * S + s) * pitch_h + n * D + d, bsh};

						assert(y(to[type - 1]) == x(type == 3 || type == 4 ? bsh : bnsd), "%u: %u %u %u %u", type, b, n, s, d);
					}
	}
}

TEST(heads_of_16)
{
	heads<half>(2, 3, 32, 32);
	heads<float>(1, 2, 16, 48);
	heads<int16_t>(2, 2, 20, 16);
}

TEST(heads_of_other_sizes)
{
	heads<int32_t>(2, 4, 20, 8);
	heads<uint16_t>(1, 3, 7, 24);
}

template <class T> inline void three_dimensions()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	ConfusionTransposeTiling tiling = {};

	tiling.param0 = 3;
	tiling.param1 = 5;
	tiling.param2 = 7;
	fill(x, 105, 1);
	for (uint32_t type = 0; type < 3; type++) {
		Transpose(y, x, at<uint8_t>(8), static_cast<TransposeType>(uint32_t(TransposeType::TRANSPOSE_ND2ND_021) + type), tiling);
		PipeBarrier<PIPE_ALL>();
		for (uint32_t i = 0; i < 105; i++) {
			uint32_t a = i / 35, b = i / 7 % 5, c = i % 7;

			assert(y(type == 0 ? (a * 7 + c) * 5 + b : type == 1 ? (b * 3 + a) * 7 + c : (c * 5 + b) * 3 + a) == x(i));
		}
	}
	tiling.param2 = 0;
	Transpose(y, x, TransposeType::TRANSPOSE_ND2ND_021, tiling);
	for (uint32_t i = 0; i < 15; i++)
		assert(y(i % 5 * 3 + i / 5) == x(i));
}

TEST(three_dimensions_int8) { three_dimensions<int8_t>(); }
TEST(three_dimensions_float) { three_dimensions<float>(); }

template <class T> inline void by_bytes()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	LocalTensor<uint8_t> mask = at<uint8_t>(2);

	fill(x, 128, 1);
	for (uint32_t i = 0; i < 128; i++)
		mask.SetValue(i, i * 7 % 5 < 2);
	DropOut(y, x, mask, 0.5f, DropOutShapeInfo{2, 48, 64});
	for (uint32_t i = 0; i < 96; i++)
		assert(float(y(i)) == (mask(i / 48 * 64 + i % 48) ? float(x(i)) * 2 : 0));
	DropOut(y, x, mask, 0.25f, DropOutShapeInfo{2, 64, 8});
	for (uint32_t i = 0; i < 128; i++)
		assert(float(y(i)) == (mask(i / 8) >> i % 8 & 1 ? float(x(i)) * 4 : 0));
	SelectWithBytesMask(y, x, T(77), mask, at<uint8_t>(4), SelectWithBytesMaskShapeInfo{2, 48, 64});
	for (uint32_t i = 0; i < 96; i++)
		assert(y(i) == (mask(i / 48 * 64 + i % 48) ? T(77) : x(i)));
	Select(y, T(77), x, mask, at<uint8_t>(4), SelectWithBytesMaskShapeInfo{1, 64, 64});
	for (uint32_t i = 0; i < 64; i++)
		assert(y(i) == (mask(i) ? x(i) : T(77)));
}

TEST(by_bytes_float) { by_bytes<float>(); }
TEST(by_bytes_half) { by_bytes<half>(); }

template <class T> inline void top(bool largest)
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	LocalTensor<int32_t> index = at<int32_t>(2), given = at<int32_t>(3);
	LocalTensor<bool> finish = at<bool>(4);

	for (uint32_t i = 0; i < 128; i++) {
		x.SetValue(i, T(float(int32_t(i * 37 % 61)) - 30));
		given.SetValue(i, int32_t(1000 + i));
	}
	finish.SetValue(0, false);
	finish.SetValue(1, true);
	TopK<T, true, true>(y, index, x, given, finish, 5, TopkTiling{}, TopKInfo{2, 64, 51}, largest);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t before = 0, at_index = uint32_t(index(i)) - 1000;

		for (uint32_t j = 0; j < 51; j++)
			before += largest ? x(j) > y(i) : x(j) < y(i);
		assert(before == i && at_index < 51 && x(at_index) == y(i) && index(8 + i) == 51);
	}
	LocalTensor<T> second = y[32 / sizeof(T)];

	/* what is between the rows of results goes on in order */
	for (uint32_t i = 1; i < 32 / sizeof(T); i++)
		assert((largest ? y(i - 1) >= y(i) : y(i - 1) <= y(i)) && (i > 7 || x(uint32_t(index(i)) - 1000) == y(i)));

	for (uint32_t i = 1; i < 5; i++)
		assert(largest ? second(i - 1) >= second(i) : second(i - 1) <= second(i));

	/* The configuration's order counts, whatever the argument says */
	static constexpr TopKConfig smallest{TopKAlgo::RADIX_SELECT, TopKOrder::SMALLEST, false};
	static constexpr TopKConfig unset{TopKAlgo::RADIX_SELECT, TopKOrder::UNSET, false};

	TopK<T, true, false, false, TopKMode::TOPK_NORMAL, smallest>(y, index, x, given, finish, at<uint8_t>(5), 5, TopkTiling{},
								     TopKInfo{1, 64, 51}, largest);
	for (uint32_t i = 0; i < 51; i++)
		assert(y(0) <= x(i));
	TopK<T, true, false, false, TopKMode::TOPK_NORMAL, unset>(y, index, x, given, finish, 5, TopkTiling{}, TopKInfo{1, 64, 51},
								  largest);
	for (uint32_t i = 0; i < 51; i++)
		assert(largest ? y(0) >= x(i) : y(0) <= x(i));
}

TEST(top_k)
{
	top<float>(true);
	top<float>(false);
	top<half>(true);
	top<half>(false);
}
