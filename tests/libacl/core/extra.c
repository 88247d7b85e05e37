// SPDX-License-Identifier: MIT
/* Functions beyond the first part that exist already: queries, limits of time, small helpers. */
#include <math.h>

#include "../acltest.h"

static void stream_query(void)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
	aclrtStream stream;
	uint64_t *gate;

	start();
	stream = new_stream();
	ACL(aclrtStreamQuery(stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_COMPLETE);
	gate = close_host_gate(stream);
	LAUNCH(op("store"), 1, stream, U64(dev_alloc(8)), 1);
	ACL(aclrtStreamQuery(stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtStreamQuery(stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_COMPLETE);
	FAILS(aclrtStreamQuery(stream, NULL), ACL_ERROR_INVALID_PARAM, "status");
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE);
}

static void stream_query_tells_failures(void)
{
	aclrtStreamStatus status;
	aclrtStream stream;
	aclError err = ACL_SUCCESS;

	start();
	stream = new_stream();
	LAUNCH(op("trap"), 1, stream, 0);
	while (err == ACL_SUCCESS) {
		usleep(1000);
		err = aclrtStreamQuery(stream, &status);
	}
	CHECK_EQ(err, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION);
	check_facts(aclGetRecentErrMsg(), "tiling data is stale", NULL);
	ACL(aclrtSynchronizeStream(stream));
}

static void synchronize_with_timeout(void)
{
	aclrtStream stream;
	uint64_t *word, *gate, before;

	start();
	stream = new_stream();
	word = pinned_alloc(8);
	*word = 0;
	gate = close_host_gate(stream);
	LAUNCH(op("store"), 1, stream, U64(word), 1);
	before = tap_ms();
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 200), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "time",
	      "stream");
	CHECK_OP(tap_ms() - before, >=, 200);
	FAILS(aclrtSynchronizeDeviceWithTimeout(100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "time");
	/* The work goes on */
	open_host_gate(gate);
	ACL(aclrtSynchronizeStreamWithTimeout(stream, -1));
	CHECK_EQ(*word, 1);
	ACL(aclrtSynchronizeDeviceWithTimeout(1000));
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_INVALID_PARAM, "0");
	FAILS(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_INVALID_PARAM, "-2");
	FAILS(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_INVALID_PARAM, "-2");
}

static void stream_ids_are_unique(void)
{
	int32_t id[20];

	start();
	for (int i = 0; i < 20; i++) {
		ACL(aclrtStreamGetId(i ? new_stream() : NULL, &id[i]));
		for (int k = 0; k < i; k++)
			CHECK_OP(id[k], !=, id[i]);
	}
	FAILS(aclrtStreamGetId(NULL, NULL), ACL_ERROR_INVALID_PARAM, "streamId");
}

static void destroy_force_drops_the_work(void)
{
	aclrtStream stream;
	uint64_t *words;

	start();
	stream = new_stream();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	LAUNCH(op("spin_then_store"), 1, stream, 20000000, U64(&words[0]), 1);
	LAUNCH(op("store"), 1, stream, U64(&words[1]), 1);
	ACL(aclrtDestroyStreamForce(stream));
	CHECK_EQ(words[0], 0);
	CHECK_EQ(words[1], 0);
	FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM, "stream");
	LAUNCH(op("store"), 1, NULL, U64(&words[1]), 2);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(words[1], 2);
}

static void finalize_reference_counts(void)
{
	uint64_t left = 99;

	ACL(aclInit(NULL));
	CHECK_EQ(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
	ACL(aclFinalizeReference(&left));
	CHECK_EQ(left, 1);
	ACL(aclFinalizeReference(NULL));
	FAILS(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

static void last_error(void)
{
	start();
	CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	CHECK_EQ(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
	CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

static void version_is_that_of_the_headers(void)
{
	int32_t major, minor, patch;

	ACL(aclrtGetVersion(&major, &minor, &patch));
	CHECK_EQ(major, ACL_MAJOR_VERSION);
	CHECK_EQ(minor, ACL_MINOR_VERSION);
	CHECK_EQ(patch, ACL_PATCH_VERSION);
	FAILS(aclrtGetVersion(NULL, &minor, &patch), ACL_ERROR_INVALID_PARAM, "majorVersion");
}

static void malloc_align32_and_cached(void)
{
	void *p;

	start();
	ACL(aclrtMallocAlign32(&p, 33, ACL_MEM_MALLOC_NORMAL_ONLY));
	CHECK_EQ(U64(p) % 64, 0);
	put_pattern(p, 64, 1);
	CHECK_DEVICE(p, 64, 1);
	ACL(aclrtFree(p));
	ACL(aclrtMallocCached(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	put_pattern(p, 100, 2);
	CHECK_DEVICE(p, 100, 2);
	ACL(aclrtFree(p));
}

static void binary_from_description(void)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(OPS, "rb");
	size_t n;
	aclrtBinary desc;
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	uint64_t *word;

	start();
	CHECK(f);
	n = fread(data, 1, sizeof(data), f);
	desc = aclrtCreateBinary(data, n);
	CHECK(desc);
	ACL(aclrtBinaryLoad(desc, &bin));
	ACL(aclrtDestroyBinary(desc));
	ACL(aclrtBinaryGetFunction(bin, "store", &func));
	word = dev_alloc(8);
	LAUNCH(func, 1, NULL, U64(word), 6);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 6);
	CHECK(!aclrtCreateBinary(NULL, 5));
	CHECK(!aclrtCreateBinary(data, 0));
	FAILS(aclrtDestroyBinary(desc), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtBinaryLoad(desc, &bin), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtBinaryLoad((aclrtBinary)new_stream(), &bin), ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

static void binary_device_address(void)
{
	void *addr = NULL;
	size_t size = 0;

	start();
	ACL(aclrtBinaryGetDevAddress(load(OPS), &addr, &size));
	CHECK(addr && size > 100);
}

static void launch_v2_takes_attributes(void)
{
	aclrtLaunchKernelAttr attr = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
				       { .timeoutUs = { 100000, 0 } } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	uint64_t args[2], *dev;

	start();
	dev = dev_alloc(64);
	args[0] = U64(dev + 4);
	args[1] = 17;
	ACL(aclrtMemcpy(dev, 16, args, 16, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtLaunchKernelV2(op("store"), 1, dev, 16, NULL, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(dev + 4), 17);
	ACL(aclrtLaunchKernelV2(op("run_for_ever"), 1, dev, 8, &cfg, NULL));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TIMEOUT, "run_for_ever");
	FAILS(aclrtLaunchKernelV2(op("store"), 1, args, 16, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "argsData", "host");
}

static void the_process_sets_a_limit_of_time(void)
{
	uint64_t actual = 0, before;
	uint32_t ms = 0;
	void *flag;

	start();
	flag = dev_alloc(8);
	ACL(aclrtMemset(flag, 8, 0, 8));
	ACL(aclrtSetOpExecuteTimeOutV2(300000, &actual));
	CHECK(actual >= 300000 && actual < 400000);
	ACL(aclrtGetOpExecuteTimeout(&ms));
	CHECK(ms >= 300 && ms < 400);
	op("run_for_ever");
	before = tap_ms();
	LAUNCH(op("run_for_ever"), 1, NULL, U64(flag));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_TIMEOUT, "run_for_ever");
	CHECK_OP(tap_ms() - before, >=, DEVICE_MS(300));
	FAILS(aclrtSetOpExecuteTimeOutV2(UINT64_MAX, &actual), ACL_ERROR_INVALID_PARAM, "larger than any limit");
	FAILS(aclrtSetOpExecuteTimeOutV2(1000, NULL), ACL_ERROR_INVALID_PARAM, "actualTimeout is NULL");
	ACL(aclrtGetOpExecuteTimeout(&ms));
	CHECK(ms >= 300 && ms < 400);
	ACL(aclrtSetOpExecuteTimeOutWithMs(250));
	ACL(aclrtGetOpExecuteTimeout(&ms));
	CHECK_EQ(ms, 250);
	ACL(aclrtSetOpExecuteTimeOut(2));
	ACL(aclrtGetOpExecuteTimeout(&ms));
	CHECK_EQ(ms, 2000);
	ACL(aclrtGetOpTimeOutInterval(&actual));
	CHECK_OP(actual, >=, 1);
}

static void data_type_sizes(void)
{
	static const struct {
		aclDataType type;
		size_t size;
	} types[] = {
		{ ACL_FLOAT, 4 }, { ACL_FLOAT16, 2 }, { ACL_INT8, 1 }, { ACL_INT32, 4 },
		{ ACL_UINT8, 1 }, { ACL_INT16, 2 }, { ACL_UINT16, 2 }, { ACL_UINT32, 4 },
		{ ACL_INT64, 8 }, { ACL_UINT64, 8 }, { ACL_DOUBLE, 8 }, { ACL_BOOL, 1 },
		{ ACL_COMPLEX64, 8 }, { ACL_COMPLEX128, 16 }, { ACL_BF16, 2 },
		{ ACL_COMPLEX32, 4 }, { ACL_DT_UNDEFINED, 0 }, { (aclDataType)4711, 0 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		CHECK_EQ(aclDataTypeSize(types[i].type), types[i].size);
}

static void half_to_float_and_back(void)
{
	for (uint32_t h = 0; h < 65536; h++) {
		_Float16 want;
		uint16_t bits = (uint16_t)h;
		float f = aclFloat16ToFloat(bits);

		CHECK(isfinite(f));
		if ((h & 0x7c00) == 0x7c00)
			continue;
		memcpy(&want, &bits, 2);
		CHECK(f == (float)want);
		CHECK_EQ(aclFloatToFloat16(f), h);
	}
	for (uint32_t i = 0; i < 2000000; i++) {
		uint32_t u = i * 2147u;
		uint16_t got, want_bits;
		_Float16 want;
		float f;

		memcpy(&f, &u, 4);
		if (!isfinite(f))
			continue;
		got = aclFloatToFloat16(f);
		want = (_Float16)f;
		if (isinf((float)want))
			want = want > 0 ? (_Float16)65504 : (_Float16)-65504;
		memcpy(&want_bits, &want, 2);
		if (got != want_bits)
			FAIL("%a became %04x, not %04x", f, got, want_bits);
	}
	CHECK_EQ(aclFloatToFloat16(1e30f), 0x7bff);
	CHECK_EQ(aclFloatToFloat16(-INFINITY), 0xfbff);
}

static void data_buffers(void)
{
	char memory[10], other[20];
	aclDataBuffer *buffer = aclCreateDataBuffer(memory, 10);

	CHECK(buffer);
	CHECK(aclGetDataBufferAddr(buffer) == memory);
	CHECK_EQ(aclGetDataBufferSizeV2(buffer), 10);
	CHECK_EQ(aclGetDataBufferSize(buffer), 10);
	ACL(aclUpdateDataBuffer(buffer, other, 20));
	CHECK(aclGetDataBufferAddr(buffer) == other);
	CHECK_EQ(aclGetDataBufferSizeV2(buffer), 20);
	ACL(aclDestroyDataBuffer(buffer));
	FAILS(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
	CHECK(!aclGetDataBufferAddr(NULL));
	CHECK_EQ(aclGetDataBufferSizeV2(NULL), 0);
}

static void thread_last_task_id(void)
{
	uint32_t a = 0, b = 0;
	uint64_t *word;

	start();
	word = dev_alloc(8);
	LAUNCH(op("store"), 1, NULL, U64(word), 1);
	ACL(aclrtGetThreadLastTaskId(&a));
	LAUNCH(op("store"), 1, NULL, U64(word), 1);
	ACL(aclrtGetThreadLastTaskId(&b));
	CHECK_OP(a, !=, b);
	FAILS(aclrtGetThreadLastTaskId(NULL), ACL_ERROR_INVALID_PARAM, "taskId");
}

/* The timeline of tests/diagnosis/timeline.py has them */
static void marks_are_tasks(void)
{
	unsigned char data[19] = "mark";
	uint32_t before = 0, after = 0;
	aclrtStreamStatus status;
	aclrtStream stream;
	uint64_t *gate;

	FAILS(aclrtProfTrace(data, 18, NULL), ACL_ERROR_RT_CONTEXT_NULL);
	start();
	stream = new_stream();
	gate = close_host_gate(stream);
	ACL(aclrtGetThreadLastTaskId(&before));
	ACL(aclrtProfTrace(data, 18, stream));
	ACL(aclrtGetThreadLastTaskId(&after));
	CHECK_OP(before, !=, after);
	ACL(aclrtStreamQuery(stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	open_host_gate(gate);
	ACL(aclrtProfTrace(data, 1, stream));
	ACL(aclrtProfTrace(data, 4, NULL));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtProfTrace(NULL, 18, stream), ACL_ERROR_INVALID_PARAM, "userdata");
	FAILS(aclrtProfTrace(data, 19, stream), ACL_ERROR_RT_PARAM_INVALID, "19", "1 to 18");
	FAILS(aclrtProfTrace(data, 0, stream), ACL_ERROR_RT_PARAM_INVALID, "0", "1 to 18");
	FAILS(aclrtProfTrace(data, -1, stream), ACL_ERROR_RT_PARAM_INVALID, "-1");
	FAILS(aclrtProfTrace(data, 18, (aclrtStream)data), ACL_ERROR_RT_INVALID_HANDLE);
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtProfTrace(data, 18, stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TAP_MAIN(TEST(stream_query),
	 TEST(stream_query_tells_failures),
	 TEST(synchronize_with_timeout),
	 TEST(stream_ids_are_unique),
	 TEST(destroy_force_drops_the_work),
	 TEST(finalize_reference_counts),
	 TEST(last_error),
	 TEST(version_is_that_of_the_headers),
	 TEST(malloc_align32_and_cached),
	 TEST(binary_from_description),
	 TEST(binary_device_address),
	 TEST(launch_v2_takes_attributes),
	 TEST(the_process_sets_a_limit_of_time),
	 TEST(data_type_sizes),
	 TEST(half_to_float_and_back),
	 TEST(data_buffers),
	 TEST(thread_last_task_id),
	 TEST(marks_are_tasks))
