// SPDX-License-Identifier: MIT
/*
 * Nodes that are no kernels: copies, fills, functions of the program, events, empty ones and graphs in graphs. What
 * such a node does is recorded in a stream of its own, and the recording becomes the node.
 *
 * The device does not reach pageable memory: a function in front of the copy, or behind it, moves its bytes between that
 * and pinned memory of the node.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/graph/graph.h"

/* A copy's part that the host does; in memory that the graph and its copies share */
struct stage {
	struct cu_box box; /* of the host alone */
	void *pinned;	   /* or NULL */
};

/* The work of a node, while it is recorded */
struct recipe {
	struct cu_node what;
	struct stage *stage; /* of a copy with pageable memory, or NULL */
	bool host_first;
};

/* The record of a node takes over what another one has, but stays in its table */
static void assign(struct cu_node *node, const struct cu_node *what)
{
	struct cu_rec rec = node->rec;

	*node = *what;
	node->rec = rec;
}

static void end_stage(void *data)
{
	struct stage *s = data;

	if (s->pinned)
		(void)aclrtFreeHost(s->pinned);
	free(s);
}

static void run_stage(void *arg)
{
	const struct cu_box *b = &((struct stage *)arg)->box;
	size_t y, z;

	for (z = 0; z < b->depth; z++)
		for (y = 0; y < b->height; y++)
			memmove(b->dst + z * b->dst_slice + y * b->dst_pitch,
				b->src + z * b->src_slice + y * b->src_pitch, b->width);
}

/* The host's part of a copy; @b becomes the device's */
static CUresult make_stage(struct recipe *r, struct cu_box *b, bool from)
{
	size_t slice = b->width * b->height;
	struct stage *s = calloc(1, sizeof(*s));

	if (!s || aclrtMallocHost(&s->pinned, slice * b->depth)) {
		free(s);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no pinned memory for a copy of %zu bytes of pageable memory",
			       slice * b->depth);
	}
	s->box = *b;
	if (from) {
		s->box.dst = s->pinned;
		s->box.dst_pitch = b->src_pitch = b->width;
		s->box.dst_slice = b->src_slice = slice;
		b->src = s->pinned;
	} else {
		s->box.src = s->pinned;
		s->box.src_pitch = b->dst_pitch = b->width;
		s->box.src_slice = b->dst_slice = slice;
		b->dst = s->pinned;
	}
	r->stage = s;
	r->host_first = from;
	return CUDA_SUCCESS;
}

/* A copy between two places of the host, which a function does */
static CUresult host_only(struct recipe *r, struct cu_box *b)
{
	r->stage = calloc(1, sizeof(*r->stage));
	if (!r->stage)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a copy");
	r->stage->box = *b;
	b->height = 0;
	return CUDA_SUCCESS;
}

static CUresult record_copy(struct recipe *r, aclrtStream stream)
{
	struct cu_box b;
	bool to, from;
	CUresult ret = cu_box_of(&r->what.copy, &b);

	if (ret || !b.width || !b.height || !b.depth)
		return ret;
	to = cu_is_place(b.dst, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	from = cu_is_place(b.src, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	if ((to || cu_is_place(b.dst, ACL_MEM_LOCATION_TYPE_HOST)) && (from || cu_is_place(b.src, ACL_MEM_LOCATION_TYPE_HOST)))
		ret = host_only(r, &b);
	else if (to || from)
		ret = make_stage(r, &b, from);
	if (!ret && r->stage && r->host_first)
		ret = cu_code(aclrtLaunchHostFunc(stream, run_stage, r->stage));
	if (!ret)
		ret = cu_box_copy(&b, true, stream);
	if (!ret && r->stage && !r->host_first)
		ret = cu_code(aclrtLaunchHostFunc(stream, run_stage, r->stage));
	return ret;
}

static CUresult record_fill(const CUDA_MEMSET_NODE_PARAMS *p, aclrtStream stream)
{
	CUresult ret;

	if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "elementSize is %u and must be 1, 2 or 4", p->elementSize);
	if (!p->width || !p->height)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "width is %zu and height is %zu: neither may be 0", p->width, p->height);
	ret = cu_check_fill(p->dst, p->pitch, p->elementSize, p->width, p->height);
	return ret ? ret
		   : cu_code(anpu_front_fill(CU_PTR(p->dst), p->value, p->elementSize, p->width,
					     p->height > 1 ? p->pitch : 0, p->height, stream));
}

static CUresult record_into(struct recipe *r, aclrtStream stream)
{
	switch (r->what.content) {
	case CU_NODE_COPY:
		return record_copy(r, stream);
	case CU_NODE_FILL:
		return record_fill(&r->what.fill, stream);
	case CU_NODE_HOST:
		return r->what.host.fn ? cu_code(aclrtLaunchHostFunc(stream, r->what.host.fn, r->what.host.userData))
				       : cu_fail(CUDA_ERROR_INVALID_VALUE, "nodeParams->fn is NULL");
	case CU_NODE_RECORD:
		return cuEventRecordWithFlags(r->what.event, stream, CU_EVENT_RECORD_EXTERNAL);
	case CU_NODE_WAIT:
		return cuStreamWaitEvent(stream, r->what.event, CU_EVENT_WAIT_EXTERNAL);
	default:
		return CUDA_SUCCESS;
	}
}

/* Records what a node is to do; other recordings of the program go on */
static CUresult record(struct recipe *r, aclmdlRI *out)
{
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	aclrtStream stream = NULL;
	aclmdlRI ri = NULL;
	CUresult ret;
	aclError end;

	(void)aclmdlRICaptureThreadExchangeMode(&mode);
	ret = cu_code(aclrtCreateStream(&stream));
	if (!ret)
		ret = cu_code(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	if (!ret) {
		ret = record_into(r, stream);
		/* a call that failed has told why, and may have made the recording void */
		end = aclmdlRICaptureEnd(stream, &ri);
		if (!ret)
			ret = cu_code(end);
	}
	if (ret && ri)
		(void)aclmdlRIDestroy(ri);
	if (ret)
		ri = NULL;
	if (stream)
		(void)aclrtDestroyStream(stream);
	(void)aclmdlRICaptureThreadExchangeMode(&mode);
	if (ret && r->stage) {
		end_stage(r->stage);
		r->stage = NULL;
	}
	*out = ri;
	return ret;
}

/* Lets a node run the graph of a handle, which must be of the same device */
static CUresult attach(CUgraphNode node, CUgraph child)
{
	struct cu_graph *g;
	CUresult ret = cu_graph_find(child, &g);

	return ret ? ret : cu_node_code(anpu_front_node_stand_for(node, g->ri));
}

/* A copy of a graph that belongs to a node of another one */
static CUresult copy_inside(CUgraph of, struct cu_graph **out)
{
	struct cu_graph *g;
	CUresult ret = cu_graph_find(of, &g);

	if (!ret)
		ret = cu_graph_sort(g);
	if (!ret)
		ret = cu_graph_clone(g, out);
	if (!ret)
		(*out)->inside = true;
	return ret;
}

CUresult cu_content_clone(const struct cu_node *of, CUgraphNode to)
{
	struct cu_graph *copy = NULL;
	struct cu_node *n = cu_add(CU_NODE, to);
	CUresult ret;

	if (!n)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
	assign(n, of);
	if (of->content != CU_NODE_CHILD)
		return CUDA_SUCCESS;
	n->child = NULL;
	ret = copy_inside(of->child, &copy);
	if (ret)
		return ret;
	n->child = cu_handle(copy);
	return attach(to, n->child);
}

/* The record of a new node, which is taken out again if something fails */
static CUresult keep(struct cu_graph *g, struct recipe *r, aclmdlRITask task, const CUgraphNode *dependencies, size_t n)
{
	struct cu_node *node = cu_add(CU_NODE, task);
	CUresult ret = node ? CUDA_SUCCESS : cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");

	if (!ret) {
		assign(node, &r->what);
		ret = cu_edges_add(g, dependencies, n, task);
	}
	if (!ret && r->what.content == CU_NODE_CHILD)
		ret = attach(task, r->what.child);
	if (!ret && r->stage) {
		ret = cu_share_add(&g->shares, r->stage, end_stage);
		if (!ret)
			r->stage = NULL;
	}
	if (!ret)
		return CUDA_SUCCESS;
	if (node)
		cu_drop(node);
	cu_edges_drop(g, task);
	(void)anpu_front_node_remove(task);
	return ret;
}

/* Has the node packets of its own */
static bool works(enum cu_content content)
{
	return content != CU_NODE_EMPTY && content != CU_NODE_CHILD && content != CU_NODE_ALLOC && content != CU_NODE_FREE &&
	       content != CU_NODE_CHOICE;
}

/* Under the lock */
static CUresult add_locked(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *dependencies, size_t n, struct recipe *r)
{
	aclmdlRITask task = NULL;
	struct cu_graph *g;
	aclmdlRI ri = NULL;
	CUresult ret;

	if (!out)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "phGraphNode is NULL");
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = cu_check_dependencies(g, dependencies, n);
	if (!ret && works(r->what.content))
		ret = record(r, &ri);
	if (!ret)
		ret = cu_code(anpu_front_graph_append(g->ri, ri, &task));
	if (!ret)
		ret = keep(g, r, task, dependencies, n);
	if (ri)
		(void)aclmdlRIDestroy(ri);
	if (ret && r->stage)
		end_stage(r->stage);
	if (!ret)
		*out = task;
	return ret;
}

static CUresult add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *dependencies, size_t n, struct recipe *r)
{
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = add_locked(out, hGraph, dependencies, n, r);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cu_content_add(CUgraphNode *out, CUgraph hGraph, const CUgraphNode *dependencies, size_t n, const struct cu_node *what)
{
	struct recipe r = { .what = *what };

	return add_locked(out, hGraph, dependencies, n, &r);
}

/* The record of a node of that kind */
static CUresult find(CUgraphNode hNode, enum cu_content content, const char *kind, struct cu_node **out)
{
	enum anpu_front_node_type type;
	CUresult ret = cu_node_code(anpu_front_node_type(hNode, &type));

	if (ret)
		return ret;
	*out = cu_find(CU_NODE, hNode);
	if (*out && (*out)->content == content)
		return CUDA_SUCCESS;
	if ((!*out || !(*out)->content) && ((content == CU_NODE_COPY && type == ANPU_NODE_COPY) ||
					    (content == CU_NODE_FILL && type == ANPU_NODE_FILL) ||
					    (content == CU_NODE_HOST && type == ANPU_NODE_HOST)))
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the node was recorded, and does not tell its parameters: set them, "
							 "or add the node to a graph");
	return cu_fail(CUDA_ERROR_INVALID_VALUE, "the node is no %s", kind);
}

/* Each member of the union begins where the others do */
CUresult cu_content_tell(CUgraphNode hNode, enum cu_content content, const char *kind, void *out, size_t size)
{
	struct cu_node *node = NULL;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = find(hNode, content, kind, &node);
	if (!ret)
		memcpy(out, &node->copy, size);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* May a node of the graph be given this content: it is of that kind, recorded or not */
static CUresult check_kind(CUgraphNode hNode, enum cu_content content, const char *kind)
{
	struct cu_node *node = NULL;
	CUresult ret = find(hNode, content, kind, &node);

	return ret == CUDA_ERROR_NOT_SUPPORTED ? CUDA_SUCCESS : ret;
}

/* Under the lock: lets a node of a graph, or the copy of it in an instantiated one, do something else */
static CUresult change(aclmdlRITask task, struct recipe *r, struct cu_shares *shares)
{
	aclmdlRI ri = NULL;
	CUresult ret = record(r, &ri);

	if (ret)
		return ret;
	ret = r->stage ? cu_share_add(shares, r->stage, end_stage) : CUDA_SUCCESS;
	if (ret)
		end_stage(r->stage);
	else
		ret = cu_node_code(anpu_front_node_replace(task, ri));
	(void)aclmdlRIDestroy(ri);
	return ret;
}

static CUresult set(CUgraphNode hNode, const char *kind, struct recipe *r)
{
	struct cu_node *node;
	struct cu_graph *g;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = check_kind(hNode, r->what.content, kind);
	if (!ret)
		ret = cu_graph_of(hNode, &g);
	if (!ret)
		ret = change(hNode, r, &g->shares);
	node = cu_find(CU_NODE, hNode);
	if (!ret && !node)
		node = cu_add(CU_NODE, hNode);
	if (!ret && !node)
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");
	if (!ret)
		assign(node, &r->what);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult set_exec(CUgraphExec hExec, CUgraphNode hNode, const char *kind, struct recipe *r)
{
	aclmdlRITask task = NULL;
	struct cu_exec *e;
	CUresult ret;

	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hExec, &e);
	if (!ret)
		ret = check_kind(hNode, r->what.content, kind);
	if (!ret)
		ret = cu_exec_node(e, hNode, &task);
	if (!ret)
		ret = change(task, r, &e->shares);
	if (!ret)
		ret = cu_exec_changed(e);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/*
 * The calls of one kind of node: add, ask, change, change in an instantiated graph. @field: of struct cu_node; @type: its
 * parameters, which come by a pointer, and for some with a context
 */
#define NODES(name, CONTENT, kind, field, type, ...)                                                               \
	CUresult cuGraphAdd##name##Node(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,  \
					size_t numDependencies, const type *params CTX_##__VA_ARGS__)               \
	{                                                                                                           \
		struct recipe r = { .what.content = CONTENT };                                                      \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		CU_CHECK_PTR(params);                                                                               \
		CHECK_##__VA_ARGS__;                                                                                \
		r.what.field = *params;                                                                             \
		return add(phGraphNode, hGraph, dependencies, numDependencies, &r);                                 \
	}                                                                                                           \
	CUresult cuGraph##name##NodeGetParams(CUgraphNode hNode, type *nodeParams)                                  \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		CU_CHECK_PTR(nodeParams);                                                                           \
		return cu_content_tell(hNode, CONTENT, kind, nodeParams, sizeof(*nodeParams));                         \
	}                                                                                                           \
	CUresult cuGraph##name##NodeSetParams(CUgraphNode hNode, const type *nodeParams)                            \
	{                                                                                                           \
		struct recipe r = { .what.content = CONTENT };                                                      \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		CU_CHECK_PTR(nodeParams);                                                                           \
		r.what.field = *nodeParams;                                                                         \
		return set(hNode, kind, &r);                                                                        \
	}                                                                                                           \
	CUresult cuGraphExec##name##NodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,                        \
						  const type *params CTX_##__VA_ARGS__)                             \
	{                                                                                                           \
		struct recipe r = { .what.content = CONTENT };                                                      \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		CU_CHECK_PTR(params);                                                                               \
		CHECK_##__VA_ARGS__;                                                                                \
		r.what.field = *params;                                                                             \
		return set_exec(hGraphExec, hNode, kind, &r);                                                       \
	}

static CUresult check_context(CUcontext ctx)
{
	struct cu_ctx *found;

	return cu_ctx_get(ctx, &found);
}

#define CTX_yes	  , CUcontext ctx
#define CTX_no
#define CHECK_yes                                        \
	do {                                             \
		CUresult bad_ = check_context(ctx);      \
		if (bad_)                                \
			return bad_;                     \
	} while (0)
#define CHECK_no  (void)0

NODES(Memcpy, CU_NODE_COPY, "copy", copy, CUDA_MEMCPY3D, yes)
NODES(Memset, CU_NODE_FILL, "fill", fill, CUDA_MEMSET_NODE_PARAMS, yes)
NODES(Host, CU_NODE_HOST, "function of the program", host, CUDA_HOST_NODE_PARAMS, no)

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			     size_t numDependencies)
{
	struct recipe r = { .what.content = CU_NODE_EMPTY };

	CU_ENTER_CTX(now);
	return add(phGraphNode, hGraph, dependencies, numDependencies, &r);
}

/* Events ---------------------------------------------------------------------------------------------- */

#define EVENTS(name, CONTENT, kind)                                                                                \
	CUresult cuGraphAddEvent##name##Node(CUgraphNode *phGraphNode, CUgraph hGraph,                              \
					     const CUgraphNode *dependencies, size_t numDependencies, CUevent event) \
	{                                                                                                           \
		struct recipe r = { .what = { .content = CONTENT, .event = event } };                               \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		return add(phGraphNode, hGraph, dependencies, numDependencies, &r);                                 \
	}                                                                                                           \
	CUresult cuGraphEvent##name##NodeGetEvent(CUgraphNode hNode, CUevent *event_out)                            \
	{                                                                                                           \
		CU_ENTER();                                                                                         \
		CU_CHECK_PTR(event_out);                                                                            \
		return cu_content_tell(hNode, CONTENT, kind, event_out, sizeof(*event_out));                           \
	}                                                                                                           \
	CUresult cuGraphEvent##name##NodeSetEvent(CUgraphNode hNode, CUevent event)                                 \
	{                                                                                                           \
		struct recipe r = { .what = { .content = CONTENT, .event = event } };                               \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		return set(hNode, kind, &r);                                                                        \
	}                                                                                                           \
	CUresult cuGraphExecEvent##name##NodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)     \
	{                                                                                                           \
		struct recipe r = { .what = { .content = CONTENT, .event = event } };                               \
                                                                                                                    \
		CU_ENTER_CTX(now);                                                                                  \
		return set_exec(hGraphExec, hNode, kind, &r);                                                       \
	}

EVENTS(Record, CU_NODE_RECORD, "record of an event")
EVENTS(Wait, CU_NODE_WAIT, "wait for an event")

/* Graphs in graphs ------------------------------------------------------------------------------------- */

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
				  size_t numDependencies, CUgraph childGraph)
{
	struct recipe r = { .what.content = CU_NODE_CHILD };
	struct cu_graph *copy = NULL;
	CUresult ret;

	CU_ENTER_CTX(now);
	CU_CHECK_PTR(phGraphNode);
	pthread_mutex_lock(&cu_graph_lock);
	ret = copy_inside(childGraph, &copy);
	pthread_mutex_unlock(&cu_graph_lock);
	if (ret)
		return ret;
	r.what.child = cu_handle(copy);
	ret = add(phGraphNode, hGraph, dependencies, numDependencies, &r);
	if (!ret)
		return CUDA_SUCCESS;
	pthread_mutex_lock(&cu_graph_lock);
	(void)cu_graph_end(copy);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
	CU_ENTER();
	CU_CHECK_PTR(phGraph);
	return cu_content_tell(hNode, CU_NODE_CHILD, "graph", phGraph, sizeof(*phGraph));
}
