/* SPDX-License-Identifier: MIT */
/* Sleep until a word changes. */
#ifndef ANPU_MODEL_FUTEX_H
#define ANPU_MODEL_FUTEX_H

#include "base.h"

void futex_wait(_Atomic unsigned int *word, unsigned int value, uint64_t timeout_ns);
unsigned int futex_wake(_Atomic unsigned int *word, unsigned int n);

/* words that futex_wait_any() sleeps on beside its own, at most */
#define FUTEX_WORDS_MAX	16

/**
 * struct futex_word - a word that other processes may write, and wait for
 * @value: of its lower half
 */
struct futex_word {
	const void *at;
	uint32_t value;
};

bool futex_wait_any(_Atomic unsigned int *own, unsigned int value, const struct futex_word *words, unsigned int n);
void futex_wake_shared(const void *word);

#endif /* ANPU_MODEL_FUTEX_H */
