/* SPDX-License-Identifier: MIT */
/* Memory pools: what arena.c and mempool.c share. */
#ifndef ANPU_ARENA_H
#define ANPU_ARENA_H

#include "pool/pool.h"

struct anpu_pool {
	struct acl_obj obj;
	struct anpu_pool *next; /* in the device's list, which has a reference; from here on locked */
	struct anpu_arena *arenas;
	bool dying; /* destroyed: it goes with its last allocation */
	bool ended; /* the device has */
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

#endif /* ANPU_ARENA_H */
