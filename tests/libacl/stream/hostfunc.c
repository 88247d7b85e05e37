// SPDX-License-Identifier: MIT
/* aclrtSubscribeHostFunc and its family; aclrtBinarySetExceptionCallback; aclrtGetHardwareSyncAddr. */
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

static atomic_int runs, stop, ready;
static pthread_t ran_in;

static void count(void *arg)
{
	ran_in = pthread_self();
	if (arg)
		usleep(50000);
	atomic_fetch_add(&runs, 1);
}

static void *serve(void *arg)
{
	(void)arg;
	ACL(aclrtSetDevice(0));
	atomic_store(&ready, 1);
	while (!atomic_load(&stop)) {
		aclError err = aclrtProcessHostFunc(50);

		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_REPORT_TIMEOUT ||
		      err == ACL_ERROR_RT_THREAD_SUBSCRIBE);
		if (err == ACL_ERROR_RT_THREAD_SUBSCRIBE)
			usleep(1000);
	}
	return NULL;
}

static void functions_run_in_the_named_thread(void)
{
	aclrtStream stream, other;
	pthread_t thread;

	start();
	stream = new_stream();
	other = new_stream();
	CHECK_EQ(pthread_create(&thread, NULL, serve, NULL), 0);
	while (!atomic_load(&ready))
		usleep(100);
	ACL(aclrtSubscribeHostFunc((uint64_t)thread, stream));
	for (int i = 0; i < 20; i++)
		ACL(aclrtLaunchHostFunc(stream, count, i == 3 ? &stop : NULL));
	/* they block the stream, so when it is empty they have run */
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&runs), 20);
	CHECK(pthread_equal(ran_in, thread));
	/* another stream's run in a thread of the runtime, as before */
	ACL(aclrtLaunchHostFunc(other, count, NULL));
	ACL(aclrtSynchronizeStream(other));
	CHECK_EQ(atomic_load(&runs), 21);
	CHECK(!pthread_equal(ran_in, thread));
	ACL(aclrtUnSubscribeHostFunc((uint64_t)thread, stream));
	ACL(aclrtLaunchHostFunc(stream, count, NULL));
	ACL(aclrtSynchronizeStream(stream));
	CHECK(!pthread_equal(ran_in, thread));
	atomic_store(&stop, 1);
	pthread_join(thread, NULL);
}

static void each_family_has_its_thread(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream a, b;

	start();
	a = new_stream();
	b = new_stream();
	FAILS(aclrtSubscribeHostFunc(0, a), ACL_ERROR_RT_PARAM_INVALID, "hostFuncThreadId");
	FAILS(aclrtProcessHostFunc(100), ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtSubscribeHostFunc");
	FAILS(aclrtProcessHostFunc(0), ACL_ERROR_INVALID_PARAM, "timeout");
	ACL(aclrtSubscribeHostFunc(self, a));
	ACL(aclrtSubscribeReport(self, b));
	FAILS(aclrtSubscribeHostFunc(self, a), ACL_ERROR_RT_STREAM_SUBSCRIBE,
	      "aclrtUnSubscribeHostFunc");
	FAILS(aclrtLaunchCallback(count, NULL, ACL_CALLBACK_BLOCK, a), ACL_ERROR_RT_STREAM_NO_CB_REG,
	      "aclrtSubscribeReport");
	FAILS(aclrtUnSubscribeReport(self, a), ACL_ERROR_RT_STREAM_SUBSCRIBE, "callbacks");
	FAILS(aclrtUnSubscribeHostFunc(self, b), ACL_ERROR_RT_STREAM_SUBSCRIBE, "host functions");
	FAILS(aclrtUnSubscribeHostFunc(self + 1, a), ACL_ERROR_RT_THREAD_SUBSCRIBE);
	FAILS(aclrtProcessHostFunc(10), ACL_ERROR_RT_REPORT_TIMEOUT);
	ACL(aclrtLaunchHostFunc(a, count, NULL));
	ACL(aclrtProcessHostFunc(10000));
	CHECK_EQ(atomic_load(&runs), 1);
	ACL(aclrtUnSubscribeHostFunc(self, a));
	FAILS(aclrtUnSubscribeHostFunc(self, a), ACL_ERROR_RT_STREAM_SUBSCRIBE);
	ACL(aclrtSynchronizeStream(a));
}

static atomic_int serving = 1;
static pthread_t order[6];
static atomic_int placed;

static void note_thread(void *data)
{
	(void)data;
	order[atomic_fetch_add(&placed, 1)] = pthread_self();
}

static void *serve_reports(void *arg)
{
	(void)arg;
	while (atomic_load(&serving))
		(void)aclrtProcessReport(50);
	return NULL;
}

static void *serve_host_funcs(void *arg)
{
	(void)arg;
	while (atomic_load(&serving))
		(void)aclrtProcessHostFunc(50);
	return NULL;
}

/* A stream with both: each function in its family's thread, all in the stream's order */
static void both_families_in_one_stream(void)
{
	pthread_t reports, host_funcs;
	aclrtStream stream;

	start();
	stream = new_stream();
	CHECK_EQ(pthread_create(&reports, NULL, serve_reports, NULL), 0);
	CHECK_EQ(pthread_create(&host_funcs, NULL, serve_host_funcs, NULL), 0);
	ACL(aclrtSubscribeReport((uint64_t)reports, stream));
	ACL(aclrtSubscribeHostFunc((uint64_t)host_funcs, stream));
	for (int i = 0; i < 3; i++) {
		ACL(aclrtLaunchCallback(note_thread, NULL, ACL_CALLBACK_BLOCK, stream));
		ACL(aclrtLaunchHostFunc(stream, note_thread, NULL));
	}
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&placed), 6);
	for (int i = 0; i < 6; i++)
		CHECK(pthread_equal(order[i], i % 2 ? host_funcs : reports));
	/* one is undone without the other */
	ACL(aclrtUnSubscribeHostFunc((uint64_t)host_funcs, stream));
	atomic_store(&placed, 0);
	ACL(aclrtLaunchHostFunc(stream, note_thread, NULL));
	ACL(aclrtLaunchCallback(note_thread, NULL, ACL_CALLBACK_BLOCK, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK(!pthread_equal(order[0], host_funcs) && !pthread_equal(order[0], reports));
	CHECK(pthread_equal(order[1], reports));
	ACL(aclrtUnSubscribeReport((uint64_t)reports, stream));
	atomic_store(&serving, 0);
	pthread_join(reports, NULL);
	pthread_join(host_funcs, NULL);
}

static atomic_int hooks, binary_hooks;
static void *hook_data;
static aclrtFuncHandle hook_func;
static uint32_t hook_size;

static void process_hook(aclrtExceptionInfo *info)
{
	(void)info;
	atomic_fetch_add(&hooks, 1);
}

static void binary_hook(aclrtExceptionInfo *info, void *data)
{
	void *args;

	hook_data = data;
	ACL(aclrtGetFuncHandleFromExceptionInfo(info, &hook_func));
	ACL(aclrtGetArgsFromExceptionInfo(info, &args, &hook_size));
	CHECK(args);
	atomic_fetch_add(&binary_hooks, 1);
}

static void a_binarys_own_hook(void)
{
	aclrtBinHandle one, two;
	aclrtFuncHandle f1, f2;
	int data[2];

	start();
	one = load(OPS);
	two = load(OPS);
	ACL(aclrtBinaryGetFunction(one, "trap", &f1));
	ACL(aclrtBinaryGetFunction(two, "trap", &f2));
	ACL(aclrtBinarySetExceptionCallback(one, binary_hook, &data[0]));
	LAUNCH(f1, 1, NULL, 0, 0);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	wait_for(&binary_hooks, 1);
	CHECK(hook_data == &data[0] && hook_func == f1);
	CHECK_EQ(hook_size, 16);
	/* not for another binary's kernels, and with the process-wide ones */
	ACL(aclrtExceptionInfoCallbackRegister(process_hook));
	LAUNCH(f2, 1, NULL, 0);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	wait_for(&hooks, 1);
	/* the last set wins */
	ACL(aclrtBinarySetExceptionCallback(one, binary_hook, &data[1]));
	LAUNCH(f1, 1, NULL, 0);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	wait_for(&hooks, 2);
	wait_for(&binary_hooks, 2);
	CHECK(hook_data == &data[1]);
	ACL(aclrtBinarySetExceptionCallback(one, NULL, NULL));
	LAUNCH(f1, 1, NULL, 0);
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	wait_for(&hooks, 3);
	ACL(aclrtBinarySetExceptionCallback(two, binary_hook, NULL));
	ACL(aclrtBinaryUnLoad(two));
	FAILS(aclrtBinarySetExceptionCallback(two, binary_hook, NULL),
	      ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtBinarySetExceptionCallback(NULL, binary_hook, NULL), ACL_ERROR_INVALID_PARAM);
	ACL(aclFinalize());
	CHECK_EQ(atomic_load(&binary_hooks), 2);
}

static void the_synchronisation_address(void)
{
	char *a = NULL, *b = NULL;

	start();
	ACL(aclrtGetHardwareSyncAddr((void **)&a));
	ACL(aclrtGetHardwareSyncAddr((void **)&b));
	CHECK(a && a == b);
	LAUNCH(op("store"), 1, NULL, U64(a + 65528), 1);
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtGetHardwareSyncAddr(NULL), ACL_ERROR_INVALID_PARAM, "addr");
	ACL(aclrtResetDevice(0));
	FAILS(aclrtGetHardwareSyncAddr((void **)&a), ACL_ERROR_RT_CONTEXT_NULL);
}

TAP_MAIN(TEST(functions_run_in_the_named_thread),
	 TEST(each_family_has_its_thread),
	 TEST(both_families_in_one_stream),
	 TEST(a_binarys_own_hook),
	 TEST(the_synchronisation_address))
