/* SPDX-License-Identifier: MIT */
/*
 * How composed functions of elements run: piece by piece in fp32, so that half and bfloat16_t are rounded once at the end,
 * in working memory that the caller gives or the TPipe has left.
 */
#ifndef ASCENDC_ADV_PIECES_H
#define ASCENDC_ADV_PIECES_H

#include "../vector/cast.h"
#include "../vector/compare.h"
#include "scratch.h"

namespace AscendC {

namespace detail {

/* Rows of working memory of a piece: fp32 each, @step elements apart */
struct Work {
	LocalTensor<float> area;
	uint32_t step;

	ASCENDC_FN LocalTensor<float> operator[](uint32_t i) const
	{
		return area[i * step];
	}

	/* a row as the bits of a comparison */
	ASCENDC_FN LocalTensor<uint8_t> bits(uint32_t i) const
	{
		return area[i * step].ReinterpretCast<uint8_t>();
	}
};

constexpr uint32_t piece_least = 64, piece_most = 1024;

/* Elements of a piece, and where its rows are; @rows of fp32 */
ASCENDC_FN Work work_for(const LocalTensor<uint8_t> &given, uint32_t rows, uint32_t n)
{
	uint32_t most = n < piece_most ? (n + piece_least - 1) / piece_least * piece_least : piece_most;
	uint32_t fits = given.bytes / 4 / rows / piece_least * piece_least, left = 0;

	if (fits >= piece_least)
		return {given.ReinterpretCast<float>(), fits < most ? fits : most};
	left = scratch_left() / 4 / rows / piece_least * piece_least;
	if (left < most && left >= piece_least)
		most = left;
	return {scratch<float>(rows * most), most};
}

template <class T>
ASCENDC_FN void to_float(const LocalTensor<float> &dst, const LocalTensor<T> &src, uint32_t n)
{
	anpu_tile_VCVT(dst.address, src.address, 0, ANPU_CTL_CVT(n, ANPU_TYPE_F32, type_of<T>, ANPU_ROUND_RINT));
}

template <class T>
ASCENDC_FN void from_float(const LocalTensor<T> &dst, const LocalTensor<float> &src, uint32_t n)
{
	anpu_tile_VCVT(dst.address, src.address, 0, ANPU_CTL_CVT(n, type_of<T>, ANPU_TYPE_F32, ANPU_ROUND_RINT));
}

/*
 * dst = body of src: body(y, x, work, m) has @rows rows of work and m elements. y may be x, so that it is written last.
 */
template <uint32_t rows, class T, class F>
ASCENDC_FN void in_float(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &given,
			 uint32_t n, F body)
{
	static_assert(is_float<T>, "AscendC: this function is for floating-point numbers");
	if constexpr (std::is_same_v<T, float> && rows == 0) {
		body(dst, src, Work{}, n);
	} else {
		constexpr uint32_t own = std::is_same_v<T, float> ? 0 : 2;
		Work work = work_for(given, rows + own, n);

		for (uint32_t at = 0; at < n; at += work.step) {
			uint32_t m = n - at < work.step ? n - at : work.step;

			if constexpr (own == 0) {
				body(dst[at], src[at], work, m);
			} else {
				to_float(work[rows], src[at], m);
				body(work[rows + 1], work[rows], work, m);
				from_float(dst[at], work[rows + 1], m);
			}
		}
	}
}

/* The same of two sources: body(y, a, b, work, m) */
template <uint32_t rows, class T, class F>
ASCENDC_FN void in_float2(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b,
			  const LocalTensor<uint8_t> &given, uint32_t n, F body)
{
	constexpr uint32_t own = std::is_same_v<T, float> ? 0 : 3;
	Work work = work_for(given, rows + own, n);

	static_assert(is_float<T>, "AscendC: this function is for floating-point numbers");
	for (uint32_t at = 0; at < n; at += work.step) {
		uint32_t m = n - at < work.step ? n - at : work.step;

		if constexpr (own == 0) {
			body(dst[at], a[at], b[at], work, m);
		} else {
			to_float(work[rows], a[at], m);
			to_float(work[rows + 1], b[at], m);
			body(work[rows + 2], work[rows], work[rows + 1], work, m);
			from_float(dst[at], work[rows + 2], m);
		}
	}
}

/* Steps of the bodies; counts are those of a piece */
using Row = LocalTensor<float>;

ASCENDC_FN void row_un(const Row &y, const Row &x, uint32_t n, uint64_t op)
{
	anpu_tile_VUN(y.address, x.address, 0, ANPU_CTL(n, ANPU_TYPE_F32, op));
}

ASCENDC_FN void row_round(const Row &y, const Row &x, uint32_t n, uint64_t mode)
{
	anpu_tile_VUN(y.address, x.address, 0, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_ROUND) | mode << ANPU_CTL_ROUND_SHIFT);
}

ASCENDC_FN void row_bin(const Row &y, const Row &a, const Row &b, uint32_t n, uint64_t op)
{
	anpu_tile_VBIN(y.address, a.address, b.address, ANPU_CTL(n, ANPU_TYPE_F32, op));
}

ASCENDC_FN void row_scalar(const Row &y, const Row &a, float b, uint32_t n, uint64_t op)
{
	anpu_tile_VBINS(y.address, a.address, scalar_bits(b), ANPU_CTL(n, ANPU_TYPE_F32, op));
}

/* y = b op a */
ASCENDC_FN void row_reverse(const Row &y, const Row &a, float b, uint32_t n, uint64_t op)
{
	anpu_tile_VBINS(y.address, a.address, scalar_bits(b), ANPU_CTL(n, ANPU_TYPE_F32, op) | ANPU_CTL_REVERSE);
}

/* Bits of a op b */
ASCENDC_FN void row_test(const LocalTensor<uint8_t> &bits, const Row &a, float b, uint32_t n, uint64_t op)
{
	anpu_tile_VCMP(bits.address, a.address, scalar_bits(b), ANPU_CTL(n, ANPU_TYPE_F32, op) | ANPU_CTL_SCALAR);
}

/* y = bit ? a : b */
ASCENDC_FN void row_pick(const Row &y, const LocalTensor<uint8_t> &bits, const Row &a, const Row &b, uint32_t n)
{
	anpu_set_csr_selmask(bits.address);
	anpu_tile_VSEL(y.address, a.address, b.address, ANPU_CTL(n, ANPU_TYPE_U32, ANPU_SEL_TENSOR));
}

ASCENDC_FN void row_pick(const Row &y, const LocalTensor<uint8_t> &bits, const Row &a, float b, uint32_t n)
{
	anpu_set_csr_selmask(bits.address);
	anpu_tile_VSEL(y.address, a.address, scalar_bits(b), ANPU_CTL(n, ANPU_TYPE_U32, ANPU_SEL_TENSOR) | ANPU_CTL_SCALAR);
}

ASCENDC_FN void row_fill(const Row &y, float value, uint32_t n)
{
	anpu_tile_VDUP(y.address, scalar_bits(value), 0, ANPU_CTL(n, ANPU_TYPE_U32, 0));
}

/* y = value where the bit is 1; @spare is overwritten */
ASCENDC_FN void row_put(const Row &y, const LocalTensor<uint8_t> &bits, float value, const Row &spare, uint32_t n)
{
	row_fill(spare, value, n);
	row_pick(y, bits, spare, y, n);
}

/* y = polynomial of z by its coefficients, the highest power first; y is not z */
template <uint32_t k> ASCENDC_FN void row_poly(const Row &y, const Row &z, uint32_t n, const float (&c)[k])
{
	row_scalar(y, z, c[0], n, ANPU_BIN_MUL);
	for (uint32_t i = 1; i < k; i++) {
		row_scalar(y, y, c[i], n, ANPU_BIN_ADD);
		if (i + 1 < k)
			row_bin(y, y, z, n, ANPU_BIN_MUL);
	}
}

/* y = 1 / (1 + exp(-x * scale)) */
ASCENDC_FN void row_logistic(const Row &y, const Row &x, uint32_t n, float scale)
{
	row_scalar(y, x, -scale, n, ANPU_BIN_MUL);
	row_un(y, y, n, ANPU_UN_EXP);
	row_scalar(y, y, 1.0f, n, ANPU_BIN_ADD);
	row_un(y, y, n, ANPU_UN_REC);
}

/* y = x / (1 + exp(-1.59576912 * (x + 0.044715 * x^3))); y is not x */
ASCENDC_FN void row_gelu(const Row &y, const Row &x, uint32_t n)
{
	row_bin(y, x, x, n, ANPU_BIN_MUL);
	row_scalar(y, y, 0.044715f, n, ANPU_BIN_MUL);
	row_scalar(y, y, 1.0f, n, ANPU_BIN_ADD);
	row_bin(y, y, x, n, ANPU_BIN_MUL);
	row_logistic(y, y, n, 1.59576912f);
	row_bin(y, y, x, n, ANPU_BIN_MUL);
}

} // namespace detail

} // namespace AscendC

#endif
