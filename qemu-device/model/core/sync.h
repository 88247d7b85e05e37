/* SPDX-License-Identifier: MIT */
#ifndef ANPU_SYNC_H
#define ANPU_SYNC_H

#include "core_int.h"

/**
 * sync_code() - the decoded code that the kernel itself holds, so that starting a block needs no
 * reference of its own; NULL if it is outdated
 */
struct code_gen *sync_code(struct core_kernel *k, unsigned int *serial);
/** sync_kept() - is this generation held by the kernel, so that the block need not hold it? */
bool sync_kept(const struct core_kernel *k, const struct code_gen *g);
/** sync_block_gone() - @b will not run again */
void sync_block_gone(struct core_block *b);

enum sys_result sync_set(struct core_block *b, uint64_t operand, struct core_fault *fault);
enum sys_result sync_wait(struct core_block *b, uint64_t operand, struct core_fault *fault);
/** sync_post() - POST: a word that others may wait for */
enum sys_result sync_post(struct core_block *b, uint64_t va, uint64_t value, struct core_fault *fault);
/** sync_await() - AWAIT: a word in global memory, which is looked at again whenever the kernel makes progress */
enum sys_result sync_await(struct core_block *b, uint64_t va, uint64_t operand, struct core_fault *fault);
enum sys_result sync_all(struct core_block *b, uint64_t which, struct core_fault *fault);

#endif /* ANPU_SYNC_H */
