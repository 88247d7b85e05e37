/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_MMU_H
#define ANPU_MMU_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/types.h>

#include <anpu/anpu_hw.h>

#include "device/anpu_user.h"

struct anpu_bo;
struct anpu_device;
struct anpu_slab;
struct anpu_vm;

/**
 * struct anpu_table - one page table
 * @slab: where its HBM comes from
 * @charge: who pays for its part of that
 * @addr: HBM address
 * @pte: its entries
 * @level: 0 (top) to ANPU_PT_LEVELS - 1
 * @used: valid entries
 * @valid: which those are; the device's own copy is not relied on
 * @link: in a list of tables to be freed
 * @child: tables below; only if @level is not the last. The driver never follows what it reads
 *	from HBM
 */
struct anpu_table {
	struct anpu_slab *slab;
	struct anpu_charge charge;
	u64 addr;
	u64 *pte;
	u32 level;
	u32 used;
	DECLARE_BITMAP(valid, ANPU_PT_ENTRIES);
	struct list_head link;
	struct anpu_table *child[];
};

int anpu_mmu_init(struct anpu_vm *vm);
void anpu_mmu_fini(struct anpu_vm *vm);
int anpu_mmu_prepare(struct anpu_vm *vm, u64 va, u64 size, struct anpu_bo *bo, u64 offset);
void anpu_mmu_map(struct anpu_vm *vm, u64 va, u64 size, struct anpu_bo *bo, u64 offset, u32 flags);
void anpu_mmu_clear(struct anpu_vm *vm, u64 va, u64 size);
void anpu_mmu_prune(struct anpu_vm *vm, u64 va, u64 size, struct list_head *unused);
void anpu_mmu_free_tables(struct anpu_vm *vm, struct list_head *unused);
void anpu_mmu_restore(struct anpu_vm *vm);
void anpu_mmu_flush(struct anpu_device *adev, u32 asid);

#endif /* ANPU_MMU_H */
