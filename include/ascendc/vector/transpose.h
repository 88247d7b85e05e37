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
	constexpr uint32_t row = ONE_BLK_SIZE / sizeof(T);

	/* the scalar unit does what is the vector unit's: in the order of that one's operations */
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
	for (uint32_t r = 0; r < p.repeatTimes; r++) {
		T rows[16][row];

		/* all of a repeat is read before any of it is written, so that it may be transposed in place */
		for (uint32_t i = 0; i < 16; i++)
			for (uint32_t j = 0; j < row; j++)
				rows[i][j] = reinterpret_cast<const T *>(from[i] + uint64_t(r) * p.srcRepStride * ONE_BLK_SIZE)[j];
		for (uint32_t i = 0; i < 16; i++) {
			const T *src = rows[i];

			if constexpr (sizeof(T) == 2) {
				for (uint32_t j = 0; j < row; j++)
					reinterpret_cast<T *>(to[j] + uint64_t(r) * p.dstRepStride * ONE_BLK_SIZE)[i] = src[j];
			} else if constexpr (sizeof(T) == 4) {
				/* eight columns of 16: two blocks for each */
				for (uint32_t j = 0; j < row; j++)
					reinterpret_cast<T *>(to[j * 2 + i / 8] +
							      uint64_t(r) * p.dstRepStride * ONE_BLK_SIZE)[i % 8] = src[j];
			} else {
				/* 16 of the 32 columns, into 16 of the 32 places of each block */
				for (uint32_t j = 0; j < 16; j++)
					reinterpret_cast<T *>(to[j] + uint64_t(r) * p.dstRepStride * ONE_BLK_SIZE)
						[i + (p.dstHighHalf ? 16 : 0)] = src[j + (p.srcHighHalf ? 16 : 0)];
			}
		}
	}
	anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
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
