// SPDX-License-Identifier: MIT
/* aclrtStreamStop, a stream's priority after its creation, aclrtGetDeviceUtilizationRate. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../acltest.h"

#define PAIR	"build/tests/libacl/pair.o"
#define BLOCKS	64

static volatile uint64_t *begun, *go;

static aclrtFuncHandle in_pair(const char *name)
{
	static aclrtBinHandle pair;
	aclrtFuncHandle func;

	if (!pair)
		pair = load(PAIR);
	ACL(aclrtBinaryGetFunction(pair, name, &func));
	return func;
}

/* So many blocks have begun and wait for *go */
static void spin(aclrtFuncHandle func, unsigned int blocks, unsigned int begin, aclrtStream stream)
{
	unsigned int n;

	if (!go) {
		go = pinned_alloc(8);
		begun = pinned_alloc(8 * BLOCKS);
	}
	*go = 0;
	memset((void *)(uintptr_t)begun, 0, 8 * BLOCKS);
	LAUNCH(func, blocks, stream, U64(begun), U64(go));
	do {
		n = 0;
		for (unsigned int i = 0; i < blocks; i++)
			n += begun[i] != 0;
	} while (n < begin);
}

static void stop_ends_one_task(void)
{
	aclrtStream stream;
	uint64_t *word;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	op("increment");
	for (int i = 0; i < 20; i++) {
		/* it ends, or the device fails the test's time limit: nobody opens the gate */
		spin(op("begin_and_wait"), i % 2 ? 3 : 1, 1, stream);
		LAUNCH(op("increment"), 1, stream, U64(word));
		ACL(aclrtStreamStop(stream));
		FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "begin_and_wait",
		      "aclrtStreamStop");
		CHECK_EQ(*word, i + 1);
		/* it was told */
		ACL(aclrtSynchronizeStream(stream));
	}
	ACL(aclrtDestroyStream(stream));
}

static void stop_ends_waits_copies_and_graphs(void)
{
	aclrtStream stream, other;
	aclrtEvent event;
	aclmdlRI graph;
	uint64_t *word;

	start();
	stream = new_stream();
	other = new_stream();
	word = pinned_alloc(16);
	word[0] = word[1] = 0;
	op("store");
	/* a wait for a value that never comes */
	ACL(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	/*
	 * One stop comes before the wait begins, another one ends it, and the next may come when the task behind the wait
	 * has begun, on a busy machine even in the middle of a short kernel: a write is no task that a stop ends.
	 */
	ACL(aclrtValueWrite(&word[1], 1, 0, stream));
	while (aclrtStreamStop(stream) == ACL_SUCCESS && !((volatile uint64_t *)word)[1])
		usleep(2000);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "wait");
	CHECK_EQ(word[1], 1);
	/* and for an event of another stream, which is not disturbed */
	ACL(aclrtCreateEvent(&event));
	spin(op("begin_and_wait"), 1, 1, other);
	ACL(aclrtRecordEvent(event, other));
	ACL(aclrtStreamWaitEvent(stream, event));
	ACL(aclrtValueWrite(&word[1], 2, 0, stream));
	while (aclrtStreamStop(stream) == ACL_SUCCESS && ((volatile uint64_t *)word)[1] != 2)
		usleep(2000);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP);
	*go = 1;
	ACL(aclrtSynchronizeStream(other));
	/* a graph is one task, and runs again */
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	LAUNCH(op("begin_and_wait"), 1, stream, U64(begun), U64(go));
	LAUNCH(op("store"), 1, stream, U64(&word[1]), 3);
	ACL(aclmdlRICaptureEnd(stream, &graph));
	*go = 0;
	begun[0] = 0;
	ACL(aclmdlRIExecuteAsync(graph, stream));
	while (!begun[0])
		;
	ACL(aclrtStreamStop(stream));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "begin_and_wait");
	CHECK_EQ(word[1], 2);
	*go = 1;
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(word[1], 3);
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtDestroyEvent(event));
}

static void nothing_runs_and_nothing_ends(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	FAILS(aclrtStreamStop(NULL), ACL_ERROR_INVALID_PARAM, "stream");
	for (int i = 0; i < 3; i++)
		ACL(aclrtStreamStop(stream));
	LAUNCH(op("store"), 1, stream, U64(pinned_alloc(8)), 1);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtStreamStop(stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtStreamStop(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static atomic_int calls;

static void count(void *arg)
{
	(void)arg;
	atomic_fetch_add(&calls, 1);
}

/* Functions of the program are not lost, whatever is stopped before and between them */
static void host_functions_are_called(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	atomic_store(&calls, 0);
	for (int i = 0; i < 50; i++) {
		spin(op("begin_and_wait"), 1, 1, stream);
		for (int k = 0; k < 3; k++)
			ACL(aclrtLaunchHostFunc(stream, count, NULL));
		ACL(aclrtStreamStop(stream));
		ACL(aclrtStreamStop(stream));
		CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP);
	}
	/* the stream may have gone on before one has returned */
	ACL(aclrtLaunchHostFunc(stream, count, NULL));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&calls), 151);
}

/* With ACL_STOP_ON_FAILURE a task that was stopped is a failure as any */
static void a_stream_that_stops_on_failure(void)
{
	aclrtStream stream, other;
	uint64_t *word;

	start();
	stream = new_stream();
	other = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	op("store");
	ACL(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	spin(op("begin_and_wait"), 1, 1, stream);
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	ACL(aclrtStreamStop(stream));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "aclrtStreamStop");
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "1 tasks");
	CHECK_EQ(*word, 0);
	/* so does what is in the other streams of the context */
	while (aclrtSynchronizeStream(other) != ACL_ERROR_RT_TASK_ABORT_STOP)
		;
	ACL(aclrtStreamAbort(stream));
	ACL(aclrtStreamAbort(other));
	LAUNCH(op("store"), 1, stream, U64(word), 2);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 2);
}

static atomic_bool over;

static void *stops(void *stream)
{
	ACL(aclrtSetDevice(0));
	while (!atomic_load(&over))
		ACL(aclrtStreamStop(stream));
	return NULL;
}

/* The call hits any task: nothing hangs, and all tasks that it has not hit have run */
static void by_another_thread_at_any_moment(void)
{
	aclrtStream stream;
	pthread_t thread;
	uint64_t *word;
	aclError err;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	op("increment");
	CHECK_EQ(pthread_create(&thread, NULL, stops, stream), 0);
	for (int i = 0; i < 200; i++) {
		*word = 0;
		for (int k = 0; k < 20; k++)
			LAUNCH(op("increment"), 1, stream, U64(word));
		err = aclrtSynchronizeStream(stream);
		CHECK_EQ(err ? err : ACL_ERROR_RT_TASK_ABORT_STOP, ACL_ERROR_RT_TASK_ABORT_STOP);
		CHECK_OP(*word, <=, 20);
		CHECK_EQ(!err && *word != 20, 0);
	}
	atomic_store(&over, true);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void set_priority(aclrtStream stream, uint32_t priority)
{
	aclrtStreamAttrValue v = { .streamPriority = priority };
	uint32_t now;

	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v));
	v.streamPriority = 99;
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v));
	CHECK_EQ(v.streamPriority, priority);
	ACL(aclrtStreamGetPriority(stream, &now));
	CHECK_EQ(now, priority);
}

/* Blocks of an endless kernel keep all AI cores; whose kernel comes to its turn is decided by priority */
static void the_priority_of_a_stream_that_exists(void)
{
	aclrtStreamAttrValue v = { .streamPriority = 8 };
	aclrtStream busy, stream;
	uint64_t *word;

	start();
	ACL(aclrtCreateStreamWithConfig(&busy, 3, 0));
	ACL(aclrtCreateStreamWithConfig(&stream, 7, 0));
	word = pinned_alloc(8);
	*word = 0;
	op("store");
	spin(op("begin_and_wait"), BLOCKS, 1, busy);
	/* while it runs, too */
	set_priority(busy, 5);
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	set_priority(stream, 2);
	set_priority(stream, 0);
	set_priority(stream, 0);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 1);
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v), ACL_ERROR_RT_PARAM_INVALID,
	      "8", "7");
	*go = 1;
	ACL(aclrtSynchronizeStream(busy));
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v), ACL_ERROR_RT_INVALID_HANDLE);
}

static aclrtUtilizationInfo rates(void)
{
	aclrtUtilizationExtendInfo *reserved = (void *)0x1234;
	aclrtUtilizationInfo use = { -1, -1, -1, -1, reserved };

	ACL(aclrtGetDeviceUtilizationRate(0, &use));
	CHECK_EQ(use.aicpuUtilization, 0);
	CHECK_EQ(use.utilizationExtend == reserved, 1);
	return use;
}

/* From one call to the next: all the time or never, so it does not matter how long that is */
static void how_busy_the_cores_are(void)
{
	static const char *const names[] = { "begin_and_wait", "cube_waits", "vector_waits" };
	aclrtStream stream;
	int64_t cores;

	start();
	stream = new_stream();
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores));
	CHECK_OP(cores, <=, BLOCKS);
	rates();
	CHECK_EQ(rates().cubeUtilization, 0);
	CHECK_EQ(rates().vectorUtilization, 0);
	for (int i = 0; i < 3; i++) {
		spin(i ? in_pair(names[i]) : op(names[i]), (unsigned int)cores, (unsigned int)cores, stream);
		rates();
		CHECK_EQ(rates().cubeUtilization, i == 2 ? 0 : 100);
		CHECK_EQ(rates().vectorUtilization, i == 1 ? 0 : 100);
		*go = 1;
		ACL(aclrtSynchronizeStream(stream));
		rates();
		CHECK_EQ(rates().cubeUtilization, 0);
		CHECK_EQ(rates().vectorUtilization, 0);
	}
	/* one of them */
	spin(op(names[0]), 1, 1, stream);
	rates();
	CHECK_EQ(rates().cubeUtilization, (100 + cores / 2) / cores);
	*go = 1;
	ACL(aclrtSynchronizeStream(stream));
}

static void how_much_memory_is_used(void)
{
	size_t free, total;
	void *most;

	start();
	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	CHECK_EQ(rates().memoryUtilization, (int32_t)(100.0 * (double)(total - free) / (double)total + 0.5));
	ACL(aclrtMalloc(&most, total / 2, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK_OP(rates().memoryUtilization, >=, 50);
	ACL(aclrtFree(most));
}

static void utilization_and_its_errors(void)
{
	aclrtUtilizationInfo use;

	start();
	FAILS(aclrtGetDeviceUtilizationRate(0, NULL), ACL_ERROR_INVALID_PARAM, "utilizationInfo");
	FAILS(aclrtGetDeviceUtilizationRate(-1, &use), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtGetDeviceUtilizationRate(99, &use), ACL_ERROR_RT_INVALID_DEVICEID, "99");
	/* of a device that the process does not use */
	ACL(aclrtResetDeviceForce(0));
	ACL(aclrtGetDeviceUtilizationRate(0, &use));
}

TAP_MAIN(TEST(stop_ends_one_task),
	 TEST(stop_ends_waits_copies_and_graphs),
	 TEST(nothing_runs_and_nothing_ends),
	 TEST(host_functions_are_called),
	 TEST(a_stream_that_stops_on_failure),
	 TEST(by_another_thread_at_any_moment),
	 TEST(the_priority_of_a_stream_that_exists),
	 TEST(how_busy_the_cores_are),
	 TEST(how_much_memory_is_used),
	 TEST(utilization_and_its_errors))
