/* SPDX-License-Identifier: MIT */
/* The workers: who executes what, and when a worker sleeps. */
#ifndef ANPU_MODEL_POOL_H
#define ANPU_MODEL_POOL_H

#include <pthread.h>

#include "memory/mmu.h"
#include "queue/queue.h"
#include "sched/busy.h"

struct worker {
	struct anpu_model *m;
	unsigned int id;
	pthread_t thread;
	bool started;
	_Atomic unsigned int busy;	/* number + 1 of the queue whose packet it executes, or 0 */
	uint64_t seen_turns;		/* the manager's: mmu.turns when it last changed, and when */
	uint64_t seen_at;
	struct queue *linger;		/* idle queue that it holds and watches while it spins */
	unsigned int streak;		/* packets executed since it last looked for other work */
	bool crowded;			/* whoever called it last has the same processor, so it does not spin */
	uint64_t clock;			/* when it last read the device's clock */
	uint64_t looked;		/* device clock when it last looked for other work */
	uint64_t backlog;		/* since when more is ready than it takes, or 0 */
	struct busy_single single;
	uint64_t pipe_ns[ANPU_PIPE_COUNT]; /* of the turn that it gives a block; see core_block_pipes() */
	struct core_operations *operations; /* of the same turn, if somebody wants them; kept until the worker ends */
	struct core_spare spare;	/* kept from its last kernel of one block, until it sleeps */
	struct core_fault fault;
	struct fault_where where;
	struct mmu mmu;
};

/* A worker that executes something no longer than this stays the watcher. */
#define BRIEF_NS	8000ULL
/* The same for copies and fills, in bytes. */
#define BRIEF_BYTES	(64ULL << 10)
/* How long a block or copy runs at most while others of its priority want to run, too. */
#define SLICE_NS	1000000ULL

void *pool_worker(void *arg);
void pool_ready(struct anpu_model *m, struct queue *q);		/* lock held */
void pool_list_job(struct anpu_model *m, struct job *job);	/* lock held */
void pool_unlist_job(struct anpu_model *m, struct job *job);	/* lock held */
void pool_kicked(struct queue *q);				/* lock held */
void pool_drain_kicks(struct anpu_model *m);			/* lock held */
void pool_wake(struct anpu_model *m, unsigned int n);
bool pool_watching(const struct worker *w);
void pool_unwatch(struct worker *w);
bool pool_look(struct worker *w, uint32_t priority);
bool pool_urgent(struct worker *w, uint32_t priority, const struct job *job);
bool pool_outranked(struct anpu_model *m, const struct job *job);	/* lock held */
void pool_release(struct queue *q);
bool pool_take(struct queue *q);
void pool_set_priority(struct queue *q, uint32_t priority);

#endif /* ANPU_MODEL_POOL_H */
