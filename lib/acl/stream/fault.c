// SPDX-License-Identifier: MIT
/*
 * Failures of a stream's tasks: reading their records from its status page, and reporting them. The
 * device keeps a stream's first failure and some of the latest.
 */
#include <stdio.h>
#include <string.h>

#include "stream/stream.h"

/* Cause of the failure that this thread was told last, 0 if its record was lost */
static __thread uint32_t told_cause;

uint32_t anpu_front_fault(void)
{
	return told_cause;
}

/* Slot of the status page that holds failure @ordinal if it was not overwritten yet */
static unsigned int slot_of(uint64_t ordinal)
{
	return ordinal == 1 ? 0 : 1 + (ordinal - 2) % (ANPU_STATUS_FAULTS - 1);
}

bool anpu_fault_read(struct anpu_stream *s, uint64_t from, uint64_t to, struct anpu_fault *out)
{
	uint64_t n;

	if (to > from + ANPU_STATUS_FAULTS && from > 1)
		from = to - ANPU_STATUS_FAULTS;
	for (n = from; n <= to; n++) {
		const volatile struct anpu_fault *f = &s->status->fault[slot_of(n)];

		if (__atomic_load_n(&f->ordinal, __ATOMIC_ACQUIRE) != n)
			continue;
		memcpy(out, (const void *)(uintptr_t)f, sizeof(*out));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (f->ordinal == n)
			return true;
	}
	return false;
}

/* The fate of the tasks behind the first failure */
static void add_later(struct anpu_stream *s, uint64_t failed, char *buf, size_t size)
{
	uint64_t last = atomic_load(&s->last_seq), done = anpu_stream_completed(s);

	if (failed == 1)
		snprintf(buf, size, " (and a later task of the stream failed)");
	else if (failed)
		snprintf(buf, size, " (and %llu later tasks of the stream failed)",
			 (unsigned long long)failed);
	else if (last > done && anpu_stream_halted(s))
		snprintf(buf, size, " (the stream has stopped: its %llu tasks behind this one do not run)",
			 (unsigned long long)(last - done));
}

/* A library in front of this one may know what a task waited for, or why the stream was aborted */
static bool explained(const struct anpu_stream *s, const struct anpu_fault *f, char *text, size_t size)
{
	if (f->cause == ANPU_FAULT_WAIT_TIMEOUT && f->opcode == ANPU_OP_SEM_WAIT)
		return anpu_explain(f->addr, s->number, text, size);
	return f->cause == ANPU_FAULT_KILLED && anpu_explain(0, s->number, text, size);
}

/* Failures are told to every thread that has waited for them; a later one is told of newer ones */
aclError anpu_stream_report(struct anpu_stream *s, uint64_t told)
{
	uint64_t errors = anpu_stream_errors(s);
	uint64_t seen = atomic_load(&s->errors_seen);
	struct anpu_fault fault = { 0 };
	struct anpu_task task;
	char text[2048], more[160] = "";

	if (errors <= told)
		return ACL_SUCCESS;
	told_cause = 0;
	while (seen < errors && !atomic_compare_exchange_weak(&s->errors_seen, &seen, errors))
		;
	if (!anpu_fault_read(s, told + 1, errors, &fault))
		return acl_fail(ACL_ERROR_RT_TS_ERROR,
				"%llu tasks of stream %d failed and their records were overwritten "
				"by newer ones",
				(unsigned long long)(errors - told), s->number);
	told_cause = fault.cause;
	atomic_store(&s->obj.dev->error_type,
		     fault.opcode == ANPU_OP_KERNEL ? ACL_RT_ERROR_AICORE : ACL_RT_ERROR_OTHERS);
	/* if it was aborted by the program it runs again */
	if (fault.cause == ANPU_FAULT_KILLED && atomic_load(&s->stops) && anpu_stream_halted(s))
		return acl_fail(ACL_ERROR_RT_TASK_ABORT_STOP,
				"stream %d stopped because a task of another stream of its context "
				"failed: end it with aclrtDestroyStream(), or call aclrtStreamAbort()",
				s->number);
	if (!explained(s, &fault, text, sizeof(text)))
		anpu_stream_hooks.fault_text(s->obj.dev, &fault,
					     anpu_task_find(s, fault.seq, &task) ? &task : NULL,
					     text, sizeof(text));
	add_later(s, errors - told - 1, more, sizeof(more));
	return acl_fail(anpu_stream_hooks.fault_code(&fault), "stream %d: %s%s", s->number, text, more);
}
