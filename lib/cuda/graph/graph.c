// SPDX-License-Identifier: MIT
/*
 * Graphs. A CUgraph is a graph of libacl that never runs; what is instantiated from it is a copy of it, and when that
 * is changed while it runs, a copy takes its place. Nodes are libacl's tasks, node.c.
 */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"
#include "cuda/graph/graph.h"

pthread_mutex_t cu_graph_lock = PTHREAD_MUTEX_INITIALIZER;

/* Ends libacl's graph; executions that run end first */
static CUresult end_graph(aclmdlRI ri)
{
	aclError err = aclmdlRIDestroy(ri);

	if (err == ACL_ERROR_RT_MODEL_RUNNING && !aclrtSynchronizeDevice())
		err = aclmdlRIDestroy(ri);
	return cu_code(err);
}

CUresult cu_graph_new(aclmdlRI ri, CUgraph *out)
{
	struct cu_graph *g = cu_add(CU_GRAPH, NULL);

	if (!g) {
		(void)aclmdlRIDestroy(ri);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	}
	g->ri = ri;
	*out = cu_handle(g);
	return CUDA_SUCCESS;
}

CUresult cu_graph_find(CUgraph handle, struct cu_graph **g)
{
	*g = cu_find(CU_GRAPH, handle);
	return *g ? cu_edges_recorded(*g)
		  : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no graph, or one that was destroyed", (void *)handle);
}

CUresult cu_exec_find(CUgraphExec handle, struct cu_exec **e)
{
	*e = cu_find(CU_EXEC, handle);
	return *e ? CUDA_SUCCESS
		  : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is no instantiated graph, or one that was destroyed",
			    (void *)handle);
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags)
{
	aclmdlRI ri = NULL;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phGraph);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0", flags);
	ret = cu_code(anpu_front_graph_new(&ri));
	return ret ? ret : cu_graph_new(ri, phGraph);
}

/* All nodes of a graph in memory to be freed */
CUresult cu_nodes_of(aclmdlRI ri, aclmdlRITask **out, uint32_t *n)
{
	CUresult ret = cu_code(anpu_front_graph_nodes(ri, NULL, 0, n));

	*out = ret ? NULL : calloc(*n + 1, sizeof(**out));
	if (!ret && !*out)
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the nodes of a graph");
	return ret ? ret : cu_code(anpu_front_graph_nodes(ri, *out, *n, n));
}

void cu_end_inside(CUgraph inside)
{
	struct cu_graph *g = cu_find(CU_GRAPH, inside);

	if (g)
		(void)cu_graph_end(g);
}

void cu_node_end(struct cu_node *node)
{
	if (node->content == CU_NODE_CHILD)
		cu_end_inside(node->child);
	else if (node->content == CU_NODE_CHOICE)
		cu_bodies_end(&node->choice);
	cu_drop(node);
}

/* Its nodes end, and what this front has kept about them */
static void forget_nodes(aclmdlRI ri)
{
	aclmdlRITask *list = NULL;
	struct cu_node *node;
	uint32_t n = 0, i;

	if (!cu_nodes_of(ri, &list, &n))
		for (i = 0; i < n; i++) {
			node = cu_find(CU_NODE, list[i]);
			if (node)
				cu_node_end(node);
		}
	free(list);
}

void cu_graph_drop(struct cu_graph *g)
{
	cu_memories_end(&g->memories);
	cu_share_end(&g->shares);
	cu_told_end(g);
	free(g->edges);
	g->edges = NULL;
	cu_drop(g);
}

CUresult cu_graph_end(struct cu_graph *g)
{
	CUresult ret;

	forget_nodes(g->ri);
	ret = end_graph(g->ri);
	cu_graph_drop(g);
	return ret;
}

CUresult cuGraphDestroy(CUgraph hGraph)
{
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = cu_check_recorded(g, "destroyed");
	if (!ret && g->inside)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "the graph belongs to a node of another one, and ends with that");
	if (!ret)
		ret = cu_graph_end(g);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* Copies of nodes get the records of those, and their order */
static CUresult clone_nodes(struct cu_graph *g, struct cu_graph *clone)
{
	aclmdlRITask *list = NULL, copy = NULL;
	const struct cu_node *node;
	uint32_t n = 0, i;
	CUresult ret = cu_nodes_of(g->ri, &list, &n);

	for (i = 0; i < n && !ret; i++) {
		node = cu_find(CU_NODE, list[i]);
		if (!node)
			continue;
		ret = cu_node_code(anpu_front_graph_find(clone->ri, list[i], &copy));
		if (!ret)
			ret = cu_content_clone(node, copy);
	}
	free(list);
	if (!ret)
		ret = cu_share_all(&clone->shares, &g->shares);
	return ret ? ret : cu_edges_clone(g, clone);
}

CUresult cu_graph_clone(struct cu_graph *g, struct cu_graph **out)
{
	bool running = false, updatable = false;
	CUgraph handle = NULL;
	aclmdlRI ri = NULL;
	CUresult ret = cu_check_recorded(g, "copied");

	if (!ret)
		ret = cu_code(anpu_front_graph_state(g->ri, &running, &updatable));
	if (!ret && updatable)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			      "the graph has device-updatable nodes, whose handles name one node each: it cannot be cloned");
	if (!ret && cu_memories_any(&g->memories))
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
			      "the graph has nodes that allocate or free: it cannot be cloned, and be no part of another one");
	if (!ret)
		ret = cu_code(anpu_front_graph_clone(g->ri, &ri));
	if (!ret)
		ret = cu_graph_new(ri, &handle);
	if (ret)
		return ret;
	*out = cu_find(CU_GRAPH, handle);
	ret = clone_nodes(g, *out);
	if (ret)
		(void)cu_graph_end(*out);
	return ret;
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
	struct cu_graph *g, *clone = NULL;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phGraphClone);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(originalGraph, &g);
	if (!ret)
		ret = cu_graph_clone(g, &clone);
	if (!ret)
		*phGraphClone = cu_handle(clone);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* Instantiated graphs ------------------------------------------------------------------------------- */

static CUresult end_exec(struct cu_exec *e)
{
	CUresult ret;
	unsigned int i;

	for (i = 0; i < CU_EXEC_OLD; i++)
		if (e->old[i])
			(void)end_graph(e->old[i]);
	ret = end_graph(e->ri);
	cu_memories_exec_ended(&e->memories);
	cu_share_end(&e->shares);
	cu_drop(e);
	return ret;
}

static CUresult instantiate(struct cu_graph *g, struct cu_exec **out)
{
	bool running = false, updatable = false;
	struct cu_shares shares = { 0 };
	struct cu_exec *e;
	aclmdlRI ri = NULL;
	CUresult ret = cu_code(anpu_front_graph_state(g->ri, &running, &updatable));

	if (!ret && updatable && g->once)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE,
			      "the graph has device-updatable nodes and was instantiated: such a graph can be once");
	if (!ret)
		ret = cu_graph_ready(g, &shares);
	if (!ret)
		ret = cu_code(anpu_front_graph_copy(g->ri, false, updatable, &ri));
	e = ret ? NULL : cu_add(CU_EXEC, NULL);
	if (!e)
		cu_share_end(&shares);
	if (ret)
		return ret;
	if (!e) {
		(void)aclmdlRIDestroy(ri);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	}
	e->ri = ri;
	e->shares = shares;
	ret = cu_memories_instantiate(&g->memories, &e->memories, cu_handle(e));
	if (ret) {
		end_exec(e);
		return ret;
	}
	g->once = updatable;
	*out = e;
	return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
	struct cu_exec *e = NULL;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phGraphExec);
	if (flags > 15)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#llx and must be made of CUDA_GRAPH_INSTANTIATE_FLAG_* bits", flags);
	if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "flags is %#llx: graphs are not launched by kernels", flags);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = instantiate(g, &e);
	if (!ret) {
		e->flags = flags;
		*phGraphExec = cu_handle(e);
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static bool has_unused(CUgraph graph)
{
	bool unused;

	pthread_mutex_lock(&cu_graph_lock);
	unused = cu_condition_unused(graph);
	pthread_mutex_unlock(&cu_graph_lock);
	return unused;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
				      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(instantiateParams);
	instantiateParams->hErrNode_out = NULL;
	ret = cuGraphInstantiate(phGraphExec, hGraph, instantiateParams->flags);
	instantiateParams->result_out = !ret ? CUDA_GRAPH_INSTANTIATE_SUCCESS
					: has_unused(hGraph) ? CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED
					: ret == CUDA_ERROR_NOT_SUPPORTED
						? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
						: CUDA_GRAPH_INSTANTIATE_ERROR;
	return ret;
}

/* Ends what it was before changes, as far as that runs no more */
static void sweep(struct cu_exec *e)
{
	unsigned int i;

	for (i = 0; i < CU_EXEC_OLD; i++)
		if (e->old[i] && aclmdlRIDestroy(e->old[i]) != ACL_ERROR_RT_MODEL_RUNNING)
			e->old[i] = NULL;
}

/* Another graph takes its place; executions that were begun go on */
static CUresult replace(struct cu_exec *e, aclmdlRI ri)
{
	unsigned int i;

	sweep(e);
	for (i = 0; i < CU_EXEC_OLD && e->old[i]; i++)
		;
	if (i == CU_EXEC_OLD) {
		(void)aclrtSynchronizeDevice(); /* a failure of a task is told by the next call that waits for it */
		sweep(e);
		i = 0;
	}
	e->old[i] = e->ri;
	e->ri = ri;
	sweep(e);
	return CUDA_SUCCESS;
}

CUresult cu_exec_node(struct cu_exec *e, CUgraphNode of, aclmdlRITask *out)
{
	bool running = false, updatable = false;
	aclmdlRI ri = NULL;
	CUresult ret = cu_code(anpu_front_graph_state(e->ri, &running, &updatable));

	/* kernels know nodes of the graph that runs, so no copy can take its place */
	if (!ret && running && updatable)
		ret = CU_ACL(aclrtSynchronizeDevice());
	else if (!ret && running)
		ret = cu_code(anpu_front_graph_copy(e->ri, true, false, &ri));
	if (!ret && ri)
		ret = replace(e, ri);
	return ret ? ret : cu_node_code(anpu_front_graph_find(e->ri, of, out));
}

CUresult cu_exec_changed(struct cu_exec *e)
{
	return cu_code(anpu_front_graph_renew(e->ri));
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)
{
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = end_exec(e);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* An execution that allocates or frees memory of nodes */
static CUresult launch_with_memory(CUgraphExec handle, aclrtStream stream)
{
	struct cu_exec *e;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(handle, &e);
	if (!ret)
		ret = cu_memories_check(&e->memories, e->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
	if (!ret)
		ret = CU_ACL(aclmdlRIExecuteAsync(e->ri, stream));
	if (!ret)
		cu_memories_launched(&e->memories);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)
{
	aclrtStream stream;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = cu_stream_use(hStream, &stream, NULL);
	if (!ret && cu_memories_any(&e->memories))
		return launch_with_memory(hGraphExec, stream);
	return ret ? ret : CU_ACL(aclmdlRIExecuteAsync(e->ri, stream));
}

/* Its context has not ended */
static CUresult find_alive(CUgraphExec handle, struct cu_exec **e)
{
	bool running, updatable;
	CUresult ret = cu_exec_find(handle, e);

	return ret ? ret : cu_code(anpu_front_graph_state((*e)->ri, &running, &updatable));
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(flags);
	pthread_mutex_lock(&cu_graph_lock);
	ret = find_alive(hGraphExec, &e);
	if (!ret)
		*flags = e->flags;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphUpload(CUgraphExec hGraphExec, CUstream hStream)
{
	aclrtStream stream;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER();
	ret = find_alive(hGraphExec, &e);
	return ret ? ret : cu_stream_look(hStream, &stream, NULL);
}

static CUresult refuse_update(CUgraphExecUpdateResultInfo *info, CUgraphExecUpdateResult why, CUgraphNode node)
{
	info->result = why;
	info->errorNode = node;
	return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

/* A copy of the graph takes the place of what is instantiated, if it has the same shape */
static CUresult update(struct cu_exec *e, struct cu_graph *g, CUgraphExecUpdateResultInfo *info)
{
	bool running = false, mine = false, others = false;
	aclmdlRITask node = NULL;
	aclmdlRI ri = NULL;
	uint32_t bad = 0;
	aclError err;
	CUresult ret = cu_code(anpu_front_graph_state(g->ri, &running, &others));

	if (!ret)
		ret = cu_code(anpu_front_graph_state(e->ri, &running, &mine));
	if (!ret && mine) {
		(void)cu_fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
			      "the instantiated graph has device-updatable nodes: change its nodes one by one");
		return refuse_update(info, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, NULL);
	}
	if (!ret && others) {
		(void)cu_fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
			      "the graph has device-updatable nodes, and what is to be updated has none");
		return refuse_update(info, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED, NULL);
	}
	if (!ret && (cu_memories_any(&g->memories) || cu_memories_any(&e->memories)) && !cu_memories_same(&g->memories, &e->memories)) {
		(void)cu_fail(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "the graphs have nodes that allocate or free other memory");
		return refuse_update(info, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, NULL);
	}
	if (!ret)
		ret = cu_graph_ready(g, &e->shares);
	if (!ret)
		ret = cu_code(anpu_front_graph_copy(g->ri, false, false, &ri));
	if (ret)
		return ret;
	err = anpu_front_graph_adopt(e->ri, ri, &bad);
	if (!err) {
		ret = cu_code(anpu_front_graph_renew(ri));
		return ret ? ret : replace(e, ri);
	}
	(void)aclmdlRIDestroy(ri);
	if (err != ACL_ERROR_RT_MODEL_UPDATE_FAILED)
		return cu_code(err);
	if (bad == UINT32_MAX)
		return refuse_update(info, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL);
	(void)anpu_front_graph_task(g->ri, bad, &node);
	return refuse_update(info, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, node);
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo)
{
	struct cu_graph *g = NULL;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(resultInfo);
	*resultInfo = (CUgraphExecUpdateResultInfo){ .result = CU_GRAPH_EXEC_UPDATE_SUCCESS };
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = update(e, g, resultInfo);
	pthread_mutex_unlock(&cu_graph_lock);
	if (ret && !resultInfo->result)
		resultInfo->result = CU_GRAPH_EXEC_UPDATE_ERROR;
	return ret;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
	aclmdlRITask *list = NULL;
	struct cu_graph *g;
	uint32_t n = 0, i;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(numNodes);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = cu_nodes_of(g->ri, &list, &n);
	pthread_mutex_unlock(&cu_graph_lock);
	for (i = 0; !ret && nodes && i < *numNodes; i++)
		nodes[i] = i < n ? (CUgraphNode)list[i] : NULL;
	if (!ret && (!nodes || *numNodes > n))
		*numNodes = n;
	free(list);
	return ret;
}
