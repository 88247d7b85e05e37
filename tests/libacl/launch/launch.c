// SPDX-License-Identifier: MIT
/* aclrtLaunchKernel, and that operators compute what they should. */
#include "../acltest.h"

struct vadd_args {
	void *a, *b, *c;
	uint64_t n;
};

static aclrtFuncHandle vadd(const char *name)
{
	aclrtFuncHandle func;

	ACL(aclrtBinaryGetFunction(load(VADD), name, &func));
	return func;
}

static void run_vadd(aclrtFuncHandle func, uint32_t blocks, struct vadd_args *args)
{
	ACL(aclrtLaunchKernelWithHostArgs(func, blocks, NULL, NULL, args, sizeof(*args), NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
}

static void vadd_f32_any_size_and_any_number_of_blocks(void)
{
	static const uint32_t sizes[] = { 1, 2, 7, 8, 9, 31, 64, 1000, 4096, 65537 };
	static const uint32_t blocks[] = { 1, 2, 3, 8, 17, 64 };
	enum { MAX = 65537 };
	float *a = host_alloc(4 * MAX), *b = host_alloc(4 * MAX), *c = host_alloc(4 * MAX + 64);
	struct vadd_args args;
	aclrtFuncHandle func;

	start();
	func = vadd("vadd_f32");
	args.a = dev_alloc(4 * MAX);
	args.b = dev_alloc(4 * MAX);
	args.c = dev_alloc(4 * MAX + 64);
	for (int i = 0; i < MAX; i++) {
		a[i] = (float)i * 0.37f - 1000;
		b[i] = (float)(i % 977) * -1.01f;
	}
	ACL(aclrtMemcpy(args.a, 4 * MAX, a, 4 * MAX, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(args.b, 4 * MAX, b, 4 * MAX, ACL_MEMCPY_HOST_TO_DEVICE));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
			size_t bytes = 4 * (size_t)sizes[i];
			const uint8_t *behind = (const uint8_t *)(c + sizes[i]);

			args.n = sizes[i];
			ACL(aclrtMemset(args.c, bytes + 64, 0xee, bytes + 64));
			run_vadd(func, blocks[k], &args);
			ACL(aclrtMemcpy(c, bytes + 64, args.c, bytes + 64,
					ACL_MEMCPY_DEVICE_TO_HOST));
			for (uint32_t e = 0; e < sizes[i]; e++)
				if (c[e] != a[e] + b[e])
					FAIL("n %u, %u blocks: c[%u] is %a, not %a", sizes[i],
					     blocks[k], e, c[e], a[e] + b[e]);
			for (int e = 0; e < 64; e++)
				if (behind[e] != 0xee)
					FAIL("n %u, %u blocks: byte %d behind the result was written",
					     sizes[i], blocks[k], e);
		}
	}
}

static void vadd_f16_of_2m_elements(void)
{
	enum { N = 2 << 20 };
	_Float16 *a = host_alloc(2 * N), *b = host_alloc(2 * N), *c = host_alloc(2 * N);
	struct vadd_args args = { .n = N };
	uint64_t random = 16;

	start();
	args.a = dev_alloc(2 * N);
	args.b = dev_alloc(2 * N);
	args.c = dev_alloc(2 * N);
	for (int i = 0; i < N; i++) {
		a[i] = (_Float16)((float)(int)(next_random(&random) % 200001) / 100 - 1000);
		b[i] = (_Float16)((float)(int)(next_random(&random) % 200001) / 3000 - 33);
	}
	ACL(aclrtMemcpy(args.a, 2 * N, a, 2 * N, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(args.b, 2 * N, b, 2 * N, ACL_MEMCPY_HOST_TO_DEVICE));
	run_vadd(vadd("vadd_f16"), 8, &args);
	ACL(aclrtMemcpy(c, 2 * N, args.c, 2 * N, ACL_MEMCPY_DEVICE_TO_HOST));
	for (int i = 0; i < N; i++) {
		/* Exact in fp32, so rounded once */
		_Float16 want = (_Float16)((float)a[i] + (float)b[i]);

		if (memcmp(&c[i], &want, 2))
			FAIL("c[%d] is %g, not %g = %g + %g", i, (float)c[i], (float)want,
			     (float)a[i], (float)b[i]);
	}
}

static void arguments_in_device_memory(void)
{
	uint64_t args[2], *word, *dev;

	start();
	word = dev_alloc(8);
	dev = dev_alloc(16);
	args[0] = U64(word);
	args[1] = 0xabcdef;
	ACL(aclrtMemcpy(dev, 16, args, 16, ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtLaunchKernel(op("store"), 1, dev, 16, NULL));
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(word), 0xabcdef);
}

static void host_pointers_as_args_data_are_107000(void)
{
	uint64_t args[2], *dev;
	void *heap = host_alloc(16);

	start();
	dev = dev_alloc(8);
	args[0] = U64(dev);
	args[1] = 1;
	write_u64(dev, 7);
	FAILS(aclrtLaunchKernel(op("store"), 1, args, 16, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "argsData", "host", "aclrtLaunchKernelWithHostArgs");
	FAILS(aclrtLaunchKernel(op("store"), 1, heap, 16, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "argsData", "host");
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(dev), 7);
}

static void args_data_must_be_live_device_memory(void)
{
	char *dev, *freed;

	start();
	dev = dev_alloc(64);
	freed = dev_alloc(4 << 20);
	ACL(aclrtFree(freed));
	FAILS(aclrtLaunchKernel(op("store"), 1, NULL, 16, NULL), ACL_ERROR_INVALID_PARAM, "argsData",
	      "NULL");
	FAILS(aclrtLaunchKernel(op("store"), 1, freed, 16, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "argsData", "free");
	FAILS(aclrtLaunchKernel(op("store"), 1, dev, 4096, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "argsData", "4096");
}

static void no_blocks_is_100000(void)
{
	uint64_t args[2] = { 0, 0 };
	void *dev;

	start();
	dev = dev_alloc(64);
	FAILS(aclrtLaunchKernel(op("store"), 0, dev, 16, NULL), ACL_ERROR_INVALID_PARAM, "numBlocks",
	      "0");
	FAILS(aclrtLaunchKernelWithHostArgs(op("store"), 0, NULL, NULL, args, 16, NULL, 0),
	      ACL_ERROR_INVALID_PARAM, "numBlocks", "0");
}

static void too_many_blocks_are_107000(void)
{
	uint64_t args[1];
	void *dev;

	start();
	dev = dev_alloc(64);
	args[0] = U64(dev);
	FAILS(aclrtLaunchKernel(op("increment"), 1u << 31, dev, 8, NULL), ACL_ERROR_RT_PARAM_INVALID,
	      "2147483648", "2147483647");
	FAILS(aclrtLaunchKernelWithHostArgs(op("increment"), UINT32_MAX, NULL, NULL, args, 8, NULL,
					    0), ACL_ERROR_RT_PARAM_INVALID, "4294967295", "2147483647");
}

static void as_many_blocks_as_the_limit_run_once_each(void)
{
	enum { N = 65535 };
	uint32_t *out, *host = host_alloc(4 * N);
	uint64_t *count;

	start();
	out = dev_alloc(4 * N);
	count = dev_alloc(8);
	ACL(aclrtMemset(out, 4 * N, 0, 4 * N));
	LAUNCH(op("block_numbers"), N, NULL, U64(out));
	LAUNCH(op("block_count"), N, NULL, U64(count));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(host, 4 * N, out, 4 * N, ACL_MEMCPY_DEVICE_TO_HOST));
	for (uint32_t i = 0; i < N; i++)
		CHECK_EQ(host[i], i + 1);
	CHECK_EQ(read_u64(count), N);
}

static void bad_functions_are_refused(void)
{
	aclError err;
	void *dev;
	int local = 0;

	start();
	dev = dev_alloc(64);
	FAILS(aclrtLaunchKernel(&local, 1, dev, 16, NULL), ACL_ERROR_RT_INVALID_HANDLE, "func");
	FAILS(aclrtLaunchKernel(new_stream(), 1, dev, 16, NULL), ACL_ERROR_RT_INVALID_HANDLE, "func",
	      "stream");
	FAILS(aclrtLaunchKernel(load(OPS), 1, dev, 16, NULL), ACL_ERROR_RT_INVALID_HANDLE, "func",
	      "binary");
	/* NULL: both habits of the API fit */
	err = aclrtLaunchKernel(NULL, 1, dev, 16, NULL);
	CHECK(err == ACL_ERROR_INVALID_PARAM || err == ACL_ERROR_RT_INVALID_HANDLE);
	check_facts(aclGetRecentErrMsg(), "func", NULL);
}

static void bad_streams_are_refused(void)
{
	aclrtStream stream;
	void *dev;

	start();
	dev = dev_alloc(64);
	stream = new_stream();
	ACL(aclrtDestroyStream(stream));
	FAILS(aclrtLaunchKernel(op("store"), 1, dev, 16, stream), ACL_ERROR_RT_INVALID_HANDLE,
	      "stream");
	FAILS(aclrtLaunchKernel(op("store"), 1, dev, 16, dev), ACL_ERROR_RT_INVALID_HANDLE, "stream");
}

static void launches_are_asynchronous(void)
{
	aclrtStream stream;
	uint64_t *words;

	start();
	stream = new_stream();
	words = pinned_alloc(16);
	memset(words, 0, 16);
	LAUNCH(op("wait_for_word"), 1, stream, U64(&words[0]));
	LAUNCH(op("store"), 1, stream, U64(&words[1]), 1);
	CHECK_EQ(*(volatile uint64_t *)&words[1], 0);
	__atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(*(volatile uint64_t *)&words[1], 1);
}

/* Attributes that ask for nothing are taken, and each that asks for what a kernel without threads cannot have is refused */
static void attributes_of_a_launch(void)
{
	static const struct {
		aclrtLaunchKernelAttrId id;
		uint32_t value;
		aclError ret;
		const char *fact;
	} cases[] = {
		{ ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 0, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 2, ACL_ERROR_INVALID_PARAM, "schemMode is 2" },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 0, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 1, ACL_ERROR_INVALID_PARAM, "dynUBufSize is 1" },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 0, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 1, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "blockDimOffset" },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 1, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 0, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 1, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "dumping" },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 0, ACL_SUCCESS, NULL },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 1, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "profiling" },
		{ (aclrtLaunchKernelAttrId)9999, 0, ACL_ERROR_INVALID_PARAM, "unknown id 9999" },
	};
	uint64_t *word;

	start();
	word = pinned_alloc(8);
	*word = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* the second attribute is looked at as the first is */
		aclrtLaunchKernelAttr attrs[2] = { { .id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, .value.timeout = 50 } };
		aclrtLaunchKernelCfg cfg = { attrs, 2 };
		uint64_t args[] = { U64(word), i + 1 };
		uint64_t before = *word;
		aclError ret;

		memset(&attrs[1].value, 0, sizeof(attrs[1].value));
		memcpy(&attrs[1].value, &cases[i].value, sizeof(cases[i].value));
		attrs[1].id = cases[i].id;
		ret = aclrtLaunchKernelWithHostArgs(op("store"), 1, NULL, &cfg, args, sizeof(args), NULL, 0);
		if (ret != cases[i].ret)
			FAIL("attribute %d of %u: %d and not %d", (int)cases[i].id, cases[i].value, ret, cases[i].ret);
		if (ret)
			check_facts(aclGetRecentErrMsg(), "launch attribute 1", cases[i].fact, NULL);
		ACL(aclrtSynchronizeStream(NULL));
		CHECK_EQ(*word, ret ? before : i + 1);
	}
}

static void a_stream_runs_in_order(void)
{
	enum { N = 500 };
	uint64_t *words;

	start();
	words = dev_alloc(8 * (N + 1));
	ACL(aclrtMemset(words, 8 * (N + 1), 0, 8 * (N + 1)));
	for (int i = 0; i < N; i++) {
		LAUNCH(op("increment"), 1, NULL, U64(&words[i]));
		LAUNCH(op("load_store"), 1, NULL, U64(&words[i + 1]), U64(&words[i]));
	}
	ACL(aclrtSynchronizeStream(NULL));
	CHECK_EQ(read_u64(&words[N]), N);
}

static void pinned_memory_can_be_an_operand(void)
{
	enum { N = 1000 };
	struct vadd_args args = { .n = N };
	float *a, *b, *c;

	start();
	args.a = a = pinned_alloc(4 * N);
	args.b = b = pinned_alloc(4 * N);
	args.c = c = pinned_alloc(4 * N);
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = (float)(1000 - i) / 3;
		c[i] = 0;
	}
	run_vadd(vadd("vadd_f32"), 4, &args);
	for (int i = 0; i < N; i++)
		CHECK(c[i] == a[i] + b[i]);
}

static void parameters_of_every_width(void)
{
	struct {
		void *out;
		uint64_t a, b;
		float c;
		uint32_t pad;
		double d;
	} args = { .a = (uint64_t)-5, .b = 65535, .c = 1.5f, .d = -2.25 };
	uint64_t got[4];

	start();
	args.out = dev_alloc(32);
	ACL(aclrtLaunchKernelWithHostArgs(op("narrow_params"), 1, NULL, NULL, &args, sizeof(args),
					  NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(got, 32, args.out, 32, ACL_MEMCPY_DEVICE_TO_HOST));
	CHECK_EQ(got[0], -5);
	CHECK_EQ(got[1], 65535);
	CHECK_EQ(got[2], 3);
	CHECK_EQ(got[3], -9);
}

TAP_MAIN(TEST(vadd_f32_any_size_and_any_number_of_blocks),
	 TEST(vadd_f16_of_2m_elements),
	 TEST(arguments_in_device_memory),
	 TEST(host_pointers_as_args_data_are_107000),
	 TEST(args_data_must_be_live_device_memory),
	 TEST(no_blocks_is_100000),
	 TEST(too_many_blocks_are_107000),
	 TEST(as_many_blocks_as_the_limit_run_once_each),
	 TEST(bad_functions_are_refused),
	 TEST(bad_streams_are_refused),
	 TEST(launches_are_asynchronous),
	 TEST(attributes_of_a_launch), TEST(a_stream_runs_in_order),
	 TEST(pinned_memory_can_be_an_operand),
	 TEST(parameters_of_every_width))
