/* SPDX-License-Identifier: MIT */
/* BilinearInterpolation: weighted sums of blocks that are gathered by offsets. */
#ifndef ASCENDC_ADV_INTERPOLATE_H
#define ASCENDC_ADV_INTERPOLATE_H

#include "../vector/unary.h"
#include "pieces.h"

namespace AscendC {

namespace detail {

/* Eight blocks by their offsets in bytes, times one weight or a weight for each; rounded to half, as the sums are */
ASCENDC_FN void weigh_blocks(const LocalTensor<half> &to, const LocalTensor<half> &src, const LocalTensor<uint32_t> &offsets,
			     const LocalTensor<half> &weights, bool each)
{
	constexpr uint32_t block = ONE_BLK_SIZE / sizeof(half);

	for (uint32_t i = 0; i < 8; i++)
		anpu_tile_VBINS(to[i * block].address, src.address + offsets.GetValue(i), scalar_bits(weights.GetValue(each ? i : 0)),
				ANPU_CTL(block, ANPU_TYPE_F16, ANPU_BIN_MUL));
}

template <class M>
ASCENDC_FN void interpolate(const LocalTensor<half> &dst, const LocalTensor<half> &src0, const LocalTensor<uint32_t> &offsets,
			    const LocalTensor<half> &src1, const M &mask, uint8_t columns, bool each, uint16_t stride, uint16_t step,
			    uint8_t rows, const LocalTensor<uint8_t> &given)
{
	LocalTensor<half> part = scratch<half>(given, per_repeat<half>);

	settle();
	for (uint32_t row = 0, turn = 0; row < rows; row++) {
		LocalTensor<half> to = dst[row * step];

		for (uint32_t column = 0; column < columns; column++, turn++) {
			weigh_blocks(part, src0, offsets[turn * 8], src1[each ? turn * 8 : turn], each);
			if (column)
				Add(to, to, part, mask, 1, BinaryRepeatParams(uint8_t(stride), uint8_t(stride), 1, 8, 8, 8));
			else
				Copy(to, part, mask, 1, CopyRepeatParams(stride, 1, 8, 8));
		}
	}
}

} // namespace detail

/**
 * BilinearInterpolation() - hRepeat times eight blocks of src0, whose places are in src0Offset, times src1, are added up at dst; vRepeat
 * times, vROffset elements apart. repeatMode: each block has a number of src1 of its own
 */
template <class T>
ASCENDC_FN void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src0Offset,
				      const LocalTensor<T> &src1, uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
				      uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
	static_assert(std::is_same_v<T, half>, "AscendC::BilinearInterpolation is for half");
	detail::interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat, sharedTmpBuffer);
}

template <class T>
ASCENDC_FN void BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src0Offset,
				      const LocalTensor<T> &src1, uint64_t mask[], uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
				      uint16_t vROffset, uint8_t vRepeat, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
	uint64_t bits[2] = {mask[0], mask[1]};

	static_assert(std::is_same_v<T, half>, "AscendC::BilinearInterpolation is for half");
	detail::interpolate(dst, src0, src0Offset, src1, bits, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat, sharedTmpBuffer);
}

} // namespace AscendC

#endif
