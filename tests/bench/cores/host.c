// SPDX-License-Identifier: MIT
/* See host.h. */
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <string.h>

#include "../stats.h"
#include "device.h"
#include "host.h"

/* Threads -------------------------------------------------------------------------------------- */

#define MAX_THREADS	256

struct member {
	pthread_t id;
	void (*work)(const void *ctx, unsigned int thread);
	const void *ctx;
	unsigned int thread;
};

static void *member_main(void *arg)
{
	struct member *m = arg;

	m->work(m->ctx, m->thread);
	return NULL;
}

uint64_t team_run(unsigned int threads, void (*work)(const void *ctx, unsigned int thread),
		  const void *ctx)
{
	struct member team[MAX_THREADS];
	uint64_t start = bench_now();

	if (threads > MAX_THREADS)
		die("%u threads are more than %d", threads, MAX_THREADS);
	for (unsigned int i = 1; i < threads; i++) {
		team[i] = (struct member){ .work = work, .ctx = ctx, .thread = i };
		if (pthread_create(&team[i].id, NULL, member_main, &team[i]))
			die("cannot start %u threads", threads);
	}
	work(ctx, 0);
	for (unsigned int i = 1; i < threads; i++)
		pthread_join(team[i].id, NULL);
	return bench_now() - start;
}

size_t team_share(size_t n, size_t unit, unsigned int thread, unsigned int threads, size_t *first)
{
	size_t units = (n + unit - 1) / unit;
	size_t from = units * thread / threads * unit, to = units * (thread + 1) / threads * unit;

	*first = from;
	return (to < n ? to : n) - from;
}

/* Peak ----------------------------------------------------------------------------------------- */

/* Twelve independent chains: enough to fill both multiply-add units of any core. */
__attribute__((target("avx2,fma"), noinline, optimize("O3")))
static void peak_loop(const void *ctx, unsigned int thread)
{
	__m256 acc[12], x = _mm256_set1_ps(0.999f);

	(void)ctx;
	for (int i = 0; i < 12; i++)
		acc[i] = _mm256_set1_ps((float)(i + (int)thread));
	for (uint64_t n = PEAK_FLOPS / (12 * 16); n; n--) {
#pragma GCC unroll 12
		for (int i = 0; i < 12; i++)
			acc[i] = _mm256_fmadd_ps(acc[i], x, x);
	}
	for (int i = 0; i < 12; i++)
		__asm__ volatile("" : : "x"(acc[i]));
}

__attribute__((target("avx512f"), noinline, optimize("O3")))
static void wide_peak_loop(const void *ctx, unsigned int thread)
{
	__m512 acc[12], x = _mm512_set1_ps(0.999f);

	(void)ctx;
	for (int i = 0; i < 12; i++)
		acc[i] = _mm512_set1_ps((float)(i + (int)thread));
	for (uint64_t n = PEAK_FLOPS / (12 * 32); n; n--) {
#pragma GCC unroll 12
		for (int i = 0; i < 12; i++)
			acc[i] = _mm512_fmadd_ps(acc[i], x, x);
	}
	for (int i = 0; i < 12; i++)
		__asm__ volatile("" : : "v"(acc[i]));
}

const char *wide_peak_missing(void)
{
	return __builtin_cpu_supports("avx512f") ? NULL : "this host has no AVX-512";
}

uint64_t measure_peak(const void *ctx)
{
	const struct peak *p = ctx;

	return team_run(p->threads, p->wide ? wide_peak_loop : peak_loop, NULL);
}

/* OpenBLAS, loaded when the program runs: it is not needed to build ------------------------------ */

static struct {
	bool tried;
	void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
		      const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
	void (*set_threads)(int n);
} openblas;

const char *blas_missing(void)
{
	void *lib;

	if (!openblas.tried) {
		openblas.tried = true;
		lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
		if (lib) {
			*(void **)&openblas.sgemm = dlsym(lib, "cblas_sgemm");
			*(void **)&openblas.set_threads = dlsym(lib, "openblas_set_num_threads");
		}
	}
	if (openblas.sgemm && openblas.set_threads)
		return NULL;
	return "there is no OpenBLAS (apt-get install libopenblas0-pthread)";
}

uint64_t measure_blas(const void *ctx)
{
	const struct blas *b = ctx;
	uint64_t start;

	openblas.set_threads((int)b->threads);
	start = bench_now();
	/* row-major, nothing transposed */
	for (unsigned int i = 0; i < b->calls; i++)
		openblas.sgemm(101, 111, 111, b->size, b->size, b->size, 1, b->a, b->size, b->b,
			       b->size, 0, b->c, b->size);
	return bench_now() - start;
}

__attribute__((target("f16c")))
uint16_t float_to_half(float x)
{
	return (uint16_t)_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT);
}
