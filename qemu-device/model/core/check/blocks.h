/* SPDX-License-Identifier: MIT */
/*
 * The checking mode's look at the sub-blocks of one kernel, which run side by side: accesses to a byte of
 * global memory, one of them a write, that no barrier, flag, word or atomic access orders, are a race.
 *
 * Each sub-block has a vector clock: up to which of the others' steps it knows everything to be done. A step
 * ends where the sub-block tells others of itself. With very many sub-blocks there is one clock for all: then
 * everything before anybody's synchronisation counts as ordered before everything after it.
 */
#ifndef ANPU_CHECK_BLOCKS_H
#define ANPU_CHECK_BLOCKS_H

#include "../core_int.h"

struct check_blocks;

/** check_blocks_new() - for a kernel of @units sub-blocks; NULL if it has one, or host memory is exhausted */
struct check_blocks *check_blocks_new(uint32_t units);
void check_blocks_free(struct check_blocks *s);

/** enum check_sync - what a sub-block synchronises with; the values keep addresses and flags apart */
enum check_sync {
	CHECK_SYNC_BARRIER,
	CHECK_SYNC_WORD,
	CHECK_SYNC_CLUSTER,
};

/** check_tells() - what the block has done so far comes before what those do that check_learns() of @kind, @key */
void check_tells(struct core_block *b, enum check_sync kind, uint64_t key);
void check_learns(struct core_block *b, enum check_sync kind, uint64_t key);
/** check_fresh() - what has been told there is not to be learned any more */
void check_fresh(struct core_block *b, enum check_sync kind, uint64_t key);

/**
 * check_cross_set() - the block has set a cross-core flag; @slot: mode and number of the flag in one, @nth:
 * how many sets that makes
 */
void check_cross_set(struct core_block *b, uint32_t slot, uint32_t nth);
/** check_cross_wait() - a wait for the @nth sets of that flag by @count sub-blocks from @first on has ended */
void check_cross_wait(struct core_block *b, uint32_t first, uint32_t count, uint32_t slot, uint32_t nth);

/** check_has_others() - is there another sub-block that could disturb this one? */
bool check_has_others(const struct core_block *b);

/**
 * check_blocks_access() - an access to [va, va + len) by the instruction at @pc
 * @access: ANPU_ACCESS_READ, perhaps with ANPU_ACCESS_WRITE
 * @atomic: atomic accesses do not race with each other
 *
 * Return: false with @fault filled if it races with another sub-block's
 */
bool check_blocks_access(struct core_block *b, const char *name, uint64_t pc, uint64_t va, uint64_t len,
			 uint32_t access, bool atomic, struct core_fault *fault);

/**
 * check_blocks_again() - an access by the instruction at @pc, in words from the kernel's entry, may still go on though the
 * sub-block has set a flag: it belongs to the step behind that
 */
void check_blocks_again(struct core_block *b, int32_t pc, uint64_t va, uint64_t len, uint32_t access, bool atomic);

/**
 * check_polls() - is the instruction at @pc, in words from the kernel's entry, a load whose loop does nothing but look
 * at that place again?
 */
bool check_polls(struct core_block *b, int32_t pc);

/* Accesses as they are remembered: kinds, of which one may have several, and the instruction, in words from the kernel's entry */
enum { READ = 1, WRITE = 2, ATOMIC = 4, LATE = 8 };
struct check_place {
	unsigned int kind;
	int32_t pc;
};

/**
 * check_harmless() - of two accesses without an order, is one a load that is repeated until it sees what the other has written, or that
 * begins a loop of compare-and-swap beside another atomic access? A load that comes @now and polls is for the caller, who then has an order.
 */
bool check_harmless(struct core_block *b, struct check_place before, struct check_place now);

/** check_unit_name() - "block 3", or of a MIX kernel "block 3's vector part 0"; returns @text */
const char *check_unit_name(const struct core_block *b, uint32_t unit, char text[48]);

#endif /* ANPU_CHECK_BLOCKS_H */
