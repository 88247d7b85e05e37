// SPDX-License-Identifier: MIT
/* Groups with calls of several communicators in one stream, also while the stream is recorded. */
#include "hccltest.h"

enum { N = 3000, BIG = 70001 };

/* A second communicator of the same ranks, whose settings are the first one's */
static HcclComm another(struct rank *r, uint64_t id)
{
	uint32_t ranks[RANKS_MAX];
	HcclCommConfig config = *r->config;
	HcclComm comm = NULL;

	for (uint32_t i = 0; i < r->ranks; i++)
		ranks[i] = i;
	HCCL(HcclCreateSubCommConfig(&r->comm, r->ranks, ranks, id, r->rank, &config, &comm));
	return comm;
}

static void check_all(struct rank *r, const int32_t *dev, size_t n, int32_t want)
{
	int32_t *host = host_alloc(n * 4);

	dev_read(host, dev, n * 4);
	for (size_t i = 0; i < n; i++)
		if (host[i] != want)
			FAIL("rank %u: element %zu is %d, not %d", r->rank, i, host[i], want);
	free(host);
}

static void set_all(struct rank *r, int32_t *dev, size_t n, int32_t value)
{
	ACL(aclrtMemsetD32Async(dev, n * 4, (uint32_t)value, n, r->stream));
}

static void sum(struct rank *r, HcclComm comm, int32_t *buf)
{
	HCCL(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, comm, r->stream));
}

/* Ranks whose streams had the two the other way round would wait for each other */
static void in_turn(struct rank *r)
{
	HcclComm second = another(r, 1);
	int32_t *a = dev_with(NULL, N * 4), *b = dev_with(NULL, N * 4), n = (int32_t)r->ranks;
	aclmdlRI graph = NULL;

	for (int i = 0; i < 40; i++) {
		set_all(r, a, N, i);
		set_all(r, b, N, 7);
		if (i == 20)
			ACL(aclmdlRICaptureBegin(r->stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		if (i <= 20) {
			HCCL(HcclGroupStart());
			sum(r, r->comm, a);
			sum(r, second, b);
			sum(r, second, a);
			HCCL(HcclGroupEnd());
		}
		if (i == 20)
			ACL(aclmdlRICaptureEnd(r->stream, &graph));
		if (i >= 20)
			ACL(aclmdlRIExecuteAsync(graph, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		check_all(r, a, N, i * n * n);
		check_all(r, b, N, 7 * n);
	}
	ACL(aclmdlRIDestroy(graph));
	HCCL(HcclCommDestroy(second));
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

static HcclCommConfig with_a_limit(void)
{
	HcclCommConfig config = small_buffers("ring");

	config.hcclExecTimeOut = 20;
	return config;
}

static void two_communicators_in_one_stream(void)
{
	HcclCommConfig config = with_a_limit();

	begin();
	with_ranks(2, &config, in_turn, NULL);
	with_ranks(3, &config, in_turn, NULL);
}

/* Everybody sends first, more than slots have room for; what else is in the group comes between the two halves */
static void rings(struct rank *r)
{
	HcclComm second = another(r, 1);
	uint32_t next = (r->rank + 1) % r->ranks, last = (r->rank + r->ranks - 1) % r->ranks;
	int32_t *out[2], *in[2], *buf = dev_with(NULL, N * 4);

	for (int i = 0; i < 2; i++) {
		out[i] = dev_with(NULL, BIG * 4);
		in[i] = dev_with(NULL, BIG * 4);
		set_all(r, out[i], BIG, (int32_t)r->rank + 100 * i);
	}
	set_all(r, buf, N, 1);
	HCCL(HcclGroupStart());
	HCCL(HcclSend(out[0], BIG, HCCL_DATA_TYPE_INT32, next, r->comm, r->stream));
	HCCL(HcclSend(out[1], BIG, HCCL_DATA_TYPE_INT32, last, second, r->stream));
	HCCL(HcclRecv(in[0], BIG, HCCL_DATA_TYPE_INT32, last, r->comm, r->stream));
	sum(r, r->comm, buf);
	HCCL(HcclRecv(in[1], BIG, HCCL_DATA_TYPE_INT32, next, second, r->stream));
	HCCL(HcclGroupEnd());
	ACL(aclrtSynchronizeStream(r->stream));
	check_all(r, in[0], BIG, (int32_t)last);
	check_all(r, in[1], BIG, (int32_t)next + 100);
	check_all(r, buf, N, (int32_t)r->ranks);
	for (int i = 0; i < 2; i++) {
		ACL(aclrtFree(out[i]));
		ACL(aclrtFree(in[i]));
	}
	ACL(aclrtFree(buf));
	HCCL(HcclCommDestroy(second));
}

static void sends_of_two_communicators(void)
{
	HcclCommConfig config = with_a_limit();

	begin();
	with_ranks(3, &config, rings, NULL);
}

/* The stream that comes last has calls of both communicators, which were apart until then */
static void joins(struct rank *r)
{
	HcclComm second = another(r, 1);
	int32_t *a = dev_with(NULL, N * 4), *b = dev_with(NULL, N * 4), n = (int32_t)r->ranks;
	aclrtStream other;

	ACL(aclrtCreateStream(&other));
	for (int i = 0; i < 20; i++) {
		set_all(r, a, N, 1);
		set_all(r, b, N, 2);
		ACL(aclrtSynchronizeStream(r->stream));
		HCCL(HcclGroupStart());
		sum(r, r->comm, a);
		HCCL(HcclAllReduce(b, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, second, other));
		HCCL(HcclBarrier(r->comm, r->stream));
		HCCL(HcclAllReduce(b, b, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, other));
		HCCL(HcclBarrier(second, r->stream));
		HCCL(HcclGroupEnd());
		ACL(aclrtSynchronizeStream(other));
		ACL(aclrtSynchronizeStream(r->stream));
		check_all(r, a, N, n);
		check_all(r, b, N, 2 * n);
	}
	ACL(aclrtDestroyStream(other));
	HCCL(HcclCommDestroy(second));
	ACL(aclrtFree(a));
	ACL(aclrtFree(b));
}

static void streams_that_have_both(void)
{
	HcclCommConfig config = with_a_limit();

	begin();
	with_ranks(3, &config, joins, NULL);
}

/* A program may use its arrays again as soon as a call of a group has come back */
static void kept(struct rank *r)
{
	uint64_t counts[2] = { 3, 5 }, at[2] = { 5, 0 }, other[2] = { 0, 3 }, matrix[4] = { 1, 2, 3, 4 }, pair[2], from[2], place[2];
	int32_t *in = dev_with(NULL, 64), *buf[4], host[16], me = (int32_t)r->rank;
	uint64_t mine = counts[me];

	for (int i = 0; i < 4; i++)
		buf[i] = dev_with(NULL, 64);
	for (int i = 0; i < 16; i++)
		host[i] = 100 * (me + 1) + i;
	ACL(aclrtMemcpy(in, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE));
	pair[me] = 1;
	pair[1 - me] = 2;
	from[me] = 1;
	from[1 - me] = 2;
	place[0] = 7;
	place[1] = 2;
	HCCL(HcclGroupStart());
	HCCL(HcclAllGatherV(in, mine, buf[0], counts, at, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
	HCCL(HcclReduceScatterV(in, counts, other, buf[1], mine, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	HCCL(HcclAlltoAllV(in, pair, other, HCCL_DATA_TYPE_INT32, buf[2], from, place, HCCL_DATA_TYPE_INT32, r->comm, r->stream));
	HCCL(HcclAlltoAllVC(in, matrix, HCCL_DATA_TYPE_INT32, buf[3], HCCL_DATA_TYPE_INT32, r->comm, r->stream));
	memset(counts, 0xff, sizeof(counts));
	memset(at, 0xff, sizeof(at));
	memset(other, 0xff, sizeof(other));
	memset(pair, 0xff, sizeof(pair));
	memset(from, 0xff, sizeof(from));
	memset(place, 0xff, sizeof(place));
	memset(matrix, 0xff, sizeof(matrix));
	HCCL(HcclGroupEnd());
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, buf[0], 64);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(host[i], i < 5 ? 200 + i : 100 + i - 5);
	dev_read(host, buf[1], 64);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(host[i], i < (int)mine ? 300 + 2 * (i + (me ? 3 : 0)) : 0);
	/* rank i gets what the other has at its place, 2 numbers, and one of its own */
	dev_read(host, buf[2], 64);
	CHECK_EQ(host[me ? 2 : 7], me ? 203 : 100);
	CHECK_EQ(host[me ? 7 : 2], me ? 103 : 200);
	CHECK_EQ(host[me ? 8 : 3], me ? 104 : 201);
	dev_read(host, buf[3], 64);
	/* matrix: 1 and 2 from rank 0, 3 and 4 from rank 1 */
	if (me)
		for (int i = 0; i < 7; i++)
			CHECK_EQ(host[i], i < 2 ? 101 + i : i < 6 ? 203 + i - 2 : 0);
	else
		for (int i = 0; i < 5; i++)
			CHECK_EQ(host[i], i < 1 ? 100 : i < 4 ? 200 + i - 1 : 0);
	for (int i = 0; i < 4; i++)
		ACL(aclrtFree(buf[i]));
	ACL(aclrtFree(in));
}

static void arrays_may_be_used_again(void)
{
	begin();
	with_ranks(2, NULL, kept, NULL);
}

/* A wrong call is refused at once, and the group goes on without it */
static void wrong(struct rank *r)
{
	int32_t *buf = dev_with(NULL, N * 4), none;
	HcclSendRecvItem item = { HCCL_SEND, buf, 1, HCCL_DATA_TYPE_INT32, 2 };

	set_all(r, buf, N, 1);
	HCCL(HcclGroupStart());
	HFAILS(HcclBarrier(NULL, r->stream), HCCL_E_PTR, "comm");
	HFAILS(HcclBarrier(&none, r->stream), HCCL_E_PARA, "no communicator");
	HFAILS(HcclBarrier(r->comm, NULL), HCCL_E_PTR, "stream");
	HFAILS(HcclSend(buf, 1, HCCL_DATA_TYPE_INT32, 0, NULL, r->stream), HCCL_E_PTR, "comm");
	HFAILS(HcclSend(buf, 1, HCCL_DATA_TYPE_INT32, 0, &none, r->stream), HCCL_E_PARA, "no communicator");
	HFAILS(HcclSend(buf, 1, HCCL_DATA_TYPE_INT32, 0, r->comm, NULL), HCCL_E_PTR, "stream");
	HFAILS(HcclBatchSendRecv(&item, 1, r->comm, r->stream), HCCL_E_PARA, "item 0 is for rank 2");
	HFAILS(HcclAllReduce(buf, buf, N, HCCL_DATA_TYPE_INT32, (HcclReduceOp)9, r->comm, r->stream), HCCL_E_PARA, "op is 9");
	HCCL(HcclGroupStart());
	sum(r, r->comm, buf);
	/* the inner end does nothing yet */
	HCCL(HcclGroupEnd());
	ACL(aclrtSynchronizeStream(r->stream));
	check_all(r, buf, N, 1);
	HCCL(HcclGroupEnd());
	ACL(aclrtSynchronizeStream(r->stream));
	check_all(r, buf, N, 2);
	HFAILS(HcclGroupEnd(), HCCL_E_UNAVAIL, "HcclGroupStart");
	ACL(aclrtFree(buf));
}

static void wrong_calls_are_told_at_once(void)
{
	begin();
	with_ranks(2, NULL, wrong, NULL);
}

TAP_MAIN(TEST(two_communicators_in_one_stream),
	 TEST(sends_of_two_communicators),
	 TEST(streams_that_have_both),
	 TEST(arrays_may_be_used_again),
	 TEST(wrong_calls_are_told_at_once))
