/* SPDX-License-Identifier: MIT */
/*
 * Structures of tiling data of the normalisations. Sources fill them by the functions of tiling/tiling_api.h and hand them on: the fields
 * that this implementation reads come first, the others keep the documented names that sources print or copy.
 */
#ifndef ASCENDC_KERNEL_TILING_NORM_H
#define ASCENDC_KERNEL_TILING_NORM_H

#include <stdint.h>

#ifdef __cplusplus
namespace AscendC::tiling {
#endif

struct LayerNormTiling {
	uint32_t bLength, sLength, hLength, originalHLength, inputXSize, meanVarSize, numberOfTmpBuf;
	uint32_t meanTmpTensorPos, meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize;
	uint32_t oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos, loopRound, inputRoundSize;
	uint32_t inputTailSize, inputTailPos, meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength;
	float lastDimValueBack;
};

struct LayerNormSeparateTiling {
	uint32_t aLength, rLength, halfAddRepeatTimes, rHeadLength;
	float k2Rec, k2RRec;
	uint32_t inputXSize, meanVarSize, numberOfTmpBuf, varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize, oneTmpSize;
	uint32_t firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos, loopRound, inputRoundSize, inputTailSize, inputTailPos;
	uint32_t meanVarRoundSize, meanVarTailSize, meanVarTailPos, arCurLength, aCurLength;
	float rValueBack;
};

struct RmsNormTiling {
	uint32_t bLength, sLength, hLength, originalHLength;
	float reciprocalOfHLength;
	uint32_t mainBshLength, mainBsLength, mainBsLengthAlign, loopRound, tailBshLength, inputTailPos;
	uint32_t tailBsLength;
};

struct DeepNormTiling {
	uint32_t bLength, sLength, hLength, originalHLength, inputXSize, meanVarSize, numberOfTmpBuf;
	uint32_t meanTmpTensorPos, meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize;
	uint32_t oneTmpSize, firstTmpStartPos, secondTmpStartPos, thirdTmpStartPos, loopRound, inputRoundSize;
	uint32_t inputTailSize, inputTailPos, meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength, bsCurLength;
	float lastDimValueBack;
};

struct LayerNormGradTiling {
	uint32_t stackBufferSize, bLength, sLength, hLength, originalHLength, oneCalSize, nohCalSize, loopNum, tailSize;
	uint32_t nohTailSize, tmpTensorBSHPos, tmpTensorBSHSize, pdVarTensorPos, pdVarTensorSize, pdMeanTensorPos;
	uint32_t pdMeanTensorSize, x1TensorPos, x1TensorSize, x2TensorPos, x2TensorSize, x3TensorPos, x3TensorSize;
	uint32_t tmpTensorPos, tmpTensorSize, tmpTensor1Pos, tmpTensor1Size, tmpTensor2Pos, tmpTensor2Size;
	uint32_t lastDimValueBack, lastDimValueBackMulTwo;
};

struct LayerNormGradBetaTiling {
	uint32_t stackBufferSize, bLength, sLength, hLength, originalHLength, bshLength, bsLength, oneCalSize, numPerLoop, loopRound;
	uint32_t inputTailSize, inputTailPos, bsTailSize, bshCurLength, bsCurLength, gammaTempTensorPos, betaTempTensorPos;
	uint32_t inputDyTmpTensorPos, resForGammaTmpTensorPos, reserved;
};

struct BatchNormTiling {
	uint32_t originalBLength, meanVarSize, meanTmpTensorPos, varianceTmpTensorPos, tmpBufSize, oneTmpSize, firstTmpStartPos;
	uint32_t secondTmpStartPos, thirdTmpStartPos, loopRound, inputTailSize, inputTailPos, meanVarTailSize, meanVarTailPos;
	uint32_t bshCurLength, shCurLength;
	float firstDimValueBack;
	uint32_t castHalfRepStride, shCurLengthBlockNum, castHalfOutRepStride;
};

struct GroupNormTiling {
	uint32_t n, c, hw, g, d, hwAlignSize, dhwAlignSize, inputXSize, meanVarSize, numberOfTmpBuf, meanTmpTensorPos;
	uint32_t meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize, oneTmpSize, firstTmpStartPos;
	uint32_t secondTmpStartPos, thirdTmpStartPos, loopRound, inputRoundSize, inputTailSize, inputTailNum, inputTailPos;
	uint32_t meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength, bsCurLength;
	float factor;
	uint32_t smallShape;
};

#ifdef __cplusplus
} // namespace AscendC::tiling

using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::RmsNormTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::GroupNormTiling;
#endif

#endif
