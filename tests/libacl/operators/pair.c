// SPDX-License-Identifier: MIT
/* Operators of the tests: a kernel for each part of a core, and one for both. */
#include <anpu/anpu_intrin.h>

#define TWO_VECTORS_PER_CUBE (2 << 16 | 1)

/*
 * A MIX kernel: a block's cube sub-block adds one to both numbers of its block, the two vector
 * sub-blocks wait for it and multiply one number each.
 */
ANPU_KERNEL void pair_mix_aic(volatile uint64_t *numbers)
{
	ANPU_KERNEL_META(ANPU_META_MIX_RATIO, TWO_VECTORS_PER_CUBE);
	for (int i = 0; i < 2; i++)
		numbers[2 * anpu_block_idx() + i] += 1;
	anpu_xset(0, ANPU_CROSS_GROUP);
}

ANPU_KERNEL void pair_mix_aiv(volatile uint64_t *numbers)
{
	ANPU_KERNEL_META(ANPU_META_MIX_RATIO, TWO_VECTORS_PER_CUBE);
	anpu_xwait(0, ANPU_CROSS_GROUP);
	numbers[2 * anpu_block_idx() + anpu_sub_block_idx()] *= 3;
}

ANPU_KERNEL void cube_only(volatile uint64_t *word)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIC);
	*word = 1;
}

/* A vector operation */
ANPU_KERNEL void vector_only(volatile uint64_t *word)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV);
	ANPU_KERNEL_META(ANPU_META_SCHED_MODE, 1);
	anpu_vdup(ANPU_UB(0), 2, ANPU_CTL(8, ANPU_TYPE_U64, 0));
	anpu_pipebar(ANPU_PIPE_ALL);
	*word = *(volatile uint64_t *)ANPU_UB(0);
}

/* The same where there is no vector unit */
ANPU_KERNEL void wrong_unit(volatile uint64_t *word)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIC);
	anpu_vdup(ANPU_UB(0), 2, ANPU_CTL(8, ANPU_TYPE_U64, 0));
	*word = 3;
}

/* Each block tells that it has begun */
ANPU_KERNEL void cube_waits(volatile uint64_t *begun, volatile uint64_t *go)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIC);
	begun[anpu_block_idx()] = 1;
	while (!*go)
		;
}

ANPU_KERNEL void vector_waits(volatile uint64_t *begun, volatile uint64_t *go)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV);
	begun[anpu_block_idx()] = 1;
	while (!*go)
		;
}

/*
 * When sub-block @i of @n ran and where: begin, end, core. It runs for that long, or until @want have
 * begun (0: always that long)
 */
static inline __attribute__((always_inline)) void note_span(volatile uint64_t *spans, uint64_t i,
							    uint64_t us, uint64_t want, uint64_t n)
{
	uint64_t begin = anpu_time_ns(), begun, k;

	spans[3 * i + 2] = anpu_core_id();
	spans[3 * i] = begin;
	do {
		begun = 0;
		for (k = 0; k < n; k++)
			begun += spans[3 * k] != 0;
	} while ((!want || begun < want) && anpu_time_ns() - begin < us * 1000);
	spans[3 * i + 1] = anpu_time_ns();
}

ANPU_KERNEL void span(volatile uint64_t *spans, uint64_t us, uint64_t want, uint64_t n)
{
	note_span(spans, anpu_block_idx(), us, want, n);
}

ANPU_KERNEL void cube_span(volatile uint64_t *spans, uint64_t us, uint64_t want, uint64_t n)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIC);
	note_span(spans, anpu_block_idx(), us, want, n);
}

ANPU_KERNEL void vector_span(volatile uint64_t *spans, uint64_t us, uint64_t want, uint64_t n)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV);
	note_span(spans, anpu_block_idx(), us, want, n);
}

ANPU_KERNEL void mixed_span_mix_aic(volatile uint64_t *spans, uint64_t us, uint64_t want, uint64_t n)
{
	ANPU_KERNEL_META(ANPU_META_MIX_RATIO, TWO_VECTORS_PER_CUBE);
	note_span(spans, 3 * anpu_block_idx(), us, want, n);
}

ANPU_KERNEL void mixed_span_mix_aiv(volatile uint64_t *spans, uint64_t us, uint64_t want, uint64_t n)
{
	ANPU_KERNEL_META(ANPU_META_MIX_RATIO, TWO_VECTORS_PER_CUBE);
	note_span(spans, 3 * anpu_block_idx() + 1 + anpu_sub_block_idx(), us, want, n);
}

/* A vector part that fails in the way of @how */
ANPU_KERNEL void vector_fails(uint64_t how)
{
	ANPU_KERNEL_META(ANPU_META_KERNEL_TYPE, ANPU_META_TYPE_AIV);
	if (how == 0)
		*(volatile uint64_t *)16 = 1;
	if (how == 1)
		anpu_trap("the vector part gave up");
	for (;;)
		__asm__ volatile("");
}
