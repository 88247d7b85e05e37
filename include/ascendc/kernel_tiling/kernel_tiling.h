/* SPDX-License-Identifier: MIT */
/*
 * Structures that host tiling hands to the high-level API, as sources name them. The layout of TCubeTiling is that of
 * its fields in their documented order, 32 bits each.
 */
#ifndef ASCENDC_KERNEL_TILING_H
#define ASCENDC_KERNEL_TILING_H

#include "norm.h"

#ifdef __cplusplus /* C programs fill these structures, too */
namespace AscendC::tiling {
#endif

struct TCubeTiling {
	int32_t usedCoreNum, M, N;
	union {
		int32_t Ka, K;	/* K is the name in older sources */
	};
	int32_t Kb, singleCoreM, singleCoreN, singleCoreK, baseM, baseN, baseK;
	int32_t depthA1, depthB1, stepM, stepN, isBias, transLength, iterateOrder, shareMode;
	int32_t shareL1Size, shareL0CSize, shareUbSize, batchM, batchN, singleBatchM, singleBatchN;
	int32_t stepKa, stepKb, depthAL1CacheUB, depthBL1CacheUB, dbL0A, dbL0B, dbL0C;
	int32_t ALayoutInfoB, ALayoutInfoS, ALayoutInfoN, ALayoutInfoG, ALayoutInfoD;
	int32_t BLayoutInfoB, BLayoutInfoS, BLayoutInfoN, BLayoutInfoG, BLayoutInfoD;
	int32_t CLayoutInfoB, CLayoutInfoS1, CLayoutInfoN, CLayoutInfoG, CLayoutInfoS2, BatchNum;
	int32_t mxTypePara;
};

struct SoftMaxTiling {
	uint32_t srcM, srcK, srcSize, outMaxM, outMaxK, outMaxSize, splitM, splitK, splitSize;
	uint32_t reduceM, reduceK, reduceSize, rangeM, tailM, tailSplitSize, tailReduceSize;
};

struct LogSoftMaxTiling {
	uint32_t srcM, srcK, srcSize, outMaxM, outMaxK, outMaxSize, splitM, splitK, splitSize;
	uint32_t reduceM, reduceK, reduceSize, rangeM, tailM, tailSplitSize, tailReduceSize;
};

struct UnPadTiling {
	uint32_t srcHeight, srcWidth, tmpBuffer1BlockNum, tmpBuffer1RowNum, tmpBuffer2Offset, widthTiling;
	uint32_t widthTilingLoops, widthTilingLast;
};

struct PadTiling {
	uint32_t srcHeight, srcWidth, srcOriWidth, widthWithoutLastBlock, blocksPerRow, heightTiling;
	uint32_t heightFractal, heightFractalTail, mainLoopOffset, tailBlockOffset, tmpBuffer1BlockNum;
	uint32_t tmpBuffer1RowNum, tmpBuffer2Offset, widthTiling, widthFractal, widthFractalTail;
	uint32_t widthFractalTailAlingned, brcbTiling, brcbFractal, brcbFractalTail, maxRepeatTimes;
	uint32_t brcbTilingRepeatTimes, brcbTilingRepeatTimesTail;
};

/* Of GetConfusionTransposeTilingInfo(): the dimensions of the shape are param0 to param3, or param0 and param1 of a matrix */
struct ConfusionTransposeTiling {
	uint32_t param0, param1, param2, param3, param4, param5, param6, param7, param8, param9, param10, param11, param12, param13;
	uint32_t param14, param15, param16, param17;
};

struct CopyTransposeTiling {
	uint32_t dstShapeB, dstShapeN, dstShapeS, dstShapeHN, dstShapeH, srcShapeB, srcShapeN, srcShapeS, srcShapeHN;
	uint32_t originalShapeNLen, shapeSHValue, shapeNsValue, shapeNsnValue, invalidParamCopyTransposeTiling;
	uint32_t shapeBHValue, paramsAlign;
};

struct TopkTiling {
	int32_t tmpLocalSize, allDataSize, innerDataSize, sortRepeat, mrgSortRepeat, kAlignFourBytes;
	int32_t kAlignTwoBytes, maskOffset, maskVreducev2FourBytes, maskVreducev2TwoBytes, mrgSortSrc1offset;
	int32_t mrgSortSrc2offset, mrgSortSrc3offset, mrgSortTwoQueueSrc1Offset, mrgFourQueueTailPara1;
	int32_t mrgFourQueueTailPara2, srcIndexOffset, copyUbToUbBlockCount, topkMrgSrc1MaskSizeOffset;
	int32_t topkNSmallSrcIndexOffset, vreduceValMask0, vreduceValMask1, vreduceIdxMask0, vreduceIdxMask1;
	int32_t vreducehalfValMask0, vreducehalfValMask1, vreducehalfValMask2, vreducehalfValMask3;
	int32_t vreducehalfValMask4, vreducehalfValMask5, vreducehalfValMask6, vreducehalfValMask7;
};

/* Collective communication: opaque here */
struct Mc2InitTiling {
	uint8_t reserved[64];
};

struct Mc2CcTiling {
	uint8_t reserved[280];
};

#ifdef __cplusplus
} // namespace AscendC::tiling

/* Sources have them without the namespace, too. */
using AscendC::tiling::TCubeTiling;
using AscendC::tiling::SoftMaxTiling;
using AscendC::tiling::LogSoftMaxTiling;
using AscendC::tiling::UnPadTiling;
using AscendC::tiling::PadTiling;
using AscendC::tiling::ConfusionTransposeTiling;
using AscendC::tiling::CopyTransposeTiling;
using AscendC::tiling::TopkTiling;
using AscendC::tiling::Mc2InitTiling;
using AscendC::tiling::Mc2CcTiling;
#endif

#endif
