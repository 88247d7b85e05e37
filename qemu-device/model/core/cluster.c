// SPDX-License-Identifier: MIT
/*
 * Clusters: blocks that are there together, wait for each other and reach each other's unified buffer.
 *
 * All blocks of a cluster are made when its first one starts, and are given back when its last one has ended, so that
 * an address of a peer's unified buffer is good for as long as any of them runs. A peer's buffer counts as written from
 * the start, as no block can note in another one's state which pages it writes.
 */
#include <stdlib.h>

#include "check/check.h"
#include "check/blocks.h"
#include "sync_int.h"

/**
 * struct cluster - the blocks of one cluster; under the kernel's lock
 * @live: members that have not ended
 * @arrived: of these, how many have arrived in this phase
 * @phase: how often all have arrived
 * @member: NULL before the first one starts; then all of them until the last one ends
 */
struct cluster {
	uint32_t live;
	uint32_t arrived;
	uint32_t phase;
	struct core_block *member[ANPU_MAX_CLUSTER];
};

static uint32_t size_of(uint8_t n)
{
	return n ? n : 1;
}

uint32_t core_cluster_blocks(const struct core_kernel *k)
{
	const struct anpu_pkt_kernel *p = &k->pkt;

	return k->launch.size ? size_of(p->cluster_x) * size_of(p->cluster_y) * size_of(p->cluster_z) : 1;
}

uint32_t core_kernel_block(const struct core_kernel *k, uint32_t n)
{
	const struct anpu_pkt_kernel *p = &k->pkt;
	uint32_t size = core_cluster_blocks(k), dim[3], at[3], in, of;

	if (size == 1)
		return n;
	dim[0] = size_of(p->cluster_x);
	dim[1] = size_of(p->cluster_y);
	dim[2] = size_of(p->cluster_z);
	in = n % size;
	of = n / size;
	at[0] = of % (p->grid_x / dim[0]) * dim[0] + in % dim[0];
	of /= p->grid_x / dim[0];
	at[1] = of % (p->grid_y / dim[1]) * dim[1] + in / dim[0] % dim[1];
	at[2] = of / (p->grid_y / dim[1]) * dim[2] + in / dim[0] / dim[1];
	return at[0] + p->grid_x * (at[1] + p->grid_y * at[2]);
}

bool cluster_init(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = k->sync;
	uint32_t size = core_cluster_blocks(k);

	if (size == 1)
		return true;
	s->clusters = calloc(s->blocks / size, sizeof(*s->clusters));
	if (s->clusters)
		return true;
	sync_fini(k);
	return core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for %u clusters", s->blocks / size);
}

static void end_members(struct cluster *c)
{
	for (unsigned int n = 0; n < ANPU_MAX_CLUSTER && c->member[n]; n++) {
		block_end(c->member[n]);
		c->member[n] = NULL;
	}
}

void cluster_fini(struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	if (!s->clusters)
		return;
	for (uint32_t n = 0; n < s->blocks / core_cluster_blocks(k); n++)
		end_members(&s->clusters[n]);
	free(s->clusters);
	s->clusters = NULL;
}

/* Which place in the order of core_kernel_block() a block has: its cluster and its rank there. */
static uint32_t place_of(const struct core_kernel *k, uint32_t block)
{
	const struct anpu_pkt_kernel *p = &k->pkt;
	uint32_t dim[3] = { size_of(p->cluster_x), size_of(p->cluster_y), size_of(p->cluster_z) };
	uint32_t x = block % p->grid_x, y = block / p->grid_x % p->grid_y, z = block / p->grid_x / p->grid_y;
	uint32_t of = x / dim[0] + p->grid_x / dim[0] * (y / dim[1] + p->grid_y / dim[1] * (z / dim[2]));

	return of * core_cluster_blocks(k) + x % dim[0] + dim[0] * (y % dim[1] + dim[1] * (z % dim[2]));
}

/* Lock held: make all blocks of a cluster. */
static bool make_members(struct core_kernel *k, struct cluster *c, uint32_t first, uint32_t core)
{
	uint32_t size = core_cluster_blocks(k);

	for (uint32_t n = 0; n < size; n++) {
		struct core_block *b = block_new(k, core_kernel_block(k, first + n), 0, core);

		if (!b) {
			end_members(c);
			return false;
		}
		local_dirty(b, ANPU_UB_BASE, ANPU_UB_SIZE);
		if (b->check)
			check_set_written(b, ANPU_UB_BASE, ANPU_UB_SIZE, true);
		b->cluster = c;
		b->rank = n;
		b->arrivals = 0;
		b->arrived = false;
		c->member[n] = b;
	}
	c->live = size;
	return true;
}

struct core_block *cluster_block(struct core_kernel *k, uint32_t n, uint32_t sub_block, uint32_t core)
{
	struct core_sync *s = k->sync;
	uint32_t size = core_cluster_blocks(k), place = place_of(k, n);
	struct cluster *c = &s->clusters[place / size];
	struct core_block *b = NULL;

	pthread_mutex_lock(&s->lock);
	if (c->member[0] || make_members(k, c, place / size * size, core)) {
		b = c->member[place % size];
		b->core = core;
		b->sub_block = sub_block;
	}
	pthread_mutex_unlock(&s->lock);
	return b;
}

/* Lock held: have all that have not ended arrived? */
static void settle(struct core_sync *s, struct cluster *c)
{
	if (c->arrived < c->live || !c->live)
		return;
	c->arrived = 0;
	c->phase++;
	atomic_fetch_add(&s->progress, 1);
}

bool cluster_gone(struct core_block *b)
{
	struct core_sync *s = b->kernel->sync;
	struct cluster *c = b->cluster;
	bool last;

	pthread_mutex_lock(&s->lock);
	c->live--;
	last = !c->live;
	/* one that has arrived and ended without waiting is not counted among those that live */
	if (b->arrived && b->arrivals == c->phase + 1)
		c->arrived--;
	settle(s, c);
	/* the caller gives back the last one */
	if (last) {
		c->member[b->rank] = c->member[core_cluster_blocks(b->kernel) - 1];
		c->member[core_cluster_blocks(b->kernel) - 1] = NULL;
		end_members(c);
	}
	pthread_mutex_unlock(&s->lock);
	return last;
}

uint8_t *cluster_peer(struct core_block *b, uint64_t va, uint32_t access, struct core_fault *fault)
{
	uint32_t rank = (uint32_t)((va - ANPU_PEER_BASE) / ANPU_PEER_STRIDE);
	uint64_t at = (va - ANPU_PEER_BASE) % ANPU_PEER_STRIDE;
	uint32_t size = b->kernel->launch.size ? core_cluster_blocks(b->kernel) : 0;
	struct core_block *peer = b;

	if (rank >= size || at >= ANPU_UB_SIZE) {
		core_fail(fault, ANPU_FAULT_SCRATCHPAD,
			  "%s at 0x%llx: unified buffer %u of a cluster of %u blocks, byte 0x%llx of 0x%x",
			  access == ANPU_ACCESS_WRITE ? "write" : "read", (unsigned long long)va, rank, size,
			  (unsigned long long)at, ANPU_UB_SIZE);
		fault->addr = va;
		fault->access = access;
		return NULL;
	}
	if (b->cluster)
		peer = b->cluster->member[rank];
	else if (access == ANPU_ACCESS_WRITE)
		local_dirty(b, ANPU_UB_BASE + at, 1);
	return local_ptr(peer, ANPU_UB_BASE + at);
}

/* Lock held. */
static bool arrive(struct core_sync *s, struct core_block *b, struct core_fault *fault)
{
	if (b->arrived)
		return core_fail(fault, ANPU_FAULT_SYNC,
				 "CLUSTER: block %u arrives for the second time without waiting between", b->block);
	b->arrived = true;
	b->arrivals = b->cluster->phase + 1;
	b->cluster->arrived++;
	settle(s, b->cluster);
	return true;
}

/* Lock held. */
static enum sys_result wait_for_all(struct core_sync *s, struct core_block *b, struct core_fault *fault)
{
	if (!b->arrived) {
		core_fail(fault, ANPU_FAULT_SYNC, "CLUSTER: block %u waits and has not arrived", b->block);
		return SYS_FAULT;
	}
	if ((int32_t)(b->cluster->phase - b->arrivals) < 0)
		return sync_blocked(s, b, WAIT_CLUSTER | b->arrivals);
	b->arrived = false;
	sync_not_waiting(s, b);
	return SYS_NEXT;
}

enum sys_result cluster_barrier(struct core_block *b, uint64_t phase, struct core_fault *fault)
{
	struct core_sync *s = b->kernel->sync;
	enum sys_result result = SYS_NEXT;

	if (phase > ANPU_CLUSTER_WAIT) {
		core_fail(fault, ANPU_FAULT_OPERAND, "CLUSTER: %llu is no phase: 0 (both), 1 (arrive) or 2 (wait)",
			  (unsigned long long)phase);
		return SYS_FAULT;
	}
	/* a cluster of one block has nobody to wait for */
	if (!b->cluster)
		return SYS_NEXT;
	pthread_mutex_lock(&s->lock);
	if (unlikely(s->check) && !b->wait)
		check_tells(b, CHECK_SYNC_CLUSTER, (uintptr_t)b->cluster);
	/* a block that is blocked here has arrived */
	if (phase != ANPU_CLUSTER_WAIT && !b->wait && !arrive(s, b, fault))
		result = SYS_FAULT;
	else if (phase != ANPU_CLUSTER_ARRIVE)
		result = wait_for_all(s, b, fault);
	if (unlikely(s->check) && result == SYS_NEXT && phase != ANPU_CLUSTER_ARRIVE)
		check_learns(b, CHECK_SYNC_CLUSTER, (uintptr_t)b->cluster);
	pthread_mutex_unlock(&s->lock);
	return result;
}
