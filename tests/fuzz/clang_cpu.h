/* SPDX-License-Identifier: MIT */
/*
 * clang 14's __builtin_cpu_supports() does not know f16c, which the device's code asks for; every
 * processor with AVX2 has it. Included in front of everything that is compiled for fuzzing.
 */
#ifndef ANPU_FUZZ_CLANG_CPU_H
#define ANPU_FUZZ_CLANG_CPU_H

#include <stdlib.h>
#include <string.h>

static inline int fuzz_cpu_supports(const char *name)
{
#define KNOWN(n) do { if (!strcmp(name, n)) return __builtin_cpu_supports(n); } while (0)
	KNOWN("avx2");
	KNOWN("fma");
	KNOWN("bmi2");
	KNOWN("avx512f");
	KNOWN("avx512bw");
	KNOWN("avx512dq");
	KNOWN("avx512vl");
	if (!strcmp(name, "f16c"))
		return __builtin_cpu_supports("avx2");
#undef KNOWN
	abort();
}

#define __builtin_cpu_supports(name) fuzz_cpu_supports(name)

#endif /* ANPU_FUZZ_CLANG_CPU_H */
