// SPDX-License-Identifier: MIT
/* Copies of rows and boxes. */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"
#include "copy/front.h"

/* One side of a copy */
struct side {
	const char *name;
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	size_t x, y, z;
	size_t pitch, height;
};

/* Where the side's part begins */
static CUresult start(const struct side *s, size_t width, const char **out, size_t *slice)
{
	const char *base;

	switch ((int)s->type) {
	case CU_MEMORYTYPE_HOST:
		base = s->host;
		break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		base = CU_PTR(s->device);
		break;
	case CU_MEMORYTYPE_ARRAY:
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "%s is an array, which this device does not have", s->name);
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the memory type of %s is %d and must be 1 (host), 2 (device) or "
							 "4 (unified)",
			       s->name, (int)s->type);
	}
	if (!base)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the address of %s is 0", s->name);
	if (s->pitch < s->x || s->pitch - s->x < width)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "%s: a row of %zu bytes that begins at byte %zu does not fit into a pitch of %zu", s->name,
			       width, s->x, s->pitch);
	*slice = s->pitch * s->height;
	*out = base + s->z * *slice + s->y * s->pitch + s->x;
	return CUDA_SUCCESS;
}

/* Rows without a pitch lie one behind the other */
static size_t pitch_of(size_t pitch, size_t x, size_t width)
{
	return pitch ? pitch : x + width;
}

static CUresult check_side(const struct side *s, const char *at, const struct cu_box *b, size_t slice)
{
	struct cu_extent e = { b->width, s->pitch, b->height, slice, b->depth };

	return cu_check_rows((uintptr_t)at, &e, s->name);
}

static CUresult look(struct side *dst, struct side *src, struct cu_box *b)
{
	const char *to = NULL;
	CUresult ret;

	dst->pitch = pitch_of(dst->pitch, dst->x, b->width);
	src->pitch = pitch_of(src->pitch, src->x, b->width);
	ret = start(dst, b->width, &to, &b->dst_slice);
	if (!ret)
		ret = start(src, b->width, &b->src, &b->src_slice);
	if (!ret)
		ret = check_side(dst, to, b, b->dst_slice);
	if (!ret)
		ret = check_side(src, b->src, b, b->src_slice);
	b->dst = (char *)(uintptr_t)to;
	b->dst_pitch = dst->pitch;
	b->src_pitch = src->pitch;
	b->device_only = dst->type == CU_MEMORYTYPE_DEVICE && src->type == CU_MEMORYTYPE_DEVICE;
	return ret;
}

/* libacl copies rows between host and device, and in streams on the device; what else there is goes row by row */
static aclError layer(const struct cu_box *b, size_t z, bool async, aclrtStream stream)
{
	char *dst = b->dst + z * b->dst_slice;
	const char *src = b->src + z * b->src_slice;
	bool to = cu_is_place(dst, ACL_MEM_LOCATION_TYPE_DEVICE);
	bool from = cu_is_place(src, ACL_MEM_LOCATION_TYPE_DEVICE);
	aclrtMemcpyKind kind = !to ? ACL_MEMCPY_DEVICE_TO_HOST : from ? ACL_MEMCPY_DEVICE_TO_DEVICE
									    : ACL_MEMCPY_HOST_TO_DEVICE;
	aclError err = ACL_SUCCESS;
	size_t y;

	if ((to || from) && async)
		return aclrtMemcpy2dAsync(dst, b->dst_pitch, src, b->src_pitch, b->width, b->height, kind, stream);
	if (to != from)
		return aclrtMemcpy2d(dst, b->dst_pitch, src, b->src_pitch, b->width, b->height, kind);
	for (y = 0; y < b->height && !err; y++)
		err = async ? anpu_front_copy_any(dst + y * b->dst_pitch, src + y * b->src_pitch, b->width, stream)
			    : aclrtMemcpy(dst + y * b->dst_pitch, b->width, src + y * b->src_pitch, b->width,
					  ACL_MEMCPY_DEFAULT);
	return err;
}

CUresult cu_box_copy(const struct cu_box *b, bool async, CUstream hStream)
{
	aclrtStream stream = NULL;
	CUresult ret;
	size_t z;

	async |= b->device_only;
	ret = async ? cu_stream_use(hStream, &stream, NULL) : cu_sync_legacy();
	if (!b->width || !b->height)
		return ret;
	for (z = 0; z < b->depth && !ret; z++)
		ret = CU_ACL(layer(b, z, async, stream));
	return ret;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, bool async, CUstream hStream)
{
	struct cu_box b = { .depth = 1 };
	struct side dst, src;
	CUresult ret;

	if (!c)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "pCopy is NULL");
	b.width = c->WidthInBytes;
	b.height = c->Height;
	dst = (struct side){ .name = "the destination", .type = c->dstMemoryType, .host = c->dstHost,
			     .device = c->dstDevice, .x = c->dstXInBytes, .y = c->dstY, .pitch = c->dstPitch };
	src = (struct side){ .name = "the source", .type = c->srcMemoryType, .host = c->srcHost,
			     .device = c->srcDevice, .x = c->srcXInBytes, .y = c->srcY, .pitch = c->srcPitch };
	ret = look(&dst, &src, &b);
	if (!ret && async && cu_copy_wants_node(hStream, b.dst, b.src))
		return cu_record_copy(hStream, &(CUDA_MEMCPY3D){ .dstMemoryType = CU_MEMORYTYPE_UNIFIED, .dstDevice = (uintptr_t)b.dst,
								 .dstPitch = b.dst_pitch, .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
								 .srcDevice = (uintptr_t)b.src, .srcPitch = b.src_pitch,
								 .WidthInBytes = b.width, .Height = b.height, .Depth = 1 });
	return ret ? ret : cu_box_copy(&b, async, hStream);
}

CUresult cu_box_of(const CUDA_MEMCPY3D *c, struct cu_box *b)
{
	struct side dst, src;

	*b = (struct cu_box){ .width = c->WidthInBytes, .height = c->Height, .depth = c->Depth };
	dst = (struct side){ .name = "the destination", .type = c->dstMemoryType, .host = c->dstHost,
			     .device = c->dstDevice, .x = c->dstXInBytes, .y = c->dstY, .z = c->dstZ,
			     .pitch = c->dstPitch, .height = c->dstHeight ? c->dstHeight : c->dstY + c->Height };
	src = (struct side){ .name = "the source", .type = c->srcMemoryType, .host = c->srcHost,
			     .device = c->srcDevice, .x = c->srcXInBytes, .y = c->srcY, .z = c->srcZ,
			     .pitch = c->srcPitch, .height = c->srcHeight ? c->srcHeight : c->srcY + c->Height };
	if (dst.height < c->dstY + c->Height || src.height < c->srcY + c->Height)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%zu rows from row %zu or %zu on do not fit into layers of %zu and "
							 "%zu rows",
			       c->Height, c->dstY, c->srcY, dst.height, src.height);
	return look(&dst, &src, b);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, bool async, CUstream hStream)
{
	struct cu_box b;
	CUresult ret;

	if (!c)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "pCopy is NULL");
	ret = cu_box_of(c, &b);
	if (!ret && async && cu_copy_wants_node(hStream, b.dst, b.src))
		return cu_record_copy(hStream, c);
	return ret ? ret : cu_box_copy(&b, async, hStream);
}

/* The same between devices: addresses tell the devices, and contexts must be some */
static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *c, bool async, CUstream hStream)
{
	struct cu_ctx *ctx;
	CUDA_MEMCPY3D same;
	CUresult ret;

	if (!c)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "pCopy is NULL");
	ret = cu_ctx_get(c->dstContext, &ctx);
	if (!ret)
		ret = cu_ctx_get(c->srcContext, &ctx);
	if (ret)
		return ret;
	/* one structure has contexts where the other one's reserved words are */
	memcpy(&same, c, sizeof(same));
	return copy_3d(&same, async, hStream);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *pCopy)
{
	CU_ENTER_CTX(ctx);
	return copy_2d(pCopy, false, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *pCopy)
{
	CU_ENTER_CTX(ctx);
	return copy_2d(pCopy, false, NULL);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	CU_ENTER();
	return copy_2d(pCopy, true, hStream);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *pCopy)
{
	CU_ENTER_CTX(ctx);
	return copy_3d(pCopy, false, NULL);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	CU_ENTER();
	return copy_3d(pCopy, true, hStream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
	CU_ENTER_CTX(ctx);
	return copy_peer(pCopy, false, NULL);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
	CU_ENTER();
	return copy_peer(pCopy, true, hStream);
}
