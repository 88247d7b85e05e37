/* SPDX-License-Identifier: MIT */
/* Injected faults. */
#ifndef ANPU_MODEL_INJECT_H
#define ANPU_MODEL_INJECT_H

#include "internal.h"

bool inject_write(struct anpu_model *m, unsigned int fault, uint64_t value);
bool inject_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue, uint32_t *ms);
bool inject_armed_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue);
enum exec_result inject_hang(struct worker *w, struct queue *q, uint64_t until);
bool inject_holds_reset(struct anpu_model *m);
void inject_reset_begins(struct anpu_model *m);
void inject_reset_done(struct anpu_model *m);
void inject_pci_reset(struct anpu_model *m);
bool inject_gone_slow(struct anpu_model *m);

/* Does this fault happen now? */
static inline bool inject(struct anpu_model *m, enum anpu_inject fault, unsigned int queue)
{
	return unlikely(m->injecting) && inject_slow(m, fault, queue, NULL);
}

static inline bool inject_armed(struct anpu_model *m, enum anpu_inject fault, unsigned int queue)
{
	return unlikely(m->injecting) && inject_armed_slow(m, fault, queue);
}

static inline bool inject_gone(struct anpu_model *m)
{
	return unlikely(m->injecting) && inject_gone_slow(m);
}

bool inject_frozen_slow(struct anpu_model *m);

static inline bool inject_frozen(struct anpu_model *m)
{
	return unlikely(m->injecting) && atomic_load(&m->inject_frozen) && inject_frozen_slow(m);
}

#endif /* ANPU_MODEL_INJECT_H */
