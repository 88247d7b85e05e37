/* SPDX-License-Identifier: MIT */
/* Numbers on the scalar unit. */
#ifndef ASCENDC_CORE_MATH_H
#define ASCENDC_CORE_MATH_H

#include "base.h"

namespace AscendC {

template <class A, class B> ASCENDC_FN constexpr auto DivCeil(A a, B b)
{
	return b == 0 ? static_cast<decltype(a / b)>(a) : (a + b - 1) / b;
}

template <class A, class B> ASCENDC_FN constexpr auto CeilDivision(A a, B b)
{
	return b == 0 ? static_cast<decltype(a / b)>(a) : (a + b - 1) / b;
}

template <class A, class B> ASCENDC_FN constexpr auto AlignUp(A a, B b)
{
	return (a + b - 1) / b * b;
}

/** ScalarGetCountOfValue() - bits of a number that are @valueIn */
template <int valueIn> ASCENDC_FN int64_t ScalarGetCountOfValue(uint64_t value)
{
	return valueIn ? __builtin_popcountll(value) : 64 - __builtin_popcountll(value);
}

/** ScalarGetSFFValue() - the lowest bit that is @valueIn, -1 if there is none */
template <int valueIn> ASCENDC_FN int64_t ScalarGetSFFValue(uint64_t value)
{
	uint64_t bits = valueIn ? value : ~value;

	return bits ? __builtin_ctzll(bits) : -1;
}

ASCENDC_FN int64_t ScalarCountLeadingZero(uint64_t value)
{
	return value ? __builtin_clzll(value) : 64;
}

/** CountBitsCntSameAsSignBit() - how many bits below the sign equal it */
ASCENDC_FN int64_t CountBitsCntSameAsSignBit(int64_t value)
{
	return __builtin_clrsbll(value);
}

} // namespace AscendC

#endif
