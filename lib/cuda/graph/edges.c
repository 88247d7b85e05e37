// SPDX-License-Identifier: MIT
/*
 * Dependencies of nodes. A graph keeps pairs of nodes; its nodes run one after the other in an order that all pairs
 * allow: the one in which they were added, unless a pair was added later that forbids it.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph/graph.h"

static bool has_edge(const struct cu_graph *g, CUgraphNode from, CUgraphNode to)
{
	size_t i;

	for (i = 0; i < g->edge_count; i++)
		if (g->edges[i].from == from && g->edges[i].to == to)
			return true;
	return false;
}

static CUresult keep_edge(struct cu_graph *g, CUgraphNode from, CUgraphNode to)
{
	struct cu_edge *more = realloc(g->edges, (g->edge_count + 1) * sizeof(*more));

	if (!more)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a dependency of a graph");
	g->edges = more;
	more[g->edge_count++] = (struct cu_edge){ from, to };
	return CUDA_SUCCESS;
}

/* While the graph is recorded, its dependencies are where those of the recording are, too */
static CUresult add_edge(struct cu_graph *g, CUgraphNode from, CUgraphNode to)
{
	CUresult ret;

	if (!g->recording)
		return keep_edge(g, from, to);
	ret = cu_node_code(anpu_front_graph_pair(g->ri, from, to));
	return ret ? ret : cu_edges_recorded(g);
}

static CUresult check_member(const struct cu_graph *g, CUgraphNode node, const char *name, size_t i)
{
	aclmdlRI of = NULL;
	CUresult ret = cu_node_code(anpu_front_node_graph(node, &of));

	if (!ret && of != g->ri)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "%s[%zu] is a node of another graph", name, i);
	return ret;
}

CUresult cu_check_dependencies(const struct cu_graph *g, const CUgraphNode *dependencies, size_t n)
{
	CUresult ret = CUDA_SUCCESS;
	size_t i, k;

	if (n && !dependencies)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dependencies is NULL and numDependencies is %zu", n);
	for (i = 0; i < n && !ret; i++) {
		ret = check_member(g, dependencies[i], "dependencies", i);
		for (k = 0; k < i && !ret; k++)
			if (dependencies[k] == dependencies[i])
				ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "dependencies[%zu] and [%zu] are the same node", k, i);
	}
	return ret;
}

CUresult cu_edges_add(struct cu_graph *g, const CUgraphNode *from, size_t n, CUgraphNode to)
{
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < n && !ret; i++)
		ret = add_edge(g, from[i], to);
	return ret;
}

void cu_edges_drop(struct cu_graph *g, CUgraphNode node)
{
	size_t i, kept = 0;

	for (i = 0; i < g->edge_count; i++)
		if (g->edges[i].from != node && g->edges[i].to != node)
			g->edges[kept++] = g->edges[i];
	g->edge_count = kept;
}

CUresult cu_edges_clone(const struct cu_graph *g, struct cu_graph *clone)
{
	aclmdlRITask from = NULL, to = NULL;
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	for (i = 0; i < g->edge_count && !ret; i++) {
		ret = cu_node_code(anpu_front_graph_find(clone->ri, g->edges[i].from, &from));
		if (!ret)
			ret = cu_node_code(anpu_front_graph_find(clone->ri, g->edges[i].to, &to));
		if (!ret)
			ret = add_edge(clone, from, to);
	}
	clone->unsorted = g->unsorted;
	return ret;
}

CUresult cu_edges_recorded(struct cu_graph *g)
{
	aclmdlRITask (*pairs)[2] = NULL;
	bool goes_on = false;
	uint32_t n = 0, more, i;
	CUresult ret;

	if (!g->recording)
		return CUDA_SUCCESS;
	if (!anpu_front_graph_recording(g->ri, &goes_on)) {
		g->recording = false; /* its recording has failed, and with that it ended */
		return CUDA_SUCCESS;
	}
	ret = cu_code(anpu_front_graph_pairs(g->ri, 0, NULL, 0, &n));
	more = n - g->pairs;
	if (!ret && more) {
		pairs = calloc(more, sizeof(*pairs));
		ret = pairs ? cu_code(anpu_front_graph_pairs(g->ri, g->pairs, pairs, more, &n))
			    : cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the dependencies of a graph");
	}
	for (i = 0; i < more && !ret; i++) {
		ret = keep_edge(g, pairs[i][0], pairs[i][1]);
		g->pairs += !ret;
	}
	free(pairs);
	if (!ret)
		g->recording = goes_on;
	return ret;
}

struct search {
	aclmdlRI ri;
	struct cu_graph *found;
};

static void compare(void *record, void *arg)
{
	struct search *s = arg;

	if (((struct cu_graph *)record)->ri == s->ri)
		s->found = record;
}

struct cu_graph *cu_graph_with(aclmdlRI ri)
{
	struct search s = { .ri = ri };

	cu_each(CU_GRAPH, compare, &s);
	return s.found;
}

CUresult cu_graph_of(CUgraphNode node, struct cu_graph **g)
{
	aclmdlRI of = NULL;
	CUresult ret = cu_node_code(anpu_front_node_graph(node, &of));

	if (ret)
		return ret;
	*g = cu_graph_with(of);
	return *g ? cu_edges_recorded(*g)
		  : cu_fail(CUDA_ERROR_INVALID_VALUE, "%p is a node of a graph that this front does not know", (void *)node);
}

/* Order --------------------------------------------------------------------------------------------- */

static size_t place_of(const aclmdlRITask *list, uint32_t n, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < n && list[i] != node; i++)
		;
	return i;
}

/* Can node @i run, as all in front of it are done? */
static bool is_free(const struct cu_graph *g, const aclmdlRITask *list, uint32_t n, const bool *done, uint32_t i)
{
	size_t k, from;

	for (k = 0; k < g->edge_count; k++) {
		if (g->edges[k].to != list[i])
			continue;
		from = place_of(list, n, g->edges[k].from);
		if (from < n && !done[from])
			return false;
	}
	return true;
}

/* Each time the first node that can run; false: some wait for each other */
static bool order(const struct cu_graph *g, const aclmdlRITask *list, uint32_t n, bool *done, aclmdlRITask *out)
{
	uint32_t placed, i;

	for (placed = 0; placed < n; placed++) {
		for (i = 0; i < n && (done[i] || !is_free(g, list, n, done, i)); i++)
			;
		if (i == n)
			return false;
		done[i] = true;
		out[placed] = list[i];
	}
	return true;
}

/* Orders the nodes, and puts them there if @apply */
static CUresult sort(struct cu_graph *g, bool apply)
{
	aclmdlRITask *list = NULL, *out;
	uint32_t n = 0;
	bool *done;
	CUresult ret = cu_nodes_of(g->ri, &list, &n);

	out = calloc(n + 1, sizeof(*out));
	done = calloc(n + 1, sizeof(*done));
	if (!ret && (!out || !done))
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the order of a graph");
	if (!ret && !order(g, list, n, done, out))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "the dependencies make nodes wait for each other");
	if (!ret && apply)
		ret = cu_code(anpu_front_graph_sort(g->ri, out, n));
	free(list);
	free(out);
	free(done);
	return ret;
}

CUresult cu_graph_sort(struct cu_graph *g)
{
	CUresult ret = cu_check_recorded(g, "copied or instantiated");

	if (!ret && g->unsorted)
		ret = sort(g, true);
	if (!ret)
		g->unsorted = false;
	return ret;
}

static CUresult ready(struct cu_graph *g, bool body, struct cu_shares *shares);

/* Graphs in a node; @body: the node itself is in a conditional one */
static CUresult ready_inside(const struct cu_node *node, bool body, struct cu_shares *shares)
{
	const CUgraph *list = node->content == CU_NODE_CHOICE ? node->choice.phGraph_out : &node->child;
	unsigned int n = node->content == CU_NODE_CHOICE ? node->choice.size : node->content == CU_NODE_CHILD, i;
	CUresult ret = CUDA_SUCCESS;
	struct cu_graph *g;

	for (i = 0; i < n && !ret; i++) {
		g = cu_find(CU_GRAPH, list[i]);
		if (g)
			ret = ready(g, body || node->content == CU_NODE_CHOICE, shares);
	}
	return ret;
}

/* The checking mode tells of nodes that lack a dependency */
static void look(const struct cu_graph *g)
{
	aclmdlRITask (*pairs)[2] = anpu_front_checking() ? calloc(g->edge_count + 1, sizeof(*pairs)) : NULL;
	size_t i;

	if (!pairs)
		return;
	for (i = 0; i < g->edge_count; i++) {
		pairs[i][0] = g->edges[i].from;
		pairs[i][1] = g->edges[i].to;
	}
	(void)anpu_front_graph_look(g->ri, (const aclmdlRITask (*)[2])pairs, g->edge_count);
	free(pairs);
}

static CUresult ready(struct cu_graph *g, bool body, struct cu_shares *shares)
{
	aclmdlRITask *list = NULL;
	const struct cu_node *node;
	uint32_t n = 0, i;
	CUresult ret = cu_graph_sort(g);

	if (!ret && cu_condition_unused(cu_handle(g)))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "the graph has a condition that no node of it has: add such a node first");
	if (!ret)
		ret = cu_share_all(shares, &g->shares);
	if (!ret)
		ret = cu_nodes_of(g->ri, &list, &n);
	if (!ret && body)
		ret = cu_check_body(g, list, n);
	for (i = 0; i < n && !ret; i++) {
		node = cu_find(CU_NODE, list[i]);
		if (node)
			ret = ready_inside(node, body, shares);
	}
	if (!ret)
		look(g);
	free(list);
	return ret;
}

CUresult cu_graph_ready(struct cu_graph *g, struct cu_shares *shares)
{
	return ready(g, false, shares);
}

/* The API ---------------------------------------------------------------------------------------------- */

static CUresult check_pairs(const struct cu_graph *g, const CUgraphNode *from, const CUgraphNode *to, size_t n, bool there)
{
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	if (n && (!from || !to))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "from or to is NULL and numDependencies is %zu", n);
	for (i = 0; i < n && !ret; i++) {
		ret = check_member(g, from[i], "from", i);
		if (!ret)
			ret = check_member(g, to[i], "to", i);
		if (!ret && from[i] == to[i])
			ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "from[%zu] and to[%zu] are the same node", i, i);
		if (!ret && has_edge(g, from[i], to[i]) != there)
			ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "dependency %zu is %s", i,
				      there ? "not in the graph" : "in the graph already");
	}
	return ret;
}

/* All of them, or none */
static CUresult add_all(struct cu_graph *g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	size_t before = g->edge_count, i;
	CUresult ret = CUDA_SUCCESS;

	for (i = 0; i < n && !ret; i++)
		ret = add_edge(g, from[i], to[i]);
	if (!ret)
		ret = sort(g, false);
	if (ret)
		g->edge_count = before;
	else
		g->unsorted = true;
	return ret;
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = check_pairs(g, from, to, numDependencies, false);
	if (!ret)
		ret = add_all(g, from, to, numDependencies);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
	struct cu_graph *g;
	CUresult ret;
	size_t i, k, kept;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = check_pairs(g, from, to, numDependencies, true);
	if (!ret && numDependencies && cu_memories_any(&g->memories))
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the graph has nodes that allocate or free: none of its dependencies can be removed");
	for (i = 0; i < numDependencies && !ret; i++) {
		for (k = kept = 0; k < g->edge_count; k++)
			if (g->edges[k].from != from[i] || g->edges[k].to != to[i])
				g->edges[kept++] = g->edges[k];
		g->edge_count = kept;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
	struct cu_graph *g;
	CUresult ret;
	size_t i;

	CU_ENTER();
	CU_CHECK_PTR(numEdges);
	if (!from != !to)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "from and to must both be given, or none of them");
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	for (i = 0; !ret && from && i < *numEdges; i++) {
		from[i] = i < g->edge_count ? g->edges[i].from : NULL;
		to[i] = i < g->edge_count ? g->edges[i].to : NULL;
	}
	if (!ret && (!from || *numEdges > g->edge_count))
		*numEdges = g->edge_count;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* The other ends of a node's edges: in front of it or behind it */
static CUresult ends(CUgraphNode node, bool behind, CUgraphNode *out, size_t *room)
{
	struct cu_graph *g;
	size_t i, n = 0;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_of(node, &g);
	for (i = 0; !ret && i < g->edge_count; i++) {
		if ((behind ? g->edges[i].from : g->edges[i].to) != node)
			continue;
		if (out && n < *room)
			out[n] = behind ? g->edges[i].to : g->edges[i].from;
		n++;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	for (i = n; !ret && out && i < *room; i++)
		out[i] = NULL;
	if (!ret && (!out || *room > n))
		*room = n;
	return ret;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies)
{
	CU_ENTER();
	CU_CHECK_PTR(numDependencies);
	return ends(hNode, false, dependencies, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes)
{
	CU_ENTER();
	CU_CHECK_PTR(numDependentNodes);
	return ends(hNode, true, dependentNodes, numDependentNodes);
}

static bool is_root(const struct cu_graph *g, CUgraphNode node)
{
	size_t i;

	for (i = 0; i < g->edge_count && g->edges[i].to != node; i++)
		;
	return i == g->edge_count;
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
	aclmdlRITask *list = NULL;
	struct cu_graph *g;
	uint32_t n = 0, i;
	size_t roots = 0, k;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(numRootNodes);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = cu_nodes_of(g->ri, &list, &n);
	for (i = 0; i < n && !ret; i++) {
		if (!is_root(g, list[i]))
			continue;
		if (rootNodes && roots < *numRootNodes)
			rootNodes[roots] = list[i];
		roots++;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	for (k = roots; !ret && rootNodes && k < *numRootNodes; k++)
		rootNodes[k] = NULL;
	if (!ret && (!rootNodes || *numRootNodes > roots))
		*numRootNodes = roots;
	free(list);
	return ret;
}
