// SPDX-License-Identifier: MIT
/* aclrtReduceAsync(). */
#include "../acltest.h"

#include "../../unit/model/reduce_expected.h"

#define SUM	ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM
#define MAX	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX
#define MIN	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN

/* in the order of enum anpu_reduce_type */
static const aclDataType types[] = { ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16,
				     ACL_FLOAT };
/* in that of enum anpu_reduce_op */
static const aclrtReduceKind kinds[] = { SUM, MAX, MIN };

enum { N = 100000 };

/* Random bits; most pairs have the same highest byte but for the sign, so that sums round */
static void fill_random(unsigned char *a, unsigned char *b, unsigned int size)
{
	uint64_t state = 42 + size;

	for (int i = 0; i < N; i++) {
		uint32_t x = next_random(&state), y = next_random(&state);

		if (i % 4)
			y = (y & ~(0x7fU << (8 * size - 8))) | (x & 0x7fU << (8 * size - 8));
		if (i % 97 == 0)
			y = x;
		memcpy(a + (size_t)i * size, &x, size);
		memcpy(b + (size_t)i * size, &y, size);
	}
}

static void check_results(unsigned int op, unsigned int type, const unsigned char *a,
			  const unsigned char *b, const unsigned char *got)
{
	size_t size = ANPU_REDUCE_SIZE(type);

	for (size_t i = 0; i < N; i++) {
		uint32_t x = 0, y = 0, is = 0, should;

		memcpy(&x, a + i * size, size);
		memcpy(&y, b + i * size, size);
		memcpy(&is, got + i * size, size);
		should = expected(op, type, x, y);
		if (is != should)
			FAIL("type %d, kind %d: %#x and %#x make %#x, not %#x", types[type],
			     kinds[op], x, y, is, should);
	}
}

/* Against the host's arithmetic, bit by bit */
static void exact_results(void)
{
	unsigned char *a, *b, *got, *da, *db;

	start();
	a = malloc(4 * N);
	b = malloc(4 * N);
	got = malloc(4 * N);
	da = dev_alloc(4 * N);
	db = dev_alloc(4 * N);
	for (unsigned int type = 0; type < ANPU_REDUCE_TYPE_COUNT; type++) {
		size_t bytes = N * aclDataTypeSize(types[type]);

		fill_random(a, b, ANPU_REDUCE_SIZE(type));
		for (unsigned int op = 0; op < ANPU_REDUCE_OP_COUNT; op++) {
			ACL(aclrtMemcpy(da, bytes, a, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
			ACL(aclrtMemcpy(db, bytes, b, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
			ACL(aclrtReduceAsync(da, db, bytes, kinds[op], types[type], NULL, NULL));
			ACL(aclrtSynchronizeStream(NULL));
			ACL(aclrtMemcpy(got, bytes, da, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
			check_results(op, type, a, b, got);
			ACL(aclrtMemcpy(got, bytes, db, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
			CHECK(!memcmp(got, b, bytes));
		}
	}
	free(a);
	free(b);
	free(got);
}

static void pinned_memory_too(void)
{
	int32_t *host, *other, *dev;

	start();
	host = pinned_alloc(4096);
	other = pinned_alloc(4096);
	dev = dev_alloc(4096);
	for (int i = 0; i < 1024; i++)
		host[i] = other[i] = i;
	ACL(aclrtMemcpy(dev, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtReduceAsync(dev, host, 4096, SUM, ACL_INT32, NULL, NULL));
	ACL(aclrtReduceAsync(host, dev, 4092, SUM, ACL_INT32, NULL, NULL));
	ACL(aclrtReduceAsync(other, other, 4096, SUM, ACL_INT32, NULL, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	for (int i = 0; i < 1023; i++) {
		CHECK_EQ(host[i], 3 * i);
		CHECK_EQ(other[i], 2 * i);
	}
	CHECK_EQ(host[1023], 1023);
}

static void in_the_streams_order(void)
{
	size_t bytes = 24 << 20;
	aclrtStream stream;
	float *host, *dev, *one;

	start();
	stream = new_stream();
	host = pinned_alloc(bytes);
	dev = dev_alloc(bytes);
	one = dev_alloc(bytes);
	for (size_t i = 0; i < bytes / 4; i++)
		host[i] = (float)(i & 0xffff);
	ACL(aclrtMemsetD32Async(one, bytes, 0x3f800000, bytes / 4, stream));
	ACL(aclrtMemcpyAsync(dev, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	for (int i = 0; i < 3; i++)
		ACL(aclrtReduceAsync(dev, one, bytes, SUM, ACL_FLOAT, stream, NULL));
	ACL(aclrtMemcpyAsync(host, bytes, dev, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
	ACL(aclrtSynchronizeStream(stream));
	for (size_t i = 0; i < bytes / 4; i++)
		if (host[i] != (float)(i & 0xffff) + 3)
			FAIL("element %zu is %g", i, host[i]);
}

static void bad_arguments(void)
{
	char *dev, *word = "";

	start();
	dev = dev_alloc(4096);
	FAILS(aclrtReduceAsync(NULL, dev, 64, SUM, ACL_FLOAT, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "dst");
	FAILS(aclrtReduceAsync(dev, NULL, 64, SUM, ACL_FLOAT, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "src");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, ACL_FLOAT, NULL, word), ACL_ERROR_INVALID_PARAM,
	      "reserve", "NULL");
	FAILS(aclrtReduceAsync(dev, dev, 0, SUM, ACL_FLOAT, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "count is 0");
	for (int kind = 0; kind < 16; kind++)
		if (kind < 10 || kind > 13)
			FAILS(aclrtReduceAsync(dev, dev, 64, (aclrtReduceKind)kind, ACL_FLOAT, NULL,
					       NULL),
			      ACL_ERROR_INVALID_PARAM, "kind");
	FAILS(aclrtReduceAsync(dev, dev, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_FLOAT, NULL,
			       NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "EQUAL");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, ACL_DOUBLE, NULL, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type is 11", "ACL_BF16");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, ACL_UINT8, NULL, NULL),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "type");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, ACL_INT4, NULL, NULL), ACL_ERROR_INVALID_PARAM,
	      "type");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, (aclDataType)999, NULL, NULL),
	      ACL_ERROR_INVALID_PARAM, "type is 999");
	FAILS(aclrtReduceAsync(dev, dev, 62, SUM, ACL_FLOAT, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "count is 62", "4");
	FAILS(aclrtReduceAsync(dev, dev, 63, MAX, ACL_BF16, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "count is 63", "2");
	FAILS(aclrtReduceAsync(dev + 2, dev, 64, SUM, ACL_INT32, NULL, NULL),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "dst");
	FAILS(aclrtReduceAsync(dev, dev + 1, 64, SUM, ACL_FLOAT16, NULL, NULL),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "src");
	FAILS(aclrtReduceAsync(dev, dev, 64, SUM, ACL_FLOAT, (aclrtStream)(void *)dev, NULL),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
	ACL(aclrtSynchronizeStream(NULL));
}

static void memory_that_the_device_does_not_reach(void)
{
	char *dev, *freed, *heap = malloc(64);

	start();
	dev = dev_alloc(4096);
	freed = dev_alloc(4 << 20);
	ACL(aclrtFree(freed));
	FAILS(aclrtReduceAsync(heap, dev, 64, SUM, ACL_INT8, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "dst", "aclrtMallocHost");
	FAILS(aclrtReduceAsync(dev, heap, 64, SUM, ACL_INT8, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "src", "aclrtMallocHost");
	FAILS(aclrtReduceAsync(freed, dev, 64, SUM, ACL_INT8, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "dst");
	FAILS(aclrtReduceAsync(dev, freed, 64, SUM, ACL_INT8, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "src");
	FAILS(aclrtReduceAsync(dev, dev, 8192, SUM, ACL_INT8, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "8192");
	FAILS(aclrtReduceAsync(dev, dev, ~3ULL, SUM, ACL_INT32, NULL, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "dst");
	ACL(aclrtSynchronizeStream(NULL));
	free(heap);
}

/* Recorded and run again; what was freed since then is a failure of its task */
static void in_a_graph(void)
{
	aclrtStream stream;
	int32_t *a, *b, *gone, got[16];
	aclmdlRI graph = NULL;

	start();
	stream = new_stream();
	a = dev_alloc(64);
	b = dev_alloc(64);
	gone = dev_alloc(4 << 20);
	ACL(aclrtMemset(a, 64, 0, 64));
	ACL(aclrtMemsetD32(b, 64, 7, 16));
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	ACL(aclrtReduceAsync(a, b, 64, SUM, ACL_INT32, stream, NULL));
	ACL(aclrtReduceAsync(b, a, 64, MAX, ACL_INT32, stream, NULL));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	for (int i = 0; i < 5; i++)
		ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtMemcpy(got, 64, a, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	/* 7, then twice as much each time */
	CHECK_EQ(got[0], 7 * 16);
	CHECK_EQ(got[15], 7 * 16);
	ACL(aclmdlRIDestroy(graph));

	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	ACL(aclrtReduceAsync(gone, b, 64, SUM, ACL_INT32, stream, NULL));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	ACL(aclrtFree(gone));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SYS_DMA, "reduction");
	ACL(aclmdlRIDestroy(graph));
}

TAP_MAIN(TEST(exact_results),
	 TEST(pinned_memory_too),
	 TEST(in_the_streams_order),
	 TEST(bad_arguments),
	 TEST(memory_that_the_device_does_not_reach),
	 TEST(in_a_graph))
