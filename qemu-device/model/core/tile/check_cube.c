// SPDX-License-Identifier: MIT
/*
 * The checking mode for the cube unit and for the operations that fill its operands. Matrices that
 * are no multiple of fractals have padding, which nobody needs to write: on the way to the cube
 * unit bytes that were never written may be copied and stay unwritten, and MMAD needs those that m,
 * n and k cover.
 */
#include "../check/check.h"
#include "tile_int.h"

#define FRACTAL		512
#define EDGE		16
#define C_FRACTAL	1024
#define BLOCK		ANPU_LOCAL_ALIGN
#define MAX_EDGE	4096

bool tile_check_nd2nz(struct tile *t, const struct anpu_nd2nz_desc *n, unsigned int bytes)
{
	uint64_t blocks = ((uint64_t)n->d * bytes + BLOCK - 1) / BLOCK;

	for (uint32_t p = 0; p < n->nd_num; p++) {
		uint64_t dst = t->a->rs1 + (uint64_t)p * n->dst_nz_stride * bytes;

		if (!check_global(t->b, "src", t->a->rs2 + (uint64_t)p * n->src_nd_stride * bytes,
				  (uint64_t)n->d * bytes, (uint64_t)n->src_d * bytes, n->n,
				  ANPU_ACCESS_READ, t->fault))
			return false;
		for (uint64_t i = 0; i < n->n; i++)
			for (uint64_t j = 0; j < blocks; j++)
				if (!check_write(t->b, "dst", dst + (j * n->dst_c0_stride +
						 i * n->dst_n_stride) * BLOCK, BLOCK, t->fault))
					return false;
	}
	return true;
}

/* A copy of global memory that nothing has written leaves L1 unwritten, too. */
void tile_carry_nd2nz(struct tile *t, const uint8_t *d, const struct anpu_nd2nz_desc *n, unsigned int bytes)
{
	uint64_t row = (uint64_t)n->d * bytes;

	for (uint32_t p = 0; p < n->nd_num; p++)
		for (uint64_t i = 0; i < n->n; i++)
			for (uint64_t j = 0; j < row; j += BLOCK) {
				uint64_t to = (uint64_t)p * n->dst_nz_stride * bytes +
					      (j / BLOCK * n->dst_c0_stride + i * n->dst_n_stride) * BLOCK;

				check_carry_global(t->b, t->a->rs1 + to, t->a->rs2 + (uint64_t)p * n->src_nd_stride * bytes +
						   i * n->src_d * bytes + j, d + to, row - j < BLOCK ? row - j : BLOCK);
			}
}

/* marks the places to which the elements of a fractal go as written */
static void carry_fractal(struct tile *t, uint64_t dst, uint64_t src, unsigned int bits)
{
	unsigned int c0 = BLOCK * 8 / bits, bytes = bits == 4 ? 1 : bits / 8;

	if (!(t->a->rd & ANPU_CTL_TRANSPOSE) || check_is_written(t->b, src, FRACTAL, false)) {
		check_carry(t->b, dst, src, FRACTAL);
		return;
	}
	/* a byte of two halves is written if both are */
	check_set_written(t->b, dst, FRACTAL, true);
	for (unsigned int r = 0; r < EDGE; r++)
		for (unsigned int c = 0; c < c0; c++)
			if (!check_is_written(t->b, src + (r * c0 + c) * bits / 8, bytes, false))
				check_set_written(t->b, dst + (c * EDGE + r) * bits / 8, bytes, false);
}

bool tile_check_load2d(struct tile *t, uint64_t src, uint64_t count, uint64_t src_step,
		       uint64_t dst_step, unsigned int bits)
{
	bool gm = src >= ANPU_GM_BASE, any = gm;

	for (uint64_t i = 0; !any && i < count; i++)
		any = check_is_written(t->b, src + i * src_step, FRACTAL, true);
	if (!any)
		return check_unwritten(t->b, "src", src, FRACTAL, t->fault);
	if (gm && !check_global(t->b, "src", src, FRACTAL, src_step, count, ANPU_ACCESS_READ,
				t->fault))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t dst = t->a->rs1 + i * dst_step, from = src + i * src_step;

		if (gm) {
			if (!check_write(t->b, "dst", dst, FRACTAL, t->fault))
				return false;
			continue;
		}
		if (!check_touch_read(t->b, "src", from, FRACTAL, t->fault) ||
		    !check_touch_write(t->b, "dst", dst, FRACTAL, t->fault))
			return false;
		carry_fractal(t, dst, from, bits);
	}
	return true;
}

/* MMAD --------------------------------------------------------------------------------------------- */

/**
 * struct mmad - a multiplication and which of its rows and columns are made of written elements
 * @m1: fractals of rows
 * @n1: fractals of columns
 * @k1: fractals of depth
 * @c0: elements in 32 bytes
 * @cols: fractals of L0A lie column by column
 * @one: L0A has one row
 * @row: row of L0A
 * @col: column of L0B, and element of the bias
 */
struct mmad {
	uint32_t m, n, k;
	uint32_t m1, n1, k1;
	unsigned int bits;
	unsigned int c0;
	bool cols;
	bool one;
	bool accumulate;
	bool row[MAX_EDGE];
	bool col[MAX_EDGE];
};

static bool check_left(struct tile *t, struct mmad *x)
{
	uint64_t size = (uint64_t)x->m1 * x->k1 * FRACTAL;

	memset(x->row, true, x->m1 * EDGE);
	if (x->one)
		return check_read(t->b, "src0", t->a->rs2, ((uint64_t)x->k * x->bits + 7) / 8, t->fault);
	if (!check_touch_read(t->b, "src0", t->a->rs2, size, t->fault))
		return false;
	if (check_is_written(t->b, t->a->rs2, size, false))
		return true;
	for (uint32_t i = 0; i < x->m1 * EDGE; i++)
		for (uint32_t p = 0; p < x->k1; p++) {
			uint64_t va = t->a->rs2 + (x->cols ? (uint64_t)p * x->m1 + i / EDGE :
							     (uint64_t)(i / EDGE) * x->k1 + p) * FRACTAL +
				      i % EDGE * BLOCK;
			uint32_t left = x->k - p * x->c0;
			uint64_t len = ((left < x->c0 ? left : x->c0) * x->bits + 7) / 8;

			if (check_is_written(t->b, va, len, false))
				continue;
			if (i < x->m)
				return check_unwritten(t->b, "src0", va, len, t->fault);
			x->row[i] = false;
		}
	return true;
}

/* one row of a fractal of L0B */
static bool check_right_row(struct tile *t, struct mmad *x, uint64_t va, uint32_t j)
{
	unsigned int bytes = (x->bits + 7) / 8;

	if (check_is_written(t->b, va, EDGE * x->bits / 8, false))
		return true;
	for (uint32_t i = 0; i < EDGE; i++, j++) {
		uint64_t at = va + i * x->bits / 8;

		if (check_is_written(t->b, at, bytes, false))
			continue;
		if (j < x->n)
			return check_unwritten(t->b, "src1", at, bytes, t->fault);
		x->col[j] = false;
	}
	return true;
}

static bool check_right(struct tile *t, struct mmad *x)
{
	uint64_t size = (uint64_t)x->n1 * x->k1 * FRACTAL;

	memset(x->col, true, x->n1 * EDGE);
	if (!check_touch_read(t->b, "src1", t->a->rs3, size, t->fault))
		return false;
	if (check_is_written(t->b, t->a->rs3, size, false))
		return true;
	for (uint32_t p = 0; p < x->k; p++)
		for (uint32_t j1 = 0; j1 < x->n1; j1++) {
			uint64_t va = t->a->rs3 + ((uint64_t)(p / x->c0) * x->n1 + j1) * FRACTAL +
				      (uint64_t)(p % x->c0) * EDGE * x->bits / 8;

			if (!check_right_row(t, x, va, j1 * EDGE))
				return false;
		}
	return true;
}

static bool check_bias(struct tile *t, struct mmad *x)
{
	uint64_t va = t->b->csr.bias;

	if (!check_read(t->b, "CSR bias", va, x->n * 4ULL, t->fault) ||
	    !check_touch_read(t->b, "CSR bias", va, x->n1 * EDGE * 4ULL, t->fault))
		return false;
	for (uint32_t j = x->n; j < x->n1 * EDGE; j++)
		x->col[j] = x->col[j] && check_is_written(t->b, va + j * 4ULL, 4, false);
	return true;
}

/* Padding of the result counts as written if all elements that it is computed from are written. */
static bool check_result(struct tile *t, const struct mmad *x)
{
	for (uint32_t i = 0; i < x->m1 * EDGE; i++)
		for (uint32_t j = 0; j < x->n1 * EDGE; j++) {
			uint64_t va = t->a->rs1 + ((uint64_t)(j / EDGE) * x->m1 + i / EDGE) * C_FRACTAL +
				      (i % EDGE * EDGE + j % EDGE) * 4;
			bool start = !x->accumulate || check_is_written(t->b, va, 4, false);

			if (i < x->m && j < x->n && !start)
				return check_unwritten(t->b, "dst", va, 4, t->fault);
			check_set_written(t->b, va, 4, start && x->row[i] && x->col[j]);
		}
	return true;
}

bool tile_check_mmad(struct tile *t, uint32_t m, uint32_t n, uint32_t k, unsigned int type,
		     uint32_t flags)
{
	unsigned int bits = tile_type_bits[type], c0 = BLOCK * 8 / bits;
	struct mmad x = { .m = m, .n = n, .k = k, .m1 = (m + EDGE - 1) / EDGE,
			  .n1 = (n + EDGE - 1) / EDGE, .k1 = (k + c0 - 1) / c0, .bits = bits,
			  .c0 = c0, .cols = flags & ANPU_MMAD_COLS, .one = flags & ANPU_MMAD_ROW,
			  .accumulate = !(flags & (ANPU_MMAD_INIT | ANPU_MMAD_BIAS)) };
	uint64_t size = (uint64_t)x.m1 * x.n1 * C_FRACTAL;
	bool all;

	if (!check_left(t, &x) || !check_right(t, &x) ||
	    ((flags & ANPU_MMAD_BIAS) && !check_bias(t, &x)))
		return false;
	if ((x.accumulate && !check_touch_read(t->b, "dst", t->a->rs1, size, t->fault)) ||
	    !check_touch_write(t->b, "dst", t->a->rs1, size, t->fault))
		return false;
	all = !memchr(x.row, false, x.m1 * EDGE) && !memchr(x.col, false, x.n1 * EDGE);
	if (!all || (x.accumulate && !check_is_written(t->b, t->a->rs1, size, false)))
		return check_result(t, &x);
	check_set_written(t->b, t->a->rs1, size, true);
	return true;
}
