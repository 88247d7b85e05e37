// SPDX-License-Identifier: MIT
/* Communicators that are suspended and resumed; what programs say of their memory; names. */
#include <pthread.h>

#include "hccltest.h"

enum { N = 70001 };

static void check_sum(struct rank *r, int32_t *buf)
{
	int32_t *host = host_alloc(N * 4);

	for (int i = 0; i < N; i++)
		host[i] = i + (int32_t)r->rank;
	ACL(aclrtMemcpy(buf, N * 4, host, N * 4, ACL_MEMCPY_HOST_TO_DEVICE));
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf, N * 4);
	for (uint32_t i = 0; i < N; i++)
		CHECK_EQ(host[i], (int32_t)(i * r->ranks + r->ranks * (r->ranks - 1) / 2));
	free(host);
}

static void set_ones(int32_t *buf)
{
	ACL(aclrtMemsetD32(buf, N * 4, 1, N));
}

/* The sum of ones */
static void check_ranks(struct rank *r, int32_t *buf)
{
	int32_t *host = host_alloc(N * 4);

	dev_read(host, buf, N * 4);
	for (int i = 0; i < N; i++)
		CHECK_EQ(host[i], (int32_t)r->ranks);
	free(host);
}

static HcclCommStatus status(struct rank *r)
{
	char name[COMM_NAME_MAX_LENGTH];
	HcclCommStatus s = HCCL_COMM_STATUS_RESERVED;

	HCCL(HcclGetCommName(r->comm, name));
	HCCL(HcclCommGetStatus(name, &s));
	return s;
}

/* Some ranks wait in a collective that the last one never calls */
static void stop_and_go(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	HcclResult error = HCCL_SUCCESS;

	check_sum(r, buf);
	meet(r);
	for (int round = 0; round < 3; round++) {
		if (r->rank < r->ranks - 1)
			HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		meet(r);
		/* the last time without it: what is left of collectives is dropped anyway */
		if (round < 2) {
			HCCL(HcclCommSuspend(r->comm));
			HFAILS(HcclBarrier(r->comm, r->stream), HCCL_E_SUSPENDING, "HcclCommResume()");
			HCCL(HcclGetCommAsyncError(r->comm, &error));
			CHECK_EQ(error, HCCL_E_SUSPENDING);
			/* nothing of it is left */
			ACL(aclrtSynchronizeStream(r->stream));
			meet(r);
			CHECK_EQ(status(r), HCCL_COMM_STATUS_SUSPENDING);
			meet(r);
		}
		HCCL(HcclCommResume(r->comm));
		meet(r);
		CHECK_EQ(status(r), HCCL_COMM_STATUS_READY);
		HCCL(HcclGetCommAsyncError(r->comm, &error));
		CHECK_EQ(error, HCCL_SUCCESS);
		check_sum(r, buf);
		HCCL(HcclBarrier(r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
	}
	ACL(aclrtFree(buf));
}

static void suspended_ranks_go_on(void)
{
	HcclCommConfig config = small_buffers("ring");

	begin();
	with_ranks(4, &config, stop_and_go, NULL);
	with_ranks(2, NULL, stop_and_go, NULL);
	with_ranks(1, NULL, stop_and_go, NULL);
}

/* Messages between two ranks are counted from 1 again, and those before are forgotten, which were others */
static void send_again(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);

	for (uint64_t n = 10; n < 40; n += 10) {
		for (int i = 0; i < 2; i++)
			if (r->rank)
				HCCL(HcclRecv(buf, n + i, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream));
			else
				HCCL(HcclSend(buf, n + i, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		meet(r);
		HCCL(HcclCommResume(r->comm));
		meet(r);
	}
	if (r->rank) {
		meet(r);
		HFAILS(HcclRecv(buf, 6, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream), HCCL_E_PARA, "number 1 from rank 0 to rank 1",
		       "rank 1 receives 6 int32", "rank 0 sends 5 int32");
	} else {
		HCCL(HcclSend(buf, 5, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream));
		meet(r);
	}
}

static void checked_ranks_go_on(void)
{
	setenv("ANPU_CHECK", "1", 1);
	begin();
	with_ranks(3, NULL, stop_and_go, NULL);
	with_ranks(2, NULL, send_again, NULL);
}

/* Rank 0 waits in more streams than a few, and in one that runs a graph recorded in another one; the others do not come */
static void everywhere(struct rank *r)
{
	enum { STREAMS = 12 };
	int32_t *buf = dev_with(NULL, N * 4), *bufs[STREAMS];
	aclrtStream streams[STREAMS];
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureBegin(r->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclmdlRICaptureEnd(r->stream, &graph));
	for (int i = 0; i < STREAMS; i++) {
		ACL(aclrtCreateStream(&streams[i]));
		bufs[i] = dev_with(NULL, N * 4);
	}
	for (int i = 0; i < STREAMS && !r->rank; i++)
		HCCL(HcclAllReduce(bufs[i], bufs[i], N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, streams[i]));
	HCCL(HcclCommSuspend(r->comm));
	for (int i = 0; i < STREAMS; i++)
		ACL(aclrtSynchronizeStream(streams[i]));
	HCCL(HcclCommResume(r->comm));
	if (!r->rank)
		ACL(aclmdlRIExecuteAsync(graph, streams[3]));
	HCCL(HcclCommSuspend(r->comm));
	ACL(aclrtSynchronizeStream(streams[3]));
	HCCL(HcclCommResume(r->comm));
	check_sum(r, buf);
	/* the graph is what it was */
	set_ones(buf);
	ACL(aclmdlRIExecuteAsync(graph, streams[0]));
	ACL(aclrtSynchronizeStream(streams[0]));
	check_ranks(r, buf);
	ACL(aclmdlRIDestroy(graph));
	for (int i = 0; i < STREAMS; i++) {
		ACL(aclrtDestroyStream(streams[i]));
		ACL(aclrtFree(bufs[i]));
	}
	ACL(aclrtFree(buf));
}

static void all_streams_are_suspended(void)
{
	begin();
	with_ranks(3, NULL, everywhere, NULL);
}

/* Rank 2 has rank 0's device, and its tasks write to rank 0's memory: they are rank 2's all the same */
static void one_suspends(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	aclrtStreamStatus s;

	if (r->rank == 2)
		HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	meet(r);
	if (!r->rank)
		HCCL(HcclCommSuspend(r->comm));
	meet(r);
	if (r->rank == 2) {
		ACL(aclrtStreamQuery(r->stream, &s));
		CHECK_EQ(s, ACL_STREAM_STATUS_NOT_READY);
	}
	meet(r);
	HCCL(HcclCommResume(r->comm));
	check_sum(r, buf);
	ACL(aclrtFree(buf));
}

static void others_of_the_device_are_not_suspended(void)
{
	begin();
	with_ranks(3, NULL, one_suspends, NULL);
}

/* A graph that is being recorded has no tasks that run; the communicator ends when the graph has */
static void records(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	aclmdlRI graph = NULL;
	HcclCommConfig config;
	HcclComm comm;

	HcclCommConfigInit(&config);
	HCCL(HcclCreateSubCommConfig(&r->comm, 2, (uint32_t[]){ 1, 0 }, 1, 1 - r->rank, &config, &comm));
	ACL(aclmdlRICaptureBegin(r->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, r->stream));
	HCCL(HcclCommSuspend(comm));
	HCCL(HcclCommResume(comm));
	ACL(aclmdlRICaptureEnd(r->stream, &graph));
	set_ones(buf);
	ACL(aclmdlRIExecuteAsync(graph, r->stream));
	HCCL(HcclCommDestroy(comm));
	check_ranks(r, buf);
	ACL(aclrtSynchronizeStream(r->stream));
	ACL(aclmdlRIDestroy(graph));
	ACL(aclrtFree(buf));
}

static void recordings_go_on(void)
{
	begin();
	with_ranks(2, NULL, records, NULL);
}

/* A call that waits for room in a full stream ends, too */
static void *flood(void *arg)
{
	struct rank *r = arg;
	int32_t *buf;
	HcclResult ret = HCCL_SUCCESS;

	ACL(aclrtSetDevice(device_of(r->rank)));
	buf = dev_with(NULL, N * 4);
	while (!ret)
		ret = HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream);
	CHECK_EQ(ret, HCCL_E_SUSPENDING);
	return NULL;
}

static void full_stream(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	pthread_t thread;

	if (!r->rank) {
		CHECK_EQ(pthread_create(&thread, NULL, flood, r), 0);
		usleep(200000);
		HCCL(HcclCommSuspend(r->comm));
		pthread_join(thread, NULL);
	}
	HCCL(HcclCommResume(r->comm));
	check_sum(r, buf);
}

static void a_full_stream_is_suspended(void)
{
	HcclCommConfig config = small_buffers("ring");

	begin();
	with_ranks(2, &config, full_stream, NULL);
}

/* Not for those that have failed */
static void fails(struct rank *r)
{
	void *buf = dev_with(NULL, 4);

	if (!r->rank) {
		HCCL(HcclAllReduce(buf, buf, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		CHECK(aclrtSynchronizeStream(r->stream));
		HFAILS(HcclCommSuspend(r->comm), HCCL_E_TIMEOUT, "rank 1");
		HFAILS(HcclCommResume(r->comm), HCCL_E_TIMEOUT, "rank 1");
		CHECK_EQ(status(r), HCCL_COMM_STATUS_INVALID);
	}
	meet(r);
}

static void failed_ranks_do_not_go_on(void)
{
	HcclCommConfig config = small_buffers(NULL);

	config.hcclExecTimeOut = 1;
	begin();
	with_ranks(2, &config, fails, NULL);
}

/* Whoever has not come is named */
static void stays_away(struct rank *r)
{
	if (r->rank != 1)
		HFAILS(HcclCommResume(r->comm), HCCL_E_TIMEOUT, "1 of 3 ranks", "within 1 s (HCCL_CONNECT_TIMEOUT): 1");
	meet(r);
}

static void ranks_that_do_not_resume_are_named(void)
{
	begin();
	setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
	with_ranks(3, NULL, stays_away, NULL);
}

/* Memory ------------------------------------------------------------------------------------------ */

static void ranges(struct rank *r)
{
	aclrtDrvMemHandle handle = (aclrtDrvMemHandle)(uintptr_t)1;
	char *at = (char *)(uintptr_t)(0x100000000000 + r->rank * 0x1000000ull);
	HcclComm c = r->comm;

	HCCL(HcclCommSetMemoryRange(c, at, 0x100000, 0, 0));
	HFAILS(HcclCommSetMemoryRange(c, at + 0xfffff, 2, 0, 0), HCCL_E_PARA, "overlaps", "1048576 bytes");
	HFAILS(HcclCommSetMemoryRange(c, at, 0, 0, 0), HCCL_E_PARA, "size is 0");
	HFAILS(HcclCommSetMemoryRange(c, NULL, 1, 0, 0), HCCL_E_PTR, "baseVirPtr");
	HFAILS(HcclCommSetMemoryRange(c, at + 0x200000, 1, 4096, 0), HCCL_E_PARA, "alignment is 4096");
	HFAILS(HcclCommSetMemoryRange(c, at + 0x200000, 1, 0, 1), HCCL_E_PARA, "flags is 1");
	HFAILS(HcclCommSetMemoryRange(NULL, at, 1, 0, 0), HCCL_E_PTR, "comm");
	HCCL(HcclCommActivateCommMemory(c, at + 0x1000, 0x1000, 0, handle, 0));
	HFAILS(HcclCommActivateCommMemory(c, at + 0x1fff, 2, 0, handle, 0), HCCL_E_PARA, "overlaps");
	HFAILS(HcclCommActivateCommMemory(c, at + 0xff000, 0x2000, 0, handle, 0), HCCL_E_PARA, "not in a range");
	HFAILS(HcclCommActivateCommMemory(c, at + 0x3000, 1, 1, handle, 0), HCCL_E_PARA, "offset is 1");
	HFAILS(HcclCommActivateCommMemory(c, at + 0x3000, 1, 0, handle, 2), HCCL_E_PARA, "flags is 2");
	HFAILS(HcclCommActivateCommMemory(c, at + 0x3000, 1, 0, NULL, 0), HCCL_E_PTR, "handle");
	HFAILS(HcclCommUnsetMemoryRange(c, at), HCCL_E_UNAVAIL, "HcclCommDeactivateCommMemory()");
	HFAILS(HcclCommDeactivateCommMemory(c, at + 0x1001), HCCL_E_PARA, "block");
	HCCL(HcclCommDeactivateCommMemory(c, at + 0x1000));
	HFAILS(HcclCommUnsetMemoryRange(c, at + 1), HCCL_E_PARA, "range");
	HCCL(HcclCommUnsetMemoryRange(c, at));
	HFAILS(HcclCommUnsetMemoryRange(c, at), HCCL_E_PARA, "range");
}

static void cards(struct rank *r)
{
	uint32_t ranks[2] = { 0, 1 };
	bool backup[2] = { true, true };

	HCCL(HcclCommWorkingDevNicSet(r->comm, ranks, backup, 2));
	HFAILS(HcclCommWorkingDevNicSet(r->comm, NULL, backup, 2), HCCL_E_PTR, "ranks");
	HFAILS(HcclCommWorkingDevNicSet(r->comm, ranks, NULL, 2), HCCL_E_PTR, "useBackup");
	HFAILS(HcclCommWorkingDevNicSet(r->comm, ranks, backup, 3), HCCL_E_PARA, "nRanks is 3");
	ranks[1] = 7;
	HFAILS(HcclCommWorkingDevNicSet(r->comm, ranks, backup, 2), HCCL_E_PARA, "ranks[1] is 7");
}

static void memory(struct rank *r)
{
	ranges(r);
	cards(r);
}

static void memory_that_programs_tell_of(void)
{
	begin();
	with_ranks(2, NULL, memory, NULL);
}

/* Names ------------------------------------------------------------------------------------------- */

static void find(struct rank *r)
{
	char name[COMM_NAME_MAX_LENGTH];
	HcclCommStatus s;
	HcclComm got = NULL;

	HCCL(HcclGetCommName(r->comm, name));
	HCCL(HcclCommGetHandleWithName(name, &got));
	CHECK(got == r->comm);
	meet(r);
	HFAILS(HcclCommGetHandleWithName("nobody", &got), HCCL_E_NOT_FOUND, "nobody");
	HFAILS(HcclCommGetHandleWithName(NULL, &got), HCCL_E_PTR, "commName");
	HFAILS(HcclCommGetHandleWithName(name, NULL), HCCL_E_PTR, "comm");
	HFAILS(HcclCommGetStatus("nobody", &s), HCCL_E_NOT_FOUND, "nobody");
	HFAILS(HcclCommGetStatus(name, NULL), HCCL_E_PTR, "status");
}

static void communicators_have_names(void)
{
	begin();
	with_ranks(2, NULL, find, NULL);
	/* also of one device */
	with_ranks(5, NULL, find, NULL);
}

TAP_MAIN(TEST(suspended_ranks_go_on),
	 TEST(checked_ranks_go_on),
	 TEST(a_full_stream_is_suspended),
	 TEST(all_streams_are_suspended),
	 TEST(others_of_the_device_are_not_suspended),
	 TEST(recordings_go_on),
	 TEST(failed_ranks_do_not_go_on),
	 TEST(ranks_that_do_not_resume_are_named),
	 TEST(memory_that_programs_tell_of),
	 TEST(communicators_have_names))
