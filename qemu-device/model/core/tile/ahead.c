// SPDX-License-Identifier: MIT
/* Reading ahead: which tiles follow each other; see ahead.h. */
#include "tile_int.h"

/* smaller tiles are not worth it */
#define SMALLEST	1024

/* The stream that @now goes on or, if it is a new one, a place for it */
static struct ahead_stream *stream_of(struct ahead *a, const struct ahead_stream *now)
{
	struct ahead_stream *same = NULL;

	for (unsigned int i = 0; i < AHEAD_STREAMS; i++) {
		struct ahead_stream *s = &a->streams[i];

		if (s->pitch != now->pitch || s->rows != now->rows || s->bytes != now->bytes)
			continue;
		if (s->last + s->step == now->last || s->last == now->last)
			return s;
		same = s;
	}
	/* A stream whose step is not known in advance learns it; two others of the same shape are told apart. */
	if (!now->step && same)
		return same;
	same = &a->streams[a->oldest];
	a->oldest = (a->oldest + 1) % AHEAD_STREAMS;
	*same = (struct ahead_stream){ .last = now->last };
	return same;
}

void ahead_note(struct tile *t, uint64_t va, uint64_t pitch, uint64_t rows, uint64_t bytes, uint64_t step)
{
	struct ahead *a = &t->b->ahead;
	struct ahead_stream now = { va, step, pitch, rows, bytes }, *s;
	struct ahead_tile *tile;
	struct core_fault ignored;
	uint64_t size;
	const void *p;
	bool expected;

	if (rows * bytes < SMALLEST)
		return;
	s = stream_of(a, &now);
	expected = s->step && s->last + s->step == va;
	if (!now.step)
		now.step = va - s->last;
	*s = now;
	if (!expected)
		return;
	p = mmu_access(t->b->mmu, va, ANPU_ACCESS_READ, &size, &ignored);
	if (!p)
		return;
	if (a->count == AHEAD_TILES) {
		a->first = (a->first + 1) % AHEAD_TILES;
		a->count--;
	}
	tile = &a->tiles[(a->first + a->count++) % AHEAD_TILES];
	/* The next tile may lie outside of what this address maps: a fetch from anywhere does no harm. */
	*tile = (struct ahead_tile){ (uintptr_t)p + s->step, pitch, rows, bytes, 0 };
}
