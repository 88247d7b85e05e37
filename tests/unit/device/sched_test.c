// SPDX-License-Identifier: MIT
/* Kernels of real operators in several queues: at the same time, by priority, within their limits. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

/* Two kernels that wait for each other end only if they run at the same time. */
static void test_together(void)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q[3];
	uint64_t flags;
	bool good = true;

	c.threads = 3;
	d = rig_new(&c);
	flags = rig_alloc(d, 4096);
	for (unsigned int i = 0; i < 3; i++) {
		/* in a ring: each waits for the next one's flag */
		union anpu_packet p = KERNEL(d, "meet", 1, va(flags + 64 * i), va(flags + 64 * ((i + 1) % 3)));

		q[i] = rig_queue(d, 1 + i, 0);
		tq_push(q[i], &p);
		tq_ring(q[i]);
	}
	for (unsigned int i = 0; i < 3; i++)
		good = good && tq_wait(q[i], 1) && !tq_errors(q[i]);
	ok(good, "kernels of three queues run at the same time");
	for (unsigned int i = 0; i < 3; i++)
		tq_free(q[i]);
	rig_free(d);
}

/* Kernels that poll for each other take turns even on one thread. */
static void test_turns(void)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *a, *b;
	uint64_t flags;
	union anpu_packet p;

	c.threads = 1;
	d = rig_new(&c);
	flags = rig_alloc(d, 4096);
	a = rig_queue(d, 1, 0);
	b = rig_queue(d, 2, 0);
	p = KERNEL(d, "meet", 1, va(flags), va(flags + 64));
	tq_push(a, &p);
	tq_ring(a);
	p = KERNEL(d, "meet", 1, va(flags + 64), va(flags));
	tq_push(b, &p);
	tq_ring(b);
	ok(tq_wait(a, 1) && tq_wait(b, 1) && !tq_errors(a) && !tq_errors(b),
	   "kernels of two queues that wait for each other's memory take turns on one thread");
	tq_free(a);
	tq_free(b);
	rig_free(d);
}

/*
 * A grid of low priority holds all cores for as long as nobody stops it; a kernel of higher priority
 * runs nevertheless, whether the queue has it or the packet.
 */
static void test_priority(unsigned int threads, unsigned int queue_low, unsigned int packet_low,
			  const char *what)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *low, *high;
	uint64_t flag, out;
	union anpu_packet p;
	bool good = true;

	c.threads = threads;
	d = rig_new(&c);
	flag = rig_alloc(d, 4096);
	out = rig_alloc(d, 4096);
	low = rig_queue(d, 1, queue_low);
	high = rig_queue(d, 2, 1);
	p = KERNEL(d, "until", 64, va(flag));
	p.kernel.priority = packet_low;
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(low, &p);
	tq_ring(low);
	eventually(load64(&low->st->started) == 1);
	sleep_us(5000);
	for (unsigned int i = 0; i < 4; i++) {
		p = KERNEL(d, "mark", 16, va(out));
		memset(hbm_ptr(d, out), 0, 128);
		tq_run(high, &p);
		for (unsigned int b = 0; b < 16; b++)
			good = good && load64(hbm_ptr(d, out + 8 * b)) == b + 1;
	}
	ok(good && !tq_errors(high), "%u threads: %s runs beside 64 blocks that hold all cores", threads, what);
	is(load64(&low->st->completed), 0, "  which go on");
	store64(hbm_ptr(d, flag), 1);
	ok(tq_wait(low, 1) && !tq_errors(low), "  and end well");
	tq_free(low);
	tq_free(high);
	rig_free(d);
}

/* Of two grids that compete for one thread the one of higher priority ends before the other. */
static void test_order(bool by_packet)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *low, *high;
	uint64_t out_low, out_high, last_low = 0, last_high = 0;
	union anpu_packet p;

	c.threads = 1;
	d = rig_new(&c);
	out_low = rig_alloc(d, 4096);
	out_high = rig_alloc(d, 4096);
	low = rig_queue(d, 1, by_packet ? 0 : 7);
	high = rig_queue(d, 2, 0);
	p = KERNEL(d, "work", 64, va(out_low), 1000000);
	p.kernel.priority = by_packet ? 7 : 0;
	tq_push(low, &p);
	tq_ring(low);
	eventually(load64(&low->st->started) == 1);
	sleep_us(2000);
	p = KERNEL(d, "work", 64, va(out_high), 100000);
	tq_push(high, &p);
	tq_ring(high);
	ok(tq_wait(low, 1) && tq_wait(high, 1) && !tq_errors(low) && !tq_errors(high),
	   "two grids of different priority, by %s", by_packet ? "packet" : "queue");
	for (unsigned int b = 0; b < 64; b++) {
		if (load64(hbm_ptr(d, out_low + 8 * b)) > last_low)
			last_low = load64(hbm_ptr(d, out_low + 8 * b));
		if (load64(hbm_ptr(d, out_high + 8 * b)) > last_high)
			last_high = load64(hbm_ptr(d, out_high + 8 * b));
	}
	ok(last_high < last_low, "  the one that came later, of higher priority, ends first");
	tq_free(low);
	tq_free(high);
	rig_free(d);
}

/* A limit ends one kernel and harms nobody else, wherever its blocks are. */
static void test_limits(void)
{
	static const char *const ops[] = { "forever", "long_vrep_sin", "long_mmad", "long_atomic", "long_sync" };
	struct anpu_config c = config_small();
	struct dev *d = rig_new(&c);
	struct tq *q = rig_queue(d, 1, 0), *other = rig_queue(d, 2, 0);
	uint64_t out = rig_alloc(d, 1 << 20), flag = rig_alloc(d, 4096);
	union anpu_packet p = KERNEL(d, "until", 1, va(flag));

	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(other, &p);
	tq_ring(other);
	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		p = KERNEL(d, ops[i], 6, va(out), ~0ULL);
		p.kernel.timeout_us = 3000;
		tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "3000 us", ops[i]);
		ok(tq_last_fault(q)->pc >= CODE_VA && tq_last_fault(q)->block < 6, "  names block and pc");
	}
	is(load64(&other->st->completed), 0, "a kernel without limit in another queue goes on");
	store64(hbm_ptr(d, flag), 1);
	ok(tq_wait(other, 1) && !tq_errors(other), "  and ends well");
	tq_free(q);
	tq_free(other);
	rig_free(d);
}

/* STOP ends whatever runs; how soon is what stop_latency measures. */
static void test_stop(void)
{
	static const char *const ops[] = { "forever", "long_copy", "long_atomic", "long_sin", "long_sort",
		"long_mmad", "long_vrep_sin", "long_vrep_div", "long_load3d", "long_print", "long_sync" };
	struct anpu_config c = config_small();
	struct dev *d = rig_new(&c);
	uint64_t gm = rig_alloc(d, 1 << 20);
	struct tq *q = rig_queue(d, 1, 0);

	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		union anpu_packet p = KERNEL(d, ops[i], 1 + i % 3 * 4, va(gm), ~0ULL);

		p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
		tq_push(q, &p);
		tq_ring(q);
		eventually(load64(&q->st->started) == q->wptr);
		sleep_us(2000);
		is(tq_errors(q), 0, ops[i]);
		tq_stop(q);
		ok(tq_last_fault(q) && tq_last_fault(q)->cause == ANPU_FAULT_KILLED, "  is stopped: %s",
		   tq_last_fault(q) ? tq_last_fault(q)->message : "it has ended before");
		tq_start(q);
	}
	tq_free(q);
	rig_free(d);
}

int main(void)
{
	test_together();
	test_turns();
	test_priority(1, 7, 0, "a queue of higher priority");
	test_priority(3, 7, 0, "a queue of higher priority");
	test_priority(1, 0, 7, "a queue, when the packet's priority is low,");
	test_priority(3, 0, 7, "a queue, when the packet's priority is low,");
	test_order(false);
	test_order(true);
	test_limits();
	test_stop();
	return done_testing();
}
