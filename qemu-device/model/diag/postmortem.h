/* SPDX-License-Identifier: MIT */
/* Core files. */
#ifndef ANPU_MODEL_POSTMORTEM_H
#define ANPU_MODEL_POSTMORTEM_H

#include "launch/job.h"

void postmortem(struct worker *w, struct job *job, struct unit *u);
void postmortem_of_deadlock(struct worker *w, struct job *job);

#endif /* ANPU_MODEL_POSTMORTEM_H */
