// SPDX-License-Identifier: MIT
/* aclrtLaunchKernelWithHostArgs: argument copies, placeholders, launch attributes. */
#include "../acltest.h"

static void arguments_are_copied_before_the_call_returns(void)
{
	enum { N = 200 };
	uint64_t args[2], *words;

	start();
	words = dev_alloc(8 * N);
	/* Holds the queue back while the arguments change */
	LAUNCH(op("spin_then_store"), 1, NULL, 300000, U64(words), 0);
	for (uint64_t i = 0; i < N; i++) {
		args[0] = U64(&words[i]);
		args[1] = i * i;
		ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, 16, NULL, 0));
		memset(args, 0xff, sizeof(args));
	}
	ACL(aclrtSynchronizeStream(NULL));
	for (uint64_t i = 0; i < N; i++)
		CHECK_EQ(read_u64(&words[i]), i * i);
}

static void no_arguments_at_all(void)
{
	aclrtBinHandle bin;
	aclrtFuncHandle func;

	start();
	bin = load("build/operators/empty.o");
	ACL(aclrtBinaryGetFunction(bin, "empty", &func));
	ACL(aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, NULL, 0, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtLaunchKernelWithHostArgs(func, 1, NULL, NULL, NULL, 8, NULL, 0),
	      ACL_ERROR_INVALID_PARAM, "hostArgs", "NULL");
}

static void arguments_of_any_size(void)
{
	static const size_t slots[] = { 1, 2, 100, 511, 512, 513, 1000, 1024 };

	start();
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		uint64_t *args = calloc(slots[i], 8), *out = dev_alloc(8), sum = 0;

		args[0] = U64(out);
		for (size_t k = 1; k < slots[i]; k++)
			sum += args[k] = k * 0x1000001 + i;
		ACL(aclrtLaunchKernelWithHostArgs(op("sum_slots"), 1, NULL, NULL, args,
						  slots[i] * 8, NULL, 0));
		free(args);
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(read_u64(out), sum);
	}
}

static void oversized_arguments_are_refused(void)
{
	size_t huge = 64 << 20;
	void *args = host_alloc(huge);

	start();
	FAILS(aclrtLaunchKernelWithHostArgs(op("sum_slots"), 1, NULL, NULL, args, huge, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "argsSize", "67108864");
	FAILS(aclrtLaunchKernelWithHostArgs(op("sum_slots"), 1, NULL, NULL, args, SIZE_MAX, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "argsSize");
}

/* The ring of arguments wraps many times while launches are pending */
static void many_large_arguments_in_flight(void)
{
	enum { LAUNCHES = 3000, SLOTS = 500 };
	uint64_t *args = host_alloc(SLOTS * 8), *out;

	start();
	out = pinned_alloc(8 * LAUNCHES);
	for (uint64_t i = 0; i < LAUNCHES; i++) {
		args[0] = U64(&out[i]);
		for (size_t k = 1; k < SLOTS; k++)
			args[k] = i;
		ACL(aclrtLaunchKernelWithHostArgs(op("sum_slots"), 1, NULL, NULL, args, SLOTS * 8,
						  NULL, 0));
	}
	ACL(aclrtSynchronizeStream(NULL));
	for (uint64_t i = 0; i < LAUNCHES; i++)
		CHECK_EQ(out[i], i * (SLOTS - 1));
}

static void placeholders_point_to_data_that_travels_along(void)
{
	struct {
		uint64_t out, data, n;
		uint64_t values[10];
	} args = { .n = 10 };
	aclrtPlaceHolderInfo place = { .addrOffset = 8, .dataOffset = 24 };
	uint64_t *out, sum = 0;

	start();
	out = dev_alloc(8);
	args.out = U64(out);
	args.data = 0xdeadbeef;
	for (uint64_t i = 0; i < 10; i++)
		sum += args.values[i] = i * 1001;
	ACL(aclrtLaunchKernelWithHostArgs(op("sum_behind"), 1, NULL, NULL, &args, sizeof(args),
					  &place, 1));
	/* The program's own copy stays as it is */
	CHECK_EQ(args.data, 0xdeadbeef);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), sum);
}

static void several_placeholders(void)
{
	uint64_t args[6] = { 0, 0, 1, 0, 0, 4242 };
	aclrtPlaceHolderInfo places[2] = { { 8, 40 }, { 24, 32 } };
	uint64_t *out;

	start();
	out = dev_alloc(8);
	args[0] = U64(out);
	ACL(aclrtLaunchKernelWithHostArgs(op("sum_behind"), 1, NULL, NULL, args, sizeof(args), places,
					  2));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), 4242);
}

static void bad_placeholders_are_107000(void)
{
	static const aclrtPlaceHolderInfo bad[] = {
		{ 4, 24 }, { 1, 24 }, { 100, 24 }, { 104, 24 }, { 8, 105 }, { 8, UINT32_MAX },
		{ UINT32_MAX - 7, 24 }, { UINT32_MAX, 24 } };
	uint64_t args[13] = { 0 };

	start();
	args[0] = U64(dev_alloc(8));
	args[2] = 1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		aclrtPlaceHolderInfo place = bad[i];

		tap_note("addrOffset %u, dataOffset %u", place.addrOffset, place.dataOffset);
		FAILS(aclrtLaunchKernelWithHostArgs(op("sum_behind"), 1, NULL, NULL, args,
						    sizeof(args), &place, 1),
		      ACL_ERROR_RT_PARAM_INVALID, "Offset");
	}
	FAILS(aclrtLaunchKernelWithHostArgs(op("sum_behind"), 1, NULL, NULL, args, sizeof(args), NULL,
					    1), ACL_ERROR_INVALID_PARAM, "placeHolderArray");
}

static aclError launch_with(aclrtLaunchKernelAttr *attrs, size_t n)
{
	static uint64_t args[2];
	aclrtLaunchKernelCfg cfg = { attrs, n };

	if (!args[0])
		args[0] = U64(dev_alloc(8));
	return aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, &cfg, args, 16, NULL, 0);
}

static void no_attributes_are_fine(void)
{
	start();
	ACL(launch_with(NULL, 0));
	ACL(launch_with((aclrtLaunchKernelAttr *)8, 0));
	ACL(aclrtSynchronizeStream(NULL));
}

static void attributes_that_change_nothing_here(void)
{
	aclrtLaunchKernelAttr attrs[] = {
		{ ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, { .schemMode = 0 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, { .schemMode = 1 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 30 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 0 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, { .timeoutUs = { 30000000, 0 } } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, { .isDataDump = 0 } },
	};

	start();
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		tap_note("attribute %zu", i);
		ACL(launch_with(&attrs[i], 1));
		ACL(aclrtSynchronizeStream(NULL));
	}
}

/* All blocks at once need a core each, and there are as many as the device says */
static void as_many_blocks_together_as_there_are_cores(void)
{
	aclrtLaunchKernelAttr attr = { ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, { .schemMode = 1 } };
	aclrtLaunchKernelCfg cfg = { &attr, 1 };
	int64_t cores = 0;

	start();
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores));
	ACL(aclrtLaunchKernelWithHostArgs(op("nothing"), (uint32_t)cores, NULL, &cfg, NULL, 0, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	FAILS(aclrtLaunchKernelWithHostArgs(op("nothing"), (uint32_t)cores + 1, NULL, &cfg, NULL, 0, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "nothing", "together");
}

static void bad_attributes_are_100000(void)
{
	aclrtLaunchKernelAttr unknown = { (aclrtLaunchKernelAttrId)4711, { 0 } };
	aclrtLaunchKernelAttr mode = { ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, { .schemMode = 9 } };
	aclrtLaunchKernelAttr both[] = {
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 3 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, { .timeoutUs = { 5, 0 } } },
	};

	start();
	FAILS(launch_with(&unknown, 1), ACL_ERROR_INVALID_PARAM, "4711");
	FAILS(launch_with(&mode, 1), ACL_ERROR_INVALID_PARAM, "9");
	FAILS(launch_with(both, 2), ACL_ERROR_INVALID_PARAM, "timeout");
	FAILS(launch_with(NULL, 1), ACL_ERROR_INVALID_PARAM, "attrs");
}

/* A placeholder's data lies in the arguments: the last byte does, the one behind it does not */
static void placeholder_data_ends_with_the_arguments(void)
{
	uint64_t args[4] = { 0 };
	aclrtPlaceHolderInfo holder = { .addrOffset = 8, .dataOffset = 31 };

	start();
	args[0] = U64(dev_alloc(8));
	ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, 32, &holder, 1));
	ACL(aclrtSynchronizeStream(NULL));
	holder.dataOffset = 32;
	FAILS(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, 32, &holder, 1),
	      ACL_ERROR_RT_PARAM_INVALID, "placeholder 0", "dataOffset 32");
	holder = (aclrtPlaceHolderInfo){ .addrOffset = 24, .dataOffset = 16 };
	ACL(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, 32, &holder, 1));
	ACL(aclrtSynchronizeStream(NULL));
	holder.addrOffset = 32;
	FAILS(aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, NULL, args, 32, &holder, 1),
	      ACL_ERROR_RT_PARAM_INVALID, "addrOffset 32");
}

TAP_MAIN(TEST(placeholder_data_ends_with_the_arguments), TEST(arguments_are_copied_before_the_call_returns),
	 TEST(no_arguments_at_all),
	 TEST(arguments_of_any_size),
	 TEST(oversized_arguments_are_refused),
	 TEST(many_large_arguments_in_flight),
	 TEST(placeholders_point_to_data_that_travels_along),
	 TEST(several_placeholders),
	 TEST(bad_placeholders_are_107000),
	 TEST(no_attributes_are_fine),
	 TEST(attributes_that_change_nothing_here),
	 TEST(as_many_blocks_together_as_there_are_cores),
	 TEST(bad_attributes_are_100000))
