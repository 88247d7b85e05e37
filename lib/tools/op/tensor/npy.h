/* SPDX-License-Identifier: MIT */
/* Files of NumPy, as numpy.save() writes them. */
#ifndef OP_NPY_H
#define OP_NPY_H

#include "op/tensor/tensor.h"

/** op_npy_name() - does a file of this name have NumPy's format? */
bool op_npy_name(const char *path);

/**
 * op_npy_read() - type, shape and elements of @path
 * @arg: its type and shape must agree if they are known; is filled
 * @text: the argument, for messages
 *
 * Return: 0, or -1 after printing why not
 */
int op_npy_read(struct op_arg *arg, const char *path, const char *text);

/**
 * op_npy_header() - write the header, which stands before the elements; -1: the file cannot be
 * written
 */
int op_npy_header(const struct op_arg *arg, FILE *file);

#endif /* OP_NPY_H */
