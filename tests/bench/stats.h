/* SPDX-License-Identifier: MIT */
/*
 * Samples of one measurement, and the file of all of them: a JSON object per line, of which
 * tests/bench/report makes the table and build/bench.json.
 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum bench_unit - what a sample of nanoseconds is turned into
 * @BENCH_NS: nanoseconds; lower is better
 * @BENCH_MBPS: 10^6 bytes per second, from the bytes that one sample moved; higher is better
 * @BENCH_GFLOPS: 10^9 floating-point operations per second, likewise
 * @BENCH_MIPS: 10^6 instructions per second, likewise
 * @BENCH_MELS: 10^6 elements per second, likewise
 */
enum bench_unit {
	BENCH_NS,
	BENCH_MBPS,
	BENCH_GFLOPS,
	BENCH_MIPS,
	BENCH_MELS
};

/** bench_now() - CLOCK_MONOTONIC in nanoseconds */
uint64_t bench_now(void);

/** bench_cpu_now() - CPU time of all threads of this process up to now, also of those that have ended, in nanoseconds */
uint64_t bench_cpu_now(void);

/** bench_be_quick() - from now on take few samples, to see that everything works */
void bench_be_quick(bool be_quick);

/** bench_samples() - Return: how many samples to take where @most give a figure that means something */
size_t bench_samples(size_t most);

/** bench_prefix() - begin the names of all results from now on with @prefix, which is kept as it is */
void bench_prefix(const char *prefix);

/**
 * bench_add() - turn samples into a result
 * @name: stable name, documented in Documentation/bench.md; copied
 * @ns: @n samples in nanoseconds, sorted in place
 * @n: at least 1
 * @work: what one sample did, in the unit's things: bytes, operations, instructions, elements
 * @floor: name of the result this one is divided by, or NULL; it may be another program's
 *
 * p50 is the median, p99 the value that 99 % of the samples are at least as good as. Results are
 * kept for bench_report(); exits with a sentence when there are too many.
 */
void bench_add(const char *name, enum bench_unit unit, uint64_t *ns, size_t n, uint64_t work,
	       const char *floor);

/** bench_skip() - say why a result cannot be had on this machine; both texts are kept as they are */
void bench_skip(const char *name, const char *why);

/** bench_report() - write all results to @path, or standard output. Return: 0, or -1 with a sentence */
int bench_report(const char *path);

#endif /* BENCH_STATS_H */
