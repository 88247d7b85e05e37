/* SPDX-License-Identifier: MIT */
/*
 * Profiling marks, allocators, message buffers, random numbers, snapshots.
 */
#ifndef _ACL_RT_MISC_H_
#define _ACL_RT_MISC_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queued user mark in profile */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream);

/* Attach text to it */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(const char * const extendInfoPtr,
		const size_t infoSize);

/* Attach op info to last captured task */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void * const infoPtr,
		const size_t infoSize);

/* User allocator description */
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/* Free */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/* Read back */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(aclrtStream stream,
		aclrtAllocatorDesc *allocatorDesc, aclrtAllocator *allocator,
		aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
		aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
		aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc);

/* Attach to a stream */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream,
		aclrtAllocatorDesc allocatorDesc);

/* Alloc-with-hint hook */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocAdviseFuncToDesc(
		aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func);

/* Alloc hook */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocatorAllocFunc func);

/* Free hook */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocatorFreeFunc func);

/* Block to address hook */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
		aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func);

/* User object */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocator allocator);

/* Detach */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorUnregister(aclrtStream stream);

/**
 * aclrtGetThreadLastTaskId - number of the last task that this thread queued
 * @taskId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/* Mbuf: allocate */
ACL_FUNC_VISIBILITY aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);

/* Mbuf chain: append */
ACL_FUNC_VISIBILITY aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);

/* Mbuf: share */
ACL_FUNC_VISIBILITY aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf);

/* Mbuf: free */
ACL_FUNC_VISIBILITY aclError aclrtFreeBuf(aclrtMbuf buf);

/* Mbuf chain: length */
ACL_FUNC_VISIBILITY aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);

/* Mbuf: pointer */
ACL_FUNC_VISIBILITY aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size);

/* Mbuf: length */
ACL_FUNC_VISIBILITY aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);

/* Mbuf chain: get */
ACL_FUNC_VISIBILITY aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index,
		aclrtMbuf *buf);

/* Mbuf: read private area */
ACL_FUNC_VISIBILITY aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size,
		size_t offset);

/* Device CPU makes random numbers */
ACL_FUNC_VISIBILITY aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
		const aclrtStream stream, void *reserve);

/* Mbuf: set length */
ACL_FUNC_VISIBILITY aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);

/* Mbuf: write private area */
ACL_FUNC_VISIBILITY aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size,
		size_t offset);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
		aclrtSnapShotCallBack callback, void *args);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
		aclrtSnapShotCallBack callback);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessLock(int pid, void *reserve);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args);

/* Process snapshot */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MISC_H_ */
