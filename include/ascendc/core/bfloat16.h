/* SPDX-License-Identifier: MIT */
/*
 * bfloat16_t: the upper half of a float. The scalar unit has no instructions for it, so that its
 * arithmetic converts to float; the conversion from float rounds to nearest, ties to even.
 */
#ifndef ASCENDC_CORE_BFLOAT16_H
#define ASCENDC_CORE_BFLOAT16_H

struct bfloat16_t {
	uint16_t bits;

	bfloat16_t() = default;

	template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
	constexpr ASCENDC_FN bfloat16_t(T value) : bits(round(static_cast<float>(value)))
	{
	}

	constexpr ASCENDC_FN operator float() const
	{
		return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
	}

private:
	static constexpr ASCENDC_FN uint16_t round(float value)
	{
		uint32_t word = __builtin_bit_cast(uint32_t, value);

		if ((word & 0x7fffffff) > 0x7f800000)
			return 0x7fc0;
		return static_cast<uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
	}
};

/* The compiler's own name of the type, which it has on other targets only */
#define __bf16	bfloat16_t

#endif
