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

TAP_MAIN(TEST(the_next_grid_overlaps),
	 TEST(without_trigger_or_attribute_it_waits),
	 TEST(events_are_seen_while_the_kernel_runs),
	 TEST(a_failed_kernel_records_its_events),
	 TEST(blocks_make_clusters),
	 TEST(kernels_are_written_for_clusters))
