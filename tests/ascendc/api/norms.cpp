// SPDX-License-Identifier: MIT
/* Normalisations and their gradients, in float and half, beside their formulas in double. */
#include "unit.h"

constexpr uint32_t ROWS = 3, WIDTH = 48, N = 37;

/* |a - b| is small for a number of that type */
template <class T> inline bool close(T a, double b)
{
	double error = double(float(a)) - b, most = sizeof(T) == 2 ? 2e-3 : 1e-5;

	return __builtin_fabs(error) <= most * (1 + __builtin_fabs(b));
}

inline double root(double x)
{
	return double(__builtin_sqrtf(float(x)));
}

struct Statistics {
	double mean = 0, variance = 0;
};

/* Of numbers at intervals */
template <class T> inline Statistics statistics(const LocalTensor<T> &x, uint32_t from, uint32_t n, uint32_t step = 1)
{
	Statistics s;

	for (uint32_t i = 0; i < n; i++)
		s.mean += double(float(x(from + i * step))) / n;
	for (uint32_t i = 0; i < n; i++)
		s.variance += (double(float(x(from + i * step))) - s.mean) * (double(float(x(from + i * step))) - s.mean) / n;
	return s;
}

template <class T> inline void layer_norm()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1), mean = at<T>(2), variance = at<T>(3), gamma = at<T>(4), beta = at<T>(5);
	LayerNormTiling tiling = {};

	tiling.bLength = 1;
	tiling.sLength = ROWS;
	tiling.hLength = WIDTH;
	tiling.originalHLength = N;
	fill(x, ROWS * WIDTH, 1);
	fill(gamma, WIDTH, 2);
	fill(beta, WIDTH, 3);
	LayerNorm(y, mean, variance, x, gamma, beta, at<uint8_t>(9), T(1e-3f), tiling);
	for (uint32_t row = 0; row < ROWS; row++) {
		Statistics s = statistics(x, row * WIDTH, N);

		assert(close(mean(row), s.mean) && close(variance(row), s.variance));
		for (uint32_t i = 0; i < N; i++)
			assert(close(y(row * WIDTH + i), (double(float(x(row * WIDTH + i))) - s.mean) / root(s.variance + 1e-3) *
				     double(float(gamma(i))) + double(float(beta(i)))));
	}
}

TEST(layer_norm_float) { layer_norm<float>(); }
TEST(layer_norm_half) { layer_norm<half>(); }

TEST(layer_norm_with_rstd)
{
	LocalTensor<half> x = at<half>(0), y = at<half>(1);
	LocalTensor<float> mean = at<float>(2), rstd = at<float>(3), gamma = at<float>(4), beta = at<float>(5);

	fill(x, ROWS * WIDTH, 1);
	fill(gamma, WIDTH, 2);
	fill(beta, WIDTH, 3);
	LayerNorm<float, half>(y, mean, rstd, x, gamma, beta, 1e-3f, LayerNormPara{ROWS, N, WIDTH}, LayerNormSeparateTiling{});
	for (uint32_t row = 0; row < ROWS; row++) {
		Statistics s = statistics(x, row * WIDTH, N);

		assert(close(mean(row), s.mean) && close(rstd(row), 1 / root(s.variance + 1e-3)));
		for (uint32_t i = 0; i < N; i++)
			assert(close(y(row * WIDTH + i), (double(float(x(row * WIDTH + i))) - s.mean) / root(s.variance + 1e-3) *
				     double(gamma(i)) + double(beta(i))));
	}
	/* the same by means and variances that are known */
	for (uint32_t row = 0; row < ROWS; row++)
		rstd.SetValue(row, float(statistics(x, row * WIDTH, N).variance));
	Normalize<float, half>(y, at<float>(6), mean, rstd, x, gamma, beta, 1e-3f, NormalizePara{ROWS, N, WIDTH});
	for (uint32_t row = 0; row < ROWS; row++)
		for (uint32_t i = 0; i < N; i++)
			assert(close(y(row * WIDTH + i), (double(float(x(row * WIDTH + i))) - double(mean(row))) /
				     root(double(rstd(row)) + 1e-3) * double(gamma(i)) + double(beta(i))));
}

template <class T> inline void rms_and_deep_norm()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1), mean = at<T>(2), variance = at<T>(3), gamma = at<T>(4), beta = at<T>(5), g = at<T>(6);
	RmsNormTiling rms = {};
	DeepNormTiling deep = {};

	fill(x, ROWS * WIDTH, 1);
	fill(gamma, WIDTH, 2);
	fill(beta, WIDTH, 3);
	fill(g, ROWS * WIDTH, 4);
	rms.bLength = deep.bLength = ROWS;
	rms.sLength = deep.sLength = 1;
	rms.hLength = deep.hLength = WIDTH;
	rms.originalHLength = deep.originalHLength = N;
	RmsNorm(y, x, gamma, T(1e-3f), rms);
	for (uint32_t row = 0; row < ROWS; row++) {
		Statistics s = statistics(x, row * WIDTH, N);

		for (uint32_t i = 0; i < N; i++)
			assert(close(y(row * WIDTH + i), double(float(x(row * WIDTH + i))) / root(s.variance + s.mean * s.mean + 1e-3) *
				     double(float(gamma(i)))));
	}
	DeepNorm(y, mean, variance, x, g, beta, gamma, T(0.5f), T(1e-3f), deep);
	for (uint32_t row = 0; row < ROWS; row++) {
		LocalTensor<float> sum = at<float>(8);

		for (uint32_t i = 0; i < N; i++)
			sum.SetValue(i, float(x(row * WIDTH + i)) / 2 + float(g(row * WIDTH + i)));
		Statistics s = statistics(sum, 0, N);

		assert(close(mean(row), s.mean) && close(variance(row), s.variance));
		for (uint32_t i = 0; i < N; i++)
			assert(close(y(row * WIDTH + i), (double(sum(i)) - s.mean) / root(s.variance + 1e-3) * double(float(gamma(i))) +
				     double(float(beta(i)))));
	}
}

TEST(rms_and_deep_norm_float) { rms_and_deep_norm<float>(); }
TEST(rms_and_deep_norm_half) { rms_and_deep_norm<half>(); }

template <class T> inline void gradients()
{
	LocalTensor<T> dx = at<T>(0), res = at<T>(1), dy = at<T>(2), x = at<T>(3), gamma = at<T>(4), dgamma = at<T>(5), dbeta = at<T>(6);
	LocalTensor<T> mean = at<T>(7), variance = at<T>(8);
	LayerNormGradTiling tiling = {};
	LayerNormGradBetaTiling sums = {};

	fill(x, ROWS * WIDTH, 1);
	fill(dy, ROWS * WIDTH, 2);
	fill(gamma, WIDTH, 3);
	tiling.bLength = sums.bLength = 1;
	tiling.sLength = sums.sLength = ROWS;
	tiling.hLength = sums.hLength = WIDTH;
	tiling.originalHLength = sums.originalHLength = N;
	for (uint32_t row = 0; row < ROWS; row++) {
		mean.SetValue(row, T(float(statistics(x, row * WIDTH, N).mean)));
		variance.SetValue(row, T(float(statistics(x, row * WIDTH, N).variance)));
	}
	LayerNormGrad(dx, res, dy, x, variance, mean, gamma, T(1e-3f), tiling);
	LayerNormGradBeta(dgamma, dbeta, res, dy, sums);
	for (uint32_t row = 0; row < ROWS; row++) {
		double m = double(float(mean(row))), rstd = 1 / root(double(float(variance(row))) + double(float(T(1e-3f)))), a = 0, b = 0;

		for (uint32_t i = 0; i < N; i++) {
			double g = double(float(dy(row * WIDTH + i))) * double(float(gamma(i)));

			a += g;
			b += g * (double(float(x(row * WIDTH + i))) - m);
		}
		for (uint32_t i = 0; i < N; i++) {
			double g = double(float(dy(row * WIDTH + i))) * double(float(gamma(i))), c = double(float(x(row * WIDTH + i))) - m;

			assert(close(res(row * WIDTH + i), c * rstd));
			assert(close(dx(row * WIDTH + i), g * rstd - rstd * rstd * rstd * b * c / N - rstd * a / N));
		}
	}
	for (uint32_t i = 0; i < N; i++) {
		double g = 0, b = 0;

		for (uint32_t row = 0; row < ROWS; row++) {
			g += double(float(dy(row * WIDTH + i))) * double(float(res(row * WIDTH + i)));
			b += double(float(dy(row * WIDTH + i)));
		}
		assert(close(dgamma(i), g) && close(dbeta(i), b));
	}
}

TEST(gradients_float) { gradients<float>(); }
TEST(gradients_half) { gradients<half>(); }

template <class T> inline void batch_and_group_norm()
{
	LocalTensor<T> x = at<T>(0), y = at<T>(1), mean = at<T>(2), variance = at<T>(3), gamma = at<T>(4), beta = at<T>(5);
	BatchNormTiling batch = {};
	GroupNormTiling group = {};

	fill(x, 12 * WIDTH, 1);
	fill(gamma, WIDTH, 2);
	fill(beta, WIDTH, 3);
	batch.originalBLength = ROWS;
	batch.shCurLength = WIDTH;
	BatchNorm(y, mean, variance, x, gamma, beta, T(1e-3f), batch);
	for (uint32_t i = 0; i < WIDTH; i++) {
		Statistics s = statistics(x, i, ROWS, WIDTH);

		assert(close(mean(i), s.mean) && close(variance(i), s.variance));
		for (uint32_t b = 0; b < ROWS; b++)
			assert(close(y(b * WIDTH + i), (double(float(x(b * WIDTH + i))) - s.mean) / root(s.variance + 1e-3) *
				     double(float(gamma(b))) + double(float(beta(b)))));
	}
	group.n = 2;
	group.c = 6;
	group.g = 3;
	group.d = 2;
	group.hw = WIDTH;
	GroupNorm(y, mean, variance, x, gamma, beta, T(1e-3f), group);
	for (uint32_t g = 0; g < 6; g++) {
		Statistics s = statistics(x, g * 2 * WIDTH, 2 * WIDTH);

		assert(close(mean(g), s.mean) && close(variance(g), s.variance));
		for (uint32_t i = g * 2 * WIDTH; i < (g + 1) * 2 * WIDTH; i++)
			assert(close(y(i), (double(float(x(i))) - s.mean) / root(s.variance + 1e-3) * double(float(gamma(i / WIDTH % 6))) +
				     double(float(beta(i / WIDTH % 6)))));
	}
}

TEST(batch_and_group_norm_float) { batch_and_group_norm<float>(); }
TEST(batch_and_group_norm_half) { batch_and_group_norm<half>(); }

TEST(welford)
{
	LocalTensor<half> x = at<half>(0);
	LocalTensor<float> mean = at<float>(1), squares = at<float>(2), m = at<float>(3), v = at<float>(4);

	fill(x, 5 * WIDTH, 1);
	Duplicate(mean, 0.0f, int32_t(WIDTH));
	Duplicate(squares, 0.0f, int32_t(WIDTH));
	for (uint32_t i = 0; i < 5; i++)
		WelfordUpdate<half, float>(mean, squares, mean, squares, x[i * WIDTH],
					   WelfordUpdateParam{1, WIDTH, WIDTH, 1.0f / float(i + 1)});
	WelfordFinalize(m, v, mean, squares, WelfordFinalizePara{5, WIDTH, 0, 0, 0, 0, 1.0f / WIDTH, 0.2f});
	Statistics s = statistics(x, 0, 5 * WIDTH);

	assert(close(m(0), s.mean) && close(v(0), s.variance));
}
