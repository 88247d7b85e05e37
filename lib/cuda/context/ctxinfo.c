// SPDX-License-Identifier: MIT
/* Questions about a context, and limits and hints that it has. */
#include "cuda/context/context.h"
#include "cuda/module/module.h"
#include "cuda/stream/stream.h"

#define HEAP_LEAST 65536 /* a smaller limit of the heap becomes this */

CUresult cuCtxGetDevice(CUdevice *device)
{
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(device);
	ret = cu_current_any(&ctx);
	if (!ret)
		*device = ctx->dev;
	return ret;
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(flags);
	*flags = ctx->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	CU_ENTER_CTX(ctx);
	if (flags & ~(unsigned int)(CU_CTX_SYNC_MEMOPS | CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE |
				    CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be made of CU_CTX_* bits", flags);
	ctx->flags = flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *ctxId)
{
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(ctxId);
	ret = handle ? cu_ctx_get(handle, &ctx) : cu_current_any(&ctx);
	if (!ret)
		*ctxId = ctx->id;
	return ret;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int *version)
{
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(version);
	ret = handle ? cu_ctx_get(handle, &ctx) : cu_current_any(&ctx);
	if (!ret)
		*version = CUDA_VERSION;
	return ret;
}

CUresult cuCtxSynchronize(void)
{
	CU_ENTER_CTX(ctx);
	return CU_ACL(anpu_front_context_sync());
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CU_ENTER_CTX(ctx);
	switch ((int)limit) {
	case CU_LIMIT_STACK_SIZE: /* each thread's stack has one size here, and asking for more is answered by that */
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		return CUDA_SUCCESS;
	case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
	case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
		ctx->limit[limit] = limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value <= 128 ? value
											       : ctx->limit[limit];
		return CUDA_SUCCESS;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		if (cu_heap_made(ctx))
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "a module whose kernels use malloc() was loaded, and the heap has %zu "
				       "bytes: set the limit before", ctx->limit[limit]);
		ctx->limit[limit] = value < HEAP_LEAST ? HEAP_LEAST : value;
		return CUDA_SUCCESS;
	case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
	case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
		return cu_fail(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d: kernels of this device launch no kernels", (int)limit);
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "limit is %d and must be 0 to %d", (int)limit,
			       (int)CU_LIMIT_MAX - 1);
	}
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pvalue);
	switch ((int)limit) {
	case CU_LIMIT_STACK_SIZE:
	case CU_LIMIT_PRINTF_FIFO_SIZE:
	case CU_LIMIT_MALLOC_HEAP_SIZE:
	case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
	case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
		*pvalue = ctx->limit[limit];
		return CUDA_SUCCESS;
	case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
	case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
		return cu_fail(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit %d: kernels of this device launch no kernels", (int)limit);
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "limit is %d and must be 0 to %d", (int)limit,
			       (int)CU_LIMIT_MAX - 1);
	}
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pconfig);
	*pconfig = ctx->cache;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CU_ENTER_CTX(ctx);
	if ((unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "config is %d and must be 0 to 3", (int)config);
	ctx->cache = config;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pConfig);
	*pConfig = ctx->banks;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	CU_ENTER_CTX(ctx);
	if ((unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "config is %d and must be 0 to 2", (int)config);
	ctx->banks = config;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
	CU_ENTER_CTX(ctx);
	if (leastPriority)
		*leastPriority = CU_PRIORITY_LAST;
	if (greatestPriority)
		*greatestPriority = CU_PRIORITY_FIRST;
	return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	CU_ENTER_CTX(ctx);
	return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
	struct cu_ctx *peer;
	int32_t on = 0;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	if (Flags)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "Flags is %#x and must be 0", Flags);
	ret = cu_ctx_get(peerContext, &peer);
	if (ret)
		return ret;
	if (peer->dev == ctx->dev)
		return cu_fail(CUDA_ERROR_INVALID_DEVICE, "both contexts are of device %d", ctx->dev);
	ret = cu_code(aclrtDevicePeerAccessStatus(ctx->dev, peer->dev, &on));
	if (!ret && on)
		return cu_fail(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "device %d has access to device %d already",
			       ctx->dev, peer->dev);
	return ret ? ret : cu_code(aclrtDeviceEnablePeerAccess(peer->dev, 0));
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
	struct cu_ctx *peer;
	int32_t on = 0;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = cu_ctx_get(peerContext, &peer);
	if (!ret && peer->dev != ctx->dev)
		ret = cu_code(aclrtDevicePeerAccessStatus(ctx->dev, peer->dev, &on));
	if (ret)
		return ret;
	if (!on)
		return cu_fail(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "device %d has no access to device %d", ctx->dev,
			       peer->dev);
	return cu_code(aclrtDeviceDisablePeerAccess(peer->dev));
}

static CUresult check_affinity(CUexecAffinityType type)
{
	if ((unsigned int)type >= CU_EXEC_AFFINITY_TYPE_MAX)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "type is %d and must be CU_EXEC_AFFINITY_TYPE_SM_COUNT", (int)type);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pi);
	ret = check_affinity(type);
	if (!ret)
		ret = cu_check_device(dev);
	if (!ret)
		*pi = 0;
	return ret;
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
	int cores = 0;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pExecAffinity);
	ret = check_affinity(type);
	if (!ret)
		ret = cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ctx->dev);
	if (ret)
		return ret;
	pExecAffinity->type = type;
	pExecAffinity->param.smCount.val = (unsigned int)cores;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev)
{
	CU_ENTER();
	if (numParams < 0 || (numParams && !paramsArray))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "numParams is %d and paramsArray is %p", numParams,
			       (void *)paramsArray);
	if (numParams)
		return cu_fail(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
			       "contexts use all cores of their device: numParams is %d and must be 0", numParams);
	return cuCtxCreate(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev)
{
	CU_ENTER();
	if (ctxCreateParams && ctxCreateParams->cigParams)
		return cu_fail(CUDA_ERROR_NOT_SUPPORTED, "cigParams is %p and must be NULL: no graphics API shares this device",
			       (void *)ctxCreateParams->cigParams);
	return cuCtxCreate_v3(pctx, ctxCreateParams ? ctxCreateParams->execAffinityParams : NULL,
			      ctxCreateParams ? ctxCreateParams->numExecAffinityParams : 0, flags, dev);
}
