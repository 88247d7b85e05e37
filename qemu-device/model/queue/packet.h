/* SPDX-License-Identifier: MIT */
/* Packets: checks and execution. */
#ifndef ANPU_MODEL_PACKET_H
#define ANPU_MODEL_PACKET_H

#include "queue/queue.h"

/* opcodes that are tasks: work of a program, not its synchronisation */
#define PACKET_TASKS	(1U << ANPU_OP_KERNEL | 1U << ANPU_OP_COPY | 1U << ANPU_OP_COPY_2D | \
			 1U << ANPU_OP_COPY_DESC | 1U << ANPU_OP_FILL | 1U << ANPU_OP_REDUCE | 1U << ANPU_OP_RANDOM)

bool packet_check(const struct anpu_model *m, const struct queue *q, const union anpu_packet *p,
		  struct core_fault *f);
enum exec_result packet_exec(struct worker *w, struct queue *q);

#endif /* ANPU_MODEL_PACKET_H */
