// SPDX-License-Identifier: MIT
/* See job.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "job.h"

static const size_t bytes_of[] = { [F32] = 4, [F16] = 2, [BF16] = 2, [S8] = 1, [U8] = 1, [S16] = 2, [S32] = 4, [U32] = 4, [U64] = 8 };

static void *zeroes(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p) {
		fprintf(stderr, "no memory for a tensor of %zu bytes\n", size);
		exit(1);
	}
	return p;
}

static void add_slot(struct job *j, uint64_t value, int tensor)
{
	if (j->slots == JOB_SLOTS)
		abort();
	j->args[j->slots] = value;
	j->tensor_of[j->slots++] = tensor;
}

static struct tensor *add_tensor(struct job *j, enum kind kind, size_t count)
{
	struct tensor *t = &j->tensor[j->tensors];

	if (j->tensors == JOB_TENSORS)
		abort();
	*t = (struct tensor){ kind, count, zeroes(count * bytes_of[kind]), NULL };
	add_slot(j, 0, (int)j->tensors++);
	return t;
}

static void put(const struct tensor *t, size_t i, float value)
{
	switch (t->kind) {
	case S8:
		((int8_t *)t->data)[i] = (int8_t)value;
		break;
	case U8:
		((uint8_t *)t->data)[i] = (uint8_t)value;
		break;
	case S32:
		((int32_t *)t->data)[i] = (int32_t)value;
		break;
	default:
		to_kind(t->data, t->kind, i, &value, 1);
	}
}

static double get(enum kind kind, const void *data, size_t i)
{
	float value;

	switch (kind) {
	case S8:
		return ((const int8_t *)data)[i];
	case U8:
		return ((const uint8_t *)data)[i];
	case S16:
		return ((const int16_t *)data)[i];
	case S32:
		return ((const int32_t *)data)[i];
	case U32:
		return ((const uint32_t *)data)[i];
	case U64:
		return (double)((const uint64_t *)data)[i];
	default:
		numbers_of(&value, &(struct tensor){ kind, i + 1, (void *)data, NULL }, i, 1);
		return value;
	}
}

/* The same numbers in each run, others for each tensor */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

void *job_reals(struct job *j, enum kind kind, size_t count, float low, float high)
{
	struct tensor *t = add_tensor(j, kind, count);
	uint32_t state = j->tensors;

	for (size_t i = 0; i < count; i++)
		put(t, i, low + (high - low) * (float)next_random(&state) / (1 << 24));
	return t->data;
}

void *job_steps(struct job *j, enum kind kind, size_t count, float step)
{
	struct tensor *t = add_tensor(j, kind, count);
	uint32_t state = j->tensors;

	for (size_t i = 0; i < count; i++)
		put(t, i, step * (float)((int)(next_random(&state) % 17) - 8));
	return t->data;
}

void *job_bytes(struct job *j, enum kind kind, size_t count, const void *data)
{
	struct tensor *t = add_tensor(j, kind, count);

	return memcpy(t->data, data, job_size(t));
}

void job_result(struct job *j, enum kind kind, size_t count)
{
	add_tensor(j, kind, count);
	job_changed(j);
}

void job_changed(struct job *j)
{
	struct tensor *t = &j->tensor[j->tensors - 1];

	t->want = zeroes(job_size(t));
}

void job_number(struct job *j, uint64_t value)
{
	add_slot(j, value, -1);
}

void job_real(struct job *j, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	add_slot(j, bits, -1);
}

void job_again(struct job *j, int i)
{
	add_slot(j, 0, i);
}

void job_no_args(struct job *j)
{
	j->slots = 0;
}

size_t job_size(const struct tensor *t)
{
	return t->count * bytes_of[t->kind];
}

void job_free(struct job *j)
{
	for (unsigned int i = 0; i < j->tensors; i++) {
		free(j->tensor[i].data);
		free(j->tensor[i].want);
	}
}

long job_check(const struct tensor *t, const void *got, double tolerance, double *is, double *should)
{
	for (size_t i = 0; i < t->count; i++) {
		double limit;

		*is = get(t->kind, got, i);
		*should = get(t->kind, t->want, i);
		limit = tolerance * (fabs(*should) > 1 ? fabs(*should) : 1);
		if (!(fabs(*is - *should) <= limit))
			return (long)i;
	}
	return -1;
}

void numbers_of(float *restrict to, const struct tensor *t, size_t at, size_t n)
{
	const uint16_t *from = (const uint16_t *)t->data + at;
	size_t i = 0;

	if (t->kind == F32) {
		memcpy(to, (const float *)t->data + at, n * sizeof(float));
		return;
	}
	if (t->kind == BF16) {
		uint32_t *bits = (uint32_t *)to;

		for (; i < n; i++)
			bits[i] = (uint32_t)from[i] << 16;
		return;
	}
#ifdef __F16C__
	/* the compiler does not do this by itself */
	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
	for (; i < n; i++)
		to[i] = (float)((const half *)from)[i];
}

/* To bfloat16, the nearest, even if two are */
static uint16_t upper_half(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void to_kind(void *to, enum kind kind, size_t at, const float *restrict from, size_t n)
{
	uint16_t *out = (uint16_t *)to + at;
	size_t i = 0;

	if (kind == F32) {
		memcpy((float *)to + at, from, n * sizeof(float));
		return;
	}
	if (kind == BF16) {
		for (; i < n; i++)
			out[i] = upper_half(from[i]);
		return;
	}
#ifdef __F16C__
	for (; i + 8 <= n; i += 8)
		_mm_storeu_si128((void *)(out + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#endif
	for (; i < n; i++)
		((half *)out)[i] = (half)from[i];
}
