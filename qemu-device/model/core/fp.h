/* SPDX-License-Identifier: MIT */
#ifndef ANPU_FP_H
#define ANPU_FP_H

#include "core_int.h"
#include "host_fp.h"

#define BOX_S	0xffffffff00000000ULL
#define BOX_H	0xffffffffffff0000ULL
#define NAN_S	0x7fc00000u
#define NAN_D	0x7ff8000000000000ULL

/** fp_slow() - execute any OP-FP or fused instruction in software; false if it is illegal */
bool fp_slow(struct core_block *b, uint32_t word);

uint32_t fp_get_flags(const struct core_block *b);
void fp_set_flags(struct core_block *b, uint32_t flags);
void fp_set_frm(struct core_block *b, uint32_t frm);

/** fp_mode() - work out which arithmetic the host may do, after frm has changed */
void fp_mode(struct core_block *b);

/* narrower values are valid only when NaN-boxed */
static inline uint32_t unbox_s(uint64_t v)
{
	return likely((v & BOX_S) == BOX_S) ? (uint32_t)v : NAN_S;
}

/*
 * Read and write a register that holds a single in halves: a comparison with memory and two stores
 * are cheaper than masks, and the halves that were written are read.
 */
static inline uint32_t low_half(const uint64_t *r)
{
	uint32_t u;

	memcpy(&u, r, 4);
	return u;
}

static inline uint32_t get_s(const uint64_t *r)
{
	uint32_t high;

	memcpy(&high, (const uint8_t *)r + 4, 4);
	return likely(high == ~0u) ? low_half(r) : NAN_S;
}

static inline void set_s(uint64_t *r, uint32_t v)
{
	uint32_t high = ~0u;

	memcpy(r, &v, 4);
	memcpy((uint8_t *)r + 4, &high, 4);
}

static inline float get_float(const uint64_t *r)
{
	uint32_t high;
	float v;

	memcpy(&high, (const uint8_t *)r + 4, 4);
	if (unlikely(high != ~0u))
		return __builtin_nanf("");
	memcpy(&v, r, 4);
	return v;
}

static inline void set_float(uint64_t *r, float v)
{
	uint32_t u = NAN_S;

	if (likely(v == v))
		memcpy(&u, &v, 4);
	set_s(r, u);
}

static inline double to_double(uint64_t v)
{
	double d;

	memcpy(&d, &v, 8);
	return d;
}

static inline uint64_t box_double(double r)
{
	uint64_t u;

	if (unlikely(r != r))
		return NAN_D;
	memcpy(&u, &r, 8);
	return u;
}

#endif /* ANPU_FP_H */
