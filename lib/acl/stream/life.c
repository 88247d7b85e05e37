// SPDX-License-Identifier: MIT
/*
 * Streams in the lives of devices and contexts. A context begins with its default stream, and streams
 * end with their context or their device.
 */
#include "stream/stream.h"

void anpu_device_streams_end(struct anpu_device *dev)
{
	anpu_streams_end(dev, NULL);
}

aclError anpu_context_streams_begin(struct anpu_context *ctx)
{
	if (!anpu_siblings_begin(ctx))
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a context");
	ctx->stream = anpu_stream_new(ctx, ctx->obj.dev, ANPU_DEFAULT_PRIORITY, 0);
	if (!ctx->stream)
		return acl_last_failure();
	ctx->stream->is_default = true;
	return ACL_SUCCESS;
}

aclError anpu_context_streams_end(struct anpu_context *ctx, bool force)
{
	struct anpu_device *dev = ctx->obj.dev;
	aclError ret = ACL_SUCCESS;

	if (!atomic_load(&dev->lost))
		ret = anpu_streams_sync(dev, ctx, ANPU_FOREVER,
					force ? ANPU_DRAIN_BRIEFLY : ANPU_DRAIN);
	anpu_streams_end(dev, ctx);
	return ret;
}

void anpu_context_streams_release(struct anpu_context *ctx)
{
	if (ctx->stream)
		anpu_stream_put(ctx->stream);
	anpu_siblings_release(ctx);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(stream);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	*stream = acl_obj_handle(&ctx->stream->obj);
	anpu_context_put(ctx);
	return ACL_SUCCESS;
}
