/* SPDX-License-Identifier: MIT */
/*
 * For programs that make rounds of calls which must leave nothing: no block of the C library's memory, no descriptor, no
 * mapping, no memory of the device. The program's malloc() stands before the C library's, for libacl too, and counts.
 */
#ifndef KEEPS_H
#define KEEPS_H

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>

#include "acltest.h"

#define PAGE	4096
#define MIB	(1 << 20)

/* The library keeps some memory for good: its tables have grown after so many rounds. */
#define BEFORE	40
#define ROUNDS	60

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static atomic_long blocks;

void *malloc(size_t size)
{
	blocks++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	blocks++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	blocks += p ? 0 : 1;
	return __libc_realloc(p, size);
}

void free(void *p)
{
	blocks -= p ? 1 : 0;
	__libc_free(p);
}

static long descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long n = 0;

	CHECK(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static long mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	long n = 0;
	int c;

	CHECK(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static aclrtStream stream;
static void *dev, *host;

/*
 * A thread of the library may still be about to free what a round has given to it, so a count may
 * take a moment to be what it was.
 */
static void keeps_nothing(void (*round)(void))
{
	long blocks_then, files_then, maps_then;
	size_t hbm_then;

	start();
	stream = new_stream();
	dev = dev_alloc(MIB);
	host = pinned_alloc(PAGE);
	op("store");
	for (int i = 0; i < BEFORE; i++)
		round();
	usleep(20000);
	hbm_then = free_hbm();
	files_then = descriptors();
	maps_then = mappings();
	blocks_then = blocks;
	for (int i = 0; i < ROUNDS; i++)
		round();
	/* Less than one for each round: a table that grows or a thread's first block is no leak. */
	UNTIL(blocks < blocks_then + ROUNDS / 2);
	CHECK_OP(blocks, <, blocks_then + ROUNDS / 2);
	CHECK_OP(descriptors(), <, files_then + ROUNDS / 2);
	CHECK_OP(mappings(), <, maps_then + ROUNDS / 2);
	UNTIL(free_hbm() + ROUNDS / 2 * 64 > hbm_then);
	CHECK_OP(free_hbm() + ROUNDS / 2 * 64, >, hbm_then);
}

#define KEEPS_NOTHING(what) \
static void what(void) \
{ \
	keeps_nothing(round_of_##what); \
}

#endif /* KEEPS_H */
