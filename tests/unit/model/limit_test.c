// SPDX-License-Identifier: MIT
/* max_cores: how many AI cores run a kernel's blocks, and that the others are there for others. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define CORES 8

static struct dev *d;
static struct tq *q, *other;
static uint64_t begun, gate;

static union anpu_packet limited(uint64_t entry, uint32_t blocks, uint8_t cores)
{
	union anpu_packet p = p_kernel(entry, blocks);

	p.kernel.max_cores = cores;
	return p;
}

static uint64_t blocks_begun(void)
{
	return load64(hbm_ptr(d, begun));
}

/* Runs it and says how many blocks ran at the same time */
static unsigned int most(union anpu_packet p)
{
	uint64_t errors = tq_errors(q);

	fake_core_most_running();
	tq_run(q, &p);
	is(tq_errors(q), errors, "the kernel ends well");
	return fake_core_most_running();
}

/* Blocks that run until they are let go: as many begin as cores are allowed, and not one more */
static void test_begun(uint8_t cores, unsigned int expected)
{
	uint64_t entry = PROGRAM(d, { FAKE_INC, 0, begun }, { FAKE_UNTIL, 0, gate });
	union anpu_packet p = limited(entry, 20, cores), quick;
	uint64_t seq, out = hbm_alloc(d, 8 * 20, 8);

	store64(hbm_ptr(d, begun), 0);
	store64(hbm_ptr(d, gate), 0);
	fake_core_most_running();
	seq = tq_push(q, &p);
	tq_ring(q);
	ok(eventually(blocks_begun() == expected), "max_cores %u: %u blocks begin", cores, expected);
	/* slices end and begin many times */
	sleep_us(20000);
	is(blocks_begun(), expected, "and no more");
	ok(fake_core_most_running() <= expected, "at any time");
	if (expected < CORES) {
		quick = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }), 20);
		for (int i = 0; i < 50; i++)
			tq_run(other, &quick);
		is(load64(hbm_ptr(d, out + 8 * 19)), 20, "others run on the other cores");
		is(load64(&q->st->completed), seq - 1, "meanwhile");
	}
	store64(hbm_ptr(d, gate), 1);
	ok(tq_wait(q, seq) && !tq_errors(q), "all end");
	is(blocks_begun(), 20, "all blocks have run");
}

/* Two limited kernels at the same time: each has its own limit */
static void test_two(void)
{
	uint64_t entry = PROGRAM(d, { FAKE_INC, 0, begun }, { FAKE_UNTIL, 0, gate });
	union anpu_packet p = limited(entry, 20, 2), p2 = limited(entry, 20, 3);
	uint64_t seq, seq2;

	store64(hbm_ptr(d, begun), 0);
	store64(hbm_ptr(d, gate), 0);
	seq = tq_push(q, &p);
	seq2 = tq_push(other, &p2);
	tq_ring(q);
	tq_ring(other);
	ok(eventually(blocks_begun() == 5), "limits 2 and 3: 5 blocks begin");
	sleep_us(20000);
	is(blocks_begun(), 5, "and no more");
	store64(hbm_ptr(d, gate), 1);
	ok(tq_wait(q, seq) && tq_wait(other, seq2), "both end");
	is(tq_errors(q) + tq_errors(other), 0, "well");
}

/* Blocks that wait for each other all begin, by turns on the allowed cores */
static void test_waiting(void)
{
	uint64_t entry = PROGRAM(d, { FAKE_BURN, 0, 20000 }, { FAKE_SYNCALL, 0, 0 },
				 { FAKE_BURN, 0, 20000 }, { FAKE_SYNCALL, 0, 0 },
				 { FAKE_INC, 0, begun });

	for (uint8_t cores = 1; cores <= 3; cores++) {
		unsigned int ran;

		store64(hbm_ptr(d, begun), 0);
		ran = most(limited(entry, 100, cores));
		ok(ran <= cores, "a barrier with max_cores %u: %u run at a time", cores, ran);
		is(blocks_begun(), 100, "all have met");
	}
	is(most(limited(PROGRAM(d, { FAKE_BURN, 0, 3000000 }), 6, 1)), 1, "long blocks, one core");
	ok(most(limited(PROGRAM(d, { FAKE_BURN, 0, 1000 }), 2000, 2)) <= 2, "2000 short ones, two");
}

static void test_mix(void)
{
	uint64_t aic = PROGRAM(d, { FAKE_UNTIL, 0, gate }, { FAKE_INC, 0, begun });
	uint64_t aiv = PROGRAM(d, { FAKE_INC, 0, gate }, { FAKE_BURN, 0, 100000 });
	union anpu_packet p = limited(aic, 1, 1);
	unsigned int ran;

	p.kernel.core_type = ANPU_CORE_MIX;
	p.kernel.mix_ratio = 2;
	p.kernel.aiv_entry = aiv - aic;
	store64(hbm_ptr(d, gate), 0);
	store64(hbm_ptr(d, begun), 0);
	is(most(p), 1, "sub-blocks that poll memory for each other take turns on one core");
	p.kernel.grid_x = 10;
	p.kernel.max_cores = 4;
	ran = most(p);
	ok(ran <= 4, "MIX, max_cores 4: %u sub-blocks run at a time", ran);
	is(blocks_begun(), 11, "all cube sub-blocks ran");
}

static void test_batch(void)
{
	uint64_t entry = PROGRAM(d, { FAKE_SYNCALL, 0, 0 });
	union anpu_packet p = limited(entry, 3, 2);

	p.kernel.sched_mode = ANPU_SCHED_BATCH;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "needs 3 AI cores, max_cores is 2", "a batch beyond it");
	p.kernel.max_cores = 3;
	ok(most(p) <= 3, "a batch that fits");
}

static void test_ends(void)
{
	union anpu_packet p = limited(PROGRAM(d, { FAKE_ILLEGAL, 13, 0 }), 40, 1);

	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "block 13", "a fault ends a limited kernel");
	p = limited(PROGRAM(d, { FAKE_WAIT, 1, 0 }), 20, 2);
	tq_fails(q, &p, ANPU_FAULT_DEADLOCK, "wait", "a deadlock, too");
	p = limited(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 20, 2);
	p.kernel.timeout_us = 20000;
	tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "20000 us", "and its time limit");
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(q, &p);
	tq_ring(q);
	sleep_us(5000);
	tq_stop(q);
	ok(true, "and STOP");
}

/* More blocks than a count of 16 bits has; blocks that do not know of each other leave nothing behind */
static void test_many(void)
{
	union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_INC, 0, begun }), 100000);

	store64(hbm_ptr(d, begun), 0);
	tq_run(q, &p);
	is(blocks_begun(), 100000, "a kernel of 100,000 blocks runs each of them once");
}

/* Devices before 1.8 */
static void test_few(void)
{
	struct anpu_config c = config_small();
	union anpu_packet p;
	struct dev *old;
	struct tq *oq;

	c.hide_caps = ANPU_CAP_BLOCKS;
	old = dev_new(&c);
	oq = tq_started(old, 1, 0, 0);
	p = p_kernel(PROGRAM(old, { FAKE_END, 0, 0 }), 65535);
	tq_run(oq, &p);
	p.kernel.grid_x = 65536;
	tq_fails(oq, &p, ANPU_FAULT_BAD_PACKET, "more than 65535 blocks", "an older device refuses 65536 blocks");
	tq_free(oq);
	dev_free(old);
}

static void test_hidden(void)
{
	struct anpu_config c = config_small();
	union anpu_packet p;
	struct dev *old;
	struct tq *oq;

	c.hide_caps = ANPU_CAP_MAX_CORES;
	old = dev_new(&c);
	oq = tq_started(old, 1, 0, 0);
	is(reg(old, ANPU_REG_CAPS) & ANPU_CAP_MAX_CORES, 0, "an older device does not say it has it");
	p = limited(PROGRAM(old, { FAKE_END, 0, 0 }), 1, 1);
	tq_fails(oq, &p, ANPU_FAULT_BAD_PACKET, "reserved byte 59 is 0x1", "and refuses the byte");
	tq_free(oq);
	dev_free(old);
}

int main(void)
{
	struct anpu_config c = config_small();

	c.cores = CORES;
	c.threads = CORES;
	d = dev_new(&c);
	q = tq_started(d, 1, 0, 0);
	other = tq_started(d, 2, 0, 0);
	begun = hbm_alloc(d, 8, 8);
	gate = hbm_alloc(d, 8, 8);
	test_begun(1, 1);
	test_begun(3, 3);
	test_begun(0, CORES);
	test_begun(CORES, CORES);
	test_begun(200, CORES);
	test_two();
	test_waiting();
	test_mix();
	test_batch();
	test_many();
	test_ends();
	tq_free(q);
	tq_free(other);
	dev_free(d);
	test_hidden();
	test_few();
	return done_testing();
}
