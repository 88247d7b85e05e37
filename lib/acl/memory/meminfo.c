// SPDX-License-Identifier: MIT
/*
 * Queries about memory: who uses how much of a device, what addresses are, which engines
 * reach the host's memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

static const char *const use_name[ANPU_USES] = {
	[ANPU_USE_MALLOC] = "malloc",	  [ANPU_USE_POOL] = "pool",
	[ANPU_USE_PHYSICAL] = "physical", [ANPU_USE_OPERATORS] = "operators",
	[ANPU_USE_RUNTIME] = "runtime",
};

void anpu_use(struct anpu_device *dev, enum anpu_use use, int64_t bytes)
{
	uint64_t all = 0;
	unsigned int i;

	pthread_mutex_lock(&dev->lock);
	dev->used[use] += bytes;
	dev->used_most[use] = max_u64(dev->used_most[use], dev->used[use]);
	for (i = 0; i < ANPU_USES; i++)
		all += dev->used[i];
	pthread_mutex_unlock(&dev->lock);
	if (anpu_traces())
		anpu_trace_add(&(struct anpu_traced){ .what = ANPU_TRACED_MEMORY,
						      .begin = anpu_trace_now(),
						      .a = all,
						      .device = (uint32_t)dev->id });
}

static int larger_first(const void *a, const void *b)
{
	uint64_t x = ((const aclrtMemUsageInfo *)a)->curMemSize;
	uint64_t y = ((const aclrtMemUsageInfo *)b)->curMemSize;

	return x < y ? 1 : x > y ? -1 : 0;
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum,
			      size_t *outputNum)
{
	aclrtMemUsageInfo all[ANPU_USES] = { 0 };
	struct anpu_device *dev;
	size_t i;

	ACL_ENTER();
	ACL_CHECK_PTR(memUsageInfo);
	ACL_CHECK_PTR(outputNum);
	if (!inputNum)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "inputNum is 0");
	dev = anpu_device_open(deviceId);
	if (!dev)
		return acl_last_failure();
	pthread_mutex_lock(&dev->lock);
	for (i = 0; i < ANPU_USES; i++) {
		snprintf(all[i].name, sizeof(all[i].name), "%s", use_name[i]);
		all[i].curMemSize = dev->used[i];
		all[i].memPeakSize = dev->used_most[i];
	}
	pthread_mutex_unlock(&dev->lock);
	anpu_device_close(dev);
	qsort(all, ANPU_USES, sizeof(all[0]), larger_first);
	*outputNum = min_u64(inputNum, ANPU_USES);
	memcpy(memUsageInfo, all, *outputNum * sizeof(all[0]));
	return ACL_SUCCESS;
}

/* ACL_RT_MEM_TYPE_* of an address, 0 if it is none */
static uint32_t type_of(const void *ptr)
{
	struct anpu_device *dev = anpu_device_of(ptr);
	uint32_t type = 0;
	struct anpu_region *region;

	if (!dev)
		return 0;
	pthread_mutex_lock(&dev->lock);
	region = anpu_region_find_locked(dev, (uintptr_t)ptr);
	if (region && (region->kind == ANPU_REGION_RESERVED || region->kind == ANPU_REGION_MAPPED))
		type = ACL_RT_MEM_TYPE_RSVD;
	else if (region && anpu_allocated_locked(region, (uintptr_t)ptr))
		type = ACL_RT_MEM_TYPE_DEV;
	pthread_mutex_unlock(&dev->lock);
	anpu_device_put(dev);
	return type;
}

aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult,
			   uint32_t reserve)
{
	const uint32_t all = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;
	uint32_t i;

	ACL_ENTER();
	ACL_CHECK_PTR(addrList);
	ACL_CHECK_PTR(checkResult);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	if (!memType || memType & ~all)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"memType is %#x and must be made of ACL_RT_MEM_TYPE_* bits (%#x)",
				memType, all);
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %u and must be 0", reserve);
	*checkResult = 1;
	for (i = 0; i < size; i++)
		if (!(type_of(addrList[i]) & memType))
			*checkResult = 0;
	return ACL_SUCCESS;
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
				     aclrtHostMemMapCapability *capabilities)
{
	struct anpu_device *dev;

	ACL_ENTER();
	ACL_CHECK_PTR(capabilities);
	if ((int)hacType < ACL_RT_HAC_TYPE_STARS || hacType > ACL_RT_HAC_TYPE_CCU)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "hacType is %d and must be 0 to %d",
				(int)hacType, ACL_RT_HAC_TYPE_CCU);
	dev = anpu_device_open(deviceId > INT32_MAX ? -1 : (int)deviceId);
	if (!dev)
		return acl_last_failure();
	anpu_device_close(dev);
	switch (hacType) {
	case ACL_RT_HAC_TYPE_STARS: /* the queues, whose waits and signals reach it */
	case ACL_RT_HAC_TYPE_AIC:
	case ACL_RT_HAC_TYPE_AIV:
	case ACL_RT_HAC_TYPE_PCIEDMA: /* one engine copies to everywhere */
	case ACL_RT_HAC_TYPE_SDMA:
		*capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED;
		break;
	default: /* the device has none of these */
		*capabilities = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
	}
	return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
	struct drm_anpu_memory_info info = { 0 };
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(free);
	ACL_CHECK_PTR(total);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = anpu_memory_info(ctx->obj.dev, &info);
	/* free pieces of the library's slabs are free for the program */
	pthread_mutex_lock(&ctx->obj.dev->lock);
	info.hbm_free += ctx->obj.dev->slab_free;
	pthread_mutex_unlock(&ctx->obj.dev->lock);
	anpu_context_put(ctx);
	if (ret)
		return ret;
	/* one kind of memory answers for plain DDR and HBM of every page size; others have none */
	if (attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_NORMAL) {
		if (attr < ACL_MEM_NORMAL || attr > ACL_MEM_HUGE)
			info = (struct drm_anpu_memory_info){ 0 };
	}
	*free = info.hbm_free;
	*total = info.hbm_total;
	return ACL_SUCCESS;
}

/* Blocks synchronise by flags of the cores, which need no memory; operators pass the address on */
aclError aclrtGetHardwareSyncAddr(void **addr)
{
	static pthread_mutex_t sync_lock = PTHREAD_MUTEX_INITIALIZER;
	struct anpu_region *region;
	struct anpu_context *ctx;
	aclError ret;
	int err = 0;

	ACL_ENTER();
	ACL_CHECK_PTR(addr);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	pthread_mutex_lock(&sync_lock);
	if (!ctx->obj.dev->sync_addr) {
		/* it lives as long as the device */
		err = anpu_region_new(ctx->obj.dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_HBM, 65536,
				      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &region);
		if (!err)
			ctx->obj.dev->sync_addr = region->va;
	}
	if (!err)
		*addr = (void *)(uintptr_t)ctx->obj.dev->sync_addr;
	pthread_mutex_unlock(&sync_lock);
	if (err == -ENOSPC)
		ret = acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "device %d has no memory left",
			       ctx->obj.dev->id);
	else if (err)
		ret = anpu_fail_ioctl(ctx->obj.dev, err, "allocating device memory");
	anpu_context_put(ctx);
	return ret;
}
