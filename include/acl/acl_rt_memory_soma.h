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
	ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH                = 8
} aclrtMemPoolAttr;

/* Properties of a pool; maxSize in bytes, 0 for no limit */
typedef struct aclrtMemPoolProps {
	aclrtMemAllocationType allocType;
	aclrtMemHandleType handleType;
	aclrtMemLocation location;
	size_t maxSize;
	unsigned char reserved[32];
} aclrtMemPoolProps;

/**
 * aclrtMemPoolCreate - make a pool of device memory for allocations in the order of streams
 * @memPool: out, pool handle
 * @poolProps: allocType ACL_MEM_ALLOCATION_TYPE_PINNED, handleType ACL_MEM_HANDLE_TYPE_NONE,
 *	location a device that the process uses; maxSize is the most that the pool takes from the
 *	device, in bytes, 0 for no limit. The rest is not looked at
 *
 * The pool has no memory yet. Memory that is freed stays in it, up to its release threshold, and
 * is given out again by its rules of reuse, which are all on: see aclrtMemPoolSetAttr().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or a property with another value; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for pools to be
 *	exported; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
		const aclrtMemPoolProps *poolProps);

/**
 * aclrtMemPoolDestroy - destroy a pool
 * @memPool: pool handle
 *
 * Does not wait. Allocations of the pool stay valid until they are freed; its memory goes back
 * with the last one.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

/**
 * aclrtMemPoolFreeAsync - free memory of a pool in the order of a stream
 * @ptr: what aclrtMemPoolMallocAsync() returned
 * @stream: the stream behind whose tasks it is free; NULL means the current context's default
 *	stream
 *
 * Tasks that were queued in the stream before, or that it waits for, may use the memory; for the
 * program it is gone when the call returns.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for what is no such memory, or was freed;
 *	ACL_ERROR_RT_STREAM_CONTEXT for another device's stream; ACL_ERROR_RT_STREAM_CAPTURED.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);

/**
 * aclrtMemPoolGetAttr - read an attribute of a pool
 * @memPool: pool handle
 * @attr: which
 * @value: out: uint32_t for the three rules of reuse, uint64_t in bytes for the others
 *
 * RESERVED is what the pool has of the device, USED what is allocated, in units of 512 bytes; HIGH
 * their peaks.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown attribute; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
		void *value);

/**
 * aclrtMemPoolMallocAsync - allocate memory of a pool in the order of a stream
 * @ptr: out, a multiple of 512
 * @size: bytes above 0
 * @memPool: pool handle
 * @stream: a stream of the pool's device, not NULL
 *
 * The memory is there for tasks that are queued in the stream from now on, and for other streams
 * and the CPU once they have waited for the stream. Where a rule of reuse is on, it may be memory
 * that was freed before: in the same stream; in one whose free this stream waits for by an event;
 * in one that has got to its free; or, if the pool can have no more of the device, in any, behind
 * a wait that is queued in this stream.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or size 0; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_STREAM_CONTEXT for another
 *	device's stream; ACL_ERROR_RT_STREAM_CAPTURED; ACL_ERROR_RT_MEMORY_ALLOCATION when pool or
 *	device are full.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool,
		aclrtStream stream);

/**
 * aclrtMemPoolSetAttr - change an attribute of a pool
 * @memPool: pool handle
 * @attr: ACL_RT_MEM_POOL_REUSE_*: 0 or 1, a uint32_t, see aclrtMemPoolMallocAsync();
 *	RELEASE_THRESHOLD: a pool that has more bytes gives free pieces back when a stream is
 *	synchronised, until it has no more than these, a uint64_t, at first 0; *_HIGH: 0, a uint64_t, lets the peak begin anew. The others can only be read
 * @value: the value
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, an unknown attribute or another value; ACL_ERROR_RT_PARAM_INVALID for an attribute
 *	that can only be read; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
		void *value);

/**
 * aclrtMemPoolTrimTo - give free memory of a pool back to the device
 * @memPool: pool handle
 * @minBytesToKeep: bytes that stay in the pool at least, if it has them
 *
 * Allocated blocks stay, and so do freed ones that tasks which have not run may use.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MEMORY_SOMA_H_ */
