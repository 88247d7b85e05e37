/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The kernel's trace, for root. */
#ifndef ANPU_TRACING_H
#define ANPU_TRACING_H

#include <sys/mount.h>

#include "anpu_test.h"

#define TRACING	"/sys/kernel/tracing"

/* The trace is there, and empty. */
static inline int tracing_begin(void)
{
	mount("tracefs", TRACING, "tracefs", 0, NULL);
	return write_file(TRACING "/trace", "");
}

/* From now on calls of these two functions are traced. Returns 0 or an error. */
static inline int trace_functions(const char *first, const char *second)
{
	const char *names[] = { first, second };
	int fd = open(TRACING "/set_ftrace_filter", O_WRONLY | O_TRUNC), ret = fd < 0 ? -errno : 0;

	/* One name for each write(). */
	for (int i = 0; i < 2 && !ret; i++)
		ret = write(fd, names[i], strlen(names[i])) < 0 ? -errno : 0;
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	return ret ? ret : write_file(TRACING "/current_tracer", "function");
}

#endif /* ANPU_TRACING_H */
