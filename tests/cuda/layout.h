/* SPDX-License-Identifier: MIT */
/* Sizes and places that programs which were compiled elsewhere count on. */
#include <builtin_types.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
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
SAME(offsetof(CUlaunchAttribute, id), 0);
SAME(sizeof(CUlaunchConfig), 56);
SAME(offsetof(CUlaunchConfig, gridDimX), 0);
SAME(offsetof(CUlaunchConfig, gridDimY), 4);
SAME(offsetof(CUlaunchConfig, gridDimZ), 8);
SAME(offsetof(CUlaunchConfig, blockDimX), 12);
SAME(offsetof(CUlaunchConfig, blockDimY), 16);
SAME(offsetof(CUlaunchConfig, blockDimZ), 20);
SAME(offsetof(CUlaunchConfig, sharedMemBytes), 24);
SAME(offsetof(CUlaunchConfig, hStream), 32);
SAME(offsetof(CUlaunchConfig, attrs), 40);
SAME(offsetof(CUlaunchConfig, numAttrs), 48);
#define MEMBER(name, bytes) \
	SAME(offsetof(CUlaunchAttributeValue, name), 0); \
	SAME(sizeof(((CUlaunchAttributeValue *)0)->name), bytes)
MEMBER(accessPolicyWindow, 32);
MEMBER(cooperative, 4);
MEMBER(syncPolicy, 4);
MEMBER(clusterDim, 12);
MEMBER(clusterSchedulingPolicyPreference, 4);
MEMBER(programmaticStreamSerializationAllowed, 4);
MEMBER(programmaticEvent, 16);
MEMBER(priority, 4);
MEMBER(memSyncDomainMap, 2);
MEMBER(memSyncDomain, 4);
MEMBER(launchCompletionEvent, 16);
MEMBER(deviceUpdatableKernelNode, 16);
SAME(offsetof(CUlaunchAttributeValue, clusterDim.z), 8);
SAME(offsetof(CUlaunchAttributeValue, programmaticEvent.flags), 8);
SAME(offsetof(CUlaunchAttributeValue, launchCompletionEvent.flags), 8);
SAME(offsetof(CUaccessPolicyWindow, num_bytes), 8);
SAME(offsetof(CUaccessPolicyWindow, hitRatio), 16);
SAME(offsetof(CUaccessPolicyWindow, hitProp), 20);
SAME(offsetof(CUaccessPolicyWindow, missProp), 24);
SAME(CU_LAUNCH_ATTRIBUTE_IGNORE, 0);
SAME(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, 1);
SAME(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2);
SAME(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 3);
SAME(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4);
SAME(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 5);
SAME(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6);
SAME(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7);
SAME(CU_LAUNCH_ATTRIBUTE_PRIORITY, 8);
SAME(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 9);
SAME(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 10);
SAME(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12);
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
