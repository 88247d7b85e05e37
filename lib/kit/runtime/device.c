// SPDX-License-Identifier: MIT
/* Devices, streams, events and memory: each call is one of libascendcl.so. */
#include <stdio.h>

#include <runtime/rt.h>

#include "front.h"

rtError_t rtSetDevice(int32_t devId)
{
	return aclrtSetDevice(devId);
}

rtError_t rtGetDevice(int32_t *devId)
{
	return aclrtGetDevice(devId);
}

rtError_t rtGetDeviceCount(int32_t *count)
{
	uint32_t n;
	int err;

	if (!count)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "count is NULL");
	err = aclrtGetDeviceCount(&n);
	if (!err)
		*count = (int32_t)n;
	return err;
}

rtError_t rtDeviceReset(int32_t devId)
{
	return aclrtResetDevice(devId);
}

rtError_t rtDeviceSynchronize(void)
{
	return aclrtSynchronizeDevice();
}

rtError_t rtGetSocVersion(char_t *version, const uint32_t maxLen)
{
	const char *name;

	if (!version || !maxLen)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "version is %s and maxLen is %u",
				version ? "an address" : "NULL", maxLen);
	name = aclrtGetSocName();
	if (!name)
		return aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
	snprintf(version, maxLen, "%s", name);
	return RT_ERROR_NONE;
}

rtError_t rtGetAiCoreCount(uint32_t *aiCoreCnt)
{
	int32_t device = 0;
	int64_t value;
	int err;

	if (!aiCoreCnt)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "aiCoreCnt is NULL");
	/* launchers ask before they set a device: then the first one answers */
	if (aclrtGetDevice(&device))
		device = 0;
	err = aclrtGetDeviceInfo((uint32_t)device, ACL_DEV_ATTR_AICORE_CORE_NUM, &value);
	if (!err)
		*aiCoreCnt = (uint32_t)value;
	return err;
}

rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority)
{
	return rtStreamCreateWithFlags(stm, priority, RT_STREAM_DEFAULT);
}

rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags)
{
	if (flags)
		return kit_fail("rtStreamCreateWithFlags", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"flags are 0x%x and only 0 (RT_STREAM_DEFAULT) is built; "
				"aclrtCreateStreamWithConfig() has flags of its own", flags);
	return aclrtCreateStreamWithConfig(stm, (uint32_t)priority, 0);
}

rtError_t rtStreamDestroy(rtStream_t stm)
{
	return aclrtDestroyStream(stm);
}

rtError_t rtStreamSynchronize(rtStream_t stm)
{
	return aclrtSynchronizeStream(stm);
}

rtError_t rtStreamQuery(rtStream_t stm)
{
	aclrtStreamStatus status;
	int err = aclrtStreamQuery(stm, &status);

	if (!err && status != ACL_STREAM_STATUS_COMPLETE)
		return ACL_ERROR_RT_STREAM_NOT_COMPLETE;
	return err;
}

rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt)
{
	return aclrtStreamWaitEvent(stm, evt);
}

rtError_t rtEventCreate(rtEvent_t *evt)
{
	return aclrtCreateEvent(evt);
}

rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm)
{
	return aclrtRecordEvent(evt, stm);
}

rtError_t rtEventSynchronize(rtEvent_t evt)
{
	return aclrtSynchronizeEvent(evt);
}

rtError_t rtEventElapsedTime(float *timeInterval, rtEvent_t startEvent, rtEvent_t endEvent)
{
	return aclrtEventElapsedTime(timeInterval, startEvent, endEvent);
}

rtError_t rtEventDestroy(rtEvent_t evt)
{
	return aclrtDestroyEvent(evt);
}
