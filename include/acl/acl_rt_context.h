/* SPDX-License-Identifier: MIT */
/*
 * Contexts.
 */
#ifndef _ACL_RT_CONTEXT_H_
#define _ACL_RT_CONTEXT_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtCreateContext - make a context with a default stream on a device and make it this thread's
 *	current one
 * @context: out
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 *
 * Needs no aclrtSetDevice().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/**
 * aclrtDestroyContext - destroy a context made by aclrtCreateContext(), after waiting for its work
 * @context: context handle
 *
 * Its streams are freed with it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no such context; default contexts are
 *	refused and end with aclrtResetDevice().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/**
 * aclrtGetCurrentContext - this thread's context, which may be a device's default one
 * @context: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL when there is none.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/**
 * aclrtSetCurrentContext - make a context, and so its device, this thread's current one
 * @context: context handle
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no context.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/**
 * aclrtCtxGetCurrentDefaultStream - handle of the current context's default stream, the one NULL
 *	stands for
 * @stream: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/**
 * aclrtCtxSetSysParamOpt - set an option of the current context
 * @opt: which
 * @value: 1 on, 0 off
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for an unknown option or another value; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * aclrtGetPrimaryCtxState - does a device's default context exist in this process
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @flags: out, always 0; may be NULL
 * @active: out, 1 or 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags,
		int32_t *active);

/**
 * aclrtCtxGetFloatOverflowAddr - where kernels note overflows of streams without a tag
 * @overflowAddr: out, device address of the 64 bytes that aclrtGetOverflowStatus() copies, for
 *	operators and for copies, as long as the device is in use
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_FEATURE_NOT_SUPPORT on an older device.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/**
 * aclrtCtxGetSysParamOpt - read an option of the current context
 * @opt: which
 * @value: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown option; ACL_ERROR_RT_PARAM_INVALID when it was never set in this
 *	context; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_CONTEXT_H_ */
