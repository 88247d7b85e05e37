// SPDX-License-Identifier: MIT
/*
 * reduce: y[r] = the sum (reduce_sum_*) or the greatest (reduce_max_*) of row r of a row-major
 * matrix of any size, in fp32 or fp16. Sums are made in fp32 and rounded once. A row with NaN gives
 * NaN; a matrix without columns leaves y as it is.
 *
 * The results of a tile's rows stay in UB and leave it together. A whole row is reduced as it is:
 * VRED adds fp16 in fp32, too.
 */
/* Nothing but results is stored, so tiles may be larger. */
#define TILE		12288
#define UB_WORK		UB_VECTOR(2)
#include "rows.h"

/* Results in fp32, and in the type of y: of as many rows as a tile can have, or pieces of a row */
#define MAX_RESULTS	(TILE / 2)
#define UB_RESULTS	UB_VECTOR(3)
#define UB_NARROW	((char *)UB_RESULTS + MAX_RESULTS * sizeof(float))
#define RESULTS		BUFFERS	/* the event of them, beside those of the buffers */

struct reduction {
	enum anpu_red_op op;
};

static void reduce_row(void *result, const void *x, uint32_t n, enum anpu_type type,
		       enum anpu_red_op op)
{
	anpu_vred(result, x, ANPU_CTL(n, type, (uint32_t)op | ANPU_RED_WHOLE));
}

/* n results become y[row] and those behind it. */
static void store_results(const struct matrix *m, uint64_t row, uint32_t n, const void *from)
{
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, RESULTS);
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, RESULTS);
	anpu_copy(m->y + row * m->bytes, from, n * m->bytes);
	anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, RESULTS);
	anpu_waitflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, RESULTS);
}

static void reduce_tile(const struct matrix *m, const struct tile *t, const void *ctx)
{
	const struct reduction *r = ctx;
	char *x = tile_load_raw(m, t), *results = UB_RESULTS;
	uint32_t row;

	for (row = 0; row < t->rows; row++)
		reduce_row(results + row * m->bytes, x + row * t->pitch * m->bytes, t->cols, m->type,
			   r->op);
	tile_done(t);
	store_results(m, t->row, t->rows, results);
}

/* The pieces' results are reduced again; when they fill their vector, they become its first. */
static void reduce_long(const struct matrix *m, uint64_t row, const void *ctx)
{
	const struct reduction *r = ctx;
	float *results = UB_RESULTS;
	uint32_t col, n = 0;

	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);

		reduce_row(results + n++, tile_load(m, &t), t.cols, ANPU_TYPE_F32, r->op);
		tile_done(&t);
		if (n == MAX_RESULTS) {
			reduce_row(results, results, n, ANPU_TYPE_F32, r->op);
			n = 1;
		}
	}
	reduce_row(results, results, n, ANPU_TYPE_F32, r->op);
	if (m->type == ANPU_TYPE_F32) {
		store_results(m, row, 1, results);
		return;
	}
	anpu_vcvt(UB_NARROW, results, ANPU_CTL_CVT(1, m->type, ANPU_TYPE_F32, ANPU_ROUND_RINT));
	store_results(m, row, 1, UB_NARROW);
}

#define REDUCE(name, ctype, anpu_type, operation) \
ANPU_KERNEL void name(const ctype *x, ctype *y, uint32_t rows, uint32_t cols) \
{ \
	struct matrix m = { (const char *)x, (char *)y, rows, cols, anpu_type, sizeof(*x) }; \
	for_each_tile(&m, reduce_tile, reduce_long, &(struct reduction){ operation }); \
}

REDUCE(reduce_sum_f32, float, ANPU_TYPE_F32, ANPU_RED_SUM)
REDUCE(reduce_sum_f16, _Float16, ANPU_TYPE_F16, ANPU_RED_SUM)
REDUCE(reduce_max_f32, float, ANPU_TYPE_F32, ANPU_RED_MAX)
REDUCE(reduce_max_f16, _Float16, ANPU_TYPE_F16, ANPU_RED_MAX)
