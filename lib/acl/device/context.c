// SPDX-License-Identifier: MIT
/*
 * Contexts: a device's default one, which aclrtSetDevice() makes and counts, and explicit ones.
 * A context is the thread's way to a device and the owner of streams; memory belongs to the device.
 */
#include <stdlib.h>
#include <time.h>

#include "device/device.h"

/* aclrtSetDevice() and aclrtResetDevice() of all threads, one after the other */
static pthread_mutex_t set_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread uint64_t current;
/*
 * A short way to the context that the thread has: as long as no context is removed from the registry, it
 * is what it was. So the questions that programs ask before every call take no lock.
 */
static __thread struct {
	uint64_t context;
	uint64_t removed; /* how many contexts had been removed before this one was looked up */
	int32_t device;
} known;

static void context_release(struct acl_obj *obj)
{
	struct anpu_context *ctx = container_of(obj, struct anpu_context, obj);

	anpu_context_life.release(ctx);
	free(ctx);
}

struct anpu_context *anpu_context_new(struct anpu_device *dev, bool primary)
{
	static atomic_uint last_group;
	struct anpu_context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a context");
		anpu_device_close(dev);
		return NULL;
	}
	acl_obj_init(&ctx->obj, ACL_TYPE_CONTEXT, dev, context_release);
	ctx->primary = primary;
	/* after 2^31 further contexts a number comes again, and the two contexts stop together */
	ctx->group = (atomic_fetch_add(&last_group, 1) + 1) | (1u << 31);
	if (!acl_obj_publish(&ctx->obj)) {
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no handle is left for a context");
		acl_obj_put(&ctx->obj);
		anpu_device_close(dev);
		return NULL;
	}
	if (anpu_context_life.begin(ctx)) {
		acl_obj_put(acl_obj_remove(acl_obj_handle(&ctx->obj), ACL_TYPE_CONTEXT));
		anpu_device_close(dev);
		return NULL;
	}
	return ctx;
}

aclError anpu_context_end(struct anpu_context *ctx, bool force)
{
	struct anpu_device *dev = ctx->obj.dev;
	aclError ret = anpu_context_life.end(ctx, force);

	anpu_context_put(ctx);
	anpu_device_close(dev);
	return ret;
}

void anpu_context_adopt(uint64_t handle)
{
	current = handle;
}

uint64_t anpu_front_context(void)
{
	return current;
}

void anpu_front_set_context(uint64_t context)
{
	current = context;
}

int anpu_context_device(void)
{
	struct acl_obj *obj = acl_obj_find((void *)(uintptr_t)current, ACL_TYPE_CONTEXT);
	int id = obj ? obj->dev->id : -1;

	if (obj)
		acl_obj_put(obj);
	return id;
}

int anpu_front_context_device(uint64_t context, bool *primary)
{
	struct acl_obj *obj = acl_obj_find((void *)(uintptr_t)context, ACL_TYPE_CONTEXT);
	int id;

	if (!obj)
		return -1;
	*primary = container_of(obj, struct anpu_context, obj)->primary;
	id = obj->dev->id;
	acl_obj_put(obj);
	return id;
}

static aclError set_device(int id);

/* The thread gets the context of the device that aclInit()'s file names, if it names one */
static __attribute__((noinline)) aclError use_default_device(void)
{
	ACL_UNCANCELLED();
	char copy[640];
	int id = anpu_default_device();

	if (id >= 0)
		return set_device(id);
	return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
			"this thread has no device: call aclrtSetDevice() or "
			"aclrtSetCurrentContext() in it first%s",
			acl_other_copy(copy, sizeof(copy)));
}

static aclError current_ended(void)
{
	char by[1100];

	acl_handle_ended(current, by, sizeof(by));
	return acl_fail(ACL_ERROR_RT_CONTEXT_NULL,
			"this thread's context was destroyed, or its device reset%s: call aclrtSetDevice() again", by);
}

aclError anpu_context_current(struct anpu_context **out)
{
	aclError ret = current ? ACL_SUCCESS : use_default_device();
	struct acl_obj *obj;

	if (ret)
		return ret;
	obj = acl_obj_find((void *)(uintptr_t)current, ACL_TYPE_CONTEXT);
	if (!obj)
		return current_ended();
	*out = container_of(obj, struct anpu_context, obj);
	return ACL_SUCCESS;
}

/* Fails if the thread has no live context; otherwise known says which one it has */
static aclError know_current(void)
{
	uint64_t removed = acl_obj_removed(ACL_TYPE_CONTEXT);
	struct anpu_context *ctx = NULL;
	aclError ret;

	if (current && known.context == current && known.removed == removed)
		return ACL_SUCCESS;
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	known.context = ctx->obj.handle;
	known.removed = removed;
	known.device = ctx->obj.dev->id;
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}

/* The default context of an opened device with a reference, made if there is none; set_lock held */
static struct anpu_context *primary_of(struct anpu_device *dev)
{
	struct acl_obj *obj = acl_obj_find((void *)(uintptr_t)dev->primary, ACL_TYPE_CONTEXT);
	struct anpu_context *ctx;

	if (obj) {
		anpu_device_close(dev); /* the context has it open already */
		return container_of(obj, struct anpu_context, obj);
	}
	ctx = anpu_context_new(dev, true);
	if (!ctx)
		return NULL;
	dev->primary = ctx->obj.handle;
	acl_obj_get(&ctx->obj);
	return ctx;
}

/*
 * A thread that resets a device holds the lock and waits for callbacks: a callback gives up after a
 * second
 */
static bool lock_set(void)
{
	struct timespec t;

	anpu_about_to_sleep(); /* aclFinalize() and aclrtResetDevice() hold it while functions of the program end */
	if (!acl_in_callback())
		return !pthread_mutex_lock(&set_lock);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return !pthread_mutex_timedlock(&set_lock, &t);
}

static aclError refuse_set(void)
{
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"a callback sets a device while another thread sets or resets one, which "
			"may wait for this callback: use aclrtSetCurrentContext()");
}

static aclError set_device(int id)
{
	struct anpu_context *ctx = NULL;
	struct anpu_device *dev;

	if (!lock_set())
		return refuse_set();
	dev = anpu_device_open(id);
	if (dev)
		ctx = primary_of(dev);
	if (ctx) {
		ctx->obj.dev->set_count++;
		current = ctx->obj.handle;
		anpu_context_put(ctx);
	}
	pthread_mutex_unlock(&set_lock);
	return ctx ? ACL_SUCCESS : acl_last_failure();
}

aclError aclrtSetDevice(int32_t deviceId)
{
	aclError ret;

	ACL_ENTER();
	anpu_init_missing();
	anpu_tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
	ret = set_device(deviceId);
	if (!ret)
		anpu_tell_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
	return ret;
}

/* Ends the default context of a device; set_lock held */
static aclError end_primary(struct anpu_device *dev, bool force)
{
	struct acl_obj *obj = acl_obj_remove((void *)(uintptr_t)dev->primary, ACL_TYPE_CONTEXT);

	dev->primary = 0;
	dev->set_count = 0;
	if (!obj)
		return ACL_SUCCESS;
	if (dev->contexts == 1) /* else a thread with another context may record events */
		anpu_device_leave(dev);
	return anpu_context_end(container_of(obj, struct anpu_context, obj), force);
}

static aclError reset_device(int32_t id, bool force)
{
	struct anpu_device *dev;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&set_lock);
	dev = anpu_device_find(id);
	if (!dev || !dev->set_count)
		ret = acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
			       "device %d is not set: aclrtSetDevice() was not called for it, or "
			       "as many resets were",
			       id);
	else if (force || --dev->set_count == 0)
		ret = end_primary(dev, force);
	pthread_mutex_unlock(&set_lock);
	if (dev)
		anpu_device_put(dev);
	return ret;
}

static aclError tell_and_reset(int32_t id, bool force)
{
	aclError ret;

	anpu_tell_device_state(id, ACL_RT_DEVICE_STATE_RESET_PRE);
	ret = reset_device(id, force);
	if (!ret)
		anpu_tell_device_state(id, ACL_RT_DEVICE_STATE_RESET_POST);
	anpu_trace_save();
	return ret;
}

aclError aclrtResetDevice(int32_t deviceId)
{
	ACL_ENTER();
	return tell_and_reset(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	ACL_ENTER();
	return tell_and_reset(deviceId, true);
}

aclError anpu_contexts_end_all(void)
{
	aclError first = ACL_SUCCESS, ret;
	struct anpu_device *dev;
	struct acl_obj *obj;
	int id;

	pthread_mutex_lock(&set_lock);
	for (id = 0; id < ANPU_MAX_DEVICES; id++) {
		dev = anpu_device_find(id);
		if (!dev)
			continue;
		dev->primary = 0;
		dev->set_count = 0;
		anpu_device_leave(dev);
		while ((obj = acl_obj_remove_of(dev, ACL_TYPE_CONTEXT))) {
			ret = anpu_context_end(container_of(obj, struct anpu_context, obj), false);
			first = first ? first : ret;
		}
		anpu_device_put(dev);
	}
	pthread_mutex_unlock(&set_lock);
	return first;
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(deviceId);
	ret = know_current();
	if (ret)
		return ret;
	*deviceId = known.device;
	return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	struct anpu_context *ctx = NULL;
	struct anpu_device *dev;

	ACL_ENTER();
	ACL_CHECK_PTR(context);
	if (!lock_set()) /* so that aclFinalize() does not run in the middle of this */
		return refuse_set();
	dev = anpu_device_open(deviceId);
	if (dev)
		ctx = anpu_context_new(dev, false);
	if (ctx) {
		current = ctx->obj.handle;
		*context = acl_obj_handle(&ctx->obj);
	}
	pthread_mutex_unlock(&set_lock);
	return ctx ? ACL_SUCCESS : acl_last_failure();
}

aclError aclrtDestroyContext(aclrtContext context)
{
	struct anpu_context *ctx;
	struct acl_obj *obj;

	ACL_ENTER();
	ACL_CHECK_PTR(context);
	obj = acl_obj_find(context, ACL_TYPE_CONTEXT);
	if (!obj)
		return acl_bad_handle(context, ACL_TYPE_CONTEXT, "context");
	ctx = container_of(obj, struct anpu_context, obj);
	if (ctx->primary) {
		anpu_context_put(ctx);
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"context %p is the default one of device %d: it ends with "
				"aclrtResetDevice()",
				context, ctx->obj.dev->id);
	}
	obj = acl_obj_remove(context, ACL_TYPE_CONTEXT);
	anpu_context_put(ctx);
	if (!obj) /* another thread was faster */
		return acl_bad_handle(context, ACL_TYPE_CONTEXT, "context");
	return anpu_context_end(ctx, false);
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(context);
	ret = know_current();
	if (ret)
		return ret;
	*context = (aclrtContext)(uintptr_t)known.context;
	return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	struct acl_obj *obj;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(context);
	obj = acl_obj_find(context, ACL_TYPE_CONTEXT);
	if (!obj)
		return acl_bad_handle(context, ACL_TYPE_CONTEXT, "context");
	current = obj->handle;
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
	struct anpu_device *dev;
	char why[256];
	int n;

	ACL_ENTER();
	ACL_CHECK_PTR(active);
	n = anpu_device_count(why, sizeof(why));
	if (deviceId < 0 || deviceId >= n)
		return acl_fail(anpu_device_error(n, ACL_ERROR_RT_INVALID_DEVICEID),
				"device %d does not exist: %s", deviceId,
				n < 0 ? why : "numbers go from 0 to aclrtGetDeviceCount() - 1");
	/* not under set_lock: the thread that has it may be waiting for the callback that asks */
	dev = anpu_device_find(deviceId);
	*active = dev && dev->primary;
	if (flags)
		*flags = 0;
	if (dev)
		anpu_device_put(dev);
	return ACL_SUCCESS;
}
