// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Gates: packets in a ring that wait for fences of others.
 *
 * The packets of a job that waits stand in the ring already, but the device's write index stops in
 * front of them. When the last fence has signalled, its callback moves the write index on, up to
 * the next gate: no task sleeps for that, and nothing is allocated. A job whose fences have failed
 * is not executed: anpu_fence_work() writes packets over its own that do nothing, behind one that
 * fails.
 *
 * A fence's callback runs under that fence's lock and takes the stream's wait_lock. So nobody
 * touches a fence of others while holding a wait_lock.
 */
#include <linux/slab.h>

#include "anpu_fence.h"
#include "anpu_gate.h"
#include "device/anpu_device.h"
#include "stream/anpu_stream.h"
#include "stream/anpu_submit.h"

/* Packets that are written over with interrupts off in one go. */
#define ANPU_BLANK_BATCH	64

/* Helpers -------------------------------------------------------------------------------------- */

static struct anpu_gate *anpu_gates_first(struct anpu_stream *stream)
{
	return list_first_entry_or_null(&stream->gates, struct anpu_gate, link);
}

/* Under wait_lock, alive: lets packets through up to the first gate that is not open. */
static void anpu_gates_advance(struct anpu_stream *stream)
{
	struct anpu_gate *gate;
	u64 limit, before;

	/* An ABORT writes over what is behind the gates. */
	if (stream->dead || stream->aborting)
		return;
	while ((gate = anpu_gates_first(stream)) && gate->ready && gate->blank)
		list_move_tail(&gate->link, &stream->old_gates);
	limit = gate ? gate->from : stream->wptr;
	before = stream->published;
	if (limit != before) {
		stream->published = limit;
		anpu_ring_give(stream, limit);
	}
	if (!gate) {
		/* A submitter that sees no gate comes behind the write index that was given. */
		smp_store_release(&stream->gated, false);
	}
	/* Gates that are open are retired, and the job of one whose fences failed is replaced. */
	anpu_fences_opened(stream, before, limit);
}

/* Under wait_lock: a fence, or the submitter, does not hold up the gate any more. */
static void anpu_gate_count(struct anpu_gate *gate)
{
	struct anpu_stream *stream = gate->stream;

	if (!atomic_dec_and_test(&gate->missing))
		return;
	gate->ready = true;
	gate->blank = !gate->error;
	anpu_gates_advance(stream);
}

/* Under wait_lock: what a fence has signalled with counts if the program has named the fence. */
static void anpu_gate_judge(struct anpu_gate *gate, const struct anpu_gate_fence *wait)
{
	if (wait->fence->error && wait - gate->fences < gate->named)
		gate->error = wait->fence->error;
}

static void anpu_gate_signalled(struct dma_fence *base, struct dma_fence_cb *cb)
{
	struct anpu_gate_fence *wait = container_of(cb, struct anpu_gate_fence, cb);
	struct anpu_gate *gate = wait->gate;
	struct anpu_stream *stream = gate->stream;

	guard(spinlock_irqsave)(&stream->wait_lock);
	anpu_gate_judge(gate, wait);
	anpu_gate_count(gate);
}

/* A gate ------------------------------------------------------------------------------------ */

/**
 * anpu_gate_alloc() - memory for a gate
 * @stream: stream
 * @count: fences that it waits for; the caller fills in anpu_gate_fence.fence
 *
 * Return: the gate, or NULL.
 */
struct anpu_gate *anpu_gate_alloc(struct anpu_stream *stream, u32 count)
{
	struct anpu_gate *gate = kvzalloc(struct_size(gate, fences, count),
					  GFP_KERNEL_ACCOUNT | __GFP_NOWARN);

	if (!gate)
		return NULL;
	gate->count = count;
	gate->stream = stream;
	atomic_set(&gate->missing, 1);
	for (u32 i = 0; i < count; i++) {
		INIT_LIST_HEAD(&gate->fences[i].cb.node);
		gate->fences[i].gate = gate;
	}
	return gate;
}

/**
 * anpu_gate_free() - free a gate that no callback finds
 * @gate: gate, with the references that it has, or NULL
 */
void anpu_gate_free(struct anpu_gate *gate)
{
	if (!gate)
		return;
	for (u32 i = 0; i < gate->count; i++)
		dma_fence_put(gate->fences[i].fence);
	if (gate->job)
		dma_fence_put(&gate->job->base);
	kvfree(gate);
}

/**
 * anpu_gate_add() - from here on the device gets no packets behind the gate
 * @stream: stream, alive, with its lock and its wait_lock held
 * @gate: gate; the stream has it from now on
 * @from: index of the first packet of its job, of which the device does not know
 * @to: index behind the last one
 */
void anpu_gate_add(struct anpu_stream *stream, struct anpu_gate *gate, u64 from, u64 to)
{
	gate->from = from;
	gate->to = to;
	list_add_tail(&gate->link, &stream->gates);
	if (!stream->gated) {
		stream->published = from;
		WRITE_ONCE(stream->gated, true);
	}
	WRITE_ONCE(stream->wptr, to);
}

/**
 * anpu_gate_attach() - have its fences open a gate
 * @gate: gate that was added; it may be gone when this returns
 */
void anpu_gate_attach(struct anpu_gate *gate)
{
	struct anpu_stream *stream = gate->stream;

	for (u32 i = 0; i < gate->count; i++) {
		struct anpu_gate_fence *wait = &gate->fences[i];

		atomic_inc(&gate->missing);
		if (!dma_fence_add_callback(wait->fence, &wait->cb, anpu_gate_signalled))
			continue;
		/* The fence has signalled before. */
		guard(spinlock_irqsave)(&stream->wait_lock);
		atomic_dec(&gate->missing);
		anpu_gate_judge(gate, wait);
	}
	guard(spinlock_irqsave)(&stream->wait_lock);
	gate->attached = true;
	/* A stream that has died meanwhile, or was aborted, waits for that. */
	anpu_fences_kick(stream);
	anpu_gate_count(gate);
}

/* The gates of a stream ------------------------------------------------------------------------ */

/**
 * anpu_gates_submitted() - packets were put into the ring of a stream that has, or had, gates
 * @stream: stream, whose lock is held
 * @wptr: index behind the last one
 *
 * Return: false if the caller is to give them to the device.
 */
bool anpu_gates_submitted(struct anpu_stream *stream, u64 wptr)
{
	guard(spinlock_irqsave)(&stream->wait_lock);
	if (!stream->gated)
		return false;
	WRITE_ONCE(stream->wptr, wptr);
	return true;
}

/*
 * Writes packets over those from @from to @to, of which the device does not know: the first one
 * fails if @fail is set, all others do nothing. Returns false if the stream has died.
 */
static bool anpu_ring_blank(struct anpu_stream *stream, u64 from, u64 to, bool fail)
{
	const union anpu_packet nothing = { .hdr.opcode = ANPU_OP_NOP };
	const union anpu_packet failing = { .hdr.opcode = ANPU_OP_INVALID };

	for (u64 i = from; i < to;) {
		u64 end = min(to, i + ANPU_BLANK_BATCH);

		guard(spinlock_irqsave)(&stream->wait_lock);
		if (stream->dead)
			return false;
		for (; i < end; i++)
			memcpy(&stream->ring[i & stream->ring_mask],
			       fail && i == from ? &failing : &nothing, sizeof(nothing));
	}
	return true;
}

/**
 * anpu_gates_blank() - replace the packets of a job whose fences have failed, if it is next
 * @stream: stream
 *
 * Called by anpu_fence_work() alone.
 * Return: whether there was such a job.
 */
bool anpu_gates_blank(struct anpu_stream *stream)
{
	struct anpu_gate *gate;
	u64 from, to;

	scoped_guard(spinlock_irqsave, &stream->wait_lock) {
		gate = anpu_gates_first(stream);
		if (!gate || !gate->ready || gate->blank || stream->dead || stream->aborting)
			return false;
		from = gate->from;
		to = gate->to;
	}
	if (!anpu_ring_blank(stream, from, to, true))
		return true;
	guard(spinlock_irqsave)(&stream->wait_lock);
	/* An ABORT may have taken it off the list meanwhile, but only this work frees it. */
	gate->blank = true;
	/* A fence that has signalled already, as the stream has halted, is in no list any more. */
	if (gate->job && !list_empty(&gate->job->link))
		gate->job->error = gate->error;
	anpu_gates_advance(stream);
	return true;
}

/**
 * anpu_gates_abort() - what is behind the gates of a stream is dropped
 * @stream: stream, in a section of anpu_enter(), under its cmd_lock
 *
 * The device learns of packets that do nothing, so that none of them is executed before it drops
 * them.
 */
void anpu_gates_abort(struct anpu_stream *stream)
{
	struct anpu_gate *gate, *next;
	u64 from, to;

	scoped_guard(spinlock_irqsave, &stream->wait_lock) {
		stream->abort_from = stream->dead ? 0 : anpu_stream_completed(stream);
		stream->abort_to = stream->wptr;
		if (stream->dead || !stream->gated)
			return;
		stream->aborting = true;
		from = stream->published;
		to = stream->wptr;
	}
	anpu_ring_blank(stream, from, to, false);
	guard(spinlock_irqsave)(&stream->wait_lock);
	stream->aborting = false;
	list_for_each_entry_safe(gate, next, &stream->gates, link) {
		if (gate->from >= to)
			break;
		list_move_tail(&gate->link, &stream->old_gates);
	}
	anpu_gates_advance(stream);
}

/**
 * anpu_gates_kill() - the gates of a dead stream never open
 * @stream: stream, under its wait_lock
 */
void anpu_gates_kill(struct anpu_stream *stream)
{
	list_splice_tail_init(&stream->gates, &stream->old_gates);
	WRITE_ONCE(stream->gated, false);
}

/* Under wait_lock: takes a gate off the list that its submitter is done with. */
static struct anpu_gate *anpu_gates_old(struct anpu_stream *stream)
{
	struct anpu_gate *gate;

	/* There is one submitter at a time, so at most one is skipped. */
	list_for_each_entry(gate, &stream->old_gates, link) {
		if (!gate->attached)
			continue;
		list_del(&gate->link);
		return gate;
	}
	return NULL;
}

/**
 * anpu_gates_retire() - free the gates that are open, or never will be
 * @stream: stream
 *
 * Called by anpu_fence_work() alone.
 */
void anpu_gates_retire(struct anpu_stream *stream)
{
	for (;;) {
		struct anpu_gate *gate;

		scoped_guard(spinlock_irqsave, &stream->wait_lock)
			gate = anpu_gates_old(stream);
		if (!gate)
			return;
		/* A callback that has begun has ended when the fence's lock was had. */
		for (u32 i = 0; i < gate->count; i++)
			dma_fence_remove_callback(gate->fences[i].fence, &gate->fences[i].cb);
		anpu_gate_free(gate);
		cond_resched();
	}
}
