/* SPDX-License-Identifier: MIT */
/* Records of when packets and blocks ran. */
#ifndef ANPU_MODEL_TRACE_H
#define ANPU_MODEL_TRACE_H

#include "launch/job.h"
#include "sched/pool.h"

bool trace_wants_operations(struct worker *w, const struct queue *q);
void trace_make_room(struct worker *w);
void trace_packet(struct worker *w, struct queue *q, uint32_t cause);
void trace_block(struct worker *w, struct job *job, const struct unit *u, uint64_t begin,
		 enum core_result r);

#endif /* ANPU_MODEL_TRACE_H */
