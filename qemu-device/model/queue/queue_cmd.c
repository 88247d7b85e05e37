// SPDX-License-Identifier: MIT
/*
 * The commands of queues (START, STOP, RESUME, ABORT, HALT, END_TASK ...), which the manager carries out while it holds the
 * queue.
 */
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "diag/inject.h"
#include "launch/early.h"

static const char *context_problem(const struct anpu_model *m,
				   const struct anpu_queue_context *c, uint64_t *value)
{
	uint64_t ring = (uint64_t)ANPU_PACKET_SIZE << (c->ring_log2 & 63);

#define PROBLEM(cond, field, text) do { if (cond) { *value = (field); return text; } } while (0)
	PROBLEM(!(atomic_load(&m->control) & ANPU_CONTROL_ENABLE), atomic_load(&m->control),
		"the device is not enabled, CONTROL");
	PROBLEM(c->control % ANPU_CONTROL_SIZE || !hbm_contains(m, c->control, ANPU_CONTROL_SIZE),
		c->control,
		"control is unaligned or outside the HBM");
	PROBLEM(c->ring_log2 < ANPU_RING_LOG2_MIN || c->ring_log2 > ANPU_RING_LOG2_MAX,
		c->ring_log2, "ring_log2 is not in 4..16");
	PROBLEM(c->ring % 4096 || !hbm_contains(m, c->ring, ring), c->ring,
		"ring is unaligned or outside the HBM");
	PROBLEM(c->asid >= m->cfg.asids, c->asid, "asid is beyond the last address space");
	PROBLEM(c->priority >= ANPU_PRIORITIES, c->priority, "priority is not in 0..7");
	PROBLEM(c->event_queue >= m->cfg.event_queues, c->event_queue,
		"event_queue is beyond the last event queue");
	PROBLEM(c->flags & ~ANPU_QUEUE_FLAGS, c->flags, "flags has undefined bits");
	PROBLEM(c->reserved0, c->reserved0, "reserved0 is not 0");
	PROBLEM(c->print % ANPU_PRINT_ALIGN || c->print >> ANPU_VA_BITS, c->print,
		"print is unaligned or no virtual address");
	PROBLEM(c->overflow % ANPU_OVERFLOW_ALIGN || c->overflow >> ANPU_VA_BITS, c->overflow,
		"overflow is unaligned or no virtual address");
	PROBLEM(c->overflow && m->cfg.hide_caps & ANPU_CAP_OVERFLOW, c->overflow,
		"a reserved word is not 0");
	PROBLEM(c->trace % ANPU_TRACE_ALIGN || c->trace >> ANPU_VA_BITS, c->trace,
		"trace is unaligned or no virtual address");
	PROBLEM(c->trace && m->cfg.hide_caps & ANPU_CAP_TRACE, c->trace,
		"a reserved word is not 0");
	for (unsigned int i = 0; i < sizeof(c->reserved) / sizeof(c->reserved[0]); i++)
		PROBLEM(c->reserved[i], c->reserved[i], "a reserved word is not 0");
#undef PROBLEM
	return NULL;
}

static void clear_status(struct queue *q, uint64_t addr)
{
	q->status = (void *)(q->m->hbm + addr);
	memset((char *)q->status + sizeof(q->status->completed), 0,
	       sizeof(*q->status) - sizeof(q->status->completed));
	shared_store(&q->status->completed, 0);
}

static void refuse(struct queue *q, const char *problem, uint64_t value)
{
	struct core_fault f;

	fault_set(&f, ANPU_FAULT_BAD_CONTEXT, 0, 0, "START refused: %s (0x%llx)", problem,
		  ull(value));
	/* no event: its event queue may be the problem. The record is the answer */
	fault_record(q, &f, NULL, 0, false);
	q->n_owed = 0;
	queue_set_state(q, ANPU_QUEUE_REFUSED);
}

/* Forget everything about earlier runs. */
void queue_forget(struct queue *q)
{
	atomic_store(&q->live, 0);
	atomic_store(&q->doorbell, 0);
	atomic_store(&q->bad_doorbell, 0);
	q->state = ANPU_QUEUE_STOPPED;
	q->status = NULL;
	q->control = NULL;
	q->ring = NULL;
	q->avail = 0;
	q->completed = 0;
	q->errors = 0;
	q->polling = 0;
	q->brief = false;
	q->halting = false;
	q->halts = false;
	q->phase = PHASE_IDLE;
	q->ib_active = false;
	q->waiting = false;
	q->n_owed = 0;
	early_forget(q);
	q->not_early = 0;
	atomic_store(&q->begun, 0);
	atomic_store(&q->end, 0);
	/* none of its blocks has a core now */
	memset(q->busy.rest, 0, sizeof(q->busy.rest));
	memset(&q->ctx, 0, sizeof(q->ctx));
	/* the next START may be another user's */
	memset(&q->pkt, 0, sizeof(q->pkt));
	memset(&q->ring_hdr, 0, sizeof(q->ring_hdr));
}

/** queue_start() - ANPU_QUEUE_START */
void queue_start(struct queue *q)
{
	struct anpu_model *m = q->m;
	uint64_t at = atomic_load(&m->queue_table) + q->id * sizeof(struct anpu_queue_context);
	struct anpu_queue_context ctx;
	const char *problem;
	uint64_t value = 0;

	if (q->state != ANPU_QUEUE_STOPPED && q->state != ANPU_QUEUE_REFUSED)
		return;
	queue_forget(q);
	if (!hbm_contains(m, at, sizeof(ctx))) {
		/* without a context there is no status page to write this to */
		q->state = ANPU_QUEUE_REFUSED;
		return;
	}
	memcpy(&ctx, m->hbm + at, sizeof(ctx));
	__asm__ volatile("" : : : "memory");
	if (ctx.status % 4096 || !hbm_contains(m, ctx.status, 4096)) {
		q->state = ANPU_QUEUE_REFUSED;
		return;
	}
	clear_status(q, ctx.status);
	q->wrote = 0;
	problem = inject(m, ANPU_INJECT_REFUSE, q->id) ? "the fault was asked for" :
		context_problem(m, &ctx, &value);
	if (problem) {
		refuse(q, problem, value);
		return;
	}
	q->ctx = ctx;
	q->ring = m->hbm + ctx.ring;
	q->control = (void *)(m->hbm + ctx.control);
	q->mask = (1ULL << ctx.ring_log2) - 1;
	atomic_store(&q->live, 1);
	queue_set_state(q, ANPU_QUEUE_RUNNING);
}

/* End the packet in hand when the queue is stopped. */
static void stop_packet(struct queue *q)
{
	bool lost = q->phase == PHASE_EXEC || q->ib_active ||
		    (q->phase == PHASE_END && q->n_owed &&
		     q->owed[q->n_owed - 1].type == ANPU_EVENT_NOTIFY);
	struct core_fault f;

	if (lost) {
		/* a NOTIFY whose event was not delivered has been killed as well */
		if (q->n_owed && q->owed[q->n_owed - 1].type == ANPU_EVENT_NOTIFY)
			q->n_owed--;
		fault_set(&f, ANPU_FAULT_KILLED, 0, 0,
			  "the queue was stopped while packet %llu was waiting",
			  ull(q->completed + 1));
		fault_record(q, &f, NULL, q->completed + 1, true);
	}
	if (lost || q->phase == PHASE_END) {
		q->completed++;
		count_add(&q->m->count.packets, 1);
		shared_store(&q->status->completed, q->completed);
	}
	q->phase = PHASE_IDLE;
	q->ib_active = false;
}

/**
 * queue_stop() - ANPU_QUEUE_STOP, for a queue whose running packet has ended
 * @with_event: send ANPU_EVENT_STOPPED
 *
 * Return: false if events are still owed: queue_flush() again later.
 */
bool queue_stop(struct queue *q, bool with_event)
{
	bool running = q->state == ANPU_QUEUE_RUNNING;

	atomic_store(&q->live, 0);
	early_forget(q);
	/* a device that is gone writes nothing */
	if (inject_gone(q->m))
		q->status = NULL;
	else if (running)
		stop_packet(q);
	queue_stop_polling(q);
	if (q->state != ANPU_QUEUE_STOPPED)
		queue_set_state(q, ANPU_QUEUE_STOPPED);
	q->halting = false;
	q->ring = NULL;
	q->control = NULL;
	q->status = NULL;
	if (!with_event) {
		q->n_owed = 0;
		return true;
	}
	queue_owe(q, ANPU_EVENT_STOPPED, q->completed);
	return queue_flush(q);
}

/** queue_resume() - ANPU_QUEUE_RESUME */
void queue_resume(struct queue *q)
{
	if (q->state != ANPU_QUEUE_HALTED)
		return;
	/* forget indices that were refused; the control page has the right one */
	atomic_store(&q->bad_doorbell, 0);
	atomic_store(&q->doorbell, q->completed);
	q->avail = q->completed;
	atomic_store(&q->live, 1);
	queue_set_state(q, ANPU_QUEUE_RUNNING);
}

/** queue_count_command() - tell that a command has taken effect; only the manager calls it */
void queue_count_command(struct queue *q)
{
	/* a reader that sees the new number sees what the command has done */
	shared_store(&q->status->commands, shared_read(&q->status->commands) + 1);
}

/* Drop the packets that have not begun. @from: packets completed before the command */
static void drop_packets(struct queue *q, uint64_t from)
{
	uint64_t wptr = shared_load(&q->control->wptr), bell = atomic_load(&q->doorbell), irq_at;

	if (bell > wptr)
		wptr = bell;
	/* an index that makes no sense is refused when it is looked at next */
	if (wptr < q->avail || wptr - q->completed > q->mask + 1)
		wptr = q->avail;
	if (wptr != q->completed) {
		struct core_fault f;

		fault_set(&f, ANPU_FAULT_KILLED, 0, wptr - q->completed,
			  "%llu packets were dropped by an ABORT", ull(wptr - q->completed));
		fault_record(q, &f, NULL, wptr, false);
	}
	q->avail = wptr;
	q->completed = wptr;
	shared_store(&q->status->completed, q->completed);
	irq_at = shared_load(&q->control->irq_at);
	if (irq_at > from && irq_at <= q->completed)
		queue_owe(q, ANPU_EVENT_COMPLETED, q->completed);
}

/**
 * queue_abort() - ANPU_QUEUE_ABORT, for a queue whose running packet has ended
 *
 * Return: false if events are still owed: queue_flush() again later.
 */
bool queue_abort(struct queue *q)
{
	uint64_t from = q->completed;

	if (q->state != ANPU_QUEUE_RUNNING && q->state != ANPU_QUEUE_HALTED)
		return true;
	early_forget(q);
	if (q->state == ANPU_QUEUE_RUNNING)
		stop_packet(q);
	else
		queue_resume(q);
	q->halting = false;
	drop_packets(q, from);
	/* it may have been parked */
	queue_set_state(q, ANPU_QUEUE_RUNNING);
	queue_count_command(q);
	return queue_flush(q);
}

/**
 * queue_halt() - ANPU_QUEUE_HALT, for a queue whose running packet has ended
 *
 * Return: false if events are still owed: queue_flush() again later.
 */
bool queue_halt(struct queue *q)
{
	struct core_fault f;

	if (q->state != ANPU_QUEUE_RUNNING)
		return true;
	stop_packet(q);
	fault_set(&f, ANPU_FAULT_KILLED, 0, 0, "the queue was halted behind packet %llu", ull(q->completed));
	fault_record(q, &f, NULL, q->completed, false);
	/* before the events: the driver looks at the state when they wake it */
	queue_enter_halt(q);
	return queue_flush(q);
}

/* Is a packet of the ring being executed, or waiting to be? */
static bool in_execution(const struct queue *q)
{
	if (q->phase == PHASE_EXEC)
		return true;
	/* or it is an INDIRECT between two of its packets, which has not failed as a whole */
	return q->ib_active && (q->phase == PHASE_IDLE ||
				(q->phase == PHASE_END && q->ib_next < q->ib_count && !q->halting));
}

/* END_TASK of the packet in hand, which no worker executes. */
static void end_packet(struct queue *q)
{
	uint64_t now = model_clock(q->m);
	struct core_fault f;

	if (q->phase != PHASE_EXEC) {
		/* between two packets the INDIRECT as a whole is ended */
		memset(&q->pkt, 0, sizeof(q->pkt));
		q->pkt.hdr = q->ring_hdr;
	}
	/* being parked does not count as busy */
	if (shared_read(&q->status->state) == ANPU_QUEUE_RUNNING)
		queue_account(q, now);
	q->busy_since = now;
	queue_set_state(q, ANPU_QUEUE_RUNNING);
	fault_set(&f, ANPU_FAULT_ENDED, 0, 0, "packet %llu was ended while it was waiting",
		  ull(q->completed + 1));
	/* it was fetched, and had not taken over the kernel that had begun early */
	if (q->early && q->early->seq == q->completed + 1)
		early_forget(q);
	fault_record(q, &f, NULL, q->completed + 1, true);
	if (q->halts)
		q->halting = true;
	q->waiting = false;
	q->ib_next = q->ib_count;
	q->phase = PHASE_END;
}

/*
 * Complete a packet that has been executed, if its events have room. Its worker may have let go of
 * the queue for the command, and may have more urgent work for hours now.
 */
static void complete_ended(struct queue *q)
{
	if (q->halting && (q->phase == PHASE_END || q->phase == PHASE_FLUSH))
		queue_show_halt(q);
	if (q->phase == PHASE_END && queue_flush(q))
		queue_advance(q);
	if (q->phase != PHASE_FLUSH || !queue_flush(q))
		return;
	q->phase = PHASE_IDLE;
	/* it may have been parked */
	if (q->halting)
		queue_enter_halt(q);
	else
		queue_set_state(q, ANPU_QUEUE_RUNNING);
}

/**
 * queue_end() - ANPU_QUEUE_END_TASK, for a queue whose packet no worker executes
 * @q: queue
 * @seq: low half of the packet's sequence number
 */
void queue_end(struct queue *q, uint32_t seq)
{
	if (q->state == ANPU_QUEUE_RUNNING) {
		if (in_execution(q) && (uint32_t)(q->completed + 1) == seq)
			end_packet(q);
		complete_ended(q);
	}
	queue_count_command(q);
}

/**
 * queue_set_halting() - ANPU_QUEUE_HALT_ON_FAILURE, ANPU_QUEUE_GO_ON, from the next packet on
 * @q: queue that runs or is HALTED; a worker may execute a packet of it
 */
void queue_set_halting(struct queue *q, bool halt)
{
	uint32_t flags = q->ctx.flags & ~ANPU_QUEUE_STOP_ON_FAILURE;

	__atomic_store_n(&q->ctx.flags, halt ? flags | ANPU_QUEUE_STOP_ON_FAILURE : flags,
			 __ATOMIC_RELAXED);
	queue_count_command(q);
}

/** queue_refresh() - ANPU_QUEUE_REFRESH: store again what the driver may have missed */
void queue_refresh(struct queue *q)
{
	uint64_t count;

	if (q->state != ANPU_QUEUE_RUNNING && q->state != ANPU_QUEUE_HALTED)
		return;
	if (!inject_armed(q->m, ANPU_INJECT_COMPLETED, q->id))
		shared_store(&q->status->completed, q->completed);
	count = (shared_read(&q->status->refresh) >> 1) + 1;
	/* pool_release() finds packets whose doorbell was lost */
	shared_store(&q->status->refresh, count << 1 | (q->phase == PHASE_IDLE && !q->ib_active &&
							!queue_has_work(q)));
}
