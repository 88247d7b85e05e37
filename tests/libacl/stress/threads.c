// SPDX-License-Identifier: MIT
/* Several threads at once: every call may be made from any of them. */
#include <pthread.h>

#include "../acltest.h"

enum { THREADS = 8 };

struct job {
	void *(*run)(struct job *job);
	int number;
	aclrtStream stream;
	void *shared;
};

static void *enter(void *arg)
{
	struct job *job = arg;

	ACL(aclrtSetDevice(0));
	job->run(job);
	CHECK(!aclGetRecentErrMsg());
	ACL(aclrtResetDevice(0));
	return NULL;
}

static void run_threads(void *(*run)(struct job *job), aclrtStream stream, void *shared)
{
	pthread_t thread[THREADS];
	struct job job[THREADS];

	for (int i = 0; i < THREADS; i++) {
		job[i] = (struct job){ run, i, stream, shared };
		CHECK_EQ(pthread_create(&thread[i], NULL, enter, &job[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

static void *launch_and_copy(struct job *job)
{
	enum { ROUNDS = 150 };
	aclrtStream stream = new_stream();
	uint64_t *word = dev_alloc(8), *pinned = pinned_alloc(8);

	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t value = (uint64_t)job->number * 1000 + i;

		LAUNCH(op("store"), 1, stream, U64(word), value);
		LAUNCH(op("increment"), 1, stream, U64(word));
		ACL(aclrtMemcpyAsync(pinned, 8, word, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream));
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(*pinned, value + 1);
		CHECK_EQ(read_u64(word), value + 1);
	}
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtFreeHost(pinned));
	ACL(aclrtFree(word));
	return NULL;
}

static void each_with_its_own_stream(void)
{
	start();
	op("store");
	run_threads(launch_and_copy, NULL, NULL);
}

static void *add_to_shared(struct job *job)
{
	uint64_t *words = job->shared;

	for (int i = 0; i < 300; i++)
		LAUNCH(op("increment"), 1, job->stream, U64(&words[job->number]));
	ACL(aclrtSynchronizeStream(job->stream));
	return NULL;
}

static void all_on_one_stream(void)
{
	uint64_t *words;

	start();
	op("store");
	words = pinned_alloc(8 * THREADS);
	memset(words, 0, 8 * THREADS);
	run_threads(add_to_shared, new_stream(), words);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(words[i], 300);
	memset(words, 0, 8 * THREADS);
	run_threads(add_to_shared, NULL, words);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(words[i], 300);
}

static void *churn_memory(struct job *job)
{
	uint64_t random = (uint64_t)job->number + 1;

	for (int i = 0; i < 300; i++) {
		size_t n = 1 + next_random(&random) % (i % 20 ? 5000 : 3 << 20);
		void *dev = dev_alloc(n), *pinned = i % 10 ? NULL : pinned_alloc(n);
		unsigned int seed = (unsigned int)(job->number * 1000 + i);

		put_pattern(dev, n, seed);
		if (pinned) {
			ACL(aclrtMemcpy(pinned, n, dev, n, ACL_MEMCPY_DEVICE_TO_HOST));
			CHECK_PATTERN(pinned, n, seed);
			ACL(aclrtFreeHost(pinned));
		}
		CHECK_DEVICE(dev, n, seed);
		ACL(aclrtFree(dev));
	}
	return NULL;
}

static void memory_comes_and_goes(void)
{
	start();
	run_threads(churn_memory, NULL, NULL);
}

static void *churn_objects(struct job *job)
{
	for (int i = 0; i < 40; i++) {
		aclrtStream stream = new_stream();
		aclrtBinHandle bin = load(OPS);
		uint64_t *word = dev_alloc(8);
		aclrtFuncHandle func;

		ACL(aclrtBinaryGetFunction(bin, "store", &func));
		LAUNCH(func, 1, stream, U64(word), (uint64_t)job->number);
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(read_u64(word), job->number);
		ACL(aclrtBinaryUnLoad(bin));
		ACL(aclrtDestroyStream(stream));
		ACL(aclrtFree(word));
	}
	return NULL;
}

static void streams_and_binaries_come_and_go(void)
{
	start();
	run_threads(churn_objects, NULL, NULL);
}

static void *synchronize_all(struct job *job)
{
	uint64_t *word = dev_alloc(8);

	for (uint64_t i = 0; i < 50; i++) {
		LAUNCH(op("store"), 1, job->stream, U64(word), i);
		ACL(aclrtSynchronizeDevice());
		CHECK_EQ(read_u64(word), i);
	}
	return NULL;
}

static void synchronize_device_from_all_at_once(void)
{
	start();
	op("store");
	run_threads(synchronize_all, new_stream(), NULL);
}

static void *destroy_shared(struct job *job)
{
	aclrtStream *streams = job->shared;

	/* Everybody tries to destroy everything: each succeeds once */
	for (int i = 0; i < 100; i++) {
		aclError err = aclrtDestroyStream(streams[i]);

		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_INVALID_HANDLE);
		if (err == ACL_SUCCESS)
			__atomic_fetch_add(&((uint64_t *)job->shared)[100], 1, __ATOMIC_SEQ_CST);
		aclGetRecentErrMsg();
	}
	return NULL;
}

static void a_race_to_destroy_has_one_winner(void)
{
	aclrtStream streams[101];

	start();
	for (int i = 0; i < 100; i++)
		streams[i] = new_stream();
	streams[100] = NULL;
	run_threads(destroy_shared, NULL, streams);
	CHECK_EQ(U64(streams[100]), 100);
}

static void *free_shared(struct job *job)
{
	void **mem = job->shared;

	for (int i = 0; i < 200; i++) {
		aclError err = aclrtFree(mem[i]);

		CHECK(err == ACL_SUCCESS || err == ACL_ERROR_RT_PARAM_INVALID);
		if (err == ACL_SUCCESS)
			__atomic_fetch_add(&((uint64_t *)job->shared)[200], 1, __ATOMIC_SEQ_CST);
		aclGetRecentErrMsg();
	}
	return NULL;
}

static void a_race_to_free_has_one_winner(void)
{
	void *mem[201];

	start();
	for (int i = 0; i < 200; i++)
		mem[i] = dev_alloc(i % 2 ? 64 : 3 << 20);
	mem[200] = NULL;
	run_threads(free_shared, NULL, mem);
	CHECK_EQ(U64(mem[200]), 200);
}

static void *fail_on_purpose(struct job *job)
{
	char number[32];

	snprintf(number, sizeof(number), "%d", 50000 + job->number);
	for (int i = 0; i < 200; i++) {
		CHECK_EQ(aclrtSetDevice(50000 + job->number), ACL_ERROR_RT_INVALID_DEVICEID);
		check_facts(aclGetRecentErrMsg(), number, NULL);
	}
	return NULL;
}

static void failures_do_not_mix(void)
{
	start();
	run_threads(fail_on_purpose, NULL, NULL);
}

static void *set_and_reset(struct job *job)
{
	(void)job;
	for (int i = 0; i < 100; i++) {
		ACL(aclrtSetDevice(0));
		ACL(aclrtFree(dev_alloc(64)));
		ACL(aclrtResetDevice(0));
	}
	return NULL;
}

static void set_and_reset_count_right(void)
{
	start();
	run_threads(set_and_reset, NULL, NULL);
	ACL(aclrtFree(dev_alloc(64)));
	ACL(aclrtResetDevice(0));
	CHECK_EQ(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void *init_and_count(struct job *job)
{
	uint32_t n = 0;

	(void)job;
	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 1);
	return NULL;
}

static void *init_thread(void *arg)
{
	aclError err = aclInit(NULL);

	(void)arg;
	CHECK(err == ACL_SUCCESS || err == ACL_ERROR_REPEAT_INITIALIZE);
	aclGetRecentErrMsg();
	ACL(aclrtSetDevice(0));
	ACL(aclrtFree(dev_alloc(64)));
	return NULL;
}

static void the_first_calls_may_be_concurrent(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, init_thread, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(thread[i], NULL), 0);
	ACL(aclrtSetDevice(0));
	run_threads(init_and_count, NULL, NULL);
}

TAP_MAIN(TEST(each_with_its_own_stream),
	 TEST(all_on_one_stream),
	 TEST(memory_comes_and_goes),
	 TEST(streams_and_binaries_come_and_go),
	 TEST(synchronize_device_from_all_at_once),
	 TEST(a_race_to_destroy_has_one_winner),
	 TEST(a_race_to_free_has_one_winner),
	 TEST(failures_do_not_mix),
	 TEST(set_and_reset_count_right),
	 TEST(the_first_calls_may_be_concurrent))
