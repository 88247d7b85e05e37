/* SPDX-License-Identifier: MIT */
/* Sizes and places that programs which were compiled elsewhere count on. */
#include <builtin_types.h>
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_runtime.h>
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
SAME(sizeof(CUDA_MEMCPY3D_PEER), 200);
SAME(offsetof(CUDA_MEMCPY3D_PEER, dstContext), offsetof(CUDA_MEMCPY3D, reserved1));
SAME(sizeof(CUDA_KERNEL_NODE_PARAMS_v1), 56);
SAME(sizeof(CUDA_LAUNCH_PARAMS), 56);
SAME(sizeof(CUstreamBatchMemOpParams), 48);
SAME(offsetof(CUstreamBatchMemOpParams, waitValue.flags), 24);
SAME(sizeof(CUgraphEdgeData), 8);
SAME(sizeof(CUgraphNodeParams), 256);
SAME(offsetof(CUgraphNodeParams, kernel), 16);
SAME(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), 32);
SAME(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), 120);
SAME(sizeof(CUDA_ARRAY_DESCRIPTOR), 24);
SAME(sizeof(CUDA_ARRAY3D_DESCRIPTOR), 40);
SAME(sizeof(CUDA_RESOURCE_DESC), 144);
SAME(sizeof(CUDA_TEXTURE_DESC), 104);
SAME(sizeof(CUDA_RESOURCE_VIEW_DESC), 112);
SAME(sizeof(CUarrayMapInfo), 96);
SAME(sizeof(CUtensorMap), 128);
SAME(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC), 104);
SAME(sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC), 88);
SAME(sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC), 96);
SAME(sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS), 144);
SAME(sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS), 144);
SAME(sizeof(CUdevResource), 144);
SAME(sizeof(CUmulticastObjectProp), 32);
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
