// SPDX-License-Identifier: MIT
/* Memory for pictures, which is the device's ordinary memory. */
#include <acl/ops/acl_dvpp.h>

aclError acldvppMalloc(void **devPtr, size_t size)
{
	return aclrtMalloc(devPtr, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

aclError acldvppFree(void *devPtr)
{
	return aclrtFree(devPtr);
}
