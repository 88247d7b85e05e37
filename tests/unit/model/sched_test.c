// SPDX-License-Identifier: MIT
/* Kernels: blocks over cores and workers, barriers, time limits, priorities, faults, preemption. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static void test_blocks(struct dev *d, const char *name)
{
	static const uint32_t grids[][3] = { { 1, 1, 1 }, { 2, 3, 4 }, { 1000, 1, 1 }, { 1, 1, 7 } };
	struct tq *q = tq_started(d, 1, 0, 0);
	uint64_t out = hbm_alloc(d, 8 * 1000, 64);
	uint64_t entry = PROGRAM(d, { FAKE_STORE, 0, out }, { FAKE_INC, 0, out - 64 + 56 });
	uint64_t count = out - 8;
	union anpu_packet p;

	for (unsigned int i = 0; i < 4; i++) {
		uint32_t n = grids[i][0] * grids[i][1] * grids[i][2], good = 0;

		memset(hbm_ptr(d, out), 0, 8000);
		store64(hbm_ptr(d, count), 0);
		p = p_kernel(entry, 1);
		p.kernel.grid_x = grids[i][0];
		p.kernel.grid_y = grids[i][1];
		p.kernel.grid_z = grids[i][2];
		tq_run(q, &p);
		for (uint32_t b = 0; b < n; b++)
			good += load64(hbm_ptr(d, out + 8 * b)) == b + 1;
		ok(good == n && load64(hbm_ptr(d, count)) == n, "%s: %u blocks, each once", name, n);
	}
	is(load64(&q->st->kernels), 4, "the queue counts its kernels");
	is(reg(d, ANPU_REG_KERNELS), 4, "the device, too");
	is(reg(d, ANPU_REG_BLOCKS), 1032, "and blocks");

	/* all blocks meet twice, with more blocks than cores */
	memset(hbm_ptr(d, out), 0, 8000);
	store64(hbm_ptr(d, count), 0);
	p = p_kernel(PROGRAM(d, { FAKE_INC, 0, count }, { FAKE_SYNCALL, 0, 0 },
			     { FAKE_INC, 0, count }, { FAKE_SYNCALL, 0, 0 },
			     { FAKE_STORE, 0, out }), 200);
	tq_run(q, &p);
	ok(!tq_errors(q) && load64(hbm_ptr(d, count)) == 400 &&
	   load64(hbm_ptr(d, out + 8 * 199)) == 200, "%s: 200 blocks meet twice", name);

	/* flags between blocks, set by the last to start */
	p = p_kernel(PROGRAM(d, { FAKE_WAIT, 1, 0 }), 1);
	tq_fails(q, &p, ANPU_FAULT_DEADLOCK, "wait", "one block that waits for a flag nobody sets");
	p.kernel.grid_x = 20;
	tq_fails(q, &p, ANPU_FAULT_DEADLOCK, "wait", "twenty of them");
	tq_free(q);
}

/* Workers take brief blocks along with others: what the blocks do, and what is told of them, is as if each came alone. */
static void test_along(unsigned int threads)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	uint64_t out, blocks, cube;
	uint32_t good = 0;
	union anpu_packet p;

	c.threads = threads;
	d = dev_new(&c);
	q = tq_started(d, 1, 0, 0);
	out = hbm_alloc(d, 8 * 1000, 64);
	blocks = reg(d, ANPU_REG_BLOCKS);
	p = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }), 1000);
	tq_run(q, &p);
	for (uint32_t b = 0; b < 1000; b++)
		good += load64(hbm_ptr(d, out + 8 * b)) == b + 1;
	ok(good == 1000, "%u threads: 1000 brief blocks", threads);
	is(reg(d, ANPU_REG_BLOCKS) - blocks, 1000, "all are counted");

	/* from block 40 on they wait for a later one, which begins as there is an AI core for it */
	memset(hbm_ptr(d, out), 0, 8000);
	p = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }, { FAKE_FROM, 40, 0 }, { FAKE_UNTIL, 0, out + 8 * 42 }), 200);
	tq_run(q, &p);
	ok(!tq_errors(q) && load64(hbm_ptr(d, out + 8 * 199)) == 200, "blocks wait for later ones");
	is(reg(d, ANPU_REG_BLOCKS) - blocks, 1200, "and are counted once");
	p = p_kernel(PROGRAM(d, { FAKE_FROM, 40, 0 }, { FAKE_SYNCALL, 0, 0 }), 200);
	tq_fails(q, &p, ANPU_FAULT_DEADLOCK, "wait", "some wait for all, others have ended");

	/* a fault is that of its block */
	p = p_kernel(PROGRAM(d, { FAKE_ILLEGAL, 613, 0 }), 1000);
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "block 613", "a fault in a block that was taken along");
	ok(tq_last_fault(q)->block == 613 && tq_last_fault(q)->x[10] == 613, "its record is that block's");

	/* what is urgent waits for one block that is not brief, not for all that were taken along with it */
	p = p_kernel(PROGRAM(d, { FAKE_FROM, 40, 0 }, { FAKE_BURN, 0, 200000 }), 120);
	tq_run(q, &p);
	is(fake_core_behind_burns(), 0, "the turn is over behind a block that took long");

	/* nobody keeps an AI core behind all this */
	(void)reg(d, ANPU_REG_BUSY_AT);
	cube = reg(d, ANPU_REG_BUSY_CUBE);
	sleep_us(1000);
	(void)reg(d, ANPU_REG_BUSY_AT);
	is(reg(d, ANPU_REG_BUSY_CUBE), cube, "no AI core is busy");
	tq_free(q);
	dev_free(d);
}

static void test_mix(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 1, 0, 0);
	uint64_t out = hbm_alloc(d, 64, 64);
	uint64_t aic = PROGRAM(d, { FAKE_SUB, 0, out });
	uint64_t aiv = PROGRAM(d, { FAKE_SUB, 0, out }, { FAKE_SUB, 0, out });
	union anpu_packet p = p_kernel(aic, 10);

	p.kernel.core_type = ANPU_CORE_MIX;
	p.kernel.mix_ratio = 2;
	p.kernel.aiv_entry = aiv - aic;
	tq_run(q, &p);
	is(load64(hbm_ptr(d, out)), 10, "MIX: cube sub-blocks at entry");
	is(load64(hbm_ptr(d, out + 8)), 20, "first vector sub-blocks at aiv_entry");
	is(load64(hbm_ptr(d, out + 16)), 20, "second ones");
	tq_free(q);
	dev_free(d);
}

static void test_faults(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 6, 0, 0);
	uint64_t illegal = PROGRAM(d, { FAKE_ILLEGAL, 13, 0 });
	uint64_t wild = PROGRAM(d, { FAKE_LOAD, 0, 1ULL << 40 });
	uint64_t forever = PROGRAM(d, { FAKE_FOREVER, 0, 0 });
	uint64_t mixed = PROGRAM(d, { FAKE_ILLEGAL, 2, 0 }, { FAKE_FOREVER, 0, 0 });
	union anpu_packet p = p_kernel(illegal, 40);
	const struct anpu_fault *f;
	uint64_t start;

	p.kernel.args = illegal + 8;
	p.kernel.args_size = 24;
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "block 13", "an illegal instruction in one block");
	f = tq_last_fault(q);
	ok(f->block == 13 && f->insn == 0xdead && f->pc == illegal && f->entry == illegal &&
	   f->x[10] == 13 && f->core < 4 && f->queue == 6 && f->ib_index == ANPU_FAULT_NO_INDIRECT,
	   "its record is complete");
	is(f->args, illegal + 8, "with the address of the arguments");
	is(f->args_size, 24, "and their size");
	p = p_kernel(wild, 1);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "0x10000000000", "a wild read");
	f = tq_last_fault(q);
	ok(f->addr == 1ULL << 40 && f->access == ANPU_ACCESS_READ && f->block == 0 && f->size == 8,
	   "names address and access");
	p = p_kernel(mixed, 30);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "block 2", "a fault ends blocks that would run forever");

	start = now_ns();
	p = p_kernel(forever, 1);
	p.kernel.timeout_us = 20000;
	tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "20000 us", "a time limit");
	ok(now_ns() - start >= 20000000, "  after %llu us",
	   (unsigned long long)(now_ns() - start) / 1000);
	is(tq_last_fault(q)->pc, forever, "  at its pc");
	p.kernel.grid_x = 10;
	tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "20000 us", "of ten blocks");
	is(tq_last_fault(q)->x[10], tq_last_fault(q)->block, "  with the registers of its block");
	ok(tq_last_fault(q)->block < 10, "  names a block that ran");
	set_reg(d, ANPU_REG_TIMEOUT, 5000);
	p.kernel.timeout_us = ANPU_TIMEOUT_DEFAULT;
	tq_fails(q, &p, ANPU_FAULT_TIMEOUT, "5000 us", "the device's default limit");

	fake_core_limit(8);
	p = p_kernel(PROGRAM(d, { FAKE_SYNCALL, 0, 0 }), 50);
	tq_fails(q, &p, ANPU_FAULT_INTERNAL, "memory", "no memory for so many blocks at a time");
	fake_core_limit(0);
	p = p_kernel(PROGRAM(d, { FAKE_PRINT, 0, 0 }), 5);
	tq_run(q, &p);
	is(atomic_load(&d->prints), 5, "operators print");
	tq_free(q);
	dev_free(d);
}

/* A kernel that never ends must not keep others from running, however few threads there are. */
static void test_preemption(unsigned int threads, bool grid)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *hog, *other;
	union anpu_packet p;
	uint64_t out, seq = 0, flag;
	struct anpu_stats stats;

	c.threads = threads;
	d = dev_new(&c);
	hog = tq_started(d, 1, 0, 0);
	other = tq_started(d, 2, 0, 0);
	out = hbm_alloc(d, 800, 64);
	flag = hbm_alloc(d, 8, 8);
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), grid ? 8 : 1);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(hog, &p);
	tq_ring(hog);
	eventually(load64(&hog->st->started) == 1);
	sleep_us(3000);
	p = p_kernel(PROGRAM(d, { FAKE_STORE, 0, out }), 20);
	for (int i = 0; i < 5; i++)
		seq = tq_push(other, &p);
	tq_ring(other);
	ok(tq_wait(other, seq), "%u threads, %d hogs: another queue's kernels run", threads,
	   grid ? 8 : 1);
	is(load64(&hog->st->completed), 0, "while the hog runs");
	anpu_model_stats(d->m, &stats);
	printf("# %llu preemptions\n", (unsigned long long)stats.preemptions);
	store64(hbm_ptr(d, flag), 1);
	ok(tq_wait(hog, 1) && !tq_errors(hog), "and that ends well, too");

	/* one queue's kernel waits for memory that another queue's kernel writes */
	store64(hbm_ptr(d, flag), 0);
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	tq_push(hog, &p);
	tq_ring(hog);
	p = p_kernel(PROGRAM(d, { FAKE_INC, 0, flag }), 1);
	tq_run(other, &p);
	ok(tq_wait(hog, 2), "kernels of two queues talk");
	tq_free(hog);
	tq_free(other);
	dev_free(d);
}

/* Blocks of one kernel that poll memory for each other, as many as there are cores. */
static void test_polling_blocks(void)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	uint64_t flag;
	union anpu_packet p;

	c.threads = 1;
	d = dev_new(&c);
	q = tq_started(d, 1, 0, 0);
	flag = hbm_alloc(d, 8, 8);
	/* aic sub-block waits for what only the vector sub-blocks write */
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }), 1);
	p.kernel.core_type = ANPU_CORE_MIX;
	p.kernel.mix_ratio = 2;
	p.kernel.aiv_entry = PROGRAM(d, { FAKE_INC, 0, flag }) - p.kernel.entry;
	tq_run(q, &p);
	is(tq_errors(q), 0, "one thread, blocks that poll memory for each other take turns");
	tq_free(q);
	dev_free(d);
}

/* In the order that the device itself sees: all packets are there before the first has ended. */
static void test_priorities(void)
{
	struct anpu_config c = config_small();
	uint64_t seq = 0, go, done, seen;
	struct dev *d;
	struct tq *low, *high;
	union anpu_packet p;

	c.threads = 1;
	d = dev_new(&c);
	low = tq_new(d, 1, 8);
	tq_context(low)->priority = 7;
	tq_start(low);
	high = tq_new(d, 2, 8);
	tq_context(high)->priority = 1;
	tq_start(high);
	go = hbm_alloc(d, 24, 8);
	done = go + 8;
	seen = go + 16;
	p = p_kernel(PROGRAM(d, { FAKE_UNTIL, 0, go }), 1);
	tq_push(low, &p);
	p = p_kernel(PROGRAM(d, { FAKE_BURN, 0, 200000 }, { FAKE_INC, 0, done }), 1);
	for (int i = 0; i < 20; i++)
		seq = tq_push(low, &p);
	tq_ring(low);
	eventually(load64(&low->st->started) >= 1);
	p = p_kernel(PROGRAM(d, { FAKE_BURN, 0, 100000 }), 4);
	for (int i = 0; i < 5; i++)
		tq_push(high, &p);
	p = p_copy(done, seen, 8);
	tq_push(high, &p);
	tq_ring(high);
	store64(hbm_ptr(d, go), 1);
	tq_wait(high, 6);
	ok(load64(hbm_ptr(d, seen)) <= 1, "a queue of high priority overtakes, %llu of 20 done",
	   (unsigned long long)load64(hbm_ptr(d, seen)));
	ok(tq_wait(low, seq), "the other one ends, too");
	tq_free(low);
	tq_free(high);
	dev_free(d);
}

static void test_check(void)
{
	struct anpu_config c = config_small();

	for (int on = 0; on < 2; on++) {
		struct dev *d;
		struct tq *q;
		union anpu_packet p;
		uint64_t out;

		c.check = on;
		d = dev_new(&c);
		q = tq_started(d, 2, 0, 0);
		out = hbm_alloc(d, 8, 64);
		p = p_kernel(PROGRAM(d, { FAKE_FLAGS, 0, out }), 1);
		p.kernel.hdr.flags = ANPU_KERNEL_SATURATE;
		tq_run(q, &p);
		is(load64(hbm_ptr(d, out)), ANPU_KERNEL_SATURATE | (on ? ANPU_KERNEL_CHECK : 0),
		   on ? "check=on adds the flag" : "check=off leaves the flags as they are");
		p.kernel.hdr.flags = ANPU_KERNEL_CHECK;
		tq_run(q, &p);
		is(load64(hbm_ptr(d, out)), ANPU_KERNEL_CHECK, "the packet's own flag is kept");
		tq_free(q);
		dev_free(d);
	}
}

static void test_jit_off(void)
{
	for (int jit = 1; jit >= 0; jit--) {
		struct anpu_config c = config_small();
		unsigned int before = fake_core_untranslated();
		union anpu_packet p;
		struct dev *d;
		struct tq *q;

		c.jit = jit;
		d = dev_new(&c);
		q = tq_started(d, 2, 0, 0);
		p = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1);
		tq_run(q, &p);
		is(fake_core_untranslated() - before, !jit,
		   jit ? "jit=on: operators are translated" : "jit=off: they are not");
		tq_free(q);
		dev_free(d);
	}
}

static void test_deterministic(void)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	union anpu_packet p;
	uint64_t out;
	bool good = true;

	c.deterministic = true;
	c.threads = 0;
	d = dev_new(&c);
	test_blocks(d, "deterministic");
	q = tq_started(d, 2, 0, 0);
	out = hbm_alloc(d, 800, 64);
	p = p_kernel(PROGRAM(d, { FAKE_CORE, 0, out }), 100);
	memset(hbm_ptr(d, out), 0xff, 800);
	tq_run(q, &p);
	for (int i = 0; i < 100; i++)
		good = good && load64(hbm_ptr(d, out + 8 * i)) == 0;
	ok(good, "deterministic: every block on core 0");
	/* block 0 takes many slices; were it set aside, block 1 would store first */
	store64(hbm_ptr(d, out), 0);
	p = p_kernel(PROGRAM(d, { FAKE_BURN, 0, 5000000 }, { FAKE_ILLEGAL, 0, 0 },
			     { FAKE_INC, 0, out }), 4);
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "block 0", "a long block 0 fails");
	is(load64(hbm_ptr(d, out)), 0, "before any other has begun");
	tq_free(q);
	dev_free(d);
}

static void test_empty_kernels(void)
{
	struct dev *d = dev_default();
	struct tq *q = tq_started(d, 1, 0, 0);
	union anpu_packet p = p_kernel(PROGRAM(d, { FAKE_END, 0, 0 }), 1), nop = p_nop();
	uint64_t busy, seq = 0;

	for (int i = 0; i < 2000; i++)
		seq = tq_push(q, &nop), i % 32 ? (void)0 : tq_ring(q);
	tq_ring(q);
	tq_wait(q, seq);
	busy = load64(&q->st->busy_ns);
	for (int i = 0; i < 2000; i++)
		seq = tq_push(q, &p), i % 32 ? (void)0 : tq_ring(q);
	tq_ring(q);
	ok(tq_wait(q, seq), "2000 empty kernels");
	printf("# busy: NOP %llu ns, empty kernel of the fake core %llu ns\n",
	       (unsigned long long)busy / 2000,
	       (unsigned long long)(load64(&q->st->busy_ns) - busy) / 2000);
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	struct dev *d = dev_default();

	test_blocks(d, "3 threads");
	dev_free(d);
	test_along(1);
	test_along(3);
	test_mix();
	test_faults();
	test_preemption(1, false);
	test_preemption(1, true);
	test_preemption(2, false);
	test_preemption(3, true);
	test_polling_blocks();
	test_priorities();
	test_jit_off();
	test_deterministic();
	test_check();
	test_empty_kernels();
	return done_testing();
}
