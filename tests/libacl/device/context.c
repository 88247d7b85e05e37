// SPDX-License-Identifier: MIT
/* Explicit contexts. */
#include <pthread.h>

#include "../acltest.h"

static void create_makes_current_and_needs_no_set(void)
{
	aclrtContext context, current;
	int32_t id = -1;
	void *p;

	ACL(aclInit(NULL));
	FAILS(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
	ACL(aclrtCreateContext(&context, 0));
	ACL(aclrtGetCurrentContext(&current));
	CHECK(current == context);
	ACL(aclrtGetDevice(&id));
	CHECK_EQ(id, 0);
	p = dev_alloc(4096);
	put_pattern(p, 4096, 1);
	CHECK_DEVICE(p, 4096, 1);
	ACL(aclrtFree(p));
	ACL(aclrtDestroyContext(context));
	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
}

static void bad_arguments(void)
{
	aclrtContext context;

	start();
	FAILS(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM, "context");
	FAILS(aclrtCreateContext(&context, 7), ACL_ERROR_RT_INVALID_DEVICEID, "7");
	FAILS(aclrtCreateContext(&context, -1), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM, "context");
	FAILS(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "context");
	FAILS(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "context");
	FAILS(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclrtSetCurrentContext(&context), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtSetCurrentContext(new_stream()), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtDestroyContext(&context), ACL_ERROR_RT_INVALID_HANDLE);
}

static void default_contexts_are_not_destroyed(void)
{
	aclrtContext context;

	start();
	ACL(aclrtGetCurrentContext(&context));
	CHECK(aclrtDestroyContext(context) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "default", "aclrtResetDevice", NULL);
	ACL(aclrtFree(dev_alloc(64)));
}

static void destroy_twice_is_107017(void)
{
	aclrtContext context;

	ACL(aclInit(NULL));
	ACL(aclrtCreateContext(&context, 0));
	ACL(aclrtDestroyContext(context));
	FAILS(aclrtDestroyContext(context), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtSetCurrentContext(context), ACL_ERROR_RT_INVALID_HANDLE);
}

static void each_has_its_own_default_stream(void)
{
	aclrtContext first, second;
	aclrtStream a, b, c;

	start();
	ACL(aclrtGetCurrentContext(&first));
	ACL(aclrtCtxGetCurrentDefaultStream(&a));
	ACL(aclrtCreateContext(&second, 0));
	ACL(aclrtCtxGetCurrentDefaultStream(&b));
	CHECK(a && b && a != b);
	ACL(aclrtSetCurrentContext(first));
	ACL(aclrtCtxGetCurrentDefaultStream(&c));
	CHECK(a == c);
}

static void the_default_stream_has_a_handle(void)
{
	aclrtStream stream;
	uint64_t *word;

	start();
	word = dev_alloc(8);
	ACL(aclrtCtxGetCurrentDefaultStream(&stream));
	LAUNCH(op("spin_then_store"), 1, NULL, 200000, U64(word), 3);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(word), 3);
	CHECK(aclrtDestroyStream(stream) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "default", NULL);
	LAUNCH(op("store"), 1, stream, U64(word), 4);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 4);
}

static void destroy_waits_for_its_work_and_frees_its_streams(void)
{
	aclrtContext context;
	aclrtStream stream;
	uint64_t *words;

	start();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	ACL(aclrtCreateContext(&context, 0));
	stream = new_stream();
	LAUNCH(op("spin_then_store"), 1, NULL, 200000, U64(&words[0]), 1);
	LAUNCH(op("spin_then_store"), 1, stream, 200000, U64(&words[1]), 2);
	ACL(aclrtDestroyContext(context));
	CHECK_EQ(words[0], 1);
	CHECK_EQ(words[1], 2);
	ACL(aclrtSetDevice(0));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void *use_context(void *context)
{
	void *p;

	FAILS(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
	ACL(aclrtSetCurrentContext(context));
	p = dev_alloc(64);
	put_pattern(p, 64, 1);
	CHECK_DEVICE(p, 64, 1);
	ACL(aclrtFree(p));
	return NULL;
}

static void another_thread_can_take_it(void)
{
	aclrtContext context;

	ACL(aclInit(NULL));
	ACL(aclrtCreateContext(&context, 0));
	in_thread(use_context, context);
	ACL(aclrtDestroyContext(context));
}

static void primary_context_state(void)
{
	int32_t active = -1;
	uint32_t flags = 1;

	ACL(aclInit(NULL));
	ACL(aclrtGetPrimaryCtxState(0, &flags, &active));
	CHECK_EQ(active, 0);
	CHECK_EQ(flags, 0);
	ACL(aclrtSetDevice(0));
	ACL(aclrtGetPrimaryCtxState(0, NULL, &active));
	CHECK_EQ(active, 1);
	ACL(aclrtResetDevice(0));
	ACL(aclrtGetPrimaryCtxState(0, NULL, &active));
	CHECK_EQ(active, 0);
}

static void a_context_outlives_reset_of_the_device(void)
{
	aclrtContext context;
	void *p;

	ACL(aclInit(NULL));
	ACL(aclrtCreateContext(&context, 0));
	ACL(aclrtSetDevice(0));
	ACL(aclrtResetDevice(0));
	ACL(aclrtSetCurrentContext(context));
	p = dev_alloc(64);
	put_pattern(p, 64, 2);
	CHECK_DEVICE(p, 64, 2);
	ACL(aclrtDestroyContext(context));
}

static void *ends_a_context(void *context)
{
	aclrtContext next;

	ACL(aclrtDestroyContext(context));
	/* the place in the table of handles is taken again */
	ACL(aclrtCreateContext(&next, 0));
	return next;
}

/* A thread that has asked for its context does not go on with what it was told */
static void what_another_thread_ended_is_no_answer(void)
{
	aclrtContext context, now = NULL;
	pthread_t thread;
	void *next;
	int32_t id = -1;

	start();
	for (int i = 0; i < 3; i++) {
		ACL(aclrtCreateContext(&context, 0));
		for (int j = 0; j < 2; j++) {
			ACL(aclrtGetDevice(&id));
			ACL(aclrtGetCurrentContext(&now));
			CHECK(now == context && id == 0);
		}
		CHECK_EQ(pthread_create(&thread, NULL, ends_a_context, context), 0);
		CHECK_EQ(pthread_join(thread, &next), 0);
		FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "destroyed");
		FAILS(aclrtGetCurrentContext(&now), ACL_ERROR_RT_CONTEXT_NULL, "destroyed");
		ACL(aclrtSetCurrentContext(next));
		ACL(aclrtGetCurrentContext(&now));
		CHECK(now == next);
		ACL(aclrtDestroyContext(next));
		FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "destroyed");
	}
	ACL(aclFinalize());
}

TAP_MAIN(TEST(create_makes_current_and_needs_no_set),
	 TEST(bad_arguments),
	 TEST(default_contexts_are_not_destroyed),
	 TEST(destroy_twice_is_107017),
	 TEST(each_has_its_own_default_stream),
	 TEST(the_default_stream_has_a_handle),
	 TEST(destroy_waits_for_its_work_and_frees_its_streams),
	 TEST(another_thread_can_take_it),
	 TEST(primary_context_state),
	 TEST(a_context_outlives_reset_of_the_device),
	 TEST(what_another_thread_ended_is_no_answer))
