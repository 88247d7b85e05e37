// SPDX-License-Identifier: MIT
/* Recording a stream into a graph, and running that. */
#include "../acltest.h"

static aclmdlRI record(aclrtStream stream)
{
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	return NULL;
}

static aclmdlRI end(aclrtStream stream)
{
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureEnd(stream, &graph));
	CHECK(graph);
	return graph;
}

static void runs_as_often_as_wanted(void)
{
	aclrtStream stream, other;
	aclmdlRI graph;
	uint64_t *words;

	start();
	stream = new_stream();
	other = new_stream();
	words = pinned_alloc(4096);
	memset(words, 0, 4096);
	record(stream);
	for (int i = 0; i < 100; i++)
		LAUNCH(op("increment"), 1, stream, U64(&words[i % 10]));
	graph = end(stream);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(words[0], 0);
	for (int i = 0; i < 50; i++)
		ACL(aclmdlRIExecuteAsync(graph, i & 1 ? stream : other));
	ACL(aclrtSynchronizeStream(other));
	ACL(aclrtSynchronizeStream(stream));
	/* two streams at a time add without atomicity: run the rest in one */
	memset(words, 0, 4096);
	for (int i = 0; i < 30; i++)
		ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	for (int i = 0; i < 10; i++)
		CHECK_EQ(words[i], 300);
	ACL(aclmdlRIExecute(graph, -1));
	CHECK_EQ(words[0], 310);
	/* the stream works as before, in order with the graph */
	LAUNCH(op("store"), 1, stream, U64(&words[0]), 5);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	LAUNCH(op("load_store"), 1, stream, U64(&words[100]), U64(&words[0]));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(words[100], 15);
	ACL(aclmdlRIDestroy(graph));
	FAILS(aclmdlRIDestroy(graph), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclmdlRIExecuteAsync(graph, stream), ACL_ERROR_RT_INVALID_HANDLE);
}

/* Copies read their memory when the graph runs; arguments of kernels are those of the recording */
static void all_kinds_of_tasks(void)
{
	enum { SIZE = 100000 };
	char *in, *out, *dev, *back;
	uint64_t args[2], *word;
	aclrtStream stream;
	aclmdlRI graph;

	start();
	stream = new_stream();
	in = pinned_alloc(SIZE);
	out = pinned_alloc(SIZE);
	dev = dev_alloc(SIZE);
	back = dev_alloc(SIZE);
	word = dev_alloc(64);
	op("store");
	record(stream);
	ACL(aclrtMemcpyAsync(dev, SIZE, in, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	ACL(aclrtMemcpyAsync(back, SIZE, dev, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	ACL(aclrtMemsetAsync(back, SIZE, 0x5a, 16, stream));
	args[0] = U64(back + 8);
	args[1] = 4711;
	ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, stream, NULL, args, sizeof(args), NULL,
					  0));
	args[1] = 0;
	ACL(aclrtValueWrite(word, 9, 0, stream));
	ACL(aclrtValueWait(word, 9, ACL_STREAM_WAIT_VALUE_EQ, stream));
	ACL(aclrtMemcpyAsync(out, SIZE, back, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	graph = end(stream);
	for (unsigned int seed = 1; seed < 5; seed++) {
		fill_pattern(in, SIZE, seed);
		memset(out, 0, SIZE);
		write_u64(word, 0);
		ACL(aclmdlRIExecuteAsync(graph, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(((uint64_t *)out)[0], 0x5a5a5a5a5a5a5a5a);
		CHECK_EQ(((uint64_t *)out)[1], 4711);
		CHECK_EQ(read_u64(word), 9);
		CHECK(!memcmp(out + 16, in + 16, SIZE - 16));
	}
}

static void large_graphs(void)
{
	enum { N = 20000 };
	aclrtStream stream;
	aclmdlRI graph;
	uint64_t *word;
	size_t before;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	op("increment");
	before = free_hbm();
	for (int round = 0; round < 3; round++) {
		record(stream);
		for (int i = 0; i < N; i++)
			LAUNCH(op("increment"), 1, stream, U64(word));
		graph = end(stream);
		ACL(aclmdlRIExecuteAsync(graph, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(*word, (uint64_t)N * (round + 1));
		ACL(aclmdlRIDestroy(graph));
	}
	UNTIL(free_hbm() + (4 << 20) >= before);
	CHECK_OP(free_hbm() + (4 << 20), >=, before);
}

static void an_empty_graph(void)
{
	aclrtStream stream;
	aclmdlRI graph;

	start();
	stream = new_stream();
	record(stream);
	graph = end(stream);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclmdlRIDestroy(graph));
}

static void failures_of_its_tasks(void)
{
	aclrtStream stream;
	aclmdlRI graph;
	uint64_t *word;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	record(stream);
	LAUNCH(op("trap"), 1, stream, 0);
	LAUNCH(op("store"), 1, stream, U64(word), 3);
	graph = end(stream);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "trap", "stale");
	CHECK_EQ(*word, 3);
}

static void a_running_graph_is_not_destroyed(void)
{
	aclrtStream stream;
	aclmdlRI graph;
	uint64_t *go;

	start();
	stream = new_stream();
	go = pinned_alloc(8);
	*go = 0;
	record(stream);
	LAUNCH(op("wait_for_word"), 1, stream, U64(go));
	graph = end(stream);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	FAILS(aclmdlRIDestroy(graph), ACL_ERROR_RT_MODEL_RUNNING, "synchronise");
	*(volatile uint64_t *)go = 1;
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclmdlRIDestroy(graph));
}

static void status_and_errors(void)
{
	aclmdlRICaptureStatus status;
	aclmdlRI graph = NULL, seen;
	aclrtStream stream;

	start();
	stream = new_stream();
	ACL(aclmdlRICaptureGetInfo(stream, &status, &seen));
	CHECK_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	CHECK(!seen);
	FAILS(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclmdlRICaptureBegin(NULL, 0), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "default");
	FAILS(aclmdlRICaptureBegin(stream, (aclmdlRICaptureMode)3), ACL_ERROR_INVALID_PARAM, "3");
	record(stream);
	FAILS(aclmdlRICaptureBegin(stream, 0), ACL_ERROR_RT_STREAM_CAPTURED, "already");
	ACL(aclmdlRICaptureGetInfo(stream, &status, &seen));
	CHECK_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	CHECK(seen);
	FAILS(aclmdlRIExecuteAsync(seen, NULL), ACL_ERROR_RT_MODEL_CAPTURED);
	FAILS(aclmdlRIDestroy(seen), ACL_ERROR_RT_MODEL_CAPTURED);
	FAILS(aclmdlRICaptureEnd(stream, NULL), ACL_ERROR_INVALID_PARAM, "modelRI");
	graph = end(stream);
	CHECK(graph == seen);
	FAILS(aclmdlRICaptureGetInfo(stream, NULL, &seen), ACL_ERROR_INVALID_PARAM);
	FAILS(aclmdlRIExecuteAsync(NULL, stream), ACL_ERROR_INVALID_PARAM);
	FAILS(aclmdlRIExecuteAsync(stream, stream), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRIDestroy(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclmdlRIExecute(graph, 0), ACL_ERROR_INVALID_PARAM);
	ACL(aclmdlRIDestroy(graph));
}

/* A call that cannot be recorded fails at once, and makes no graph */
static void void_recordings(void)
{
	aclmdlRICaptureStatus status;
	aclmdlRI graph = NULL, other;
	aclrtStream stream;

	start();
	stream = new_stream();
	record(stream);
	LAUNCH(op("store"), 1, stream, U64(dev_alloc(8)), 1);
	other = end(stream);
	record(stream);
	FAILS(aclmdlRIExecuteAsync(other, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "graph");
	ACL(aclmdlRICaptureGetInfo(stream, &status, NULL));
	CHECK_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
	FAILS(aclrtMemsetAsync(dev_alloc(8), 8, 0, 8, stream),
	      ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "void");
	FAILS(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	CHECK(!graph);
	ACL(aclmdlRIExecuteAsync(other, stream));
	ACL(aclrtSynchronizeStream(stream));
}

static aclrtStream shared;

static void *end_elsewhere(void *relaxed)
{
	aclmdlRI graph = NULL;

	ACL(aclrtSetDevice(0));
	if (relaxed)
		ACL(aclmdlRICaptureEnd(shared, &graph));
	else
		FAILS(aclmdlRICaptureEnd(shared, &graph), ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
	return NULL;
}

static void threads(void)
{
	start();
	shared = new_stream();
	ACL(aclmdlRICaptureBegin(shared, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	in_thread(end_elsewhere, NULL);
	end(shared);
	ACL(aclmdlRICaptureBegin(shared, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	in_thread(end_elsewhere, &shared);
}

static void names_and_numbers(void)
{
	char name[600], small[4];
	aclmdlRI a, b;
	aclrtStream stream;
	uint32_t x, y;

	start();
	stream = new_stream();
	record(stream);
	a = end(stream);
	record(stream);
	b = end(stream);
	ACL(aclmdlRIGetId(a, &x));
	ACL(aclmdlRIGetId(b, &y));
	CHECK(x != y);
	ACL(aclmdlRIGetName(a, sizeof(name), name));
	CHECK(!*name);
	ACL(aclmdlRISetName(a, "first"));
	ACL(aclmdlRISetName(a, "second"));
	ACL(aclmdlRIGetName(a, sizeof(name), name));
	CHECK(!strcmp(name, "second"));
	ACL(aclmdlRIGetName(a, sizeof(small), small));
	CHECK(!strcmp(small, "sec"));
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	ACL(aclmdlRISetName(a, name));
	ACL(aclmdlRIGetName(a, sizeof(name), name));
	CHECK_EQ(strlen(name), 511);
	FAILS(aclmdlRIGetId(NULL, &x), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIGetId(a, NULL), ACL_ERROR_INVALID_PARAM, "modelRIId");
	FAILS(aclmdlRIGetId(stream, &x), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRISetName(a, NULL), ACL_ERROR_INVALID_PARAM, "name");
	FAILS(aclmdlRISetName(stream, "x"), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRIGetName(a, 0, name), ACL_ERROR_INVALID_PARAM, "maxLen");
	FAILS(aclmdlRIGetName(a, 1, NULL), ACL_ERROR_INVALID_PARAM, "name");
	FAILS(aclmdlRIGetName(stream, 1, name), ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

static int called;

static void count(void *by)
{
	called = called * 10 + *(int *)by;
}

static void callbacks_at_destruction(void)
{
	static int one = 1, two = 2;
	aclrtStream stream;
	aclmdlRI graph;

	start();
	stream = new_stream();
	record(stream);
	graph = end(stream);
	ACL(aclmdlRIDestroyRegisterCallback(graph, count, &one));
	ACL(aclmdlRIDestroyRegisterCallback(graph, count, &two));
	ACL(aclmdlRIDestroyUnregisterCallback(graph, count));
	FAILS(aclmdlRIDestroyUnregisterCallback(graph, (aclrtCallback)free), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclmdlRIDestroyRegisterCallback(graph, NULL, NULL), ACL_ERROR_INVALID_PARAM, "func");
	FAILS(aclmdlRIDestroyRegisterCallback(NULL, count, NULL), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIDestroyRegisterCallback(stream, count, NULL), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclmdlRIDestroyUnregisterCallback(stream, count), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclmdlRIDestroyUnregisterCallback(graph, NULL), ACL_ERROR_INVALID_PARAM, "func");
	CHECK_EQ(called, 0);
	ACL(aclmdlRIDestroy(graph));
	CHECK_EQ(called, 2);
}

/* An execution that would never end is ended, and the graph is as good as before */
static void abort_ends_executions(void)
{
	aclrtStream stream;
	aclmdlRI graph;
	uint64_t *words;

	start();
	stream = new_stream();
	words = pinned_alloc(64);
	memset(words, 0, 64);
	record(stream);
	LAUNCH(op("wait_for_word"), 1, stream, U64(&words[0]));
	LAUNCH(op("increment"), 1, stream, U64(&words[1]));
	graph = end(stream);
	ACL(aclmdlRIAbort(graph));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclmdlRIAbort(graph));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(words[1], 0);
	*(volatile uint64_t *)words = 1;
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(words[1], 1);
	FAILS(aclmdlRIAbort(NULL), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIAbort(stream), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	ACL(aclmdlRIDestroy(graph));
}

static void destroying_streams_and_devices(void)
{
	aclrtStream stream, other;
	aclmdlRI graph, half;

	start();
	stream = new_stream();
	other = new_stream();
	record(stream);
	LAUNCH(op("store"), 1, stream, U64(dev_alloc(8)), 1);
	graph = end(stream);
	record(other);
	ACL(aclmdlRICaptureGetInfo(other, &(aclmdlRICaptureStatus){ 0 }, &half));
	ACL(aclrtDestroyStream(other));
	FAILS(aclmdlRIDestroy(half), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtDestroyStream(stream));
	ACL(aclmdlRIExecuteAsync(graph, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	record(new_stream());
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	FAILS(aclmdlRIExecuteAsync(graph, NULL), ACL_ERROR_RT_INVALID_HANDLE);
}

/* The second launch's arguments are aligned, and leave the first one's alone, whatever its size */
static void arguments_of_odd_sizes(void)
{
	static const size_t sizes[] = { 17, 20, 23, 31, 60, 65 };
	uint64_t args[2][12] = { 0 };
	aclrtStream stream;
	aclmdlRI graph;
	uint64_t *out;

	start();
	stream = new_stream();
	out = dev_alloc(2 * sizeof(*out));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ACL(aclrtMemset(out, 16, 0, 16));
		ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		for (int n = 0; n < 2; n++) {
			args[n][0] = U64(&out[n]);
			args[n][1] = 0x1122334455667788 + i + n;
			ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, stream, NULL, args[n],
							  n ? 16 : sizes[i], NULL, 0));
		}
		ACL(aclmdlRICaptureEnd(stream, &graph));
		ACL(aclmdlRIExecuteAsync(graph, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(read_u64(&out[0]), args[0][1]);
		CHECK_EQ(read_u64(&out[1]), args[1][1]);
		ACL(aclmdlRIDestroy(graph));
	}
}

TAP_MAIN(TEST(arguments_of_odd_sizes), TEST(runs_as_often_as_wanted),
	 TEST(all_kinds_of_tasks),
	 TEST(large_graphs),
	 TEST(an_empty_graph),
	 TEST(failures_of_its_tasks),
	 TEST(a_running_graph_is_not_destroyed),
	 TEST(status_and_errors),
	 TEST(void_recordings),
	 TEST(threads),
	 TEST(names_and_numbers),
	 TEST(callbacks_at_destruction),
	 TEST(abort_ends_executions),
	 TEST(destroying_streams_and_devices))
