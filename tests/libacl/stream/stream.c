// SPDX-License-Identifier: MIT
/* aclrtCreateStream, aclrtDestroyStream, aclrtSynchronizeStream. */
#include "../acltest.h"

static void create_and_destroy(void)
{
	aclrtStream a, b;

	start();
	a = new_stream();
	b = new_stream();
	CHECK(a != b);
	ACL(aclrtSynchronizeStream(a));
	ACL(aclrtDestroyStream(a));
	ACL(aclrtSynchronizeStream(b));
	ACL(aclrtDestroyStream(b));
}

static void null_is_refused(void)
{
	start();
	FAILS(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM, "stream", "NULL");
	FAILS(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM, "stream", "NULL",
	      "aclrtDestroyContext");
}

static void destroy_twice_is_107017(void)
{
	aclrtStream stream;

	start();
	stream = new_stream();
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "stream", "destroyed");
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "stream", "destroyed");
	/* Also when others were made since */
	for (int i = 0; i < 10; i++)
		CHECK(new_stream() != stream);
	FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

static void other_values_are_no_streams(void)
{
	uint64_t random = 1;
	aclrtBinHandle bin;
	void *dev, *heap;

	start();
	dev = dev_alloc(64);
	heap = host_alloc(4096);
	bin = load(OPS);
	FAILS(aclrtSynchronizeStream(dev), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtSynchronizeStream(heap), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtSynchronizeStream(&bin), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtSynchronizeStream(bin), ACL_ERROR_RT_INVALID_HANDLE, "binary");
	FAILS(aclrtDestroyStream(op("store")), ACL_ERROR_RT_INVALID_HANDLE, "function");
	FAILS(aclrtDestroyStream((aclrtStream)-1L), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtDestroyStream((aclrtStream)1L), ACL_ERROR_RT_INVALID_HANDLE);
	for (int i = 0; i < 10000; i++) {
		uint64_t h = (uint64_t)next_random(&random) << 32 | next_random(&random);

		CHECK(aclrtSynchronizeStream((aclrtStream)(h | 1)) != ACL_SUCCESS);
		CHECK(aclrtDestroyStream((aclrtStream)(h >> (i % 60) | 1)) != ACL_SUCCESS);
	}
}

static void destroy_waits_for_work(void)
{
	aclrtStream stream;
	uint64_t *word;

	start();
	word = pinned_alloc(8);
	*word = 0;
	stream = new_stream();
	LAUNCH(op("spin_then_store"), 1, stream, 300000, U64(word), 9);
	ACL(aclrtDestroyStream(stream));
	CHECK_EQ(*word, 9);
}

static void null_is_the_default_stream(void)
{
	uint64_t *word;

	start();
	word = dev_alloc(8);
	LAUNCH(op("spin_then_store"), 1, NULL, 100000, U64(word), 4);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 4);
}

static void many_streams_at_once(void)
{
	enum { N = 100, ROUNDS = 5 };
	aclrtStream stream[N];
	uint64_t *words;

	start();
	words = pinned_alloc(N * 8);
	memset(words, 0, N * 8);
	for (int i = 0; i < N; i++)
		stream[i] = new_stream();
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < N; i++)
			LAUNCH(op("increment"), 1, stream[i], U64(&words[i]));
	for (int i = 0; i < N; i++) {
		ACL(aclrtSynchronizeStream(stream[i]));
		CHECK_EQ(words[i], ROUNDS);
		ACL(aclrtDestroyStream(stream[i]));
	}
}

static void a_busy_stream_holds_up_no_other(void)
{
	aclrtStream slow, fast;
	uint64_t *words;

	start();
	words = pinned_alloc(24);
	memset(words, 0, 24);
	slow = new_stream();
	fast = new_stream();
	LAUNCH(op("wait_for_word"), 1, slow, U64(&words[2]));
	LAUNCH(op("store"), 1, slow, U64(&words[0]), 1);
	LAUNCH(op("store"), 1, fast, U64(&words[1]), 2);
	ACL(aclrtSynchronizeStream(fast));
	CHECK_EQ(words[1], 2);
	CHECK_EQ(words[0], 0);
	__atomic_store_n(&words[2], 1, __ATOMIC_RELEASE);
	ACL(aclrtSynchronizeStream(slow));
	CHECK_EQ(words[0], 1);
}

static void exhausted_queues_are_207008_and_recover(void)
{
	enum { MAX = 8192 };
	static aclrtStream stream[MAX];
	aclError err = 0;
	uint64_t *word;
	int n = 0;

	start();
	word = dev_alloc(8);
	while (n < MAX) {
		err = aclrtCreateStream(&stream[n]);
		if (err)
			break;
		n++;
	}
	CHECK_EQ(err, ACL_ERROR_RT_NO_STREAM_RESOURCE);
	check_facts(aclGetRecentErrMsg(), "queue", "aclrtDestroyStream", NULL);
	CHECK_OP(n, >=, 64);
	/* Those there are work */
	LAUNCH(op("store"), 1, stream[n - 1], U64(word), 5);
	ACL(aclrtSynchronizeStream(stream[n - 1]));
	CHECK_EQ(read_u64(word), 5);
	ACL(aclrtDestroyStream(stream[0]));
	ACL(aclrtCreateStream(&stream[0]));
	while (n)
		ACL(aclrtDestroyStream(stream[--n]));
}

/* Takes device memory in ever smaller pieces until there is none for anybody */
static int take_all_memory(void **piece, int max)
{
	size_t size = 64 << 20;
	int n = 0;

	while (size >= 4096 && n < max) {
		if (aclrtMalloc(&piece[n], size, ACL_MEM_MALLOC_NORMAL_ONLY))
			size /= 2;
		else
			n++;
	}
	return n;
}

static void without_device_memory_creating_is_207001(void)
{
	enum { MAX = 4096 };
	static void *piece[MAX];
	static aclrtStream stream[MAX];
	aclrtContext old, context;
	aclError err = 0;
	int pieces, n = 0;

	start();
	ACL(aclrtGetCurrentContext(&old));
	pieces = take_all_memory(piece, MAX);
	while (n < MAX && !err)
		err = aclrtCreateStream(&stream[n++]);
	CHECK_EQ(err, ACL_ERROR_RT_MEMORY_ALLOCATION);
	check_facts(aclGetRecentErrMsg(), "memory", "aclrtFree", NULL);
	FAILS(aclrtCreateContext(&context, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "memory",
	      "aclrtFree");
	ACL(aclrtSetCurrentContext(old));
	while (pieces)
		ACL(aclrtFree(piece[--pieces]));
	ACL(aclrtCreateStream(&stream[n - 1]));
	while (n)
		ACL(aclrtDestroyStream(stream[--n]));
}

static void create_and_destroy_leaks_nothing(void)
{
	size_t before = 0;

	start();
	for (int i = 0; i < 600; i++) {
		aclrtStream stream = new_stream();

		if (i % 10 == 0)
			LAUNCH(op("store"), 1, stream, U64(dev_alloc(8)), 1);
		ACL(aclrtDestroyStream(stream));
		if (i == 100)
			before = free_hbm();
	}
	CHECK_OP(free_hbm() + (2 << 20), >=, before);
}

static void *use_without_device(void *stream)
{
	aclrtStream other;

	FAILS(aclrtCreateStream(&other), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
	return NULL;
}

static void a_thread_without_device_may_not_use_a_stream(void)
{
	start();
	in_thread(use_without_device, new_stream());
}

static void long_queues_are_fine(void)
{
	enum { N = 30000 };
	aclrtStream stream;
	uint64_t *word;

	start();
	word = pinned_alloc(8);
	*word = 0;
	stream = new_stream();
	for (int i = 0; i < N; i++)
		LAUNCH(op("increment"), 1, stream, U64(word));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*word, N);
}

/*
 * The device watches a queue for a while before it sleeps and needs a doorbell again. Launches at
 * any moment of that must be seen, and every wait must be woken.
 */
static void a_launch_after_any_pause_is_seen(void)
{
	enum { N = 12000 };
	uint64_t *word, random = 9;
	aclrtStream stream;
	aclrtFuncHandle func;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	func = op("increment");
	for (int i = 0; i < N; i++) {
		struct timespec t;
		uint64_t end;

		LAUNCH(func, 1, stream, U64(word));
		ACL(aclrtSynchronizeStreamWithTimeout(stream, 20000));
		/* 0 to 80 us, by spinning: sleeping takes longer than that */
		clock_gettime(CLOCK_MONOTONIC, &t);
		end = (uint64_t)t.tv_nsec + next_random(&random) % 80000;
		for (int k = 0; k < 100000 && (uint64_t)t.tv_nsec < end; k++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	}
	CHECK_EQ(*word, N);
}

TAP_MAIN(TEST(create_and_destroy),
	 TEST(null_is_refused),
	 TEST(destroy_twice_is_107017),
	 TEST(other_values_are_no_streams),
	 TEST(destroy_waits_for_work),
	 TEST(null_is_the_default_stream),
	 TEST(many_streams_at_once),
	 TEST(a_busy_stream_holds_up_no_other),
	 TEST(exhausted_queues_are_207008_and_recover),
	 TEST(without_device_memory_creating_is_207001),
	 TEST(create_and_destroy_leaks_nothing),
	 TEST(a_thread_without_device_may_not_use_a_stream),
	 TEST(long_queues_are_fine),
	 TEST(a_launch_after_any_pause_is_seen))
