// SPDX-License-Identifier: MIT
/*
 * The vector unit: operations element by element over contiguous operands in UB.
 */
#include "tile_int.h"

#define CVT_CHUNK	512

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

static const char *const tri_names[TILE_TRIS] = {
#define X(name, number, meaning) [number] = #name,
	ANPU_TRI_OPS(X)
#undef X
};

static const char *const cmp_names[TILE_CMPS] = {
#define X(name, number, meaning) [number] = #name,
	ANPU_CMP_OPS(X)
#undef X
};

bool tile_no_sub(struct tile *t, unsigned int sub)
{
	return tile_fail(t, "sub-operation %u does not exist", sub);
}

bool tile_no_type(struct tile *t, unsigned int type)
{
	return tile_fail(t, "it has no form for type %s (%u)", tile_type_name(type), type);
}

static bool check_round(struct tile *t, unsigned int round)
{
	return likely(round <= ANPU_ROUND_ODD) ||
	       tile_fail(t, "rounding mode %u does not exist", round);
}

/* How each operation runs ------------------------------------------------------------------------ */

static void run_bin(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n)
{
	if (unlikely(v->reverse))
		v->fn.bin(d, q, p, n);
	else
		v->fn.bin(d, p, q, n);
}

static void run_un(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		   const uint8_t *q, const uint8_t *mask, size_t n)
{
	v->fn.un(d, p, n, v->round);
}

static void run_cmp(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n)
{
	v->fn.cmp(d, p, q, n);
}

static void run_sel(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n)
{
	v->fn.sel(d, p, q, mask, n);
}

static void run_dup(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n)
{
	memcpy(d, q, bits_bytes(n, v->dst_bits));
}

/* to a narrower type at the source's own address: through a buffer, piece by piece */
static void run_cvt(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, const uint8_t *mask, size_t n)
{
	_Alignas(32) uint8_t x[CVT_CHUNK * 8];

	if (likely(d != p || v->dst_bits == v->src_bits[0])) {
		v->fn.un(d, p, n, v->round);
		return;
	}
	for (size_t i = 0; i < n; i += CVT_CHUNK) {
		size_t m = n - i < CVT_CHUNK ? n - i : CVT_CHUNK;

		v->fn.un(x, p + bits_bytes(i, v->src_bits[0]), m, v->round);
		memcpy(d + bits_bytes(i, v->dst_bits), x, bits_bytes(m, v->dst_bits));
	}
}

/* fp32 times scale plus offset of CSR quant, then to the destination's type */
static void run_quant(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		      const uint8_t *q, const uint8_t *mask, size_t n)
{
	_Alignas(32) float x[CVT_CHUNK], scale[CVT_CHUNK], offset[CVT_CHUNK];
	float off = (float)(int16_t)(t->b->csr.quant >> 32);
	uint32_t bits;

	memcpy(&bits, &off, 4);
	tile_splat(scale, (uint32_t)t->b->csr.quant, 4, n < CVT_CHUNK ? n : CVT_CHUNK);
	tile_splat(offset, bits, 4, n < CVT_CHUNK ? n : CVT_CHUNK);
	for (size_t i = 0; i < n; i += CVT_CHUNK) {
		size_t m = n - i < CVT_CHUNK ? n - i : CVT_CHUNK;

		if (v->mid)
			v->mid(x, p + bits_bytes(i, v->src_bits[0]), m, ANPU_ROUND_RINT);
		else
			memcpy(x, p + i * 4, m * 4);
		t->k->bin[ANPU_BIN_MUL][ANPU_TYPE_F32](x, x, scale, m);
		t->k->bin[ANPU_BIN_ADD][ANPU_TYPE_F32](x, x, offset, m);
		v->fn.un(d + bits_bytes(i, v->dst_bits), x, m, v->round);
	}
}

/* Control words ---------------------------------------------------------------------------------- */

/*
 * fields of the control word that all operations but conversions have: sub-operation, type,
 * operands
 */
static bool find_common(struct tile *t, uint64_t ctl, uint64_t allowed, unsigned int subs,
			const char *const *names, struct tile_vop *v)
{
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);

	if (unlikely(sub >= subs))
		return tile_no_sub(t, sub);
	if (names)
		t->sub = names[sub];
	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_SUB | allowed))
		return false;
	if (unlikely(type >= TILE_TYPES || tile_type_bits[type] < 8))
		return tile_no_type(t, type);
	v->count = ANPU_CTL_GET_COUNT(ctl);
	v->dst_type = (uint8_t)type;
	v->src_type = (uint8_t)type;
	v->dst_bits = tile_type_bits[type];
	v->src_bits[0] = v->dst_bits;
	v->src_bits[1] = v->dst_bits;
	v->round = ANPU_CTL_GET_ROUND(ctl);
	v->cost = 1;
	v->has_scalar = ctl & ANPU_CTL_SCALAR;
	v->reverse = false;
	v->dst_is_src = false;
	v->no_sat = false;
	v->has_mask = false;
	v->quant = false;
	if (v->has_scalar)
		v->src_bits[1] = 0;
	return true;
}

static bool find_bin(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_common(t, ctl, flags, TILE_BINS, bin_names, v))
		return false;
	v->run = run_bin;
	v->fn.bin = t->k->bin[ANPU_CTL_GET_SUB(ctl)][v->dst_type];
	return likely(v->fn.bin) || tile_no_type(t, v->dst_type);
}

static bool find_bins(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_bin(t, ctl, flags | ANPU_CTL_REVERSE, v))
		return false;
	v->has_scalar = true;
	v->src_bits[1] = 0;
	v->reverse = ctl & ANPU_CTL_REVERSE;
	return true;
}

static bool find_un(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	unsigned int sub = ANPU_CTL_GET_SUB(ctl);

	if (!find_common(t, ctl, flags | (sub == ANPU_UN_ROUND ? CTL_ROUND : 0), TILE_UNS,
			 un_names, v) || !check_round(t, v->round))
		return false;
	v->run = run_un;
	v->fn.un = t->k->un[sub][v->dst_type];
	v->src_bits[1] = 0;
	v->cost = sub < ANPU_UN_SQRT ? 1 : sub < ANPU_UN_EXP || sub == ANPU_UN_ROUND ? 3 : 10;
	v->no_sat = sub == ANPU_UN_COPY;
	return likely(v->fn.un) || tile_no_type(t, v->dst_type);
}

static bool find_tri(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_common(t, ctl, flags | ANPU_CTL_SCALAR, TILE_TRIS, tri_names, v))
		return false;
	v->run = run_bin;
	v->fn.bin = t->k->tri[ANPU_CTL_GET_SUB(ctl)][v->dst_type];
	v->dst_is_src = true;
	return likely(v->fn.bin) || tile_no_type(t, v->dst_type);
}

static bool find_cmp(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_common(t, ctl, flags | ANPU_CTL_SCALAR, TILE_CMPS, cmp_names, v))
		return false;
	v->run = run_cmp;
	v->fn.cmp = t->k->cmp[ANPU_CTL_GET_SUB(ctl)][v->src_type];
	v->dst_bits = 1;
	v->no_sat = true;
	return likely(v->fn.cmp) || tile_no_type(t, v->src_type);
}

static bool find_sel(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_common(t, ctl, flags | ANPU_CTL_SCALAR, ANPU_SEL_CMPMASK + 1, NULL, v))
		return false;
	v->run = run_sel;
	v->fn.sel = t->k->sel[v->dst_bits / 8];
	v->sel_op = ANPU_CTL_GET_SUB(ctl);
	v->has_mask = true;
	v->no_sat = true;
	if (unlikely(v->sel_op == ANPU_SEL_CMPMASK && v->dst_bits == 8))
		return tile_fail(t, "CSRs cmpmask0 and cmpmask1 are too short for 8-bit types");
	return true;
}

static bool find_dup(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	if (!find_common(t, ctl, flags, 1, NULL, v))
		return false;
	v->run = run_dup;
	v->src_bits[0] = 0;
	v->src_bits[1] = 0;
	v->has_scalar = true;
	v->no_sat = true;
	return true;
}

static bool find_cvt(struct tile *t, uint64_t ctl, uint64_t flags, struct tile_vop *v)
{
	unsigned int to = ANPU_CTL_GET_TYPE(ctl);
	unsigned int from = ANPU_CTL_GET_TYPE2(ctl);
	unsigned int mid;

	v->run = run_cvt;
	v->count = ANPU_CTL_GET_COUNT(ctl);
	v->cost = 2;
	v->src_bits[1] = 0;
	v->has_scalar = false;
	v->dst_is_src = false;
	v->no_sat = false;
	v->has_mask = false;
	v->dst_type = (uint8_t)to;
	v->src_type = (uint8_t)from;
	v->round = ANPU_CTL_GET_ROUND(ctl);
	v->quant = ctl & ANPU_CTL_QUANT;
	if (!tile_ctl(t, "ctl", ctl, CTL_COUNT | CTL_TYPE | CTL_TYPE2 | CTL_ROUND |
		      ANPU_CTL_QUANT | flags) || !check_round(t, v->round))
		return false;
	if (unlikely(to >= TILE_TYPES || from >= TILE_TYPES))
		return tile_no_type(t, to >= TILE_TYPES ? to : from);
	mid = v->quant ? ANPU_TYPE_F32 : from;
	v->fn.un = t->k->cvt[to][mid];
	v->mid = from != mid ? t->k->cvt[mid][from] : NULL;
	if (v->quant)
		v->run = run_quant;
	v->dst_bits = tile_type_bits[to];
	v->src_bits[0] = tile_type_bits[from];
	if (unlikely(!v->fn.un || (from != mid && !v->mid)))
		return tile_fail(t, "no %sconversion from %s to %s", v->quant ? "quantising " : "",
				 tile_type_name(from), tile_type_name(to));
	if (unlikely((to == ANPU_TYPE_S4 || from == ANPU_TYPE_S4) && v->count % 2))
		return tile_fail(t, "count %u is odd, but two S4 share a byte", v->count);
	return true;
}

bool tile_vop_find(struct tile *t, unsigned int op, uint64_t ctl, uint64_t flags,
		   struct tile_vop *v)
{
	static bool (*const find[])(struct tile *t, uint64_t ctl, uint64_t flags,
				    struct tile_vop *v) = {
		[ANPU_TILE_VBIN] = find_bin,
		[ANPU_TILE_VBINS] = find_bins,
		[ANPU_TILE_VUN] = find_un,
		[ANPU_TILE_VTRI] = find_tri,
		[ANPU_TILE_VCVT] = find_cvt,
		[ANPU_TILE_VDUP] = find_dup,
		[ANPU_TILE_VCMP] = find_cmp,
		[ANPU_TILE_VSEL] = find_sel,
	};

	if (unlikely(op >= sizeof(find) / sizeof(find[0]) || !find[op]))
		return tile_fail(t, "operation %u cannot be repeated", op);
	v->lanes = NULL;
	return find[op](t, ctl, flags, v);
}

void tile_vop_scalar(struct tile_vop *v, uint64_t value, size_t n)
{
	unsigned int bytes = tile_type_bits[v->src_type] / 8;

	tile_splat(v->splat, value, bytes, n < TILE_SPLAT / bytes ? n : TILE_SPLAT / bytes);
}

void tile_vop_run(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		  const uint8_t *q, const uint8_t *mask, size_t n)
{
	size_t chunk = v->has_scalar ? TILE_SPLAT * 8 / tile_type_bits[v->src_type] : n;
	bool watch = unlikely(t->b->watch) && !v->no_sat && tile_is_float(v->dst_type);

	if (unlikely(watch))
		tile_vop_watch(t, v, d, p, q, n);
	for (size_t i = watch ? n : 0; i < n; i += chunk) {
		size_t m = n - i < chunk ? n - i : chunk;

		v->run(t, v, d + bits_bytes(i, v->dst_bits),
		       p ? p + bits_bytes(i, v->src_bits[0]) : NULL,
		       v->has_scalar ? v->splat : q, mask ? mask + i / 8 : NULL, m);
	}
	if (unlikely(t->b->csr.fpctl & ANPU_FPCTL_SATURATE) && !v->no_sat &&
	    t->k->sat[v->dst_type])
		t->k->sat[v->dst_type](d, n);
}

/* Contiguous operands ------------------------------------------------------------------------------ */

/* elements for which a mask out of cmpmask0 and cmpmask1 is spread out */
#define MASK_CHUNK	1024

static void run_cmpmask(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
			const uint8_t *q, size_t n)
{
	unsigned int period = 2048 / v->dst_bits / 8;
	uint8_t mask[MASK_CHUNK / 8];

	for (unsigned int i = 0; i < sizeof(mask); i += period)
		memcpy(mask + i, t->b->csr.cmpmask, period);
	for (size_t i = 0; i < n; i += MASK_CHUNK) {
		size_t m = n - i < MASK_CHUNK ? n - i : MASK_CHUNK;
		uint64_t off = bits_bytes(i, v->dst_bits);

		tile_vop_run(t, v, d + off, p + off, q ? q + off : NULL, mask, m);
	}
}

static inline bool flat_src(struct tile *t, const char *role, uint64_t va, uint64_t size,
			    uint64_t dst_size, uint8_t **p)
{
	*p = NULL;
	return !size || (tile_src(t, role, va, size, p) &&
			 tile_overlap(t, t->a->rs1, dst_size, role, va, size));
}

static bool flat_operands(struct tile *t, const struct tile_vop *v, uint8_t **d, uint8_t **src)
{
	uint64_t n = v->count, size = bits_bytes(n, v->dst_bits);
	bool two = v->src_bits[1] || v->has_scalar;

	return tile_dst(t, t->a->rs1, size, d) &&
	       flat_src(t, two ? "src0" : "src", t->a->rs2, bits_bytes(n, v->src_bits[0]), size,
			&src[0]) &&
	       flat_src(t, "src1", t->a->rs3, bits_bytes(n, v->src_bits[1]), size, &src[1]);
}

static bool flat_mask(struct tile *t, const struct tile_vop *v, uint8_t **mask)
{
	uint64_t va = t->b->csr.selmask;
	uint64_t bytes = bits_bytes(v->count, 1);

	*mask = NULL;
	if (!v->has_mask || v->sel_op == ANPU_SEL_CMPMASK)
		return true;
	return tile_src(t, "CSR selmask", va, bytes, mask) &&
	       tile_overlap(t, t->a->rs1, bits_bytes(v->count, v->dst_bits), "the mask", va, bytes);
}

/* any operation of tile_vop_find(); @scalar: value of the register that a scalar form takes */
static bool flat(struct tile *t, unsigned int op, uint64_t scalar)
{
	uint8_t *d, *src[2], *mask;
	struct tile_vop v;
	uint64_t size;

	if (!tile_vop_find(t, op, t->a->rd, 0, &v))
		return false;
	if (unlikely(!v.count))
		return true;
	if (!flat_operands(t, &v, &d, src) || !flat_mask(t, &v, &mask))
		return false;
	if (unlikely(t->b->check) && !tile_check_flat(t, &v, mask))
		return false;
	size = bits_bytes(v.count, v.dst_bits);
	local_dirty(t->b, t->a->rs1, size);
	if (v.has_scalar)
		tile_vop_scalar(&v, scalar, v.count);
	if (unlikely(v.has_mask && !mask))
		run_cmpmask(t, &v, d, src[0], src[1], v.count);
	else
		tile_vop_run(t, &v, d, src[0], src[1], mask, v.count);
	tile_time(t, v.cost * (size + bits_bytes(v.count, v.src_bits[0] + v.src_bits[1])));
	return true;
}

bool tile_vbin(struct tile *t)
{
	return flat(t, ANPU_TILE_VBIN, 0);
}

bool tile_vbins(struct tile *t)
{
	return flat(t, ANPU_TILE_VBINS, t->a->rs3);
}

bool tile_vun(struct tile *t)
{
	return tile_ctl(t, "rs3", t->a->rs3, 0) && flat(t, ANPU_TILE_VUN, 0);
}

bool tile_vtri(struct tile *t)
{
	return flat(t, ANPU_TILE_VTRI, t->a->rs3);
}

bool tile_vcvt(struct tile *t)
{
	return tile_ctl(t, "rs3", t->a->rs3, 0) && flat(t, ANPU_TILE_VCVT, 0);
}

bool tile_vdup(struct tile *t)
{
	return tile_ctl(t, "rs3", t->a->rs3, 0) && flat(t, ANPU_TILE_VDUP, t->a->rs2);
}

bool tile_vcmp(struct tile *t)
{
	return flat(t, ANPU_TILE_VCMP, t->a->rs3);
}

bool tile_vsel(struct tile *t)
{
	return flat(t, ANPU_TILE_VSEL, t->a->rs3);
}
