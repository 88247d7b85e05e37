/* SPDX-License-Identifier: MIT */
/*
 * Quantize, Dequantize and AntiQuantize: quantisation of matrices by one policy for all three. A scale (and an offset) for all, for each
 * column, for each row, or for groups of elements along a row or a column.
 */
#ifndef ASCENDC_ADV_QUANTIZE_H
#define ASCENDC_ADV_QUANTIZE_H

#include "quant.h"

namespace AscendC {

enum class QuantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };
enum class DequantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };
enum class AntiQuantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };

/* @kDim: groups are along columns (0) or along rows (1) */
struct QuantizeConfig {
	QuantizePolicy policy;
	bool hasOffset;
	RoundMode roundMode = RoundMode::CAST_RINT;
	int32_t kDim = 1;
};

struct DequantizeConfig {
	DequantizePolicy policy;
	bool hasOffset = false;
	int32_t kDim = 1;
};

struct AntiQuantizeConfig {
	AntiQuantizePolicy policy;
	bool hasOffset;
	int32_t kDim = 1;
};

/* @m rows of @n elements, of which @groupSize along the direction of groups have one scale */
struct QuantizeParams {
	uint32_t m, n, groupSize = 0;
};

struct DequantizeParams {
	uint32_t m, n, groupSize = 0;
};

struct AntiQuantizeParams {
	uint32_t m, n, groupSize = 0;
};

namespace detail {

/* Row @i: x = x op the scales or offsets that it has; a row of them is kept at @work */
template <QuantizePolicy policy, int32_t k, class V, class P>
ASCENDC_FN void with_scales(const Row &x, const V &value, uint64_t op, uint32_t i, const P &p, const Row &work)
{
	if constexpr (!is_tensor<V>) {
		row_scalar(x, x, scale_number(value), p.n, op);
	} else if constexpr (policy == QuantizePolicy::PER_TENSOR || policy == QuantizePolicy::PER_TOKEN) {
		row_scalar(x, x, scale_number(value.GetValue(policy == QuantizePolicy::PER_TOKEN ? i : 0)), p.n, op);
	} else if constexpr (policy == QuantizePolicy::PER_CHANNEL || k == 0) {
		scale_row_of(work, value[policy == QuantizePolicy::PER_CHANNEL ? 0 : i / p.groupSize * p.n], p.n);
		row_bin(x, x, work, p.n, op);
	} else {
		uint32_t groups = (p.n + p.groupSize - 1) / p.groupSize;

		for (uint32_t at = 0, j = i * groups; at < p.n; at += p.groupSize, j++)
			row_scalar(x[at], x[at], scale_number(value.GetValue(j)), p.n - at < p.groupSize ? p.n - at : p.groupSize, op);
	}
}

/* All rows: taken in fp32, changed by body(x, row, work), and cast */
template <class D, class S, class P, class F>
ASCENDC_FN void rescale(const LocalTensor<D> &dst, const LocalTensor<S> &src, const LocalTensor<uint8_t> &tmp, const P &p, bool groups,
			RoundMode mode, F body)
{
	NormWork work = norm_work<2>(tmp, p.n);

	if (groups && (!p.groupSize || p.groupSize % 32))
		anpu_trap("Quantize: groupSize is a multiple of 32, and not 0");
	settle();
	for (uint32_t i = 0; i < p.m; i++) {
		if constexpr (std::is_same_v<S, float>)
			row_scalar(work.rows[0], src[i * p.n], 1.0f, p.n, ANPU_BIN_MUL);
		else
			Cast(work.rows[0], src[i * p.n], RoundMode::CAST_NONE, p.n);
		body(work.rows[0], i, work.rows[1]);
		if constexpr (std::is_same_v<D, float>)
			row_scalar(dst[i * p.n], work.rows[0], 1.0f, p.n, ANPU_BIN_MUL);
		else
			Cast(dst[i * p.n], work.rows[0], mode, p.n);
	}
	settle();
}

} // namespace detail

/** Quantize() - src * scale + offset, rounded as the configuration says, to int8_t or fp8 */
template <const QuantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void Quantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const LocalTensor<uint8_t> &tmp, const Scale &scale,
			 const Offset &offset, const QuantizeParams &params)
{
	detail::rescale(dst, src, tmp, params, config.policy == QuantizePolicy::PER_GROUP, config.roundMode,
			[&](const auto &x, uint32_t i, const auto &work) {
		detail::with_scales<config.policy, config.kDim>(x, scale, ANPU_BIN_MUL, i, params, work);
		if constexpr (config.hasOffset)
			detail::with_scales<config.policy, config.kDim>(x, offset, ANPU_BIN_ADD, i, params, work);
	});
}

template <const QuantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void Quantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const Scale &scale, const Offset &offset,
			 const QuantizeParams &params)
{
	Quantize<config>(dst, src, LocalTensor<uint8_t>(), scale, offset, params);
}

/** Dequantize() - src * scale of int32_t or float; there is no offset */
template <const DequantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void Dequantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const Scale &scale, const Offset &,
			   const LocalTensor<uint8_t> &tmp, const DequantizeParams &params)
{
	constexpr QuantizePolicy policy = static_cast<QuantizePolicy>(config.policy);

	static_assert(!config.hasOffset, "AscendC::Dequantize has no offset");
	detail::rescale(dst, src, tmp, params, policy == QuantizePolicy::PER_GROUP, RoundMode::CAST_RINT,
			[&](const auto &x, uint32_t i, const auto &work) {
		detail::with_scales<policy, config.kDim>(x, scale, ANPU_BIN_MUL, i, params, work);
	});
}

template <const DequantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void Dequantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const Scale &scale, const Offset &offset,
			   const DequantizeParams &params)
{
	Dequantize<config>(dst, src, scale, offset, LocalTensor<uint8_t>(), params);
}

/** AntiQuantize() - (src + offset) * scale of int8_t or fp8 */
template <const AntiQuantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void AntiQuantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const Scale &scale, const Offset &offset,
			     const LocalTensor<uint8_t> &tmp, const AntiQuantizeParams &params)
{
	constexpr QuantizePolicy policy = static_cast<QuantizePolicy>(config.policy);

	detail::rescale(dst, src, tmp, params, policy == QuantizePolicy::PER_GROUP, RoundMode::CAST_RINT,
			[&](const auto &x, uint32_t i, const auto &work) {
		if constexpr (config.hasOffset)
			detail::with_scales<policy, config.kDim>(x, offset, ANPU_BIN_ADD, i, params, work);
		detail::with_scales<policy, config.kDim>(x, scale, ANPU_BIN_MUL, i, params, work);
	});
}

template <const AntiQuantizeConfig &config, class D, class S, class Scale, class Offset>
ASCENDC_FN void AntiQuantize(const LocalTensor<D> &dst, const LocalTensor<S> &src, const Scale &scale, const Offset &offset,
			     const AntiQuantizeParams &params)
{
	AntiQuantize<config>(dst, src, scale, offset, LocalTensor<uint8_t>(), params);
}

} // namespace AscendC

#endif
