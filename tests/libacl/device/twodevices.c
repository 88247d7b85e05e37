// SPDX-License-Identifier: MIT
/* Two devices in one machine: every object belongs to one of them. */
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../acltest.h"

static void count_is_two(void)
{
	uint32_t n = 0;

	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 2);
}

static void numbers_behind_the_last_are_told_with_those_that_there_are(void)
{
	FAILS(aclrtSetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID, "2 devices", "numbers 0 to 1");
	FAILS(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
}

static void a_copy_within_a_device_has_one_device(void)
{
	aclrtMemcpyKind inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	void *mine, *other;

	start();
	other = dev_alloc(64);
	ACL(aclrtSetDevice(1));
	mine = dev_alloc(128);
	FAILS(aclrtMemcpyAsync(mine, 64, other, 64, inner, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "device 1", "device 0");
	FAILS(aclrtMemcpyAsync(other, 64, mine, 64, inner, NULL), ACL_ERROR_RT_PARAM_INVALID);
	ACL(aclrtMemcpyAsync(mine, 64, (char *)mine + 64, 64, inner, NULL));
	ACL(aclrtMemcpyAsync(mine, 64, other, 64, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtSynchronizeStream(NULL));
}

static void both_work(void)
{
	void *p[2];

	ACL(aclInit(NULL));
	for (int i = 0; i < 2; i++) {
		int32_t id = -1;

		ACL(aclrtSetDevice(i));
		ACL(aclrtGetDevice(&id));
		CHECK_EQ(id, i);
		p[i] = dev_alloc(4096);
		put_pattern(p[i], 4096, (unsigned int)i);
	}
	for (int i = 0; i < 2; i++) {
		ACL(aclrtSetDevice(i));
		CHECK_DEVICE(p[i], 4096, (unsigned int)i);
	}
	FAILS(aclrtSetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID, "2");
}

static void memory_is_counted_apart(void)
{
	size_t before;
	void *p;

	start();
	ACL(aclrtSetDevice(1));
	before = free_hbm();
	ACL(aclrtSetDevice(0));
	p = dev_alloc(32 << 20);
	ACL(aclrtSetDevice(1));
	CHECK_EQ(free_hbm(), before);
	/* From any device */
	ACL(aclrtFree(p));
}

static void a_stream_belongs_to_its_device(void)
{
	aclrtStream stream;
	aclrtEvent event;
	uint64_t args[1];
	void *dev0, *dev1;

	start();
	stream = new_stream();
	dev0 = dev_alloc(64);
	ACL(aclrtSetDevice(1));
	dev1 = dev_alloc(64);
	FAILS(aclrtMemsetAsync(dev1, 64, 0, 64, stream), ACL_ERROR_RT_STREAM_CONTEXT, "stream",
	      "device");
	FAILS(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	FAILS(aclrtMemcpyAsync(dev1, 8, dev1, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
	      ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	FAILS(aclrtReduceAsync(dev1, dev1, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream,
			       NULL),
	      ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	FAILS(aclrtReduceAsync(dev0, dev1, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, NULL,
			       NULL),
	      ACL_ERROR_RT_STREAM_CONTEXT, "dst", "device");
	FAILS(aclrtReduceAsync(dev1, dev0, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, NULL,
			       NULL),
	      ACL_ERROR_RT_STREAM_CONTEXT, "src", "device");
	ACL(aclrtCreateEvent(&event));
	FAILS(aclrtRecordEvent(event, stream), ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	FAILS(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	args[0] = U64(dev1);
	FAILS(aclrtLaunchKernelWithHostArgs(op("increment"), 1, stream, NULL, args, 8, NULL, 0),
	      ACL_ERROR_RT_STREAM_CONTEXT, "stream");
	ACL(aclrtSetDevice(0));
	ACL(aclrtMemsetAsync(dev0, 64, 0, 64, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtDestroyStream(stream));
}

static void limits_belong_to_a_device(void)
{
	const aclrtDevResLimitType type = ACL_RT_DEV_RES_CUBE_CORE;
	aclrtStream stream;
	uint32_t all, n;

	start();
	stream = new_stream();
	ACL(aclrtGetDeviceResLimit(1, type, &all));
	ACL(aclrtSetDeviceResLimit(0, type, 1));
	ACL(aclrtGetDeviceResLimit(1, type, &n));
	CHECK_EQ(n, all);
	ACL(aclrtSetStreamResLimit(stream, type, 2));
	ACL(aclrtUseStreamResInCurrentThread(stream));
	ACL(aclrtGetResInCurrentThread(type, &n));
	CHECK_EQ(n, 2);
	ACL(aclrtSetDevice(1));
	ACL(aclrtGetResInCurrentThread(type, &n));
	CHECK_EQ(n, all);
	FAILS(aclrtSetStreamResLimit(stream, type, 1), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	FAILS(aclrtGetStreamResLimit(stream, type, &n), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	FAILS(aclrtResetStreamResLimit(stream), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	ACL(aclrtUnuseStreamResInCurrentThread(stream));
	FAILS(aclrtUnuseStreamResInCurrentThread(stream), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	FAILS(aclrtUseStreamResInCurrentThread(stream), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	/* that of a device is set without using it */
	ACL(aclrtSetDeviceResLimit(0, type, 2));
	ACL(aclrtGetDeviceResLimit(0, type, &n));
	CHECK_EQ(n, 2);
}

/* Device 1 waits for something that comes last: device 0 does not care */
static void synchronize_device_waits_for_the_current_one(void)
{
	aclrtContext first, second;
	aclrtStream stream;
	aclrtEvent last;

	start();
	ACL(aclrtGetCurrentContext(&first));
	ACL(aclrtSetDevice(1));
	ACL(aclrtGetCurrentContext(&second));
	stream = new_stream();
	ACL(aclrtCreateEvent(&last));
	ACL(aclrtStreamWaitEvent(NULL, last));
	ACL(aclrtSetCurrentContext(first));
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtSetCurrentContext(second));
	FAILS(aclrtSynchronizeDeviceWithTimeout(50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
	ACL(aclrtRecordEvent(last, stream));
	ACL(aclrtSynchronizeDevice());
}

static void a_function_belongs_to_its_device(void)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	uint64_t args[2] = { 0, 0 };

	start();
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	ACL(aclrtSetDevice(1));
	args[0] = U64(dev_alloc(8));
	CHECK(aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, args, 16, NULL, 0) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "device", NULL);
	CHECK(aclrtBinaryUnLoad(bin) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "device", NULL);
	ACL(aclrtSetDevice(0));
	ACL(aclrtBinaryUnLoad(bin));
}

static void memory_of_one_device_is_foreign_to_operators_of_the_other(void)
{
	void *dev0;

	start();
	dev0 = dev_alloc(4096);
	put_pattern(dev0, 4096, 1);
	ACL(aclrtSetDevice(1));
	LAUNCH(op("write_at"), 1, NULL, U64(dev0));
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	CHECK_DEVICE(dev0, 4096, 1);
}

static void reset_of_one_leaves_the_other(void)
{
	void *dev1;

	start();
	ACL(aclrtSetDevice(1));
	dev1 = dev_alloc(4096);
	put_pattern(dev1, 4096, 5);
	ACL(aclrtResetDevice(0));
	CHECK_DEVICE(dev1, 4096, 5);
	ACL(aclrtResetDevice(1));
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void nothing(void *arg)
{
	(void)arg;
}

static void a_thread_of_callbacks_serves_one_device(void)
{
	uint64_t self = (uint64_t)pthread_self();
	aclrtStream stream0;

	start();
	stream0 = new_stream();
	ACL(aclrtSubscribeReport(self, stream0));
	ACL(aclrtSetDevice(1));
	FAILS(aclrtSubscribeReport(self, NULL), ACL_ERROR_RT_THREAD_SUBSCRIBE, "another device");
	FAILS(aclrtSubscribeReport(self, stream0), ACL_ERROR_RT_STREAM_CONTEXT, "device 0");
	/* host functions of both devices, in a thread each */
	ACL(aclrtLaunchHostFunc(NULL, nothing, NULL));
	ACL(aclrtSynchronizeDevice());
	ACL(aclrtSetDevice(0));
	ACL(aclrtUnSubscribeReport(self, stream0));
	ACL(aclrtLaunchHostFunc(NULL, nothing, NULL));
	ACL(aclrtSynchronizeDevice());
	/* unbound, it may serve the other */
	ACL(aclrtSetDevice(1));
	ACL(aclrtSubscribeReport(self, NULL));
}

static uint32_t failed_on;
static atomic_int told;

static void note_device(aclrtExceptionInfo *info)
{
	failed_on = aclrtGetDeviceIdFromExceptionInfo(info);
	atomic_fetch_add(&told, 1);
}

static void a_failure_tells_its_device(void)
{
	aclrtFuncHandle func;

	start();
	ACL(aclrtExceptionInfoCallbackRegister(note_device));
	ACL(aclrtSetDevice(1));
	ACL(aclrtBinaryGetFunction(load(OPS), "read_at", &func));
	LAUNCH(func, 1, NULL, 0);
	CHECK_EQ(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION);
	ACL(aclrtResetDevice(1)); /* waits for the callback */
	CHECK_EQ(atomic_load(&told), 1);
	CHECK_EQ(failed_on, 1);
}

static size_t total_hbm(int32_t id)
{
	size_t free_bytes, total;

	ACL(aclrtSetDevice(id));
	ACL(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
	return total;
}

/* The devices differ in size, so that they can be told apart */
static void visible_devices_are_renumbered(void)
{
	int32_t out = -1;
	int64_t chip = -1;
	uint32_t n = 0;

	setenv("ASCEND_RT_VISIBLE_DEVICES", "1,0", 1);
	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 2);
	CHECK(total_hbm(0) > total_hbm(1));
	ACL(aclrtGetLogicDevIdByUserDevId(0, &out));
	CHECK_EQ(out, 1);
	ACL(aclrtGetPhyDevIdByUserDevId(1, &out));
	CHECK_EQ(out, 0);
	ACL(aclrtGetUserDevIdByPhyDevId(1, &out));
	CHECK_EQ(out, 0);
	ACL(aclrtGetUserDevIdByLogicDevId(0, &out));
	CHECK_EQ(out, 1);
	ACL(aclrtGetPhyDevIdByLogicDevId(1, &out));
	CHECK_EQ(out, 1);
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_PHY_CHIP_ID, &chip));
	CHECK_EQ(chip, 1);
}

static void the_second_device_alone(void)
{
	uint32_t n = 0;
	int32_t out;

	setenv("ASCEND_RT_VISIBLE_DEVICES", "1", 1);
	ACL(aclrtGetDeviceCount(&n));
	CHECK_EQ(n, 1);
	CHECK(total_hbm(0) > 256 << 20);
	FAILS(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID, "ASCEND_RT_VISIBLE_DEVICES");
	FAILS(aclrtGetUserDevIdByPhyDevId(0, &out), ACL_ERROR_RT_INVALID_DEVICEID, "hidden");
}

static void peer_access(void)
{
	int32_t v = -1;

	start();
	ACL(aclrtDeviceCanAccessPeer(&v, 0, 1));
	CHECK_EQ(v, 1);
	ACL(aclrtDeviceCanAccessPeer(&v, 1, 1));
	CHECK_EQ(v, 0);
	ACL(aclrtDevicePeerAccessStatus(0, 1, &v));
	CHECK_EQ(v, 0);
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	ACL(aclrtDevicePeerAccessStatus(0, 1, &v));
	CHECK_EQ(v, 1);
	/* one direction only */
	ACL(aclrtDevicePeerAccessStatus(1, 0, &v));
	CHECK_EQ(v, 0);
	ACL(aclrtDeviceDisablePeerAccess(1));
	ACL(aclrtDevicePeerAccessStatus(0, 1, &v));
	CHECK_EQ(v, 0);
	FAILS(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_PARAM_INVALID, "not open");
	FAILS(aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_RT_PARAM_INVALID, "itself");
	FAILS(aclrtDeviceEnablePeerAccess(1, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtDeviceEnablePeerAccess(2, 0), ACL_ERROR_RT_INVALID_DEVICEID, "2");
	FAILS(aclrtDeviceDisablePeerAccess(-1), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtDeviceCanAccessPeer(&v, 2, 0), ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtDeviceCanAccessPeer(&v, 0, 2), ACL_ERROR_RT_INVALID_DEVICEID);
	FAILS(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtDevicePeerAccessStatus(0, 1, NULL), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtDevicePeerAccessStatus(0, 9, &v), ACL_ERROR_RT_INVALID_DEVICEID);
	/* a reset closes it */
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	ACL(aclrtResetDevice(0));
	FAILS(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL);
	ACL(aclrtDevicePeerAccessStatus(0, 1, &v));
	CHECK_EQ(v, 0);
}

/* How many bytes the devices have copied so far, by the driver's debugfs */
static uint64_t copied(void)
{
	unsigned long long n, sum = 0;
	char line[128];
	glob_t found;

	CHECK_EQ(glob("/sys/kernel/debug/accel/*/device", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r");

		while (file && fgets(line, sizeof(line), file)) {
			if (sscanf(line, " copy_bytes %llu", &n) == 1)
				sum += n;
		}
		if (file)
			fclose(file);
	}
	globfree(&found);
	return sum;
}

/* One device reads or writes the other's memory: the data moves once, not to the host and back */
static void open_access_copies_once(void)
{
	enum { SIZE = 8 << 20 };
	uint64_t before;
	char *a, *b;

	if (!has_driver())
		SKIP("the driver's counters in debugfs tell what was copied");
	start();
	a = dev_alloc(SIZE);
	ACL(aclrtSetDevice(1));
	b = dev_alloc(SIZE);
	for (int from = 0; from < 2; from++) {
		/* 1 may reach 0: it pulls, then pushes */
		char *src = from ? b : a, *dst = from ? a : b;

		put_pattern(src, SIZE, 31 + (unsigned int)from);
		before = copied();
		ACL(aclrtMemcpy(dst, SIZE, src, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
		CHECK_EQ(copied() - before, 2 * SIZE);
		ACL(aclrtMemset(dst, SIZE, 0, SIZE));
		ACL(aclrtDeviceEnablePeerAccess(0, 0));
		before = copied();
		ACL(aclrtMemcpy(dst, SIZE, src, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
		CHECK_EQ(copied() - before, SIZE);
		CHECK_DEVICE(dst, SIZE, 31 + (unsigned int)from);
		ACL(aclrtDeviceDisablePeerAccess(0));
	}
}

/* Every size and offset, both directions, also in a stream */
static void peers_exchange_data(void)
{
	static const size_t sizes[] = { 1, 63, 4096, 100001, 3 << 20, 20 << 20 };
	enum { MAX = 21 << 20 };
	aclrtStream stream;
	char *a, *b;

	start();
	a = dev_alloc(MAX);
	stream = new_stream();
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	ACL(aclrtSetDevice(1));
	b = dev_alloc(MAX);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put_pattern(a + i, sizes[i], (unsigned int)i);
		ACL(aclrtMemcpy(b + 3, MAX - 3, a + i, sizes[i], ACL_MEMCPY_DEVICE_TO_DEVICE));
		CHECK_DEVICE(b + 3, sizes[i], (unsigned int)i);
		ACL(aclrtMemcpy(a, MAX, b + 3, sizes[i], ACL_MEMCPY_DEVICE_TO_DEVICE));
		CHECK_DEVICE(a, sizes[i], (unsigned int)i);
	}
	ACL(aclrtSetDevice(0));
	put_pattern(a, MAX, 77);
	ACL(aclrtMemcpyAsync(b, MAX, a, MAX, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_DEVICE(b, MAX, 77);
}

static void what_lies_between(void)
{
	aclrtAtomicOperation op = ACL_RT_ATOMIC_OPERATION_DMA_ADD;
	uint64_t there = 0, back = 0;
	uint32_t caps = 7;
	aclrtUuid a, b;

	ACL(aclInit(NULL));
	ACL(aclrtGetDevicesTopo(0, 1, &there));
	ACL(aclrtGetDevicesTopo(1, 0, &back));
	CHECK_EQ(there, back);
	/* behind one host bridge that no machine has, and behind no other bridge */
	if (!has_driver())
		CHECK_EQ(there, ACL_RT_DEVS_TOPOLOGY_PHB);
	CHECK(there == ACL_RT_DEVS_TOPOLOGY_PHB || there == ACL_RT_DEVS_TOPOLOGY_SYS ||
	      there == ACL_RT_DEVS_TOPOLOGY_PIX || there == ACL_RT_DEVS_TOPOLOGY_PIB);
	ACL(aclrtDeviceGetUuid(0, &a));
	ACL(aclrtDeviceGetUuid(1, &b));
	CHECK(memcmp(&a, &b, sizeof(a)));
	ACL(aclrtDeviceGetP2PAtomicCapabilities(&caps, &op, 1, 0, 1));
	CHECK_EQ(caps, 0);
}

static void pools_belong_to_a_device(void)
{
	aclrtMemPoolProps props = { .location = { 1, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtStream zero, one;
	aclrtMemPool pool;
	void *p;

	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(1));
	one = new_stream();
	ACL(aclrtSetDevice(0));
	zero = new_stream();
	/* a pool may be of a device that is not the thread's, its allocations may not */
	ACL(aclrtMemPoolCreate(&pool, &props));
	FAILS(aclrtMemPoolMallocAsync(&p, 8, pool, zero), ACL_ERROR_RT_STREAM_CONTEXT, "device 1");
	ACL(aclrtSetDevice(1));
	ACL(aclrtMemPoolMallocAsync(&p, 8, pool, one));
	ACL(aclrtSetDevice(0));
	FAILS(aclrtMemPoolFreeAsync(p, zero), ACL_ERROR_RT_STREAM_CONTEXT, "device 1");
	ACL(aclrtSetDevice(1));
	ACL(aclrtMemPoolFreeAsync(p, one));
	ACL(aclrtMemPoolDestroy(pool));
}

/* Host memory that another device has is told as such to the kernel's author */
static void host_memory_of_the_other_device(void)
{
	aclrtFuncHandle func;
	void *pinned, *managed;

	start();
	pinned = pinned_alloc(8192);
	ACL(aclrtMemAllocManaged(&managed, 2 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
	ACL(aclrtSetDevice(1));
	ACL(aclrtBinaryGetFunction(load(OPS), "read_at", &func));
	LAUNCH(func, 1, NULL, U64(pinned));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "pinned host memory",
	      "of device 0", "device 1 does not reach");
	LAUNCH(func, 1, NULL, U64(managed));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "managed memory",
	      "of device 0", "device 1 does not reach");
}

TAP_MAIN(TEST(what_lies_between), TEST(host_memory_of_the_other_device),
	 TEST(pools_belong_to_a_device),
	 TEST(peer_access), TEST(peers_exchange_data), TEST(open_access_copies_once),
	 TEST(count_is_two),
	 TEST(numbers_behind_the_last_are_told_with_those_that_there_are),
	 TEST(visible_devices_are_renumbered),
	 TEST(the_second_device_alone),
	 TEST(a_copy_within_a_device_has_one_device),
	 TEST(both_work),
	 TEST(memory_is_counted_apart),
	 TEST(a_stream_belongs_to_its_device),
	 TEST(synchronize_device_waits_for_the_current_one),
	 TEST(limits_belong_to_a_device),
	 TEST(a_function_belongs_to_its_device),
	 TEST(memory_of_one_device_is_foreign_to_operators_of_the_other),
	 TEST(reset_of_one_leaves_the_other),
	 TEST(a_thread_of_callbacks_serves_one_device),
	 TEST(a_failure_tells_its_device))
