// SPDX-License-Identifier: MIT
/*
 * Virtual memory by hand: reserved addresses, physical memory, and mapping one to the other in
 * pages of 2 MiB. The memory lives as long as its handle or a mapping of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/memory.h"

#define ull(x) ((unsigned long long)(x))
#define RW     (DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE)

/* Reserved addresses --------------------------------------------------------------------------- */

static aclError reserve(void **virPtr, size_t size, size_t alignment, void *expect, uint64_t flags)
{
	struct anpu_region *region;
	struct anpu_context *ctx;
	char want[16];
	aclError ret;
	int err;

	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	if (alignment > ANPU_CHUNK_SIZE || (alignment & (alignment - 1)))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"alignment is %zu and must be 0, or a power of two up to %llu: "
				"ranges begin at multiples of that",
				alignment, ANPU_CHUNK_SIZE);
	if (flags > 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be 0, or 1 for huge pages", ull(flags));
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	err = size > ctx->obj.dev->va_size
		      ? -ENOSPC
		      : anpu_region_reserve(ctx->obj.dev, align_up(size, ANPU_CHUNK_SIZE),
					    (uintptr_t)expect & ~(ANPU_CHUNK_SIZE - 1), &region);
	anpu_context_put(ctx);
	if (err == -ENOSPC)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"the process has no range of %s left in the device's addresses",
				acl_bytes(size, want));
	if (err)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a range of addresses");
	*virPtr = (void *)(uintptr_t)region->va;
	return ACL_SUCCESS;
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr,
				uint64_t flags)
{
	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	return reserve(virPtr, size, alignment, expectPtr, flags);
}

aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size, size_t alignment,
					  void *expectPtr, uint64_t flags)
{
	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	return reserve(virPtr, size, alignment, expectPtr, flags);
}

/* The region at an address with references to it and (@dev) its device, or 107000 */
static aclError find_region(const void *ptr, enum anpu_region_kind kind, struct anpu_device **dev,
			    struct anpu_region **region)
{
	*dev = anpu_device_of(ptr);
	if (*dev)
		anpu_regions_settle(*dev);
	*region = *dev ? anpu_region_find(*dev, (uintptr_t)ptr) : NULL;
	if (*region && (*region)->kind == kind)
		return ACL_SUCCESS;
	if (*region)
		anpu_region_put(*region);
	if (*dev)
		anpu_device_put(*dev);
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "virPtr is %p, where %s", ptr,
			kind == ANPU_REGION_MAPPED
				? "aclrtMapMem() has mapped nothing"
				: "no free addresses of aclrtReserveMemAddress() are: something is "
				  "mapped there, or they are not reserved");
}

static void put_region(struct anpu_device *dev, struct anpu_region *region)
{
	anpu_region_put(region);
	anpu_device_put(dev);
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
	struct anpu_region *region;
	struct anpu_device *dev;
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ret = find_region(virPtr, ANPU_REGION_RESERVED, &dev, &region);
	if (ret)
		return ret;
	err = region->va == (uintptr_t)virPtr ? anpu_region_release(region) : -EINVAL;
	if (err == -EBUSY)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "physical memory is mapped into the range at %p: call aclrtUnmapMem() "
			       "before",
			       virPtr);
	else if (err)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "virPtr is %p, which is not the start of a reserved range: that is "
			       "%#llx",
			       virPtr, ull(region->va));
	put_region(dev, region);
	return ret;
}

/* Physical memory ------------------------------------------------------------------------------ */

static void physical_release(struct acl_obj *obj)
{
	struct anpu_physical *p = container_of(obj, struct anpu_physical, obj);

	anpu_shares_end_of(obj);
	if (!p->host && !p->imported)
		anpu_use(obj->dev, ANPU_USE_PHYSICAL, -(int64_t)p->size);
	if (p->imported)
		anpu_import_drop(obj->dev, p->handle);
	else
		anpu_bo_close(obj->dev, p->handle);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

struct anpu_physical *anpu_physical_make(struct anpu_device *dev, uint32_t gem, uint64_t size,
					 bool host, bool imported)
{
	struct anpu_physical *p = calloc(1, sizeof(*p));

	if (!p) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a handle");
		return NULL;
	}
	acl_obj_init(&p->obj, ACL_TYPE_PHYSICAL, dev, physical_release);
	p->handle = gem;
	p->size = size;
	p->host = host;
	p->imported = imported;
	p->fd = -1;
	if (!host && !imported)
		anpu_use(dev, ANPU_USE_PHYSICAL, size);
	atomic_init(&p->uses, 1);
	return p;
}

struct anpu_physical *anpu_physical_find(aclrtDrvMemHandle handle)
{
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_PHYSICAL);

	if (obj)
		return container_of(obj, struct anpu_physical, obj);
	acl_record_bad_handle(handle, ACL_TYPE_PHYSICAL, "handle");
	return NULL;
}

void *anpu_physical_map(const struct anpu_physical *p, uint64_t at, uint64_t size)
{
	if (p->fd < 0)
		return anpu_bo_map(p->obj.dev, p->handle, at, size);
	return anpu_map_fd(p->obj.dev, p->fd, at, size, PROT_READ | PROT_WRITE);
}

static bool is_host(aclrtMemLocationType type)
{
	return type == ACL_MEM_LOCATION_TYPE_HOST || type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
}

/* Where the memory is to be; the number of the device for that of a device */
static aclError check_prop(const aclrtPhysicalMemProp *prop, bool *host)
{
	aclrtMemLocationType place = prop->location.type;

	if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE &&
	    prop->handleType != ACL_MEM_HANDLE_TYPE_POSIX)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "prop->handleType is %d, which is none",
				(int)prop->handleType);
	if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"prop->allocationType is %d and must be "
				"ACL_MEM_ALLOCATION_TYPE_PINNED (0)",
				(int)prop->allocationType);
	if ((int)prop->memAttr < ACL_DDR_MEM || prop->memAttr > ACL_MEM_P2P_HUGE1G)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "prop->memAttr is %d, which is none",
				(int)prop->memAttr);
	if (place != ACL_MEM_LOCATION_TYPE_DEVICE && !is_host(place))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"prop->location.type is %d: physical memory is on the host (0, 4) or "
				"a device (1)",
				(int)place);
	*host = place != ACL_MEM_LOCATION_TYPE_DEVICE;
	return ACL_SUCCESS;
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
					  aclrtMemGranularityOptions option, size_t *granularity)
{
	aclError ret;
	bool host;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(prop);
	ACL_CHECK_PTR(granularity);
	ret = check_prop(prop, &host);
	if (ret)
		return ret;
	if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
	    option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"option is %d and must be MINIMUM (0) or RECOMMENDED (1)",
				(int)option);
	*granularity = ANPU_CHUNK_SIZE;
	return ACL_SUCCESS;
}

static aclError alloc_physical(struct anpu_device *dev, uint64_t size, bool host,
			       aclrtDrvMemHandle *handle)
{
	struct drm_anpu_bo_create create = {
		.size = size,
		.type = host ? DRM_ANPU_BO_SYSTEM : DRM_ANPU_BO_HBM,
		.flags = host ? 0 : DRM_ANPU_BO_CONTIGUOUS,
	};
	/* the driver answers -EINVAL to sizes that no machine has: here that is a lack of memory */
	bool absurd = size > (host ? dev->info.va_end : dev->info.hbm_size);
	int err = absurd ? -ENOMEM : anpu_ioctl(dev, DRM_IOCTL_ANPU_BO_CREATE, &create);
	struct anpu_physical *p;
	char want[16];

	if (err == -ENOSPC && create.flags) {
		/* without contiguous memory, memory in pieces is taken */
		create = (struct drm_anpu_bo_create){ .size = size, .type = DRM_ANPU_BO_HBM };
		err = anpu_ioctl(dev, DRM_IOCTL_ANPU_BO_CREATE, &create);
	}
	if (err == -ENOSPC || err == -ENOMEM)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s has no %s left",
				host ? "the host" : "the device", acl_bytes(size, want));
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating physical memory");
	p = anpu_physical_make(dev, create.handle, size, host, false);
	if (!p) {
		anpu_bo_close(dev, create.handle);
		return acl_last_failure();
	}
	if (!acl_obj_give(&p->obj, handle)) {
		acl_obj_put(&p->obj);
		return acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
				"no handle is left for physical memory, or its device was reset");
	}
	return ACL_SUCCESS;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
			     const aclrtPhysicalMemProp *prop, uint64_t flags)
{
	struct anpu_context *ctx;
	bool host = false;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(prop);
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#llx and must be 0",
				ull(flags));
	if (!size || size % ANPU_CHUNK_SIZE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"size is %zu and must be a multiple of %llu, see "
				"aclrtMemGetAllocationGranularity()",
				size, ANPU_CHUNK_SIZE);
	ret = check_prop(prop, &host);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	if (!host && (int)prop->location.id != ctx->obj.dev->id)
		ret = acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
			       "prop->location.id is %u and this thread uses device %d: call "
			       "aclrtSetDevice() before",
			       prop->location.id, ctx->obj.dev->id);
	else
		ret = alloc_physical(ctx->obj.dev, size, host, handle);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	struct anpu_physical *p;
	struct acl_obj *obj = NULL;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(handle);
	p = anpu_physical_find(handle);
	if (!p)
		return ACL_ERROR_RT_INVALID_HANDLE;
	pthread_mutex_lock(&p->obj.dev->lock); /* aclrtMemRetainAllocationHandle() */
	if (atomic_load(&p->uses) && atomic_fetch_sub(&p->uses, 1) == 1)
		obj = acl_obj_remove(handle, ACL_TYPE_PHYSICAL);
	pthread_mutex_unlock(&p->obj.dev->lock);
	if (obj)
		acl_obj_put(obj);
	acl_obj_put(&p->obj);
	return ACL_SUCCESS;
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
						   aclrtPhysicalMemProp *prop)
{
	struct anpu_physical *p;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(prop);
	p = anpu_physical_find(handle);
	if (!p)
		return ACL_ERROR_RT_INVALID_HANDLE;
	*prop = (aclrtPhysicalMemProp){
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = p->host ? ACL_DDR_MEM_HUGE : ACL_HBM_MEM_HUGE,
		.location = { .id = p->host ? 0 : p->obj.dev->id,
			      .type = p->host ? ACL_MEM_LOCATION_TYPE_HOST
					      : ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	acl_obj_put(&p->obj);
	return ACL_SUCCESS;
}

/* Mapping --------------------------------------------------------------------------------------- */

static aclError check_map(const void *virPtr, size_t size, size_t offset, uint64_t flags,
			  const struct anpu_physical *p)
{
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#llx and must be 0",
				ull(flags));
	if (offset)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "offset is %zu and must be 0", offset);
	if ((uintptr_t)virPtr % ANPU_CHUNK_SIZE || !size || size % ANPU_CHUNK_SIZE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"virPtr is %p and size is %zu: both must be multiples of %llu",
				virPtr, size, ANPU_CHUNK_SIZE);
	if (size > p->size)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"size is %zu and the physical memory has %llu bytes", size,
				ull(p->size));
	return ACL_SUCCESS;
}

/* The host's memory is there for the CPU, too; unmaps it again if that fails. 0 or -errno */
static int show(struct anpu_device *dev, const void *virPtr)
{
	struct anpu_region *region = anpu_region_find(dev, (uintptr_t)virPtr);
	int err = region ? anpu_region_show(region) : 0;

	if (err)
		anpu_region_end(region);
	if (region)
		anpu_region_put(region);
	return err;
}

static aclError map_into(struct anpu_region *region, void *virPtr, size_t size,
			 struct anpu_physical *p)
{
	int err = anpu_region_map(region, (uintptr_t)virPtr, size, p->handle, &p->obj, 0, false);

	if (!err && p->host)
		err = show(region->dev, virPtr);
	switch (err) {
	case 0:
		return ACL_SUCCESS;
	case -EINVAL:
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%zu bytes from %p leave the reserved range, which begins at %#llx "
				"and has %llu bytes",
				size, virPtr, ull(region->va), ull(region->size));
	case -EEXIST:
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"something is mapped into the %zu bytes from %p already", size,
				virPtr);
	default:
		return anpu_fail_ioctl(region->dev, err, "mapping physical memory");
	}
}

static aclError map_mem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
			uint64_t flags)
{
	struct anpu_region *region;
	struct anpu_physical *p;
	struct anpu_device *dev;
	aclError ret;

	p = anpu_physical_find(handle);
	if (!p)
		return ACL_ERROR_RT_INVALID_HANDLE;
	ret = check_map(virPtr, size, offset, flags, p);
	if (!ret)
		ret = find_region(virPtr, ANPU_REGION_RESERVED, &dev, &region);
	if (!ret) {
		if (dev != p->obj.dev)
			ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				       "virPtr is %p, an address of device %d, and the physical "
				       "memory belongs to device %d",
				       virPtr, dev->id, p->obj.dev->id);
		else
			ret = map_into(region, virPtr, size, p);
		put_region(dev, region);
	}
	acl_obj_put(&p->obj);
	return ret;
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
		     uint64_t flags)
{
	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ACL_CHECK_PTR(handle);
	return map_mem(virPtr, size, offset, handle, flags);
}

/* The mapping that begins at an address */
static aclError find_mapping(const void *virPtr, struct anpu_device **dev,
			     struct anpu_region **region)
{
	aclError ret = find_region(virPtr, ANPU_REGION_MAPPED, dev, region);

	if (ret)
		return ret;
	if ((*region)->imported)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "virPtr is %p, memory of another process: aclrtIpcMemClose() ends that",
			       virPtr);
	else if ((*region)->va != (uintptr_t)virPtr)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "virPtr is %p, which is inside a mapping that begins at %#llx: pass its "
			       "start",
			       virPtr, ull((*region)->va));
	if (ret)
		put_region(*dev, *region);
	return ret;
}

aclError aclrtUnmapMem(void *virPtr)
{
	struct anpu_region *region;
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ret = find_mapping(virPtr, &dev, &region);
	if (ret)
		return ret;
	anpu_region_end(region);
	put_region(dev, region);
	return ACL_SUCCESS;
}

aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
			     uint64_t flags)
{
	struct anpu_region *region;
	struct anpu_device *dev;
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ACL_CHECK_PTR(handle);
	ret = map_mem(virPtr, size, offset, handle, flags);
	if (!ret)
		ret = find_mapping(virPtr, &dev, &region);
	if (ret)
		return ret;
	err = anpu_region_protect(region, 0);
	if (!err && region->shown)
		err = anpu_region_show_rights(region, 0);
	if (err) {
		ret = anpu_fail_ioctl(dev, err, "taking rights away");
		anpu_region_end(region);
	}
	put_region(dev, region);
	return ret;
}

aclError anpu_physical_use(struct anpu_physical *p, aclrtDrvMemHandle *handle)
{
	struct anpu_device *dev = p->obj.dev;
	aclError ret = ACL_SUCCESS;

	/* two threads may give a handle back to memory whose handle was freed */
	pthread_mutex_lock(&dev->lock);
	if (atomic_fetch_add(&p->uses, 1) == 0) {
		acl_obj_get(&p->obj); /* the registry's reference */
		if (!acl_obj_publish(&p->obj)) {
			atomic_fetch_sub(&p->uses, 1);
			acl_obj_put(&p->obj);
			ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
				       "no handle is left for physical memory, or its device was reset");
		}
	}
	if (!ret)
		*handle = acl_obj_handle(&p->obj);
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
	struct anpu_region *region;
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ACL_CHECK_PTR(handle);
	ret = find_region(virPtr, ANPU_REGION_MAPPED, &dev, &region);
	if (ret)
		return ret;
	ret = anpu_physical_use(container_of(region->owner, struct anpu_physical, obj), handle);
	put_region(dev, region);
	return ret;
}

/* Rights ---------------------------------------------------------------------------------------- */

static aclError vm_rights(const aclrtMemAccessDesc *desc, uint32_t *rights)
{
	if (desc->location.type != ACL_MEM_LOCATION_TYPE_DEVICE && !is_host(desc->location.type))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"location.type is %d: rights are those of a device (1) or the host "
				"(0, 4)",
				(int)desc->location.type);
	switch (desc->flags) {
	case ACL_RT_MEM_ACCESS_FLAGS_NONE:
		*rights = 0;
		return ACL_SUCCESS;
	case ACL_RT_MEM_ACCESS_FLAGS_READ:
		*rights = DRM_ANPU_VM_READ;
		return ACL_SUCCESS;
	case ACL_RT_MEM_ACCESS_FLAGS_READWRITE:
		*rights = RW;
		return ACL_SUCCESS;
	}
	return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %d and must be none (0), READ (1) or "
						 "READWRITE (3)",
			(int)desc->flags);
}

/* For a device that is not the mapping's */
static aclError protect_peer(struct anpu_region *region, uint32_t id, uint32_t rights)
{
	struct anpu_device *peer = id < ANPU_MAX_DEVICES ? anpu_device_find((int)id) : NULL;
	aclError ret = ACL_SUCCESS;
	int err;

	if (!peer)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"location.id is %u, a device that this process does not use: call "
				"aclrtSetDevice() before",
				id);
	err = anpu_peer_set_rights(region, peer, rights);
	if (err == -EOPNOTSUPP)
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "device %u cannot reach memory of device %d on this machine", id,
			       region->dev->id);
	else if (err)
		ret = anpu_fail_ioctl(peer, err, "mapping memory for another device");
	anpu_device_put(peer);
	return ret;
}

/* The rights of a device on a mapping, its own or another's */
static uint32_t rights_for(struct anpu_region *region, uint32_t id)
{
	struct anpu_device *peer;
	uint32_t rights;

	if ((int)id == region->dev->id)
		return region->rights;
	peer = id < ANPU_MAX_DEVICES ? anpu_device_find((int)id) : NULL;
	rights = peer ? anpu_peer_rights(region, peer) : 0;
	if (peer)
		anpu_device_put(peer);
	return rights;
}

/* For the CPU, which sees only physical memory of the host */
static aclError protect_host(struct anpu_region *region, uint32_t rights)
{
	int err;

	if (!region->shown)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"memory of a device is mapped at %#llx, which the host reaches by "
				"copies: only physical memory of the host has rights for it",
				ull(region->va));
	err = anpu_region_show_rights(region, rights);
	return err ? acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			      "changing the host's rights at %#llx failed: %s", ull(region->va),
			      strerror(-err))
		   : ACL_SUCCESS;
}

/* Every mapping of the range, which they must cover */
static aclError set_access(uint64_t va, uint64_t size, const aclrtMemAccessDesc *desc)
{
	uint64_t end = va + size;

	while (va < end) {
		struct anpu_region *region;
		struct anpu_device *dev;
		uint32_t rights = 0;
		aclError ret = find_mapping((void *)(uintptr_t)va, &dev, &region);
		int err;

		if (ret)
			return ret;
		ret = vm_rights(desc, &rights);
		if (!ret && region->size > end - va)
			ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				       "the range ends inside the mapping at %#llx, which has %llu "
				       "bytes",
				       ull(region->va), ull(region->size));
		err = 0;
		if (!ret && is_host(desc->location.type))
			ret = protect_host(region, rights);
		else if (!ret && (int)desc->location.id != dev->id)
			ret = protect_peer(region, desc->location.id, rights);
		else if (!ret)
			err = anpu_region_protect(region, rights);
		if (err)
			ret = anpu_fail_ioctl(dev, err, "changing rights");
		va += region->size;
		put_region(dev, region);
		if (ret)
			return ret;
	}
	return ACL_SUCCESS;
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
	aclError ret = ACL_SUCCESS;
	size_t i;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ACL_CHECK_PTR(desc);
	if (!size || !count || size > UINT64_MAX - (uintptr_t)virPtr)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is %zu and count %zu", size, count);
	for (i = 0; i < count && !ret; i++)
		ret = set_access((uintptr_t)virPtr, size, &desc[i]);
	return ret;
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
	struct anpu_region *region;
	struct anpu_device *dev;
	uint32_t rights = 0;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(virPtr);
	ACL_CHECK_PTR(location);
	ACL_CHECK_PTR(flag);
	ret = find_region(virPtr, ANPU_REGION_MAPPED, &dev, &region);
	if (ret)
		return ret;
	*flag = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	if (location->type == ACL_MEM_LOCATION_TYPE_DEVICE)
		rights = rights_for(region, location->id);
	else if (is_host(location->type) && region->shown)
		rights = region->cpu_rights;
	if (rights)
		*flag = rights & DRM_ANPU_VM_WRITE ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE
						   : ACL_RT_MEM_ACCESS_FLAGS_READ;
	put_region(dev, region);
	return ACL_SUCCESS;
}
