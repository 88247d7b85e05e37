// SPDX-License-Identifier: MIT
/* Samples of one measurement, and the table and JSON file made of all of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stats.h"

#define MAX_RESULTS 64

static struct bench_result results[MAX_RESULTS];
static size_t num_results;

static const struct {
	const char *name;
	const char *better;
} units[] = {
	[BENCH_NS] = { "ns", "lower" },
	[BENCH_MBPS] = { "MB/s", "higher" },
};

uint64_t bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double convert(enum bench_unit unit, uint64_t ns, uint64_t bytes)
{
	if (unit == BENCH_NS)
		return (double)ns;
	return ns ? (double)bytes * 1000 / (double)ns : 0;
}

void bench_add(const char *name, enum bench_unit unit, uint64_t *ns, size_t n, uint64_t bytes,
	       const char *floor)
{
	if (num_results == MAX_RESULTS) {
		fprintf(stderr, "bench: more than %d results; raise MAX_RESULTS\n", MAX_RESULTS);
		exit(1);
	}
	qsort(ns, n, sizeof(*ns), compare);
	results[num_results++] = (struct bench_result) {
		.name = name,
		.unit = unit,
		.p50 = convert(unit, ns[n / 2], bytes),
		.p99 = convert(unit, ns[n * 99 / 100 < n ? n * 99 / 100 : n - 1], bytes),
		.floor = floor,
	};
}

static const struct bench_result *find(const char *name)
{
	for (size_t i = 0; name && i < num_results; i++)
		if (!strcmp(results[i].name, name))
			return &results[i];
	return NULL;
}

/* A result over its floor; what is moved per second is compared as such, times as times. */
static double ratio(const struct bench_result *r)
{
	const struct bench_result *floor = find(r->floor);

	if (!floor || floor->unit != r->unit || floor->p50 == 0)
		return 0;
	return r->p50 / floor->p50;
}

static void write_json(FILE *f)
{
	fprintf(f, "{\"results\": [\n");
	for (size_t i = 0; i < num_results; i++) {
		const struct bench_result *r = &results[i];

		fprintf(f, "  {\"name\": \"%s\", \"unit\": \"%s\", \"p50\": %.1f, \"p99\": %.1f, ",
			r->name, units[r->unit].name, r->p50, r->p99);
		if (ratio(r) > 0)
			fprintf(f, "\"floor\": \"%s\", \"ratio\": %.3f, ", r->floor, ratio(r));
		else
			fprintf(f, "\"floor\": null, \"ratio\": null, ");
		fprintf(f, "\"better\": \"%s\"}%s\n", units[r->unit].better,
			i + 1 < num_results ? "," : "");
	}
	fprintf(f, "]}\n");
}

int bench_report(const char *json)
{
	FILE *f;

	printf("%-26s %6s %12s %12s  %-14s %8s  better\n", "name", "unit", "p50", "p99", "floor",
	       "ratio");
	for (size_t i = 0; i < num_results; i++) {
		const struct bench_result *r = &results[i];

		printf("%-26s %6s %12.1f %12.1f  ", r->name, units[r->unit].name, r->p50, r->p99);
		if (ratio(r) > 0)
			printf("%-14s %8.3f  ", r->floor, ratio(r));
		else
			printf("%-14s %8s  ", "-", "-");
		printf("%s\n", units[r->unit].better);
	}
	if (!json)
		return 0;
	f = fopen(json, "w");
	if (!f) {
		fprintf(stderr, "bench: cannot write %s: %s\n", json, strerror(errno));
		return -1;
	}
	write_json(f);
	if (fclose(f)) {
		fprintf(stderr, "bench: cannot write %s: %s\n", json, strerror(errno));
		return -1;
	}
	return 0;
}
