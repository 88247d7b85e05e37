// SPDX-License-Identifier: MIT
/* Graphs. */
#include "cu.h"

CUresult cu_graph_new(aclmdlRI graph, CUgraph *out)
{
	*out = graph;
	return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
	CU_ENTER();
	return cu_code(aclmdlRIDestroy(hGraph));
}
