/* SPDX-License-Identifier: MIT */
/* Plans of faults: what a user asks the device to do wrong. */
#ifndef ANPU_MODEL_PLAN_H
#define ANPU_MODEL_PLAN_H

#include "internal.h"

#define PLAN_FAULTS_MAX	16
#define PLAN_ANYWHERE	(~0ULL)

enum plan_kind {
	PLAN_FAIL,	/* a task fails with @cause before it begins */
	PLAN_HANG,	/* a task does not end before its limit, or begins @ms later */
	PLAN_SKIP,	/* a task completes and has done nothing */
	PLAN_UNTOLD,	/* the completion of a task is not told */
	PLAN_FLIP,	/* @bits bits of the program's memory change before a task */
	PLAN_GONE,	/* the device is gone, for @ms or for good */
	PLAN_IRQ_LOST,
	PLAN_IRQ_LATE,	/* by @ms */
	PLAN_ALLOC,	/* libacl's: an allocation fails */
	PLAN_KINDS
};

/**
 * struct plan_fault - one fault of a plan
 * @of: a bit for each opcode that counts
 * @first: number of the first task or interrupt that is concerned, from 1 on; up to @last
 * @seen: how many there have been; under plan.lock
 */
struct plan_fault {
	enum plan_kind kind;
	uint32_t of;
	uint32_t cause;
	uint64_t first, last;
	uint64_t seen;
	uint64_t ms, bits, seed, va, bit;
};

struct plan {
	pthread_mutex_t lock;
	struct plan_fault fault[PLAN_FAULTS_MAX];
	unsigned int n;
	char *path;		/* the file it is in, or NULL */
	struct timespec changed; /* when, as of the last look at it */
	pthread_t watcher;
	bool watched;
	_Atomic unsigned int ends;
};

/** plan_parse() - @err gets a sentence when it returns false */
bool plan_parse(const char *text, struct plan_fault *faults, unsigned int *n, char *err, size_t size);

bool plan_begin(struct anpu_model *m);
void plan_end(struct anpu_model *m);
bool plan_task_slow(struct worker *w, struct queue *q, enum exec_result *r);
bool plan_interrupt_slow(struct anpu_model *m, uint64_t *late_ms);

/* Is the packet in hand not to be executed as usual? *@r is then what has become of it */
static inline bool plan_task(struct worker *w, struct queue *q, enum exec_result *r)
{
	return unlikely(q->m->plan != NULL) && !q->early && plan_task_slow(w, q, r);
}

/* Is an interrupt lost? If not, it may come *@late_ms later */
static inline bool plan_interrupt(struct anpu_model *m, uint64_t *late_ms)
{
	return unlikely(m->plan != NULL) && plan_interrupt_slow(m, late_ms);
}

#endif /* ANPU_MODEL_PLAN_H */
