// SPDX-License-Identifier: MIT
/*
 * Copies of rectangles: one packet where the device reaches both sides, else row by row.
 */
#include "copy/copy.h"

#define MAX_WIDTH  5000000
#define MAX_HEIGHT 5242880

#define ROWS 32 /* that the checking mode looks at */

struct rect {
	struct anpu_mem dst;
	struct anpu_mem src;
	uint64_t dpitch;
	uint64_t spitch;
	uint64_t width;
	uint64_t height;
};

static aclError check_size(const struct rect *r)
{
	if (!r->width || r->width > MAX_WIDTH || !r->height || r->height > MAX_HEIGHT)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"width is %llu and height %llu: they must be 1 to %d and 1 to %d",
				(unsigned long long)r->width, (unsigned long long)r->height,
				MAX_WIDTH, MAX_HEIGHT);
	if (r->width > r->dpitch || r->width > r->spitch)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"width is %llu and must not exceed dpitch %llu and spitch %llu",
				(unsigned long long)r->width, (unsigned long long)r->dpitch,
				(unsigned long long)r->spitch);
	if (r->dpitch > (1ULL << 40) || r->spitch > (1ULL << 40))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"dpitch %llu or spitch %llu is larger than any memory",
				(unsigned long long)r->dpitch, (unsigned long long)r->spitch);
	return ACL_SUCCESS;
}

/* Checks the rectangle and finds out where both sides are; done() drops what it has referenced */
static aclError look(struct rect *r, void *dst, const void *src)
{
	aclError ret = check_size(r);

	if (!ret)
		ret = anpu_mem_look(dst, r->dpitch * (r->height - 1) + r->width, "dst", &r->dst);
	if (!ret)
		ret = anpu_mem_look(src, r->spitch * (r->height - 1) + r->width, "src", &r->src);
	return ret;
}

static void done(struct rect *r)
{
	anpu_mem_done(&r->dst);
	anpu_mem_done(&r->src);
}

static union anpu_packet packet(const struct rect *r)
{
	return (union anpu_packet){ .copy_2d = {
					    .hdr.opcode = ANPU_OP_COPY_2D,
					    .src = r->src.addr,
					    .dst = r->dst.addr,
					    .src_pitch = r->spitch,
					    .dst_pitch = r->dpitch,
					    .width = r->width,
					    .height = r->height,
				    } };
}

static aclError copy_rows(const struct rect *r)
{
	struct anpu_mem dst = r->dst, src = r->src;
	aclError ret = ACL_SUCCESS;
	uint64_t row;

	for (row = 0; row < r->height && !ret; row++) {
		dst.addr = r->dst.addr + row * r->dpitch;
		src.addr = r->src.addr + row * r->spitch;
		ret = anpu_copy_sync(&dst, &src, r->width);
	}
	return ret;
}

/* The checking mode: the program's objects have all the rows */
static void look_at_objects(const struct rect *r)
{
	anpu_object_look(&r->dst, r->dpitch * (r->height - 1) + r->width, "dst", true);
	anpu_object_look(&r->src, r->spitch * (r->height - 1) + r->width, "src", false);
}

/* The checking mode: tasks that use these rows are done, and they have been written */
static void look_at_order(const struct rect *r)
{
	uint64_t row;

	for (row = 0; row < r->height && row < ROWS; row++) {
		anpu_races_host(r->dst.addr + row * r->dpitch, r->width, true, "this copy");
		anpu_races_host(r->src.addr + row * r->spitch, r->width, false, "this copy");
	}
}

static void look_at_result(const struct rect *r)
{
	struct anpu_mem src = r->src;
	uint64_t row;

	for (row = 0; row < r->height && row < ROWS; row++) {
		src.addr = r->src.addr + row * r->spitch;
		anpu_unwritten_look(&src, (const char *)(uintptr_t)r->dst.addr + row * r->dpitch, r->width, "this copy", NULL);
	}
}

static bool is_2d_kind(aclrtMemcpyKind kind, bool async)
{
	return kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_HOST ||
	       (async && kind == ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static aclError copy_2d(struct rect *r, void *dst, const void *src, aclrtMemcpyKind kind,
			struct anpu_stream *s, bool async)
{
	union anpu_packet pkt;
	bool direct;
	aclError ret = look(r, dst, src);

	if (!ret)
		ret = anpu_check_kind(&r->dst, &r->src, kind);
	if (ret)
		return ret;
	if (anpu_checking())
		look_at_objects(r);
	direct = anpu_reachable(&r->dst, s) && anpu_reachable(&r->src, s);
	pkt = packet(r);
	if (direct && async)
		return anpu_stream_submit(s, &pkt, NULL);
	if (!async && anpu_checking())
		look_at_order(r);
	if (direct)
		return anpu_run_packet(s->obj.dev, pkt);
	/* pageable memory: in the stream's order, and done when the call returns */
	if (async)
		ret = anpu_recorder.illegal(s, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
					    "copies of pageable memory are done at once, take pinned "
					    "memory");
	if (async && !ret)
		ret = anpu_stream_wait(s, atomic_load(&s->last_seq), ANPU_FOREVER, 0);
	return ret ? ret : copy_rows(r);
}

static aclError memcpy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			  size_t height, aclrtMemcpyKind kind, aclrtStream stream, bool async)
{
	struct rect r = { .dpitch = dpitch, .spitch = spitch, .width = width, .height = height };
	struct anpu_stream *s;
	aclError ret;

	ACL_CHECK_PTR(dst);
	ACL_CHECK_PTR(src);
	if (!is_2d_kind(kind, async))
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"kind is %d and must be ACL_MEMCPY_HOST_TO_DEVICE or "
				"ACL_MEMCPY_DEVICE_TO_HOST%s",
				(int)kind, async ? ", or ACL_MEMCPY_DEVICE_TO_DEVICE" : "");
	ret = async ? ACL_SUCCESS : anpu_recorder.unsafe("aclrtMemcpy2d()");
	if (!ret)
		ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	ret = copy_2d(&r, dst, src, kind, s, async);
	if (!ret && !async && anpu_checking() && r.dst.place != ANPU_PLACE_DEVICE)
		look_at_result(&r);
	done(&r);
	anpu_stream_put(s);
	return ret;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
		       size_t height, aclrtMemcpyKind kind)
{
	ACL_ENTER();
	return memcpy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, false);
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			    size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
	ACL_ENTER();
	return memcpy_2d(dst, dpitch, src, spitch, width, height, kind, stream, true);
}
