// SPDX-License-Identifier: MIT
/* Memory in the order of streams. */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	CUmemoryPool own, chosen;
} device_pool[64];

static aclrtMemPoolProps props_of(CUdevice dev, size_t max)
{
	aclrtMemPoolProps p = {
		.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.maxSize = max,
	};

	p.location.id = (uint32_t)dev;
	p.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	return p;
}

struct used {
	CUdevice dev;
	bool found;
};

static void find_use(void *record, void *arg)
{
	struct used *u = arg;

	u->found |= ((struct cu_ctx *)record)->dev == u->dev;
}

/* A pool needs a device that is in use */
static CUresult keep_device(CUdevice dev)
{
	struct used u = { .dev = dev };

	cu_each(CU_CTX, find_use, &u);
	return u.found ? CUDA_SUCCESS : cu_keep_device(dev);
}

CUresult cu_pool_make(CUdevice dev, size_t max, CUmemoryPool *out)
{
	aclrtMemPoolProps props = props_of(dev, max);
	aclrtMemPool made = NULL;
	CUresult ret = keep_device(dev);

	if (!ret)
		ret = cu_code(aclrtMemPoolCreate(&made, &props));
	if (!ret)
		*out = made;
	return ret;
}

/* The device's own pool, which it has when somebody asks for it. Pools end with the last context of the device */
static CUresult own_pool(CUdevice dev, CUmemoryPool *out)
{
	CUmemoryPool pool;
	uint64_t used;
	CUresult ret;

	if (device_pool[dev].own &&
	    !aclrtMemPoolGetAttr(device_pool[dev].own, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used)) {
		*out = device_pool[dev].own;
		return CUDA_SUCCESS;
	}
	ret = cu_pool_make(dev, 0, &pool);
	if (!ret)
		*out = device_pool[dev].own = pool;
	return ret;
}

static CUresult pool_of(CUdevice dev, bool own, CUmemoryPool *out)
{
	CUresult ret = cu_check_device(dev);

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (!own && device_pool[dev].chosen)
		*out = device_pool[dev].chosen;
	else
		ret = own_pool(dev, out);
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	CU_ENTER();
	CU_CHECK_PTR(pool_out);
	return pool_of(dev, true, pool_out);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	CU_ENTER();
	CU_CHECK_PTR(pool);
	return pool_of(dev, false, pool);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	uint64_t used;
	CUresult ret;

	CU_ENTER();
	ret = cu_check_device(dev);
	if (!ret)
		ret = cu_code(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	if (!ret)
		ret = cu_pool_own(pool);
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	device_pool[dev].chosen = pool;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/* The stream in whose order memory of pools comes and goes: libacl takes no NULL for the default stream there */
static CUresult pool_stream(CUstream hStream, aclrtStream *stream)
{
	CUresult ret = cu_stream_use(hStream, stream, NULL);

	return ret || *stream ? ret : cu_code(aclrtCtxGetCurrentDefaultStream(stream));
}

static CUresult alloc(struct cu_ctx *ctx, CUdeviceptr *dptr, size_t size, CUmemoryPool pool, CUstream hStream)
{
	aclrtStream stream;
	void *p = NULL;
	CUresult ret;

	if (!size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "bytesize is 0");
	ret = cu_pool_own(pool);
	if (!ret)
		ret = pool_stream(hStream, &stream);
	if (!ret && cu_is_recorded(stream))
		return cu_record_alloc(ctx, hStream, size, dptr);
	if (!ret)
		ret = cu_code(aclrtMemPoolMallocAsync(&p, size, pool, stream));
	if (ret)
		return ret;
	ret = cu_mem_add((uintptr_t)p, size, CU_MEM_POOL, cu_pool_number(pool), ctx);
	if (ret)
		(void)aclrtMemPoolFreeAsync(p, stream);
	else
		*dptr = (uintptr_t)p;
	return ret;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	CUmemoryPool pool;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(dptr);
	ret = pool_of(ctx->dev, false, &pool);
	return ret ? ret : alloc(ctx, dptr, bytesize, pool, hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(dptr);
	return alloc(ctx, dptr, bytesize, pool, hStream);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	aclrtStream stream;
	struct cu_mem m;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	if (!dptr)
		return CUDA_SUCCESS;
	ret = pool_stream(hStream, &stream);
	if (!ret && cu_is_recorded(stream))
		return cu_record_free(hStream, dptr);
	if (!ret && cu_mem_find(dptr, &m) && m.kind == CU_MEM_GRAPH && m.base == dptr)
		return cu_graph_memory_free(dptr);
	/* unmapping is no task of a stream: it waits for the device */
	if (!ret && cu_imported(dptr))
		return cu_imported_free(dptr);
	if (!ret)
		ret = cu_code(aclrtMemPoolFreeAsync(CU_PTR(dptr), stream));
	if (!ret && cu_mem_take(dptr, 1u << CU_MEM_POOL, &m))
		cu_ipc_freed(dptr);
	return ret;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	const unsigned int types = (unsigned int)CU_SHARED_TYPES;
	CUmemoryPool made;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pool);
	CU_CHECK_PTR(poolProps);
	if (poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "allocType is %d and must be 1 (pinned); the location's type is %d and must be 1 (device)",
			       (int)poolProps->allocType, (int)poolProps->location.type);
	if ((unsigned int)poolProps->handleTypes & ~types)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			       "handleTypes is %#x and must be made of CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1) and _FABRIC (8)",
			       (unsigned int)poolProps->handleTypes);
	ret = cu_check_device(poolProps->location.id);
	if (!ret)
		ret = cu_pool_make(poolProps->location.id, poolProps->maxSize, &made);
	if (!ret && poolProps->handleTypes) {
		ret = cu_pool_shared(made, (unsigned int)poolProps->handleTypes);
		if (ret)
			(void)aclrtMemPoolDestroy(made);
	}
	if (!ret)
		*pool = made;
	return ret;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	unsigned int i;
	bool own = false;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	for (i = 0; i < CU_COUNT(device_pool); i++) {
		own |= pool && device_pool[i].own == pool;
		if (device_pool[i].chosen == pool)
			device_pool[i].chosen = NULL;
	}
	pthread_mutex_unlock(&lock);
	if (own)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is a device's own pool, which ends with the device",
			       (void *)pool);
	ret = cu_code(aclrtMemPoolDestroy(pool));
	if (!ret)
		cu_pool_ended(pool);
	return ret;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	CU_ENTER();
	return cu_code(aclrtMemPoolTrimTo(pool, minBytesToKeep));
}

/* Both APIs have the same numbers for attributes */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	CU_ENTER();
	return cu_code(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attr, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	CU_ENTER();
	return cu_code(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attr, value));
}

/* Kernels of other devices reach no memory of pools */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
	uint64_t used;
	CUresult ret;
	size_t i;

	CU_ENTER();
	CU_CHECK_PTR(map);
	ret = cu_code(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	for (i = 0; i < count && !ret; i++) {
		if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
			ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "map[%zu].location.type is %d and must be 1 (device)", i,
				      (int)map[i].location.type);
		else
			ret = cu_check_device(map[i].location.id);
		if (!ret && anpu_front_pool_device(pool) == map[i].location.id &&
		    map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "map[%zu].flags is %d: a pool's own device reads and writes it",
				      i, (int)map[i].flags);
		if (!ret && anpu_front_pool_device(pool) != map[i].location.id && map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE)
			ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
				      "map[%zu] gives device %d access to a pool of device %d: use cuMemAlloc() and "
				      "cuCtxEnablePeerAccess()",
				      i, map[i].location.id, anpu_front_pool_device(pool));
	}
	return ret;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
	uint64_t used;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(flags);
	CU_CHECK_PTR(location);
	ret = cu_code(aclrtMemPoolGetAttr(memPool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	if (!ret && location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "location->type is %d and must be 1 (device)", (int)location->type);
	if (!ret)
		ret = cu_check_device(location->id);
	if (!ret)
		*flags = location->id == anpu_front_pool_device(memPool) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
								  : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return ret;
}
