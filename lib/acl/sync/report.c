// SPDX-License-Identifier: MIT
/*
 * The program's threads that run calls: which streams each of them serves, and its calls of
 * aclrtProcessReport().
 */
#include "sync/calls.h"

/* The thread's reporter, new if it has none; lock held. NULL after acl_fail() */
static struct anpu_reporter *reporter_for(uint64_t thread_id, const struct anpu_stream *s)
{
	struct anpu_reporter *r = anpu_reporter_find(thread_id);

	if (r && r->streams && r->dev != s->obj.dev) {
		acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			 "thread %#llx serves streams of another device than device %d of stream "
			 "%d: use one thread per device",
			 (unsigned long long)thread_id, s->obj.dev->id, s->number);
		return NULL;
	}
	return r ? r : anpu_reporter_add(thread_id);
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
		pthread_mutex_lock(&anpu_calls_lock);
		ret = subscribe(thread_id, s, family);
		pthread_mutex_unlock(&anpu_calls_lock);
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
	pthread_mutex_lock(&anpu_calls_lock);
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
		anpu_reporter_drop_if_idle(r);
	}
	pthread_mutex_unlock(&anpu_calls_lock);
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

/* One call of the thread's, of whichever kind its streams have */
static aclError process(int32_t timeout, const char *subscribe_with)
{
	uint64_t self = (uint64_t)(uintptr_t)pthread_self();
	struct anpu_reporter *r;
	int64_t deadline;
	aclError ret = anpu_deadline(timeout, &deadline);

	if (ret)
		return ret;
	pthread_mutex_lock(&anpu_calls_lock);
	r = anpu_reporter_find(self);
	if (!r) {
		ret = acl_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			       "this thread, %#llx, is bound to no stream: call %s() with that "
			       "number, pthread_self()",
			       (unsigned long long)self, subscribe_with);
		pthread_mutex_unlock(&anpu_calls_lock);
		return ret;
	}
	return anpu_reporter_serve(r, deadline);
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
