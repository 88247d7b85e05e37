// SPDX-License-Identifier: MIT
/* Nodes of any kind by one structure, kinds of dependencies, objects of the program, a graph as a picture. */
#include <unistd.h>

#include "cutest.h"

static void count(void *arg)
{
	(*(int *)arg)++;
}

/* A node of each kind is added, changed, and changed in what was instantiated */
static void a_structure_makes_nodes_of_each_kind(void)
{
	CUgraphNodeParams kernel = { .type = CU_GRAPH_NODE_TYPE_KERNEL }, copy = { .type = CU_GRAPH_NODE_TYPE_MEMCPY },
			  fill = { .type = CU_GRAPH_NODE_TYPE_MEMSET }, host = { .type = CU_GRAPH_NODE_TYPE_HOST },
			  empty = { .type = CU_GRAPH_NODE_TYPE_EMPTY }, child = { .type = CU_GRAPH_NODE_TYPE_GRAPH },
			  record = { .type = CU_GRAPH_NODE_TYPE_EVENT_RECORD }, wait = { .type = CU_GRAPH_NODE_TYPE_WAIT_EVENT },
			  odd = { .type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP };
	CUgraphNode n[8], dependency;
	uint64_t result = 0, value = 9;
	CUdeviceptr p;
	CUgraphExec exec;
	CUgraph graph, inner;
	CUevent event, other, got;
	int calls = 0, others = 0;

	start();
	p = dev_alloc(16);
	CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&other, CU_EVENT_DISABLE_TIMING));
	CU(cuGraphCreate(&graph, 0));
	CU(cuGraphCreate(&inner, 0));
	fill.memset = (CUDA_MEMSET_NODE_PARAMS_v2){ .dst = p, .value = 1, .elementSize = 1, .width = 8, .height = 1 };
	CU(cuGraphAddNode(&n[0], graph, NULL, 0, &fill));
	kernel.kernel = (CUDA_KERNEL_NODE_PARAMS){ .func = op("store"), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
						   .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
						   .kernelParams = (void *[]){ &p, &value } };
	CU(cuGraphAddNode(&n[1], graph, &n[0], 1, &kernel));
	copy.memcpy.copyParams = (CUDA_MEMCPY3D){ .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p,
						  .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = &result,
						  .WidthInBytes = 8, .Height = 1, .Depth = 1 };
	CU(cuGraphAddNode(&n[2], graph, &n[1], 1, &copy));
	host.host = (CUDA_HOST_NODE_PARAMS_v2){ count, &calls };
	CU(cuGraphAddNode(&n[3], graph, &n[2], 1, &host));
	CU(cuGraphAddNode(&n[4], inner, NULL, 0, &host));
	child.graph.graph = inner;
	CU(cuGraphAddNode(&n[4], graph, &n[3], 1, &child));
	CHECK(child.graph.graph != inner);
	record.eventRecord.event = event;
	CU(cuGraphAddNode(&n[5], graph, &n[4], 1, &record));
	wait.eventWait.event = event;
	CU(cuGraphAddNode(&n[6], graph, &n[5], 1, &wait));
	CU(cuGraphAddNode_v2(&n[7], graph, &n[6], NULL, 1, &empty));
	FAILS(cuGraphAddNode(&dependency, graph, NULL, 0, &odd), CUDA_ERROR_NOT_SUPPORTED, "type is 12");
	odd.type = (CUgraphNodeType)99;
	FAILS(cuGraphAddNode(&dependency, graph, NULL, 0, &odd), CUDA_ERROR_INVALID_VALUE, "type is 99");
	FAILS(cuGraphNodeSetParams(n[0], &odd), CUDA_ERROR_INVALID_VALUE, "type is 99");
	CU(cuGraphInstantiate(&exec, graph, 0));
	CU(cuGraphLaunch(exec, NULL));
	CU(cuStreamSynchronize(NULL));
	CHECK_EQ(result, 9);
	CHECK_EQ(calls, 2);
	/* the instantiated one changes, and the graph does not */
	value = 10;
	host.host.userData = &others;
	record.eventRecord.event = wait.eventWait.event = other;
	CU(cuGraphExecNodeSetParams(exec, n[0], &fill));
	CU(cuGraphExecNodeSetParams(exec, n[1], &kernel));
	CU(cuGraphExecNodeSetParams(exec, n[2], &copy));
	CU(cuGraphExecNodeSetParams(exec, n[3], &host));
	CU(cuGraphExecNodeSetParams(exec, n[5], &record));
	CU(cuGraphExecNodeSetParams(exec, n[6], &wait));
	FAILS(cuGraphExecNodeSetParams(exec, n[0], &odd), CUDA_ERROR_INVALID_VALUE, "type is 99");
	CU(cuGraphLaunch(exec, NULL));
	CU(cuStreamSynchronize(NULL));
	CHECK_EQ(result, 10);
	CHECK_EQ(calls, 3);
	CHECK_EQ(others, 1);
	CU(cuGraphEventRecordNodeGetEvent(n[5], &got));
	CHECK(got == event);
	/* now the graph */
	CU(cuGraphNodeSetParams(n[0], &fill));
	CU(cuGraphNodeSetParams(n[1], &kernel));
	CU(cuGraphNodeSetParams(n[2], &copy));
	CU(cuGraphNodeSetParams(n[3], &host));
	CU(cuGraphNodeSetParams(n[5], &record));
	CU(cuGraphNodeSetParams(n[6], &wait));
	CU(cuGraphEventRecordNodeGetEvent(n[5], &got));
	CHECK(got == other);
	CU(cuGraphEventWaitNodeGetEvent(n[6], &got));
	CHECK(got == other);
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(inner));
	CU(cuGraphDestroy(graph));
}

/* The event of a node is what the host waits for */
static void events_of_nodes_change(void)
{
	CUgraphNode record, wait;
	CUevent first, second;
	CUgraphExec exec;
	CUgraph graph;
	CUstream s;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&first, CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&second, CU_EVENT_DISABLE_TIMING));
	CU(cuGraphCreate(&graph, 0));
	CU(cuGraphAddEventRecordNode(&record, graph, NULL, 0, first));
	CU(cuGraphAddEventWaitNode(&wait, graph, &record, 1, first));
	CU(cuGraphEventRecordNodeSetEvent(record, second));
	CU(cuGraphEventWaitNodeSetEvent(wait, second));
	FAILS(cuGraphEventWaitNodeSetEvent(record, second), CUDA_ERROR_INVALID_VALUE, "no wait");
	FAILS(cuGraphEventRecordNodeSetEvent(record, NULL), CUDA_ERROR_INVALID_HANDLE, "");
	CU(cuGraphInstantiate(&exec, graph, 0));
	CU(cuGraphExecEventRecordNodeSetEvent(exec, record, first));
	CU(cuGraphExecEventWaitNodeSetEvent(exec, wait, first));
	FAILS(cuGraphExecEventRecordNodeSetEvent(exec, wait, first), CUDA_ERROR_INVALID_VALUE, "no record");
	CU(cuGraphLaunch(exec, s));
	CU(cuStreamSynchronize(s));
	CU(cuEventQuery(first));
	CU(cuGraphExecDestroy(exec));
	CU(cuGraphDestroy(graph));
}

/* A dependency waits for the end of a node: the only kind */
static void dependencies_tell_their_kind(void)
{
	CUgraphEdgeData plain = { 0 }, early = { .from_port = 1, .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC }, data[2];
	CUgraphNode a, b, from[2], to[2];
	CUgraph graph;
	size_t n;

	start();
	CU(cuGraphCreate(&graph, 0));
	CU(cuGraphAddEmptyNode(&a, graph, NULL, 0));
	CU(cuGraphAddEmptyNode(&b, graph, NULL, 0));
	FAILS(cuGraphAddDependencies_v2(graph, &a, &b, &early, 1), CUDA_ERROR_NOT_SUPPORTED, "ports 1 and 0 and the type 1");
	CU(cuGraphAddDependencies_v2(graph, &a, &b, &plain, 1));
	memset(data, 0xff, sizeof(data));
	n = 2;
	CU(cuGraphGetEdges_v2(graph, from, to, data, &n));
	CHECK_EQ(n, 1);
	CHECK(from[0] == a && to[0] == b && !memcmp(&data[0], &plain, sizeof(plain)));
	n = 2;
	memset(data, 0xff, sizeof(data));
	CU(cuGraphNodeGetDependencies_v2(b, from, data, &n));
	CHECK(n == 1 && from[0] == a && !data[0].type);
	n = 2;
	memset(data, 0xff, sizeof(data));
	CU(cuGraphNodeGetDependentNodes_v2(a, to, data, &n));
	CHECK(n == 1 && to[0] == b && !data[0].type);
	CU(cuGraphRemoveDependencies_v2(graph, &a, &b, &plain, 1));
	CU(cuGraphGetEdges_v2(graph, NULL, NULL, NULL, &n));
	CHECK_EQ(n, 0);
	CU(cuGraphDestroy(graph));
}

/* An object ends with its last use, of which instantiated graphs have some, too */
static void objects_end_with_their_last_use(void)
{
	CUuserObject o;
	CUgraphExec exec;
	CUgraph graph;
	int ended = 0;

	start();
	FAILS(cuUserObjectCreate(&o, &ended, count, 1, 0), CUDA_ERROR_INVALID_VALUE, "NO_DESTRUCTOR_SYNC");
	FAILS(cuUserObjectCreate(&o, &ended, count, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC), CUDA_ERROR_INVALID_VALUE, "count is 0");
	CU(cuUserObjectCreate(&o, &ended, count, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	CU(cuUserObjectRetain(o, 2));
	CU(cuUserObjectRelease(o, 2));
	CHECK_EQ(ended, 0);
	FAILS(cuUserObjectRelease(o, 2), CUDA_ERROR_INVALID_VALUE, "has 1 uses");
	CU(cuGraphCreate(&graph, 0));
	CU(cuGraphRetainUserObject(graph, o, 2, 0));
	FAILS(cuGraphReleaseUserObject(graph, o, 3), CUDA_ERROR_INVALID_VALUE, "fewer uses");
	CU(cuGraphReleaseUserObject(graph, o, 2));
	CHECK_EQ(ended, 0);
	FAILS(cuGraphRetainUserObject(graph, o, 1, 8), CUDA_ERROR_INVALID_VALUE, "flags");
	/* the caller's use becomes the graph's */
	CU(cuGraphRetainUserObject(graph, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
	CU(cuGraphInstantiate(&exec, graph, 0));
	CU(cuGraphDestroy(graph));
	CHECK_EQ(ended, 0);
	CU(cuGraphExecDestroy(exec));
	CHECK_EQ(ended, 1);
	FAILS(cuUserObjectRetain(o, 1), CUDA_ERROR_INVALID_VALUE, "has ended");
}

static void a_graph_is_printed(void)
{
	char path[] = "/tmp/anpu-dot-XXXXXX", text[4096] = "";
	CUDA_KERNEL_NODE_PARAMS p = { .gridDimX = 2, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				      .blockDimZ = 1 };
	CUgraphNode a, b;
	CUgraph graph;
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	start();
	p.func = op("nothing");
	CU(cuGraphCreate(&graph, 0));
	CU(cuGraphAddKernelNode(&a, graph, NULL, 0, &p));
	CU(cuGraphAddEmptyNode(&b, graph, &a, 1));
	CU(cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
	CHECK(read(fd, text, sizeof(text) - 1) > 0);
	CHECK(strstr(text, "digraph") && strstr(text, "KERNEL\\nnothing\\n<<<(2,1,1),(1,1,1),0>>>") &&
	      strstr(text, "node0 -> node1"));
	FAILS(cuGraphDebugDotPrint(graph, "/no/such/folder/x", 0), CUDA_ERROR_OPERATING_SYSTEM, "/no/such/folder/x");
	close(fd);
	unlink(path);
	CU(cuGraphDestroy(graph));
}

TAP_MAIN(TEST(a_structure_makes_nodes_of_each_kind), TEST(events_of_nodes_change), TEST(dependencies_tell_their_kind),
	 TEST(objects_end_with_their_last_use), TEST(a_graph_is_printed))
