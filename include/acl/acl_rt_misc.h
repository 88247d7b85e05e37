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

/**
 * aclrtProfTrace - queue a mark of the program into a stream, for the timeline
 * @userdata: the mark, which is copied; text is shown as text, other bytes in hexadecimal
 * @length: bytes of it, 1 to 18; the mark has 18, the rest are zeros
 * @stream: NULL for the default stream
 *
 * The mark is a task: the timeline (ANPU_TRACE, aclprofStart()) has it on the stream's track with the time at which the
 * device came to it, in each replay if it was recorded into a graph. Without a timeline the task does nothing.
 *
 * Return: ACL_SUCCESS; 100000 if @userdata is NULL; 107000 if @length is anything else; what any task gives.
 */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream);

/**
 * aclrtCacheLastTaskExtendInfo - attach a text to the last task that this thread has recorded
 * @extendInfoPtr: text, which is copied up to its end
 * @infoSize: bytes of it at most
 *
 * It replaces an earlier one. aclmdlRIDebugJsonPrint() shows it as "extendInfo".
 *
 * Return: ACL_SUCCESS; 100000 for NULL or no bytes; 107029 if the thread has recorded no task, or
 * its graph is gone.
 */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(const char * const extendInfoPtr,
		const size_t infoSize);

/**
 * aclrtCacheLastTaskOpInfo - attach information about its operator to the last task that this
 * thread
 *	has recorded
 * @infoPtr: anything, which is copied
 * @infoSize: bytes of it
 *
 * It replaces an earlier one. aclmdlRITaskGetParams() tells where the copy is, in opInfoPtr, until
 * it is replaced or the graph ends; aclmdlRIDebugJsonPrint() shows its bytes as "opInfo".
 *
 * Return: ACL_SUCCESS; 100000 for NULL or no bytes; 107029 if the thread has recorded no task, or
 * its graph is gone.
 */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void * const infoPtr,
		const size_t infoSize);

/**
 * aclrtAllocatorCreateDesc - make an empty description of the program's own allocator
 *
 * Return: the description, or NULL with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/**
 * aclrtAllocatorDestroyDesc - destroy a description
 * @allocatorDesc: the description
 *
 * Registrations that were made with it go on.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/**
 * aclrtAllocatorGetByStream - ask for the allocator that is registered for a stream
 * @stream: stream handle, not NULL
 * @allocatorDesc: out, the description it was registered with
 * @allocator: out, the program's object
 * @allocFunc: out, allocates a block
 * @freeFunc: out, frees one
 * @allocAdviseFunc: out, allocates a block near an address; NULL if the program gave none
 * @getAddrFromBlockFunc: out, device address of a block
 *
 * For libraries that allocate for a stream; this one never calls the functions itself.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_PARAM_INVALID when the stream has none.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(aclrtStream stream,
		aclrtAllocatorDesc *allocatorDesc, aclrtAllocator *allocator,
		aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
		aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
		aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc);

/**
 * aclrtAllocatorRegister - register an allocator for a stream
 * @stream: stream handle, not NULL
 * @allocatorDesc: a description with an object, and functions to allocate, to free and to get the
 *	address
 *
 * The description is read during the call. The registration ends the stream's earlier one, and ends
 * itself with the stream.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or what the description lacks; ACL_ERROR_RT_INVALID_HANDLE;
 *	ACL_ERROR_RT_STREAM_CONTEXT.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream,
		aclrtAllocatorDesc allocatorDesc);

/**
 * aclrtAllocatorSetAllocAdviseFuncToDesc - name the function that allocates a block near an
 *	address
 * @allocatorDesc: the description
 * @func: the function
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocAdviseFuncToDesc(
		aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func);

/**
 * aclrtAllocatorSetAllocFuncToDesc - name the function that allocates a block
 * @allocatorDesc: the description
 * @func: the function
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocatorAllocFunc func);

/**
 * aclrtAllocatorSetFreeFuncToDesc - name the function that frees a block
 * @allocatorDesc: the description
 * @func: the function
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocatorFreeFunc func);

/**
 * aclrtAllocatorSetGetAddrFromBlockFuncToDesc - name the function that tells a block's device
 *	address
 * @allocatorDesc: the description
 * @func: the function
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(
		aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func);

/**
 * aclrtAllocatorSetObjToDesc - name the program's object, which all functions get
 * @allocatorDesc: the description
 * @allocator: the object, not NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
		aclrtAllocator allocator);

/**
 * aclrtAllocatorUnregister - end the registration of a stream's allocator
 * @stream: stream handle; one that has no allocator, or does not exist, is no error
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
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

/**
 * aclrtRandomNumAsync - fill memory with random numbers, as a task of a stream
 * @taskInfo: what is to be made; it may change when the call has returned
 * @stream: NULL for the default stream
 * @reserve: must be NULL
 *
 * Of @taskInfo: dataType is ACL_INT32, ACL_INT64, ACL_UINT32, ACL_UINT64, ACL_FLOAT16, ACL_BF16 or
 * ACL_FLOAT, integers only if uniform. Uniform numbers are at least min and less than max.
 * Truncated normal ones are within two standard deviations of the mean. A mask has randomNum bits,
 * the lowest one of a byte first, that are 0 with probability dropoutRation. randomCounterAddr has
 * 16 bytes in memory, the number of the first block of Philox4x32-10, which are not changed; a
 * block is four words, and an element takes one, of 64 bits two. Equal seed, counter and parameters
 * make equal numbers. randomParaAddr must be NULL; rsv is not looked at.
 *
 * Parameters, seed and number are values of the type's size (seed and number 8 bytes), or, with
 * isAddr, addresses of those, which the task reads when it runs. Parameters that make no sense, a
 * minimum above the maximum, a negative deviation, NaN, fail the task.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, an unknown type or function; 107000 for sizes that are not
 * the type's, integers that are not uniform, too little or pageable memory; 107008 for a result
 * that is not aligned to the type; 107002, 107003, 107017; 207000 for randomParaAddr, or if the
 * device or its driver cannot do it.
 */
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
