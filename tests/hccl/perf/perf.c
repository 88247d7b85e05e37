// SPDX-License-Identifier: MIT
/*
 * How long collectives take, in the style of the public benchmarks: for each size the time of a call, the algorithm's
 * bandwidth (bytes by time) and the bus bandwidth (bytes that go over each link), with a look at all data.
 *
 * usage: perf [RANKS [LARGEST-SIZE-IN-BYTES [COLLECTIVE]]], default 4 ranks, 16 MiB, all-reduce. Ranks are threads; rank i has
 * device i modulo the number of devices. fp32, sums; the size is that of a rank's larger buffer.
 */
#include "../hccltest.h"

enum { ROUNDS = 10 };

struct buffers {
	float *send, *recv;
	size_t n, part; /* elements, and those of one rank's part */
};

struct kind {
	const char *name;
	HcclResult (*call)(struct rank *r, const struct buffers *b);
	/* element @i of rank @rank's result */
	float (*result)(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks);
	double links; /* for each rank but one, of as many: how often the size goes over a link */
	bool to_all;  /* that is the same with any number of ranks */
	bool a_part;  /* a result has one part only */
};

struct plan {
	size_t largest;
	const struct kind *kind;
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Small, so that sums are exact */
static float value(uint32_t rank, size_t i)
{
	return (float)(i % 509 + rank);
}

static float sum(size_t i, uint32_t ranks)
{
	return (float)(ranks * (i % 509)) + (float)(ranks * (ranks - 1) / 2);
}

static HcclResult all_reduce(struct rank *r, const struct buffers *b)
{
	return HcclAllReduce(b->send, b->recv, b->n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream);
}

static float all_reduced(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks)
{
	(void)rank;
	(void)b;
	return sum(i, ranks);
}

static HcclResult broadcast(struct rank *r, const struct buffers *b)
{
	return HcclBroadcast(r->rank ? b->recv : b->send, b->n, HCCL_DATA_TYPE_FP32, 0, r->comm, r->stream);
}

static float of_root(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks)
{
	(void)b;
	(void)ranks;
	/* the root's buffer for results is not used */
	return rank ? value(0, i) : 0;
}

static HcclResult reduce_scatter(struct rank *r, const struct buffers *b)
{
	return HcclReduceScatter(b->send, b->recv, b->part, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream);
}

static float of_part(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks)
{
	return sum(rank * b->part + i, ranks);
}

static HcclResult all_gather(struct rank *r, const struct buffers *b)
{
	return HcclAllGather(b->send, b->recv, b->part, HCCL_DATA_TYPE_FP32, r->comm, r->stream);
}

static float gathered(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks)
{
	(void)rank;
	(void)ranks;
	return value((uint32_t)(i / b->part), i % b->part);
}

static HcclResult all_to_all(struct rank *r, const struct buffers *b)
{
	return HcclAlltoAll(b->send, b->part, HCCL_DATA_TYPE_FP32, b->recv, b->part, HCCL_DATA_TYPE_FP32, r->comm, r->stream);
}

static float exchanged(uint32_t rank, size_t i, const struct buffers *b, uint32_t ranks)
{
	(void)ranks;
	return value((uint32_t)(i / b->part), rank * b->part + i % b->part);
}

static const struct kind kinds[] = {
	{ "all-reduce", all_reduce, all_reduced, 2, false, false },
	{ "broadcast", broadcast, of_root, 1, true, false },
	{ "reduce-scatter", reduce_scatter, of_part, 1, false, true },
	{ "all-gather", all_gather, gathered, 1, false, false },
	{ "all-to-all", all_to_all, exchanged, 1, false, false },
};

static unsigned long wrong(const struct rank *r, const struct kind *kind, const struct buffers *b)
{
	size_t n = kind->a_part ? b->part : b->part * r->ranks;
	float *host = malloc(n * 4 + 4);
	unsigned long bad = 0;

	CHECK(host);
	dev_read(host, b->recv, n * 4);
	for (size_t i = 0; i < n; i++)
		bad += host[i] != kind->result(r->rank, i, b, r->ranks);
	free(host);
	return bad;
}

static void one_size(struct rank *r, const struct kind *kind, struct buffers *b, size_t bytes)
{
	double us, bus = kind->links * (kind->to_all ? 1 : (r->ranks - 1.0) / r->ranks);
	unsigned long bad;

	b->part = bytes / 4 / r->ranks;
	b->n = b->part * r->ranks;
	ACL(aclrtMemset(b->recv, b->n * 4, 0, b->n * 4));
	HCCL(kind->call(r, b));
	ACL(aclrtSynchronizeStream(r->stream));
	bad = wrong(r, kind, b);
	meet(r);
	us = now_us();
	for (int i = 0; i < ROUNDS; i++) {
		HCCL(kind->call(r, b));
		ACL(aclrtSynchronizeStream(r->stream));
	}
	meet(r);
	us = (now_us() - us) / ROUNDS;
	bad += wrong(r, kind, b);
	if (!r->rank)
		printf("%12zu %12.1f %10.3f %10.3f %8lu\n", b->n * 4, us, b->n * 4 / us / 1e3, b->n * 4 / us / 1e3 * bus, bad);
	if (bad) {
		fprintf(stderr, "rank %u: %lu elements are wrong\n", r->rank, bad);
		exit(1);
	}
}

static void measure(struct rank *r)
{
	const struct plan *plan = r->arg;
	size_t n = plan->largest / 4, bytes = 8;
	struct buffers b = { dev_alloc(n * 4), dev_alloc(n * 4), 0, 0 };
	float *host = host_alloc(n * 4);

	for (size_t i = 0; i < n; i++)
		host[i] = value(r->rank, i);
	ACL(aclrtMemcpy(b.send, n * 4, host, n * 4, ACL_MEMCPY_HOST_TO_DEVICE));
	free(host);
	if (!r->rank)
		printf("# %s, fp32, %u ranks\n#%11s %12s %10s %10s %8s\n", plan->kind->name, r->ranks, "bytes", "us", "algo GB/s",
		       "bus GB/s", "wrong");
	while (bytes < 4 * r->ranks)
		bytes *= 4;
	for (; bytes < plan->largest; bytes *= 4)
		one_size(r, plan->kind, &b, bytes);
	one_size(r, plan->kind, &b, plan->largest);
	ACL(aclrtFree(b.send));
	ACL(aclrtFree(b.recv));
}

int main(int argc, char **argv)
{
	unsigned long ranks = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
	struct plan plan = { argc > 2 ? strtoull(argv[2], NULL, 10) : 16 << 20, argc > 3 ? NULL : kinds };

	for (size_t i = 0; argc > 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[3], kinds[i].name))
			plan.kind = &kinds[i];
	if (ranks < 1 || ranks > RANKS_MAX || plan.largest < 4 * ranks || !plan.kind) {
		fprintf(stderr, "usage: perf [RANKS, 1 to %d [LARGEST-SIZE-IN-BYTES, at least 4 for each rank [all-reduce, "
			"broadcast, reduce-scatter, all-gather or all-to-all]]]\n", RANKS_MAX);
		return 2;
	}
	begin();
	with_ranks((uint32_t)ranks, NULL, measure, &plan);
	return 0;
}
