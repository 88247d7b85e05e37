// SPDX-License-Identifier: MIT
/* Operators that take a matrix row by row. The sizes are rows and columns first, then what each says. */
#include <math.h>
#include <string.h>

#include "job.h"

#define MAX_COLS 4096

static void make_softmax(struct job *j)
{
	uint32_t rows = j->shape.n[0], cols = j->shape.n[1];

	job_reals(j, F32, (size_t)rows * cols, -20, 20);
	job_result(j, F32, (size_t)rows * cols);
	job_number(j, rows);
	job_number(j, cols);
	j->work = (uint64_t)rows * cols;
}

/* The operator with intrinsics has the same arguments. */
static void same_softmax(struct job *j)
{
	(void)j;
}

/* y = softmax of @n numbers, which may be y itself */
static void softmax(float *y, const float *x, size_t n)
{
	float max = x[0], sum = 0;

	for (size_t i = 1; i < n; i++)
		max = x[i] > max ? x[i] : max;
	for (size_t i = 0; i < n; i++) {
		y[i] = expf(x[i] - max);
		sum += y[i];
	}
	for (size_t i = 0; i < n; i++)
		y[i] *= 1 / sum;
}

static void loop_softmax(const struct job *j)
{
	uint32_t rows = j->shape.n[0], cols = j->shape.n[1];

	for (size_t row = 0; row < rows; row++)
		softmax((float *)j->tensor[1].want + row * cols, (const float *)j->tensor[0].data + row * cols, cols);
}

#define EPSILON 1e-5f

static void make_layer_norm(struct job *j)
{
	struct { uint32_t rows, cols; float epsilon; } tiling = { j->shape.n[0], j->shape.n[1], EPSILON };
	size_t n = (size_t)tiling.rows * tiling.cols;

	job_reals(j, F32, n, -4, 4);
	job_reals(j, F32, tiling.cols, -4, 4);
	job_reals(j, F32, tiling.cols, -4, 4);
	job_result(j, F32, n);
	job_number(j, 0);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = n;
}

static void same_layer_norm(struct job *j)
{
	job_no_args(j);
	for (int i = 0; i < 4; i++)
		job_again(j, i);
	job_number(j, j->shape.n[0]);
	job_number(j, j->shape.n[1]);
	job_real(j, EPSILON);
}

static void norm_row(float *restrict y, const float *restrict x, const float *restrict gamma, const float *restrict beta, size_t n)
{
	float mean = 0, squares = 0, scale;

	for (size_t i = 0; i < n; i++)
		mean += x[i];
	mean /= (float)n;
	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	scale = 1 / sqrtf(squares / (float)n + EPSILON);
	for (size_t i = 0; i < n; i++)
		y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
}

static void loop_layer_norm(const struct job *j)
{
	size_t cols = j->shape.n[1];

	for (size_t row = 0; row < j->shape.n[0]; row++)
		norm_row((float *)j->tensor[3].want + row * cols, (const float *)j->tensor[0].data + row * cols, j->tensor[1].data,
			 j->tensor[2].data, cols);
}

static void make_rms_norm(struct job *j)
{
	uint32_t rows = j->shape.n[0], cols = j->shape.n[1];

	job_reals(j, F16, (size_t)rows * cols, -4, 4);
	job_reals(j, F16, cols, -4, 4);
	job_result(j, F16, (size_t)rows * cols);
	job_number(j, rows);
	job_number(j, cols);
	j->work = (uint64_t)rows * cols;
}

static void loop_rms_norm(const struct job *j)
{
	size_t cols = j->shape.n[1];
	float x[MAX_COLS], gamma[MAX_COLS];

	numbers_of(gamma, &j->tensor[1], 0, cols);
	for (size_t row = 0; row < j->shape.n[0]; row++) {
		float squares = 0, scale;

		numbers_of(x, &j->tensor[0], row * cols, cols);
		for (size_t i = 0; i < cols; i++)
			squares += x[i] * x[i];
		scale = 1 / sqrtf(squares / (float)cols + EPSILON);
		for (size_t i = 0; i < cols; i++)
			x[i] *= scale * gamma[i];
		to_kind(j->tensor[2].want, F16, row * cols, x, cols);
	}
}

static void make_rotary(struct job *j)
{
	uint32_t rows = j->shape.n[0], dim = j->shape.n[1];
	size_t n = (size_t)rows * dim;
	float *cos, *sin;

	job_reals(j, F32, n, -4, 4);
	cos = job_reals(j, F32, n, 0, 1);
	sin = job_reals(j, F32, n, 0, 1);
	for (size_t i = 0; i < n; i++) {
		float angle = (float)(i / dim) * powf(10000, -2 * (float)(i % (dim / 2)) / (float)dim);

		cos[i] = cosf(angle);
		sin[i] = sinf(angle);
	}
	job_result(j, F32, n);
	job_number(j, rows);
	job_number(j, dim);
	j->work = n;
}

static void loop_rotary(const struct job *j)
{
	size_t dim = j->shape.n[1], part = dim / 2;

	for (size_t row = 0; row < j->shape.n[0]; row++) {
		const float *restrict x = (const float *)j->tensor[0].data + row * dim;
		const float *restrict cos = (const float *)j->tensor[1].data + row * dim;
		const float *restrict sin = (const float *)j->tensor[2].data + row * dim;
		float *restrict y = (float *)j->tensor[3].want + row * dim;

		for (size_t i = 0; i < part; i++) {
			y[i] = x[i] * cos[i] - x[i + part] * sin[i];
			y[i + part] = x[i + part] * cos[i + part] + x[i] * sin[i + part];
		}
	}
}

/* gather: rows of a table, by an index that may lie outside; the sizes are its entries, how many rows, their length */

static void make_gather(struct job *j)
{
	uint32_t entries = j->shape.n[0], n = j->shape.n[1], dim = j->shape.n[2];

	job_reals(j, F16, (size_t)entries * dim, -4, 4);
	job_reals(j, S32, n, -1, (float)entries + 1);
	job_result(j, F16, (size_t)n * dim);
	job_number(j, entries);
	job_number(j, n);
	job_number(j, dim);
	j->work = (uint64_t)n * dim;
}

static void loop_gather(const struct job *j)
{
	const int32_t *index = j->tensor[1].data;
	size_t dim = j->shape.n[2];

	for (size_t i = 0; i < j->shape.n[1]; i++) {
		half *to = (half *)j->tensor[2].want + i * dim;

		if (index[i] >= 0 && (uint32_t)index[i] < j->shape.n[0])
			memcpy(to, (const half *)j->tensor[0].data + (size_t)index[i] * dim, dim * sizeof(half));
		else
			memset(to, 0, dim * sizeof(half));
	}
}

/* topk: the sizes are how many numbers there are, and how many are taken */

static void make_topk(struct job *j)
{
	uint32_t n = j->shape.n[0], k = j->shape.n[1];
	float *x = job_reals(j, F32, n, 0, 1);

	/* no two are the same: an odd factor takes 1024 numbers to as many */
	for (uint32_t i = 0; i < n; i++)
		x[i] = (float)(i * 389 % 1024) / 8 - 50;
	job_result(j, F32, k);
	job_result(j, U32, k);
	job_number(j, n);
	job_number(j, k);
	j->work = n;
}

/* The @k greatest of @n numbers, the greatest first */
static void greatest(float *values, uint32_t *places, const float *x, uint32_t n, uint32_t k)
{
	for (uint32_t i = 0, have = 0; i < n; i++) {
		uint32_t at = have;

		if (have == k && !(x[i] > values[k - 1]))
			continue;
		have += have < k;
		at -= at == k;
		for (; at && x[i] > values[at - 1]; at--) {
			values[at] = values[at - 1];
			places[at] = places[at - 1];
		}
		values[at] = x[i];
		places[at] = i;
	}
}

static void loop_topk(const struct job *j)
{
	greatest(j->tensor[1].want, j->tensor[2].want, j->tensor[0].data, j->shape.n[0], j->shape.n[1]);
}

/* moe_routing: tokens, experts, how many of them for a token */

#define MAX_EXPERTS 32

static void make_moe_routing(struct job *j)
{
	uint32_t tokens = j->shape.n[0], experts = j->shape.n[1], k = j->shape.n[2];

	job_reals(j, F32, (size_t)tokens * experts, -5, 5);
	job_result(j, F32, (size_t)tokens * k);
	job_result(j, U32, (size_t)tokens * k);
	job_result(j, S32, experts);
	job_number(j, tokens);
	job_number(j, experts);
	job_number(j, k);
	j->work = (uint64_t)tokens * experts;
}

static void loop_moe_routing(const struct job *j)
{
	uint32_t tokens = j->shape.n[0], experts = j->shape.n[1], k = j->shape.n[2];
	uint32_t *chosen = j->tensor[2].want;
	int32_t *counts = j->tensor[3].want;

	memset(counts, 0, experts * sizeof(*counts));
	for (size_t token = 0; token < tokens; token++, chosen += k) {
		float values[MAX_EXPERTS];

		greatest(values, chosen, (const float *)j->tensor[0].data + token * experts, experts, k);
		softmax((float *)j->tensor[1].want + token * k, values, k);
		for (uint32_t i = 0; i < k; i++)
			counts[chosen[i]]++;
	}
}

const struct operator row_operators[] = {
	{ "softmax", "softmax_custom", "softmax_custom", make_softmax, loop_softmax, 1e-6, false, "softmax softmax_f32", same_softmax,
	  { { 8, { 512, 2048 } }, { 1, { 1, 1 } }, { 3, { 7, 1000 } } } },
	{ "layer_norm", "layer_norm_custom", "layer_norm_custom", make_layer_norm, loop_layer_norm, 1e-5, false,
	  "layernorm layernorm_f32", same_layer_norm, { { 8, { 512, 2048 } }, { 1, { 2, 8 } }, { 4, { 5, 777 } } } },
	{ "rms_norm", "rms_norm_custom", "rms_norm_custom", make_rms_norm, loop_rms_norm, 1e-3, false, NULL, NULL,
	  { { 8, { 512, 2048 } }, { 1, { 1, 5 } }, { 3, { 7, 100 } } } },
	{ "rotary", "rotary_custom", "rotary_custom", make_rotary, loop_rotary, 1e-6, false, NULL, NULL,
	  { { 8, { 8192, 128 } }, { 1, { 1, 16 } }, { 3, { 10, 48 } } } },
	{ "gather", "gather_custom", "gather_custom", make_gather, loop_gather, 0, false, NULL, NULL,
	  { { 8, { 1000, 2048, 500 } }, { 1, { 3, 4, 7 } }, { 3, { 50, 33, 100 } } } },
	{ "topk", "topk_custom", "topk_custom", make_topk, loop_topk, 0, false, NULL, NULL,
	  { { 1, { 1024, 17 } }, { 1, { 8, 3 } }, { 1, { 100, 100 } } } },
	{ "moe_routing", "moe_routing", "moe_routing", make_moe_routing, loop_moe_routing, 1e-6, false, NULL, NULL,
	  { { 8, { 4096, 32, 6 } }, { 1, { 1, 4, 1 } }, { 3, { 50, 29, 6 } } } },
	{ 0 },
};
