// SPDX-License-Identifier: MIT
/* Graphs whose nodes are copies, fills, functions, events, graphs, or nothing; and the order of nodes. */
#include "cutest.h"

static CUcontext now;

static void begin(void)
{
	now = start();
}

static CUgraph new_graph(void)
{
	CUgraph g;

	CU(cuGraphCreate(&g, 0));
	return g;
}

static void run(CUgraphExec e)
{
	CU(cuGraphLaunch(e, NULL));
	CU(cuCtxSynchronize());
}

/* A copy of @bytes between memory that is the host's or the device's */
static CUDA_MEMCPY3D copy_of(CUmemorytype dt, void *dst, CUmemorytype st, const void *src, size_t bytes)
{
	CUDA_MEMCPY3D c = { .srcMemoryType = st, .dstMemoryType = dt, .WidthInBytes = bytes, .Height = 1, .Depth = 1 };

	if (st == CU_MEMORYTYPE_HOST)
		c.srcHost = src;
	else
		c.srcDevice = (uintptr_t)src;
	if (dt == CU_MEMORYTYPE_HOST)
		c.dstHost = dst;
	else
		c.dstDevice = (uintptr_t)dst;
	return c;
}

#define HOST   CU_MEMORYTYPE_HOST
#define DEVICE CU_MEMORYTYPE_DEVICE
#define AT(d)  ((void *)(uintptr_t)(d))

static CUgraphNode add_copy(CUgraph g, CUgraphNode behind, CUDA_MEMCPY3D c)
{
	CUgraphNode n;

	CU(cuGraphAddMemcpyNode(&n, g, &behind, behind != NULL, &c, now));
	return n;
}

static void copies_move_pageable_memory_in_each_execution(void)
{
	uint64_t in = 5, out = 0, other = 0, same = 0;
	CUDA_MEMCPY3D c, got;
	CUgraphNodeType type;
	CUgraphNode a, b, x;
	CUgraphExec e;
	CUdeviceptr d;
	CUgraph g;

	begin();
	d = dev_alloc(64);
	g = new_graph();
	a = add_copy(g, NULL, copy_of(DEVICE, AT(d), HOST, &in, 8));
	x = add_kernel(g, a, "increment", (void *[]){ &d });
	b = add_copy(g, x, copy_of(HOST, &out, DEVICE, AT(d), 8));
	add_copy(g, b, copy_of(HOST, &same, HOST, &out, 8));
	CU(cuGraphNodeGetType(a, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
	CU(cuGraphMemcpyNodeGetParams(b, &got));
	CHECK(got.dstHost == &out && got.srcDevice == d && got.WidthInBytes == 8);
	e = instantiated(g);
	run(e);
	CHECK_EQ(out, 6);
	CHECK_EQ(same, 6);
	in = 10;
	run(e);
	CHECK_EQ(out, 11);
	/* what is instantiated goes on as it was when a node of the graph is changed */
	c = copy_of(HOST, &other, DEVICE, AT(d), 8);
	CU(cuGraphMemcpyNodeSetParams(b, &c));
	in = 20;
	run(e);
	CHECK_EQ(out, 21);
	CHECK_EQ(other, 0);
	CU(cuGraphExecMemcpyNodeSetParams(e, b, &c, now));
	in = 30;
	run(e);
	CHECK_EQ(out, 21);
	CHECK_EQ(other, 31);
	CU(cuGraphDestroy(g));
	in = 40;
	run(e);
	CHECK_EQ(other, 41);
	CU(cuGraphExecDestroy(e));
}

/* A changed copy does not make the list grow without end */
static void copies_have_rows_and_layers(void)
{
	uint8_t in[4][3][8], out[4][3][8] = { 0 };
	CUDA_MEMCPY3D c = { .srcMemoryType = HOST, .srcHost = in, .srcPitch = 8, .srcHeight = 3, .srcXInBytes = 2,
			    .srcZ = 1, .dstMemoryType = DEVICE, .dstPitch = 16, .dstHeight = 2, .WidthInBytes = 5,
			    .Height = 2, .Depth = 3 };
	CUDA_MEMCPY3D back;
	unsigned int z, y, x;
	CUgraphNode a, b;
	CUgraphExec e;
	CUdeviceptr d;
	CUgraph g;

	begin();
	for (x = 0; x < sizeof(in); x++)
		((uint8_t *)in)[x] = (uint8_t)(x + 1);
	d = dev_alloc(256);
	g = new_graph();
	c.dstDevice = d;
	a = add_copy(g, NULL, c);
	back = (CUDA_MEMCPY3D){ .srcMemoryType = DEVICE, .srcDevice = d, .srcPitch = 16, .srcHeight = 2,
				.dstMemoryType = HOST, .dstHost = out, .dstPitch = 8, .dstHeight = 3, .dstXInBytes = 1,
				.dstY = 1, .WidthInBytes = 5, .Height = 2, .Depth = 3 };
	b = add_copy(g, a, back);
	e = instantiated(g);
	run(e);
	for (z = 0; z < 4; z++)
		for (y = 0; y < 3; y++)
			for (x = 0; x < 8; x++)
				CHECK_EQ(out[z][y][x], z < 3 && y && x >= 1 && x < 6 ? in[z + 1][y - 1][x + 1] : 0);
	/* small and large by turns */
	for (x = 0; x < 20; x++) {
		back.Depth = x % 2 ? 3 : 1;
		CU(cuGraphExecMemcpyNodeSetParams(e, b, &back, now));
	}
	memset(out, 0, sizeof(out));
	run(e);
	CHECK_EQ(out[2][1][1], in[3][0][2]);
	back.Depth = 3;
	back.WidthInBytes = 17;
	FAILS(cuGraphAddMemcpyNode(&b, g, NULL, 0, &back, now), CUDA_ERROR_INVALID_VALUE, "pitch");
	back.srcMemoryType = (CUmemorytype)9;
	back.WidthInBytes = 5;
	FAILS(cuGraphMemcpyNodeSetParams(b, &back), CUDA_ERROR_INVALID_VALUE, "memory type");
	FAILS(cuGraphExecMemcpyNodeSetParams(e, b, &back, now), CUDA_ERROR_INVALID_VALUE, "memory type");
	/* nothing of that has changed a node */
	memset(out, 0, sizeof(out));
	run(e);
	CHECK_EQ(out[2][1][1], in[3][0][2]);
}

static void count(void *data)
{
	++*(int *)data;
}

static void fills_and_functions_are_nodes(void)
{
	CUDA_MEMSET_NODE_PARAMS fill = { .elementSize = 4, .value = 0x01020304, .width = 2, .height = 1 }, got;
	CUDA_HOST_NODE_PARAMS host, told;
	const cuuint64_t how = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
	cuuint64_t flags = 1;
	int one = 0, two = 0;
	CUgraphNodeType type;
	CUgraphNode f, h, empty;
	CUgraphExec e, other;
	CUgraph g;
	CUdeviceptr d;

	begin();
	d = dev_alloc(64);
	g = new_graph();
	fill.dst = d;
	host = (CUDA_HOST_NODE_PARAMS){ count, &one };
	CU(cuMemsetD8(d, 0, 64));
	CU(cuGraphAddMemsetNode(&f, g, NULL, 0, &fill, now));
	CU(cuGraphAddEmptyNode(&empty, g, &f, 1));
	CU(cuGraphAddHostNode(&h, g, &empty, 1, &host));
	CU(cuGraphNodeGetType(f, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_MEMSET);
	CU(cuGraphNodeGetType(h, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_HOST);
	CU(cuGraphNodeGetType(empty, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_EMPTY);
	e = instantiated(g);
	run(e);
	CHECK_EQ(read_u64(d), 0x0102030401020304);
	CHECK_EQ(read_u64(d + 8), 0);
	CHECK_EQ(one, 1);
	CU(cuGraphMemsetNodeGetParams(f, &got));
	CHECK(got.dst == d && got.value == 0x01020304 && got.width == 2);
	CU(cuGraphHostNodeGetParams(h, &told));
	CHECK(told.fn == count && told.userData == &one);
	/* rows of bytes; another function */
	fill = (CUDA_MEMSET_NODE_PARAMS){ .dst = d, .elementSize = 1, .value = 7, .width = 1, .height = 2, .pitch = 8 };
	CU(cuGraphExecMemsetNodeSetParams(e, f, &fill, now));
	host.userData = &two;
	CU(cuGraphExecHostNodeSetParams(e, h, &host));
	run(e);
	CHECK_EQ(read_u64(d), 0x0102030401020307);
	CHECK_EQ(read_u64(d + 8), 7);
	CHECK_EQ(one, 1);
	CHECK_EQ(two, 1);
	/* the graph has the old ones still */
	CU(cuGraphExecDestroy(e));
	e = instantiated(g);
	run(e);
	CHECK_EQ(one, 2);
	CU(cuGraphNodeSetEnabled(e, f, 0));
	CU(cuMemsetD8(d, 0, 8));
	run(e);
	CHECK_EQ(read_u64(d), 0);
	CU(cuGraphMemsetNodeSetParams(f, &fill));
	CU(cuGraphMemsetNodeGetParams(f, &got));
	CHECK(got.elementSize == 1 && got.value == 7 && got.height == 2 && got.pitch == 8);
	CU(cuGraphExecGetFlags(e, &flags));
	CHECK_EQ(flags, 0);
	CU(cuGraphInstantiate(&other, g, how));
	CU(cuGraphExecGetFlags(other, &flags));
	CHECK_EQ(flags, how);
	CU(cuGraphExecDestroy(other));
	FAILS(cuGraphExecGetFlags(e, NULL), CUDA_ERROR_INVALID_VALUE, "flags");
	fill.elementSize = 3;
	FAILS(cuGraphAddMemsetNode(&f, g, NULL, 0, &fill, now), CUDA_ERROR_INVALID_VALUE, "1, 2 or 4");
	fill.elementSize = 4;
	fill.width = 0;
	FAILS(cuGraphAddMemsetNode(&f, g, NULL, 0, &fill, now), CUDA_ERROR_INVALID_VALUE, "may be 0");
	fill.width = 1;
	FAILS(cuGraphAddMemsetNode(&f, g, NULL, 0, &fill, (CUcontext)0x123), CUDA_ERROR_INVALID_CONTEXT, "");
	fill.dst = 0x1000;
	FAILS(cuGraphAddMemsetNode(&f, g, NULL, 0, &fill, now), CUDA_ERROR_INVALID_VALUE, "");
	FAILS(cuGraphAddMemsetNode(&f, g, NULL, 0, NULL, now), CUDA_ERROR_INVALID_VALUE, "NULL");
	FAILS(cuGraphAddEmptyNode(NULL, g, NULL, 0), CUDA_ERROR_INVALID_VALUE, "NULL");
	FAILS(cuGraphMemsetNodeGetParams(h, &got), CUDA_ERROR_INVALID_VALUE, "no fill");
	FAILS(cuGraphHostNodeSetParams(f, &host), CUDA_ERROR_INVALID_VALUE, "no function");
	FAILS(cuGraphExecHostNodeSetParams(e, empty, &host), CUDA_ERROR_INVALID_VALUE, "no function");
	host.fn = NULL;
	FAILS(cuGraphAddHostNode(&h, g, NULL, 0, &host), CUDA_ERROR_INVALID_VALUE, "fn is NULL");
	FAILS(cuGraphAddEmptyNode(&empty, (CUgraph)d, NULL, 0), CUDA_ERROR_INVALID_VALUE, "no graph");
}

static void graphs_are_nodes(void)
{
	uint64_t seven = 7, out = 0;
	CUgraphNode child, inside, last, found;
	CUgraph g, inner, copy, clone, clones;
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNodeType type;
	CUdeviceptr d;
	CUgraphExec e;
	size_t n = 0;

	begin();
	d = dev_alloc(64);
	inner = new_graph();
	inside = add_kernel(inner, NULL, "store", (void *[]){ &d, &seven });
	add_kernel(inner, inside, "increment", (void *[]){ &d });
	g = new_graph();
	CU(cuGraphAddChildGraphNode(&child, g, NULL, 0, inner));
	last = add_kernel(g, child, "increment", (void *[]){ &d });
	add_copy(g, last, copy_of(HOST, &out, DEVICE, AT(d), 8));
	CU(cuGraphNodeGetType(child, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_GRAPH);
	CU(cuGraphGetNodes(g, NULL, &n));
	CHECK_EQ(n, 3);
	e = instantiated(g);
	run(e);
	CHECK_EQ(out, 9);
	/* the node has a copy, which is changed and not ended */
	CU(cuGraphDestroy(inner));
	CU(cuGraphChildGraphNodeGetGraph(child, &copy));
	FAILS(cuGraphDestroy(copy), CUDA_ERROR_INVALID_VALUE, "ends with that");
	n = 1;
	CU(cuGraphGetRootNodes(copy, &inside, &n));
	CHECK_EQ(n, 1);
	CU(cuGraphClone(&clone, g));
	CU(cuGraphKernelNodeGetParams(inside, &p));
	seven = 20;
	p.kernelParams = (void *[]){ &d, &seven };
	CU(cuGraphKernelNodeSetParams(inside, &p));
	CU(cuGraphExecDestroy(e));
	e = instantiated(g);
	run(e);
	CHECK_EQ(out, 22);
	seven = 30;
	CU(cuGraphExecKernelNodeSetParams(e, inside, &p));
	run(e);
	CHECK_EQ(out, 32);
	/* a clone has graphs of its own */
	CU(cuGraphNodeFindInClone(&found, child, clone));
	CU(cuGraphChildGraphNodeGetGraph(found, &clones));
	CHECK(clones != copy);
	CU(cuGraphDestroyNode(child));
	FAILS(cuGraphGetNodes(copy, NULL, &n), CUDA_ERROR_INVALID_VALUE, "destroyed");
	CU(cuGraphDestroy(g));
	CU(cuGraphExecDestroy(e));
	e = instantiated(clone);
	CU(cuGraphDestroy(clone));
	run(e);
	CHECK_EQ(out, 9);
	FAILS(cuGraphAddChildGraphNode(&child, clone, NULL, 0, clone), CUDA_ERROR_INVALID_VALUE, "destroyed");
}

static void events_are_nodes(void)
{
	CUgraphNode r, w;
	CUevent e, got;
	CUgraphNodeType type;
	const char *said;
	CUgraphExec x;
	CUgraph g;

	begin();
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	g = new_graph();
	CU(cuGraphAddEventRecordNode(&r, g, NULL, 0, e));
	CU(cuGraphAddEventWaitNode(&w, g, &r, 1, e));
	CU(cuGraphNodeGetType(r, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
	CU(cuGraphNodeGetType(w, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
	CU(cuGraphEventRecordNodeGetEvent(r, &got));
	CHECK(got == e);
	CU(cuGraphEventWaitNodeGetEvent(w, &got));
	CHECK(got == e);
	FAILS(cuGraphEventWaitNodeGetEvent(r, &got), CUDA_ERROR_INVALID_VALUE, "no wait");
	x = instantiated(g);
	run(x);
	CU(cuEventQuery(e));
	FAILS(cuGraphAddEventRecordNode(&r, g, NULL, 0, NULL), CUDA_ERROR_INVALID_HANDLE, "NULL");
	/* the cause is told, and nothing of the recording that it ended */
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
	aclGetRecentErrMsg();
	CHECK(cuGraphAddEventRecordNode(&r, g, NULL, 0, e) != CUDA_SUCCESS);
	said = aclGetRecentErrMsg();
	CHECK(said && strstr(said, "outside of a graph") && !strstr(said, "destroyed"));
	/* between those with a time, the time of what is between them */
	CU(cuEventCreate(&e, CU_EVENT_DEFAULT));
	CU(cuEventCreate(&got, CU_EVENT_BLOCKING_SYNC));
	g = new_graph();
	CU(cuGraphAddEventRecordNode(&r, g, NULL, 0, e));
	CU(cuGraphAddEventRecordNode(&w, g, &r, 1, got));
	x = instantiated(g);
	for (int i = 0; i < 2; i++) {
		float ms = -1;

		run(x);
		CU(cuEventElapsedTime(&ms, e, got));
		CHECK_OP(ms, >=, 0);
	}
}

static void nodes_run_as_their_edges_say(void)
{
	CUgraphNode a, b, c, from[4], to[4], near[4];
	uint64_t one = 1, out = 0;
	CUgraphEdgeData kinds[3];
	size_t n = 4;
	CUgraphExec e;
	CUgraph g, clone;
	CUdeviceptr d;

	begin();
	d = dev_alloc(64);
	g = new_graph();
	/* added in the wrong order: the copy, an increment, the store */
	a = add_copy(g, NULL, copy_of(HOST, &out, DEVICE, AT(d), 8));
	b = add_kernel(g, NULL, "increment", (void *[]){ &d });
	c = add_kernel(g, NULL, "store", (void *[]){ &d, &one });
	CU(cuGraphGetRootNodes(g, NULL, &n));
	CHECK_EQ(n, 3);
	CU(cuGraphAddDependencies(g, (CUgraphNode[]){ c, b }, (CUgraphNode[]){ b, a }, 2));
	e = instantiated(g);
	run(e);
	CHECK_EQ(out, 2);
	n = 4;
	CU(cuGraphGetEdges(g, from, to, &n));
	CHECK_EQ(n, 2);
	CHECK(from[0] == c && to[0] == b && from[1] == b && to[1] == a && !from[2] && !to[3]);
	/* the newer form tells of each edge that it is a plain one, if it is asked */
	memset(kinds, 0xff, sizeof(kinds));
	n = 4;
	CU(cuGraphGetEdges_v2(g, from, to, kinds, &n));
	CHECK(n == 2 && !kinds[0].type && !kinds[0].from_port && !kinds[1].type && kinds[2].type == 0xff);
	CU(cuGraphGetEdges_v2(g, from, to, NULL, &n));
	CHECK(n == 2 && from[0] == c && to[1] == a);
	n = 4;
	CU(cuGraphNodeGetDependencies(b, near, &n));
	CHECK(n == 1 && near[0] == c);
	n = 4;
	CU(cuGraphNodeGetDependentNodes(b, near, &n));
	CHECK(n == 1 && near[0] == a);
	n = 4;
	CU(cuGraphGetRootNodes(g, near, &n));
	CHECK(n == 1 && near[0] == c && !near[1]);
	FAILS(cuGraphAddDependencies(g, &a, &c, 1), CUDA_ERROR_INVALID_VALUE, "wait for each other");
	FAILS(cuGraphAddDependencies(g, &c, &b, 1), CUDA_ERROR_INVALID_VALUE, "already");
	FAILS(cuGraphAddDependencies(g, &c, &c, 1), CUDA_ERROR_INVALID_VALUE, "same node");
	FAILS(cuGraphAddDependencies(g, NULL, &c, 1), CUDA_ERROR_INVALID_VALUE, "NULL");
	FAILS(cuGraphRemoveDependencies(g, &c, &a, 1), CUDA_ERROR_INVALID_VALUE, "not in the graph");
	FAILS(cuGraphGetEdges(g, from, NULL, &n), CUDA_ERROR_INVALID_VALUE, "both");
	FAILS(cuGraphAddEmptyNode(&from[0], g, (CUgraphNode[]){ a, a }, 2), CUDA_ERROR_INVALID_VALUE, "same node");
	FAILS(cuGraphAddEmptyNode(&from[0], g, NULL, 2), CUDA_ERROR_INVALID_VALUE, "dependencies is NULL");
	/* a clone has the edges of its own nodes */
	CU(cuGraphClone(&clone, g));
	FAILS(cuGraphAddDependencies(clone, &a, &b, 1), CUDA_ERROR_INVALID_VALUE, "another graph");
	n = 4;
	CU(cuGraphGetEdges(clone, from, to, &n));
	CHECK(n == 2 && from[0] != c && to[0] == from[1]);
	CU(cuGraphDestroyNode(b));
	CU(cuGraphGetEdges(g, NULL, NULL, &n));
	CHECK_EQ(n, 0);
	CU(cuGraphAddDependencies(g, &c, &a, 1));
	CU(cuGraphRemoveDependencies(g, &c, &a, 1));
	CU(cuGraphGetEdges(g, NULL, NULL, &n));
	CHECK_EQ(n, 0);
	/* a node that is added behind several has an edge from each */
	CU(cuGraphAddEmptyNode(&b, g, (CUgraphNode[]){ a, c }, 2));
	n = 4;
	CU(cuGraphNodeGetDependencies(b, near, &n));
	CHECK(n == 2 && near[0] == a && near[1] == c);
}

/* Nodes of a recording are changed in what was instantiated from it, and copied with it */
static void recorded_nodes_are_changed(void)
{
	uint64_t in = 3, *pinned, out = 0;
	CUDA_MEMCPY3D c, got;
	CUgraphNode nodes[4];
	CUgraphExec e;
	CUstream s;
	CUdeviceptr d;
	size_t n = 4;
	CUgraph g;

	begin();
	d = dev_alloc(64);
	CU(cuMemAllocHost((void **)&pinned, 8));
	*pinned = 1;
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuMemcpyHtoDAsync(d, pinned, 8, s));
	LAUNCH("increment", 1, s, d);
	/* a graph is built meanwhile, and the recording goes on */
	add_copy(new_graph(), NULL, copy_of(HOST, &out, DEVICE, AT(d), 8));
	CU(cuMemcpyDtoHAsync(pinned, d, 8, s));
	CU(cuStreamEndCapture(s, &g));
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 3);
	CU(cuGraphGetEdges(g, NULL, NULL, &n));
	CHECK_EQ(n, 2);
	e = instantiated(g);
	run(e);
	CHECK_EQ(*pinned, 2);
	FAILS(cuGraphMemcpyNodeGetParams(nodes[0], &got), CUDA_ERROR_NOT_SUPPORTED, "recorded");
	c = copy_of(DEVICE, AT(d), HOST, &in, 8);
	CU(cuGraphExecMemcpyNodeSetParams(e, nodes[0], &c, now));
	run(e);
	CHECK_EQ(*pinned, 4);
	c = copy_of(HOST, &out, DEVICE, AT(d), 8);
	CU(cuGraphMemcpyNodeSetParams(nodes[2], &c));
	CU(cuGraphMemcpyNodeGetParams(nodes[2], &got));
	CHECK(got.dstHost == &out);
	e = instantiated(g);
	run(e);
	CHECK_EQ(out, 5);
}

/* A node that is refused does not stay in its graph */
static void graphs_of_another_device_are_no_nodes(void)
{
	CUgraph parent, child;
	CUgraphNode node;
	CUcontext other;
	size_t n = 9;
	int count;

	begin();
	CU(cuDeviceGetCount(&count));
	if (count < 2)
		SKIP("there is one device");
	parent = new_graph();
	CU(cuCtxCreate(&other, 0, 1));
	child = new_graph();
	FAILS(cuGraphAddChildGraphNode(&node, parent, NULL, 0, child), CUDA_ERROR_INVALID_VALUE, "devices 0 and 1");
	CU(cuGraphGetNodes(parent, NULL, &n));
	CHECK_EQ(n, 0);
	CU(cuCtxSetCurrent(now));
	run(instantiated(parent));
}

TAP_MAIN(TEST(copies_move_pageable_memory_in_each_execution),
	 TEST(copies_have_rows_and_layers),
	 TEST(fills_and_functions_are_nodes),
	 TEST(graphs_are_nodes),
	 TEST(events_are_nodes),
	 TEST(nodes_run_as_their_edges_say),
	 TEST(recorded_nodes_are_changed),
	 TEST(graphs_of_another_device_are_no_nodes))
