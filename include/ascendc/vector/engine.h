/* SPDX-License-Identifier: MIT */
/*
 * How the two styles of calling a vector operation become tile operations: count elements as one
 * operation, or repeats with strides and a mask as VREP.
 */
#ifndef ASCENDC_VECTOR_ENGINE_H
#define ASCENDC_VECTOR_ENGINE_H

#include "../core/params.h"
#include "../core/tensor.h"

namespace AscendC {

namespace detail {

/* Strides of an operand in blocks of 32 bytes; zeroes for one that is not in memory */
struct Stride {
	uint16_t block, repeat;
};

struct Operands {
	uint64_t dst, src0, src1;
	Stride to, from0, from1;
	uint32_t dst_size, src0_size, src1_size;	/* bytes of an element, for the counter mode */
};

ASCENDC_FN void repeat_once(anpu_tile_op op, uint64_t ctl, const Operands &o, uint32_t repeats)
{
	anpu_rep_desc desc = {
		ctl, uint8_t(op), 0, uint16_t(repeats), o.to.block, o.from0.block, o.from1.block,
		o.to.repeat, o.from0.repeat, o.from1.repeat, 0,
	};

	if (repeats)
		anpu_tile_VREP(o.dst, o.src0, o.src1, ANPU_ADDR(&desc));
}

/* Counter mode: @count elements in as many repeats of @each as they need; the last one is shorter */
ASCENDC_FN void repeat_counted(anpu_tile_op op, uint64_t ctl, const Operands &o, uint32_t count, uint32_t each)
{
	uint32_t whole = count / each;
	Operands rest = o;

	repeat_once(op, ctl | each, o, whole);
	if (count % each == 0)
		return;
	rest.dst += uint64_t(whole) * (op == ANPU_TILE_VCMP ? each / 8 : o.to.repeat * ONE_BLK_SIZE);
	rest.src0 += uint64_t(whole) * o.from0.repeat * ONE_BLK_SIZE;
	rest.src1 += uint64_t(whole) * o.from1.repeat * ONE_BLK_SIZE;
	repeat_once(op, ctl | count % each, rest, 1);
}

/* The mask as a number of elements from the beginning */
template <bool sets>
ASCENDC_FN void repeated(anpu_tile_op op, uint64_t ctl, const Operands &o, uint64_t mask, uint32_t repeats,
			 uint32_t each)
{
	if (state()->counter) {
		repeat_counted(op, ctl, o, sets ? static_cast<uint32_t>(mask) : state()->count, each);
	} else if (sets) {
		if (mask > each)
			anpu_trap("vector operation: the mask is greater than the elements of a repeat (256 bytes)");
		if (mask)
			repeat_once(op, ctl | mask, o, repeats);
	} else {
		repeat_once(op, ctl | ANPU_CTL_MASK, o, repeats);
	}
}

/* The mask as bits, two words of 64 elements */
template <bool sets>
ASCENDC_FN void repeated(anpu_tile_op op, uint64_t ctl, const Operands &o, const uint64_t mask[],
			 uint32_t repeats, uint32_t each)
{
	if (state()->counter) {
		repeat_counted(op, ctl, o, sets ? static_cast<uint32_t>(mask[0]) : state()->count, each);
		return;
	}
	if (sets) {
		anpu_set_csr_vmask0(mask[0]);
		if (each > 64)
			anpu_set_csr_vmask1(mask[1]);
	}
	repeat_once(op, ctl | ANPU_CTL_MASK, o, repeats);
	if (sets) {
		anpu_set_csr_vmask0(~0ull);
		anpu_set_csr_vmask1(~0ull);
	}
}

template <class T> inline constexpr uint32_t per_repeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);

ASCENDC_FN constexpr Stride stride(uint32_t block, uint32_t repeat)
{
	return {uint16_t(block), uint16_t(repeat)};
}

template <class D, class S>
ASCENDC_FN Operands unary(const LocalTensor<D> &dst, const LocalTensor<S> &src, const UnaryRepeatParams &p)
{
	return {dst.address, src.address, 0, stride(p.dstBlkStride, p.dstRepStride),
		stride(p.srcBlkStride, p.srcRepStride), {0, 0}, sizeof(D), sizeof(S), 0};
}

template <class D, class A, class B>
ASCENDC_FN Operands binary(const LocalTensor<D> &dst, const LocalTensor<A> &a, const LocalTensor<B> &b,
			   const BinaryRepeatParams &p)
{
	return {dst.address, a.address, b.address, stride(p.dstBlkStride, p.dstRepStride),
		stride(p.src0BlkStride, p.src0RepStride), stride(p.src1BlkStride, p.src1RepStride),
		sizeof(D), sizeof(A), sizeof(B)};
}

/* A scalar operand in the type of the elements */
template <class T, class U> ASCENDC_FN uint64_t scalar_of(U value)
{
	return scalar_bits(static_cast<T>(value));
}

/* Whether a mask selects element @i of a repeat */
ASCENDC_FN bool mask_has(const uint64_t mask[], uint32_t i)
{
	return mask[i / 64] >> i % 64 & 1;
}

ASCENDC_FN bool mask_has(uint64_t mask, uint32_t i)
{
	return i < mask;
}

/* The names have one form for a mask that counts and one for a mask of bits. */
template <class M> inline constexpr bool is_mask =
	std::is_integral_v<M> || std::is_pointer_v<std::decay_t<M>>;

} // namespace detail

} // namespace AscendC

#endif
