/* SPDX-License-Identifier: MIT */
/* Runs an operator on the model's AI core, without queues, packets in memory or page tables. */
#ifndef OP_RUN_H
#define OP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../qemu-device/model/core.h"

#define OP_MAX_REGIONS 160

/**
 * struct op_region - a piece of global memory with unmapped pages around it
 * @name: what it is, for messages
 * @start: first address that the operator may use; @size bytes from there
 * @base: first mapped address, page-aligned; @mapped bytes from there
 * @memory: host memory of @base
 * @access: ANPU_ACCESS_* that is allowed
 */
struct op_region {
	const char *name;
	uint64_t start;
	uint64_t size;
	uint64_t base;
	uint64_t mapped;
	uint8_t *memory;
	uint32_t access;
};

/**
 * struct op_machine - global memory and what one run did
 * @insns: scalar instructions of all blocks
 * @tiles: tile operations of all blocks
 * @block: the block that failed
 * @entry: address at which blocks start
 * @args: address of the argument block, @args_size bytes
 */
struct op_machine {
	struct op_region region[OP_MAX_REGIONS];
	unsigned int regions;
	uint64_t next;
	uint64_t insns;
	uint64_t tiles;
	uint32_t block;
	uint64_t entry;
	uint64_t args;
	uint32_t args_size;
};

/**
 * struct op_launch - how to run
 * @grid: blocks in x, y, z
 * @cores: AI cores that the operator sees
 * @core_type: enum anpu_core_type
 * @dyn_scratch: bytes of UB for dynamic use
 * @timeout: seconds, 0 for none
 */
struct op_launch {
	uint32_t grid[3];
	uint32_t cores;
	uint32_t core_type;
	uint32_t dyn_scratch;
	double timeout;
};

void op_machine_init(struct op_machine *m);
void op_machine_free(struct op_machine *m);

/**
 * op_map() - give the operator @size bytes of memory, between unmapped pages
 * @align: of the start, a power of 2 up to a page; the end is as near to the next unmapped page
 *	as that allows, so that running over it is noticed
 *
 * Return: the region, or NULL if memory or regions are exhausted
 */
struct op_region *op_map(struct op_machine *m, const char *name, uint64_t size, uint64_t align,
			 uint32_t access);

/** op_host() - host address of a region's first byte */
uint8_t *op_host(const struct op_region *region);

/** op_stray() - the first byte outside of the region that was overwritten, or 0 */
uint64_t op_stray(const struct op_region *region);

/** op_run() - run all blocks; false: @fault and @m->block tell what failed */
bool op_run(struct op_machine *m, const struct op_launch *launch, struct core_fault *fault);

#endif /* OP_RUN_H */
