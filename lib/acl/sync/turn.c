// SPDX-License-Identifier: MIT
/*
 * The threads that run calls: of the runtime, and of the program while they are in aclrtProcessReport().
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "sync/calls.h"

/*
 * Lets the stream go on. The store does it; the device sees it within a millisecond, or at once
 * when a packet writes memory, so one adds 0.
 */
static struct anpu_stream *let_go(const struct anpu_call *call, uint64_t *va)
{
	struct anpu_stream *s = call->stream, *wake;

	if (!s || !call->done)
		return NULL;
	__atomic_store_n(&s->call_slot.cpu->value, call->done, __ATOMIC_RELEASE);
	*va = s->call_slot.va;
	wake = __atomic_load_n(&s->obj.dev->wake, __ATOMIC_ACQUIRE);
	if (wake)
		anpu_stream_get(wake);
	return wake;
}

/*
 * A thread serves a reporter. Functions of the program may end it at any place: they may throw (C++), or
 * call pthread_exit() or longjmp(), and the thread may be cancelled; the wait for a call, too. @jump makes
 * longjmp() call end_turn(): the C library runs handlers whose frames it leaves.
 */
struct turn {
	struct anpu_reporter *r;
	struct anpu_call *running; /* its function: the lock is not held */
	bool over;
	bool watches; /* @jump is registered */
#ifdef __GLIBC__
	struct _pthread_cleanup_buffer jump;
#endif
};

#ifdef __GLIBC__
/* Exported by the C library for programs of old, and declared nowhere */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *arg)
	__attribute__((weak));
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute) __attribute__((weak));

static void watch_jumps(struct turn *t, void (*jumped)(void *turn))
{
	if (!_pthread_cleanup_push || !_pthread_cleanup_pop)
		return;
	_pthread_cleanup_push(&t->jump, jumped, t);
	t->watches = true;
}

static void end_watching(struct turn *t)
{
	if (t->watches)
		_pthread_cleanup_pop(&t->jump, 0);
}
#else
/* In other C libraries longjmp() runs no handlers, so a function of the program must not leave by it */
static void watch_jumps(struct turn *t, void (*jumped)(void *turn))
{
	(void)t;
	(void)jumped;
}

static void end_watching(struct turn *t)
{
	(void)t;
}
#endif

/* The function has returned, or its frames are gone; takes the lock */
static void end_running(struct turn *t)
{
	struct anpu_call *call = t->running;
	struct anpu_stream *wake;
	union anpu_packet pkt;
	uint64_t va = 0;

	acl_cancel_forbid();
	acl_set_callback(ACL_IN_NOTHING);
	t->running = NULL;
	pthread_mutex_lock(&anpu_calls_lock);
	wake = let_go(call, &va);
	t->r->running = NULL;
	anpu_call_release(call);
	if (!wake)
		return;
	pthread_mutex_unlock(&anpu_calls_lock);
	pkt = anpu_signal_packet(va, 0, 0, ANPU_SEM_ADD);
	/* if this fails, the device is slower to see the store, or the stream has ended */
	(void)anpu_stream_submit(wake, &pkt, NULL);
	anpu_stream_put(wake);
	pthread_mutex_lock(&anpu_calls_lock);
}

/* Releases the lock, which is held unless a function runs */
static void end_turn(struct turn *t)
{
	if (t->over)
		return;
	t->over = true;
	end_watching(t);
	if (t->running)
		end_running(t);
	t->r->busy = false;
	anpu_reporter_drop_if_idle(t->r);
	pthread_mutex_unlock(&anpu_calls_lock);
}

static void jumped(void *arg)
{
	end_turn(arg);
	acl_cancel_allow();
}

static void run_function(const struct anpu_call *call)
{
	struct anpu_traced e = { .what = ANPU_TRACED_CALLBACK, .a = (uintptr_t)call->fn };
	/* the function may end the call's stream */
	uint32_t stream = call->stream ? (uint32_t)call->stream->number : 0;

	if (!anpu_traces()) {
		call->fn(call->arg);
		return;
	}
	e.begin = anpu_trace_now();
	e.thread = anpu_trace_thread();
	e.track = stream;
	call->fn(call->arg);
	e.end = anpu_trace_now();
	anpu_trace_add(&e);
}

/* Runs the first call of the queue; lock held, and released meanwhile */
static void run_first(struct turn *t)
{
	struct anpu_reporter *r = t->r;
	struct anpu_call *call = r->first;
	struct anpu_device *dev = call->stream ? call->stream->obj.dev : NULL;

	r->first = call->next;
	r->running = call;
	if (dev)
		anpu_device_get(dev);
	pthread_mutex_unlock(&anpu_calls_lock);
	if (dev) {
		anpu_stream_hooks.progress(dev); /* what the stream has printed before */
		anpu_device_put(dev);
	}
	t->running = call;
	acl_set_callback(call->kind);
	if (r->thread_id)
		acl_cancel_allow();
	if (anpu_checking() && call->stream)
		anpu_races_synced(call->stream->number, call->seq);
	run_function(call);
	end_running(t);
}

static int start_thread(struct anpu_reporter *r, pthread_t *thread);
static void *run_calls(void *arg);

/*
 * A function has called pthread_exit(): that is its return, and another thread runs the reporter's other
 * calls. If none can be made, they run in the rest of this thread's life.
 */
static void replace_thread(struct turn *t)
{
	struct anpu_reporter *r = t->r;
	pthread_t new;

	if (!t->running)
		return;
	end_running(t);
	if (start_thread(r, &new)) {
		pthread_mutex_unlock(&anpu_calls_lock);
		run_calls(r);
		return;
	}
	pthread_detach(r->thread);
	r->thread = new;
	pthread_mutex_unlock(&anpu_calls_lock);
}

static void *run_calls(void *arg)
{
	struct anpu_reporter *r = arg;
	struct turn turn __attribute__((cleanup(replace_thread))) = { .r = r };

	acl_cancel_forbid();
	pthread_mutex_lock(&anpu_calls_lock);
	for (;;) {
		while (!r->first && !r->stop)
			pthread_cond_wait(&r->cond, &anpu_calls_lock);
		if (!r->first)
			break;
		if (r->first->context)
			anpu_context_adopt(r->first->context);
		run_first(&turn);
	}
	r->ended = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&anpu_calls_lock);
	return NULL;
}

/* Signals are for the program's own threads, but for those that a function of the program causes itself */
static int start_thread(struct anpu_reporter *r, pthread_t *thread)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, NULL, run_calls, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

struct anpu_reporter *anpu_reporter_start(void)
{
	struct anpu_reporter *r = anpu_reporter_new();

	if (!r || !start_thread(r, &r->thread))
		return r;
	anpu_reporter_free(r);
	return NULL;
}

void anpu_reporter_end(struct anpu_reporter **where)
{
	struct anpu_reporter *r = *where;

	if (!r)
		return;
	pthread_mutex_lock(&anpu_calls_lock);
	r->stop = true;
	pthread_cond_signal(&r->cond);
	while (!r->ended) /* functions that are due may end its thread, which gets a successor */
		pthread_cond_wait(&r->cond, &anpu_calls_lock);
	pthread_mutex_unlock(&anpu_calls_lock);
	pthread_join(r->thread, NULL);
	/* streams that end later look at it, and so does the stream that wakes the device */
	pthread_mutex_lock(&anpu_calls_lock);
	__atomic_store_n(where, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&anpu_calls_lock);
	anpu_reporter_free(r);
}

/* Sleeps until something changes, ETIMEDOUT when the time is up; or a while, if a front wants to be asked; lock held */
static int sleep_for_call(struct anpu_reporter *r, int64_t deadline, bool *interrupted)
{
	int64_t until = anpu_wait_slice(deadline, false);
	struct timespec t = { until / 1000000000, until % 1000000000 };
	int err;

	if (until == ANPU_FOREVER)
		return pthread_cond_wait(&r->cond, &anpu_calls_lock);
	err = pthread_cond_timedwait(&r->cond, &anpu_calls_lock, &t);
	if (err != ETIMEDOUT || until == deadline)
		return err;
	/* the reporter stays, because it is busy */
	pthread_mutex_unlock(&anpu_calls_lock);
	*interrupted = anpu_interrupted();
	pthread_mutex_lock(&anpu_calls_lock);
	return 0;
}

/* Waits until the thread has something to run; lock held */
static aclError wait_for_call(struct anpu_reporter *r, int64_t deadline)
{
	bool interrupted = false;
	unsigned int noted;
	int err = 0;

	if (r->first)
		return ACL_SUCCESS;
	noted = anpu_wait_begins(ANPU_WAITS_FOR_CALLS, r->dev ? r->dev->id : -1, 0, 0);
	acl_cancel_allow();
	while (!r->first && (r->streams || r->calls) && !r->lost && err != ETIMEDOUT && !interrupted)
		err = sleep_for_call(r, deadline, &interrupted);
	acl_cancel_forbid();
	anpu_wait_over(noted);
	if (r->first)
		return ACL_SUCCESS;
	if (interrupted)
		return anpu_fail_interrupted();
	if (r->lost && (r->streams || r->calls))
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"the device of this thread's streams is gone; end its use with "
				"aclrtResetDevice()");
	if (err == ETIMEDOUT)
		return acl_fail(ACL_ERROR_RT_REPORT_TIMEOUT,
				"no callback was due in time, which is usual: call again");
	return acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			"this thread's last stream was unsubscribed or destroyed meanwhile");
}

aclError anpu_reporter_serve(struct anpu_reporter *r, int64_t deadline)
{
	struct turn turn __attribute__((cleanup(end_turn))) = { .r = r };
	aclError ret;

	r->busy = true;
	ret = wait_for_call(r, deadline);
	if (ret)
		return ret;
	watch_jumps(&turn, jumped);
	run_first(&turn);
	return ACL_SUCCESS;
}
