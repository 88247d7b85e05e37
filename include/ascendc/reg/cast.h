/* SPDX-License-Identifier: MIT */
/* Conversions of registers, exact in each rounding mode. */
#ifndef ASCENDC_REG_CAST_H
#define ASCENDC_REG_CAST_H

#include "arithmetic.h"

namespace AscendC {
namespace MicroAPI {
namespace detail {

ASCENDC_FN bool odd(double whole)
{
	return ::floor(whole / 2) * 2 != whole;
}

/* A number rounded to an integral one */
ASCENDC_FN double integral(double v, RoundMode mode)
{
	double down = ::floor(v), rest = v - down;

	switch (mode) {
	case RoundMode::CAST_FLOOR: return down;
	case RoundMode::CAST_CEIL: return ::ceil(v);
	case RoundMode::CAST_TRUNC: return ::trunc(v);
	case RoundMode::CAST_ROUND: return rest < 0.5 ? down : rest > 0.5 ? down + 1 : v < 0 ? down : down + 1;
	case RoundMode::CAST_ODD: return rest == 0 ? v : odd(down) ? down : down + 1;
	default: return rest < 0.5 ? down : rest > 0.5 ? down + 1 : odd(down) ? down + 1 : down;
	}
}

/* 2^e for exponents of normal doubles */
ASCENDC_FN double power2(int e)
{
	return __builtin_bit_cast(double, static_cast<uint64_t>(e + 1023) << 52);
}

/* A number rounded to @digits binary digits, with no digit below 2^@lowest */
ASCENDC_FN double rounded(double v, int digits, int lowest, RoundMode mode)
{
	uint64_t bits = __builtin_bit_cast(uint64_t, v);
	int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023, e = exponent - digits + 1;

	if (v == 0 || exponent == 1024 || exponent < -1000)
		return exponent < -1000 ? v * 0 : v;
	e = e < lowest ? lowest : e;
	return __builtin_copysign(integral(v * power2(-e), mode) * power2(e), v);
}

template <class T> inline constexpr bool four = std::is_same_v<T, fp4x2_e2m1_t> || std::is_same_v<T, fp4x2_e1m2_t>;

template <class D> inline constexpr double greatest =
	std::is_same_v<D, half> ? 65504.0 : std::is_same_v<D, bfloat16_t> ? 3.3895313892515355e38 : 3.4028234663852886e38;

template <class D> ASCENDC_FN D to_real(double v, RoundMode mode, SatMode sat)
{
	if constexpr (eight<D>) {
		constexpr float most = std::is_same_v<D, fp8_e5m2_t> ? 57344.0f : std::is_same_v<D, hifloat8_t> ? 32768.0f : 448.0f;
		float f = static_cast<float>(v); /* what converts to 8 bits here has no more digits than a float */

		if (sat == SatMode::SAT)
			f = f > most ? most : f < -most ? -most : f;
		return static_cast<D>(f);
	}
	double r = std::is_same_v<D, half> ? rounded(v, 11, -24, mode) : std::is_same_v<D, bfloat16_t> ? rounded(v, 8, -133, mode) :
									 rounded(v, 24, -149, mode);

	/* a finite number beyond the range stays finite where its mode rounds towards 0 */
	if (v - v == 0 && __builtin_fabs(r) > greatest<D> &&
	    (mode == RoundMode::CAST_TRUNC || mode == RoundMode::CAST_ODD || mode == (r > 0 ? RoundMode::CAST_FLOOR : RoundMode::CAST_CEIL)))
		r = __builtin_copysign(greatest<D>, r);
	if (sat == SatMode::SAT)
		r = r > greatest<D> ? greatest<D> : r < -greatest<D> ? -greatest<D> : r != r ? 0 : r;
	if constexpr (std::is_same_v<D, bfloat16_t>)
		return static_cast<D>(static_cast<float>(r));
	else
		return static_cast<D>(r);
}

/* Whole numbers beyond the type's range become its ends; without saturation the lower bits */
template <class D> ASCENDC_FN D to_integer(double v, RoundMode mode, SatMode sat)
{
	double r = integral(v, mode);
	constexpr double low = static_cast<double>(std::numeric_limits<D>::min()), high = static_cast<double>(std::numeric_limits<D>::max());

	if (r != r)
		return D(0);
	if (sat == SatMode::NO_SAT && sizeof(D) < 4 && r > -9e18 && r < 9e18)
		return static_cast<D>(static_cast<int64_t>(r));
	return r <= low ? std::numeric_limits<D>::min() : r >= high ? std::numeric_limits<D>::max() : static_cast<D>(r);
}

template <class D, class S> ASCENDC_FN D convert(S v, RoundMode mode, SatMode sat)
{
	if constexpr (real<D> && real<S>)
		return to_real<D>(static_cast<double>(static_cast<float>(v)), mode, sat);
	else if constexpr (real<D>)
		return to_real<D>(static_cast<double>(v), mode, sat);
	else if constexpr (real<S>)
		return to_integer<D>(static_cast<double>(static_cast<float>(v)), mode, sat);
	else if (sat == SatMode::SAT)
		return v < S(0) && std::is_unsigned_v<D> ? D(0) :
		       static_cast<int64_t>(v) < static_cast<int64_t>(std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min() :
		       v > S(0) && static_cast<uint64_t>(v) > static_cast<uint64_t>(std::numeric_limits<D>::max()) ?
			       std::numeric_limits<D>::max() : static_cast<D>(v);
	else
		return static_cast<D>(v);
}

} // namespace detail

/**
 * Cast() - conversion. Of types of different sizes the wider one's elements count, by which the mask is read, too: the
 * narrower one has them at the places that the layout tells, of each two (four, eight) one.
 */
template <class D, class S, const CastTrait &trait = castTrait, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void Cast(R &dst, const A &src, const MaskReg &mask)
{
	using To = typename R::ActualT;
	using From = typename A::ActualT;
	constexpr uint32_t n = R::count < A::count ? R::count : A::count;
	constexpr uint32_t place = trait.layoutMode == RegLayout::UNKNOWN ? 0 : static_cast<uint32_t>(trait.layoutMode);
	constexpr uint32_t to = R::count / n, from = A::count / n;
	/* clang 14 ends by itself where code reads a trait that stands in a function of a class template */
	constexpr RoundMode round = trait.roundMode;
	constexpr SatMode sat = trait.satMode;
	constexpr bool merges = trait.mrgMode == MaskMergeMode::MERGING;
	R out;

	static_assert(!std::is_same_v<From, int4x2_t> && !std::is_same_v<To, int4x2_t>,
		      "AscendC::MicroAPI::Cast: elements of 4 bits are not built");
	static_assert(!std::is_same_v<To, fp8_e8m0_t>, "AscendC::MicroAPI::Cast: to fp8_e8m0_t is not built");
	static_assert(!detail::four<From> && !detail::four<To>, "AscendC::MicroAPI::Cast: pairs of numbers of 4 bits are not built");
	static_assert(!std::is_same_v<To, hifloat8_t> || trait.roundMode == RoundMode::CAST_ROUND,
		      "AscendC::MicroAPI::Cast: to hifloat8_t rounds halves away from zero (CAST_ROUND)");
	static_assert(!detail::eight<To> || std::is_same_v<To, hifloat8_t> || trait.roundMode == RoundMode::CAST_RINT || trait.roundMode == RoundMode::CAST_NONE ||
		      trait.roundMode == RoundMode::UNKNOWN, "AscendC::MicroAPI::Cast: to fp8 rounds to nearest (CAST_RINT)");
	static_assert(place < to || to == 1, "AscendC::MicroAPI::Cast: the layout is beyond the elements of the narrower type");
	/* the result may be the source's own register, in another type */
	for (uint32_t i = 0; i < R::count; i++)
		out.put(i, merges ? dst.get(i) : To(0));
	for (uint32_t i = 0; i < n; i++)
		if (mask.get(i * (256 / n)))
			out.put(i * to + (to > 1 ? place : 0),
				detail::convert<To>(static_cast<From>(src.get(i * from + (from > 1 ? place : 0))), round, sat));
	dst = out;
}

/** Truncate() - rounds to integral numbers of the same type */
template <class T, RoundMode rounding, MaskMergeMode mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void Truncate(R &dst, const A &src, const MaskReg &mask)
{
	for (uint32_t i = 0; i < R::count; i++) {
		float v = static_cast<float>(src.get(i));

		if (R::on(mask, i))
			dst.put(i, static_cast<typename R::ActualT>(v - v == 0 ? static_cast<float>(detail::integral(v, rounding)) : v));
		else
			detail::left_out<mode>(dst, i);
	}
}

/** Pack() - the lower halves of the elements of @src, in one half of @dst; the other half is 0 */
template <class T = void, class U = void, HighLowPart part = HighLowPart::LOWEST, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void Pack(R &dst, const A &src)
{
	R out;

	static_assert(A::count * 2 == R::count, "AscendC::MicroAPI::Pack: elements become half as wide");
	for (uint32_t i = 0; i < R::count; i++) {
		uint32_t from = part == HighLowPart::HIGHEST ? i - A::count : i;

		out.put(i, from < A::count ? static_cast<typename R::ActualT>(src.get(from)) : typename R::ActualT(0));
	}
	dst = out;
}

/** UnPack() - the elements of one half of @src, twice as wide */
template <class T = void, class U = void, HighLowPart part = HighLowPart::LOWEST, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void UnPack(R &dst, const A &src)
{
	R out;

	static_assert(R::count * 2 == A::count, "AscendC::MicroAPI::UnPack: elements become twice as wide");
	for (uint32_t i = 0; i < R::count; i++)
		out.put(i, static_cast<typename R::ActualT>(src.get(i + (part == HighLowPart::HIGHEST ? R::count : 0))));
	dst = out;
}

} // namespace MicroAPI
} // namespace AscendC

#endif
