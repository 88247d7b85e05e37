// SPDX-License-Identifier: MIT
/*
 * Two users share one worker. The first leaves data in the AI core and in the worker, and no byte of it may reach
 * the second one: neither through registers and scratchpads that the second has not written, nor in fault records,
 * printed text or other memory that the device writes for the second.
 */
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "rig.h"

#define SPY_ASID	2
#define SPY_EQ		1
/* as text it is what an assert may say; no byte of it is in any address or number of the test */
#define PATTERN		0x7e5f7e5f7e5f7e5fULL
#define SPY_BYTES	(2u << 20)

struct tenants {
	struct dev *d;
	struct tq *victim, *spy;
	struct teq *events;
	union anpu_packet poison, endless;
	uint64_t text, spied, print;
	uint64_t from;			/* HBM from here on is the spy's */
};

/* The spy's address space has the same operators, and what was allocated since. */
static void map_spy(struct tenants *t)
{
	struct dev *d = t->d;
	uint64_t from = t->from & ~(ANPU_PAGE_2M - 1);

	for (uint64_t at = 0; at < 1 << 20; at += ANPU_PAGE_4K) {
		uint64_t pte = *as_entry(d, ASID, CODE_VA + at, 3);

		if (pte & ANPU_PTE_VALID)
			as_map(d, SPY_ASID, CODE_VA + at, ANPU_PAGE_4K, pte & ANPU_PTE_ADDR, PTE_RX,
			       ANPU_PAGE_4K);
	}
	as_map(d, SPY_ASID, va(from), d->hbm_size - from, from, PTE_RW, ANPU_PAGE_2M);
}

static union anpu_packet poisoner(struct tenants *t, uint64_t text_bytes)
{
	return KERNEL(t->d, "poison", 1, va(t->text), text_bytes, PATTERN);
}

static void begin(struct tenants *t)
{
	struct anpu_config c = config_small();
	struct anpu_print_buffer *b;

	c.threads = 1;
	t->d = rig_new(&c);
	t->victim = rig_queue(t->d, 1, 0);
	t->text = rig_alloc(t->d, 4096);
	memset(hbm_ptr(t->d, t->text), 0x7e, 4096);
	for (unsigned int i = 0; i < 4096; i += 8)
		store64(hbm_ptr(t->d, t->text + i), PATTERN);
	as_clear(t->d, SPY_ASID);
	t->poison = poisoner(t, 126);
	t->endless = poisoner(t, 0);
	t->endless.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	t->from = hbm_alloc(t->d, 8, ANPU_PAGE_2M);
	map_spy(t);
	t->events = teq_new(t->d, SPY_EQ, 8);
	t->print = rig_alloc(t->d, 4096 + (64 << 10));
	b = hbm_ptr(t->d, t->print);
	b->ring = va(t->print + 4096);
	b->size = 64 << 10;
	t->spied = rig_alloc(t->d, SPY_BYTES);
	t->spy = tq_new(t->d, 2, 8);
	tq_context(t->spy)->asid = SPY_ASID;
	tq_context(t->spy)->event_queue = SPY_EQ;
	tq_context(t->spy)->print = va(t->print);
	tq_start(t->spy);
}

static void end(struct tenants *t)
{
	tq_free(t->victim);
	tq_free(t->spy);
	teq_free(t->events);
	rig_free(t->d);
}

/* Runs the first user's operator once more. */
static void poison(struct tenants *t)
{
	tq_run(t->victim, &t->poison);
	if (tq_last_fault(t->victim)->cause != ANPU_FAULT_ASSERT ||
	    memcmp(tq_last_fault(t->victim)->message, "_~_~_~_~", 8))
		die("the first user's operator ended with '%s'", tq_last_fault(t->victim)->message);
}

/* Counts the places outside of the first user's memory at which four bytes of the pattern stand, in any order. */
static unsigned int count_leaks(struct tenants *t)
{
	const uint8_t *p = hbm_ptr(t->d, t->from), *end = hbm_ptr(t->d, t->d->hbm_next);
	unsigned int n = 0;

	for (; p + 4 <= end; p++) {
		if ((p[0] != 0x7e && p[0] != 0x5f) || memcmp(p, p + 2, 2) || (p[0] ^ p[1]) != (0x7e ^ 0x5f))
			continue;
		if (!n++)
			printf("# 0x%02x%02x at %llu of the status page, %llu of what was spied\n", p[0],
			       p[1], (unsigned long long)(p - (uint8_t *)t->spy->st),
			       (unsigned long long)(p - (uint8_t *)hbm_ptr(t->d, t->spied)));
	}
	return n;
}

/* An operator that has written nothing copies all that it can read; the stack is the last part of it. */
static void spy(struct tenants *t, const char *when)
{
	static const uint64_t csrs[] = { 0, ~0ULL, ~0ULL };
	static const uint64_t zeros[1024];
	union anpu_packet p = KERNEL(t->d, "spy_memory", 1, va(t->spied));
	const uint64_t *got = hbm_ptr(t->d, t->spied);
	uint64_t scratch = ANPU_UB_SIZE + ANPU_L1_SIZE + ANPU_L0A_SIZE + ANPU_L0B_SIZE +
			   ANPU_L0C_SIZE + ANPU_BT_SIZE + ANPU_FB_SIZE;
	bool good;

	memset(hbm_ptr(t->d, t->spied), 0xee, SPY_BYTES);
	tq_run(t->spy, &p);
	good = !memcmp(got, csrs, sizeof(csrs)) && !memcmp(got + 3, zeros, 9 * 8);
	ok(good && !tq_errors(t->spy), "CSRs are as in a new core, %s", when);
	good = true;
	for (uint64_t i = 0; i < scratch / 8; i += 1024)
		good = good && !memcmp(got + 12 + i, zeros, sizeof(zeros));
	ok(good, "all scratchpads are zero, %s", when);

	p = KERNEL(t->d, "spy_registers", 1, va(t->spied));
	tq_run(t->spy, &p);
	good = !memcmp(got + 32, zeros, 32 * 8);
	for (unsigned int r = 1; r < 32; r++)
		good = good && got[r] != PATTERN;
	ok(good, "so are the registers, %s", when);
	is(count_leaks(t), 0, "  nothing of the first user anywhere");
}

static void test_cores(void)
{
	struct tenants t;

	begin(&t);
	poison(&t);
	spy(&t, "after a kernel");

	/* the job is suspended, with its registers and scratchpads, while the second user's packets run */
	tq_push(t.victim, &t.endless);
	tq_ring(t.victim);
	eventually(load64(&t.victim->st->started) == 2);
	sleep_us(5000);
	spy(&t, "beside one that was set aside");
	tq_command(t.victim, ANPU_QUEUE_ABORT);
	tq_wait(t.victim, 2);
	spy(&t, "after it was killed");
	end(&t);
}

/* The record of a failure holds data of this failure only. */
static bool record_is_clean(const struct anpu_fault *f)
{
	static const uint64_t zeros[32];
	static const char nothing[sizeof(f->message)];
	size_t len = strnlen(f->message, sizeof(f->message));

	if (len == sizeof(f->message) || memcmp(f->message + len, nothing, sizeof(f->message) - len) ||
	    f->reserved0 || (f->opcode != ANPU_OP_KERNEL && (f->args || f->args_size)) ||
	    memcmp(f->reserved, zeros, sizeof(f->reserved)))
		return false;
	return f->block != ANPU_FAULT_NO_BLOCK ||
	       !(memcmp(f->x, zeros, sizeof(f->x)) || f->pc || f->insn || f->core || f->sub_block);
}

/* Right after the first user's operator has failed, a packet of the second user fails. */
static void fails_clean(struct tenants *t, const union anpu_packet *p, uint32_t cause, const char *what)
{
	const struct anpu_fault *f;

	poison(t);
	tq_run(t->spy, p);
	f = tq_last_fault(t->spy);
	ok(f && f->cause == cause && record_is_clean(f) && !count_leaks(t), "%s", what);
	if (f)
		printf("# cause %u: '%s'\n", f->cause, f->message);
}

static void test_records(void)
{
	uint64_t wild = 0x600000000000ULL;
	struct tenants t;
	union anpu_packet p;

	begin(&t);
	p = KERNEL(t.d, "forever", 1, 0);
	p.kernel.dyn_scratch = ANPU_UB_SIZE + 32;
	fails_clean(&t, &p, ANPU_FAULT_BAD_PACKET, "a kernel that the core refuses");
	p.kernel.dyn_scratch = 0;
	p.kernel.priority = 200;
	fails_clean(&t, &p, ANPU_FAULT_BAD_PACKET, "a kernel that the scheduler refuses");
	p.kernel.priority = 0;
	p.kernel.timeout_us = 1000;
	fails_clean(&t, &p, ANPU_FAULT_TIMEOUT, "a time limit");
	p.kernel.entry = wild;
	fails_clean(&t, &p, ANPU_FAULT_FETCH, "an entry that is not mapped");
	p = KERNEL(t.d, "wait_only", 1, 7);
	fails_clean(&t, &p, ANPU_FAULT_DEADLOCK, "a deadlock");
	p = KERNEL(t.d, "wait_only", 3, 7);
	fails_clean(&t, &p, ANPU_FAULT_DEADLOCK, "a deadlock of three blocks");
	p = KERNEL(t.d, "mark", 1, wild);
	fails_clean(&t, &p, ANPU_FAULT_UNMAPPED, "a store");
	p = KERNEL(t.d, "long_copy", 1, wild, 1);
	fails_clean(&t, &p, ANPU_FAULT_UNMAPPED, "a tile operation");
	p = KERNEL(t.d, "set_often", 2, 100);
	fails_clean(&t, &p, ANPU_FAULT_SYNC, "a flag");
	p = p_copy(wild, va(t.spied), 8);
	fails_clean(&t, &p, ANPU_FAULT_UNMAPPED, "a copy");
	p = p_wait(va(t.spied), 1, ANPU_SEM_GT, 0);
	store64(hbm_ptr(t.d, t.spied), 0);
	fails_clean(&t, &p, ANPU_FAULT_WAIT_TIMEOUT, "a wait");
	p = p_indirect(va(t.spied), 0);
	fails_clean(&t, &p, ANPU_FAULT_BAD_PACKET, "a refused INDIRECT");
	p = p_indirect(wild, 1);
	fails_clean(&t, &p, ANPU_FAULT_UNMAPPED, "an INDIRECT that cannot be read");
	p = p_timestamp(va(t.spied) + 1);
	fails_clean(&t, &p, ANPU_FAULT_MISALIGNED, "a misaligned time stamp");
	p.hdr.opcode = 77;
	fails_clean(&t, &p, ANPU_FAULT_BAD_OPCODE, "an unknown opcode");

	/* what belongs to no packet */
	poison(&t);
	tq_command(t.spy, ANPU_QUEUE_HALT);
	tq_wait_state(t.spy, ANPU_QUEUE_HALTED);
	ok(record_is_clean(tq_last_fault(t.spy)) && !count_leaks(&t), "a HALT");
	tq_stop(t.spy);
	tq_context(t.spy)->ring_log2 = 99;
	poison(&t);
	tq_command(t.spy, ANPU_QUEUE_START);
	tq_wait_state(t.spy, ANPU_QUEUE_REFUSED);
	ok(record_is_clean(tq_last_fault(t.spy)) && !count_leaks(&t), "a refused START");
	end(&t);
}

/* Everything that a second user is told when all goes well. */
static void test_told(void)
{
	struct tenants t;
	union anpu_packet p;
	struct anpu_event e;

	begin(&t);
	poison(&t);
	p = KERNEL(t.d, "say", 3, 2);
	tq_run(t.spy, &p);
	poison(&t);
	p = p_notify(1, 2);
	tq_run(t.spy, &p);
	ok(teq_wait(t.events, &e) && e.type == ANPU_EVENT_NOTIFY && !e.reserved[0] && !e.reserved[1] &&
	   !e.reserved[2], "an event");
	p = p_signal(va(t.spied), 1, ANPU_SEM_SET);
	p.sem_signal.timestamp = va(t.spied + 8);
	p.hdr.flags = ANPU_SEM_IRQ;
	poison(&t);
	tq_run(t.spy, &p);
	ok(teq_wait(t.events, &e) && e.type == ANPU_EVENT_SIGNAL && !e.reserved[0], "a signal");
	p = p_timestamp(va(t.spied + 16));
	poison(&t);
	tq_run(t.spy, &p);
	is(tq_errors(t.spy), 0, "texts, events, time stamps");
	is(count_leaks(&t), 0, "  have nothing of the first user's");
	end(&t);
}

/* Packets that are nearly right: most are refused, each in another way. */
static union anpu_packet random_packet(struct tenants *t, unsigned int *seed)
{
	union anpu_packet p;
	uint8_t *bytes = (uint8_t *)&p;

	memset(&p, 0, sizeof(p));
	p.hdr.opcode = next_random(seed) % (ANPU_OP_COUNT + 1);
	p.hdr.flags = next_random(seed) % 4 ? 0 : next_random(seed) % 8;
	for (unsigned int i = 8; i < sizeof(p); i += 8) {
		uint64_t values[] = { 0, 1, 4, 8, va(t->spied) + next_random(seed) % 4096,
				      va(t->spied) + next_random(seed) % 4096 / 64 * 64 };

		memcpy(bytes + i, &values[next_random(seed) % 3 ? 0 : next_random(seed) % 6], 8);
	}
	if (p.hdr.opcode == ANPU_OP_KERNEL) {
		p.kernel.timeout_us = 500;
		p.kernel.grid_x = p.kernel.grid_y = p.kernel.grid_z = 1;
		p.kernel.core_type = p.kernel.mix_ratio = 0;
	} else if (p.hdr.opcode == ANPU_OP_SEM_WAIT) {
		p.sem_wait.timeout_us = 0;
	} else if (p.hdr.opcode == ANPU_OP_INDIRECT) {
		/* of packets that are zero */
		p.indirect.addr = va(t->spied + SPY_BYTES / 2);
	}
	return p;
}

static void test_random(void)
{
	unsigned int seed = 7, dirty = 0, failed;
	struct tenants t;

	begin(&t);
	for (unsigned int i = 0; i < 400; i++) {
		union anpu_packet p = random_packet(&t, &seed);
		struct anpu_event e;
		uint64_t before = tq_errors(t.spy);

		poison(&t);
		tq_run(t.spy, &p);
		while (teq_pop(t.events, &e))
			;
		if (tq_errors(t.spy) != before)
			dirty += !record_is_clean(tq_last_fault(t.spy));
	}
	failed = tq_errors(t.spy);
	printf("# %u of 400 packets failed\n", failed);
	ok(failed > 100 && !dirty, "packets at random: no record has anything of another failure");
	is(count_leaks(&t), 0, "  nor has anything else");
	end(&t);
}

int main(void)
{
	test_cores();
	test_records();
	test_told();
	test_random();
	return done_testing();
}
