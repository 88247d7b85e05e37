// SPDX-License-Identifier: MIT
/*
 * The failure mode of a stream, its other attributes, and aborting it.
 */
#include <errno.h>
#include <stdlib.h>

#include "stream/stream.h"

/* One abort at a time, because it reads what the device says about it from the status page */
static pthread_mutex_t abort_lock = PTHREAD_MUTEX_INITIALIZER;

static aclError unsupported(struct anpu_device *dev, const char *what)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"%s needs a driver and a device of version 1.1, and device %d has older ones",
			what, dev->id);
}

/* Failure mode --------------------------------------------------------------------------------- */

aclError anpu_stream_stop_on_failure(struct anpu_stream *s)
{
	struct drm_anpu_stream_set set = { .stream = s->kernel_id,
					   .flags = DRM_ANPU_STREAM_STOP_ON_FAILURE };
	int err = anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_STREAM_SET, &set);

	if (err == -EOPNOTSUPP || err == -EINVAL)
		return unsupported(s->obj.dev, "ACL_STOP_ON_FAILURE");
	if ((err == -ENOENT || err == -EIO) && s->dead)
		return ACL_SUCCESS; /* another thread has just destroyed it */
	if (err)
		return anpu_fail_ioctl(s->obj.dev, err, "setting a stream's failure mode");
	atomic_store(&s->stops, true);
	return ACL_SUCCESS;
}

bool anpu_stream_halted(const struct anpu_stream *s)
{
	return __atomic_load_n(&s->status->state, __ATOMIC_ACQUIRE) == ANPU_QUEUE_HALTED;
}

bool anpu_stream_stopped(const struct anpu_stream *s)
{
	return __atomic_load_n(&s->status->state, __ATOMIC_ACQUIRE) == ANPU_QUEUE_STOPPED;
}

/* Every stream of the context, also those to come: a failure makes what depends on it meaningless */
static aclError stop_context(struct anpu_context *ctx)
{
	aclError first = ACL_SUCCESS, ret;
	struct anpu_stream **list;
	size_t n, i;

	/* anpu_stream_new() looks at it after it has published a new stream */
	atomic_store(&ctx->stops, true);
	list = anpu_siblings_list(ctx, &n);
	if (!list)
		return acl_last_failure();
	for (i = 0; i < n; i++) {
		if (!atomic_load(&list[i]->stops)) {
			ret = anpu_stream_stop_on_failure(list[i]);
			first = first ? first : ret;
		}
		anpu_stream_put(list[i]);
	}
	free(list);
	return first;
}

static aclError set_failure_mode(struct anpu_stream *s, uint64_t mode)
{
	struct acl_obj *obj;
	aclError ret;

	if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"mode is %llu and must be ACL_CONTINUE_ON_FAILURE (0) or "
				"ACL_STOP_ON_FAILURE (1)",
				(unsigned long long)mode);
	if (mode == ACL_CONTINUE_ON_FAILURE && atomic_load(&s->stops) && !atomic_load(&s->mode_set))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"another stream of the context was set to ACL_STOP_ON_FAILURE, which "
				"holds for stream %d, too",
				s->number);
	if (atomic_exchange(&s->mode_set, true))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the failure mode of stream %d was set before, and can be set once",
				s->number);
	if (mode == ACL_CONTINUE_ON_FAILURE)
		return ACL_SUCCESS;
	obj = acl_obj_find((void *)(uintptr_t)s->context, ACL_TYPE_CONTEXT);
	if (!obj)
		return acl_fail(ACL_ERROR_RT_CONTEXT_NULL, "the context of stream %d was destroyed",
				s->number);
	ret = stop_context(container_of(obj, struct anpu_context, obj));
	acl_obj_put(obj);
	return ret;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = set_failure_mode(s, mode);
	anpu_stream_put(s);
	return ret;
}

/* Attributes ----------------------------------------------------------------------------------- */

/*
 * The most urgent priorities need a privileged process; other processes get the most urgent one that
 * they may have, as in anpu_stream_new()
 */
static aclError set_priority(struct anpu_stream *s, uint32_t priority)
{
	struct drm_anpu_stream_set set = { .stream = s->kernel_id,
					   .flags = DRM_ANPU_STREAM_SET_PRIORITY,
					   .priority = priority };
	int err;

	if (priority >= DRM_ANPU_PRIORITIES)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"streamPriority is %u and must be 0 (first) to %d", priority,
				DRM_ANPU_PRIORITIES - 1);
	if (priority == atomic_load(&s->priority))
		return ACL_SUCCESS;
	if (!(s->obj.dev->info.flags & DRM_ANPU_INFO_PRIORITY))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"changing a stream's priority needs a driver and a device of version "
				"1.5, and device %d has older ones", s->obj.dev->id);
	err = anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_STREAM_SET, &set);
	while (err == -EACCES && set.priority < DRM_ANPU_PRIORITIES - 1) {
		set.priority++;
		err = anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_STREAM_SET, &set);
	}
	if ((err == -ENOENT || err == -EIO) && s->dead)
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %d was destroyed meanwhile",
				s->number);
	if (err)
		return anpu_fail_ioctl(s->obj.dev, err, "setting a stream's priority");
	atomic_store(&s->priority, priority);
	return ACL_SUCCESS;
}

static aclError set_attribute(struct anpu_stream *s, aclrtStreamAttr type,
			      const aclrtStreamAttrValue *value)
{
	switch (type) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		return set_failure_mode(s, value->failureMode);
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		return anpu_overflow_switch(s, value->overflowSwitch, "overflowSwitch");
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		return anpu_overflow_tag(s, value->userCustomTag);
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		if (value->cacheOpInfoSwitch > 1)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"cacheOpInfoSwitch is %u and must be 0 or 1",
					value->cacheOpInfoSwitch);
		atomic_store(&s->op_info, value->cacheOpInfoSwitch);
		return ACL_SUCCESS;
	case ACL_STREAM_ATTR_PRIORITY:
		return set_priority(s, value->streamPriority);
	}
	return acl_fail(ACL_ERROR_INVALID_PARAM, "stmAttrType is %d, which is no attribute",
			(int)type);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
				 aclrtStreamAttrValue *value)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = set_attribute(s, stmAttrType, value);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
				 aclrtStreamAttrValue *value)
{
	aclrtStreamAttrValue v = { 0 };
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	switch (stmAttrType) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		v.failureMode = atomic_load(&s->stops) ? ACL_STOP_ON_FAILURE
						       : ACL_CONTINUE_ON_FAILURE;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		v.userCustomTag = atomic_load(&s->tag);
		break;
	case ACL_STREAM_ATTR_PRIORITY:
		v.streamPriority = atomic_load(&s->priority);
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		v.cacheOpInfoSwitch = atomic_load(&s->op_info);
		break;
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		v.overflowSwitch = anpu_overflow_checked(s);
		break;
	default:
		ret = acl_fail(ACL_ERROR_INVALID_PARAM, "stmAttrType is %d, which is no attribute",
			       (int)stmAttrType);
	}
	if (!ret)
		*value = v;
	anpu_stream_put(s);
	return ret;
}

/* Abort ---------------------------------------------------------------------------------------- */

/* Calls whose packets were dropped never run. Failures since @from say which these are */
static void drop_calls(struct anpu_stream *s, uint64_t from)
{
	uint64_t to = __atomic_load_n(&s->status->errors, __ATOMIC_ACQUIRE);
	struct anpu_fault f;

	while (from < to && anpu_fault_read(s, from + 1, to, &f)) {
		/*
		 * in a record for several packets addr is the number of packets that were dropped
		 */
		uint64_t n = f.opcode == ANPU_OP_INVALID ? f.addr : 1;

		from = f.ordinal;
		if (f.cause == ANPU_FAULT_KILLED && n)
			anpu_stream_hooks.dropped(s, f.seq - n + 1, f.seq);
	}
}

/* The stream's lock is not taken: a thread that waits for room in the ring may have it */
static int abort_stream(struct anpu_stream *s)
{
	struct drm_anpu_reset reset = { .scope = DRM_ANPU_ABORT_STREAM, .stream = s->kernel_id };
	struct anpu_device *dev = s->obj.dev;
	uint64_t errors;
	int err;

	pthread_mutex_lock(&abort_lock);
	/* no NOTIFY of what comes next is handled before the dropped calls are gone */
	pthread_mutex_lock(&dev->events_lock);
	errors = __atomic_load_n(&s->status->errors, __ATOMIC_ACQUIRE);
	/* before the abort, so that threads that wait now see why their wait ends */
	atomic_fetch_add(&s->aborts, 1);
	err = anpu_ioctl(dev, DRM_IOCTL_ANPU_RESET, &reset);
	if (!err) {
		drop_calls(s, errors);
		/* the program asked for these failures: synchronising does not return them */
		atomic_compare_exchange_strong(
			&s->errors_seen, &errors,
			__atomic_load_n(&s->status->errors, __ATOMIC_ACQUIRE));
	}
	pthread_mutex_unlock(&dev->events_lock);
	pthread_mutex_unlock(&abort_lock);
	if (!err)
		anpu_marks_dropped(s);
	atomic_fetch_add(&s->aborts_over, 1);
	return err;
}

aclError anpu_stream_abort(struct anpu_stream *s)
{
	uint64_t seq = atomic_load(&s->last_seq);
	aclError ret = ACL_SUCCESS;
	int err = abort_stream(s);

	if (err == -EOPNOTSUPP || err == -EINVAL)
		ret = unsupported(s->obj.dev, "aclrtStreamAbort()");
	else if (err && !((err == -ENOENT || err == -EIO) && s->dead))
		/* a stream that another thread has destroyed meanwhile has nothing left to abort */
		ret = anpu_fail_ioctl(s->obj.dev, err, "aborting a stream");
	else if (anpu_checking()) /* none of them writes any more */
		anpu_races_synced(s->number, seq);
	anpu_stream_hooks.progress(s->obj.dev);
	return ret;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find_leaving(stream, &s);
	if (ret)
		return ret;
	ret = anpu_stream_abort(s);
	anpu_finding_waited(s, ret);
	anpu_stream_put(s);
	return ret;
}

/* Also of streams that other threads destroy: aclrtDestroyStream() waits for the tasks that end now */
static aclError abort_all(struct anpu_device *dev)
{
	aclError first = ACL_SUCCESS, ret;
	struct anpu_stream **list;
	size_t n, i;

	list = anpu_stream_list(dev, &n);
	if (!list)
		return acl_last_failure();
	for (i = 0; i < n; i++) {
		ret = anpu_stream_abort(list[i]);
		anpu_finding_waited(list[i], ret);
		first = first ? first : ret;
		anpu_stream_put(list[i]);
	}
	free(list);
	return first;
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
	struct anpu_device *dev;
	aclError ret, before, after;

	ACL_ENTER();
	dev = anpu_device_find(deviceId);
	if (!dev)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"deviceId is %d, a device that this process does not use", deviceId);
	before = anpu_tell_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout);
	/* does not wait, so it needs no limit: the device ends a task within milliseconds */
	ret = abort_all(dev);
	anpu_stream_hooks.progress(dev);
	after = anpu_tell_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout);
	anpu_device_put(dev);
	return ret ? ret : before ? before : after;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	struct anpu_context *ctx;
	struct anpu_stream *s;
	uint32_t mine = 0;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(streamCount);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	pthread_mutex_lock(&ctx->obj.dev->events_lock);
	for (s = ctx->obj.dev->watched; s; s = s->next_watched)
		mine++;
	pthread_mutex_unlock(&ctx->obj.dev->events_lock);
	*streamCount = ctx->obj.dev->info.max_streams > mine ? ctx->obj.dev->info.max_streams - mine
							      : 0;
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}
