// SPDX-License-Identifier: MIT
/* The tasks of graphs: what they are, changing them one by one and in groups, printing them. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../acltest.h"

static void begin(aclrtStream stream)
{
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
}

static aclmdlRI end(aclrtStream stream)
{
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureEnd(stream, &graph));
	CHECK(graph);
	return graph;
}

static void run(aclmdlRI graph, aclrtStream stream)
{
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
}

/* The tasks of a graph's stream @n */
static uint32_t tasks_of(aclmdlRI graph, uint32_t n, aclmdlRITask *tasks, uint32_t room)
{
	aclrtStream streams[8];
	uint32_t count = 8;

	ACL(aclmdlRIGetStreams(graph, streams, &count));
	CHECK_OP(n, <, count);
	ACL(aclmdlRIGetTasksByStream(streams[n], tasks, &room));
	return room;
}

static aclmdlRITaskType type_of(aclmdlRITask task)
{
	aclmdlRITaskType type;

	ACL(aclmdlRITaskGetType(task, &type));
	return type;
}

static void what_a_graph_has(void)
{
	aclrtStream a, b, streams[4];
	aclmdlRITaskParams p;
	aclmdlRITask t[16], u[4];
	aclrtEvent e, f;
	uint64_t *w, args[2];
	uint32_t n = 0, id, before = 0;
	aclmdlRI graph;

	start();
	a = new_stream();
	b = new_stream();
	w = pinned_alloc(64);
	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&f, ACL_EVENT_SYNC));
	args[0] = U64(w);
	args[1] = 5;
	begin(a);
	LAUNCH(op("store"), 3, a, args[0], args[1]);
	ACL(aclrtMemsetAsync(w, 8, 0, 8, a));
	ACL(aclrtRecordEvent(e, a));
	ACL(aclrtStreamWaitEvent(b, e));
	ACL(aclrtValueWrite(&w[2], 9, 0, b));
	ACL(aclrtRecordEvent(f, b));
	ACL(aclrtStreamWaitEvent(a, f));
	ACL(aclrtValueWait(&w[2], 9, ACL_STREAM_WAIT_VALUE_EQ, a));
	/* what is recorded so far can be asked for */
	ACL(aclmdlRIGetTasksByStream(b, NULL, &n));
	CHECK_EQ(n, 3);
	graph = end(a);
	n = 0;
	ACL(aclmdlRIGetStreams(graph, NULL, &n));
	CHECK_EQ(n, 2);
	n = 1;
	FAILS(aclmdlRIGetStreams(graph, streams, &n), ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "2");
	n = 4;
	ACL(aclmdlRIGetStreams(graph, streams, &n));
	CHECK_EQ(n, 2);
	n = 4;
	FAILS(aclmdlRIGetTasksByStream(streams[0], t, &n), ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "5");
	CHECK_EQ(tasks_of(graph, 0, t, 16), 5);
	CHECK_EQ(tasks_of(graph, 1, u, 4), 3);
	CHECK_EQ(type_of(t[0]), ACL_MODEL_RI_TASK_KERNEL);
	CHECK_EQ(type_of(t[1]), ACL_MODEL_RI_TASK_DEFAULT);
	CHECK_EQ(type_of(t[2]), ACL_MODEL_RI_TASK_EVENT_RECORD);
	CHECK_EQ(type_of(t[3]), ACL_MODEL_RI_TASK_EVENT_WAIT);
	CHECK_EQ(type_of(t[4]), ACL_MODEL_RI_TASK_VALUE_WAIT);
	CHECK_EQ(type_of(u[0]), ACL_MODEL_RI_TASK_EVENT_WAIT);
	CHECK_EQ(type_of(u[1]), ACL_MODEL_RI_TASK_VALUE_WRITE);
	for (int i = 0; i < 5; i++) {
		ACL(aclmdlRITaskGetSeqId(t[i], &id));
		CHECK(!i || id > before);
		before = id;
	}
	ACL(aclmdlRITaskGetParams(t[0], &p));
	CHECK_EQ(p.type, ACL_MODEL_RI_TASK_KERNEL);
	CHECK(p.kernelTaskParams.funcHandle == op("store"));
	CHECK_EQ(p.kernelTaskParams.numBlocks, 3);
	CHECK_EQ(p.kernelTaskParams.argsSize, 16);
	CHECK_EQ(p.kernelTaskParams.isHostArgs, 0);
	CHECK(p.kernelTaskParams.cfg && p.kernelTaskParams.args && !p.taskGrp);
	ACL(aclmdlRITaskGetParams(t[2], &p));
	CHECK(p.eventRecordTaskParams.event == e);
	CHECK_EQ(p.eventRecordTaskParams.eventFlag, ACL_EVENT_SYNC);
	ACL(aclmdlRITaskGetParams(t[3], &p));
	CHECK(p.eventWaitTaskParams.event == f);
	ACL(aclmdlRITaskGetParams(t[4], &p));
	CHECK(p.valueWaitTaskParams.devAddr == &w[2] && p.valueWaitTaskParams.value == 9);
	CHECK_EQ(p.valueWaitTaskParams.flag, ACL_STREAM_WAIT_VALUE_EQ);
	ACL(aclmdlRITaskGetParams(u[1], &p));
	CHECK(p.valueWriteTaskParams.devAddr == &w[2] && p.valueWriteTaskParams.value == 9);
	FAILS(aclmdlRIGetStreams(NULL, NULL, &n), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIGetStreams(graph, NULL, NULL), ACL_ERROR_INVALID_PARAM, "numStreams");
	FAILS(aclmdlRIGetStreams(a, NULL, &n), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRIGetTasksByStream(NULL, NULL, &n), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclmdlRIGetTasksByStream(streams[0], NULL, NULL), ACL_ERROR_INVALID_PARAM, "numTasks");
	FAILS(aclmdlRIGetTasksByStream(a, NULL, &n), ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIGetStreams");
	FAILS(aclmdlRITaskGetType(NULL, &p.type), ACL_ERROR_INVALID_PARAM, "task");
	FAILS(aclmdlRITaskGetType(t[0], NULL), ACL_ERROR_INVALID_PARAM, "type");
	FAILS(aclmdlRITaskGetType(graph, &p.type), ACL_ERROR_RT_INVALID_HANDLE, "a graph");
	FAILS(aclmdlRITaskGetSeqId(t[0], NULL), ACL_ERROR_INVALID_PARAM, "id");
	FAILS(aclmdlRITaskGetParams(t[0], NULL), ACL_ERROR_INVALID_PARAM, "params");
	ACL(aclmdlRIDestroy(graph));
	FAILS(aclmdlRITaskGetType(t[0], &p.type), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclmdlRIGetTasksByStream(streams[0], NULL, &n), ACL_ERROR_RT_INVALID_HANDLE);
}

/* The same limit in seconds, which are cut off, and in microseconds of 64 bits */
static void limit_is(uint64_t us)
{
	aclrtLaunchKernelAttr attr = { .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
				       .value.timeoutUs = { (uint32_t)us, us >> 32 } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	aclrtStream a = new_stream();
	aclrtLaunchKernelAttrValue v;
	uint64_t word = U64(pinned_alloc(64));
	aclmdlRITask t[1];
	aclmdlRI graph;

	begin(a);
	ACL(aclrtLaunchKernelWithHostArgs(op("increment"), 1, a, &cfg, &word, 8, NULL, 0));
	graph = end(a);
	CHECK_EQ(tasks_of(graph, 0, t, 1), 1);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, &v));
	CHECK_EQ(v.timeoutUs.timeoutLow, (uint32_t)us);
	CHECK_EQ(v.timeoutUs.timeoutHigh, us >> 32);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v));
	CHECK_EQ(v.timeout, us / 1000000);
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtDestroyStream(a));
}

static void limits_of_kernels(void)
{
	start();
	limit_is(1);
	limit_is(999999);
	limit_is(1000000);
	limit_is(1999999);
	limit_is(0x123456789);
}

static void attributes_of_kernels(void)
{
	aclrtLaunchKernelAttr attrs[2] = {
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = 1 },
		{ .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 7 },
	};
	aclrtLaunchKernelCfg cfg = { attrs, 2 };
	aclrtLaunchKernelAttrValue v;
	uint64_t args[1];
	aclrtStream a;
	aclmdlRITask t[2];
	aclmdlRI graph;

	start();
	a = new_stream();
	args[0] = U64(pinned_alloc(64));
	begin(a);
	ACL(aclrtLaunchKernelWithHostArgs(op("increment"), 1, a, &cfg, args, 8, NULL, 0));
	ACL(aclrtMemsetAsync((void *)(uintptr_t)args[0], 8, 0, 8, a));
	graph = end(a);
	CHECK_EQ(tasks_of(graph, 0, t, 2), 2);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &v));
	CHECK_EQ(v.schemMode, 1);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v));
	CHECK_EQ(v.timeout, 7);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, &v));
	CHECK_EQ(v.timeoutUs.timeoutLow, 7000000);
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, &v));
	CHECK_EQ(v.dynUBufSize, 0);
	FAILS(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, &v),
	      ACL_ERROR_INVALID_PARAM, "attrId");
	FAILS(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, &v),
	      ACL_ERROR_INVALID_PARAM, "attrId");
	FAILS(aclmdlRIKernelTaskGetAttribute(t[1], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v),
	      ACL_ERROR_RT_PARAM_INVALID, "no kernel");
	FAILS(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, NULL),
	      ACL_ERROR_INVALID_PARAM, "attrValue");
	FAILS(aclmdlRIKernelTaskGetAttribute(NULL, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v),
	      ACL_ERROR_INVALID_PARAM, "task");
}

static void changed_tasks(void)
{
	uint64_t *w, args[2];
	aclmdlRITaskParams p, q;
	aclrtStream a;
	aclmdlRITask t[5];
	aclmdlRI graph;

	start();
	a = new_stream();
	w = pinned_alloc(128);
	memset(w, 0, 128);
	op("load_store");
	begin(a);
	LAUNCH(op("store"), 1, a, U64(&w[0]), 1);
	LAUNCH(op("increment"), 1, a, U64(&w[1]));
	ACL(aclrtValueWrite(&w[2], 3, 0, a));
	ACL(aclrtValueWait(&w[2], 3, ACL_STREAM_WAIT_VALUE_EQ, a));
	ACL(aclrtMemsetAsync(&w[4], 8, 1, 8, a));
	graph = end(a);
	CHECK_EQ(tasks_of(graph, 0, t, 5), 5);
	run(graph, a);
	CHECK_EQ(w[1], 1);
	/* nothing changes before the update; each round takes the arguments' other block */
	for (uint64_t i = 2; i < 6; i++) {
		ACL(aclmdlRITaskGetParams(t[0], &p));
		args[0] = U64(&w[0]);
		args[1] = i;
		p.kernelTaskParams.args = args;
		p.kernelTaskParams.isHostArgs = 1;
		ACL(aclmdlRITaskSetParams(t[0], &p));
		args[1] = 99;
		run(graph, a);
		CHECK_EQ(w[0], i - 1);
		ACL(aclmdlRIUpdate(graph));
		run(graph, a);
		CHECK_EQ(w[0], i);
	}
	/* another function, fewer arguments, more blocks */
	ACL(aclmdlRITaskGetParams(t[0], &p));
	p.kernelTaskParams.funcHandle = op("load_store");
	args[0] = U64(&w[5]);
	args[1] = U64(&w[1]);
	p.kernelTaskParams.args = args;
	p.kernelTaskParams.isHostArgs = 1;
	p.kernelTaskParams.numBlocks = 2;
	ACL(aclmdlRITaskSetParams(t[0], &p));
	ACL(aclmdlRITaskGetParams(t[0], &q));
	CHECK(q.kernelTaskParams.funcHandle == op("load_store") && q.kernelTaskParams.numBlocks == 2);
	/* words, and a task that is left out */
	ACL(aclmdlRITaskGetParams(t[2], &p));
	p.valueWriteTaskParams.value = 8;
	p.valueWriteTaskParams.devAddr = &w[6];
	ACL(aclmdlRITaskSetParams(t[2], &p));
	ACL(aclmdlRITaskGetParams(t[3], &p));
	p.valueWaitTaskParams.value = 7;
	p.valueWaitTaskParams.devAddr = &w[6];
	p.valueWaitTaskParams.flag = ACL_STREAM_WAIT_VALUE_NOR + 1;
	FAILS(aclmdlRITaskSetParams(t[3], &p), ACL_ERROR_INVALID_PARAM, "flag is 0x4 and must be 0 to 3");
	p.valueWaitTaskParams.flag = ACL_STREAM_WAIT_VALUE_GEQ;
	p.valueWaitTaskParams.devAddr = (char *)&w[6] + 4;
	FAILS(aclmdlRITaskSetParams(t[3], &p), ACL_ERROR_RT_ADDR_UNALIGNED, "devAddr is", "multiple of 8");
	p.valueWaitTaskParams.devAddr = NULL;
	FAILS(aclmdlRITaskSetParams(t[3], &p), ACL_ERROR_RT_ADDR_UNALIGNED, "devAddr is");
	p.valueWaitTaskParams.devAddr = &w[6];
	ACL(aclmdlRITaskSetParams(t[3], &p));
	ACL(aclmdlRITaskDisable(t[4]));
	ACL(aclmdlRIUpdate(graph));
	memset(&w[2], 0, 96);
	w[1] = 40;
	run(graph, a);
	CHECK_EQ(w[5], 40);
	CHECK_EQ(w[1], 41);
	CHECK_EQ(w[6], 8);
	CHECK_EQ(w[2], 0);
	CHECK_EQ(w[4], 0);
}

static void changes_that_are_refused(void)
{
	aclmdlRITaskParams p;
	aclrtStream a;
	aclmdlRITask t[3];
	aclmdlRI graph, half;
	uint64_t *w;
	uint32_t n = 1;

	start();
	a = new_stream();
	w = pinned_alloc(64);
	*w = 0;
	begin(a);
	LAUNCH(op("wait_for_word"), 1, a, U64(w));
	ACL(aclrtValueWrite(&w[1], 3, 0, a));
	ACL(aclrtMemsetAsync(&w[2], 8, 1, 8, a));
	graph = end(a);
	CHECK_EQ(tasks_of(graph, 0, t, 3), 3);
	ACL(aclmdlRITaskGetParams(t[0], &p));
	p.type = ACL_MODEL_RI_TASK_VALUE_WRITE;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_RT_PARAM_INVALID, "type");
	ACL(aclmdlRITaskGetParams(t[0], &p));
	p.kernelTaskParams.argsSize = 0;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_RT_PARAM_INVALID, "argsSize");
	p.kernelTaskParams.argsSize = 8;
	p.kernelTaskParams.isHostArgs = 2;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_RT_PARAM_INVALID, "isHostArgs");
	p.kernelTaskParams.isHostArgs = 1;
	p.kernelTaskParams.args = NULL;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_RT_PARAM_INVALID, "args");
	p.kernelTaskParams.numBlocks = 0;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_INVALID_PARAM, "numBlocks");
	p.kernelTaskParams.funcHandle = NULL;
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_INVALID_PARAM, "funcHandle");
	ACL(aclmdlRITaskGetParams(t[1], &p));
	p.valueWriteTaskParams.devAddr = (char *)w + 4;
	FAILS(aclmdlRITaskSetParams(t[1], &p), ACL_ERROR_RT_ADDR_UNALIGNED);
	ACL(aclmdlRITaskGetParams(t[2], &p));
	FAILS(aclmdlRITaskSetParams(t[2], &p), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "cannot be changed");
	FAILS(aclmdlRITaskSetParams(t[0], NULL), ACL_ERROR_INVALID_PARAM, "params");
	FAILS(aclmdlRITaskSetParams(NULL, &p), ACL_ERROR_INVALID_PARAM, "task");
	FAILS(aclmdlRITaskDisable(NULL), ACL_ERROR_INVALID_PARAM, "task");
	FAILS(aclmdlRITaskDisable(a), ACL_ERROR_RT_INVALID_HANDLE, "a stream");
	FAILS(aclmdlRIUpdate(NULL), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIUpdate(a), ACL_ERROR_RT_INVALID_HANDLE, "a stream");
	ACL(aclmdlRIExecuteAsync(graph, a));
	FAILS(aclmdlRIUpdate(graph), ACL_ERROR_RT_MODEL_UPDATE_FAILED, "synchronise");
	*(volatile uint64_t *)w = 1;
	ACL(aclrtSynchronizeStream(a));
	ACL(aclmdlRIUpdate(graph));
	begin(a);
	LAUNCH(op("wait_for_word"), 1, a, U64(w));
	ACL(aclmdlRICaptureGetInfo(a, &(aclmdlRICaptureStatus){ 0 }, &half));
	ACL(aclmdlRIGetTasksByStream(a, t, &n));
	FAILS(aclmdlRITaskDisable(t[0]), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	ACL(aclmdlRITaskGetParams(t[0], &p));
	FAILS(aclmdlRITaskSetParams(t[0], &p), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	FAILS(aclmdlRIUpdate(half), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	end(a);
}

/* A group's kernels are replaced by a stream, in its order */
static void groups_are_updated(void)
{
	aclrtStream a, u;
	aclmdlRITaskParams p;
	aclmdlRITask t[4];
	aclrtTaskGrp grp;
	aclmdlRI graph;
	uint64_t *w;

	start();
	a = new_stream();
	u = new_stream();
	w = pinned_alloc(128);
	memset(w, 0, 128);
	op("block_count");
	begin(a);
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	LAUNCH(op("store"), 1, a, U64(&w[1]), 1);
	LAUNCH(op("increment"), 1, a, U64(&w[2]));
	ACL(aclmdlRICaptureTaskGrpEnd(a, &grp));
	LAUNCH(op("increment"), 1, a, U64(&w[3]));
	graph = end(a);
	CHECK_EQ(tasks_of(graph, 0, t, 4), 4);
	ACL(aclmdlRITaskGetParams(t[1], &p));
	CHECK(p.taskGrp == grp);
	ACL(aclmdlRITaskGetParams(t[0], &p));
	CHECK(!p.taskGrp);
	run(graph, a);
	CHECK_EQ(w[1], 1);
	for (uint64_t i = 2; i < 30; i++) {
		aclrtStream by = i & 1 ? u : a;

		ACL(aclmdlRICaptureTaskUpdateBegin(by, grp));
		LAUNCH(op("store"), 1, by, U64(&w[1]), i);
		LAUNCH(op("load_store"), 1, by, U64(&w[4]), U64(&w[1]));
		ACL(aclmdlRICaptureTaskUpdateEnd(by));
		if (by == u)
			ACL(aclrtSynchronizeStream(u));
		run(graph, a);
		CHECK_EQ(w[0], i);
		CHECK_EQ(w[1], i);
		CHECK_EQ(w[2], 1);
		CHECK_EQ(w[4], i);
	}
	/* the change is the graph's: it stays when that is put together again */
	ACL(aclmdlRITaskDisable(t[0]));
	ACL(aclmdlRIUpdate(graph));
	w[4] = 0;
	run(graph, a);
	CHECK_EQ(w[4], 29);
	CHECK_EQ(w[0], 29);
	/* with the execution under way: it waits for the stream that updates */
	ACL(aclmdlRIDestroy(graph));
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, grp), ACL_ERROR_RT_INVALID_HANDLE);
}

/* The order in which the documents show it: execute, update, record the event it waits for */
static void updates_of_a_running_graph(void)
{
	aclrtStream a, u;
	aclrtTaskGrp grp;
	aclrtEvent e;
	aclmdlRI graph;
	uint64_t *w;

	start();
	a = new_stream();
	u = new_stream();
	w = pinned_alloc(64);
	memset(w, 0, 64);
	ACL(aclrtCreateEventWithFlag(&e, ACL_EVENT_EXTERNAL));
	begin(a);
	LAUNCH(op("increment"), 1, a, U64(&w[0]));
	ACL(aclrtStreamWaitEvent(a, e));
	ACL(aclrtResetEvent(e, a));
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	LAUNCH(op("store"), 1, a, U64(&w[1]), 1);
	ACL(aclmdlRICaptureTaskGrpEnd(a, &grp));
	graph = end(a);
	for (uint64_t i = 1; i < 10; i++) {
		ACL(aclmdlRIExecuteAsync(graph, a));
		ACL(aclmdlRICaptureTaskUpdateBegin(u, grp));
		LAUNCH(op("store"), 1, u, U64(&w[1]), 100 + i);
		ACL(aclmdlRICaptureTaskUpdateEnd(u));
		ACL(aclrtRecordEvent(e, u));
		ACL(aclrtSynchronizeStream(a));
		CHECK_EQ(w[0], i);
		CHECK_EQ(w[1], 100 + i);
	}
}

static void groups_that_are_refused(void)
{
	aclrtStream a, b, u;
	aclrtTaskGrp grp;
	aclrtEvent e;
	aclmdlRI graph;
	uint64_t *w;

	start();
	a = new_stream();
	b = new_stream();
	u = new_stream();
	w = pinned_alloc(64);
	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	FAILS(aclmdlRICaptureTaskGrpBegin(a), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclmdlRICaptureTaskGrpEnd(a, &grp), ACL_ERROR_RT_STREAM_NOT_CAPTURED);
	FAILS(aclmdlRICaptureTaskGrpEnd(a, NULL), ACL_ERROR_INVALID_PARAM, "handle");
	begin(a);
	FAILS(aclmdlRICaptureTaskGrpEnd(a, &grp), ACL_ERROR_STREAM_TASK_GROUP_STATUS, "begun");
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	FAILS(aclmdlRICaptureTaskGrpBegin(a), ACL_ERROR_STREAM_TASK_GROUP_STATUS, "already");
	FAILS(aclrtMemsetAsync(w, 8, 0, 8, a), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "kernels only");
	FAILS(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	begin(a);
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	FAILS(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
	      "aclmdlRICaptureTaskGrpEnd");
	begin(a);
	ACL(aclrtRecordEvent(e, a));
	ACL(aclrtStreamWaitEvent(b, e));
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	FAILS(aclrtMemsetAsync(w, 8, 0, 8, b), ACL_ERROR_STREAM_TASK_GROUP_INTR, "another stream");
	FAILS(aclmdlRICaptureEnd(a, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	begin(a);
	ACL(aclmdlRICaptureTaskGrpBegin(a));
	LAUNCH(op("increment"), 1, a, U64(w));
	LAUNCH(op("increment"), 1, a, U64(w));
	ACL(aclmdlRICaptureTaskGrpEnd(a, &grp));
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, grp), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	graph = end(a);
	FAILS(aclmdlRICaptureTaskUpdateEnd(u), ACL_ERROR_STREAM_TASK_GROUP_STATUS, "no group");
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, NULL), ACL_ERROR_INVALID_PARAM, "handle");
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, graph), ACL_ERROR_RT_INVALID_HANDLE, "a graph");
	FAILS(aclmdlRICaptureTaskUpdateBegin(graph, grp), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	ACL(aclmdlRICaptureTaskUpdateBegin(u, grp));
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, grp), ACL_ERROR_STREAM_TASK_GROUP_STATUS);
	FAILS(aclmdlRICaptureTaskUpdateBegin(b, grp), ACL_ERROR_STREAM_TASK_GROUP_STATUS, "another");
	FAILS(aclmdlRICaptureBegin(u, 0), ACL_ERROR_RT_STREAM_CAPTURED, "updates");
	FAILS(aclrtMemsetAsync(w, 8, 0, 8, u), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "kernels");
	FAILS(aclmdlRIExecuteAsync(graph, u), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "updates");
	FAILS(aclrtLaunchHostFunc(u, free, w), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "updates");
	LAUNCH(op("increment"), 1, u, U64(w));
	FAILS(aclmdlRICaptureTaskUpdateEnd(u), ACL_ERROR_STREAM_TASK_GROUP_STATUS, "2", "1");
	ACL(aclmdlRICaptureTaskUpdateBegin(u, grp));
	LAUNCH(op("increment"), 1, u, U64(w));
	LAUNCH(op("increment"), 1, u, U64(w));
	FAILS(aclrtLaunchKernelWithHostArgs(op("increment"), 1, u, NULL, &w, 8, NULL, 0),
	      ACL_ERROR_STREAM_TASK_GROUP_STATUS, "more");
	/* without parameters as well */
	FAILS(aclrtLaunchKernelWithHostArgs(op("nothing"), 1, u, NULL, NULL, 0, NULL, 0),
	      ACL_ERROR_STREAM_TASK_GROUP_STATUS, "the group has 2 tasks", "more");
	ACL(aclmdlRICaptureTaskUpdateEnd(u));
	begin(u);
	FAILS(aclmdlRICaptureTaskUpdateBegin(u, grp), ACL_ERROR_RT_STREAM_CAPTURED);
	end(u);
	/* a stream may end in the middle of it */
	ACL(aclmdlRICaptureTaskUpdateBegin(u, grp));
	ACL(aclrtDestroyStream(u));
	ACL(aclmdlRICaptureTaskUpdateBegin(b, grp));
	ACL(aclmdlRIDestroy(graph));
	FAILS(aclrtLaunchKernelWithHostArgs(op("increment"), 1, b, NULL, &w, 8, NULL, 0),
	      ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

static void printed_graphs(void)
{
	static char text[65536];
	const char *path = "build/tests/libacl-graph.json";
	aclrtStream a;
	aclmdlRI graph, half;
	int saved, fd;
	uint64_t *w;
	FILE *f;

	start();
	a = new_stream();
	w = pinned_alloc(64);
	begin(a);
	ACL(aclmdlRICaptureGetInfo(a, &(aclmdlRICaptureStatus){ 0 }, &half));
	LAUNCH(op("increment"), 4, a, U64(w));
	ACL(aclrtMemsetAsync(w, 8, 0, 8, a));
	FAILS(aclmdlRIDebugJsonPrint(half, path, 0), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	FAILS(aclmdlRIDebugPrint(half), ACL_ERROR_RT_MODEL_CAPTURED, "recorded");
	graph = end(a);
	for (uint32_t verbose = 0; verbose < 2; verbose++) {
		ACL(aclmdlRIDebugJsonPrint(graph, path, verbose));
		f = fopen(path, "r");
		CHECK(f);
		memset(text, 0, sizeof(text));
		CHECK_OP(fread(text, 1, sizeof(text) - 1, f), >, 0);
		fclose(f);
		CHECK(text[0] == '[' && strstr(text, "\"name\":\"increment\"") &&
		      strstr(text, "\"task type\":\"kernel\"") && strstr(text, "\"fill\""));
		CHECK_EQ(!!strstr(text, "\"numBlocks\":4"), verbose);
	}
	/* what it prints is there when it returns */
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(saved >= 0 && fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	ACL(aclmdlRIDebugPrint(graph));
	CHECK_EQ(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
	memset(text, 0, sizeof(text));
	CHECK_OP(pread(fd, text, sizeof(text) - 1, 0), >, 0);
	CHECK(strstr(text, "increment"));
	close(fd);
	close(saved);
	unlink(path);
	FAILS(aclmdlRIDebugJsonPrint(graph, "/nowhere/at/all", 0), ACL_ERROR_RT_FILE_OPEN, "/nowhere");
	FAILS(aclmdlRIDebugJsonPrint(graph, "/dev/full", 0), ACL_ERROR_RT_FILE_WRITE, "/dev/full");
	FAILS(aclmdlRIDebugJsonPrint(graph, path, 2), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclmdlRIDebugJsonPrint(graph, NULL, 0), ACL_ERROR_INVALID_PARAM, "path");
	FAILS(aclmdlRIDebugJsonPrint(NULL, path, 0), ACL_ERROR_INVALID_PARAM, "modelRI");
	FAILS(aclmdlRIDebugJsonPrint(a, path, 0), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclmdlRIDebugPrint(a), ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

/* Operators under another name of as many characters: the program's operators, changed in memory */
static aclrtBinHandle load_renamed(const char *name, const char *to)
{
	static char image[4 << 20];
	FILE *f = fopen(OPS, "r");
	size_t size, n = strlen(name);
	aclrtBinHandle bin;

	CHECK(f);
	size = fread(image, 1, sizeof(image), f);
	fclose(f);
	CHECK(size && size < sizeof(image));
	for (size_t i = 0; i + n < size; i++)
		if (!memcmp(image + i, name, n))
			memcpy(image + i, to, n);
	ACL(aclrtBinaryLoadFromData(image, size, NULL, &bin));
	return bin;
}

static void read_json(aclmdlRI graph, char *text, size_t size)
{
	const char *path = "build/tests/libacl-info.json";
	FILE *f;

	ACL(aclmdlRIDebugJsonPrint(graph, path, 0));
	f = fopen(path, "r");
	CHECK(f);
	memset(text, 0, size);
	CHECK_OP(fread(text, 1, size - 1, f), >, 0);
	fclose(f);
	unlink(path);
}

/* What a JSON text cannot have in a name as it is */
static void printed_names(void)
{
	static char text[65536];
	aclrtFuncHandle func;
	aclmdlRI graph;
	aclrtStream a;
	uint64_t args[1];

	start();
	a = new_stream();
	args[0] = U64(pinned_alloc(64));
	ACL(aclrtBinaryGetFunction(load_renamed("increment", "in\"re\\\ten"), "in\"re\\\ten", &func));
	begin(a);
	ACL(aclrtLaunchKernelWithHostArgs(func, 1, a, NULL, args, sizeof(args), NULL, 0));
	graph = end(a);
	read_json(graph, text, sizeof(text));
	CHECK(strstr(text, "\"name\":\"in?re??en\""));
	ACL(aclmdlRIDestroy(graph));
}

static void *has_recorded_nothing(void *arg)
{
	(void)arg;
	ACL(aclrtSetDevice(0));
	FAILS(aclrtCacheLastTaskOpInfo("x", 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "recorded");
	return NULL;
}

/* Information that is attached to a task stays with it, whatever is recorded behind */
static void *launch_there(void *stream)
{
	ACL(aclrtSetDevice(0));
	LAUNCH(op("increment"), 2, stream, U64(pinned_alloc(64)));
	return NULL;
}

/* What a thread says goes to its own last task, also if other threads have recorded more since */
static void information_goes_to_the_threads_own_task(void)
{
	static char text[65536];
	aclmdlRI graph;
	aclrtStream a;
	char *first;

	start();
	a = new_stream();
	ACL(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ACL(aclrtMemsetAsync(dev_alloc(64), 64, 0, 64, a));
	LAUNCH(op("store"), 1, a, U64(pinned_alloc(64)), 1);
	in_thread(launch_there, a);
	in_thread(launch_there, a);
	ACL(aclrtCacheLastTaskExtendInfo("of the store", 12));
	ACL(aclmdlRICaptureEnd(a, &graph));
	read_json(graph, text, sizeof(text));
	first = strstr(text, "\"name\":\"store\"");
	CHECK(first && strstr(first, "of the store"));
	CHECK(strstr(first, "of the store") < strstr(first, "\"name\":\"increment\""));
	ACL(aclmdlRIDestroy(graph));
}

static void information_about_a_task(void)
{
	static char text[8192];
	aclmdlRITaskParams params;
	aclmdlRITask tasks[3];
	uint32_t n = 3;
	aclrtStream a, lane;
	pthread_t thread;
	aclmdlRI graph;
	uint64_t *w;

	start();
	a = new_stream();
	w = pinned_alloc(64);
	FAILS(aclrtCacheLastTaskOpInfo("x", 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "recorded");
	begin(a);
	LAUNCH(op("increment"), 1, a, U64(w));
	FAILS(aclrtCacheLastTaskOpInfo(NULL, 1), ACL_ERROR_INVALID_PARAM, "infoPtr");
	FAILS(aclrtCacheLastTaskOpInfo("x", 0), ACL_ERROR_INVALID_PARAM, "infoSize");
	FAILS(aclrtCacheLastTaskExtendInfo(NULL, 1), ACL_ERROR_INVALID_PARAM, "extendInfoPtr");
	FAILS(aclrtCacheLastTaskExtendInfo("x", 0), ACL_ERROR_INVALID_PARAM, "infoSize");
	ACL(aclrtCacheLastTaskOpInfo("replaced", 8));
	ACL(aclrtCacheLastTaskOpInfo("a\0\"b", 4));
	ACL(aclrtCacheLastTaskExtendInfo("layer 7\nof 9", 100));
	LAUNCH(op("read_at"), 2, a, U64(w));
	LAUNCH(op("read_at"), 3, a, U64(w));
	ACL(aclrtCacheLastTaskExtendInfo("cut short", 3));
	CHECK_EQ(pthread_create(&thread, NULL, has_recorded_nothing, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	graph = end(a);
	read_json(graph, text, sizeof(text));
	CHECK(strstr(text, "\"opInfo\":\"a\\u0000\\u0022b\""));
	CHECK(strstr(text, "\"extendInfo\":\"layer 7\\u000aof 9\""));
	CHECK(strstr(text, "\"extendInfo\":\"cut\""));
	CHECK(!strstr(text, "replaced"));
	n = 1;
	ACL(aclmdlRIGetStreams(graph, &lane, &n));
	n = 3;
	ACL(aclmdlRIGetTasksByStream(lane, tasks, &n));
	CHECK_EQ(n, 3);
	ACL(aclmdlRITaskGetParams(tasks[0], &params));
	CHECK_EQ(params.opInfoSize, 4);
	CHECK(!memcmp(params.opInfoPtr, "a\0\"b", 4));
	ACL(aclmdlRITaskGetParams(tasks[1], &params));
	CHECK_EQ(params.opInfoSize, 0);
	CHECK(!params.opInfoPtr);
	ACL(aclmdlRIExecuteAsync(graph, a));
	ACL(aclrtSynchronizeStream(a));
	/* what is launched is not recorded */
	ACL(aclmdlRIDestroy(graph));
	FAILS(aclrtCacheLastTaskOpInfo("x", 1), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "gone");
}

static aclmdlRI common;
static atomic_int ended;

static void *use_it(void *arg)
{
	aclrtStream stream;
	aclError ret = ACL_SUCCESS;
	aclmdlRITask tasks[8];
	aclrtStream lane;
	uint32_t n;

	(void)arg;
	ACL(aclrtSetDevice(0));
	stream = new_stream();
	for (int i = 0; !ret; i++) {
		ret = aclmdlRIExecuteAsync(common, stream);
		if (i % 8)
			continue;
		ACL(aclrtSynchronizeStream(stream));
		n = 1;
		if (aclmdlRIGetStreams(common, &lane, &n))
			continue;
		n = 8;
		if (!aclmdlRIGetTasksByStream(lane, tasks, &n))
			(void)aclmdlRITaskDisable(tasks[i % n]);
		ret = aclmdlRIUpdate(common);
		ret = ret == ACL_ERROR_RT_MODEL_UPDATE_FAILED ? ACL_SUCCESS : ret;
	}
	/* its end is the only reason for failures */
	CHECK(ret == ACL_ERROR_RT_INVALID_HANDLE || ret == ACL_ERROR_RT_MODEL_CAPTURED);
	ACL(aclrtSynchronizeStream(stream));
	atomic_fetch_add(&ended, 1);
	return NULL;
}

/* Executed, changed and asked for by several threads, and destroyed by another in the middle of it */
static void threads_that_share_a_graph(void)
{
	pthread_t threads[4];
	aclrtStream a;
	uint64_t *w;
	aclError ret;

	start();
	a = new_stream();
	w = pinned_alloc(64);
	for (int round = 0; round < 20; round++) {
		begin(a);
		for (int i = 0; i < 8; i++)
			LAUNCH(op("increment"), 1, a, U64(&w[i]));
		common = end(a);
		atomic_store(&ended, 0);
		for (int i = 0; i < 4; i++)
			CHECK(!pthread_create(&threads[i], NULL, use_it, NULL));
		usleep(2000 * round);
		do {
			ret = aclmdlRIDestroy(common);
		} while (ret == ACL_ERROR_RT_MODEL_RUNNING);
		CHECK_EQ(ret, ACL_SUCCESS);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
		CHECK_EQ(atomic_load(&ended), 4);
	}
}

TAP_MAIN(TEST(what_a_graph_has),
	 TEST(attributes_of_kernels), TEST(limits_of_kernels),
	 TEST(changed_tasks),
	 TEST(changes_that_are_refused),
	 TEST(groups_are_updated),
	 TEST(updates_of_a_running_graph),
	 TEST(groups_that_are_refused),
	 TEST(printed_graphs), TEST(printed_names),
	 TEST(information_about_a_task), TEST(information_goes_to_the_threads_own_task),
	 TEST(threads_that_share_a_graph))
