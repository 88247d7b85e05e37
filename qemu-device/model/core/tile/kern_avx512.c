// SPDX-License-Identifier: MIT
/*
 * Kernels for x86 hosts with AVX-512 (F, BW, DQ and VL); called only where the processor has them.
 */
#if defined(__x86_64__)
#define TILE_AVX512	1
#define TILE_AVX2	0
#define TILE_KERNELS	tile_kernels_avx512
#define TILE_NAME	"AVX-512"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#else
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-trapping-math,no-strict-aliasing,wrapv")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")
#endif
#include "kern.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
