/* SPDX-License-Identifier: MIT */
/* Reductions of matrices by a pattern: of each row (AR), or of the rows into one (RA). */
#ifndef ASCENDC_ADV_REDUCE_H
#define ASCENDC_ADV_REDUCE_H

#include "norm.h"

namespace AscendC {

namespace Pattern::Reduce {
struct R {};
struct AR {};
struct RA {};
struct ARA {};
struct ARAR {};
} // namespace Pattern::Reduce

namespace detail {

enum class Fold { SUM, MAX, MIN, PRODUCT, MEAN, ANY, ALL, XOR };

/* One number folded into another on the scalar unit */
template <Fold fold, class T> ASCENDC_FN T folded(T a, T b)
{
	if constexpr (fold == Fold::MAX)
		return a != a || a > b ? a : b;
	else if constexpr (fold == Fold::MIN)
		return a != a || a < b ? a : b;
	else if constexpr (fold == Fold::PRODUCT)
		return T(a * b);
	else if constexpr (fold == Fold::ANY)
		return T(a != T(0) || b != T(0));
	else if constexpr (fold == Fold::ALL)
		return T(a != T(0) && b != T(0));
	else if constexpr (fold == Fold::XOR)
		return T(a ^ b);
	else
		return T(a + b);
}

/* All elements of a row */
template <Fold fold, class T>
ASCENDC_FN void fold_row(const LocalTensor<T> &dst, uint32_t at, const LocalTensor<T> &src, uint32_t n)
{
	constexpr bool sums = fold == Fold::SUM || fold == Fold::MEAN;

	if constexpr (sums || fold == Fold::MAX || fold == Fold::MIN) {
		reduce_all(dst[at], src, sums ? ANPU_RED_SUM : fold == Fold::MAX ? ANPU_RED_MAX : ANPU_RED_MIN, false, int32_t(n));
		if constexpr (fold == Fold::MEAN) {
			settle();
			dst.SetValue(at, T(float(dst.GetValue(at)) / float(n)));
			settle();
		}
	} else if constexpr (is_float<T>) {
		float all = float(src.GetValue(0));

		for (uint32_t i = 1; i < n; i++)
			all = folded<fold>(all, float(src.GetValue(i)));
		dst.SetValue(at, T(fold == Fold::ANY || fold == Fold::ALL ? float(all != 0) : all));
	} else {
		T all = src.GetValue(0);

		for (uint32_t i = 1; i < n; i++)
			all = folded<fold>(all, src.GetValue(i));
		dst.SetValue(at, fold == Fold::ANY || fold == Fold::ALL ? T(all != T(0)) : all);
	}
}

/* dst = dst and a row, element by element */
template <Fold fold, class T>
ASCENDC_FN void fold_rows(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t n)
{
	if constexpr (fold == Fold::SUM || fold == Fold::MEAN)
		Add(dst, dst, src, int32_t(n));
	else if constexpr (fold == Fold::MAX)
		Max(dst, dst, src, int32_t(n));
	else if constexpr (fold == Fold::MIN)
		Min(dst, dst, src, int32_t(n));
	else if constexpr (fold == Fold::PRODUCT)
		Mul(dst, dst, src, int32_t(n));
	else
		for (uint32_t i = 0; i < n; i++)
			dst.SetValue(i, folded<fold>(dst.GetValue(i), src.GetValue(i)));
}

/*
 * @pads: rows of src are a multiple of 32 bytes apart. Sums of half and bfloat16_t over the rows are added in fp32.
 */
template <Fold fold, class pattern, class T>
ASCENDC_FN void reduce_by_pattern(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
				  const uint32_t shape[], bool pads)
{
	constexpr bool rows = std::is_same_v<pattern, Pattern::Reduce::AR>;
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(T);
	uint32_t n = shape[1], step = pads ? (n + block - 1) / block * block : n;

	static_assert(rows || std::is_same_v<pattern, Pattern::Reduce::RA>,
		      "AscendC: reductions are built for the patterns AR and RA");
	settle();
	if constexpr (rows) {
		for (uint32_t row = 0; row < shape[0]; row++)
			fold_row<fold>(dst, row, src[row * step], n);
	} else if constexpr ((fold == Fold::SUM || fold == Fold::MEAN) && is_float<T> && !std::is_same_v<T, float>) {
		NormWork work = norm_work<2>(tmp, n);

		row_fill(work.rows[0], 0.0f, n);
		for (uint32_t row = 0; row < shape[0]; row++)
			row_bin(work.rows[0], work.rows[0], as_float(work.rows[1], src[row * step], n), n, ANPU_BIN_ADD);
		if constexpr (fold == Fold::MEAN)
			row_scalar(work.rows[0], work.rows[0], float(shape[0]), n, ANPU_BIN_DIV);
		from_float(dst, work.rows[0], n);
	} else {
		anpu_tile_VUN(dst.address, src.address, 0, ANPU_CTL(n, bits_type<T>, ANPU_UN_COPY));
		settle();
		if constexpr (fold == Fold::ANY || fold == Fold::ALL)
			for (uint32_t i = 0; i < n; i++)
				dst.SetValue(i, T(dst.GetValue(i) != T(0)));
		for (uint32_t row = 1; row < shape[0]; row++)
			fold_rows<fold>(dst, src[row * step], n);
		if constexpr (fold == Fold::MEAN)
			anpu_tile_VBINS(dst.address, dst.address, scalar_of<T>(float(shape[0])), ANPU_CTL(n, type_of<T>, ANPU_BIN_DIV));
	}
	settle();
}

} // namespace detail

#define ASCENDC_PATTERN(name, fold) \
	template <class T, class pattern, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp, \
			     const uint32_t srcShape[], bool srcInnerPad) \
	{ \
		detail::reduce_by_pattern<detail::Fold::fold, pattern>(dst, src, tmp, srcShape, srcInnerPad); \
	} \
	template <class T, class pattern, bool isReuseSource = false> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t srcShape[], bool srcInnerPad) \
	{ \
		detail::reduce_by_pattern<detail::Fold::fold, pattern>(dst, src, LocalTensor<uint8_t>(), srcShape, srcInnerPad); \
	}
ASCENDC_PATTERN(ReduceSum, SUM)
ASCENDC_PATTERN(ReduceMax, MAX)
ASCENDC_PATTERN(ReduceMin, MIN)
ASCENDC_PATTERN(ReduceProd, PRODUCT)
ASCENDC_PATTERN(ReduceMean, MEAN)
ASCENDC_PATTERN(ReduceAny, ANY)
ASCENDC_PATTERN(ReduceAll, ALL)
#undef ASCENDC_PATTERN

/** ReduceXorSum() - the sum of a ^ b over count elements */
template <class T, bool isReuseSource = false>
ASCENDC_FN void ReduceXorSum(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
			     const LocalTensor<uint8_t> &, uint32_t count)
{
	T sum = 0;

	static_assert(std::is_same_v<T, int16_t>, "AscendC::ReduceXorSum is for int16_t");
	detail::settle();
	for (uint32_t i = 0; i < count; i++)
		sum = T(sum + (src0.GetValue(i) ^ src1.GetValue(i)));
	dst.SetValue(0, sum);
	detail::settle();
}

template <class T, bool isReuseSource = false>
ASCENDC_FN void ReduceXorSum(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t count)
{
	ReduceXorSum<T>(dst, src0, src1, LocalTensor<uint8_t>(), count);
}

} // namespace AscendC

#endif
