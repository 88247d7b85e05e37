// SPDX-License-Identifier: MIT
/*
 * Kernels for any host, and the reference for the others.
 */
#define TILE_AVX512	0
#define TILE_AVX2	0
#define TILE_KERNELS	tile_kernels_plain
#define TILE_NAME	"plain C"
#if defined(__GNUC__) && !defined(__clang__)
#if defined(__x86_64__)
/* Few such hosts lack AVX2, and for vectors it would take the compiler three times as long. */
#pragma GCC optimize("O1")
#elif !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-trapping-math,no-strict-aliasing,wrapv")
#endif
#include "kern.h"
