/* SPDX-License-Identifier: MIT */
/* Queues that wait for a word, or for room in their event queue. */
#ifndef ANPU_MODEL_PARKED_H
#define ANPU_MODEL_PARKED_H

#include "internal.h"
#include "sched/futex.h"

bool parked_add(struct worker *w, struct queue *q, enum park_kind kind);
void parked_remove(struct anpu_model *m, struct queue *q);	/* lock held */
void parked_ready(struct anpu_model *m, struct queue *q);	/* lock held */
unsigned int parked_examine(struct anpu_model *m, struct mmu *mmu, const void *sem);
bool parked_words(struct worker *w, struct futex_word words[FUTEX_WORDS_MAX], unsigned int *n);
void parked_memory_written(struct worker *w, const void *sem);
void parked_word_taken(struct worker *w, const void *sem);
void parked_word_written(struct anpu_model *m, struct mmu *mmu, const void *sem);

#endif /* ANPU_MODEL_PARKED_H */
