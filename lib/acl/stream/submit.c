// SPDX-License-Identifier: MIT
/*
 * Tasks into streams: packets, what is remembered of them, and the ring for their arguments.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stream/stream.h"

static _Atomic uint32_t next_task = 1;
static __thread uint32_t last_task;
static __thread uint32_t thread_id;

static aclError submit_failed(struct anpu_stream *s, int err)
{
	switch (err) {
	case -ECANCELED:
		return acl_fail(ACL_ERROR_RT_TASK_ABORT_STOP,
				"stream %d stopped after a task failed and takes no more work",
				s->number);
	case -ENOENT:
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %d was destroyed meanwhile",
				s->number);
	case -EDEADLK:
		return anpu_stream_may_wait(s);
	default:
		return anpu_fail_ioctl(s->obj.dev, err, "submitting work");
	}
}

/* The record of the first task that failed is kept, until another failure is the first */
static void keep_failed(struct anpu_stream *s, const struct anpu_task *t)
{
	uint64_t seq = atomic_load_explicit(&t->seq, memory_order_relaxed);

	if (!seq || seq != s->status->first_seq)
		return;
	atomic_store_explicit(&s->failed.seq, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	memcpy((char *)&s->failed + sizeof(t->seq), (const char *)t + sizeof(t->seq),
	       sizeof(*t) - sizeof(t->seq));
	atomic_store_explicit(&s->failed.seq, seq, memory_order_release);
}

/* Before the packet is submitted, because it can fail before that returns */
static void remember(struct anpu_stream *s, const union anpu_packet *pkt)
{
	uint64_t seq = atomic_load_explicit(&s->last_seq, memory_order_relaxed) + 1;
	struct anpu_task *t = &s->tasks[seq & s->task_mask];

	if (!thread_id)
		thread_id = gettid();
	keep_failed(s, t);
	atomic_store_explicit(&t->seq, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	t->opcode = pkt->hdr.opcode;
	t->task_id = pkt->hdr.task_id;
	t->thread = thread_id;
	anpu_site_here(&t->site);
	t->internal = s->internal;
	t->args = 0;
	t->args_size = 0;
	if (t->opcode == ANPU_OP_KERNEL) {
		t->entry = pkt->kernel.entry;
		t->args = pkt->kernel.args;
		t->args_size = pkt->kernel.args_size;
		t->core_type = pkt->kernel.core_type;
	} else if (t->opcode == ANPU_OP_SEM_WAIT) {
		t->entry = pkt->sem_wait.value;
		t->args = pkt->sem_wait.addr;
	} else if (t->opcode == ANPU_OP_SEM_SIGNAL) {
		t->entry = pkt->sem_signal.value;
		t->args = pkt->sem_signal.addr;
	} else if (t->opcode == ANPU_OP_COPY) {
		t->entry = pkt->copy.src;
		t->args = pkt->copy.dst;
	}
	t->submitted = anpu_traces() ? anpu_trace_submitted() : 0;
	atomic_store_explicit(&t->seq, seq, memory_order_release);
}

static bool copy_task(const struct anpu_task *t, uint64_t seq, struct anpu_task *out)
{
	if (atomic_load_explicit(&t->seq, memory_order_acquire) != seq)
		return false;
	memcpy(out, t, sizeof(*out));
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&t->seq, memory_order_relaxed) == seq;
}

bool anpu_task_find(const struct anpu_stream *s, uint64_t seq, struct anpu_task *out)
{
	return copy_task(&s->tasks[seq & s->task_mask], seq, out) || copy_task(&s->failed, seq, out);
}

/* Tells the timeline of a packet, whose number is @seq; stream locked */
static void trace_submit(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t seq)
{
	uint64_t completed = anpu_stream_completed(s);
	struct anpu_traced e = {
		.what = ANPU_TRACED_SUBMIT,
		.name = "submit",
		.begin = s->tasks[seq & s->task_mask].submitted,
		.a = seq,
		.b = seq > completed ? seq - completed : 0,
		.thread = anpu_trace_thread(),
		.track = (uint32_t)s->number,
		.task = pkt->hdr.task_id,
		.code = (uint8_t)pkt->hdr.opcode,
		.device = (uint32_t)s->obj.dev->id,
	};

	if (!s->internal && e.begin)
		anpu_trace_submit(&e);
	/* each quarter of the ring, so that the notes of packets outlive their records in the trace buffer */
	if (!(seq & s->task_mask >> 3))
		anpu_stream_hooks.traced(s->obj.dev, true);
}

static aclError submit_now(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq)
{
	uint64_t now;
	int err;

	remember(s, pkt);
	err = anpu_ring_submit(s, pkt, &now);
	if (err)
		return submit_failed(s, err);
	atomic_store_explicit(&s->last_seq, now, memory_order_release);
	if (anpu_traces())
		trace_submit(s, pkt, now);
	if (s->context && anpu_checking())
		anpu_races_packet(s, pkt, now);
	if (seq)
		*seq = now;
	return ACL_SUCCESS;
}

uint32_t anpu_task_number(void)
{
	return atomic_fetch_add_explicit(&next_task, 1, memory_order_relaxed);
}

static void number_task(union anpu_packet *pkt)
{
	last_task = anpu_task_number();
	pkt->hdr.task_id = last_task;
}

aclError anpu_stream_submit_now(struct anpu_stream *s, union anpu_packet *pkt)
{
	if (s->dead)
		return submit_failed(s, -ENOENT);
	number_task(pkt);
	return submit_now(s, pkt, NULL);
}

static aclError record_or_submit(struct anpu_stream *s, const union anpu_packet *pkt, uint64_t *seq)
{
	return anpu_stream_recorded(s) ? anpu_recorder.packet(s, pkt) : submit_now(s, pkt, seq);
}

aclError anpu_stream_submit_locked(struct anpu_stream *s, union anpu_packet *pkt, uint64_t *seq)
{
	if (s->dead)
		return submit_failed(s, -ENOENT);
	number_task(pkt);
	return record_or_submit(s, pkt, seq);
}

aclError anpu_stream_submit_internal(struct anpu_stream *s, union anpu_packet *pkt)
{
	aclError ret;

	s->internal = true;
	ret = anpu_stream_submit_locked(s, pkt, NULL);
	s->internal = false;
	return ret;
}

aclError anpu_stream_submit(struct anpu_stream *s, union anpu_packet *pkt, uint64_t *seq)
{
	aclError ret;

	ret = anpu_stream_enter(s, 0);
	if (ret)
		return ret;
	ret = anpu_stream_submit_locked(s, pkt, seq);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

aclError anpu_stream_submit_numbered(struct anpu_stream *s, const union anpu_packet *pkt)
{
	aclError ret;

	ret = anpu_stream_enter(s, 0);
	if (ret)
		return ret;
	last_task = pkt->hdr.task_id;
	ret = s->dead ? submit_failed(s, -ENOENT) : record_or_submit(s, pkt, NULL);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/*
 * The ring has segments; a segment is used again when the last packet that used it has completed.
 * So a launch costs a copy and an addition, and only each n-th one looks at the status page.
 */
aclError anpu_stream_ring_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	uint64_t need = align_up(size, 64), at;
	aclError ret;
	int err;

	/* memory that it got now would outlive it, because anpu_stream_end() has run */
	if (s->dead)
		return submit_failed(s, -ENOENT);
	if (!s->args) {
		err = anpu_region_new(s->obj.dev, ANPU_REGION_ARGS, DRM_ANPU_BO_SYSTEM,
				      ANPU_ARG_SEGMENTS * ANPU_ARG_SEGMENT,
				      DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &s->args);
		if (err)
			return anpu_fail_ioctl(s->obj.dev, err,
					       "allocating room for kernel arguments");
	}
	*cpu = anpu_region_window(s->args);
	if (!*cpu)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"room for kernel arguments cannot be mapped");
	if (s->args_used + need > ANPU_ARG_SEGMENT) {
		s->segment_seq[s->segment] = atomic_load(&s->last_seq);
		s->segment = (s->segment + 1) % ANPU_ARG_SEGMENTS;
		s->args_used = 0;
		ret = anpu_stream_wait(s, s->segment_seq[s->segment], ANPU_FOREVER, 0);
		if (ret)
			return ret;
	}
	at = s->segment * ANPU_ARG_SEGMENT + s->args_used;
	*cpu = (char *)*cpu + at;
	*va = s->args->va + at;
	s->args_used += need;
	return ACL_SUCCESS;
}

aclError anpu_stream_args(struct anpu_stream *s, uint64_t size, void **cpu, uint64_t *va)
{
	if (size > ANPU_ARGS_MAX)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"argsSize is %llu and a launch can carry %u bytes: pass larger "
				"data in device memory",
				(unsigned long long)size, ANPU_ARGS_MAX);
	return anpu_stream_recorded(s) ? anpu_recorder.args(s, size, cpu, va)
				     : anpu_stream_ring_args(s, size, cpu, va);
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(taskId);
	*taskId = last_task;
	return ACL_SUCCESS;
}
