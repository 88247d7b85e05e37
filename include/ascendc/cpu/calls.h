/* SPDX-License-Identifier: MIT */
/*
 * CPU mode: what tikicpulib.h and the objects that anpucc --run-mode=cpu writes ask of libtikicpulib.so, which runs
 * operators on the device model in the program's own process (Documentation/cpu-mode.md).
 */
#ifndef ASCENDC_CPU_CALLS_H
#define ASCENDC_CPU_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** anpu_cpu_alloc() - zeroed memory that the program and operators use at one address; ends the program if there is none */
void *anpu_cpu_alloc(size_t size);

/** anpu_cpu_free() - gives memory of anpu_cpu_alloc() back; NULL is allowed */
void anpu_cpu_free(void *ptr);

/** anpu_cpu_tiling_key() - the key that TILING_KEY_IS() compares with in operators that run from now on */
void anpu_cpu_tiling_key(uint64_t key);

/** anpu_cpu_begin() - the next call of an operator's function runs @blocks blocks; @what, @file and @line are for messages */
void anpu_cpu_begin(const char *what, uint32_t blocks, const char *file, int line);

/** anpu_cpu_end() - ends the program with a sentence if what anpu_cpu_begin() announced has run no operator */
void anpu_cpu_end(void);

/** anpu_cpu_launch() - runs kernel @name of the operator @image; returns when all blocks have ended, and ends the program
 * with the fault's sentence if one has failed */
void anpu_cpu_launch(const void *image, size_t size, const char *name, void **args);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
