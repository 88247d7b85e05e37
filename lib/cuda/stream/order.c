// SPDX-License-Identifier: MIT
/*
 * Order between a context's streams. The legacy stream (0 or 1) waits for what the others have, and they wait for what
 * it has, but those that were made with CU_STREAM_NON_BLOCKING or by the other front. Each wait is an event that is
 * recorded in the one and waited for in the other, when there is new work; a context whose only stream is the legacy
 * one pays nothing.
 *
 * Here are also the streams of threads: one for each thread and context, which end with the thread.
 */
#include <stdlib.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"

static CUresult need_event(struct cu_stream *s)
{
	return s->event ? CUDA_SUCCESS : cu_code(aclrtCreateEventExWithFlag(&s->event, ACL_EVENT_SYNC));
}

/* Tasks that @from has now come before those that @to gets from now on */
static CUresult join(struct cu_stream *s, aclrtStream from, aclrtStream to)
{
	CUresult ret = need_event(s);

	if (!ret)
		ret = CU_ACL(aclrtRecordEvent(s->event, from));
	return ret ? ret : CU_ACL(aclrtStreamWaitEvent(to, s->event));
}

/* Has the stream work that has not ended, of either front */
static bool pending(struct cu_stream *s)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;

	return !aclrtStreamQuery(cu_handle(s), &status) && status != ACL_STREAM_STATUS_COMPLETE;
}

/* The legacy stream gets work; context locked */
static CUresult legacy_work(struct cu_ctx *ctx)
{
	CUresult ret = CUDA_SUCCESS;
	struct cu_stream *s;

	for (s = ctx->blocking; s && !ret; s = s->next) {
		if (cu_is_recorded(cu_handle(s)))
			return cu_fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
				       "the legacy stream waits for stream %p, which is being recorded: use a stream of "
				       "cuStreamCreate(), or make that one with CU_STREAM_NON_BLOCKING",
				       cu_handle(s));
		if (pending(s))
			ret = join(s, cu_handle(s), NULL);
	}
	ctx->legacy++;
	return ret;
}

CUresult cu_order(struct cu_ctx *ctx, struct cu_stream *s, aclrtStream stream)
{
	CUresult ret = CUDA_SUCCESS;

	pthread_mutex_lock(&ctx->lock);
	if (!s) {
		ret = legacy_work(ctx);
	} else if (s->legacy != ctx->legacy && !cu_is_recorded(stream)) {
		ret = join(s, NULL, stream);
		s->legacy = ctx->legacy;
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

void cu_order_leave(struct cu_stream *s)
{
	struct cu_ctx *ctx = cu_find(CU_CTX, CU_PTR(s->ctx));
	struct cu_stream **at;

	if (!s->blocking || !ctx)
		return;
	pthread_mutex_lock(&ctx->lock);
	for (at = &ctx->blocking; *at && *at != s; at = &(*at)->next)
		;
	if (*at) {
		*at = s->next;
		atomic_fetch_sub(&ctx->blockings, 1);
	}
	pthread_mutex_unlock(&ctx->lock);
}

CUresult cu_sync_legacy(void)
{
	aclrtStream stream = NULL;
	struct cu_stream *s;
	struct cu_ctx *ctx;
	CUresult ret = cu_current(&ctx);

	if (ret)
		return ret;
	if (cu_default_is_thread()) {
		ret = cu_thread_stream(ctx, &stream);
		return ret ? ret : CU_ACL(aclrtSynchronizeStream(stream));
	}
	pthread_mutex_lock(&ctx->lock);
	for (s = ctx->blocking; s && !ret; s = s->next) {
		if (!cu_is_recorded(cu_handle(s)) && pending(s))
			ret = join(s, cu_handle(s), NULL);
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret ? ret : CU_ACL(aclrtSynchronizeStream(NULL));
}

/* Streams of threads --------------------------------------------------------------------------------- */

struct mine {
	struct mine *next;
	uint64_t ctx;
	aclrtStream stream;
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static __thread struct mine *streams;

static void thread_ends(void *arg)
{
	struct mine *m = arg, *next;
	struct cu_stream *s;

	for (; m; m = next) {
		next = m->next;
		s = cu_find(CU_STREAM, m->stream);
		if (s) {
			anpu_front_set_context(m->ctx);
			cu_stream_forget(s);
			/* its context may have ended meanwhile, and it with that */
			(void)aclrtDestroyStream(m->stream);
		}
		free(m);
	}
}

static void make_key(void)
{
	/* without a key a thread's streams end with their contexts */
	(void)pthread_key_create(&key, thread_ends);
}

CUresult cu_thread_stream(struct cu_ctx *ctx, aclrtStream *out)
{
	struct mine *m;
	CUresult ret;

	for (m = streams; m; m = m->next) {
		if (m->ctx == ctx->rec.key) {
			*out = m->stream;
			return CUDA_SUCCESS;
		}
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a thread's stream");
	ret = cu_code(aclrtCreateStream(&m->stream));
	if (!ret && !cu_stream_new(m->stream, ctx, CU_STREAM_DEFAULT)) {
		(void)aclrtDestroyStreamForce(m->stream);
		ret = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (ret) {
		free(m);
		return ret;
	}
	m->ctx = ctx->rec.key;
	m->next = streams;
	streams = m;
	if (!pthread_once(&key_once, make_key))
		(void)pthread_setspecific(key, m);
	*out = m->stream;
	return CUDA_SUCCESS;
}
