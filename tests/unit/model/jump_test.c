// SPDX-License-Identifier: MIT
/* JUMP: conditions, tables, loops inside an INDIRECT; what it refuses; that no loop is unstoppable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

#define MAX 64

static struct dev *d;
static struct tq *q;
static uint64_t list_at, words;
static union anpu_packet *list;

static uint64_t *word(unsigned int i)
{
	return hbm_ptr(d, words + 8 * i);
}

static union anpu_packet p_jump(uint16_t flags, uint32_t target)
{
	return (union anpu_packet){ .jump = { .hdr = { .opcode = ANPU_OP_JUMP, .flags = flags },
					      .target = target } };
}

/* If (word i cond value) go on at target */
static union anpu_packet p_if(unsigned int i, uint32_t cond, uint64_t value, uint32_t target)
{
	union anpu_packet p = p_jump(0, target);

	p.jump.addr = words + 8 * i;
	p.jump.value = value;
	p.jump.mask = ~0ULL;
	p.jump.cond = cond;
	p.jump.width = 8;
	return p;
}

static union anpu_packet p_table(unsigned int i, uint64_t table, uint32_t entries)
{
	union anpu_packet p = p_jump(ANPU_JUMP_TABLE, entries);

	p.jump.addr = words + 8 * i;
	p.jump.value = table;
	p.jump.width = 4;
	return p;
}

static union anpu_packet p_add(unsigned int i, uint64_t value)
{
	return p_signal(words + 8 * i, value, ANPU_SEM_ADD);
}

/* Runs the first n packets of the list; returns how many failures that made */
static uint64_t run(uint32_t n)
{
	union anpu_packet p = p_indirect(list_at, n);
	uint64_t errors = tq_errors(q);

	tq_run(q, &p);
	return tq_errors(q) - errors;
}

/* Does [cond of a word] jump? */
static bool jumps(union anpu_packet p, uint64_t value)
{
	*word(0) = value;
	*word(1) = 0;
	p.jump.target = 2;
	list[0] = p;
	list[1] = p_add(1, 1);
	list[2] = p_nop();
	if (run(3))
		return false;
	return !*word(1);
}

static bool cond(uint32_t c, uint64_t value, uint64_t reference, uint32_t width, bool is_signed)
{
	union anpu_packet p = p_if(0, c, reference, 2);

	p.jump.width = width;
	p.hdr.flags = is_signed ? ANPU_JUMP_SIGNED : 0;
	return jumps(p, value);
}

static void test_conditions(void)
{
	static const struct {
		uint32_t cond;
		uint64_t value, reference;
		uint32_t width;
		bool is_signed, jumps;
	} rows[] = {
		{ ANPU_SEM_EQ, 5, 5, 8, false, true },
		{ ANPU_SEM_EQ, 5, 6, 8, false, false },
		{ ANPU_SEM_EQ, 5 | 1ULL << 32, 5, 4, false, true },
		{ ANPU_SEM_NE, 5, 6, 8, false, true },
		{ ANPU_SEM_NE, 5, 5, 8, true, false },
		{ ANPU_SEM_GT, 6, 5, 8, false, true },
		{ ANPU_SEM_GT, 5, 5, 8, false, false },
		{ ANPU_SEM_GT, ~0ULL, 5, 8, false, true },
		{ ANPU_SEM_GT, ~0ULL, 5, 8, true, false },
		{ ANPU_SEM_GT, 5, ~0ULL, 8, true, true },
		{ ANPU_SEM_GT, 5, 0xffffffff, 4, true, true },
		{ ANPU_SEM_GT, 5, 0xffffffff, 8, true, false },
		{ ANPU_SEM_GE, 5, 5, 8, true, true },
		{ ANPU_SEM_GE, 1ULL << 63, 0, 8, true, false },
		{ ANPU_SEM_LT, 1ULL << 63, 0, 8, true, true },
		{ ANPU_SEM_LT, 1ULL << 63, 0, 8, false, false },
		{ ANPU_SEM_LT, 0x80000000, 0, 4, true, true },
		{ ANPU_SEM_LE, 5, 5, 4, true, true },
		{ ANPU_SEM_LE, 6, 5, 4, true, false },
		{ ANPU_SEM_ANY, 6, 2, 8, true, true },
		{ ANPU_SEM_ANY, 4, 2, 8, false, false },
		{ ANPU_SEM_NOR, ~0ULL, 0, 8, false, false },
		{ ANPU_SEM_NOR, 1, 2, 8, false, true },
		{ ANPU_SEM_AFTER, 2, ~0ULL, 8, false, true },
		{ ANPU_SEM_AFTER, ~0ULL, 2, 8, false, false },
	};
	union anpu_packet p;

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(cond(rows[i].cond, rows[i].value, rows[i].reference, rows[i].width,
			rows[i].is_signed) == rows[i].jumps,
		   "condition %u of row %u", rows[i].cond, i);
	p = p_if(0, ANPU_SEM_EQ, 3, 2);
	p.jump.mask = 0xf;
	ok(jumps(p, 0x53), "the mask counts");
	p = p_if(0, ANPU_SEM_LT, words + 8 * 5, 2);
	p.hdr.flags = ANPU_JUMP_MEMORY | ANPU_JUMP_SIGNED;
	*word(5) = 7;
	ok(jumps(p, -3LL) && !jumps(p, 8), "a reference value in memory is read when it executes");
	p.jump.mask = 0xff;
	p.jump.cond = ANPU_SEM_EQ;
	*word(5) = 0x107;
	ok(jumps(p, 0x207), "and masked as the word is");
	ok(jumps(p_jump(ANPU_JUMP_ALWAYS, 2), 0), "ALWAYS jumps");
}

static void test_targets(void)
{
	uint32_t *table = hbm_ptr(d, words + 2048);

	/* a loop that counts to 1000, and an exit to the end of the list */
	*word(0) = 0;
	*word(1) = 0;
	list[0] = p_add(0, 1);
	list[1] = p_if(0, ANPU_SEM_LT, 1000, 0);
	list[2] = p_jump(ANPU_JUMP_ALWAYS, 4);
	list[3] = p_add(1, 1);
	is(run(4), 0, "a target behind the last packet is the end");
	is(*word(0), 1000, "a loop runs until its condition ends it");
	is(*word(1), 0, "and what was jumped over does not run");
	is(load64(&q->st->completed), q->wptr, "all that is one packet of the ring");

	/* a switch of three cases; what lies beyond the table is the last one */
	for (uint32_t i = 0; i < 5; i++) {
		*word(0) = i | 0x100000000ULL; /* only the lower half counts */
		*word(1) = 0;
		list[0] = p_table(0, words + 2048, 3);
		for (unsigned int c = 0; c < 3; c++) {
			table[c] = 1 + 2 * c;
			list[1 + 2 * c] = p_add(1, 10 + c);
			list[2 + 2 * c] = p_jump(ANPU_JUMP_ALWAYS, 7);
		}
		is(run(7), 0, "a table");
		is(*word(1), 10 + (i < 3 ? i : 2), "goes where its entry says");
	}
	/* a packet may change those behind it */
	*word(1) = 0;
	list[0] = p_fill(list_at + 2 * 64 + offsetof(struct anpu_pkt_sem_signal, value), 8, 77, 8);
	list[1] = p_nop();
	list[2] = p_add(1, 1);
	is(run(3), 0, "a list that changes itself");
	is(*word(1), 77, "is read packet by packet");
}

/* The list's first packet fails for this reason, and nothing behind it runs */
static void refused(union anpu_packet p, uint32_t cause, const char *text, const char *what)
{
	*word(1) = 0;
	list[0] = p;
	list[1] = p_add(1, 1);
	list[2] = p_add(1, 1);
	is(run(3), 1, what);
	ok(tq_last_fault(q)->cause == cause && strstr(tq_last_fault(q)->message, text) &&
	   tq_last_fault(q)->ib_index == 0, "%s: %s", what, tq_last_fault(q)->message);
	is(*word(1), 0, "the INDIRECT ends there");
}

static void test_refusals(void)
{
	union anpu_packet good = p_if(0, ANPU_SEM_EQ, 1, 2), table = p_table(0, words + 2048, 2), p;
	uint32_t *entries = hbm_ptr(d, words + 2048);

	tq_fails(q, &good, ANPU_FAULT_BAD_PACKET, "outside", "a JUMP in the ring");
#define REFUSES(from, field, value, cause, text) do { \
	p = from; \
	p.field = value; \
	refused(p, cause, text, #from "." #field " = " #value); \
} while (0)
	REFUSES(good, hdr.flags, 0x10, ANPU_FAULT_BAD_PACKET, "flags");
	REFUSES(good, hdr.flags, ANPU_JUMP_ALWAYS | ANPU_JUMP_SIGNED, ANPU_FAULT_BAD_PACKET, "alone");
	REFUSES(good, hdr.flags, ANPU_JUMP_ALWAYS, ANPU_FAULT_BAD_PACKET, "condition");
	REFUSES(good, hdr.reserved, 1, ANPU_FAULT_BAD_PACKET, "reserved");
	REFUSES(good, jump.reserved0, 1, ANPU_FAULT_BAD_PACKET, "reserved");
	REFUSES(good, jump.reserved[0], 1, ANPU_FAULT_BAD_PACKET, "reserved");
	REFUSES(good, jump.reserved[1], 1ULL << 63, ANPU_FAULT_BAD_PACKET, "reserved");
	REFUSES(good, jump.target, 4, ANPU_FAULT_BAD_PACKET, "target 4");
	REFUSES(good, jump.target, ~0U, ANPU_FAULT_BAD_PACKET, "target");
	REFUSES(good, jump.cond, ANPU_SEM_COND_COUNT, ANPU_FAULT_BAD_PACKET, "condition");
	REFUSES(good, jump.width, 2, ANPU_FAULT_BAD_PACKET, "width");
	REFUSES(good, jump.addr, words + 4, ANPU_FAULT_MISALIGNED, "aligned");
	REFUSES(good, jump.addr, d->hbm_size, ANPU_FAULT_UNMAPPED, "HBM");
	is(tq_last_fault(q)->size, good.jump.width, "with the size of the word");
	REFUSES(good, jump.addr, ~7ULL, ANPU_FAULT_UNMAPPED, "");
	good.hdr.flags = ANPU_JUMP_MEMORY;
	REFUSES(good, jump.value, words + 4, ANPU_FAULT_MISALIGNED, "aligned");
	REFUSES(good, jump.value, d->hbm_size, ANPU_FAULT_UNMAPPED, "HBM");
	good = p_jump(ANPU_JUMP_ALWAYS, 0);
	REFUSES(good, jump.target, 4, ANPU_FAULT_BAD_PACKET, "target 4");
	REFUSES(good, jump.addr, words, ANPU_FAULT_BAD_PACKET, "condition");
	REFUSES(table, jump.target, 0, ANPU_FAULT_BAD_PACKET, "entry");
	REFUSES(table, jump.mask, 1, ANPU_FAULT_BAD_PACKET, "condition");
	REFUSES(table, jump.cond, 1, ANPU_FAULT_BAD_PACKET, "condition");
	REFUSES(table, jump.width, 8, ANPU_FAULT_BAD_PACKET, "width 4");
	REFUSES(table, jump.value, words + 2, ANPU_FAULT_MISALIGNED, "aligned");
	REFUSES(table, jump.value, ~3ULL, ANPU_FAULT_BAD_PACKET, "wrap");
	REFUSES(table, jump.value, d->hbm_size, ANPU_FAULT_UNMAPPED, "HBM");
	*word(0) = 1;
	entries[0] = 1;
	entries[1] = 4;
	refused(table, ANPU_FAULT_BAD_PACKET, "entry 1", "a target in the table beyond the list");
	entries[1] = 3;
	list[0] = table;
	is(run(3), 0, "the end is a target of tables, too");
}

/* While a JUMP reads its word, the mapping of that word is in use: an invalidation is not done before. */
static void test_invalidation(void)
{
	uint64_t pa = hbm_alloc(d, 4096, 4096), va = 0x100000, number, seq;
	union anpu_packet *l = hbm_ptr(d, pa), p = p_indirect(va, 1);
	struct tq *user = tq_started(d, 28, 4, 0);
	bool early = false;

	as_map(d, 4, va, 4096, pa, PTE_RW, 4096);
	as_map(d, 4, va + 4096, 4096, DMA_PLAIN, PTE_RW | ANPU_PTE_SYSTEM, 4096);
	l[0] = p_if(0, ANPU_SEM_EQ, 0, 1);
	l[0].jump.addr = va + 4096;
	atomic_store(&d->map_held, 1);
	seq = tq_push(user, &p);
	tq_ring(user);
	ok(eventually(atomic_load(&d->maps_waiting) == 1), "a JUMP waits for the host to map its word");
	number = reg(d, ANPU_REG_TLB_ISSUED) + 1;
	set_reg(d, ANPU_REG_TLB_INVALIDATE, 4);
	for (int i = 0; i < 1000; i++) {
		early = early || reg(d, ANPU_REG_TLB_DONE) >= number;
		sleep_us(10);
	}
	ok(!early, "an invalidation waits for it");
	atomic_store(&d->map_held, 0);
	ok(eventually(reg(d, ANPU_REG_TLB_DONE) >= number), "and is done afterwards");
	ok(tq_wait(user, seq) && !tq_errors(user), "as the JUMP is");
	tq_free(user);
}

/* Everything in an address space of its own: words that are not mapped, or not readable */
static void test_address_space(void)
{
	uint64_t pa = hbm_alloc(d, 8192, 4096), va = 0x100000;
	union anpu_packet *l = hbm_ptr(d, pa), p;
	struct tq *user = tq_started(d, 21, 3, 0);
	uint64_t *w = hbm_ptr(d, pa + 4096);

	as_map(d, 3, va, 8192, pa, PTE_RW, 4096);
	l[0] = p_signal(va + 4096, 1, ANPU_SEM_ADD);
	l[1] = p_if(0, ANPU_SEM_LT, 50, 0);
	l[1].jump.addr = va + 4096;
	p = p_indirect(va, 2);
	tq_run(user, &p);
	is(*w, 50, "a loop in an address space");
	l[1].jump.addr = words;
	tq_run(user, &p);
	ok(tq_errors(user) == 1 && tq_last_fault(user)->cause == ANPU_FAULT_UNMAPPED &&
	   tq_last_fault(user)->ib_index == 1, "that reaches nothing else");
	tq_free(user);
}

static void forever(struct tq *t)
{
	union anpu_packet p = p_indirect(list_at, 2);

	tq_push(t, &p);
	p = p_nop();
	tq_push(t, &p);
	tq_ring(t);
}

/* The loop runs: its counter moves */
static void spins(void)
{
	uint64_t n = load64(word(3));
	bool moved = eventually(load64(word(3)) > n + 1000);

	ok(moved, "the loop runs");
}

static void test_endless_loops(void)
{
	struct tq *endless = tq_started(d, 22, 0, 0), *others[4];
	union anpu_packet p = p_nop();

	list[0] = p_add(3, 1);
	list[1] = p_jump(ANPU_JUMP_ALWAYS, 0);
	forever(endless);
	spins();
	tq_stop(endless);
	is(endless->st->fault[0].cause, ANPU_FAULT_KILLED, "STOP ends it");
	is(load64(&endless->st->completed), 1, "as one packet");
	tq_free(endless);

	endless = tq_started(d, 22, 0, 0);
	forever(endless);
	spins();
	tq_command(endless, ANPU_QUEUE_ABORT);
	ok(tq_wait(endless, 2), "ABORT ends it and drops the rest");
	tq_run(endless, &p);
	is(load64(&endless->st->completed), 3, "and the queue goes on");

	/* more loops than threads */
	for (unsigned int i = 0; i < 4; i++) {
		others[i] = tq_started(d, 23 + i, 0, 0);
		forever(others[i]);
	}
	spins();
	for (unsigned int i = 0; i < 200; i++)
		tq_run(q, &p);
	ok(true, "queues of the same priority get their turns");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)),
	   "a reset ends all of them");
	for (unsigned int i = 0; i < 4; i++)
		free(others[i]);
	free(endless);
	free(q);
}

int main(void)
{
	d = dev_default();
	q = tq_started(d, 1, 0, 0);
	list_at = hbm_alloc(d, MAX * 64, 64);
	list = hbm_ptr(d, list_at);
	words = hbm_alloc(d, 4096, 4096);
	test_conditions();
	test_targets();
	test_refusals();
	test_invalidation();
	test_address_space();
	test_endless_loops();
	dev_free(d);
	return done_testing();
}
