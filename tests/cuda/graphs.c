// SPDX-License-Identifier: MIT
/* Graphs whose nodes are added, changed, disabled, copied and removed, by the program and by kernels that run. */
#include "cutest.h"

static CUDA_KERNEL_NODE_PARAMS kernel(const char *name, unsigned int grid, void **params)
{
	return (CUDA_KERNEL_NODE_PARAMS){ .func = op(name), .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1,
					  .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .kernelParams = params };
}

static CUgraphNode add(CUgraph g, const char *name, unsigned int grid, void **params)
{
	CUDA_KERNEL_NODE_PARAMS p = kernel(name, grid, params);
	CUgraphNode n;

	CU(cuGraphAddKernelNode(&n, g, NULL, 0, &p));
	return n;
}

/* A store of a number */
static CUgraphNode add_store(CUgraph g, CUdeviceptr at, uint64_t value)
{
	return add(g, "store", 1, (void *[]){ &at, &value });
}

static void run(CUgraphExec e, CUstream s)
{
	CU(cuGraphLaunch(e, s));
	CU(cuStreamSynchronize(s));
}

static void graphs_are_made_of_nodes(void)
{
	CUDA_KERNEL_NODE_PARAMS p, got;
	CUgraphNode a, b, c, nodes[4], found;
	CUgraphNodeType type;
	CUgraph g, clone;
	CUgraphExec e, other;
	CUdeviceptr d;
	uint64_t v = 7;
	size_t n = 4;

	start();
	d = dev_alloc(64);
	FAILS(cuGraphCreate(&g, 1), CUDA_ERROR_INVALID_VALUE, "flags");
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphInstantiate(&e, g, 0));
	run(e, NULL);
	a = add_store(g, d, 5);
	p = kernel("increment", 1, (void *[]){ &d });
	CU(cuGraphAddKernelNode(&b, g, &a, 1, &p));
	c = add(g, "load_store", 1, (void *[]){ &(CUdeviceptr){ d + 8 }, &d });
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 3);
	CHECK(nodes[0] == a && nodes[1] == b && nodes[2] == c);
	CU(cuGraphNodeGetType(b, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
	/* the first one was instantiated before */
	run(e, NULL);
	CHECK_EQ(read_u64(d), 0);
	CU(cuGraphInstantiate(&other, g, 0));
	run(other, NULL);
	CHECK_EQ(read_u64(d), 6);
	CHECK_EQ(read_u64(d + 8), 6);
	CU(cuGraphKernelNodeGetParams(a, &got));
	CHECK(got.func == op("store") && got.gridDimX == 1 && got.blockDimX == 1 && !got.extra);
	CHECK_EQ(*(uint64_t *)got.kernelParams[1], 5);
	got.kernelParams = (void *[]){ got.kernelParams[0], &v };
	CU(cuGraphKernelNodeSetParams(a, &got));
	run(other, NULL);
	CHECK_EQ(read_u64(d), 6);
	CU(cuGraphClone(&clone, g));
	CU(cuGraphNodeFindInClone(&found, b, clone));
	CHECK(found != b);
	CU(cuGraphDestroyNode(b));
	FAILS(cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuGraphNodeFindInClone(&found, found, g), CUDA_ERROR_INVALID_VALUE, "no copy");
	FAILS(cuGraphAddKernelNode(&b, clone, &a, 1, &p), CUDA_ERROR_INVALID_VALUE, "another graph");
	n = 4;
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 2);
	CU(cuGraphExecDestroy(e));
	CU(cuGraphInstantiate(&e, g, 0));
	CU(cuGraphDestroy(g));
	run(e, NULL);
	CHECK_EQ(read_u64(d), 7);
	CU(cuGraphExecDestroy(e));
	CU(cuGraphInstantiate(&e, clone, 0));
	run(e, NULL);
	CHECK_EQ(read_u64(d), 8);
	CHECK_EQ(read_u64(d + 8), 8);
	p.gridDimX = 0;
	FAILS(cuGraphAddKernelNode(&b, clone, NULL, 0, &p), CUDA_ERROR_INVALID_VALUE, "none may be 0");
	p.gridDimX = 1;
	p.blockDimX = 2;
	FAILS(cuGraphAddKernelNode(&b, clone, NULL, 0, &p), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "2x1x1");
}

static void recorded_calls(void *data)
{
	++*(int *)data;
}

/* Copies of a recording have functions, copies and fills of their own */
static void what_was_recorded_is_copied(void)
{
	static const CUgraphNodeType want[] = { CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET,
						CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_EVENT_RECORD };
	CUgraphNodeType type;
	CUgraphExec one, two;
	CUgraphNode nodes[8];
	int calls = 0;
	size_t n = 8;
	CUdeviceptr d;
	CUevent inside, e;
	CUstream s;
	CUgraph g;

	start();
	d = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&inside, CU_EVENT_DISABLE_TIMING));
	op("increment");
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	LAUNCH("increment", 1, s, d);
	CU(cuEventRecord(inside, s));
	CU(cuMemcpyDtoDAsync(d + 8, d, 8, s));
	CU(cuMemsetD32Async(d + 16, 7, 1, s));
	CU(cuLaunchHostFunc(s, recorded_calls, &calls));
	CU(cuEventRecordWithFlags(e, s, CU_EVENT_RECORD_EXTERNAL));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 5);
	for (size_t i = 0; i < n; i++) {
		CU(cuGraphNodeGetType(nodes[i], &type));
		CHECK_EQ(type, want[i]);
	}
	CU(cuGraphInstantiate(&one, g, 0));
	CU(cuGraphInstantiate(&two, g, 0));
	CU(cuGraphDestroy(g));
	run(one, s);
	run(two, s);
	CU(cuGraphExecDestroy(one));
	run(two, s);
	CU(cuEventSynchronize(e));
	CHECK_EQ(calls, 3);
	CHECK_EQ(read_u64(d), 3);
	CHECK_EQ(read_u64(d + 8), 3);
	CHECK_EQ(read_u64(d + 16), 7);
	/* a graph keeps its events of the outside */
	CU(cuEventDestroy(e));
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	run(two, s);
	CHECK_EQ(cuEventQuery(e), CUDA_SUCCESS); /* the new one was not recorded */
	CHECK_EQ(calls, 4);
	CU(cuGraphExecDestroy(two));
	CU(cuEventDestroy(e));
}

static void instantiated_graphs_are_changed(void)
{
	CUgraphExecUpdateResultInfo info;
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraph g, same, longer, kinds;
	CUdeviceptr d, gate;
	CUgraphNode a, b, odd;
	unsigned int on;
	CUgraphExec e;
	uint64_t v = 9;
	CUstream s, t;

	start();
	d = dev_alloc(64);
	gate = dev_alloc(8);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuGraphCreate(&g, 0));
	a = add_store(g, d, 5);
	b = add_store(g, d + 8, 6);
	CU(cuGraphInstantiate(&e, g, 0));
	p = kernel("store", 1, (void *[]){ &d, &v });
	CU(cuGraphExecKernelNodeSetParams(e, a, &p));
	run(e, s);
	CHECK_EQ(read_u64(d), 9);
	/* the graph that it came from is as before */
	CU(cuGraphKernelNodeGetParams(a, &p));
	CHECK_EQ(*(uint64_t *)p.kernelParams[1], 5);
	CU(cuGraphNodeSetEnabled(e, b, 0));
	CU(cuGraphNodeGetEnabled(e, b, &on));
	CHECK_EQ(on, 0);
	CU(cuMemsetD32(d, 0, 4));
	CU(cuCtxSynchronize()); /* the other stream does not wait for it */
	run(e, s);
	CHECK_EQ(read_u64(d), 9);
	CHECK_EQ(read_u64(d + 8), 0);
	/* while it runs: the launch that waits keeps its numbers */
	CU(cuCtxSynchronize());
	CU(cuStreamWaitValue64(s, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
	CU(cuGraphLaunch(e, s));
	for (v = 10; v < 20; v++) {
		p = kernel("store", 1, (void *[]){ &(CUdeviceptr){ d + 16 }, &v });
		CU(cuGraphExecKernelNodeSetParams(e, a, &p));
		if (v == 10)
			CU(cuMemsetD32Async(d, 0, 4, t));
		if (v == 12)
			CU(cuStreamWriteValue64(t, gate, 1, 0));
	}
	CU(cuStreamSynchronize(s));
	CHECK_EQ(read_u64(d), 9);
	CHECK_EQ(read_u64(d + 16), 0);
	run(e, s);
	CHECK_EQ(read_u64(d + 16), 19);
	/* as a whole */
	CU(cuGraphCreate(&same, 0));
	add_store(same, d, 21);
	add_store(same, d + 8, 22);
	CU(cuGraphExecUpdate(e, same, &info));
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	run(e, s);
	CHECK_EQ(read_u64(d), 21);
	CHECK_EQ(read_u64(d + 8), 0);
	CU(cuGraphNodeSetEnabled(e, b, 1));
	run(e, s);
	CHECK_EQ(read_u64(d + 8), 22);
	CU(cuGraphClone(&longer, same));
	add_store(longer, d, 23);
	FAILS(cuGraphExecUpdate(e, longer, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "nodes");
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	LAUNCH("increment", 1, s, d);
	CU(cuMemcpyDtoDAsync(d + 8, d, 8, s));
	CU(cuStreamEndCapture(s, &kinds));
	FAILS(cuGraphExecUpdate(e, kinds, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "node 1");
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
	CHECK(info.errorNode);
	odd = info.errorNode;
	FAILS(cuGraphNodeSetEnabled(e, odd, 0), CUDA_ERROR_INVALID_VALUE, "no copy");
	run(e, s);
	CHECK_EQ(read_u64(d), 21);
}

static void nodes_have_attributes(void)
{
	CUkernelNodeAttrValue v = { .priority = 3 };
	CUgraphNode a, b;
	CUdeviceptr d;
	CUgraph g;
	int cores;

	start();
	d = dev_alloc(256);
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CU(cuGraphCreate(&g, 0));
	a = add(g, "block_numbers", 2, (void *[]){ &d });
	b = add(g, "block_numbers", 2, (void *[]){ &d });
	CU(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &v));
	CU(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &v));
	CHECK_EQ(v.priority, 0);
	v.cooperative = 1;
	CU(cuGraphKernelNodeSetAttribute(a, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
	v.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	CU(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	v.clusterDim.x = 2;
	v.clusterDim.y = v.clusterDim.z = 1;
	CU(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	v.clusterDim.x = 3;
	FAILS(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v), CUDA_ERROR_INVALID_CLUSTER_SIZE, "3x1x1");
	CU(cuGraphKernelNodeCopyAttributes(b, a));
	CU(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &v));
	CHECK_EQ(v.priority, 3);
	CU(cuGraphKernelNodeGetAttribute(b, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &v));
	CHECK_EQ(v.cooperative, 1);
	CU(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	CHECK_EQ(v.clusterDim.x, 2);
	CU(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &v));
	CHECK_EQ(v.memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
	FAILS(cuGraphKernelNodeGetAttribute(b, (CUkernelNodeAttrID)7, &v), CUDA_ERROR_INVALID_VALUE, "attr is 7");
	FAILS(cuGraphKernelNodeSetAttribute(b, (CUkernelNodeAttrID)77, &v), CUDA_ERROR_INVALID_VALUE, "attr is 77");
}

/* Changes by kernels --------------------------------------------------------------------------------- */

enum { OUT, RESULTS = 8, WORDS = 32 };

struct updates {
	CUgraph g;
	CUgraphNode by, of;
	CUgraphDeviceNode node;
	CUdeviceptr d;
	int32_t a, enabled;
	int64_t c;
	uint32_t blocks;
};

static CUresult launch_told(struct updates *u, CUstream s, int on)
{
	int32_t a = -1;
	int8_t b = -2;
	int64_t c = -3;
	CUlaunchAttribute attr = { .id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE };
	CUlaunchConfig config = { .gridDimX = 2, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .hStream = s, .attrs = &attr, .numAttrs = 1 };
	CUresult ret;

	attr.value.deviceUpdatableKernelNode.deviceUpdatable = on;
	ret = cuLaunchKernelEx(&config, op("told"), (void *[]){ &u->d, &a, &b, &c }, NULL);
	u->node = attr.value.deviceUpdatableKernelNode.devNode;
	return ret;
}

static void **change_params(struct updates *u)
{
	static CUdeviceptr results;
	static void *params[6];

	results = u->d + 8 * RESULTS;
	params[0] = &u->node;
	params[1] = &u->a;
	params[2] = &u->c;
	params[3] = &u->blocks;
	params[4] = &u->enabled;
	params[5] = &results;
	return params;
}

/* A graph of a kernel that changes the next one */
static struct updates record(CUstream s)
{
	struct updates u = { .d = dev_alloc(8 * WORDS), .a = 11, .c = 1LL << 40, .blocks = 3, .enabled = 1 };
	CUDA_KERNEL_NODE_PARAMS p = kernel("change", 1, NULL);
	CUgraphNode nodes[2];
	size_t n = 2;

	op("told");
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuLaunchKernel(op("change"), 1, 1, 1, 1, 1, 1, 0, s, change_params(&u), NULL));
	CU(launch_told(&u, s, 1));
	CU(cuStreamEndCapture(s, &u.g));
	CHECK(u.node);
	CU(cuGraphGetNodes(u.g, nodes, &n));
	CHECK_EQ(n, 2);
	u.by = nodes[0];
	u.of = nodes[1];
	/* the handle is known now */
	p.kernelParams = change_params(&u);
	CU(cuGraphKernelNodeSetParams(u.by, &p));
	return u;
}

static void words(uint64_t *w, const struct updates *u)
{
	CU(cuMemcpyDtoH(w, u->d, 8 * WORDS));
	CU(cuMemsetD8(u->d, 0, 8 * WORDS));
	CU(cuCtxSynchronize()); /* streams that do not wait for the fill */
}

static void a_kernel_changes_a_later_one(void)
{
	CUDA_KERNEL_NODE_PARAMS p;
	struct updates u;
	uint64_t w[WORDS];
	CUgraphExec e;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	u = record(s);
	CU(cuGraphInstantiate(&e, u.g, 0));
	CU(cuGraphUpload(e, s));
	run(e, s);
	words(w, &u);
	CHECK_EQ(w[RESULTS], 0);
	CHECK_EQ(w[RESULTS + 1], 0);
	CHECK_EQ(w[RESULTS + 2], 0);
	CHECK_EQ(w[RESULTS + 3], 0);
	for (int i = 4; i < 8; i++)
		CHECK_EQ(w[RESULTS + i], 1);
	CHECK_EQ(w[0], 11);
	CHECK_EQ((int64_t)w[1], -2);
	CHECK_EQ(w[2], 1ULL << 40);
	CHECK_EQ(w[3], 3);
	/* disabled, and enabled again in the next launch */
	u.enabled = 0;
	p = kernel("change", 1, change_params(&u));
	CU(cuGraphExecKernelNodeSetParams(e, u.by, &p));
	run(e, s);
	words(w, &u);
	CHECK_EQ(w[RESULTS + 3], 0);
	CHECK_EQ(w[3], 0);
	u.enabled = 1;
	u.a = 12;
	u.blocks = 1;
	CU(cuGraphLaunch(e, s));
	/* waits for the launch before, which leaves the node disabled */
	CU(cuGraphExecKernelNodeSetParams(e, u.by, &p));
	run(e, s);
	words(w, &u);
	CHECK_EQ(w[0], 12);
	CHECK_EQ(w[3], 1);
	/* what kernels have changed stays until the program changes it */
	CU(cuGraphNodeSetEnabled(e, u.by, 0));
	run(e, s);
	words(w, &u);
	CHECK_EQ(w[0], 12);
	CHECK_EQ(w[3], 1);
	CU(cuGraphKernelNodeGetParams(u.of, &p));
	CHECK_EQ(p.gridDimX, 2);
	CU(cuGraphExecKernelNodeSetParams(e, u.of, &p));
	run(e, s);
	words(w, &u);
	CHECK_EQ((int32_t)w[0], -1);
	CHECK_EQ(w[3], 2);
}

static void updatable_nodes_have_rules(void)
{
	CUkernelNodeAttrValue v = { .deviceUpdatableKernelNode = { .deviceUpdatable = 0 } };
	CUgraphExecUpdateResultInfo info;
	CUDA_KERNEL_NODE_PARAMS p;
	struct updates u, w;
	CUgraphExec e, second;
	CUgraph clone, g;
	CUgraphNode plain;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	u = record(s);
	w = (struct updates){ .d = u.d };
	FAILS(launch_told(&w, s, 1), CUDA_ERROR_INVALID_VALUE, "being recorded");
	FAILS(launch_told(&w, s, 0), CUDA_ERROR_INVALID_VALUE, "being recorded");
	FAILS(cuGraphDestroyNode(u.of), CUDA_ERROR_INVALID_VALUE, "device-updatable");
	CU(cuGraphKernelNodeGetAttribute(u.of, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	CHECK_EQ(v.deviceUpdatableKernelNode.deviceUpdatable, 1);
	CHECK(v.deviceUpdatableKernelNode.devNode == u.node);
	v.deviceUpdatableKernelNode.deviceUpdatable = 0;
	FAILS(cuGraphKernelNodeSetAttribute(u.of, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v), CUDA_ERROR_INVALID_VALUE,
	      "stays so");
	CU(cuGraphKernelNodeSetAttribute(u.by, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	v.deviceUpdatableKernelNode.deviceUpdatable = 2;
	FAILS(cuGraphKernelNodeSetAttribute(u.by, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v), CUDA_ERROR_INVALID_VALUE,
	      "0 or 1");
	FAILS(cuGraphClone(&clone, u.g), CUDA_ERROR_NOT_SUPPORTED, "cloned");
	CU(cuGraphInstantiate(&e, u.g, 0));
	FAILS(cuGraphInstantiate(&second, u.g, 0), CUDA_ERROR_INVALID_VALUE, "can be once");
	CU(cuGraphExecDestroy(e));
	FAILS(cuGraphInstantiate(&second, u.g, 0), CUDA_ERROR_INVALID_VALUE, "can be once");
	/* one that the program makes updatable itself */
	CU(cuGraphCreate(&g, 0));
	plain = add_store(g, u.d, 1);
	CU(cuGraphInstantiate(&e, g, 0));
	v.deviceUpdatableKernelNode.deviceUpdatable = 1;
	CU(cuGraphKernelNodeSetAttribute(plain, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	CU(cuGraphKernelNodeGetAttribute(plain, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &v));
	CHECK(v.deviceUpdatableKernelNode.devNode);
	FAILS(cuGraphExecUpdate(e, g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "has none");
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
	CU(cuGraphInstantiate(&second, g, 0));
	FAILS(cuGraphExecUpdate(second, g, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "one by one");
	CHECK_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
	p = kernel("increment", 1, (void *[]){ &u.d });
	FAILS(cuGraphExecKernelNodeSetParams(second, plain, &p), CUDA_ERROR_NOT_SUPPORTED, "its function stays");
	/* in a recording, 0 and 1 are all */
	op("told");
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(launch_told(&w, s, 2), CUDA_ERROR_INVALID_VALUE, "0 or 1");
	CU(launch_told(&w, s, 0));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphInstantiate(&e, g, 0));
	CU(cuGraphInstantiate(&second, g, 0));
}

/* A graph ends with its context, and so does what was instantiated from it */
static void graphs_end_with_their_context(void)
{
	CUcontext ctx = start();
	cuuint64_t flags = 9;
	CUgraphExec e;
	CUgraphNode node;
	CUgraph g;
	size_t n;

	CU(cuGraphCreate(&g, 0));
	CU(cuGraphAddEmptyNode(&node, g, NULL, 0));
	CU(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD));
	CU(cuGraphExecGetFlags(e, &flags));
	CHECK_EQ(flags, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
	CU(cuCtxDestroy(ctx));
	start();
	flags = 9;
	FAILS(cuGraphExecGetFlags(e, &flags), CUDA_ERROR_INVALID_VALUE, "destroyed");
	CHECK_EQ(flags, 9);
	FAILS(cuGraphUpload(e, NULL), CUDA_ERROR_INVALID_VALUE, "destroyed");
	FAILS(cuGraphLaunch(e, NULL), CUDA_ERROR_INVALID_VALUE, "destroyed");
	FAILS(cuGraphGetNodes(g, NULL, &n), CUDA_ERROR_INVALID_VALUE, "destroyed");
}

TAP_MAIN(TEST(graphs_end_with_their_context),
	 TEST(graphs_are_made_of_nodes),
	 TEST(what_was_recorded_is_copied),
	 TEST(instantiated_graphs_are_changed),
	 TEST(nodes_have_attributes),
	 TEST(a_kernel_changes_a_later_one),
	 TEST(updatable_nodes_have_rules))
