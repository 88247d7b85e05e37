// SPDX-License-Identifier: MIT
/*
 * Graphs that recordings have given. libacl's graph is ready to run when its recording ends, so what is instantiated
 * from a graph is that graph: one at a time, and both may end in any order.
 */
#include <stdlib.h>

#include "cu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

CUresult cu_graph_new(aclmdlRI ri, CUgraph *out)
{
	struct cu_graph *g = cu_add(CU_GRAPH, NULL);

	if (!g) {
		(void)aclmdlRIDestroy(ri);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	}
	g->ri = ri;
	g->users = 1;
	*out = cu_handle(g);
	return CUDA_SUCCESS;
}

/* Ends libacl's graph with the last of its users. Executions that run end first */
static CUresult release(struct cu_graph *g)
{
	aclError err;

	if (--g->users)
		return CUDA_SUCCESS;
	err = aclmdlRIDestroy(g->ri);
	if (err == ACL_ERROR_RT_MODEL_RUNNING && !aclrtSynchronizeDevice())
		err = aclmdlRIDestroy(g->ri);
	g->ri = NULL;
	cu_drop(g);
	return cu_code(err);
}

static CUresult find(CUgraph handle, struct cu_graph **g)
{
	*g = cu_find(CU_GRAPH, handle);
	if (*g && !(*g)->ended)
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no graph, or one that was destroyed", (void *)handle);
}

static CUresult find_exec(CUgraphExec handle, struct cu_exec **e)
{
	*e = cu_find(CU_EXEC, handle);
	return *e ? CUDA_SUCCESS
		  : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no instantiated graph, or one that was destroyed",
			    (void *)handle);
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	ret = find(hGraph, &g);
	if (!ret) {
		g->ended = true;
		ret = release(g);
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
	struct cu_exec *e;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phGraphExec);
	if (flags & ~(unsigned long long)(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY))
		return cu_fail(flags > 15 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED,
			       "flags is %#llx: graphs have no memory of their own and are not launched by kernels", flags);
	pthread_mutex_lock(&lock);
	ret = find(hGraph, &g);
	if (!ret && g->users > 1)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			      "the graph is instantiated already, and more than one at a time is not built: destroy that "
			      "one, or record again");
	if (!ret) {
		e = cu_add(CU_EXEC, NULL);
		if (e) {
			e->graph = g;
			g->users++;
			*phGraphExec = cu_handle(e);
		} else {
			ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
		}
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&lock);
	ret = find_exec(hGraphExec, &e);
	if (!ret) {
		ret = release(e->graph);
		cu_drop(e);
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
	aclrtStream stream;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	ret = find_exec(hGraphExec, &e);
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(aclmdlRIExecuteAsync(e->graph->ri, stream));
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
	aclrtStream stream;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	ret = find_exec(hGraphExec, &e);
	return ret ? ret : cu_stream_look(hStream, &stream, NULL);
}

/* All tasks of a graph, in the order in which they were called for, in memory to be freed */
static CUresult tasks_of(aclmdlRI ri, aclmdlRITask **out, uint32_t *count)
{
	uint32_t lanes = 0, n = 0, i, at = 0, more;
	aclmdlRITask *list = NULL, *sorted;
	aclrtStream *streams;
	CUresult ret = cu_code(aclmdlRIGetStreams(ri, NULL, &lanes));

	*count = 0;
	streams = calloc(lanes + 1, sizeof(*streams));
	if (!streams)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the nodes of a graph");
	if (!ret)
		ret = cu_code(aclmdlRIGetStreams(ri, streams, &lanes));
	for (i = 0; i < lanes && !ret; i++) {
		more = 0;
		ret = cu_code(aclmdlRIGetTasksByStream(streams[i], NULL, &more));
		n += more;
	}
	list = calloc(2 * (size_t)n + 2, sizeof(*list));
	sorted = list + n + 1;
	for (i = 0; i < lanes && !ret && list; i++) {
		more = n - at;
		ret = cu_code(aclmdlRIGetTasksByStream(streams[i], list + at, &more));
		at += ret ? 0 : more;
	}
	for (i = 0; i < at && !ret; i++) {
		ret = cu_code(aclmdlRITaskGetSeqId(list[i], &more));
		if (!ret && more < n)
			sorted[more] = list[i];
	}
	for (i = 0; i < at && !ret; i++)
		list[i] = sorted[i];
	free(streams);
	if (!list)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the nodes of a graph");
	*out = list;
	*count = at;
	return ret;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
	aclmdlRITask *list = NULL;
	uint32_t n = 0, i;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(numNodes);
	pthread_mutex_lock(&lock);
	ret = find(hGraph, &g);
	if (!ret)
		ret = tasks_of(g->ri, &list, &n);
	pthread_mutex_unlock(&lock);
	for (i = 0; !ret && nodes && i < *numNodes; i++)
		nodes[i] = i < n ? (CUgraphNode)list[i] : NULL;
	if (!ret && (!nodes || *numNodes > n))
		*numNodes = n;
	free(list);
	return ret;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
	aclmdlRITaskType is = ACL_MODEL_RI_TASK_DEFAULT;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(type);
	ret = cu_code(aclmdlRITaskGetType(hNode, &is));
	if (ret)
		return ret;
	if (is == ACL_MODEL_RI_TASK_KERNEL)
		*type = CU_GRAPH_NODE_TYPE_KERNEL;
	else if (is == ACL_MODEL_RI_TASK_EVENT_RECORD)
		*type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
	else if (is == ACL_MODEL_RI_TASK_EVENT_WAIT)
		*type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
	else if (is == ACL_MODEL_RI_TASK_VALUE_WRITE || is == ACL_MODEL_RI_TASK_VALUE_WAIT)
		*type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
	else
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			       "the node is a copy, a fill or a function of the program, which are not told apart");
	return CUDA_SUCCESS;
}
