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

/**
 * aclrtGetDeviceResLimit - cores of a device that kernels of this process may use
 * @deviceId: device, in use or not
 * @type: ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE
 * @value: out, what aclrtSetDeviceResLimit() set, else all cores of the type
 *
 * Return: ACL_SUCCESS; 100000 for NULL or an unknown type; 107001 for an unknown device.
 */
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

/**
 * aclrtGetResInCurrentThread - limit for kernels on streams that have none of their own, in this
 * thread
 * @type: ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE
 * @value: out, the limit of the stream that the thread has adopted, if it has one and is of the
 *	thread's device, else that of the device, else all cores of the type
 *
 * Return: ACL_SUCCESS; 100000 for NULL or an unknown type; 107002 without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/**
 * aclrtGetStreamResLimit - cores that kernels of a stream may use
 * @stream: stream of the thread's device, NULL for the default stream
 * @type: ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE
 * @value: out, the stream's own limit, else that of its device, else all cores of the type
 *
 * Return: ACL_SUCCESS; 100000 for NULL or an unknown type; 107002; 107003 for a stream of another
 * device; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
		uint32_t *value);

/**
 * aclrtResetDeviceResLimit - kernels of this process may use all cores of a device again
 * @deviceId: device, in use or not
 *
 * Limits of streams stay.
 *
 * Return: ACL_SUCCESS; 107001 for an unknown device.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/**
 * aclrtResetStreamResLimit - a stream has no limits of its own any more
 * @stream: stream of the thread's device, NULL for the default stream
 *
 * Return: ACL_SUCCESS; 107002; 107003 for a stream of another device; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/**
 * aclrtSetDeviceResLimit - limit the cores of a device that a kernel of this process uses
 * @deviceId: device, in use or not
 * @type: ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE
 * @value: 1 to what the device has
 *
 * No more than so many blocks of a kernel run at any time; each kernel has the limit for itself.
 * For kernels of cube cores the limit of these counts, for those of vector cores theirs, for others
 * the smaller one; of a kernel of both, each cube and each vector part of a block counts. Kernels
 * whose blocks start all together must fit. What holds is decided by the launch, or, in a graph,
 * when it is recorded: the limit of the stream, else that of the stream that the thread has adopted
 * (aclrtUseStreamResInCurrentThread()), else that of the device. It stays until it is set anew or
 * reset, or the process ends.
 *
 * Return: ACL_SUCCESS; 100000 for an unknown type; 107000 for a value out of range; 107001 for an
 * unknown device; 207000 if the device or its driver cannot do it.
 */
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

/**
 * aclrtSetStreamResLimit - limit the cores that a kernel of a stream uses
 * @stream: stream of the thread's device, NULL for the default stream
 * @type: ACL_RT_DEV_RES_CUBE_CORE or ACL_RT_DEV_RES_VECTOR_CORE
 * @value: 1 to what the device has; more than the limit of the device is allowed
 *
 * As aclrtSetDeviceResLimit(), and instead of it. Tasks that are in the stream keep what they have.
 *
 * Return: ACL_SUCCESS; 100000 for an unknown type; 107000 for a value out of range; 107002; 107003
 * for a stream of another device; 107017; 207000 if the device or its driver cannot do it.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
		uint32_t value);

/**
 * aclrtUnuseStreamResInCurrentThread - end aclrtUseStreamResInCurrentThread()
 * @stream: the stream; it may have been destroyed
 *
 * Return: ACL_SUCCESS; 107000 if the thread has not adopted its limits; 107002; 107003 for a stream
 * of another device; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/**
 * aclrtUseStreamResInCurrentThread - adopt a stream's limits in this thread
 * @stream: stream of the thread's device, NULL for the default stream
 *
 * They hold for kernels that the thread launches on streams of the same device without limits of
 * their own, as they are then, and as long as the stream lives. A thread adopts one stream's at a
 * time.
 *
 * Return: ACL_SUCCESS; 107002; 107003 for a stream of another device; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_LIMITS_H_ */
