/* SPDX-License-Identifier: MIT */
/*
 * For op_host: how much working memory functions of the high-level API take, and the tiling of those that have one. Kernels work in pieces
 * (adv/pieces.h), so that the least is small; the most serves whole tensors at once.
 */
#ifndef ASCENDC_HOST_TILING_API_H
#define ASCENDC_HOST_TILING_API_H

#include "../core/topk_mode.h"
#include "../kernel_tiling/kernel_tiling.h"
#include "matmul_tiling.h"
#include "platform.h"
#include "tilingdata.h"

namespace ge {

/** Shape - dimensions as the functions of the tiling API take them */
class Shape {
public:
	Shape() = default;
	explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}
	size_t GetDimNum() const { return dims_.size(); }
	int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
	std::vector<int64_t> GetDims() const { return dims_; }
	int64_t GetShapeSize() const
	{
		int64_t size = 1;

		for (int64_t dim : dims_)
			size *= dim;
		return size;
	}

private:
	std::vector<int64_t> dims_;
};

} // namespace ge

namespace optiling {

/** OfKernel - a structure that the kernel's side declares, as a field of tiling data */
template <class T> class OfKernel : public TilingDef {
public:
	OfKernel() = default;
	OfKernel(const OfKernel &other) : TilingDef(other), value(other.value) {}
	OfKernel &operator=(const OfKernel &other)
	{
		value = other.value;
		keep(&value, sizeof(value));
		return *this;
	}

	T value = {};

private:
	int place_ = field(&value, sizeof(T), alignof(T));
};

using TCubeTiling = WithCubeFields<OfKernel<::TCubeTiling>>;
using SoftMaxTiling = OfKernel<::SoftMaxTiling>;
using LogSoftMaxTiling = OfKernel<::LogSoftMaxTiling>;
using LayerNormTiling = OfKernel<::LayerNormTiling>;
using LayerNormSeparateTiling = OfKernel<::LayerNormSeparateTiling>;
using LayerNormGradTiling = OfKernel<::LayerNormGradTiling>;
using LayerNormGradBetaTiling = OfKernel<::LayerNormGradBetaTiling>;
using RmsNormTiling = OfKernel<::RmsNormTiling>;
using DeepNormTiling = OfKernel<::DeepNormTiling>;
using BatchNormTiling = OfKernel<::BatchNormTiling>;
using GroupNormTiling = OfKernel<::GroupNormTiling>;
using ConfusionTransposeTiling = OfKernel<::ConfusionTransposeTiling>;
using PadTiling = OfKernel<::PadTiling>;
using UnPadTiling = OfKernel<::UnPadTiling>;
using TopkTiling = OfKernel<::TopkTiling>;

} // namespace optiling

namespace AscendC {

namespace host {

/* Rows of fp32 for a piece of 64 elements at the least, for the whole tensor (at most 1024 at a time) at the most */
inline void sizes(const ge::Shape &shape, uint32_t rows, uint32_t &most, uint32_t &least)
{
	uint32_t count = static_cast<uint32_t>(shape.GetShapeSize());
	uint32_t piece = count < 1024 ? (count + 63) / 64 * 64 : 1024;

	least = rows * 64 * 4;
	most = rows * piece * 4;
}

/* Whole rows of @count elements */
inline uint32_t rows_of(int64_t count, uint32_t rows)
{
	return (rows * ((static_cast<uint32_t>(count) + 7) / 8 * 8) + 8) * 4;
}

/* Whole rows of the last dimension */
inline uint32_t rows_of(const ge::Shape &shape, uint32_t rows)
{
	return rows_of(shape.GetDimNum() ? shape.GetDim(shape.GetDimNum() - 1) : 1, rows);
}

} // namespace host

#define ASCENDC_TMP_SIZE(name, rows) \
	template <class... More> \
	inline void Get##name##MaxMinTmpSize(const ge::Shape &shape, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue, More...) \
	{ \
		host::sizes(shape, rows, maxValue, minValue); \
	} \
	/* with the sizes before the choice of reusing the source, or without it, or behind a platform */ \
	inline void Get##name##MaxMinTmpSize(const ge::Shape &shape, uint32_t, uint32_t &maxValue, uint32_t &minValue, bool = false) \
	{ \
		host::sizes(shape, rows, maxValue, minValue); \
	} \
	inline void Get##name##MaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &shape, uint32_t, bool, \
					     uint32_t &maxValue, uint32_t &minValue) \
	{ \
		host::sizes(shape, rows, maxValue, minValue); \
	} \
	inline void Get##name##TmpBufferFactorSize(uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) \
	{ \
		maxLiveNodeCount = rows; \
		extraBuf = 0; \
	}
ASCENDC_TMP_SIZE(Acos, 8)
ASCENDC_TMP_SIZE(Acosh, 4)
ASCENDC_TMP_SIZE(Asin, 8)
ASCENDC_TMP_SIZE(Asinh, 8)
ASCENDC_TMP_SIZE(Atan, 7)
ASCENDC_TMP_SIZE(Atanh, 7)
ASCENDC_TMP_SIZE(Axpy, 1)
ASCENDC_TMP_SIZE(Ceil, 1)
ASCENDC_TMP_SIZE(ClampMax, 1)
ASCENDC_TMP_SIZE(ClampMin, 1)
ASCENDC_TMP_SIZE(Cos, 1)
ASCENDC_TMP_SIZE(Cosh, 4)
ASCENDC_TMP_SIZE(Digamma, 9)
ASCENDC_TMP_SIZE(Erf, 1)
ASCENDC_TMP_SIZE(Erfc, 6)
ASCENDC_TMP_SIZE(Exp, 1)
ASCENDC_TMP_SIZE(Floor, 1)
ASCENDC_TMP_SIZE(Frac, 3)
ASCENDC_TMP_SIZE(Lgamma, 9)
ASCENDC_TMP_SIZE(Log, 1)
ASCENDC_TMP_SIZE(Log10, 2)
ASCENDC_TMP_SIZE(Log2, 2)
ASCENDC_TMP_SIZE(Rint, 1)
ASCENDC_TMP_SIZE(Round, 1)
ASCENDC_TMP_SIZE(Sign, 5)
ASCENDC_TMP_SIZE(Sin, 1)
ASCENDC_TMP_SIZE(Sinh, 7)
ASCENDC_TMP_SIZE(Tan, 3)
ASCENDC_TMP_SIZE(Tanh, 1)
ASCENDC_TMP_SIZE(Trunc, 1)
ASCENDC_TMP_SIZE(Xor, 1)
ASCENDC_TMP_SIZE(Sigmoid, 2)
ASCENDC_TMP_SIZE(Fmod, 8)
ASCENDC_TMP_SIZE(GeGLU, 4)
ASCENDC_TMP_SIZE(ReGlu, 4)
ASCENDC_TMP_SIZE(SwiGLU, 4)
ASCENDC_TMP_SIZE(Swish, 3)
ASCENDC_TMP_SIZE(Silu, 3)
ASCENDC_TMP_SIZE(Gelu, 3)
ASCENDC_TMP_SIZE(IsInf, 1)
ASCENDC_TMP_SIZE(IsNan, 1)
ASCENDC_TMP_SIZE(LogicalAnd, 1)
ASCENDC_TMP_SIZE(LogicalAnds, 1)
ASCENDC_TMP_SIZE(LogicalOr, 1)
ASCENDC_TMP_SIZE(LogicalOrs, 1)
ASCENDC_TMP_SIZE(LogicalXor, 1)
ASCENDC_TMP_SIZE(LogicalNot, 1)
ASCENDC_TMP_SIZE(BitwiseAnd, 1)
ASCENDC_TMP_SIZE(BitwiseOr, 1)
ASCENDC_TMP_SIZE(BitwiseXor, 1)
ASCENDC_TMP_SIZE(BitwiseNot, 1)
ASCENDC_TMP_SIZE(SinCos, 1)
ASCENDC_TMP_SIZE(Fma, 1)
ASCENDC_TMP_SIZE(Hypot, 5)
ASCENDC_TMP_SIZE(ReduceXorSum, 1)
#undef ASCENDC_TMP_SIZE

/**
 * Mc2CcTilingConfig - what a kernel that communicates is told of it. Kernels cannot do that here and say so when they try, so that nothing is
 * written for them; operators whose kernels only compute go on.
 */
class Mc2CcTilingConfig {
public:
	explicit Mc2CcTilingConfig(const std::string &group, uint32_t type, const std::string &algorithm, uint32_t reduction = 0, uint8_t result = 0, uint8_t source = 0)
	{
		(void)group, (void)type, (void)algorithm, (void)reduction, (void)result, (void)source;
	}

	template <class T> uint32_t GetTiling(T &) { return 0; }
	uint32_t SetGroupName(const std::string &) { return 0; }
	uint32_t SetOpType(uint32_t) { return 0; }
	uint32_t SetAlgConfig(const std::string &) { return 0; }
	uint32_t SetReduceType(uint32_t, uint8_t = 0, uint8_t = 0) { return 0; }
	uint32_t SetStepSize(uint8_t) { return 0; }
	uint32_t SetQueueNum(uint16_t) { return 0; }
	uint32_t SetCommBlockNum(uint16_t) { return 0; }
	uint32_t SetCommEngine(uint8_t) { return 0; }
	uint32_t SetDebugMode(uint8_t) { return 0; }
	uint32_t SetSkipLocalRankCopy(uint8_t) { return 0; }
	uint32_t SetSkipBufferWindowCopy(uint8_t) { return 0; }
};

/* Power() has shapes or numbers on both sides */
inline void GetPowerMaxMinTmpSize(const ge::Shape &a, const ge::Shape &b, bool, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
	host::sizes(a.GetShapeSize() > b.GetShapeSize() ? a : b, 8, maxValue, minValue);
}

inline void GetPowerTmpBufferFactorSize(bool, bool, bool, uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
	maxLiveNodeCount = 8;
	extraBuf = 0;
}

inline void GetAscendQuantMaxMinTmpSize(const ge::Shape &shape, uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
	host::sizes(shape, 2, maxValue, minValue);
}

inline void GetAscendDequantMaxMinTmpSize(const ge::Shape &shape, uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 2);
}

inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape &shape, const ge::Shape &, bool, ge::DataType, ge::DataType, uint32_t &maxValue,
					    uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 2);
}

inline uint32_t GetDropOutMaxTmpSize(const ge::Shape &shape, uint32_t, bool) { return host::rows_of(shape, 3); }
inline uint32_t GetDropOutMinTmpSize(const ge::Shape &shape, uint32_t, bool) { return host::rows_of(shape, 3); }

inline void GetDropOutMaxMinTmpSize(const ge::Shape &shape, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 3);
}

inline void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape &shape0, const ge::Shape &shape1, uint32_t, const ge::Shape &, uint32_t, bool,
						uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape0.GetShapeSize() > shape1.GetShapeSize() ? shape0 : shape1, 2);
}

inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape &shape0, const ge::Shape &shape1, uint32_t typeSize, const ge::Shape &mask,
						 uint32_t maskTypeSize, bool isReuseMask)
{
	uint32_t most = 0, least = 0;

	GetSelectWithBytesMaskMaxMinTmpSize(shape0, shape1, typeSize, mask, maskTypeSize, isReuseMask, most, least);
	return most;
}

inline uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape &shape0, const ge::Shape &shape1, uint32_t typeSize, const ge::Shape &mask,
						 uint32_t maskTypeSize, bool isReuseMask)
{
	uint32_t most = 0, least = 0;

	GetSelectWithBytesMaskMaxMinTmpSize(shape0, shape1, typeSize, mask, maskTypeSize, isReuseMask, most, least);
	return least;
}

inline void GetSumMaxMinTmpSize(uint32_t, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 32; }
inline void GetMeanMaxMinTmpSize(uint32_t n, uint32_t typeSize, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = typeSize == 4 ? 32 : host::rows_of(ge::Shape({n}), 1);
}

inline void GetCumSumMaxMinTmpSize(const ge::Shape &shape, uint32_t typeSize, bool isLastAxis, bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = isLastAxis || typeSize == 4 ? 32 : host::rows_of(shape, 2);
}

/* Reductions by patterns: sums of half and bfloat16_t over the rows are added in fp32 */
enum class ReducePattern : uint32_t { AR = 0, RA = 1, R, ARA, ARAR };
#define ASCENDC_REDUCE_SIZE(name) \
	inline void Get##name##MaxMinTmpSize(const ge::Shape &shape, const ge::DataType, ReducePattern, bool, bool, uint32_t &maxValue, \
					     uint32_t &minValue) \
	{ \
		maxValue = minValue = host::rows_of(shape, 2); \
	}
ASCENDC_REDUCE_SIZE(ReduceSum)
ASCENDC_REDUCE_SIZE(ReduceMax)
ASCENDC_REDUCE_SIZE(ReduceMin)
ASCENDC_REDUCE_SIZE(ReduceProd)
ASCENDC_REDUCE_SIZE(ReduceMean)
ASCENDC_REDUCE_SIZE(ReduceAny)
ASCENDC_REDUCE_SIZE(ReduceAll)
#undef ASCENDC_REDUCE_SIZE

/** Moves, which need none */
inline void GetConfusionTransposeMaxMinTmpSize(const ge::Shape &, const uint32_t, const uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = 32;
}
inline void GetPadMaxMinTmpSize(const ge::Shape &, const uint32_t, uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 32; }
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &, const uint32_t, uint32_t &maxValue,
				  uint32_t &minValue)
{
	maxValue = minValue = 32;
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 32; }
inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 32; }

/** GetTransposeMaxMinTmpSize() - none is needed; 32 bytes are the least that a tensor has */
inline void GetTransposeMaxMinTmpSize(const ge::Shape &, const uint32_t, const uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = 32;
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const ge::Shape &, const ge::Shape &, uint32_t, bool,
				      uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = 32;
}

/** GetLayerNormMaxMinTmpSize(), GetLayerNormNDTilingInfo() and relatives: for shapes [B, S, H] and the length that counts */
inline void GetLayerNormMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 2);
}

/* With 1 / sqrt(variance + epsilon) as a result: shapes [A, R] */
inline void GetLayerNormMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, const bool, const bool, uint32_t &maxValue,
				      uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 2);
}

inline void GetNormalizeMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, const bool, const bool,
				      uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 2);
}

inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 4);
}

inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 4);
}

/* [B, S, H]: rows of S * H */
inline bool GetBatchNormMaxMinTmpSize(const ge::Shape &shape, const ge::Shape &, const uint32_t, const bool, uint32_t &maxValue,
				      uint32_t &minValue, const bool = false)
{
	maxValue = minValue = host::rows_of(shape.GetDim(1) * shape.GetDim(2), 4);
	return true;
}

/* [N, C, H, W]: rows of H * W */
inline void GetGroupNormMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, const uint32_t, uint32_t &maxValue,
				      uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape.GetDim(2) * shape.GetDim(3), 2);
}

inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, const bool,
					  uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 3);
}

inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape &shape, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 3);
}

inline bool GetRmsNormMaxMinTmpSize(const ge::Shape &shape, uint32_t, uint32_t &maxValue, uint32_t &minValue, bool = false)
{
	maxValue = minValue = host::rows_of(shape, 2);
	return true;
}

inline bool GetDeepNormMaxMinTmpSize(const ge::Shape &shape, uint32_t, bool, bool, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = host::rows_of(shape, 3);
	return true;
}

namespace host {

/* [B, S, H] to the fields of that name */
template <class T> inline void bsh(T &tiling, const ge::Shape &shape, const ge::Shape &origin)
{
	auto &t = plain(tiling);

	t.bLength = static_cast<uint32_t>(shape.GetDim(0));
	t.sLength = static_cast<uint32_t>(shape.GetDim(1));
	t.hLength = static_cast<uint32_t>(shape.GetDim(2));
	t.originalHLength = static_cast<uint32_t>(origin.GetDim(2));
}

} // namespace host

template <class T>
inline void GetLayerNormNDTilingInfo(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, T &tiling)
{
	host::bsh(tiling, shape, shape);
}

template <class T>
inline void GetLayerNormNDTillingInfo(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, T &tiling)
{
	host::bsh(tiling, shape, shape);
}

template <class T>
inline void GetLayerNormNDTilingInfo(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, const bool, T &tiling)
{
	host::plain(tiling).aLength = static_cast<uint32_t>(shape.GetDim(0));
	host::plain(tiling).rLength = static_cast<uint32_t>(shape.GetDim(1));
}

template <class T>
inline void GetLayerNormGradNDTilingInfo(const ge::Shape shape, const uint32_t, const uint32_t, const bool, T &tiling)
{
	host::bsh(tiling, shape, shape);
}

template <class T>
inline void GetLayerNormGradBetaNDTilingInfo(const ge::Shape shape, const uint32_t, const uint32_t, const bool, T &tiling)
{
	host::bsh(tiling, shape, shape);
}

template <class T>
inline bool GetRmsNormTilingInfo(const ge::Shape &shape, const ge::Shape &origin, uint32_t, uint32_t, T &tiling,
				 bool = false)
{
	host::bsh(tiling, shape, origin);
	return true;
}

template <class T>
inline bool GetDeepNormTilingInfo(const ge::Shape &shape, const ge::Shape &origin, uint32_t, uint32_t, bool, bool, T &tiling)
{
	host::bsh(tiling, shape, origin);
	return true;
}

template <class T>
inline bool GetBatchNormNDTilingInfo(const ge::Shape &shape, const ge::Shape &origin, const uint32_t, const uint32_t, const bool,
				     T &tiling, const bool = false)
{
	auto &t = host::plain(tiling);

	t.originalBLength = static_cast<uint32_t>(origin.GetDim(0));
	t.shCurLength = t.meanVarSize = static_cast<uint32_t>(shape.GetDim(1) * shape.GetDim(2));
	return true;
}

template <class T>
inline void GetGroupNormNDTilingInfo(const ge::Shape &shape, const uint32_t, const uint32_t, const bool, const uint32_t groups, T &tiling)
{
	auto &t = host::plain(tiling);

	t.n = static_cast<uint32_t>(shape.GetDim(0));
	t.c = static_cast<uint32_t>(shape.GetDim(1));
	t.hw = t.hwAlignSize = static_cast<uint32_t>(shape.GetDim(2) * shape.GetDim(3));
	t.g = groups;
	t.d = groups ? t.c / groups : 0;
}

/** GetConfusionTransposeTilingInfo() - of a matrix [H, W], of three dimensions, or heads [B, N, S, H / N] */
template <class T>
inline void GetConfusionTransposeTilingInfo(const ge::Shape &shape, const uint32_t, const uint32_t, const uint32_t, T &tiling)
{
	auto &t = host::plain(tiling);
	uint32_t *params[] = {&t.param0, &t.param1, &t.param2, &t.param3};

	for (size_t i = 0; i < 4; i++)
		*params[i] = static_cast<uint32_t>(shape.GetDim(i));
}
template <class T>
inline void GetTransposeTilingInfo(const ge::Shape &shape, const uint32_t size, const uint32_t typeSize, const uint32_t type, T &tiling)
{
	GetConfusionTransposeTilingInfo(shape, size, typeSize, type, tiling);
}

template <class T>
inline void PadTilingFunc(const ge::Shape &shape, const ge::Shape &origin, const uint32_t, const uint32_t, T &tiling)
{
	host::plain(tiling).srcHeight = static_cast<uint32_t>(shape.GetDim(0));
	host::plain(tiling).srcWidth = static_cast<uint32_t>(shape.GetDim(1));
	host::plain(tiling).srcOriWidth = static_cast<uint32_t>(origin.GetDim(1));
}

template <class T>
inline void UnPadTilingFunc(const ge::Shape &shape, const uint32_t, const uint32_t, T &tiling)
{
	host::plain(tiling).srcHeight = static_cast<uint32_t>(shape.GetDim(0));
	host::plain(tiling).srcWidth = static_cast<uint32_t>(shape.GetDim(1));
}

/** GetTopKMaxMinTmpSize() - 24 bytes for each element of a row */
inline bool GetTopKMaxMinTmpSize(const int32_t inner, const int32_t, const bool, const bool, const uint32_t, uint32_t &maxValue,
				 uint32_t &minValue)
{
	maxValue = minValue = static_cast<uint32_t>(inner) * 24;
	return true;
}

template <class T>
inline bool TopKTilingFunc(const int32_t inner, const int32_t, const int32_t, const uint32_t, const bool, const uint32_t, T &tiling)
{
	host::plain(tiling).allDataSize = inner;
	return true;
}

/** GetSortTmpSize(), GetConcatTmpSize() - of Sort() and Concat(): a record of 8 bytes for each element */
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elements, const uint32_t)
{
	return elements * 8;
}

/** GetSortOffset(), GetSortLen() - bytes and elements that so many records take */
inline uint32_t GetSortOffset(const platform_ascendc::PlatformAscendC &, const uint32_t elements, const uint32_t)
{
	return elements * 8;
}

inline uint32_t GetSortLen(const platform_ascendc::PlatformAscendC &, const uint32_t elements, const uint32_t dataTypeSize)
{
	return elements * 8 / dataTypeSize;
}

inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elements, const uint32_t)
{
	return elements * 8;
}

/* The same for a platform and a mode, neither of which changes anything here */
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t, const bool, const bool,
				 const TopKMode, const bool, const uint32_t, uint32_t &maxValue, uint32_t &minValue)
{
	maxValue = minValue = static_cast<uint32_t>(inner) * 24;
	return true;
}

template <class T>
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t, const int32_t, const uint32_t,
			   const bool, const TopKMode, const bool, T &tiling)
{
	host::plain(tiling).allDataSize = inner;
	return true;
}

/** IsBasicBlockInSoftMax() - whether rows and columns fit isBasicBlock, which changes nothing here */
template <class T, class... More> inline bool IsBasicBlockInSoftMax(T &tiling, More...)
{
	return host::plain(tiling).srcM % 8 == 0 && host::plain(tiling).srcK % 64 == 0 && host::plain(tiling).srcK < 2048;
}

} // namespace AscendC

#endif
