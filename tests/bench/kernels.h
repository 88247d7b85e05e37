/* SPDX-License-Identifier: MIT */
/* Kernels launched by libacl and timed by events: the AI cores' speed as a program in the VM has it. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include <acl/acl.h>

/** bench_kernels() - measure them on @stream; the operators are in directory @operators */
void bench_kernels(aclrtStream stream, const char *operators);

#endif /* BENCH_KERNELS_H */
