// SPDX-License-Identifier: MIT
/*
 * How long collectives take, in the style of the public benchmarks: for each size the time of a call, the algorithm's
 * bandwidth (bytes by time) and the bus bandwidth (what goes over each link), with a look at the data.
 *
 * usage: perf [RANKS [LARGEST-SIZE-IN-BYTES]], default 4 ranks and 16 MiB. Ranks are threads; rank i has device i modulo
 * the number of devices. All-reduce of fp32 sums, in place.
 */
#include "../hccltest.h"

enum { ROUNDS = 10 };

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Everything is 0 but the last element, which is 1: the sum of @calls is ranks to the power of @calls */
static unsigned int wrong(const struct rank *r, const float *dev, size_t n, unsigned int calls)
{
	float *host = malloc(n * 4), want = 1;
	unsigned int bad = 0;

	CHECK(host);
	for (unsigned int i = 0; i < calls; i++)
		want *= (float)r->ranks;
	dev_read(host, dev, n * 4);
	for (size_t i = 0; i < n; i++)
		bad += host[i] != (i == n - 1 ? want : 0);
	free(host);
	return bad;
}

static void one_size(struct rank *r, float *buf, size_t n)
{
	float one = 1;
	double us;
	unsigned int bad;

	ACL(aclrtMemset(buf, n * 4, 0, n * 4));
	ACL(aclrtMemcpy(buf + n - 1, 4, &one, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	HCCL(HcclAllReduce(buf, buf, n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
	ACL(aclrtSynchronizeStream(r->stream));
	bad = wrong(r, buf, n, 1);
	meet(r);
	us = now_us();
	for (int i = 0; i < ROUNDS; i++) {
		HCCL(HcclAllReduce(buf, buf, n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, r->comm, r->stream));
		ACL(aclrtSynchronizeStream(r->stream));
	}
	meet(r);
	us = (now_us() - us) / ROUNDS;
	if (!r->rank)
		printf("%12zu %12.1f %10.3f %10.3f %8u\n", n * 4, us, n * 4 / us / 1e3,
		       n * 4 / us / 1e3 * 2 * (r->ranks - 1) / r->ranks, bad);
	if (bad)
		exit(1);
}

static void measure(struct rank *r)
{
	size_t largest = *(const size_t *)r->arg;
	float *buf = dev_alloc(largest);

	if (!r->rank)
		printf("# all-reduce, fp32 sum, in place, %u ranks\n#%11s %12s %10s %10s %8s\n", r->ranks, "bytes", "us",
		       "algo GB/s", "bus GB/s", "wrong");
	for (size_t bytes = 8; bytes <= largest; bytes *= 4)
		one_size(r, buf, bytes / 4);
	ACL(aclrtFree(buf));
}

int main(int argc, char **argv)
{
	unsigned long ranks = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
	size_t largest = argc > 2 ? strtoull(argv[2], NULL, 10) : 16 << 20;

	if (ranks < 1 || ranks > RANKS_MAX || largest < 8) {
		fprintf(stderr, "usage: perf [RANKS, 1 to %d [LARGEST-SIZE-IN-BYTES, at least 8]]\n", RANKS_MAX);
		return 2;
	}
	begin();
	with_ranks((uint32_t)ranks, NULL, measure, &largest);
	return 0;
}
