/* SPDX-License-Identifier: MIT */
/*
 * Operations on a destination of float and sources of half: Axpy() and MulAddDst() and its kin. The vector unit of this core has one
 * type in such an operation, so that sources are converted in working memory behind the buffers of UB first, which is exact.
 */
#ifndef ASCENDC_ADV_MIXED_H
#define ASCENDC_ADV_MIXED_H

#include "../vector/binary.h"
#include "pieces.h"

namespace AscendC {

namespace detail {

/* @count elements, in pieces */
template <anpu_tri_op op>
ASCENDC_FN void mixed(const LocalTensor<float> &dst, const LocalTensor<half> &src0, const LocalTensor<half> &src1, uint32_t count)
{
	Work work = work_for(LocalTensor<uint8_t>(), 2, count);

	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t n = count - at < work.step ? count - at : work.step;

		to_float(work[0], src0[at], n);
		to_float(work[1], src1[at], n);
		anpu_tile_VTRI(dst[at].address, work[0].address, work[1].address, ANPU_CTL(n, ANPU_TYPE_F32, op));
	}
}

ASCENDC_FN void mixed_axpy(const LocalTensor<float> &dst, const LocalTensor<half> &src, float scalar, uint32_t count)
{
	Work work = work_for(LocalTensor<uint8_t>(), 1, count);

	for (uint32_t at = 0; at < count; at += work.step) {
		uint32_t n = count - at < work.step ? count - at : work.step;

		to_float(work[0], src[at], n);
		anpu_tile_VTRI(dst[at].address, work[0].address, scalar_bits(scalar),
			       ANPU_CTL(n, ANPU_TYPE_F32, ANPU_TRI_MLA) | ANPU_CTL_SCALAR);
	}
}

/* One repeat of half as 64 numbers of fp32, in the order of the elements that the mask counts */
template <bool sets, class M>
ASCENDC_FN void widen(const LocalTensor<float> &dst, const LocalTensor<half> &src, const Stride &from, uint32_t repeat, const M &mask)
{
	Operands o = {dst.address, src.address + uint64_t(repeat) * from.repeat * ONE_BLK_SIZE, 0, {1, 8}, {from.block, 0}, {0, 0}, 4, 2, 0};

	repeated<sets>(ANPU_TILE_VCVT, ANPU_CTL_CVT(0, ANPU_TYPE_F32, ANPU_TYPE_F16, ANPU_ROUND_RINT), o, mask, 1, per_repeat<float>);
}

/* The elements of the counter mode, which follow each other without gaps here */
template <bool sets, class M> ASCENDC_FN uint32_t counted(const M &mask, const Stride &to, const Stride &from)
{
	if (to.block != 1 || to.repeat != 8 || from.block != 1 || from.repeat != 4)
		anpu_trap("an operation of float and half in counter mode: strides other than 1 block and 8 (float) and 4 (half) for a repeat "
			  "are not supported here");
	if constexpr (!sets)
		return state()->count;
	else if constexpr (std::is_integral_v<M>)
		return static_cast<uint32_t>(mask);
	else
		return static_cast<uint32_t>(mask[0]);
}

template <anpu_tri_op op, bool sets, class M>
ASCENDC_FN void mixed(const Operands &o, const LocalTensor<float> &dst, const LocalTensor<half> &src0, const LocalTensor<half> &src1,
		      const M &mask, uint32_t repeats)
{
	if (state()->counter) {
		counted<sets>(mask, o.to, o.from1);
		mixed<op>(dst, src0, src1, counted<sets>(mask, o.to, o.from0));
		return;
	}
	LocalTensor<float> work = scratch<float>(2 * per_repeat<float>);

	for (uint32_t r = 0; r < repeats; r++) {
		Operands one = {o.dst + uint64_t(r) * o.to.repeat * ONE_BLK_SIZE, work.address, work[per_repeat<float>].address,
				o.to, {1, 8}, {1, 8}, 4, 4, 4};

		widen<sets>(work, src0, o.from0, r, mask);
		widen<sets>(work[per_repeat<float>], src1, o.from1, r, mask);
		repeated<sets>(ANPU_TILE_VTRI, ANPU_CTL(0, ANPU_TYPE_F32, op), one, mask, 1, per_repeat<float>);
	}
}

template <bool sets, class M>
ASCENDC_FN void mixed_axpy(const Operands &o, const LocalTensor<float> &dst, const LocalTensor<half> &src, float scalar, const M &mask,
			   uint32_t repeats)
{
	if (state()->counter) {
		mixed_axpy(dst, src, scalar, counted<sets>(mask, o.to, o.from0));
		return;
	}
	LocalTensor<float> work = scratch<float>(per_repeat<float>);

	for (uint32_t r = 0; r < repeats; r++) {
		Operands one = {o.dst + uint64_t(r) * o.to.repeat * ONE_BLK_SIZE, work.address, scalar_bits(scalar), o.to, {1, 8}, {0, 0}, 4, 4, 0};

		widen<sets>(work, src, o.from0, r, mask);
		repeated<sets>(ANPU_TILE_VTRI, ANPU_CTL(0, ANPU_TYPE_F32, ANPU_TRI_MLA) | ANPU_CTL_SCALAR, one, mask, 1, per_repeat<float>);
	}
}

} // namespace detail

} // namespace AscendC

#endif
