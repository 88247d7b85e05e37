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

/* narrower values are valid only when NaN-boxed */
static inline uint32_t unbox_s(uint64_t v)
{
	return likely((v & BOX_S) == BOX_S) ? (uint32_t)v : NAN_S;
}

static inline float to_float(uint64_t v)
{
	uint32_t u = unbox_s(v);
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static inline double to_double(uint64_t v)
{
	double d;

	memcpy(&d, &v, 8);
	return d;
}

static inline uint64_t box_float(float r)
{
	uint32_t u;

	if (unlikely(r != r))
		return BOX_S | NAN_S;
	memcpy(&u, &r, 4);
	return BOX_S | u;
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
