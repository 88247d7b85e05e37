/* SPDX-License-Identifier: MIT */
/*
 * The algorithms of the sample operators as plain C loops, which the compiler vectorises for this
 * machine (-O3 -march=native -ffast-math), on all its threads.
 */
#ifndef CORES_LOOPS_H
#define CORES_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct loop - a matrix of rows x cols and what becomes of it
 * @x: the matrix
 * @y: the second one of an addition, or gamma of layernorm
 * @w: beta of layernorm
 * @z: the result
 */
struct loop {
	unsigned int threads;
	size_t rows;
	size_t cols;
	const void *x;
	const void *y;
	const void *w;
	void *z;
};

/* measure functions of rows; of fp16 matrices they compute in fp32 */
uint64_t loop_add_f32(const void *ctx);
uint64_t loop_add_f16(const void *ctx);
uint64_t loop_softmax_f32(const void *ctx);
uint64_t loop_softmax_f16(const void *ctx);
uint64_t loop_layernorm_f32(const void *ctx);
uint64_t loop_layernorm_f16(const void *ctx);
uint64_t loop_reduce_sum_f32(const void *ctx);
uint64_t loop_reduce_sum_f16(const void *ctx);
uint64_t loop_reduce_max_f32(const void *ctx);
uint64_t loop_reduce_max_f16(const void *ctx);

#define LOOP_MAX_COLS	16384
#define LOOP_EPSILON	1e-5f

#endif /* CORES_LOOPS_H */
