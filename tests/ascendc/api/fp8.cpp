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

/* hifloat8_t by its documents' table: prefix, signed exponent with a leading 1, fraction */
static float hif8_value(uint32_t bits)
{
	static constexpr struct {
		uint32_t first, digits;
		int least, most;
	} ranges[] = {{0x60, 1, 8, 15}, {0x40, 2, 4, 7}, {0x20, 3, 2, 3}, {0x10, 3, 1, 1}, {0x08, 3, 0, 0}};
	float v = 1;
	int power = 0;

	for (auto r : ranges) {
		if ((bits & 0x7f) < r.first)
			continue;
		uint32_t at = (bits & 0x7f) - r.first, each = uint32_t(r.most - r.least + 1) << r.digits;

		power = r.least + int(at % each >> r.digits);
		power = at >= each ? -power : power;
		v = 1 + float(at & ((1u << r.digits) - 1)) / float(1u << r.digits);
		break;
	}
	if ((bits & 0x7f) < 8)
		power = int(bits & 7) - 23;
	for (; power > 0; power--)
		v *= 2;
	for (; power < 0; power++)
		v /= 2;
	return bits & 0x80 ? -v : v;
}

static bool hif8_finite(uint32_t bits)
{
	return bits % 128 != 0x6f && bits % 128 != 0;
}

TEST(hif8)
{
	LocalTensor<hifloat8_t> eight = at<hifloat8_t>(0), back = at<hifloat8_t>(1);
	LocalTensor<float> wide = at<float>(2), sorted = at<float>(3);
	uint32_t n = 0;

	static_assert(float(hifloat8_t(1.0f)) == 1 && hifloat8_t(1.0f).bits == 0x08 && hifloat8_t(-1.5f).bits == 0x8c && hifloat8_t(1e9f).bits == 0x6f);
	for (uint32_t i = 0; i < 256; i++)
		eight.ReinterpretCast<uint8_t>().SetValue(i, static_cast<uint8_t>(i));
	Cast(wide, eight, RoundMode::CAST_NONE, 256);
	Cast(back, wide, RoundMode::CAST_ROUND, 256);
	for (uint32_t i = 0; i < 256; i++) {
		if (hif8_finite(i))
			assert(wide.GetValue(i) == hif8_value(i), "%u: %f\n", i, wide.GetValue(i));
		assert(back.ReinterpretCast<uint8_t>().GetValue(i) == i, "%u\n", i);
	}
	assert(wide.GetValue(0x80) != wide.GetValue(0x80) && wide.GetValue(0) == 0 && wide.GetValue(0xef) == -__builtin_inff());
	/* between two neighbours: halves go away from zero */
	for (uint32_t i = 1; i < 128; i++) {
		uint32_t place = n;

		if (!hif8_finite(i))
			continue;
		for (; place && sorted.GetValue(place - 1) > hif8_value(i); place--)
			sorted.SetValue(place, sorted.GetValue(place - 1));
		sorted.SetValue(place, hif8_value(i));
		n++;
	}
	assert(n == 126 && sorted.GetValue(0) == 0x1p-22f && sorted.GetValue(125) == 32768);
	for (uint32_t i = 0; i + 1 < n; i++) {
		float a = sorted.GetValue(i), b = sorted.GetValue(i + 1), middle = (a + b) / 2;

		assert(a < b && float(hifloat8_t(middle)) == b && float(hifloat8_t(-middle)) == -b, "%f\n", middle);
		assert(float(hifloat8_t(middle * 0.99999f)) == a && float(hifloat8_t(b * 0.99999f)) == b);
	}
	assert(float(hifloat8_t(40959.0f)) == 32768 && hifloat8_t(40960.0f).bits == 0x6f && hifloat8_t(0x1p-23f).bits == 1 && hifloat8_t(0x1.fp-24f).bits == 0);
}

static constexpr Reg::CastTrait to_hif8 = {Reg::RegLayout::TWO, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING, RoundMode::CAST_ROUND};
static constexpr Reg::CastTrait from_hif8 = {Reg::RegLayout::TWO, Reg::SatMode::UNKNOWN, Reg::MaskMergeMode::ZEROING, RoundMode::UNKNOWN};

TEST(hif8_in_registers)
{
	Reg::RegTensor<float> a, b;
	Reg::RegTensor<hifloat8_t> c;
	Reg::MaskReg all = Reg::CreateMask<float>();

	for (uint32_t i = 0; i < 64; i++)
		a.put(i, i < 63 ? float(i) - 20.3f : 1e9f);
	Reg::Cast<hifloat8_t, float, to_hif8>(c, a, all);
	Reg::Cast<float, hifloat8_t, from_hif8>(b, c, all);
	for (uint32_t i = 0; i < 64; i++)
		assert(b.get(i) == (i < 63 ? float(hifloat8_t(a.get(i))) : 32768) && c.get(4 * i + 2).bits == hifloat8_t(b.get(i)).bits);
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
