// SPDX-License-Identifier: MIT
/*
 * Calls that are refused at the second thing that they look up put the first one back: each is made in rounds that must
 * leave nothing. The codes are those of the handle or the pointer that is wrong.
 */
#include "../keeps.h"

/* The call is refused because of a handle of something that has ended, or because of an address */
#define GONE(call) FAILS(call, ACL_ERROR_RT_INVALID_HANDLE)
#define BAD(call) FAILS(call, ACL_ERROR_RT_PARAM_INVALID)

static void nothing(void *arg)
{
	(void)arg;
}

static aclrtStream gone_stream(void)
{
	aclrtStream s = new_stream();

	ACL(aclrtDestroyStream(s));
	return s;
}

static void round_of_streams_that_are_gone(void)
{
	aclrtCntNotifyWaitInfo wait = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 3 };
	aclrtCntNotifyRecordInfo set = { .mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 3 };
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtStream s = gone_stream();
	aclrtCntNotify counter;
	aclrtLabelList labels;
	aclrtNotify notify;
	aclrtMemPool pool;
	aclrtLabel label;
	aclrtEvent event;
	uint64_t value = 1;
	void *p;

	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	GONE(aclrtRecordEvent(event, s));
	GONE(aclrtStreamWaitEvent(s, event));
	GONE(aclrtStreamWaitEventWithTimeout(s, event, 10));
	GONE(aclrtResetEvent(event, s));
	ACL(aclrtDestroyEvent(event));
	ACL(aclrtCreateNotify(&notify, 0));
	GONE(aclrtRecordNotify(notify, s));
	GONE(aclrtWaitAndResetNotify(notify, s, 10));
	ACL(aclrtDestroyNotify(notify));
	ACL(aclrtCntNotifyCreate(&counter, ACL_NOTIFY_DEFAULT));
	GONE(aclrtCntNotifyRecord(counter, s, &set));
	GONE(aclrtCntNotifyWaitWithTimeout(counter, s, &wait));
	GONE(aclrtCntNotifyReset(counter, s));
	ACL(aclrtCntNotifyDestroy(counter));
	ACL(aclrtCreateLabel(&label));
	ACL(aclrtCreateLabelList(&label, 1, &labels));
	GONE(aclrtSetLabel(label, s));
	GONE(aclrtSwitchLabelByIndex(dev, 1, labels, s));
	ACL(aclrtDestroyLabelList(labels));
	ACL(aclrtDestroyLabel(label));
	ACL(aclrtMemPoolCreate(&pool, &props));
	GONE(aclrtMemPoolMallocAsync(&p, 64, pool, s));
	ACL(aclrtMemPoolMallocAsync(&p, 64, pool, stream));
	GONE(aclrtMemPoolFreeAsync(p, s));
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtMemPoolDestroy(pool));
	p = dev_alloc(PAGE);
	GONE(aclrtMemcpyAsync(p, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	GONE(aclrtMemcpyAsyncWithCondition(p, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	GONE(aclrtMemcpy2dAsync(p, 64, dev, 64, 64, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	GONE(aclrtMemsetAsync(p, 64, 0, 64, s));
	GONE(aclrtMemsetD32Async(p, 64, 0, 16, s));
	GONE(aclrtReduceAsync(p, dev, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL));
	GONE(aclrtValueWrite(p, value, 0, s));
	GONE(aclrtValueWait(p, value, 0, s));
	GONE(aclrtCmoAsync(p, 64, ACL_RT_CMO_TYPE_PREFETCH, s));
	ACL(aclrtFree(p));
	GONE(aclrtLaunchHostFunc(s, nothing, NULL));
	GONE(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, s));
	GONE(aclrtSubscribeReport(1, s));
	GONE(aclrtUseStreamResInCurrentThread(s));
	GONE(aclrtSynchronizeStream(s));
	GONE(aclrtStreamAbort(s));
}
KEEPS_NOTHING(streams_that_are_gone)

/* A stream of the round, and addresses that were freed: one alone, or beside one that is good */
static void round_of_memory_that_is_gone(void)
{
	aclrtStream s = new_stream();
	void *gone = dev_alloc(PAGE), *good = dev_alloc(PAGE), *base;
	aclrtPtrAttributes what;
	const char *text;
	size_t size;

	ACL(aclrtFree(gone));
	BAD(aclrtMemcpyAsync(good, 64, gone, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpyAsync(gone, 64, good, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpyAsyncWithCondition(good, 64, gone, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpy(good, 64, gone, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	BAD(aclrtMemcpy(gone, 64, good, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	BAD(aclrtMemcpy2dAsync(good, 64, gone, 64, 64, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpy2dAsync(gone, 64, good, 64, 64, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpy2d(host, 64, gone, 64, 64, 2, ACL_MEMCPY_DEVICE_TO_HOST));
	BAD(aclrtMemcpy2d(gone, 64, host, 64, 64, 2, ACL_MEMCPY_HOST_TO_DEVICE));
	BAD(aclrtMemsetAsync(gone, 64, 0, 64, s));
	BAD(aclrtMemset(gone, 64, 0, 64));
	BAD(aclrtReduceAsync(good, gone, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL));
	BAD(aclrtReduceAsync(gone, good, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, NULL));
	BAD(aclrtValueWrite(gone, 1, 0, s));
	BAD(aclrtValueWait(gone, 1, 0, s));
	BAD(aclrtCmoAsync(gone, 64, ACL_RT_CMO_TYPE_PREFETCH, s));
	BAD(aclrtMemFlush(gone, 64));
	aclGetRecentErrMsg();
	CHECK_EQ(aclrtMemFlush(gone, 64), ACL_ERROR_RT_PARAM_INVALID);
	text = aclGetRecentErrMsg();
	/* where it was made and freed stands in parentheses, if the call is found in the program's lines */
	CHECK(text && (!find_text(text, "(ended by") || text[strcspn(text, "\n") - 1] == ')'));
	BAD(aclrtMemPoolFreeAsync(gone, s));
	BAD(aclrtPointerGetAttributes(gone, &what));
	BAD(aclrtMemGetAddressRange(gone, &base, &size));
	/* more than there is, at either side */
	BAD(aclrtMemcpyAsync(good, 2 * PAGE, dev, 2 * PAGE, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemcpyAsync((char *)dev + 64, MIB, dev, MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, s));
	BAD(aclrtMemsetAsync((char *)dev + 64, MIB, 0, MIB, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtFree(good));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(memory_that_is_gone)

/* A stream of the round that stays, and handles of other things that have ended */
static void round_of_handles_that_are_gone(void)
{
	aclrtCntNotifyWaitInfo wait = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 3 };
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtStream s = new_stream(), gone = gone_stream();
	aclrtCntNotify counter;
	aclrtLabelList labels;
	aclrtNotify notify;
	aclrtEvent a, b;
	aclrtMemPool pool;
	aclrtLabel label;
	aclmdlRI graph;
	float ms;
	void *p;

	ACL(aclrtCreateEvent(&a));
	ACL(aclrtCreateEvent(&b));
	ACL(aclrtRecordEvent(a, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtDestroyEvent(b));
	GONE(aclrtRecordEvent(b, s));
	GONE(aclrtStreamWaitEvent(s, b));
	GONE(aclrtResetEvent(b, s));
	GONE(aclrtEventElapsedTime(&ms, a, b));
	GONE(aclrtEventElapsedTime(&ms, b, a));
	GONE(aclrtSynchronizeEvent(b));
	ACL(aclrtDestroyEvent(a));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtDestroyNotify(notify));
	GONE(aclrtRecordNotify(notify, s));
	GONE(aclrtWaitAndResetNotify(notify, s, 10));
	ACL(aclrtCntNotifyCreate(&counter, ACL_NOTIFY_DEFAULT));
	ACL(aclrtCntNotifyDestroy(counter));
	GONE(aclrtCntNotifyWaitWithTimeout(counter, s, &wait));
	ACL(aclrtCreateLabel(&label));
	ACL(aclrtCreateLabelList(&label, 1, &labels));
	ACL(aclrtDestroyLabelList(labels));
	ACL(aclrtDestroyLabel(label));
	GONE(aclrtSetLabel(label, s));
	GONE(aclrtSwitchLabelByIndex(dev, 1, labels, s));
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolDestroy(pool));
	GONE(aclrtMemPoolMallocAsync(&p, 64, pool, s));
	ACL(aclmdlRIBuildBegin(&graph, 0));
	GONE(aclmdlRIBindStream(graph, gone, 0));
	GONE(aclmdlRIUnbindStream(graph, gone));
	GONE(aclmdlRIEndTask(graph, gone));
	ACL(aclmdlRIDestroy(graph));
	GONE(aclmdlRIBindStream(graph, s, 0));
	GONE(aclmdlRIExecuteAsync(graph, s));
	GONE(aclmdlRIDestroy(graph));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(handles_that_are_gone)

/* In a recording: the tasks of a graph that cannot be made, each of which voids its recording */
static void round_of_recordings_that_are_void(void)
{
	aclrtStream s = new_stream(), gone = gone_stream();
	aclmdlRICondTaskParams params;
	aclmdlRICondHandle cond;
	aclmdlRI graph, body;
	aclrtTaskGrp group;

	ACL(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	ACL(aclmdlRICaptureGetInfo(s, &(aclmdlRICaptureStatus){ 0 }, &graph));
	ACL(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &cond));
	params = (aclmdlRICondTaskParams){ cond, ACL_MODEL_RI_COND_TYPE_IF, 1, &body };
	GONE(aclmdlRIAddCondTask(params, gone, 0));
	GONE(aclmdlRICaptureToModelRIBegin(gone, graph, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	CHECK(aclmdlRIAddCondTask(params, stream, 0));
	ACL(aclmdlRICaptureTaskGrpBegin(s));
	LAUNCH(op("store"), 1, s, U64(dev), 5);
	ACL(aclmdlRICaptureTaskGrpEnd(s, &group));
	CHECK(aclmdlRICaptureTaskUpdateBegin(s, group));
	CHECK(aclmdlRICaptureTaskUpdateBegin(stream, group));
	ACL(aclmdlRICaptureEnd(s, &graph));
	GONE(aclmdlRICaptureTaskUpdateBegin(gone, group));
	ACL(aclmdlRICaptureTaskUpdateBegin(stream, group));
	CHECK(aclmdlRICaptureTaskUpdateBegin(stream, group));
	CHECK(aclmdlRICaptureTaskUpdateBegin(s, group));
	CHECK(aclmdlRICaptureTaskUpdateEnd(stream)); /* its one task was not given */
	GONE(aclmdlRIExecuteAsync(graph, gone));
	ACL(aclmdlRIDestroy(graph));
	GONE(aclmdlRIAddCondTask(params, s, 0));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(recordings_that_are_void)

/* Launches: of functions whose binary has gone, and into streams that have */
static void round_of_launches_that_are_refused(void)
{
	aclrtStream s = new_stream(), gone = gone_stream();
	aclrtBinHandle bin = load(OPS);
	struct { void *p; uint64_t v; } args = { dev, 1 };
	aclrtFuncHandle func;
	aclrtArgsHandle handle;
	char name[16];

	GONE(aclrtLaunchKernelV2(op("store"), 1, &args, sizeof(args), NULL, gone));
	GONE(aclrtLaunchKernelWithHostArgs(op("store"), 1, gone, NULL, &args, sizeof(args), NULL, 0));
	ACL(aclrtKernelArgsInit(op("store"), &handle));
	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	ACL(aclrtBinaryUnLoad(bin));
	GONE(aclrtLaunchKernelV2(func, 1, &args, sizeof(args), NULL, s));
	GONE(aclrtLaunchKernelWithHostArgs(func, 1, s, NULL, &args, sizeof(args), NULL, 0));
	GONE(aclrtGetFunctionName(func, sizeof(name), name));
	GONE(aclrtBinaryGetFunction(bin, "store", &func));
	GONE(aclrtBinaryUnLoad(bin));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(launches_that_are_refused)

/* Every function that has one handle, of something that has ended */
static void round_of_one_handle_that_is_gone(void)
{
	aclrtStreamAttrValue value = { .failureMode = 0 };
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtEventRecordedStatus recorded;
	aclrtStream s = gone_stream();
	aclrtEventWaitStatus waited;
	aclrtStreamStatus running;
	aclrtEventStatus status;
	aclrtCntNotify counter;
	aclrtContext context, before;
	aclrtNotify notify;
	aclrtMemPool pool;
	aclrtEvent event;
	uint64_t n64 = 0;
	uint32_t n;
	int32_t id;

	GONE(aclrtStreamQuery(s, &running));
	GONE(aclrtStreamGetId(s, &id));
	GONE(aclrtStreamGetFlags(s, &n));
	GONE(aclrtStreamGetPriority(s, &n));
	GONE(aclrtStreamStop(s));
	GONE(aclrtSynchronizeStreamWithTimeout(s, 10));
	GONE(aclrtSetStreamFailureMode(s, 1));
	GONE(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	GONE(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	GONE(aclrtSetStreamOverflowSwitch(s, 1));
	GONE(aclrtGetStreamOverflowSwitch(s, &n));
	GONE(aclrtResetOverflowStatus(s));
	GONE(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 1));
	GONE(aclrtGetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, &n));
	GONE(aclrtResetStreamResLimit(s));
	GONE(aclrtUnuseStreamResInCurrentThread(s));
	GONE(aclrtPersistentTaskClean(s));
	GONE(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	GONE(aclmdlRICaptureTaskGrpBegin(s));
	GONE(aclmdlRICaptureTaskUpdateEnd(s));
	GONE(aclrtDestroyStream(s));
	GONE(aclrtDestroyStreamForce(s));
	ACL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
	ACL(aclrtDestroyEvent(event));
	GONE(aclrtDestroyEvent(event));
	GONE(aclrtQueryEvent(event, &status));
	GONE(aclrtQueryEventStatus(event, &recorded));
	GONE(aclrtQueryEventWaitStatus(event, &waited));
	GONE(aclrtEventGetTimestamp(event, &n64));
	GONE(aclrtSynchronizeEventWithTimeout(event, 10));
	GONE(aclrtGetEventId(event, &n));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtDestroyNotify(notify));
	GONE(aclrtDestroyNotify(notify));
	GONE(aclrtGetNotifyId(notify, &n));
	GONE(aclrtNotifyBatchReset(&notify, 1));
	ACL(aclrtCntNotifyCreate(&counter, ACL_NOTIFY_DEFAULT));
	ACL(aclrtCntNotifyDestroy(counter));
	GONE(aclrtCntNotifyDestroy(counter));
	GONE(aclrtCntNotifyGetId(counter, &n));
	GONE(aclrtCntNotifyReset(counter, stream));
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolDestroy(pool));
	GONE(aclrtMemPoolDestroy(pool));
	GONE(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &n64));
	GONE(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &n64));
	GONE(aclrtMemPoolTrimTo(pool, 0));
	ACL(aclrtGetCurrentContext(&before));
	ACL(aclrtCreateContext(&context, 0));
	CHECK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 40000)); /* in the context that goes next */
	ACL(aclrtDestroyContext(context));
	CHECK(aclrtSetCurrentContext(context));
	CHECK(aclrtDestroyContext(context));
	ACL(aclrtSetCurrentContext(before));
}
KEEPS_NOTHING(one_handle_that_is_gone)

/* The same of a graph and what goes with it */
static void round_of_graphs_that_are_gone(void)
{
	aclrtLaunchKernelAttrValue value;
	aclrtStream s = new_stream(), lane;
	aclmdlRITaskParams params = { 0 };
	aclmdlRITaskType type;
	aclmdlRICondHandle cond;
	aclrtTaskGrp group;
	aclmdlRITask task;
	aclmdlRI graph;
	uint32_t n = 1;
	uint64_t *ptr;
	char name[16];

	ACL(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ACL(aclmdlRICaptureGetInfo(s, &(aclmdlRICaptureStatus){ 0 }, &graph));
	ACL(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &cond));
	ACL(aclmdlRICaptureTaskGrpBegin(s));
	LAUNCH(op("store"), 1, s, U64(dev), 5);
	ACL(aclmdlRICaptureTaskGrpEnd(s, &group));
	ACL(aclmdlRICaptureEnd(s, &graph));
	ACL(aclmdlRIGetStreams(graph, &lane, &n));
	ACL(aclmdlRIGetTasksByStream(lane, &task, &n));
	ACL(aclmdlRITaskGetParams(task, &params));
	ACL(aclmdlRIDestroy(graph));
	GONE(aclmdlRIDestroy(graph));
	GONE(aclmdlRIExecute(graph, 10));
	GONE(aclmdlRIAbort(graph));
	GONE(aclmdlRIUpdate(graph));
	GONE(aclmdlRIBuildEnd(graph, NULL));
	GONE(aclmdlRIGetId(graph, &n));
	GONE(aclmdlRISetName(graph, "name"));
	GONE(aclmdlRIGetName(graph, sizeof(name), name));
	GONE(aclmdlRIGetStreams(graph, &lane, &n));
	GONE(aclmdlRIGetTasksByStream(lane, &task, &n));
	GONE(aclmdlRIDebugPrint(graph));
	GONE(aclmdlRIDebugJsonPrint(graph, "/dev/null", 0));
	GONE(aclmdlRIDestroyRegisterCallback(graph, nothing, NULL));
	GONE(aclmdlRIDestroyUnregisterCallback(graph, nothing));
	GONE(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &cond));
	GONE(aclmdlRICondHandleGetCondPtr(cond, &ptr));
	GONE(aclmdlRITaskGetType(task, &type));
	GONE(aclmdlRITaskGetSeqId(task, &n));
	GONE(aclmdlRITaskGetParams(task, &params));
	GONE(aclmdlRITaskSetParams(task, &params));
	GONE(aclmdlRITaskDisable(task));
	GONE(aclmdlRIKernelTaskGetAttribute(task, ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &value));
	CHECK(aclmdlRICaptureTaskUpdateBegin(stream, group));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(graphs_that_are_gone)

TAP_MAIN(TEST(streams_that_are_gone), TEST(memory_that_is_gone), TEST(handles_that_are_gone),
	 TEST(recordings_that_are_void), TEST(launches_that_are_refused), TEST(one_handle_that_is_gone),
	 TEST(graphs_that_are_gone))
