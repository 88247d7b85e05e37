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

__attribute__((noinline)) inline void print_repeats(uint64_t repeats)
{
	anpu_printf("vector operation: %lld repeats are asked for, and a core would do %u\n", static_cast<long long>(repeats),
		    static_cast<uint32_t>(repeats & 0xff));
}

/* A core's instruction has 8 bits for the number of repeats, which has no meaning in the counter mode. */
ASCENDC_FN void check_repeats(uint64_t repeats)
{
	if (repeats > 0xff && anpu_csr_checking() && !state()->counter) {
		print_repeats(repeats);
		anpu_trap("vector operation: repeatTimes is not in 0 to 255, and a core takes its lowest 8 bits; do it in several steps");
	}
}

/* The repeats that a core does; functions take the number in its own type, so that the checking mode sees all of it */
template <class R> ASCENDC_FN uint8_t repeats_of(R repeats)
{
	if constexpr (std::is_integral_v<R> && sizeof(R) > 1)
		check_repeats(static_cast<uint64_t>(repeats));
	return static_cast<uint8_t>(repeats);
}

ASCENDC_FN void repeat_once(anpu_tile_op op, uint64_t ctl, const Operands &o, uint32_t repeats)
{
	anpu_rep_desc desc = {
		ctl, uint8_t(op), 0, uint16_t(repeats), o.to.block, o.from0.block, o.from1.block,
		o.to.repeat, o.from0.repeat, o.from1.repeat, 0,
	};

	if (repeats)
		anpu_tile_VREP(o.dst, o.src0, o.src1, ANPU_ADDR(&desc));
}

/*
 * The last @n elements of a selection, whose bits are in the selection's bytes from @at on: they need not begin at a block or end at a byte,
 * so that the compare mask has them, and the vector mask says which elements there are.
 */
ASCENDC_FN void select_rest(uint64_t ctl, const Operands &o, uint32_t at, uint32_t n)
{
	if (ANPU_CTL_GET_SUB(ctl) == ANPU_SEL_TENSOR) {
		const uint8_t *bits = reinterpret_cast<const uint8_t *>(uintptr_t(anpu_csr_selmask()) + at);
		uint64_t words[2] = {};

		anpu_sys_PIPEBAR(ANPU_PIPE_ALL, 0);
		for (uint32_t i = 0; i < (n + 7) / 8; i++)
			words[i / 8] |= uint64_t(bits[i]) << i % 8 * 8;
		anpu_set_csr_cmpmask0(words[0]);
		anpu_set_csr_cmpmask1(words[1]);
		ctl = (ctl & ~ANPU_CTL(0, 0, 63)) | ANPU_CTL(0, 0, uint64_t(ANPU_SEL_CMPMASK));
	}
	anpu_set_csr_vmask0(n >= 64 ? ~0ull : (1ull << n) - 1);
	anpu_set_csr_vmask1(n > 64 ? (1ull << (n - 64)) - 1 : 0);
	repeat_once(ANPU_TILE_VSEL, ctl | ANPU_CTL_MASK, o, 1);
	anpu_set_csr_vmask0(~0ull);
	anpu_set_csr_vmask1(~0ull);
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
	if (op == ANPU_TILE_VSEL)
		select_rest(ctl, rest, whole * each / 8, count % each);
	else
		repeat_once(op, ctl | count % each, rest, 1);
}

/* Whether a destination and a source have bytes in common, but not their beginning */
ASCENDC_FN bool crosses(uint64_t dst, uint64_t dst_bytes, uint64_t src, uint64_t src_bytes)
{
	return dst != src && dst < src + src_bytes && src < dst + dst_bytes;
}

/* Operands that lie one behind the other, in repeats of 256 bytes of the widest one */
ASCENDC_FN void by_repeats(anpu_tile_op op, uint64_t ctl, Operands o, uint32_t count)
{
	uint32_t each = ONE_REPEAT_BYTE_SIZE / (o.dst_size > o.src0_size ? o.dst_size : o.src0_size);

	o.to = {1, uint16_t(each * o.dst_size / ONE_BLK_SIZE)};
	o.from0 = {1, uint16_t(each * o.src0_size / ONE_BLK_SIZE)};
	o.from1 = {uint16_t(o.src1_size ? 1 : 0), uint16_t(each * o.src1_size / ONE_BLK_SIZE)};
	repeat_counted(op, ctl, o, count, each);
}

/* Whether a source that the destination crosses is read before it is overwritten: where a repeat ends to write, others go on to read */
ASCENDC_FN bool reads_ahead(const Operands &o, uint64_t src, uint32_t src_size, uint32_t count)
{
	uint32_t each = ONE_REPEAT_BYTE_SIZE / (o.dst_size > o.src0_size ? o.dst_size : o.src0_size), last = (count - 1) / each * each;

	return !last || (o.dst + uint64_t(each) * o.dst_size <= src + uint64_t(each) * src_size &&
			 o.dst + uint64_t(last) * o.dst_size <= src + uint64_t(last) * src_size);
}

/*
 * The first @count elements as one operation. Operators convert a buffer's upper half into the whole buffer, and shift elements towards
 * the beginning of one: an operation whose destination crosses a source runs in repeats, each of which reads before it writes, as
 * hardware does. Where that would read results, the operation as a whole is refused.
 */
template <anpu_tile_op op> ASCENDC_FN void elements(uint64_t ctl, const Operands &o, uint32_t count)
{
	static_assert(op == ANPU_TILE_VBIN || op == ANPU_TILE_VBINS || op == ANPU_TILE_VUN || op == ANPU_TILE_VCVT || op == ANPU_TILE_VTRI ||
		      op == ANPU_TILE_VSEL);
	bool first = crosses(o.dst, uint64_t(count) * o.dst_size, o.src0, uint64_t(count) * o.src0_size);
	bool second = o.src1_size && crosses(o.dst, uint64_t(count) * o.dst_size, o.src1, uint64_t(count) * o.src1_size);

	if ((first || second) && (!first || reads_ahead(o, o.src0, o.src0_size, count)) &&
	    (!second || reads_ahead(o, o.src1, o.src1_size, count)))
		by_repeats(op, ctl, o, count);
	else if constexpr (op == ANPU_TILE_VBIN)
		anpu_tile_VBIN(o.dst, o.src0, o.src1, ctl | count);
	else if constexpr (op == ANPU_TILE_VBINS)
		anpu_tile_VBINS(o.dst, o.src0, o.src1, ctl | count);
	else if constexpr (op == ANPU_TILE_VUN)
		anpu_tile_VUN(o.dst, o.src0, 0, ctl | count);
	else if constexpr (op == ANPU_TILE_VCVT)
		anpu_tile_VCVT(o.dst, o.src0, 0, ctl | count);
	else if constexpr (op == ANPU_TILE_VSEL)
		anpu_tile_VSEL(o.dst, o.src0, o.src1, ctl | count);
	else
		anpu_tile_VTRI(o.dst, o.src0, o.src1, ctl | count);
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

/* The same without strides, for elements(); src1 may be the bits of a number */
template <class D, class S> ASCENDC_FN Operands plain(const LocalTensor<D> &dst, const LocalTensor<S> &src, uint64_t number = 0)
{
	return {dst.address, src.address, number, {0, 0}, {0, 0}, {0, 0}, sizeof(D), sizeof(S), 0};
}

template <class D, class S>
ASCENDC_FN Operands plain(const LocalTensor<D> &dst, const LocalTensor<S> &src0, const LocalTensor<S> &src1)
{
	return {dst.address, src0.address, src1.address, {0, 0}, {0, 0}, {0, 0}, sizeof(D), sizeof(S), sizeof(S)};
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
