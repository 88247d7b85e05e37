/* SPDX-License-Identifier: MIT */
/*
 * Host functions in streams.
 */
#ifndef _ACL_RT_CALLBACK_H_
#define _ACL_RT_CALLBACK_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtLaunchCallback - queue a host function in a stream; it runs in the thread that
 *	aclrtSubscribeReport() bound to the stream, inside aclrtProcessReport()
 * @fn: function, not NULL; it must not allocate, launch or synchronise
 * @userData: its argument
 * @blockType: ACL_CALLBACK_BLOCK holds the stream's later tasks until fn returned
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Functions that could wait for the callback itself are refused in it with
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: allocating and freeing, launches, asynchronous copies,
 * synchronisation, aclrtProcessReport(), destroying streams and contexts, resets.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_STREAM_NO_CB_REG when no thread is bound; ACL_ERROR_RT_PARAM_INVALID for fn
 *	NULL; ACL_ERROR_INVALID_PARAM for an unknown blockType.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
		aclrtCallbackBlockType blockType, aclrtStream stream);

/**
 * aclrtProcessReport - in a bound thread: wait for a callback and run it
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Runs one callback. A thread that was unbound still runs what was queued for it before. The thread can
 * be cancelled meanwhile; a callback that it leaves by that, by pthread_exit(), a C++ exception or
 * longjmp() counts as one that has returned.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_THREAD_SUBSCRIBE when the thread is bound to no stream, or its last one ends
 *	meanwhile; ACL_ERROR_RT_REPORT_TIMEOUT
 *	when nothing arrived, which is usual; ACL_ERROR_INVALID_PARAM for 0 and below -1;
 *	ACL_ERROR_RT_DRV_INTERNAL_ERROR when the device is gone.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/**
 * aclrtSubscribeReport - bind a thread to a stream, to run the stream's callbacks
 * @threadId: pthread_self() of the thread that calls aclrtProcessReport(), as an integer
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * A thread may serve several streams of one device, a stream has one thread.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_STREAM_SUBSCRIBE when the stream is bound already, or has functions of
 *	aclrtLaunchHostFunc() queued; ACL_ERROR_RT_THREAD_SUBSCRIBE when the thread serves another
 *	device; ACL_ERROR_RT_OVER_LIMIT for more than 1024 threads; ACL_ERROR_RT_PARAM_INVALID for
 *	threadId 0.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * aclrtUnSubscribeReport - undo aclrtSubscribeReport()
 * @threadId: the thread it was bound to
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Callbacks that are queued already still run in that thread.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_STREAM_SUBSCRIBE when the stream is bound to no thread;
 *	ACL_ERROR_RT_THREAD_SUBSCRIBE when it is bound to another.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/**
 * aclrtLaunchHostFunc - queue a host function in a stream; a thread of the runtime runs it, and
 *	the stream's later tasks wait for it
 * @stream: a stream of the current context's device; NULL means its default stream
 * @fn: function, not NULL; it must not allocate, launch or synchronise
 * @args: its argument
 *
 * These functions may not make the calls that aclrtLaunchCallback()'s may not make. One thread per device
 * runs these functions, one after the other; it has the stream's context.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID for fn NULL; ACL_ERROR_RT_STREAM_SUBSCRIBE when the stream is
 *	bound to a thread by aclrtSubscribeReport(), because the two cannot be mixed.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/**
 * aclrtProcessHostFunc - run functions of aclrtLaunchHostFunc() in the calling thread, which
 *	aclrtSubscribeHostFunc() has named
 * @timeout: milliseconds above 0 to wait for one, or -1 for no limit
 *
 * Return: as aclrtProcessReport().
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * aclrtRegDeviceStateCallback - name a function that is called around the set and reset of devices
 * @regName: 1 to 127 characters; one function per name, a later call replaces it
 * @callback: the function, or NULL to end its registration
 * @args: passed to it
 *
 * Called in the thread that calls aclrtSetDevice() or aclrtResetDevice(), before and, if that
 * succeeds, after it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or a bad name; ACL_ERROR_RT_PARAM_INVALID when there is no registration to end.
 */
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char *regName,
		aclrtDeviceStateCallback callback, void *args);

/**
 * aclrtRegStreamStateCallback - name a function that is called around the life of streams
 * @regName: 1 to 127 characters; one function per name, a later call replaces it
 * @callback: the function, or NULL to end its registration
 * @args: passed to it
 *
 * Called in the thread that makes or destroys a stream, after the one and before the other.
 * Streams that end with their context are not told.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or a bad name; ACL_ERROR_RT_PARAM_INVALID when there is no registration to end.
 */
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char *regName,
		aclrtStreamStateCallback callback, void *args);

/**
 * aclrtSubscribeHostFunc - bind a stream to a thread that runs its functions of
 *	aclrtLaunchHostFunc() by aclrtProcessHostFunc(), instead of a thread of the runtime
 * @hostFuncThreadId: pthread_self() of that thread
 * @exeStream: a stream of the current context's device; NULL means its default stream
 *
 * Return: as aclrtSubscribeReport().
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
		aclrtStream exeStream);

/**
 * aclrtUnSubscribeHostFunc - undo aclrtSubscribeHostFunc(); what is queued still runs in that
 * thread
 * @hostFuncThreadId: the thread
 * @exeStream: the stream
 *
 * Return: as aclrtUnSubscribeReport().
 */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId,
		aclrtStream exeStream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_CALLBACK_H_ */
