// SPDX-License-Identifier: MIT
/*
 * Launches with a configuration, in the program's own process (direct engine): what the driver-API front costs beside
 * aclrt's, and what attributes of launches gain. Documentation/bench.md describes each result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <cuda.h>

#include "../stats.h"

#define CU(call) do { \
	CUresult err_ = (call); \
	if (err_) { \
		fprintf(stderr, "%s:%d: %s: %d: %s\n", __FILE__, __LINE__, #call, (int)err_, aclGetRecentErrMsg()); \
		exit(1); \
	} \
} while (0)

enum { MOST = 20000 };

/* Streams that have the cores while another one is measured: one would share them with the small kernel as soon as its time slice ends */
enum { BUSY = 4 };

static uint64_t first[MOST], second[MOST];
static unsigned int rounds = 20;
static CUmodule module;
static CUstream stream;
static int cores;

static CUfunction kernel(const char *name)
{
	CUfunction f;

	CU(cuModuleGetFunction(&f, module, name));
	return f;
}

/* The call alone, by both fronts in turn: a hundred each, then the stream is emptied outside of what is measured */
static void bench_calls(void)
{
	CUdeviceptr p = 0;
	int n = 0;
	void *params[] = { &p, &p, &p, &n };
	CUfunction f = kernel("nothing");
	size_t count = 0;

	for (unsigned int r = 0; r < rounds * 5; r++) {
		for (int i = 0; i < 100; i++) {
			uint64_t t = bench_now();

			if (aclrtLaunchSIMTKernelWithArgsArray(f, (dim3){ 1, 1, 1 }, (dim3){ 32, 1, 1 }, 0, stream, NULL, params))
				exit(1);
			first[count + i] = bench_now() - t;
		}
		CU(cuStreamSynchronize(stream));
		for (int i = 0; i < 100; i++) {
			uint64_t t = bench_now();

			CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL));
			second[count + i] = bench_now() - t;
		}
		CU(cuStreamSynchronize(stream));
		count += 100;
	}
	bench_add("front_aclrt_launch", BENCH_NS, first, count, 0, NULL);
	bench_add("front_cu_launch", BENCH_NS, second, count, 0, "front_aclrt_launch");
}

static CUresult launch(const char *name, unsigned int grid, CUstream s, void **params, CUlaunchAttribute *a)
{
	CUlaunchConfig config = { .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
				  .blockDimZ = 1, .hStream = s, .attrs = a, .numAttrs = a ? 1 : 0 };

	return cuLaunchKernelEx(&config, kernel(name), params, NULL);
}

/* Time per kernel of a hundred in a row, each of which counts to @work in its part that needs no other kernel */
static uint64_t chain(int work, CUlaunchAttribute *a)
{
	static CUdeviceptr sum;
	uint64_t t;

	if (!sum)
		CU(cuMemAlloc(&sum, 4096));
	CU(cuStreamSynchronize(stream));
	t = bench_now();
	for (int i = 0; i < 100; i++)
		CU(launch("link", 1, stream, (void *[]){ &sum, &work }, a));
	CU(cuStreamSynchronize(stream));
	return (bench_now() - t) / 100;
}

/* A hundred kernels, each behind the other, without and with programmatic serialisation */
static void chain_of(int work, const char *name, const char *overlap)
{
	CUlaunchAttribute a = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
				.value = { .programmaticStreamSerializationAllowed = 1 } };

	for (unsigned int r = 0; r < rounds; r++) {
		first[r] = chain(work, NULL);
		second[r] = chain(work, &a);
	}
	bench_add(name, BENCH_NS, first, rounds, 0, NULL);
	bench_add(overlap, BENCH_NS, second, rounds, 0, name);
}

/* Kernels that are hardly more than their launch, and kernels that compute */
static void bench_chain(void)
{
	chain_of(100, "front_chain", "front_chain_overlap");
	chain_of(1000, "front_chain_work", "front_chain_work_overlap");
}

/* How long a small kernel in stream @s takes while the kernels of the streams @busy share all cores */
static uint64_t under_load(CUstream busy[BUSY], volatile int *words, CUstream s)
{
	volatile int *stop = words, *begun = words + 1;
	void *load[] = { &stop, &begun };
	CUdeviceptr p = 0;
	int n = 0;
	uint64_t t;

	*stop = *begun = 0;
	for (int i = 0; i < BUSY; i++)
		CU(launch("load", (unsigned int)cores, busy[i], load, NULL));
	while (*begun < BUSY * cores)
		;
	t = bench_now();
	CU(launch("nothing", 1, s, (void *[]){ &p, &p, &p, &n }, NULL));
	CU(cuStreamSynchronize(s));
	t = bench_now() - t;
	*stop = 1;
	for (int i = 0; i < BUSY; i++)
		CU(cuStreamSynchronize(busy[i]));
	return t;
}

static void bench_priority(void)
{
	CUstream busy[BUSY], urgent;
	unsigned int n = rounds / 2;
	volatile int *words;

	for (int i = 0; i < BUSY; i++)
		CU(cuStreamCreate(&busy[i], CU_STREAM_NON_BLOCKING));
	CU(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -2));
	CU(cuMemAllocHost((void **)&words, 64));
	for (unsigned int r = 0; r < n; r++) {
		first[r] = under_load(busy, words, stream);
		second[r] = under_load(busy, words, urgent);
	}
	bench_add("front_loaded", BENCH_NS, first, n, 0, NULL);
	bench_add("front_loaded_priority", BENCH_NS, second, n, 0, "front_loaded");
}

/* Per barrier, with the blocks of one kernel */
static void bench_barriers(void)
{
	enum { TIMES = 200 };
	CUlaunchAttribute coop = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = { .cooperative = 1 } };
	CUlaunchAttribute pair = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = { .clusterDim = { 2, 1, 1 } } };
	int times = TIMES;

	for (unsigned int r = 0; r < rounds; r++) {
		uint64_t t = bench_now();

		CU(launch("grid_barriers", 2, stream, (void *[]){ &times }, &coop));
		CU(cuStreamSynchronize(stream));
		first[r] = (bench_now() - t) / TIMES;
		t = bench_now();
		CU(launch("cluster_barriers", 2, stream, (void *[]){ &times }, &pair));
		CU(cuStreamSynchronize(stream));
		second[r] = (bench_now() - t) / TIMES;
	}
	bench_add("front_grid_barrier", BENCH_NS, first, rounds, 0, NULL);
	bench_add("front_cluster_barrier", BENCH_NS, second, rounds, 0, "front_grid_barrier");
}

int main(int argc, char **argv)
{
	const char *out = NULL, *file = "build/tests/bench/front.o";
	CUcontext ctx;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			rounds = 4;
		else if (!strcmp(argv[i], "--json") && i + 1 < argc)
			out = argv[++i];
		else
			return fprintf(stderr, "usage: launches [--quick] [--json FILE]\n"), 2;
	}
	CU(cuInit(0));
	CU(cuCtxCreate(&ctx, 0, 0));
	CU(cuModuleLoad(&module, file));
	CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CU(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	bench_calls();
	bench_chain();
	bench_priority();
	bench_barriers();
	CU(cuCtxDestroy(ctx));
	return bench_report(out) ? 1 : 0;
}
