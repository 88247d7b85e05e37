/* SPDX-License-Identifier: MIT */
/* For programs that let requests of the libraries fail, see left.c: these know something with the direct engine only */
#ifndef LEFT_H
#define LEFT_H

#include <stdbool.h>

bool is_of_libhccl(const void *code);
bool is_of_libcuda(const void *code);
/* The program's: shall the block that is asked for at @by be refused? */
bool refuse_block(const void *by) __attribute__((weak));

#endif /* LEFT_H */
