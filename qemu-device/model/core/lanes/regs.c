// SPDX-License-Identifier: MIT
/* Registers of warps. See lanes.h. */
#include "../threads.h"

#define X_ALL	((1ULL << 33) - 1)

void warp_spread(struct warp *w, unsigned int r)
{
	uint64_t v = w->base[r], step = w->step[r];

	for (unsigned int l = 0; l < LANES; l++)
		w->x[r][l] = v + l * step;
	w->rows |= 1ULL << r;
}

void warp_zero(struct warp *w, unsigned int r)
{
	memset(w->f[r], 0, sizeof(w->f[r]));
	w->f_rows |= 1u << r;
}

void warp_part(struct warp *w)
{
	if (!w->together)
		return;
	for (unsigned int l = 0; l < LANES; l++)
		w->pc[l] = w->at;
	w->together = false;
}

/* The threads' indices: neighbours along x in a row of the block that is not shorter than the warp. */
static void begin_index(struct warp *w, unsigned int first, const uint32_t dim[3])
{
	if (first % dim[0] + LANES <= dim[0] || (first < dim[0] && dim[1] * dim[2] == 1)) {
		w->base[3] = thread_index(first, dim);
		w->step[3] = 1;
		return;
	}
	for (unsigned int l = 0; l < LANES; l++)
		w->x[3][l] = thread_index(first + l, dim);
	w->rows |= 1ULL << 3;
	w->lines &= ~(1ULL << 3);
}

void warp_begin(struct warp *w, const struct context *begin, unsigned int first, const uint32_t dim[3])
{
	memcpy(w->base, begin->x, sizeof(w->base));
	w->base[0] = 0;
	w->at = begin->pc;
	w->together = true;
	w->turn = 0;
	clear(w->step, sizeof(w->step));
	w->lines = X_ALL;
	w->rows = 0;
	w->f_rows = 0;
	w->singles = 0;
	w->base[2] = ANPU_THREAD_STACKS + (uint64_t)(first + 1) * STACK_PIECE;
	w->step[2] = STACK_PIECE;
	w->base[4] = ANPU_UB_BASE;
	begin_index(w, first, dim);
}

void warp_load(struct warp *w, unsigned int l, struct core_block *b)
{
	unsigned int r;

	for (r = 1; r < 32; r++)
		b->x[r] = warp_value(w, r, l);
	for (r = 0; r < 32; r++)
		b->f[r] = w->f_rows >> r & 1 ? w->f[r][l] : 0;
	b->pc = warp_pc(w, l);
}

/* Rows are made of what has changed only. */
void warp_save(struct warp *w, unsigned int l, const struct core_block *b)
{
	unsigned int r;

	for (r = 1; r < 32; r++)
		if (b->x[r] != warp_value(w, r, l))
			warp_own(w, r)[l] = b->x[r];
	for (r = 0; r < 32; r++) {
		if (!(w->f_rows >> r & 1) && !b->f[r])
			continue;
		warp_f_row(w, r)[l] = b->f[r];
		if (b->f[r] >> 32 != 0xffffffff)
			w->singles &= ~(1u << r);
	}
	warp_part(w);
	w->pc[l] = b->pc;
}
