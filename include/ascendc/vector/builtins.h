/* SPDX-License-Identifier: MIT */
/* Instructions of the vector unit as functions that take addresses in UB (cube/builtins.h); set_vector_mask() says which elements. */
#ifndef ASCENDC_VECTOR_BUILTINS_H
#define ASCENDC_VECTOR_BUILTINS_H

#include "../cube/builtins.h"
#include "../move/atomic.h"
#include "binary.h"
#include "cast.h"
#include "gather.h"
#include "reduce.h"
#include "scalar.h"
#include "transpose.h"
#include "unary.h"

enum class Order_t { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };

namespace AscendC {
namespace detail {

template <class T> ASCENDC_FN LocalTensor<RawElement<T>> raw_ub(const T *address)
{
	return raw_tensor<TPosition::VECCALC>(address);
}

} // namespace detail
} // namespace AscendC

#define ASCENDC_RAW_BINARY(name, function) \
	template <class T> \
	ASCENDC_FN void name(__ubuf__ T *dst, const __ubuf__ T *src0, const __ubuf__ T *src1, uint8_t repeat, uint8_t dstBlk, \
			     uint8_t src0Blk, uint8_t src1Blk, uint8_t dstRep, uint8_t src0Rep, uint8_t src1Rep) \
	{ \
		AscendC::function<AscendC::detail::RawElement<T>, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src0), \
				AscendC::detail::raw_ub(src1), AscendC::MASK_PLACEHOLDER, repeat, \
				AscendC::BinaryRepeatParams(dstBlk, src0Blk, src1Blk, dstRep, src0Rep, src1Rep)); \
	}
ASCENDC_RAW_BINARY(vadd, Add)
ASCENDC_RAW_BINARY(vsub, Sub)
ASCENDC_RAW_BINARY(vmul, Mul)
ASCENDC_RAW_BINARY(vdiv, Div)
ASCENDC_RAW_BINARY(vmax, Max)
ASCENDC_RAW_BINARY(vmin, Min)
ASCENDC_RAW_BINARY(vand, And)
ASCENDC_RAW_BINARY(vor, Or)
#undef ASCENDC_RAW_BINARY

#define ASCENDC_RAW_UNARY(name, function) \
	template <class T> \
	ASCENDC_FN void name(__ubuf__ T *dst, const __ubuf__ T *src, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, \
			     uint8_t srcRep) \
	{ \
		AscendC::function<AscendC::detail::RawElement<T>, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), \
				AscendC::MASK_PLACEHOLDER, repeat, AscendC::UnaryRepeatParams(dstBlk, srcBlk, dstRep, srcRep)); \
	}
ASCENDC_RAW_UNARY(vabs, Abs)
ASCENDC_RAW_UNARY(vexp, Exp)
ASCENDC_RAW_UNARY(vln, Ln)
ASCENDC_RAW_UNARY(vnot, Not)
ASCENDC_RAW_UNARY(vrec, Reciprocal)
ASCENDC_RAW_UNARY(vrelu, Relu)
ASCENDC_RAW_UNARY(vrsqrt, Rsqrt)
ASCENDC_RAW_UNARY(vsqrt, Sqrt)
#undef ASCENDC_RAW_UNARY

#define ASCENDC_RAW_SCALAR(name, function) \
	template <class T, class S> \
	ASCENDC_FN void name(__ubuf__ T *dst, const __ubuf__ T *src, S scalar, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk, \
			     uint8_t dstRep, uint8_t srcRep) \
	{ \
		using E = AscendC::detail::RawElement<T>; \
		AscendC::function<E, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), static_cast<E>(scalar), \
				AscendC::MASK_PLACEHOLDER, repeat, AscendC::UnaryRepeatParams(dstBlk, srcBlk, dstRep, srcRep)); \
	}
ASCENDC_RAW_SCALAR(vadds, Adds)
ASCENDC_RAW_SCALAR(vmuls, Muls)
ASCENDC_RAW_SCALAR(vmaxs, Maxs)
ASCENDC_RAW_SCALAR(vmins, Mins)
#undef ASCENDC_RAW_SCALAR

template <class T, class S>
ASCENDC_FN void vector_dup(__ubuf__ T *dst, S scalar, uint8_t repeat, uint16_t dstBlk, uint16_t, uint8_t dstRep, uint8_t)
{
	using E = AscendC::detail::RawElement<T>;

	AscendC::Duplicate<E, false>(AscendC::detail::raw_ub(dst), static_cast<E>(scalar), AscendC::MASK_PLACEHOLDER, repeat, dstBlk, dstRep);
}

/* Each of eight elements per repeat fills a block */
template <class T> ASCENDC_FN void vbrcb(__ubuf__ T *dst, const __ubuf__ T *src, uint16_t dstBlk, uint16_t dstRep, uint8_t repeat)
{
	AscendC::Brcb(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), repeat, AscendC::BrcbRepeatParams(dstBlk, dstRep));
}

/* Conversions: the letter behind the types says how they round */
#define ASCENDC_RAW_CAST(name, D, S, mode) \
	ASCENDC_FN void name(__ubuf__ D *dst, const __ubuf__ S *src, uint8_t repeat, uint16_t dstBlk, uint16_t srcBlk, uint8_t dstRep, \
			     uint8_t srcRep) \
	{ \
		AscendC::Cast<D, S, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), AscendC::RoundMode::mode, \
				AscendC::MASK_PLACEHOLDER, repeat, AscendC::UnaryRepeatParams(dstBlk, srcBlk, dstRep, srcRep)); \
	}
#define ASCENDC_RAW_CASTS(name, D, S) \
	ASCENDC_RAW_CAST(name##r, D, S, CAST_RINT) \
	ASCENDC_RAW_CAST(name##a, D, S, CAST_ROUND) \
	ASCENDC_RAW_CAST(name##f, D, S, CAST_FLOOR) \
	ASCENDC_RAW_CAST(name##c, D, S, CAST_CEIL) \
	ASCENDC_RAW_CAST(name##z, D, S, CAST_TRUNC)
ASCENDC_RAW_CAST(vconv_f162f32, float, half, CAST_NONE)
ASCENDC_RAW_CAST(vconv_f322f16, half, float, CAST_NONE)
ASCENDC_RAW_CAST(vconv_bf162f32, float, bfloat16_t, CAST_NONE)
ASCENDC_RAW_CASTS(vconv_f322f16, half, float)
ASCENDC_RAW_CASTS(vconv_f322bf16, bfloat16_t, float)
ASCENDC_RAW_CASTS(vconv_f322s32, int32_t, float)
ASCENDC_RAW_CASTS(vconv_f162s32, int32_t, half)
ASCENDC_RAW_CAST(vconv_s322f32, float, int32_t, CAST_NONE)
#undef ASCENDC_RAW_CASTS
#undef ASCENDC_RAW_CAST

/* get_acc_val() - CSR accval, the sum of the last one of these */
ASCENDC_FN uint64_t get_acc_val()
{
	return AscendC::GetAccVal();
}

/* The sum of all repeats, which is in CSR accval alone */
template <class T>
ASCENDC_FN void vcadd(decltype(nullptr), const __ubuf__ T *src, uint8_t repeat, uint16_t, uint16_t srcBlk, uint16_t srcRep, bool)
{
	using Element = AscendC::detail::RawElement<T>;
	AscendC::LocalTensor<Element> sums = AscendC::detail::scratch<Element>(AscendC::ONE_BLK_SIZE / sizeof(Element) * 32);

	AscendC::detail::reduce_repeats<Element, false>(sums, AscendC::detail::raw_ub(src), ANPU_RED_SUM | ANPU_RED_REPEAT, 0,
			AscendC::MASK_PLACEHOLDER, repeat, 1, srcBlk, srcRep);
	AscendC::detail::reduce_all(sums, sums, ANPU_RED_SUM, false, repeat);
}

/* One result of each repeat; counted: one of all */
template <class T>
ASCENDC_FN void vcadd(__ubuf__ T *dst, const __ubuf__ T *src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep,
		      bool counted)
{
	if (counted) {
		vcadd(nullptr, src, repeat, dstRep, srcBlk, srcRep, counted);
		return;
	}
	AscendC::WholeReduceSum<AscendC::detail::RawElement<T>, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src),
			AscendC::MASK_PLACEHOLDER, repeat, dstRep, srcBlk, srcRep);
}

#define ASCENDC_RAW_BEST(name, function) \
	template <class T> \
	ASCENDC_FN void name(__ubuf__ T *dst, const __ubuf__ T *src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep, \
			     Order_t order) \
	{ \
		AscendC::function<AscendC::detail::RawElement<T>, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), \
				AscendC::MASK_PLACEHOLDER, repeat, dstRep, srcBlk, srcRep, static_cast<AscendC::ReduceOrder>(order)); \
	}
ASCENDC_RAW_BEST(vcmax, WholeReduceMax)
ASCENDC_RAW_BEST(vcmin, WholeReduceMin)
#undef ASCENDC_RAW_BEST

/* One result of each block, or of each pair of elements */
#define ASCENDC_RAW_PARTS(name, function) \
	template <class T> \
	ASCENDC_FN void name(__ubuf__ T *dst, const __ubuf__ T *src, uint8_t repeat, uint16_t dstRep, uint16_t srcBlk, uint16_t srcRep) \
	{ \
		AscendC::function<AscendC::detail::RawElement<T>, false>(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src), repeat, \
				AscendC::MASK_PLACEHOLDER, dstRep, srcBlk, srcRep); \
	}
ASCENDC_RAW_PARTS(vcgadd, BlockReduceSum)
ASCENDC_RAW_PARTS(vcgmax, BlockReduceMax)
ASCENDC_RAW_PARTS(vcgmin, BlockReduceMin)
ASCENDC_RAW_PARTS(vcpadd, PairReduceSum)
#undef ASCENDC_RAW_PARTS

/* A matrix of 16 rows of 16 elements of 16 bits */
template <class T> ASCENDC_FN void vtranspose(__ubuf__ T *dst, const __ubuf__ T *src)
{
	AscendC::Transpose(AscendC::detail::raw_ub(dst), AscendC::detail::raw_ub(src));
}

/** enum ub_addr8_t - registers that hold eight addresses in UB each; two that follow each other are the 16 rows of a transposition */
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

namespace AscendC {
namespace detail {

template <class> struct AddressRegisters {
	static inline __BLOCK_LOCAL__ uint64_t place[8][8];
};

template <class T> ASCENDC_FN void scatter_rows(ub_addr8_t dst, ub_addr8_t src, const TransDataTo5HDParams &params)
{
	if (dst > VA6 || src > VA6)
		anpu_trap("scatter_vnchwconv: rows are in a register and the next one, VA6 and VA7 are the last two");
	trans_5hd<T>(AddressRegisters<void>::place[dst], AddressRegisters<void>::place[src], params);
}

} // namespace detail
} // namespace AscendC

ASCENDC_FN void set_va_reg_sb(ub_addr8_t name, const uint64_t *addresses)
{
	for (int i = 0; i < 8; i++)
		AscendC::detail::AddressRegisters<void>::place[name][i] =
			AscendC::detail::scratchpad_place(reinterpret_cast<const uint8_t *>(addresses[i]), ANPU_UB_BASE, ANPU_UB_SIZE);
}

ASCENDC_FN void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride)
{
	AscendC::detail::scatter_rows<uint16_t>(dst, src, AscendC::TransDataTo5HDParams(false, false, repeat, dstStride, srcStride));
}

ASCENDC_FN void scatter_vnchwconv_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride)
{
	AscendC::detail::scatter_rows<uint32_t>(dst, src, AscendC::TransDataTo5HDParams(false, false, repeat, dstStride, srcStride));
}

ASCENDC_FN void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride,
				     bool dstHighHalf, bool srcHighHalf)
{
	AscendC::detail::scatter_rows<uint8_t>(dst, src, AscendC::TransDataTo5HDParams(dstHighHalf, srcHighHalf, repeat, dstStride,
										       srcStride));
}

/* Copies to global memory that add; each type chooses addition, the only operation that is built for these functions. */
ASCENDC_FN void set_atomic_add() {}
ASCENDC_FN void set_atomic_none() { AscendC::SetAtomicNone(); }
ASCENDC_FN void set_atomic_f32() { AscendC::SetAtomicAdd<float>(); }
ASCENDC_FN void set_atomic_f16() { AscendC::SetAtomicAdd<half>(); }
ASCENDC_FN void set_atomic_bf16() { AscendC::SetAtomicAdd<bfloat16_t>(); }
ASCENDC_FN void set_atomic_s32() { AscendC::SetAtomicAdd<int32_t>(); }
ASCENDC_FN void set_atomic_s16() { AscendC::SetAtomicAdd<int16_t>(); }
ASCENDC_FN void set_atomic_s8() { AscendC::SetAtomicAdd<int8_t>(); }

#endif
