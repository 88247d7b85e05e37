// SPDX-License-Identifier: MIT
/*
 * Rules for every test, also for the libraries that stand on libacl: nothing is unlocked that nobody has locked, and a test that ends
 * holds no lock, as no function of the libraries comes back with one. A program's own definition takes the place of the C library's
 * for the libraries, too, so this sees each lock of theirs and of the direct engine.
 */
#define _GNU_SOURCE
#include "locks.h"

#ifdef __GLIBC__
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static __thread int held;

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

#define NEXT(name, ...) ({ \
	static int (*_Atomic next_)(__VA_ARGS__); \
	if (!next_) \
		next_ = (int (*)(__VA_ARGS__))find_next(#name); \
	next_; \
})

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int err = NEXT(pthread_mutex_lock, pthread_mutex_t *)(mutex);

	held += !err;
	return err;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	int err = NEXT(pthread_mutex_trylock, pthread_mutex_t *)(mutex);

	held += !err;
	return err;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	int err = NEXT(pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)(mutex, until);

	held += !err;
	return err;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (!mutex->__data.__owner) {
		static const char text[] = "# a mutex is unlocked that no thread has locked\n";

		(void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
		abort();
	}
	held--;
	return NEXT(pthread_mutex_unlock, pthread_mutex_t *)(mutex);
}

int locks_held(void)
{
	return held;
}
#else
int locks_held(void)
{
	return 0;
}
#endif
