/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_HBM_H
#define ANPU_HBM_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_mm.h>

#include "device/anpu_user.h"

struct anpu_device;
struct dmem_cgroup_region;
struct drm_anpu_memory_info;
struct seq_file;

/**
 * struct anpu_region - a piece of HBM that belongs to the driver itself
 * @node: in the HBM's allocator
 * @addr: HBM address
 * @size: bytes
 * @cpu: the driver's view of it
 * @charge: who pays for it
 */
struct anpu_region {
	struct drm_mm_node node;
	u64 addr;
	u64 size;
	void *cpu;
	struct anpu_charge charge;
};

/**
 * struct anpu_chunk - a contiguous piece of HBM of a buffer object
 * @node: in the HBM's allocator
 * @link: in a list of chunks
 * @offset: where it begins in the object
 */
struct anpu_chunk {
	struct drm_mm_node node;
	struct list_head link;
	u64 offset;
};

/**
 * struct anpu_hbm - the owners of the parts of the device memory
 * @lock: of all the members
 * @mm: the allocator
 * @total: bytes that buffer objects can have in all
 * @free: bytes not in use, those being cleared included
 * @dirty: a bit per page that some owner may have written since it was last cleared
 * @scrub: chunks whose owner is gone, to be cleared before they go back to @mm
 * @scrub_work: clears them
 * @tables: slabs of page tables with room
 * @cgroup: the region of the dmem cgroup, or NULL
 */
struct anpu_hbm {
	struct mutex lock; /* of all below */
	struct drm_mm mm;
	u64 total;
	u64 free;
	unsigned long *dirty;
	struct list_head scrub;
	struct work_struct scrub_work;
	struct list_head tables;
	struct dmem_cgroup_region *cgroup;
};

void anpu_hbm_distrust(struct anpu_device *adev);
bool anpu_hbm_pristine(struct anpu_device *adev);
void anpu_hbm_prepare(struct anpu_device *adev);
int anpu_hbm_init(struct anpu_device *adev, bool pristine);
void anpu_hbm_fini(struct anpu_device *adev);
struct anpu_region *anpu_region_create(struct anpu_device *adev, u64 size, u64 align,
				       struct anpu_user *user);
void anpu_region_destroy(struct anpu_device *adev, struct anpu_region *region);
int anpu_chunks_create(struct anpu_device *adev, u64 size, bool contiguous,
		       struct list_head *chunks);
void anpu_chunks_destroy(struct anpu_device *adev, struct list_head *chunks, u64 size);
void anpu_hbm_info(struct anpu_device *adev, struct drm_anpu_memory_info *info);
void anpu_hbm_show(struct anpu_device *adev, struct seq_file *m);

#endif /* ANPU_HBM_H */
