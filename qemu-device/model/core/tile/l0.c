// SPDX-License-Identifier: MIT
/*
 * L0A and L0B as MMAD's kernels take them: types narrower than 32 bits in a wider form, which is
 * made of a fractal when MMAD first needs it and kept until the fractal is written again. A fractal
 * is loaded once and takes part in many multiplications.
 *
 * The wide form is in the block's own memory, between L1 and L0A, where no window is: operators
 * cannot reach it.
 */
#include "tile_int.h"

#define FRACTAL		512
#define WIDE		(2 * FRACTAL)
#define WIDE_BASE	(ANPU_L1_BASE + ANPU_L1_SIZE)
/* behind it: fractals that l0_row() makes, as many as L0B has for them */
#define ROW_BASE	(WIDE_BASE + 2 * (ANPU_L0A_SIZE + ANPU_L0B_SIZE))

_Static_assert(ROW_BASE + 2 * ANPU_L0B_SIZE <= ANPU_L0A_BASE,
	       "the hole between L1 and L0A holds both wide forms and a row's fractals");
_Static_assert(L0_FRACTALS == (ANPU_L0A_SIZE + ANPU_L0B_SIZE) / FRACTAL, "core_int.h knows them all");

const void *l0_wide(struct tile *t, uint64_t va, uint64_t fractals, unsigned int type)
{
	bool is_b = va >= ANPU_L0B_BASE;
	tile_l0_fn widen = is_b ? t->k->l0b[type] : t->k->l0a[type];
	const uint8_t *s = local_ptr(t->b, va);
	uint64_t first = l0_fractal(va);
	uint8_t *d = local_ptr(t->b, WIDE_BASE) + first * WIDE;
	uint8_t *kept = t->b->l0_type + first;

	if (!widen)
		return s;
	for (uint64_t i = 0; i < fractals; i++) {
		if (likely(kept[i] == type))
			continue;
		widen(d + i * WIDE, s + i * FRACTAL);
		kept[i] = (uint8_t)type;
	}
	return d;
}

const void *l0_row(struct tile *t, uint64_t va, uint64_t k1, unsigned int type)
{
	tile_l0_fn widen = t->k->l0a[type];
	const uint8_t *s = local_ptr(t->b, va);
	uint8_t *d = local_ptr(t->b, ROW_BASE), fractal[FRACTAL] = { 0 };
	size_t step = widen ? WIDE : FRACTAL;

	for (uint64_t i = 0; i < k1; i++) {
		memcpy(fractal, s + i * ANPU_LOCAL_ALIGN, ANPU_LOCAL_ALIGN);
		if (widen)
			widen(d + i * step, fractal);
		else
			memcpy(d + i * step, fractal, FRACTAL);
	}
	return d;
}
