/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include <stdbool.h>

/**
 * bench_objects() - measure what an object costs to make and destroy, when there are 100 and many more
 * @operators: folder with empty.o
 * @quick: fewer objects, to see that everything works
 * @only: the kind that is measured, as in the name of its result without "object_"; NULL for all
 *
 * The calling thread has a device.
 */
void bench_objects(const char *operators, bool quick, const char *only);

#endif /* BENCH_OBJECTS_H */
