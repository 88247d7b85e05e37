/* SPDX-License-Identifier: MIT */
/* TransData: images and filters of three dimensions between rows (NCDHW) and blocks of 16 channels (NDC1HWC0, FRACTAL_Z_3D). */
#ifndef ASCENDC_ADV_TRANSDATA_H
#define ASCENDC_ADV_TRANSDATA_H

#include "../core/layout.h"
#include "scratch.h"

namespace AscendC {

struct TransDataConfig {
	DataFormat srcFormat;
	DataFormat dstFormat;
};

/** struct TransDataParams - the layouts of both sides; strides may be left empty, elements are contiguous then */
template <class U, class S> struct TransDataParams {
	U srcLayout;
	S dstLayout;
};

namespace detail {

/* The sizes N, C, D, H, W of rows, and the elements from one to the next in each of them */
struct Volume {
	uint32_t size[5];
	uint32_t step[5];
};

template <class T, class L> ASCENDC_FN Volume volume_of(const L &layout)
{
	Volume v;

	static_assert(is_layout_v<L>, "AscendC::TransData: a side is described by MakeLayout()");
	static_assert(std::tuple_size_v<std::decay_t<decltype(layout.GetShape())>> == 5, "AscendC::TransData: the shape of NCDHW is N, C, D, H, W");
	std::apply([&v](const auto &...n) { uint32_t i = 0; ((v.size[i++] = uint32_t(n)), ...); }, layout.GetShape());
	if constexpr (std::tuple_size_v<std::decay_t<decltype(layout.GetStride())>> == 5) {
		std::apply([&v](const auto &...n) { uint32_t i = 0; ((v.step[i++] = uint32_t(n)), ...); }, layout.GetStride());
	} else {
		static_assert(std::tuple_size_v<std::decay_t<decltype(layout.GetStride())>> == 0,
			      "AscendC::TransData: strides are as many as dimensions, or none");
		if (v.size[3] * v.size[4] * sizeof(T) % ONE_BLK_SIZE)
			anpu_trap("TransData: planes of H * W elements that are no multiple of 32 bytes need strides in the layout of NCDHW");
		v.step[4] = 1;
		for (uint32_t i = 4; i--;)
			v.step[i] = v.step[i + 1] * v.size[i + 1];
	}
	return v;
}

/* Where an element is in NDC1HWC0, which is N, D, C / 16, H, W, 16 */
ASCENDC_FN uint32_t in_images(const Volume &v, uint32_t n, uint32_t c, uint32_t d, uint32_t h, uint32_t w)
{
	uint32_t c1 = (v.size[1] + 15) / 16;

	return ((((n * v.size[2] + d) * c1 + c / 16) * v.size[3] + h) * v.size[4] + w) * 16 + c % 16;
}

/* In FRACTAL_Z_3D, which is D, C / 16, H, W, N / 16, 16 of N, 16 of C */
ASCENDC_FN uint32_t in_filters(const Volume &v, uint32_t n, uint32_t c, uint32_t d, uint32_t h, uint32_t w)
{
	uint32_t c1 = (v.size[1] + 15) / 16, n1 = (v.size[0] + 15) / 16;

	return ((((d * c1 + c / 16) * v.size[3] + h) * v.size[4] + w) * n1 + n / 16) * 256 + n % 16 * 16 + c % 16;
}

/* @blocks has channels, and for filters outputs, that rows do not have: they become 0 */
template <bool filters, bool to_rows, class T>
__attribute__((noinline)) void trans_data(const LocalTensor<T> &rows, const LocalTensor<T> &blocks, const Volume &v)
{
	uint32_t outputs = filters && !to_rows ? (v.size[0] + 15) / 16 * 16 : v.size[0];
	uint32_t channels = to_rows ? v.size[1] : (v.size[1] + 15) / 16 * 16, planes = v.size[3] * v.size[4];

	settle();
	for (uint32_t i = 0; i < outputs * channels * v.size[2] * planes; i++) {
		uint32_t w = i % v.size[4], h = i / v.size[4] % v.size[3], d = i / planes % v.size[2];
		uint32_t c = i / planes / v.size[2] % channels, n = i / planes / v.size[2] / channels;
		uint32_t block = filters ? in_filters(v, n, c, d, h, w) : in_images(v, n, c, d, h, w);
		uint32_t row = n * v.step[0] + c * v.step[1] + d * v.step[2] + h * v.step[3] + w * v.step[4];

		if constexpr (to_rows)
			rows.SetValue(row, blocks.GetValue(block));
		else
			blocks.SetValue(block, n < v.size[0] && c < v.size[1] ? rows.GetValue(row) : T(0));
	}
	settle();
}

} // namespace detail

/** TransData() - the scalar unit moves the elements one by one; source and destination do not overlap */
template <const TransDataConfig &config, class T, class U, class S>
ASCENDC_FN void TransData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const TransDataParams<U, S> &params)
{
	constexpr bool to_rows = config.dstFormat == DataFormat::NCDHW;
	constexpr DataFormat blocks = to_rows ? config.srcFormat : config.dstFormat;

	static_assert(sizeof(T) == 2, "AscendC::TransData is for elements of 16 bits");
	static_assert((to_rows || config.srcFormat == DataFormat::NCDHW) && (blocks == DataFormat::NDC1HWC0 || blocks == DataFormat::FRACTAL_Z_3D),
		      "AscendC::TransData is between NCDHW and NDC1HWC0 or FRACTAL_Z_3D");
	if constexpr (to_rows)
		detail::trans_data<blocks == DataFormat::FRACTAL_Z_3D, true>(dst, src, detail::volume_of<T>(params.dstLayout));
	else
		detail::trans_data<blocks == DataFormat::FRACTAL_Z_3D, false>(src, dst, detail::volume_of<T>(params.srcLayout));
}

template <const TransDataConfig &config, class T, class U, class S>
ASCENDC_FN void TransData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const TransDataParams<U, S> &params)
{
	TransData<config>(dst, src, params);
}

} // namespace AscendC

#endif
