// SPDX-License-Identifier: MIT
/*
 * Records of when packets and blocks ran, in the trace buffer of the queue's process.
 *
 * Several workers append to one buffer without a lock: each claims a slot by a compare-and-exchange of head,
 * fills it, and stores the slot's turn last. The process may write anything to the buffer at any time, so every
 * number is read once and checked, and memory is reached through the page tables. A buffer that cannot be
 * accessed costs its records and fails nothing.
 */
#include <string.h>

#include "internal.h"

/* A slot of the ring, whose number is in @n; NULL if there is no room or no ring */
static struct anpu_trace_record *claim(struct mmu *mmu, uint64_t buffer, uint64_t *n)
{
	struct anpu_trace_buffer *b;
	struct core_fault f;
	uint64_t span, size;
	__u64 head;

	/* the buffer is aligned to its size, and a record to its own: each lies in one page */
	b = mmu_access(mmu, buffer, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE, &span, &f);
	if (!b)
		return NULL;
	size = shared_read(&b->size);
	if (!size || size > ANPU_TRACE_MAX || size & (size - 1) || shared_read(&b->ring) % ANPU_TRACE_ALIGN)
		return NULL;
	head = shared_read(&b->head);
	do {
		if (head - __atomic_load_n(&b->tail, __ATOMIC_ACQUIRE) >= size) {
			__atomic_fetch_add(&b->lost, 1, __ATOMIC_RELAXED);
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&b->head, &head, head + 1, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	*n = head;
	return mmu_access(mmu, shared_read(&b->ring) + (head & (size - 1)) * sizeof(struct anpu_trace_record),
			  ANPU_ACCESS_WRITE, &span, &f);
}

struct appending {
	struct worker *w;
	const struct queue *q;
	const struct anpu_trace_record *rec;
};

static void do_append(void *arg)
{
	struct appending *a = arg;
	struct anpu_trace_record *slot;
	uint64_t n;

	mmu_enter(&a->w->mmu, a->q->ctx.asid);
	slot = claim(&a->w->mmu, a->q->ctx.trace, &n);
	if (slot) {
		memcpy((char *)slot + sizeof(slot->turn), (const char *)a->rec + sizeof(slot->turn),
		       sizeof(*slot) - sizeof(slot->turn));
		/* release: a reader that sees the turn sees the record */
		__atomic_store_n(&slot->turn, n + 1, __ATOMIC_RELEASE);
	}
	mmu_exit(&a->w->mmu);
}

static void append(struct worker *w, const struct queue *q, const struct anpu_trace_record *rec)
{
	struct appending a = { w, q, rec };
	uint64_t addr;

	if (guard_call(q->m, do_append, &a, &addr))
		return;
	/* the process has unmapped its buffer: the thread's use of the address space ends here */
	if (atomic_load(&w->mmu.epoch) != MMU_IDLE)
		mmu_exit(&w->mmu);
	atomic_store(&w->mmu.asking, 0);
}

/** trace_packet() - the packet in the queue's hand has ended; w->clock is when */
void trace_packet(struct worker *w, struct queue *q, uint32_t cause)
{
	uint64_t wrote = shared_read(&q->status->copy_bytes);
	struct anpu_trace_record rec = {
		.begin_ns = q->began,
		.end_ns = w->clock,
		.seq = q->completed + 1,
		.queue = q->id,
		.task_id = q->pkt.hdr.task_id,
		.kind = ANPU_TRACE_PACKET,
		.code = q->pkt.hdr.opcode,
		.cause = cause,
		.amount = q->pkt.hdr.opcode == ANPU_OP_KERNEL ? q->pkt.kernel.entry : wrote - q->wrote,
	};

	q->wrote = wrote;
	append(w, q, &rec);
}

/** trace_block() - a block of a kernel has had a turn since @begin */
void trace_block(struct worker *w, struct job *job, const struct unit *u, uint64_t begin, enum core_result r)
{
	struct queue *q = job->q;
	struct anpu_trace_record rec = {
		.begin_ns = begin,
		.end_ns = model_clock(w->m),
		.seq = job->seq,
		.queue = q->id,
		.task_id = job->k.pkt.hdr.task_id,
		.block = core_kernel_block(&job->k, u->number / job->subs),
		.sub_block = u->number % job->subs,
		.kind = ANPU_TRACE_BLOCK,
		.code = job->k.pkt.core_type,
		.core = w->id,
		.cause = r == CORE_FAULT ? w->fault.cause : 0,
		.amount = job->k.pkt.entry | (r == CORE_DONE || r == CORE_FAULT),
	};

	append(w, q, &rec);
}
