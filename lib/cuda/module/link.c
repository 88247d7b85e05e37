// SPDX-License-Identifier: MIT
/*
 * Linking at run time. Files of anpucc are linked already, so one of them is the result as it is, and of several merge.c makes
 * one. What would have to be compiled is refused, as there is no compiler at run time.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/module/module.h"

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
	struct cu_link *l;
	struct cu_jit jit;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(stateOut);
	ret = cu_jit_begin(&jit, numOptions, options, optionValues);
	if (ret)
		return ret;
	l = cu_add(CU_LINK, NULL);
	if (!l)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a linker");
	l->jit = jit;
	*stateOut = cu_handle(l);
	return CUDA_SUCCESS;
}

static CUresult find(CUlinkState state, struct cu_link **l)
{
	*l = cu_find(CU_LINK, state);
	return *l ? CUDA_SUCCESS
		  : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no linker, or one that was destroyed", (void *)state);
}

static CUresult check(const struct cu_link *l, CUjitInputType type)
{
	if ((unsigned int)type >= CU_JIT_NUM_INPUT_TYPES)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "type is %d and must be 0 to %d", (int)type, CU_JIT_NUM_INPUT_TYPES - 1);
	if (type == CU_JIT_INPUT_LIBRARY || type == CU_JIT_INPUT_NVVM)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "%s cannot be linked at run time: give anpucc all sources of the kernels",
			       type == CU_JIT_INPUT_LIBRARY ? "libraries" : "NVVM code");
	if (l->linked.data)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "cuLinkComplete() was called: make another linker");
	return CUDA_SUCCESS;
}

/* Whether the linker takes an image of that type with these options */
static CUresult prepare(struct cu_link *l, CUjitInputType type, unsigned int n, CUjit_option *options, void **values)
{
	struct cu_jit jit; /* these calls take options of the compiler; the log is the linker's */
	CUresult ret = check(l, type);

	return ret ? ret : cu_jit_begin(&jit, n, options, values);
}

/* Keeps the bytes of an image of anpucc */
static CUresult take(struct cu_link *l, const void *data, size_t room)
{
	struct cu_image *more, new = { 0 };
	CUresult ret = cu_image_inside(data, room, &new.size);

	if (ret)
		return ret;
	new.data = malloc(new.size);
	more = realloc(l->added, (l->count + 1) * sizeof(*more));
	if (more)
		l->added = more;
	if (!new.data || !more) {
		free(new.data);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an image of %zu bytes", new.size);
	}
	memcpy(new.data, data, new.size);
	l->added[l->count++] = new;
	return CUDA_SUCCESS;
}

static CUresult add_data(struct cu_link *l, const void *data, size_t size)
{
	struct cu_image text;
	char *padded;
	CUresult ret;

	if (!size)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "size is 0");
	/* what looks at the beginning may always read a header there */
	padded = calloc(1, size + CU_IMAGE_HEADER);
	if (!padded)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for an image of %zu bytes", size);
	memcpy(padded, data, size);
	ret = cu_text_image(padded, SIZE_MAX, &text);
	if (!ret)
		ret = take(l, text.data ? (char *)text.data : padded, text.data ? text.size : size);
	free(text.data);
	free(padded);
	return ret;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
		       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
	struct cu_link *l;
	CUresult ret;

	(void)name;
	CU_ENTER();
	CU_CHECK_PTR(data);
	ret = find(state, &l);
	if (ret)
		return ret;
	ret = prepare(l, type, numOptions, options, optionValues);
	if (!ret)
		ret = add_data(l, data, size);
	return cu_jit_end(&l->jit, ret);
}

static CUresult add_file(struct cu_link *l, const char *path)
{
	void *data = NULL;
	size_t size = 0;
	CUresult ret = cu_read_file(path, &data, &size);

	if (ret)
		return ret;
	ret = take(l, data, size);
	free(data);
	return ret;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
		       CUjit_option *options, void **optionValues)
{
	struct cu_link *l;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(path);
	ret = find(state, &l);
	if (ret)
		return ret;
	ret = prepare(l, type, numOptions, options, optionValues);
	if (!ret)
		ret = add_file(l, path);
	return cu_jit_end(&l->jit, ret);
}

/* Makes one image of those that were added */
static CUresult complete(struct cu_link *l)
{
	CUresult ret = CUDA_SUCCESS;

	if (!l->count)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "nothing was added that could be linked");
	if (!l->linked.data && l->count > 1)
		ret = cu_merge(l->added, l->count, &l->linked);
	if (!ret && !l->linked.data)
		l->linked = l->added[0];
	return ret;
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
	struct cu_link *l;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(cubinOut);
	ret = find(state, &l);
	if (!ret)
		ret = cu_jit_end(&l->jit, complete(l));
	if (ret)
		return ret;
	*cubinOut = l->linked.data;
	if (sizeOut)
		*sizeOut = l->linked.size;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	struct cu_link *l;
	CUresult ret;

	CU_ENTER();
	ret = find(state, &l);
	if (ret)
		return ret;
	if (l->count > 1)
		free(l->linked.data);
	while (l->count)
		free(l->added[--l->count].data);
	free(l->added);
	l->added = NULL;
	l->linked = (struct cu_image){ 0 };
	cu_drop(l);
	return CUDA_SUCCESS;
}
