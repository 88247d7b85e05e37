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
/** sync_left() - checking mode: @b has ended. Return: false if it was the last one, and flags are left over */
bool sync_left(struct core_block *b, struct core_fault *fault);
/** sync_block_gone() - @b will not run again */
void sync_block_gone(struct core_block *b);

enum sys_result sync_set(struct core_block *b, uint64_t operand, unsigned int pipe, struct core_fault *fault);
enum sys_result sync_wait(struct core_block *b, uint64_t operand, struct core_fault *fault);
/** sync_post() - POST: a word that others may wait for */
enum sys_result sync_post(struct core_block *b, uint64_t va, uint64_t value, struct core_fault *fault);
/** sync_await() - AWAIT: a word in global memory, which is looked at again whenever the kernel makes progress */
enum sys_result sync_await(struct core_block *b, uint64_t va, uint64_t operand, struct core_fault *fault);
/** sync_trigger() - TRIGGER: SYS_LEAVE if it is the last one of its kernel */
enum sys_result sync_trigger(struct core_block *b);
/** sync_front() - GRIDWAIT: the kernel in front */
enum sys_result sync_front(struct core_block *b);

/* Clusters (cluster.c): */
/** cluster_block() - block @n of a kernel with clusters, made with all of its cluster; NULL: no host memory */
struct core_block *cluster_block(struct core_kernel *k, uint32_t n, uint32_t sub_block, uint32_t core);
/** cluster_gone() - the block has ended. Return: false: others may still reach its memory, so it has to stay */
bool cluster_gone(struct core_block *b);
/** cluster_peer() - host address of the unified buffer of a block of the cluster; NULL: @fault is filled */
uint8_t *cluster_peer(struct core_block *b, uint64_t va, uint32_t access, struct core_fault *fault);
/** cluster_barrier() - CLUSTER */
enum sys_result cluster_barrier(struct core_block *b, uint64_t phase, struct core_fault *fault);
/** block_new(), block_end() - a block without regard to its cluster (block.c) */
struct core_block *block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block, uint32_t core);
void block_end(struct core_block *b);

enum sys_result sync_all(struct core_block *b, uint64_t which, struct core_fault *fault);

#endif /* ANPU_SYNC_H */
