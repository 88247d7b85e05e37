/* SPDX-License-Identifier: MIT */
/*
 * LoadData with LoadData3DParamsV2: an image in L1 becomes the matrix of a convolution in L0A, or in L0B with a row for each k. What the
 * core's LOAD3D does not have (L0B, a padding value) is copied in blocks of 32 bytes.
 */
#ifndef ASCENDC_CUBE_IMAGE_H
#define ASCENDC_CUBE_IMAGE_H

#include "load.h"

namespace AscendC {

/** struct IsResetLoad3dConfig - whether LoadData() takes image and padding from its parameters, or from SetFmatrix() and SetLoadDataPaddingValue() */
struct IsResetLoad3dConfig {
	bool isSetFMatrix = true;
	bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};

/** SetFmatrix() - the image of LoadData() calls with isSetFMatrix = false; FMATRIX_RIGHT is for those with fMatrixCtrl */
ASCENDC_FN void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode &mode)
{
	detail::Image &image = detail::state()->images[mode == FmatrixMode::FMATRIX_RIGHT];

	image = {l1H, l1W, {padList[0], padList[1], padList[2], padList[3]}};
}

/** SetLoadDataPaddingValue() - the padding of LoadData() calls with isSetPadding = false */
template <class T> ASCENDC_FN void SetLoadDataPaddingValue(const T value)
{
	detail::state()->image_pad = detail::pattern(value);
}

/** SetLoadDataBoundary() - 0: images may lie anywhere in L1 */
ASCENDC_FN void SetLoadDataBoundary(uint32_t boundary)
{
	if (boundary)
		anpu_trap("SetLoadDataBoundary: images that go on at the beginning of L1 are not supported here; the boundary is 0");
}

namespace detail {

/* The block of channels at row @m and block of columns @k of the matrix, or 0 for padding */
ASCENDC_FN uint32_t image_block(uint32_t src, const anpu_load3d_desc &d, uint32_t wo, uint32_t rows, uint32_t m, uint32_t k)
{
	uint32_t filter = uint32_t(d.kernel_w) * d.kernel_h;
	int32_t x = int32_t(m % wo * d.stride_w + k % d.kernel_w * d.dilation_w) - d.pad[0];
	int32_t y = int32_t(m / wo * d.stride_h + k / d.kernel_w % d.kernel_h * d.dilation_h) - d.pad[2];

	if (m >= rows || x < 0 || y < 0 || x >= d.width || y >= d.height)
		return 0;
	return src + ((k / filter * d.height + uint32_t(y)) * d.width + uint32_t(x)) * ONE_BLK_SIZE;
}

/* The image's matrix block by block; in L0B a fractal has 16 columns, and @c0 rows of k */
__attribute__((noinline)) inline void load_image(uint32_t dst, uint32_t src, const anpu_load3d_desc &d, uint32_t c0, uint64_t padding)
{
	bool right = in_l0b(dst);
	uint32_t wo = uint32_t(d.width + d.pad[0] + d.pad[1] - (d.kernel_w - 1) * d.dilation_w - 1) / d.stride_w + 1;
	uint32_t ho = uint32_t(d.height + d.pad[2] + d.pad[3] - (d.kernel_h - 1) * d.dilation_h - 1) / d.stride_h + 1;
	uint32_t blocks = d.k_step / c0, edge = right ? c0 : 16, per_row = right ? 16 / c0 : 1;
	uint32_t across = blocks / per_row;
#if defined(__NPU_ARCH__) && __NPU_ARCH__ >= 3510
	uint32_t down = (d.m_step + 15u) / 16;
#else
	uint32_t down = 0;
#endif

	if (right && c0 > 16)
		anpu_trap("LoadData: an image to column in L0B is built for types of 16 and 32 bits");
	for (uint32_t m = 0; m < (d.m_step + edge - 1u) / edge * edge; m++)
		for (uint32_t k = 0; k < blocks; k++) {
			uint32_t from = m < d.m_step ? image_block(src, d, wo, wo * ho, d.m_start + m, d.k_start / c0 + k) : 0;
			uint32_t fractal = down && !right ? k * down + m / edge : m / edge * across + k / per_row;
			uint32_t to = dst + fractal * fractal_bytes + (m % edge * per_row + k % per_row) * ONE_BLK_SIZE;

			if (from)
				anpu_tile_DMA_LIN(to, from, ONE_BLK_SIZE, 0);
			else
				anpu_tile_DMA_FILL(to, ONE_BLK_SIZE, m < d.m_step && d.m_start + m < wo * ho ? padding : 0, 0);
		}
}

/* The newest cores have L0A's fractals column by column: each column is an image to column of its own. */
template <class T> ASCENDC_FN void load_3d(uint32_t dst, uint32_t src, anpu_load3d_desc &d)
{
#if defined(__NPU_ARCH__) && __NPU_ARCH__ >= 3510
	constexpr uint32_t c0 = ONE_BLK_SIZE / sizeof(T);
	uint32_t blocks = d.k_step / c0, column = (d.m_step + 15u) / 16 * fractal_bytes;

	d.k_step = c0;
	for (uint32_t k = 0; k < blocks; k++, d.k_start += c0)
		anpu_tile_LOAD3D(dst + k * column, src, ANPU_ADDR(&d), ANPU_CTL(0, bits_type<T>, 0));
#else
	anpu_tile_LOAD3D(dst, src, ANPU_ADDR(&d), ANPU_CTL(0, bits_type<T>, 0));
#endif
}

} // namespace detail

template <class T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
ASCENDC_FN void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &p)
{
	detail::Image image = {p.l1H, p.l1W, {p.padList[0], p.padList[1], p.padList[2], p.padList[3]}};
	uint64_t padding = config.isSetPadding ? detail::pattern(p.padValue) : detail::state()->image_pad;

	if constexpr (!config.isSetFMatrix)
		image = detail::state()->images[p.fMatrixCtrl];
	anpu_load3d_desc desc = {
		image.height, image.width, p.channelSize, p.kExtension, p.mExtension, p.kStartPt, p.mStartPt,
		{image.pad[0], image.pad[1], image.pad[2], image.pad[3]},
		p.filterW, p.filterH, p.strideW, p.strideH, p.dilationFilterW, p.dilationFilterH, {},
	};

	if (p.enTranspose)
		anpu_trap("LoadData: image to column is built without transpose");
	if (p.filterSizeW || p.filterSizeH)
		anpu_trap("LoadData: filters of 256 and more are not built");
	if (padding || detail::in_l0b(dst.address))
		detail::load_image(dst.address, src.address, desc, ONE_BLK_SIZE / sizeof(T), padding);
	else
		detail::load_3d<T>(dst.address, src.address, desc);
}

} // namespace AscendC

#endif
