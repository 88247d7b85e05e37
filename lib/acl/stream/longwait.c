// SPDX-License-Identifier: MIT
/*
 * Waits without end. A thread that waits for room in a stream, or destroys it, waits as long as the
 * stream does; when that waits for an event, notify or value which this thread would only have signalled
 * afterwards, the program hangs. Whether another thread is going to signal it cannot be known, so the wait
 * goes on; but after a while standard error has what is waited for.
 */
#include <errno.h>
#include <stdio.h>

#include "stream/stream.h"

#define LONG_NS 10000000000LL

int64_t anpu_long_wait(void)
{
	return LONG_NS;
}

/* Tasks that compute or copy end by themselves, or by their limit of time: only waits are told */
void anpu_tell_long_wait(const struct anpu_stream *s, const char *what)
{
	uint64_t seq = __atomic_load_n(&s->status->started, __ATOMIC_ACQUIRE);
	struct anpu_task task;
	char hang[1800];

	if (!anpu_task_find(s, seq, &task) || task.opcode != ANPU_OP_SEM_WAIT)
		return;
	anpu_stream_hooks.hang_text((struct anpu_stream *)(uintptr_t)s, hang, sizeof(hang));
	fprintf(stderr,
		"anpu: %s has been waiting for %s stream %d for %lld s. The stream is at its task %llu "
		"of %llu, a wait that %s() queued, and what it waits for has not happened: it goes on when "
		"another thread does it, or calls aclrtStreamAbort()%s\n",
		acl_current_api(), what, s->number, LONG_NS / 1000000000, (unsigned long long)seq,
		(unsigned long long)atomic_load(&s->last_seq), task.site.api, hang);
}

int anpu_stream_wait_told(struct anpu_stream *s, uint64_t seq, const char *what)
{
	unsigned int noted = anpu_wait_begins(ANPU_WAITS_FOR_STREAM, s->obj.dev->id, s->number, seq);
	int err = anpu_stream_wait_seq(s, seq, anpu_now() + LONG_NS);

	if (err == -ETIME) {
		anpu_tell_long_wait(s, what);
		err = anpu_stream_wait_seq(s, seq, ANPU_FOREVER);
	}
	anpu_wait_over(noted);
	return err;
}
