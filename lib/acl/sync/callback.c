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
#include <stdlib.h>

#include "sync/calls.h"

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
	pthread_mutex_lock(&anpu_calls_lock);
	if (s->calls_ended) /* the submission fails then; the slot stays unused until the end */
		anpu_slot_release(&slot);
	else
		s->call_slot = slot;
	pthread_mutex_unlock(&anpu_calls_lock);
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
		ret = anpu_call_add(s, call, block, &done);
	if (ret) {
		free(call);
		return ret;
	}
	/* from here on the call may run and be freed */
	wait.sem_wait.addr = s->call_slot.va;
	wait.sem_wait.value = done;
	ret = anpu_stream_submit_locked(s, &notify, NULL);
	if (ret)
		anpu_call_take_back(s, call);
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
