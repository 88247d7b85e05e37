// SPDX-License-Identifier: MIT
/* KERNEL packets: what a job is made of, and kernels of one block, which need no lists. */
#include "internal.h"
#include "diag/debug.h"
#include "diag/fault.h"
#include "diag/postmortem.h"
#include "diag/print.h"
#include "diag/record.h"
#include "diag/trace.h"
#include "launch/early.h"
#include "launch/launch.h"
#include "sched/parked.h"

/* The only block has had its turn and others want to run, or the kernel behind does: it becomes a listed job. */
static enum exec_result list_single(struct worker *w, struct job *job, struct unit *u)
{
	struct anpu_model *m = w->m;
	uint64_t now = model_clock(m);
	bool ended;

	/* from now on any worker may run it */
	job->k.spare = NULL;
	busy_single_ends(w, job->q, now);
	pthread_mutex_lock(&m->lock);
	busy_begins(m, job, u->number, now);
	job->active = true;
	job->alone = false;
	atomic_store(&job->next, 1);
	job->left = now;
	job_set_aside(w, job, u, false, now);
	ended = job_over(job);
	job_update_listing(m, job);
	pthread_mutex_unlock(&m->lock);
	return ended ? job_end(w, job) : EXEC_ASYNC;
}

/* The kernel behind has begun: the worker goes on with that, and the only block of the one in front waits its turn. */
static enum exec_result leave_single(struct worker *w, struct job *job, struct unit *u, struct job *next)
{
	enum exec_result r = list_single(w, job, u);
	struct queue *finished;

	if (r != EXEC_ASYNC)
		return r;
	pool_unwatch(w);
	pool_wake(w->m, 1);
	return job_work(w, next, &finished);
}

/* Execute a kernel of one block, without lists while nothing else wants to run. */
static enum exec_result run_single(struct worker *w, struct job *job)
{
	uint64_t slice = pool_watching(w) ? BRIEF_NS : SLICE_NS;
	struct unit u = { .number = 0 };
	enum core_result r;
	struct job *next;
	bool long_slice;

	busy_single_begins(w, &job->k.pkt);
	do {
		r = job_run_unit(w, job, &u, slice);
		long_slice = slice == SLICE_NS;
		slice = SLICE_NS;
		if (r == CORE_MORE || r == CORE_BLOCKED)
			pool_unwatch(w);
		if (r == CORE_BLOCKED && u.progress == core_kernel_progress(&job->k)) {
			fault_set(&w->fault, ANPU_FAULT_DEADLOCK, 0, 0,
				  "the only block waits for another one");
			core_kernel_deadlock(&job->k, &w->fault);
			debug_failed(w, job, &u, &w->fault);
			if (unlikely(w->m->core_file))
				postmortem(w, job, &u);
			job_end_block(w->m, &u, false);
			r = CORE_FAULT;
		}
		if (r == CORE_MORE && unlikely(early_wanted(job)) && (next = early_begin(w, job->q)))
			return leave_single(w, job, &u, next);
		if (r != CORE_MORE || !long_slice)
			continue;
		w->clock = model_clock(w->m);
		busy_single_goes_on(w, job->q, w->clock);
		if (pool_urgent(w, job->priority, job)) {
			count_add(&w->m->count.preemptions, 1);
			return list_single(w, job, &u);
		}
	} while (r != CORE_DONE && r != CORE_FAULT);
	core_kernel_fini(&job->k);
	if (r == CORE_FAULT)
		job_set_where(w, job, &u);
	if (unlikely(atomic_load(&job->words)))
		launch_abandoned(w->m, &w->mmu, job);
	parked_memory_written(w, NULL);
	return r == CORE_DONE ? EXEC_DONE : EXEC_FAULT;
}

static uint64_t kernel_clock(void *ctx)
{
	return operator_clock(ctx);
}

static bool kernel_print(void *ctx, struct mmu *mmu, const struct core_text *text,
			 struct core_fault *fault)
{
	struct job *job = ctx;
	struct anpu_model *m = job->q->m;

	if (m->ops.print)
		m->ops.print(m->ctx, job->q->id, job->k.pkt.hdr.task_id, text->block, text->text,
			     text->len);
	return print_text(mmu, job, text, fault);
}

static uint32_t units_of(const struct anpu_pkt_kernel *p)
{
	return p->grid_x * p->grid_y * p->grid_z * core_sub_blocks(p);
}

/**
 * job_make_kernel() - make a job of a KERNEL packet
 * @job: with @early as it is to be; one that is early has to allow that
 *
 * Return: false: @w->fault is filled
 */
bool job_make_kernel(struct worker *w, struct job *job, const struct anpu_pkt_kernel *pkt)
{
	struct anpu_model *m = w->m;
	struct core_kernel *k = &job->k;

	k->pkt = *pkt;
	if (m->cfg.check)
		k->pkt.hdr.flags |= ANPU_KERNEL_CHECK;
	if (!launch_read(w, job) || (job->early && !(k->launch.flags & ANPU_LAUNCH_OVERLAP)))
		return false;
	k->code = mmu_code(m, job->q->ctx.asid);
	k->clock = kernel_clock;
	k->clock_ctx = m;
	k->cores = m->cfg.cores;
	k->print = kernel_print;
	k->print_ctx = job;
	k->time_pipes = job->q->ctx.trace != 0;
	job->operations = k->time_pipes && trace_wants_operations(w, job->q);
	k->sync = NULL;
	k->behind = job->early;
	k->spare = units_of(&k->pkt) == 1 && !job->early ? &w->spare : NULL;
	if (!k->code) {
		fault_set(&w->fault, ANPU_FAULT_INTERNAL, 0, 0,
			  "the device's host has no memory for decoded code");
		return false;
	}
	if (k->pkt.hdr.flags & ANPU_KERNEL_CODE_SYNC)
		code_cache_invalidate(k->code);
	/* clear stop, then look at interrupt: the manager sets interrupt, then stop */
	if (atomic_load(&k->stop))
		atomic_store(&k->stop, 0);
	if (!core_kernel_init(k, &w->fault))
		return false;
	job_reset(job, JOB_KERNEL, 0, m->cfg.cores);
	if (k->pkt.max_cores && k->pkt.max_cores < job->cores)
		job->cores = k->pkt.max_cores;
	job->subs = core_sub_blocks(&k->pkt);
	job->total = units_of(&k->pkt);
	job->priority = queue_priority(job->q);
	if (k->pkt.priority > job->priority)
		job->priority = k->pkt.priority;
	job->limit_us = job_limit_of(m, k->pkt.timeout_us);
	return true;
}

/** job_start_kernel() - run the KERNEL packet in the queue's hand */
enum exec_result job_start_kernel(struct worker *w, struct queue *q)
{
	struct job *job = q->job;

	if (unlikely(q->early))
		return early_take_over(w, q);
	/* the queue's next kernel is likely to take as long as its last one */
	if (!q->brief)
		pool_unwatch(w);
	if (!job_make_kernel(w, job, &q->pkt.kernel)) {
		if (unlikely(atomic_load(&job->words)))
			launch_abandoned(w->m, &w->mmu, job);
		return EXEC_FAULT;
	}
	job_set_deadline(w, job);
	return job->total == 1 ? run_single(w, job) : job_begin(w, job);
}
