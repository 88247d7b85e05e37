/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 8 and 4 bits with an exponent. fp8_e4m3fn_t and fp8_e5m2_t convert to float exactly and from float to the
 * nearest, ties to even; beyond the range e5m2 becomes infinite and e4m3fn, which has no infinity, NaN. fp8_e8m0_t is a power of two.
 * hifloat8_t and the pairs of 4 bits are moved, and do not convert.
 */
#ifndef ASCENDC_CORE_FLOAT8_H
#define ASCENDC_CORE_FLOAT8_H

namespace AscendC {
namespace detail {

/* A number of @mantissa bits behind the point and exponents with this bias, as float */
template <int mantissa, int bias, bool infinite> constexpr ASCENDC_FN float small_to_float(uint8_t bits)
{
	uint32_t sign = uint32_t(bits & 0x80) << 24, rest = bits & 0x7f, top = 0x7f >> mantissa;
	uint32_t exponent = rest >> mantissa, fraction = rest & ((1 << mantissa) - 1);

	if (infinite ? exponent == top : rest == 0x7f)
		return __builtin_bit_cast(float, infinite && !fraction ? sign | 0x7f800000 : sign | 0x7fc00000);
	if (exponent)
		return __builtin_bit_cast(float, sign | (exponent - bias + 127) << 23 | fraction << (23 - mantissa));
	/* a subnormal number: fraction * 2^(1 - bias - mantissa) */
	float v = static_cast<float>(fraction) * __builtin_bit_cast(float, uint32_t(1 - bias - mantissa + 127) << 23);

	return sign ? -v : v;
}

template <int mantissa, int bias, bool infinite> constexpr ASCENDC_FN uint8_t small_from_float(float value)
{
	uint32_t word = __builtin_bit_cast(uint32_t, value), sign = word >> 24 & 0x80, rest = word & 0x7fffffff;
	constexpr uint32_t nan = 0x7f, largest = infinite ? (0x7f >> mantissa << mantissa) - 1 : 0x7e;
	int exponent = static_cast<int>(rest >> 23) - 127;

	if (rest > 0x7f800000)
		return static_cast<uint8_t>(sign | nan);
	if (exponent < -bias - mantissa)
		return static_cast<uint8_t>(sign);
	/* digits that fall away: those of a normal number, and one more for each step below the smallest of them */
	int drop = 23 - mantissa + (exponent < 1 - bias ? 1 - bias - exponent : 0);
	uint64_t digits = (rest & 0x7fffff) | 0x800000, kept = digits >> drop, lost = digits & ((uint64_t(1) << drop) - 1), half_way = uint64_t(1) << (drop - 1);

	kept += lost > half_way || (lost == half_way && (kept & 1));
	/* a carry out of the fraction counts the exponent up by itself */
	uint64_t bits = exponent < 1 - bias ? kept : kept + (uint64_t(exponent + bias - 1) << mantissa);

	if (bits > largest || rest == 0x7f800000)
		bits = infinite ? largest + 1 : nan;
	return static_cast<uint8_t>(sign | bits);
}

} // namespace detail
} // namespace AscendC

#define ASCENDC_FLOAT8(name, mantissa, bias, infinite) \
	struct name { \
		uint8_t bits; \
		name() = default; \
		template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>> \
		constexpr ASCENDC_FN name(T value) : bits(AscendC::detail::small_from_float<mantissa, bias, infinite>(static_cast<float>(value))) \
		{ \
		} \
		constexpr ASCENDC_FN operator float() const { return AscendC::detail::small_to_float<mantissa, bias, infinite>(bits); } \
	};
ASCENDC_FLOAT8(fp8_e4m3fn_t, 3, 7, false)
ASCENDC_FLOAT8(fp8_e5m2_t, 2, 15, true)
#undef ASCENDC_FLOAT8

struct fp8_e8m0_t {
	uint8_t bits;

	/* 255 is NaN; 0 is 2^-127, a subnormal float */
	constexpr ASCENDC_FN operator float() const
	{
		return __builtin_bit_cast(float, bits == 255 ? 0x7fc00000u : bits ? uint32_t(bits) << 23 : 0x400000u);
	}
};

struct hifloat8_t {
	uint8_t bits;
};
struct fp4x2_e2m1_t {
	uint8_t bits;
};
struct fp4x2_e1m2_t {
	uint8_t bits;
};

namespace AscendC {
using ::fp4x2_e1m2_t;
using ::fp4x2_e2m1_t;
using ::fp8_e4m3fn_t;
using ::fp8_e5m2_t;
using ::fp8_e8m0_t;
using ::hifloat8_t;
} // namespace AscendC

#endif
