// SPDX-License-Identifier: MIT
/* Collectives as tasks of streams: asynchronous, in order, in graphs, in several streams, late ranks. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccltest.h"

enum { N = 50000 };

static void check_value(const struct rank *r, const int32_t *dev, int32_t want)
{
	int32_t *host = host_alloc(N * 4);

	dev_read(host, dev, N * 4);
	for (int i = 0; i < N; i++)
		if (host[i] != want)
			FAIL("rank %u: element %d is %d, not %d", r->rank, i, host[i], want);
}

static void set_all(int32_t *dev, int32_t value, aclrtStream stream)
{
	ACL(aclrtMemsetD32Async(dev, N * 4, (uint32_t)value, N, stream));
}

/* Nothing waits in the calls, and what is in the stream before and behind keeps its place */
static void ordered(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4), *copy = dev_with(NULL, N * 4);
	aclrtStreamStatus status;
	uint64_t *gate = NULL;

	if (r->rank == 1)
		gate = close_host_gate(r->stream);
	set_all(buf, (int32_t)r->rank + 1, r->stream);
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtMemcpyAsync(copy, N * 4, buf, N * 4, ACL_MEMCPY_DEVICE_TO_DEVICE, r->stream));
	set_all(buf, 0, r->stream);
	/* all have called, and nobody has a result, because rank 1's stream is shut */
	meet(r);
	ACL(aclrtStreamQuery(r->stream, &status));
	CHECK_EQ(status, ACL_STREAM_STATUS_NOT_READY);
	meet(r);
	if (gate)
		open_host_gate(gate);
	ACL(aclrtSynchronizeStream(r->stream));
	check_value(r, copy, 6);
	check_value(r, buf, 0);
	ACL(aclrtFree(buf));
	ACL(aclrtFree(copy));
}

static void calls_return_at_once(void)
{
	begin();
	with_ranks(3, NULL, ordered, NULL);
}

/* Many calls without waiting between them, of all kinds */
static void many(struct rank *r)
{
	int32_t *a = dev_with(NULL, N * 4), *b = dev_with(NULL, N * 4);

	set_all(a, 1, r->stream);
	for (int i = 0; i < 6; i++) {
		HCCL(HcclAllReduce(a, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		HCCL(HcclBroadcast(b, N, HCCL_DATA_TYPE_INT32, (uint32_t)i % r->ranks, r->comm, r->stream));
		HCCL(HcclBarrier(r->comm, r->stream));
		HCCL(HcclReduce(b, a, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, 0, r->comm, r->stream));
		HCCL(HcclBroadcast(a, N, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream));
	}
	ACL(aclrtSynchronizeStream(r->stream));
	check_value(r, a, 4 * 4 * 4 * 4 * 4 * 4);
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

static void many_at_once(void)
{
	HcclCommConfig config = small_buffers(NULL);

	begin();
	with_ranks(4, &config, many, NULL);
}

enum { ROW = 8, LARGE = 600000 };

/*
 * Of two ranks, each fills the slot again in which the other has shown it a sum, without asking: the other is done with it. Three chunks in
 * two slots, call behind call, and each with other numbers
 */
static void row(struct rank *r)
{
	int32_t *buf = dev_with(NULL, LARGE * 4), *host = host_alloc(LARGE * 4), *out[ROW];

	for (int i = 0; i < ROW; i++)
		out[i] = dev_with(NULL, LARGE * 4);
	for (int i = 0; i < ROW; i++) {
		ACL(aclrtMemsetD32Async(buf, LARGE * 4, (r->rank + 1) << i, LARGE, r->stream));
		HCCL(HcclAllReduce(buf, out[i], LARGE, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	}
	ACL(aclrtSynchronizeStream(r->stream));
	for (int i = 0; i < ROW; i++) {
		dev_read(host, out[i], LARGE * 4);
		for (int k = 0; k < LARGE; k++)
			if (host[k] != 3 << i)
				FAIL("rank %u, call %d: element %d is %d, not %d", r->rank, i, k, host[k], 3 << i);
		ACL(aclrtFree(out[i]));
	}
	ACL(aclrtFree(buf));
}

static void two_ranks_in_a_row(void)
{
	HcclCommConfig config = small_buffers(NULL);

	begin();
	with_ranks(2, &config, row, NULL);
}

/* A communicator's collectives are one behind the other, whatever their streams */
static void two_streams(struct rank *r)
{
	aclrtStream second;
	int32_t *a = dev_with(NULL, N * 4), *b = dev_with(NULL, N * 4);

	ACL(aclrtCreateStream(&second));
	set_all(a, (int32_t)r->rank, r->stream);
	set_all(b, 10, second);
	for (int i = 0; i < 5; i++) {
		HCCL(HcclAllReduce(a, a, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream));
		HCCL(HcclAllReduce(b, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, second));
	}
	ACL(aclrtSynchronizeStream(second));
	ACL(aclrtSynchronizeStream(r->stream));
	check_value(r, a, 2);
	check_value(r, b, 10 * 3 * 3 * 3 * 3 * 3);
	/* the last call was in a stream that goes before the communicator does */
	ACL(aclrtDestroyStream(second));
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

static void in_two_streams(void)
{
	begin();
	with_ranks(3, NULL, two_streams, NULL);
}

/* Recorded once, run often; rank 0 makes the same calls without a graph */
static void recorded(struct rank *r)
{
	int32_t *a = dev_with(NULL, N * 4), *b = dev_with(NULL, N * 4);
	aclmdlRI graph = NULL;

	set_all(a, 1, r->stream);
	ACL(aclrtSynchronizeStream(r->stream));
	if (r->rank) {
		ACL(aclmdlRICaptureBegin(r->stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
		HCCL(HcclAllReduce(a, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		HCCL(HcclAllReduce(b, a, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_PROD, r->comm, r->stream));
		ACL(aclmdlRICaptureEnd(r->stream, &graph));
	}
	for (int i = 0; i < 3; i++) {
		set_all(a, i + 1, r->stream);
		if (graph) {
			ACL(aclmdlRIExecuteAsync(graph, r->stream));
		} else {
			HCCL(HcclAllReduce(a, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
			HCCL(HcclAllReduce(b, a, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_PROD, r->comm, r->stream));
		}
		ACL(aclrtSynchronizeStream(r->stream));
		check_value(r, a, 27 * (i + 1) * (i + 1) * (i + 1));
	}
	/* and a plain call behind them */
	HCCL(HcclAllReduce(a, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_value(r, b, 27 * 27);
	if (graph)
		ACL(aclmdlRIDestroy(graph));
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

static void in_a_graph(void)
{
	HcclCommConfig config = small_buffers(NULL);

	begin();
	with_ranks(3, &config, recorded, NULL);
}

/* How often workers of the process's first device have gone to sleep */
static unsigned long device_sleeps(void)
{
	unsigned long all = 0, n;
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/task");
	char path[300], line[128];

	CHECK(dir);
	while ((entry = readdir(dir))) {
		bool ours = false;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			ours = ours || !strncmp(line, "Name:\tanpu-0", 12);
			if (ours && sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
				all += n;
		}
		if (f)
			fclose(f);
	}
	closedir(dir);
	return all;
}

enum { CALLS = 300, MESSAGE = 1024 };

static void alone(struct rank *r)
{
	int32_t *a = dev_with(NULL, MESSAGE), *b = dev_with(NULL, MESSAGE);
	unsigned long before = 0;

	/* the first ones find their memory */
	for (int i = -20; i < CALLS; i++) {
		if (!i)
			before = device_sleeps();
		for (int k = 0; k < 8; k++)
			HCCL(HcclAllReduce(a, b, MESSAGE / 4, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
	}
	before = device_sleeps() - before;
	CHECK(before < CALLS * 8 * 5 / 4);
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

/* A device that does not spin sleeps after each doorbell, so there is one for a call, and not one for each of its tasks */
static void a_call_wakes_its_device_once(void)
{
	const char *device = getenv("ANPU_DEVICE");

	if (!device || strcmp(device, "direct"))
		SKIP("the device's threads are elsewhere");
	setenv("ANPU_DIRECT", "cores=1,hbm=64M,spin-us=0", 1);
	begin();
	with_ranks(1, NULL, alone, NULL);
}

static void *abort_soon(void *stream)
{
	ACL(aclrtSetDevice(device_of(0)));
	usleep(100000);
	ACL(aclrtStreamAbort(stream));
	return NULL;
}

static void wait_for_nothing(struct rank *r)
{
	pthread_t thread;
	aclrtStream s;
	aclrtEvent e;

	ACL(aclrtCreateStream(&s));
	ACL(aclrtCreateEvent(&e));
	ACL(aclrtStreamWaitEvent(s, e));
	CHECK(!pthread_create(&thread, NULL, abort_soon, s));
	FAILS(aclrtSynchronizeStream(s), ACL_ERROR_RT_STREAM_ABORT, "was aborted while this thread waited for it");
	CHECK(!pthread_join(thread, NULL));
	ACL(aclrtDestroyEvent(e));
	ACL(aclrtDestroyStream(s));
	HCCL(HcclBarrier(r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
}

/* A communicator that is well has nothing to say about it */
static void streams_that_the_program_aborts(void)
{
	begin();
	with_ranks(1, NULL, wait_for_nothing, NULL);
}

TAP_MAIN(TEST(calls_return_at_once),
	 TEST(streams_that_the_program_aborts),
	 TEST(a_call_wakes_its_device_once),
	 TEST(many_at_once),
	 TEST(two_ranks_in_a_row),
	 TEST(in_two_streams),
	 TEST(in_a_graph))
