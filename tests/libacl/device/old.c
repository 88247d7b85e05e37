// SPDX-License-Identifier: MIT
/*
 * A device that has only the first version's packets (x-hide-caps): calls that need more
 * say so with 207000 and leave what they were given alone, and everything else works.
 */
#include "../acltest.h"

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

/* Conditions and labels of graphs are jumps. A recording is void when it has been refused one. */
static void jumps_of_graphs(void)
{
	aclmdlRICondTaskParams params;
	aclmdlRICondHandle cond;
	aclrtLabelList labels;
	aclmdlRI graph, body;
	aclrtStream s, bound;
	aclrtLabel label;

	begin();
	s = new_stream();
	ACL(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	ACL(aclmdlRICaptureGetInfo(s, &(aclmdlRICaptureStatus){ 0 }, &graph));
	ACL(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &cond));
	params = (aclmdlRICondTaskParams){ cond, ACL_MODEL_RI_COND_TYPE_IF, 1, &body };
	REFUSED(aclmdlRIAddCondTask(params, s, 0), "jumps");
	ACL(aclmdlRICaptureEnd(s, &graph));
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtCreateStreamWithConfig(&bound, 2, ACL_STREAM_PERSISTENT));
	ACL(aclrtCreateLabel(&label));
	ACL(aclrtCreateLabelList(&label, 1, &labels));
	ACL(aclmdlRIBuildBegin(&graph, 0));
	ACL(aclmdlRIBindStream(graph, bound, ACL_MODEL_STREAM_FLAG_HEAD));
	ACL(aclrtSwitchLabelByIndex(dev_alloc(64), 1, labels, bound));
	ACL(aclrtSetLabel(label, bound));
	ACL(aclmdlRIEndTask(graph, bound));
	REFUSED(aclmdlRIBuildEnd(graph, NULL), "jumps");
}

static void random_numbers(void)
{
	aclrtRandomNumTaskInfo task = { .dataType = ACL_FLOAT };
	float bounds[] = { 0, 1 };
	uint64_t seed = 1, n = 16;

	begin();
	task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
	task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min.size = 4;
	task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.size = 4;
	memcpy(task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.valueOrAddr, &bounds[1], 4);
	task.randomResultAddr = dev_alloc(64);
	task.randomCounterAddr = dev_alloc(16);
	task.randomSeed.size = task.randomNum.size = 8;
	memcpy(task.randomSeed.valueOrAddr, &seed, 8);
	memcpy(task.randomNum.valueOrAddr, &n, 8);
	REFUSED(aclrtRandomNumAsync(&task, NULL, NULL), "random");
}

TAP_MAIN(TEST(overflows_are_not_noted), TEST(jumps_of_graphs), TEST(random_numbers),
	 TEST(other_tasks_that_came_later))
