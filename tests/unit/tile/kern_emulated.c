// SPDX-License-Identifier: MIT
/*
 * The tile kernels for AVX-512 on hosts without it: a set of their own, which host.c takes last if the program
 * has it. See emulated.h.
 */
#if defined(__x86_64__)
#define TILE_AVX512	1
#define TILE_AVX2	0
#define TILE_KERNELS	tile_kernels_emulated
#define TILE_NAME	"AVX-512, emulated"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC optimize("fp-contract=off,no-math-errno,no-trapping-math,no-strict-aliasing,wrapv")
#pragma GCC target("avx2,fma,f16c")
#endif
#include "emulated.h"
#include "model/core/tile/kern.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
