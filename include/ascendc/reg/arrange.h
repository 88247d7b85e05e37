/* SPDX-License-Identifier: MIT */
/* Registers that are made or rearranged: duplicates, sequences, interleaving, gathering, squeezing; reductions. */
#ifndef ASCENDC_REG_ARRANGE_H
#define ASCENDC_REG_ARRANGE_H

#include "cast.h"

namespace AscendC {
namespace MicroAPI {

/** Duplicate() - a scalar, or the first element of a register (LOWEST; HIGHEST: the last) in all elements */
template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class S, class = detail::if_reg<R>,
	  class = std::enable_if_t<!detail::is_reg<S>>>
ASCENDC_FN void Duplicate(R &dst, S scalar, const MaskReg &mask)
{
	for (uint32_t i = 0; i < R::count; i++) {
		if (R::on(mask, i))
			dst.put(i, static_cast<typename R::ActualT>(scalar));
		else
			detail::left_out<mode>(dst, i);
	}
}

template <class T = void, class R, class S, class = detail::if_reg<R>, class = std::enable_if_t<!detail::is_reg<S>>>
ASCENDC_FN void Duplicate(R &dst, S scalar)
{
	for (uint32_t i = 0; i < R::count; i++)
		dst.put(i, static_cast<typename R::ActualT>(scalar));
}

template <class T = void, HighLowPart part = HighLowPart::LOWEST, MaskMergeMode mode = MaskMergeMode::ZEROING, class R,
	  class = detail::if_reg<R>>
ASCENDC_FN void Duplicate(R &dst, const R &src, const MaskReg &mask)
{
	typename R::ActualT v = src.get(part == HighLowPart::LOWEST ? 0 : R::count - 1);

	for (uint32_t i = 0; i < R::count; i++) {
		if (R::on(mask, i))
			dst.put(i, v);
		else
			detail::left_out<mode>(dst, i);
	}
}

/** Arange() - first, first + 1 ...; in decreasing order the sequence runs from the last element to the first */
template <class T = void, IndexOrder order = IndexOrder::INCREASE_ORDER, class R, class S, class = detail::if_reg<R>>
ASCENDC_FN void Arange(R &dst, S first)
{
	using E = typename R::ActualT;

	for (uint32_t i = 0; i < R::count; i++) {
		uint32_t at = order == IndexOrder::INCREASE_ORDER ? i : R::count - 1 - i;

		dst.put(i, detail::compute(static_cast<E>(first), static_cast<E>(static_cast<int>(at)), [](auto x, auto y) { return x + y; }));
	}
}

template <class T = void, MaskMergeMode mode = MaskMergeMode::ZEROING, class R, class = detail::if_reg<R>>
ASCENDC_FN void Copy(R &dst, const R &src, const MaskReg &mask)
{
	for (uint32_t i = 0; i < R::count; i++) {
		if (R::on(mask, i))
			dst.put(i, src.get(i));
		else
			detail::left_out<mode>(dst, i);
	}
}

template <class T = void, class R, class = detail::if_reg<R>> ASCENDC_FN void Copy(R &dst, const R &src)
{
	dst = src;
}

template <class T = void, MaskMergeMode mode = MaskMergeMode::ZEROING, class R, class = detail::if_reg<R>>
ASCENDC_FN void Move(R &dst, const R &src, const MaskReg &mask)
{
	Copy<T, mode>(dst, src, mask);
}

template <class T = void, class R, class = detail::if_reg<R>> ASCENDC_FN void Move(R &dst, const R &src)
{
	dst = src;
}

/** Interleave() - elements of both sources in turn: the first half of them, and the second */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void Interleave(R &dst0, R &dst1, const R &src0, const R &src1)
{
	R out0, out1;

	for (uint32_t i = 0; i < R::count; i++) {
		out0.put(i, (i % 2 ? src1 : src0).get(i / 2));
		out1.put(i, (i % 2 ? src1 : src0).get(R::count / 2 + i / 2));
	}
	dst0 = out0;
	dst1 = out1;
}

/** DeInterleave() - the elements of both sources at even places, and those at odd places */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void DeInterleave(R &dst0, R &dst1, const R &src0, const R &src1)
{
	R out0, out1;

	for (uint32_t i = 0; i < R::count; i++) {
		const R &src = i < R::count / 2 ? src0 : src1;
		uint32_t at = i % (R::count / 2) * 2;

		out0.put(i, src.get(at));
		out1.put(i, src.get(at + 1));
	}
	dst0 = out0;
	dst1 = out1;
}

/** Gather() - elements of a register by their numbers; a number counts modulo the elements that there are */
template <class T = void, class U = void, class R, class I, class = detail::if_reg<R>, class = detail::if_reg<I>>
ASCENDC_FN void Gather(R &dst, const R &src, const I &index)
{
	R out;

	static_assert(R::count == I::count, "AscendC::MicroAPI::Gather: indices are as wide as the elements");
	for (uint32_t i = 0; i < R::count; i++)
		out.put(i, src.get(static_cast<uint32_t>(index.get(i)) % R::count));
	dst = out;
}

/** Squeeze() - the elements that the mask has, one behind the other, then zeros; STORE_REG counts them for StoreUnAlign() */
template <class T = void, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, class R, class = detail::if_reg<R>>
ASCENDC_FN void Squeeze(R &dst, const R &src, const MaskReg &mask)
{
	R out;
	uint32_t n = 0;

	for (uint32_t i = 0; i < R::count; i++)
		if (R::on(mask, i))
			out.put(n++, src.get(i));
	for (uint32_t i = n; i < R::count; i++)
		out.put(i, typename R::ActualT(0));
	dst = out;
	if constexpr (store == GatherMaskMode::STORE_REG) {
		detail::state()->last_squeezed = n;
		detail::state()->squeezed += n * sizeof(typename R::ActualT);
	}
}

/** GatherMask() - the older name of Squeeze() */
template <class T = void, GatherMaskMode store = GatherMaskMode::NO_STORE_REG, class R, class = detail::if_reg<R>>
ASCENDC_FN void GatherMask(R &dst, const R &src, const MaskReg &mask)
{
	Squeeze<T, store>(dst, src, mask);
}

/** Unsqueeze() - for each element the number of those before it that the mask has */
template <class T = void, class R, class = detail::if_reg<R>> ASCENDC_FN void Unsqueeze(R &dst, const MaskReg &mask)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < R::count; i++) {
		dst.put(i, static_cast<typename R::ActualT>(static_cast<int>(n)));
		n += R::on(mask, i);
	}
}

namespace detail {

/* The sum of n values in pairs of neighbours, then pairs of those; elements that the mask leaves out are 0 */
template <class W, class A> ASCENDC_FN W sum_of(const A &src, const MaskReg &mask, uint32_t first, uint32_t n)
{
	W part[A::count];

	for (uint32_t i = 0; i < n; i++)
		part[i] = A::on(mask, first + i) ? static_cast<W>(src.get(first + i)) : W(0);
	for (; n > 1; n = (n + 1) / 2)
		for (uint32_t i = 0; i < n; i += 2)
			part[i / 2] = i + 1 < n ? static_cast<W>(part[i] + part[i + 1]) : part[i];
	return part[0];
}

template <class R> ASCENDC_FN void zero(R &dst)
{
	for (uint32_t i = 0; i < R::count; i++)
		dst.put(i, typename R::ActualT(0));
}

/* Sums of half and bfloat16_t are added in float and rounded once */
template <class R, class A> using SumType = std::conditional_t<real<typename A::ActualT>, float, typename R::ActualT>;

/* Is an element beyond the one found so far? NaN is beyond all, and +0 is greater than -0, as for the vector unit */
template <bool most, class E> ASCENDC_FN bool beyond(E now, E found)
{
	if constexpr (real<E>) {
		float a = static_cast<float>(now), b = static_cast<float>(found);

		if (a != a || b != b)
			return a != a && b == b;
		if (a == 0 && b == 0)
			return __builtin_signbit(most ? b : a) && !__builtin_signbit(most ? a : b);
		return most ? b < a : a < b;
	} else {
		return most ? found < now : now < found;
	}
}

/* The number of the largest (or smallest) element that the mask has, the first of equal ones; -1 without any */
template <bool most, class A> ASCENDC_FN int extreme(const A &src, const MaskReg &mask, uint32_t first, uint32_t n)
{
	int best = -1;

	for (uint32_t i = first; i < first + n; i++) {
		if (!A::on(mask, i))
			continue;
		if (best < 0 || beyond<most>(src.get(i), src.get(best)))
			best = static_cast<int>(i);
	}
	return best;
}

/* The value that stands for no element at all */
template <bool most, class E> ASCENDC_FN E neutral()
{
	if constexpr (real<E>)
		return static_cast<E>(most ? -__builtin_inff() : __builtin_inff());
	else
		return most ? std::numeric_limits<E>::min() : std::numeric_limits<E>::max();
}

template <class E> ASCENDC_FN E from_index(int at)
{
	using U = std::conditional_t<sizeof(E) == 2, uint16_t, std::conditional_t<sizeof(E) == 1, uint8_t,
		  std::conditional_t<sizeof(E) == 8, uint64_t, uint32_t>>>;

	return __builtin_bit_cast(E, static_cast<U>(at));
}

template <bool most, class R, class A> ASCENDC_FN void reduce_extreme(R &dst, const A &src, const MaskReg &mask)
{
	using E = typename R::ActualT;
	int at = extreme<most>(src, mask, 0, A::count);
	E value = at < 0 ? neutral<most, E>() : static_cast<E>(src.get(at));

	zero(dst);
	dst.put(0, value);
	dst.put(1, from_index<E>(at < 0 ? 0 : at));
}

template <bool most, class R, class A> ASCENDC_FN void blocks_extreme(R &dst, const A &src, const MaskReg &mask)
{
	using E = typename R::ActualT;
	constexpr uint32_t block = A::count / 8;
	E value[8];

	for (uint32_t b = 0; b < 8; b++) {
		int at = extreme<most>(src, mask, b * block, block);

		value[b] = at < 0 ? neutral<most, E>() : static_cast<E>(src.get(at));
	}
	zero(dst);
	for (uint32_t b = 0; b < 8; b++)
		dst.put(b, value[b]);
}

} // namespace detail

/** ReduceSum() - the sum in the first element, zeros behind it */
template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceSum(R &dst, const A &src, const MaskReg &mask)
{
	auto sum = detail::sum_of<detail::SumType<R, A>>(src, mask, 0, A::count);

	detail::zero(dst);
	dst.put(0, static_cast<typename R::ActualT>(sum));
}

/** ReduceMax(), ReduceMin() - the value in the first element, its number, as bits, in the second */
template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceMax(R &dst, const A &src, const MaskReg &mask)
{
	detail::reduce_extreme<true>(dst, src, mask);
}

template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceMin(R &dst, const A &src, const MaskReg &mask)
{
	detail::reduce_extreme<false>(dst, src, mask);
}

/** ReduceSumWithDataBlock() and its kin - of each block of 32 bytes, in the first eight elements */
template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceSumWithDataBlock(R &dst, const A &src, const MaskReg &mask)
{
	constexpr uint32_t block = A::count / 8;
	detail::SumType<R, A> sum[8];

	for (uint32_t b = 0; b < 8; b++)
		sum[b] = detail::sum_of<detail::SumType<R, A>>(src, mask, b * block, block);
	detail::zero(dst);
	for (uint32_t b = 0; b < 8; b++)
		dst.put(b, static_cast<typename R::ActualT>(sum[b]));
}

template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceMaxWithDataBlock(R &dst, const A &src, const MaskReg &mask)
{
	detail::blocks_extreme<true>(dst, src, mask);
}

template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class A, class = detail::if_reg<R>>
ASCENDC_FN void ReduceMinWithDataBlock(R &dst, const A &src, const MaskReg &mask)
{
	detail::blocks_extreme<false>(dst, src, mask);
}

#define ASCENDC_REG_REDUCE(name, sum, max, min) \
	template <ReduceType type, class T = void, class U = void, auto mode = MaskMergeMode::ZEROING, class R, class A, \
		  class = detail::if_reg<R>> \
	ASCENDC_FN void name(R &dst, const A &src, const MaskReg &mask) \
	{ \
		static_assert(type == ReduceType::SUM || type == ReduceType::MAX || type == ReduceType::MIN, \
			      "AscendC::MicroAPI::" #name ": SUM, MAX and MIN are built"); \
		if constexpr (type == ReduceType::SUM) \
			sum(dst, src, mask); \
		else if constexpr (type == ReduceType::MAX) \
			max(dst, src, mask); \
		else \
			min(dst, src, mask); \
	}
ASCENDC_REG_REDUCE(Reduce, ReduceSum, ReduceMax, ReduceMin)
ASCENDC_REG_REDUCE(ReduceDataBlock, ReduceSumWithDataBlock, ReduceMaxWithDataBlock, ReduceMinWithDataBlock)
#undef ASCENDC_REG_REDUCE

/** PairReduceSum() - sums of neighbours, in the first half of the elements */
template <class T = void, auto mode = MaskMergeMode::ZEROING, class R, class = detail::if_reg<R>>
ASCENDC_FN void PairReduceSum(R &dst, const R &src, const MaskReg &mask)
{
	R out;

	detail::zero(out);
	for (uint32_t i = 0; i < R::count / 2; i++)
		out.put(i, static_cast<typename R::ActualT>(detail::sum_of<detail::SumType<R, R>>(src, mask, 2 * i, 2)));
	dst = out;
}

template <ReduceType type, class T = void, auto mode = MaskMergeMode::ZEROING, class R, class = detail::if_reg<R>>
ASCENDC_FN void PairReduceElem(R &dst, const R &src, const MaskReg &mask)
{
	static_assert(type == ReduceType::SUM, "AscendC::MicroAPI::PairReduceElem: SUM is built");
	PairReduceSum(dst, src, mask);
}

namespace detail {

/* Sums of 32 bits with a carry to each; elements that the mask leaves out are 0 and carry nothing */
template <class R> ASCENDC_FN void add_carry(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg *more, const MaskReg &mask)
{
	MaskReg out = {};

	static_assert(sizeof(typename R::ActualT) == 4 && std::is_integral_v<typename R::ActualT>,
		      "AscendC::MicroAPI: sums with a carry are of uint32_t or int32_t");
	for (uint32_t i = 0; i < R::count; i++) {
		bool on = R::on(mask, i);
		uint64_t sum = static_cast<uint64_t>(static_cast<uint32_t>(a.get(i))) + static_cast<uint32_t>(b.get(i)) +
			       (more && R::on(*more, i));

		dst.put(i, static_cast<typename R::ActualT>(on ? static_cast<uint32_t>(sum) : 0));
		out.put(i * R::step, on && sum >> 32);
	}
	carry = out;
}

/* Differences of 32 bits; the carry is 0 where something is borrowed. Elements that the mask leaves out are 0 and have no carry. */
template <class R> ASCENDC_FN void subtract_carry(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg *less, const MaskReg &mask)
{
	MaskReg out = {};

	static_assert(sizeof(typename R::ActualT) == 4 && std::is_integral_v<typename R::ActualT>,
		      "AscendC::MicroAPI: differences with a carry are of uint32_t or int32_t");
	for (uint32_t i = 0; i < R::count; i++) {
		bool on = R::on(mask, i);
		uint64_t difference = static_cast<uint64_t>(static_cast<uint32_t>(a.get(i))) - static_cast<uint32_t>(b.get(i)) -
				      (less && R::on(*less, i));

		dst.put(i, static_cast<typename R::ActualT>(on ? static_cast<uint32_t>(difference) : 0));
		out.put(i * R::step, on && !(difference >> 32));
	}
	carry = out;
}

} // namespace detail

/** Sub(), SubCarryOut() - a difference, and a carry that is 0 where it borrows; SubC(), SubCarryOuts() subtract a carry of before, too */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void Sub(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &mask)
{
	detail::subtract_carry(carry, dst, a, b, nullptr, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void SubCarryOut(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &mask)
{
	detail::subtract_carry(carry, dst, a, b, nullptr, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void SubC(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &before, const MaskReg &mask)
{
	detail::subtract_carry(carry, dst, a, b, &before, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void SubCarryOuts(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &before, const MaskReg &mask)
{
	detail::subtract_carry(carry, dst, a, b, &before, mask);
}

/** Add(), AddCarryOut() - a sum and its carry; AddC(), AddCarryOuts() add a carry of before, too */
template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void Add(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &mask)
{
	detail::add_carry(carry, dst, a, b, nullptr, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void AddCarryOut(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &mask)
{
	detail::add_carry(carry, dst, a, b, nullptr, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void AddC(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &before, const MaskReg &mask)
{
	detail::add_carry(carry, dst, a, b, &before, mask);
}

template <class T = void, class R, class = detail::if_reg<R>>
ASCENDC_FN void AddCarryOuts(MaskReg &carry, R &dst, const R &a, const R &b, const MaskReg &before, const MaskReg &mask)
{
	detail::add_carry(carry, dst, a, b, &before, mask);
}

enum class HistogramsBinType { BIN0 = 0, BIN1 };
enum class HistogramsType { FREQUENCY = 0, ACCUMULATE };

/**
 * Histograms() - adds to 128 numbers how often the values 0 to 127 (BIN1: 128 to 255) are in the source; ACCUMULATE: how often a value
 * from 0 to that of the number is there
 */
template <class T, class U, HistogramsBinType mode, HistogramsType type, class R, class A, class = detail::if_reg<R>, class = detail::if_reg<A>>
ASCENDC_FN void Histograms(R &dst, const A &src, const MaskReg &mask)
{
	uint16_t found[256] = {}, sum = 0;

	static_assert(std::is_same_v<typename A::ActualT, uint8_t> && std::is_same_v<typename R::ActualT, uint16_t>,
		      "AscendC::MicroAPI::Histograms: of uint8_t into uint16_t");
	static_assert(mode == HistogramsBinType::BIN0 || type == HistogramsType::FREQUENCY,
		      "AscendC::MicroAPI::Histograms: ACCUMULATE with BIN1 is not supported here: where its sums begin is not documented; add those of BIN0");
	for (uint32_t i = 0; i < A::count; i++)
		if (A::on(mask, i))
			found[src.get(i)]++;
	for (uint32_t i = 0; i < R::count; i++) {
		uint16_t here = found[i + (mode == HistogramsBinType::BIN1 ? 128 : 0)];

		sum = static_cast<uint16_t>(sum + here);
		dst.put(i, static_cast<uint16_t>(dst.get(i) + (type == HistogramsType::ACCUMULATE ? sum : here)));
	}
}

/* Names that are not built are errors when compiling, which name them */
#define ASCENDC_REG_REFUSE(name, why) \
	template <auto... v, class... A> ASCENDC_FN void name(A &&...) \
	{ \
		static_assert(AscendC::detail::no<A...>, "AscendC::MicroAPI::" #name " is not supported here: " why); \
	} \
	template <class T, auto... v, class... A> ASCENDC_FN void name(A &&...) \
	{ \
		static_assert(AscendC::detail::no<A...>, "AscendC::MicroAPI::" #name " is not supported here: " why); \
	}
ASCENDC_REG_REFUSE(MaskGenWithRegTensor, "it is not built; use Compare()")
#undef ASCENDC_REG_REFUSE

} // namespace MicroAPI
} // namespace AscendC

#endif
