/* SPDX-License-Identifier: MIT */
/* Sleep until a word changes. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "futex.h"

void futex_wait(_Atomic unsigned int *word, unsigned int value, uint64_t timeout_ns)
{
	struct timespec ts = { timeout_ns / 1000000000, timeout_ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns ? &ts : NULL, NULL, 0);
}

/* Return: how many were woken. */
unsigned int futex_wake(_Atomic unsigned int *word, unsigned int n)
{
	long woken = syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);

	return woken > 0 ? woken : 0;
}

#ifdef SYS_futex_waitv
/** futex_wait_any() - until @own is not @value, or one of the words has changed. Return: false if the kernel cannot do it */
bool futex_wait_any(_Atomic unsigned int *own, unsigned int value, const struct futex_word *words, unsigned int n)
{
	struct futex_waitv at[FUTEX_WORDS_MAX + 1] = {
		{ .val = value, .uaddr = (uintptr_t)own, .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG },
	};

	for (unsigned int i = 0; i < n; i++)
		at[i + 1] = (struct futex_waitv){ .val = words[i].value, .uaddr = (uintptr_t)words[i].at,
						  .flags = FUTEX_32 };
	return syscall(SYS_futex_waitv, at, n + 1, 0, NULL, 0) >= 0 || errno == EAGAIN || errno == EINTR;
}
#else
bool futex_wait_any(_Atomic unsigned int *own, unsigned int value, const struct futex_word *words, unsigned int n)
{
	(void)own, (void)value, (void)words, (void)n;
	return false;
}
#endif

/** futex_wake_shared() - wakes whoever sleeps on the word, in whatever process */
void futex_wake_shared(const void *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
