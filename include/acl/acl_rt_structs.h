/* SPDX-License-Identifier: MIT */
/*
 * Structures, unions and function types of the runtime. The order of fields is ABI, checked by
 * tests/unit/lib.
 */
#ifndef _ACL_RT_STRUCTS_H_
#define _ACL_RT_STRUCTS_H_

#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place for managed memory */
typedef struct aclrtMemManagedLocation {
	aclrtMemManagedLocationType type;
	int32_t id;
} aclrtMemManagedLocation;

/* Value of an allocation attribute */
typedef union aclrtMallocAttrValue {
	uint16_t moduleId;
	uint32_t deviceId;
	uint32_t vaFlag;
	uint8_t rsv[8];
} aclrtMallocAttrValue;

/* One attribute of an allocation */
typedef struct aclrtMallocAttribute {
	aclrtMallocAttrType attr;
	aclrtMallocAttrValue value;
} aclrtMallocAttribute;

/* Attributes of an allocation */
typedef struct aclrtMallocConfig {
	aclrtMallocAttribute *attrs;
	size_t numAttrs;
} aclrtMallocConfig;

/* Processes of one server */
typedef struct aclrtServerPid {
	uint32_t sdid;
	int32_t *pid;
	size_t num;
} aclrtServerPid;

/* Options of a stream, see aclrtCreateStreamV2() */
typedef struct aclrtStreamConfigHandle {
	void *workptr;
	size_t workSize;
	size_t flag;
	uint32_t priority;
} aclrtStreamConfigHandle;

/* Load of a device, percent */
typedef struct aclrtUtilizationInfo {
	int32_t cubeUtilization;
	int32_t vectorUtilization;
	int32_t aicpuUtilization;
	int32_t memoryUtilization;
	aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

/* Where memory lies: id is a device or a NUMA node */
typedef struct aclrtMemLocation {
	uint32_t id;
	aclrtMemLocationType type;
} aclrtMemLocation;

/* Result of aclrtPointerGetAttributes(); pageSize in bytes */
typedef struct aclrtPtrAttributes {
	aclrtMemLocation location;
	uint32_t pageSize;
	uint32_t rsv[4];
} aclrtPtrAttributes;

/* Memory use of one component, bytes */
typedef struct aclrtMemUsageInfo {
	char name[32];
	uint64_t curMemSize;
	uint64_t memPeakSize;
	size_t reserved[8];
} aclrtMemUsageInfo;

/* Exported memory, across servers */
typedef struct aclrtMemFabricHandle {
	uint8_t data[128];
} aclrtMemFabricHandle;

/* Kind and place of physical memory */
typedef struct aclrtPhysicalMemProp {
	aclrtMemHandleType handleType;
	aclrtMemAllocationType allocationType;
	aclrtMemAttr memAttr;
	aclrtMemLocation location;
	uint64_t reserve;
} aclrtPhysicalMemProp;

/* A range with uncorrectable errors */
typedef struct aclrtMemUceInfo {
	void *addr;
	size_t len;
	size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

/* Ranges with uncorrectable errors */
typedef struct aclrtMemUceInfoArray {
	size_t arraySize;
	aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

/* Detail by the kind of failure */
typedef union aclrtErrorInfoDetail {
	aclrtMemUceInfoArray uceInfo;
	aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

/* A device failure, see aclrtGetErrorVerbose() */
typedef struct aclrtErrorInfo {
	uint8_t tryRepair;
	uint8_t hasDetail;
	uint8_t reserved[2];
	aclrtErrorType errorType;
	aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

/* Value of an option of loading */
typedef union aclrtBinaryLoadOptionValue {
	uint32_t isLazyLoad;
	uint32_t magic;
	int32_t cpuKernelMode;
	uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

/* One option of loading */
typedef struct aclrtBinaryLoadOption {
	aclrtBinaryLoadOptionType type;
	aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

/* Options of loading */
typedef struct aclrtBinaryLoadOptions {
	aclrtBinaryLoadOption *options;
	size_t numOpt;
} aclrtBinaryLoadOptions;

/* Microseconds in two halves */
typedef struct aclrtTimeoutUs {
	uint32_t timeoutLow;
	uint32_t timeoutHigh;
} aclrtTimeoutUs;

/* Value of a launch attribute; timeout in seconds */
typedef union aclrtLaunchKernelAttrValue {
	uint8_t schemMode;
	uint32_t localMemorySize;
	uint32_t dynUBufSize;
	aclrtEngineType engineType;
	uint32_t blockDimOffset;
	uint8_t isBlockTaskPrefetch;
	uint8_t isDataDump;
	uint16_t timeout;
	aclrtTimeoutUs timeoutUs;
	uint8_t enableProfiling;
	uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

/* One launch attribute */
typedef struct aclrtLaunchKernelAttr {
	aclrtLaunchKernelAttrId id;
	aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

/* Launch attributes; attrs counts only with numAttrs above 0 */
typedef struct aclrtLaunchKernelCfg {
	aclrtLaunchKernelAttr *attrs;
	size_t numAttrs;
} aclrtLaunchKernelCfg;

/* Value of a stream attribute */
typedef union aclrtStreamAttrValue {
	uint64_t failureMode;
	uint32_t overflowSwitch;
	uint32_t userCustomTag;
	uint32_t cacheOpInfoSwitch;
	uint32_t streamPriority;
	uint32_t reserve[4];
} aclrtStreamAttrValue;

/* A kernel in a graph */
typedef struct aclmdlRIKernelTaskParams {
	aclrtFuncHandle funcHandle;
	aclrtLaunchKernelCfg *cfg;
	void *args;
	uint32_t isHostArgs;
	size_t argsSize;
	uint32_t numBlocks;
	uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

/* A record in a graph */
typedef struct aclmdlRIEventRecordTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

/* A wait in a graph */
typedef struct aclmdlRIEventWaitTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

/* A reset in a graph */
typedef struct aclmdlRIEventResetTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

/* A store in a graph */
typedef struct aclmdlRIValueWriteTaskParams {
	void *devAddr;
	uint64_t value;
} aclmdlRIValueWriteTaskParams;

/* A wait for a value in a graph */
typedef struct aclmdlRIValueWaitTaskParams {
	void *devAddr;
	uint64_t value;
	uint32_t flag;
} aclmdlRIValueWaitTaskParams;

/* A task in a graph, by its type */
typedef struct aclmdlRITaskParams {
	aclmdlRITaskType type;
	uint32_t rsv0[3];
	aclrtTaskGrp taskGrp;
	void *opInfoPtr;
	size_t opInfoSize;
	uint8_t rsv1[32];
	/* without a name, as programs expect: an extension before C11 */
	__extension__ union {
		uint8_t rsv2[128];
		struct aclmdlRIKernelTaskParams kernelTaskParams;
		struct aclmdlRIEventRecordTaskParams eventRecordTaskParams;
		struct aclmdlRIEventWaitTaskParams eventWaitTaskParams;
		struct aclmdlRIEventResetTaskParams eventResetTaskParams;
		struct aclmdlRIValueWriteTaskParams valueWriteTaskParams;
		struct aclmdlRIValueWaitTaskParams valueWaitTaskParams;
	};
} aclmdlRITaskParams;

/* One cache operation to wait for */
typedef struct aclrtBarrierCmoInfo {
	aclrtCmoType cmoType;
	uint32_t barrierId;
} aclrtBarrierCmoInfo;

/* Cache operations to wait for */
typedef struct aclrtBarrierTaskInfo {
	size_t barrierNum;
	aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

/* Where the memory of a batch lies */
typedef struct aclrtMemcpyBatchAttr {
	aclrtMemLocation dstLoc;
	aclrtMemLocation srcLoc;
	uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/* A pointer to data that travels with the arguments, offsets in bytes */
typedef struct aclrtPlaceHolderInfo {
	uint32_t addrOffset;
	uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* A parameter, by value or by device address */
typedef struct aclrtRandomParaInfo {
	uint8_t isAddr;
	uint8_t valueOrAddr[8];
	uint8_t size;
	uint8_t rsv[6];
} aclrtRandomParaInfo;

/* Parameters of a dropout mask */
typedef struct aclrtDropoutBitmaskInfo {
	aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

/* Parameters of a uniform distribution */
typedef struct aclrtUniformDisInfo {
	aclrtRandomParaInfo min;
	aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

/* Parameters of a normal distribution */
typedef struct aclrtNormalDisInfo {
	aclrtRandomParaInfo mean;
	aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

/* A distribution and its parameters */
typedef struct aclrtRandomNumFuncParaInfo {
	aclrtRandomNumFuncType funcType;
	union {
		aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
		aclrtUniformDisInfo uniformDisInfo;
		aclrtNormalDisInfo normalDisInfo;
	} paramInfo;
} aclrtRandomNumFuncParaInfo;

/* A task that makes random numbers */
typedef struct aclrtRandomNumTaskInfo {
	aclDataType dataType;
	aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
	void *randomParaAddr;
	void *randomResultAddr;
	void *randomCounterAddr;
	aclrtRandomParaInfo randomSeed;
	aclrtRandomParaInfo randomNum;
	uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

/* New parameters of such a task */
typedef struct aclrtRandomTaskUpdateAttr {
	void *srcAddr;
	size_t size;
	uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

/* New parameters of a kernel task */
typedef struct aclrtAicAivTaskUpdateAttr {
	void *binHandle;
	void *funcEntryAddr;
	void *blockDimAddr;
	uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

/* New parameters of a task */
typedef union aclrtUpdateTaskAttrVal {
	aclrtRandomTaskUpdateAttr randomTaskAttr;
	aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

/* Changes of aclrtTaskUpdateAsync() */
typedef struct aclrtTaskUpdateInfo {
	aclrtUpdateTaskAttrId id;
	aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

/* Options of a backup */
typedef struct aclrtSnapShotBackupArgs {
	uint32_t backupFlags;
	char reserved[60];
} aclrtSnapShotBackupArgs;

/* Options of a restore */
typedef struct aclrtSnapShotRestoreArgs {
	uint32_t restoreFlags;
	char reserved[60];
} aclrtSnapShotRestoreArgs;

/* Unique id of a device */
typedef struct aclrtUuid {
	char bytes[16];
} aclrtUuid;

/* A record of a counting notify */
typedef struct aclrtCntNotifyRecordInfo {
	aclrtCntNotifyRecordMode mode;
	uint32_t value;
} aclrtCntNotifyRecordInfo;

/* A wait for a counting notify; timeout in seconds */
typedef struct aclrtCntNotifyWaitInfo {
	aclrtCntNotifyWaitMode mode;
	uint32_t value;
	uint32_t timeout;
	uint8_t isClear;
	uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/* Rights of one place */
typedef struct aclrtMemAccessDesc {
	aclrtMemAccessFlags flags;
	aclrtMemLocation location;
	uint8_t rsv[12];
} aclrtMemAccessDesc;

/* Version of a package, whole and in parts */
typedef struct aclCANNPackageVersion {
	char version[ACL_PKG_VERSION_MAX_SIZE];
	char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
	char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/* Name of an event for other processes */
typedef struct aclrtIpcEventHandle {
	char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/* Page and memory type behind an aclrtMemAttr */
typedef struct MemAttrMapping {
	uint32_t pgType;
	uint32_t memType;
	__extension__ bool isHostAlloc; /* no type of C89 */
	aclrtMemAttr memAttr;
} MemAttrMapping;

/* A conditional task */
typedef struct aclmdlRICondTaskParams {
	aclmdlRICondHandle handle;
	aclmdlRICondTaskType type;
	uint32_t size;
	aclmdlRI *modelRIArray;
} aclmdlRICondTaskParams;

/* Functions of the program that the runtime calls */
typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo, void *userData);
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void *args);
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void *args);
typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void *args);
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage,
		uint32_t timeout, void *args);
typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* Hooks of a memory allocator of the program */
typedef void *(*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator, aclrtAllocatorBlock block);
typedef void *(*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator, size_t size,
		aclrtAllocatorAddr addr);
typedef void *(*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_STRUCTS_H_ */
