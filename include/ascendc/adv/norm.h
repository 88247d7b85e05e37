/* SPDX-License-Identifier: MIT */
/* Normalisations of the high-level API and their gradients, computed in fp32 row by row. */
#ifndef ASCENDC_ADV_NORM_H
#define ASCENDC_ADV_NORM_H

#include "../kernel_tiling/norm.h"
#include "pieces.h"

namespace AscendC {

/** struct LayerNormPara - @aLength rows of @rLength elements, @rLengthWithPadding apart */
struct LayerNormPara {
	uint32_t aLength, rLength, rLengthWithPadding;
};

using NormalizePara = LayerNormPara;

struct LayerNormConfig {
	bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false};
constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false};
constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false};

enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

struct NormalizeConfig {
	ReducePattern reducePattern = ReducePattern::AR;
	int32_t aLength = -1;
	bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};

struct LayerNormGradShapeInfo {
	DataFormat dataFormat = DataFormat::ND;
};

struct WelfordUpdateParam {
	uint32_t rnLength, abLength, abComputeLength;
	float nRec;
};

struct WelfordUpdateConfig {
	bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
	uint32_t rnLength, abLength, headCount, headCountLength, tailCount, tailCountLength;
	float abRec, rRec;
};

namespace detail {

/* Working memory of rows: rows of @step fp32, and room for one sum behind them */
struct NormWork {
	Work rows;
	Row one;
};

template <uint32_t rows> ASCENDC_FN NormWork norm_work(const LocalTensor<uint8_t> &given, uint32_t length)
{
	uint32_t step = (length + 7) / 8 * 8;
	Row area = scratch<float>(given, rows * step + 8);

	return {{area, step}, area[rows * step]};
}

/* The sum of a row; the scalar unit has waited for it */
ASCENDC_FN float row_sum(const Row &one, const Row &row, uint32_t n)
{
	reduce_all(one, row, ANPU_RED_SUM, false, int32_t(n));
	settle();
	float sum = one.GetValue(0);
	settle();
	return sum;
}

/* x in fp32: itself, or in a row of work */
template <class T> ASCENDC_FN Row as_float(const Row &work, const LocalTensor<T> &x, uint32_t n)
{
	if constexpr (std::is_same_v<T, float>) {
		return x;
	} else {
		to_float(work, x, n);
		return work;
	}
}

template <class T> ASCENDC_FN void as_type(const LocalTensor<T> &dst, const Row &x, uint32_t n)
{
	if constexpr (!std::is_same_v<T, float>)
		from_float(dst, x, n);
}

/* Where a row of results in fp32 is computed */
template <class T> ASCENDC_FN Row float_place(const Row &work, const LocalTensor<T> &dst)
{
	if constexpr (std::is_same_v<T, float>)
		return dst;
	else
		return work;
}

struct Moments {
	float mean, variance;
};

/* out = (x - mean) / sqrt(variance + epsilon), in fp32 at row 0 of work or in out itself; row 1 is overwritten */
template <class T>
ASCENDC_FN Moments norm_row(const LocalTensor<T> &out, const LocalTensor<T> &x, float epsilon, uint32_t n, const NormWork &work)
{
	Row in = as_float(work.rows[0], x, n), o = float_place(work.rows[0], out);
	float mean = row_sum(work.one, in, n) / float(n);

	row_scalar(o, in, -mean, n, ANPU_BIN_ADD);
	row_bin(work.rows[1], o, o, n, ANPU_BIN_MUL);
	float variance = row_sum(work.one, work.rows[1], n) / float(n);

	row_scalar(o, o, 1.0f / __builtin_sqrtf(variance + epsilon), n, ANPU_BIN_MUL);
	return {mean, variance};
}

/* And the rest: times gamma, plus beta, rounded to the type */
template <class T, class G>
ASCENDC_FN void scale_row(const LocalTensor<T> &out, const LocalTensor<G> *gamma, const LocalTensor<G> *beta, uint32_t n,
			  const NormWork &work)
{
	Row o = float_place(work.rows[0], out);

	if (gamma)
		row_bin(o, o, as_float(work.rows[1], *gamma, n), n, ANPU_BIN_MUL);
	if (beta)
		row_bin(o, o, as_float(work.rows[1], *beta, n), n, ANPU_BIN_ADD);
	as_type(out, o, n);
}

/* A number of a tensor on the scalar unit */
template <class T> ASCENDC_FN void put(const LocalTensor<T> &tensor, uint32_t i, float value)
{
	tensor.SetValue(i, T(value));
}

} // namespace detail

/** LayerNorm() - of bLength * sLength rows of hLength; means and variances of the rows */
template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
			  const LocalTensor<uint8_t> &tmp, const T epsilon, LayerNormTiling &tiling)
{
	uint32_t h = tiling.hLength, n = tiling.originalHLength ? tiling.originalHLength : h;
	detail::NormWork work = detail::norm_work<2>(tmp, h);

	for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; row++) {
		LocalTensor<T> out = output[row * h];
		detail::Moments m = detail::norm_row(out, x[row * h], float(epsilon), n, work);

		detail::scale_row(out, &gamma, &beta, n, work);
		detail::put(mean, row, m.mean);
		detail::put(variance, row, m.variance);
	}
	detail::settle();
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
			  const T epsilon, LayerNormTiling &tiling)
{
	LayerNorm<T>(output, mean, variance, x, gamma, beta, LocalTensor<uint8_t>(), epsilon, tiling);
}

/* With 1 / sqrt(variance + epsilon) as a result, and gamma and beta in a type of their own */
template <class U, class T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>
ASCENDC_FN void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &mean, const LocalTensor<float> &rstd,
			  const LocalTensor<T> &x, const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
			  const LocalTensor<uint8_t> &tmp, const LayerNormPara &para, const LayerNormSeparateTiling &)
{
	detail::NormWork work = detail::norm_work<2>(tmp, para.rLengthWithPadding);

	for (uint32_t row = 0; row < para.aLength; row++) {
		LocalTensor<T> out = output[row * para.rLengthWithPadding];
		detail::Moments m = detail::norm_row(out, x[row * para.rLengthWithPadding], epsilon, para.rLength, work);

		detail::scale_row(out, config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta, para.rLength, work);
		if (!config.isOnlyOutput) {
			detail::put(mean, row, m.mean);
			detail::put(rstd, row, 1.0f / __builtin_sqrtf(m.variance + epsilon));
		}
	}
	detail::settle();
}

template <class U, class T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>
ASCENDC_FN void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &mean, const LocalTensor<float> &rstd,
			  const LocalTensor<T> &x, const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
			  const LayerNormPara &para, const LayerNormSeparateTiling &tiling)
{
	LayerNorm<U, T, isReuseSource, config>(output, mean, rstd, x, gamma, beta, epsilon, LocalTensor<uint8_t>(), para, tiling);
}

/** RmsNorm() - x / sqrt(mean of squares + epsilon) * gamma */
template <class T, bool isBasicBlock = false>
ASCENDC_FN void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
			const LocalTensor<uint8_t> &tmp, const T epsilon, const RmsNormTiling &tiling)
{
	uint32_t h = tiling.hLength, n = tiling.originalHLength ? tiling.originalHLength : h;
	detail::NormWork work = detail::norm_work<2>(tmp, h);

	for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; row++) {
		LocalTensor<T> out = dst[row * h];
		detail::Row in = detail::as_float(work.rows[0], src[row * h], n), o = detail::float_place(work.rows[0], out);

		detail::row_bin(work.rows[1], in, in, n, ANPU_BIN_MUL);
		float spread = detail::row_sum(work.one, work.rows[1], n) / float(n);
		detail::row_scalar(o, in, 1.0f / __builtin_sqrtf(spread + float(epsilon)), n, ANPU_BIN_MUL);
		detail::scale_row<T, T>(out, &gamma, nullptr, n, work);
	}
}

template <class T, bool isBasicBlock = false>
ASCENDC_FN void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma,
			const T epsilon, const RmsNormTiling &tiling)
{
	RmsNorm<T>(dst, src, gamma, LocalTensor<uint8_t>(), epsilon, tiling);
}

/** DeepNorm() - LayerNorm() of alpha * src + gx */
template <class T, bool isReuseSrc = false, bool isBasicBlock = false>
ASCENDC_FN void DeepNorm(const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &rstd,
			 const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,
			 const LocalTensor<T> &gamma, const LocalTensor<uint8_t> &tmp, const T alpha, const T epsilon,
			 const DeepNormTiling &tiling)
{
	uint32_t h = tiling.hLength, n = tiling.originalHLength ? tiling.originalHLength : h;
	detail::NormWork work = detail::norm_work<3>(tmp, h);

	for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; row++) {
		detail::Row sum = work.rows[2], in = detail::as_float(work.rows[0], src[row * h], n);

		detail::row_scalar(sum, in, float(alpha), n, ANPU_BIN_MUL);
		detail::row_bin(sum, sum, detail::as_float(work.rows[0], gx[row * h], n), n, ANPU_BIN_ADD);
		detail::Moments m = detail::norm_row(sum, sum, float(epsilon), n, work);
		detail::row_bin(sum, sum, detail::as_float(work.rows[0], gamma, n), n, ANPU_BIN_MUL);
		if constexpr (std::is_same_v<T, float>) {
			detail::row_bin(dst[row * h], sum, beta, n, ANPU_BIN_ADD);
		} else {
			detail::row_bin(sum, sum, detail::as_float(work.rows[0], beta, n), n, ANPU_BIN_ADD);
			detail::from_float(dst[row * h], sum, n);
		}
		detail::put(mean, row, m.mean);
		detail::put(rstd, row, m.variance);
	}
	detail::settle();
}

template <class T, bool isReuseSrc = false, bool isBasicBlock = false>
ASCENDC_FN void DeepNorm(const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &rstd,
			 const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,
			 const LocalTensor<T> &gamma, const T alpha, const T epsilon, const DeepNormTiling &tiling)
{
	DeepNorm<T>(dst, mean, rstd, src, gx, beta, gamma, LocalTensor<uint8_t>(), alpha, epsilon, tiling);
}

/** Normalize() - by means and variances that are known */
template <class U, class T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
ASCENDC_FN void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &rstd, const LocalTensor<float> &mean,
			  const LocalTensor<float> &variance, const LocalTensor<T> &x, const LocalTensor<U> &gamma,
			  const LocalTensor<U> &beta, const LocalTensor<uint8_t> &tmp, const float epsilon,
			  const NormalizePara &para)
{
	uint32_t n = para.rLength;
	detail::NormWork work = detail::norm_work<2>(tmp, para.rLengthWithPadding);

	static_assert(config.reducePattern == ReducePattern::AR, "AscendC::Normalize is built for rows (ReducePattern::AR)");
	detail::settle();
	for (uint32_t row = 0; row < para.aLength; row++) {
		LocalTensor<T> out = output[row * para.rLengthWithPadding];
		float scale = 1.0f / __builtin_sqrtf(variance.GetValue(row) + epsilon);
		detail::Row in = detail::as_float(work.rows[0], x[row * para.rLengthWithPadding], n);
		detail::Row o = detail::float_place(work.rows[0], out);

		detail::row_scalar(o, in, -mean.GetValue(row), n, ANPU_BIN_ADD);
		detail::row_scalar(o, o, scale, n, ANPU_BIN_MUL);
		detail::scale_row(out, config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta, n, work);
		if (!config.isOnlyOutput)
			detail::put(rstd, row, scale);
	}
	detail::settle();
}

template <class U, class T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
ASCENDC_FN void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &rstd, const LocalTensor<float> &mean,
			  const LocalTensor<float> &variance, const LocalTensor<T> &x, const LocalTensor<U> &gamma,
			  const LocalTensor<U> &beta, const float epsilon, const NormalizePara &para)
{
	Normalize<U, T, isReuseSource, config>(output, rstd, mean, variance, x, gamma, beta, LocalTensor<uint8_t>(), epsilon, para);
}

/** LayerNormGrad() - the gradient of x, and (x - mean) * rstd for LayerNormGradBeta() */
template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNormGrad(const LocalTensor<T> &pdX, const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			      const LocalTensor<T> &x, const LocalTensor<T> &variance, const LocalTensor<T> &mean,
			      const LocalTensor<T> &gamma, const LocalTensor<uint8_t> &tmp, T epsilon,
			      LayerNormGradTiling &tiling, const LayerNormGradShapeInfo & = {})
{
	uint32_t h = tiling.hLength, n = tiling.originalHLength ? tiling.originalHLength : h;
	detail::NormWork work = detail::norm_work<4>(tmp, h);
	detail::Row g = work.rows[0], centred = work.rows[1], part = work.rows[2], in = work.rows[3];

	detail::settle();
	for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; row++) {
		float rstd = 1.0f / __builtin_sqrtf(float(variance.GetValue(row)) + float(epsilon));

		detail::row_scalar(g, detail::as_float(in, dy[row * h], n), 1.0f, n, ANPU_BIN_MUL);
		detail::row_bin(g, g, detail::as_float(in, gamma, n), n, ANPU_BIN_MUL);
		detail::row_scalar(centred, detail::as_float(in, x[row * h], n), -float(mean.GetValue(row)), n, ANPU_BIN_ADD);
		detail::row_bin(part, g, centred, n, ANPU_BIN_MUL);
		float pd_var = -0.5f * rstd * rstd * rstd * detail::row_sum(work.one, part, n);
		float pd_mean = -rstd * detail::row_sum(work.one, g, n);

		detail::row_scalar(part, centred, rstd, n, ANPU_BIN_MUL);
		if constexpr (std::is_same_v<T, float>)
			detail::row_scalar(resForGamma[row * h], part, 1.0f, n, ANPU_BIN_MUL);
		else
			detail::from_float(resForGamma[row * h], part, n);
		detail::row_scalar(g, g, rstd, n, ANPU_BIN_MUL);
		detail::row_scalar(centred, centred, 2.0f / float(n) * pd_var, n, ANPU_BIN_MUL);
		detail::row_bin(g, g, centred, n, ANPU_BIN_ADD);
		detail::row_scalar(detail::float_place(g, pdX[row * h]), g, pd_mean / float(n), n, ANPU_BIN_ADD);
		detail::as_type(pdX[row * h], g, n);
	}
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNormGrad(const LocalTensor<T> &pdX, const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			      const LocalTensor<T> &x, const LocalTensor<T> &variance, const LocalTensor<T> &mean,
			      const LocalTensor<T> &gamma, T epsilon, LayerNormGradTiling &tiling,
			      const LayerNormGradShapeInfo &info = {})
{
	LayerNormGrad<T>(pdX, resForGamma, dy, x, variance, mean, gamma, LocalTensor<uint8_t>(), epsilon, tiling, info);
}

/** LayerNormGradBeta() - sums over the rows of dy * resForGamma and of dy */
template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNormGradBeta(const LocalTensor<T> &pdGamma, const LocalTensor<T> &pdBeta,
				  const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
				  const LocalTensor<uint8_t> &tmp, const LayerNormGradBetaTiling &tiling)
{
	uint32_t h = tiling.hLength, n = tiling.originalHLength ? tiling.originalHLength : h;
	detail::NormWork work = detail::norm_work<4>(tmp, h);
	detail::Row g = work.rows[0], b = work.rows[1];

	detail::row_fill(g, 0.0f, n);
	detail::row_fill(b, 0.0f, n);
	for (uint32_t row = 0; row < tiling.bLength * tiling.sLength; row++) {
		detail::Row d = detail::as_float(work.rows[2], dy[row * h], n);

		detail::row_bin(b, b, d, n, ANPU_BIN_ADD);
		detail::row_bin(work.rows[3], d, detail::as_float(work.rows[3], resForGamma[row * h], n), n, ANPU_BIN_MUL);
		detail::row_bin(g, g, work.rows[3], n, ANPU_BIN_ADD);
	}
	if constexpr (std::is_same_v<T, float>) {
		detail::row_scalar(pdGamma, g, 1.0f, n, ANPU_BIN_MUL);
		detail::row_scalar(pdBeta, b, 1.0f, n, ANPU_BIN_MUL);
	} else {
		detail::from_float(pdGamma, g, n);
		detail::from_float(pdBeta, b, n);
	}
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void LayerNormGradBeta(const LocalTensor<T> &pdGamma, const LocalTensor<T> &pdBeta,
				  const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
				  const LayerNormGradBetaTiling &tiling)
{
	LayerNormGradBeta<T>(pdGamma, pdBeta, resForGamma, dy, LocalTensor<uint8_t>(), tiling);
}

/** BatchNorm() - each of S * H places over the B batches; gamma and beta have a number for each batch */
template <class T, bool isReuseSource = false, bool isBasicBlock = false>
ASCENDC_FN void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
			  const LocalTensor<uint8_t> &tmp, const T epsilon, BatchNormTiling &tiling)
{
	uint32_t n = tiling.shCurLength, batches = tiling.originalBLength;
	detail::NormWork work = detail::norm_work<4>(tmp, n);
	detail::Row m = work.rows[0], v = work.rows[1], in = work.rows[2], part = work.rows[3];

	detail::row_fill(m, 0.0f, n);
	for (uint32_t b = 0; b < batches; b++)
		detail::row_bin(m, m, detail::as_float(in, x[b * n], n), n, ANPU_BIN_ADD);
	detail::row_scalar(m, m, float(batches), n, ANPU_BIN_DIV);
	detail::row_fill(v, 0.0f, n);
	for (uint32_t b = 0; b < batches; b++) {
		detail::row_bin(part, detail::as_float(in, x[b * n], n), m, n, ANPU_BIN_SUB);
		detail::row_bin(part, part, part, n, ANPU_BIN_MUL);
		detail::row_bin(v, v, part, n, ANPU_BIN_ADD);
	}
	detail::row_scalar(v, v, float(batches), n, ANPU_BIN_DIV);
	detail::row_scalar(detail::float_place(part, mean), m, 1.0f, n, ANPU_BIN_MUL);
	detail::as_type(mean, part, n);
	detail::row_scalar(detail::float_place(part, variance), v, 1.0f, n, ANPU_BIN_MUL);
	detail::as_type(variance, part, n);
	detail::row_scalar(v, v, float(epsilon), n, ANPU_BIN_ADD);
	detail::row_un(v, v, n, ANPU_UN_SQRT);
	detail::settle();
	for (uint32_t b = 0; b < batches; b++) {
		LocalTensor<T> out = output[b * n];
		detail::Row o = detail::float_place(part, out);

		detail::row_bin(o, detail::as_float(in, x[b * n], n), m, n, ANPU_BIN_SUB);
		detail::row_bin(o, o, v, n, ANPU_BIN_DIV);
		detail::row_scalar(o, o, float(gamma.GetValue(b)), n, ANPU_BIN_MUL);
		detail::row_scalar(o, o, float(beta.GetValue(b)), n, ANPU_BIN_ADD);
		detail::as_type(out, o, n);
	}
}

template <class T, bool isReuseSource = false, bool isBasicBlock = false>
ASCENDC_FN void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
			  const T epsilon, BatchNormTiling &tiling)
{
	BatchNorm<T>(output, mean, variance, x, gamma, beta, LocalTensor<uint8_t>(), epsilon, tiling);
}

/** GroupNorm() - of n pictures of g groups of d channels of hw points; gamma and beta have a number for each channel */
template <class T, bool isReuseSource = false>
ASCENDC_FN void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
			  const LocalTensor<uint8_t> &tmp, const T epsilon, GroupNormTiling &tiling)
{
	uint32_t hw = tiling.hw, step = tiling.hwAlignSize ? tiling.hwAlignSize : hw;
	detail::NormWork work = detail::norm_work<2>(tmp, step);
	float count = float(hw * tiling.d);

	detail::settle();
	for (uint32_t group = 0; group < tiling.n * tiling.g; group++) {
		float average = 0, spread = 0;

		for (uint32_t c = group * tiling.d; c < (group + 1) * tiling.d; c++)
			average += detail::row_sum(work.one, detail::as_float(work.rows[0], x[c * step], hw), hw);
		average /= count;
		for (uint32_t c = group * tiling.d; c < (group + 1) * tiling.d; c++) {
			detail::row_scalar(work.rows[1], detail::as_float(work.rows[0], x[c * step], hw), -average, hw, ANPU_BIN_ADD);
			detail::row_bin(work.rows[1], work.rows[1], work.rows[1], hw, ANPU_BIN_MUL);
			spread += detail::row_sum(work.one, work.rows[1], hw);
		}
		spread /= count;
		detail::put(mean, group, average);
		detail::put(variance, group, spread);
		float scale = 1.0f / __builtin_sqrtf(spread + float(epsilon));
		for (uint32_t c = group * tiling.d; c < (group + 1) * tiling.d; c++) {
			LocalTensor<T> out = output[c * step];
			detail::Row o = detail::float_place(work.rows[1], out);

			detail::row_scalar(o, detail::as_float(work.rows[0], x[c * step], hw), -average, hw, ANPU_BIN_ADD);
			detail::row_scalar(o, o, scale, hw, ANPU_BIN_MUL);
			detail::row_scalar(o, o, float(gamma.GetValue(c % tiling.c)), hw, ANPU_BIN_MUL);
			detail::row_scalar(o, o, float(beta.GetValue(c % tiling.c)), hw, ANPU_BIN_ADD);
			detail::as_type(out, o, hw);
		}
	}
	detail::settle();
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &mean, const LocalTensor<T> &variance,
			  const LocalTensor<T> &x, const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const T epsilon,
			  GroupNormTiling &tiling)
{
	GroupNorm<T>(output, mean, variance, x, gamma, beta, LocalTensor<uint8_t>(), epsilon, tiling);
}

/** WelfordUpdate() - mean and sum of squares of differences with one more number for each place; nRec is 1 / their count */
template <class T, class U, bool isReuseSource = false, const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
ASCENDC_FN void WelfordUpdate(const LocalTensor<U> &outMean, const LocalTensor<U> &outVariance, const LocalTensor<U> &mean,
			      const LocalTensor<U> &variance, const LocalTensor<T> &x, const LocalTensor<uint8_t> &tmp,
			      const WelfordUpdateParam &para)
{
	uint32_t n = para.abComputeLength;
	detail::NormWork work = detail::norm_work<3>(tmp, n);
	detail::Row delta = work.rows[1], after = work.rows[2];

	static_assert(std::is_same_v<U, float>, "AscendC::WelfordUpdate keeps means and variances in float");
	if (para.rnLength != 1)
		anpu_trap("WelfordUpdate: rnLength is 1");
	detail::Row in = detail::as_float(work.rows[0], x, n);
	detail::row_bin(delta, in, mean, n, ANPU_BIN_SUB);
	detail::row_scalar(after, delta, para.nRec, n, ANPU_BIN_MUL);
	detail::row_bin(after, after, mean, n, ANPU_BIN_ADD);
	detail::row_bin(work.rows[0], in, after, n, ANPU_BIN_SUB);
	detail::row_bin(delta, delta, work.rows[0], n, ANPU_BIN_MUL);
	detail::row_bin(outVariance, variance, delta, n, ANPU_BIN_ADD);
	detail::row_scalar(outMean, after, 1.0f, n, ANPU_BIN_MUL);
}

template <class T, class U, bool isReuseSource = false, const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
ASCENDC_FN void WelfordUpdate(const LocalTensor<U> &outMean, const LocalTensor<U> &outVariance, const LocalTensor<U> &mean,
			      const LocalTensor<U> &variance, const LocalTensor<T> &x, const WelfordUpdateParam &para)
{
	WelfordUpdate<T, U, isReuseSource, config>(outMean, outVariance, mean, variance, x, LocalTensor<uint8_t>(), para);
}

namespace detail {

/* One mean and one variance of abLength places that have counted; @weights are the counts, or all have rnLength */
ASCENDC_FN void welford_end(const Row &outMean, const Row &outVariance, const Row &mean, const Row &variance,
			    const LocalTensor<int32_t> *counts, const LocalTensor<uint8_t> &tmp, const WelfordFinalizePara &para)
{
	uint32_t n = para.abLength;
	NormWork work = norm_work<3>(tmp, n);
	Row part = work.rows[0], weights = work.rows[1], delta = work.rows[2];
	float all = float(para.rnLength) * float(n);

	if (counts) {
		to_float(weights, *counts, n);
		all = row_sum(work.one, weights, n);
	} else {
		row_fill(weights, float(para.rnLength), n);
		if (para.headCount || para.tailCount) {
			row_fill(weights, float(para.headCount), para.headCountLength);
			settle();
			for (uint32_t i = para.headCountLength; i < para.headCountLength + para.tailCountLength; i++)
				weights.SetValue(i, float(para.tailCount));
			settle();
			all = row_sum(work.one, weights, n);
		}
	}
	row_bin(part, mean, weights, n, ANPU_BIN_MUL);
	float average = row_sum(work.one, part, n) / all;

	row_scalar(delta, mean, -average, n, ANPU_BIN_ADD);
	row_bin(delta, delta, delta, n, ANPU_BIN_MUL);
	row_bin(delta, delta, weights, n, ANPU_BIN_MUL);
	row_bin(delta, delta, variance, n, ANPU_BIN_ADD);
	float spread = row_sum(work.one, delta, n) / all;

	put(outMean, 0, average);
	put(outVariance, 0, spread);
	settle();
}

} // namespace detail

/** WelfordFinalize() - the mean and the variance of all places of WelfordUpdate() */
template <bool isReuseSource = false, auto... config>
ASCENDC_FN void WelfordFinalize(const LocalTensor<float> &outMean, const LocalTensor<float> &outVariance,
				const LocalTensor<float> &mean, const LocalTensor<float> &variance,
				const LocalTensor<uint8_t> &tmp, const WelfordFinalizePara &para)
{
	detail::welford_end(outMean, outVariance, mean, variance, nullptr, tmp, para);
}

template <bool isReuseSource = false, auto... config>
ASCENDC_FN void WelfordFinalize(const LocalTensor<float> &outMean, const LocalTensor<float> &outVariance,
				const LocalTensor<float> &mean, const LocalTensor<float> &variance,
				const WelfordFinalizePara &para)
{
	detail::welford_end(outMean, outVariance, mean, variance, nullptr, LocalTensor<uint8_t>(), para);
}

template <bool isReuseSource = false, auto... config>
ASCENDC_FN void WelfordFinalize(const LocalTensor<float> &outMean, const LocalTensor<float> &outVariance,
				const LocalTensor<float> &mean, const LocalTensor<float> &variance,
				const LocalTensor<int32_t> &counts, const LocalTensor<uint8_t> &tmp,
				const WelfordFinalizePara &para)
{
	detail::welford_end(outMean, outVariance, mean, variance, &counts, tmp, para);
}

template <bool isReuseSource = false, auto... config>
ASCENDC_FN void WelfordFinalize(const LocalTensor<float> &outMean, const LocalTensor<float> &outVariance,
				const LocalTensor<float> &mean, const LocalTensor<float> &variance,
				const LocalTensor<int32_t> &counts, const WelfordFinalizePara &para)
{
	detail::welford_end(outMean, outVariance, mean, variance, &counts, LocalTensor<uint8_t>(), para);
}

} // namespace AscendC

#endif
