// SPDX-License-Identifier: MIT
/*
 * Reductions: a task that combines memory with memory, element by element.
 */
#include "copy/copy.h"

static aclError find_op(aclrtReduceKind kind, uint32_t *op)
{
	switch (kind) {
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
		*op = ANPU_REDUCE_SUM;
		return ACL_SUCCESS;
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
		*op = ANPU_REDUCE_MAX;
		return ACL_SUCCESS;
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
		*op = ANPU_REDUCE_MIN;
		return ACL_SUCCESS;
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL:
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"kind is ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, which the device does "
				"not do: take a sum, maximum or minimum, or launch an operator");
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"kind is %d and reductions have the kinds %d to %d", (int)kind,
				ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL);
	}
}

static aclError find_type(aclDataType type, uint32_t *out)
{
	switch (type) {
	case ACL_INT8:
		*out = ANPU_REDUCE_S8;
		return ACL_SUCCESS;
	case ACL_INT16:
		*out = ANPU_REDUCE_S16;
		return ACL_SUCCESS;
	case ACL_INT32:
		*out = ANPU_REDUCE_S32;
		return ACL_SUCCESS;
	case ACL_FLOAT16:
		*out = ANPU_REDUCE_F16;
		return ACL_SUCCESS;
	case ACL_BF16:
		*out = ANPU_REDUCE_BF16;
		return ACL_SUCCESS;
	case ACL_FLOAT:
		*out = ANPU_REDUCE_F32;
		return ACL_SUCCESS;
	default:
		break;
	}
	if (!aclDataTypeSize(type))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"type is %d, which is no type whose elements are whole bytes",
				(int)type);
	return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"type is %d and the device reduces ACL_INT8, ACL_INT16, ACL_INT32, "
			"ACL_FLOAT16, ACL_BF16 and ACL_FLOAT",
			(int)type);
}

static aclError check_count(const struct anpu_pkt_reduce *p)
{
	uint32_t size = ANPU_REDUCE_SIZE(p->type);

	if (!p->size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "count is 0 and must be at least 1");
	if (p->size % size)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"count is %llu bytes and must be a multiple of the type's %u",
				(unsigned long long)p->size, size);
	if (p->dst % size || p->src % size)
		return acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
				"dst is %#llx and src %#llx, and both must be multiples of the "
				"type's %u bytes",
				(unsigned long long)p->dst, (unsigned long long)p->src, size);
	return ACL_SUCCESS;
}

static aclError submit(struct anpu_stream *s, union anpu_packet *pkt)
{
	const struct anpu_pkt_reduce *p = &pkt->reduce;
	struct anpu_mem dst, src;
	aclError ret;

	if (!(s->obj.dev->info.flags & DRM_ANPU_INFO_REDUCE))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"device %d or its driver does not know reductions (REDUCE, since "
				"1.3)",
				s->obj.dev->id);
	ret = anpu_mem_look_reached((void *)(uintptr_t)p->dst, p->size, "dst", s, &dst);
	if (ret)
		return ret;
	ret = anpu_mem_look_reached((void *)(uintptr_t)p->src, p->size, "src", s, &src);
	if (!ret) {
		if (anpu_checking() && !acl_front_api() && !anpu_stream_recorded(s)) {
			anpu_races_unwritten(s, "this reduction", p->src, p->size, false);
			anpu_races_unwritten(s, "this reduction", p->dst, p->size, false);
		}
		ret = anpu_stream_submit(s, pkt, NULL);
		anpu_mem_done(&src);
	}
	anpu_mem_done(&dst);
	return ret;
}

aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind,
			  aclDataType type, aclrtStream stream, void *reserve)
{
	union anpu_packet pkt = { .reduce = { .hdr.opcode = ANPU_OP_REDUCE,
					      .src = (uintptr_t)src,
					      .dst = (uintptr_t)dst,
					      .size = count } };
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(dst);
	ACL_CHECK_PTR(src);
	if (reserve)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "reserve is %p and must be NULL", reserve);
	ret = find_op(kind, &pkt.reduce.op);
	if (!ret)
		ret = find_type(type, &pkt.reduce.type);
	if (!ret)
		ret = check_count(&pkt.reduce);
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = submit(s, &pkt);
	anpu_stream_put(s);
	return ret;
}
