// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A stream's pages in processes: the status page, and of a user queue the ring, the control page
 * and the doorbell.
 *
 * A user queue needs no trust in what the process writes there. The device copies each packet
 * before it checks it, knows its own read index, and translates every address in the stream's
 * address space; the doorbell page is one queue's alone. What the process can do with them is to
 * halt or starve its own stream. What matters is that the pages are taken back before the queue or
 * its memory can be another's: anpu_stream_revoke().
 */
#include <linux/mm.h>

#include "anpu_map.h"
#include "anpu_stream.h"
#include "device/anpu_device.h"
#include "device/anpu_drv.h"
#include "reset/anpu_pm.h"

/**
 * struct anpu_map_window - where mmap() offsets of one kind of page begin
 * @first: offset of queue 0's, in pages
 * @stride: pages from one queue to the next
 * @write: may be written; only for user queues
 */
struct anpu_map_window {
	unsigned long first;
	unsigned long stride;
	bool write;
};

/* Below DRM's range for GEM objects, but for the rings, which need too much and are far above. */
#define ANPU_WINDOW(n)		((SZ_256M >> PAGE_SHIFT) + (n) * ANPU_MAX_QUEUES)
#define ANPU_RING_WINDOW	((ANPU_PACKET_SIZE << ANPU_RING_LOG2_MAX) >> PAGE_SHIFT)

static const struct anpu_map_window anpu_windows[ANPU_MAP_COUNT] = {
	[ANPU_MAP_STATUS] = { ANPU_WINDOW(0), 1, false },
	[ANPU_MAP_CONTROL] = { ANPU_WINDOW(1), 1, true },
	[ANPU_MAP_DOORBELL] = { ANPU_WINDOW(2), 1, true },
	[ANPU_MAP_RING] = { BIT_ULL(44) >> PAGE_SHIFT, ANPU_RING_WINDOW, true },
};

/* Helpers -------------------------------------------------------------------------------------- */

static unsigned long anpu_map_pages(const struct anpu_stream *stream, enum anpu_map_kind kind)
{
	if (kind == ANPU_MAP_RING)
		return PAGE_ALIGN(ANPU_PACKET_SIZE << stream->ring_log2) >> PAGE_SHIFT;
	return 1;
}

/* Which pages an mmap() offset means. Returns whether it means any. */
static bool anpu_map_decode(struct anpu_device *adev, unsigned long pgoff,
			    enum anpu_map_kind *kind, u32 *queue, unsigned long *index)
{
	for (u32 i = 0; i < ANPU_MAP_COUNT; i++) {
		const struct anpu_map_window *w = &anpu_windows[i];

		if (pgoff < w->first || pgoff - w->first >= w->stride * adev->n_queues)
			continue;
		*kind = i;
		*queue = (pgoff - w->first) / w->stride;
		*index = (pgoff - w->first) % w->stride;
		return true;
	}
	return false;
}

static unsigned long anpu_map_pfn(struct anpu_stream *stream, enum anpu_map_kind kind,
				  unsigned long index)
{
	struct anpu_device *adev = stream->adev;
	phys_addr_t at = adev->hbm_base;

	switch (kind) {
	case ANPU_MAP_STATUS:
		at += stream->status_addr;
		break;
	case ANPU_MAP_CONTROL:
		at += stream->control_addr;
		break;
	case ANPU_MAP_DOORBELL:
		at = pci_resource_start(adev->pdev, ANPU_BAR_REGS) + ANPU_DOORBELL_OFFSET +
		     stream->queue * ANPU_DOORBELL_STRIDE;
		break;
	default:
		at += stream->ring_mem->addr;
		break;
	}
	return (at >> PAGE_SHIFT) + index;
}

/**
 * anpu_dummy_page() - a page for mappings of something that is gone
 * @slot: where it is kept, NULL at first
 *
 * Each object and each stream has a page of its own, so that only processes that had it see what is
 * written there.
 * Return: the page, zero when it is new, or NULL.
 */
struct page *anpu_dummy_page(struct page **slot)
{
	struct page *page = READ_ONCE(*slot), *old;

	if (page)
		return page;
	page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!page)
		return NULL;
	old = cmpxchg(slot, NULL, page);
	if (old)
		__free_page(page);
	return old ?: page;
}

/* The mapping ---------------------------------------------------------------------------------- */

static vm_fault_t anpu_map_insert(struct anpu_stream *stream, struct vm_fault *vmf)
{
	struct anpu_device *adev = stream->adev;
	enum anpu_map_kind kind;
	unsigned long index;
	struct page *dummy;
	bool revoked;
	u32 queue;

	if (WARN_ON(!anpu_map_decode(adev, vmf->pgoff, &kind, &queue, &index)))
		return VM_FAULT_SIGBUS;
	CLASS(anpu_enter, idx)(&adev->drm);
	guard(mutex)(&stream->map_lock);
	revoked = idx < 0 || anpu_gone(adev) ||
		(kind == ANPU_MAP_STATUS ? stream->status_revoked : stream->revoked);
	if (!revoked)
		return vmf_insert_pfn(vmf->vma, vmf->address, anpu_map_pfn(stream, kind, index));
	/* The process gets zeros instead of a SIGBUS, and its writes reach nobody. */
	dummy = anpu_windows[kind].write ? anpu_dummy_page(&stream->dummy) : adev->dummy;
	if (!dummy)
		return VM_FAULT_OOM;
	return vmf_insert_pfn(vmf->vma, vmf->address, page_to_pfn(dummy));
}

static vm_fault_t anpu_map_fault(struct vm_fault *vmf)
{
	struct anpu_stream *stream = vmf->vma->vm_private_data;
	vm_fault_t ret = anpu_presence_fault(stream->adev, vmf);

	if (ret)
		return ret;
	ret = anpu_map_insert(stream, vmf);
	percpu_up_read(&stream->adev->presence_lock);
	return ret;
}

static void anpu_map_open(struct vm_area_struct *vma)
{
	struct anpu_stream *stream = vma->vm_private_data;

	kref_get(&stream->ref);
}

static void anpu_map_close(struct vm_area_struct *vma)
{
	anpu_stream_put(vma->vm_private_data);
}

static const struct vm_operations_struct anpu_map_vm_ops = {
	.fault = anpu_map_fault,
	.open = anpu_map_open,
	.close = anpu_map_close,
};

static int anpu_map_check(struct anpu_stream *stream, enum anpu_map_kind kind,
			  unsigned long index, struct vm_area_struct *vma)
{
	bool write = anpu_windows[kind].write;

	if (write && !(stream->flags & DRM_ANPU_STREAM_USER_QUEUE))
		return -EINVAL;
	if (index || vma_pages(vma) != anpu_map_pages(stream, kind))
		return -EINVAL;
	/* Copy on write of what two sides write makes no sense and breaks vmf_insert_pfn(). */
	if (write && !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	return !write && vma->vm_flags & VM_WRITE ? -EACCES : 0;
}

/**
 * anpu_stream_mmap() - mmap() of a page of a stream
 * @filp: device file
 * @vma: mapping, whose offset is one that STREAM_CREATE gave
 *
 * Return: 0, -EINVAL for a wrong offset or size or a private mapping, -EACCES for a writable
 * mapping of the status page.
 */
int anpu_stream_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *drm_file = filp->private_data;
	struct anpu_file *file = to_anpu_file(drm_file);
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct anpu_device *adev = file->adev;
	enum anpu_map_kind kind;
	unsigned long index;
	u32 queue;
	int ret;

	if (!anpu_map_decode(adev, vma->vm_pgoff, &kind, &queue, &index))
		return -EINVAL;
	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;
	stream = anpu_stream_of_queue(adev, queue);
	if (!stream || READ_ONCE(stream->file) != file)
		return -EINVAL;
	ret = anpu_map_check(stream, kind, index, vma);
	if (ret)
		return ret;

	vm_flags_mod(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP,
		     anpu_windows[kind].write ? 0 : VM_MAYWRITE);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	if (kind == ANPU_MAP_DOORBELL)
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	else if (!adev->hbm_coherent)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_private_data = no_free_ptr(stream);
	vma->vm_ops = &anpu_map_vm_ops;
	return 0;
}

/**
 * anpu_map_offset() - the mmap() offset of a page of a stream
 * @stream: stream
 * @kind: which page
 *
 * Return: offset in bytes.
 */
u64 anpu_map_offset(const struct anpu_stream *stream, enum anpu_map_kind kind)
{
	const struct anpu_map_window *w = &anpu_windows[kind];

	return (u64)(w->first + stream->queue * w->stride) << PAGE_SHIFT;
}

/**
 * anpu_stream_revoke() - take the pages of a stream back from all processes
 * @stream: stream
 * @status: the status page, too; else it stays, to tell why the stream is dead
 *
 * When this returns, no process reaches the queue or its memory; what it touches reads as zero.
 */
void anpu_stream_revoke(struct anpu_stream *stream, bool status)
{
	struct address_space *mapping = stream->adev->drm.anon_inode->i_mapping;

	scoped_guard(mutex, &stream->map_lock) {
		stream->revoked = true;
		if (status)
			stream->status_revoked = true;
	}
	for (u32 kind = 0; kind < ANPU_MAP_COUNT; kind++) {
		if (kind == ANPU_MAP_STATUS ? !status :
		    !(stream->flags & DRM_ANPU_STREAM_USER_QUEUE))
			continue;
		unmap_mapping_range(mapping, anpu_map_offset(stream, kind),
				    anpu_map_pages(stream, kind) << PAGE_SHIFT, 1);
	}
}
