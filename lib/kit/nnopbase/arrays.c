// SPDX-License-Identifier: MIT
/* Arrays, and lists of tensors and scalars. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "objects.h"

/* An array; behind it @size elements */
struct array {
	struct kit_object head;
	uint64_t size;
	unsigned char elements[] __attribute__((aligned(16)));
};

#define MAX_BYTES (UINT64_C(1) << 32)

static void *create(const char *api, enum kit_kind kind, const void *value, uint64_t size, size_t each)
{
	struct array *a;

	if (!value && size) {
		kit_fail(api, ACLNN_ERR_PARAM_NULLPTR, "value is NULL and size is %" PRIu64, size);
		return NULL;
	}
	if (size > MAX_BYTES / each) {
		kit_fail(api, ACLNN_ERR_PARAM_INVALID, "size is %" PRIu64 " and must be at most %" PRIu64,
			 size, MAX_BYTES / each);
		return NULL;
	}
	a = kit_new(api, kind, sizeof(*a) + size * each);
	if (!a)
		return NULL;
	a->size = size;
	if (size)
		memcpy(a->elements, value, size * each);
	return a;
}

static aclnnStatus destroy(const char *api, enum kit_kind kind, const void *array)
{
	int err;
	struct array *a = kit_find(api, kind, array, "array", &err);

	if (!a)
		return err;
	if (kit_take(&a->head))
		free(a);
	return ACLNN_SUCCESS;
}

static aclnnStatus get_size(const char *api, enum kit_kind kind, const void *array, uint64_t *size)
{
	int err;
	const struct array *a;

	if (!size)
		return kit_fail(api, ACLNN_ERR_PARAM_NULLPTR, "size is NULL");
	a = kit_find(api, kind, array, "array", &err);
	if (!a)
		return err;
	*size = a->size;
	return ACLNN_SUCCESS;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
	return create(__func__, KIT_INT_ARRAY, value, size, sizeof(*value));
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
	return create(__func__, KIT_FLOAT_ARRAY, value, size, sizeof(*value));
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
	return create(__func__, KIT_BOOL_ARRAY, value, size, sizeof(*value));
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
	return destroy(__func__, KIT_INT_ARRAY, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
	return destroy(__func__, KIT_FLOAT_ARRAY, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
	return destroy(__func__, KIT_BOOL_ARRAY, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
	return get_size(__func__, KIT_INT_ARRAY, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
	return get_size(__func__, KIT_FLOAT_ARRAY, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
	return get_size(__func__, KIT_BOOL_ARRAY, array, size);
}

/* Whether @value holds @size objects of @kind or NULL, none twice or in a list already; marks them as @list's */
static int adopt(const char *api, enum kit_kind kind, struct array *list)
{
	struct kit_object **entry = (struct kit_object **)list->elements;
	int err = 0;
	uint64_t i;

	for (i = 0; i < list->size && !err; i++) {
		if (!entry[i] || !kit_find(api, kind, entry[i], "an entry of value", &err))
			continue;
		if (entry[i]->owner)
			err = kit_fail(api, ACLNN_ERR_PARAM_INVALID,
				       "value[%" PRIu64 "] is in %s list already, which destroys it", i,
				       entry[i]->owner == &list->head ? "this" : "another");
		else
			entry[i]->owner = &list->head;
	}
	/* what was marked before the failure */
	while (err && i--)
		if (entry[i] && kit_find(api, kind, entry[i], "", NULL) && entry[i]->owner == &list->head)
			entry[i]->owner = NULL;
	return err;
}

static void *create_list(const char *api, enum kit_kind list_kind, enum kit_kind kind, const void *value,
			 uint64_t size)
{
	struct array *list = create(api, list_kind, value, size, sizeof(void *));

	if (list && adopt(api, kind, list)) {
		kit_take(&list->head);
		free(list);
		return NULL;
	}
	return list;
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
	return create_list(__func__, KIT_TENSOR_LIST, KIT_TENSOR, value, size);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
	return create_list(__func__, KIT_SCALAR_LIST, KIT_SCALAR, value, size);
}

static aclnnStatus destroy_list(const char *api, enum kit_kind list_kind, const void *array)
{
	int err;
	struct array *list = kit_find(api, list_kind, array, "array", &err);
	struct kit_object **entry;
	uint64_t i;

	if (!list)
		return err;
	if (!kit_take(&list->head))
		return ACLNN_SUCCESS;
	entry = (struct kit_object **)list->elements;
	for (i = 0; i < list->size; i++) {
		if (!entry[i])
			continue;
		entry[i]->owner = NULL;
		if (list_kind == KIT_TENSOR_LIST)
			aclDestroyTensor((const aclTensor *)entry[i]);
		else
			aclDestroyScalar((const aclScalar *)entry[i]);
	}
	free(list);
	return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
	return destroy_list(__func__, KIT_TENSOR_LIST, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
	return destroy_list(__func__, KIT_SCALAR_LIST, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
	return get_size(__func__, KIT_TENSOR_LIST, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
	return get_size(__func__, KIT_SCALAR_LIST, scalarList, size);
}
