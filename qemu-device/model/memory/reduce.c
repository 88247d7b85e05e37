// SPDX-License-Identifier: MIT
/* REDUCE: dst = dst op src, element by element, with the arithmetic of the tile units. */
#include "internal.h"
#include "memory/dma.h"
#include "memory/reduce.h"

/* bytes between two looks at invalidations, kills and the clock; they take some 25 us */
#define REDUCE_POLL	(256ULL << 10)

static void combine_run(const struct dma_pass *pass, void *to, const void *from, uint64_t n)
{
	pass->combine(to, to, from, n / pass->element);
}

/*
 * A part of the REDUCE in the queue's hand. Inside mmu_enter(); packet_check() has seen to it that
 * nothing wraps and that elements are aligned, so that each lies within a run.
 */
bool reduce_range(struct dma_slice *s, uint64_t src, uint64_t dst, uint64_t size,
		  struct core_fault *f)
{
	const struct anpu_pkt_reduce *p = &s->q->pkt.reduce;
	const struct dma_pass pass = { combine_run, REDUCE_POLL, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE,
				       core_combine(p->op, p->type), ANPU_REDUCE_SIZE(p->type) };

	return dma_walk(s, &pass, src, dst, size, f);
}
