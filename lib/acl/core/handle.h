/* SPDX-License-Identifier: MIT */
/* The registry of live handles, and what every object behind one begins with. */
#ifndef ANPU_HANDLE_H
#define ANPU_HANDLE_H

#include <stdatomic.h>

#include "core/base.h"
#include "util/util.h"

enum acl_type {
	ACL_TYPE_CONTEXT = 1,
	ACL_TYPE_STREAM,
	ACL_TYPE_EVENT,
	ACL_TYPE_NOTIFY,
	ACL_TYPE_CNT_NOTIFY,
	ACL_TYPE_BINARY_DESC,
	ACL_TYPE_BINARY,
	ACL_TYPE_FUNC,
	ACL_TYPE_PHYSICAL,
	ACL_TYPE_GRAPH,
	ACL_TYPE_LANE,	     /* a graph's stream */
	ACL_TYPE_TASK,	     /* of a graph */
	ACL_TYPE_TASK_GROUP,
	ACL_TYPE_COND,
	ACL_TYPE_LABEL,
	ACL_TYPE_LABEL_LIST,
	ACL_TYPE_MEM_POOL,
	ACL_TYPE_ALLOCATOR,
	ACL_TYPE_COUNT
};

struct anpu_device;

/* First member of everything that has a handle */
struct acl_obj {
	enum acl_type type;
	atomic_uint refs;
	uint64_t handle;
	struct anpu_device *dev; /* NULL if it belongs to no device */
	struct acl_obj *next, *prev; /* in its list while it has a handle; under the registry's lock */
	void (*release)(struct acl_obj *obj);
	struct anpu_site site; /* the checking mode: the call that made it */
};

/* The objects of one type that one device has, the oldest first */
struct acl_obj_list {
	struct acl_obj *first, *last;
};

/* Prepares an object with one reference, the caller's, and a reference to the device */
void acl_obj_init(struct acl_obj *obj, enum acl_type type, struct anpu_device *dev,
		  void (*release)(struct acl_obj *obj));
/*
 * Gives the object a handle; the caller's reference becomes the registry's. false: out of memory, or
 * its device has ended meanwhile.
 * From then on another thread may end the object, so the handle is also stored in @handle, and who
 * goes on using it needs a reference of its own.
 */
bool acl_obj_give(struct acl_obj *obj, void **handle);
/* The same for a caller that has its own reference */
bool acl_obj_publish(struct acl_obj *obj);
/*
 * How many objects of a type have been removed. While the number stands, those that were found after it
 * was read are live.
 */
uint64_t acl_obj_removed(enum acl_type type);
/*
 * A note about an object, which any thread may read without a lock or a reference, for facts that are asked for
 * very often. @note is not 0; its meaning depends on the object's type. Threads that set or forget it hold a lock of
 * the object. The note ends with the handle, and may be missing at any time: then the object has to be asked.
 */
void acl_obj_note(struct acl_obj *obj, uint8_t note);
void acl_obj_forget_note(struct acl_obj *obj);
/* The note about the live object of a handle, or 0 */
uint8_t acl_obj_noted(const void *handle, enum acl_type type);
/* The object behind a handle, with a reference, or NULL */
struct acl_obj *acl_obj_find(const void *handle, enum acl_type type);
/* The same, and the handle becomes unknown: the caller takes over the registry's reference */
struct acl_obj *acl_obj_remove(const void *handle, enum acl_type type);
/* From now on no object of the device gets a handle: acl_obj_give() fails for them */
void acl_obj_end_device(struct anpu_device *dev);
/* Removes any handle of a device, of one type or (0) all; NULL when there is none left */
struct acl_obj *acl_obj_remove_of(struct anpu_device *dev, enum acl_type type);
/* The checking mode: tells of streams, events and the like that the program has made and not destroyed */
void acl_obj_tell_all_left(struct anpu_device *dev);
/* Of those that functions have made whose names begin with @prefix */
void acl_obj_tell_left_by(struct anpu_device *dev, const char *prefix);
void acl_obj_tell_left(const struct acl_obj *obj);
/* Removes all handles of a device that are left, and drops what they stand for */
void acl_obj_drop_device(struct anpu_device *dev);
/*
 * The oldest object of a type for which @wanted() holds, with a reference, or NULL; @wanted() must not
 * call the registry
 */
struct acl_obj *acl_obj_find_if(struct anpu_device *dev, enum acl_type type,
				bool (*wanted)(const struct acl_obj *obj));
void acl_obj_get(struct acl_obj *obj);
/* For one who knows that the object's memory is there, but not that anybody has it: false if its release has begun */
bool acl_obj_try_get(struct acl_obj *obj);
void acl_obj_put(struct acl_obj *obj);
/* How many more handles can be given out */
uint32_t acl_obj_room(void);
/* References to live objects of a type, of one device; returns how many there are */
size_t acl_obj_list(struct anpu_device *dev, enum acl_type type, struct acl_obj **list, size_t max);
/* "a stream", if the number is a handle or might be one plus an offset, else NULL */
const char *acl_handle_type(uint64_t number);
/* In the checking mode " (by CALL)" of a handle that was destroyed not long ago, else "" */
void acl_handle_ended(uint64_t handle, char *buf, size_t size);
/* Records 107017 with what the value is instead: another type, a destroyed object, no handle */
void acl_record_bad_handle(const void *handle, enum acl_type wanted, const char *param);

static inline aclError acl_bad_handle(const void *handle, enum acl_type wanted, const char *param)
{
	acl_record_bad_handle(handle, wanted, param);
	return ACL_ERROR_RT_INVALID_HANDLE;
}

static inline void *acl_obj_handle(const struct acl_obj *obj)
{
	return (void *)(uintptr_t)obj->handle;
}

#endif /* ANPU_HANDLE_H */
