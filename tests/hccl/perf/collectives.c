// SPDX-License-Identifier: MIT
/*
 * Collectives in the style of the public tests, which start their ranks with MPI: each collective with all types and
 * reductions, in place and not, with no, one, odd and many elements, queued several times between two events, and
 * every byte of the results compared. It uses no private helper of this project, and is C and C++.
 *
 * usage: mpirun -n RANKS collectives [MOST-ELEMENTS]; rank i has device i modulo the number of devices.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>
#include <hccl/hccl.h>

#define OK(call) \
	do { \
		int code_ = (int)(call); \
		if (code_) { \
			fprintf(stderr, "rank %d: %s returned %d: %s\n", rank, #call, code_, aclGetRecentErrMsg()); \
			MPI_Abort(MPI_COMM_WORLD, 1); \
		} \
	} while (0)

enum { ROUNDS = 3, TYPES = 12, FP32 = 5 };
enum form { INTEGER, HALF, SINGLE, BRAIN, DOUBLE };
enum kind { ALL_REDUCE, REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER, SCATTER, ALL_TO_ALL, KINDS };

static const struct {
	const char *name;
	HcclDataType type;
	size_t bytes;
	enum form form;
} types[TYPES] = {
	{ "int8", HCCL_DATA_TYPE_INT8, 1, INTEGER },	 { "int16", HCCL_DATA_TYPE_INT16, 2, INTEGER },
	{ "int32", HCCL_DATA_TYPE_INT32, 4, INTEGER },	 { "int64", HCCL_DATA_TYPE_INT64, 8, INTEGER },
	{ "fp16", HCCL_DATA_TYPE_FP16, 2, HALF },	 { "fp32", HCCL_DATA_TYPE_FP32, 4, SINGLE },
	{ "bfp16", HCCL_DATA_TYPE_BFP16, 2, BRAIN },	 { "fp64", HCCL_DATA_TYPE_FP64, 8, DOUBLE },
	{ "uint8", HCCL_DATA_TYPE_UINT8, 1, INTEGER },	 { "uint16", HCCL_DATA_TYPE_UINT16, 2, INTEGER },
	{ "uint32", HCCL_DATA_TYPE_UINT32, 4, INTEGER }, { "uint64", HCCL_DATA_TYPE_UINT64, 8, INTEGER },
};
static const char *const kind_names[KINDS] = { "all-reduce", "reduce", "broadcast", "reduce-scatter", "all-gather", "scatter",
					       "all-to-all" };
static const char *const op_names[] = { "sum", "prod", "max", "min" };

static int rank, ranks;
static HcclComm comm;
static aclrtStream stream;
static unsigned long wrong;

/* One call: @sends and @recvs are the elements of a rank's buffers */
struct test {
	enum kind kind;
	unsigned int type;
	HcclReduceOp op;
	size_t n, sends, recvs;
	bool in_place;
	uint32_t root;
	char *send, *recv;
};

/* Element @i of rank @of: small, so that reductions of 64 ranks are exact in each type */
static double value(int of, size_t i, HcclReduceOp op)
{
	if (op == HCCL_REDUCE_PROD)
		return (size_t)of == i % ((size_t)ranks + 1) ? 2 : 1;
	return (i * 7 + (size_t)of * 3 + (i >> 5)) % 3 == 0;
}

static double reduced(size_t i, HcclReduceOp op)
{
	double all = value(0, i, op);

	for (int of = 1; of < ranks; of++) {
		double x = value(of, i, op);

		switch (op) {
		case HCCL_REDUCE_SUM: all += x; break;
		case HCCL_REDUCE_PROD: all *= x; break;
		case HCCL_REDUCE_MAX: all = x > all ? x : all; break;
		default: all = x < all ? x : all; break;
		}
	}
	return all;
}

/* The element @i of a result of this rank */
static double expected(const struct test *t, size_t i)
{
	switch (t->kind) {
	case ALL_REDUCE:
	case REDUCE: return reduced(i, t->op);
	case BROADCAST: return value((int)t->root, i, t->op);
	case REDUCE_SCATTER: return reduced((size_t)rank * t->n + i, t->op);
	case ALL_GATHER: return value((int)(i / t->n), i % t->n, t->op);
	case SCATTER: return value((int)t->root, (size_t)rank * t->n + i, t->op);
	default: return value((int)(i / t->n), (size_t)rank * t->n + i % t->n, t->op);
	}
}

/* Of a number that is 0 or normal in fp16, and exact */
static uint16_t half_of(float single)
{
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return (uint16_t)(single == 0 ? 0 : (bits >> 13) - ((127 - 15) << 10));
}

static void put(char *at, unsigned int type, double x)
{
	int64_t integer = (int64_t)x;
	float single = (float)x;
	uint16_t half = half_of(single);

	switch (types[type].form) {
	case INTEGER: memcpy(at, &integer, types[type].bytes); break;
	case HALF: memcpy(at, &half, sizeof(half)); break;
	case SINGLE: memcpy(at, &single, sizeof(single)); break;
	case BRAIN: memcpy(at, (char *)&single + 2, 2); break;
	default: memcpy(at, &x, sizeof(x)); break;
	}
}

static HcclResult call(const struct test *t)
{
	HcclDataType type = types[t->type].type;

	switch (t->kind) {
	case ALL_REDUCE: return HcclAllReduce(t->send, t->recv, t->n, type, t->op, comm, stream);
	case REDUCE: return HcclReduce(t->send, t->recv, t->n, type, t->op, t->root, comm, stream);
	case BROADCAST: return HcclBroadcast(t->send, t->n, type, t->root, comm, stream);
	case REDUCE_SCATTER: return HcclReduceScatter(t->send, t->recv, t->n, type, t->op, comm, stream);
	case ALL_GATHER: return HcclAllGather(t->send, t->recv, t->n, type, comm, stream);
	case SCATTER: return HcclScatter(t->send, t->recv, t->n, type, t->root, comm, stream);
	default: return HcclAlltoAll(t->send, t->n, type, t->recv, t->n, type, comm, stream);
	}
}

/* In place, the smaller buffer is this rank's part of the larger one */
static void place(struct test *t, char *a, char *b)
{
	size_t mine = (size_t)rank * t->n * types[t->type].bytes;

	t->send = a;
	t->recv = t->in_place ? a : b;
	if (t->in_place && t->kind == ALL_GATHER)
		t->send += mine;
	if (t->in_place && (t->kind == REDUCE_SCATTER || (t->kind == SCATTER && (uint32_t)rank == t->root)))
		t->recv += mine;
}

static void compare(const struct test *t, const char *got)
{
	size_t bytes = types[t->type].bytes, bad = 0;
	char want[8];

	for (size_t i = 0; i < t->recvs; i++) {
		put(want, t->type, expected(t, i));
		bad += memcmp(got + i * bytes, want, bytes) != 0;
	}
	if (bad)
		fprintf(stderr, "rank %d of %d: %s, %s, %s, %zu elements%s: %zu of %zu are wrong\n", rank, ranks,
			kind_names[t->kind], types[t->type].name, op_names[t->op], t->n, t->in_place ? " in place" : "", bad,
			t->recvs);
	wrong += bad;
}

static void run(struct test t)
{
	size_t bytes = types[t.type].bytes, room = ((t.sends > t.recvs ? t.sends : t.recvs) + 1) * bytes;
	void *a, *b, *host;
	aclrtEvent from, to;
	float ms;

	OK(aclrtMalloc(&a, room, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&b, room, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMallocHost(&host, room));
	OK(aclrtCreateEvent(&from));
	OK(aclrtCreateEvent(&to));
	place(&t, (char *)a, (char *)b);
	for (size_t i = 0; i < t.sends; i++)
		put((char *)host + i * bytes, t.type, value(rank, i, t.op));
	OK(aclrtMemcpy(t.send, room - (size_t)(t.send - (char *)a), host, t.sends * bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtRecordEvent(from, stream));
	/* what was reduced in place is other data the next time */
	for (int i = 0; i < (t.in_place ? 1 : ROUNDS); i++)
		OK(call(&t));
	OK(aclrtRecordEvent(to, stream));
	OK(aclrtSynchronizeStream(stream));
	OK(aclrtEventElapsedTime(&ms, from, to));
	OK(aclrtMemcpy(host, room, t.kind == BROADCAST ? t.send : t.recv, t.recvs * bytes, ACL_MEMCPY_DEVICE_TO_HOST));
	if (t.kind != REDUCE || (uint32_t)rank == t.root)
		compare(&t, (const char *)host);
	OK(aclrtDestroyEvent(from));
	OK(aclrtDestroyEvent(to));
	OK(aclrtFreeHost(host));
	OK(aclrtFree(a));
	OK(aclrtFree(b));
}

static void run_sizes(enum kind kind, unsigned int type, HcclReduceOp op, const size_t *sizes, size_t count)
{
	bool to_parts = kind == REDUCE_SCATTER || kind == SCATTER || kind == ALL_TO_ALL;
	bool of_parts = kind == ALL_GATHER || kind == ALL_TO_ALL;

	for (size_t i = 0; i < count; i++) {
		struct test t;

		memset(&t, 0, sizeof(t));
		t.kind = kind;
		t.type = type;
		t.op = op;
		t.n = sizes[i];
		t.root = (uint32_t)((i + type) % (size_t)ranks);
		if (to_parts || of_parts)
			t.n = (t.n + (size_t)ranks - 1) / (size_t)ranks;
		t.sends = t.n * (to_parts ? (size_t)ranks : 1);
		t.recvs = t.n * (of_parts ? (size_t)ranks : 1);
		run(t);
		t.in_place = true;
		if (kind != BROADCAST && kind != ALL_TO_ALL)
			run(t);
	}
}

static void run_kind(enum kind kind, size_t most)
{
	const size_t sizes[] = { 0, 1, 3, 4097, most }, one = 1001;
	bool reduces = kind == ALL_REDUCE || kind == REDUCE || kind == REDUCE_SCATTER;

	run_sizes(kind, FP32, HCCL_REDUCE_SUM, sizes, sizeof(sizes) / sizeof(sizes[0]));
	for (unsigned int type = 0; type < TYPES; type++)
		for (int op = HCCL_REDUCE_SUM; op <= (reduces ? HCCL_REDUCE_MIN : HCCL_REDUCE_SUM); op++)
			run_sizes(kind, type, (HcclReduceOp)op, &one, 1);
}

int main(int argc, char **argv)
{
	size_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000003;
	unsigned long all;
	HcclRootInfo root;
	uint32_t devices;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	OK(aclInit(NULL));
	OK(aclrtGetDeviceCount(&devices));
	OK(aclrtSetDevice(rank % (int)devices));
	if (!rank)
		OK(HcclGetRootInfo(&root));
	MPI_Bcast(&root, HCCL_ROOT_INFO_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
	OK(HcclCommInitRootInfo((uint32_t)ranks, &root, (uint32_t)rank, &comm));
	OK(aclrtCreateStream(&stream));
	for (int kind = 0; kind < KINDS; kind++)
		run_kind((enum kind)kind, most);
	OK(HcclCommDestroy(comm));
	OK(aclrtDestroyStream(stream));
	OK(aclrtResetDevice(rank % (int)devices));
	OK(aclFinalize());
	MPI_Allreduce(&wrong, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%d ranks: %lu elements are wrong\n", ranks, all);
	MPI_Finalize();
	return all != 0;
}
