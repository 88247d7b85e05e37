/* SPDX-License-Identifier: MIT */
/*
 * Streams: in-order queues of tasks.
 */
#ifndef _ACL_RT_STREAM_H_
#define _ACL_RT_STREAM_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtCreateStream - make an in-order queue of tasks on the current context's device
 * @stream: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL without a context; ACL_ERROR_RT_NO_STREAM_RESOURCE when
 *	the device has no queue left; ACL_ERROR_RT_MEMORY_ALLOCATION when it has no memory for one.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/**
 * aclrtDestroyStream - wait for a stream's work, then free it
 * @stream: handle, not NULL
 *
 * Default streams are freed with their context instead. The stream takes no more work from now on.
 * Another thread can end the wait with aclrtStreamAbort(), aclrtStreamStop(), aclrtDeviceTaskAbort()
 * or aclrtDestroyStreamForce(); this call succeeds then, too.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no stream; ACL_ERROR_RT_STREAM_CONTEXT
 *	from a thread of another device.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/**
 * aclrtSynchronizeStream - wait until everything queued in a stream has run
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * A failure of a task shows here: the first one's code is returned, the message says which kernel,
 * block, pc and address, and how many more failed. Every thread that waits meanwhile is told; a thread
 * that begins to wait when somebody was told is told of newer failures only.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_INVALID_HANDLE; 5070xx of the failed task.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * aclrtCreateStreamWithConfig - as aclrtCreateStream(), with a priority and properties
 * @stream: out
 * @priority: 0 is served first, see aclrtDeviceGetStreamPriorityRange()
 * @flag: ACL_STREAM_* bits
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
		uint32_t flag);

/**
 * aclrtDestroyStreamForce - free a stream at once; work that has not run is dropped
 * @stream: handle, not NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * aclrtSetStreamAttribute - change one property of a stream
 * @stream: a stream of the current context's device; NULL means its default stream
 * @stmAttrType: which
 * @value: its new value
 *
 * The failure mode is as by aclrtSetStreamFailureMode(), the tag any number, the priority as by
 * aclrtCreateStreamWithConfig() and from the next task on. Overflow checks are always off. The
 * switch ACL_STREAM_ATTR_CACHE_OP_INFO is for who asks for it: the library keeps it and does
 * nothing else.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or a value or attribute that does not exist; 207000 for what
 * cannot be changed; 107000, 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream,
		aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/**
 * aclrtSetStreamFailureMode - choose what follows a failed task: ACL_CONTINUE_ON_FAILURE goes on
 *	with the next, ACL_STOP_ON_FAILURE drops the rest and refuses new work in all streams of the
 *	context
 * @stream: a stream of the current context's device; NULL means its default stream
 * @mode: one of the two
 *
 * Once per stream. When a task of a stream of the context fails, all its streams stop, those of
 * other contexts go on. Synchronising the stream that failed returns the failure's code; from then
 * on, and for the others, it is ACL_ERROR_RT_TASK_ABORT_STOP, as for launches. aclrtStreamAbort()
 * drops what was queued and lets a stream go on. (With a driver before 1.4 each stops at its own
 * first failure.)
 *
 * Return: ACL_SUCCESS; 100000 for another mode; 107000 if it was set before, or another stream of
 * the context has ACL_STOP_ON_FAILURE; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/**
 * aclrtStreamAbort - kill a stream's running task and drop its queued ones
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Threads that wait for it get ACL_ERROR_RT_STREAM_ABORT. The stream takes new tasks afterwards.
 * Events whose record was dropped never happen, and streams that wait for them wait on; callbacks
 * that were dropped do not run.
 *
 * Return: ACL_SUCCESS; 107002, 107003, 107017; 207000 with an old driver.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/**
 * aclrtStreamGetId - number of a stream, unique in the process while it lives
 * @stream: a stream of the current context's device; NULL means its default stream
 * @streamId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/**
 * aclrtStreamQuery - has everything queued in a stream run
 * @stream: a stream of the current context's device; NULL means its default stream
 * @status: out
 *
 * Does not wait.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; 5070xx of a failed task.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/**
 * aclrtSynchronizeStreamWithTimeout - as aclrtSynchronizeStream(), for a limited time
 * @stream: a stream of the current context's device; NULL means its default stream
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for other values; ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when it expires, the work goes on.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * aclrtCreateStreamConfigHandle - make an object for the options of a stream
 *
 * Return: the object, to be freed with aclrtDestroyStreamConfigHandle(); NULL without memory.
 */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);

/**
 * aclrtCreateStreamV2 - make a stream with the options of an object
 * @stream: out
 * @handle: the object; NULL for the options of aclrtCreateStream()
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; as aclrtCreateStreamWithConfig().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream,
		const aclrtStreamConfigHandle *handle);

/**
 * aclrtDestroyStreamConfigHandle - free an object with options, not the streams made with it
 * @handle: the object
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * aclrtGetStreamAttribute - one property of a stream
 * @stream: a stream of the current context's device; NULL means its default stream
 * @stmAttrType: which
 * @value: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL or an attribute that does not exist; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream,
		aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/**
 * aclrtGetStreamAvailableNum - how many more streams can be made
 * @streamCount: out: the device's queues without those of this process; other processes may have
 *	some of them
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * aclrtGetStreamOverflowSwitch - ask whether overflows in a stream are checked
 * @stream: stream handle; NULL means the default stream
 * @flag: out, 1 or 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/**
 * aclrtPersistentTaskClean - drop the tasks of a persistent stream
 * @stream: a stream that was made with ACL_STREAM_PERSISTENT
 *
 * The graph that it is bound to is being built again from then on; without one there is nothing to
 * drop.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 for another stream; 107037 while the graph is
 * executed; 207000 if the graph has events of its outside; 107002, 107003, 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * aclrtSetStreamConfigOpt - put an option into an object
 * @handle: the object
 * @attr: ACL_RT_STREAM_FLAG (size_t), ACL_RT_STREAM_PRIORITY (uint32_t),
 * 	ACL_RT_STREAM_WORK_ADDR_PTR (void *)
 *	or ACL_RT_STREAM_WORK_SIZE (size_t); streams need no work memory and leave it alone
 * @attrValue: its value
 * @valueSize: bytes of the value
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, an unknown option or another size.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
		aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize);

/**
 * aclrtSetStreamOverflowSwitch - check overflows in a stream, or not
 * @stream: stream handle; NULL means the default stream
 * @flag: 1: overflows of kernels that are launched from now on are noted; 0: they are not, which is
 *	how streams begin, and faster
 *
 * See aclrtGetOverflowStatus(). It works in both modes of aclrtSetDeviceSatMode().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for 1 on an older device; ACL_ERROR_INVALID_PARAM for
 *	more; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/**
 * aclrtStreamGetFlags - flags that a stream was made with
 * @stream: a stream; NULL means the current context's default stream
 * @flags: out, ACL_STREAM_* bits
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/**
 * aclrtStreamGetPriority - priority of a stream
 * @stream: a stream; NULL means the current context's default stream
 * @priority: out, 0 is the highest
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);

/**
 * aclrtStreamStop - stop the task that runs now, and only it
 * @stream: a stream of the current context's device, not NULL
 *
 * The task has failed: what is behind it goes on, or stops, by the stream's failure mode. The next
 * synchronisation of the stream says ACL_ERROR_RT_TASK_ABORT_STOP, once, and exception callbacks
 * are called. A graph is one task here. When the call returns, the task does no more. Nothing
 * happens if no task runs, or if it has just ended; a function of the program that a stream waits
 * for is not stopped, but the stream goes on.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107002, 107003, 107017; 207000 with an old driver or
 * device.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_STREAM_H_ */
