// SPDX-License-Identifier: MIT
/*
 * The AI core's surroundings: pieces of memory that end where they end, to the byte, in place of the
 * device's page tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "op/memory.h"

#define PAGE	      4096ULL
#define FIRST_ADDRESS 0x200000000ULL
#define GAP	      (16 * PAGE)

void op_memory_init(struct op_memory *m)
{
	memset(m, 0, sizeof(*m));
	m->next = FIRST_ADDRESS;
}

void op_memory_free(struct op_memory *m)
{
	for (unsigned int i = 0; i < m->regions; i++) {
		free(m->region[i].memory);
		free(m->region[i].saved);
	}
	m->regions = 0;
}

struct op_region *op_map(struct op_memory *m, const char *name, uint64_t size, uint64_t align,
			 uint32_t access)
{
	struct op_region *r = &m->region[m->regions];
	uint64_t mapped = (size + PAGE - 1) / PAGE * PAGE;

	if (m->regions == OP_MAX_REGIONS)
		return NULL;
	if (!mapped)
		mapped = PAGE;
	r->memory = aligned_alloc(PAGE, mapped);
	if (!r->memory)
		return NULL;
	memset(r->memory, 0, mapped);
	r->name = name;
	r->label = NULL;
	r->saved = NULL;
	r->base = m->next;
	r->mapped = mapped;
	r->start = r->base + (mapped - size) / align * align;
	r->size = size;
	r->access = access;
	m->next += mapped + GAP;
	m->regions++;
	return r;
}

uint8_t *op_host(const struct op_region *region)
{
	return region->memory + (region->start - region->base);
}

/* The region that is nearest to an address, for the message of a fault. */
static void describe(const struct op_memory *m, uint64_t va, char *text, size_t size)
{
	const struct op_region *best = NULL;
	uint64_t distance = GAP;

	for (unsigned int i = 0; i < m->regions; i++) {
		const struct op_region *r = &m->region[i];
		uint64_t d = 0;

		if (va < r->start)
			d = r->start - va;
		else if (va >= r->start + r->size)
			d = va - r->start - r->size + 1;
		if (d < distance) {
			distance = d;
			best = r;
		}
	}
	if (!best)
		snprintf(text, size, "no memory of the operator is near 0x%llx",
			 (unsigned long long)va);
	else if (va < best->start)
		snprintf(text, size, "0x%llx is %llu byte%s before %s of %llu bytes",
			 (unsigned long long)va, (unsigned long long)distance, distance == 1 ? "" : "s", best->name,
			 (unsigned long long)best->size);
	else if (distance == 1)
		snprintf(text, size, "0x%llx is the first byte behind %s of %llu bytes",
			 (unsigned long long)va, best->name, (unsigned long long)best->size);
	else if (distance)
		snprintf(text, size, "0x%llx is %llu byte%s behind the end of %s of %llu bytes",
			 (unsigned long long)va, (unsigned long long)distance - 1, distance == 2 ? "" : "s",
			 best->name,
			 (unsigned long long)best->size);
	else
		snprintf(text, size, "0x%llx is in %s, which does not allow the access",
			 (unsigned long long)va, best->name);
}

void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault)
{
	const struct op_memory *m = mmu->memory;
	uint32_t cause = ANPU_FAULT_UNMAPPED;

	for (unsigned int i = 0; i < m->regions; i++) {
		const struct op_region *r = &m->region[i];

		if (va - r->start >= r->size)
			continue;
		if ((r->access & access) == access) {
			*span = r->start + r->size - va;
			return r->memory + (va - r->base);
		}
		cause = ANPU_FAULT_PERMISSION;
	}
	memset(fault, 0, sizeof(*fault));
	fault->cause = cause;
	fault->access = access;
	fault->addr = va;
	describe(m, va, fault->message, sizeof(fault->message));
	return NULL;
}

bool mmu_page_whole(struct mmu *mmu, uint64_t va)
{
	const struct op_region *r = op_region_at(mmu->memory, va);
	uint64_t page = va & ~(PAGE - 1);

	return r && page >= r->start && page + PAGE <= r->start + r->size;
}

bool mmu_poll(struct mmu *mmu)
{
	(void)mmu;
	return false;
}

uint64_t mmu_stamp(const struct mmu *mmu)
{
	(void)mmu;
	return 0;
}

bool op_memory_save(struct op_memory *m)
{
	for (unsigned int i = 0; i < m->regions; i++) {
		struct op_region *r = &m->region[i];

		if (!(r->access & ANPU_ACCESS_WRITE))
			continue;
		if (!r->saved)
			r->saved = malloc(r->mapped);
		if (!r->saved)
			return false;
		memcpy(r->saved, r->memory, r->mapped);
	}
	return true;
}

void op_memory_restore(struct op_memory *m)
{
	for (unsigned int i = 0; i < m->regions; i++)
		if (m->region[i].saved)
			memcpy(m->region[i].memory, m->region[i].saved, m->region[i].mapped);
}

const struct op_region *op_region_at(const struct op_memory *m, uint64_t va)
{
	for (unsigned int i = 0; i < m->regions; i++)
		if (va - m->region[i].base < m->region[i].mapped)
			return &m->region[i];
	return NULL;
}
