/* SPDX-License-Identifier: MIT */
/* Packets: checks and execution. */
#ifndef ANPU_MODEL_PACKET_H
#define ANPU_MODEL_PACKET_H

#include "queue/queue.h"

bool packet_check(const struct anpu_model *m, const struct queue *q, const union anpu_packet *p,
		  struct core_fault *f);
enum exec_result packet_exec(struct worker *w, struct queue *q);

#endif /* ANPU_MODEL_PACKET_H */
