/* SPDX-License-Identifier: MIT */
/* Copies, fills and all that walks through memory. */
#ifndef ANPU_MODEL_DMA_H
#define ANPU_MODEL_DMA_H

#include "core.h"
#include "queue/queue.h"

/**
 * struct dma_slice - one worker's turn with a range of memory
 * @q: whose packet it is
 * @until: device clock when others may want to run; ~0: it ends with the range
 * @since: what has been moved since the last look at invalidations, kills and the clock
 * @written: bytes of the range that are done
 * @over: the clock has reached @until
 */
struct dma_slice {
	struct mmu *mmu;
	struct queue *q;
	uint64_t until;
	uint64_t since;
	uint64_t written;
	bool over;
};

/**
 * struct dma_pass - what dma_walk() does
 * @work: is given each run of both ranges
 * @poll: bytes between two looks at invalidations, kills and the clock
 * @access: ANPU_ACCESS_* of the destination
 * @combine: for @work of a REDUCE, whose elements have @element bytes
 */
struct dma_pass {
	void (*work)(const struct dma_pass *pass, void *to, const void *from, uint64_t n);
	uint64_t poll;
	unsigned int access;
	core_combine_fn combine;
	uint64_t element;
};

enum exec_result dma_copy(struct worker *w, struct queue *q, uint64_t src, uint64_t dst,
			  uint64_t size);
enum exec_result dma_copy_2d(struct worker *w, struct queue *q);
enum exec_result dma_copy_desc(struct worker *w, struct queue *q);
enum exec_result dma_fill(struct worker *w, struct queue *q);
enum exec_result dma_reduce(struct worker *w, struct queue *q);
enum exec_result dma_random(struct worker *w, struct queue *q);
enum core_result dma_unit(struct worker *w, struct job *job, struct unit *u, struct core_fault *f);

bool dma_look(struct dma_slice *s, uint64_t poll, uint64_t addr, struct core_fault *f);
bool dma_walk(struct dma_slice *s, const struct dma_pass *pass, uint64_t src, uint64_t dst,
	      uint64_t size, struct core_fault *f);

#endif /* ANPU_MODEL_DMA_H */
