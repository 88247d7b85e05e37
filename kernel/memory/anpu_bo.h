/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_BO_H
#define ANPU_BO_H

#include <linux/dma-buf.h>
#include <linux/scatterlist.h>

#include <drm/drm_gem.h>

#include "device/anpu_device.h"

struct anpu_file;

/* Internal types: memory that another driver has exported and pinned; HBM of another ANPU. */
#define ANPU_BO_IMPORTED	100
#define ANPU_BO_PEER		101

/**
 * struct anpu_bo - a buffer object
 * @base: GEM's part
 * @type: enum drm_anpu_bo_type, ANPU_BO_IMPORTED or ANPU_BO_PEER
 * @flags: DRM_ANPU_BO_*
 * @chunks: HBM: pieces in order of offset, struct anpu_chunk
 * @index: HBM: the same as an array
 * @n_chunks: HBM: elements of @index
 * @charge: HBM: who pays for it
 * @dummy: HBM: what is mapped when the device is gone, or NULL
 * @pages: SYSTEM and USERPTR: the pages
 * @sgt: the same as the device reaches them
 * @dma: DMA address of each page, for all but HBM
 * @dma_link: in the device's list of objects with DMA addresses
 * @dma_mapped: @pages are mapped for DMA
 * @dma_alloc: @pages are from dma_alloc_pages(), there is no @sgt
 * @mm: USERPTR: whose memory it is, for accounting
 * @user_ptr: USERPTR: where it is
 * @import_link: imported: in anpu_device.imports
 * @live: PEER: @dma may be bound, under anpu_device.peer_lock
 * @mappings: PEER: mappings that the device may know, under anpu_device.peer_lock
 */
struct anpu_bo {
	struct drm_gem_object base;
	u32 type;
	u32 flags;

	struct list_head chunks;
	struct anpu_chunk **index;
	u32 n_chunks;
	struct anpu_charge charge;
	struct page *dummy;

	struct page **pages;
	struct sg_table *sgt;
	dma_addr_t *dma;
	struct list_head dma_link;
	bool dma_mapped;
	bool dma_alloc;

	struct mm_struct *mm;
	u64 user_ptr;

	struct list_head import_link;
	bool live;
	struct list_head mappings;
};

static inline struct anpu_bo *to_anpu_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct anpu_bo, base);
}

static inline struct anpu_device *anpu_bo_device(struct anpu_bo *bo)
{
	return to_anpu_device(bo->base.dev);
}

/* Also for NULL and error pointers. */
static inline void anpu_bo_put(struct anpu_bo *bo)
{
	if (!IS_ERR_OR_NULL(bo))
		drm_gem_object_put(&bo->base);
}

DEFINE_FREE(anpu_bo, struct anpu_bo *, anpu_bo_put(_T))

struct anpu_bo *anpu_bo_lookup(struct drm_file *drm_file, u32 handle);
u64 anpu_bo_addr(struct anpu_bo *bo, u64 offset, u64 max, u64 *span);
u64 anpu_bo_read(struct anpu_bo *bo, u64 offset, u32 width);
bool anpu_bo_exported(const struct dma_buf *dma_buf);
void anpu_bo_show_fdinfo(struct drm_printer *p, struct drm_file *drm_file);
int anpu_bo_map_dma(struct anpu_bo *bo);
void anpu_bo_unmap_dma_all(struct anpu_device *adev);
int anpu_bo_index_dma(struct anpu_bo *bo, struct sg_table *sgt);
struct anpu_bo *anpu_bo_new(struct drm_device *drm, u64 size, u32 type, u32 flags);
int anpu_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);
int anpu_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file);

#endif /* ANPU_BO_H */
