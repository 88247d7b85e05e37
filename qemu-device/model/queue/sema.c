// SPDX-License-Identifier: MIT
/* Words in memory that steer queues: SEM_SIGNAL, SEM_WAIT, JUMP. */
#include "internal.h"
#include "diag/debug.h"
#include "diag/fault.h"
#include "queue/sema.h"
#include "sched/parked.h"

static uint64_t load_sem(const _Atomic uint64_t *sem, uint32_t width)
{
	return width == 8 ? __atomic_load_n((const uint64_t *)sem, __ATOMIC_SEQ_CST)
			  : __atomic_load_n((const uint32_t *)sem, __ATOMIC_SEQ_CST);
}

bool anpu_model_compare(uint32_t cond, uint64_t s, uint64_t v, uint32_t width)
{
	uint64_t ones = width == 8 ? ~0ULL : 0xffffffffULL;
	uint64_t sign = ones ^ ones >> 1;

	s &= ones;
	v &= ones;
	switch (cond) {
	case ANPU_SEM_EQ:
		return s == v;
	case ANPU_SEM_NE:
		return s != v;
	case ANPU_SEM_GT:
		return s > v;
	case ANPU_SEM_GE:
		return s >= v;
	case ANPU_SEM_LT:
		return s < v;
	case ANPU_SEM_LE:
		return s <= v;
	case ANPU_SEM_ANY:
		return (s & v) != 0;
	case ANPU_SEM_NOR:
		return (~(s | v) & ones) != 0;
	default: /* ANPU_SEM_AFTER: packet_check() lets no other value pass */
		return !((s - v) & sign);
	}
}

static bool condition(const struct anpu_pkt_sem_wait *p, uint64_t value)
{
	return anpu_model_compare(p->cond, value & p->mask, p->value, p->width);
}

bool sema_satisfied(const struct anpu_pkt_sem_wait *p, const _Atomic uint64_t *sem)
{
	return condition(p, load_sem(sem, p->width));
}

/* Test, and with ANPU_SEM_CLEAR write zero in the same atomic step. */
static bool try_wait(const struct anpu_pkt_sem_wait *p, void *sem)
{
	uint64_t v = load_sem(sem, p->width);

	while (condition(p, v)) {
		uint32_t v32 = v;

		if (!(p->hdr.flags & ANPU_SEM_CLEAR))
			return true;
		if (p->width == 8) {
			if (__atomic_compare_exchange_n((uint64_t *)sem, &v, 0, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				return true;
		} else {
			if (__atomic_compare_exchange_n((uint32_t *)sem, &v32, 0, false,
							__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				return true;
			v = v32;
		}
	}
	return false;
}

/*
 * Apply the operation; return the new value. One loop serves all four operations: OR and AND that
 * return their result need a loop in any case, and SEM_SIGNAL is seldom contended.
 */
static uint64_t combine(uint32_t op, uint64_t old, uint64_t value)
{
	switch (op) {
	case ANPU_SEM_ADD:
		return old + value;
	case ANPU_SEM_OR:
		return old | value;
	case ANPU_SEM_AND:
		return old & value;
	default: /* ANPU_SEM_SET */
		return value;
	}
}

static uint64_t update64(uint64_t *sem, uint32_t op, uint64_t value)
{
	uint64_t old = __atomic_load_n(sem, __ATOMIC_RELAXED), new;

	do {
		new = combine(op, old, value);
	} while (!__atomic_compare_exchange_n(sem, &old, new, true, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	return new;
}

static uint64_t update32(uint32_t *sem, uint32_t op, uint32_t value)
{
	uint32_t old = __atomic_load_n(sem, __ATOMIC_RELAXED), new;

	do {
		new = combine(op, old, value);
	} while (!__atomic_compare_exchange_n(sem, &old, new, true, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	return new;
}

enum exec_result sema_signal(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_sem_signal *p = &q->pkt.sem_signal;
	uint32_t rw = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	uint64_t span, value;
	void *sem, *stamp = NULL;

	mmu_enter(&w->mmu, q->ctx.asid);
	sem = mmu_access(&w->mmu, p->addr, p->op == ANPU_SEM_SET ? ANPU_ACCESS_WRITE : rw, &span,
			 &w->fault);
	if (sem && p->timestamp)
		stamp = mmu_access(&w->mmu, p->timestamp, ANPU_ACCESS_WRITE, &span, &w->fault);
	if (!sem || (p->timestamp && !stamp)) {
		mmu_exit(&w->mmu);
		return EXEC_FAULT;
	}
	if (stamp)
		__atomic_store_n((uint64_t *)stamp, model_clock(q->m), __ATOMIC_RELEASE);
	value = p->width == 8 ? update64(sem, p->op, p->value) : update32(sem, p->op, p->value);
	mmu_exit(&w->mmu);
	if (p->hdr.flags & ANPU_SEM_IRQ)
		q->owed[q->n_owed++] = (struct anpu_event){
			.type = ANPU_EVENT_SIGNAL, .queue = q->id, .seq = q->completed + 1,
			.cookie = q->ctx.cookie, .data0 = p->addr, .data1 = value };
	parked_memory_written(w, sem);
	return EXEC_DONE;
}

static uint64_t deadline_of(struct queue *q, uint64_t timeout_us)
{
	uint64_t now = model_clock(q->m);

	if (timeout_us == ANPU_TIMEOUT_NEVER || timeout_us > (~0ULL - now) / 1000)
		return ~0ULL;
	return now + timeout_us * 1000;
}

enum exec_result sema_wait(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_sem_wait *p = &q->pkt.sem_wait;
	bool clear = p->hdr.flags & ANPU_SEM_CLEAR;
	uint32_t access = ANPU_ACCESS_READ | (clear ? ANPU_ACCESS_WRITE : 0);
	uint64_t span, value;
	void *sem;

	if (!q->waiting)
		q->wait_deadline = deadline_of(q, p->timeout_us);
	mmu_enter(&w->mmu, q->ctx.asid);
	sem = mmu_access(&w->mmu, p->addr, access, &span, &w->fault);
	if (!sem) {
		mmu_exit(&w->mmu);
		q->waiting = false;
		return EXEC_FAULT;
	}
	if (try_wait(p, sem)) {
		mmu_exit(&w->mmu);
		q->waiting = false;
		if (clear)
			parked_word_taken(w, sem);
		return EXEC_DONE;
	}
	value = load_sem(sem, p->width);
	/* a transient mapping ends with mmu_exit(): the semaphore cannot be watched through it */
	q->park_sem = mmu_transient(&w->mmu) ? NULL : sem;
	q->park_gen = w->mmu.gen;
	mmu_exit(&w->mmu);

	if (debug_attends(q->m))
		q->wait_deadline = ~0ULL;
	if (p->timeout_us == 0 || model_clock(q->m) >= q->wait_deadline) {
		q->waiting = false;
		fault_set(&w->fault, ANPU_FAULT_WAIT_TIMEOUT, ANPU_ACCESS_READ, p->addr,
			  "SEM_WAIT at 0x%llx: value 0x%llx did not meet condition %u of 0x%llx in %llu us",
			  (unsigned long long)p->addr, (unsigned long long)value, p->cond,
			  (unsigned long long)p->value, (unsigned long long)p->timeout_us);
		w->fault.size = p->width;
		return EXEC_FAULT;
	}
	q->waiting = true;
	q->park_deadline = q->wait_deadline;
	return EXEC_PARK;
}

/* Jumps ---------------------------------------------------------------------------------------- */

/* Read a word that a JUMP compares or selects by. Inside mmu_enter(). */
static bool read_word(struct worker *w, uint64_t addr, uint32_t width, uint64_t *value)
{
	uint64_t span;
	void *word = mmu_access(&w->mmu, addr, ANPU_ACCESS_READ, &span, &w->fault);

	if (!word) {
		w->fault.size = width;
		return false;
	}
	*value = load_sem(word, width);
	return true;
}

static bool jump_table(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_jump *p = &q->pkt.jump;
	uint64_t index, target;

	if (!read_word(w, p->addr, 4, &index))
		return false;
	if (index >= p->target)
		index = p->target - 1;
	if (!read_word(w, p->value + 4 * index, 4, &target))
		return false;
	if (target > q->ib_count) {
		fault_set(&w->fault, ANPU_FAULT_BAD_PACKET, ANPU_ACCESS_READ, p->value + 4 * index,
			  "JUMP: entry %llu of the table is %llu, the INDIRECT has %u packets",
			  (unsigned long long)index, (unsigned long long)target, q->ib_count);
		return false;
	}
	q->ib_next = target;
	return true;
}

static bool jump_if(struct worker *w, struct queue *q)
{
	const struct anpu_pkt_jump *p = &q->pkt.jump;
	bool is_signed = (p->hdr.flags & ANPU_JUMP_SIGNED) && p->cond >= ANPU_SEM_GT &&
			 p->cond <= ANPU_SEM_LE;
	/* with their sign bits inverted, signed numbers have the order of unsigned ones */
	uint64_t flip = is_signed ? 1ULL << (8 * p->width - 1) : 0;
	uint64_t word, value = p->value;

	if (!read_word(w, p->addr, p->width, &word))
		return false;
	if (p->hdr.flags & ANPU_JUMP_MEMORY) {
		if (!read_word(w, p->value, p->width, &value))
			return false;
		value &= p->mask;
	}
	if (anpu_model_compare(p->cond, (word & p->mask) ^ flip, value ^ flip, p->width))
		q->ib_next = p->target;
	return true;
}

/* JUMP: choose the packet of the INDIRECT that is next. */
enum exec_result sema_jump(struct worker *w, struct queue *q)
{
	uint16_t flags = q->pkt.hdr.flags;
	bool ok;

	if (flags & ANPU_JUMP_ALWAYS) {
		q->ib_next = q->pkt.jump.target;
		return EXEC_DONE;
	}
	mmu_enter(&w->mmu, q->ctx.asid);
	ok = flags & ANPU_JUMP_TABLE ? jump_table(w, q) : jump_if(w, q);
	mmu_exit(&w->mmu);
	return ok ? EXEC_DONE : EXEC_FAULT;
}
