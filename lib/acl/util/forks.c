// SPDX-License-Identifier: MIT
/*
 * Locks that are held across fork() by the thread that forks.
 */
#include "util/forks.h"

static pthread_mutex_t *locks[8];
static unsigned int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects them */

static void hold(void)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < count; i++)
		pthread_mutex_lock(locks[i]);
}

static void let_go(void)
{
	for (unsigned int i = 0; i < count; i++)
		pthread_mutex_unlock(locks[i]);
	pthread_mutex_unlock(&lock);
}

/* Before there are threads: a fork during the first call of anpu_forks_free() would otherwise leave its lock to the child */
static void __attribute__((constructor)) start(void)
{
	(void)pthread_atfork(hold, let_go, let_go);
}

void anpu_forks_free(pthread_mutex_t *of)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < count && locks[i] != of; i++)
		;
	if (i == count && count < sizeof(locks) / sizeof(locks[0]))
		locks[count++] = of;
	pthread_mutex_unlock(&lock);
}
