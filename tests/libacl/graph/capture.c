// SPDX-License-Identifier: MIT
/* Recording several streams into one graph, by events; what is refused meanwhile, and for whom. */
#include <pthread.h>

#include "../acltest.h"

static void begin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	ACL(aclmdlRICaptureBegin(stream, mode));
}

static aclmdlRI end(aclrtStream stream)
{
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureEnd(stream, &graph));
	CHECK(graph);
	return graph;
}

/* The recording is void, and the stream as good as before */
static void no_graph(aclrtStream stream)
{
	aclmdlRICaptureStatus status;
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureGetInfo(stream, &status, NULL));
	CHECK_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
	FAILS(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	CHECK(!graph);
	ACL(aclrtSynchronizeStream(stream));
}

static aclrtEvent new_event(uint32_t flag)
{
	aclrtEvent event;

	ACL(aclrtCreateEventExWithFlag(&event, flag));
	return event;
}

static aclmdlRICaptureStatus status_of(aclrtStream stream)
{
	aclmdlRICaptureStatus status;

	ACL(aclmdlRICaptureGetInfo(stream, &status, NULL));
	return status;
}

/* a -> b -> c, and back: the order of events holds in every execution */
static void streams_join_by_events(void)
{
	aclrtStream a, b, c, exec;
	aclrtEvent e[4];
	uint64_t *w;
	aclmdlRI graph, ga, gb;

	start();
	a = new_stream();
	b = new_stream();
	c = new_stream();
	exec = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	for (int i = 0; i < 4; i++)
		e[i] = new_event(ACL_EVENT_SYNC);
	op("load_store");
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclrtRecordEvent(e[0], a));
	CHECK_EQ(status_of(b), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	ACL(aclrtStreamWaitEvent(b, e[0]));
	CHECK_EQ(status_of(b), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	ACL(aclmdlRICaptureGetInfo(a, &(aclmdlRICaptureStatus){ 0 }, &ga));
	ACL(aclmdlRICaptureGetInfo(b, &(aclmdlRICaptureStatus){ 0 }, &gb));
	CHECK(ga == gb);
	LAUNCH(op("load_store"), 1, b, U64(&w[1]), U64(&w[0]));
	ACL(aclrtRecordEvent(e[1], b));
	ACL(aclrtStreamWaitEvent(c, e[1]));
	LAUNCH(op("load_store"), 1, c, U64(&w[2]), U64(&w[1]));
	ACL(aclrtRecordEvent(e[2], c));
	ACL(aclrtStreamWaitEvent(b, e[2]));
	ACL(aclrtRecordEvent(e[3], b));
	ACL(aclrtStreamWaitEvent(a, e[3]));
	LAUNCH(op("load_store"), 1, a, U64(&w[3]), U64(&w[2]));
	FAILS(aclmdlRICaptureEnd(b, &graph), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "begun");
	graph = end(a);
	CHECK_EQ(status_of(b), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	CHECK_EQ(status_of(c), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
	CHECK_EQ(w[0], 0);
	for (uint64_t n = 1; n < 5; n++) {
		ACL(aclmdlRIExecuteAsync(graph, exec));
		ACL(aclrtSynchronizeStream(exec));
		for (int i = 0; i < 4; i++)
			CHECK_EQ(w[i], n);
	}
	/* streams and events are as good as before */
	LAUNCH(op("store"), 1, b, U64(&w[0]), 77);
	ACL(aclrtRecordEvent(e[0], b));
	ACL(aclrtStreamWaitEvent(c, e[0]));
	LAUNCH(op("load_store"), 1, c, U64(&w[5]), U64(&w[0]));
	ACL(aclrtSynchronizeStream(c));
	CHECK_EQ(w[5], 77);
	ACL(aclmdlRIDestroy(graph));
}

static void streams_that_do_not_come_back(void)
{
	aclrtStream a, b;
	aclrtEvent e, f;
	aclmdlRI graph = NULL;
	uint64_t *w;

	start();
	a = new_stream();
	b = new_stream();
	e = new_event(ACL_EVENT_SYNC);
	f = new_event(ACL_EVENT_SYNC);
	w = pinned_alloc(64);
	for (int how = 0; how < 3; how++) {
		begin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
		ACL(aclrtRecordEvent(e, a));
		ACL(aclrtStreamWaitEvent(b, e));
		LAUNCH(op("store"), 1, b, U64(w), 1);
		if (how)
			ACL(aclrtRecordEvent(f, b));
		if (how == 2) {
			ACL(aclrtStreamWaitEvent(a, f));
			LAUNCH(op("store"), 1, b, U64(w), 2); /* behind the way back */
		}
		FAILS(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_UNJOINED, "last task");
		CHECK(!graph);
		CHECK_EQ(status_of(b), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
		ACL(aclrtSynchronizeStream(b));
	}
}

static void events_of_other_places(void)
{
	aclrtStream a, b, c;
	aclrtEvent e, f;
	aclrtEventRecordedStatus status;

	start();
	a = new_stream();
	b = new_stream();
	c = new_stream();
	e = new_event(ACL_EVENT_SYNC);
	f = new_event(ACL_EVENT_SYNC);
	/* never recorded, or outside */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtStreamWaitEvent(a, e), ACL_ERROR_RT_CAPTURE_DEPENDENCY, "recorded");
	no_graph(a);
	ACL(aclrtRecordEvent(e, b));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtStreamWaitEvent(a, e), ACL_ERROR_RT_CAPTURE_DEPENDENCY, "recorded");
	no_graph(a);
	/* of another recording */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	begin(b, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEvent(e, a));
	FAILS(aclrtStreamWaitEvent(b, e), ACL_ERROR_STREAM_CAPTURE_CONFLICT, "another graph");
	FAILS(aclrtRecordEvent(e, b), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	no_graph(a);
	no_graph(b);
	/* the host can neither ask nor wait */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEvent(e, a));
	FAILS(aclrtRecordEvent(e, c), ACL_ERROR_RT_EVENT_CAPTURED, "end that");
	FAILS(aclrtQueryEventStatus(e, &status), ACL_ERROR_RT_EVENT_CAPTURED, "asked");
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEvent(f, a));
	FAILS(aclrtSynchronizeEvent(f), ACL_ERROR_RT_EVENT_CAPTURED, "waited");
	no_graph(a);
	/* the default stream cannot join */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEvent(e, a));
	FAILS(aclrtStreamWaitEvent(NULL, e), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "default");
	no_graph(a);
	/* plain events can be reset where they were recorded */
	ACL(aclrtCreateEvent(&f));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEvent(f, a));
	ACL(aclrtStreamWaitEvent(b, f));
	ACL(aclrtResetEvent(f, b));
	FAILS(aclrtResetEvent(f, b), ACL_ERROR_RT_CAPTURE_DEPENDENCY);
	no_graph(a);
	ACL(aclrtRecordEvent(f, a));
	ACL(aclrtSynchronizeEvent(f));
}

static void what_waits_is_refused(void)
{
	aclrtStreamStatus status;
	char pageable[64];
	aclrtStream a;
	void *dev;

	start();
	a = new_stream();
	dev = dev_alloc(64);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtSynchronizeStream(a), ACL_ERROR_RT_STREAM_CAPTURED, "wait");
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtStreamQuery(a, &status), ACL_ERROR_RT_STREAM_CAPTURED);
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_CAPTURED, "device");
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtMemcpyAsync(dev, 64, pageable, 64, ACL_MEMCPY_HOST_TO_DEVICE, a),
	      ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, "pinned");
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtMemcpy2dAsync(dev, 8, pageable, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE, a),
	      ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, "pinned");
	no_graph(a);
}

/* A call that no graph can do ends the recording and does nothing. */
static void what_no_graph_does(void)
{
	aclrtMemPoolProps props = { .allocType = ACL_MEM_ALLOCATION_TYPE_PINNED, .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	void **from, **to, *memory, *none = NULL;
	aclrtMemPool pool;
	aclrtStream a;

	start();
	a = new_stream();
	from = dev_alloc(8);
	to = dev_alloc(8);
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolMallocAsync(&memory, 4096, pool, a));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtMemPoolMallocAsync(&none, 4096, pool, a), ACL_ERROR_RT_STREAM_CAPTURED, "cannot be allocated");
	CHECK(!none);
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtMemPoolFreeAsync(memory, a), ACL_ERROR_RT_STREAM_CAPTURED, "cannot be freed");
	no_graph(a);
	ACL(aclrtMemset(memory, 4096, 0, 4096));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtMemcpyAsyncWithOffset(to, 8, 0, (const void **)from, 8, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, a),
	      ACL_ERROR_RT_STREAM_CAPTURED, "cannot be recorded");
	no_graph(a);
	/* outside of a recording all of that goes on */
	ACL(aclrtMemPoolFreeAsync(memory, a));
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtMemPoolDestroy(pool));
}

/* The modes decide about calls that are done at once */
static aclError unsafe(int which)
{
	static void *dev;
	char host[64] = { 0 };
	void *dsts[1], *srcs[1] = { host };
	size_t sizes[1] = { 64 }, index = 0, fail;
	aclrtMemcpyBatchAttr attr = { .dstLoc = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
				      .srcLoc = { 0, ACL_MEM_LOCATION_TYPE_HOST } };

	if (!dev)
		dev = dev_alloc(64);
	dsts[0] = dev;
	switch (which) {
	case 0:
		return aclrtMemcpy(dev, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
	case 1:
		return aclrtMemset(dev, 64, 0, 64);
	case 2:
		return aclrtMemcpy2d(dev, 8, host, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE);
	case 3:
		return aclrtMemsetD32(dev, 64, 0, 16);
	default:
		return aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 1, &attr, &index, 1, &fail);
	}
}

static aclmdlRICaptureMode exchange(aclmdlRICaptureMode mode)
{
	ACL(aclmdlRICaptureThreadExchangeMode(&mode));
	return mode;
}

static void *unsafe_elsewhere(void *code)
{
	ACL(aclrtSetDevice(0));
	CHECK_EQ(unsafe(0), *(aclError *)code);
	return NULL;
}

static void *relaxed_elsewhere(void *mode)
{
	ACL(aclrtSetDevice(0));
	exchange(*(aclmdlRICaptureMode *)mode);
	CHECK_EQ(unsafe(0), ACL_SUCCESS);
	return NULL;
}

static void unsafe_calls_by_mode(void)
{
	aclError fine = ACL_SUCCESS, not_now = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
	aclmdlRICaptureMode modes[] = { ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
					ACL_MODEL_RI_CAPTURE_MODE_RELAXED };
	aclrtStream a;

	start();
	a = new_stream();
	for (int i = 0; i < 5; i++)
		CHECK_EQ(unsafe(i), fine);
	for (int i = 0; i < 5; i++) {
		begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
		FAILS(unsafe(i), not_now, "aclmdlRICaptureThreadExchangeMode", "void");
		no_graph(a);
		begin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
		FAILS(unsafe(i), not_now, "RELAXED");
		no_graph(a);
		begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
		CHECK_EQ(unsafe(i), fine);
		end(a);
	}
	/* the thread that records switches for a while */
	for (int mode = 0; mode < 2; mode++) {
		begin(a, mode);
		CHECK_EQ(exchange(ACL_MODEL_RI_CAPTURE_MODE_RELAXED),
			 ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
		CHECK_EQ(unsafe(0), fine);
		CHECK_EQ(exchange(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
			 ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
		end(a);
	}
	/* THREAD_LOCAL is not enough for itself */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	exchange(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	CHECK_EQ(unsafe(0), not_now);
	exchange(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	no_graph(a);
	/* other threads */
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	in_thread(relaxed_elsewhere, &modes[0]);
	in_thread(relaxed_elsewhere, &modes[1]);
	CHECK_EQ(status_of(a), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	in_thread(unsafe_elsewhere, &not_now);
	no_graph(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	in_thread(unsafe_elsewhere, &fine);
	end(a);
	FAILS(aclmdlRICaptureThreadExchangeMode(NULL), ACL_ERROR_INVALID_PARAM, "mode");
	modes[0] = (aclmdlRICaptureMode)3;
	FAILS(aclmdlRICaptureThreadExchangeMode(&modes[0]), ACL_ERROR_INVALID_PARAM, "3");
}

static int calls;

static void count_call(void *word)
{
	calls++;
	*(volatile uint64_t *)word += 10;
}

/* A host function runs in each execution, in order with the tasks around it */
static void host_functions(void)
{
	aclrtStream a, other;
	uint64_t *w;
	aclmdlRI graph;

	start();
	a = new_stream();
	other = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	LAUNCH(op("increment"), 1, a, U64(w));
	ACL(aclrtLaunchHostFunc(a, count_call, w));
	LAUNCH(op("load_store"), 1, a, U64(&w[1]), U64(w));
	ACL(aclrtLaunchHostFunc(a, count_call, w));
	graph = end(a);
	CHECK_EQ(calls, 0);
	for (uint64_t n = 1; n < 20; n++) {
		ACL(aclmdlRIExecuteAsync(graph, n & 1 ? a : other));
		if (n % 3)
			continue;
		ACL(aclrtSynchronizeStream(a));
		ACL(aclrtSynchronizeStream(other));
		CHECK_EQ(calls, 2 * n);
		CHECK_EQ(w[0], 21 * n);
		CHECK_EQ(w[1], 21 * n - 10);
	}
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(calls, 38);
	ACL(aclmdlRIDestroy(graph));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	FAILS(aclrtLaunchCallback(count_call, w, ACL_CALLBACK_BLOCK, a),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtLaunchCallback");
	no_graph(a);
}

static void notifies(void)
{
	aclrtStream a, b;
	aclrtNotify n;
	aclrtCntNotify c;
	aclrtCntNotifyRecordInfo add = { ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1 };
	uint64_t *w;
	aclmdlRI graph;

	start();
	a = new_stream();
	b = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	ACL(aclrtCreateNotify(&n, 0));
	ACL(aclrtCntNotifyCreate(&c, 0));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	ACL(aclrtWaitAndResetNotify(n, a, 0));
	LAUNCH(op("increment"), 1, a, U64(w));
	ACL(aclrtCntNotifyRecord(c, a, &add));
	graph = end(a);
	for (uint64_t i = 1; i < 5; i++) {
		aclrtCntNotifyWaitInfo info = { .mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE,
						.value = (uint32_t)i };

		ACL(aclmdlRIExecuteAsync(graph, a));
		ACL(aclrtRecordNotify(n, b));
		ACL(aclrtCntNotifyWaitWithTimeout(c, b, &info));
		ACL(aclrtSynchronizeStream(b));
		CHECK_EQ(w[0], i);
	}
	ACL(aclrtSynchronizeStream(a));
}

/* An event that a graph waits for, and one that it records, each execution anew */
static void events_outside_of_graphs(void)
{
	aclrtStream a, b, exec;
	aclrtEvent e, f, timed, progress;
	uint64_t *w, *gate;
	aclmdlRI waits, records;

	start();
	a = new_stream();
	b = new_stream();
	exec = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	e = new_event(ACL_EVENT_SYNC);
	f = new_event(ACL_EVENT_SYNC);
	timed = new_event(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	progress = new_event(ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtStreamWaitEventWithFlag(a, e, 0, ACL_EVENT_WAIT_EXTERNAL));
	LAUNCH(op("load_store"), 1, a, U64(&w[1]), U64(&w[0]));
	waits = end(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	LAUNCH(op("increment"), 1, a, U64(&w[2]));
	ACL(aclrtRecordEventWithFlag(f, a, ACL_EVENT_RECORD_EXTERNAL));
	records = end(a);
	for (uint64_t i = 1; i < 10; i++) {
		/* the execution waits for the record that was called for before */
		LAUNCH(op("store"), 1, b, U64(&w[0]), i);
		ACL(aclrtRecordEvent(e, b));
		ACL(aclmdlRIExecuteAsync(waits, exec));
		ACL(aclrtSynchronizeStream(exec));
		CHECK_EQ(w[1], i);
		/* others wait for the record of the execution that was called for before */
		ACL(aclmdlRIExecuteAsync(records, i & 1 ? a : exec));
		ACL(aclrtStreamWaitEvent(b, f));
		LAUNCH(op("load_store"), 1, b, U64(&w[3]), U64(&w[2]));
		ACL(aclrtSynchronizeEvent(f));
		ACL(aclrtSynchronizeStream(b));
		CHECK_EQ(w[3], i);
	}
	/* a graph has the event's place: a record that is overtaken by another one moves nothing */
	gate = close_host_gate(a);
	ACL(aclrtRecordEvent(e, a));
	ACL(aclrtRecordEvent(e, b));
	ACL(aclmdlRIExecuteAsync(waits, exec));
	ACL(aclrtSynchronizeStreamWithTimeout(exec, 30000));
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(a));
	FAILS(aclrtRecordEventWithFlag(f, b, ACL_EVENT_RECORD_EXTERNAL),
	      ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclrtStreamWaitEventWithFlag(b, f, 0, ACL_EVENT_WAIT_EXTERNAL),
	      ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclrtRecordEventWithFlag(f, b, 2), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtStreamWaitEventWithFlag(b, f, 0, 2), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtStreamWaitEventWithFlag(b, f, 1, ACL_EVENT_WAIT_EXTERNAL),
	      ACL_ERROR_INVALID_PARAM, "timeout");
	ACL(aclrtRecordEventWithFlag(timed, b, ACL_EVENT_RECORD_DEFAULT));
	ACL(aclrtStreamWaitEventWithFlag(a, timed, 5, ACL_EVENT_WAIT_DEFAULT));
	ACL(aclrtSynchronizeStream(a));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	FAILS(aclrtRecordEventWithFlag(progress, a, ACL_EVENT_RECORD_EXTERNAL),
	      ACL_ERROR_INVALID_PARAM, "ACL_EVENT_TIME_LINE");
	ACL(aclrtStreamWaitEventWithFlag(a, e, 0, ACL_EVENT_WAIT_EXTERNAL));
	FAILS(aclrtRecordEventWithFlag(e, a, ACL_EVENT_RECORD_EXTERNAL),
	      ACL_ERROR_STREAM_CAPTURE_CONFLICT, "same graph");
	no_graph(a);
}

/* Each execution gives them the time anew */
static void graphs_record_times(void)
{
	aclrtEvent from, to;
	uint64_t first, second, *w;
	aclmdlRI graph;
	aclrtStream a;
	float ms = -1;

	start();
	a = new_stream();
	w = pinned_alloc(64);
	from = new_event(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	to = new_event(ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	ACL(aclrtRecordEventWithFlag(from, a, ACL_EVENT_RECORD_EXTERNAL));
	LAUNCH(op("increment"), 1, a, U64(w));
	ACL(aclrtRecordEventWithFlag(to, a, ACL_EVENT_RECORD_EXTERNAL));
	graph = end(a);
	ACL(aclmdlRIExecuteAsync(graph, a));
	ACL(aclrtSynchronizeEvent(to));
	ACL(aclrtEventGetTimestamp(from, &first));
	ACL(aclrtEventElapsedTime(&ms, from, to));
	CHECK_OP(ms, >=, 0);
	usleep(2000);
	ACL(aclmdlRIExecuteAsync(graph, a));
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtEventGetTimestamp(from, &second));
	CHECK_OP(second, >=, first + 1000);
	ACL(aclrtEventElapsedTime(&ms, from, to));
	CHECK_OP(ms, >=, 0);
	ACL(aclmdlRIDestroy(graph));
}

/* Streams that join the recording are waited for from their first task on. */
static void first_tasks_of_joined_streams(void)
{
	aclrtStream s[4], exec;
	aclrtEvent e[4];
	uint64_t *gate, *w;
	aclmdlRI graph;

	start();
	op("store");
	exec = new_stream();
	gate = pinned_alloc(4 * 8);
	w = pinned_alloc(64);
	memset(w, 0, 64);
	for (int i = 0; i < 4; i++) {
		s[i] = new_stream();
		e[i] = new_event(ACL_EVENT_SYNC);
	}
	begin(s[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	ACL(aclrtRecordEvent(e[0], s[0]));
	for (int i = 1; i < 4; i++) {
		ACL(aclrtStreamWaitEvent(s[i], e[0]));
		ACL(aclrtValueWait(&gate[i], 1, ACL_STREAM_WAIT_VALUE_EQ, s[i]));
		ACL(aclrtRecordEvent(e[i], s[i]));
	}
	for (int i = 1; i < 4; i++) {
		ACL(aclrtStreamWaitEvent(s[0], e[i]));
		LAUNCH(op("store"), 1, s[0], U64(&w[i]), 7);
	}
	graph = end(s[0]);
	for (int round = 0; round < 2; round++) {
		memset(gate, 0, 4 * 8);
		memset(w, 0, 64);
		ACL(aclmdlRIExecuteAsync(graph, exec));
		for (int i = 1; i < 4; i++) {
			FAILS(aclrtSynchronizeStreamWithTimeout(exec, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
			CHECK_EQ(__atomic_load_n(&w[i], __ATOMIC_ACQUIRE), 0);
			__atomic_store_n(&gate[i], 1, __ATOMIC_RELEASE);
			/* the device looks again */
			ACL(aclrtValueWrite(&gate[i], 1, 0, s[0]));
		}
		ACL(aclrtSynchronizeStream(exec));
		CHECK(w[1] == 7 && w[2] == 7 && w[3] == 7);
	}
}

/* ACL_EVENT_EXTERNAL: set, waited for and reset, in graphs as elsewhere */
static void external_events(void)
{
	aclrtEventRecordedStatus status;
	aclmdlRI graph, reset;
	aclrtStream a, b;
	aclrtEvent e;
	uint64_t *w;

	start();
	a = new_stream();
	b = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	ACL(aclrtCreateEventWithFlag(&e, ACL_EVENT_EXTERNAL));
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	ACL(aclrtStreamWaitEvent(a, e));
	ACL(aclrtResetEvent(e, a));
	LAUNCH(op("load_store"), 1, a, U64(&w[1]), U64(&w[0]));
	graph = end(a);
	for (uint64_t i = 1; i < 5; i++) {
		ACL(aclmdlRIExecuteAsync(graph, a));
		LAUNCH(op("store"), 1, b, U64(&w[0]), i);
		ACL(aclrtRecordEvent(e, b));
		ACL(aclrtSynchronizeStream(a));
		CHECK_EQ(w[1], i);
	}
	ACL(aclrtStreamWaitEvent(a, e));
	ACL(aclrtRecordEvent(e, b));
	ACL(aclrtSynchronizeEvent(e));
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtResetEvent(e, a));
	ACL(aclrtSynchronizeStream(a));
	/* the host knows of a record that a graph makes, too */
	ACL(aclrtQueryEventStatus(e, &status));
	CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	ACL(aclrtRecordEvent(e, a));
	graph = end(a);
	begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	ACL(aclrtResetEvent(e, a));
	reset = end(a);
	for (int i = 0; i < 4; i++) {
		/* recorded by the graph, or by the host, and reset by a graph */
		if (i & 1)
			ACL(aclrtRecordEvent(e, b));
		else
			ACL(aclmdlRIExecuteAsync(graph, a));
		ACL(aclrtSynchronizeEvent(e));
		ACL(aclrtQueryEventStatus(e, &status));
		CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
		ACL(aclmdlRIExecuteAsync(reset, a));
		ACL(aclrtSynchronizeStream(a));
		ACL(aclrtQueryEventStatus(e, &status));
		CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	}
}

/* Streams and events that end in the middle of it all */
static void what_ends_in_between(void)
{
	aclrtStream a, b;
	aclrtEvent e;

	start();
	for (int i = 0; i < 4; i++) {
		a = new_stream();
		b = new_stream();
		e = new_event(ACL_EVENT_SYNC);
		begin(a, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
		ACL(aclrtRecordEvent(e, a));
		ACL(aclrtStreamWaitEvent(b, e));
		if (i == 0) {
			ACL(aclrtDestroyStream(b));
			no_graph(a);
		} else if (i == 1) {
			ACL(aclrtDestroyStream(a));
			ACL(aclrtSynchronizeStream(b));
		} else if (i == 2) {
			ACL(aclrtDestroyEvent(e));
		}
		/* what is left ends with the device */
	}
	ACL(aclrtResetDeviceForce(0));
	ACL(aclFinalize());
}

static aclrtStream from[4];
static uint64_t *sums;

static void *record_one(void *which)
{
	aclrtStream stream = from[*(int *)which];
	uint64_t *word = &sums[*(int *)which];
	aclmdlRI graph;

	ACL(aclrtSetDevice(0));
	for (int round = 0; round < 20; round++) {
		begin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
		for (int i = 0; i < 10; i++)
			LAUNCH(op("increment"), 1, stream, U64(word));
		graph = end(stream);
		ACL(aclmdlRIExecuteAsync(graph, stream));
		ACL(aclrtSynchronizeStream(stream));
		ACL(aclmdlRIDestroy(graph));
	}
	return NULL;
}

static void threads_that_record(void)
{
	pthread_t threads[4];
	int which[4];

	start();
	sums = pinned_alloc(64);
	memset(sums, 0, 64);
	op("increment");
	for (int i = 0; i < 4; i++) {
		from[i] = new_stream();
		which[i] = i;
	}
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, record_one, &which[i]));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(sums[i], 200);
}

TAP_MAIN(TEST(streams_join_by_events),
	 TEST(streams_that_do_not_come_back),
	 TEST(events_of_other_places),
	 TEST(what_waits_is_refused),
	 TEST(what_no_graph_does),
	 TEST(unsafe_calls_by_mode),
	 TEST(host_functions),
	 TEST(notifies),
	 TEST(events_outside_of_graphs),
	 TEST(graphs_record_times),
	 TEST(external_events),
	 TEST(first_tasks_of_joined_streams),
	 TEST(what_ends_in_between),
	 TEST(threads_that_record))
