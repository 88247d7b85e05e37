/* SPDX-License-Identifier: MIT */
/*
 * Shared by softmax, layernorm and reduce: the rows of a matrix in fp32 or fp16, which blocks take
 * in tiles of several short rows, one row, or a piece of a long one, and compute in fp32.
 *
 * UB has two buffers for what is loaded and two for what is stored. Flags hand a buffer from pipe to
 * pipe, so that on a core whose pipes run side by side one tile is loaded and one stored while the
 * vector unit works on a third; buffer and event have the same number.
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>

#include <anpu/anpu_intrin.h>

/* Numbers in a tile: short rows are put together, a longer row is taken in pieces. */
#ifndef TILE
#define TILE		6144
#endif
#define BUFFERS		2

/* UB holds eight vectors of a tile's length; an operator with other needs has its own TILE and UB_WORK. */
#define UB_VECTOR(i)	ANPU_UB((i) * TILE * sizeof(float))
#define UB_IN(buffer)	UB_VECTOR(buffer)
#define UB_OUT(buffer)	UB_VECTOR(BUFFERS + (buffer))
#ifndef UB_WORK
#define UB_WORK		UB_VECTOR(4)
#endif
#define UB_MORE		UB_VECTOR(5)
#define UB_FREE(i)	UB_VECTOR(6 + (i))	/* two that are the operator's own */

/**
 * struct matrix - what a kernel works on
 * @x: rows x cols numbers, row-major
 * @y: the result
 * @type: of x and y
 * @bytes: of an element
 */
struct matrix {
	const char *x;
	char *y;
	uint32_t rows;
	uint32_t cols;
	enum anpu_type type;
	uint32_t bytes;
};

/**
 * struct tile - rows or a piece of a row, in UB
 * @row: first row in the matrix
 * @col: first column: 0, but of a piece
 * @rows: number of rows
 * @cols: number of columns
 * @pitch: numbers from one row to the next in UB, whole blocks
 * @buffer: of UB_IN() and UB_OUT()
 */
struct tile {
	uint64_t row;
	uint32_t col;
	uint32_t rows;
	uint32_t cols;
	uint32_t pitch;
	uint32_t buffer;
};

static inline uint32_t min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Numbers from one row of @cols to the next in UB, where each begins at a block */
static inline uint32_t pitch_of(const struct matrix *m, uint32_t cols)
{
	uint32_t block = ANPU_LOCAL_ALIGN / m->bytes;

	return (cols + block - 1) / block * block;
}

/* How many whole rows make a tile; at least one */
static inline uint32_t rows_per_tile(const struct matrix *m)
{
	uint32_t pitch = pitch_of(m, m->cols);

	return pitch > TILE ? 1 : TILE / pitch;
}

static inline uint64_t tile_offset(const struct matrix *m, const struct tile *t)
{
	return (t->row * m->cols + t->col) * m->bytes;
}

/* Rows that follow each other without a gap are as good as one. */
static inline uint64_t tile_bursts(const struct matrix *m, const struct tile *t)
{
	if (t->cols == m->cols && t->cols == t->pitch)
		return ANPU_PAD_BURSTS(1, t->rows * t->cols * m->bytes, 0, 0);
	return ANPU_PAD_BURSTS(t->rows, t->cols * m->bytes, 0, 0);
}

/**
 * tile_load_raw() - load a tile; what is done with it belongs before tile_done()
 *
 * Return: its numbers as they are.
 */
static inline void *tile_load_raw(const struct matrix *m, const struct tile *t)
{
	uint32_t gap = (m->cols - t->cols) * m->bytes;

	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, t->buffer);
	anpu_dma_pad(UB_IN(t->buffer), m->x + tile_offset(m, t), tile_bursts(m, t),
		     ANPU_PAD_GAPS(gap, 0));
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, t->buffer);
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, t->buffer);
	return UB_IN(t->buffer);
}

/** tile_load() - tile_load_raw(); return: the numbers in fp32: where they were loaded, or in UB_WORK */
static inline float *tile_load(const struct matrix *m, const struct tile *t)
{
	uint32_t count = t->rows * t->pitch;
	void *raw = tile_load_raw(m, t);

	if (m->type == ANPU_TYPE_F32)
		return raw;
	anpu_vcvt(UB_WORK, raw,
		  ANPU_CTL_CVT(count, ANPU_TYPE_F32, m->type, ANPU_ROUND_NONE));
	return UB_WORK;
}

/* The vector unit is done with what was loaded. */
static inline void tile_done(const struct tile *t)
{
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, t->buffer);
}

/* Where results in fp32 may be put, once the buffer's last ones have been stored */
static inline float *tile_result(const struct matrix *m, const struct tile *t)
{
	anpu_waitflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, t->buffer);
	return m->type == ANPU_TYPE_F32 ? UB_OUT(t->buffer) : UB_WORK;
}

/* Store what stands at tile_result(). */
static inline void tile_store(const struct matrix *m, const struct tile *t)
{
	uint32_t count = t->rows * t->pitch, gap = (m->cols - t->cols) * m->bytes;

	if (m->type != ANPU_TYPE_F32)
		anpu_vcvt(UB_OUT(t->buffer), UB_WORK,
			  ANPU_CTL_CVT(count, m->type, ANPU_TYPE_F32, ANPU_ROUND_RINT));
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, t->buffer);
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, t->buffer);
	anpu_dma_pad(m->y + tile_offset(m, t), UB_OUT(t->buffer), tile_bursts(m, t),
		     ANPU_PAD_GAPS(0, gap));
	anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, t->buffer);
}

/* All buffers are free at first (@flag sets) and must be free again at the end (@flag waits). */
static inline void free_buffers(void (*flag)(enum anpu_pipe from, enum anpu_pipe to, uint32_t event))
{
	uint32_t buffer;

	for (buffer = 0; buffer < BUFFERS; buffer++) {
		flag(ANPU_PIPE_V, ANPU_PIPE_MTE2, buffer);
		flag(ANPU_PIPE_MTE3, ANPU_PIPE_V, buffer);
	}
}

/* Reduce @n numbers to one in a register of the scalar unit. */
static inline float reduce_now(const float *x, uint32_t n, enum anpu_red_op op)
{
	uint32_t bits;
	float value;

	anpu_vred(UB_MORE, x, ANPU_CTL(n, ANPU_TYPE_F32, (uint32_t)op | ANPU_RED_WHOLE));
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_S, 0);
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_S, 0);
	bits = (uint32_t)anpu_csr_accval();
	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

/* y = x + scalar and y = x * scalar for n numbers */
static inline void add_scalar(float *y, const float *x, float scalar, uint32_t n)
{
	anpu_vbins(y, x, anpu_bits_f32(scalar), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_ADD));
}

static inline void mul_scalar(float *y, const float *x, float scalar, uint32_t n)
{
	anpu_vbins(y, x, anpu_bits_f32(scalar), ANPU_CTL(n, ANPU_TYPE_F32, ANPU_BIN_MUL));
}

/**
 * for_each_tile() - call @work for this block's rows, tile by tile
 * @work: gets whole rows; with @long_row instead, a row longer than TILE alone
 * @ctx: argument of both
 */
static inline void for_each_tile(const struct matrix *m,
				 void (*work)(const struct matrix *m, const struct tile *t,
					      const void *ctx),
				 void (*long_row)(const struct matrix *m, uint64_t row,
						  const void *ctx), const void *ctx)
{
	uint64_t row, rows = anpu_share(m->rows, 1, &row), end = row + rows;
	struct tile t = { .cols = m->cols, .pitch = pitch_of(m, m->cols) };

	if (!m->cols)
		return;
	free_buffers(anpu_setflag);
	for (; m->cols > TILE && row < end; row++)
		long_row(m, row, ctx);
	for (; row < end; row += t.rows) {
		t.row = row;
		t.rows = min(rows_per_tile(m), (uint32_t)(end - row));
		work(m, &t, ctx);
		t.buffer = (t.buffer + 1) % BUFFERS;
	}
	free_buffers(anpu_waitflag);
}

/* The piece of a long row that begins at column @col */
static inline struct tile piece_of(const struct matrix *m, uint64_t row, uint32_t col)
{
	uint32_t cols = min(m->cols - col, TILE);

	return (struct tile){ .row = row, .col = col, .rows = 1, .cols = cols,
			      .pitch = pitch_of(m, cols), .buffer = col / TILE % BUFFERS };
}

#endif /* ROWS_H */
