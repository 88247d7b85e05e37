/* SPDX-License-Identifier: MIT */
/* Samples of one measurement, and the table and JSON file made of all of them. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/**
 * enum bench_unit - what a sample of nanoseconds is turned into
 * @BENCH_NS: nanoseconds; lower is better
 * @BENCH_MBPS: 10^6 bytes per second, from the bytes that one sample moved; higher is better
 */
enum bench_unit {
	BENCH_NS,
	BENCH_MBPS
};

/**
 * struct bench_result - one line of the table
 * @name: stable name, documented in Documentation/bench.md
 * @unit: of @p50 and @p99
 * @p50: median
 * @p99: the value that 99 % of the samples are at least as good as
 * @floor: name of the result this one is divided by, or NULL
 */
struct bench_result {
	const char *name;
	enum bench_unit unit;
	double p50;
	double p99;
	const char *floor;
};

/** bench_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t bench_now(void);

/**
 * bench_add() - turn samples into a result
 * @ns: @n samples in nanoseconds, sorted in place
 * @n: at least 1
 * @bytes: what one sample moved, for BENCH_MBPS
 *
 * Results are kept in one table for bench_report(); exits with a sentence when it is full.
 */
void bench_add(const char *name, enum bench_unit unit, uint64_t *ns, size_t n, uint64_t bytes,
	       const char *floor);

/** bench_report() - print the table; write @json unless NULL. Return: 0, or -1 with a sentence */
int bench_report(const char *json);

#endif /* BENCH_STATS_H */
