// SPDX-License-Identifier: MIT
/*
 * All-reduces of fp32 by libhccl and by Open MPI, in turn, by the same ranks: lines as tests/bench/stats.c writes them.
 * Started by mpirun, see beside.
 *
 *	usage: beside ROUNDS SIZE...
 *
 * A SIZE is a number of bytes with K or M behind it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <hccl/hccl.h>

#define OK(call) \
	do { \
		if (call) { \
			fprintf(stderr, "%s: %s\n", #call, aclGetRecentErrMsg()); \
			MPI_Abort(MPI_COMM_WORLD, 1); \
		} \
	} while (0)

static int rank, ranks;

struct side {
	void *send, *recv;
	HcclComm comm;
	aclrtStream stream;
};

static double hccl_once(const struct side *s, size_t n)
{
	double from;

	MPI_Barrier(MPI_COMM_WORLD);
	from = MPI_Wtime();
	OK(HcclAllReduce(s->send, s->recv, n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, s->comm, s->stream));
	OK(aclrtSynchronizeStream(s->stream));
	return (MPI_Wtime() - from) * 1e9;
}

static double mpi_once(const float *send, float *recv, size_t n)
{
	double from;

	MPI_Barrier(MPI_COMM_WORLD);
	from = MPI_Wtime();
	MPI_Allreduce(send, recv, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	return (MPI_Wtime() - from) * 1e9;
}

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *who, const char *size, double *ns, int rounds, const char *floor)
{
	char quoted[64] = "null";

	if (rank)
		return;
	qsort(ns, (size_t)rounds, sizeof(*ns), less);
	if (floor)
		snprintf(quoted, sizeof(quoted), "\"%s_allreduce_%s_%dp\"", floor, size, ranks);
	printf("{\"name\": \"%s_allreduce_%s_%dp\", \"unit\": \"ns\", \"p50\": %.1f, \"p99\": %.1f, \"floor\": %s, "
	       "\"better\": \"lower\"}\n", who, size, ranks, ns[rounds / 2], ns[(rounds * 99 - 1) / 100], quoted);
}

static void one_size(struct side *s, const char *name, size_t n, int rounds)
{
	double *hccl = malloc((size_t)rounds * sizeof(*hccl)), *mpi = malloc((size_t)rounds * sizeof(*mpi));
	float *send = malloc(n * 4), *recv = malloc(n * 4), *got = malloc(n * 4);

	for (size_t i = 0; i < n; i++)
		send[i] = (float)(i % 100 + (size_t)rank);
	OK(aclrtMalloc(&s->send, n * 4, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&s->recv, n * 4, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(s->send, n * 4, send, n * 4, ACL_MEMCPY_HOST_TO_DEVICE));
	/* the first of each is for memory that was not touched before */
	for (int i = -1; i < rounds; i++) {
		double a = hccl_once(s, n), b = mpi_once(send, recv, n);

		if (i >= 0) {
			hccl[i] = a;
			mpi[i] = b;
		}
	}
	OK(aclrtMemcpy(got, n * 4, s->recv, n * 4, ACL_MEMCPY_DEVICE_TO_HOST));
	if (memcmp(got, recv, n * 4)) {
		fprintf(stderr, "the two results differ\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	print("openmpi", name, mpi, rounds, NULL);
	print("hccl", name, hccl, rounds, "openmpi");
	OK(aclrtFree(s->send));
	OK(aclrtFree(s->recv));
	free(hccl);
	free(mpi);
	free(send);
	free(recv);
	free(got);
}

/* Of 4 bytes each, in so many KiB or MiB */
static size_t elements(const char *size)
{
	char *unit;
	size_t n = strtoul(size, &unit, 10);

	return n << (*unit == 'M' ? 18 : 8);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	HcclRootInfo root;
	struct side s;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	if (!rank)
		OK(HcclGetRootInfo(&root));
	MPI_Bcast(&root, sizeof(root), MPI_BYTE, 0, MPI_COMM_WORLD);
	OK(HcclCommInitRootInfo((uint32_t)ranks, &root, (uint32_t)rank, &s.comm));
	OK(aclrtCreateStream(&s.stream));
	for (int i = 2; i < argc; i++)
		one_size(&s, argv[i], elements(argv[i]), rounds);
	OK(HcclCommDestroy(s.comm));
	OK(aclrtDestroyStream(s.stream));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
	return MPI_Finalize();
}
