// SPDX-License-Identifier: MIT
/* Nodes of graphs: kernels, their parameters and attributes, in a graph and in what was instantiated from it. */
#include "cuda/context/context.h"
#include "cuda/stream/stream.h"
#include "cuda/module/module.h"
#include "cuda/graph/graph.h"
#include "cuda/launch/launch.h"

CUresult cu_node_code(aclError err)
{
	CUresult ret = cu_code(err);

	return ret == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : ret;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
	static const CUgraphNodeType types[] = {
		[ANPU_NODE_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL,
		[ANPU_NODE_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
		[ANPU_NODE_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
		[ANPU_NODE_HOST] = CU_GRAPH_NODE_TYPE_HOST,
		[ANPU_NODE_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
		[ANPU_NODE_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
		[ANPU_NODE_VALUE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
		[ANPU_NODE_OTHER] = CU_GRAPH_NODE_TYPE_EMPTY,
	};
	static const CUgraphNodeType made[] = {
		[CU_NODE_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,   [CU_NODE_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
		[CU_NODE_HOST] = CU_GRAPH_NODE_TYPE_HOST,     [CU_NODE_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
		[CU_NODE_CHILD] = CU_GRAPH_NODE_TYPE_GRAPH,   [CU_NODE_RECORD] = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
		[CU_NODE_WAIT] = CU_GRAPH_NODE_TYPE_WAIT_EVENT, [CU_NODE_ALLOC] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
		[CU_NODE_FREE] = CU_GRAPH_NODE_TYPE_MEM_FREE, [CU_NODE_CHOICE] = CU_GRAPH_NODE_TYPE_CONDITIONAL,
	};
	enum anpu_front_node_type is = ANPU_NODE_OTHER;
	const struct cu_node *node;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(type);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_node_code(anpu_front_node_type(hNode, &is));
	node = cu_find(CU_NODE, hNode);
	if (!ret)
		*type = node && node->content ? made[node->content] : types[is];
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cu_node_destroy(CUgraphNode hNode)
{
	struct cu_node *node = cu_find(CU_NODE, hNode);
	struct cu_graph *g;
	CUresult ret = cu_graph_of(hNode, &g);

	if (!ret)
		ret = cu_node_code(anpu_front_node_remove(hNode));
	if (!ret)
		cu_edges_drop(g, hNode);
	if (!ret && node)
		cu_node_end(node);
	return ret;
}

/* Graphs whose nodes stay */
static CUresult check_destroy(CUgraphNode hNode)
{
	struct cu_graph *g;
	CUresult ret = cu_graph_of(hNode, &g);

	if (!ret)
		ret = cu_check_recorded(g, "parted from nodes");
	if (!ret && cu_memories_any(&g->memories))
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the graph has nodes that allocate or free: none of its nodes can be destroyed");
	return ret;
}

CUresult cuGraphDestroyNode(CUgraphNode hNode)
{
	CUresult ret;

	CU_ENTER();
	pthread_mutex_lock(&cu_graph_lock);
	ret = check_destroy(hNode);
	if (!ret)
		ret = cu_node_destroy(hNode);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph)
{
	aclmdlRITask found = NULL;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(phNode);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hClonedGraph, &g);
	if (!ret)
		ret = cu_node_code(anpu_front_graph_find(g->ri, hOriginalNode, &found));
	pthread_mutex_unlock(&cu_graph_lock);
	if (!ret)
		*phNode = found;
	return ret;
}

/* Kernels --------------------------------------------------------------------------------------------- */

/* Function, grid, block and parameters of a launch become those that a program gives */
static CUresult take_params(struct anpu_front_launch *l, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct cu_func *f;
	CUresult ret;

	if (p->func && p->kern)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "nodeParams->func and kern are both given: give one");
	ret = cu_func_get(p->func ? p->func : (CUfunction)p->kern, &f);
	if (ret)
		return ret;
	l->grid[0] = p->gridDimX;
	l->grid[1] = p->gridDimY;
	l->grid[2] = p->gridDimZ;
	l->block[0] = p->blockDimX;
	l->block[1] = p->blockDimY;
	l->block[2] = p->blockDimZ;
	l->shared = p->sharedMemBytes;
	l->params = NULL;
	l->packed = NULL;
	return cu_describe(l, f, p->kernelParams, p->extra);
}

static CUresult hints_of(CUgraphNode hNode, struct cu_node **out);

/* Keeps the edges and the policy of a new kernel, which is taken out again if that fails */
static CUresult keep_kernel(struct cu_graph *g, CUgraphNode node, const CUgraphNode *dependencies, size_t n, CUfunction func)
{
	struct cu_node *hints = NULL;
	struct cu_func *f = NULL;
	CUresult ret = cu_edges_add(g, dependencies, n, node);

	if (!ret)
		ret = cu_func_get(func, &f);
	if (!ret && f->cluster_policy) {
		ret = hints_of(node, &hints);
		if (!ret)
			hints->policy = (CUclusterSchedulingPolicy)f->cluster_policy;
	}
	if (ret) {
		cu_edges_drop(g, node);
		(void)anpu_front_node_remove(node);
	}
	return ret;
}

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			      size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	struct anpu_front_launch l = { 0 };
	aclmdlRITask task = NULL;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phGraphNode);
	CU_CHECK_PTR(nodeParams);
	ret = take_params(&l, nodeParams);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = cu_check_dependencies(g, dependencies, numDependencies);
	if (!ret)
		ret = cu_launched(cu_code(anpu_front_graph_add(g->ri, &l, cu_refused(), &task)));
	if (!ret)
		ret = keep_kernel(g, task, dependencies, numDependencies, l.func);
	pthread_mutex_unlock(&cu_graph_lock);
	if (!ret)
		*phGraphNode = task;
	return ret;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	struct anpu_front_launch l = { 0 };
	struct cu_func *f = NULL;
	struct cu_module *m;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(nodeParams);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_node_code(anpu_front_node_get(hNode, &l));
	pthread_mutex_unlock(&cu_graph_lock);
	if (!ret)
		ret = cu_func_get(l.func, &f);
	if (ret)
		return ret;
	m = cu_find(CU_MODULE, CU_PTR(f->module));
	*nodeParams = (CUDA_KERNEL_NODE_PARAMS){
		.func = l.func,
		.gridDimX = l.grid[0],
		.gridDimY = l.grid[1],
		.gridDimZ = l.grid[2],
		.blockDimX = l.block[0],
		.blockDimY = l.block[1],
		.blockDimZ = l.block[2],
		.sharedMemBytes = l.shared,
		.kernelParams = l.params,
		.ctx = m ? CU_PTR(m->ctx) : NULL,
	};
	return CUDA_SUCCESS;
}

/* Under the lock: changes a kernel of a graph or of what was instantiated */
static CUresult set_params(aclmdlRITask task, const CUDA_KERNEL_NODE_PARAMS *p)
{
	struct anpu_front_launch l = { 0 };
	CUresult ret = cu_node_code(anpu_front_node_get(task, &l));

	if (!ret)
		ret = take_params(&l, p);
	return ret ? ret : cu_launched(cu_node_code(anpu_front_node_set(task, &l, cu_refused())));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(nodeParams);
	pthread_mutex_lock(&cu_graph_lock);
	ret = set_params(hNode, nodeParams);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
	aclmdlRITask task = NULL;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(nodeParams);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = cu_exec_node(e, hNode, &task);
	if (!ret)
		ret = set_params(task, nodeParams);
	if (!ret)
		ret = cu_exec_changed(e);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
	enum anpu_front_node_type type = ANPU_NODE_OTHER;
	aclmdlRITask task = NULL;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = cu_node_code(anpu_front_node_type(hNode, &type));
	if (!ret && type != ANPU_NODE_KERNEL && type != ANPU_NODE_COPY && type != ANPU_NODE_FILL)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "only kernels, copies and fills can be disabled");
	if (!ret)
		ret = cu_exec_node(e, hNode, &task);
	if (!ret)
		ret = cu_node_code(anpu_front_node_enable(task, isEnabled != 0));
	if (!ret)
		ret = cu_exec_changed(e);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
	aclmdlRITask task = NULL;
	bool enabled = false;
	struct cu_exec *e;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(isEnabled);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_exec_find(hGraphExec, &e);
	if (!ret)
		ret = cu_node_code(anpu_front_graph_find(e->ri, hNode, &task));
	if (!ret)
		ret = cu_node_code(anpu_front_node_enabled(task, &enabled));
	pthread_mutex_unlock(&cu_graph_lock);
	if (!ret)
		*isEnabled = enabled;
	return ret;
}

/* Attributes ------------------------------------------------------------------------------------------ */

static CUresult hints_of(CUgraphNode hNode, struct cu_node **out)
{
	*out = cu_find(CU_NODE, hNode);
	if (*out)
		return CUDA_SUCCESS;
	*out = cu_add(CU_NODE, hNode);
	if (!*out)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the attributes of a node");
	(*out)->map.remote = 1; /* as streams have it at first */
	return CUDA_SUCCESS;
}

static CUresult get_updatable(CUgraphNode hNode, CUlaunchAttributeValue *v)
{
	uint64_t node = 0;
	CUresult ret = cu_node_code(anpu_front_node_updatable(hNode, false, &node));

	v->deviceUpdatableKernelNode.deviceUpdatable = node != 0;
	v->deviceUpdatableKernelNode.devNode = CU_PTR(node);
	return ret;
}

static CUresult get_attribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *v)
{
	struct anpu_front_launch l = { 0 };
	struct cu_node *hints = NULL;
	CUresult ret = cu_node_code(anpu_front_node_get(hNode, &l));

	if (!ret)
		ret = hints_of(hNode, &hints);
	if (ret)
		return ret;
	*v = (CUkernelNodeAttrValue){ 0 };
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		v->accessPolicyWindow = hints->window;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		v->cooperative = l.cooperative;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		v->clusterDim.x = l.cluster[0];
		v->clusterDim.y = l.cluster[1];
		v->clusterDim.z = l.cluster[2];
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		v->clusterSchedulingPolicyPreference = hints->policy;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		v->programmaticStreamSerializationAllowed = l.overlap;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		v->priority = (int)l.priority - CU_PRIORITY_BASE;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		v->memSyncDomainMap = hints->map;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		v->memSyncDomain = hints->domain;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return get_updatable(hNode, v);
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d, which kernel nodes have not", (int)attr);
	}
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(value_out);
	pthread_mutex_lock(&cu_graph_lock);
	ret = get_attribute(hNode, attr, value_out);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult set_updatable(CUgraphNode hNode, int on)
{
	uint64_t node = 0;
	CUresult ret;

	if (on != 0 && on != 1)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "deviceUpdatable is %d and must be 0 or 1", on);
	ret = cu_node_code(anpu_front_node_updatable(hNode, on, &node));
	if (!ret && !on && node)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "the node is device-updatable, and stays so: deviceUpdatable is 0");
	return ret;
}

/* Attributes that change the launch; false: it is another one */
static bool change_launch(struct anpu_front_launch *l, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *v,
			  CUresult *ret)
{
	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->cooperative = v->cooperative != 0;
		return true;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		l->cluster[0] = l->cluster[1] = l->cluster[2] = 0;
		*ret = cu_apply_cluster(v, l);
		return true;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		l->overlap = v->programmaticStreamSerializationAllowed != 0;
		return true;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		l->priority = (uint32_t)(cu_clamp_priority(v->priority) + CU_PRIORITY_BASE);
		return true;
	default:
		return false;
	}
}

static CUresult change_hints(struct cu_node *hints, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *v)
{
	CUresult ret;

	switch ((int)attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		ret = cu_check_window(&v->accessPolicyWindow);
		if (!ret)
			hints->window = v->accessPolicyWindow;
		return ret;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		if ((unsigned int)v->clusterSchedulingPolicyPreference > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "clusterSchedulingPolicyPreference is %d and must be 0 to 2",
				       (int)v->clusterSchedulingPolicyPreference);
		hints->policy = v->clusterSchedulingPolicyPreference;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		ret = cu_check_map(&v->memSyncDomainMap);
		if (!ret)
			hints->map = v->memSyncDomainMap;
		return ret;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		ret = cu_check_domain(v->memSyncDomain);
		if (!ret)
			hints->domain = v->memSyncDomain;
		return ret;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d, which kernel nodes have not", (int)attr);
	}
}

CUresult cu_node_keep(CUgraphNode node, const struct cu_stream *s, const struct cu_func *f, const CUlaunchConfig *c)
{
	struct cu_node *hints = NULL;
	CUresult ret;
	unsigned int i;

	pthread_mutex_lock(&cu_graph_lock);
	ret = hints_of(node, &hints);
	if (!ret)
		hints->policy = (CUclusterSchedulingPolicy)f->cluster_policy;
	if (!ret && s && s->hints) {
		hints->window = s->window;
		hints->map = s->map;
		hints->domain = s->domain;
	}
	for (i = 0; c && i < c->numAttrs && !ret; i++) {
		switch ((int)c->attrs[i].id) {
		case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
			ret = change_hints(hints, c->attrs[i].id, &c->attrs[i].value);
		}
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

static CUresult set_attribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *v)
{
	struct anpu_front_launch l = { 0 };
	struct cu_node *hints = NULL;
	struct cu_func *f = NULL;
	CUresult ret;

	if (attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
		return set_updatable(hNode, v->deviceUpdatableKernelNode.deviceUpdatable);
	ret = cu_node_code(anpu_front_node_get(hNode, &l));
	if (!ret)
		ret = hints_of(hNode, &hints);
	if (ret)
		return ret;
	if (!change_launch(&l, attr, v, &ret))
		return change_hints(hints, attr, v);
	if (!ret)
		ret = cu_func_get(l.func, &f);
	if (!ret)
		ret = cu_check_cluster(f, &l);
	return ret ? ret : cu_launched(cu_node_code(anpu_front_node_set(hNode, &l, cu_refused())));
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(value);
	pthread_mutex_lock(&cu_graph_lock);
	ret = set_attribute(hNode, attr, value);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
	static const CUkernelNodeAttrID all[] = {
		CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
		CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
		CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, CU_LAUNCH_ATTRIBUTE_PRIORITY,
		CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
	};
	CUkernelNodeAttrValue v;
	CUresult ret = CUDA_SUCCESS;
	unsigned int i;

	CU_ENTER_CTX(ctx);
	pthread_mutex_lock(&cu_graph_lock);
	for (i = 0; i < CU_COUNT(all) && !ret; i++) {
		ret = get_attribute(src, all[i], &v);
		/* a node without clusters leaves them as they are: no launch asks for clusters of 0 blocks */
		if (!ret && (all[i] != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION || v.clusterDim.x))
			ret = set_attribute(dst, all[i], &v);
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}
