/* SPDX-License-Identifier: MIT */
/*
 * A part of the runtime API, for programs that launch by the driver API and use some calls of the other one: memory,
 * streams, events, devices. Each call is inline and made of driver calls; the device's primary context is made current
 * when a thread has none. Kernels are launched by cuLaunchKernel(): there is no <<<>>> for host compilers.
 */
#ifndef ANPU_CUDA_RUNTIME_API_H
#define ANPU_CUDA_RUNTIME_API_H

#include <string.h>

#include "driver_types.h"

#define CUDART_VERSION CUDA_VERSION
#define CUDARTAPI
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#endif
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One for all files of a program: the thread's latest failure, and its device */
__attribute__((weak)) __thread cudaError_t anpu_cudart_last;
__attribute__((weak)) __thread int anpu_cudart_device;

/* Codes of the driver API that the runtime numbers or names otherwise */
static inline cudaError_t anpu_cudart_code(CUresult code)
{
	switch ((int)code) {
	case CUDA_SUCCESS:
		return cudaSuccess;
	case CUDA_ERROR_INVALID_IMAGE:
		return anpu_cudart_last = cudaErrorInvalidKernelImage;
	case CUDA_ERROR_INVALID_CONTEXT:
		return anpu_cudart_last = cudaErrorDeviceUninitialized;
	default:
		return anpu_cudart_last = (cudaError_t)code;
	}
}

/* The thread gets a context if it has none */
static inline CUresult anpu_cudart_ready(void)
{
	CUcontext ctx = NULL;
	CUresult ret = cuCtxGetCurrent(&ctx);

	if (ret == CUDA_ERROR_NOT_INITIALIZED) {
		ret = cuInit(0);
		if (!ret)
			ret = cuCtxGetCurrent(&ctx);
	}
	if (ret || ctx)
		return ret;
	ret = cuDevicePrimaryCtxRetain(&ctx, anpu_cudart_device);
	return ret ? ret : cuCtxSetCurrent(ctx);
}

#define ANPU_CUDART(call) \
	do { \
		CUresult anpu_ret_ = anpu_cudart_ready(); \
		return anpu_cudart_code(anpu_ret_ ? anpu_ret_ : (call)); \
	} while (0)

/* Failures --------------------------------------------------------------------------------------------- */

static inline cudaError_t cudaGetLastError(void)
{
	cudaError_t last = anpu_cudart_last;

	anpu_cudart_last = cudaSuccess;
	return last;
}

static inline cudaError_t cudaPeekAtLastError(void)
{
	return anpu_cudart_last;
}

static inline const char *cudaGetErrorName(cudaError_t error)
{
#define ANPU_CUDART_NAME(name, value) case name: return #name;
	switch (error) {
	ANPU_CUDART_CODES(ANPU_CUDART_NAME)
	default:
		return "unrecognized error code";
	}
#undef ANPU_CUDART_NAME
}

static inline const char *cudaGetErrorString(cudaError_t error)
{
	const char *text = NULL;

	return cuGetErrorString((CUresult)error, &text) ? cudaGetErrorName(error) : text;
}

/* Devices ---------------------------------------------------------------------------------------------- */

static inline cudaError_t cudaDriverGetVersion(int *driverVersion)
{
	return anpu_cudart_code(cuDriverGetVersion(driverVersion));
}

static inline cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
	if (!runtimeVersion)
		return anpu_cudart_code(CUDA_ERROR_INVALID_VALUE);
	*runtimeVersion = CUDART_VERSION;
	return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
	CUresult ret = cuInit(0);

	return anpu_cudart_code(ret ? ret : cuDeviceGetCount(count));
}

static inline cudaError_t cudaSetDevice(int device)
{
	CUcontext ctx = NULL;
	CUresult ret = cuInit(0);

	if (!ret)
		ret = cuDevicePrimaryCtxRetain(&ctx, device);
	if (!ret)
		ret = cuCtxSetCurrent(ctx);
	if (!ret)
		anpu_cudart_device = device;
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaGetDevice(int *device)
{
	ANPU_CUDART(cuCtxGetDevice(device));
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device)
{
	CUresult ret = cuInit(0);

	return anpu_cudart_code(ret ? ret : cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device));
}

static inline cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	static const struct {
		CUdevice_attribute attr;
		size_t at;
	} numbers[] = {
#define ANPU_CUDART_AT(attr, field) { CU_DEVICE_ATTRIBUTE_##attr, __builtin_offsetof(struct cudaDeviceProp, field) }
		ANPU_CUDART_AT(MAX_REGISTERS_PER_BLOCK, regsPerBlock),
		ANPU_CUDART_AT(WARP_SIZE, warpSize),
		ANPU_CUDART_AT(MAX_THREADS_PER_BLOCK, maxThreadsPerBlock),
		ANPU_CUDART_AT(MAX_BLOCK_DIM_X, maxThreadsDim[0]),
		ANPU_CUDART_AT(MAX_BLOCK_DIM_Y, maxThreadsDim[1]),
		ANPU_CUDART_AT(MAX_BLOCK_DIM_Z, maxThreadsDim[2]),
		ANPU_CUDART_AT(MAX_GRID_DIM_X, maxGridSize[0]),
		ANPU_CUDART_AT(MAX_GRID_DIM_Y, maxGridSize[1]),
		ANPU_CUDART_AT(MAX_GRID_DIM_Z, maxGridSize[2]),
		ANPU_CUDART_AT(CLOCK_RATE, clockRate),
		ANPU_CUDART_AT(COMPUTE_CAPABILITY_MAJOR, major),
		ANPU_CUDART_AT(COMPUTE_CAPABILITY_MINOR, minor),
		ANPU_CUDART_AT(MULTIPROCESSOR_COUNT, multiProcessorCount),
		ANPU_CUDART_AT(INTEGRATED, integrated),
		ANPU_CUDART_AT(CAN_MAP_HOST_MEMORY, canMapHostMemory),
		ANPU_CUDART_AT(COMPUTE_MODE, computeMode),
		ANPU_CUDART_AT(CONCURRENT_KERNELS, concurrentKernels),
		ANPU_CUDART_AT(ECC_ENABLED, ECCEnabled),
		ANPU_CUDART_AT(PCI_BUS_ID, pciBusID),
		ANPU_CUDART_AT(PCI_DEVICE_ID, pciDeviceID),
		ANPU_CUDART_AT(PCI_DOMAIN_ID, pciDomainID),
		ANPU_CUDART_AT(ASYNC_ENGINE_COUNT, asyncEngineCount),
		ANPU_CUDART_AT(UNIFIED_ADDRESSING, unifiedAddressing),
		ANPU_CUDART_AT(MEMORY_CLOCK_RATE, memoryClockRate),
		ANPU_CUDART_AT(GLOBAL_MEMORY_BUS_WIDTH, memoryBusWidth),
		ANPU_CUDART_AT(L2_CACHE_SIZE, l2CacheSize),
		ANPU_CUDART_AT(MAX_THREADS_PER_MULTIPROCESSOR, maxThreadsPerMultiProcessor),
		ANPU_CUDART_AT(MANAGED_MEMORY, managedMemory),
		ANPU_CUDART_AT(COOPERATIVE_LAUNCH, cooperativeLaunch),
#undef ANPU_CUDART_AT
	};
	int shared = 0, constants = 0, pitch = 0;
	CUresult ret = prop ? cuInit(0) : CUDA_ERROR_INVALID_VALUE;
	size_t i;

	if (!ret) {
		memset(prop, 0, sizeof(*prop));
		ret = cuDeviceGetName(prop->name, sizeof(prop->name), device);
	}
	if (!ret)
		ret = cuDeviceGetUuid(&prop->uuid, device);
	if (!ret)
		ret = cuDeviceTotalMem(&prop->totalGlobalMem, device);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !ret; i++)
		ret = cuDeviceGetAttribute((int *)((char *)prop + numbers[i].at), numbers[i].attr, device);
	if (!ret)
		ret = cuDeviceGetAttribute(&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device);
	if (!ret)
		ret = cuDeviceGetAttribute(&constants, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, device);
	if (!ret)
		ret = cuDeviceGetAttribute(&pitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH, device);
	if (!ret) {
		prop->sharedMemPerBlock = (size_t)shared;
		prop->totalConstMem = (size_t)constants;
		prop->memPitch = (size_t)pitch;
	}
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
	ANPU_CUDART(cuCtxSynchronize());
}

static inline cudaError_t cudaDeviceReset(void)
{
	ANPU_CUDART(cuDevicePrimaryCtxReset(anpu_cudart_device));
}

static inline cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	CUresult ret = cuInit(0);

	return anpu_cudart_code(ret ? ret : cuDevicePrimaryCtxSetFlags(anpu_cudart_device, flags));
}

static inline cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
	CUresult ret = cuInit(0);

	return anpu_cudart_code(ret ? ret : cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

/* Memory ----------------------------------------------------------------------------------------------- */

static inline cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	CUdeviceptr p = 0;
	CUresult ret = devPtr ? anpu_cudart_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!ret && size)
		ret = cuMemAlloc(&p, size);
	if (!ret)
		*devPtr = (void *)(uintptr_t)p;
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
	CUdeviceptr p = 0;
	CUresult ret = devPtr ? anpu_cudart_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!ret)
		ret = cuMemAllocPitch(&p, pitch, width, height, 4);
	if (!ret)
		*devPtr = (void *)(uintptr_t)p;
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
	CUdeviceptr p = 0;
	CUresult ret = devPtr ? anpu_cudart_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!ret)
		ret = cuMemAllocManaged(&p, size, flags);
	if (!ret)
		*devPtr = (void *)(uintptr_t)p;
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaFree(void *devPtr)
{
	ANPU_CUDART(cuMemFree((uintptr_t)devPtr));
}

static inline cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	ANPU_CUDART(cuMemAllocHost(ptr, size));
}

static inline cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
	ANPU_CUDART(cuMemHostAlloc(pHost, size, flags));
}

static inline cudaError_t cudaFreeHost(void *ptr)
{
	if (!ptr)
		return cudaSuccess;
	ANPU_CUDART(cuMemFreeHost(ptr));
}

static inline cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	ANPU_CUDART(cuMemHostRegister(ptr, size, flags));
}

static inline cudaError_t cudaHostUnregister(void *ptr)
{
	ANPU_CUDART(cuMemHostUnregister(ptr));
}

static inline cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
	CUdeviceptr p = 0;
	CUresult ret = pDevice ? anpu_cudart_ready() : CUDA_ERROR_INVALID_VALUE;

	if (!ret)
		ret = cuMemHostGetDevicePointer(&p, pHost, flags);
	if (!ret)
		*pDevice = (void *)(uintptr_t)p;
	return anpu_cudart_code(ret);
}

static inline cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
	ANPU_CUDART(cuMemGetInfo(free, total));
}

static inline CUresult anpu_cudart_copy(void *dst, const void *src, size_t count, cudaMemcpyKind kind, int async,
					cudaStream_t stream)
{
	CUdeviceptr to = (uintptr_t)dst, from = (uintptr_t)src;

	if (!count)
		return CUDA_SUCCESS;
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return async ? cuMemcpyHtoDAsync(to, src, count, stream) : cuMemcpyHtoD(to, src, count);
	case cudaMemcpyDeviceToHost:
		return async ? cuMemcpyDtoHAsync(dst, from, count, stream) : cuMemcpyDtoH(dst, from, count);
	case cudaMemcpyDeviceToDevice:
		return async ? cuMemcpyDtoDAsync(to, from, count, stream) : cuMemcpyDtoD(to, from, count);
	case cudaMemcpyHostToHost:
	case cudaMemcpyDefault:
		return async ? cuMemcpyAsync(to, from, count, stream) : cuMemcpy(to, from, count);
	default:
		return (CUresult)cudaErrorInvalidMemcpyDirection;
	}
}

static inline cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, cudaMemcpyKind kind)
{
	ANPU_CUDART(anpu_cudart_copy(dst, src, count, kind, 0, NULL));
}

static inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream)
{
	ANPU_CUDART(anpu_cudart_copy(dst, src, count, kind, 1, stream));
}

static inline cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
	ANPU_CUDART(count ? cuMemsetD8((uintptr_t)devPtr, (unsigned char)value, count) : CUDA_SUCCESS);
}

static inline cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
	ANPU_CUDART(count ? cuMemsetD8Async((uintptr_t)devPtr, (unsigned char)value, count, stream) : CUDA_SUCCESS);
}

/* Streams and events ----------------------------------------------------------------------------------- */

static inline cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
	ANPU_CUDART(cuStreamCreate(pStream, CU_STREAM_DEFAULT));
}

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
	ANPU_CUDART(cuStreamCreate(pStream, flags));
}

static inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
	ANPU_CUDART(cuStreamCreateWithPriority(pStream, flags, priority));
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	ANPU_CUDART(cuStreamDestroy(stream));
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	ANPU_CUDART(cuStreamSynchronize(stream));
}

static inline cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	ANPU_CUDART(cuStreamQuery(stream));
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	ANPU_CUDART(cuStreamWaitEvent(stream, event, flags));
}

static inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, CUhostFn fn, void *userData)
{
	ANPU_CUDART(cuLaunchHostFunc(stream, fn, userData));
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	ANPU_CUDART(cuEventCreate(event, CU_EVENT_DEFAULT));
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	ANPU_CUDART(cuEventCreate(event, flags));
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	ANPU_CUDART(cuEventRecord(event, stream));
}

static inline cudaError_t cudaEventQuery(cudaEvent_t event)
{
	ANPU_CUDART(cuEventQuery(event));
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	ANPU_CUDART(cuEventSynchronize(event));
}

static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	ANPU_CUDART(cuEventElapsedTime(ms, start, end));
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	ANPU_CUDART(cuEventDestroy(event));
}

#ifdef __cplusplus
}

/* For C++: default values of arguments, and pointers of any type */
static inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
	return cudaEventRecord(event, NULL);
}

static inline cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(dst, src, count, kind, NULL);
}

static inline cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count)
{
	return cudaMemsetAsync(devPtr, value, count, NULL);
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
	return cudaStreamWaitEvent(stream, event, 0);
}

template <class T> static inline cudaError_t cudaMalloc(T **devPtr, size_t size)
{
	return cudaMalloc((void **)(void *)devPtr, size);
}

template <class T> static inline cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
	return cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
	return cudaHostAlloc((void **)(void *)ptr, size, flags);
}

template <class T> static inline cudaError_t cudaMallocManaged(T **devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged((void **)(void *)devPtr, size, flags);
}

template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned int flags)
{
	return cudaHostGetDevicePointer((void **)(void *)pDevice, pHost, flags);
}
#endif

#endif /* ANPU_CUDA_RUNTIME_API_H */
