// SPDX-License-Identifier: MIT
/*
 * A device without AI cores: every KERNEL packet is refused with a sentence. sources.mk takes this
 * file only where model/core has no list of sources.
 */
#include <stdio.h>
#include <string.h>

#include "core.h"

bool core_kernel_init(struct core_kernel *k, struct core_fault *fault)
{
	(void)k;
	memset(fault, 0, sizeof(*fault));
	fault->cause = ANPU_FAULT_ILLEGAL;
	snprintf(fault->message, sizeof(fault->message), "this device was built without AI cores");
	return false;
}

void core_kernel_fini(struct core_kernel *k)
{
	(void)k;
}

uint64_t core_kernel_progress(const struct core_kernel *k)
{
	(void)k;
	return 0;
}

void core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault)
{
	(void)k;
	(void)fault;
}

unsigned int core_sub_blocks(const struct anpu_pkt_kernel *pkt)
{
	return pkt->core_type == ANPU_CORE_MIX ? 1 + pkt->mix_ratio : 1;
}

struct core_block *core_block_new(struct core_kernel *k, uint32_t block, uint32_t sub_block,
				  uint32_t core)
{
	(void)k;
	(void)block;
	(void)sub_block;
	(void)core;
	return NULL;
}

void core_block_free(struct core_block *b)
{
	(void)b;
}

enum core_result core_block_run(struct core_block *b, struct mmu *mmu, uint64_t budget_ns,
				struct core_fault *fault)
{
	(void)b;
	(void)mmu;
	(void)budget_ns;
	(void)fault;
	return CORE_FAULT;
}

void core_block_counts(const struct core_block *b, struct core_counts *counts)
{
	(void)b;
	memset(counts, 0, sizeof(*counts));
}

static char no_code;

struct code_cache *code_cache_new(void)
{
	return (struct code_cache *)&no_code;
}

void code_cache_invalidate(struct code_cache *c)
{
	(void)c;
}

void code_cache_free(struct code_cache *c)
{
	(void)c;
}
