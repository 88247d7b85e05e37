// SPDX-License-Identifier: MIT
/* Vector operators beside the same algorithm in plain C on the same memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "loops.h"
#include "rows.h"

#define ADD_ELEMENTS	(64ULL << 20)
#define ROWS		8192ULL
#define COLS		2048ULL

/* three tensors of 64 Mi numbers of 4 bytes, and layernorm's parameters */
static struct {
	void *x, *y, *z;
	float *gamma, *beta;
} mem;

/* The same few values as fp32 or fp16: neither speed nor memory traffic depends on them. */
static void fill(void *to, bool half, uint64_t n)
{
	uint16_t values16[1024];
	float values[1024];

	for (int i = 0; i < 1024; i++) {
		values[i] = (float)((i * 37) % 101) / 16 - 3;
		values16[i] = float_to_half(values[i]);
	}
	for (uint64_t i = 0; i < n; i += 1024)
		if (half)
			memcpy((uint16_t *)to + i, values16, sizeof(values16));
		else
			memcpy((float *)to + i, values, sizeof(values));
}

/* A row of the host and one of the NPU */
static void add_pair(struct row *rows, const char *name, uint64_t work,
		     uint64_t (*measure)(const void *ctx), const struct loop *loop,
		     const struct launch *launch)
{
	char floor[64];

	snprintf(floor, sizeof(floor), "host_%s", name);
	rows[0] = (struct row){ strdup(floor), BENCH_MELS, NULL, work, measure, loop,
				.threads = loop->threads };
	rows[1] = (struct row){ name, BENCH_MELS, rows[0].name, work, measure_launch, launch,
				.threads = loop->threads };
}

static void bench_vadd(const struct bench *b, bool half)
{
	struct loop loop = { b->threads, 1, ADD_ELEMENTS, mem.x, mem.y, NULL, mem.z };
	struct launch launch = {
		.device = b->all,
		.kernel = bench_kernel(b, "vadd", half ? "vadd_f16" : "vadd_f32"),
		.blocks = 8 * b->threads,
		.args = { memory_va(mem.x), memory_va(mem.y), memory_va(mem.z), ADD_ELEMENTS },
		.slots = 4,
		.launches = 1,
	};
	struct row rows[2];

	fill(mem.x, half, ADD_ELEMENTS);
	fill(mem.y, half, ADD_ELEMENTS);
	add_pair(rows, half ? "vadd_f16" : "vadd_f32", ADD_ELEMENTS,
		 half ? loop_add_f16 : loop_add_f32, &loop, &launch);
	measure_rows(rows, 2, b->quick ? 1 : 11);
}

/**
 * struct row_kernel - a kernel that takes rows x cols numbers
 * @name: kernel and row of the table
 * @file: its operator
 */
struct row_kernel {
	const char *name;
	const char *file;
	uint64_t (*host)(const void *ctx);
	bool half;
	bool affine;	/* has gamma, beta and epsilon */
};

static const struct row_kernel row_kernels[] = {
	{ "softmax_f32", "softmax", loop_softmax_f32, false, false },
	{ "softmax_f16", "softmax", loop_softmax_f16, true, false },
	{ "layernorm_f32", "layernorm", loop_layernorm_f32, false, true },
	{ "layernorm_f16", "layernorm", loop_layernorm_f16, true, true },
	{ "reduce_sum_f32", "reduce", loop_reduce_sum_f32, false, false },
	{ "reduce_sum_f16", "reduce", loop_reduce_sum_f16, true, false },
	{ "reduce_max_f32", "reduce", loop_reduce_max_f32, false, false },
	{ "reduce_max_f16", "reduce", loop_reduce_max_f16, true, false },
};

static void bench_row_kernel(const struct bench *b, const struct row_kernel *r)
{
	struct loop loop = { b->threads, ROWS, COLS, mem.x, mem.gamma, mem.beta, mem.z };
	struct launch launch = {
		.device = b->all,
		.kernel = bench_kernel(b, r->file, r->name),
		.blocks = 8 * b->threads,
		.launches = 1,
	};
	const uint64_t plain[] = { memory_va(mem.x), memory_va(mem.z), ROWS, COLS };
	uint64_t affine[] = { memory_va(mem.x), memory_va(mem.gamma), memory_va(mem.beta),
			      memory_va(mem.z), ROWS, COLS, 0 };
	const float epsilon = LOOP_EPSILON;
	struct row rows[2];

	memcpy(&affine[6], &epsilon, sizeof(epsilon));
	memcpy(launch.args, r->affine ? affine : plain, r->affine ? sizeof(affine) : sizeof(plain));
	launch.slots = r->affine ? 7 : 4;
	fill(mem.x, r->half, ROWS * COLS);
	add_pair(rows, r->name, ROWS * COLS, r->host, &loop, &launch);
	measure_rows(rows, 2, b->quick ? 1 : 15);
}

void bench_vectors(const struct bench *b)
{
	mem.x = memory_alloc(ADD_ELEMENTS * 4);
	mem.y = memory_alloc(ADD_ELEMENTS * 4);
	mem.z = memory_alloc(ADD_ELEMENTS * 4);
	mem.gamma = memory_alloc(COLS * 4);
	mem.beta = memory_alloc(COLS * 4);
	fill(mem.gamma, false, COLS);
	fill(mem.beta, false, COLS);
	bench_vadd(b, false);
	bench_vadd(b, true);
	for (size_t i = 0; i < sizeof(row_kernels) / sizeof(row_kernels[0]); i++)
		bench_row_kernel(b, &row_kernels[i]);
}
