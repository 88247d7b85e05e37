/* SPDX-License-Identifier: MIT */
/* Cast: conversions with every rounding mode. */
#ifndef ASCENDC_VECTOR_CAST_H
#define ASCENDC_VECTOR_CAST_H

#include "engine.h"

namespace AscendC {

namespace detail {

/* CAST_NONE of a conversion that is not exact rounds to nearest; the core's own NONE truncates to integers. */
ASCENDC_FN constexpr uint64_t round_of(RoundMode mode)
{
	return mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_HYBRID ?
		uint64_t(ANPU_ROUND_RINT) : static_cast<uint64_t>(mode);
}

/* Only int32_t to half uses the scale of SetDeqScale() */
template <class D, class S> inline constexpr bool dequantises =
	std::is_same_v<D, half> && std::is_same_v<S, int32_t>;

template <class D, class S> ASCENDC_FN void check_cast()
{
	static_assert(type_of<D> >= 0 && type_of<S> >= 0, "AscendC::Cast does not exist for these types of elements");
	static_assert(!std::is_same_v<D, S> || is_float<D>, "AscendC::Cast of integers to their own type: use Copy() or DataCopy()");
	static_assert(!std::is_same_v<D, int4b_t> || std::is_same_v<S, half> || std::is_same_v<S, int8_t>,
		      "AscendC::Cast to int4b_t is from half or int8_t");
	static_assert(!std::is_same_v<S, int4b_t> || std::is_same_v<D, half> || std::is_same_v<D, int8_t>,
		      "AscendC::Cast from int4b_t is to half or int8_t");
}

template <class D, class S> ASCENDC_FN uint64_t cast_ctl(RoundMode mode)
{
	check_cast<D, S>();
	if constexpr (std::is_same_v<D, S>)
		return ANPU_CTL(0, type_of<D>, ANPU_UN_ROUND) | round_of(mode) << ANPU_CTL_ROUND_SHIFT;
	else
		return ANPU_CTL_CVT(0, type_of<D>, type_of<S>, round_of(mode)) |
		       (dequantises<D, S> && state()->dequant ? ANPU_CTL_QUANT : 0);
}

template <class T> inline constexpr bool is_fp8 = std::is_same_v<T, fp8_e4m3fn_t> || std::is_same_v<T, fp8_e5m2_t> || std::is_same_v<T, hifloat8_t>;

/* The vector unit has no numbers of 8 bits with an exponent: the scalar unit converts them, one by one. */
template <class D, class S> ASCENDC_FN void cast_fp8(const LocalTensor<D> &dst, const LocalTensor<S> &src, RoundMode mode, uint32_t n)
{
	static_assert((is_fp8<D> && is_float<S>) || (is_fp8<S> && is_float<D>),
		      "AscendC::Cast of fp8_e4m3fn_t, fp8_e5m2_t and hifloat8_t is from and to float, half and bfloat16_t");
	if (std::is_same_v<D, hifloat8_t> && mode != RoundMode::CAST_ROUND)
		anpu_trap("Cast: to hifloat8_t it rounds halves away from zero; give CAST_ROUND");
	if (is_fp8<D> && !std::is_same_v<D, hifloat8_t> && mode != RoundMode::CAST_RINT && mode != RoundMode::CAST_NONE)
		anpu_trap("Cast: to numbers of 8 bits with an exponent it rounds to nearest; give CAST_RINT");
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	/* in place the wider elements must not run over those that are still to come */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = sizeof(D) > sizeof(S) ? n - 1 - i : i;

		dst.SetValue(at, static_cast<D>(static_cast<float>(src.GetValue(at))));
	}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

template <class D, class S>
inline constexpr anpu_tile_op cast_op = std::is_same_v<D, S> ? ANPU_TILE_VUN : ANPU_TILE_VCVT;

} // namespace detail

template <class D, class S>
ASCENDC_FN void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &roundMode,
		     const uint32_t count)
{
	if constexpr (detail::is_fp8<D> || detail::is_fp8<S>)
		detail::cast_fp8(dst, src, roundMode, count);
	else if constexpr (std::is_same_v<D, int4b_t> || std::is_same_v<S, int4b_t>)
		anpu_tile_VCVT(dst.address, src.address, 0, detail::cast_ctl<D, S>(roundMode) | count);
	else
		detail::elements<detail::cast_op<D, S>>(detail::cast_ctl<D, S>(roundMode), detail::plain(dst, src), count);
}

template <class D, class S, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void Cast(const LocalTensor<D> &dst, const LocalTensor<S> &src, const RoundMode &roundMode,
		     const M &mask, const R repeatTimes, const UnaryRepeatParams &params)
{
	constexpr uint32_t wide = sizeof(D) > sizeof(S) ? sizeof(D) : sizeof(S);

	detail::repeated<isSetMask>(detail::cast_op<D, S>, detail::cast_ctl<D, S>(roundMode),
				    detail::unary(dst, src, params), mask, detail::repeats_of(repeatTimes),
				    ONE_REPEAT_BYTE_SIZE / wide);
}

/** SetDeqScale() - the factor of Cast() from int32_t to half */
ASCENDC_FN void SetDeqScale(half scale)
{
	anpu_set_csr_quant(anpu_bits_f32(static_cast<float>(scale)));
	detail::state()->dequant = scale != half(1);
}

ASCENDC_FN float ToFloat(const bfloat16_t &value)
{
	return value;
}

ASCENDC_FN bfloat16_t ToBfloat16(const float &value)
{
	return bfloat16_t(value);
}

/** ScalarCast() - one number with a rounding mode */
template <class S, class D, RoundMode mode> ASCENDC_FN D ScalarCast(S value)
{
	static_assert(std::is_same_v<S, float>, "AscendC::ScalarCast is from float");
	if constexpr (std::is_same_v<D, int32_t>) {
		int64_t result = 0;

		if constexpr (mode == RoundMode::CAST_FLOOR)
			__asm__("fcvt.l.s %0, %1, rdn" : "=r"(result) : "f"(value));
		else if constexpr (mode == RoundMode::CAST_CEIL)
			__asm__("fcvt.l.s %0, %1, rup" : "=r"(result) : "f"(value));
		else if constexpr (mode == RoundMode::CAST_ROUND)
			__asm__("fcvt.l.s %0, %1, rmm" : "=r"(result) : "f"(value));
		else if constexpr (mode == RoundMode::CAST_TRUNC)
			__asm__("fcvt.l.s %0, %1, rtz" : "=r"(result) : "f"(value));
		else
			__asm__("fcvt.l.s %0, %1, rne" : "=r"(result) : "f"(value));
		if (value != value)
			return 0;
		return result > INT32_MAX ? INT32_MAX : result < INT32_MIN ? INT32_MIN : int32_t(result);
	} else {
		static_assert(std::is_same_v<D, half> || std::is_same_v<D, bfloat16_t>,
			      "AscendC::ScalarCast is to int32_t, half or bfloat16_t");
		static_assert(mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT ||
			      (std::is_same_v<D, half> && mode == RoundMode::CAST_ODD),
			      "AscendC::ScalarCast to half and bfloat16_t is built for CAST_RINT (to half also CAST_ODD)");
		if constexpr (mode == RoundMode::CAST_ODD) {
			half near = static_cast<half>(value);
			uint16_t bits = __builtin_bit_cast(uint16_t, near);
			float back = static_cast<float>(near);

			if (back == value || value != value)
				return near;
			if (__builtin_fabsf(back) > __builtin_fabsf(value))
				bits--;
			return __builtin_bit_cast(half, static_cast<uint16_t>(bits | 1));
		} else {
			return static_cast<D>(value);
		}
	}
}

/** Cast() of one number - the newer name of ScalarCast(), ToFloat() and ToBfloat16() */
template <class S, class D, RoundMode mode> ASCENDC_FN D Cast(S value)
{
	return ScalarCast<S, D, mode>(value);
}

template <class S, class D, class = std::enable_if_t<detail::is_float<S> && detail::is_float<D>>> ASCENDC_FN D Cast(S value)
{
	return static_cast<D>(value);
}

} // namespace AscendC

#endif
