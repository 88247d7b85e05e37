// SPDX-License-Identifier: MIT
/*
 * The board: doorbells in the guest's memory, struct anpu_shadow_doorbells.
 *
 * The device promises to look while there is a watcher, or one is on its way (pool.c): m->watcher becomes 0
 * under lock only, together with polling, and who makes it 0 looks once more. Who looks takes what
 * has rung, as it takes the list of kicked queues. The guest can write anything there: a byte is a hint to
 * look at a queue's indices, and what is taken at once is bounded by the board.
 */
#include "internal.h"

#define WORDS(bytes)	((uint64_t *)(void *)(bytes))

/* Lock held. */
static void set_polling(struct anpu_model *m, uint32_t polling)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->board);

	if (!b || atomic_load(&m->board_polling) == polling)
		return;
	atomic_store(&m->board_polling, polling);
	/* seq_cst: the submitter's barrier pairs with this one */
	shared_store(&b->polling, polling);
}

/** board_set() - the board is at this HBM address from now on, 0: there is none */
void board_set(struct anpu_model *m, uint64_t addr)
{
	pthread_mutex_lock(&m->lock);
	set_polling(m, 0);
	atomic_store(&m->board, addr ? (void *)(m->hbm + addr) : NULL);
	pthread_mutex_unlock(&m->lock);
}

/** board_get() - the board's HBM address, 0: there is none */
uint64_t board_get(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->board);

	return b ? (uint64_t)((uint8_t *)b - m->hbm) : 0;
}

/** board_promise() - while there is a watcher, what rings on the board needs no register */
void board_promise(struct anpu_model *m)
{
	if (!atomic_load_explicit(&m->board, memory_order_relaxed) ||
	    atomic_load_explicit(&m->board_polling, memory_order_relaxed))
		return;
	/* threads of the host do not wait: then there is no promise yet; who watches tries again */
	if (pthread_mutex_trylock(&m->lock))
		return;
	if (atomic_load(&m->watcher))
		set_polling(m, 1);
	pthread_mutex_unlock(&m->lock);
}

/**
 * board_leave() - there is no watcher any more; what has rung until then is ready
 * @watcher: who it was, a worker's id + 1 or WATCHER_CALLED; if it is another one, nothing happens
 */
void board_leave(struct anpu_model *m, unsigned int watcher)
{
	pthread_mutex_lock(&m->lock);
	if (atomic_compare_exchange_strong(&m->watcher, &watcher, 0)) {
		set_polling(m, 0);
		board_take(m);
	}
	pthread_mutex_unlock(&m->lock);
}

/** board_forget() - a queue's register was written: its byte was the same doorbell */
void board_forget(struct anpu_model *m, unsigned int id)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->board);

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

/** board_take() - lock held: queues that have rung become ready, in the order of their numbers */
void board_take(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->board);

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
