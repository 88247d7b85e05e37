// SPDX-License-Identifier: MIT
/*
 * Queues: fetching packets, completing them, halting, and the commands START, STOP, RESUME.
 *
 * Everything here but queue_doorbell() and queue_has_work() is called by the queue's holder only.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* a worker looks for other work after so many packets of a queue */
#define STREAK_MAX	64

#define ull(x) ((unsigned long long)(x))

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

static void set_state(struct queue *q, enum anpu_queue_state state)
{
	q->state = state;
	if (q->status)
		__atomic_store_n(&q->status->state, state, __ATOMIC_RELEASE);
}

/* Completion ----------------------------------------------------------------------------------- */

static void owe(struct queue *q, uint16_t type, uint64_t seq)
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
		owe(q, ANPU_EVENT_COMPLETED, q->completed);
}

/* The packet in hand, of the ring or of an INDIRECT, has ended and its events are sent. */
static void advance(struct queue *q)
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
static uint64_t account(struct queue *q, uint64_t now)
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
	took = account(q, w->clock);
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
	account(q, w->clock);
	__atomic_store_n(&q->status->state, ANPU_QUEUE_PARKED, __ATOMIC_RELEASE);
	if (pool_park(w, q, kind))
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
static void show_halt(struct queue *q)
{
	if (q->phase == PHASE_END)
		advance(q);
	__atomic_store_n(&q->status->state, ANPU_QUEUE_HALTED, __ATOMIC_RELEASE);
}

static void halt(struct queue *q)
{
	q->halting = false;
	atomic_store(&q->live, 0);
	queue_stop_polling(q);
	set_state(q, ANPU_QUEUE_HALTED);
}

/*
 * The events of PHASE_END or PHASE_FLUSH are sent: go on. Return: false if the worker has let go of
 * the queue.
 */
static bool flushed(struct queue *q)
{
	if (q->phase == PHASE_END) {
		advance(q);
		return true;
	}
	q->phase = PHASE_IDLE;
	if (!q->halting)
		return true;
	halt(q);
	pool_release(q);
	return false;
}

static void do_execute(void *arg)
{
	struct execution *e = arg;

	e->r = packet_exec(e->w, e->q);
}

/* What a packet needs itself may not be there any more; units of jobs look after themselves. */
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
				show_halt(q);
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

/* Commands, called by the manager -------------------------------------------------------------- */

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
	set_state(q, ANPU_QUEUE_REFUSED);
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
	set_state(q, ANPU_QUEUE_RUNNING);
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
		set_state(q, ANPU_QUEUE_STOPPED);
	q->halting = false;
	q->ring = NULL;
	q->control = NULL;
	q->status = NULL;
	if (!with_event) {
		q->n_owed = 0;
		return true;
	}
	owe(q, ANPU_EVENT_STOPPED, q->completed);
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
	set_state(q, ANPU_QUEUE_RUNNING);
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
		owe(q, ANPU_EVENT_COMPLETED, q->completed);
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
	set_state(q, ANPU_QUEUE_RUNNING);
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
	halt(q);
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
		account(q, now);
	q->busy_since = now;
	set_state(q, ANPU_QUEUE_RUNNING);
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
		show_halt(q);
	if (q->phase == PHASE_END && queue_flush(q))
		advance(q);
	if (q->phase != PHASE_FLUSH || !queue_flush(q))
		return;
	q->phase = PHASE_IDLE;
	/* it may have been parked */
	if (q->halting)
		halt(q);
	else
		set_state(q, ANPU_QUEUE_RUNNING);
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
