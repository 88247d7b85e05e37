/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include <stdbool.h>

/**
 * bench_objects() - measure what an object costs to make and destroy, when there are 100 and many more
 * @operators: folder with empty.o
 * @quick: fewer objects, to see that everything works
 *
 * The calling thread has a device.
 */
void bench_objects(const char *operators, bool quick);

#endif /* BENCH_OBJECTS_H */
