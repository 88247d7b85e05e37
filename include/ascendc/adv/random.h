/* SPDX-License-Identifier: MIT */
/* PhiloxRandom: numbers of a counter and a key, after Salmon, Moraes, Dror and Shaw 2011; on the scalar unit. */
#ifndef ASCENDC_ADV_RANDOM_H
#define ASCENDC_ADV_RANDOM_H

#include "scratch.h"

namespace AscendC {

using PhiloxKey = uint32_t[2];
using PhiloxCounter = uint32_t[4];

struct PhiloxRandomParams {
	uint32_t stride, row, column;
};

namespace detail {

/* Four numbers of a counter, in place */
ASCENDC_FN void philox(uint32_t (&c)[4], uint32_t k0, uint32_t k1, uint16_t rounds)
{
	for (uint16_t i = 0; i < rounds; i++) {
		uint64_t a = uint64_t(0xd2511f53) * c[0], b = uint64_t(0xcd9e8d57) * c[2];

		c[0] = uint32_t(b >> 32) ^ c[1] ^ k0;
		c[1] = uint32_t(b);
		c[2] = uint32_t(a >> 32) ^ c[3] ^ k1;
		c[3] = uint32_t(a);
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
}

} // namespace detail

/** PhiloxRandom() - @count numbers, four for each counter; of float from 0 to 1: the 23 low bits of an integer as the fraction */
template <uint16_t Rounds = 7, class T>
ASCENDC_FN void PhiloxRandom(const LocalTensor<T> &dst, const PhiloxKey &key, const PhiloxCounter &counter, uint16_t count)
{
	uint32_t at[4] = {counter[0], counter[1], counter[2], counter[3]};

	static_assert(Rounds == 7 || Rounds == 10, "AscendC::PhiloxRandom has 7 or 10 rounds");
	static_assert(sizeof(T) == 4, "AscendC::PhiloxRandom is for uint32_t, int32_t and float");
	detail::settle();
	for (uint32_t i = 0; i < count; i += 4) {
		uint32_t four[4] = {at[0], at[1], at[2], at[3]};

		detail::philox(four, key[0], key[1], Rounds);
		for (uint32_t j = 0; j < 4 && i + j < count; j++)
			if constexpr (std::is_same_v<T, float>)
				dst.SetValue(i + j, __builtin_bit_cast(float, (four[j] & 0x7fffff) | 0x3f800000) - 1);
			else
				dst.SetValue(i + j, static_cast<T>(four[j]));
		for (uint32_t j = 0; j < 4 && !++at[j]; j++)
			;
	}
	detail::settle();
}

template <uint16_t Rounds = 7, class T>
ASCENDC_FN void PhiloxRandom(const LocalTensor<T> &, const PhiloxKey &, const PhiloxCounter &, const PhiloxRandomParams &)
{
	static_assert(detail::no<T>, "AscendC::PhiloxRandom by rows is not supported here: call it for each row, with the row's counter");
}

} // namespace AscendC

#endif
