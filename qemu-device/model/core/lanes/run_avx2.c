// SPDX-License-Identifier: MIT
/* Lanes on x86 hosts with AVX2 and FMA; called only where the processor has it. */
#if defined(__x86_64__) && !defined(LANES_PLAIN)
#define LANES_RUN	lanes_run_avx2
#define LANE_FMA	__builtin_fma
#define LANE_FMAF	__builtin_fmaf
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2"))), apply_to = function)
#else
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-strict-aliasing,wrapv")
#pragma GCC target("avx2,fma,bmi,bmi2")
#endif
#include "run.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
