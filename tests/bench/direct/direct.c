// SPDX-License-Identifier: MIT
/*
 * libacl with the device in the program's own process (direct engine): the start of a program, calls, copies and kernels,
 * each beside what it cannot go below here. Documentation/bench.md describes each result.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <acl/acl.h>
#include <anpu/anpu_engine.h>
#include <drm/anpu_accel.h>

#include "../copies.h"
#include "../kernels.h"
#include "../runtime.h"
#include "../stats.h"
#include "traced.h"

#define MIB (1024UL * 1024)

extern char **environ;

static const char *operators = "build/operators";

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(1);
}

#define ACL(call) do { \
	if (call) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		die(#call, msg_ ? msg_ : ""); \
	} \
} while (0)

/* Floors ---------------------------------------------------------------------------------------- */

/* The floor noop_call asks for the size of a struct, which is an ioctl in the VM and a call here. */
static void bench_noop(void)
{
	enum { N = 20000 };
	static uint64_t ns[N];
	void *library = dlopen(ANPU_DIRECT_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const struct anpu_engine *(*get)(void), *engine;
	int fd;

	if (!library)
		die(ANPU_DIRECT_LIBRARY, dlerror());
	get = (const struct anpu_engine *(*)(void))dlsym(library, ANPU_DIRECT_SYMBOL);
	if (!get)
		die(ANPU_DIRECT_LIBRARY, dlerror());
	engine = get();
	fd = engine->open(0);
	if (fd < 0)
		die("device 0", strerror(-fd));
	for (size_t i = 0; i < N; i++) {
		struct drm_anpu_dev_query q = { .type = DRM_ANPU_QUERY_INFO };
		uint64_t t = bench_now();
		int err = engine->ioctl(fd, DRM_IOCTL_ANPU_DEV_QUERY, &q);

		ns[i] = bench_now() - t;
		if (err)
			die("DEV_QUERY", strerror(-err));
	}
	engine->close(fd);
	bench_add("noop_call", BENCH_NS, ns, N, 0, NULL);
}

static sem_t there, back;
enum { TURNS = 5000 };

static void *answer(void *data)
{
	(void)data;
	for (int i = 0; i < TURNS; i++) {
		sem_wait(&there);
		sem_post(&back);
	}
	return NULL;
}

/* Another thread sleeps, is woken up, and wakes up this one, which sleeps meanwhile. */
static void bench_threads(void)
{
	static uint64_t ns[TURNS];
	pthread_t thread;
	int err;

	sem_init(&there, 0, 0);
	sem_init(&back, 0, 0);
	err = pthread_create(&thread, NULL, answer, NULL);
	if (err)
		die("a thread", strerror(err));
	for (int i = 0; i < TURNS; i++) {
		uint64_t t = bench_now();

		sem_post(&there);
		sem_wait(&back);
		ns[i] = bench_now() - t;
	}
	pthread_join(thread, NULL);
	bench_add("thread_round_trip", BENCH_NS, ns, TURNS, 0, NULL);
}

static void bench_memcpy(const char *name, enum bench_unit unit, size_t bytes, size_t runs)
{
	static uint64_t ns[2000];
	/* whole pages: what malloc() gives may lie so that each load waits for a store 4 KiB away */
	char *a = aligned_alloc(4096, bytes), *b = aligned_alloc(4096, bytes);

	if (!a || !b)
		die(name, strerror(errno));
	memset(a, 1, bytes);
	memset(b, 2, bytes);
	for (size_t i = 0; i < runs; i++) {
		uint64_t t = bench_now();

		memcpy(b, a, bytes);
		/* Keeps the compiler from dropping the copy. */
		__asm__ volatile("" : : "r"(b) : "memory");
		ns[i] = bench_now() - t;
	}
	free(a);
	free(b);
	bench_add(name, unit, ns, runs, bytes, NULL);
}

/* Start of a program ----------------------------------------------------------------------------- */

/* README's first program: three numbers are added, and a byte is written as soon as the sums are there. */
static int first_program(void)
{
	float a[3] = { 1, 2, 3 }, b[3] = { 10, 20, 30 }, c[3] = { 0 };
	struct {
		void *a, *b, *c;
		uint64_t n;
	} args = { .n = 3 };
	aclrtBinHandle bin;
	aclrtFuncHandle add;
	char path[4096];

	snprintf(path, sizeof(path), "%s/vadd.o", operators);
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	ACL(aclrtMalloc(&args.a, sizeof(a), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMalloc(&args.b, sizeof(b), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMalloc(&args.c, sizeof(c), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMemcpy(args.a, sizeof(a), a, sizeof(a), ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtMemcpy(args.b, sizeof(b), b, sizeof(b), ACL_MEMCPY_HOST_TO_DEVICE));
	ACL(aclrtBinaryLoadFromFile(path, NULL, &bin));
	ACL(aclrtBinaryGetFunction(bin, "vadd_f32", &add));
	ACL(aclrtLaunchKernelWithHostArgs(add, 1, NULL, NULL, &args, sizeof(args), NULL, 0));
	ACL(aclrtSynchronizeStream(NULL));
	ACL(aclrtMemcpy(c, sizeof(c), args.c, sizeof(c), ACL_MEMCPY_DEVICE_TO_HOST));
	if (c[0] != 11 || c[1] != 22 || c[2] != 33)
		die("vadd_f32", "wrong sums");
	if (write(STDOUT_FILENO, "1", 1) != 1)
		die("the result", strerror(errno));
	return aclFinalize();
}

/* From the call that starts this program with @role until its byte comes. */
static uint64_t start(const char *self, char *role)
{
	char *argv[] = { (char *)self, role, (char *)operators, NULL };
	posix_spawn_file_actions_t actions;
	uint64_t t = bench_now();
	int ends[2], status, err;
	pid_t child;
	char byte;

	if (pipe(ends))
		die("pipe", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	err = posix_spawn(&child, self, &actions, NULL, argv, environ);
	if (err)
		die(self, strerror(err));
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		die(role, "it ended without a result");
	t = bench_now() - t;
	close(ends[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (waitpid(child, &status, 0) != child || status)
		die(role, "it failed");
	return t;
}

static void bench_start(const char *self, bool quick)
{
	static uint64_t nothing[50], first[50];
	size_t runs = quick ? 5 : 50;

	/* in turn, so that other work on the machine meets both */
	for (size_t i = 0; i < runs; i++) {
		nothing[i] = start(self, "--nothing");
		first[i] = start(self, "--first");
	}
	bench_add("process_start", BENCH_NS, nothing, runs, 0, NULL);
	bench_add("first_result", BENCH_NS, first, runs, 0, "direct_process_start");
}

int main(int argc, char **argv)
{
	static const struct bench_floors floors = {
		.call = "direct_noop_call", .submit = "direct_noop_call", .sync = "direct_thread_round_trip",
		.round_trip = "direct_thread_round_trip", .launches = "direct_launch_100",
	};
	const char *json = NULL;
	bool quick = false;
	aclrtStream stream;

	if (argc == 3 && !strcmp(argv[1], "--nothing"))
		return write(STDOUT_FILENO, "1", 1) != 1;
	if (argc == 3 && !strcmp(argv[1], "--first")) {
		operators = argv[2];
		return first_program();
	}
	if (argc == 3 && !strcmp(argv[1], "--launches"))
		return traced_child(argv[2]);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--quick"))
			quick = true;
		else if (!strcmp(argv[i], "--json") && i + 1 < argc)
			json = argv[++i];
		else if (!strcmp(argv[i], "--operators") && i + 1 < argc)
			operators = argv[++i];
		else
			return fprintf(stderr, "usage: native [--quick] [--json FILE] [--operators DIR]\n"), 2;
	}
	bench_prefix("direct_");
	bench_start(argv[0], quick);
	bench_noop();
	bench_threads();
	bench_traced(argv[0], operators, quick);
	bench_memcpy("memcpy_4K", BENCH_NS, 4096, 2000);
	bench_memcpy("memcpy_1M", BENCH_MBPS, MIB, 100);
	bench_memcpy("memcpy_64M", BENCH_MBPS, 64 * MIB, 11);
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	ACL(aclrtCreateStream(&stream));
	bench_runtime(operators, &floors);
	bench_copies("direct_memcpy_4K", "direct_memcpy_1M", "direct_memcpy_64M");
	bench_kernels(stream, operators);
	ACL(aclrtDestroyStream(stream));
	ACL(aclFinalize());
	return bench_report(json) ? 1 : 0;
}
