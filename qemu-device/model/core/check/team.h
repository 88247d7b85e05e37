/* SPDX-License-Identifier: MIT */
/*
 * The checking mode's look at the threads of one block: accesses of two threads to a byte of a scratchpad or of
 * global memory, one of them a write, that no barrier, operation of a warp or atomic access orders, are a race.
 *
 * The threads of a block run one after the other here, each until it waits, so a race never shows by itself. Each
 * thread has a vector clock, up to which of the others' steps it knows everything to be done. A barrier of all threads
 * begins a new era, in which nobody has done anything yet; what was done in an earlier era is in order.
 */
#ifndef ANPU_CHECK_TEAM_H
#define ANPU_CHECK_TEAM_H

#include "check.h"

struct check_team;

/** check_team_begin() - the block's threads begin; no host memory: they are not looked at */
void check_team_begin(struct core_block *b, unsigned int threads);
void check_team_free(struct check_team *s);

/** check_team_looks() - do accesses of the scalar unit belong to one of several threads? */
static inline bool check_team_looks(const struct core_block *b)
{
	return b->threads && b->check->team;
}

/**
 * check_team_access() - an access of the running thread to [va, va + size) by the instruction at b->pc
 * @atomic: atomic accesses do not race with each other, and order the threads that make them
 *
 * Return: false with @fault filled if it races with another thread's
 */
bool check_team_access(struct core_block *b, const char *name, uint64_t va, uint64_t size, uint32_t access,
		       bool atomic, struct core_fault *fault);

/** check_team_arrives() - the running thread has come to a barrier, or past it */
void check_team_arrives(struct core_block *b, unsigned int barrier);
/** check_team_leaves() - and thread @t goes on behind it */
void check_team_leaves(struct core_block *b, unsigned int barrier, unsigned int t);
/** check_team_meets() - all threads have come to one barrier */
void check_team_meets(struct core_block *b);
/** check_team_warp() - lanes of warp @w have done an operation of warps together */
void check_team_warp(struct core_block *b, unsigned int w, uint32_t lanes);

#endif /* ANPU_CHECK_TEAM_H */
