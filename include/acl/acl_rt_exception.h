/* SPDX-License-Identifier: MIT */
/*
 * Being told of tasks that fail.
 */
#ifndef _ACL_RT_EXCEPTION_H_
#define _ACL_RT_EXCEPTION_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtGetStreamIdFromExceptionInfo - number of the stream whose task failed, see
 *	aclrtStreamGetId()
 * @info: failure record, as passed to the callback
 *
 * Return: the number; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetTaskIdFromExceptionInfo - number of the task that failed
 * @info: failure record, as passed to the callback
 *
 * Return: the number; 0xFFFFFFFF for NULL and when the whole device failed.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetThreadIdFromExceptionInfo - host thread that queued the task that failed
 * @info: failure record, as passed to the callback
 *
 * Return: its kernel thread id; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtSetExceptionInfoCallback - set the one hook of old programs that runs when a task fails
 * @callback: function, NULL clears; called from a thread of the runtime when the task fails
 *
 * It runs beside the hooks of aclrtExceptionInfoCallbackRegister(), and as they do.
 *
 * Deprecated: aclrtExceptionInfoCallbackRegister().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackRegister - add a hook that runs when a task fails
 * @callback: function, not NULL; called from a thread of the runtime, its argument is valid during
 *	the call only
 *
 * Adding it twice counts once. The thread has the failed stream's context and may copy and
 * synchronise; resets, aclrtDestroyContext() and aclFinalize() are refused in it with
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT. Synchronising a stream or device, and aclrtStreamQuery(),
 * return a failure when the hooks for it have run, or 10 seconds later. Resetting a device waits
 * until all its failures were told. Failures from before the first hook are not told.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackRegister(
		aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackUnregister - remove a hook
 * @callback: function, not NULL
 *
 * One that is not there is no error. It may still be running when this returns.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtExceptionInfoCallbackUnregister(
		aclrtExceptionInfoCallback callback);

/**
 * aclrtGetArgsFromExceptionInfo - where the failed kernel's arguments lie
 * @info: failure record, as passed to the callback
 * @devArgsPtr: out, device address
 * @devArgsLen: out, bytes
 *
 * aclrtMemcpy() reads them, and the data that placeholders refer to. Launches that follow in the
 * stream reuse the place after some 100 KiB of arguments.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID when it was no kernel that failed; ACL_ERROR_RT_INTERNAL_ERROR
 *	when too many tasks were queued since to know; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for a kernel
 *	of a graph.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
		void **devArgsPtr, uint32_t *devArgsLen);

/**
 * aclrtGetDeviceIdFromExceptionInfo - number of the device on which a task failed
 * @info: failure record, as passed to the callback
 *
 * Return: the number; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetErrorCodeFromExceptionInfo - code of the failure, as synchronisation returns it
 * @info: failure record, as passed to the callback
 *
 * Return: the code; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetFuncHandleFromExceptionInfo - which kernel failed
 * @info: failure record, as passed to the callback
 * @func: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID when it was no kernel that failed; ACL_ERROR_RT_INVALID_HANDLE
 *	when its binary was unloaded since.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
		aclrtFuncHandle *func);

/**
 * aclrtBinarySetExceptionCallback - hook for failures of one binary's kernels
 * @binHandle: loaded binary
 * @callback: called after the process-wide hooks, in the same thread; NULL clears; the last set
 *	wins
 * @userData: its second argument
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
		aclrtOpExceptionCallback callback, void *userData);

/**
 * aclrtDeviceTaskAbort - abort the tasks of all streams of a device
 * @deviceId: a device that the process uses
 * @timeout: for callbacks; the device ends a task within milliseconds
 *
 * As aclrtStreamAbort() for each stream of this process, between the callbacks of
 * aclrtSetDeviceTaskAbortCallback().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_FEATURE_NOT_SUPPORT with an old driver;
 *	ACL_ERROR_RT_INTERNAL_ERROR if a callback returned something else than 0.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/**
 * aclrtGetErrorVerbose - what is known of a device's last failure
 * @deviceId: a device that the process uses
 * @errorInfo: out: ACL_RT_NO_ERROR; ACL_RT_ERROR_AICORE after a kernel that failed, with
 *	ACL_RT_AICORE_ERROR_SW as detail; ACL_RT_ERROR_OTHERS after another task, or when the device
 *	is lost. tryRepair is 0
 *
 * Failures are known once a synchronisation or query has told them.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

/* Addresses of uncorrectable memory errors */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
		size_t arraySize, size_t *retSize);

/* Repair such addresses */
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
		size_t arraySize);

/* Repair from that detail */
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo);

/**
 * aclrtSetDeviceTaskAbortCallback - register a function that is called before and after
 *	aclrtDeviceTaskAbort()
 * @regName: name of the registration, 1 to 127 characters
 * @callback: called in the thread of that call, with its timeout; NULL ends the registration
 * @args: for the callback
 *
 * The tasks are aborted whatever a callback returns.
 *
 * Return: ACL_SUCCESS; 100000 for a bad name; 107000 for a name that is registered, or, with NULL,
 * is not.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceTaskAbortCallback(const char *regName,
		aclrtDeviceTaskAbortCallback callback, void *args);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_EXCEPTION_H_ */
