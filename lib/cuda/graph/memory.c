// SPDX-License-Identifier: MIT
/*
 * Nodes that allocate and free. The memory of such a node is the graph's from when the node is added, at the address that the program is told,
 * until the graph and what was instantiated from it have ended; so on the device these nodes do nothing. Whether an execution has
 * allocated it, and nothing has freed it since, decides which launches and frees are right, and whether it outlives its graph.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/graph/graph.h"

/* Memory of a node that allocates */
struct memory {
	struct memory *next;
	uint64_t base, size;
	CUdevice dev;
	bool live;	   /* allocated by an execution, and not freed */
	bool orphan;	   /* no graph has it any more */
	CUgraphExec exec;  /* of its graph, which has one at a time */
};
static struct memory *memories; /* under cu_graph_lock */
static const uint64_t none;	/* for lists without entries */
static uint64_t highest[64];	/* bytes that graphs of a device had at most */

static struct memory *find(uint64_t base)
{
	struct memory *m;

	for (m = memories; m && m->base != base; m = m->next)
		;
	return m;
}

static uint64_t bytes_of(CUdevice dev)
{
	const struct memory *m;
	uint64_t sum = 0;

	for (m = memories; m; m = m->next)
		sum += m->dev == dev ? m->size : 0;
	return sum;
}

CUresult cu_graph_memory_new(struct cu_ctx *ctx, size_t size, uint64_t *base)
{
	void *p = NULL;
	CUresult ret = cu_code(anpu_front_malloc(&p, size));

	if (ret)
		return ret;
	ret = cu_mem_add((uintptr_t)p, size, CU_MEM_GRAPH, 0, ctx);
	if (ret)
		(void)aclrtFree(p);
	*base = (uintptr_t)p;
	return ret;
}

void cu_graph_memory_end(uint64_t base, bool used)
{
	struct cu_mem mem;

	/* if it is not in the table any more, it has ended with its context */
	if (cu_mem_take(base, 1u << CU_MEM_GRAPH, &mem))
		(void)(used ? aclrtFreeWithDevSync(CU_PTR(base)) : aclrtFree(CU_PTR(base)));
}

static void forget(struct memory *m, bool used)
{
	struct memory **at;

	for (at = &memories; *at != m; at = &(*at)->next)
		;
	*at = m->next;
	cu_graph_memory_end(m->base, used);
	free(m);
}

/* Its last graph has ended */
static void end_memory(void *data)
{
	struct memory *m = data;

	m->orphan = true;
	if (!m->live)
		forget(m, false);
}

/* Lists of a graph -------------------------------------------------------------------------------------- */

/* The next entry of a list has a place */
static CUresult make_room(uint64_t **list, size_t n)
{
	uint64_t *more = realloc(*list, (n + 1) * sizeof(*more));

	if (!more)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a graph");
	*list = more;
	return CUDA_SUCCESS;
}

static CUresult append(uint64_t **list, size_t *n, uint64_t base)
{
	CUresult ret = make_room(list, *n);

	if (!ret)
		(*list)[(*n)++] = base;
	return ret;
}

static bool has(const uint64_t *list, size_t n, uint64_t base)
{
	size_t i;

	for (i = 0; i < n && list[i] != base; i++)
		;
	return i < n;
}

void cu_memories_end(struct cu_memories *m)
{
	free(m->made);
	free(m->freed);
	*m = (struct cu_memories){ 0 };
}

bool cu_memories_any(const struct cu_memories *m)
{
	return m->made_n || m->freed_n;
}

bool cu_memories_same(const struct cu_memories *a, const struct cu_memories *b)
{
	return a->made_n == b->made_n && a->freed_n == b->freed_n && !memcmp(a->made ?: &none, b->made ?: &none, a->made_n * sizeof(*a->made)) &&
	       !memcmp(a->freed ?: &none, b->freed ?: &none, a->freed_n * sizeof(*a->freed));
}

CUresult cu_memories_instantiate(const struct cu_memories *of, struct cu_memories *to, CUgraphExec exec)
{
	CUresult ret = CUDA_SUCCESS;
	struct memory *m;
	size_t i;

	for (i = 0; i < of->made_n; i++) {
		m = find(of->made[i]);
		if (m && m->exec)
			return cu_fail(CUDA_ERROR_INVALID_VALUE,
				       "the graph has nodes that allocate, and %p is instantiated from it: such a graph has one of these at a time",
				       (void *)m->exec);
	}
	for (i = 0; i < of->made_n && !ret; i++)
		ret = append(&to->made, &to->made_n, of->made[i]);
	for (i = 0; i < of->freed_n && !ret; i++)
		ret = append(&to->freed, &to->freed_n, of->freed[i]);
	for (i = 0; i < of->made_n && !ret; i++)
		if ((m = find(of->made[i])))
			m->exec = exec;
	return ret;
}

void cu_memories_exec_ended(struct cu_memories *of)
{
	struct memory *m;
	size_t i;

	for (i = 0; i < of->made_n; i++)
		if ((m = find(of->made[i])))
			m->exec = NULL;
	cu_memories_end(of);
}

CUresult cu_memories_check(const struct cu_memories *of, bool frees_first)
{
	struct memory *m;
	size_t i;

	for (i = 0; i < of->made_n; i++) {
		m = find(of->made[i]);
		if (m && m->live && !frees_first)
			return cu_fail(CUDA_ERROR_INVALID_VALUE,
				       "the graph allocates the %" PRIu64 " bytes at 0x%" PRIx64 ", which an earlier launch has allocated and nothing has freed: "
				       "free them, or instantiate with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH", m->size, m->base);
	}
	for (i = 0; i < of->freed_n; i++) {
		m = find(of->freed[i]);
		if (!has(of->made, of->made_n, of->freed[i]) && (!m || !m->live))
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "the graph frees the memory at 0x%" PRIx64 ", which is not allocated",
				       of->freed[i]);
	}
	return CUDA_SUCCESS;
}

static void end_use(struct memory *m)
{
	m->live = false;
	if (m->orphan)
		forget(m, true);
}

void cu_memories_launched(const struct cu_memories *of)
{
	struct memory *m;
	size_t i;

	for (i = 0; i < of->made_n; i++)
		if ((m = find(of->made[i])))
			m->live = true;
	for (i = 0; i < of->freed_n; i++)
		if ((m = find(of->freed[i])))
			end_use(m);
}

CUresult cu_graph_memory_free(uint64_t base)
{
	CUresult ret = CUDA_SUCCESS;
	struct memory *m;

	pthread_mutex_lock(&cu_graph_lock);
	m = find(base);
	if (m && m->live)
		end_use(m);
	else
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%" PRIx64 ", memory of a graph that no launch has allocated, or that was freed",
			      base);
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

/* Nodes -------------------------------------------------------------------------------------------------- */

static CUresult check_params(const CUDA_MEM_ALLOC_NODE_PARAMS *p, CUdevice dev)
{
	size_t i;

	if (p->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED || p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "poolProps.allocType is %d and must be 1 (pinned); the location's type is %d and must be 1 (device)",
			       (int)p->poolProps.allocType, (int)p->poolProps.location.type);
	if (p->poolProps.handleTypes)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "poolProps.handleTypes is %#x: memory of graphs is of one process",
			       (unsigned int)p->poolProps.handleTypes);
	if (p->poolProps.location.id != dev)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "poolProps.location.id is %d, and the context's device is %d",
			       p->poolProps.location.id, dev);
	if (!p->bytesize)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "bytesize is 0");
	if (p->accessDescCount && !p->accessDescs)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "accessDescs is NULL and accessDescCount is %zu", p->accessDescCount);
	for (i = 0; i < p->accessDescCount; i++)
		if (p->accessDescs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->accessDescs[i].location.id != dev)
			return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "accessDescs[%zu] is of device %d: kernels of device %d reach this memory", i,
				       p->accessDescs[i].location.id, dev);
	return CUDA_SUCCESS;
}

static CUresult make(struct cu_ctx *ctx, size_t size, struct memory **out)
{
	struct memory *m = calloc(1, sizeof(*m));
	CUresult ret = m ? cu_graph_memory_new(ctx, size, &m->base) : cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a node");

	if (ret) {
		free(m);
		return ret;
	}
	m->size = size;
	m->dev = ctx->dev;
	m->next = memories;
	memories = m;
	if (bytes_of(ctx->dev) > highest[ctx->dev])
		highest[ctx->dev] = bytes_of(ctx->dev);
	*out = m;
	return CUDA_SUCCESS;
}

/* Memory that a node of the graph is to allocate, which ends with the graph and its copies; the list of such memory has room for it */
static CUresult make_for(struct cu_graph *g, struct cu_ctx *ctx, size_t size, struct memory **out)
{
	CUresult ret = make_room(&g->memories.made, g->memories.made_n);

	if (!ret)
		ret = make(ctx, size, out);
	if (ret)
		return ret;
	ret = cu_share_add(&g->shares, *out, end_memory);
	if (ret)
		forget(*out, false);
	return ret;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
				size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
	struct cu_node what = { .content = CU_NODE_ALLOC };
	struct memory *m = NULL;
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(nodeParams);
	ret = check_params(nodeParams, ctx->dev);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret)
		ret = make_for(g, ctx, nodeParams->bytesize, &m);
	if (!ret) {
		what.alloc = *nodeParams;
		what.alloc.accessDescs = NULL; /* the program's array ends with the call; kernels of the device reach the memory without it */
		what.alloc.accessDescCount = 0;
		what.alloc.dptr = m->base;
		ret = cu_content_add(phGraphNode, hGraph, dependencies, numDependencies, &what);
		if (ret)
			(void)cu_share_drop(&g->shares, m, 1);
	}
	if (!ret) {
		g->memories.made[g->memories.made_n++] = m->base;
		nodeParams->dptr = m->base;
	}
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
	CU_ENTER();
	CU_CHECK_PTR(params_out);
	return cu_content_tell(hNode, CU_NODE_ALLOC, "node that allocates", params_out, sizeof(*params_out));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
			       size_t numDependencies, CUdeviceptr dptr)
{
	struct cu_node what = { .content = CU_NODE_FREE, .freed = dptr };
	struct cu_graph *g;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	pthread_mutex_lock(&cu_graph_lock);
	ret = cu_graph_find(hGraph, &g);
	if (!ret && !find(dptr))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%llx, where no node has allocated memory", dptr);
	if (!ret && has(g->memories.freed, g->memories.freed_n, dptr))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr is 0x%llx, which a node of the graph frees already", dptr);
	if (!ret)
		ret = make_room(&g->memories.freed, g->memories.freed_n);
	if (!ret)
		ret = cu_content_add(phGraphNode, hGraph, dependencies, numDependencies, &what);
	if (!ret)
		g->memories.freed[g->memories.freed_n++] = dptr;
	pthread_mutex_unlock(&cu_graph_lock);
	return ret;
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
	CU_ENTER();
	CU_CHECK_PTR(dptr_out);
	return cu_content_tell(hNode, CU_NODE_FREE, "node that frees", dptr_out, sizeof(*dptr_out));
}

/* Recorded calls ------------------------------------------------------------------------------------------- */

CUresult cu_record_alloc(struct cu_ctx *ctx, CUstream hStream, size_t size, CUdeviceptr *out)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = {
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, ctx->dev } },
		.bytesize = size,
	};
	struct cu_recorded r;
	CUgraphNode node = NULL;
	CUresult ret = cu_recorded(hStream, &r);

	if (!ret)
		ret = cuGraphAddMemAllocNode(&node, r.graph, r.ends, r.n, &p);
	if (!ret)
		ret = cuStreamUpdateCaptureDependencies(hStream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
	if (!ret)
		*out = p.dptr;
	return ret;
}

CUresult cu_record_free(CUstream hStream, CUdeviceptr dptr)
{
	struct cu_recorded r;
	CUgraphNode node = NULL;
	CUresult ret = cu_recorded(hStream, &r);

	if (!ret)
		ret = cuGraphAddMemFreeNode(&node, r.graph, r.ends, r.n, dptr);
	return ret ? ret : cuStreamUpdateCaptureDependencies(hStream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

/* Attributes ------------------------------------------------------------------------------------------------ */

static CUresult check_attribute(CUdevice device, CUgraphMem_attribute attr, const void *value)
{
	CU_CHECK_PTR(value);
	if ((unsigned int)attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d and must be 0 to 3", (int)attr);
	return cu_check_device(device);
}

/* All that is reserved is used: memory ends with the graphs that have it */
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	CUresult ret;

	CU_ENTER();
	ret = check_attribute(device, attr, value);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	*(cuuint64_t *)value = attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
				       ? highest[device] : bytes_of(device);
	pthread_mutex_unlock(&cu_graph_lock);
	return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value)
{
	CUresult ret;

	CU_ENTER();
	ret = check_attribute(device, attr, value);
	if (!ret && (attr == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "attr is %d, which cannot be set", (int)attr);
	if (!ret && *(const cuuint64_t *)value)
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "*value is %llu: a highest number can be set to 0 only",
			      (unsigned long long)*(const cuuint64_t *)value);
	if (ret)
		return ret;
	pthread_mutex_lock(&cu_graph_lock);
	highest[device] = bytes_of(device);
	pthread_mutex_unlock(&cu_graph_lock);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
	CU_ENTER();
	return cu_check_device(device);
}
