// SPDX-License-Identifier: MIT
/* Memory of the device and of the host. */
#include <inttypes.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"

#define PITCH	512
#define MANAGED (2u << 20)

CUresult cuMemGetInfo(size_t *free, size_t *total)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(free);
	CU_CHECK_PTR(total);
	return cu_code(aclrtGetMemInfo(ACL_HBM_MEM, free, total));
}

/* Memory of the context is made and ended by calls that may wait, which recordings forbid */
#define CU_UNSAFE()                                              \
	do {                                                     \
		CUresult unsafe_ = cu_code(anpu_front_unsafe()); \
		if (unsafe_)                                     \
			return unsafe_;                          \
	} while (0)
#define CU_ENTER_UNSAFE(ctx) \
	CU_ENTER_CTX(ctx);   \
	CU_UNSAFE()
/* The same for calls that end memory, for which a thread without a context need not make the memory's current */
#define CU_ENTER_OWNER(addr)                       \
	do {                                       \
		CUresult r_;                       \
		use_owner(addr);                   \
		r_ = cu_current(&(struct cu_ctx *){ NULL }); \
		if (r_)                            \
			return r_;                 \
	} while (0);                               \
	CU_UNSAFE()

static void use_owner(uint64_t addr)
{
	struct cu_mem m;

	if (!anpu_front_context() && cu_mem_find(addr, &m) && m.ctx)
		cu_use_context(m.ctx);
}

static CUresult device_alloc(struct cu_ctx *ctx, CUdeviceptr *dptr, size_t size)
{
	void *p = NULL;
	CUresult ret;

	if (!size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "bytesize is 0");
	ret = cu_code(anpu_front_malloc(&p, size));
	if (ret)
		return ret;
	ret = cu_mem_add((uintptr_t)p, size, CU_MEM_DEVICE, 0, ctx);
	if (ret)
		(void)aclrtFree(p);
	else
		*dptr = (uintptr_t)p;
	return ret;
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize)
{
	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(dptr);
	return device_alloc(ctx, dptr, bytesize);
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
			 unsigned int ElementSizeBytes)
{
	size_t pitch, size;
	CUresult ret;

	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(dptr);
	CU_CHECK_PTR(pPitch);
	if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "ElementSizeBytes is %u and must be 4, 8 or 16",
			       ElementSizeBytes);
	pitch = WidthInBytes > SIZE_MAX - PITCH ? 0 : (WidthInBytes + PITCH - 1) / PITCH * PITCH;
	if (!pitch || !Height || __builtin_mul_overflow(pitch, Height, &size))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu rows of %zu bytes are none, or too many", Height,
			       WidthInBytes);
	ret = device_alloc(ctx, dptr, size);
	if (!ret)
		*pPitch = pitch;
	return ret;
}

/* Argument @name of a call that frees is an address in memory of another kind, or in the middle */
static CUresult wrong_free(const char *name, uint64_t addr, const struct cu_mem *m)
{
	static const char *const kinds[] = {
		[CU_MEM_DEVICE] = "device memory: free it with cuMemFree()",
		[CU_MEM_HOST] = "pinned memory of the host: free it with cuMemFreeHost()",
		[CU_MEM_REGISTERED] = "registered memory of the host: end that with cuMemHostUnregister()",
		[CU_MEM_MANAGED] = "managed memory: free it with cuMemFree()",
		[CU_MEM_POOL] = "memory of a pool: free it with cuMemFreeAsync()",
		[CU_MEM_GRAPH] = "memory of a graph: free it with cuMemFree()",
		[CU_MEM_HEAP] = "the heap of kernels: that ends with its context",
		[CU_MEM_IMPORTED] = "memory of another process's pool: free it with cuMemFreeAsync()",
	};

	if (m->base == addr)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is 0x%" PRIx64 ", which is %s", name, addr, kinds[m->kind]);
	return cu_fail(CUDA_ERROR_INVALID_VALUE,
		       "%s is 0x%" PRIx64 ", which is not the start of an allocation but byte %" PRIu64 " of the %" PRIu64
		       " bytes at 0x%" PRIx64, name, addr, addr - m->base, m->size, m->base);
}

CUresult cuMemFree(CUdeviceptr dptr)
{
	struct cu_mem m;
	CUresult ret, failure;
	bool known;

	CU_ENTER();
	CU_ENTER_OWNER(dptr);
	if (!dptr)
		return CUDA_SUCCESS;
	known = cu_mem_find(dptr, &m);
	if (known && (m.base != dptr || m.kind == CU_MEM_HOST || m.kind == CU_MEM_REGISTERED || m.kind == CU_MEM_HEAP))
		return wrong_free("dptr", dptr, &m);
	if (cu_imported(dptr))
		return cu_imported_free(dptr);
	if (known && m.kind == CU_MEM_GRAPH) {
		ret = CU_ACL(anpu_front_context_sync());
		return ret ? ret : cu_graph_memory_free(dptr);
	}
	if (cu_mem_take(dptr, 1u << CU_MEM_POOL, &m)) {
		cu_ipc_freed(dptr);
		return cu_code(aclrtMemPoolFreeAsync(CU_PTR(dptr), NULL));
	}
	/* work that still uses it ends first, as programs expect */
	failure = cu_await_work();
	cu_ipc_freed(dptr);
	ret = cu_code(aclrtFreeWithDevSync(CU_PTR(dptr)));
	return failure ? failure : ret;
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
	struct cu_mem m;
	void *base = NULL;
	size_t size = 0;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	if (cu_is_place(CU_PTR(dptr), ACL_MEM_LOCATION_TYPE_UNREGISTERED))
		return cu_fail(CUDA_ERROR_NOT_FOUND, "dptr is %#llx, which is in no allocation of this library", dptr);
	if (cu_mem_find(dptr, &m)) {
		base = CU_PTR(m.base);
		size = m.size;
	} else {
		ret = cu_code(aclrtMemGetAddressRange(CU_PTR(dptr), &base, &size));
		if (ret)
			return ret;
	}
	if (pbase)
		*pbase = (uintptr_t)base;
	if (psize)
		*psize = size;
	return CUDA_SUCCESS;
}

/* Host memory ---------------------------------------------------------------------------------------- */

static CUresult host_alloc(struct cu_ctx *ctx, void **pp, size_t size, unsigned int flags)
{
	void *p = NULL;
	CUresult ret;

	if (!size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "bytesize is 0");
	ret = cu_code(aclrtMallocHost(&p, size));
	if (!ret)
		ret = cu_mem_add((uintptr_t)p, size, CU_MEM_HOST, flags, ctx);
	if (!ret)
		*pp = p;
	else if (p)
		(void)aclrtFreeHost(p);
	return ret;
}

CUresult cuMemAllocHost(void **pp, size_t bytesize)
{
	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(pp);
	return host_alloc(ctx, pp, bytesize, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(pp);
	if (Flags & ~7u)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be made of CU_MEMHOSTALLOC_* bits",
			       Flags);
	return host_alloc(ctx, pp, bytesize, Flags);
}

CUresult cuMemFreeHost(void *p)
{
	CUresult ret, failure;
	struct cu_mem m;

	CU_ENTER();
	CU_ENTER_OWNER((uintptr_t)p);
	CU_CHECK_PTR(p);
	if (cu_mem_find((uintptr_t)p, &m) && (m.base != (uintptr_t)p || m.kind != CU_MEM_HOST))
		return wrong_free("p", (uintptr_t)p, &m);
	failure = cu_await_work();
	ret = cu_code(aclrtFreeHostWithDevSync(p));
	return failure ? failure : ret;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
	void *device = NULL;
	struct cu_mem m;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pdptr);
	CU_CHECK_PTR(p);
	if (Flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be 0", Flags);
	ret = cu_code(aclrtHostGetDevicePointer(p, &device, 0));
	if (ret && cu_mem_find((uintptr_t)p, &m) && m.kind == CU_MEM_REGISTERED)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			       "%p is registered for copies only, because the device cannot show a stack, or memory of a program that is "
			       "linked to low addresses: use memory of malloc() in a program linked with -pie, of mmap() or of cuMemHostAlloc()",
			       p);
	if (!ret)
		*pdptr = (uintptr_t)device;
	return ret;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
	struct cu_mem m;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pFlags);
	if (!cu_mem_find((uintptr_t)p, &m) || (m.kind != CU_MEM_HOST && m.kind != CU_MEM_REGISTERED))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "p is %p, which is no memory of cuMemHostAlloc()", p);
	*pFlags = m.flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(p);
	if (!bytesize || (Flags & ~15u))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "bytesize is %zu and must not be 0; Flags is %#x and must be made of "
			       "CU_MEMHOSTREGISTER_* bits",
			       bytesize, Flags);
	if (Flags & CU_MEMHOSTREGISTER_IOMEMORY)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "memory of other devices cannot be registered");
	return cu_register((uintptr_t)p, bytesize, Flags, ctx);
}

CUresult cuMemHostUnregister(void *p)
{
	struct cu_mem m;

	CU_ENTER();
	CU_ENTER_OWNER((uintptr_t)p);
	CU_CHECK_PTR(p);
	if (!cu_mem_take((uintptr_t)p, 1u << CU_MEM_REGISTERED, &m))
		return cu_fail(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
			       "p is %p, which is not the start of memory of cuMemHostRegister()", p);
	return cu_unregister(m.base, m.size);
}

/* Managed memory ------------------------------------------------------------------------------------- */

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
	void *p = NULL;
	CUresult ret;

	CU_ENTER_UNSAFE(ctx);
	CU_CHECK_PTR(dptr);
	if (!bytesize || bytesize > SIZE_MAX - MANAGED || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "bytesize is %zu and must not be 0; flags is %#x and must be CU_MEM_ATTACH_GLOBAL or "
			       "CU_MEM_ATTACH_HOST",
			       bytesize, flags);
	ret = cu_code(aclrtMemAllocManaged(&p, (bytesize + MANAGED - 1) / MANAGED * MANAGED, ACL_RT_MEM_ATTACH_GLOBAL));
	if (ret)
		return ret;
	ret = cu_mem_add((uintptr_t)p, bytesize, CU_MEM_MANAGED, flags, ctx);
	if (ret)
		(void)aclrtFree(p);
	else
		*dptr = (uintptr_t)p;
	return ret;
}

/* The range of a hint, which must be managed, and its place */
CUresult cu_check_managed(CUdeviceptr ptr, size_t count, CUdevice device)
{
	struct cu_mem m;

	if (!count || !cu_mem_find(ptr, &m) || m.kind != CU_MEM_MANAGED || count > m.size - (ptr - m.base))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the %zu bytes at 0x%llx are not managed memory", count, ptr);
	return device == CU_DEVICE_CPU ? CUDA_SUCCESS : cu_check_device(device);
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
	aclrtMemManagedLocation where = {
		.type = device == CU_DEVICE_CPU ? ACL_MEM_LOCATIONTYPE_HOST : ACL_MEM_LOCATIONTYPE_DEVICE,
		.id = device == CU_DEVICE_CPU ? 0 : device,
	};
	size_t size = (count + MANAGED - 1) / MANAGED * MANAGED;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "advice is %d and must be 1 to 6", (int)advice);
	/* without a place: the device is not looked at */
	ret = cu_check_managed(devPtr, count,
			    advice <= CU_MEM_ADVISE_UNSET_READ_MOSTLY || advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION
				    ? CU_DEVICE_CPU
				    : device);
	return ret ? ret : cu_code(aclrtMemManagedAdvise(CU_PTR(devPtr), size, (aclrtMemManagedAdviseType)(advice - 1),
							 where));
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
	aclrtMemManagedLocation where = {
		.type = dstDevice == CU_DEVICE_CPU ? ACL_MEM_LOCATIONTYPE_HOST : ACL_MEM_LOCATIONTYPE_DEVICE,
		.id = dstDevice == CU_DEVICE_CPU ? 0 : dstDevice,
	};
	size_t size = (count + MANAGED - 1) / MANAGED * MANAGED;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = cu_check_managed(devPtr, count, dstDevice);
	if (!ret)
		ret = cu_stream_look(hStream, &stream, NULL);
	return ret ? ret : cu_code(aclrtMemManagedPrefetchAsync(CU_PTR(devPtr), size, where, 0, stream));
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
	aclrtStream stream;
	struct cu_mem m;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = cu_stream_look(hStream, &stream, NULL);
	if (ret)
		return ret;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be one of CU_MEM_ATTACH_*", flags);
	if (!cu_mem_find(dptr, &m) || m.kind != CU_MEM_MANAGED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%llx, which is no managed memory", dptr);
	if (length && length != m.size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "length is %zu and must be 0 or the allocation's %zu bytes", length,
			       m.size);
	return CUDA_SUCCESS;
}
