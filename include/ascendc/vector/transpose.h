/* SPDX-License-Identifier: MIT */
/* Transpose and TransDataTo5HD. */
#ifndef ASCENDC_VECTOR_TRANSPOSE_H
#define ASCENDC_VECTOR_TRANSPOSE_H

#include "engine.h"

namespace AscendC {

namespace detail {

/* A tensor that is smaller than the matrix is refused: bytes behind it would be transposed, too, and often are zero */
ASCENDC_FN void check_matrix(uint32_t dst_bytes, uint32_t src_bytes)
{
	constexpr uint32_t matrix = 16 * 16 * 2;

	if ((dst_bytes < matrix || src_bytes < matrix) && anpu_csr_checking())
		anpu_trap("Transpose: the matrix is of 16 x 16 elements of 16 bits, and one of the tensors has fewer than 512 bytes; make it larger");
}

} // namespace detail

/** Transpose() - a matrix of 16 rows of 16 elements */
template <class T> ASCENDC_FN void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
	static_assert(sizeof(T) == 2, "AscendC::Transpose of 16 x 16 elements is for types of 16 bits");
	detail::check_matrix(dst.bytes, src.bytes);
	if (dst.address != src.address) {
		anpu_tile_VTRANS(dst.address, src.address, ANPU_SHAPE(16, 16), ANPU_CTL(0, ANPU_TYPE_U16, 0));
		return;
	}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t j = 0; j < i; j++) {
			T above = src.GetValue(j * 16 + i);

			dst.SetValue(j * 16 + i, src.GetValue(i * 16 + j));
			dst.SetValue(i * 16 + j, above);
		}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
}

namespace detail {

/* Rows of a block at @from[i] become columns: block i of the result at @to[i] is element i of each row. */
template <class T>
ASCENDC_FN void trans_5hd(const uint64_t to[16], const uint64_t from[16], const TransDataTo5HDParams &p)
{
	constexpr unsigned type = sizeof(T) == 1 ? ANPU_TYPE_U8 : sizeof(T) == 2 ? ANPU_TYPE_U16 : ANPU_TYPE_U32;
	uint64_t repeats = ANPU_REPEATS(p.repeatTimes, p.dstRepStride, p.srcRepStride);

	static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, "AscendC::TransDataTo5HD is for types of 8, 16 and 32 bits");
	if (sizeof(T) == 1)
		repeats |= (p.dstHighHalf ? ANPU_REPEATS_DST_HIGH : 0) | (p.srcHighHalf ? ANPU_REPEATS_SRC_HIGH : 0);
	anpu_tile_VTRANSB(reinterpret_cast<uintptr_t>(to), reinterpret_cast<uintptr_t>(from), repeats, ANPU_CTL(0, type, 0));
}

} // namespace detail

template <class T>
ASCENDC_FN void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16], const TransDataTo5HDParams &params)
{
	detail::trans_5hd<T>(dstList, srcList, params);
}

template <class T>
ASCENDC_FN void TransDataTo5HD(const LocalTensor<T> (&dstList)[16], const LocalTensor<T> (&srcList)[16],
			       const TransDataTo5HDParams &params)
{
	uint64_t to[16], from[16];

	for (int i = 0; i < 16; i++) {
		to[i] = dstList[i].address;
		from[i] = srcList[i].address;
	}
	detail::trans_5hd<T>(to, from, params);
}

/* Addresses that stand in UB */
template <class T>
ASCENDC_FN void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src, const TransDataTo5HDParams &params)
{
	uint64_t to[16], from[16];

	for (uint32_t i = 0; i < 16; i++) {
		to[i] = dst.GetValue(i);
		from[i] = src.GetValue(i);
	}
	detail::trans_5hd<T>(to, from, params);
}

/* The same by addresses */
template <class T>
ASCENDC_FN void TransDataTo5HDImpl(T *dstList[16], T *srcList[16], const TransDataTo5HDParams &params)
{
	uint64_t to[16], from[16];

	for (int i = 0; i < 16; i++) {
		to[i] = reinterpret_cast<uintptr_t>(dstList[i]);
		from[i] = reinterpret_cast<uintptr_t>(srcList[i]);
	}
	detail::trans_5hd<T>(to, from, params);
}

} // namespace AscendC

#endif
