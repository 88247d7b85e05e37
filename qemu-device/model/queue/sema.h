/* SPDX-License-Identifier: MIT */
/* Words that packets signal and wait for. */
#ifndef ANPU_MODEL_SEMA_H
#define ANPU_MODEL_SEMA_H

#include "queue/queue.h"

enum exec_result sema_signal(struct worker *w, struct queue *q);
enum exec_result sema_wait(struct worker *w, struct queue *q);
enum exec_result sema_jump(struct worker *w, struct queue *q);
bool sema_satisfied(const struct anpu_pkt_sem_wait *p, const _Atomic uint64_t *sem);

#endif /* ANPU_MODEL_SEMA_H */
