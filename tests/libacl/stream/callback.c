// SPDX-License-Identifier: MIT
/* Host callbacks: in the thread that the program binds to a stream, and in one of the runtime. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

static atomic_int runs, stop, ready, gate;
static pthread_t ran_in;

static void count_run(void *arg)
{
	(void)arg;
	ran_in = pthread_self();
	atomic_fetch_add(&runs, 1);
}

static void slow_run(void *arg)
{
	usleep((unsigned int)(uintptr_t)arg * 1000);
	count_run(NULL);
}

static void tell(void *arg)
{
	atomic_store((atomic_int *)arg, 1);
}

/* Runs until the gate is opened */
static void held_run(void *arg)
{
	tell(arg);
	while (!atomic_load(&gate))
		usleep(500);
	count_run(NULL);
}

/* As programs write it: loops with a short time, whatever ProcessReport says */
static void *serve(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop))
		aclrtProcessReport(100);
	return NULL;
}

static pthread_t start_server(void)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, serve, NULL), 0);
	return thread;
}

static void stop_server(pthread_t thread)
{
	atomic_store(&stop, 1);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	atomic_store(&stop, 0);
}

static void a_callback_runs_in_the_bound_thread(void)
{
	aclrtStream stream;
	pthread_t thread;

	start();
	thread = start_server(); /* the loop may begin before there is a subscription */
	stream = new_stream();
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 1);
	CHECK(pthread_equal(ran_in, thread));
	ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
	wait_for(&runs, 2);
	ACL(aclrtUnSubscribeReport((uint64_t)thread, stream));
	ACL(aclrtDestroyStream(stream));
	stop_server(thread);
}

static void a_blocking_callback_holds_the_stream(void)
{
	atomic_int begun = 0;
	pthread_t thread;
	uint64_t *word;

	start();
	thread = start_server();
	word = pinned_alloc(8);
	*word = 0;
	ACL(aclrtSubscribeReport((uint64_t)thread, NULL)); /* the default stream */
	/* Launching does not wait for it: the gate is closed */
	ACL(aclrtLaunchCallback(held_run, &begun, ACL_CALLBACK_BLOCK, NULL));
	LAUNCH(op("store"), 1, NULL, U64(word), 3);
	wait_for(&begun, 1);
	FAILS(aclrtSynchronizeStreamWithTimeout(NULL, 300), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	CHECK_EQ(*(volatile uint64_t *)word, 0);
	atomic_store(&gate, 1);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(atomic_load(&runs), 1);
	CHECK_EQ(*(volatile uint64_t *)word, 3);
	ACL(aclrtUnSubscribeReport((uint64_t)thread, NULL));
	stop_server(thread);
}

static void one_that_does_not_block_lets_it_go(void)
{
	atomic_int begun = 0;
	pthread_t thread;

	start();
	thread = start_server();
	ACL(aclrtSubscribeReport((uint64_t)thread, NULL));
	ACL(aclrtLaunchCallback(held_run, &begun, ACL_CALLBACK_NO_BLOCK, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(atomic_load(&runs), 0);
	atomic_store(&gate, 1);
	wait_for(&runs, 1);
	stop_server(thread);
}

/* Tasks before the callback are done, those behind it are not begun */
static volatile uint64_t *words;
static atomic_int wrong;

static void look(void *arg)
{
	uint64_t i = (uintptr_t)arg;

	usleep(200);
	if (words[0] != i || words[1] != i - 1)
		atomic_fetch_add(&wrong, 1);
	count_run(NULL);
}

static void check_order(aclrtStream stream, bool family_b)
{
	words = pinned_alloc(16);
	words[0] = words[1] = 0;
	for (uint64_t i = 1; i <= 100; i++) {
		LAUNCH(op("store"), 1, stream, U64(&words[0]), i);
		if (family_b)
			ACL(aclrtLaunchHostFunc(stream, look, (void *)i));
		else
			ACL(aclrtLaunchCallback(look, (void *)i, ACL_CALLBACK_BLOCK, stream));
		LAUNCH(op("store"), 1, stream, U64(&words[1]), i);
	}
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 100);
	CHECK_EQ(atomic_load(&wrong), 0);
}

static void callbacks_are_ordered_with_tasks(void)
{
	aclrtStream stream;
	pthread_t thread;

	start();
	thread = start_server();
	stream = new_stream();
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	check_order(stream, false);
	stop_server(thread);
}

static void host_functions_are_ordered_with_tasks(void)
{
	start();
	check_order(new_stream(), true);
	CHECK(!pthread_equal(ran_in, pthread_self()));
}

/* More than a ring holds: submission waits for callbacks, which must not wait for it */
static void more_callbacks_than_the_ring_holds(void)
{
	aclrtStream stream;
	pthread_t thread;

	start();
	thread = start_server();
	stream = new_stream();
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	for (int i = 0; i < 3000; i++)
		ACL(aclrtLaunchCallback(count_run, NULL, i % 2 ? ACL_CALLBACK_BLOCK
							       : ACL_CALLBACK_NO_BLOCK, stream));
	ACL(aclrtSynchronizeStream(stream));
	wait_for(&runs, 3000);
	stop_server(thread);
}

static void one_thread_serves_many_streams(void)
{
	aclrtStream stream[20];
	pthread_t thread;

	start();
	thread = start_server();
	for (int i = 0; i < 20; i++) {
		stream[i] = new_stream();
		ACL(aclrtSubscribeReport((uint64_t)thread, stream[i]));
	}
	for (int n = 0; n < 10; n++)
		for (int i = 0; i < 20; i++)
			ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream[i]));
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(atomic_load(&runs), 200);
	for (int i = 0; i < 20; i++) {
		ACL(aclrtUnSubscribeReport((uint64_t)thread, stream[i]));
		ACL(aclrtDestroyStream(stream[i]));
	}
	stop_server(thread);
}

static void *process_unbound(void *arg)
{
	(void)arg;
	/* At once: it would be for ever */
	FAILS(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtSubscribeReport");
	return NULL;
}

static void codes_of_process_report(void)
{
	uint64_t before;

	start();
	FAILS(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM, "0");
	FAILS(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM, "-2");
	process_unbound(NULL);
	ACL(aclrtSubscribeReport((uint64_t)pthread_self(), NULL));
	before = tap_ms();
	FAILS(aclrtProcessReport(100), ACL_ERROR_RT_REPORT_TIMEOUT, "no callback");
	CHECK_OP(tap_ms() - before, >=, 99);
	in_thread(process_unbound, NULL);
	ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, NULL));
	ACL(aclrtProcessReport(-1));
	CHECK_EQ(atomic_load(&runs), 1);
	ACL(aclrtUnSubscribeReport((uint64_t)pthread_self(), NULL));
	process_unbound(NULL);
}

static void codes_of_launch_and_subscribe(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream stream;

	FAILS(aclrtSubscribeReport(self, NULL), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	start();
	stream = new_stream();
	FAILS(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, stream),
	      ACL_ERROR_RT_PARAM_INVALID, "fn");
	FAILS(aclrtLaunchCallback(count_run, NULL, (aclrtCallbackBlockType)7, stream),
	      ACL_ERROR_INVALID_PARAM, "7");
	FAILS(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream),
	      ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport");
	FAILS(aclrtSubscribeReport(0, stream), ACL_ERROR_RT_PARAM_INVALID, "pthread_self");
	FAILS(aclrtUnSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "no thread");
	ACL(aclrtSubscribeReport(self, stream));
	FAILS(aclrtSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already");
	FAILS(aclrtSubscribeReport(self + 1, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "already");
	FAILS(aclrtUnSubscribeReport(self + 1, stream), ACL_ERROR_RT_THREAD_SUBSCRIBE, "not");
	ACL(aclrtUnSubscribeReport(self, stream));
	FAILS(aclrtLaunchHostFunc(stream, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "fn");
	ACL(aclrtLaunchHostFunc(stream, slow_run, (void *)200));
	FAILS(aclrtSubscribeHostFunc(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "HostFunc");
	ACL(aclrtDestroyStream(stream));
	CHECK_EQ(atomic_load(&runs), 1);
	FAILS(aclrtSubscribeReport(self, stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream),
	      ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

static void at_most_1024_threads(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	for (uint64_t i = 1; i <= 1024; i++) {
		/* one stream at a time holds each thread by a call that is not run */
		ACL(aclrtSubscribeReport(i, stream));
		ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
		ACL(aclrtUnSubscribeReport(i, stream));
	}
	test_leaves = true; /* these calls wait for their threads */
	FAILS(aclrtSubscribeReport(5000, stream), ACL_ERROR_RT_OVER_LIMIT, "1024");
	ACL(aclrtSubscribeReport(1024, stream));
}

static aclError forbidden[8];

static void call_forbidden(void *arg)
{
	aclrtStream stream = arg;
	void *p;

	forbidden[0] = aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	forbidden[1] = aclrtFree(arg);
	forbidden[2] = aclrtSynchronizeStream(stream);
	forbidden[3] = aclrtSynchronizeDevice();
	forbidden[4] = aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream);
	forbidden[5] = aclrtProcessReport(100);
	forbidden[6] = aclrtResetDevice(0);
	forbidden[7] = aclFinalize();
	check_facts(aclGetRecentErrMsg(), "inside a callback", "aclrtSynchronizeStream", NULL);
	count_run(NULL);
}

static void check_forbidden(void)
{
	CHECK_EQ(atomic_load(&runs), 1);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(forbidden[i], ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void what_would_deadlock_is_refused_in_a_callback(void)
{
	pthread_t thread;

	start();
	thread = start_server();
	ACL(aclrtSubscribeReport((uint64_t)thread, NULL));
	ACL(aclrtLaunchCallback(call_forbidden, NULL, ACL_CALLBACK_BLOCK, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	check_forbidden();
	stop_server(thread);
}

static void and_in_a_host_function(void)
{
	start();
	ACL(aclrtLaunchHostFunc(NULL, call_forbidden, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	check_forbidden();
	dev_alloc(64); /* this thread may go on */
}

/* Callbacks whose turn has come run, even if their stream is gone or the thread unbound */
static void nothing_is_lost_by_unsubscribing(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream stream;

	start();
	stream = new_stream();
	ACL(aclrtSubscribeReport(self, stream));
	for (int i = 0; i < 5; i++)
		ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
	ACL(aclrtUnSubscribeReport(self, stream));
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtResetDevice(0));
	for (int i = 1; i <= 5; i++) {
		ACL(aclrtProcessReport(1000));
		CHECK_EQ(atomic_load(&runs), i);
	}
	process_unbound(NULL);
}

static void a_destroyed_stream_drops_what_was_not_due(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream stream, other;
	atomic_int told = 0;
	aclrtEvent event;
	pthread_t server;

	start();
	stream = new_stream();
	other = new_stream();
	server = start_server();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	ACL(aclrtSubscribeReport(self, stream));
	ACL(aclrtSubscribeReport((uint64_t)server, other));
	ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, stream));
	ACL(aclrtRecordEvent(event, stream));
	close_host_gate(stream);
	for (int i = 0; i < 5; i++)
		ACL(aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, stream));
	/* When the callback behind it was run, the first is due */
	ACL(aclrtStreamWaitEvent(other, event));
	ACL(aclrtLaunchCallback(tell, &told, ACL_CALLBACK_NO_BLOCK, other));
	wait_for(&told, 1);
	ACL(aclrtDestroyStreamForce(stream));
	ACL(aclrtProcessReport(1000));
	process_unbound(NULL);
	CHECK_EQ(atomic_load(&runs), 1);
	stop_server(server);
	/* the slot and the device are as before */
	stream = new_stream();
	ACL(aclrtLaunchHostFunc(stream, count_run, NULL));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 2);
}

static void *process_for_ever(void *arg)
{
	while (!atomic_load(&ready)) /* until it is bound */
		usleep(1000);
	*(aclError *)arg = aclrtProcessReport(-1);
	return NULL;
}

static void an_endless_wait_ends_with_its_last_stream(void)
{
	aclError got = ACL_SUCCESS;
	aclrtStream stream;
	pthread_t thread;

	start();
	stream = new_stream();
	CHECK_EQ(pthread_create(&thread, NULL, process_for_ever, &got), 0);
	ACL(aclrtSubscribeReport((uint64_t)thread, stream));
	atomic_store(&ready, 1);
	usleep(100000);
	ACL(aclrtDestroyStream(stream));
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(got, ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

static void host_functions_run_in_every_stream(void)
{
	aclrtStream stream[8];
	uint64_t before = tap_ms();

	start();
	for (int i = 0; i < 8; i++)
		stream[i] = new_stream();
	for (int n = 0; n < 50; n++)
		for (int i = 0; i < 8; i++)
			ACL(aclrtLaunchHostFunc(stream[i], count_run, NULL));
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(atomic_load(&runs), 400);
	tap_note("400 host functions in %llu ms", (unsigned long long)(tap_ms() - before));
	ACL(aclFinalize());
}

static void a_reset_waits_for_host_functions(void)
{
	start();
	ACL(aclrtLaunchHostFunc(NULL, slow_run, (void *)300));
	ACL(aclrtLaunchHostFunc(NULL, slow_run, (void *)100));
	ACL(aclrtResetDevice(0));
	CHECK_EQ(atomic_load(&runs), 2);
	/* and the next use works */
	ACL(aclrtSetDevice(0));
	ACL(aclrtLaunchHostFunc(NULL, count_run, NULL));
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(atomic_load(&runs), 3);
}

static void exit_inside_a_callback(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		start();
		ACL(aclrtLaunchHostFunc(NULL, slow_run, (void *)100000));
		usleep(100000);
		exit(7);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 7);
	/* the device has everything back */
	start();
	ACL(aclrtLaunchHostFunc(NULL, count_run, NULL));
	ACL(aclrtSynchronizeDevice());
}

static void a_forked_child_is_refused(void)
{
	int status;
	pid_t pid;

	SKIP_IN_ASAN_FORK();
	start();
	ACL(aclrtLaunchHostFunc(NULL, count_run, NULL));
	pid = fork();
	if (!pid) {
		FAILS(aclrtLaunchHostFunc(NULL, count_run, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		      "fork");
		FAILS(aclrtProcessReport(100), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "fork");
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(atomic_load(&runs), 1);
}

static void *launch_many(void *arg)
{
	aclrtStream stream;

	ACL(aclrtSetDevice(0));
	stream = new_stream();
	if (arg)
		ACL(aclrtSubscribeReport((uint64_t)*(pthread_t *)arg, stream));
	for (int i = 0; i < 100; i++) {
		if (arg)
			ACL(aclrtLaunchCallback(count_run, NULL, i & 1, stream));
		else
			ACL(aclrtLaunchHostFunc(stream, count_run, NULL));
	}
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtDestroyStream(stream));
	return NULL;
}

static void both_families_from_many_threads(void)
{
	pthread_t server, thread[6];

	start();
	server = start_server();
	for (int i = 0; i < 6; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, launch_many, i & 1 ? &server : NULL), 0);
	for (int i = 0; i < 6; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	wait_for(&runs, 600);
	stop_server(server);
}

TAP_MAIN(TEST(a_callback_runs_in_the_bound_thread),
	 TEST(a_blocking_callback_holds_the_stream),
	 TEST(one_that_does_not_block_lets_it_go),
	 TEST(callbacks_are_ordered_with_tasks),
	 TEST(host_functions_are_ordered_with_tasks),
	 TEST(more_callbacks_than_the_ring_holds),
	 TEST(one_thread_serves_many_streams),
	 TEST(codes_of_process_report),
	 TEST(codes_of_launch_and_subscribe),
	 TEST(at_most_1024_threads),
	 TEST(what_would_deadlock_is_refused_in_a_callback),
	 TEST(and_in_a_host_function),
	 TEST(nothing_is_lost_by_unsubscribing),
	 TEST(a_destroyed_stream_drops_what_was_not_due),
	 TEST(an_endless_wait_ends_with_its_last_stream),
	 TEST(host_functions_run_in_every_stream),
	 TEST(a_reset_waits_for_host_functions),
	 TEST(exit_inside_a_callback),
	 TEST(a_forked_child_is_refused),
	 TEST(both_families_from_many_threads))
