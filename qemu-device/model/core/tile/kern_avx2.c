// SPDX-License-Identifier: MIT
/*
 * Kernels for x86 hosts with AVX2, FMA and F16C; called only where the processor has them.
 */
#if defined(__x86_64__)
#define TILE_AVX512	0
#define TILE_AVX2	1
#define TILE_KERNELS	tile_kernels_avx2
#define TILE_NAME	"AVX2"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-trapping-math,no-strict-aliasing,wrapv")
#pragma GCC target("avx2,fma,f16c")
#endif
#include "kern.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
