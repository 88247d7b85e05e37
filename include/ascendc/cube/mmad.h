/* SPDX-License-Identifier: MIT */
/* Mmad: matrices of L0A and L0B to L0C. */
#ifndef ASCENDC_CUBE_MMAD_H
#define ASCENDC_CUBE_MMAD_H

#include "../core/tensor.h"
#include "params.h"

namespace AscendC {

namespace detail {

template <class D, class A, class B> ASCENDC_FN void check_mmad(const MmadParams &p)
{
	static_assert(std::is_same_v<A, B>, "AscendC::Mmad: both matrices have one type of elements");
	static_assert((std::is_same_v<D, float> && is_float<A>) || (std::is_same_v<D, int32_t> && (std::is_same_v<A, int8_t> || std::is_same_v<A, int4b_t>)) ||
		      (std::is_same_v<D, half> && std::is_same_v<A, half>),
		      "AscendC::Mmad: half gives float or half, bfloat16_t and float give float, int8_t and int4b_t give int32_t; other types are not "
		      "supported here");
	if (p.enSsparse || p.enWinogradA || p.enWinogradB)
		anpu_trap("Mmad: sparse and Winograd forms are not built");
}

/*
 * How A lies in L0A: by rows of fractals, on the newest cores by columns of them; with m = 1 it is a vector, element behind element,
 * unless disableGemv says otherwise.
 */
ASCENDC_FN uint32_t mmad_left(const MmadParams &p)
{
#if defined(__NPU_ARCH__) && __NPU_ARCH__ >= 3510
	constexpr uint32_t order = ANPU_MMAD_COLS;
#else
	constexpr uint32_t order = 0;
#endif
	return p.m == 1 && !p.disableGemv ? ANPU_MMAD_ROW : order;
}

} // namespace detail

template <class D, class A, class B>
ASCENDC_FN void Mmad(const LocalTensor<D> &dst, const LocalTensor<A> &fm, const LocalTensor<B> &filter,
		     const MmadParams &p)
{
	bool init = !p.isBias && p.cmatrixInitVal;

	detail::check_mmad<D, A, B>(p);
	if (!init && p.cmatrixSource)
		anpu_trap("Mmad: with cmatrixSource give the bias tensor in C2 as the fourth operand");
	anpu_tile_MMAD(detail::co1_address(dst), fm.address, filter.address,
		       ANPU_MMAD(p.m, p.n, p.k, detail::type_of<A>, (init ? ANPU_MMAD_INIT : 0) | detail::mmad_left(p)));
}

/* c = bias + a * b; the bias is a row in C2, or the matrix that is in CO1 */
template <class D, class A, class B, class C>
ASCENDC_FN void Mmad(const LocalTensor<D> &dst, const LocalTensor<A> &fm, const LocalTensor<B> &filter,
		     const LocalTensor<C> &bias, const MmadParams &p)
{
	bool table = bias.address - ANPU_BT_BASE < ANPU_BT_SIZE;

	if (sizeof(C) != 4 && table)
		anpu_trap("Mmad: a bias in C2 is of type float");
	detail::check_mmad<D, A, B>(p);
	static_assert(sizeof(C) == 4 || std::is_same_v<C, D>, "AscendC::Mmad: the bias has the type of the result; convert it first");
	if (table)
		anpu_set_csr_bias(bias.address);
	else if (bias.address != dst.address)
		anpu_trap("Mmad: a bias in CO1 is the matrix that the result is added to");
	anpu_tile_MMAD(detail::co1_address(dst), fm.address, filter.address,
		       ANPU_MMAD(p.m, p.n, p.k, detail::type_of<A>, (table ? ANPU_MMAD_BIAS : 0) | detail::mmad_left(p)));
}

/* HF32 would compute less exactly; orders of fractals do not change results. */
ASCENDC_FN void SetHF32Mode(bool) {}
ASCENDC_FN void SetHF32TransMode(bool) {}
ASCENDC_FN void SetMMLayoutTransform(bool) {}
ASCENDC_FN void SetMMColumnMajor() {}
ASCENDC_FN void SetMMRowMajor() {}

} // namespace AscendC

#endif
