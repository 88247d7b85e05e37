/* SPDX-License-Identifier: MIT */
/* Shared by the fuzz targets: taking an input apart, and giving up loudly. */
#ifndef ANPU_FUZZ_H
#define ANPU_FUZZ_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** LLVMFuzzerTestOneInput() - libFuzzer's name for a target */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** struct input - bytes that decide what is done; behind the last one there are zeroes */
struct input {
	const uint8_t *p;
	size_t left;
};

/** take() - the next @bytes (at most 8) as a little-endian number */
static inline uint64_t take(struct input *in, unsigned int bytes)
{
	uint64_t v = 0;

	if (bytes > in->left)
		bytes = (unsigned int)in->left;
	if (bytes)
		memcpy(&v, in->p, bytes);
	in->p += bytes;
	in->left -= bytes;
	return v;
}

/** require() - what must hold whatever the input says; libFuzzer keeps the input of an abort() */
static inline void require(bool ok, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void require(bool ok, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return;
	fprintf(stderr, "broken: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	abort();
}

#endif /* ANPU_FUZZ_H */
