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
 * Return: ACL_SUCCESS; 100000 for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/**
 * aclrtIpcMemClose - close a name of shared memory
 * @key: the name
 *
 * In the process that made it, nobody can import it any more; in one that has imported it, the
 * memory is unmapped. The memory lives until both have done so. A process that has imported one key
 * several times closes it as often: a call ends a mapping of the thread's device if there is one.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for what is no key of this process.
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
 * The key has 22 bytes with its end. Memory is shared in whole pages: what shares the first and
 * last page with it can be reached, too. Other processes have to be named by
 * aclrtIpcMemSetImportPid(), unless the flag disables that.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, 0, other flags or too short a buffer; 107000 for what is
 * not device memory of one allocation; 507022.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key,
		size_t len, uint64_t flags);

/**
 * aclrtIpcMemImportByKey - open another process's device memory by name
 * @devPtr: out
 * @key: the name
 * @flags: ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS: as aclrtDeviceEnablePeerAccess() for the
 *	device of the memory, if the program sees that
 *
 * Tasks and operators of the thread's device reach the memory, whichever device it is of.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or other flags; 107000 for what is no key (any more), or
 * made by this process; 207006 if the other process did not name this one; 207000 if the thread's
 * device cannot reach the memory's; 507022 if the other process is gone; 507899 if the memory's
 * device is; 107002, 207001.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/**
 * aclrtIpcMemSetImportPid - say which processes may open a name
 * @key: the name
 * @pid: process ids
 * @num: their number
 *
 * Return: ACL_SUCCESS; 100000 for NULL or 0; 107000 for what is no key made by this process.
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
 * Return: ACL_SUCCESS; 100000 for NULL, another type or flag; 107017; 507022.
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
 * A fabric handle is good on this machine only.
 *
 * Return: as aclrtMemExportToShareableHandle().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
		uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle);

/**
 * aclrtMemImportFromShareableHandle - open physical memory of another process
 * @shareableHandle: the number
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @handle: out
 *
 * The device need not be the memory's.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107001 for a device that is not set; 107000 for what is no
 * such number (any more), or made by this process; 207006 if the other process did not name this
 * one; 207000 if the device cannot reach the memory's; 507022 if the process is gone.
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
 * Return: as aclrtMemImportFromShareableHandle(), on the thread's device; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
		aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle);

/**
 * aclrtMemSetPidToShareableHandle - say which processes may open a number
 * @shareableHandle: the number
 * @pid: process ids
 * @pidNum: their number
 *
 * Return: ACL_SUCCESS; 100000 for NULL or 0; 107000 for a number that this process did not make.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
		size_t pidNum);

/**
 * aclrtIpcGetEventHandle - handle of an event for other processes
 * @event: an event of aclrtCreateEventExWithFlag() with ACL_EVENT_IPC
 * @handle: out; any process that has it may open the event, until the event is destroyed
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_FEATURE_NOT_SUPPORT without the flag;
 *	ACL_ERROR_RT_PARAM_INVALID for an event that was opened; ACL_ERROR_RT_IPC_ERROR.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/**
 * aclrtIpcOpenEventHandle - open an event of another process
 * @handle: of aclrtIpcGetEventHandle()
 * @event: out, to be destroyed with aclrtDestroyEvent()
 *
 * The event belongs to the current device, which need not be the maker's; time stamps are of the
 * device that has recorded it. A wait binds to the latest record that was called for in any
 * process. Records of several processes should be ordered: of two at once, either may be the
 * latest.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for a handle that is none (any more), or of this
 *	process; ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the device cannot reach system memory of the
 *	maker's; ACL_ERROR_RT_IPC_ERROR when the other process does not answer.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * aclrtMemSetPidToShareableHandleV2 - as aclrtMemSetPidToShareableHandle(), for either kind
 * @shareableHandle: uint64_t or aclrtMemFabricHandle by shareType
 * @shareType: kind of number
 * @pid: process ids
 * @pidNum: their number
 *
 * Return: as aclrtMemSetPidToShareableHandle().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
		aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum);

/**
 * aclrtNotifyGetExportKey - key of a notify for other processes
 * @notify: notify handle; tasks that use it must have run
 * @key: out, text
 * @len: bytes available, at least 22
 * @flags: ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION: any process may import it, else those
 *	that aclrtNotifySetImportPid() names
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, too few bytes or unknown flags; ACL_ERROR_RT_INVALID_HANDLE;
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT while tasks use it; ACL_ERROR_RT_PARAM_INVALID for one that
 *	was imported; ACL_ERROR_RT_IPC_ERROR.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len,
		uint64_t flags);

/**
 * aclrtNotifyImportByKey - open a notify of another process
 * @notify: out, to be destroyed with aclrtDestroyNotify()
 * @key: of aclrtNotifyGetExportKey()
 * @flags: ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS: as aclrtDeviceEnablePeerAccess() for the
 *	maker's device, if the program sees that; the notify does not need it
 *
 * The notify belongs to the current device, which need not be the maker's.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or unknown flags; ACL_ERROR_RT_PARAM_INVALID for a key that is none (any more), or
 *	of this process; ACL_ERROR_RT_NO_PERMISSION; ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the device
 *	cannot reach system memory of the maker's; ACL_ERROR_RT_IPC_ERROR when the other process
 *	does not answer.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key,
		uint64_t flags);

/**
 * aclrtNotifySetImportPid - name processes that may import a notify
 * @notify: a notify that has a key
 * @pid: process numbers
 * @num: how many, 1 to 65536
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_PARAM_INVALID without a key.
 */
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
