/* SPDX-License-Identifier: MIT */
/* Sums and extremes: of all elements, of each repeat, of each block, of pairs. */
#ifndef ASCENDC_VECTOR_REDUCE_H
#define ASCENDC_VECTOR_REDUCE_H

#include "engine.h"

namespace AscendC {

namespace detail {

/* Bytes of the results of a whole repeat */
template <class T> ASCENDC_FN constexpr uint32_t results_bytes(uint64_t sub, uint64_t flags)
{
	uint32_t results = (sub & ANPU_RED_PAIR) == ANPU_RED_PAIR ? per_repeat<T> / 2 : sub & ANPU_RED_BLOCK ? BLK_NUM_PER_REP : 1;

	return results * sizeof(T) * (flags & ANPU_CTL_INDEX ? 2 : 1);
}

ASCENDC_FN uint32_t counted(uint64_t mask)
{
	return static_cast<uint32_t>(mask);
}

ASCENDC_FN uint32_t counted(const uint64_t mask[])
{
	return static_cast<uint32_t>(mask[0]);
}

/* Counter mode: @count elements in as many repeats as they need; the last one is shorter */
template <class T>
ASCENDC_FN void reduce_counted(const Operands &o, uint64_t ctl, uint32_t count, uint32_t result_bytes)
{
	uint32_t whole = count / per_repeat<T>;
	Operands rest = o;

	repeat_once(ANPU_TILE_VRED, ctl | per_repeat<T>, o, whole);
	if (count % per_repeat<T> == 0)
		return;
	rest.dst += uint64_t(whole) * o.to.repeat * result_bytes;
	rest.src0 += uint64_t(whole) * o.from0.repeat * ONE_BLK_SIZE;
	repeat_once(ANPU_TILE_VRED, ctl | count % per_repeat<T>, rest, 1);
}

/* One VREP of VRED; @dst_step in results of a whole repeat */
template <class T, bool sets, class M>
ASCENDC_FN void reduce_repeats(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t sub, uint64_t flags,
			       const M &mask, int32_t repeats, int32_t dst_step, int32_t src_blk, int32_t src_rep)
{
	Operands operands = {dst.address, src.address, 0, stride(0, uint32_t(dst_step)),
			     stride(uint32_t(src_blk), uint32_t(src_rep)), {0, 0}, sizeof(T), sizeof(T), 0};

	static_assert(type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, "AscendC: no reduction of this type of elements");
	if (state()->counter) {
		reduce_counted<T>(operands, ANPU_CTL(0, type_of<T>, sub) | flags, sets ? counted(mask) : state()->count,
				  results_bytes<T>(sub, flags));
		return;
	}
	repeated<sets>(ANPU_TILE_VRED, ANPU_CTL(0, type_of<T>, sub) | flags, operands, mask,
		       static_cast<uint32_t>(repeats), per_repeat<T>);
}

/* A result that goes to a place among the elements: the core has it in front of them, whose bytes are put back */
template <class T>
__attribute__((noinline, nodebug)) void reduce_inside(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t ctl, bool index)
{
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	T first = src.GetValue(0), second = src.GetValue(1), value, place;

	anpu_tile_VRED(src.address, src.address, 0, ctl);
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	value = src.GetValue(0);
	place = src.GetValue(1);
	src.SetValue(0, first);
	src.SetValue(1, second);
	dst.SetValue(0, value);
	if (index)
		dst.SetValue(1, place);
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

template <class T>
ASCENDC_FN void reduce_all(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t op, bool index, int32_t count)
{
	uint64_t ctl = ANPU_CTL(count, type_of<T>, op | ANPU_RED_WHOLE) | (index ? ANPU_CTL_INDEX : 0);

	static_assert(type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, "AscendC: no reduction of this type of elements");
	if (crosses(dst.address, sizeof(T) * (index ? 2 : 1), src.address, uint64_t(count) * sizeof(T)))
		reduce_inside(dst, src, ctl, index);
	else
		anpu_tile_VRED(dst.address, src.address, 0, ctl);
}

} // namespace detail

template <class T, bool isSetMask = true, class M>
ASCENDC_FN void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const M &mask,
			       const int32_t repeatTimes, const int32_t dstRepStride, const int32_t srcBlkStride,
			       const int32_t srcRepStride)
{
	detail::reduce_repeats<T, isSetMask>(dst, src, ANPU_RED_SUM | ANPU_RED_REPEAT, 0, mask, repeatTimes,
					     dstRepStride, srcBlkStride, srcRepStride);
}

namespace detail {

template <class T> LocalTensor<T> scratch(uint32_t elements);	/* adv/scratch.h */

/*
 * The place before the value, or alone as uint32_t. The core has the value in front only, so that the results of each repeat go to
 * working memory, from where the scalar unit takes them.
 */
template <bool alone, class T, bool sets, class M>
ASCENDC_FN void reduce_places(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t op, const M &mask, int32_t repeats,
			      int32_t dst_step, int32_t src_blk, int32_t src_rep)
{
	using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
	LocalTensor<T> pair = scratch<T>(ONE_BLK_SIZE / sizeof(T));

	if (state()->counter)
		anpu_trap("WholeReduceMax, WholeReduceMin: the counter mode is supported here with ORDER_VALUE_INDEX and ORDER_ONLY_VALUE");
	for (uint32_t r = 0; r < uint32_t(repeats); r++) {
		uint32_t to = r * uint32_t(dst_step);
		LocalTensor<T> from = src;

		from.address += r * uint32_t(src_rep) * ONE_BLK_SIZE;
		reduce_repeats<T, sets>(pair, from, op | ANPU_RED_REPEAT, ANPU_CTL_INDEX, mask, 1, 1, src_blk, src_rep);
		anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
		if constexpr (alone) {
			dst.template ReinterpretCast<uint32_t>().SetValue(to, __builtin_bit_cast(Bits, pair.GetValue(1)));
		} else {
			dst.SetValue(to * 2, pair.GetValue(1));
			dst.SetValue(to * 2 + 1, pair.GetValue(0));
		}
	}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

/* The greatest or smallest of each repeat, with its place or without */
#define ASCENDC_WHOLE_REDUCE(name, op) \
	template <class T, bool isSetMask = true, class M> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const M &mask, \
			     const int32_t repeatTimes, const int32_t dstRepStride, \
			     const int32_t srcBlkStride, const int32_t srcRepStride, \
			     ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) \
	{ \
		if (order == ReduceOrder::ORDER_INDEX_VALUE) \
			detail::reduce_places<false, T, isSetMask>(dst, src, op, mask, repeatTimes, dstRepStride, srcBlkStride, \
								   srcRepStride); \
		else if (order == ReduceOrder::ORDER_ONLY_INDEX) \
			detail::reduce_places<true, T, isSetMask>(dst, src, op, mask, repeatTimes, dstRepStride, srcBlkStride, \
								  srcRepStride); \
		else \
			detail::reduce_repeats<T, isSetMask>(dst, src, uint64_t(op) | ANPU_RED_REPEAT, \
							     order == ReduceOrder::ORDER_VALUE_INDEX ? ANPU_CTL_INDEX : 0, \
							     mask, repeatTimes, dstRepStride, srcBlkStride, srcRepStride); \
	}
ASCENDC_WHOLE_REDUCE(WholeReduceMax, ANPU_RED_MAX)
ASCENDC_WHOLE_REDUCE(WholeReduceMin, ANPU_RED_MIN)
#undef ASCENDC_WHOLE_REDUCE

/* An older name of WholeReduceSum(); the distance of blocks in the result has no meaning, since it has one element a repeat */
template <class T, bool isSetMask = true>
ASCENDC_FN void RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTimes,
				const int32_t mask, const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride,
				const int32_t srcRepStride)
{
	WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTimes, dstRepStride, srcBlkStride, srcRepStride);
}

#define ASCENDC_PART_REDUCE(name, op, scope) \
	template <class T, bool isSetMask = true, class M> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, \
			     const M &mask, const int32_t dstRepStride, const int32_t srcBlkStride, \
			     const int32_t srcRepStride) \
	{ \
		detail::reduce_repeats<T, isSetMask>(dst, src, uint64_t(op) | uint64_t(scope), 0, mask, repeat, \
						     dstRepStride, srcBlkStride, srcRepStride); \
	}
ASCENDC_PART_REDUCE(BlockReduceSum, ANPU_RED_SUM, ANPU_RED_BLOCK)
ASCENDC_PART_REDUCE(BlockReduceMax, ANPU_RED_MAX, ANPU_RED_BLOCK)
ASCENDC_PART_REDUCE(BlockReduceMin, ANPU_RED_MIN, ANPU_RED_BLOCK)
ASCENDC_PART_REDUCE(PairReduceSum, ANPU_RED_SUM, ANPU_RED_PAIR)
#undef ASCENDC_PART_REDUCE

/** ReduceRepeat(), ReduceDataBlock(), ReducePairElem() - newer names: the kind of reduction is an argument of the template */
template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
ASCENDC_FN void ReduceRepeat(const LocalTensor<T> &dst, const LocalTensor<U> &src, const M &mask, const int32_t repeatTime,
			     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,
			     ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
	static_assert(std::is_same_v<T, U>, "AscendC::ReduceRepeat has one type of elements here");
	if constexpr (reduceType == ReduceType::SUM)
		WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
	else if constexpr (reduceType == ReduceType::MAX)
		WholeReduceMax<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
	else
		WholeReduceMin<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
	static_assert(uint8_t(reduceType) <= uint8_t(ReduceType::MIN), "AscendC::ReduceRepeat is for SUM, MAX and MIN");
}

template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
ASCENDC_FN void ReduceDataBlock(const LocalTensor<T> &dst, const LocalTensor<U> &src, const M &mask, const int32_t repeatTime,
				const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)
{
	static_assert(std::is_same_v<T, U> && uint8_t(reduceType) <= uint8_t(ReduceType::MIN),
		      "AscendC::ReduceDataBlock is for SUM, MAX and MIN of one type of elements");
	constexpr uint64_t op = reduceType == ReduceType::SUM ? ANPU_RED_SUM : reduceType == ReduceType::MAX ? ANPU_RED_MAX : ANPU_RED_MIN;

	detail::reduce_repeats<T, isSetMask>(dst, src, op | ANPU_RED_BLOCK, 0, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

template <ReduceType reduceType, class T, class U, bool isSetMask = true, class M>
ASCENDC_FN void ReducePairElem(const LocalTensor<T> &dst, const LocalTensor<U> &src, const M &mask, const int32_t repeatTime,
			       const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)
{
	static_assert(std::is_same_v<T, U> && reduceType == ReduceType::SUM, "AscendC::ReducePairElem is for SUM of one type of elements");
	PairReduceSum<T, isSetMask>(dst, src, repeatTime, mask, dstRepStride, srcBlkStride, srcRepStride);
}

namespace detail {

/*
 * Hardware has a result of each repeat in the working memory, a pair with the place for a maximum, and overwrites what lies behind a
 * tensor that is too small. Nothing is written there here, so that only the checking mode looks.
 */
__attribute__((noinline)) inline void print_work(uint32_t have, uint32_t want)
{
	anpu_printf("the working tensor has %u elements, and this reduction has %u results of repeats\n", have, want);
}

/* A working tensor may be the source, as each result stands before what is read next; not so if it begins behind the first repeat */
template <class T> ASCENDC_FN void check_work(const LocalTensor<T> &work, const LocalTensor<T> &src, int32_t count, uint32_t each)
{
	uint32_t elements = uint32_t(count > 0 ? count : 0), bytes = elements * uint32_t(sizeof(T));
	uint32_t repeats = (elements + uint32_t(per_repeat<T>) - 1) / uint32_t(per_repeat<T>);
	uint32_t skip = uint32_t(work.address) - uint32_t(src.address);
	bool inside = skip >= 256 && skip < bytes;

	if ((work.GetSize() >= repeats * each && !inside) || !anpu_csr_checking())
		return;
	if (inside)
		anpu_trap("the working tensor of ReduceSum, ReduceMax or ReduceMin lies in the source: results overwrite what was not read");
	print_work(work.GetSize(), repeats * each);
	anpu_trap("the working tensor of ReduceSum, ReduceMax or ReduceMin is too small: an element for each 256 bytes, of Max, Min 2");
}

} // namespace detail

/** ReduceSum(), ReduceMax(), ReduceMin() - of count elements; the working memory is not needed here */
template <class T, bool isSetMask = true>
ASCENDC_FN void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const int32_t count)
{
	detail::check_work(work, src, count, 1);
	detail::reduce_all(dst, src, ANPU_RED_SUM, false, count);
}

template <class T>
ASCENDC_FN void ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const int32_t count, bool calIndex = false)
{
	detail::check_work(work, src, count, 2);
	detail::reduce_all(dst, src, ANPU_RED_MAX, calIndex, count);
}

template <class T>
ASCENDC_FN void ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const int32_t count, bool calIndex = false)
{
	detail::check_work(work, src, count, 2);
	detail::reduce_all(dst, src, ANPU_RED_MIN, calIndex, count);
}

namespace detail {

/* Results of the repeats go to @work, then one result of these; with the index in the whole of the elements */
template <class T, class M>
ASCENDC_FN void reduce_two_steps(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
				 uint64_t op, bool index, const M &mask, int32_t repeats, int32_t src_rep)
{
	reduce_repeats<T, true>(work, src, op | ANPU_RED_REPEAT, index ? ANPU_CTL_INDEX : 0, mask, repeats, 1, 1,
				src_rep);
	if (!index) {
		reduce_all(dst, work, op, false, repeats);
		return;
	}
	/* pairs of value and index: few enough for the scalar unit */
	int32_t best = 0;

	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (int32_t i = 1; i < repeats; i++) {
		float have = float(work.GetValue(uint32_t(best) * 2)), next = float(work.GetValue(uint32_t(i) * 2));

		if (next != next ? have == have : op == ANPU_RED_MAX ? next > have : next < have)
			best = i;
	}
	/* the index counts elements of the source as it lies there */
	uint64_t at = scalar_bits(work.GetValue(uint32_t(best) * 2 + 1)) +
		      uint64_t(best) * uint64_t(src_rep) * (ONE_BLK_SIZE / sizeof(T));

	dst.SetValue(0, work.GetValue(uint32_t(best) * 2));
	if constexpr (sizeof(T) == 4)
		dst.SetValue(1, __builtin_bit_cast(T, uint32_t(at)));
	else if constexpr (sizeof(T) == 2)
		dst.SetValue(1, __builtin_bit_cast(T, uint16_t(at)));
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

template <class T, class M, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const M &mask, const int32_t repeatTimes, const int32_t srcRepStride)
{
	detail::reduce_two_steps(dst, src, work, ANPU_RED_SUM, false, mask, repeatTimes, srcRepStride);
}

template <class T, class M, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const M &mask, const int32_t repeatTimes, const int32_t srcRepStride, bool calIndex = false)
{
	detail::reduce_two_steps(dst, src, work, ANPU_RED_MAX, calIndex, mask, repeatTimes, srcRepStride);
}

template <class T, class M, class = std::enable_if_t<detail::is_mask<M>>>
ASCENDC_FN void ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work,
			  const M &mask, const int32_t repeatTimes, const int32_t srcRepStride, bool calIndex = false)
{
	detail::reduce_two_steps(dst, src, work, ANPU_RED_MIN, calIndex, mask, repeatTimes, srcRepStride);
}

/** GetAccVal() - the sum that ReduceSum() computed last; without a type the 64 bits whose low ones it is */
template <class T = uint64_t> ASCENDC_FN T GetAccVal()
{
	uint64_t value = anpu_csr_accval();

	if constexpr (sizeof(T) == 8)
		return __builtin_bit_cast(T, value);
	else if constexpr (sizeof(T) == 4)
		return __builtin_bit_cast(T, uint32_t(value));
	else
		return __builtin_bit_cast(T, uint16_t(value));
}

/** GetReduceMaxMinCount() - value and index of the last ReduceMax() or ReduceMin() */
template <class T> ASCENDC_FN void GetReduceMaxMinCount(T &value, T &index)
{
	uint64_t both = anpu_csr_accval();

	if constexpr (sizeof(T) == 4) {
		value = __builtin_bit_cast(T, uint32_t(both));
		index = __builtin_bit_cast(T, uint32_t(both >> 32));
	} else {
		value = __builtin_bit_cast(T, uint16_t(both));
		index = __builtin_bit_cast(T, uint16_t(both >> 32));
	}
}

template <class T> ASCENDC_FN void GetReduceMaxMinCount(T &value)
{
	T index;

	GetReduceMaxMinCount(value, index);
}

/** GetReduceRepeatSumSpr(), GetReduceRepeatMaxMinSpr() - newer names of these */
template <class T> ASCENDC_FN T GetReduceRepeatSumSpr()
{
	return GetAccVal<T>();
}

template <class T> ASCENDC_FN void GetReduceRepeatMaxMinSpr(T &value, T &index)
{
	GetReduceMaxMinCount(value, index);
}

template <class T> ASCENDC_FN void GetReduceRepeatMaxMinSpr(T &value)
{
	GetReduceMaxMinCount(value);
}

} // namespace AscendC

#endif
