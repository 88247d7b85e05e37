// SPDX-License-Identifier: MIT
/* Reductions: every type and operation against the host's arithmetic, all algorithms, 1 to 8 ranks, odd sizes. */
#include <pthread.h>

#include "hccltest.h"

static const HcclReduceOp ops[] = { HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN };
static const char *const algos[] = { "ring", "H-D_R", "tree", "fullmesh" };

enum { COUNT = 1003 };

/* The result for small numbers, which does not depend on the order */
static void expect_small(void *out, uint32_t ranks, HcclDataType type, HcclReduceOp op, size_t n)
{
	char *one = host_alloc(n * 8);

	for (uint32_t k = 0; k < ranks; k++) {
		for (size_t i = 0; i < n; i++)
			put_small(k ? one : out, type, i, k);
		if (k)
			apply(out, one, type, op, n);
	}
}

static void check_all(const char *what, struct rank *r, HcclDataType type, HcclReduceOp op, const void *dev,
		      const char *want, size_t bytes)
{
	static __thread char got[1 << 20];

	CHECK_OP(bytes, <=, sizeof(got));
	dev_read(got, dev, bytes);
	for (size_t i = 0; i < bytes; i++)
		if (got[i] != want[i])
			FAIL("%s of %u ranks, rank %u, type %d, op %d: byte %zu is %#x, not %#x", what, r->ranks, r->rank, type,
			     op, i, (unsigned char)got[i], (unsigned char)want[i]);
}

static void every_type(struct rank *r)
{
	char mine[COUNT * 8], want[COUNT * 8];

	for (unsigned int t = 0; t < 12; t++) {
		for (unsigned int o = 0; o < 4; o++) {
			HcclDataType type = reduced_types[t];
			size_t bytes = COUNT * type_size(type);
			void *send, *recv;

			for (size_t i = 0; i < COUNT; i++)
				put_small(mine, type, i, r->rank);
			expect_small(want, r->ranks, type, ops[o], COUNT);
			send = dev_with(mine, bytes);
			recv = dev_with(NULL, bytes);
			HCCL(HcclAllReduce(send, recv, COUNT, type, ops[o], r->comm, r->stream));
			ACL(aclrtSynchronizeStream(r->stream));
			check_all("all-reduce", r, type, ops[o], recv, want, bytes);
			check_all("source", r, type, ops[o], send, mine, bytes);
			ACL(aclrtFree(send));
			ACL(aclrtFree(recv));
		}
	}
}

static void all_types_and_operations(void)
{
	begin();
	for (unsigned int i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		HcclCommConfig config = small_buffers(algos[i]);

		with_ranks(3, &config, every_type, NULL);
	}
}

/* The order that the manual states for rings: part p begins with rank p + 1 and ends with rank p */
static void ring_order(struct rank *r)
{
	size_t count = *(const size_t *)r->arg, units = (count * 4 + 63) / 64;
	float *all = host_alloc(sizeof(float) * count * r->ranks), *want = host_alloc(sizeof(float) * count);
	float *got = host_alloc(sizeof(float) * count);
	void *buf;

	for (uint32_t k = 0; k < r->ranks; k++)
		put_any(all + k * count, HCCL_DATA_TYPE_FP32, count, 77 + k);
	for (uint32_t p = 0; p < r->ranks; p++) {
		size_t from = units * p / r->ranks * 16, to = units * (p + 1) / r->ranks * 16;

		to = to < count ? to : count;
		for (uint32_t s = 0; s < r->ranks; s++) {
			const float *x = all + (p + 1 + s) % r->ranks * count + from;

			if (!s)
				memcpy(want + from, x, (to - from) * 4);
			else
				apply(want + from, x, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, to - from);
		}
	}
	for (int round = 0; round < 3; round++) {
		buf = dev_with(all + r->rank * count, count * 4);
		/* in place */
		HCCL(HcclAllReduce(buf, buf, count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(got, buf, count * 4);
		CHECK(!memcmp(got, want, count * 4));
		ACL(aclrtFree(buf));
	}
	free(all);
	free(want);
	free(got);
}

static void sums_have_the_stated_order(void)
{
	HcclCommConfig config = small_buffers("ring"), mesh = small_buffers("fullmesh");
	/* results are read where they are made from 512 KiB for each rank on */
	const size_t some = 5000, many = 400003;

	begin();
	for (uint32_t n = 2; n <= 8; n += 3) {
		with_ranks(n, &config, ring_order, &some);
		with_ranks(n, &mesh, ring_order, &some);
	}
	with_ranks(3, &mesh, ring_order, &many);
}

/* All ranks get the same bits, every time, whatever the sums are */
static char first_bits[40000];
static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static bool first_there;

static void same_bits(struct rank *r)
{
	enum { N = 10000 };
	static __thread float mine[N], got[N];
	void *send, *recv;

	put_any(mine, HCCL_DATA_TYPE_FP32, N, 99 + r->rank);
	send = dev_with(mine, sizeof(mine));
	recv = dev_with(NULL, sizeof(mine));
	for (int round = 0; round < 3; round++) {
		HCCL(HcclAllReduce(send, recv, N, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		dev_read(got, recv, sizeof(got));
		pthread_mutex_lock(&first_lock);
		if (!first_there)
			memcpy(first_bits, got, sizeof(got));
		first_there = true;
		CHECK(!memcmp(first_bits, got, sizeof(got)));
		pthread_mutex_unlock(&first_lock);
	}
}

static void results_are_the_same_bits_everywhere(void)
{
	begin();
	for (unsigned int i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		HcclCommConfig config = small_buffers(algos[i]);

		for (uint32_t n = 3; n <= 6; n += 3) {
			first_there = false;
			with_ranks(n, &config, same_bits, NULL);
		}
	}
}

/* Each collective that reduces, with sizes from nothing to many chunks */
static void every_size(struct rank *r)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 31, 1000, 30011 };
	enum { N = 30011 };
	HcclDataType type = HCCL_DATA_TYPE_INT32;
	char *mine = host_alloc(4UL * N * r->ranks), *want = host_alloc(4UL * N * r->ranks);
	void *send, *recv;

	for (unsigned int k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		size_t n = sizes[k], all = n * r->ranks;
		uint32_t root = k % r->ranks;

		for (size_t i = 0; i < all; i++)
			put_small(mine, type, i, r->rank);
		expect_small(want, r->ranks, type, HCCL_REDUCE_SUM, all);
		send = dev_with(mine, all * 4);
		recv = dev_with(NULL, all * 4);
		HCCL(HcclAllReduce(send, recv, n, type, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		check_all("all-reduce", r, type, HCCL_REDUCE_SUM, recv, want, n * 4);
		HCCL(HcclReduce(send, r->rank == root ? recv : NULL, n, type, HCCL_REDUCE_SUM, root, r->comm,
				r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		if (r->rank == root)
			check_all("reduce", r, type, HCCL_REDUCE_SUM, recv, want, n * 4);
		HCCL(HcclReduceScatter(send, recv, n, type, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
		check_all("reduce-scatter", r, type, HCCL_REDUCE_SUM, recv, want + n * 4 * r->rank, n * 4);
		ACL(aclrtFree(send));
		ACL(aclrtFree(recv));
	}
}

static void odd_sizes(void)
{
	begin();
	for (unsigned int i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		HcclCommConfig config = small_buffers(algos[i]);

		with_ranks(2 + i, &config, every_size, NULL);
	}
	with_ranks(8, NULL, every_size, NULL);
}

/* Parts that are larger than a slot */
static void large(struct rank *r)
{
	enum { N = 700001 };
	int32_t *host = host_alloc(N * 4UL);
	size_t part = N / r->ranks;
	char *send, *recv;

	for (int i = 0; i < N; i++)
		host[i] = i * (int32_t)(r->rank + 1);
	send = dev_with(host, N * 4UL);
	recv = dev_with(NULL, N * 4UL);
	HCCL(HcclAllReduce(send, recv, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, recv, N * 4UL);
	for (int i = 0; i < N; i++)
		CHECK_EQ(host[i], i * 6);
	HCCL(HcclReduceScatter(send, recv, part, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(host, recv, part * 4);
	for (size_t i = 0; i < part; i++)
		CHECK_EQ(host[i], (int32_t)(r->rank * part + i) * 3);
	HCCL(HcclReduce(send, recv, N, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM, 1, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	if (r->rank == 1) {
		dev_read(host, recv, N * 4UL);
		for (int i = 0; i < N; i++)
			CHECK_EQ(host[i], i * 6);
	}
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
}

static void many_chunks(void)
{
	begin();
	for (unsigned int i = 0; i < sizeof(algos) / sizeof(algos[0]); i++) {
		HcclCommConfig config = small_buffers(algos[i]);

		with_ranks(3, &config, large, NULL);
	}
}

static void one_alone(void)
{
	begin();
	with_ranks(1, NULL, every_size, NULL);
	with_ranks(1, NULL, every_type, NULL);
}

static void parts_of_different_sizes(struct rank *r)
{
	HcclDataType type = HCCL_DATA_TYPE_FP16;
	uint64_t counts[RANKS_MAX], at[RANKS_MAX], all = 0;
	char *mine, *want;
	void *send, *recv;

	for (uint32_t i = 0; i < r->ranks; i++) {
		counts[i] = i == 1 ? 0 : 1000 * i + 3;
		at[i] = all + 5;
		all = at[i] + counts[i];
	}
	mine = host_alloc(all * 2);
	want = host_alloc(all * 2);
	for (size_t i = 0; i < all; i++)
		put_small(mine, type, i, r->rank);
	expect_small(want, r->ranks, type, HCCL_REDUCE_SUM, all);
	send = dev_with(mine, all * 2);
	recv = dev_with(NULL, counts[r->rank] * 2);
	HCCL(HcclReduceScatterV(send, counts, at, recv, counts[r->rank], type, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_all("reduce-scatter-v", r, type, HCCL_REDUCE_SUM, recv, want + at[r->rank] * 2, counts[r->rank] * 2);
	HFAILS(HcclReduceScatterV(send, counts, at, recv, counts[r->rank] + 1, type, HCCL_REDUCE_SUM, r->comm, r->stream),
	       HCCL_E_PARA, "recvCount", "sendCounts");
	HFAILS(HcclReduceScatterV(send, NULL, at, recv, 1, type, HCCL_REDUCE_SUM, r->comm, r->stream), HCCL_E_PTR,
	       "sendCounts");
	/* in place: the result takes the place of this rank's part */
	HCCL(HcclReduceScatterV(send, counts, at, (char *)send + at[r->rank] * 2, counts[r->rank], type, HCCL_REDUCE_SUM, r->comm,
				r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	check_all("reduce-scatter-v in place", r, type, HCCL_REDUCE_SUM, (char *)send + at[r->rank] * 2, want + at[r->rank] * 2,
		  counts[r->rank] * 2);
	ACL(aclrtFree(send));
	ACL(aclrtFree(recv));
}

static void scattered_parts(void)
{
	HcclCommConfig config = small_buffers(NULL);

	begin();
	with_ranks(5, &config, parts_of_different_sizes, NULL);
}

/* NaN and zeros with signs, where C's comparisons would lose them */
static void special(struct rank *r)
{
	static const double in[2][4] = { { 0.0, -0.0, 1.0, 0.0 }, { -0.0, 0.0, 0.0, 2.0 } };
	double mine[4], got[4];
	void *send, *recv;

	memcpy(mine, in[r->rank], sizeof(mine));
	mine[3 - r->rank] = __builtin_nan("");
	send = dev_with(mine, sizeof(mine));
	recv = dev_with(NULL, sizeof(mine));
	HCCL(HcclAllReduce(send, recv, 4, HCCL_DATA_TYPE_FP64, HCCL_REDUCE_MAX, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(got, recv, sizeof(got));
	CHECK(got[0] == 0 && !__builtin_signbit(got[0]) && got[1] == 0 && !__builtin_signbit(got[1]));
	CHECK(got[2] != got[2] && got[3] != got[3]);
	HCCL(HcclAllReduce(send, recv, 4, HCCL_DATA_TYPE_FP64, HCCL_REDUCE_MIN, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	dev_read(got, recv, sizeof(got));
	CHECK(__builtin_signbit(got[0]) && __builtin_signbit(got[1]) && got[2] != got[2] && got[3] != got[3]);
}

static void nan_and_signed_zeros(void)
{
	begin();
	with_ranks(2, NULL, special, NULL);
}

TAP_MAIN(TEST(all_types_and_operations),
	 TEST(sums_have_the_stated_order),
	 TEST(results_are_the_same_bits_everywhere),
	 TEST(odd_sizes),
	 TEST(many_chunks),
	 TEST(one_alone),
	 TEST(scattered_parts),
	 TEST(nan_and_signed_zeros))
