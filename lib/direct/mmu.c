// SPDX-License-Identifier: MIT
/*
 * Page tables in the device's memory, and telling the device to forget what they said.
 *
 * A bind makes all tables that it needs (mmu_prepare()), which may fail and changes nothing that is
 * mapped; then it writes entries, which cannot fail; then empty tables are taken out (mmu_prune()),
 * and given back when the device has forgotten them.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "direct.h"

#define LAST	(ANPU_PT_LEVELS - 1)
#define BIG	(ANPU_PT_LEVELS - 2)	/* the level whose leaves have 2 MiB */

static uint64_t *table_at(const struct device *dev, uint64_t addr)
{
	return (uint64_t *)(void *)(dev->hbm.cpu + addr);
}

static unsigned int index_of(uint64_t va, unsigned int level)
{
	return va >> ANPU_PT_SHIFT(level) & (ANPU_PT_ENTRIES - 1);
}

static uint64_t load(const uint64_t *pte)
{
	return __atomic_load_n(pte, __ATOMIC_RELAXED);
}

/* The device may walk at any time: what an entry points to is there before the entry */
static void store(uint64_t *pte, uint64_t value)
{
	__atomic_store_n(pte, value, __ATOMIC_RELEASE);
}

static bool is_table(uint64_t pte)
{
	return pte & ANPU_PTE_VALID && !(pte & ANPU_PTE_LEAF);
}

/* Device locked */
static uint64_t take_table(struct device *dev)
{
	uint64_t addr = hbm_take(&dev->hbm, ANPU_PT_SIZE);

	if (addr)
		dev->hbm.tables += ANPU_PT_SIZE;
	return addr;
}

/* Device locked */
void mmu_give_table(struct device *dev, uint64_t addr)
{
	hbm_give(&dev->hbm, addr, ANPU_PT_SIZE);
	dev->hbm.tables -= ANPU_PT_SIZE;
}

/* The table that an entry points to; made if there is none. NULL: no memory for it */
static uint64_t *child_of(struct device *dev, uint64_t *pte)
{
	uint64_t now = load(pte), addr;
	uint64_t *child;

	if (is_table(now))
		return table_at(dev, now & ANPU_PTE_ADDR);
	addr = take_table(dev);
	if (!addr)
		return NULL;
	child = table_at(dev, addr);
	/* a big leaf becomes small ones that show the same */
	for (unsigned int i = 0; now & ANPU_PTE_VALID && i < ANPU_PT_ENTRIES; i++)
		child[i] = (now | ANPU_PTE_CONT) + i * ANPU_PAGE_4K;
	store(pte, ANPU_PTE_VALID | addr);
	return child;
}

/* The entry of 2 MiB for an address, in a table that is made if @make; NULL: there is none */
static uint64_t *big_entry(struct vm *vm, uint64_t va, bool make, uint64_t *next)
{
	uint64_t *table = table_at(vm->dev, vm->root);

	for (unsigned int level = 0; level < BIG; level++) {
		uint64_t span = 1ULL << ANPU_PT_SHIFT(level);
		uint64_t *pte = &table[index_of(va, level)];

		*next = (va & ~(span - 1)) + span;
		if (make)
			table = child_of(vm->dev, pte);
		else
			table = is_table(load(pte)) ? table_at(vm->dev, load(pte) & ANPU_PTE_ADDR) : NULL;
		if (!table)
			return NULL;
	}
	*next = (va & ~(ANPU_PAGE_2M - 1)) + ANPU_PAGE_2M;
	return &table[index_of(va, BIG)];
}

static bool big_leaf_fits(const struct bo *bo, uint64_t va, uint64_t size, uint64_t offset, uint64_t *addr)
{
	uint64_t span;

	if (!aligned(va, ANPU_PAGE_2M) || size < ANPU_PAGE_2M)
		return false;
	*addr = bo_addr(bo, offset, &span);
	return span >= ANPU_PAGE_2M && aligned(*addr, ANPU_PAGE_2M);
}

/* The tables that mapping a range to @bo, or clearing it (NULL), will need: 0 or -ENOSPC */
int mmu_prepare(struct vm *vm, uint64_t va, uint64_t size, const struct bo *bo, uint64_t offset)
{
	uint64_t end = va + size, next, addr;

	for (; va < end; offset += next - va, va = next) {
		uint64_t *pte;

		next = min_u64(end, (va & ~(ANPU_PAGE_2M - 1)) + ANPU_PAGE_2M);
		if (!bo && next - va == ANPU_PAGE_2M) {
			/* whole entries are cleared without a table; the end may cut one */
			next = end & ~(ANPU_PAGE_2M - 1);
			continue;
		}
		pte = big_entry(vm, va, true, &addr);
		if (!pte)
			return -ENOSPC;
		if (is_table(load(pte)) || (bo && big_leaf_fits(bo, va, end - va, offset, &addr)))
			continue;
		if (!child_of(vm->dev, pte))
			return -ENOSPC;
	}
	return 0;
}

/* The other leaves of a 64 KiB page that is cut become ordinary ones: all sixteen have CONT, or none */
static void uncont(uint64_t *table, uint64_t va)
{
	unsigned int first = index_of(va & ~(ANPU_PAGE_64K - 1), LAST);

	if (aligned(va, ANPU_PAGE_64K) || !(load(&table[first]) & ANPU_PTE_CONT))
		return;
	for (unsigned int i = first; i < first + 16; i++)
		store(&table[i], load(&table[i]) & ~ANPU_PTE_CONT);
}

static void uncont_ends(uint64_t *table, uint64_t va, uint64_t end)
{
	uncont(table, va);
	if (index_of(end, LAST))
		uncont(table, end);
}

static void map_small(uint64_t *table, uint64_t va, uint64_t end, const struct bo *bo, uint64_t offset,
		      uint64_t flags)
{
	uncont_ends(table, va, end);
	while (va < end) {
		uint64_t span, addr = bo_addr(bo, offset, &span), cont = 0, n;

		span = min_u64(min_u64(span, end - va), ANPU_PAGE_64K);
		if (span == ANPU_PAGE_64K && aligned(va | addr, ANPU_PAGE_64K))
			cont = ANPU_PTE_CONT;
		else
			span = ANPU_PAGE_4K;
		for (n = 0; n < span; n += ANPU_PAGE_4K)
			store(&table[index_of(va + n, LAST)], (addr + n) | flags | cont);
		va += span;
		offset += span;
	}
}

/* Writes the entries of a range that is prepared and clear */
void mmu_map(struct vm *vm, const struct mapping *m)
{
	uint64_t flags = ANPU_PTE_VALID | ANPU_PTE_LEAF, end = m->va + m->size;
	uint64_t va = m->va, offset = m->offset, next, addr;

	if (m->flags & DRM_ANPU_VM_READ)
		flags |= ANPU_PTE_READ;
	if (m->flags & DRM_ANPU_VM_WRITE)
		flags |= ANPU_PTE_WRITE;
	if (m->flags & DRM_ANPU_VM_EXEC)
		flags |= ANPU_PTE_EXEC;
	if (!bo_is_hbm(m->bo))
		flags |= ANPU_PTE_SYSTEM;
	for (; va < end; offset += next - va, va = next) {
		uint64_t *pte = big_entry(vm, va, false, &next);

		next = min_u64(end, (va & ~(ANPU_PAGE_2M - 1)) + ANPU_PAGE_2M);
		if (!pte)
			abort(); /* mmu_prepare() has made it */
		if (is_table(load(pte)))
			map_small(table_at(vm->dev, load(pte) & ANPU_PTE_ADDR), va, next, m->bo, offset,
				  flags);
		else if (big_leaf_fits(m->bo, va, end - va, offset, &addr))
			store(pte, addr | flags);
		else
			abort();
	}
}

/* Clears the entries of a range that is prepared */
void mmu_clear(struct vm *vm, uint64_t va, uint64_t size)
{
	uint64_t end = va + size, next;

	for (; va < end; va = next) {
		uint64_t *pte = big_entry(vm, va, false, &next), *table;

		next = min_u64(end, next);
		if (!pte || !(load(pte) & ANPU_PTE_VALID))
			continue;
		if (!is_table(load(pte))) {
			store(pte, 0);
			continue;
		}
		table = table_at(vm->dev, load(pte) & ANPU_PTE_ADDR);
		uncont_ends(table, va, next);
		for (; va < next; va += ANPU_PAGE_4K)
			store(&table[index_of(va, LAST)], 0);
	}
}

static bool is_empty(const uint64_t *table)
{
	for (unsigned int i = 0; i < ANPU_PT_ENTRIES; i++)
		if (load(&table[i]) & ANPU_PTE_VALID)
			return false;
	return true;
}

/* Without memory for the list a table stays, empty, and serves a later bind */
static bool put_aside(uint64_t **unused, unsigned int *n, uint64_t addr)
{
	uint64_t *list = *unused;

	if (!(*n & (*n - 1))) {
		list = realloc(list, (*n ? 2 * *n : 1) * sizeof(*list));
		if (!list)
			return false;
		*unused = list;
	}
	list[(*n)++] = addr;
	return true;
}

/* Returns whether the table has become empty */
static bool prune(struct vm *vm, uint64_t *table, unsigned int level, uint64_t va, uint64_t last,
		  uint64_t **unused, unsigned int *n)
{
	unsigned int from = index_of(va, level), to = index_of(last, level), i;

	for (i = from; level < LAST && i <= to; i++) {
		uint64_t low = i == from ? va : 0, high = i == to ? last : ~0ULL, pte = load(&table[i]);

		if (!is_table(pte) ||
		    !prune(vm, table_at(vm->dev, pte & ANPU_PTE_ADDR), level + 1, low, high, unused, n))
			continue;
		if (put_aside(unused, n, pte & ANPU_PTE_ADDR))
			store(&table[i], 0);
	}
	return is_empty(table);
}

void mmu_prune(struct vm *vm, uint64_t va, uint64_t size, uint64_t **unused, unsigned int *n)
{
	(void)prune(vm, table_at(vm->dev, vm->root), 0, va, va + size - 1, unused, n);
}

/* When this returns, no access of the device uses an entry that was cleared before */
void mmu_flush(struct device *dev, uint32_t asid)
{
	uint32_t resets = atomic_load(&dev->resets);
	uint64_t number;

	pthread_mutex_lock(&dev->tlb_lock);
	device_write(dev, ANPU_REG_TLB_INVALIDATE, asid);
	number = device_read(dev, ANPU_REG_TLB_ISSUED);
	pthread_mutex_unlock(&dev->tlb_lock);
	/* a reset makes the device forget everything, and restarts the numbers */
	while (device_read(dev, ANPU_REG_TLB_DONE) < number && atomic_load(&dev->resets) == resets)
		sched_yield();
}

void mmu_space_enter(struct vm *vm)
{
	store(&vm->dev->asids[vm->asid], ANPU_ASID_VALID | vm->root);
}

/* Device locked */
int mmu_space_init(struct vm *vm)
{
	struct device *dev = vm->dev;
	uint32_t asid = 1;

	while (asid < dev->config.asids && dev->asids[asid])
		asid++;
	if (asid == dev->config.asids)
		return -ENOSPC;
	vm->root = take_table(dev);
	if (!vm->root)
		return -ENOSPC;
	vm->asid = asid;
	mmu_space_enter(vm);
	return 0;
}

/* Everything was unmapped, so the top table is empty */
void mmu_space_fini(struct vm *vm)
{
	store(&vm->dev->asids[vm->asid], 0);
	mmu_flush(vm->dev, vm->asid);
	pthread_mutex_lock(&vm->dev->lock);
	mmu_give_table(vm->dev, vm->root);
	pthread_mutex_unlock(&vm->dev->lock);
}
