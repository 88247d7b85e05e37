// SPDX-License-Identifier: MIT
/*
 * The timeline (ANPU_TRACE) costs a launch some time. Processes with and without it run in turn, so that other work on the machine
 * meets both. Launches without a wait are measured as means over BATCH of them: these have what is done for many launches at once,
 * reading the device's records in particular, which the median of single calls leaves out.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <acl/acl.h>

#include "../stats.h"
#include "traced.h"

enum { BATCH = 1000, BATCHES = 20, SYNCS = 500, PROCESSES = 10 };

struct times {
	uint64_t async[BATCHES], sync[SYNCS]; /* ns of a launch, and of one with its synchronisation */
};

#define ACL(call) do { \
	if (call) { \
		const char *msg_ = aclGetRecentErrMsg(); \
		fprintf(stderr, "bench: " #call ": %s\n", msg_ ? msg_ : ""); \
		return 1; \
	} \
} while (0)

int traced_child(const char *operators)
{
	static struct times times;
	aclrtFuncHandle empty;
	aclrtBinHandle bin;
	aclrtStream stream;
	char path[4096];

	snprintf(path, sizeof(path), "%s/empty.o", operators);
	ACL(aclInit(NULL));
	ACL(aclrtSetDevice(0));
	ACL(aclrtCreateStream(&stream));
	ACL(aclrtBinaryLoadFromFile(path, NULL, &bin));
	ACL(aclrtBinaryGetFunction(bin, "empty", &empty));
	for (int b = 0; b < BATCHES; b++) {
		uint64_t t = bench_now();

		for (int i = 0; i < BATCH; i++)
			ACL(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, NULL, 0, NULL, 0));
		times.async[b] = (bench_now() - t) / BATCH;
		ACL(aclrtSynchronizeStream(stream));
	}
	for (int i = 0; i < SYNCS; i++) {
		uint64_t t = bench_now();

		ACL(aclrtLaunchKernelWithHostArgs(empty, 1, stream, NULL, NULL, 0, NULL, 0));
		ACL(aclrtSynchronizeStream(stream));
		times.sync[i] = bench_now() - t;
	}
	if (write(STDOUT_FILENO, &times, sizeof(times)) != sizeof(times))
		return 1;
	return aclFinalize();
}

static void run(const char *self, const char *operators, bool traced, struct times *times)
{
	char command[9000];
	FILE *child;

	snprintf(command, sizeof(command), "%s '%s' --launches '%s'", traced ? "ANPU_TRACE=/dev/null" : "env -u ANPU_TRACE",
		 self, operators);
	child = popen(command, "re");
	if (!child || fread(times, sizeof(*times), 1, child) != 1 || pclose(child)) {
		fprintf(stderr, "bench: %s: it failed\n", command);
		exit(1);
	}
}

void bench_traced(const char *self, const char *operators, bool quick)
{
	static uint64_t async[2][PROCESSES * BATCHES], sync[2][PROCESSES * SYNCS];
	const int processes = quick ? 1 : PROCESSES;
	const size_t asyncs = (size_t)processes * BATCHES, syncs = (size_t)processes * SYNCS;

	for (int p = 0; p < processes; p++)
		for (int traced = 0; traced < 2; traced++) {
			static struct times times;

			run(self, operators, traced, &times);
			memcpy(async[traced] + p * BATCHES, times.async, sizeof(times.async));
			memcpy(sync[traced] + p * SYNCS, times.sync, sizeof(times.sync));
		}
	bench_add("launch_mean", BENCH_NS, async[0], asyncs, 0, "direct_noop_call");
	bench_add("traced_launch_mean", BENCH_NS, async[1], asyncs, 0, "direct_launch_mean");
	bench_add("untraced_launch_sync", BENCH_NS, sync[0], syncs, 0, "direct_thread_round_trip");
	bench_add("traced_launch_sync", BENCH_NS, sync[1], syncs, 0, "direct_untraced_launch_sync");
}
