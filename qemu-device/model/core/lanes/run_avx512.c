// SPDX-License-Identifier: MIT
/* Lanes on x86 hosts with AVX-512; called only where the processor has it. */
#if defined(__x86_64__) && !defined(LANES_PLAIN)
#define LANES_RUN	lanes_run_avx512
#define LANE_FMA	__builtin_fma
#define LANE_FMAF	__builtin_fmaf
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC optimize("O3")
#endif
#pragma GCC optimize("fp-contract=off,no-math-errno,no-strict-aliasing,wrapv")
#pragma GCC target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#include "run.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
