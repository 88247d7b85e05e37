// SPDX-License-Identifier: MIT
/* Queries of function handles, and kernels for the parts of a core. */
#include "../acltest.h"

#define PAIR "build/tests/libacl/pair.o"

static aclrtFuncHandle get(const char *path, const char *name)
{
	aclrtFuncHandle func = NULL;

	ACL(aclrtBinaryGetFunction(load(path), name, &func));
	return func;
}

static int64_t attribute(aclrtFuncHandle func, aclrtFuncAttribute attr)
{
	int64_t value = -1;

	ACL(aclrtGetFunctionAttribute(func, attr, &value));
	return value;
}

static void kinds_of_kernels(void)
{
	aclrtFuncHandle pair, vector;
	int64_t value;

	start();
	pair = get(PAIR, "pair");
	vector = get(PAIR, "vector_only");
	CHECK_EQ(attribute(op("store"), ACL_FUNC_ATTR_KERNEL_TYPE), ACL_KERNEL_TYPE_AICORE);
	CHECK_EQ(attribute(get(PAIR, "cube_only"), ACL_FUNC_ATTR_KERNEL_TYPE), ACL_KERNEL_TYPE_CUBE);
	CHECK_EQ(attribute(vector, ACL_FUNC_ATTR_KERNEL_TYPE), ACL_KERNEL_TYPE_VECTOR);
	CHECK_EQ(attribute(pair, ACL_FUNC_ATTR_KERNEL_TYPE), ACL_KERNEL_TYPE_MIX);
	CHECK_EQ(attribute(pair, ACL_FUNC_ATTR_KERNEL_RATIO), 2 << 16 | 1);
	CHECK_EQ(attribute(vector, ACL_FUNC_ATTR_KERNEL_RATIO), 0);
	CHECK_EQ(attribute(vector, ACL_FUNC_ATTR_KERNEL_SCHED_MODE), 1);
	CHECK_EQ(attribute(pair, ACL_FUNC_ATTR_KERNEL_SCHED_MODE), 0);
	FAILS(aclrtGetFunctionAttribute(pair, (aclrtFuncAttribute)4, &value),
	      ACL_ERROR_INVALID_PARAM, "4");
	FAILS(aclrtGetFunctionAttribute(pair, ACL_FUNC_ATTR_KERNEL_TYPE, NULL),
	      ACL_ERROR_INVALID_PARAM, "attrValue");
	FAILS(aclrtGetFunctionAttribute(NULL, ACL_FUNC_ATTR_KERNEL_TYPE, &value),
	      ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtGetFunctionAttribute(&value, ACL_FUNC_ATTR_KERNEL_TYPE, &value),
	      ACL_ERROR_RT_INVALID_HANDLE);
}

static void addresses_and_sizes(void)
{
	size_t aic = 99, aiv = 99, dynamic = 99;
	void *cube = NULL, *vector = NULL;
	aclrtFuncHandle func;

	start();
	func = get(PAIR, "pair");
	ACL(aclrtGetFunctionSize(func, &aic, &aiv));
	CHECK(aic >= 8 && aiv >= 8);
	ACL(aclrtGetFunctionAddr(func, &cube, &vector));
	CHECK(cube && vector && cube != vector);
	func = get(PAIR, "vector_only");
	ACL(aclrtGetFunctionSize(func, &aic, &aiv));
	CHECK(aic == 0 && aiv >= 8);
	ACL(aclrtGetFunctionAddr(func, &cube, &vector));
	CHECK(!cube && vector);
	func = op("store");
	ACL(aclrtGetFunctionSize(func, &aic, &aiv));
	CHECK(aic >= 8 && aiv == 0);
	ACL(aclrtGetFunctionAddr(func, &cube, &vector));
	CHECK(cube && !vector);
	ACL(aclrtFunctionGetAvailDynUbufPerBlock(func, 0, &dynamic));
	CHECK_EQ(dynamic, 0);
	FAILS(aclrtFunctionGetAvailDynUbufPerBlock(func, 1, &dynamic), ACL_ERROR_INVALID_PARAM,
	      "flags");
	FAILS(aclrtFunctionGetAvailDynUbufPerBlock(func, 0, NULL), ACL_ERROR_INVALID_PARAM,
	      "dynamicUbufSize");
	FAILS(aclrtFunctionGetAvailDynUbufPerBlock(&aic, 0, &dynamic), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtGetFunctionSize(func, NULL, &aiv), ACL_ERROR_INVALID_PARAM, "aicSize");
	FAILS(aclrtGetFunctionSize(func, &aic, NULL), ACL_ERROR_INVALID_PARAM, "aivSize");
	FAILS(aclrtGetFunctionSize(&aic, &aic, &aiv), ACL_ERROR_RT_INVALID_HANDLE);
}

static void a_pair_works_together(void)
{
	uint64_t numbers[64];
	void *dev;

	start();
	dev = dev_alloc(sizeof(numbers));
	for (int i = 0; i < 64; i++)
		numbers[i] = 1000 + (uint64_t)i;
	ACL(aclrtMemcpy(dev, sizeof(numbers), numbers, sizeof(numbers), ACL_MEMCPY_HOST_TO_DEVICE));
	LAUNCH(get(PAIR, "pair"), 32, NULL, U64(dev));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(numbers, sizeof(numbers), dev, sizeof(numbers), ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < 64; i++)
		CHECK_EQ(numbers[i], 3 * (1001 + i));
}

static void a_part_has_its_own_unit(void)
{
	uint64_t *word;

	start();
	word = dev_alloc(8);
	LAUNCH(get(PAIR, "cube_only"), 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 1);
	LAUNCH(get(PAIR, "vector_only"), 1, NULL, U64(word));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 2);
	LAUNCH(get(PAIR, "wrong_unit"), 1, NULL, U64(word));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_AICORE_EXCEPTION, "wrong_unit", "VDUP");
	CHECK_EQ(read_u64(word), 2);
}

static void failures_of_vector_cores_have_their_own_codes(void)
{
	static const aclError codes[] = { ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
					  ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
					  ACL_ERROR_RT_VECTOR_CORE_TIMEOUT };
	aclrtLaunchKernelAttr limit = { ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
					{ .timeoutUs = { 200000, 0 } } };
	aclrtLaunchKernelCfg cfg = { &limit, 1 };
	aclrtFuncHandle fails;

	start();
	fails = get(PAIR, "vector_fails");
	for (uint64_t how = 0; how < 3; how++) {
		ACL(aclrtLaunchKernelWithHostArgs(fails, 1, NULL, &cfg, &how, 8, NULL, 0));
		FAILS(aclrtSynchronizeStream(NULL), codes[how], "vector_fails");
	}
}

static void chips(void)
{
	int32_t can = -1;

	ACL(aclrtCheckArchCompatibility(aclrtGetSocName(), &can));
	CHECK_EQ(can, 1);
	ACL(aclrtCheckArchCompatibility("Another1234", &can));
	CHECK_EQ(can, 0);
	FAILS(aclrtCheckArchCompatibility(NULL, &can), ACL_ERROR_INVALID_PARAM, "socVersion");
	FAILS(aclrtCheckArchCompatibility("x", NULL), ACL_ERROR_INVALID_PARAM, "canCompatible");
}

TAP_MAIN(TEST(kinds_of_kernels),
	 TEST(addresses_and_sizes),
	 TEST(a_pair_works_together),
	 TEST(a_part_has_its_own_unit),
	 TEST(failures_of_vector_cores_have_their_own_codes),
	 TEST(chips))
