// SPDX-License-Identifier: MIT
/*
 * The project's own operators in Ascend C, launched through libacl with the device in this process (ANPU_DEVICE=direct), beside the
 * same in plain C and, where there is one, beside the same operator in intrinsics. Documentation/bench.md describes the rows.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>

#include "../../ascendc/host/operators/job.h"
#include "../stats.h"

#define ROUNDS	  11
#define SAMPLE_NS 3000000 /* of repetitions in a sample, about */

static bool cpu_time;
static unsigned int rounds = ROUNDS;
static const char *only = "";

#define ACL(call) do { \
	aclError err_ = (call); \
	if (err_ != ACL_SUCCESS) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: %s returned %d: %s\n", #call, err_, msg_ ? msg_ : ""); \
		exit(1); \
	} \
} while (0)

/**
 * struct runner - a way to do a job
 * @loop: in C; or NULL
 * @func: a kernel, with @args
 * @times: how often in a sample, so that the time of a launch does not count
 */
struct runner {
	void (*loop)(const struct job *j);
	aclrtFuncHandle func;
	uint64_t args[JOB_SLOTS];
	size_t slots;
	unsigned int times;
	uint64_t ns[ROUNDS];
};

static uint64_t now(void)
{
	return cpu_time ? bench_cpu_now() : bench_now();
}

static uint64_t sample(const struct runner *r, const struct job *j)
{
	uint64_t start = now();

	for (unsigned int i = 0; i < r->times; i++)
		if (r->loop)
			r->loop(j);
		else
			ACL(aclrtLaunchKernelWithHostArgs(r->func, j->shape.blocks, NULL, NULL, (void *)r->args, r->slots * 8, NULL, 0));
	if (!r->loop)
		ACL(aclrtSynchronizeStream(NULL));
	return (now() - start) / r->times;
}

/* The first run, which touches memory and translates code, does not count; the second says how many make a sample. */
static void warm_up(struct runner *r, const struct job *j)
{
	uint64_t ns;

	r->times = 1;
	sample(r, j);
	ns = sample(r, j);
	r->times = ns && ns < SAMPLE_NS ? (unsigned int)(SAMPLE_NS / ns) : 1;
	r->times = r->times > 64 ? 64 : r->times;
}

static aclrtFuncHandle kernel_of(const char *directory, const char *file, const char *kernel)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.o", directory, file);
	ACL(aclrtBinaryLoadFromFile(path, NULL, &bin));
	ACL(aclrtBinaryGetFunction(bin, kernel, &func));
	return func;
}

/* A kernel with the arguments that the job has now */
static void set_kernel(struct runner *r, aclrtFuncHandle func, const struct job *j, void *const *dev)
{
	r->func = func;
	r->slots = j->slots;
	for (unsigned int i = 0; i < j->slots; i++)
		r->args[i] = j->tensor_of[i] >= 0 ? (uint64_t)(uintptr_t)dev[j->tensor_of[i]] : j->args[i];
}

static void add_row(const char *name, const char *more, struct runner *r, const struct operator *o, const struct job *j, const char *floor)
{
	char full[2][96];

	snprintf(full[0], sizeof(full[0]), "ascendc_%s%s", name, more);
	snprintf(full[1], sizeof(full[1]), "ascendc_%s%s", name, floor ? floor : "");
	bench_add(full[0], o->products ? BENCH_GFLOPS : BENCH_MELS, r->ns, rounds, j->work, floor ? strdup(full[1]) : NULL);
}

static void bench_operator(const struct operator *o)
{
	struct runner runners[3] = { { .loop = o->loop } };
	struct job j = { .shape = o->shapes[0] };
	char file[64], kernel[64];
	void *dev[JOB_TENSORS];
	int count = 2;

	o->make(&j);
	for (unsigned int i = 0; i < j.tensors; i++) {
		size_t size = job_size(&j.tensor[i]);

		ACL(aclrtMalloc(&dev[i], size, ACL_MEM_MALLOC_HUGE_FIRST));
		ACL(aclrtMemcpy(dev[i], size, j.tensor[i].data, size, ACL_MEMCPY_HOST_TO_DEVICE));
	}
	set_kernel(&runners[1], kernel_of("build/tests/ascendc/operators", o->file, o->kernel), &j, dev);
	if (o->same && sscanf(o->same, "%63s %63s", file, kernel) == 2) {
		o->same_args(&j);
		set_kernel(&runners[count++], kernel_of("build/operators", file, kernel), &j, dev);
	}
	for (int i = 0; i < count; i++)
		warm_up(&runners[i], &j);
	for (unsigned int round = 0; round < rounds; round++)
		for (int i = 0; i < count; i++)
			runners[i].ns[round] = sample(&runners[i], &j);
	add_row(o->name, "_host", &runners[0], o, &j, NULL);
	add_row(o->name, "", &runners[1], o, &j, "_host");
	if (o->same) {
		add_row(o->name, "_intrinsics", &runners[2], o, &j, NULL);
		add_row(o->name, "_beside", &runners[1], o, &j, "_intrinsics");
	}
	for (unsigned int i = 0; i < j.tensors; i++)
		ACL(aclrtFree(dev[i]));
	job_free(&j);
}

int main(int argc, char **argv)
{
	static const struct operator *const tables[] = { elementwise_operators, row_operators, matrix_operators };
	const char *json = NULL;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick")) {
			rounds = 1;
		} else if (!strcmp(argv[i], "--cpu-time")) {
			cpu_time = true;
		} else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
			only = argv[++i];
		} else if (!strcmp(argv[i], "--json") && i + 1 < argc) {
			json = argv[++i];
		} else {
			fprintf(stderr, "usage: operators [--quick] [--cpu-time] [--only TEXT] [--json FILE]\n");
			return 2;
		}
	}
	fprintf(stderr, "measuring operators in Ascend C\n");
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct operator *o = tables[t]; o->name; o++)
			if (strstr(o->name, only))
				bench_operator(o);
	ACL(aclFinalize());
	return bench_report(json) ? 1 : 0;
}
