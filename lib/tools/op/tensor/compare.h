/* SPDX-License-Identifier: MIT */
/* Comparing results with the expected ones. */
#ifndef OP_COMPARE_H
#define OP_COMPARE_H

#include "op/tensor/tensor.h"

/**
 * struct op_tolerance - when two elements are the same: if one of these says so
 * @relative: |got - want| <= relative * max(1, |want|)
 * @rtol: |got - want| <= atol + rtol * |want|, as numpy.allclose() has it
 * @atol: see @rtol
 * @ulp: at most so many numbers of the type are between them
 */
struct op_tolerance {
	double relative;
	double rtol;
	double atol;
	uint64_t ulp;
};

#define OP_MISMATCHES 64

/**
 * struct op_comparison - how a tensor compares
 * @count: elements
 * @wrong: those that differ by more than the tolerance
 * @max_abs: largest difference of all elements, infinite if one is infinite or NaN
 * @max_rel: largest difference in relation to the expected value
 * @max_ulp: largest difference in numbers of the type
 * @worst: element of @max_ulp
 * @shown: entries of @index: the first that differ
 * @want: the expected tensor; op_comparison_free()
 */
struct op_comparison {
	size_t count;
	size_t wrong;
	double max_abs;
	double max_rel;
	uint64_t max_ulp;
	size_t worst;
	unsigned int shown;
	size_t index[OP_MISMATCHES];
	struct op_arg want;
};

/**
 * op_compare() - compare a tensor with a file's or a list's elements
 * @want: "@FILE", "zero", "iota" or numbers as in a tensor's text
 * @limit: of @c->shown, at most OP_MISMATCHES
 *
 * Return: 0, or -1 after printing why @want cannot be compared
 */
int op_compare(const struct op_arg *arg, const char *want, const struct op_tolerance *tolerance,
	       unsigned int limit, struct op_comparison *c);
void op_comparison_free(struct op_comparison *c);

/** op_comparison_print() - print to stderr which elements differ; @name: of the argument */
void op_comparison_print(const struct op_comparison *c, const struct op_arg *arg, const char *name);

/** op_index() - "17" or "3,17": an element's place by the tensor's shape */
void op_index(const struct op_arg *arg, size_t index, char *text, size_t size);

#endif /* OP_COMPARE_H */
