/* SPDX-License-Identifier: MIT */
/*
 * Rows of the benchmark that are measured together: one sample of each in turn, round after round,
 * so that what else the machine does meets a result and its floor alike.
 */
#ifndef CORES_ROWS_H
#define CORES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../stats.h"
#include "device.h"

/**
 * struct row - a result in the making
 * @name: see bench_add()
 * @unit: see bench_add()
 * @floor: see bench_add()
 * @work: of one part of a sample
 * @measure: takes a sample: nanoseconds
 * @ctx: argument of @measure
 * @parts: equal parts of a sample, 0 is 1: the result is that of one part
 * @threads: that work on it, 0 is 1
 * @foreign: another process does the work
 */
struct row {
	const char *name;
	enum bench_unit unit;
	const char *floor;
	uint64_t work;
	uint64_t (*measure)(const void *ctx);
	const void *ctx;
	uint64_t parts;
	unsigned int threads;
	bool foreign;
};

/** measure_rows() - @rounds samples of each row, after one that does not count; then bench_add() */
void measure_rows(const struct row *rows, size_t n, unsigned int rounds);

/**
 * struct launch - a kernel and its arguments; measure_launch() is a row's measure function for it
 * @launches: in one sample, one behind the other
 */
struct launch {
	struct device *device;
	struct kernel kernel;
	uint32_t blocks;
	uint64_t args[8];
	size_t slots;
	unsigned int launches;
};

uint64_t measure_launch(const void *ctx);

/**
 * struct bench - what all groups of rows share
 * @operators: directory of the operator files
 * @user: the program for qemu-riscv64
 * @threads_file: the operators of threads.cu
 * @threads: CPUs of the host
 * @quick: a sample of everything, to see that it works
 * @cpu_time: the time that counts is that of the CPU
 * @one: a device of one thread
 * @all: a device of @threads threads
 */
struct bench {
	const char *operators;
	const char *user;
	const char *threads_file;
	unsigned int threads;
	bool quick;
	bool cpu_time;
	struct device *one;
	struct device *all;
};

/** bench_kernel() - a kernel of an operator in the directory of operators */
struct kernel bench_kernel(const struct bench *b, const char *file, const char *kernel);

void bench_matmul(const struct bench *b);
void bench_vectors(const struct bench *b);
void bench_scalar(const struct bench *b);
void bench_blocks(const struct bench *b);
void bench_threads(const struct bench *b);

#endif /* CORES_ROWS_H */
