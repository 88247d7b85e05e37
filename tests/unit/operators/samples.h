/* SPDX-License-Identifier: MIT */
/*
 * The sample operators' test data: inputs, and a judge of the result by wide arithmetic. The tests
 * on the host (samples_test.c) and in the VM (tests/libacl/launch/samples.c) share it.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_BUFFERS	4
#define SAMPLE_SLOTS	8

/**
 * struct sample - a launch: an operator, its arguments, what comes out of it
 * @file: operator file, without directory and .o
 * @kernel: name of the kernel
 * @rows: of the matrix; m of a matrix multiplication
 * @cols: of the matrix; n
 * @k: of a matrix multiplication, else 0
 * @element: bytes of an element of the inputs
 * @buffers: how many; the last one is the result, the others are inputs
 * @data: contents of the inputs; malloc()ed
 * @size: bytes of each buffer
 * @slots: arguments
 * @args: their values; the buffers' addresses are the caller's
 * @buffer_of: the buffer whose address belongs in a slot, or -1
 */
struct sample {
	const char *file;
	const char *kernel;
	uint32_t rows;
	uint32_t cols;
	uint32_t k;
	size_t element;
	unsigned int buffers;
	void *data[SAMPLE_BUFFERS];
	size_t size[SAMPLE_BUFFERS];
	unsigned int slots;
	uint64_t args[SAMPLE_SLOTS];
	int buffer_of[SAMPLE_SLOTS];
};

/** sample_count() - number of samples */
unsigned int sample_count(void);

/** sample_make() - sample @i */
void sample_make(struct sample *s, unsigned int i);

/**
 * sample_check() - is that the result?
 * @result: size[buffers - 1] bytes
 * @why: out: a sentence if it is not
 */
bool sample_check(const struct sample *s, const void *result, char *why, size_t size);

void sample_free(struct sample *s);

#endif /* SAMPLES_H */
