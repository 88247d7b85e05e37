// SPDX-License-Identifier: MIT
/*
 * The cost of libacl's calls beside the driver's: the forms of a launch, events, callbacks. Kernels are
 * empty, with the arguments that most have: three pointers and a number.
 */
#include <stdio.h>
#include <stdlib.h>

#include <acl/acl.h>

#include "runtime.h"
#include "stats.h"

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

struct args {
	void *x, *y, *z;
	uint64_t n;
};

static aclrtFuncHandle empty, empty_args;
static aclrtStream stream;
static struct args args;
static const struct bench_floors *floors;
static void *device_args;
static aclrtArgsHandle list;

static uint64_t *samples(size_t n)
{
	uint64_t *s = malloc(n * sizeof(*s));

	if (!s) {
		perror("bench: samples");
		exit(1);
	}
	return s;
}

/* Launches -------------------------------------------------------------------------------------- */

static void launch_empty(void)
{
	ACL(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, NULL, 0, NULL, 0));
}

static void launch_device_args(void)
{
	ACL(aclrtLaunchKernelV2(empty_args, 1, device_args, sizeof(args), NULL, stream));
}

static void launch_args_list(void)
{
	ACL(aclrtLaunchKernelWithConfig(empty_args, 1, stream, NULL, list, NULL));
}

static void launch_host_args(void)
{
	ACL(aclrtLaunchKernelWithHostArgs(empty_args, 1, stream, NULL, &args, sizeof(args), NULL, 0));
}

static void launch_args_array(void)
{
	void *array[] = { &args.x, &args.y, &args.z, &args.n };

	ACL(aclrtLaunchKernelWithArgsArray(empty_args, 1, stream, NULL, array));
}

/* The call alone: the ring is emptied outside of what is measured. */
static void bench_async(const char *name, void (*launch)(void), const char *floor)
{
	enum { BATCH = 100, N = 100 * BATCH };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);

	for (size_t i = 0; i < count; i++) {
		uint64_t t;

		if (i % BATCH == 0)
			ACL(aclrtSynchronizeStream(stream));
		t = bench_now();
		launch();
		ns[i] = bench_now() - t;
	}
	ACL(aclrtSynchronizeStream(stream));
	bench_add(name, BENCH_NS, ns, count, 0, floor);
	free(ns);
}

/* The same calls with the same clock: against the floor that issue and documents name. */
static void bench_sync(void)
{
	enum { N = 5000 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		launch_empty();
		ACL(aclrtSynchronizeStream(stream));
		ns[i] = bench_now() - t;
	}
	bench_add("launch_sync", BENCH_NS, ns, count, 0, floors->sync);
	if (floors->driver_sync)
		bench_add("launch_sync_driver", BENCH_NS, ns, count, 0, floors->driver_sync);
	free(ns);
}

static void make_list(void)
{
	aclrtParamHandle param;

	ACL(aclrtKernelArgsInit(empty_args, &list));
	ACL(aclrtKernelArgsAppend(list, &args.x, sizeof(args.x), &param));
	ACL(aclrtKernelArgsAppend(list, &args.y, sizeof(args.y), &param));
	ACL(aclrtKernelArgsAppend(list, &args.z, sizeof(args.z), &param));
	ACL(aclrtKernelArgsAppend(list, &args.n, sizeof(uint32_t), &param));
	ACL(aclrtKernelArgsFinalize(list));
}

static void bench_launches(void)
{
	ACL(aclrtMalloc(&device_args, sizeof(args), ACL_MEM_MALLOC_NORMAL_ONLY));
	ACL(aclrtMemcpy(device_args, sizeof(args), &args, sizeof(args), ACL_MEMCPY_HOST_TO_DEVICE));
	make_list();
	bench_sync();
	bench_async("launch_async", launch_empty, floors->call);
	bench_async("launch_device_args", launch_device_args, floors->submit);
	bench_async("launch_args_list", launch_args_list, floors->submit);
	bench_async("launch_host_args", launch_host_args, floors->submit);
	bench_async("launch_args_array", launch_args_array, floors->submit);
	ACL(aclrtFree(device_args));
}

/* Events and callbacks -------------------------------------------------------------------------- */

/* One stream records, another waits for it, the host for the other. */
static void bench_event(void)
{
	enum { N = 3000 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);
	aclrtStream other;
	aclrtEvent event;

	ACL(aclrtCreateStream(&other));
	ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		ACL(aclrtRecordEvent(event, stream));
		ACL(aclrtStreamWaitEvent(other, event));
		ACL(aclrtSynchronizeStream(other));
		ns[i] = bench_now() - t;
	}
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtDestroyEvent(event));
	ACL(aclrtDestroyStream(other));
	bench_add("event_record_wait", BENCH_NS, ns, count, 0, floors->driver_sync ? floors->driver_sync : floors->sync);
	free(ns);
}

/* Kernels that are launched one by one, and the same kernels as a graph: until the last has run. */
static void bench_graph(void)
{
	enum { KERNELS = 100, N = 500 };
	const size_t count = bench_samples(N);
	uint64_t *one = samples(N), *all = samples(N);
	aclmdlRI graph;

	ACL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	for (size_t i = 0; i < KERNELS; i++)
		ACL(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, NULL, 0, NULL, 0));
	ACL(aclmdlRICaptureEnd(stream, &graph));
	/* in turn, so that other work on the machine meets both */
	for (size_t n = 0; n < count; n++) {
		uint64_t t = bench_now();

		for (size_t i = 0; i < KERNELS; i++)
			ACL(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, NULL, 0, NULL, 0));
		ACL(aclrtSynchronizeStream(stream));
		one[n] = (bench_now() - t) / KERNELS;
		t = bench_now();
		ACL(aclmdlRIExecuteAsync(graph, stream));
		ACL(aclrtSynchronizeStream(stream));
		all[n] = (bench_now() - t) / KERNELS;
	}
	bench_add("launch_100", BENCH_NS, one, count, 0, NULL);
	bench_add("graph_100", BENCH_NS, all, count, 0, floors->launches);
	ACL(aclmdlRIDestroy(graph));
	free(one);
	free(all);
}

static void nothing(void *data)
{
	(void)data;
}

/* From the stream to the host's thread and back. */
static void bench_callback(void)
{
	enum { N = 2000 };
	const size_t count = bench_samples(N);
	uint64_t *ns = samples(N);

	for (size_t i = 0; i < count; i++) {
		uint64_t t = bench_now();

		ACL(aclrtLaunchHostFunc(stream, nothing, NULL));
		ACL(aclrtSynchronizeStream(stream));
		ns[i] = bench_now() - t;
	}
	bench_add("callback_round_trip", BENCH_NS, ns, count, 0, floors->round_trip);
	free(ns);
}

void bench_runtime(const char *operators, const struct bench_floors *beside)
{
	char file[4096];
	aclrtBinHandle bin;

	floors = beside;
	snprintf(file, sizeof(file), "%s/empty.o", operators);
	ACL(aclrtBinaryLoadFromFile(file, NULL, &bin));
	ACL(aclrtBinaryGetFunction(bin, "empty", &empty));
	ACL(aclrtBinaryGetFunction(bin, "empty_args", &empty_args));
	ACL(aclrtCreateStream(&stream));
	bench_launches();
	bench_event();
	bench_graph();
	bench_callback();
	ACL(aclrtDestroyStream(stream));
	ACL(aclrtBinaryUnLoad(bin));
}
