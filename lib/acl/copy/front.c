// SPDX-License-Identifier: MIT
/* The private door (core/front.h, copy/front.h): fills and copies. */
#include "copy/copy.h"
#include "copy/front.h"

/* Rows that lie one behind the other are one row */
static aclError fill_rows(struct anpu_stream *s, union anpu_packet *pkt, size_t pitch, size_t rows)
{
	aclError ret = ACL_SUCCESS;

	if (pitch == pkt->fill.size) {
		pkt->fill.size *= rows;
		rows = 1;
	}
	for (; rows && !ret; rows--) {
		union anpu_packet one = *pkt;

		ret = anpu_stream_submit(s, &one, NULL);
		pkt->fill.dst += pitch;
	}
	return ret;
}

static aclError fill(struct anpu_stream *s, void *dst, uint64_t value, uint32_t width, size_t bytes,
		     size_t pitch, size_t rows)
{
	union anpu_packet pkt = { .fill = {
					  .hdr.opcode = ANPU_OP_FILL,
					  .dst = (uintptr_t)dst,
					  .size = bytes,
					  .pattern = value,
					  .pattern_size = width,
				  } };
	struct anpu_mem mem;
	aclError ret = anpu_mem_look(dst, pitch * (rows - 1) + bytes, "the destination", &mem);

	if (!ret && !anpu_reachable(&mem, s))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "the destination %p is neither memory of device %d nor pinned for it", dst,
			       s->obj.dev->id);
	if (!ret)
		ret = fill_rows(s, &pkt, pitch, rows);
	anpu_mem_done(&mem);
	return ret;
}

aclError anpu_front_fill(void *dst, uint64_t value, uint32_t width, size_t count, size_t pitch,
			 size_t rows, aclrtStream stream)
{
	struct anpu_stream *s;
	size_t bytes, last;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	if (!count || !rows)
		ret = ACL_SUCCESS;
	else if ((uintptr_t)dst % width || (rows > 1 && pitch % width))
		ret = acl_fail(ACL_ERROR_RT_ADDR_UNALIGNED,
			       "the destination %p and the pitch %zu must be multiples of the %u bytes of "
			       "the value",
			       dst, pitch, width);
	else if (__builtin_mul_overflow(count, width, &bytes) || (rows > 1 && pitch < bytes) ||
		 __builtin_mul_overflow(pitch, rows - 1, &last) || last > SIZE_MAX - bytes)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "%zu rows of %zu values of %u bytes, %zu bytes apart, overlap or are too large",
			       rows, count, width, pitch);
	else
		ret = fill(s, dst, value, width, bytes, rows > 1 ? pitch : bytes, rows);
	anpu_stream_put(s);
	return ret;
}

static aclError copy(struct anpu_stream *st, void *dst, const void *src, size_t bytes)
{
	struct anpu_mem d, s;
	aclError ret = anpu_mem_look_reached(dst, bytes, "the destination", st, &d);

	if (ret)
		return ret;
	ret = anpu_mem_look_reached(src, bytes, "the source", st, &s);
	if (!ret) {
		ret = anpu_copy_async(&d, &s, bytes, st);
		anpu_mem_done(&s);
	}
	anpu_mem_done(&d);
	return ret;
}

aclError anpu_front_copy(void *dst, const void *src, size_t bytes, aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = bytes ? copy(s, dst, src, bytes) : ACL_SUCCESS;
	anpu_stream_put(s);
	return ret;
}
