/* SPDX-License-Identifier: MIT */
/* Shadow doorbells. */
#ifndef ANPU_MODEL_SHADOW_H
#define ANPU_MODEL_SHADOW_H

#include "internal.h"

void shadow_set(struct anpu_model *m, uint64_t addr);
uint64_t shadow_get(struct anpu_model *m);
void shadow_promise(struct anpu_model *m);
void shadow_leave(struct anpu_model *m, unsigned int watcher);
void shadow_forget(struct anpu_model *m, unsigned int id);
void shadow_take(struct anpu_model *m);				/* lock held */

/* May a shadow doorbell have rung? Cheap, as a worker that spins asks all the time. */
static inline bool shadow_rung(struct anpu_model *m)
{
	struct anpu_shadow_doorbells *b = atomic_load(&m->shadow);
	const uint64_t *group;
	uint64_t any = 0;

	if (!b)
		return false;
	group = (const uint64_t *)(const void *)b->group;
	for (unsigned int i = 0; i < sizeof(b->group) / 8; i++)
		any |= shared_load(&group[i]);
	return any;
}

#endif /* ANPU_MODEL_SHADOW_H */
