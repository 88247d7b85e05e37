// SPDX-License-Identifier: MIT
/*
 * Floating-point instructions that do not run on the host's unit: half precision, static rounding
 * modes, ties away from zero, conversions, comparisons of half, classification. Also the state
 * behind fflags and frm, which is split between the block and the host's status word.
 */
#include "fp.h"

uint32_t fp_get_flags(const struct core_block *b)
{
	return b->fflags | host_fp_flags(host_fp_get());
}

void fp_set_flags(struct core_block *b, uint32_t flags)
{
	host_fp_set(host_fp_get() & ~HOST_FP_FLAGS);
	b->fflags = flags & 31;
}

void fp_mode(struct core_block *b)
{
	b->fp_hot = HOST_FP && b->frm <= FP_RUP;
	b->fma_hot = b->fp_hot && host_has_fma();
}

void fp_set_frm(struct core_block *b, uint32_t frm)
{
	b->frm = frm & 7;
	fp_mode(b);
	if (b->frm <= FP_RUP)
		host_fp_set(host_fp_control(b->frm) | (host_fp_get() & HOST_FP_FLAGS));
}

static uint64_t unbox(enum fp_format f, uint64_t v)
{
	switch (f) {
	case FP_S: return unbox_s(v);
	case FP_H: return (v & BOX_H) == BOX_H ? (uint16_t)v : soft_nan(FP_H);
	default: return v;
	}
}

static uint64_t box(enum fp_format f, uint64_t v)
{
	return v | (f == FP_S ? BOX_S : f == FP_H ? BOX_H : 0);
}

static uint64_t sign_extend(enum fp_format f, uint64_t v)
{
	return f == FP_S ? (uint64_t)(int32_t)v : f == FP_H ? (uint64_t)(int16_t)v : v;
}

static uint64_t fused(enum fp_format f, unsigned int kind, const uint64_t v[3], enum fp_round rm,
		      uint32_t *flags)
{
	uint64_t a = v[0], c = v[2];

	if (kind == 2 || kind == 3)	/* fnmsub, fnmadd negate the product */
		a = soft_neg(f, a);
	if (kind == 1 || kind == 3)	/* fmsub, fnmadd subtract */
		c = soft_neg(f, c);
	return soft_fma(f, a, v[1], c, rm, flags);
}

static uint64_t sgnj(enum fp_format f, unsigned int f3, uint64_t a, uint64_t c)
{
	uint64_t s = soft_sign(f);

	switch (f3) {
	case 0: return (a & ~s) | (c & s);
	case 1: return (a & ~s) | (~c & s);
	default: return a ^ (c & s);
	}
}

static uint64_t compare(enum fp_format f, unsigned int f3, uint64_t a, uint64_t c, uint32_t *flags)
{
	switch (f3) {
	case 0: return soft_le(f, a, c, flags);
	case 1: return soft_lt(f, a, c, flags);
	default: return soft_eq(f, a, c, flags);
	}
}

/* The operations of OP-FP that do not round. */
static bool op_fp_exact(struct core_block *b, uint32_t w, enum fp_format f, uint32_t *flags)
{
	unsigned int rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31, f3 = w >> 12 & 7;
	uint64_t raw = b->f[rs1], a = unbox(f, raw), c = unbox(f, b->f[rs2]);
	unsigned int xd = rd ? rd : 32;

	switch (w >> 27) {
	case 0x04:
		b->f[rd] = box(f, sgnj(f, f3, a, c));
		return true;
	case 0x05:
		b->f[rd] = box(f, f3 ? soft_max(f, a, c, flags) : soft_min(f, a, c, flags));
		return true;
	case 0x14:
		b->x[xd] = compare(f, f3, a, c, flags);
		return true;
	case 0x1c:
		b->x[xd] = f3 ? soft_class(f, a) : sign_extend(f, raw);
		return true;
	case 0x1e:
		b->f[rd] = box(f, f == FP_S ? (uint32_t)b->x[rs1] :
				  f == FP_H ? (uint16_t)b->x[rs1] : b->x[rs1]);
		return true;
	default:
		return false;
	}
}

static bool op_fp_rounds(struct core_block *b, uint32_t w, enum fp_format f, enum fp_round rm,
			 uint32_t *flags)
{
	unsigned int rd = w >> 7 & 31, rs1 = w >> 15 & 31, rs2 = w >> 20 & 31;
	uint64_t a = unbox(f, b->f[rs1]), c = unbox(f, b->f[rs2]), r;

	switch (w >> 27) {
	case 0x00: r = soft_add(f, a, c, rm, flags); break;
	case 0x01: r = soft_sub(f, a, c, rm, flags); break;
	case 0x02: r = soft_mul(f, a, c, rm, flags); break;
	case 0x03: r = soft_div(f, a, c, rm, flags); break;
	case 0x0b: r = soft_sqrt(f, a, rm, flags); break;
	case 0x08:
		r = soft_convert(f, (enum fp_format)rs2, unbox((enum fp_format)rs2, b->f[rs1]), rm,
				 flags);
		break;
	case 0x18:
		b->x[rd ? rd : 32] = soft_to_int(f, (enum fp_int)rs2, a, rm, flags);
		return true;
	case 0x1a: r = soft_from_int(f, (enum fp_int)rs2, b->x[rs1], rm, flags); break;
	default: return false;
	}
	b->f[rd] = box(f, r);
	return true;
}

bool fp_slow(struct core_block *b, uint32_t w)
{
	enum fp_format f = (enum fp_format)(w >> 25 & 3);
	unsigned int rm = w >> 12 & 7, opcode = w & 0x7f;
	uint32_t flags = 0;

	if (opcode == 0x53 && op_fp_exact(b, w, f, &flags)) {
		b->fflags |= flags;
		return true;
	}
	if (rm == FP_DYN)
		rm = b->frm;
	if (rm > FP_RMM)
		return false;
	if (opcode == 0x53) {
		if (!op_fp_rounds(b, w, f, (enum fp_round)rm, &flags))
			return false;
	} else {
		const uint64_t v[3] = { unbox(f, b->f[w >> 15 & 31]), unbox(f, b->f[w >> 20 & 31]),
					unbox(f, b->f[w >> 27]) };

		b->f[w >> 7 & 31] = box(f, fused(f, w >> 2 & 3, v, (enum fp_round)rm, &flags));
	}
	b->fflags |= flags;
	return true;
}
