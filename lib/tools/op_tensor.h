/* SPDX-License-Identifier: MIT */
/* The arguments of an operator as they stand on anpu-op's command line. */
#ifndef OP_TENSOR_H
#define OP_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OP_VALUE_MAX 4096

enum op_kind {
	OP_TENSOR, /* memory, the kernel gets its address */
	OP_VALUE   /* bytes of the argument block themselves */
};

struct op_type;

/**
 * struct op_arg - one argument
 * @kind: which of the rest counts
 * @type: element type, NULL for a structure
 * @count: elements
 * @data: the tensor's elements or the value's bytes
 * @before: copy of a tensor as it was before the run
 * @size: bytes of @data
 * @address: where the kernel sees the tensor
 */
struct op_arg {
	enum op_kind kind;
	const struct op_type *type;
	size_t count;
	uint8_t *data;
	uint8_t *before;
	size_t size;
	uint64_t address;
};

/**
 * op_arg_parse() - make an argument of its text
 * @text: see usage[] in anpu-op.c
 * @size: bytes that the kernel's parameter has, 0 if unknown
 * @pointer: the kernel's parameter is a pointer
 * @seed: for random tensors
 *
 * Return: 0, or -1 after printing why not
 */
int op_arg_parse(struct op_arg *arg, const char *text, size_t size, bool pointer, uint64_t seed);
void op_arg_free(struct op_arg *arg);

/** op_arg_print() - print a tensor's first @limit elements */
void op_arg_print(const struct op_arg *arg, unsigned int number, size_t limit);

/** op_arg_write() - write a tensor's bytes to a file; 0 or -1 after printing why not */
int op_arg_write(const struct op_arg *arg, const char *path);

/**
 * op_arg_expect() - compare a tensor with a file's or a list's elements
 * @want: "@FILE" or numbers as in a tensor's text
 * @tolerance: largest allowed difference, relative to the wanted value if that is above 1
 *
 * Return: 0, or -1 after printing the first difference
 */
int op_arg_expect(const struct op_arg *arg, unsigned int number, const char *want,
		  double tolerance);

#endif /* OP_TENSOR_H */
