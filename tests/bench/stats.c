// SPDX-License-Identifier: MIT
/* Samples of one measurement, and the file of all of them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stats.h"

#define MAX_RESULTS 128

/* The clock of the CPU time of a thread, as Linux numbers them: pthread_getcpuclockid() needs a handle, which a library keeps. */
#define CLOCK_OF_THREAD(tid) ((clockid_t)((~(unsigned int)(tid) << 3) | 6))

/**
 * struct result - one line of the table
 * @why_not: why there is no figure, NULL if there is one
 */
struct result {
	const char *name;
	enum bench_unit unit;
	double p50;
	double p99;
	const char *floor;
	const char *why_not;
};

static struct result results[MAX_RESULTS];
static size_t num_results;
static const char *prefix = "";
static bool quick;

static const struct {
	const char *name;
	const char *better;
} units[] = {
	[BENCH_NS] = { "ns", "lower" },
	[BENCH_MBPS] = { "MB/s", "higher" },
	[BENCH_GFLOPS] = { "GF/s", "higher" },
	[BENCH_MIPS] = { "MIPS", "higher" },
	[BENCH_MELS] = { "Mel/s", "higher" },
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	/* a thread may have ended */
	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t bench_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * The clock of a process has the time of its other threads up to their last tick only, 4 ms ago at most, and a sample takes less.
 * Whoever reads a thread's own clock makes Linux bring that thread's account up to now.
 */
uint64_t bench_cpu_now(void)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			(void)clock_ns(CLOCK_OF_THREAD(atoi(d->d_name)));
	if (dir)
		closedir(dir);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_be_quick(bool be_quick)
{
	quick = be_quick;
}

size_t bench_samples(size_t most)
{
	return !quick ? most : most / 10 > 3 ? most / 10 : 3;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* All units but nanoseconds are millions, or billions, of something per second. */
static double convert(enum bench_unit unit, uint64_t ns, uint64_t work)
{
	double rate = ns ? (double)work / (double)ns : 0;

	switch (unit) {
	case BENCH_NS:
		return (double)ns;
	case BENCH_GFLOPS:
		return rate;
	case BENCH_MBPS:
	case BENCH_MIPS:
	case BENCH_MELS:
		break;
	}
	return rate * 1000;
}

void bench_prefix(const char *text)
{
	prefix = text;
}

static void add(const struct result *r)
{
	char *name = malloc(strlen(prefix) + strlen(r->name) + 1);

	if (num_results == MAX_RESULTS) {
		fprintf(stderr, "bench: more than %d results; raise MAX_RESULTS\n", MAX_RESULTS);
		exit(1);
	}
	if (!name) {
		perror("bench: results");
		exit(1);
	}
	sprintf(name, "%s%s", prefix, r->name);
	results[num_results] = *r;
	results[num_results++].name = name;
}

void bench_add(const char *name, enum bench_unit unit, uint64_t *ns, size_t n, uint64_t work,
	       const char *floor)
{
	size_t last = n * 99 / 100 < n ? n * 99 / 100 : n - 1;

	qsort(ns, n, sizeof(*ns), compare);
	add(&(struct result){
		.name = name,
		.unit = unit,
		.p50 = convert(unit, ns[n / 2], work),
		.p99 = convert(unit, ns[last], work),
		.floor = floor,
	});
}

void bench_skip(const char *name, const char *why)
{
	add(&(struct result){ .name = name, .why_not = why });
}

static void print_result(FILE *f, const struct result *r)
{
	if (r->why_not) {
		fprintf(f, "{\"name\": \"%s\", \"skipped\": \"%s\"}\n", r->name, r->why_not);
		return;
	}
	fprintf(f, "{\"name\": \"%s\", \"unit\": \"%s\", \"p50\": %.1f, \"p99\": %.1f, ", r->name,
		units[r->unit].name, r->p50, r->p99);
	if (r->floor)
		fprintf(f, "\"floor\": \"%s\", ", r->floor);
	else
		fprintf(f, "\"floor\": null, ");
	fprintf(f, "\"better\": \"%s\"}\n", units[r->unit].better);
}

int bench_report(const char *path)
{
	FILE *f = path ? fopen(path, "w") : stdout;

	if (f) {
		for (size_t i = 0; i < num_results; i++)
			print_result(f, &results[i]);
		if (!fflush(f) && !ferror(f) && (f == stdout || !fclose(f)))
			return 0;
	}
	fprintf(stderr, "bench: cannot write %s: %s\n", path ? path : "the results", strerror(errno));
	return -1;
}
