/* SPDX-License-Identifier: MIT */
/* Sleep until a word changes. */
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
