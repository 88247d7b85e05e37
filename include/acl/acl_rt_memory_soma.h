/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory that is allocated and freed in stream order.
 */
#ifndef _ACL_RT_MEMORY_SOMA_H_
#define _ACL_RT_MEMORY_SOMA_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtMemPool;

/* Attributes of a pool */
typedef enum aclrtMemPoolAttr {
	ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES   = 1,
	ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC         = 2,
	ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
	ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD            = 4,
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT         = 5,
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH            = 6,
	ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT             = 7,
	ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH                = 8,
} aclrtMemPoolAttr;

/* Properties of a pool; maxSize in bytes, 0 for no limit */
typedef struct aclrtMemPoolProps {
	aclrtMemAllocationType allocType;
	aclrtMemHandleType handleType;
	aclrtMemLocation location;
	size_t maxSize;
	unsigned char reserved[32];
} aclrtMemPoolProps;

/* Stream-ordered pool */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
		const aclrtMemPoolProps *poolProps);

/* Free pool */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

/* Queued free */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);

/* Read */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
		void *value);

/* Queued allocation */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool,
		aclrtStream stream);

/* Pool attribute */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
		void *value);

/* Shrink */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MEMORY_SOMA_H_ */
