// SPDX-License-Identifier: MIT
/* Memory and copies. */
#include <runtime/rt.h>

#include "front.h"

rtError_t rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId)
{
	(void)type;
	(void)moduleId;
	return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

rtError_t rtFree(void *devPtr)
{
	return aclrtFree(devPtr);
}

rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId)
{
	(void)moduleId;
	return aclrtMallocHost(hostPtr, size);
}

rtError_t rtFreeHost(void *hostPtr)
{
	return aclrtFreeHost(hostPtr);
}

/* The kind as libascendcl.so calls it: the two numbers agree up to DEVICE_TO_DEVICE */
static int acl_kind(const char *api, rtMemcpyKind_t kind, aclrtMemcpyKind *out)
{
	switch ((unsigned int)kind) {
	case RT_MEMCPY_HOST_TO_HOST:
	case RT_MEMCPY_HOST_TO_DEVICE:
	case RT_MEMCPY_DEVICE_TO_HOST:
	case RT_MEMCPY_DEVICE_TO_DEVICE:
		*out = (aclrtMemcpyKind)kind;
		return 0;
	case RT_MEMCPY_HOST_TO_DEVICE_EX:
		*out = ACL_MEMCPY_HOST_TO_DEVICE;
		return 0;
	case RT_MEMCPY_DEVICE_TO_HOST_EX:
		*out = ACL_MEMCPY_DEVICE_TO_HOST;
		return 0;
	case RT_MEMCPY_MANAGED:
	case RT_MEMCPY_DEFAULT:
		*out = ACL_MEMCPY_DEFAULT;
		return 0;
	case RT_MEMCPY_ADDR_DEVICE_TO_DEVICE:
		return kit_fail(api, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"RT_MEMCPY_ADDR_DEVICE_TO_DEVICE is not built: "
				"aclrtMemcpyAsyncWithDesc() copies by addresses in device memory");
	default:
		return kit_fail(api, ACL_ERROR_RT_PARAM_INVALID, "kind is %d and must be 0 to %d",
				(int)kind, RT_MEMCPY_RESERVED - 1);
	}
}

rtError_t rtMemcpy(void *dst, uint64_t destMax, const void *src, uint64_t cnt, rtMemcpyKind_t kind)
{
	aclrtMemcpyKind how = ACL_MEMCPY_DEFAULT;
	int err = acl_kind(__func__, kind, &how);

	return err ? err : aclrtMemcpy(dst, destMax, src, cnt, how);
}

rtError_t rtMemcpyAsync(void *dst, uint64_t destMax, const void *src, uint64_t cnt, rtMemcpyKind_t kind,
			rtStream_t stm)
{
	aclrtMemcpyKind how = ACL_MEMCPY_DEFAULT;
	int err = acl_kind(__func__, kind, &how);

	return err ? err : aclrtMemcpyAsync(dst, destMax, src, cnt, how, stm);
}

rtError_t rtMemset(void *devPtr, uint64_t destMax, const uint32_t val, const uint64_t cnt)
{
	return aclrtMemset(devPtr, destMax, (int32_t)val, cnt);
}

rtError_t rtMemsetAsync(void *ptr, uint64_t destMax, const uint32_t val, const uint64_t cnt, rtStream_t stm)
{
	return aclrtMemsetAsync(ptr, destMax, (int32_t)val, cnt, stm);
}
