/* SPDX-License-Identifier: MIT */
/* Sort32, MrgSort and what stands around them: records of 8 bytes, a value and an index. */
#ifndef ASCENDC_VECTOR_SORT_H
#define ASCENDC_VECTOR_SORT_H

#include "gather.h"

namespace AscendC {

template <class T> struct MrgSortSrcList {
	MrgSortSrcList() = default;
	ASCENDC_FN MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c,
				  const LocalTensor<T> &d)
		: src1(a), src2(b), src3(c), src4(d)
	{
	}

	LocalTensor<T> src1, src2, src3, src4;
};

/** Sort32() - each 32 values with their indices, descending */
template <class T>
ASCENDC_FN void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
		       const int32_t repeatTimes)
{
	static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>, "AscendC::Sort32 is for float and half");
	anpu_tile_VSORT(dst.address, src0.address, src1.address, ANPU_CTL(repeatTimes * 32, detail::type_of<T>, 0));
}

/** MrgSort() - merges up to four sorted lists */
template <class T, bool isExhaustedSuspension = false>
ASCENDC_FN void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
	const LocalTensor<T> *lists[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
	uint32_t total = 0;

	for (uint32_t r = 0; r < params.repeatTimes; r++) {
		anpu_mrg_desc desc = {};

		for (int i = 0; i < 4; i++) {
			if (!(params.validBit >> i & 1))
				continue;
			/* repeats follow each other in memory: four lists of the same length, one set behind the other */
			desc.list[i].addr = lists[i]->address + r * total * 8;
			desc.list[i].count = params.elementLengths[i];
		}
		if (r == 0)
			for (int i = 0; i < 4; i++)
				total += desc.list[i].count;
		if (r)
			for (int i = 0; i < 4; i++)
				desc.list[i].addr = desc.list[i].count ? lists[i]->address + r * total * 8 : 0;
		anpu_tile_VMRG(dst.address + r * total * 8, 0, ANPU_ADDR(&desc),
			       ANPU_CTL(0, detail::type_of<T>, params.ifExhaustedSuspension ?
					ANPU_MRG_SUSPEND : ANPU_MRG_ALL));
	}
}

/* With its numbers apart; sortedNum becomes how many records of each list were taken */
template <class T, bool isExhaustedSuspension = false>
ASCENDC_FN void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList, const uint16_t elementCountList[4],
			uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTimes)
{
	MrgSort4Info info = {};

	for (int i = 0; i < 4; i++)
		info.elementLengths[i] = elementCountList[i];
	info.ifExhaustedSuspension = isExhaustedSuspension;
	info.validBit = validBit;
	info.repeatTimes = static_cast<uint8_t>(repeatTimes);
	MrgSort<T>(dst, sortList, info);
	uint64_t taken = anpu_csr_vcount();

	for (int i = 0; i < 4; i++)
		sortedNum[i] = static_cast<uint16_t>(taken >> 16 * i);
}

ASCENDC_FN void GetMrgSortResult(uint16_t &taken1, uint16_t &taken2, uint16_t &taken3, uint16_t &taken4)
{
	uint64_t taken = anpu_csr_vcount();

	taken1 = static_cast<uint16_t>(taken);
	taken2 = static_cast<uint16_t>(taken >> 16);
	taken3 = static_cast<uint16_t>(taken >> 32);
	taken4 = static_cast<uint16_t>(taken >> 48);
}

/** Concat() - values and indices stand apart on this core, so that the values are the result */
template <class T>
ASCENDC_FN void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t)
{
	concat = src;
}

/** Extract() - values and indices of sorted records */
template <class T>
ASCENDC_FN void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
			const LocalTensor<T> &sorted, const int32_t repeatTimes)
{
	uint32_t records = static_cast<uint32_t>(repeatTimes) * 32;

	anpu_tile_VGMASK(dstIndex.address, sorted.address, 0,
			 ANPU_CTL(records * 2, ANPU_TYPE_U32, ANPU_GMASK_ODD));
	if constexpr (sizeof(T) == 4)
		anpu_tile_VGMASK(dstValue.address, sorted.address, 0,
				 ANPU_CTL(records * 2, ANPU_TYPE_U32, ANPU_GMASK_EVEN));
	else
		anpu_tile_VGMASK(dstValue.address, sorted.address, 0,
				 ANPU_CTL(records * 4, ANPU_TYPE_U16, ANPU_GMASK_QUAD0));
}

template <class T> ASCENDC_FN constexpr uint32_t GetSortOffset(const uint32_t elements)
{
	return elements * 8;
}

template <class T> ASCENDC_FN constexpr uint32_t GetSortLen(const uint32_t elements)
{
	return elements * 8 / sizeof(T);
}

/** Sort() - groups of 32, or with isFullSort all; @tmp holds as many records as dst */
template <class T, bool isFullSort>
ASCENDC_FN void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
		     LocalTensor<T> &tmp, const int32_t repeatTimes)
{
	uint32_t records = static_cast<uint32_t>(repeatTimes) * 32, from = dst.address, to = tmp.address;

	anpu_tile_VSORT(dst.address, concat.address, index.address, ANPU_CTL(records, detail::type_of<T>, 0));
	if constexpr (!isFullSort)
		return;
	for (uint32_t run = 32; run < records; run *= 4) {
		for (uint32_t at = 0; at < records; at += run * 4) {
			anpu_mrg_desc desc = {};

			for (uint32_t i = 0; i < 4 && at + i * run < records; i++) {
				uint32_t left = records - at - i * run;

				desc.list[i].addr = from + (at + i * run) * 8;
				desc.list[i].count = left < run ? left : run;
			}
			anpu_tile_VMRG(to + at * 8, 0, ANPU_ADDR(&desc),
				       ANPU_CTL(0, detail::type_of<T>, ANPU_MRG_ALL));
		}
		uint32_t swap = from;

		from = to;
		to = swap;
	}
	if (from != dst.address)
		anpu_tile_DMA_LIN(dst.address, from, records * 8, 0);
}

} // namespace AscendC

#endif
