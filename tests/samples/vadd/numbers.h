/* SPDX-License-Identifier: MIT */
/* Tensors in memory and in files. */
#ifndef VADD_NUMBERS_H
#define VADD_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The two element types */
enum type { FP32, FP16, NO_TYPE };

/* A one-dimensional tensor; fp16 elements are kept as their bits */
struct tensor {
	enum type type;
	size_t count;
	union {
		void *data;
		float *f32;
		uint16_t *f16;
	};
};

size_t type_size(enum type type);
const char *type_name(enum type type);

/* The type that a file's name says it has: .f32, .f16, or NO_TYPE for text */
enum type file_type(const char *path);

/* Allocates memory; prints a sentence and returns -1 if there is none */
int tensor_new(struct tensor *tensor, enum type type, size_t count);
void tensor_free(struct tensor *tensor);

/* Reads or writes a file; prints a sentence and returns -1 on failure */
int tensor_read(struct tensor *tensor, enum type type, const char *path);
int tensor_write(const struct tensor *tensor, const char *path);

double tensor_get(const struct tensor *tensor, size_t i);
void tensor_set(struct tensor *tensor, size_t i, double value);

#endif /* VADD_NUMBERS_H */
