// SPDX-License-Identifier: MIT
/*
 * Options of a stream, collected in an object before the stream is made.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
	aclrtStreamConfigHandle *handle;

	if (acl_enter(__func__))
		return NULL;
	handle = calloc(1, sizeof(*handle));
	if (!handle)
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the options of a stream");
	return handle;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(handle);
	free(handle);
	return ACL_SUCCESS;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr,
				 const void *attrValue, size_t valueSize)
{
	static const struct {
		size_t offset;
		size_t size;
	} field[] = {
#define FIELD(f) { offsetof(aclrtStreamConfigHandle, f), sizeof(((aclrtStreamConfigHandle *)0)->f) }
		[ACL_RT_STREAM_WORK_ADDR_PTR] = FIELD(workptr),
		[ACL_RT_STREAM_WORK_SIZE] = FIELD(workSize),
		[ACL_RT_STREAM_FLAG] = FIELD(flag),
		[ACL_RT_STREAM_PRIORITY] = FIELD(priority),
#undef FIELD
	};

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(handle);
	ACL_CHECK_PTR(attrValue);
	if ((size_t)attr >= ARRAY_SIZE(field))
		return acl_fail(ACL_ERROR_INVALID_PARAM, "attr is %d and must be 0 to %zu",
				(int)attr, ARRAY_SIZE(field) - 1);
	/* a number that is a size_t is often given as a uint32_t, as aclrtCreateStreamWithConfig() has it */
	if (valueSize != field[attr].size &&
	    (valueSize != sizeof(uint32_t) || attr == ACL_RT_STREAM_WORK_ADDR_PTR))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"valueSize is %zu and option %d has %zu bytes", valueSize,
				(int)attr, field[attr].size);
	memset((char *)handle + field[attr].offset, 0, field[attr].size);
	memcpy((char *)handle + field[attr].offset, attrValue, valueSize);
	return ACL_SUCCESS;
}

aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
	ACL_ENTER();
	ACL_CHECK_PTR(stream);
	if (!handle)
		return anpu_stream_create(stream, ANPU_DEFAULT_PRIORITY, 0);
	/* work memory may be offered; streams need none */
	if (handle->flag > UINT32_MAX)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "the flags %#zx have more than 32 bits",
				handle->flag);
	return anpu_stream_create(stream, handle->priority, (uint32_t)handle->flag);
}
