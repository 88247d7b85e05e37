// SPDX-License-Identifier: MIT
/* Composed functions at the ends of the range of float: infinities, zeros with a sign, what overflows on the way */
#include "unit.h"

constexpr float inf = __builtin_inff(), nan_ = __builtin_nanf("");

struct Edge {
	float a, b, want;
};

static inline bool near(float got, float want)
{
	if (want != want)
		return got != got;
	if (want == 0 || want - want != 0)
		return same(got, want);
	return __builtin_fabsf(got - want) <= 2e-6f * __builtin_fabsf(want);
}

template <size_t n, class F> static inline void each(const Edge (&edges)[n], F function)
{
	LocalTensor<float> a = at<float>(0), b = at<float>(1), c = at<float>(2);

	for (uint32_t i = 0; i < n; i++) {
		a.SetValue(i, edges[i].a);
		b.SetValue(i, edges[i].b);
	}
	PipeBarrier<PIPE_ALL>();
	function(c, a, b);
	PipeBarrier<PIPE_ALL>();
	for (uint32_t i = 0; i < n; i++)
		assert(near(c.GetValue(i), edges[i].want), "%u: %f\n", i, c.GetValue(i));
}

TEST(asinh_of_large_numbers)
{
	static constexpr Edge edges[] = {
		{1e19f, 0, 44.4422639f}, {-1e20f, 0, -46.7448491f}, {3e38f, 0, 89.2899930f}, {inf, 0, inf}, {-inf, 0, -inf}, {nan_, 0, nan_},
		{1.1e10f, 0, 23.8143083f}, {0.25f, 0, 0.247466462f}, {-0.0f, 0, -0.0f},
	};
	TPipe pipe;

	each(edges, [](auto c, auto a, auto) { Asinh(c, a, sizeof(edges) / sizeof(Edge)); });
}

TEST(remainders)
{
	static constexpr Edge edges[] = {
		{5.5f, inf, 5.5f}, {-5.5f, -inf, -5.5f}, {-0.0f, inf, -0.0f}, {inf, 2, nan_}, {1, 0, nan_}, {0, 0, nan_}, {inf, inf, nan_},
		{nan_, 1, nan_}, {1, nan_, nan_}, {-4, 2, -0.0f}, {4, -2, 0}, {-7, 4, -3}, {16777216, 3, 1}, {16777215, 0.1f, 0x1.9999a4p-5f},
		/* quotients of more than 24 bits, and one that is infinite */
		{3e38f, 7, 1}, {-1e20f, 3, -2}, {1e38f, 1e-5f, 0x1.d61f7p-18f},
		/* a quotient that rounds up to 3 */
		{0x1.7ffffep1f, 0x1.fffffep-1f, 0x1.fffffcp-1f},
	};
	TPipe pipe;

	each(edges, [](auto c, auto a, auto b) { Fmod(c, a, b, sizeof(edges) / sizeof(Edge)); });
}

TEST(powers)
{
	static constexpr Edge edges[] = {
		{-inf, 0.5f, inf}, {-inf, -0.5f, 0}, {-inf, 3, -inf}, {-inf, 2, inf}, {-inf, -3, -0.0f}, {-0.0f, 3, -0.0f}, {-0.0f, -3, -inf},
		{-0.0f, 0.5f, 0}, {-0.0f, -2, inf}, {0, -1, inf}, {-1, inf, 1}, {-1, -inf, 1}, {1, inf, 1}, {1, nan_, 1}, {nan_, 0, 1}, {-2, inf, inf},
		{-2, -inf, 0}, {-0.5f, inf, 0}, {-2, 0.5f, nan_}, {-2, nan_, nan_}, {inf, -1, 0}, {2, 10, 1024}, {-3, 3, -27},
	};
	TPipe pipe;

	each(edges, [](auto c, auto a, auto b) { Power(c, a, b, sizeof(edges) / sizeof(Edge)); });
}

TEST(gamma_of_large_numbers)
{
	static constexpr Edge edges[] = {
		{-inf, 0, inf}, {inf, 0, inf}, {-3e38f, 0, inf}, {-1e7f, 0, inf}, {nan_, 0, nan_}, {10, 0, 12.8018275f}, {-1.5f, 0, 0.860047f}, {0, 0, inf},
	};
	TPipe pipe;

	each(edges, [](auto c, auto a, auto) {
		Lgamma(c, a, sizeof(edges) / sizeof(Edge));
	});
}
