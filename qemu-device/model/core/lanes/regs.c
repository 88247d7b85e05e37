// SPDX-License-Identifier: MIT
/* Registers of warps. See lanes.h. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")	/* vectors for the loops over lanes */
#endif
#include "../fp.h"
#include "../threads.h"

void warp_spread(struct warp *w, unsigned int r)
{
	uint64_t v = w->base[r], step = w->step[r], *x = x_row(w, r);
	const uint32_t *word = word_row(w, r);

	for (unsigned int l = 0; w->word[r] && l <= w->last; l++)
		x[l] = (uint64_t)(int64_t)(int32_t)word[l];
	for (unsigned int l = 0; !w->word[r] && l <= w->last; l++)
		x[l] = v + l * step;
	w->row[r] = true;
}

void warp_f_spread(struct warp *w, unsigned int r)
{
	bool zero = w->place[r] == LANE_F_ZERO;
	uint64_t *f = f_row(w, r);

	for (unsigned int l = 0; l <= w->last; l++)
		f[l] = zero ? 0 : BOX_S | s_row(w, r)[l];
	w->place[r] = LANE_F_ROW;
}

uint64_t warp_f_value(const struct warp *w, unsigned int r, unsigned int l)
{
	switch (w->place[r]) {
	case LANE_F_ROW: return f_row(w, r)[l];
	case LANE_F_SINGLES: return BOX_S | s_row(w, r)[l];
	default: return 0;
	}
}

void warp_part(struct warp *w)
{
	if (!w->together)
		return;
	for (unsigned int l = 0; l < LANES; l++)
		w->pc[l] = w->at;
	w->together = false;
}

/* The threads' indices: neighbours along x in a row of the block that is not shorter. */
static void begin_index(struct warp *w, unsigned int first, const uint32_t dim[3])
{
	if (first % dim[0] + w->last < dim[0] || (first < dim[0] && dim[1] * dim[2] == 1)) {
		w->base[3] = thread_index(first, dim);
		w->step[3] = 1;
		return;
	}
	for (unsigned int l = 0; l <= w->last; l++)
		x_row(w, 3)[l] = thread_index(first + l, dim);
	w->row[3] = true;
	w->word[3] = false;
	w->line[3] = false;
}

void warp_begin(struct warp *w, const struct context *begin, unsigned int first, const uint32_t dim[3])
{
	copy(w->base, begin->x, sizeof(w->base));
	w->base[0] = 0;
	w->at = begin->pc;
	w->together = true;
	w->turn = 0;
	clear(w->step, sizeof(w->step));
	memset(w->line, true, sizeof(w->line));
	memset(w->row, false, sizeof(w->row));
	memset(w->word, false, sizeof(w->word));
	memset(w->place, LANE_F_ZERO, sizeof(w->place));
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
		b->f[r] = warp_f_value(w, r, l);
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
		if (b->f[r] == warp_f_value(w, r, l))
			continue;
		if (w->place[r] == LANE_F_SINGLES && (b->f[r] & BOX_S) == BOX_S)
			s_row(w, r)[l] = (uint32_t)b->f[r];
		else
			warp_f_row(w, r)[l] = b->f[r];
	}
	warp_part(w);
	w->pc[l] = b->pc;
}
