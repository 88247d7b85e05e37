// SPDX-License-Identifier: MIT
/*
 * How many cores the kernels of this process may use: limits of devices, of streams, and of the
 * stream whose limits a thread has adopted. A launch writes what holds into its packet, and the
 * device keeps to it. A limit of 0 is none.
 */
#include "launch/launch.h"

static _Atomic uint32_t device_limit[ANPU_MAX_DEVICES][ANPU_LIMITS];
/* Some limit was set: most programs never do, and their launches look no further */
static atomic_bool limited;
/* Handle of the stream whose limits this thread has adopted; it may be gone */
static __thread uint64_t adopted;

static const char *const core_name[ANPU_LIMITS] = {
	[ACL_RT_DEV_RES_CUBE_CORE] = "cube",
	[ACL_RT_DEV_RES_VECTOR_CORE] = "vector",
};

static uint32_t core_count(const struct anpu_device *dev, aclrtDevResLimitType type)
{
	return type == ACL_RT_DEV_RES_CUBE_CORE ? dev->info.cores : dev->info.vector_cores;
}

/* @n, or the device's limit if @n is 0 */
static uint32_t or_device_limit(uint32_t n, const struct anpu_device *dev, aclrtDevResLimitType type)
{
	if (!n)
		n = atomic_load_explicit(&device_limit[dev->id][type], memory_order_relaxed);
	return n ? n : core_count(dev, type);
}

/* The limit for streams without one of their own that this thread launches on */
static uint32_t thread_limit(const struct anpu_device *dev, aclrtDevResLimitType type)
{
	struct acl_obj *obj = adopted ? acl_obj_find((void *)(uintptr_t)adopted, ACL_TYPE_STREAM)
				      : NULL;
	uint32_t n = 0;

	if (obj && obj->dev == dev)
		n = atomic_load_explicit(&container_of(obj, struct anpu_stream, obj)->limit[type],
					 memory_order_relaxed);
	if (obj)
		acl_obj_put(obj);
	return or_device_limit(n, dev, type);
}

static uint32_t launch_limit(const struct anpu_stream *s, aclrtDevResLimitType type)
{
	uint32_t n = atomic_load_explicit(&s->limit[type], memory_order_relaxed);

	return n ? n : thread_limit(s->obj.dev, type);
}

uint8_t anpu_limit_cores(const struct anpu_stream *s, uint8_t core_type)
{
	uint32_t n = s->obj.dev->info.cores;

	if (!atomic_load_explicit(&limited, memory_order_relaxed))
		return 0;
	if (core_type != ANPU_CORE_AIV)
		n = min_u64(n, launch_limit(s, ACL_RT_DEV_RES_CUBE_CORE));
	if (core_type != ANPU_CORE_AIC)
		n = min_u64(n, launch_limit(s, ACL_RT_DEV_RES_VECTOR_CORE));
	return n < s->obj.dev->info.cores ? min_u64(n, UINT8_MAX) : 0;
}

static aclError check_type(aclrtDevResLimitType type)
{
	if ((unsigned int)type < ANPU_LIMITS)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"type is %d and must be %d (cube cores) or %d (vector cores)", (int)type,
			ACL_RT_DEV_RES_CUBE_CORE, ACL_RT_DEV_RES_VECTOR_CORE);
}

static aclError set_limit(const struct anpu_device *dev, _Atomic uint32_t *limit,
			  aclrtDevResLimitType type, uint32_t value)
{
	uint32_t count = core_count(dev, type);

	if (!value || value > count)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"value is %u and must be 1 to %u, the %s cores of device %d", value,
				count, core_name[type], dev->id);
	if (!(dev->info.flags & DRM_ANPU_INFO_MAX_CORES))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"device %d, or its driver, is too old to limit the cores of kernels",
				dev->id);
	atomic_store_explicit(&limit[type], value, memory_order_relaxed);
	atomic_store_explicit(&limited, true, memory_order_relaxed);
	return ACL_SUCCESS;
}

static void reset_limits(_Atomic uint32_t *limit)
{
	for (int i = 0; i < ANPU_LIMITS; i++)
		atomic_store_explicit(&limit[i], 0, memory_order_relaxed);
}

/* Devices ---------------------------------------------------------------------------------------- */

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ret = check_type(type);
	if (ret)
		return ret;
	dev = anpu_device_open(deviceId);
	if (!dev)
		return acl_last_failure();
	ret = set_limit(dev, device_limit[dev->id], type, value);
	anpu_device_close(dev);
	return ret;
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	ret = check_type(type);
	if (ret)
		return ret;
	dev = anpu_device_open(deviceId);
	if (!dev)
		return acl_last_failure();
	*value = or_device_limit(0, dev, type);
	anpu_device_close(dev);
	return ACL_SUCCESS;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
	struct anpu_device *dev;

	ACL_ENTER();
	dev = anpu_device_open(deviceId);
	if (!dev)
		return acl_last_failure();
	reset_limits(device_limit[dev->id]);
	anpu_device_close(dev);
	return ACL_SUCCESS;
}

/* Streams ---------------------------------------------------------------------------------------- */

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = check_type(type);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = set_limit(s->obj.dev, s->limit, type, value);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = check_type(type);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*value = or_device_limit(atomic_load_explicit(&s->limit[type], memory_order_relaxed),
				 s->obj.dev, type);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	reset_limits(s->limit);
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

/* Threads ---------------------------------------------------------------------------------------- */

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	adopted = s->obj.handle;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	/* the stream may have been destroyed meanwhile, or the thread may use another device */
	if (stream && (uintptr_t)stream == adopted) {
		adopted = 0;
		return ACL_SUCCESS;
	}
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	if (s->obj.handle == adopted)
		adopted = 0;
	else
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "this thread does not use the limits of stream %d: "
			       "aclrtUseStreamResInCurrentThread() was not called for it, or for "
			       "another one later",
			       s->number);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = check_type(type);
	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	*value = thread_limit(ctx->obj.dev, type);
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}
