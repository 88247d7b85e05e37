// SPDX-License-Identifier: MIT
/* Questions about addresses. */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"

struct found {
	bool known, device, managed;
	bool mapped; /* by cuMemMap() */
	struct cu_mem mem; /* base 0: of the other front */
	aclrtPtrAttributes attr;
	uint64_t base, size;
};

static void look(CUdeviceptr ptr, struct found *f)
{
	void *base = NULL;
	size_t size = 0;

	memset(f, 0, sizeof(*f));
	if (cu_map_find(ptr, &f->base, &f->size)) {
		f->known = f->device = f->mapped = true;
		(void)aclrtPointerGetAttributes(CU_PTR(ptr), &f->attr);
		return;
	}
	if (aclrtPointerGetAttributes(CU_PTR(ptr), &f->attr) ||
	    f->attr.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED)
		return;
	f->known = true;
	f->managed = f->attr.location.type == ACL_MEM_LOCATION_TYPE_MANAGED;
	f->device = f->attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE || f->managed;
	if (cu_mem_find(ptr, &f->mem)) {
		f->base = f->mem.base;
		f->size = f->mem.size;
	} else if (!aclrtMemGetAddressRange(CU_PTR(ptr), &base, &size)) {
		f->base = (uintptr_t)base;
		f->size = size;
	}
}

/* Bytes of an attribute's value; 0: unknown */
static size_t size_of(CUpointer_attribute a)
{
	switch ((int)a) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		return 8;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_MAPPED:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		return 4;
	default:
		return 0;
	}
}

static CUdevice device_of(const struct found *f)
{
	struct cu_ctx *ctx;

	if (f->mem.base && !cu_ctx_get(CU_PTR(f->mem.ctx), &ctx))
		return ctx->dev;
	if (f->attr.location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
		return (CUdevice)f->attr.location.id;
	return cu_current_any(&ctx) ? 0 : ctx->dev;
}

/* The rights of the device in a mapping */
static uint64_t map_access(const struct found *f, CUdeviceptr ptr)
{
	CUmemLocation where = { CU_MEM_LOCATION_TYPE_DEVICE, device_of(f) };
	unsigned long long flags = 0;

	return cuMemGetAccess(&flags, &where, ptr) ? CU_MEM_ACCESS_FLAGS_PROT_NONE : flags;
}

static uint64_t value_of(const struct found *f, CUpointer_attribute a, CUdeviceptr ptr)
{
	void *mapped = NULL;

	switch ((int)a) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		/* mappings belong to no context */
		return f->mapped ? 0 : f->mem.ctx ? f->mem.ctx : anpu_front_context();
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		return f->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		if (!f->device && !aclrtHostGetDevicePointer(CU_PTR(ptr), &mapped, 0))
			return (uintptr_t)mapped;
		return ptr;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		return f->device && !f->managed ? 0 : ptr;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		return f->mem.sync_memops;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		return f->mem.id ? f->mem.id : f->base;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		return f->managed;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		return (uint64_t)device_of(f);
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		return f->base;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		return f->size;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		return 1;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		return f->mapped ? map_access(f, ptr) : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	default:
		return 0;
	}
}

static CUresult answer(void *data, CUpointer_attribute a, CUdeviceptr ptr, const struct found *f)
{
	size_t size = size_of(a);
	uint64_t v = f->known ? value_of(f, a, ptr) : 0;

	if (!size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d is none that can be asked for", (int)a);
	if (!f->known && a == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
		v = (uint64_t)CU_DEVICE_INVALID;
	memcpy(data, &v, size);
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	struct found f;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(data);
	look(ptr, &f);
	if (size_of(attribute) && !f.known)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "ptr is 0x%llx, which is neither device memory nor pinned memory of the host", ptr);
	return answer(data, attribute, ptr, &f);
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
				CUdeviceptr ptr)
{
	CUresult ret = CUDA_SUCCESS;
	struct found f;
	unsigned int i;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(attributes);
	CU_CHECK_PTR(data);
	look(ptr, &f);
	for (i = 0; i < numAttributes && !ret; i++)
		ret = answer(data[i], attributes[i], ptr, &f);
	return ret;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	unsigned int on;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(value);
	if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set", (int)attribute);
	memcpy(&on, value, sizeof(on));
	if (!cu_mem_change(ptr, on))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "ptr is 0x%llx, which this front has not allocated", ptr);
	return CUDA_SUCCESS;
}
