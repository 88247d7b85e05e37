/* SPDX-License-Identifier: MIT */
/* Faults and their records. */
#ifndef ANPU_MODEL_FAULT_H
#define ANPU_MODEL_FAULT_H

#include "core.h"
#include "queue/queue.h"

void fault_set(struct core_fault *f, uint32_t cause, uint32_t access, uint64_t addr,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void fault_record(struct queue *q, const struct core_fault *f, const struct fault_where *where,
		  uint64_t seq, bool of_packet);

#endif /* ANPU_MODEL_FAULT_H */
