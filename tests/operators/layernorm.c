// SPDX-License-Identifier: MIT
/*
 * layernorm: y[r][c] = (x[r][c] - mean) / sqrt(variance + epsilon) * gamma[c] + beta[c] with each
 * row's own mean and variance, for a row-major matrix of any size in fp32 (layernorm_f32) or fp16
 * (layernorm_f16), computed in fp32; gamma and beta are fp32.
 *
 * The variance is that of the numbers less their mean, so that large means do no harm. A row that
 * fits into UB is loaded once, a longer one three times, piece by piece.
 */
#include "rows.h"

#define UB_GAMMA	UB_FREE(0)
#define UB_BETA		UB_FREE(1)
/* their event, beside those of the buffers */
#define AFFINE		BUFFERS

struct affine {
	const float *gamma;
	const float *beta;
	float epsilon;
};

/* gamma and beta of @cols columns to UB; affine_done() when they are not needed any more */
static void load_affine(const struct affine *a, uint32_t col, uint32_t cols)
{
	anpu_copy(UB_GAMMA, a->gamma + col, cols * sizeof(float));
	anpu_copy(UB_BETA, a->beta + col, cols * sizeof(float));
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, AFFINE);
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, AFFINE);
}

static void affine_done(void)
{
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, AFFINE);
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, AFFINE);
}

/* x -= mean; returns the sum of the squares */
static float centre(float *x, float mean, uint32_t n)
{
	add_scalar(x, x, -mean, n);
	anpu_vbin(UB_MORE, x, x, ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MUL));
	return reduce_now(UB_MORE, n, ANPU_RED_SUM);
}

/* y = x * scale * gamma + beta */
static void apply(float *y, const float *x, float scale, uint32_t n)
{
	mul_scalar(y, x, scale, n);
	anpu_vtri(y, UB_GAMMA, ANPU_ADDR(UB_BETA), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_TRI_MAD));
}

static float scale_of(const struct affine *a, float squares, uint32_t n)
{
	return 1 / __builtin_sqrtf(squares / (float)n + a->epsilon);
}

static void layernorm_tile(const struct matrix *m, const struct tile *t, const void *ctx)
{
	float *x = tile_load(m, t), *y = tile_result(m, t);
	uint32_t row, n = t->cols;

	for (row = 0; row < t->rows; row++) {
		float *from = x + row * t->pitch;
		float squares = centre(from, reduce_now(from, n, ANPU_RED_SUM) / (float)n, n);

		apply(y + row * t->pitch, from, scale_of(ctx, squares, n), n);
	}
	tile_done(t);
	tile_store(m, t);
}

static void layernorm_long(const struct matrix *m, uint64_t row, const void *ctx)
{
	float sum = 0, squares = 0, mean, scale;
	uint32_t col;

	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);

		sum += reduce_now(tile_load(m, &t), t.cols, ANPU_RED_SUM);
		tile_done(&t);
	}
	mean = sum / (float)m->cols;
	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);

		squares += centre(tile_load(m, &t), mean, t.cols);
		tile_done(&t);
	}
	scale = scale_of(ctx, squares, m->cols);
	for (col = 0; col < m->cols; col += TILE) {
		struct tile t = piece_of(m, row, col);
		float *x = tile_load(m, &t), *y = tile_result(m, &t);

		load_affine(ctx, col, t.cols);
		add_scalar(x, x, -mean, t.cols);
		apply(y, x, scale, t.cols);
		affine_done();
		tile_done(&t);
		tile_store(m, &t);
	}
}

static void layernorm(const struct matrix *m, const struct affine *a)
{
	if (m->cols && m->cols <= TILE)
		load_affine(a, 0, m->cols);
	for_each_tile(m, layernorm_tile, layernorm_long, a);
}

ANPU_KERNEL void layernorm_f32(const float *x, const float *gamma, const float *beta, float *y,
			       uint32_t rows, uint32_t cols, float epsilon)
{
	struct matrix m = { (const char *)x, (char *)y, rows, cols, ANPU_TYPE_F32, sizeof(*x) };

	layernorm(&m, &(struct affine){ gamma, beta, epsilon });
}

ANPU_KERNEL void layernorm_f16(const _Float16 *x, const float *gamma, const float *beta,
			       _Float16 *y, uint32_t rows, uint32_t cols, float epsilon)
{
	struct matrix m = { (const char *)x, (char *)y, rows, cols, ANPU_TYPE_F16, sizeof(*x) };

	layernorm(&m, &(struct affine){ gamma, beta, epsilon });
}
