/* SPDX-License-Identifier: MIT */
/* Memory pools: what arena.c and mempool.c share. */
#ifndef ANPU_ARENA_H
#define ANPU_ARENA_H

#include "pool/pool.h"

struct anpu_pool {
	struct acl_obj obj;
	struct anpu_pool *next, *prev; /* in the device's list, which has a reference; from here on locked */
	struct anpu_pool *next_filled, *prev_filled; /* in the list of those that have memory */
	struct anpu_arena *arenas;
	struct acl_node *quiet;	 /* by size: free blocks that any stream may have */
	struct anpu_lane *lanes; /* free blocks behind the tasks of one stream each */
	bool dying; /* destroyed by the program: freed with its last allocation */
	bool ended; /* the device has ended */
	uint64_t max_size;
	uint64_t threshold;
	uint32_t follow, opportunistic, internal;
	uint64_t reserved, reserved_high, used, used_high;
};

/* Memory for the stream's next task; *va is 0 if the pool has none, and *err why: -ENOSPC, -EDQUOT */
aclError anpu_pool_take(struct anpu_pool *p, struct anpu_stream *s, uint64_t size, uint64_t *va,
			int *err);
/* Frees it behind the stream's tasks; 107000 if it is no allocation of a pool */
aclError anpu_pool_give(struct anpu_device *dev, struct anpu_stream *s, uint64_t va);
/* Gives memory back that is free, as long as @keep bytes stay */
void anpu_pool_shrink(struct anpu_pool *p, uint64_t keep);
/* The pool begins; its program has destroyed it, and it goes with its last allocation */
void anpu_pool_begin(struct anpu_pool *p);
void anpu_pool_die(struct anpu_pool *p);
/* Frees what is left of a pool without memory */
void anpu_pool_free(struct anpu_pool *p);

#endif /* ANPU_ARENA_H */
