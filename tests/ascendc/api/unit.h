/* SPDX-License-Identifier: MIT */
/*
 * Tests of single functions of Ascend C. A test is a kernel: it computes with a function of the API in UB and
 * with plain C++ on the scalar unit, and asserts that the bits are the same. Sizes are awkward on purpose.
 */
#ifndef TESTS_ASCENDC_API_UNIT_H
#define TESTS_ASCENDC_API_UNIT_H

#include "kernel_operator.h"

using namespace AscendC;

/* A test that fails names its line in the message of the assertion. */
#define TEST(name)	extern "C" __global__ __aicore__ void name()

/* The numbers of the test are the same in every run. */
struct Random {
	uint32_t state = 12345;

	inline uint32_t next()
	{
		state = state * 1664525 + 1013904223;
		return state >> 8;
	}
};

/* Small numbers that each type has exactly, negative ones where there are some */
template <class T> inline T number(Random &random)
{
	int32_t value = static_cast<int32_t>(random.next() % 41) - 20;

	if constexpr (std::is_integral_v<T>)
		return static_cast<T>(std::is_signed_v<T> ? value : value + 20);
	else
		return static_cast<T>(static_cast<float>(value) / 4);
}

template <class T> inline void fill(const LocalTensor<T> &tensor, uint32_t n, uint32_t seed = 1)
{
	Random random;

	random.state = seed;
	for (uint32_t i = 0; i < n; i++)
		tensor.SetValue(i, number<T>(random));
}

template <class T> inline bool same(T a, T b)
{
	return __builtin_memcmp(&a, &b, sizeof(T)) == 0;
}

/* UB by hand: tensor number i of 8 KiB */
template <class T> inline LocalTensor<T> at(uint32_t i)
{
	return LocalTensor<T>(TPosition::VECCALC, i * 8192, 8192 / sizeof(T));
}

#endif
