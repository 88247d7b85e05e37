/* SPDX-License-Identifier: MIT */
/*
 * Devices: choice, synchronisation, properties, peers, groups of cores.
 */
#ifndef _ACL_RT_DEVICE_H_
#define _ACL_RT_DEVICE_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtGetDevice - number of the device that this thread's context belongs to
 * @deviceId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL when the thread has no context.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/**
 * aclrtGetDeviceCount - number of devices that this process can use
 * @count: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_NO_DEVICE when none is found, ACL_ERROR_RT_NO_PERMISSION when this
 *	user may not open it; the message has the reason and what to do.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/**
 * aclrtGetRunMode - where the program runs: on the host of a device or on the device itself
 * @runMode: out, always ACL_HOST here
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/**
 * aclrtResetDevice - undo one aclrtSetDevice()
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 *
 * The last one waits for the default context's work, then frees its streams and memory. Destroy
 * events, streams and explicit contexts first.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_INVALID_DEVICEID for a device that is not set.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/**
 * aclrtResetDeviceForce - as aclrtResetDevice(), but frees at once whatever the count is
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 *
 * It waits for the tasks of the default context while they get on: if none ends within 5 s, the device
 * stops the one that runs, and the others are dropped.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_INVALID_DEVICEID for a device that is not set, so also on a second call.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/**
 * aclrtSetDevice - choose the device of this thread
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 *
 * The first call in the process creates the device's default context and default stream, which all
 * threads share; each call adds a reference for aclrtResetDevice().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_INVALID_DEVICEID for an unknown number, or when the driver is missing.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/**
 * aclrtSynchronizeDevice - wait for all work of the current context's device
 *
 * It waits for what was queued before the call, also in streams that other threads destroy. Safe from
 * several threads at once.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_CONTEXT_NULL without a context; the code of a task that failed since the last
 *	synchronisation, 5070xx.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/**
 * aclrtDeviceCanAccessPeer - can two devices exchange data directly
 * @canAccessPeer: out, 1 or 0
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @peerDeviceId: the other device
 *
 * Two different devices can; operators reach the memory of their own device, and of those that
 * aclrtDeviceEnablePeerAccess() has opened.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107001 for a device that does not exist.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
		int32_t peerDeviceId);

/**
 * aclrtDeviceDisablePeerAccess - close the current device's access to a peer's memory
 * @peerDeviceId: the other device
 *
 * Copies between devices work on, they need no access. Operators that still use the peer's memory
 * fail.
 *
 * Return: ACL_SUCCESS; 107001 for a device that does not exist; 107000 for the current device, or
 * if it is not open; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/**
 * aclrtDeviceEnablePeerAccess - open the current device's access to a peer's memory, in this
 *	direction only
 * @peerDeviceId: the other device
 * @flags: must be 0
 *
 * Operators and tasks of the current device reach all memory that the program has allocated or
 * mapped on the peer, and what it will, at the same addresses; its rights are those of the peer.
 * Each allocation on the peer takes somewhat longer. Once more changes nothing.
 *
 * Return: ACL_SUCCESS; 100000 for flags; 107001 for a device that does not exist; 107000 for the
 * current device; 107002; 207001.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/**
 * aclrtDeviceGetStreamPriorityRange - range of values for stream priorities; the smaller number is
 *	served first
 * @leastPriority: out, the lowest priority
 * @greatestPriority: out, the highest priority
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
		int32_t *greatestPriority);

/**
 * aclrtDevicePeerAccessStatus - is peer access open from one device to another
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @peerDeviceId: the other device
 * @status: out, 1 or 0
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107001 for a device that does not exist.
 */
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
		int32_t *status);

/**
 * aclrtGetDeviceInfo - one number about a device: cores, memory sizes, ids
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @attr: which
 * @value: out; sizes in bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown attribute; ACL_ERROR_RT_INVALID_DEVICEID;
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for what the device does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
		int64_t *value);

/**
 * aclrtGetLogicDevIdByUserDevId - the runtime's number of a device
 * @userDevid: the program's number: a position in ASCEND_RT_VISIBLE_DEVICES, or without that
 *	variable the machine's number
 * @logicDevId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
		int32_t * const logicDevId);

/**
 * aclrtGetPhyDevIdByLogicDevId - the machine's number of a device; here both are the same
 * @logicDevId: the runtime's number
 * @phyDevId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
		int32_t * const phyDevId);

/**
 * aclrtQueryDeviceStatus - does a device work
 * @deviceId: device number, from 0 to aclrtGetDeviceCount() - 1
 * @deviceStatus: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
		aclrtDeviceStatus *deviceStatus);

/**
 * aclrtSetDeviceSatMode - choose what floating point overflow gives on the current device: the
 *	largest finite value or infinity
 * @mode: ACL_RT_OVERFLOW_MODE_SATURATION or ACL_RT_OVERFLOW_MODE_INFNAN
 *
 * Kernels of streams that this process makes from now on start in that mode, and those of default
 * streams; streams that exist keep theirs. In saturation mode NaN becomes 0. The operator itself
 * may change the mode.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for another mode; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/**
 * aclrtSynchronizeDeviceWithTimeout - as aclrtSynchronizeDevice(), for a limited time
 * @timeout: milliseconds above 0, or -1 for no limit
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_STREAM_SYNC_TIMEOUT when it expires, the work goes on.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/**
 * aclGetDeviceCapability - a number that describes a device
 * @deviceId: device
 * @deviceInfo: cores, vector cores or bytes of second-level cache
 * @value: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 */
ACL_FUNC_VISIBILITY aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,
		int64_t *value);

/**
 * aclrtDeviceGetByPCIBusId - the device at a PCI address
 * @pciBusId: as aclrtDeviceGetPCIBusId() writes it, in upper or lower case
 * @deviceId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when no device is there.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId);

/**
 * aclrtDeviceGetHostAtomicCapabilities - ask which atomic operations work between a device and the
 *	host
 * @capabilities: out, ACL_RT_ATOMIC_CAPABILITY_* bits for each operation
 * @operations: ACL_RT_ATOMIC_OPERATION_*
 * @count: how many, above 0
 * @deviceId: device number
 *
 * None: atomic copies of the cores are atomic among themselves only.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0 or an unknown operation; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
		const aclrtAtomicOperation *operations, const uint32_t count, int32_t deviceId);

/**
 * aclrtDeviceGetP2PAtomicCapabilities - ask which atomic operations work between two devices
 * @capabilities: out, ACL_RT_ATOMIC_CAPABILITY_* bits for each operation
 * @operations: ACL_RT_ATOMIC_OPERATION_*
 * @count: how many, above 0
 * @srcDeviceId: device number
 * @dstDeviceId: number of another device
 *
 * None.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0 or an unknown operation; ACL_ERROR_RT_INVALID_DEVICEID;
 *	ACL_ERROR_RT_PARAM_INVALID for one device.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
		const aclrtAtomicOperation *operations, const uint32_t count, int32_t srcDeviceId,
		int32_t dstDeviceId);

/**
 * aclrtDeviceGetPCIBusId - the PCI address of a device
 * @deviceId: device
 * @pciBusId: out, for example "0000:00:04.0"
 * @len: bytes there, at least 13
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device;
 *	ACL_ERROR_RT_PARAM_INVALID when len is too small.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len);

/**
 * aclrtDeviceGetUuid - what tells a device from others
 * @deviceId: device number
 * @uuid: out, 16 bytes: the letters ANPU, vendor and device number, and the PCI address, the high
 *	byte first
 *
 * Unique in the machine, and the same as long as the device stays in its place.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/**
 * aclrtDeviceL2CacheFlush - write an L2 cache back
 * @rsv: NULL
 *
 * The current device has no cache between cores and memory: nothing is to be done.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM;
 *	ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceL2CacheFlush(void *rsv);

/**
 * aclrtGetDeviceCapability - ask whether a device has a feature
 * @deviceId: device number
 * @devFeatureType: ACL_FEATURE_*
 * @value: out, ACL_DEV_FEATURE_NOT_SUPPORT: there is no device CPU and there are no memory queues
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown feature; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId,
		aclrtDevFeatureType devFeatureType, int32_t *value);

/**
 * aclrtGetDeviceSatMode - what floating point overflow gives on the current device
 * @mode: out, ACL_RT_OVERFLOW_MODE_INFNAN unless it was changed
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/**
 * aclrtGetDeviceUtilizationRate - how busy a device is, in percent
 * @deviceId: device number; the process need not use it
 * @utilizationInfo: out: cubeUtilization and vectorUtilization are the part of the AI cores that
 *	had operators with this unit, of all processes, since the process's last call for the
 *	device, at its first since the device was switched on; memoryUtilization is the part of the
 *	device's memory that is in use now; aicpuUtilization is 0, as there is none.
 *	utilizationExtend is reserved and left as it is
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107001; 207000 with an old driver or device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
		aclrtUtilizationInfo *utilizationInfo);

/**
 * aclrtGetDevicesTopo - ask what lies between two devices
 * @deviceId: device number
 * @otherDeviceId: number of another one
 * @value: out, ACL_RT_DEVS_TOPOLOGY_PIX behind one PCI bridge, PIB behind several, PHB when only
 *	the host bridge is common, SYS for different host bridges
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_PARAM_INVALID for one device;
 *	ACL_ERROR_RT_DRV_INTERNAL_ERROR without sysfs.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
		uint64_t *value);

/**
 * aclrtGetFloatOverflowStatus - as aclrtGetOverflowStatus()
 * @outputAddr: device memory of 64 bytes that receives the status
 * @outputSize: 64
 * @stream: stream handle; NULL means the default stream
 *
 * Return: as aclrtGetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize,
		aclrtStream stream);

/**
 * aclrtGetLogicDevIdByPhyDevId - the runtime's number of a device; here both are the same
 * @phyDevId: the machine's number
 * @logicDevId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
		int32_t * const logicDevId);

/**
 * aclrtGetOverflowStatus - queue a task that tells whether floating-point results have overflowed
 * @outputAddr: device memory of 64 bytes that receives the status: a uint32_t, and zeros
 * @outputSize: 64
 * @stream: stream handle; NULL means the default stream
 *
 * The status is not 0 if, since the last aclrtResetOverflowStatus(), a kernel of this process on
 * this device has overflowed: bit 0 when finite numbers gave infinity, bit 1 when numbers gave NaN.
 * Only kernels count that were launched while aclrtSetStreamOverflowSwitch() was on for their
 * stream, and only those of streams with the same ACL_STREAM_ATTR_USER_CUSTOM_TAG as this one.
 * Kernels of this stream that were launched before have noted theirs; of other streams, those that
 * have ended.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for another size or memory that the device cannot
 *	reach; ACL_ERROR_RT_FEATURE_NOT_SUPPORT on an older device; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize,
		aclrtStream stream);

/**
 * aclrtGetPhyDevIdByUserDevId - the machine's number of a device
 * @userDevId: the program's number, see aclrtGetLogicDevIdByUserDevId()
 * @phyDevId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
		int32_t * const phyDevId);

/**
 * aclrtGetUserDevIdByLogicDevId - the program's number of a device
 * @logicDevId: the runtime's number
 * @userDevid: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device, or this program does
 *	not see it.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
		int32_t * const userDevid);

/**
 * aclrtGetUserDevIdByPhyDevId - the program's number of a device
 * @phyDevId: the machine's number
 * @userDevId: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_DEVICEID when there is no such device, or this program does
 *	not see it.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
		int32_t * const userDevId);

/**
 * aclrtNpuClearFloatOverFlowStatus - as aclrtResetOverflowStatus()
 * @checkMode: 0
 * @stream: stream handle; NULL means the default stream
 *
 * Return: as aclrtResetOverflowStatus(); ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @checkMode.
 */
ACL_FUNC_VISIBILITY aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
		aclrtStream stream);

/**
 * aclrtNpuGetFloatOverFlowStatus - as aclrtGetOverflowStatus()
 * @outputAddr: device memory of 64 bytes that receives the status itself
 * @outputSize: 64
 * @checkMode: 0
 * @stream: stream handle; NULL means the default stream
 *
 * Return: as aclrtGetOverflowStatus(); ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @checkMode.
 */
ACL_FUNC_VISIBILITY aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize,
		uint32_t checkMode, aclrtStream stream);

/**
 * aclrtResetFloatOverflowStatus - as aclrtResetOverflowStatus()
 * @stream: stream handle; NULL means the default stream
 *
 * Return: as aclrtResetOverflowStatus().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/**
 * aclrtResetOverflowStatus - queue a task that makes the overflow status 0 again
 * @stream: stream handle, whose tag says which status; NULL means the default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT on an older device; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/**
 * aclrtSetTsDevice - choose the task scheduler
 * @tsId: ACL_TS_ID_AICORE or ACL_TS_ID_AIVECTOR
 *
 * There is one, which has all cores: no effect.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM;
 *	ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/* Group info object */
ACL_FUNC_VISIBILITY aclrtGroupInfo *aclrtCreateGroupInfo(void);

/* Free it */
ACL_FUNC_VISIBILITY aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);

/* Fill it */
ACL_FUNC_VISIBILITY aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);

/* Groups count */
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t *count);

/* Read one field */
ACL_FUNC_VISIBILITY aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo,
		int32_t groupIndex, aclrtGroupAttr attr, void *attrValue, size_t valueLen,
		size_t *paramRetSize);

/* Core group partition of old inference parts */
ACL_FUNC_VISIBILITY aclError aclrtSetGroup(int32_t groupId);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_DEVICE_H_ */
