/* SPDX-License-Identifier: MIT */
/* The words of a launch, and where its argument block is. */
#ifndef ANPU_MODEL_LAUNCH_H
#define ANPU_MODEL_LAUNCH_H

#include "launch/job.h"
#include "memory/mmu.h"

bool launch_read(struct worker *w, struct job *job);
bool launch_words(struct anpu_model *m, struct mmu *mmu, struct job *job, bool end, struct core_fault *f);
void launch_abandoned(struct anpu_model *m, struct mmu *mmu, struct job *job);

#endif /* ANPU_MODEL_LAUNCH_H */
