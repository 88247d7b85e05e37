// SPDX-License-Identifier: MIT
/*
 * Streams: making them, finding them, ending them.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "stream/stream.h"

#define STATUS_SIZE 4096
/* Of a stream's ring, until the driver has made one and the size is known */
#define RING_BYTES  (1024 * sizeof(union anpu_packet))

static atomic_int next_number = 1;

static void stream_release(struct acl_obj *obj)
{
	struct anpu_stream *s = container_of(obj, struct anpu_stream, obj);

	if (s->status)
		anpu_unmap(obj->dev, s->status, STATUS_SIZE);
	anpu_ring_unmap(s);
	anpu_marks_put(s->marks);
	free(s->tasks);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/*
 * The driver says -ENOSPC for queues and for memory. Each queue has a ring in the device's memory:
 * if no object of that size could be made, memory is what is missing.
 */
static aclError no_queue(struct anpu_device *dev)
{
	uint64_t largest = UINT64_MAX, left = anpu_hbm_free(dev, &largest);
	uint64_t ring = atomic_load(&dev->ring_bytes);
	char free[16], need[16];

	ring = ring ? ring : RING_BYTES;
	if (largest < ring)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"device %d has no memory left for a stream, whose queue takes %s of it: "
				"%s are free; free what is no longer used with aclrtFree() or "
				"aclrtDestroyStream(), or end other programs",
				dev->id, acl_bytes(ring, need), acl_bytes(left, free));
	return acl_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE,
			"device %d has no queue left of its %u: free what is no longer used with "
			"aclrtDestroyStream(), or end other programs",
			dev->id, dev->info.max_streams);
}

static aclError create_failed(struct anpu_device *dev, int err)
{
	if (err == -ENOSPC)
		return no_queue(dev);
	if (err == -EBUSY)
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"device %d is being reset: try again later", dev->id);
	return anpu_fail_ioctl(dev, err, "creating a stream");
}

/* Addresses and flags that rooms add to STREAM_CREATE */
static int begin(struct anpu_device *dev, struct drm_anpu_stream_create *create)
{
	int err = anpu_overflow_start(dev, create);
	unsigned int i;

	for (i = 0; i < anpu_stream_life_count && !err; i++)
		if (anpu_stream_life[i].begin)
			err = anpu_stream_life[i].begin(dev, create);
	return err;
}

static int create_queue(struct anpu_stream *s, struct anpu_device *dev, uint32_t flags, uint32_t group)
{
	struct drm_anpu_stream_create create = {
		.priority = s->priority,
		.flags = flags | (anpu_ring_wanted(dev) ? DRM_ANPU_STREAM_USER_QUEUE : 0),
		.group = dev->info.flags & DRM_ANPU_INFO_GROUP ? group : 0,
	}, again;
	void *status;
	int err = begin(dev, &create);

	if (err)
		return err;
	again = create;
	err = anpu_ioctl(dev, DRM_IOCTL_ANPU_STREAM_CREATE, &create);
	/* the most urgent priorities are for privileged processes; a parameter of the driver says which */
	while (err == -EACCES && again.priority < DRM_ANPU_PRIORITIES - 1) {
		again.priority++;
		create = again;
		err = anpu_ioctl(dev, DRM_IOCTL_ANPU_STREAM_CREATE, &create);
	}
	if (err)
		return err;
	s->kernel_id = create.stream;
	atomic_store(&dev->ring_bytes, create.ring_entries * sizeof(union anpu_packet));
	s->queue = create.queue;
	status = anpu_map(dev, create.status_offset, STATUS_SIZE, PROT_READ);
	/* twice the ring, so that a failure is told in time while others are submitted */
	s->tasks = calloc(2 * create.ring_entries, sizeof(*s->tasks));
	s->task_mask = 2 * create.ring_entries - 1;
	err = !status ? -errno : s->tasks ? anpu_ring_map(s, &create) : -ENOMEM;
	if (!err) {
		s->status = status;
		return 0;
	}
	if (status)
		anpu_unmap(dev, status, STATUS_SIZE);
	anpu_ioctl(dev, DRM_IOCTL_ANPU_STREAM_DESTROY,
		   &(struct drm_anpu_stream_destroy){ .stream = create.stream });
	return err;
}

/*
 * Checks that the context still exists and takes over its failure mode, which may have changed
 * meanwhile
 */
static aclError join_context(struct anpu_stream *s, struct anpu_context *ctx)
{
	struct acl_obj *obj = acl_obj_find(acl_obj_handle(&ctx->obj), ACL_TYPE_CONTEXT);

	/* the context ended without ending this stream, which nobody could destroy any more */
	if (!obj)
		return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
				"this thread's context was destroyed, or its device reset, while "
				"the stream was made: call aclrtSetDevice() again");
	acl_obj_put(obj);
	/* another thread may have set the mode of all streams meanwhile */
	return atomic_load(&ctx->stops) && !atomic_load(&s->stops) ?
		       anpu_stream_stop_on_failure(s) :
		       ACL_SUCCESS;
}

/* The device's list of its streams */
static void watch(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;

	pthread_mutex_lock(&dev->events_lock);
	s->prev_watched = NULL;
	s->next_watched = dev->watched;
	if (dev->watched)
		dev->watched->prev_watched = s;
	dev->watched = s;
	pthread_mutex_unlock(&dev->events_lock);
}

static void unwatch(struct anpu_stream *s)
{
	struct anpu_device *dev = s->obj.dev;

	pthread_mutex_lock(&dev->events_lock);
	*(s->prev_watched ? &s->prev_watched->next_watched : &dev->watched) = s->next_watched;
	if (s->next_watched)
		s->next_watched->prev_watched = s->prev_watched;
	pthread_mutex_unlock(&dev->events_lock);
}

struct anpu_stream *anpu_stream_new(struct anpu_context *ctx, struct anpu_device *dev,
				    uint32_t priority, uint32_t flags)
{
	struct anpu_stream *s = calloc(1, sizeof(*s));
	int err;

	if (!s) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a stream");
		return NULL;
	}
	acl_obj_init(&s->obj, ACL_TYPE_STREAM, dev, stream_release);
	pthread_mutex_init(&s->lock, NULL);
	s->priority = priority;
	s->flags = flags;
	s->kernel_flags = atomic_load(&dev->saturate) ? ANPU_KERNEL_SATURATE : 0;
	s->number = atomic_fetch_add(&next_number, 1);
	s->stops = ctx && atomic_load(&ctx->stops);
	err = create_queue(s, dev, s->stops ? DRM_ANPU_STREAM_STOP_ON_FAILURE : 0,
			   ctx ? ctx->group : 0);
	if (err) {
		create_failed(dev, err);
		anpu_stream_put(s);
		return NULL;
	}
	anpu_slots_watch(s);
	watch(s);
	if (!ctx) /* the library's own, without a handle */
		return s;
	s->context = ctx->obj.handle;
	anpu_stream_get(s); /* one reference of the registry, one of the caller */
	if (!anpu_siblings_publish(ctx, s)) {
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			"no handle is left for a stream, or its device was reset");
		anpu_stream_end(s);
		anpu_stream_put(s);
		return NULL;
	}
	if (join_context(s, ctx)) {
		if (anpu_stream_claim(s))
			anpu_stream_end(s);
		anpu_stream_put(s);
		return NULL;
	}
	return s;
}

bool anpu_stream_claim(struct anpu_stream *s)
{
	atomic_store(&s->leaving, true);
	return !atomic_exchange(&s->claimed, true);
}

/* The driver destroys the stream; locked. Its status page reads as zero afterwards */
static void destroy(struct anpu_stream *s)
{
	uint64_t done = anpu_stream_completed(s);
	unsigned int i;

	for (i = 0; i < anpu_stream_life_count; i++)
		if (anpu_stream_life[i].destroy)
			anpu_stream_life[i].destroy(s, done);
	unwatch(s);
	anpu_site_here(&s->end_site);
	/* before, so that a thread that finds no such stream in the driver knows why */
	atomic_store(&s->dead, true);
	/* fails only when the device is gone, and then so is the stream */
	(void)anpu_ioctl(s->obj.dev, DRM_IOCTL_ANPU_STREAM_DESTROY,
			 &(struct drm_anpu_stream_destroy){ .stream = s->kernel_id });
	anpu_slots_unwatch(s);
}

void anpu_stream_end(struct anpu_stream *s)
{
	struct anpu_region *args;
	bool last = true;
	unsigned int i;

	for (i = 0; i < anpu_stream_life_count; i++)
		if (anpu_stream_life[i].leave)
			anpu_stream_life[i].leave(s);
	pthread_mutex_lock(&s->lock);
	destroy(s);
	args = s->args;
	s->args = NULL;
	pthread_mutex_unlock(&s->lock);
	/*
	 * only now, so that threads that list the device's streams find all whose tasks may still
	 * run
	 */
	anpu_siblings_leave(s);
	if (s->obj.handle)
		last = acl_obj_remove(acl_obj_handle(&s->obj), ACL_TYPE_STREAM);
	anpu_marks_dropped(s);
	if (anpu_checking())
		anpu_races_synced(s->number, UINT64_MAX);
	for (i = 0; i < anpu_stream_life_count; i++)
		if (anpu_stream_life[i].end)
			anpu_stream_life[i].end(s);
	if (args)
		anpu_region_end(args);
	if (last) /* otherwise the device's end has removed the handle and dropped its reference */
		anpu_stream_put(s);
}

struct anpu_stream **anpu_stream_list(struct anpu_device *dev, size_t *count)
{
	struct acl_obj **objs;
	struct anpu_stream **list;
	size_t room, n, i;

	*count = 0;
	for (;;) {
		room = acl_obj_list(dev, ACL_TYPE_STREAM, NULL, 0) + 1;
		objs = calloc(room, sizeof(*objs));
		if (!objs) {
			acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of %zu streams", room);
			return NULL;
		}
		n = acl_obj_list(dev, ACL_TYPE_STREAM, objs, room);
		if (n <= room)
			break;
		/* others have made more meanwhile, and one of the older may be missing */
		for (i = 0; i < room; i++)
			acl_obj_put(objs[i]);
		free(objs);
	}
	list = (struct anpu_stream **)objs;
	for (i = 0; i < n; i++)
		list[i] = container_of(objs[i], struct anpu_stream, obj);
	*count = n;
	return list;
}

static bool is_unclaimed(const struct acl_obj *obj)
{
	return !atomic_load(&container_of(obj, const struct anpu_stream, obj)->claimed);
}

/* A stream of the device that no thread ends, with a reference, or NULL */
static struct anpu_stream *unclaimed(struct anpu_device *dev)
{
	struct acl_obj *obj = acl_obj_find_if(dev, ACL_TYPE_STREAM, is_unclaimed);

	return obj ? container_of(obj, struct anpu_stream, obj) : NULL;
}

void anpu_streams_end(struct anpu_device *dev, struct anpu_context *ctx)
{
	struct anpu_stream *s;

	while ((s = ctx ? anpu_siblings_unclaimed(ctx) : unclaimed(dev))) {
		if (anpu_stream_claim(s)) {
			acl_obj_tell_left(&s->obj);
			anpu_stream_end(s);
		}
		anpu_stream_put(s);
	}
}

aclError anpu_stream_find(aclrtStream handle, struct anpu_stream **out)
{
	aclError ret = anpu_stream_find_leaving(handle, out);

	if (ret || !atomic_load(&(*out)->leaving))
		return ret;
	ret = acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
		       "stream %d is being destroyed by another thread and takes no more work; it can "
		       "only be aborted, or destroyed by force",
		       (*out)->number);
	anpu_stream_put(*out);
	return ret;
}

aclError anpu_stream_find_leaving(aclrtStream handle, struct anpu_stream **out)
{
	struct anpu_context *ctx;
	struct anpu_stream *s;
	struct acl_obj *obj;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	if (!handle) {
		anpu_stream_get(ctx->stream);
		*out = ctx->stream;
		anpu_context_put(ctx);
		return ACL_SUCCESS;
	}
	obj = acl_obj_find(handle, ACL_TYPE_STREAM);
	if (!obj) {
		ret = acl_bad_handle(handle, ACL_TYPE_STREAM, "stream");
	} else if (obj->dev != ctx->obj.dev) {
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "stream %p belongs to device %d and this thread uses device %d: "
			       "switch with aclrtSetDevice() or aclrtSetCurrentContext()",
			       handle, obj->dev->id, ctx->obj.dev->id);
		acl_obj_put(obj);
	} else {
		s = container_of(obj, struct anpu_stream, obj);
		*out = s;
	}
	anpu_context_put(ctx);
	return ret;
}

static aclError create_stream(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
	struct anpu_context *ctx;
	struct anpu_stream *s;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	s = anpu_stream_new(ctx, ctx->obj.dev, priority, flags);
	anpu_context_put(ctx);
	if (!s)
		return acl_last_failure();
	*stream = acl_obj_handle(&s->obj);
	anpu_tell_stream_state(acl_obj_handle(&s->obj), ACL_RT_STREAM_STATE_CREATE_POST);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	return create_stream(stream, ANPU_DEFAULT_PRIORITY, 0);
}

/* Flags that only promise speed change nothing; for the others see anpu_stream_passive() */
aclError anpu_stream_create(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
	if (priority >= DRM_ANPU_PRIORITIES)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"priority is %u and must be 0 (first) to %d", priority,
				DRM_ANPU_PRIORITIES - 1);
	return create_stream(stream, priority, flags);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	return anpu_stream_create(stream, priority, flag);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(priority);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*priority = s->priority;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(flags);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*flags = s->flags;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

/*
 * Ends a stream, with @wait after its tasks. Two threads may do both at a time: the forced end makes
 * the other thread's wait return.
 */
static aclError end_stream(aclrtStream stream, struct anpu_stream *s, bool wait)
{
	aclError ret = ACL_SUCCESS;
	bool leaves;

	if (s->is_default)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"stream %p is a default stream, which ends with its context",
				stream);
	if (!atomic_load(&s->leaving))
		anpu_tell_stream_state(acl_obj_handle(&s->obj), ACL_RT_STREAM_STATE_DESTROY_PRE);
	leaves = atomic_exchange(&s->leaving, true);
	if (wait && leaves) /* another thread was faster */
		return acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
				"stream %p is being destroyed by another thread, which waits for its "
				"tasks", stream);
	if (wait) {
		ret = anpu_stream_drain(s);
		anpu_finding_waited(s, ret);
	}
	if (anpu_stream_claim(s))
		anpu_stream_end(s);
	else if (!wait)
		ret = acl_fail(ACL_ERROR_RT_INVALID_HANDLE,
			       "stream %p is being destroyed by another thread", stream);
	return ret;
}

static aclError destroy_stream(aclrtStream stream, bool wait)
{
	struct anpu_stream *s;
	aclError ret;

	if (!stream)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"stream is NULL: the default stream is not destroyed, it ends with its "
				"context, at aclrtDestroyContext() or aclrtResetDevice()");
	ret = anpu_stream_find_leaving(stream, &s);
	if (ret)
		return ret;
	ret = end_stream(stream, s, wait);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	ACL_ENTER();
	return destroy_stream(stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	ACL_ENTER();
	return destroy_stream(stream, false);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(streamId);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*streamId = s->number;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}
