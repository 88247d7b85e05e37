/* SPDX-License-Identifier: MIT */
/*
 * Calls whose arguments have changed in version 13 of the API, so that programs which are written for it compile, too:
 * the arguments tell which form is meant. Part of cuda.h.
 */
#ifndef ANPU_CUDA_NEWER_H
#define ANPU_CUDA_NEWER_H

/*
 * cuCtxCreate() with three arguments, or with four. With three, and without any, the name stands for itself, so that it
 * can also be a member of a program's structure of functions.
 */
#undef cuCtxCreate
#ifdef __cplusplus
extern "C"
#endif
	CUresult CUDAAPI cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev);
#define ANPU_CU_FOURTH(a, b, c, d, name, ...) name
#define cuCtxCreate(...) ANPU_CU_FOURTH(__VA_ARGS__, cuCtxCreate_v4, cuCtxCreate, cuCtxCreate, )(__VA_ARGS__)

#ifdef __cplusplus
/* The others are told by their types, which C cannot do. Programs may include cuda.h in a block of extern "C" */
extern "C++" {

static inline CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
	return cuMemAdvise_v2(devPtr, count, advice, location);
}

static inline CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
					  CUstream hStream)
{
	return cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream);
}

static inline CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
					      CUgraph *graph_out, const CUgraphNode **dependencies_out,
					      const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
	return cuStreamGetCaptureInfo_v3(hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
					 numDependencies_out);
}

static inline CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
				      const CUgraphEdgeData *dependencyData, size_t numDependencies,
				      CUgraphNodeParams *nodeParams)
{
	return cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, dependencyData, numDependencies, nodeParams);
}

static inline CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
				       size_t *numEdges)
{
	return cuGraphGetEdges_v2(hGraph, from, to, edgeData, numEdges);
}

static inline CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
						  size_t *numDependencies)
{
	return cuGraphNodeGetDependencies_v2(hNode, dependencies, edgeData, numDependencies);
}

static inline CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes,
						    CUgraphEdgeData *edgeData, size_t *numDependentNodes)
{
	return cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, edgeData, numDependentNodes);
}

static inline CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
					      const CUgraphEdgeData *edgeData, size_t numDependencies)
{
	return cuGraphAddDependencies_v2(hGraph, from, to, edgeData, numDependencies);
}

static inline CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
						 const CUgraphEdgeData *edgeData, size_t numDependencies)
{
	return cuGraphRemoveDependencies_v2(hGraph, from, to, edgeData, numDependencies);
}

} /* extern "C++" */
#endif

#endif /* ANPU_CUDA_NEWER_H */
