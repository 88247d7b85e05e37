// SPDX-License-Identifier: MIT
/* Batches of copies: aclrtMemcpyBatch() and its three relatives. */
#include "../acltest.h"

#define N    16
#define SIZE 10000

static void *dsts[N], *srcs[N];
static size_t maxs[N], sizes[N], indexes[N], fail;
static aclrtMemcpyBatchAttr attrs[N];

enum place { PAGEABLE, PINNED, DEVICE };

static void *alloc(enum place place)
{
	return place == DEVICE ? dev_alloc(SIZE)
	       : place == PINNED ? pinned_alloc(SIZE)
				 : host_alloc(SIZE);
}

static aclrtMemLocation location(enum place place)
{
	return (aclrtMemLocation){ 0, place == DEVICE ? ACL_MEM_LOCATION_TYPE_DEVICE
						      : ACL_MEM_LOCATION_TYPE_HOST };
}

static void prepare(enum place dst, enum place src)
{
	for (int i = 0; i < N; i++) {
		dsts[i] = alloc(dst);
		srcs[i] = alloc(src);
		maxs[i] = SIZE;
		sizes[i] = SIZE - (size_t)i;
		if (src == DEVICE)
			put_pattern(srcs[i], SIZE, (unsigned int)i + 1);
		else
			fill_pattern(srcs[i], SIZE, (unsigned int)i + 1);
		if (dst == DEVICE)
			put_pattern(dsts[i], SIZE, 99);
		else
			fill_pattern(dsts[i], SIZE, 99);
	}
	memset(attrs, 0, sizeof(attrs));
	attrs[0].dstLoc = location(dst);
	attrs[0].srcLoc = location(src);
	attrs[1] = attrs[0];
	indexes[0] = 0;
	indexes[1] = N / 2;
	fail = 12345;
}

static void check(enum place dst, bool copied)
{
	for (int i = 0; i < N; i++) {
		unsigned int seed = copied ? (unsigned int)i + 1 : 99;

		if (dst == DEVICE)
			CHECK_DEVICE(dsts[i], copied ? sizes[i] : SIZE, seed);
		else
			CHECK_PATTERN(dsts[i], copied ? sizes[i] : SIZE, seed);
	}
}

#define BATCH dsts, maxs, srcs, sizes, N, attrs, indexes, 2

static void every_direction(void)
{
	static const enum place pair[][2] = { { DEVICE, PAGEABLE }, { DEVICE, PINNED },
					      { PAGEABLE, DEVICE }, { PINNED, DEVICE },
					      { DEVICE, DEVICE } };

	start();
	for (size_t i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		prepare(pair[i][0], pair[i][1]);
		ACL(aclrtMemcpyBatch(BATCH, &fail));
		check(pair[i][0], true);
		CHECK(fail == SIZE_MAX);
		prepare(pair[i][0], pair[i][1]);
		ACL(aclrtMemcpyBatchV2(BATCH));
		check(pair[i][0], true);
		prepare(pair[i][0], pair[i][1]);
		ACL(aclrtMemcpyBatchAsync(BATCH, &fail, NULL));
		ACL(aclrtSynchronizeStream(NULL));
		check(pair[i][0], true);
		CHECK(fail == SIZE_MAX);
		prepare(pair[i][0], pair[i][1]);
		ACL(aclrtMemcpyBatchAsyncV2(BATCH, NULL));
		ACL(aclrtSynchronizeStream(NULL));
		check(pair[i][0], true);
	}
}

static void async_is_ordered_with_the_stream(void)
{
	uint64_t *word = NULL, *host;

	start();
	prepare(PINNED, DEVICE);
	word = srcs[3];
	host = dsts[3];
	LAUNCH(op("spin_then_store"), 1, NULL, 100000, U64(word), 31337);
	ACL(aclrtMemcpyBatchAsync(BATCH, &fail, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*host, 31337);
}

/* Both forms fail alike, blame the same copy, and nothing is copied */
#define BOTH_FAIL(code, index, ...) do { \
	fail = 12345; \
	FAILS(aclrtMemcpyBatch(BATCH, &fail), code, __VA_ARGS__); \
	CHECK(fail == (size_t)(index)); \
	fail = 12345; \
	FAILS(aclrtMemcpyBatchAsync(BATCH, &fail, NULL), code, __VA_ARGS__); \
	CHECK(fail == (size_t)(index)); \
	FAILS(aclrtMemcpyBatchV2(BATCH), code, __VA_ARGS__); \
	FAILS(aclrtMemcpyBatchAsyncV2(BATCH, NULL), code, __VA_ARGS__); \
	check(DEVICE, false); \
} while (0)

static void the_copy_that_is_wrong_is_blamed(void)
{
	void *saved;

	start();
	prepare(DEVICE, PAGEABLE);
	maxs[5] = sizes[5] - 1;
	BOTH_FAIL(ACL_ERROR_RT_PARAM_INVALID, 5, "copy 5", "destMax");
	maxs[5] = SIZE;
	saved = srcs[7];
	srcs[7] = NULL;
	BOTH_FAIL(ACL_ERROR_INVALID_PARAM, 7, "srcs[7]", "NULL");
	srcs[7] = dsts[6];
	BOTH_FAIL(ACL_ERROR_RT_PARAM_INVALID, 7, "srcLoc", "device memory");
	srcs[7] = saved;
	attrs[1].dstLoc.id = 3;
	BOTH_FAIL(ACL_ERROR_RT_PARAM_INVALID, N / 2, "dstLoc", "device 3");
	attrs[1].dstLoc.id = 0;
	attrs[1].srcLoc.type = (aclrtMemLocationType)77;
	BOTH_FAIL(ACL_ERROR_INVALID_PARAM, N / 2, "77");
	attrs[1].srcLoc.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	ACL(aclrtMemcpyBatch(BATCH, &fail));
	check(DEVICE, true);
}

static void one_direction_only(void)
{
	void *host;

	start();
	prepare(DEVICE, DEVICE);
	host = host_alloc(SIZE);
	srcs[N / 2] = host;
	attrs[1].srcLoc = location(PAGEABLE);
	BOTH_FAIL(ACL_ERROR_RT_PARAM_INVALID, N / 2, "direction");
	prepare(PAGEABLE, PAGEABLE);
	FAILS(aclrtMemcpyBatch(BATCH, &fail), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "host memory");
	CHECK(fail == 0);
	check(PAGEABLE, false);
}

static void arguments_that_no_copy_is_to_blame_for(void)
{
	start();
	prepare(DEVICE, PAGEABLE);
	indexes[0] = 1;
	BOTH_FAIL(ACL_ERROR_INVALID_PARAM, SIZE_MAX, "attrsIndexes[0]");
	indexes[0] = 0;
	indexes[1] = 0;
	BOTH_FAIL(ACL_ERROR_INVALID_PARAM, SIZE_MAX, "attrsIndexes[1]");
	indexes[1] = N;
	BOTH_FAIL(ACL_ERROR_INVALID_PARAM, SIZE_MAX, "attrsIndexes[1]");
	indexes[1] = 1;
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, 0, attrs, indexes, 1, &fail),
	      ACL_ERROR_INVALID_PARAM, "numBatches");
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, N, attrs, indexes, 0, &fail),
	      ACL_ERROR_INVALID_PARAM, "numAttrs");
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, 1, attrs, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "numAttrs");
	FAILS(aclrtMemcpyBatch(NULL, maxs, srcs, sizes, N, attrs, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "dsts");
	FAILS(aclrtMemcpyBatch(dsts, NULL, srcs, sizes, N, attrs, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "destMaxs");
	FAILS(aclrtMemcpyBatch(dsts, maxs, NULL, sizes, N, attrs, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "srcs");
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, NULL, N, attrs, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "sizes");
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, N, NULL, indexes, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "attrs");
	FAILS(aclrtMemcpyBatch(dsts, maxs, srcs, sizes, N, attrs, NULL, 2, &fail),
	      ACL_ERROR_INVALID_PARAM, "attrsIndexes");
	CHECK(fail == SIZE_MAX);
	FAILS(aclrtMemcpyBatch(BATCH, NULL), ACL_ERROR_INVALID_PARAM, "failIndex");
	FAILS(aclrtMemcpyBatchAsync(BATCH, NULL, NULL), ACL_ERROR_INVALID_PARAM, "failIndex");
	check(DEVICE, false);
}

static void without_a_device(void)
{
	size_t size = 1;
	void *p = &size;

	FAILS(aclrtMemcpyBatch(&p, &size, &p, &size, 1, attrs, indexes, 1, &fail),
	      ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	CHECK(fail == SIZE_MAX);
}

TAP_MAIN(TEST(every_direction),
	 TEST(async_is_ordered_with_the_stream),
	 TEST(the_copy_that_is_wrong_is_blamed),
	 TEST(one_direction_only),
	 TEST(arguments_that_no_copy_is_to_blame_for),
	 TEST(without_a_device))
