// SPDX-License-Identifier: MIT
/*
 * Queues that are parked: their packet waits for a word, or for room in its event queue. Whoever writes a word, and the manager now and
 * then, looks which of them may go on.
 */
#include "internal.h"
#include "memory/guard.h"
#include "queue/sema.h"
#include "sched/manager.h"
#include "sched/others.h"
#include "sched/parked.h"

/* Out of the list. Lock held */
void parked_remove(struct anpu_model *m, struct queue *q)
{
	if (q->prev)
		q->prev->next = q->next;
	else
		m->parked = q->next;
	if (q->next)
		q->next->prev = q->prev;
	q->next = NULL;
	q->prev = NULL;
	if (q->park_shared)
		atomic_fetch_sub(&m->n_shared, 1);
	atomic_fetch_sub(&m->n_parked, 1);
}

void parked_ready(struct anpu_model *m, struct queue *q)
{
	parked_remove(m, q);
	pool_ready(m, q);
}

struct look {
	struct queue *q;
	uint32_t value; /* before @satisfied */
	bool satisfied;
};

static void do_look(void *arg)
{
	struct look *l = arg;

	l->value = __atomic_load_n((const uint32_t *)l->q->park_sem, __ATOMIC_SEQ_CST);
	l->satisfied = sema_satisfied(&l->q->pkt.sem_wait, l->q->park_sem);
}

/* A semaphore that is not there any more fails the packet, which a worker finds out. */
static bool satisfied(struct anpu_model *m, struct queue *q, uint32_t *value)
{
	struct look l = { q, 0, false };
	uint64_t addr;
	bool there = guard_call(m, do_look, &l, &addr);

	*value = l.value;
	return !there || l.satisfied;
}

/*
 * May a parked queue go on? Lock held; the caller is inside mmu_enter(), so that park_sem can be
 * read.
 */
static bool examine(struct anpu_model *m, struct queue *q, const void *sem, uint64_t now)
{
	uint32_t value;

	if (atomic_load(&q->interrupt))
		return true;
	if (q->park == PARK_EVENT)
		return event_has_room(m, q->ctx.event_queue, q->owed[0].type);
	if (!q->park_sem || !mmu_pointer_valid(m, q->ctx.asid, q->park_gen))
		return true;
	if (sem && ((uintptr_t)sem ^ (uintptr_t)q->park_sem) / 8)
		return now >= q->park_deadline;
	return now >= q->park_deadline || satisfied(m, q, &value);
}

/**
 * parked_examine() - make parked queues ready that may go on
 * @sem: host address of the only semaphore that changed, or NULL for anything
 *
 * Return: how many.
 */
unsigned int parked_examine(struct anpu_model *m, struct mmu *mmu, const void *sem)
{
	uint64_t now = model_clock(m);
	struct queue *q, *next;
	unsigned int n = 0;

	mmu_enter(mmu, 0);
	pthread_mutex_lock(&m->lock);
	for (q = m->parked; q; q = next) {
		next = q->next;
		if (examine(m, q, sem, now)) {
			parked_ready(m, q);
			n++;
		}
	}
	pthread_mutex_unlock(&m->lock);
	mmu_exit(mmu);
	return n;
}

/**
 * parked_words() - words of parked queues that other processes may write
 * @n: how many
 *
 * Return: false if a queue can go on, which is ready then.
 */
bool parked_words(struct worker *w, struct futex_word words[FUTEX_WORDS_MAX], unsigned int *n)
{
	struct anpu_model *m = w->m;
	bool wait = true;

	*n = 0;
	mmu_enter(&w->mmu, 0);
	pthread_mutex_lock(&m->lock);
	for (struct queue *q = m->parked; q && *n < FUTEX_WORDS_MAX && wait; q = q->next) {
		if (!q->park_shared)
			continue;
		wait = mmu_pointer_valid(m, q->ctx.asid, q->park_gen) && !satisfied(m, q, &words[*n].value);
		words[(*n)++].at = q->park_sem;
	}
	pthread_mutex_unlock(&m->lock);
	mmu_exit(&w->mmu);
	if (!wait)
		parked_examine(m, &w->mmu, NULL);
	return wait;
}

static void examine_written(struct anpu_model *m, struct mmu *mmu, const void *sem)
{
	unsigned int n;

	/* read-modify-write: a full barrier behind the packet's plain stores */
	if (!atomic_fetch_add(&m->n_parked, 0))
		return;
	n = parked_examine(m, mmu, sem);
	if (n)
		pool_wake(m, n);
}

/* A packet has written memory, so semaphores may have changed. Not inside mmu_enter(). */
void parked_memory_written(struct worker *w, const void *sem)
{
	parked_word_written(w->m, &w->mmu, sem);
}

/* The same of a thread that need not be a worker. */
void parked_word_written(struct anpu_model *m, struct mmu *mmu, const void *sem)
{
	if (sem && !others_own(m, sem))
		others_tell(m, sem, false);
	examine_written(m, mmu, sem);
}

/* A wait has taken what was in a word and left 0. Not inside mmu_enter(). */
void parked_word_taken(struct worker *w, const void *sem)
{
	if (!others_own(w->m, sem))
		others_tell(w->m, sem, true);
	examine_written(w->m, &w->mmu, sem);
}

/**
 * parked_add() - put a queue aside until its semaphore changes or its event queue has room
 *
 * Return: false if what it waits for has come meanwhile: the caller still holds the queue.
 */
bool parked_add(struct worker *w, struct queue *q, enum park_kind kind)
{
	struct anpu_model *m = q->m;
	bool foreign = kind == PARK_SEM && q->park_sem && !others_own(m, q->park_sem);
	bool wanted, parked = false;

	queue_stop_polling(q);
	mmu_enter(&w->mmu, 0);
	pthread_mutex_lock(&m->lock);
	q->park = kind;
	q->park_shared = foreign && others_share(m, q->park_sem);
	wanted = atomic_load(&q->interrupt) != 0;
	if (wanted) {
		q->hold = HOLD_NONE;
	} else {
		/*
		 * count it, then look again: a thread that writes the semaphore later sees the
		 * count
		 */
		atomic_fetch_add(&m->n_parked, 1);
		/* a semaphore that cannot be watched is examined by a worker at every tick */
		parked = (kind == PARK_SEM && !q->park_sem) ||
			 !examine(m, q, NULL, model_clock(m));
		if (parked) {
			q->hold = HOLD_PARKED;
			q->prev = NULL;
			q->next = m->parked;
			if (q->next)
				q->next->prev = q;
			m->parked = q;
			if (q->park_shared)
				atomic_fetch_add(&m->n_shared, 1);
		} else {
			atomic_fetch_sub(&m->n_parked, 1);
		}
	}
	pthread_mutex_unlock(&m->lock);
	mmu_exit(&w->mmu);
	if (parked && foreign)
		others_waited_for(m, q->park_sem);
	if (wanted || (parked && atomic_load(&m->manager_deep)))
		manager_kick(m);
	return wanted || parked;
}
