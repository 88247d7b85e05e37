// SPDX-License-Identifier: MIT
/*
 * Copies whose addresses are read from device memory when they run: the descriptor and the task.
 */
#include <stdint.h>
#include <string.h>

#include "copy/copy.h"

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

	ACL_ENTER_SHORT();
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
	ANPU_CHECK_STREAM(stream);
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

/* Pointers in memory -------------------------------------------------------------------------- */

/* A word that the device reads when the task runs */
static aclError look_at_pointer(const void *ptr, const char *name, const struct anpu_stream *s)
{
	struct anpu_mem mem;
	aclError ret;

	if ((uintptr_t)ptr % 8)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED, "%s is %p and must be a multiple of 8",
				name, ptr);
	ret = anpu_mem_look(ptr, 8, name, &mem);
	if (!ret && !anpu_reachable(&mem, s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%s is %p, where device %d cannot read a pointer: put it into memory of "
			       "aclrtMalloc() or aclrtMallocHost()",
			       name, ptr, s->obj.dev->id);
	anpu_mem_done(&mem);
	return ret;
}

/* Fetches a pointer into a word of the descriptor and adds the offset; stream locked */
static aclError fetch(struct anpu_stream *s, uint64_t word, const void *from, uint64_t offset)
{
	union anpu_packet copy = { .copy = { .hdr.opcode = ANPU_OP_COPY,
					     .src = (uintptr_t)from,
					     .dst = word,
					     .size = 8 } };
	union anpu_packet add = anpu_signal_packet(word, offset, 0, ANPU_SEM_ADD);
	aclError ret = anpu_stream_submit_locked(s, &copy, NULL);

	return ret || !offset ? ret : anpu_stream_submit_locked(s, &add, NULL);
}

/* A descriptor of the library's own, which the stream fills when it gets to this task */
static aclError copy_by_pointers(struct anpu_stream *s, void **dst, uint64_t dst_offset,
				 const void **src, uint64_t src_offset, uint64_t count)
{
	struct anpu_copy_desc desc = { .size = count };
	struct anpu_slot slot;
	union anpu_packet pkt = { .copy_desc.hdr.opcode = ANPU_OP_COPY_DESC };
	int err = anpu_slot_take(s->obj.dev, &slot);
	aclError ret;

	if (err)
		return anpu_fail_ioctl(s->obj.dev, err, "allocating a descriptor");
	memcpy(slot.cpu, &desc, sizeof(desc));
	pkt.copy_desc.desc = slot.va;
	ret = anpu_stream_enter(s, 0);
	if (!ret) {
		ret = fetch(s, slot.va + offsetof(struct anpu_copy_desc, src), src, src_offset);
		if (!ret)
			ret = fetch(s, slot.va + offsetof(struct anpu_copy_desc, dst), dst,
				    dst_offset);
		if (!ret)
			ret = anpu_stream_submit_locked(s, &pkt, NULL);
		pthread_mutex_unlock(&s->lock);
	}
	anpu_slot_give(s->obj.dev, &slot);
	anpu_slot_release(&slot);
	return ret;
}

aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax, size_t dstDataOffset,
				    const void **src, size_t count, size_t srcDataOffset,
				    aclrtMemcpyKind kind, aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(dst);
	ACL_CHECK_PTR(src);
	if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"kind is %d and must be ACL_MEMCPY_INNER_DEVICE_TO_DEVICE (%d)",
				(int)kind, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
	/* no document says whether destMax counts from the offset on: both readings are accepted */
	if (count > destMax)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"count is %zu and destMax is %zu: the copy would run past its "
				"destination",
				count, destMax);
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = look_at_pointer(dst, "dst", s);
	if (!ret)
		ret = look_at_pointer(src, "src", s);
	if (!ret)
		ret = anpu_recorder.refuse(s, "a copy by pointers in memory cannot be recorded");
	if (!ret && count)
		ret = copy_by_pointers(s, dst, dstDataOffset, src, srcDataOffset, count);
	anpu_stream_put(s);
	return ret;
}
