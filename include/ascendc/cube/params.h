/* SPDX-License-Identifier: MIT */
/* Structures of parameters of the cube unit. */
#ifndef ASCENDC_CUBE_PARAMS_H
#define ASCENDC_CUBE_PARAMS_H

#include "../core/params.h"

/** enum QuantMode_t - what happens to results on their way out of L0C */
enum QuantMode_t {
	NoQuant = 0, F322F16 = 1, VQF322HIF8_PRE = 2, QF322HIF8_PRE = 3, VREQ8 = 8, REQ8 = 9,
	VDEQF16 = 10, DEQF16 = 11, F322BF16 = 16, VQF322B8_PRE = 23, QF322B8_PRE = 24,
	VQF322F16_PRE = 31, QF322F16_PRE = 32, VQF322BF16_PRE = 33, QF322BF16_PRE = 34, VQF322F32_PRE = 35, QF322F32_PRE = 36,
};

namespace AscendC {

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT };
enum class BlockMode : uint8_t {
	BLOCK_MODE_NORMAL = 0, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL,
	BLOCK_MODE_DEPTHWISE,
};

struct FixpipeConfig {
	CO2Layout format;
	bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

struct LoadData2DParams {
	ASCENDC_FN constexpr LoadData2DParams() {}
	ASCENDC_FN constexpr LoadData2DParams(uint16_t start, uint8_t times, uint16_t src_stride, uint8_t id,
					      uint16_t dst_gap, bool transpose, uint8_t mode)
		: startIndex(start), dstGap(dst_gap), srcStride(src_stride), ifTranspose(transpose),
		  repeatTimes(times), sid(id), addrMode(mode)
	{
	}

	uint16_t startIndex = 0;
	uint16_t dstGap = 0;
	uint16_t srcStride = 0;
	bool ifTranspose = false;
	uint8_t repeatTimes = 0;
	uint8_t sid = 0;
	uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;

/**
 * struct LoadData2DParamsV2 - fractals of a matrix in L1 whose columns of fractals are @srcStride fractals apart
 * @mStartPosition: first row, in fractals of 16
 * @kStartPosition: first column, in blocks of 32 bytes
 * @mStep: rows, in fractals of 16
 * @kStep: columns, in blocks of 32 bytes
 * @dstStride: fractals from one block of k of the destination to the next one
 * @ifTranspose: the source's rows are those of k
 */
struct LoadData2DParamsV2 {
	ASCENDC_FN constexpr LoadData2DParamsV2() {}
	ASCENDC_FN constexpr LoadData2DParamsV2(uint32_t m_start, uint32_t k_start, uint16_t m_steps, uint16_t k_steps, int32_t src,
						uint16_t dst, bool transpose, uint8_t id)
		: mStartPosition(m_start), kStartPosition(k_start), mStep(m_steps), kStep(k_steps), srcStride(src), dstStride(dst),
		  ifTranspose(transpose), sid(id)
	{
	}

	uint32_t mStartPosition = 0;
	uint32_t kStartPosition = 0;
	uint16_t mStep = 0;
	uint16_t kStep = 0;
	int32_t srcStride = 0;
	uint16_t dstStride = 0;
	bool ifTranspose = false;
	uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
	ASCENDC_FN constexpr LoadData2dTransposeParams() {}
	ASCENDC_FN constexpr LoadData2dTransposeParams(uint16_t start, uint8_t times, uint16_t src_stride,
						       uint16_t dst_gap, uint16_t fractal_gap, uint8_t mode = 0)
		: startIndex(start), repeatTimes(times), srcStride(src_stride), dstGap(dst_gap),
		  dstFracGap(fractal_gap), addrMode(mode)
	{
	}

	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0;
	uint16_t dstGap = 0;
	uint16_t dstFracGap = 0;
	uint16_t srcFracGap = 0;
	uint8_t addrMode = 0;
};

/** struct LoadData2dTransposeParamsV2 - as LoadData2dTransposeParams, but @srcStride counts fractals, and @srcFracGap lie between those of a square */
struct LoadData2dTransposeParamsV2 {
	ASCENDC_FN constexpr LoadData2dTransposeParamsV2() {}
	ASCENDC_FN constexpr LoadData2dTransposeParamsV2(uint16_t start, uint8_t times, uint16_t src_stride, uint16_t dst_gap,
							 uint16_t fractal_gap, uint16_t src_gap, uint8_t mode = 0)
		: startIndex(start), repeatTimes(times), srcStride(src_stride), dstGap(dst_gap), dstFracGap(fractal_gap),
		  srcFracGap(src_gap), addrMode(mode)
	{
	}

	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0;
	uint16_t dstGap = 0;
	uint16_t dstFracGap = 0;
	uint16_t srcFracGap = 0;
	uint8_t addrMode = 0;
};

template <class T> struct LoadData3DParamsV2 {
	uint8_t padList[4] = {0, 0, 0, 0};
	uint16_t l1H = 0;
	uint16_t l1W = 0;
	uint16_t channelSize = 0;
	uint16_t kExtension = 0;
	uint16_t mExtension = 0;
	uint16_t kStartPt = 0;
	uint16_t mStartPt = 0;
	uint8_t strideW = 1;
	uint8_t strideH = 1;
	uint8_t filterW = 1;
	uint8_t filterH = 1;
	uint8_t dilationFilterW = 1;
	uint8_t dilationFilterH = 1;
	bool enTranspose = false;
	bool enSmallK = false;
	T padValue{};
	bool filterSizeW = false;
	bool filterSizeH = false;
	bool fMatrixCtrl = false;
};

struct MmadParams {
	ASCENDC_FN constexpr MmadParams() {}
	ASCENDC_FN constexpr MmadParams(uint16_t rows, uint16_t cols, uint16_t depth, bool bias, int32_t fm,
					bool sparse, bool wino_a, bool wino_b)
		: m(rows), n(cols), k(depth), isBias(bias), fmOffset(fm), enSsparse(sparse),
		  enWinogradA(wino_a), enWinogradB(wino_b)
	{
	}
	ASCENDC_FN constexpr MmadParams(uint16_t rows, uint16_t cols, uint16_t depth, uint8_t unit, bool source,
					bool init)
		: m(rows), n(cols), k(depth), unitFlag(unit), cmatrixSource(source), cmatrixInitVal(init)
	{
	}

	uint16_t m = 0;
	uint16_t n = 0;
	uint16_t k = 0;
	bool isBias = false;
	int32_t fmOffset = 0;
	bool enSsparse = false;
	bool enWinogradA = false;
	bool enWinogradB = false;
	int8_t unitFlag = 0;
	bool kDirectionAlign = false;
	bool cmatrixSource = false;
	bool cmatrixInitVal = true;
	bool disableGemv = false;
};

struct FixpipeParamsV220 {
	ASCENDC_FN constexpr FixpipeParamsV220() {}
	ASCENDC_FN constexpr FixpipeParamsV220(uint16_t cols, uint16_t rows, uint16_t src, uint32_t dst, bool relu)
		: nSize(cols), mSize(rows), srcStride(src), dstStride(dst), reluEn(relu)
	{
	}

	uint16_t nSize = 0;
	uint16_t mSize = 0;
	uint16_t srcStride = 0;
	uint32_t dstStride = 0;
	QuantMode_t quantPre = NoQuant;
	uint64_t deqScalar = 0;
	uint16_t ndNum = 1;
	uint16_t srcNdStride = 0;
	uint16_t dstNdStride = 0;
	bool reluEn = false;
	uint8_t unitFlag = 0;
	bool isChannelSplit = false;
};

/** struct Nz2DnParams - of a column-major result, which the core does not store */
struct Nz2DnParams {
	uint16_t dnNum = 1;
	uint16_t srcNzMatrixStride = 0;
	uint32_t dstDnMatrixStride = 0;
	uint16_t srcNzC0Stride = 0;
};

/** struct Nz2NdLoop - matrices of a row-major result and their distances, as in FixpipeParamsV220 */
struct Nz2NdLoop {
	uint16_t ndNum = 1;
	uint16_t srcNdStride = 0;
	uint32_t dstNdStride = 0;
};

/**
 * struct FixpipeParamsArch3510 - the newest cores' words for FixpipeParamsV220
 * @dstStride: of NZ results elements from a column of fractals to the next, where FixpipeParamsV220 has blocks of 32 bytes
 * @dualDstCtl: 1, 2: halves of the result for both vector cores, which is not built
 * @subBlockId: the vector core whose UB a result is for, which only the core itself can be
 */
template <CO2Layout format = CO2Layout::ROW_MAJOR> struct FixpipeParamsArch3510 {
	ASCENDC_FN constexpr FixpipeParamsArch3510() {}
	ASCENDC_FN constexpr FixpipeParamsArch3510(uint16_t cols, uint16_t rows, uint16_t src, uint32_t dst)
		: nSize(cols), mSize(rows), srcStride(src), dstStride(dst)
	{
	}

	uint16_t nSize = 0;
	uint16_t mSize = 0;
	uint16_t srcStride = 0;
	uint32_t dstStride = 0;
	QuantMode_t quantPre = NoQuant;
	uint64_t deqScalar = 0;
	bool reluEn = false;
	uint8_t unitFlag = 0;
	uint8_t dualDstCtl = 0;
	bool subBlockId = false;
	bool isChannelSplit = false;
	std::conditional_t<format == CO2Layout::COLUMN_MAJOR, Nz2DnParams, Nz2NdLoop> params;
};
template <CO2Layout format = CO2Layout::ROW_MAJOR> using FixpipeParamsC310 = FixpipeParamsArch3510<format>;

/** struct Nz2NdParams - a row-major result of @originalNSize columns; with @ndNum matrices, their distances as in FixpipeParamsV220 */
struct Nz2NdParams {
	bool nz2ndEn = false;
	uint16_t ndNum = 1;
	uint16_t srcNdStride = 0;
	uint16_t dstNdStride = 0;
	uint16_t originalNSize = 0;
};

struct QuantParams {
	QuantMode_t quantPre = NoQuant;
	uint64_t deqScalar = 0;
};

/**
 * struct FixpipeParams - the older words for FixpipeParamsV220, for a source of elements of type T
 * @cburstNum: columns of fractals (16 columns each); without effect where @nz2ndParams states the columns
 * @burstLen: what one column of fractals has, in blocks of 32 bytes of the source: its rows
 * @srcStride: gap behind a column of fractals of the source, in fractals of 256 elements
 * @dstStride: row-major: elements from row to row; else: gap behind a column of fractals, in blocks of 32 bytes
 */
template <class T> struct FixpipeParams {
	ASCENDC_FN constexpr FixpipeParams() {}
	ASCENDC_FN constexpr FixpipeParams(uint16_t count, uint16_t length, uint16_t src_gap, uint32_t dst)
		: cburstNum(count), burstLen(length), dstStride(dst), srcStride(src_gap)
	{
	}

	uint16_t cburstNum = 0;
	uint16_t burstLen = 1;
	uint32_t dstStride = 0;
	uint16_t srcStride = 0;
	QuantParams quantParams;
	bool reluEn = false;
	Nz2NdParams nz2ndParams;
};

struct DataCopyCO12DstParams {
	ASCENDC_FN constexpr DataCopyCO12DstParams() {}
	ASCENDC_FN constexpr DataCopyCO12DstParams(uint16_t cols, uint16_t rows, uint32_t dst, uint16_t src,
						   QuantMode_t quant, uint8_t relu, bool split, bool nd)
		: nSize(cols), mSize(rows), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu),
		  channelSplit(split), nz2ndEn(nd)
	{
	}

	uint8_t sid = 0;
	uint16_t nSize = 0;
	uint16_t mSize = 0;
	uint32_t dstStride = 0;
	uint16_t srcStride = 0;
	uint8_t unitFlag = 0;
	uint8_t clipReluPre = 0;
	uint8_t eltWiseOp = 0;
	QuantMode_t quantPre = NoQuant;
	uint8_t reluPre = 0;
	bool channelSplit = false;
	bool nz2ndEn = false;
};

/** struct DataCopyEnhancedParams - what a copy out of CO1 does on chips without Fixpipe() */
struct DataCopyEnhancedParams {
	ASCENDC_FN constexpr DataCopyEnhancedParams() {}
	ASCENDC_FN constexpr DataCopyEnhancedParams(BlockMode mode, DeqScale scale, uint64_t value, uint8_t sid, bool relu,
						    pad_t pad = pad_t::PAD_NONE, uint64_t padWith = 0)
		: blockMode(mode), deqScale(scale), deqValue(value), sidStoreMode(sid), isRelu(relu), padMode(pad), padValue(padWith)
	{
	}

	BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
	DeqScale deqScale = DeqScale::DEQ;
	uint64_t deqValue = 0;
	uint8_t sidStoreMode = 0;
	bool isRelu = false;
	pad_t padMode = pad_t::PAD_NONE;
	uint64_t padValue = 0;
};

template <class T> struct InitConstValueParams {
	ASCENDC_FN constexpr InitConstValueParams() {}
	ASCENDC_FN constexpr InitConstValueParams(uint16_t times, uint16_t blocks, uint16_t gap, T value)
		: repeatTimes(times), blockNum(blocks), dstGap(gap), initValue(value)
	{
	}
	ASCENDC_FN constexpr InitConstValueParams(uint16_t times, T value) : repeatTimes(times), initValue(value) {}

	uint16_t repeatTimes = 0;
	uint16_t blockNum = 1;
	uint16_t dstGap = 0;
	T initValue{};
};

} // namespace AscendC

#endif
