/* SPDX-License-Identifier: MIT */
#ifndef BENCH_TRACED_H
#define BENCH_TRACED_H

#include <stdbool.h>

/**
 * bench_traced() - launches of processes that record a timeline, beside others that record none
 * @self: this program, which is started as `SELF --launches OPERATORS` and then calls traced_child()
 * @operators: folder with empty.o
 */
void bench_traced(const char *self, const char *operators, bool quick);

/* Launches empty kernels, and writes the times to standard output; the exit status */
int traced_child(const char *operators);

#endif /* BENCH_TRACED_H */
