/* SPDX-License-Identifier: MIT */
/* Reductions: the parts that VRED and VREP of VRED share. */
#ifndef ANPU_CORE_TILE_RED_H
#define ANPU_CORE_TILE_RED_H

#include "tile_int.h"

/**
 * struct red - a reduction
 * @fn: reduces one group
 * @fold: reduces many full groups, or NULL
 * @find: position of a result in its group, NULL without index
 * @type: of the elements
 * @bytes: of an element
 * @count: elements
 * @group: elements of a full group
 * @groups: number of groups, the last one may be shorter
 */
struct red {
	tile_red_fn fn;
	tile_fold_fn fold;
	tile_find_fn find;
	unsigned int type;
	unsigned int bytes;
	uint32_t count;
	uint32_t group;
	uint32_t groups;
};

/* Fills in @r from a control word, which may have @flags; its groups by red_group() */
bool red_find(struct tile *t, uint64_t ctl, uint64_t flags, struct red *r);
bool red_group(struct tile *t, struct red *r, unsigned int scope);
/* One result of @n elements and its index, saturated as the CSR fpctl says */
uint64_t red_one(struct tile *t, const struct red *r, const uint8_t *from, uint32_t n,
		 uint64_t *index);

/** tile_vrep_red() - VREP of VRED */
bool tile_vrep_red(struct tile *t, const struct anpu_rep_desc *desc);

#endif
