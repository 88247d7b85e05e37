// SPDX-License-Identifier: MIT
/* Launches: parameters, configurations, attributes, and what goes wrong with them. */
#include <pthread.h>

#include "cutest.h"

struct pair {
	int32_t a;
	int64_t b;
};

/* The parameters of many_params() as a C struct has them */
struct many {
	CUdeviceptr out;
	int8_t a;
	int16_t b;
	float c;
	double d;
	int32_t e;
	struct pair f;
};

static void check_many(CUdeviceptr out)
{
	double v[7];

	CU(cuMemcpyDtoH(v, out, sizeof(v)));
	if (v[0] != -3 || v[1] != -300 || v[2] != 2.5 || v[3] != 1e100 || v[4] != -70000 || v[5] != 7 || v[6] != 125)
		FAIL("%g %g %g %g %g %g %g", v[0], v[1], v[2], v[3], v[4], v[5], v[6]);
}

static void parameters_come_in_two_ways(void)
{
	struct many m = { .a = -3, .b = -300, .c = 2.5f, .d = 1e100, .e = -70000, .f = { 7, 125 } };
	void *params[] = { &m.out, &m.a, &m.b, &m.c, &m.d, &m.e, &m.f };
	size_t size = sizeof(m);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &m, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END };
	CUfunction f;

	start();
	f = op("many_params");
	m.out = dev_alloc(64);
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
	check_many(m.out);
	CU(cuMemsetD8(m.out, 0, 64));
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
	check_many(m.out);
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra), CUDA_ERROR_INVALID_VALUE, "both");
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "7 parameters");
	size = 20;
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE, "20 bytes");
	extra[2] = CU_LAUNCH_PARAM_END;
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE, "BUFFER_SIZE");
	extra[0] = (void *)0x55;
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE, "0x55");
	params[3] = NULL;
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), CUDA_ERROR_INVALID_VALUE, "kernelParams[3]");
	CU(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
}

static void a_grid_has_three_axes(void)
{
	/* One thread too many along each axis, and in all */
	static const unsigned int large[][3] = {
		{ 2048, 1, 1 }, { 1025, 1, 1 }, { 1, 1025, 1 }, { 1, 1, 1025 }, { 41, 25, 1 }, { 5, 5, 41 }, { 1 << 16, 1 << 16, 1 },
	};
	uint32_t n[24];
	CUdeviceptr p;

	start();
	p = dev_alloc(sizeof(n));
	CU(cuLaunchKernel(op("block_numbers"), 4, 3, 2, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CU(cuMemcpyDtoH(n, p, sizeof(n)));
	for (uint32_t i = 0; i < 24; i++)
		CHECK_EQ(n[i], i + 1);
	FAILS(cuLaunchKernel(op("nothing"), 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "0x1x1");
	FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 0, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE, "1x0x1");
	FAILS(cuLaunchKernel(op("nothing"), 60000, 60000, 60000, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
	      "");
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, large[i][0], large[i][1], large[i][2], 0, NULL, NULL, NULL),
		      CUDA_ERROR_INVALID_VALUE, "1024 are the most");
	FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
	      "nothing");
	FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 1 << 20, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
	      "sharedMemBytes");
	FAILS(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "NULL");
	FAILS(cuLaunchKernel((CUfunction)0x99, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE, "0x99");
	FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 0, (CUstream)0x77, NULL, NULL), CUDA_ERROR_INVALID_HANDLE,
	      "0x77");
}

/* All that cuFuncGetAttribute() promises, and no byte more; none for a kernel without threads */
static void shared_memory_is_bounded(CUfunction f, CUdeviceptr p)
{
	void *args[] = { &p };
	size_t most;
	int fixed;

	CU(cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
	CU(cuOccupancyAvailableDynamicSMemPerBlock(&most, f, 1, 32));
	CHECK(most > 4096 && fixed >= 0);
	CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, (unsigned int)most, NULL, args, NULL));
	CU(cuCtxSynchronize());
	FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, (unsigned int)most + 1, NULL, args, NULL),
	      CUDA_ERROR_INVALID_VALUE, "shared");
	FAILS(cuLaunchKernel(op("nothing"), 1, 1, 1, 1, 1, 1, 1, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
	      "shared");
	/* the other front */
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 1, 1, 1 }, (dim3){ 32, 1, 1 }, most, NULL, NULL, args), 0);
	CU(cuCtxSynchronize());
	CHECK(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 1, 1, 1 }, (dim3){ 32, 1, 1 }, most + 1, NULL, NULL, args) != 0);
}

static void blocks_have_threads(void)
{
	static uint32_t n[1001];
	CUdeviceptr p;
	CUfunction f;
	int v;

	start();
	f = op("thread_numbers");
	p = dev_alloc(sizeof(n));
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
	CHECK_EQ(v, 256);
	CU(cuLaunchKernel(f, 2, 2, 1, 8, 4, 2, 4096, NULL, (void *[]){ &p }, NULL));
	CU(cuMemcpyDtoH(n, p, sizeof(n)));
	for (uint32_t i = 0; i < 4 * 64; i++)
		CHECK_EQ(n[i], (i / 64) << 16 | i % 64);
	CHECK_EQ(n[1000], 4096);
	FAILS(cuLaunchKernel(f, 1, 1, 1, 257, 1, 1, 0, NULL, (void *[]){ &p }, NULL), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
	      "256");
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 1 << 20, NULL, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_VALUE,
	      "sharedMemBytes");
	shared_memory_is_bounded(f, p);
	/* the same from the other front */
	CU(cuMemsetD8(p, 0, sizeof(n)));
	CU(cuCtxSynchronize());
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 4, 1, 1 }, (dim3){ 64, 1, 1 }, 0, NULL, NULL,
						    (void *[]){ &p }), 0);
	CU(cuMemcpyDtoH(n, p, sizeof(n)));
	for (uint32_t i = 0; i < 4 * 64; i++)
		CHECK_EQ(n[i], (i / 64) << 16 | i % 64);
	CHECK(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 1, 1, 1 }, (dim3){ 257, 1, 1 }, 0, NULL, NULL,
						 (void *[]){ &p }) != 0);
}

static void events_of_launches_order_what_follows(void)
{
	CUlaunchAttribute attr = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &attr, .numAttrs = 1 };
	uint64_t us = 20000, value = 7;
	CUdeviceptr p;
	CUevent e;
	CUstream t;

	start();
	p = dev_alloc(64);
	config.hStream = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	attr.value.programmaticEvent.event = e;
	CU(cuLaunchKernelEx(&config, op("spin_then_store"), (void *[]){ &us, &p, &value }, NULL));
	CU(cuStreamWaitEvent(t, e, 0));
	LAUNCH("load_store", 1, t, p + 8, p);
	CU(cuStreamSynchronize(t));
	CHECK_EQ(read_u64(p + 8), 7);
	attr.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
	memset(&attr.value, 0, sizeof(attr.value));
	attr.value.launchCompletionEvent.event = e;
	value = 8;
	CU(cuLaunchKernelEx(&config, op("spin_then_store"), (void *[]){ &us, &p, &value }, NULL));
	CU(cuEventSynchronize(e));
	attr.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
	attr.value.programmaticStreamSerializationAllowed = 1;
	CU(cuLaunchKernelEx(&config, op("load_store"), (void *[]){ &(CUdeviceptr){ p + 16 }, &p }, NULL));
	CU(cuStreamSynchronize(config.hStream));
	CHECK_EQ(read_u64(p + 16), 8);
}

static void vectors_are_added(void)
{
	enum { N = 5000 };
	static float a[N], b[N], c[N];
	CUdeviceptr da, db, dc;
	CUlaunchConfig config = { .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1 };
	int32_t n = N;

	start();
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = (float)(2 * i);
	}
	da = dev_alloc(sizeof(a));
	db = dev_alloc(sizeof(a));
	dc = dev_alloc(sizeof(a));
	CU(cuMemcpyHtoD(da, a, sizeof(a)));
	CU(cuMemcpyHtoD(db, b, sizeof(b)));
	CU(cuLaunchKernelEx(&config, op("vector_add"), (void *[]){ &da, &db, &dc, &n }, NULL));
	CU(cuMemcpyDtoH(c, dc, sizeof(c)));
	for (int i = 0; i < N; i++)
		CHECK(c[i] == (float)(3 * i));
}

static CUresult launch_with(CUlaunchAttribute *attrs, unsigned int n, unsigned int grid)
{
	CUlaunchConfig config = { .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = attrs, .numAttrs = n };

	return cuLaunchKernelEx(&config, op("nothing"), NULL, NULL);
}

#define ONE(name, member, ...) \
	launch_with(&(CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_##name, .value = { .member = __VA_ARGS__ } }, 1, 1)

static void attributes_are_checked(void)
{
	CUevent timed, untimed, shared;
	aclrtEvent plain;
	float here;

	start();
	CU(launch_with((CUlaunchAttribute *)8, 0, 1)); /* not looked at */
	FAILS(launch_with(NULL, 1, 1), CUDA_ERROR_INVALID_VALUE, "attrs is NULL");
	FAILS(cuLaunchKernelEx(NULL, op("nothing"), NULL, NULL), CUDA_ERROR_INVALID_VALUE, "config");
	CU(ONE(IGNORE, priority, 1000000));
	FAILS(launch_with(&(CUlaunchAttribute){ .id = (CUlaunchAttributeID)99 }, 1, 1), CUDA_ERROR_INVALID_VALUE, "99");
	CU(ONE(SYNCHRONIZATION_POLICY, syncPolicy, CU_SYNC_POLICY_SPIN));
	FAILS(ONE(SYNCHRONIZATION_POLICY, syncPolicy, (CUsynchronizationPolicy)0), CUDA_ERROR_INVALID_VALUE, "syncPolicy");
	CU(ONE(MEM_SYNC_DOMAIN, memSyncDomain, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE));
	FAILS(ONE(MEM_SYNC_DOMAIN, memSyncDomain, (CUlaunchMemSyncDomain)2), CUDA_ERROR_INVALID_VALUE, "memSyncDomain");
	CU(ONE(MEM_SYNC_DOMAIN_MAP, memSyncDomainMap, { 3, 0 }));
	FAILS(ONE(MEM_SYNC_DOMAIN_MAP, memSyncDomainMap, { 4, 0 }), CUDA_ERROR_INVALID_VALUE, "memSyncDomainMap");
	CU(ONE(ACCESS_POLICY_WINDOW, accessPolicyWindow, { &here, 4, 1, CU_ACCESS_PROPERTY_PERSISTING, 0 }));
	FAILS(ONE(ACCESS_POLICY_WINDOW, accessPolicyWindow, { &here, 4, -1, 0, 0 }), CUDA_ERROR_INVALID_VALUE, "hitRatio");
	FAILS(ONE(ACCESS_POLICY_WINDOW, accessPolicyWindow, { &here, 4, 1, 0, CU_ACCESS_PROPERTY_PERSISTING }),
	      CUDA_ERROR_INVALID_VALUE, "missProp");
	CU(ONE(CLUSTER_SCHEDULING_POLICY_PREFERENCE, clusterSchedulingPolicyPreference, CU_CLUSTER_SCHEDULING_POLICY_SPREAD));
	FAILS(ONE(CLUSTER_SCHEDULING_POLICY_PREFERENCE, clusterSchedulingPolicyPreference, (CUclusterSchedulingPolicy)3),
	      CUDA_ERROR_INVALID_VALUE, "clusterSchedulingPolicyPreference");
	CU(ONE(CLUSTER_DIMENSION, clusterDim, { 1, 1, 1 }));
	FAILS(ONE(CLUSTER_DIMENSION, clusterDim, { 1, 0, 1 }), CUDA_ERROR_INVALID_VALUE, "clusterDim");
	FAILS(ONE(CLUSTER_DIMENSION, clusterDim, { 2, 1, 1 }), CUDA_ERROR_INVALID_CLUSTER_SIZE, "whole clusters");
	CU(ONE(PRIORITY, priority, -100));
	CU(ONE(COOPERATIVE, cooperative, 1));
	CU(cuEventCreate(&timed, 0));
	CU(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	CU(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
	CHECK_EQ(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC), 0);
	FAILS(ONE(PROGRAMMATIC_EVENT, programmaticEvent, { NULL, 0, 0 }), CUDA_ERROR_INVALID_HANDLE, "NULL");
	FAILS(ONE(PROGRAMMATIC_EVENT, programmaticEvent, { timed, 0, 0 }), CUDA_ERROR_INVALID_VALUE, "DISABLE_TIMING");
	FAILS(ONE(PROGRAMMATIC_EVENT, programmaticEvent, { shared, 0, 0 }), CUDA_ERROR_INVALID_VALUE, "INTERPROCESS");
	FAILS(ONE(PROGRAMMATIC_EVENT, programmaticEvent, { untimed, 8, 0 }), CUDA_ERROR_INVALID_VALUE, "flags");
	FAILS(ONE(PROGRAMMATIC_EVENT, programmaticEvent, { plain, 0, 0 }), CUDA_ERROR_INVALID_VALUE, "other front");
	FAILS(ONE(LAUNCH_COMPLETION_EVENT, launchCompletionEvent, { timed, 0 }), CUDA_ERROR_INVALID_VALUE, "DISABLE_TIMING");
	FAILS(ONE(LAUNCH_COMPLETION_EVENT, launchCompletionEvent, { shared, 0 }), CUDA_ERROR_INVALID_VALUE, "INTERPROCESS");
	FAILS(ONE(LAUNCH_COMPLETION_EVENT, launchCompletionEvent, { (CUevent)5, 0 }), CUDA_ERROR_INVALID_HANDLE, "0x5");
	FAILS(ONE(DEVICE_UPDATABLE_KERNEL_NODE, deviceUpdatableKernelNode, { 1, NULL }), CUDA_ERROR_INVALID_VALUE,
	      "recorded");
	FAILS(ONE(DEVICE_UPDATABLE_KERNEL_NODE, deviceUpdatableKernelNode, { 0, NULL }), CUDA_ERROR_INVALID_VALUE,
	      "recorded");
	FAILS(ONE(DEVICE_UPDATABLE_KERNEL_NODE, deviceUpdatableKernelNode, { 2, NULL }), CUDA_ERROR_INVALID_VALUE, "2");
	FAILS(ONE(DEVICE_UPDATABLE_KERNEL_NODE, deviceUpdatableKernelNode, { -1, NULL }), CUDA_ERROR_INVALID_VALUE, "-1");
	CU(cuCtxSynchronize());
}

static void cooperative_blocks_are_all_there(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = { .cooperative = 1 } };
	CUlaunchConfig config = { .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .attrs = &a,
				  .numAttrs = 1 };
	CUdeviceptr p;
	int cores;

	start();
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	p = dev_alloc(8);
	CU(cuMemsetD32(p, 0, 2));
	/* none of its blocks ends before all have begun */
	CU(cuLaunchCooperativeKernel(op("meet"), (unsigned int)cores, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }));
	CHECK_EQ(read_u64(p), cores);
	/* the same by the attribute; any value but 0 asks for it */
	for (a.value.cooperative = -1; a.value.cooperative < 2; a.value.cooperative += 2) {
		CU(cuMemsetD32(p, 0, 2));
		config.gridDimX = (unsigned int)cores;
		CU(cuLaunchKernelEx(&config, op("meet"), (void *[]){ &p }, NULL));
		CHECK_EQ(read_u64(p), cores);
		FAILS(launch_with(&a, 1, (unsigned int)cores + 1), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "cores");
	}
	a.value.cooperative = 0;
	CU(launch_with(&a, 1, (unsigned int)cores + 1));
	a.value.cooperative = 1;
	FAILS(cuLaunchCooperativeKernel(op("nothing"), (unsigned int)cores + 1, 1, 1, 1, 1, 1, 0, NULL, NULL),
	      CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "cores");
	FAILS(launch_with(&a, 1, (unsigned int)cores + 1), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "E720 cuLaunchKernelEx: ");
	CU(launch_with(&a, 1, (unsigned int)cores));
	CU(cuCtxSynchronize());
}

static void both_fronts_run_one_kernel(void)
{
	uint64_t args[2] = { 0, 41 };
	aclrtBinHandle bin;
	aclrtFuncHandle func;
	CUdeviceptr p;
	CUstream s;
	aclrtEvent e;

	start();
	p = dev_alloc(64);
	s = new_stream(0);
	/* this front's function, stream and memory in the other */
	args[0] = p;
	CHECK_EQ(aclrtLaunchKernelWithHostArgs(op("store"), 1, s, NULL, args, sizeof(args), NULL, 0), 0);
	CHECK_EQ(read_u64(p), 41);
	/* and the other's here */
	CHECK_EQ(aclrtBinaryLoadFromFile(OPS, NULL, &bin), 0);
	CHECK_EQ(aclrtBinaryGetFunction(bin, "increment", &func), 0);
	CU(cuLaunchKernel(func, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p }, NULL));
	CHECK_EQ(aclrtCreateEvent(&e), 0);
	CU(cuEventRecord(e, s));
	CU(cuEventSynchronize(e));
	CHECK_EQ(read_u64(p), 42);
	CHECK_EQ(aclrtMemset((void *)(uintptr_t)p, 8, 0, 8), 0);
	CHECK_EQ(read_u64(p), 0);
}

static void a_failure_stays_with_its_context(void)
{
	CUcontext ctx = start(), other;
	CUdeviceptr p, q;
	CUfunction f = op("write_at");
	CUstream s = new_stream(0);

	q = 0xdead00000000;
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &q }, NULL));
	FAILS(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS, "write_at");
	FAILS(cuMemAlloc(&p, 8), CUDA_ERROR_ILLEGAL_ADDRESS, "before");
	FAILS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &q }, NULL), CUDA_ERROR_ILLEGAL_ADDRESS, "");
	FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "");
	CU(cuCtxCreate(&other, 0, 0));
	p = dev_alloc(8);
	CHECK_EQ(read_u64(p), 0);
	CU(cuCtxDestroy(other));
	FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "");
	CU(cuCtxDestroy(ctx));
	CU(cuCtxCreate(&ctx, 0, 0));
	p = dev_alloc(8);
	CHECK_EQ(read_u64(p), 0);
}

/* Calls that end what a kernel may use wait for it: they tell that it has failed, and the context keeps that */
static CUdeviceptr freed;
static void *freed_host;
static CUmodule unloaded;
static CUstream destroyed;

static CUresult free_memory(void) { return cuMemFree(freed); }
static CUresult free_host(void) { return cuMemFreeHost(freed_host); }
static CUresult unload(void) { return cuModuleUnload(unloaded); }
static CUresult destroy_stream(void) { return cuStreamDestroy(destroyed); }

static void what_waits_for_work_tells_its_failure(void)
{
	CUresult (*const calls[])(void) = { free_memory, free_host, unload, destroy_stream };
	CUdeviceptr wrong = 0xdead00000000;
	CUcontext ctx = start();

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		CUfunction f;

		freed = dev_alloc(64);
		CU(cuMemAllocHost(&freed_host, 64));
		CU(cuModuleLoad(&unloaded, OPS));
		CU(cuModuleGetFunction(&f, unloaded, "write_at"));
		destroyed = new_stream(CU_STREAM_NON_BLOCKING);
		CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, destroyed, (void *[]){ &wrong }, NULL));
		FAILS(calls[i](), CUDA_ERROR_ILLEGAL_ADDRESS, "write_at");
		FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "before");
		CU(cuCtxDestroy(ctx));
		CU(cuCtxCreate(&ctx, 0, 0));
	}
}

/* Launches look at a stream's context in a short way while all is well: not any more when it has failed or ended */
static void a_stream_tells_how_its_context_is(void)
{
	CUcontext first = start(), second;
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING), t;
	CUdeviceptr wrong = 0xdead00000000, p = dev_alloc(8);
	CUfunction f = op("write_at"), g;
	CUmodule m;

	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p }, NULL));
	CU(cuStreamSynchronize(s));
	CU(cuCtxCreate(&second, 0, 0));
	t = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuModuleLoad(&m, OPS));
	CU(cuModuleGetFunction(&g, m, "write_at"));
	CU(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, t, (void *[]){ &wrong }, NULL));
	FAILS(cuStreamSynchronize(t), CUDA_ERROR_ILLEGAL_ADDRESS, "write_at");
	FAILS(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, t, (void *[]){ &p }, NULL), CUDA_ERROR_ILLEGAL_ADDRESS, "before");
	/* the other context is as it was, whichever is current */
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p }, NULL));
	CU(cuCtxDestroy(second));
	CU(cuCtxSetCurrent(first));
	CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, t, (void *[]){ &p }, NULL) != CUDA_SUCCESS);
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){ &p }, NULL));
	CU(cuStreamSynchronize(s));
}

/* Every call of a context whose kernel has failed tells that, a launch for one; another context works */
static void sticks(CUcontext ctx, CUfunction f, CUstream s, CUresult code)
{
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	CUlaunchConfig in_stream = config;
	uint64_t word = 0;
	CUdeviceptr p;

	in_stream.hStream = s;
	for (int i = 0; i < 2; i++) {
		FAILS(cuCtxSynchronize(), code, "before");
		FAILS(cuLaunchKernelEx(&config, f, NULL, NULL), code, "before");
		FAILS(cuLaunchKernelEx(&in_stream, f, NULL, NULL), code, "before");
		FAILS(cuStreamSynchronize(s), code, "before");
		FAILS(cuStreamQuery(s), code, "before");
		FAILS(cuMemAlloc(&p, 8), code, "before");
		FAILS(cuMemcpyDtoH(&word, 8, 8), code, "before");
	}
	CU(cuCtxDestroy(ctx));
	start();
	CHECK_EQ(read_u64(dev_alloc(8)), 0);
}

static void fails_with(const char *name, CUresult code)
{
	CUcontext ctx = start();
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1 };
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING);
	CUfunction f = op("nothing");

	CU(cuLaunchKernelEx(&config, op(name), NULL, NULL));
	FAILS(cuCtxSynchronize(), code, name);
	sticks(ctx, f, s, code);
}

/* Address 0 is no memory of any kind */
static void a_null_pointer_is_an_illegal_address(void)
{
	CUdeviceptr null = 0;

	start();
	CU(cuLaunchKernel(op("write_at"), 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &null }, NULL));
	FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "NULL");
}

static void an_illegal_instruction_has_its_code(void)
{
	fails_with("illegal_instruction", CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

static void an_assertion_has_its_code(void)
{
	fails_with("failed_assert", CUDA_ERROR_ASSERT);
}

static void a_grid_has_more_blocks_than_16_bits(void)
{
	enum { N = 70000 };
	CUlaunchAttribute pairs = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { 2, 1, 1 } } };
	CUlaunchConfig config = { .gridDimX = N, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
				  .attrs = &pairs, .numAttrs = 1 };
	float *host = malloc(N * sizeof(float));
	CUdeviceptr a, c;
	int32_t n = N;
	int most;

	start();
	a = dev_alloc(N * sizeof(float));
	c = dev_alloc(N * sizeof(float));
	for (int i = 0; i < N; i++)
		host[i] = (float)i;
	CU(cuMemcpyHtoD(a, host, N * sizeof(float)));
	CU(cuLaunchKernel(op("vector_add"), N, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &a, &a, &c, &n }, NULL));
	CU(cuMemcpyDtoH(host, c, N * sizeof(float)));
	for (int i = 0; i < N; i++)
		if (host[i] != (float)(2 * i))
			FAIL("element %d is %g", i, host[i]);
	CU(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0));
	CHECK(most == 2147483647);
	FAILS(cuLaunchKernel(op("nothing"), 1u << 31, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
	      "2147483647");
	FAILS(cuLaunchKernel(op("nothing"), 1u << 16, 1u << 15, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
	      "2147483647");
	FAILS(cuLaunchKernelEx(&config, op("nothing"), NULL, NULL), CUDA_ERROR_INVALID_VALUE, "with clusters can have 65535");
	free(host);
}

/* Launches of API versions before 4.0, which many programs still have */
static void functions_keep_their_parameters(void)
{
	struct many m = { .a = -3, .b = -300, .c = 2.5f, .d = 1e100, .e = -70000, .f = { 7, 125 } };
	CUstream s;
	CUfunction f;

	start();
	f = op("many_params");
	s = new_stream(CU_STREAM_DEFAULT);
	m.out = dev_alloc(64);
	FAILS(cuLaunch(f), CUDA_ERROR_INVALID_VALUE, "7 parameters");
	CU(cuFuncSetBlockShape(f, 1, 1, 1));
	CU(cuFuncSetSharedSize(f, 0));
	CU(cuParamSetv(f, 0, &m, sizeof(m)));
	CU(cuParamSetf(f, offsetof(struct many, c), 2.5f));
	CU(cuParamSeti(f, offsetof(struct many, e), (unsigned int)-70000));
	FAILS(cuLaunchGrid(f, 1, 1), CUDA_ERROR_INVALID_VALUE, "7 parameters");
	CU(cuParamSetSize(f, sizeof(m)));
	CU(cuLaunchGrid(f, 1, 1));
	check_many(m.out);
	CU(cuMemsetD8(m.out, 0, 64));
	CU(cuLaunchGridAsync(f, 1, 1, s));
	CU(cuStreamSynchronize(s));
	check_many(m.out);
	FAILS(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE, "0 x 1 blocks");
	FAILS(cuFuncSetBlockShape(f, 1, 0, 1), CUDA_ERROR_INVALID_VALUE, "1 x 0 x 1");
	FAILS(cuParamSetv(f, 4090, &m, 8), CUDA_ERROR_INVALID_VALUE, "8 bytes at 4090");
	FAILS(cuParamSetv(f, -8, &m, 8), CUDA_ERROR_INVALID_VALUE, "8 bytes at -8");
	FAILS(cuParamSetSize(f, 4097), CUDA_ERROR_INVALID_VALUE, "4097 bytes");
	FAILS(cuFuncSetSharedSize(NULL, 1), CUDA_ERROR_INVALID_HANDLE, "NULL");
	/* a function that comes again keeps nothing */
	CU(cuModuleUnload(ops()));
}

/* A core takes brief blocks one behind the other, and each of them is a new one all the same */
static void brief_blocks_begin_as_new_ones(void)
{
	enum { BLOCKS = 1000 };
	static const unsigned int threads[] = { 64, 4, 1 };
	unsigned int seen[BLOCKS], bad, i, b;
	CUdeviceptr counts, wrong;
	CUfunction f;
	CUmodule m;

	start();
	CU(cuModuleLoad(&m, MANAGED_OPS));
	CU(cuModuleGetFunction(&f, m, "fresh"));
	counts = dev_alloc(sizeof(seen));
	wrong = dev_alloc(4);
	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		void *params[] = { &counts, &wrong };

		CU(cuMemsetD32(counts, 0, BLOCKS));
		CU(cuLaunchKernel(f, BLOCKS, 1, 1, threads[i], 1, 1, 128, NULL, params, NULL));
		CU(cuMemcpyDtoH(seen, counts, sizeof(seen)));
		CU(cuMemcpyDtoH(&bad, wrong, 4));
		CHECK_EQ(bad, 0);
		for (b = 0; b < BLOCKS; b++)
			CHECK_EQ(seen[b], 1);
	}
	CU(cuModuleUnload(m));
}

static CUfunction heap_op(CUmodule m, const char *name)
{
	CUfunction f;

	CU(cuModuleGetFunction(&f, m, name));
	return f;
}

/* Memory that one kernel has allocated is found, used and freed by another one, also of another module */
static void kernels_have_a_heap(void)
{
	enum { BLOCKS = 8, THREADS = 128, N = BLOCKS * THREADS };
	CUdeviceptr lists, arrays, bad, heap;
	CUcontext ctx = start();
	CUmodule m, other;
	unsigned int i;
	size_t size;

	CU(cuModuleLoad(&m, HEAP_OPS));
	CU(cuModuleLoad(&other, HEAP_OPS));
	FAILS(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20), CUDA_ERROR_INVALID_VALUE, "has 8388608 bytes");
	lists = dev_alloc(N * 8);
	arrays = dev_alloc(N * 8);
	bad = dev_alloc(8);
	for (i = 0; i < 20; i++) { /* together more than the heap has */
		void *params[] = { &lists, &arrays, &bad };

		CU(cuLaunchKernel(heap_op(m, "allocate"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
		CU(cuLaunchKernel(heap_op(i % 2 ? m : other, "use_and_free"), BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
	}
	CHECK_EQ(read_u64(bad), 0);
	CU(cuModuleGetGlobal(&heap, &size, m, "_ZN12anpu_heap_ofIvE2atE"));
	FAILS(cuMemFree(read_u64(heap)), CUDA_ERROR_INVALID_VALUE, "the heap of kernels");
	CU(cuModuleUnload(other));
	CU(cuModuleUnload(m));
	CU(cuCtxDestroy(ctx));
}

static void a_heap_has_an_end(void)
{
	CUdeviceptr count;
	unsigned int size, large = 1000;
	CUmodule m;
	CUcontext ctx = start();
	CUfunction f;
	uint64_t n[3];
	int i;

	CU(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
	CU(cuModuleLoad(&m, HEAP_OPS));
	f = heap_op(m, "fill_up");
	count = dev_alloc(8);
	for (i = 0; i < 3; i++) {
		void *params[] = { i == 1 ? &size : &large, &count };

		size = 100;
		CU(cuMemsetD32(count, 0, 2));
		CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
		n[i] = read_u64(count);
	}
	/* blocks of 1024 bytes, the same again as smaller ones, and as they were */
	CHECK_OP(n[0], >, 1000);
	CHECK_OP(n[0], <=, 1024);
	CHECK_OP(n[1], >=, n[0]);
	CHECK_EQ(n[2], n[0]);
	CU(cuLaunchKernel(heap_op(m, "too_much"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED, "the heap of kernels is full or absent");
	CU(cuCtxDestroy(ctx));
	ctx = start();
	CU(cuModuleLoad(&m, HEAP_OPS));
	CU(cuLaunchKernel(heap_op(m, "free_twice"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED, "that malloc() or new of kernels did not return, or that was freed");
	CU(cuCtxDestroy(ctx));
	/* a smaller heap than that is not made, and a larger one than memory is told when the module is loaded */
	start();
	CU(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1ull << 50));
	FAILS(cuModuleLoad(&m, HEAP_OPS), CUDA_ERROR_OUT_OF_MEMORY, "");
	CU(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1));
	CU(cuModuleLoad(&m, HEAP_OPS));
	CU(cuModuleUnload(m));
}

TAP_MAIN(TEST(brief_blocks_begin_as_new_ones), TEST(kernels_have_a_heap), TEST(a_heap_has_an_end), TEST(parameters_come_in_two_ways),
	 TEST(functions_keep_their_parameters),
	 TEST(a_grid_has_three_axes),
	 TEST(a_grid_has_more_blocks_than_16_bits),
	 TEST(blocks_have_threads),
	 TEST(events_of_launches_order_what_follows),
	 TEST(vectors_are_added),
	 TEST(attributes_are_checked),
	 TEST(cooperative_blocks_are_all_there),
	 TEST(both_fronts_run_one_kernel),
	 TEST(a_failure_stays_with_its_context), TEST(what_waits_for_work_tells_its_failure), TEST(a_stream_tells_how_its_context_is),
	 TEST(a_null_pointer_is_an_illegal_address), TEST(an_illegal_instruction_has_its_code),
	 TEST(an_assertion_has_its_code))
