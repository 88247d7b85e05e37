/* SPDX-License-Identifier: MIT */
/* Structures of parameters: repeats and strides of vector operations, forms of copies. */
#ifndef ASCENDC_CORE_PARAMS_H
#define ASCENDC_CORE_PARAMS_H

#include "enums.h"

namespace AscendC {

/** struct UnaryRepeatParams - strides in blocks of 32 bytes: between the blocks, between repeats */
struct UnaryRepeatParams {
	ASCENDC_FN constexpr UnaryRepeatParams() {}
	ASCENDC_FN constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep,
					       uint8_t src_rep)
		: dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep),
		  srcRepStride(src_rep)
	{
	}
	ASCENDC_FN constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep,
					       uint8_t src_rep, bool half)
		: dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep),
		  srcRepStride(src_rep), halfBlock(half)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
	uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
	bool halfBlock = false;
};

/** struct BinaryRepeatParams - the same with two sources */
struct BinaryRepeatParams {
	ASCENDC_FN constexpr BinaryRepeatParams() {}
	ASCENDC_FN constexpr BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk,
						uint8_t dst_rep, uint8_t src0_rep, uint8_t src1_rep)
		: dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk),
		  dstRepStride(dst_rep), src0RepStride(src0_rep), src1RepStride(src1_rep)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
	uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
	uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
};

struct CopyRepeatParams {
	ASCENDC_FN constexpr CopyRepeatParams() {}
	ASCENDC_FN constexpr CopyRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint16_t dst_rep,
					      uint16_t src_rep)
		: dstStride(dst_blk), srcStride(src_blk), dstRepeatSize(dst_rep), srcRepeatSize(src_rep)
	{
	}

	uint16_t dstStride = DEFAULT_BLK_STRIDE;
	uint16_t srcStride = DEFAULT_BLK_STRIDE;
	uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
	uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

struct BrcbRepeatParams {
	ASCENDC_FN constexpr BrcbRepeatParams() {}
	ASCENDC_FN constexpr BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep)
		: dstBlkStride(dst_blk), dstRepStride(dst_rep)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;

};

struct GatherRepeatParams {
	ASCENDC_FN constexpr GatherRepeatParams() {}
	ASCENDC_FN constexpr GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep)
		: dstBlkStride(dst_blk), dstRepStride(dst_rep)
	{
	}

	uint32_t blockNumber = DEFAULT_BLK_NUM;
	uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
	uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
	bool repeatStrideMode = false;
	bool strideSizeMode = false;
};

struct GatherMaskParams {
	ASCENDC_FN constexpr GatherMaskParams() {}
	ASCENDC_FN constexpr GatherMaskParams(uint8_t blk, uint16_t times, uint16_t rep0, uint8_t rep1)
		: src0BlockStride(blk), repeatTimes(times), src0RepeatStride(rep0),
		  src1RepeatStride(rep1)
	{
	}

	uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
	uint16_t repeatTimes = 0;
	uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
	uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

/** struct DataCopyParams - bursts; lengths and gaps in blocks, for DataCopyPad of GM in bytes */
struct DataCopyParams {
	ASCENDC_FN constexpr DataCopyParams() {}
	ASCENDC_FN constexpr DataCopyParams(uint16_t count, uint16_t len, uint16_t src_gap,
					    uint16_t dst_gap)
		: blockCount(count), blockLen(len), srcGap(src_gap), dstGap(dst_gap)
	{
	}

	uint16_t blockCount = 1;
	uint16_t blockLen = 0;
	union {
		uint16_t srcGap = 0;
		uint16_t srcStride;
	};
	union {
		uint16_t dstGap = 0;
		uint16_t dstStride;
	};
};

struct DataCopyExtParams {
	ASCENDC_FN constexpr DataCopyExtParams() {}
	ASCENDC_FN constexpr DataCopyExtParams(uint16_t count, uint32_t len, int64_t src_gap,
					       int64_t dst_gap, uint32_t reserved)
		: blockCount(count), blockLen(len), srcStride(src_gap), dstStride(dst_gap),
		  rsv(reserved)
	{
	}

	uint16_t blockCount = 1;
	uint32_t blockLen = 0;
	int64_t srcStride = 0;
	int64_t dstStride = 0;
	uint32_t rsv = 0;
};

struct DataCopyPadParams {
	ASCENDC_FN constexpr DataCopyPadParams() {}
	ASCENDC_FN constexpr DataCopyPadParams(bool pads, uint8_t left, uint8_t right, uint64_t value)
		: isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value)
	{
	}

	bool isPad = false;
	uint8_t leftPadding = 0;
	uint8_t rightPadding = 0;
	uint64_t paddingValue = 0;
};

template <class T> struct DataCopyPadExtParams {
	ASCENDC_FN constexpr DataCopyPadExtParams() {}
	ASCENDC_FN constexpr DataCopyPadExtParams(bool pads, uint8_t left, uint8_t right, T value)
		: isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value)
	{
	}

	bool isPad = false;
	uint8_t leftPadding = 0;
	uint8_t rightPadding = 0;
	T paddingValue{};
};

struct Nd2NzParams {
	ASCENDC_FN constexpr Nd2NzParams() {}
	ASCENDC_FN constexpr Nd2NzParams(uint16_t nds, uint16_t n, uint16_t d, uint64_t src_nd,
					 uint64_t src_d, uint16_t c0, uint16_t row, uint16_t dst_nd)
		: ndNum(nds), nValue(n), dValue(d), srcNdMatrixStride(src_nd), srcDValue(src_d),
		  dstNzC0Stride(c0), dstNzNStride(row), dstNzMatrixStride(dst_nd)
	{
	}

	uint16_t ndNum = 0;
	uint16_t nValue = 0;
	uint32_t dValue = 0;
	uint64_t srcNdMatrixStride = 0;
	uint64_t srcDValue = 0;
	uint16_t dstNzC0Stride = 0;
	uint16_t dstNzNStride = 0;
	uint32_t dstNzMatrixStride = 0;
};

/** struct SliceInfo - one dimension of a part of a tensor; indices and lengths as documented */
struct SliceInfo {
	ASCENDC_FN constexpr SliceInfo() {}
	ASCENDC_FN constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst,
				       uint32_t shape)
		: startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape)
	{
	}

	uint32_t startIndex = 0;
	uint32_t endIndex = 31;
	uint32_t stride = 0;
	uint32_t burstLen = 1;
	uint32_t shapeValue = 32;
};

struct TransDataTo5HDParams {
	ASCENDC_FN constexpr TransDataTo5HDParams() {}
	ASCENDC_FN constexpr TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t times,
						  uint16_t dst_rep, uint16_t src_rep)
		: dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(times),
		  dstRepStride(dst_rep), srcRepStride(src_rep)
	{
	}

	bool dstHighHalf = false;
	bool srcHighHalf = false;
	uint8_t repeatTimes = 1;
	uint16_t dstRepStride = 0;
	uint16_t srcRepStride = 0;
};

struct MrgSort4Info {
	ASCENDC_FN constexpr MrgSort4Info() {}
	ASCENDC_FN constexpr MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid,
					  uint16_t times)
		: ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(times)
	{
		for (int i = 0; i < 4; i++)
			elementLengths[i] = lengths[i];
	}

	uint16_t elementLengths[4] = {};
	bool ifExhaustedSuspension = false;
	uint16_t validBit = 0;
	uint16_t repeatTimes = 1;
};

} // namespace AscendC

#endif
