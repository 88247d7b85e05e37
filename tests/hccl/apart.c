// SPDX-License-Identifier: MIT
/*
 * Ranks that are processes: all collectives, in chunks and whole, by every algorithm. With the driver they have devices
 * in common or not; with ANPU_DEVICE=direct each process has devices of its own. tests/hccl/machines runs them with
 * ranks on four machines.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "hccltest.h"

enum { PROCESSES_MAX = 64 };

/* The parent prepares it for its children, in memory of all */
struct plan {
	HcclRootInfo root;
	volatile int ready;
	atomic_uint arrived;
	pid_t stopped;
};

static struct plan *plan;
static uint32_t me, ranks, victim = UINT32_MAX; /* a rank that does not end orderly */
static void (*work)(struct rank *r);
static const char *algo;
/* A rank table; NULL: by a root info */
static const char *table;

/* Rank 0 calls it between making the root info and joining */
static void (*meanwhile)(const HcclRootInfo *root);

static void one_process(void)
{
	const char *machines = getenv("HCCL_TEST_MACHINES");
	HcclCommConfig config = small_buffers(algo);
	struct rank r = { .rank = me, .ranks = ranks };

	/* rank i is on number i modulo HCCL_TEST_MACHINES */
	if (machines)
		enter_machine((int)me % atoi(machines));
	if (!me && !table) {
		HCCL(HcclGetRootInfo(&plan->root));
		if (meanwhile)
			meanwhile(&plan->root);
		plan->ready = 1;
	}
	while (!plan->ready && !table)
		usleep(1000);
	begin();
	ACL(aclrtSetDevice(table ? 0 : device_of(me)));
	if (table)
		HCCL(HcclCommInitClusterInfoMemConfig(table, me, &config, &r.comm));
	else if (algo)
		HCCL(HcclCommInitRootInfoConfig(ranks, &plan->root, me, &config, &r.comm));
	else
		HCCL(HcclCommInitRootInfo(ranks, &plan->root, me, &r.comm));
	ACL(aclrtCreateStream(&r.stream));
	work(&r);
	HCCL(HcclCommDestroy(r.comm));
	ACL(aclrtDestroyStream(r.stream));
	ACL(aclrtResetDevice(table ? 0 : device_of(me)));
	ACL(aclFinalize());
}

/* @n processes, each of which does @what */
static void processes(uint32_t n, void (*what)(void))
{
	pid_t pids[PROCESSES_MAX];

	CHECK_OP(n, <=, PROCESSES_MAX);
	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(plan != MAP_FAILED);
	ranks = n;
	for (me = 0; me < n; me++)
		pids[me] = child(what);
	for (uint32_t i = 0; i < n; i++) {
		if (i == victim)
			CHECK_EQ(waitpid(pids[i], NULL, 0), pids[i]);
		else
			expect_success(pids[i]);
	}
	munmap(plan, sizeof(*plan));
}

/* Small buffers if there is an algorithm, else what is the default */
static void in_processes(uint32_t n, const char *name, void (*fn)(struct rank *r))
{
	work = fn;
	algo = name;
	processes(n, one_process);
}

/* Element @i of rank @rank */
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

static void large_sums(struct rank *r)
{
	reductions(r, 1100003);
}

static void results_are_read_where_they_are(void)
{
	in_processes(2, NULL, large_sums);
	in_processes(4, NULL, large_sums);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* What a communicator has between processes goes with it; the first leaves what the library keeps */
static void made_and_left(struct rank *r)
{
	HcclCommConfig config = small_buffers(NULL);
	uint32_t ids[] = { 0, 1, 2 };
	int before = 0;

	for (uint64_t i = 0; i < 4; i++) {
		HcclComm sub;

		HCCL(HcclCreateSubCommConfig(&r->comm, r->ranks, ids, i, r->rank, &config, &sub));
		HCCL(HcclBarrier(sub, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		HCCL(HcclCommDestroy(sub));
		/* the root's thread closes a connection when the rank has left, and ends when all have */
		if (!i)
			usleep(200000);
		before = i ? before : descriptors();
	}
	UNTIL(descriptors() <= before);
	CHECK_OP(descriptors(), <=, before);
}

static void descriptors_come_back(void)
{
	in_processes(3, NULL, made_and_left);
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
static void replay_sum(struct rank *r, size_t n)
{
	struct buffers b = buffers(r, n);
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

static void replay(struct rank *r)
{
	replay_sum(r, 5000);
	/* results are read in other ranks' slots */
	replay_sum(r, 500009);
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

/* Rank i is on server i modulo the number of machines, or all are on one; @names is what their server_id begins with */
static void rank_table_of(const char *names)
{
	const char *machines = getenv("HCCL_TEST_MACHINES");
	int servers = machines ? atoi(machines) : 1;
	uint32_t n = 6;
	static char text[4096];
	size_t used;

	used = (size_t)snprintf(text, sizeof(text), "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_list\": [");
	for (int s = 0; s < servers; s++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s{ \"device\": [", s ? ", " : "");
		for (uint32_t i = (uint32_t)s; i < n; i += (uint32_t)servers)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s{ \"device_id\": \"0\", \"rank_id\": \"%u\" }",
						 i == (uint32_t)s ? "" : ", ", i);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "], \"server_id\": \"%s%d\" }", names, s + 1);
	}
	snprintf(text + used, sizeof(text) - used, "] }");
	table = text;
	in_processes(n, NULL, everything);
	table = NULL;
}

static void one_rank_table(void)
{
	rank_table_of("10.77.0.");
}

/* tests/hccl/machines makes them known */
static void a_rank_table_with_names(void)
{
	rank_table_of("hccl-test-machine-");
}

/* Rank 1 does not come to a call with many chunks, which all drop */
static void stopped(struct rank *r)
{
	struct buffers b = buffers(r, 100000);

	reductions(r, 100);
	for (int i = 0; i < 2; i++) {
		if (r->rank != 1)
			HCCL(HcclAllReduce(b.send, b.recv, b.n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		usleep(20000);
		if (!i)
			HCCL(HcclCommSuspend(r->comm));
		HCCL(HcclCommResume(r->comm));
		reductions(r, 30001);
	}
	done(&b);
}

static void suspended_ranks_go_on(void)
{
	in_processes(4, NULL, stopped);
	in_processes(3, "ring", stopped);
}

/* Those that are not done with the first calls yet would see them fail */
static void all_here(const struct rank *r)
{
	atomic_fetch_add(&plan->arrived, 1);
	UNTIL(atomic_load(&plan->arrived) == r->ranks);
}

static float number(uint32_t rank, size_t i)
{
	return (float)((rank * 7919 + i * 104729) % 10007) / 97.0f;
}

/* Element i of part @part among @n in turn: the first behind the part's number, the part's own last */
static float in_turn(size_t i, uint32_t part, uint32_t n, float (*of)(uint32_t k, size_t i, const uint32_t *arg), const uint32_t *arg)
{
	float sum = of((part + 1) % n, i, arg);

	for (uint32_t k = 2; k <= n; k++)
		sum += of((part + k) % n, i, arg);
	return sum;
}

/* arg: the machine, and the number of machines; rank k of a machine */
static float of_rank(uint32_t k, size_t i, const uint32_t *arg)
{
	return number(k * arg[1] + arg[0], i);
}

/* arg: the part within machines, ranks of each, and the number of machines */
static float of_machine(uint32_t k, size_t i, const uint32_t *arg)
{
	uint32_t machine[2] = { k, arg[2] };

	return in_turn(i, arg[0], arg[1], of_rank, machine);
}

/* Which of @n parts of @bytes at multiples of 64 has the byte @at, and where it begins and ends */
static uint32_t part_of(size_t at, size_t bytes, uint32_t n, size_t *from, size_t *to)
{
	size_t lines = (bytes + 63) / 64;

	for (uint32_t p = 0;; p++) {
		*from = lines * p / n * 64;
		*to = lines * (p + 1) / n * 64;
		*to = *to < bytes ? *to : bytes;
		if (at < *to)
			return p;
	}
}

/* The order that the manual states for several machines with as many ranks each; with one it is that of a ring */
static void stated_order(struct rank *r)
{
	const char *text = getenv("HCCL_TEST_MACHINES");
	uint32_t machines = text ? (uint32_t)atoi(text) : 1, each = r->ranks / machines;
	enum { N = 100003 };
	float *host = host_alloc(N * 4);
	void *buf;

	for (size_t i = 0; i < N; i++)
		host[i] = number(r->rank, i);
	buf = dev_with(host, N * 4);
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf, N * 4);
	for (size_t i = r->rank; i < N; i += 7) {
		size_t from, to, from2, to2;
		uint32_t arg[3] = { part_of(i * 4, N * 4, each, &from, &to), each, machines };
		uint32_t piece = part_of(i * 4 - from, to - from, machines, &from2, &to2);
		float want = in_turn(i, piece, machines, of_machine, arg);

		if (memcmp(&want, &host[i], 4))
			FAIL("element %zu is %.9g, not %.9g", i, host[i], want);
	}
	ACL(aclrtFree(buf));
	free(host);
}

/* Rank l of machine m gets the sum of what all have for it: those of machine m + 1 first, and of a machine that of rank l + 1 there */
static void stated_order_of_parts(struct rank *r)
{
	const char *text = getenv("HCCL_TEST_MACHINES");
	uint32_t machines = text ? (uint32_t)atoi(text) : 1, arg[3] = { r->rank / machines, r->ranks / machines, machines };
	enum { N = 70001 };
	size_t all = (size_t)N * r->ranks;
	float *host = host_alloc(all * 4);
	char *buf;

	for (size_t i = 0; i < all; i++)
		host[i] = number(r->rank, i);
	buf = dev_with(host, all * 4);
	HCCL(HcclReduceScatter(buf, buf + r->rank * (size_t)N * 4, N, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf + r->rank * (size_t)N * 4, (size_t)N * 4);
	for (size_t i = 0; i < N; i++) {
		float want = in_turn(r->rank * (size_t)N + i, r->rank % machines, machines, of_machine, arg);

		if (memcmp(&want, &host[i], 4))
			FAIL("element %zu is %.9g, not %.9g", i, host[i], want);
	}
	ACL(aclrtFree(buf));
	free(host);
}

static void both_orders(struct rank *r)
{
	stated_order(r);
	stated_order_of_parts(r);
}

static void sums_have_the_stated_order(void)
{
	in_processes(8, NULL, both_orders);
	in_processes(4, NULL, both_orders);
}

/* The checking mode: ranks see each other's calls wherever they are */
static void unequal_collectives(struct rank *r)
{
	struct buffers b = buffers(r, 1000);
	HcclResult error = HCCL_SUCCESS;

	reductions(r, 100);
	all_here(r);
	/* whoever finds it out first, others are told, and no stream waits for ever */
	if (!HcclAllReduce(b.send, b.recv, r->rank == 1 ? 700 : 1000, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream))
		(void)aclrtSynchronizeStream(r->stream);
	aclGetRecentErrMsg();
	UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
	check_facts(aclGetRecentErrMsg(), "HcclAllReduce(700 int32 sum) at ", "HcclAllReduce(1000 int32 sum) at ", "apart.c", NULL);
	done(&b);
}

static void unequal_pairs(struct rank *r)
{
	struct buffers b = buffers(r, 1000);
	HcclResult error = HCCL_SUCCESS;

	pairs(r, 100);
	all_here(r);
	if (r->rank == 1)
		(void)HcclSend(b.send, 300, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream);
	if (r->rank == 0)
		(void)HcclRecv(b.recv, 200, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream);
	(void)aclrtSynchronizeStream(r->stream);
	aclGetRecentErrMsg();
	UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
	check_facts(aclGetRecentErrMsg(), "rank 1 sends 300 int32 with HcclSend at ", "rank 0 receives 200 int32", "apart.c", NULL);
	done(&b);
}

static void different_calls_are_found(void)
{
	setenv("ANPU_CHECK", "1", 1);
	in_processes(3, NULL, unequal_collectives);
	in_processes(3, NULL, unequal_pairs);
	/* nothing is found where nothing is */
	in_processes(4, NULL, everything);
}

/* The victim is killed while the others wait for it */
static void killed(struct rank *r)
{
	struct buffers b = buffers(r, 100);
	HcclResult error = HCCL_SUCCESS;
	char who[32];

	reductions(r, 100);
	atomic_fetch_add(&plan->arrived, 1);
	if (r->rank == victim) {
		/* those that are not done with the first calls yet would see them fail */
		UNTIL(atomic_load(&plan->arrived) == r->ranks);
		kill(getpid(), SIGKILL);
	}
	/* the news may come before the call, or while its tasks wait */
	if (!HcclAllReduce(b.send, b.recv, b.n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream))
		CHECK(aclrtSynchronizeStream(r->stream));
	UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
	CHECK_EQ(error, HCCL_E_REMOTE);
	HFAILS(HcclBarrier(r->comm, r->stream), HCCL_E_REMOTE, "rank ", "(process", "ended");
	snprintf(who, sizeof(who), "rank %u (process", victim);
	(void)HcclBarrier(r->comm, r->stream);
	check_facts(aclGetRecentErrMsg(), who, NULL);
	done(&b);
}

static void a_killed_rank_is_named(void)
{
	victim = 1;
	in_processes(5, NULL, killed);
	/* its process is the root's */
	victim = 0;
	in_processes(5, NULL, killed);
}

/* Rank 0 waits for rank 2, and that for the victim, which has come to nothing and is not gone either */
static void one_stops(struct rank *r)
{
	uint32_t next = (r->rank + 1) % 3, last = (r->rank + 2) % 3;
	enum { LONG = 16 << 20 };
	HcclSendRecvItem items[2] = { { HCCL_SEND, NULL, LONG, HCCL_DATA_TYPE_INT8, next },
				      { HCCL_RECV, NULL, LONG, HCCL_DATA_TYPE_INT8, last } };
	char who[32];

	reductions(r, 100);
	if (r->rank == victim)
		plan->stopped = getpid();
	atomic_fetch_add(&plan->arrived, 1);
	UNTIL(atomic_load(&plan->arrived) >= r->ranks);
	if (r->rank == victim)
		kill(getpid(), SIGSTOP);
	for (int i = 0; i < 2; i++)
		items[i].buf = dev_with(NULL, LONG);
	HCCL(HcclBatchSendRecv(items, 2, r->comm, r->stream));
	CHECK(aclrtSynchronizeStream(r->stream));
	snprintf(who, sizeof(who), "rank %u (process", victim);
	check_facts(aclGetRecentErrMsg(), who, "its process does not run", NULL);
	if (atomic_fetch_add(&plan->arrived, 1) == 2 * r->ranks - 2)
		kill(plan->stopped, SIGKILL);
	for (int i = 0; i < 2; i++)
		ACL(aclrtFree(items[i].buf));
}

static void a_stopped_rank_is_named(void)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	victim = 1;
	in_processes(3, NULL, one_stops);
}

/* A rank that is to end while the communicator is made, behind the first exchange with the others */
static bool dying;

/* In place of the library's */
aclError aclrtMallocHost(void **at, size_t size)
{
	aclError (*real)(void **, size_t) = (aclError(*)(void **, size_t))dlsym(RTLD_NEXT, "aclrtMallocHost");

	if (dying)
		kill(getpid(), SIGKILL);
	return real(at, size);
}

static void ends_early(void)
{
	HcclComm comm;

	dying = me == victim;
	if (!me) {
		HCCL(HcclGetRootInfo(&plan->root));
		plan->ready = 1;
	}
	while (!plan->ready)
		usleep(1000);
	begin();
	ACL(aclrtSetDevice(device_of(me)));
	HFAILS(HcclCommInitRootInfo(ranks, &plan->root, me, &comm), HCCL_E_REMOTE, "rank 1 (process", "ended");
	ACL(aclrtResetDevice(device_of(me)));
	ACL(aclFinalize());
}

/* Nobody waits for the others' next words then, for which there is this limit */
static void a_rank_that_ends_while_all_join_is_named(void)
{
	setenv("ANPU_HCCL_TRANSPORT", "ucx", 1);
	setenv("HCCL_CONNECT_TIMEOUT", "600", 1);
	victim = 1;
	processes(3, ends_early);
}

/* The victim is killed while the others' streams are full, and their calls wait for room */
static void flooded(struct rank *r)
{
	struct buffers b = buffers(r, 3000);
	HcclResult ret = HCCL_SUCCESS;

	reductions(r, 100);
	atomic_fetch_add(&plan->arrived, 1);
	if (r->rank == 1) {
		UNTIL(atomic_load(&plan->arrived) == r->ranks);
		usleep(300000);
		kill(getpid(), SIGKILL);
	}
	while (!ret)
		ret = HcclAllReduce(b.send, b.recv, b.n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream);
	CHECK_EQ(ret, HCCL_E_REMOTE);
	done(&b);
}

static void a_killed_rank_frees_full_streams(void)
{
	victim = 1;
	in_processes(3, "ring", flooded);
}

/* A root info begins with it; messages have its job, see lib/hccl/net/meet.h */
struct info {
	char magic[8], name[64];
	uint8_t job[16];
	char ip[46];
	uint16_t port;
};

static int connect_to_port(const struct info *info)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(info->port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(fd >= 0);
	CHECK_EQ(inet_pton(AF_INET, info->ip, &at.sin_addr), 1);
	CHECK_EQ(connect(fd, (void *)&at, sizeof(at)), 0);
	return fd;
}

enum { HELLO_BYTES = 464 };

/* The root says why, in words, and hangs up */
static void is_refused(const struct info *info, uint32_t *hello, const char *why)
{
	char answer[4096] = "";
	size_t used = 0;
	ssize_t n;
	int fd = connect_to_port(info);

	CHECK_EQ(send(fd, hello, HELLO_BYTES, MSG_NOSIGNAL), HELLO_BYTES);
	while ((n = recv(fd, answer + used, sizeof(answer) - used, 0)) > 0)
		used += (size_t)n;
	CHECK(memmem(answer, used, why, strlen(why)));
	close(fd);
}

/* Noise of any length, and messages that are nearly right. Some stay connected and silent */
static void attack(const HcclRootInfo *root)
{
	uint32_t hello[HELLO_BYTES / 4] = { 0x6c636348, 1, 1 };
	struct info info;
	uint64_t seed = 12345;
	char noise[1500];

	memcpy(&info, root->internal, sizeof(info));
	is_refused(&info, hello, "version");
	hello[1] = 3;
	is_refused(&info, hello, "another communicator");
	memcpy(hello + 4, info.job, sizeof(info.job));
	hello[8] = 0xffffffff;
	is_refused(&info, hello, "is none");
	for (int i = 0; i < 300; i++) {
		int fd = connect_to_port(&info);
		size_t n;

		for (size_t k = 0; k < sizeof(noise); k++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			noise[k] = (char)(seed >> 56);
		}
		n = seed >> 33 & 1023;
		/* right so far, wrong from some byte on: but not the whole of what would be a rank */
		memcpy(noise, hello, (size_t)i % 33);
		(void)!send(fd, noise, n, MSG_NOSIGNAL);
		if (i % 10)
			close(fd);
	}
}

static void hostile_bytes(void)
{
	meanwhile = attack;
	in_processes(3, NULL, everything);
	meanwhile = NULL;
}

/* Without HcclCommDestroy(), as programs do that are done */
static void end_now(struct rank *r)
{
	ACL(aclrtSynchronizeStream(r->stream));
	plan->stopped = getpid();
	ACL(aclFinalize());
	exit(0);
}

/* What rank 0 sent is there when it is gone, and the others go on without it */
static void without_the_first(struct rank *r)
{
	struct buffers b = buffers(r, 1000);

	if (!r->rank) {
		HCCL(HcclSend(b.send, b.n, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream));
		end_now(r);
	}
	/* the parent has seen its end, and this rank's watcher has had time to hear of it */
	UNTIL(plan->stopped && kill(plan->stopped, 0));
	usleep(100000);
	HCCL(HcclRecv(b.recv, b.n, HCCL_DATA_TYPE_INT32, r->rank - 1, r->comm, r->stream));
	wait_and_read(r, &b);
	for (size_t i = 0; i < b.n; i++)
		CHECK_EQ(b.host[i], value(0, i));
	if (r->rank < r->ranks - 1)
		HCCL(HcclSend(b.recv, b.n, HCCL_DATA_TYPE_INT32, r->rank + 1, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	done(&b);
}

static void a_rank_may_end_with_its_program(void)
{
	in_processes(3, NULL, without_the_first);
}

/* Rank 1 leaves behind the first barrier, and rank 0 calls another collective */
static void one_too_many(struct rank *r)
{
	HcclResult error = HCCL_SUCCESS;

	HCCL(HcclBarrier(r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	if (r->rank)
		return;
	HCCL(HcclBarrier(r->comm, r->stream));
	CHECK(aclrtSynchronizeStream(r->stream));
	UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
	CHECK_EQ(error, HCCL_E_REMOTE);
	HFAILS(HcclBarrier(r->comm, r->stream), HCCL_E_REMOTE, "rank 1 (process", "has left", "after 1 collectives", "number 2", "HcclBarrier");
}

/* Before the limit is over, which would be another code */
static void a_rank_that_left_is_not_waited_for(void)
{
	setenv("HCCL_EXEC_TIMEOUT", "6", 1);
	in_processes(2, NULL, one_too_many);
}

TAP_MAIN(TEST(two_ranks),
	 TEST(many_chunks),
	 TEST(odd_numbers),
	 TEST(results_are_read_where_they_are),
	 TEST(descriptors_come_back),
	 TEST(sixteen_ranks),
	 TEST_SECONDS(sixty_four_ranks, 240),
	 TEST(graphs),
	 TEST(some_of_the_ranks),
	 TEST(one_rank_table),
	 TEST(a_rank_table_with_names),
	 TEST(sums_have_the_stated_order),
	 TEST(suspended_ranks_go_on),
	 TEST(different_calls_are_found),
	 TEST(a_killed_rank_is_named),
	 TEST(a_stopped_rank_is_named),
	 TEST(a_rank_that_ends_while_all_join_is_named),
	 TEST(a_killed_rank_frees_full_streams),
	 TEST(hostile_bytes),
	 TEST(a_rank_may_end_with_its_program),
	 TEST(a_rank_that_left_is_not_waited_for))
