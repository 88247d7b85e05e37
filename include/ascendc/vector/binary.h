/* SPDX-License-Identifier: MIT */
/* dst = src0 op src1, element by element. */
#ifndef ASCENDC_VECTOR_BINARY_H
#define ASCENDC_VECTOR_BINARY_H

#include "engine.h"

namespace AscendC {

namespace detail {

/* The type in which an operation looks at the elements: bits are bits for And, Or and Not. */
template <class T, anpu_bin_op op>
inline constexpr int bin_type = op == ANPU_BIN_AND || op == ANPU_BIN_OR || op == ANPU_BIN_XOR ?
	bits_type<T> : type_of<T>;

} // namespace detail

#define ASCENDC_BINARY(name, op) \
	template <class T> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, \
			     const LocalTensor<T> &src1, const int32_t &count) \
	{ \
		static_assert(detail::type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		detail::elements<ANPU_TILE_VBIN>(ANPU_CTL(0, (detail::bin_type<T, op>), op), detail::plain(dst, src0, src1), \
						 static_cast<uint32_t>(count)); \
	} \
	template <class T, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, \
			     const LocalTensor<T> &src1, const M &mask, const R repeatTimes, \
			     const BinaryRepeatParams &params) \
	{ \
		static_assert(detail::type_of<T> >= 0 && !std::is_same_v<T, int4b_t>, \
			      "AscendC::" #name " does not exist for this type of elements"); \
		detail::repeated<isSetMask>(ANPU_TILE_VBIN, ANPU_CTL(0, (detail::bin_type<T, op>), op), \
					    detail::binary(dst, src0, src1, params), mask, detail::repeats_of(repeatTimes), \
					    detail::per_repeat<T>); \
	} \
	/* the documented prototype, for operators that take its address */ \
	template <class T, bool isSetMask = true> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, \
			     uint64_t mask, const uint8_t repeatTimes, const BinaryRepeatParams &params) \
	{ \
		name<T, isSetMask, uint64_t>(dst, src0, src1, mask, repeatTimes, params); \
	}
ASCENDC_BINARY(Add, ANPU_BIN_ADD)
ASCENDC_BINARY(Sub, ANPU_BIN_SUB)
ASCENDC_BINARY(Mul, ANPU_BIN_MUL)
ASCENDC_BINARY(Div, ANPU_BIN_DIV)
ASCENDC_BINARY(Max, ANPU_BIN_MAX)
ASCENDC_BINARY(Min, ANPU_BIN_MIN)
ASCENDC_BINARY(And, ANPU_BIN_AND)
ASCENDC_BINARY(Or, ANPU_BIN_OR)
ASCENDC_BINARY(AddRelu, ANPU_BIN_ADDRELU)
ASCENDC_BINARY(SubRelu, ANPU_BIN_SUBRELU)
ASCENDC_BINARY(AbsSub, ANPU_BIN_ABSDIFF)
#undef ASCENDC_BINARY

namespace detail {

/* Operations of float on half: adv/mixed.h */
template <class T, class U> inline constexpr bool is_mixed = std::is_same_v<T, float> && std::is_same_v<U, half>;
template <anpu_tri_op op>
void mixed(const LocalTensor<float> &dst, const LocalTensor<half> &src0, const LocalTensor<half> &src1, uint32_t count);
template <anpu_tri_op op, bool sets, class M>
void mixed(const Operands &o, const LocalTensor<float> &dst, const LocalTensor<half> &src0, const LocalTensor<half> &src1, const M &mask,
	   uint32_t repeats);

} // namespace detail

/* dst = op (dst, src0, src1) with one rounding */
#define ASCENDC_TERNARY(name, op) \
	template <class T, class U> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, \
			     const LocalTensor<U> &src1, const int32_t &count) \
	{ \
		static_assert(std::is_same_v<T, U> || detail::is_mixed<T, U>, "AscendC::" #name \
			      " has operands of one type, or float from half"); \
		if constexpr (detail::is_mixed<T, U>) \
			detail::mixed<op>(dst, src0, src1, static_cast<uint32_t>(count)); \
		else \
			detail::elements<ANPU_TILE_VTRI>(ANPU_CTL(0, detail::type_of<T>, op), detail::plain(dst, src0, src1), \
							 static_cast<uint32_t>(count)); \
	} \
	template <class T, class U, bool isSetMask = true, class M, class R, \
		  class = std::enable_if_t<detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, \
			     const LocalTensor<U> &src1, const M &mask, const R repeatTimes, \
			     const BinaryRepeatParams &params) \
	{ \
		static_assert(std::is_same_v<T, U> || detail::is_mixed<T, U>, "AscendC::" #name \
			      " has operands of one type, or float from half"); \
		if constexpr (detail::is_mixed<T, U>) \
			detail::mixed<op, isSetMask>(detail::binary(dst, src0, src1, params), dst, src0, src1, mask, \
						     detail::repeats_of(repeatTimes)); \
		else \
			detail::repeated<isSetMask>(ANPU_TILE_VTRI, ANPU_CTL(0, detail::type_of<T>, op), \
						    detail::binary(dst, src0, src1, params), mask, detail::repeats_of(repeatTimes), \
						    detail::per_repeat<T>); \
	}
ASCENDC_TERNARY(MulAddDst, ANPU_TRI_MLA)
ASCENDC_TERNARY(FusedMulAdd, ANPU_TRI_MAD)
ASCENDC_TERNARY(FusedMulAddRelu, ANPU_TRI_MADRELU)
#undef ASCENDC_TERNARY

/* The same with one type, which callers name without naming a second one */
#define ASCENDC_TERNARY(name, op) \
	template <class T> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const int32_t &count) \
	{ \
		detail::elements<ANPU_TILE_VTRI>(ANPU_CTL(0, detail::type_of<T>, op), detail::plain(dst, src0, src1), \
						 static_cast<uint32_t>(count)); \
	} \
	template <class T, bool isSetMask = true, class M, class R, class = std::enable_if_t<detail::is_mask<M>>> \
	ASCENDC_FN void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const M &mask, \
			     const R repeatTimes, const BinaryRepeatParams &params) \
	{ \
		detail::repeated<isSetMask>(ANPU_TILE_VTRI, ANPU_CTL(0, detail::type_of<T>, op), \
					    detail::binary(dst, src0, src1, params), mask, detail::repeats_of(repeatTimes), \
					    detail::per_repeat<T>); \
	}
ASCENDC_TERNARY(FusedMulAdd, ANPU_TRI_MAD)
ASCENDC_TERNARY(FusedMulAddRelu, ANPU_TRI_MADRELU)
ASCENDC_TERNARY(MulAddRelu, ANPU_TRI_MADRELU)
#undef ASCENDC_TERNARY

} // namespace AscendC

#endif
