// SPDX-License-Identifier: MIT
/* A graph as a file for graphviz. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/graph/graph.h"

static const char *type_name(CUgraphNodeType type)
{
	switch ((int)type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return "KERNEL";
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return "MEMCPY";
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return "MEMSET";
	case CU_GRAPH_NODE_TYPE_HOST:
		return "HOST";
	case CU_GRAPH_NODE_TYPE_GRAPH:
		return "GRAPH";
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return "EVENT_WAIT";
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return "EVENT_RECORD";
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return "BATCH_MEM_OP";
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
		return "MEM_ALLOC";
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return "MEM_FREE";
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		return "CONDITIONAL";
	default:
		return "EMPTY";
	}
}

/* The kernel of a node with its grid and its blocks, if that is wanted */
static void print_kernel(FILE *f, CUgraphNode node, unsigned int flags)
{
	CUDA_KERNEL_NODE_PARAMS p;
	const char *name = "?";

	if (cuGraphKernelNodeGetParams(node, &p))
		return;
	(void)cuFuncGetName(&name, p.func);
	fprintf(f, "\\n%s", name);
	if (flags & (CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE | CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
		fprintf(f, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY,
			p.blockDimZ, p.sharedMemBytes);
}

static void print_nodes(FILE *f, const CUgraphNode *nodes, size_t n, unsigned int flags)
{
	CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
	size_t i;

	for (i = 0; i < n; i++) {
		(void)cuGraphNodeGetType(nodes[i], &type);
		fprintf(f, "\tnode%zu [shape=box label=\"%zu %s", i, i, type_name(type));
		if (type == CU_GRAPH_NODE_TYPE_KERNEL)
			print_kernel(f, nodes[i], flags);
		if (flags & (CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE | CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
			fprintf(f, "\\n%p", (void *)nodes[i]);
		fprintf(f, "\"];\n");
	}
}

static size_t place(const CUgraphNode *nodes, size_t n, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < n && nodes[i] != node; i++)
		;
	return i;
}

#define ALL_FLAGS (2u * CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS - 1)

/* All nodes and edges of a graph, in memory to be freed */
struct parts {
	CUgraphNode *nodes, *from, *to;
	size_t n, edges;
};

static CUresult parts_of(CUgraph hGraph, struct parts *p)
{
	CUresult ret = cuGraphGetNodes(hGraph, NULL, &p->n);

	if (!ret)
		ret = cuGraphGetEdges(hGraph, NULL, NULL, &p->edges);
	if (ret)
		return ret;
	p->nodes = calloc(p->n + 1, sizeof(*p->nodes));
	p->from = calloc(p->edges + 1, sizeof(*p->from));
	p->to = calloc(p->edges + 1, sizeof(*p->to));
	if (!p->nodes || !p->from || !p->to)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the nodes of a graph");
	ret = cuGraphGetNodes(hGraph, p->nodes, &p->n);
	return ret ? ret : cuGraphGetEdges(hGraph, p->from, p->to, &p->edges);
}

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
	struct parts p = { 0 };
	FILE *f = NULL;
	CUresult ret;
	size_t i;

	CU_ENTER();
	CU_CHECK_PTR(path);
	if (flags & ~ALL_FLAGS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be made of CU_GRAPH_DEBUG_DOT_FLAGS_* bits", flags);
	ret = parts_of(hGraph, &p);
	if (!ret)
		f = fopen(path, "w");
	if (!ret && !f)
		ret = cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
	if (f) {
		fprintf(f, "digraph dot {\n");
		print_nodes(f, p.nodes, p.n, flags);
		for (i = 0; i < p.edges; i++)
			fprintf(f, "\tnode%zu -> node%zu;\n", place(p.nodes, p.n, p.from[i]), place(p.nodes, p.n, p.to[i]));
		fprintf(f, "}\n");
		if (ferror(f) | fclose(f))
			ret = cu_fail(CUDA_ERROR_OPERATING_SYSTEM, "%s cannot be written to its end: %s", path,
				      strerror(errno));
	}
	free(p.nodes);
	free(p.from);
	free(p.to);
	return ret;
}
