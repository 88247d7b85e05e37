/* SPDX-License-Identifier: MIT */
/* Operators in gdb. */
#ifndef ANPU_MODEL_DEBUG_H
#define ANPU_MODEL_DEBUG_H

#include "internal.h"

bool debug_begin(struct anpu_model *m, char *err, size_t size);
void debug_end(struct anpu_model *m);
void debug_begins(struct worker *w, const struct job *job, const struct unit *u);
bool debug_turn_slow(struct worker *w, struct job *job, struct unit *u);
void debug_failed_slow(struct worker *w, struct job *job, const struct unit *u, const struct core_fault *fault);
bool debug_attends_slow(struct anpu_model *m);
/* Translations of an address space were forgotten, perhaps because it has ended */
void debug_flushed(struct anpu_model *m, uint32_t asid);

/* codelist.c: what the process tells gdb of its files; outside of any use of memory */
void codelist_read(struct worker *w, uint32_t space);

/* May the block run? Waits while gdb has stopped it; false: not now. Outside of mmu_enter() */
static inline bool debug_turn(struct worker *w, struct job *job, struct unit *u)
{
	return likely(!w->m->gdb) || debug_turn_slow(w, job, u);
}

/* The block is about to end with this fault: gdb looks at it. Outside of mmu_enter() */
static inline void debug_failed(struct worker *w, struct job *job, const struct unit *u, const struct core_fault *fault)
{
	if (unlikely(w->m->gdb != NULL) && u && u->b)
		debug_failed_slow(w, job, u, fault);
}

/* Does time not count, as a person looks at operators? */
static inline bool debug_attends(struct anpu_model *m)
{
	return unlikely(m->gdb != NULL) && debug_attends_slow(m);
}

#endif /* ANPU_MODEL_DEBUG_H */
