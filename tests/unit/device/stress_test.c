// SPDX-License-Identifier: MIT
/*
 * Real operators in several queues on several threads, with stops, invalidations and resets among
 * them. It checks results, and above all ThreadSanitizer and AddressSanitizer watch.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define QUEUES	4

static atomic_bool done;

/* Invalidations by driver and host while operators run */
static void *invalidator(void *arg)
{
	struct dev *d = arg;

	while (!atomic_load(&done)) {
		set_reg(d, ANPU_REG_TLB_INVALIDATE, ASID);
		sleep_us(300);
		anpu_model_invalidate(d->m);
		sleep_us(300);
	}
	return NULL;
}

static void submit(struct dev *d, struct tq *q, uint64_t mem)
{
	union anpu_packet p[] = {
		KERNEL(d, "rounds", 13, va(mem), va(mem + 2048), 3),
		KERNEL(d, "count_up", 5, va(mem + 4096), va(mem + 4096 + 256), 20),
		KERNEL(d, "pair", 3, va(mem + 8192), va(mem + 8192 + 1024), 5),
		KERNEL(d, "mark", 40, va(mem + 12288)),
		KERNEL(d, "say", 4, 3),
		KERNEL(d, "leave", 5, 2),
		KERNEL(d, "work", 6, va(mem + 16384), 20000),
	};

	for (unsigned int i = 0; i < sizeof(p) / sizeof(p[0]); i++)
		tq_push(q, &p[i]);
	tq_ring(q);
}

static struct tq *queue(struct dev *d, unsigned int id, uint64_t print)
{
	struct tq *q = tq_new(d, id, 8);

	tq_context(q)->asid = ASID;
	tq_context(q)->priority = id % 3;
	tq_context(q)->print = va(print);
	tq_start(q);
	return q;
}

static void test_mixed(unsigned int threads, unsigned int times)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q[QUEUES];
	uint64_t mem[QUEUES], print;
	pthread_t t;
	bool good = true;

	c.threads = threads;
	d = rig_new(&c);
	print = rig_alloc(d, 8192);
	((struct anpu_print_buffer *)hbm_ptr(d, print))->ring = va(print + 4096);
	((struct anpu_print_buffer *)hbm_ptr(d, print))->size = 4096;
	for (unsigned int i = 0; i < QUEUES; i++) {
		q[i] = queue(d, i, print);
		mem[i] = rig_alloc(d, 32768);
	}
	atomic_store(&done, false);
	pthread_create(&t, NULL, invalidator, d);
	for (unsigned int r = 0; r < times; r++)
		for (unsigned int i = 0; i < QUEUES; i++)
			submit(d, q[i], mem[i]);
	for (unsigned int i = 0; i < QUEUES; i++) {
		uint32_t word;

		good = good && tq_wait(q[i], q[i]->wptr);
		/* one of them has a deadlock */
		good = good && tq_errors(q[i]) == times && tq_last_fault(q[i])->cause == ANPU_FAULT_DEADLOCK;
		good = good && !load64(hbm_ptr(d, mem[i] + 2048));
		memcpy(&word, hbm_ptr(d, mem[i] + 4096), 4);
		good = good && word == 100 * times;
		good = good && load64(hbm_ptr(d, mem[i] + 12288 + 8 * 39)) == 40;
		good = good && load64(hbm_ptr(d, mem[i] + 8192 + 1024)) == 5;
	}
	atomic_store(&done, true);
	pthread_join(t, NULL);
	ok(good, "%u threads: %u kernels in %u queues among invalidations", threads, 7 * times * QUEUES, QUEUES);
	for (unsigned int i = 0; i < QUEUES; i++)
		tq_free(q[i]);
	rig_free(d);
}

/* Stops and resets in the middle of everything; then it works as before. */
static void test_interrupted(unsigned int times)
{
	static const char *const ops[] = { "forever", "long_atomic", "long_sync", "rounds", "long_print", "long_mmad" };
	struct anpu_config c = config_small();
	bool good = true;

	for (unsigned int r = 0; r < times; r++) {
		struct dev *d = rig_new(&c);
		uint64_t mem = rig_alloc(d, QUEUES << 18);
		struct tq *q[QUEUES];

		for (unsigned int i = 0; i < QUEUES; i++) {
			uint64_t own = va(mem + (i << 18));
			union anpu_packet p = KERNEL(d, ops[(r + i) % 6], 1 + i * 3, own, own + 4096, 1000000);

			p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
			q[i] = queue(d, i, 0);
			tq_context(q[i])->print = 0;
			tq_push(q[i], &p);
			tq_ring(q[i]);
		}
		sleep_us(r * 211 % 3000);
		if (r & 1) {
			anpu_model_reset(d->m);
			good = good && eventually(reg(d, ANPU_REG_STATUS) & ANPU_STATUS_READY);
		} else {
			for (unsigned int i = 0; i < QUEUES; i++)
				tq_stop(q[i]);
			union anpu_packet p = KERNEL(d, "mark", 3, va(mem));

			tq_start(q[0]);
			memset(hbm_ptr(d, mem), 0, 64);
			tq_run(q[0], &p);
			good = good && !tq_errors(q[0]) && load64(hbm_ptr(d, mem + 16)) == 3;
		}
		for (unsigned int i = 0; i < QUEUES; i++)
			tq_free(q[i]);
		rig_free(d);
	}
	ok(good, "%u times operators are stopped, or the device is reset or switched off, in their middle", times);
}

int main(int argc, char **argv)
{
	unsigned int factor = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;

	test_mixed(4, 4 * factor);
	test_mixed(2, 4 * factor);
	test_interrupted(12 * factor);
	return done_testing();
}
