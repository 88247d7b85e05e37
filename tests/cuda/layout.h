/* SPDX-License-Identifier: MIT */
/* Sizes and places that programs which were compiled elsewhere count on. */
#include <builtin_types.h>
#include <cuda.h>
#include <cudaProfiler.h>
#include <vector_functions.h>
#include <stddef.h>

#ifdef __cplusplus
#define SAME(a, b) static_assert((a) == (b), #a)
#else
#define SAME(a, b) _Static_assert((a) == (b), #a)
#endif

struct char_and_float4 {
	char c;
	float4 v;
};

SAME(sizeof(CUdeviceptr), 8);
SAME(sizeof(CUdevice), 4);
SAME(sizeof(CUuuid), 16);
SAME(sizeof(CUdevprop), 56);
SAME(sizeof(CUlaunchAttributeValue), 64);
SAME(sizeof(CUlaunchAttribute), 72);
SAME(offsetof(CUlaunchAttribute, value), 8);
SAME(offsetof(CUlaunchAttributeValue, programmaticEvent.triggerAtBlockStart), 12);
SAME(offsetof(CUlaunchAttributeValue, deviceUpdatableKernelNode.devNode), 8);
SAME(sizeof(CUlaunchConfig), 56);
SAME(offsetof(CUlaunchConfig, hStream), 32);
SAME(offsetof(CUlaunchConfig, numAttrs), 48);
SAME(sizeof(CUaccessPolicyWindow), 32);
SAME(sizeof(CUlaunchMemSyncDomainMap), 2);
SAME(sizeof(CUDA_MEMCPY2D), 128);
SAME(offsetof(CUDA_MEMCPY2D, dstXInBytes), 56);
SAME(sizeof(CUDA_MEMCPY3D), 200);
SAME(offsetof(CUDA_MEMCPY3D, dstXInBytes), 88);
SAME(sizeof(CUDA_KERNEL_NODE_PARAMS), 72);
SAME(offsetof(CUDA_KERNEL_NODE_PARAMS, kernelParams), 40);
SAME(sizeof(CUgraphExecUpdateResultInfo), 24);
SAME(sizeof(CUmemPoolProps), 88);
SAME(sizeof(CUipcEventHandle), 64);
SAME(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 13);
SAME(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720);
SAME(sizeof(CUmemAllocationProp), 32);
SAME(sizeof(CUmemAccessDesc), 12);
SAME(sizeof(float3), 12);
SAME(sizeof(float4), 16);
SAME(sizeof(double2), 16);
SAME(sizeof(uchar4), 4);
SAME(sizeof(struct char_and_float4), 32);
SAME(sizeof(dim3), 12);

#ifndef __cuda_cuda_h__
#error "programs ask for this name to know that cuda.h was included"
#endif
