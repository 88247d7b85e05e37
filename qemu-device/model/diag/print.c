// SPDX-License-Identifier: MIT
/*
 * Output of operators: from PRINT into the print buffer of the queue's process.
 *
 * The guest may write anything to the buffer at any time. Every number is read once and checked,
 * and every byte is reached through the address space's page tables. A text that has no room is
 * counted as lost; nothing waits for room.
 */
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "diag/print.h"
#include "diag/record.h"
#include "memory/guard.h"

/* Copy to the ring, at byte @pos of the stream of records. */
static bool put(struct mmu *mmu, uint64_t ring, uint64_t size, uint64_t pos, const void *data,
		uint64_t len, struct core_fault *f)
{
	const uint8_t *from = data;

	while (len) {
		uint64_t at = pos % size, n = len, span;
		void *to = mmu_access(mmu, ring + at, ANPU_ACCESS_WRITE, &span, f);

		if (!to)
			return false;
		if (n > span)
			n = span;
		if (n > size - at)
			n = size - at;
		memcpy(to, from, n);
		from += n;
		pos += n;
		len -= n;
	}
	return true;
}

static bool has_room(uint64_t size, uint64_t head, uint64_t tail, uint64_t need)
{
	if ((size | head | tail) % 8 || size > ANPU_PRINT_MAX || head - tail > size)
		return false;
	return need <= size - (head - tail);
}

/* Append one record. print_lock is held. */
static bool append(struct mmu *mmu, uint64_t buffer, const struct anpu_print_record *rec,
		   const char *text, struct core_fault *f)
{
	static const char zeros[8];
	uint64_t pad = -(uint64_t)rec->size % 8, need = sizeof(*rec) + rec->size + pad;
	struct anpu_print_buffer *b;
	uint64_t span, ring, size, head;

	/* the buffer is aligned to its size, so it lies in one page */
	b = mmu_access(mmu, buffer, ANPU_ACCESS_READ | ANPU_ACCESS_WRITE, &span, f);
	if (!b)
		return false;
	ring = shared_load(&b->ring);
	size = shared_load(&b->size);
	head = shared_load(&b->head);
	if (!has_room(size, head, shared_load(&b->tail), need)) {
		shared_write(&b->lost_bytes, shared_read(&b->lost_bytes) + rec->size);
		shared_store(&b->lost, shared_read(&b->lost) + 1);
		return true;
	}
	if (!put(mmu, ring, size, head, rec, sizeof(*rec), f) ||
	    !put(mmu, ring, size, head + sizeof(*rec), text, rec->size, f) ||
	    !put(mmu, ring, size, head + sizeof(*rec) + rec->size, zeros, pad, f))
		return false;
	/* release: a reader that sees the new head sees the record */
	shared_store(&b->head, head + need);
	return true;
}

struct appending {
	struct mmu *mmu;
	uint64_t buffer;
	const struct anpu_print_record *rec;
	const char *text;
	struct core_fault *f;
	bool done;
};

static void do_append(void *arg)
{
	struct appending *a = arg;

	a->done = append(a->mmu, a->buffer, a->rec, a->text, a->f);
}

/**
 * print_text() - deliver a text that an operator of the queue in hand prints
 * @mmu: the front end its block runs through
 *
 * Return: false if the queue has a print buffer and it cannot be accessed: @f is filled.
 */
bool print_text(struct mmu *mmu, const struct job *job, const struct core_text *text,
		struct core_fault *f)
{
	const struct queue *q = job->q;
	struct anpu_model *m = q->m;
	struct anpu_print_record rec = {
		.size = text->len,
		.queue = q->id,
		.task_id = job->k.pkt.hdr.task_id,
		.block = text->block,
		.sub_block = text->sub_block,
		.core = text->core,
	};
	struct appending a = { mmu, q->ctx.print, &rec, text->text, f, false };
	char why[sizeof(f->message)];
	uint64_t addr;

	if (!q->ctx.print)
		return true;
	pthread_mutex_lock(&m->print_lock);
	rec.time_ns = operator_clock(m);
	/* the lock is given back even if the buffer is not there any more */
	if (!guard_call(m, do_append, &a, &addr))
		fault_set(f, ANPU_FAULT_BUS, ANPU_ACCESS_WRITE, addr, GUARD_GONE,
			  (unsigned long long)addr);
	pthread_mutex_unlock(&m->print_lock);
	if (a.done)
		return true;
	memcpy(why, f->message, sizeof(why));
	fault_set(f, f->cause, f->access, f->addr, "PRINT: the print buffer 0x%llx: %.80s",
		  ull(q->ctx.print), why);
	return false;
}
