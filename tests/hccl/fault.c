// SPDX-License-Identifier: MIT
/* Failures: ranks that are late, end or call something else; arguments. Also ranks as processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include "hccltest.h"

enum { N = 1000 };

/* Whoever waits for the stream is told that it was aborted; whoever comes later finds a failed task */
static void sync_fails(struct rank *r, const char *fact, const char *other)
{
	aclError err;

	aclGetRecentErrMsg();
	err = aclrtSynchronizeStream(r->stream);
	if (err != ACL_ERROR_RT_STREAM_ABORT && err != ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
		FAIL("rank %u: aclrtSynchronizeStream() returned %d", r->rank, err);
	check_facts(aclGetRecentErrMsg(), fact, other, NULL);
}

/* Rank 2 does not come: the others are told its number by whatever they call */
static void late(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	HcclResult error = HCCL_SUCCESS;

	/* on a busy machine another one could be late, too */
	meet(r);
	if (r->rank != 2) {
		HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		sync_fails(r, "rank 2 (", "within 2 s (HCCL_EXEC_TIMEOUT)");
		aclGetRecentErrMsg();
		HCCL(HcclGetCommAsyncError(r->comm, &error));
		/* some find it out, and some are told */
		CHECK(error == HCCL_E_TIMEOUT || error == HCCL_E_REMOTE);
		check_facts(aclGetRecentErrMsg(), "rank 2 (", "has called 0", "HcclAllReduce", NULL);
		HFAILS(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream), error,
		       "rank 2 (");
	}
	meet(r);
}

static void a_late_rank_is_named(void)
{
	HcclCommConfig config = small_buffers(NULL);

	config.hcclExecTimeOut = 2;
	begin();
	with_ranks(4, &config, late, NULL);
}

/* The wait is that of a graph, which runs in another stream than it was recorded in */
static void replayed_late(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	aclrtStream recorded = r->stream;
	aclmdlRI graph = NULL;

	ACL(aclmdlRICaptureBegin(recorded, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, recorded));
	ACL(aclmdlRICaptureEnd(recorded, &graph));
	meet(r);
	if (r->rank) {
		ACL(aclrtCreateStream(&r->stream));
		ACL(aclmdlRIExecuteAsync(graph, r->stream));
		sync_fails(r, "did not answer rank 1", "within 1 s (HCCL_EXEC_TIMEOUT)");
		ACL(aclrtDestroyStream(r->stream));
		r->stream = recorded;
	}
	ACL(aclmdlRIDestroy(graph));
	meet(r);
}

static void late_graphs_end(void)
{
	HcclCommConfig config = small_buffers(NULL);

	config.hcclExecTimeOut = 1;
	begin();
	with_ranks(2, &config, replayed_late, NULL);
}

/* As processes ----------------------------------------------------------------------------------- */

static HcclRootInfo *root; /* in memory of all processes */

static void share_root(void)
{
	root = mmap(NULL, sizeof(*root), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(root != MAP_FAILED);
}

static struct rank process_rank(uint32_t rank, uint32_t ranks)
{
	struct rank r = { .rank = rank, .ranks = ranks };

	ACL(aclrtSetDevice(device_of(rank)));
	HCCL(HcclCommInitRootInfo(ranks, root, rank, &r.comm));
	ACL(aclrtCreateStream(&r.stream));
	return r;
}

static void sum_once(struct rank *r, size_t n)
{
	int32_t *host = host_alloc(n * 4);
	void *send, *recv;

	for (size_t i = 0; i < n; i++)
		host[i] = (int32_t)(i * (r->rank + 1));
	send = dev_with(host, n * 4);
	recv = dev_with(NULL, n * 4);
	HCCL(HcclAllReduce(send, recv, n, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, recv, n * 4);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(host[i], (int32_t)(i * r->ranks * (r->ranks + 1) / 2));
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
}

enum { PROCESSES = 4 };

static uint32_t process_number;
static int go[2];

/* Rank 0 makes the root info in a process of its own, and ends before some others do */
static void run_process(void)
{
	struct rank r;
	char c;

	if (!process_number) {
		ACL(aclInit(NULL));
		HCCL(HcclGetRootInfo(root));
		for (int i = 1; i < PROCESSES; i++)
			CHECK_EQ(write(go[1], "x", 1), 1);
		aclFinalize();
	} else {
		CHECK_EQ(read(go[0], &c, 1), 1);
	}
	begin();
	r = process_rank(process_number, PROCESSES);
	sum_once(&r, 10);
	sum_once(&r, 300000);
	HCCL(HcclBarrier(r.comm, r.stream));
	ACL(aclrtSynchronizeStream(r.stream));
	HCCL(HcclCommDestroy(r.comm));
	ACL(aclFinalize());
}

static void ranks_as_processes(void)
{
	pid_t pids[PROCESSES];

	share_root();
	CHECK_EQ(pipe(go), 0);
	for (process_number = 0; process_number < PROCESSES; process_number++)
		pids[process_number] = child(run_process);
	for (int i = 0; i < PROCESSES; i++)
		expect_success(pids[i]);
}

static pthread_barrier_t both; /* ranks of this process */

/* Ranks 2 and 3, when ranks 0 and 1 of their processes have left: what those imported is still there for these */
static void pass_on(struct rank *r)
{
	int32_t host[N], *buf;

	for (int i = 0; i < N; i++)
		host[i] = r->rank == 2 ? i : 0;
	buf = dev_with(host, sizeof(host));
	if (r->rank == 2)
		HCCL(HcclSend(buf, N, HCCL_DATA_TYPE_INT32, 3, r->comm, r->stream));
	else
		HCCL(HcclRecv(buf, N, HCCL_DATA_TYPE_INT32, 2, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf, sizeof(host));
	for (int i = 0; i < N; i++)
		CHECK_EQ(host[i], i);
}

/* Two ranks in each of two processes: addresses for one, keys for the other */
static void *mixed_rank(void *arg)
{
	struct rank r = process_rank((uint32_t)(uintptr_t)arg, 4);

	sum_once(&r, 100000);
	if (r.rank < 2)
		HCCL(HcclCommDestroy(r.comm));
	pthread_barrier_wait(&both);
	if (r.rank >= 2) {
		pass_on(&r);
		HCCL(HcclCommDestroy(r.comm));
	}
	return NULL;
}

static void mixed_process(void)
{
	pthread_t threads[2];
	char c;

	if (process_number) {
		CHECK_EQ(read(go[0], &c, 1), 1);
	} else {
		ACL(aclInit(NULL));
		HCCL(HcclGetRootInfo(root));
		CHECK_EQ(write(go[1], "x", 1), 1);
	}
	if (!process_number)
		ACL(aclFinalize());
	begin();
	CHECK_EQ(pthread_barrier_init(&both, NULL, 2), 0);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, mixed_rank, (void *)(2 * i + process_number)), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void threads_and_processes(void)
{
	pid_t pids[2];

	share_root();
	CHECK_EQ(pipe(go), 0);
	for (process_number = 0; process_number < 2; process_number++)
		pids[process_number] = child(mixed_process);
	for (int i = 0; i < 2; i++)
		expect_success(pids[i]);
}

/* The root's thread, which is made here, runs when no other thread wants the processor: later than its process can end */
static void *make_slow_root(void *arg)
{
	CHECK_EQ(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }), 0);
	HCCL(HcclGetRootInfo(root));
	return arg;
}

/* The process that made the root info ends as soon as its only rank has left: no failure for the rank that stays */
static void first_to_leave(void)
{
	cpu_set_t one;
	HcclComm comm;

	ACL(aclInit(NULL));
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
	in_thread(make_slow_root, NULL);
	CHECK_EQ(write(go[1], "x", 1), 1);
	ACL(aclrtSetDevice(0));
	HCCL(HcclCommInitRootInfo(2, root, 0, &comm));
	HCCL(HcclCommDestroy(comm));
	_exit(0);
}

static int left[2];

static void last_to_leave(void)
{
	struct timespec news = { .tv_nsec = 20000000 };
	HcclResult error;
	HcclComm comm;
	char c;

	CHECK_EQ(read(go[0], &c, 1), 1);
	begin();
	ACL(aclrtSetDevice(device_of(1)));
	HCCL(HcclCommInitRootInfo(2, root, 1, &comm));
	CHECK_EQ(read(left[0], &c, 1), 1);
	nanosleep(&news, NULL);
	HCCL(HcclGetCommAsyncError(comm, &error));
	CHECK_EQ(error, HCCL_SUCCESS);
	HCCL(HcclCommDestroy(comm));
}

static void the_roots_process_leaves_first(void)
{
	enum { ROUNDS = 5 };
	pid_t first, last;

	share_root();
	CHECK_EQ(pipe(go), 0);
	CHECK_EQ(pipe(left), 0);
	for (int i = 0; i < ROUNDS; i++) {
		first = child(first_to_leave);
		last = child(last_to_leave);
		expect_success(first);
		CHECK_EQ(write(left[1], "x", 1), 1);
		expect_success(last);
	}
}

static int summed[2];
static int stopped[2];

static int fate;			/* of rank 1's process */
static void (*wait_for_it)(struct rank *r);	/* by the others */

/* Rank 1 ends while the others wait for it: not before, as a call that has queued all it needs may fail, too */
static void victim(void)
{
	struct rank r;
	char c;

	begin();
	r = process_rank(1, 3);
	sum_once(&r, N);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(read(summed[0], &c, 1), 1);
	kill(getpid(), fate);
}

static void survivor(void)
{
	struct rank r;

	begin();
	r = process_rank(process_number, 3);
	sum_once(&r, N);
	CHECK_EQ(write(summed[1], "x", 1), 1);
	wait_for_it(&r);
	HCCL(HcclCommDestroy(r.comm));
}

static void sums_fail(struct rank *r)
{
	HcclResult error = HCCL_SUCCESS;
	void *buf = dev_with(NULL, N * 4);

	/* the news may come before the call, or while its tasks wait */
	if (!HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream))
		sync_fails(r, "rank 1 (process", "ended");
	UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
	CHECK_EQ(error, HCCL_E_REMOTE);
	HFAILS(HcclBarrier(r->comm, r->stream), HCCL_E_REMOTE, "rank 1 (process", "ended");
}

/* Those who wait for the third one to make a communicator do not wait until HCCL_CONNECT_TIMEOUT */
static void no_part(struct rank *r)
{
	uint32_t ranks[] = { 2, 1, 0 };
	HcclCommConfig config;
	HcclComm part;

	HcclCommConfigInit(&config);
	HFAILS(HcclCreateSubCommConfig(&r->comm, 3, ranks, 1, 2 - r->rank, &config, &part), HCCL_E_REMOTE, "rank 1 (process",
	       "ended");
}

/* Rank 0 waits for rank 2, which waits for rank 1 */
static void ring_waits(struct rank *r)
{
	uint32_t next = (r->rank + 1) % 3, last = (r->rank + 2) % 3;
	enum { LONG = 4 << 20 };
	HcclSendRecvItem items[2] = { { HCCL_SEND, dev_with(NULL, LONG), LONG, HCCL_DATA_TYPE_INT8, next },
				      { HCCL_RECV, dev_with(NULL, LONG), LONG, HCCL_DATA_TYPE_INT8, last } };

	HCCL(HcclBatchSendRecv(items, 2, r->comm, r->stream));
	sync_fails(r, "rank 1 (process", "its process does not run");
}

static void first_survivor(void)
{
	ACL(aclInit(NULL));
	HCCL(HcclGetRootInfo(root));
	ACL(aclFinalize());
	for (int i = 1; i < 3; i++)
		CHECK_EQ(write(go[1], "x", 1), 1);
	survivor();
}

static void when_root_is_there(void)
{
	char c;

	CHECK_EQ(read(go[0], &c, 1), 1);
	if (process_number == 1)
		victim();
	survivor();
}

static void when_rank_1_gets(int signal, void (*others)(struct rank *r))
{
	pid_t pids[3];
	int status;

	fate = signal;
	wait_for_it = others;
	share_root();
	CHECK_EQ(pipe(go), 0);
	CHECK_EQ(pipe(summed), 0);
	CHECK_EQ(pipe(stopped), 0);
	for (process_number = 0; process_number < 3; process_number++)
		pids[process_number] = child(process_number ? when_root_is_there : first_survivor);
	if (signal == SIGSTOP) {
		CHECK_EQ(waitpid(pids[1], &status, WUNTRACED), pids[1]);
		CHECK_EQ(write(stopped[1], "xx", 2), 2);
	}
	expect_success(pids[0]);
	expect_success(pids[2]);
	kill(pids[1], SIGKILL);
	CHECK_EQ(waitpid(pids[1], &status, 0), pids[1]);
}

static void a_killed_rank_is_named(void)
{
	when_rank_1_gets(SIGKILL, sums_fail);
}

static void a_killed_rank_is_not_waited_for(void)
{
	when_rank_1_gets(SIGKILL, no_part);
}

static void when_it_is_stopped(struct rank *r)
{
	char c;

	CHECK_EQ(read(stopped[0], &c, 1), 1);
	ring_waits(r);
}

static void a_stopped_rank_is_named(void)
{
	setenv("HCCL_EXEC_TIMEOUT", "2", 1);
	when_rank_1_gets(SIGSTOP, when_it_is_stopped);
}

/* The checking mode ------------------------------------------------------------------------------ */

static void differ(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);
	HcclResult ret, error = HCCL_SUCCESS;
	const char *text;

	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	meet(r);
	if (r->rank) {
		meet(r);
		aclGetRecentErrMsg();
		ret = HcclAllReduce(buf, buf, N / 2, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream);
		CHECK_EQ(ret, HCCL_E_PARA);
		text = aclGetRecentErrMsg();
		check_facts(text, "collective 2", "rank 1 calls HcclAllReduce(500 fp32 sum) at ",
			    "rank 0 HcclAllReduce(1000 int32 sum) at ", NULL);
	} else {
		HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		meet(r);
		/* it is told, and its stream does not wait until the limit */
		sync_fails(r, "500 fp32", "1000 int32");
		HCCL(HcclGetCommAsyncError(r->comm, &error));
		CHECK_EQ(error, HCCL_E_REMOTE);
	}
}

static void different_calls_are_found(void)
{
	setenv("ANPU_CHECK", "1", 1);
	begin();
	with_ranks(2, NULL, differ, NULL);
}

/* libhccl leaves a wait that fails behind what it has dropped: the time between the two is made long */
static atomic_bool between;
static atomic_bool make_long;

/* In place of the library's, lib/acl/copy/front.h */
aclError anpu_front_await(uint64_t *addr, uint64_t limit_us, aclrtStream stream);

aclError anpu_front_await(uint64_t *addr, uint64_t limit_us, aclrtStream stream)
{
	aclError (*real)(uint64_t *, uint64_t, aclrtStream) =
		(aclError(*)(uint64_t *, uint64_t, aclrtStream))dlsym(RTLD_NEXT, "anpu_front_await");
	struct timespec long_time = { .tv_nsec = 50000000 };

	if (make_long && !limit_us) {
		between = true;
		nanosleep(&long_time, NULL);
	}
	return real(addr, limit_us, stream);
}

static void come_between(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4);

	if (r->rank) {
		meet(r);
		(void)HcclAllReduce(buf, buf, N / 2, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream);
	} else {
		HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
		meet(r);
		UNTIL(between);
		sync_fails(r, "500 fp32", "1000 int32");
	}
}

static void who_comes_while_tasks_are_dropped_is_told(void)
{
	setenv("ANPU_CHECK", "1", 1);
	begin();
	make_long = true;
	with_ranks(2, NULL, come_between, NULL);
	make_long = false;
}

/* Roots, orders and counts by rank */
struct pair {
	HcclResult (*call[2])(struct rank *r, void *buf);
	const char *facts[2];
};

static HcclResult root_0(struct rank *r, void *buf)
{
	return HcclBroadcast(buf, N, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream);
}

static HcclResult root_1(struct rank *r, void *buf)
{
	return HcclBroadcast(buf, N, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream);
}

static HcclResult gather_v(struct rank *r, char *buf, uint64_t second)
{
	uint64_t counts[2] = { 10, 10 }, at[2] = { 0, 500 };

	counts[1 - r->rank] = second;
	return HcclAllGatherV(buf, 10, buf + 1000, counts, at, HCCL_DATA_TYPE_INT8, r->comm, r->stream);
}

static HcclResult counts_10(struct rank *r, void *buf)
{
	return gather_v(r, buf, 10);
}

static HcclResult counts_20(struct rank *r, void *buf)
{
	return gather_v(r, buf, 20);
}

static HcclResult by_matrix(struct rank *r, char *buf, uint64_t own)
{
	uint64_t matrix[4] = { 1, 2, 3, own };

	return HcclAlltoAllVC(buf, matrix, HCCL_DATA_TYPE_INT8, buf + 1000, HCCL_DATA_TYPE_INT8, r->comm, r->stream);
}

static HcclResult matrix_4(struct rank *r, void *buf)
{
	return by_matrix(r, buf, 4);
}

static HcclResult matrix_5(struct rank *r, void *buf)
{
	return by_matrix(r, buf, 5);
}

static HcclResult sums_v(struct rank *r, char *buf, uint64_t second)
{
	uint64_t counts[2] = { 10, 10 }, at[2] = { 0, 500 };

	counts[1 - r->rank] = second;
	return HcclReduceScatterV(buf, counts, at, buf + 1000, 10, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_MAX, r->comm, r->stream);
}

static HcclResult sums_10(struct rank *r, void *buf)
{
	return sums_v(r, buf, 10);
}

static HcclResult sums_20(struct rank *r, void *buf)
{
	return sums_v(r, buf, 20);
}

static HcclResult largest(struct rank *r, void *buf)
{
	return HcclAllReduce(buf, buf, 10, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream);
}

static HcclResult smallest(struct rank *r, void *buf)
{
	return HcclAllReduce(buf, buf, 10, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MIN, r->comm, r->stream);
}

static const struct pair mismatches[] = {
	{ { root_0, root_1 }, { "root 0", "root 1" } },
	{ { root_0, counts_10 }, { "HcclBroadcast", "HcclAllGatherV" } },
	{ { counts_10, counts_20 }, { "same counts", "HcclAllGatherV" } },
	{ { matrix_4, matrix_5 }, { "same counts", "HcclAlltoAllVC" } },
	{ { sums_10, sums_20 }, { "same counts", "HcclReduceScatterV" } },
	{ { largest, smallest }, { "10 int32 max) at", "10 int32 min) at" } },
};

/* Where each of the two has called is said as a whole */
static void check_both(const char *text, const struct pair *p)
{
	const char *first = text ? strstr(text, "tests/hccl/fault.c:") : NULL;

	check_facts(text, p->facts[0], p->facts[1], NULL);
	if (!first || !strstr(first + 1, "tests/hccl/fault.c:"))
		FAIL("two places are not in: %s", text);
}

static void mismatch(struct rank *r)
{
	const struct pair *p = r->arg;
	void *buf = dev_with(NULL, N * 4);
	HcclResult error = HCCL_SUCCESS;

	if (r->rank == 1)
		meet(r);
	aclGetRecentErrMsg();
	if (r->rank == 0) {
		HCCL(p->call[0](r, buf));
		meet(r);
		/* a root that only sends may be done already */
		UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
		CHECK_EQ(error, HCCL_E_REMOTE);
		check_both(aclGetRecentErrMsg(), p);
	} else {
		CHECK_EQ(p->call[1](r, buf), HCCL_E_PARA);
		check_both(aclGetRecentErrMsg(), p);
	}
}

static void roots_orders_and_counts_are_compared(void)
{
	setenv("ANPU_CHECK", "1", 1);
	begin();
	for (unsigned int i = 0; i < sizeof(mismatches) / sizeof(mismatches[0]); i++)
		with_ranks(2, NULL, mismatch, &mismatches[i]);
}

/* Of what goes from rank to rank, each side knows its own part */
struct sides {
	HcclResult (*call)(struct rank *r, char *buf);
	const char *facts[3];
};

static HcclResult send_100(struct rank *r, char *buf)
{
	return r->rank ? HcclRecv(buf, 50, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream) :
		HcclSend(buf, 100, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream);
}

static HcclResult send_other_type(struct rank *r, char *buf)
{
	return r->rank ? HcclRecv(buf, 100, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream) :
		HcclSend(buf, 100, HCCL_DATA_TYPE_FP32, 1, r->comm, r->stream);
}

/* The second of two is another: numbers are told by the order between two ranks */
static HcclResult batch(struct rank *r, char *buf)
{
	HcclSendRecvItem items[3] = { { HCCL_SEND, buf, 10, HCCL_DATA_TYPE_INT8, 1 - r->rank },
				      { HCCL_RECV, buf + 100, 10, HCCL_DATA_TYPE_INT8, 1 - r->rank },
				      { r->rank ? HCCL_RECV : HCCL_SEND, buf + 200, 30 + r->rank, HCCL_DATA_TYPE_INT8,
					1 - r->rank } };

	return HcclBatchSendRecv(items, 3, r->comm, r->stream);
}

static HcclResult all_to_all(struct rank *r, char *buf)
{
	uint64_t sends[2] = { 7, 7 }, receives[2] = { 7, 7 }, at[2] = { 0, 100 };

	if (r->rank)
		receives[0] = 8;
	else
		sends[1] = 9;
	return HcclAlltoAllV(buf, sends, at, HCCL_DATA_TYPE_INT8, buf + 1000, receives, at, HCCL_DATA_TYPE_INT8, r->comm,
			     r->stream);
}

/* Only what rank 0 receives is another */
static HcclResult all_to_first(struct rank *r, char *buf)
{
	uint64_t sends[2] = { 7, 7 }, receives[2] = { 7, 7 }, at[2] = { 0, 100 };

	if (r->rank)
		sends[0] = 6;
	return HcclAlltoAllV(buf, sends, at, HCCL_DATA_TYPE_INT8, buf + 1000, receives, at, HCCL_DATA_TYPE_INT8, r->comm,
			     r->stream);
}

static HcclResult another_order(struct rank *r, char *buf)
{
	HcclResult ret = HCCL_SUCCESS;

	if (r->rank)
		ret = HcclBarrier(r->comm, r->stream);
	if (ret)
		return ret;
	return r->rank ? HcclRecv(buf, 60, HCCL_DATA_TYPE_INT32, 0, r->comm, r->stream) :
		HcclSend(buf, 60, HCCL_DATA_TYPE_INT32, 1, r->comm, r->stream);
}

static const struct sides sides[] = {
	{ send_100, { "number 1 from rank 0 to rank 1", "rank 1 receives 50 int32 with HcclRecv", "rank 0 sends 100 int32 with "
		      "HcclSend" } },
	{ send_other_type, { "100 fp32", "100 int32", "both must be the same" } },
	{ batch, { "number 2 from rank 0 to rank 1", "rank 1 receives 31 int8 with HcclBatchSendRecv", "sends 30 int8" } },
	{ all_to_all, { "HcclAlltoAllV", "rank 1 receives 8 int8", "rank 0 sends 9 int8" } },
	{ all_to_first, { "HcclAlltoAllV", "rank 1 sends 6 int8", "rank 0 receives 7 int8" } },
	{ another_order, { "after 1 collectives", "after 0", "same order" } },
};

static void unequal(struct rank *r)
{
	const struct sides *s = r->arg;
	char *buf = dev_with(NULL, N * 4);
	HcclResult error = HCCL_SUCCESS;

	if (r->rank == 1)
		meet(r);
	aclGetRecentErrMsg();
	if (r->rank == 0) {
		HCCL(s->call(r, buf));
		meet(r);
		UNTIL(!HcclGetCommAsyncError(r->comm, &error) && error);
		CHECK_EQ(error, HCCL_E_REMOTE);
	} else {
		CHECK_EQ(s->call(r, buf), HCCL_E_PARA);
	}
	check_facts(aclGetRecentErrMsg(), s->facts[0], s->facts[1], s->facts[2], "fault.c", NULL);
}

static void what_is_sent_must_be_received(void)
{
	setenv("ANPU_CHECK", "1", 1);
	begin();
	for (unsigned int i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
		with_ranks(2, NULL, unequal, &sides[i]);
}

/* Arguments ----------------------------------------------------------------------------------------- */

static void bad(struct rank *r)
{
	char *buf = dev_with(NULL, N * 8), here[4 * N];
	HcclComm c = r->comm, none = (HcclComm)&buf;
	aclrtStream s = r->stream;
	uint64_t counts[2] = { 1, 1 }, huge[4] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	HcclSendRecvItem item = { HCCL_SEND, buf, 1, HCCL_DATA_TYPE_INT8, 5 };

#define T HCCL_DATA_TYPE_INT32
#define SUM HCCL_REDUCE_SUM
	HFAILS(HcclAllReduce(buf, buf, N, T, SUM, NULL, s), HCCL_E_PTR, "comm");
	HFAILS(HcclAllReduce(buf, buf, N, T, SUM, none, s), HCCL_E_PARA, "no communicator");
	HFAILS(HcclAllReduce(buf, buf, N, T, SUM, c, NULL), HCCL_E_PTR, "stream");
	HFAILS(HcclAllReduce(NULL, buf, N, T, SUM, c, s), HCCL_E_PTR, "sendBuf");
	HFAILS(HcclAllReduce(buf, NULL, N, T, SUM, c, s), HCCL_E_PTR, "recvBuf");
	HFAILS(HcclAllReduce(buf, buf, N, (HcclDataType)13, SUM, c, s), HCCL_E_PARA, "dataType is 13");
	HFAILS(HcclAllReduce(buf, buf, N, T, (HcclReduceOp)4, c, s), HCCL_E_PARA, "op is 4");
	HFAILS(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_HIF8, SUM, c, s), HCCL_E_NOT_SUPPORT, "hif8");
	HFAILS(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT128, SUM, c, s), HCCL_E_NOT_SUPPORT, "int128");
	HFAILS(HcclAllReduce(buf + 1, buf + 1, N, T, SUM, c, s), HCCL_E_PARA, "multiple");
	HFAILS(HcclAllReduce(buf, buf + 4, N, T, SUM, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclAllReduce(buf, buf, UINT64_MAX / 2, T, SUM, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclAllReduce(here, buf, N, T, SUM, c, s), HCCL_E_PARA, "sendBuf is ", "memory of the host");
	HFAILS(HcclAllReduce(buf, here, N, T, SUM, c, s), HCCL_E_PARA, "recvBuf is ", "memory of the host");
	HFAILS(HcclSend(here, N, T, 1, c, s), HCCL_E_PARA, "memory of the host");
	HFAILS(HcclReduce(buf, buf, N, T, SUM, 2, c, s), HCCL_E_PARA, "root is 2");
	HFAILS(HcclBroadcast(buf, N, T, 7, c, s), HCCL_E_PARA, "root is 7");
	HFAILS(HcclBroadcast(NULL, N, T, 0, c, s), HCCL_E_PTR, "buf");
	HFAILS(HcclScatter(buf, buf + 4000, 1, T, 9, c, s), HCCL_E_PARA, "root is 9");
	HFAILS(HcclReduceScatter(buf, buf + 2, 100, HCCL_DATA_TYPE_INT16, SUM, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclAllGather(buf, buf + 2, 100, T, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclAlltoAll(buf, 10, T, buf, 10, T, c, s), HCCL_E_PARA, "overlap");
	HFAILS(HcclAlltoAll(buf, 10, T, buf + 1000, 11, T, c, s), HCCL_E_PARA, "recvCount 11");
	HFAILS(HcclAlltoAll(buf, 10, T, buf + 1000, 10, HCCL_DATA_TYPE_FP16, c, s), HCCL_E_PARA, "fp16");
	HFAILS(HcclAlltoAllV(buf, counts, NULL, T, buf + 1000, counts, counts, T, c, s), HCCL_E_PTR, "sdispls");
	HFAILS(HcclAlltoAllVC(buf, NULL, T, buf + 1000, T, c, s), HCCL_E_PTR, "sendCountMatrix");
	HFAILS(HcclAllGather(buf, buf + 1000, 1ull << 63, HCCL_DATA_TYPE_INT8, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclReduceScatter(buf, buf + 1000, UINT64_MAX, HCCL_DATA_TYPE_INT8, SUM, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclAlltoAll(buf, 1ull << 62, T, buf + 1000, 1ull << 62, T, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclScatter(buf, buf + 1000, 1ull << 61, HCCL_DATA_TYPE_INT64, 0, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclBroadcast(buf, UINT64_MAX / 4, HCCL_DATA_TYPE_INT128, 0, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclAlltoAllV(buf, counts, huge, T, buf + 1000, counts, counts, T, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclAlltoAllVC(buf, huge, T, buf + 1000, T, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclAllGatherV(buf, 1, buf + 1000, counts, huge, T, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclReduceScatterV(buf, counts, huge, buf + 1000, 1, T, SUM, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclSend(buf, UINT64_MAX / 8, HCCL_DATA_TYPE_INT64, !r->rank, c, s), HCCL_E_PARA, "no memory has");
	HFAILS(HcclSend(buf, 1, T, 2, c, s), HCCL_E_PARA, "rank 2");
	HFAILS(HcclRecv(NULL, 1, T, 0, c, s), HCCL_E_PTR, "buffer");
	HFAILS(HcclSend(buf, 1, T, r->rank, c, s), HCCL_E_PARA, "itself");
	HFAILS(HcclBatchSendRecv(NULL, 1, c, s), HCCL_E_PTR, "HcclBatchSendRecv: sendRecvInfo");
	HFAILS(HcclBatchSendRecv(&item, 0, c, s), HCCL_E_PARA, "HcclBatchSendRecv: itemNum");
	HFAILS(HcclBatchSendRecv(&item, 1, c, s), HCCL_E_PARA, "rank 5");
	HFAILS(HcclGetRankId(c, NULL), HCCL_E_PTR, "rank");
	HFAILS(HcclGetRankSize(c, NULL), HCCL_E_PTR, "rankSize");
	HFAILS(HcclGetCommName(c, NULL), HCCL_E_PTR, "commName");
	HFAILS(HcclGetCommAsyncError(c, NULL), HCCL_E_PTR, "asyncError");
	HFAILS(HcclCommDestroy(none), HCCL_E_PARA, "no communicator");
	HFAILS(HcclCommSuspend(none), HCCL_E_PARA, "no communicator");
	HFAILS(HcclCommResume(none), HCCL_E_PARA, "no communicator");
	/* nothing of all that has reached a stream */
	HCCL(HcclBarrier(c, s));
	ACL(aclrtSynchronizeStream(s));
	ACL(aclrtFree(buf));
}

static void bad_arguments(void)
{
	begin();
	with_ranks(2, NULL, bad, NULL);
}

TAP_MAIN(TEST(a_late_rank_is_named),
	 TEST(late_graphs_end),
	 TEST(ranks_as_processes),
	 TEST(threads_and_processes),
	 TEST(the_roots_process_leaves_first),
	 TEST(a_killed_rank_is_named),
	 TEST(a_killed_rank_is_not_waited_for),
	 TEST(a_stopped_rank_is_named),
	 TEST(different_calls_are_found),
	 TEST(who_comes_while_tasks_are_dropped_is_told),
	 TEST(roots_orders_and_counts_are_compared),
	 TEST(what_is_sent_must_be_received),
	 TEST(bad_arguments))
