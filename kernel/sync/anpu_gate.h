/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef ANPU_GATE_H
#define ANPU_GATE_H

#include <linux/dma-fence.h>
#include <linux/list.h>

struct anpu_fence;
struct anpu_gate;
struct anpu_stream;

/**
 * struct anpu_gate_fence - a fence that a gate waits for
 * @cb: its callback
 * @fence: the fence, a reference is held
 * @gate: the gate
 */
struct anpu_gate_fence {
	struct dma_fence_cb cb;
	struct dma_fence *fence;
	struct anpu_gate *gate;
};

/**
 * struct anpu_gate - packets in the ring that the device is not to see before fences have signalled
 * @link: in anpu_stream.gates, in the ring's order, and then in anpu_stream.old_gates
 * @stream: the stream
 * @from: index of the first packet behind the gate
 * @to: index behind the last packet of the gate's job
 * @missing: fences that have not signalled, and the submitter until it has looked at all
 * @error: what fences have signalled with, 0 if none failed
 * @attached: the submitter is done with it; this and the next two are under the stream's wait_lock
 * @ready: all fences have signalled
 * @blank: the job's packets were replaced, or need not be
 * @job: the job's own fence, a reference is held, or NULL
 * @named: so many of @fences were named by the program, and their errors count; the others are
 *	those of objects
 * @count: elements of @fences
 * @fences: what it waits for
 */
struct anpu_gate {
	struct list_head link;
	struct anpu_stream *stream;
	u64 from;
	u64 to;
	atomic_t missing;
	int error;
	bool attached;
	bool ready;
	bool blank;
	struct anpu_fence *job;
	u32 named;
	u32 count;
	struct anpu_gate_fence fences[] __counted_by(count);
};

struct anpu_gate *anpu_gate_alloc(struct anpu_stream *stream, u32 count);
void anpu_gate_free(struct anpu_gate *gate);
void anpu_gate_add(struct anpu_stream *stream, struct anpu_gate *gate, u64 from, u64 to);
void anpu_gate_attach(struct anpu_gate *gate);
bool anpu_gates_submitted(struct anpu_stream *stream, u64 wptr);
bool anpu_gates_blank(struct anpu_stream *stream);
void anpu_gates_abort(struct anpu_stream *stream);
void anpu_gates_retire(struct anpu_stream *stream);
void anpu_gates_kill(struct anpu_stream *stream);

#endif /* ANPU_GATE_H */
