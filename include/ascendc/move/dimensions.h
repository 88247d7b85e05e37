/* SPDX-License-Identifier: MIT */
/* DataCopy of up to five dimensions from global memory to UB, which transposes, broadcasts, cuts out and pads on its way. */
#ifndef ASCENDC_MOVE_DIMENSIONS_H
#define ASCENDC_MOVE_DIMENSIONS_H

#include "../adv/scratch.h"
#include "copy.h"

namespace AscendC {

/**
 * struct NdDmaConfig - with @isNearestValueMode the padding takes the nearest element, else the constant of NdDmaParams; @loopLpSize and
 * @loopRpSize stand for the padding of all dimensions; @ascOptimize means nothing here
 */
struct NdDmaConfig {
	static constexpr uint16_t unsetPad = 0xffff;
	bool isNearestValueMode = false;
	uint16_t loopLpSize = unsetPad;
	uint16_t loopRpSize = unsetPad;
	bool ascOptimize = false;
};

inline constexpr NdDmaConfig kDefaultNdDmaConfig = {};

/** struct NdDmaLoopInfo - strides, sizes without padding, and padding before and behind, in elements; the innermost dimension is first */
template <uint8_t dim> struct NdDmaLoopInfo {
	static_assert(dim >= 1 && dim <= 5, "AscendC::NdDmaLoopInfo has 1 to 5 dimensions");
	uint64_t loopSrcStride[dim] = {};
	uint32_t loopDstStride[dim] = {};
	uint32_t loopSize[dim] = {};
	uint8_t loopLpSize[dim] = {};
	uint8_t loopRpSize[dim] = {};
};

template <class T, uint8_t dim> struct NdDmaParams {
	NdDmaLoopInfo<dim> loopInfo;
	T constantValue;
};

/* Names that older sources have for the same */
using MultiCopyConfig = NdDmaConfig;
inline constexpr MultiCopyConfig kDefaultMultiCopyConfig = {};
template <uint8_t dim> using MultiCopyLoopInfo = NdDmaLoopInfo<dim>;
template <class T, uint8_t dim> using MultiCopyParams = NdDmaParams<T, dim>;

/** NdDmaDci() - forgets what copies of several dimensions have read before; here they keep nothing */
ASCENDC_FN void NdDmaDci() {}

namespace detail {

/* A dimension: @place is where the copy is in it, in elements of the result, @size elements of which behind @left are no padding */
struct Dimension {
	uint64_t from_stride;
	uint32_t to_stride, size, left, total, place;

	/* The element of the source for a place of the result; the padding's is the nearest one */
	ASCENDC_FN uint32_t nearest(uint32_t at) const
	{
		return at < left ? 0 : at - left < size ? at - left : size - 1;
	}

	ASCENDC_FN bool pads(uint32_t at) const
	{
		return at < left || at - left >= size;
	}
};

/* @dims dimensions and what stands in their padding */
template <class Bits> struct Dimensions {
	Dimension of[5];
	uint32_t dims;
	bool nearest;
	Bits constant;

	/* The next row; false behind the last one */
	ASCENDC_FN bool step()
	{
		for (uint32_t d = 1; d < dims; d++) {
			if (++of[d].place < of[d].total)
				return true;
			of[d].place = 0;
		}
		return false;
	}
};

/* Elements of a row that follow each other in both memories: whole blocks of UB go by DMA. Returns how many it has copied. */
template <class Bits> ASCENDC_FN uint32_t copy_whole_blocks(uint64_t to, uint64_t from, const Dimension &row)
{
	uint32_t bytes = row.size * uint32_t(sizeof(Bits)) / ONE_BLK_SIZE * ONE_BLK_SIZE;

	if (row.from_stride != 1 || row.to_stride != 1 || to % ONE_BLK_SIZE || !bytes)
		return 0;
	anpu_tile_DMA_LIN(to, from, bytes, 0);
	return bytes / uint32_t(sizeof(Bits));
}

template <class Bits> ASCENDC_FN void copy_row(uint64_t dst, uint64_t src, const Dimensions<Bits> &all)
{
	const Dimension &row = all.of[0];
	bool outside = false;

	for (uint32_t d = 1; d < all.dims; d++) {
		dst += uint64_t(all.of[d].place) * all.of[d].to_stride * sizeof(Bits);
		src += all.of[d].nearest(all.of[d].place) * all.of[d].from_stride * sizeof(Bits);
		outside = outside || all.of[d].pads(all.of[d].place);
	}
	outside = outside && !all.nearest;
	uint32_t done = outside ? 0 : copy_whole_blocks<Bits>(dst + row.left * sizeof(Bits), src, row);

	for (uint32_t i = 0; i < row.total; i++) {
		if (done && i == row.left)
			i += done;
		if (i == row.total)
			break;
		bool constant = outside || (!all.nearest && row.pads(i));

		reinterpret_cast<volatile Bits *>(dst)[uint64_t(i) * row.to_stride] =
			constant ? all.constant : reinterpret_cast<const volatile Bits *>(src)[row.nearest(i) * row.from_stride];
	}
}

template <class Bits> __attribute__((noinline)) inline void copy_dimensions(uint64_t dst, uint64_t src, Dimensions<Bits> all)
{
	settle();
	do
		copy_row(dst, src, all);
	while (all.step());
	settle();
}

ASCENDC_FN void check_dimension(const Dimension &d)
{
	if (!d.size)
		anpu_trap("DataCopy of several dimensions: a loopSize is 0; use 1 and a stride of 0 for a dimension that is not there");
	if (d.size >= 1u << 20 || d.to_stride >= 1u << 20 || d.from_stride >= 1ull << 40)
		anpu_trap("DataCopy of several dimensions: loopSize and loopDstStride are less than 2^20, loopSrcStride is less than 2^40");
}

} // namespace detail

/**
 * DataCopy() - element (i0, i1, ...) of global memory, i0 * loopSrcStride[0] + i1 * loopSrcStride[1] + ... behind its beginning, goes to
 * (i0 + loopLpSize[0]) * loopDstStride[0] + ... in UB; the padding around is filled, too. The scalar unit moves what is no row of whole blocks.
 */
template <class T, uint8_t dim, const NdDmaConfig &config = kDefaultNdDmaConfig>
ASCENDC_FN void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const NdDmaParams<T, dim> &params)
{
	static_assert(!std::is_same_v<T, int4b_t>, "AscendC::DataCopy of several dimensions has no elements of 4 bits");
	static_assert(config.loopLpSize == NdDmaConfig::unsetPad || config.loopLpSize < 256, "AscendC::NdDmaConfig: loopLpSize is less than 256");
	static_assert(config.loopRpSize == NdDmaConfig::unsetPad || config.loopRpSize < 256, "AscendC::NdDmaConfig: loopRpSize is less than 256");
	static_assert(sizeof(T) < 8 || !config.isNearestValueMode, "AscendC::DataCopy of several dimensions: isNearestValueMode is not for 64 bits");
	using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t,
		     std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
	const NdDmaLoopInfo<dim> &loops = params.loopInfo;
	detail::Dimensions<Bits> all = {{}, dim, config.isNearestValueMode, 0};
	uint64_t last = 0;

	__builtin_memcpy(&all.constant, &params.constantValue, sizeof(T));
	if (dst.address - ANPU_UB_BASE >= ANPU_UB_SIZE)
		anpu_trap("DataCopy of several dimensions goes from global memory to UB");
	if (sizeof(T) == 8 && all.constant && anpu_csr_checking())
		anpu_trap("DataCopy of several dimensions: constantValue of 64 bits has to be 0");
	for (uint32_t d = 0; d < dim; d++) {
		uint32_t left = config.loopLpSize == NdDmaConfig::unsetPad ? loops.loopLpSize[d] : config.loopLpSize;
		uint32_t right = config.loopRpSize == NdDmaConfig::unsetPad ? loops.loopRpSize[d] : config.loopRpSize;

		all.of[d] = {loops.loopSrcStride[d], loops.loopDstStride[d], loops.loopSize[d], left, left + loops.loopSize[d] + right, 0};
		detail::check_dimension(all.of[d]);
		last += (loops.loopSize[d] - 1ull) * loops.loopSrcStride[d];
	}
	detail::check_from(src, (last + 1) * sizeof(T));
	detail::copy_dimensions<Bits>(dst.address, detail::place(src), all);
}

} // namespace AscendC

#endif
