// SPDX-License-Identifier: MIT
/* The host's queries of events, and waits for them. */
#include <errno.h>
#include <stdio.h>

#include "sync/event.h"

/* A thread that waits for a record is woken by it, and looks this often whether the device is left,
 * whether a graph has stored the event's value, and what operators have printed */
#define LOOK_NS 50000000LL
/* After this time standard error is told that there is no record to wait for */
#define TELL_NS 10000000000LL

/* Takes over the reference */
static aclError query(struct event *e, bool *done)
{
	aclError ret;

	pthread_mutex_lock(&e->lock);
	ret = anpu_recorder.refuse_event(&e->point, "asked for");
	*done = complete(e) || (e->rerecord && !records_of(e));
	/* without a record it may be complete only as long as a reset has not run */
	if (!ret && *done && (e->set || e->rerecord) && !e->shared && !e->fixed && !is_external(e))
		acl_obj_note(&e->obj, e->rerecord ? EVENT_EX_COMPLETE : EVENT_COMPLETE);
	pthread_mutex_unlock(&e->lock);
	if (*done)
		anpu_finding_waited(e, ACL_SUCCESS);
	anpu_stream_hooks.progress(e->obj.dev);
	acl_obj_put(&e->obj);
	return ret;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	struct event *e;
	bool done = false;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(status);
	if (acl_obj_noted(event, ACL_TYPE_EVENT)) {
		*status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
		return ACL_SUCCESS;
	}
	ret = anpu_event_find(event, &e);
	if (!ret)
		ret = query(e, &done);
	if (!ret)
		*status = done ? ACL_EVENT_RECORDED_STATUS_COMPLETE
			       : ACL_EVENT_RECORDED_STATUS_NOT_READY;
	return ret;
}

/* Finds an event; refuses those that have only aclrtQueryEventStatus() */
static aclError find_plain(aclrtEvent event, struct event **e)
{
	aclError ret = anpu_event_find(event, e);

	if (ret || !(*e)->rerecord)
		return ret;
	acl_obj_put(&(*e)->obj);
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event %p was made by aclrtCreateEventExWithFlag(): ask with "
			"aclrtQueryEventStatus()",
			event);
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
	struct event *e;
	bool done = false;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(status);
	if (acl_obj_noted(event, ACL_TYPE_EVENT) == EVENT_COMPLETE) {
		*status = ACL_EVENT_STATUS_COMPLETE;
		return ACL_SUCCESS;
	}
	ret = find_plain(event, &e);
	if (!ret)
		ret = query(e, &done);
	if (!ret)
		*status = done ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
	return ret;
}

aclError anpu_front_event(aclrtEvent event, struct anpu_front_event_info *info)
{
	struct event *e;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = anpu_event_find(event, &e);
	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	*info = (struct anpu_front_event_info){ e->flags, e->rerecord, records_of(e) != 0 };
	pthread_mutex_unlock(&e->lock);
	acl_obj_put(&e->obj);
	return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
	struct event *e;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(status);
	ret = find_plain(event, &e);
	if (ret)
		return ret;
	if (!is_for_streams(e)) {
		acl_obj_put(&e->obj);
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"event %p was made without ACL_EVENT_SYNC, so no stream can wait for "
				"it and there is no wait to ask for",
				event);
	}
	pthread_mutex_lock(&e->lock);
	*status = __atomic_load_n(&e->slot.cpu->waits, __ATOMIC_ACQUIRE) >= e->waits
			  ? ACL_EVENT_WAIT_STATUS_COMPLETE
			  : ACL_EVENT_WAIT_STATUS_NOT_READY;
	pthread_mutex_unlock(&e->lock);
	acl_obj_put(&e->obj);
	return ACL_SUCCESS;
}

/* Is the latest record of an event between processes the latest one that this process has called for; event locked */
static bool is_own_latest(const struct event *e)
{
	uint64_t latest = records_of(e);
	const struct own_record *own = e->own ? &e->own[latest % SHARED_RECORDS] : NULL;

	return e->set && e->stream && own && own->number == latest && own->stream == e->stream->number &&
	       own->seq == e->seq;
}

/* A record that was dropped with its stream's tasks has completed, and never happens */
static aclError check_recorded(aclrtEvent event, struct event *e, struct anpu_stream *s,
			       uint64_t seq)
{
	bool dropped;

	pthread_mutex_lock(&e->lock);
	dropped = e->set && e->stream == s && e->seq == seq && (!e->shared || is_own_latest(e)) && !complete(e);
	pthread_mutex_unlock(&e->lock);
	if (!dropped || (!atomic_load(&s->aborts) && !anpu_stream_halted(s)))
		return ACL_SUCCESS;
	return acl_fail(atomic_load(&s->aborts) ? ACL_ERROR_RT_STREAM_ABORT
						: ACL_ERROR_RT_TASK_ABORT_STOP,
			"the record of event %p was dropped: stream %d was aborted, or has stopped "
			"after a failure",
			event, s->number);
}

/* Sleeps until the event changes, LOOK_NS pass or the deadline is reached; event locked */
static void sleep_a_while(struct event *e, int64_t deadline)
{
	int64_t until = anpu_now() + LOOK_NS;
	struct timespec t;

	until = until < deadline ? until : deadline;
	t = (struct timespec){ until / 1000000000, until % 1000000000 };
	acl_cancel_allow();
	(void)pthread_cond_timedwait(&e->changed, &e->lock, &t);
	acl_cancel_forbid();
}

/* Why there is no more waiting for a record; event locked */
static aclError check_waiting(aclrtEvent event, struct event *e, int64_t deadline)
{
	struct acl_obj *obj = acl_obj_find(event, ACL_TYPE_EVENT);
	char text[600];

	if (!obj)
		return acl_bad_handle(event, ACL_TYPE_EVENT, "event");
	acl_obj_put(obj);
	if (atomic_load(&e->obj.dev->lost))
		return anpu_fail_ioctl(e->obj.dev, -EIO, "waiting for an event");
	if (anpu_now() < deadline)
		return ACL_SUCCESS;
	anpu_event_text(e, text, sizeof(text));
	return acl_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
			"the time is up, and event %p has no record%s: it is %s; call aclrtRecordEvent(), before or in another "
			"thread", event, e->records ? " since its reset" : "", text);
}

/* Tells standard error why the program seems to hang, once in a process */
static void tell_waiting(aclrtEvent event, const struct event *e)
{
	static atomic_bool told;
	char text[600];

	if (atomic_exchange(&told, true))
		return;
	anpu_event_text(e, text, sizeof(text));
	fprintf(stderr,
		"anpu: aclrtSynchronizeEvent() has waited for %lld s: event %p has no record%s; it is %s. It waits on until "
		"aclrtRecordEvent() is called\n",
		TELL_NS / 1000000000, event, e->records ? " since its reset" : "", text);
}

/* The thread was cancelled while it waited */
static void leave(void *arg)
{
	struct event *e = arg;

	pthread_mutex_unlock(&e->lock);
	acl_obj_put(&e->obj);
}

/*
 * Waits until a record is called for, unless the event counts as complete already. If graphs may have reset the
 * event since its record (@any), waits until it is complete. Event locked
 */
static aclError await_record(aclrtEvent event, struct event *e, bool any, int64_t deadline)
{
	int64_t begun = anpu_now();
	aclError ret = ACL_SUCCESS;
	unsigned int noted;

	if ((!any && e->set) || complete(e))
		return ACL_SUCCESS;
	noted = anpu_wait_begins(ANPU_WAITS_FOR_EVENT, e->obj.dev->id, e->number, 0);
	pthread_cleanup_push(leave, e);
	while (!ret && (any || !e->set) && !complete(e)) {
		sleep_a_while(e, deadline);
		pthread_mutex_unlock(&e->lock);
		anpu_stream_hooks.progress(e->obj.dev);
		pthread_mutex_lock(&e->lock);
		if (any ? !complete(e) : !e->set)
			ret = anpu_interrupted() ? anpu_fail_interrupted() : check_waiting(event, e, deadline);
		if (deadline == ANPU_FOREVER && anpu_now() - begun > TELL_NS)
			tell_waiting(event, e);
	}
	pthread_cleanup_pop(0);
	anpu_wait_over(noted);
	return ret;
}

/* The checking mode: the event is complete, so what stands before its record is done. Records of graphs are not known in detail */
static void learn_order(struct event *e)
{
	bool external;
	int32_t stream = -1;
	uint64_t seq = 0;

	pthread_mutex_lock(&e->lock);
	external = is_external(e);
	if (e->set && e->stream) {
		stream = e->stream->number;
		seq = e->seq;
	}
	pthread_mutex_unlock(&e->lock);
	if (external)
		anpu_races_all_synced(e->obj.dev);
	else if (stream >= 0)
		anpu_races_synced(stream, seq);
}

static aclError sync_event(aclrtEvent event, int64_t deadline)
{
	struct anpu_stream *s = NULL;
	struct event *e;
	uint64_t seq = 0;
	aclError ret = anpu_event_find(event, &e);

	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	/* a record of another process is a word in memory; one of this process may be dropped with its stream's tasks */
	if (e->shared && !is_own_latest(e)) {
		pthread_mutex_unlock(&e->lock);
		ret = anpu_event_sync_shared(e, deadline);
		anpu_finding_waited(e, ret);
		acl_obj_put(&e->obj);
		return ret;
	}
	ret = anpu_recorder.refuse_event(&e->point, "waited for by the host");
	if (!ret && !e->rerecord) /* the other kind of events is complete until it is recorded */
		ret = await_record(event, e, false, deadline);
	if (!ret && e->set && !complete(e)) {
		s = e->stream;
		anpu_stream_get(s);
		seq = e->seq;
	}
	pthread_mutex_unlock(&e->lock);
	if (s) {
		ret = anpu_stream_wait(s, seq, deadline, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
		if (!ret)
			ret = check_recorded(event, e, s, seq);
		anpu_stream_put(s);
		if (!ret && is_external(e)) {
			pthread_mutex_lock(&e->lock);
			ret = await_record(event, e, true, deadline);
			pthread_mutex_unlock(&e->lock);
		}
	} else {
		anpu_stream_hooks.progress(e->obj.dev);
		if (!ret && anpu_checking())
			learn_order(e);
	}
	anpu_finding_waited(e, ret);
	acl_obj_put(&e->obj);
	return ret;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	ACL_ENTER();
	return sync_event(event, ANPU_FOREVER);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
	int64_t deadline;
	aclError ret;

	ACL_ENTER();
	ret = anpu_deadline(timeout, &deadline);
	return ret ? ret : sync_event(event, deadline);
}

/* Time of the latest record, which must have run */
static aclError time_of(aclrtEvent event, uint64_t *ns)
{
	struct event *e;
	aclError ret = anpu_event_find(event, &e);

	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	if (!(e->flags & ACL_EVENT_TIME_LINE))
		ret = acl_fail(
			ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
			"event %p has no time stamps: it was made without ACL_EVENT_TIME_LINE",
			event);
	else if (!records_of(e))
		ret = acl_fail(ACL_ERROR_RT_INTERNAL_ERROR, "event %p was never recorded", event);
	else if (!complete(e))
		ret = acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "event %p has %s", event,
			       is_set(e) ? "not completed yet: synchronise the stream or the event "
					   "first"
					 : "been reset since its record, and its time with it: ask "
					   "before the reset, or record it again");
	*ns = e->shared ? shared_record(e, records_of(e))->time_ns : e->mark.cpu->time_ns;
	pthread_mutex_unlock(&e->lock);
	acl_obj_put(&e->obj);
	return ret;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
	uint64_t start = 0, end = 0;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(ms);
	ACL_CHECK_PTR(startEvent);
	ACL_CHECK_PTR(endEvent);
	ret = time_of(startEvent, &start);
	if (!ret)
		ret = time_of(endEvent, &end);
	if (ret)
		return ret;
	if (end < start)
		return acl_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
				"endEvent completed %llu ns before startEvent: they are the wrong "
				"way round",
				(unsigned long long)(start - end));
	*ms = (float)((double)(end - start) / 1e6);
	return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
	uint64_t ns = 0;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(timestamp);
	ret = time_of(event, &ns);
	if (!ret)
		*timestamp = ns / 1000;
	return ret;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
	struct event *e;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(eventId);
	ret = anpu_event_find(event, &e);
	if (ret)
		return ret;
	*eventId = e->number;
	acl_obj_put(&e->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(eventCount);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	anpu_context_put(ctx);
	*eventCount = acl_obj_room(); /* events need nothing else of which there is less */
	return ACL_SUCCESS;
}
