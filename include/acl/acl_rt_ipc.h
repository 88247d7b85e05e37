/* SPDX-License-Identifier: MIT */
/*
 * Sharing memory, events and notifies between processes.
 */
#ifndef _ACL_RT_IPC_H_
#define _ACL_RT_IPC_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtDeviceGetBareTgid - process id under which the driver knows this process
 * @pid: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * aclrtIpcMemClose - close a name of shared memory
 * @key: the name
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char *key);

/**
 * aclrtIpcMemGetExportKey - give device memory a name by which another process can open it
 * @devPtr: device memory
 * @size: bytes
 * @key: out, the name
 * @len: bytes available at key
 * @flags: ACL_RT_IPC_MEM_EXPORT_FLAG_* bits
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key,
		size_t len, uint64_t flags);

/**
 * aclrtIpcMemImportByKey - open another process's device memory by name
 * @devPtr: out
 * @key: the name
 * @flags: ACL_RT_IPC_MEM_IMPORT_FLAG_* bits
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/**
 * aclrtIpcMemSetImportPid - say which processes may open a name
 * @key: the name
 * @pid: process ids
 * @num: their number
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/**
 * aclrtMemExportToShareableHandle - make a number by which another process can open physical
 *	memory
 * @handle: physical memory
 * @handleType: must be ACL_MEM_HANDLE_TYPE_NONE
 * @flags: ACL_RT_VMM_EXPORT_FLAG_* bits
 * @shareableHandle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
		aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle);

/**
 * aclrtMemExportToShareableHandleV2 - as aclrtMemExportToShareableHandle(), for either kind of
 *	number
 * @handle: physical memory
 * @flags: ACL_RT_VMM_EXPORT_FLAG_* bits
 * @shareType: kind of number
 * @shareableHandle: out, uint64_t or aclrtMemFabricHandle by shareType
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
		uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle);

/**
 * aclrtMemImportFromShareableHandle - open physical memory of another process
 * @shareableHandle: the number
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @handle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
		int32_t deviceId, aclrtDrvMemHandle *handle);

/**
 * aclrtMemImportFromShareableHandleV2 - as aclrtMemImportFromShareableHandle(), for either kind of
 *	number
 * @shareableHandle: uint64_t or aclrtMemFabricHandle by shareType
 * @shareType: kind of number
 * @flags: must be 0
 * @handle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
		aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle);

/**
 * aclrtMemSetPidToShareableHandle - say which processes may open a number
 * @shareableHandle: the number
 * @pid: process ids
 * @pidNum: their number
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
		size_t pidNum);

/* Name an IPC event */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/* Open it */
ACL_FUNC_VISIBILITY aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/* Same, typed */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
		aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum);

/* Name a notify */
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len,
		uint64_t flags);

/* Open a notify */
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key,
		uint64_t flags);

/* Allow-list */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/* Allow-list across servers */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportPidInterServer(const char *key,
		aclrtServerPid *serverPids, size_t num);

/* Link choice */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type,
		uint64_t attr);

/* Across servers */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
		aclrtServerPid *serverPids, size_t num);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_IPC_H_ */
