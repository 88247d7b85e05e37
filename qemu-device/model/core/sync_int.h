/* SPDX-License-Identifier: MIT */
/* Shared by sync.c and cluster.c: the state of a kernel whose blocks wait for each other. */
#ifndef ANPU_SYNC_INT_H
#define ANPU_SYNC_INT_H

#include "sync.h"

#define KINDS	2	/* cube (or the only kind), vector */

/** struct barrier - SYNCALL among one group of sub-blocks */
struct barrier {
	uint32_t arrived;
	uint32_t round;
};

/**
 * struct core_sync - per launch; small, as most launches make one
 * @gen: decoded code, held for the kernel's life
 * @serial: its number
 * @progress: see core_kernel_progress()
 * @barrier: by kind, and the one for all
 * @cross: flags between sub-blocks
 * @waiting: list of blocks that are blocked
 * @clusters: NULL if a cluster has one block
 * @check: checking mode: races between sub-blocks; NULL: they are not looked at
 * @ended: checking mode: sub-blocks that have ended
 */
struct core_sync {
	struct code_gen *gen;
	unsigned int serial;
	uint32_t blocks;
	uint32_t subs;
	bool mix;
	_Atomic uint64_t progress;
	pthread_mutex_t lock;
	struct barrier barrier[KINDS + 1];
	struct cross_state *cross;
	struct core_block *waiting;
	struct cluster *clusters;
	struct check_blocks *check;
	uint32_t ended;
};

/* b->wait: what a blocked block waits for */
#define WAIT_BARRIER	(1ULL << 32)	/* OR the round */
#define WAIT_CROSS	(2ULL << 32)	/* OR the operand */
#define WAIT_WORD	(3ULL << 32)	/* OR the low half of the address */
#define WAIT_FRONT	(4ULL << 32)	/* for the kernel in front */
#define WAIT_CLUSTER	(5ULL << 32)	/* OR the phase */
#define WAIT_KIND	(7ULL << 32)

/* lock held */
enum sys_result sync_blocked(struct core_sync *s, struct core_block *b, uint64_t wait);
void sync_not_waiting(struct core_sync *s, struct core_block *b);

/* Clusters (cluster.c) */
bool cluster_init(struct core_kernel *k, struct core_fault *fault);
void cluster_fini(struct core_kernel *k);

#endif /* ANPU_SYNC_INT_H */
