// SPDX-License-Identifier: MIT
/* Nodes that allocate and free, added and recorded: when their memory is there, and what graphs that have them cannot do. */
#include "cutest.h"

static CUDA_MEM_ALLOC_NODE_PARAMS params(size_t bytes)
{
	return (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } },
		.bytesize = bytes,
	};
}

static CUdeviceptr add_alloc(CUgraph g, size_t bytes, CUgraphNode *node)
{
	CUDA_MEM_ALLOC_NODE_PARAMS p = params(bytes);

	CU(cuGraphAddMemAllocNode(node, g, NULL, 0, &p));
	CHECK(p.dptr);
	return p.dptr;
}

static CUgraphNodeType type_of(CUgraphNode node)
{
	CUgraphNodeType type;

	CU(cuGraphNodeGetType(node, &type));
	return type;
}

/* A graph that allocates, stores 7 there, adds 1 and copies it to @out; *memory and *last: the address and the last node */
static CUgraph store_and_copy(CUdeviceptr out, CUdeviceptr *memory, CUgraphNode *last)
{
	uint64_t seven = 7;
	CUgraphNode node;
	CUgraph g;

	CU(cuGraphCreate(&g, 0));
	*memory = add_alloc(g, 1000, &node);
	node = add_kernel(g, node, "store", (void *[]){ memory, &seven });
	node = add_kernel(g, node, "increment", (void *[]){ memory });
	*last = add_kernel(g, node, "load_store", (void *[]){ &out, memory });
	return g;
}

static void nodes_allocate_and_free(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS told;
	CUgraphNode nodes[5], last, freed;
	CUdeviceptr out, p, told_free;
	size_t n = 5;
	CUgraphExec e;
	CUgraph g;

	start();
	out = dev_alloc(8);
	g = store_and_copy(out, &p, &last);
	CU(cuGraphAddMemFreeNode(&freed, g, &last, 1, p));
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 5);
	CHECK_EQ(type_of(nodes[0]), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
	CHECK_EQ(type_of(freed), CU_GRAPH_NODE_TYPE_MEM_FREE);
	CU(cuGraphMemAllocNodeGetParams(nodes[0], &told));
	CHECK(told.dptr == p && told.bytesize == 1000);
	CU(cuGraphMemFreeNodeGetParams(freed, &told_free));
	CHECK(told_free == p);
	FAILS(cuGraphMemFreeNodeGetParams(nodes[0], &told_free), CUDA_ERROR_INVALID_VALUE, "no node that frees");
	CU(cuGraphInstantiate(&e, g, 0));
	for (int i = 0; i < 3; i++) {
		CU(cuMemsetD8(out, 0, 8));
		CU(cuGraphLaunch(e, NULL));
		CHECK_EQ(read_u64(out), 8);
	}
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "no launch has allocated");
	/* copies know how large it is */
	FAILS(cuMemsetD8(p, 0, 1001), CUDA_ERROR_INVALID_VALUE, "1000");
	CU(cuGraphDestroy(g));
	CU(cuGraphLaunch(e, NULL));
	CHECK_EQ(read_u64(out), 8);
	CU(cuGraphExecDestroy(e));
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
}

static void memory_that_no_node_frees_is_the_programs(void)
{
	CUgraphExec e, auto_free;
	CUgraphNode last;
	CUdeviceptr out, p;
	CUstream s;
	CUgraph g;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	out = dev_alloc(8);
	g = store_and_copy(out, &p, &last);
	CU(cuGraphInstantiate(&e, g, 0));
	CU(cuGraphLaunch(e, s));
	CU(cuStreamSynchronize(s));
	CHECK_EQ(read_u64(p), 8);
	FAILS(cuGraphLaunch(e, s), CUDA_ERROR_INVALID_VALUE, "nothing has freed");
	CU(cuMemFreeAsync(p, s));
	FAILS(cuMemFreeAsync(p, s), CUDA_ERROR_INVALID_VALUE, "freed");
	CU(cuGraphLaunch(e, s));
	CU(cuMemFree(p));
	CU(cuGraphExecDestroy(e));
	CU(cuGraphInstantiate(&auto_free, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
	CU(cuGraphLaunch(auto_free, s));
	CU(cuGraphLaunch(auto_free, s));
	CU(cuStreamSynchronize(s));
	/* it outlives its graphs */
	CU(cuGraphExecDestroy(auto_free));
	CU(cuGraphDestroy(g));
	CHECK_EQ(read_u64(p), 8);
	CU(cuMemFree(p));
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
}

static void another_graph_may_free(void)
{
	CUgraph first, second;
	CUgraphExec a, b;
	CUgraphNode node;
	CUdeviceptr p, out;

	start();
	out = dev_alloc(8);
	first = store_and_copy(out, &p, &node);
	CU(cuGraphCreate(&second, 0));
	node = add_kernel(second, NULL, "load_store", (void *[]){ &out, &p });
	CU(cuGraphAddMemFreeNode(&node, second, &node, 1, p));
	CU(cuGraphInstantiate(&a, first, 0));
	CU(cuGraphInstantiate(&b, second, 0));
	FAILS(cuGraphLaunch(b, NULL), CUDA_ERROR_INVALID_VALUE, "not allocated");
	for (int i = 0; i < 2; i++) {
		CU(cuGraphLaunch(a, NULL));
		CU(cuMemsetD8(out, 0, 8));
		CU(cuGraphLaunch(b, NULL));
		CHECK_EQ(read_u64(out), 8);
	}
	FAILS(cuGraphLaunch(b, NULL), CUDA_ERROR_INVALID_VALUE, "not allocated");
	CU(cuGraphExecDestroy(b));
	CU(cuGraphDestroy(second));
	CU(cuGraphExecDestroy(a));
	CU(cuGraphDestroy(first));
}

static void recorded_allocations_are_nodes(void)
{
	CUgraphNode nodes[4];
	CUdeviceptr out, p;
	size_t n = 4;
	CUgraphExec e;
	CUstream s;
	CUgraph g;

	start();
	op("store");
	s = new_stream(CU_STREAM_NON_BLOCKING);
	out = dev_alloc(8);
	CU(cuCtxSynchronize());
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuMemAllocAsync(&p, 64, s));
	LAUNCH("store", 1, s, p, 5);
	LAUNCH("load_store", 1, s, out, p);
	CU(cuMemFreeAsync(p, s));
	FAILS(cuMemFreeAsync(out, s), CUDA_ERROR_INVALID_VALUE, "no node has allocated");
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 4);
	CHECK_EQ(type_of(nodes[0]), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
	CHECK_EQ(type_of(nodes[3]), CU_GRAPH_NODE_TYPE_MEM_FREE);
	CU(cuGraphInstantiate(&e, g, 0));
	for (int i = 0; i < 2; i++) {
		CU(cuMemsetD8(out, 0, 8));
		CU(cuCtxSynchronize());
		CU(cuGraphLaunch(e, s));
		CU(cuStreamSynchronize(s));
		CHECK_EQ(read_u64(out), 5);
	}
	/* the calls do what they did before */
	CU(cuMemAllocAsync(&p, 64, s));
	CU(cuMemFreeAsync(p, s));
}

static void graphs_with_memory_have_rules(void)
{
	CUgraphNode node, other, last;
	CUgraphExecUpdateResultInfo info;
	CUDA_MEM_ALLOC_NODE_PARAMS a;
	CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
	CUgraph g, clone, parent, second;
	CUdeviceptr out, p, q;
	CUgraphExec e, again;

	start();
	out = dev_alloc(8);
	g = store_and_copy(out, &p, &last);
	CU(cuGraphInstantiate(&e, g, 0));
	FAILS(cuGraphInstantiate(&again, g, 0), CUDA_ERROR_INVALID_VALUE, "one of these at a time");
	FAILS(cuGraphClone(&clone, g), CUDA_ERROR_NOT_SUPPORTED, "allocate");
	CU(cuGraphCreate(&parent, 0));
	FAILS(cuGraphAddChildGraphNode(&node, parent, NULL, 0, g), CUDA_ERROR_NOT_SUPPORTED, "allocate");
	FAILS(cuGraphDestroyNode(last), CUDA_ERROR_NOT_SUPPORTED, "allocate");
	FAILS(cuGraphMemAllocNodeGetParams(last, &a), CUDA_ERROR_INVALID_VALUE, "no node that allocates");
	second = store_and_copy(out, &q, &other);
	FAILS(cuGraphExecUpdate(e, second, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "other memory");
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
	CU(cuGraphExecUpdate(e, g, &info));
	CU(cuGraphAddMemFreeNode(&node, second, &other, 1, q));
	FAILS(cuGraphRemoveDependencies(second, &other, &node, 1), CUDA_ERROR_NOT_SUPPORTED, "allocate");
	FAILS(cuGraphAddMemFreeNode(&node, second, NULL, 0, q), CUDA_ERROR_INVALID_VALUE, "frees already");
	FAILS(cuGraphAddMemFreeNode(&node, second, NULL, 0, out), CUDA_ERROR_INVALID_VALUE, "no node has allocated");
	FAILS(cuGraphAddMemFreeNode(&node, second, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE, "dptr is 0x0");
	a = params(0);
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_INVALID_VALUE, "bytesize");
	a = params(8);
	a.poolProps.location.id = 3;
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_INVALID_VALUE, "location.id is 3");
	a = params(8);
	a.poolProps.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_NOT_SUPPORTED, "one process");
	a = params(8);
	a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_INVALID_VALUE, "pinned");
	a = params(8);
	a.accessDescCount = 1;
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_INVALID_VALUE, "accessDescs");
	a.accessDescs = &(CUmemAccessDesc){ { CU_MEM_LOCATION_TYPE_DEVICE, 1 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	FAILS(cuGraphAddMemAllocNode(&node, g, NULL, 0, &a), CUDA_ERROR_NOT_SUPPORTED, "device 1");
	/* by the structure of any node */
	any.alloc = params(8);
	CU(cuGraphAddNode(&node, parent, NULL, 0, &any));
	CHECK(any.alloc.dptr);
	any = (CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free.dptr = any.alloc.dptr };
	CU(cuGraphAddNode(&other, parent, &node, 1, &any));
	CHECK_EQ(type_of(other), CU_GRAPH_NODE_TYPE_MEM_FREE);
	FAILS(cuGraphNodeSetParams(other, &any), CUDA_ERROR_NOT_SUPPORTED, "stay");
}

static cuuint64_t bytes(CUgraphMem_attribute attr)
{
	cuuint64_t v = ~0ull;

	CU(cuDeviceGetGraphMemAttribute(0, attr, &v));
	return v;
}

static void devices_count_memory_of_graphs(void)
{
	cuuint64_t zero = 0, one = 1;
	CUgraphNode node;
	CUgraph g;

	start();
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0);
	CU(cuGraphCreate(&g, 0));
	add_alloc(g, 1 << 20, &node);
	add_alloc(g, 1 << 20, &node);
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 2 << 20);
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 2 << 20);
	CU(cuGraphDestroy(g));
	CU(cuDeviceGraphMemTrim(0));
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0);
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), 2 << 20);
	CU(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
	CHECK_EQ(bytes(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), 0);
	FAILS(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &one), CUDA_ERROR_INVALID_VALUE, "0 only");
	FAILS(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &zero), CUDA_ERROR_INVALID_VALUE, "cannot be set");
	FAILS(cuDeviceGraphMemTrim(77), CUDA_ERROR_INVALID_DEVICE, "77");
}

/* The context's end frees it, and its graphs, which may be destroyed or not, do not do so again */
static void contexts_end_with_memory_of_graphs(void)
{
	CUcontext ctx = start();
	CUgraphNode node;
	CUdeviceptr p, out;
	CUgraphExec e;
	CUgraph g;

	out = dev_alloc(8);
	g = store_and_copy(out, &p, &node);
	CU(cuGraphInstantiate(&e, g, 0));
	CU(cuGraphLaunch(e, NULL));
	CU(cuCtxDestroy(ctx));
	start();
	(void)cuGraphExecDestroy(e);
	(void)cuGraphDestroy(g);
	FAILS(cuMemFree(p), CUDA_ERROR_INVALID_VALUE, "");
}

TAP_MAIN(TEST(nodes_allocate_and_free), TEST(memory_that_no_node_frees_is_the_programs), TEST(another_graph_may_free),
	 TEST(recorded_allocations_are_nodes), TEST(graphs_with_memory_have_rules), TEST(devices_count_memory_of_graphs),
	 TEST(contexts_end_with_memory_of_graphs))
