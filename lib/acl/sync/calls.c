// SPDX-License-Identifier: MIT
/*
 * Calls of functions in streams: the list of each stream, in the order of its packets, and the queue of
 * each reporter, the thread that runs them.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sync/calls.h"

#define MAX_THREADS 1024

pthread_mutex_t anpu_calls_lock = PTHREAD_MUTEX_INITIALIZER;
/* Reporters of the program's threads */
static struct anpu_reporter *reporters;
static uint32_t reporter_count;

struct anpu_reporter *anpu_reporter_new(void)
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

void anpu_reporter_free(struct anpu_reporter *r)
{
	/* a thread that has queued the last call may be about to signal */
	while (atomic_load(&r->signals))
		sched_yield();
	pthread_cond_destroy(&r->cond);
	free(r);
}

struct anpu_reporter *anpu_reporter_find(uint64_t thread_id)
{
	struct anpu_reporter *r;

	for (r = reporters; r && r->thread_id != thread_id; r = r->next)
		;
	return r;
}

struct anpu_reporter *anpu_reporter_add(uint64_t thread_id)
{
	struct anpu_reporter *r;

	if (reporter_count == MAX_THREADS) {
		acl_fail(ACL_ERROR_RT_OVER_LIMIT,
			 "%d threads run callbacks already: let one thread serve several streams",
			 MAX_THREADS);
		return NULL;
	}
	r = anpu_reporter_new();
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

void anpu_reporter_drop_if_idle(struct anpu_reporter *r)
{
	struct anpu_reporter **p;

	if (!r->thread_id || r->streams || r->calls || r->busy)
		return;
	for (p = &reporters; *p != r; p = &(*p)->next)
		;
	*p = r->next;
	reporter_count--;
	anpu_reporter_free(r);
}

/* Lock held, and released meanwhile: the thread that wakes up takes it first */
static void wake_unlocked(struct anpu_reporter *r)
{
	atomic_fetch_add(&r->signals, 1);
	pthread_mutex_unlock(&anpu_calls_lock);
	pthread_cond_signal(&r->cond);
	atomic_fetch_sub(&r->signals, 1);
	pthread_mutex_lock(&anpu_calls_lock);
}

/* Lock held, and released meanwhile */
static void enqueue(struct anpu_reporter *r, struct anpu_call *call)
{
	call->next = NULL;
	if (r->first)
		r->last->next = call;
	else
		r->first = call;
	r->last = call;
	wake_unlocked(r);
}

void anpu_reporter_push(struct anpu_reporter *r, struct anpu_call *call)
{
	pthread_mutex_lock(&anpu_calls_lock);
	call->reporter = r;
	r->calls++;
	enqueue(r, call);
	pthread_mutex_unlock(&anpu_calls_lock);
}

void anpu_calls_reached(struct anpu_stream *s, uint64_t seq)
{
	struct anpu_call *call;

	pthread_mutex_lock(&anpu_calls_lock);
	while ((call = s->first_call) && call->seq <= seq) {
		s->first_call = call->next;
		enqueue(call->reporter, call);
	}
	pthread_mutex_unlock(&anpu_calls_lock);
}

void anpu_call_release(struct anpu_call *call)
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

	pthread_mutex_lock(&anpu_calls_lock);
	for (p = &s->first_call; (call = *p);) {
		if (call->seq < first || call->seq > last) {
			before = call;
			p = &call->next;
			continue;
		}
		*p = call->next;
		anpu_call_release(call);
	}
	s->last_call = before;
	pthread_mutex_unlock(&anpu_calls_lock);
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

	pthread_mutex_lock(&anpu_calls_lock);
	s->calls_ended = true;
	while ((call = s->first_call)) {
		s->first_call = call->next;
		anpu_call_release(call);
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
		anpu_reporter_drop_if_idle(r);
	}
	slot = s->call_slot;
	s->call_slot = (struct anpu_slot){ 0 };
	pthread_mutex_unlock(&anpu_calls_lock);
	if (slot.region) {
		anpu_slot_give(s->obj.dev, &slot);
		anpu_slot_release(&slot);
	}
}

aclError anpu_call_add(struct anpu_stream *s, struct anpu_call *call, bool block, uint64_t *done)
{
	enum anpu_call_family family;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&anpu_calls_lock);
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
	pthread_mutex_unlock(&anpu_calls_lock);
	return ret;
}

void anpu_call_take_back(struct anpu_stream *s, struct anpu_call *call)
{
	struct anpu_call **p, *before = NULL;

	pthread_mutex_lock(&anpu_calls_lock);
	for (p = &s->first_call; *p && *p != call; p = &(*p)->next)
		before = *p;
	if (*p) { /* otherwise the stream has ended meanwhile */
		*p = NULL;
		s->last_call = before;
		if (call->done)
			s->blocking--;
		call->fn = NULL; /* its launch fails, which tells the program enough */
		anpu_call_release(call);
	}
	pthread_mutex_unlock(&anpu_calls_lock);
}

/* Lock held: the function of the program that runs now and for which the stream waits, or NULL */
static void *running_for(const struct anpu_stream *s)
{
	const struct anpu_reporter *host = __atomic_load_n(&s->obj.dev->host, __ATOMIC_ACQUIRE);

	for (const struct anpu_reporter *r = reporters; r; r = r->next)
		if (r->running && r->running->stream == s)
			return (void *)r->running->fn;
	return host && host->running && host->running->stream == s ? (void *)host->running->fn : NULL;
}

void anpu_calls_text(struct anpu_stream *s, char *buf, size_t size)
{
	const struct anpu_reporter *r;
	char where[300] = "";
	size_t used;
	void *fn;

	pthread_mutex_lock(&anpu_calls_lock);
	r = s->reporters[ANPU_CALLBACKS];
	fn = running_for(s);
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
	pthread_mutex_unlock(&anpu_calls_lock);
	/* a place is that of a return address, which is behind the first instruction */
	if (fn)
		anpu_front_place((const uint8_t *)fn + 1, where, sizeof(where));
	used = strlen(buf);
	if (*where)
		snprintf(buf + used, size - used, ": %s has not returned", where);
}

void anpu_reporters_lost(struct anpu_device *dev)
{
	struct anpu_reporter *r;

	pthread_mutex_lock(&anpu_calls_lock);
	for (r = reporters; r; r = r->next) {
		if (r->dev != dev)
			continue;
		r->lost = true;
		pthread_cond_broadcast(&r->cond);
	}
	pthread_mutex_unlock(&anpu_calls_lock);
}
