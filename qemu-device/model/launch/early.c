// SPDX-License-Identifier: MIT
/*
 * A kernel that begins before the one in front of it in its queue has completed (ANPU_LAUNCH_OVERLAP).
 *
 * A queue has one packet in hand, whose job is queue.job. When each block of that kernel has executed TRIGGER or ended,
 * and the next packet of the ring is a KERNEL that allows it, that becomes a job, too: queue.early, in the queue's other
 * struct job. Workers share its units as those of any job. For everybody outside it has not begun: the packet in front
 * completes first, and then this one is fetched, counted as started and gets its time limit anew; instead of making
 * a job, its execution takes over the one that there is, which may even be over. Its failure is told then. A command
 * that kills the packet in hand kills both.
 *
 * Only the worker that settles a unit of the job in front begins an early one. That job counts the worker as one that
 * executes a unit meanwhile, so it is not over, and nobody else touches what belongs to the queue's holder.
 */
#include <string.h>

#include "internal.h"
#include "diag/fault.h"
#include "diag/inject.h"
#include "launch/early.h"
#include "launch/launch.h"
#include "queue/packet.h"

/* Is there a packet behind the one in hand? */
static bool next_there(struct queue *q)
{
	uint64_t wptr = shared_load(&q->control->wptr), bell = atomic_load(&q->doorbell);

	if (bell > wptr)
		wptr = bell;
	return wptr > q->completed + 1 && wptr - q->completed <= q->mask + 1;
}

/** early_wanted() - may the kernel behind this job's begin, if there is one that allows it? */
bool early_wanted(struct job *job)
{
	struct queue *q = job->q;

	if (likely(job->type != JOB_KERNEL || atomic_load(&job->k.triggered) < job->total))
		return false;
	/* if the queue halts when this kernel fails, what is behind it must not have begun */
	if (job->early || job->looking || job->failed || job->done == job->total || q->early || q->ib_active || q->halts)
		return false;
	/* in deterministic mode the moment of the last TRIGGER decides */
	if (q->m->cfg.deterministic && job->looked)
		return false;
	job->looked = true;
	return q->not_early != job->seq + 1 && !atomic_load(&q->interrupt) && next_there(q) &&
	       !q->m->plan && !q->m->recording && !inject_armed(q->m, ANPU_INJECT_HANG, q->id);
}

/**
 * early_begin() - begin with the kernel behind the one in hand, if it allows that
 *
 * The lock is not held, and the job in front does not end meanwhile. Return: its job, or NULL.
 */
struct job *early_begin(struct worker *w, struct queue *q)
{
	struct job *job = &q->jobs[q->job == &q->jobs[0]];
	struct anpu_model *m = q->m;
	union anpu_packet pkt;

	memcpy(&pkt, q->ring + ((q->completed + 1) & q->mask) * ANPU_PACKET_SIZE, sizeof(pkt));
	__asm__ volatile("" : : : "memory");
	job->early = true;
	/* what is wrong with it is told when its turn comes */
	if (pkt.hdr.opcode != ANPU_OP_KERNEL || !(pkt.hdr.flags & ANPU_KERNEL_LAUNCH) ||
	    !packet_check(m, q, &pkt, &w->fault) || !job_make_kernel(w, job, &pkt.kernel)) {
		q->not_early = q->completed + 2;
		job->early = false;
		return NULL;
	}
	/* time that it waits for the one in front does not count: a new time begins with its turn */
	w->clock = model_clock(m);
	job_set_deadline(w, job);
	pthread_mutex_lock(&m->lock);
	if (!atomic_load(&q->interrupt)) {
		q->early = job;
		q->early_pkt = pkt;
		job->alone = false;
		job->active = true;
		job_update_listing(m, job);
	}
	pthread_mutex_unlock(&m->lock);
	if (q->early == job)
		return job;
	job->early = false;
	job_drop(job);
	return NULL;
}

/** early_take_over() - execute the packet in hand, which has begun early: its job becomes the queue's */
enum exec_result early_take_over(struct worker *w, struct queue *q)
{
	struct job *job = q->early;
	struct anpu_model *m = q->m;
	struct queue *finished;
	unsigned int waiting;
	bool over;

	pool_unwatch(w);
	pthread_mutex_lock(&m->lock);
	q->job = job;
	q->early = NULL;
	job->early = false;
	over = !job->active;
	waiting = job->blocked.n;
	if (!over) {
		job_set_deadline(w, job);
		core_kernel_front_ended(&job->k);
		job_update_listing(m, job);
	}
	pthread_mutex_unlock(&m->lock);
	if (over)
		return job_end(w, job);
	if (waiting > 1)
		pool_wake(m, waiting - 1);
	return job_work(w, job, &finished);
}

/** early_ends() - is a kernel that has begun early to be killed by the command that the manager is at? */
bool early_ends(struct queue *q)
{
	unsigned int wanted = atomic_load(&q->interrupt);

	return wanted & INTERRUPT_KILL ||
	       (wanted & INTERRUPT_END && q->early && q->early->seq == atomic_load(&q->end));
}

/**
 * early_kill() - end a kernel that has begun early, with the queue in the manager's hand and early_ends()
 *
 * Its packet fails when its turn comes, if it does. Return: false if a worker still executes a part of it.
 */
bool early_kill(struct queue *q)
{
	struct anpu_model *m = q->m;
	struct job *job = q->early;
	bool executing, running;

	if (!job)
		return true;
	pthread_mutex_lock(&m->lock);
	executing = job->executing;
	running = job->active;
	if (!executing && running) {
		job->active = false;
		pool_unlist_job(m, job);
	}
	pthread_mutex_unlock(&m->lock);
	if (executing)
		return false;
	job_drop(job);
	launch_abandoned(m, &m->manager_mmu, job);
	if (running && !job->failed) {
		job->failed = true;
		job->fault_unit = 0;
		job->fault_core = 0;
		fault_set(&job->fault, ANPU_FAULT_KILLED, 0, 0,
			  "the kernel was ended with the one in front of it, which it had begun beside");
	}
	return true;
}

/** early_forget() - the packet of a kernel that was killed is dropped */
void early_forget(struct queue *q)
{
	if (q->early)
		q->early->early = false;
	q->early = NULL;
}
