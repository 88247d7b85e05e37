// SPDX-License-Identifier: MIT
/*
 * FIXPIPE: results out of L0C, with relu, quantisation, conversion and layout.
 */
#include "../check/check.h"
#include "tile_int.h"

#define EDGE		16
#define C_ROW		64	/* bytes of a row of a fractal of L0C */
#define C_FRACTAL	1024
#define BLOCK		ANPU_LOCAL_ALIGN
/* columns that L0C can hold, at 16 rows */
#define MAX_COLS	(ANPU_L0C_SIZE / C_ROW / EDGE * EDGE)

/**
 * struct fix - one FIXPIPE
 * @dst: host memory, NULL if it is global memory
 * @cvt: to the destination's type, NULL if it is the source's
 * @to_f32: quantisation of S32
 * @scale: quantisation: of every column
 * @atomic: CSR atomic, for global memory
 */
struct fix {
	struct anpu_fix_desc d;
	const uint8_t *src;
	uint8_t *dst;
	tile_un_fn cvt;
	tile_un_fn to_f32;
	struct tile_atomic atomic;
	unsigned int from;
	unsigned int to;
	unsigned int bytes;
	_Alignas(32) float scale[MAX_COLS];
	_Alignas(32) float offset[MAX_COLS];
};

/* Checks ------------------------------------------------------------------------------------------- */

static bool check_desc(struct tile *t, const struct anpu_fix_desc *d)
{
	if (d->reserved || d->relu > 1 || d->layout > ANPU_FIX_NZ || d->quant > ANPU_FIX_QUANT_VECTOR)
		return tile_fail(t, "quant %u, relu %u, layout %u or the reserved field is out of range",
				 d->quant, d->relu, d->layout);
	if (d->src_stride % EDGE || d->src_stride < d->m || d->src_stride > ANPU_L0C_SIZE / C_ROW)
		return tile_fail(t, "src_stride %u is not a multiple of 16 from m %u on", d->src_stride,
				 d->m);
	if (d->n > MAX_COLS)
		return tile_fail(t, "n %u is more than L0C holds", d->n);
	if (!d->nd_num || (d->layout == ANPU_FIX_NZ && d->nd_num != 1))
		return tile_fail(t, "nd_num %u; it is at least 1, and 1 for fractals", d->nd_num);
	if ((uint64_t)d->nd_num * d->m * d->n > ANPU_L0C_SIZE / 4)
		return tile_fail(t, "%u matrices of %u x %u are more than L0C holds", d->nd_num, d->m,
				 d->n);
	if (d->layout == ANPU_FIX_ND && d->dst_stride < d->n && d->m > 1)
		return tile_fail(t, "dst_stride %u is less than n %u", d->dst_stride, d->n);
	return true;
}

static bool find_cvt(struct tile *t, struct fix *f)
{
	uint64_t ctl = t->a->rd;
	bool quant = f->d.quant != ANPU_FIX_QUANT_NONE;

	f->to = ANPU_CTL_GET_TYPE(ctl);
	f->from = ANPU_CTL_GET_TYPE2(ctl);
	if (!tile_ctl(t, "ctl", ctl, CTL_TYPE | CTL_TYPE2))
		return false;
	if (f->from != ANPU_TYPE_F32 && f->from != ANPU_TYPE_S32)
		return tile_no_type(t, f->from);
	if (f->to >= TILE_TYPES || tile_type_bits[f->to] < 8 || tile_type_bits[f->to] > 32)
		return tile_no_type(t, f->to);
	f->to_f32 = quant && f->from == ANPU_TYPE_S32 ? t->k->cvt[ANPU_TYPE_F32][ANPU_TYPE_S32] : NULL;
	f->cvt = t->k->cvt[f->to][quant ? ANPU_TYPE_F32 : f->from];
	f->bytes = tile_type_bits[f->to] / 8;
	return true;
}

static void set_quant(struct fix *f, uint32_t col, uint64_t word)
{
	uint32_t bits = (uint32_t)word;

	memcpy(&f->scale[col], &bits, 4);
	f->offset[col] = (float)(int16_t)(word >> 32);
}

static bool find_quant(struct tile *t, struct fix *f)
{
	uint8_t *p;

	if (f->d.quant == ANPU_FIX_QUANT_NONE)
		return true;
	if (f->d.quant == ANPU_FIX_QUANT_SCALAR) {
		for (uint32_t i = 0; i < f->d.n; i++)
			set_quant(f, i, t->b->csr.quant);
		return true;
	}
	if (!tile_local(t, "quant_addr", f->d.quant_addr, f->d.n * 8ULL, BLOCK, WIN_FB,
			ANPU_ACCESS_READ, &p))
		return false;
	for (uint32_t i = 0; i < f->d.n; i++) {
		uint64_t word;

		memcpy(&word, p + i * 8, 8);
		set_quant(f, i, word);
	}
	return true;
}

/* bytes from the first to the last byte of the destination */
static uint64_t dst_bytes(const struct fix *f)
{
	const struct anpu_fix_desc *d = &f->d;
	uint64_t cols = ((uint64_t)d->n * f->bytes + BLOCK - 1) / BLOCK;

	if (d->layout == ANPU_FIX_NZ)
		return ((cols - 1) * d->dst_stride + d->m) * BLOCK;
	return ((uint64_t)(d->nd_num - 1) * d->dst_nd_stride + (uint64_t)(d->m - 1) * d->dst_stride +
		d->n) * f->bytes;
}

static bool find_dst(struct tile *t, struct fix *f)
{
	uint64_t size = dst_bytes(f), mode = t->b->csr.atomic, va = t->a->rs1;
	unsigned int windows = WIN_L1 | (t->b->core_type == ANPU_CORE_AIC ? 0 : WIN_UB);

	f->dst = NULL;
	f->atomic.fn = NULL;
	if (tile_window_of(va) != WIN_GM) {
		if (!tile_local(t, "dst", va, size, BLOCK, windows, ANPU_ACCESS_WRITE, &f->dst))
			return false;
		local_dirty(t->b, va, size);
		return true;
	}
	if (!tile_gm_range(t, "dst", va, size))
		return false;
	if (va % f->bytes)
		return tile_fail(t, "dst 0x%llx is not a multiple of %u, the size of an element",
				 (unsigned long long)va, f->bytes);
	if (!(mode & 0xff))
		return true;
	if (mode >> 8 != f->to)
		return tile_fail(t, "CSR atomic is for another type than %s", tile_type_name(f->to));
	return tile_atomic_find(t, mode & 0xff, mode >> 8, &f->atomic);
}

static bool find_src(struct tile *t, struct fix *f)
{
	const struct anpu_fix_desc *d = &f->d;
	uint64_t cols = (d->n + EDGE - 1u) / EDGE;
	uint64_t size = (uint64_t)(d->nd_num - 1) * d->src_nd_stride * C_FRACTAL +
			((cols - 1) * d->src_stride + d->m) * C_ROW;
	uint8_t *p;

	if (!tile_local(t, "src", t->a->rs2, size, C_ROW, WIN_L0C, ANPU_ACCESS_READ, &p))
		return false;
	f->src = p;
	return true;
}

/* Checking mode ------------------------------------------------------------------------------------ */

/* the m x n elements of a matrix in L0C, column of fractals by column */
static bool check_src(struct tile *t, const struct anpu_fix_desc *d, uint32_t k)
{
	uint64_t va = t->a->rs2 + (uint64_t)k * d->src_nd_stride * C_FRACTAL;

	for (uint32_t j = 0; j < d->n; j += EDGE, va += (uint64_t)d->src_stride * C_ROW) {
		uint64_t row = d->n - j < EDGE ? (d->n - j) * 4 : C_ROW;
		uint64_t rows = row == C_ROW ? 1 : d->m, len = row == C_ROW ? (uint64_t)d->m * row : row;

		for (uint64_t i = 0; i < rows; i++)
			if (!check_read(t->b, "src", va + i * C_ROW, len, t->fault))
				return false;
	}
	return true;
}

static bool check_dst(struct tile *t, const struct fix *f, uint32_t k)
{
	const struct anpu_fix_desc *d = &f->d;
	const uint32_t access = f->atomic.fn ? ANPU_ACCESS_READ | ANPU_ACCESS_WRITE : ANPU_ACCESS_WRITE;
	bool nd = d->layout == ANPU_FIX_ND;
	uint64_t va = t->a->rs1 + (uint64_t)k * d->dst_nd_stride * f->bytes;
	/* rows, or columns of blocks */
	uint64_t len = nd ? (uint64_t)d->n * f->bytes : (uint64_t)d->m * BLOCK;
	uint64_t step = (uint64_t)d->dst_stride * (nd ? f->bytes : BLOCK);
	uint64_t count = nd ? d->m : ((uint64_t)d->n * f->bytes + BLOCK - 1) / BLOCK;

	if (!f->dst)
		return check_global(t->b, "dst", va, len, step, count, access, t->fault);
	for (uint64_t i = 0; i < count; i++)
		if (!check_write(t->b, "dst", va + i * step, len, t->fault))
			return false;
	return true;
}

static bool check_fix(struct tile *t, const struct fix *f)
{
	if (f->d.quant == ANPU_FIX_QUANT_VECTOR &&
	    !check_read(t->b, "quant_addr", f->d.quant_addr, f->d.n * 8ULL, t->fault))
		return false;
	for (uint32_t k = 0; k < f->d.nd_num; k++)
		if (!check_src(t, &f->d, k) || !check_dst(t, f, k))
			return false;
	return true;
}

/* Work --------------------------------------------------------------------------------------------- */

/* overflows: the class of each row before its conversion */
static void watch_before(const struct fix *f, const void *x, uint8_t *worst)
{
	memset(worst, 0, f->d.n);
	tile_worst(worst, x, f->from, f->d.n);
	if (f->d.quant)
		tile_worst(worst, f->scale, ANPU_TYPE_F32, f->d.n);
}

/* row i of the matrix at src in the destination's type */
static void fix_row(struct tile *t, const struct fix *f, const uint8_t *src, uint32_t i, void *out)
{
	bool watch = unlikely(t->b->watch) && tile_is_float(f->to);
	_Alignas(32) uint32_t x[MAX_COLS + EDGE];
	uint8_t worst[MAX_COLS];
	uint32_t n = f->d.n;
	const tile_bin_fn *mul = t->k->bin[ANPU_BIN_MUL], *add = t->k->bin[ANPU_BIN_ADD];

	for (uint32_t j = 0; j < n; j += EDGE)
		memcpy(x + j, src + ((uint64_t)(j / EDGE) * f->d.src_stride + i) * C_ROW, C_ROW);
	if (unlikely(watch))
		watch_before(f, x, worst);
	if (f->d.relu)
		t->k->un[ANPU_UN_RELU][f->from](x, x, n, 0);
	if (f->d.quant) {
		if (f->to_f32)
			f->to_f32(x, x, n, ANPU_ROUND_RINT);
		mul[ANPU_TYPE_F32](x, x, f->scale, n);
		add[ANPU_TYPE_F32](x, x, f->offset, n);
	}
	if (f->cvt)
		f->cvt(out, x, n, ANPU_ROUND_RINT);
	else
		memcpy(out, x, n * 4);
	if (unlikely(watch))
		t->b->overflow |= tile_worse(worst, out, f->to, n);
	if (unlikely(t->b->csr.fpctl & ANPU_FPCTL_SATURATE) && t->k->sat[f->to])
		t->k->sat[f->to](out, n);
}

/* row i, which is copied without a change */
static void copy_row(const struct fix *f, const uint8_t *src, uint32_t i, uint8_t *out)
{
	uint64_t step = (uint64_t)f->d.src_stride * C_ROW;
	uint32_t n = f->d.n * 4;

	for (src += (uint64_t)i * C_ROW; n >= C_ROW; n -= C_ROW, src += step, out += C_ROW)
		memcpy(out, src, C_ROW);
	memcpy(out, src, n);
}

static bool put(struct tile *t, const struct fix *f, uint64_t at, const uint8_t *p, uint64_t size)
{
	if (f->dst) {
		memcpy(f->dst + at, p, size);
		return true;
	}
	if (unlikely(f->atomic.fn))
		return tile_gm_atomic(t, t->a->rs1 + at, p, size, &f->atomic);
	return tile_gm_write(t, t->a->rs1 + at, p, size);
}

static bool fix_matrix(struct tile *t, const struct fix *f, uint32_t k)
{
	_Alignas(32) uint8_t row[(MAX_COLS + EDGE) * 4];
	const uint8_t *src = f->src + (uint64_t)k * f->d.src_nd_stride * C_FRACTAL;
	uint64_t size = (uint64_t)f->d.n * f->bytes;
	bool saturate = (t->b->csr.fpctl & ANPU_FPCTL_SATURATE) && t->k->sat[f->to];
	bool plain = !f->d.relu && !f->d.quant && !f->cvt && !saturate;
	bool direct = f->d.layout == ANPU_FIX_ND && !f->atomic.fn;
	struct tile_span span = { .size = 0 };

	for (uint32_t i = 0; i < f->d.m; i++) {
		uint64_t at = ((uint64_t)k * f->d.dst_nd_stride + (uint64_t)i * f->d.dst_stride) *
			      f->bytes;
		uint8_t *to = NULL;

		if (direct && f->dst)
			to = f->dst + at;
		else if (direct)
			to = tile_span(t, &span, t->a->rs1 + at, size, ANPU_ACCESS_WRITE);
		if (plain)
			copy_row(f, src, i, to ? to : row);
		else
			fix_row(t, f, src, i, to ? to : row);
		if (to)
			continue;
		if (f->d.layout == ANPU_FIX_ND) {
			if (!put(t, f, at, row, size))
				return false;
			continue;
		}
		memset(row + size, 0, -size % BLOCK);
		for (uint64_t j = 0; j * BLOCK < size; j++)
			if (!put(t, f, (j * f->d.dst_stride + i) * BLOCK, row + j * BLOCK, BLOCK))
				return false;
	}
	return true;
}

bool tile_fixpipe(struct tile *t)
{
	struct fix f;

	if (!tile_desc(t, t->a->rs3, &f.d) || !find_cvt(t, &f))
		return false;
	if (!f.cvt && f.to != (f.d.quant ? ANPU_TYPE_F32 : f.from))
		return tile_fail(t, "no conversion from %s to %s", tile_type_name(f.from),
				 tile_type_name(f.to));
	if (!f.d.m || !f.d.n)
		return true;
	if (!check_desc(t, &f.d) || !find_src(t, &f) || !find_quant(t, &f) || !find_dst(t, &f))
		return false;
	if (unlikely(t->b->check) && !check_fix(t, &f))
		return false;
	for (uint32_t k = 0; k < f.d.nd_num; k++)
		if (!fix_matrix(t, &f, k))
			return false;
	tile_time(t, (uint64_t)f.d.nd_num * f.d.m * (f.d.n * 16 + 128));
	return true;
}
