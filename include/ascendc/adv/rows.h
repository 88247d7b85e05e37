/* SPDX-License-Identifier: MIT */
/* The high-level API on rows: sums, means, running sums, broadcasts, SoftMax. */
#ifndef ASCENDC_ADV_ROWS_H
#define ASCENDC_ADV_ROWS_H

#include "../kernel_tiling/kernel_tiling.h"
#include "math.h"

namespace AscendC {

/** struct SumParams - @outter rows of @inner elements, of which the first @n count */
struct SumParams {
	uint32_t outter = 1;
	uint32_t inner = 0;
	uint32_t n = 0;
};

struct MeanParams {
	uint32_t outter = 1;
	uint32_t inner = 0;
	uint32_t n = 0;
};

struct CumSumInfo {
	uint32_t outter = 0;
	uint32_t inner = 0;
};

struct CumSumConfig {
	bool isLastAxis = true;
	bool isReuseSource = false;
	bool outputLastRow = false;
};
constexpr CumSumConfig defaultCumSumConfig = {};

struct SoftMaxShapeInfo {
	uint32_t srcM = 0;
	uint32_t srcK = 0;
	uint32_t oriSrcM = 0;
	uint32_t oriSrcK = 0;
};

template <class T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
ASCENDC_FN void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		    const SumParams &p)
{
	for (uint32_t row = 0; row < p.outter; row++)
		detail::reduce_all(dst[row], src[row * p.inner], ANPU_RED_SUM, false, int32_t(p.n));
}

template <class T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
ASCENDC_FN void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &p)
{
	Sum<T>(dst, src, LocalTensor<uint8_t>(), p);
}

template <class T, class A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
ASCENDC_FN void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		     const MeanParams &p)
{
	Sum<T>(dst, src, LocalTensor<uint8_t>(), SumParams{p.outter, p.inner, p.n});
	Muls(dst, dst, T(1.0f / float(p.n)), int32_t(p.outter));
}

template <class T, class A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
ASCENDC_FN void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &p)
{
	Mean<T>(dst, src, LocalTensor<uint8_t>(), p);
}

/** CumSum() - running sums along the last axis (on the scalar unit) or down the rows */
template <class T, const CumSumConfig &config = defaultCumSumConfig>
ASCENDC_FN void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
		       const LocalTensor<uint8_t> &, const CumSumInfo &info)
{
	if constexpr (config.isLastAxis) {
		detail::settle();
		for (uint32_t row = 0; row < info.outter; row++) {
			float sum = 0;

			for (uint32_t i = 0; i < info.inner; i++) {
				sum += float(src.GetValue(row * info.inner + i));
				dst.SetValue(row * info.inner + i, T(sum));
			}
		}
		detail::settle();
	} else {
		if (dst.address != src.address)
			anpu_tile_DMA_LIN(dst.address, src.address, info.inner * sizeof(T), 0);
		for (uint32_t row = 1; row < info.outter; row++)
			Add(dst[row * info.inner], dst[(row - 1) * info.inner], src[row * info.inner],
			    int32_t(info.inner));
	}
	if constexpr (config.outputLastRow)
		anpu_tile_VUN(lastRow.address, dst[(info.outter - 1) * info.inner].address, 0,
			      ANPU_CTL(info.inner, detail::bits_type<T>, ANPU_UN_COPY));
}

template <class T, const CumSumConfig &config = defaultCumSumConfig>
ASCENDC_FN void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
		       const CumSumInfo &info)
{
	CumSum<T, config>(dst, lastRow, src, LocalTensor<uint8_t>(), info);
}

/** Broadcast() - one dimension, or of two the first (rows) or the last (columns) */
template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
ASCENDC_FN void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
			  const uint32_t srcShape[dim])
{
	static_assert(dim == 1 || dim == 2, "AscendC::Broadcast is for one or two dimensions");
	if constexpr (dim == 1) {
		detail::settle();
		Duplicate(dst, src.GetValue(0), int32_t(dstShape[0]));
	} else {
		bool rows = srcShape[0] == 1 && dstShape[0] != 1;

		if (srcShape[0] == 1 && srcShape[1] == 1)
			Broadcast<T, 1, 0>(dst, src, (const uint32_t[1]){dstShape[0] * dstShape[1]}, srcShape);
		else if (srcShape[0] == dstShape[0] && srcShape[1] == dstShape[1])
			anpu_tile_VUN(dst.address, src.address, 0,
				      ANPU_CTL(dstShape[0] * dstShape[1], detail::bits_type<T>, ANPU_UN_COPY));
		else
			anpu_tile_VBRC(dst.address, src.address, ANPU_SHAPE(dstShape[0], dstShape[1]),
				       ANPU_CTL(0, detail::bits_type<T>, rows ? ANPU_BRC_ROWS : ANPU_BRC_COLS));
	}
}

template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
ASCENDC_FN void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
			  const uint32_t srcShape[dim], LocalTensor<uint8_t> &)
{
	Broadcast<T, dim, axis>(dst, src, dstShape, srcShape);
}

template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
ASCENDC_FN void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
			  const uint32_t srcShape[dim], LocalTensor<uint8_t> &)
{
	Broadcast<T, dim, axis>(dst, src, dstShape, srcShape);
}

template <class T, int32_t dim, int32_t axis, bool isReuseSource = false>
ASCENDC_FN void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
			  const uint32_t srcShape[dim])
{
	Broadcast<T, dim, axis>(dst, src, dstShape, srcShape);
}

namespace detail {

/* One row of SoftMax; sum and max each fill a block of 32 bytes */
template <class T>
ASCENDC_FN void soft_max_row(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
			     const LocalTensor<T> &src, uint32_t n)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);
	int32_t count = int32_t(n);

	reduce_all(max, src, ANPU_RED_MAX, false, count);
	settle();
	T most = max.GetValue(0);
	settle();
	Duplicate(max, most, int32_t(block));
	Adds(dst, src, -most, count);
	un(dst, dst, n, ANPU_UN_EXP);
	reduce_all(sum, dst, ANPU_RED_SUM, false, count);
	settle();
	T all = sum.GetValue(0);
	settle();
	Duplicate(sum, all, int32_t(block));
	anpu_tile_VBINS(dst.address, dst.address, scalar_bits(all), ANPU_CTL(n, type_of<T>, ANPU_BIN_DIV));
}

} // namespace detail

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
			const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
			const SoftMaxShapeInfo &info = {})
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);
	uint32_t rows = info.srcM ? info.srcM : tiling.srcM, cols = info.srcK ? info.srcK : tiling.srcK;
	uint32_t n = info.oriSrcK ? info.oriSrcK : cols;

	static_assert(!isDataFormatNZ, "AscendC::SoftMax of NZ data is not supported here: use ND");
	for (uint32_t row = 0; row < rows; row++)
		detail::soft_max_row(dst[row * cols], sum[row * block], max[row * block], src[row * cols], n);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
			const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, sum, max, src, LocalTensor<uint8_t>(), tiling, info);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
			const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	uint32_t rows = info.srcM ? info.srcM : tiling.srcM, cols = info.srcK ? info.srcK : tiling.srcK;
	uint32_t n = info.oriSrcK ? info.oriSrcK : cols;
	LocalTensor<T> pair = detail::scratch<T>(2 * ONE_BLK_SIZE / sizeof(T));

	for (uint32_t row = 0; row < rows; row++)
		detail::soft_max_row(dst[row * cols], pair, pair[ONE_BLK_SIZE / sizeof(T)], src[row * cols], n);
}

} // namespace AscendC

#endif
