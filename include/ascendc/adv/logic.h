/* SPDX-License-Identifier: MIT */
/*
 * Functions of the high-level API whose results are true and false, and choices by these: IsNan and its kind, Logical..., Where; bit by bit:
 * Bitwise...; and SinCos. A tensor of bool has a byte for each element. Working memory is a block behind the buffers of UB.
 */
#ifndef ASCENDC_ADV_LOGIC_H
#define ASCENDC_ADV_LOGIC_H

#include "../vector/binary.h"
#include "../vector/compare.h"
#include "../vector/flexible.h"
#include "math.h"
#include "scratch.h"

namespace AscendC {

/* Config parameters have these types. isReuseSource has no effect, scalarTensorIndex says which operand is the number. */
struct IsNanConfig { bool isReuseSource; };
struct IsInfConfig { bool isReuseSource; };
struct LogicalAndConfig { bool isReuseSource; };
struct LogicalOrConfig { bool isReuseSource; };
struct LogicalXorConfig { bool isReuseSource; };
struct LogicalNotConfig { bool isReuseSource; };
struct LogicalAndsConfig { bool isReuseSource; int8_t scalarTensorIndex; };
struct LogicalOrsConfig { bool isReuseSource; int8_t scalarTensorIndex; };
struct BitwiseAndConfig { bool isReuseSource; };
struct BitwiseOrConfig { bool isReuseSource; };
struct BitwiseXorConfig { bool isReuseSource; };
struct BitwiseNotConfig { bool isReuseSource; };
struct SinCosConfig { bool isReuseSource; };
inline constexpr IsNanConfig DEFAULT_IS_NAN_CONFIG = {false};
inline constexpr IsInfConfig DEFAULT_IS_INF_CONFIG = {false};
inline constexpr LogicalAndConfig DEFAULT_LOGICAL_AND_CONFIG = {false};
inline constexpr LogicalOrConfig DEFAULT_LOGICAL_OR_CONFIG = {false};
inline constexpr LogicalXorConfig DEFAULT_LOGICAL_XOR_CONFIG = {false};
inline constexpr LogicalNotConfig DEFAULT_LOGICAL_NOT_CONFIG = {false};
inline constexpr LogicalAndsConfig DEFAULT_LOGICAL_ANDS_CONFIG = {false, 1};
inline constexpr LogicalOrsConfig DEFAULT_LOGICAL_ORS_CONFIG = {false, 1};
inline constexpr BitwiseAndConfig DEFAULT_BITWISE_AND_CONFIG = {false};
inline constexpr BitwiseOrConfig DEFAULT_BITWISE_OR_CONFIG = {false};
inline constexpr BitwiseXorConfig DEFAULT_BITWISE_XOR_CONFIG = {false};
inline constexpr BitwiseNotConfig DEFAULT_BITWISE_NOT_CONFIG = {false};
inline constexpr SinCosConfig DEFAULT_SIN_COS_CONFIG = {false};

namespace detail {

template <class T> struct Element { using type = T; };
template <class T> struct Element<LocalTensor<T>> { using type = T; };

/* Elements that are compared at a time, and two sets of bits for them */
constexpr uint32_t logic_step = 1024, logic_words = logic_step / 16;

struct Bits {
	LocalTensor<uint16_t> a = scratch<uint16_t>(2 * logic_words), b = a[logic_words];

	ASCENDC_FN void clear() const
	{
		Duplicate(a, uint16_t(0), static_cast<int32_t>(2 * logic_words));
	}
};

template <class T> ASCENDC_FN T infinity(bool negative)
{
	return static_cast<T>(negative ? -__builtin_inff() : __builtin_inff());
}

template <class T> ASCENDC_FN void differs(const LocalTensor<uint16_t> &bits, const LocalTensor<T> &src, T value, uint32_t n)
{
	CompareScalar(bits, src, value, CMPMODE::NE, n);
}

/* dst = bits ? 1 : 0, or the other way round */
template <class T> ASCENDC_FN void from_bits(const LocalTensor<T> &dst, const LocalTensor<uint16_t> &bits, uint32_t n, bool no = false)
{
	if constexpr (std::is_same_v<T, bool>) {
		from_bits(dst.template ReinterpretCast<uint8_t>(), bits, n, no);
	} else {
		Duplicate(dst, static_cast<T>(no ? 0.0f : 1.0f), static_cast<int32_t>(n));
		Select(dst, bits, dst, static_cast<T>(no ? 1.0f : 0.0f), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
	}
}

/* work(first element, how many, bits) for all elements */
template <class F> ASCENDC_FN void in_steps(uint32_t n, F work)
{
	Bits bits;

	for (uint32_t at = 0; at < n; at += logic_step) {
		bits.clear();
		work(at, n - at < logic_step ? n - at : logic_step, bits);
	}
}

template <class U, class T> constexpr ASCENDC_FN void check_test()
{
	static_assert(is_float<T>, "AscendC: IsNan(), IsInf() and IsFinite() are for floating-point numbers");
	static_assert(std::is_same_v<U, bool> || std::is_same_v<U, T> || sizeof(U) == 1,
		      "AscendC: the result of IsNan(), IsInf() and IsFinite() is of bool or of the source's type");
}

/* bits.a = the elements that are true; of a number all or none */
template <class S> ASCENDC_FN void truth(const LocalTensor<uint16_t> &bits, const S &src, uint32_t at, uint32_t n)
{
	if constexpr (is_tensor<S>)
		differs(bits, src[at], static_cast<typename Element<S>::type>(0.0f), n);
	else
		Duplicate(bits, src != static_cast<S>(0.0f) ? uint16_t(0xffff) : uint16_t(0), static_cast<int32_t>(logic_words));
}

template <class D, class A, class B, class F>
ASCENDC_FN void logical(const LocalTensor<D> &dst, const A &src0, const B &src1, uint32_t count, F operation)
{
	static_assert(sizeof(D) == 1, "AscendC: results of logical functions are of bool");
	in_steps(count, [&](uint32_t at, uint32_t n, const Bits &bits) {
		truth(bits.a, src0, at, n);
		truth(bits.b, src1, at, n);
		operation(bits);
		from_bits(dst[at], bits.a, n);
	});
}

/* One operand is a number; the first element of a tensor is one, too, where both are tensors */
template <int index, class D, class A, class B, class F>
ASCENDC_FN void logical_with_number(const LocalTensor<D> &dst, const A &src0, const B &src1, uint32_t count, F operation)
{
	if constexpr (is_tensor<A> && is_tensor<B>) {
		settle();
		if constexpr (index == 0)
			logical(dst, src0.GetValue(0), src1, count, operation);
		else
			logical(dst, src0, src1.GetValue(0), count, operation);
	} else {
		static_assert(is_tensor<A> || is_tensor<B>, "AscendC: one operand of a logical function is a tensor");
		logical(dst, src0, src1, count, operation);
	}
}

ASCENDC_FN void and_bits(const Bits &bits)
{
	And(bits.a, bits.a, bits.b, static_cast<int32_t>(logic_words));
}

ASCENDC_FN void or_bits(const Bits &bits)
{
	Or(bits.a, bits.a, bits.b, static_cast<int32_t>(logic_words));
}

ASCENDC_FN void xor_bits(const Bits &bits)
{
	Xor(bits.a, bits.a, bits.b, logic_words);
}

} // namespace detail

/** IsNan() - 1 or true for NaN, else 0 or false */
template <const IsNanConfig &config = DEFAULT_IS_NAN_CONFIG, class T, class U>
ASCENDC_FN void IsNan(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
	detail::check_test<T, U>();
	detail::in_steps(count, [&](uint32_t at, uint32_t n, const detail::Bits &bits) {
		Compare(bits.a, src[at], src[at], CMPMODE::EQ, n);
		detail::from_bits(dst[at], bits.a, n, true);
	});
}

template <const IsNanConfig &config = DEFAULT_IS_NAN_CONFIG, class T, class U>
ASCENDC_FN void IsNan(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint8_t> &, const uint32_t count)
{
	IsNan<config>(dst, src, count);
}

/** IsInf() - likewise for both infinities */
template <const IsInfConfig &config = DEFAULT_IS_INF_CONFIG, class T, class U>
ASCENDC_FN void IsInf(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
	detail::check_test<T, U>();
	detail::in_steps(count, [&](uint32_t at, uint32_t n, const detail::Bits &bits) {
		detail::differs(bits.a, src[at], detail::infinity<U>(false), n);
		detail::differs(bits.b, src[at], detail::infinity<U>(true), n);
		detail::and_bits(bits);
		detail::from_bits(dst[at], bits.a, n, true);
	});
}

template <const IsInfConfig &config = DEFAULT_IS_INF_CONFIG, class T, class U>
ASCENDC_FN void IsInf(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint8_t> &, const uint32_t count)
{
	IsInf<config>(dst, src, count);
}

/** IsFinite() - likewise for what is neither NaN nor infinite */
template <class T, class U> ASCENDC_FN void IsFinite(const LocalTensor<U> &dst, const LocalTensor<T> &src, uint32_t calCount)
{
	detail::check_test<U, T>();
	detail::in_steps(calCount, [&](uint32_t at, uint32_t n, const detail::Bits &bits) {
		detail::differs(bits.a, src[at], detail::infinity<T>(false), n);
		detail::differs(bits.b, src[at], detail::infinity<T>(true), n);
		detail::and_bits(bits);
		Compare(bits.b, src[at], src[at], CMPMODE::EQ, n);
		detail::and_bits(bits);
		detail::from_bits(dst[at], bits.a, n);
	});
}

/** LogicalAnd() - dst = src0 && src1; what is not 0 is true, NaN, too */
template <const LogicalAndConfig &config = DEFAULT_LOGICAL_AND_CONFIG, class T, class U>
ASCENDC_FN void LogicalAnd(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count)
{
	detail::logical(dst, src0, src1, count, detail::and_bits);
}

template <const LogicalOrConfig &config = DEFAULT_LOGICAL_OR_CONFIG, class T, class U>
ASCENDC_FN void LogicalOr(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count)
{
	detail::logical(dst, src0, src1, count, detail::or_bits);
}

template <const LogicalXorConfig &config = DEFAULT_LOGICAL_XOR_CONFIG, class T, class U>
ASCENDC_FN void LogicalXor(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const uint32_t count)
{
	detail::logical(dst, src0, src1, count, detail::xor_bits);
}

template <const LogicalNotConfig &config = DEFAULT_LOGICAL_NOT_CONFIG, class T, class U>
ASCENDC_FN void LogicalNot(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
	detail::logical(dst, src, static_cast<U>(1.0f), count, detail::xor_bits);
}

/** LogicalAnds() - with a number, in front or behind; of two tensors the one that config names gives its first element */
template <const LogicalAndsConfig &config = DEFAULT_LOGICAL_ANDS_CONFIG, class T, class U, class S>
ASCENDC_FN void LogicalAnds(const LocalTensor<T> &dst, const U &src0, const S &src1, const uint32_t count)
{
	detail::logical_with_number<config.scalarTensorIndex>(dst, src0, src1, count, detail::and_bits);
}

template <const LogicalOrsConfig &config = DEFAULT_LOGICAL_ORS_CONFIG, class T, class U, class S>
ASCENDC_FN void LogicalOrs(const LocalTensor<T> &dst, const U &src0, const S &src1, const uint32_t count)
{
	detail::logical_with_number<config.scalarTensorIndex>(dst, src0, src1, count, detail::or_bits);
}

/** Where() - dst = condition ? src0 : src1; each source is a tensor or a number */
template <class T, class U, class S, class V>
ASCENDC_FN void Where(const LocalTensor<T> &dst, const U &src0, const S &src1, const LocalTensor<V> &condition, const uint32_t count)
{
	using D = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

	static_assert(sizeof(V) == 1, "AscendC::Where: the condition is of bool");
	detail::in_steps(count, [&](uint32_t at, uint32_t n, const detail::Bits &bits) {
		auto tensor_of = [&](const auto &src) { return src[at].template ReinterpretCast<D>(); };
		LocalTensor<D> to = tensor_of(dst);

		detail::truth(bits.a, condition, at, n);
		if constexpr (detail::is_tensor<U> && detail::is_tensor<S>) {
			Select(to, bits.a, tensor_of(src0), tensor_of(src1), SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
		} else if constexpr (detail::is_tensor<U>) {
			Select(to, bits.a, tensor_of(src0), static_cast<D>(src1), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
		} else if constexpr (detail::is_tensor<S>) {
			Duplicate(to, static_cast<D>(src0), static_cast<int32_t>(n));
			Select(to, bits.a, to, tensor_of(src1), SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
		} else {
			Duplicate(to, static_cast<D>(src0), static_cast<int32_t>(n));
			Select(to, bits.a, to, static_cast<D>(src1), SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
		}
	});
}

/** BitwiseAnd() - integers of 8 to 64 bits, like BitwiseOr(), BitwiseXor() and BitwiseNot() */
template <const BitwiseAndConfig &config = DEFAULT_BITWISE_AND_CONFIG, class T>
ASCENDC_FN void BitwiseAnd(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
	static_assert(std::is_integral_v<T>, "AscendC::BitwiseAnd is for integers");
	And(dst, src0, src1, static_cast<int32_t>(count));
}

template <const BitwiseOrConfig &config = DEFAULT_BITWISE_OR_CONFIG, class T>
ASCENDC_FN void BitwiseOr(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
	static_assert(std::is_integral_v<T>, "AscendC::BitwiseOr is for integers");
	Or(dst, src0, src1, static_cast<int32_t>(count));
}

template <const BitwiseXorConfig &config = DEFAULT_BITWISE_XOR_CONFIG, class T>
ASCENDC_FN void BitwiseXor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const uint32_t count)
{
	static_assert(std::is_integral_v<T>, "AscendC::BitwiseXor is for integers");
	Xor(dst, src0, src1, count);
}

template <const BitwiseNotConfig &config = DEFAULT_BITWISE_NOT_CONFIG, class T>
ASCENDC_FN void BitwiseNot(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	static_assert(std::is_integral_v<T>, "AscendC::BitwiseNot is for integers");
	Not(dst, src, static_cast<int32_t>(count));
}

/** SinCos() - dst0 = sin(src), dst1 = cos(src) */
template <const SinCosConfig &config = DEFAULT_SIN_COS_CONFIG, class T>
ASCENDC_FN void SinCos(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src, const uint32_t count)
{
	Sin(dst0, src, count);
	Cos(dst1, src, count);
}

template <const SinCosConfig &config = DEFAULT_SIN_COS_CONFIG, class T>
ASCENDC_FN void SinCos(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		       const uint32_t count)
{
	SinCos<config>(dst0, dst1, src, count);
}

} // namespace AscendC

#endif
