/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 8 and 4 bits with an exponent. fp8_e4m3fn_t and fp8_e5m2_t convert to float exactly and from float to the
 * nearest, ties to even; beyond the range e5m2 becomes infinite and e4m3fn, which has no infinity, NaN. fp8_e8m0_t is a power of two.
 * hifloat8_t has more digits near 1 and rounds halves away from zero; beyond 2^15 it becomes infinite. Pairs of 4 bits are moved, and do
 * not convert.
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

namespace AscendC {
namespace detail {

/*
 * HiF8: a sign, a prefix that tells how many bits of exponent follow, these (a sign, then what is behind a leading 1), and a fraction in the
 * rest. Prefixes 11, 10, 01, 001, 0001 have 4, 3, 2, 1 and no bits; 0000 has 2^-22 to 2^-16 as numbers 1 to 7 instead.
 */
constexpr ASCENDC_FN float hif8_to_float(uint8_t bits)
{
	uint32_t sign = uint32_t(bits & 0x80) << 24, rest = bits & 0x7f;

	if (!rest)
		return __builtin_bit_cast(float, sign ? 0x7fc00000u : 0u);
	if (rest == 0x6f)
		return __builtin_bit_cast(float, sign | 0x7f800000u);
	if (rest < 8)
		return __builtin_bit_cast(float, sign | (rest - 23 + 127) << 23);
	uint32_t width = rest >= 0x60 ? 4 : rest >= 0x40 ? 3 : rest >= 0x20 ? 2 : rest >= 0x10 ? 1 : 0;
	uint32_t digits = width == 4 ? 1 : width == 3 ? 2 : 3, fraction = rest & ((1u << digits) - 1), exponent = 0;

	if (width) {
		uint32_t field = rest >> digits & ((1u << width) - 1), sized = 1u << (width - 1);

		exponent = sized | (field & (sized - 1));
		if (field & sized)
			exponent = -exponent;
	}
	return __builtin_bit_cast(float, sign | (exponent + 127) << 23 | fraction << (23 - digits));
}

constexpr ASCENDC_FN uint8_t hif8_from_float(float value)
{
	uint32_t word = __builtin_bit_cast(uint32_t, value), sign = word >> 24 & 0x80, rest = word & 0x7fffffff;
	int exponent = static_cast<int>(rest >> 23) - 127;

	if (rest > 0x7f800000)
		return 0x80;
	if (exponent < -23)
		return 0;
	for (int again = 0; again < 2; again++) {
		int size = exponent < 0 ? -exponent : exponent;
		uint32_t digits = exponent < -15 ? 0 : size < 4 ? 3 : size < 8 ? 2 : 1, half_way = 1u << (22 - digits);

		/* a carry out of the fraction makes it a power of two, which each width has */
		if (exponent > 15)
			return static_cast<uint8_t>(sign | 0x6f);
		if (exponent == -23)
			return static_cast<uint8_t>(sign | 1);
		rest = (rest + (again ? 0 : half_way)) & ~((1u << (23 - digits)) - 1);
		if (static_cast<int>(rest >> 23) - 127 != exponent) {
			exponent++;
			continue;
		}
		uint32_t fraction = rest >> (23 - digits) & ((1u << digits) - 1);

		if (exponent < -15)
			return static_cast<uint8_t>(sign | static_cast<uint32_t>(exponent + 23));
		uint32_t width = size >= 8 ? 4 : size >= 4 ? 3 : size >= 2 ? 2 : size, sized = width ? 1u << (width - 1) : 0;
		uint32_t field = (exponent < 0 ? sized : 0) | (width ? static_cast<uint32_t>(size) & (sized - 1) : 0);
		uint32_t prefix = width >= 2 ? (width - 1) << 5 : width == 1 ? 0x10 : 8;

		return static_cast<uint8_t>(sign | prefix | field << digits | fraction);
	}
	return static_cast<uint8_t>(sign | 0x6f);
}

} // namespace detail
} // namespace AscendC

struct hifloat8_t {
	uint8_t bits;
	hifloat8_t() = default;
	template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>
	constexpr ASCENDC_FN hifloat8_t(T value) : bits(AscendC::detail::hif8_from_float(static_cast<float>(value)))
	{
	}
	constexpr ASCENDC_FN operator float() const { return AscendC::detail::hif8_to_float(bits); }
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
