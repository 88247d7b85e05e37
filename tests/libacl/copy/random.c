// SPDX-License-Identifier: MIT
/* aclrtRandomNumAsync(): the formulas are tested with the device, here what the library makes of them. */
#include <math.h>

#include "../acltest.h"

#define MASK		ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK
#define UNIFORM		ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS
#define NORMAL		ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS
#define TRUNCATED	ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS

enum { N = 100000 };

static void *result, *counter;

static void begin(void)
{
	start();
	result = dev_alloc(8 * N + 64);
	counter = dev_alloc(16);
	ACL(aclrtMemset(counter, 16, 0, 16));
	ACL(aclrtMemset(result, 8 * N + 64, 0xee, 8 * N + 64));
}

static aclrtRandomParaInfo value(const void *bits, uint8_t size)
{
	aclrtRandomParaInfo info;

	memset(&info, 0xa5, sizeof(info)); /* callers leave the rest as it is */
	info.isAddr = 0;
	info.size = size;
	memcpy(info.valueOrAddr, bits, size);
	return info;
}

static aclrtRandomParaInfo at(const void *ptr)
{
	aclrtRandomParaInfo info = value(&ptr, 8);

	info.isAddr = 1;
	return info;
}

static aclrtRandomNumTaskInfo task(aclrtRandomNumFuncType func, aclDataType type, const void *a,
				   const void *b, uint64_t n)
{
	uint8_t size = (uint8_t)aclDataTypeSize(type);
	uint64_t seed = 7;
	aclrtRandomNumTaskInfo info;

	memset(&info, 0x5a, sizeof(info));
	info.dataType = type;
	info.randomNumFuncParaInfo.funcType = func;
	info.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = value(a, size);
	if (b)
		info.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = value(b, size);
	info.randomParaAddr = NULL;
	info.randomResultAddr = result;
	info.randomCounterAddr = counter;
	info.randomSeed = value(&seed, 8);
	info.randomNum = value(&n, 8);
	return info;
}

static void *run(const aclrtRandomNumTaskInfo *info, size_t bytes)
{
	char *host = malloc(bytes + 8);
	uint64_t behind;

	ACL(aclrtRandomNumAsync(info, NULL, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(host, bytes + 8, result, bytes + 8, ACL_MEMCPY_DEVICE_TO_HOST));
	memcpy(&behind, host + bytes, 8);
	CHECK_EQ(behind, 0xeeeeeeeeeeeeeeeeULL);
	return host;
}

static void distributions(void)
{
	static const struct {
		aclrtRandomNumFuncType func;
		double mean, variance, least, most;
	} dists[] = {
		{ UNIFORM, 4, 4.0 / 12, 3, 5 },
		{ NORMAL, 3, 25, -100, 100 },
		{ TRUNCATED, 3, 25 * 0.7737, -7, 13 },
	};

	begin();
	for (size_t d = 0; d < sizeof(dists) / sizeof(dists[0]); d++) {
		float a = 3, b = 5;
		aclrtRandomNumTaskInfo info = task(dists[d].func, ACL_FLOAT, &a, &b, N);
		float *v = run(&info, 4 * N);
		double sum = 0, squares = 0;

		for (int i = 0; i < N; i++) {
			CHECK(v[i] >= dists[d].least && v[i] <= dists[d].most);
			sum += v[i];
			squares += (double)v[i] * v[i];
		}
		sum /= N;
		squares = squares / N - sum * sum;
		CHECK(fabs(sum - dists[d].mean) < 6 * sqrt(dists[d].variance / N));
		CHECK(fabs(squares / dists[d].variance - 1) < 0.03);
		free(v);
	}
}

static void every_type(void)
{
	static const aclDataType floats[] = { ACL_FLOAT, ACL_FLOAT16, ACL_BF16 };
	static const aclDataType ints[] = { ACL_INT32, ACL_INT64, ACL_UINT32, ACL_UINT64 };
	/* 1 and 2 */
	static const uint32_t one[] = { 0x3f800000, 0x3c00, 0x3f80 };
	static const uint32_t two[] = { 0x40000000, 0x4000, 0x4000 };
	int64_t low = 10, high = 20;

	begin();
	for (int t = 0; t < 3; t++) {
		for (int func = UNIFORM; func <= TRUNCATED; func++) {
			aclrtRandomNumTaskInfo info = task((aclrtRandomNumFuncType)func, floats[t],
							   &one[t], &two[t], 1000);
			size_t size = aclDataTypeSize(floats[t]);
			unsigned char *v = run(&info, 1000 * size);
			unsigned int differ = 0;

			for (size_t i = 0; i < 1000; i++) {
				uint32_t bits = 0;

				memcpy(&bits, v + i * size, size);
				differ += memcmp(v, v + i * size, size) != 0;
				if (func == UNIFORM)
					CHECK(bits >= one[t] && bits < two[t]);
			}
			CHECK_OP(differ, >, 900);
			ACL(aclrtMemset(result, 8008, 0xee, 8008));
			free(v);
		}
	}
	for (int t = 0; t < 4; t++) {
		aclrtRandomNumTaskInfo info = task(UNIFORM, ints[t], &low, &high, 1000);
		size_t size = aclDataTypeSize(ints[t]);
		unsigned char *v = run(&info, 1000 * size);
		unsigned int seen = 0;

		for (size_t i = 0; i < 1000; i++) {
			uint64_t n = 0;

			memcpy(&n, v + i * size, size);
			CHECK(n >= 10 && n < 20);
			seen |= 1U << n;
		}
		CHECK_EQ(seen, 0xffc00);
		ACL(aclrtMemset(result, 8008, 0xee, 8008));
		free(v);
	}
}

static void masks(void)
{
	float ratio = 0.4f;
	unsigned int kept = 0;
	aclrtRandomNumTaskInfo info;
	unsigned char *v;

	begin();
	info = task(MASK, ACL_FLOAT, &ratio, NULL, N);
	v = run(&info, N / 8);
	for (int i = 0; i < N / 8; i++)
		kept += (unsigned int)__builtin_popcount(v[i]);
	CHECK(fabs(kept / (double)N - 0.6) < 0.01);
	free(v);
}

/* Numbers that fit exactly are written to the last bit, and one more is refused. */
static void results_that_just_fit(void)
{
	enum { SIZE = 4 << 20, LEFT = 64 };
	float ratio = 0.5f, low = 1, high = 2;
	aclrtRandomNumTaskInfo info;
	uint64_t word;
	size_t most;
	void *base;
	char *all;

	begin();
	all = dev_alloc(SIZE);
	ACL(aclrtMemGetAddressRange(all, &base, &most));
	CHECK(base == all && most >= SIZE);
	for (unsigned int more = 0; more < 2; more++) {
		info = task(MASK, ACL_FLOAT, &ratio, NULL, 8 * LEFT + more);
		info.randomResultAddr = all + most - LEFT;
		if (more)
			FAILS(aclrtRandomNumAsync(&info, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "randomResultAddr");
		else
			ACL(aclrtRandomNumAsync(&info, NULL, NULL));
		info = task(UNIFORM, ACL_FLOAT, &low, &high, LEFT / 4 + more);
		info.randomResultAddr = all + most - LEFT;
		if (more)
			FAILS(aclrtRandomNumAsync(&info, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "randomResultAddr");
		else
			ACL(aclrtRandomNumAsync(&info, NULL, NULL));
		ACL(aclrtSynchronizeStream(NULL));
	}
	ACL(aclrtMemcpy(&word, 8, all + most - 8, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK(word >> 32 >= 0x3f800000 && word >> 32 <= 0x40000000);
	/* a number of bits that is no multiple of 8 takes the byte that it begins */
	info = task(MASK, ACL_FLOAT, &ratio, NULL, 8 * LEFT - 7);
	info.randomResultAddr = all + most - LEFT;
	ACL(aclrtRandomNumAsync(&info, NULL, NULL));
	info.randomResultAddr = all + most - LEFT + 1;
	FAILS(aclrtRandomNumAsync(&info, NULL, NULL), ACL_ERROR_RT_PARAM_INVALID, "randomResultAddr");
	ACL(aclrtSynchronizeStream(NULL));
}

/* The same for the same seed and counter; a counter further is the same numbers further */
static void numbers_come_again(void)
{
	int32_t a = -1000000, b = 1000000, *first, *again, *further, *other;
	uint64_t seed = 8, count[2] = { 0, 0 }, after[2];
	aclrtRandomNumTaskInfo info;

	begin();
	info = task(UNIFORM, ACL_INT32, &a, &b, N);
	first = run(&info, 4 * N);
	again = run(&info, 4 * N);
	CHECK(!memcmp(first, again, 4 * N));
	ACL(aclrtMemcpy(after, 16, counter, 16, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK(!after[0] && !after[1]);
	count[0] = 25;
	ACL(aclrtMemcpy(counter, 16, count, 16, ACL_MEMCPY_HOST_TO_DEVICE));
	further = run(&info, 4 * N);
	CHECK(!memcmp(first + 100, further, 4 * (N - 100)));
	info.randomSeed = value(&seed, 8);
	other = run(&info, 4 * N);
	CHECK(memcmp(further, other, 4 * N) != 0);
	free(first);
	free(again);
	free(further);
	free(other);
}

/* All of them are read when the task runs, behind what the stream does before */
static void parameters_in_memory(void)
{
	uint64_t *there, *gate, n = N / 2, seed = 7;
	aclrtRandomNumTaskInfo info;
	float a = -1, b = 1, *v, *same;
	char *values;

	begin();
	values = pinned_alloc(64);
	there = dev_alloc(64);
	gate = dev_alloc(8);
	write_u64(gate, 0);
	info = task(NORMAL, ACL_FLOAT, &a, &b, n);
	v = run(&info, 4 * n);
	ACL(aclrtMemset(result, 4 * N, 0xee, 4 * N));
	info.randomNumFuncParaInfo.paramInfo.normalDisInfo.mean = at(values + 1);
	info.randomNumFuncParaInfo.paramInfo.normalDisInfo.stddev = at(values + 5);
	info.randomSeed = at(values + 9);
	info.randomNum = at(there);
	ACL(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL));
	LAUNCH(op("store"), 1, NULL, U64(there), n);
	ACL(aclrtRandomNumAsync(&info, NULL, NULL));
	memset(&info, 0, sizeof(info));
	memcpy(values + 1, &a, 4);
	memcpy(values + 5, &b, 4);
	memcpy(values + 9, &seed, 8);
	write_u64(gate, 1);
	ACL(aclrtSynchronizeStream(NULL));
	same = malloc(4 * N);
	ACL(aclrtMemcpy(same, 4 * N, result, 4 * N, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK(!memcmp(v, same, 4 * n));
	CHECK(!memcmp(&same[n], "\xee\xee\xee\xee", 4));
	free(v);
	free(same);
}

static void in_a_graph(void)
{
	uint32_t a = 0, b = 1000, *v, *again;
	aclrtRandomNumTaskInfo info;
	aclrtStream stream;
	aclmdlRI graph;

	begin();
	stream = new_stream();
	info = task(UNIFORM, ACL_UINT32, &a, &b, 1000);
	v = run(&info, 4000);
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	ACL(aclrtRandomNumAsync(&info, stream, NULL));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	ACL(aclrtMemset(result, 4000, 0, 4000));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	again = malloc(4000);
	ACL(aclrtMemcpy(again, 4000, result, 4000, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK(!memcmp(v, again, 4000));
	ACL(aclmdlRIDestroy(graph));
	free(v);
	free(again);
}

#define REFUSED(field, bad, code, ...) \
	do { \
		aclrtRandomNumTaskInfo t_ = good; \
		t_.field = bad; \
		FAILS(aclrtRandomNumAsync(&t_, NULL, NULL), code, __VA_ARGS__); \
	} while (0)

static void bad_arguments(void)
{
	float a = 1, b = 2;
	aclrtRandomNumTaskInfo good;
	aclrtRandomParaInfo para;
	uint64_t huge = 1ULL << 62, n = 3 * N;
	aclrtStream gone;
	void *pageable = malloc(64);

	begin();
	gone = new_stream();
	ACL(aclrtDestroyStream(gone));
	good = task(UNIFORM, ACL_FLOAT, &a, &b, 10);
	FAILS(aclrtRandomNumAsync(NULL, NULL, NULL), ACL_ERROR_INVALID_PARAM, "taskInfo");
	FAILS(aclrtRandomNumAsync(&good, NULL, &good), ACL_ERROR_INVALID_PARAM, "reserve");
	FAILS(aclrtRandomNumAsync(&good, gone, NULL), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	REFUSED(dataType, ACL_INT8, ACL_ERROR_INVALID_PARAM, "dataType is 2");
	REFUSED(randomNumFuncParaInfo.funcType, (aclrtRandomNumFuncType)4, ACL_ERROR_INVALID_PARAM,
		"funcType is 4");
	REFUSED(randomParaAddr, result, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "randomParaAddr");
	REFUSED(randomResultAddr, NULL, ACL_ERROR_INVALID_PARAM, "randomResultAddr");
	REFUSED(randomCounterAddr, NULL, ACL_ERROR_INVALID_PARAM, "randomCounterAddr");
	REFUSED(randomResultAddr, (char *)result + 2, ACL_ERROR_RT_ADDR_UNALIGNED, "4 bytes");
	REFUSED(randomResultAddr, pageable, ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost");
	REFUSED(randomCounterAddr, pageable, ACL_ERROR_RT_PARAM_INVALID, "randomCounterAddr");
	REFUSED(randomCounterAddr, (char *)counter + 60, ACL_ERROR_RT_PARAM_INVALID,
		"randomCounterAddr");
	REFUSED(randomNum, value(&huge, 8), ACL_ERROR_RT_PARAM_INVALID, "randomNum");
	REFUSED(randomNum, value(&n, 8), ACL_ERROR_RT_PARAM_INVALID, "randomResultAddr");
	REFUSED(randomNum, value(&n, 4), ACL_ERROR_RT_PARAM_INVALID, "randomNum.size is 4");
	REFUSED(randomSeed, at(NULL), ACL_ERROR_INVALID_PARAM, "NULL");
	REFUSED(randomSeed, at(pageable), ACL_ERROR_RT_PARAM_INVALID, "randomSeed");
	para = value(&a, 2);
	REFUSED(randomNumFuncParaInfo.paramInfo.uniformDisInfo.max, para,
		ACL_ERROR_RT_PARAM_INVALID, "max.size is 2 and must be 4");
	para.isAddr = 2;
	REFUSED(randomNumFuncParaInfo.paramInfo.uniformDisInfo.min, para, ACL_ERROR_INVALID_PARAM,
		"isAddr");
	good.dataType = ACL_INT32;
	REFUSED(randomNumFuncParaInfo.funcType, NORMAL, ACL_ERROR_RT_PARAM_INVALID,
		"only uniform numbers are integers");
	/* what only the device sees */
	good = task(UNIFORM, ACL_FLOAT, &b, &a, 10);
	ACL(aclrtRandomNumAsync(&good, NULL, NULL));
	FAILS(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_TS_ERROR, "random numbers",
	      "greater than the maximum");
	free(pageable);
}

static void without_a_context(void)
{
	float a = 1;
	aclrtRandomNumTaskInfo info;

	ACL(aclInit(NULL));
	result = counter = &a;
	info = task(UNIFORM, ACL_FLOAT, &a, &a, 1);
	FAILS(aclrtRandomNumAsync(&info, NULL, NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

TAP_MAIN(TEST(distributions),
	 TEST(every_type),
	 TEST(masks), TEST(results_that_just_fit),
	 TEST(numbers_come_again),
	 TEST(parameters_in_memory),
	 TEST(in_a_graph),
	 TEST(bad_arguments),
	 TEST(without_a_context))
