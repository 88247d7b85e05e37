// SPDX-License-Identifier: MIT
/*
 * Hooks of other libraries around the set and reset of a device, the life of a stream, and the abort of
 * a device's tasks. A name has one hook of each kind: a later registration replaces it, but that of
 * an abort, which is refused; NULL ends it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

#define NAME_ROOM 128

enum kind { DEVICE, STREAM, ABORT, KINDS };

struct hook {
	struct hook *next;
	char name[NAME_ROOM];
	aclrtDeviceStateCallback device;
	aclrtStreamStateCallback stream;
	aclrtDeviceTaskAbortCallback abort;
	void *args;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hook *hooks[KINDS];
static atomic_bool any[KINDS];

/* Replaces the hook of that name, or adds or ends it */
static aclError set(enum kind kind, const struct hook *hook, bool end)
{
	struct hook **at, *h, *new = end ? NULL : malloc(sizeof(*new));
	bool twice;

	if (!end && !new)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
	if (new)
		*new = *hook;
	pthread_mutex_lock(&lock);
	for (at = &hooks[kind]; (h = *at) && strcmp(h->name, hook->name); at = &h->next)
		;
	twice = new && h && kind == ABORT;
	if (twice) {
		h = new;
	} else if (new) {
		new->next = h ? h->next : NULL;
		*at = new;
	} else if (h) {
		*at = h->next;
	}
	atomic_store(&any[kind], hooks[kind] != NULL);
	pthread_mutex_unlock(&lock);
	free(h);
	if (twice)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"a callback is registered as '%s' already: end it with callback NULL "
				"before",
				hook->name);
	if (end && !h)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"callback is NULL, and none is registered as '%s'", hook->name);
	return ACL_SUCCESS;
}

static aclError set_name(struct hook *hook, const char *name)
{
	ACL_CHECK_PTR(name);
	if (!*name || strlen(name) >= NAME_ROOM)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"regName has %zu characters and must have 1 to %d", strlen(name),
				NAME_ROOM - 1);
	strcpy(hook->name, name);
	return ACL_SUCCESS;
}

aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback,
				     void *args)
{
	struct hook hook = { .device = callback, .args = args };
	aclError ret;

	ACL_ENTER_SHORT();
	ret = set_name(&hook, regName);
	return ret ? ret : set(DEVICE, &hook, !callback);
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback,
				     void *args)
{
	struct hook hook = { .stream = callback, .args = args };
	aclError ret;

	ACL_ENTER_SHORT();
	ret = set_name(&hook, regName);
	return ret ? ret : set(STREAM, &hook, !callback);
}

aclError aclrtSetDeviceTaskAbortCallback(const char *regName, aclrtDeviceTaskAbortCallback callback,
					 void *args)
{
	struct hook hook = { .abort = callback, .args = args };
	aclError ret;

	ACL_ENTER_SHORT();
	ret = set_name(&hook, regName);
	return ret ? ret : set(ABORT, &hook, !callback);
}

/* A copy of the list, so that hooks may use this library; the caller frees it */
static struct hook *copy_of(enum kind kind, size_t *count)
{
	struct hook *list, *h;
	size_t n = 0;

	*count = 0;
	if (!atomic_load_explicit(&any[kind], memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&lock);
	for (h = hooks[kind]; h; h = h->next)
		n++;
	list = calloc(n + 1, sizeof(*list));
	for (h = hooks[kind]; list && h; h = h->next)
		list[(*count)++] = *h;
	pthread_mutex_unlock(&lock);
	return list;
}

void anpu_tell_device_state(int32_t id, aclrtDeviceState state)
{
	size_t count, i;
	struct hook *list = copy_of(DEVICE, &count);

	for (i = 0; i < count; i++)
		list[i].device(id, state, list[i].args);
	free(list);
}

void anpu_tell_stream_state(aclrtStream stream, aclrtStreamState state)
{
	size_t count, i;
	struct hook *list = copy_of(STREAM, &count);

	for (i = 0; i < count; i++)
		list[i].stream(stream, state, list[i].args);
	free(list);
}

aclError anpu_tell_abort(int32_t id, aclrtDeviceTaskAbortStage stage, uint32_t timeout)
{
	size_t count, i;
	struct hook *list = copy_of(ABORT, &count);
	aclError ret = ACL_SUCCESS;

	for (i = 0; i < count; i++) {
		int32_t value = list[i].abort(id, stage, timeout, list[i].args);

		/* the hook may have called other functions: name this one in messages again */
		(void)acl_enter("aclrtDeviceTaskAbort");
		if (value && !ret)
			ret = acl_fail(ACL_ERROR_RT_INTERNAL_ERROR,
				       "the callback that is registered as '%s' returned %d %s the "
				       "abort of device %d's tasks",
				       list[i].name, value,
				       stage == ACL_RT_DEVICE_TASK_ABORT_PRE ? "before" : "after", id);
	}
	free(list);
	return ret;
}
