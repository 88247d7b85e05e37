/* SPDX-License-Identifier: MIT */
/*
 * SoftMax, whole or in parts: SoftmaxFlash, SoftmaxFlashV2 and SoftmaxFlashV3 go on with the maxima and sums of the columns before, SimpleSoftMax
 * takes known ones, SoftmaxGrad is the derivative. Rows are computed in fp32 for all types.
 */
#ifndef ASCENDC_ADV_SOFTMAX_H
#define ASCENDC_ADV_SOFTMAX_H

#include "rows.h"

namespace AscendC {

struct SoftMaxShapeInfo {
	uint32_t srcM = 0;
	uint32_t srcK = 0;
	uint32_t oriSrcM = 0;
	uint32_t oriSrcK = 0;
};

enum class SoftmaxMode : uint8_t { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

/** struct SoftmaxConfig - a shape that is known when compiling (0: it is not), and how maxima and sums are written */
struct SoftmaxConfig {
	bool isCheckTiling = true;
	uint32_t oriSrcM = 0;
	uint32_t oriSrcK = 0;
	SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {};

namespace detail {

/**
 * struct Rows - of a matrix on which SoftMax works
 * @rows: their number
 * @pitch: elements from one to the next (ND)
 * @cols: elements that count
 * @nz: columns of 16 elements follow each other, each as high as the matrix
 */
struct Rows {
	uint32_t rows, pitch, cols;
	bool nz;
};

/* SoftMaxTiling and LogSoftMaxTiling */
template <class Tiling>
ASCENDC_FN Rows softmax_rows(const Tiling &tiling, const SoftMaxShapeInfo &info, const SoftmaxConfig &config, bool nz = false)
{
	Rows r;

	r.rows = info.srcM ? info.srcM : tiling.srcM;
	r.pitch = info.srcK ? info.srcK : tiling.srcK;
	r.cols = config.oriSrcK ? config.oriSrcK : info.oriSrcK ? info.oriSrcK : r.pitch;
	r.nz = nz;
	return r;
}

/* A value per row: one element, or a block of 32 bytes full of it */
template <class T, bool one> ASCENDC_FN void put_row(const LocalTensor<T> &to, uint32_t row, float value)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);

	if constexpr (one)
		to.SetValue(row, T(value));
	else
		for (uint32_t i = 0; i < block; i++)
			to.SetValue(row * block + i, T(value));
}

template <class T, bool one> ASCENDC_FN float get_row(const LocalTensor<T> &from, uint32_t row)
{
	return float(from.GetValue(one ? row : row * (ONE_BLK_SIZE / sizeof(T))));
}

/**
 * struct RowWork - working memory for one row in fp32
 * @row: the row; for float it may lie where the result goes
 * @one: a block for results of reductions
 * @raw: a row of NZ as it is in the matrix
 */
struct RowWork {
	LocalTensor<float> row;
	LocalTensor<float> one;
	LocalTensor<float> raw;
};

constexpr uint32_t nz_cols = 16;

/* Elements of a row in working memory, which begins at a multiple of 32 bytes; NZ moves whole columns of 16 */
ASCENDC_FN uint32_t row_room(const Rows &r)
{
	uint32_t unit = r.nz ? nz_cols : ONE_BLK_SIZE / sizeof(float);

	return (r.cols + unit - 1) / unit * unit;
}

template <class T> ASCENDC_FN RowWork row_work(const LocalTensor<uint8_t> &given, const Rows &r, uint32_t rows_needed = 1)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(float);
	uint32_t room = row_room(r), own = std::is_same_v<T, float> && !r.nz && rows_needed == 1 ? 0 : rows_needed;
	LocalTensor<float> all = scratch<float>(given, (own + r.nz) * room + block);

	return {all[block], all, all[block + own * room]};
}

ASCENDC_FN float reduce_row(const RowWork &w, const LocalTensor<float> &row, uint32_t cols, uint32_t op)
{
	reduce_all(w.one, row, op, false, int32_t(cols));
	settle();
	float value = w.one.GetValue(0);
	settle();
	return value;
}

/* e to the @value, as exact as the vector unit has it */
ASCENDC_FN float exp_one(const RowWork &w, float value)
{
	Duplicate(w.one, value, ONE_BLK_SIZE / sizeof(float));
	un(w.one, w.one, ONE_BLK_SIZE / sizeof(float), ANPU_UN_EXP);
	settle();
	float result = w.one.GetValue(0);
	settle();
	return result;
}

template <class T> ASCENDC_FN void to_f32(const LocalTensor<float> &to, const LocalTensor<T> &from, uint32_t cols)
{
	if constexpr (std::is_same_v<T, float>)
		un(to, from, cols, ANPU_UN_COPY);
	else
		Cast(to, from, RoundMode::CAST_NONE, cols);
}

template <class T> ASCENDC_FN void from_f32(const LocalTensor<T> &to, const LocalTensor<float> &from, uint32_t cols)
{
	if constexpr (std::is_same_v<T, float>)
		un(to, from, cols, ANPU_UN_COPY);
	else
		Cast(to, from, RoundMode::CAST_RINT, cols);
}

/* Columns of a row between a matrix of NZ and working memory, where they follow each other */
template <class T> ASCENDC_FN void gather_row(const LocalTensor<T> &to, const LocalTensor<T> &matrix, uint32_t i, const Rows &r)
{
	constexpr uint32_t blocks = nz_cols * sizeof(T) / ONE_BLK_SIZE;

	settle();
	anpu_tile_DMA_BURST(to.address, matrix[i * nz_cols].address,
			    ANPU_BURSTS(row_room(r) / nz_cols, blocks, (r.rows - 1) * blocks, 0), 0);
	settle();
}

template <class T> ASCENDC_FN void scatter_row(const LocalTensor<T> &matrix, const LocalTensor<T> &from, uint32_t i, const Rows &r)
{
	constexpr uint32_t blocks = nz_cols * sizeof(T) / ONE_BLK_SIZE;

	settle();
	anpu_tile_DMA_BURST(matrix[i * nz_cols].address, from.address,
			    ANPU_BURSTS(row_room(r) / nz_cols, blocks, 0, (r.rows - 1) * blocks), 0);
	settle();
}

/* Row @i of a matrix in fp32 to @to */
template <class T>
ASCENDC_FN void take_row(const LocalTensor<float> &to, const RowWork &w, const LocalTensor<T> &matrix, uint32_t i, const Rows &r)
{
	if (!r.nz) {
		to_f32(to, matrix[i * r.pitch], r.cols);
		return;
	}
	LocalTensor<T> raw = w.raw.ReinterpretCast<T>();

	gather_row(raw, matrix, i, r);
	to_f32(to, raw, r.cols);
}

/* Where row @i is computed: where its result goes, if that is fp32 */
template <class T> ASCENDC_FN LocalTensor<float> row_place(const RowWork &w, const LocalTensor<T> &dst, uint32_t i, const Rows &r)
{
	if constexpr (std::is_same_v<T, float>)
		return r.nz ? w.row : dst[i * r.pitch];
	else
		return w.row;
}

/* A row that has been computed at row_place() */
template <class T>
ASCENDC_FN void put_result(const LocalTensor<T> &dst, const RowWork &w, const LocalTensor<float> &row, uint32_t i, const Rows &r)
{
	settle();
	if (r.nz) {
		LocalTensor<T> raw = w.raw.ReinterpretCast<T>();

		from_f32(raw, row, r.cols);
		scatter_row(dst, raw, i, r);
	} else if constexpr (!std::is_same_v<T, float>) {
		from_f32(dst[i * r.pitch], row, r.cols);
	}
}

/* row = exp(row - @most); their sum */
ASCENDC_FN float exp_row(const RowWork &w, const LocalTensor<float> &row, float most, uint32_t cols)
{
	Adds(row, row, -most, int32_t(cols));
	un(row, row, cols, ANPU_UN_EXP);
	return reduce_row(w, row, cols, ANPU_RED_SUM);
}

ASCENDC_FN void divide_row(const LocalTensor<float> &row, float by, uint32_t cols)
{
	anpu_tile_VBINS(row.address, row.address, scalar_bits(by), ANPU_CTL(cols, ANPU_TYPE_F32, ANPU_BIN_DIV));
}

/* Rows with the maxima and sums so far; @whole: results are divided by the sums, as SoftmaxFlash does */
template <bool update, bool whole, bool one, class T, class S, class E>
ASCENDC_FN void flash(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
		      const LocalTensor<T> &src, const LocalTensor<E> &expMax, const LocalTensor<S> &inSum,
		      const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &given, const Rows &r)
{
	RowWork w = row_work<T>(given, r);

	settle();
	for (uint32_t i = 0; i < r.rows; i++) {
		LocalTensor<float> row = row_place(w, dst, i, r);
		float factor = 0, total = 0;

		take_row(row, w, src, i, r);
		float most = reduce_row(w, row, r.cols, ANPU_RED_MAX);
		if constexpr (update) {
			float before = get_row<S, one>(inMax, i);

			total = get_row<S, one>(inSum, i);
			most = before > most ? before : most;
			factor = exp_one(w, before - most);
		}
		float added = exp_row(w, row, most, r.cols);
		total = update ? factor * total + added : added;
		if constexpr (update && whole)
			factor = factor * get_row<S, one>(inSum, i) / total;
		put_row<S, one>(max, i, most);
		put_row<S, one>(sum, i, total);
		if constexpr (update)
			put_row<E, one>(expMax, i, factor);
		if constexpr (whole)
			divide_row(row, total, r.cols);
		put_result(dst, w, row, i, r);
		settle();
	}
}

} // namespace detail

/** SoftMax() - of each row; its maximum and sum each fill a block of 32 bytes, or are one element */
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
			const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
			const SoftMaxShapeInfo &info = {})
{
	detail::flash<false, true, config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC>(
		dst, sum, max, src, dst, sum, max, sharedTmpBuffer, detail::softmax_rows(tiling, info, config, isDataFormatNZ));
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
			const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dst, sum, max, src, LocalTensor<uint8_t>(), tiling, info);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
			const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	detail::Rows r = detail::softmax_rows(tiling, info, config);
	detail::RowWork w = detail::row_work<T>(sharedTmpBuffer, r);

	for (uint32_t i = 0; i < r.rows; i++) {
		LocalTensor<float> row = detail::row_place(w, dst, i, r);

		detail::take_row(row, w, src, i, r);
		float most = detail::reduce_row(w, row, r.cols, ANPU_RED_MAX);
		detail::divide_row(row, detail::exp_row(w, row, most, r.cols), r.cols);
		detail::put_result(dst, w, row, i, r);
	}
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
ASCENDC_FN void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SoftMaxTiling &tiling,
			const SoftMaxShapeInfo &info = {})
{
	SoftMax<T, isReuseSource, isBasicBlock, config>(dst, src, LocalTensor<uint8_t>(), tiling, info);
}

/** SoftmaxFlashV2() - exp(src - max), row by row, with max and sum of these and all columns before */
template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S, class E>
ASCENDC_FN void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &expSum, const LocalTensor<S> &max,
			       const LocalTensor<T> &src, const LocalTensor<E> &expMax, const LocalTensor<S> &inExpSum,
			       const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &sharedTmpBuffer,
			       const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	detail::flash<isUpdate, false, config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC>(
		dst, expSum, max, src, expMax, inExpSum, inMax, sharedTmpBuffer,
		detail::softmax_rows(tiling, info, config, isDataFormatNZ));
}

template <class T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S, class E>
ASCENDC_FN void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<S> &expSum, const LocalTensor<S> &max,
			       const LocalTensor<T> &src, const LocalTensor<E> &expMax, const LocalTensor<S> &inExpSum,
			       const LocalTensor<S> &inMax, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
		dst, expSum, max, src, expMax, inExpSum, inMax, LocalTensor<uint8_t>(), tiling, info);
}

/** SoftmaxFlash() - SoftMax of these columns among all so far; expMax is what results of the columns before are multiplied with */
template <class T, bool isReuseSource = false, bool isBasicBlock = false, class S, class E>
ASCENDC_FN void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
			     const LocalTensor<T> &src, const LocalTensor<E> &expMax, const LocalTensor<S> &inSum,
			     const LocalTensor<S> &inMax, const LocalTensor<uint8_t> &sharedTmpBuffer,
			     const SoftMaxTiling &tiling, bool isUpdate = false, const SoftMaxShapeInfo &info = {})
{
	detail::Rows rows = detail::softmax_rows(tiling, info, SOFTMAX_DEFAULT_CFG);

	if (isUpdate)
		detail::flash<true, true, false>(dst, sum, max, src, expMax, inSum, inMax, sharedTmpBuffer, rows);
	else
		detail::flash<false, true, false>(dst, sum, max, src, expMax, inSum, inMax, sharedTmpBuffer, rows);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, class S, class E>
ASCENDC_FN void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<S> &sum, const LocalTensor<S> &max,
			     const LocalTensor<T> &src, const LocalTensor<E> &expMax, const LocalTensor<S> &inSum,
			     const LocalTensor<S> &inMax, const SoftMaxTiling &tiling, bool isUpdate = false,
			     const SoftMaxShapeInfo &info = {})
{
	SoftmaxFlash<T>(dst, sum, max, src, expMax, inSum, inMax, LocalTensor<uint8_t>(), tiling, isUpdate, info);
}

/** SimpleSoftMax() - exp(src - max) / sum with maxima and sums that are known */
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S>
ASCENDC_FN void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &inSum, const LocalTensor<S> &inMax,
			      const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
			      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	constexpr bool one = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
	detail::Rows r = detail::softmax_rows(tiling, info, config, isDataFormatNZ);
	detail::RowWork w = detail::row_work<T>(sharedTmpBuffer, r);

	for (uint32_t i = 0; i < r.rows; i++) {
		LocalTensor<float> row = detail::row_place(w, dst, i, r);

		detail::settle();
		detail::take_row(row, w, src, i, r);
		Adds(row, row, -detail::get_row<S, one>(inMax, i), int32_t(r.cols));
		detail::un(row, row, r.cols, ANPU_UN_EXP);
		detail::divide_row(row, detail::get_row<S, one>(inSum, i), r.cols);
		detail::put_result(dst, w, row, i, r);
	}
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, class S>
ASCENDC_FN void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<S> &inSum, const LocalTensor<S> &inMax,
			      const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	SimpleSoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dst, inSum, inMax, src, LocalTensor<uint8_t>(), tiling,
									       info);
}

/** LogSoftMax() - the decimal logarithm of SoftMax, as its documents have it */
template <class T, bool isReuseSource = false, bool isDataFormatNZ = false>
ASCENDC_FN void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max, const LocalTensor<T> &src,
			   const LocalTensor<uint8_t> &sharedTmpBuffer, const LogSoftMaxTiling &tiling,
			   const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
	detail::Rows r = detail::softmax_rows(tiling, softmaxShapeInfo, SOFTMAX_DEFAULT_CFG, isDataFormatNZ);
	detail::RowWork w = detail::row_work<T>(sharedTmpBuffer, r);

	detail::settle();
	for (uint32_t i = 0; i < r.rows; i++) {
		LocalTensor<float> row = detail::row_place(w, dst, i, r);

		detail::take_row(row, w, src, i, r);
		float most = detail::reduce_row(w, row, r.cols, ANPU_RED_MAX), total = detail::exp_row(w, row, most, r.cols);
		detail::divide_row(row, total, r.cols);
		detail::un(row, row, r.cols, ANPU_UN_LN);
		Muls(row, row, 0.434294482f, int32_t(r.cols));
		detail::put_row<T, false>(max, i, most);
		detail::put_row<T, false>(sum, i, total);
		detail::put_result(dst, w, row, i, r);
	}
	detail::settle();
}

/**
 * struct SoftMaxParams - of SoftmaxFlashV3()
 * @loopCnt: number of this update, from 1 on
 * @splitMeanCnt: parts of a row that have means of their own
 * @alpha: differences of means count alpha / (1 - alpha) times
 */
struct SoftMaxParams {
	uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0, loopCnt = 1, splitMeanCnt = 8;
	float alpha = 0.9375f;
};

namespace detail {

/* Parts of a row lose what the row's mean has above theirs, times @scale; the row's mean */
ASCENDC_FN float shift_parts(const RowWork &w, uint32_t parts, uint32_t length, float scale)
{
	float mean = reduce_row(w, w.row, parts * length, ANPU_RED_SUM) / float(parts * length);

	for (uint32_t i = 0; i < parts; i++) {
		LocalTensor<float> part = w.row[i * length];
		float own = reduce_row(w, part, length, ANPU_RED_SUM) / float(length);

		Adds(part, part, (own - mean) * scale, int32_t(length));
	}
	return mean;
}

} // namespace detail

/** SoftmaxFlashV3() - SoftmaxFlashV2() of rows whose parts are shifted by means; means, maxima and sums of all columns so far */
template <class T, class U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
ASCENDC_FN void SoftmaxFlashV3(const LocalTensor<T> &dst, const LocalTensor<U> &mean, const LocalTensor<U> &expSum,
			       const LocalTensor<U> &max, const LocalTensor<T> &src, const LocalTensor<T> &expMax,
			       const LocalTensor<U> &inMean, const LocalTensor<U> &inExpSum, const LocalTensor<U> &inMax,
			       const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling, const SoftMaxParams &params)
{
	static_assert(!isDataFormatNZ, "AscendC::SoftmaxFlashV3 is for ND");
	detail::Rows r = {params.srcM ? params.srcM : tiling.srcM, params.srcK ? params.srcK : tiling.srcK, 0, false};
	const float scale = params.alpha / (1 - params.alpha), count = float(params.loopCnt);

	r.cols = r.pitch;
	if (!params.splitMeanCnt || r.cols % (params.splitMeanCnt * 8))
		anpu_trap("SoftmaxFlashV3: srcK is a multiple of 8 * splitMeanCnt");
	/* two rows, so that a row of float is not computed where its result goes */
	detail::RowWork w = detail::row_work<T>(sharedTmpBuffer, r, 2);

	for (uint32_t i = 0; i < r.rows; i++) {
		detail::settle();
		detail::take_row(w.row, w, src, i, r);
		float own = detail::shift_parts(w, params.splitMeanCnt, r.cols / params.splitMeanCnt, scale), all = own, shift = 0, total = 0;
		float most = detail::reduce_row(w, w.row, r.cols, ANPU_RED_MAX);

		if constexpr (isUpdate) {
			float before = detail::get_row<U, false>(inMean, i), old = detail::get_row<U, false>(inMax, i);

			all = (own + before * (count - 1)) / count;
			shift = (own - all) * scale;
			most += shift;
			old += (before - all) * scale;
			most = old > most ? old : most;
			float factor = detail::exp_one(w, old - most);
			total = factor * detail::get_row<U, false>(inExpSum, i);
			detail::put_row<T, false>(expMax, i, factor);
		}
		total += detail::exp_row(w, w.row, most - shift, r.cols);
		detail::put_row<U, false>(mean, i, all);
		detail::put_row<U, false>(max, i, most);
		detail::put_row<U, false>(expSum, i, total);
		detail::from_f32(dst[i * r.pitch], w.row, r.cols);
	}
	detail::settle();
}

template <class T, class U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
ASCENDC_FN void SoftmaxFlashV3(const LocalTensor<T> &dst, const LocalTensor<U> &mean, const LocalTensor<U> &expSum,
			       const LocalTensor<U> &max, const LocalTensor<T> &src, const LocalTensor<T> &expMax,
			       const LocalTensor<U> &inMean, const LocalTensor<U> &inExpSum, const LocalTensor<U> &inMax,
			       const SoftMaxTiling &tiling, const SoftMaxParams &params)
{
	SoftmaxFlashV3<T, U, isUpdate>(dst, mean, expSum, max, src, expMax, inMean, inExpSum, inMax, LocalTensor<uint8_t>(), tiling, params);
}

namespace detail {

/* A row that has been computed in working memory */
template <class T> ASCENDC_FN void put_row_of(const LocalTensor<T> &dst, const RowWork &w, uint32_t i, const Rows &r)
{
	if (r.nz)
		put_result(dst, w, w.row, i, r);
	else
		from_f32(dst[i * r.pitch], w.row, r.cols);
}

/* front: the sum of grad * src of each row as a block; else (grad - that sum) * src */
template <class T>
ASCENDC_FN void softmax_grad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			     const LocalTensor<uint8_t> &given, const Rows &r, bool front)
{
	RowWork w = row_work<T>(given, r, 2);
	LocalTensor<float> x = w.row[row_room(r)];
	int32_t n = int32_t(r.cols);

	for (uint32_t i = 0; i < r.rows; i++) {
		settle();
		take_row(w.row, w, grad, i, r);
		take_row(x, w, src, i, r);
		Mul(w.row, w.row, x, n);
		float sum = reduce_row(w, w.row, r.cols, ANPU_RED_SUM);
		if (front) {
			put_row<T, false>(dst, i, sum);
			continue;
		}
		Muls(x, x, sum, n);
		Sub(w.row, w.row, x, n);
		put_row_of(dst, w, i, r);
	}
	settle();
}

} // namespace detail

/** SoftmaxGrad() - grad * src - src * sum(grad * src); isFront: the sums alone, a block for each row */
template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			    const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling, bool isFront = false,
			    const SoftMaxShapeInfo &info = {})
{
	detail::softmax_grad(dst, grad, src, sharedTmpBuffer, detail::softmax_rows(tiling, info, SOFTMAX_DEFAULT_CFG, isDataFormatNZ),
			     isFront);
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			    const SoftMaxTiling &tiling, bool isFront = false, const SoftMaxShapeInfo &info = {})
{
	SoftmaxGrad<T, isReuseSource, isBasicBlock, isDataFormatNZ>(dst, grad, src, LocalTensor<uint8_t>(), tiling, isFront,
								     info);
}

template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
				 const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
				 const SoftMaxShapeInfo &info = {})
{
	SoftmaxGrad<T, false, isBasicBlock, isDataFormatNZ>(dst, grad, src, sharedTmpBuffer, tiling, true, info);
}

template <class T, bool isBasicBlock = false, bool isDataFormatNZ = false>
ASCENDC_FN void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
				 const SoftMaxTiling &tiling, const SoftMaxShapeInfo &info = {})
{
	SoftmaxGrad<T, false, isBasicBlock, isDataFormatNZ>(dst, grad, src, tiling, true, info);
}

/** AdjustSoftMaxRes() - rows whose maximum has the bits @from become @to; whether there were any */
template <class T1, class T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
ASCENDC_FN bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor, const uint32_t from,
				 const T1 to, const SoftMaxShapeInfo &info)
{
	constexpr uint32_t cols = detail::nz_cols;
	bool any = false;

	detail::settle();
	for (uint32_t i = 0; i < info.srcM; i++) {
		T2 most = maxTensor.GetValue(stepSizeMode ? i * stepSizeMode : i * (ONE_BLK_SIZE / sizeof(T2)));

		if (uint32_t(detail::scalar_bits(most)) != from)
			continue;
		if constexpr (isDataFormatNZ)
			for (uint32_t j = 0; j * cols < info.srcK; j++)
				Duplicate(softMaxRes[(j * info.srcM + i) * cols], to, int32_t(cols));
		else
			Duplicate(softMaxRes[i * info.srcK], to, int32_t(info.srcK));
		any = true;
	}
	detail::settle();
	return any;
}

/* Tilings for a shape that is known only in the kernel: SoftMax takes the rows one by one and needs their sizes alone. */
ASCENDC_FN constexpr SoftMaxTiling SoftMaxTilingFunc(const SoftMaxShapeInfo &info, const uint32_t dataTypeSize,
						     const uint32_t localWorkSpaceSize, const bool = false,
						     const bool = false)
{
	SoftMaxTiling t = {};

	t.srcM = info.srcM;
	t.srcK = info.srcK;
	t.srcSize = info.srcM * info.srcK;
	t.outMaxM = info.srcM;
	t.outMaxK = ONE_BLK_SIZE / dataTypeSize;
	t.outMaxSize = t.outMaxM * t.outMaxK;
	t.splitM = localWorkSpaceSize ? 1 : 0;
	t.splitK = info.srcK;
	t.splitSize = info.srcK;
	t.reduceM = 1;
	t.reduceK = t.outMaxK;
	t.reduceSize = t.outMaxK;
	t.rangeM = info.srcM;
	return t;
}

ASCENDC_FN constexpr SoftMaxTiling SoftMaxFlashTilingFunc(const SoftMaxShapeInfo &info, const uint32_t dataTypeSize,
							  const uint32_t localWorkSpaceSize, const bool isUpdate = false)
{
	return SoftMaxTilingFunc(info, dataTypeSize, localWorkSpaceSize, isUpdate);
}

ASCENDC_FN constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo &info, const uint32_t dataTypeSize1,
							    const uint32_t, const uint32_t localWorkSpaceSize,
							    const bool isUpdate = false, const bool isBasicBlock = false,
							    const bool = false, const bool = false)
{
	return SoftMaxTilingFunc(info, dataTypeSize1, localWorkSpaceSize, isUpdate, isBasicBlock);
}

ASCENDC_FN constexpr SoftMaxTiling SoftMaxGradTilingFunc(const SoftMaxShapeInfo &info, const uint32_t dataTypeSize,
							 const uint32_t localWorkSpaceSize, const bool isFront = false,
							 const bool = false)
{
	return SoftMaxTilingFunc(info, dataTypeSize, localWorkSpaceSize, isFront);
}

/* The same into a structure, with the working memory in words of 32 bits; true: there is enough */
#define ASCENDC_SOFTMAX_TILING(name) \
	template <class... More> \
	ASCENDC_FN bool name(const uint32_t workLocalSize, const SoftMaxShapeInfo &info, SoftMaxTiling &tiling, const uint32_t dataTypeSize, More...) \
	{ \
		tiling = SoftMaxTilingFunc(info, dataTypeSize, workLocalSize * 4); \
		return true; \
	}
ASCENDC_SOFTMAX_TILING(SoftMaxTilingFunc)
ASCENDC_SOFTMAX_TILING(SoftMaxFlashTilingFunc)
ASCENDC_SOFTMAX_TILING(SoftMaxFlashV2TilingFunc)
ASCENDC_SOFTMAX_TILING(SoftMaxGradTilingFunc)
#undef ASCENDC_SOFTMAX_TILING

} // namespace AscendC

#endif
