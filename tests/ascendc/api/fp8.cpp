// SPDX-License-Identifier: MIT
/* Cast() from and to numbers of 8 bits with an exponent: every one of them, and what lies between. */
#include "unit.h"

/* Of sign, exponent and fraction, by the definition of the format */
static float value_of(uint32_t bits, int mantissa, int bias)
{
	int exponent = static_cast<int>(bits >> mantissa & (0x7f >> mantissa)), fraction = static_cast<int>(bits & ((1u << mantissa) - 1));
	float v = static_cast<float>(exponent ? fraction + (1 << mantissa) : fraction);
	int power = (exponent ? exponent : 1) - bias - mantissa;

	for (; power > 0; power--)
		v *= 2;
	for (; power < 0; power++)
		v /= 2;
	return bits & 0x80 ? -v : v;
}

template <class F, class D> inline void each(int mantissa, int bias, uint32_t largest)
{
	LocalTensor<F> eight = at<F>(0), back = at<F>(1);
	LocalTensor<D> wide = at<D>(2);
	uint32_t count = 2 * (largest + 1);

	for (uint32_t i = 0; i < count; i++)
		eight.template ReinterpretCast<uint8_t>().SetValue(i, static_cast<uint8_t>(i <= largest ? i : 0x80 + i - largest - 1));
	Cast(wide, eight, RoundMode::CAST_NONE, count);
	for (uint32_t i = 0; i < count; i++)
		assert(static_cast<float>(wide.GetValue(i)) == value_of(eight.template ReinterpretCast<uint8_t>().GetValue(i), mantissa, bias));
	Cast(back, wide, RoundMode::CAST_RINT, count);
	for (uint32_t i = 0; i < count; i++)
		assert(same(back.GetValue(i), eight.GetValue(i)));
}

TEST(every_number)
{
	each<fp8_e4m3fn_t, float>(3, 7, 0x7e);
	each<fp8_e5m2_t, float>(2, 15, 0x7b);
	each<fp8_e5m2_t, half>(2, 15, 0x7b);
	each<fp8_e4m3fn_t, bfloat16_t>(3, 7, 0x7e);
}

/* Halfway between two neighbours is the even one, a little more is the greater one; in place */
TEST(to_nearest)
{
	LocalTensor<float> a = at<float>(0);
	LocalTensor<fp8_e4m3fn_t> eight = a.ReinterpretCast<fp8_e4m3fn_t>();

	for (uint32_t i = 0; i < 0x7e; i++)
		a.SetValue(i, (value_of(i, 3, 7) + value_of(i + 1, 3, 7)) / 2 * (i % 3 == 2 ? 1.0001f : 1.0f));
	Cast(eight, a, RoundMode::CAST_RINT, 0x7e);
	for (uint32_t i = 0; i < 0x7e; i++)
		assert(eight.ReinterpretCast<uint8_t>().GetValue(i) == (i % 3 == 2 ? i + 1 : (i + 1) / 2 * 2));
	Cast(a, eight, RoundMode::CAST_NONE, 0x7e);
	for (uint32_t i = 0; i < 0x7e; i++)
		assert(a.GetValue(i) == value_of(i % 3 == 2 ? i + 1 : (i + 1) / 2 * 2, 3, 7));
}
