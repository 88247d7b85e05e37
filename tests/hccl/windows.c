// SPDX-License-Identifier: MIT
/* Memory of a rank that the others find: windows, their addresses for other ranks, and who may have them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hccltest.h"

enum { N = 1000, MANY = 32 };

static void barrier(struct rank *r)
{
	HCCL(HcclBarrier(r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
}

static int32_t read_one(const void *at)
{
	int32_t value;

	dev_read(&value, at, sizeof(value));
	return value;
}

/* N times a number that only this rank has in this window */
static int32_t *filled(const struct rank *r, int32_t which)
{
	int32_t *host = host_alloc(N * 4), *dev;

	for (int i = 0; i < N; i++)
		host[i] = (int32_t)r->rank * 1000 + which;
	dev = dev_with(host, N * 4);
	free(host);
	return dev;
}

static int32_t *peer(HcclCommSymWindow win, size_t index, uint32_t rank)
{
	void *at = NULL;

	HCCL(HcclSymWinGetPeerPointer(win, index * 4, rank, &at));
	return at;
}

/* Same process ------------------------------------------------------------------------------------ */

static void own(struct rank *r)
{
	HcclCommSymWindow win, got = NULL;
	int32_t *buf = filled(r, 0), *sum = dev_with(NULL, N * 4);
	size_t offset = 0;

	HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, HCCL_WIN_COLL_SYMMETRIC));
	HCCL(HcclCommSymWinGet(r->comm, buf + 5, 8, &got, &offset));
	CHECK(got == win);
	CHECK_EQ(offset, 20);
	CHECK(peer(win, 7, r->rank) == buf + 7);
	/* collectives take it as any memory */
	HCCL(HcclAllReduce(buf, sum, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	CHECK_EQ(read_one(sum + N - 1), ((int32_t)r->ranks - 1) * 1000);
	HFAILS(HcclCommSymWinGet(r->comm, buf + N - 1, 8, &got, &offset), HCCL_E_NOT_FOUND, "no window");
	HFAILS(HcclCommSymWinGet(r->comm, buf, 8, NULL, &offset), HCCL_E_PTR, "winHandle");
	HFAILS(HcclCommSymWinGet(r->comm, NULL, 8, &got, &offset), HCCL_E_PTR, "ptr");
	HFAILS(HcclCommSymWinGet(r->comm, buf, 8, &got, NULL), HCCL_E_PTR, "offset");
	barrier(r);
	HCCL(HcclCommSymWinDeregister(win));
	HFAILS(HcclCommSymWinDeregister(win), HCCL_E_PARA, "no window");
	HFAILS(HcclCommSymWinDeregister(NULL), HCCL_E_PTR, "winHandle");
	HFAILS(HcclCommSymWinGet(r->comm, buf, 8, &got, &offset), HCCL_E_NOT_FOUND, "no window");
	ACL(aclrtFree(buf));
	ACL(aclrtFree(sum));
}

static void a_window_is_found_by_its_rank(void)
{
	begin();
	with_ranks(2, NULL, own, NULL);
}

static void wrong_arguments(struct rank *r)
{
	int32_t *buf = filled(r, 0), host[4];
	HcclCommSymWindow win;
	void *at;

	HFAILS(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 0), HCCL_E_PARA, "flag is 0");
	HFAILS(HcclCommSymWinRegister(r->comm, buf, 0, &win, 1), HCCL_E_PARA, "size is 0");
	HFAILS(HcclCommSymWinRegister(r->comm, buf, UINT64_MAX, &win, 1), HCCL_E_PARA, "size is 18446744073709551615");
	HFAILS(HcclCommSymWinRegister(r->comm, buf, 1 << 30, &win, 1), HCCL_E_PARA, "addr is", "1073741824 bytes");
	HFAILS(HcclCommSymWinRegister(r->comm, host, sizeof(host), &win, 1), HCCL_E_PARA, "addr is", "aclrtMalloc()");
	HFAILS(HcclCommSymWinRegister(r->comm, NULL, 1, &win, 1), HCCL_E_PTR, "addr");
	HFAILS(HcclCommSymWinRegister(r->comm, buf, 4, NULL, 1), HCCL_E_PTR, "winHandle");
	HFAILS(HcclCommSymWinRegister(NULL, buf, 4, &win, 1), HCCL_E_PTR, "comm");
	HFAILS(HcclCommRegister(r->comm, buf, 4, &win, 1), HCCL_E_PARA, "flag is 1");
	HFAILS(HcclCommRegister(r->comm, buf, 4, NULL, 0), HCCL_E_PTR, "handle");
	HFAILS(HcclCommDeregister(r->comm, NULL), HCCL_E_PTR, "handle");
	HFAILS(HcclCommDeregister(r->comm, buf), HCCL_E_PARA, "handle is", "no window");
	HFAILS(HcclCommDeregister(NULL, buf), HCCL_E_PTR, "comm");
	HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
	HFAILS(HcclSymWinGetPeerPointer(win, 0, r->ranks, &at), HCCL_E_PARA, "peerRank is 2", "2 ranks");
	HFAILS(HcclSymWinGetPeerPointer(win, N * 4, 1 - r->rank, &at), HCCL_E_PARA, "offset is 4000", "4000 bytes");
	HFAILS(HcclSymWinGetPeerPointer(win, 0, 0, NULL), HCCL_E_PTR, "ptr");
	HFAILS(HcclSymWinGetPeerPointer(NULL, 0, 0, &at), HCCL_E_PTR, "winHandle");
	HFAILS(HcclSymWinGetPeerPointer(buf, 0, 0, &at), HCCL_E_PARA, "no window");
	barrier(r);
	HCCL(HcclCommSymWinDeregister(win));
	HFAILS(HcclSymWinGetPeerPointer(win, 0, 0, &at), HCCL_E_PARA, "no window");
	ACL(aclrtFree(buf));
}

static void wrong_arguments_are_named(void)
{
	begin();
	with_ranks(2, NULL, wrong_arguments, NULL);
}

/* Each rank writes its number into a place of its own in all windows */
static void put_into_all(struct rank *r, HcclCommSymWindow win, int32_t *buf)
{
	int32_t mine = (int32_t)r->rank + 77;

	for (uint32_t i = 0; i < r->ranks; i++) {
		CHECK_EQ(read_one(peer(win, 500, i)), (int32_t)i * 1000 + 3);
		ACL(aclrtMemcpy(peer(win, r->rank, i), 4, &mine, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	}
	barrier(r);
	for (uint32_t i = 0; i < r->ranks; i++)
		CHECK_EQ(read_one(buf + i), (int32_t)i + 77);
	barrier(r);
}

static void all_to_all(struct rank *r)
{
	int32_t *buf = filled(r, 3);
	HcclCommSymWindow win;

	HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
	put_into_all(r, win, buf);
	HCCL(HcclCommSymWinDeregister(win));
	ACL(aclrtFree(buf));
}

static void ranks_reach_each_others_windows(void)
{
	begin();
	with_ranks(2, NULL, all_to_all, NULL);
	with_ranks(5, NULL, all_to_all, NULL);
}

/* The second window of a rank is that of the others' second, also when the first has ended and its place is used again */
static void in_their_order(struct rank *r)
{
	int32_t *buf[3] = { filled(r, 0), filled(r, 1), filled(r, 2) };
	HcclCommSymWindow win[3];
	void *at;

	HCCL(HcclCommSymWinRegister(r->comm, buf[0], N * 4, &win[0], 1));
	HCCL(HcclCommSymWinRegister(r->comm, buf[1], N * 4, &win[1], 1));
	CHECK_EQ(read_one(peer(win[1], 0, 1 - r->rank)), (1 - (int32_t)r->rank) * 1000 + 1);
	barrier(r);
	if (!r->rank)
		HCCL(HcclCommSymWinDeregister(win[0]));
	barrier(r);
	if (r->rank)
		HFAILS(HcclSymWinGetPeerPointer(win[0], 0, 0, &at), HCCL_E_UNAVAIL, "rank 0 has ended its window 1");
	HCCL(HcclCommSymWinRegister(r->comm, buf[2], N * 4, &win[2], 1));
	for (int i = 1; i < 3; i++)
		CHECK_EQ(read_one(peer(win[i], 0, 1 - r->rank)), (1 - (int32_t)r->rank) * 1000 + i);
	barrier(r);
	for (int i = 0; i < 3; i++)
		ACL(aclrtFree(buf[i]));
}

static void windows_belong_together_by_their_order(void)
{
	begin();
	with_ranks(2, NULL, in_their_order, NULL);
}

static atomic_bool waited;

/* Rank 1 registers when rank 0 has been waiting for a while */
static void late(struct rank *r)
{
	int32_t *buf = filled(r, 9);
	HcclCommSymWindow win;

	if (r->rank) {
		usleep(50000);
		CHECK(!atomic_load(&waited));
	}
	HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
	CHECK_EQ(read_one(peer(win, 0, 1)), 1009);
	atomic_store(&waited, true);
	barrier(r);
	ACL(aclrtFree(buf));
}

static void a_window_is_waited_for(void)
{
	begin();
	with_ranks(2, NULL, late, NULL);
}

static void alone(struct rank *r)
{
	int32_t *buf = filled(r, 0);
	HcclCommSymWindow win;
	void *at;

	if (!r->rank) {
		HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
		HFAILS(HcclSymWinGetPeerPointer(win, 0, 1, &at), HCCL_E_TIMEOUT, "rank 1 has not registered its window 1", "1 s",
		       "HCCL_EXEC_TIMEOUT");
	}
	meet(r);
	ACL(aclrtFree(buf));
}

static void nobody_waits_for_ever(void)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	begin();
	with_ranks(2, NULL, alone, NULL);
}

/* One rank leaves without a window */
static void left_behind(struct rank *r)
{
	int32_t *buf = filled(r, 0);
	HcclCommSymWindow win;
	void *at;

	if (!r->rank) {
		HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
		HFAILS(HcclSymWinGetPeerPointer(win, 0, 1, &at), HCCL_E_REMOTE, "rank 1 has left the communicator");
	}
	ACL(aclrtFree(buf));
}

static void a_rank_that_leaves_is_named(void)
{
	begin();
	with_ranks(2, NULL, left_behind, NULL);
}

static void many(struct rank *r)
{
	HcclCommSymWindow win[MANY], one_more;
	int32_t *buf = filled(r, 0);

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++)
			HCCL(HcclCommSymWinRegister(r->comm, buf + i, 4, &win[i], 1));
		HFAILS(HcclCommSymWinRegister(r->comm, buf, 4, &one_more, 1), HCCL_E_UNAVAIL, "32 windows");
		for (int i = 0; i < MANY; i++)
			HCCL(HcclCommSymWinDeregister(win[i]));
	}
	/* what is not ended ends with the communicator */
	HCCL(HcclCommSymWinRegister(r->comm, buf, 4, &win[0], 1));
	barrier(r);
	ACL(aclrtFree(buf));
}

static void there_is_room_for_32(void)
{
	begin();
	with_ranks(2, NULL, many, NULL);
}

/* Exchange ---------------------------------------------------------------------------------------- */

/* Rank i registers i windows before, so numbers differ; ranks 0 and 2 exchange with each other, rank 1 with both */
static void exchange(struct rank *r)
{
	int32_t *first = filled(r, 1), *buf = filled(r, 3);
	uint32_t peers[2] = { (r->rank + 1) % 3, (r->rank + 2) % 3 };
	void *win, *before;

	for (uint32_t i = 0; i < r->rank; i++)
		HCCL(HcclCommRegister(r->comm, first, N * 4, &before, 0));
	HCCL(HcclCommRegister(r->comm, buf, N * 4, &win, 0));
	HCCL(HcclCommExchangeMem(r->comm, win, peers, 2));
	put_into_all(r, win, buf);
	HFAILS(HcclCommExchangeMem(r->comm, win, NULL, 2), HCCL_E_PTR, "peerRanks");
	HFAILS(HcclCommExchangeMem(r->comm, win, peers, 0), HCCL_E_PARA, "peerRankNum is 0", "2 other ranks");
	HFAILS(HcclCommExchangeMem(r->comm, win, peers, 3), HCCL_E_PARA, "peerRankNum is 3");
	HFAILS(HcclCommExchangeMem(r->comm, NULL, peers, 2), HCCL_E_PTR, "windowHandle");
	HFAILS(HcclCommExchangeMem(r->comm, buf, peers, 2), HCCL_E_PARA, "windowHandle is", "no window");
	peers[1] = peers[0];
	HFAILS(HcclCommExchangeMem(r->comm, win, peers, 2), HCCL_E_PARA, "peerRanks[0] and peerRanks[1]");
	peers[0] = r->rank;
	HFAILS(HcclCommExchangeMem(r->comm, win, peers, 1), HCCL_E_PARA, "this rank itself");
	peers[0] = 3;
	HFAILS(HcclCommExchangeMem(r->comm, win, peers, 1), HCCL_E_PARA, "peerRanks[0] is 3");
	barrier(r);
	HCCL(HcclCommDeregister(r->comm, win));
	HFAILS(HcclCommDeregister(r->comm, win), HCCL_E_PARA, "handle is", "no window");
	ACL(aclrtFree(buf));
	ACL(aclrtFree(first));
}

static void ranks_exchange_windows(void)
{
	begin();
	with_ranks(3, NULL, exchange, NULL);
}

/* The other rank leaves instead: its end is told, as of a receive */
static void no_partner(struct rank *r)
{
	int32_t *buf = filled(r, 0);
	uint32_t other = 1;
	void *win;

	if (!r->rank) {
		HCCL(HcclCommRegister(r->comm, buf, N * 4, &win, 0));
		HFAILS(HcclCommExchangeMem(r->comm, win, &other, 1), HCCL_E_TIMEOUT, "rank 1");
	}
	meet(r);
	ACL(aclrtFree(buf));
}

static void an_exchange_ends_with_the_time(void)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	begin();
	with_ranks(2, NULL, no_partner, NULL);
}

/* Processes --------------------------------------------------------------------------------------- */

/* In memory of both processes */
struct plan {
	HcclRootInfo root;
	atomic_bool ready;
};

static struct plan *plan;
static uint32_t process;

static void *rank_of_two(void *arg)
{
	struct rank r = { .rank = (uint32_t)(uintptr_t)arg, .ranks = 4 };
	const char *device = getenv("ANPU_DEVICE");
	bool apart = device && !strcmp(device, "direct");
	HcclCommSymWindow win;
	int32_t *buf;
	void *at;

	ACL(aclrtSetDevice(device_of(r.rank)));
	HCCL(HcclCommInitRootInfo(r.ranks, &plan->root, r.rank, &r.comm));
	ACL(aclrtCreateStream(&r.stream));
	buf = filled(&r, 3);
	HCCL(HcclCommSymWinRegister(r.comm, buf, N * 4, &win, 1));
	if (!apart)
		put_into_all(&r, win, buf);
	for (uint32_t i = 0; i < r.ranks && apart; i++) {
		if (i % 2 == process)
			CHECK_EQ(read_one(peer(win, 500, i)), (int32_t)i * 1000 + 3);
		else
			HFAILS(HcclSymWinGetPeerPointer(win, 0, i, &at), HCCL_E_NOT_SUPPORT, "another process", "ANPU_DEVICE=direct");
	}
	barrier(&r);
	/* a rank that ends its window leaves what another rank of its process has imported alone */
	if (r.rank < 2)
		HCCL(HcclCommSymWinDeregister(win));
	barrier(&r);
	if (r.rank >= 2 && !apart)
		CHECK_EQ(read_one(peer(win, 500, 5 - r.rank)), (5 - (int32_t)r.rank) * 1000 + 3);
	barrier(&r);
	HCCL(HcclCommDestroy(r.comm));
	ACL(aclrtDestroyStream(r.stream));
	ACL(aclrtFree(buf));
	return NULL;
}

static void two_ranks(void)
{
	pthread_t threads[2];

	begin();
	if (!process) {
		HCCL(HcclGetRootInfo(&plan->root));
		atomic_store(&plan->ready, true);
	}
	while (!atomic_load(&plan->ready))
		usleep(1000);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, rank_of_two, (void *)(2 * i + process)), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void windows_of_other_processes(void)
{
	pid_t pids[2];

	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(plan != MAP_FAILED);
	for (process = 0; process < 2; process++)
		pids[process] = child(two_ranks);
	for (int i = 0; i < 2; i++)
		expect_success(pids[i]);
}

static void by_messages(struct rank *r)
{
	int32_t *buf = filled(r, 0);
	HcclCommSymWindow win;
	void *at;

	HCCL(HcclCommSymWinRegister(r->comm, buf, N * 4, &win, 1));
	HFAILS(HcclSymWinGetPeerPointer(win, 0, 1 - r->rank, &at), HCCL_E_NOT_SUPPORT, "several machines", "ANPU_HCCL_TRANSPORT");
	barrier(r);
	ACL(aclrtFree(buf));
}

static void machines_do_not_reach_each_other(void)
{
	setenv("ANPU_HCCL_TRANSPORT", "ucx", 1);
	begin();
	with_ranks(2, NULL, by_messages, NULL);
}

TAP_MAIN(TEST(a_window_is_found_by_its_rank),
	 TEST(wrong_arguments_are_named),
	 TEST(ranks_reach_each_others_windows),
	 TEST(windows_belong_together_by_their_order),
	 TEST(a_window_is_waited_for),
	 TEST(nobody_waits_for_ever),
	 TEST(a_rank_that_leaves_is_named),
	 TEST(there_is_room_for_32),
	 TEST(ranks_exchange_windows),
	 TEST(an_exchange_ends_with_the_time),
	 TEST(windows_of_other_processes),
	 TEST(machines_do_not_reach_each_other))
