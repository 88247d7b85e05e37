// SPDX-License-Identifier: MIT
/*
 * Memory of the host that may go away while the model uses it. In QEMU it cannot: what is mapped stays
 * until an invalidation has taken effect. A host without that promise has a function that runs another
 * one and comes back early when memory is missing (anpu_host_ops.guard); the packet fails then.
 *
 * Code that is guarded takes no lock of the model, and leaves nothing behind but the state of a block, which
 * ends with the failure, and the thread's use of an address space, which guard_fault() ends.
 */
#include "internal.h"
#include "diag/fault.h"
#include "memory/guard.h"

/** guard_call() - run @fn(@arg); false and the address if memory of the host was not there */
bool guard_call(struct anpu_model *m, void (*fn)(void *arg), void *arg, uint64_t *addr)
{
	if (m->ops.guard)
		return m->ops.guard(m->ctx, fn, arg, addr);
	fn(arg);
	return true;
}

/** guard_leave() - guard_call() was cut off: end the use of memory that it was in */
void guard_leave(struct mmu *mmu)
{
	if (atomic_load(&mmu->epoch) != MMU_IDLE)
		mmu_exit(mmu);
	atomic_store(&mmu->asking, 0);
}

/** guard_fault() - describe that as the worker's fault */
void guard_fault(struct worker *w, uint64_t addr)
{
	guard_leave(&w->mmu);
	fault_set(&w->fault, ANPU_FAULT_BUS, 0, addr, GUARD_GONE, (unsigned long long)addr);
}
