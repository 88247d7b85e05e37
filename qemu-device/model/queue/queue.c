// SPDX-License-Identifier: MIT
/*
 * Queues: fetching packets, completing them, halting. Commands are carried out in queue_cmd.c.
 *
 * Everything here but queue_doorbell() and queue_has_work() is called by the queue's holder only.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "diag/inject.h"
#include "diag/plan.h"
#include "diag/record.h"
#include "diag/trace.h"
#include "memory/guard.h"
#include "queue/packet.h"
#include "queue/shadow.h"
#include "sched/parked.h"

/* a worker looks for other work after so many packets of a queue */
#define STREAK_MAX	64

/* Doorbells ------------------------------------------------------------------------------------ */

/* Have a worker look at the queue's indices. */
static void kick(struct anpu_model *m, struct queue *q)
{
	if (atomic_exchange(&q->kicked, 1))
		return;
	q->kick_next = atomic_load(&m->kicks);
	while (!atomic_compare_exchange_weak(&m->kicks, &q->kick_next, q))
		;
	pool_wake(m, 1);
}

/** queue_kick() - a write of the register KICK */
void queue_kick(struct anpu_model *m, unsigned int id)
{
	struct queue *q = &m->queues[id];

	count_add(&m->count.doorbells, 1);
	shadow_forget(m, id);
	if (atomic_load(&q->live) && !inject(m, ANPU_INJECT_DOORBELL, id))
		kick(m, q);
}

/** queue_rung() - the queue's shadow doorbell has rung; lock held */
void queue_rung(struct queue *q)
{
	if (atomic_load(&q->live) && !inject(q->m, ANPU_INJECT_DOORBELL, q->id))
		pool_kicked(q);
}

/** queue_doorbell() - a write to a queue's doorbell page */
void queue_doorbell(struct anpu_model *m, unsigned int id, uint64_t wptr)
{
	struct queue *q = &m->queues[id];
	uint64_t old, none = 0;

	count_add(&m->count.doorbells, 1);
	if (!atomic_load(&q->live) || inject(m, ANPU_INJECT_DOORBELL, id))
		return;
	old = atomic_exchange(&q->doorbell, wptr);
	if (unlikely(wptr < old))
		atomic_compare_exchange_strong(&q->bad_doorbell, &none, wptr + 1);
	kick(m, q);
}

/* Are there packets, or a bad doorbell? Cheap, as a worker that spins asks all the time. */
bool queue_has_work(struct queue *q)
{
	if (q->state != ANPU_QUEUE_RUNNING)
		return false;
	return q->avail != q->completed ||
	       __atomic_load_n(&q->control->wptr, __ATOMIC_SEQ_CST) > q->avail ||
	       atomic_load(&q->doorbell) > q->avail || atomic_load(&q->bad_doorbell);
}

static void set_polling(struct queue *q, uint32_t polling)
{
	if (q->polling == polling)
		return;
	q->polling = polling;
	/* seq_cst: the submitter's barrier pairs with this one, see struct anpu_queue_control */
	shared_store(&q->status->polling, polling);
}

/* From now on submitters must ring; queue_has_work() sees all that they have submitted without. */
void queue_stop_polling(struct queue *q)
{
	if (q->status)
		set_polling(q, 0);
}

void queue_set_state(struct queue *q, enum anpu_queue_state state)
{
	q->state = state;
	if (q->status)
		__atomic_store_n(&q->status->state, state, __ATOMIC_RELEASE);
}

/* Completion ----------------------------------------------------------------------------------- */

void queue_owe(struct queue *q, uint16_t type, uint64_t seq)
{
	if (q->n_owed < QUEUE_OWED_MAX)
		q->owed[q->n_owed++] = (struct anpu_event){ .type = type, .queue = q->id,
			.seq = seq, .cookie = q->ctx.cookie };
}

/**
 * queue_flush() - send the events the queue owes
 *
 * Return: false if the event queue is full.
 */
bool queue_flush(struct queue *q)
{
	while (q->n_owed) {
		if (!event_send(q->m, q->ctx.event_queue, &q->owed[0], q->manager_has))
			return false;
		memmove(q->owed, q->owed + 1, --q->n_owed * sizeof(q->owed[0]));
	}
	return true;
}

/* The ring's packet has ended, well or not. */
static void complete(struct queue *q)
{
	uint64_t irq_at;

	q->completed++;
	count_add(&q->m->count.packets, 1);
	q->phase = PHASE_FLUSH;
	if (inject(q->m, ANPU_INJECT_COMPLETED, q->id))
		return;
	/* store, full barrier, load: pairs with the waiter's, see struct anpu_queue_control */
	shared_store(&q->status->completed, q->completed);
	irq_at = shared_load(&q->control->irq_at);
	if (irq_at && irq_at == q->completed)
		queue_owe(q, ANPU_EVENT_COMPLETED, q->completed);
}

/* The packet in hand, of the ring or of an INDIRECT, has ended and its events are sent. */
void queue_advance(struct queue *q)
{
	if (q->ib_active) {
		q->ib_index = q->ib_next;
		if (q->ib_index < q->ib_count && !q->halting) {
			q->phase = PHASE_IDLE;
			return;
		}
		q->ib_active = false;
	}
	complete(q);
}

/* Return: how long the packet in hand has been executing. */
uint64_t queue_account(struct queue *q, uint64_t now)
{
	uint64_t took = now - q->busy_since;

	shared_write(&q->status->busy_ns, shared_read(&q->status->busy_ns) + took);
	q->busy_since = now;
	return took;
}

/* The packet in hand has failed. */
static void fail(struct worker *w, struct queue *q, const struct fault_where *where)
{
	fault_record(q, &w->fault, where, q->completed + 1, true);
	if (q->halts)
		q->halting = true;
	/* END_TASK ends all of an INDIRECT */
	if (w->fault.cause == ANPU_FAULT_ENDED)
		q->ib_next = q->ib_count;
}

static void packet_ended(struct worker *w, struct queue *q, enum exec_result r)
{
	uint64_t took;

	w->clock = model_clock(q->m);
	took = queue_account(q, w->clock);
	busy_single_ends(w, q, w->clock);
	if (unlikely(q->m->recording))
		record_ended_slow(q, r == EXEC_FAULT ? w->fault.cause : 0);
	else if (unlikely(q->ctx.trace))
		trace_packet(w, q, r == EXEC_FAULT ? w->fault.cause : 0);
	if (r == EXEC_FAULT) {
		bool in_kernel = q->pkt.hdr.opcode == ANPU_OP_KERNEL &&
				 w->where.block != ANPU_FAULT_NO_BLOCK;

		fail(w, q, in_kernel ? &w->where : NULL);
		/* a JUMP that has failed has no target */
		if (q->pkt.hdr.opcode == ANPU_OP_JUMP)
			q->ib_next = q->ib_count;
	}
	if (q->pkt.hdr.opcode == ANPU_OP_KERNEL && q->phase == PHASE_EXEC) {
		shared_write(&q->status->kernels, shared_read(&q->status->kernels) + 1);
		count_add(&q->m->count.kernels, 1);
		q->brief = took < BRIEF_NS;
	}
	q->phase = PHASE_END;
}

/* Fetching ------------------------------------------------------------------------------------- */

/* Halt the queue with a fault that belongs to no packet. */
static void halt_bad_doorbell(struct worker *w, struct queue *q, uint64_t value, const char *why)
{
	fault_set(&w->fault, ANPU_FAULT_BAD_DOORBELL, 0, 0,
		  "write index %llu %s: %llu written before, %llu completed, ring of %llu",
		  ull(value), why, ull(q->avail), ull(q->completed), ull(q->mask + 1));
	fault_record(q, &w->fault, NULL, q->completed, false);
	q->halting = true;
	q->phase = PHASE_FLUSH;
}

/* Look at the doorbell and the control page. Return: true if there are packets or it halts now. */
static bool refresh(struct worker *w, struct queue *q)
{
	uint64_t bad = atomic_exchange(&q->bad_doorbell, 0);
	uint64_t wptr = shared_load(&q->control->wptr);
	uint64_t bell = atomic_load(&q->doorbell);

	if (bad) {
		halt_bad_doorbell(w, q, bad - 1, "moved backwards");
		return true;
	}
	if (bell > wptr)
		wptr = bell;
	if (wptr < q->avail) {
		halt_bad_doorbell(w, q, wptr, "moved backwards");
		return true;
	}
	if (wptr - q->completed > q->mask + 1) {
		halt_bad_doorbell(w, q, wptr, "runs past the ring");
		return true;
	}
	q->avail = wptr;
	return q->avail != q->completed;
}

struct execution {
	struct worker *w;
	struct queue *q;
	enum exec_result r;
};

static void read_indirect(void *arg)
{
	struct execution *e = arg;
	struct worker *w = e->w;
	struct queue *q = e->q;
	uint64_t at = q->ib_addr + (uint64_t)q->ib_index * ANPU_PACKET_SIZE;

	mmu_enter(&w->mmu, q->ctx.asid);
	if (mmu_read_mem(&w->mmu, &q->pkt, at, sizeof(q->pkt), &w->fault))
		e->r = EXEC_DONE;
	mmu_exit(&w->mmu);
}

static bool fetch_indirect(struct worker *w, struct queue *q)
{
	struct execution e = { w, q, EXEC_FAULT };
	uint64_t addr;
	bool ok;

	if (!guard_call(q->m, read_indirect, &e, &addr))
		guard_fault(w, addr);
	ok = e.r == EXEC_DONE;
	if (!ok) {
		/* later packets may not be readable either: the INDIRECT as a whole has failed */
		memset(&q->pkt, 0, sizeof(q->pkt));
		q->pkt.hdr = q->ring_hdr;
		fail(w, q, NULL);
		q->ib_next = q->ib_count;
		q->phase = PHASE_END;
	}
	return ok;
}

static bool queue_stops(const struct queue *q)
{
	return __atomic_load_n(&q->ctx.flags, __ATOMIC_RELAXED) & ANPU_QUEUE_STOP_ON_FAILURE;
}

/* Take the next packet in hand; leaves PHASE_EXEC, or PHASE_END if it is refused. */
static void fetch(struct worker *w, struct queue *q)
{
	if (q->ib_active) {
		/* the clock was read at the end of the packet before */
		q->ib_next = q->ib_index + 1;
		q->began = w->clock;
		if (!fetch_indirect(w, q))
			return;
	} else {
		w->clock = model_clock(q->m);
		q->busy_since = w->clock;
		q->began = w->clock;
		/* check the copy: the guest may change the original at any time */
		memcpy(&q->pkt, q->ring + (q->completed & q->mask) * ANPU_PACKET_SIZE,
		       sizeof(q->pkt));
		__asm__ volatile("" : : : "memory");
		if (unlikely(q->early))
			q->pkt = q->early_pkt;
		q->halts = queue_stops(q);
		/* in this order, as a driver that has seen started may have the packet ended */
		atomic_store_explicit(&q->begun, q->completed + 1, memory_order_release);
		__atomic_store_n(&q->status->started, q->completed + 1, __ATOMIC_RELEASE);
	}
	if (!packet_check(q->m, q, &q->pkt, &w->fault)) {
		w->where.block = ANPU_FAULT_NO_BLOCK;
		packet_ended(w, q, EXEC_FAULT);
		return;
	}
	if (q->pkt.hdr.opcode == ANPU_OP_INDIRECT) {
		q->ring_hdr = q->pkt.hdr;
		q->ib_active = true;
		q->ib_addr = q->pkt.indirect.addr;
		q->ib_count = q->pkt.indirect.count;
		q->ib_index = 0;
		return;
	}
	q->waiting = false;
	q->phase = PHASE_EXEC;
}

/* Running -------------------------------------------------------------------------------------- */

static bool park(struct worker *w, struct queue *q, enum park_kind kind)
{
	w->clock = model_clock(q->m);
	queue_account(q, w->clock);
	__atomic_store_n(&q->status->state, ANPU_QUEUE_PARKED, __ATOMIC_RELEASE);
	if (parked_add(w, q, kind))
		return true;
	__atomic_store_n(&q->status->state, ANPU_QUEUE_RUNNING, __ATOMIC_RELEASE);
	return false;
}

static bool time_to_look(struct worker *w)
{
	if (++w->streak >= STREAK_MAX)
		return true;
	/* in deterministic mode the clock decides nothing */
	return w->clock - w->looked >= BRIEF_NS && !w->m->cfg.deterministic;
}

/* Take the next packet in hand. Return: false if the worker has let go of the queue. */
static bool next_packet(struct worker *w, struct queue *q)
{
	struct anpu_model *m = q->m;

	if (!q->ib_active && q->completed == q->avail && !refresh(w, q)) {
		if (m->spin_ns && !w->linger) {
			/*
			 * keep the queue while the worker spins: the next packet is likely to be
			 * one of its packets
			 */
			set_polling(q, 1);
			w->linger = q;
		} else {
			pool_release(q);
		}
		return false;
	}
	if (q->phase != PHASE_IDLE)
		return true;
	if (time_to_look(w) && pool_look(w, queue_priority(q))) {
		pool_release(q);
		return false;
	}
	fetch(w, q);
	return true;
}

/* Store completed and the state before the events of the failure, whose readers look at both. */
void queue_show_halt(struct queue *q)
{
	if (q->phase == PHASE_END)
		queue_advance(q);
	__atomic_store_n(&q->status->state, ANPU_QUEUE_HALTED, __ATOMIC_RELEASE);
}

void queue_enter_halt(struct queue *q)
{
	q->halting = false;
	atomic_store(&q->live, 0);
	queue_stop_polling(q);
	queue_set_state(q, ANPU_QUEUE_HALTED);
}

/*
 * The events of PHASE_END or PHASE_FLUSH are sent: go on. Return: false if the worker has let go of
 * the queue.
 */
static bool flushed(struct queue *q)
{
	if (q->phase == PHASE_END) {
		queue_advance(q);
		return true;
	}
	q->phase = PHASE_IDLE;
	if (!q->halting)
		return true;
	queue_enter_halt(q);
	pool_release(q);
	return false;
}

static void do_execute(void *arg)
{
	struct execution *e = arg;

	e->r = packet_exec(e->w, e->q);
}

/* Host memory that a packet uses can vanish meanwhile (ops.guard), which fails the packet; units of jobs have guards of their own. */
static enum exec_result execute(struct worker *w, struct queue *q)
{
	struct execution e = { w, q, EXEC_FAULT };
	uint64_t addr;

	if (!q->m->ops.guard)
		return packet_exec(w, q);
	if (!guard_call(q->m, do_execute, &e, &addr)) {
		guard_fault(w, addr);
		q->waiting = false;
	}
	return e.r;
}

static enum exec_result execute_task(struct worker *w, struct queue *q)
{
	record_task(q);
	return execute(w, q);
}

/**
 * queue_run() - execute packets until there are none, the queue parks, or others should run
 *
 * The caller holds the queue. Afterwards it does not, unless w->linger is the queue.
 */
void queue_run(struct worker *w, struct queue *q)
{
	enum exec_result r;

	if (q->state != ANPU_QUEUE_RUNNING) {
		pool_release(q);
		return;
	}
	if (shared_read(&q->status->state) != ANPU_QUEUE_RUNNING) {
		/* the time for which it was parked does not count as busy */
		__atomic_store_n(&q->status->state, ANPU_QUEUE_RUNNING, __ATOMIC_RELEASE);
		q->busy_since = model_clock(q->m);
	} else if (q->phase == PHASE_EXEC || (q->ib_active && q->phase == PHASE_IDLE)) {
		/*
		 * nor does the time since a worker let go of it before a packet, or between two of
		 * an INDIRECT
		 */
		w->clock = model_clock(q->m);
		q->busy_since = w->clock;
	}
	/* a worker that lets go of the queue clears it and looks at wptr once more */
	set_polling(q, 1);
	for (;;) {
		if (unlikely(atomic_load(&q->interrupt))) {
			pool_release(q);
			return;
		}
		switch (q->phase) {
		case PHASE_IDLE:
			if (!next_packet(w, q))
				return;
			break;
		case PHASE_EXEC:
			w->where.block = ANPU_FAULT_NO_BLOCK;
			atomic_store_explicit(&w->busy, q->id + 1, memory_order_relaxed);
			if (!q->early && inject(q->m, ANPU_INJECT_HANG, q->id))
				r = inject_hang(w, q, ~0ULL);
			else if (!plan_task(w, q, &r))
				r = execute_task(w, q);
			atomic_store_explicit(&w->busy, 0, memory_order_relaxed);
			if (r == EXEC_ASYNC)
				return;
			if (r != EXEC_PARK)
				packet_ended(w, q, r);
			else if (park(w, q, PARK_SEM))
				return;
			break;
		case PHASE_END:
		case PHASE_FLUSH:
			if (q->halting)
				queue_show_halt(q);
			if (!queue_flush(q)) {
				if (park(w, q, PARK_EVENT))
					return;
			} else if (!flushed(q)) {
				return;
			}
			break;
		}
	}
}

/* The job of the packet in hand has ended, on this worker. */
void queue_job_done(struct worker *w, struct queue *q, enum exec_result r)
{
	packet_ended(w, q, r);
	queue_run(w, q);
}
