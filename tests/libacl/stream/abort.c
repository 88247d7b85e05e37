// SPDX-License-Identifier: MIT
/* aclrtStreamAbort, aclrtSetStreamFailureMode, aclrtSetStreamAttribute, aclrtGetStreamAttribute. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/anpu_accel.h>

#include "../acltest.h"

static uint64_t *go;
static _Atomic pid_t waiter;

static void hang(aclrtStream stream)
{
	if (!go)
		go = pinned_alloc(8);
	*go = 0;
	LAUNCH(op("wait_for_word"), 1, stream, U64(go));
}

static void abort_kills_and_drops(void)
{
	aclrtStream stream;
	uint64_t *word, *end;

	start();
	stream = new_stream();
	word = pinned_alloc(16);
	end = word + 1;
	*word = *end = 0;
	op("increment");
	/* Its end would be seen */
	LAUNCH(op("spin_then_store"), 1, stream, 20000000, U64(end), 1);
	for (int i = 0; i < 100; i++)
		LAUNCH(op("increment"), 1, stream, U64(word));
	usleep(20000);
	ACL(aclrtStreamAbort(stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 0);
	CHECK_EQ(*end, 0);
	/* and takes new work */
	for (int i = 0; i < 100; i++)
		LAUNCH(op("increment"), 1, stream, U64(word));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 100);
	/* an idle stream */
	ACL(aclrtStreamAbort(stream));
	ACL(aclrtStreamAbort(NULL));
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtStreamAbort(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void *waits(void *stream)
{
	ACL(aclrtSetDevice(0));
	atomic_store(&waiter, gettid());
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_ABORT, "aborted");
	return NULL;
}

static void a_sleeping_waiter_gets_107023(void)
{
	aclrtStream stream;
	pthread_t thread;

	start();
	stream = new_stream();
	for (int i = 0; i < 20; i++) {
		hang(stream);
		atomic_store(&waiter, 0);
		CHECK_EQ(pthread_create(&thread, NULL, waits, stream), 0);
		while (!atomic_load(&waiter))
			usleep(1000);
		until_in_driver(atomic_load(&waiter));
		ACL(aclrtStreamAbort(stream));
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
}

/* A submitter that waits for room in a full ring goes on */
static void *fills(void *stream)
{
	ACL(aclrtSetDevice(0));
	for (int i = 0; i < 3000; i++)
		LAUNCH(op("store"), 1, stream, U64(&go[1]), 1);
	return NULL;
}

static void abort_with_a_full_ring(void)
{
	aclrtStream stream;
	pthread_t thread;

	start();
	stream = new_stream();
	go = pinned_alloc(16);
	op("store");
	hang(stream);
	CHECK_EQ(pthread_create(&thread, NULL, fills, stream), 0);
	usleep(300000);
	ACL(aclrtStreamAbort(stream));
	CHECK_EQ(pthread_join(thread, NULL), 0);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(go[1], 1);
}

static void events_that_were_dropped(void)
{
	aclrtEventRecordedStatus status;
	aclrtStream stream, other;
	aclrtEvent event;

	start();
	stream = new_stream();
	other = new_stream();
	ACL(aclrtCreateEvent(&event));
	hang(stream);
	ACL(aclrtRecordEvent(event, stream));
	ACL(aclrtStreamWaitEvent(other, event));
	ACL(aclrtStreamAbort(stream));
	FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_STREAM_ABORT, "dropped");
	ACL(aclrtQueryEventStatus(event, &status));
	CHECK_EQ(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	/* a stream that depends on it waits until it is aborted, too */
	FAILS(aclrtSynchronizeStreamWithTimeout(other, 200), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	ACL(aclrtStreamAbort(other));
	ACL(aclrtSynchronizeStream(other));
	/* recorded again it is as good as new */
	ACL(aclrtRecordEvent(event, stream));
	ACL(aclrtSynchronizeEvent(event));
}

static atomic_int calls;

static void count(void *arg)
{
	(void)arg;
	atomic_fetch_add(&calls, 1);
}

static void callbacks_that_were_dropped(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	for (int round = 0; round < 10; round++) {
		atomic_store(&calls, 0);
		ACL(aclrtLaunchHostFunc(stream, count, NULL));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(atomic_load(&calls), 1);
		hang(stream);
		for (int i = 0; i < 5; i++)
			ACL(aclrtLaunchHostFunc(stream, count, NULL));
		usleep(5000);
		ACL(aclrtStreamAbort(stream));
		ACL(aclrtLaunchHostFunc(stream, count, NULL));
		ACL(aclrtLaunchHostFunc(stream, count, NULL));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(atomic_load(&calls), 3);
	}
}

static void continue_is_the_default(void)
{
	aclrtStreamAttrValue v;
	aclrtStream stream;
	uint64_t *word;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_CONTINUE_ON_FAILURE);
	ACL(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
	LAUNCH(op("trap"), 1, stream, 0);
	LAUNCH(op("store"), 1, stream, U64(word), 5);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	CHECK_EQ(*word, 5);
	FAILS(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID,
	      "before");
}

static void stop_drops_and_refuses(void)
{
	aclrtStream stream, other, later;
	aclrtStreamStatus status;
	aclrtStreamAttrValue v;
	aclrtEvent event;
	uint64_t *word, args[2];

	start();
	stream = new_stream();
	other = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	args[0] = U64(word);
	args[1] = 5;
	op("store");
	ACL(aclrtCreateEvent(&event));
	ACL(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	hang(stream);
	LAUNCH(op("trap"), 1, stream, 0);
	LAUNCH(op("store"), 1, stream, U64(word), 5);
	ACL(aclrtRecordEvent(event, stream));
	*(volatile uint64_t *)go = 1;
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	CHECK_EQ(*word, 1);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP, "2 tasks");
	FAILS(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_TASK_ABORT_STOP);
	FAILS(aclrtSynchronizeEvent(event), ACL_ERROR_RT_TASK_ABORT_STOP, "dropped");
	CHECK_EQ(aclrtLaunchKernelWithHostArgs(op("store"), 1, stream, NULL, args, 16, NULL, 0),
		 ACL_ERROR_RT_TASK_ABORT_STOP);
	CHECK_EQ(*word, 1);
	/* it spreads to the context's streams, those to come, and the default one */
	later = new_stream();
	ACL(aclrtGetStreamAttribute(other, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_STOP_ON_FAILURE);
	ACL(aclrtGetStreamAttribute(later, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_STOP_ON_FAILURE);
	ACL(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_STOP_ON_FAILURE);
	FAILS(aclrtSetStreamFailureMode(other, ACL_CONTINUE_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID,
	      "another stream");
	/* what was refused has set nothing */
	ACL(aclrtSetStreamFailureMode(other, ACL_STOP_ON_FAILURE));
	FAILS(aclrtSetStreamFailureMode(other, ACL_CONTINUE_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID,
	      "set once");
	/* one that is made after a failure runs, until the next */
	LAUNCH(op("trap"), 1, later, 0);
	FAILS(aclrtSynchronizeStream(later), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	CHECK_EQ(aclrtLaunchKernelWithHostArgs(op("store"), 1, later, NULL, args, 16, NULL, 0),
		 ACL_ERROR_RT_TASK_ABORT_STOP);
	/* those that have not failed have stopped with it, and say so */
	FAILS(aclrtSynchronizeStream(other), ACL_ERROR_RT_TASK_ABORT_STOP, "another stream");
	CHECK_EQ(aclrtLaunchKernelWithHostArgs(op("store"), 1, other, NULL, args, 16, NULL, 0),
		 ACL_ERROR_RT_TASK_ABORT_STOP);
	CHECK_EQ(*word, 1);
	ACL(aclrtStreamAbort(other));
	LAUNCH(op("store"), 1, other, U64(word), 7);
	ACL(aclrtSynchronizeStream(other));
	CHECK_EQ(*word, 7);
	/* abort lets it go on */
	ACL(aclrtStreamAbort(stream));
	LAUNCH(op("store"), 1, stream, U64(word), 9);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, 9);
	ACL(aclrtDestroyStream(later));
}

/* Another context of the device keeps its mode */
/* Whether the next launch comes before or after the failure makes no difference to a program */
static void stop_refuses_when_it_was_told(void)
{
	uint64_t *word, args[2];
	aclrtFuncHandle store;
	aclrtStream stream;
	char tasks[20];
	aclError ret;

	if (getenv("ANPU_SUBMIT") && !strcmp(getenv("ANPU_SUBMIT"), "ioctl"))
		SKIP("the driver refuses at once");
	start();
	word = pinned_alloc(8);
	*word = 0;
	args[0] = U64(word);
	args[1] = 5;
	store = op("store");
	for (int wait = 0; wait < 2; wait++) {
		int taken = 1;

		stream = new_stream();
		ACL(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
		LAUNCH(op("trap"), 1, stream, 0);
		usleep(50000);
		LAUNCH(store, 1, stream, args[0], args[1]);
		/* A program that never asks is told in the end */
		while (wait) {
			ret = aclrtLaunchKernelWithHostArgs(store, 1, stream, NULL, args, 16, NULL, 0);
			if (ret)
				break;
			taken++;
			usleep(300000);
		}
		if (wait)
			CHECK_EQ(ret, ACL_ERROR_RT_TASK_ABORT_STOP);
		FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
		FAILS(aclrtLaunchKernelWithHostArgs(store, 1, stream, NULL, args, 16, NULL, 0),
		      ACL_ERROR_RT_TASK_ABORT_STOP);
		FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_TASK_ABORT_STOP);
		aclrtSynchronizeStream(stream);
		snprintf(tasks, sizeof(tasks), "%d tasks", taken);
		check_facts(aclGetRecentErrMsg(), tasks, NULL);
		CHECK_EQ(*word, 0);
		/* aborted, it runs again */
		ACL(aclrtStreamAbort(stream));
		LAUNCH(store, 1, stream, args[0], args[1]);
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(*word, 5);
		*word = 0;
		ACL(aclrtDestroyStream(stream));
	}
}

static void stop_is_the_contexts(void)
{
	aclrtStream stream, other;
	aclrtContext first, second;
	aclrtStreamAttrValue v;

	start();
	ACL(aclrtGetCurrentContext(&first));
	stream = new_stream();
	ACL(aclrtCreateContext(&second, 0));
	other = new_stream();
	ACL(aclrtSetCurrentContext(first));
	ACL(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	ACL(aclrtSetCurrentContext(second));
	ACL(aclrtGetStreamAttribute(other, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_CONTINUE_ON_FAILURE);
	ACL(aclrtGetStreamAttribute(new_stream(), ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_CONTINUE_ON_FAILURE);
}

/* Tasks in other streams of the context are stopped, too; another context's go on */
static void stop_stops_the_contexts_work(void)
{
	aclrtStream stream, busy, foreign;
	aclrtContext first, second;
	uint64_t *word;

	start();
	ACL(aclrtGetCurrentContext(&first));
	word = pinned_alloc(16);
	word[0] = word[1] = 0;
	stream = new_stream();
	busy = new_stream();
	ACL(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
	ACL(aclrtCreateContext(&second, 0));
	foreign = new_stream();
	ACL(aclrtSetStreamFailureMode(foreign, ACL_STOP_ON_FAILURE));
	/* each waits for the same word, which comes after the failure */
	hang(foreign);
	LAUNCH(op("store"), 1, foreign, U64(&word[1]), 5);
	ACL(aclrtSetCurrentContext(first));
	hang(busy);
	LAUNCH(op("store"), 1, busy, U64(&word[0]), 5);
	LAUNCH(op("trap"), 1, stream, 0);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	FAILS(aclrtSynchronizeStream(busy), ACL_ERROR_RT_TASK_ABORT_STOP, "another stream");
	*(volatile uint64_t *)go = 1;
	ACL(aclrtSetCurrentContext(second));
	ACL(aclrtSynchronizeStream(foreign));
	CHECK_EQ(word[1], 5);
	CHECK_EQ(word[0], 0);
}

static void attributes_and_their_errors(void)
{
	aclrtStreamAttrValue v = { 0 };
	aclrtStream stream;

	start();
	ACL(aclrtCreateStreamWithConfig(&stream, 3, 0));
	v.userCustomTag = 0xdecade;
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &v));
	v.userCustomTag = 0;
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &v));
	CHECK_EQ(v.userCustomTag, 0xdecade);
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v));
	CHECK_EQ(v.streamPriority, 3);
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v));
	v.overflowSwitch = 0;
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &v));
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &v));
	v.cacheOpInfoSwitch = 1;
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &v));
	v.overflowSwitch = 0;
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &v));
	CHECK_EQ(v.cacheOpInfoSwitch, 1);
	v.overflowSwitch = 2;
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &v),
	      ACL_ERROR_INVALID_PARAM, "2");
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &v),
	      ACL_ERROR_INVALID_PARAM, "2");
	FAILS(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)77, &v), ACL_ERROR_INVALID_PARAM,
	      "77");
	FAILS(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)77, &v), ACL_ERROR_INVALID_PARAM,
	      "77");
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, NULL),
	      ACL_ERROR_INVALID_PARAM, "value");
	FAILS(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, NULL),
	      ACL_ERROR_INVALID_PARAM, "value");
	FAILS(aclrtSetStreamFailureMode(stream, 2), ACL_ERROR_INVALID_PARAM, "2");
	v.failureMode = ACL_STOP_ON_FAILURE;
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_STOP_ON_FAILURE);
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtSetStreamFailureMode(stream, 1), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v),
	      ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &v),
	      ACL_ERROR_RT_INVALID_HANDLE);
}

static atomic_bool waits_fail;

/* The library's calls of the driver come here first */
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == DRM_IOCTL_ANPU_WAIT && atomic_load(&waits_fail)) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

/* The stream is gone, and nobody is told that its tasks have run */
static void a_destroy_that_cannot_wait_says_so(void)
{
	aclrtStream stream;
	aclError err;

	if (!has_driver())
		SKIP("the direct engine: its waits are no ioctl() that could be made to fail");
	start();
	stream = new_stream();
	hang(stream);
	atomic_store(&waits_fail, true);
	err = aclrtDestroyStream(stream);
	atomic_store(&waits_fail, false);
	CHECK(err != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "aclrtDestroyStream", NULL);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

static void *reports(void *stop)
{
	aclError err;

	do {
		err = aclrtProcessReport(50);
		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_REPORT_TIMEOUT ||
		      err == ACL_ERROR_RT_THREAD_SUBSCRIBE);
	} while (!atomic_load((atomic_int *)stop));
	return NULL;
}

/* The last of what is dropped, too, though nothing waits for it */
static void a_callback_that_was_dropped_never_runs(void)
{
	atomic_int stop = 0;
	aclrtStream stream;
	pthread_t thread;

	start();
	stream = new_stream();
	CHECK(!pthread_create(&thread, NULL, reports, &stop));
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	for (int round = 0; round < 5; round++) {
		atomic_store(&calls, 0);
		hang(stream);
		for (int i = 0; i <= round; i++)
			ACL(aclrtLaunchCallback(count, NULL, ACL_CALLBACK_NO_BLOCK, stream));
		ACL(aclrtStreamAbort(stream));
		CHECK_EQ(atomic_load(&calls), 0);
		/* what comes later runs, and behind it what was dropped would have run */
		ACL(aclrtLaunchCallback(count, NULL, ACL_CALLBACK_BLOCK, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(atomic_load(&calls), 1);
	}
	ACL(aclrtUnSubscribeReport((uint64_t)thread, stream));
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
	CHECK_EQ(atomic_load(&calls), 1);
}

TAP_MAIN(TEST(a_destroy_that_cannot_wait_says_so), TEST(a_callback_that_was_dropped_never_runs), TEST(abort_kills_and_drops),
	 TEST(a_sleeping_waiter_gets_107023),
	 TEST(abort_with_a_full_ring),
	 TEST(events_that_were_dropped),
	 TEST(callbacks_that_were_dropped),
	 TEST(continue_is_the_default),
	 TEST(stop_drops_and_refuses),
	 TEST(stop_refuses_when_it_was_told),
	 TEST(stop_is_the_contexts), TEST(stop_stops_the_contexts_work),
	 TEST(attributes_and_their_errors))
