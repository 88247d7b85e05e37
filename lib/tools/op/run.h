/* SPDX-License-Identifier: MIT */
/* Runs an operator on the model's AI core, without queues, packets in memory or page tables. */
#ifndef OP_RUN_H
#define OP_RUN_H

#include "gdb/gdb.h"
#include "op/memory.h"

/**
 * struct op_watcher - a function that is called for every instruction
 * @before: of the one at the block's pc; false: enough has been seen, run on at full speed
 * @after: with what core_block_step() returned; @fault is filled if that is CORE_FAULT
 */
struct op_watcher {
	void *ctx;
	bool (*before)(void *ctx, struct core_block *b, struct mmu *mmu);
	void (*after)(void *ctx, struct core_block *b, struct mmu *mmu, enum core_result result,
		      const struct core_fault *fault);
};

/**
 * struct op_launch - how to run
 * @entry: address at which blocks start; @aiv_entry: vector sub-blocks of a MIX kernel
 * @args: address of the argument block, @args_size bytes
 * @grid: blocks in x, y, z
 * @block: threads of a block in x, y, z; @block[0] 0: a kernel without threads
 * @static_scratch: bytes of its static shared variables
 * @cores: AI cores that the operator sees
 * @core_type: enum anpu_core_type
 * @cluster: blocks of a cluster in x, y, z; 0: no clusters
 * @mix_ratio: vector sub-blocks per block of a MIX kernel
 * @cooperative: all blocks start together, and threads may wait for the whole grid
 * @dyn_scratch: bytes of UB for dynamic use
 * @flags: ANPU_KERNEL_*
 * @threads: of the host, at least 1
 * @deterministic: the clock that the operator reads ticks with its own looks at it
 * @timeout: seconds, 0 for none
 * @observer: or NULL
 * @watcher: or NULL; then there is one thread
 * @gdb: or NULL; then there is one thread
 * @timed: fill in op_result.busy_ns
 * @print: takes what the operator prints, one call at a time; false ends the operator: it has printed too much
 */
struct op_launch {
	uint64_t entry;
	uint64_t aiv_entry;
	uint64_t args;
	uint32_t args_size;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3];
	uint32_t static_scratch;
	uint32_t cores;
	uint32_t core_type;
	uint32_t mix_ratio;
	bool cooperative;
	uint32_t dyn_scratch;
	uint16_t flags;
	unsigned int threads;
	bool deterministic;
	double timeout;
	const struct core_observer *observer;
	const struct op_watcher *watcher;
	struct gdb *gdb;
	bool timed;
	bool (*print)(void *ctx, const struct core_text *text);
	void *print_ctx;
};

/**
 * struct op_result - counts, times and the fault of a run
 * @insns: scalar instructions of all blocks
 * @tiles: tile operations of all blocks
 * @ns: from the first block's start to the last one's end
 * @busy_ns: time of all threads in blocks
 * @overflow: ANPU_OVERFLOW_* of all blocks that have ended, with ANPU_KERNEL_OVERFLOW
 * @block: the block that failed, @sub_block its part of a MIX kernel, @core its AI core
 * @fault: how
 */
struct op_result {
	uint64_t insns;
	uint64_t tiles;
	uint64_t ns;
	uint64_t busy_ns;
	uint32_t overflow;
	uint32_t block;
	uint32_t sub_block;
	uint32_t core;
	struct core_fault fault;
};

/** op_blocks() - blocks of a launch */
uint32_t op_blocks(const struct op_launch *launch);
/** op_now() - nanoseconds of the host's clock */
uint64_t op_now(void);

/**
 * op_run() - run all blocks
 * @code: decoded code, kept from run to run
 *
 * Return: false: @result tells what failed
 */
bool op_run(const struct op_memory *memory, struct code_cache *code, const struct op_launch *launch,
	    struct op_result *result);

#endif /* OP_RUN_H */
