// SPDX-License-Identifier: MIT
/*
 * The vector unit: operations element by element over contiguous operands in UB.
 */
#include "tile_int.h"

/* bytes of a scalar operand spread out, so that scalar forms can use the vector kernels */
#define SPLAT_BYTES	2048

static const char *const bin_names[TILE_BINS] = {
#define X(name, number, meaning) [number] = #name,
	ANPU_BIN_OPS(X)
#undef X
};

static const char *const un_names[TILE_UNS] = {
#define X(name, number, meaning) [number] = #name,
	ANPU_UN_OPS(X)
#undef X
};

static bool no_sub(struct tile *t, unsigned int sub)
{
	return tile_fail(t, "sub-operation %u does not exist", sub);
}

static bool no_type(struct tile *t, unsigned int type)
{
	return tile_fail(t, "it has no form for type %s (%u)", tile_type_name(type), type);
}

static bool check_round(struct tile *t, unsigned int round)
{
	return likely(round <= ANPU_ROUND_ODD) ||
	       tile_fail(t, "rounding mode %u does not exist", round);
}

/* the kernel of VBIN and VBINS, NULL: refused */
static tile_bin_fn find_bin(struct tile *t, uint64_t ctl)
{
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	tile_bin_fn fn;

	if (unlikely(sub >= TILE_BINS)) {
		no_sub(t, sub);
		return NULL;
	}
	t->sub = bin_names[sub];
	fn = type < TILE_TYPES ? t->k->bin[sub][type] : NULL;
	if (unlikely(!fn))
		no_type(t, type);
	return fn;
}

bool tile_vbin(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	tile_bin_fn fn = find_bin(t, ctl);
	uint8_t *d, *p, *q;
	uint64_t size;

	if (unlikely(!fn) || !tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_SUB))
		return false;
	if (unlikely(!n))
		return true;
	size = tile_bytes(n, type);
	if (!tile_dst(t, t->a->rs1, size, &d) || !tile_src(t, "src0", t->a->rs2, size, &p) ||
	    !tile_src(t, "src1", t->a->rs3, size, &q) ||
	    !tile_overlap(t, t->a->rs1, size, "src0", t->a->rs2, size) ||
	    !tile_overlap(t, t->a->rs1, size, "src1", t->a->rs3, size))
		return false;
	fn(d, p, q, n);
	tile_finish(t, t->a->rs1, d, size, type, n);
	tile_time(t, 3 * size);
	return true;
}

bool tile_vbins(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	tile_bin_fn fn = find_bin(t, ctl);
	_Alignas(32) uint8_t scalar[SPLAT_BYTES];
	unsigned int bytes, chunk;
	uint64_t size;
	uint8_t *d, *p;

	if (unlikely(!fn) ||
	    !tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_SUB | ANPU_CTL_REVERSE))
		return false;
	if (unlikely(!n))
		return true;
	bytes = tile_type_bits[type] / 8;
	size = (uint64_t)n * bytes;
	if (!tile_dst(t, t->a->rs1, size, &d) || !tile_src(t, "src0", t->a->rs2, size, &p) ||
	    !tile_overlap(t, t->a->rs1, size, "src0", t->a->rs2, size))
		return false;
	chunk = SPLAT_BYTES / bytes;
	tile_splat(scalar, t->a->rs3, bytes, n < chunk ? n : chunk);
	for (uint32_t i = 0; i < n; i += chunk) {
		size_t m = n - i < chunk ? n - i : chunk;
		size_t off = (size_t)i * bytes;

		if (ctl & ANPU_CTL_REVERSE)
			fn(d + off, scalar, p + off, m);
		else
			fn(d + off, p + off, scalar, m);
	}
	tile_finish(t, t->a->rs1, d, size, type, n);
	tile_time(t, 2 * size);
	return true;
}

bool tile_vun(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	uint64_t allowed = CTL_COUNT | CTL_TYPE | CTL_SUB;
	uint64_t size;
	uint8_t *d, *p;
	tile_un_fn fn;

	if (unlikely(sub >= TILE_UNS))
		return no_sub(t, sub);
	t->sub = un_names[sub];
	fn = type < TILE_TYPES ? t->k->un[sub][type] : NULL;
	if (unlikely(!fn))
		return no_type(t, type);
	if (sub == ANPU_UN_ROUND)
		allowed |= CTL_ROUND;
	if (!tile_ctl(t, "ctl", ctl, allowed) || !check_round(t, ANPU_CTL_GET_ROUND(ctl)) ||
	    !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if (unlikely(!n))
		return true;
	size = tile_bytes(n, type);
	if (!tile_dst(t, t->a->rs1, size, &d) || !tile_src(t, "src", t->a->rs2, size, &p) ||
	    !tile_overlap(t, t->a->rs1, size, "src", t->a->rs2, size))
		return false;
	fn(d, p, n, ANPU_CTL_GET_ROUND(ctl));
	if (sub == ANPU_UN_COPY)
		local_dirty(t->b, t->a->rs1, size);
	else
		tile_finish(t, t->a->rs1, d, size, type, n);
	tile_time(t, (sub < ANPU_UN_SQRT ? 2 : 8) * size);
	return true;
}

bool tile_vdup(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	uint64_t size;
	uint8_t *d;

	if (unlikely(type >= TILE_TYPES || tile_type_bits[type] < 8))
		return no_type(t, type);
	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE) || !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if (unlikely(!n))
		return true;
	size = tile_bytes(n, type);
	if (!tile_dst(t, t->a->rs1, size, &d))
		return false;
	local_dirty(t->b, t->a->rs1, size);
	tile_splat(d, t->a->rs2, tile_type_bits[type] / 8, n);
	tile_time(t, size);
	return true;
}

/* Conversions ------------------------------------------------------------------------------------ */

#define CVT_CHUNK	512

/**
 * struct cvt - a conversion
 * @fn: from @from to @to, or for quantisation from fp32 to @to
 * @to_f32: quantisation: from @from to fp32, NULL if it is fp32
 */
struct cvt {
	tile_un_fn fn;
	tile_un_fn to_f32;
	unsigned int to;
	unsigned int from;
	unsigned int round;
	bool quant;
};

static bool find_cvt(struct tile *t, uint64_t ctl, struct cvt *c)
{
	unsigned int mid;

	c->to = ANPU_CTL_GET_TYPE(ctl);
	c->from = ANPU_CTL_GET_TYPE2(ctl);
	c->round = ANPU_CTL_GET_ROUND(ctl);
	c->quant = ctl & ANPU_CTL_QUANT;
	if (!tile_ctl(t, "ctl", ctl,
		      CTL_COUNT | CTL_TYPE | CTL_TYPE2 | CTL_ROUND | ANPU_CTL_QUANT) ||
	    !check_round(t, c->round))
		return false;
	if (unlikely(c->to >= TILE_TYPES || c->from >= TILE_TYPES))
		return no_type(t, c->to >= TILE_TYPES ? c->to : c->from);
	mid = c->quant ? ANPU_TYPE_F32 : c->from;
	c->fn = t->k->cvt[c->to][mid];
	c->to_f32 = c->quant && c->from != mid ? t->k->cvt[mid][c->from] : NULL;
	if (likely(c->fn && (!c->quant || c->from == mid || c->to_f32)))
		return true;
	return tile_fail(t, "no %sconversion from %s to %s", c->quant ? "quantising " : "",
			 tile_type_name(c->from), tile_type_name(c->to));
}

/* fp32 times scale plus offset of CSR quant, then to the destination's type */
static void quantise(struct tile *t, const struct cvt *c, uint8_t *d, const uint8_t *p, uint32_t n)
{
	_Alignas(32) float x[CVT_CHUNK], scale[CVT_CHUNK], offset[CVT_CHUNK];
	float off = (float)(int16_t)(t->b->csr.quant >> 32);
	uint32_t bits;

	memcpy(&bits, &off, 4);
	tile_splat(scale, (uint32_t)t->b->csr.quant, 4, n < CVT_CHUNK ? n : CVT_CHUNK);
	tile_splat(offset, bits, 4, n < CVT_CHUNK ? n : CVT_CHUNK);
	for (uint32_t i = 0; i < n; i += CVT_CHUNK) {
		size_t m = n - i < CVT_CHUNK ? n - i : CVT_CHUNK;

		if (c->to_f32)
			c->to_f32(x, p + tile_bytes(i, c->from), m, ANPU_ROUND_RINT);
		else
			memcpy(x, p + tile_bytes(i, c->from), m * 4);
		t->k->bin[ANPU_BIN_MUL][ANPU_TYPE_F32](x, x, scale, m);
		t->k->bin[ANPU_BIN_ADD][ANPU_TYPE_F32](x, x, offset, m);
		c->fn(d + tile_bytes(i, c->to), x, m, c->round);
	}
}

/* a narrower destination at the source's address: through a buffer, piece by piece */
static void convert_in_place(const struct cvt *c, uint8_t *d, const uint8_t *p, uint32_t n)
{
	_Alignas(32) uint8_t x[CVT_CHUNK * 8];

	for (uint32_t i = 0; i < n; i += CVT_CHUNK) {
		size_t m = n - i < CVT_CHUNK ? n - i : CVT_CHUNK;

		c->fn(x, p + tile_bytes(i, c->from), m, c->round);
		memcpy(d + tile_bytes(i, c->to), x, tile_bytes(m, c->to));
	}
}

bool tile_vcvt(struct tile *t)
{
	uint64_t ctl = t->a->rd;
	uint32_t n = ANPU_CTL_GET_COUNT(ctl);
	uint64_t dst_size, src_size;
	uint8_t *d, *p;
	struct cvt c;

	if (!find_cvt(t, ctl, &c) || !tile_ctl(t, "rs3", t->a->rs3, 0))
		return false;
	if (unlikely((c.to == ANPU_TYPE_S4 || c.from == ANPU_TYPE_S4) && n % 2))
		return tile_fail(t, "count %u is odd, but two S4 share a byte", n);
	if (unlikely(!n))
		return true;
	dst_size = tile_bytes(n, c.to);
	src_size = tile_bytes(n, c.from);
	if (!tile_dst(t, t->a->rs1, dst_size, &d) ||
	    !tile_src(t, "src", t->a->rs2, src_size, &p) ||
	    !tile_overlap(t, t->a->rs1, dst_size, "src", t->a->rs2, src_size))
		return false;
	if (unlikely(c.quant))
		quantise(t, &c, d, p, n);
	else if (unlikely(d == p && dst_size != src_size))
		convert_in_place(&c, d, p, n);
	else
		c.fn(d, p, n, c.round);
	tile_finish(t, t->a->rs1, d, dst_size, c.to, n);
	tile_time(t, 2 * (dst_size + src_size));
	return true;
}
