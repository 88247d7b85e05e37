/* SPDX-License-Identifier: MIT */
/*
 * The rt* calls that launchers of operators use, in libruntime.so over libascendcl.so. A stream or event of
 * one API is a stream or event of the other, errors are numbers of acl/error_codes/rt_error_codes.h, and
 * aclGetRecentErrMsg() has the sentence.
 */
#ifndef RUNTIME_RT_H_
#define RUNTIME_RT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RTS_API
#define RTS_API __attribute__((visibility("default")))
#endif

typedef int32_t rtError_t;
typedef char char_t;
typedef void *rtStream_t;
typedef void *rtEvent_t;
typedef void *rtContext_t;

#define RT_ERROR_NONE 0

/* Kinds of binaries. An operator file here says itself what it is, so each of these is taken. */
#define RT_DEV_BINARY_MAGIC_ELF 0x43554245U
#define RT_DEV_BINARY_MAGIC_ELF_AICPU 0x41415243U
#define RT_DEV_BINARY_MAGIC_ELF_AIVEC 0x41415246U
#define RT_DEV_BINARY_MAGIC_ELF_AICUBE 0x41494343U

/* Kinds of memory: the device has one. */
typedef uint32_t rtMemType_t;
#define RT_MEMORY_DEFAULT 0x0U
#define RT_MEMORY_HBM 0x2U
#define RT_MEMORY_DDR 0x4U

#define RT_STREAM_DEFAULT 0x0U
#define RT_STREAM_PRIORITY_DEFAULT 0U
#define RT_STREAM_GREATEST_PRIORITY 0U
#define RT_STREAM_LEAST_PRIORITY 7U

typedef enum tagRtMemcpyKind {
	RT_MEMCPY_HOST_TO_HOST = 0,
	RT_MEMCPY_HOST_TO_DEVICE,
	RT_MEMCPY_DEVICE_TO_HOST,
	RT_MEMCPY_DEVICE_TO_DEVICE,
	RT_MEMCPY_MANAGED,
	RT_MEMCPY_ADDR_DEVICE_TO_DEVICE,
	RT_MEMCPY_HOST_TO_DEVICE_EX,
	RT_MEMCPY_DEVICE_TO_HOST_EX,
	RT_MEMCPY_DEFAULT,
	RT_MEMCPY_RESERVED
} rtMemcpyKind_t;

/* An operator file in host memory */
typedef struct tagRtDevBinary {
	uint32_t magic;
	uint32_t version;
	const void *data;
	uint64_t length;
} rtDevBinary_t;

/* Memory that old chips shared between blocks: there is none, the argument has to be NULL */
typedef struct tagRtSmData {
	uint64_t L2_mirror_addr;
	uint32_t L2_data_section_size;
	uint8_t L2_preload;
	uint8_t modified;
	uint8_t priority;
	int8_t prev_L2_page_offset_base;
	uint8_t L2_page_offset_base;
	uint8_t L2_load_to_ddr;
	uint8_t reserved[2];
} rtSmData_t;

typedef struct tagRtSmCtrl {
	rtSmData_t data[8];
	uint64_t size;
	uint8_t remap[64];
	uint8_t l2_in_main;
	uint8_t reserved[3];
} rtSmDesc_t;

/* The argument at addrOffset is the device address of what stands at dataOffset behind the arguments */
typedef struct tagRtHostInputInfo {
	uint32_t addrOffset;
	uint32_t dataOffset;
} rtHostInputInfo_t;

typedef struct tagRtArgsEx {
	void *args;
	rtHostInputInfo_t *hostInputInfoPtr;
	uint32_t argsSize;
	uint32_t tilingAddrOffset;
	uint32_t tilingDataOffset;
	uint16_t hostInputInfoNum;
	uint8_t hasTiling;
	uint8_t isNoNeedH2DCopy;
	uint8_t reserved[4];
} rtArgsEx_t;

/* qos, partId, d2dCrossFlag and dumpflag have to be 0 */
typedef struct tagRtTaskCfgInfo {
	uint8_t qos;
	uint8_t partId;
	uint8_t schemMode;
	bool d2dCrossFlag;
	uint32_t blockDimOffset;
	uint8_t dumpflag;
	uint8_t neverTimeout;
	uint8_t rev[2];
	uint32_t localMemorySize;
} rtTaskCfgInfo_t;

/* Operators ------------------------------------------------------------------------------------- */

/* Loads an operator file, which is copied, to the current device; @handle is for rtFunctionRegister() */
RTS_API rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **handle);
/* The same; its kernels are launched by number, with rtKernelLaunchWithHandleV2() */
RTS_API rtError_t rtRegisterAllKernel(const rtDevBinary_t *bin, void **handle);
/* Unloads it, and forgets the functions that were registered for it */
RTS_API rtError_t rtDevBinaryUnRegister(void *handle);

/**
 * rtFunctionRegister - name a kernel of a binary by any address
 * @binHandle: of rtDevBinaryRegister()
 * @stubFunc: the address that launches will give; nothing is read there
 * @stubName: a name for rtGetFunctionByName(); the kernel's too, if @kernelInfoExt is NULL
 * @kernelInfoExt: name of the kernel in the binary, a string
 * @funcMode: 0
 *
 * Return: RT_ERROR_NONE or a code. An address that is registered already names the new kernel.
 */
RTS_API rtError_t rtFunctionRegister(void *binHandle, const void *stubFunc, const char_t *stubName,
		const void *kernelInfoExt, uint32_t funcMode);
RTS_API rtError_t rtGetFunctionByName(const char_t *stubName, void **stubFunc);

/**
 * rtKernelLaunch - launch a kernel
 * @stubFunc: as it was registered
 * @blockDim: blocks
 * @args: arguments in slots of 8 bytes, in host memory, copied
 * @argsSize: bytes
 * @smDesc: NULL
 * @stm: stream, NULL for the default stream
 */
RTS_API rtError_t rtKernelLaunch(const void *stubFunc, uint32_t blockDim, void *args, uint32_t argsSize,
		rtSmDesc_t *smDesc, rtStream_t stm);
/* The same with data behind the arguments; @flags: 0 */
RTS_API rtError_t rtKernelLaunchWithFlag(const void *stubFunc, uint32_t blockDim, rtArgsEx_t *argsInfo,
		rtSmDesc_t *smDesc, rtStream_t stm, uint32_t flags);
RTS_API rtError_t rtKernelLaunchWithFlagV2(const void *stubFunc, uint32_t blockDim,
		rtArgsEx_t *argsInfo, rtSmDesc_t *smDesc, rtStream_t stm, uint32_t flags,
		const rtTaskCfgInfo_t *cfgInfo);
/* The kernel of a binary that has the number @tilingKey */
RTS_API rtError_t rtKernelLaunchWithHandleV2(void *hdl, const uint64_t tilingKey, uint32_t blockDim,
		rtArgsEx_t *argsInfo, rtSmDesc_t *smDesc, rtStream_t stm,
		const rtTaskCfgInfo_t *cfgInfo);

/* Memory through which cores of a MIX kernel synchronise elsewhere; here nothing is kept in it */
RTS_API rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len);

/* Devices ---------------------------------------------------------------------------------------- */

RTS_API rtError_t rtSetDevice(int32_t devId);
RTS_API rtError_t rtGetDevice(int32_t *devId);
RTS_API rtError_t rtGetDeviceCount(int32_t *count);
RTS_API rtError_t rtDeviceReset(int32_t devId);
RTS_API rtError_t rtDeviceSynchronize(void);
/* aclrtGetSocName(), cut to @maxLen with its end */
RTS_API rtError_t rtGetSocVersion(char_t *version, const uint32_t maxLen);
/* Of the current device; of device 0 if none is set */
RTS_API rtError_t rtGetAiCoreCount(uint32_t *aiCoreCnt);

/* Streams and events ------------------------------------------------------------------------------ */

RTS_API rtError_t rtStreamCreate(rtStream_t *stm, int32_t priority);
RTS_API rtError_t rtStreamCreateWithFlags(rtStream_t *stm, int32_t priority, uint32_t flags);
RTS_API rtError_t rtStreamDestroy(rtStream_t stm);
RTS_API rtError_t rtStreamSynchronize(rtStream_t stm);
RTS_API rtError_t rtStreamQuery(rtStream_t stm);
RTS_API rtError_t rtStreamWaitEvent(rtStream_t stm, rtEvent_t evt);
RTS_API rtError_t rtEventCreate(rtEvent_t *evt);
RTS_API rtError_t rtEventRecord(rtEvent_t evt, rtStream_t stm);
RTS_API rtError_t rtEventSynchronize(rtEvent_t evt);
RTS_API rtError_t rtEventElapsedTime(float *timeInterval, rtEvent_t startEvent, rtEvent_t endEvent);
RTS_API rtError_t rtEventDestroy(rtEvent_t evt);

/* Memory ------------------------------------------------------------------------------------------ */

/* @type and @moduleId change nothing */
RTS_API rtError_t rtMalloc(void **devPtr, uint64_t size, rtMemType_t type, const uint16_t moduleId);
RTS_API rtError_t rtFree(void *devPtr);
RTS_API rtError_t rtMallocHost(void **hostPtr, uint64_t size, const uint16_t moduleId);
RTS_API rtError_t rtFreeHost(void *hostPtr);
RTS_API rtError_t rtMemcpy(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
		rtMemcpyKind_t kind);
RTS_API rtError_t rtMemcpyAsync(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
		rtMemcpyKind_t kind, rtStream_t stm);
RTS_API rtError_t rtMemset(void *devPtr, uint64_t destMax, const uint32_t val, const uint64_t cnt);
RTS_API rtError_t rtMemsetAsync(void *ptr, uint64_t destMax, const uint32_t val, const uint64_t cnt,
		rtStream_t stm);

/* Not built: ACL_ERROR_RT_FEATURE_NOT_SUPPORT ------------------------------------------------------ */

RTS_API rtError_t rtKernelLaunchEx(void *args, uint32_t argsSize, uint32_t flags, rtStream_t stm);
RTS_API rtError_t rtMetadataRegister(void *hdl, const char_t *metadata);
RTS_API rtError_t rtProfSetProSwitch(void *data, uint32_t len);

#ifdef __cplusplus
}
#endif

#endif /* RUNTIME_RT_H_ */
