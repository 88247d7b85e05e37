// SPDX-License-Identifier: MIT
/* Graphs that are built by hand, streams that start each other, labels, and conditional tasks. */
#include "../acltest.h"

static aclrtStream persistent(void)
{
	aclrtStream stream;

	ACL(aclrtCreateStreamWithConfig(&stream, 2, ACL_STREAM_PERSISTENT));
	return stream;
}

static aclmdlRI build(void)
{
	aclmdlRI graph;

	ACL(aclmdlRIBuildBegin(&graph, 0));
	return graph;
}

static aclrtStream head(aclmdlRI graph)
{
	aclrtStream stream = persistent();

	ACL(aclmdlRIBindStream(graph, stream, ACL_MODEL_STREAM_FLAG_HEAD));
	return stream;
}

static aclrtStream other(aclmdlRI graph)
{
	aclrtStream stream = persistent();

	ACL(aclmdlRIBindStream(graph, stream, ACL_MODEL_STREAM_FLAG_DEFAULT));
	return stream;
}

static void run(aclmdlRI graph, aclrtStream stream)
{
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
}

static uint64_t *words(void)
{
	uint64_t *w = pinned_alloc(4096);

	memset(w, 0, 4096);
	return w;
}

static void a_graph_of_two_streams(void)
{
	aclrtStream a, b, exec, streams[2];
	aclrtStreamStatus status;
	aclmdlRI graph;
	uint32_t n = 2;
	aclrtEvent e;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	graph = build();
	a = head(graph);
	b = head(graph);
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclrtRecordEvent(e, a));
	ACL(aclrtStreamWaitEvent(b, e));
	LAUNCH(op("load_store"), 1, b, U64(&w[1]), U64(&w[0]));
	/* nothing to wait for: the tasks are the graph's */
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtStreamQuery(a, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_COMPLETE);
	FAILS(aclmdlRIExecuteAsync(graph, exec), ACL_ERROR_RT_MODEL_CAPTURED, "built");
	ACL(aclmdlRIEndTask(graph, a));
	FAILS(aclrtMemsetAsync(w, 8, 0, 8, a), ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIEndTask");
	FAILS(aclmdlRIEndTask(graph, a), ACL_ERROR_RT_STREAM_MODEL);
	ACL(aclmdlRIEndTask(graph, b));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	FAILS(aclmdlRIBuildEnd(graph, NULL), ACL_ERROR_RT_STREAM_MODEL, "already");
	ACL(aclmdlRIGetStreams(graph, streams, &n));
	CHECK(n == 2 && streams[0] == a && streams[1] == b);
	ACL(aclmdlRIGetTasksByStream(a, NULL, &n));
	CHECK_EQ(n, 3);
	for (uint64_t i = 1; i < 5; i++) {
		run(graph, exec);
		CHECK_EQ(w[1], i);
	}
	ACL(aclmdlRIExecute(graph, -1));
	CHECK_EQ(w[1], 5);
	/* tasks anew */
	ACL(aclrtPersistentTaskClean(b));
	FAILS(aclmdlRIExecuteAsync(graph, exec), ACL_ERROR_RT_MODEL_CAPTURED);
	LAUNCH(op("store"), 1, b, U64(&w[2]), 7);
	ACL(aclmdlRIEndTask(graph, b));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	run(graph, exec);
	CHECK_EQ(w[0], 6);
	CHECK_EQ(w[1], 5);
	CHECK_EQ(w[2], 7);
	ACL(aclmdlRIUnbindStream(graph, a));
	FAILS(aclmdlRIUnbindStream(graph, a), ACL_ERROR_RT_STREAM_MODEL, "not bound");
	ACL(aclmdlRIDestroy(graph));
	/* unbound by the graph's end */
	graph = build();
	ACL(aclmdlRIBindStream(graph, b, ACL_MODEL_STREAM_FLAG_HEAD));
	ACL(aclrtDestroyStream(b));
	ACL(aclmdlRIDestroy(graph));
}

static void what_building_refuses(void)
{
	aclrtStream plain, a;
	aclmdlRI graph, second, recorded = NULL;
	uint64_t *w;

	start();
	plain = new_stream();
	w = words();
	FAILS(aclmdlRIBuildBegin(NULL, 0), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIBuildBegin(&graph, 1), ACL_ERROR_INVALID_PARAM, "flag");
	graph = build();
	second = build();
	a = persistent();
	FAILS(aclrtMemsetAsync(w, 8, 0, 8, a), ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIBindStream");
	FAILS(aclmdlRICaptureBegin(a, 0), ACL_ERROR_RT_STREAM_CAPTURED);
	ACL(aclrtPersistentTaskClean(a));
	FAILS(aclrtPersistentTaskClean(plain), ACL_ERROR_RT_PARAM_INVALID, "PERSISTENT");
	FAILS(aclrtPersistentTaskClean(NULL), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclmdlRIBindStream(graph, NULL, 0), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclmdlRIBindStream(NULL, a, 0), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIBindStream(a, a, 0), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRIBindStream(graph, a, 1), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclmdlRIBindStream(graph, plain, 0), ACL_ERROR_RT_PARAM_INVALID, "PERSISTENT");
	ACL(aclmdlRIBindStream(graph, a, ACL_MODEL_STREAM_FLAG_DEFAULT));
	FAILS(aclmdlRIBindStream(second, a, 0), ACL_ERROR_RT_STREAM_MODEL, "bound");
	FAILS(aclmdlRIEndTask(second, a), ACL_ERROR_RT_STREAM_MODEL, "another");
	FAILS(aclmdlRIEndTask(graph, NULL), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclmdlRIEndTask(graph, plain), ACL_ERROR_RT_STREAM_MODEL);
	FAILS(aclmdlRIBuildEnd(graph, w), ACL_ERROR_INVALID_PARAM, "reserve");
	FAILS(aclmdlRIBuildEnd(NULL, NULL), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIBuildEnd(graph, NULL), ACL_ERROR_RT_STREAM_MODEL, "HEAD");
	FAILS(aclmdlRIUnbindStream(second, a), ACL_ERROR_RT_STREAM_MODEL, "not bound");
	FAILS(aclmdlRIUnbindStream(graph, NULL), ACL_ERROR_INVALID_PARAM, "stream");
	ACL(aclmdlRICaptureBegin(plain, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ACL(aclmdlRICaptureEnd(plain, &recorded));
	FAILS(aclmdlRIBindStream(recorded, persistent(), 0), ACL_ERROR_RT_PARAM_INVALID, "recorded");
	FAILS(aclmdlRIBuildEnd(recorded, NULL), ACL_ERROR_RT_PARAM_INVALID, "recorded");
	ACL(aclmdlRIBuildEnd(second, NULL));
	FAILS(aclmdlRIBindStream(second, persistent(), 0), ACL_ERROR_RT_STREAM_MODEL, "BuildEnd");
	run(second, plain);
	ACL(aclmdlRIDestroy(second));
	ACL(aclmdlRIDestroy(graph));
}

/* One stream starts others; one that is not started does not run */
static void streams_start_each_other(void)
{
	aclrtStream a, b, c, d, exec;
	aclmdlRI graph;
	aclrtEvent e;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	graph = build();
	a = head(graph);
	b = other(graph);
	c = other(graph);
	d = other(graph);
	LAUNCH(op("store"), 1, a, U64(&w[0]), 1);
	ACL(aclrtActiveStream(b, a));
	LAUNCH(op("load_store"), 1, a, U64(&w[1]), U64(&w[0]));
	LAUNCH(op("store"), 1, b, U64(&w[0]), 2);
	ACL(aclrtActiveStream(c, b));
	LAUNCH(op("load_store"), 1, c, U64(&w[2]), U64(&w[0]));
	LAUNCH(op("store"), 1, d, U64(&w[3]), 9);
	FAILS(aclrtActiveStream(exec, a), ACL_ERROR_RT_STREAM_MODEL, "activeStream");
	FAILS(aclrtActiveStream(a, exec), ACL_ERROR_RT_STREAM_MODEL);
	FAILS(aclrtActiveStream(NULL, a), ACL_ERROR_INVALID_PARAM, "activeStream");
	ACL(aclmdlRIEndTask(graph, c));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	for (int i = 0; i < 3; i++) {
		memset(w, 0, 64);
		run(graph, exec);
		CHECK_EQ(w[1], 1);
		CHECK_EQ(w[2], 2);
		CHECK_EQ(w[3], 0);
	}
	ACL(aclmdlRIDestroy(graph));
	/* what cannot be done says so */
	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	graph = build();
	a = head(graph);
	b = other(graph);
	ACL(aclrtRecordEvent(e, a));
	ACL(aclrtStreamWaitEvent(b, e));
	ACL(aclrtActiveStream(b, a));
	FAILS(aclmdlRIBuildEnd(graph, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "events");
}

static bool holds(int32_t left, aclrtCondition cond, int32_t right)
{
	switch (cond) {
	case ACL_RT_EQUAL:
		return left == right;
	case ACL_RT_NOT_EQUAL:
		return left != right;
	case ACL_RT_GREATER:
		return left > right;
	case ACL_RT_GREATER_OR_EQUAL:
		return left >= right;
	case ACL_RT_LESS:
		return left < right;
	default:
		return left <= right;
	}
}

static void switches_between_streams(void)
{
	static const int32_t values[] = { -5, 0, 5 };
	aclrtStream a, yes, no, exec;
	int32_t *left, *right;
	aclmdlRI graph;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	left = (int32_t *)&w[10];
	right = (int32_t *)&w[11];
	for (int cond = ACL_RT_EQUAL; cond <= ACL_RT_LESS_OR_EQUAL; cond++) {
		for (int wide = 0; wide < 2; wide++) {
			graph = build();
			a = head(graph);
			yes = other(graph);
			no = other(graph);
			ACL(aclrtSwitchStream(left, cond, right, wide ? ACL_RT_SWITCH_INT64
								      : ACL_RT_SWITCH_INT32,
					      yes, wide ? no : NULL, a));
			LAUNCH(op("store"), 1, a, U64(&w[0]), 3);
			LAUNCH(op("store"), 1, yes, U64(&w[0]), 1);
			LAUNCH(op("store"), 1, no, U64(&w[0]), 2);
			ACL(aclmdlRIBuildEnd(graph, NULL));
			for (int i = 0; i < 9; i++) {
				int32_t l = values[i / 3], r = values[i % 3];

				w[0] = 0;
				if (wide) {
					*(int64_t *)left = (int64_t)l << 32;
					*(int64_t *)right = (int64_t)r << 32;
				} else {
					*left = l;
					*right = r;
				}
				run(graph, exec);
				CHECK_EQ(w[0], holds(l, cond, r) ? 1 : wide ? 2 : 3);
			}
			ACL(aclmdlRIDestroy(graph));
		}
	}
	graph = build();
	a = head(graph);
	FAILS(aclrtSwitchStream(NULL, 0, right, 0, a, NULL, a), ACL_ERROR_INVALID_PARAM, "leftValue");
	FAILS(aclrtSwitchStream(left, 0, NULL, 0, a, NULL, a), ACL_ERROR_INVALID_PARAM, "rightValue");
	FAILS(aclrtSwitchStream(left, 6, right, 0, a, NULL, a), ACL_ERROR_INVALID_PARAM, "cond");
	FAILS(aclrtSwitchStream(left, 0, right, 2, a, NULL, a), ACL_ERROR_INVALID_PARAM, "dataType");
	FAILS(aclrtSwitchStream(left, 0, right, 0, NULL, NULL, a), ACL_ERROR_INVALID_PARAM, "trueStream");
	FAILS(aclrtSwitchStream((char *)left + 2, 0, right, 0, a, NULL, a),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "leftValue");
	FAILS(aclrtSwitchStream(left, 0, &graph, 1, a, NULL, a), ACL_ERROR_RT_PARAM_INVALID, "rightValue");
	FAILS(aclrtSwitchStream(left, 0, right, 0, exec, NULL, a), ACL_ERROR_RT_STREAM_MODEL, "trueStream");
	FAILS(aclrtSwitchStream(left, 0, right, 0, a, exec, a), ACL_ERROR_RT_STREAM_MODEL, "falseStream");
	FAILS(aclrtSwitchStream(left, 0, right, 0, a, NULL, exec), ACL_ERROR_RT_STREAM_MODEL);
}

static aclrtLabel new_label(void)
{
	aclrtLabel label;

	ACL(aclrtCreateLabel(&label));
	return label;
}

static aclrtLabelList two_labels(aclrtLabel l[2])
{
	aclrtLabelList list;

	l[0] = new_label();
	l[1] = new_label();
	ACL(aclrtCreateLabelList(l, 2, &list));
	return list;
}

/* A number in device memory says where it goes on, also to another stream, also backwards */
static void labels(void)
{
	aclrtStream a, b, exec;
	aclrtLabel l[3];
	aclrtLabelList list;
	uint32_t *index;
	aclmdlRI graph;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	index = (uint32_t *)&w[8];
	for (int i = 0; i < 3; i++)
		l[i] = new_label();
	ACL(aclrtCreateLabelList(l, 3, &list));
	graph = build();
	a = head(graph);
	b = other(graph);
	ACL(aclrtSwitchLabelByIndex(index, 3, list, a));
	ACL(aclrtSetLabel(l[0], a));
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclrtSetLabel(l[1], a));
	LAUNCH(op("increment"), 1, a, U64(&w[1]));
	LAUNCH(op("increment"), 1, b, U64(&w[3]));
	ACL(aclrtSetLabel(l[2], b));
	LAUNCH(op("increment"), 1, b, U64(&w[2]));
	FAILS(aclrtSetLabel(l[2], a), ACL_ERROR_RT_PARAM_INVALID, "already");
	ACL(aclmdlRIEndTask(graph, a));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	/* the graph keeps what it needs */
	ACL(aclrtDestroyLabelList(list));
	for (int i = 0; i < 3; i++)
		ACL(aclrtDestroyLabel(l[i]));
	for (uint32_t i = 0; i < 5; i++) {
		memset(w, 0, 64);
		*index = i;
		run(graph, exec);
		CHECK_EQ(w[0], i == 0);
		CHECK_EQ(w[1], i <= 1);
		CHECK_EQ(w[2], i >= 2);
		CHECK_EQ(w[3], 0);
	}
	ACL(aclmdlRIDestroy(graph));
}

/* A loop that an operator ends by what it stores */
static void a_loop_of_labels(void)
{
	aclrtStream a, exec;
	aclrtLabel l[2];
	aclrtLabelList list;
	aclmdlRI graph;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	list = two_labels(l);
	graph = build();
	a = head(graph);
	ACL(aclrtSetLabel(l[0], a));
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	/* the next number of the list, 0 or 1, goes to where the switch looks */
	LAUNCH(op("load_store"), 1, a, U64(&w[1]), U64(&w[2]));
	LAUNCH(op("load_store"), 1, a, U64(&w[2]), U64(&w[3]));
	LAUNCH(op("load_store"), 1, a, U64(&w[3]), U64(&w[4]));
	ACL(aclrtSwitchLabelByIndex(&w[1], 2, list, a));
	ACL(aclrtSetLabel(l[1], a));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	w[4] = 1;
	run(graph, exec);
	CHECK_EQ(w[0], 3);
	/* one that never ends, until it is ended */
	w[4] = 0;
	w[3] = 0;
	w[2] = 0;
	ACL(aclmdlRIExecuteAsync(graph, exec));
	while (*(volatile uint64_t *)w < 100)
		;
	FAILS(aclmdlRIDestroy(graph), ACL_ERROR_RT_MODEL_RUNNING);
	FAILS(aclmdlRIUnbindStream(graph, a), ACL_ERROR_RT_MODEL_RUNNING);
	FAILS(aclrtPersistentTaskClean(a), ACL_ERROR_RT_MODEL_RUNNING);
	ACL(aclmdlRIAbort(graph));
	ACL(aclrtSynchronizeStream(exec));
	ACL(aclmdlRIDestroy(graph));
}

/* The tasks of one stream are made anew; labels, jumps and tasks of another stay as they are */
static void cleaning_one_stream_leaves_what_another_has(void)
{
	aclrtStream a, b, exec;
	aclrtLabel l[2];
	aclrtLabelList list;
	aclmdlRI graph;
	uint64_t *w;

	start();
	exec = new_stream();
	w = words();
	list = two_labels(l);
	graph = build();
	b = head(graph);
	LAUNCH(op("store"), 1, b, U64(&w[3]), 5);
	a = head(graph);
	ACL(aclrtSetLabel(l[0], a));
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclrtSwitchLabelByIndex(&w[1], 2, list, a));
	LAUNCH(op("increment"), 1, a, U64(&w[4]));
	ACL(aclrtSetLabel(l[1], a));
	ACL(aclrtPersistentTaskClean(b));
	LAUNCH(op("store"), 1, b, U64(&w[2]), 7);
	ACL(aclmdlRIBuildEnd(graph, NULL));
	w[1] = 1;
	run(graph, exec);
	CHECK_EQ(w[0], 1);
	CHECK_EQ(w[2], 7);
	CHECK_EQ(w[3], 0);
	CHECK_EQ(w[4], 0);
	run(graph, exec);
	CHECK_EQ(w[0], 2);
	ACL(aclmdlRIDestroy(graph));
}

static void what_labels_refuse(void)
{
	aclrtStream a, plain;
	aclrtLabel l, unset, both[2];
	aclrtLabelList list;
	aclmdlRI graph;
	uint64_t *w;

	start();
	plain = new_stream();
	w = words();
	l = new_label();
	unset = new_label();
	both[0] = l;
	both[1] = unset;
	graph = build();
	a = head(graph);
	FAILS(aclrtCreateLabel(NULL), ACL_ERROR_INVALID_PARAM, "label");
	FAILS(aclrtCreateLabelList(NULL, 1, &list), ACL_ERROR_INVALID_PARAM, "labels");
	FAILS(aclrtCreateLabelList(both, 1, NULL), ACL_ERROR_INVALID_PARAM, "labelList");
	FAILS(aclrtCreateLabelList(both, 0, &list), ACL_ERROR_INVALID_PARAM, "num");
	FAILS(aclrtCreateLabelList(both, 65536, &list), ACL_ERROR_INVALID_PARAM, "num");
	both[1] = plain;
	FAILS(aclrtCreateLabelList(both, 2, &list), ACL_ERROR_RT_INVALID_HANDLE, "a stream");
	both[1] = unset;
	ACL(aclrtCreateLabelList(both, 2, &list));
	FAILS(aclrtSetLabel(NULL, a), ACL_ERROR_INVALID_PARAM, "label");
	FAILS(aclrtSetLabel(list, a), ACL_ERROR_RT_INVALID_HANDLE, "label");
	FAILS(aclrtSetLabel(l, plain), ACL_ERROR_RT_STREAM_MODEL, "no graph");
	ACL(aclrtSetLabel(l, a));
	FAILS(aclrtSwitchLabelByIndex(NULL, 1, list, a), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtSwitchLabelByIndex((char *)w + 2, 1, list, a), ACL_ERROR_RT_ADDR_UNALIGNED, "ptr");
	FAILS(aclrtSwitchLabelByIndex(&graph, 1, list, a), ACL_ERROR_RT_PARAM_INVALID, "ptr");
	FAILS(aclrtSwitchLabelByIndex(w, 0, list, a), ACL_ERROR_RT_PARAM_INVALID, "maxValue");
	FAILS(aclrtSwitchLabelByIndex(w, 3, list, a), ACL_ERROR_RT_PARAM_INVALID, "maxValue");
	FAILS(aclrtSwitchLabelByIndex(w, 1, NULL, a), ACL_ERROR_INVALID_PARAM, "labelList");
	FAILS(aclrtSwitchLabelByIndex(w, 1, l, a), ACL_ERROR_RT_INVALID_HANDLE, "labelList");
	FAILS(aclrtSwitchLabelByIndex(w, 1, list, plain), ACL_ERROR_RT_STREAM_MODEL);
	ACL(aclrtSwitchLabelByIndex(w, 2, list, a));
	FAILS(aclmdlRIBuildEnd(graph, NULL), ACL_ERROR_RT_PARAM_INVALID, "label 1");
	FAILS(aclrtDestroyLabel(NULL), ACL_ERROR_INVALID_PARAM, "label");
	FAILS(aclrtDestroyLabel(list), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtDestroyLabelList(NULL), ACL_ERROR_INVALID_PARAM, "labelList");
	FAILS(aclrtDestroyLabelList(l), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclrtDestroyLabelList(list));
	FAILS(aclrtDestroyLabelList(list), ACL_ERROR_RT_INVALID_HANDLE);
	for (int i = 0; i < 65533; i++)
		ACL(aclrtCreateLabel(&unset));
	FAILS(aclrtCreateLabel(&unset), ACL_ERROR_RT_OVER_LIMIT, "65535");
	ACL(aclrtDestroyLabel(l)); /* the graph has it */
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtCreateLabel(&unset));
}

/* Conditions ------------------------------------------------------------------------------------- */

static aclrtStream recorder, bodies;

/* Begins a graph with a condition that is 0 at first */
static aclmdlRICondHandle begin_cond(aclmdlRICondHandleFlag flag, uint32_t first, uint64_t **ptr)
{
	aclmdlRICaptureStatus status;
	aclmdlRICondHandle cond;
	aclmdlRI graph;

	recorder = recorder ? recorder : new_stream();
	bodies = bodies ? bodies : new_stream();
	ACL(aclmdlRICaptureBegin(recorder, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	ACL(aclmdlRICaptureGetInfo(recorder, &status, &graph));
	ACL(aclmdlRICondHandleCreate(graph, first, flag, &cond));
	ACL(aclmdlRICondHandleGetCondPtr(cond, ptr));
	return cond;
}

static aclmdlRI end_cond(void)
{
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureEnd(recorder, &graph));
	return graph;
}

static void add_cond(aclmdlRICondHandle cond, aclmdlRICondTaskType type, uint32_t n, aclmdlRI *subs)
{
	aclmdlRICondTaskParams params = { cond, type, n, subs };

	ACL(aclmdlRIAddCondTask(params, recorder, 0));
}

static void store_body(aclmdlRI *sub, uint64_t *word, uint64_t value)
{
	ACL(aclmdlRICaptureToModelRIBegin(bodies, *sub, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	LAUNCH(op("store"), 1, bodies, U64(word), value);
	ACL(aclmdlRICaptureEnd(bodies, sub));
}

static void if_tasks(void)
{
	uint64_t *w, *cond;
	aclmdlRI subs[2] = { 0 }, graph;
	aclmdlRICondHandle handle;
	aclrtStream exec;

	start();
	exec = new_stream();
	w = words();
	for (uint32_t n = 1; n <= 2; n++) {
		handle = begin_cond(0, 0, &cond);
		add_cond(handle, ACL_MODEL_RI_COND_TYPE_IF, n, subs);
		for (uint32_t i = 0; i < n; i++)
			store_body(&subs[i], &w[0], 10 + i);
		LAUNCH(op("increment"), 1, recorder, U64(&w[1]));
		graph = end_cond();
		for (uint64_t value = 0; value < 3; value++) {
			write_u64(cond, value);
			w[0] = 0;
			w[1] = 0;
			run(graph, exec);
			CHECK_EQ(w[0], value ? 10 : n == 2 ? 11 : 0);
			CHECK_EQ(w[1], 1);
		}
		FAILS(aclmdlRIExecuteAsync(subs[0], exec), ACL_ERROR_RT_PARAM_INVALID, "body");
		FAILS(aclmdlRIDestroy(subs[0]), ACL_ERROR_RT_PARAM_INVALID, "body");
		ACL(aclmdlRIDestroy(graph));
		FAILS(aclmdlRIDestroy(subs[0]), ACL_ERROR_RT_INVALID_HANDLE);
		FAILS(aclmdlRICondHandleGetCondPtr(handle, &cond), ACL_ERROR_RT_INVALID_HANDLE);
	}
}

/* With ASSIGN_DEFAULT each execution begins with the value; an operator of the graph decides */
static void conditions_begin_anew(void)
{
	uint64_t *w, *cond;
	aclmdlRI sub, graph;
	aclmdlRICondHandle handle;

	start();
	w = words();
	handle = begin_cond(ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, 0, &cond);
	/* two tasks of one condition: before and after the operator that sets it */
	for (int i = 0; i < 2; i++) {
		add_cond(handle, ACL_MODEL_RI_COND_TYPE_IF, 1, &sub);
		ACL(aclmdlRICaptureToModelRIBegin(bodies, sub, 0));
		LAUNCH(op("increment"), 1, bodies, U64(&w[i]));
		ACL(aclmdlRICaptureEnd(bodies, NULL));
		if (!i)
			LAUNCH(op("load_store"), 1, recorder, U64(cond), U64(&w[2]));
	}
	graph = end_cond();
	for (uint64_t i = 0; i < 10; i++) {
		w[2] = i & 1;
		ACL(aclmdlRIExecuteAsync(graph, i & 2 ? recorder : bodies));
		ACL(aclrtSynchronizeStream(recorder));
		ACL(aclrtSynchronizeStream(bodies));
	}
	CHECK_EQ(w[0], 0);
	CHECK_EQ(w[1], 5);
}

static void while_tasks(void)
{
	uint64_t *w, *cond;
	aclmdlRI sub, graph;
	aclmdlRICondHandle handle;
	aclrtStream exec;

	start();
	exec = new_stream();
	w = words();
	op("load_store");
	handle = begin_cond(ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, 1, &cond);
	add_cond(handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &sub);
	ACL(aclmdlRICaptureToModelRIBegin(bodies, sub, 0));
	LAUNCH(op("increment"), 1, bodies, U64(&w[0]));
	/* the condition becomes w[1], which becomes w[2] */
	ACL(aclrtMemcpyAsync(cond, 8, &w[1], 8, ACL_MEMCPY_HOST_TO_DEVICE, bodies));
	LAUNCH(op("load_store"), 1, bodies, U64(&w[1]), U64(&w[2]));
	ACL(aclmdlRICaptureEnd(bodies, &sub));
	LAUNCH(op("load_store"), 1, recorder, U64(&w[5]), U64(&w[0]));
	graph = end_cond();
	w[1] = 1;
	run(graph, exec);
	CHECK_EQ(w[0], 2);
	CHECK_EQ(w[5], 2);
	w[1] = 0;
	run(graph, exec);
	CHECK_EQ(w[5], 3);
	/* for ever, while another stream works */
	w[1] = 1;
	w[2] = 1;
	ACL(aclmdlRIExecuteAsync(graph, exec));
	while (*(volatile uint64_t *)w < 50)
		;
	LAUNCH(op("store"), 1, recorder, U64(&w[9]), 1);
	ACL(aclrtSynchronizeStream(recorder));
	CHECK_EQ(w[9], 1);
	ACL(aclmdlRIAbort(graph));
	ACL(aclrtSynchronizeStream(exec));
	w[1] = 0;
	w[0] = 0;
	run(graph, recorder);
	CHECK_EQ(w[5], 1);
	/* and the end of the process ends it as well */
	test_leaves = true;
	w[1] = 1;
	ACL(aclmdlRIExecuteAsync(graph, exec));
}

static void switch_tasks(void)
{
	uint64_t *w, *cond;
	aclmdlRI subs[5], graph;
	aclmdlRICondHandle handle;

	start();
	w = words();
	handle = begin_cond(0, 0, &cond);
	add_cond(handle, ACL_MODEL_RI_COND_TYPE_SWITCH, 5, subs);
	for (uint64_t i = 0; i < 5; i++)
		store_body(&subs[i], &w[0], 100 + i);
	LAUNCH(op("increment"), 1, recorder, U64(&w[1]));
	graph = end_cond();
	for (uint64_t i = 0; i < 7; i++) {
		write_u64(cond, i < 6 ? i : 1ULL << 32);
		w[0] = 0;
		run(graph, recorder);
		CHECK_EQ(w[0], i < 5 ? 100 + i : 0);
		CHECK_EQ(w[1], i + 1);
	}
}

/* A loop with a switch in it with an if in it */
static void conditions_inside_conditions(void)
{
	uint64_t *w, *outer, *inner, *third;
	aclmdlRICondHandle a, b, c;
	aclmdlRICondTaskParams p;
	aclmdlRI loop, cases[2], yes, graph;
	aclrtStream deep;

	start();
	w = words();
	deep = new_stream();
	op("load_store");
	a = begin_cond(ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, 1, &outer);
	add_cond(a, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &loop);
	ACL(aclmdlRICaptureToModelRIBegin(bodies, loop, 0));
	ACL(aclmdlRICondHandleCreate(loop, 0, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &b));
	ACL(aclmdlRICondHandleGetCondPtr(b, &inner));
	p = (aclmdlRICondTaskParams){ b, ACL_MODEL_RI_COND_TYPE_SWITCH, 2, cases };
	ACL(aclmdlRIAddCondTask(p, bodies, 0));
	/* case 0: count, and next time case 1 */
	ACL(aclmdlRICaptureToModelRIBegin(deep, cases[0], 0));
	LAUNCH(op("increment"), 1, deep, U64(&w[0]));
	LAUNCH(op("store"), 1, deep, U64(inner), 1);
	ACL(aclmdlRICaptureEnd(deep, NULL));
	/* case 1: count; if w[2], the loop ends */
	ACL(aclmdlRICaptureToModelRIBegin(deep, cases[1], 0));
	LAUNCH(op("increment"), 1, deep, U64(&w[1]));
	ACL(aclmdlRICondHandleCreate(cases[1], 0, 0, &c));
	ACL(aclmdlRICondHandleGetCondPtr(c, &third));
	ACL(aclrtMemcpyAsync(third, 8, &w[2], 8, ACL_MEMCPY_HOST_TO_DEVICE, deep));
	p = (aclmdlRICondTaskParams){ c, ACL_MODEL_RI_COND_TYPE_IF, 1, &yes };
	ACL(aclmdlRIAddCondTask(p, deep, 0));
	LAUNCH(op("load_store"), 1, deep, U64(&w[2]), U64(&w[3]));
	ACL(aclmdlRICaptureEnd(deep, NULL));
	ACL(aclmdlRICaptureToModelRIBegin(deep, yes, 0));
	LAUNCH(op("store"), 1, deep, U64(outer), 0);
	ACL(aclmdlRICaptureEnd(deep, NULL));
	ACL(aclmdlRICaptureEnd(bodies, NULL));
	graph = end_cond();
	for (int i = 0; i < 3; i++) {
		w[0] = 0;
		w[1] = 0;
		w[2] = 0;
		w[3] = 1;
		run(graph, recorder);
		CHECK_EQ(w[0], 1);
		CHECK_EQ(w[1], 2);
	}
	ACL(aclmdlRIDestroy(graph));
}

static void what_conditions_refuse(void)
{
	aclmdlRICondHandle cond, foreign;
	aclmdlRICondTaskParams p;
	aclmdlRI sub[2], graph, out = NULL, theirs;
	uint64_t *ptr, *w;
	aclrtStream second;

	start();
	w = words();
	second = new_stream();
	cond = begin_cond(0, 0, &ptr);
	ACL(aclmdlRICaptureGetInfo(recorder, &(aclmdlRICaptureStatus){ 0 }, &graph));
	FAILS(aclmdlRICondHandleCreate(NULL, 0, 0, &foreign), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRICondHandleCreate(graph, 0, 0, NULL), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclmdlRICondHandleCreate(graph, 0, 2, &foreign), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclmdlRICondHandleCreate(second, 0, 0, &foreign), ACL_ERROR_RT_INVALID_HANDLE);
	for (int i = 1; i < 512; i++)
		ACL(aclmdlRICondHandleCreate(graph, 0, 0, &foreign));
	FAILS(aclmdlRICondHandleCreate(graph, 0, 0, &foreign), ACL_ERROR_RT_OVER_LIMIT, "512 conditions");
	FAILS(aclmdlRICondHandleGetCondPtr(NULL, &ptr), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclmdlRICondHandleGetCondPtr(cond, NULL), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclmdlRICondHandleGetCondPtr(graph, &ptr), ACL_ERROR_RT_INVALID_HANDLE, "a graph");
	p = (aclmdlRICondTaskParams){ cond, ACL_MODEL_RI_COND_TYPE_IF, 1, sub };
	FAILS(aclmdlRIAddCondTask(p, recorder, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclmdlRIAddCondTask(p, second, 0), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	p.size = 3;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_INVALID_PARAM, "size");
	p.size = 0;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_INVALID_PARAM, "size");
	p.size = 2;
	p.type = ACL_MODEL_RI_COND_TYPE_WHILE;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_INVALID_PARAM, "size");
	p.type = 3;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_INVALID_PARAM, "type");
	p.type = ACL_MODEL_RI_COND_TYPE_IF;
	p.modelRIArray = NULL;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_INVALID_PARAM, "modelRIArray");
	p.modelRIArray = sub;
	p.handle = graph;
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_RT_INVALID_HANDLE, "handle");
	/* a body that was not recorded */
	p.handle = cond;
	p.size = 2;
	ACL(aclmdlRIAddCondTask(p, recorder, 0));
	store_body(&sub[0], w, 1);
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, sub[0], 0), ACL_ERROR_RT_MODEL_CAPTURED, "already");
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, graph, 0), ACL_ERROR_RT_MODEL_CAPTURED, "no body");
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, NULL, 0), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, sub[1], 3), ACL_ERROR_INVALID_PARAM, "mode");
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, second, 0), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclmdlRICaptureToModelRIBegin(NULL, sub[1], 0), ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
	FAILS(aclmdlRICaptureEnd(recorder, &out), ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, "body 1");
	FAILS(aclmdlRICaptureToModelRIBegin(bodies, sub[1], 0), ACL_ERROR_RT_INVALID_HANDLE);
	/* a condition of another graph, and of one that is finished */
	cond = begin_cond(0, 0, &ptr);
	ACL(aclmdlRICaptureBegin(second, 0));
	ACL(aclmdlRICaptureGetInfo(second, &(aclmdlRICaptureStatus){ 0 }, &theirs));
	ACL(aclmdlRICondHandleCreate(theirs, 0, 0, &foreign));
	p = (aclmdlRICondTaskParams){ foreign, ACL_MODEL_RI_COND_TYPE_IF, 1, sub };
	FAILS(aclmdlRIAddCondTask(p, recorder, 0), ACL_ERROR_STREAM_CAPTURE_CONFLICT, "another graph");
	FAILS(aclmdlRICaptureEnd(recorder, &out), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	ACL(aclmdlRICaptureEnd(second, &theirs));
	FAILS(aclmdlRICondHandleCreate(theirs, 0, 0, &cond), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclmdlRIUpdate(NULL), ACL_ERROR_INVALID_PARAM);
}

TAP_MAIN(TEST(a_graph_of_two_streams),
	 TEST(what_building_refuses),
	 TEST(streams_start_each_other),
	 TEST(switches_between_streams),
	 TEST(labels),
	 TEST(a_loop_of_labels), TEST(cleaning_one_stream_leaves_what_another_has),
	 TEST(what_labels_refuse),
	 TEST(if_tasks),
	 TEST(conditions_begin_anew),
	 TEST(while_tasks),
	 TEST(switch_tasks),
	 TEST(conditions_inside_conditions),
	 TEST(what_conditions_refuse))
