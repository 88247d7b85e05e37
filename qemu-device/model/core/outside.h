/* SPDX-License-Identifier: MIT */
/* Addresses with the bit ANPU_OUTSIDE */
#ifndef ANPU_CORE_OUTSIDE_H
#define ANPU_CORE_OUTSIDE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <anpu/anpu_isa.h>
#include <anpu/anpu_isa_buffers.h>

/** CORE_OUTSIDE - what is said of such an address, behind the address without the bit */
#define CORE_OUTSIDE "is a part of a tensor that begins outside of the tensor's buffer: look at its offset"

/* All scratchpads lie below the bit. */
static_assert(ANPU_STACK_BASE + ANPU_STACK_SIZE <= ANPU_OUTSIDE, "addresses with the bit are in no scratchpad");

static inline bool core_is_outside(uint64_t va)
{
	return (va & ~(uint64_t)(ANPU_OUTSIDE - 1)) == ANPU_OUTSIDE;
}

#endif /* ANPU_CORE_OUTSIDE_H */
