// SPDX-License-Identifier: MIT
/* Commands that a queue obeys while a packet is executed: END_TASK, PRIORITY, failure modes. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define MIB	(1ULL << 20)
#define VA	(1ULL << 32)

#define ull(x) ((unsigned long long)(x))

static struct dev *d;
static struct tq *q;
static uint64_t counter;	/* of who comes behind */

static void with_arg(struct tq *t, enum anpu_queue_cmd cmd, uint32_t arg)
{
	set_reg(d, ANPU_REG_QUEUE_CMD, ANPU_QUEUE_CMD_ARG(cmd, t->id, arg));
}

static bool obeyed(struct tq *t, enum anpu_queue_cmd cmd, uint32_t arg)
{
	uint64_t before = load64(&t->st->commands);

	with_arg(t, cmd, arg);
	return eventually(load64(&t->st->commands) == before + 1);
}

static union anpu_packet count_one(void)
{
	return p_signal(counter, 1, ANPU_SEM_ADD);
}

static union anpu_packet kernel(uint64_t program, uint32_t blocks)
{
	union anpu_packet p = p_kernel(program, blocks);

	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	return p;
}

static union anpu_packet endless(uint32_t blocks)
{
	return kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), blocks);
}

/* The packet is in execution when the next two wait behind it; it alone ends. */
static void ends(const union anpu_packet *p, const char *what)
{
	uint64_t errors = tq_errors(q), n = load64(hbm_ptr(d, counter)), seq;
	union anpu_packet next = count_one();
	const struct anpu_fault *f;

	seq = tq_push(q, p);
	tq_push(q, &next);
	tq_push(q, &next);
	tq_ring(q);
	eventually(load64(&q->st->started) == seq);
	sleep_us(3000);
	ok(load64(&q->st->completed) == seq - 1 && obeyed(q, ANPU_QUEUE_END_TASK, seq),
	   "END_TASK of %s", what);
	ok(tq_wait(q, seq + 2), "  ends it, and the queue goes on");
	f = tq_last_fault(q);
	is(tq_errors(q), errors + 1, "  it has failed");
	is(f->cause, ANPU_FAULT_ENDED, "  by having been ended");
	is(f->seq, seq, "  as itself");
	ok(f->opcode == p->hdr.opcode || (p->hdr.opcode == ANPU_OP_INDIRECT && f->opcode != ANPU_OP_INVALID),
	   "  with its opcode, or that of a packet of the INDIRECT: %u", f->opcode);
	is(load64(hbm_ptr(d, counter)), n + 2, "  what was behind it has run");
}

static void test_kinds(bool deterministic)
{
	uint64_t word = hbm_alloc(d, 8, 8), list = hbm_alloc(d, 4096, 4096), marks = hbm_alloc(d, 16, 8);
	union anpu_packet *in = hbm_ptr(d, list), p;

	p = endless(1);
	ends(&p, "a kernel of one block");
	p = endless(3);
	ends(&p, "a kernel of three");
	if (!deterministic) {
		p = endless(100);
		ends(&p, "a kernel of more blocks than cores");
	}
	p = p_wait(word, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	ends(&p, "a wait");
	in[0] = p_signal(marks, 1, ANPU_SEM_ADD);
	in[1] = endless(2);
	in[2] = p_signal(marks + 8, 1, ANPU_SEM_ADD);
	p = p_indirect(list, 3);
	ends(&p, "an INDIRECT in a kernel");
	in[1] = p_wait(word, 1, ANPU_SEM_GE, ANPU_TIMEOUT_NEVER);
	ends(&p, "an INDIRECT in a wait");
	in[1] = (union anpu_packet){ .jump = { .hdr = { .opcode = ANPU_OP_JUMP,
							.flags = ANPU_JUMP_ALWAYS }, .target = 1 } };
	for (int i = 0; i < 4; i++)
		ends(&p, "an INDIRECT in a loop");
	is(load64(hbm_ptr(d, marks)), 6, "each has begun once");
	is(load64(hbm_ptr(d, marks + 8)), 0, "and none gone on");
}

#ifndef __SANITIZE_THREAD__		/* several threads write to the same place here */
/* Gigabytes, for which the same 2 MiB stand again and again, take long. */
static void test_copies(void)
{
	uint64_t a = hbm_alloc(d, 2 * MIB, 2 * MIB), b = hbm_alloc(d, 2 * MIB, 2 * MIB), size = 2048 * MIB;
	struct tq *other = q;
	union anpu_packet p;

	for (uint64_t at = 0; at < size; at += 2 * MIB) {
		as_map(d, 1, VA + at, 2 * MIB, a, ANPU_PTE_READ, ANPU_PAGE_2M);
		as_map(d, 1, 64 * VA + at, 2 * MIB, b, PTE_RW, ANPU_PAGE_2M);
	}
	q = tq_started(d, 2, 1, 0);
	as_map(d, 1, counter & ~4095ULL, 4096, counter & ~4095ULL, PTE_RW, ANPU_PAGE_4K);
	p = p_reduce(VA, 64 * VA, size, ANPU_REDUCE_SUM, ANPU_REDUCE_BF16);
	ends(&p, "a reduction");
	p = (union anpu_packet){ .copy_2d = { .hdr.opcode = ANPU_OP_COPY_2D, .src = VA, .dst = 64 * VA,
					      .src_pitch = 1, .dst_pitch = 1, .width = 1,
					      .height = size } };
	ends(&p, "a copy of rows");
	tq_free(q);
	q = other;
}
#endif

/* A kernel that has been set aside: no worker has it, and its AI core is another's. */
static void test_set_aside(void)
{
	struct tq *urgent = tq_started(d, 5, 0, 0);
	union anpu_packet p = endless(1), burn = kernel(PROGRAM(d, { FAKE_FOREVER, 0, 0 }), 4);
	uint64_t seq, first;

	tq_stop(q);
	tq_context(q)->priority = 7;
	tq_start(q);
	for (int blocks = 1; blocks <= 4; blocks += 3) {
		p = endless(blocks);
		seq = tq_push(q, &p);
		tq_ring(q);
		eventually(load64(&q->st->started) == seq);
		first = tq_push(urgent, &burn);
		tq_ring(urgent);
		eventually(load64(&urgent->st->started) == first);
		sleep_us(5000);
		ok(obeyed(q, ANPU_QUEUE_END_TASK, seq) && tq_wait(q, seq),
		   "a kernel of %d blocks that was set aside ends", blocks);
		is(tq_last_fault(q)->cause, ANPU_FAULT_ENDED, "  and is told");
		is(load64(&urgent->st->completed), first - 1, "  the other runs on");
		ok(obeyed(urgent, ANPU_QUEUE_END_TASK, first) && tq_wait(urgent, first), "  until it ends, too");
	}
	is(tq_errors(q), 2, "each once");
	tq_stop(q);
	tq_context(q)->priority = 0;
	tq_start(q);
	tq_free(urgent);
}

/* END_TASK ends no packet that it does not name. */
static void test_others(void)
{
	union anpu_packet nop = p_nop(), p = endless(2);
	uint64_t seq = tq_run(q, &nop), errors = tq_errors(q);

	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq), "a packet that has completed is not ended");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq + 1), "nor one that was not written");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, 0), "nor one with a number that there is not");
	seq = tq_push(q, &p);
	tq_push(q, &nop);
	tq_ring(q);
	eventually(load64(&q->st->started) == seq);
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq - 1), "while another one is executed neither the one before");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq + 1), "nor the one behind");
	is(tq_errors(q), errors, "nothing has failed");
	is(load64(&q->st->completed), seq - 1, "it is executed still");
	tq_command(q, ANPU_QUEUE_REFRESH);
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq - 1), "who is answered at once does not wait for a REFRESH");
	is(load64(&q->st->refresh), 0, "which waits for the packet");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq), "and neither does what ends the packet");
	ok(tq_wait(q, seq + 1) && eventually(load64(&q->st->refresh) >> 1 == 1),
	   "then both are carried out");
	is(tq_errors(q), errors + 1, "the next packet is not hit");
	tq_stop(q);
	with_arg(q, ANPU_QUEUE_END_TASK, 1);
	with_arg(q, ANPU_QUEUE_PRIORITY, 1);
	tq_start(q);
	is(load64(&q->st->commands), 0, "commands to a stopped queue are ignored");
}

/* Commands other than END_TASK neither wait for the end of the packet nor change it. */
static void test_at_once(void)
{
	uint64_t flag = hbm_alloc(d, 8, 8), seq, bad = reg(d, ANPU_REG_BAD_ACCESS);
	union anpu_packet p, nop = p_nop();

	p = kernel(PROGRAM(d, { FAKE_UNTIL, 0, flag }, { FAKE_ILLEGAL, ~0U, 0 }), 2);
	seq = tq_push(q, &p);
	tq_push(q, &p);
	tq_push(q, &nop);
	tq_ring(q);
	eventually(load64(&q->st->started) == seq);
	ok(obeyed(q, ANPU_QUEUE_GO_ON, 0) && obeyed(q, ANPU_QUEUE_HALT_ON_FAILURE, 0) &&
	   obeyed(q, ANPU_QUEUE_PRIORITY, 7), "modes and priority are set while an operator runs");
	is(load64(&q->st->completed), seq - 1, "  which is not disturbed");
	store64(hbm_ptr(d, flag), 1);
	ok(tq_wait_state(q, ANPU_QUEUE_HALTED), "the queue halts at a failure");
	is(load64(&q->st->completed), seq + 1, "  of the packet behind, not of that one");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq + 2) && obeyed(q, ANPU_QUEUE_PRIORITY, 0) &&
	   obeyed(q, ANPU_QUEUE_GO_ON, 0), "a HALTED queue obeys");
	is(tq_state(q), ANPU_QUEUE_HALTED, "  and stays so");
	tq_command(q, ANPU_QUEUE_RESUME);
	ok(tq_wait(q, seq + 2), "  until RESUME");
	store64(hbm_ptr(d, flag), 0);
	seq = tq_push(q, &p);
	tq_push(q, &p);
	tq_push(q, &nop);
	tq_ring(q);
	eventually(load64(&q->st->started) == seq);
	ok(obeyed(q, ANPU_QUEUE_HALT_ON_FAILURE, 0) && obeyed(q, ANPU_QUEUE_GO_ON, 0), "the last mode counts");
	store64(hbm_ptr(d, flag), 1);
	ok(tq_wait(q, seq + 2), "  with which it goes on after a failure");
	with_arg(q, ANPU_QUEUE_PRIORITY, 8);
	with_arg(q, ANPU_QUEUE_GO_ON, 1);
	is(reg(d, ANPU_REG_BAD_ACCESS), bad + 2, "a bad argument is a refused access");
}

/* A task that END_TASK ended counts as a failed packet. */
static void test_halts(void)
{
	union anpu_packet p = endless(3), next = count_one();
	uint64_t n = load64(hbm_ptr(d, counter)), seq;

	obeyed(q, ANPU_QUEUE_HALT_ON_FAILURE, 0);
	seq = tq_push(q, &p);
	tq_push(q, &next);
	tq_ring(q);
	eventually(load64(&q->st->started) == seq);
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq) && tq_wait_state(q, ANPU_QUEUE_HALTED),
	   "with STOP_ON_FAILURE the queue halts");
	is(load64(&q->st->completed), seq, "behind the packet");
	p = p_wait(counter, ~0ULL, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	seq = tq_push(q, &p);
	tq_command(q, ANPU_QUEUE_RESUME);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED) && obeyed(q, ANPU_QUEUE_END_TASK, seq) &&
	   tq_wait_state(q, ANPU_QUEUE_HALTED), "also one that is parked");
	tq_command(q, ANPU_QUEUE_RESUME);
	is(load64(hbm_ptr(d, counter)), n + 1, "RESUME has run what was behind");
	obeyed(q, ANPU_QUEUE_GO_ON, 0);
}

/* Also of a packet that ends so, the time for which it was parked does not count as busy. */
static void test_busy_time(void)
{
	union anpu_packet p = p_wait(counter, ~0ULL, ANPU_SEM_EQ, ANPU_TIMEOUT_NEVER);
	uint64_t busy, begin = now_ns(), parked, later, seq;

	busy = load64(&q->st->busy_ns);
	seq = tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a wait is parked");
	parked = now_ns();
	sleep_us(20000);
	later = now_ns();
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq) && tq_wait(q, seq), "and ended");
	ok(load64(&q->st->busy_ns) - busy <= parked - begin + (now_ns() - later), "it was not busy meanwhile");

	begin = now_ns();
	busy = load64(&q->st->busy_ns);
	p = p_wait(counter, ~0ULL, ANPU_SEM_NE, ANPU_TIMEOUT_NEVER);
	p.sem_wait.value = load64(hbm_ptr(d, counter));
	seq = tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "another one is parked");
	parked = now_ns();
	sleep_us(20000);
	later = now_ns();
	store64(hbm_ptr(d, counter), p.sem_wait.value + 1);
	ok(tq_wait(q, seq), "and gets what it waits for");
	ok(load64(&q->st->busy_ns) - busy <= parked - begin + (now_ns() - later), "it was not busy either");
}

/* A packet that has been executed and waits for room in its event queue is not lost. */
static void test_notify(void)
{
	struct teq *e = teq_new(d, 0, 4);
	union anpu_packet p = p_notify(7, 8);
	struct anpu_event ev;
	uint64_t seq = 0;

	for (int i = 0; i < 13; i++)
		seq = tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a NOTIFY waits for room");
	ok(obeyed(q, ANPU_QUEUE_END_TASK, seq), "it is told to end");
	is(load64(&q->st->completed), seq - 1, "which it does not before there is room");
	for (int i = 0; i < 13; i++)
		if (!teq_wait(e, &ev) || ev.type != ANPU_EVENT_NOTIFY)
			die("event %d has type %u", i, ev.type);
	ok(tq_wait(q, seq) && tq_wait_state(q, ANPU_QUEUE_RUNNING), "all 13 have come");
	teq_free(e);
	set_reg(d, ANPU_REG_EQ_SIZE(0), 0);
}

/* An INDIRECT whose failure waits for room has failed already. */
static void test_failed(void)
{
	uint64_t list = hbm_alloc(d, 4096, 4096), seq = 0;
	union anpu_packet *in = hbm_ptr(d, list), p = p_notify(7, 8);
	struct teq *e = teq_new(d, 0, 4);
	struct tq *other = tq_started(d, 8, 0, ANPU_QUEUE_STOP_ON_FAILURE);
	struct anpu_event ev;

	for (int i = 0; i < 12; i++)
		seq = tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait(q, seq), "an event queue is full");
	in[0] = p_copy(~7ULL, 0, 4);
	in[1] = p_nop();
	p = p_indirect(list, 2);
	tq_push(other, &p);
	tq_ring(other);
	ok(tq_wait_state(other, ANPU_QUEUE_PARKED), "a failure waits for room");
	ok(obeyed(other, ANPU_QUEUE_END_TASK, 1), "its packet is told to end");
	is(tq_errors(other), 1, "it does not fail again");
	while (teq_wait(e, &ev) && ev.type != ANPU_EVENT_FAULT)
		;
	ok(tq_wait_state(other, ANPU_QUEUE_HALTED), "the queue halts");
	is(load64(&other->st->completed), 1, "  behind it");
	is(tq_last_fault(other)->cause, ANPU_FAULT_UNMAPPED, "  with the first failure");
	teq_free(e);
	set_reg(d, ANPU_REG_EQ_SIZE(0), 0);
	tq_stop(other);
	tq_free(other);
}

/* END_TASK at random moments: only the named packets end, each once. */
static void test_race(void)
{
	union anpu_packet p[] = { kernel(PROGRAM(d, { FAKE_BURN, 0, 3000 }), 2), p_nop(),
				  kernel(PROGRAM(d, { FAKE_BURN, 0, 20000 }), 1), p_nop() };
	uint64_t list = hbm_alloc(d, 4096, 4096), seq = 0, hit = 0;

	memcpy(hbm_ptr(d, list), p, sizeof(p));
	p[3] = p_indirect(list, 4);
	for (int i = 0; i < 1000; i++) {
		uint64_t errors = tq_errors(q), named;

		for (int k = 0; k < 4; k++)
			seq = tq_push(q, &p[k]);
		tq_ring(q);
		sleep_us(i % 40);
		named = load64(&q->st->started);
		if (!obeyed(q, ANPU_QUEUE_END_TASK, named) || !tq_wait(q, seq))
			die("END_TASK %d of %llu: %llu of %llu", i, ull(named),
			    ull(load64(&q->st->completed)), ull(seq));
		if (tq_errors(q) == errors)
			continue;
		hit++;
		if (tq_errors(q) != errors + 1 || tq_last_fault(q)->seq != named ||
		    tq_last_fault(q)->cause != ANPU_FAULT_ENDED)
			die("END_TASK of %llu: %llu failures, the last of %llu: %s", ull(named),
			    ull(tq_errors(q) - errors), ull(tq_last_fault(q)->seq),
			    tq_last_fault(q)->message);
	}
	ok(true, "1000 at any moment");
	printf("# %llu have ended a packet\n", ull(hit));
}

/* A worker may let go of the queue for a command that the manager carries out without it. */
static void test_priority_race(void)
{
	uint64_t seq = 0, obeyed_before = load64(&q->st->commands);
	union anpu_packet nop = p_nop();

	for (int i = 0; i < 3000; i++) {
		for (int k = 0; k < 8; k++)
			seq = tq_push(q, &nop);
		tq_ring(q);
		sleep_us(i % 4);
		with_arg(q, ANPU_QUEUE_PRIORITY, i % 8);
		if (!tq_wait(q, seq))
			die("PRIORITY %d: %llu of %llu", i, ull(load64(&q->st->completed)), ull(seq));
	}
	ok(eventually(load64(&q->st->commands) == obeyed_before + 3000), "3000 priorities at any moment");
	obeyed(q, ANPU_QUEUE_PRIORITY, 0);
}

static void all(bool deterministic)
{
	struct anpu_config cfg = config_small();

	cfg.deterministic = deterministic;
	if (deterministic)
		cfg.threads = 1;
	d = dev_new(&cfg);
	counter = hbm_alloc(d, 8, 8);
	q = tq_started(d, 3, 0, 0);
	test_kinds(deterministic);
	test_others();
	test_at_once();
	test_halts();
	test_busy_time();
	test_notify();
	test_failed();
	if (!deterministic)
		test_set_aside();
#ifndef __SANITIZE_THREAD__
	test_copies();
#endif
	test_race();
	test_priority_race();
	tq_free(q);
	dev_free(d);
}

int main(void)
{
	all(false);
	all(true);
	return done_testing();
}
