// SPDX-License-Identifier: MIT
/* Operators that take each element for itself, and the sum of all. */
#include <math.h>
#include <string.h>

#include "job.h"

#define PIECE 1024	/* numbers of fp16 that are fp32 at a time */

/* add: z = x + y, fp16; n are the elements of a block, and of a tile */

static void make_add(struct job *j)
{
	size_t n = (size_t)j->shape.blocks * j->shape.n[0];

	job_reals(j, F16, n, -4, 4);
	job_reals(j, F16, n, -4, 4);
	job_result(j, F16, n);
	job_number(j, j->shape.n[0]);
	job_number(j, j->shape.n[1]);
	j->work = n;
}

static void same_add(struct job *j)
{
	job_no_args(j);
	for (int i = 0; i < 3; i++)
		job_again(j, i);
	job_number(j, j->tensor[0].count);
}

static void loop_add(const struct job *j)
{
	size_t n = j->tensor[0].count;
	float x[PIECE], y[PIECE];

	for (size_t at = 0; at < n; at += PIECE) {
		size_t now = n - at < PIECE ? n - at : PIECE;

		numbers_of(x, &j->tensor[0], at, now);
		numbers_of(y, &j->tensor[1], at, now);
		for (size_t i = 0; i < now; i++)
			x[i] += y[i];
		to_kind(j->tensor[2].want, F16, at, x, now);
	}
}

/* leaky_relu: the host says by tiling data how long a tile is */

#define SLOPE 0.3f

static void make_leaky_relu(struct job *j)
{
	struct { uint32_t total, tile; float slope; } tiling = { j->shape.n[0], j->shape.n[1], SLOPE };

	job_reals(j, F32, j->shape.n[0], -4, 4);
	job_result(j, F32, j->shape.n[0]);
	job_number(j, 0);
	job_bytes(j, U8, sizeof(tiling), &tiling);
	j->work = j->shape.n[0];
}

static void loop_leaky_relu(const struct job *j)
{
	const float *restrict x = j->tensor[0].data;
	float *restrict y = j->tensor[1].want;

	for (size_t i = 0; i < j->shape.n[0]; i++)
		y[i] = x[i] > 0 ? x[i] : x[i] * SLOPE;
}

static void make_gelu(struct job *j)
{
	job_reals(j, F16, j->shape.n[0], -8, 8);
	job_result(j, F16, j->shape.n[0]);
	job_number(j, j->shape.n[0]);
	j->work = j->shape.n[0];
}

static void loop_gelu(const struct job *j)
{
	size_t n = j->shape.n[0];
	float x[PIECE];

	for (size_t at = 0; at < n; at += PIECE) {
		size_t now = n - at < PIECE ? n - at : PIECE;

		numbers_of(x, &j->tensor[0], at, now);
		for (size_t i = 0; i < now; i++)
			x[i] = x[i] / (1 + expf(-1.5957691f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
		to_kind(j->tensor[1].want, F16, at, x, now);
	}
}

/* reduce_sum: blocks add to one number */

static void make_reduce_sum(struct job *j)
{
	job_steps(j, F32, j->shape.n[0], 0.25f);
	job_result(j, F32, 1);
	job_number(j, j->shape.n[0]);
	j->work = j->shape.n[0];
}

static void same_reduce_sum(struct job *j)
{
	job_no_args(j);
	job_again(j, 0);
	job_again(j, 1);
	job_number(j, 1);
	job_number(j, j->shape.n[0]);
}

static void loop_reduce_sum(const struct job *j)
{
	const float *x = j->tensor[0].data;
	float sum = 0;

	for (size_t i = 0; i < j->shape.n[0]; i++)
		sum += x[i];
	*(float *)j->tensor[1].want = sum;
}

/* dropout: a bit of the mask for each number */

#define KEEP 0.75f

static void make_dropout(struct job *j)
{
	size_t n = j->shape.n[0];

	job_reals(j, F32, n, -4, 4);
	job_reals(j, U8, (n + 7) / 8, 0, 256);
	job_result(j, F32, n);
	job_number(j, n);
	job_real(j, KEEP);
	j->work = n;
}

static void loop_dropout(const struct job *j)
{
	const float *restrict x = j->tensor[0].data;
	const uint8_t *restrict mask = j->tensor[1].data;
	float *restrict y = j->tensor[2].want;
	size_t i, n = j->shape.n[0];

	for (i = 0; i + 8 <= n; i += 8)
		for (size_t bit = 0; bit < 8; bit++)
			y[i + bit] = mask[i / 8] & 1 << bit ? x[i + bit] / KEEP : 0;
	for (; i < n; i++)
		y[i] = mask[i / 8] >> i % 8 & 1 ? x[i] / KEEP : 0;
}

/* adam: m, v and the parameters change in place */

static const struct { uint32_t n; float rate, beta1, beta2, epsilon, correct1, correct2; }
	adam = { 0, 1e-2f, 0.9f, 0.999f, 1e-8f, 3.6900369f, 333.66700f };

static void make_adam(struct job *j)
{
	uint32_t tiling[sizeof(adam) / 4];

	memcpy(tiling, &adam, sizeof(adam));
	tiling[0] = j->shape.n[0];
	job_reals(j, F32, tiling[0], -4, 4);
	for (int i = 0; i < 3; i++) {
		job_reals(j, F32, tiling[0], i == 1 ? 0 : -4, 4);
		job_changed(j);
	}
	job_number(j, 0);
	job_bytes(j, U8, sizeof(tiling), tiling);
	j->work = tiling[0];
}

static void loop_adam(const struct job *j)
{
	const float *restrict g = j->tensor[0].data, *restrict m = j->tensor[1].data, *restrict v = j->tensor[2].data;
	const float *restrict p = j->tensor[3].data;
	float *restrict m2 = j->tensor[1].want, *restrict v2 = j->tensor[2].want, *restrict p2 = j->tensor[3].want;

	for (size_t i = 0; i < j->shape.n[0]; i++) {
		m2[i] = adam.beta1 * m[i] + (1 - adam.beta1) * g[i];
		v2[i] = adam.beta2 * v[i] + (1 - adam.beta2) * g[i] * g[i];
		p2[i] = p[i] - adam.rate * adam.correct1 * m2[i] / (sqrtf(adam.correct2 * v2[i]) + adam.epsilon);
	}
}

/* The cast family; the second size is the rounding mode: 0 none is needed, 1 to even */

#define MAKE_CAST(name, from, to, low, high) \
static void make_##name(struct job *j) \
{ \
	job_reals(j, from, j->shape.n[0], low, high); \
	job_result(j, to, j->shape.n[0]); \
	job_number(j, j->shape.n[0]); \
	job_number(j, j->shape.n[1]); \
	j->work = j->shape.n[0]; \
}
MAKE_CAST(f32_f16, F32, F16, -9, 9)
MAKE_CAST(f16_f32, F16, F32, -9, 9)
MAKE_CAST(f32_s32, F32, S32, -900, 900)
MAKE_CAST(f32_s16, F32, S16, -40000, 40000)
MAKE_CAST(f16_s8, F16, S8, -200, 200)
MAKE_CAST(s32_f32, S32, F32, -900, 900)
MAKE_CAST(u8_f16, U8, F16, 0, 256)

static void loop_f32_f16(const struct job *j)
{
	to_kind(j->tensor[1].want, F16, 0, j->tensor[0].data, j->shape.n[0]);
}

static void loop_f16_f32(const struct job *j)
{
	numbers_of(j->tensor[1].want, &j->tensor[0], 0, j->shape.n[0]);
}

static inline float bounded(float x, float low, float high)
{
	x = x < low ? low : x;
	return x > high ? high : x;
}

static void loop_f32_s32(const struct job *j)
{
	const float *restrict x = j->tensor[0].data;
	int32_t *restrict y = j->tensor[1].want;

	for (size_t i = 0; i < j->shape.n[0]; i++)
		y[i] = (int32_t)rintf(x[i]);
}

static void loop_f32_s16(const struct job *j)
{
	const float *restrict x = j->tensor[0].data;
	int16_t *restrict y = j->tensor[1].want;

	for (size_t i = 0; i < j->shape.n[0]; i++)
		y[i] = (int16_t)(int32_t)bounded(rintf(x[i]), -32768, 32767);
}

static void loop_f16_s8(const struct job *j)
{
	int8_t *restrict y = j->tensor[1].want;
	size_t n = j->shape.n[0];
	float x[PIECE];

	for (size_t at = 0; at < n; at += PIECE) {
		size_t now = n - at < PIECE ? n - at : PIECE;

		numbers_of(x, &j->tensor[0], at, now);
		for (size_t i = 0; i < now; i++)
			y[at + i] = (int8_t)(int32_t)bounded(rintf(x[i]), -128, 127);
	}
}

static void loop_s32_f32(const struct job *j)
{
	const int32_t *restrict x = j->tensor[0].data;
	float *restrict y = j->tensor[1].want;

	for (size_t i = 0; i < j->shape.n[0]; i++)
		y[i] = (float)x[i];
}

static void loop_u8_f16(const struct job *j)
{
	const uint8_t *restrict from = j->tensor[0].data;
	size_t n = j->shape.n[0];
	float x[PIECE];

	for (size_t at = 0; at < n; at += PIECE) {
		size_t now = n - at < PIECE ? n - at : PIECE;

		for (size_t i = 0; i < now; i++)
			x[i] = from[at + i];
		to_kind(j->tensor[1].want, F16, at, x, now);
	}
}

#define MANY (1 << 20)
#define CAST(name, mode) \
	{ "cast_" #name, "cast_custom", "cast_" #name, make_##name, loop_##name, 0, false, NULL, NULL, \
	  { { 8, { MANY, mode } }, { 3, { 1707, mode } }, { 1, { 1, mode } } } }

const struct operator elementwise_operators[] = {
	{ "add", "add_custom", "add_custom", make_add, loop_add, 0, false, "vadd vadd_f16", same_add,
	  { { 8, { MANY / 8, 8192 } }, { 1, { 16, 16 } }, { 3, { 496, 112 } } } },
	{ "leaky_relu", "leaky_relu_custom", "leaky_relu_custom", make_leaky_relu, loop_leaky_relu, 0, false, NULL, NULL,
	  { { 8, { MANY, 8192 } }, { 1, { 1, 64 } }, { 5, { 4097, 512 } } } },
	{ "gelu", "gelu_custom", "gelu_custom", make_gelu, loop_gelu, 1e-3, false, NULL, NULL,
	  { { 8, { MANY } }, { 1, { 5 } }, { 4, { 5000 } } } },
	{ "reduce_sum", "reduce_sum_custom", "reduce_sum_custom", make_reduce_sum, loop_reduce_sum, 0, false,
	  "reduce reduce_sum_f32", same_reduce_sum, { { 8, { MANY } }, { 1, { 3 } }, { 4, { 9999 } } } },
	{ "dropout", "dropout_custom", "dropout_custom", make_dropout, loop_dropout, 1e-6, false, NULL, NULL,
	  { { 8, { MANY } }, { 1, { 8 } }, { 3, { 1707 } } } },
	{ "adam", "adam_custom", "adam_custom", make_adam, loop_adam, 1e-6, false, NULL, NULL,
	  { { 8, { MANY } }, { 1, { 1 } }, { 3, { 2500 } } } },
	CAST(f32_f16, 1), CAST(f16_f32, 0), CAST(f32_s32, 1), CAST(f32_s16, 1), CAST(f16_s8, 1), CAST(s32_f32, 1), CAST(u8_f16, 0),
	{ 0 },
};
