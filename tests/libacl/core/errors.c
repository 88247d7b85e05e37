// SPDX-License-Identifier: MIT
/* aclGetRecentErrMsg: a sentence per failure, per thread, read and cleared. */
#include <pthread.h>

#include "../acltest.h"

static void none_at_first_and_after_success(void)
{
	CHECK(!aclGetRecentErrMsg());
	start();
	ACL(aclrtFree(dev_alloc(64)));
	CHECK(!aclGetRecentErrMsg());
}

static void reading_clears(void)
{
	start();
	CHECK(aclrtFree(NULL) == ACL_ERROR_INVALID_PARAM);
	CHECK(aclGetRecentErrMsg());
	CHECK(!aclGetRecentErrMsg());
}

static void success_does_not_clear(void)
{
	start();
	CHECK(aclrtFree(NULL) == ACL_ERROR_INVALID_PARAM);
	ACL(aclrtFree(dev_alloc(64)));
	check_facts(aclGetRecentErrMsg(), "aclrtFree", "devPtr", NULL);
}

static void names_code_function_and_value(void)
{
	start();
	CHECK(aclrtSetDevice(4711) == ACL_ERROR_RT_INVALID_DEVICEID);
	check_facts(aclGetRecentErrMsg(), "107001", "aclrtSetDevice", "4711", NULL);
}

static void newest_comes_first(void)
{
	const char *msg, *old, *new;

	start();
	CHECK(aclrtSetDevice(4711) == ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK(aclrtFreeHost(NULL) == ACL_ERROR_INVALID_PARAM);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "4711", "aclrtFreeHost", NULL);
	old = strstr(msg, "4711");
	new = strstr(msg, "aclrtFreeHost");
	CHECK(new < old);
}

static void text_stays_until_the_next_reading(void)
{
	const char *msg;
	char copy[4096];

	start();
	CHECK(aclrtSetDevice(4711) == ACL_ERROR_RT_INVALID_DEVICEID);
	msg = aclGetRecentErrMsg();
	CHECK(msg);
	snprintf(copy, sizeof(copy), "%s", msg);
	for (int i = 0; i < 50; i++)
		CHECK(aclrtFree(NULL) == ACL_ERROR_INVALID_PARAM);
	CHECK(!strcmp(msg, copy));
	check_facts(aclGetRecentErrMsg(), "aclrtFree", NULL);
}

static void unread_messages_do_not_pile_up(void)
{
	const char *msg;

	start();
	for (int i = 0; i < 200000; i++)
		CHECK(aclrtSynchronizeStreamWithTimeout(NULL, -1000 - i) == ACL_ERROR_INVALID_PARAM);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "-200999", NULL);
	CHECK_OP(strlen(msg), <, 1 << 20);
}

static void long_values_are_cut_and_not_overflown(void)
{
	char *name = host_alloc(1 << 20);
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	const char *msg;

	start();
	memset(name, 'x', (1 << 20) - 1);
	name[(1 << 20) - 1] = 0;
	CHECK(aclrtBinaryGetFunction(load(OPS), name, &func) == ACL_ERROR_RT_KERNEL_LOOKUP);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "xxxx", NULL);
	CHECK(aclrtBinaryLoadFromFile(name, NULL, &bin) == ACL_ERROR_RT_FILE_OPEN);
	check_facts(aclGetRecentErrMsg(), "xxxx", NULL);
	CHECK(aclInit(name) != ACL_SUCCESS);
	CHECK(aclGetRecentErrMsg());
}

static pthread_barrier_t barrier;

static void *other_thread(void *arg)
{
	(void)arg;
	CHECK(!aclGetRecentErrMsg());
	CHECK(aclrtSetDevice(333) == ACL_ERROR_RT_INVALID_DEVICEID);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	check_facts(aclGetRecentErrMsg(), "333", NULL);
	return NULL;
}

static void each_thread_has_its_own(void)
{
	const char *msg;
	pthread_t thread;

	start();
	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(aclrtSetDevice(222) == ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK_EQ(pthread_create(&thread, NULL, other_thread, NULL), 0);
	pthread_barrier_wait(&barrier);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "222", NULL);
	CHECK(!strstr(msg, "333"));
	CHECK(!aclGetRecentErrMsg());
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void *fail_and_end(void *arg)
{
	(void)arg;
	CHECK(aclrtFree(NULL) == ACL_ERROR_INVALID_PARAM);
	return NULL;
}

static void threads_that_end_leave_nothing(void)
{
	start();
	for (int i = 0; i < 2000; i++)
		in_thread(fail_and_end, NULL);
	CHECK(!aclGetRecentErrMsg());
}

TAP_MAIN(TEST(none_at_first_and_after_success),
	 TEST(reading_clears),
	 TEST(success_does_not_clear),
	 TEST(names_code_function_and_value),
	 TEST(newest_comes_first),
	 TEST(text_stays_until_the_next_reading),
	 TEST(unread_messages_do_not_pile_up),
	 TEST(long_values_are_cut_and_not_overflown),
	 TEST(each_thread_has_its_own),
	 TEST_SECONDS(threads_that_end_leave_nothing, 240)) /* AddressSanitizer's threads are slow */
