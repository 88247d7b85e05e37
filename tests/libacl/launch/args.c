// SPDX-License-Identifier: MIT
/* Argument lists: aclrtKernelArgs*, aclrtLaunchKernelWithConfig, aclrtLaunchKernelWithArgsArray. */
#include "../acltest.h"

static aclrtParamHandle append(aclrtArgsHandle args, uint64_t value)
{
	aclrtParamHandle param = NULL;

	ACL(aclrtKernelArgsAppend(args, &value, sizeof(value), &param));
	return param;
}

static aclrtArgsHandle list_for(const char *name)
{
	aclrtArgsHandle args = NULL;

	ACL(aclrtKernelArgsInit(op(name), &args));
	CHECK(args);
	return args;
}

static void append_finalize_launch(void)
{
	aclrtArgsHandle args;
	uint64_t *word;

	start();
	word = dev_alloc(8);
	args = list_for("store");
	append(args, U64(word));
	append(args, 0x4242);
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, args, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 0x4242);
}

static void a_list_can_be_changed_after_the_launch(void)
{
	aclrtArgsHandle args;
	aclrtParamHandle where, what;
	uint64_t *words;

	start();
	words = dev_alloc(8 * 50);
	LAUNCH(op("spin_then_store"), 1, NULL, 200000, U64(words), 0);
	args = list_for("store");
	where = append(args, 0);
	what = append(args, 0);
	for (uint64_t i = 0; i < 50; i++) {
		uint64_t at = U64(&words[i]), value = i * 3;

		ACL(aclrtKernelArgsParaUpdate(args, where, &at, 8));
		ACL(aclrtKernelArgsParaUpdate(args, what, &value, 8));
		ACL(aclrtKernelArgsFinalize(args));
		ACL(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, args, NULL));
	}
	ACL(aclrtSynchronizeStream(NULL));
	for (uint64_t i = 0; i < 50; i++)
		CHECK_EQ(read_u64(&words[i]), i * 3);
}

static void placeholders(void)
{
	aclrtArgsHandle args;
	aclrtParamHandle data;
	uint64_t *word, *buffer, sum = 0;

	start();
	word = dev_alloc(8);
	args = list_for("sum_behind");
	append(args, U64(word));
	ACL(aclrtKernelArgsAppendPlaceHolder(args, &data));
	append(args, 40);
	ACL(aclrtKernelArgsGetPlaceHolderBuffer(args, data, 40 * 8, (void **)&buffer));
	for (uint64_t i = 0; i < 40; i++)
		sum += buffer[i] = i * 77;
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("sum_behind"), 1, NULL, NULL, args, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), sum);
}

static void values_start_at_multiples_of_8(void)
{
	int8_t a = -5;
	uint16_t b = 65535;
	float c = 1.5f;
	double d = -2.25;
	aclrtParamHandle param;
	aclrtArgsHandle args;
	uint64_t *out;

	start();
	out = dev_alloc(32);
	args = list_for("narrow_params");
	append(args, U64(out));
	ACL(aclrtKernelArgsAppend(args, &a, sizeof(a), &param));
	ACL(aclrtKernelArgsAppend(args, &b, sizeof(b), &param));
	ACL(aclrtKernelArgsAppend(args, &c, sizeof(c), &param));
	ACL(aclrtKernelArgsAppend(args, &d, sizeof(d), &param));
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("narrow_params"), 1, NULL, NULL, args, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(&out[0]), -5);
	CHECK_EQ(read_u64(&out[1]), 65535);
	CHECK_EQ(read_u64(&out[2]), 3);
	CHECK_EQ(read_u64(&out[3]), -9);
}

static void the_order_of_calls_is_checked(void)
{
	aclrtParamHandle param, data;
	aclrtArgsHandle args;
	uint64_t value = 1;
	void *buffer;

	start();
	args = list_for("sum_behind");
	param = append(args, 1);
	ACL(aclrtKernelArgsAppendPlaceHolder(args, &data));
	FAILS(aclrtKernelArgsGetPlaceHolderBuffer(args, param, 8, &buffer),
	      ACL_ERROR_RT_PARAM_INVALID, "placeholder");
	ACL(aclrtKernelArgsGetPlaceHolderBuffer(args, data, 8, &buffer));
	FAILS(aclrtKernelArgsAppend(args, &value, 8, &param), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	FAILS(aclrtKernelArgsAppendPlaceHolder(args, &data), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	CHECK(aclrtLaunchKernelWithConfig(op("sum_behind"), 1, NULL, NULL, args, NULL) !=
	      ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "aclrtKernelArgsFinalize", NULL);
	ACL(aclrtKernelArgsFinalize(args));
	FAILS(aclrtKernelArgsAppend(args, &value, 8, &param), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
	FAILS(aclrtKernelArgsGetPlaceHolderBuffer(args, data, 8, &buffer),
	      ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void an_update_needs_the_same_size_and_a_new_finalize(void)
{
	aclrtParamHandle param, data;
	aclrtArgsHandle args;
	uint64_t value = 1, *word;

	start();
	word = dev_alloc(8);
	args = list_for("store");
	param = append(args, U64(word));
	data = append(args, 1);
	ACL(aclrtKernelArgsFinalize(args));
	CHECK(aclrtKernelArgsParaUpdate(args, param, &value, 4) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "4", "8", NULL);
	value = 5;
	ACL(aclrtKernelArgsParaUpdate(args, data, &value, 8));
	CHECK(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, args, NULL) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "aclrtKernelArgsFinalize", NULL);
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, args, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 5);
}

static void at_most_128_parameters(void)
{
	aclrtParamHandle param;
	aclrtArgsHandle args;
	uint64_t value = 1, *out;

	start();
	out = dev_alloc(8);
	args = list_for("sum_slots");
	append(args, U64(out));
	for (uint64_t i = 1; i < 128; i++)
		append(args, i);
	FAILS(aclrtKernelArgsAppend(args, &value, 8, &param), ACL_ERROR_RT_PARAM_INVALID, "128");
	ACL(aclrtKernelArgsFinalize(args));
	ACL(aclrtLaunchKernelWithConfig(op("sum_slots"), 1, NULL, NULL, args, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), 127 * 128 / 2);
}

static void bad_arguments(void)
{
	aclrtParamHandle param;
	aclrtArgsHandle args;
	uint64_t value = 1;

	start();
	args = list_for("store");
	FAILS(aclrtKernelArgsInit(NULL, &args), ACL_ERROR_INVALID_PARAM, "funcHandle");
	FAILS(aclrtKernelArgsInit(op("store"), NULL), ACL_ERROR_INVALID_PARAM, "argsHandle");
	FAILS(aclrtKernelArgsAppend(args, NULL, 8, &param), ACL_ERROR_INVALID_PARAM, "param");
	FAILS(aclrtKernelArgsAppend(args, &value, 0, &param), ACL_ERROR_INVALID_PARAM, "paramSize");
	FAILS(aclrtKernelArgsAppend(NULL, &value, 8, &param), ACL_ERROR_INVALID_PARAM, "argsHandle");
	FAILS(aclrtKernelArgsFinalize(NULL), ACL_ERROR_INVALID_PARAM, "argsHandle");
	append(args, 1);
	append(args, 1);
	ACL(aclrtKernelArgsFinalize(args));
	FAILS(aclrtLaunchKernelWithConfig(op("store"), 0, NULL, NULL, args, NULL),
	      ACL_ERROR_INVALID_PARAM, "numBlocks");
	FAILS(aclrtLaunchKernelWithConfig(op("store"), 0x80000000, NULL, NULL, args, NULL),
	      ACL_ERROR_RT_PARAM_INVALID, "2147483648");
	CHECK(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, args, &value) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "reserve", NULL);
}

static void lists_in_the_callers_memory(void)
{
	size_t handle_size = 0, args_size = 0;
	aclrtArgsHandle a, b;
	uint64_t *words;
	void *mem_a, *mem_b;

	start();
	words = dev_alloc(16);
	ACL(aclrtKernelArgsGetHandleMemSize(op("store"), &handle_size));
	ACL(aclrtKernelArgsGetMemSize(op("store"), 16, &args_size));
	CHECK(handle_size > 0 && args_size >= 16);
	a = malloc(handle_size);
	b = malloc(handle_size);
	mem_a = malloc(args_size);
	mem_b = malloc(args_size);
	/* Two at a time, which the thread's own list cannot */
	ACL(aclrtKernelArgsInitByUserMem(op("store"), a, mem_a, args_size));
	ACL(aclrtKernelArgsInitByUserMem(op("store"), b, mem_b, args_size));
	append(a, U64(&words[0]));
	append(b, U64(&words[1]));
	append(a, 1);
	append(b, 2);
	ACL(aclrtKernelArgsFinalize(a));
	ACL(aclrtKernelArgsFinalize(b));
	ACL(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, a, NULL));
	ACL(aclrtLaunchKernelWithConfig(op("store"), 1, NULL, NULL, b, NULL));
	memset(mem_a, 0xff, args_size);
	memset(mem_b, 0xff, args_size);
	free(mem_a);
	free(mem_b);
	free(a);
	free(b);
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(&words[0]), 1);
	CHECK_EQ(read_u64(&words[1]), 2);
}

/* The same order of calls serves a kernel that has no parameters */
static void a_list_without_parameters(void)
{
	size_t handle_size = 0, args_size = 0;
	aclrtArgsHandle list;
	void *mem;

	start();
	ACL(aclrtKernelArgsGetHandleMemSize(op("nothing"), &handle_size));
	ACL(aclrtKernelArgsGetMemSize(op("nothing"), 0, &args_size));
	CHECK_OP(args_size, >, 0);
	list = malloc(handle_size);
	mem = malloc(args_size);
	ACL(aclrtKernelArgsInitByUserMem(op("nothing"), list, mem, args_size));
	ACL(aclrtKernelArgsFinalize(list));
	ACL(aclrtLaunchKernelWithConfig(op("nothing"), 1, NULL, NULL, list, NULL));
	free(mem);
	free(list);
	ACL(aclrtSynchronizeStream(NULL));
}

static void an_array_of_pointers_to_values(void)
{
	int8_t a = -5;
	uint16_t b = 65535;
	float c = 1.5f;
	double d = -2.25;
	uint64_t *out;
	void *args[5];

	start();
	out = dev_alloc(32);
	args[0] = &out;
	args[1] = &a;
	args[2] = &b;
	args[3] = &c;
	args[4] = &d;
	ACL(aclrtLaunchKernelWithArgsArray(op("narrow_params"), 1, NULL, NULL, args));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(&out[0]), -5);
	CHECK_EQ(read_u64(&out[1]), 65535);
	CHECK_EQ(read_u64(&out[2]), 3);
	CHECK_EQ(read_u64(&out[3]), -9);
	FAILS(aclrtLaunchKernelWithArgsArray(op("narrow_params"), 0, NULL, NULL, args),
	      ACL_ERROR_INVALID_PARAM, "numBlocks");
}

static void a_grid_in_three_axes(void)
{
	const dim3 one = { 1, 1, 1 }, none = { 1, 0, 1 };
	struct { uint64_t *out, value; } block = { NULL, 8 };
	uint64_t *out, value = 7;
	void *args[2] = { &out, &value };

	start();
	out = dev_alloc(8);
	ACL(aclrtLaunchSIMTKernelWithArgsArray(op("store"), one, one, 0, NULL, NULL, args));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), 7);
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op("store"), none, one, 0, NULL, NULL, args),
		 ACL_ERROR_INVALID_PARAM);
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op("store"), one, none, 0, NULL, NULL, args),
		 ACL_ERROR_INVALID_PARAM);
	FAILS(aclrtLaunchSIMTKernelWithArgsArray(op("store"), one, one, 1 << 30, NULL, NULL, args),
	      ACL_ERROR_RT_PARAM_INVALID, "dynUbufSize");
	block.out = out;
	ACL(aclrtLaunchSIMTKernelWithHostArgs(op("store"), one, one, 0, NULL, NULL, &block, sizeof(block), NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(out), 8);
	FAILS(aclrtLaunchSIMTKernelWithHostArgs(op("store"), one, one, 0, NULL, NULL, &block, 8, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "argsSize is 8");
}

static void questions_about_functions(void)
{
	size_t n = 0, offset = 0, size = 0;
	char name[64];
	aclrtBinHandle bin = NULL, found = NULL;
	aclrtFuncHandle func;

	start();
	bin = load(OPS);
	ACL(aclrtBinaryGetFunction(bin, "narrow_params", &func));
	ACL(aclrtGetFunctionName(func, sizeof(name), name));
	CHECK(!strcmp(name, "narrow_params"));
	ACL(aclrtFunctionGetBinary(func, &found));
	CHECK(found == bin);
	ACL(aclrtFunctionGetParamCount(func, &n));
	CHECK_EQ(n, 5);
	ACL(aclrtFunctionGetParamInfo(func, 2, &offset, &size));
	CHECK_EQ(offset, 16);
	CHECK_EQ(size, 2);
	CHECK(aclrtFunctionGetParamInfo(func, 5, &offset, &size) != ACL_SUCCESS);
	check_facts(aclGetRecentErrMsg(), "5", NULL);
	CHECK(aclrtGetFunctionName(func, 3, name) != ACL_SUCCESS || strlen(name) < 3);
	/* the name and the zero behind it fit, or nothing is written */
	memset(name, '?', sizeof(name));
	FAILS(aclrtGetFunctionName(func, 13, name), ACL_ERROR_RT_PARAM_INVALID, "needs 14 bytes");
	CHECK_EQ(name[0], '?');
	ACL(aclrtGetFunctionName(func, 14, name));
	CHECK(!strcmp(name, "narrow_params") && name[14] == '?');
}

TAP_MAIN(TEST(append_finalize_launch),
	 TEST(a_list_can_be_changed_after_the_launch),
	 TEST(placeholders),
	 TEST(values_start_at_multiples_of_8),
	 TEST(the_order_of_calls_is_checked),
	 TEST(an_update_needs_the_same_size_and_a_new_finalize),
	 TEST(at_most_128_parameters),
	 TEST(bad_arguments),
	 TEST(lists_in_the_callers_memory),
	 TEST(a_list_without_parameters),
	 TEST(an_array_of_pointers_to_values),
	 TEST(a_grid_in_three_axes),
	 TEST(questions_about_functions))
