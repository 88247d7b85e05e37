// SPDX-License-Identifier: MIT
/* Objects that are made and given back leave nothing. */
#include <pthread.h>

#include "../keeps.h"

static void round_of_contexts(void)
{
	aclrtContext mine, before;
	aclrtStream s;

	ACL(aclrtGetCurrentContext(&before));
	ACL(aclrtCreateContext(&mine, 0));
	s = new_stream();
	ACL(aclrtMemsetAsync(dev, PAGE, 1, PAGE, s));
	ACL(aclrtMemset(dev, PAGE, 1, PAGE));
	ACL(aclrtMemcpy(host, PAGE, dev, PAGE, ACL_MEMCPY_DEVICE_TO_HOST));
	ACL(aclrtMemcpy2d(host, 64, dev, 64, 64, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	LAUNCH(op("store"), 1, NULL, U64(dev), 5);
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtDestroyStream(s));
	ACL(aclrtDestroyContext(mine));
	ACL(aclrtSetCurrentContext(before));
}
KEEPS_NOTHING(contexts)

static void round_of_events(void)
{
	aclrtEvent a, b, c;
	aclrtNotify notify;
	float ms;

	ACL(aclrtCreateEventExWithFlag(&a, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&b, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&c, ACL_EVENT_IPC));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtRecordEvent(a, stream));
	ACL(aclrtStreamWaitEvent(NULL, a));
	ACL(aclrtRecordNotify(notify, stream));
	ACL(aclrtWaitAndResetNotify(notify, stream, 0));
	ACL(aclrtRecordEvent(b, stream));
	ACL(aclrtRecordEvent(c, stream));
	ACL(aclrtSynchronizeEvent(b));
	ACL(aclrtSynchronizeEvent(c));
	ACL(aclrtEventElapsedTime(&ms, a, b));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtDestroyEvent(a));
	ACL(aclrtDestroyEvent(b));
	ACL(aclrtDestroyEvent(c));
	ACL(aclrtDestroyNotify(notify));
}
KEEPS_NOTHING(events)

static void round_of_memory(void)
{
	void *small = dev_alloc(64), *big = dev_alloc(3 * MIB), *pinned = pinned_alloc(PAGE), *shared;
	void *mine = aligned_alloc(PAGE, PAGE), *there;

	ACL(aclrtMemAllocManaged(&shared, PAGE, ACL_RT_MEM_ATTACH_GLOBAL));
	ACL(aclrtHostRegister(mine, PAGE, ACL_HOST_REGISTER_MAPPED, &there));
	ACL(aclrtHostUnregister(mine));
	ACL(aclrtFree(shared));
	ACL(aclrtFreeHost(pinned));
	ACL(aclrtFree(big));
	ACL(aclrtFree(small));
	free(mine);
}
KEEPS_NOTHING(memory)

static void round_of_mappings_of_physical_memory(void)
{
	aclrtPhysicalMemProp prop = {
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle handle, again;
	uint64_t number;
	void *va;

	ACL(aclrtReserveMemAddress(&va, 4 * MIB, 0, NULL, 1));
	ACL(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	ACL(aclrtMapMem(va, 2 * MIB, 0, handle, 0));
	ACL(aclrtMemRetainAllocationHandle(va, &again));
	ACL(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	ACL(aclrtFreePhysical(again));
	ACL(aclrtUnmapMem(va));
	ACL(aclrtFreePhysical(handle));
	prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	prop.memAttr = ACL_DDR_MEM_NORMAL;
	ACL(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
	ACL(aclrtMapMem(va, 2 * MIB, 0, handle, 0));
	memset(va, 1, 2 * MIB);
	ACL(aclrtUnmapMem(va));
	ACL(aclrtFreePhysical(handle));
	ACL(aclrtReleaseMemAddress(va));
}
KEEPS_NOTHING(mappings_of_physical_memory)

static void round_of_pools(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtMemPool pool;
	void *p, *q;

	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolMallocAsync(&p, PAGE, pool, stream));
	ACL(aclrtMemPoolMallocAsync(&q, 3 * MIB, pool, stream));
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtMemPoolFreeAsync(q, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtMemPoolDestroy(pool));
}
KEEPS_NOTHING(pools)

static void round_of_copies(void)
{
	char *mine = malloc(PAGE);

	memset(mine, 1, PAGE);
	ACL(aclrtMemcpy(dev, PAGE, mine, PAGE, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpyAsync((char *)dev + 1, PAGE, mine, PAGE - 1, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	ACL(aclrtMemcpyAsync(mine, PAGE, dev, PAGE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	ACL(aclrtMemcpyAsync(host, PAGE, dev, PAGE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	ACL(aclrtMemcpy2dAsync(dev, 128, mine, 64, 64, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	ACL(aclrtMemset(dev, PAGE, 1, PAGE));
	ACL(aclrtReduceAsync(dev, (char *)dev + PAGE, PAGE, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
			     stream, NULL));
	ACL(aclrtValueWrite(dev, 7, 0, stream));
	ACL(aclrtValueWait(dev, 7, ACL_STREAM_WAIT_VALUE_EQ, stream));
	ACL(aclrtSynchronizeStream(stream));
	free(mine);
}
KEEPS_NOTHING(copies)

static void round_of_launches(void)
{
	aclrtParamHandle param;
	aclrtArgsHandle args;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	uint64_t value = 5;
	size_t size;
	void *p;

	LAUNCH(op("store"), 1, stream, U64(dev), 5);
	ACL(aclrtKernelArgsInit(op("store"), &args));
	ACL(aclrtKernelArgsAppend(args, &dev, sizeof(dev), &param));
	ACL(aclrtKernelArgsAppend(args, &value, sizeof(value), &param));
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("store"), 1, stream, NULL, args, NULL));
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	LAUNCH(func, 1, stream, U64(dev), 6);
	ACL(aclrtBinaryGetFunctionByEntry(bin, 1234567, &func));
	ACL(aclrtBinaryGetGlobal(bin, "tally", &p, &size));
	ACL(aclrtBinaryGetDevAddress(bin, &p, &size));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtBinaryUnLoad(bin));
}
KEEPS_NOTHING(launches)

static void nothing(void *data)
{
	(void)data;
}

static void round_of_callbacks(void)
{
	ACL(aclrtLaunchHostFunc(stream, nothing, NULL));
	ACL(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
	ACL(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, stream));
	ACL(aclrtProcessReport(10000));
	ACL(aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_NO_BLOCK, stream));
	ACL(aclrtProcessReport(10000));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
}
KEEPS_NOTHING(callbacks)

static void round_of_graphs(void)
{
	aclmdlRI graph;

	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	LAUNCH(op("store"), 1, stream, U64(dev), 5);
	ACL(aclrtMemsetAsync(dev, PAGE, 1, PAGE, stream));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclmdlRIDestroy(graph));
	/* A stream that goes while it is recorded takes its recording along. */
	ACL(aclrtDestroyStream(stream));
	stream = new_stream();
}
KEEPS_NOTHING(graphs)

/* Refused calls keep neither what they have begun to make nor what they have looked up. */
static void round_of_failures(void)
{
	aclrtStream other = new_stream();
	aclrtEventWaitStatus waited;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclrtEvent event;
	size_t size;
	void *p;

	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_TIME_LINE));
	CHECK(aclrtQueryEventWaitStatus(event, &waited));
	CHECK(aclrtStreamWaitEvent(other, event));
	ACL(aclrtDestroyEvent(event));
	CHECK_EQ(aclrtMalloc(&p, SIZE_MAX / 2, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
	CHECK(aclrtBinaryLoadFromFile("/proc/self/maps", NULL, &bin));
	bin = load(OPS);
	CHECK_EQ(aclrtBinaryGetFunction(bin, "no_such", &func), ACL_ERROR_RT_KERNEL_LOOKUP);
	CHECK_EQ(aclrtBinaryGetFunctionByEntry(bin, 4, &func), ACL_ERROR_RT_KERNEL_LOOKUP);
	CHECK_EQ(aclrtBinaryGetGlobal(bin, "store", &p, &size), ACL_ERROR_RT_SYMBOL_NOT_FOUND);
	ACL(aclrtBinaryUnLoad(bin));
	CHECK(aclrtMemcpy(dev, 1, host, 2, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtMemcpyAsync(dev, PAGE, NULL, PAGE, ACL_MEMCPY_HOST_TO_DEVICE, other));
	CHECK(aclrtFree((char *)dev + 64));
	CHECK(aclrtHostRegister(dev, PAGE, ACL_HOST_REGISTER_MAPPED, &p));
	ACL(aclrtDestroyStream(other));
	CHECK(aclrtSynchronizeStream(other));
}
KEEPS_NOTHING(failures)

static void round_of_labels(void)
{
	aclrtLabelList list;
	aclrtLabel l[2];

	for (int i = 0; i < 2; i++)
		ACL(aclrtCreateLabel(&l[i]));
	ACL(aclrtCreateLabelList(l, 2, &list));
	ACL(aclrtDestroyLabelList(list));
	for (int i = 0; i < 2; i++)
		ACL(aclrtDestroyLabel(l[i]));
}
KEEPS_NOTHING(labels)

/* Every question and setting of a stream and of a kernel: a reference that stays would keep the stream's ring, or the code. */
static void round_of_questions_of_streams(void)
{
	aclrtStreamAttrValue value = { .failureMode = 0 };
	aclrtStream s = new_stream();
	aclrtStreamStatus status;
	uint32_t n;
	int32_t id;

	ACL(aclrtStreamQuery(s, &status));
	ACL(aclrtStreamGetId(s, &id));
	ACL(aclrtStreamGetFlags(s, &n));
	ACL(aclrtStreamGetPriority(s, &n));
	ACL(aclrtSetStreamFailureMode(s, 1));
	ACL(aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	CHECK(aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	ACL(aclrtSetStreamOverflowSwitch(s, 1));
	ACL(aclrtGetStreamOverflowSwitch(s, &n));
	ACL(aclrtResetOverflowStatus(s));
	ACL(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 1));
	ACL(aclrtGetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, &n));
	ACL(aclrtUseStreamResInCurrentThread(s));
	ACL(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &n));
	ACL(aclrtUnuseStreamResInCurrentThread(s));
	ACL(aclrtResetStreamResLimit(s));
	CHECK(aclrtSetStreamResLimit(s, ACL_RT_DEV_RES_CUBE_CORE, 100000));
	CHECK(aclrtGetStreamAttribute(s, (aclrtStreamAttr)99, &value));
	CHECK(aclrtSetStreamFailureMode(s, 99));
	ACL(aclrtStreamStop(s));
	ACL(aclrtStreamAbort(s));
	ACL(aclrtSynchronizeStreamWithTimeout(s, 1000));
	ACL(aclrtDestroyStreamForce(s));
}
KEEPS_NOTHING(questions_of_streams)

static void hears_of_faults(aclrtExceptionInfo *info, void *data)
{
	aclrtFuncHandle func;
	uint32_t size;
	void *args;

	ACL(aclrtGetFuncHandleFromExceptionInfo(info, &func));
	ACL(aclrtGetArgsFromExceptionInfo(info, &args, &size));
	++*(int *)data;
}

/* The last callback is dropped with its binary. */
static void round_of_questions_of_kernels(void)
{
	aclrtBinHandle bin = load(OPS);
	aclrtStream s = new_stream();
	aclrtFuncHandle func;
	char name[16];
	int heard = 0;
	size_t a, b;
	void *p, *q;

	ACL(aclrtBinaryGetFunction(bin, "write_at", &func));
	ACL(aclrtGetFunctionName(func, sizeof(name), name));
	CHECK(aclrtGetFunctionName(func, 3, name));
	ACL(aclrtGetFunctionAddr(func, &p, &q));
	ACL(aclrtGetFunctionSize(func, &a, &b));
	ACL(aclrtBinarySetExceptionCallback(bin, hears_of_faults, &heard));
	LAUNCH(func, 1, s, 8);
	CHECK(aclrtSynchronizeStream(s));
	CHECK_EQ(heard, 1);
	ACL(aclrtBinarySetExceptionCallback(bin, NULL, NULL));
	ACL(aclrtBinarySetExceptionCallback(bin, hears_of_faults, &heard));
	ACL(aclrtDestroyStream(s));
	ACL(aclrtBinaryUnLoad(bin));
}
KEEPS_NOTHING(questions_of_kernels)

/* The library gives back its memory for a thread when the thread ends. */
static void *fails_and_makes_arguments(void *arg)
{
	aclrtArgsHandle args;

	CHECK_EQ(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM);
	ACL(aclrtSetCurrentContext(arg));
	ACL(aclrtKernelArgsInit(op("store"), &args));
	return arg;
}

static void round_of_threads(void)
{
	aclrtContext context;

	ACL(aclrtGetCurrentContext(&context));
	in_thread(fails_and_makes_arguments, context);
}
KEEPS_NOTHING(threads)

/* Calls put back each reference that they have taken: one that stays would keep the device's whole state. */
static void round_of_devices(void)
{
	aclrtDeviceStatus status;
	aclrtUuid uuid;
	char bus[32];
	uint32_t type;
	int64_t value;
	int32_t id;
	void *p;

	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtDeviceGetUuid(0, &uuid));
	ACL(aclrtDeviceGetPCIBusId(0, bus, sizeof(bus)));
	ACL(aclrtDeviceGetByPCIBusId(bus, &id));
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
	ACL(aclrtQueryDeviceStatus(0, &status));
	ACL(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &type));
	ACL(aclrtLaunchHostFunc(NULL, nothing, NULL));
	ACL(aclrtSynchronizeDevice());
	p = dev_alloc(64);
	ACL(aclrtMemFlush(p, 64));
	ACL(aclrtMemInvalidate(p, 64));
	ACL(aclrtCmoAsync(p, 64, ACL_RT_CMO_TYPE_PREFETCH, NULL));
	ACL(aclrtCheckMemType(&p, 1, ACL_RT_MEM_TYPE_DEV, &type, 0));
	ACL(aclrtMemset(p, 64, 1, 64));
	ACL(aclrtFree(p));
	CHECK(aclrtFree(p));
	CHECK(aclrtMemFlush(p, 64));
}
KEEPS_NOTHING(devices)

/* Questions about a graph and changes of it, also those that are refused: it goes with all that it has. */
static void round_of_questions_of_graphs(void)
{
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	aclrtStream s = new_stream(), lane;
	aclmdlRICaptureStatus status;
	aclrtLaunchKernelAttrValue v;
	aclmdlRITaskParams params;
	aclmdlRITaskType type;
	aclmdlRI graph, half;
	aclmdlRITask t[2];
	uint32_t n = 1, id;
	aclrtTaskGrp grp;
	char name[16];

	ACL(aclmdlRICaptureThreadExchangeMode(&mode));
	ACL(aclmdlRICaptureThreadExchangeMode(&mode));
	ACL(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ACL(aclmdlRICaptureGetInfo(s, &status, &half));
	CHECK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	CHECK(aclmdlRIExecuteAsync(half, stream));
	ACL(aclmdlRICaptureTaskGrpBegin(s));
	LAUNCH(op("store"), 1, s, U64(dev), 5);
	ACL(aclmdlRICaptureTaskGrpEnd(s, &grp));
	ACL(aclrtMemsetAsync(dev, PAGE, 1, PAGE, s));
	ACL(aclmdlRICaptureEnd(s, &graph));
	ACL(aclmdlRIDestroyRegisterCallback(graph, nothing, NULL));
	ACL(aclmdlRIDestroyRegisterCallback(graph, nothing, NULL));
	ACL(aclmdlRIDestroyUnregisterCallback(graph, nothing));
	ACL(aclmdlRIGetId(graph, &id));
	ACL(aclmdlRISetName(graph, "one"));
	ACL(aclmdlRISetName(graph, "another"));
	ACL(aclmdlRIGetName(graph, sizeof(name), name));
	ACL(aclmdlRIGetName(graph, 3, name));
	ACL(aclmdlRIGetStreams(graph, &lane, &n));
	n = 2;
	ACL(aclmdlRIGetTasksByStream(lane, t, &n));
	CHECK_EQ(n, 2);
	ACL(aclmdlRITaskGetType(t[0], &type));
	ACL(aclmdlRITaskGetSeqId(t[1], &id));
	ACL(aclmdlRIKernelTaskGetAttribute(t[0], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v));
	CHECK(aclmdlRIKernelTaskGetAttribute(t[1], ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, &v));
	ACL(aclmdlRITaskGetParams(t[1], &params));
	CHECK(aclmdlRITaskSetParams(t[1], &params));
	ACL(aclmdlRITaskGetParams(t[0], &params));
	ACL(aclmdlRITaskSetParams(t[0], &params));
	ACL(aclmdlRIUpdate(graph));
	ACL(aclmdlRIExecute(graph, 10000));
	ACL(aclmdlRICaptureTaskUpdateBegin(stream, grp));
	LAUNCH(op("store"), 1, stream, U64(dev), 6);
	ACL(aclmdlRICaptureTaskUpdateEnd(stream));
	ACL(aclmdlRITaskDisable(t[1]));
	ACL(aclmdlRIUpdate(graph));
	ACL(aclmdlRIExecuteAsync(graph, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclmdlRIDestroy(graph));
	CHECK(aclmdlRIGetId(graph, &id));
	CHECK(aclmdlRICaptureTaskUpdateBegin(s, grp));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(questions_of_graphs)

/* A graph of bound streams with a label, and one with a condition and its body */
static void round_of_graphs_with_control(void)
{
	aclmdlRI graph, body;
	aclmdlRICondTaskParams params;
	aclmdlRICondHandle cond;
	aclrtLabelList labels;
	aclrtStream a, b;
	aclrtLabel label;
	uint64_t *ptr;

	ACL(aclrtCreateStreamWithConfig(&a, 2, ACL_STREAM_PERSISTENT));
	ACL(aclrtCreateLabel(&label));
	ACL(aclrtCreateLabelList(&label, 1, &labels));
	ACL(aclrtMemset(dev, 4, 0, 4));
	ACL(aclmdlRIBuildBegin(&graph, 0));
	ACL(aclmdlRIBindStream(graph, a, ACL_MODEL_STREAM_FLAG_HEAD));
	CHECK(aclmdlRIBindStream(graph, a, ACL_MODEL_STREAM_FLAG_HEAD));
	ACL(aclrtSwitchLabelByIndex(dev, 1, labels, a));
	LAUNCH(op("store"), 1, a, U64(dev), 5);
	ACL(aclrtSetLabel(label, a));
	CHECK(aclrtSetLabel(label, a));
	ACL(aclmdlRIEndTask(graph, a));
	ACL(aclmdlRIBuildEnd(graph, NULL));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclmdlRIUnbindStream(graph, a));
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtDestroyLabelList(labels));
	ACL(aclrtDestroyLabel(label));
	ACL(aclrtDestroyStream(a));
	a = new_stream();
	b = new_stream();
	ACL(aclmdlRICaptureBegin(a, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	ACL(aclmdlRICaptureGetInfo(a, &(aclmdlRICaptureStatus){ 0 }, &graph));
	ACL(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &cond));
	ACL(aclmdlRICondHandleGetCondPtr(cond, &ptr));
	params = (aclmdlRICondTaskParams){ cond, ACL_MODEL_RI_COND_TYPE_IF, 1, &body };
	ACL(aclmdlRIAddCondTask(params, a, 0));
	CHECK(aclmdlRIAddCondTask(params, b, 0));
	ACL(aclmdlRICaptureToModelRIBegin(b, body, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	LAUNCH(op("store"), 1, b, U64(dev), 7);
	ACL(aclmdlRICaptureEnd(b, NULL));
	ACL(aclmdlRICaptureEnd(a, &graph));
	ACL(aclmdlRIExecuteAsync(graph, a));
	ACL(aclrtSynchronizeStream(a));
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtDestroyStream(a));
	ACL(aclrtDestroyStream(b));
}
KEEPS_NOTHING(graphs_with_control)

static void round_of_questions_of_events(void)
{
	aclrtCntNotifyWaitInfo wait = { .mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, .value = 3 };
	aclrtCntNotifyRecordInfo set = { .mode = ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, .value = 3 };
	aclrtEventRecordedStatus recorded;
	aclrtStream s = new_stream();
	aclrtEventStatus status;
	aclrtCntNotify counter;
	aclrtNotify notify;
	aclrtEvent a, b;
	uint64_t time;
	uint32_t id;
	float ms;

	ACL(aclrtCreateEventWithFlag(&a, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
	ACL(aclrtCreateEvent(&b));
	ACL(aclrtGetEventId(a, &id));
	ACL(aclrtRecordEvent(a, s));
	ACL(aclrtStreamWaitEventWithTimeout(stream, a, 5000));
	ACL(aclrtSynchronizeEventWithTimeout(a, 10000));
	ACL(aclrtQueryEvent(a, &status));
	ACL(aclrtQueryEventStatus(a, &recorded));
	ACL(aclrtEventGetTimestamp(a, &time));
	CHECK(aclrtEventElapsedTime(&ms, a, b));
	CHECK(aclrtEventElapsedTime(&ms, b, a));
	CHECK(aclrtEventGetTimestamp(b, &time));
	ACL(aclrtResetEvent(a, s));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtGetNotifyId(notify, &id));
	ACL(aclrtRecordNotify(notify, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtNotifyBatchReset(&notify, 1));
	ACL(aclrtCntNotifyCreate(&counter, ACL_NOTIFY_DEFAULT));
	ACL(aclrtCntNotifyGetId(counter, &id));
	ACL(aclrtCntNotifyRecord(counter, s, &set));
	ACL(aclrtCntNotifyWaitWithTimeout(counter, stream, &wait));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtCntNotifyReset(counter, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtDestroyEvent(a));
	ACL(aclrtDestroyEvent(b));
	ACL(aclrtDestroyNotify(notify));
	ACL(aclrtCntNotifyDestroy(counter));
	CHECK(aclrtCntNotifyDestroy(counter));
	CHECK(aclrtQueryEvent(a, &status));
	ACL(aclrtDestroyStream(s));
}
KEEPS_NOTHING(questions_of_events)

/* Questions about memory, and its other ways to be made, filled and copied */
static void round_of_questions_of_memory(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	void *p, *q, *base, *dsts[1], *srcs[1];
	aclrtMemUsageInfo use[16];
	aclrtPtrAttributes what;
	size_t size = 64, fail;
	aclrtMemPool pool;
	uint64_t value;

	ACL(aclrtMallocAlign32(&p, 2 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMallocWithCfg(&q, 64, ACL_MEM_MALLOC_NORMAL_ONLY, NULL));
	ACL(aclrtPointerGetAttributes(p, &what));
	ACL(aclrtPointerGetAttributes(&what, &what));
	ACL(aclrtMemGetAddressRange((char *)p + 64, &base, &size));
	CHECK(base == p);
	CHECK(aclrtMemGetAddressRange(&what, &base, &size));
	ACL(aclrtGetMemUsageInfo(0, use, 16, &size));
	ACL(aclrtMemsetD32(p, PAGE, 7, PAGE / 4));
	ACL(aclrtMemsetD32Async(p, PAGE, 7, PAGE / 4, stream));
	CHECK(aclrtMemsetD32(p, PAGE, 7, PAGE));
	CHECK(aclrtMemsetD32Async(p, PAGE, 7, PAGE, stream));
	ACL(aclrtSynchronizeStream(stream));
	dsts[0] = p;
	srcs[0] = q;
	size = 64;
	CHECK(aclrtMemcpyBatch(dsts, &size, srcs, &size, 1, NULL, NULL, 1, &fail));
	ACL(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
	ACL(aclrtSetMemcpyDesc(p, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, q, (char *)p + PAGE, 64, NULL));
	ACL(aclrtMemcpyAsyncWithDesc(p, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	ACL(aclrtMemPoolCreate(&pool, &props));
	ACL(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
	ACL(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
	CHECK(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)99, &value));
	ACL(aclrtMemPoolTrimTo(pool, 0));
	ACL(aclrtMemPoolDestroy(pool));
	CHECK(aclrtMemPoolTrimTo(pool, 0));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtFreeWithDevSync(p));
	ACL(aclrtFree(q));
	ACL(aclrtMallocHostWithCfg(&p, PAGE, NULL));
	ACL(aclrtHostGetDevicePointer(p, &q, 0));
	ACL(aclrtFreeHostWithDevSync(p));
}
KEEPS_NOTHING(questions_of_memory)

/* Questions about the device and its contexts, and refusals for those that are its own */
static void round_of_questions_of_devices(void)
{
	aclrtContext before, mine;
	aclrtFloatOverflowMode mode;
	aclrtUtilizationInfo load;
	int32_t least, most, on;
	aclrtErrorInfo error;
	aclrtStream own;
	uint32_t n;
	void *p;

	ACL(aclrtResetDevice(0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtGetCurrentContext(&before));
	CHECK(aclrtDestroyContext(before));
	ACL(aclrtCtxGetCurrentDefaultStream(&own));
	CHECK(aclrtDestroyStream(own));
	ACL(aclrtGetPrimaryCtxState(0, &n, &on));
	ACL(aclrtCreateContext(&mine, 0));
	ACL(aclrtCtxGetFloatOverflowAddr(&p));
	ACL(aclrtGetDeviceSatMode(&mode));
	ACL(aclrtSetDeviceSatMode(mode));
	ACL(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 1));
	CHECK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 100000));
	ACL(aclrtResetDeviceResLimit(0));
	ACL(aclrtGetDeviceUtilizationRate(0, &load));
	ACL(aclrtDeviceGetStreamPriorityRange(&least, &most));
	ACL(aclrtGetStreamAvailableNum(&n));
	ACL(aclrtGetEventAvailNum(&n));
	ACL(aclrtGetErrorVerbose(0, &error));
	ACL(aclrtSynchronizeDeviceWithTimeout(10000));
	ACL(aclrtDeviceTaskAbort(0, 0));
	ACL(aclrtDestroyContext(mine));
	CHECK(aclrtDestroyContext(mine));
	CHECK(aclrtSetCurrentContext(mine));
	ACL(aclrtSetCurrentContext(before));
}
KEEPS_NOTHING(questions_of_devices)

TAP_MAIN(TEST(contexts), TEST(events), TEST(memory), TEST(mappings_of_physical_memory), TEST(pools),
	 TEST(copies), TEST(launches), TEST(callbacks), TEST(graphs), TEST(failures),
	 TEST(labels), TEST(questions_of_streams), TEST(questions_of_kernels), TEST(threads), TEST(devices),
	 TEST(questions_of_graphs), TEST(graphs_with_control), TEST(questions_of_events), TEST(questions_of_memory),
	 TEST(questions_of_devices))
