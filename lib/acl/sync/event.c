// SPDX-License-Identifier: MIT
/*
 * Events. Each has a slot that the device writes and the CPU reads: a value and a time stamp.
 *
 * A record gets the next number and is a SEM_SIGNAL that sets the value to it; a wait is a SEM_WAIT
 * for at least that number. A wait binds to the latest record that was called for; if there is none,
 * or a reset was called for since, plain events wait for the next one, and re-recordable ones do not
 * wait. A reset therefore changes nothing that records and waits look at, and may run at any time;
 * it is a task, because the event counts as complete until it has run.
 *
 * Numbers are in the order of the calls, and records of one stream run in it. While a record has not
 * run, one in another stream, or a wait for one to come, gets another slot for the value: else it
 * would satisfy the waits for the first, or be overwritten by it.
 *
 * An event of several processes has its slot in memory that they share; the number of the latest record
 * that was called for stands there, and a word for each record: see struct shared_record.
 */
#include <stdlib.h>

#include "sync/event.h"

#define EVENT_FLAGS                                                                 \
	(ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE | \
	 ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL)

static _Atomic uint32_t default_wait_seconds;
static _Atomic uint32_t next_number = 1;

static void event_release(struct acl_obj *obj)
{
	struct event *e = container_of(obj, struct event, obj);

	if (e->stream)
		anpu_stream_put(e->stream);
	if (e->reset_in)
		anpu_stream_put(e->reset_in);
	anpu_recorder.forget(&e->point);
	if (e->mark.cpu != e->slot.cpu)
		anpu_slot_release(&e->mark);
	anpu_slot_release(&e->slot);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e->own);
	free(e);
}

static void init_locks(struct event *e)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
}

struct event *anpu_event_make(uint32_t flags, bool rerecord)
{
	struct anpu_context *ctx;
	struct event *e;

	if (anpu_context_current(&ctx))
		return NULL;
	e = calloc(1, sizeof(*e));
	if (e) {
		acl_obj_init(&e->obj, ACL_TYPE_EVENT, ctx->obj.dev, event_release);
		init_locks(e);
		e->number = atomic_fetch_add(&next_number, 1);
		e->flags = flags;
		e->rerecord = rerecord;
		e->shared = flags & ACL_EVENT_IPC;
	} else {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for an event");
	}
	anpu_context_put(ctx);
	return e;
}

aclError anpu_event_publish(struct event *e, aclError ret, aclrtEvent *out)
{
	e->mark = e->slot;
	if (!ret && !acl_obj_give(&e->obj, out))
		ret = acl_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE,
				"no handle is left for an event, or its device was reset");
	if (!ret)
		return ACL_SUCCESS;
	if (e->slot.region)
		anpu_slot_give(e->obj.dev, &e->slot);
	acl_obj_put(&e->obj);
	return ret;
}

static aclError new_event(aclrtEvent *out, uint32_t flags, bool rerecord)
{
	struct event *e = anpu_event_make(flags, rerecord);
	int err;

	if (!e)
		return acl_last_failure();
	err = e->shared ? anpu_slot_take_own(e->obj.dev, &e->slot)
			: anpu_slot_take(e->obj.dev, &e->slot);
	return anpu_event_publish(e, err ? anpu_fail_ioctl(e->obj.dev, err, "allocating events") : ACL_SUCCESS,
		       out);
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
	ACL_ENTER();
	ACL_CHECK_PTR(event);
	return new_event(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE, false);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	ACL_ENTER();
	ACL_CHECK_PTR(event);
	if (!flag || (flag & ~EVENT_FLAGS) ||
	    ((flag & ACL_EVENT_EXTERNAL) && flag != ACL_EVENT_EXTERNAL))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be made of the bits %#x, ACL_EVENT_EXTERNAL "
				"(0x20) only alone",
				flag, EVENT_FLAGS);
	if (flag & ACL_EVENT_DEVICE_USE_ONLY)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"flag %#x: events for the device alone are not built yet", flag);
	return new_event(event, flag, false);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	ACL_ENTER();
	ACL_CHECK_PTR(event);
	if (!flag || (flag & ~(EVENT_FLAGS | ACL_EVENT_IPC)))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#x and must be made of the bits %#x", flag,
				EVENT_FLAGS | ACL_EVENT_IPC);
	if (flag & (ACL_EVENT_EXTERNAL | ACL_EVENT_DEVICE_USE_ONLY))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"flag %#x: events outside graphs, or for the device alone, are not "
				"built yet",
				flag);
	return new_event(event, flag, true);
}

aclError anpu_event_find(aclrtEvent handle, struct event **out)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "event is NULL");
	obj = acl_obj_find(handle, ACL_TYPE_EVENT);
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_EVENT, "event");
	*out = container_of(obj, struct event, obj);
	return ACL_SUCCESS;
}

/* Event and stream of a call, of one device, both with references */
static aclError find_both(aclrtEvent event, aclrtStream stream, struct event **e,
			  struct anpu_stream **s)
{
	aclError ret = anpu_event_find(event, e);

	if (ret)
		return ret;
	ret = anpu_stream_find(stream, s);
	if (!ret && (*s)->obj.dev != (*e)->obj.dev) {
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_CONTEXT,
			"event %p was made for device %d and the stream belongs to device %d",
			event, (*e)->obj.dev->id, (*s)->obj.dev->id);
		anpu_stream_put(*s);
	}
	if (ret) {
		acl_obj_put(&(*e)->obj);
		return ret;
	}
	ret = anpu_stream_await_room(*s);
	if (ret) {
		anpu_stream_put(*s);
		acl_obj_put(&(*e)->obj);
	}
	return ret;
}

static void put_both(struct event *e, struct anpu_stream *s)
{
	anpu_stream_put(s);
	acl_obj_put(&e->obj);
}

/* Is a record in the mark's slot queued that has not run; event locked */
static bool pending(const struct event *e)
{
	return e->marked && e->stream && !anpu_stream_reached(e->stream, e->seq);
}

/*
 * Lets streams go on that wait for a record which nobody will call for: the event ends. They see the
 * store within a millisecond. Event locked
 */
static void release_waits(struct event *e)
{
	uint64_t next = is_external(e) ? 1 : e->records + 1;

	/* a record that is pending is what they wait for; re-recordable events are waited for if recorded */
	if (e->rerecord || is_set(e) || pending(e) || value_of(e) >= next)
		return;
	__atomic_store_n(&e->mark.cpu->value, next, __ATOMIC_RELEASE);
}

void anpu_event_waits_release(struct anpu_device *dev)
{
	size_t n = acl_obj_list(dev, ACL_TYPE_EVENT, NULL, 0), got, i;
	struct acl_obj **list = calloc(n + 1, sizeof(*list));

	/* without memory streams that wait go on waiting, which is told on standard error */
	got = list ? acl_obj_list(dev, ACL_TYPE_EVENT, list, n) : 0;
	for (i = 0; i < got && i < n; i++) {
		struct event *e = container_of(list[i], struct event, obj);

		pthread_mutex_lock(&e->lock);
		release_waits(e);
		pthread_mutex_unlock(&e->lock);
		acl_obj_put(&e->obj);
	}
	free(list);
}

/* The checking mode: a stream that goes on because the event ends is in no order with what should have been recorded */
static void look_at_waits(const struct event *e)
{
	uint64_t open = e->waits - __atomic_load_n(&e->slot.cpu->waits, __ATOMIC_ACQUIRE);

	if (anpu_checking() && !e->rerecord && !e->shared && !e->set && !pending(e) && open)
		anpu_finding("race", NULL,
			     "event %u is destroyed while %llu wait%s of streams for it ha%s not ended, and nothing has recorded it: the "
			     "streams go on as if it had been; destroy it behind their synchronisation", e->number,
			     (unsigned long long)open, open == 1 ? "" : "s", open == 1 ? "s" : "ve");
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	struct acl_obj *obj;
	struct event *e;

	ACL_ENTER();
	ACL_CHECK_PTR(event);
	obj = acl_obj_remove(event, ACL_TYPE_EVENT);
	if (!obj)
		return acl_bad_handle(event, ACL_TYPE_EVENT, "event");
	e = container_of(obj, struct event, obj);
	if (e->key)
		(void)anpu_share_end(e->key, ANPU_SHARE_EVENT);
	pthread_mutex_lock(&e->lock);
	look_at_waits(e);
	e->destroyed = true;
	pthread_cond_broadcast(&e->changed);
	release_waits(e);
	pthread_mutex_unlock(&e->lock);
	if (e->mark.cpu != e->slot.cpu)
		anpu_slot_give(obj->dev, &e->mark);
	anpu_slot_give(obj->dev, &e->slot);
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

static uint64_t time_offset(const struct event *e, uint64_t number)
{
	return e->shared ? value_offset(e, number) + offsetof(struct shared_record, time_ns)
			 : offsetof(struct anpu_slot_memory, time_ns);
}

static union anpu_packet record_packet(const struct event *e, uint64_t value)
{
	uint64_t time = e->flags & ACL_EVENT_TIME_LINE
				? e->mark.va + time_offset(e, value)
				: 0;

	return anpu_signal_packet(e->mark.va + value_offset(e, value), value, time, ANPU_SEM_SET);
}

static union anpu_packet wait_packet(const struct event *e, uint64_t value, uint64_t timeout_us)
{
	return (union anpu_packet){ .sem_wait = {
					    .hdr.opcode = ANPU_OP_SEM_WAIT,
					    .addr = e->mark.va + value_offset(e, value),
					    .value = value,
					    .mask = UINT64_MAX,
					    .timeout_us = timeout_us,
					    .cond = ANPU_SEM_GE,
					    .width = 8,
				    } };
}

/* A graph's note about a record, wait or reset */
static struct anpu_event_task task_of(const struct event *e, aclmdlRITaskType type,
				      const union anpu_packet *pkt)
{
	return (struct anpu_event_task){
		.type = type,
		.event = acl_obj_handle(&e->obj),
		.event_flags = e->flags,
		.packets = pkt,
		.count = pkt ? 1 : 0,
	};
}

/* Another slot for the value, unless processes or graphs have its address; event locked */
static aclError fresh_mark(struct event *e)
{
	struct anpu_slot mark;
	int err;

	if (e->shared || e->fixed || e->destroyed || is_external(e))
		return ACL_SUCCESS;
	err = anpu_slot_take(e->obj.dev, &mark);
	if (err)
		return anpu_fail_ioctl(e->obj.dev, err, "allocating events");
	if (e->mark.cpu != e->slot.cpu) {
		anpu_slot_give(e->obj.dev, &e->mark);
		anpu_slot_release(&e->mark);
	}
	e->mark = mark;
	e->marked = 0;
	return ACL_SUCCESS;
}

/*
 * Takes the word of this number, if the record that used it last has run or will not run any more, or runs
 * before one of this stream. A thread that takes a word keeps all others, of other processes, too, from it. Event locked
 */
static bool take_word(struct event *e, uint64_t number, const struct anpu_stream *s)
{
	struct shared_record *r = shared_record(e, number);
	struct own_record *own = &e->own[number % SHARED_RECORDS];
	uint64_t used = __atomic_load_n(&r->number, __ATOMIC_ACQUIRE);
	bool before = own->number == used && (own->stream == s->number ||
					      anpu_slots_passed(s->obj.dev, own->stream, own->seq));

	if (used >= number || (__atomic_load_n(&r->value, __ATOMIC_ACQUIRE) < used && !before))
		return false;
	if (!__atomic_compare_exchange_n(&r->number, &used, number, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return false;
	__atomic_store_n(&r->process, anpu_own_process(), __ATOMIC_RELAXED);
	e->own_before = *own;
	e->word_before = used;
	*own = (struct own_record){ .number = number, .stream = s->number };
	return true;
}

/* Nothing uses the word for this number; event locked */
static void give_word(struct event *e, uint64_t number)
{
	e->own[number % SHARED_RECORDS] = e->own_before;
	__atomic_store_n(&shared_record(e, number)->number, e->word_before, __ATOMIC_SEQ_CST);
}

/* The next number of a record for this stream, which is the latest then; @before: the latest before */
static aclError take_number(struct event *e, const struct anpu_stream *s, uint64_t *number,
			    uint64_t *before)
{
	uint64_t latest = records_of(e), next;

	if (!e->own)
		e->own = calloc(SHARED_RECORDS, sizeof(*e->own));
	if (!e->own)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the records of an event");
	for (;;) {
		for (next = latest + 1; !take_word(e, next, s); next++)
			if (next == latest + SHARED_RECORDS)
				return acl_fail(ACL_ERROR_RT_OVER_LIMIT,
						"event %p has %zu records in other streams that have not "
						"run: synchronise them, or use several events",
						acl_obj_handle(&e->obj), (size_t)SHARED_RECORDS);
		*before = latest;
		*number = next;
		if (__atomic_compare_exchange_n(&e->slot.cpu->records, &latest, next, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return ACL_SUCCESS;
		give_word(e, next);
	}
}

/* The record was not submitted: the one before is the latest again, unless there is a newer one */
static void give_number(struct event *e, uint64_t number, uint64_t before)
{
	uint64_t latest = number;

	if (!__atomic_compare_exchange_n(&e->slot.cpu->records, &latest, before, false,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		__atomic_store_n(&shared_record(e, number)->value, number, __ATOMIC_RELEASE);
	else
		give_word(e, number);
}

/* Event locked */
static aclError record_shared(struct event *e, struct anpu_stream *s, uint64_t *seq)
{
	union anpu_packet pkt;
	uint64_t number, before;
	aclError ret = take_number(e, s, &number, &before);

	if (ret)
		return ret;
	pkt = record_packet(e, number);
	pkt.hdr.flags = ANPU_SEM_IRQ; /* for waits in other processes */
	ret = anpu_stream_submit(s, &pkt, seq);
	if (ret)
		give_number(e, number, before);
	else
		e->own[number % SHARED_RECORDS].seq = *seq;
	return ret;
}

static void recorded(struct event *e, struct anpu_stream *s, uint64_t seq)
{
	e->set = true;
	e->marked = e->records;
	if (e->stream)
		anpu_stream_put(e->stream);
	anpu_stream_get(s);
	e->stream = s;
	e->seq = seq;
	pthread_cond_broadcast(&e->changed);
}

/* Event locked */
static aclError record(struct event *e, struct anpu_stream *s)
{
	union anpu_packet pkt = record_packet(e, 1);
	struct anpu_event_task info =
		task_of(e, ACL_MODEL_RI_TASK_EVENT_RECORD, is_external(e) ? &pkt : NULL);
	bool captured;
	uint64_t seq;
	aclError ret;

	uncomplete(e);
	ret = anpu_recorder.event(s, &info, is_external(e) ? NULL : &e->point, &captured);
	if (captured)
		return ret;
	if (anpu_recorder.live(&e->point))
		return acl_fail(ACL_ERROR_RT_EVENT_CAPTURED,
				"event %p was recorded in a stream that is being recorded: end that "
				"before it is recorded elsewhere",
				info.event);
	anpu_recorder.forget(&e->point);
	if (pending(e) && e->stream != s)
		ret = fresh_mark(e);
	if (ret)
		return ret;
	pkt = record_packet(e, is_external(e) ? 1 : e->records + 1);
	ret = e->shared ? record_shared(e, s, &seq) : anpu_stream_submit(s, &pkt, &seq);
	if (ret)
		return ret;
	e->records++;
	recorded(e, s, seq);
	return ACL_SUCCESS;
}

/* Checks the conditions of ACL_EVENT_RECORD_EXTERNAL and ACL_EVENT_WAIT_EXTERNAL; event locked */
static aclError check_external(const struct event *e)
{
	if (!e->rerecord || (e->flags & ~(uint32_t)ACL_EVENT_TIME_LINE) != ACL_EVENT_SYNC)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"event %p was not made by aclrtCreateEventExWithFlag() with "
				"ACL_EVENT_SYNC, or that and ACL_EVENT_TIME_LINE, alone, as an event outside of "
				"a graph has to be",
				acl_obj_handle(&e->obj));
	if (anpu_recorder.live(&e->point))
		return acl_fail(ACL_ERROR_RT_EVENT_CAPTURED,
				"event %p was recorded inside of the recording",
				acl_obj_handle(&e->obj));
	return ACL_SUCCESS;
}

/* A task that each execution of the graph gives another value; event locked */
static aclError add_external(struct event *e, struct anpu_stream *s, aclmdlRITaskType type,
			     const union anpu_packet *pkt)
{
	struct anpu_event_task info = task_of(e, type, pkt);
	bool captured;
	aclError ret = check_external(e);

	if (ret)
		return ret;
	info.flag = type == ACL_MODEL_RI_TASK_EVENT_RECORD ? ACL_EVENT_RECORD_EXTERNAL
							   : ACL_EVENT_WAIT_EXTERNAL;
	info.obj = &e->obj;
	uncomplete(e);
	ret = anpu_recorder.event(s, &info, NULL, &captured);
	e->fixed |= captured;
	if (captured)
		return ret;
	return acl_fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"stream %d is not being recorded: events outside of graphs are for tasks of "
			"graphs",
			s->number);
}

/* Another thread may have destroyed it since it was found: what is queued now would use its slots; locked */
static aclError check_there(const struct event *e)
{
	if (!e->destroyed)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "event %p was destroyed meanwhile",
			acl_obj_handle(&e->obj));
}

aclError anpu_front_event_begin(aclrtEvent event, aclrtStream stream, struct anpu_front_record *r)
{
	union anpu_packet pkt;
	struct anpu_stream *s;
	struct event *e;
	aclError ret;

	ACL_ENTER();
	ret = find_both(event, stream, &e, &s);
	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	ret = check_there(e);
	if (!ret && (e->shared || is_external(e) || e->fixed || anpu_recorder.live(&e->point)))
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event %p is one that no launch records", event);
	if (!ret)
		anpu_recorder.forget(&e->point);
	if (!ret && pending(e) && e->stream != s)
		ret = fresh_mark(e);
	if (ret) {
		pthread_mutex_unlock(&e->lock);
		put_both(e, s);
		return ret;
	}
	uncomplete(e);
	pkt = record_packet(e, e->records + 1);
	*r = (struct anpu_front_record){ e, s, pkt.sem_signal.addr, pkt.sem_signal.value };
	return ACL_SUCCESS;
}

void anpu_front_event_end(struct anpu_front_record *r, uint64_t seq)
{
	struct event *e = r->event;

	if (seq) {
		e->records++;
		recorded(e, r->stream, seq);
	}
	pthread_mutex_unlock(&e->lock);
	put_both(e, r->stream);
}

static aclError record_event(aclrtEvent event, aclrtStream stream, bool external)
{
	union anpu_packet pkt;
	struct anpu_stream *s;
	struct event *e;
	aclError ret = find_both(event, stream, &e, &s);

	if (ret)
		return ret;
	pthread_mutex_lock(&e->lock);
	pkt = record_packet(e, 0);
	ret = check_there(e);
	if (!ret)
		ret = external ? add_external(e, s, ACL_MODEL_RI_TASK_EVENT_RECORD, &pkt) : record(e, s);
	pthread_mutex_unlock(&e->lock);
	put_both(e, s);
	return ret;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	ACL_ENTER();
	return record_event(event, stream, false);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)
{
	ACL_ENTER();
	if (flag > ACL_EVENT_RECORD_EXTERNAL)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0 or 1", flag);
	return record_event(event, stream, flag == ACL_EVENT_RECORD_EXTERNAL);
}

uint64_t anpu_event_value(struct acl_obj *event, bool record)
{
	struct event *e = container_of(event, struct event, obj);
	uint64_t value;

	pthread_mutex_lock(&e->lock);
	uncomplete(e);
	if (record)
		e->records++;
	value = e->records;
	pthread_mutex_unlock(&e->lock);
	return value;
}

void anpu_event_recorded(struct acl_obj *event, struct anpu_stream *s, uint64_t seq)
{
	struct event *e = container_of(event, struct event, obj);

	pthread_mutex_lock(&e->lock);
	recorded(e, s, seq);
	pthread_mutex_unlock(&e->lock);
}

/* Event locked */
static aclError reset(struct event *e, struct anpu_stream *s)
{
	union anpu_packet pkt = anpu_signal_packet(
		e->mark.va + offsetof(struct anpu_slot_memory, value), 0, 0, ANPU_SEM_SET);
	union anpu_packet nop = { .hdr.opcode = ANPU_OP_NOP };
	bool inside = anpu_recorder.live(&e->point), captured = false;
	struct anpu_event_task info =
		task_of(e, ACL_MODEL_RI_TASK_EVENT_RESET, is_external(e) ? &pkt : NULL);
	aclError ret = ACL_SUCCESS;
	uint64_t seq;

	uncomplete(e);
	if (inside || is_external(e))
		ret = anpu_recorder.event(s, &info, NULL, &captured);
	else
		ret = anpu_recorder.dependency(s, info.event, &captured);
	if (captured) {
		if (!ret && inside)
			anpu_recorder.forget(&e->point);
		return ret;
	}
	if (inside)
		return anpu_recorder.refuse_event(&e->point, "reset in a stream that is not");
	ret = anpu_stream_submit(s, is_external(e) ? &pkt : &nop, &seq);
	if (ret)
		return ret;
	e->set = false;
	if (e->reset_in)
		anpu_stream_put(e->reset_in);
	anpu_stream_get(s);
	e->reset_in = s;
	e->reset_seq = seq;
	anpu_site_here(&e->reset_site);
	return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	struct anpu_stream *s;
	struct event *e;
	aclError ret;

	ACL_ENTER();
	ret = find_both(event, stream, &e, &s);
	if (ret)
		return ret;
	if (e->rerecord || !is_for_streams(e)) {
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "event %p cannot be reset: it %s",
			       event,
			       e->rerecord ? "was made by aclrtCreateEventExWithFlag() and is "
					     "simply recorded again"
					   : "was made without ACL_EVENT_SYNC");
	} else {
		pthread_mutex_lock(&e->lock);
		ret = check_there(e);
		if (!ret)
			ret = reset(e, s);
		pthread_mutex_unlock(&e->lock);
	}
	put_both(e, s);
	return ret;
}

/* Two packets: the wait, and the count that tells that it was satisfied; event locked */
static aclError submit_wait(struct event *e, struct anpu_stream *s, uint64_t timeout_us)
{
	uint64_t value = is_external(e) ? 1 : records_of(e) + (is_set(e) ? 0 : 1);
	union anpu_packet wait, count = anpu_signal_packet(
		e->slot.va + offsetof(struct anpu_slot_memory, waits), 1, 0, ANPU_SEM_ADD);
	aclError ret = ACL_SUCCESS;

	if (e->rerecord && !is_set(e)) /* never recorded: counts as complete */
		return ACL_SUCCESS;
	if (!is_set(e) && pending(e))
		ret = fresh_mark(e);
	wait = wait_packet(e, value, timeout_us);
	if (!ret)
		ret = anpu_stream_submit(s, &wait, NULL);
	if (!ret)
		ret = anpu_stream_submit(s, &count, NULL);
	if (!ret)
		e->waits++;
	/* a wait with a limit may end without the record */
	if (!ret && e->set && !e->shared && timeout_us == ANPU_TIMEOUT_NEVER)
		anpu_follow(s, e->stream, e->seq);
	else if (!ret && anpu_checking())
		anpu_races_wait(s->number, atomic_load(&s->last_seq));
	return ret;
}

/* Event locked */
static aclError wait_for(struct event *e, struct anpu_stream *s, uint64_t timeout_us)
{
	union anpu_packet pkt = wait_packet(e, 1, timeout_us);
	struct anpu_event_task info =
		task_of(e, ACL_MODEL_RI_TASK_EVENT_WAIT, is_external(e) ? &pkt : NULL);
	bool captured;
	aclError ret;

	if (anpu_recorder.live(&e->point))
		return anpu_recorder.wait(s, &info, &e->point);
	anpu_recorder.forget(&e->point);
	ret = is_external(e) ? anpu_recorder.event(s, &info, NULL, &captured)
			     : anpu_recorder.dependency(s, info.event, &captured);
	return captured ? ret : submit_wait(e, s, timeout_us);
}

static aclError wait_event(aclrtStream stream, aclrtEvent event, uint32_t seconds, bool external)
{
	uint64_t timeout_us = seconds ? seconds * 1000000ULL : ANPU_TIMEOUT_NEVER;
	union anpu_packet pkt;
	struct anpu_stream *s;
	struct event *e;
	aclError ret = find_both(event, stream, &e, &s);

	if (ret)
		return ret;
	if (!is_for_streams(e)) {
		ret = acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event %p was made without ACL_EVENT_SYNC, so no stream can wait for it",
			event);
	} else {
		pthread_mutex_lock(&e->lock);
		pkt = wait_packet(e, 0, timeout_us);
		ret = check_there(e);
		if (!ret)
			ret = external ? add_external(e, s, ACL_MODEL_RI_TASK_EVENT_WAIT, &pkt)
				       : wait_for(e, s, timeout_us);
		pthread_mutex_unlock(&e->lock);
	}
	put_both(e, s);
	return ret;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	ACL_ENTER();
	return wait_event(stream, event, atomic_load(&default_wait_seconds), false);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
	ACL_ENTER();
	if (timeout < 0)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"timeout is %d: it must be a number of seconds, 0 for no limit",
				timeout);
	return wait_event(stream, event, timeout, false);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout,
				      uint32_t flag)
{
	ACL_ENTER();
	if (flag > ACL_EVENT_WAIT_EXTERNAL)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flag is %#x and must be 0 or 1", flag);
	if (flag && timeout)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"timeout is %u and must be 0 with ACL_EVENT_WAIT_EXTERNAL", timeout);
	return wait_event(stream, event, timeout, flag == ACL_EVENT_WAIT_EXTERNAL);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
	ACL_ENTER_SHORT();
	atomic_store(&default_wait_seconds, timeout);
	return ACL_SUCCESS;
}
