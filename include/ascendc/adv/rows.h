/* SPDX-License-Identifier: MIT */
/* The high-level API on rows: sums, means, running sums, broadcasts. */
#ifndef ASCENDC_ADV_ROWS_H
#define ASCENDC_ADV_ROWS_H

#include "../kernel_tiling/kernel_tiling.h"
#include "math.h"
#include "norm.h"

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

/** Mean() - of each row, computed in fp32 for all types, whose sum half may not have */
template <class T, class A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
ASCENDC_FN void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
		     const MeanParams &p)
{
	detail::NormWork work = detail::norm_work<std::is_same_v<T, float> ? 0 : 1>(tmp, p.n);

	for (uint32_t row = 0; row < p.outter; row++) {
		detail::Row x = detail::as_float(work.rows[0], src[row * p.inner], p.n);

		detail::put(dst, row, detail::row_sum(work.one, x, p.n) / float(p.n));
	}
	detail::settle();
}

template <class T, class A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1>
ASCENDC_FN void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src, const MeanParams &p)
{
	Mean<T>(dst, src, LocalTensor<uint8_t>(), p);
}

namespace detail {

/* Sums down the rows, kept in fp32 so that half and bfloat16_t are rounded once for each result */
template <class T>
ASCENDC_FN void sum_down(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, const CumSumInfo &info)
{
	uint32_t n = info.inner;

	if constexpr (std::is_same_v<T, float>) {
		if (dst.address != src.address)
			row_scalar(dst, src, 1.0f, n, ANPU_BIN_MUL);
		for (uint32_t row = 1; row < info.outter; row++)
			row_bin(dst[row * n], dst[(row - 1) * n], src[row * n], n, ANPU_BIN_ADD);
	} else {
		NormWork work = norm_work<2>(tmp, n);

		row_fill(work.rows[0], 0.0f, n);
		for (uint32_t row = 0; row < info.outter; row++) {
			to_float(work.rows[1], src[row * n], n);
			row_bin(work.rows[0], work.rows[0], work.rows[1], n, ANPU_BIN_ADD);
			from_float(dst[row * n], work.rows[0], n);
		}
	}
}

} // namespace detail

/** CumSum() - running sums along the last axis (on the scalar unit) or down the rows */
template <class T, const CumSumConfig &config = defaultCumSumConfig>
ASCENDC_FN void CumSum(const LocalTensor<T> &dst, const LocalTensor<T> &lastRow, const LocalTensor<T> &src,
		       const LocalTensor<uint8_t> &tmp, const CumSumInfo &info)
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
		detail::sum_down(dst, src, tmp, info);
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

} // namespace AscendC

#endif
