// SPDX-License-Identifier: MIT
/*
 * Threads that leave a wait or a callback by another way than its return: cancelled, by pthread_exit(), by
 * unwinding as C++ exceptions do it, by longjmp(). The library holds nothing for them afterwards.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unwind.h>

#include "../acltest.h"

static atomic_int runs, held;
static _Atomic pid_t waiter;
static aclrtStream stream;

static void count_run(void *arg)
{
	(void)arg;
	atomic_fetch_add(&runs, 1);
}

/* Everything works afterwards, and has an end */
static void works_and_ends(uint64_t thread)
{
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtUnSubscribeReport(thread, stream));
	ACL(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
	ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
	ACL(aclrtProcessReport(-1));
	ACL(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
	ACL(aclrtDestroyStream(stream));
	ACL(aclFinalize());
}

static void subscribe(pthread_t thread)
{
	stream = new_stream();
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	atomic_store(&held, 1);
}

static void *processes(void *arg)
{
	(void)arg;
	UNTIL(atomic_load(&held));
	atomic_store(&waiter, gettid());
	aclrtProcessReport(-1);
	FAIL("aclrtProcessReport() returned");
	return NULL;
}

/* Comes back when the thread sleeps, in a wait for another thread */
static void until_asleep(pid_t tid)
{
	char path[64], call[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	do {
		usleep(1000);
		f = fopen(path, "r");
		CHECK(f && fgets(call, sizeof(call), f));
		fclose(f);
	} while (strtol(call, NULL, 10) != SYS_futex);
}

static void cancelled_in_a_wait(void)
{
	pthread_t thread;

	start();
	CHECK_EQ(pthread_create(&thread, NULL, processes, NULL), 0);
	subscribe(thread);
	UNTIL(atomic_load(&waiter));
	until_asleep(atomic_load(&waiter));
	CHECK_EQ(pthread_cancel(thread), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	works_and_ends((uint64_t)thread);
}

static void sleeps(void *arg)
{
	atomic_store((atomic_int *)arg, 1);
	for (;;)
		usleep(1000); /* where it can be cancelled */
}

static void cancelled_in_a_callback(void)
{
	atomic_int begun = 0;
	pthread_t thread;

	start();
	CHECK_EQ(pthread_create(&thread, NULL, processes, NULL), 0);
	subscribe(thread);
	ACL(aclrtLaunchCallback(sleeps, &begun, ACL_CALLBACK_BLOCK, stream));
	UNTIL(atomic_load(&begun));
	CHECK_EQ(pthread_cancel(thread), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	works_and_ends((uint64_t)thread);
}

static void exits(void *arg)
{
	pthread_exit(arg);
}

static void exited_from_a_callback(void)
{
	pthread_t thread;

	start();
	CHECK_EQ(pthread_create(&thread, NULL, processes, NULL), 0);
	subscribe(thread);
	ACL(aclrtLaunchCallback(exits, NULL, ACL_CALLBACK_BLOCK, stream));
	CHECK_EQ(pthread_join(thread, NULL), 0);
	works_and_ends((uint64_t)thread);
}

/* The thread of the library that a function ends has a successor */
static void exited_from_a_host_function(void)
{
	start();
	stream = new_stream();
	for (int i = 0; i < 50; i++) {
		ACL(aclrtLaunchHostFunc(stream, exits, NULL));
		ACL(aclrtLaunchHostFunc(stream, count_run, NULL));
	}
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 50);
	/* the end of the device waits for what is due */
	for (int i = 0; i < 5; i++) {
		ACL(aclrtLaunchHostFunc(stream, exits, NULL));
		ACL(aclrtResetDevice(0));
		ACL(aclrtSetDevice(0));
		stream = new_stream();
	}
	ACL(aclrtLaunchHostFunc(stream, exits, NULL));
	ACL(aclFinalize());
}

static void *exits_at_once(void *arg)
{
	pthread_exit(arg);
}

/* A thread needs a stack, but the C library keeps those of threads that have ended: this one is not its own */
static void load_what_unwinds(void)
{
	size_t size = 1 << 20;
	void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	CHECK(stack != MAP_FAILED);
	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstack(&attr, stack, size), 0);
	CHECK_EQ(pthread_create(&thread, &attr, exits_at_once, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(pthread_attr_destroy(&attr), 0);
}

/* The same when no thread can be made: the one that is ending goes on */
static void exited_when_no_thread_can_be_made(void)
{
	struct rlimit limit;
	pthread_t thread;

	if (getenv("ANPU_VARIANT"))
		SKIP("sanitizers end the program when they get no memory");
	SKIP_IN_DIRECT("the device's threads in this process need memory, too");
	start();
	stream = new_stream();
	load_what_unwinds();
	ACL(aclrtLaunchHostFunc(stream, count_run, NULL));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = 1;
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	CHECK(pthread_create(&thread, NULL, exits_at_once, NULL) != 0);
	for (int i = 0; i < 10; i++) {
		ACL(aclrtLaunchHostFunc(stream, exits, NULL));
		ACL(aclrtLaunchHostFunc(stream, count_run, NULL));
	}
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 11);
	limit.rlim_cur = limit.rlim_max;
	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	ACL(aclFinalize());
}

/* Out of the callback, into the function that called aclrtProcessReport() */
static jmp_buf place;

static void jumps(void *arg)
{
	(void)arg;
	longjmp(place, 1);
}

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class kind,
				struct _Unwind_Exception *exception, struct _Unwind_Context *context,
				void *end)
{
	(void)version;
	(void)kind;
	(void)exception;
	/* the frame of this program that called the library: its clean-ups have run */
	if (actions & _UA_END_OF_STACK || _Unwind_GetCFA(context) >= (uintptr_t)end)
		_longjmp(place, 1);
	return _URC_NO_REASON;
}

/* As a C++ exception that is caught outside: frames between are left one by one */
static void throws(void *end)
{
	static struct _Unwind_Exception exception;

	_Unwind_ForcedUnwind(&exception, stop, end);
	FAIL("the exception was not thrown");
}

static __attribute__((noinline)) void leave_a_callback(void (*how)(void *))
{
	int state;

	if (!_setjmp(place)) {
		ACL(aclrtLaunchCallback(how, __builtin_frame_address(0), ACL_CALLBACK_BLOCK, stream));
		ACL(aclrtProcessReport(-1));
		FAIL("the callback returned");
	}
	/* nor does the thread stay as the library had set it */
	CHECK_EQ(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state), 0);
	CHECK_EQ(state, PTHREAD_CANCEL_ENABLE);
}

static void left(void (*how)(void *))
{
	uint64_t self = (uint64_t)pthread_self();

	start();
	stream = new_stream();
	ACL(aclrtSubscribeReport(self, stream));
	for (int i = 0; i < 3; i++) {
		leave_a_callback(how);
		/* what is refused in callbacks works, and the stream goes on */
		ACL(aclrtSynchronizeStream(stream));
		ACL(aclrtFree(dev_alloc(64)));
		ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
		ACL(aclrtProcessReport(-1));
		CHECK_EQ(atomic_load(&runs), i + 1);
	}
	works_and_ends(self);
}

static void left_by_longjmp(void)
{
	left(jumps);
}

static void left_by_an_exception(void)
{
	left(throws);
}

/* Where the library holds locks, it is not cancelled: it prints, opens files, waits for threads */
static void *cancelled_anywhere(void *arg)
{
	(void)arg;
	for (;;) {
		void *p = NULL;

		pthread_testcancel();
		ACL(aclrtSetDevice(0));
		ACL(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
		LAUNCH(op("say"), 1, NULL, 1, 1);
		ACL(aclrtSynchronizeStream(NULL));
		ACL(aclrtFree(p));
	}
	return NULL;
}

static void cancelled_in_any_call(void)
{
	pthread_t thread;

	start();
	op("say");
	for (int i = 0; i < 30; i++) {
		CHECK_EQ(pthread_create(&thread, NULL, cancelled_anywhere, NULL), 0);
		usleep(i * 300);
		CHECK_EQ(pthread_cancel(thread), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		LAUNCH(op("say"), 1, NULL, 2, 1);
		ACL(aclrtSynchronizeDevice());
	}
	ACL(aclFinalize());
}

/* Short calls do not disable cancellation: what they do when they fail, and their lines in the log, are no place for it */
static void *short_calls(void *arg)
{
	aclrtEventRecordedStatus status;
	aclrtEvent event = arg;
	int32_t id = -1;

	CHECK_EQ(pthread_cancel(pthread_self()), 0);
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtQueryEventStatus(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclrtQueryEventStatus(event, &status));
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "a line");
	CHECK(aclrtGetSocName() != NULL);
	atomic_store(&runs, 1);
	pthread_testcancel();
	FAIL("the thread was not cancelled");
	return NULL;
}

static void cancelled_after_short_calls(void)
{
	pthread_t thread;
	aclrtEvent event;
	void *result;

	setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
	start();
	stream = new_stream();
	ACL(aclrtCreateEvent(&event));
	CHECK_EQ(pthread_create(&thread, NULL, short_calls, event), 0);
	CHECK_EQ(pthread_join(thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
	CHECK_EQ(atomic_load(&runs), 1);
	ACL(aclrtDestroyEvent(event));
	ACL(aclrtDestroyStream(stream));
	ACL(aclFinalize());
}

TAP_MAIN(TEST(cancelled_in_a_wait),
	 TEST(cancelled_in_a_callback),
	 TEST(exited_from_a_callback),
	 TEST(exited_from_a_host_function),
	 TEST(exited_when_no_thread_can_be_made),
	 TEST(left_by_longjmp),
	 TEST(left_by_an_exception),
	 TEST(cancelled_in_any_call),
	 TEST(cancelled_after_short_calls))
