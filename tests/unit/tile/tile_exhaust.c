// SPDX-License-Identifier: MIT
/*
 * Every F32 argument of every function of VUN that is not exact by nature: the largest error, and
 * whether all sets of kernels agree. Minutes of two processors, so it is no test of every day:
 * make -C tests/unit/tile exhaust. Its figures stand in Documentation/isa-tiles.md, and
 * tile_math.c holds a sample to them.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/tile/tile_int.h"

#define CHUNK	4096
#define THREADS	2

/* the C library has these functions for vectors, good to a few units of double */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__)
#define VECTOR(name)	double name(double) __attribute__((simd("notinbranch")));
VECTOR(exp)
VECTOR(log)
VECTOR(tanh)
VECTOR(erf)
VECTOR(sin)
VECTOR(cos)
#endif

#define REF(name, expr) \
static void ref_##name(double *d, const float *s) \
{ \
	for (int i = 0; i < CHUNK; i++) { \
		double x = s[i]; \
		d[i] = expr; \
	} \
}
REF(sqrt, sqrt(x))
REF(rsqrt, 1 / sqrt(x))
REF(rec, 1 / x)
REF(exp, exp(x))
REF(ln, log(x))
REF(tanh, tanh(x))
REF(erf, erf(x))
REF(sin, sin(x))
REF(cos, cos(x))

static const struct function {
	const char *name;
	unsigned int op;
	void (*ref)(double *d, const float *s);
} functions[] = {
	{ "SQRT", ANPU_UN_SQRT, ref_sqrt }, { "RSQRT", ANPU_UN_RSQRT, ref_rsqrt },
	{ "REC", ANPU_UN_REC, ref_rec }, { "EXP", ANPU_UN_EXP, ref_exp },
	{ "LN", ANPU_UN_LN, ref_ln }, { "TANH", ANPU_UN_TANH, ref_tanh },
	{ "ERF", ANPU_UN_ERF, ref_erf }, { "SIN", ANPU_UN_SIN, ref_sin },
	{ "COS", ANPU_UN_COS, ref_cos },
};

struct part {
	const struct function *f;
	pthread_t thread;
	uint64_t first;
	uint64_t end;
	double error;
	uint32_t at;
	uint64_t different;
};

/* distance in units of the last place of the result's binade; infinity stands for 2^128 */
static double error_of(float got, double want)
{
	double x = isinf(got) ? copysign(0x1p128, got) : got;
	int e;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got) ? 0 : INFINITY;
	if (fabs(want) > 0x1p128)
		want = copysign(0x1p128, want);
	if (x == want)
		return 0;
	frexp(want, &e);
	return fabs(x - want) * ldexp(1, 24 - (e < -125 ? -125 : e));
}

static void check(struct part *p, const uint32_t *bits, const float *d, const double *want)
{
	for (int i = 0; i < CHUNK; i++) {
		double e = error_of(d[i], want[i]);

		if (e > p->error) {
			p->error = e;
			p->at = bits[i];
		}
	}
}

static void *work(void *arg)
{
	_Alignas(64) static _Thread_local uint32_t bits[CHUNK], d[CHUNK], other[CHUNK];
	_Alignas(64) static _Thread_local double want[CHUNK];
	struct part *p = arg;

	for (uint64_t x = p->first; x < p->end; x += CHUNK) {
		for (uint32_t i = 0; i < CHUNK; i++)
			bits[i] = (uint32_t)x + i;
		tile_kernel_set(0)->un[p->f->op][ANPU_TYPE_F32](d, bits, CHUNK, 0);
		for (unsigned int set = 1; tile_kernel_set(set); set++) {
			tile_kernel_set(set)->un[p->f->op][ANPU_TYPE_F32](other, bits, CHUNK, 0);
			p->different += memcmp(d, other, sizeof(d)) != 0;
		}
		p->f->ref(want, (const float *)bits);
		check(p, bits, (const float *)d, want);
	}
	return NULL;
}

static bool exhaust(const struct function *f)
{
	struct part part[THREADS] = { 0 };
	uint64_t different = 0;
	unsigned int worst = 0;

	for (unsigned int i = 0; i < THREADS; i++) {
		part[i].f = f;
		part[i].first = (uint64_t)i << 32 >> 1;
		part[i].end = (uint64_t)(i + 1) << 32 >> 1;
		if (pthread_create(&part[i].thread, NULL, work, &part[i]))
			exit(2);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(part[i].thread, NULL);
		different += part[i].different;
		if (part[i].error > part[worst].error)
			worst = i;
	}
	printf("%-6s F32: at most %.4f ulp, at 0x%08" PRIx32 "; %" PRIu64
	       " chunks where kernels differ\n", f->name, part[worst].error, part[worst].at, different);
	fflush(stdout);
	return !different;
}

int main(int argc, char **argv)
{
	bool ok = true;

	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (argc < 2 || !strcmp(argv[1], functions[i].name))
			ok = exhaust(&functions[i]) && ok;
	return !ok;
}
