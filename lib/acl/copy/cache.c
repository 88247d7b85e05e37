// SPDX-License-Identifier: MIT
/*
 * Cache hints. Device memory and pinned memory are coherent here, for operators, copies and the
 * host alike, so there is nothing to write back, to forget or to fetch ahead: the calls only check
 * what they are given.
 */
#include "copy/copy.h"

static aclError check_range(const void *ptr, size_t size, const char *name)
{
	struct anpu_mem mem;
	aclError ret;

	if (!ptr)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", name);
	if (!size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "size is 0");
	ret = anpu_mem_look(ptr, size, name, &mem);
	if (ret)
		return ret;
	if (mem.place == ANPU_PLACE_PAGEABLE)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%s is %p, which is host memory that no device knows", name, ptr);
	anpu_mem_done(&mem);
	return ret;
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
	ACL_ENTER();
	return check_range(devPtr, size, "devPtr");
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
	ACL_ENTER();
	return check_range(devPtr, size, "devPtr");
}

/* Checks a hint for a stream; the stream gets nothing to do for it */
static aclError hint(const void *ptr, size_t size, const char *name, aclrtCmoType type,
		     aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	if ((int)type < 0 || type > ACL_RT_CMO_TYPE_FLUSH)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cmoType is %d and must be 0 to %d",
				(int)type, (int)ACL_RT_CMO_TYPE_FLUSH);
	ret = check_range(ptr, size, name);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (!ret)
		anpu_stream_put(s);
	return ret;
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
	ACL_ENTER();
	return hint(src, size, "src", cmoType, stream);
}

/* The content of a descriptor, which programs treat as plain bytes */
struct desc {
	uint64_t src;
	uint64_t size;
};

aclError aclrtCmoGetDescSize(size_t *size)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(size);
	*size = sizeof(struct desc);
	return ACL_SUCCESS;
}

aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size)
{
	struct desc desc = { (uintptr_t)src, size };
	struct anpu_mem from = { .place = ANPU_PLACE_PAGEABLE, .addr = (uintptr_t)&desc }, to;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(cmoDesc);
	ret = check_range(src, size, "src");
	if (!ret)
		ret = anpu_mem_look(cmoDesc, sizeof(desc), "cmoDesc", &to);
	if (ret)
		return ret;
	if (to.place == ANPU_PLACE_DEVICE)
		ret = anpu_copy_sync(&to, &from, sizeof(desc));
	else
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "cmoDesc is %p, a host pointer, and must be device memory of "
			       "aclrtMalloc()",
			       cmoDesc);
	anpu_mem_done(&to);
	return ret;
}

aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType, aclrtStream stream,
			       const void *reserve)
{
	ACL_ENTER();
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %p and must be NULL", reserve);
	return hint(cmoDesc, sizeof(struct desc), "cmoDesc", cmoType, stream);
}
