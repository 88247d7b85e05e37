/* SPDX-License-Identifier: MIT */
/* The element types of tensors. */
#ifndef OP_TYPE_H
#define OP_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum op_form { OP_SIGNED, OP_UNSIGNED, OP_FLOAT, OP_BFLOAT };

/**
 * struct op_type - an element type
 * @name: on the command line
 * @form: how its bits are read
 * @size: bytes
 * @npy: NumPy's name for it, without the mark for the order of bytes
 */
struct op_type {
	const char *name;
	enum op_form form;
	size_t size;
	const char *npy;
};

/** op_type_find() - the type whose name @text begins with, before one of @ends; @rest: there */
const struct op_type *op_type_find(const char *text, const char *ends, const char **rest);
/** op_type_of() - the type of a form and size, or NULL */
const struct op_type *op_type_of(enum op_form form, size_t size);
/** op_type_npy() - the type that NumPy calls @name ("f4"), or NULL */
const struct op_type *op_type_npy(const char *name);
bool op_type_real(const struct op_type *type);

/** op_half_value() - what the bits of an fp16 number mean */
double op_half_value(uint16_t bits);

double op_get(const uint8_t *at, const struct op_type *type);
void op_put_integer(uint8_t *at, const struct op_type *type, int64_t value);
void op_put_real(uint8_t *at, const struct op_type *type, double value);
/** op_put_text() - write the number that is all of [text, end); -1 if it is none of that type */
int op_put_text(uint8_t *at, const struct op_type *type, const char *text, const char *end);

/** op_format() - an element as text, as many digits as tell it from its neighbours */
void op_format(char *text, size_t size, const uint8_t *at, const struct op_type *type);

/**
 * op_distance() - how many numbers of the type lie between two; for integers their difference;
 * UINT64_MAX if one is NaN and the other is not
 */
uint64_t op_distance(const uint8_t *a, const uint8_t *b, const struct op_type *type);

/** op_ctype() - the type that a C type has, or that a C pointer points to; NULL: it is none of them */
const struct op_type *op_ctype(const char *text, bool pointer);
/** op_ctype_takes() - whether a pointer of C type @text may point to a tensor of @type */
bool op_ctype_takes(const char *text, const struct op_type *type);

#endif /* OP_TYPE_H */
