// SPDX-License-Identifier: MIT
/*
 * softmax: y[r][c] = exp(x[r][c] - max) / sum over the row of exp(x - max), for a row-major matrix
 * of any size in fp32 (softmax_f32) or fp16 (softmax_f16), computed in fp32.
 *
 * A row that fits into UB is loaded once. A longer one is loaded three times, piece by piece: for
 * its maximum, for the sum, for the results. A row with NaN or +infinity, or of nothing but
 * -infinity, becomes NaN. The error is at most 2e-5 of the result, in fp16 an ulp.
 */
#include "rows.h"

/* x = e to the (x - max) for n numbers */
static void exp_below(float *x, float max, uint32_t n)
{
	add_scalar(x, x, -max, n);
	anpu_vun(x, x, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_UN_EXP));
}

static void softmax_tile(const struct matrix *m, const struct tile *t, const void *ctx)
{
	float *x = tile_load(m, t), *y = tile_result(m, t);
	uint32_t row;

	(void)ctx;
	for (row = 0; row < t->rows; row++) {
		float *from = x + row * t->pitch;
		float max = reduce_now(from, t->cols, ANPU_RED_MAX), sum;

		exp_below(from, max, t->cols);
		sum = reduce_now(from, t->cols, ANPU_RED_SUM);
		mul_scalar(y + row * t->pitch, from, 1 / sum, t->cols);
	}
	tile_done(t);
	tile_store(m, t);
}

/* As the vector unit has it: NaN wins. */
static float greater(float a, float b)
{
	return a > b || a != a ? a : b;
}

static void softmax_long(const struct matrix *m, uint64_t row, const void *ctx)
{
	float max = -__builtin_inff(), sum = 0;
	uint32_t col;

	(void)ctx;
	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);

		max = greater(reduce_now(tile_load(m, &t), t.cols, ANPU_RED_MAX), max);
		tile_done(&t);
	}
	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);
		float *x = tile_load(m, &t);

		exp_below(x, max, t.cols);
		sum += reduce_now(x, t.cols, ANPU_RED_SUM);
		tile_done(&t);
	}
	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);
		float *x = tile_load(m, &t), *y = tile_result(m, &t);

		exp_below(x, max, t.cols);
		mul_scalar(y, x, 1 / sum, t.cols);
		tile_done(&t);
		tile_store(m, &t);
	}
}

ANPU_KERNEL void softmax_f32(const float *x, float *y, uint32_t rows, uint32_t cols)
{
	struct matrix m = { (const char *)x, (char *)y, rows, cols, ANPU_TYPE_F32, sizeof(*x) };

	for_each_tile(&m, softmax_tile, softmax_long, NULL);
}

ANPU_KERNEL void softmax_f16(const _Float16 *x, _Float16 *y, uint32_t rows, uint32_t cols)
{
	struct matrix m = { (const char *)x, (char *)y, rows, cols, ANPU_TYPE_F16, sizeof(*x) };

	for_each_tile(&m, softmax_tile, softmax_long, NULL);
}
