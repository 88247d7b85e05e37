/* SPDX-License-Identifier: MIT */
/*
 * Reading ahead: what copies from global memory will probably read next is fetched into the host's caches while
 * the vector and cube units work. Operators take their tensors tile by tile, in equal steps; a real core's
 * memory engines load the next tile meanwhile, but here operations run one after the other, and without
 * this the host's memory would do nothing while a unit computes. Results do not depend on it.
 */
#ifndef ANPU_TILE_AHEAD_H
#define ANPU_TILE_AHEAD_H

#include <stdint.h>

/* Tensors that an operator reads in turn, and tiles that are fetched in turn */
#define AHEAD_STREAMS	4
#define AHEAD_TILES	4
/* of the host's caches */
#define AHEAD_LINE	64

/**
 * struct ahead_tile - rows in host memory
 * @row: first byte of the row in which the next line is; @pitch bytes from there to the next row
 * @rows: how many are left
 * @bytes: of a row; @at: place of the next line in it
 */
struct ahead_tile {
	uintptr_t row;
	uint64_t pitch;
	uint64_t rows;
	uint64_t bytes;
	uint64_t at;
};

/**
 * struct ahead_stream - tiles of one shape that a kernel reads in equal steps
 * @last: address of the last one
 * @step: from there to the next one
 */
struct ahead_stream {
	uint64_t last;
	uint64_t step;
	uint64_t pitch;
	uint64_t rows;
	uint64_t bytes;
};

/**
 * struct ahead - of a block
 * @first: of @tiles, of which @count are not fetched yet
 * @oldest: of @streams, which the next new one replaces
 */
struct ahead {
	struct ahead_stream streams[AHEAD_STREAMS];
	struct ahead_tile tiles[AHEAD_TILES];
	unsigned int oldest;
	unsigned int first;
	unsigned int count;
};

struct tile;

/**
 * ahead_note() - a tile has been read from @va on: @rows of @bytes each, @pitch bytes apart
 * @step: to where the next one is expected, 0: the distance of two in a row tells
 */
void ahead_note(struct tile *t, uint64_t va, uint64_t pitch, uint64_t rows, uint64_t bytes, uint64_t step);

/** ahead_fetch() - up to @lines lines of the host's caches, of what is expected to be read next */
static inline void ahead_fetch(struct ahead *a, unsigned int lines)
{
	struct ahead_tile *tile = &a->tiles[a->first];

	while (a->count && lines--) {
		__builtin_prefetch((const void *)(tile->row + tile->at), 0, 2);
		tile->at += AHEAD_LINE;
		if (tile->at < tile->bytes)
			continue;
		tile->at = 0;
		tile->row += tile->pitch;
		if (--tile->rows)
			continue;
		a->first = (a->first + 1) % AHEAD_TILES;
		a->count--;
		tile = &a->tiles[a->first];
	}
}

#endif /* ANPU_TILE_AHEAD_H */
