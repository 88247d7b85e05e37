// SPDX-License-Identifier: MIT
/* Limits of cores: that kernels keep to them, which one holds, and what is refused. */
#include "../acltest.h"

#define SKIP_LOOKING_BLOCKS() SKIP_IN_CHECK("blocks look at what others write, without order")

#define PAIR	"build/tests/libacl/pair.o"
#define CUBE	ACL_RT_DEV_RES_CUBE_CORE
#define VECTOR	ACL_RT_DEV_RES_VECTOR_CORE
#define BLOCKS	12
#define MANY	3 /* sub-blocks per block */
#define US	15000
#define LONG	20000000

/* When and where a (sub-)block ran, as kernels of pair.c note it */
struct span {
	uint64_t begin, end, core;
};

static struct span *spans;
static aclrtBinHandle pair;

static void begin(void)
{
	start();
	pair = load(PAIR);
	spans = pinned_alloc(BLOCKS * MANY * sizeof(*spans));
}

static aclrtFuncHandle get(const char *name)
{
	aclrtFuncHandle func = NULL;

	ACL(aclrtBinaryGetFunction(pair, name, &func));
	return func;
}

/* The most that ran at the same time: some one of them began when that was so */
static unsigned int together(unsigned int n)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int now = 0;

		CHECK(spans[i].begin && spans[i].end > spans[i].begin);
		for (unsigned int j = 0; j < n; j++)
			now += spans[j].begin <= spans[i].begin && spans[i].begin < spans[j].end;
		most = now > most ? now : most;
	}
	return most;
}

/* How many ran together; @want: sub-blocks wait until so many have begun, else each takes its time */
static unsigned int launch_spans(const char *name, aclrtStream stream, unsigned int want)
{
	unsigned int n = strcmp(name, "mixed_span") ? BLOCKS : BLOCKS * MANY;

	memset(spans, 0, n * sizeof(*spans));
	LAUNCH(get(name), BLOCKS, stream, U64(spans), want ? LONG : US, want, n);
	ACL(aclrtSynchronizeStream(stream));
	return together(n);
}

static unsigned int ran(const char *name, aclrtStream stream)
{
	return launch_spans(name, stream, 0);
}

/* More than @n run at the same time, however busy the host is */
static bool exceeds(const char *name, aclrtStream stream, unsigned int n)
{
	return launch_spans(name, stream, n + 1) > n;
}

static uint32_t of_device(aclrtDevResLimitType type)
{
	uint32_t n = 0;

	ACL(aclrtGetDeviceResLimit(0, type, &n));
	return n;
}

static uint32_t of_stream(aclrtStream stream, aclrtDevResLimitType type)
{
	uint32_t n = 0;

	ACL(aclrtGetStreamResLimit(stream, type, &n));
	return n;
}

static uint32_t here(aclrtDevResLimitType type)
{
	uint32_t n = 0;

	ACL(aclrtGetResInCurrentThread(type, &n));
	return n;
}

static void need_cores(uint32_t n)
{
	if (of_device(CUBE) < n)
		SKIP("the device has %u AI cores, this test needs %u", of_device(CUBE), n);
}

static void launches_keep_to_the_limit(void)
{
	aclrtStream stream;

	SKIP_LOOKING_BLOCKS();
	begin();
	need_cores(4);
	stream = new_stream();
	CHECK(exceeds("span", stream, 2));
	ACL(aclrtSetDeviceResLimit(0, CUBE, 2));
	CHECK_OP(ran("span", stream), <=, 2);
	CHECK_OP(ran("span", NULL), <=, 2);
	ACL(aclrtSetStreamResLimit(stream, CUBE, 1));
	CHECK_EQ(ran("span", stream), 1);
	/* more than the device's limit */
	ACL(aclrtSetStreamResLimit(stream, CUBE, 4));
	CHECK(exceeds("span", stream, 2));
	CHECK_OP(ran("span", NULL), <=, 2);
	ACL(aclrtResetStreamResLimit(stream));
	CHECK_OP(ran("span", stream), <=, 2);
	ACL(aclrtResetDeviceResLimit(0));
	CHECK(exceeds("span", stream, 2));
}

static void each_kind_of_kernel_has_its_limit(void)
{
	SKIP_LOOKING_BLOCKS();
	begin();
	need_cores(4);
	ACL(aclrtSetDeviceResLimit(0, VECTOR, 1));
	CHECK_EQ(ran("vector_span", NULL), 1);
	CHECK(exceeds("cube_span", NULL, 2));
	CHECK_EQ(ran("span", NULL), 1);
	ACL(aclrtResetDeviceResLimit(0));
	ACL(aclrtSetDeviceResLimit(0, CUBE, 2));
	CHECK_OP(ran("cube_span", NULL), <=, 2);
	CHECK(exceeds("vector_span", NULL, 2));
	ACL(aclrtSetDeviceResLimit(0, CUBE, 3));
	CHECK_OP(ran("mixed_span", NULL), <=, 3);
	ACL(aclrtResetDeviceResLimit(0));
	CHECK(exceeds("mixed_span", NULL, 3));
}

/* A limited kernel that does not end leaves the other cores to others */
static void others_run_meanwhile(void)
{
	volatile uint64_t *go;
	aclrtStream limited, other;
	aclrtStreamStatus status;

	begin();
	need_cores(2);
	go = pinned_alloc(64);
	*go = 0;
	limited = new_stream();
	other = new_stream();
	ACL(aclrtSetStreamResLimit(limited, CUBE, 1));
	LAUNCH(op("wait_for_word"), BLOCKS, limited, U64(go));
	for (int i = 0; i < 20; i++)
		LAUNCH(op("block_numbers"), BLOCKS, other, U64(spans));
	ACL(aclrtSynchronizeStream(other));
	ACL(aclrtStreamQuery(limited, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	*go = 1;
	ACL(aclrtSynchronizeStream(limited));
}

static void which_limit_holds(void)
{
	aclrtStream stream;
	uint32_t cubes, vectors;
	int64_t n;

	begin();
	need_cores(4);
	stream = new_stream();
	cubes = of_device(CUBE);
	vectors = of_device(VECTOR);
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &n));
	CHECK_EQ(n, cubes);
	ACL(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &n));
	CHECK_EQ(n, vectors);
	CHECK_EQ(of_stream(stream, CUBE), cubes);
	CHECK_EQ(of_stream(NULL, VECTOR), vectors);
	CHECK_EQ(here(CUBE), cubes);
	ACL(aclrtSetDeviceResLimit(0, CUBE, 3));
	CHECK_EQ(of_device(CUBE), 3);
	CHECK_EQ(of_device(VECTOR), vectors);
	CHECK_EQ(of_stream(stream, CUBE), 3);
	CHECK_EQ(here(CUBE), 3);
	ACL(aclrtSetStreamResLimit(stream, CUBE, cubes));
	ACL(aclrtSetStreamResLimit(stream, VECTOR, 1));
	CHECK_EQ(of_stream(stream, CUBE), cubes);
	CHECK_EQ(of_stream(stream, VECTOR), 1);
	CHECK_EQ(of_stream(NULL, VECTOR), vectors);
	CHECK_EQ(here(VECTOR), vectors);
	ACL(aclrtResetDeviceResLimit(0));
	CHECK_EQ(of_device(CUBE), cubes);
	CHECK_EQ(of_stream(stream, VECTOR), 1);
	ACL(aclrtResetStreamResLimit(stream));
	CHECK_EQ(of_stream(stream, VECTOR), vectors);
	/* it stays when the process leaves the device and comes back */
	ACL(aclrtSetDeviceResLimit(0, CUBE, 2));
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtResetDevice(0));
	CHECK_EQ(of_device(CUBE), 2);
	ACL(aclrtSetDevice(0));
	CHECK_EQ(here(CUBE), 2);
}

static void *another_thread(void *arg)
{
	ACL(aclrtSetDevice(0));
	CHECK_EQ(here(CUBE), *(uint32_t *)arg);
	FAILS(aclrtUnuseStreamResInCurrentThread(NULL), ACL_ERROR_RT_PARAM_INVALID, "does not use");
	return NULL;
}

static void threads_adopt_limits(void)
{
	aclrtStream a, b;
	uint32_t all;

	SKIP_LOOKING_BLOCKS();
	begin();
	need_cores(4);
	a = new_stream();
	b = new_stream();
	all = of_device(CUBE);
	ACL(aclrtSetStreamResLimit(a, CUBE, 1));
	ACL(aclrtUseStreamResInCurrentThread(a));
	CHECK_EQ(here(CUBE), 1);
	CHECK_EQ(here(VECTOR), of_device(VECTOR));
	CHECK_EQ(of_stream(b, CUBE), all);
	CHECK_EQ(ran("span", b), 1);
	in_thread(another_thread, &all);
	/* as it is now */
	ACL(aclrtSetStreamResLimit(a, CUBE, 2));
	CHECK_EQ(here(CUBE), 2);
	CHECK_OP(ran("span", b), <=, 2);
	/* a stream's own comes first, the device's last */
	ACL(aclrtSetStreamResLimit(b, CUBE, 4));
	CHECK(exceeds("span", b, 2));
	ACL(aclrtSetDeviceResLimit(0, CUBE, 3));
	CHECK_EQ(here(CUBE), 2);
	/* another one instead */
	ACL(aclrtUseStreamResInCurrentThread(b));
	CHECK_EQ(here(CUBE), 4);
	FAILS(aclrtUnuseStreamResInCurrentThread(a), ACL_ERROR_RT_PARAM_INVALID, "does not use");
	CHECK_EQ(here(CUBE), 4);
	ACL(aclrtResetStreamResLimit(b));
	CHECK_EQ(here(CUBE), 3);
	ACL(aclrtSetStreamResLimit(b, CUBE, 1));
	ACL(aclrtUnuseStreamResInCurrentThread(b));
	CHECK_EQ(here(CUBE), 3);
	/* the default stream, and one that ends */
	ACL(aclrtSetStreamResLimit(NULL, CUBE, 2));
	ACL(aclrtUseStreamResInCurrentThread(NULL));
	CHECK_EQ(here(CUBE), 2);
	ACL(aclrtUnuseStreamResInCurrentThread(NULL));
	ACL(aclrtUseStreamResInCurrentThread(a));
	ACL(aclrtDestroyStream(a));
	CHECK_EQ(here(CUBE), 3);
	CHECK_OP(ran("span", NULL), <=, 2);
	ACL(aclrtUnuseStreamResInCurrentThread(a));
	FAILS(aclrtUnuseStreamResInCurrentThread(a), ACL_ERROR_RT_INVALID_HANDLE);
}

static void graphs_keep_the_limit_of_their_recording(void)
{
	uint64_t args[] = { 0, US, 0, BLOCKS };
	aclrtStream stream, lane;
	aclmdlRITaskParams p;
	aclmdlRITask task;
	uint32_t n = 1;
	aclmdlRI graph;

	SKIP_LOOKING_BLOCKS();
	begin();
	need_cores(4);
	stream = new_stream();
	ACL(aclrtSetStreamResLimit(stream, CUBE, 1));
	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	LAUNCH(get("span"), BLOCKS, stream, U64(spans), US, 0, BLOCKS);
	ACL(aclmdlRICaptureEnd(stream, &graph));
	ACL(aclrtResetStreamResLimit(stream));
	memset(spans, 0, BLOCKS * sizeof(*spans));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	CHECK_EQ(together(BLOCKS), 1);
	CHECK(exceeds("span", stream, 2));

	/* and when the kernel gets other arguments, or becomes another one */
	ACL(aclmdlRIGetStreams(graph, &lane, &n));
	ACL(aclmdlRIGetTasksByStream(lane, &task, &n));
	ACL(aclmdlRITaskGetParams(task, &p));
	args[0] = U64(&spans[BLOCKS]);
	p.kernelTaskParams.args = args;
	p.kernelTaskParams.argsSize = sizeof(args);
	p.kernelTaskParams.isHostArgs = 1;
	ACL(aclmdlRITaskSetParams(task, &p));
	ACL(aclmdlRIUpdate(graph));
	memset(&spans[BLOCKS], 0, BLOCKS * sizeof(*spans));
	ACL(aclmdlRIExecuteAsync(graph, stream));
	ACL(aclrtSynchronizeStream(stream));
	spans += BLOCKS;
	CHECK_EQ(together(BLOCKS), 1);
	p.kernelTaskParams.funcHandle = get("vector_only");
	p.kernelTaskParams.cfg = NULL;
	p.kernelTaskParams.numBlocks = 2;
	FAILS(aclmdlRITaskSetParams(task, &p), ACL_ERROR_RT_PARAM_INVALID, "numBlocks is 2",
	      "1 cores");
	ACL(aclmdlRIDestroy(graph));
}

static void kernels_that_start_together_must_fit(void)
{
	uint64_t args[1];

	begin();
	need_cores(4);
	args[0] = U64(spans);
	ACL(aclrtSetDeviceResLimit(0, VECTOR, 2));
	FAILS(aclrtLaunchKernelWithHostArgs(get("vector_only"), 3, NULL, NULL, args, 8, NULL, 0),
	      ACL_ERROR_RT_PARAM_INVALID, "numBlocks is 3", "vector_only", "2 cores",
	      "aclrtSetStreamResLimit");
	ACL(aclrtLaunchKernelWithHostArgs(get("vector_only"), 2, NULL, NULL, args, 8, NULL, 0));
	ACL(aclrtSetStreamResLimit(NULL, VECTOR, 3));
	ACL(aclrtLaunchKernelWithHostArgs(get("vector_only"), 3, NULL, NULL, args, 8, NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
}

static void what_is_refused(void)
{
	const aclrtDevResLimitType bad = (aclrtDevResLimitType)2;
	aclrtStream stream, gone;
	uint32_t n;

	begin();
	stream = new_stream();
	gone = new_stream();
	ACL(aclrtDestroyStream(gone));
	FAILS(aclrtSetDeviceResLimit(0, CUBE, 0), ACL_ERROR_RT_PARAM_INVALID, "value is 0", "cube");
	FAILS(aclrtSetDeviceResLimit(0, VECTOR, of_device(VECTOR) + 1), ACL_ERROR_RT_PARAM_INVALID,
	      "vector cores of device 0");
	FAILS(aclrtSetStreamResLimit(stream, CUBE, 0), ACL_ERROR_RT_PARAM_INVALID, "value is 0");
	FAILS(aclrtSetStreamResLimit(stream, CUBE, UINT32_MAX), ACL_ERROR_RT_PARAM_INVALID,
	      "value is 4294967295");
	FAILS(aclrtSetDeviceResLimit(0, bad, 1), ACL_ERROR_INVALID_PARAM, "type is 2");
	FAILS(aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)-1, 1), ACL_ERROR_INVALID_PARAM,
	      "type is -1");
	FAILS(aclrtGetDeviceResLimit(0, bad, &n), ACL_ERROR_INVALID_PARAM, "type is 2");
	FAILS(aclrtSetStreamResLimit(stream, bad, 1), ACL_ERROR_INVALID_PARAM, "type is 2");
	FAILS(aclrtGetStreamResLimit(stream, bad, &n), ACL_ERROR_INVALID_PARAM, "type is 2");
	FAILS(aclrtGetResInCurrentThread(bad, &n), ACL_ERROR_INVALID_PARAM, "type is 2");
	FAILS(aclrtGetDeviceResLimit(0, CUBE, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");
	FAILS(aclrtGetStreamResLimit(stream, CUBE, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");
	FAILS(aclrtGetResInCurrentThread(CUBE, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");
	FAILS(aclrtSetDeviceResLimit(99, CUBE, 1), ACL_ERROR_RT_INVALID_DEVICEID, "99");
	FAILS(aclrtGetDeviceResLimit(-1, CUBE, &n), ACL_ERROR_RT_INVALID_DEVICEID, "-1");
	FAILS(aclrtResetDeviceResLimit(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
	FAILS(aclrtSetStreamResLimit(gone, CUBE, 1), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	FAILS(aclrtGetStreamResLimit(gone, CUBE, &n), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtResetStreamResLimit(gone), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtUseStreamResInCurrentThread(gone), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtUnuseStreamResInCurrentThread(gone), ACL_ERROR_RT_INVALID_HANDLE);
	FAILS(aclrtUnuseStreamResInCurrentThread(stream), ACL_ERROR_RT_PARAM_INVALID, "does not use");
	/* nothing of that has changed anything */
	CHECK_EQ(of_stream(stream, CUBE), of_device(CUBE));
}

static void without_a_context(void)
{
	uint32_t n = 0;

	ACL(aclInit(NULL));
	FAILS(aclrtGetResInCurrentThread(CUBE, &n), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
	FAILS(aclrtSetStreamResLimit(NULL, CUBE, 1), ACL_ERROR_RT_CONTEXT_NULL);
	FAILS(aclrtUseStreamResInCurrentThread(NULL), ACL_ERROR_RT_CONTEXT_NULL);
	/* devices are named */
	ACL(aclrtSetDeviceResLimit(0, CUBE, 1));
	ACL(aclrtGetDeviceResLimit(0, CUBE, &n));
	CHECK_EQ(n, 1);
	ACL(aclrtSetDevice(0));
	CHECK_EQ(here(CUBE), 1);
}

TAP_MAIN(TEST(launches_keep_to_the_limit),
	 TEST(each_kind_of_kernel_has_its_limit),
	 TEST(others_run_meanwhile),
	 TEST(which_limit_holds),
	 TEST(threads_adopt_limits),
	 TEST(graphs_keep_the_limit_of_their_recording),
	 TEST(kernels_that_start_together_must_fit),
	 TEST(what_is_refused),
	 TEST(without_a_context))
