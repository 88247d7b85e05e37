/* SPDX-License-Identifier: MIT */
/*
 * Notifies: signals between streams.
 */
#ifndef _ACL_RT_NOTIFY_H_
#define _ACL_RT_NOTIFY_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtCreateNotify - make a one-shot signal between streams
 * @notify: out
 * @flag: ACL_NOTIFY_DEFAULT
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or another flag; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for ACL_NOTIFY_DEVICE_USE_ONLY;
 *	ACL_ERROR_RT_CONTEXT_NULL without a context; ACL_ERROR_RT_NO_NOTIFY_RESOURCE when there are
 *	too many handles.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/**
 * aclrtDestroyNotify - free a notify; tasks that use it still can
 * @notify: notify handle
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * aclrtGetNotifyId - number of a notify
 * @notify: notify handle
 * @notifyId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/**
 * aclrtRecordNotify - queue a signal
 * @notify: notify handle
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify;
 *	ACL_ERROR_RT_STREAM_CONTEXT when notify and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/**
 * aclrtWaitAndResetNotify - queue a wait for a signal that then clears it
 * @notify: notify handle
 * @stream: a stream of the current context's device; NULL means its default stream
 * @timeout: seconds, 0 for no limit
 *
 * Asynchronous. A wait that expires is a failure of the stream.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify;
 *	ACL_ERROR_RT_STREAM_CONTEXT when notify and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
		uint32_t timeout);

/**
 * aclrtCntNotifyCreate - make a counting notify: a number of 32 bits that tasks change and compare
 * @cntNotify: out; its number is 0
 * @flag: ACL_NOTIFY_DEFAULT
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtCreateNotify().
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);

/**
 * aclrtCntNotifyDestroy - free a counting notify; tasks that use it still can
 * @cntNotify: handle
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/**
 * aclrtCntNotifyGetId - number of a counting notify
 * @cntNotify: handle
 * @notifyId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/**
 * aclrtCntNotifyRecord - queue a change of a counting notify's number
 * @cntNotify: handle
 * @stream: a stream of the current context's device; NULL means its default stream
 * @info: mode: set, add (which wraps), or, and; and the value. Read before the call returns
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown mode; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify;
 *	ACL_ERROR_RT_STREAM_CONTEXT when notify and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
		aclrtCntNotifyRecordInfo *info);

/**
 * aclrtCntNotifyReset - queue setting a counting notify to 0
 * @cntNotify: handle
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify;
 *	ACL_ERROR_RT_STREAM_CONTEXT when notify and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/**
 * aclrtCntNotifyWaitWithTimeout - queue a wait for a counting notify
 * @cntNotify: handle
 * @stream: a stream of the current context's device; NULL means its default stream
 * @info: mode: number less than, equal to, greater than, at least the value, or with the bit mask
 *	mode all bits of the value set; the value; timeout in seconds, 0 for no limit; isClear 1 to
 *	set the number to 0 in the same step. Read before the call returns
 *
 * Asynchronous. A wait that expires is a failure of the stream.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown mode; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify;
 *	ACL_ERROR_RT_STREAM_CONTEXT when notify and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
		aclrtStream stream, aclrtCntNotifyWaitInfo *info);

/**
 * aclrtNotifyBatchReset - clear notifies at once, not in a stream's order
 * @notifies: notify handles
 * @num: how many, at least 1
 *
 * None is cleared if one of the handles is wrong.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_INVALID_HANDLE for what is no such notify.
 */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_NOTIFY_H_ */
