// SPDX-License-Identifier: MIT
/* Results of overflows, and the status in which streams note them. */
#include "../acltest.h"

#define STATUS	sizeof(struct status)
#define N	16

/* Results of aclrtGetOverflowStatus() */
struct status {
	uint32_t bits;
	uint32_t rest[15];
};

static aclrtFuncHandle add;
static uint16_t *dev;
static struct status *out;

static void begin(void)
{
	start();
	ACL(aclrtBinaryGetFunction(load(VADD), "vadd_f16", &add));
	dev = dev_alloc(2 * N);
	out = dev_alloc(STATUS);
}

/* x + x for half-precision numbers; the last one's result */
static uint16_t twice(uint16_t x, aclrtStream stream)
{
	uint16_t in[N], sum[N];

	for (int i = 0; i < N; i++)
		in[i] = x;
	ACL(aclrtMemcpy(dev, sizeof(in), in, sizeof(in), ACL_MEMCPY_HOST_TO_DEVICE));
	LAUNCH(add, 1, stream, U64(dev), U64(dev), U64(dev), N);
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtMemcpy(sum, sizeof(sum), dev, sizeof(sum), ACL_MEMCPY_DEVICE_TO_HOST));
	return sum[N - 1];
}

#define FINITE		0x3c00	/* 1 */
#define LARGE		0x7b53	/* 60000: twice that is infinite */
#define INFINITE	0x7c00
#define GREATEST	0x7bff

static uint32_t bits_of(const struct status *dev_status)
{
	struct status s;

	ACL(aclrtMemcpy(&s, STATUS, dev_status, STATUS, ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < 15; i++)
		CHECK_EQ(s.rest[i], 0);
	return s.bits;
}

static uint32_t status(aclrtStream stream)
{
	ACL(aclrtMemset(out, STATUS, 0xee, STATUS));
	ACL(aclrtGetOverflowStatus(out, STATUS, stream));
	ACL(aclrtSynchronizeStream(stream));
	return bits_of(out);
}

static void loss_scaling(void)
{
	aclrtStream stream;
	float scale = 4;
	int steps = 0;

	begin();
	stream = new_stream();
	ACL(aclrtSetStreamOverflowSwitch(stream, 1));
	/* as a training loop does it: half the scale until a step has no overflow */
	do {
		ACL(aclrtResetOverflowStatus(stream));
		twice(aclFloatToFloat16(scale * 10000), stream);
		steps++;
		scale /= 2;
	} while (status(stream));
	CHECK_EQ(steps, 2); /* 40000, then 20000 */
}

static void the_switch_is_a_streams(void)
{
	aclrtStream on, off;
	uint32_t flag = 9;

	begin();
	on = new_stream();
	off = new_stream();
	ACL(aclrtGetStreamOverflowSwitch(on, &flag));
	CHECK_EQ(flag, 0);
	ACL(aclrtSetStreamOverflowSwitch(on, 1));
	ACL(aclrtGetStreamOverflowSwitch(on, &flag));
	CHECK_EQ(flag, 1);
	ACL(aclrtGetStreamOverflowSwitch(off, &flag));
	CHECK_EQ(flag, 0);
	CHECK_EQ(twice(LARGE, off), INFINITE);
	CHECK_EQ(status(off), 0);
	CHECK_EQ(twice(FINITE, on), 0x4000);
	CHECK_EQ(status(on), 0);
	CHECK_EQ(twice(LARGE, on), INFINITE);
	/* every stream of the process is told, in its order */
	CHECK_EQ(status(off), 1);
	CHECK_EQ(status(NULL), 1);
	CHECK_EQ(status(on), 1);
	/* what was infinite before has not overflowed now */
	ACL(aclrtResetOverflowStatus(off));
	ACL(aclrtSynchronizeStream(off));
	CHECK_EQ(twice(INFINITE, on), INFINITE);
	CHECK_EQ(status(on), 0);
	/* off again: from the next kernel on */
	ACL(aclrtSetStreamOverflowSwitch(on, 0));
	CHECK_EQ(twice(LARGE, on), INFINITE);
	CHECK_EQ(status(on), 0);
	/* the default stream has one, too */
	ACL(aclrtSetStreamOverflowSwitch(NULL, 1));
	twice(LARGE, NULL);
	CHECK_EQ(status(NULL), 1);
}

static void the_attribute_is_the_switch(void)
{
	aclrtStreamAttrValue v = { .overflowSwitch = 1 };
	aclrtStream stream;
	uint32_t flag = 9;

	begin();
	stream = new_stream();
	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &v));
	ACL(aclrtGetStreamOverflowSwitch(stream, &flag));
	CHECK_EQ(flag, 1);
	twice(LARGE, stream);
	CHECK_EQ(status(stream), 1);
	v.overflowSwitch = 0;
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &v));
	CHECK_EQ(v.overflowSwitch, 1);
	ACL(aclrtSetStreamOverflowSwitch(stream, 0));
	ACL(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &v));
	CHECK_EQ(v.overflowSwitch, 0);
}

static void set_tag(aclrtStream stream, uint32_t tag)
{
	aclrtStreamAttrValue v = { .userCustomTag = tag };

	ACL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &v));
}

static void streams_with_a_tag_have_a_status(void)
{
	aclrtStreamAttrValue v = { 0 };
	aclrtStream a, b, other, plain;

	begin();
	a = new_stream();
	b = new_stream();
	other = new_stream();
	plain = new_stream();
	set_tag(a, UINT32_MAX);
	set_tag(b, UINT32_MAX);
	set_tag(other, 7);
	ACL(aclrtSetStreamOverflowSwitch(a, 1));
	ACL(aclrtSetStreamOverflowSwitch(other, 1));
	twice(LARGE, a);
	CHECK_EQ(status(b), 1);
	CHECK_EQ(status(other), 0);
	CHECK_EQ(status(plain), 0);
	twice(LARGE, other);
	ACL(aclrtResetOverflowStatus(b));
	ACL(aclrtSynchronizeStream(b));
	CHECK_EQ(status(a), 0);
	CHECK_EQ(status(other), 1);
	/* without it again */
	set_tag(a, 0);
	twice(LARGE, a);
	CHECK_EQ(status(plain), 1);
	CHECK_EQ(status(b), 0);
	/* there is room for 255 */
	for (uint32_t tag = 1000; tag < 1000 + 253; tag++)
		set_tag(plain, tag);
	v.userCustomTag = 999;
	FAILS(aclrtSetStreamAttribute(plain, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &v),
	      ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "999", "255 tags");
	set_tag(plain, 7);
	CHECK_EQ(status(plain), 1);
}

/* The scalar unit, the vector unit, and what a kernel does with infinities that it was given */
static void kinds_of_overflow(void)
{
	static const float row[4] = { 1, -__builtin_inff(), 2, -__builtin_inff() };
	aclrtFuncHandle softmax;
	float *x;

	begin();
	x = dev_alloc(64);
	ACL(aclrtSetStreamOverflowSwitch(NULL, 1));
	ACL(aclrtBinaryGetFunction(load("build/operators/softmax.o"), "softmax_f32", &softmax));
	ACL(aclrtMemcpy(x, sizeof(row), row, sizeof(row), ACL_MEMCPY_HOST_TO_DEVICE));
	/* a mask of -infinity, as in attention, is no overflow */
	LAUNCH(softmax, 1, NULL, U64(x), U64(x), 1, 4);
	CHECK_EQ(status(NULL), 0);
	LAUNCH(op("divide"), 1, NULL, U64(x), 0x3f800000, 0x40000000);
	CHECK_EQ(status(NULL), 0);
	LAUNCH(op("divide"), 1, NULL, U64(x), 0x3f800000, 0);
	CHECK_EQ(status(NULL), 1);
	LAUNCH(op("divide"), 1, NULL, U64(x), 0, 0);
	CHECK_EQ(status(NULL), 3);
	ACL(aclrtResetOverflowStatus(NULL));
	/* half of the blocks overflow, on other cores */
	LAUNCH(op("divide_in_blocks"), 64, NULL, U64(x));
	CHECK_EQ(status(NULL), 1);
}

/* A task reads what was before it, and not what comes after */
static void in_the_streams_order(void)
{
	struct status *seen;
	uint16_t in[N];
	uint64_t *gate;
	aclrtStream stream;

	begin();
	seen = dev_alloc(3 * STATUS);
	stream = new_stream();
	for (int i = 0; i < N; i++)
		in[i] = LARGE;
	ACL(aclrtMemcpy(dev, sizeof(in), in, sizeof(in), ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtSetStreamOverflowSwitch(stream, 1));
	gate = close_host_gate(stream);
	ACL(aclrtGetOverflowStatus(&seen[0], STATUS, stream));
	LAUNCH(add, 1, stream, U64(dev), U64(dev), U64(dev), N);
	ACL(aclrtGetOverflowStatus(&seen[1], STATUS, stream));
	ACL(aclrtResetOverflowStatus(stream));
	ACL(aclrtGetOverflowStatus(&seen[2], STATUS, stream));
	open_host_gate(gate);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(bits_of(&seen[0]), 0);
	CHECK_EQ(bits_of(&seen[1]), 1);
	CHECK_EQ(bits_of(&seen[2]), 0);
}

static void in_a_graph(void)
{
	uint16_t in[N];
	aclrtStream stream;
	aclmdlRI graph;

	begin();
	stream = new_stream();
	for (int i = 0; i < N; i++)
		in[i] = LARGE;
	ACL(aclrtSetStreamOverflowSwitch(stream, 1));
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	ACL(aclrtResetOverflowStatus(stream));
	LAUNCH(add, 1, stream, U64(dev), U64(dev), U64(dev), N);
	ACL(aclrtGetOverflowStatus(out, STATUS, stream));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	/* what was launched with the switch on stays so */
	ACL(aclrtSetStreamOverflowSwitch(stream, 0));
	ACL(aclrtMemcpy(dev, sizeof(in), in, sizeof(in), ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(bits_of(out), 1);
	/* all is infinite now, and stays so */
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(bits_of(out), 0);
	ACL(aclmdlRIDestroy(graph));
}

/* Through an operator, which may use the address */
static uint32_t bits_at(void *addr)
{
	void *word = dev_alloc(8);
	uint32_t bits;

	LAUNCH(op("load_store"), 1, NULL, U64(word), U64(addr));
	ACL(aclrtSynchronizeStream(NULL));
	bits = (uint32_t)read_u64(word);
	ACL(aclrtFree(word));
	return bits;
}

static void all_names_mean_one_status(void)
{
	void *addr = NULL;

	begin();
	ACL(aclrtSetStreamOverflowSwitch(NULL, 1));
	ACL(aclrtCtxGetFloatOverflowAddr(&addr));
	CHECK(addr != NULL);
	twice(LARGE, NULL);
	CHECK_EQ(bits_at(addr), 1);
	ACL(aclrtGetFloatOverflowStatus(out, STATUS, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(bits_of(out), 1);
	ACL(aclrtResetFloatOverflowStatus(NULL));
	CHECK_EQ(status(NULL), 0);
	twice(LARGE, NULL);
	ACL(aclrtMemset(out, STATUS, 0, STATUS));
	ACL(aclrtNpuGetFloatOverFlowStatus(out, STATUS, 0, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(bits_of(out), 1);
	ACL(aclrtNpuClearFloatOverFlowStatus(0, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(bits_at(addr), 0);
	/* an operator may clear it, too: it has the address */
	twice(LARGE, NULL);
	LAUNCH(op("store"), 1, NULL, U64(addr), 0);
	CHECK_EQ(status(NULL), 0);
}

/* As a program without operators of its own reads it, and one that clears it */
static void the_address_can_be_copied(void)
{
	aclrtPtrAttributes attributes;
	struct status *pinned;
	struct status s;
	char key[65];
	void *addr;

	begin();
	pinned = pinned_alloc(STATUS);
	ACL(aclrtSetStreamOverflowSwitch(NULL, 1));
	ACL(aclrtCtxGetFloatOverflowAddr(&addr));
	twice(LARGE, NULL);
	CHECK_EQ(bits_of(addr), 1);
	ACL(aclrtMemcpyAsync(pinned, STATUS, addr, STATUS, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	ACL(aclrtMemcpyAsync(out, STATUS, addr, STATUS, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	ACL(aclrtMemsetAsync(addr, STATUS, 0, STATUS, NULL));
	CHECK_EQ(status(NULL), 0);
	CHECK_EQ(pinned->bits, 1);
	twice(LARGE, NULL);
	CHECK_EQ(status(NULL), 1);
	memset(&s, 0, sizeof(s));
	ACL(aclrtMemcpy(addr, STATUS, &s, STATUS, ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK_EQ(status(NULL), 0);
	ACL(aclrtPointerGetAttributes(addr, &attributes));
	CHECK_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
	/* and nothing else: what lies behind, and to whom it belongs, is the library's */
	FAILS(aclrtMemcpy(&s, STATUS, (char *)addr + 8, STATUS, ACL_MEMCPY_DEVICE_TO_HOST),
	      ACL_ERROR_RT_PARAM_INVALID, "leaves its allocation");
	FAILS(aclrtMemcpy(&s, 4, (char *)addr + STATUS, 4, ACL_MEMCPY_DEVICE_TO_HOST),
	      ACL_ERROR_RT_PARAM_INVALID);
	FAILS(aclrtFree(addr), ACL_ERROR_RT_PARAM_INVALID, "overflow status");
	FAILS(aclrtIpcMemGetExportKey(addr, STATUS, key, sizeof(key), 0), ACL_ERROR_RT_PARAM_INVALID);
	twice(LARGE, NULL);
	CHECK_EQ(bits_of(addr), 1);
}

static void errors(void)
{
	char host[64];
	int other;

	FAILS(aclrtGetOverflowStatus(host, STATUS, NULL), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtResetOverflowStatus(NULL), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtCtxGetFloatOverflowAddr((void **)host), ACL_ERROR_RT_CONTEXT_NULL);
	begin();
	FAILS(aclrtGetOverflowStatus(NULL, STATUS, NULL), ACL_ERROR_INVALID_PARAM, "outputAddr");
	FAILS(aclrtGetOverflowStatus(out, 512, NULL), ACL_ERROR_RT_PARAM_INVALID, "512", "64");
	FAILS(aclrtGetFloatOverflowStatus(out, 8, NULL), ACL_ERROR_RT_PARAM_INVALID, "8", "64");
	FAILS(aclrtGetFloatOverflowStatus(NULL, STATUS, NULL), ACL_ERROR_INVALID_PARAM, "outputAddr");
	FAILS(aclrtGetOverflowStatus(host, STATUS, NULL), ACL_ERROR_RT_PARAM_INVALID, "outputAddr");
	FAILS(aclrtGetOverflowStatus((char *)dev + 4096 * 4096, STATUS, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "outputAddr");
	FAILS(aclrtGetOverflowStatus(out, STATUS, &other), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtGetFloatOverflowStatus(out, STATUS, &other), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtResetOverflowStatus(&other), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtResetFloatOverflowStatus(&other), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtNpuGetFloatOverFlowStatus(out, STATUS, 1, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
	      "checkMode is 1");
	FAILS(aclrtNpuGetFloatOverFlowStatus(out, 63, 0, NULL), ACL_ERROR_RT_PARAM_INVALID, "63");
	FAILS(aclrtNpuClearFloatOverFlowStatus(2, NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "checkMode is 2");
	FAILS(aclrtNpuClearFloatOverFlowStatus(0, &other), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtCtxGetFloatOverflowAddr(NULL), ACL_ERROR_INVALID_PARAM, "overflowAddr");
	FAILS(aclrtSetStreamOverflowSwitch(NULL, 2), ACL_ERROR_INVALID_PARAM, "flag is 2");
	FAILS(aclrtSetStreamOverflowSwitch(&other, 0), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtGetStreamOverflowSwitch(NULL, NULL), ACL_ERROR_INVALID_PARAM, "flag");
	FAILS(aclrtGetStreamOverflowSwitch(&other, (uint32_t *)host), ACL_ERROR_RT_INVALID_HANDLE);
}

static void results_are_infinite_or_saturate(void)
{
	aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;

	FAILS(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtGetDeviceSatMode(&mode), ACL_ERROR_RT_CONTEXT_NULL);
	begin();
	ACL(aclrtGetDeviceSatMode(&mode));
	CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
	CHECK_EQ(twice(LARGE, NULL), INFINITE);
	ACL(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	ACL(aclrtGetDeviceSatMode(&mode));
	CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
	CHECK_EQ(twice(LARGE, NULL), GREATEST);
	ACL(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
	CHECK_EQ(twice(LARGE, NULL), INFINITE);
	FAILS(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_INVALID_PARAM, "2");
	FAILS(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM, "mode");
}

static void streams_keep_their_mode(void)
{
	aclrtStream before, saturating, after;

	begin();
	before = new_stream();
	ACL(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	saturating = new_stream();
	CHECK_EQ(twice(LARGE, before), INFINITE);
	CHECK_EQ(twice(LARGE, saturating), GREATEST);
	/* NaN becomes 0 */
	CHECK_EQ(twice(0x7e00, saturating), 0);
	ACL(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
	after = new_stream();
	CHECK_EQ(twice(LARGE, saturating), GREATEST);
	CHECK_EQ(twice(LARGE, after), INFINITE);
	/* the results do not tell any more: the status does */
	ACL(aclrtSetStreamOverflowSwitch(saturating, 1));
	CHECK_EQ(twice(LARGE, saturating), GREATEST);
	CHECK_EQ(status(saturating), 1);
}

TAP_MAIN(TEST(loss_scaling),
	 TEST(the_switch_is_a_streams),
	 TEST(the_attribute_is_the_switch),
	 TEST(streams_with_a_tag_have_a_status),
	 TEST(kinds_of_overflow),
	 TEST(in_the_streams_order),
	 TEST(in_a_graph),
	 TEST(all_names_mean_one_status),
	 TEST(the_address_can_be_copied),
	 TEST(errors),
	 TEST(results_are_infinite_or_saturate),
	 TEST(streams_keep_their_mode))
