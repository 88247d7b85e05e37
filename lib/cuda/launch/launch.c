// SPDX-License-Identifier: MIT
/* Launches. */
#include "cuda/stream/stream.h"
#include "cuda/module/module.h"
#include "cuda/graph/graph.h"
#include "cuda/launch/launch.h"

CUresult cu_extra(void **extra, const void **data, size_t *size)
{
	const size_t *bytes = NULL;
	unsigned int i;

	*data = NULL;
	for (i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
		if (i > 8 || (extra[i] != CU_LAUNCH_PARAM_BUFFER_POINTER && extra[i] != CU_LAUNCH_PARAM_BUFFER_SIZE))
			return cu_fail(CUDA_ERROR_INVALID_VALUE,
				       "extra[%u] is %p and must be CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE or _END", i,
				       extra[i]);
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*data = extra[i + 1];
		else
			bytes = extra[i + 1];
	}
	if (!*data || !bytes)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "extra must have a buffer, and where its size is: CU_LAUNCH_PARAM_BUFFER_POINTER and "
			       "CU_LAUNCH_PARAM_BUFFER_SIZE");
	*size = *bytes;
	return CUDA_SUCCESS;
}

static __thread enum anpu_front_why refused; /* what was wrong with the launch that this thread is in */

CUresult cu_launch_code(CUresult ret)
{
	if (!ret)
		return CUDA_SUCCESS;
	switch (refused) {
	case ANPU_FRONT_TOO_LARGE:
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	case ANPU_FRONT_CLUSTER:
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	case ANPU_FRONT_RESOURCES:
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	default:
		return ret;
	}
}

enum anpu_front_why *cu_refused(void)
{
	return &refused;
}

CUresult cu_launched(CUresult ret)
{
	ret = cu_launch_code(ret);
	refused = ANPU_FRONT_OTHER;
	return ret;
}

CUresult cu_launch(struct anpu_front_launch *l, uint64_t *seq)
{
	return cu_launched(CU_ACL(anpu_front_launch(l, cu_refused(), seq)));
}

/* Attributes of the function that its launches have */
static CUresult of_function(const struct cu_func *f, struct anpu_front_launch *l)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	unsigned int i;

	for (i = 0; i < 3 && f->cluster[0]; i++)
		l->cluster[i] = f->cluster[i] ? (uint32_t)f->cluster[i] : 1;
	if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 1024 || threads > 1024)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "a block of the launch has %ux%ux%u threads, and 1024 are the most",
			       l->block[0], l->block[1], l->block[2]);
	if (threads > f->has.threads)
		return cu_fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
			       "a block of the launch has %ux%ux%u threads, and '%s' can have %u", l->block[0], l->block[1],
			       l->block[2], f->name, f->has.threads);
	if (l->shared > (uint32_t)f->dynamic_shared)
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "sharedMemBytes is %u, and '%s' can have %d: see "
			       "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES",
			       l->shared, f->name, f->dynamic_shared);
	return CUDA_SUCCESS;
}

CUresult cu_check_cluster(const struct cu_func *f, const struct anpu_front_launch *l)
{
	uint64_t blocks = 1;
	unsigned int i;

	if (!(l->cluster[0] | l->cluster[1] | l->cluster[2]))
		return CUDA_SUCCESS;
	for (i = 0; i < 3 && blocks <= 1024; i++)
		blocks *= l->cluster[i] ? l->cluster[i] : 1;
	if (blocks == 1 || blocks <= cu_func_max_cluster(f))
		return CUDA_SUCCESS;
	return cu_fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
		       "clusters of %ux%ux%u blocks: those of '%s' have %u at most; more than %d need "
		       "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, and as many cores",
		       l->cluster[0], l->cluster[1], l->cluster[2], f->name, cu_func_max_cluster(f), CU_PORTABLE_CLUSTER);
}

static CUresult args(struct anpu_front_launch *l, void **kernelParams, void **extra)
{
	if (kernelParams && extra)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "kernelParams and extra are both given: give one");
	l->params = kernelParams;
	return extra ? cu_extra(extra, &l->packed, &l->packed_size) : CUDA_SUCCESS;
}

CUresult cu_describe(struct anpu_front_launch *l, const struct cu_func *f, void **kernelParams, void **extra)
{
	CUresult ret = of_function(f, l);

	if (!ret)
		ret = cu_check_cluster(f, l);
	if (!ret)
		ret = args(l, kernelParams, extra);
	l->func = cu_handle(f);
	return ret;
}

/* A launch in a recording, whose node keeps what it was asked for; events are recorded behind the kernel */
static CUresult record(struct anpu_front_launch *l, struct cu_launch_events *e, const struct cu_stream *s,
		       const struct cu_func *f, const CUlaunchConfig *attrs)
{
	aclmdlRITask task = NULL;
	uint64_t node = 0;
	CUresult ret = cu_launch(l, NULL);

	if (!ret)
		ret = cu_code(anpu_front_node_last(&task));
	if (!ret && e->node) {
		/* its handle is the address of what kernels change */
		ret = cu_code(anpu_front_node_updatable(task, true, &node));
		*e->node = ret ? *e->node : CU_PTR(node);
	}
	if (!ret && e->hints)
		ret = cu_node_keep(task, s, f, attrs);
	if (!ret && e->begun)
		ret = CU_ACL(aclrtRecordEvent(e->begun, l->stream));
	if (!ret && e->triggered)
		ret = CU_ACL(aclrtRecordEvent(e->triggered, l->stream));
	return ret;
}

/* A launch with attributes that need more than the launch itself */
static CUresult launch_with_more(struct anpu_front_launch *l, struct cu_launch_events *e, const struct cu_stream *s,
				 const struct cu_func *f, const CUlaunchConfig *attrs)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	CUresult ret = cu_code(aclmdlRICaptureGetInfo(l->stream, &status, NULL));

	if (ret)
		return ret;
	if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
		return record(l, e, s, f, attrs);
	if (!e->begun && !e->triggered)
		return cu_launch(l, NULL);
	return cu_launched(CU_ACL(anpu_front_launch_events(l, e->begun, e->triggered, cu_refused())));
}

/* @attrs: the configuration, if it has attributes */
static CUresult launch(struct anpu_front_launch *l, CUfunction f, CUstream hStream, const CUlaunchConfig *attrs,
		       void **kernelParams, void **extra)
{
	struct cu_launch_events e = { 0 };
	struct cu_stream *s;
	struct cu_func *func;
	CUresult ret = cu_stream_use(hStream, &l->stream, &s);

	if (!ret)
		ret = cu_func_get(f, &func);
	/* streams of the other front leave the thread its context */
	if (!ret && func->ctx && (s || !l->stream) && func->ctx != anpu_front_context())
		ret = cu_fail(CUDA_ERROR_INVALID_HANDLE,
			      "'%s' belongs to context %p and the stream to context %p: get the function from a module "
			      "of that context, or launch a CUkernel, which belongs to none",
			      func->name, CU_PTR(func->ctx), CU_PTR(anpu_front_context()));
	if (!ret)
		ret = of_function(func, l);
	if (!ret && attrs)
		ret = cu_apply_attributes(attrs, l, &e);
	if (!ret)
		ret = cu_check_cluster(func, l);
	if (!ret)
		ret = args(l, kernelParams, extra);
	if (ret)
		return ret;
	l->func = cu_handle(func);
	e.hints |= (s && s->hints) || func->cluster_policy;
	return e.begun || e.triggered || e.node || e.hints ? launch_with_more(l, &e, s, func, attrs) : cu_launch(l, NULL);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
			unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
			unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
	struct anpu_front_launch l = {
		.grid = { gridDimX, gridDimY, gridDimZ },
		.block = { blockDimX, blockDimY, blockDimZ },
		.shared = sharedMemBytes,
	};

	CU_ENTER();
	return launch(&l, f, hStream, NULL, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
				   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
				   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
	struct anpu_front_launch l = {
		.grid = { gridDimX, gridDimY, gridDimZ },
		.block = { blockDimX, blockDimY, blockDimZ },
		.shared = sharedMemBytes,
		.cooperative = true,
	};

	CU_ENTER();
	return launch(&l, f, hStream, NULL, kernelParams, NULL);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
	struct anpu_front_launch l;

	CU_ENTER();
	CU_CHECK_PTR(config);
	l = (struct anpu_front_launch){
		.grid = { config->gridDimX, config->gridDimY, config->gridDimZ },
		.block = { config->blockDimX, config->blockDimY, config->blockDimZ },
		.shared = config->sharedMemBytes,
	};
	if (config->numAttrs && !config->attrs)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "config->attrs is NULL and numAttrs is %u", config->numAttrs);
	return launch(&l, f, config->hStream, config->numAttrs ? config : NULL, kernelParams, extra);
}
