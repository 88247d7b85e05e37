// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The device memory: who has which part of it, and clearing it between owners. The driver's own
 * structures (regions) come from the top, buffer objects (chunks) from the bottom. The device
 * clears memory in the background when its owner has freed it. Memory that is taken before that, or
 * whose past the driver does not know, is cleared when it is taken.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "anpu_hbm.h"
#include "device/anpu_device.h"
#include "reset/anpu_reset.h"
#include "reset/anpu_watchdog.h"
#include "stream/anpu_stream.h"
#include "stream/anpu_submit.h"
#include "sync/anpu_wake.h"

/* Below this the CPU clears faster than a packet travels. */
#define ANPU_CLEAR_BY_CPU	SZ_64K
/* The size of one FILL packet, which bounds the time of one wait. */
#define ANPU_CLEAR_STEP		SZ_32M
/* When clearing takes longer than this, the driver asks the device whether it is at work. */
#define ANPU_CLEAR_TIMEOUT_NS	(30LL * NSEC_PER_SEC)

/* The word at HBM address 0 that tells the next driver that the HBM was used. */
#define ANPU_USED_MARK		0x7573656420757020ULL

/* Clearing ------------------------------------------------------------------------------------- */

static int anpu_fill_by_device(struct anpu_device *adev, u64 addr, u64 size)
{
	struct anpu_stream *stream = adev->driver_stream;
	union anpu_packet pkt = {
		.fill = {
			.hdr.opcode = ANPU_OP_FILL,
			.dst = addr,
			.size = size,
			.pattern_size = 8,
		},
	};
	u32 gen = READ_ONCE(adev->reset_gen);
	u64 errors;
	int ret;

	if (!stream || READ_ONCE(stream->dead))
		return -EIO;
	scoped_guard(mutex, &stream->lock) {
		errors = READ_ONCE(stream->status->errors);
		anpu_submit_locked(stream, &pkt, 1);
		do {
			ret = anpu_stream_wait(stream, stream->wptr,
					       ktime_get_ns() + ANPU_CLEAR_TIMEOUT_NS, false);
			/*
			 * A busy host, or streams with a priority that needs CAP_SYS_NICE, may make
			 * it late: no reason to take everybody's work away.
			 */
		} while (ret == -ETIME && anpu_stream_alive(stream));
		if (!ret && READ_ONCE(stream->status->errors) != errors)
			ret = -EIO;
	}
	if (ret == -ETIME) {
		anpu_reset_device(adev, gen, "it does not clear HBM");
	} else if (ret) {
		/* Its stream died of a reset: until that is over the device may go on clearing. */
		mutex_lock(&adev->reset_lock);
		mutex_unlock(&adev->reset_lock);
	}
	return ret;
}

/*
 * Returns whether the memory is clear: not if it was written to over a bus that was down at the
 * end. The read comes behind the writes.
 */
static bool anpu_clear(struct anpu_device *adev, u64 addr, u64 size)
{
	while (size) {
		u64 step = min_t(u64, size, ANPU_CLEAR_STEP);

		if (step < ANPU_CLEAR_BY_CPU || anpu_fill_by_device(adev, addr, step))
			memset(adev->hbm_cpu + addr, 0, step);
		/* The range may be all the HBM, when the device is being reset. */
		cond_resched();
		addr += step;
		size -= step;
	}
	return anpu_read(adev, ANPU_REG_ID) == ANPU_ID_VALUE && !anpu_cut_off(adev);
}

/*
 * Clears the dirty pages of a range that belongs to the caller alone. @dirty: the pages count as
 * dirty from now on. Return: 0, or an error if they could not be cleared; then they stay dirty.
 */
static int anpu_clear_dirty(struct anpu_device *adev, u64 addr, u64 size, bool dirty)
{
	unsigned long page = addr >> PAGE_SHIFT, last = (addr + size) >> PAGE_SHIFT, end;
	u32 gen = READ_ONCE(adev->reset_gen);

	CLASS(anpu_enter, idx)(&adev->drm);
	if (idx < 0)
		return idx;

	for (;;) {
		scoped_guard(mutex, &adev->hbm.lock) {
			page = find_next_bit(adev->hbm.dirty, last, page);
			end = find_next_zero_bit(adev->hbm.dirty, last, page);
		}
		if (page >= last)
			break;
		if (!anpu_clear(adev, (u64)page << PAGE_SHIFT, (u64)(end - page) << PAGE_SHIFT)) {
			if (anpu_vanished(adev))
				anpu_reset_device(adev, gen, "it reads as all ones");
			return anpu_dead_error(adev);
		}
		page = end;
	}

	guard(mutex)(&adev->hbm.lock);
	if (dirty)
		bitmap_set(adev->hbm.dirty, addr >> PAGE_SHIFT, size >> PAGE_SHIFT);
	else
		bitmap_clear(adev->hbm.dirty, addr >> PAGE_SHIFT, size >> PAGE_SHIFT);
	return 0;
}

/**
 * anpu_hbm_distrust() - what was cleared lately may not be clear
 * @adev: device whose bus had an error
 */
void anpu_hbm_distrust(struct anpu_device *adev)
{
	guard(mutex)(&adev->hbm.lock);
	bitmap_set(adev->hbm.dirty, 0, adev->hbm_size >> PAGE_SHIFT);
}

static void anpu_scrub_work(struct work_struct *work)
{
	struct anpu_device *adev = container_of(work, struct anpu_device, hbm.scrub_work);
	struct anpu_chunk *chunk;

	for (;;) {
		scoped_guard(mutex, &adev->hbm.lock) {
			chunk = list_first_entry_or_null(&adev->hbm.scrub, struct anpu_chunk, link);
			if (chunk)
				list_del(&chunk->link);
		}
		if (!chunk)
			return;
		/*
		 * While the device is away or dead, memory stays dirty and is cleared when it is
		 * taken: a bus that is down loses writes. This work never waits for the device to
		 * return, because ioctls that hold the presence lock wait for this work.
		 */
		if (percpu_down_read_trylock(&adev->presence_lock)) {
			if (!anpu_cut_off(adev))
				anpu_clear_dirty(adev, chunk->node.start, chunk->node.size, false);
			percpu_up_read(&adev->presence_lock);
		}
		scoped_guard(mutex, &adev->hbm.lock)
			drm_mm_remove_node(&chunk->node);
		kfree(chunk);
	}
}

/* Regions: the driver's own -------------------------------------------------------------------- */

/**
 * anpu_region_create() - take HBM for the driver itself, zeroed
 * @adev: device
 * @size: bytes, rounded up to pages
 * @align: alignment in bytes
 * @user: who pays for it, or NULL
 *
 * Return: the region or -ENOSPC, -ENOMEM as a pointer.
 */
struct anpu_region *anpu_region_create(struct anpu_device *adev, u64 size, u64 align,
				       struct anpu_user *user)
{
	struct anpu_region *region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!region)
		return ERR_PTR(-ENOMEM);
	size = PAGE_ALIGN(size);
	ret = anpu_charge_hbm(adev, user, size, &region->charge);
	if (ret) {
		kfree(region);
		return ERR_PTR(ret);
	}
	for (int tries = 0;; tries++) {
		scoped_guard(mutex, &adev->hbm.lock) {
			ret = drm_mm_insert_node_generic(&adev->hbm.mm, &region->node, size, align,
							 0, DRM_MM_INSERT_HIGH);
			if (!ret) {
				adev->hbm.free -= size;
				bitmap_set(adev->hbm.dirty, region->node.start >> PAGE_SHIFT,
					   size >> PAGE_SHIFT);
			}
		}
		if (ret != -ENOSPC || tries)
			break;
		flush_work(&adev->hbm.scrub_work);
	}
	if (ret) {
		anpu_uncharge_hbm(adev, &region->charge);
		kfree(region);
		return ERR_PTR(ret);
	}
	region->addr = region->node.start;
	region->size = size;
	region->cpu = adev->hbm_cpu + region->addr;
	memset(region->cpu, 0, size);
	return region;
}

/**
 * anpu_region_destroy() - give it back; the device must not use it any more
 * @adev: device
 * @region: region, NULL or an error pointer
 */
void anpu_region_destroy(struct anpu_device *adev, struct anpu_region *region)
{
	if (IS_ERR_OR_NULL(region))
		return;
	scoped_guard(mutex, &adev->hbm.lock) {
		drm_mm_remove_node(&region->node);
		adev->hbm.free += region->size;
	}
	anpu_uncharge_hbm(adev, &region->charge);
	kfree(region);
}

/* Chunks: of buffer objects -------------------------------------------------------------------- */

static int anpu_chunk_add(struct anpu_device *adev, u64 size, struct list_head *chunks)
{
	struct anpu_chunk *chunk = kzalloc(sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	u64 align = size >= SZ_2M ? SZ_2M : size >= SZ_64K ? SZ_64K : PAGE_SIZE;
	int ret;

	if (!chunk)
		return -ENOMEM;
	ret = drm_mm_insert_node_generic(&adev->hbm.mm, &chunk->node, size, align, 0,
					 DRM_MM_INSERT_BEST);
	if (ret) {
		kfree(chunk);
		return ret;
	}
	list_add_tail(&chunk->link, chunks);
	return 0;
}

static void anpu_chunks_remove(struct list_head *chunks)
{
	struct anpu_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, chunks, link) {
		drm_mm_remove_node(&chunk->node);
		kfree(chunk);
	}
	INIT_LIST_HEAD(chunks);
}

/* One piece if possible, else ever smaller pieces. */
static int anpu_chunks_take(struct anpu_device *adev, u64 size, bool contiguous,
			    struct list_head *chunks)
{
	u64 left = size, piece = size;

	guard(mutex)(&adev->hbm.lock);
	if (size > adev->hbm.free)
		return -ENOSPC;
	while (left) {
		int ret;

		piece = min(piece, left);
		ret = anpu_chunk_add(adev, piece, chunks);
		if (!ret) {
			left -= piece;
			continue;
		}
		if (ret != -ENOSPC || contiguous || piece == PAGE_SIZE) {
			anpu_chunks_remove(chunks);
			return ret;
		}
		/* Powers of two below the first try keep the pieces fit for big pages. */
		piece = is_power_of_2(piece) ? piece / 2 : rounddown_pow_of_two(piece);
	}
	adev->hbm.free -= size;
	return 0;
}

/**
 * anpu_chunks_create() - take HBM for a buffer object, cleared
 * @adev: device
 * @size: bytes, a multiple of the page size
 * @contiguous: only one piece will do
 * @chunks: empty list, filled in order of offset
 *
 * Return: 0, -ENOSPC, -ENOMEM, or -EIO, -ENODEV if it could not be cleared.
 */
int anpu_chunks_create(struct anpu_device *adev, u64 size, bool contiguous,
		       struct list_head *chunks)
{
	struct anpu_chunk *chunk;
	u64 offset = 0;
	int ret;

	ret = anpu_chunks_take(adev, size, contiguous, chunks);
	if (ret == -ENOSPC) {
		flush_work(&adev->hbm.scrub_work);
		ret = anpu_chunks_take(adev, size, contiguous, chunks);
	}
	if (ret)
		return ret;

	list_for_each_entry(chunk, chunks, link) {
		chunk->offset = offset;
		offset += chunk->node.size;
		ret = anpu_clear_dirty(adev, chunk->node.start, chunk->node.size, true);
		if (ret) {
			anpu_chunks_destroy(adev, chunks, size);
			return ret;
		}
	}
	return 0;
}

/**
 * anpu_chunks_destroy() - give chunks back; the device must not use them any more
 * @adev: device
 * @chunks: list of them
 * @size: of all together
 */
void anpu_chunks_destroy(struct anpu_device *adev, struct list_head *chunks, u64 size)
{
	guard(mutex)(&adev->hbm.lock);
	adev->hbm.free += size;
	list_splice_tail_init(chunks, &adev->hbm.scrub);
	queue_work(system_unbound_wq, &adev->hbm.scrub_work);
}

/**
 * anpu_hbm_info() - how much HBM there is
 * @adev: device
 * @info: hbm_total, hbm_free and hbm_largest are filled
 *
 * An object that need not be contiguous can have all the free pages, so this is the largest.
 */
void anpu_hbm_info(struct anpu_device *adev, struct drm_anpu_memory_info *info)
{
	guard(mutex)(&adev->hbm.lock);
	info->hbm_total = adev->hbm.total;
	info->hbm_free = adev->hbm.free;
	info->hbm_largest = adev->hbm.free;
}

/**
 * anpu_hbm_show() - print the map of the HBM
 * @adev: device
 * @m: debugfs file
 */
void anpu_hbm_show(struct anpu_device *adev, struct seq_file *m)
{
	struct drm_printer p = drm_seq_file_printer(m);
	unsigned long pages = adev->hbm_size >> PAGE_SHIFT;

	guard(mutex)(&adev->hbm.lock);
	seq_printf(m, "total %llu free %llu dirty %llu\n", adev->hbm.total, adev->hbm.free,
		   (u64)bitmap_weight(adev->hbm.dirty, pages) << PAGE_SHIFT);
	drm_mm_print(&adev->hbm.mm, &p);
}

/* Init and fini -------------------------------------------------------------------------------- */

/**
 * anpu_hbm_prepare() - what anpu_hbm_fini() needs in any case
 * @adev: device
 */
void anpu_hbm_prepare(struct anpu_device *adev)
{
	struct anpu_hbm *hbm = &adev->hbm;

	mutex_init(&hbm->lock);
	INIT_LIST_HEAD(&hbm->scrub);
	INIT_LIST_HEAD(&hbm->tables);
	INIT_WORK(&hbm->scrub_work, anpu_scrub_work);
}

/**
 * anpu_hbm_pristine() - is the HBM as it was at power-on, zero?
 * @adev: device, before its reset by the driver
 *
 * Saves clearing it all, which would make the host of an emulated device give it real memory. Page
 * 0, which is never used, gets a mark for drivers to come; and whoever else has had the device,
 * through VFIO perhaps, has reset it, which adds to the one that the machine's start may count as.
 * Return: true if so.
 */
bool anpu_hbm_pristine(struct anpu_device *adev)
{
	u64 *mark = adev->hbm_cpu;

	if (anpu_read(adev, ANPU_REG_RESETS) > 1 || READ_ONCE(*mark))
		return false;
	WRITE_ONCE(*mark, ANPU_USED_MARK);
	return true;
}

/**
 * anpu_hbm_init() - begin to manage the HBM
 * @adev: device
 * @pristine: the HBM is known to be zero
 *
 * Return: 0 or -ENOMEM.
 */
int anpu_hbm_init(struct anpu_device *adev, bool pristine)
{
	struct anpu_hbm *hbm = &adev->hbm;
	unsigned long pages = adev->hbm_size >> PAGE_SHIFT;

	hbm->cgroup = drmm_cgroup_register_region(&adev->drm, "hbm", adev->hbm_size);
	if (IS_ERR(hbm->cgroup))
		return PTR_ERR(hbm->cgroup);
	hbm->dirty = kvcalloc(BITS_TO_LONGS(pages), sizeof(long), GFP_KERNEL);
	if (!hbm->dirty)
		return -ENOMEM;
	if (!pristine)
		bitmap_set(hbm->dirty, 0, pages);

	/* HBM address 0 stays unused: in the device's registers it means "none". */
	drm_mm_init(&hbm->mm, PAGE_SIZE, adev->hbm_size - PAGE_SIZE);
	hbm->total = adev->hbm_size - PAGE_SIZE;
	hbm->free = hbm->total;
	return 0;
}

/**
 * anpu_hbm_fini() - end of anpu_hbm_init(), if there was one, when nothing is in use any more
 * @adev: device
 */
void anpu_hbm_fini(struct anpu_device *adev)
{
	flush_work(&adev->hbm.scrub_work);
	if (adev->hbm.dirty)
		drm_mm_takedown(&adev->hbm.mm);
	kvfree(adev->hbm.dirty);
	mutex_destroy(&adev->hbm.lock);
}
