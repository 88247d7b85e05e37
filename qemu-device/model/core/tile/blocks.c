// SPDX-License-Identifier: MIT
/*
 * Transposing blocks of 32 bytes that lie anywhere in UB: rows and columns have a block each, whose address is in a list.
 */
#include "../check/check.h"
#include "tile_int.h"

#define ROWS	16
#define BLOCK	32
#define KNOWN	0xffffffff00ffULL /* bits of rs3 that have a meaning for all types */

struct vtransb {
	uint64_t dst[ROWS], src[ROWS]; /* of the first repeat */
	uint64_t dst_step, src_step;   /* bytes from one repeat to the next */
	uint32_t repeats;
	unsigned int bytes;	       /* of an element */
	unsigned int dst_at, src_at;   /* bytes of a block in front of those that take part */
	unsigned int part;	       /* that take part */
};

static bool read_list(struct tile *t, const char *role, uint64_t va, uint64_t list[ROWS])
{
	if (va % 8)
		return tile_fail(t, "the list %s 0x%llx is not a multiple of 8", role, (unsigned long long)va);
	if (unlikely(t->b->check) && !check_scalar(t->b, role, va, ROWS * sizeof(*list), ANPU_ACCESS_READ, t->fault))
		return false;
	return mem_read(t->b, va, ROWS * sizeof(*list), list, t->fault);
}

static bool take_operands(struct tile *t, struct vtransb *v)
{
	uint64_t ctl = t->a->rd, word = t->a->rs3, known = KNOWN;
	unsigned int type = ANPU_CTL_GET_TYPE(ctl);

	if (!tile_ctl(t, "ctl", ctl, CTL_TYPE))
		return false;
	if (type >= TILE_TYPES || tile_type_bits[type] < 8 || tile_type_bits[type] > 32)
		return tile_no_type(t, type);
	v->bytes = tile_type_bits[type] / 8;
	if (v->bytes == 1)
		known |= ANPU_REPEATS_DST_HIGH | ANPU_REPEATS_SRC_HIGH;
	if (word & ~known)
		return tile_bad_ctl(t, "repeats", word, known);
	v->repeats = (uint8_t)word;
	v->dst_step = (uint64_t)(uint16_t)(word >> 16) * BLOCK;
	v->src_step = (uint64_t)(uint16_t)(word >> 32) * BLOCK;
	v->part = v->bytes == 1 ? BLOCK / 2 : BLOCK;
	v->dst_at = word & ANPU_REPEATS_DST_HIGH ? BLOCK / 2 : 0;
	v->src_at = word & ANPU_REPEATS_SRC_HIGH ? BLOCK / 2 : 0;
	return read_list(t, "dsts", t->a->rs1, v->dst) && read_list(t, "srcs", t->a->rs2, v->src);
}

/* The blocks of a repeat, all of which are in UB or nothing is done */
static bool find_blocks(struct tile *t, const struct vtransb *v, uint32_t repeat, uint8_t *dst[ROWS], uint8_t *src[ROWS])
{
	for (unsigned int i = 0; i < ROWS; i++)
		if (!tile_local(t, "src", v->src[i] + repeat * v->src_step, BLOCK, BLOCK, WIN_UB, ANPU_ACCESS_READ, &src[i]) ||
		    !tile_local(t, "dst", v->dst[i] + repeat * v->dst_step, BLOCK, BLOCK, WIN_UB, ANPU_ACCESS_WRITE, &dst[i]))
			return false;
	return true;
}

/* Checking mode: what a repeat reads may be what the one before it has written */
static bool check_repeat(struct tile *t, const struct vtransb *v, uint32_t repeat)
{
	for (unsigned int i = 0; i < ROWS; i++)
		if (!check_read(t->b, "src", v->src[i] + repeat * v->src_step + v->src_at, v->part, t->fault))
			return false;
	for (unsigned int i = 0; i < ROWS; i++)
		if (!check_write(t->b, "dst", v->dst[i] + repeat * v->dst_step + v->dst_at, v->part, t->fault))
			return false;
	return true;
}

/*
 * Element j of row i becomes element i of column j. A column of 16 elements is a block, half a block of bytes, or two blocks of
 * 32 bits. All rows are read before any column is written, so that they may be the same blocks.
 */
#define TURN(type) \
	do { \
		enum { ELEMENTS = BLOCK / sizeof(type) }; \
		type rows[ROWS][ELEMENTS], column[ROWS]; \
		for (unsigned int i = 0; i < ROWS; i++) \
			memcpy(rows[i], src[i] + v->src_at, v->part); \
		for (unsigned int j = 0; j < v->part / sizeof(type); j++) { \
			for (unsigned int i = 0; i < ROWS; i++) \
				column[i] = rows[i][j]; \
			if (sizeof(column) > BLOCK) { \
				memcpy(dst[2 * j], column, BLOCK); \
				memcpy(dst[2 * j + 1], (uint8_t *)column + BLOCK, BLOCK); \
			} else { \
				memcpy(dst[j] + v->dst_at, column, sizeof(column) < BLOCK ? sizeof(column) : BLOCK); \
			} \
		} \
	} while (0)

static void turn(const struct vtransb *v, uint8_t *dst[ROWS], uint8_t *src[ROWS])
{
	switch (v->bytes) {
	case 1: TURN(uint8_t); break;
	case 2: TURN(uint16_t); break;
	default: TURN(uint32_t); break;
	}
}

bool tile_vtransb(struct tile *t)
{
	uint8_t *dst[ROWS], *src[ROWS];
	struct vtransb v;

	if (!take_operands(t, &v))
		return false;
	for (uint32_t r = 0; r < v.repeats; r++)
		if (!find_blocks(t, &v, r, dst, src))
			return false;
	for (uint32_t r = 0; r < v.repeats; r++) {
		if (!find_blocks(t, &v, r, dst, src) || (unlikely(t->b->check) && !check_repeat(t, &v, r)))
			return false;
		for (unsigned int i = 0; i < ROWS; i++)
			local_dirty(t->b, v.dst[i] + r * v.dst_step, BLOCK);
		turn(&v, dst, src);
	}
	tile_time(t, 8ULL * ROWS * v.part * v.repeats);
	return true;
}
