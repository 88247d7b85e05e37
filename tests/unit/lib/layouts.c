/* SPDX-License-Identifier: MIT */
/*
 * Sizes and offsets that programs compiled elsewhere rely on: compiling is the test, as C and C++.
 */
#include <stddef.h>

#include <acl/acl.h>
#include <acl/acl_base.h>
#include <acl/acl_rt.h>
#include <acl/acl_rt_memory_soma.h>

/* Language standards before C11 and C++11 have no static_assert: an array of negative size instead */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#if (defined(__cplusplus) && __cplusplus >= 201103L)
#define CHECK(what, text) static_assert(what, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CHECK(what, text) _Static_assert(what, text)
#else
#define CHECK(what, text) typedef char JOIN(check_, __LINE__)[(what) ? 1 : -1]
#endif

#define SIZE(type, size) CHECK(sizeof(type) == (size), #type " has another size")
#define OFFSET(type, field, at) \
	CHECK(offsetof(type, field) == (at), #type "." #field " is at another offset")
#define VALUE(name, value) CHECK((int64_t)(name) == (value), #name " has another value")

SIZE(aclError, 4);
SIZE(aclFloat16, 2);
SIZE(aclDataType, 4);
SIZE(aclrtMemcpyKind, 4);
SIZE(dim3, 12);
SIZE(aclrtMemManagedLocation, 8);
SIZE(aclrtMallocAttrValue, 8);
SIZE(aclrtMallocAttribute, 12);
SIZE(aclrtMallocConfig, 16);
SIZE(aclrtServerPid, 24);
SIZE(aclrtStreamConfigHandle, 32);
SIZE(aclrtUtilizationInfo, 24);
SIZE(aclrtMemLocation, 8);
OFFSET(aclrtMemLocation, type, 4);
SIZE(aclrtPtrAttributes, 28);
OFFSET(aclrtPtrAttributes, pageSize, 8);
SIZE(aclrtMemUsageInfo, 112);
OFFSET(aclrtMemUsageInfo, curMemSize, 32);
SIZE(aclrtMemFabricHandle, 128);
SIZE(aclrtPhysicalMemProp, 32);
OFFSET(aclrtPhysicalMemProp, location, 12);
OFFSET(aclrtPhysicalMemProp, reserve, 24);
SIZE(aclrtMemUceInfo, 128);
SIZE(aclrtMemUceInfoArray, 2568);
SIZE(aclrtErrorInfo, 2576);
OFFSET(aclrtErrorInfo, errorType, 4);
OFFSET(aclrtErrorInfo, detail, 8);
SIZE(aclrtBinaryLoadOptionValue, 16);
SIZE(aclrtBinaryLoadOption, 20);
SIZE(aclrtBinaryLoadOptions, 16);
SIZE(aclrtTimeoutUs, 8);
SIZE(aclrtLaunchKernelAttrValue, 16);
SIZE(aclrtLaunchKernelAttr, 20);
OFFSET(aclrtLaunchKernelAttr, value, 4);
SIZE(aclrtLaunchKernelCfg, 16);
SIZE(aclrtStreamAttrValue, 16);
SIZE(aclmdlRIKernelTaskParams, 88);
OFFSET(aclmdlRIKernelTaskParams, argsSize, 32);
OFFSET(aclmdlRIKernelTaskParams, numBlocks, 40);
SIZE(aclmdlRIEventRecordTaskParams, 16);
SIZE(aclmdlRIValueWriteTaskParams, 16);
SIZE(aclmdlRIValueWaitTaskParams, 24);
SIZE(aclmdlRITaskParams, 200);
OFFSET(aclmdlRITaskParams, taskGrp, 16);
OFFSET(aclmdlRITaskParams, rsv1, 40);
OFFSET(aclmdlRITaskParams, kernelTaskParams, 72);
OFFSET(aclmdlRITaskParams, valueWaitTaskParams, 72);
SIZE(aclrtBarrierTaskInfo, 56);
SIZE(aclrtMemcpyBatchAttr, 32);
SIZE(aclrtPlaceHolderInfo, 8);
OFFSET(aclrtPlaceHolderInfo, dataOffset, 4);
SIZE(aclrtRandomParaInfo, 16);
SIZE(aclrtRandomNumFuncParaInfo, 36);
SIZE(aclrtRandomNumTaskInfo, 104);
OFFSET(aclrtRandomNumTaskInfo, randomParaAddr, 40);
SIZE(aclrtRandomTaskUpdateAttr, 32);
SIZE(aclrtAicAivTaskUpdateAttr, 40);
SIZE(aclrtTaskUpdateInfo, 48);
SIZE(aclrtSnapShotBackupArgs, 64);
SIZE(aclrtSnapShotRestoreArgs, 64);
SIZE(aclrtUuid, 16);
SIZE(aclrtCntNotifyRecordInfo, 8);
SIZE(aclrtCntNotifyWaitInfo, 16);
SIZE(aclrtMemAccessDesc, 24);
SIZE(aclCANNPackageVersion, 512);
SIZE(aclrtIpcEventHandle, 64);
SIZE(MemAttrMapping, 16);
SIZE(aclmdlRICondTaskParams, 24);
SIZE(aclrtMemPoolProps, 56);
OFFSET(aclrtMemPoolProps, maxSize, 16);

VALUE(ACL_MEMCPY_DEFAULT, 4);
VALUE(ACL_RT_DEVS_TOPOLOGY_HCCS_SW, 64);
VALUE(ACL_EVENT_STATUS_COMPLETE, 0);
VALUE(ACL_EVENT_RECORDED_STATUS_COMPLETE, 1);
VALUE(ACL_EVENT_WAIT_STATUS_RESERVED, 65535);
VALUE(ACL_BF16, 27);
VALUE(ACL_FORMAT_FRACTAL_NZ, 29);
VALUE(ACL_HBM_MEM, 1);
VALUE(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, 8);
VALUE(ACL_ERROR_RT_INVALID_HANDLE, 107017);
VALUE(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 207000);
VALUE(ACL_ERROR_RT_AICORE_EXCEPTION, 507015);
VALUE(ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 8);

/* Codes of the acl layer are constants: in C they are no constant expressions, so no VALUE() */
int check_codes(void);
int check_codes(void)
{
	return ACL_ERROR_NONE == 0 && ACL_SUCCESS == 0 && ACL_ERROR_INVALID_PARAM == 100000 &&
	       ACL_ERROR_REPEAT_INITIALIZE == 100002 && ACL_ERROR_BAD_ALLOC == 200000 &&
	       ACL_ERROR_INTERNAL_ERROR == 500000 && ACL_ERROR_PROFILING_FAILURE == 500005;
}

/* Programs of every language standard may use these: an anonymous union, a spelling of old, variadic macros */
void use(aclmdlRITaskParams *params, MemAttrMapping *mapping);
void use(aclmdlRITaskParams *params, MemAttrMapping *mapping)
{
	params->valueWaitTaskParams.flag = 1;
	mapping->isHostAlloc = 1;
	ACL_APP_LOG(ACL_INFO, "text");
	ACL_APP_LOG(ACL_INFO, "text and number %d", 1);
}
