/* SPDX-License-Identifier: MIT */
/* DataCopyPad: bursts of any number of bytes. */
#ifndef ASCENDC_MOVE_PAD_H
#define ASCENDC_MOVE_PAD_H

#include "copy.h"

namespace AscendC {

/** PaddingMode - in UB each burst begins at a block of 32 bytes, or the bursts follow each other */
enum class PaddingMode : uint8_t { Normal = 0, Compact };

namespace detail {

/* A value of 1 to 8 bytes, repeated to 8 */
template <class T> ASCENDC_FN uint64_t pattern(T value)
{
	uint64_t bits = scalar_bits(value);

	if constexpr (sizeof(T) == 1)
		bits *= 0x0101010101010101;
	if constexpr (sizeof(T) == 2)
		bits *= 0x0001000100010001;
	if constexpr (sizeof(T) == 4)
		bits *= 0x0000000100000001;
	return bits;
}

ASCENDC_FN void pad_bursts(uint64_t dst, uint64_t src, uint64_t count, uint64_t bytes, uint64_t left,
			   uint64_t right, uint64_t src_gap, uint64_t dst_gap)
{
	check_bursts(static_cast<uint32_t>(count));
	anpu_tile_DMA_PAD(dst, src, ANPU_PAD_BURSTS(count, bytes, left, right),
			  ANPU_PAD_GAPS(src_gap, dst_gap));
}

/* Gaps in global memory may be negative in these parameters; the copy then goes burst by burst. */
template <class T>
ASCENDC_FN void pad_in(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
		       bool pads, uint32_t left, uint32_t right, uint64_t fill)
{
	uint64_t l = pads ? left * sizeof(T) : 0, r = pads ? right * sizeof(T) : 0;

	check_from(src, extent(p.blockCount, p.blockLen, p.srcStride >= 0 ? static_cast<uint64_t>(p.srcStride) : 0));
	/* without padding to the left and right, the rest of a burst's last block is full of its first element, whatever isPad says */
	if (!l && !r && p.blockLen >= sizeof(T))
		r = ANPU_PAD_FIRST(sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3);
	else if (pads) {
		if (l > ONE_BLK_SIZE || r > ONE_BLK_SIZE)
			anpu_trap("DataCopyPad: leftPadding or rightPadding is more than 32 bytes; each fills up to one block");
		anpu_set_csr_padval(fill);
	}
	if (p.srcStride >= 0) {
		pad_bursts(place(dst), place(src), p.blockCount, p.blockLen, l, r,
			   static_cast<uint64_t>(p.srcStride), static_cast<uint64_t>(p.dstStride));
	} else {
		uint64_t step = (l + p.blockLen + (r <= ONE_BLK_SIZE ? r : 0) + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE +
				static_cast<uint64_t>(p.dstStride);

		for (int64_t i = 0; i < p.blockCount; i++)
			pad_bursts(place(dst) + static_cast<uint64_t>(i) * step * ONE_BLK_SIZE,
				   place(src) + static_cast<uint64_t>(i * (p.blockLen + p.srcStride)),
				   1, p.blockLen, l, r, 0, 0);
	}
	if (pads)
		anpu_set_csr_padval(0);
}

/*
 * Bursts that follow each other in UB without a gap; gaps in global memory in bytes. A burst of a copy begins at a block of UB, so that
 * the scalar unit copies those of other lengths.
 */
__attribute__((noinline)) inline void compact(uint64_t dst, int64_t dst_step, uint64_t src, int64_t src_step, const DataCopyExtParams &p)
{
	bool whole = p.blockLen % ONE_BLK_SIZE == 0;

	if (!whole && (anpu_csr_atomic() & 0xff))
		anpu_trap("DataCopyPad<T, PaddingMode::Compact>: bursts that 32 does not divide cannot be added to global memory here");
	if (!whole)
		anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (int64_t i = 0; i < p.blockCount; i++) {
		uint64_t to = dst + static_cast<uint64_t>(i * dst_step), from = src + static_cast<uint64_t>(i * src_step);

		if (whole) {
			anpu_tile_DMA_LIN(to, from, p.blockLen, 0);
			continue;
		}
		for (uint32_t b = 0; b < p.blockLen; b++)
			reinterpret_cast<volatile uint8_t *>(to)[b] = reinterpret_cast<const volatile uint8_t *>(from)[b];
	}
	if (!whole)
		anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

} // namespace detail

template <class T, PaddingMode mode = PaddingMode::Normal>
ASCENDC_FN void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
			    const DataCopyExtParams &p, const DataCopyPadExtParams<T> &pad)
{
	if constexpr (mode == PaddingMode::Compact) {
		if ((pad.isPad && (pad.leftPadding || pad.rightPadding)) || p.dstStride)
			anpu_trap("DataCopyPad<T, PaddingMode::Compact>: padding and gaps in UB are not supported here");
		detail::compact(detail::place(dst), p.blockLen, detail::place(src), int64_t(p.blockLen) + p.srcStride, p);
	} else {
		detail::pad_in(dst, src, p, pad.isPad, pad.leftPadding, pad.rightPadding,
			       detail::pattern(pad.paddingValue));
	}
}

template <class T, PaddingMode mode = PaddingMode::Normal>
ASCENDC_FN void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
			    const DataCopyExtParams &p)
{
	DataCopyPad<T, mode>(dst, src, p, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
}

template <class T>
ASCENDC_FN void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
			    const DataCopyParams &p, const DataCopyPadParams &pad)
{
	uint64_t fill = pad.paddingValue;

	if constexpr (sizeof(T) == 1)
		fill = detail::pattern(static_cast<uint8_t>(fill));
	if constexpr (sizeof(T) == 2)
		fill = detail::pattern(static_cast<uint16_t>(fill));
	if constexpr (sizeof(T) == 4)
		fill = detail::pattern(static_cast<uint32_t>(fill));
	detail::pad_in(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcGap, p.dstGap, 0), pad.isPad,
		       pad.leftPadding, pad.rightPadding, fill);
}

template <class T, PaddingMode mode = PaddingMode::Normal>
ASCENDC_FN void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p)
{
	if constexpr (mode == PaddingMode::Compact) {
		if (p.srcStride)
			anpu_trap("DataCopyPad<T, PaddingMode::Compact>: gaps in UB are not supported here");
		detail::compact(detail::place(dst), int64_t(p.blockLen) + p.dstStride, detail::place(src), p.blockLen, p);
		return;
	}
	detail::check_to(dst, detail::extent(p.blockCount, p.blockLen, p.dstStride >= 0 ? static_cast<uint64_t>(p.dstStride) : 0));
	if (p.dstStride >= 0) {
		detail::pad_bursts(detail::place(dst), detail::place(src), p.blockCount, p.blockLen, 0, 0,
				   static_cast<uint64_t>(p.srcStride), static_cast<uint64_t>(p.dstStride));
		return;
	}
	for (int64_t i = 0; i < p.blockCount; i++)
		detail::pad_bursts(detail::place(dst) + static_cast<uint64_t>(i * (p.blockLen + p.dstStride)),
				   detail::place(src) + static_cast<uint64_t>(i) *
				   ((p.blockLen + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE + static_cast<uint64_t>(p.srcStride)) *
				   ONE_BLK_SIZE, 1, p.blockLen, 0, 0, 0, 0);
}

template <class T>
ASCENDC_FN void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
	detail::pad_bursts(detail::place(dst), detail::place(src), p.blockCount, p.blockLen, 0, 0, p.srcGap,
			   p.dstGap);
}

/* The same by addresses */
template <class T>
ASCENDC_FN void DataCopyPadGm2UBImpl(T *dst, T *src, const DataCopyExtParams &p, const DataCopyPadExtParams<T> &pad)
{
	LocalTensor<T> to;
	GlobalTensor<T> from;

	to.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dst));
	from.SetGlobalBuffer(src);
	DataCopyPad(to, from, p, pad);
}

template <class T>
ASCENDC_FN void DataCopyPadUB2GMImpl(T *dst, T *src, const DataCopyExtParams &p)
{
	LocalTensor<T> from;
	GlobalTensor<T> to;

	from.address = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(src));
	to.SetGlobalBuffer(dst);
	DataCopyPad(to, from, p);
}

template <class T, TPosition pos = TPosition::MAX> ASCENDC_FN void SetPadValue(T value)
{
	anpu_set_csr_padval(detail::pattern(value));
}

} // namespace AscendC

#endif
