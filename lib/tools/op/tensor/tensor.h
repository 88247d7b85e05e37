/* SPDX-License-Identifier: MIT */
/* The arguments of an operator as they stand on anpu-op's command line. */
#ifndef OP_TENSOR_H
#define OP_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/tensor/type.h"

#define OP_VALUE_MAX	4096
#define OP_MAX_DIMS	8
#define OP_MAX_ELEMENTS (1ULL << 30)

enum op_kind {
	OP_TENSOR, /* memory, the kernel gets its address */
	OP_VALUE   /* bytes of the argument block themselves */
};

/**
 * struct op_arg - one argument
 * @kind: which of the rest counts
 * @type: element type, NULL for a structure
 * @dims: dimensions; 0: not known yet
 * @dim: their sizes, the last one varies fastest
 * @count: elements
 * @data: the tensor's elements or the value's bytes
 * @before: copy of a tensor as it was before the run
 * @size: bytes of @data
 * @address: where the kernel sees the tensor
 * @same: of a value, 1 + the number of the tensor whose address it is; 0: it has bytes of its own
 * @members: of a value that is the address of a list of tensors, their numbers
 * @member_count: how many there are; 0: it is no list
 */
struct op_arg {
	enum op_kind kind;
	const struct op_type *type;
	unsigned int dims;
	size_t dim[OP_MAX_DIMS];
	size_t count;
	uint8_t *data;
	uint8_t *before;
	size_t size;
	uint64_t address;
	unsigned int same;
	unsigned int *members;
	unsigned int member_count;
};

/**
 * struct op_param - the kernel's parameter that an argument is for
 * @size: bytes, 0 if unknown
 * @pointer: it is a pointer
 * @type: its C type, "" if unknown
 * @cast: arguments of another type are wanted
 */
struct op_param {
	size_t size;
	bool pointer;
	const char *type;
	bool cast;
};

/**
 * op_arg_parse() - make an argument of its text
 * @text: see op_help in options.c
 * @seed: for random tensors
 *
 * Return: 0, or -1 after printing why not
 */
int op_arg_parse(struct op_arg *arg, const char *text, const struct op_param *param, uint64_t seed);
void op_arg_free(struct op_arg *arg);

/** op_arg_source() - fill @arg, whose type is known, from a source; 0 or -1 with a message */
int op_arg_source(struct op_arg *arg, const char *source, const char *text, uint64_t seed);

/** op_arg_shape() - "4,128" */
void op_arg_shape(const struct op_arg *arg, char *text, size_t size);

/** op_arg_write() - write a tensor to a file, *.npy with its shape; 0 or -1 with a message */
int op_arg_write(const struct op_arg *arg, const char *path);

/** op_complain() - an argument is faulty; returns -1 */
int op_complain(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* OP_TENSOR_H */
