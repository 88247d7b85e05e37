/* SPDX-License-Identifier: MIT */
/*
 * The launch forms. They differ in where the arguments are:
 *   aclrtLaunchKernel, aclrtLaunchKernelV2  packed, in device memory, which the program fills itself
 *   aclrtLaunchKernelWithConfig             in an argument list
 *   aclrtLaunchKernelWithHostArgs           packed, in host memory; copied before the call returns
 *   aclrtLaunchKernelWithArgsArray          an array of pointers to the values
 * All but the first take attributes.
 */
#include "sample.h"

/* Each argument begins at a multiple of 8 bytes */
struct Args {
	void *data;
	alignas(8) float factor;
	alignas(8) uint32_t n;
};

static constexpr uint32_t count = 1000, blocks = 8;
static void *data;

static void show(const char *form)
{
	float first[4];

	CHECK(aclrtSynchronizeStream(nullptr));
	CHECK(aclrtMemcpy(first, sizeof(first), data, sizeof(first), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%-31s %g %g %g %g\n", form, static_cast<double>(first[0]),
	       static_cast<double>(first[1]), static_cast<double>(first[2]),
	       static_cast<double>(first[3]));
}

static void arguments_on_the_device(aclrtFuncHandle scale, aclrtLaunchKernelCfg *cfg)
{
	Args args = { data, 2, count };
	void *device_args = sample_device_memory(sizeof(args));

	CHECK(aclrtMemcpy(device_args, sizeof(args), &args, sizeof(args), ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(aclrtLaunchKernel(scale, blocks, device_args, sizeof(args), nullptr));
	show("aclrtLaunchKernel");
	CHECK(aclrtLaunchKernelV2(scale, blocks, device_args, sizeof(args), cfg, nullptr));
	show("aclrtLaunchKernelV2");
	CHECK(aclrtFree(device_args));
}

static void a_list(aclrtFuncHandle scale, aclrtLaunchKernelCfg *cfg)
{
	aclrtArgsHandle list = nullptr;
	aclrtParamHandle param = nullptr;
	float factor = 10;
	uint32_t n = count;

	CHECK(aclrtKernelArgsInit(scale, &list));
	CHECK(aclrtKernelArgsAppend(list, &data, sizeof(data), &param));
	CHECK(aclrtKernelArgsAppend(list, &factor, sizeof(factor), &param));
	CHECK(aclrtKernelArgsAppend(list, &n, sizeof(n), &param));
	CHECK(aclrtKernelArgsFinalize(list));
	CHECK(aclrtLaunchKernelWithConfig(scale, blocks, nullptr, cfg, list, nullptr));
	show("aclrtLaunchKernelWithConfig");
}

static void packed_on_the_host(aclrtFuncHandle scale, aclrtLaunchKernelCfg *cfg)
{
	Args args = { data, 0.5F, count };

	CHECK(aclrtLaunchKernelWithHostArgs(scale, blocks, nullptr, cfg, &args, sizeof(args), nullptr,
					    0));
	args = Args(); /* the call has copied them */
	show("aclrtLaunchKernelWithHostArgs");
}

static void pointers_to_values(aclrtFuncHandle scale, aclrtLaunchKernelCfg *cfg)
{
	float factor = -1;
	uint32_t n = count;
	void *args[] = { &data, &factor, &n };

	CHECK(aclrtLaunchKernelWithArgsArray(scale, blocks, nullptr, cfg, args));
	show("aclrtLaunchKernelWithArgsArray");
}

int main(int, char **argv)
{
	static float host[count];
	aclrtLaunchKernelAttr timeout = {};
	aclrtLaunchKernelCfg cfg = { &timeout, 1 };

	timeout.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
	timeout.value.timeout = 30; /* seconds */
	CHECK(aclInit(nullptr));
	CHECK(aclrtSetDevice(0));
	aclrtBinHandle binary = sample_load(argv[0], "launches");
	aclrtFuncHandle scale = sample_function(binary, "scale");
	data = sample_device_memory(sizeof(host));
	for (uint32_t i = 0; i < count; i++)
		host[i] = static_cast<float>(i);
	CHECK(aclrtMemcpy(data, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));

	arguments_on_the_device(scale, &cfg);
	a_list(scale, &cfg);
	packed_on_the_host(scale, &cfg);
	pointers_to_values(scale, &cfg);

	CHECK(aclrtFree(data));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
