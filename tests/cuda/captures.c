// SPDX-License-Identifier: MIT
/* Recordings that go on: their graph, what the next node comes behind, and nodes that the program adds meanwhile. */
#include "cutest.h"

/* The nodes behind which the stream's next one comes */
static const CUgraphNode *ends(CUstream s, CUgraph *g, size_t *n)
{
	CUstreamCaptureStatus status;
	const CUgraphNode *list = NULL;

	CU(cuStreamGetCaptureInfo(s, &status, NULL, g, &list, n));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	return list;
}

static CUgraphNode only_end(CUstream s)
{
	size_t n = 0;
	const CUgraphNode *list = ends(s, NULL, &n);

	CHECK_EQ(n, 1);
	return list[0];
}

static bool has_edge(CUgraph g, CUgraphNode a, CUgraphNode b)
{
	CUgraphNode from[16], to[16];
	size_t n = 16, i;

	CU(cuGraphGetEdges(g, from, to, &n));
	for (i = 0; i < n; i++)
		if (from[i] == a && to[i] == b)
			return true;
	return false;
}

static size_t edges_of(CUgraph g)
{
	size_t n = 0;

	CU(cuGraphGetEdges(g, NULL, NULL, &n));
	return n;
}

struct fork {
	CUstream s, t;
	CUevent e, back;
	CUdeviceptr p;
};

static struct fork begin(CUstreamCaptureMode mode)
{
	struct fork f = { .p = 0 };

	start();
	f.p = dev_alloc(64);
	f.s = new_stream(CU_STREAM_NON_BLOCKING);
	f.t = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&f.e, CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&f.back, CU_EVENT_DISABLE_TIMING));
	op("increment");
	CU(cuStreamBeginCapture(f.s, mode));
	return f;
}

static void run_once(CUgraph g, CUstream s)
{
	CUgraphExec exec;

	CU(cuGraphInstantiate(&exec, g, 0));
	CU(cuGraphLaunch(exec, s));
	CU(cuStreamSynchronize(s));
	CU(cuGraphExecDestroy(exec));
}

/* A branch in another stream: both come behind the first kernel, and the last one behind both */
static void streams_that_join_make_branches(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
	CUstreamCaptureStatus status;
	const CUgraphNode *list;
	CUgraphNode a, b, c, d;
	cuuint64_t one = 0, two = 0;
	CUgraph g, seen, other;
	size_t n = 9;

	ends(f.s, &seen, &n);
	CHECK_EQ(n, 0);
	LAUNCH("increment", 1, f.s, f.p);
	a = only_end(f.s);
	CU(cuEventRecord(f.e, f.s));
	CU(cuStreamWaitEvent(f.t, f.e, 0));
	CHECK(only_end(f.t) == a);
	LAUNCH("increment", 1, f.t, f.p + 8);
	b = only_end(f.t);
	LAUNCH("increment", 1, f.s, f.p);
	c = only_end(f.s);
	CHECK(b != c && b != a && c != a);
	CU(cuEventRecord(f.back, f.t));
	CU(cuStreamWaitEvent(f.s, f.back, 0));
	list = ends(f.s, &other, &n);
	CHECK_EQ(n, 2);
	CHECK((list[0] == b && list[1] == c) || (list[0] == c && list[1] == b));
	CHECK(other == seen);
	CU(cuStreamGetCaptureInfo(f.s, &status, &one, NULL, NULL, NULL));
	CU(cuStreamGetCaptureInfo(f.t, &status, &two, NULL, NULL, NULL));
	CHECK(one && one == two);
	/* what was told about one stream stays while another is asked about */
	CHECK(only_end(f.t) == b);
	CHECK(list[0] == b || list[0] == c);
	LAUNCH("increment", 1, f.s, f.p);
	d = only_end(f.s);
	CU(cuStreamEndCapture(f.s, &g));
	CHECK(g == seen);
	CHECK_EQ(edges_of(g), 4);
	CHECK(has_edge(g, a, b) && has_edge(g, a, c) && has_edge(g, b, d) && has_edge(g, c, d));
	run_once(g, f.s);
	CHECK_EQ(read_u64(f.p), 3);
	CHECK_EQ(read_u64(f.p + 8), 1);
	CU(cuGraphDestroy(g));
	CU(cuStreamGetCaptureInfo(f.s, &status, &one, &g, &list, &n));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

/* A recording that nobody asks about has the same dependencies */
static void a_graph_that_was_not_looked_at_has_branches(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_RELAXED);
	CUgraphNode nodes[4], roots[4], from[4];
	size_t n = 4;
	CUgraph g;

	CU(cuEventRecord(f.e, f.s));
	CU(cuStreamWaitEvent(f.t, f.e, 0));
	LAUNCH("increment", 1, f.s, f.p);
	LAUNCH("increment", 1, f.t, f.p + 8);
	CU(cuEventRecord(f.back, f.t));
	CU(cuStreamWaitEvent(f.s, f.back, 0));
	CU(cuMemcpyDtoDAsync(f.p + 16, f.p, 16, f.s));
	CU(cuStreamEndCapture(f.s, &g));
	CU(cuGraphGetRootNodes(g, roots, &n));
	CHECK_EQ(n, 2);
	n = 4;
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 3);
	CHECK_EQ(edges_of(g), 2);
	n = 4;
	CU(cuGraphNodeGetDependencies(nodes[2], from, &n));
	CHECK_EQ(n, 2);
	run_once(g, f.s);
	CHECK_EQ(read_u64(f.p + 16), 1);
	CHECK_EQ(read_u64(f.p + 24), 1);
	CU(cuGraphDestroy(g));
}

static void add_two(void *data)
{
	*(int *)data += 2;
}

/* As libraries do that take part in a program's recording: a node of their own between those of the stream */
static void nodes_are_added_while_streams_are_recorded(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	int calls = 0;
	CUDA_HOST_NODE_PARAMS p = { add_two, &calls };
	const CUgraphNode *list;
	CUgraphNode a, host, d;
	CUgraph g, seen;
	CUgraphExec exec;
	size_t n;

	LAUNCH("increment", 1, f.s, f.p);
	list = ends(f.s, &seen, &n);
	CHECK_EQ(n, 1);
	a = list[0];
	CU(cuGraphAddHostNode(&host, seen, list, n, &p));
	CHECK(only_end(f.s) == a);
	CU(cuStreamUpdateCaptureDependencies(f.s, &host, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	CHECK(only_end(f.s) == host);
	CHECK(has_edge(seen, a, host));
	LAUNCH("increment", 1, f.s, f.p);
	d = only_end(f.s);
	/* what would take nodes away, or copy what is not whole, has to wait */
	FAILS(cuGraphDestroyNode(host), CUDA_ERROR_INVALID_VALUE, "cuStreamEndCapture()");
	FAILS(cuGraphDestroy(seen), CUDA_ERROR_INVALID_VALUE, "is being recorded");
	FAILS(cuGraphInstantiate(&exec, seen, 0), CUDA_ERROR_INVALID_VALUE, "is being recorded");
	FAILS(cuGraphClone(&g, seen), CUDA_ERROR_INVALID_VALUE, "is being recorded");
	CU(cuStreamEndCapture(f.s, &g));
	CHECK(g == seen);
	CHECK_EQ(edges_of(g), 2);
	CHECK(has_edge(g, a, host) && has_edge(g, host, d));
	run_once(g, f.s);
	CHECK_EQ(calls, 2);
	CHECK_EQ(read_u64(f.p), 2);
	CU(cuGraphDestroyNode(host));
	CHECK_EQ(edges_of(g), 0);
	CU(cuGraphDestroy(g));
}

/* Streams join each other without events, by nodes */
static void dependencies_join_streams(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
	const CUgraphEdgeData plain = { 0 }, port = { .from_port = 1 };
	CUgraphNode a, b, d, between;
	const CUgraphNode *list;
	CUgraph g;
	size_t n;

	LAUNCH("increment", 1, f.s, f.p);
	a = only_end(f.s);
	CU(cuEventRecord(f.e, f.s));
	CU(cuStreamWaitEvent(f.t, f.e, 0));
	LAUNCH("increment", 1, f.t, f.p + 8);
	b = only_end(f.t);
	CU(cuEventRecord(f.back, f.t));
	ends(f.s, &g, &n);
	/* an added node that is behind the other stream's one stands for it, too */
	CU(cuGraphAddEmptyNode(&between, g, &b, 1));
	CU(cuStreamUpdateCaptureDependencies_v2(f.s, &between, &plain, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
	CU(cuStreamUpdateCaptureDependencies(f.s, &between, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
	list = ends(f.s, NULL, &n);
	CHECK_EQ(n, 2);
	CHECK(list[0] == a && list[1] == between);
	LAUNCH("increment", 1, f.s, f.p + 16);
	d = only_end(f.s);
	FAILS(cuStreamUpdateCaptureDependencies(f.s, &d, 1, 2), CUDA_ERROR_INVALID_VALUE, "flags is 0x2");
	FAILS(cuStreamUpdateCaptureDependencies(f.s, NULL, 1, 0), CUDA_ERROR_INVALID_VALUE, "dependencies is NULL");
	FAILS(cuStreamUpdateCaptureDependencies_v2(f.s, &d, &port, 1, 0), CUDA_ERROR_NOT_SUPPORTED, "ports 1");
	CU(cuStreamEndCapture(f.s, &g));
	CHECK(has_edge(g, a, d) && has_edge(g, between, d) && has_edge(g, b, between) && has_edge(g, a, b));
	CHECK_EQ(edges_of(g), 4);
	FAILS(cuStreamUpdateCaptureDependencies(f.s, &d, 1, 0), CUDA_ERROR_ILLEGAL_STATE, "not being recorded");
	CU(cuStreamBeginCapture(f.s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(cuStreamUpdateCaptureDependencies(f.s, &d, 1, 0), CUDA_ERROR_INVALID_VALUE, "no node of the graph");
	CU(cuStreamEndCapture(f.s, &g));
	/* nothing joins the stream without that */
	CU(cuStreamBeginCapture(f.s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CU(cuEventRecord(f.e, f.s));
	CU(cuStreamWaitEvent(f.t, f.e, 0));
	LAUNCH("increment", 1, f.t, f.p);
	ends(f.s, &g, &n);
	FAILS(cuStreamEndCapture(f.s, &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "");
	CHECK(!g);
}

/* The graph of a recording that fails ends with that */
static void a_recording_that_fails_takes_its_graph_along(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
	CUstreamCaptureStatus status;
	CUgraphNode nodes[2];
	CUgraph g, seen;
	size_t n = 2;

	LAUNCH("increment", 1, f.s, f.p);
	ends(f.s, &seen, &n);
	FAILS(cuStreamSynchronize(f.s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "");
	CU(cuStreamGetCaptureInfo(f.s, &status, NULL, &g, NULL, NULL));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	FAILS(cuStreamEndCapture(f.s, &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "void");
	FAILS(cuGraphGetNodes(seen, nodes, &n), CUDA_ERROR_INVALID_VALUE, "no graph");
	/* and so does that of a stream which ends */
	CU(cuStreamBeginCapture(f.s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ends(f.s, &seen, &n);
	CU(cuStreamDestroy(f.s));
	n = 2;
	CHECK(cuGraphGetNodes(seen, nodes, &n) != CUDA_SUCCESS);
	CHECK(cuGraphDestroy(seen) != CUDA_SUCCESS);
	FAILS(cuGraphDestroy(seen), CUDA_ERROR_INVALID_VALUE, "no graph");
}

/* What is recorded becomes a part of a graph that there is */
static void a_graph_is_recorded_into(void)
{
	int calls = 0;
	CUDA_HOST_NODE_PARAMS p = { add_two, &calls };
	CUgraphNode host, last, nodes[8];
	CUgraph g, end;
	CUstream s, t;
	CUdeviceptr d;
	size_t n = 8;

	start();
	d = dev_alloc(64);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	op("increment");
	CU(cuGraphCreate(&g, 0));
	CU(cuGraphAddHostNode(&host, g, NULL, 0, &p));
	FAILS(cuStreamBeginCaptureToGraph(s, g, &host, NULL, 1, 9), CUDA_ERROR_INVALID_VALUE, "mode is 9");
	FAILS(cuStreamBeginCaptureToGraph(s, NULL, &host, NULL, 1, 0), CUDA_ERROR_INVALID_VALUE, "no graph");
	CU(cuStreamBeginCaptureToGraph(s, g, &host, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CHECK(only_end(s) == host);
	FAILS(cuStreamBeginCaptureToGraph(t, g, NULL, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE, "another stream");
	LAUNCH("increment", 1, s, d);
	last = only_end(s);
	CU(cuStreamEndCapture(s, &end));
	CHECK(end == g);
	CHECK(has_edge(g, host, last));
	run_once(g, s);
	/* once more, behind nothing; a failure leaves what there was */
	CU(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
	LAUNCH("increment", 1, s, d + 8);
	CU(cuStreamEndCapture(s, &end));
	CHECK_EQ(edges_of(g), 1);
	CU(cuStreamBeginCaptureToGraph(s, g, &last, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
	FAILS(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "");
	FAILS(cuStreamEndCapture(s, &end), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "");
	CU(cuGraphGetNodes(g, nodes, &n));
	CHECK_EQ(n, 3);
	run_once(g, s);
	CHECK_EQ(calls, 4);
	CHECK_EQ(read_u64(d), 2);
	CHECK_EQ(read_u64(d + 8), 1);
	CU(cuGraphDestroy(g));
}

/* A stream that joined is recorded, too: the legacy stream's order does not come between */
static void streams_that_join_are_recorded_whatever_the_legacy_stream_did(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_RELAXED);
	CUstream blocking = new_stream(0);
	CUgraph g;

	CU(cuMemsetD8Async(f.p, 0, 64, NULL));
	CU(cuEventRecord(f.e, f.s));
	CU(cuStreamWaitEvent(blocking, f.e, 0));
	FAILS(cuMemsetD8Async(f.p, 0, 8, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "legacy");
	LAUNCH("increment", 1, blocking, f.p);
	CU(cuEventRecord(f.back, blocking));
	CU(cuStreamWaitEvent(f.s, f.back, 0));
	CU(cuStreamEndCapture(f.s, &g));
	run_once(g, f.s);
	CHECK_EQ(read_u64(f.p), 1);
}

/* As cudaGraphs samples have it: memory of malloc() and of the stack is read and written in each execution, in its place */
static void pageable_memory_is_copied_in_recordings(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_GLOBAL);
	uint64_t *in = malloc(64), out = 0, rows[6] = { 0 };
	CUDA_MEMCPY2D two = { .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = f.p, .srcPitch = 16, .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = rows, .dstPitch = 24, .WidthInBytes = 8, .Height = 2 };
	CUgraphNode copy, kernel, back;
	CUgraphNodeType type;
	CUgraphExec e;
	CUgraph g;
	size_t n;

	in[0] = 5;
	in[2] = 70;
	CU(cuMemcpyHtoDAsync(f.p, in, 24, f.s));
	copy = only_end(f.s);
	LAUNCH("increment", 1, f.s, f.p);
	kernel = only_end(f.s);
	CU(cuMemcpyDtoHAsync(&out, f.p, 8, f.s));
	back = only_end(f.s);
	CU(cuMemcpy2DAsync(&two, f.s));
	CHECK_EQ(out, 0);
	CU(cuStreamEndCapture(f.s, &g));
	CU(cuGraphGetNodes(g, NULL, &n));
	CHECK_EQ(n, 4);
	CU(cuGraphNodeGetType(copy, &type));
	CHECK_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
	CHECK(has_edge(g, copy, kernel) && has_edge(g, kernel, back));
	CU(cuGraphInstantiate(&e, g, 0));
	CU(cuGraphDestroy(g));
	for (uint64_t i = 1; i <= 3; i++) {
		in[0] = 10 * i;
		CU(cuGraphLaunch(e, f.s));
		CU(cuStreamSynchronize(f.s));
		CHECK_EQ(out, 10 * i + 1);
		CHECK_EQ(rows[0], 10 * i + 1);
		CHECK_EQ(rows[3], 70);
		CHECK_EQ(rows[1] | rows[2] | rows[4], 0);
	}
	CU(cuGraphExecDestroy(e));
	free(in);
}

/* An event that a recorded launch triggers brings the stream that waits for it into the recording */
static void events_of_recorded_launches_join_streams(void)
{
	struct fork f = begin(CU_STREAM_CAPTURE_MODE_RELAXED);
	CUlaunchAttribute attr = { .id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT };
	CUlaunchConfig config = { 1, 1, 1, 1, 1, 1, 0, f.s, &attr, 1 };
	CUstreamCaptureStatus status;
	CUgraph g;

	attr.value.launchCompletionEvent.event = f.e;
	CU(cuLaunchKernelEx(&config, op("increment"), (void *[]){ &f.p }, NULL));
	CU(cuStreamWaitEvent(f.t, f.e, 0));
	CU(cuStreamIsCapturing(f.t, &status));
	CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	LAUNCH("increment", 1, f.t, f.p + 8);
	CU(cuEventRecord(f.back, f.t));
	CU(cuStreamWaitEvent(f.s, f.back, 0));
	CU(cuStreamEndCapture(f.s, &g));
	run_once(g, f.s);
	CHECK_EQ(read_u64(f.p + 8), 1);
}

TAP_MAIN(TEST(events_of_recorded_launches_join_streams), TEST(streams_that_join_make_branches), TEST(a_graph_that_was_not_looked_at_has_branches),
	 TEST(nodes_are_added_while_streams_are_recorded), TEST(dependencies_join_streams),
	 TEST(a_recording_that_fails_takes_its_graph_along), TEST(a_graph_is_recorded_into),
	 TEST(pageable_memory_is_copied_in_recordings),
	 TEST(streams_that_join_are_recorded_whatever_the_legacy_stream_did))
