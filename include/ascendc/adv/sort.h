/* SPDX-License-Identifier: MIT */
/* Sort() of any type of elements, ascending or descending, with the elements' places; on the scalar unit. */
#ifndef ASCENDC_ADV_SORT_H
#define ASCENDC_ADV_SORT_H

#include "../vector/sort.h"
#include "scratch.h"

namespace AscendC {

enum class SortType { RADIX_SORT = 0, MERGE_SORT };

/** struct SortConfig - equal elements keep their order with either type */
struct SortConfig {
	SortType type = SortType::RADIX_SORT;
	bool isDescend = false;
};

inline constexpr SortConfig DEFAULT_SORT_CONFIG = {};

namespace detail {

/* The bits of an element as an unsigned number in the order of the elements; -0 is below 0, not-a-numbers are at the ends */
template <class T> ASCENDC_FN uint64_t sort_key(T value)
{
	uint64_t bits = scalar_bits(value), sign = 1ull << (sizeof(T) * 8 - 1);

	if constexpr (is_float<T>)
		return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
	else if constexpr (std::is_signed_v<T>)
		return bits ^ sign;
	else
		return bits;
}

/* Elements and, if there are places, their places */
template <class T> struct SortRun {
	T *values;
	uint32_t *places;

	ASCENDC_FN void take(uint32_t to, const SortRun &from, uint32_t at) const
	{
		values[to] = from.values[at];
		if (places)
			places[to] = from.places[at];
	}
};

template <class T, bool descends>
__attribute__((noinline)) void merge_sort(const SortRun<T> &data, const SortRun<T> &other, uint32_t n)
{
	SortRun<T> from = data, to = other;

	for (uint32_t run = 1; run < n; run *= 2) {
		for (uint32_t at = 0; at < n; at += 2 * run) {
			uint32_t middle = at + run < n ? at + run : n, end = middle + run < n ? middle + run : n;
			uint32_t left = at, right = middle;

			for (uint32_t i = at; i < end; i++) {
				bool first = right == end;

				if (left < middle && right < end) {
					uint64_t a = sort_key(from.values[left]), b = sort_key(from.values[right]);

					first = descends ? a >= b : a <= b;
				}
				to.take(i, from, first ? left++ : right++);
			}
		}
		SortRun<T> swap = from;

		from = to;
		to = swap;
	}
	if (from.values != data.values)
		for (uint32_t i = 0; i < n; i++)
			data.take(i, from, i);
}

template <class T, bool descends>
ASCENDC_FN void sort_all(const LocalTensor<T> &dst, uint32_t *places, const LocalTensor<T> &src, const LocalTensor<uint32_t> *index,
			 const LocalTensor<uint8_t> &given, uint32_t n)
{
	uint32_t values = (n * uint32_t(sizeof(T)) + 3) / 4 * 4;
	LocalTensor<uint8_t> work = scratch<uint8_t>(given, values + (places ? n * 4 : 0));
	uint8_t *area = reinterpret_cast<uint8_t *>(work.GetPhyAddr());
	SortRun<T> data = {reinterpret_cast<T *>(dst.GetPhyAddr()), places};
	SortRun<T> other = {reinterpret_cast<T *>(area), places ? reinterpret_cast<uint32_t *>(area + values) : nullptr};

	settle();
	for (uint32_t i = 0; i < n; i++) {
		data.values[i] = src.GetValue(i);
		if (places)
			places[i] = index ? index->GetValue(i) : i;
	}
	merge_sort<T, descends>(data, other, n);
	settle();
}

} // namespace detail

/** Sort() - @count elements in order */
template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, const uint32_t count)
{
	detail::sort_all<T, config.isDescend>(dst, nullptr, src, nullptr, tmp, count);
}

template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	Sort<T, isReuseSource, config>(dst, src, LocalTensor<uint8_t>(), count);
}

/* The same with the place that each element had in @dstIndex */
template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src,
		     const LocalTensor<uint8_t> &tmp, const uint32_t count)
{
	detail::sort_all<T, config.isDescend>(dst, reinterpret_cast<uint32_t *>(dstIndex.GetPhyAddr()), src, nullptr, tmp, count);
}

template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src, const uint32_t count)
{
	Sort<T, isReuseSource, config>(dst, dstIndex, src, LocalTensor<uint8_t>(), count);
}

/* The same with numbers of the caller's in the place of places */
template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src,
		     const LocalTensor<uint32_t> &srcIndex, const LocalTensor<uint8_t> &tmp, const uint32_t count)
{
	detail::sort_all<T, config.isDescend>(dst, reinterpret_cast<uint32_t *>(dstIndex.GetPhyAddr()), src, &srcIndex, tmp, count);
}

template <class T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &src,
		     const LocalTensor<uint32_t> &srcIndex, const uint32_t count)
{
	Sort<T, isReuseSource, config>(dst, dstIndex, src, srcIndex, LocalTensor<uint8_t>(), count);
}

} // namespace AscendC

#endif
