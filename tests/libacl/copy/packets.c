// SPDX-License-Identifier: MIT
/* Calls that are one packet each: copies by descriptor, rectangles, words of memory, notifies. */
#include "../acltest.h"

static void descriptor_copies_when_it_runs(void)
{
	aclrtStream stream;
	char *src, *dst;
	size_t size = 0;
	void *desc;

	start();
	stream = new_stream();
	ACL(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
	CHECK(size == 32 || size == 64);
	desc = dev_alloc(size);
	src = dev_alloc(100000);
	dst = dev_alloc(100000);
	put_pattern(src, 100000, 3);
	put_pattern(dst, 100000, 4);
	ACL(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, src, dst, 100000, NULL));
	ACL(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_DEVICE(dst, 100000, 3);
}

/* An operator queued before the copy changes where it copies to */
static void operator_rewrites_a_descriptor(void)
{
	aclrtStream stream;
	uint64_t *desc;
	char *src, *first, *second;

	start();
	stream = new_stream();
	desc = dev_alloc(64);
	src = dev_alloc(4096);
	first = dev_alloc(4096);
	second = dev_alloc(4096);
	put_pattern(src, 4096, 1);
	put_pattern(first, 4096, 2);
	put_pattern(second, 4096, 3);
	ACL(aclrtSetMemcpyDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, src, first, 4096, NULL));
	LAUNCH(op("store"), 1, stream, U64(&desc[1]), U64(second));
	ACL(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_DEVICE(first, 4096, 2);
	CHECK_DEVICE(second, 4096, 1);
}

static void bad_descriptors(void)
{
	aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	char *dev, host[64];
	aclrtStream stream;
	size_t size;

	start();
	stream = new_stream();
	dev = dev_alloc(4096);
	FAILS(aclrtGetMemcpyDescSize(kind, NULL), ACL_ERROR_INVALID_PARAM, "descSize");
	FAILS(aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, &size), ACL_ERROR_INVALID_PARAM,
	      "kind");
	FAILS(aclrtSetMemcpyDesc(NULL, kind, dev, dev, 8, NULL), ACL_ERROR_INVALID_PARAM, "desc");
	FAILS(aclrtSetMemcpyDesc(dev, kind, NULL, dev, 8, NULL), ACL_ERROR_INVALID_PARAM,
	      "srcAddr");
	FAILS(aclrtSetMemcpyDesc(dev, kind, dev, dev, 8, host), ACL_ERROR_INVALID_PARAM, "config");
	FAILS(aclrtSetMemcpyDesc(host, kind, dev, dev, 8, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "host");
	FAILS(aclrtSetMemcpyDesc(dev, kind, host, dev, 8, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "srcAddr");
	FAILS(aclrtSetMemcpyDesc(dev, kind, dev, host, 8, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "dstAddr");
	FAILS(aclrtSetMemcpyDesc(dev, kind, dev, dev + 4096 + 32 - 4, 8, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "dstAddr");
	FAILS(aclrtSetMemcpyDesc(dev, kind, dev, dev, 8192, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "8192");
	FAILS(aclrtSetMemcpyDesc(dev + 4, kind, dev, dev, 8, NULL), ACL_ERROR_RT_ADDR_UNALIGNED);
	FAILS(aclrtMemcpyAsyncWithDesc(dev, kind, NULL), ACL_ERROR_INVALID_PARAM, "stream",
	      "aclrtCreateStream");
	FAILS(aclrtMemcpyAsyncWithDesc(host, kind, stream), ACL_ERROR_RT_PARAM_INVALID, "host");
	FAILS(aclrtMemcpyAsyncWithDesc(dev, ACL_MEMCPY_DEFAULT, stream), ACL_ERROR_INVALID_PARAM,
	      "kind");
	/* The copy reads the descriptor when it runs */
	ACL(aclrtMemset(dev, 4096, 0x11, 32));
	ACL(aclrtMemcpyAsyncWithDesc(dev, kind, stream));
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SYS_DMA, "copy", "descriptor",
	      "aclrtSetMemcpyDesc");
}

/* Memory of a descriptor that is freed while the copy waits */
static void a_descriptor_in_freed_memory(void)
{
	aclrtStream stream;
	uint64_t *gate;
	const char *msg;
	void *desc;

	start();
	stream = new_stream();
	desc = dev_alloc((4 << 20) + 4096); /* "4.0 MiB", also in the checking mode, which does not round */
	gate = close_host_gate(stream);
	ACL(aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	ACL(aclrtFree(desc));
	open_host_gate(gate);
	aclGetRecentErrMsg();
	CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_SYS_DMA);
	msg = aclGetRecentErrMsg();
	check_facts(msg, "copy", "4.0 MiB", "was freed", NULL);
	CHECK(!find_text(msg, "0 bytes"));
}

enum { WIDTH = 1000, HEIGHT = 37, SPITCH = 1024, DPITCH = 1500 };

/* Rows of a rectangle hold the pattern of their number, the rest is @rest */
static void check_rows(const unsigned char *mem, size_t pitch, unsigned int rest)
{
	for (size_t y = 0; y < HEIGHT; y++) {
		CHECK_PATTERN(mem + y * pitch, WIDTH, y);
		for (size_t x = WIDTH; y + 1 < HEIGHT && x < pitch; x++)
			CHECK_EQ(mem[y * pitch + x], rest);
	}
}

static void rectangle(unsigned char *host, unsigned char *back, aclrtStream stream, bool async)
{
	void *dev = dev_alloc(DPITCH * HEIGHT);

	memset(host, 0xaa, SPITCH * HEIGHT);
	for (size_t y = 0; y < HEIGHT; y++)
		fill_pattern(host + y * SPITCH, WIDTH, y);
	memset(back, 0x55, SPITCH * HEIGHT);
	ACL(aclrtMemset(dev, DPITCH * HEIGHT, 0, DPITCH * HEIGHT));
	if (async) {
		ACL(aclrtMemcpy2dAsync(dev, DPITCH, host, SPITCH, WIDTH, HEIGHT,
				       ACL_MEMCPY_HOST_TO_DEVICE, stream));
		ACL(aclrtMemcpy2dAsync(back, SPITCH, dev, DPITCH, WIDTH, HEIGHT,
				       ACL_MEMCPY_DEVICE_TO_HOST, stream));
		ACL(aclrtSynchronizeStream(stream));
	} else {
		ACL(aclrtMemcpy2d(dev, DPITCH, host, SPITCH, WIDTH, HEIGHT,
				  ACL_MEMCPY_HOST_TO_DEVICE));
		ACL(aclrtMemcpy2d(back, SPITCH, dev, DPITCH, WIDTH, HEIGHT,
				  ACL_MEMCPY_DEVICE_TO_HOST));
	}
	check_rows(back, SPITCH, 0x55);
	ACL(aclrtFree(dev));
}

static void rectangles_of_every_memory(void)
{
	unsigned char *heap, *heap2, *pinned, *pinned2;
	aclrtStream stream;

	start();
	stream = new_stream();
	heap = host_alloc(SPITCH * HEIGHT);
	heap2 = host_alloc(SPITCH * HEIGHT);
	pinned = pinned_alloc(SPITCH * HEIGHT);
	pinned2 = pinned_alloc(SPITCH * HEIGHT);
	for (int async = 0; async < 2; async++) {
		rectangle(heap, heap2, stream, async);
		rectangle(pinned, pinned2, stream, async);
		rectangle(heap, pinned, stream, async);
		rectangle(pinned, heap, NULL, async);
	}
}

static void rectangle_within_the_device(void)
{
	unsigned char *host = host_alloc(DPITCH * HEIGHT);
	char *a, *b;

	start();
	a = dev_alloc(SPITCH * HEIGHT);
	b = dev_alloc(DPITCH * HEIGHT);
	for (size_t y = 0; y < HEIGHT; y++)
		put_pattern(a + y * SPITCH, WIDTH, y);
	ACL(aclrtMemset(b, DPITCH * HEIGHT, 0x66, DPITCH * HEIGHT));
	ACL(aclrtMemcpy2dAsync(b, DPITCH, a, SPITCH, WIDTH, HEIGHT, ACL_MEMCPY_DEVICE_TO_DEVICE,
			       NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(host, DPITCH * HEIGHT, b, DPITCH * HEIGHT, ACL_MEMCPY_DEVICE_TO_HOST));
	check_rows(host, DPITCH, 0x66);
}

static void bad_rectangles(void)
{
	aclrtMemcpyKind to = ACL_MEMCPY_HOST_TO_DEVICE;
	char *dev, *host = host_alloc(65536);

	SKIP_IN_CHECK("what lies behind an allocation, up to its alignment, is not for the program");
	start();
	dev = dev_alloc(4096);
	FAILS(aclrtMemcpy2d(NULL, 64, host, 64, 64, 1, to), ACL_ERROR_INVALID_PARAM, "dst");
	FAILS(aclrtMemcpy2d(dev, 63, host, 64, 64, 1, to), ACL_ERROR_INVALID_PARAM, "dpitch");
	FAILS(aclrtMemcpy2d(dev, 64, host, 63, 64, 1, to), ACL_ERROR_INVALID_PARAM, "spitch");
	FAILS(aclrtMemcpy2d(dev, 64, host, 64, 0, 1, to), ACL_ERROR_INVALID_PARAM, "width");
	FAILS(aclrtMemcpy2d(dev, 6000000, host, 6000000, 5000001, 1, to), ACL_ERROR_INVALID_PARAM,
	      "5000001");
	FAILS(aclrtMemcpy2d(dev, 1, host, 1, 1, 5242881, to), ACL_ERROR_INVALID_PARAM, "5242881");
	FAILS(aclrtMemcpy2d(dev, SIZE_MAX, host, 64, 64, 2, to), ACL_ERROR_INVALID_PARAM, "dpitch");
	FAILS(aclrtMemcpy2d(dev, 64, host, SIZE_MAX, 64, 2, to), ACL_ERROR_INVALID_PARAM, "spitch");
	/* The largest that are none too large for that: only for the memory */
	FAILS(aclrtMemcpy2d(dev, 6000000, host, 6000000, 5000000, 1, to), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemcpy2d(dev, 1, host, 1, 1, 5242880, to), ACL_ERROR_RT_PARAM_INVALID);
	/* Behind the last row there need be nothing: both sides end there, 32 bytes behind what was asked for */
	ACL(aclrtMemcpy2d(dev + 64, 4032, host, 64, 32, 2, to));
	FAILS(aclrtMemcpy2d(dev + 64, 4033, host, 64, 32, 2, to), ACL_ERROR_RT_PARAM_INVALID, "dst");
	ACL(aclrtMemcpy2d(host, 64, dev + 64, 4032, 32, 2, ACL_MEMCPY_DEVICE_TO_HOST));
	FAILS(aclrtMemcpy2d(host, 64, dev + 64, 4033, 32, 2, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID,
	      "src");
	FAILS(aclrtMemcpy2d(dev, 64, host, 64, 64, 1, ACL_MEMCPY_DEVICE_TO_DEVICE),
	      ACL_ERROR_INVALID_PARAM, "kind");
	FAILS(aclrtMemcpy2d(dev, 64, host, 64, 64, 66, to), ACL_ERROR_RT_PARAM_INVALID, "dst");
	FAILS(aclrtMemcpy2dAsync(host, 64, dev, 64, 64, 1, to, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "kind");
}

static void values_order_streams(void)
{
	aclrtStream a, b;
	uint64_t *word, *out;

	start();
	a = new_stream();
	b = new_stream();
	word = dev_alloc(8);
	out = dev_alloc(8);
	write_u64(word, 0);
	write_u64(out, 0);
	ACL(aclrtValueWait(word, 5, ACL_STREAM_WAIT_VALUE_GEQ, b));
	LAUNCH(op("load_store"), 1, b, U64(out), U64(word));
	LAUNCH(op("spin_then_store"), 1, a, 20000, U64(word), 4);
	ACL(aclrtValueWrite(word, 7, 0, a));
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(read_u64(out), 7);
	ACL(aclrtSynchronizeStream(a));
}

/* A wait that is fulfilled ends, one that is not lasts */
static void wait_is(uint64_t memory, uint64_t value, uint32_t flag, bool fulfilled)
{
	aclrtStream stream = new_stream();
	uint64_t *word = dev_alloc(8);
	aclError err;

	write_u64(word, memory);
	ACL(aclrtValueWait(word, value, flag, stream));
	err = aclrtSynchronizeStreamWithTimeout(stream, fulfilled ? 10000 : 50);
	if (err != (fulfilled ? ACL_SUCCESS : ACL_ERROR_RT_STREAM_SYNC_TIMEOUT))
		FAIL("%llx, value %llx, flag %u: %d", (unsigned long long)memory,
		     (unsigned long long)value, flag, err);
	ACL(aclrtDestroyStreamForce(stream));
	ACL(aclrtFree(word));
}

static void wait_conditions(void)
{
	start();
	wait_is(5, 5, ACL_STREAM_WAIT_VALUE_GEQ, true);
	wait_is(6, 5, ACL_STREAM_WAIT_VALUE_GEQ, true);
	wait_is(4, 5, ACL_STREAM_WAIT_VALUE_GEQ, false);
	wait_is(5, 5, ACL_STREAM_WAIT_VALUE_EQ, true);
	wait_is(6, 5, ACL_STREAM_WAIT_VALUE_EQ, false);
	wait_is(0x0c, 0x04, ACL_STREAM_WAIT_VALUE_AND, true);
	wait_is(0x0c, 0x03, ACL_STREAM_WAIT_VALUE_AND, false);
	wait_is(0x0c, 0x03, ACL_STREAM_WAIT_VALUE_NOR, true);
	wait_is(~0x0cULL, 0x0c, ACL_STREAM_WAIT_VALUE_NOR, false);
}

static void bad_values(void)
{
	char *dev, host[8];

	start();
	dev = dev_alloc(64);
	FAILS(aclrtValueWrite(NULL, 1, 0, NULL), ACL_ERROR_INVALID_PARAM, "addr");
	FAILS(aclrtValueWrite(dev, 1, 1, NULL), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtValueWrite(dev + 4, 1, 0, NULL), ACL_ERROR_RT_ADDR_UNALIGNED, "8");
	FAILS(aclrtValueWrite((void *)((uintptr_t)host & ~7UL), 1, 0, NULL),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtValueWait(dev, 1, 4, NULL), ACL_ERROR_INVALID_PARAM, "flag");
	ACL(aclrtFree(dev));
	FAILS(aclrtValueWrite(dev, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID, "free");
}

static void fills_of_words(void)
{
	uint32_t host[300], *dev, *pinned;

	start();
	dev = dev_alloc(sizeof(host));
	pinned = pinned_alloc(sizeof(host));
	ACL(aclrtMemset(dev, sizeof(host), 0, sizeof(host)));
	ACL(aclrtMemsetD32(dev, sizeof(host), 0x12345678, 299));
	ACL(aclrtMemcpy(host, sizeof(host), dev, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < 299; i++)
		CHECK_EQ(host[i], 0x12345678);
	CHECK_EQ(host[299], 0);
	ACL(aclrtMemsetD32Async(pinned + 1, sizeof(host) - 4, 9, 5, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(pinned[1], 9);
	CHECK_EQ(pinned[5], 9);
	CHECK(pinned[6] != 9);
	FAILS(aclrtMemsetD32(dev, 16, 0, 5), ACL_ERROR_RT_PARAM_INVALID, "memSize");
	FAILS(aclrtMemsetD32(dev, SIZE_MAX, 0, SIZE_MAX / 4), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemsetD32((char *)dev + 2, 16, 0, 1), ACL_ERROR_RT_ADDR_UNALIGNED, "4");
	FAILS(aclrtMemsetD32(host, 16, 0, 1), ACL_ERROR_RT_PARAM_INVALID, "ptr");
}

/* Base pointers that a kernel of the same stream writes just before */
static void copies_by_pointers_in_memory(void)
{
	enum { N = 64 };
	uint64_t *from, *to, **from_base, **to_base, *pinned_base;
	aclrtStream stream;

	start();
	stream = new_stream();
	from = dev_alloc(N * 8);
	to = dev_alloc(N * 8);
	from_base = dev_alloc(8);
	to_base = dev_alloc(16);
	put_pattern(from, N * 8, 4);
	for (int i = 0; i < 20; i++) {
		size_t skip = (size_t)(i % 7) * 8, n = N * 4 + (size_t)i;

		ACL(aclrtMemset(to, N * 8, 0, N * 8));
		LAUNCH(op("store"), 1, stream, U64(from_base), U64(from + i % 3));
		LAUNCH(op("store"), 1, stream, U64(to_base + 1), U64(to));
		ACL(aclrtMemcpyAsyncWithOffset((void **)(to_base + 1), N * 8, skip,
					       (const void **)from_base, n, 8 * (size_t)(3 - i % 3),
					       ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
		/* what is written behind it does not count */
		LAUNCH(op("store"), 1, stream, U64(from_base), 8);
		ACL(aclrtSynchronizeStream(stream));
		for (size_t k = 0; k < n / 8; k++)
			CHECK_EQ(read_u64(to + skip / 8 + k), read_u64(from + 3 + k));
		CHECK_EQ(read_u64((char *)to + skip + N * 4 + 32), 0);
	}
	/* pointers may be in pinned memory; the default stream will do; nothing is nothing */
	pinned_base = pinned_alloc(8);
	*pinned_base = U64(from);
	ACL(aclrtMemcpyAsyncWithOffset((void **)(to_base + 1), N * 8, 0, (const void **)pinned_base,
				       N * 8, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtMemcpyAsyncWithOffset((void **)(to_base + 1), 0, 0, (const void **)pinned_base, 0, 0,
				       ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_DEVICE(to, N * 8, 4);
	/* a pointer that leads nowhere is a failure of the stream */
	write_u64(to_base, 4096);
	ACL(aclrtMemcpyAsyncWithOffset((void **)to_base, N * 8, 0, (const void **)pinned_base, 8, 0,
				       ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
	CHECK(aclrtSynchronizeStream(stream) != ACL_SUCCESS);
}

static void copies_by_pointers_are_checked(void)
{
	void *on_stack = NULL;
	aclrtStream stream;
	aclmdlRI graph;
	char *a, *b;

	start();
	stream = new_stream();
	a = dev_alloc(64);
	b = dev_alloc(64);
#define OFFSET_COPY(dst, max, src, n, kind, stream) \
	aclrtMemcpyAsyncWithOffset((void **)(dst), max, 0, (const void **)(src), n, 0, kind, stream)
	FAILS(OFFSET_COPY(NULL, 8, b, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_INVALID_PARAM, "dst");
	FAILS(OFFSET_COPY(a, 8, NULL, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_INVALID_PARAM, "src");
	FAILS(OFFSET_COPY(a, 8, b, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), ACL_ERROR_INVALID_PARAM,
	      "kind");
	FAILS(OFFSET_COPY(a, 8, b, 9, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_PARAM_INVALID, "count is 9", "destMax is 8");
	FAILS(OFFSET_COPY(a + 4, 8, b, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "dst");
	FAILS(OFFSET_COPY(a, 8, b + 1, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_ADDR_UNALIGNED, "src");
	FAILS(OFFSET_COPY(&on_stack, 8, b, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost");
	FAILS(OFFSET_COPY(a, 8, b, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, a),
	      ACL_ERROR_RT_INVALID_HANDLE, "stream");
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	FAILS(OFFSET_COPY(a, 8, b, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_STREAM_CAPTURED, "void");
	/* as after every call that is refused while a stream is recorded */
	FAILS(aclmdlRICaptureEnd(stream, &graph), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
}

TAP_MAIN(TEST(copies_by_pointers_in_memory),
	 TEST(copies_by_pointers_are_checked),
	 TEST(descriptor_copies_when_it_runs), TEST(operator_rewrites_a_descriptor),
	 TEST(bad_descriptors), TEST(a_descriptor_in_freed_memory),
	 TEST(rectangles_of_every_memory), TEST(rectangle_within_the_device),
	 TEST(bad_rectangles), TEST(values_order_streams), TEST(wait_conditions), TEST(bad_values),
	 TEST(fills_of_words))
