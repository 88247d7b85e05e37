// SPDX-License-Identifier: MIT
/* Questions: what a device is, what an address is, what a stream was made with. */
#include "../acltest.h"

static int64_t info(aclrtDevAttr attr)
{
	int64_t value = -1;

	ACL(aclrtGetDeviceInfo(0, attr, &value));
	return value;
}

static void device_info(void)
{
	int64_t value;

	ACL(aclInit(NULL)); /* a device that is not set can be asked too */
	CHECK(info(ACL_DEV_ATTR_AICORE_CORE_NUM) >= 1);
	CHECK(info(ACL_DEV_ATTR_VECTOR_CORE_NUM) >= info(ACL_DEV_ATTR_AICORE_CORE_NUM));
	CHECK(info(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE) >= 64 << 20);
	CHECK_EQ(info(ACL_DEV_ATTR_IS_VIRTUAL), 1);
	CHECK(info(ACL_DEV_ATTR_MAX_BLOCK_PER_GRID) >= 1024);
	ACL(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
	CHECK_EQ(value, info(ACL_DEV_ATTR_AICORE_CORE_NUM));
	CHECK_EQ(info(ACL_DEV_ATTR_WARP_SIZE), 32);
	CHECK_EQ(info(ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK), 1024);
	CHECK_EQ(info(ACL_DEV_ATTR_MAX_BLOCK_DIM_Z), 1024);
	CHECK_EQ(info(ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE), 2048);
	CHECK_EQ(info(ACL_DEV_ATTR_MAX_GRID_DIM_Y), info(ACL_DEV_ATTR_MAX_BLOCK_PER_GRID));
	FAILS(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_SMP_ID, &value),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "401");
	FAILS(aclrtGetDeviceInfo(0, (aclrtDevAttr)9999, &value), ACL_ERROR_INVALID_PARAM,
	      "9999");
	FAILS(aclrtGetDeviceInfo(0, (aclrtDevAttr)-1, &value), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtGetDeviceInfo(99, ACL_DEV_ATTR_AICORE_CORE_NUM, &value),
	      ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtGetDeviceInfo(UINT32_MAX, ACL_DEV_ATTR_AICORE_CORE_NUM, &value),
	      ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, NULL), ACL_ERROR_INVALID_PARAM,
	      "value");
	FAILS(aclGetDeviceCapability(0, (aclDeviceInfo)-1, &value), ACL_ERROR_INVALID_PARAM, "-1");
	FAILS(aclGetDeviceCapability(0, (aclDeviceInfo)9999, &value), ACL_ERROR_INVALID_PARAM, "9999");
	FAILS(aclGetDeviceCapability(0, (aclDeviceInfo)(ACL_DEVICE_INFO_L2_SIZE + 1), &value),
	      ACL_ERROR_INVALID_PARAM, "deviceInfo");
}

static void device_status_and_bus(void)
{
	aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
	char bus[32], small[4];
	int32_t id = -1;

	start();
	ACL(aclrtQueryDeviceStatus(0, &status));
	CHECK_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
	FAILS(aclrtQueryDeviceStatus(77, &status), ACL_ERROR_RT_INVALID_DEVICEID, "77");
	ACL(aclrtDeviceGetPCIBusId(0, bus, sizeof(bus)));
	CHECK_EQ(strlen(bus), 12);
	ACL(aclrtDeviceGetByPCIBusId(bus, &id));
	CHECK_EQ(id, 0);
	FAILS(aclrtDeviceGetPCIBusId(0, small, sizeof(small)), ACL_ERROR_RT_PARAM_INVALID,
	      "13 bytes");
	FAILS(aclrtDeviceGetByPCIBusId("ffff:00:00.0", &id), ACL_ERROR_RT_INVALID_DEVICEID, "ffff");
}

/* A question about a device that nobody uses leaves nothing behind */
static void asking_does_not_set(void)
{
	int32_t id;

	ACL(aclInit(NULL));
	info(ACL_DEV_ATTR_AICORE_CORE_NUM);
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
	ACL(aclrtSetDevice(0));
	info(ACL_DEV_ATTR_AICORE_CORE_NUM);
	ACL(aclrtFree(dev_alloc(100)));
}

static aclrtMemLocationType place(const void *p)
{
	aclrtPtrAttributes attributes;

	memset(&attributes, 0xff, sizeof(attributes));
	ACL(aclrtPointerGetAttributes(p, &attributes));
	CHECK_EQ(attributes.location.id, 0);
	return attributes.location.type;
}

static void pointers(void)
{
	char *small, *big, *pinned, *heap = host_alloc(100);
	void *base;
	size_t size;

	start();
	small = dev_alloc(1000);
	big = dev_alloc(5 << 20);
	pinned = pinned_alloc(10000);
	CHECK_EQ(place(small), ACL_MEM_LOCATION_TYPE_DEVICE);
	CHECK_EQ(place(small + 999), ACL_MEM_LOCATION_TYPE_DEVICE);
	CHECK_EQ(place(big + (5 << 20) - 1), ACL_MEM_LOCATION_TYPE_DEVICE);
	CHECK_EQ(place(pinned + 9999), ACL_MEM_LOCATION_TYPE_HOST);
	CHECK_EQ(place(heap), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	CHECK_EQ(place(&size), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
	ACL(aclrtMemGetAddressRange(big + 12345, &base, &size));
	CHECK(base == big);
	CHECK(size >= 5 << 20);
	ACL(aclrtMemGetAddressRange(small + 12, &base, &size));
	CHECK(base == small);
	ACL(aclrtMemGetAddressRange(pinned + 12, &base, &size));
	CHECK(base == pinned && size == 10000);
	FAILS(aclrtMemGetAddressRange(heap, &base, &size), ACL_ERROR_RT_PARAM_INVALID, "host");
	ACL(aclrtFree(big));
	FAILS(aclrtMemGetAddressRange(big, &base, &size), ACL_ERROR_RT_PARAM_INVALID, "free");
}

static void stream_properties(void)
{
	uint32_t priority = 99, flags = 99;
	int32_t least, greatest;
	aclrtStream stream;
	uint64_t *word;

	start();
	word = dev_alloc(8);
	ACL(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(greatest < least);
	for (int32_t p = greatest; p <= least; p++) {
		ACL(aclrtCreateStreamWithConfig(&stream, (uint32_t)p,
						ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
		ACL(aclrtStreamGetPriority(stream, &priority));
		ACL(aclrtStreamGetFlags(stream, &flags));
		CHECK_EQ(priority, p);
		CHECK_EQ(flags, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC);
		LAUNCH(op("store"), 1, stream, U64(word), (uint64_t)p);
		ACL(aclrtSynchronizeStream(stream));
		CHECK_EQ(read_u64(word), p);
		ACL(aclrtDestroyStream(stream));
	}
	FAILS(aclrtCreateStreamWithConfig(&stream, 8, 0), ACL_ERROR_RT_PARAM_INVALID, "8");
	FAILS(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM, "stream");
}

/* They exist, nothing waits for them, and they take no tasks of the program */
static void streams_of_the_device(void)
{
	static const uint32_t flags[] = { ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY,
					  ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_FAST_LAUNCH };
	aclrtStream stream, plain;
	uint32_t got = 0;
	aclrtEvent event;
	uint64_t *word;
	int32_t id;

	start();
	plain = new_stream();
	word = pinned_alloc(8);
	ACL(aclrtCreateEvent(&event));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		ACL(aclrtCreateStreamWithConfig(&stream, 0, flags[i]));
		ACL(aclrtStreamGetFlags(stream, &got));
		CHECK_EQ(got, flags[i]);
		ACL(aclrtStreamGetId(stream, &id));
		FAILS(aclrtMemsetAsync(word, 8, 0, 8, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		      "another stream");
		FAILS(aclrtRecordEvent(event, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
		FAILS(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
		FAILS(aclrtLaunchHostFunc(stream, free, word), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
		FAILS(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
		      ACL_ERROR_RT_STREAM_CAPTURED, "no tasks");
		ACL(aclrtSynchronizeStream(stream));
		ACL(aclrtSynchronizeStreamWithTimeout(stream, 1));
		ACL(aclrtDestroyStream(stream));
	}
	LAUNCH(op("store"), 1, plain, U64(word), 5);
	ACL(aclrtSynchronizeStream(plain));
	CHECK_EQ(*word, 5);
}

static void free_after_the_device_is_done(void)
{
	uint64_t *dev, *pinned;

	start();
	dev = dev_alloc(8);
	pinned = pinned_alloc(16);
	LAUNCH(op("spin_then_store"), 1, NULL, 100000, U64(dev), 5);
	ACL(aclrtFreeWithDevSync(dev));
	LAUNCH(op("spin_then_store"), 1, NULL, 100000, U64(pinned), 5);
	ACL(aclrtFreeHostWithDevSync(pinned));
	ACL(aclrtSynchronizeDevice());
	FAILS(aclrtFreeWithDevSync(dev), ACL_ERROR_RT_PARAM_INVALID, "free");
	FAILS(aclrtFreeHostWithDevSync(NULL), ACL_ERROR_INVALID_PARAM, "hostPtr");
}

/* The call that waits does not fail for tasks that did: whoever synchronises next is told */
static void free_keeps_failures(void)
{
	uint64_t *dev, *pinned;

	start();
	dev = dev_alloc(8);
	pinned = pinned_alloc(16);
	LAUNCH(op("trap"), 1, NULL);
	ACL(aclrtFreeWithDevSync(dev));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "trap");
	LAUNCH(op("trap"), 1, NULL);
	ACL(aclrtFreeHostWithDevSync(pinned));
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, "trap");
	ACL(aclrtSynchronizeDevice());
}

TAP_MAIN(TEST(device_info), TEST(device_status_and_bus), TEST(asking_does_not_set), TEST(pointers),
	 TEST(stream_properties),
	 TEST(streams_of_the_device), TEST(free_after_the_device_is_done), TEST(free_keeps_failures))
