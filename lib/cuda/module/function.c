// SPDX-License-Identifier: MIT
/* Functions. A CUfunction is an aclrtFuncHandle; this front adds attributes. */
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/module/module.h"

/* A record for a function; @name may be NULL */
static CUresult describe(CUfunction func, uint64_t module, struct cu_func **out)
{
	struct anpu_front_func has;
	char name[CU_NAME_MAX];
	struct cu_module *m;
	struct cu_func *f;
	CUresult ret = cu_code(anpu_front_function(func, &has));

	if (!ret)
		ret = cu_code(aclrtGetFunctionName(func, sizeof(name), name));
	if (ret)
		return ret;
	f = cu_add(CU_FUNC, func);
	if (f)
		f->name = strdup(name);
	if (!f || !f->name)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a function");
	m = cu_find(CU_MODULE, CU_PTR(module));
	f->module = module;
	f->ctx = m ? m->ctx : 0;
	f->has = has;
	f->dynamic_shared = (int)has.dynamic_shared;
	f->carveout = -1;
	f->cluster_must = has.cluster[0] != 0;
	memcpy(f->cluster, has.cluster, sizeof(f->cluster));
	*out = f;
	return CUDA_SUCCESS;
}

CUresult cu_module_function(struct cu_module *m, const char *name, CUfunction *out)
{
	aclrtFuncHandle func = NULL;
	struct cu_func *f;
	CUresult ret = cu_code(aclrtBinaryGetFunction(cu_handle(m), name, &func));

	if (!ret && !cu_find(CU_FUNC, func))
		ret = describe(func, m->rec.key, &f);
	if (!ret)
		*out = func;
	return ret;
}

CUresult cu_func_get(CUfunction func, struct cu_func **out)
{
	aclrtBinHandle bin = NULL;
	CUfunction of_kernel = NULL;
	CUresult ret;

	*out = cu_find(CU_FUNC, func);
	if (*out)
		return CUDA_SUCCESS;
	if (!func)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "the function is NULL");
	if (cu_find(CU_KERNEL, func)) {
		ret = cu_kernel_function((CUkernel)func, &of_kernel);
		return ret ? ret : cu_func_get(of_kernel, out);
	}
	/* one of the other front */
	ret = cu_code(aclrtFunctionGetBinary(func, &bin));
	return ret ? ret : describe(func, (uintptr_t)bin, out);
}

CUresult cu_func_attribute(struct cu_func *f, CUfunction_attribute attrib, int *value)
{
	switch ((int)attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = (int)f->has.threads;
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)f->has.static_shared;
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: /* constants lie in global memory */
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: /* what a thread needs of its stack is not told */
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 0;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 64;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = 90;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = f->dynamic_shared;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = f->carveout;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
		*value = f->cluster_must;
		break;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		*value = f->cluster[attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
		break;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = f->non_portable;
		break;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value = f->cluster_policy;
		break;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attrib is %d and must be 0 to %d", (int)attrib,
			       (int)CU_FUNC_ATTRIBUTE_MAX - 1);
	}
	return CUDA_SUCCESS;
}

uint32_t cu_func_max_cluster(const struct cu_func *f)
{
	uint32_t most = f->has.max_cluster < f->has.cores ? f->has.max_cluster : f->has.cores;

	return !f->non_portable && most > CU_PORTABLE_CLUSTER ? CU_PORTABLE_CLUSTER : most;
}

static CUresult set_cluster(struct cu_func *f, int axis, int value)
{
	if (f->has.cluster[0])
		return cu_fail(CUDA_ERROR_NOT_PERMITTED, "'%s' is written for clusters of %ux%ux%u blocks", f->name,
			       f->has.cluster[0], f->has.cluster[1], f->has.cluster[2]);
	if (value < 0)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "the value is %d and must not be negative", value);
	f->cluster[axis] = value;
	return CUDA_SUCCESS;
}

CUresult cu_func_set(struct cu_func *f, CUfunction_attribute attrib, int value)
{
	switch ((int)attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || (uint32_t)value > f->has.dynamic_shared)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "the value is %d and '%s' can have %u bytes at most",
				       value, f->name, f->has.dynamic_shared);
		f->dynamic_shared = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "the value is %d and must be -1 to 100 percent", value);
		f->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		return set_cluster(f, attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, value);
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		f->non_portable = value != 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		if (value < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT || value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "the value is %d and must be 0 to 2", value);
		f->cluster_policy = value;
		return CUDA_SUCCESS;
	default:
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attribute %d cannot be set", (int)attrib);
	}
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pi);
	ret = cu_func_get(hfunc, &f);
	return ret ? ret : cu_func_attribute(f, attrib, pi);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	ret = cu_func_get(hfunc, &f);
	return ret ? ret : cu_func_set(f, attrib, value);
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	struct cu_func *f;

	CU_ENTER_CTX(ctx);
	if ((unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "config is %d and must be 0 to 3", (int)config);
	return cu_func_get(hfunc, &f);
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
	struct cu_func *f;

	CU_ENTER_CTX(ctx);
	if ((unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "config is %d and must be 0 to 2", (int)config);
	return cu_func_get(hfunc, &f);
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(hmod);
	ret = cu_func_get(hfunc, &f);
	if (!ret)
		*hmod = CU_PTR(f->module);
	return ret;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(name);
	ret = cu_func_get(hfunc, &f);
	if (!ret)
		*name = f->name;
	return ret;
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
	size_t offset = 0, size = 0;
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(paramOffset);
	ret = cu_func_get(func, &f);
	if (!ret)
		ret = cu_code(anpu_front_param(cu_handle(f), paramIndex, &offset, &size));
	if (ret)
		return ret;
	*paramOffset = offset;
	if (paramSize)
		*paramSize = size;
	return CUDA_SUCCESS;
}

/* A module's code is on the device as soon as it has a function */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(state);
	ret = cu_func_get(function, &f);
	if (!ret)
		*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return ret;
}

CUresult cuFuncLoad(CUfunction function)
{
	struct cu_func *f;

	CU_ENTER_CTX(ctx);
	return cu_func_get(function, &f);
}
