// SPDX-License-Identifier: MIT
/*
 * Overflows: results of tile operations that are worse than all their operands. Only kernels
 * with ANPU_KERNEL_OVERFLOW come here.
 *
 * A number is finite, infinite or NaN, each worse than the one before, and a result that is worse
 * than all its operands is an overflow: a result of infinite operands may be infinite. Results are
 * looked at before they are saturated, and results that are not stored (padding, elements out of
 * the mask) are not looked at.
 */
#include "tile_int.h"

#define EDGE		16u
#define BLOCK		ANPU_LOCAL_ALIGN
#define FRACTAL		512u
#define C_ROW		(EDGE * 4)
#define C_MAX		(ANPU_L0C_SIZE / 4)
#define EDGE_MAX	4095	/* of MMAD's m and n */

/* 0: finite; otherwise the ANPU_OVERFLOW_* that such a result is; a greater number is worse */
static inline uint8_t class_of(uint32_t magnitude, uint32_t infinity)
{
	return (uint8_t)((magnitude >= infinity) + (magnitude > infinity));
}

static inline uint8_t class_at(const uint8_t *p, unsigned int type, size_t i)
{
	uint32_t word;
	uint16_t half;

	if (type == ANPU_TYPE_F32) {
		memcpy(&word, p + i * 4, 4);
		return class_of(word & 0x7fffffff, 0x7f800000);
	}
	memcpy(&half, p + i * 2, 2);
	return class_of(half & 0x7fff, type == ANPU_TYPE_F16 ? 0x7c00 : 0x7f80);
}

void tile_worst(uint8_t *worst, const void *p, unsigned int type, size_t n)
{
	if (!tile_is_float(type))
		return;
	for (size_t i = 0; i < n; i++) {
		uint8_t class = class_at(p, type, i);

		worst[i] = class > worst[i] ? class : worst[i];
	}
}

uint8_t tile_worst_of(const void *p, unsigned int type, size_t n)
{
	uint8_t worst = 0;

	for (size_t i = 0; tile_is_float(type) && i < n; i++) {
		uint8_t class = class_at(p, type, i);

		worst = class > worst ? class : worst;
	}
	return worst;
}

uint8_t tile_worse(const uint8_t *worst, const void *d, unsigned int type, size_t n)
{
	uint8_t seen = 0;

	for (size_t i = 0; i < n; i++) {
		uint8_t class = class_at(d, type, i);

		seen |= class > worst[i] ? class : 0;
	}
	return seen;
}

/* Operations element by element ------------------------------------------------------------------ */

/* elements looked at together: a splat has as many, and a repeat's are one part */
#define CHUNK		256

static void vop_operands(struct tile *t, const struct tile_vop *v, const uint8_t *d,
			 const uint8_t *p, const uint8_t *q, uint8_t *worst, size_t n)
{
	uint32_t scale = (uint32_t)t->b->csr.quant;

	memset(worst, v->quant ? tile_worst_of(&scale, ANPU_TYPE_F32, 1) : 0, n);
	if (v->src_bits[0])
		tile_worst(worst, p, v->src_type, n);
	if (v->has_scalar || v->src_bits[1])
		tile_worst(worst, v->has_scalar ? v->splat : q, v->src_type, n);
	if (v->dst_is_src)
		tile_worst(worst, d, v->dst_type, n);
	for (size_t i = 0; v->lanes && i < n; i++)
		if (!(v->lanes[i / 64] >> (i % 64) & 1))
			worst[i] = ANPU_OVERFLOW_INVALID;
}

void tile_vop_watch(struct tile *t, const struct tile_vop *v, uint8_t *d, const uint8_t *p,
		    const uint8_t *q, size_t n)
{
	uint8_t worst[CHUNK];

	for (size_t i = 0; i < n; i += CHUNK) {
		size_t m = n - i < CHUNK ? n - i : CHUNK;
		uint8_t *to = d + bits_bytes(i, v->dst_bits);
		const uint8_t *a = v->src_bits[0] ? p + bits_bytes(i, v->src_bits[0]) : p;
		const uint8_t *b = v->src_bits[1] ? q + bits_bytes(i, v->src_bits[1]) : v->splat;

		/* a result never lies behind the elements that are still to be read */
		vop_operands(t, v, to, a, b, worst, m);
		v->run(t, v, to, a, b, NULL, m);
		t->b->overflow |= tile_worse(worst, to, v->dst_type, m);
	}
}

/* The cube unit ---------------------------------------------------------------------------------- */

/* the worst of each row of the left matrix, whose fractals lie as @shape says, or with NULL of each column of the right one */
static void factors(uint8_t *worst, uint32_t count, uint32_t k, const uint8_t *p, unsigned int type,
		    const struct tile_mmad *shape)
{
	uint32_t bytes = tile_type_bits[type] / 8, c0 = BLOCK / bytes;
	uint32_t n1 = (count + EDGE - 1) / EDGE;

	memset(worst, 0, count);
	for (uint32_t x = 0; x < k; x++)
		for (uint32_t i = 0; i < count; i++) {
			uint32_t fractal = shape ? i / EDGE * shape->a_down + x / c0 * shape->a_right : x / c0 * n1 + i / EDGE;
			uint32_t at = shape ? i % EDGE * c0 + x % c0 : x % c0 * EDGE + i % EDGE;
			uint8_t class = class_at(p + (size_t)fractal * FRACTAL, type, at);

			worst[i] = class > worst[i] ? class : worst[i];
		}
}

static size_t result_at(const struct tile_watch_mmad *w, uint32_t i, uint32_t j)
{
	uint32_t rows = (w->m + EDGE - 1) / EDGE * EDGE;

	return ((size_t)(j / EDGE) * rows + i) * EDGE + j % EDGE;
}

static void starts(const struct tile_watch_mmad *w, const struct tile_mmad *shape, uint8_t *worst)
{
	uint8_t row[EDGE_MAX], col[EDGE_MAX];

	if (w->row)
		row[0] = tile_worst_of(w->a, w->type, w->k);
	else
		factors(row, w->m, w->k, w->a, w->type, shape);
	factors(col, w->n, w->k, w->b, w->type, NULL);
	if (w->bias)
		tile_worst(col, w->bias, ANPU_TYPE_F32, w->n);
	for (uint32_t j = 0; j < w->n; j++)
		for (uint32_t i = 0; i < w->m; i++) {
			uint8_t class = row[i] > col[j] ? row[i] : col[j];
			uint8_t old = w->accumulate ?
				class_at(w->c, ANPU_TYPE_F32, result_at(w, i, j)) : 0;

			*worst++ = class > old ? class : old;
		}
}

void tile_mmad_watch(struct tile *t, const struct tile_watch_mmad *w, tile_mmad_fn fn,
		     const void *left, const void *right, const struct tile_mmad *shape)
{
	uint8_t worst[C_MAX], *at = worst, seen = 0;

	starts(w, shape, worst);
	fn(w->c, left, right, w->bias, shape);
	for (uint32_t j = 0; j < w->n; j++)
		for (uint32_t i = 0; i < w->m; i++) {
			uint8_t class = class_at(w->c, ANPU_TYPE_F32, result_at(w, i, j));

			seen |= class > *at++ ? class : 0;
		}
	t->b->overflow |= seen;
}
