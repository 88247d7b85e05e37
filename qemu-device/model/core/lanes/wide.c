// SPDX-License-Identifier: MIT
/*
 * All warps of a block as a single one, with as many lanes as the block has threads. Most of what the
 * threads of a kernel do is the same in all of them but for the index, so that what is decoded and computed
 * once for 32 lanes can as well be for all. They part when they come to different places, or to what only
 * warps do, and join at barriers of the block.
 */
#include "../threads.h"

/* Kernels whose warps part again at once only lose the time that it takes to join and to part. */
#define PARTED_MAX	8

void wide_begin(struct threads *s)
{
	if (s->count <= LANES || s->count % LANES)
		return;
	warp_rows(s, &s->all, 0, s->count);
	warp_begin(&s->all, &s->begin, 0, s->dim);
	s->wide = true;
}

void wide_part(struct threads *s)
{
	const struct warp *all = &s->all;
	uint64_t by[33];

	for (unsigned int r = 0; r < 33; r++)
		by[r] = LANES * all->step[r];
	s->wide = false;
	s->fresh = 0;
	s->parted++;
	for (unsigned int n = 0; n < s->count / LANES; n++) {
		struct warp *w = &s->warp[n];

		warp_rows(s, w, n * LANES, LANES);
		for (unsigned int r = 0; r < 33; r++)
			w->base[r] = n ? s->warp[n - 1].base[r] + by[r] : all->base[r];
		memcpy(w->step, all->step, sizeof(w->step));
		memcpy(w->line, all->line, sizeof(w->line));
		memcpy(w->row, all->row, sizeof(w->row));
		memcpy(w->word, all->word, sizeof(w->word));
		memcpy(w->bits, all->bits, sizeof(w->bits));
		memcpy(w->place, all->place, sizeof(w->place));
		w->at = all->at;
		w->together = true;
		w->turn = 0;
	}
}

/* Are all threads of the block at the same place, and none of them waits? */
static bool can_join(struct threads *s)
{
	if (s->wide || s->fresh & 1 || s->live != s->count || s->count <= LANES || s->count % LANES ||
	    s->parted > PARTED_MAX)
		return false;
	for (unsigned int n = 0; n < s->count / LANES; n++) {
		const struct warp *w = &s->warp[n];

		if (s->fresh >> n & 1 || warp_bits(s->ready, n) != ALL_LANES || !w->together || w->at != s->warp[0].at)
			return false;
	}
	return true;
}

/* Is x[@r] a line over all threads? */
static bool line_of_all(const struct threads *s, unsigned int r)
{
	const struct warp *w = s->warp;

	for (unsigned int n = 0; n < s->count / LANES; n++)
		if (!w[n].line[r] || w[n].step[r] != w[0].step[r] || w[n].base[r] != w[0].base[r] + n * LANES * w[0].step[r])
			return false;
	return true;
}

/* Do all warps have x[@r] as words? */
static bool words_of_all(const struct threads *s, unsigned int r)
{
	for (unsigned int n = 0; n < s->count / LANES; n++)
		if (!s->warp[n].word[r])
			return false;
	return true;
}

static void join_x(struct threads *s, unsigned int r)
{
	struct warp *all = &s->all;

	all->line[r] = line_of_all(s, r);
	all->word[r] = !all->line[r] && words_of_all(s, r);
	all->row[r] = !all->line[r] && !all->word[r];
	all->bits[r] = 32;
	all->base[r] = s->warp[0].base[r];
	all->step[r] = s->warp[0].step[r];
	for (unsigned int n = 0; all->row[r] && n < s->count / LANES; n++)
		warp_row(&s->warp[n], r);
}

/* Do all warps have each floating-point register in the same place? */
static bool same_places(const struct threads *s)
{
	for (unsigned int n = 1; n < s->count / LANES; n++)
		if (memcmp(s->warp[n].place, s->warp[0].place, sizeof(s->warp[0].place)))
			return false;
	return true;
}

static void join_f(struct threads *s, unsigned int r)
{
	unsigned int n;

	s->all.place[r] = s->warp[0].place[r];
	for (n = 1; n < s->count / LANES; n++)
		if (s->warp[n].place[r] != s->warp[0].place[r])
			s->all.place[r] = LANE_F_ROW;
	for (n = 0; s->all.place[r] == LANE_F_ROW && n < s->count / LANES; n++)
		warp_f_row(&s->warp[n], r);
}

void wide_join(struct threads *s)
{
	unsigned int r;

	if (!can_join(s))
		return;
	warp_rows(s, &s->all, 0, s->count);
	for (r = 0; r < 33; r++)
		join_x(s, r);
	memcpy(s->all.place, s->warp[0].place, sizeof(s->all.place));
	for (r = 0; r < 32 && !same_places(s); r++)
		join_f(s, r);
	s->all.at = s->warp[0].at;
	s->all.together = true;
	s->all.turn = 0;
	s->wide = true;
}
