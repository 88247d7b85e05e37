/* SPDX-License-Identifier: MIT */
/* How much each kernel of tests/operators/scalar.c does in one run, on the AI core and elsewhere. */
#ifndef CORES_SIZES_H
#define CORES_SIZES_H

#define SCALAR_SAXPY	1000000		/* elements */
#define SCALAR_SUMS	1000000		/* elements */
#define SCALAR_LOOPS	5000000		/* rounds */
#define SCALAR_BYTES	4000000
#define SCALAR_ROWS	250001
#define SCALAR_COLS	4090

#endif /* CORES_SIZES_H */
