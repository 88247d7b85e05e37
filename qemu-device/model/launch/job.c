// SPDX-License-Identifier: MIT
/*
 * Jobs: KERNEL packets and large copies, whose units several workers share.
 *
 * A worker takes a unit under the lock, runs it for a turn without the lock, and settles it under
 * the lock. The worker that settles the last unit ends the job and goes on with its queue. A kernel
 * of one block is run without lists, until it is set aside for other work.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/debug.h"
#include "diag/fault.h"
#include "diag/postmortem.h"
#include "launch/early.h"
#include "launch/launch.h"
#include "sched/parked.h"

/* the turn of a block while other blocks wait for what it may do */
#define SLICE_BLOCKED_NS	100000ULL
/* a worker runs brief blocks one after the other for so long, and at most so many more */
#define ALONG_NS		10000ULL
#define ALONG_MAX		15U

/* Lists of units, lock held -------------------------------------------------------------------- */

static void push_tail(struct unit_list *l, struct unit *u)
{
	u->next = NULL;
	if (l->tail)
		l->tail->next = u;
	else
		l->head = u;
	l->tail = u;
	l->n++;
}

static struct unit *pop(struct unit_list *l)
{
	struct unit *u = l->head;

	if (!u)
		return NULL;
	l->head = u->next;
	if (!l->head)
		l->tail = NULL;
	l->n--;
	return u;
}

/* The list is sorted by progress, so that its head tells whether any unit may go on. */
static void push_blocked(struct unit_list *l, struct unit *u)
{
	struct unit **at = &l->head;

	if (!l->tail || l->tail->progress <= u->progress) {
		push_tail(l, u);
		return;
	}
	while ((*at)->progress <= u->progress)
		at = &(*at)->next;
	u->next = *at;
	*at = u;
	l->n++;
}

static bool blocked_can_go(const struct job *job)
{
	return job->blocked.head &&
	       job->blocked.head->progress != core_kernel_progress(&job->k);
}

/*
 * Are there units to hand out? When a copy has failed, units that were set aside before that place
 * still run: one of them may fail as well, and the fault at the lowest address is the one to tell.
 */
static bool has_units(const struct job *job)
{
	if (!job->active || job->executing >= job->cores)
		return false;
	if (job->failed)
		return job->type != JOB_KERNEL && job->ready.head;
	return job_has_fresh(job) || job->ready.head || blocked_can_go(job);
}

void job_update_listing(struct anpu_model *m, struct job *job)
{
	bool want = has_units(job);

	if (want && !job->listed)
		pool_list_job(m, job);
	else if (!want && job->listed)
		pool_unlist_job(m, job);
}

/* Failures ------------------------------------------------------------------------------------- */

/* Lock held. A copy has failed in unit @number: forget the units behind it. */
static void drop_above(struct job *job, uint32_t number)
{
	struct unit_list all = job->ready;
	struct unit *u;

	job->ready = (struct unit_list){ 0 };
	while ((u = pop(&all))) {
		if (u->number < number)
			push_tail(&job->ready, u);
		else
			free(u);
	}
}

/*
 * Lock held. Of several failures of a kernel the first is told, of a copy the one at the lowest
 * address.
 */
static void fail_job(struct job *job, const struct core_fault *f, const struct unit *u)
{
	atomic_store(&job->k.stop, 1);
	if (job->failed && (job->type == JOB_KERNEL || u->number > job->fault_unit))
		return;
	job->failed = true;
	job->fault = *f;
	job->fault_unit = u->number;
	job->fault_core = u->core;
	if (job->type != JOB_KERNEL)
		drop_above(job, u->number);
}

/* Linear number of the block that a unit is, or is a part of. */
/** job_ends() - is the job to end at once, although its packet may not be the one in hand? Return: the cause, or 0 */
uint32_t job_ends(const struct job *job)
{
	struct queue *q = job->q;
	unsigned int wanted = atomic_load_explicit(&q->interrupt, memory_order_acquire);

	if (likely(!(wanted & (INTERRUPT_KILL | INTERRUPT_END))))
		return 0;
	if (wanted & INTERRUPT_KILL)
		return ANPU_FAULT_KILLED;
	return atomic_load(&q->end) == job->seq ? ANPU_FAULT_ENDED : 0;
}

void job_set_where(struct worker *w, const struct job *job, const struct unit *u)
{
	if (job->type != JOB_KERNEL) {
		w->where.block = ANPU_FAULT_NO_BLOCK;
		return;
	}
	w->where = (struct fault_where){ job_block(job, u), u->number % job->subs, u->core,
					 job->k.pkt.core_type };
}

/* Jobs ----------------------------------------------------------------------------------------- */

/*
 * Does a new unit go before those that were set aside? While there are AI cores for it, or fewer live units than one block
 * has. The first block of a cluster does while there are AI cores for all of them, and the others do in any case, as blocks
 * that have begun may wait for them.
 */
static bool has_place(const struct job *job, uint32_t live)
{
	uint32_t cluster = job->type == JOB_KERNEL ? core_cluster_blocks(&job->k) : 1;

	if (cluster == 1)
		return live < (job->cores > job->subs ? job->cores : job->subs);
	return job->next % cluster ? true : live + cluster <= job->cores;
}

/*
 * Take a unit, lock held. New blocks start while there are AI cores for them. Then blocks that were
 * set aside go on. Only when all of these wait for others, more blocks start than there are AI
 * cores.
 */
static bool take(struct job *job, struct unit *u, uint64_t now)
{
	struct unit *aside = NULL;
	uint32_t live, number;
	bool fresh, place;

	/* if it is not active, another worker may be describing the next packet in it */
	if (!has_units(job))
		return false;
	live = job->executing + job->ready.n + job->blocked.n;
	place = has_place(job, live);
	fresh = !job->failed && job_has_fresh(job);
	/* a copy finishes the units that have begun first */
	if (!fresh || !place || job->type != JOB_KERNEL) {
		aside = pop(&job->ready);
		if (!aside && blocked_can_go(job))
			aside = pop(&job->blocked);
	}
	/* another worker may take the last one along meanwhile */
	if (!aside && (!fresh || !job_next(job, &number)))
		return false;
	job->executing++;
	if (aside) {
		*u = *aside;
		free(aside);
	} else {
		*u = (struct unit){ .number = number, .along = place ? job->along : 0 };
	}
	if (job->type == JOB_KERNEL && !u->b)
		busy_begins(job->q->m, job, u->number, now);
	return true;
}

/* Lock held: a kernel's unit gives back its AI core. */
static void end_busy(const struct job *job, const struct unit *u, uint64_t now)
{
	if (job->type == JOB_KERNEL)
		busy_ends(job->q->m, job, u->number, now);
}

/* Into one of the job's lists, lock held. */
static void put(struct worker *w, struct job *job, struct unit_list *l, const struct unit *u, uint64_t now)
{
	struct unit *copy = malloc(sizeof(*copy));

	if (!copy) {
		struct unit lost = *u;

		fault_set(&w->fault, ANPU_FAULT_INTERNAL, 0, 0,
			  "the device's host has no memory to set %s %u aside",
			  job->type == JOB_KERNEL ? "block" : "piece", u->number / job->subs);
		fail_job(job, &w->fault, u);
		job_end_block(w->m, &lost, false);
		if (u->b)
			end_busy(job, u, now);
		return;
	}
	*copy = *u;
	if (l == &job->blocked)
		push_blocked(l, copy);
	else
		push_tail(l, copy);
}

/* Put a unit that has not ended back into a list, lock held. */
void job_set_aside(struct worker *w, struct job *job, const struct unit *u, bool blocked,
		      uint64_t now)
{
	/* the copy has failed at a lower address: this unit is not needed */
	if (job->failed && job->type != JOB_KERNEL && u->number > job->fault_unit)
		return;
	put(w, job, blocked ? &job->blocked : &job->ready, u, now);
}

/* Lock held. A turn that has ended well took @ns: as long as blocks are brief, some are taken along with the next one. */
static void plan_along(struct job *job, const struct unit *u, uint64_t ns)
{
	uint64_t each = ns / (u->ended + 1);

	job->along = each >= ALONG_NS || !job_takes_along(job) ? 0 : ALONG_MAX;
	if (job->along && each > ALONG_NS / ALONG_MAX)
		job->along = (uint32_t)(ALONG_NS / each);
}

/* @ns: what the turn took */
static void settle(struct worker *w, struct job *job, struct unit *u, enum core_result r, uint64_t now, uint64_t ns)
{
	job->executing--;
	job->done += u->ended;
	if (r == CORE_DONE)
		plan_along(job, u, ns);
	else
		job->along = 0;
	u->ended = 0;
	u->along = 0;
	if (r == CORE_DONE || r == CORE_FAULT)
		end_busy(job, u, now);
	else if (job->type == JOB_KERNEL)
		busy_goes_on(job->q->m, job, now);
	switch (r) {
	case CORE_DONE:
		job->done++;
		break;
	case CORE_FAULT:
		fail_job(job, &w->fault, u);
		break;
	case CORE_MORE:
	case CORE_BLOCKED:
		job_set_aside(w, job, u, r == CORE_BLOCKED, now);
		break;
	}
	if (!job->executing)
		job->left = now;
}

/* Lock held, and no unit is executing: do all blocks wait for each other? */
static bool deadlocked(struct job *job)
{
	/* one that has begun early may wait for the kernel in front */
	return !job->failed && !job->early && job->done < job->total && !has_units(job);
}

/* Is the job over? Lock held. If so, only the caller has the job and its queue: it ends the packet. */
bool job_over(struct job *job)
{
	if (!job->active || job->executing)
		return false;
	if (deadlocked(job)) {
		struct core_fault f;
		struct unit *u;
		uint32_t number;

		fault_set(&f, ANPU_FAULT_DEADLOCK, 0, 0, "all blocks wait for each other");
		number = core_kernel_deadlock(&job->k, &f);
		for (u = job->blocked.head; u->next; u = u->next)
			if (job_block(job, u) * job->subs + u->number % job->subs == number)
				break;
		fail_job(job, &f, u);
	}
	if (job->failed ? has_units(job) : job->done < job->total)
		return false;
	job->active = false;
	pool_unlist_job(job->q->m, job);
	/* the result of one that has begun early is for the queue's holder, when its packet's turn comes */
	return !job->early;
}

static void free_units(struct job *job, struct unit_list *l)
{
	struct anpu_model *m = job->q->m;
	uint64_t now = l->head ? model_clock(m) : 0;
	struct unit *u;

	while ((u = pop(l))) {
		bool begun = u->b != NULL;

		job_end_block(m, u, false);
		pthread_mutex_lock(&m->lock);
		if (begun)
			end_busy(job, u, now);
		pthread_mutex_unlock(&m->lock);
		free(u);
	}
}

static struct unit *find_unit(const struct unit_list *l, uint32_t number)
{
	struct unit *u = l->head;

	while (u && u->number != number)
		u = u->next;
	return u;
}

/** job_drop() - give back what a job has that nobody executes */
void job_drop(struct job *job)
{
	free_units(job, &job->ready);
	free_units(job, &job->blocked);
	if (job->type == JOB_KERNEL && job->k.sync)
		core_kernel_fini(&job->k);
}

enum exec_result job_end(struct worker *w, struct job *job)
{
	struct queue *q = job->q;
	struct unit at = { .number = job->fault_unit, .core = job->fault_core };

	if (unlikely(job->failed && job->fault.cause == ANPU_FAULT_DEADLOCK)) {
		struct unit *u = find_unit(&job->blocked, job->fault_unit);

		debug_failed(w, job, u, &job->fault);
		if (q->m->core_file)
			postmortem_of_deadlock(w, job);
	}
	job_drop(job);
	if (job->type == JOB_KERNEL && !launch_words(w->m, &w->mmu, job, true, &w->fault) && !job->failed) {
		job->failed = true;
		job->fault = w->fault;
	}
	if (job->failed) {
		w->fault = job->fault;
		job_set_where(w, job, &at);
	} else if (job->type != JOB_KERNEL) {
		shared_write(&q->status->copy_bytes,
			     shared_read(&q->status->copy_bytes) + job->size);
		count_add(&w->m->count.copy_bytes, job->size);
	}
	parked_memory_written(w, NULL);
	return job->failed ? EXEC_FAULT : EXEC_DONE;
}

/* How long the next turn may be, lock held. */
static uint64_t slice_of(const struct job *job)
{
	/* a kernel that runs longer is worth waking others for */
	if (job->alone)
		return BRIEF_NS;
	return job->blocked.n ? SLICE_BLOCKED_NS : SLICE_NS;
}

/*
 * How many workers to wake after a unit, lock held. To wake one costs more than a small kernel, so
 * a small kernel is left to the worker that has begun it.
 */
static unsigned int helpers(struct job *job, enum core_result r, uint64_t now)
{
	unsigned int n = blocked_can_go(job) ? job->blocked.n : 0;
	unsigned int room = job->cores - job->executing;

	if (job->alone) {
		if (r == CORE_DONE && now - job->started < BRIEF_NS)
			return 0;
		job->alone = false;
		n = job->total - atomic_load_explicit(&job->next, memory_order_relaxed) + job->ready.n;
	}
	return n < room ? n : room;
}

/*
 * Lock held; all blocks of the job have told that the kernel behind it need not wait for them. Begin with that.
 *
 * Return: true: the worker goes on with it, it is in *@at, and others have the units of the one in front. The lock was
 * released meanwhile, so it may be over already, and be another job by now, as in job_work().
 */
static bool next_early(struct worker *w, struct job **at, uint64_t now)
{
	struct anpu_model *m = w->m;
	struct job *job = *at, *next;

	/* counted as executing, the job does not end meanwhile */
	job->executing++;
	job->looking = true;
	pthread_mutex_unlock(&m->lock);
	next = early_begin(w, job->q);
	pthread_mutex_lock(&m->lock);
	job->looking = false;
	if (!--job->executing)
		job->left = now;
	/* one that is over is ended by the caller, also if it has failed before all of its blocks have begun */
	if (!next || (job->failed ? !job->executing : job->done == job->total))
		return false;
	job->alone = false;
	job_update_listing(m, job);
	*at = next;
	pthread_mutex_unlock(&m->lock);
	pool_unwatch(w);
	pool_wake(m, 1);
	pthread_mutex_lock(&m->lock);
	return true;
}

/**
 * job_work() - execute units of a job until there are none, or something more urgent turns up
 * @finished: out: the job's queue, which is the caller's now, if the job is over; else NULL
 *
 * The job may have ended, and be the queue's next one, before the lock is taken.
 */
enum exec_result job_work(struct worker *w, struct job *job, struct queue **finished)
{
	struct anpu_model *m = w->m;
	uint64_t slice, now = model_clock(m), begun = now, turn;
	struct unit u;
	bool ended = false, alone;

	*finished = NULL;
	pthread_mutex_lock(&m->lock);
	while (take(job, &u, now)) {
		uint32_t priority = job->priority;
		unsigned int woken;
		enum core_result r;
		bool outranked, turn_over;

		job_update_listing(m, job);
		slice = slice_of(job);
		alone = job->alone;
		pthread_mutex_unlock(&m->lock);
		if (!alone)
			pool_unwatch(w);
		r = job_run_unit(w, job, &u, slice);
		turn = now;
		now = model_clock(m);
		pthread_mutex_lock(&m->lock);
		settle(w, job, &u, r, now, now - turn);
		if (unlikely(early_wanted(job)) && next_early(w, &job, now))
			continue;
		ended = job_over(job);
		if (ended)
			break;
		woken = helpers(job, r, now);
		job_update_listing(m, job);
		/*
		 * units may all be shorter than a turn; deterministic mode does not interrupt
		 * kernels
		 */
		outranked = !m->cfg.deterministic && pool_outranked(m, job);
		turn_over = (r == CORE_MORE || now - begun >= SLICE_NS) && !m->cfg.deterministic;
		if (!woken && r == CORE_DONE && !outranked && !turn_over)
			continue;
		pthread_mutex_unlock(&m->lock);
		if (woken) {
			pool_unwatch(w);
			pool_wake(m, woken);
		}
		w->clock = now;
		if (outranked || (turn_over && pool_urgent(w, priority, job))) {
			count_add(&m->count.preemptions, 1);
			return EXEC_ASYNC;
		}
		if (turn_over)
			begun = now;
		pthread_mutex_lock(&m->lock);
	}
	/* the last ones may have been taken along without the lock */
	job_update_listing(m, job);
	pthread_mutex_unlock(&m->lock);
	if (!ended)
		return EXEC_ASYNC;
	*finished = job->q;
	return job_end(w, job);
}

/* Offer the job to all workers and begin with it. */
enum exec_result job_begin(struct worker *w, struct job *job)
{
	struct anpu_model *m = w->m;
	struct queue *finished;
	unsigned int wake = 0;

	job->alone = job->type == JOB_KERNEL;
	if (job->alone)
		job->started = model_clock(m);
	else
		wake = job->total - 1;
	if (!job->alone)
		pool_unwatch(w);
	pthread_mutex_lock(&m->lock);
	job->active = true;
	job_update_listing(m, job);
	pthread_mutex_unlock(&m->lock);
	if (wake)
		pool_wake(m, wake);
	return job_work(w, job, &finished);
}

void job_reset(struct job *job, enum job_type type, uint32_t total, uint32_t cores)
{
	job->type = type;
	job->seq = job->q->completed + 1 + job->early;
	job->looking = false;
	job->looked = false;
	atomic_store_explicit(&job->begun, 0, memory_order_relaxed);
	job->failed = false;
	job->subs = 1;
	job->total = total;
	atomic_store_explicit(&job->next, 0, memory_order_relaxed);
	job->cores = cores;
	job->along = 0;
	job->executing = 0;
	job->done = 0;
	job->deadline = ~0ULL;
	job->left = ~0ULL;
}

/** job_set_deadline() - the job's time begins; w->clock: when the packet was fetched */
void job_set_deadline(const struct worker *w, struct job *job)
{
	uint64_t now = w->clock;

	if (job->limit_us != ANPU_TIMEOUT_NEVER && job->limit_us <= (~0ULL - now) / 1000)
		job->deadline = now + job->limit_us * 1000;
}

uint64_t job_limit_of(struct anpu_model *m, uint64_t timeout_us)
{
	if (timeout_us != ANPU_TIMEOUT_DEFAULT)
		return timeout_us;
	return atomic_load(&m->timeout) ? atomic_load(&m->timeout) : ANPU_TIMEOUT_NEVER;
}

/** job_start_dma() - run what q->job describes: a copy, a fill, a reduction or random numbers */
enum exec_result job_start_dma(struct worker *w, struct queue *q)
{
	struct job *job = q->job;

	job_reset(job, job->type, job->total, w->m->cfg.cores);
	job->priority = queue_priority(q);
	/* address space 0 is the driver's, which clears memory, however long that takes */
	job->limit_us = job_limit_of(w->m, ANPU_TIMEOUT_DEFAULT);
	if (q->ctx.asid)
		job_set_deadline(w, job);
	return job_begin(w, job);
}

/**
 * job_abort() - the manager ends a job whose units are all set aside
 * @q: queue with INTERRUPT_KILL, or with INTERRUPT_END if the packet to be ended is the job's
 *
 * Return: true if there was one. Then the manager has the queue, with the packet still in hand.
 */
bool job_abort(struct queue *q)
{
	struct anpu_model *m = q->m;
	struct job *job;
	bool mine;

	pthread_mutex_lock(&m->lock);
	job = q->job;
	mine = job->active && !job->executing &&
	       ((atomic_load(&q->interrupt) & INTERRUPT_KILL) || job->seq == atomic_load(&q->end));
	if (mine) {
		job->active = false;
		pool_unlist_job(m, job);
	}
	pthread_mutex_unlock(&m->lock);
	if (!mine)
		return false;
	job_drop(job);
	launch_abandoned(m, &m->manager_mmu, job);
	return true;
}
