// SPDX-License-Identifier: MIT
/*
 * The program's own allocators: descriptions of one, and which stream has which. Libraries that run
 * models on a stream ask for its allocator; this library itself allocates nothing for streams that
 * a program could bring.
 */
#include <stdlib.h>

#include "pool/pool.h"

struct anpu_allocator {
	struct acl_obj obj;
	pthread_mutex_t lock;
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorGetAddrFromBlockFunc addr;
};

/* A registration has the functions as they were; the description may be destroyed */
struct registration {
	struct acl_node node; /* by stream */
	uint64_t stream; /* handle: never used again for another one */
	aclrtAllocatorDesc desc;
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorGetAddrFromBlockFunc addr;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct acl_node *registrations;

static void allocator_release(struct acl_obj *obj)
{
	struct anpu_allocator *a = container_of(obj, struct anpu_allocator, obj);

	pthread_mutex_destroy(&a->lock);
	free(a);
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
	ACL_UNCANCELLED();
	struct anpu_allocator *a;
	void *handle;

	if (acl_enter(__func__))
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the description of an allocator");
		return NULL;
	}
	acl_obj_init(&a->obj, ACL_TYPE_ALLOCATOR, NULL, allocator_release);
	pthread_mutex_init(&a->lock, NULL);
	if (acl_obj_give(&a->obj, &handle))
		return handle;
	acl_obj_put(&a->obj);
	acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
		 "no handle is left for the description of an allocator");
	return NULL;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
	struct acl_obj *obj;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(allocatorDesc);
	obj = acl_obj_remove(allocatorDesc, ACL_TYPE_ALLOCATOR);
	if (!obj)
		return acl_bad_handle(allocatorDesc, ACL_TYPE_ALLOCATOR, "allocatorDesc");
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

static aclError find(aclrtAllocatorDesc handle, struct anpu_allocator **out)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "allocatorDesc is NULL");
	obj = acl_obj_find(handle, ACL_TYPE_ALLOCATOR);
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_ALLOCATOR, "allocatorDesc");
	*out = container_of(obj, struct anpu_allocator, obj);
	return ACL_SUCCESS;
}

/* Sets one field of a description */
#define SET(desc, value, field)                        \
	({                                             \
		struct anpu_allocator *a_;             \
		aclError ret_ = find(desc, &a_);       \
		if (!ret_) {                           \
			pthread_mutex_lock(&a_->lock);   \
			a_->field = (value);           \
			pthread_mutex_unlock(&a_->lock); \
			acl_obj_put(&a_->obj);         \
		}                                      \
		ret_;                                  \
	})

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(allocator);
	return SET(allocatorDesc, allocator, object);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
					  aclrtAllocatorAllocFunc func)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(func);
	return SET(allocatorDesc, func, alloc);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
					 aclrtAllocatorFreeFunc func)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(func);
	return SET(allocatorDesc, func, free);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
						aclrtAllocatorAllocAdviseFunc func)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(func);
	return SET(allocatorDesc, func, advise);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
						     aclrtAllocatorGetAddrFromBlockFunc func)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(func);
	return SET(allocatorDesc, func, addr);
}

/* Handle of an existing stream; the default stream has one, too, but NULL is refused */
static aclError check_stream(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ANPU_CHECK_STREAM(stream);
	ret = anpu_stream_find(stream, &s);
	if (!ret)
		anpu_stream_put(s);
	return ret;
}

/* Lock held */
static struct registration *find_stream(aclrtStream stream)
{
	struct acl_node *n = acl_tree_find(registrations, (uintptr_t)stream, 0);

	return n ? container_of(n, struct registration, node) : NULL;
}

static void forget(uint64_t stream)
{
	struct registration *r;

	pthread_mutex_lock(&lock);
	r = find_stream((aclrtStream)(uintptr_t)stream);
	if (r)
		acl_tree_remove(&registrations, &r->node);
	pthread_mutex_unlock(&lock);
	free(r);
}

void anpu_allocator_forget(struct anpu_stream *s)
{
	forget(s->obj.handle);
}

/* All functions but allocation by advice must be set */
static aclError check_complete(const struct registration *r)
{
	const char *missing = !r->object  ? "aclrtAllocatorSetObjToDesc"
			      : !r->alloc ? "aclrtAllocatorSetAllocFuncToDesc"
			      : !r->free  ? "aclrtAllocatorSetFreeFuncToDesc"
			      : !r->addr  ? "aclrtAllocatorSetGetAddrFromBlockFuncToDesc"
					  : NULL;

	if (!missing)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"the description of the allocator is not complete: call %s() before",
			missing);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
	struct registration *new, *old;
	struct anpu_allocator *a;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = check_stream(stream);
	if (!ret)
		ret = find(allocatorDesc, &a);
	if (ret)
		return ret;
	new = calloc(1, sizeof(*new));
	if (!new) {
		acl_obj_put(&a->obj);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory to register an allocator");
	}
	pthread_mutex_lock(&a->lock);
	*new = (struct registration){ .node = { .key = (uintptr_t)stream },
				      .stream = (uintptr_t)stream,
				      .desc = allocatorDesc,
				      .object = a->object,
				      .alloc = a->alloc,
				      .free = a->free,
				      .advise = a->advise,
				      .addr = a->addr };
	pthread_mutex_unlock(&a->lock);
	acl_obj_put(&a->obj);
	ret = check_complete(new);
	if (!ret) {
		pthread_mutex_lock(&lock);
		old = find_stream(stream);
		if (old)
			acl_tree_remove(&registrations, &old->node);
		acl_tree_add(&registrations, &new->node);
		pthread_mutex_unlock(&lock);
		new = old;
	}
	free(new);
	return ret;
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
				   aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc,
				   aclrtAllocatorFreeFunc *freeFunc,
				   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
				   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
	const struct registration *found;
	struct registration r = { 0 };
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(allocatorDesc);
	ACL_CHECK_PTR(allocator);
	ACL_CHECK_PTR(allocFunc);
	ACL_CHECK_PTR(freeFunc);
	ACL_CHECK_PTR(allocAdviseFunc);
	ACL_CHECK_PTR(getAddrFromBlockFunc);
	ret = check_stream(stream);
	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	found = find_stream(stream);
	if (found)
		r = *found;
	pthread_mutex_unlock(&lock);
	if (!r.stream)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"stream %p has no allocator: aclrtAllocatorRegister() was not called, "
				"or aclrtAllocatorUnregister() was",
				stream);
	*allocatorDesc = r.desc;
	*allocator = r.object;
	*allocFunc = r.alloc;
	*freeFunc = r.free;
	*allocAdviseFunc = r.advise;
	*getAddrFromBlockFunc = r.addr;
	return ACL_SUCCESS;
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	forget((uintptr_t)stream);
	return ACL_SUCCESS;
}
