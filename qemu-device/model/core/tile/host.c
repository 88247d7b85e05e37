// SPDX-License-Identifier: MIT
/*
 * The choice of kernels that are fast on this host.
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "../host_sets.h"
#include "tile_int.h"

static _Atomic(const struct tile_kernels *) chosen;

/*
 * The kernels for AVX-512, made of instructions of AVX2: only programs that test them define it
 * (tests/unit/tile/kern_emulated.c).
 */
extern const struct tile_kernels tile_kernels_emulated __attribute__((weak));

#if defined(__x86_64__)
/* the builtins also ask whether the system saves the registers; they may not know F16C */
static bool has_avx2(void)
{
	unsigned int a, b, c = 0, d;

	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

#endif

#if HAVE_AVX512
static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

const struct tile_kernels *tile_kernel_set(unsigned int i)
{
	const struct tile_kernels *sets[5] = { NULL };
	unsigned int n = 0;

#if defined(__x86_64__)
	__builtin_cpu_init();
#endif
#if HAVE_AVX512
	if (has_avx2() && has_avx512())
		sets[n++] = &tile_kernels_avx512;
#endif
#if HAVE_AVX2
	if (has_avx2())
		sets[n++] = &tile_kernels_avx2;
#endif
#if HAVE_PLAIN
	sets[n++] = &tile_kernels_plain;
#endif
#if defined(__x86_64__)
	if (&tile_kernels_emulated && has_avx2())
		sets[n++] = &tile_kernels_emulated;
#endif
	return i < n ? sets[i] : NULL;
}

void tile_force(unsigned int i)
{
	atomic_store(&chosen, tile_kernel_set(i));
}

const struct tile_kernels *tile_kernels(void)
{
	const struct tile_kernels *k = atomic_load_explicit(&chosen, memory_order_relaxed);

	/* two threads that ask at once get and store the same answer */
	if (unlikely(!k)) {
		k = tile_kernel_set(0);
		if (!k)
			host_unknown();
		atomic_store_explicit(&chosen, k, memory_order_relaxed);
	}
	return k;
}

core_combine_fn core_combine(uint32_t op, uint32_t type)
{
	static const uint32_t ops[ANPU_REDUCE_OP_COUNT] = {
		[ANPU_REDUCE_SUM] = ANPU_BIN_ADD, [ANPU_REDUCE_MAX] = ANPU_BIN_MAX, [ANPU_REDUCE_MIN] = ANPU_BIN_MIN,
	};
	static const uint32_t types[ANPU_REDUCE_TYPE_COUNT] = {
		[ANPU_REDUCE_S8] = ANPU_TYPE_S8, [ANPU_REDUCE_S16] = ANPU_TYPE_S16, [ANPU_REDUCE_S32] = ANPU_TYPE_S32,
		[ANPU_REDUCE_F16] = ANPU_TYPE_F16, [ANPU_REDUCE_BF16] = ANPU_TYPE_BF16, [ANPU_REDUCE_F32] = ANPU_TYPE_F32,
	};

	return tile_kernels()->bin[ops[op]][types[type]];
}
