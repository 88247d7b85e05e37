/* SPDX-License-Identifier: MIT */
/* Random numbers. */
#ifndef ANPU_MODEL_RANDOM_H
#define ANPU_MODEL_RANDOM_H

#include "memory/dma.h"

void random_block(uint32_t out[4], const uint64_t counter[2], uint64_t seed);
bool random_prepare(struct worker *w, struct queue *q, struct random_job *r);
bool random_range(struct dma_slice *s, const struct random_job *r, uint64_t at, uint64_t size,
		  struct core_fault *f);

#endif /* ANPU_MODEL_RANDOM_H */
