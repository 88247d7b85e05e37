// SPDX-License-Identifier: MIT
/* See loops.h. */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "host.h"
#include "loops.h"

/* fp16: whole vectors, then the rest one by one; the compiler does not do this by itself */

static void from_half(float *restrict to, const uint16_t *restrict from, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
	for (; i < n; i++)
		to[i] = _cvtsh_ss(from[i]);
}

static void to_half(uint16_t *restrict to, const float *restrict from, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		_mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
	for (; i < n; i++)
		to[i] = _cvtss_sh(from[i], 0);
}

/* e to the x to about 2 ulp, for x that do not overflow */
static inline float fast_exp(float x)
{
	float n, r, p, scale;
	int32_t bits;

	x = x < -87 ? -87 : x;
	n = rintf(x * 1.44269504f);
	r = x - n * 0.693359375f;
	r = r + n * 2.12194440e-4f;
	p = 1.9875691500e-4f;
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	bits = ((int32_t)n + 127) << 23;
	memcpy(&scale, &bits, 4);
	return p * scale;
}

/* One row ---------------------------------------------------------------------------------------- */

static void add_row(float *restrict z, const float *restrict x, const float *restrict y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		z[i] = x[i] + y[i];
}

static void add_row_f16(uint16_t *restrict z, const uint16_t *restrict x,
			const uint16_t *restrict y, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256 a = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i)));
		__m256 b = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(y + i)));

		_mm_storeu_si128((void *)(z + i), _mm256_cvtps_ph(_mm256_add_ps(a, b), 0));
	}
	for (; i < n; i++)
		z[i] = _cvtss_sh(_cvtsh_ss(x[i]) + _cvtsh_ss(y[i]), 0);
}

static float sum_row(const float *x, size_t n)
{
	float sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

static float max_row(const float *x, size_t n)
{
	float max = x[0];

	for (size_t i = 1; i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

static void softmax_row(float *restrict z, const float *restrict x, size_t n)
{
	float max = max_row(x, n), sum = 0;

	for (size_t i = 0; i < n; i++) {
		z[i] = fast_exp(x[i] - max);
		sum += z[i];
	}
	for (size_t i = 0; i < n; i++)
		z[i] *= 1 / sum;
}

static void layernorm_row(float *restrict z, const float *restrict x, const float *restrict gamma,
			  const float *restrict beta, size_t n)
{
	float mean = sum_row(x, n) / (float)n, squares = 0, scale;

	for (size_t i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	scale = 1 / sqrtf(squares / (float)n + LOOP_EPSILON);
	for (size_t i = 0; i < n; i++)
		z[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
}

/* All rows of a thread ----------------------------------------------------------------------------- */

/*
 * WORK() makes NAME_f32 and NAME_f16: @work runs for each row of a thread, with x, z and l; in fp16
 * x is a copy of the row in fp32, and @width numbers of z go back to fp16.
 */
#define WORK(name, width, work) \
static void name##_rows_f32(const void *ctx, unsigned int thread) \
{ \
	const struct loop *l = ctx; \
	size_t row, rows = team_share(l->rows, 1, thread, l->threads, &row), n = l->cols; \
	for (; rows--; row++) { \
		const float *x = (const float *)l->x + row * n; \
		float *z = (float *)l->z + row * (width); \
		work; \
	} \
} \
static void name##_rows_f16(const void *ctx, unsigned int thread) \
{ \
	const struct loop *l = ctx; \
	size_t row, rows = team_share(l->rows, 1, thread, l->threads, &row), n = l->cols; \
	_Alignas(64) float x[LOOP_MAX_COLS], z[LOOP_MAX_COLS]; \
	for (; rows--; row++) { \
		from_half(x, (const uint16_t *)l->x + row * n, n); \
		work; \
		to_half((uint16_t *)l->z + row * (width), z, width); \
	} \
} \
uint64_t loop_##name##_f32(const void *ctx) \
{ \
	return team_run(((const struct loop *)ctx)->threads, name##_rows_f32, ctx); \
} \
uint64_t loop_##name##_f16(const void *ctx) \
{ \
	return team_run(((const struct loop *)ctx)->threads, name##_rows_f16, ctx); \
}

WORK(softmax, n, softmax_row(z, x, n))
WORK(layernorm, n, layernorm_row(z, x, l->y, l->w, n))
WORK(reduce_sum, 1, *z = sum_row(x, n))
WORK(reduce_max, 1, *z = max_row(x, n))

static void add_rows_f32(const void *ctx, unsigned int thread)
{
	const struct loop *l = ctx;
	size_t at, n = team_share(l->rows * l->cols, 16, thread, l->threads, &at);

	add_row((float *)l->z + at, (const float *)l->x + at, (const float *)l->y + at, n);
}

static void add_rows_f16(const void *ctx, unsigned int thread)
{
	const struct loop *l = ctx;
	size_t at, n = team_share(l->rows * l->cols, 16, thread, l->threads, &at);

	add_row_f16((uint16_t *)l->z + at, (const uint16_t *)l->x + at, (const uint16_t *)l->y + at,
		    n);
}

uint64_t loop_add_f32(const void *ctx)
{
	return team_run(((const struct loop *)ctx)->threads, add_rows_f32, ctx);
}

uint64_t loop_add_f16(const void *ctx)
{
	return team_run(((const struct loop *)ctx)->threads, add_rows_f16, ctx);
}
