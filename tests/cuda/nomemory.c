// SPDX-License-Identifier: MIT
/*
 * The n-th allocation of a call fails, for n = 1, 2, 3, ... until the call needs no more: a graph has the nodes, dependencies and memory that
 * it had before, and the call works when memory is back.
 */
#include "cutest.h"
#include "../libacl/scarce.h"

/* The objects that the calls use */
static struct {
	CUgraph graph, inner;
	CUgraphNode first;
	CUdeviceptr word, lent; /* @lent: another graph's, which a node of this one frees */
	CUevent event;
	CUfunction func;
	CUcontext ctx;
} it;

static void on_host(void *data)
{
	(void)data;
}

static CUDA_MEM_ALLOC_NODE_PARAMS allocation(void)
{
	return (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } },
		.bytesize = 4096,
	};
}

static CUresult add_alloc(CUgraphNode *node)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = allocation();
	CUresult ret = cuGraphAddMemAllocNode(node, it.graph, &it.first, 1, &p);

	CHECK(ret ? !p.dptr : p.dptr != 0);
	return ret;
}

static CUresult add_free(CUgraphNode *node)
{
	return cuGraphAddMemFreeNode(node, it.graph, &it.first, 1, it.lent);
}

static CUresult add_kernel_node(CUgraphNode *node)
{
	CUDA_KERNEL_NODE_PARAMS p = { .func = it.func, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				      .blockDimZ = 1 };

	return cuGraphAddKernelNode(node, it.graph, &it.first, 1, &p);
}

static CUresult add_empty(CUgraphNode *node)
{
	return cuGraphAddEmptyNode(node, it.graph, &it.first, 1);
}

static CUresult add_child(CUgraphNode *node)
{
	return cuGraphAddChildGraphNode(node, it.graph, &it.first, 1, it.inner);
}

static CUresult add_host(CUgraphNode *node)
{
	return cuGraphAddHostNode(node, it.graph, &it.first, 1, &(CUDA_HOST_NODE_PARAMS){ .fn = on_host });
}

static CUresult add_fill(CUgraphNode *node)
{
	return cuGraphAddMemsetNode(node, it.graph, &it.first, 1,
				    &(CUDA_MEMSET_NODE_PARAMS){ .dst = it.word, .elementSize = 4, .width = 1, .height = 1 }, it.ctx);
}

static CUresult add_copy(CUgraphNode *node)
{
	static uint64_t pageable;
	CUDA_MEMCPY3D p = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = &pageable, .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			    .dstDevice = it.word, .WidthInBytes = 8, .Height = 1, .Depth = 1 };

	return cuGraphAddMemcpyNode(node, it.graph, &it.first, 1, &p, it.ctx);
}

static CUresult add_record(CUgraphNode *node)
{
	return cuGraphAddEventRecordNode(node, it.graph, &it.first, 1, it.event);
}

static CUgraphConditionalHandle condition;

static CUresult add_choice(CUgraphNode *node)
{
	CUgraphNodeParams p = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };

	p.conditional.handle = condition;
	p.conditional.type = CU_GRAPH_COND_TYPE_IF;
	p.conditional.size = 2;
	p.conditional.ctx = it.ctx;
	return cuGraphAddNode(node, it.graph, &it.first, 1, &p);
}

static void scene(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = allocation();
	CUgraph other;
	CUgraphNode node;

	it.ctx = start();
	it.func = op("nothing");
	it.word = dev_alloc(64);
	CU(cuEventCreate(&it.event, CU_EVENT_DISABLE_TIMING));
	CU(cuGraphCreate(&it.graph, 0));
	CU(cuGraphAddEmptyNode(&it.first, it.graph, NULL, 0));
	CU(cuGraphCreate(&it.inner, 0));
	CU(cuGraphAddEmptyNode(&node, it.inner, NULL, 0));
	CU(cuGraphCreate(&other, 0));
	CU(cuGraphAddMemAllocNode(&node, other, NULL, 0, &p));
	it.lent = p.dptr;
	CU(cuGraphConditionalHandleCreate(&condition, it.graph, NULL, 0, 0));
	CU(cuCtxSynchronize());
}

struct state {
	size_t nodes, edges;
	cuuint64_t memory;
};

static struct state state(void)
{
	struct state s;

	CU(cuGraphGetNodes(it.graph, NULL, &s.nodes));
	CU(cuGraphGetEdges(it.graph, NULL, NULL, &s.edges));
	CU(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &s.memory));
	return s;
}

static bool same(struct state a, struct state b)
{
	return a.nodes == b.nodes && a.edges == b.edges && a.memory == b.memory;
}

/* Fails the call's allocations one by one, and then lets it pass; tells how many it has */
static int fail_each(const char *name, CUresult (*add)(CUgraphNode *))
{
	struct state before = state();
	CUgraphNode node = NULL;
	CUresult ret;
	bool fault;
	int n;

	for (n = 1; n < 500; n++) {
		countdown = n;
		ret = add(&node);
		fault = !countdown;
		countdown = 0;
		if (!ret)
			break;
		if (!fault || ret != CUDA_ERROR_OUT_OF_MEMORY)
			FAIL("%s, allocation %d: %d: %s", name, n, (int)ret, aclGetRecentErrMsg());
		if (!same(before, state()))
			FAIL("%s, allocation %d: %zu nodes and %zu dependencies, %zu and %zu before", name, n, state().nodes, state().edges,
			     before.nodes, before.edges);
		CHECK(!node);
	}
	CHECK_EQ(ret, CUDA_SUCCESS);
	CHECK_EQ(state().nodes, before.nodes + 1);
	CHECK_EQ(state().edges, before.edges + 1);
	return n - 1;
}

/* Memory of nodes has one instance at a time: one that failed is none */
static void instantiate_each(void)
{
	CUgraphExec e;
	CUresult ret;
	int n;

	for (n = 1; n < 5000; n++) {
		countdown = n;
		ret = cuGraphInstantiate(&e, it.graph, 0);
		countdown = 0;
		if (!ret)
			break;
		if (ret != CUDA_ERROR_OUT_OF_MEMORY)
			FAIL("instantiation, allocation %d: %d: %s", n, (int)ret, aclGetRecentErrMsg());
	}
	CHECK_EQ(ret, CUDA_SUCCESS);
	CHECK_OP(n, >, 10);
	FAILS(cuGraphInstantiate(&e, it.graph, 0), CUDA_ERROR_INVALID_VALUE, "one of these at a time");
	CU(cuGraphExecDestroy(e));
	CU(cuGraphInstantiate(&e, it.graph, 0));
	CU(cuGraphExecDestroy(e));
}

static void nodes_are_whole_or_absent(void)
{
	static const struct {
		const char *name;
		CUresult (*add)(CUgraphNode *);
	} calls[] = { { "alloc", add_alloc }, { "free", add_free }, { "kernel", add_kernel_node }, { "empty", add_empty },
		      { "child", add_child }, { "host", add_host }, { "fill", add_fill }, { "copy", add_copy }, { "record", add_record },
		      { "choice", add_choice } };

	cuuint64_t left;

	scene();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		/* lists that have room for more need no memory each time: one of a few calls does */
		int failed = fail_each(calls[i].name, calls[i].add);

		if (calls[i].add == add_alloc || calls[i].add == add_free || calls[i].add == add_choice)
			CHECK_OP(failed, >=, 3);
	}
	instantiate_each();
	/* the memory of its nodes ends with the graph; that of the other one stays */
	CU(cuGraphDestroy(it.graph));
	CU(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &left));
	CHECK_EQ(left, 4096);
}

/* Calls that allocate memory, or make a thread's stream ------------------------------------------------------ */

static CUresult alloc_device(CUdeviceptr *p) { return cuMemAlloc(p, 4096); }
static CUresult alloc_managed(CUdeviceptr *p) { return cuMemAllocManaged(p, 4096, CU_MEM_ATTACH_GLOBAL); }
static CUresult alloc_host(CUdeviceptr *p) { return cuMemAllocHost((void **)(uintptr_t)p, 4096); }
static CUresult alloc_from_pool(CUdeviceptr *p) { return cuMemAllocAsync(p, 4096, NULL); }

static cuuint64_t used_of_pool(void)
{
	CUmemoryPool pool;
	cuuint64_t used = 0;

	CU(cuCtxSynchronize());
	CU(cuDeviceGetDefaultMemPool(&pool, 0));
	CU(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
	return used;
}

static void memory_is_there_or_not(void)
{
	static const struct {
		const char *name;
		CUresult (*alloc)(CUdeviceptr *);
	} calls[] = { { "device", alloc_device }, { "managed", alloc_managed }, { "host", alloc_host }, { "pool", alloc_from_pool } };
	/* so many that the list of allocations grows */
	enum { OF_EACH = 70 };

	start();
	CHECK_EQ(used_of_pool(), 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int failed = 0;

		for (int made = 0; made < OF_EACH; made++) {
			CUresult ret = CUDA_ERROR_OUT_OF_MEMORY;

			for (int n = 1; ret; n++) {
				CUdeviceptr p = 1;

				countdown = n;
				ret = calls[i].alloc(&p);
				countdown = 0;
				if (ret && (ret != CUDA_ERROR_OUT_OF_MEMORY || p != 1))
					FAIL("%s, allocation %d: %d, the address is %llx: %s", calls[i].name, n, (int)ret, p,
					     aclGetRecentErrMsg());
				failed += ret ? 1 : 0;
			}
		}
		CHECK_OP(failed, >=, OF_EACH);
	}
	CHECK_EQ(used_of_pool(), OF_EACH * 4096);
}

static void a_thread_has_its_stream_or_fails(void)
{
	CUdeviceptr p;
	CUresult ret = CUDA_ERROR_OUT_OF_MEMORY;
	int n;

	start();
	p = dev_alloc(8);
	for (n = 1; ret; n++) {
		CHECK_OP(n, <, 500);
		countdown = n;
		ret = cuMemsetD32Async(p, 7, 2, CU_STREAM_PER_THREAD);
		if (!ret && !countdown)
			FAIL("allocation %d fails, and nothing tells", n);
		countdown = 0;
		if (ret && ret != CUDA_ERROR_OUT_OF_MEMORY)
			FAIL("allocation %d: %d: %s", n, (int)ret, aclGetRecentErrMsg());
	}
	CHECK_OP(n, >, 3);
	CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	CHECK_EQ(read_u64(p), 0x700000007);
}

TAP_MAIN(TEST(nodes_are_whole_or_absent), TEST(memory_is_there_or_not), TEST(a_thread_has_its_stream_or_fails))
