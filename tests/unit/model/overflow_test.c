// SPDX-License-Identifier: MIT
/* The overflow table: what kernels note, where, and when; flags and tables that are refused. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define VA	0x7f0000000000ULL
#define CODE	0x200000000ULL

static struct dev *d;
static struct anpu_overflow *table;

/* The first two pages of the table are mapped, 128 entries */
static struct tq *queue_with_table(unsigned int id)
{
	struct tq *q = tq_new(d, id, 6);

	if (!table) {
		uint64_t at = hbm_alloc(d, 8192, 4096);

		table = hbm_ptr(d, at);
		as_map(d, 1, VA, 8192, at, PTE_RW, ANPU_PAGE_4K);
		as_map(d, 1, CODE, 2 << 20, 0, PTE_RX, ANPU_PAGE_2M);
	}
	tq_context(q)->asid = 1;
	tq_context(q)->overflow = VA;
	tq_start(q);
	return q;
}

static union anpu_packet noting(uint64_t program, unsigned int entry)
{
	union anpu_packet p = p_kernel(CODE + program, 1);

	p.hdr.flags = ANPU_KERNEL_OVERFLOW | ANPU_KERNEL_OVERFLOW_ENTRY(entry);
	return p;
}

static void test_notes(struct tq *q, struct tq *other)
{
	union anpu_packet p = noting(PROGRAM(d, { FAKE_OVERFLOW, ANPU_OVERFLOW_INVALID, 0 }), 0);

	memset(table, 0, 8192);
	memset(table[1].reserved, 0x5a, sizeof(table[1].reserved));
	tq_run(q, &p);
	is(table[0].status, ANPU_OVERFLOW_INVALID, "a kernel notes");
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, ANPU_OVERFLOW_INFINITE, 0 }), 0);
	p.kernel.grid_x = 5;
	tq_run(other, &p);
	is(table[0].status, ANPU_OVERFLOW_INVALID | ANPU_OVERFLOW_INFINITE, "what another queue's adds to");
	p = noting(PROGRAM(d, { FAKE_END, 0, 0 }), 0);
	tq_run(q, &p);
	is(table[0].status, 3, "and one without overflows leaves");
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, 1, 0 }), 127);
	tq_run(q, &p);
	is(table[127].status, 1, "the last entry that is mapped");
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, 2, 0 }), 1);
	tq_run(q, &p);
	ok(table[1].status == 2 && table[1].reserved[0] == 0x5a5a5a5a && !table[2].status,
	   "an entry's status alone is touched");
}

static void test_nothing(struct tq *q)
{
	union anpu_packet p = p_kernel(CODE + PROGRAM(d, { FAKE_OVERFLOW, 3, 0 }), 1);

	memset(table, 0, 8192);
	tq_run(q, &p);
	is(table[0].status, 0, "without the flag nothing is noted");
	is(tq_errors(q), 0, "no kernel has failed");
}

/* A block notes when its slice ends, also if it fails then or is killed */
static void test_failures(struct tq *q)
{
	union anpu_packet p = noting(PROGRAM(d, { FAKE_OVERFLOW, 1, 0 }, { FAKE_ILLEGAL, 0xffffffff, 0 }), 3);

	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "", "a kernel that fails");
	is(table[3].status, 1, "has noted before");
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, 2, 0 }, { FAKE_FOREVER, 0, 0 }), 4);
	p.kernel.timeout_us = ANPU_TIMEOUT_NEVER;
	tq_push(q, &p);
	tq_ring(q);
	ok(eventually(__atomic_load_n(&table[4].status, __ATOMIC_ACQUIRE) == 2), "one that runs notes meanwhile");
	tq_stop(q);
}

static void test_unreachable(struct tq *q)
{
	union anpu_packet p = noting(PROGRAM(d, { FAKE_OVERFLOW, 1, 0 }), 128);

	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "OVERFLOW: the overflow table 0x7f0000000000: ",
		 "an entry that is not mapped");
	is(tq_last_fault(q)->addr, VA + 8192, "  at its address");
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, 1, 0 }, { FAKE_ILLEGAL, 0xffffffff, 0 }), 255);
	tq_fails(q, &p, ANPU_FAULT_ILLEGAL, "", "an operator's own failure comes first");
	p = noting(PROGRAM(d, { FAKE_END, 0, 0 }), 128);
	tq_run(q, &p);
	is(tq_errors(q), 2, "who has nothing to note needs no entry");
	as_map(d, 1, VA, 4096, hbm_alloc(d, 4096, 4096), ANPU_PTE_READ, ANPU_PAGE_4K);
	invalidate(d, 1);
	p = noting(PROGRAM(d, { FAKE_OVERFLOW, 1, 0 }), 0);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "OVERFLOW", "an entry that may not be written");
}

static void test_refused(void)
{
	union anpu_packet p = noting(PROGRAM(d, { FAKE_END, 0, 0 }), 0);
	struct tq *q = tq_new(d, 3, 6);

	tq_context(q)->asid = 1;
	tq_start(q);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "no overflow table", "a queue without a table");
	p.hdr.flags = ANPU_KERNEL_OVERFLOW_ENTRY(7);
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "entry 7 of the overflow table", "an entry without the flag");
	p.hdr.flags = 1 << 5;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "flags 0x20", "a flag that does not exist");
	tq_free(q);
}

static void test_hidden(void)
{
	struct anpu_config c = config_small();
	union anpu_packet p;
	struct dev *old;
	struct tq *q;

	c.hide_caps = ANPU_CAP_OVERFLOW;
	old = dev_new(&c);
	q = tq_started(old, 1, 0, 0);
	is(reg(old, ANPU_REG_CAPS) & ANPU_CAP_OVERFLOW, 0, "an older device does not say it has it");
	p = p_kernel(PROGRAM(old, { FAKE_END, 0, 0 }), 1);
	p.hdr.flags = ANPU_KERNEL_OVERFLOW;
	tq_fails(q, &p, ANPU_FAULT_BAD_PACKET, "flags 0x8, only 0x17 are defined", "and refuses the flag");
	tq_free(q);
	q = tq_new(old, 2, 6);
	tq_context(q)->overflow = VA;
	tq_command(q, ANPU_QUEUE_START);
	ok(tq_wait_state(q, ANPU_QUEUE_REFUSED), "and the table");
	tq_stop(q);
	tq_free(q);
	dev_free(old);
}

int main(void)
{
	struct tq *q, *other;

	d = dev_default();
	q = queue_with_table(1);
	other = queue_with_table(2);
	test_notes(q, other);
	test_nothing(q);
	test_unreachable(q);
	test_refused();
	as_map(d, 1, VA, 4096, hbm_alloc(d, 4096, 4096), PTE_RW, ANPU_PAGE_4K);
	invalidate(d, 1);
	tq_free(other);
	table = NULL;
	other = queue_with_table(4);
	test_failures(other);
	tq_free(other);
	tq_free(q);
	dev_free(d);
	test_hidden();
	return done_testing();
}
