// SPDX-License-Identifier: MIT
/* Streams. A CUstream is an aclrtStream; this front adds flags and attributes, and the streams 0, 1 and 2. */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"

static __thread bool thread_default;

bool cu_default_begin(void)
{
	bool before = thread_default;

	thread_default = true;
	return before;
}

void cu_default_end(bool before)
{
	thread_default = before;
}

bool cu_default_is_thread(void)
{
	return thread_default;
}

struct cu_stream *cu_stream_new(aclrtStream handle, struct cu_ctx *ctx, unsigned int flags)
{
	struct cu_stream *s = cu_add(CU_STREAM, handle);

	if (!s) {
		cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a stream");
		return NULL;
	}
	s->ctx = ctx->rec.key;
	s->home = ctx;
	s->flags = flags;
	s->sync = CU_SYNC_POLICY_AUTO;
	s->map = (CUlaunchMemSyncDomainMap){ 0, 1 };
	if (flags & CU_STREAM_NON_BLOCKING)
		return s;
	s->blocking = true;
	pthread_mutex_lock(&ctx->lock);
	s->next = ctx->blocking;
	ctx->blocking = s;
	atomic_fetch_add(&ctx->blockings, 1);
	pthread_mutex_unlock(&ctx->lock);
	return s;
}

void cu_stream_forget(struct cu_stream *s)
{
	cu_order_leave(s);
	if (s->event)
		(void)aclrtDestroyEvent(s->event);
	cu_drop(s);
}

/* A stream of the program, which may be of any context, and of the other front */
static CUresult find(CUstream stream, struct cu_stream **rec)
{
	struct cu_stream *s = cu_find(CU_STREAM, stream);
	struct cu_ctx *ctx;
	uint64_t context;
	bool is_default;
	CUresult ret;

	*rec = s;
	if (s)
		cu_use_context(s->ctx);
	ret = cu_current(&ctx);
	/* not every caller gives it to libacl, which would tell */
	return ret || s ? ret : cu_code(anpu_front_stream(stream, &context, &is_default));
}

static CUresult resolve(CUstream stream, aclrtStream *out, struct cu_stream **rec)
{
	struct cu_ctx *ctx;
	CUresult ret;

	*rec = NULL;
	*out = stream;
	if (!stream)
		stream = thread_default ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	if (stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD)
		return find(stream, rec);
	*out = NULL;
	ret = cu_current(&ctx);
	if (ret || stream == CU_STREAM_LEGACY)
		return ret;
	ret = cu_thread_stream(ctx, out);
	if (!ret)
		*rec = cu_find(CU_STREAM, *out);
	return ret;
}

/* A stream of the thread's own context, which has not failed, that waits for no other stream: most calls have one */
static struct cu_stream *find_plain(CUstream stream)
{
	struct cu_stream *s;

	if ((uintptr_t)stream <= (uintptr_t)CU_STREAM_PER_THREAD)
		return NULL;
	s = cu_find(CU_STREAM, stream);
	if (!s || s->blocking || s->ctx != anpu_front_context() || s->home->rec.key != s->ctx ||
	    atomic_load_explicit(&s->home->sticky, memory_order_relaxed))
		return NULL;
	return s;
}

CUresult cu_stream_use(CUstream stream, aclrtStream *out, struct cu_stream **rec)
{
	struct cu_stream *s = find_plain(stream);
	struct cu_ctx *ctx;
	CUresult ret;

	if (s) {
		*out = stream;
		if (rec)
			*rec = s;
		return CUDA_SUCCESS;
	}
	ret = resolve(stream, out, &s);
	if (rec)
		*rec = s;
	if (!ret && (!*out || (s && s->blocking)))
		ret = cu_current(&ctx) ?: cu_order(ctx, s, *out);
	return ret;
}

CUresult cu_stream_look(CUstream stream, aclrtStream *out, struct cu_stream **rec)
{
	struct cu_stream *s;
	CUresult ret = resolve(stream, out, &s);

	if (rec)
		*rec = s;
	return ret;
}

static CUresult create(struct cu_ctx *ctx, CUstream *out, unsigned int flags, int priority)
{
	aclrtStream stream = NULL;
	CUresult ret;

	if (flags & ~(unsigned int)CU_STREAM_NON_BLOCKING)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "flags is %#x and must be CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING", flags);
	priority = cu_clamp_priority(priority) + CU_PRIORITY_BASE;
	ret = cu_code(aclrtCreateStreamWithConfig(&stream, (uint32_t)priority, 0));
	if (ret)
		return ret;
	if (!cu_stream_new(stream, ctx, flags)) {
		(void)aclrtDestroyStreamForce(stream);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*out = stream;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phStream);
	return create(ctx, phStream, Flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(phStream);
	return create(ctx, phStream, flags, priority);
}

CUresult cuStreamDestroy(CUstream hStream)
{
	struct cu_stream *s = cu_find(CU_STREAM, hStream);
	CUresult ret, failure = CUDA_SUCCESS;

	CU_ENTER();
	if (!hStream || hStream == CU_STREAM_LEGACY || hStream == CU_STREAM_PER_THREAD)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "stream %p is a default stream, which ends with its context",
			       (void *)hStream);
	if (s) {
		cu_use_context(s->ctx);
		/* to wait for a recorded stream would end its recording */
		if (!cu_is_recorded(hStream))
			failure = cu_work_failure(aclrtSynchronizeStream(hStream));
		cu_stream_forget(s);
	}
	ret = cu_code(aclrtDestroyStream(hStream));
	return failure ? failure : ret;
}

CUresult cuStreamSynchronize(CUstream hStream)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret && !stream)
		return cu_sync_legacy();
	return ret ? ret : CU_ACL(aclrtSynchronizeStream(stream));
}

CUresult cuStreamQuery(CUstream hStream)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = CU_ACL(aclrtStreamQuery(stream, &status));
	if (ret)
		return ret;
	if (status != ACL_STREAM_STATUS_COMPLETE)
		return CUDA_ERROR_NOT_READY;
	/* failures of what has run are told, too; this does not wait */
	return CU_ACL(aclrtSynchronizeStream(stream));
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
	aclrtStream stream;
	CUresult ret;

	CU_ENTER();
	if (Flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be 0 or CU_EVENT_WAIT_EXTERNAL", Flags);
	if (!hEvent)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "hEvent is NULL");
	ret = cu_stream_use(hStream, &stream, NULL);
	return ret ? ret : CU_ACL(aclrtStreamWaitEventWithFlag(stream, hEvent, 0, Flags));
}

CUresult cuStreamGetPriority(CUstream hStream, int *priority)
{
	aclrtStream stream;
	uint32_t p = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(priority);
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = cu_code(aclrtStreamGetPriority(stream, &p));
	if (!ret)
		*priority = (int)p - CU_PRIORITY_BASE;
	return ret;
}

CUresult cuStreamGetFlags(CUstream hStream, unsigned int *flags)
{
	struct cu_stream *s;
	aclrtStream stream;
	bool is_default = false;
	uint64_t ctx = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(flags);
	ret = cu_stream_look(hStream, &stream, &s);
	if (!ret && !s)
		ret = cu_code(anpu_front_stream(stream, &ctx, &is_default));
	if (!ret)
		*flags = s ? s->flags : is_default ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
	return ret;
}

CUresult cuStreamGetCtx(CUstream hStream, CUcontext *pctx)
{
	bool is_default;
	aclrtStream stream;
	uint64_t ctx = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pctx);
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = cu_code(anpu_front_stream(stream, &ctx, &is_default));
	if (!ret)
		*pctx = CU_PTR(ctx);
	return ret;
}

CUresult cuStreamGetId(CUstream hStream, unsigned long long *streamId)
{
	aclrtStream stream;
	int32_t id = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(streamId);
	ret = cu_stream_look(hStream, &stream, NULL);
	if (!ret)
		ret = cu_code(aclrtStreamGetId(stream, &id));
	if (!ret)
		*streamId = (unsigned long long)id;
	return ret;
}
