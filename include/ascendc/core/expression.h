/* SPDX-License-Identifier: MIT */
/*
 * Operators on tensors: dst = a + b. The right side is an Expression that remembers its operands; the
 * assignment runs it over as many elements as dst has.
 */
#ifndef ASCENDC_CORE_EXPRESSION_H
#define ASCENDC_CORE_EXPRESSION_H

#include "enums.h"

namespace AscendC {

template <class T> class LocalTensor;

namespace detail {

template <anpu_bin_op op, class T> struct Binary {
	using anpu_expression = void;
	LocalTensor<T> a, b;

	template <class U> ASCENDC_FN void assign(const LocalTensor<U> &dst) const
	{
		static_assert(std::is_same_v<T, U>, "the tensors of an expression have one type");
		anpu_tile_VBIN(dst.address, a.address, b.address,
			       ANPU_CTL(dst.GetSize(), type_of<T>, op));
	}
};

template <anpu_cmp_op op, class T> struct Comparison {
	using anpu_expression = void;
	LocalTensor<T> a, b;

	template <class U> ASCENDC_FN void assign(const LocalTensor<U> &dst) const
	{
		static_assert(sizeof(U) == 1, "a comparison of tensors gives bits in a tensor of uint8_t");
		anpu_tile_VCMP(dst.address, a.address, b.address,
			       ANPU_CTL(a.GetSize(), type_of<T>, op));
	}
};

} // namespace detail

#define ASCENDC_OPERATOR(symbol, form, op) \
	template <class T> \
	ASCENDC_FN detail::form<op, T> operator symbol(const LocalTensor<T> &a, const LocalTensor<T> &b) \
	{ \
		return {a, b}; \
	}
ASCENDC_OPERATOR(+, Binary, ANPU_BIN_ADD)
ASCENDC_OPERATOR(-, Binary, ANPU_BIN_SUB)
ASCENDC_OPERATOR(*, Binary, ANPU_BIN_MUL)
ASCENDC_OPERATOR(/, Binary, ANPU_BIN_DIV)
ASCENDC_OPERATOR(&, Binary, ANPU_BIN_AND)
ASCENDC_OPERATOR(|, Binary, ANPU_BIN_OR)
ASCENDC_OPERATOR(<, Comparison, ANPU_CMP_LT)
ASCENDC_OPERATOR(>, Comparison, ANPU_CMP_GT)
ASCENDC_OPERATOR(<=, Comparison, ANPU_CMP_LE)
ASCENDC_OPERATOR(>=, Comparison, ANPU_CMP_GE)
ASCENDC_OPERATOR(==, Comparison, ANPU_CMP_EQ)
ASCENDC_OPERATOR(!=, Comparison, ANPU_CMP_NE)
#undef ASCENDC_OPERATOR

} // namespace AscendC

#endif
