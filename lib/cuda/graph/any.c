// SPDX-License-Identifier: MIT
/* Nodes of any kind by one structure, and calls that tell a kind of dependency, of which there is one here. */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/graph/graph.h"

static CUresult other_kind(CUgraphNodeType type)
{
	return cu_fail((unsigned int)type > CU_GRAPH_NODE_TYPE_CONDITIONAL ? CUDA_ERROR_INVALID_VALUE
									    : CUDA_ERROR_NOT_SUPPORTED,
		       "nodeParams->type is %d, and there are kernels (0), copies (1), fills (2), functions (3), graphs (4), "
		       "empty nodes (5), waits for events (6), records (7), nodes that allocate (10) and free (11) and conditional ones (13), whose parameters stay",
		       (int)type);
}

static CUDA_MEMSET_NODE_PARAMS fill_of(const CUDA_MEMSET_NODE_PARAMS_v2 *p)
{
	return (CUDA_MEMSET_NODE_PARAMS){ p->dst, p->pitch, p->value, p->elementSize, p->width, p->height };
}

static CUDA_HOST_NODE_PARAMS host_of(const CUDA_HOST_NODE_PARAMS_v2 *p)
{
	return (CUDA_HOST_NODE_PARAMS){ p->fn, p->userData };
}

/* The context of a copy or a fill: none is the current one */
static CUcontext ctx_of(CUcontext ctx)
{
	return ctx ? ctx : CU_PTR(anpu_front_context());
}

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
			CUgraphNodeParams *nodeParams)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;
	CUresult ret;

	CU_ENTER_CTX(now);
	CU_CHECK_PTR(nodeParams);
	switch ((int)nodeParams->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return cuGraphAddKernelNode(phGraphNode, hGraph, dependencies, numDependencies, &nodeParams->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cuGraphAddMemcpyNode(phGraphNode, hGraph, dependencies, numDependencies,
					    &nodeParams->memcpy.copyParams, ctx_of(nodeParams->memcpy.copyCtx));
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&nodeParams->memset);
		return cuGraphAddMemsetNode(phGraphNode, hGraph, dependencies, numDependencies, &fill,
					    ctx_of(nodeParams->memset.ctx));
	case CU_GRAPH_NODE_TYPE_HOST:
		host = host_of(&nodeParams->host);
		return cuGraphAddHostNode(phGraphNode, hGraph, dependencies, numDependencies, &host);
	case CU_GRAPH_NODE_TYPE_GRAPH:
		ret = cuGraphAddChildGraphNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams->graph.graph);
		/* the program gets the node's own copy */
		return ret ? ret : cuGraphChildGraphNodeGetGraph(*phGraphNode, &nodeParams->graph.graph);
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return cuGraphAddEmptyNode(phGraphNode, hGraph, dependencies, numDependencies);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return cuGraphAddEventWaitNode(phGraphNode, hGraph, dependencies, numDependencies,
					       nodeParams->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return cuGraphAddEventRecordNode(phGraphNode, hGraph, dependencies, numDependencies,
						 nodeParams->eventRecord.event);
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return cuGraphAddMemAllocNode(phGraphNode, hGraph, dependencies, numDependencies, &nodeParams->alloc);
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return cuGraphAddMemFreeNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams->free.dptr);
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return cu_add_conditional(phGraphNode, hGraph, dependencies, numDependencies, &nodeParams->conditional);
	default:
		return other_kind(nodeParams->type);
	}
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;

	CU_ENTER_CTX(now);
	CU_CHECK_PTR(nodeParams);
	switch ((int)nodeParams->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return cuGraphKernelNodeSetParams(hNode, &nodeParams->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cuGraphMemcpyNodeSetParams(hNode, &nodeParams->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&nodeParams->memset);
		return cuGraphMemsetNodeSetParams(hNode, &fill);
	case CU_GRAPH_NODE_TYPE_HOST:
		host = host_of(&nodeParams->host);
		return cuGraphHostNodeSetParams(hNode, &host);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return cuGraphEventWaitNodeSetEvent(hNode, nodeParams->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return cuGraphEventRecordNodeSetEvent(hNode, nodeParams->eventRecord.event);
	default:
		return other_kind(nodeParams->type);
	}
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
	CUDA_MEMSET_NODE_PARAMS fill;
	CUDA_HOST_NODE_PARAMS host;

	CU_ENTER_CTX(now);
	CU_CHECK_PTR(nodeParams);
	switch ((int)nodeParams->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return cuGraphExecKernelNodeSetParams(hGraphExec, hNode, &nodeParams->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cuGraphExecMemcpyNodeSetParams(hGraphExec, hNode, &nodeParams->memcpy.copyParams,
						      ctx_of(nodeParams->memcpy.copyCtx));
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill = fill_of(&nodeParams->memset);
		return cuGraphExecMemsetNodeSetParams(hGraphExec, hNode, &fill, ctx_of(nodeParams->memset.ctx));
	case CU_GRAPH_NODE_TYPE_HOST:
		host = host_of(&nodeParams->host);
		return cuGraphExecHostNodeSetParams(hGraphExec, hNode, &host);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, nodeParams->eventWait.event);
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, nodeParams->eventRecord.event);
	default:
		return other_kind(nodeParams->type);
	}
}

/* Kinds of dependencies ------------------------------------------------------------------------------------ */

CUresult cu_check_edge_data(const CUgraphEdgeData *data, size_t n)
{
	static const CUgraphEdgeData plain;
	size_t i;

	for (i = 0; i < n && data; i++)
		if (memcmp(&data[i], &plain, sizeof(plain)))
			return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
				       "dependency %zu has the ports %u and %u and the type %u: nodes wait for the end of "
				       "others here, which is all zeros",
				       i, data[i].from_port, data[i].to_port, data[i].type);
	return CUDA_SUCCESS;
}

/* @room: of the array; @n: how many there are */
static void tell_edges(CUgraphEdgeData *data, size_t room, size_t n)
{
	if (data)
		memset(data, 0, (room < n ? room : n) * sizeof(*data));
}

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			   const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams)
{
	CUresult ret;

	CU_ENTER_CTX(now);
	ret = cu_check_edge_data(dependencyData, numDependencies);
	return ret ? ret : cuGraphAddNode(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
				   const CUgraphEdgeData *edgeData, size_t numDependencies)
{
	CUresult ret;

	CU_ENTER();
	ret = cu_check_edge_data(edgeData, numDependencies);
	return ret ? ret : cuGraphAddDependencies(hGraph, from, to, numDependencies);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
				      const CUgraphEdgeData *edgeData, size_t numDependencies)
{
	CUresult ret;

	CU_ENTER();
	ret = cu_check_edge_data(edgeData, numDependencies);
	return ret ? ret : cuGraphRemoveDependencies(hGraph, from, to, numDependencies);
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData, size_t *numEdges)
{
	size_t room;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(numEdges);
	room = *numEdges;
	ret = cuGraphGetEdges(hGraph, from, to, numEdges);
	if (!ret && from)
		tell_edges(edgeData, room, *numEdges);
	return ret;
}

/* Answers of @ask about a node, and that each of them is a plain dependency */
static CUresult tell_nodes(CUresult (*ask)(CUgraphNode, CUgraphNode *, size_t *), CUgraphNode of, CUgraphNode *nodes,
			   CUgraphEdgeData *data, size_t *n)
{
	size_t room = *n;
	CUresult ret = ask(of, nodes, n);

	if (!ret && nodes)
		tell_edges(data, room, *n);
	return ret;
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
				       size_t *numDependencies)
{
	CU_ENTER();
	CU_CHECK_PTR(numDependencies);
	return tell_nodes(cuGraphNodeGetDependencies, hNode, dependencies, edgeData, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
					 size_t *numDependentNodes)
{
	CU_ENTER();
	CU_CHECK_PTR(numDependentNodes);
	return tell_nodes(cuGraphNodeGetDependentNodes, hNode, dependentNodes, edgeData, numDependentNodes);
}
