/* SPDX-License-Identifier: MIT */
/*
 * Limits of time and cores.
 */
#ifndef _ACL_RT_LIMITS_H_
#define _ACL_RT_LIMITS_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtSetOpExecuteTimeOut - limit of the run time of one kernel in this process
 * @timeout: seconds, 0 for no limit
 *
 * A launch attribute beats it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutV2 - as aclrtSetOpExecuteTimeOut(), finer
 * @timeout: microseconds, 0 for no limit
 * @actualTimeout: out, what holds after rounding to the device's unit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/**
 * aclrtDeviceGetLimit - a limit of the thread's device
 * @limit: ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, or ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE
 * @value: out, bytes
 *
 * Return: ACL_SUCCESS; 100000 for NULL or a limit that does not exist; 207000 for those of SIMT
 * units; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value);

/**
 * aclrtDeviceSetLimit - change a limit of the thread's device, for this process
 * @limit: as for aclrtDeviceGetLimit()
 * @value: bytes; of the printf FIFO 1024 to 2^30 / cores: the process's print buffer has this for
 *	each AI core, in one piece for all of them. A stack of up to what there is is granted.
 *
 * Return: ACL_SUCCESS; 100000 for a limit that does not exist or a value out of range; 207000 for
 * limits of SIMT units, and a stack larger than it is; 507004 while tasks run; 207001; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/* Cores usable per process */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
		uint32_t *value);

/**
 * aclrtGetOpExecuteTimeout - limit of the run time of kernels that are launched without one
 * @timeoutMs: out, milliseconds; 0 for no limit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t * const timeoutMs);

/**
 * aclrtGetOpTimeOutInterval - unit in which the device counts run time
 * @interval: out, microseconds
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/* Effective limit here */
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/* Cores usable per stream */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
		uint32_t *value);

/* Restore */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/* Restore */
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/* Set */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
		uint32_t value);

/**
 * aclrtSetOpExecuteTimeOutWithMs - as aclrtSetOpExecuteTimeOut(), in milliseconds
 * @timeout: milliseconds, 0 for no limit
 *
 * A launch attribute beats it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/* Set */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
		uint32_t value);

/* Stop */
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/* Adopt a stream's limit in a thread */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_LIMITS_H_ */
