/* SPDX-License-Identifier: MIT */
/* Functions by which a kernel changes a later kernel of its graph, see ../../graph_node.h. Part of cuda_runtime.h. */
#pragma once

#include <anpu/graph_node.h>

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
typedef enum cudaError_t cudaError_t;

struct CUgraphDeviceUpdatableNode_st;
typedef struct CUgraphDeviceUpdatableNode_st *cudaGraphDeviceNode_t;

enum cudaGraphKernelNodeField {
	cudaGraphKernelNodeFieldInvalid = 0,
	cudaGraphKernelNodeFieldGridDim,
	cudaGraphKernelNodeFieldParam,
	cudaGraphKernelNodeFieldEnabled
};

/* A condition of the graph that the kernel is in: the word at this address */
typedef unsigned long long cudaGraphConditionalHandle;

static inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value)
{
	*(volatile unsigned long long *)handle = value;
}

/* A grid inside of a union, where dim3 cannot be because it has constructors */
struct anpu_node_grid {
	unsigned int x, y, z;
	anpu_node_grid &operator=(const dim3 &d)
	{
		x = d.x;
		y = d.y;
		z = d.z;
		return *this;
	}
	operator dim3() const { return { x, y, z }; }
};

struct cudaGraphKernelNodeUpdate {
	cudaGraphDeviceNode_t node;
	enum cudaGraphKernelNodeField field;
	union {
		anpu_node_grid gridDim;
		struct {
			const void *pValue;
			size_t offset;
			size_t size;
		} param;
		unsigned int isEnabled;
	} updateData;
};

static inline cudaError_t anpu_node_result(int failed) { return failed ? cudaErrorInvalidValue : cudaSuccess; }

static inline cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, size_t offset, const void *value,
						      size_t size)
{
	return anpu_node_result(anpu_node_set_param((struct anpu_graph_node *)node, offset, value, size));
}

template <typename T>
static inline cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, size_t offset, const T &value)
{
	return cudaGraphKernelNodeSetParam(node, offset, &value, sizeof(T));
}

static inline cudaError_t cudaGraphKernelNodeSetGridDim(cudaGraphDeviceNode_t node, dim3 grid)
{
	return anpu_node_result(anpu_node_set_grid((struct anpu_graph_node *)node, grid.x, grid.y, grid.z));
}

static inline cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t node, bool enable)
{
	return anpu_node_result(anpu_node_set_enabled((struct anpu_graph_node *)node, enable));
}

/* In their order; the first one that fails ends it, and those in front of it stay */
static inline cudaError_t cudaGraphKernelNodeUpdatesApply(const cudaGraphKernelNodeUpdate *updates, size_t updateCount)
{
	cudaError_t ret = cudaSuccess;

	if (!updates && updateCount)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < updateCount && ret == cudaSuccess; i++) {
		const cudaGraphKernelNodeUpdate &u = updates[i];

		if (u.field == cudaGraphKernelNodeFieldGridDim)
			ret = cudaGraphKernelNodeSetGridDim(u.node, u.updateData.gridDim);
		else if (u.field == cudaGraphKernelNodeFieldParam)
			ret = cudaGraphKernelNodeSetParam(u.node, u.updateData.param.offset, u.updateData.param.pValue,
							  u.updateData.param.size);
		else if (u.field == cudaGraphKernelNodeFieldEnabled)
			ret = cudaGraphKernelNodeSetEnabled(u.node, u.updateData.isEnabled != 0);
		else
			ret = cudaErrorInvalidValue;
	}
	return ret;
}
