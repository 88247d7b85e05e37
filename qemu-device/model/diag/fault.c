// SPDX-License-Identifier: MIT
/* Fault records: what a queue's status page tells about a failure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "diag/fault.h"

/**
 * fault_set() - describe a failure outside of an operator
 * @f: filled; everything that is not given becomes zero
 */
void fault_set(struct core_fault *f, uint32_t cause, uint32_t access, uint64_t addr,
	       const char *fmt, ...)
{
	va_list ap;

	memset(f, 0, sizeof(*f));
	f->cause = cause;
	f->access = access;
	f->addr = addr;
	va_start(ap, fmt);
	vsnprintf(f->message, sizeof(f->message), fmt, ap);
	va_end(ap);
}

static struct anpu_fault *record_of(struct anpu_queue_status *status, uint64_t ordinal)
{
	if (ordinal == 1)
		return &status->fault[0];
	return &status->fault[1 + (ordinal - 2) % (ANPU_STATUS_FAULTS - 1)];
}

/* Fill the fields that only a packet's failure has. */
static void record_packet(struct queue *q, struct anpu_fault *r)
{
	r->task_id = q->pkt.hdr.task_id;
	r->opcode = q->pkt.hdr.opcode;
	r->ib_index = q->ib_active ? q->ib_index : ANPU_FAULT_NO_INDIRECT;
	if (q->pkt.hdr.opcode != ANPU_OP_KERNEL)
		return;
	r->entry = q->pkt.kernel.entry;
	r->args = q->pkt.kernel.args;
	r->args_size = q->pkt.kernel.args_size;
}

/**
 * fault_record() - write a fault record into the status page, and owe its event
 * @q: queue, held by the caller
 * @f: the failure
 * @where: the block that failed, or NULL outside of an operator
 * @seq: sequence number of the packet that the record is about
 * @of_packet: q->pkt is that packet
 */
void fault_record(struct queue *q, const struct core_fault *f, const struct fault_where *where,
		  uint64_t seq, bool of_packet)
{
	struct anpu_queue_status *st = q->status;
	uint64_t ordinal = ++q->errors;
	struct anpu_fault *r = record_of(st, ordinal);
	struct anpu_fault rec = {
		.seq = seq,
		.time_ns = model_clock(q->m),
		.cause = f->cause,
		.queue = q->id,
		.asid = q->ctx.asid,
		.core_type = where ? where->core_type : 0,
		.ib_index = ANPU_FAULT_NO_INDIRECT,
		.pc = f->pc,
		.addr = f->addr,
		.access = f->access,
		.size = f->size,
		.block = where ? where->block : ANPU_FAULT_NO_BLOCK,
		.sub_block = where ? where->sub_block : 0,
		.core = where ? where->core : 0,
		.insn = f->insn,
	};

	if (of_packet)
		record_packet(q, &rec);
	/* the guest reads all of the record: no bytes behind the text, registers only of a block */
	memcpy(rec.message, f->message, strnlen(f->message, sizeof(rec.message) - 1));
	if (where && where->block != ANPU_FAULT_NO_BLOCK)
		memcpy(rec.x, f->x, sizeof(rec.x));

	/* a reader that sees the ordinal unchanged around its copy has a whole record */
	shared_store(&r->ordinal, 0);
	memcpy((char *)r + sizeof(r->ordinal), (char *)&rec + sizeof(r->ordinal),
	       sizeof(rec) - sizeof(r->ordinal));
	__atomic_store_n(&r->ordinal, ordinal, __ATOMIC_RELEASE);

	if (ordinal == 1) {
		shared_write(&st->first_seq, seq);
		shared_write(&st->first_cause, f->cause);
	}
	__atomic_store_n(&st->errors, ordinal, __ATOMIC_RELEASE);
	count_add(&q->m->count.faults, 1);
	if (q->n_owed < QUEUE_OWED_MAX)
		q->owed[q->n_owed++] = (struct anpu_event){
			.type = ANPU_EVENT_FAULT, .queue = q->id, .code = f->cause, .seq = seq,
			.cookie = q->ctx.cookie, .data0 = ordinal };
}
