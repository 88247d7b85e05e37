// SPDX-License-Identifier: MIT
/* Peer access on two devices: operators and tasks of one that use memory of the other. */
#include <pthread.h>
#include <stdatomic.h>

#include "../turns.h"

#define MIB	(1UL << 20)
#define BIG	(4 * MIB)
#define PAGE	(2 * MIB)
#define FOREIGN	"address of device 0: see aclrtDeviceEnablePeerAccess()"

/* Both devices are in use and 1 is the thread's */
static void begin(void)
{
	start();
	ACL(aclrtSetDevice(1));
}

static void *alloc_on(int32_t id, size_t size)
{
	int32_t before;
	void *p;

	ACL(aclrtGetDevice(&before));
	ACL(aclrtSetDevice(id));
	p = dev_alloc(size);
	ACL(aclrtSetDevice(before));
	return p;
}

/* Of the thread's device, which may have been reset since the last call */
static aclrtFuncHandle here(const char *name)
{
	aclrtFuncHandle func = NULL;

	ACL(aclrtBinaryGetFunction(load(OPS), name, &func));
	return func;
}

/* An operator of the thread's device writes there and reads there */
static void works(void *ptr)
{
	uint64_t *mine = dev_alloc(8), *p = ptr;

	LAUNCH(here("store"), 1, NULL, U64(p), 4711);
	LAUNCH(here("increment"), 1, NULL, U64(p));
	LAUNCH(here("load_store"), 1, NULL, U64(mine), U64(p));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(p), 4712);
	CHECK_EQ(read_u64(mine), 4712);
	ACL(aclrtFree(mine));
}

#define FAULTS(ptr, why) \
	do { \
		LAUNCH(here("write_at"), 1, NULL, U64(ptr)); \
		FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "write_at", \
		      why); \
	} while (0)

static char *map_physical(int32_t id, aclrtDrvMemHandle *h)
{
	aclrtPhysicalMemProp prop = { .memAttr = ACL_HBM_MEM_HUGE,
				      .location = { (uint32_t)id, ACL_MEM_LOCATION_TYPE_DEVICE } };
	int32_t before;
	void *p;

	ACL(aclrtGetDevice(&before));
	ACL(aclrtSetDevice(id));
	ACL(aclrtMallocPhysical(h, PAGE, &prop, 0));
	ACL(aclrtReserveMemAddress(&p, PAGE, 0, NULL, 1));
	ACL(aclrtMapMem(p, PAGE, 0, *h, 0));
	ACL(aclrtSetDevice(before));
	return p;
}

static void operators_reach_a_peers_memory(void)
{
	aclrtMemPoolProps props = { .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } };
	char *small, *big, *mapped, *later[3], *mine;
	aclrtDrvMemHandle h[2];
	aclrtMemPool pool;
	aclrtStream zero;
	void *p;

	begin();
	small = alloc_on(0, 64);
	big = alloc_on(0, BIG);
	mapped = map_physical(0, &h[0]);
	FAULTS(small, FOREIGN);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	works(small);
	works(big + BIG - 8);
	works(mapped + PAGE - 8);
	/* what comes later, too */
	later[0] = alloc_on(0, 100);
	later[1] = alloc_on(0, 3 * BIG);
	later[2] = map_physical(0, &h[1]);
	for (int i = 0; i < 3; i++)
		works(later[i]);
	mine = dev_alloc(64);
	ACL(aclrtSetDevice(0));
	ACL(aclrtMemPoolCreate(&pool, &props));
	zero = new_stream();
	ACL(aclrtMemPoolMallocAsync(&p, BIG, pool, zero));
	ACL(aclrtSynchronizeStream(zero));
	/* one direction only */
	FAULTS(mine, "address of device 1");
	ACL(aclrtSetDevice(1));
	works(p);
	/* freed memory is nobody's any more */
	ACL(aclrtFree(later[1]));
	FAULTS(later[1], "memory that is not allocated");
	ACL(aclrtUnmapMem(mapped));
	FAULTS(mapped, "memory that is not allocated");
	ACL(aclrtDeviceDisablePeerAccess(0));
	FAULTS(small, FOREIGN);
	FAULTS(big, FOREIGN);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	works(small);
}

/* A stream's order holds for its tasks, and a recording takes them */
static void tasks_reach_a_peers_memory(void)
{
	uint64_t *gate, *there, *mine, value = 0;
	aclrtStream stream;
	float *sum, number = 2.5f;
	aclmdlRI graph;

	begin();
	there = alloc_on(0, 4096);
	sum = alloc_on(0, 64);
	mine = dev_alloc(4096);
	gate = dev_alloc(8);
	stream = new_stream();
	FAILS(aclrtMemsetAsync(there, 4096, 0, 4096, stream), ACL_ERROR_RT_STREAM_CONTEXT);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	write_u64(gate, 0);
	put_pattern(mine, 4096, 1);
	put_pattern(there, 4096, 2);
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	ACL(aclrtMemcpyAsync(there, 4096, mine, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	/* it is queued and has not been done */
	CHECK_DEVICE(there, 4096, 2);
	put_pattern(mine, 4096, 3);
	write_u64(gate, 1);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_DEVICE(there, 4096, 3);
	ACL(aclrtMemsetAsync(there, 4096, 0x11, 4096, stream));
	ACL(aclrtValueWrite(&there[1], 7, 0, stream));
	ACL(aclrtValueWait(&there[1], 7, ACL_STREAM_WAIT_VALUE_EQ, stream));
	ACL(aclrtMemcpy2dAsync(mine, 64, &there[1], 64, 8, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(mine), 7);
	CHECK_EQ(read_u64(&there[2]), 0x1111111111111111);
	ACL(aclrtMemset(sum, 64, 0, 64));
	ACL(aclrtMemset(mine, 64, 0, 64));
	memcpy(&value, &number, sizeof(number));
	write_u64(mine, value);
	for (int i = 0; i < 4; i++)
		ACL(aclrtReduceAsync(sum, mine, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
				     stream, NULL));
	ACL(aclrtSynchronizeStream(stream));
	value = read_u64((uint64_t *)sum);
	memcpy(&number, &value, sizeof(number));
	CHECK(number == 10);
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	LAUNCH(here("increment"), 1, stream, U64(there));
	ACL(aclrtMemcpyAsync(mine, 8, there, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	write_u64(there, 40);
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(read_u64(mine), 42);
}

/* Streams of two devices, each of which would write what the other one waits for */
static void a_circle_over_two_devices_is_named(void)
{
	uint64_t *zero, *one;
	aclrtStream s, t;

	begin();
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	one = dev_alloc(8);
	write_u64(one, 0);
	t = new_stream();
	ACL(aclrtSetDevice(0));
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	zero = dev_alloc(8);
	write_u64(zero, 0);
	s = new_stream();
	ACL(aclrtValueWait(zero, 1, ACL_STREAM_WAIT_VALUE_EQ, s));
	ACL(aclrtValueWrite(one, 1, 0, s));
	ACL(aclrtSetDevice(1));
	ACL(aclrtValueWait(one, 1, ACL_STREAM_WAIT_VALUE_EQ, t));
	ACL(aclrtValueWrite(zero, 1, 0, t));
	FAILS(aclrtSynchronizeStreamWithTimeout(t, 100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "of device 0, queued by aclrtValueWrite()",
	      "of device 1, queued by aclrtValueWrite()", "this is a circle", "none of them can go on");
	ACL(aclrtStreamAbort(t));
	ACL(aclrtSetDevice(0));
	ACL(aclrtStreamAbort(s));
}

static void rights_of_one_mapping(void)
{
	aclrtMemAccessDesc desc = { .flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
				    .location = { 1, ACL_MEM_LOCATION_TYPE_DEVICE } };
	aclrtDrvMemHandle h[2];
	uint64_t *p, *other, *mine, flag = 9;

	begin();
	p = (uint64_t *)map_physical(0, &h[0]);
	other = (uint64_t *)map_physical(0, &h[1]);
	mine = dev_alloc(8);
	write_u64(p, 5);
	ACL(aclrtMemGetAccess(p, &desc.location, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);
	ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
	ACL(aclrtMemGetAccess(p, &desc.location, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_READ);
	LAUNCH(here("load_store"), 1, NULL, U64(mine), U64(p));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(mine), 5);
	FAULTS(p, "memory that does not allow it");
	FAULTS(other, FOREIGN);
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
	works(p);
	/* peer access neither gives nor takes what was asked for */
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	FAULTS(p, FOREIGN);
	works(other);
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	ACL(aclrtMemSetAccess(p, PAGE, &desc, 1));
	ACL(aclrtDeviceDisablePeerAccess(0));
	works(p);
	FAULTS(other, FOREIGN);
	/* what the memory's own device may do is what a peer may */
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	desc.location.id = 0;
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
	ACL(aclrtMemSetAccess(other, PAGE, &desc, 1));
	FAULTS(other, "memory that does not allow it");
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	ACL(aclrtMemSetAccess(other, PAGE, &desc, 1));
	FAULTS(other, FOREIGN);
	desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	ACL(aclrtMemSetAccess(other, PAGE, &desc, 1));
	works(other);
	desc.location.id = 7;
	FAILS(aclrtMemSetAccess(p, PAGE, &desc, 1), ACL_ERROR_RT_INVALID_DEVICEID, "7");
	ACL(aclrtMemGetAccess(p, &desc.location, &flag));
	CHECK_EQ(flag, ACL_RT_MEM_ACCESS_FLAGS_NONE);
}

static void maps_ahead_of_use(void)
{
	aclrtDrvMemHandle h;
	char *p, *mapped, *mine;
	aclrtMemAccessDesc none = { .flags = ACL_RT_MEM_ACCESS_FLAGS_NONE,
				    .location = { 1, ACL_MEM_LOCATION_TYPE_DEVICE } };

	begin();
	p = alloc_on(0, BIG);
	mapped = map_physical(0, &h);
	mine = dev_alloc(64);
	FAILS(aclrtMemP2PMap(p, BIG, 1, 0), ACL_ERROR_RT_PARAM_INVALID,
	      "aclrtDeviceEnablePeerAccess(0, 0)");
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	ACL(aclrtMemP2PMap(p, BIG, 1, 0));
	ACL(aclrtMemP2PMap(p + 100, 1, 1, 0));
	works(p);
	/* its own memory is in its address space anyway */
	ACL(aclrtMemP2PMap(mine, 64, 1, 0));
	FAILS(aclrtMemP2PMap(mine, 64, 0, 0), ACL_ERROR_RT_PARAM_INVALID,
	      "aclrtDeviceEnablePeerAccess(1, 0)");
	ACL(aclrtMemSetAccess(mapped, PAGE, &none, 1));
	FAILS(aclrtMemP2PMap(mapped, PAGE, 1, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no rights");
	FAILS(aclrtMemP2PMap(p, BIG + 4096, 1, 0), ACL_ERROR_RT_PARAM_INVALID, "leaves");
	FAILS(aclrtMemP2PMap(NULL, 1, 1, 0), ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtMemP2PMap(p, 0, 1, 0), ACL_ERROR_INVALID_PARAM, "size");
	FAILS(aclrtMemP2PMap(p, 1, 1, 1), ACL_ERROR_INVALID_PARAM, "flags");
	FAILS(aclrtMemP2PMap(p, 1, 2, 0), ACL_ERROR_RT_INVALID_DEVICEID, "dstDevId is 2");
	FAILS(aclrtMemP2PMap(&h, 1, 1, 0), ACL_ERROR_RT_PARAM_INVALID, "not the memory of a device");
}

static void resets_end_it(void)
{
	void *p, *mine;
	int32_t open;

	begin();
	p = alloc_on(0, BIG);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	works(p);
	/* of the one that reaches */
	ACL(aclrtResetDeviceForce(1));
	ACL(aclrtSetDevice(1));
	FAULTS(p, FOREIGN);
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	works(p);
	/* of the one that is reached; the access stays open for what comes */
	ACL(aclrtResetDeviceForce(0));
	FAULTS(p, "memory that is not allocated");
	ACL(aclrtDevicePeerAccessStatus(1, 0, &open));
	CHECK_EQ(open, 1);
	ACL(aclrtSetDevice(0));
	p = dev_alloc(BIG);
	ACL(aclrtSetDevice(1));
	works(p);
	/* it can be opened before the peer is used */
	ACL(aclrtResetDeviceForce(0));
	ACL(aclrtDeviceDisablePeerAccess(0));
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	p = alloc_on(0, BIG);
	works(p);
	mine = dev_alloc(64);
	ACL(aclrtSetDevice(0));
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	works(mine);
}

/* Nothing is left of maps that came and went */
static void memory_comes_back(void)
{
	size_t before;
	void *p;

	begin();
	ACL(aclrtDeviceEnablePeerAccess(0, 0));
	p = alloc_on(0, BIG);
	works(p);
	ACL(aclrtFree(p));
	ACL(aclrtSetDevice(0));
	before = free_hbm();
	for (int i = 0; i < 200; i++) {
		p = dev_alloc(16 * BIG);
		if (i % 50 == 0) {
			ACL(aclrtSetDevice(1));
			works(p);
			ACL(aclrtSetDevice(0));
		}
		ACL(aclrtFree(p));
	}
	CHECK_EQ(free_hbm(), before);
}

/* Memory of a device that others have opened and closed again is what it was */
static void opened_and_closed_again(void)
{
	aclrtDrvMemHandle handle;
	size_t before;
	char *mapped;
	void *p;

	begin();
	mapped = map_physical(0, &handle);
	p = alloc_on(0, 4 * BIG);
	ACL(aclrtSetDevice(0));
	before = free_hbm();
	ACL(aclrtSetDevice(1));
	for (int i = 0; i < 20; i++) {
		ACL(aclrtDeviceEnablePeerAccess(0, 0));
		works(p);
		works((char *)p + 3 * BIG);
		works(mapped);
		ACL(aclrtDeviceDisablePeerAccess(0));
		FAULTS(p, FOREIGN);
	}
	ACL(aclrtSetDevice(0));
	CHECK_EQ(free_hbm(), before);
	works(p);
	ACL(aclrtFree(p));
	ACL(aclrtUnmapMem(mapped));
	ACL(aclrtReleaseMemAddress(mapped));
	ACL(aclrtFreePhysical(handle));
}

/* A device that is reset and set again has opened nothing, and what it had opened is closed */
static void a_reset_closes_for_the_next_user(void)
{
	void *p;

	begin();
	p = alloc_on(0, BIG);
	for (int i = 0; i < 8; i++) {
		ACL(aclrtDeviceEnablePeerAccess(0, 0));
		works(p);
		ACL(aclrtResetDeviceForce(1));
		ACL(aclrtSetDevice(1));
		FAULTS(p, FOREIGN);
	}
	ACL(aclrtSetDevice(0));
	works(p);
	ACL(aclrtFree(p));
}

static atomic_bool over;

static void *allocates(void *arg)
{
	(void)arg;
	ACL(aclrtSetDevice(0));
	while (!atomic_load(&over)) {
		void *p[8];

		for (int i = 0; i < 8; i++)
			p[i] = dev_alloc(i % 2 ? BIG : 64);
		for (int i = 0; i < 8; i++)
			ACL(aclrtFree(p[i]));
	}
	return NULL;
}

static void while_others_allocate(void)
{
	pthread_t t[2];
	void *p;

	begin();
	p = alloc_on(0, BIG);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, allocates, NULL), 0);
	for (int i = 0; i < 50; i++) {
		ACL(aclrtDeviceEnablePeerAccess(0, 0));
		works(p);
		ACL(aclrtDeviceDisablePeerAccess(0));
		FAULTS(p, FOREIGN);
	}
	atomic_store(&over, true);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
}

static void opens_by_import(void)
{
	aclrtNotify notify;
	char key[2][65];
	uint64_t *p, *mine;
	int32_t open = -1;

	unsetenv("ASCEND_RT_VISIBLE_DEVICES");
	start();
	ACL(aclrtSetDevice(1));
	hear(to_child, key, sizeof(key));
	mine = alloc_on(0, 64);
	ACL(aclrtIpcMemImportByKey((void **)&p, key[0], 0));
	works(p);
	FAULTS(mine, FOREIGN);
	ACL(aclrtDevicePeerAccessStatus(1, 0, &open));
	CHECK_EQ(open, 0);
	ACL(aclrtIpcMemClose(key[0]));
	FAULTS(p, "aclrtIpcMemClose");
	ACL(aclrtIpcMemImportByKey((void **)&p, key[0],
				   ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	ACL(aclrtDevicePeerAccessStatus(1, 0, &open));
	CHECK_EQ(open, 1);
	works(p);
	works(mine);
	/* device 0 has the memory itself; by the addresses of device 1 it needs access to those */
	ACL(aclrtSetDevice(0));
	FAULTS(p, "address of device 1");
	ACL(aclrtDeviceEnablePeerAccess(1, 0));
	works(p);
	ACL(aclrtSetDevice(1));
	ACL(aclrtDeviceDisablePeerAccess(0));
	ACL(aclrtNotifyImportByKey(&notify, key[1], ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	ACL(aclrtDevicePeerAccessStatus(1, 0, &open));
	CHECK_EQ(open, 1);
	ACL(aclrtWaitAndResetNotify(notify, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
}

static void imports_open_access(void)
{
	aclrtNotify notify;
	char key[2][65];
	uint64_t *p;
	pid_t pid;

	SKIP_IN_DIRECT("each process has devices of its own");
	pid = partner(opens_by_import);
	start();
	p = dev_alloc(64);
	ACL(aclrtIpcMemGetExportKey(p, 64, key[0], 65,
				    ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	ACL(aclrtCreateNotify(&notify, 0));
	ACL(aclrtNotifyGetExportKey(notify, key[1], 65,
				    ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	ACL(aclrtRecordNotify(notify, NULL));
	expect_success(pid);
	CHECK_EQ(read_u64(p), 4712);
}

/* Threads that work for different devices may import one key, and each closes its own mapping */
static void imports_for_both_devices(void)
{
	uint64_t *at[2];
	char key[65];

	unsetenv("ASCEND_RT_VISIBLE_DEVICES");
	start();
	hear(to_child, key, sizeof(key));
	for (int first = 0; first < 2; first++) {
		for (int i = 0; i < 2; i++) {
			ACL(aclrtSetDevice(i));
			ACL(aclrtIpcMemImportByKey((void **)&at[i], key, 0));
		}
		ACL(aclrtSetDevice(first));
		ACL(aclrtIpcMemClose(key));
		ACL(aclrtSetDevice(!first));
		works(at[!first]);
		ACL(aclrtIpcMemClose(key));
		FAILS(aclrtIpcMemClose(key), ACL_ERROR_RT_PARAM_INVALID, "closed already");
	}
}

static void a_key_is_closed_for_ones_own_device(void)
{
	char key[65];
	pid_t pid;
	void *p;

	SKIP_IN_DIRECT("each process has devices of its own");
	pid = partner(imports_for_both_devices);
	start();
	p = dev_alloc(64);
	ACL(aclrtIpcMemGetExportKey(p, 64, key, 65, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	tell(to_child, key, sizeof(key));
	expect_success(pid);
}

TAP_MAIN(TEST(operators_reach_a_peers_memory),
	 TEST(tasks_reach_a_peers_memory),
	 TEST(a_circle_over_two_devices_is_named),
	 TEST(rights_of_one_mapping),
	 TEST(maps_ahead_of_use),
	 TEST(resets_end_it),
	 TEST(memory_comes_back),
	 TEST(opened_and_closed_again),
	 TEST(a_reset_closes_for_the_next_user),
	 TEST(while_others_allocate),
	 TEST(imports_open_access),
	 TEST(a_key_is_closed_for_ones_own_device))
