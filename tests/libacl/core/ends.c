// SPDX-License-Identifier: MIT
/* The ends of ranges: the last value that a call takes, and the first that it refuses. */
#include "../acltest.h"

#define MIB	(1UL << 20)
/* What a launch can carry: a segment without a packet (lib/acl/stream/stream.h) */
#define ARGS_MAX	((32UL << 10) - 64)

static void priorities_and_options_of_streams(void)
{
	aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
	uint32_t priority = 7, n;
	aclrtStream s;

	start();
	ACL(aclrtCreateStreamWithConfig(&s, 7, 0));
	ACL(aclrtStreamGetPriority(s, &n));
	CHECK_EQ(n, 7);
	FAILS(aclrtCreateStreamWithConfig(&s, 8, 0), ACL_ERROR_RT_PARAM_INVALID, "priority is 8", "to 7");
	ACL(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
	FAILS(aclrtSetStreamConfigOpt(config, (aclrtStreamConfigAttr)4, &priority, sizeof(priority)),
	      ACL_ERROR_INVALID_PARAM, "attr is 4", "0 to 3");
	FAILS(aclrtSetStreamConfigOpt(config, (aclrtStreamConfigAttr)-1, &priority, sizeof(priority)),
	      ACL_ERROR_INVALID_PARAM, "attr is -1");
	FAILS(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, 3), ACL_ERROR_INVALID_PARAM, "valueSize is 3");
	ACL(aclrtCreateStreamV2(&s, config));
	ACL(aclrtStreamGetPriority(s, &n));
	CHECK_EQ(n, 7);
	ACL(aclrtDestroyStreamConfigHandle(config));
}

static void rectangles(void)
{
	const size_t widest = 5000000;
	char *dev, *host;

	start();
	dev = dev_alloc(widest + 64);
	host = host_alloc(widest + 64);
	host[widest - 1] = 3;
	ACL(aclrtMemcpy2d(dev, widest, host, widest, widest, 1, ACL_MEMCPY_HOST_TO_DEVICE));
	host[widest - 1] = 0;
	ACL(aclrtMemcpy2d(host, widest, dev, widest, widest, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_EQ(host[widest - 1], 3);
	FAILS(aclrtMemcpy2d(dev, widest + 1, host, widest + 1, widest + 1, 1, ACL_MEMCPY_HOST_TO_DEVICE),
	      ACL_ERROR_INVALID_PARAM, "width is 5000001");
	FAILS(aclrtMemcpy2d(dev, 1, host, 1, 1, 5242881, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
	      "height 5242881", "1 to 5242880");
	FAILS(aclrtMemcpy2d(dev, 64, host, 64, 64, 0, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "height 0");
	FAILS(aclrtMemcpy2d(dev, 64, host, 64, 0, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "width is 0");
	FAILS(aclrtMemcpy2d(dev, 63, host, 64, 64, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "dpitch 63");
	FAILS(aclrtMemcpy2d(dev, 64, host, 63, 64, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM, "spitch 63");
	/* between rows there may be any memory, and with one row there is nothing between */
	ACL(aclrtMemcpy2d(dev, 1UL << 40, host, 1UL << 40, 64, 1, ACL_MEMCPY_HOST_TO_DEVICE));
	FAILS(aclrtMemcpy2d(dev, (1UL << 40) + 1, host, 64, 64, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
	      "larger than any memory");
	FAILS(aclrtMemcpy2d(dev, 64, host, (1UL << 40) + 1, 64, 1, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
	      "larger than any memory");
}

static void arguments(void)
{
	struct args { uint64_t *word; uint64_t value; } *args = host_alloc(ARGS_MAX + 8);
	uint64_t *word, *block = host_alloc(ARGS_MAX + 8), *list = host_alloc(4096);
	size_t n;

	start();
	word = dev_alloc(8);
	*args = (struct args){ word, 5 };
	ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, ARGS_MAX, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 5);
	FAILS(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, ARGS_MAX + 1, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "argsSize is 32705", "32704 bytes");
	ACL(aclrtKernelArgsGetMemSize(op("store"), ARGS_MAX, &n));
	CHECK_EQ(n, ARGS_MAX);
	ACL(aclrtKernelArgsGetMemSize(op("store"), 1, &n));
	CHECK_EQ(n, 8);
	ACL(aclrtKernelArgsGetMemSize(op("store"), 9, &n));
	CHECK_EQ(n, 16);
	FAILS(aclrtKernelArgsGetMemSize(op("store"), ARGS_MAX + 1, &n), ACL_ERROR_RT_PARAM_INVALID, "userArgsSize is 32705");
	ACL(aclrtKernelArgsInitByUserMem(op("store"), list, block, ARGS_MAX));
	FAILS(aclrtKernelArgsInitByUserMem(op("store"), list, block, ARGS_MAX + 1), ACL_ERROR_INVALID_PARAM, "1 to 32704");
	FAILS(aclrtKernelArgsInitByUserMem(op("store"), list, block, 0), ACL_ERROR_INVALID_PARAM, "actualArgsSize is 0");
}

static void limits_of_the_device(void)
{
	size_t most = 0;

	start();
	ACL(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, (32UL << 10)));
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, (32UL << 10) + 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "always has 32768 bytes");
	ACL(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1024));
	FAILS(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 1023), ACL_ERROR_INVALID_PARAM,
	      "value is 1023", "must be 1024 to");
	ACL(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &most));
	CHECK_EQ(most, 1024);
}

static void state_changes(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device;
	(void)state;
	(void)args;
}

static void names_and_lists(void)
{
	int32_t *pids = host_alloc(65537 * sizeof(*pids));
	char name[129];
	uint64_t *word;
	void *p;

	start();
	word = dev_alloc(8);
	memset(name, 'n', sizeof(name));
	name[127] = 0;
	ACL(aclrtRegDeviceStateCallback(name, state_changes, NULL));
	ACL(aclrtRegDeviceStateCallback(name, NULL, NULL));
	name[127] = 'n';
	name[128] = 0;
	FAILS(aclrtRegDeviceStateCallback(name, state_changes, NULL), ACL_ERROR_INVALID_PARAM, "has 128 characters", "1 to 127");
	FAILS(aclrtRegDeviceStateCallback("", state_changes, NULL), ACL_ERROR_INVALID_PARAM, "has 0 characters");
	FAILS(aclrtMemSetPidToShareableHandle(1, pids, 65537), ACL_ERROR_INVALID_PARAM, "pidNum is 65537", "65536");
	FAILS(aclrtMemSetPidToShareableHandle(1, pids, 65536), ACL_ERROR_RT_PARAM_INVALID, "not made by this process");
	FAILS(aclrtMemSetPidToShareableHandle(1, pids, 0), ACL_ERROR_INVALID_PARAM, "pidNum is 0");
	FAILS(aclrtNotifySetImportPid(NULL, pids, 65537), ACL_ERROR_INVALID_PARAM, "65536");
	for (int type = ACL_RT_CMO_TYPE_PREFETCH; type <= ACL_RT_CMO_TYPE_FLUSH; type++)
		ACL(aclrtCmoAsync(word, 8, (aclrtCmoType)type, NULL));
	FAILS(aclrtCmoAsync(word, 8, (aclrtCmoType)(ACL_RT_CMO_TYPE_FLUSH + 1), NULL), ACL_ERROR_INVALID_PARAM, "cmoType");
	FAILS(aclrtCmoAsync(word, 8, (aclrtCmoType)-1, NULL), ACL_ERROR_INVALID_PARAM, "cmoType is -1");
	FAILS(aclrtValueWait(word, 0, 4, NULL), ACL_ERROR_INVALID_PARAM, "flag is 0x4", "0 to 3");
	FAILS(aclrtMemAllocManaged(&p, (3UL << 40) + 1, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_INVALID_PARAM, "3 TiB");
	FAILS(aclrtMemAllocManaged(&p, 0, ACL_RT_MEM_ATTACH_GLOBAL), ACL_ERROR_INVALID_PARAM, "size is 0");
	FAILS(aclrtMemAllocManaged(&p, 8, 2), ACL_ERROR_INVALID_PARAM, "flag is 0x2");
	ACL(aclrtReserveMemAddress(&p, 2 * MIB, 2 * MIB, NULL, 0));
	ACL(aclrtReleaseMemAddress(p));
	FAILS(aclrtReserveMemAddress(&p, 2 * MIB, 4 * MIB, NULL, 0), ACL_ERROR_INVALID_PARAM, "alignment is 4194304");
	ACL(aclrtSynchronizeStream(NULL));
}

TAP_MAIN(TEST(priorities_and_options_of_streams), TEST(rectangles), TEST(arguments), TEST(limits_of_the_device),
	 TEST(names_and_lists))
