// SPDX-License-Identifier: MIT
/* See kernels.h. The floors are the same kernels without VM, measured by tests/bench/cores. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"
#include "stats.h"

#define MIB	(1024UL * 1024)
#define SIZE	2048
#define ELEMENTS (64 * MIB)
#define RUNS	5

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

struct kernel {
	const char *name;
	const char *floor;
	const char *file;
	const char *function;
	enum bench_unit unit;
	uint64_t work;
	uint32_t blocks;
};

/* Nanoseconds of one launch, between two events; events count in microseconds or coarser. */
static uint64_t timed_launch(aclrtFuncHandle func, uint32_t blocks, aclrtStream stream, void *args,
			     size_t size)
{
	aclrtEvent start, end;
	float ms;

	ACL(aclrtCreateEvent(&start));
	ACL(aclrtCreateEvent(&end));
	ACL(aclrtRecordEvent(start, stream));
	ACL(aclrtLaunchKernelWithHostArgs(func, blocks, stream, NULL, args, size, NULL, 0));
	ACL(aclrtRecordEvent(end, stream));
	ACL(aclrtSynchronizeStream(stream));
	ACL(aclrtEventElapsedTime(&ms, start, end));
	ACL(aclrtDestroyEvent(start));
	ACL(aclrtDestroyEvent(end));
	return (uint64_t)((double)ms * 1e6);
}

static void bench_kernel(const struct kernel *k, aclrtStream stream, const char *operators,
			 void *args, size_t size)
{
	uint64_t ns[RUNS];
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.o", operators, k->file);
	ACL(aclrtBinaryLoadFromFile(path, NULL, &bin));
	ACL(aclrtBinaryGetFunction(bin, k->function, &func));
	/* the first one touches the memory and decodes the code */
	timed_launch(func, k->blocks, stream, args, size);
	for (int i = 0; i < RUNS; i++)
		ns[i] = timed_launch(func, k->blocks, stream, args, size);
	bench_add(k->name, k->unit, ns, RUNS, k->work, k->floor);
	ACL(aclrtBinaryUnLoad(bin));
}

static void *zeroes(size_t size)
{
	void *p;

	ACL(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMemset(p, size, 0, size));
	return p;
}

void bench_kernels(aclrtStream stream, const char *operators)
{
	static const struct kernel matmul = {
		"matmul_2048_f16", "matmul_2048_f16_all", "matmul", "matmul_f16", BENCH_GFLOPS,
		2ULL * SIZE * SIZE * SIZE, 8
	};
	static const struct kernel vadd = {
		"vadd_f32", "vadd_f32", "vadd", "vadd_f32", BENCH_MELS, ELEMENTS, 16
	};
	void *x = zeroes(4 * ELEMENTS), *y = zeroes(4 * ELEMENTS), *z = zeroes(4 * ELEMENTS);
	struct {
		void *a, *b, *c;
		uint64_t m, n, k;
	} matmul_args = { x, y, z, SIZE, SIZE, SIZE };
	struct {
		void *x, *y, *z;
		uint64_t n;
	} vadd_args = { x, y, z, ELEMENTS };

	bench_kernel(&matmul, stream, operators, &matmul_args, sizeof(matmul_args));
	bench_kernel(&vadd, stream, operators, &vadd_args, sizeof(vadd_args));
	ACL(aclrtFree(x));
	ACL(aclrtFree(y));
	ACL(aclrtFree(z));
}
