// SPDX-License-Identifier: MIT
/*
 * Host functions in streams. A call is queued in its stream as a NOTIFY packet and, if it blocks, a
 * SEM_WAIT on the stream's slot. When the NOTIFY has executed, the call goes to its reporter: the
 * thread that the program has bound to the stream, or one of the runtime. When the function has
 * returned, the slot counts up.
 *
 *	stream's list --NOTIFY--> reporter's queue --thread--> fn() --slot--> later tasks run
 *
 * A stream that ends drops the calls whose turn had not come; the others run all the same.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sync/sync.h"

#define MAX_THREADS 1024

struct anpu_reporter {
	struct anpu_reporter *next; /* reporters of the program's threads */
	uint64_t thread_id;	    /* pthread_self(); 0 for a thread of the runtime */
	pthread_t thread;	    /* of the runtime; another one when a function has ended it */
	struct anpu_device *dev;    /* a device of its streams; compared, never followed */
	pthread_cond_t cond;
	struct anpu_call *first, *last;
	struct anpu_call *running;
	uint32_t streams; /* bound to it */
	uint32_t calls;	  /* in streams' lists and its queue */
	bool busy;	  /* its thread is in aclrtProcessReport() */
	bool lost;	  /* its device is gone: nothing more will come */
	bool stop;
	bool ended; /* its thread runs no more calls, and has no successor */
};

/* Protects everything in this file, and the last part of struct anpu_stream */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct anpu_reporter *reporters;
static uint32_t reporter_count;

static struct anpu_reporter *new_reporter(void)
{
	struct anpu_reporter *r = calloc(1, sizeof(*r));
	pthread_condattr_t attr;

	if (!r)
		return NULL;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->cond, &attr);
	pthread_condattr_destroy(&attr);
	return r;
}

static void free_reporter(struct anpu_reporter *r)
{
	pthread_cond_destroy(&r->cond);
	free(r);
}

static struct anpu_reporter *find_reporter(uint64_t thread_id)
{
	struct anpu_reporter *r;

	for (r = reporters; r && r->thread_id != thread_id; r = r->next)
		;
	return r;
}

/* Forgets a thread of the program that has no streams and nothing to do; lock held */
static void drop_if_idle(struct anpu_reporter *r)
{
	struct anpu_reporter **p;

	if (!r->thread_id || r->streams || r->calls || r->busy)
		return;
	for (p = &reporters; *p != r; p = &(*p)->next)
		;
	*p = r->next;
	reporter_count--;
	free_reporter(r);
}

static void enqueue(struct anpu_reporter *r, struct anpu_call *call)
{
	call->next = NULL;
	if (r->first)
		r->last->next = call;
	else
		r->first = call;
	r->last = call;
	pthread_cond_signal(&r->cond);
}

void anpu_reporter_push(struct anpu_reporter *r, struct anpu_call *call)
{
	pthread_mutex_lock(&lock);
	call->reporter = r;
	r->calls++;
	enqueue(r, call);
	pthread_mutex_unlock(&lock);
}

void anpu_calls_reached(struct anpu_stream *s, uint64_t seq)
{
	struct anpu_call *call;

	pthread_mutex_lock(&lock);
	while ((call = s->first_call) && call->seq <= seq) {
		s->first_call = call->next;
		enqueue(call->reporter, call);
	}
	pthread_mutex_unlock(&lock);
}

/* The call has returned or is dropped; lock held. Frees it */
static void end_call(struct anpu_call *call)
{
	if (call->stream && !call->reporter->thread_id)
		call->stream->host_calls--;
	if (call->stream && call->done)
		atomic_fetch_sub(&call->stream->calls_blocking, 1);
	call->reporter->calls--;
	if (call->fn)
		anpu_call_ended(call->fn, call->arg);
	free(call);
}

void anpu_calls_drop(struct anpu_stream *s, uint64_t first, uint64_t last)
{
	struct anpu_call **p, *call, *before = NULL;

	pthread_mutex_lock(&lock);
	for (p = &s->first_call; (call = *p);) {
		if (call->seq < first || call->seq > last) {
			before = call;
			p = &call->next;
			continue;
		}
		*p = call->next;
		end_call(call);
	}
	s->last_call = before;
	pthread_mutex_unlock(&lock);
}

/* Calls that are due run although their stream has ended, and need nothing of it */
static void detach(struct anpu_reporter *r, struct anpu_stream *s)
{
	struct anpu_call *call;

	for (call = r->first; call; call = call->next)
		if (call->stream == s)
			call->stream = NULL;
	if (r->running && r->running->stream == s)
		r->running->stream = NULL;
}

void anpu_calls_end(struct anpu_stream *s)
{
	struct anpu_reporter *r, *next;
	struct anpu_call *call;
	struct anpu_slot slot;
	unsigned int i;

	pthread_mutex_lock(&lock);
	s->calls_ended = true;
	while ((call = s->first_call)) {
		s->first_call = call->next;
		end_call(call);
	}
	r = __atomic_load_n(&s->obj.dev->host, __ATOMIC_ACQUIRE);
	if (r)
		detach(r, s);
	for (i = 0; i < ANPU_CALL_FAMILIES; i++) {
		if (s->reporters[i])
			s->reporters[i]->streams--;
		s->reporters[i] = NULL;
	}
	for (r = reporters; r; r = next) {
		next = r->next;
		detach(r, s);
		pthread_cond_signal(&r->cond); /* the thread may have nothing left to wait for */
		drop_if_idle(r);
	}
	slot = s->call_slot;
	s->call_slot = (struct anpu_slot){ 0 };
	pthread_mutex_unlock(&lock);
	if (slot.region) {
		anpu_slot_give(s->obj.dev, &slot);
		anpu_slot_release(&slot);
	}
}

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
	pthread_mutex_lock(&lock);
	wake = let_go(call, &va);
	t->r->running = NULL;
	end_call(call);
	if (!wake)
		return;
	pthread_mutex_unlock(&lock);
	pkt = anpu_signal_packet(va, 0, 0, ANPU_SEM_ADD);
	/* if this fails, the device is slower to see the store, or the stream has ended */
	(void)anpu_stream_submit(wake, &pkt, NULL);
	anpu_stream_put(wake);
	pthread_mutex_lock(&lock);
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
	drop_if_idle(t->r);
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_unlock(&lock);
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
		pthread_mutex_unlock(&lock);
		run_calls(r);
		return;
	}
	pthread_detach(r->thread);
	r->thread = new;
	pthread_mutex_unlock(&lock);
}

static void *run_calls(void *arg)
{
	struct anpu_reporter *r = arg;
	struct turn turn __attribute__((cleanup(replace_thread))) = { .r = r };

	acl_cancel_forbid();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!r->first && !r->stop)
			pthread_cond_wait(&r->cond, &lock);
		if (!r->first)
			break;
		if (r->first->context)
			anpu_context_adopt(r->first->context);
		run_first(&turn);
	}
	r->ended = true;
	pthread_cond_signal(&r->cond);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Signals are for the program's own threads */
static int start_thread(struct anpu_reporter *r, pthread_t *thread)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(thread, NULL, run_calls, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

struct anpu_reporter *anpu_reporter_start(void)
{
	struct anpu_reporter *r = new_reporter();

	if (!r || !start_thread(r, &r->thread))
		return r;
	free_reporter(r);
	return NULL;
}

void anpu_reporter_end(struct anpu_reporter **where)
{
	struct anpu_reporter *r = *where;

	if (!r)
		return;
	pthread_mutex_lock(&lock);
	r->stop = true;
	pthread_cond_signal(&r->cond);
	while (!r->ended) /* functions that are due may end its thread, which gets a successor */
		pthread_cond_wait(&r->cond, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(r->thread, NULL);
	/* streams that end later look at it, and so does the stream that wakes the device */
	pthread_mutex_lock(&lock);
	__atomic_store_n(where, NULL, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	free_reporter(r);
}

/* Puts a call behind the stream's others, before its NOTIFY, which may execute at once */
static aclError add_call(struct anpu_stream *s, struct anpu_call *call, bool block, uint64_t *done)
{
	enum anpu_call_family family;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&lock);
	if (s->calls_ended ||
	    (call->reporter &&
	     call->reporter != __atomic_load_n(&s->obj.dev->host, __ATOMIC_ACQUIRE))) {
		ret = acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
			       "stream %d was destroyed meanwhile, or its device reset", s->number);
	} else if (!call->reporter && !s->reporters[ANPU_CALLBACKS]) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_NO_CB_REG,
			       "no thread is bound to stream %d to run its callbacks: call "
			       "aclrtSubscribeReport() first",
			       s->number);
	} else {
		family = call->reporter ? ANPU_HOST_FUNCS : ANPU_CALLBACKS;
		if (s->reporters[family])
			call->reporter = s->reporters[family];
		else
			s->host_calls++;
		call->reporter->calls++;
		call->seq = atomic_load(&s->last_seq) + 1;
		call->done = block ? ++s->blocking : 0;
		*done = call->done;
		if (block)
			atomic_fetch_add(&s->calls_blocking, 1);
		if (s->first_call)
			s->last_call->next = call;
		else
			s->first_call = call;
		s->last_call = call;
	}
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Takes the newest call back, whose packet was not submitted */
static void remove_last(struct anpu_stream *s, struct anpu_call *call)
{
	struct anpu_call **p, *before = NULL;

	pthread_mutex_lock(&lock);
	for (p = &s->first_call; *p && *p != call; p = &(*p)->next)
		before = *p;
	if (*p) { /* otherwise the stream has ended meanwhile */
		*p = NULL;
		s->last_call = before;
		if (call->done)
			s->blocking--;
		call->fn = NULL; /* its launch fails, which tells the program enough */
		end_call(call);
	}
	pthread_mutex_unlock(&lock);
}

void anpu_calls_text(struct anpu_stream *s, char *buf, size_t size)
{
	const struct anpu_reporter *r;

	pthread_mutex_lock(&lock);
	r = s->reporters[ANPU_CALLBACKS];
	if (r && r->running)
		snprintf(buf, size, "a callback, which is running in thread %#llx of the program",
			 (unsigned long long)r->thread_id);
	else if (r && r->busy)
		snprintf(buf, size, "a callback, which aclrtProcessReport() is about to run");
	else if (r)
		snprintf(buf, size, "a callback, and no thread is in aclrtProcessReport(): thread %#llx, which "
				    "aclrtSubscribeReport() names, has to call it again",
			 (unsigned long long)r->thread_id);
	else if (s->host_calls)
		snprintf(buf, size, "a host function, which a thread of the runtime runs");
	else
		snprintf(buf, size, "a callback, for which no thread is subscribed any more");
	pthread_mutex_unlock(&lock);
}

/* The slot of the stream's blocking calls; stream locked */
static aclError make_slot(struct anpu_stream *s)
{
	struct anpu_slot slot;
	int err;

	if (s->call_slot.region)
		return ACL_SUCCESS;
	err = anpu_slot_take(s->obj.dev, &slot);
	if (err)
		return anpu_fail_ioctl(s->obj.dev, err, "allocating room for callbacks");
	pthread_mutex_lock(&lock);
	if (s->calls_ended) /* the submission fails then; the slot stays unused until the end */
		anpu_slot_release(&slot);
	else
		s->call_slot = slot;
	pthread_mutex_unlock(&lock);
	return ACL_SUCCESS;
}

/* Queues a call, which it takes over; stream locked */
static aclError queue_call(struct anpu_stream *s, struct anpu_call *call, bool block)
{
	union anpu_packet notify = { .notify = { .hdr.opcode = ANPU_OP_NOTIFY,
						 .cookie = (uintptr_t)s } };
	union anpu_packet wait = { .sem_wait = {
					   .hdr.opcode = ANPU_OP_SEM_WAIT,
					   .mask = UINT64_MAX,
					   .cond = ANPU_SEM_GE,
					   .width = 8,
					   .timeout_us = ANPU_TIMEOUT_NEVER,
				   } };
	aclError ret = block ? make_slot(s) : ACL_SUCCESS;
	uint64_t done = 0;

	call->stream = s;
	call->context = s->context;
	call->kind = ACL_IN_CALLBACK;
	if (!ret)
		ret = add_call(s, call, block, &done);
	if (ret) {
		free(call);
		return ret;
	}
	/* from here on the call may run and be freed */
	wait.sem_wait.addr = s->call_slot.va;
	wait.sem_wait.value = done;
	ret = anpu_stream_submit_locked(s, &notify, NULL);
	if (ret)
		remove_last(s, call);
	else if (block)
		ret = anpu_stream_submit_locked(s, &wait, NULL);
	return ret;
}

static aclError launch(struct anpu_stream *s, struct anpu_reporter *r, void (*fn)(void *),
		       void *arg, bool block)
{
	struct anpu_call *call = calloc(1, sizeof(*call));
	aclError ret;

	if (!call)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
	call->reporter = r;
	call->fn = fn;
	call->arg = arg;
	ret = anpu_stream_enter(s, 0);
	if (ret) {
		free(call);
		return ret;
	}
	if (anpu_stream_recorded(s)) {
		free(call);
		ret = r ? anpu_recorder.host_func(s, fn, arg)
			: anpu_recorder.cannot(s, "a callback of aclrtLaunchCallback()");
	} else {
		ret = queue_call(s, call, block);
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
			     aclrtStream stream)
{
	bool block = blockType == ACL_CALLBACK_BLOCK;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	if (!fn)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "fn is NULL");
	if (!block && blockType != ACL_CALLBACK_NO_BLOCK)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"blockType is %d and must be ACL_CALLBACK_NO_BLOCK (0) or "
				"ACL_CALLBACK_BLOCK (1)",
				(int)blockType);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	if (block)
		ret = anpu_events_start_wake(s->obj.dev);
	if (!ret)
		ret = launch(s, NULL, fn, userData, block);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	if (!fn)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "fn is NULL");
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = anpu_events_start_host(s->obj.dev);
	if (!ret)
		ret = anpu_events_start_wake(s->obj.dev);
	if (!ret)
		ret = launch(s, __atomic_load_n(&s->obj.dev->host, __ATOMIC_ACQUIRE), fn, args,
			     true);
	anpu_stream_put(s);
	return ret;
}

/* The thread's reporter, new if it has none; lock held. NULL after acl_fail() */
static struct anpu_reporter *reporter_for(uint64_t thread_id, const struct anpu_stream *s)
{
	struct anpu_reporter *r = find_reporter(thread_id);

	if (r && r->streams && r->dev != s->obj.dev) {
		acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			 "thread %#llx serves streams of another device than device %d of stream "
			 "%d: use one thread per device",
			 (unsigned long long)thread_id, s->obj.dev->id, s->number);
		return NULL;
	}
	if (r)
		return r;
	if (reporter_count == MAX_THREADS) {
		acl_fail(ACL_ERROR_RT_OVER_LIMIT,
			 "%d threads run callbacks already: let one thread serve several streams",
			 MAX_THREADS);
		return NULL;
	}
	r = new_reporter();
	if (!r) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a thread of callbacks");
		return NULL;
	}
	r->thread_id = thread_id;
	r->next = reporters;
	reporters = r;
	reporter_count++;
	return r;
}

static const char *const unsubscribe_with[] = {
	[ANPU_CALLBACKS] = "aclrtUnSubscribeReport",
	[ANPU_HOST_FUNCS] = "aclrtUnSubscribeHostFunc",
};

/* Lock held */
static aclError subscribe(uint64_t thread_id, struct anpu_stream *s, enum anpu_call_family family)
{
	struct anpu_reporter *r = s->reporters[family];

	if (s->calls_ended)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %d was destroyed meanwhile",
				s->number);
	if (r)
		return acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
				"stream %d is bound to thread %#llx already: a stream has one "
				"thread; %s() undoes it",
				s->number, (unsigned long long)r->thread_id,
				unsubscribe_with[family]);
	if (family == ANPU_HOST_FUNCS && s->host_calls)
		return acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE,
				"stream %d has functions of aclrtLaunchHostFunc() queued, which "
				"belong to a thread of the runtime: synchronise it first",
				s->number);
	r = reporter_for(thread_id, s);
	if (!r)
		return acl_last_failure();
	r->dev = s->obj.dev;
	r->lost = atomic_load(&r->dev->lost);
	r->streams++;
	s->reporters[family] = r;
	return ACL_SUCCESS;
}

static aclError subscribe_thread(uint64_t thread_id, aclrtStream stream,
				 enum anpu_call_family family)
{
	bool host = family == ANPU_HOST_FUNCS;
	struct anpu_stream *s;
	aclError ret;

	if (!thread_id)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%s is 0 and must be pthread_self() of the thread that calls %s()",
				host ? "hostFuncThreadId" : "threadId",
				host ? "aclrtProcessHostFunc" : "aclrtProcessReport");
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = anpu_events_start(s->obj.dev);
	if (!ret) {
		pthread_mutex_lock(&lock);
		ret = subscribe(thread_id, s, family);
		pthread_mutex_unlock(&lock);
	}
	anpu_stream_put(s);
	return ret;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	ACL_ENTER();
	return subscribe_thread(threadId, stream, ANPU_CALLBACKS);
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	ACL_ENTER();
	return subscribe_thread(hostFuncThreadId, exeStream, ANPU_HOST_FUNCS);
}

static aclError unsubscribe(uint64_t threadId, aclrtStream stream, enum anpu_call_family family)
{
	struct anpu_reporter *r;
	struct anpu_stream *s;
	aclError ret = anpu_stream_find(stream, &s);

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	r = s->reporters[family];
	if (!r) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, "stream %d is bound to no thread of %s",
			       s->number,
			       family == ANPU_HOST_FUNCS ? "host functions" : "callbacks");
	} else if (r->thread_id != threadId) {
		ret = acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			       "stream %d is bound to thread %#llx and not to %#llx", s->number,
			       (unsigned long long)r->thread_id, (unsigned long long)threadId);
	} else {
		/* what is queued already still runs in that thread */
		s->reporters[family] = NULL;
		r->streams--;
		pthread_cond_signal(&r->cond);
		drop_if_idle(r);
	}
	pthread_mutex_unlock(&lock);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	ACL_ENTER();
	return unsubscribe(threadId, stream, ANPU_CALLBACKS);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	ACL_ENTER();
	return unsubscribe(hostFuncThreadId, exeStream, ANPU_HOST_FUNCS);
}

void anpu_reporters_lost(struct anpu_device *dev)
{
	struct anpu_reporter *r;

	pthread_mutex_lock(&lock);
	for (r = reporters; r; r = r->next) {
		if (r->dev != dev)
			continue;
		r->lost = true;
		pthread_cond_broadcast(&r->cond);
	}
	pthread_mutex_unlock(&lock);
}

/* Sleeps until something changes, ETIMEDOUT when the time is up; or a while, if a front wants to be asked; lock held */
static int sleep_for_call(struct anpu_reporter *r, int64_t deadline, bool *interrupted)
{
	int64_t until = anpu_wait_slice(deadline, false);
	struct timespec t = { until / 1000000000, until % 1000000000 };
	int err;

	if (until == ANPU_FOREVER)
		return pthread_cond_wait(&r->cond, &lock);
	err = pthread_cond_timedwait(&r->cond, &lock, &t);
	if (err != ETIMEDOUT || until == deadline)
		return err;
	/* the reporter stays, because it is busy */
	pthread_mutex_unlock(&lock);
	*interrupted = anpu_interrupted();
	pthread_mutex_lock(&lock);
	return 0;
}

/* Waits until the thread has something to run; lock held */
static aclError wait_for_call(struct anpu_reporter *r, int64_t deadline)
{
	bool interrupted = false;
	int err = 0;

	acl_cancel_allow();
	while (!r->first && (r->streams || r->calls) && !r->lost && err != ETIMEDOUT && !interrupted)
		err = sleep_for_call(r, deadline, &interrupted);
	acl_cancel_forbid();
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

/* Lock held, and released whichever way this ends */
static aclError serve(struct anpu_reporter *r, int64_t deadline)
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

/* One call of the thread's, of whichever kind its streams have */
static aclError process(int32_t timeout, const char *subscribe_with)
{
	uint64_t self = (uint64_t)(uintptr_t)pthread_self();
	struct anpu_reporter *r;
	int64_t deadline;
	aclError ret = anpu_deadline(timeout, &deadline);

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	r = find_reporter(self);
	if (!r) {
		ret = acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			       "this thread, %#llx, is bound to no stream: call %s() with that "
			       "number, pthread_self()",
			       (unsigned long long)self, subscribe_with);
		pthread_mutex_unlock(&lock);
		return ret;
	}
	return serve(r, deadline);
}

aclError aclrtProcessReport(int32_t timeout)
{
	ACL_ENTER();
	return process(timeout, "aclrtSubscribeReport");
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	ACL_ENTER();
	return process(timeout, "aclrtSubscribeHostFunc");
}
