// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * HBM objects of one device on another: dma-buf, peer to peer.
 *
 * The importer's device reads and writes the exporter's BAR2 itself. HBM does not move, but it may
 * go away: before the exporter leaves the bus, or may not answer for a while, it revokes
 * (move_notify()). The importer then clears its page table entries, waits until its device has
 * forgotten them, and lets go of the addresses, all before move_notify() returns. There are no
 * fences to wait for: what still runs faults. A later VM_BIND asks for the addresses anew.
 *
 * Revocation takes no presence lock: the exporter holds that of its device, and the importer may be
 * waiting for that of its own. Instead import_lock and state of the importer say whether its device
 * can do anything at all; if it cannot, the entries are cleared when it comes back.
 *
 * Locks, from outer to inner: the dma-buf's dma_resv, import_lock, anpu_vm.lock, peer_lock.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>

#include <drm/drm_prime.h>

#include "anpu_bo.h"
#include "anpu_hbm.h"
#include "anpu_peer.h"
#include "anpu_vm.h"
#include "device/anpu_device.h"
#include "reset/anpu_pm.h"

ANPU_IMPORT_NS_DMA_BUF;

/* The length of a scatterlist's entry has 32 bits. */
#define ANPU_PEER_SEGMENT	SZ_1G

/**
 * struct anpu_export - an attachment of another device to one of our HBM objects
 * @link: in anpu_device.exports
 * @attach: the attachment
 * @round: anpu_device.revocations when it was last told to let go
 */
struct anpu_export {
	struct list_head link;
	struct dma_buf_attachment *attach;
	u32 round;
};

static const struct dma_buf_attach_ops anpu_import_ops;

/* Export --------------------------------------------------------------------------------------- */

static struct anpu_bo *anpu_peer_bo(struct dma_buf *dma_buf)
{
	return to_anpu_bo(dma_buf->priv);
}

/* Do accesses of the importer's device to the exporter's BAR arrive there? */
static bool anpu_peer_reachable(struct anpu_device *adev, struct dma_buf_attachment *attach)
{
	if (attach->importer_ops == &anpu_import_ops) {
		struct anpu_bo *bo = attach->importer_priv;

		if (anpu_bo_device(bo)->caps & ANPU_CAP_PEER)
			return true;
	}
	return pci_p2pdma_distance(adev->pdev, attach->dev, false) >= 0;
}

static int anpu_peer_attach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	struct anpu_device *adev = anpu_bo_device(anpu_peer_bo(dma_buf));
	struct anpu_export *export;

	/*
	 * HBM is not copied to system memory for importers: the driver could not make their users
	 * wait meanwhile.
	 */
	if (!attach->peer2peer || !attach->importer_ops->ANPU_MOVE_NOTIFY ||
	    !anpu_peer_reachable(adev, attach)) {
		drm_dbg_driver(&adev->drm, "HBM cannot be reached by %s\n", dev_name(attach->dev));
		return -EOPNOTSUPP;
	}
	export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);
	if (!export)
		return -ENOMEM;
	export->attach = attach;
	attach->priv = export;
	guard(mutex)(&adev->export_lock);
	list_add_tail(&export->link, &adev->exports);
	return 0;
}

static void anpu_peer_detach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	struct anpu_export *export = attach->priv;

	scoped_guard(mutex, &anpu_bo_device(anpu_peer_bo(dma_buf))->export_lock)
		list_del(&export->link);
	kfree(export);
}

/*
 * Pinned memory would have to stay where it is, and HBM goes with its device. Kernels without
 * DMABUF_MOVE_NOTIFY pin also for importers that can give memory up: of those only this driver's
 * are known to.
 */
static int anpu_peer_pin(struct dma_buf_attachment *attach)
{
	return attach->importer_ops == &anpu_import_ops ? 0 : -EOPNOTSUPP;
}

static void anpu_peer_unpin(struct dma_buf_attachment *attach)
{
}

static void anpu_peer_release_sgt(struct device *dev, struct sg_table *sgt,
				  enum dma_data_direction dir)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (sg_dma_len(sg))
			dma_unmap_resource(dev, sg_dma_address(sg), sg_dma_len(sg), dir,
					   DMA_ATTR_SKIP_CPU_SYNC);
	}
	sg_free_table(sgt);
	kfree(sgt);
}

static unsigned int anpu_peer_segments(struct anpu_bo *bo)
{
	struct anpu_chunk *chunk;
	unsigned int n = 0;

	list_for_each_entry(chunk, &bo->chunks, link)
		n += DIV_ROUND_UP_ULL(chunk->node.size, ANPU_PEER_SEGMENT);
	return n;
}

static int anpu_peer_map_sgt(struct device *dev, struct anpu_bo *bo, struct sg_table *sgt,
			     enum dma_data_direction dir)
{
	struct scatterlist *sg = sgt->sgl;
	struct anpu_chunk *chunk;

	list_for_each_entry(chunk, &bo->chunks, link) {
		u64 start = anpu_bo_device(bo)->hbm_base + chunk->node.start;
		u64 left = chunk->node.size;

		while (left) {
			u32 size = min_t(u64, left, ANPU_PEER_SEGMENT);
			dma_addr_t addr = dma_map_resource(dev, start, size, dir,
							   DMA_ATTR_SKIP_CPU_SYNC);

			if (dma_mapping_error(dev, addr))
				return -EIO;
			sg_set_page(sg, NULL, size, 0);
			sg_dma_address(sg) = addr;
			sg_dma_len(sg) = size;
			sg = sg_next(sg);
			start += size;
			left -= size;
		}
	}
	return 0;
}

static struct sg_table *anpu_peer_map(struct dma_buf_attachment *attach,
				      enum dma_data_direction dir)
{
	struct anpu_bo *bo = anpu_peer_bo(attach->dmabuf);
	struct anpu_device *adev = anpu_bo_device(bo);
	struct sg_table *sgt;
	int ret;

	/* The state changes before importers are told to let go, each under this lock, dma_resv. */
	if (anpu_gone(adev) || anpu_cut_off(adev))
		return ERR_PTR(anpu_dead_error(adev));
	if (!anpu_up(adev))
		return ERR_PTR(-EBUSY);
	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL_ACCOUNT);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table(sgt, anpu_peer_segments(bo), GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(sgt);
		return ERR_PTR(ret);
	}
	ret = anpu_peer_map_sgt(attach->dev, bo, sgt, dir);
	if (ret) {
		anpu_peer_release_sgt(attach->dev, sgt, dir);
		return ERR_PTR(ret);
	}
	return sgt;
}

static void anpu_peer_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			    enum dma_data_direction dir)
{
	anpu_peer_release_sgt(attach->dev, sgt, dir);
}

static const struct dma_buf_ops anpu_peer_ops = {
	.attach = anpu_peer_attach,
	.detach = anpu_peer_detach,
	.pin = anpu_peer_pin,
	.unpin = anpu_peer_unpin,
	.map_dma_buf = anpu_peer_map,
	.unmap_dma_buf = anpu_peer_unmap,
	.release = drm_gem_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
};

/**
 * anpu_peer_export() - make a dma-buf of an HBM object
 * @obj: the object
 * @flags: O_CLOEXEC, O_RDWR
 *
 * Return: the dma-buf or an error pointer.
 */
struct dma_buf *anpu_peer_export(struct drm_gem_object *obj, int flags)
{
	struct dma_buf_export_info info = {
		.exp_name = KBUILD_MODNAME,
		.owner = obj->dev->driver->fops->owner,
		.ops = &anpu_peer_ops,
		.size = obj->size,
		.flags = flags,
		.priv = obj,
		.resv = obj->resv,
	};

	return drm_gem_dmabuf_export(obj->dev, &info);
}

/* Returns, with a reference, the dma-buf of an attachment that this round has not told yet. */
static struct dma_buf *anpu_exports_next(struct anpu_device *adev, u32 round)
{
	struct anpu_export *export;

	guard(mutex)(&adev->export_lock);
	list_for_each_entry(export, &adev->exports, link) {
		struct dma_buf *dma_buf = export->attach->dmabuf;

		/* Or in a later one, by somebody else. */
		if ((s32)(export->round - round) >= 0)
			continue;
		export->round = round;
		/* A dma-buf is alive as long as it has attachments. */
		get_dma_buf(dma_buf);
		return dma_buf;
	}
	return NULL;
}

/**
 * anpu_exports_revoke() - no other device uses our HBM when this returns
 * @adev: device whose BAR may not answer soon, whose state says so already
 */
void anpu_exports_revoke(struct anpu_device *adev)
{
	struct dma_buf *dma_buf;
	u32 round;

	scoped_guard(mutex, &adev->export_lock)
		round = ++adev->revocations;
	while ((dma_buf = anpu_exports_next(adev, round))) {
		dma_resv_lock(dma_buf->resv, NULL);
		anpu_dma_buf_revoke(dma_buf);
		dma_resv_unlock(dma_buf->resv);
		dma_buf_put(dma_buf);
	}
}

/* Import --------------------------------------------------------------------------------------- */

/* The device executes nothing, and its page tables may be out of reach. */
static bool anpu_out_of_reach(struct anpu_device *adev)
{
	enum anpu_state state = READ_ONCE(adev->state);

	return state == ANPU_AWAY || state == ANPU_FROZEN || drm_dev_is_unplugged(&adev->drm);
}

/* Under import_lock: the address spaces of our device forget the object. */
static void anpu_import_zap(struct anpu_bo *bo, bool flush)
{
	struct anpu_device *adev = anpu_bo_device(bo);

	for (;;) {
		struct anpu_mapping *mapping;
		struct anpu_vm *vm = NULL;

		scoped_guard(spinlock, &adev->peer_lock) {
			mapping = list_first_entry_or_null(&bo->mappings, struct anpu_mapping,
							   bo_link);
			if (mapping)
				vm = mapping->vm;
		}
		if (!vm)
			return;
		/*
		 * An address space takes its mappings out of this list, under import_lock, before
		 * it is freed.
		 */
		anpu_vm_zap(vm, bo, flush);
	}
}

static void anpu_import_revoked(struct dma_buf_attachment *attach)
{
	struct anpu_bo *bo = attach->importer_priv;
	struct anpu_device *adev = anpu_bo_device(bo);

	scoped_guard(spinlock, &adev->peer_lock)
		bo->live = false;
	if (!bo->sgt)
		return;
	scoped_guard(mutex, &adev->import_lock) {
		/*
		 * anpu_imports_wake() clears the entries that are skipped here before the device
		 * works again.
		 */
		if (!anpu_out_of_reach(adev))
			anpu_import_zap(bo, true);
	}
	dma_buf_unmap_attachment(attach, bo->sgt, DMA_BIDIRECTIONAL);
	bo->sgt = NULL;
}

static const struct dma_buf_attach_ops anpu_import_ops = {
	.allow_peer2peer = true,
	.ANPU_MOVE_NOTIFY = anpu_import_revoked,
};

/**
 * anpu_import_validate() - make sure that an imported object has addresses
 * @bo: any object
 *
 * Called without anpu_vm.lock. The addresses can be revoked again at once: what is bound then
 * says so.
 *
 * Return: 0, -ENODEV if the exporter is gone, -EBUSY if it is away, -EIO or -ENOMEM.
 */
int anpu_import_validate(struct anpu_bo *bo)
{
	struct dma_buf_attachment *attach = bo->base.import_attach;
	struct sg_table *sgt;
	int ret = 0;

	if (bo->type != ANPU_BO_PEER)
		return 0;
	/* A bus error has cut our device off: its tables are out of reach. */
	if (anpu_out_of_reach(anpu_bo_device(bo)))
		return -EIO;
	dma_resv_lock(attach->dmabuf->resv, NULL);
	if (bo->sgt)
		goto out;
	sgt = dma_buf_map_attachment(attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto out;
	}
	/* Nobody uses the array: all mappings were zapped when the addresses were revoked. */
	ret = drm_prime_sg_to_dma_addr_array(sgt, bo->dma, bo->base.size >> PAGE_SHIFT);
	if (ret) {
		dma_buf_unmap_attachment(attach, sgt, DMA_BIDIRECTIONAL);
		goto out;
	}
	bo->sgt = sgt;
	scoped_guard(spinlock, &anpu_bo_device(bo)->peer_lock)
		bo->live = true;
out:
	dma_resv_unlock(attach->dmabuf->resv);
	return ret;
}

/* Releases the addresses of the exporter's memory. */
static void anpu_import_invalidate(struct anpu_bo *bo)
{
	struct dma_buf_attachment *attach = bo->base.import_attach;

	dma_resv_lock(attach->dmabuf->resv, NULL);
	scoped_guard(spinlock, &anpu_bo_device(bo)->peer_lock)
		bo->live = false;
	if (bo->sgt)
		dma_buf_unmap_attachment(attach, bo->sgt, DMA_BIDIRECTIONAL);
	bo->sgt = NULL;
	dma_resv_unlock(attach->dmabuf->resv);
}

static void anpu_import_track(struct anpu_bo *bo)
{
	struct anpu_device *adev = anpu_bo_device(bo);

	guard(mutex)(&adev->import_lock);
	list_add_tail(&bo->import_link, &adev->imports);
}

/**
 * anpu_import_free() - end of an imported object, complete or not
 * @bo: object that nothing refers to
 */
void anpu_import_free(struct anpu_bo *bo)
{
	if (bo->base.import_attach) {
		anpu_import_invalidate(bo);
		scoped_guard(mutex, &anpu_bo_device(bo)->import_lock)
			list_del(&bo->import_link);
		drm_prime_gem_destroy(&bo->base, NULL);
	}
	kvfree(bo->dma);
}

/**
 * anpu_import_sgt() - make an object of memory that its exporter has pinned
 * @drm: device
 * @attach: attachment of the dma-buf
 * @sgt: its DMA addresses
 *
 * Return: the object or an error pointer; then attachment and table are still the caller's.
 */
struct drm_gem_object *anpu_import_sgt(struct drm_device *drm, struct dma_buf_attachment *attach,
				       struct sg_table *sgt)
{
	struct anpu_bo *bo __free(anpu_bo) = NULL;
	int ret;

	if (!IS_ALIGNED(attach->dmabuf->size, PAGE_SIZE))
		return ERR_PTR(-EINVAL);
	if (to_anpu_device(drm)->bounce)
		return ERR_PTR(-EOPNOTSUPP);
	bo = anpu_bo_new(drm, attach->dmabuf->size, ANPU_BO_IMPORTED, 0);
	if (IS_ERR(bo))
		return ERR_CAST(bo);
	ret = anpu_bo_index_dma(bo, sgt);
	if (ret)
		return ERR_PTR(ret);
	bo->sgt = sgt;
	bo->base.import_attach = attach;
	anpu_import_track(bo);
	return &no_free_ptr(bo)->base;
}

/**
 * anpu_import_origin() - the object that can be read for an imported one
 * @bo: any object, to which the caller keeps its reference: it keeps the dma-buf, and with that the
 *	exporter's object and device
 *
 * System memory of another device of this driver is read by its pages, which live as long as the
 * exporter's object, whatever happens to that device.
 *
 * Return: the exporter's object if it is such memory, else @bo.
 */
struct anpu_bo *anpu_import_origin(struct anpu_bo *bo)
{
	struct anpu_bo *origin;

	if (bo->type != ANPU_BO_IMPORTED || !anpu_bo_exported(bo->base.import_attach->dmabuf))
		return bo;
	origin = to_anpu_bo(bo->base.import_attach->dmabuf->priv);
	return origin->type == DRM_ANPU_BO_SYSTEM ? origin : bo;
}

static struct drm_gem_object *anpu_peer_import(struct anpu_device *adev, struct dma_buf *dma_buf)
{
	struct anpu_bo *bo __free(anpu_bo) = NULL;
	struct dma_buf_attachment *attach;
	int ret;

	if (adev->bounce)
		return ERR_PTR(-EOPNOTSUPP);
	bo = anpu_bo_new(&adev->drm, dma_buf->size, ANPU_BO_PEER, 0);
	if (IS_ERR(bo))
		return ERR_CAST(bo);
	bo->dma = kvmalloc_array(bo->base.size >> PAGE_SHIFT, sizeof(*bo->dma),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!bo->dma)
		return ERR_PTR(-ENOMEM);
	attach = dma_buf_dynamic_attach(dma_buf, &adev->pdev->dev, &anpu_import_ops, bo);
	if (IS_ERR(attach))
		return ERR_CAST(attach);
	get_dma_buf(dma_buf);
	bo->base.import_attach = attach;
	bo->base.resv = dma_buf->resv;
	anpu_import_track(bo);
	ret = anpu_import_validate(bo);
	if (ret)
		return ERR_PTR(ret);
	return &no_free_ptr(bo)->base;
}

/**
 * anpu_import() - an object for a dma-buf
 * @drm: device
 * @dma_buf: whoever exported it
 *
 * HBM of another device is attached to dynamically, which is what lets it be revoked. Memory of
 * everybody else is pinned by its exporter, because nobody knows when it could be moved: of all
 * work only jobs (SUBMIT_JOB) name the objects that they use.
 *
 * Return: the object or an error pointer.
 */
struct drm_gem_object *anpu_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *obj = dma_buf->priv;

	CLASS(anpu_presence, presence)(to_anpu_device(drm));
	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return ERR_PTR(idx);
	if (dma_buf->ops == &anpu_peer_ops && obj->dev == drm) {
		/* The object itself, which keeps no reference to the dma-buf. */
		drm_gem_object_get(obj);
		return obj;
	}
	if (dma_buf->ops == &anpu_peer_ops)
		return anpu_peer_import(to_anpu_device(drm), dma_buf);
	return drm_gem_prime_import(drm, dma_buf);
}

/* The device's life ---------------------------------------------------------------------------- */

/**
 * anpu_imports_wake() - our device is about to work again: it must not find what was revoked
 * @adev: device that answers, and runs nothing yet: from ANPU_AWAY to ANPU_RETURNING
 */
void anpu_imports_wake(struct anpu_device *adev)
{
	struct anpu_bo *bo;

	guard(mutex)(&adev->import_lock);
	scoped_guard(mutex, &adev->reset_lock)
		anpu_set_state(adev, ANPU_RETURNING);
	list_for_each_entry(bo, &adev->imports, import_link) {
		/* The reset that follows makes the device forget all entries. */
		if (!READ_ONCE(bo->live))
			anpu_import_zap(bo, false);
	}
}

/* Returns, with a reference, an imported object that has addresses. @dying: one is being freed. */
static struct anpu_bo *anpu_imports_next(struct anpu_device *adev, bool *dying)
{
	struct anpu_bo *bo;

	*dying = false;
	guard(mutex)(&adev->import_lock);
	list_for_each_entry(bo, &adev->imports, import_link) {
		if (!READ_ONCE(bo->sgt))
			continue;
		if (kref_get_unless_zero(&bo->base.refcount))
			return bo;
		*dying = true;
	}
	return NULL;
}

/**
 * anpu_imports_end() - the driver lets go of the device: end its mappings of what others exported
 * @adev: device that does no DMA any more
 */
void anpu_imports_end(struct anpu_device *adev)
{
	struct anpu_bo *bo;
	bool dying;

	for (;;) {
		bo = anpu_imports_next(adev, &dying);
		if (bo) {
			anpu_import_invalidate(bo);
			drm_gem_object_put(&bo->base);
		} else if (dying) {
			usleep_range(100, 1000);
		} else {
			return;
		}
	}
}
