// SPDX-License-Identifier: MIT
/* Exception callbacks: called when a task fails, by a thread of the runtime, with what failed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

#define MAX_SEEN 512
#define ALL_ONES 0xFFFFFFFFU

struct seen {
	uint32_t task, stream, thread, device, code;
	aclError func_ret, args_ret;
	aclrtFuncHandle func;
	void *args;
	uint32_t args_size;
	pid_t in;
};

static struct seen seen[MAX_SEEN];
static atomic_int count, other_count;

static void hook(aclrtExceptionInfo *info)
{
	int i = atomic_load(&count);
	struct seen *s = &seen[i < MAX_SEEN ? i : MAX_SEEN - 1];

	s->task = aclrtGetTaskIdFromExceptionInfo(info);
	s->stream = aclrtGetStreamIdFromExceptionInfo(info);
	s->thread = aclrtGetThreadIdFromExceptionInfo(info);
	s->device = aclrtGetDeviceIdFromExceptionInfo(info);
	s->code = aclrtGetErrorCodeFromExceptionInfo(info);
	s->func_ret = aclrtGetFuncHandleFromExceptionInfo(info, &s->func);
	s->args_ret = aclrtGetArgsFromExceptionInfo(info, &s->args, &s->args_size);
	s->in = gettid();
	atomic_fetch_add(&count, 1);
}

static void other(aclrtExceptionInfo *info)
{
	(void)info;
	atomic_fetch_add(&other_count, 1);
}

static void fail_once(aclrtStream stream)
{
	LAUNCH(op("read_at"), 1, stream, 0);
}

static void the_callback_comes_without_synchronising(void)
{
	start();
	ACL(aclrtSetExceptionInfoCallback(hook));
	fail_once(NULL);
	wait_for(&count, 1);
	CHECK_EQ(seen[0].code, ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK(seen[0].in != gettid());
	/* the result of the task is still there for who synchronises */
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtSynchronizeStream(NULL));
	usleep(50000);
	CHECK_EQ(atomic_load(&count), 1);
}

static void late_hook(aclrtExceptionInfo *info)
{
	usleep(50000);
	hook(info);
}

static void callbacks_have_run_when_the_failure_is_returned(void)
{
	aclrtStreamStatus status;
	aclrtStream stream;
	int told = 0;

	start();
	stream = new_stream();
	ACL(aclrtSetExceptionInfoCallback(late_hook));
	fail_once(stream);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(atomic_load(&count), ++told);
	fail_once(stream);
	fail_once(stream);
	CHECK_EQ(aclrtSynchronizeStreamWithTimeout(stream, 60000), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(atomic_load(&count), told += 2);
	fail_once(NULL);
	CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(atomic_load(&count), ++told);
	fail_once(stream);
	while (aclrtStreamQuery(stream, &status) == ACL_SUCCESS)
		usleep(1000);
	CHECK_EQ(atomic_load(&count), ++told);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(atomic_load(&count), told);
}

static atomic_bool returned;

/* As one that takes a lock which the thread that synchronises holds */
static void hook_that_waits(aclrtExceptionInfo *info)
{
	while (!atomic_load(&returned))
		usleep(1000);
	hook(info);
}

static void a_callback_that_needs_the_synchroniser(void)
{
	start();
	ACL(aclrtSetExceptionInfoCallback(hook_that_waits));
	fail_once(NULL);
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(atomic_load(&count), 0);
	atomic_store(&returned, true);
	wait_for(&count, 1);
}

static void getters_tell_what_failed(void)
{
	aclrtStream stream;
	uint32_t task;
	int32_t id;

	ACL(aclInit(NULL));
	ACL(aclrtExceptionInfoCallbackRegister(hook)); /* before there is a device */
	ACL(aclrtSetDevice(0));
	stream = new_stream();
	ACL(aclrtStreamGetId(stream, &id));
	LAUNCH(op("read_in_block"), 4, stream, 0, 2);
	ACL(aclrtGetThreadLastTaskId(&task));
	wait_for(&count, 1);
	CHECK_EQ(seen[0].task, task);
	CHECK_EQ(seen[0].stream, id);
	CHECK_EQ(seen[0].thread, gettid());
	CHECK_EQ(seen[0].device, 0);
	CHECK_EQ(seen[0].code, ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(seen[0].func_ret, ACL_SUCCESS);
	CHECK(seen[0].func == op("read_in_block"));
	CHECK_EQ(seen[0].args_ret, ACL_SUCCESS);
	CHECK_EQ(seen[0].args_size, 16);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK(seen[0].args);
}

static aclError args_ret, write_ret;
static uint64_t args_read[2], behind_read;

/* Copies what the kernel was called with, and what a pointer in it refers to */
static void hook_that_reads_arguments(aclrtExceptionInfo *info)
{
	uint32_t size = 0;
	void *args = NULL;

	args_ret = aclrtGetArgsFromExceptionInfo(info, &args, &size);
	if (!args_ret)
		args_ret = aclrtMemcpy(args_read, sizeof(args_read), args, sizeof(args_read),
				       ACL_MEMCPY_DEVICE_TO_HOST);
	if (!args_ret && args_read[1])
		args_ret = aclrtMemcpy(&behind_read, 8, (void *)(uintptr_t)args_read[1], 8,
				       ACL_MEMCPY_DEVICE_TO_HOST);
	if (args)
		write_ret = aclrtMemcpy(args, 8, args_read, 8, ACL_MEMCPY_HOST_TO_DEVICE);
	atomic_fetch_add(&count, 1);
}

static void arguments_can_be_copied(void)
{
	uint64_t args[3] = { 40, 0, 0x1122334455667788 };
	aclrtPlaceHolderInfo to_last = { 8, 16 };
	aclrtStream stream;
	aclmdlRI graph;

	start();
	stream = new_stream();
	ACL(aclrtExceptionInfoCallbackRegister(hook_that_reads_arguments));
	for (int round = 1; round <= 2; round++) {
		if (round == 2)
			ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
		memset(args_read, 0, sizeof(args_read));
		behind_read = 0;
		ACL(aclrtLaunchKernelWithHostArgs(op("read_at"), 1, stream, NULL, args,
						  sizeof(args), &to_last, 1));
		if (round == 2) {
			ACL(aclmdlRICaptureEnd(stream, &graph));
			ACL(aclmdlRIExecuteAsync(graph, stream));
		}
		wait_for(&count, round);
		CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(args_ret, ACL_SUCCESS);
		CHECK_EQ(args_read[0], 40);
		CHECK_EQ(behind_read, 0x1122334455667788);
		/* the ring is the library's: nobody writes there */
		CHECK_EQ(write_ret, ACL_ERROR_RT_PARAM_INVALID);
	}
}

static void the_code_is_that_of_the_failure(void)
{
	aclrtLaunchKernelAttr us = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
				     { .timeoutUs = { 100000, 0 } } };
	aclrtLaunchKernelCfg cfg = { &us, 1 };
	uint64_t args[1];

	start();
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	LAUNCH(op("trap"), 1, NULL, 0);
	wait_for(&count, 1);
	CHECK_EQ(seen[0].code, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	args[0] = U64(dev_alloc(8));
	ACL(aclrtMemset((void *)args[0], 8, 0, 8));
	ACL(aclrtLaunchKernelWithHostArgs(op("run_for_ever"), 1, NULL, &cfg, args, 8, NULL, 0));
	wait_for(&count, 2);
	CHECK_EQ(seen[1].code, ACL_ERROR_RT_AICORE_TIMEOUT);
}

static void *fail_in_thread(void *arg)
{
	*(pid_t *)arg = gettid();
	ACL(aclrtSetDevice(0));
	fail_once(NULL);
	return NULL;
}

static void the_thread_is_the_one_that_queued(void)
{
	pid_t tid = 0;

	start();
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	in_thread(fail_in_thread, &tid);
	wait_for(&count, 1);
	CHECK_EQ(seen[0].thread, tid);
	CHECK(tid != gettid());
}

static void failures_that_are_no_kernel(void)
{
	void *nowhere, *host;
	uint64_t *gate;

	start();
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	nowhere = dev_alloc(4 << 20);
	host = pinned_alloc(4096);
	/* a copy that does not run before its destination is freed */
	gate = close_host_gate(NULL);
	ACL(aclrtMemcpyAsync(nowhere, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	ACL(aclrtFree(nowhere));
	open_host_gate(gate);
	wait_for(&count, 1);
	CHECK_EQ(seen[0].code, ACL_ERROR_RT_SYS_DMA);
	CHECK_EQ(seen[0].thread, gettid());
	CHECK_EQ(seen[0].func_ret, ACL_ERROR_RT_PARAM_INVALID);
	CHECK_EQ(seen[0].args_ret, ACL_ERROR_RT_PARAM_INVALID);
}

static void getters_without_info(void)
{
	aclrtFuncHandle func;
	uint32_t size;
	void *args;

	CHECK_EQ(aclrtGetTaskIdFromExceptionInfo(NULL), ALL_ONES);
	CHECK_EQ(aclrtGetStreamIdFromExceptionInfo(NULL), ALL_ONES);
	CHECK_EQ(aclrtGetThreadIdFromExceptionInfo(NULL), ALL_ONES);
	CHECK_EQ(aclrtGetDeviceIdFromExceptionInfo(NULL), ALL_ONES);
	CHECK_EQ(aclrtGetErrorCodeFromExceptionInfo(NULL), ALL_ONES);
	FAILS(aclrtGetFuncHandleFromExceptionInfo(NULL, &func), ACL_ERROR_INVALID_PARAM, "info");
	FAILS(aclrtGetArgsFromExceptionInfo(NULL, &args, &size), ACL_ERROR_INVALID_PARAM, "info");
}

static void registering_and_unregistering(void)
{
	FAILS(aclrtExceptionInfoCallbackRegister(NULL), ACL_ERROR_RT_PARAM_INVALID, "NULL");
	FAILS(aclrtExceptionInfoCallbackUnregister(NULL), ACL_ERROR_RT_PARAM_INVALID, "NULL");
	ACL(aclrtExceptionInfoCallbackUnregister(hook)); /* unknown */
	start();
	/* twice counts once; beside the old slot it runs twice */
	ACL(aclrtExceptionInfoCallbackRegister(other));
	ACL(aclrtExceptionInfoCallbackRegister(other));
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	ACL(aclrtSetExceptionInfoCallback(hook));
	fail_once(NULL);
	wait_for(&count, 2);
	wait_for(&other_count, 1);
	/* the last one set wins, NULL clears */
	ACL(aclrtSetExceptionInfoCallback(other));
	ACL(aclrtExceptionInfoCallbackUnregister(other));
	fail_once(NULL);
	wait_for(&count, 3);
	wait_for(&other_count, 2);
	ACL(aclrtSetExceptionInfoCallback(NULL));
	ACL(aclrtExceptionInfoCallbackUnregister(hook));
	fail_once(NULL);
	CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION);
	usleep(50000);
	CHECK_EQ(atomic_load(&count), 3);
	CHECK_EQ(atomic_load(&other_count), 2);
}

static void earlier_failures_are_no_news(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	fail_once(stream);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	fail_once(stream);
	wait_for(&count, 1);
	ACL(aclrtDestroyStream(stream));
	usleep(50000);
	CHECK_EQ(atomic_load(&count), 1);
}

/* Far more than the status page keeps, while the callback is slow */
static void slow_hook(aclrtExceptionInfo *info)
{
	usleep(1000);
	hook(info);
}

static void every_failure_is_told_in_its_order(void)
{
	enum { N = 300 };
	uint32_t first = 0;
	aclrtStream stream;

	start();
	ACL(aclrtExceptionInfoCallbackRegister(slow_hook));
	stream = new_stream();
	for (int i = 0; i < N; i++) {
		LAUNCH(op("read_at"), 1, stream, 0);
		if (!i)
			ACL(aclrtGetThreadLastTaskId(&first));
	}
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	wait_for(&count, N);
	for (int i = 0; i < N; i++) {
		CHECK_EQ(seen[i].task, first + (uint32_t)i);
		CHECK_EQ(seen[i].code, ACL_ERROR_RT_AICORE_EXCEPTION);
		CHECK_EQ(seen[i].thread, gettid());
		CHECK_EQ(seen[i].func_ret, ACL_SUCCESS);
	}
}

/* Nothing is lost when what it is about ends at once */
static void destroying_and_resetting_tell_first(void)
{
	aclrtFuncHandle func;
	aclrtStream stream;

	start();
	ACL(aclrtExceptionInfoCallbackRegister(slow_hook));
	for (int i = 1; i <= 20; i++) {
		stream = new_stream();
		fail_once(stream);
		ACL(aclrtDestroyStream(stream));
	}
	fail_once(NULL);
	aclrtResetDevice(0);
	CHECK_EQ(atomic_load(&count), 21);
	/* and the next use of the device has callbacks again */
	ACL(aclrtSetDevice(0));
	ACL(aclrtBinaryGetFunction(load(OPS), "read_at", &func));
	LAUNCH(func, 1, NULL, 0);
	wait_for(&count, 22);
}

static uint64_t *word;
static aclError reset_ret, copy_ret, sync_ret;
static uint64_t copied;

static void working_hook(aclrtExceptionInfo *info)
{
	void *args;
	uint32_t size;

	ACL(aclrtGetArgsFromExceptionInfo(info, &args, &size));
	copy_ret = aclrtMemcpy(&copied, 8, word, 8, ACL_MEMCPY_DEVICE_TO_HOST);
	sync_ret = aclrtSynchronizeStreamWithTimeout(NULL, 10000);
	reset_ret = aclrtResetDevice(0);
	ACL(aclrtExceptionInfoCallbackUnregister(working_hook));
	atomic_fetch_add(&count, 1);
}

static void what_a_callback_may_do(void)
{
	start();
	word = dev_alloc(8);
	write_u64(word, 77);
	ACL(aclrtExceptionInfoCallbackRegister(working_hook));
	fail_once(NULL);
	wait_for(&count, 1);
	CHECK_EQ(copy_ret, ACL_SUCCESS);
	CHECK_EQ(copied, 77);
	CHECK(sync_ret == ACL_SUCCESS || sync_ret == ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_EQ(reset_ret, ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	CHECK_EQ(read_u64(word), 77);
}

static void *fail_often(void *arg)
{
	aclrtStream stream;

	(void)arg;
	ACL(aclrtSetDevice(0));
	stream = new_stream();
	for (int i = 0; i < 50; i++)
		fail_once(stream);
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtDestroyStream(stream));
	return NULL;
}

static void from_many_threads(void)
{
	pthread_t thread[4];

	start();
	op("read_at");
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, fail_often, NULL), 0);
	for (int i = 0; i < 200; i++) {
		ACL(aclrtExceptionInfoCallbackRegister(other));
		ACL(aclrtExceptionInfoCallbackUnregister(other));
	}
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	wait_for(&count, 200);
}

/* The process exits with failures that nobody has waited for, and with the runtime's threads */
static void exit_without_finalize(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		start();
		ACL(aclrtExceptionInfoCallbackRegister(slow_hook));
		for (int i = 0; i < 30; i++)
			fail_once(NULL);
		exit(7);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 7);
}

static void a_forked_child_is_refused(void)
{
	int status;
	pid_t pid;

	SKIP_IN_ASAN_FORK(); /* the runtime's threads are starting */
	start();
	ACL(aclrtExceptionInfoCallbackRegister(hook));
	pid = fork();
	if (!pid) {
		FAILS(aclrtExceptionInfoCallbackRegister(other), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		      "fork");
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	fail_once(NULL);
	wait_for(&count, 1);
	ACL(aclFinalize());
}

TAP_MAIN(TEST(the_callback_comes_without_synchronising),
	 TEST(callbacks_have_run_when_the_failure_is_returned),
	 TEST(a_callback_that_needs_the_synchroniser),
	 TEST(getters_tell_what_failed),
	 TEST(arguments_can_be_copied),
	 TEST(the_code_is_that_of_the_failure),
	 TEST(the_thread_is_the_one_that_queued),
	 TEST(failures_that_are_no_kernel),
	 TEST(getters_without_info),
	 TEST(registering_and_unregistering),
	 TEST(earlier_failures_are_no_news),
	 TEST(every_failure_is_told_in_its_order),
	 TEST(destroying_and_resetting_tell_first),
	 TEST(what_a_callback_may_do),
	 TEST(from_many_threads),
	 TEST(exit_without_finalize),
	 TEST(a_forked_child_is_refused))
