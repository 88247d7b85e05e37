// SPDX-License-Identifier: MIT
/* Address spaces: page sizes, rights, malformed tables, system memory, invalidation. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define VA	0x7f0000000000ULL	/* a far corner of the address space */

static struct dev *d;
static struct tq *q;

static void setup(void)
{
	d = dev_default();
	q = tq_started(d, 0, 1, 0);
}

static void teardown(void)
{
	tq_free(q);
	dev_free(d);
}

/* A copy of 8 bytes inside space 1 from @va; the target page is mapped at VA + 1 GiB. */
static void reads(uint64_t va, uint64_t want, const char *what)
{
	union anpu_packet p = p_copy(va, VA + (1 << 30), 8);
	uint64_t errors = tq_errors(q);

	tq_run(q, &p);
	ok(tq_errors(q) == errors &&
	   load64(hbm_ptr(d, load64(as_entry(d, 1, VA + (1 << 30), 3)) & ANPU_PTE_ADDR)) == want,
	   "%s", what);
	if (tq_errors(q) != errors)
		printf("# %s\n", tq_last_fault(q)->message);
}

static void read_fails(uint64_t va, uint32_t cause, const char *text, const char *what)
{
	union anpu_packet p = p_copy(va, VA + (1 << 30), 8);

	tq_fails(q, &p, cause, text, what);
	is(tq_last_fault(q)->addr, va, "  at its address");
	is(tq_last_fault(q)->asid, 1, "  in its address space");
}

static void test_pages(void)
{
	uint64_t target, small, mid, big;

	setup();
	target = hbm_alloc(d, 4096, 4096);
	small = hbm_alloc(d, 4096, 4096);
	mid = hbm_alloc(d, ANPU_PAGE_64K, ANPU_PAGE_64K);
	big = hbm_alloc(d, ANPU_PAGE_2M, ANPU_PAGE_2M);
	store64(hbm_ptr(d, small + 0x128), 0x11);
	store64(hbm_ptr(d, mid + 0xff00), 0x22);
	store64(hbm_ptr(d, big + 0x1ffff8), 0x33);
	read_fails(VA, ANPU_FAULT_UNMAPPED, "no page tables", "an address space without tables");
	as_map(d, 1, VA + (1 << 30), 4096, target, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA, 4096, small, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + ANPU_PAGE_64K, ANPU_PAGE_64K, mid, ANPU_PTE_READ, ANPU_PAGE_64K);
	as_map(d, 1, VA + ANPU_PAGE_2M, ANPU_PAGE_2M, big, ANPU_PTE_READ | ANPU_PTE_SOFT,
	       ANPU_PAGE_2M);
	reads(VA + 0x128, 0x11, "a 4 KiB page");
	reads(VA + ANPU_PAGE_64K + 0xff00, 0x22, "a 64 KiB page");
	reads(VA + ANPU_PAGE_2M + 0x1ffff8, 0x33, "a 2 MiB page, with software bits");
	read_fails(VA + 0x1000, ANPU_FAULT_UNMAPPED, "does not map", "a hole in the last level");
	read_fails(VA + (64ULL << 30), ANPU_FAULT_UNMAPPED, "does not map",
		   "a hole in an upper level");
	read_fails(1ULL << 48, ANPU_FAULT_UNMAPPED, "48 bits", "an address beyond 48 bits");
	teardown();
}

/* A copy across pages that are contiguous only in the address space. */
static void test_scattered(void)
{
	enum { N = 64 };
	uint64_t pages, out;
	union anpu_packet p;
	bool good = true;

	setup();
	pages = hbm_alloc(d, N * 8192, 4096);
	out = hbm_alloc(d, N * 4096, 4096);
	for (int i = 0; i < N; i++) {
		as_map(d, 1, VA + i * 4096, 4096, pages + (N - 1 - i) * 8192, ANPU_PTE_READ,
		       ANPU_PAGE_4K);
		memset(hbm_ptr(d, pages + (N - 1 - i) * 8192), i, 4096);
	}
	as_map(d, 1, VA + (1 << 30), N * 4096, out, PTE_RW, ANPU_PAGE_4K);
	p = p_copy(VA + 1, VA + (1 << 30), N * 4096 - 1);
	tq_run(q, &p);
	for (int i = 0; i < N * 4096 - 1; i++)
		good = good && *((uint8_t *)hbm_ptr(d, out) + i) == (i + 1) / 4096;
	ok(good && !tq_errors(q), "a copy over scattered pages");
	*as_entry(d, 1, VA + 40 * 4096, 3) = 0;
	invalidate(d, 1);
	tq_fails(q, &p, ANPU_FAULT_UNMAPPED, "read", "a hole in the middle");
	is(tq_last_fault(q)->addr, VA + 40 * 4096, "  is found exactly");
	teardown();
}

/* A copy that begins in the last page of the HBM and goes on in a page whose entry points behind it */
static void test_end_of_hbm(void)
{
	uint64_t out;
	union anpu_packet p;

	setup();
	out = hbm_alloc(d, 8192, 4096);
	as_map(d, 1, VA, 4096, d->hbm_size - 4096, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + 4096, 4096, d->hbm_size, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + (1 << 30), 8192, out, PTE_RW, ANPU_PAGE_4K);
	p = p_copy(VA, VA + (1 << 30), 4096);
	tq_run(q, &p);
	is(tq_errors(q), 0, "the last page of the HBM");
	invalidate(d, 1);
	p = p_copy(VA, VA + (1 << 30), 8192);
	tq_fails(q, &p, ANPU_FAULT_BAD_PTE, "outside the HBM", "and the page behind it, which continues it");
	is(tq_last_fault(q)->addr, VA + 4096, "  at its first byte");
	teardown();
}

static void test_rights(void)
{
	uint64_t at, entry;
	union anpu_packet p;

	setup();
	at = hbm_alloc(d, 16384, 4096);
	entry = PROGRAM(d, { FAKE_STORE, 0, VA });
	as_map(d, 1, VA, 4096, at, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + 4096, 4096, at + 4096, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA + 8192, 4096, entry & ~4095ULL, ANPU_PTE_EXEC, ANPU_PAGE_4K);
	as_map(d, 1, VA + 12288, 4096, at, 0, ANPU_PAGE_4K);
	p = p_copy(VA + 4096, VA, 8);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "write", "a write to a read-only page");
	is(tq_last_fault(q)->access, ANPU_ACCESS_WRITE, "  says write");
	p = p_copy(VA, VA + 4096, 8);
	tq_run(q, &p);
	is(tq_errors(q), 1, "a read of it is fine");
	p = p_copy(VA + 8192, VA + 4096, 8);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "read", "a read of execute-only code");
	p = p_copy(VA + 12288, VA + 4096, 8);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "nothing", "a page without rights");
	p = p_kernel(VA + 4096, 1);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "fetch", "code on a writable page");
	is(tq_last_fault(q)->block, 0, "  the fault is in block 0");
	p = p_kernel(VA + 8192 + (entry & 4095), 1);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "write", "a kernel that writes a read-only page");
	is(tq_last_fault(q)->entry, VA + 8192 + (entry & 4095), "  names its entry");
	is(tq_last_fault(q)->pc, VA + 8192 + (entry & 4095), "  and pc");
	p = p_signal(VA, 1, ANPU_SEM_ADD);
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "update", "a semaphore on a read-only page");
	p = p_wait(VA, 0, ANPU_SEM_EQ, 0);
	tq_run(q, &p);
	is(tq_errors(q), 6, "waiting there is fine");
	p.hdr.flags = ANPU_SEM_CLEAR;
	tq_fails(q, &p, ANPU_FAULT_PERMISSION, "update", "clearing is not");
	teardown();
}

static void test_malformed(void)
{
	uint64_t at, good[4], *e[4], asid_entry;
	static const uint64_t table_bits[] = { ANPU_PTE_READ, ANPU_PTE_WRITE, ANPU_PTE_EXEC,
		ANPU_PTE_CONT, ANPU_PTE_SYSTEM };

	setup();
	at = hbm_alloc(d, ANPU_PAGE_64K, ANPU_PAGE_64K);
	as_map(d, 1, VA + (1 << 30), 4096, at, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA, 4096, at, ANPU_PTE_READ, ANPU_PAGE_4K);
	for (int l = 0; l < 4; l++) {
		e[l] = as_entry(d, 1, VA, l);
		good[l] = *e[l];
	}
#define TRY(level, value, text, what) do {				\
		store64(e[level], value);				\
		invalidate(d, 1);					\
		read_fails(VA, ANPU_FAULT_BAD_PTE, text, what);		\
		store64(e[level], good[level]);				\
	} while (0)
	for (int bit = 7; bit < 12; bit++)
		for (int l = 0; l < 4; l++)
			TRY(l, good[l] | 1ULL << bit, "reserved", "a reserved bit");
	for (int l = 0; l < 3; l++) {
		for (int i = 0; i < 5; i++)
			TRY(l, good[l] | table_bits[i], "bits of a leaf", "leaf bits in a table entry");
		TRY(l, (good[l] & ~ANPU_PTE_ADDR) | d->hbm_size, "outside", "a table outside");
	}
	TRY(0, at | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, "has none", "a leaf of 512 GiB");
	TRY(1, at | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, "has none", "a leaf of 1 GiB");
	TRY(2, 4096 | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, "aligned",
	    "a misaligned 2 MiB leaf");
	TRY(2, ANPU_PTE_CONT | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, "CONT",
	    "a 2 MiB leaf with CONT");
	TRY(2, d->hbm_size | ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, "outside",
	    "a 2 MiB leaf outside the HBM");
	TRY(3, good[3] & ~ANPU_PTE_LEAF, "not a leaf", "no leaf in the last level");
	TRY(3, (good[3] & ~ANPU_PTE_READ) | ANPU_PTE_WRITE, "not reading", "write without read");
	TRY(3, good[3] | ANPU_PTE_WRITE | ANPU_PTE_EXEC, "execution", "write and execute");
	TRY(3, (good[3] & ~ANPU_PTE_ADDR) | d->hbm_size, "outside", "a leaf outside the HBM");
	TRY(3, (good[3] & ~ANPU_PTE_ADDR) | ANPU_PTE_ADDR, "outside", "the largest address");
	for (uint64_t off = 4096; off < ANPU_PAGE_64K; off *= 2)
		TRY(3, (good[3] + off) | ANPU_PTE_CONT, "out of place", "CONT out of place");
#undef TRY
	invalidate(d, 1);
	reads(VA, 0, "the good tables work");
	asid_entry = load64((uint64_t *)hbm_ptr(d, d->asid_table) + 1);
	store64((uint64_t *)hbm_ptr(d, d->asid_table) + 1, asid_entry | 8);
	invalidate(d, 1);
	read_fails(VA, ANPU_FAULT_BAD_PTE, "malformed", "a malformed entry of the ASID table");
	store64((uint64_t *)hbm_ptr(d, d->asid_table) + 1, d->hbm_size | 1);
	invalidate(d, ANPU_TLB_ALL);
	read_fails(VA, ANPU_FAULT_BAD_PTE, "malformed", "a top table outside the HBM");
	teardown();
}

static void test_system(void)
{
	uint64_t target;
	union anpu_packet p;

	setup();
	target = hbm_alloc(d, 8192, 4096);
	as_map(d, 1, VA + (1 << 30), 8192, target, PTE_RW, ANPU_PAGE_4K);
	store64(d->ram + 0x3008, 0x77);
	as_map(d, 1, VA, 65536, DMA_PLAIN, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	reads(VA + 0x3008, 0x77, "system memory");
	as_map(d, 1, VA + (2 << 20), 2 << 20, DMA_PLAIN + (2 << 20), PTE_RW | ANPU_PTE_SYSTEM,
	       ANPU_PAGE_2M);
	store64(d->ram + (2 << 20) + 0x12340, 0x78);
	reads(VA + (2 << 20) + 0x12340, 0x78, "system memory by a 2 MiB leaf");
	p = p_fill(VA, 65536, 0xab, 1);
	tq_run(q, &p);
	ok(d->ram[0] == 0xab && d->ram[65535] == 0xab && !d->ram[65536], "is written, too");

	as_map(d, 1, VA + (8 << 20), 4 << 20, DMA_TRANSIENT, PTE_RW | ANPU_PTE_SYSTEM,
	       ANPU_PAGE_4K);
	store64(d->ram + 0x5000, 0x79);
	reads(VA + (8 << 20) + 0x5000, 0x79, "behind an IOMMU");
	is(atomic_load(&d->transient), 0, "the mapping is returned");
	/* every second page elsewhere, so that no run is longer than a page */
	for (int i = 0; i < 1024; i += 2)
		as_map(d, 1, VA + (8 << 20) + i * 4096, 4096, DMA_TRANSIENT + (4 << 20) + i * 4096,
		       PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	invalidate(d, 1);
	p = p_fill(VA + (8 << 20), 4 << 20, 0xcd, 1);
	tq_run(q, &p);
	ok(tq_errors(q) == 0 && d->ram[4 << 20] == 0xcd && d->ram[4096] == 0xcd &&
	   atomic_load(&d->transient) == 0, "1024 mappings behind an IOMMU, all returned");
	p = p_wait(VA + (8 << 20) + 4096, 0xcdcdcdcdcdcdcdcd, ANPU_SEM_NE, ANPU_TIMEOUT_NEVER);
	tq_push(q, &p);
	tq_ring(q);
	ok(tq_wait_state(q, ANPU_QUEUE_PARKED), "a semaphore behind an IOMMU");
	is(atomic_load(&d->transient), 0, "is not kept mapped while parked");
	store64(d->ram + 4096, 1);
	ok(tq_wait(q, q->wptr), "but its change is seen");

	as_map(d, 1, VA + (32 << 20), 8192, DMA_HOLE, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	read_fails(VA + (32 << 20), ANPU_FAULT_BUS, "DMA address 0x900000000", "no memory there");
	as_map(d, 1, VA + (33 << 20), 4096, DMA_READONLY, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	store64(d->ram, 0x80);
	reads(VA + (33 << 20), 0x80, "memory the host lets only read");
	p = p_fill(VA + (33 << 20), 8, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_BUS, "write", "is not written");
	as_map(d, 1, VA + (34 << 20), 8192, DMA_PLAIN + RAM_SIZE - 4096,
	       PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	p = p_fill(VA + (34 << 20), 8192, 0, 8);
	tq_fails(q, &p, ANPU_FAULT_BUS, "write", "a run that leaves the memory");
	is(tq_last_fault(q)->addr, VA + (34 << 20) + 4096, "  faults at the first byte outside");
	/* a pointer into a page serves the whole page, so half a page is none */
	as_map(d, 1, VA + (35 << 20), 8192, DMA_SCRAPS, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	read_fails(VA + (35 << 20), ANPU_FAULT_BUS, "no page", "half a page of memory");
	read_fails(VA + (35 << 20) + 3000, ANPU_FAULT_BUS, "no page", "the half that is not there");
	is(atomic_load(&d->transient), 0, "which is given back");

	/* the host takes memory away */
	store64(d->ram + 0x3008, 0x81);
	reads(VA + 0x3008, 0x81, "before the host's invalidation");
	atomic_store(&d->plain_gone, 1);
	uint64_t n = anpu_model_invalidate(d->m);

	ok(eventually(anpu_model_invalidated(d->m, n)), "the host's invalidation gets done");
	is(reg(d, ANPU_REG_TLB_ISSUED), reg(d, ANPU_REG_TLB_DONE), "and does not count");
	read_fails(VA + 0x3008, ANPU_FAULT_BUS, "DMA", "after it");
	teardown();
}

#define MANY	80	/* more mappings than a thread collects before it returns them */

/*
 * An operator behind an IOMMU goes over many pages and back to the first: in the middle all mappings are
 * returned, and the first page must be asked for again, as the host may have given it to somebody else.
 */
static void test_many_transient(void)
{
	struct fake_insn insn[MANY + 2];
	uint64_t code = VA + (2ULL << 30) + (1 << 20), data = VA + (4ULL << 30), entry;
	unsigned int maps;
	union anpu_packet p;

	setup();
	for (unsigned int i = 0; i <= MANY; i++)
		insn[i] = (struct fake_insn){ FAKE_LOAD, 0, data + i % MANY * 4096 };
	insn[MANY + 1] = (struct fake_insn){ FAKE_END, 0, 0 };
	/* every second page elsewhere, so that no run is longer than a page */
	for (unsigned int i = 0; i < MANY; i++)
		as_map(d, 1, data + i * 4096, 4096, DMA_TRANSIENT + (i & 1 ? 4 << 20 : 0) + i * 4096,
		       PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	entry = program(d, insn, MANY + 2);
	as_map(d, 1, code, 8192, entry & ~4095ULL, PTE_RX, ANPU_PAGE_4K);
	invalidate(d, 1);
	maps = atomic_load(&d->maps);
	p = p_kernel(code + entry % 4096, 1);
	tq_run(q, &p);
	is(tq_errors(q), 0, "an operator that uses many pages behind an IOMMU");
	is(atomic_load(&d->maps) - maps, MANY + 1, "  asks for the first one again, as it was returned");
	is(atomic_load(&d->transient), 0, "  and returns all");
	teardown();
}

static void test_numbers(void)
{
	uint64_t n;

	setup();
	n = reg(d, ANPU_REG_TLB_ISSUED);
	is(reg(d, ANPU_REG_TLB_DONE), n, "an idle device is done at once");
	set_reg(d, ANPU_REG_TLB_INVALIDATE, 3);
	set_reg(d, ANPU_REG_TLB_INVALIDATE, ANPU_TLB_ALL);
	is(reg(d, ANPU_REG_TLB_ISSUED), n + 2, "each write takes a number");
	is(reg(d, ANPU_REG_TLB_DONE), n + 2, "and is done");
	teardown();
}

/* Invalidate while copies, a kernel and waits run: after DONE the old page is not touched. */
static atomic_bool stop_churn;

static void *churn(void *arg)
{
	struct tq *t = arg;
	uint64_t mine = VA + t->id * (1ULL << 30);
	union anpu_packet p[3] = { p_copy(VA, mine, 2 << 20),
				   p_fill(VA + (1ULL << 29), 8, 0, 8),
				   p_wait(VA + (1ULL << 29), 0, ANPU_SEM_EQ, 100) };

	for (int i = 0; !atomic_load(&stop_churn); i++) {
		tq_push(t, &p[i % 3]);
		tq_ring(t);
	}
	tq_wait(t, t->wptr);
	return NULL;
}

static void test_concurrent(void)
{
	uint64_t a, b, out, errors = 0;
	struct tq *t[3];
	pthread_t thread[3];
	bool good = true;

	setup();
	a = hbm_alloc(d, 2 << 20, 2 << 20);
	b = hbm_alloc(d, 2 << 20, 2 << 20);
	out = hbm_alloc(d, 4096, 4096);
	as_map(d, 1, VA + (1ULL << 29), 4096, out, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA, 2 << 20, a, ANPU_PTE_READ, ANPU_PAGE_2M);
	for (int i = 0; i < 3; i++) {
		t[i] = tq_started(d, 10 + i, 1, 0);
		as_map(d, 1, VA + t[i]->id * (1ULL << 30), 2 << 20,
		       hbm_alloc(d, 2 << 20, 2 << 20), PTE_RW, ANPU_PAGE_2M);
		pthread_create(&thread[i], NULL, churn, t[i]);
	}
	for (int i = 0; i < 60; i++) {
		uint64_t now = i & 1 ? a : b, old = i & 1 ? b : a;

		sleep_us(300);
		as_map(d, 1, VA, 2 << 20, now, ANPU_PTE_READ, ANPU_PAGE_2M);
		invalidate(d, i & 2 ? 1 : ANPU_TLB_ALL);
		/* from here on only the new page may be read: ThreadSanitizer watches */
		memset(hbm_ptr(d, old), i, 2 << 20);
	}
	atomic_store(&stop_churn, true);
	for (int i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		errors += tq_errors(t[i]);
		good = good && load64(&t[i]->st->completed) == t[i]->wptr;
		tq_free(t[i]);
	}
	ok(good && !errors, "60 invalidations while three queues copy");
	teardown();
}

/* Behind a reset no translation from before it is used, though nobody asks for an invalidation. */
static void test_reset(void)
{
	struct anpu_config c = config_small();
	uint64_t pages;

	/* one worker, which has used the page; its translation is not where that of the copy's target is kept */
	c.threads = 1;
	d = dev_new(&c);
	q = tq_started(d, 0, 1, 0);
	pages = hbm_alloc(d, 3 * 4096, 4096);
	store64(hbm_ptr(d, pages), 0x11);
	store64(hbm_ptr(d, pages + 4096), 0x22);
	as_map(d, 1, VA + (1 << 30), 4096, pages + 2 * 4096, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA + 4096, 4096, pages, ANPU_PTE_READ, ANPU_PAGE_4K);
	reads(VA + 4096, 0x11, "a page before a reset");
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_RESET);
	ok(eventually(!(reg(d, ANPU_REG_CONTROL) & ANPU_CONTROL_RESET)), "the reset");
	as_map(d, 1, VA + 4096, 4096, pages + 4096, ANPU_PTE_READ, ANPU_PAGE_4K);
	set_reg(d, ANPU_REG_ASID_TABLE, d->asid_table);
	set_reg(d, ANPU_REG_QUEUE_TABLE, d->queue_table);
	set_reg(d, ANPU_REG_CONTROL, ANPU_CONTROL_ENABLE);
	tq_start(q);
	reads(VA + 4096, 0x22, "another one at its address behind it");
	teardown();
}

/* An access that fails gives no rights to a page whose translation is kept in the same place. */
static void test_rights_after_a_failure(void)
{
	union anpu_packet from_a, to_a, to_b;
	struct anpu_config c = config_small();
	uint64_t pages;

	c.threads = 1;
	d = dev_new(&c);
	q = tq_started(d, 0, 1, 0);
	pages = hbm_alloc(d, 2 * 4096, 4096);
	as_map(d, 1, VA, 4096, pages, ANPU_PTE_READ, ANPU_PAGE_4K);
	as_map(d, 1, VA + 4096, 4096, pages + 4096, PTE_RW, ANPU_PAGE_4K);
	as_map(d, 1, VA + (1 << 30), 4096, DMA_HOLE, PTE_RW | ANPU_PTE_SYSTEM, ANPU_PAGE_4K);
	from_a = p_copy(VA, VA + 4096, 8);
	to_a = p_fill(VA, 8, 1, 8);
	to_b = p_fill(VA + (1 << 30), 8, 1, 8);
	tq_run(q, &from_a);
	is(tq_errors(q), 0, "a page is read that is read-only");
	tq_fails(q, &to_b, ANPU_FAULT_BUS, "no page of system memory", "one that could be written is not there");
	tq_fails(q, &to_a, ANPU_FAULT_PERMISSION, "read only", "the first cannot be written");
	is(load64(hbm_ptr(d, pages)), 0, "nor was it");
	teardown();
}

int main(void)
{
	test_pages();
	test_scattered();
	test_end_of_hbm();
	test_rights();
	test_malformed();
	test_system();
	test_many_transient();
	test_numbers();
	test_concurrent();
	test_reset();
	test_rights_after_a_failure();
	return done_testing();
}
