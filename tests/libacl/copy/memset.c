// SPDX-License-Identifier: MIT
/* aclrtMemset and aclrtMemsetAsync. */
#include "../acltest.h"

#define MIB (1UL << 20)

static void check_bytes(const char *mem, size_t from, size_t to, uint8_t value)
{
	for (size_t i = from; i < to; i++)
		if ((uint8_t)mem[i] != value)
			FAIL("byte %zu is %02x, not %02x", i, (uint8_t)mem[i], value);
}

static void any_offset_and_size(void)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 31, 64, 100, 4095, 4096, 4099, 70001 };
	static const size_t offsets[] = { 0, 1, 2, 4, 7, 8, 63, 100 };
	char *host = host_alloc(80000), *dev;

	start();
	dev = dev_alloc(80000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t k = 0; k < 8; k++) {
			size_t off = offsets[k], n = sizes[i], all = n + 200;

			ACL(aclrtMemset(dev, 80000, 0x11, all));
			if (k % 2) {
				ACL(aclrtMemset(dev + off, n, 0xc7, n));
			} else {
				ACL(aclrtMemsetAsync(dev + off, n, 0xc7, n, NULL));
				ACL(aclrtSynchronizeStream(NULL));
			}
			ACL(aclrtMemcpy(host, all, dev, all, ACL_MEMCPY_DEVICE_TO_HOST));
			check_bytes(host, 0, off, 0x11);
			check_bytes(host, off, off + n, 0xc7);
			check_bytes(host, off + n, all, 0x11);
		}
	}
}

static void value_is_a_byte(void)
{
	static const int32_t values[] = { 0, 1, 0x7f, 0x80, 0xff, 0x100, 0x1ff, -1, INT32_MIN,
					  0x12345678 };
	char host[100];
	void *dev;

	start();
	dev = dev_alloc(100);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		ACL(aclrtMemset(dev, 100, values[i], 100));
		ACL(aclrtMemcpy(host, 100, dev, 100, ACL_MEMCPY_DEVICE_TO_HOST));
		check_bytes(host, 0, 100, (uint8_t)values[i]);
	}
}

static void pinned_memory_too(void)
{
	char *p;

	start();
	p = pinned_alloc(3 * MIB);
	memset(p, 1, 3 * MIB);
	ACL(aclrtMemset(p + 5, 3 * MIB - 5, 0x42, 2 * MIB));
	check_bytes(p, 0, 5, 1);
	check_bytes(p, 5, 5 + 2 * MIB, 0x42);
	check_bytes(p, 5 + 2 * MIB, 3 * MIB, 1);
	ACL(aclrtMemsetAsync(p, 3 * MIB, 9, 3 * MIB, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	check_bytes(p, 0, 3 * MIB, 9);
}

static void large(void)
{
	char *host = host_alloc(64 * MIB + 1), *dev;

	start();
	dev = dev_alloc(64 * MIB + 1);
	ACL(aclrtMemset(dev, 64 * MIB + 1, 0x5a, 64 * MIB + 1));
	ACL(aclrtMemcpy(host, 64 * MIB + 1, dev, 64 * MIB + 1, ACL_MEMCPY_DEVICE_TO_HOST));
	check_bytes(host, 0, 64 * MIB + 1, 0x5a);
}

static void null_is_100000(void)
{
	start();
	FAILS(aclrtMemset(NULL, 64, 0, 64), ACL_ERROR_INVALID_PARAM, "devPtr", "NULL");
	FAILS(aclrtMemsetAsync(NULL, 64, 0, 64, NULL), ACL_ERROR_INVALID_PARAM, "devPtr", "NULL");
}

static void more_than_max_count_is_107000(void)
{
	void *dev;

	start();
	dev = dev_alloc(4096);
	put_pattern(dev, 4096, 1);
	FAILS(aclrtMemset(dev, 100, 0, 200), ACL_ERROR_RT_PARAM_INVALID, "100", "200", "maxCount");
	FAILS(aclrtMemsetAsync(dev, 100, 0, 200, NULL), ACL_ERROR_RT_PARAM_INVALID, "100", "200");
	FAILS(aclrtMemset(dev, 1 << 20, 0, 1 << 20), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemset(dev, SIZE_MAX, 0, SIZE_MAX), ACL_ERROR_RT_PARAM_INVALID);
	CHECK_DEVICE(dev, 4096, 1);
}

static void pageable_and_freed_memory_are_107000(void)
{
	char local[64] = { 3 };
	void *dev, *pinned;

	start();
	dev = dev_alloc(64);
	pinned = pinned_alloc(64);
	ACL(aclrtFree(dev));
	ACL(aclrtFreeHost(pinned));
	FAILS(aclrtMemset(local, 64, 1, 64), ACL_ERROR_RT_PARAM_INVALID, "host");
	CHECK_EQ(local[0], 3);
	FAILS(aclrtMemset(dev, 64, 1, 64), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemset(pinned, 64, 1, 64), ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtMemsetAsync(dev, 64, 1, 64, NULL), ACL_ERROR_RT_PARAM_INVALID);
}

static void async_is_ordered_with_the_stream(void)
{
	aclrtStream stream;
	uint64_t *dev;

	start();
	stream = new_stream();
	dev = dev_alloc(64);
	LAUNCH(op("spin_then_store"), 1, stream, 200000, U64(dev), 1);
	ACL(aclrtMemsetAsync(dev, 8, 0x22, 8, stream));
	LAUNCH(op("increment"), 1, stream, U64(dev));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(dev), 0x2222222222222223);
	FAILS(aclrtMemsetAsync(dev, 8, 0, 8, (aclrtStream)dev), ACL_ERROR_RT_INVALID_HANDLE,
	      "stream");
}

TAP_MAIN(TEST(any_offset_and_size),
	 TEST(value_is_a_byte),
	 TEST(pinned_memory_too),
	 TEST(large),
	 TEST(null_is_100000),
	 TEST(more_than_max_count_is_107000),
	 TEST(pageable_and_freed_memory_are_107000),
	 TEST(async_is_ordered_with_the_stream))
