// SPDX-License-Identifier: MIT
/* What the blocks of a kernel share: the code generation they start with, and progress. */
#include <stdlib.h>

#include "sync.h"

/**
 * struct core_sync - per launch
 * @gen: decoded code, held for the kernel's life
 * @serial: its number
 * @progress: see core_kernel_progress()
 */
struct core_sync {
	struct code_gen *gen;
	unsigned int serial;
	_Atomic uint64_t progress;
};

bool sync_init(struct core_kernel *k, struct core_fault *fault)
{
	struct core_sync *s = calloc(1, sizeof(*s));

	if (!s)
		return core_fail(fault, ANPU_FAULT_INTERNAL, "no host memory for a kernel");
	s->gen = code_gen_get(k->code, &s->serial);
	k->sync = s;
	return true;
}

void sync_fini(struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	if (!s)
		return;
	code_gen_put(k->code, s->gen);
	free(s);
	k->sync = NULL;
}

struct code_gen *sync_code(struct core_kernel *k, unsigned int *serial)
{
	struct core_sync *s = k->sync;

	*serial = s->serial;
	return atomic_load(&k->code->serial) == s->serial ? s->gen : NULL;
}

bool sync_kept(const struct core_kernel *k, const struct code_gen *g)
{
	const struct core_sync *s = k->sync;

	return s->gen == g;
}

uint64_t core_kernel_progress(const struct core_kernel *k)
{
	struct core_sync *s = k->sync;

	return atomic_load(&s->progress);
}

void core_kernel_deadlock(struct core_kernel *k, struct core_fault *fault)
{
	core_fail(fault, ANPU_FAULT_DEADLOCK, "all blocks of the kernel at 0x%llx wait for each other",
		  (unsigned long long)k->pkt.entry);
}

void sync_block_gone(struct core_block *b)
{
	(void)b;
}
