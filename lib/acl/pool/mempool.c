// SPDX-License-Identifier: MIT
/*
 * Memory pools: device memory that is allocated and freed in the order of streams. Pools and their
 * attributes are here, their memory is in arena.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "pool/arena.h"

static void pool_release(struct acl_obj *obj)
{
	anpu_pool_free(container_of(obj, struct anpu_pool, obj));
}

static aclError check_props(const aclrtMemPoolProps *props)
{
	if (props->allocType != ACL_MEM_ALLOCATION_TYPE_PINNED)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"poolProps->allocType is %d and must be "
				"ACL_MEM_ALLOCATION_TYPE_PINNED (0)",
				(int)props->allocType);
	if (props->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"poolProps->location.type is %d and pools are of device memory: "
				"ACL_MEM_LOCATION_TYPE_DEVICE (1)",
				(int)props->location.type);
	if (props->handleType == ACL_MEM_HANDLE_TYPE_POSIX)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"poolProps->handleType is ACL_MEM_HANDLE_TYPE_POSIX, and pools "
				"cannot be exported: take ACL_MEM_HANDLE_TYPE_NONE");
	if (props->handleType != ACL_MEM_HANDLE_TYPE_NONE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"poolProps->handleType is %d and must be "
				"ACL_MEM_HANDLE_TYPE_NONE (0)",
				(int)props->handleType);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolCreate(aclrtMemPool *memPool, const aclrtMemPoolProps *poolProps)
{
	struct anpu_device *dev;
	struct anpu_pool *p;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(memPool);
	ACL_CHECK_PTR(poolProps);
	ret = check_props(poolProps);
	if (ret)
		return ret;
	dev = anpu_device_find(poolProps->location.id > INT32_MAX ? -1 :
			       (int)poolProps->location.id);
	if (!dev)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"poolProps->location.id is %u, a device that this process does not "
				"use: call aclrtSetDevice() before",
				poolProps->location.id);
	p = calloc(1, sizeof(*p));
	if (!p) {
		anpu_device_put(dev);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a memory pool");
	}
	acl_obj_init(&p->obj, ACL_TYPE_MEM_POOL, dev, pool_release);
	p->max_size = poolProps->maxSize;
	p->follow = 1;
	p->opportunistic = 1;
	p->internal = 1;
	anpu_pool_begin(p);
	if (!acl_obj_give(&p->obj, memPool)) {
		ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			       "no handle is left for a memory pool, or its device was reset");
		anpu_pool_die(p);
		acl_obj_put(&p->obj);
	}
	anpu_device_put(dev);
	return ret;
}

static aclError find_pool(aclrtMemPool handle, struct anpu_pool **out)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "memPool is NULL");
	obj = acl_obj_find(handle, ACL_TYPE_MEM_POOL);
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_MEM_POOL, "memPool");
	*out = container_of(obj, struct anpu_pool, obj);
	return ACL_SUCCESS;
}

int anpu_front_pool_device(aclrtMemPool pool)
{
	struct acl_obj *obj = pool ? acl_obj_find(pool, ACL_TYPE_MEM_POOL) : NULL;
	int id = obj ? obj->dev->id : -1;

	if (obj)
		acl_obj_put(obj);
	return id;
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)
{
	struct acl_obj *obj;

	ACL_ENTER();
	ACL_CHECK_PTR(memPool);
	obj = acl_obj_remove(memPool, ACL_TYPE_MEM_POOL);
	if (!obj)
		return acl_bad_handle(memPool, ACL_TYPE_MEM_POOL, "memPool");
	anpu_pool_die(container_of(obj, struct anpu_pool, obj));
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)
{
	struct anpu_pool *p;
	aclError ret;

	ACL_ENTER();
	ret = find_pool(memPool, &p);
	if (ret)
		return ret;
	anpu_pool_shrink(p, minBytesToKeep);
	acl_obj_put(&p->obj);
	return ACL_SUCCESS;
}

/* Attributes ----------------------------------------------------------------------------------- */

/* Where the switch is kept, or NULL */
static uint32_t *switch_of(struct anpu_pool *p, aclrtMemPoolAttr attr)
{
	switch (attr) {
	case ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES:
		return &p->follow;
	case ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC:
		return &p->opportunistic;
	case ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		return &p->internal;
	default:
		return NULL;
	}
}

static uint64_t *number_of(struct anpu_pool *p, aclrtMemPoolAttr attr)
{
	switch (attr) {
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		return &p->threshold;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
		return &p->reserved;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
		return &p->reserved_high;
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
		return &p->used;
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
		return &p->used_high;
	default:
		return NULL;
	}
}

static aclError bad_attribute(aclrtMemPoolAttr attr)
{
	return acl_fail(ACL_ERROR_INVALID_PARAM, "attr is %d and must be 1 to %d", (int)attr,
			ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH);
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
	struct anpu_pool *p;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = find_pool(memPool, &p);
	if (ret)
		return ret;
	pthread_mutex_lock(&p->obj.dev->lock);
	if (switch_of(p, attr))
		*(uint32_t *)value = *switch_of(p, attr);
	else if (number_of(p, attr))
		*(uint64_t *)value = *number_of(p, attr);
	else
		ret = bad_attribute(attr);
	pthread_mutex_unlock(&p->obj.dev->lock);
	acl_obj_put(&p->obj);
	return ret;
}

/* Device locked */
static aclError set_attribute(struct anpu_pool *p, aclrtMemPoolAttr attr, const void *value)
{
	if (switch_of(p, attr)) {
		if (*(const uint32_t *)value > 1)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"the value is %u, and attribute %d is 0 or 1",
					*(const uint32_t *)value, (int)attr);
		*switch_of(p, attr) = *(const uint32_t *)value;
		return ACL_SUCCESS;
	}
	switch (attr) {
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		p->threshold = *(const uint64_t *)value;
		return ACL_SUCCESS;
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "attribute %d can only be read",
				(int)attr);
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
		if (*(const uint64_t *)value)
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"the value is %llu, and attribute %d can only be set to 0, "
					"to begin anew with what is there",
					(unsigned long long)*(const uint64_t *)value, (int)attr);
		if (attr == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH)
			p->reserved_high = p->reserved;
		else
			p->used_high = p->used;
		return ACL_SUCCESS;
	default:
		return bad_attribute(attr);
	}
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void *value)
{
	struct anpu_pool *p;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(value);
	ret = find_pool(memPool, &p);
	if (ret)
		return ret;
	pthread_mutex_lock(&p->obj.dev->lock);
	ret = set_attribute(p, attr, value);
	pthread_mutex_unlock(&p->obj.dev->lock);
	acl_obj_put(&p->obj);
	return ret;
}

/* Allocations ---------------------------------------------------------------------------------- */

static aclError pool_full(struct anpu_pool *p, int err, uint64_t size)
{
	char want[16], has[16], used[16], most[16], left[16];
	uint64_t largest = 0;

	if (err != -EDQUOT && err != -ENOSPC)
		return anpu_fail_ioctl(p->obj.dev, err, "allocating memory for a pool");
	acl_bytes(size, want);
	acl_bytes(p->reserved, has);
	acl_bytes(p->used, used);
	if (err == -EDQUOT)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"the pool has no %s left: it has %s, of which %s are in use, and may "
				"have %s (maxSize)",
				want, has, used, acl_bytes(p->max_size, most));
	return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"the pool has no %s left: it has %s, of which %s are in use, and device %d "
			"has %s more",
			want, has, used, p->obj.dev->id,
			acl_bytes(anpu_hbm_free(p->obj.dev, &largest), left));
}

aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool, aclrtStream stream)
{
	struct anpu_stream *s;
	struct anpu_pool *p;
	uint64_t va = 0;
	aclError ret;
	int err = 0;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ANPU_CHECK_STREAM(stream);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	ret = find_pool(memPool, &p);
	if (ret)
		return ret;
	ret = anpu_stream_find(stream, &s);
	if (ret)
		goto out;
	if (s->obj.dev != p->obj.dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "the pool is of device %d and the stream belongs to device %d",
			       p->obj.dev->id, s->obj.dev->id);
	else
		ret = anpu_recorder.refuse(s, "memory of a pool cannot be allocated for a graph");
	if (!ret && size > UINT64_MAX / 2) /* rounded up it would be a small number */
		err = -ENOSPC;
	else if (!ret)
		ret = anpu_pool_take(p, s, size, &va, &err);
	if (!ret && !va)
		ret = pool_full(p, err, size);
	if (!ret)
		*ptr = (void *)(uintptr_t)va;
	anpu_stream_put(s);
out:
	acl_obj_put(&p->obj);
	return ret;
}

aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream)
{
	struct anpu_device *dev;
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(ptr);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	dev = anpu_device_of(ptr);
	if (dev && dev != s->obj.dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "ptr is %p, memory of device %d, and the stream belongs to device %d",
			       ptr, dev->id, s->obj.dev->id);
	else
		ret = anpu_recorder.refuse(s, "memory of a pool cannot be freed by a graph");
	if (!ret)
		ret = anpu_pool_give(s->obj.dev, s, (uintptr_t)ptr);
	if (dev)
		anpu_device_put(dev);
	anpu_stream_put(s);
	return ret;
}
