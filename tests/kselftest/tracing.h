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

#endif /* ANPU_TRACING_H */
