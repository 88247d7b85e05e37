// SPDX-License-Identifier: MIT
/*
 * Shadow doorbells: doorbells of all queues in the guest's memory, struct anpu_shadow_doorbells.
 *
 * The device promises to look at them while it has a watcher, or has called one (sched/pool.c).
 * m->watcher becomes 0 under the lock only, together with polling, and the thread that makes it 0
 * looks at them once more. A look takes all queues that have rung, as it takes the list of kicked
 * queues. The guest can write anything there: a byte is a hint to look at a queue's indices, and
 * there are only so many bytes.
 */
#include "internal.h"
#include "queue/shadow.h"

#define WORDS(bytes)	((uint64_t *)(void *)(bytes))

/* Lock held. */
static void set_polling(struct anpu_model *m, uint32_t polling)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);

	if (!b || atomic_load(&m->shadow_polling) == polling)
		return;
	atomic_store(&m->shadow_polling, polling);
	/* seq_cst: the submitter's barrier pairs with this one */
	shared_store(&b->polling, polling);
}

/** shadow_set() - the driver's write of their HBM address, 0: there are none */
void shadow_set(struct anpu_model *m, uint64_t addr)
{
	pthread_mutex_lock(&m->lock);
	set_polling(m, 0);
	atomic_store(&m->shadow, addr ? (void *)(m->hbm + addr) : NULL);
	pthread_mutex_unlock(&m->lock);
}

/** shadow_get() - their HBM address, 0: there are none */
uint64_t shadow_get(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);

	return b ? (uint64_t)((uint8_t *)b - m->hbm) : 0;
}

/** shadow_promise() - set polling, if there is a watcher: then submitters need no register */
void shadow_promise(struct anpu_model *m)
{
	if (!atomic_load_explicit(&m->shadow, memory_order_relaxed) ||
	    atomic_load_explicit(&m->shadow_polling, memory_order_relaxed))
		return;
	/* the host's threads must not wait here; the watcher tries again while it spins */
	if (pthread_mutex_trylock(&m->lock))
		return;
	if (atomic_load(&m->watcher))
		set_polling(m, 1);
	pthread_mutex_unlock(&m->lock);
}

/**
 * shadow_leave() - there is no watcher any more; queues that have rung until then become ready
 * @watcher: the watcher that leaves, a worker's id + 1 or WATCHER_CALLED; nothing happens if there
 * 	is another one now
 */
void shadow_leave(struct anpu_model *m, unsigned int watcher)
{
	pthread_mutex_lock(&m->lock);
	if (atomic_compare_exchange_strong(&m->watcher, &watcher, 0)) {
		set_polling(m, 0);
		shadow_take(m);
	}
	pthread_mutex_unlock(&m->lock);
}

/** shadow_forget() - the queue's register was written, so that its byte has nothing more to say */
void shadow_forget(struct anpu_model *m, unsigned int id)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);

	if (b)
		shared_store(&b->rung[id], 0);
}

static void take_group(struct anpu_model *m, struct anpu_shadow_doorbells *b, unsigned int group)
{
	uint64_t *words = WORDS(b->rung + group * ANPU_SHADOW_GROUP);

	for (unsigned int i = 0; i < ANPU_SHADOW_GROUP / 8; i++) {
		uint64_t rung = shared_load(&words[i]);

		if (rung)
			rung = __atomic_exchange_n(&words[i], 0, __ATOMIC_SEQ_CST);
		for (unsigned int q = group * ANPU_SHADOW_GROUP + i * 8; rung; q++, rung >>= 8) {
			if (rung & 0xff && q < m->cfg.queues)
				queue_rung(&m->queues[q]);
		}
	}
}

/** shadow_take() - lock held: queues that have rung become ready, in the order of their numbers */
void shadow_take(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);

	if (!b)
		return;
	for (unsigned int i = 0; i < sizeof(b->group) / 8; i++) {
		uint64_t *word = WORDS(b->group) + i, rung = shared_load(word);

		if (rung)
			rung = __atomic_exchange_n(word, 0, __ATOMIC_SEQ_CST);
		for (unsigned int group = i * 8; rung; group++, rung >>= 8) {
			if (rung & 0xff)
				take_group(m, b, group);
		}
	}
}
