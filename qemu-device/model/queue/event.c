// SPDX-License-Identifier: MIT
/* Event queues and their interrupts. */
#include <string.h>

#include "internal.h"
#include "diag/inject.h"
#include "diag/plan.h"
#include "sched/futex.h"

/*
 * Is there no room for an event of this type? Programs decide how many NOTIFY, SIGNAL and FAULT
 * there are. A quarter of the entries is not for those, so that a program that makes as many as it
 * can does not delay what all others wait for: that a packet has completed or a queue has stopped.
 */
static bool full(const struct event_queue *eq, uint16_t type)
{
	uint64_t room = 1ULL << eq->log2;

	if (type != ANPU_EVENT_COMPLETED && type != ANPU_EVENT_STOPPED)
		room -= room / 4;
	/* an rptr that makes no sense counts as a full queue */
	return eq->wptr - shared_load(&eq->header->rptr) >= room;
}

/*
 * The host's raise function may wait for long: QEMU's waits for its big lock. Commands of all
 * queues wait for the manager, so the manager leaves its interrupts to a thread that does nothing
 * else.
 */
static void raise_later(struct anpu_model *m, unsigned int vector)
{
	atomic_fetch_add(&m->raises[vector], 1);
	atomic_fetch_add(&m->raiser_wake, 1);
	futex_wake(&m->raiser_wake, 1);
}

/* Does the vector's interrupt come later, by a plan? *@next becomes the time to the first one that does */
static bool is_late(struct anpu_model *m, unsigned int vector, uint64_t *next)
{
	uint64_t due = atomic_load(&m->late[vector]), now;

	if (likely(!due))
		return false;
	now = model_clock(m);
	if (now >= due) {
		atomic_store(&m->late[vector], 0);
		return false;
	}
	if (!*next || due - now < *next)
		*next = due - now;
	return true;
}

void *event_raiser(void *arg)
{
	struct anpu_model *m = arg;

	while (!atomic_load(&m->exiting)) {
		unsigned int seq = atomic_load(&m->raiser_wake);

		uint64_t next = 0;

		for (unsigned int i = 0; i < m->cfg.event_queues; i++) {
			unsigned int n;

			if (is_late(m, i, &next))
				continue;
			n = atomic_exchange(&m->raises[i], 0);
			while (n-- && !atomic_load(&m->exiting))
				m->ops.raise(m->ctx, i);
		}
		futex_wait(&m->raiser_wake, seq, next);
	}
	return NULL;
}

/**
 * event_send() - write an event and raise the queue's interrupt
 * @manager: the caller is the manager, which must not wait for the host
 *
 * Return: false if the event queue has no room for it. Events of a disabled event queue are dropped.
 */
bool event_send(struct anpu_model *m, unsigned int eq_nr, const struct anpu_event *e, bool manager)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	uint64_t late_ms = 0;

	pthread_mutex_lock(&eq->lock);
	if (!eq->log2) {
		pthread_mutex_unlock(&eq->lock);
		return true;
	}
	if (full(eq, e->type)) {
		pthread_mutex_unlock(&eq->lock);
		return false;
	}
	memcpy(&eq->entries[eq->wptr & ((1ULL << eq->log2) - 1)], e, sizeof(*e));
	eq->wptr++;
	__atomic_store_n(&eq->header->wptr, eq->wptr, __ATOMIC_RELEASE);
	if (inject(m, ANPU_INJECT_EVENT, eq_nr))
		shared_store(&eq->header->wptr, eq->wptr + (2ULL << eq->log2));
	pthread_mutex_unlock(&eq->lock);

	count_add(&m->count.events, 1);
	if (inject(m, ANPU_INJECT_INTERRUPT, eq_nr) || plan_interrupt(m, &late_ms))
		return true;
	count_add(&m->count.interrupts, 1);
	if (unlikely(late_ms))
		atomic_store(&m->late[eq_nr], model_clock(m) + late_ms * 1000000);
	if (manager || late_ms)
		raise_later(m, eq_nr);
	else
		m->ops.raise(m->ctx, eq_nr);
	return true;
}

bool event_has_room(struct anpu_model *m, unsigned int eq_nr, uint16_t type)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	bool room;

	pthread_mutex_lock(&eq->lock);
	room = !eq->log2 || !full(eq, type);
	pthread_mutex_unlock(&eq->lock);
	return room;
}

bool event_enabled(struct anpu_model *m, unsigned int eq_nr)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	bool enabled;

	pthread_mutex_lock(&eq->lock);
	enabled = eq->log2 != 0;
	pthread_mutex_unlock(&eq->lock);
	return enabled;
}

/* A base is accepted only while the queue is disabled. */
bool event_set_base(struct anpu_model *m, unsigned int eq_nr, uint64_t base)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	bool ok;

	pthread_mutex_lock(&eq->lock);
	ok = !eq->log2 && !(base & 4095) && hbm_contains(m, base, 4096);
	if (ok)
		eq->base = base;
	pthread_mutex_unlock(&eq->lock);
	return ok;
}

/* A size is accepted only if all entries lie in the HBM, and 0 always. */
bool event_set_size(struct anpu_model *m, unsigned int eq_nr, uint64_t log2)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	bool ok = true;

	pthread_mutex_lock(&eq->lock);
	if (log2) {
		ok = !eq->log2 && log2 >= ANPU_EQ_LOG2_MIN && log2 <= ANPU_EQ_LOG2_MAX &&
		     hbm_contains(m, eq->base, sizeof(*eq->header) +
				  (sizeof(struct anpu_event) << log2));
	}
	if (ok) {
		eq->log2 = log2;
		eq->wptr = 0;
		eq->header = (void *)(m->hbm + eq->base);
		eq->entries = (void *)(eq->header + 1);
	}
	if (ok && log2)
		shared_store(&eq->header->wptr, 0);
	pthread_mutex_unlock(&eq->lock);
	return ok;
}

uint64_t event_get_base(struct anpu_model *m, unsigned int eq_nr)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	uint64_t base;

	pthread_mutex_lock(&eq->lock);
	base = eq->base;
	pthread_mutex_unlock(&eq->lock);
	return base;
}

uint64_t event_get_size(struct anpu_model *m, unsigned int eq_nr)
{
	struct event_queue *eq = &m->eqs[eq_nr];
	uint64_t log2;

	pthread_mutex_lock(&eq->lock);
	log2 = eq->log2;
	pthread_mutex_unlock(&eq->lock);
	return log2;
}

void event_reset(struct anpu_model *m)
{
	for (unsigned int i = 0; i < m->cfg.event_queues; i++) {
		struct event_queue *eq = &m->eqs[i];

		pthread_mutex_lock(&eq->lock);
		eq->log2 = 0;
		eq->base = 0;
		eq->wptr = 0;
		pthread_mutex_unlock(&eq->lock);
	}
}
