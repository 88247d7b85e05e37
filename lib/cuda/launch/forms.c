// SPDX-License-Identifier: MIT
/*
 * Older forms of functions, for programs that were made for an older version and look the names up. They have other
 * arguments or structures than the newest ones, which cuda.h declares.
 */
#include <stdio.h>
#include <string.h>

#include "cuda/launch/launch.h"

/* The newest forms by names of their own, as the plain names are those of the old ones here */
static CUresult (*const add_kernel)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
				    const CUDA_KERNEL_NODE_PARAMS *) = cuGraphAddKernelNode;
static CUresult (*const get_kernel)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *) = cuGraphKernelNodeGetParams;
static CUresult (*const set_kernel)(CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *) = cuGraphKernelNodeSetParams;
static CUresult (*const set_exec_kernel)(CUgraphExec, CUgraphNode,
					 const CUDA_KERNEL_NODE_PARAMS *) = cuGraphExecKernelNodeSetParams;
static CUresult (*const update)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo *) = cuGraphExecUpdate;
static CUresult (*const capture_info)(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **,
				      size_t *) = cuStreamGetCaptureInfo;
static CUresult (*const proc_address)(const char *, void **, int, cuuint64_t,
				      CUdriverProcAddressQueryResult *) = cuGetProcAddress;
static CUresult (*const instantiate)(CUgraphExec *, CUgraph, unsigned long long) = cuGraphInstantiate;

static CUresult (*const total_mem)(size_t *, CUdevice) = cuDeviceTotalMem;

#undef cuDeviceTotalMem
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuStreamGetCaptureInfo
#undef cuGetProcAddress

#pragma GCC visibility push(default)
CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams);
CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
			   CUgraphExecUpdateResult *updateResult_out);
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
			       size_t bufferSize);
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out);
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);
CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev);
#pragma GCC visibility pop

/* The first structure is the newest one without its end */
static CUDA_KERNEL_NODE_PARAMS params_of(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
	CUDA_KERNEL_NODE_PARAMS now = { 0 };

	memcpy(&now, p, sizeof(*p));
	return now;
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
	CUDA_KERNEL_NODE_PARAMS p;

	CU_ENTER();
	CU_CHECK_PTR(nodeParams);
	p = params_of(nodeParams);
	return add_kernel(phGraphNode, hGraph, dependencies, numDependencies, &p);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
	CUDA_KERNEL_NODE_PARAMS p;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(nodeParams);
	ret = get_kernel(hNode, &p);
	if (!ret)
		memcpy(nodeParams, &p, sizeof(*nodeParams));
	return ret;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
	CUDA_KERNEL_NODE_PARAMS p;

	CU_ENTER();
	CU_CHECK_PTR(nodeParams);
	p = params_of(nodeParams);
	return set_kernel(hNode, &p);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
					const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
	CUDA_KERNEL_NODE_PARAMS p;

	CU_ENTER();
	CU_CHECK_PTR(nodeParams);
	p = params_of(nodeParams);
	return set_exec_kernel(hGraphExec, hNode, &p);
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
			   CUgraphExecUpdateResult *updateResult_out)
{
	CUgraphExecUpdateResultInfo info = { 0 };
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(updateResult_out);
	ret = update(hGraphExec, hGraph, &info);
	*updateResult_out = info.result;
	if (hErrorNode_out)
		*hErrorNode_out = info.errorNode;
	return ret;
}

/* A text about a failure goes into the program's buffer, too */
CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
			       size_t bufferSize)
{
	const char *text = NULL;
	CUresult ret;

	CU_ENTER();
	if (phErrorNode)
		*phErrorNode = NULL;
	if (logBuffer && bufferSize)
		*logBuffer = '\0';
	ret = instantiate(phGraphExec, hGraph, 0);
	if (ret && logBuffer && bufferSize)
		snprintf(logBuffer, bufferSize, "%s", cuGetErrorString(ret, &text) ? "" : text);
	return ret;
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
	CU_ENTER();
	return capture_info(hStream, captureStatus_out, id_out, NULL, NULL, NULL);
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
	CU_BEGIN();
	return proc_address(symbol, pfn, cudaVersion, flags, NULL);
}

CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
	size_t all = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(bytes);
	ret = total_mem(&all, dev);
	if (!ret)
		*bytes = all > UINT32_MAX ? UINT32_MAX : (unsigned int)all;
	return ret;
}
