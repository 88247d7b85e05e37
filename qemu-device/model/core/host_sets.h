/* SPDX-License-Identifier: MIT */
/*
 * For which instruction sets of the host the core's inner loops are compiled: all, unless ANPU_HOST is the only one, as in the
 * model that the first `make run` starts with (../../Makefile, native).
 */
#ifndef ANPU_CORE_HOST_SETS_H
#define ANPU_CORE_HOST_SETS_H

#include <stdio.h>
#include <stdlib.h>

#define HOST_PLAIN	1
#define HOST_AVX2	2
#define HOST_AVX512	3

#ifdef ANPU_HOST
#define HOST_HAS(set)	(ANPU_HOST == (set))
#else
#define HOST_HAS(set)	1
#endif

#define HAVE_PLAIN	HOST_HAS(HOST_PLAIN)
#if defined(__x86_64__)
#define HAVE_AVX2	HOST_HAS(HOST_AVX2)
#define HAVE_AVX512	HOST_HAS(HOST_AVX512)
#else
#define HAVE_AVX2	0
#define HAVE_AVX512	0
#endif

/* Only where a model that was made for one processor was taken to another */
static inline _Noreturn void host_unknown(void)
{
	fputs("anpu: the device was compiled for the processor of another machine only: run make all\n", stderr);
	abort();
}

#endif /* ANPU_CORE_HOST_SETS_H */
