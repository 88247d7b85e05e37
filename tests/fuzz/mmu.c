// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: page tables. A script of table entries, accesses by two threads' front ends,
 * and invalidations, beside a walk written from the datasheet alone. An access after an
 * invalidation must do exactly what the tables say; before it, it may use what they said, but must
 * stay inside the memory that the device may touch.
 */
#include <pthread.h>

#include "fuzz.h"
#include "model/internal.h"

#define HBM		(16ULL << 20)
#define RAM		(1ULL << 20)
#define TABLES		12
#define SPACES		4
#define FRONTS		3
#define DMA_KEPT	0x100000000ULL
#define DMA_TRANSIENT	0x200000000ULL
#define DMA_READONLY	0x300000000ULL
#define DMA_HOLE	0x400000000ULL

/**
 * struct front - one thread's MMU front end, and what is known about it
 * @inside: between mmu_enter() and mmu_exit()
 * @seen: the newest invalidation that mmu_enter() or mmu_poll() has seen
 */
struct front {
	struct mmu *mmu;
	uint32_t asid;
	bool inside;
	uint64_t seen;
};

static struct anpu_model m;
static struct worker worker;
static struct front front[FRONTS];
static uint8_t *ram;
/* the invalidation from which on an address space's tables are what they are now; ~0: none yet */
static uint64_t stable[SPACES];
static unsigned int out;	/* transient mappings */
static uint64_t map_limit;
static bool kept_gone;

static bool map(void *ctx, uint64_t dma, uint64_t len, bool write, struct anpu_mapping *to)
{
	uint64_t at = dma & 0xffffffffULL, window = dma - at;

	(void)ctx;
	if (window < DMA_KEPT || window > DMA_READONLY || at >= RAM ||
	    (window == DMA_READONLY && write) || (window == DMA_KEPT && kept_gone))
		return false;
	if (len > RAM - at)
		len = RAM - at;
	*to = (struct anpu_mapping){ .ptr = ram + at, .len = len < map_limit ? len : map_limit,
				     .handle = ram, .transient = window == DMA_TRANSIENT };
	out += to->transient;
	return true;
}

static void unmap(void *ctx, const struct anpu_mapping *map, bool write, uint64_t len)
{
	(void)ctx;
	(void)write;
	require(map->transient && map->handle == ram && len <= map->len, "a strange unmap");
	out--;
}

/* The datasheet's walk ----------------------------------------------------------------------------- */

/** struct where - the page that the tables name for an address */
struct where {
	uint8_t *host;
	uint32_t rights;
	uint32_t cause;
};

static uint64_t word(uint64_t at)
{
	uint64_t v;

	memcpy(&v, m.hbm + at, 8);
	return v;
}

static bool in_hbm(uint64_t at, uint64_t size)
{
	return at < HBM && size <= HBM - at;
}

static bool bad_leaf(uint64_t e, int level, uint64_t va)
{
	uint64_t addr = e & ANPU_PTE_ADDR, size = level == 2 ? 0x200000 : 0x1000;

	if (level < 2 || addr % size)
		return true;
	if ((e & ANPU_PTE_WRITE) && (!(e & ANPU_PTE_READ) || (e & ANPU_PTE_EXEC)))
		return true;
	if ((e & ANPU_PTE_CONT) && (level == 2 || (addr & 0xf000) != (va & 0xf000)))
		return true;
	return !(e & ANPU_PTE_SYSTEM) && !in_hbm(addr, size);
}

static struct where fault(uint32_t cause)
{
	return (struct where){ .cause = cause };
}

static struct where system_page(uint64_t dma, uint32_t rights, uint32_t access)
{
	uint64_t at = dma & 0xffffffffULL, window = dma - at;
	bool readonly = window == DMA_READONLY;

	if (window < DMA_KEPT || window > DMA_READONLY || at >= RAM ||
	    (window == DMA_KEPT && kept_gone) || (readonly && (access & ANPU_ACCESS_WRITE)) ||
	    map_limit < 4096)
		return fault(ANPU_FAULT_BUS);
	return (struct where){ .host = ram + at, .rights = rights };
}

static struct where look_up(uint32_t asid, uint64_t va, uint32_t access)
{
	uint64_t entry = word(atomic_load(&m.asid_table) + 8 * asid), table = entry & ~1ULL;

	if (asid == 0)
		return va < HBM ? (struct where){ .host = m.hbm + va, .rights = 7 }
				: fault(ANPU_FAULT_UNMAPPED);
	if (va >> 48 || !(entry & ANPU_ASID_VALID))
		return fault(ANPU_FAULT_UNMAPPED);
	if (table % 4096 || !in_hbm(table, 4096))
		return fault(ANPU_FAULT_BAD_PTE);
	for (int level = 0; level < 4; level++) {
		unsigned int shift = 39 - 9 * level;
		uint64_t e = word(table + (va >> shift & 511) * 8), addr = e & ANPU_PTE_ADDR;
		uint32_t rights = (e & ANPU_PTE_READ ? ANPU_ACCESS_READ : 0) |
				  (e & ANPU_PTE_WRITE ? ANPU_ACCESS_WRITE : 0) |
				  (e & ANPU_PTE_EXEC ? ANPU_ACCESS_FETCH : 0);

		if (!(e & ANPU_PTE_VALID))
			return fault(ANPU_FAULT_UNMAPPED);
		if (e & 0xf80)
			return fault(ANPU_FAULT_BAD_PTE);
		if (!(e & ANPU_PTE_LEAF)) {
			if (level == 3 || (e & 0x6e) || !in_hbm(addr, 4096))
				return fault(ANPU_FAULT_BAD_PTE);
			table = addr;
			continue;
		}
		if (bad_leaf(e, level, va))
			return fault(ANPU_FAULT_BAD_PTE);
		if (access & ~rights)
			return fault(ANPU_FAULT_PERMISSION);
		addr += va & ((1ULL << shift) - 1) & ~0xfffULL;
		return e & ANPU_PTE_SYSTEM ? system_page(addr, rights, access)
					   : (struct where){ .host = m.hbm + addr, .rights = rights };
	}
	abort();
}

/* The script ------------------------------------------------------------------------------------------ */

/* Everything but the tables, which stand in the first megabyte, may be written by accesses. */
static void tables_changed(void)
{
	for (unsigned int i = 0; i < SPACES; i++)
		stable[i] = ~0ULL;
}

static uint64_t address_of(struct input *in)
{
	static const uint64_t from[] = { 0, 0x200000, 0x1000, HBM - 0x1000, HBM, DMA_KEPT,
					 DMA_TRANSIENT, DMA_READONLY, DMA_HOLE, DMA_KEPT + RAM - 0x2000 };
	uint8_t c = (uint8_t)take(in, 1);

	if (c >= 250)
		return take(in, 8) & ANPU_PTE_ADDR;
	return from[c % 10] + (take(in, 1) << (c & 0x40 ? 12 : 16));
}

static uint64_t new_entry(struct input *in)
{
	uint8_t kind = (uint8_t)take(in, 1);

	if (kind < 90)	/* to a table */
		return (1 + kind % TABLES) * 4096 | ANPU_PTE_VALID | (kind & 1 ? take(in, 1) << 52 : 0);
	if (kind < 220)
		return address_of(in) | ANPU_PTE_VALID | ANPU_PTE_LEAF | (take(in, 1) & 0x6e);
	return kind < 240 ? 0 : take(in, 8);
}

static void set_entries(struct input *in)
{
	uint64_t table = 1 + take(in, 1) % TABLES, first = take(in, 2) % 512, e = new_entry(in);
	unsigned int n = (unsigned int)take(in, 1), step = n & 0x80 ? 4096 : 0;

	n = n & 0x40 ? n & 31 : 1;
	for (unsigned int i = 0; i < n && first + i < 512; i++, e += step)
		__atomic_store_n((uint64_t *)(m.hbm + table * 4096) + first + i, e, __ATOMIC_RELAXED);
	tables_changed();
}

static void set_root(struct input *in)
{
	unsigned int asid = (unsigned int)take(in, 1) % SPACES, table = (unsigned int)take(in, 1);
	uint64_t e = table < 230 ? (1 + table % TABLES) * 4096ULL | ANPU_ASID_VALID : take(in, 8);

	__atomic_store_n((uint64_t *)(m.hbm + atomic_load(&m.asid_table)) + asid, e, __ATOMIC_RELAXED);
	tables_changed();
}

static void enter(struct front *f, uint32_t asid)
{
	if (f->inside)
		mmu_exit(f->mmu);
	mmu_enter(f->mmu, asid);
	f->asid = asid;
	f->inside = true;
	f->seen = atomic_load(&m.inval_issued);
}

static void leave(struct front *f)
{
	if (f->inside)
		mmu_exit(f->mmu);
	f->inside = false;
}

static void invalidate(struct input *in)
{
	uint8_t what = (uint8_t)take(in, 1);
	bool all = what & 0x80;
	uint64_t n = mmu_invalidate(&m, what % SPACES, all, what & 0x40 ? INVAL_HOST : INVAL_GUEST);
	uint64_t oldest = n;

	for (unsigned int i = 0; i < SPACES; i++)
		if ((all || i == what % SPACES) && stable[i] == ~0ULL)
			stable[i] = n;
	for (unsigned int i = 0; i < FRONTS; i++)
		if (front[i].inside && front[i].seen < oldest)
			oldest = front[i].seen;
	require(mmu_done(&m) <= oldest || oldest == n, "done although a front end has not seen it");
}

static void check_span(const struct front *f, uint64_t va, const uint8_t *p, uint64_t span,
		       uint32_t access)
{
	for (uint64_t at = 0; at < span && at < 64 * 4096; at = (((va + at) | 4095) + 1) - va) {
		struct where w = look_up(f->asid, va + at, access);
		uint8_t *want = w.host + ((va + at) & (f->asid ? 4095 : 0));

		require(w.host && want == p + at, "0x%llx goes astray 0x%llx bytes on",
			(unsigned long long)va, (unsigned long long)at);
	}
}

/* one access; bounds always, exactness once the tables are known to this front end */
static void access_memory(struct input *in, struct front *f)
{
	uint8_t how = (uint8_t)take(in, 1);
	uint32_t access = how & 3 ? how & 3 : ANPU_ACCESS_FETCH;
	uint64_t va = take(in, 2) * (how & 0x10 ? 0x1000 : how & 0x20 ? 0x200000 : 0x40000008);
	struct core_fault fault = { 0 };
	uint64_t span = 0;
	bool exact = stable[f->asid] != ~0ULL && f->seen >= stable[f->asid];
	uint8_t *p;

	if (how & 0x80)
		va = how & 0x40 ? take(in, 8) : va + take(in, 1);
	p = mmu_access(f->mmu, va, access, &span, &fault);
	if (!p) {
		struct where w = look_up(f->asid, va, access);

		require(fault.cause && fault.addr == va && fault.access == access &&
			fault.message[0] && memchr(fault.message, 0, sizeof(fault.message)),
			"a fault that does not explain itself");
		require(!exact || w.cause == fault.cause, "0x%llx: cause %u, the datasheet says %u",
			(unsigned long long)va, fault.cause, w.cause);
		return;
	}
	require(span, "an access of no bytes");
	require((p >= m.hbm && p + span <= m.hbm + HBM) || (p >= ram && p + span <= ram + RAM),
		"0x%llx leads outside of memory", (unsigned long long)va);
	if (exact)
		check_span(f, va, p, span, access);
	/* a store where tables are would change them behind the script's back */
	if ((access & ANPU_ACCESS_WRITE) && p >= m.hbm + (1 << 20))
		*p ^= 1;
}

static void read_memory(struct input *in, struct front *f)
{
	uint8_t buf[300];
	uint64_t va = take(in, 2) * 0x1000 - take(in, 1), n = take(in, 1) + 1;
	struct core_fault fault = { 0 };

	require(mmu_read_mem(f->mmu, buf, va, n, &fault) || fault.cause, "a fault without a cause");
}

static void step(struct input *in)
{
	uint8_t op = (uint8_t)take(in, 1);
	struct front *f = &front[op >> 7];

	if (!f->inside)
		enter(f, op % SPACES);
	switch (op & 15) {
	case 0: case 1: case 2: case 3:
		set_entries(in);
		break;
	case 4:
		set_root(in);
		break;
	case 5:
		invalidate(in);
		break;
	case 6:
		mmu_poll(f->mmu);
		f->seen = atomic_load(&m.inval_issued);
		break;
	case 7:
		enter(f, (uint32_t)take(in, 1) % SPACES);
		break;
	case 8:
		leave(f);
		break;
	case 9:
		map_limit = 1 + take(in, 2);
		tables_changed();
		break;
	case 10:
		kept_gone = take(in, 1) & 1;
		tables_changed();
		break;
	case 11:
		read_memory(in, f);
		break;
	default:
		access_memory(in, f);
	}
}

/* Start and end -------------------------------------------------------------------------------------- */

static void init(void)
{
	m.cfg = (struct anpu_config){ .hbm_size = HBM, .asids = SPACES, .cores = 1 };
	m.ops = (struct anpu_host_ops){ .map = map, .unmap = unmap };
	m.hbm = m.cfg.hbm = aligned_alloc(4096, HBM);
	ram = aligned_alloc(4096, RAM);
	m.spaces = calloc(SPACES, sizeof(*m.spaces));
	require(m.hbm && ram && m.spaces, "no memory");
	memset(m.hbm, 0, HBM);
	memset(ram, 0, RAM);
	pthread_mutex_init(&m.inval_lock, NULL);
	pthread_mutex_init(&m.code_lock, NULL);
	worker.m = &m;
	m.workers = &worker;
	m.n_workers = 1;
	front[0].mmu = &worker.mmu;
	front[1].mmu = &m.manager_mmu;
	front[2].mmu = &m.debug_mmu;
	for (unsigned int i = 0; i < FRONTS; i++)
		mmu_init(front[i].mmu, &m);
	/* decoded code has to be dropped along with translations */
	require(mmu_code(&m, 1) && mmu_code(&m, 2), "no memory");
}

/* A small tree to begin with, so that few bytes reach a leaf: table n + 1 below table n. */
static void first_tables(void)
{
	memset(m.hbm, 0, (1 + TABLES) * 4096);
	for (unsigned int asid = 1; asid < SPACES; asid++) {
		((uint64_t *)m.hbm)[asid] = 4096 | ANPU_ASID_VALID;
		((uint64_t *)m.hbm)[asid * 512] = (asid + 1) * 4096 | ANPU_PTE_VALID;
	}
	for (unsigned int i = 0; i < 8; i++)
		((uint64_t *)m.hbm)[4 * 512 + i] = (0x200000 + i * 4096) | ANPU_PTE_VALID |
			ANPU_PTE_LEAF | ANPU_PTE_READ | ANPU_PTE_WRITE;
	tables_changed();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint64_t n;

	if (!m.hbm)
		init();
	first_tables();
	map_limit = RAM;
	kept_gone = false;
	while (in.left)
		step(&in);
	for (unsigned int i = 0; i < FRONTS; i++)
		leave(&front[i]);
	require(!out, "%u transient mappings were not returned", out);
	/* the next run must not see TLB entries of this one */
	n = mmu_invalidate(&m, 0, true, INVAL_GUEST);
	require(mmu_done(&m) == n, "an invalidation is not done although nobody is inside");
	return 0;
}
