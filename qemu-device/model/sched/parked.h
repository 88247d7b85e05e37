/* SPDX-License-Identifier: MIT */
/* Queues that wait for a word, or for room in their event queue. */
#ifndef ANPU_MODEL_PARKED_H
#define ANPU_MODEL_PARKED_H

#include "internal.h"

/* words of parked queues that a worker sleeps on, at most */
#define PARKED_WORDS_MAX	16

struct parked_word {
	const void *at;
	uint32_t value; /* of its lower half, with which the queue has to wait */
};

bool parked_add(struct worker *w, struct queue *q, enum park_kind kind);
void parked_remove(struct anpu_model *m, struct queue *q);	/* lock held */
void parked_ready(struct anpu_model *m, struct queue *q);	/* lock held */
unsigned int parked_examine(struct anpu_model *m, struct mmu *mmu, const void *sem);
bool parked_words(struct worker *w, struct parked_word words[PARKED_WORDS_MAX], unsigned int *n);
void parked_memory_written(struct worker *w, const void *sem);
void parked_word_written(struct anpu_model *m, struct mmu *mmu, const void *sem);

#endif /* ANPU_MODEL_PARKED_H */
