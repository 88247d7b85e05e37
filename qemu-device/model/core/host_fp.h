/* SPDX-License-Identifier: MIT */
/*
 * The host's floating-point unit as the scalar unit's: while a block runs, the host's control and
 * status word has the block's rounding mode and collects its exceptions, so that arithmetic costs
 * one host instruction. x86-64 agrees with RISC-V in results, in flags and in "tiny after rounding";
 * NaN results are made canonical by the caller. Other hosts use soft_fp.c for everything.
 */
#ifndef ANPU_HOST_FP_H
#define ANPU_HOST_FP_H

#include <stdbool.h>
#include <stdint.h>

#include "soft_fp.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

#define HOST_FP		1
#define HOST_FP_CLEAN	0x1f80u		/* all exceptions masked, to nearest, no flags */
#define HOST_FP_FLAGS	0x3fu

static inline uint32_t host_fp_get(void)
{
	return _mm_getcsr();
}

static inline void host_fp_set(uint32_t v)
{
	_mm_setcsr(v);
}

/* control word of a rounding mode, FP_RNE to FP_RUP */
static inline uint32_t host_fp_control(uint32_t rm)
{
	static const uint8_t rc[4] = { 0, 3, 1, 2 };

	return HOST_FP_CLEAN | (uint32_t)rc[rm & 3] << 13;
}

static inline uint32_t host_fp_flags(uint32_t v)
{
	return (v & 1 ? FP_NV : 0) | (v & 4 ? FP_DZ : 0) | (v & 8 ? FP_OF : 0) |
	       (v & 16 ? FP_UF : 0) | (v & 32 ? FP_NX : 0);
}

static inline double host_fma(double a, double b, double c)
{
	__asm__("vfmadd213sd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
	return a;
}

static inline float host_fmaf(float a, float b, float c)
{
	__asm__("vfmadd213ss %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
	return a;
}

static inline bool host_has_fma(void)
{
	return __builtin_cpu_supports("fma");
}

static inline double host_sqrt(double a)
{
	__asm__("sqrtsd %0, %0" : "+x"(a));
	return a;
}

static inline float host_sqrtf(float a)
{
	__asm__("sqrtss %0, %0" : "+x"(a));
	return a;
}
#else
#define HOST_FP		0
#define HOST_FP_CLEAN	0u
#define HOST_FP_FLAGS	0u

static inline uint32_t host_fp_get(void)
{
	return 0;
}

static inline void host_fp_set(uint32_t v)
{
	(void)v;
}

static inline uint32_t host_fp_control(uint32_t rm)
{
	(void)rm;
	return 0;
}

static inline uint32_t host_fp_flags(uint32_t v)
{
	(void)v;
	return 0;
}

static inline bool host_has_fma(void)
{
	return false;
}

static inline double host_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

static inline float host_fmaf(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

static inline double host_sqrt(double a)
{
	return __builtin_sqrt(a);
}

static inline float host_sqrtf(float a)
{
	return __builtin_sqrtf(a);
}
#endif

#endif /* ANPU_HOST_FP_H */
