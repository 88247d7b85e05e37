// SPDX-License-Identifier: MIT
/* Hints about managed memory by places, and questions what was advised. */
#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

/* The device of a place; all of the host is one */
static CUresult device_of(CUmemLocation where, CUdevice *dev)
{
	switch ((int)where.type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		*dev = where.id;
		return CUDA_SUCCESS;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		*dev = CU_DEVICE_CPU;
		return CUDA_SUCCESS;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "location.type is %d and must be 1 (device) to 4", (int)where.type);
	}
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
	CUdevice dev = CU_DEVICE_CPU;
	CUresult ret = CUDA_SUCCESS;

	CU_ENTER();
	/* these have no place, and what the program has there is not looked at */
	if (advice != CU_MEM_ADVISE_SET_READ_MOSTLY && advice != CU_MEM_ADVISE_UNSET_READ_MOSTLY &&
	    advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
		ret = device_of(location, &dev);
	return ret ? ret : cuMemAdvise(devPtr, count, advice, dev);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream)
{
	CUdevice dev = CU_DEVICE_CPU;
	CUresult ret;

	CU_ENTER();
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0", flags);
	ret = device_of(location, &dev);
	return ret ? ret : cuMemPrefetchAsync(devPtr, count, dev, hStream);
}

/* The attribute's number in libacl; 0: there is none */
static int attr_of(CUmem_range_attribute a)
{
	switch ((int)a) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		return ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
		return ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		return ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		return ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		return ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		return ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		return ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
		return ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID;
	default:
		return 0;
	}
}

/* A place's type, which both APIs number in their own way */
static int type_of(int type)
{
	switch (type) {
	case ACL_MEM_LOCATIONTYPE_DEVICE:
		return CU_MEM_LOCATION_TYPE_DEVICE;
	case ACL_MEM_LOCATIONTYPE_HOST:
		return CU_MEM_LOCATION_TYPE_HOST;
	default:
		return CU_MEM_LOCATION_TYPE_INVALID;
	}
}

static CUresult ask(void *data, size_t size, CUmem_range_attribute a, CUdeviceptr ptr, size_t count)
{
	int attr = attr_of(a);
	CUresult ret;

	CU_CHECK_PTR(data);
	if (!attr)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute is %d and must be 1 to 8", (int)a);
	if (!size || size % 4 || (size != 4 && a != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "dataSize is %zu and must be 4, for ACCESSED_BY a multiple of 4", size);
	ret = cu_check_managed(ptr, count, CU_DEVICE_CPU);
	if (!ret)
		ret = cu_code(aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)attr, CU_PTR(ptr), count, data, size));
	if (!ret && (a == CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE ||
		     a == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE))
		*(int *)data = type_of(*(int *)data);
	return ret;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr, size_t count)
{
	CU_ENTER_CTX(ctx);
	return ask(data, dataSize, attribute, devPtr, count);
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes,
				 CUdeviceptr devPtr, size_t count)
{
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(data);
	CU_CHECK_PTR(dataSizes);
	CU_CHECK_PTR(attributes);
	if (!numAttributes)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "numAttributes is 0");
	for (i = 0; i < numAttributes && !ret; i++)
		ret = ask(data[i], dataSizes[i], attributes[i], devPtr, count);
	return ret;
}
