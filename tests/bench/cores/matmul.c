// SPDX-License-Identifier: MIT
/* Matrix multiplication on the cube units, beside the peak of the host's own multiply-adds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "rows.h"

#define LARGE	2048
#define SMALL	512

/* Matrices of the largest size; smaller ones use the beginning. */
static struct {
	float *a, *b, *c;
	uint16_t *a16, *b16;	/* fp16 */
	uint16_t *a_bf, *b_bf;	/* bf16 */
	int8_t *a8, *b8;
} mem;

static uint16_t float_to_bf16(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (uint16_t)(bits >> 16);
}

static void make_matrices(void)
{
	const size_t n = (size_t)LARGE * LARGE;
	uint32_t seed = 1;

	mem.a = memory_alloc(n * 4);
	mem.b = memory_alloc(n * 4);
	mem.c = memory_alloc(n * 4);
	mem.a16 = memory_alloc(n * 2);
	mem.b16 = memory_alloc(n * 2);
	mem.a_bf = memory_alloc(n * 2);
	mem.b_bf = memory_alloc(n * 2);
	mem.a8 = memory_alloc(n);
	mem.b8 = memory_alloc(n);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		mem.a[i] = (float)(int)(seed >> 24) / 256 - 0.5f;
		mem.b[i] = (float)(int)(seed >> 16 & 255) / 256 - 0.5f;
		mem.a16[i] = float_to_half(mem.a[i]);
		mem.b16[i] = float_to_half(mem.b[i]);
		mem.a_bf[i] = float_to_bf16(mem.a[i]);
		mem.b_bf[i] = float_to_bf16(mem.b[i]);
		mem.a8[i] = (int8_t)(seed >> 24);
		mem.b8[i] = (int8_t)(seed >> 16);
	}
}

/* A row for each size and type, on one device */
static size_t add_matmuls(const struct bench *b, struct row *rows, struct device *device,
			  const char *suffix, const char *floor, unsigned int threads)
{
	const struct {
		const char *name, *kernel;
		unsigned int size;
		const void *a, *b;
	} cases[] = {
		{ "512_f32", "matmul_f32", SMALL, mem.a, mem.b },
		{ "512_f16", "matmul_f16", SMALL, mem.a16, mem.b16 },
		{ "2048_f32", "matmul_f32", LARGE, mem.a, mem.b },
		{ "2048_f16", "matmul_f16", LARGE, mem.a16, mem.b16 },
		{ "2048_bf16", "matmul_bf16", LARGE, mem.a_bf, mem.b_bf },
		{ "2048_s8", "matmul_nt_s8", LARGE, mem.a8, mem.b8 },
	};
	size_t n = sizeof(cases) / sizeof(cases[0]);

	for (size_t i = 0; i < n; i++) {
		struct launch *l = calloc(1, sizeof(*l));
		uint64_t size = cases[i].size;
		char name[64];

		if (!l)
			die("out of memory");
		snprintf(name, sizeof(name), "matmul_%s%s", cases[i].name, suffix);
		*l = (struct launch){
			.device = device,
			.kernel = bench_kernel(b, "matmul", cases[i].kernel),
			.blocks = threads,
			.args = { memory_va(cases[i].a), memory_va(cases[i].b), memory_va(mem.c), size, size,
				  size },
			.slots = 6,
			.launches = size == SMALL ? 8 : 1,
		};
		rows[i] = (struct row){ strdup(name), BENCH_GFLOPS, floor, 2 * size * size * size,
					measure_launch, l, .parts = l->launches,
					.threads = threads };
	}
	return n;
}

static const struct blas *new_blas(unsigned int threads, int size)
{
	struct blas *b = malloc(sizeof(*b));

	if (!b)
		die("out of memory");
	*b = (struct blas){ threads, size, size == SMALL ? 8 : 1, mem.a, mem.b, mem.c };
	return b;
}

static size_t add_blas(struct row *rows, const char *const *names, unsigned int threads,
		       const char *floor)
{
	static const int sizes[] = { SMALL, LARGE };

	for (size_t i = 0; i < 2; i++) {
		uint64_t size = (uint64_t)sizes[i];

		if (blas_missing()) {
			bench_skip(names[i], blas_missing());
			continue;
		}
		*rows = (struct row){ names[i], BENCH_GFLOPS, floor, 2 * size * size * size,
				      measure_blas, new_blas(threads, sizes[i]),
				      .threads = threads };
		rows->parts = ((const struct blas *)rows->ctx)->calls;
		rows++;
	}
	return blas_missing() ? 0 : 2;
}

/* The work of one thread when all work: beside one thread alone it tells how well they scale. */
static void add_per_thread(struct row *rows, const struct row *all, unsigned int threads)
{
	static const char *const names[][2] = {
		{ "matmul_2048_f32_per_thread", "matmul_2048_f32" },
		{ "matmul_2048_f16_per_thread", "matmul_2048_f16" },
	};

	for (size_t i = 0; i < 2; i++) {
		rows[i] = all[i];
		rows[i].name = names[i][0];
		rows[i].floor = names[i][1];
		rows[i].work /= threads;
	}
}

void bench_matmul(const struct bench *b)
{
	static const char *const blas_one[] = { "openblas_512_f32", "openblas_2048_f32" };
	static const char *const blas_all[] = { "openblas_512_f32_all", "openblas_2048_f32_all" };
	const struct peak one = { 1, false }, wide = { 1, true }, all = { b->threads, false };
	struct row rows[32];
	size_t n = 0, all_at;

	make_matrices();
	rows[n++] = (struct row){ "host_fma_peak", BENCH_GFLOPS, NULL, PEAK_FLOPS, measure_peak, &one,
				  .threads = 1 };
	if (wide_peak_missing())
		bench_skip("host_fma_avx512", wide_peak_missing());
	else
		rows[n++] = (struct row){ "host_fma_avx512", BENCH_GFLOPS, "host_fma_peak",
					  PEAK_FLOPS, measure_peak, &wide, .threads = 1 };
	n += add_matmuls(b, rows + n, b->one, "", "host_fma_peak", 1);
	n += add_blas(rows + n, blas_one, 1, "host_fma_peak");
	rows[n++] = (struct row){ "host_fma_peak_all", BENCH_GFLOPS, NULL, PEAK_FLOPS * b->threads,
				  measure_peak, &all, .threads = b->threads };
	all_at = n;
	n += add_matmuls(b, rows + n, b->all, "_all", "host_fma_peak_all", b->threads);
	n += add_blas(rows + n, blas_all, b->threads, "host_fma_peak_all");
	add_per_thread(rows + n, rows + all_at + 2, b->threads);
	n += 2;
	measure_rows(rows, n, b->quick ? 1 : 11);
}
