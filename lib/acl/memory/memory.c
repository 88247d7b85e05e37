// SPDX-License-Identifier: MIT
/*
 * Memory: what aclrtMalloc() and aclrtMallocHost() give out, and what any address is.
 *
 * Device allocations up to 1 MiB come from slabs, regions of 2 MiB that are dealt out in granules
 * of 512 bytes; larger ones are regions of their own. Pinned host memory is a buffer object that is
 * mapped at the same address on both sides.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/memory.h"

#define GRANULE_SHIFT 9
#define GRANULE	      (1U << GRANULE_SHIFT)
#define GRANULES      (ANPU_CHUNK_SIZE >> GRANULE_SHIFT)
#define SMALL_MAX     (1U << 20)
#define VM_RW	      (DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE)

struct anpu_slab {
	uint32_t free;		      /* granules */
	uint32_t next;		      /* where the last search ended */
	uint32_t fits;		      /* no more granules than these are free in one piece */
	bool listed;		      /* in the device's list of slabs with room */
	uint64_t used[GRANULES / 64]; /* bits */
	uint32_t size[GRANULES];      /* bytes of the allocation that begins here, or 0 */
	struct anpu_site site[GRANULES]; /* the call that made it; pages are taken where it is touched */
};

static bool granule_used(const struct anpu_slab *slab, uint32_t i)
{
	return slab->used[i / 64] >> (i % 64) & 1;
}

/* Device locked */
static void mark(struct anpu_region *region, uint32_t first, uint32_t n, bool used)
{
	struct anpu_slab *slab = region->slab;
	uint32_t i;

	for (i = first; i < first + n; i++) {
		if (used)
			slab->used[i / 64] |= 1ULL << (i % 64);
		else
			slab->used[i / 64] &= ~(1ULL << (i % 64));
	}
	slab->free += used ? -n : n;
	if (!used)
		slab->fits = GRANULES;
	region->dev->slab_free += (uint64_t)(used ? -(int64_t)n : (int64_t)n) << GRANULE_SHIFT;
}

/* First of @n free granules in [from, GRANULES), or GRANULES */
static uint32_t find_granules(const struct anpu_slab *slab, uint32_t from, uint32_t n)
{
	uint32_t i = from, run = 0;

	while (i < GRANULES) {
		if (!(i % 64) && slab->used[i / 64] == ~0ULL) {
			run = 0;
			i += 64;
			continue;
		}
		run = granule_used(slab, i) ? 0 : run + 1;
		i++;
		if (run == n)
			return i - n;
	}
	return GRANULES;
}

/* Address of @size bytes in a slab, or 0; device locked */
static uint64_t slab_take(struct anpu_region *region, uint64_t size)
{
	struct anpu_slab *slab = region->slab;
	uint32_t n = (size + GRANULE - 1) >> GRANULE_SHIFT, at;

	if (min_u64(slab->free, slab->fits) < n)
		return 0;
	at = find_granules(slab, slab->next, n);
	if (at == GRANULES)
		at = find_granules(slab, 0, n);
	if (at == GRANULES) {
		slab->fits = n - 1;
		return 0;
	}
	mark(region, at, n, true);
	slab->size[at] = size;
	anpu_site_here(&slab->site[at]);
	slab->next = at + n < GRANULES ? at + n : 0;
	return region->va + ((uint64_t)at << GRANULE_SHIFT);
}

/* Puts a new slab into the device's list; device locked */
static void slab_list(struct anpu_region *region)
{
	region->prev = NULL;
	region->next = region->dev->slabs;
	if (region->next)
		region->next->prev = region;
	region->dev->slabs = region;
	region->slab->listed = true;
}

static void slab_unlist(struct anpu_region *region)
{
	*(region->prev ? &region->prev->next : &region->dev->slabs) = region->next;
	if (region->next)
		region->next->prev = region->prev;
	region->slab->listed = false;
}

/* An empty slab is about to end; device locked */
static void slab_retire(struct anpu_region *region)
{
	slab_unlist(region);
	region->dev->slab_free -= ANPU_CHUNK_SIZE;
}

/* Gives an empty slab back to the device; false if there is none */
static bool drop_empty_slab(struct anpu_device *dev)
{
	struct anpu_region *region;

	pthread_mutex_lock(&dev->lock);
	for (region = dev->slabs; region && region->slab->free < GRANULES; region = region->next)
		;
	if (region) {
		slab_retire(region);
		anpu_region_get(region);
	}
	pthread_mutex_unlock(&dev->lock);
	if (!region)
		return false;
	anpu_region_end(region);
	anpu_region_put(region);
	return true;
}

static uint64_t take_small(struct anpu_device *dev, uint64_t size)
{
	struct anpu_region *region, *next;
	uint64_t va = 0;

	pthread_mutex_lock(&dev->lock);
	for (region = dev->slabs; region && !va; region = next) {
		next = region->next;
		va = slab_take(region, size);
		if (!region->slab->free)
			slab_unlist(region);
	}
	pthread_mutex_unlock(&dev->lock);
	return va;
}

static int malloc_small(struct anpu_device *dev, uint64_t size, uint64_t *va)
{
	struct anpu_region *region;
	struct anpu_slab *slab;
	int err;

	*va = take_small(dev, size);
	if (*va)
		return 0;
	slab = calloc(1, sizeof(*slab));
	if (!slab)
		return -ENOMEM;
	err = anpu_region_new(dev, ANPU_REGION_SLAB, DRM_ANPU_BO_HBM, ANPU_CHUNK_SIZE, VM_RW,
			      &region);
	if (err) {
		free(slab);
		return err;
	}
	slab->free = GRANULES;
	slab->fits = GRANULES;
	pthread_mutex_lock(&dev->lock);
	dev->slab_free += ANPU_CHUNK_SIZE;
	region->slab = slab;
	*va = slab_take(region, size);
	slab_list(region);
	pthread_mutex_unlock(&dev->lock);
	return 0;
}

static int malloc_big(struct anpu_device *dev, uint64_t size, uint64_t *va)
{
	struct anpu_region *region;
	int err;

	do
		err = anpu_region_new(dev, ANPU_REGION_BIG, DRM_ANPU_BO_HBM, size, VM_RW, &region);
	while (err == -ENOSPC && drop_empty_slab(dev));
	if (!err)
		*va = region->va;
	return err;
}

/* @exact: the bytes that the checking mode lets the program use */
static int allocate(struct anpu_device *dev, uint64_t exact, uint64_t rounded, uint64_t *va)
{
	int err = -ENOSPC;

	if (rounded > dev->info.hbm_size)
		return err;
	if (anpu_checking())
		return anpu_guarded_new(dev, exact, va);
	if (rounded <= SMALL_MAX)
		err = malloc_small(dev, rounded, va);
	/* no room for another slab may still be room for the allocation alone */
	return err == -ENOSPC ? malloc_big(dev, rounded, va) : err;
}

static aclError out_of_memory(struct anpu_device *dev, int err, uint64_t size)
{
	char want[16], left[16], piece[16];
	uint64_t largest = 0, free;

	if (err != -ENOSPC)
		return anpu_fail_ioctl(dev, err, "allocating device memory");
	if (size > UINT64_MAX / 2) {
		anpu_finding("call", NULL, "the size is %lld as a number with a sign: look at how it is computed", (long long)size);
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"device %d has no %llu bytes, which are %lld as a number with a sign: look at how size is computed",
				dev->id, (unsigned long long)size, (long long)size);
	}
	free = anpu_hbm_free(dev, &largest);
	return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"device %d has no %s left: %s are free, %s in one piece; free what is no "
			"longer used with aclrtFree(), or give the device more (hbm=SIZE)",
			dev->id, acl_bytes(size, want), acl_bytes(free, left),
			acl_bytes(largest, piece));
}

/*
 * The driver takes large pages where the size allows it, so only the policies that ask for pages of
 * 1 GiB differ from the others, and a policy that does not exist is like those.
 */
static aclError device_malloc(void **out, uint64_t size, uint64_t extra,
			      bool exact, aclrtMemMallocPolicy policy)
{
	struct anpu_context *ctx;
	uint64_t rounded, va = 0;
	aclError ret;
	int err;

	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	ret = anpu_planned_failure(size);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	/*
	 * sizes that no device has are not rounded, which could give 0: the message has them as
	 * given
	 */
	rounded = size > UINT64_MAX / 2 ? size : align_up(size, 32) + extra;
	if (size <= UINT64_MAX / 2 &&
	    (policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P))
		rounded = align_up(rounded, 1ULL << 30);
	err = allocate(ctx->obj.dev, exact ? size : rounded, rounded, &va);
	if (err)
		ret = out_of_memory(ctx->obj.dev, err, size);
	else
		*out = (void *)(uintptr_t)va;
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	return device_malloc(devPtr, size, 32, true, policy);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	return device_malloc(devPtr, size, 0, false, policy);
}

aclError anpu_front_malloc(void **devPtr, size_t size)
{
	ACL_ENTER();
	return device_malloc(devPtr, size, 0, true, ACL_MEM_MALLOC_HUGE_FIRST);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	return device_malloc(devPtr, size, 32, true, policy);
}

/* Attributes that ask for what every allocation is; @id is the current device */
static aclError check_attribute(const aclrtMallocAttribute *a, size_t i, int32_t id)
{
	switch (a->attr) {
	/* names whom to account the memory to, which is always the process here */
	case ACL_RT_MEM_ATTR_MODULE_ID:
		return ACL_SUCCESS;
	case ACL_RT_MEM_ATTR_DEVICE_ID:
		if (a->value.deviceId == (uint32_t)id)
			return ACL_SUCCESS;
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"attribute %zu: deviceId is %u and memory is allocated on the "
				"thread's device, %d: call aclrtSetDevice() before",
				i, a->value.deviceId, id);
	case ACL_RT_MEM_ATTR_VA_FLAG:
		if (!a->value.vaFlag)
			return ACL_SUCCESS;
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"attribute %zu: vaFlag is %#x and only 0 is built", i,
				a->value.vaFlag);
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM, "attribute %zu has the unknown type %d", i,
				(int)a->attr);
	}
}

static aclError check_config(const aclrtMallocConfig *cfg)
{
	struct anpu_context *ctx;
	aclError ret;
	size_t i;

	if (!cfg || !cfg->numAttrs)
		return ACL_SUCCESS;
	if (!cfg->attrs)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs is NULL and numAttrs is %zu",
				cfg->numAttrs);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	for (i = 0; i < cfg->numAttrs && !ret; i++)
		ret = check_attribute(&cfg->attrs[i], i, ctx->obj.dev->id);
	anpu_context_put(ctx);
	return ret;
}

static aclError check_malloc(aclrtMemMallocPolicy policy, const aclrtMallocConfig *cfg)
{
	if (policy & ACL_MEM_ACCESS_USER_SPACE_READONLY)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"policy is %#x: memory that operators can only read is not built",
				(unsigned int)policy);
	return check_config(cfg);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
			    aclrtMallocConfig *cfg)
{
	/* one kind of memory has both bandwidths */
	uint32_t plain = policy & ~(ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH);
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = check_malloc(policy, cfg);
	return ret ? ret : device_malloc(devPtr, size, 32, true, (aclrtMemMallocPolicy)plain);
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy,
				     aclrtMallocConfig *cfg)
{
	uint32_t plain = policy & ~(ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH);
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = check_malloc(policy, cfg);
	return ret ? ret : device_malloc(devPtr, size, 32, true, (aclrtMemMallocPolicy)plain);
}

/* Start and size of the live allocation in a region that holds @va; false if none. Device locked */
static bool allocation_at(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size)
{
	uint32_t i;

	if (region->kind == ANPU_REGION_BIG) {
		*base = region->va + region->lead;
		*size = region->user_size;
		return va - *base < *size;
	}
	if (region->kind == ANPU_REGION_MAPPED ||
	    region->kind == ANPU_REGION_STATUS) {
		*base = region->va;
		*size = region->user_size;
		return va - region->va < region->user_size;
	}
	if (anpu_memory_hooks.allocation[region->kind])
		return anpu_memory_hooks.allocation[region->kind](region, va, base, size);
	if (region->kind != ANPU_REGION_SLAB || !region->slab)
		return false;
	i = (va - region->va) >> GRANULE_SHIFT;
	if (!granule_used(region->slab, i))
		return false;
	while (!region->slab->size[i])
		i--;
	*base = region->va + ((uint64_t)i << GRANULE_SHIFT);
	*size = region->slab->size[i];
	return va - *base < *size;
}

bool anpu_allocated_locked(const struct anpu_region *region, uint64_t va)
{
	uint64_t base, size;

	return allocation_at(region, va, &base, &size);
}

/* Mappings that follow each other in a reservation are one piece of memory. Device locked */
static uint64_t mapped_size(struct anpu_device *dev, const struct anpu_region *region)
{
	const struct anpu_region *next = region;
	uint64_t size = 0;

	do {
		size += next->size;
		next = anpu_region_find_locked(dev, region->va + size);
	} while (next && next->kind == ANPU_REGION_MAPPED && next->reserve == region->reserve);
	return size;
}

static aclError free_failed(const void *ptr, struct anpu_device *dev, uint64_t base, bool inside)
{
	char was[1200];

	if (inside)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"devPtr is %p, which is inside an allocation that begins at %p: "
				"pass the start, which aclrtMalloc() returned",
				ptr, (void *)(uintptr_t)base);
	if (dev && anpu_ended_brief((uintptr_t)ptr, was, sizeof(was)))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"devPtr is %p, an address of device memory that is not allocated: it was "
				"freed already: it is in the %s", ptr, was);
	if (anpu_in_device_range(ptr))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"devPtr is %p, an address of device memory that is not allocated%s",
				ptr,
				dev ? ": it was freed already, or never returned by aclrtMalloc()"
				    : " any more: its device was reset");
	if (anpu_is_pinned(ptr))
		return acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"devPtr is %p, which is pinned host memory: free it with aclrtFreeHost()",
			ptr);
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"devPtr is %p, which is host memory that this library did not allocate",
			ptr);
}

/* Names the kind of memory at an address that aclrtMalloc() did not return; NULL if it did */
static const char *not_freed(const struct anpu_region *region)
{
	switch (region->kind) {
	case ANPU_REGION_POOL:
		return "memory of a pool: free it with aclrtMemPoolFreeAsync()";
	case ANPU_REGION_CODE:
		return "a variable of an operator, which lives as long as that";
	case ANPU_REGION_STATUS:
		return "the overflow status, which lives as long as its device is in use";
	case ANPU_REGION_MAPPED:
		return "where physical memory is mapped: undo that with aclrtUnmapMem(), or "
		       "aclrtIpcMemClose()";
	default:
		return NULL;
	}
}

static aclError device_free(void *devPtr)
{
	uint64_t va = (uintptr_t)devPtr, base = 0, size = 0;
	struct anpu_region *region = NULL, *end = NULL;
	struct anpu_device *dev;
	aclError ret = ACL_SUCCESS;
	const char *what;
	bool found = false;

	dev = anpu_device_of(devPtr);
	if (!dev && anpu_managed_free(devPtr, &ret))
		return ret;
	if (dev) {
		pthread_mutex_lock(&dev->lock);
		region = anpu_region_find_locked(dev, va);
		found = region && allocation_at(region, va, &base, &size);
	}
	what = found ? not_freed(region) : NULL;
	if (what) {
		pthread_mutex_unlock(&dev->lock);
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID, "devPtr is %p, %s", devPtr, what);
		goto out;
	}
	if (!found || base != va) {
		if (dev)
			pthread_mutex_unlock(&dev->lock);
		ret = free_failed(devPtr, dev, base, found);
		goto out;
	}
	if (region->guarded) {
		anpu_guard_look(region, &(struct anpu_noticed){ .when = "when it is freed" });
		anpu_memory_hooks.freed(base, size);
	}
	if (region->kind == ANPU_REGION_SLAB) {
		anpu_ended_note(va, size, ANPU_ENDED_FREED,
				&region->slab->site[(va - region->va) >> GRANULE_SHIFT]);
		region->slab->size[(va - region->va) >> GRANULE_SHIFT] = 0;
		mark(region, (va - region->va) >> GRANULE_SHIFT,
		     (size + GRANULE - 1) >> GRANULE_SHIFT, false);
		if (!region->slab->listed)
			slab_list(region);
		/* one empty slab is kept for the next allocation */
		if (region->slab->free == GRANULES && dev->slabs &&
		    (dev->slabs != region || region->next)) {
			slab_retire(region);
			end = region;
		}
	} else {
		end = region;
		region->user_size = 0; /* from here on a second free finds no allocation */
	}
	if (end)
		anpu_region_get(end);
	pthread_mutex_unlock(&dev->lock);
	if (end) {
		anpu_region_end(end);
		anpu_region_put(end);
	}
out:
	if (dev)
		anpu_device_put(dev);
	return ret;
}

/* Device locked */
static bool slab_edge(const struct anpu_region *region, bool last, uint64_t *base, uint64_t *size)
{
	uint32_t k, i;

	for (k = 0; k < GRANULES; k++) {
		i = last ? GRANULES - 1 - k : k;
		if (!region->slab->size[i])
			continue;
		*base = region->va + ((uint64_t)i << GRANULE_SHIFT);
		*size = region->slab->size[i];
		return true;
	}
	return false;
}

struct anpu_site anpu_made_locked(const struct anpu_region *region, uint64_t base)
{
	if (region->kind == ANPU_REGION_SLAB)
		return region->slab->site[(base - region->va) >> GRANULE_SHIFT];
	return region->site;
}

bool anpu_edge_locked(const struct anpu_region *region, bool last, uint64_t *base, uint64_t *size)
{
	if (!region->live)
		return false;
	switch (region->kind) {
	case ANPU_REGION_SLAB:
		return region->slab && slab_edge(region, last, base, size);
	case ANPU_REGION_BIG:
	case ANPU_REGION_POOL:
	case ANPU_REGION_MAPPED:
		*base = region->va + region->lead;
		*size = region->kind == ANPU_REGION_BIG ? region->user_size : region->size;
		return *size != 0;
	default:
		return false;
	}
}

aclError aclrtFree(void *devPtr)
{
	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	return device_free(devPtr);
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = anpu_memory_hooks.await_tasks();
	return ret ? ret : device_free(devPtr);
}

/* Variables of an operator that the program sees; device locked, or with a reference to the region */
static bool in_part(const struct anpu_region *region, uint64_t addr)
{
	return addr - region->va - region->part < region->part_size;
}

/* Device part of anpu_mem_look(); with @args also arguments of kernels */
static aclError look_device(struct anpu_mem *mem, uint64_t len, const char *name, bool args)
{
	struct anpu_device *dev = anpu_device_of((void *)(uintptr_t)mem->addr);
	struct anpu_region *region = NULL;
	bool found = false;
	char was[1200];

	if (dev) {
		pthread_mutex_lock(&dev->lock);
		region = anpu_region_find_locked(dev, mem->addr);
		found = region && allocation_at(region, mem->addr, &mem->base, &mem->size);
		if (args && region && region->kind == ANPU_REGION_ARGS) {
			found = mem->addr - region->va < region->size;
			mem->base = region->va;
			mem->size = region->size;
		}
		if (found && region->kind == ANPU_REGION_MAPPED &&
		    len > mem->size - (mem->addr - mem->base)) {
			mem->size = mapped_size(dev, region);
			mem->pieces = true;
		}
		if (found && len <= mem->size - (mem->addr - mem->base)) {
			anpu_region_get(region);
			mem->dev = dev;
			mem->region = region;
			mem->place = ANPU_PLACE_DEVICE;
			mem->managed = region->shown || in_part(region, mem->addr);
		}
		pthread_mutex_unlock(&dev->lock);
	}
	if (mem->region)
		return ACL_SUCCESS;
	if (dev)
		anpu_device_put(dev);
	if (!found && anpu_ended_text(mem->addr, was, sizeof(was)))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s is %#llx, an address of device memory that is not allocated any more: it "
				"is in the %s", name, (unsigned long long)mem->addr, was);
	if (!found)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s is %#llx, an address of device memory that is not allocated: "
				"it was freed, or its device reset, or it lies outside what "
				"aclrtMalloc() returned",
				name, (unsigned long long)mem->addr);
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"%s with %llu bytes from %#llx leaves its allocation, which begins at "
			"%#llx and has %llu bytes",
			name, (unsigned long long)len, (unsigned long long)mem->addr,
			(unsigned long long)mem->base, (unsigned long long)mem->size);
}

bool anpu_mem_at(const void *ptr, struct anpu_mem *mem)
{
	struct anpu_device *dev = anpu_device_of(ptr);
	bool found = false;

	*mem = (struct anpu_mem){ .place = ANPU_PLACE_DEVICE, .addr = (uintptr_t)ptr };
	if (!dev)
		return false;
	pthread_mutex_lock(&dev->lock);
	mem->region = anpu_region_find_locked(dev, mem->addr);
	found = mem->region && allocation_at(mem->region, mem->addr, &mem->base, &mem->size);
	if (found)
		anpu_region_get(mem->region);
	pthread_mutex_unlock(&dev->lock);
	mem->dev = dev;
	if (!found)
		anpu_device_put(dev);
	return found;
}

void *anpu_window_of(const struct anpu_mem *mem)
{
	char *window;

	if (mem->pieces || !(mem->dev->info.flags & DRM_ANPU_INFO_HBM_MMAP))
		return NULL;
	window = anpu_region_window(mem->region);
	return window ? window + (mem->addr - mem->region->va) : NULL;
}

static aclError look(const void *ptr, uint64_t len, const char *name, struct anpu_mem *mem, bool args)
{
	*mem = (struct anpu_mem){ .place = ANPU_PLACE_PAGEABLE, .addr = (uintptr_t)ptr };
	if (anpu_in_device_range(ptr))
		return look_device(mem, len, name, args);
	return anpu_mem_look_host(mem, len, name);
}

aclError anpu_mem_look(const void *ptr, uint64_t len, const char *name, struct anpu_mem *mem)
{
	return look(ptr, len, name, mem, false);
}

aclError anpu_mem_look_source(const void *ptr, uint64_t len, const char *name, struct anpu_mem *mem)
{
	return look(ptr, len, name, mem, true);
}

void anpu_mem_done(struct anpu_mem *mem)
{
	if (mem->region)
		anpu_region_put(mem->region);
	if (mem->dev)
		anpu_device_put(mem->dev);
	mem->region = NULL;
	mem->dev = NULL;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
	struct anpu_mem mem;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ACL_CHECK_PTR(attributes);
	ret = anpu_mem_look(ptr, 0, "ptr", &mem);
	if (ret)
		return ret;
	*attributes = (aclrtPtrAttributes){ .location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED };
	if (mem.place == ANPU_PLACE_DEVICE && mem.managed) {
		attributes->location.type = mem.region->shown ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_MANAGED;
		attributes->pageSize = sysconf(_SC_PAGESIZE);
	} else if (mem.place == ANPU_PLACE_DEVICE) {
		attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
		attributes->location.id = mem.dev->id;
		attributes->pageSize = mem.region->size >= mem.dev->info.huge_page_size
					       ? mem.dev->info.huge_page_size
					       : mem.dev->info.page_size;
	} else if (mem.place == ANPU_PLACE_PINNED) {
		attributes->location.type = mem.managed ? ACL_MEM_LOCATION_TYPE_MANAGED
							: ACL_MEM_LOCATION_TYPE_HOST;
		attributes->pageSize = sysconf(_SC_PAGESIZE);
	}
	anpu_mem_done(&mem);
	return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
	struct anpu_mem mem;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ACL_CHECK_PTR(pbase);
	ACL_CHECK_PTR(psize);
	ret = anpu_mem_look(ptr, 0, "ptr", &mem);
	if (ret)
		return ret;
	if (mem.place == ANPU_PLACE_PAGEABLE)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "ptr is %p, which is host memory that this library did not allocate",
			       ptr);
	*pbase = (void *)(uintptr_t)mem.base;
	*psize = mem.size;
	anpu_mem_done(&mem);
	return ret;
}
