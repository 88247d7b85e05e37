/* SPDX-License-Identifier: MIT */
/* Fields and immediates of a RISC-V instruction, for the core and for the disassembler. */
#ifndef ANPU_CORE_FIELDS_H
#define ANPU_CORE_FIELDS_H

#include <stdint.h>

static inline uint32_t bits(uint32_t w, unsigned int low, unsigned int n)
{
	return w >> low & ((1u << n) - 1);
}

static inline int32_t imm_i(uint32_t w)
{
	return (int32_t)w >> 20;
}

static inline int32_t imm_s(uint32_t w)
{
	return ((int32_t)w >> 25) * 32 + (int32_t)bits(w, 7, 5);
}

static inline int32_t imm_b(uint32_t w)
{
	return ((int32_t)w >> 31) * 4096 + (int32_t)(bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 |
						      bits(w, 8, 4) << 1);
}

static inline int32_t imm_j(uint32_t w)
{
	return ((int32_t)w >> 31) * (1 << 20) +
	       (int32_t)(bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1);
}

#endif /* ANPU_CORE_FIELDS_H */
