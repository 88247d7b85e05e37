/* SPDX-License-Identifier: MIT */
/* TopK: the k greatest or smallest numbers of each row, in order, with their indices. */
#ifndef ASCENDC_ADV_TOPK_H
#define ASCENDC_ADV_TOPK_H

#include "../core/topk_mode.h"
#include "../vector/sort.h"
#include "norm.h"

namespace AscendC {

enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };

/*
 * How TopK() works. Every algorithm sorts here, so that results are in order where @sorted is false, too.
 * @order: which numbers it takes, whatever the argument isLargest says; UNSET: what isLargest says
 */
struct TopKConfig {
	TopKAlgo algo = TopKAlgo::MERGE_SORT;
	TopKOrder order = TopKOrder::UNSET;
	bool sorted = true;
};

inline constexpr TopKConfig defaultTopKConfig{};

/** struct TopKInfo - @outter rows of @inner elements (a multiple of 32), of which @n count */
struct TopKInfo {
	int32_t outter = 1, inner = 0, n = 0;
};

namespace detail {

/* Sorts a row of @inner values into records of value and index, descending; the result stands at the first of @sorted */
template <class T>
ASCENDC_FN LocalTensor<T> sort_row(const LocalTensor<T> (&sorted)[2], const LocalTensor<T> &values,
				   const LocalTensor<uint32_t> &index, uint32_t inner)
{
	LocalTensor<T> to = sorted[0], tmp = sorted[1];

	Sort<T, true>(to, values, index, tmp, int32_t(inner / 32));
	return to;
}

/* Working memory of a row: its values and indices, and twice the records */
template <class T> struct TopWork {
	LocalTensor<T> values, records[2];
	LocalTensor<int32_t> index;
};

template <class T> ASCENDC_FN TopWork<T> top_work(const LocalTensor<uint8_t> &tmp, uint32_t inner)
{
	LocalTensor<uint8_t> area = scratch<uint8_t>(tmp, inner * (4 + 4 + 8 + 8));

	return {area.ReinterpretCast<T>(), {area[inner * 8].ReinterpretCast<T>(), area[inner * 16].ReinterpretCast<T>()},
		area[inner * 4].ReinterpretCast<int32_t>()};
}

/* The places of a row's numbers, which are the same for all rows */
template <class T, bool isInitIndex>
ASCENDC_FN void top_places(const TopWork<T> &work, const LocalTensor<int32_t> &given, const TopKInfo &info)
{
	anpu_tile_VIOTA(work.index.address, 0, 1, ANPU_CTL(uint32_t(info.inner), ANPU_TYPE_S32, 0));
	if constexpr (isInitIndex)
		anpu_tile_VUN(work.index.address, given.address, 0, ANPU_CTL(uint32_t(info.n), ANPU_TYPE_U32, ANPU_UN_COPY));
}

/* One row: @values results to value, and @places to index, so that what is between rows of results is written, too */
template <class T>
ASCENDC_FN void top_row(const LocalTensor<T> &value, const LocalTensor<int32_t> &at, const LocalTensor<T> &src, TopWork<T> &work,
			uint32_t values, uint32_t places, const TopKInfo &info, bool largest)
{
	uint32_t inner = uint32_t(info.inner), n = uint32_t(info.n);

	/* what does not count is below all that does */
	if (n < inner)
		Duplicate(work.values, T(-__builtin_inff()), int32_t(inner));
	Muls(work.values, src, T(largest ? 1.0f : -1.0f), int32_t(n));
	LocalTensor<T> sorted = sort_row(work.records, work.values, work.index.template ReinterpretCast<uint32_t>(), inner);

	settle();
	for (uint32_t i = 0; i < values; i++) {
		T best = sorted.GetValue(i * (8 / sizeof(T)));

		value.SetValue(i, largest ? best : T(-best));
	}
	for (uint32_t i = 0; i < places; i++)
		at.SetValue(i, sorted.template ReinterpretCast<int32_t>().GetValue(i * 2 + 1));
}

} // namespace detail

/**
 * TopK() - rows of results begin at multiples of 32 bytes (TOPK_NORMAL), or follow each other (TOPK_NSMALL). A row whose
 * @finish is set has n as its indices.
 */
template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false, TopKMode topkMode = TopKMode::TOPK_NORMAL,
	  const TopKConfig &config = defaultTopKConfig>
ASCENDC_FN void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
		     const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, const LocalTensor<uint8_t> &tmp,
		     const int32_t k, const TopkTiling &, const TopKInfo &info, const bool isLargest = true)
{
	constexpr int32_t block = topkMode == TopKMode::TOPK_NORMAL ? ONE_BLK_SIZE / sizeof(T) : 1;
	constexpr int32_t block4 = topkMode == TopKMode::TOPK_NORMAL ? 8 : 1;
	int32_t step = (k + block - 1) / block * block, step4 = (k + block4 - 1) / block4 * block4;
	const bool greatest = config.order == TopKOrder::UNSET ? isLargest : config.order == TopKOrder::LARGEST;
	detail::TopWork<T> work = detail::top_work<T>(tmp, uint32_t(info.inner));

	static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>, "AscendC::TopK is for float and half");
	if (info.inner % 32 || info.n > info.inner || k > info.n)
		anpu_trap("TopK: inner is a multiple of 32, n at most inner and k at most n");
	detail::top_places<T, isInitIndex>(work, srcIndex, info);
	for (int32_t row = 0; row < info.outter; row++) {
		LocalTensor<int32_t> at = dstIndex[uint32_t(row * step4)];

		detail::top_row<T>(dstValue[uint32_t(row * step)], at, src[uint32_t(row * info.inner)], work, uint32_t(step),
				   uint32_t(step4), info, greatest);
		if constexpr (isHasfinish)
			for (int32_t i = 0; finish.GetValue(uint32_t(row)) && i < k; i++)
				at.SetValue(uint32_t(i), info.n);
	}
	detail::settle();
}

template <class T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false, TopKMode topkMode = TopKMode::TOPK_NORMAL,
	  const TopKConfig &config = defaultTopKConfig>
ASCENDC_FN void TopK(const LocalTensor<T> &dstValue, const LocalTensor<int32_t> &dstIndex, const LocalTensor<T> &src,
		     const LocalTensor<int32_t> &srcIndex, const LocalTensor<bool> &finish, const int32_t k,
		     const TopkTiling &tiling, const TopKInfo &info, const bool isLargest = true)
{
	TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode, config>(dstValue, dstIndex, src, srcIndex, finish,
									LocalTensor<uint8_t>(), k, tiling, info, isLargest);
}

} // namespace AscendC

#endif
