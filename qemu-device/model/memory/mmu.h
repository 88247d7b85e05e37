/* SPDX-License-Identifier: MIT */
/* Addresses of packets and operators to memory of the host. */
#ifndef ANPU_MODEL_MMU_H
#define ANPU_MODEL_MMU_H

#include <anpu/anpu_hw.h>

#include "anpu_model.h"
#include "base.h"
#include "core.h"

struct code_cache;

#define TLB_ENTRIES	512
/* An invalidation number counts the guest's in the high part and the host's in the low part. */
#define INVAL_GUEST_SHIFT	24
#define INVAL_GUEST	(1ULL << INVAL_GUEST_SHIFT)
#define INVAL_HOST	1ULL
#define MMU_IDLE	(~0ULL)

/**
 * struct tlb_entry - translation of a run of pages
 * @va: first address
 * @len: bytes, 0 for an empty entry
 * @gen: generation of the address space it was made in
 * @bind: 0, or the struct mmu.bind it is good for (transient mappings)
 * @host: host address of @va
 * @asid: address space
 * @rights: ANPU_ACCESS_*
 */
struct tlb_entry {
	uint64_t va;
	uint64_t len;
	uint64_t gen;
	uint64_t bind;
	uint8_t *host;
	uint32_t asid;
	uint32_t rights;
};

struct transient_map {
	struct anpu_mapping map;
	uint64_t len;
	bool write;
};

/**
 * struct mmu - one thread's MMU front end
 * @epoch: MMU_IDLE, or the newest invalidation this thread has acted on; while it is not idle the
 *	thread may hold pointers into guest memory
 * @asking: inside the host's map function, which may wait for a thread that resets the device
 * @bind: counts mmu_enter() calls
 */
struct mmu {
	_Atomic uint64_t epoch;
	_Atomic uint64_t asking;
	struct anpu_model *m;
	_Atomic uint64_t turns;		/* grows with mmu_enter() and mmu_poll(): progress */
	uint64_t gen;
	uint64_t bind;
	uint32_t asid;
	unsigned int n_maps;
	unsigned int max_maps;
	struct transient_map *maps;
	struct tlb_entry tlb[TLB_ENTRIES];
};

struct address_space {
	_Atomic uint64_t gen;		/* invalidation that made the present generation */
	_Atomic uint64_t code_gen;	/* generation the decoded code belongs to */
	_Atomic(struct code_cache *) code;
};

void mmu_init(struct mmu *mmu, struct anpu_model *m);
void mmu_fini(struct mmu *mmu);
void mmu_enter(struct mmu *mmu, uint32_t asid);
void mmu_exit(struct mmu *mmu);
uint64_t mmu_invalidate(struct anpu_model *m, uint32_t asid, bool all, uint64_t step);
uint64_t mmu_done(struct anpu_model *m);
bool mmu_reset_done(struct anpu_model *m, uint64_t number);
/* Calls @fn for each leaf of an address space, none for space 0; 2 MiB leaves are one, 64 KiB leaves sixteen */
void mmu_each_leaf(struct anpu_model *m, uint32_t asid,
		   void (*fn)(void *arg, uint64_t va, uint64_t pte, uint64_t size), void *arg);
/* The byte of the HBM that has this address; NULL: none has */
uint8_t *mmu_hbm_of(struct anpu_model *m, uint32_t asid, uint64_t va);
bool mmu_read_mem(struct mmu *mmu, void *buf, uint64_t va, uint64_t len, struct core_fault *f);
/* is a pointer that was got in generation @gen still good? The thread is inside mmu_enter() */
bool mmu_pointer_valid(struct anpu_model *m, uint32_t asid, uint64_t gen);
uint64_t mmu_generation(struct anpu_model *m, uint32_t asid);
struct code_cache *mmu_code(struct anpu_model *m, uint32_t asid);
static inline bool mmu_transient(const struct mmu *mmu)
{
	return mmu->n_maps != 0;
}

#endif /* ANPU_MODEL_MMU_H */
