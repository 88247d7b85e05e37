// SPDX-License-Identifier: MIT
/*
 * Ranks that are processes: all collectives, in chunks and whole, by every algorithm. With the driver they have devices
 * in common or not; with ANPU_DEVICE=direct each process has devices of its own.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "hccltest.h"

enum { PROCESSES_MAX = 64 };

/* What the parent has prepared for its children, in memory of all */
struct plan {
	HcclRootInfo root;
	volatile int ready;
};

static struct plan *plan;
static uint32_t me, ranks;
static void (*work)(struct rank *r);
static const char *algo;

static void one_process(void)
{
	HcclCommConfig config = small_buffers(algo);
	struct rank r = { .rank = me, .ranks = ranks };

	if (!me) {
		HCCL(HcclGetRootInfo(&plan->root));
		plan->ready = 1;
	}
	while (!plan->ready)
		usleep(1000);
	begin();
	ACL(aclrtSetDevice(device_of(me)));
	if (algo)
		HCCL(HcclCommInitRootInfoConfig(ranks, &plan->root, me, &config, &r.comm));
	else
		HCCL(HcclCommInitRootInfo(ranks, &plan->root, me, &r.comm));
	ACL(aclrtCreateStream(&r.stream));
	work(&r);
	HCCL(HcclCommDestroy(r.comm));
	ACL(aclrtDestroyStream(r.stream));
	ACL(aclrtResetDevice(device_of(me)));
	ACL(aclFinalize());
}

/* Small buffers if there is an algorithm, else what is the default */
static void in_processes(uint32_t n, const char *name, void (*fn)(struct rank *r))
{
	pid_t pids[PROCESSES_MAX];

	CHECK_OP(n, <=, PROCESSES_MAX);
	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(plan != MAP_FAILED);
	ranks = n;
	work = fn;
	algo = name;
	for (me = 0; me < n; me++)
		pids[me] = child(one_process);
	for (uint32_t i = 0; i < n; i++)
		expect_success(pids[i]);
	munmap(plan, sizeof(*plan));
}

/* What rank @rank has as element @i */
static int32_t value(uint32_t rank, size_t i)
{
	return (int32_t)(i % 1000 * 7 + rank * 3 + 1);
}

static int32_t sum_of(size_t i, uint32_t n)
{
	int32_t sum = 0;

	for (uint32_t k = 0; k < n; k++)
		sum += value(k, i);
	return sum;
}

struct buffers {
	int32_t *host;
	void *send, *recv;
	size_t n;
};

/* @n elements of this rank, and room for as many */
static struct buffers buffers(const struct rank *r, size_t n)
{
	struct buffers b = { .host = host_alloc(n * 4), .n = n };

	for (size_t i = 0; i < n; i++)
		b.host[i] = value(r->rank, i);
	b.send = dev_with(b.host, n * 4);
	b.recv = dev_with(NULL, n * 4);
	return b;
}

static void wait_and_read(const struct rank *r, struct buffers *b)
{
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(b->host, b->recv, b->n * 4);
}

static void done(struct buffers *b)
{
	free(b->host);
	ACL(aclrtFree(b->send));
	ACL(aclrtFree(b->recv));
}

static void reductions(struct rank *r, size_t n)
{
	struct buffers b = buffers(r, n * r->ranks);
	size_t mine = n * r->rank;

	HCCL(HcclAllReduce(b.send, b.recv, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(b.host[i], sum_of(i, r->ranks));
	HCCL(HcclReduce(b.send, b.recv, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->ranks - 1, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n && r->rank == r->ranks - 1; i++)
		CHECK_EQ(b.host[i], value(r->ranks - 1, i));
	HCCL(HcclReduceScatter(b.send, b.recv, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(b.host[i], sum_of(mine + i, r->ranks));
	done(&b);
}

static void moves(struct rank *r, size_t n)
{
	struct buffers b = buffers(r, n * r->ranks);

	HCCL(HcclAllGather(b.send, b.recv, n, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < b.n; i++)
		CHECK_EQ(b.host[i], value((uint32_t)(i / n), i % n));
	HCCL(HcclAlltoAll(b.send, n, HCCL_DATA_TYPE_INT32, b.recv, n, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < b.n; i++)
		CHECK_EQ(b.host[i], value((uint32_t)(i / n), n * r->rank + i % n));
	HCCL(HcclScatter(b.send, b.recv, n, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(b.host[i], value(1, n * r->rank + i));
	HCCL(HcclBroadcast(r->rank ? b.recv : b.send, n, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n && r->rank; i++)
		CHECK_EQ(b.host[i], value(0, i));
	done(&b);
}

/* To the next rank and from the one before, at the same time and one after the other */
static void pairs(struct rank *r, size_t n)
{
	uint32_t next = (r->rank + 1) % r->ranks, before = (r->rank + r->ranks - 1) % r->ranks;
	struct buffers b = buffers(r, n);
	HcclSendRecvItem items[2] = { { HCCL_SEND, b.send, n, HCCL_DATA_TYPE_INT32, next },
				      { HCCL_RECV, b.recv, n, HCCL_DATA_TYPE_INT32, before } };

	HCCL(HcclBatchSendRecv(items, 2, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(b.host[i], value(before, i));
	if (r->rank)
		HCCL(HcclRecv(b.send, n, HCCL_DATA_TYPE_INT32, r->rank - 1, r->comm, r->stream));
	if (next)
		HCCL(HcclSend(b.send, n, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
	ACL(aclrtMemcpyAsync(b.recv, n * 4, b.send, n * 4, ACL_MEMCPY_DEVICE_TO_DEVICE, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(b.host[i], value(0, i));
	HCCL(HcclBarrier(r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	done(&b);
}

static void everything(struct rank *r)
{
	reductions(r, 1001);
	moves(r, 1001);
	pairs(r, 1001);
}

static void much(struct rank *r)
{
	reductions(r, 70001);
	moves(r, 70001);
	pairs(r, 700001);
}

static void two_ranks(void)
{
	in_processes(2, NULL, everything);
	in_processes(2, NULL, much);
}

static void many_chunks(void)
{
	in_processes(3, "ring", much);
	in_processes(4, "H-D_R", much);
}

static void odd_numbers(void)
{
	in_processes(5, NULL, everything);
	in_processes(7, "tree", everything);
}

static void sixteen_ranks(void)
{
	in_processes(16, NULL, everything);
}

static void many_sums(struct rank *r)
{
	reductions(r, 3);
	reductions(r, 4099);
}

static void sixty_four_ranks(void)
{
	in_processes(64, NULL, many_sums);
}

/* A graph's tasks reach other processes, too */
static void replay(struct rank *r)
{
	struct buffers b = buffers(r, 5000);
	aclmdlRI graph;

	ACL(aclmdlRICaptureBegin(r->stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	HCCL(HcclAllReduce(b.send, b.recv, b.n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclmdlRICaptureEnd(r->stream, &graph));
	for (int i = 0; i < 5; i++) {
		ACL(aclrtMemset(b.recv, b.n * 4, 0, b.n * 4));
		ACL(aclmdlRIExecuteAsync(graph, r->stream));
		wait_and_read(r, &b);
		for (size_t k = 0; k < b.n; k++)
			CHECK_EQ(b.host[k], sum_of(k, r->ranks));
	}
	ACL(aclmdlRIDestroy(graph));
	done(&b);
}

static void graphs(void)
{
	in_processes(3, NULL, replay);
}

/* Even and odd ranks apart */
static void halves(struct rank *r)
{
	uint32_t ids[4], n = 0;
	struct buffers b = buffers(r, 777);
	HcclCommConfig config;
	HcclComm sub;

	HcclCommConfigInit(&config);
	for (uint32_t i = r->rank % 2; i < r->ranks; i += 2)
		ids[n++] = i;
	HCCL(HcclCreateSubCommConfig(&r->comm, n, ids, 1 + r->rank % 2, r->rank / 2, &config, &sub));
	HCCL(HcclAllReduce(b.send, b.recv, b.n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, sub, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < b.n; i++)
		CHECK_EQ(b.host[i], value(r->rank % 2, i));
	HCCL(HcclCommDestroy(sub));
	done(&b);
}

static void some_of_the_ranks(void)
{
	in_processes(6, NULL, halves);
}

TAP_MAIN(TEST(two_ranks),
	 TEST(many_chunks),
	 TEST(odd_numbers),
	 TEST(sixteen_ranks),
	 TEST_SECONDS(sixty_four_ranks, 240),
	 TEST(graphs),
	 TEST(some_of_the_ranks))
