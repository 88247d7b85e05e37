// SPDX-License-Identifier: MIT
/*
 * The worker pool: which worker runs which queue, when workers sleep and what wakes them.
 *
 * A queue is held by one holder at a time (enum queue_hold). A doorbell pushes its queue on a
 * lock-free list and wakes a worker if no worker is watching, so an idle queue costs nothing. The
 * watcher that runs out of packets keeps its last queue and spins for a while, looking at that
 * queue and at everything else, before it sleeps.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/inject.h"
#include "queue/shadow.h"
#include "sched/futex.h"
#include "sched/manager.h"
#include "sched/others.h"
#include "sched/parked.h"

/* how spinning adapts, in multiples of the configured time: see adapt_spin() */
#define SPIN_GROWTH	8
#define SHORT_SLEEP	10
#define LONG_SLEEP	200
#define FROZEN_LOOK_NS	1000000

/* The watcher ----------------------------------------------------------------------------------- */

/*
 * At most one worker is the watcher: it looks at the list of kicked queues and at the ready lists
 * again within some BRIEF_NS, because it spins or because what it executes is short. While there is
 * a watcher, a thread that has work for the pool wakes no worker.
 *
 *   doorbell: push the queue on m->kicks         watcher: clear m->watcher, or find that it sleeps
 *             read m->watcher: 0? call a worker           read m->kicks: any? call a worker
 *
 * All four accesses are seq_cst, so one of the two threads sees what the other has written. While
 * there is a watcher the guest may ring shadow doorbells instead: see shadow.c.
 *
 * A thread that calls a worker stores WATCHER_CALLED to m->watcher, so that the next ones need not
 * call again before the worker runs, which may take long on a busy host. They rely on that worker
 * to look at m->kicks, which it does behind watch(). If the futex has woken nobody, there are two
 * cases. Either a worker was about to sleep: it takes WATCHER_CALLED back before its last look, and
 * a thread that saw WATCHER_CALLED had pushed its queue before. Or all workers are awake, and each
 * of them looks before it sleeps.
 */
#define WATCHER_CALLED	(~0U)

bool pool_watching(const struct worker *w)
{
	return atomic_load_explicit(&w->m->watcher, memory_order_relaxed) == w->id + 1;
}

/* Be the watcher, unless another worker is. */
static bool watch(struct worker *w)
{
	struct anpu_model *m = w->m;
	unsigned int now = atomic_load_explicit(&m->watcher, memory_order_relaxed);

	while (now == 0 || now == WATCHER_CALLED) {
		if (atomic_compare_exchange_weak(&m->watcher, &now, w->id + 1))
			now = w->id + 1;
	}
	if (now != w->id + 1)
		return false;
	shadow_promise(m);
	return true;
}

/* Take back a call that no worker has answered. */
static void uncall(struct anpu_model *m)
{
	if (atomic_load(&m->watcher) == WATCHER_CALLED)
		shadow_leave(m, WATCHER_CALLED);
}

/* Wake up to @n workers that sleep. Return: how many were woken. */
static unsigned int wake_sleepers(struct anpu_model *m, unsigned int n)
{
	unsigned int sleepers = atomic_load(&m->sleepers);

	if (n > sleepers)
		n = sleepers;
	if (!n)
		return 0;
	atomic_fetch_add(&m->wake, 1);
	count_add(&m->count.wakeups, n);
	return futex_wake(&m->wake, n);
}

/* Wake a worker if none is watching or on its way. */
static void call_watcher(struct anpu_model *m)
{
	unsigned int none = 0;

	if (atomic_load(&m->watcher) || !atomic_load(&m->sleepers))
		return;
	if (!atomic_compare_exchange_strong(&m->watcher, &none, WATCHER_CALLED))
		return;
	shadow_promise(m);
	atomic_store_explicit(&m->caller_cpu, sched_getcpu(), memory_order_relaxed);
	if (!wake_sleepers(m, 1))
		uncall(m);
}

/**
 * pool_wake() - make sure that up to @n workers look for work, the watcher included
 *
 * The work must have been made visible (seq_cst) before.
 */
void pool_wake(struct anpu_model *m, unsigned int n)
{
	if (!n)
		return;
	call_watcher(m);
	if (n > 1)
		wake_sleepers(m, n - 1);
}

/**
 * pool_unwatch() - the worker begins with something that may take long: others look at doorbells now
 */
void pool_unwatch(struct worker *w)
{
	struct anpu_model *m = w->m;

	if (!pool_watching(w))
		return;
	shadow_leave(m, w->id + 1);
	/* doorbells that rang just before relied on this worker */
	if (atomic_load(&m->kicks) || atomic_load(&m->n_work) || atomic_load(&m->calibrate_request))
		call_watcher(m);
}

/* Lists, all under m->lock --------------------------------------------------------------------- */

static void unlink_queue(struct queue **head, struct queue **tail, struct queue *q)
{
	if (q->prev)
		q->prev->next = q->next;
	else
		*head = q->next;
	if (q->next)
		q->next->prev = q->prev;
	else
		*tail = q->prev;
	q->next = NULL;
	q->prev = NULL;
}

void pool_ready(struct anpu_model *m, struct queue *q)
{
	unsigned int p = q->ctx.priority;

	q->hold = HOLD_READY;
	/* only turns of jobs are compared with it, so a device that copies and waits reads no clock */
	q->ready_since = m->jobs ? model_clock(m) : 0;
	q->next = NULL;
	q->prev = m->ready_tail[p];
	if (q->prev)
		q->prev->next = q;
	else
		m->ready_head[p] = q;
	m->ready_tail[p] = q;
	atomic_fetch_add(&m->n_work, 1);
}

static void unready(struct anpu_model *m, struct queue *q)
{
	unsigned int p = q->ctx.priority;

	unlink_queue(&m->ready_head[p], &m->ready_tail[p], q);
	atomic_fetch_sub(&m->n_work, 1);
}

void pool_list_job(struct anpu_model *m, struct job *job)
{
	struct job **at = &m->jobs;
	struct job *prev = NULL;

	while (*at && (*at)->priority <= job->priority) {
		prev = *at;
		at = &(*at)->next_job;
	}
	job->prev_job = prev;
	job->next_job = *at;
	if (*at)
		(*at)->prev_job = job;
	*at = job;
	job->listed = true;
	atomic_fetch_add(&m->n_work, 1);
}

void pool_unlist_job(struct anpu_model *m, struct job *job)
{
	if (!job->listed)
		return;
	if (job->prev_job)
		job->prev_job->next_job = job->next_job;
	else
		m->jobs = job->next_job;
	if (job->next_job)
		job->next_job->prev_job = job->prev_job;
	job->listed = false;
	atomic_fetch_sub(&m->n_work, 1);
}

/**
 * pool_kicked() - the queue's indices may have changed: its holder looks before it lets go, or a worker
 * does
 */
void pool_kicked(struct queue *q)
{
	if (q->hold == HOLD_NONE)
		pool_ready(q->m, q);
	else if (q->hold == HOLD_PARKED)
		parked_ready(q->m, q);
}

/** pool_drain_kicks() - queues whose doorbell rang since the last look become ready */
void pool_drain_kicks(struct anpu_model *m)
{
	struct queue *list, *ordered = NULL;

	shadow_take(m);
	if (!atomic_load(&m->kicks))
		return;
	/* turn the list round: the last doorbell stands first */
	list = atomic_exchange(&m->kicks, NULL);
	while (list) {
		struct queue *q = list;

		list = q->kick_next;
		q->kick_next = ordered;
		ordered = q;
	}
	while (ordered) {
		struct queue *q = ordered;

		ordered = q->kick_next;
		/*
		 * from here on a doorbell kicks again; the holder sees what was written before the
		 * last one
		 */
		atomic_store(&q->kicked, 0);
		pool_kicked(q);
	}
}

/* Holding queues ------------------------------------------------------------------------------- */

/**
 * pool_take() - the manager takes a queue that no worker has
 *
 * Return: false if a worker or a job has it; it will be released because of q->interrupt.
 */
bool pool_take(struct queue *q)
{
	struct anpu_model *m = q->m;
	bool taken = true;

	pthread_mutex_lock(&m->lock);
	switch (q->hold) {
	case HOLD_NONE:
		break;
	case HOLD_READY:
		unready(m, q);
		break;
	case HOLD_PARKED:
		parked_remove(m, q);
		break;
	case HOLD_OWNED:
		taken = false;
		break;
	}
	if (taken)
		q->hold = HOLD_OWNED;
	pthread_mutex_unlock(&m->lock);
	return taken;
}

/** pool_set_priority() - ANPU_QUEUE_PRIORITY; a packet that is being executed keeps its priority */
void pool_set_priority(struct queue *q, uint32_t priority)
{
	struct anpu_model *m = q->m;
	bool ready;

	pthread_mutex_lock(&m->lock);
	ready = q->hold == HOLD_READY;
	if (ready)
		unready(m, q);
	__atomic_store_n(&q->ctx.priority, priority, __ATOMIC_RELAXED);
	if (ready)
		pool_ready(m, q);
	pthread_mutex_unlock(&m->lock);
}

/**
 * pool_release() - let go of a queue that has nothing to do, or that the manager wants
 *
 * It becomes ready instead if packets or a doorbell arrived meanwhile.
 */
void pool_release(struct queue *q)
{
	struct anpu_model *m = q->m;
	bool ready = false;
	bool wanted;

	queue_stop_polling(q);
	pthread_mutex_lock(&m->lock);
	pool_drain_kicks(m);
	wanted = atomic_load(&q->interrupt) != 0;
	if (!wanted && (q->phase != PHASE_IDLE || q->ib_active || queue_has_work(q))) {
		pool_ready(m, q);
		ready = true;
	} else {
		q->hold = HOLD_NONE;
	}
	pthread_mutex_unlock(&m->lock);
	if (wanted)
		manager_kick(m);
	if (ready)
		pool_wake(m, 1);
}

/* Workers -------------------------------------------------------------------------------------- */

/* Lock held: is there a queue of priority 0 to @queues, or a job of a higher one than @jobs? */
static bool work_before(struct anpu_model *m, int queues, uint32_t jobs)
{
	pool_drain_kicks(m);
	for (int p = 0; p <= queues; p++)
		if (m->ready_head[p])
			return true;
	/* the list is sorted by priority */
	return m->jobs && m->jobs->priority < jobs;
}

/*
 * Lock held: find a job of this priority that no worker has had for as long as a turn takes. Until
 * then ready queues, and jobs that workers have, come before it; but these may never end.
 */
static struct job *overdue(struct anpu_model *m, uint32_t priority, uint64_t now)
{
	struct job *job = m->jobs;

	while (job && (job->priority < priority || job->executing || now < job->left ||
		       now - job->left < SLICE_NS))
		job = job->next_job;
	return job && job->priority == priority ? job : NULL;
}

/**
 * pool_urgent() - is there work that should not wait behind work of this priority?
 * @job: the job that the worker has, NULL if it has a queue
 *
 * The caller has read w->clock in this turn.
 */
bool pool_urgent(struct worker *w, uint32_t priority, const struct job *job)
{
	struct anpu_model *m = w->m;
	struct job *other;
	bool urgent;

	if (!atomic_load(&m->kicks) && !atomic_load(&m->n_work) && !shadow_rung(m))
		return false;
	pthread_mutex_lock(&m->lock);
	urgent = work_before(m, (int)priority, priority);
	if (!urgent && !m->cfg.deterministic) {
		other = overdue(m, priority, w->clock);
		urgent = other && other != job;
	}
	pthread_mutex_unlock(&m->lock);
	return urgent;
}

/**
 * pool_look() - a worker that executes packets of a queue looks whether there is other work
 * @priority: the queue's
 *
 * Less urgent work is left to another worker, which is woken if doorbells relied on this one.
 * Return: true if the worker should let go of the queue for more urgent work.
 */
bool pool_look(struct worker *w, uint32_t priority)
{
	struct anpu_model *m = w->m;

	w->streak = 0;
	w->looked = w->clock;
	if (pool_urgent(w, priority, NULL))
		return true;
	if (pool_watching(w) && atomic_load(&m->n_work))
		wake_sleepers(m, 1);
	return false;
}

/* Lock held: is there work of a higher priority than this job's? */
bool pool_outranked(struct anpu_model *m, const struct job *job)
{
	if (!atomic_load(&m->kicks) && !shadow_rung(m) && atomic_load(&m->n_work) <= (job->listed ? 1 : 0))
		return false;
	return work_before(m, (int)job->priority - 1, job->priority);
}

/*
 * More is ready than this worker takes. To wake another worker costs more than many a packet, and
 * the watcher comes back soon: it wakes another one only if this goes on for a while.
 */
static void share(struct worker *w, unsigned int more)
{
	if (!more)
		w->backlog = 0;
	else if (!pool_watching(w))
		pool_wake(w->m, more);
	else if (!w->backlog)
		w->backlog = w->clock;
	else if (w->clock - w->backlog >= BRIEF_NS)
		wake_sleepers(w->m, more);
}

/*
 * Lock held: find the job that goes before the ready queues. It must have waited for longer than the
 * queue at the head of the list: of two endless kernels one is always overdue, and a queue of their
 * priority takes its turn between them.
 */
static struct job *job_first(struct anpu_model *m, uint32_t p)
{
	struct job *job;

	if (!m->jobs || m->jobs->priority > p || m->cfg.deterministic)
		return NULL;
	job = overdue(m, m->jobs->priority, model_clock(m));
	if (job && job->priority == p && p < ANPU_PRIORITIES && m->ready_head[p]->ready_since < job->left)
		return NULL;
	return job;
}

static void pick(struct worker *w, struct queue **q, struct job **job)
{
	struct anpu_model *m = w->m;
	unsigned int more;
	uint32_t p = 0;

	*q = NULL;
	pthread_mutex_lock(&m->lock);
	pool_drain_kicks(m);
	while (p < ANPU_PRIORITIES && !m->ready_head[p])
		p++;
	*job = job_first(m, p);
	if (!*job && p < ANPU_PRIORITIES && (!m->jobs || p <= m->jobs->priority)) {
		*q = m->ready_head[p];
		unready(m, *q);
		(*q)->hold = HOLD_OWNED;
	} else if (m->jobs) {
		if (!*job)
			*job = m->jobs;
		/* move it behind the other jobs of its priority, so that they take turns */
		pool_unlist_job(m, *job);
		pool_list_job(m, *job);
	}
	more = atomic_load(&m->n_work) - (*job ? 1 : 0);
	pthread_mutex_unlock(&m->lock);
	w->looked = w->clock;
	share(w, more);
}

static void stop_lingering(struct worker *w)
{
	struct queue *q = w->linger;

	if (!q)
		return;
	w->linger = NULL;
	pool_release(q);
}

static bool something_to_do(struct anpu_model *m)
{
	return atomic_load_explicit(&m->kicks, memory_order_relaxed) ||
	       atomic_load_explicit(&m->n_work, memory_order_relaxed) ||
	       atomic_load_explicit(&m->calibrate_request, memory_order_relaxed) ||
	       atomic_load_explicit(&m->exiting, memory_order_relaxed) || shadow_rung(m);
}

/* Watch for work. Return: true if there is some: w->linger has it, or is to be let go of. */
static bool spin(struct worker *w)
{
	struct anpu_model *m = w->m;
	uint64_t end;
	bool found = false;

	/* another thread than the last caller, on whatever processor, lets parked queues go on */
	if (!m->spin_ns || (w->crowded && !atomic_load(&m->n_parked)) || !watch(w))
		return false;
	end = model_clock(m) + others_spin(m, atomic_load_explicit(&m->spin_now, memory_order_relaxed));
	do {
		/* the driver may have given their address only now, or the lock was taken before */
		shadow_promise(m);
		for (int i = 0; i < 16 && !found; i++) {
			found = something_to_do(m) ||
				(w->linger && (queue_has_work(w->linger) ||
					       atomic_load(&w->linger->interrupt)));
			if (!found)
				cpu_relax();
		}
		w->clock = model_clock(m);
		found = found || others_look(w);
	} while (!found && w->clock < end);
	return found;
}

/*
 * Spin longer next time if this sleep was short. A guest that itself slept until the device's
 * interrupt goes on at once; without this the device would sleep again just before, and each would
 * wait for the other to wake up, for ever. After a long sleep the time is the configured one again.
 */
static void adapt_spin(struct anpu_model *m, uint64_t slept)
{
	uint64_t now = atomic_load_explicit(&m->spin_now, memory_order_relaxed);

	if (slept < SHORT_SLEEP * m->spin_ns)
		now = now * 2 < SPIN_GROWTH * m->spin_ns ? now * 2 : SPIN_GROWTH * m->spin_ns;
	else if (slept > LONG_SLEEP * m->spin_ns)
		now = m->spin_ns;
	atomic_store_explicit(&m->spin_now, now, memory_order_relaxed);
}

static void sleep_worker(struct worker *w)
{
	struct anpu_model *m = w->m;
	unsigned int seq = atomic_load(&m->wake);
	uint64_t start = model_clock(m);

	core_spare_drop(&w->spare);
	atomic_fetch_add(&m->sleepers, 1);
	uncall(m);
	if (!atomic_load(&m->kicks) && !atomic_load(&m->n_work) &&
	    !atomic_load(&m->calibrate_request) && !atomic_load(&m->exiting))
		others_sleep(w, seq);
	atomic_fetch_sub(&m->sleepers, 1);
	/*
	 * Then Linux has put this thread on the processor of the one that woke it up, which cannot bring more work while this one spins:
	 * each round would take as long as the spinning
	 */
	w->crowded = atomic_load_explicit(&m->caller_cpu, memory_order_relaxed) == sched_getcpu();
	if (!w->crowded)
		adapt_spin(m, model_clock(m) - start);
}

static void calibrate(struct worker *w)
{
	struct anpu_model *m = w->m;
	uint64_t bytes = atomic_exchange(&m->calibrate_request, 0);
	uint64_t resets = atomic_load(&m->resets);
	uint64_t start, took = ~0ULL;
	char *buf;

	if (!bytes)
		return;
	buf = malloc(2 * bytes);
	if (buf) {
		/* touch all pages first: page faults are not to be measured */
		memset(buf, 1, 2 * bytes);
		start = model_clock(m);
		memcpy(buf, buf + bytes, bytes);
		__asm__ volatile("" : : "r"(buf) : "memory");
		took = model_clock(m) - start;
		free(buf);
	}
	if (resets == atomic_load(&m->resets))
		atomic_store(&m->calibrate, took ? took : 1);
	atomic_store(&m->calibrating, 0);
}

static void idle(struct worker *w)
{
	struct anpu_model *m = w->m;

	if (spin(w)) {
		struct queue *q = w->linger;

		/*
		 * the queue that it keeps goes first: the latency of a stream that launches and
		 * waits depends on this
		 */
		if (q && queue_has_work(q) && !inject_frozen(m)) {
			w->linger = NULL;
			queue_run(w, q);
			return;
		}
		stop_lingering(w);
		return;
	}
	/* sleep_worker() looks at doorbells that rang just before */
	if (pool_watching(w))
		shadow_leave(m, w->id + 1);
	stop_lingering(w);
	sleep_worker(w);
}

void *pool_worker(void *arg)
{
	struct worker *w = arg;
	struct anpu_model *m = w->m;

	while (!atomic_load(&m->exiting)) {
		struct queue *q = NULL;
		struct job *job = NULL;

		if (inject_frozen(m)) {
			stop_lingering(w);
			pool_unwatch(w);
			futex_wait(&m->inject_frozen, 1, FROZEN_LOOK_NS);
			continue;
		}
		watch(w);
		if (!w->linger || something_to_do(m))
			pick(w, &q, &job);
		if (q || job)
			stop_lingering(w);
		if (job) {
			enum exec_result r;

			/*
			 * only a hint, as the job may have ended; but its queue exists in any case
			 */
			atomic_store_explicit(&w->busy, job->q->id + 1, memory_order_relaxed);
			pool_unwatch(w);
			r = job_work(w, job, &q);
			atomic_store_explicit(&w->busy, 0, memory_order_relaxed);
			if (q)
				queue_job_done(w, q, r);
		} else if (q) {
			queue_run(w, q);
		} else if (atomic_load(&m->calibrate_request)) {
			stop_lingering(w);
			pool_unwatch(w);
			calibrate(w);
		} else {
			idle(w);
		}
	}
	stop_lingering(w);
	core_spare_drop(&w->spare);
	free(w->operations);
	return NULL;
}
