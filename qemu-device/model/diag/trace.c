// SPDX-License-Identifier: MIT
/*
 * Records of when packets and blocks ran, in the trace buffer of the queue's process.
 *
 * Several workers append to one buffer without a lock: each claims a slot by a compare-and-exchange of head,
 * fills it, and stores the slot's turn last. The process may write anything to the buffer at any time, so every
 * number is read once and checked, and memory is reached through the page tables. A buffer that cannot be
 * accessed costs its records and fails nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/trace.h"
#include "memory/guard.h"

#define BATCH	64 /* records of operations that are appended at once */

/* The queue's buffer; NULL: it cannot be accessed */
static struct anpu_trace_buffer *buffer_of(struct mmu *mmu, uint64_t buffer)
{
	struct core_fault f;
	uint64_t span;

	/* the buffer is aligned to its size, and a record to its own: each lies in one page */
	return mmu_access(mmu, buffer, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE, &span, &f);
}

/* Number of the first of @count slots, one behind the other; false if there is no room or no ring */
static bool claim(struct mmu *mmu, uint64_t buffer, unsigned int count, uint64_t *ring, uint64_t *size, uint64_t *n)
{
	struct anpu_trace_buffer *b = buffer_of(mmu, buffer);
	__u64 head;

	if (!b)
		return false;
	*size = shared_read(&b->size);
	*ring = shared_read(&b->ring);
	if (!*size || *size > ANPU_TRACE_MAX || *size & (*size - 1) || *ring % ANPU_TRACE_ALIGN)
		return false;
	head = shared_read(&b->head);
	do {
		uint64_t used = head - __atomic_load_n(&b->tail, __ATOMIC_ACQUIRE);

		if (used >= *size || *size - used < count) {
			__atomic_fetch_add(&b->lost, count, __ATOMIC_RELAXED);
			return false;
		}
	} while (!__atomic_compare_exchange_n(&b->head, &head, head + count, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	*n = head;
	return true;
}

union record {
	struct anpu_trace_record base;
	struct anpu_trace_pipes pipes;
};

struct appending {
	struct worker *w;
	const struct queue *q;
	const union record *rec;
	unsigned int count;
};

/* Fills the slot of the record that has the number @n; a slot that cannot be written stays as it is */
static void put(struct mmu *mmu, uint64_t ring, uint64_t size, uint64_t n, const union record *rec)
{
	struct anpu_trace_record *slot;
	struct core_fault f;
	uint64_t span;

	slot = mmu_access(mmu, ring + (n & (size - 1)) * sizeof(*slot), ANPU_ACCESS_WRITE, &span, &f);
	if (!slot)
		return;
	memcpy((char *)slot + sizeof(slot->turn), (const char *)rec + sizeof(slot->turn), sizeof(*slot) - sizeof(slot->turn));
	/* release: a reader that sees the turn sees the record */
	__atomic_store_n(&slot->turn, n + 1, __ATOMIC_RELEASE);
}

static void do_append(void *arg)
{
	struct appending *a = arg;
	struct mmu *mmu = &a->w->mmu;
	uint64_t ring, size, n;

	mmu_enter(mmu, a->q->ctx.asid);
	if (claim(mmu, a->q->ctx.trace, a->count, &ring, &size, &n))
		for (unsigned int i = 0; i < a->count; i++)
			put(mmu, ring, size, n + i, &a->rec[i]);
	mmu_exit(mmu);
}

/* Reach for the buffer, which the process may just unmap: then the thread's use of the address space ends here */
static void reach(struct worker *w, void (*fn)(void *arg), void *arg)
{
	uint64_t addr;

	if (!guard_call(w->m, fn, arg, &addr))
		guard_leave(&w->mmu);
}

static void append(struct worker *w, const struct queue *q, const union record *rec, unsigned int count)
{
	struct appending a = { w, q, rec, count };

	reach(w, do_append, &a);
}

/** trace_packet() - the packet in the queue's hand has ended; w->clock is when */
void trace_packet(struct worker *w, struct queue *q, uint32_t cause)
{
	uint64_t wrote = shared_read(&q->status->copy_bytes);
	union record rec = { .base = {
		.begin_ns = q->began,
		.end_ns = w->clock,
		.seq = q->completed + 1,
		.queue = q->id,
		.task_id = q->pkt.hdr.task_id,
		.kind = ANPU_TRACE_PACKET,
		.code = q->pkt.hdr.opcode,
		.cause = cause,
		.amount = q->pkt.hdr.opcode == ANPU_OP_KERNEL ? q->pkt.kernel.entry : wrote - q->wrote,
	} };

	q->wrote = wrote;
	append(w, q, &rec, 1);
}

/* Time of the pipes in the turn that a block has had; false if none was at work */
static bool pipes_of(const struct worker *w, const struct anpu_trace_record *block, struct anpu_trace_pipes *p)
{
	const uint64_t *ns = w->pipe_ns;

	*p = (struct anpu_trace_pipes){
		.vector_ns = ns[ANPU_PIPE_V],
		.cube_ns = ns[ANPU_PIPE_M],
		.mte1_ns = ns[ANPU_PIPE_MTE1],
		.mte2_ns = ns[ANPU_PIPE_MTE2],
		.block = block->block,
		.sub_block = block->sub_block,
		.kind = ANPU_TRACE_PIPES,
		.mte3_ns = ns[ANPU_PIPE_MTE3],
		.fix_ns = ns[ANPU_PIPE_FIX],
	};
	return p->vector_ns || p->cube_ns || p->mte1_ns || p->mte2_ns || p->mte3_ns || p->fix_ns;
}

/* Operations -------------------------------------------------------------------------------------- */

struct look {
	struct worker *w;
	const struct queue *q;
	uint64_t lost; /* to be added */
	uint64_t flags;
};

static void do_look(void *arg)
{
	struct look *l = arg;
	struct mmu *mmu = &l->w->mmu;
	struct anpu_trace_buffer *b;

	mmu_enter(mmu, l->q->ctx.asid);
	b = buffer_of(mmu, l->q->ctx.trace);
	if (b) {
		l->flags = shared_read(&b->flags);
		if (l->lost)
			__atomic_fetch_add(&b->lost, l->lost, __ATOMIC_RELAXED);
	}
	mmu_exit(mmu);
}

/** trace_wants_operations() - does the process of a queue that has a trace buffer want records of tile operations? */
bool trace_wants_operations(struct worker *w, const struct queue *q)
{
	struct look l = { .w = w, .q = q };

	reach(w, do_look, &l);
	return l.flags & ANPU_TRACE_OPERATIONS;
}

/** trace_make_room() - the worker notes the operations of a turn; without memory for it there are none */
void trace_make_room(struct worker *w)
{
	if (!w->operations)
		w->operations = malloc(sizeof(*w->operations));
	if (w->operations) {
		w->operations->count = 0;
		w->operations->lost = 0;
	}
}

/* @n records of the turn's operations, with what they have in common with @block */
static void make_operations(union record *rec, const struct anpu_trace_record *block, const struct core_operation *from, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		rec[i].base = *block;
		rec[i].base.begin_ns = from[i].begin;
		rec[i].base.end_ns = from[i].end;
		rec[i].base.kind = ANPU_TRACE_OPERATION;
		rec[i].base.code = from[i].pipe;
		rec[i].base.cause = 0;
		rec[i].base.amount = ANPU_TRACE_AMOUNT(from[i].pc, from[i].op);
	}
}

static void append_operations(struct worker *w, const struct queue *q, const struct anpu_trace_record *block)
{
	const struct core_operations *all = w->operations;
	union record rec[BATCH];
	unsigned int i, n;

	for (i = 0; i < all->count; i += n) {
		n = all->count - i < BATCH ? all->count - i : BATCH;
		make_operations(rec, block, all->list + i, n);
		append(w, q, rec, n);
	}
	if (all->lost)
		reach(w, do_look, &(struct look){ .w = w, .q = q, .lost = all->lost });
}

/** trace_block() - a block of a kernel has had a turn since @begin */
void trace_block(struct worker *w, struct job *job, const struct unit *u, uint64_t begin, enum core_result r)
{
	struct queue *q = job->q;
	union record rec[2];
	bool pipes;

	rec[1].base = (struct anpu_trace_record){
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
	if (job->operations && w->operations)
		append_operations(w, q, &rec[1].base);
	pipes = pipes_of(w, &rec[1].base, &rec[0].pipes);
	append(w, q, pipes ? rec : rec + 1, pipes ? 2 : 1);
}
