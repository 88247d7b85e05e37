// SPDX-License-Identifier: MIT
/*
 * Variables and kernels of operators by a variable or function of the program that has the same
 * name. No compiler joins the two here, as one does that compiles host and device code together: the
 * name is looked up in the binaries that the process has loaded onto the thread's device, the one
 * loaded last first.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"

#define NAME_MAX_   512
#define STUB_PREFIX "aclrtlaunch_"

struct variable {
	uint64_t va;
	uint64_t size;
	bool writable;
	char name[NAME_MAX_];
};

static int later_first(const void *a, const void *b)
{
	const struct anpu_binary *x = container_of(*(struct acl_obj *const *)a, struct anpu_binary, obj);
	const struct anpu_binary *y = container_of(*(struct acl_obj *const *)b, struct anpu_binary, obj);

	return x->serial < y->serial ? 1 : -1;
}

/* Binaries of the thread's device with references, later ones first */
static aclError list_binaries(struct acl_obj ***list, size_t *count)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);
	size_t n;

	if (ret)
		return ret;
	n = acl_obj_list(ctx->obj.dev, ACL_TYPE_BINARY, NULL, 0);
	*list = calloc(n + 1, sizeof(**list));
	*count = *list ? min_u64(acl_obj_list(ctx->obj.dev, ACL_TYPE_BINARY, *list, n), n) : 0;
	anpu_context_put(ctx);
	if (!*list)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of %zu binaries", n);
	qsort(*list, *count, sizeof(**list), later_first);
	return ACL_SUCCESS;
}

static void put_binaries(struct acl_obj **list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		acl_obj_put(list[i]);
	free(list);
}

static aclError name_of(const void *symbol, char *name)
{
	if (!symbol)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "symbol is NULL");
	if (anpu_host_symbol(symbol, name, NAME_MAX_))
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_INVALID_SYMBOL,
			"symbol is %p, where neither a variable nor a function of the program begins "
			"that has a name: give its address, and do not strip the program",
			symbol);
}

static aclError find_variable(const void *symbol, struct variable *v)
{
	struct acl_obj **list;
	size_t count, i;
	aclError ret = name_of(symbol, v->name);

	if (!ret)
		ret = list_binaries(&list, &count);
	if (ret)
		return ret;
	v->va = 0;
	for (i = 0; i < count && !ret && !v->va; i++)
		ret = anpu_binary_global(container_of(list[i], struct anpu_binary, obj), v->name,
					 &v->va, &v->size, &v->writable);
	put_binaries(list, count);
	if (ret || v->va)
		return ret;
	return acl_fail(ACL_ERROR_RT_SYMBOL_NOT_FOUND,
			"none of the %zu binaries that are loaded onto this device has a variable '%s'",
			count, v->name);
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
	struct variable v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	ret = find_variable(symbol, &v);
	if (!ret)
		*devPtr = (void *)(uintptr_t)v.va;
	return ret;
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
	struct variable v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(size);
	ret = find_variable(symbol, &v);
	if (!ret)
		*size = v.size;
	return ret;
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
	char stub[NAME_MAX_], *name = stub;
	struct acl_obj **list;
	bool found = false;
	size_t count, i;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(funcHandle);
	ret = name_of(symbol, stub);
	if (!ret)
		ret = list_binaries(&list, &count);
	if (ret)
		return ret;
	if (!strncmp(stub, STUB_PREFIX, strlen(STUB_PREFIX)))
		name += strlen(STUB_PREFIX);
	for (i = 0; i < count && !found; i++) {
		struct anpu_binary *bin = container_of(list[i], struct anpu_binary, obj);

		found = anpu_binary_has_kernel(bin, name);
		if (found)
			ret = anpu_binary_function(bin, name, funcHandle);
	}
	put_binaries(list, count);
	if (found)
		return ret;
	return acl_fail(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION,
			"none of the %zu binaries that are loaded onto this device has a kernel '%s'",
			count, name);
}

/* Copies --------------------------------------------------------------------------------------- */

static aclError check(const struct variable *v, size_t count, size_t offset, aclrtMemcpyKind kind,
		      aclrtMemcpyKind wanted)
{
	if (kind != wanted && kind != ACL_MEMCPY_DEFAULT)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"kind is %d and must be %d, or ACL_MEMCPY_DEFAULT (%d)", (int)kind,
				(int)wanted, ACL_MEMCPY_DEFAULT);
	if (offset > v->size || count > v->size - offset)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"%zu bytes from offset %zu leave the variable '%s', which has %llu",
				count, offset, v->name, (unsigned long long)v->size);
	if (wanted == ACL_MEMCPY_HOST_TO_DEVICE && !v->writable)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID, "the variable '%s' is constant",
				v->name);
	return ACL_SUCCESS;
}

/* Copies in the order of @stream, or at once if @async is false */
static aclError copy(void *dst, size_t max, const void *src, size_t count, bool async,
		     aclrtStream stream)
{
	struct anpu_stream *st = NULL;
	struct anpu_mem d, s;
	aclError ret = async ? anpu_stream_find(stream, &st) : ACL_SUCCESS;

	if (ret)
		return ret;
	ret = anpu_check_copy(dst, max, src, count, &d, &s);
	if (!ret) {
		if (count)
			ret = async ? anpu_copy_async(&d, &s, count, st)
				    : anpu_copy_sync(&d, &s, count);
		anpu_mem_done(&d);
		anpu_mem_done(&s);
	}
	if (st)
		anpu_stream_put(st);
	return ret;
}

static aclError from_symbol(void *dst, size_t max, const void *symbol, size_t count, size_t offset,
			    aclrtMemcpyKind kind, bool async, aclrtStream stream)
{
	struct variable v;
	aclError ret;

	ACL_CHECK_PTR(dst);
	ret = find_variable(symbol, &v);
	if (!ret)
		ret = check(&v, count, offset, kind, ACL_MEMCPY_DEVICE_TO_HOST);
	return ret ? ret
		   : copy(dst, max, (void *)(uintptr_t)(v.va + offset), count, async, stream);
}

static aclError to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
			  aclrtMemcpyKind kind, bool async, aclrtStream stream)
{
	struct variable v;
	aclError ret;

	ACL_CHECK_PTR(src);
	ret = find_variable(symbol, &v);
	if (!ret)
		ret = check(&v, count, offset, kind, ACL_MEMCPY_HOST_TO_DEVICE);
	return ret ? ret
		   : copy((void *)(uintptr_t)(v.va + offset), v.size - offset, src, count, async,
			  stream);
}

aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol, size_t count,
			       size_t offset, aclrtMemcpyKind kind)
{
	ACL_ENTER();
	return from_symbol(dst, dstMax, symbol, count, offset, kind, false, NULL);
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax, const void *symbol, size_t count,
				    size_t offset, aclrtMemcpyKind kind, aclrtStream stream)
{
	ACL_ENTER();
	return from_symbol(dst, dstMax, symbol, count, offset, kind, true, stream);
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
			     aclrtMemcpyKind kind)
{
	ACL_ENTER();
	return to_symbol(symbol, src, count, offset, kind, false, NULL);
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
				  aclrtMemcpyKind kind, aclrtStream stream)
{
	ACL_ENTER();
	return to_symbol(symbol, src, count, offset, kind, true, stream);
}
