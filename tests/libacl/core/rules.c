// SPDX-License-Identifier: MIT
/*
 * Rules of the API that stand at no chapter's centre. Documentation/semantics.md lists all rules with
 * their tests.
 */
#include <pthread.h>

#include <acl/acl_prof.h>

#include "../acltest.h"

static void only_the_first_configuration_counts(void)
{
	int32_t id;

	ACL(aclInit(NULL));
	FAILS(aclInit(config_file("{\"defaultDevice\": {\"default_device\": \"0\"}}")),
	      ACL_ERROR_REPEAT_INITIALIZE);
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
	/* nor is the second file looked at */
	FAILS(aclInit("/nonexistent"), ACL_ERROR_REPEAT_INITIALIZE);
	ACL(aclFinalize());
	ACL(aclInit(config_file("{\"defaultDevice\": {\"default_device\": \"0\"}}")));
	ACL(aclrtFree(dev_alloc(64)));
}

static void *fail_here(void *arg)
{
	(void)arg;
	CHECK(aclrtSetDevice(4711) == ACL_ERROR_RT_INVALID_DEVICEID);
	return NULL;
}

static void *read_here(void *arg)
{
	*(bool *)arg = aclGetRecentErrMsg() != NULL;
	return NULL;
}

static void messages_may_be_the_processs(void)
{
	bool others = true;

	ACL(aclInit(config_file("{\"err_msg_mode\": \"1\"}")));
	in_thread(fail_here, NULL);
	CHECK(aclrtFreeHost(NULL) == ACL_ERROR_INVALID_PARAM);
	check_facts(aclGetRecentErrMsg(), "4711", "aclrtFreeHost", NULL);
	CHECK(!aclGetRecentErrMsg());
	CHECK(aclrtFreeHost(NULL) == ACL_ERROR_INVALID_PARAM);
	in_thread(read_here, &others);
	CHECK(others);
	CHECK(!aclGetRecentErrMsg());
	ACL(aclFinalize());
	/* and each thread's again */
	ACL(aclInit(config_file("{\"err_msg_mode\": 0}")));
	in_thread(fail_here, NULL);
	CHECK(!aclGetRecentErrMsg());
	ACL(aclFinalize());
	FAILS(aclInit(config_file("[]")), ACL_ERROR_PARSE_FILE, "no JSON object in braces");
	FAILS(aclInit(config_file("{\"err_msg_mode\": \"2\"}")), ACL_ERROR_PARSE_FILE, "err_msg_mode",
	      "'2'");
}

static void *fail_and_read(void *arg)
{
	(void)arg;
	for (int i = 0; i < 300; i++) {
		CHECK(aclrtFreeHost(NULL) == ACL_ERROR_INVALID_PARAM);
		aclGetRecentErrMsg();
	}
	return NULL;
}

static void messages_of_the_process_from_many_threads(void)
{
	pthread_t thread[6];

	ACL(aclInit(config_file("{\"err_msg_mode\": \"1\"}")));
	for (int i = 0; i < 6; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, fail_and_read, NULL), 0);
	for (int i = 0; i < 6; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* The default stream waits for something that comes last; others do not care */
static void the_default_stream_is_no_barrier(void)
{
	aclrtStreamStatus status;
	aclrtStream a, b;
	aclrtEvent last;
	uint64_t *word;

	start();
	a = new_stream();
	b = new_stream();
	word = dev_alloc(8);
	ACL(aclrtCreateEvent(&last));
	ACL(aclrtStreamWaitEvent(NULL, last));
	LAUNCH(op("store"), 1, a, U64(word), 1);
	ACL(aclrtSynchronizeStream(a));
	CHECK_EQ(read_u64(word), 1);
	ACL(aclrtStreamQuery(NULL, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	/* nor does it wait for them */
	ACL(aclrtRecordEvent(last, b));
	ACL(aclrtSynchronizeStream(NULL));
}

static void unknown_stream_flags_make_a_plain_stream(void)
{
	uint64_t *word;
	aclrtStream s;

	start();
	word = dev_alloc(8);
	ACL(aclrtCreateStreamWithConfig(&s, 0, 0x10000));
	LAUNCH(op("store"), 1, s, U64(word), 6);
	ACL(aclrtSynchronizeStream(s));
	CHECK_EQ(read_u64(word), 6);
}

static void the_default_stream_may_stop_on_failure(void)
{
	aclrtStreamAttrValue v = { 0 };

	start();
	ACL(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE));
	ACL(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &v));
	CHECK_EQ(v.failureMode, ACL_STOP_ON_FAILURE);
	FAILS(aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_PARAM_INVALID,
	      "once");
}

static void the_process_sets_a_limit_for_waits(void)
{
	aclrtStream stream;
	aclrtEvent never;

	start();
	stream = new_stream();
	ACL(aclrtCreateEvent(&never));
	ACL(aclrtSetOpWaitTimeout(1));
	ACL(aclrtStreamWaitEvent(stream, never));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "wait");
	/* 0: no limit any more */
	ACL(aclrtSetOpWaitTimeout(0));
	ACL(aclrtStreamWaitEvent(stream, never));
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 1500), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	ACL(aclrtRecordEvent(never, NULL));
	ACL(aclrtSynchronizeStream(stream));
}

static void the_old_name_of_asynchronous_copies(void)
{
	unsigned char *pinned;
	void *dev;

	start();
	dev = dev_alloc(5000);
	pinned = pinned_alloc(5000);
	fill_pattern(pinned, 5000, 1);
	ACL(aclrtMemcpyAsyncWithCondition(dev, 5000, pinned, 5000, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_DEVICE(dev, 5000, 1);
	FAILS(aclrtMemcpyAsyncWithCondition(dev, 10, pinned, 11, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "11");
}

/* The trap of the documents: behind the reset the second waiter waits for the next record */
static void a_reset_behind_one_wait_holds_up_another(void)
{
	aclrtStream producer, first, second;
	aclrtStreamStatus status;
	aclrtEvent event;

	start();
	producer = new_stream();
	first = new_stream();
	second = new_stream();
	ACL(aclrtCreateEvent(&event));
	ACL(aclrtRecordEvent(event, producer));
	ACL(aclrtStreamWaitEvent(first, event));
	ACL(aclrtResetEvent(event, first));
	ACL(aclrtSynchronizeStream(first));
	ACL(aclrtStreamWaitEvent(second, event));
	ACL(aclrtStreamQuery(second, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	ACL(aclrtRecordEvent(event, producer));
	ACL(aclrtSynchronizeStream(second));
}

static void *list_of_thread(void *arg)
{
	ACL(aclrtSetDevice(0));
	ACL(aclrtKernelArgsInit(op("store"), arg));
	return NULL;
}

static void each_thread_has_one_argument_list(void)
{
	aclrtArgsHandle first = NULL, second = NULL, other = NULL;
	aclrtParamHandle param;
	uint64_t value = 1;

	start();
	ACL(aclrtKernelArgsInit(op("store"), &first));
	ACL(aclrtKernelArgsAppend(first, &value, 8, &param));
	ACL(aclrtKernelArgsInit(op("store"), &second));
	CHECK(first == second);
	/* and it is empty again */
	FAILS(aclrtKernelArgsParaUpdate(second, param, &value, 8), ACL_ERROR_RT_INVALID_HANDLE);
	in_thread(list_of_thread, &other);
	CHECK(other != first);
}

static void a_list_that_is_full_is_107000(void)
{
	static char large[1 << 20];
	aclrtParamHandle param;
	aclrtArgsHandle list;
	uint64_t *word;
	void *buffer;
	size_t n;

	start();
	ACL(aclrtKernelArgsInit(op("store"), &list));
	FAILS(aclrtKernelArgsAppend(list, large, sizeof(large), &param), ACL_ERROR_RT_PARAM_INVALID,
	      "do not fit");
	ACL(aclrtKernelArgsAppendPlaceHolder(list, &param));
	FAILS(aclrtKernelArgsGetPlaceHolderBuffer(list, param, sizeof(large), &buffer),
	      ACL_ERROR_RT_PARAM_INVALID, "do not fit");
	/* what fits can be launched */
	word = pinned_alloc(8);
	*word = 0;
	ACL(aclrtKernelArgsInit(op("increment"), &list));
	ACL(aclrtKernelArgsAppend(list, &word, 8, &param));
	for (n = sizeof(large); n; n /= 2)
		while (aclrtKernelArgsAppend(list, large, n, &param) == ACL_SUCCESS)
			;
	ACL(aclrtKernelArgsFinalize(list));
	ACL(aclrtLaunchKernelWithConfig(op("increment"), 1, NULL, NULL, list, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*word, 1);
}

/* One hour for the process, 0.1 s for the launch: it ends, or the test runs out of time */
static void a_launchs_limit_beats_the_processs(void)
{
	aclrtLaunchKernelAttr attr = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
				       { .timeoutUs = { 100000, 0 } } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	uint64_t args[1];

	start();
	ACL(aclrtSetOpExecuteTimeOut(3600));
	args[0] = U64(dev_alloc(8));
	write_u64((void *)(uintptr_t)args[0], 0);
	ACL(aclrtLaunchKernelWithHostArgs(op("run_for_ever"), 1, NULL, &cfg, args, 8, NULL, 0));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TIMEOUT);
}

static int told;

static void count_exception(aclrtExceptionInfo *info)
{
	(void)info;
	__atomic_fetch_add(&told, 1, __ATOMIC_SEQ_CST);
}

/* The same function in the old slot and in the list runs twice; registered twice in the list, once */
static void exceptions_are_told_to_both_kinds_of_callbacks(void)
{
	start();
	ACL(aclrtSetExceptionInfoCallback(count_exception));
	ACL(aclrtExceptionInfoCallbackRegister(count_exception));
	ACL(aclrtExceptionInfoCallbackRegister(count_exception));
	LAUNCH(op("read_at"), 1, NULL, 0);
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtResetDevice(0)); /* waits for the callbacks */
	CHECK_EQ(__atomic_load_n(&told, __ATOMIC_SEQ_CST), 2);
	/* NULL clears the old slot; what was never registered may be unregistered */
	ACL(aclrtSetExceptionInfoCallback(NULL));
	ACL(aclrtExceptionInfoCallbackUnregister(count_exception));
	ACL(aclrtExceptionInfoCallbackUnregister(count_exception));
}

struct pointer {
	const char *function;
	void (*call)(void);
	int place;
	const char *name;
};

/* Calls a function with memory of zeros as each of its arguments but one */
static void check_refuses_null(const struct pointer *p, void *zeros)
{
	typedef aclError function(void *, void *, void *, void *, void *, void *, void *, void *);
	void *a[8] = { zeros, zeros, zeros, zeros, zeros, zeros, zeros, zeros };
	const char *message;
	char fact[80];
	aclError ret;

	a[p->place] = NULL;
	aclGetRecentErrMsg();
	ret = ((function *)p->call)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	message = aclGetRecentErrMsg();
	snprintf(fact, sizeof(fact), "%s: %s is NULL", p->function, p->name);
	if (ret != ACL_ERROR_INVALID_PARAM || !message || !strstr(message, fact))
		FAIL("%s returned %d: %s", fact, ret, message ? message : "(no message)");
}

/* Pointers are looked at before anything else is done, each of them, and the message names the one that is NULL */
static void null_pointers_are_told_by_name(void)
{
#define REFUSES_NULL(f, place, name) { #f, (void (*)(void))f, place, name },
	static const struct pointer pointers[] = {
#include "nulls.h"
	};
	void *zeros = host_alloc(65536);

	start();
	for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		memset(zeros, 0, 65536);
		check_refuses_null(&pointers[i], zeros);
	}
}

TAP_MAIN(TEST(null_pointers_are_told_by_name), TEST(only_the_first_configuration_counts),
	 TEST(messages_may_be_the_processs),
	 TEST(messages_of_the_process_from_many_threads),
	 TEST(the_default_stream_is_no_barrier),
	 TEST(unknown_stream_flags_make_a_plain_stream),
	 TEST(the_default_stream_may_stop_on_failure),
	 TEST(the_process_sets_a_limit_for_waits),
	 TEST(the_old_name_of_asynchronous_copies),
	 TEST(a_reset_behind_one_wait_holds_up_another),
	 TEST(each_thread_has_one_argument_list),
	 TEST(a_list_that_is_full_is_107000),
	 TEST(a_launchs_limit_beats_the_processs),
	 TEST(exceptions_are_told_to_both_kinds_of_callbacks))
