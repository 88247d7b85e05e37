/* SPDX-License-Identifier: MIT */
/*
 * The operators of tests/ascendc/operators as host programs launch them: for each the tensors, the arguments, and the same in plain C.
 * tests/libacl/launch/ascendc.c launches them through libacl and compares; tests/bench/operators measures them beside the C, for which the
 * compiler does the best that it can on this machine (-O3 -march=native -ffast-math).
 */
#ifndef OPERATORS_JOB_H
#define OPERATORS_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_TENSORS	6
#define JOB_SLOTS	10
#define JOB_SIZES	5
#define JOB_SHAPES	4

typedef _Float16 half;

/** enum kind - types of elements; BF16 is the upper half of an fp32 number */
enum kind { F32, F16, BF16, S8, U8, S16, S32, U32, U64 };

/**
 * struct tensor - one in global memory
 * @data: what stands there before the launch
 * @want: what shall stand there after it; NULL: the operator only reads it
 */
struct tensor {
	enum kind kind;
	size_t count;
	void *data;
	void *want;
};

/**
 * struct shape - how much an operator does
 * @n: sizes, in the order of the operator's arguments or of its tiling
 */
struct shape {
	uint32_t blocks;
	uint32_t n[JOB_SIZES];
};

/**
 * struct job - a launch
 * @tensor_of: the tensor whose address belongs in a slot of @args, or -1
 * @work: elements, or operations of a product of matrices, for the benchmark
 */
struct job {
	struct shape shape;
	struct tensor tensor[JOB_TENSORS];
	unsigned int tensors;
	uint64_t args[JOB_SLOTS];
	int tensor_of[JOB_SLOTS];
	unsigned int slots;
	uint64_t work;
};

/**
 * struct operator - one of tests/ascendc/operators
 * @name: of the test, and of the row "ascendc_NAME" of the benchmark
 * @file, @kernel: in build/tests/ascendc
 * @make: adds tensors and arguments to a job that has a shape
 * @loop: writes what the operator shall write, of tensors that can be changed
 * @tolerance: of a result, relative to max(1, |result|); 0: every bit is the same
 * @products: the work is counted in operations, not in elements
 * @same: "FILE KERNEL" of tests/operators, with intrinsics; NULL: there is none
 * @same_args: its arguments, of a job that @make has made
 * @shapes: the first is the benchmark's, the others the tests'
 */
struct operator {
	const char *name, *file, *kernel;
	void (*make)(struct job *j);
	void (*loop)(const struct job *j);
	double tolerance;
	bool products;
	const char *same;
	void (*same_args)(struct job *j);
	struct shape shapes[JOB_SHAPES];
};

/* Each table ends with an operator without a name. */
extern const struct operator elementwise_operators[], row_operators[], matrix_operators[];

/* Make functions call these; each adds an argument to the job ------------------------------------- */

/** job_reals() - an input of numbers between @low and @high */
void *job_reals(struct job *j, enum kind kind, size_t count, float low, float high);

/** job_steps() - an input of multiples of @step, between -8 and 8 of them: sums of their products are exact in fp32 */
void *job_steps(struct job *j, enum kind kind, size_t count, float step);

/** job_bytes() - an input that is copied from @data: tiling data, masks */
void *job_bytes(struct job *j, enum kind kind, size_t count, const void *data);

/** job_result() - an output; zeroes before the launch */
void job_result(struct job *j, enum kind kind, size_t count);

/** job_changed() - the last tensor is an output, too */
void job_changed(struct job *j);

void job_number(struct job *j, uint64_t value);
void job_real(struct job *j, float value);

/** job_again() - the address of tensor @i as an argument, for @same_args, which begins with job_no_args() */
void job_again(struct job *j, int i);
void job_no_args(struct job *j);

void job_free(struct job *j);

/** job_size() - bytes of a tensor */
size_t job_size(const struct tensor *t);

/** job_check() - @got of the device against @t->want. Return: the first element that is wrong, with both values, or -1 */
long job_check(const struct tensor *t, const void *got, double tolerance, double *is, double *should);

/* Loops call these ---------------------------------------------------------------------------------- */

/** numbers_of() - @n elements from @at of a tensor of F16 or BF16 as fp32; to_kind() is the way back */
void numbers_of(float *to, const struct tensor *t, size_t at, size_t n);
void to_kind(void *to, enum kind kind, size_t at, const float *from, size_t n);

#endif /* OPERATORS_JOB_H */
