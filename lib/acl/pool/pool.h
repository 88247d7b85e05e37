/* SPDX-License-Identifier: MIT */
/*
 * The room pool: memory in a stream's order. Memory pools, and the program's own allocators.
 *
 * Uses: util, core, device, memory, stream.
 * Private: arena.h
 */
#ifndef ANPU_POOL_H
#define ANPU_POOL_H

#include "stream/stream.h"

/* A stream was synchronised: what its pools have too much goes back to the device */
void anpu_pools_settle(struct anpu_device *dev);
/* The device ends, its streams have; and its pools */
void anpu_pools_end(struct anpu_device *dev);
/* Start and size of the allocation that holds @va; false if there is none. Device locked */
bool anpu_pool_allocation(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size);

/* allocator.c: the stream ends, and so does its allocator's registration */
void anpu_allocator_forget(struct anpu_stream *s);

#endif /* ANPU_POOL_H */
