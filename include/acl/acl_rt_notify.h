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
 * @flag: ACL_NOTIFY_* bits
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/**
 * aclrtDestroyNotify - free a notify
 * @notify: notify handle
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/**
 * aclrtGetNotifyId - number of a notify
 * @notify: notify handle
 * @notifyId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/**
 * aclrtRecordNotify - queue a signal
 * @notify: notify handle
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/**
 * aclrtWaitAndResetNotify - queue a wait for a signal that then clears it
 * @notify: notify handle
 * @stream: a stream of the current context's device; NULL means its default stream
 * @timeout: seconds, 0 for no limit
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
		uint32_t timeout);

/* Counting signal */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);

/* Free it */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/* Id */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/* Queue set/add/or/and */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
		aclrtCntNotifyRecordInfo *info);

/* Queue clear */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/* Queue compare-wait */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
		aclrtStream stream, aclrtCntNotifyWaitInfo *info);

/* Clear many */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_NOTIFY_H_ */
