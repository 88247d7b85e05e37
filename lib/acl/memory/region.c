// SPDX-License-Identifier: MIT
/*
 * Regions: buffer objects at addresses in the device's range. The range is dealt out in chunks of
 * 2 MiB, each owned by at most one region, so that an address leads to its region by one index.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "memory/memory.h"

static uint64_t chunk_count(const struct anpu_device *dev)
{
	return dev->va_size >> ANPU_CHUNK_SHIFT;
}

/* Chunks that a region owns: those it has memory in, and where nothing may follow it one more */
static uint64_t chunks_of(const struct anpu_region *region)
{
	return (region->size + region->alone + ANPU_CHUNK_SIZE - 1) >> ANPU_CHUNK_SHIFT;
}

/* First of @n free chunks in [from, to), or @to; device locked */
static uint64_t find_free(const struct anpu_device *dev, uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t i, run = 0;

	for (i = from; i < to; i++) {
		run = dev->chunks[i] ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	return to;
}

/*
 * Takes addresses behind those given out last, so that a freed address comes back as late as
 * possible and a stale pointer meets nothing for long.
 */
static int take_chunks(struct anpu_region *region, uint64_t expect)
{
	struct anpu_device *dev = region->dev;
	uint64_t total = chunk_count(dev), n = chunks_of(region), first = total, i;

	pthread_mutex_lock(&dev->lock);
	if (expect >= dev->va_base && expect - dev->va_base < dev->va_size) {
		i = (expect - dev->va_base) >> ANPU_CHUNK_SHIFT;
		if (i + n <= total && find_free(dev, i, i + n, n) == i)
			first = i;
	}
	if (first == total)
		first = find_free(dev, dev->next_chunk, total, n);
	if (first == total)
		first = find_free(dev, 0, total, n);
	if (first == total) {
		pthread_mutex_unlock(&dev->lock);
		return -ENOSPC;
	}
	for (i = 0; i < n; i++)
		dev->chunks[first + i] = region;
	dev->next_chunk = first + n;
	region->va = dev->va_base + (first << ANPU_CHUNK_SHIFT);
	pthread_mutex_unlock(&dev->lock);
	return 0;
}

/* Device locked */
static void set_chunks(const struct anpu_region *region, struct anpu_region *to)
{
	uint64_t first = (region->va - region->dev->va_base) >> ANPU_CHUNK_SHIFT, i;

	for (i = 0; i < chunks_of(region); i++)
		region->dev->chunks[first + i] = to;
}

/* Device locked */
static void give_chunks_locked(struct anpu_region *region)
{
	set_chunks(region, region->reserve);
	if (region->reserve)
		region->reserve->mapped--;
}

static void give_chunks(struct anpu_region *region)
{
	pthread_mutex_lock(&region->dev->lock);
	give_chunks_locked(region);
	pthread_mutex_unlock(&region->dev->lock);
}

int anpu_vm_bind(struct anpu_device *dev, struct drm_anpu_vm_bind_op *ops, uint32_t count)
{
	struct drm_anpu_vm_bind bind = {
		.ops = { .stride = sizeof(*ops), .count = count, .array = (uintptr_t)ops },
	};

	return anpu_ioctl(dev, DRM_IOCTL_ANPU_VM_BIND, &bind);
}

static int unbind(struct anpu_region *region)
{
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_UNMAP,
		.va = region->va,
		.size = region->size,
	};

	return anpu_vm_bind(region->dev, &op, 1);
}

void anpu_bo_close(struct anpu_device *dev, uint32_t handle)
{
	/*
	 * this fails only for a wrong handle, or when the device is gone, which frees the object
	 * too
	 */
	(void)anpu_close_gem(dev, handle);
}

static int create_bo(struct anpu_region *region, uint32_t type, uint64_t size)
{
	struct drm_anpu_bo_create create = { .size = size, .type = type };
	int err;

	/* contiguous memory gets large pages; a fragmented device still has small ones */
	if (type == DRM_ANPU_BO_HBM && size >= ANPU_CHUNK_SIZE)
		create.flags = DRM_ANPU_BO_CONTIGUOUS;
	err = anpu_ioctl(region->dev, DRM_IOCTL_ANPU_BO_CREATE, &create);
	if (err == -ENOSPC && create.flags) {
		create.flags = 0;
		create.size = size;
		err = anpu_ioctl(region->dev, DRM_IOCTL_ANPU_BO_CREATE, &create);
	}
	region->handle = create.handle;
	region->size = create.size;
	return err;
}

static void count_use(const struct anpu_region *region, int64_t bytes)
{
	static const enum anpu_use use[] = {
		[ANPU_REGION_BIG] = ANPU_USE_MALLOC,	   [ANPU_REGION_SLAB] = ANPU_USE_MALLOC,
		[ANPU_REGION_CODE] = ANPU_USE_OPERATORS,   [ANPU_REGION_INTERNAL] = ANPU_USE_RUNTIME,
		[ANPU_REGION_POOL] = ANPU_USE_POOL,	   [ANPU_REGION_STATUS] = ANPU_USE_RUNTIME,
		[ANPU_REGION_ARGS] = ANPU_USE_RUNTIME,
	};

	if (region->hbm)
		anpu_use(region->dev, use[region->kind], bytes);
}

static void drop_all(struct anpu_region *list)
{
	struct anpu_region *region;

	while ((region = list)) {
		list = region->next_ended;
		count_use(region, -(int64_t)region->size);
		anpu_region_put(region);
	}
}

/*
 * Unmapping needs a little memory of the host, and calls that free must not fail for want of that: a
 * region that could not be unmapped keeps its addresses and its memory until a later call, which
 * makes or frees something, can unmap it. @all: the device ends, and with it all mappings.
 */
static void end_stuck(struct anpu_device *dev, bool all)
{
	struct anpu_region *region, **at = &dev->stuck, *done = NULL;

	pthread_mutex_lock(&dev->lock);
	while ((region = *at)) {
		if (unbind(region) && !atomic_load(&dev->lost) && !all) {
			at = &region->next_ended;
			continue;
		}
		__atomic_store_n(at, region->next_ended, __ATOMIC_RELAXED);
		give_chunks_locked(region);
		region->next_ended = done;
		done = region;
	}
	pthread_mutex_unlock(&dev->lock);
	drop_all(done);
}

void anpu_regions_settle(struct anpu_device *dev)
{
	if (__atomic_load_n(&dev->stuck, __ATOMIC_RELAXED))
		end_stuck(dev, false);
}

/* false: another thread has ended the device's regions */
static bool make_live(struct anpu_region *region)
{
	bool live;

	pthread_mutex_lock(&region->dev->lock);
	live = !region->dev->regions_ended;
	region->live = live;
	pthread_mutex_unlock(&region->dev->lock);
	return live;
}

int anpu_region_new(struct anpu_device *dev, enum anpu_region_kind kind, uint32_t bo_type,
		    uint64_t size, uint32_t vm_flags, struct anpu_region **out)
{
	struct anpu_region *region = calloc(1, sizeof(*region));
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_MAP, .flags = vm_flags };
	int err;

	if (!region)
		return -ENOMEM;
	anpu_regions_settle(dev);
	region->dev = dev;
	region->kind = kind;
	region->user_size = size;
	anpu_site_here(&region->site);
	region->alone = anpu_checking();
	atomic_init(&region->refs, 1);
	region->hbm = bo_type == DRM_ANPU_BO_HBM;
	err = create_bo(region, bo_type, size);
	if (err)
		goto fail_bo;
	err = take_chunks(region, 0);
	if (err)
		goto fail_chunks;
	op.va = region->va;
	op.size = region->size;
	op.handle = region->handle;
	if (vm_flags)
		err = anpu_vm_bind(dev, &op, 1);
	if (err)
		goto fail_bind;
	if (!make_live(region)) {
		(void)unbind(region);
		err = -ESHUTDOWN;
		goto fail_bind;
	}
	count_use(region, region->size);
	err = anpu_peers_update(region);
	if (err) {
		anpu_region_end(region);
		return err;
	}
	*out = region;
	return 0;
fail_bind:
	give_chunks(region);
fail_chunks:
	anpu_bo_close(dev, region->handle);
fail_bo:
	free(region);
	return err;
}

static struct anpu_region *new_region(struct anpu_device *dev, enum anpu_region_kind kind,
				      uint64_t size)
{
	struct anpu_region *region = calloc(1, sizeof(*region));

	if (!region)
		return NULL;
	region->dev = dev;
	region->kind = kind;
	region->size = size;
	region->user_size = size;
	anpu_site_here(&region->site);
	atomic_init(&region->refs, 1);
	return region;
}

int anpu_region_reserve(struct anpu_device *dev, uint64_t size, uint64_t expect,
			struct anpu_region **out)
{
	struct anpu_region *region = new_region(dev, ANPU_REGION_RESERVED, size);
	int err;

	if (!region)
		return -ENOMEM;
	anpu_regions_settle(dev);
	err = take_chunks(region, expect);
	if (err) {
		free(region);
		return err;
	}
	if (!make_live(region)) {
		give_chunks(region);
		free(region);
		return -ESHUTDOWN;
	}
	*out = region;
	return 0;
}

int anpu_region_release(struct anpu_region *reserve)
{
	int err = 0;

	pthread_mutex_lock(&reserve->dev->lock);
	if (!reserve->live)
		err = -EINVAL;
	else if (reserve->mapped)
		err = -EBUSY;
	else
		reserve->live = false;
	pthread_mutex_unlock(&reserve->dev->lock);
	if (err)
		return err;
	give_chunks(reserve);
	anpu_region_put(reserve);
	return 0;
}

/* Takes a part of the reservation; device locked */
static int claim(struct anpu_region *reserve, struct anpu_region *region)
{
	struct anpu_device *dev = reserve->dev;
	uint64_t first = (region->va - dev->va_base) >> ANPU_CHUNK_SHIFT, i;

	if (!reserve->live || region->va < reserve->va ||
	    region->va - reserve->va > reserve->size - region->size)
		return -EINVAL;
	for (i = 0; i < chunks_of(region); i++)
		if (dev->chunks[first + i] != reserve)
			return -EEXIST;
	set_chunks(region, region);
	reserve->mapped++;
	region->reserve = reserve;
	anpu_region_get(reserve);
	return 0;
}

/* -EXDEV if the memory is another device's, because the error may be about that device */
static int gone(const struct anpu_region *region, int err)
{
	const struct acl_obj *owner = region->owner;

	return owner && container_of(owner, struct anpu_physical, obj)->fd >= 0 ? -EXDEV : err;
}

int anpu_region_protect(struct anpu_region *region, uint32_t vm_flags)
{
	struct drm_anpu_vm_bind_op op = {
		.op = vm_flags ? DRM_ANPU_VM_REPLACE : DRM_ANPU_VM_UNMAP,
		.flags = vm_flags,
		.va = region->va,
		.size = region->size,
		.handle = vm_flags ? region->handle : 0,
		.offset = vm_flags ? region->bo_offset : 0,
	};
	int err = anpu_vm_bind(region->dev, &op, 1);

	if (err)
		return err == -ENODEV || err == -EBUSY ? gone(region, err) : err;
	region->rights = vm_flags;
	return anpu_peers_update(region);
}

int anpu_region_map(struct anpu_region *reserve, uint64_t va, uint64_t size, uint32_t handle,
		    struct acl_obj *owner, uint64_t offset, bool imported)
{
	struct anpu_device *dev = reserve->dev;
	struct anpu_region *region;
	int err;

	if (size > reserve->size)
		return -EINVAL;
	region = new_region(dev, ANPU_REGION_MAPPED, size);
	if (!region)
		return -ENOMEM;
	region->va = va;
	region->handle = handle;
	region->bo_offset = offset;
	region->imported = imported;
	pthread_mutex_lock(&dev->lock);
	err = claim(reserve, region);
	pthread_mutex_unlock(&dev->lock);
	if (err) {
		free(region);
		return err;
	}
	region->owner = owner;
	err = anpu_region_protect(region, DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE);
	if (err) {
		give_chunks(region);
		anpu_region_put(reserve);
		free(region);
		return err;
	}
	acl_obj_get(owner);
	pthread_mutex_lock(&dev->lock);
	region->live = true;
	pthread_mutex_unlock(&dev->lock);
	err = anpu_peers_update(region);
	if (err)
		anpu_region_end(region);
	return err;
}

/* A task may use it still, and its failure is told in these words */
static void note_ended(const struct anpu_region *region)
{
	switch (region->kind) {
	case ANPU_REGION_BIG:
	case ANPU_REGION_SLAB:
		anpu_ended_note(region->va + region->lead, region->size - region->lead, ANPU_ENDED_FREED,
				region->kind == ANPU_REGION_BIG ? &region->site : NULL);
		break;
	case ANPU_REGION_CODE:
		anpu_ended_note(region->va, region->size, ANPU_ENDED_CODE, &region->site);
		break;
	case ANPU_REGION_POOL:
		anpu_ended_note(region->va, region->size, ANPU_ENDED_POOL, &region->site);
		break;
	case ANPU_REGION_MAPPED:
		anpu_ended_note(region->va, region->size,
				region->imported ? ANPU_ENDED_IMPORT : ANPU_ENDED_MAPPING,
				&region->site);
		break;
	default: /* no pointer of the program was ever there */
		break;
	}
}

void anpu_region_end(struct anpu_region *region)
{
	struct anpu_device *dev = region->dev;
	bool live, stuck;

	pthread_mutex_lock(&dev->lock);
	live = region->live;
	region->live = false;
	pthread_mutex_unlock(&dev->lock);
	if (!live)
		return;
	note_ended(region);
	anpu_peers_drop(region);
	anpu_region_hide(region);
	/*
	 * When unmapping fails the device is gone, and with it the mapping; if it is not, the
	 * addresses must not be used again while something is behind them.
	 */
	stuck = unbind(region) && !atomic_load(&dev->lost);
	pthread_mutex_lock(&dev->lock);
	stuck &= !dev->regions_ended;
	region->next_ended = stuck ? dev->stuck : NULL;
	if (stuck)
		__atomic_store_n(&dev->stuck, region, __ATOMIC_RELAXED);
	else
		give_chunks_locked(region);
	pthread_mutex_unlock(&dev->lock);
	if (!stuck)
		drop_all(region);
}

void anpu_region_get(struct anpu_region *region)
{
	atomic_fetch_add_explicit(&region->refs, 1, memory_order_relaxed);
}

void anpu_region_put(struct anpu_region *region)
{
	if (atomic_fetch_sub_explicit(&region->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (region->window)
		anpu_unmap(region->dev, region->window, region->size);
	if (region->owner)
		acl_obj_put(region->owner);
	else if (region->handle)
		anpu_bo_close(region->dev, region->handle);
	if (region->reserve)
		anpu_region_put(region->reserve);
	free(region->slab);
	free(region);
}

void *anpu_bo_map(struct anpu_device *dev, uint32_t handle, uint64_t at, uint64_t size)
{
	struct drm_anpu_bo_mmap_offset offset = { .handle = handle };

	if (anpu_ioctl(dev, DRM_IOCTL_ANPU_BO_MMAP_OFFSET, &offset))
		return NULL;
	return anpu_map(dev, offset.offset + at, size, PROT_READ | PROT_WRITE);
}

void *anpu_region_window(struct anpu_region *region)
{
	struct anpu_device *dev = region->dev;
	void *window = atomic_load_explicit(&region->window, memory_order_acquire);

	if (window)
		return window;
	pthread_mutex_lock(&dev->lock);
	window = region->window;
	if (!window) {
		window = region->owner
				 ? anpu_physical_map(container_of(region->owner,
								  struct anpu_physical, obj),
						     region->bo_offset, region->size)
				 : anpu_bo_map(dev, region->handle, region->bo_offset, region->size);
		atomic_store_explicit(&region->window, window, memory_order_release);
	}
	pthread_mutex_unlock(&dev->lock);
	return window;
}

struct anpu_region *anpu_region_find_locked(struct anpu_device *dev, uint64_t va)
{
	struct anpu_region *region;

	if (va < dev->va_base || va - dev->va_base >= dev->va_size)
		return NULL;
	region = dev->chunks[(va - dev->va_base) >> ANPU_CHUNK_SHIFT];
	if (!region || !region->live || va - region->va >= region->size)
		return NULL;
	return region;
}

struct anpu_region *anpu_region_next(struct anpu_device *dev, uint64_t *at)
{
	struct anpu_region *region = NULL;

	pthread_mutex_lock(&dev->lock);
	for (; *at < chunk_count(dev) && !region; ++*at) {
		region = dev->chunks[*at];
		/* once, at its first chunk */
		if (region && (!region->live ||
			       region->va != dev->va_base + (*at << ANPU_CHUNK_SHIFT)))
			region = NULL;
	}
	if (region)
		anpu_region_get(region);
	pthread_mutex_unlock(&dev->lock);
	return region;
}

struct anpu_region *anpu_region_find(struct anpu_device *dev, uint64_t va)
{
	struct anpu_region *region;

	pthread_mutex_lock(&dev->lock);
	region = anpu_region_find_locked(dev, va);
	if (region)
		anpu_region_get(region);
	pthread_mutex_unlock(&dev->lock);
	return region;
}

/* Lives of devices ----------------------------------------------------------------------------- */

aclError anpu_regions_begin(struct anpu_device *dev)
{
	anpu_touch_start();
	dev->chunks = calloc(dev->va_size >> ANPU_CHUNK_SHIFT, sizeof(*dev->chunks));
	return dev->chunks ? ACL_SUCCESS
			   : acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the tables of device %d",
				      dev->id);
}

/* The first live region from chunk *@i on with a reference; *@i is where to go on. NULL: none */
static struct anpu_region *next_region(struct anpu_device *dev, uint64_t *i, bool mappings_only)
{
	struct anpu_region *region, *found = NULL;

	pthread_mutex_lock(&dev->lock);
	dev->regions_ended |= !mappings_only;
	for (; *i < dev->va_size >> ANPU_CHUNK_SHIFT && !found; ++*i) {
		region = dev->chunks[*i];
		if (region && region->live &&
		    (!mappings_only || region->kind == ANPU_REGION_MAPPED))
			found = region;
	}
	if (found)
		anpu_region_get(found); /* another thread may end it first */
	pthread_mutex_unlock(&dev->lock);
	return found;
}

static void end_regions(struct anpu_device *dev, bool mappings_only)
{
	struct anpu_region *region;
	uint64_t i = 0;

	while ((region = next_region(dev, &i, mappings_only))) {
		anpu_region_end(region);
		if (region->owner) { /* the owner's reference keeps the device */
			anpu_region_put(region);
			continue;
		}
		region->next_ended = dev->ended;
		dev->ended = region;
	}
}

void anpu_regions_end(struct anpu_device *dev)
{
	if (anpu_checking()) {
		anpu_guards_look(dev, &(struct anpu_noticed){ .when = "at the end" });
		anpu_leaks_look(dev);
	}
	end_regions(dev, true); /* before the reservations that they are in */
	end_regions(dev, false);
	end_stuck(dev, true);
}

void anpu_regions_release(struct anpu_device *dev)
{
	struct anpu_region *region;

	while ((region = dev->ended)) {
		dev->ended = region->next_ended;
		anpu_region_put(region);
	}
	free(dev->chunks);
}
