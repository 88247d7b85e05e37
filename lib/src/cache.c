// SPDX-License-Identifier: MIT
/*
 * Cache hints. Device memory and pinned memory are coherent here, for operators, copies and the
 * host alike, so there is nothing to write back, to forget or to fetch ahead: the calls only check
 * what they are given.
 */
#include "anpu_lib.h"

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

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	if ((int)cmoType < 0 || cmoType > ACL_RT_CMO_TYPE_FLUSH)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "cmoType is %d and must be 0 to %d",
				(int)cmoType, (int)ACL_RT_CMO_TYPE_FLUSH);
	ret = check_range(src, size, "src");
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (!ret)
		anpu_stream_put(s);
	return ret;
}
