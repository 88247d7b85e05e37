// SPDX-License-Identifier: MIT
/*
 * Contexts. The thread's current one is libacl's; this front adds those below it on the thread's stack. A device's
 * primary context is the one that aclrtSetDevice() makes.
 */
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/stream/stream.h"
#include "cuda/module/module.h"

#define STACK 64

static __thread uint64_t below[STACK];
static __thread unsigned int depth;
static _Atomic unsigned long long last_id;
/* Primary contexts: uses and flags of each device's */
static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int uses[64], primary_flags[64];
static uint64_t primary_handle[64];

struct cu_ctx *cu_ctx_new(uint64_t handle, CUdevice dev, bool primary)
{
	static const size_t limits[CU_LIMITS] = { ANPU_THREAD_STACK, 1 << 20, 8 << 20, 0, 0, 64, 0 };
	struct cu_ctx *ctx = cu_add(CU_CTX, CU_PTR(handle));

	if (!ctx) {
		cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a context");
		return NULL;
	}
	ctx->dev = dev;
	ctx->primary = primary;
	ctx->id = atomic_fetch_add(&last_id, 1) + 1;
	pthread_mutex_init(&ctx->lock, NULL);
	memcpy(ctx->limit, limits, sizeof(limits));
	return ctx;
}

/* Records of what ended with the context */
static void forget_stream(void *record, void *arg)
{
	struct cu_stream *s = record;

	if (s->ctx == *(uint64_t *)arg)
		cu_drop(s);
}

static void forget_module(void *record, void *arg)
{
	struct cu_module *m = record;

	if (m->ctx == *(uint64_t *)arg)
		cu_module_end(m);
}

void cu_ctx_forget(struct cu_ctx *ctx)
{
	uint64_t handle = ctx->rec.key;

	cu_each(CU_STREAM, forget_stream, &handle);
	pthread_mutex_destroy(&ctx->lock);
	cu_drop(ctx);
}

CUresult cu_ctx_get(CUcontext handle, struct cu_ctx **out)
{
	bool primary = false;
	int dev;

	*out = cu_find(CU_CTX, handle);
	if (*out)
		return CUDA_SUCCESS;
	dev = anpu_front_context_device((uintptr_t)handle, &primary);
	if (dev < 0)
		return cu_fail(CUDA_ERROR_INVALID_CONTEXT, "%p is no context, or one that has ended", (void *)handle);
	*out = cu_ctx_new((uintptr_t)handle, dev, primary);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cu_current_any(struct cu_ctx **out)
{
	uint64_t handle = anpu_front_context();
	bool primary = false;

	if (!handle)
		return cu_fail(CUDA_ERROR_INVALID_CONTEXT, "this thread has no context: call cuCtxCreate() or "
							   "cuCtxSetCurrent() in it first");
	*out = cu_find(CU_CTX, CU_PTR(handle));
	if (*out)
		return CUDA_SUCCESS;
	if (anpu_front_context_device(handle, &primary) < 0)
		return cu_fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "this thread's context has ended");
	return cu_ctx_get(CU_PTR(handle), out);
}

CUresult cu_current(struct cu_ctx **out)
{
	CUresult ret = cu_current_any(out);

	if (ret)
		return ret;
	ret = atomic_load_explicit(&(*out)->sticky, memory_order_relaxed);
	if (ret)
		return cu_fail(ret, "a task of this context has failed with this code before, and nothing works in "
				    "the context any more: end it with cuCtxDestroy() or cuDevicePrimaryCtxReset()");
	return CUDA_SUCCESS;
}

/* The stack --------------------------------------------------------------------------------------- */

static CUresult push(uint64_t handle)
{
	uint64_t now = anpu_front_context();

	if (now) {
		if (depth == STACK)
			return cu_fail(CUDA_ERROR_INVALID_CONTEXT, "%u contexts lie on this thread's stack already",
				       STACK);
		below[depth++] = now;
	}
	anpu_front_set_context(handle);
	return CUDA_SUCCESS;
}

static void pop(void)
{
	anpu_front_set_context(depth ? below[--depth] : 0);
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
	struct cu_ctx *c;
	CUresult ret;

	CU_ENTER();
	ret = cu_ctx_get(ctx, &c);
	return ret ? ret : push(c->rec.key);
}

CUresult cuCtxPopCurrent(CUcontext *pctx)
{
	uint64_t now;

	CU_ENTER();
	now = anpu_front_context();
	if (!now)
		return cu_fail(CUDA_ERROR_INVALID_CONTEXT, "this thread has no context");
	pop();
	if (pctx)
		*pctx = CU_PTR(now);
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	struct cu_ctx *c;
	CUresult ret;

	CU_ENTER();
	if (!ctx) {
		pop();
		return CUDA_SUCCESS;
	}
	ret = cu_ctx_get(ctx, &c);
	if (!ret)
		anpu_front_set_context(c->rec.key);
	return ret;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
	CU_ENTER();
	CU_CHECK_PTR(pctx);
	*pctx = CU_PTR(anpu_front_context());
	return CUDA_SUCCESS;
}

/* Life ---------------------------------------------------------------------------------------------- */

static CUresult check_flags(unsigned int flags)
{
	unsigned int sched = flags & CU_CTX_SCHED_MASK;

	if ((flags & ~(unsigned int)CU_CTX_FLAGS_MASK) || (sched & (sched - 1)))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "flags is %#x and must be made of CU_CTX_* bits, with one way of waiting at most", flags);
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
	uint64_t before = anpu_front_context();
	aclrtContext handle = NULL;
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pctx);
	ret = check_flags(flags);
	if (!ret)
		ret = cu_check_device(dev);
	if (!ret)
		ret = cu_code(aclrtCreateContext(&handle, dev));
	if (ret)
		return ret;
	ctx = cu_ctx_new((uintptr_t)handle, dev, false);
	anpu_front_set_context(before);
	ret = ctx ? push((uintptr_t)handle) : CUDA_ERROR_OUT_OF_MEMORY;
	if (ret) {
		if (ctx)
			cu_ctx_forget(ctx);
		(void)aclrtDestroyContext(handle);
		return ret;
	}
	ctx->flags = flags;
	*pctx = handle;
	return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext ctx)
{
	struct cu_ctx *c;
	CUresult ret;

	CU_ENTER();
	ret = cu_ctx_get(ctx, &c);
	if (ret)
		return ret;
	if (c->primary)
		return cu_fail(CUDA_ERROR_INVALID_CONTEXT,
			       "%p is the primary context of device %d: it ends with cuDevicePrimaryCtxRelease()",
			       (void *)ctx, c->dev);
	/* what is about to run ends first; a failure of it was or is told by synchronisation */
	cu_mem_end(ctx);
	cu_each(CU_MODULE, forget_module, &(uint64_t){ (uintptr_t)ctx });
	if (anpu_front_context() == (uintptr_t)ctx)
		pop();
	ret = cu_code(aclrtDestroyContext(ctx));
	cu_ctx_forget(c);
	return ret;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	uint64_t before = anpu_front_context();
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pctx);
	ret = cu_check_device(dev);
	if (ret)
		return ret;
	pthread_mutex_lock(&primary_lock);
	ret = cu_code(aclrtSetDevice(dev));
	if (!ret) {
		*pctx = CU_PTR(anpu_front_context());
		anpu_front_set_context(before);
		ret = cu_ctx_get(*pctx, &ctx);
		uses[dev]++;
		primary_handle[dev] = (uintptr_t)*pctx;
	}
	if (!ret)
		ctx->flags = primary_flags[dev];
	pthread_mutex_unlock(&primary_lock);
	return ret;
}

/* libacl has ended the context */
static void primary_ended(CUdevice dev)
{
	uint64_t handle = primary_handle[dev];
	struct cu_ctx *ctx = cu_find(CU_CTX, CU_PTR(handle));
	bool primary;

	if (!ctx || anpu_front_context_device(handle, &primary) >= 0)
		return;
	cu_mem_forget(CU_PTR(handle));
	cu_each(CU_MODULE, forget_module, &handle);
	cu_ctx_forget(ctx);
	primary_handle[dev] = 0;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	ret = cu_check_device(dev);
	if (ret)
		return ret;
	pthread_mutex_lock(&primary_lock);
	if (!uses[dev]) {
		ret = cu_fail(CUDA_ERROR_INVALID_CONTEXT, "the primary context of device %d is not retained", dev);
	} else {
		uses[dev]--;
		ret = cu_code(aclrtResetDevice(dev));
		primary_ended(dev);
	}
	pthread_mutex_unlock(&primary_lock);
	return ret;
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	ret = cu_check_device(dev);
	if (ret)
		return ret;
	pthread_mutex_lock(&primary_lock);
	if (uses[dev]) {
		uses[dev] = 0;
		ret = cu_code(aclrtResetDeviceForce(dev));
		primary_ended(dev);
	}
	pthread_mutex_unlock(&primary_lock);
	return ret;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	ret = cu_check_device(dev);
	if (!ret)
		ret = check_flags(flags);
	if (ret)
		return ret;
	pthread_mutex_lock(&primary_lock);
	primary_flags[dev] = flags;
	ctx = cu_find(CU_CTX, CU_PTR(primary_handle[dev]));
	if (ctx)
		ctx->flags = flags;
	pthread_mutex_unlock(&primary_lock);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	uint32_t none = 0;
	int32_t on = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(flags);
	CU_CHECK_PTR(active);
	ret = cu_check_device(dev);
	if (!ret)
		ret = cu_code(aclrtGetPrimaryCtxState(dev, &none, &on));
	if (ret)
		return ret;
	pthread_mutex_lock(&primary_lock);
	*flags = primary_flags[dev];
	pthread_mutex_unlock(&primary_lock);
	*active = on;
	return CUDA_SUCCESS;
}

/* Oldest forms: uses of the current context are counted, and with the last one it ends */
CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pctx);
	if (flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0", flags);
	atomic_fetch_add(&ctx->attached, 1);
	*pctx = cu_handle(ctx);
	return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext ctx)
{
	struct cu_ctx *c;
	unsigned int uses;
	CUresult ret;

	CU_ENTER();
	ret = cu_ctx_get(ctx, &c);
	if (ret)
		return ret;
	uses = atomic_load(&c->attached);
	while (uses && !atomic_compare_exchange_weak(&c->attached, &uses, uses - 1))
		;
	return uses ? CUDA_SUCCESS : cuCtxDestroy(ctx);
}
