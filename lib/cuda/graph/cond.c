// SPDX-License-Identifier: MIT
/*
 * Conditions and the nodes that have them. A condition is a word of device memory, its handle is the address: kernels set it by
 * storing there. The graphs of a node belong to it, and become part of what is instantiated.
 */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/graph/graph.h"

struct condition {
	struct condition *next;
	uint64_t va;
	CUgraph graph; /* compared: it may have ended, what was instantiated from it goes on */
	CUcontext ctx;
	bool used; /* by a node */
};
static struct condition *conditions; /* under cu_graph_lock */

static struct condition *find(CUgraphConditionalHandle handle)
{
	struct condition *c;

	for (c = conditions; c && c->va != handle; c = c->next)
		;
	return c;
}

bool cu_condition_unused(CUgraph graph)
{
	const struct condition *c;

	for (c = conditions; c && (c->used || c->graph != graph); c = c->next)
		;
	return c;
}

/* The last graph that may use it has ended */
static void end_condition(void *data)
{
	struct condition *c = data, **at;

	for (at = &conditions; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	cu_graph_memory_end(c->va, false);
	free(c);
}

/* A word that is 0, also while streams are recorded */
static CUresult make_word(struct cu_ctx *ctx, uint64_t *va)
{
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	CUresult ret;

	(void)aclmdlRICaptureThreadExchangeMode(&mode);
	ret = cu_graph_memory_new(ctx, sizeof(*va), va);
	if (!ret) {
		ret = cu_code(aclrtMemset(CU_PTR(*va), sizeof(*va), 0, sizeof(*va)));
		if (ret)
			cu_graph_memory_end(*va, false);
	}
	(void)aclmdlRICaptureThreadExchangeMode(&mode);
	return ret;
}

static CUresult create(struct cu_graph *g, struct cu_ctx *ctx, struct condition **out)
{
	struct condition *c = calloc(1, sizeof(*c));
	CUresult ret = c ? make_word(ctx, &c->va) : cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a condition");

	if (ret) {
		free(c);
		return ret;
	}
	c->graph = cu_handle(g);
	c->ctx = cu_handle(ctx);
	c->next = conditions;
	conditions = c;
	ret = cu_share_add(&g->shares, c, end_condition);
	if (ret)
		end_condition(c);
	*out = c;
	return ret;
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *pHandle_out, CUgraph hGraph, CUcontext ctx,
					unsigned int defaultLaunchValue, unsigned int flags)
{
	struct condition *c = NULL;
	struct cu_graph *g;
	struct cu_ctx *of;
	CUresult ret;

	CU_ENTER_CTX(now);
	CU_CHECK_PTR(pHandle_out);
	if (flags & ~CU_GRAPH_COND_ASSIGN_DEFAULT)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0 or CU_GRAPH_COND_ASSIGN_DEFAULT (1)", flags);
	ret = cu_ctx_get(ctx ? ctx : cu_handle(now), &of);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = create(g, of, &c);
	if (!ret && flags)
		ret = cu_code(anpu_front_graph_word(g->ri, c->va, defaultLaunchValue));
	if (!ret)
		*pHandle_out = c->va;
	else if (c)
		(void)cu_share_drop(&g->shares, c, 1);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* Nodes ----------------------------------------------------------------------------------------------------- */

/* Is @graph that of the condition, or a part of it at any depth */
static bool belongs(const struct condition *c, CUgraph graph)
{
	const struct cu_graph *g;

	while (graph && graph != c->graph) {
		g = cu_find(CU_GRAPH, graph);
		graph = g ? g->outer : NULL;
	}
	return graph;
}

static CUresult check_size(const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	unsigned int most = p->type == CU_GRAPH_COND_TYPE_IF ? 2 : p->type == CU_GRAPH_COND_TYPE_WHILE ? 1 : ANPU_FRONT_MOST_BODIES;

	if ((unsigned int)p->type > CU_GRAPH_COND_TYPE_SWITCH)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.type is %d and must be IF (0), WHILE (1) or SWITCH (2)", (int)p->type);
	if (!p->size || p->size > most)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.size is %u and must be 1 to %u for this type", p->size, most);
	return CUDA_SUCCESS;
}

static CUresult check_condition(CUgraph graph, const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	const struct condition *c = find(p->handle);

	if (!c)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.handle is %#llx, which is no condition, or one whose graph has ended",
			       (unsigned long long)p->handle);
	if (!belongs(c, graph))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.handle is %#llx, a condition of another graph",
			       (unsigned long long)p->handle);
	if (c->used)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.handle is %#llx, which another node has: each has one of its own",
			       (unsigned long long)p->handle);
	if (p->ctx && p->ctx != c->ctx)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "conditional.ctx is %p, and the condition was made for context %p", (void *)p->ctx,
			       (void *)c->ctx);
	return CUDA_SUCCESS;
}

void cu_bodies_end(const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	struct condition *c = find(p->handle);
	unsigned int i;

	for (i = 0; i < p->size; i++)
		cu_end_inside(p->phGraph_out[i]);
	free(p->phGraph_out);
	if (c)
		c->used = false;
}

/* The graphs of a node that is being made */
static CUresult make_bodies(CUDA_CONDITIONAL_NODE_PARAMS *p, CUgraph outer)
{
	CUresult ret = CUDA_SUCCESS;
	struct cu_graph *g;
	unsigned int i;
	aclmdlRI ri;

	p->phGraph_out = calloc(p->size, sizeof(*p->phGraph_out));
	if (!p->phGraph_out) {
		p->size = 0;
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the graphs of a conditional node");
	}
	for (i = 0; i < p->size && !ret; i++) {
		ret = cu_code(anpu_front_graph_new(&ri));
		if (!ret)
			ret = cu_graph_new(ri, &p->phGraph_out[i]);
		if (ret)
			break;
		g = cu_find(CU_GRAPH, p->phGraph_out[i]);
		g->inside = true;
		g->outer = outer;
	}
	return ret;
}

/* Lets the node run the graphs of @p */
static CUresult choose(CUgraphNode node, const CUDA_CONDITIONAL_NODE_PARAMS *p)
{
	static const aclmdlRICondTaskType types[] = {
		[CU_GRAPH_COND_TYPE_IF] = ACL_MODEL_RI_COND_TYPE_IF,
		[CU_GRAPH_COND_TYPE_WHILE] = ACL_MODEL_RI_COND_TYPE_WHILE,
		[CU_GRAPH_COND_TYPE_SWITCH] = ACL_MODEL_RI_COND_TYPE_SWITCH,
	};
	aclmdlRI *ri = calloc(p->size, sizeof(*ri));
	const struct cu_graph *g;
	CUresult ret;
	unsigned int i;

	if (!ri)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a conditional node");
	for (i = 0; i < p->size; i++) {
		g = cu_find(CU_GRAPH, p->phGraph_out[i]);
		ri[i] = g->ri;
	}
	ret = cu_node_code(anpu_front_node_choose(node, types[p->type], p->handle, ri, p->size));
	free(ri);
	return ret;
}

/* Under the lock */
static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t n, struct cu_node *what)
{
	CUresult ret = make_bodies(&what->choice, graph);
	CUgraphNode node = NULL;

	if (!ret)
		ret = cu_content_add(&node, graph, dependencies, n, what);
	if (ret) {
		cu_bodies_end(&what->choice);
		return ret;
	}
	find(what->choice.handle)->used = true;
	ret = choose(node, &what->choice);
	if (ret)
		(void)cu_node_destroy(node);
	else
		*out = node;
	return ret;
}

CUresult cu_add_conditional(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies, size_t numDependencies,
			    CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	struct cu_node what = { .content = CU_NODE_CHOICE, .choice = *params };
	struct cu_graph *g;
	CUresult ret;

	CU_CHECK_PTR(phGraphNode);
	ret = check_size(params);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = check_condition(hGraph, params);
	if (!ret)
		ret = add(phGraphNode, hGraph, dependencies, numDependencies, &what);
	if (!ret)
		params->phGraph_out = what.choice.phGraph_out;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* Instantiation ---------------------------------------------------------------------------------------------- */

static bool may_be_inside(CUgraphNode node, enum anpu_front_node_type type)
{
	const struct cu_node *n = cu_find(CU_NODE, node);

	if (n && (n->content == CU_NODE_ALLOC || n->content == CU_NODE_FREE))
		return false;
	return type == ANPU_NODE_KERNEL || type == ANPU_NODE_COPY || type == ANPU_NODE_FILL || type == ANPU_NODE_OTHER;
}

CUresult cu_check_body(const struct cu_graph *g, const aclmdlRITask *nodes, size_t n)
{
	enum anpu_front_node_type type = ANPU_NODE_OTHER;
	bool running = false, updatable = false;
	CUresult ret = cu_code(anpu_front_graph_state(g->ri, &running, &updatable));
	size_t i;

	if (!ret && updatable)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "a graph of a conditional node has device-updatable nodes");
	for (i = 0; i < n && !ret; i++) {
		ret = cu_node_code(anpu_front_node_type(nodes[i], &type));
		if (!ret && !may_be_inside(nodes[i], type))
			ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED,
				      "node %zu of a conditional node's graph is none that such a graph may have: kernels, fills, copies without "
				      "pageable memory, empty nodes, graphs and conditional nodes",
				      i);
	}
	return ret;
}
