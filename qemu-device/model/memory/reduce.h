/* SPDX-License-Identifier: MIT */
/* Reductions of memory. */
#ifndef ANPU_MODEL_REDUCE_H
#define ANPU_MODEL_REDUCE_H

#include "memory/dma.h"

bool reduce_range(struct dma_slice *s, uint64_t src, uint64_t dst, uint64_t size,
		  struct core_fault *f);

#endif /* ANPU_MODEL_REDUCE_H */
