// SPDX-License-Identifier: MIT
/* Tensors and scalars. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "objects.h"

struct aclTensor {
	struct kit_object head;
	/* view_n shape numbers, view_n strides, storage_n shape numbers, in one piece */
	int64_t *numbers;
	uint64_t view_n, storage_n;
	int64_t offset;
	aclDataType type;
	aclFormat format;
	void *data;
};

struct aclScalar {
	struct kit_object head;
	aclDataType type;
	unsigned char value[16];
};

/* More than any operator takes; keeps a wild number from being an allocation */
#define MAX_DIMS 64

static int check_dims(const char *api, const char *name, const int64_t *dims, uint64_t n)
{
	uint64_t i;

	if (n > MAX_DIMS)
		return kit_fail(api, ACLNN_ERR_PARAM_INVALID, "%sNum is %" PRIu64 " and must be at most %d",
				name, n, MAX_DIMS);
	if (n && !dims)
		return kit_fail(api, ACLNN_ERR_PARAM_NULLPTR, "%s is NULL and %sNum is %" PRIu64, name, name,
				n);
	for (i = 0; i < n; i++)
		if (dims[i] < 0)
			return kit_fail(api, ACLNN_ERR_PARAM_INVALID,
					"%s[%" PRIu64 "] is %" PRId64 " and must not be negative", name, i,
					dims[i]);
	return 0;
}

/* Strides of a tensor without gaps; those of huge shapes wrap, as nothing is read by them here */
static void dense_strides(const int64_t *dims, uint64_t n, int64_t *strides)
{
	uint64_t step = 1;

	while (n--) {
		strides[n] = (int64_t)step;
		step *= (uint64_t)dims[n];
	}
}

static void copy_numbers(int64_t *to, const int64_t *from, uint64_t n)
{
	if (n)
		memcpy(to, from, n * sizeof(*to));
}

/* Describes in @t, whose head stays */
static int describe(const char *api, aclTensor *t, const int64_t *view, uint64_t view_n, aclDataType type,
		    const int64_t *strides, int64_t offset, aclFormat format, const int64_t *storage,
		    uint64_t storage_n, void *data)
{
	int err = check_dims(api, "viewDims", view, view_n);
	int64_t *numbers;

	if (!err)
		err = check_dims(api, "storageDims", storage, storage_n);
	if (err)
		return err;
	if (offset < 0)
		return kit_fail(api, ACLNN_ERR_PARAM_INVALID, "offset is %" PRId64 " and must not be negative",
				offset);
	numbers = calloc(2 * view_n + storage_n + 1, sizeof(*numbers));
	if (!numbers)
		return kit_fail(api, ACLNN_ERR_INNER, "no memory for the shape of a tensor");
	copy_numbers(numbers, view, view_n);
	if (strides)
		copy_numbers(numbers + view_n, strides, view_n);
	else
		dense_strides(numbers, view_n, numbers + view_n);
	copy_numbers(numbers + 2 * view_n, storage, storage_n);
	free(t->numbers);
	*t = (struct aclTensor){ .head = t->head, .numbers = numbers, .view_n = view_n,
				 .storage_n = storage_n, .offset = offset, .type = type, .format = format,
				 .data = data };
	return ACLNN_SUCCESS;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
			   const int64_t *stride, int64_t offset, aclFormat format,
			   const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData)
{
	aclTensor *t = kit_new(__func__, KIT_TENSOR, sizeof(*t));

	if (t && describe(__func__, t, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
			  storageDimsNum, tensorData)) {
		kit_take(&t->head);
		free(t);
		return NULL;
	}
	return t;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum,
			  aclDataType dataType, const int64_t *stride, int64_t offset, aclFormat format,
			  const int64_t *storageDims, uint64_t storageDimsNum, void *tensorDataAddr)
{
	int err;

	if (!kit_find(__func__, KIT_TENSOR, tensor, "tensor", &err))
		return err;
	return describe(__func__, tensor, viewDims, viewDimsNum, dataType, stride, offset, format,
			storageDims, storageDimsNum, tensorDataAddr);
}

static int in_a_list(const char *api, const struct kit_object *object)
{
	return kit_fail(api, ACLNN_ERR_PARAM_INVALID,
			"it belongs to the %s %p, which destroys it: destroy the list",
			kit_kind_name(object->owner->kind), (void *)object->owner);
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
	int err;
	aclTensor *t = kit_find(__func__, KIT_TENSOR, tensor, "tensor", &err);

	if (!t)
		return err;
	if (t->head.owner)
		return in_a_list(__func__, &t->head);
	if (kit_take(&t->head)) {
		free(t->numbers);
		free(t);
	}
	return ACLNN_SUCCESS;
}

/* A copy of @n numbers for the caller */
static int give(const char *api, const int64_t *numbers, uint64_t n, int64_t **out, uint64_t *out_n)
{
	int64_t *copy = NULL;

	if (n) {
		copy = malloc(n * sizeof(*copy));
		if (!copy)
			return kit_fail(api, ACLNN_ERR_INNER, "no memory for %" PRIu64 " numbers", n);
		memcpy(copy, numbers, n * sizeof(*copy));
	}
	*out = copy;
	*out_n = n;
	return ACLNN_SUCCESS;
}

/* The living tensor; the failure if there is none or if one of the places for results is NULL */
static const aclTensor *ask(const char *api, const aclTensor *tensor, const void *a, const void *b, int *err)
{
	if (!a || !b) {
		*err = kit_fail(api, ACLNN_ERR_PARAM_NULLPTR, "a place for a result is NULL");
		return NULL;
	}
	return kit_find(api, KIT_TENSOR, tensor, "tensor", err);
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
	int err;
	const aclTensor *t = ask(__func__, tensor, viewDims, viewDimsNum, &err);

	return t ? give(__func__, t->numbers, t->view_n, viewDims, viewDimsNum) : err;
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
	int err;
	const aclTensor *t = ask(__func__, tensor, storageDims, storageDimsNum, &err);

	return t ? give(__func__, t->numbers + 2 * t->view_n, t->storage_n, storageDims, storageDimsNum) : err;
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
	int err;
	const aclTensor *t = ask(__func__, tensor, stridesValue, stridesNum, &err);

	return t ? give(__func__, t->numbers + t->view_n, t->view_n, stridesValue, stridesNum) : err;
}

/* A function that gives one field of a tensor */
#define GETTER(function, type_, field, out)                             \
	aclnnStatus function(const aclTensor *tensor, type_ *out)        \
	{                                                                \
		int err;                                                 \
		const aclTensor *t = ask(__func__, tensor, out, out, &err); \
									 \
		if (!t)                                                  \
			return err;                                      \
		*out = t->field;                                         \
		return ACLNN_SUCCESS;                                    \
	}

GETTER(aclGetViewOffset, int64_t, offset, offset)
GETTER(aclGetFormat, aclFormat, format, format)
GETTER(aclGetDataType, aclDataType, type, dataType)
GETTER(aclGetRawTensorAddr, void *, data, addr)

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
	int err;
	aclTensor *t = kit_find(__func__, KIT_TENSOR, tensor, "tensor", &err);

	if (!t)
		return err;
	t->data = addr;
	return ACLNN_SUCCESS;
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
	size_t size = aclDataTypeSize(dataType);
	aclScalar *s;

	if (!value || !size) {
		kit_fail(__func__, value ? ACLNN_ERR_PARAM_INVALID : ACLNN_ERR_PARAM_NULLPTR,
			 value ? "dataType is %d, which has no whole number of bytes" : "value is NULL",
			 (int)dataType);
		return NULL;
	}
	s = kit_new(__func__, KIT_SCALAR, sizeof(*s));
	if (!s)
		return NULL;
	s->type = dataType;
	memcpy(s->value, value, size);
	return s;
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
	int err;
	aclScalar *s = kit_find(__func__, KIT_SCALAR, scalar, "scalar", &err);

	if (!s)
		return err;
	if (s->head.owner)
		return in_a_list(__func__, &s->head);
	if (kit_take(&s->head))
		free(s);
	return ACLNN_SUCCESS;
}
