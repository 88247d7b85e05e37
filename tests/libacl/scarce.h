/* SPDX-License-Identifier: MIT */
/* Memory of the host that ends: malloc() and kin of a program that includes this stand before the C library's, for its libraries, too. */
#ifndef SCARCE_H
#define SCARCE_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

/* In this thread: what is left until one fails, 0 if none shall */
static __thread int countdown;
static atomic_long blocks;

static bool refused(void)
{
	if (!countdown || --countdown)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *p)
{
	blocks += p ? 1 : 0;
	return p;
}

void *malloc(size_t size)
{
	return refused() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	void *new;

	if (refused())
		return NULL;
	new = __libc_realloc(p, size);
	return p ? new : counted(new);
}

void free(void *p)
{
	blocks -= p ? 1 : 0;
	__libc_free(p);
}

#endif /* SCARCE_H */
