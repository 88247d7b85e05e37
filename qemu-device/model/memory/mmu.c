// SPDX-License-Identifier: MIT
/*
 * Address translation and its invalidation.
 *
 * Every thread has its own TLB. An invalidation is a number. A thread that may hold translations
 * publishes the newest number it has acted on (struct mmu.epoch), and an invalidation is done when
 * every such thread has passed it. Nobody waits: a write of the register only counts, a read of
 * ANPU_REG_TLB_DONE only looks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/fault.h"

#define PTE_LEAF_ONLY	(ANPU_PTE_READ | ANPU_PTE_WRITE | ANPU_PTE_EXEC | ANPU_PTE_CONT | \
			 ANPU_PTE_SYSTEM)
#define PTE_TARGET	(ANPU_PTE_VALID | ANPU_PTE_LEAF | PTE_LEAF_ONLY | ANPU_PTE_RESERVED | \
			 ANPU_PTE_ADDR)
/* mmu_poll() returns a thread's transient mappings when there are so many */
#define MAPS_SOFT_LIMIT	64

void mmu_init(struct mmu *mmu, struct anpu_model *m)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->m = m;
	atomic_init(&mmu->epoch, MMU_IDLE);
}

void mmu_fini(struct mmu *mmu)
{
	free(mmu->maps);
	mmu->maps = NULL;
}

/* Generations and invalidation ----------------------------------------------------------------- */

uint64_t mmu_generation(struct anpu_model *m, uint32_t asid)
{
	uint64_t gen = atomic_load(&m->spaces[asid].gen);
	uint64_t all = atomic_load(&m->all_gen);

	return gen > all ? gen : all;
}

bool mmu_pointer_valid(struct anpu_model *m, uint32_t asid, uint64_t gen)
{
	return mmu_generation(m, asid) == gen;
}

uint64_t mmu_invalidate(struct anpu_model *m, uint32_t asid, bool all, uint64_t step)
{
	uint64_t n;

	pthread_mutex_lock(&m->inval_lock);
	n = atomic_load(&m->inval_issued) + step;
	/* in this order, as a thread that sees the number must see the generation */
	atomic_store(all ? &m->all_gen : &m->spaces[asid].gen, n);
	atomic_store(&m->inval_issued, n);
	pthread_mutex_unlock(&m->inval_lock);
	return n;
}

/* The MMU front end of worker @i, of the manager, which is number m->n_workers, or of gdb's thread. */
static struct mmu *mmu_of(struct anpu_model *m, unsigned int i)
{
	if (i < m->n_workers)
		return &m->workers[i].mmu;
	return i == m->n_workers ? &m->manager_mmu : &m->debug_mmu;
}

static unsigned int mmus(const struct anpu_model *m)
{
	return m->n_workers + 2;
}

static uint64_t oldest_epoch(struct anpu_model *m, uint64_t done)
{
	for (unsigned int i = 0; i < mmus(m); i++) {
		uint64_t epoch = atomic_load(&mmu_of(m, i)->epoch);

		if (epoch < done)
			done = epoch;
	}
	return done;
}

uint64_t mmu_done(struct anpu_model *m)
{
	uint64_t done = oldest_epoch(m, atomic_load(&m->inval_issued));
	uint64_t old = atomic_load(&m->inval_done);

	/* a thread that is just entering may show an older number for a moment: never go back */
	while (old < done && !atomic_compare_exchange_weak(&m->inval_done, &old, done))
		;
	return old > done ? old : done;
}

/**
 * mmu_reset_done() - is system memory left alone until the reset is done?
 * @number: of the invalidation that followed m->resetting
 *
 * A thread that is inside the host's map function finds m->resetting set when that returns, and
 * does not use what it has got.
 */
bool mmu_reset_done(struct anpu_model *m, uint64_t number)
{
	for (unsigned int i = 0; i < mmus(m); i++) {
		struct mmu *mmu = mmu_of(m, i);

		if (atomic_load(&mmu->epoch) < number && !atomic_load(&mmu->asking))
			return false;
	}
	return true;
}

/* Forget decoded code of an older generation, before the thread acknowledges this one. */
static void sync_code(struct anpu_model *m, uint32_t asid, uint64_t gen)
{
	struct address_space *as = &m->spaces[asid];

	if (!atomic_load(&as->code) || atomic_load(&as->code_gen) >= gen)
		return;
	pthread_mutex_lock(&m->code_lock);
	if (atomic_load(&as->code_gen) < gen) {
		code_cache_invalidate(atomic_load(&as->code));
		atomic_store(&as->code_gen, gen);
	}
	pthread_mutex_unlock(&m->code_lock);
}

struct code_cache *mmu_code(struct anpu_model *m, uint32_t asid)
{
	struct address_space *as = &m->spaces[asid];
	struct code_cache *code = atomic_load(&as->code);

	if (code)
		return code;
	pthread_mutex_lock(&m->code_lock);
	code = atomic_load(&as->code);
	if (!code) {
		code = code_cache_new();
		if (!m->cfg.jit)
			code_cache_set_jit(code, CORE_JIT_OFF);
		/* nothing is decoded yet, so none of it is outdated */
		atomic_store(&as->code_gen, mmu_generation(m, asid));
		atomic_store(&as->code, code);
	}
	pthread_mutex_unlock(&m->code_lock);
	return code;
}

static void drop_maps(struct mmu *mmu)
{
	struct anpu_model *m = mmu->m;

	for (unsigned int i = 0; i < mmu->n_maps; i++)
		m->ops.unmap(m->ctx, &mmu->maps[i].map, mmu->maps[i].write, mmu->maps[i].len);
	mmu->n_maps = 0;
	mmu->bind++;
}

static inline void came_by(struct mmu *mmu)
{
	uint64_t turns = atomic_load_explicit(&mmu->turns, memory_order_relaxed);

	atomic_store_explicit(&mmu->turns, turns + 1, memory_order_relaxed);
}

/**
 * mmu_enter() - begin to use an address space
 *
 * Until mmu_exit() the thread may hold pointers from mmu_access(), and delays invalidations
 * unless it calls mmu_poll().
 */
void mmu_enter(struct mmu *mmu, uint32_t asid)
{
	struct anpu_model *m = mmu->m;
	uint64_t n;

	do {
		n = atomic_load(&m->inval_issued);
		atomic_store(&mmu->epoch, n);
	} while (atomic_load(&m->inval_issued) != n);
	came_by(mmu);
	mmu->asid = asid;
	mmu->gen = mmu_generation(m, asid);
	mmu->bind++;
	sync_code(m, asid, mmu->gen);
}

void mmu_exit(struct mmu *mmu)
{
	if (unlikely(mmu->n_maps))
		drop_maps(mmu);
	atomic_store_explicit(&mmu->epoch, MMU_IDLE, memory_order_release);
}

static bool poll_slow(struct mmu *mmu, uint64_t issued)
{
	uint64_t gen = mmu_generation(mmu->m, mmu->asid);
	bool dropped = false;

	if (gen != mmu->gen || mmu->n_maps >= MAPS_SOFT_LIMIT) {
		drop_maps(mmu);
		sync_code(mmu->m, mmu->asid, gen);
		mmu->gen = gen;
		dropped = true;
	}
	atomic_store(&mmu->epoch, issued);
	return dropped;
}

bool mmu_poll(struct mmu *mmu)
{
	uint64_t issued = atomic_load_explicit(&mmu->m->inval_issued, memory_order_acquire);

	came_by(mmu);

	if (likely(issued == atomic_load_explicit(&mmu->epoch, memory_order_relaxed) &&
		   mmu->n_maps < MAPS_SOFT_LIMIT))
		return false;
	return poll_slow(mmu, issued);
}

/* Page tables ---------------------------------------------------------------------------------- */

static const char *access_name(uint32_t access)
{
	if (access & ANPU_ACCESS_FETCH)
		return "fetch";
	if (access == (ANPU_ACCESS_READ | ANPU_ACCESS_WRITE))
		return "update";
	return access & ANPU_ACCESS_WRITE ? "write" : "read";
}

/* acquire: the driver writes what an entry points to before the entry */
static uint64_t read_entry(struct anpu_model *m, uint64_t table, unsigned int index)
{
	return __atomic_load_n((uint64_t *)(m->hbm + table) + index, __ATOMIC_ACQUIRE);
}

static uint64_t index_of(uint64_t va, int level)
{
	return va >> ANPU_PT_SHIFT(level) & (ANPU_PT_ENTRIES - 1);
}

/* Return: NULL, or what is wrong with a valid entry. */
static const char *entry_problem(const struct anpu_model *m, uint64_t pte, int level, uint64_t va)
{
	uint64_t addr = pte & ANPU_PTE_ADDR;
	uint64_t size = level == 2 ? ANPU_PAGE_2M : ANPU_PAGE_4K;

	if (pte & ANPU_PTE_RESERVED)
		return "has reserved bits set";
	if (!(pte & ANPU_PTE_LEAF)) {
		if (level == 3)
			return "is not a leaf in the last level";
		if (pte & PTE_LEAF_ONLY)
			return "points to a table but has bits of a leaf";
		if (!hbm_contains(m, addr, ANPU_PT_SIZE))
			return "points to a table outside the HBM";
		return NULL;
	}
	if (level < 2)
		return "is a leaf in a level that has none";
	if (addr & (size - 1))
		return "maps memory not aligned to the page";
	if ((pte & ANPU_PTE_WRITE) && !(pte & ANPU_PTE_READ))
		return "allows writing but not reading";
	if ((pte & ANPU_PTE_WRITE) && (pte & ANPU_PTE_EXEC))
		return "allows writing and execution";
	if ((pte & ANPU_PTE_CONT) && level == 2)
		return "is a 2 MiB leaf with CONT";
	if ((pte & ANPU_PTE_CONT) && ((addr ^ va) & (ANPU_PAGE_64K - 1) & ~(ANPU_PAGE_4K - 1)))
		return "has CONT but is out of place in its 64 KiB page";
	if (!(pte & ANPU_PTE_SYSTEM) && !hbm_contains(m, addr, size))
		return "maps memory outside the HBM";
	return NULL;
}

/**
 * struct leaf - what a walk finds
 * @pte: the entry
 * @va: first address it maps
 * @len: bytes it maps, following entries that continue it included
 */
struct leaf {
	uint64_t pte;
	uint64_t va;
	uint64_t len;
};

/* Count following 4 KiB leaves that continue this one: one walk serves them all. */
static uint64_t run_length(struct anpu_model *m, uint64_t table, unsigned int index, uint64_t pte)
{
	uint64_t want = (pte & PTE_TARGET) + ANPU_PAGE_4K;
	uint64_t len = ANPU_PAGE_4K;

	while (++index < ANPU_PT_ENTRIES && (read_entry(m, table, index) & PTE_TARGET) == want) {
		want += ANPU_PAGE_4K;
		len += ANPU_PAGE_4K;
	}
	if (!(pte & ANPU_PTE_SYSTEM) && !hbm_contains(m, pte & ANPU_PTE_ADDR, len))
		len = ANPU_PAGE_4K;
	return len;
}

static bool table_root(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *root,
		       struct core_fault *f)
{
	struct anpu_model *m = mmu->m;
	uint64_t at = atomic_load(&m->asid_table) + 8ULL * mmu->asid;
	uint64_t entry;

	if (!hbm_contains(m, at, 8)) {
		fault_set(f, ANPU_FAULT_BAD_PTE, access, va,
			  "%s of 0x%llx: the table of address spaces ends before space %u",
			  access_name(access), (unsigned long long)va, mmu->asid);
		return false;
	}
	entry = read_entry(m, at, 0);
	if (!(entry & ANPU_ASID_VALID)) {
		fault_set(f, ANPU_FAULT_UNMAPPED, access, va,
			  "%s of 0x%llx: address space %u has no page tables",
			  access_name(access), (unsigned long long)va, mmu->asid);
		return false;
	}
	*root = entry & ~ANPU_ASID_VALID;
	if ((*root & (ANPU_PT_SIZE - 1)) || !hbm_contains(m, *root, ANPU_PT_SIZE)) {
		fault_set(f, ANPU_FAULT_BAD_PTE, access, va,
			  "%s of 0x%llx: the entry 0x%llx of address space %u is malformed",
			  access_name(access), (unsigned long long)va, (unsigned long long)entry,
			  mmu->asid);
		return false;
	}
	return true;
}

static bool walk(struct mmu *mmu, uint64_t va, uint32_t access, struct leaf *leaf,
		 struct core_fault *f)
{
	struct anpu_model *m = mmu->m;
	uint64_t table;

	if (!table_root(mmu, va, access, &table, f))
		return false;
	for (int level = 0; level < ANPU_PT_LEVELS; level++) {
		unsigned int index = index_of(va, level);
		uint64_t pte = read_entry(m, table, index);
		uint64_t size = 1ULL << ANPU_PT_SHIFT(level);
		const char *problem;

		if (!(pte & ANPU_PTE_VALID)) {
			fault_set(f, ANPU_FAULT_UNMAPPED, access, va,
				  "%s of 0x%llx: address space %u does not map it (level %d)",
				  access_name(access), (unsigned long long)va, mmu->asid, level);
			return false;
		}
		problem = entry_problem(m, pte, level, va);
		if (problem) {
			fault_set(f, ANPU_FAULT_BAD_PTE, access, va,
				  "%s of 0x%llx: the level %d entry 0x%llx %s", access_name(access),
				  (unsigned long long)va, level, (unsigned long long)pte, problem);
			return false;
		}
		if (pte & ANPU_PTE_LEAF) {
			leaf->pte = pte;
			leaf->va = va & ~(size - 1);
			leaf->len = level == 3 ? run_length(m, table, index, pte) : size;
			return true;
		}
		table = pte & ANPU_PTE_ADDR;
	}
	__builtin_unreachable();
}

static uint32_t leaf_rights(uint64_t pte)
{
	return (pte & ANPU_PTE_READ ? ANPU_ACCESS_READ : 0) |
	       (pte & ANPU_PTE_WRITE ? ANPU_ACCESS_WRITE : 0) |
	       (pte & ANPU_PTE_EXEC ? ANPU_ACCESS_FETCH : 0);
}

static bool remember_map(struct mmu *mmu, const struct anpu_mapping *map, bool write)
{
	if (mmu->n_maps == mmu->max_maps) {
		unsigned int max = mmu->max_maps ? 2 * mmu->max_maps : 2 * MAPS_SOFT_LIMIT;
		struct transient_map *maps = realloc(mmu->maps, max * sizeof(*maps));

		if (!maps)
			return false;
		mmu->maps = maps;
		mmu->max_maps = max;
	}
	mmu->maps[mmu->n_maps++] = (struct transient_map){ *map, map->len, write };
	return true;
}

/*
 * Ask the host for memory at @dma, for reading if it refuses to have it written and @access does
 * not need that. All callers take a pointer to be good for its whole page, so less than a page is
 * refused.
 */
static bool ask_host(struct mmu *mmu, uint64_t dma, uint64_t len, uint32_t access, bool *write,
		     struct anpu_mapping *map)
{
	struct anpu_model *m = mmu->m;

	if (!m->ops.map(m->ctx, dma, len, *write, map)) {
		if (!*write || (access & ANPU_ACCESS_WRITE) ||
		    !m->ops.map(m->ctx, dma, len, false, map))
			return false;
		*write = false;
	}
	if (map->len >= ANPU_PAGE_4K)
		return true;
	if (map->transient)
		m->ops.unmap(m->ctx, map, *write, 0);
	return false;
}

/* anpu_model_reset() has promised the host that system memory is left alone */
static bool check_reset(struct anpu_model *m, uint64_t va, uint32_t access, struct core_fault *f)
{
	if (!atomic_load(&m->resetting))
		return true;
	fault_set(f, ANPU_FAULT_KILLED, access, va, "the device is being reset");
	return false;
}

/* Map the system memory behind a leaf: fills host, len and bind of the entry. */
static bool map_system(struct mmu *mmu, uint64_t va, uint32_t access, const struct leaf *leaf,
		       struct tlb_entry *e, struct core_fault *f)
{
	struct anpu_model *m = mmu->m;
	uint64_t skip = (va - leaf->va) & ~(ANPU_PAGE_4K - 1);
	uint64_t dma = (leaf->pte & ANPU_PTE_ADDR) + skip;
	bool write = leaf->pte & ANPU_PTE_WRITE;
	struct anpu_mapping map;
	bool mapped;

	if (!check_reset(m, va, access, f))
		return false;
	/* ask for all that the leaf allows: a mapping that stays serves later accesses, too */
	atomic_store(&mmu->asking, 1);
	mapped = ask_host(mmu, dma, leaf->len - skip, access, &write, &map);
	atomic_store(&mmu->asking, 0);
	if (!check_reset(m, va, access, f)) {
		if (mapped && map.transient)
			m->ops.unmap(m->ctx, &map, write, 0);
		return false;
	}
	if (!mapped) {
		fault_set(f, ANPU_FAULT_BUS, access, va,
			  "%s of 0x%llx: no page of system memory answers at DMA address 0x%llx",
			  access_name(access), (unsigned long long)va, (unsigned long long)dma);
		return false;
	}
	if (!write)
		e->rights &= ~ANPU_ACCESS_WRITE;
	if (map.transient && !remember_map(mmu, &map, write)) {
		m->ops.unmap(m->ctx, &map, write, 0);
		fault_set(f, ANPU_FAULT_INTERNAL, access, va,
			  "the device's host ran out of memory while mapping 0x%llx",
			  (unsigned long long)va);
		return false;
	}
	e->va = leaf->va + skip;
	e->host = map.ptr;
	e->len = map.len & ~(ANPU_PAGE_4K - 1);
	e->bind = map.transient ? mmu->bind : 0;
	return true;
}

static bool fill(struct mmu *mmu, uint64_t va, uint32_t access, struct tlb_entry *e,
		 struct core_fault *f)
{
	struct anpu_model *m = mmu->m;
	struct leaf leaf;

	if (mmu->asid == 0) {
		if (va >= m->cfg.hbm_size) {
			fault_set(f, ANPU_FAULT_UNMAPPED, access, va,
				  "%s of 0x%llx: address space 0 ends with the HBM at 0x%llx",
				  access_name(access), (unsigned long long)va,
				  (unsigned long long)m->cfg.hbm_size);
			return false;
		}
		*e = (struct tlb_entry){ .va = 0, .len = m->cfg.hbm_size, .host = m->hbm,
			.rights = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE | ANPU_ACCESS_FETCH };
		return true;
	}
	if (va >> ANPU_VA_BITS) {
		fault_set(f, ANPU_FAULT_UNMAPPED, access, va,
			  "%s of 0x%llx: virtual addresses have %d bits", access_name(access),
			  (unsigned long long)va, ANPU_VA_BITS);
		return false;
	}
	if (!walk(mmu, va, access, &leaf, f))
		return false;
	e->rights = leaf_rights(leaf.pte);
	if (access & ~e->rights) {
		fault_set(f, ANPU_FAULT_PERMISSION, access, va,
			  "%s of 0x%llx: the page allows %s%s%s%s only", access_name(access),
			  (unsigned long long)va, e->rights & ANPU_ACCESS_READ ? "read" : "",
			  e->rights & ANPU_ACCESS_WRITE ? "+write" : "",
			  e->rights & ANPU_ACCESS_FETCH ? " fetch" : "",
			  e->rights ? "" : "nothing");
		return false;
	}
	if (leaf.pte & ANPU_PTE_SYSTEM)
		return map_system(mmu, va, access, &leaf, e, f);
	e->va = leaf.va;
	e->len = leaf.len;
	e->host = m->hbm + (leaf.pte & ANPU_PTE_ADDR);
	e->bind = 0;
	return true;
}

void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault)
{
	struct tlb_entry *e = &mmu->tlb[(va / ANPU_PAGE_4K) % TLB_ENTRIES];
	uint64_t offset = va - e->va;

	if (likely(offset < e->len && e->asid == mmu->asid && e->gen == mmu->gen &&
		   !(access & ~e->rights) && (!e->bind || e->bind == mmu->bind))) {
		*span = e->len - offset;
		return e->host + offset;
	}
	if (!fill(mmu, va, access, e, fault)) {
		e->len = 0;
		return NULL;
	}
	e->asid = mmu->asid;
	e->gen = mmu->gen;
	offset = va - e->va;
	*span = e->len - offset;
	return e->host + offset;
}

struct leaves {
	struct anpu_model *m;
	void (*fn)(void *arg, uint64_t va, uint64_t pte, uint64_t size);
	void *arg;
};

static void each_leaf(const struct leaves *l, uint64_t table, int level, uint64_t va)
{
	for (unsigned int i = 0; i < ANPU_PT_ENTRIES; i++) {
		uint64_t pte = read_entry(l->m, table, i), at = va + ((uint64_t)i << ANPU_PT_SHIFT(level));

		if (!(pte & ANPU_PTE_VALID) || entry_problem(l->m, pte, level, at))
			continue;
		if (pte & ANPU_PTE_LEAF)
			l->fn(l->arg, at, pte, 1ULL << ANPU_PT_SHIFT(level));
		else
			each_leaf(l, pte & ANPU_PTE_ADDR, level + 1, at);
	}
}

void mmu_each_leaf(struct anpu_model *m, uint32_t asid,
		   void (*fn)(void *arg, uint64_t va, uint64_t pte, uint64_t size), void *arg)
{
	struct leaves l = { m, fn, arg };
	struct mmu mmu = { .m = m, .asid = asid };
	struct core_fault f;
	uint64_t root;

	if (asid && table_root(&mmu, 0, ANPU_ACCESS_READ, &root, &f))
		each_leaf(&l, root, 0, 0);
}

uint8_t *mmu_hbm_of(struct anpu_model *m, uint32_t asid, uint64_t va)
{
	struct mmu mmu = { .m = m, .asid = asid };
	struct core_fault f;
	struct leaf leaf;

	if (!asid)
		return va < m->cfg.hbm_size ? m->hbm + va : NULL;
	if (va >> ANPU_VA_BITS || !walk(&mmu, va, ANPU_ACCESS_READ, &leaf, &f) || leaf.pte & ANPU_PTE_SYSTEM)
		return NULL;
	return m->hbm + (leaf.pte & ANPU_PTE_ADDR) + (va - leaf.va);
}

/* Page tables have no entries for less. */
bool mmu_page_whole(struct mmu *mmu, uint64_t va)
{
	return true;
}

/* Transient mappings go when the thread leaves the address space; all others stay until a new generation. */
uint64_t mmu_stamp(const struct mmu *mmu)
{
	_Static_assert(ANPU_MAX_ASIDS <= 1 << 16, "address spaces need no more than 16 bits");

	return mmu_transient(mmu) ? 0 : (mmu->gen << 16 | mmu->asid) + 1;
}

/* Copy from the bound address space; for packets, descriptors and parameters. */
bool mmu_read_mem(struct mmu *mmu, void *buf, uint64_t va, uint64_t len, struct core_fault *f)
{
	uint8_t *to = buf;

	while (len) {
		uint64_t span;
		void *from = mmu_access(mmu, va, ANPU_ACCESS_READ, &span, f);

		if (!from)
			return false;
		if (span > len)
			span = len;
		memcpy(to, from, span);
		to += span;
		va += span;
		len -= span;
	}
	return true;
}
