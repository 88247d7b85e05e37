// SPDX-License-Identifier: MIT
/*
 * Semaphores that somebody else writes: another device of this process, a device of another process, or a program.
 *
 * Devices of one process tell each other. Those of several processes meet in memory that the processes share: a worker
 * that has nothing else to do sleeps on the words themselves, as a futex, and a device that writes such a word wakes it.
 * Nothing tells a device of a program's store, so the manager looks. How often depends on how long the wait has
 * lasted: what comes soon is seen soon, and a long wait costs no more than a look at every tick.
 */
#include <sched.h>

#include "internal.h"
#include "sched/futex.h"
#include "sched/manager.h"
#include "sched/others.h"
#include "sched/parked.h"

/* so long after a wait began, a worker that spins looks whether it is over */
#define FOREIGN_NS	(4 * TICK_NS)
/* a worker that others can wake spins no longer than this, where it would only take the processor from them */
#define BRIEF_SPIN_NS	5000
/* so long after it waited for another process, a device wakes others at every word there: a system call; and so long after
 * another device has told it something it reckons with more of that */
#define COMPANY_NS	1000000000ULL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_model *models; /* of this process */
static atomic_bool crowded; /* they and the programs that wait for them are more than there are processors */

/* Lock held */
static void count_models(void)
{
	unsigned int n = 0;

	for (const struct anpu_model *m = models; m; m = m->next_model)
		n++;
	atomic_store(&crowded, n > 1 && 2 * n > host_cpus());
}

void others_add(struct anpu_model *m)
{
	pthread_mutex_lock(&lock);
	m->next_model = models;
	models = m;
	count_models();
	pthread_mutex_unlock(&lock);
}

void others_remove(struct anpu_model *m)
{
	struct anpu_model **at = &models;

	pthread_mutex_lock(&lock);
	while (*at && *at != m)
		at = &(*at)->next_model;
	if (*at)
		*at = m->next_model;
	count_models();
	pthread_mutex_unlock(&lock);
}

/** others_own() - is the word in the device's own memory, which only its workers and programs write? */
bool others_own(const struct anpu_model *m, const void *word)
{
	return (uintptr_t)word - (uintptr_t)m->hbm < m->cfg.hbm_size;
}

void anpu_model_shared(struct anpu_model *m, const void *at, uint64_t size)
{
	uintptr_t from = (uintptr_t)at, low = atomic_load(&m->shared_low), high = atomic_load(&m->shared_high);

	while ((!low || from < low) && !atomic_compare_exchange_weak(&m->shared_low, &low, from))
		;
	while (from + size > high && !atomic_compare_exchange_weak(&m->shared_high, &high, from + size))
		;
}

/** others_share() - may another process write the word, or wait for it? */
bool others_share(const struct anpu_model *m, const void *word)
{
	uintptr_t at = (uintptr_t)word, low = atomic_load_explicit(&m->shared_low, memory_order_relaxed);

	return low && at >= low && at < atomic_load_explicit(&m->shared_high, memory_order_relaxed);
}

/* Processes that exchange something wait for each other, so a device that has not waited lately has nobody to wake. */
static bool has_company(struct anpu_model *m)
{
	uint64_t since = atomic_load_explicit(&m->shared_since, memory_order_relaxed);

	if (!since)
		return false;
	return atomic_load_explicit(&m->n_shared, memory_order_relaxed) || model_clock(m) - since < COMPANY_NS;
}

/* The same of devices of one process */
static bool has_neighbours(struct anpu_model *m)
{
	uint64_t at = atomic_load_explicit(&m->told_at, memory_order_relaxed);

	return at && atomic_load_explicit(&crowded, memory_order_relaxed) && model_clock(m) - at < COMPANY_NS;
}

/**
 * others_tell() - a worker of @m has written a word that another device may wait for
 * @taken: it is 0 now because a wait has taken what it waited for. Devices of other processes are not woken for that: if one waits for
 *	   the 0, its manager finds it
 */
void others_tell(struct anpu_model *m, const void *word, bool taken)
{
	if (!taken && others_share(m, word) && has_company(m))
		futex_wake_shared(word);
	pthread_mutex_lock(&lock);
	for (struct anpu_model *other = models; other; other = other->next_model)
		if (other != m && atomic_load(&other->n_parked)) {
			atomic_store(&other->told_at, model_clock(other));
			atomic_store(&other->told, 1);
			manager_kick(other);
		}
	pthread_mutex_unlock(&lock);
}

/** others_waited_for() - a queue was parked for a word that is not the device's own */
void others_waited_for(struct anpu_model *m, const void *word)
{
	uint64_t now = model_clock(m);

	if (others_share(m, word))
		atomic_store(&m->shared_since, now);
	atomic_store(&m->foreign_since, now);
	/* a worker that has nothing else to do looks at the word itself, and then sleeps on it */
	if (others_share(m, word) && !atomic_load(&m->n_work) && !atomic_load(&m->kicks))
		return;
	if (atomic_load(&m->manager_slow))
		manager_kick(m);
}

/**
 * others_look() - a worker that spins looks at such words, too, and lets other processes' devices have the processor
 *
 * Return: true if a queue can go on.
 */
bool others_look(struct worker *w)
{
	struct anpu_model *m = w->m;
	bool told;

	if (!atomic_load_explicit(&m->n_parked, memory_order_relaxed))
		return false;
	told = atomic_exchange_explicit(&m->told, 0, memory_order_relaxed);
	if (!told && w->clock - atomic_load_explicit(&m->foreign_since, memory_order_relaxed) > FOREIGN_NS)
		return false;
	if (parked_examine(m, &w->mmu, NULL))
		return true;
	if (!told)
		sched_yield();
	return false;
}

/** others_spin() - how long a worker spins that would spin for @ns, in ns */
uint64_t others_spin(struct anpu_model *m, uint64_t ns)
{
	return ns > BRIEF_SPIN_NS && (has_company(m) || has_neighbours(m)) ? BRIEF_SPIN_NS : ns;
}

/** others_sleep() - a worker sleeps until m->wake is not @seq any more, or a word that a queue waits for has changed */
void others_sleep(struct worker *w, unsigned int seq)
{
	struct anpu_model *m = w->m;
	struct futex_word words[FUTEX_WORDS_MAX];
	unsigned int n = 0;

	if (atomic_load(&m->n_shared) && !parked_words(w, words, &n))
		return;
	if (n && futex_wait_any(&m->wake, seq, words, n)) {
		parked_examine(m, &w->mmu, NULL);
		return;
	}
	if (n && atomic_load(&m->manager_slow))
		manager_kick(m);
	futex_wait(&m->wake, seq, 0);
}

/** others_tick() - how long the manager sleeps until it looks again, in ns */
uint64_t others_tick(struct anpu_model *m)
{
	uint64_t part, least = atomic_load(&m->n_shared) ? TICK_SHARED_NS : TICK_LEAST_NS;

	if (!atomic_load(&m->n_parked))
		return TICK_NS;
	part = (model_clock(m) - atomic_load(&m->foreign_since)) / 4;
	return part > TICK_NS ? TICK_NS : part < least ? least : part;
}
