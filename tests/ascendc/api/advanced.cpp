// SPDX-License-Identifier: MIT
/* The high-level API: functions of elements and of rows. */
#include "unit.h"

template <class F, class G> inline void near(F function, G reference, float tolerance)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);

	fill(a, 300, 1);
	function(c, a, 300u);
	for (int i = 0; i < 300; i++)
		assert(__builtin_fabsf(c(i) - reference(a(i))) <= tolerance * (1 + __builtin_fabsf(reference(a(i)))));
}

/* exp() by its series */
inline float exponential(float x)
{
	double sum = 1, term = 1;

	/* all terms have one sign, so that nothing cancels */
	for (int i = 1; i < 100; i++)
		sum += term *= double(__builtin_fabsf(x)) / i;
	return float(x < 0 ? 1 / sum : sum);
}

TEST(sigmoid_and_relatives)
{
	near([](auto &c, auto &a, uint32_t n) { Sigmoid(c, a, n); },
	     [](float x) { return 1 / (1 + exponential(-x)); }, 1e-6f);
	near([](auto &c, auto &a, uint32_t n) { Silu(c, a, n); },
	     [](float x) { return x / (1 + exponential(-x)); }, 2e-6f);
	near([](auto &c, auto &a, uint32_t n) { Gelu(c, a, n); },
	     [](float x) { return x / (1 + exponential(-1.59576912f * (x + 0.0447145f * x * x * x))); }, 3e-6f);
	near([](auto &c, auto &a, uint32_t n) { Tanh(c, a, n); },
	     [](float x) { return 1 - 2 / (1 + exponential(2 * x)); }, 1e-6f);
	near([](auto &c, auto &a, uint32_t n) { Floor(c, a, n); }, [](float x) { return __builtin_floorf(x); }, 0);
	near([](auto &c, auto &a, uint32_t n) { Trunc(c, a, n); }, [](float x) { return __builtin_truncf(x); }, 0);
	near([](auto &c, auto &a, uint32_t n) { Frac(c, a, n); }, [](float x) { return x - __builtin_truncf(x); }, 0);
	near([](auto &c, auto &a, uint32_t n) { ClampMax(c, a, 2.0f, n); }, [](float x) { return x < 2 ? x : 2; }, 0);
	near([](auto &c, auto &a, uint32_t n) { Sin(c, a, at<uint8_t>(3), n); },
	     [](float x) {
		     double sum = x, term = x;

		     for (int i = 1; i < 20; i++)
			     sum += term *= -double(x) * x / (2 * i * (2 * i + 1));
		     return float(sum);
	     }, 1e-6f);
}

TEST(rows)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2);

	fill(a, 4 * 40, 1);
	Sum(c, a, SumParams{4, 40, 33});
	for (int row = 0; row < 4; row++) {
		float sum = 0;

		for (int i = 0; i < 33; i++)
			sum += a(row * 40 + i);
		assert(same(c(row), sum));
	}
	Mean(c, a, MeanParams{4, 40, 32});
	for (int row = 0; row < 4; row++) {
		float sum = 0;

		for (int i = 0; i < 32; i++)
			sum += a(row * 40 + i);
		assert(same(c(row), sum / 32));
	}
	CumSum<float>(c, c, a, CumSumInfo{4, 40});
	assert(same(c(42), a(40) + a(41) + a(42)));
	const uint32_t to[2] = {3, 16}, from[2] = {1, 16}, column[2] = {3, 1};
	Broadcast<float, 2, 0>(c, a, to, from);
	for (int i = 0; i < 48; i++)
		assert(same(c(i), a(i % 16)));
	Broadcast<float, 2, 1>(c, a, to, column);
	for (int i = 0; i < 48; i++)
		assert(same(c(i), a(i / 16)));
}

TEST(soft_max_and_norms)
{
	LocalTensor<float> a = at<float>(0), c = at<float>(2), sum = at<float>(3), max = at<float>(4);
	SoftMaxTiling tiling = {};

	fill(a, 3 * 40, 1);
	SoftMax(c, sum, max, a, tiling, SoftMaxShapeInfo{3, 40, 3, 37});
	for (int row = 0; row < 3; row++) {
		float all = 0, most = a(row * 40);

		for (int i = 0; i < 37; i++)
			most = a(row * 40 + i) > most ? a(row * 40 + i) : most;
		for (int i = 0; i < 37; i++)
			all += exponential(a(row * 40 + i) - most);
		assert(same(max(row * 8 + 7), most) && __builtin_fabsf(sum(row * 8) - all) < 1e-5f);
		for (int i = 0; i < 37; i++)
			assert(__builtin_fabsf(c(row * 40 + i) - exponential(a(row * 40 + i) - most) / all) < 1e-6f);
	}
	RmsNormTiling rms = {};
	LocalTensor<float> gamma = at<float>(5);
	rms.bLength = 1;
	rms.sLength = 2;
	rms.hLength = 40;
	rms.originalHLength = 40;
	Duplicate(gamma, 2.0f, 40);
	RmsNorm(c, a, gamma, 1e-5f, rms);
	for (int row = 0; row < 2; row++) {
		float squares = 0;

		for (int i = 0; i < 40; i++)
			squares += a(row * 40 + i) * a(row * 40 + i);
		for (int i = 0; i < 40; i++)
			assert(__builtin_fabsf(c(row * 40 + i) - 2 * a(row * 40 + i) / __builtin_sqrtf(squares / 40 + 1e-5f)) < 1e-5f);
	}
}

/* A shape by address, and one element for all */
TEST(broadcast_of_one)
{
	LocalTensor<half> a = at<half>(0), c = at<half>(2);
	uint32_t shapes[2][2] = {{3, 16}, {1, 1}}, *to = shapes[0], *from = shapes[1];

	fill(a, 16, 1);
	BroadCast<half, 2, 1>(c, a, to, from);
	for (int i = 0; i < 48; i++)
		assert(same(c(i), a(0)));
}

static constexpr SortConfig down = {SortType::RADIX_SORT, true};

template <class T, const SortConfig &config> static void sorted()
{
	LocalTensor<T> a = at<T>(0), c = at<T>(1);
	LocalTensor<uint32_t> places = at<uint32_t>(2), more = at<uint32_t>(3);
	bool seen[300] = {};

	fill(a, 300, 7);
	Sort<T, false, config>(c, places, a, 300);
	for (uint32_t i = 0; i < 300; i++) {
		assert(places(i) < 300 && !seen[places(i)] && same(c(i), a(places(i))));
		seen[places(i)] = true;
		if (i)
			assert(config.isDescend ? c(i - 1) >= c(i) : c(i - 1) <= c(i));
		if (i && c(i - 1) == c(i))
			assert(places(i - 1) < places(i));
	}
	for (uint32_t i = 0; i < 300; i++)
		more.SetValue(i, 1000 + i);
	Sort<T, true, config>(c, more, a, more, 300);
	for (uint32_t i = 0; i < 300; i++)
		assert(more(i) == 1000 + places(i));
	Sort<T, false, config>(a, a, 1);
	Sort<T, false, config>(a, a, 300);
	for (uint32_t i = 0; i < 300; i++)
		assert(same(a(i), c(i)));
}

TEST(sort_of_any_type)
{
	sorted<int32_t, DEFAULT_SORT_CONFIG>();
	sorted<int32_t, down>();
	sorted<float, DEFAULT_SORT_CONFIG>();
	sorted<half, down>();
	sorted<uint8_t, DEFAULT_SORT_CONFIG>();
	sorted<int64_t, down>();
}

constexpr CumSumConfig DOWN = {false, false, true};

/* Means and running sums of half whose sums half does not have, or would round */
TEST(sums_of_half)
{
	TPipe pipe;
	LocalTensor<half> x = at<half>(0), y = at<half>(1), last = at<half>(2);

	for (uint32_t i = 0; i < 1024; i++)
		x.SetValue(i, half(i % 2 ? 200 : 100));
	PipeBarrier<PIPE_ALL>();
	Mean<half, float>(y, x, MeanParams{1, 1024, 1001});
	PipeBarrier<PIPE_ALL>();
	assert(y.GetValue(0) == half((500.0f * 200 + 501 * 100) / 1001));
	for (uint32_t i = 0; i < 64 * 16; i++)
		x.SetValue(i, half(i < 16 ? 2048 : 0.75f));
	PipeBarrier<PIPE_ALL>();
	CumSum<half, DOWN>(y, last, x, CumSumInfo{64, 16});
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < 64 * 16; i++)
		assert(y.GetValue(i) == half(2048 + 0.75f * float(i / 16)));
	assert(last.GetValue(15) == half(2048 + 0.75f * 63));
}
