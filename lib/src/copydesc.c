// SPDX-License-Identifier: MIT
/*
 * Copies whose addresses are read from device memory when they run: the descriptor and the task.
 */
#include <stdint.h>

#include "anpu_lib.h"

static aclError check_desc_kind(aclrtMemcpyKind kind)
{
	if (kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_INVALID_PARAM,
			"kind is %d and descriptors copy within a device only: pass "
			"ACL_MEMCPY_INNER_DEVICE_TO_DEVICE (%d)",
			(int)kind, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
}

/* Device memory of @size bytes at a multiple of 8 */
static aclError look_at(const void *ptr, uint64_t size, const char *name, struct anpu_mem *mem)
{
	aclError ret = anpu_mem_look(ptr, size, name, mem);

	if (!ret && mem->place != ANPU_PLACE_DEVICE)
		ret = acl_fail(
			ACL_ERROR_RT_PARAM_INVALID,
			"%s is %p, a host pointer, and must be device memory of aclrtMalloc()",
			name, ptr);
	if (ret)
		anpu_mem_done(mem);
	return ret;
}

static aclError check_aligned(const void *desc)
{
	if ((uintptr_t)desc % 8)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"desc is %p and must be a multiple of 8", desc);
	return ACL_SUCCESS;
}

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(descSize);
	ret = check_desc_kind(kind);
	if (!ret)
		*descSize = sizeof(struct anpu_copy_desc);
	return ret;
}

aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr, void *dstAddr,
			    size_t count, void *config)
{
	struct anpu_copy_desc value = {
		.src = (uintptr_t)srcAddr,
		.dst = (uintptr_t)dstAddr,
		.size = count,
	};
	struct anpu_mem d = { 0 }, s = { 0 }, at = { 0 };
	struct anpu_mem from = { .place = ANPU_PLACE_PAGEABLE, .addr = (uintptr_t)&value };
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(desc);
	ACL_CHECK_PTR(srcAddr);
	ACL_CHECK_PTR(dstAddr);
	if (config)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "config is %p and must be NULL", config);
	ret = check_desc_kind(kind);
	if (!ret)
		ret = check_aligned(desc);
	if (!ret)
		ret = look_at(desc, sizeof(value), "desc", &at);
	if (!ret)
		ret = look_at(srcAddr, count, "srcAddr", &s);
	if (!ret)
		ret = look_at(dstAddr, count, "dstAddr", &d);
	if (!ret)
		ret = anpu_copy_sync(&at, &from, sizeof(value));
	anpu_mem_done(&at);
	anpu_mem_done(&s);
	anpu_mem_done(&d);
	return ret;
}

aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind, aclrtStream stream)
{
	union anpu_packet pkt = { .copy_desc = {
					  .hdr.opcode = ANPU_OP_COPY_DESC,
					  .desc = (uintptr_t)desc,
				  } };
	struct anpu_stream *s;
	struct anpu_mem mem;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(desc);
	ACL_CHECK_PTR(stream);
	ret = check_desc_kind(kind);
	if (!ret)
		ret = check_aligned(desc);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = look_at(desc, sizeof(struct anpu_copy_desc), "desc", &mem);
	if (!ret && mem.dev != s->obj.dev)
		ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
			       "desc is %p on device %d and the stream belongs to device %d", desc,
			       mem.dev->id, s->obj.dev->id);
	if (!ret)
		ret = anpu_stream_submit(s, &pkt, NULL);
	anpu_mem_done(&mem);
	anpu_stream_put(s);
	return ret;
}
