// SPDX-License-Identifier: MIT
/*
 * Faults that a test of the driver asks the device to have: only if the host allows it
 * (cfg.inject). plan.c uses the same means for what a user asks for.
 *
 * Each is asked for by a register and takes effect where the device would do what fails. A PCI
 * reset and anpu_model_destroy() end all of them, so that the host can rely on these.
 */
#include "internal.h"
#include "diag/fault.h"
#include "diag/inject.h"
#include "sched/futex.h"
#include "sched/manager.h"

#define TIMES(value)	((value) & 0xffff)
#define QUEUE(value)	((value) >> 16 & 0xffff)
#define MS(value)	((uint32_t)((value) >> 32))
#define NEVER		(~0ULL)
#define HANG_LOOK_NS	200000

static uint64_t until(struct anpu_model *m, uint32_t ms)
{
	return ms ? model_clock(m) + ms * 1000000ULL : NEVER;
}

static bool concerns(uint64_t value, unsigned int queue)
{
	return TIMES(value) && (QUEUE(value) == ANPU_INJECT_ANY || QUEUE(value) == queue);
}

bool inject_armed_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue)
{
	return concerns(atomic_load(&m->inject[fault]), queue);
}

/* Does this fault happen now? If so, it is used up by one. @ms may be NULL. */
bool inject_slow(struct anpu_model *m, enum anpu_inject fault, unsigned int queue, uint32_t *ms)
{
	uint64_t value = atomic_load(&m->inject[fault]);

	do {
		if (!concerns(value, queue))
			return false;
		if (TIMES(value) == ANPU_INJECT_ALWAYS)
			break;
	} while (!atomic_compare_exchange_weak(&m->inject[fault], &value, value - 1));
	if (ms)
		*ms = MS(value);
	return true;
}

/* Faults that begin with the register's write. */
static void begin_now(struct anpu_model *m, unsigned int fault)
{
	uint32_t ms;

	if (fault == ANPU_INJECT_FREEZE && inject_slow(m, fault, ANPU_INJECT_ANY, &ms)) {
		atomic_store(&m->inject_thaw, until(m, ms));
		atomic_store(&m->inject_frozen, 1);
	}
	if (fault == ANPU_INJECT_GONE && inject_slow(m, fault, ANPU_INJECT_ANY, &ms)) {
		atomic_store(&m->inject_gone, until(m, ms));
		manager_begin_reset(m);
	}
}

/** inject_write() - ANPU_REG_INJECT(@fault) is written */
bool inject_write(struct anpu_model *m, unsigned int fault, uint64_t value)
{
	if (QUEUE(value) != ANPU_INJECT_ANY && QUEUE(value) >= m->cfg.queues)
		return false;
	atomic_store(&m->inject[fault], value);
	begin_now(m, fault);
	return true;
}

/** inject_hang() - the packet makes no progress until it is killed, or until @until, when it is EXEC_DONE */
enum exec_result inject_hang(struct worker *w, struct queue *q, uint64_t until)
{
	_Atomic unsigned int nobody = 0;
	uint32_t cause;

	pool_unwatch(w);
	while (!(cause = queue_ends(q))) {
		if (model_clock(q->m) >= until)
			return EXEC_DONE;
		futex_wait(&nobody, 0, HANG_LOOK_NS);
	}
	fault_set(&w->fault, cause, 0, 0, "the packet hung and was killed");
	return EXEC_FAULT;
}

/** inject_reset_begins() - a reset by register begins: a fault may make it take longer */
void inject_reset_begins(struct anpu_model *m)
{
	uint32_t ms;

	if (m->injecting && inject_slow(m, ANPU_INJECT_RESET, ANPU_INJECT_ANY, &ms))
		atomic_store(&m->inject_hold, until(m, ms));
}

/** inject_holds_reset() - must the reset wait? The manager asks at each tick */
bool inject_holds_reset(struct anpu_model *m)
{
	return model_clock(m) < atomic_load(&m->inject_hold) && !atomic_load(&m->exiting);
}

/** inject_reset_done() - end the faults that any reset ends */
void inject_reset_done(struct anpu_model *m)
{
	atomic_store(&m->inject_hold, 0);
	atomic_store(&m->inject_stuck, 0);
	atomic_store(&m->inject_frozen, 0);
}

/** inject_frozen_slow() - does the scheduler stand still? Its time may be over. */
bool inject_frozen_slow(struct anpu_model *m)
{
	if (model_clock(m) < atomic_load(&m->inject_thaw))
		return true;
	atomic_store(&m->inject_frozen, 0);
	return false;
}

/** inject_pci_reset() - end all faults, as a PCI reset does */
void inject_pci_reset(struct anpu_model *m)
{
	for (unsigned int i = 0; i < ANPU_INJECT_COUNT; i++)
		atomic_store(&m->inject[i], 0);
	inject_reset_done(m);
	atomic_store(&m->inject_gone, 0);
}

/** inject_gone_slow() - is the device gone? Ends that when its time is over */
bool inject_gone_slow(struct anpu_model *m)
{
	uint64_t end = atomic_load(&m->inject_gone);

	if (!end)
		return false;
	if (end == NEVER || model_clock(m) < end)
		return true;
	inject_pci_reset(m);
	manager_begin_reset(m);
	return false;
}

bool anpu_model_gone(struct anpu_model *m)
{
	return inject_gone(m);
}
