// SPDX-License-Identifier: MIT
/*
 * Words that other processes write: a worker sleeps on those that queues wait for, and a device that writes one wakes
 * whoever sleeps on it. Without either, a look of the manager would end the wait, too; so the test is the other process
 * itself, and counts whom it wakes.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define VA	0x7f0000000000ULL

static struct tq *queue_at_ram(struct dev *d, unsigned int id)
{
	struct tq *q = tq_new(d, id, 6);

	tq_context(q)->asid = 1;
	tq_start(q);
	return q;
}

static long futex(void *word, int op, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

static bool kernel_can(void)
{
#ifdef SYS_futex_waitv
	return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) < 0 && errno == EINVAL;
#else
	return false;
#endif
}

static void test_sleep(struct dev *d, struct tq *q)
{
	union anpu_packet wait = p_wait(VA, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	uint64_t seq = tq_push(q, &wait);

	tq_ring(q);
	if (kernel_can())
		ok(eventually(futex(d->ram, FUTEX_WAKE, 1, NULL) == 1), "a worker sleeps on the word");
	else
		ok(true, "a worker sleeps on the word # SKIP the kernel has no futex_waitv()");
	ok(load64(&q->st->completed) < seq, "and that it was woken for nothing does not end the wait");
	store64(d->ram, 1);
	futex(d->ram, FUTEX_WAKE, INT_MAX, NULL);
	ok(tq_wait(q, seq), "the queue goes on when the word is right");
	store64(d->ram, 0);
}

static void *sleeper(void *word)
{
	struct timespec limit = { PATIENCE_NS / 1000000000, 0 };

	return (void *)(uintptr_t)!futex(word, FUTEX_WAIT, 0, &limit);
}

/* Signals that leave the word as it is: what ends the thread's sleep is that it is woken */
static void test_wake(struct dev *d, struct tq *waits, struct tq *signals)
{
	union anpu_packet wait = p_wait(VA, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	union anpu_packet same = p_signal(VA + 64, 0, ANPU_SEM_OR), one = p_signal(VA, 1, ANPU_SEM_SET);
	uint64_t seq = tq_push(waits, &wait);
	pthread_t thread;
	void *woken = NULL;

	tq_ring(waits);
	if (pthread_create(&thread, NULL, sleeper, d->ram + 64))
		die("no thread");
	ok(eventually((tq_run(signals, &same), !pthread_tryjoin_np(thread, &woken))) && woken,
	   "a signal wakes those that sleep on the word");
	ok(tq_run(signals, &one) && tq_wait(waits, seq), "and the device's own queues");
}

int main(void)
{
	struct dev *d = dev_default();
	struct tq *a, *b;

	anpu_model_shared(d->m, d->ram, 4096);
	as_map(d, 1, VA, 4096, DMA_PLAIN, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	a = queue_at_ram(d, 1);
	b = queue_at_ram(d, 2);
	test_sleep(d, a);
	test_wake(d, a, b);
	tq_free(a);
	tq_free(b);
	dev_free(d);
	return done_testing();
}
