// SPDX-License-Identifier: MIT
/* SYNCALL, cross-core flags and workspace do on the whole model what isa.md says. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

static void test_barriers(unsigned int cores, unsigned int threads, uint32_t blocks, uint64_t n)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	uint64_t slots, bad;
	union anpu_packet p;

	c.cores = cores;
	c.threads = threads;
	d = rig_new(&c);
	q = rig_queue(d, 1, 0);
	slots = rig_alloc(d, 8 * blocks);
	bad = rig_alloc(d, 4096);
	p = KERNEL(d, "rounds", blocks, va(slots), va(bad), n);
	tq_run(q, &p);
	ok(!tq_errors(q), "%u blocks meet %llu times on %u cores, %u threads%s%s", blocks,
	   (unsigned long long)(2 * n), cores, threads, tq_errors(q) ? ": " : "",
	   tq_errors(q) ? tq_last_fault(q)->message : "");
	is(load64(hbm_ptr(d, bad)), 0, "  and see all that was written before");
	p = KERNEL(d, "set_and_wait", blocks, va(slots), n);
	tq_run(q, &p);
	ok(!tq_errors(q) && load64(hbm_ptr(d, slots + 8 * (blocks - 1))) == n,
	   "  and set and wait for a flag as often");
	tq_free(q);
	rig_free(d);
}

static void test_mix(unsigned int threads, uint32_t blocks)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	uint64_t box, out, n = 30;
	union anpu_packet p;
	bool good = true;

	c.threads = threads;
	d = rig_new(&c);
	q = rig_queue(d, 1, 0);
	box = rig_alloc(d, 8 * blocks);
	out = rig_alloc(d, 24 * blocks);
	p = KERNEL(d, "pair", blocks, va(box), va(out), n);
	tq_run(q, &p);
	for (uint32_t i = 0; i < 3 * blocks; i++)
		good = good && load64(hbm_ptr(d, out + 8 * i)) == n;
	ok(good && !tq_errors(q), "%u threads: %u MIX pairs hand over %llu values, modes GROUP and PEERS%s",
	   threads, blocks, (unsigned long long)n, tq_errors(q) ? tq_last_fault(q)->message : "");
	tq_free(q);
	rig_free(d);
}

static void deadlock(struct dev *d, struct tq *q, union anpu_packet p, uint32_t cause, const char *text,
		     const char *more, const char *what)
{
	tq_fails(q, &p, cause, text, what);
	ok(strstr(tq_last_fault(q)->message, more), "  and says '%s'", more);
	printf("# %s\n", tq_last_fault(q)->message);
	ok(tq_last_fault(q)->pc >= CODE_VA && tq_last_fault(q)->block < 64 && tq_last_fault(q)->x[0],
	   "  with block, pc and registers");
}

static void test_deadlocks(unsigned int threads)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q;
	union anpu_packet p;

	c.threads = threads;
	d = rig_new(&c);
	q = rig_queue(d, 1, 0);
	deadlock(d, q, KERNEL(d, "leave", 4, 1), ANPU_FAULT_DEADLOCK, "3 of 4 blocks wait", "blocks 1-3 in SYNCALL",
		 "a block ends while the others wait in SYNCALL");
	deadlock(d, q, KERNEL(d, "leave", 64, 63), ANPU_FAULT_DEADLOCK, "1 of 64 blocks wait", "block 63 in SYNCALL",
		 "all but one end");
	deadlock(d, q, KERNEL(d, "wait_only", 1, 7), ANPU_FAULT_DEADLOCK, "1 of 1 blocks wait:", "block 0 for cross flag 7",
		 "one block waits for a flag that nothing sets");
	deadlock(d, q, KERNEL(d, "wait_only", 20, 3), ANPU_FAULT_DEADLOCK, "20 of 20 blocks wait:", "blocks 0-19 for cross flag 3",
		 "twenty of them");
	deadlock(d, q, KERNEL(d, "crossed", 2), ANPU_FAULT_DEADLOCK, "block 0 for cross flag 2;", "block 1 for cross flag 5",
		 "two blocks wait for each other");
	deadlock(d, q, KERNEL(d, "set_often", 2, 16), ANPU_FAULT_SYNC, "XSET of cross flag 4", "15 times",
		 "the sixteenth set without a wait");
	p = KERNEL(d, "silent", 3);
	deadlock(d, q, p, ANPU_FAULT_DEADLOCK, "3 of 9 blocks wait", "blocks 0.0, 1.0, 2.0 for cross flag 6",
		 "cube parts wait for vector parts that have ended");
	p = KERNEL(d, "set_often", 2, 15);
	tq_run(q, &p);
	p = KERNEL(d, "set_often", 2, 15);
	tq_run(q, &p);
	is(tq_errors(q), 7, "flags do not outlive their kernel");
	tq_free(q);
	rig_free(d);
}

/* 64 lanes of 4 bytes and of 1, added to by all blocks at the same time. */
static void test_workspace(unsigned int threads, uint32_t blocks, uint64_t n)
{
	struct anpu_config c = config_small();
	struct dev *d;
	struct tq *q, *other;
	uint64_t words, bytes, bad = 0;
	union anpu_packet p;

	c.threads = threads;
	d = rig_new(&c);
	q = rig_queue(d, 1, 0);
	other = rig_queue(d, 2, 0);
	words = rig_alloc(d, 4096);
	bytes = words + 256;
	p = KERNEL(d, "count_up", blocks, va(words), va(bytes), n);
	tq_push(q, &p);
	tq_push(other, &p);
	tq_ring(q);
	tq_ring(other);
	ok(tq_wait(q, 1) && tq_wait(other, 1) && !tq_errors(q) && !tq_errors(other),
	   "%u threads, two kernels of %u blocks add to one workspace", threads, blocks);
	for (unsigned int i = 0; i < 64; i++) {
		uint32_t word;

		memcpy(&word, hbm_ptr(d, words + 4 * i), 4);
		bad += word != 2 * blocks * n;
		bad += *(uint8_t *)hbm_ptr(d, bytes + i) != (2 * blocks * n & 0xff);
	}
	is(bad, 0, "  and no update is lost, of words nor of bytes");
	tq_free(q);
	tq_free(other);
	rig_free(d);
}

/* The same, and a CPU that adds to all of it meanwhile: it is seldom that two cores meet at one word. */
static void test_contended(void)
{
	struct anpu_config c = config_small();
	uint64_t rounds = 0, words, bad = 0;
	struct contender cpu = { .words = 80, .width = 4, .step = 0x01000000 };
	union anpu_packet p;
	struct dev *d;
	struct tq *q;

	c.threads = 2;
	d = rig_new(&c);
	q = rig_queue(d, 1, 0);
	words = rig_alloc(d, 4096);
	cpu.at = hbm_ptr(d, words);
	/* 64 words, then 64 bytes, of which the CPU adds to every fourth */
	p = KERNEL(d, "count_up", 2, va(words), va(words + 256), 1000);
	contender_start(&cpu);
	for (rounds = 0; rounds < 400 && atomic_load(&cpu.conflicts) < 20 * CONFLICTS; rounds++)
		tq_run(q, &p);
	contender_stop(&cpu);
	for (unsigned int i = 0; i < 80; i++) {
		uint32_t word, n = 2 * 1000 * rounds, added = atomic_load(&cpu.added) << 24;
		uint8_t byte[4], m = n;

		memcpy(&word, hbm_ptr(d, words + 4 * i), 4);
		memcpy(byte, &word, 4);
		if (i < 64)
			bad += word != n + added;
		else
			bad += byte[0] != m || byte[1] != m || byte[2] != m ||
			       byte[3] != (uint8_t)(m + (added >> 24));
	}
	is(bad, 0, "atomic copies lose nothing to a CPU that adds, too");
	is(tq_errors(q), 0, "  without a failure");
	tq_free(q);
	rig_free(d);
}

int main(void)
{
	test_barriers(4, 3, 3, 50);
	test_barriers(4, 4, 100, 10);
	test_barriers(1, 1, 1024, 3);
	test_mix(1, 5);
	test_mix(3, 20);
	test_deadlocks(1);
	test_deadlocks(3);
	test_workspace(1, 8, 100);
	test_workspace(4, 16, 200);
	test_contended();
	return done_testing();
}
