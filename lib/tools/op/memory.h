/* SPDX-License-Identifier: MIT */
/* The operator's global memory: pieces with nothing between them, instead of page tables. */
#ifndef OP_MEMORY_H
#define OP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"

#define OP_MAX_REGIONS 160

/**
 * struct op_region - a piece of global memory; no byte beside it can be accessed
 * @name: what it is, for messages
 * @label: the same, short, for traces; NULL: @name
 * @start: first address that the operator may use; @size bytes from there
 * @base: the page in which it starts; @mapped bytes from there to the end of the page in which it ends
 * @memory: host memory of @base
 * @saved: copy of it, see op_memory_save()
 * @access: ANPU_ACCESS_* that is allowed
 */
struct op_region {
	const char *name;
	const char *label;
	uint64_t start;
	uint64_t size;
	uint64_t base;
	uint64_t mapped;
	uint8_t *memory;
	uint8_t *saved;
	uint32_t access;
};

/** struct op_memory - all of it; @next: where the next region goes */
struct op_memory {
	struct op_region region[OP_MAX_REGIONS];
	unsigned int regions;
	uint64_t next;
};

/** struct mmu - the model's front end of an address space; has no state, so threads can share it */
struct mmu {
	const struct op_memory *memory;
};

void op_memory_init(struct op_memory *m);
void op_memory_free(struct op_memory *m);

/**
 * op_map() - give the operator @size bytes of memory
 * @align: of the start, a power of 2 up to a page, and no more than that: an operator that needs more
 *	does not find it by luck
 *
 * Return: the region, or NULL if memory or regions are exhausted
 */
struct op_region *op_map(struct op_memory *m, const char *name, uint64_t size, uint64_t align,
			 uint32_t access);

/** op_host() - host address of a region's first byte */
uint8_t *op_host(const struct op_region *region);

/**
 * op_memory_save() - copy all regions that can be written, to be restored later; false: out of
 * memory
 */
bool op_memory_save(struct op_memory *m);
void op_memory_restore(struct op_memory *m);

/** op_region_at() - the region that has the page of an address, or NULL */
const struct op_region *op_region_at(const struct op_memory *m, uint64_t va);

#endif /* OP_MEMORY_H */
