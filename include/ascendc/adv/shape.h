/* SPDX-License-Identifier: MIT */
/* Moves of the high-level API: padding, transposes of pictures; and selections by bytes: DropOut, SelectWithBytesMask. */
#ifndef ASCENDC_ADV_SHAPE_H
#define ASCENDC_ADV_SHAPE_H

#include "../vector/transpose.h"
#include "norm.h"

namespace AscendC {

struct PadParams {
	uint16_t leftPad = 0, rightPad = 0;
	int32_t padValue = 0;
};

struct UnPadParams {
	uint16_t leftPad = 0, rightPad = 0;
};

struct TransposeParamsExt {
	uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
	TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

/** struct DropOutShapeInfo - @firstAxis rows of @srcLastAxis elements, with @maskLastAxis bytes of mask each */
struct DropOutShapeInfo {
	uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};

struct SelectWithBytesMaskShapeInfo {
	uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};

constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1, DROPOUT_MODE_BYTE_ALIGN = 2, DROPOUT_MODE_BIT_ALIGN = 3, DROPOUT_MODE_BIT_MISALIGN = 4;

/** Pad() - rows of srcOriWidth elements with padValue before and behind them. Rows of src that are a multiple of 32 bytes stay as long */
template <class T>
ASCENDC_FN void Pad(const LocalTensor<T> &dst, const LocalTensor<T> &src, PadParams &params, const LocalTensor<uint8_t> &,
		    PadTiling &tiling)
{
	uint32_t n = tiling.srcOriWidth ? tiling.srcOriWidth : tiling.srcWidth;
	bool whole = tiling.srcWidth * sizeof(T) % ONE_BLK_SIZE == 0;
	uint32_t width = whole ? tiling.srcWidth : params.leftPad + n + params.rightPad;

	detail::settle();
	for (uint32_t row = tiling.srcHeight; row-- > 0;) {
		for (uint32_t i = n; i-- > 0;)
			dst.SetValue(row * width + params.leftPad + i, src.GetValue(row * tiling.srcWidth + i));
		for (uint32_t i = 0; i < params.leftPad; i++)
			dst.SetValue(row * width + i, T(params.padValue));
		for (uint32_t i = 0; i < params.rightPad; i++)
			dst.SetValue(row * width + params.leftPad + n + i, T(params.padValue));
	}
	detail::settle();
}

template <class T>
ASCENDC_FN void Pad(const LocalTensor<T> &dst, const LocalTensor<T> &src, PadParams &params, PadTiling &tiling)
{
	Pad(dst, src, params, LocalTensor<uint8_t>(), tiling);
}

/** UnPad() - rows without leftPad elements at their beginning and rightPad at their end */
template <class T>
ASCENDC_FN void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, UnPadParams &params, const LocalTensor<uint8_t> &,
		      UnPadTiling &tiling)
{
	uint32_t width = tiling.srcWidth - params.leftPad - params.rightPad;

	detail::settle();
	for (uint32_t row = 0; row < tiling.srcHeight; row++)
		for (uint32_t i = 0; i < width; i++)
			dst.SetValue(row * width + i, src.GetValue(row * tiling.srcWidth + params.leftPad + i));
	detail::settle();
}

template <class T>
ASCENDC_FN void UnPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, UnPadParams &params, UnPadTiling &tiling)
{
	UnPad(dst, src, params, LocalTensor<uint8_t>(), tiling);
}

/** Transpose() - of pictures: channels in front (NCHW) or behind (NHWC) */
template <class T>
ASCENDC_FN void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
			  const TransposeParamsExt &p)
{
	uint32_t points = uint32_t(p.hSize) * p.wSize, picture = points * p.cSize;

	if (p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
		anpu_tile_VTRANS(dst.address, src.address, ANPU_SHAPE(16, 16), ANPU_CTL(0, ANPU_TYPE_U16, 0));
		return;
	}
	if (p.transposeType != TransposeType::TRANSPOSE_NCHW2NHWC && p.transposeType != TransposeType::TRANSPOSE_NHWC2NCHW)
		anpu_trap("Transpose: built for TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC and TRANSPOSE_NHWC2NCHW");
	for (uint32_t n = 0; n < p.nSize; n++) {
		bool from_nchw = p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;

		anpu_tile_VTRANS(dst[n * picture].address, src[n * picture].address,
				 from_nchw ? ANPU_SHAPE(p.cSize, points) : ANPU_SHAPE(points, p.cSize),
				 ANPU_CTL(0, detail::bits_type<T>, 0));
	}
}

namespace detail {

/* [B, N, S, D] of a ConfusionTranspose(), D = H / N */
struct Confusion {
	uint32_t b, n, s, d;
};

/* How one side of a ConfusionTranspose() keeps these numbers; rows of ND that end with D or H are a multiple of 16 apart */
enum class Keeps { NZ_BNSD, NZ_BSH, NZ_BSND, ND_BNSD, ND_BSND, ND_BSH };

constexpr ASCENDC_FN uint32_t to_16(uint32_t n)
{
	return (n + 15) / 16 * 16;
}

/* Place of an element of a matrix in fractals, @rows high and a multiple of 16 wide */
constexpr ASCENDC_FN uint32_t nz_place(uint32_t matrix, uint32_t rows, uint32_t cols, uint32_t row, uint32_t col)
{
	return (matrix * to_16(cols) + col / 16 * 16) * to_16(rows) + row * 16 + col % 16;
}

template <Keeps how> ASCENDC_FN uint32_t confusion_place(const Confusion &all, const Confusion &at)
{
	if constexpr (how == Keeps::NZ_BNSD)
		return nz_place(at.b * all.n + at.n, all.s, all.d, at.s, at.d);
	else if constexpr (how == Keeps::NZ_BSH)
		return nz_place(at.b, all.s, all.n * all.d, at.s, at.n * all.d + at.d);
	else if constexpr (how == Keeps::NZ_BSND)
		return nz_place(at.b * all.s + at.s, all.n, all.d, at.n, at.d);
	else if constexpr (how == Keeps::ND_BNSD)
		return ((at.b * all.n + at.n) * all.s + at.s) * to_16(all.d) + at.d;
	else if constexpr (how == Keeps::ND_BSND)
		return ((at.b * all.s + at.s) * all.n + at.n) * all.d + at.d;
	else
		return (at.b * all.s + at.s) * to_16(all.n * all.d) + at.n * all.d + at.d;
}

/* Columns of 16 elements as bursts, if D is a multiple of 16; else element by element on the scalar unit */
template <Keeps from, Keeps to, class T>
ASCENDC_FN void confuse(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Confusion &all)
{
	constexpr uint32_t blocks = 16 * sizeof(T) / ONE_BLK_SIZE;
	uint32_t step = confusion_place<to>(all, {0, 0, 1, 0}), rows = all.s * all.n * all.b;
	bool bursts = sizeof(T) > 1 && all.d % 16 == 0 && all.s <= 4095 && step * sizeof(T) / ONE_BLK_SIZE < 65536;

	settle();
	for (uint32_t i = 0; i < rows; i += bursts ? all.s : 1) {
		Confusion at = {i / all.s / all.n, i / all.s % all.n, i % all.s, 0};

		for (; at.d < all.d; at.d += bursts ? 16 : 1) {
			uint32_t a = confusion_place<from>(all, at), b = confusion_place<to>(all, at);

			if (bursts)
				anpu_tile_DMA_BURST(dst[b].address, src[a].address,
						    ANPU_BURSTS(all.s, blocks, 0, step * sizeof(T) / ONE_BLK_SIZE - blocks), 0);
			else
				dst.SetValue(b, src.GetValue(a));
		}
	}
	settle();
}

/* Dimensions [@x, @y, @z] with two of them exchanged; matrices that begin at blocks by the vector unit */
template <class T>
ASCENDC_FN void exchange(const LocalTensor<T> &dst, const LocalTensor<T> &src, TransposeType type, uint32_t x, uint32_t y, uint32_t z)
{
	bool last = type == TransposeType::TRANSPOSE_ND2ND_021;

	if (last && (x == 1 || y * z * sizeof(T) % ONE_BLK_SIZE == 0)) {
		for (uint32_t i = 0; i < x; i++)
			anpu_tile_VTRANS(dst[i * y * z].address, src[i * y * z].address, ANPU_SHAPE(y, z), ANPU_CTL(0, bits_type<T>, 0));
		return;
	}
	settle();
	for (uint32_t i = 0; i < x * y * z; i++) {
		uint32_t a = i / z / y, b = i / z % y, c = i % z;

		dst.SetValue(last ? (a * z + c) * y + b : type == TransposeType::TRANSPOSE_ND2ND_102 ? (b * x + a) * z + c : (c * y + b) * x + a,
			     src.GetValue(i));
	}
	settle();
}

} // namespace detail

/** ConfusionTranspose() - of a matrix (TRANSPOSE_ND2ND_ONLY), or of heads between fractals (NZ) and rows (ND) */
template <class T>
ASCENDC_FN void ConfusionTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
				   TransposeType type, ConfusionTransposeTiling &tiling)
{
	using detail::Keeps;
	static_assert(sizeof(T) <= 4, "AscendC::ConfusionTranspose is for types of 8 to 32 bits");
	detail::Confusion all = {tiling.param0, tiling.param1, tiling.param2, tiling.param3};

	if (type >= TransposeType::TRANSPOSE_ND2ND_021 && type <= TransposeType::TRANSPOSE_ND2ND_210)
		detail::exchange(dst, src, type, all.s ? all.b : 1, all.s ? all.n : all.b, all.s ? all.s : all.n);
	else if (type == TransposeType::TRANSPOSE_ND2ND_ONLY)
		anpu_tile_VTRANS(dst.address, src.address, ANPU_SHAPE(tiling.param0, tiling.param1), ANPU_CTL(0, detail::bits_type<T>, 0));
	else if (type == TransposeType::TRANSPOSE_NZ2ND_0213)
		detail::confuse<Keeps::NZ_BNSD, Keeps::ND_BSND>(dst, src, all);
	else if (type == TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N)
		detail::confuse<Keeps::NZ_BNSD, Keeps::ND_BSH>(dst, src, all);
	else if (type == TransposeType::TRANSPOSE_NZ2NZ_0213)
		detail::confuse<Keeps::NZ_BNSD, Keeps::NZ_BSND>(dst, src, all);
	else if (type == TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N)
		detail::confuse<Keeps::NZ_BSH, Keeps::NZ_BNSD>(dst, src, all);
	else if (type == TransposeType::TRANSPOSE_NZ2ND_012_WITH_N)
		detail::confuse<Keeps::NZ_BSH, Keeps::ND_BNSD>(dst, src, all);
	else if (type == TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N)
		detail::confuse<Keeps::NZ_BNSD, Keeps::NZ_BSH>(dst, src, all);
	else
		anpu_trap("ConfusionTranspose: built for the types TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY and TRANSPOSE_ND2ND_021 to 210");
}

/** Transpose() - the same by its newer name */
template <class T>
ASCENDC_FN void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, TransposeType type,
			  ConfusionTransposeTiling &tiling)
{
	ConfusionTranspose(dst, src, tmp, type, tiling);
}

template <class T>
ASCENDC_FN void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, TransposeType type, ConfusionTransposeTiling &tiling)
{
	ConfusionTranspose(dst, src, LocalTensor<uint8_t>(), type, tiling);
}

template <class T>
ASCENDC_FN void ConfusionTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, TransposeType type,
				   ConfusionTransposeTiling &tiling)
{
	ConfusionTranspose(dst, src, LocalTensor<uint8_t>(), type, tiling);
}

namespace detail {

/* Bits of the bytes at @mask that are not 0 (@set) or that are */
ASCENDC_FN void bytes_to_bits(const LocalTensor<uint8_t> &bits, const LocalTensor<uint8_t> &mask, uint32_t n, bool set)
{
	anpu_tile_VCMP(bits.address, mask.address, 0,
		       ANPU_CTL(n, ANPU_TYPE_U8, set ? ANPU_CMP_NE : ANPU_CMP_EQ) | ANPU_CTL_SCALAR);
}

/* Bytes at any address as they have to lie for the vector unit */
ASCENDC_FN LocalTensor<uint8_t> aligned(const LocalTensor<uint8_t> &room, const LocalTensor<uint8_t> &bytes, uint32_t n)
{
	if (bytes.address % ONE_BLK_SIZE == 0)
		return bytes;
	settle();
	for (uint32_t i = 0; i < n; i++)
		room.SetValue(i, bytes.GetValue(i));
	settle();
	return room;
}

} // namespace detail

/** DropOut() - x / keepProb where the mask says so, else 0. The mask has a byte for each element, or a bit (modes 3 and 4) */
template <class T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
ASCENDC_FN void DropOut(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &mask,
			const LocalTensor<uint8_t> &tmp, const float keepProb, const DropOutShapeInfo &info)
{
	bool by_bits = dropOutMode ? dropOutMode >= DROPOUT_MODE_BIT_ALIGN : info.maskLastAxis < info.srcLastAxis;
	uint32_t n = info.srcLastAxis;
	detail::NormWork work = detail::norm_work<3>(tmp, n);

	for (uint32_t row = 0; row < info.firstAxis; row++) {
		LocalTensor<uint8_t> bits = work.rows.bits(1), given = mask[row * info.maskLastAxis];
		detail::Row x = detail::as_float(work.rows[0], src[row * n], n), o = detail::float_place(work.rows[0], dst[row * n]);

		given = detail::aligned(work.rows.bits(2), given, by_bits ? (n + 7) / 8 : n);
		if (by_bits)
			bits = given;
		else
			detail::bytes_to_bits(bits, given, n, true);
		detail::row_scalar(o, x, 1.0f / keepProb, n, ANPU_BIN_MUL);
		detail::row_pick(o, bits, o, 0.0f, n);
		detail::as_type(dst[row * n], o, n);
	}
}

template <class T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
ASCENDC_FN void DropOut(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &mask,
			const float keepProb, const DropOutShapeInfo &info)
{
	DropOut<T, isInitBitMode, dropOutMode>(dst, src, mask, LocalTensor<uint8_t>(), keepProb, info);
}

namespace detail {

/* dst = mask byte 0 ? a : b, of which one is a tensor and one a number */
template <class T, class U, class A, class B>
ASCENDC_FN void select_bytes(const LocalTensor<T> &dst, const A &a, const B &b, const LocalTensor<U> &mask,
			     const LocalTensor<uint8_t> &tmp, const SelectWithBytesMaskShapeInfo &info)
{
	constexpr bool tensor_first = std::is_same_v<A, LocalTensor<T>>;
	uint32_t n = info.srcLastAxis;
	NormWork work = norm_work<2>(tmp, n);

	static_assert(sizeof(U) == 1, "AscendC::SelectWithBytesMask is built for masks of bytes");
	for (uint32_t row = 0; row < info.firstAxis; row++) {
		LocalTensor<uint8_t> bits = work.rows.bits(0);
		LocalTensor<uint8_t> bytes = mask.template ReinterpretCast<uint8_t>()[row * info.maskLastAxis];

		bytes_to_bits(bits, aligned(work.rows.bits(1), bytes, n), n, !tensor_first);
		anpu_set_csr_selmask(bits.address);
		if constexpr (tensor_first)
			anpu_tile_VSEL(dst[row * n].address, a[row * n].address, scalar_of<T>(b),
				       ANPU_CTL(n, bits_type<T>, ANPU_SEL_TENSOR) | ANPU_CTL_SCALAR);
		else
			anpu_tile_VSEL(dst[row * n].address, b[row * n].address, scalar_of<T>(a),
				       ANPU_CTL(n, bits_type<T>, ANPU_SEL_TENSOR) | ANPU_CTL_SCALAR);
	}
}

} // namespace detail

/** SelectWithBytesMask() - where the mask is 0 the first, else the second; one of them is a number */
template <class T, class U, bool isReuseMask = true>
ASCENDC_FN void SelectWithBytesMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1, const LocalTensor<U> &mask,
				    const LocalTensor<uint8_t> &tmp, const SelectWithBytesMaskShapeInfo &info)
{
	detail::select_bytes(dst, src0, src1, mask, tmp, info);
}

template <class T, class U, bool isReuseMask = true>
ASCENDC_FN void SelectWithBytesMask(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1, const LocalTensor<U> &mask,
				    const LocalTensor<uint8_t> &tmp, const SelectWithBytesMaskShapeInfo &info)
{
	detail::select_bytes(dst, src0, src1, mask, tmp, info);
}

template <class T, class U, bool isReuseMask = true>
ASCENDC_FN void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, T src1, const LocalTensor<U> &mask,
		       const LocalTensor<uint8_t> &tmp, const SelectWithBytesMaskShapeInfo &info)
{
	detail::select_bytes(dst, src0, src1, mask, tmp, info);
}

template <class T, class U, bool isReuseMask = true>
ASCENDC_FN void Select(const LocalTensor<T> &dst, T src0, const LocalTensor<T> &src1, const LocalTensor<U> &mask,
		       const LocalTensor<uint8_t> &tmp, const SelectWithBytesMaskShapeInfo &info)
{
	detail::select_bytes(dst, src0, src1, mask, tmp, info);
}

} // namespace AscendC

#endif
