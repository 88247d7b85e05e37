// SPDX-License-Identifier: MIT
/*
 * The AI core's surroundings: memory with unmapped pages between its pieces in place of the
 * device's page tables, and one thread that runs block after block in place of its scheduler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <anpu/anpu_isa.h>

#include "op_run.h"

#define PAGE	      4096ULL
#define FIRST_ADDRESS 0x200000000ULL
#define GAP	      (16 * PAGE)
/* What pads a region's pages; an operator that writes there is caught, see op_stray(). */
#define CANARY	  0xc5
#define BUDGET_NS 2000000

struct mmu {
	const struct op_machine *machine;
};

void op_machine_init(struct op_machine *m)
{
	memset(m, 0, sizeof(*m));
	m->next = FIRST_ADDRESS;
}

void op_machine_free(struct op_machine *m)
{
	for (unsigned int i = 0; i < m->regions; i++)
		free(m->region[i].memory);
	m->regions = 0;
}

struct op_region *op_map(struct op_machine *m, const char *name, uint64_t size, uint64_t align,
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
	memset(r->memory, CANARY, mapped);
	r->name = name;
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

uint64_t op_stray(const struct op_region *region)
{
	uint64_t lead = region->start - region->base;

	for (uint64_t i = 0; i < region->mapped; i++)
		if ((i < lead || i >= lead + region->size) && region->memory[i] != CANARY)
			return region->base + i;
	return 0;
}

/* The region that is nearest to an address, for the message of a fault. */
static void describe(const struct op_machine *m, uint64_t va, char *text, size_t size)
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
		snprintf(text, size, "0x%llx is %llu bytes before %s", (unsigned long long)va,
			 (unsigned long long)distance, best->name);
	else if (distance)
		snprintf(text, size, "0x%llx is %llu bytes past the end of %s",
			 (unsigned long long)va, (unsigned long long)distance, best->name);
	else
		snprintf(text, size, "0x%llx is in %s, which does not allow the access",
			 (unsigned long long)va, best->name);
}

void *mmu_access(struct mmu *mmu, uint64_t va, uint32_t access, uint64_t *span,
		 struct core_fault *fault)
{
	const struct op_machine *m = mmu->machine;
	uint32_t cause = ANPU_FAULT_UNMAPPED;

	for (unsigned int i = 0; i < m->regions; i++) {
		const struct op_region *r = &m->region[i];

		if (va - r->base >= r->mapped)
			continue;
		if ((r->access & access) == access) {
			*span = r->base + r->mapped - va;
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

bool mmu_poll(struct mmu *mmu)
{
	(void)mmu;
	return false;
}

static uint64_t clock_ns(void *ctx)
{
	struct timespec ts;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool print_text(void *ctx, struct mmu *mmu, const struct core_text *t,
		       struct core_fault *fault)
{
	(void)ctx;
	(void)mmu;
	(void)fault;
	fwrite(t->text, 1, t->len, stdout);
	return true;
}

static void set_up_kernel(struct core_kernel *k, const struct op_machine *m,
			  const struct op_launch *l)
{
	memset(k, 0, sizeof(*k));
	k->pkt.hdr.opcode = ANPU_OP_KERNEL;
	k->pkt.hdr.task_id = 1;
	k->pkt.entry = m->entry;
	k->pkt.args = m->args_size ? m->args : 0;
	k->pkt.args_size = m->args_size;
	k->pkt.grid_x = l->grid[0];
	k->pkt.grid_y = l->grid[1];
	k->pkt.grid_z = l->grid[2];
	k->pkt.core_type = (uint8_t)l->core_type;
	k->pkt.dyn_scratch = l->dyn_scratch;
	k->pkt.timeout_us = ANPU_TIMEOUT_NEVER;
	k->clock = clock_ns;
	k->cores = l->cores;
	k->print = print_text;
}

/**
 * struct run - the blocks of one run
 * @block: started blocks that have not ended, NULL otherwise
 * @total: blocks of the grid
 * @started: blocks that have been started
 * @left: blocks that have not ended
 * @end: time at which the run is too long
 */
struct run {
	struct core_kernel kernel;
	struct mmu mmu;
	struct core_block **block;
	uint32_t total;
	uint32_t started;
	uint32_t left;
	uint64_t end;
};

static bool timed_out(struct run *run, struct core_fault *fault)
{
	if (!run->end || clock_ns(NULL) < run->end)
		return false;
	memset(fault, 0, sizeof(*fault));
	fault->cause = ANPU_FAULT_TIMEOUT;
	snprintf(fault->message, sizeof(fault->message),
		 "the kernel ran longer than its limit, see --timeout");
	return true;
}

/* Runs a block until it ends or waits. */
static enum core_result run_block(struct run *run, struct op_machine *m, uint32_t number,
				  struct core_fault *fault)
{
	struct core_block *b = run->block[number];
	struct core_counts counts;
	enum core_result result;

	do {
		result = core_block_run(b, &run->mmu, BUDGET_NS, fault);
		if (result == CORE_MORE && timed_out(run, fault))
			result = CORE_FAULT;
	} while (result == CORE_MORE);
	m->block = number;
	if (result == CORE_BLOCKED)
		return result;
	core_block_counts(b, &counts);
	m->insns += counts.insns;
	m->tiles += counts.tiles;
	core_block_free(b);
	run->block[number] = NULL;
	run->left--;
	return result;
}

static bool start_block(struct run *run, const struct op_launch *l, struct core_fault *fault)
{
	uint32_t number = run->started++;

	run->block[number] = core_block_new(&run->kernel, number, 0, number % l->cores);
	if (run->block[number])
		return true;
	memset(fault, 0, sizeof(*fault));
	fault->cause = ANPU_FAULT_INTERNAL;
	snprintf(fault->message, sizeof(fault->message), "out of memory for block %u", number);
	return false;
}

/* Starts block after block; those that wait for others are tried again when others went on. */
static bool run_blocks(struct run *run, struct op_machine *m, const struct op_launch *l,
		       struct core_fault *fault)
{
	while (run->left) {
		uint64_t before = core_kernel_progress(&run->kernel);
		uint32_t ended = run->left;

		for (uint32_t i = 0; i < run->total; i++) {
			if (i == run->started && !start_block(run, l, fault))
				return false;
			if (run->block[i] && run_block(run, m, i, fault) == CORE_FAULT)
				return false;
		}
		if (timed_out(run, fault))
			return false;
		if (run->left == ended && core_kernel_progress(&run->kernel) == before) {
			core_kernel_deadlock(&run->kernel, fault);
			return false;
		}
	}
	return true;
}

bool op_run(struct op_machine *m, const struct op_launch *launch, struct core_fault *fault)
{
	struct run run = { 0 };
	bool good;

	set_up_kernel(&run.kernel, m, launch);
	run.kernel.code = code_cache_new();
	run.mmu.machine = m;
	run.total = launch->grid[0] * launch->grid[1] * launch->grid[2];
	run.left = run.total;
	run.block = calloc(run.total, sizeof(*run.block));
	run.end = launch->timeout > 0 ? clock_ns(NULL) + (uint64_t)(launch->timeout * 1e9) : 0;
	m->insns = 0;
	m->tiles = 0;
	if (!run.kernel.code || !run.block) {
		memset(fault, 0, sizeof(*fault));
		fault->cause = ANPU_FAULT_INTERNAL;
		snprintf(fault->message, sizeof(fault->message), "out of memory");
		good = false;
	} else {
		good = core_kernel_init(&run.kernel, fault);
		if (good) {
			good = run_blocks(&run, m, launch, fault);
			for (uint32_t i = 0; i < run.total; i++)
				if (run.block[i])
					core_block_free(run.block[i]);
			core_kernel_fini(&run.kernel);
		}
	}
	if (run.kernel.code)
		code_cache_free(run.kernel.code);
	free(run.block);
	return good;
}
