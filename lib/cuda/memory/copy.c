// SPDX-License-Identifier: MIT
/*
 * Copies. Those without a stream come behind the work of the default one; between two places of the device they are
 * queued there, as the API says, and from or to the host they are done when the call returns.
 */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"
#include "copy/front.h"

/* Is the address device memory, in the sense that a copy there need not be waited for */
static bool on_device(CUdeviceptr ptr)
{
	return cu_is_place(CU_PTR(ptr), ACL_MEM_LOCATION_TYPE_DEVICE);
}

static CUresult check_device_memory(CUdeviceptr ptr, const char *name)
{
	aclrtPtrAttributes a;

	if (!ptr)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is 0", name);
	if (aclrtPointerGetAttributes(CU_PTR(ptr), &a) || a.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%s is 0x%llx, which is no memory that the device reaches", name,
			       ptr);
	return CUDA_SUCCESS;
}

static CUresult check_both(CUdeviceptr dst, CUdeviceptr src)
{
	CUresult ret = check_device_memory(dst, "dstDevice");

	return ret ? ret : check_device_memory(src, "srcDevice");
}

static CUresult check_ranges(const void *dst, const void *src, size_t n)
{
	CUresult ret = cu_check_range((uintptr_t)dst, n, "the destination");

	return ret ? ret : cu_check_range((uintptr_t)src, n, "the source");
}

static CUresult copy(void *dst, const void *src, size_t n, bool device_only)
{
	aclrtStream stream;
	CUresult ret;

	if (!n)
		return CUDA_SUCCESS;
	ret = check_ranges(dst, src, n);
	if (ret)
		return ret;
	if (!device_only) {
		ret = cu_sync_legacy();
		return ret ? ret : CU_ACL(aclrtMemcpy(dst, n, src, n, ACL_MEMCPY_DEFAULT));
	}
	ret = cu_stream_use(NULL, &stream, NULL);
	return ret ? ret : CU_ACL(aclrtMemcpyAsync(dst, n, src, n, ACL_MEMCPY_DEFAULT, stream));
}

static CUresult copy_async(void *dst, const void *src, size_t n, CUstream hStream)
{
	aclrtStream stream;
	CUresult ret = check_ranges(dst, src, n);

	if (!ret && n && cu_copy_wants_node(hStream, dst, src))
		return cu_record_copy(hStream, &(CUDA_MEMCPY3D){ .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = (uintptr_t)dst,
								 .srcMemoryType = CU_MEMORYTYPE_UNIFIED, .srcDevice = (uintptr_t)src,
								 .WidthInBytes = n, .Height = 1, .Depth = 1 });
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	if (ret || !n)
		return ret;
	return CU_ACL(anpu_front_copy_any(dst, src, n, stream));
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
	CU_ENTER_CTX(ctx);
	return copy(CU_PTR(dst), CU_PTR(src), ByteCount, on_device(dst) && on_device(src));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
	CU_ENTER();
	return copy_async(CU_PTR(dst), CU_PTR(src), ByteCount, hStream);
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(srcHost);
	ret = check_device_memory(dstDevice, "dstDevice");
	return ret ? ret : copy(CU_PTR(dstDevice), srcHost, ByteCount, false);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(dstHost);
	ret = check_device_memory(srcDevice, "srcDevice");
	return ret ? ret : copy(dstHost, CU_PTR(srcDevice), ByteCount, false);
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = check_both(dstDevice, srcDevice);
	return ret ? ret : copy(CU_PTR(dstDevice), CU_PTR(srcDevice), ByteCount, true);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(srcHost);
	ret = check_device_memory(dstDevice, "dstDevice");
	return ret ? ret : copy_async(CU_PTR(dstDevice), srcHost, ByteCount, hStream);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(dstHost);
	ret = check_device_memory(srcDevice, "srcDevice");
	return ret ? ret : copy_async(dstHost, CU_PTR(srcDevice), ByteCount, hStream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
	CUresult ret;

	CU_ENTER();
	ret = check_both(dstDevice, srcDevice);
	return ret ? ret : copy_async(CU_PTR(dstDevice), CU_PTR(srcDevice), ByteCount, hStream);
}

/* Both contexts must be there; the addresses say which devices copy */
static CUresult check_contexts(CUcontext a, CUcontext b)
{
	struct cu_ctx *ctx;
	CUresult ret = cu_ctx_get(a, &ctx);

	return ret ? ret : cu_ctx_get(b, &ctx);
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
		      size_t ByteCount)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = check_contexts(dstContext, srcContext);
	if (!ret)
		ret = check_both(dstDevice, srcDevice);
	return ret ? ret : copy(CU_PTR(dstDevice), CU_PTR(srcDevice), ByteCount, false);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
			   size_t ByteCount, CUstream hStream)
{
	CUresult ret;

	CU_ENTER();
	ret = check_contexts(dstContext, srcContext);
	if (!ret)
		ret = check_both(dstDevice, srcDevice);
	return ret ? ret : copy_async(CU_PTR(dstDevice), CU_PTR(srcDevice), ByteCount, hStream);
}
