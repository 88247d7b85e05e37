// SPDX-License-Identifier: MIT
/* The private door (core/front.h): streams. */
#include <stdio.h>

#include "stream/stream.h"

aclError anpu_front_context_sync(void)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER();
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	ret = anpu_recorder.device(ctx->obj.dev, "this call");
	if (!ret)
		ret = anpu_streams_sync(ctx->obj.dev, ctx, ANPU_FOREVER, ANPU_SYNC);
	anpu_context_put(ctx);
	return ret;
}

aclError anpu_front_stream(aclrtStream stream, uint64_t *context, bool *is_default)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = anpu_stream_find(stream, &s);
	if (ret)
		return ret;
	*context = s->context;
	*is_default = s->is_default;
	anpu_stream_put(s);
	return ACL_SUCCESS;
}

void anpu_front_used(aclrtStream stream, const char *what, const void *ptr, size_t size, bool write)
{
	ACL_UNCANCELLED();
	struct anpu_access a = { .va = (uintptr_t)ptr, .size = size, .write = write };
	struct anpu_stream *s;

	if (!anpu_checking() || !size || anpu_stream_find(stream, &s))
		return;
	snprintf(a.what, sizeof(a.what), "%s", what);
	anpu_races_call(s, atomic_load(&s->last_seq), &a);
	anpu_stream_put(s);
}

void anpu_front_reads(aclrtStream stream, const char *what, const void *ptr, size_t size)
{
	ACL_UNCANCELLED();
	struct anpu_stream *s;

	if (!anpu_checking() || !size || anpu_stream_find(stream, &s))
		return;
	anpu_races_unwritten(s, what, (uintptr_t)ptr, size, true);
	anpu_stream_put(s);
}

void anpu_front_gather(bool on)
{
	ACL_UNCANCELLED();

	anpu_ring_gather(on);
}
