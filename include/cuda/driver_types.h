/* SPDX-License-Identifier: MIT */
/* Types and codes of the runtime API, as far as cuda_runtime_api.h has it. The codes are those of the driver API. */
#ifndef ANPU_CUDA_DRIVER_TYPES_H
#define ANPU_CUDA_DRIVER_TYPES_H

#include "cuda.h"
#include "vector_types.h"

/* Programs and other headers look at this name to know that the header was included */
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__
#endif

/* X(name, value): those whose driver code has the same number, and a few of the runtime's own */
#define ANPU_CUDART_CODES(X)                            \
	X(cudaSuccess, 0)                               \
	X(cudaErrorInvalidValue, 1)                     \
	X(cudaErrorMemoryAllocation, 2)                 \
	X(cudaErrorInitializationError, 3)              \
	X(cudaErrorCudartUnloading, 4)                  \
	X(cudaErrorInvalidConfiguration, 9)             \
	X(cudaErrorInvalidPitchValue, 12)               \
	X(cudaErrorInvalidSymbol, 13)                   \
	X(cudaErrorInvalidMemcpyDirection, 21)          \
	X(cudaErrorInsufficientDriver, 35)              \
	X(cudaErrorNoDevice, 100)                       \
	X(cudaErrorInvalidDevice, 101)                  \
	X(cudaErrorInvalidKernelImage, 200)             \
	X(cudaErrorDeviceUninitialized, 201)            \
	X(cudaErrorNoKernelImageForDevice, 209)         \
	X(cudaErrorInvalidPtx, 218)                     \
	X(cudaErrorFileNotFound, 301)                   \
	X(cudaErrorOperatingSystem, 304)                \
	X(cudaErrorInvalidResourceHandle, 400)          \
	X(cudaErrorIllegalState, 401)                   \
	X(cudaErrorSymbolNotFound, 500)                 \
	X(cudaErrorNotReady, 600)                       \
	X(cudaErrorIllegalAddress, 700)                 \
	X(cudaErrorLaunchOutOfResources, 701)           \
	X(cudaErrorLaunchTimeout, 702)                  \
	X(cudaErrorPeerAccessAlreadyEnabled, 704)       \
	X(cudaErrorPeerAccessNotEnabled, 705)           \
	X(cudaErrorContextIsDestroyed, 709)             \
	X(cudaErrorAssert, 710)                         \
	X(cudaErrorHostMemoryAlreadyRegistered, 712)    \
	X(cudaErrorHostMemoryNotRegistered, 713)        \
	X(cudaErrorHardwareStackError, 714)             \
	X(cudaErrorIllegalInstruction, 715)             \
	X(cudaErrorMisalignedAddress, 716)              \
	X(cudaErrorInvalidAddressSpace, 717)            \
	X(cudaErrorInvalidPc, 718)                      \
	X(cudaErrorLaunchFailure, 719)                  \
	X(cudaErrorCooperativeLaunchTooLarge, 720)      \
	X(cudaErrorNotPermitted, 800)                   \
	X(cudaErrorNotSupported, 801)                   \
	X(cudaErrorUnknown, 999)

#define ANPU_CUDART_ENUM(name, value) name = value,
typedef enum cudaError {
	ANPU_CUDART_CODES(ANPU_CUDART_ENUM)
	cudaErrorApiFailureBase = 10000
} cudaError_t;
#undef ANPU_CUDART_ENUM

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;

typedef enum cudaMemcpyKind {
	cudaMemcpyHostToHost     = 0,
	cudaMemcpyHostToDevice   = 1,
	cudaMemcpyDeviceToHost   = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault        = 4
} cudaMemcpyKind;

typedef enum cudaComputeMode {
	cudaComputeModeDefault          = 0,
	cudaComputeModeExclusive        = 1,
	cudaComputeModeProhibited       = 2,
	cudaComputeModeExclusiveProcess = 3
} cudaComputeMode;

/* Some numbers of cudaDeviceGetAttribute(), which are those of cuDeviceGetAttribute() */
typedef enum cudaDeviceAttr {
	cudaDevAttrMaxThreadsPerBlock          = 1,
	cudaDevAttrMaxBlockDimX                = 2,
	cudaDevAttrMaxBlockDimY                = 3,
	cudaDevAttrMaxBlockDimZ                = 4,
	cudaDevAttrMaxGridDimX                 = 5,
	cudaDevAttrMaxGridDimY                 = 6,
	cudaDevAttrMaxGridDimZ                 = 7,
	cudaDevAttrMaxSharedMemoryPerBlock     = 8,
	cudaDevAttrTotalConstantMemory         = 9,
	cudaDevAttrWarpSize                    = 10,
	cudaDevAttrMaxPitch                    = 11,
	cudaDevAttrMaxRegistersPerBlock        = 12,
	cudaDevAttrClockRate                   = 13,
	cudaDevAttrGpuOverlap                  = 15,
	cudaDevAttrMultiProcessorCount         = 16,
	cudaDevAttrKernelExecTimeout           = 17,
	cudaDevAttrIntegrated                  = 18,
	cudaDevAttrCanMapHostMemory            = 19,
	cudaDevAttrComputeMode                 = 20,
	cudaDevAttrConcurrentKernels           = 31,
	cudaDevAttrEccEnabled                  = 32,
	cudaDevAttrMemoryClockRate             = 36,
	cudaDevAttrGlobalMemoryBusWidth        = 37,
	cudaDevAttrL2CacheSize                 = 38,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrAsyncEngineCount            = 40,
	cudaDevAttrUnifiedAddressing           = 41,
	cudaDevAttrComputeCapabilityMajor      = 75,
	cudaDevAttrComputeCapabilityMinor      = 76,
	cudaDevAttrManagedMemory               = 83,
	cudaDevAttrCooperativeLaunch           = 95,
	cudaDevAttrMemoryPoolsSupported        = 115
} cudaDeviceAttr;

/* The properties of a device that programs ask for most */
struct cudaDeviceProp {
	char name[256];
	CUuuid uuid;
	size_t totalGlobalMem;
	size_t sharedMemPerBlock;
	int regsPerBlock;
	int warpSize;
	size_t memPitch;
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int clockRate;
	size_t totalConstMem;
	int major;
	int minor;
	int multiProcessorCount;
	int integrated;
	int canMapHostMemory;
	int computeMode;
	int concurrentKernels;
	int ECCEnabled;
	int pciBusID;
	int pciDeviceID;
	int pciDomainID;
	int asyncEngineCount;
	int unifiedAddressing;
	int memoryClockRate;
	int memoryBusWidth;
	int l2CacheSize;
	int maxThreadsPerMultiProcessor;
	int managedMemory;
	int cooperativeLaunch;
};

#define cudaStreamDefault         0x00
#define cudaStreamNonBlocking     0x01
#define cudaStreamLegacy          ((cudaStream_t)0x1)
#define cudaStreamPerThread       ((cudaStream_t)0x2)
#define cudaEventDefault          0x00
#define cudaEventBlockingSync     0x01
#define cudaEventDisableTiming    0x02
#define cudaEventInterprocess     0x04
#define cudaHostAllocDefault      0x00
#define cudaHostAllocPortable     0x01
#define cudaHostAllocMapped       0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault   0x00
#define cudaHostRegisterPortable  0x01
#define cudaHostRegisterMapped    0x02
#define cudaMemAttachGlobal       0x01
#define cudaMemAttachHost         0x02
#define cudaDeviceScheduleAuto    0x00
#define cudaDeviceMapHost         0x08
#define cudaCpuDeviceId           (-1)

#endif /* ANPU_CUDA_DRIVER_TYPES_H */
