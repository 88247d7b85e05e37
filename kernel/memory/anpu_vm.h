/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_VM_H
#define ANPU_VM_H

#include <linux/rbtree.h>

#include "anpu_bo.h"

/**
 * struct anpu_mapping - a range of an address space that shows part of an object
 * @rb: in the address space's tree
 * @va: first virtual address
 * @last: last one
 * @bo: the object, a reference is held
 * @offset: where in the object the range begins
 * @flags: DRM_ANPU_VM_*
 * @link: in the list of new or removed mappings of a bind that is under way
 * @bind: number of the bind that made it
 * @fresh: that bind is to write its entries; those of a part of an older mapping are there
 * @vm: address space
 * @bo_link: PEER objects: in anpu_bo.mappings unless the object was revoked
 */
struct anpu_mapping {
	struct rb_node rb;
	u64 va;
	u64 last;
	struct anpu_bo *bo;
	u64 offset;
	u32 flags;
	bool fresh;
	struct list_head link;
	u64 bind;
	struct anpu_vm *vm;
	struct list_head bo_link;
};

/**
 * struct anpu_vm - an address space
 * @adev: device
 * @user: who pays for its page tables
 * @asid: its number on the device
 * @lock: of the members below
 * @mappings: tree of struct anpu_mapping, none of which overlap
 * @binds: binds so far
 * @root: top page table
 * @tables: page tables
 * @mapped: bytes mapped
 */
struct anpu_vm {
	struct anpu_device *adev;
	struct anpu_user *user;
	u32 asid;
	struct mutex lock; /* of the tree and the tables */
	struct rb_root mappings;
	u64 binds;
	struct anpu_table *root;
	u32 tables;
	u64 mapped;
};

int anpu_vm_module_init(void);
void anpu_vm_module_fini(void);
struct anpu_vm *anpu_vm_create(struct anpu_device *adev, struct anpu_user *user);
void anpu_vm_destroy(struct anpu_vm *vm);
void anpu_vm_zap(struct anpu_vm *vm, struct anpu_bo *bo, bool flush);
void anpu_vm_restore(struct anpu_vm *vm);
void anpu_vm_print(struct anpu_vm *vm, struct drm_printer *p, unsigned long max);
int anpu_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_VM_H */
