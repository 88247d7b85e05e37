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

/*
 * The functions below end in a pack that is always empty, so that a template of the author's own with the same name
 * and two parameters is the more special one, not an ambiguity.
 */

/** CeilDiv() - a / b, rounded up */
template <class A, class B, class... None> ASCENDC_FN constexpr auto CeilDiv(A a, B b, None...)
{
	static_assert(!sizeof...(None), "AscendC::CeilDiv takes two numbers");
	return DivCeil(a, b);
}

/** CeilAlign() - the multiple of b that is not less than a */
template <class A, class B, class... None> ASCENDC_FN constexpr auto CeilAlign(A a, B b, None...)
{
	static_assert(!sizeof...(None), "AscendC::CeilAlign takes two numbers");
	return DivCeil(a, b) * b;
}

/** Min(), Max() - of two numbers, beside those of tensors */
template <class A, class B, class... None,
	  class = std::enable_if_t<!sizeof...(None) && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
ASCENDC_FN constexpr std::common_type_t<A, B> Min(A a, B b, None...)
{
	return b < a ? b : a;
}

template <class A, class B, class... None,
	  class = std::enable_if_t<!sizeof...(None) && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
ASCENDC_FN constexpr std::common_type_t<A, B> Max(A a, B b, None...)
{
	return a < b ? b : a;
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

/** GetBitCount(), GetSFFValue(), CountLeadingZero() - newer names */
template <int valueIn> ASCENDC_FN int64_t GetBitCount(uint64_t value)
{
	return ScalarGetCountOfValue<valueIn>(value);
}

template <int valueIn> ASCENDC_FN int64_t GetSFFValue(uint64_t value)
{
	return ScalarGetSFFValue<valueIn>(value);
}

ASCENDC_FN int64_t CountLeadingZero(uint64_t value)
{
	return ScalarCountLeadingZero(value);
}

/** NumericLimits - the ends of a type's range and its special values */
template <class T> struct NumericLimits {
	using Std = std::numeric_limits<T>;

	static ASCENDC_FN constexpr T Max() { return Std::max(); }
	static ASCENDC_FN constexpr T Lowest() { return Std::lowest(); }
	static ASCENDC_FN constexpr T Min() { return Std::min(); }
	static ASCENDC_FN constexpr T Infinity() { return Std::infinity(); }
	static ASCENDC_FN constexpr T NegativeInfinity() { return -Std::infinity(); }
	static ASCENDC_FN constexpr T QuietNaN() { return Std::quiet_NaN(); }
	static ASCENDC_FN constexpr T SignalingNaN() { return Std::signaling_NaN(); }
	static ASCENDC_FN constexpr T DeNormMin() { return Std::denorm_min(); }
};

/** ReadGmByPassDCache(), WriteGmByPassDCache() - one number of global memory; this core has no cache between */
template <class T> ASCENDC_FN T ReadGmByPassDCache(__gm__ T *address)
{
	return *static_cast<volatile T *>(address);
}

template <class T> ASCENDC_FN void WriteGmByPassDCache(__gm__ T *address, T value)
{
	*static_cast<volatile T *>(address) = value;
}

/** GetUBSizeInBytes(), GetRuntimeUBSize() - bytes of UB */
ASCENDC_FN constexpr uint32_t GetUBSizeInBytes()
{
	return ASCENDC_UB_BYTES;
}

ASCENDC_FN uint32_t GetRuntimeUBSize()
{
	return detail::ub_end() - ANPU_UB_BASE;
}

} // namespace AscendC

#endif
