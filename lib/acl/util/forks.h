/* SPDX-License-Identifier: MIT */
/* Locks and fork(): a child has all locks as they were, and only the thread that forked. */
#ifndef ANPU_FORKS_H
#define ANPU_FORKS_H

#include <pthread.h>

/*
 * From now on no other thread has @lock at a fork, so that it is free in the child. Whoever holds one such lock waits for no other.
 * There are at most 8; once more for the same lock does nothing, as a child begins a pthread_once() again that was under way.
 */
void anpu_forks_free(pthread_mutex_t *lock);

#endif /* ANPU_FORKS_H */
