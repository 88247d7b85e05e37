// SPDX-License-Identifier: MIT
/*
 * The rt* calls as launchers of operators use them: a binary in memory, a function under an address of the program,
 * arguments as a structure. Runs in the VM; the operator is vadd.o of tests/operators.
 */
#include <acl/acl.h>
#include <ascend_hal.h>
#include <experiment/runtime/runtime/rt.h>

#include "tap.h"

#define N 1000
#define RT(call) CHECK_EQ(call, RT_ERROR_NONE)
#define SAYS(word)                                                      \
	do {                                                             \
		const char *text_ = aclGetRecentErrMsg();                \
		CHECK(text_ && strstr(text_, word));                     \
	} while (0)

static struct {
	rtStream_t stream;
	void *binary;
	float *x, *y, *z; /* on the device */
	float host[N];
} job;

static char stub; /* its address stands for the kernel */

static rtDevBinary_t read_binary(void)
{
	static char data[1 << 20];
	FILE *f = fopen("build/operators/vadd.o", "rb");
	rtDevBinary_t bin = { .magic = RT_DEV_BINARY_MAGIC_ELF_AIVEC, .data = data };

	CHECK(f);
	bin.length = fread(data, 1, sizeof(data), f);
	fclose(f);
	return bin;
}

static void begin(void)
{
	rtDevBinary_t bin = read_binary();
	int i;

	RT(rtSetDevice(0));
	RT(rtStreamCreate(&job.stream, 0));
	RT(rtDevBinaryRegister(&bin, &job.binary));
	RT(rtFunctionRegister(job.binary, &stub, "add", "vadd_f32", 0));
	RT(rtMalloc((void **)&job.x, sizeof(job.host), RT_MEMORY_HBM, 33));
	RT(rtMalloc((void **)&job.y, sizeof(job.host), RT_MEMORY_HBM, 33));
	RT(rtMalloc((void **)&job.z, sizeof(job.host), RT_MEMORY_DEFAULT, 0));
	for (i = 0; i < N; i++)
		job.host[i] = (float)i;
	RT(rtMemcpy(job.x, sizeof(job.host), job.host, sizeof(job.host), RT_MEMCPY_HOST_TO_DEVICE));
	RT(rtMemcpyAsync(job.y, sizeof(job.host), job.x, sizeof(job.host), RT_MEMCPY_DEVICE_TO_DEVICE,
			 job.stream));
	RT(rtMemset(job.z, sizeof(job.host), 0, sizeof(job.host)));
}

static void check_and_end(void)
{
	int i;

	RT(rtStreamSynchronize(job.stream));
	RT(rtMemcpy(job.host, sizeof(job.host), job.z, sizeof(job.host), RT_MEMCPY_DEVICE_TO_HOST));
	for (i = 0; i < N; i++)
		CHECK(job.host[i] == 2.0f * (float)i);
	RT(rtFree(job.x));
	RT(rtFree(job.y));
	RT(rtFree(job.z));
	RT(rtDevBinaryUnRegister(job.binary));
	RT(rtStreamDestroy(job.stream));
	RT(rtDeviceReset(0));
}

struct args {
	float *x, *y, *z;
	uint32_t n;
} __attribute__((aligned(8)));

static void a_kernel_is_launched(void)
{
	struct args args;

	begin();
	args = (struct args){ job.x, job.y, job.z, N };
	RT(rtKernelLaunch(&stub, 4, &args, sizeof(args), NULL, job.stream));
	check_and_end();
}

static void a_kernel_is_launched_with_extras(void)
{
	rtTaskCfgInfo_t task = { .schemMode = 1 };
	rtArgsEx_t info = { 0 };
	struct args args;
	void *found;

	begin();
	args = (struct args){ job.x, job.y, job.z, N };
	info.args = &args;
	info.argsSize = sizeof(args);
	RT(rtGetFunctionByName("add", &found));
	CHECK(found == &stub);
	RT(rtKernelLaunchWithFlagV2(found, 1, &info, NULL, job.stream, 0, &task));
	check_and_end();
}

static void data_travels_behind_the_arguments(void)
{
	struct {
		struct args args;
		float x[N];
	} sent;
	rtHostInputInfo_t place = { .addrOffset = offsetof(struct args, x), .dataOffset = sizeof(struct args) };
	rtArgsEx_t info = { .args = &sent, .argsSize = sizeof(sent), .hostInputInfoPtr = &place,
			    .hostInputInfoNum = 1 };

	begin();
	sent.args = (struct args){ NULL, job.y, job.z, N };
	memcpy(sent.x, job.host, sizeof(sent.x));
	RT(rtKernelLaunchWithFlag(&stub, 2, &info, NULL, job.stream, 0));
	check_and_end();
}

static void mistakes_are_refused(void)
{
	rtTaskCfgInfo_t task = { .qos = 1 };
	struct args args = { 0 };
	rtArgsEx_t info = { .args = &args, .argsSize = sizeof(args) };
	rtDevBinary_t bin = read_binary();
	void *handle;

	begin();
	CHECK_EQ(rtKernelLaunch(&task, 1, &args, sizeof(args), NULL, job.stream), ACL_ERROR_RT_PARAM_INVALID);
	SAYS("is not registered");
	CHECK_EQ(rtKernelLaunchWithFlagV2(&stub, 1, &info, NULL, job.stream, 2, NULL),
		 ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	CHECK_EQ(rtKernelLaunchWithFlagV2(&stub, 1, &info, NULL, job.stream, 0, &task),
		 ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	SAYS("qos");
	CHECK_EQ(rtFunctionRegister(job.binary, &stub, "no", "no_such_kernel", 0),
		 aclrtBinaryGetFunction(job.binary, "no_such_kernel", &handle));
	bin.magic = RT_DEV_BINARY_MAGIC_ELF_AICPU;
	CHECK_EQ(rtDevBinaryRegister(&bin, &handle), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	bin.magic = 1;
	CHECK_EQ(rtDevBinaryRegister(&bin, &handle), ACL_ERROR_RT_PARAM_INVALID);
	CHECK_EQ(rtKernelLaunchEx(NULL, 0, 0, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	SAYS("no CPU for operators");
	RT(rtDevBinaryUnRegister(job.binary));
	/* its functions are gone with it */
	CHECK_EQ(rtKernelLaunch(&stub, 1, &args, sizeof(args), NULL, job.stream), ACL_ERROR_RT_PARAM_INVALID);
	CHECK_EQ(rtGetFunctionByName("add", &handle), ACL_ERROR_RT_PARAM_INVALID);
}

static void questions_are_answered(void)
{
	uint32_t cores, len = 0, devices;
	uint64_t addr = 0;
	char name[64];
	int32_t count, device = -1;

	/* before any device is set, as some launchers do */
	RT(rtGetAiCoreCount(&cores));
	CHECK(cores > 0);
	RT(rtSetDevice(0));
	RT(rtGetSocVersion(name, sizeof(name)));
	CHECK(!strcmp(name, aclrtGetSocName()));
	RT(rtGetSocVersion(name, 3));
	CHECK(strlen(name) == 2);
	RT(rtGetAiCoreCount(&cores));
	CHECK(cores > 0);
	RT(rtGetC2cCtrlAddr(&addr, &len));
	CHECK(addr && len);
	RT(rtGetDeviceCount(&count));
	CHECK(count > 0);
	RT(rtGetDevice(&device));
	CHECK_EQ(device, 0);
	CHECK_EQ(drvGetDevNum(&devices), DRV_ERROR_NONE);
	CHECK_EQ((int32_t)devices, count);
	CHECK_EQ(halMemFree(NULL), DRV_ERROR_NOT_SUPPORT);
	CHECK_EQ(rtGetAiCoreCount(NULL), ACL_ERROR_RT_PARAM_INVALID);
	RT(rtDeviceReset(0));
}

static void events_and_host_memory(void)
{
	rtEvent_t start, end;
	rtStream_t stream;
	float ms = -1;
	void *host;

	RT(rtSetDevice(0));
	RT(rtStreamCreateWithFlags(&stream, 7, RT_STREAM_DEFAULT));
	CHECK_EQ(rtStreamCreateWithFlags(&stream, 0, 0x80), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	RT(rtEventCreate(&start));
	RT(rtEventCreate(&end));
	RT(rtEventRecord(start, stream));
	RT(rtEventRecord(end, stream));
	RT(rtStreamWaitEvent(stream, end));
	RT(rtEventSynchronize(end));
	RT(rtEventElapsedTime(&ms, start, end));
	CHECK(ms >= 0);
	RT(rtStreamSynchronize(stream));
	RT(rtStreamQuery(stream));
	RT(rtMallocHost(&host, 4096, 0));
	memset(host, 1, 4096);
	RT(rtFreeHost(host));
	RT(rtEventDestroy(start));
	RT(rtEventDestroy(end));
	RT(rtStreamDestroy(stream));
	RT(rtDeviceReset(0));
}

TAP_MAIN(TEST(a_kernel_is_launched),
	 TEST(a_kernel_is_launched_with_extras),
	 TEST(data_travels_behind_the_arguments),
	 TEST(mistakes_are_refused),
	 TEST(questions_are_answered),
	 TEST(events_and_host_memory))
