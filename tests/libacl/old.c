// SPDX-License-Identifier: MIT
/*
 * A device that has only the first version's packets (x-hide-caps): calls that need more
 * say so with 207000 and leave what they were given alone, and everything else works.
 */
#include "acltest.h"

#define REFUSED(call, ...) FAILS(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "device 0", __VA_ARGS__)

static void begin(void)
{
	aclrtUtilizationInfo info;

	start();
	if (aclrtGetDeviceUtilizationRate(0, &info) == ACL_SUCCESS)
		SKIP("this device is a new one");
}

static void overflows_are_not_noted(void)
{
	aclrtStreamAttrValue on = { .overflowSwitch = 1 }, off = { .overflowSwitch = 0 };
	uint32_t flag = 7;
	void *addr = &flag, *out;
	aclrtStream stream;

	begin();
	stream = new_stream();
	out = dev_alloc(64);
	put_pattern(out, 64, 1);
	REFUSED(aclrtGetOverflowStatus(out, 64, stream), "overflows");
	REFUSED(aclrtGetFloatOverflowStatus(out, 64, NULL), "overflows");
	REFUSED(aclrtNpuGetFloatOverFlowStatus(out, 64, 0, stream), "overflows");
	REFUSED(aclrtResetOverflowStatus(stream), "overflows");
	REFUSED(aclrtResetFloatOverflowStatus(NULL), "overflows");
	REFUSED(aclrtNpuClearFloatOverFlowStatus(0, stream), "overflows");
	REFUSED(aclrtSetStreamOverflowSwitch(stream, 1), "overflows");
	REFUSED(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &on), "overflows");
	REFUSED(aclrtCtxGetFloatOverflowAddr(&addr), "overflows");
	CHECK(addr == &flag);
	/* off is what it is, and a tag is a name as good as any */
	ACL(aclrtSetStreamOverflowSwitch(stream, 0));
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &off));
	ACL(aclrtGetStreamOverflowSwitch(stream, &flag));
	CHECK_EQ(flag, 0);
	on.userCustomTag = 5;
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &on));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_DEVICE(out, 64, 1);
	/* wrong arguments are told first */
	FAILS(aclrtGetOverflowStatus(out, 32, stream), ACL_ERROR_RT_PARAM_INVALID, "32");
	FAILS(aclrtCtxGetFloatOverflowAddr(NULL), ACL_ERROR_INVALID_PARAM, "overflowAddr");
}

static void other_tasks_that_came_later(void)
{
	aclrtStreamAttrValue urgent = { .streamPriority = 3 };
	uint64_t *word;
	void *memory;

	begin();
	memory = dev_alloc(128);
	put_pattern(memory, 128, 2);
	word = pinned_alloc(8);
	*word = 0;
	REFUSED(aclrtReduceAsync(memory, (char *)memory + 64, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				 ACL_INT32, NULL, NULL), "reductions");
	REFUSED(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 1), "cores");
	REFUSED(aclrtSetStreamAttribute(new_stream(), ACL_STREAM_ATTR_PRIORITY, &urgent), "priority");
	REFUSED(aclrtStreamAbort(NULL), "aclrtStreamAbort");
	REFUSED(aclrtStreamStop(new_stream()), "aclrtStreamStop");
	REFUSED(aclrtSetStreamFailureMode(new_stream(), ACL_STOP_ON_FAILURE), "ACL_STOP_ON_FAILURE");
	ACL(aclrtSynchronizeDevice());
	CHECK_DEVICE(memory, 128, 2);
	/* none of them is in the way of what follows */
	LAUNCH(op("store"), 1, NULL, U64(word), 9);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(*word, 9);
}

TAP_MAIN(TEST(overflows_are_not_noted),
	 TEST(other_tasks_that_came_later))
