// SPDX-License-Identifier: MIT
/*
 * Many objects at once, destroyed in any order: that none is lost, and none is another one's. What
 * they cost is measured by make bench. Needs a device with more than 300 queues.
 */
#include "../acltest.h"

#define MANY 20000

static void *objects[MANY];
static uint32_t order[MANY];

/* The order in which @n objects are destroyed */
static void shuffle(uint32_t n)
{
	uint64_t state = n;

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = next_random(&state) % i, swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(void *const *)a, y = (uintptr_t)*(void *const *)b;

	return x < y ? -1 : x > y;
}

static void check_apart(uint32_t n, size_t size)
{
	static void *sorted[MANY];

	memcpy(sorted, objects, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_address);
	for (uint32_t i = 1; i < n; i++)
		CHECK_OP((uintptr_t)sorted[i] - (uintptr_t)sorted[i - 1], >=, size);
}

static void a_context_ends_its_streams_among_many(void)
{
	aclrtContext first, context;
	aclrtStream stream, own;

	start();
	ACL(aclrtGetCurrentContext(&first));
	for (int i = 0; i < 300; i++)
		ACL(aclrtCreateStream(&stream));
	ACL(aclrtCreateContext(&context, 0));
	ACL(aclrtCtxGetCurrentDefaultStream(&own));
	ACL(aclrtCreateStream(&stream));
	ACL(aclrtSetCurrentContext(first));
	ACL(aclrtDestroyContext(context));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtSynchronizeStream(own), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
}

static void events_in_any_order(void)
{
	aclrtEventRecordedStatus status;
	aclrtStream stream, stuck;
	uint64_t *gate;

	start();
	stream = new_stream();
	stuck = new_stream();
	gate = close_host_gate(stuck);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++)
			ACL(aclrtCreateEvent(&objects[i]));
		/* every third is waited for by a stream that does not get there: its slot stays its own */
		for (int i = 0; i < 300; i += 3)
			ACL(aclrtStreamWaitEvent(stuck, objects[i]));
		for (int i = 0; i < 300; i++)
			ACL(aclrtRecordEvent(objects[i], stream));
		ACL(aclrtSynchronizeStream(stream));
		shuffle(MANY);
		for (int i = 0; i < MANY; i++) {
			ACL(aclrtQueryEventStatus(objects[order[i]], &status));
			CHECK_EQ(status, order[i] < 300 ? ACL_EVENT_RECORDED_STATUS_COMPLETE
							: ACL_EVENT_RECORDED_STATUS_NOT_READY);
			ACL(aclrtDestroyEvent(objects[order[i]]));
		}
	}
	FAILS(aclrtDestroyEvent(objects[7]), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stuck));
}

static void pinned_memory_in_any_order(void)
{
	enum { N = 2000 };

	start();
	for (uint32_t i = 0; i < N; i++) {
		objects[i] = pinned_alloc(4096);
		*(uint32_t *)objects[i] = i;
	}
	check_apart(N, 4096);
	shuffle(N);
	for (uint32_t i = 0; i < N; i++) {
		void *p = objects[order[i]];

		CHECK_EQ(*(uint32_t *)p, order[i]);
		FAILS(aclrtFreeHost((char *)p + 64), ACL_ERROR_RT_PARAM_INVALID, "inside");
		ACL(aclrtFreeHost(p));
		FAILS(aclrtFreeHost(p), ACL_ERROR_RT_PARAM_INVALID, "freed already");
	}
}

/* Sizes differ, so that blocks are divided and joined in every way */
static void pool_memory_in_any_order(void)
{
	aclrtMemPoolProps props = { .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtStream streams[3] = { 0 };
	uint64_t used = 1, reserved = 1, state = 3;
	aclrtMemPool pool;

	start();
	for (int i = 0; i < 3; i++)
		streams[i] = new_stream();
	ACL(aclrtMemPoolCreate(&pool, &props));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			ACL(aclrtMemPoolMallocAsync(&objects[i], 1 + next_random(&state) % 4096, pool,
						    streams[i % 3]));
		check_apart(MANY, 512);
		shuffle(MANY);
		for (int i = 0; i < MANY; i++)
			ACL(aclrtMemPoolFreeAsync(objects[order[i]], streams[i / 2 % 3]));
	}
	ACL(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used));
	CHECK_EQ(used, 0);
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtMemPoolTrimTo(pool, 0));
	ACL(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &reserved));
	CHECK_EQ(reserved, 0);
	ACL(aclrtMemPoolDestroy(pool));
}

static void pools_in_any_order(void)
{
	aclrtMemPoolProps props = { .location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE } };
	size_t before, after;
	aclrtStream stream;
	void *p;

	start();
	stream = new_stream();
	before = free_hbm();
	for (int i = 0; i < MANY; i++)
		ACL(aclrtMemPoolCreate(&objects[i], &props));
	for (int i = 0; i < 10; i++) {
		ACL(aclrtMemPoolMallocAsync(&p, 4096, objects[i * 1000], stream));
		ACL(aclrtMemPoolFreeAsync(p, stream));
	}
	shuffle(MANY);
	for (int i = 0; i < MANY; i++)
		ACL(aclrtMemPoolDestroy(objects[order[i]]));
	ACL(aclrtSynchronizeStream(stream));
	after = free_hbm();
	CHECK_EQ(before, after);
}

static void keys_in_any_order(void)
{
	enum { N = 500 };
	static char key[N][32];
	void *p;

	start();
	p = dev_alloc(4096);
	for (int i = 0; i < N; i++)
		ACL(aclrtIpcMemGetExportKey(p, 64, key[i], sizeof(key[i]), 0));
	shuffle(N);
	for (int i = 0; i < N; i++) {
		ACL(aclrtIpcMemClose(key[order[i]]));
		FAILS(aclrtIpcMemClose(key[order[i]]), ACL_ERROR_RT_PARAM_INVALID, "closed already");
	}
}

TAP_MAIN(TEST(a_context_ends_its_streams_among_many), TEST(events_in_any_order), TEST(pinned_memory_in_any_order),
	 TEST(pool_memory_in_any_order), TEST(pools_in_any_order), TEST(keys_in_any_order))
