// SPDX-License-Identifier: MIT
/* See samples.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples.h"

#define EPSILON	0.001f

/* Numbers -------------------------------------------------------------------------------------- */

enum kind { F32, F16, BF16, S8 };
static const size_t kind_bytes[] = { 4, 2, 2, 1 };

static uint32_t random_state;

static uint32_t rnd(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state >> 8;
}

static float get(const void *p, size_t i, enum kind kind)
{
	uint32_t bits;
	float f;

	switch (kind) {
	case F32:
		return ((const float *)p)[i];
	case F16:
		return (float)((const _Float16 *)p)[i];
	case BF16:
		bits = (uint32_t)((const uint16_t *)p)[i] << 16;
		memcpy(&f, &bits, 4);
		return f;
	case S8:
		break;
	}
	return ((const int8_t *)p)[i];
}

/* what does not fit into bf16 is cut off */
static void put(void *p, size_t i, enum kind kind, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	if (kind == F32)
		((float *)p)[i] = f;
	else if (kind == F16)
		((_Float16 *)p)[i] = (_Float16)f;
	else if (kind == BF16)
		((uint16_t *)p)[i] = (uint16_t)(bits >> 16);
	else
		((int8_t *)p)[i] = (int8_t)(f * 32);
}

/* half of the distance between neighbours of fp16 */
static double half_ulp_f16(double x)
{
	int e;

	frexp(x, &e);
	return ldexp(1, (e < -13 ? -13 : e) - 12);
}

/* Inputs --------------------------------------------------------------------------------------- */

static void *numbers(size_t n, enum kind kind)
{
	char *p = malloc(n * kind_bytes[kind] + 1);

	for (size_t i = 0; p && i < n; i++)
		put(p, i, kind, (float)(rnd() % 8192) / 1024 - 4);
	if (!p)
		abort();
	return p;
}

static void add_buffer(struct sample *s, void *data, size_t size)
{
	s->data[s->buffers] = data;
	s->size[s->buffers] = size;
	s->buffer_of[s->slots++] = (int)s->buffers++;
}

static void add_value(struct sample *s, uint64_t value)
{
	s->buffer_of[s->slots] = -1;
	s->args[s->slots++] = value;
}

static uint64_t float_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return bits;
}

/* Rows with NaN and infinity among the others, where there are enough rows. */
static void put_specials(struct sample *s, enum kind kind)
{
	size_t n = s->cols;

	if (s->rows < 5 || !n)
		return;
	put(s->data[0], n + n / 2, kind, NAN);
	put(s->data[0], 2 * n + n - 1, kind, INFINITY);
	put(s->data[0], 3 * n, kind, -INFINITY);
}

static void make_add(struct sample *s, enum kind kind)
{
	size_t n = s->cols, bytes = n * kind_bytes[kind];

	add_buffer(s, numbers(n, kind), bytes);
	add_buffer(s, numbers(n, kind), bytes);
	add_buffer(s, NULL, bytes);
	add_value(s, n);
}

static void make_rows(struct sample *s, enum kind kind)
{
	size_t n = (size_t)s->rows * s->cols, bytes = kind_bytes[kind];
	bool affine = !strcmp(s->file, "layernorm");

	add_buffer(s, numbers(n, kind), n * bytes);
	if (affine) {
		add_buffer(s, numbers(s->cols, F32), s->cols * 4);
		add_buffer(s, numbers(s->cols, F32), s->cols * 4);
	}
	add_buffer(s, NULL, (!strcmp(s->file, "reduce") ? s->rows : n) * bytes);
	add_value(s, s->rows);
	add_value(s, s->cols);
	if (affine)
		add_value(s, float_bits(EPSILON));
	put_specials(s, kind);
}

static void make_matmul(struct sample *s, enum kind kind)
{
	size_t a = (size_t)s->rows * s->k, b = (size_t)s->k * s->cols;

	add_buffer(s, numbers(a, kind), a * kind_bytes[kind]);
	add_buffer(s, numbers(b, kind), b * kind_bytes[kind]);
	add_buffer(s, NULL, (size_t)s->rows * s->cols * 4);
	add_value(s, s->rows);
	add_value(s, s->cols);
	add_value(s, s->k);
}

/* Judges --------------------------------------------------------------------------------------- */

static bool differs(char *why, size_t size, size_t row, size_t col, double got, double want,
		    double error)
{
	if (isnan(want) ? isnan(got) : got == want || fabs(got - want) <= error)
		return false;
	snprintf(why, size, "row %zu, column %zu is %.9g, should be %.9g with an error of at most %g",
		 row, col, got, want, error);
	return true;
}

/* exact */
static bool check_add(const struct sample *s, enum kind kind, const void *result, char *why,
		      size_t size)
{
	for (size_t i = 0; i < s->cols; i++) {
		float want = get(s->data[0], i, kind) + get(s->data[1], i, kind);

		if (kind == F16)
			want = (float)(_Float16)want;
		if (differs(why, size, 0, i, get(result, i, kind), want, 0))
			return false;
	}
	return true;
}

/* exact: a fused multiply-add per k, in ascending order; s8 in integers */
static bool check_matmul(const struct sample *s, enum kind kind, const void *result, char *why,
			 size_t size)
{
	bool nt = strstr(s->kernel, "_nt_");

	for (size_t i = 0; i < s->rows; i++)
		for (size_t j = 0; j < s->cols; j++) {
			int32_t integer = 0;
			float sum = 0;

			for (size_t p = 0; p < s->k; p++) {
				float a = get(s->data[0], i * s->k + p, kind);
				float b = get(s->data[1], nt ? j * s->k + p : p * s->cols + j, kind);

				sum = fmaf(a, b, sum);
				integer += (int32_t)a * (int32_t)b;
			}
			if (differs(why, size, i, j,
				    kind == S8 ? ((const int32_t *)result)[i * s->cols + j] :
						 (double)((const float *)result)[i * s->cols + j],
				    kind == S8 ? integer : (double)sum, 0))
				return false;
		}
	return true;
}

/* What a row amounts to, in long double */
struct sums {
	double max;
	long double sum;	/* of the numbers */
	long double abs;	/* of their magnitudes */
	long double exp;	/* of e to the (x - max) */
	long double squares;	/* of what they differ from their mean */
};

static struct sums sums_of(const struct sample *s, enum kind kind, size_t row)
{
	struct sums r = { .max = -INFINITY };
	size_t n = s->cols, at = row * n;

	for (size_t i = 0; i < n; i++) {
		double x = (double)get(s->data[0], at + i, kind);

		r.max = x > r.max || isnan(x) ? x : r.max;
		r.sum += x;
		r.abs += fabs(x);
	}
	for (size_t i = 0; i < n; i++) {
		double x = (double)get(s->data[0], at + i, kind);
		long double d = x - r.sum / (long double)n;

		r.exp += expl((long double)x - r.max);
		r.squares += d * d;
	}
	return r;
}

/* what the result should be, and how far it may be from that, before it is rounded to fp16 */
static double want_of(const struct sample *s, enum kind kind, const struct sums *r, size_t row,
		      size_t col, double *error)
{
	long double n = s->cols, x = (long double)get(s->data[0], row * s->cols + col, kind), want;

	if (!strcmp(s->file, "softmax")) {
		want = expl(x - r->max) / r->exp;
		*error = 2e-5 * (double)want;
	} else if (!strcmp(s->file, "layernorm")) {
		want = (x - r->sum / n) / sqrtl(r->squares / n + (long double)EPSILON);
		want = want * (long double)get(s->data[1], col, F32) +
		       (long double)get(s->data[2], col, F32);
		*error = 1e-4;
	} else if (strstr(s->kernel, "_max_")) {
		want = r->max;
		*error = 0;
	} else {
		want = r->sum;
		*error = (double)(r->abs * (n / 64 + 8)) * 0x1p-24;
	}
	return (double)want;
}

static bool check_rows(const struct sample *s, enum kind kind, const void *result, char *why,
		       size_t size)
{
	size_t cols = !strcmp(s->file, "reduce") ? s->cols > 0 : s->cols;

	for (size_t row = 0; row < s->rows; row++) {
		struct sums r = sums_of(s, kind, row);

		for (size_t col = 0; col < cols; col++) {
			double error, want = want_of(s, kind, &r, row, col, &error);

			if (kind == F16)
				error += half_ulp_f16(want);
			if (differs(why, size, row, col, get(result, row * cols + col, kind), want,
				    error))
				return false;
		}
	}
	return true;
}

/* The table ------------------------------------------------------------------------------------ */

static const struct family {
	const char *file;
	void (*make)(struct sample *s, enum kind kind);
	bool (*check)(const struct sample *s, enum kind kind, const void *result, char *why,
		      size_t size);
} add = { "vadd", make_add, check_add }, matmul = { "matmul", make_matmul, check_matmul },
  softmax = { "softmax", make_rows, check_rows }, layernorm = { "layernorm", make_rows, check_rows },
  reduce = { "reduce", make_rows, check_rows };

static const struct {
	const char *kernel;
	const struct family *family;
	enum kind kind;
} kernels[] = {
	{ "vadd_f32", &add, F32 },
	{ "vadd_f16", &add, F16 },
	{ "matmul_f32", &matmul, F32 },
	{ "matmul_f16", &matmul, F16 },
	{ "matmul_bf16", &matmul, BF16 },
	{ "matmul_nt_f32", &matmul, F32 },
	{ "matmul_nt_f16", &matmul, F16 },
	{ "matmul_nt_bf16", &matmul, BF16 },
	{ "matmul_nt_s8", &matmul, S8 },
	{ "softmax_f32", &softmax, F32 },
	{ "softmax_f16", &softmax, F16 },
	{ "layernorm_f32", &layernorm, F32 },
	{ "layernorm_f16", &layernorm, F16 },
	{ "reduce_sum_f32", &reduce, F32 },
	{ "reduce_sum_f16", &reduce, F16 },
	{ "reduce_max_f32", &reduce, F32 },
	{ "reduce_max_f16", &reduce, F16 },
};

/* Single elements, whole blocks and tiles, one more, one less, rows that are taken in pieces */
static const uint32_t shapes[][3] = {
	{ 1, 1, 1 }, { 16, 16, 16 }, { 5, 7, 33 }, { 128, 256, 64 }, { 129, 257, 131 }, { 47, 4097, 9 },
	{ 1, 300, 1100 }, { 300, 40, 515 }, { 6, 12289, 1 }, { 100, 1000, 2 },
};

#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))
#define SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

unsigned int sample_count(void)
{
	return KERNELS * SHAPES;
}

void sample_make(struct sample *s, unsigned int i)
{
	const uint32_t *shape = shapes[i % SHAPES];

	random_state = i + 1;
	i /= SHAPES;
	*s = (struct sample){ .file = kernels[i].family->file, .kernel = kernels[i].kernel,
			      .rows = shape[0], .cols = shape[1],
			      .element = kind_bytes[kernels[i].kind] };
	if (kernels[i].family == &matmul)
		s->k = shape[2];
	if (kernels[i].family == &add) {
		s->cols *= s->rows;
		s->rows = 1;
	}
	kernels[i].family->make(s, kernels[i].kind);
}

bool sample_check(const struct sample *s, const void *result, char *why, size_t size)
{
	for (size_t i = 0; i < KERNELS; i++)
		if (!strcmp(kernels[i].kernel, s->kernel))
			return kernels[i].family->check(s, kernels[i].kind, result, why, size);
	snprintf(why, size, "nobody knows %s", s->kernel);
	return false;
}

void sample_free(struct sample *s)
{
	for (unsigned int i = 0; i < s->buffers; i++)
		free(s->data[i]);
}
