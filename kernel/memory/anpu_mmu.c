// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device's MMU: page tables in HBM, address space numbers, invalidation.
 *
 * A bind is done in steps, see anpu_vm.c: prepare makes every table that is needed and may fail;
 * map and clear only write entries and cannot fail; flush waits until the device has forgotten the
 * old ones; then tables that became empty are freed. The driver never reads its way through tables
 * in HBM: it keeps the tree in struct anpu_table.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "anpu_bo.h"
#include "anpu_hbm.h"
#include "anpu_mmu.h"
#include "anpu_vm.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "reset/anpu_reset.h"

#define ANPU_SLAB_TABLES	16
/* The device acknowledges within microseconds: do not sleep before that has been tried. */
#define ANPU_FLUSH_SPIN		200

/**
 * struct anpu_slab - sixteen page tables' worth of HBM
 * @link: in anpu_hbm.tables while there is room
 * @mem: HBM
 * @used: a bit per table
 */
struct anpu_slab {
	struct list_head link;
	struct anpu_region *mem;
	u32 used;
};

#define ANPU_SLAB_FULL		(BIT(ANPU_SLAB_TABLES) - 1)

/* Tables --------------------------------------------------------------------------------------- */

static struct anpu_slab *anpu_slab_create(struct anpu_device *adev)
{
	struct anpu_slab *slab = kzalloc(sizeof(*slab), GFP_KERNEL_ACCOUNT);

	if (!slab)
		return ERR_PTR(-ENOMEM);
	slab->mem = anpu_region_create(adev, ANPU_SLAB_TABLES * ANPU_PT_SIZE, SZ_64K, NULL);
	if (IS_ERR(slab->mem)) {
		int ret = PTR_ERR(slab->mem);

		kfree(slab);
		return ERR_PTR(ret);
	}
	return slab;
}

static u32 anpu_slab_take(struct anpu_slab *slab)
{
	u32 slot = ffz(slab->used);

	slab->used |= BIT(slot);
	if (slab->used == ANPU_SLAB_FULL)
		list_del_init(&slab->link);
	return slot;
}

/* A slot of a slab, from one that has room or from a new one. */
static struct anpu_slab *anpu_slab_get(struct anpu_device *adev, u32 *slot)
{
	struct anpu_slab *slab;

	scoped_guard(mutex, &adev->hbm.lock) {
		slab = list_first_entry_or_null(&adev->hbm.tables, struct anpu_slab, link);
		if (slab) {
			*slot = anpu_slab_take(slab);
			return slab;
		}
	}
	slab = anpu_slab_create(adev);
	if (IS_ERR(slab))
		return slab;
	guard(mutex)(&adev->hbm.lock);
	list_add(&slab->link, &adev->hbm.tables);
	*slot = anpu_slab_take(slab);
	return slab;
}

static void anpu_slab_put(struct anpu_device *adev, struct anpu_slab *slab, u32 slot)
{
	scoped_guard(mutex, &adev->hbm.lock) {
		if (slab->used == ANPU_SLAB_FULL)
			list_add(&slab->link, &adev->hbm.tables);
		slab->used &= ~BIT(slot);
		if (slab->used)
			return;
		list_del(&slab->link);
	}
	anpu_region_destroy(adev, slab->mem);
	kfree(slab);
}

static struct anpu_table *anpu_table_create(struct anpu_vm *vm, u32 level)
{
	size_t children = level < ANPU_PT_LEVELS - 1 ? ANPU_PT_ENTRIES : 0;
	struct anpu_table *table;
	u32 slot;
	int ret;

	table = kzalloc(struct_size(table, child, children), GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = anpu_charge_hbm(vm->adev, vm->user, ANPU_PT_SIZE, &table->charge);
	if (ret) {
		kfree(table);
		return ERR_PTR(ret);
	}
	table->slab = anpu_slab_get(vm->adev, &slot);
	if (IS_ERR(table->slab)) {
		ret = PTR_ERR(table->slab);
		anpu_uncharge_hbm(vm->adev, &table->charge);
		kfree(table);
		return ERR_PTR(ret);
	}
	table->level = level;
	table->addr = table->slab->mem->addr + slot * ANPU_PT_SIZE;
	table->pte = table->slab->mem->cpu + slot * ANPU_PT_SIZE;
	memset(table->pte, 0, ANPU_PT_SIZE);
	INIT_LIST_HEAD(&table->link);
	vm->tables++;
	return table;
}

static void anpu_table_destroy(struct anpu_vm *vm, struct anpu_table *table)
{
	u32 slot = (table->addr - table->slab->mem->addr) / ANPU_PT_SIZE;

	anpu_slab_put(vm->adev, table->slab, slot);
	anpu_uncharge_hbm(vm->adev, &table->charge);
	vm->tables--;
	kfree(table);
}

static void anpu_table_destroy_tree(struct anpu_vm *vm, struct anpu_table *table)
{
	if (table->level < ANPU_PT_LEVELS - 1) {
		for (u32 i = 0; i < ANPU_PT_ENTRIES; i++) {
			if (table->child[i])
				anpu_table_destroy_tree(vm, table->child[i]);
		}
	}
	anpu_table_destroy(vm, table);
}

/* Entries -------------------------------------------------------------------------------------- */

static u32 anpu_pt_index(u64 va, u32 level)
{
	return (va >> ANPU_PT_SHIFT(level)) & (ANPU_PT_ENTRIES - 1);
}

static void anpu_pte_set(struct anpu_table *table, u32 index, u64 pte)
{
	bool was = test_bit(index, table->valid), is = pte & ANPU_PTE_VALID;

	if (was != is) {
		__change_bit(index, table->valid);
		table->used += is - was;
	}
	WRITE_ONCE(table->pte[index], pte);
}

static struct anpu_table *anpu_table_child(struct anpu_vm *vm, struct anpu_table *table, u32 index)
{
	struct anpu_table *child = table->child[index];

	if (child)
		return child;
	child = anpu_table_create(vm, table->level + 1);
	if (IS_ERR(child))
		return child;
	table->child[index] = child;
	/* The device may walk as soon as the entry is there: the zeros must be before it. */
	anpu_hbm_wmb(vm->adev->hbm_coherent);
	anpu_pte_set(table, index, ANPU_PTE_VALID | child->addr);
	return child;
}

/* Fills a table with small leaves that show the same as a big leaf, so that a part can change. */
static int anpu_table_split(struct anpu_vm *vm, struct anpu_table *table, u32 index)
{
	u64 pte = table->pte[index];
	struct anpu_table *child = anpu_table_create(vm, table->level + 1);

	if (IS_ERR(child))
		return PTR_ERR(child);
	for (u32 i = 0; i < ANPU_PT_ENTRIES; i++)
		anpu_pte_set(child, i, (pte | ANPU_PTE_CONT) + i * ANPU_PAGE_4K);
	table->child[index] = child;
	/* As in anpu_table_child(). */
	anpu_hbm_wmb(vm->adev->hbm_coherent);
	WRITE_ONCE(table->pte[index], ANPU_PTE_VALID | child->addr);
	return 0;
}

/* The table of level 2 (whose entries are 2 MiB) for an address; made if there is none yet. */
static struct anpu_table *anpu_table_walk(struct anpu_vm *vm, u64 va)
{
	struct anpu_table *table = vm->root;

	while (table->level < ANPU_PT_LEVELS - 2) {
		table = anpu_table_child(vm, table, anpu_pt_index(va, table->level));
		if (IS_ERR(table))
			return table;
	}
	return table;
}

/* Returns the table if there is one, else NULL; @next: the address up to which there is none. */
static struct anpu_table *anpu_table_find(struct anpu_vm *vm, u64 va, u64 *next)
{
	struct anpu_table *table = vm->root;

	while (table && table->level < ANPU_PT_LEVELS - 2) {
		u64 span = BIT_ULL(ANPU_PT_SHIFT(table->level));

		*next = ALIGN_DOWN(va, span) + span;
		table = table->child[anpu_pt_index(va, table->level)];
	}
	return table;
}

static bool anpu_big_leaf_fits(struct anpu_bo *bo, u64 va, u64 size, u64 offset, u64 *addr)
{
	u64 span;

	if (!IS_ALIGNED(va, ANPU_PAGE_2M) || size < ANPU_PAGE_2M)
		return false;
	*addr = anpu_bo_addr(bo, offset, ANPU_PAGE_2M, &span);
	return span == ANPU_PAGE_2M && IS_ALIGNED(*addr, ANPU_PAGE_2M);
}

/* Binding -------------------------------------------------------------------------------------- */

/**
 * anpu_mmu_prepare() - make the tables that mapping or clearing a range will need
 * @vm: address space, locked
 * @va: begin of the range
 * @size: bytes
 * @bo: what will be mapped, NULL for clearing
 * @offset: in @bo
 *
 * The tables show the same memory as before.
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int anpu_mmu_prepare(struct anpu_vm *vm, u64 va, u64 size, struct anpu_bo *bo, u64 offset)
{
	u64 end = va + size, next;

	for (; va < end; offset += next - va, va = next) {
		u32 index = anpu_pt_index(va, ANPU_PT_LEVELS - 2);
		struct anpu_table *table, *child;
		u64 addr;
		bool whole;

		cond_resched();
		next = min(end, ALIGN_DOWN(va, ANPU_PAGE_2M) + ANPU_PAGE_2M);
		whole = next - va == ANPU_PAGE_2M;
		/*
		 * Clearing whole leaves needs no table. The ends of the range may cut leaves that
		 * an earlier operation of the same bind is going to map.
		 */
		if (!bo && whole) {
			next = ALIGN_DOWN(end, ANPU_PAGE_2M);
			continue;
		}
		table = anpu_table_walk(vm, va);
		if (IS_ERR(table))
			return PTR_ERR(table);
		if (table->child[index])
			continue;
		if (bo && anpu_big_leaf_fits(bo, va, end - va, offset, &addr))
			continue;
		if (test_bit(index, table->valid)) {
			int ret = anpu_table_split(vm, table, index);

			if (ret)
				return ret;
			continue;
		}
		child = anpu_table_child(vm, table, index);
		if (IS_ERR(child))
			return PTR_ERR(child);
	}
	return 0;
}

/* The other leaves of a 64 KiB page that is cut become ordinary leaves. */
static void anpu_uncont(struct anpu_table *table, u64 va)
{
	u32 first = anpu_pt_index(ALIGN_DOWN(va, ANPU_PAGE_64K), ANPU_PT_LEVELS - 1);

	/* Either all sixteen entries have the bit or none of them. */
	if (IS_ALIGNED(va, ANPU_PAGE_64K) || !(READ_ONCE(table->pte[first]) & ANPU_PTE_CONT))
		return;
	for (u32 i = first; i < first + 16; i++)
		WRITE_ONCE(table->pte[i], table->pte[i] & ~ANPU_PTE_CONT);
}

static void anpu_map_small(struct anpu_table *table, u64 va, u64 end, struct anpu_bo *bo,
			   u64 offset, u64 flags)
{
	anpu_uncont(table, va);
	if (anpu_pt_index(end, ANPU_PT_LEVELS - 1))
		anpu_uncont(table, end);
	while (va < end) {
		u64 span, addr = anpu_bo_addr(bo, offset, min(end - va, ANPU_PAGE_64K), &span);
		u64 cont = 0;

		if (span == ANPU_PAGE_64K && IS_ALIGNED(va | addr, ANPU_PAGE_64K))
			cont = ANPU_PTE_CONT;
		else if (!IS_ALIGNED(va | addr, ANPU_PAGE_64K))
			span = ANPU_PAGE_4K;
		for (u64 n = 0; n < span; n += ANPU_PAGE_4K)
			anpu_pte_set(table, anpu_pt_index(va + n, ANPU_PT_LEVELS - 1),
				     (addr + n) | flags | cont);
		va += span;
		offset += span;
	}
}

/**
 * anpu_mmu_map() - write the entries of a range
 * @vm: address space, locked
 * @va: begin of the range, prepared and clear
 * @size: bytes
 * @bo: object
 * @offset: in @bo
 * @flags: DRM_ANPU_VM_*
 */
void anpu_mmu_map(struct anpu_vm *vm, u64 va, u64 size, struct anpu_bo *bo, u64 offset, u32 flags)
{
	u64 end = va + size, pte = ANPU_PTE_VALID | ANPU_PTE_LEAF | ANPU_PTE_READ, next;

	/* VM_BIND takes no mapping that cannot be read. */
	if (flags & DRM_ANPU_VM_WRITE)
		pte |= ANPU_PTE_WRITE;
	if (flags & DRM_ANPU_VM_EXEC)
		pte |= ANPU_PTE_EXEC;
	if (bo->type != DRM_ANPU_BO_HBM)
		pte |= ANPU_PTE_SYSTEM;

	for (; va < end; offset += next - va, va = next) {
		struct anpu_table *table = anpu_table_find(vm, va, &next);
		u32 index = anpu_pt_index(va, ANPU_PT_LEVELS - 2);
		u64 addr;

		cond_resched();
		next = min(end, ALIGN_DOWN(va, ANPU_PAGE_2M) + ANPU_PAGE_2M);
		if (WARN_ON(!table))
			return;
		if (table->child[index])
			anpu_map_small(table->child[index], va, next, bo, offset, pte);
		else if (!WARN_ON(!anpu_big_leaf_fits(bo, va, end - va, offset, &addr)))
			anpu_pte_set(table, index, addr | pte);
	}
}

/**
 * anpu_mmu_clear() - clear the entries of a range
 * @vm: address space, locked
 * @va: begin of the range, prepared
 * @size: bytes
 */
void anpu_mmu_clear(struct anpu_vm *vm, u64 va, u64 size)
{
	u64 end = va + size, next;

	for (; va < end; va = next) {
		struct anpu_table *table = anpu_table_find(vm, va, &next);
		u32 index = anpu_pt_index(va, ANPU_PT_LEVELS - 2);

		cond_resched();
		if (!table || !table->used)
			continue;
		next = min(end, ALIGN_DOWN(va, ANPU_PAGE_2M) + ANPU_PAGE_2M);
		if (!table->child[index]) {
			anpu_pte_set(table, index, 0);
			continue;
		}
		table = table->child[index];
		if (!table->used)
			continue;
		anpu_uncont(table, va);
		if (anpu_pt_index(next, ANPU_PT_LEVELS - 1))
			anpu_uncont(table, next);
		for (; va < next; va += ANPU_PAGE_4K)
			anpu_pte_set(table, anpu_pt_index(va, ANPU_PT_LEVELS - 1), 0);
	}
}

/* Returns whether @table has become empty. */
static bool anpu_prune(struct anpu_table *table, u64 va, u64 last, struct list_head *unused)
{
	u32 from = anpu_pt_index(va, table->level), to = anpu_pt_index(last, table->level);

	if (table->level == ANPU_PT_LEVELS - 1)
		return !table->used;
	cond_resched();
	for (u32 i = from; i <= to; i++) {
		u64 low = i == from ? va : 0, high = i == to ? last : ~0ULL;

		if (!table->child[i] || !anpu_prune(table->child[i], low, high, unused))
			continue;
		anpu_pte_set(table, i, 0);
		list_add(&table->child[i]->link, unused);
		table->child[i] = NULL;
	}
	return !table->used;
}

/**
 * anpu_mmu_prune() - take tables that show nothing any more out of the tree
 * @vm: address space, locked
 * @va: begin of a range that changed
 * @size: bytes
 * @unused: receives the tables, to be freed when the device has forgotten them
 */
void anpu_mmu_prune(struct anpu_vm *vm, u64 va, u64 size, struct list_head *unused)
{
	anpu_prune(vm->root, va, va + size - 1, unused);
}

/**
 * anpu_mmu_free_tables() - free what anpu_mmu_prune() has taken out
 * @vm: address space, locked
 * @unused: list of tables
 */
void anpu_mmu_free_tables(struct anpu_vm *vm, struct list_head *unused)
{
	struct anpu_table *table, *next;

	list_for_each_entry_safe(table, next, unused, link)
		anpu_table_destroy(vm, table);
	INIT_LIST_HEAD(unused);
}

static u64 *anpu_asid_entry(struct anpu_vm *vm)
{
	return (u64 *)vm->adev->asid_mem->cpu + vm->asid;
}

/* Everything but leaves. */
static void anpu_table_restore(struct anpu_table *table)
{
	bitmap_zero(table->valid, ANPU_PT_ENTRIES);
	table->used = 0;
	memset(table->pte, 0, ANPU_PT_SIZE);
	cond_resched();
	for (u32 i = 0; table->level < ANPU_PT_LEVELS - 1 && i < ANPU_PT_ENTRIES; i++) {
		if (!table->child[i])
			continue;
		anpu_table_restore(table->child[i]);
		anpu_pte_set(table, i, ANPU_PTE_VALID | table->child[i]->addr);
	}
}

/**
 * anpu_mmu_restore() - write the page tables anew, as if nothing was mapped
 * @vm: address space, locked, which no queue uses
 */
void anpu_mmu_restore(struct anpu_vm *vm)
{
	anpu_table_restore(vm->root);
	WRITE_ONCE(*anpu_asid_entry(vm), ANPU_ASID_VALID | vm->root->addr);
}

/* Invalidation --------------------------------------------------------------------------------- */

static bool anpu_flush_done(struct anpu_device *adev, u64 number, u32 gen)
{
	unsigned long timeout = jiffies + anpu_patience();

	for (unsigned int tries = 0;; tries++) {
		u64 done = anpu_read(adev, ANPU_REG_TLB_DONE);

		/* A device that is gone reads as all ones: it has acknowledged nothing. */
		if (done >= number && done != U64_MAX)
			return true;
		/* A reset makes the device forget all translations, and restarts the numbers. */
		if (READ_ONCE(adev->reset_gen) != gen)
			return true;
		if (time_after(jiffies, timeout))
			return false;
		if (tries < ANPU_FLUSH_SPIN)
			cpu_relax();
		else
			usleep_range(20, 50);
	}
}

/**
 * anpu_mmu_flush() - make the device forget what the tables of an address space said
 * @adev: device, in a section of anpu_enter()
 * @asid: address space
 *
 * When this returns, no access of the device uses an entry that was cleared before: either the
 * device has said so, or it was reset, or it is cut off from the bus.
 */
void anpu_mmu_flush(struct anpu_device *adev, u32 asid)
{
	u32 gen;
	bool done;

	/* The device is cut off from the bus, and its queues were stopped or the device is gone. */
	if (anpu_cut_off(adev))
		return;
	scoped_guard(mutex, &adev->tlb_lock) {
		u64 number;

		gen = READ_ONCE(adev->reset_gen);
		/* The entries were written to memory; the register write is ordered behind. */
		wmb();
		anpu_write(adev, ANPU_REG_TLB_INVALIDATE, asid);
		number = anpu_read(adev, ANPU_REG_TLB_ISSUED);
		done = anpu_flush_done(adev, number, gen);
	}
	if (!done)
		anpu_reset_device(adev, gen, "it does not acknowledge a TLB invalidation");
}

/* Address spaces ------------------------------------------------------------------------------- */

/**
 * anpu_mmu_init() - give an address space its number and its top table
 * @vm: address space
 *
 * Return: 0, -ENOSPC or -ENOMEM.
 */
int anpu_mmu_init(struct anpu_vm *vm)
{
	int asid = ida_alloc_range(&vm->adev->asids, 1, vm->adev->n_asids - 1, GFP_KERNEL);

	if (asid < 0)
		return asid;
	vm->asid = asid;
	vm->root = anpu_table_create(vm, 0);
	if (IS_ERR(vm->root)) {
		ida_free(&vm->adev->asids, asid);
		return PTR_ERR(vm->root);
	}
	/* The top table is empty before the device can find it. */
	anpu_hbm_wmb(vm->adev->hbm_coherent);
	WRITE_ONCE(*anpu_asid_entry(vm), ANPU_ASID_VALID | vm->root->addr);
	return 0;
}

/**
 * anpu_mmu_fini() - end of an address space that no queue uses any more
 * @vm: address space
 */
void anpu_mmu_fini(struct anpu_vm *vm)
{
	struct anpu_device *adev = vm->adev;

	/* If there is no device, removal has stopped it before: anpu_device_kill(). */
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx >= 0) {
		WRITE_ONCE(*anpu_asid_entry(vm), 0);
		anpu_mmu_flush(adev, vm->asid);
	}
	anpu_table_destroy_tree(vm, vm->root);
	ida_free(&adev->asids, vm->asid);
}
