// SPDX-License-Identifier: MIT
/* Moving data: broadcast, gather, scatter, all to all, sends and receives, barriers, groups. */
#include <pthread.h>

#include "hccltest.h"

/* Byte @i of what rank @from has for rank @to */
static unsigned char byte_of(uint32_t from, uint32_t to, size_t i)
{
	return (unsigned char)(17 * from + 29 * to + i * 3 + (i >> 8) + (i >> 16) + 1);
}

static void fill(unsigned char *at, uint32_t from, uint32_t to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = byte_of(from, to, i);
}

static void check_bytes(const char *what, const struct rank *r, const unsigned char *at, uint32_t from, uint32_t to,
			size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] != byte_of(from, to, i))
			FAIL("%s of %u ranks: rank %u has %#x from rank %u at byte %zu of %zu, not %#x", what, r->ranks, r->rank,
			     at[i], from, i, n, byte_of(from, to, i));
}

static const size_t sizes[] = { 0, 1, 3, 64, 4097, 70001, 300007 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void broadcasts(struct rank *r)
{
	unsigned char *host = host_alloc(sizes[SIZES - 1] + 1);

	for (unsigned int k = 0; k < SIZES; k++) {
		uint32_t root = k % r->ranks;
		size_t n = sizes[k];
		void *buf;

		memset(host, 0, n);
		if (r->rank == root)
			fill(host, root, 99, n);
		buf = dev_with(host, n);
		HCCL(HcclBroadcast(buf, n, HCCL_DATA_TYPE_UINT8, root, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(host, buf, n);
		check_bytes("broadcast", r, host, root, 99, n);
		ACL(aclrtFree(buf));
	}
}

static void gathers(struct rank *r)
{
	for (unsigned int k = 0; k < SIZES; k++) {
		size_t n = sizes[k];
		unsigned char *host = host_alloc(n * r->ranks + 1);
		char *recv;
		void *send;

		fill(host, r->rank, 0, n);
		send = dev_with(host, n);
		recv = dev_with(NULL, n * r->ranks);
		HCCL(HcclAllGather(send, recv, n, HCCL_DATA_TYPE_INT8, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(host, recv, n * r->ranks);
		for (uint32_t i = 0; i < r->ranks; i++)
			check_bytes("all-gather", r, host + i * n, i, 0, n);
		/* in place: this rank's part of the result is what it sends */
		ACL(aclrtMemset(recv, n * r->ranks + 1, 0, n * r->ranks));
		ACL(aclrtSynchronizeStream(r->stream));
		fill(host, r->rank, 1, n);
		if (n)
			ACL(aclrtMemcpy(recv + r->rank * n, n, host, n, ACL_MEMCPY_HOST_TO_DEVICE));
		HCCL(HcclAllGather(recv + r->rank * n, recv, n, HCCL_DATA_TYPE_INT8, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(host, recv, n * r->ranks);
		for (uint32_t i = 0; i < r->ranks; i++)
			check_bytes("all-gather in place", r, host + i * n, i, 1, n);
		ACL(aclrtFree(send));
		ACL(aclrtFree(recv));
	}
}

static void gathers_v(struct rank *r)
{
	uint64_t counts[RANKS_MAX], at[RANKS_MAX], all = 0;
	unsigned char *host;
	void *send, *recv;

	for (uint32_t i = 0; i < r->ranks; i++) {
		counts[i] = i % 3 == 1 ? 0 : 30000 * i + 7;
		at[i] = all + 3;
		all = at[i] + counts[i];
	}
	host = host_alloc(all * 2);
	fill(host, r->rank, 0, counts[r->rank] * 2);
	send = dev_with(host, counts[r->rank] * 2);
	recv = dev_with(NULL, all * 2);
	HCCL(HcclAllGatherV(send, counts[r->rank], recv, counts, at, HCCL_DATA_TYPE_BFP16, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, recv, all * 2);
	for (uint32_t i = 0; i < r->ranks; i++)
		check_bytes("all-gather-v", r, host + at[i] * 2, i, 0, counts[i] * 2);
	HFAILS(HcclAllGatherV(send, counts[r->rank] + 1, recv, counts, at, HCCL_DATA_TYPE_BFP16, r->comm, r->stream),
	       HCCL_E_PARA, "sendCount", "recvCounts");
	HFAILS(HcclAllGatherV(send, 1, recv, counts, NULL, HCCL_DATA_TYPE_BFP16, r->comm, r->stream), HCCL_E_PTR,
	       "recvDispls");
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
}

static void scatters(struct rank *r)
{
	for (unsigned int k = 0; k < SIZES; k++) {
		uint32_t root = (k + 1) % r->ranks;
		size_t n = sizes[k];
		unsigned char *host = host_alloc(n * r->ranks + 1);
		void *send, *recv;

		for (uint32_t i = 0; i < r->ranks; i++)
			fill(host + i * n, root, i, n);
		send = r->rank == root ? dev_with(host, n * r->ranks) : NULL;
		recv = dev_with(NULL, n);
		HCCL(HcclScatter(send, recv, n, HCCL_DATA_TYPE_FP8E4M3, root, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(host, recv, n);
		check_bytes("scatter", r, host, root, r->rank, n);
		if (send)
			ACL(aclrtFree(send));
		ACL(aclrtFree(recv));
	}
}

/* Elements of 2 bytes from rank @i to rank @k, also none */
static uint64_t count_of(uint32_t i, uint32_t k)
{
	return (i + 2 * k) % 4 ? 20000 * ((i + k) % 3) + i + k : 0;
}

static void check_parts(const char *what, const struct rank *r, const void *recv, const uint64_t *counts,
			const uint64_t *at, uint64_t all)
{
	unsigned char *host = host_alloc(all * 2 + 1);

	dev_read(host, recv, all * 2);
	for (uint32_t i = 0; i < r->ranks; i++)
		check_bytes(what, r, host + at[i] * 2, i, r->rank, counts[i] * 2);
}

static void all_to_all(struct rank *r)
{
	uint64_t out[RANKS_MAX], out_at[RANKS_MAX], in[RANKS_MAX], in_at[RANKS_MAX], sends = 0, recvs = 0;
	uint64_t matrix[RANKS_MAX * RANKS_MAX], equal[RANKS_MAX], equal_at[RANKS_MAX];
	unsigned char *host;
	void *send, *recv;

	for (uint32_t i = 0; i < r->ranks; i++) {
		out[i] = count_of(r->rank, i);
		in[i] = count_of(i, r->rank);
		out_at[i] = sends;
		in_at[i] = recvs;
		sends += out[i];
		recvs += in[i];
		equal[i] = 5000;
		equal_at[i] = 5000 * i;
		for (uint32_t k = 0; k < r->ranks; k++)
			matrix[i * r->ranks + k] = count_of(i, k);
	}
	host = host_alloc((sends + 5000 * r->ranks) * 2);
	for (uint32_t i = 0; i < r->ranks; i++)
		fill(host + out_at[i] * 2, r->rank, i, out[i] * 2);
	send = dev_with(host, sends * 2);
	recv = dev_with(NULL, recvs * 2);
	HCCL(HcclAlltoAllV(send, out, out_at, HCCL_DATA_TYPE_INT16, recv, in, in_at, HCCL_DATA_TYPE_INT16, r->comm,
			   r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_parts("all-to-all-v", r, recv, in, in_at, recvs);
	if (recvs)
		ACL(aclrtMemset(recv, recvs * 2, 0, recvs * 2));
	HCCL(HcclAlltoAllVC(send, matrix, HCCL_DATA_TYPE_INT16, recv, HCCL_DATA_TYPE_INT16, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_parts("all-to-all-vc", r, recv, in, in_at, recvs);
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
	for (uint32_t i = 0; i < r->ranks; i++)
		fill(host + equal_at[i] * 2, r->rank, i, 10000);
	send = dev_with(host, 10000UL * r->ranks);
	recv = dev_with(NULL, 10000UL * r->ranks);
	HCCL(HcclAlltoAll(send, 5000, HCCL_DATA_TYPE_FP16, recv, 5000, HCCL_DATA_TYPE_FP16, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_parts("all-to-all", r, recv, equal, equal_at, 5000UL * r->ranks);
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
}

/* Along a chain, then all in a ring at once, with more than the slots hold */
static void pairs(struct rank *r)
{
	enum { N = 1500000 };
	uint32_t next = (r->rank + 1) % r->ranks, before = (r->rank + r->ranks - 1) % r->ranks;
	unsigned char *host = host_alloc(N);
	HcclSendRecvItem items[4];
	void *buf, *other;

	memset(host, 0, N);
	if (!r->rank)
		fill(host, 0, 0, N);
	buf = dev_with(host, N);
	other = dev_with(NULL, N);
	if (r->rank)
		HCCL(HcclRecv(buf, N, HCCL_DATA_TYPE_INT8, before, r->comm, r->stream));
	if (next)
		HCCL(HcclSend(buf, N, HCCL_DATA_TYPE_INT8, next, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf, N);
	check_bytes("a chain of sends", r, host, 0, 0, N);
	fill(host, r->rank, next, N);
	ACL(aclrtMemcpy(buf, N, host, N, ACL_MEMCPY_HOST_TO_DEVICE));
	/* two messages each way, the receives first; the second one is nothing but its last byte */
	items[0] = (HcclSendRecvItem){ HCCL_RECV, other, N - 1, HCCL_DATA_TYPE_INT8, before };
	items[1] = (HcclSendRecvItem){ HCCL_RECV, (char *)other + N - 1, 1, HCCL_DATA_TYPE_INT8, before };
	items[2] = (HcclSendRecvItem){ HCCL_SEND, buf, N - 1, HCCL_DATA_TYPE_INT8, next };
	items[3] = (HcclSendRecvItem){ HCCL_SEND, (char *)buf + N - 1, 1, HCCL_DATA_TYPE_INT8, next };
	HCCL(HcclBatchSendRecv(items, 4, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, other, N);
	check_bytes("a batch", r, host, before, r->rank, N);
	/* the same in a group, where plain sends may come first */
	ACL(aclrtMemset(other, N, 0, N));
	HCCL(HcclGroupStart());
	HCCL(HcclSend(buf, N, HCCL_DATA_TYPE_INT8, next, r->comm, r->stream));
	HCCL(HcclRecv(other, N, HCCL_DATA_TYPE_INT8, before, r->comm, r->stream));
	HCCL(HcclGroupEnd());
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, other, N);
	check_bytes("a group", r, host, before, r->rank, N);
	ACL(aclrtFree(buf));
	ACL(aclrtFree(other));
}

static _Atomic uint32_t came;

static void count_in(void *arg)
{
	(void)arg;
	came++;
}

static void barriers(struct rank *r)
{
	for (uint32_t round = 1; round <= 5; round++) {
		/* a rank that is late in the stream */
		if (r->rank == round % r->ranks)
			usleep(20000);
		ACL(aclrtLaunchHostFunc(r->stream, count_in, NULL));
		HCCL(HcclBarrier(r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		CHECK_OP(came, >=, round * r->ranks);
		meet(r);
	}
	meet(r);
	came = 0;
	meet(r);
}

static void everything(struct rank *r)
{
	broadcasts(r);
	gathers(r);
	gathers_v(r);
	scatters(r);
	all_to_all(r);
	if (r->ranks > 1)
		pairs(r);
	barriers(r);
}

static void with_many_chunks(void)
{
	HcclCommConfig config = small_buffers("ring");

	begin();
	with_ranks(5, &config, everything, NULL);
}

static void with_trees(void)
{
	HcclCommConfig config = small_buffers("tree");

	begin();
	with_ranks(7, &config, broadcasts, NULL);
	with_ranks(2, &config, everything, NULL);
}

static void alone(void)
{
	begin();
	with_ranks(1, NULL, everything, NULL);
}

/* One thread is all ranks: each call would wait for the others' if it came alone and the ring was full */
static void one_thread(void)
{
	enum { RANKS = 4, N = 200000 };
	int32_t devices[RANKS];
	HcclComm comms[RANKS];
	aclrtStream streams[RANKS];
	int32_t *bufs[RANKS], *host = host_alloc(N * 4);

	begin();
	for (int i = 0; i < RANKS; i++)
		devices[i] = device_of((uint32_t)i);
	HCCL(HcclCommInitAll(RANKS, devices, comms));
	for (int i = 0; i < RANKS; i++) {
		uint32_t rank = 99, size = 0;

		ACL(aclrtSetDevice(devices[i]));
		HCCL(HcclGetRankId(comms[i], &rank));
		HCCL(HcclGetRankSize(comms[i], &size));
		CHECK_EQ(rank, i);
		CHECK_EQ(size, RANKS);
		ACL(aclrtCreateStream(&streams[i]));
		for (int k = 0; k < N; k++)
			host[k] = k * (i + 1);
		bufs[i] = dev_with(host, N * 4);
	}
	HCCL(HcclGroupStart());
	HCCL(HcclGroupStart());
	for (int i = 0; i < RANKS; i++) {
		ACL(aclrtSetDevice(devices[i]));
		HCCL(HcclAllReduce(bufs[i], bufs[i], N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comms[i], streams[i]));
		HCCL(HcclBroadcast(bufs[i], N, HCCL_DATA_TYPE_INT32, 1, comms[i], streams[i]));
	}
	HCCL(HcclGroupEnd());
	HCCL(HcclGroupEnd());
	HFAILS(HcclGroupEnd(), HCCL_E_UNAVAIL, "HcclGroupStart");
	for (int i = 0; i < RANKS; i++) {
		ACL(aclrtSetDevice(devices[i]));
		ACL(aclrtSynchronizeStream(streams[i]));
		dev_read(host, bufs[i], N * 4);
		for (int k = 0; k < N; k++)
			CHECK_EQ(host[k], k * 10);
		ACL(aclrtDestroyStream(streams[i]));
		ACL(aclrtFree(bufs[i]));
	}
	for (int i = 0; i < RANKS; i++)
		HCCL(HcclCommDestroy(comms[i]));
}

/* Communicators of one thread, made in a group ------------------------------------------------------ */

enum { MADE = 3 };

/* They are of one name, and a sum of all is right */
static void check_made(HcclComm *comms, uint32_t n)
{
	char name[COMM_NAME_MAX_LENGTH], other[COMM_NAME_MAX_LENGTH];
	int32_t *bufs[MADE], one = 1, host;
	aclrtStream streams[MADE];

	HCCL(HcclGetCommName(comms[0], name));
	HCCL(HcclGetCommName(comms[n - 1], other));
	CHECK(!strcmp(name, other) && *name);
	HCCL(HcclGroupStart());
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rank, ranks;

		HCCL(HcclGetRankId(comms[i], &rank));
		HCCL(HcclGetRankSize(comms[i], &ranks));
		CHECK(rank == i && ranks == n);
		ACL(aclrtSetDevice(device_of(i)));
		ACL(aclrtCreateStream(&streams[i]));
		bufs[i] = dev_with(&one, sizeof(one));
		HCCL(HcclAllReduce(bufs[i], bufs[i], 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comms[i], streams[i]));
	}
	HCCL(HcclGroupEnd());
	for (uint32_t i = 0; i < n; i++) {
		ACL(aclrtSetDevice(device_of(i)));
		ACL(aclrtSynchronizeStream(streams[i]));
		dev_read(&host, bufs[i], sizeof(host));
		CHECK_EQ(host, (int32_t)n);
		ACL(aclrtFree(bufs[i]));
		ACL(aclrtDestroyStream(streams[i]));
	}
}

static void destroy_all(HcclComm *comms, uint32_t n)
{
	HCCL(HcclGroupStart());
	for (uint32_t i = 0; i < n; i++)
		HCCL(HcclCommDestroy(comms[i]));
	HCCL(HcclGroupEnd());
}

static void with_root_info(HcclComm *comms)
{
	HcclRootInfo root;

	HCCL(HcclGetRootInfo(&root));
	HCCL(HcclGroupStart());
	for (uint32_t i = 0; i < MADE; i++) {
		ACL(aclrtSetDevice(device_of(i)));
		HCCL(HcclCommInitRootInfo(MADE, &root, i, &comms[i]));
	}
	HCCL(HcclGroupEnd());
}

static void made_in_a_group(void)
{
	HcclComm comms[MADE] = { 0 };

	begin();
	with_root_info(comms);
	check_made(comms, MADE);
	destroy_all(comms, MADE);
}

static void write_table(char *text, uint32_t n)
{
	text += sprintf(text, "{ \"version\": \"1.0\", \"status\": \"completed\", \"server_count\": \"1\",\n"
			"  \"server_list\": [ { \"server_id\": \"here\", \"device\": [\n");
	for (uint32_t i = 0; i < n; i++)
		text += sprintf(text, "    { \"device_id\": \"%d\", \"rank_id\": \"%u\" }%s\n", device_of(i), i, i < n - 1 ? "," : "");
	strcpy(text, "  ] } ] }\n");
}

/* Each rank waits for the others, so one thread could not make them one by one */
static void made_of_a_table_in_a_group(void)
{
	HcclComm comms[MADE] = { 0 };
	HcclCommConfig config;
	char text[1024];

	begin();
	HcclCommConfigInit(&config);
	HCCL(HcclGroupStart());
	for (uint32_t i = 0; i < MADE; i++) {
		ACL(aclrtSetDevice(device_of(i)));
		write_table(text, MADE);
		HCCL(HcclCommInitClusterInfoMemConfig(text, i, &config, &comms[i]));
		/* what the group needs of them it has */
		memset(text, 0, sizeof(text));
	}
	HCCL(HcclGroupEnd());
	check_made(comms, MADE);
	destroy_all(comms, MADE);
}

/* Two parts of each rank's communicator: all ranks the other way round, and those but the last */
static void parts_made_in_a_group(void)
{
	HcclComm comms[MADE] = { 0 }, turned[MADE] = { 0 }, fewer[MADE] = { 0 };
	HcclCommConfig config;
	uint32_t ids[MADE];

	begin();
	with_root_info(comms);
	HcclCommConfigInit(&config);
	HCCL(HcclGroupStart());
	for (uint32_t i = 0; i < MADE; i++) {
		ACL(aclrtSetDevice(device_of(i)));
		for (uint32_t k = 0; k < MADE; k++)
			ids[k] = MADE - 1 - k;
		HFAILS(HcclCreateSubCommConfig(&comms[i], MADE, ids, 1, i == 1 ? 0 : 1, &config, &turned[i]), HCCL_E_PARA, "subCommRankId");
		HCCL(HcclCreateSubCommConfig(&comms[i], MADE, ids, 1, MADE - 1 - i, &config, &turned[MADE - 1 - i]));
		for (uint32_t k = 0; k < MADE; k++)
			ids[k] = k;
		if (i < MADE - 1)
			HCCL(HcclCreateSubCommConfig(&comms[i], MADE - 1, ids, 2, i, &config, &fewer[i]));
		memset(ids, 0xff, sizeof(ids));
	}
	HCCL(HcclGroupEnd());
	check_made(fewer, MADE - 1);
	destroy_all(comms, MADE);
	/* their devices are those of the ranks that they have in the first one */
	for (uint32_t i = 0; i < MADE; i++) {
		uint32_t rank;

		HCCL(HcclGetRankId(turned[i], &rank));
		CHECK_EQ(rank, i);
	}
	destroy_all(turned, MADE);
	destroy_all(fewer, MADE - 1);
}

TAP_MAIN(TEST(with_many_chunks),
	 TEST(with_trees),
	 TEST(alone),
	 TEST(one_thread),
	 TEST(made_in_a_group),
	 TEST(made_of_a_table_in_a_group),
	 TEST(parts_made_in_a_group))
