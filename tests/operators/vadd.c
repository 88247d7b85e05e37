// SPDX-License-Identifier: MIT
/*
 * vadd: z = x + y for n elements, in fp32 (vadd_f32) and fp16 (vadd_f16).
 *
 * The elements are shared among the blocks; each block takes its share in tiles. Two sets of tile
 * buffers are used in turn, so that on a core whose pipes run side by side one tile is loaded and
 * one stored while another is computed. Any n and any alignment of the tensors is fine.
 */
#include <anpu/anpu_intrin.h>

#define TILE_BYTES 16384
#define SETS	   2

struct set {
	char x[TILE_BYTES];
	char y[TILE_BYTES];
	char z[TILE_BYTES];
};

static void load(struct set *set, const char *x, const char *y, uint32_t bytes, uint32_t event)
{
	/* The vector unit must be done with what this set held before. */
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, event);
	anpu_copy(set->x, x, bytes);
	anpu_copy(set->y, y, bytes);
	anpu_setflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, event);
}

static void compute(struct set *set, uint32_t count, enum anpu_type type, uint32_t event)
{
	anpu_waitflag(ANPU_PIPE_MTE2, ANPU_PIPE_V, event);
	anpu_waitflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, event);
	anpu_vbin(set->z, set->x, set->y, ANPU_CTL(count, type, ANPU_BIN_ADD));
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, event);
	anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, event);
}

static void store(char *z, const struct set *set, uint32_t bytes, uint32_t event)
{
	anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE3, event);
	anpu_copy(z, set->z, bytes);
	anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, event);
}

static inline __attribute__((always_inline)) void
vadd(const char *x, const char *y, char *z, uint32_t n, enum anpu_type type, uint32_t element)
{
	struct set *sets = ANPU_UB(0);
	uint64_t first, count = anpu_share(n, ANPU_LOCAL_ALIGN / element, &first);
	uint64_t offset = first * element, left = count * element;
	uint32_t event;

	/* All buffers are free at first ... */
	for (event = 0; event < SETS; event++) {
		anpu_setflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, event);
		anpu_setflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, event);
	}
	for (event = 0; left; event = (event + 1) % SETS) {
		uint32_t bytes = left < TILE_BYTES ? (uint32_t)left : TILE_BYTES;

		load(&sets[event], x + offset, y + offset, bytes, event);
		compute(&sets[event], bytes / element, type, event);
		store(z + offset, &sets[event], bytes, event);
		offset += bytes;
		left -= bytes;
	}
	/* ... and must be free again: a flag left behind would disturb the next operator. */
	for (event = 0; event < SETS; event++) {
		anpu_waitflag(ANPU_PIPE_V, ANPU_PIPE_MTE2, event);
		anpu_waitflag(ANPU_PIPE_MTE3, ANPU_PIPE_V, event);
	}
}

ANPU_KERNEL void vadd_f32(const float *x, const float *y, float *z, uint32_t n)
{
	vadd((const char *)x, (const char *)y, (char *)z, n, ANPU_TYPE_F32, sizeof(float));
}

ANPU_KERNEL void vadd_f16(const _Float16 *x, const _Float16 *y, _Float16 *z, uint32_t n)
{
	vadd((const char *)x, (const char *)y, (char *)z, n, ANPU_TYPE_F16, sizeof(_Float16));
}
