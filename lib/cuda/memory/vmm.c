// SPDX-License-Identifier: MIT
/* Addresses and physical memory apart. The ranges are kept here, because libacl's calls that end one take no size. */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

struct range {
	struct range *next;
	uint64_t base, size;
	enum range_kind { RESERVED, MAPPED } kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list; held while libacl is called */
static struct range *ranges;

/* Where the range of that kind that begins there is linked, or NULL; locked */
static struct range **find(enum range_kind kind, uint64_t base)
{
	struct range **at = &ranges;

	while (*at && ((*at)->kind != kind || (*at)->base != base))
		at = &(*at)->next;
	return *at ? at : NULL;
}

bool cu_map_find(uint64_t addr, uint64_t *base, uint64_t *size)
{
	const struct range *r;

	pthread_mutex_lock(&lock);
	for (r = ranges; r && (r->kind != MAPPED || addr - r->base >= r->size); r = r->next)
		;
	if (r) {
		*base = r->base;
		*size = r->size;
	}
	pthread_mutex_unlock(&lock);
	return r != NULL;
}

static struct range *add(enum range_kind kind, uint64_t base, uint64_t size)
{
	struct range *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct range){ .next = ranges, .base = base, .size = size, .kind = kind };
	ranges = r;
	return r;
}

static void drop(struct range **at)
{
	struct range *r = *at;

	*at = r->next;
	free(r);
}

static CUresult to_location(const CUmemLocation *from, aclrtMemLocation *to)
{
	if (from->type == CU_MEM_LOCATION_TYPE_DEVICE) {
		*to = (aclrtMemLocation){ .id = (uint32_t)from->id, .type = ACL_MEM_LOCATION_TYPE_DEVICE };
		return cu_check_device(from->id);
	}
	return cu_fail(CUDA_ERROR_INVALID_VALUE, "location.type is %d and must be CU_MEM_LOCATION_TYPE_DEVICE",
		       (int)from->type);
}

static CUresult to_prop(const CUmemAllocationProp *from, aclrtPhysicalMemProp *to)
{
	if (from->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "prop->type is %d and must be CU_MEM_ALLOCATION_TYPE_PINNED",
			       (int)from->type);
	if (from->requestedHandleTypes & ~CU_SHARED_TYPES)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			       "prop->requestedHandleTypes is %#x: physical memory has handles of the types "
			       "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1) and _FABRIC (8)",
			       (unsigned int)from->requestedHandleTypes);
	*to = (aclrtPhysicalMemProp){ .memAttr = ACL_HBM_MEM_HUGE };
	return to_location(&from->location, &to->location);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	aclrtPhysicalMemProp p;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(granularity);
	CU_CHECK_PTR(prop);
	ret = to_prop(prop, &p);
	return ret ? ret : cu_code(aclrtMemGetAllocationGranularity(&p, (aclrtMemGranularityOptions)option, granularity));
}

#define UNIT (2u << 20)

/* libacl's ranges begin at multiples of 2 MiB: the first aligned place of a range that is large enough, which is then asked for */
static CUresult reserve_aligned(void **p, size_t size, size_t alignment)
{
	uint64_t place;
	size_t room;

	if (__builtin_add_overflow(size, alignment, &room))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "size is %zu and alignment %zu, which is too much", size, alignment);
	/* another thread may take the place in between */
	for (int i = 0; i < 8; i++) {
		CUresult ret = cu_code(aclrtReserveMemAddress(p, room, 0, NULL, 1));

		if (ret)
			return ret;
		place = ((uintptr_t)*p + alignment - 1) & ~(uint64_t)(alignment - 1);
		(void)aclrtReleaseMemAddress(*p);
		ret = cu_code(aclrtReserveMemAddress(p, size, 0, CU_PTR(place), 1));
		if (ret || !((uintptr_t)*p & (alignment - 1)))
			return ret;
		(void)aclrtReleaseMemAddress(*p);
	}
	return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no range of %zu bytes at a multiple of %zu was found", size, alignment);
}

/* Addresses of the thread's device */
static CUresult reserve(void **p, size_t size, size_t alignment, CUdeviceptr addr)
{
	bool coarse = size && alignment > UNIT && !(alignment & (alignment - 1)) && addr % alignment == 0;
	uint64_t before;
	CUdevice dev;
	CUresult ret = cu_usual_device(&dev);

	if (!ret)
		ret = cu_enter_device(dev, &before);
	if (ret)
		return ret;
	if (coarse && !addr)
		ret = reserve_aligned(p, size, alignment);
	else
		ret = cu_code(aclrtReserveMemAddress(p, size, coarse ? 0 : alignment, CU_PTR(addr), 1));
	cu_leave_device(before);
	return ret;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags)
{
	void *p = NULL;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(ptr);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be 0", flags);
	pthread_mutex_lock(&lock);
	ret = reserve(&p, size, alignment, addr);
	if (!ret && !add(RESERVED, (uintptr_t)p, size)) {
		(void)aclrtReleaseMemAddress(p);
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a range of addresses");
	}
	pthread_mutex_unlock(&lock);
	if (!ret)
		*ptr = (uintptr_t)p;
	return ret;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	struct range **at;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	at = find(RESERVED, ptr);
	if (!at || (*at)->size != size)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "%#llx and %zu bytes are no range of cuMemAddressReserve()", ptr, size);
	else
		ret = cu_code(aclrtReleaseMemAddress(CU_PTR(ptr)));
	if (!ret)
		drop(at);
	pthread_mutex_unlock(&lock);
	return ret;
}

static CUresult allocate(aclrtDrvMemHandle *h, size_t size, const CUmemAllocationProp *prop, unsigned long long flags)
{
	aclrtPhysicalMemProp p;
	uint64_t before;
	CUresult ret = to_prop(prop, &p);

	if (!ret)
		ret = cu_enter_device(prop->location.id, &before);
	if (ret)
		return ret;
	ret = cu_code(aclrtMallocPhysical(h, size, &p, flags));
	cu_leave_device(before);
	return ret;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
		     unsigned long long flags)
{
	aclrtDrvMemHandle h = NULL;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(handle);
	CU_CHECK_PTR(prop);
	ret = allocate(&h, size, prop, flags);
	if (!ret && prop->requestedHandleTypes) {
		ret = cu_shared_new((uintptr_t)h, (unsigned int)prop->requestedHandleTypes);
		if (ret)
			(void)aclrtFreePhysical(h);
	}
	if (!ret)
		*handle = (uintptr_t)h;
	return ret;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUresult ret;

	CU_ENTER();
	ret = cu_code(aclrtFreePhysical(CU_PTR(handle)));
	if (!ret)
		cu_shared_use(handle, -1);
	return ret;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	ret = cu_code(aclrtMemMapNoAccess(CU_PTR(ptr), size, offset, CU_PTR(handle), flags));
	if (!ret && !add(MAPPED, ptr, size)) {
		(void)aclrtUnmapMem(CU_PTR(ptr));
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a mapping");
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Does the range consist of whole mappings; locked */
static bool is_mapped(uint64_t at, uint64_t end)
{
	struct range **r;

	while (at < end) {
		r = find(MAPPED, at);
		if (!r || (*r)->size > end - at)
			return false;
		at += (*r)->size;
	}
	return true;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	CUresult ret = CUDA_SUCCESS;
	CUdeviceptr at = ptr;
	struct range **r;
	uint64_t bytes;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	if (!size || size > UINT64_MAX - ptr || !is_mapped(ptr, ptr + size))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu bytes at %#llx are not made of whole mappings of cuMemMap()", size,
			      ptr);
	while (!ret && at < ptr + size) {
		r = find(MAPPED, at);
		bytes = (*r)->size;
		ret = cu_code(aclrtUnmapMem(CU_PTR(at)));
		if (!ret)
			drop(r);
		at += bytes;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	CUresult ret = CUDA_SUCCESS;
	aclrtMemAccessDesc d;
	size_t i;

	CU_ENTER();
	CU_CHECK_PTR(desc);
	if (!count)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "count is 0");
	for (i = 0; i < count && !ret; i++) {
		d = (aclrtMemAccessDesc){ .flags = (aclrtMemAccessFlags)desc[i].flags };
		ret = to_location(&desc[i].location, &d.location);
		if (!ret)
			ret = cu_code(aclrtMemSetAccess(CU_PTR(ptr), size, &d, 1));
	}
	return ret;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
	aclrtMemLocation l;
	uint64_t f = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(flags);
	CU_CHECK_PTR(location);
	ret = to_location(location, &l);
	if (!ret)
		ret = cu_code(aclrtMemGetAccess(CU_PTR(ptr), &l, &f));
	if (!ret)
		*flags = f;
	return ret;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	aclrtPhysicalMemProp p = { 0 };
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(prop);
	ret = cu_code(aclrtMemGetAllocationPropertiesFromHandle(CU_PTR(handle), &p));
	if (!ret)
		*prop = (CUmemAllocationProp){
			.type = CU_MEM_ALLOCATION_TYPE_PINNED,
			.requestedHandleTypes = (CUmemAllocationHandleType)cu_shared_types(handle),
			.location = { p.location.type == ACL_MEM_LOCATION_TYPE_DEVICE ? CU_MEM_LOCATION_TYPE_DEVICE
										       : CU_MEM_LOCATION_TYPE_HOST,
				      (int)p.location.id },
		};
	return ret;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
	aclrtDrvMemHandle h = NULL;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(handle);
	ret = cu_code(aclrtMemRetainAllocationHandle(addr, &h));
	if (!ret) {
		*handle = (uintptr_t)h;
		cu_shared_use(*handle, 1);
	}
	return ret;
}
