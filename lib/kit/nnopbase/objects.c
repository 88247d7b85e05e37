// SPDX-License-Identifier: MIT
/* The tree of all objects that live. */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "front.h"
#include "objects.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *living; /* struct kit_object, by address; lock protects it */

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x > y) - (x < y);
}

const char *kit_kind_name(enum kit_kind kind)
{
	static const char *const name[] = { "aclTensor",    "aclScalar",     "aclIntArray", "aclFloatArray",
					    "aclBoolArray", "aclTensorList", "aclScalarList" };

	return name[kind];
}

void *kit_new(const char *api, enum kit_kind kind, size_t size)
{
	struct kit_object *object = calloc(1, size);
	void *kept = NULL;

	if (object) {
		object->kind = kind;
		pthread_mutex_lock(&lock);
		kept = tsearch(object, &living, by_address);
		pthread_mutex_unlock(&lock);
	}
	if (kept)
		return object;
	free(object);
	kit_fail(api, ACL_ERROR_BAD_ALLOC, "no memory for an %s of %zu bytes", kit_kind_name(kind), size);
	return NULL;
}

void *kit_find(const char *api, enum kit_kind kind, const void *object, const char *name, int *code)
{
	const struct kit_object *found = NULL;
	void *at;

	if (object) {
		pthread_mutex_lock(&lock);
		at = tfind(object, &living, by_address);
		if (at && (*(struct kit_object **)at)->kind == kind)
			found = *(struct kit_object **)at;
		pthread_mutex_unlock(&lock);
	}
	if (!found && code)
		*code = object ? kit_fail(api, ACLNN_ERR_PARAM_INVALID,
					  "%s is %p, which is no %s: it was destroyed, or never was one", name,
					  object, kit_kind_name(kind)) :
				 kit_fail(api, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL", name);
	return (void *)found;
}

bool kit_take(struct kit_object *object)
{
	void *gone;

	pthread_mutex_lock(&lock);
	gone = tdelete(object, &living, by_address);
	pthread_mutex_unlock(&lock);
	return gone;
}
