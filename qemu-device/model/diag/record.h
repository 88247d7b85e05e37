/* SPDX-License-Identifier: MIT */
/* Recorded runs. */
#ifndef ANPU_MODEL_RECORD_H
#define ANPU_MODEL_RECORD_H

#include "internal.h"

#define RECORD_TICK	64

bool record_begin(struct anpu_model *m, char *err, size_t size);
void record_end(struct anpu_model *m);
void record_task_slow(struct queue *q);
void record_ended_slow(struct queue *q, uint32_t cause);
uint64_t record_clock(struct anpu_model *m);

static inline void record_task(struct queue *q)
{
	if (unlikely(q->m->recording != NULL))
		record_task_slow(q);
}

/* The clock that operators and what they print have: it can be repeated where the run is recorded */
static inline uint64_t operator_clock(struct anpu_model *m)
{
	return unlikely(m->recording != NULL) ? record_clock(m) : model_clock(m);
}

#endif /* ANPU_MODEL_RECORD_H */
