// SPDX-License-Identifier: MIT
/* Attributes of launches that let kernels overlap, tell of them while they run, and make clusters of their blocks. */
#include "cutest.h"

enum { GO, FRONT = 8, BEHIND = 16, WORDS = 64 };

static CUresult ex(const char *name, unsigned int grid, CUstream s, CUdeviceptr go, CUdeviceptr out, CUlaunchAttribute *a,
		   unsigned int n)
{
	CUlaunchConfig config = { .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .hStream = s, .attrs = a, .numAttrs = n };

	return cuLaunchKernelEx(&config, op(name), (void *[]){ &go, &out }, NULL);
}

static void read_words(uint64_t *w, CUdeviceptr p)
{
	CU(cuMemcpyDtoH(w, p, 8 * WORDS));
}

/* Both are in the stream before the first one may begin, so that a deterministic device overlaps them, too */
static void overlap(unsigned int n, unsigned int m)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
				.value = { .programmaticStreamSerializationAllowed = 1 } };
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING), t = new_stream(CU_STREAM_NON_BLOCKING);
	CUdeviceptr p = dev_alloc(8 * WORDS), gate = dev_alloc(8);
	uint64_t w[WORDS];

	CU(cuCtxSynchronize());
	CU(cuStreamWaitValue64(s, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
	CU(ex("front", n, s, p, p + 8 * FRONT, NULL, 0));
	CU(ex("behind", m, s, p, p + 8 * BEHIND, &a, 1));
	CU(cuStreamWriteValue64(t, gate, 1, 0));
	CU(cuStreamSynchronize(s));
	read_words(w, p);
	for (unsigned int i = 0; i < n; i++) {
		CHECK(w[BEHIND] && w[BEHIND] < w[FRONT + i]);
		for (unsigned int k = 0; k < m; k++)
			CHECK(w[BEHIND + 2 * k + 1] >= w[FRONT + i]);
	}
}

static void the_next_grid_overlaps(void)
{
	start();
	overlap(1, 1);
	overlap(3, 2);
	overlap(1, 4);
}

static void without_trigger_or_attribute_it_waits(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION };
	CUdeviceptr p;
	CUstream s;
	uint64_t w[WORDS];

	start();
	p = dev_alloc(8 * WORDS);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	CU(cuMemsetD32(p, 1, 1));
	CU(cuCtxSynchronize());
	CU(ex("front", 2, s, p, p + 8 * FRONT, NULL, 0));
	CU(ex("behind", 2, s, p, p + 8 * BEHIND, &a, 1));
	CU(cuStreamSynchronize(s));
	read_words(w, p);
	CHECK(w[BEHIND] >= w[FRONT] && w[BEHIND] >= w[FRONT + 1]);
	a.value.programmaticStreamSerializationAllowed = 1;
	CU(ex("shy_front", 2, s, p, p + 8 * FRONT, NULL, 0));
	CU(ex("behind", 2, s, p, p + 8 * BEHIND, &a, 1));
	CU(cuStreamSynchronize(s));
	read_words(w, p);
	CHECK(w[BEHIND] >= w[FRONT] && w[BEHIND] >= w[FRONT + 1]);
}

/* The kernel ends only if a stream that waits for the event goes on while it runs */
static void seen_while_it_runs(const char *name, CUlaunchAttribute *a, CUevent e, bool query)
{
	CUdeviceptr p = dev_alloc(8 * WORDS);
	CUstream s = new_stream(CU_STREAM_NON_BLOCKING), t = new_stream(CU_STREAM_NON_BLOCKING);

	CU(cuCtxSynchronize());
	CU(ex(name, 2, s, p, p + 8 * FRONT, a, 1));
	if (query) {
		while (cuEventQuery(e) == CUDA_ERROR_NOT_READY)
			;
		CHECK_EQ(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
	}
	CU(cuStreamWaitEvent(t, e, 0));
	CU(cuStreamWriteValue64(t, p, 1, 0));
	CU(cuStreamSynchronize(t));
	CU(cuStreamSynchronize(s));
	CU(cuEventSynchronize(e));
	CU(cuEventQuery(e));
}

static void events_are_seen_while_the_kernel_runs(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT };
	CUevent e;

	/* on a deterministic device, which has one thread, a kernel that spins lets no other run */
	if (getenv("ANPU_DIRECT") && strstr(getenv("ANPU_DIRECT"), "deterministic"))
		return;
	start();
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	a.value.programmaticEvent.event = e;
	seen_while_it_runs("front", &a, e, false);
	seen_while_it_runs("front", &a, e, true);
	a.value.programmaticEvent.triggerAtBlockStart = 1;
	seen_while_it_runs("shy_front", &a, e, true);
	a.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
	memset(&a.value, 0, sizeof(a.value));
	a.value.launchCompletionEvent.event = e;
	seen_while_it_runs("shy_front", &a, e, false);
	seen_while_it_runs("shy_front", &a, e, true);
	/* recorded in the usual way again, and in a launch that records two */
	CU(cuEventRecord(e, NULL));
	CU(cuEventSynchronize(e));
	{
		CUlaunchAttribute both[2] = { a, { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT } };
		CUevent other;

		CU(cuEventCreate(&other, CU_EVENT_DISABLE_TIMING));
		both[1].value.programmaticEvent.event = other;
		for (int i = 0; i < 2; i++) {
			CUdeviceptr p = dev_alloc(8 * WORDS);

			CU(cuMemsetD32(p, 1, 1));
			CU(ex("front", 1, NULL, p, p + 8 * FRONT, both, 2));
			CU(cuEventSynchronize(e));
			CU(cuEventSynchronize(other));
			CU(cuEventQuery(other));
			both[0].value.launchCompletionEvent.event = other;
		}
	}
}

/* A kernel that fails lets those go on that wait for its events, which may be before its failure is known */
static void a_failed_kernel_records_its_events(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &a, .numAttrs = 1 };
	CUevent e;

	start();
	CU(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	a.value.programmaticEvent.event = e;
	CU(cuLaunchKernelEx(&config, op("illegal_instruction"), NULL, NULL));
	(void)cuEventSynchronize(e);
	CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK_EQ(cuEventSynchronize(e), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

static CUresult clusters(unsigned int grid, unsigned int x, CUdeviceptr out)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { x, 1, 1 } } };
	CUlaunchConfig config = { .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &a, .numAttrs = 1 };

	return cuLaunchKernelEx(&config, op("pass_on"), (void *[]){ &out }, NULL);
}

/* The next block of the cluster of @x x @y x @z blocks that block @b of the grid is in, x first; -1: the one before */
static uint32_t neighbour(const uint32_t g[3], const uint32_t c[3], uint32_t b, int step)
{
	uint32_t at[3] = { b % g[0], b / g[0] % g[1], b / g[0] / g[1] }, n = c[0] * c[1] * c[2], rank;

	rank = at[0] % c[0] + c[0] * (at[1] % c[1] + c[1] * (at[2] % c[2]));
	rank = (rank + n + (uint32_t)step) % n;
	at[0] = at[0] / c[0] * c[0] + rank % c[0];
	at[1] = at[1] / c[1] * c[1] + rank / c[0] % c[1];
	at[2] = at[2] / c[2] * c[2] + rank / c[0] / c[1];
	return at[0] + g[0] * (at[1] + g[1] * at[2]);
}

/* Clusters are boxes of the grid: their blocks are numbered along x, y, z, and so are blocks and clusters of the grid. */
static void clusters_have_three_axes(void)
{
	static const uint32_t sizes[][3] = { { 1, 1, 2 }, { 1, 2, 1 }, { 2, 1, 1 }, { 1, 2, 2 }, { 2, 1, 2 }, { 2, 2, 1 }, { 1, 1, 4 },
					     { 1, 3, 1 }, { 2, 2, 2 }, { 1, 2, 4 }, { 4, 1, 2 } };
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
	CUlaunchConfig config = { .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1, .attrs = &a, .numAttrs = 1 };
	uint32_t out[8 * 6 * 12];
	CUdeviceptr p;
	int cores;

	start();
	p = dev_alloc(sizeof(out));
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const uint32_t *c = sizes[i], g[3] = { 2 * c[0], 3 * c[1], 3 * c[2] }, n = g[0] * g[1] * g[2];

		if (c[0] * c[1] * c[2] > (uint32_t)cores)
			continue;
		a.value.clusterDim.x = c[0];
		a.value.clusterDim.y = c[1];
		a.value.clusterDim.z = c[2];
		config.gridDimX = g[0];
		config.gridDimY = g[1];
		config.gridDimZ = g[2];
		CU(cuMemsetD32(p, 0xffffffff, n));
		CU(cuLaunchKernelEx(&config, op("pass_on"), (void *[]){ &p }, NULL));
		CU(cuMemcpyDtoH(out, p, 4 * n));
		for (uint32_t b = 0; b < n; b++)
			CHECK_EQ(out[b], neighbour(g, c, b, -1));
	}
}

static void blocks_make_clusters(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { 2, 1, 1 } } };
	CUlaunchConfig config = { .gridDimX = 8, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &a, .numAttrs = 1 };
	CUdeviceptr p;
	uint32_t out[64];
	int cores, most, n;

	start();
	p = dev_alloc(sizeof(out));
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CU(cuOccupancyMaxPotentialClusterSize(&most, op("pass_on"), &config));
	CHECK_EQ(most, cores < 8 ? cores : 8);
	CU(cuOccupancyMaxActiveClusters(&n, op("pass_on"), &config));
	CHECK_EQ(n, cores / 2);
	for (unsigned int size = 1; size <= (unsigned int)most; size++) {
		CU(clusters(3 * size, size, p));
		CU(cuMemcpyDtoH(out, p, sizeof(out)));
		for (unsigned int b = 0; b < 3 * size; b++)
			CHECK_EQ(out[b], b / size * size + (b % size + size - 1) % size);
	}
	FAILS(clusters(9, 2, p), CUDA_ERROR_INVALID_CLUSTER_SIZE, "whole clusters");
	FAILS(clusters(17, 17, p), CUDA_ERROR_INVALID_CLUSTER_SIZE, "17x1x1");
	FAILS(clusters((unsigned int)most + 1, (unsigned int)most + 1, p), CUDA_ERROR_INVALID_CLUSTER_SIZE, "at most");
	CU(cuFuncSetAttribute(op("pass_on"), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	CU(cuOccupancyMaxPotentialClusterSize(&most, op("pass_on"), &config));
	CHECK_EQ(most, cores < 16 ? cores : 16);
	CU(clusters((unsigned int)most, (unsigned int)most, p));
	CU(cuCtxSynchronize());
	a.value.clusterDim.x = 17;
	CU(cuOccupancyMaxActiveClusters(&n, op("pass_on"), &config));
	CHECK_EQ(n, 0);
	/* of the function */
	CU(cuFuncSetAttribute(op("pass_on"), CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
	config.numAttrs = 0;
	CU(cuLaunchKernelEx(&config, op("pass_on"), (void *[]){ &p }, NULL));
	CU(cuMemcpyDtoH(out, p, sizeof(out)));
	for (unsigned int b = 0; b < 8; b++)
		CHECK_EQ(out[b], b ^ 1);
}

static void kernels_are_written_for_clusters(void)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { 2, 1, 1 } } };
	CUlaunchConfig config = { .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
				  .blockDimZ = 1, .attrs = &a, .numAttrs = 1 };
	CUfunction f;
	CUdeviceptr p;
	uint32_t out[4];
	int v;

	start();
	p = dev_alloc(sizeof(out));
	f = op("pairs_pass_on");
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, f));
	CHECK_EQ(v, 2);
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, f));
	CHECK_EQ(v, 1);
	CU(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, f));
	CHECK_EQ(v, 1);
	FAILS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4), CUDA_ERROR_NOT_PERMITTED, "2x1x1");
	CU(cuLaunchKernel(f, 4, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL));
	CU(cuMemcpyDtoH(out, p, sizeof(out)));
	for (uint32_t b = 0; b < 4; b++)
		CHECK_EQ(out[b], b ^ 1);
	CU(cuLaunchKernelEx(&config, f, (void *[]){ &p }, NULL));
	a.value.clusterDim.x = 4;
	FAILS(cuLaunchKernelEx(&config, f, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_VALUE, "4x1x1");
	FAILS(cuLaunchKernel(f, 3, 1, 1, 1, 1, 1, 0, NULL, (void *[]){ &p }, NULL), CUDA_ERROR_INVALID_CLUSTER_SIZE, "whole");
	/* so does the other front */
	CHECK(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 3, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, NULL, (void *[]){ &p }));
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 2, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, NULL, (void *[]){ &p }), 0);
	CU(cuCtxSynchronize());
}

/* The same through AscendCL's calls ----------------------------------------------------------------- */

static aclError acl_launch(const char *name, unsigned int grid, CUstream s, CUdeviceptr go, CUdeviceptr out,
			   aclrtLaunchKernelAttr *a, size_t n)
{
	aclrtLaunchKernelCfg cfg = { a, n };

	return aclrtLaunchSIMTKernelWithArgsArray(op(name), (dim3){ grid, 1, 1 }, (dim3){ 1, 1, 1 }, 0, s, &cfg,
						  (void *[]){ &go, &out });
}

#define ACL(call) CHECK_EQ(call, ACL_SUCCESS)
/* It fails with that code, and a sentence that has that text */
#define REFUSED(call, code, fact) do { \
	const char *msg_; \
	aclGetRecentErrMsg(); \
	CHECK_EQ(call, code); \
	msg_ = aclGetRecentErrMsg(); \
	CHECK(msg_ && strstr(msg_, fact)); \
} while (0)

static void the_other_front_overlaps_and_records_events(void)
{
	aclrtLaunchKernelAttr a[2] = { { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP, .value.rsv = { 1 } },
				       { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY, .value.rsv = { 8 } } };
	CUstream s, t;
	CUdeviceptr p, gate;
	aclrtEvent e, timed;
	uint64_t w[WORDS];

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	p = dev_alloc(8 * WORDS);
	gate = dev_alloc(8);
	CU(cuCtxSynchronize());
	REFUSED(acl_launch("behind", 2, s, p, p + 8 * BEHIND, a, 2), ACL_ERROR_INVALID_PARAM, "0 to 7");
	a[1].value.rsv[0] = 2;
	CU(cuStreamWaitValue64(s, gate, 1, CU_STREAM_WAIT_VALUE_GEQ));
	ACL(acl_launch("front", 2, s, p, p + 8 * FRONT, NULL, 0));
	ACL(acl_launch("behind", 2, s, p, p + 8 * BEHIND, a, 2));
	CU(cuStreamWriteValue64(t, gate, 1, 0));
	CU(cuStreamSynchronize(s));
	read_words(w, p);
	CHECK(w[BEHIND] < w[FRONT] && w[BEHIND + 1] >= w[FRONT]);
	ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	ACL(aclrtCreateEventExWithFlag(&timed, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
	a[0] = (aclrtLaunchKernelAttr){ .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_BEGUN_EVENT };
	REFUSED(acl_launch("front", 2, s, p, p + 8 * FRONT, a, 1), ACL_ERROR_INVALID_PARAM, "is NULL");
	a[0].value.rsv[0] = (uint32_t)(uintptr_t)timed;
	a[0].value.rsv[1] = (uint32_t)((uintptr_t)timed >> 32);
	REFUSED(acl_launch("front", 2, s, p, p + 8 * FRONT, a, 1), ACL_ERROR_INVALID_PARAM, "has a time");
	ACL(aclrtDestroyEvent(timed));
	REFUSED(acl_launch("front", 2, s, p, p + 8 * FRONT, a, 1), ACL_ERROR_RT_INVALID_HANDLE, "destroyed");
	a[0].value.rsv[0] = (uint32_t)(uintptr_t)e;
	a[0].value.rsv[1] = (uint32_t)((uintptr_t)e >> 32);
	a[1] = a[0];
	a[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_TRIGGER_EVENT;
	a[1].value.rsv[2] = 1;
	/* on a deterministic device, which has one thread, a kernel that spins lets no other run */
	if (getenv("ANPU_DIRECT") && strstr(getenv("ANPU_DIRECT"), "deterministic"))
		return;
	for (int i = 0; i < 2; i++) {
		CU(cuMemsetD8(p, 0, 8));
		CU(cuCtxSynchronize());
		ACL(acl_launch("shy_front", 2, s, p, p + 8 * FRONT, &a[i], 1));
		ACL(aclrtStreamWaitEvent(t, e));
		CU(cuStreamWriteValue64(t, p, 1, 0)); /* it ends only when the event has come */
		CU(cuStreamSynchronize(s));
	}
}

/* In a recording both events are its tasks: a stream that waits for one is recorded, too. */
static void events_of_recorded_launches_order_streams(void)
{
	static const uint16_t ids[] = { ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_BEGUN_EVENT, ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_TRIGGER_EVENT };
	CUdeviceptr p;
	CUstream s, t;

	start();
	s = new_stream(CU_STREAM_NON_BLOCKING);
	t = new_stream(CU_STREAM_NON_BLOCKING);
	p = dev_alloc(8 * WORDS);
	op("shy_front");
	CU(cuCtxSynchronize());
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		aclrtLaunchKernelAttr a = { .id = ids[i] };
		CUstreamCaptureStatus status;
		aclrtEvent e, back;
		CUgraph g;

		ACL(aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
		ACL(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
		a.value.rsv[0] = (uint32_t)(uintptr_t)e;
		a.value.rsv[1] = (uint32_t)((uintptr_t)e >> 32);
		CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
		ACL(acl_launch("shy_front", 2, s, p, p + 8 * FRONT, &a, 1));
		ACL(aclrtStreamWaitEvent(t, e));
		CU(cuStreamIsCapturing(t, &status));
		CHECK_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
		ACL(aclrtRecordEvent(back, t));
		ACL(aclrtStreamWaitEvent(s, back));
		/* while it belongs to a recording no launch outside of it records it */
		REFUSED(acl_launch("shy_front", 2, NULL, p, p + 8 * FRONT, &a, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"no launch records");
		CU(cuStreamEndCapture(s, &g));
		CU(cuGraphDestroy(g));
	}
}

static void the_other_front_has_grids_clusters_and_blocks_of_arguments(void)
{
	aclrtLaunchKernelAttr a = { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER, .value.rsv = { 2, 1, 1 } };
	aclrtLaunchKernelAttr batch = { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE, .value.rsv = { 1 } };
	aclrtLaunchKernelCfg cfg = { &a, 1 };
	aclrtPlaceHolderInfo hole = { .addrOffset = 8, .dataOffset = 16 };
	struct { uint64_t dst, src, data; } block = { .data = 1234 };
	uint32_t out[600];
	CUdeviceptr p;
	int cores;

	start();
	p = dev_alloc(4096);
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	ACL(aclrtLaunchSIMTKernelWithHostArgs(op("pass_on"), (dim3){ 4, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, &cfg, &p, 8, NULL, 0));
	CU(cuMemcpyDtoH(out, p, 16));
	for (uint32_t b = 0; b < 4; b++)
		CHECK_EQ(out[b], b ^ 1);
	ACL(aclrtLaunchSIMTKernelWithHostArgs(op("thread_numbers"), (dim3){ 2, 1, 1 }, (dim3){ 4, 2, 1 }, 64, NULL, NULL, &p, 8,
					      NULL, 0));
	CU(cuMemcpyDtoH(out, p, 64));
	for (uint32_t i = 0; i < 16; i++)
		CHECK_EQ(out[i], (i / 8) << 16 | i % 8);
	/* data behind the arguments, whose address is written into them */
	block.dst = p;
	ACL(aclrtLaunchSIMTKernelWithHostArgs(op("load_store"), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, NULL, &block,
					      sizeof(block), &hole, 1));
	CHECK_EQ(read_u64(p), 1234);
	a.value.rsv[0] = 3;
	REFUSED(aclrtLaunchSIMTKernelWithHostArgs(op("pass_on"), (dim3){ 4, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, &cfg, &p, 8, NULL,
						  0), ACL_ERROR_RT_PARAM_INVALID, "whole clusters");
	REFUSED(aclrtLaunchSIMTKernelWithHostArgs(op("load_store"), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, NULL, &block, 8,
						  NULL, 0), ACL_ERROR_RT_PARAM_INVALID, "argsSize is 8");
	REFUSED(aclrtLaunchSIMTKernelWithHostArgs(op("load_store"), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL, NULL, NULL, 8,
						  NULL, 0), ACL_ERROR_INVALID_PARAM, "NULL");
	cfg.attrs = &batch;
	REFUSED(aclrtLaunchSIMTKernelWithHostArgs(op("pass_on"), (dim3){ (unsigned int)cores + 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, NULL,
						  &cfg, &p, 8, NULL, 0), ACL_ERROR_RT_PARAM_INVALID, "at the same time");
	/* launches without a place for threads, and for this library's attributes */
	REFUSED(aclrtLaunchKernelWithHostArgs(op("pass_on"), 1, NULL, NULL, &p, 8, NULL, 0), ACL_ERROR_RT_PARAM_INVALID, "has threads");
	REFUSED(aclrtLaunchKernelWithHostArgs(op("nothing"), 1, NULL, &cfg, NULL, 0, NULL, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"own attributes");
	CU(cuCtxSynchronize());
}

/* A launch by the other front, which looks at nothing before the library does: @fact is the whole of the sentence's middle */
static void is_refused(const char *name, dim3 grid, dim3 block, size_t shared, uint32_t x, uint32_t y, uint32_t z, aclError code,
		       const char *fact)
{
	aclrtLaunchKernelAttr a = { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER, .value.rsv = { x, y, z } };
	aclrtLaunchKernelCfg cfg = { &a, 1 };
	uint64_t arg = 0;
	const char *msg;

	aclGetRecentErrMsg();
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op(name), grid, block, shared, NULL, x ? &cfg : NULL, (void *[]){ &arg }), code);
	msg = aclGetRecentErrMsg();
	if (!msg || !strstr(msg, fact))
		FAIL("'%s' is not in: %s", fact, msg ? msg : "(no message)");
}

/* Each limit at its edge, with values that all differ: the sentence has them in their places. */
static void refused_launches_are_told_with_their_values(void)
{
	dim3 one = { 1, 1, 1 };
	char text[200];
	size_t most;
	int cores;

	start();
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	CU(cuOccupancyAvailableDynamicSMemPerBlock(&most, op("thread_numbers"), 1, 32));
	is_refused("thread_numbers", (dim3){ 2, 3, 0 }, (dim3){ 4, 5, 6 }, 0, 0, 0, 0, ACL_ERROR_INVALID_PARAM,
		   "the grid is 2x3x0 and a block 4x5x6: none may be 0");
	is_refused("thread_numbers", (dim3){ 2, 3, 7 }, (dim3){ 4, 0, 6 }, 0, 0, 0, 0, ACL_ERROR_INVALID_PARAM,
		   "the grid is 2x3x7 and a block 4x0x6: none may be 0");
	for (int axis = 0; axis < 3; axis++) {
		unsigned int g[3] = { 1, 1, 1 };

		g[axis] = 0;
		snprintf(text, sizeof(text), "the grid is %ux%ux%u and a block 1x1x1: none may be 0", g[0], g[1], g[2]);
		is_refused("thread_numbers", (dim3){ g[0], g[1], g[2] }, one, 0, 0, 0, 0, ACL_ERROR_INVALID_PARAM, text);
		snprintf(text, sizeof(text), "the grid is 1x1x1 and a block %ux%ux%u: none may be 0", g[0], g[1], g[2]);
		is_refused("thread_numbers", one, (dim3){ g[0], g[1], g[2] }, 0, 0, 0, 0, ACL_ERROR_INVALID_PARAM, text);
	}
	is_refused("thread_numbers", one, (dim3){ 5, 4, 13 }, 0, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID,
		   "a block of the launch has 5x4x13 threads and 'thread_numbers' can have 256");
	is_refused("thread_numbers", one, (dim3){ 65536, 65536, 1 }, 0, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID, "65536x65536x1 threads");
	is_refused("thread_numbers", one, (dim3){ 1, 65536, 65536 }, 0, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID, "1x65536x65536 threads");
	is_refused("load_store", one, (dim3){ 2, 1, 1 }, 0, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID,
		   "a block of the launch has 2x1x1 threads and 'load_store' can have 1");
	snprintf(text, sizeof(text), "dynUbufSize is %zu and a core has %zu bytes", most + 1, most);
	is_refused("thread_numbers", one, one, most + 1, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID, text);
	is_refused("load_store", one, one, 1, 0, 0, 0, ACL_ERROR_RT_PARAM_INVALID,
		   "the launch asks for 1 bytes of dynamic shared memory and 'load_store' can have 0");
	is_refused("pass_on", (dim3){ 4, 6, 9 }, one, 0, 2, 3, 4, ACL_ERROR_RT_PARAM_INVALID,
		   "the grid of 4x6x9 blocks is not made of whole clusters of 2x3x4");
	snprintf(text, sizeof(text), "the launch asks for clusters of %dx1x1 blocks, and those of 'pass_on' can have %d",
		 cores < 8 ? cores + 1 : 9, cores < 8 ? cores : 8);
	is_refused("pass_on", (dim3){ cores < 8 ? (unsigned int)cores + 1 : 9, 1, 1 }, one, 0, cores < 8 ? (uint32_t)cores + 1 : 9, 1, 1,
		   ACL_ERROR_RT_PARAM_INVALID, text);
	is_refused("pass_on", (dim3){ 1, 1 << 20, 1 }, one, 0, 1, 1 << 20, 1, ACL_ERROR_RT_PARAM_INVALID, "clusters of 1x1048576x1 blocks");
	is_refused("pairs_pass_on", (dim3){ 4, 6, 8 }, one, 0, 1, 3, 4, ACL_ERROR_RT_PARAM_INVALID,
		   "the launch asks for clusters of 1x3x4 blocks, and 'pairs_pass_on' is written for 2x1x1");
	is_refused("pairs_pass_on", (dim3){ 4, 6, 8 }, one, 0, 2, 1, 4, ACL_ERROR_RT_PARAM_INVALID,
		   "the launch asks for clusters of 2x1x4 blocks, and 'pairs_pass_on' is written for 2x1x1");
	/* what just fits runs */
	CHECK_EQ(aclrtLaunchSIMTKernelWithArgsArray(op("nothing"), one, one, 0, NULL, NULL, NULL), ACL_SUCCESS);
	CU(cuCtxSynchronize());
}

static void the_other_front_records_nodes_that_kernels_change(void)
{
	aclrtLaunchKernelAttr a[2] = { { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE, .value.rsv = { 1 } },
				       { .id = ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP, .value.rsv = { 1 } } };
	aclrtLaunchKernelCfg cfg = { a, 1 };
	int32_t value = -1, wanted = 21, on = 1;
	uint32_t blocks = 1;
	CUdeviceptr p, at;
	int8_t b = 0;
	int64_t c = 0;
	CUstream s;

	start();
	p = dev_alloc(8 * WORDS);
	s = new_stream(CU_STREAM_NON_BLOCKING);
	op("told");
	REFUSED(aclrtLaunchSIMTKernelWithArgsArray(op("told"), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, s, &cfg,
						   (void *[]){ &p, &value, &b, &c }), ACL_ERROR_INVALID_PARAM, "being recorded");
	CU(cuCtxSynchronize());
	at = p + 64;
	/* the second launch says more than a packet holds: that is in front of the arguments */
	for (size_t attrs = 1; attrs <= 2; attrs++, wanted++) {
		CUgraphExec e;
		uint64_t node;
		CUgraph g;

		cfg = (aclrtLaunchKernelCfg){ a, attrs };
		CU(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
		ACL(aclrtLaunchSIMTKernelWithArgsArray(op("told"), (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, s, &cfg,
						       (void *[]){ &p, &value, &b, &c }));
		CU(cuStreamEndCapture(s, &g));
		node = a[0].value.rsv[2] | (uint64_t)a[0].value.rsv[3] << 32;
		CHECK(node);
		CU(cuGraphInstantiate(&e, g, 0));
		/* between two executions, by a kernel outside of the graph */
		CU(cuLaunchKernel(op("change"), 1, 1, 1, 1, 1, 1, 0, s,
				  (void *[]){ &node, &wanted, &c, &blocks, &on, &at }, NULL));
		CU(cuGraphLaunch(e, s));
		CU(cuStreamSynchronize(s));
		CHECK_EQ(read_u64(p), (uint64_t)wanted);
	}
}

TAP_MAIN(TEST(the_next_grid_overlaps),
	 TEST(without_trigger_or_attribute_it_waits),
	 TEST(events_are_seen_while_the_kernel_runs),
	 TEST(a_failed_kernel_records_its_events),
	 TEST(blocks_make_clusters), TEST(clusters_have_three_axes),
	 TEST(kernels_are_written_for_clusters),
	 TEST(the_other_front_overlaps_and_records_events),
	 TEST(events_of_recorded_launches_order_streams),
	 TEST(the_other_front_has_grids_clusters_and_blocks_of_arguments),
	 TEST(refused_launches_are_told_with_their_values),
	 TEST(the_other_front_records_nodes_that_kernels_change))
