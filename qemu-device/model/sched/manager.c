// SPDX-License-Identifier: MIT
/*
 * The manager thread: queue commands, device resets, and a tick of a millisecond for everything
 * that waits; others.c tells when it is shorter.
 *
 * A register write only notes a command. The manager takes the queue from its worker, which lets go
 * of it at the next packet boundary, or at once if the packet is to be killed, and carries the
 * command out.
 */
#include "internal.h"
#include "diag/inject.h"
#include "launch/early.h"
#include "sched/futex.h"
#include "sched/manager.h"
#include "sched/others.h"
#include "sched/parked.h"

/* ticks without anything waiting before the manager sleeps for good */
#define IDLE_TICKS	50
/* a packet that is executed without progress for so long is told as stalled */
#define STALL_NS	2000000000ULL

void manager_kick(struct anpu_model *m)
{
	atomic_fetch_add(&m->manager_wake, 1);
	futex_wake(&m->manager_wake, 1);
}

/* cmd_lock held, so that the manager does not see the command before this. */
static void interrupt_queue(struct queue *q, bool kill)
{
	atomic_fetch_or(&q->interrupt, kill ? INTERRUPT_CMD | INTERRUPT_KILL : INTERRUPT_CMD);
	for (unsigned int i = 0; kill && i < 2; i++)
		atomic_store(&q->jobs[i].k.stop, 1);
}

/* The injected fault that makes a command get lost. */
static enum anpu_inject fault_of(unsigned int cmd)
{
	if (cmd == ANPU_QUEUE_START)
		return ANPU_INJECT_START;
	return cmd == ANPU_QUEUE_RESET ? ANPU_INJECT_QUEUE_RESET : ANPU_INJECT_STOP;
}

/**
 * manager_command() - note a queue command
 *
 * Return: false if too many commands of this queue wait already.
 */
bool manager_command(struct anpu_model *m, unsigned int queue, unsigned int cmd, uint32_t arg)
{
	struct queue *q = &m->queues[queue];
	struct queue **at;

	if (inject(m, fault_of(cmd), queue))
		return true;
	pthread_mutex_lock(&m->cmd_lock);
	if (q->n_cmds == QUEUE_CMDS_MAX) {
		pthread_mutex_unlock(&m->cmd_lock);
		return false;
	}
	q->cmds[q->n_cmds++] = (struct queue_cmd){ cmd, arg };
	interrupt_queue(q, cmd == ANPU_QUEUE_STOP || cmd == ANPU_QUEUE_ABORT ||
			   cmd == ANPU_QUEUE_RESET || cmd == ANPU_QUEUE_HALT);
	if (!q->cmd_listed) {
		q->cmd_listed = true;
		q->cmd_next = NULL;
		for (at = &m->cmd_list; *at; at = &(*at)->cmd_next)
			;
		*at = q;
	}
	pthread_mutex_unlock(&m->cmd_lock);
	manager_kick(m);
	return true;
}

/* Return: true when the manager holds the queue. */
static bool take(struct queue *q)
{
	/* its holder reads manager_has, so the manager stores it only when it has become the holder */
	if (!q->manager_has &&
	    (pool_take(q) || ((atomic_load(&q->interrupt) & (INTERRUPT_KILL | INTERRUPT_END)) &&
			      job_abort(q))))
		q->manager_has = true;
	/* a kernel that has begun early ends with the queue's packet, or its own packet has been fetched and is to end */
	return q->manager_has && (!early_ends(q) || early_kill(q));
}

/* cmd_lock held */
static void remove_command(struct queue *q, unsigned int at)
{
	q->n_cmds--;
	for (unsigned int i = at; i < q->n_cmds; i++)
		q->cmds[i] = q->cmds[i + 1];
}

/* Take a queue without commands off the list, cmd_lock held. */
static void unlist(struct anpu_model *m, struct queue *q)
{
	struct queue **at = &m->cmd_list;

	while (*at != q)
		at = &(*at)->cmd_next;
	*at = q->cmd_next;
	q->cmd_listed = false;
	/* a reset may have begun meanwhile: it has set both bits and waits for the queue */
	atomic_store(&q->interrupt, atomic_load(&m->resetting) ? INTERRUPT_CMD | INTERRUPT_KILL : 0);
}

/* Take the next command; if there is none the queue leaves the list. Return: cmd 0 for none. */
static struct queue_cmd next_command(struct anpu_model *m, struct queue *q)
{
	struct queue_cmd cmd = { 0 };

	pthread_mutex_lock(&m->cmd_lock);
	if (q->n_cmds) {
		cmd = q->cmds[0];
		remove_command(q, 0);
	} else {
		unlist(m, q);
	}
	pthread_mutex_unlock(&m->cmd_lock);
	return cmd;
}

/*
 * cmd_lock held: is the command END_TASK of the packet that has begun last? Then workers that execute a part of it end
 * that. queue_end() counts the command, whether the packet ends by it or has ended before.
 */
static bool ends_packet(struct queue *q, const struct queue_cmd *c)
{
	uint64_t begun = atomic_load(&q->begun);

	if (c->cmd != ANPU_QUEUE_END_TASK || (uint32_t)begun != c->arg)
		return false;
	atomic_store(&q->end, begun);
	atomic_fetch_or(&q->interrupt, INTERRUPT_END);
	return true;
}

/*
 * The manager holds the queue: does a kernel that has begun early end by the next command, with a worker still in it?
 * Its packet may have been fetched without a worker having taken over the kernel.
 */
static bool early_still_runs(struct anpu_model *m, struct queue *q)
{
	pthread_mutex_lock(&m->cmd_lock);
	if (q->n_cmds)
		ends_packet(q, &q->cmds[0]);
	pthread_mutex_unlock(&m->cmd_lock);
	return early_ends(q) && !early_kill(q);
}

/*
 * Carry out commands while a worker executes the queue's packet, which may take hours. Most others
 * kill the packet, so that the queue is free soon; REFRESH waits for its end, and what can be done
 * at once does not wait for a REFRESH.
 *
 * Return: true if no command is left.
 */
static bool commands_at_once(struct anpu_model *m, struct queue *q)
{
	unsigned int i = 0;
	bool none;

	/* it is becoming HALTED, or not started: the manager can take it in a moment */
	if (!atomic_load(&q->live))
		return false;
	pthread_mutex_lock(&m->cmd_lock);
	while (i < q->n_cmds) {
		struct queue_cmd c = q->cmds[i];

		if (c.cmd == ANPU_QUEUE_REFRESH) {
			i++;
			continue;
		}
		if (c.cmd == ANPU_QUEUE_END_TASK) {
			if (ends_packet(q, &c))
				break;
			queue_count_command(q);
		} else if (c.cmd == ANPU_QUEUE_PRIORITY) {
			pool_set_priority(q, c.arg);
			queue_count_command(q);
		} else if (c.cmd == ANPU_QUEUE_HALT_ON_FAILURE || c.cmd == ANPU_QUEUE_GO_ON) {
			queue_set_halting(q, c.cmd == ANPU_QUEUE_HALT_ON_FAILURE);
		} else {
			break;
		}
		remove_command(q, i);
	}
	none = !q->n_cmds;
	if (none)
		unlist(m, q);
	pthread_mutex_unlock(&m->cmd_lock);
	return none;
}

/* Carry out a command for a queue that the manager holds. */
static void do_command(struct queue *q, struct queue_cmd c)
{
	bool lives = q->state == ANPU_QUEUE_RUNNING || q->state == ANPU_QUEUE_HALTED;

	switch (c.cmd) {
	case ANPU_QUEUE_START:
		queue_start(q);
		break;
	case ANPU_QUEUE_RESUME:
		queue_resume(q);
		break;
	case ANPU_QUEUE_STOP:
	case ANPU_QUEUE_RESET:
		q->stopping = !queue_stop(q, true);
		break;
	case ANPU_QUEUE_ABORT:
		q->stopping = !queue_abort(q);
		break;
	case ANPU_QUEUE_HALT:
		q->stopping = !queue_halt(q);
		break;
	case ANPU_QUEUE_REFRESH:
		queue_refresh(q);
		break;
	case ANPU_QUEUE_END_TASK:
		if (lives)
			queue_end(q, c.arg);
		break;
	case ANPU_QUEUE_PRIORITY:
		if (!lives)
			break;
		pool_set_priority(q, c.arg);
		queue_count_command(q);
		break;
	case ANPU_QUEUE_HALT_ON_FAILURE:
	case ANPU_QUEUE_GO_ON:
		if (lives)
			queue_set_halting(q, c.cmd == ANPU_QUEUE_HALT_ON_FAILURE);
		break;
	}
}

/* Return: false if the queue has to wait: for its worker, or for room in its event queue. */
static bool do_commands(struct anpu_model *m, struct queue *q)
{
	struct queue_cmd cmd;

	if (!take(q)) {
		if (q->manager_has || !commands_at_once(m, q))
			return false;
		/* a worker may have let go of the queue because of these commands */
		if (pool_take(q))
			pool_release(q);
		return true;
	}
	for (;;) {
		if (q->stopping) {
			if (!queue_flush(q))
				return false;
			q->stopping = false;
		}
		if (early_still_runs(m, q))
			return false;
		cmd = next_command(m, q);
		if (!cmd.cmd)
			break;
		do_command(q, cmd);
	}
	q->manager_has = false;
	pool_release(q);
	return true;
}

/* Return: true if commands are left that have to wait. */
static bool all_commands(struct anpu_model *m)
{
	struct queue *q, *next;
	bool left = false;

	pthread_mutex_lock(&m->cmd_lock);
	q = m->cmd_list;
	pthread_mutex_unlock(&m->cmd_lock);
	while (q) {
		struct queue *now = q;

		/* other threads only append to the list; only the manager removes queues */
		pthread_mutex_lock(&m->cmd_lock);
		next = q->cmd_next;
		pthread_mutex_unlock(&m->cmd_lock);
		q = next;
		if (!do_commands(m, now))
			left = true;
	}
	return left;
}

/* Reset ---------------------------------------------------------------------------------------- */

/**
 * manager_begin_reset() - from now on registers refuse writes and no system memory is mapped
 *
 * The manager stops all queues; this lasts until the reset is done.
 */
void manager_begin_reset(struct anpu_model *m)
{
	atomic_store(&m->resetting, 1);
	pthread_mutex_lock(&m->cmd_lock);
	for (unsigned int i = 0; i < m->cfg.queues; i++)
		interrupt_queue(&m->queues[i], true);
	pthread_mutex_unlock(&m->cmd_lock);
	manager_kick(m);
}

static void forget_commands(struct anpu_model *m)
{
	pthread_mutex_lock(&m->cmd_lock);
	for (unsigned int i = 0; i < m->cfg.queues; i++) {
		struct queue *q = &m->queues[i];

		q->n_cmds = 0;
		q->cmd_listed = false;
		q->cmd_next = NULL;
		q->stopping = false;
		atomic_store(&q->interrupt, 0);
	}
	m->cmd_list = NULL;
	pthread_mutex_unlock(&m->cmd_lock);
}

/* Return: true if the reset has to wait for a worker. */
static bool reset_step(struct anpu_model *m)
{
	bool left = false;

	if (inject_holds_reset(m))
		return true;
	for (unsigned int i = 0; i < m->cfg.queues; i++) {
		struct queue *q = &m->queues[i];

		if (!take(q)) {
			left = true;
			continue;
		}
		queue_stop(q, false);
		queue_forget(q);
	}
	if (left)
		return true;
	event_reset(m);
	regs_reset(m);
	forget_commands(m);
	for (unsigned int i = 0; i < m->cfg.queues; i++) {
		m->queues[i].manager_has = false;
		pool_release(&m->queues[i]);
	}
	mmu_invalidate(m, 0, true, INVAL_HOST);
	inject_reset_done(m);
	atomic_fetch_add(&m->resets, 1);
	atomic_store(&m->resetting, 0);
	return false;
}

/* Heartbeat ------------------------------------------------------------------------------------ */

/*
 * Returns the number, + 1, of a queue whose packet makes no progress, or 0. A worker that executes a
 * packet calls mmu_poll() every 50 us, except in the longest operations.
 */
static uint64_t stalled_queue(struct anpu_model *m)
{
	uint64_t now = model_clock(m);

	for (unsigned int i = 0; i < m->n_workers; i++) {
		struct worker *w = &m->workers[i];
		unsigned int busy = atomic_load_explicit(&w->busy, memory_order_relaxed);
		uint64_t turns = atomic_load_explicit(&w->mmu.turns, memory_order_relaxed);

		if (!busy || turns != w->seen_turns) {
			w->seen_turns = turns;
			w->seen_at = now;
		} else if (now - w->seen_at > STALL_NS) {
			return busy;
		}
	}
	return 0;
}

static void beat(struct anpu_model *m)
{
	uint32_t n = (uint32_t)atomic_load(&m->heartbeat) + 1;

	atomic_store(&m->heartbeat, n | stalled_queue(m) << 32);
}

/* The thread ----------------------------------------------------------------------------------- */

/* One round. Return: true if something waits for the next tick. */
static bool round_of_work(struct anpu_model *m)
{
	bool waiting;

	if (inject_frozen(m) && !atomic_load(&m->resetting))
		return true;
	beat(m);
	if (atomic_load(&m->resetting))
		waiting = reset_step(m);
	else
		waiting = all_commands(m);
	if (atomic_load(&m->n_parked)) {
		pool_wake(m, parked_examine(m, &m->manager_mmu, NULL));
		waiting = true;
	}
	return waiting;
}

static void sleep_deep(struct anpu_model *m, unsigned int seq)
{
	/* a worker that parks a queue counts it, then looks at manager_deep */
	atomic_store(&m->manager_deep, 1);
	if (!atomic_load(&m->n_parked) && !atomic_load(&m->exiting))
		futex_wait(&m->manager_wake, seq, 0);
	atomic_store(&m->manager_deep, 0);
}

/* A thread that stores foreign_since looks at manager_slow behind that: one of the two sees the other's */
static void sleep_tick(struct anpu_model *m, unsigned int seq)
{
	uint64_t tick;

	atomic_store(&m->manager_slow, 1);
	tick = others_tick(m);
	if (tick < TICK_NS)
		atomic_store(&m->manager_slow, 0);
	futex_wait(&m->manager_wake, seq, tick);
	atomic_store(&m->manager_slow, 0);
}

void *manager_main(void *arg)
{
	struct anpu_model *m = arg;
	unsigned int idle = 0, before = 0;

	while (!atomic_load(&m->exiting)) {
		unsigned int seq = atomic_load(&m->manager_wake);

		/* a round for which the thread was woken is no tick */
		if (round_of_work(m))
			idle = 0;
		else if (seq == before)
			idle++;
		before = seq;
		if (idle < IDLE_TICKS)
			sleep_tick(m, seq);
		else
			sleep_deep(m, seq);
	}
	return NULL;
}
