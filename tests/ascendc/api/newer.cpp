// SPDX-License-Identifier: MIT
/* Functions of newer documents: Fma, Hypot, IsNan with working memory, Quantize and its kin, PhiloxRandom: beside plain loops. */
#include "unit.h"

template <class T> inline void fma()
{
	LocalTensor<T> a = at<T>(0), b = at<T>(1), c = at<T>(2), y = at<T>(3);
	static constexpr FmaConfig config = {false};

	fill(a, 75, 1);
	fill(b, 75, 2);
	fill(c, 75, 3);
	Fma<config, T>(y, a, b, c, at<uint8_t>(4), 75);
	for (uint32_t i = 0; i < 75; i++)
		assert(float(y(i)) == float(a(i)) * float(b(i)) + float(c(i)));
}

TEST(fma_float) { fma<float>(); }
TEST(fma_half) { fma<half>(); }

template <class T> inline void hypot(float large)
{
	LocalTensor<T> a = at<T>(0), b = at<T>(1), y = at<T>(2);
	LocalTensor<bool> bits = at<bool>(3);
	const float inf = __builtin_inff(), nan = __builtin_nanf("");
	const float in[][3] = {{3, 4, 5}, {-5, 12, 13}, {0, 0, 0}, {0, -7, 7}, {large, 0, large}, {3 * large, 4 * large, 5 * large},
			       {inf, 1, inf}, {nan, -inf, inf}, {inf, nan, inf}};

	for (uint32_t i = 0; i < 11; i++) {
		a.SetValue(i, T(i < 9 ? in[i][0] : i == 9 ? nan : 2));
		b.SetValue(i, T(i < 9 ? in[i][1] : i == 9 ? 3 : nan));
	}
	PipeBarrier<PIPE_ALL>();
	Hypot(y, a, b, at<uint8_t>(4), 11);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 9; i++)
		assert(float(y(i)) == float(T(in[i][2])), "%u: %f", i, float(y(i)));
	IsNan(bits, y, at<uint8_t>(4), 11);
	for (uint32_t i = 0; i < 11; i++)
		assert(bits(i) == (i > 8), "%u", i);
	IsInf(bits, y, at<uint8_t>(4), 11);
	for (uint32_t i = 0; i < 11; i++)
		assert(bits(i) == (i > 5 && i < 9), "%u", i);
}

TEST(hypot_float) { hypot<float>(1e37f); }
TEST(hypot_half) { hypot<half>(8192); }

/* Limits that are numbers and tensors, in the wrong order, NaN, in place */
template <class T> inline void clamp()
{
	LocalTensor<T> x = at<T>(0), low = at<T>(1), y = at<T>(2), z = at<T>(3), w = at<T>(4);

	fill(x, 75, 1);
	fill(low, 75, 2);
	if constexpr (!std::is_integral_v<T>)
		x.SetValue(3, T(__builtin_nanf("")));
	PipeBarrier<PIPE_ALL>();
	Clamp(y, x, T(1), T(3), 75);
	Clamp(z, x, low, T(2), 75);
	Clamp(w, x, T(3), low, 75);
	Clamp(x, x, low, low, 75);
	PipeBarrier<PIPE_ALL>();
	Random random{1};

	for (uint32_t i = 0; i < 75; i++) {
		T in = number<T>(random);

		if (!std::is_integral_v<T> && i == 3) {
			assert(y(i) != y(i) && z(i) != z(i) && w(i) != w(i) && x(i) != x(i));
			continue;
		}
		assert(y(i) == (in < T(1) ? T(1) : in > T(3) ? T(3) : in), "%u", i);
		assert(z(i) == (low(i) > T(2) ? T(2) : in < low(i) ? low(i) : in > T(2) ? T(2) : in), "%u", i);
		assert(w(i) == (low(i) < T(3) || in > low(i) ? low(i) : in < T(3) ? T(3) : in), "%u", i);
		assert(x(i) == low(i));
	}
}

/* Below 1 there is none; squares of large numbers are beyond the range of float */
template <class T> inline void acosh_ends(float large, float want)
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	const float in[] = {1, large, 0.5f, 0, -1.5f, -60000};

	for (uint32_t i = 0; i < 6; i++)
		x.SetValue(i, T(in[i]));
	PipeBarrier<PIPE_ALL>();
	Acosh(y, x, at<uint8_t>(2), 6);
	PipeBarrier<PIPE_ALL>();
	assert(y(0) == T(0) && __builtin_fabsf(float(y(1)) - want) < want / 1000, "%f", float(y(1)));
	for (uint32_t i = 2; i < 6; i++)
		assert(y(i) != y(i), "%u: %f", i, float(y(i)));
}

TEST(acosh_ends_float) { acosh_ends<float>(1e30f, 69.7707f); }
TEST(acosh_ends_half) { acosh_ends<half>(60000, 11.69525f); }

TEST(clamp_float) { clamp<float>(); }
TEST(clamp_half) { clamp<half>(); }
TEST(clamp_bytes) { clamp<uint8_t>(); }
TEST(clamp_int64) { clamp<int64_t>(); }

template <class T> inline void arcs()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	const float in[] = {-0.0f, 0.0f, -1.0f, 1.0f, -0.25f};

	for (uint32_t i = 0; i < 5; i++)
		x.SetValue(i, T(in[i]));
	PipeBarrier<PIPE_ALL>();
	Atan(y, x, at<uint8_t>(2), 5);
	Asin(y[16], x, at<uint8_t>(2), 5);
	/* in place */
	Atan(x, x, at<uint8_t>(2), 5);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 5; i++) {
		bool negative = __builtin_signbit(in[i]);

		assert(bool(__builtin_signbit(float(y(i)))) == negative && bool(__builtin_signbit(float(y(16 + i)))) == negative && same(x(i), y(i)));
		assert((float(y(i)) == 0) == (i < 2) && float(y(i)) * (negative ? -1 : 1) < 0.7855f);
	}
}

TEST(arcs_float) { arcs<float>(); }
TEST(arcs_half) { arcs<half>(); }

constexpr uint32_t M = 5, N = 96;

template <QuantizePolicy policy, int32_t k> inline uint32_t of_group(uint32_t i, uint32_t j)
{
	return policy == QuantizePolicy::PER_CHANNEL ? j : policy == QuantizePolicy::PER_TOKEN ? i : k ? i * 3 + j / 32 : i / 32 * N + j;
}

template <class T, class V, QuantizePolicy policy, int32_t k> inline void quantise_by()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1);
	LocalTensor<V> scale = at<V>(2), offset = at<V>(3);
	LocalTensor<int8_t> q = at<int8_t>(4);
	static constexpr QuantizeConfig floors = {policy, true, RoundMode::CAST_FLOOR, k};
	static constexpr AntiQuantizeConfig back = {static_cast<AntiQuantizePolicy>(policy), true, k};

	fill(x, M * N, 1);
	for (uint32_t i = 0; i < N; i++) {
		scale.SetValue(i, V(float(i % 5 + 1) / 4));
		offset.SetValue(i, V(float(i % 7) - 3));
	}
	Quantize<floors>(q, x, at<uint8_t>(6), scale, offset, QuantizeParams{M, N, 32});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t j = 0; j < N; j++) {
			uint32_t g = of_group<policy, k>(i, j);

			assert(float(q(i * N + j)) == __builtin_floorf(float(x(i * N + j)) * float(scale(g)) + float(offset(g))), "%u %u", i, j);
		}
	AntiQuantize<back>(y, q, scale, offset, AntiQuantizeParams{M, N, 32});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t j = 0; j < N; j++) {
			uint32_t g = of_group<policy, k>(i, j);

			assert(float(y(i * N + j)) == (float(q(i * N + j)) + float(offset(g))) * float(scale(g)), "%u %u", i, j);
		}
}

TEST(quantize_channels) { quantise_by<half, half, QuantizePolicy::PER_CHANNEL, 1>(); }
TEST(quantize_tokens) { quantise_by<half, float, QuantizePolicy::PER_TOKEN, 1>(); }
TEST(quantize_groups_of_rows) { quantise_by<float, float, QuantizePolicy::PER_GROUP, 1>(); }
TEST(quantize_groups_of_columns) { quantise_by<float, float, QuantizePolicy::PER_GROUP, 0>(); }

TEST(dequantize)
{
	LocalTensor<int32_t> x = at<int32_t>(0);
	LocalTensor<half> y = at<half>(1);
	LocalTensor<float> z = at<float>(2);
	LocalTensor<uint64_t> words = at<uint64_t>(3);
	static constexpr DequantizeConfig channels = {DequantizePolicy::PER_CHANNEL}, all = {DequantizePolicy::PER_TENSOR, false, -1};
	static constexpr QuantizeConfig one = {QuantizePolicy::PER_TENSOR, false, RoundMode::CAST_ROUND, -1};

	fill(x, M * N, 1);
	for (uint32_t i = 0; i < N; i++)
		words.SetValue(i, __builtin_bit_cast(uint32_t, float(i) / 4) | 1ull << 46);
	Dequantize<channels>(y, x, words, LocalTensor<half>(), at<uint8_t>(4), DequantizeParams{M, N});
	Dequantize<all>(z, x, 0.5f, 0.0f, DequantizeParams{M, N});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < M * N; i++)
		assert(y(i) == half(float(x(i)) * float(i % N) / 4) && z(i) == float(x(i)) / 2);
	Quantize<one>(at<int8_t>(5), z, 1.0f, 0.0f, QuantizeParams{M, N});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < M * N; i++)
		assert(at<int8_t>(5)(i) == int8_t(x(i) / 2 + x(i) % 2));
}

/* The key and the counter 0: the known answer of ten rounds, and the example of the document */
TEST(philox)
{
	LocalTensor<uint32_t> x = at<uint32_t>(0);
	LocalTensor<float> y = at<float>(1);
	PhiloxKey key = {0, 0};
	PhiloxCounter counter = {0, 0, 0, 0}, last = {0xffffffff, 0, 0, 0}, next = {0, 1, 0, 0};

	PhiloxRandom<10>(x, key, counter, 6);
	assert(x(0) == 0x6627e8d5 && x(1) == 0xe169c58d && x(2) == 0xbc57ac4c && x(3) == 0x9b00dbd8);
	PhiloxRandom<10>(y, key, counter, 4);
	assert(y(0) == 0.31179297f && y(1) == 0.8263413f && y(2) == 0.6849456f);
	/* seven rounds are the default, and the counter is one number of 128 bits */
	PhiloxRandom(x, key, last, 8);
	PhiloxRandom<7>(x[8], key, next, 4);
	assert(x(4) == x(8) && x(7) == x(11) && x(0) != x(8));
}

/* The document's example, and one with a weight for each block, with gaps, and with a mask */
TEST(interpolation)
{
	LocalTensor<half> x = at<half>(0), w = at<half>(1), y = at<half>(2);
	LocalTensor<uint32_t> offsets = at<uint32_t>(3);
	uint64_t bits[2] = {0xff, 1};

	for (uint32_t i = 0; i < 512; i++) {
		x.SetValue(i, half(float(i + 1)));
		y.SetValue(i, half(-1));
	}
	for (uint32_t i = 0; i < 32; i++) {
		offsets.SetValue(i, i * 32);
		w.SetValue(i, half(float(i + 2)));
	}
	BilinearInterpolation(y, x, offsets, w, 128, 2, false, 1, 128, 2, at<uint8_t>(4));
	PipeBarrier<PIPE_ALL>();
	assert(y(0) == half(389) && y(1) == half(394) && y(2) == half(399) && y(255) == half(4096));
	for (uint32_t i = 0; i < 128; i++)
		assert(y(128 + i) == half(float(half(float(257 + i) * 4)) + float(half(float(385 + i) * 5))));
	for (uint32_t i = 0; i < 512; i++)
		y.SetValue(i, half(-1));
	offsets.SetValue(0, 96);
	BilinearInterpolation(y, x, offsets, w, bits, 1, true, 2, 256, 2, at<uint8_t>(4));
	PipeBarrier<PIPE_ALL>();
	for (uint32_t row = 0; row < 2; row++)
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t block = i / 32, j = row * 8 + block, from = (row || block ? j * 16 : 48) + i % 16;
			bool on = i % 32 < 16 && (i < 8 || i == 128);

			assert(y(row * 256 + i) == (on ? half(float(x(from)) * float(j + 2)) : half(-1)), "%u %u", row, i);
		}
}
