// SPDX-License-Identifier: MIT
/*
 * vadd: z = x + y for n elements, in fp32 (vadd_f32) and fp16 (vadd_f16).
 *
 * The elements are shared among the blocks; each block takes its share in tiles, as large as UB
 * allows: each copy has its fixed costs. The sum replaces x. Two buffers for x are used in turn, so
 * that on a core whose pipes run side by side one tile is stored while the next is loaded; the one
 * for y is free as soon as the sum is made. Any n and any alignment of the tensors is fine.
 */
#include <anpu/anpu_intrin.h>

#define TILE_BYTES 65536
#define BUFFERS	   2

/* The buffers in UB; @x becomes z. */
struct tiles {
	char x[BUFFERS][TILE_BYTES];
	char y[TILE_BYTES];
};

_Static_assert(sizeof(struct tiles) <= ANPU_UB_SIZE, "UB holds all tiles");

static void load(struct tiles *t, const char *x, const char *y, uint32_t bytes, uint32_t buffer)
{
	/* The buffer's previous sum must have been stored, and the other sum been made. */
	anpu_waitflag(ANPU_PIPE_MTE3, ANPU_PIPE_MTE2, buffer);
	anpu_copy(t->x[buffer], x, bytes);
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, 0);
	anpu_copy(t->y, y, bytes);
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, buffer);
}

static void compute(struct tiles *t, uint32_t count, enum anpu_type type, uint32_t buffer)
{
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, buffer);
	anpu_vbin(t->x[buffer], t->x[buffer], t->y, ANPU_CTL(count, type, ANPU_BIN_ADD));
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, 0);
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, buffer);
}

static void store(char *z, const struct tiles *t, uint32_t bytes, uint32_t buffer)
{
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, buffer);
	anpu_copy(z, t->x[buffer], bytes);
	anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_MTE2, buffer);
}

/* All buffers are free at first (@flag sets) and must be free again at the end (@flag waits). */
static void free_buffers(void (*flag)(enum anpu_pipe from, enum anpu_pipe to, uint32_t event))
{
	uint32_t buffer;

	for (buffer = 0; buffer < BUFFERS; buffer++)
		flag(ANPU_PIPE_MTE3, ANPU_PIPE_MTE2, buffer);
	flag(ANPU_PIPE_V, ANPU_PIPE_MTE2, 0);
}

static inline __attribute__((always_inline)) void
vadd(const char *x, const char *y, char *z, uint32_t n, enum anpu_type type, uint32_t element)
{
	struct tiles *tiles = ANPU_UB(0);
	uint64_t first, count = anpu_share(n, ANPU_LOCAL_ALIGN / element, &first);
	uint64_t offset = first * element, left = count * element;
	uint32_t buffer;

	free_buffers(anpu_setflag);
	for (buffer = 0; left; buffer = (buffer + 1) % BUFFERS) {
		uint32_t bytes = left < TILE_BYTES ? (uint32_t)left : TILE_BYTES;

		load(tiles, x + offset, y + offset, bytes, buffer);
		compute(tiles, bytes / element, type, buffer);
		store(z + offset, tiles, bytes, buffer);
		offset += bytes;
		left -= bytes;
	}
	free_buffers(anpu_waitflag);
}

ANPU_KERNEL void vadd_f32(const float *x, const float *y, float *z, uint32_t n)
{
	vadd((const char *)x, (const char *)y, (char *)z, n, ANPU_TYPE_F32, sizeof(float));
}

ANPU_KERNEL void vadd_f16(const _Float16 *x, const _Float16 *y, _Float16 *z, uint32_t n)
{
	vadd((const char *)x, (const char *)y, (char *)z, n, ANPU_TYPE_F16, sizeof(_Float16));
}
