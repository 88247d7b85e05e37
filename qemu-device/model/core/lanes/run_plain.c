// SPDX-License-Identifier: MIT
/* Lanes on any host. */
#define LANES_RUN	lanes_run_plain
#define LANE_FMA	host_fma
#define LANE_FMAF	host_fmaf
#if !defined(__clang__)
#if defined(__x86_64__)
/* Few such hosts lack AVX2, and for vectors it would take the compiler three times as long. */
#pragma GCC optimize("O1")
#elif !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-strict-aliasing,wrapv")
#endif
#include "run.h"
