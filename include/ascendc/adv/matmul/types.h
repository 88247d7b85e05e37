/* SPDX-License-Identifier: MIT */
/* Types of the high-level matrix multiplication: what a matrix is, and how a Matmul<> is configured. */
#ifndef ASCENDC_ADV_MATMUL_TYPES_H
#define ASCENDC_ADV_MATMUL_TYPES_H

#include "../../cube/fixpipe.h"
#include "../../cube/mmad.h"
#include "../../kernel_tiling/kernel_tiling.h"

enum class CubeFormat : uint8_t {
	ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR,
};
enum class LayoutMode : uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

enum class BatchMode : int { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class IterateMode : uint8_t {
	ITERATE_MODE_NONE = 0, ITERATE_MODE_ALL = 1, ITERATE_MODE_BATCH = 2, ITERATE_MODE_N_BATCH = 4,
	ITERATE_MODE_NORMAL = 8, ITERATE_MODE_DEFAULT = 0xff,
};
enum class IterateOrder : int { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : int { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33, L0_MN_DB };
enum class MatmulConfigMode : uint8_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

template <TPosition position, CubeFormat type, class Element, bool transpose = false, LayoutMode layoutMode = LayoutMode::NONE,
	  bool share = false, TPosition source = TPosition::GM>
struct MatmulType {
	static constexpr TPosition pos = position;
	static constexpr CubeFormat format = type;
	static constexpr bool isTrans = transpose;
	static constexpr LayoutMode layout = layoutMode;
	static constexpr bool ibShare = share;
	static constexpr TPosition srcPos = source;
	using T = Element;

	/* by the name that sources use */
	static constexpr TPosition getPos()
	{
		return position;
	}
};

/**
 * struct MatmulConfig - how the library works. The results are the same with every setting: what names tiles
 * (basicM and so on of a constant tiling) counts, what chooses buffers and schedules does not.
 */
struct MatmulConfig {
	bool doNorm = false;
	bool doBasicBlock = false;
	bool doMultiDataLoad = false;
	uint32_t basicM = 0;
	uint32_t basicN = 0;
	uint32_t basicK = 0;
	bool intrinsicsCheck = false;
	bool isNBatch = false;
	bool enVecND2NZ = false;
	bool doSpecialBasicBlock = false;
	uint32_t doMTE2Preload = 0;
	uint32_t singleCoreM = 0;
	uint32_t singleCoreN = 0;
	uint32_t singleCoreK = 0;
	uint32_t stepM = 0;
	uint32_t stepN = 0;
	uint32_t baseMN = 0;
	uint32_t singleCoreMN = 0;
	bool enUnitFlag = true;
	bool isPerTensor = false;
	bool hasAntiQuantOffset = false;
	bool doIBShareNorm = false;
	bool doSpecialMDL = false;
	bool enableInit = true;
	BatchMode batchMode = BatchMode::NONE;
	bool enableEnd = true;
	bool enableGetTensorC = true;
	bool enableSetOrgShape = true;
	bool enableSetBias = true;
	bool enableSetTail = true;
	bool enableQuantVector = true;
	bool enableSetDefineData = true;
	uint8_t iterateMode = uint8_t(IterateMode::ITERATE_MODE_DEFAULT);
	bool enableReuse = true;
	bool enableUBReuse = false;
	bool enableL1CacheUB = false;
	bool intraBlockPartSum = false;
	IterateOrder iterateOrder = IterateOrder::UNDEF;
	ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
	bool enableDoubleCache = false;
	bool isBiasBatch = true;
	bool enableStaticPadZeros = false;
	bool isPartialOutput = false;
	bool enableMixDualMaster = false;
	bool isA2B2Shared = false;
	bool isEnableChannelSplit = false;
	bool enableKdimReorderLoad = false;
	bool isCO1Shared = false;
	uint32_t sharedCO1BufferSize = 0;
};

namespace detail {

constexpr ASCENDC_FN MatmulConfig matmul_config(bool MatmulConfig::*kind)
{
	MatmulConfig config;

	config.*kind = true;
	return config;
}

} // namespace detail

constexpr MatmulConfig CFG_NORM = detail::matmul_config(&MatmulConfig::doNorm);
constexpr MatmulConfig MM_CFG_BB = detail::matmul_config(&MatmulConfig::doBasicBlock);
constexpr MatmulConfig CFG_MDL = detail::matmul_config(&MatmulConfig::doMultiDataLoad);
constexpr MatmulConfig CFG_IBSHARE_NORM = detail::matmul_config(&MatmulConfig::doIBShareNorm);
constexpr MatmulConfig CFG_SPECIAL_MDL = detail::matmul_config(&MatmulConfig::doSpecialMDL);

/* Settings of the Get...Config() functions below that results do not depend on are dropped. */
constexpr ASCENDC_FN MatmulConfig GetNormalConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
						  const bool isVecND2NZ = false,
						  const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
						  const bool isMsgReuse = true,
						  const IterateOrder order = IterateOrder::UNDEF,
						  const ScheduleType = ScheduleType::INNER_PRODUCT,
						  const bool enUnitFlag = true, const bool = false)
{
	MatmulConfig config = CFG_NORM;

	config.intrinsicsCheck = intrinsicsLimit;
	config.isNBatch = batchLoop;
	config.enVecND2NZ = isVecND2NZ;
	config.batchMode = bmmMode;
	config.enableReuse = isMsgReuse;
	config.iterateOrder = order;
	config.enUnitFlag = enUnitFlag;
	return config;
}

constexpr ASCENDC_FN MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
					       const uint32_t preload = 0, const bool isVecND2NZ = false,
					       const bool isPerTensor = false, const bool hasAntiQuantOffset = false,
					       const bool enUnitFlag = false, const bool isMsgReuse = true,
					       const bool = true, const bool = false, const bool = false)
{
	MatmulConfig config = CFG_MDL;

	config.intrinsicsCheck = intrinsicsLimit;
	config.isNBatch = batchLoop;
	config.doMTE2Preload = preload;
	config.enVecND2NZ = isVecND2NZ;
	config.isPerTensor = isPerTensor;
	config.hasAntiQuantOffset = hasAntiQuantOffset;
	config.enUnitFlag = enUnitFlag;
	config.enableReuse = isMsgReuse;
	return config;
}

constexpr ASCENDC_FN MatmulConfig GetSpecialMDLConfig(const bool = false, const bool = false, const uint32_t = 0,
						      const bool = false, const bool = false, const bool = false)
{
	return CFG_SPECIAL_MDL;
}

constexpr ASCENDC_FN MatmulConfig GetIBShareNormConfig(const bool = false, const bool = false, const bool = false,
						       const BatchMode = BatchMode::BATCH_LESS_THAN_L1,
						       const bool = false, const bool = false)
{
	return CFG_IBSHARE_NORM;
}

constexpr ASCENDC_FN MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
						 const bool = false, const bool = false,
						 const BatchMode = BatchMode::BATCH_LESS_THAN_L1)
{
	MatmulConfig config = MM_CFG_BB;

	config.basicM = basicM;
	config.basicN = basicN;
	config.basicK = basicK;
	return config;
}

constexpr ASCENDC_FN MatmulConfig GetSpecialBasicConfig(const uint32_t basicM, const uint32_t basicN,
							const uint32_t basicK, const uint32_t singleCoreM,
							const uint32_t singleCoreN, const uint32_t singleCoreK,
							const uint32_t stepM, const uint32_t stepN, const bool = false,
							const bool = false,
							const BatchMode = BatchMode::BATCH_LESS_THAN_L1)
{
	MatmulConfig config = GetBasicConfig(basicM, basicN, basicK);

	config.singleCoreM = singleCoreM;
	config.singleCoreN = singleCoreN;
	config.singleCoreK = singleCoreK;
	config.stepM = stepM;
	config.stepN = stepN;
	return config;
}

struct MatmulShapeParams {
	uint32_t singleCoreM;
	uint32_t singleCoreN;
	uint32_t singleCoreK;
	uint32_t basicM;
	uint32_t basicN;
	uint32_t basicK;
};

struct MatmulQuantParams {
	bool isPerTensor;
	bool hasAntiQuantOffset;
};

struct MatmulBatchParams {
	bool isNBatch;
	BatchMode batchMode;
	bool isBiasBatch = true;
};

struct MatmulFuncParams {
	bool intrinsicsCheck = false;
	bool enVecND2NZ = false;
	bool enableInit = true;
	bool enableGetTensorC = true;
	bool enableSetOrgShape = true;
	bool enableSetBias = true;
	bool enableSetTail = true;
	bool enableQuantVector = true;
	bool enableSetDefineData = true;
	bool enableReuse = true;
	bool enableUBReuse = false;
	bool enableL1CacheUB = false;
	bool intraBlockPartSum = false;
	IterateOrder iterateOrder = IterateOrder::UNDEF;
};

namespace detail {

constexpr ASCENDC_FN void set_config(MatmulConfig &config, const MatmulShapeParams &p)
{
	config.singleCoreM = p.singleCoreM;
	config.singleCoreN = p.singleCoreN;
	config.singleCoreK = p.singleCoreK;
	config.basicM = p.basicM;
	config.basicN = p.basicN;
	config.basicK = p.basicK;
}

constexpr ASCENDC_FN void set_config(MatmulConfig &config, const MatmulQuantParams &p)
{
	config.isPerTensor = p.isPerTensor;
	config.hasAntiQuantOffset = p.hasAntiQuantOffset;
}

constexpr ASCENDC_FN void set_config(MatmulConfig &config, const MatmulBatchParams &p)
{
	config.isNBatch = p.isNBatch;
	config.batchMode = p.batchMode;
	config.isBiasBatch = p.isBiasBatch;
}

constexpr ASCENDC_FN void set_config(MatmulConfig &config, const MatmulFuncParams &p)
{
	config.intrinsicsCheck = p.intrinsicsCheck;
	config.enVecND2NZ = p.enVecND2NZ;
	config.intraBlockPartSum = p.intraBlockPartSum;
	config.iterateOrder = p.iterateOrder;
}

} // namespace detail

/** GetMMConfig() - a kind of configuration and any of the four structures above, in any order */
template <MatmulConfigMode mode, class... Params> constexpr ASCENDC_FN MatmulConfig GetMMConfig(const Params &...params)
{
	MatmulConfig config = mode == MatmulConfigMode::CONFIG_NORM ? CFG_NORM :
			      mode == MatmulConfigMode::CONFIG_MDL ? CFG_MDL :
			      mode == MatmulConfigMode::CONFIG_SPECIALMDL ? CFG_SPECIAL_MDL : CFG_IBSHARE_NORM;

	(detail::set_config(config, params), ...);
	return config;
}

/** struct MatmulApiStaticTiling - a tiling that is known when compiling; fields of 0 come from the tiling data */
struct MatmulApiStaticTiling {
	int usedCoreNum = -1, M = -1, N = -1, Ka = -1, Kb = -1;
	int singleCoreM = -1, singleCoreN = -1, singleCoreK = -1, baseM = -1, baseN = -1, baseK = -1;
	int depthA1 = -1, depthB1 = -1, stepM = -1, stepN = -1, stepKa = -1, stepKb = -1, isBias = -1;
	int transLength = -1, iterateOrder = -1, dbL0A = -1, dbL0B = -1, dbL0C = -1;
	int shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1, batchM = -1, batchN = -1;
	int singleBatchM = -1, singleBatchN = -1, depthAL1CacheUB = -1, depthBL1CacheUB = -1;
	MatmulConfig cfg;
};

template <class A, class B, class C, class Bias>
constexpr ASCENDC_FN MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &config, int32_t = TOTAL_L1_SIZE)
{
	MatmulApiStaticTiling tiling;

	tiling.cfg = config;
	if (config.singleCoreM) {
		tiling.singleCoreM = int(config.singleCoreM);
		tiling.singleCoreN = int(config.singleCoreN);
		tiling.singleCoreK = int(config.singleCoreK);
	}
	if (config.basicM) {
		tiling.baseM = int(config.basicM);
		tiling.baseN = int(config.basicN);
		tiling.baseK = int(config.basicK);
	}
	return tiling;
}

/** struct MatrixOffset - GetOffsetC(): the tile of C that was computed last, in elements */
struct MatrixOffset {
	int32_t offset;
	int32_t row, col;
	int32_t height, width;
};

/** struct DataCopyOutParams - what a callback that copies a tile of C out is told */
struct DataCopyOutParams {
	uint16_t cBurstNum = 0;
	uint16_t burstLen = 0;
	uint16_t srcStride = 0;
	uint32_t dstStride = 0;
	uint16_t oriNSize = 0;
	bool enUnitFlag = false;
	uint64_t quantScalar = 0;
	uint64_t cbufWorkspaceAddr = 0;
	QuantMode_t quantMode = NoQuant;
};

/** MatmulCallBackFunc - the operator's own functions in place of copies of C, A and B; nullptr: the library's */
template <auto copyOut = nullptr, auto copyA = nullptr, auto copyB = nullptr> struct MatmulCallBackFunc {
	static constexpr auto DataCopyOut = copyOut;
	static constexpr auto DataCopyA1 = copyA;
	static constexpr auto DataCopyB1 = copyB;
};

} // namespace AscendC

#endif
