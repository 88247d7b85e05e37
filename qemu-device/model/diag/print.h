/* SPDX-License-Identifier: MIT */
/* Output of operators. */
#ifndef ANPU_MODEL_PRINT_H
#define ANPU_MODEL_PRINT_H

#include "launch/job.h"
#include "memory/mmu.h"

bool print_text(struct mmu *mmu, const struct job *job, const struct core_text *text,
		struct core_fault *f);

#endif /* ANPU_MODEL_PRINT_H */
