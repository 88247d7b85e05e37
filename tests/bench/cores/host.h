/* SPDX-License-Identifier: MIT */
/* The speed of this machine itself: the floors of the AI cores' rows. */
#ifndef CORES_HOST_H
#define CORES_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** team_run() - @work on @threads threads at once, with their numbers; the time until all are done */
uint64_t team_run(unsigned int threads, void (*work)(const void *ctx, unsigned int thread),
		  const void *ctx);

/** team_share() - the part of @n items, in multiples of @unit, that belongs to one thread of @threads */
size_t team_share(size_t n, size_t unit, unsigned int thread, unsigned int threads, size_t *first);

/** struct peak - nothing but fused multiply-adds, on some threads, of AVX2 or AVX-512 (@wide) */
struct peak {
	unsigned int threads;
	bool wide;
};

#define PEAK_FLOPS	(2000000ULL * 12 * 16)	/* of one thread in one sample */
uint64_t measure_peak(const void *ctx);
/** wide_peak_missing() - NULL if the host has AVX-512, else a reason */
const char *wide_peak_missing(void);

/**
 * struct blas - C = A B in fp32 by OpenBLAS, @size x @size, on @threads threads, @calls times
 */
struct blas {
	unsigned int threads;
	int size;
	unsigned int calls;
	const float *a;
	const float *b;
	float *c;
};

/** blas_missing() - NULL if there is an OpenBLAS, else why not */
const char *blas_missing(void);
uint64_t measure_blas(const void *ctx);

/** float_to_half() - the fp16 number nearest to a small number with few bits */
uint16_t float_to_half(float x);

#endif /* CORES_HOST_H */
