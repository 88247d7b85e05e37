// SPDX-License-Identifier: MIT
/*
 * The library where there is no device: init and finalize, what is refused and how that reads,
 * errors per thread, and the functions that need no device.
 */
#include <math.h>
#include <pthread.h>

#include <acl/acl.h>

#include "tap.h"

/* The call returned @code and the newest message has @part */
#define FAILS(call, code, part)                                                      \
	do {                                                                         \
		aclGetRecentErrMsg();                                                \
		aclError got_ = (call);                                              \
		const char *text_ = aclGetRecentErrMsg();                            \
		if (got_ != (code) || !text_ || !strstr(text_, (part)))              \
			FAIL("%s returned %d, '%s'; expected %d, '%s'", #call, got_, \
			     text_ ? text_ : "(none)", (int)(code), (part));         \
	} while (0)

static char path[64];

static const char *config(const char *text)
{
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/anpu-unit-%d.json", (int)getpid());
	file = fopen(path, "w");
	CHECK(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static void need_no_device(void)
{
	if (access("/dev/accel/accel0", F_OK) == 0)
		SKIP("this machine has an accelerator");
}

/* The first sentence is often the cause of all others: it stays when there is no room */
static void the_first_sentence_is_kept(void)
{
	const char *text, *first, *newest;
	char *order;

	need_no_device();
	aclGetRecentErrMsg();
	CHECK(aclrtGetDeviceCount(NULL));
	for (int i = 0; i < 20; i++)
		CHECK(aclrtMallocHost(NULL, 1));
	CHECK(aclrtCreateStream(NULL));
	text = aclGetRecentErrMsg();
	first = strstr(text, "aclrtGetDeviceCount");
	newest = strstr(text, "aclrtCreateStream");
	order = strstr(text, "(14 messages between these were dropped)");
	CHECK(first && newest && order && newest < order && order < first);
	CHECK(!aclGetRecentErrMsg());
	CHECK(aclrtGetDeviceCount(NULL));
	CHECK(!strstr(aclGetRecentErrMsg(), "dropped"));
}

static void init_counts(void)
{
	uint64_t left = 99;

	CHECK_EQ(aclInit(NULL), ACL_SUCCESS);
	FAILS(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "reference 2");
	CHECK_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
	CHECK_EQ(left, 1);
	CHECK_EQ(aclFinalizeReference(NULL), ACL_SUCCESS);
	FAILS(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE, "not initialised");
	CHECK_EQ(aclInit(NULL), ACL_SUCCESS);
	aclInit(NULL);
	CHECK_EQ(aclFinalize(), ACL_SUCCESS);
	FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize");
}

static void configuration(void)
{
	CHECK_EQ(aclInit(config("{}")), ACL_SUCCESS);
	aclFinalize();
	CHECK_EQ(aclInit(config(
			 "{\"dump\":{\"x\":[1]},\"defaultDevice\":{\"default_device\":\"0\"}}")),
		 ACL_SUCCESS);
	aclFinalize();
	FAILS(aclInit("/nonexistent.json"), ACL_ERROR_INVALID_FILE, "No such file");
	FAILS(aclInit("/"), ACL_ERROR_INVALID_FILE, "no file");
	FAILS(aclInit(config("")), ACL_ERROR_PARSE_FILE, "line 1");
	FAILS(aclInit(config("{\n\"a\":}\n")), ACL_ERROR_PARSE_FILE, "line 2, column 5");
	FAILS(aclInit(config("[]")), ACL_ERROR_PARSE_FILE, "object");
	FAILS(aclInit(config("{\"defaultDevice\":{\"default_device\":\"x\"}}")),
	      ACL_ERROR_PARSE_FILE, "'x'");
	FAILS(aclInit(config("{\"defaultDevice\":{\"default_device\":-1}}")), ACL_ERROR_PARSE_FILE,
	      "-1");
	CHECK_EQ(aclInit(config("{}")), ACL_SUCCESS);
	unlink(path);
}

static void default_device_is_set_by_itself(void)
{
	int32_t id;

	need_no_device();
	CHECK_EQ(aclInit(config("{\"defaultDevice\":{\"default_device\":\"0\"}}")), ACL_SUCCESS);
	unlink(path);
	/* the call opens the device and says why that fails */
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_INVALID_DEVICEID, "device 0");
}

static void no_device(void)
{
	uint32_t count = 7;
	int32_t id;
	void *p;

	need_no_device();
	CHECK_EQ(aclInit(NULL), ACL_SUCCESS);
	FAILS(aclrtGetDeviceCount(&count), ACL_ERROR_RT_NO_DEVICE, "anpu-run");
	CHECK_EQ(count, 0);
	CHECK(!aclrtGetSocName());
	FAILS(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "PCI bus");
	FAILS(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtResetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "not set");
	FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	FAILS(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL,
	      "no device");
	FAILS(aclrtMallocHost(&p, 100), ACL_ERROR_RT_CONTEXT_NULL, "no device");
	FAILS(aclrtCreateStream(&p), ACL_ERROR_RT_CONTEXT_NULL, "no device");
	FAILS(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "no device");
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL, "no device");
}

static void null_pointers(void)
{
	char b[8];

	FAILS(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM, "deviceId is NULL");
	FAILS(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM, "count is NULL");
	FAILS(aclrtMalloc(NULL, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM, "devPtr");
	FAILS(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM, "hostPtr");
	FAILS(aclrtMemcpy(NULL, 1, b, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM, "dst");
	FAILS(aclrtMemcpy(b, 1, NULL, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_INVALID_PARAM, "src");
	FAILS(aclrtMemcpy(b, 1, b, 1, (aclrtMemcpyKind)77), ACL_ERROR_INVALID_PARAM, "77");
	FAILS(aclrtBinaryLoadFromFile(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM, "binPath");
	FAILS(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM, "stream");
	FAILS(aclrtLaunchKernel(NULL, 1, b, 8, NULL), ACL_ERROR_INVALID_PARAM, "funcHandle");
	FAILS(aclrtLaunchKernel(b, 1, NULL, 8, NULL), ACL_ERROR_INVALID_PARAM, "argsData");
	FAILS(aclrtLaunchKernel(b, 0, b, 8, NULL), ACL_ERROR_INVALID_PARAM, "numBlocks");
}

static void foreign_pointers(void)
{
	char b[8];

	FAILS(aclrtFree(b), ACL_ERROR_RT_PARAM_INVALID, "host memory");
	FAILS(aclrtFreeHost(b), ACL_ERROR_RT_PARAM_INVALID, "no pinned memory");
	FAILS(aclrtDestroyContext(b), ACL_ERROR_RT_INVALID_HANDLE, "context");
	FAILS(aclrtBinaryUnLoad(b), ACL_ERROR_RT_INVALID_HANDLE, "binHandle");
	FAILS(aclrtDestroyBinary(b), ACL_ERROR_RT_INVALID_HANDLE, "binary");
}

static void unbuilt_functions_say_so(void)
{
	uint32_t x;

	FAILS(aclrtSnapShotProcessLock(1, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "aclrtSnapShotProcessLock");
	FAILS(aclrtTaskUpdateAsync(NULL, 0, NULL, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "status.md");
	FAILS(aclrtGetGroupCount(&x), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "DCMI");
	CHECK(!aclrtCreateGroupInfo());
	CHECK(strstr(aclGetRecentErrMsg(), "aclrtCreateGroupInfo"));
}

static void messages_are_read_and_cleared(void)
{
	const char *text, *second;

	CHECK(!aclGetRecentErrMsg());
	aclrtFree(NULL);
	aclrtFreeHost(NULL);
	text = aclGetRecentErrMsg();
	CHECK(text);
	second = strchr(text, '\n');
	CHECK(second);
	CHECK(strstr(second, "E100000 aclrtFree: ")); /* newest first */
	CHECK(strstr(text, "E100000 aclrtFreeHost: ") == text);
	CHECK(!aclGetRecentErrMsg());
	for (int i = 0; i < 1000; i++)
		aclrtFree(NULL);
	CHECK(strlen(aclGetRecentErrMsg()) < 8192);
}

static void last_error(void)
{
	CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	aclrtFree(NULL);
	CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
	CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
	CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	CHECK_EQ(aclrtGetLastError((aclrtLastErrLevel)5), ACL_ERROR_INVALID_PARAM);
}

static void *other_thread(void *arg)
{
	CHECK(!aclGetRecentErrMsg());
	CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
	aclrtFreeHost(NULL);
	return arg;
}

static void errors_belong_to_their_thread(void)
{
	pthread_t t;
	const char *text;

	aclrtFree(NULL);
	CHECK(!pthread_create(&t, NULL, other_thread, NULL));
	pthread_join(t, NULL);
	text = aclGetRecentErrMsg();
	CHECK(text && strstr(text, "aclrtFree:") && !strstr(text, "aclrtFreeHost"));
}

static void half_precision(void)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		float f = aclFloat16ToFloat((aclFloat16)h);
		int exponent = h >> 10 & 0x1f;
		float want = exponent ? ldexpf(1024 + (h & 0x3ff), exponent - 25)
				      : ldexpf(h & 0x3ff, -24);

		if (f != (h & 0x8000 ? -want : want))
			FAIL("half %04x became %g and not %g", h, (double)f, (double)want);
		if (exponent < 31)
			CHECK_EQ(aclFloatToFloat16(f), h);
	}
	/* between two neighbours: the nearer one, at half way the even one */
	for (uint32_t h = 0; h < 0x7bff; h++) {
		float a = aclFloat16ToFloat(h), b = aclFloat16ToFloat(h + 1), middle = (a + b) / 2;

		CHECK_EQ(aclFloatToFloat16(middle), h & 1 ? h + 1 : h);
		CHECK_EQ(aclFloatToFloat16(nextafterf(middle, 0)), h);
		CHECK_EQ(aclFloatToFloat16(nextafterf(middle, 1e9f)), h + 1);
	}
	CHECK_EQ(aclFloatToFloat16(65519.f), 0x7bff);
	CHECK_EQ(aclFloatToFloat16(1e30f), 0x7bff);
	CHECK_EQ(aclFloatToFloat16(-INFINITY), 0xfbff);
	CHECK_EQ(aclFloatToFloat16(1e-30f), 0);
}

static void small_things(void)
{
	aclDataBuffer *buffer = aclCreateDataBuffer(&buffer, 5000000000);
	int32_t major = 0, minor = 0, patch = 7;
	aclrtRunMode mode = ACL_DEVICE;

	CHECK(aclGetDataBufferAddr(buffer) == &buffer);
	CHECK_EQ(aclGetDataBufferSizeV2(buffer), 5000000000);
	CHECK_EQ(aclUpdateDataBuffer(buffer, NULL, 3), ACL_SUCCESS);
	CHECK_EQ(aclGetDataBufferSize(buffer), 3);
	CHECK_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
	CHECK_EQ(aclDataTypeSize(ACL_FLOAT16), 2);
	CHECK_EQ(aclDataTypeSize(ACL_COMPLEX128), 16);
	CHECK_EQ(aclDataTypeSize(ACL_INT4), 0);
	CHECK_EQ(aclDataTypeSize((aclDataType)999), 0);
	CHECK_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
	CHECK(major == 1 && minor == 17 && patch == 0);
	CHECK_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
	CHECK_EQ(mode, ACL_HOST);
}

TAP_MAIN(TEST(the_first_sentence_is_kept),
	 TEST(init_counts), TEST(configuration), TEST(default_device_is_set_by_itself),
	 TEST(no_device), TEST(null_pointers), TEST(foreign_pointers),
	 TEST(unbuilt_functions_say_so), TEST(messages_are_read_and_cleared), TEST(last_error),
	 TEST(errors_belong_to_their_thread), TEST(half_precision), TEST(small_things))
