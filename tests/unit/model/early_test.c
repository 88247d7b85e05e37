// SPDX-License-Identifier: MIT
/* Kernels that begin before the one in front of them has completed, and the words of launches. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static struct dev *d;
static struct tq *q;
static uint64_t mem;		/* words of a test, zero at its begin */
static bool deterministic;

enum { GO, DONE, BEGUN, TRIGGERED, FRONT_END = 8, BEHIND = 16, AFTER = 24, WORDS = 64 };

static uint64_t at(unsigned int word)
{
	return mem + 8ULL * word;
}

static uint64_t word(unsigned int n)
{
	return load64(hbm_ptr(d, at(n)));
}

static void fresh(void)
{
	memset(hbm_ptr(d, mem), 0, 8 * WORDS);
}

/* A kernel with a launch; each has its own */
static union anpu_packet launch(uint64_t program, uint32_t blocks, uint32_t flags)
{
	union anpu_packet p = p_kernel(program, blocks);
	uint64_t l = hbm_alloc(d, 256, 8);

	*(struct anpu_kernel_launch *)hbm_ptr(d, l) = (struct anpu_kernel_launch){
		.size = ANPU_LAUNCH_SIZE, .flags = flags, .block_x = 1, .block_y = 1, .block_z = 1 };
	p.hdr.flags = ANPU_KERNEL_LAUNCH;
	p.kernel.args = l;
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	return p;
}

static struct anpu_kernel_launch *of(const union anpu_packet *p)
{
	return hbm_ptr(d, p->kernel.args);
}

/* It ends only when the one behind it has begun. */
static union anpu_packet front(uint32_t blocks)
{
	return launch(PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_SYNCALL, 0, 0 }, { FAKE_UNTIL, 0, at(GO) },
			      { FAKE_BURN, 0, 2000000 },
			      { FAKE_CLOCK, 0, at(FRONT_END) }), blocks, 0);
}

static union anpu_packet behind(uint32_t blocks)
{
	return launch(PROGRAM(d, { FAKE_CLOCK, 0, at(BEHIND) }, { FAKE_INC, 0, at(GO) }, { FAKE_GRIDWAIT, 0, 0 },
			      { FAKE_CLOCK, 0, at(AFTER) }, { FAKE_INC, 0, at(DONE) }), blocks, ANPU_LAUNCH_OVERLAP);
}

static uint64_t both(const union anpu_packet *a, const union anpu_packet *b)
{
	fresh();
	tq_push(q, a);
	tq_push(q, b);
	tq_ring(q);
	return q->wptr;
}

static void test_overlap(uint32_t n, uint32_t m)
{
	union anpu_packet a = front(n), b = behind(m);
	uint64_t errors = tq_errors(q), kernels = load64(&q->st->kernels), seq = both(&a, &b);
	bool early = true, waited = true;
	uint64_t first = ~0ULL;

	ok(tq_wait(q, seq), "%u blocks and %u behind them, which they wait for", n, m);
	is(tq_errors(q), errors, "  without failure");
	is(load64(&q->st->kernels), kernels + 2, "  both are counted");
	is(word(DONE), m, "  all blocks have run once");
	/* the front waits for one block of those behind it, which need not be their first */
	for (uint32_t i = 0; i < m; i++)
		first = word(BEHIND + i) < first ? word(BEHIND + i) : first;
	for (uint32_t f = 0; f < n; f++)
		early &= first < word(FRONT_END + f);
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t f = 0; f < n; f++)
			waited &= word(AFTER + i) >= word(FRONT_END + f);
	ok(early, "  the second has begun before the first was over");
	ok(waited, "  and its GRIDWAIT has ended behind the first");
}

/* The second one is over long before the first, and completes behind it. */
static void test_over_first(void)
{
	union anpu_packet a = front(2), b = launch(PROGRAM(d, { FAKE_INC, 0, at(GO) }), 2, ANPU_LAUNCH_OVERLAP),
			  c = launch(PROGRAM(d, { FAKE_CLOCK, 0, at(AFTER) }), 1, 0);
	uint64_t seq;

	fresh();
	tq_push(q, &a);
	tq_push(q, &b);
	seq = tq_push(q, &c);
	tq_ring(q);
	ok(tq_wait(q, seq), "one that is over before the one in front");
	ok(word(AFTER) >= word(FRONT_END) && word(AFTER) >= word(FRONT_END + 1), "  packets complete in order");
}

/* Neither without the flag, nor if not all blocks have triggered, nor in a queue that halts. */
static void test_not_early(void)
{
	uint64_t slow = PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_BURN, 0, 3000000 }, { FAKE_CLOCK, 0, at(FRONT_END) });
	uint64_t shy = PROGRAM(d, { FAKE_BURN, 0, 3000000 }, { FAKE_CLOCK, 0, at(FRONT_END) });
	union anpu_packet a = launch(slow, 1, 0), b = behind(1), c = p_kernel(b.kernel.entry, 1);
	struct tq *halts, *other = q;

	of(&b)->flags = 0;
	tq_wait(q, both(&a, &b));
	ok(word(BEHIND) >= word(FRONT_END), "without the flag it waits");
	tq_wait(q, both(&a, &c));
	ok(word(BEHIND) >= word(FRONT_END), "so does a kernel without a launch");
	b = behind(1);
	a = launch(shy, 1, 0);
	tq_wait(q, both(&a, &b));
	ok(word(BEHIND) >= word(FRONT_END), "without TRIGGER it waits");
	halts = tq_started(d, 9, 0, ANPU_QUEUE_STOP_ON_FAILURE);
	q = halts;
	a = launch(slow, 2, 0);
	tq_wait(q, both(&a, &b));
	ok(word(BEHIND) >= word(FRONT_END), "in a queue that halts on failure, too");
	q = other;
	tq_stop(halts);
	tq_free(halts);
}

static void test_failures(void)
{
	union anpu_packet a = launch(PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_UNTIL, 0, at(GO) },
					     { FAKE_ILLEGAL, 0, 0 }), 1, 0);
	union anpu_packet b = behind(2), bad;
	uint64_t errors = tq_errors(q), seq = both(&a, &b);

	ok(tq_wait(q, seq), "the first one fails");
	is(tq_errors(q), errors + 1, "  it alone");
	is(tq_last_fault(q)->seq, seq - 1, "  as itself");
	is(word(DONE), 2, "  the second has run");
	a = front(2);
	bad = launch(PROGRAM(d, { FAKE_INC, 0, at(GO) }, { FAKE_ILLEGAL, 1, 0 }), 2, ANPU_LAUNCH_OVERLAP);
	seq = both(&a, &bad);
	ok(tq_wait(q, seq), "the second one fails early");
	is(tq_errors(q), errors + 2, "  it alone");
	is(tq_last_fault(q)->seq, seq, "  as itself");
	is(tq_last_fault(q)->block, 1, "  in its block");
	is(tq_last_fault(q)->entry, bad.kernel.entry, "  with its entry");
	ok(tq_last_fault(q)->time_ns >= word(FRONT_END), "  told behind the first");
	bad.kernel.grid_y = 0;
	a = launch(PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_BURN, 0, 100000 }), 1, 0);
	seq = both(&a, &bad);
	ok(tq_wait(q, seq) && tq_last_fault(q)->cause == ANPU_FAULT_BAD_PACKET && tq_last_fault(q)->seq == seq,
	   "one that is refused is refused in its turn");
}

static bool obeyed(enum anpu_queue_cmd cmd, uint32_t arg)
{
	uint64_t before = load64(&q->st->commands);

	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(cmd, q->id, arg));
	return eventually(load64(&q->st->commands) == before + 1);
}

/* Both run: the first for ever, the second waits for it or spins. */
static uint64_t run_both(bool waits)
{
	union anpu_packet a = launch(PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_SYNCALL, 0, 0 }, { FAKE_FOREVER, 0, 0 }), 2, 0);
	union anpu_packet b = waits ? behind(3) : launch(PROGRAM(d, { FAKE_INC, 0, at(GO) }, { FAKE_FOREVER, 0, 0 }), 3,
							 ANPU_LAUNCH_OVERLAP);
	uint64_t seq = both(&a, &b);

	eventually(word(GO) == 3);
	return seq;
}

static void test_end_task(void)
{
	uint64_t seq = run_both(true);

	ok(obeyed(ANPU_QUEUE_END_TASK, (uint32_t)seq), "END_TASK of one that has begun early");
	is(load64(&q->st->completed), seq - 2, "  ends nothing, as it is not in hand");
	ok(obeyed(ANPU_QUEUE_END_TASK, (uint32_t)seq - 1) && tq_wait(q, seq), "END_TASK of the first");
	is(tq_last_fault(q)->seq, seq - 1, "  ends that");
	is(tq_last_fault(q)->cause, ANPU_FAULT_ENDED, "  alone");
	is(word(DONE), 3, "  the second goes on");
	if (deterministic)
		return;
	seq = run_both(false);
	ok(obeyed(ANPU_QUEUE_END_TASK, (uint32_t)seq - 1) && tq_wait(q, seq - 1), "both run, END_TASK of each");
	eventually(load64(&q->st->started) == seq);
	ok(obeyed(ANPU_QUEUE_END_TASK, (uint32_t)seq) && tq_wait(q, seq), "  in turn");
	is(tq_last_fault(q)->seq, seq, "  ends each");
}

static void test_kill(bool waits)
{
	union anpu_packet nop = p_nop();
	uint64_t seq = run_both(waits);

	ok(obeyed(ANPU_QUEUE_ABORT, 0), "ABORT of both");
	is(load64(&q->st->completed), seq, "  drops them");
	tq_run(q, &nop);
	seq = run_both(waits);
	tq_stop(q);
	ok(true, "STOP of both");
	tq_start(q);
	tq_run(q, &nop);
	seq = run_both(waits);
	tq_command(q, ANPU_QUEUE_HALT);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "HALT of both");
	is(load64(&q->st->completed), seq - 1, "  behind the first");
	tq_command(q, ANPU_QUEUE_RESUME);
	ok(tq_wait(q, seq), "  RESUME goes on");
	is(tq_last_fault(q)->seq, seq, "  the second has failed");
	is(tq_last_fault(q)->cause, ANPU_FAULT_KILLED, "  because it was ended");
	is(word(GO), 3, "  and does not run again");
	is(word(DONE), 0, "  and did not go on");
}

/* A limit counts from when the first one is over. */
static void test_limit(void)
{
	union anpu_packet a = launch(PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_BURN, 0, 300000000 }), 2, 0), b = behind(2);
	uint64_t errors = tq_errors(q);

	b.kernel.timeout_us = 200000;
	ok(tq_wait(q, both(&a, &b)) && tq_errors(q) == errors, "what waits for the one in front has its whole time behind it");
	b = launch(PROGRAM(d, { FAKE_INC, 0, at(GO) }, { FAKE_FOREVER, 0, 0 }), 1, ANPU_LAUNCH_OVERLAP);
	b.kernel.timeout_us = 2000;
	ok(tq_wait(q, both(&a, &b)) && tq_last_fault(q)->cause == ANPU_FAULT_TIMEOUT, "and has a limit");
}

/* Another queue sees the word while the kernel runs, which waits for what that queue does then. */
static void word_opens(unsigned int which, uint32_t flags, uint64_t program, uint32_t blocks, const char *what)
{
	struct tq *other = tq_started(d, 11, 0, 0);
	union anpu_packet a = launch(program, blocks, flags), wait = p_wait(at(which), 7, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER),
			  go = p_signal(at(GO), 1, ANPU_SEM_SET);

	fresh();
	if (which == BEGUN) {
		of(&a)->begun = at(BEGUN);
		of(&a)->begun_value = 7;
	} else {
		of(&a)->triggered = at(TRIGGERED);
		of(&a)->triggered_value = 7;
	}
	tq_push(other, &wait);
	tq_push(other, &go);
	tq_ring(other);
	tq_push(q, &a);
	tq_ring(q);
	ok(tq_wait(q, q->wptr) && tq_wait(other, other->wptr), "%s", what);
	tq_stop(other);
	tq_free(other);
}

static void test_words(void)
{
	uint64_t until = PROGRAM(d, { FAKE_UNTIL, 0, at(GO) });
	uint64_t triggers = PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_UNTIL, 0, at(GO) });
	union anpu_packet a;

	if (!deterministic) {
		word_opens(BEGUN, 0, until, 1, "a word tells that the block has begun");
		word_opens(BEGUN, 0, until, 4, "that all have begun");
		word_opens(TRIGGERED, 0, triggers, 1, "that it has triggered");
		word_opens(TRIGGERED, 0, triggers, 4, "that all have");
		word_opens(TRIGGERED, ANPU_LAUNCH_TRIGGER_AT_START, until, 4, "each has when it begins, if asked for");
	}
	fresh();
	a = launch(PROGRAM(d, { FAKE_ILLEGAL, 0, 0 }), 10, 0);
	of(&a)->begun = at(BEGUN);
	of(&a)->begun_value = 5;
	of(&a)->triggered = at(TRIGGERED);
	of(&a)->triggered_value = 6;
	tq_run(q, &a);
	ok(word(BEGUN) == 5 && word(TRIGGERED) == 6, "a kernel that fails writes both words");
	fresh();
	of(&a)->block_x = 0;
	tq_run(q, &a);
	ok(word(BEGUN) == 5 && word(TRIGGERED) == 6, "so does one that is refused");
	a = launch(PROGRAM(d, { FAKE_INC, 0, at(DONE) }), 2, 0);
	of(&a)->triggered = 1ULL << 40;
	tq_fails(q, &a, ANPU_FAULT_UNMAPPED, "", "a word that is not there fails the kernel");
}

static void test_chain(void)
{
	uint64_t links = PROGRAM(d, { FAKE_TRIGGER, 0, 0 }, { FAKE_BURN, 0, 20000 }, { FAKE_GRIDWAIT, 0, 0 },
				 { FAKE_INC, 0, at(DONE) });
	uint64_t errors = tq_errors(q);

	fresh();
	for (int i = 0; i < 300; i++) {
		union anpu_packet p = launch(links, i % 3 ? 2 : 1, ANPU_LAUNCH_OVERLAP);

		tq_push(q, &p);
		tq_ring(q);
		if (i % 200 == 199)
			tq_wait(q, q->wptr);
	}
	ok(tq_wait(q, q->wptr) && tq_errors(q) == errors, "a chain of 300");
	is(word(DONE), 500, "  all blocks of all have run once");
}

static void all(void)
{
	struct anpu_config cfg = config_small();

	cfg.deterministic = deterministic;
	if (deterministic)
		cfg.threads = 1;
	d = dev_new(&cfg);
	mem = hbm_alloc(d, 8 * WORDS, 8);
	q = tq_started(d, 3, 0, 0);
	test_overlap(1, 1);
	test_overlap(1, 3);
	test_overlap(4, 1);
	test_overlap(3, 4);
	test_over_first();
	test_not_early();
	test_failures();
	test_words();
	test_chain();
	test_end_task();
	test_limit();
	test_kill(true);
	if (!deterministic)
		test_kill(false);
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	all();
	deterministic = true;
	all();
	return done_testing();
}
