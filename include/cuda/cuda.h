/* SPDX-License-Identifier: MIT */
/*
 * The driver-API front of libacl: CUDA's names and numbers over libacl's devices, memory, streams and events.
 * Documentation/cuda.md says what is different.
 *
 * Made by lib/cuda/gen.py from lib/cuda/api.list: change the list.
 */
#ifndef ANPU_CUDA_H
#define ANPU_CUDA_H

/* Programs and other headers look at this name to know that the header was included */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#endif

#include <stdlib.h> /* programs take exit() and malloc() from this header */

#include "cuda_types.h"
#include "cuda_outside.h"

/* 1000 * major + 10 * minor: what cuDriverGetVersion() tells */
#define CUDA_VERSION 12040

/* Programs that are compiled with this name mean the calling thread's stream by stream 0 */
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cuMemPrefetchAsync_v2 cuMemPrefetchAsync_v2_ptsz
#define cuStreamGetCaptureInfo_v3 cuStreamGetCaptureInfo_v3_ptsz
#define cuStreamUpdateCaptureDependencies_v2 cuStreamUpdateCaptureDependencies_v2_ptsz
#define cuGetProcAddress cuGetProcAddress_v2_ptsz
#define cuMemPrefetchAsync cuMemPrefetchAsync_ptsz
#define cuMemAllocAsync cuMemAllocAsync_ptsz
#define cuMemAllocFromPoolAsync cuMemAllocFromPoolAsync_ptsz
#define cuMemFreeAsync cuMemFreeAsync_ptsz
#define cuMemcpy cuMemcpy_ptds
#define cuMemcpyPeer cuMemcpyPeer_ptds
#define cuMemcpyHtoD cuMemcpyHtoD_v2_ptds
#define cuMemcpyDtoH cuMemcpyDtoH_v2_ptds
#define cuMemcpyDtoD cuMemcpyDtoD_v2_ptds
#define cuMemcpy2D cuMemcpy2D_v2_ptds
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2_ptds
#define cuMemcpy3D cuMemcpy3D_v2_ptds
#define cuMemcpyAsync cuMemcpyAsync_ptsz
#define cuMemcpyPeerAsync cuMemcpyPeerAsync_ptsz
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2_ptsz
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2_ptsz
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2_ptsz
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2_ptsz
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2_ptsz
#define cuMemsetD8 cuMemsetD8_v2_ptds
#define cuMemsetD16 cuMemsetD16_v2_ptds
#define cuMemsetD32 cuMemsetD32_v2_ptds
#define cuMemsetD2D8 cuMemsetD2D8_v2_ptds
#define cuMemsetD2D16 cuMemsetD2D16_v2_ptds
#define cuMemsetD2D32 cuMemsetD2D32_v2_ptds
#define cuMemsetD8Async cuMemsetD8Async_ptsz
#define cuMemsetD16Async cuMemsetD16Async_ptsz
#define cuMemsetD32Async cuMemsetD32Async_ptsz
#define cuMemsetD2D8Async cuMemsetD2D8Async_ptsz
#define cuMemsetD2D16Async cuMemsetD2D16Async_ptsz
#define cuMemsetD2D32Async cuMemsetD2D32Async_ptsz
#define cuMemcpy3DPeer cuMemcpy3DPeer_ptds
#define cuMemcpy3DPeerAsync cuMemcpy3DPeerAsync_ptsz
#define cuStreamSynchronize cuStreamSynchronize_ptsz
#define cuStreamQuery cuStreamQuery_ptsz
#define cuStreamWaitEvent cuStreamWaitEvent_ptsz
#define cuStreamAddCallback cuStreamAddCallback_ptsz
#define cuStreamGetPriority cuStreamGetPriority_ptsz
#define cuStreamGetFlags cuStreamGetFlags_ptsz
#define cuStreamGetCtx cuStreamGetCtx_ptsz
#define cuStreamGetId cuStreamGetId_ptsz
#define cuStreamCopyAttributes cuStreamCopyAttributes_ptsz
#define cuStreamGetAttribute cuStreamGetAttribute_ptsz
#define cuStreamSetAttribute cuStreamSetAttribute_ptsz
#define cuStreamAttachMemAsync cuStreamAttachMemAsync_ptsz
#define cuStreamWaitValue32 cuStreamWaitValue32_v2_ptsz
#define cuStreamWaitValue64 cuStreamWaitValue64_v2_ptsz
#define cuStreamWriteValue32 cuStreamWriteValue32_v2_ptsz
#define cuStreamWriteValue64 cuStreamWriteValue64_v2_ptsz
#define cuStreamBeginCapture cuStreamBeginCapture_v2_ptsz
#define cuStreamEndCapture cuStreamEndCapture_ptsz
#define cuStreamIsCapturing cuStreamIsCapturing_ptsz
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2_ptsz
#define cuStreamBatchMemOp cuStreamBatchMemOp_v2_ptsz
#define cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_ptsz
#define cuStreamBeginCaptureToGraph cuStreamBeginCaptureToGraph_ptsz
#define cuEventRecord cuEventRecord_ptsz
#define cuEventRecordWithFlags cuEventRecordWithFlags_ptsz
#define cuLaunchKernel cuLaunchKernel_ptsz
#define cuLaunchKernelEx cuLaunchKernelEx_ptsz
#define cuLaunchCooperativeKernel cuLaunchCooperativeKernel_ptsz
#define cuLaunchHostFunc cuLaunchHostFunc_ptsz
#define cuGraphLaunch cuGraphLaunch_ptsz
#define cuGraphUpload cuGraphUpload_ptsz
#define cuGraphInstantiateWithParams cuGraphInstantiateWithParams_ptsz
#define cuGraphicsMapResources cuGraphicsMapResources_ptsz
#define cuGraphicsUnmapResources cuGraphicsUnmapResources_ptsz
#define cuMemMapArrayAsync cuMemMapArrayAsync_ptsz
#define cuMemcpyAtoA cuMemcpyAtoA_v2_ptds
#define cuMemcpyAtoD cuMemcpyAtoD_v2_ptds
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2_ptsz
#define cuMemcpyAtoH cuMemcpyAtoH_v2_ptds
#define cuMemcpyDtoA cuMemcpyDtoA_v2_ptds
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2_ptsz
#define cuMemcpyHtoA cuMemcpyHtoA_v2_ptds
#define cuSignalExternalSemaphoresAsync cuSignalExternalSemaphoresAsync_ptsz
#define cuWaitExternalSemaphoresAsync cuWaitExternalSemaphoresAsync_ptsz
#endif

/* Functions whose symbols have a version */
#ifndef cuGetProcAddress
#define cuGetProcAddress cuGetProcAddress_v2
#endif
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#ifndef cuMemcpyHtoD
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#endif
#ifndef cuMemcpyDtoH
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#endif
#ifndef cuMemcpyDtoD
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#endif
#ifndef cuMemcpy2D
#define cuMemcpy2D cuMemcpy2D_v2
#endif
#ifndef cuMemcpy2DUnaligned
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#endif
#ifndef cuMemcpy3D
#define cuMemcpy3D cuMemcpy3D_v2
#endif
#ifndef cuMemcpyHtoDAsync
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#endif
#ifndef cuMemcpyDtoHAsync
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#endif
#ifndef cuMemcpyDtoDAsync
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#endif
#ifndef cuMemcpy2DAsync
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#endif
#ifndef cuMemcpy3DAsync
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#endif
#ifndef cuMemsetD8
#define cuMemsetD8 cuMemsetD8_v2
#endif
#ifndef cuMemsetD16
#define cuMemsetD16 cuMemsetD16_v2
#endif
#ifndef cuMemsetD32
#define cuMemsetD32 cuMemsetD32_v2
#endif
#ifndef cuMemsetD2D8
#define cuMemsetD2D8 cuMemsetD2D8_v2
#endif
#ifndef cuMemsetD2D16
#define cuMemsetD2D16 cuMemsetD2D16_v2
#endif
#ifndef cuMemsetD2D32
#define cuMemsetD2D32 cuMemsetD2D32_v2
#endif
#define cuStreamDestroy cuStreamDestroy_v2
#ifndef cuStreamWaitValue32
#define cuStreamWaitValue32 cuStreamWaitValue32_v2
#endif
#ifndef cuStreamWaitValue64
#define cuStreamWaitValue64 cuStreamWaitValue64_v2
#endif
#ifndef cuStreamWriteValue32
#define cuStreamWriteValue32 cuStreamWriteValue32_v2
#endif
#ifndef cuStreamWriteValue64
#define cuStreamWriteValue64 cuStreamWriteValue64_v2
#endif
#ifndef cuStreamBeginCapture
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#endif
#ifndef cuStreamGetCaptureInfo
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2
#endif
#ifndef cuStreamBatchMemOp
#define cuStreamBatchMemOp cuStreamBatchMemOp_v2
#endif
#define cuEventDestroy cuEventDestroy_v2
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuGraphInstantiate cuGraphInstantiateWithFlags
#define cuGraphExecUpdate cuGraphExecUpdate_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2
#ifndef cuMemcpyAtoA
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#endif
#ifndef cuMemcpyAtoD
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#endif
#ifndef cuMemcpyAtoHAsync
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#endif
#ifndef cuMemcpyAtoH
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#endif
#ifndef cuMemcpyDtoA
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#endif
#ifndef cuMemcpyHtoAAsync
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#endif
#ifndef cuMemcpyHtoA
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#endif
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#define cuTexRefSetAddress cuTexRefSetAddress_v2

#ifdef __cplusplus
extern "C" {
#endif

/* Start --------------------------------------------------------------------------------------- */

/* Start the library; must be the first call. Flags must be 0 */
CUresult CUDAAPI cuInit(unsigned int Flags);

/* The version of the API that this library follows: 1000 * major + 10 * minor */
CUresult CUDAAPI cuDriverGetVersion(int *driverVersion);

/* The name of a code; NULL and INVALID_VALUE for a number that is none */
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **pStr);

/* A sentence about a code */
CUresult CUDAAPI cuGetErrorString(CUresult error, const char **pStr);

/* Address of a function by its name without suffix */
CUresult CUDAAPI cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion,
		cuuint64_t flags, CUdriverProcAddressQueryResult *symbolStatus);
CUresult CUDAAPI cuGetProcAddress_v2_ptsz(const char *symbol, void **pfn, int cudaVersion,
		cuuint64_t flags, CUdriverProcAddressQueryResult *symbolStatus);

/* Functions that are not public (refused) */
CUresult CUDAAPI cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId);

/* Devices ------------------------------------------------------------------------------------- */

/* Number of devices */
CUresult CUDAAPI cuDeviceGetCount(int *count);

/* The device of a number */
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal);

/* Name of a device, cut at len */
CUresult CUDAAPI cuDeviceGetName(char *name, int len, CUdevice dev);

/* The same */
CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev);

/* Bytes of device memory */
CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev);

/* One property of a device */
CUresult CUDAAPI cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev);

/* Old form of cuDeviceGetAttribute() */
CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *prop, CUdevice dev);

/* Old form of cuDeviceGetAttribute() */
CUresult CUDAAPI cuDeviceComputeCapability(int *major, int *minor, CUdevice dev);

/* The device at a PCI address */
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId);

/* PCI address of a device */
CUresult CUDAAPI cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev);

/* Can kernels of one device reach memory of the other */
CUresult CUDAAPI cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev);

/* The pool that cuMemAllocAsync() takes memory from at first */
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev);

/* The pool that cuMemAllocAsync() takes memory from */
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev);

/* Choose that pool */
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool);

/* What two devices can do with each other's memory */
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
		CUdevice srcDevice, CUdevice dstDevice);

/* Can contexts have a part of the cores: no */
CUresult CUDAAPI cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev);

/* A number of another operating system (refused) */
CUresult CUDAAPI cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev);

/* Be told of events of the device (refused) */
CUresult CUDAAPI cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callbackFunc,
		void *userData, CUasyncCallbackHandle *callback);

/* End that (refused) */
CUresult CUDAAPI cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle callback);

/* Wait for writes of network cards (refused) */
CUresult CUDAAPI cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
		CUflushGPUDirectRDMAWritesScope scope);

/* Contexts ------------------------------------------------------------------------------------ */

/* One more use of the device's primary context, which aclrtSetDevice() shares; does not make it current */
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev);

/* One use less; the last one ends the context */
CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice dev);

/* End the primary context with all that it has, whatever its uses */
CUresult CUDAAPI cuDevicePrimaryCtxReset_v2(CUdevice dev);

/* Flags of the primary context */
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags);

/* Flags of the primary context, and whether there is one */
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active);

/* A new context, current for the thread */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);

/* A new context with an affinity, of which none is supported */
CUresult CUDAAPI cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
		unsigned int flags, CUdevice dev);

/* The same with a structure; programs of version 13 mean this one */
CUresult CUDAAPI cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
		unsigned int flags, CUdevice dev);

/* End a context, its streams and its memory */
CUresult CUDAAPI cuCtxDestroy_v2(CUcontext ctx);

/* Make a context current, and keep the one before */
CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext ctx);

/* Go back to the one before */
CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *pctx);

/* Replace the current context; NULL: none */
CUresult CUDAAPI cuCtxSetCurrent(CUcontext ctx);

/* The current context, or NULL */
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *pctx);

/* Device of the current context */
CUresult CUDAAPI cuCtxGetDevice(CUdevice *device);

/* Flags of the current context */
CUresult CUDAAPI cuCtxGetFlags(unsigned int *flags);

/* Change them */
CUresult CUDAAPI cuCtxSetFlags(unsigned int flags);

/* Number of a context, unique in the process */
CUresult CUDAAPI cuCtxGetId(CUcontext ctx, unsigned long long *ctxId);

/* Wait for all work of the current context */
CUresult CUDAAPI cuCtxSynchronize(void);

/* Ask for a limit; the device may give another */
CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);

/* A limit as it is */
CUresult CUDAAPI cuCtxGetLimit(size_t *pvalue, CUlimit limit);

/* A hint that is kept: scratchpads have fixed sizes */
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *pconfig);

/* Keep that hint */
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);

/* A hint that is kept: the scratchpad has no banks */
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *pConfig);

/* Keep that hint */
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);

/* Version of the API that a context was made with */
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext ctx, unsigned int *version);

/* Range of stream priorities; smaller numbers are served first, 0 is a stream's own */
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority);

/* Nothing to do: there is no such cache */
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);

/* Let kernels of the current device reach memory of another one */
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags);

/* End that */
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peerContext);

/* The cores of the current context: all */
CUresult CUDAAPI cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type);

/* Oldest form: one more use of the current context */
CUresult CUDAAPI cuCtxAttach(CUcontext *pctx, unsigned int flags);

/* One use less; the last one ends the context */
CUresult CUDAAPI cuCtxDetach(CUcontext ctx);

/* Modules, libraries, kernels ----------------------------------------------------------------- */

/* Load a file that anpucc has written */
CUresult CUDAAPI cuModuleLoad(CUmodule *module, const char *fname);

/* The same from memory */
CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image);

/* The same; nothing is compiled, so of the options only logs are answered */
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
		CUjit_option *options, void **optionValues);

/* The same; fat binaries of other compilers are refused */
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin);

/* End a module and its functions */
CUresult CUDAAPI cuModuleUnload(CUmodule hmod);

/* Eager: a module is on the device when the call returns */
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);

/* A kernel by name */
CUresult CUDAAPI cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name);

/* Number of kernels */
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned int *pCount, CUmodule mod);

/* Its kernels */
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions,
		CUmodule mod);

/* Address and size of a variable */
CUresult CUDAAPI cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
		const char *name);

/* A linker */
CUresult CUDAAPI cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
		CUlinkState *stateOut);

/* Give it a file of anpucc, which is linked already; several become one image; PTX and libraries are refused */
CUresult CUDAAPI cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
		const char *name, unsigned int numOptions, CUjit_option *options,
		void **optionValues);

/* The same from a file */
CUresult CUDAAPI cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
		unsigned int numOptions, CUjit_option *options, void **optionValues);

/* The image, which ends with the linker */
CUresult CUDAAPI cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut);

/* End it */
CUresult CUDAAPI cuLinkDestroy(CUlinkState state);

/* Load an image without a context; it goes to a device when a kernel of it is first used there */
CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
		void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
		void **libraryOptionValues, unsigned int numLibraryOptions);

/* The same from a file */
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
		CUjit_option *jitOptions, void **jitOptionsValues, unsigned int numJitOptions,
		CUlibraryOption *libraryOptions, void **libraryOptionValues,
		unsigned int numLibraryOptions);

/* End a library, its kernels and its modules */
CUresult CUDAAPI cuLibraryUnload(CUlibrary library);

/* A kernel by name, for launches in any context */
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name);

/* The library's module in the current context */
CUresult CUDAAPI cuLibraryGetModule(CUmodule *pMod, CUlibrary library);

/* Address and size of a variable in the current context */
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
		const char *name);

/* Address and size of a __managed__ variable, which the program reaches, too */
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library,
		const char *name);

/* The kernel's function in the current context */
CUresult CUDAAPI cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel);

/* Name of a kernel */
CUresult CUDAAPI cuKernelGetName(const char **name, CUkernel hfunc);

/* Library of a kernel */
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel);

/* As cuFuncGetAttribute(), on one device */
CUresult CUDAAPI cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel,
		CUdevice dev);

/* As cuFuncSetAttribute(), on one device */
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel,
		CUdevice dev);

/* As cuFuncGetParamInfo() */
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset,
		size_t *paramSize);

/* A hint: scratchpads have fixed sizes */
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev);

/* Number of kernels of a library */
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib);

/* Its kernels */
CUresult CUDAAPI cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib);

/* Address of a function for host and device (refused) */
CUresult CUDAAPI cuLibraryGetUnifiedFunction(void **fptr, CUlibrary library, const char *symbol);

/* Functions ----------------------------------------------------------------------------------- */

/* One property of a function */
CUresult CUDAAPI cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc);

/* Change one */
CUresult CUDAAPI cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value);

/* A hint: scratchpads have fixed sizes */
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config);

/* A hint: the scratchpad has no banks */
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config);

/* The module that a function is in */
CUresult CUDAAPI cuFuncGetModule(CUmodule *hmod, CUfunction hfunc);

/* Name of a function */
CUresult CUDAAPI cuFuncGetName(const char **name, CUfunction hfunc);

/* Place and size of a parameter in a C struct of all, as extra has it */
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
		size_t *paramSize);

/* Oldest form of a launch: keep the threads of a block */
CUresult CUDAAPI cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z);

/* Keep the dynamic shared memory */
CUresult CUDAAPI cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes);

/* Keep how many bytes the parameters have */
CUresult CUDAAPI cuParamSetSize(CUfunction hfunc, unsigned int numbytes);

/* Keep a parameter, by its place in a C struct of all */
CUresult CUDAAPI cuParamSeti(CUfunction hfunc, int offset, unsigned int value);

/* The same of a float */
CUresult CUDAAPI cuParamSetf(CUfunction hfunc, int offset, float value);

/* The same of bytes */
CUresult CUDAAPI cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes);

/* Is a function on the device */
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function);

/* Put it there */
CUresult CUDAAPI cuFuncLoad(CUfunction function);

/* Memory -------------------------------------------------------------------------------------- */

/* Bytes of device memory that are free, and all */
CUresult CUDAAPI cuMemGetInfo_v2(size_t *free, size_t *total);

/* Device memory */
CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize);

/* Device memory for rows, each at a multiple of 512 bytes */
CUresult CUDAAPI cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes,
		size_t Height, unsigned int ElementSizeBytes);

/* Wait for the device, then free; 0 is no error */
CUresult CUDAAPI cuMemFree_v2(CUdeviceptr dptr);

/* Start and size of the allocation around an address */
CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr);

/* Pinned memory of the host, which kernels reach at the same address */
CUresult CUDAAPI cuMemAllocHost_v2(void **pp, size_t bytesize);

/* Free it */
CUresult CUDAAPI cuMemFreeHost(void *p);

/* As cuMemAllocHost(); all of it is portable and mapped */
CUresult CUDAAPI cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags);

/* Where the device sees pinned memory */
CUresult CUDAAPI cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags);

/* Flags of cuMemHostAlloc() */
CUresult CUDAAPI cuMemHostGetFlags(unsigned int *pFlags, void *p);

/* Pin memory of the program */
CUresult CUDAAPI cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags);

/* End that */
CUresult CUDAAPI cuMemHostUnregister(void *p);

/* Memory that both sides reach */
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags);

/* A hint about managed memory */
CUresult CUDAAPI cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);

/* The same with a place */
CUresult CUDAAPI cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
		CUmemLocation location);

/* A hint about managed memory */
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
		CUstream hStream);
CUresult CUDAAPI cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
		CUstream hStream);

/* The same with a place */
CUresult CUDAAPI cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
		unsigned int flags, CUstream hStream);
CUresult CUDAAPI cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count, CUmemLocation location,
		unsigned int flags, CUstream hStream);

/* One property of an address */
CUresult CUDAAPI cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr);

/* Several; what an address does not have is 0 */
CUresult CUDAAPI cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes,
		void **data, CUdeviceptr ptr);

/* SYNC_MEMOPS only, which is kept */
CUresult CUDAAPI cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
		CUdeviceptr ptr);

/* Memory of the device's pool in the order of a stream */
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);
CUresult CUDAAPI cuMemAllocAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUstream hStream);

/* The same of another pool */
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
		CUstream hStream);
CUresult CUDAAPI cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
		CUstream hStream);

/* Give it back in the order of a stream */
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream);
CUresult CUDAAPI cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream);

/* A pool */
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps);

/* End a pool */
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool);

/* Give free memory back to the device */
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep);

/* Change a pool */
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);

/* Ask a pool */
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value);

/* Reserve a range of addresses */
CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
		CUdeviceptr addr, unsigned long long flags);

/* Give it back, as a whole */
CUresult CUDAAPI cuMemAddressFree(CUdeviceptr ptr, size_t size);

/* Physical memory of the device in prop; no context is needed */
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		const CUmemAllocationProp *prop, unsigned long long flags);

/* Release it; it lives on while it is mapped */
CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle);

/* Map it into a reserved range, without access; offset must be 0 */
CUresult CUDAAPI cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
		CUmemGenericAllocationHandle handle, unsigned long long flags);

/* Undo whole mappings */
CUresult CUDAAPI cuMemUnmap(CUdeviceptr ptr, size_t size);

/* Give devices access to whole mappings */
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc,
		size_t count);

/* Ask for that */
CUresult CUDAAPI cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
		CUdeviceptr ptr);

/* Unit of these sizes, 2 MiB */
CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
		CUmemAllocationGranularity_flags option);

/* Where physical memory is */
CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
		CUmemGenericAllocationHandle handle);

/* The physical memory behind an address, one reference more */
CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr);

/* Name an allocation of device memory for other processes */
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr);

/* Map it there; the same handle gives the same address again */
CUresult CUDAAPI cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags);

/* Unmap it when it was closed as often as it was opened */
CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr dptr);

/* What was advised for managed memory, and where it was fetched to */
CUresult CUDAAPI cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
		CUdeviceptr devPtr, size_t count);

/* Several of these */
CUresult CUDAAPI cuMemRangeGetAttributes(void **data, size_t *dataSizes,
		CUmem_range_attribute *attributes, size_t numAttributes, CUdeviceptr devPtr,
		size_t count);

/* Accepts read and write access of the pool's own device, which always has it; refuses access of other devices */
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count);

/* Returns the access that a device has to the pool's memory */
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
		CUmemLocation *location);

/* Name a pool for other processes */
CUresult CUDAAPI cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
		CUmemAllocationHandleType handleType, unsigned long long flags);

/* Open it there */
CUresult CUDAAPI cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
		CUmemAllocationHandleType handleType, unsigned long long flags);

/* Name an allocation of it */
CUresult CUDAAPI cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr);

/* Open it there */
CUresult CUDAAPI cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
		CUmemPoolPtrExportData *shareData);

/* Name physical memory for other processes */
CUresult CUDAAPI cuMemExportToShareableHandle(void *shareableHandle,
		CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,
		unsigned long long flags);

/* Open it there */
CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
		CUmemAllocationHandleType shHandleType);

/* Name memory for other drivers (refused) */
CUresult CUDAAPI cuMemGetHandleForAddressRange(void *handle, CUdeviceptr dptr, size_t size,
		CUmemRangeHandleType handleType, unsigned long long flags);

/* Copies and fills ---------------------------------------------------------------------------- */

/* Copy between any two places */
CUresult CUDAAPI cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);
CUresult CUDAAPI cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount);

/* Copy between devices */
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
		CUcontext srcContext, size_t ByteCount);
CUresult CUDAAPI cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext,
		CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount);

/* Copy from the host */
CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount);
CUresult CUDAAPI cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount);

/* Copy to the host */
CUresult CUDAAPI cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);
CUresult CUDAAPI cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);

/* Copy on the device */
CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount);
CUresult CUDAAPI cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount);

/* Copy rows */
CUresult CUDAAPI cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy);
CUresult CUDAAPI cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy);

/* The same */
CUresult CUDAAPI cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy);
CUresult CUDAAPI cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *pCopy);

/* Copy a box */
CUresult CUDAAPI cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy);
CUresult CUDAAPI cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *pCopy);

/* Copy between any two places in a stream */
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream);
CUresult CUDAAPI cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount,
		CUstream hStream);

/* Copy between devices in a stream */
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext,
		CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount, CUstream hStream);
CUresult CUDAAPI cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext,
		CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount, CUstream hStream);

/* Copy from the host in a stream */
CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
		CUstream hStream);
CUresult CUDAAPI cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void *srcHost,
		size_t ByteCount, CUstream hStream);

/* Copy to the host in a stream */
CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
		CUstream hStream);
CUresult CUDAAPI cuMemcpyDtoHAsync_v2_ptsz(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
		CUstream hStream);

/* Copy on the device in a stream */
CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
		CUstream hStream);
CUresult CUDAAPI cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice,
		size_t ByteCount, CUstream hStream);

/* Copy rows in a stream */
CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream);
CUresult CUDAAPI cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy, CUstream hStream);

/* Copy a box in a stream */
CUresult CUDAAPI cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream);
CUresult CUDAAPI cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *pCopy, CUstream hStream);

/* Fill with bytes */
CUresult CUDAAPI cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N);
CUresult CUDAAPI cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N);

/* Fill with numbers of 16 bits */
CUresult CUDAAPI cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N);
CUresult CUDAAPI cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N);

/* Fill with numbers of 32 bits */
CUresult CUDAAPI cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N);
CUresult CUDAAPI cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N);

/* Fill rows with bytes */
CUresult CUDAAPI cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
		size_t Width, size_t Height);
CUresult CUDAAPI cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
		size_t Width, size_t Height);

/* Fill rows with numbers of 16 bits */
CUresult CUDAAPI cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
		size_t Width, size_t Height);
CUresult CUDAAPI cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
		size_t Width, size_t Height);

/* Fill rows with numbers of 32 bits */
CUresult CUDAAPI cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
		size_t Width, size_t Height);
CUresult CUDAAPI cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
		size_t Width, size_t Height);

/* Fill with bytes in a stream */
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream);
CUresult CUDAAPI cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N,
		CUstream hStream);

/* Fill with numbers of 16 bits in a stream */
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
		CUstream hStream);
CUresult CUDAAPI cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N,
		CUstream hStream);

/* Fill with numbers of 32 bits in a stream */
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream);
CUresult CUDAAPI cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N,
		CUstream hStream);

/* Fill rows with bytes in a stream */
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
		size_t Width, size_t Height, CUstream hStream);
CUresult CUDAAPI cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc,
		size_t Width, size_t Height, CUstream hStream);

/* Fill rows with numbers of 16 bits in a stream */
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
		size_t Width, size_t Height, CUstream hStream);
CUresult CUDAAPI cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us,
		size_t Width, size_t Height, CUstream hStream);

/* Fill rows with numbers of 32 bits in a stream */
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
		size_t Width, size_t Height, CUstream hStream);
CUresult CUDAAPI cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui,
		size_t Width, size_t Height, CUstream hStream);

/* Copy a box between devices */
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy);
CUresult CUDAAPI cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *pCopy);

/* Copy a box between devices in a stream */
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);
CUresult CUDAAPI cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream);

/* Streams ------------------------------------------------------------------------------------- */

/* A stream */
CUresult CUDAAPI cuStreamCreate(CUstream *phStream, unsigned int Flags);

/* A stream with a priority, which is brought into the range */
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority);

/* End a stream; its work goes on */
CUresult CUDAAPI cuStreamDestroy_v2(CUstream hStream);

/* Wait for a stream */
CUresult CUDAAPI cuStreamSynchronize(CUstream hStream);
CUresult CUDAAPI cuStreamSynchronize_ptsz(CUstream hStream);

/* Has it done all its work: SUCCESS or NOT_READY */
CUresult CUDAAPI cuStreamQuery(CUstream hStream);
CUresult CUDAAPI cuStreamQuery_ptsz(CUstream hStream);

/* Let a stream wait for an event */
CUresult CUDAAPI cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags);
CUresult CUDAAPI cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags);

/* Old form of cuLaunchHostFunc(), told whether the work before has failed */
CUresult CUDAAPI cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData,
		unsigned int flags);
CUresult CUDAAPI cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback,
		void *userData, unsigned int flags);

/* Priority of a stream */
CUresult CUDAAPI cuStreamGetPriority(CUstream hStream, int *priority);
CUresult CUDAAPI cuStreamGetPriority_ptsz(CUstream hStream, int *priority);

/* Flags of a stream; those of the other front do not wait for the legacy stream */
CUresult CUDAAPI cuStreamGetFlags(CUstream hStream, unsigned int *flags);
CUresult CUDAAPI cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags);

/* Context of a stream */
CUresult CUDAAPI cuStreamGetCtx(CUstream hStream, CUcontext *pctx);
CUresult CUDAAPI cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx);

/* Number of a stream */
CUresult CUDAAPI cuStreamGetId(CUstream hStream, unsigned long long *streamId);
CUresult CUDAAPI cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId);

/* Make attributes of a stream those of another */
CUresult CUDAAPI cuStreamCopyAttributes(CUstream dst, CUstream src);
CUresult CUDAAPI cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src);

/* One attribute of a stream */
CUresult CUDAAPI cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
		CUstreamAttrValue *value_out);
CUresult CUDAAPI cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
		CUstreamAttrValue *value_out);

/* Change it */
CUresult CUDAAPI cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
		const CUstreamAttrValue *value);
CUresult CUDAAPI cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
		const CUstreamAttrValue *value);

/* A hint: managed memory is always there for both sides */
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length,
		unsigned int flags);
CUresult CUDAAPI cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr, size_t length,
		unsigned int flags);

/* Wait for a number of 32 bits in memory */
CUresult CUDAAPI cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
		unsigned int flags);
CUresult CUDAAPI cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
		unsigned int flags);

/* Wait for a number in memory */
CUresult CUDAAPI cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
		unsigned int flags);
CUresult CUDAAPI cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
		unsigned int flags);

/* Store a number of 32 bits */
CUresult CUDAAPI cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
		unsigned int flags);
CUresult CUDAAPI cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value,
		unsigned int flags);

/* Store a number */
CUresult CUDAAPI cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
		unsigned int flags);
CUresult CUDAAPI cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value,
		unsigned int flags);

/* Record what is called for instead of running it */
CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode);
CUresult CUDAAPI cuStreamBeginCapture_v2_ptsz(CUstream hStream, CUstreamCaptureMode mode);

/* End the recording */
CUresult CUDAAPI cuStreamEndCapture(CUstream hStream, CUgraph *phGraph);
CUresult CUDAAPI cuStreamEndCapture_ptsz(CUstream hStream, CUgraph *phGraph);

/* Is a stream being recorded */
CUresult CUDAAPI cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus);
CUresult CUDAAPI cuStreamIsCapturing_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus);

/* The same, with graph and dependencies: the nodes behind which the next one comes */
CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream hStream,
		CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
		const CUgraphNode **dependencies_out, size_t *numDependencies_out);
CUresult CUDAAPI cuStreamGetCaptureInfo_v2_ptsz(CUstream hStream,
		CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
		const CUgraphNode **dependencies_out, size_t *numDependencies_out);

/* The same */
CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream hStream,
		CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
		const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
		size_t *numDependencies_out);
CUresult CUDAAPI cuStreamGetCaptureInfo_v3_ptsz(CUstream hStream,
		CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
		const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
		size_t *numDependencies_out);

/* Sets which unsafe calls this thread may not make while streams are recorded; gives the old mode */
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);

/* Several waits and stores in their order */
CUresult CUDAAPI cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
		CUstreamBatchMemOpParams *paramArray, unsigned int flags);
CUresult CUDAAPI cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned int count,
		CUstreamBatchMemOpParams *paramArray, unsigned int flags);

/* Change what the next node of a recording comes behind */
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
		size_t numDependencies, unsigned int flags);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_ptsz(CUstream hStream, CUgraphNode *dependencies,
		size_t numDependencies, unsigned int flags);

/* The same */
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
		const CUgraphEdgeData *dependencyData, size_t numDependencies, unsigned int flags);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream hStream,
		CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
		size_t numDependencies, unsigned int flags);

/* Record into a graph that there is */
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
		const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
		size_t numDependencies, CUstreamCaptureMode mode);
CUresult CUDAAPI cuStreamBeginCaptureToGraph_ptsz(CUstream hStream, CUgraph hGraph,
		const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
		size_t numDependencies, CUstreamCaptureMode mode);

/* Events -------------------------------------------------------------------------------------- */

/* An event */
CUresult CUDAAPI cuEventCreate(CUevent *phEvent, unsigned int Flags);

/* End an event, also one that is pending */
CUresult CUDAAPI cuEventDestroy_v2(CUevent hEvent);

/* The event is complete when the stream has done what it has now */
CUresult CUDAAPI cuEventRecord(CUevent hEvent, CUstream hStream);
CUresult CUDAAPI cuEventRecord_ptsz(CUevent hEvent, CUstream hStream);

/* The same, also as an event outside of a recording */
CUresult CUDAAPI cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags);
CUresult CUDAAPI cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags);

/* Is it complete: SUCCESS or NOT_READY */
CUresult CUDAAPI cuEventQuery(CUevent hEvent);

/* Wait for it */
CUresult CUDAAPI cuEventSynchronize(CUevent hEvent);

/* Milliseconds between two complete events */
CUresult CUDAAPI cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd);

/* Name an event for other processes */
CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event);

/* Open it there */
CUresult CUDAAPI cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle);

/* Launches ------------------------------------------------------------------------------------ */

/* Run a kernel */
CUresult CUDAAPI cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
		unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
		unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
		void **kernelParams, void **extra);
CUresult CUDAAPI cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
		unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
		unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
		void **kernelParams, void **extra);

/* Run a kernel with attributes, see Documentation/launch.md */
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
		void **extra);
CUresult CUDAAPI cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f,
		void **kernelParams, void **extra);

/* Run a kernel whose blocks are all there at the same time */
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX,
		unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
		unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
		CUstream hStream, void **kernelParams);
CUresult CUDAAPI cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX,
		unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
		unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
		CUstream hStream, void **kernelParams);

/* Oldest form: run a function as it was set up, one block */
CUresult CUDAAPI cuLaunch(CUfunction f);

/* The same with blocks in two axes */
CUresult CUDAAPI cuLaunchGrid(CUfunction f, int grid_width, int grid_height);

/* The same in a stream */
CUresult CUDAAPI cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream);

/* Call a function of the program in the order of a stream */
CUresult CUDAAPI cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData);
CUresult CUDAAPI cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void *userData);

/* One grid on several devices (refused) */
CUresult CUDAAPI cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
		unsigned int numDevices, unsigned int flags);

/* Occupancy ----------------------------------------------------------------------------------- */

/* Blocks that a core runs at a time */
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
		int blockSize, size_t dynamicSMemSize);

/* The same */
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
		CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags);

/* A good number of blocks and threads */
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
		CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
		int blockSizeLimit);

/* The same */
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
		CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
		size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags);

/* Shared memory that a launch may still ask for */
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
		int numBlocks, int blockSize);

/* Blocks that a cluster can have */
CUresult CUDAAPI cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
		const CUlaunchConfig *config);

/* Clusters that run at a time */
CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
		const CUlaunchConfig *config);

/* Graphs -------------------------------------------------------------------------------------- */

/* An empty graph */
CUresult CUDAAPI cuGraphCreate(CUgraph *phGraph, unsigned int flags);

/* Add a kernel; nodes run one after the other, in the order in which they were added if dependencies allow it */
CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_KERNEL_NODE_PARAMS *nodeParams);

/* Add a copy; pageable memory goes by pinned memory of the node */
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_MEMCPY3D *copyParams, CUcontext ctx);

/* Tells the parameters of a copy */
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams);

/* Change it */
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		const CUDA_MEMCPY3D *copyParams, CUcontext ctx);

/* Add a fill */
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx);

/* Tells the parameters of a fill */
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams);

/* Change it */
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode hNode,
		const CUDA_MEMSET_NODE_PARAMS *nodeParams);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx);

/* Add a function of the program */
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_HOST_NODE_PARAMS *nodeParams);

/* Tells the function and its argument */
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams);

/* Change it */
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		const CUDA_HOST_NODE_PARAMS *nodeParams);

/* Add a node that does nothing */
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies);

/* Add the record of an event of the program */
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies, CUevent event);

/* Its event */
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out);

/* Add the wait for an event of the program */
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies, CUevent event);

/* Its event */
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out);

/* Add a copy of a graph as one node */
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies, CUgraph childGraph);

/* That copy; changes of it count for what is instantiated later */
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph);

/* A graph with the same nodes */
CUresult CUDAAPI cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph);

/* End a graph; what was instantiated from it goes on */
CUresult CUDAAPI cuGraphDestroy(CUgraph hGraph);

/* Take a node out of its graph */
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode hNode);

/* Nodes of a graph in the order in which they run */
CUresult CUDAAPI cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes);

/* Nodes that come behind no other */
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes);

/* Dependencies; those of a recording are its order */
CUresult CUDAAPI cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
		size_t *numEdges);

/* The same with kinds of dependencies */
CUresult CUDAAPI cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to,
		CUgraphEdgeData *edgeData, size_t *numEdges);

/* Nodes that a node comes behind */
CUresult CUDAAPI cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies,
		size_t *numDependencies);

/* The same with kinds of dependencies */
CUresult CUDAAPI cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies,
		CUgraphEdgeData *edgeData, size_t *numDependencies);

/* Nodes that come behind it */
CUresult CUDAAPI cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
		size_t *numDependentNodes);

/* The same with kinds of dependencies */
CUresult CUDAAPI cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes,
		CUgraphEdgeData *edgeData, size_t *numDependentNodes);

/* Let nodes come behind others; none may wait for itself */
CUresult CUDAAPI cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from,
		const CUgraphNode *to, size_t numDependencies);

/* The same with kinds of dependencies */
CUresult CUDAAPI cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
		const CUgraphNode *to, const CUgraphEdgeData *edgeData, size_t numDependencies);

/* Undo that */
CUresult CUDAAPI cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from,
		const CUgraphNode *to, size_t numDependencies);

/* The same with kinds of dependencies */
CUresult CUDAAPI cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from,
		const CUgraphNode *to, const CUgraphEdgeData *edgeData, size_t numDependencies);

/* Kind of a node */
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type);

/* The node of a clone that stands for one of the original */
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode,
		CUgraph hClonedGraph);

/* Parameters of a kernel; kernelParams points to the node's own values */
CUresult CUDAAPI cuGraphKernelNodeGetParams_v2(CUgraphNode hNode,
		CUDA_KERNEL_NODE_PARAMS *nodeParams);

/* Change them */
CUresult CUDAAPI cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
		const CUDA_KERNEL_NODE_PARAMS *nodeParams);

/* One attribute of a kernel */
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
		CUkernelNodeAttrValue *value_out);

/* Change it */
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
		const CUkernelNodeAttrValue *value);

/* Make attributes of a kernel those of another */
CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src);

/* Make a graph ready for launches: a copy, which later changes of the graph leave alone */
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph,
		unsigned long long flags);

/* Flags that it was instantiated with */
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags);

/* Run it */
CUresult CUDAAPI cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream);
CUresult CUDAAPI cuGraphLaunch_ptsz(CUgraphExec hGraphExec, CUstream hStream);

/* Nothing to do: it is on the device already */
CUresult CUDAAPI cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream);
CUresult CUDAAPI cuGraphUpload_ptsz(CUgraphExec hGraphExec, CUstream hStream);

/* End what was instantiated */
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec hGraphExec);

/* Give it the parameters of a graph of the same shape */
CUresult CUDAAPI cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph,
		CUgraphExecUpdateResultInfo *resultInfo);

/* Change one kernel of it */
CUresult CUDAAPI cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
		const CUDA_KERNEL_NODE_PARAMS *nodeParams);

/* Let a kernel, a copy or a fill of it do nothing, or run again */
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
		unsigned int isEnabled);

/* Does it run */
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode,
		unsigned int *isEnabled);

/* The same with a structure */
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
		CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams);
CUresult CUDAAPI cuGraphInstantiateWithParams_ptsz(CUgraphExec *phGraphExec, CUgraph hGraph,
		CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams);

/* Change it */
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
		CUevent event);

/* Change it */
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode,
		CUevent event);

/* Give the graph in a node of what was instantiated other parameters (refused) */
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		CUgraph childGraph);

/* Add a node of any kind */
CUresult CUDAAPI cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		CUgraphNodeParams *nodeParams);

/* The same with kinds of dependencies, of which there is one */
CUresult CUDAAPI cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
		size_t numDependencies, CUgraphNodeParams *nodeParams);

/* Change a node of any kind */
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams);

/* Change it in what was instantiated */
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		CUgraphNodeParams *nodeParams);

/* Write a graph to a file for graphviz */
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags);

/* An object of the program that is counted, and ends with the last use */
CUresult CUDAAPI cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
		unsigned int initialRefcount, unsigned int flags);

/* More uses of it */
CUresult CUDAAPI cuUserObjectRetain(CUuserObject object, unsigned int count);

/* Fewer */
CUresult CUDAAPI cuUserObjectRelease(CUuserObject object, unsigned int count);

/* Uses of it by a graph and what is instantiated from that */
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
		unsigned int flags);

/* End these */
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count);

/* Add an allocation, whose address is known at once */
CUresult CUDAAPI cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams);

/* Its parameters and its address */
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode hNode,
		CUDA_MEM_ALLOC_NODE_PARAMS *params_out);

/* Add the end of an allocation */
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies, CUdeviceptr dptr);

/* Its address */
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out);

/* Bytes that graphs of a device have, and had at most */
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
		void *value);

/* Count the most anew */
CUresult CUDAAPI cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr,
		void *value);

/* Nothing to do: memory ends with its graphs */
CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice device);

/* A condition */
CUresult CUDAAPI cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out,
		CUgraph hGraph, CUcontext ctx, unsigned int defaultLaunchValue, unsigned int flags);

/* Add waits and stores (refused) */
CUresult CUDAAPI cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams);

/* Tell them (refused) */
CUresult CUDAAPI cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
		CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out);

/* Change them (refused) */
CUresult CUDAAPI cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
		const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams);

/* Change them in what was instantiated (refused) */
CUresult CUDAAPI cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
		const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams);

/* Add a signal of semaphores (refused) */
CUresult CUDAAPI cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams);

/* Tell it (refused) */
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode hNode,
		CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params_out);

/* Change it (refused) */
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode hNode,
		const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams);

/* Change it in what was instantiated (refused) */
CUresult CUDAAPI cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec hGraphExec,
		CUgraphNode hNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *nodeParams);

/* Add a wait for semaphores (refused) */
CUresult CUDAAPI cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph,
		const CUgraphNode *dependencies, size_t numDependencies,
		const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams);

/* Tell it (refused) */
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode hNode,
		CUDA_EXT_SEM_WAIT_NODE_PARAMS *params_out);

/* Change it (refused) */
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode hNode,
		const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams);

/* Change it in what was instantiated (refused) */
CUresult CUDAAPI cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec hGraphExec,
		CUgraphNode hNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *nodeParams);

/* Other --------------------------------------------------------------------------------------- */

/* Nothing to do: nothing profiles */
CUresult CUDAAPI cuProfilerStart(void);

/* Nothing to do: nothing profiles */
CUresult CUDAAPI cuProfilerStop(void);

/* Core files of kernels: ANPU_DIRECT has core= for these (refused) */
CUresult CUDAAPI cuCoredumpGetAttribute(CUcoredumpSettings attrib, void *value, size_t *size);

/* The same for the process (refused) */
CUresult CUDAAPI cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size);

/* Change one (refused) */
CUresult CUDAAPI cuCoredumpSetAttribute(CUcoredumpSettings attrib, void *value, size_t *size);

/* The same for the process (refused) */
CUresult CUDAAPI cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void *value, size_t *size);

/* A file of a profiler (refused) */
CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile,
		CUoutput_mode outputMode);

/* Arrays, textures, surfaces ------------------------------------------------------------------ */

/* Make an array (refused) */
CUresult CUDAAPI cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray);

/* Ask for a property of an array (refused) */
CUresult CUDAAPI cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray);

/* Make an array (refused) */
CUresult CUDAAPI cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray);

/* End an array (refused) */
CUresult CUDAAPI cuArrayDestroy(CUarray hArray);

/* Ask for a property of an array (refused) */
CUresult CUDAAPI cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray);

/* Ask for a property of an array (refused) */
CUresult CUDAAPI cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements,
		CUarray array, CUdevice device);

/* Ask for a property of an array (refused) */
CUresult CUDAAPI cuArrayGetPlane(CUarray *pPlaneArray, CUarray hArray, unsigned int planeIdx);

/* Ask for a property of an array (refused) */
CUresult CUDAAPI cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
		CUarray array);

/* Ask for a property of a texture (refused) */
CUresult CUDAAPI cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
		CUarray_format format, unsigned int numChannels, CUdevice dev);

/* Map a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsMapResources(unsigned int count, CUgraphicsResource *resources,
		CUstream hStream);
CUresult CUDAAPI cuGraphicsMapResources_ptsz(unsigned int count, CUgraphicsResource *resources,
		CUstream hStream);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *pMipmappedArray,
		CUgraphicsResource resource);

/* Ask for a property of a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *pDevPtr, size_t *pSize,
		CUgraphicsResource resource);

/* Change a property of a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags);

/* Ask for a property of a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsSubResourceGetMappedArray(CUarray *pArray, CUgraphicsResource resource,
		unsigned int arrayIndex, unsigned int mipLevel);

/* Unmap a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource *resources,
		CUstream hStream);
CUresult CUDAAPI cuGraphicsUnmapResources_ptsz(unsigned int count, CUgraphicsResource *resources,
		CUstream hStream);

/* End a resource of a graphics API (refused) */
CUresult CUDAAPI cuGraphicsUnregisterResource(CUgraphicsResource resource);

/* Map an array (refused) */
CUresult CUDAAPI cuMemMapArrayAsync(CUarrayMapInfo *mapInfoList, unsigned int count,
		CUstream hStream);
CUresult CUDAAPI cuMemMapArrayAsync_ptsz(CUarrayMapInfo *mapInfoList, unsigned int count,
		CUstream hStream);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray,
		size_t srcOffset, size_t ByteCount);
CUresult CUDAAPI cuMemcpyAtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUarray srcArray,
		size_t srcOffset, size_t ByteCount);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
		size_t ByteCount);
CUresult CUDAAPI cuMemcpyAtoD_v2_ptds(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
		size_t ByteCount);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset,
		size_t ByteCount, CUstream hStream);
CUresult CUDAAPI cuMemcpyAtoHAsync_v2_ptsz(void *dstHost, CUarray srcArray, size_t srcOffset,
		size_t ByteCount, CUstream hStream);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount);
CUresult CUDAAPI cuMemcpyAtoH_v2_ptds(void *dstHost, CUarray srcArray, size_t srcOffset,
		size_t ByteCount);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
		size_t ByteCount);
CUresult CUDAAPI cuMemcpyDtoA_v2_ptds(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
		size_t ByteCount);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
		size_t ByteCount, CUstream hStream);
CUresult CUDAAPI cuMemcpyHtoAAsync_v2_ptsz(CUarray dstArray, size_t dstOffset, const void *srcHost,
		size_t ByteCount, CUstream hStream);

/* Copy from or to an array (refused) */
CUresult CUDAAPI cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost,
		size_t ByteCount);
CUresult CUDAAPI cuMemcpyHtoA_v2_ptds(CUarray dstArray, size_t dstOffset, const void *srcHost,
		size_t ByteCount);

/* Make an array with levels (refused) */
CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *pHandle,
		const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned int numMipmapLevels);

/* End an array with levels (refused) */
CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray,
		unsigned int level);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuMipmappedArrayGetMemoryRequirements(
		CUDA_ARRAY_MEMORY_REQUIREMENTS *memoryRequirements, CUmipmappedArray mipmap,
		CUdevice device);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *sparseProperties,
		CUmipmappedArray mipmap);

/* Ask for a property of a surface reference (refused) */
CUresult CUDAAPI cuModuleGetSurfRef(CUsurfref *pSurfRef, CUmodule hmod, const char *name);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuModuleGetTexRef(CUtexref *pTexRef, CUmodule hmod, const char *name);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef);

/* Make a surface object (refused) */
CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc);

/* End a surface object (refused) */
CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject surfObject);

/* Ask for a property of a surface object (refused) */
CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject);

/* Ask for a property of a surface reference (refused) */
CUresult CUDAAPI cuSurfRefGetArray(CUarray *phArray, CUsurfref hSurfRef);

/* Change a property of a surface reference (refused) */
CUresult CUDAAPI cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags);

/* Describe a tensor by a tensor map (refused) */
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
		cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
		const cuuint64_t *globalStrides, const int *pixelBoxLowerCorner,
		const int *pixelBoxUpperCorner, cuuint32_t channelsPerPixel,
		cuuint32_t pixelsPerColumn, const cuuint32_t *elementStrides,
		CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
		CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill);

/* Describe a tensor by a tensor map (refused) */
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
		cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
		const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
		const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
		CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
		CUtensorMapFloatOOBfill oobFill);

/* Change the address of a tensor map (refused) */
CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress);

/* Make a texture object (refused) */
CUresult CUDAAPI cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
		const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc);

/* End a texture object (refused) */
CUresult CUDAAPI cuTexObjectDestroy(CUtexObject texObject);

/* Ask for a property of a texture object (refused) */
CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject);

/* Ask for a property of a texture object (refused) */
CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc,
		CUtexObject texObject);

/* Ask for a property of a texture object (refused) */
CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject);

/* Make a texture reference (refused) */
CUresult CUDAAPI cuTexRefCreate(CUtexref *pTexRef);

/* End a texture reference (refused) */
CUresult CUDAAPI cuTexRefDestroy(CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode *pam, CUtexref hTexRef, int dim);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetAddress_v2(CUdeviceptr *pdptr, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetArray(CUarray *phArray, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode *pfm, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetFlags(unsigned int *pFlags, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int *pmaxAniso, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetMipmapFilterMode(CUfilter_mode *pfm, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetMipmapLevelBias(float *pbias, CUtexref hTexRef);

/* Ask for a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp,
		float *pmaxMipmapLevelClamp, CUtexref hTexRef);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuTexRefGetMipmappedArray(CUmipmappedArray *phMipmappedArray, CUtexref hTexRef);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc,
		CUdeviceptr dptr, size_t Pitch);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
		size_t bytes);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias);

/* Change a property of a texture reference (refused) */
CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
		float maxMipmapLevelClamp);

/* Change a property of an array with levels (refused) */
CUresult CUDAAPI cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
		unsigned int Flags);

/* Memory and semaphores of other APIs --------------------------------------------------------- */

/* End memory of another API (refused) */
CUresult CUDAAPI cuDestroyExternalMemory(CUexternalMemory extMem);

/* End a semaphore of another API (refused) */
CUresult CUDAAPI cuDestroyExternalSemaphore(CUexternalSemaphore extSem);

/* Ask for a property of memory of another API (refused) */
CUresult CUDAAPI cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
		const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc);

/* Ask for a property of an array with levels (refused) */
CUresult CUDAAPI cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *mipmap,
		CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *mipmapDesc);

/* Open memory of another API (refused) */
CUresult CUDAAPI cuImportExternalMemory(CUexternalMemory *extMem_out,
		const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc);

/* Open a semaphore of another API (refused) */
CUresult CUDAAPI cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
		const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc);

/* Signal a semaphore of another API (refused) */
CUresult CUDAAPI cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray, unsigned int numExtSems,
		CUstream stream);
CUresult CUDAAPI cuSignalExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray, unsigned int numExtSems,
		CUstream stream);

/* Wait for a semaphore of another API (refused) */
CUresult CUDAAPI cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray, unsigned int numExtSems,
		CUstream stream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync_ptsz(const CUexternalSemaphore *extSemArray,
		const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray, unsigned int numExtSems,
		CUstream stream);

/* Parts of a device, several devices at one address ------------------------------------------- */

/* The CUcontext of a context with a part of the cores (refused) */
CUresult CUDAAPI cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx);

/* Ask for a property of parts of a device (refused) */
CUresult CUDAAPI cuCtxGetDevResource(CUcontext hCtx, CUdevResource *resource, CUdevResourceType type);

/* Choose parts of a device (refused) */
CUresult CUDAAPI cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
		unsigned int nbResources);

/* Split parts of a device (refused) */
CUresult CUDAAPI cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
		const CUdevResource *input, CUdevResource *remaining, unsigned int useFlags,
		unsigned int minCount);

/* Ask for a property of parts of a device (refused) */
CUresult CUDAAPI cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
		CUdevResourceType type);

/* Make a context with a part of the cores (refused) */
CUresult CUDAAPI cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
		unsigned int flags);

/* End a context with a part of the cores (refused) */
CUresult CUDAAPI cuGreenCtxDestroy(CUgreenCtx hCtx);

/* Ask for a property of a context with a part of the cores (refused) */
CUresult CUDAAPI cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
		CUdevResourceType type);

/* Record an event in a context with a part of the cores (refused) */
CUresult CUDAAPI cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent);

/* Wait for an event in a context with a part of the cores (refused) */
CUresult CUDAAPI cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent);

/* Add a device to memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastAddDevice(CUmemGenericAllocationHandle mcHandle, CUdevice dev);

/* Bind memory to memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastBindAddr(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
		CUdeviceptr memptr, size_t size, unsigned long long flags);

/* Bind memory to memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastBindMem(CUmemGenericAllocationHandle mcHandle, size_t mcOffset,
		CUmemGenericAllocationHandle memHandle, size_t memOffset, size_t size,
		unsigned long long flags);

/* Make memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastCreate(CUmemGenericAllocationHandle *mcHandle,
		const CUmulticastObjectProp *prop);

/* Ask for a property of memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastGetGranularity(size_t *granularity, const CUmulticastObjectProp *prop,
		CUmulticastGranularity_flags option);

/* Unbind memory of several devices at one address (refused) */
CUresult CUDAAPI cuMulticastUnbind(CUmemGenericAllocationHandle mcHandle, CUdevice dev,
		size_t mcOffset, size_t size);

/* Ask for a property of a context with a part of the cores (refused) */
CUresult CUDAAPI cuStreamGetGreenCtx(CUstream hStream, CUgreenCtx *phCtx);

#ifdef __cplusplus
}
#endif

#include "cuda_newer.h"

#endif /* ANPU_CUDA_H */
