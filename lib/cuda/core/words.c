// SPDX-License-Identifier: MIT
/*
 * Sentences of libacl in a program of this API: its functions are named by those of this API that do the same, and
 * functions of this API as programs write them, without the versions of their symbols.
 */
#include <string.h>

#include "cuda/core/core.h"

static const struct cu_word acl_words[] = {
	{ "ACL_EVENT_IPC", "CU_EVENT_INTERPROCESS" },
	{ "ACL_EVENT_WAIT_EXTERNAL", "CU_EVENT_WAIT_EXTERNAL" },
	{ "ACL_HOST_REG_MAPPED", "CU_MEMHOSTREGISTER_DEVICEMAP" },
	{ "ACL_MODEL_RI_CAPTURE_MODE_RELAXED", "CU_STREAM_CAPTURE_MODE_RELAXED" },
	{ "ACL_STREAM_WAIT_VALUE_", "CU_STREAM_WAIT_VALUE_" },
	{ "aclmdlRICaptureEnd", "cuStreamEndCapture" },
	{ "aclmdlRICaptureThreadExchangeMode", "cuThreadExchangeStreamCaptureMode" },
	{ "aclmdlRIDestroy", "cuGraphDestroy" },
	{ "aclrtBinaryGetFunction", "cuModuleGetFunction" },
	{ "aclrtBinaryUnLoad", "cuModuleUnload" },
	{ "aclrtCreateEventExWithFlag", "cuEventCreate" },
	{ "aclrtCreateStream", "cuStreamCreate" },
	{ "aclrtDestroyContext", "cuCtxDestroy" },
	{ "aclrtDestroyEvent", "cuEventDestroy" },
	{ "aclrtDestroyStream", "cuStreamDestroy" },
	{ "aclrtDeviceEnablePeerAccess", "cuCtxEnablePeerAccess" },
	{ "aclrtFree", "cuMemFree" },
	{ "aclrtFreeHost", "cuMemFreeHost" },
	{ "aclrtGetDeviceCount", "cuDeviceGetCount" },
	{ "aclrtHostRegister", "cuMemHostRegister" },
	{ "aclrtHostRegisterV2", "cuMemHostRegister" },
	{ "aclrtHostUnregister", "cuMemHostUnregister" },
	{ "aclrtIpcMemClose", "cuIpcCloseMemHandle" },
	{ "aclrtIpcMemGetExportKey", "cuIpcGetMemHandle" },
	{ "aclrtLaunchCallback", "cuStreamAddCallback" },
	{ "aclrtLaunchHostFunc", "cuLaunchHostFunc" },
	{ "aclrtLaunchKernelWithHostArgs", "cuLaunchKernel" },
	{ "aclrtMalloc", "cuMemAlloc" },
	{ "aclrtMallocHost", "cuMemHostAlloc" },
	{ "aclrtMapMem", "cuMemMap" },
	{ "aclrtMemAllocManaged", "cuMemAllocManaged" },
	{ "aclrtMemGetAllocationGranularity", "cuMemGetAllocationGranularity" },
	{ "aclrtMemPoolFreeAsync", "cuMemFreeAsync" },
	{ "aclrtMemPoolMallocAsync", "cuMemAllocFromPoolAsync" },
	{ "aclrtMemSetAccess", "cuMemSetAccess" },
	{ "aclrtMemcpy", "cuMemcpy" },
	{ "aclrtMemcpy2d", "cuMemcpy2D" },
	{ "aclrtMemset", "cuMemsetD8" },
	{ "aclrtMemsetD32", "cuMemsetD32" },
	{ "aclrtQueryEventStatus", "cuEventQuery" },
	{ "aclrtRecordEvent", "cuEventRecord" },
	{ "aclrtReserveMemAddress", "cuMemAddressReserve" },
	{ "aclrtResetDevice", "cuDevicePrimaryCtxReset" },
	{ "aclrtResetDeviceForce", "cuDevicePrimaryCtxReset" },
	{ "aclrtSetCurrentContext", "cuCtxSetCurrent" },
	{ "aclrtSynchronizeDevice", "cuCtxSynchronize" },
	{ "aclrtSynchronizeEvent", "cuEventSynchronize" },
	{ "aclrtSynchronizeStream", "cuStreamSynchronize" },
	{ "aclrtUnmapMem", "cuMemUnmap" },
	{ "aclrtValueWait", "cuStreamWaitValue32" },
	{ "aclrtValueWrite", "cuStreamWriteValue32" },
};

static const char *find(const struct cu_word *list, unsigned int count, const char *word, size_t n)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!strncmp(list[i].from, word, n) && !list[i].from[n])
			return list[i].to;
	return NULL;
}

const char *cu_word(const char *word, size_t n)
{
	const char *to = find(acl_words, CU_COUNT(acl_words), word, n);

	return to ? to : find(cu_symbols, cu_symbol_count, word, n);
}
