// SPDX-License-Identifier: MIT
/*
 * Semaphores that somebody else writes: another device of this process, or a program. Nothing tells this device of
 * a program's store, so the manager looks. How often depends on how long the wait has lasted: what comes soon is seen
 * soon, and a long wait costs no more than a look at every tick.
 */
#include <sched.h>

#include "internal.h"

/* so long after a wait began, a worker that spins looks whether it is over */
#define FOREIGN_NS	(4 * TICK_NS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_model *models; /* of this process */

void others_add(struct anpu_model *m)
{
	pthread_mutex_lock(&lock);
	m->next_model = models;
	models = m;
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
	pthread_mutex_unlock(&lock);
}

/** others_own() - is the word in the device's own memory, which only its workers and programs write? */
bool others_own(const struct anpu_model *m, const void *word)
{
	return (uintptr_t)word - (uintptr_t)m->hbm < m->cfg.hbm_size;
}

/** others_tell() - a worker of @m has written a word that another device may wait for */
void others_tell(struct anpu_model *m)
{
	pthread_mutex_lock(&lock);
	for (struct anpu_model *other = models; other; other = other->next_model)
		if (other != m && atomic_load(&other->n_parked)) {
			atomic_store(&other->told, 1);
			manager_kick(other);
		}
	pthread_mutex_unlock(&lock);
}

/** others_waited_for() - a queue was parked for a word that is not the device's own */
void others_waited_for(struct anpu_model *m)
{
	atomic_store(&m->foreign_since, model_clock(m));
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
	if (pool_examine_parked(m, &w->mmu, NULL))
		return true;
	if (!told)
		sched_yield();
	return false;
}

/** others_tick() - how long the manager sleeps until it looks again, in ns */
uint64_t others_tick(struct anpu_model *m)
{
	uint64_t part;

	if (!atomic_load(&m->n_parked))
		return TICK_NS;
	part = (model_clock(m) - atomic_load(&m->foreign_since)) / 4;
	return part > TICK_NS ? TICK_NS : part < TICK_LEAST_NS ? TICK_LEAST_NS : part;
}
