/* SPDX-License-Identifier: MIT */
/* A kernel that begins before the one in front of it has completed. */
#ifndef ANPU_MODEL_EARLY_H
#define ANPU_MODEL_EARLY_H

#include "launch/job.h"

bool early_wanted(struct job *job);				/* lock held, or nobody else has it */
struct job *early_begin(struct worker *w, struct queue *q);
enum exec_result early_take_over(struct worker *w, struct queue *q);
bool early_ends(struct queue *q);
bool early_kill(struct queue *q);
void early_forget(struct queue *q);

#endif /* ANPU_MODEL_EARLY_H */
