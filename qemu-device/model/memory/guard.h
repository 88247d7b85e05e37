/* SPDX-License-Identifier: MIT */
/* Memory of the host that may go away. */
#ifndef ANPU_MODEL_GUARD_H
#define ANPU_MODEL_GUARD_H

#include "base.h"

#define GUARD_GONE	"the program's memory at 0x%llx, which the device was using, is not there any more"

bool guard_call(struct anpu_model *m, void (*fn)(void *arg), void *arg, uint64_t *addr);
void guard_leave(struct mmu *mmu);
void guard_fault(struct worker *w, uint64_t addr);

#endif /* ANPU_MODEL_GUARD_H */
