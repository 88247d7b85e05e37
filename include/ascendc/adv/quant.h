/* SPDX-License-Identifier: MIT */
/* Quantisation of the high-level API: to int8_t, from int32_t and from int8_t, by one scale or one for each column. */
#ifndef ASCENDC_ADV_QUANT_H
#define ASCENDC_ADV_QUANT_H

#include "norm.h"

namespace AscendC {

struct AscendQuantConfig {
	uint32_t calcCount = 0, offsetCount = 0, scaleCount = 0, workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

/** struct DequantParams - @m rows of @n numbers, of which @calCount in each are converted */
struct DequantParams {
	uint32_t m = 0, n = 0, calCount = 0;
};

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };

struct AntiQuantShapeInfo {
	uint32_t offsetHeight = 0, offsetWidth = 0, scaleHeight = 0, scaleWidth = 0;
};

/** AscendQuant() - round(x * scale + offset) to the nearest, saturated to int8_t */
template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			    const float scale, const float offset, const uint32_t count)
{
	detail::Work work = detail::work_for(tmp, 2, count);

	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t m = count - at < work.step ? count - at : work.step;

		detail::row_scalar(work[1], detail::as_float(work[0], src[at], m), scale, m, ANPU_BIN_MUL);
		detail::row_scalar(work[1], work[1], offset, m, ANPU_BIN_ADD);
		detail::from_float(dst[at], work[1], m);
	}
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			    const float scale, const float offset)
{
	AscendQuant<T>(dst, src, tmp, scale, offset, config.calcCount ? config.calcCount : src.GetSize());
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const float scale, const float offset,
			    const uint32_t count)
{
	AscendQuant<T>(dst, src, LocalTensor<uint8_t>(), scale, offset, count);
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const float scale, const float offset)
{
	AscendQuant<T>(dst, src, LocalTensor<uint8_t>(), scale, offset, src.GetSize());
}

namespace detail {

/* A scale for each of @n columns; offsets for each, or one number */
template <class T, class O>
ASCENDC_FN void quant_columns(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			      const LocalTensor<T> &scale, const O &offset, uint32_t n, uint32_t count)
{
	NormWork work = norm_work<2>(tmp, n);

	for (uint32_t at = 0; at < count; at += n) {
		uint32_t m = count - at < n ? count - at : n;
		Row x = work.rows[0];

		row_bin(x, as_float(x, src[at], m), as_float(work.rows[1], scale, m), m, ANPU_BIN_MUL);
		if constexpr (std::is_convertible_v<O, T>)
			row_scalar(x, x, float(T(offset)), m, ANPU_BIN_ADD);
		else
			row_bin(x, x, as_float(work.rows[1], offset, m), m, ANPU_BIN_ADD);
		from_float(dst[at], x, m);
	}
}

} // namespace detail

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			    const LocalTensor<T> &scale, const LocalTensor<T> &offset, const uint32_t scaleCount,
			    const uint32_t offsetCount, const uint32_t count)
{
	if (offsetCount != scaleCount)
		anpu_trap("AscendQuant: there are as many offsets as scales");
	detail::quant_columns(dst, src, tmp, scale, offset, scaleCount, count);
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scale,
			    const LocalTensor<T> &offset, const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t count)
{
	AscendQuant<T>(dst, src, LocalTensor<uint8_t>(), scale, offset, scaleCount, offsetCount, count);
}

/* One offset for all columns */
template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			    const LocalTensor<T> &scale, const std::common_type_t<T> offset, const uint32_t scaleCount,
			    const uint32_t count)
{
	detail::quant_columns(dst, src, tmp, scale, offset, scaleCount, count);
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scale,
			    const std::common_type_t<T> offset, const uint32_t scaleCount, const uint32_t count)
{
	detail::quant_columns(dst, src, LocalTensor<uint8_t>(), scale, offset, scaleCount, count);
}

/* The numbers of elements from the configuration, or those of the tensors */
template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG, class O>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
			    const LocalTensor<T> &scale, const O &offset)
{
	detail::quant_columns(dst, src, tmp, scale, offset, config.scaleCount ? config.scaleCount : scale.GetSize(),
			      config.calcCount ? config.calcCount : src.GetSize());
}

template <class T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG, class O>
ASCENDC_FN void AscendQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const LocalTensor<T> &scale, const O &offset)
{
	AscendQuant<T, isReuseSource, config>(dst, src, LocalTensor<uint8_t>(), scale, offset);
}

namespace detail {

/* A scale as users keep it: a number, or the word of the matrix unit, whose low half is the number */
template <class U> ASCENDC_FN float scale_number(U value)
{
	if constexpr (std::is_same_v<U, uint64_t>)
		return __builtin_bit_cast(float, uint32_t(value));
	else
		return float(value);
}

/* {1, n, calCount} is n / calCount rows of calCount numbers, unless the mode says otherwise */
template <class T, DeQuantMode mode> ASCENDC_FN DequantParams dequant_rows(const DequantParams &p)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);

	if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount && p.calCount % block == 0 && p.n % p.calCount == 0)
		return {p.n / p.calCount, p.calCount, p.calCount};
	return p;
}

template <class U> ASCENDC_FN void scale_row_of(const Row &y, const LocalTensor<U> &scale, uint32_t n)
{
	if constexpr (std::is_same_v<U, uint64_t>)
		anpu_tile_VGMASK(y.address, scale.address, 0, ANPU_CTL(n * 2, ANPU_TYPE_U32, ANPU_GMASK_EVEN));
	else if constexpr (std::is_same_v<U, float>)
		row_scalar(y, scale, 1.0f, n, ANPU_BIN_MUL);
	else
		to_float(y, scale, n);
}

} // namespace detail

/** AscendDequant() - x * scale of the column; rows of dst are a multiple of 32 bytes apart */
template <class T, class U, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
ASCENDC_FN void AscendDequant(const LocalTensor<T> &dst, const LocalTensor<int32_t> &src, const LocalTensor<U> &scale,
			      const LocalTensor<uint8_t> &tmp, DequantParams params)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);

	params = detail::dequant_rows<T, mode>(params);
	uint32_t n = params.calCount, step = (params.n + block - 1) / block * block;
	detail::NormWork work = detail::norm_work<2>(tmp, n);

	detail::scale_row_of(work.rows[0], scale, n);
	for (uint32_t row = 0; row < params.m; row++) {
		detail::to_float(work.rows[1], src[row * params.n], n);
		detail::row_bin(detail::float_place(work.rows[1], dst[row * step]), work.rows[1], work.rows[0], n, ANPU_BIN_MUL);
		detail::as_type(dst[row * step], work.rows[1], n);
	}
}

template <class T, class U, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
ASCENDC_FN void AscendDequant(const LocalTensor<T> &dst, const LocalTensor<int32_t> &src, const LocalTensor<U> &scale,
			      DequantParams params)
{
	AscendDequant<T, U, mode>(dst, src, scale, LocalTensor<uint8_t>(), params);
}

/* One scale for all */
template <class T, class U, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW, class = std::enable_if_t<!detail::is_tensor<U>>>
ASCENDC_FN void AscendDequant(const LocalTensor<T> &dst, const LocalTensor<int32_t> &src, const U scale,
			      const LocalTensor<uint8_t> &tmp, DequantParams params)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);

	params = detail::dequant_rows<T, mode>(params);
	uint32_t n = params.calCount, step = (params.n + block - 1) / block * block;
	detail::NormWork work = detail::norm_work<1>(tmp, n);

	for (uint32_t row = 0; row < params.m; row++) {
		detail::to_float(work.rows[0], src[row * params.n], n);
		detail::row_scalar(detail::float_place(work.rows[0], dst[row * step]), work.rows[0], detail::scale_number(scale), n,
				   ANPU_BIN_MUL);
		detail::as_type(dst[row * step], work.rows[0], n);
	}
}

template <class T, class U, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW, class = std::enable_if_t<!detail::is_tensor<U>>>
ASCENDC_FN void AscendDequant(const LocalTensor<T> &dst, const LocalTensor<int32_t> &src, const U scale, DequantParams params)
{
	AscendDequant<T, U, mode>(dst, src, scale, LocalTensor<uint8_t>(), params);
}

/** AscendAntiQuant() - (x + offset) * scale of k rows; the numbers are one for each column, or with isTranspose one for each row */
template <class I, class O, bool isTranspose = false>
ASCENDC_FN void AscendAntiQuant(const LocalTensor<O> &dst, const LocalTensor<I> &src, const LocalTensor<O> &offset,
				const LocalTensor<O> &scale, const LocalTensor<uint8_t> &tmp, const uint32_t k,
				const AntiQuantShapeInfo &shape = {})
{
	uint32_t total = src.GetSize(), rows = isTranspose ? total / k : k, n = total / rows;
	uint32_t groups = isTranspose || !shape.scaleHeight ? 1 : shape.scaleHeight;
	detail::NormWork work = detail::norm_work<2>(tmp, n);
	detail::Row x = work.rows[0], part = work.rows[1];

	static_assert(std::is_same_v<I, int8_t>, "AscendC::AscendAntiQuant is built from int8_t");
	detail::settle();
	for (uint32_t row = 0; row < rows; row++) {
		if constexpr (sizeof(I) == 1) {
			/* int8_t becomes half, which has all of its numbers, and then float */
			detail::to_float(x, src[row * n], n);
		}
		if constexpr (isTranspose) {
			detail::row_scalar(x, x, float(offset.GetValue(row)), n, ANPU_BIN_ADD);
			detail::row_scalar(detail::float_place(x, dst[row * n]), x, float(scale.GetValue(row)), n, ANPU_BIN_MUL);
		} else {
			uint32_t group = row / (rows / groups) * n;

			detail::row_bin(x, x, detail::as_float(part, offset[group], n), n, ANPU_BIN_ADD);
			detail::row_bin(detail::float_place(x, dst[row * n]), x, detail::as_float(part, scale[group], n), n,
					ANPU_BIN_MUL);
		}
		detail::as_type(dst[row * n], x, n);
	}
}

/* One number for all */
template <class I, class O, bool isTranspose = false>
ASCENDC_FN void AscendAntiQuant(const LocalTensor<O> &dst, const LocalTensor<I> &src, const O offset, const O scale,
				const LocalTensor<uint8_t> &tmp, const uint32_t, const AntiQuantShapeInfo & = {})
{
	uint32_t count = src.GetSize();
	detail::Work work = detail::work_for(tmp, 1, count);

	static_assert(std::is_same_v<I, int8_t>, "AscendC::AscendAntiQuant is built from int8_t");
	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t m = count - at < work.step ? count - at : work.step;

		detail::to_float(work[0], src[at], m);
		detail::row_scalar(work[0], work[0], float(offset), m, ANPU_BIN_ADD);
		detail::row_scalar(detail::float_place(work[0], dst[at]), work[0], float(scale), m, ANPU_BIN_MUL);
		detail::as_type(dst[at], work[0], m);
	}
}

} // namespace AscendC

#endif
