// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Buffer objects in HBM and system memory: making, mapping into processes, sharing.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_prime.h>

#include "anpu_bo.h"
#include "anpu_hbm.h"
#include "anpu_peer.h"
#include "anpu_userptr.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "reset/anpu_pm.h"
#include "stream/anpu_map.h"
#include "stream/anpu_stream.h"

/* Pages of a system object come in runs of at most this order: what one big leaf maps. */
#define ANPU_PAGE_ORDER_MAX	get_order(ANPU_PAGE_2M)
/* Pages that one page fault brings into a process. */
#define ANPU_FAULT_AROUND	(SZ_2M >> PAGE_SHIFT)
/*
 * The device and programs access memory at any time without telling the driver, so there is no
 * moment at which caches could be synchronised: both sides map it coherently. And pages of user
 * memory may be registered twice.
 */
#define ANPU_DMA_ATTRS		DMA_ATTR_SKIP_CPU_SYNC

/* Helpers -------------------------------------------------------------------------------------- */

/**
 * anpu_bo_lookup() - find an object by its handle
 * @drm_file: whose handle
 * @handle: GEM handle
 *
 * Return: the object with a reference, or NULL.
 */
struct anpu_bo *anpu_bo_lookup(struct drm_file *drm_file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(drm_file, handle);

	return obj ? to_anpu_bo(obj) : NULL;
}

static struct anpu_chunk *anpu_bo_chunk(struct anpu_bo *bo, u64 offset)
{
	u32 low = 0, high = bo->n_chunks - 1;

	while (low < high) {
		u32 mid = low + (high - low + 1) / 2;

		if (bo->index[mid]->offset <= offset)
			low = mid;
		else
			high = mid - 1;
	}
	return bo->index[low];
}

/**
 * anpu_bo_addr() - where the device finds a page of an object
 * @bo: object
 * @offset: of the page
 * @max: how many contiguous bytes the caller can use
 * @span: out: how many there are, at most @max
 *
 * Return: HBM address for HBM objects, else DMA address.
 */
u64 anpu_bo_addr(struct anpu_bo *bo, u64 offset, u64 max, u64 *span)
{
	u64 page = offset >> PAGE_SHIFT, within = offset & ~PAGE_MASK, n = 1, addr;

	if (bo->type == DRM_ANPU_BO_HBM) {
		struct anpu_chunk *chunk = anpu_bo_chunk(bo, offset);

		offset -= chunk->offset;
		*span = min(max, chunk->node.size - offset);
		return chunk->node.start + offset;
	}

	addr = bo->dma[page];
	while ((n << PAGE_SHIFT) - within < max && bo->dma[page + n] == addr + (n << PAGE_SHIFT))
		n++;
	*span = min(max, (n << PAGE_SHIFT) - within);
	return addr + within;
}

/**
 * anpu_bo_read() - read a number in an object, as the CPU sees it
 * @bo: HBM or SYSTEM object
 * @offset: aligned to @width, inside the object
 * @width: 4 or 8
 *
 * Does not sleep. What was written before the number is there for reads behind this.
 *
 * Return: the number.
 */
u64 anpu_bo_read(struct anpu_bo *bo, u64 offset, u32 width)
{
	void *base = NULL;
	const void *p;
	u64 value, span;

	if (bo->type == DRM_ANPU_BO_HBM) {
		p = anpu_bo_device(bo)->hbm_cpu + anpu_bo_addr(bo, offset, width, &span);
	} else {
		base = kmap_local_page(bo->pages[offset >> PAGE_SHIFT]);
		p = base + offset_in_page(offset);
	}
	value = width == 8 ? READ_ONCE(*(const u64 *)p) : READ_ONCE(*(const u32 *)p);
	anpu_hbm_rmb(anpu_bo_device(bo)->hbm_coherent);
	if (base)
		kunmap_local(base);
	return value;
}

/* HBM objects ---------------------------------------------------------------------------------- */

static int anpu_bo_fill_hbm(struct anpu_bo *bo, struct anpu_user *user)
{
	struct anpu_device *adev = anpu_bo_device(bo);
	struct anpu_chunk *chunk;
	int ret;

	ret = anpu_charge_hbm(adev, user, bo->base.size, &bo->charge);
	if (ret)
		return ret;
	ret = anpu_chunks_create(adev, bo->base.size, bo->flags & DRM_ANPU_BO_CONTIGUOUS,
				 &bo->chunks);
	if (ret)
		return ret;

	bo->index = kvmalloc_array(list_count_nodes(&bo->chunks), sizeof(*bo->index),
				   GFP_KERNEL_ACCOUNT);
	if (!bo->index)
		return -ENOMEM;
	list_for_each_entry(chunk, &bo->chunks, link)
		bo->index[bo->n_chunks++] = chunk;
	return 0;
}

static void anpu_bo_free_hbm(struct anpu_bo *bo)
{
	kvfree(bo->index);
	if (bo->dummy)
		__free_page(bo->dummy);
	if (!list_empty(&bo->chunks))
		anpu_chunks_destroy(anpu_bo_device(bo), &bo->chunks, bo->base.size);
	anpu_uncharge_hbm(anpu_bo_device(bo), &bo->charge);
}

/* System objects ------------------------------------------------------------------------------- */

/* Pages that the device reaches without bounce buffers, wherever those may be. */
static int anpu_bo_alloc_dma_pages(struct anpu_bo *bo)
{
	struct anpu_device *adev = anpu_bo_device(bo);
	unsigned long count = bo->base.size >> PAGE_SHIFT;

	bo->dma = kvmalloc_array(count, sizeof(*bo->dma), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bo->dma)
		return -ENOMEM;
	scoped_guard(mutex, &adev->dma_lock) {
		bo->dma_alloc = true;
		bo->dma_mapped = true;
		list_add_tail(&bo->dma_link, &adev->dma_bos);
	}
	for (unsigned long i = 0; i < count; i++) {
		bo->pages[i] = dma_alloc_pages(&adev->pdev->dev, PAGE_SIZE, &bo->dma[i],
					       DMA_BIDIRECTIONAL,
					       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!bo->pages[i])
			return -ENOMEM;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static int anpu_bo_alloc_pages(struct anpu_bo *bo)
{
	unsigned long count = bo->base.size >> PAGE_SHIFT, i = 0;
	unsigned int order = ANPU_PAGE_ORDER_MAX;

	bo->pages = kvcalloc(count, sizeof(*bo->pages), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bo->pages)
		return -ENOMEM;
	if (anpu_bo_device(bo)->bounce)
		return anpu_bo_alloc_dma_pages(bo);
	while (i < count) {
		gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;
		struct page *page;

		order = min_t(unsigned int, order, ilog2(count - i));
		/* Long runs only save time, so no other task's memory is reclaimed for them. */
		if (order)
			gfp |= __GFP_NORETRY;
		else
			gfp |= __GFP_RETRY_MAYFAIL;
		page = alloc_pages(gfp, order);
		if (!page) {
			if (!order)
				return -ENOMEM;
			order--;
			continue;
		}
		/* Single pages, so that each can be mapped and put for itself. */
		if (order)
			split_page(page, order);
		for (unsigned long n = 0; n < 1UL << order; n++)
			bo->pages[i++] = page + n;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

static void anpu_bo_free_pages(struct anpu_bo *bo)
{
	unsigned long count = bo->base.size >> PAGE_SHIFT;

	for (unsigned long i = 0; bo->pages && i < count && bo->pages[i]; i++) {
		put_page(bo->pages[i]);
		cond_resched();
	}
	kvfree(bo->pages);
}

/* DMA addresses -------------------------------------------------------------------------------- */

static enum dma_data_direction anpu_bo_direction(const struct anpu_bo *bo)
{
	return bo->flags & DRM_ANPU_BO_READONLY ? DMA_TO_DEVICE : DMA_BIDIRECTIONAL;
}

/**
 * anpu_bo_index_dma() - where each page of an object is
 * @bo: object
 * @sgt: its DMA addresses
 *
 * Return: 0 or an error.
 */
int anpu_bo_index_dma(struct anpu_bo *bo, struct sg_table *sgt)
{
	unsigned long count = bo->base.size >> PAGE_SHIFT;

	bo->dma = kvmalloc_array(count, sizeof(*bo->dma), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bo->dma)
		return -ENOMEM;
	return drm_prime_sg_to_dma_addr_array(sgt, bo->dma, count);
}

/**
 * anpu_bo_map_dma() - make the pages of an object reachable for the device
 * @bo: object with its pages
 *
 * Return: 0 or an error.
 */
int anpu_bo_map_dma(struct anpu_bo *bo)
{
	struct anpu_device *adev = anpu_bo_device(bo);
	int ret;

	if (bo->dma_alloc)
		return 0;
	bo->sgt = kzalloc(sizeof(*bo->sgt), GFP_KERNEL_ACCOUNT);
	if (!bo->sgt)
		return -ENOMEM;
	ret = sg_alloc_table_from_pages(bo->sgt, bo->pages, bo->base.size >> PAGE_SHIFT, 0,
					bo->base.size, GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(bo->sgt);
		bo->sgt = NULL;
		return ret;
	}
	ret = dma_map_sgtable(&adev->pdev->dev, bo->sgt, anpu_bo_direction(bo), ANPU_DMA_ATTRS);
	if (ret)
		return ret;
	scoped_guard(mutex, &adev->dma_lock) {
		bo->dma_mapped = true;
		list_add_tail(&bo->dma_link, &adev->dma_bos);
	}
	return anpu_bo_index_dma(bo, bo->sgt);
}

/* Under dma_lock. The pages stay, as ordinary ones. */
static void anpu_bo_end_dma(struct anpu_bo *bo)
{
	struct device *dev = &anpu_bo_device(bo)->pdev->dev;
	unsigned long count = bo->base.size >> PAGE_SHIFT;

	if (!bo->dma_mapped)
		return;
	list_del_init(&bo->dma_link);
	bo->dma_mapped = false;
	if (!bo->dma_alloc) {
		dma_unmap_sgtable(dev, bo->sgt, anpu_bo_direction(bo), ANPU_DMA_ATTRS);
		return;
	}
	for (unsigned long i = 0; i < count && bo->pages[i]; i++) {
		get_page(bo->pages[i]);
		dma_free_pages(dev, PAGE_SIZE, bo->pages[i], bo->dma[i], DMA_BIDIRECTIONAL);
		cond_resched();
	}
}

static void anpu_bo_unmap_dma(struct anpu_bo *bo)
{
	struct anpu_device *adev = anpu_bo_device(bo);

	scoped_guard(mutex, &adev->dma_lock)
		anpu_bo_end_dma(bo);
	if (bo->sgt) {
		sg_free_table(bo->sgt);
		kfree(bo->sgt);
	}
	kvfree(bo->dma);
}

/**
 * anpu_bo_unmap_dma_all() - the driver lets go of the device: end all its DMA mappings
 * @adev: device that does no DMA any more
 *
 * The objects live on for the processes that have mapped them.
 */
void anpu_bo_unmap_dma_all(struct anpu_device *adev)
{
	struct anpu_bo *bo, *next;

	guard(mutex)(&adev->dma_lock);
	list_for_each_entry_safe(bo, next, &adev->dma_bos, dma_link)
		anpu_bo_end_dma(bo);
}

/* Mapping into processes ----------------------------------------------------------------------- */

static vm_fault_t anpu_bo_fault_hbm(struct anpu_bo *bo, struct vm_fault *vmf)
{
	struct anpu_device *adev = anpu_bo_device(bo);
	struct vm_area_struct *vma = vmf->vma;
	unsigned long start = ALIGN_DOWN(vmf->address, SZ_2M);
	unsigned long end = min(vma->vm_end, start + ANPU_FAULT_AROUND * PAGE_SIZE);
	unsigned long first = drm_vma_node_start(&bo->base.vma_node), addr;
	vm_fault_t ret = VM_FAULT_NOPAGE;

	CLASS(anpu_enter, idx)(&adev->drm);
	/* A mapping of a device that is gone shows zeros: its holder gets no SIGBUS. */
	if (idx < 0 || anpu_gone(adev)) {
		struct page *dummy = anpu_dummy_page(&bo->dummy);

		return dummy ? vmf_insert_pfn(vma, vmf->address, page_to_pfn(dummy)) : VM_FAULT_OOM;
	}

	/*
	 * The page that was asked for comes first and its error counts; the others only save later
	 * faults.
	 */
	for (addr = vmf->address; addr < end; addr += PAGE_SIZE) {
		u64 offset = ((addr - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff - first;
		u64 span, where = anpu_bo_addr(bo, offset << PAGE_SHIFT, PAGE_SIZE, &span);

		ret = vmf_insert_pfn(vma, addr, (adev->hbm_base + where) >> PAGE_SHIFT);
		if (ret != VM_FAULT_NOPAGE)
			return addr == vmf->address ? ret : VM_FAULT_NOPAGE;
	}
	return ret;
}

static vm_fault_t anpu_bo_fault_pages(struct anpu_bo *bo, struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long start = max(vma->vm_start, ALIGN_DOWN(vmf->address, SZ_2M));
	unsigned long end = min(vma->vm_end, ALIGN_DOWN(vmf->address, SZ_2M) + SZ_2M);
	unsigned long first = drm_vma_node_start(&bo->base.vma_node);
	unsigned long index = ((start - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff - first;
	unsigned long left = (end - start) >> PAGE_SHIFT;
	int ret;

	ret = vm_insert_pages(vma, start, bo->pages + index, &left);
	if (!ret)
		return VM_FAULT_NOPAGE;
	/* A part of the run is mapped already: map only the page that was asked for. */
	index = ((vmf->address - vma->vm_start) >> PAGE_SHIFT) + vma->vm_pgoff - first;
	return vmf_insert_page(vma, vmf->address, bo->pages[index]);
}

static vm_fault_t anpu_bo_fault(struct vm_fault *vmf)
{
	struct anpu_bo *bo = to_anpu_bo(vmf->vma->vm_private_data);

	struct anpu_device *adev = anpu_bo_device(bo);
	vm_fault_t ret;

	if (bo->type != DRM_ANPU_BO_HBM)
		return anpu_bo_fault_pages(bo, vmf);
	ret = anpu_presence_fault(adev, vmf);
	if (ret)
		return ret;
	ret = anpu_bo_fault_hbm(bo, vmf);
	percpu_up_read(&adev->presence_lock);
	return ret;
}

static int anpu_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	struct anpu_bo *bo = to_anpu_bo(obj);

	/* Copy on write of device memory makes no sense and breaks vmf_insert_pfn(). */
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
		return -EINVAL;
	switch (bo->type) {
	case DRM_ANPU_BO_HBM:
		vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
		vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
		if (!anpu_bo_device(bo)->hbm_coherent)
			vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
		return 0;
	case DRM_ANPU_BO_SYSTEM:
		vm_flags_set(vma, VM_MIXEDMAP | VM_DONTEXPAND);
		vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
		return 0;
	default:
		return -EINVAL;
	}
}

static const struct vm_operations_struct anpu_bo_vm_ops = {
	.fault = anpu_bo_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/* GEM ------------------------------------------------------------------------------------------ */

static void anpu_bo_free(struct drm_gem_object *obj)
{
	struct anpu_bo *bo = to_anpu_bo(obj);

	switch (bo->type) {
	case DRM_ANPU_BO_HBM:
		anpu_bo_free_hbm(bo);
		break;
	case DRM_ANPU_BO_SYSTEM:
		anpu_bo_unmap_dma(bo);
		anpu_bo_free_pages(bo);
		break;
	case DRM_ANPU_BO_USERPTR:
		anpu_bo_unmap_dma(bo);
		anpu_userptr_unpin(bo);
		break;
	default:
		anpu_import_free(bo);
		break;
	}
	drm_gem_object_release(obj);
	kfree(bo);
}

/*
 * DRM's operations for dma-bufs of GEM objects; NULL before the first object of this driver is
 * shared
 */
static const struct dma_buf_ops *anpu_gem_ops;

static atomic64_t *anpu_bo_account(struct anpu_bo *bo, struct drm_file *drm_file)
{
	struct anpu_file *file = to_anpu_file(drm_file);

	/* Another device's HBM is neither; its exporter counts it. */
	if (bo->type == ANPU_BO_PEER)
		return NULL;
	return bo->type == DRM_ANPU_BO_HBM ? &file->own_hbm : &file->own_system;
}

static int anpu_bo_open(struct drm_gem_object *obj, struct drm_file *drm_file)
{
	atomic64_t *bytes = anpu_bo_account(to_anpu_bo(obj), drm_file);

	if (bytes)
		atomic64_add(obj->size, bytes);
	return 0;
}

static void anpu_bo_close(struct drm_gem_object *obj, struct drm_file *drm_file)
{
	atomic64_t *bytes = anpu_bo_account(to_anpu_bo(obj), drm_file);

	if (bytes)
		atomic64_sub(obj->size, bytes);
}

/**
 * anpu_bo_show_fdinfo() - print what memory an open file has, as drm-usage-stats.rst wants it
 * @p: printer
 * @drm_file: open file
 *
 * Memory is always resident. Which objects are active is not known, as work does not name them;
 * none is purgeable.
 */
void anpu_bo_show_fdinfo(struct drm_printer *p, struct drm_file *drm_file)
{
	static const char * const regions[] = { "hbm", "system" };
	u64 total[2] = {}, shared[2] = {};
	struct drm_gem_object *obj;
	int id;

	spin_lock(&drm_file->table_lock);
	idr_for_each_entry(&drm_file->object_idr, obj, id) {
		u32 type = to_anpu_bo(obj)->type;
		u32 region = type == DRM_ANPU_BO_HBM ? 0 : 1;

		if (type == ANPU_BO_PEER)
			continue;
		total[region] += obj->size;
		if (obj->handle_count > 1 || type == ANPU_BO_IMPORTED)
			shared[region] += obj->size;
	}
	spin_unlock(&drm_file->table_lock);
	for (u32 i = 0; i < ARRAY_SIZE(regions); i++) {
		drm_printf(p, "drm-total-%s:\t%llu KiB\n", regions[i], total[i] >> 10);
		drm_printf(p, "drm-shared-%s:\t%llu KiB\n", regions[i], shared[i] >> 10);
		drm_printf(p, "drm-resident-%s:\t%llu KiB\n", regions[i], total[i] >> 10);
	}
}

static struct dma_buf *anpu_bo_export(struct drm_gem_object *obj, int flags)
{
	struct anpu_bo *bo = to_anpu_bo(obj);
	struct dma_buf *dma_buf;
	int ret;

	/*
	 * A process's own pages are not exported: nobody would own them when the process is gone.
	 */
	if (bo->type == DRM_ANPU_BO_USERPTR)
		return ERR_PTR(-EOPNOTSUPP);
	/* mmap() of the dma-buf counts from the object's offset, which must not come later. */
	ret = drm_gem_create_mmap_offset(obj);
	if (ret)
		return ERR_PTR(ret);
	if (bo->type == DRM_ANPU_BO_HBM)
		return anpu_peer_export(obj, flags);
	dma_buf = drm_gem_prime_export(obj, flags);
	if (!IS_ERR(dma_buf))
		WRITE_ONCE(anpu_gem_ops, dma_buf->ops);
	return dma_buf;
}

/*
 * Only SYSTEM objects come here, as HBM has no pages. Segments are no longer than the 64 KiB that
 * dma_get_max_seg_size() gives for an importer that sets no limit, because DRM does not say who the
 * importer is.
 */
static struct sg_table *anpu_bo_get_sg_table(struct drm_gem_object *obj)
{
	struct sg_table *sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	struct anpu_bo *bo = to_anpu_bo(obj);
	int ret;

	if (!sgt)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages_segment(sgt, bo->pages, obj->size >> PAGE_SHIFT, 0,
						obj->size, SZ_64K, GFP_KERNEL);
	if (ret) {
		kfree(sgt);
		return ERR_PTR(ret);
	}
	return sgt;
}

static const struct drm_gem_object_funcs anpu_bo_funcs = {
	.free = anpu_bo_free,
	.open = anpu_bo_open,
	.close = anpu_bo_close,
	.export = anpu_bo_export,
	.get_sg_table = anpu_bo_get_sg_table,
	.mmap = anpu_bo_mmap,
	.vm_ops = &anpu_bo_vm_ops,
};

/**
 * anpu_bo_exported() - is a dma-buf a SYSTEM object of this driver, of whatever device
 * @dma_buf: anybody's
 *
 * Return: whether it is.
 */
bool anpu_bo_exported(const struct dma_buf *dma_buf)
{
	const struct drm_gem_object *obj = dma_buf->priv;

	/* DRM made this dma-buf, so its private data is a GEM object of some driver. */
	return dma_buf->ops == READ_ONCE(anpu_gem_ops) && obj->funcs == &anpu_bo_funcs;
}

/**
 * anpu_bo_new() - an object without memory
 * @drm: device
 * @size: bytes, a multiple of the page size
 * @type: enum drm_anpu_bo_type, ANPU_BO_IMPORTED or ANPU_BO_PEER
 * @flags: DRM_ANPU_BO_*
 *
 * Return: the object or an error pointer.
 */
struct anpu_bo *anpu_bo_new(struct drm_device *drm, u64 size, u32 type, u32 flags)
{
	struct anpu_bo *bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);

	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->type = type;
	bo->flags = flags;
	INIT_LIST_HEAD(&bo->chunks);
	INIT_LIST_HEAD(&bo->dma_link);
	INIT_LIST_HEAD(&bo->mappings);
	bo->base.funcs = &anpu_bo_funcs;
	drm_gem_private_object_init(drm, &bo->base, size);
	return bo;
}

/* BO_CREATE, BO_MMAP_OFFSET -------------------------------------------------------------------- */

static int anpu_bo_create_check(struct drm_device *drm, const struct drm_anpu_bo_create *args)
{
	u32 known;

	switch (args->type) {
	case DRM_ANPU_BO_HBM:
		known = DRM_ANPU_BO_CONTIGUOUS;
		break;
	case DRM_ANPU_BO_SYSTEM:
		known = 0;
		break;
	case DRM_ANPU_BO_USERPTR:
		known = DRM_ANPU_BO_READONLY;
		break;
	default:
		drm_dbg_driver(drm, "BO_CREATE: unknown type %u\n", args->type);
		return -EINVAL;
	}
	if (args->flags & ~known || args->pad || !args->size ||
	    args->size > ANPU_VA_END - ANPU_VA_START) {
		drm_dbg_driver(drm, "BO_CREATE: bad size %llu, flags %#x or pad %u\n",
			       args->size, args->flags, args->pad);
		return -EINVAL;
	}
	if (args->type == DRM_ANPU_BO_USERPTR)
		return PAGE_ALIGNED(args->size | args->user_ptr) && args->user_ptr &&
		       args->user_ptr + args->size > args->user_ptr ? 0 : -EINVAL;
	return args->user_ptr ? -EINVAL : 0;
}

static int anpu_bo_back_hbm(struct anpu_bo *bo, struct anpu_user *user)
{
	struct anpu_device *adev = anpu_bo_device(bo);

	CLASS(anpu_presence, presence)(adev);
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	return anpu_cut_off(adev) ? anpu_dead_error(adev) : anpu_bo_fill_hbm(bo, user);
}

static int anpu_bo_back(struct anpu_bo *bo, struct anpu_user *user)
{
	int ret = 0;

	if (bo->type == DRM_ANPU_BO_HBM)
		return anpu_bo_back_hbm(bo, user);
	/* A page of the process may take long to come, and other processes must not wait for it. */
	if (bo->type == DRM_ANPU_BO_USERPTR)
		ret = anpu_userptr_pin(bo);
	if (ret)
		return ret;
	CLASS(anpu_enter, idx)(bo->base.dev);
	if (idx < 0)
		return idx;
	if (bo->type == DRM_ANPU_BO_SYSTEM)
		ret = anpu_bo_alloc_pages(bo);
	return ret ?: anpu_bo_map_dma(bo);
}

int anpu_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_bo *bo __free(anpu_bo) = NULL;
	struct drm_anpu_bo_create *args = data;
	u64 size = PAGE_ALIGN(args->size);
	int ret;

	ret = anpu_bo_create_check(drm, args);
	if (ret)
		return ret;
	if (args->type == DRM_ANPU_BO_USERPTR && to_anpu_device(drm)->bounce)
		return -EOPNOTSUPP;
	if (args->type == DRM_ANPU_BO_SYSTEM && size >> PAGE_SHIFT > totalram_pages())
		return -ENOMEM;

	bo = anpu_bo_new(drm, size, args->type, args->flags);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	bo->user_ptr = args->user_ptr;
	ret = anpu_bo_back(bo, to_anpu_file(drm_file)->user);
	if (ret)
		return ret;
	ret = drm_gem_handle_create(drm_file, &bo->base, &args->handle);
	if (ret)
		return ret;
	args->size = size;
	return 0;
}

int anpu_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct drm_anpu_bo_mmap_offset *args = data;
	struct anpu_bo *bo __free(anpu_bo) = NULL;
	int ret;

	if (args->pad)
		return -EINVAL;
	bo = anpu_bo_lookup(drm_file, args->handle);
	if (!bo)
		return -ENOENT;
	if (bo->type != DRM_ANPU_BO_HBM && bo->type != DRM_ANPU_BO_SYSTEM)
		return -EINVAL;
	ret = drm_gem_create_mmap_offset(&bo->base);
	if (ret)
		return ret;
	args->offset = drm_vma_node_offset_addr(&bo->base.vma_node);
	return 0;
}
