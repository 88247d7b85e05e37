// SPDX-License-Identifier: MIT
/* Memory pools: allocation in the order of streams. Streams are held back by a word, the gate. */
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

#define SKIP_OWN_PAGES() SKIP_IN_CHECK("each allocation of a pool has pages of its own, which stay away for a while")

#define MIB (1UL << 20)

static const aclrtMemPoolProps on_device = {
	.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
	.handleType = ACL_MEM_HANDLE_TYPE_NONE,
	.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
};

static aclrtMemPool new_pool(size_t max)
{
	aclrtMemPoolProps props = on_device;
	aclrtMemPool pool = NULL;

	props.maxSize = max;
	ACL(aclrtMemPoolCreate(&pool, &props));
	CHECK(pool);
	return pool;
}

static void *pool_alloc(aclrtMemPool pool, size_t size, aclrtStream stream)
{
	void *p = NULL;

	ACL(aclrtMemPoolMallocAsync(&p, size, pool, stream));
	CHECK(p && (uintptr_t)p % 64 == 0);
	return p;
}

static uint64_t attr(aclrtMemPool pool, aclrtMemPoolAttr a)
{
	uint64_t value = ~0ULL;

	ACL(aclrtMemPoolGetAttr(pool, a, &value));
	return value;
}

static void set32(aclrtMemPool pool, aclrtMemPoolAttr a, uint32_t value)
{
	ACL(aclrtMemPoolSetAttr(pool, a, &value));
}

static void set64(aclrtMemPool pool, aclrtMemPoolAttr a, uint64_t value)
{
	ACL(aclrtMemPoolSetAttr(pool, a, &value));
}

/* Tasks that are queued from now on wait for open_gate() */
static uint64_t *close_gate(aclrtStream stream)
{
	uint64_t *gate = dev_alloc(8);

	write_u64(gate, 0);
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	return gate;
}

static void open_gate(uint64_t *gate)
{
	write_u64(gate, 1);
}

static void stays(void)
{
	/* nothing is measured: the stream stands at its gate until it is opened */
	usleep(20000);
}

static void alloc_use_free(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	uint64_t *p, *q;
	char *host;

	start();
	stream = new_stream();
	pool = new_pool(10UL << 30);
	p = pool_alloc(pool, 8, stream);
	q = pool_alloc(pool, 3 * MIB, stream);
	LAUNCH(op("store"), 1, stream, U64(p), 42);
	LAUNCH(op("load_store"), 1, stream, U64(q), U64(p));
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(q), 42);
	/* it is memory like any other: copies, fills, ranges */
	put_pattern(q, 3 * MIB, 5);
	CHECK_DEVICE(q, 3 * MIB, 5);
	host = pinned_alloc(3 * MIB);
	ACL(aclrtMemcpyAsync(host, 3 * MIB, q, 3 * MIB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_PATTERN(host, 3 * MIB, 5);
	FAILS(aclrtMemset((char *)q + 3 * MIB - 4, 8, 0, 8), ACL_ERROR_RT_PARAM_INVALID, "leaves");
	/* what was freed is no memory any more */
	FAILS(aclrtMemset(p, 8, 0, 8), ACL_ERROR_RT_PARAM_INVALID, "not allocated");
	ACL(aclrtMemPoolFreeAsync(q, stream));
	ACL(aclrtMemPoolDestroy(pool));
}

static void same_stream_reuses_at_once(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	uint64_t *p, *q, *gate, *out;

	SKIP_OWN_PAGES();
	start();
	stream = new_stream();
	pool = new_pool(0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
	out = dev_alloc(16);
	gate = close_gate(stream);
	p = pool_alloc(pool, MIB, stream);
	LAUNCH(op("store"), 1, stream, U64(p), 1);
	LAUNCH(op("load_store"), 1, stream, U64(out), U64(p));
	ACL(aclrtMemPoolFreeAsync(p, stream));
	q = pool_alloc(pool, MIB, stream);
	CHECK_EQ(U64(q), U64(p));
	LAUNCH(op("store"), 1, stream, U64(q), 2);
	LAUNCH(op("load_store"), 1, stream, U64(out + 1), U64(q));
	open_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(out), 1);
	CHECK_EQ(read_u64(out + 1), 2);
}

/* A free block that another stream may still use is left alone */
static void other_streams_do_not_reuse_what_is_in_use(void)
{
	aclrtStream a, b;
	aclrtMemPool pool;
	uint64_t *p, *q, *gate;

	start();
	a = new_stream();
	b = new_stream();
	pool = new_pool(0);
	gate = close_gate(a);
	p = pool_alloc(pool, MIB, a);
	LAUNCH(op("store"), 1, a, U64(p), 1);
	ACL(aclrtMemPoolFreeAsync(p, a));
	q = pool_alloc(pool, MIB, b);
	CHECK(q != p);
	LAUNCH(op("store"), 1, b, U64(q), 2);
	ACL(aclrtSynchronizeStream(b));
	open_gate(gate);
	ACL(aclrtSynchronizeStream(a));
	CHECK_EQ(read_u64(q), 2);
}

static void waits_for_events_are_followed(void)
{
	aclrtStream a, b;
	aclrtMemPool pool;
	aclrtEvent early, late;
	uint64_t *p, *q, *gate;

	SKIP_OWN_PAGES();
	start();
	a = new_stream();
	b = new_stream();
	ACL(aclrtCreateEventExWithFlag(&early, ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&late, ACL_EVENT_SYNC));
	pool = new_pool(8 * MIB);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
	gate = close_gate(a);
	p = pool_alloc(pool, 8 * MIB, a);
	LAUNCH(op("store"), 1, a, U64(p), 1);
	ACL(aclrtRecordEvent(early, a));
	ACL(aclrtMemPoolFreeAsync(p, a));
	ACL(aclrtRecordEvent(late, a));
	/* no wait, a wait for something before the free, a wait that may give up: no */
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION,
	      "maxSize");
	ACL(aclrtStreamWaitEvent(b, early));
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION);
	ACL(aclrtStreamWaitEventWithTimeout(b, late, 100));
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION);
	ACL(aclrtStreamWaitEvent(b, late));
	set32(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 0);
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION);
	set32(pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1);
	q = pool_alloc(pool, 8 * MIB, b);
	CHECK_EQ(U64(q), U64(p));
	LAUNCH(op("increment"), 1, b, U64(q));
	open_gate(gate);
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(read_u64(q), 2);
}

static void an_abort_forgets_waits(void)
{
	aclrtStream a, b;
	aclrtMemPool pool;
	aclrtEvent event;
	uint64_t *p, *q, *gate;

	SKIP_OWN_PAGES();
	start();
	a = new_stream();
	b = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	pool = new_pool(8 * MIB);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
	gate = close_gate(a);
	p = pool_alloc(pool, 8 * MIB, a);
	ACL(aclrtMemPoolFreeAsync(p, a));
	ACL(aclrtRecordEvent(event, a));
	ACL(aclrtStreamWaitEvent(b, event));
	ACL(aclrtStreamAbort(b));
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION);
	open_gate(gate);
}

static void opportunistic_reuse_waits_for_nothing(void)
{
	aclrtStream a, b;
	aclrtMemPool pool;
	aclrtEvent event;
	uint64_t *p, *q;

	SKIP_OWN_PAGES();
	start();
	a = new_stream();
	b = new_stream();
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	pool = new_pool(8 * MIB);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
	p = pool_alloc(pool, 8 * MIB, a);
	ACL(aclrtMemPoolFreeAsync(p, a));
	ACL(aclrtRecordEvent(event, a));
	ACL(aclrtSynchronizeEvent(event));
	/* it has run, and nobody told the pool */
	FAILS(aclrtMemPoolMallocAsync((void **)&q, 8 * MIB, pool, b), ACL_ERROR_RT_MEMORY_ALLOCATION);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 1);
	q = pool_alloc(pool, 8 * MIB, b);
	CHECK_EQ(U64(q), U64(p));
	/* a synchronised stream's memory is everybody's in any case */
	ACL(aclrtMemPoolFreeAsync(q, b));
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 8 * MIB);
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(U64(pool_alloc(pool, 8 * MIB, a)), U64(p));
}

static void internal_dependencies_order_streams(void)
{
	aclrtStream a, b;
	aclrtMemPool pool;
	uint64_t *p, *q, *gate, *out;
	aclrtStreamStatus status;

	SKIP_OWN_PAGES();
	start();
	a = new_stream();
	b = new_stream();
	out = dev_alloc(16);
	pool = new_pool(8 * MIB);
	gate = close_gate(a);
	p = pool_alloc(pool, 8 * MIB, a);
	LAUNCH(op("store"), 1, a, U64(p), 7);
	LAUNCH(op("load_store"), 1, a, U64(out), U64(p));
	ACL(aclrtMemPoolFreeAsync(p, a));
	q = pool_alloc(pool, 8 * MIB, b);
	CHECK_EQ(U64(q), U64(p));
	LAUNCH(op("store"), 1, b, U64(q), 8);
	LAUNCH(op("load_store"), 1, b, U64(out + 1), U64(q));
	stays();
	ACL(aclrtStreamQuery(b, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	/* what stands behind the free does not hold it up */
	uint64_t *later = close_gate(a);

	open_gate(gate);
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(read_u64(out), 7);
	CHECK_EQ(read_u64(out + 1), 8);
	open_gate(later);
	ACL(aclrtSynchronizeStream(a));
}

/* A stream that never gets to its mark does not hold others for ever */
static void who_waits_for_a_dropped_stream_goes_on(void)
{
	for (int how = 0; how < 2; how++) {
		aclrtStream a, b;
		aclrtMemPool pool;
		uint64_t *p, *q;

		if (!how)
			start();
		a = new_stream();
		b = new_stream();
		pool = new_pool(8 * MIB);
		close_gate(a);
		p = pool_alloc(pool, 8 * MIB, a);
		ACL(aclrtMemPoolFreeAsync(p, a));
		q = pool_alloc(pool, 8 * MIB, b);
		LAUNCH(op("store"), 1, b, U64(q), 8);
		if (how)
			ACL(aclrtStreamAbort(a));
		else
			ACL(aclrtDestroyStreamForce(a));
		ACL(aclrtSynchronizeStream(b));
		CHECK_EQ(read_u64(q), 8);
		ACL(aclrtMemPoolDestroy(pool));
	}
}

static void blocks_are_split_and_joined(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	char *p[8];

	SKIP_OWN_PAGES();
	start();
	stream = new_stream();
	pool = new_pool(8 * MIB);
	for (int i = 0; i < 8; i++) {
		p[i] = pool_alloc(pool, MIB, stream);
		put_pattern(p[i], MIB, (unsigned int)i);
	}
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 8 * MIB);
	FAILS(aclrtMemPoolMallocAsync((void **)&p[0], 1, pool, stream),
	      ACL_ERROR_RT_MEMORY_ALLOCATION, "8 MiB", "in use");
	for (int i = 0; i < 8; i++)
		CHECK_DEVICE(p[i], MIB, (unsigned int)i);
	for (int i = 1; i < 8; i += 2)
		ACL(aclrtMemPoolFreeAsync(p[i], stream));
	FAILS(aclrtMemPoolMallocAsync((void **)&p[1], 2 * MIB, pool, stream),
	      ACL_ERROR_RT_MEMORY_ALLOCATION);
	ACL(aclrtMemPoolFreeAsync(p[4], stream));
	p[1] = pool_alloc(pool, 3 * MIB, stream);
	CHECK_DEVICE(p[0], MIB, 0);
	CHECK_DEVICE(p[2], MIB, 2);
	CHECK_DEVICE(p[6], MIB, 6);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 6 * MIB);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 8 * MIB);
}

static bool near(size_t got, size_t want)
{
	return got + MIB > want && want + MIB > got;
}

static void memory_goes_back(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	size_t before;
	char *p, *q;

	SKIP_OWN_PAGES();
	start();
	op("store");
	stream = new_stream();
	before = free_hbm();
	pool = new_pool(0);
	CHECK(near(free_hbm(), before));
	p = pool_alloc(pool, 16 * MIB, stream);
	q = pool_alloc(pool, 32 * MIB, stream);
	CHECK(near(free_hbm(), before - 48 * MIB));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 48 * MIB);
	/* no threshold: all that is free, at the next synchronisation */
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 32 * MIB);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 48 * MIB);
	CHECK(near(free_hbm(), before - 32 * MIB));
	/* with one, what it says stays */
	set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 32 * MIB);
	p = pool_alloc(pool, 16 * MIB, stream);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtMemPoolFreeAsync(q, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 32 * MIB);
	/* no piece is too large to go: what stays is never more than the threshold */
	set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 20 * MIB);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_OP(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), <=, 20 * MIB);
	set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 32 * MIB);
	p = pool_alloc(pool, 32 * MIB, stream);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	/* trimming is by hand, and does not touch what is in use */
	ACL(aclrtMemPoolTrimTo(pool, 32 * MIB));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 32 * MIB);
	p = pool_alloc(pool, MIB, stream);
	ACL(aclrtMemPoolTrimTo(pool, 0));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 32 * MIB);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtMemPoolTrimTo(pool, 0));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 0);
	CHECK(near(free_hbm(), before));
	/* peaks begin anew */
	set64(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, 0);
	set64(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 0);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), 0);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 0);
	/* with what there is */
	p = pool_alloc(pool, 3 * MIB, stream);
	q = pool_alloc(pool, MIB, stream);
	ACL(aclrtMemPoolFreeAsync(q, stream));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 4 * MIB);
	set64(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, 0);
	set64(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, 0);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 3 * MIB);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH),
		 attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT));
	/* a pool that is destroyed keeps nothing, whatever its threshold */
	set64(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 64 * MIB);
	ACL(aclrtMemPoolDestroy(pool));
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK(near(free_hbm(), before));
}

static void trim_leaves_what_tasks_still_use(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	uint64_t *p, *gate;

	start();
	stream = new_stream();
	pool = new_pool(0);
	gate = close_gate(stream);
	p = pool_alloc(pool, MIB, stream);
	LAUNCH(op("store"), 1, stream, U64(p), 1);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtMemPoolTrimTo(pool, 0));
	CHECK(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT) >= MIB);
	open_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 0);
}

static void a_destroyed_pool_goes_with_its_last_allocation(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	size_t before;
	uint64_t *p, *gate;

	SKIP_OWN_PAGES();
	start();
	op("store");
	stream = new_stream();
	gate = close_gate(stream);
	before = free_hbm();
	pool = new_pool(0);
	p = pool_alloc(pool, 16 * MIB, stream);
	LAUNCH(op("store"), 1, stream, U64(p), 11);
	ACL(aclrtMemPoolDestroy(pool));
	FAILS(aclrtMemPoolDestroy(pool), ACL_ERROR_RT_INVALID_HANDLE, "memory pool");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 8, pool, stream), ACL_ERROR_RT_INVALID_HANDLE);
	open_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(p), 11);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK(near(free_hbm(), before));
}

static void a_reset_ends_pools(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	size_t before;
	void *p;

	start();
	before = free_hbm();
	for (int i = 0; i < 3; i++) {
		stream = new_stream();
		pool = new_pool(0);
		p = pool_alloc(pool, 64 * MIB, stream);
		ACL(aclrtMemPoolFreeAsync(pool_alloc(pool, MIB, stream), stream));
		ACL(aclrtResetDeviceForce(0));
		ACL(aclrtSetDevice(0));
		FAILS(aclrtMemPoolTrimTo(pool, 0), ACL_ERROR_RT_INVALID_HANDLE);
		FAILS(aclrtMemPoolFreeAsync(p, NULL), ACL_ERROR_RT_PARAM_INVALID);
	}
	CHECK(near(free_hbm(), before));
}

static void device_full(void)
{
	aclrtStream stream;
	aclrtMemPool pool;
	void *p;

	start();
	stream = new_stream();
	pool = new_pool(0);
	FAILS(aclrtMemPoolMallocAsync(&p, 1UL << 40, pool, stream), ACL_ERROR_RT_MEMORY_ALLOCATION,
	      "1 TiB");
	FAILS(aclrtMemPoolMallocAsync(&p, SIZE_MAX, pool, stream), ACL_ERROR_RT_MEMORY_ALLOCATION,
	      "no");
	FAILS(aclrtMemPoolMallocAsync(&p, 0, pool, stream), ACL_ERROR_INVALID_PARAM, "size");
	/* almost all of it, where a large arena has no room any more */
	while (!aclrtMemPoolMallocAsync(&p, 16 * MIB, pool, stream))
		;
	while (!aclrtMemPoolMallocAsync(&p, MIB, pool, stream))
		;
	CHECK(free_hbm() < 4 * MIB);
}

static void wrong_arguments(void)
{
	aclrtMemPoolProps props = on_device;
	uint32_t two = 2, attribute;
	uint64_t one = 1;
	aclrtStream stream, recorded;
	aclmdlRI graph;
	aclrtMemPool pool;
	char *p, *plain;

	start();
	FAILS(aclrtMemPoolCreate(NULL, &props), ACL_ERROR_INVALID_PARAM, "memPool");
	FAILS(aclrtMemPoolCreate(&pool, NULL), ACL_ERROR_INVALID_PARAM, "poolProps");
	props.allocType = (aclrtMemAllocationType)3;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_INVALID_PARAM, "allocType", "3");
	props = on_device;
	props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "export");
	props.handleType = (aclrtMemHandleType)9;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_INVALID_PARAM, "handleType", "9");
	props = on_device;
	props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_INVALID_PARAM, "location");
	props = on_device;
	props.location.id = 7;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_RT_INVALID_DEVICEID, "7");
	props.location.id = UINT32_MAX;
	FAILS(aclrtMemPoolCreate(&pool, &props), ACL_ERROR_RT_INVALID_DEVICEID);
	pool = new_pool(0);
	stream = new_stream();
	FAILS(aclrtMemPoolMallocAsync(NULL, 8, pool, stream), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 0, pool, stream), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 8, NULL, stream), ACL_ERROR_INVALID_PARAM,
	      "memPool");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 8, pool, NULL), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 8, stream, stream), ACL_ERROR_RT_INVALID_HANDLE,
	      "a stream");
	FAILS(aclrtMemPoolMallocAsync((void **)&p, 8, pool, pool), ACL_ERROR_RT_INVALID_HANDLE,
	      "a memory pool");
	p = pool_alloc(pool, 4096, stream);
	plain = dev_alloc(64);
	FAILS(aclrtMemPoolFreeAsync(NULL, stream), ACL_ERROR_INVALID_PARAM, "ptr");
	FAILS(aclrtMemPoolFreeAsync(p + 8, stream), ACL_ERROR_RT_PARAM_INVALID, "inside");
	FAILS(aclrtMemPoolFreeAsync(plain, stream), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemPoolFreeAsync(&p, stream), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemPoolFreeAsync(p, pool), ACL_ERROR_RT_INVALID_HANDLE, "stream");
	FAILS(aclrtFree(p), ACL_ERROR_RT_PARAM_INVALID, "aclrtMemPoolFreeAsync");
	ACL(aclrtMemPoolFreeAsync(p, NULL));
	FAILS(aclrtMemPoolFreeAsync(p, stream), ACL_ERROR_RT_PARAM_INVALID, "freed");
	FAILS(aclrtMemPoolSetAttr(NULL, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &one), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemPoolSetAttr(stream, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &one),
	      ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemPoolGetAttr(stream, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &one),
	      ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemPoolTrimTo(NULL, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemPoolTrimTo(stream, 0), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtMemPoolDestroy(NULL), ACL_ERROR_INVALID_PARAM);
	for (attribute = 0; attribute < 12; attribute++)
		if (!attribute || attribute > ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) {
			FAILS(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attribute, &one),
			      ACL_ERROR_INVALID_PARAM, "attr");
			FAILS(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attribute, &one),
			      ACL_ERROR_INVALID_PARAM, "attr");
		}
	for (attribute = 1; attribute <= 3; attribute++) {
		FAILS(aclrtMemPoolSetAttr(pool, (aclrtMemPoolAttr)attribute, &two),
		      ACL_ERROR_INVALID_PARAM, "2");
		ACL(aclrtMemPoolGetAttr(pool, (aclrtMemPoolAttr)attribute, &two));
		CHECK_EQ(two, 1);
		two = 2;
	}
	FAILS(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, &one),
	      ACL_ERROR_INVALID_PARAM, "0");
	FAILS(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &one),
	      ACL_ERROR_RT_PARAM_INVALID, "read");
	FAILS(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &one),
	      ACL_ERROR_RT_PARAM_INVALID, "read");
	FAILS(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL),
	      ACL_ERROR_INVALID_PARAM, "value");
	FAILS(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, NULL),
	      ACL_ERROR_INVALID_PARAM, "value");
	recorded = new_stream();
	p = pool_alloc(pool, 4096, stream);
	ACL(aclmdlRICaptureBegin(recorded, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	FAILS(aclrtMemPoolMallocAsync((void **)&plain, 8, pool, recorded),
	      ACL_ERROR_RT_STREAM_CAPTURED);
	FAILS(aclmdlRICaptureEnd(recorded, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	ACL(aclmdlRICaptureBegin(recorded, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	FAILS(aclrtMemPoolFreeAsync(p, recorded), ACL_ERROR_RT_STREAM_CAPTURED, "void");
	FAILS(aclmdlRICaptureEnd(recorded, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
	ACL(aclrtMemPoolFreeAsync(p, recorded));
}

/* Many threads with a stream each, one pool; what they wrote is there until they free it */
static aclrtMemPool shared_pool;

static void *churn(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	aclrtStream stream;
	struct {
		uint64_t *p, value;
	} mine[16] = { 0 };
	uint64_t *out;

	ACL(aclrtSetDevice(0));
	stream = new_stream();
	out = dev_alloc(8);
	for (int i = 0; i < 400; i++) {
		unsigned int k = next_random(&seed) % 16;

		if (mine[k].p) {
			LAUNCH(op("load_store"), 1, stream, U64(out), U64(mine[k].p));
			ACL(aclrtMemPoolFreeAsync(mine[k].p, stream));
			ACL(aclrtSynchronizeStream(stream));
			CHECK_EQ(read_u64(out), mine[k].value);
			mine[k].p = NULL;
		} else {
			mine[k].value = next_random(&seed);
			mine[k].p = pool_alloc(shared_pool, 8 + next_random(&seed) % 200000, stream);
			LAUNCH(op("store"), 1, stream, U64(mine[k].p), mine[k].value);
		}
	}
	for (int k = 0; k < 16; k++)
		if (mine[k].p)
			ACL(aclrtMemPoolFreeAsync(mine[k].p, stream));
	ACL(aclrtDestroyStream(stream));
	return NULL;
}

static void threads_share_a_pool(void)
{
	pthread_t thread[4];

	start();
	op("store");
	shared_pool = new_pool(32 * MIB);
	set64(shared_pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, 8 * MIB);
	for (uintptr_t i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, churn, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	ACL(aclrtSynchronizeDevice());
	CHECK_EQ(attr(shared_pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT), 0);
	ACL(aclrtMemPoolTrimTo(shared_pool, 0));
	CHECK_EQ(attr(shared_pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 0);
	ACL(aclrtMemPoolDestroy(shared_pool));
}

/* A reset takes everything from threads that are in the middle of it; nothing is left, nothing breaks */
static atomic_bool over;

static void *churn_through_resets(void *arg)
{
	uint64_t seed = (uintptr_t)arg;
	aclrtMemPoolProps props = on_device;

	while (!atomic_load(&over)) {
		aclrtStream stream = NULL;
		aclrtMemPool pool = NULL;
		void *p[8] = { 0 };

		if (aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
		    aclrtMemPoolCreate(&pool, &props))
			continue;
		for (int i = 0; i < 40; i++) {
			unsigned int k = next_random(&seed) % 8;

			/* handles and addresses of a device that was reset are refused */
			if (p[k])
				aclrtMemPoolFreeAsync(p[k], stream);
			p[k] = NULL;
			if (i % 2)
				aclrtMemPoolMallocAsync(&p[k], 1 + next_random(&seed) % MIB, pool,
							stream);
			if (i % 16 == 15)
				aclrtSynchronizeStream(stream);
		}
		aclrtMemPoolDestroy(pool);
		aclrtDestroyStream(stream);
	}
	return NULL;
}

/* How often the process has the device open */
static int open_nodes(void)
{
	char path[64], target[64];
	int n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		if (length > 0) {
			target[length] = 0;
			n += !!strstr(target, "/accel");
		}
	}
	return n;
}

static void resets_while_threads_allocate(void)
{
	pthread_t thread[3];
	size_t before;
	int nodes;

	start();
	before = free_hbm();
	nodes = open_nodes();
	CHECK_EQ(nodes, has_driver() ? 1 : 0);
	for (uintptr_t i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, churn_through_resets, (void *)(i + 1)), 0);
	for (int i = 0; i < 20; i++) {
		usleep(5000);
		aclrtResetDeviceForce(0);
		ACL(aclrtSetDevice(0));
	}
	atomic_store(&over, true);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	aclrtResetDeviceForce(0);
	ACL(aclrtSetDevice(0));
	/* what a thread was making when the device ended does not keep it */
	CHECK_EQ(open_nodes(), nodes);
	CHECK(near(free_hbm(), before));
}

/* Sizes that only just make no sense, and a most that is no multiple of a page */
static void sizes_at_their_ends(void)
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 510, SIZE_MAX - 4096, SIZE_MAX / 2 + 1, SIZE_MAX / 2 };
	aclrtStream stream;
	aclrtMemPool pool;
	void *p, *q;

	start();
	stream = new_stream();
	pool = new_pool(0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		FAILS(aclrtMemPoolMallocAsync(&p, sizes[i], pool, stream), ACL_ERROR_RT_MEMORY_ALLOCATION);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), 0);
	pool = new_pool(MIB + 100);
	p = pool_alloc(pool, MIB, stream);
	CHECK_EQ(attr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT), MIB);
	FAILS(aclrtMemPoolMallocAsync(&q, 1, pool, stream), ACL_ERROR_RT_MEMORY_ALLOCATION, "maxSize");
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
}

/* An allocation ends where the program's bytes end, not where its block does */
static void its_bytes_and_no_more(void)
{
	char host[1024] = { 0 };
	aclrtStream stream;
	aclrtMemPool pool;
	char *p;

	start();
	stream = new_stream();
	pool = new_pool(0);
	p = pool_alloc(pool, 1000, stream);
	ACL(aclrtMemcpy(p, 1000, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemset(p + 999, 1, 7, 1));
	FAILS(aclrtMemcpy(p, 1001, host, 1001, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID, "1000");
	FAILS(aclrtMemcpy(host, 8, p + 996, 8, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemset(p + 1000, 1, 7, 1), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtMemPoolFreeAsync(p, stream));
	ACL(aclrtSynchronizeStream(stream));
}

/* Two frees of which the stream has done the first: together they are free when it has done both */
static void a_merged_block_waits_for_its_later_free(void)
{
	aclrtStream holds, other;
	aclrtMemPool pool;
	char *all, *a, *b, *p;
	uint64_t *gate;

	SKIP_OWN_PAGES();
	start();
	holds = new_stream();
	other = new_stream();
	pool = new_pool(0);
	set32(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0);
	/* the lower one first, and the upper one */
	for (int upper = 0; upper < 2; upper++) {
		a = pool_alloc(pool, MIB, holds);
		b = pool_alloc(pool, MIB, holds);
		CHECK(b == a + MIB);
		ACL(aclrtMemPoolFreeAsync(upper ? b : a, holds));
		/* not a synchronisation, which would make it anybody's */
		ACL(aclrtMemcpyAsync(host_alloc(8), 8, dev_alloc(8), 8, ACL_MEMCPY_DEVICE_TO_HOST, holds));
		gate = close_gate(holds);
		ACL(aclrtMemPoolFreeAsync(upper ? a : b, holds));
		for (size_t size = MIB; size <= 2 * MIB; size += MIB) {
			p = pool_alloc(pool, size, other);
			CHECK(p + size <= a || p >= b + MIB);
			ACL(aclrtMemPoolFreeAsync(p, other));
		}
		all = pool_alloc(pool, 2 * MIB, holds);
		CHECK(all == a);
		ACL(aclrtMemPoolFreeAsync(all, holds));
		open_gate(gate);
		ACL(aclrtSynchronizeDevice());
		ACL(aclrtMemPoolTrimTo(pool, 0));
	}
}

TAP_MAIN(TEST(a_merged_block_waits_for_its_later_free), TEST(alloc_use_free),
	 TEST(same_stream_reuses_at_once),
	 TEST(other_streams_do_not_reuse_what_is_in_use),
	 TEST(waits_for_events_are_followed),
	 TEST(an_abort_forgets_waits),
	 TEST(opportunistic_reuse_waits_for_nothing),
	 TEST(internal_dependencies_order_streams),
	 TEST(who_waits_for_a_dropped_stream_goes_on),
	 TEST(blocks_are_split_and_joined),
	 TEST(memory_goes_back),
	 TEST(trim_leaves_what_tasks_still_use),
	 TEST(a_destroyed_pool_goes_with_its_last_allocation),
	 TEST(a_reset_ends_pools),
	 TEST(device_full),
	 TEST(wrong_arguments), TEST(its_bytes_and_no_more), TEST(sizes_at_their_ends),
	 TEST(threads_share_a_pool),
	 TEST(resets_while_threads_allocate))
