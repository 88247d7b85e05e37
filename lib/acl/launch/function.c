// SPDX-License-Identifier: MIT
/*
 * Queries of function handles: name, binary, addresses and parameters; and the launch that
 * packs its arguments by that.
 */
#include <string.h>

#include <anpu/anpu_isa.h>

#include "launch/launch.h"

#define MAX_ARGS_BYTES 4096

/* The function of a handle with a reference */
static aclError get(const void *handle, struct anpu_func **out)
{
	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "the function handle is NULL");
	*out = anpu_func_find((void *)(uintptr_t)handle);
	return *out ? ACL_SUCCESS : ACL_ERROR_RT_INVALID_HANDLE;
}

static struct anpu_meta_param param_at(const struct anpu_func *func, size_t i)
{
	struct anpu_meta_param p;

	memcpy(&p, func->params + i * sizeof(p), sizeof(p));
	return p;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
	struct anpu_func *func = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(name);
	ret = get(funcHandle, &func);
	if (ret)
		return ret;
	if (strlen(func->name) >= maxLen)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "maxLen is %u and the name '%s' needs %zu bytes", maxLen, func->name,
			       strlen(func->name) + 1);
	else
		strcpy(name, func->name);
	acl_obj_put(&func->obj);
	return ret;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
	struct anpu_func *func = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(binHandle);
	ret = get(funcHandle, &func);
	if (ret)
		return ret;
	*binHandle = acl_obj_handle(&func->binary->obj);
	acl_obj_put(&func->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
	struct anpu_func *func = NULL;
	uint64_t aiv = 0;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(aicAddr);
	ACL_CHECK_PTR(aivAddr);
	ret = get(funcHandle, &func);
	if (ret)
		return ret;
	if (func->core_type == ANPU_CORE_AIV)
		aiv = func->entry;
	else if (func->core_type == ANPU_CORE_MIX)
		aiv = func->entry + func->aiv_entry;
	*aicAddr = func->core_type == ANPU_CORE_AIV ? NULL : (void *)(uintptr_t)func->entry;
	*aivAddr = (void *)(uintptr_t)aiv;
	acl_obj_put(&func->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
	struct anpu_func *func = NULL;
	bool vector;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(aicSize);
	ACL_CHECK_PTR(aivSize);
	ret = get(funcHandle, &func);
	if (ret)
		return ret;
	vector = func->core_type == ANPU_CORE_AIV;
	*aicSize = vector ? 0 : func->code_size;
	*aivSize = vector ? func->code_size : func->aiv_size;
	acl_obj_put(&func->obj);
	return ACL_SUCCESS;
}

static int64_t kernel_type(const struct anpu_func *func)
{
	switch (func->core_type) {
	case ANPU_CORE_AIC:
		return ACL_KERNEL_TYPE_CUBE;
	case ANPU_CORE_AIV:
		return ACL_KERNEL_TYPE_VECTOR;
	case ANPU_CORE_MIX:
		return ACL_KERNEL_TYPE_MIX;
	default:
		return ACL_KERNEL_TYPE_AICORE;
	}
}

aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType,
				   int64_t *attrValue)
{
	struct anpu_func *func = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(attrValue);
	ret = get(funcHandle, &func);
	if (ret)
		return ret;
	switch (attrType) {
	case ACL_FUNC_ATTR_KERNEL_TYPE:
		*attrValue = kernel_type(func);
		break;
	case ACL_FUNC_ATTR_KERNEL_RATIO:
		/* as in the binary's record: vector part above, cube part below */
		*attrValue = func->core_type == ANPU_CORE_MIX ? func->mix_ratio << 16 | 1 : 0;
		break;
	case ACL_FUNC_ATTR_KERNEL_SCHED_MODE:
		*attrValue = func->sched_mode;
		break;
	default:
		ret = acl_fail(ACL_ERROR_INVALID_PARAM, "attrType is %d and must be 1 to 3",
			       (int)attrType);
	}
	acl_obj_put(&func->obj);
	return ret;
}

aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
	struct anpu_func *f = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(dynamicUbufSize);
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#x and must be 0", flags);
	ret = get(func, &f);
	if (ret)
		return ret;
	*dynamicUbufSize = 0; /* of SIMD kernels, and there are no others */
	acl_obj_put(&f->obj);
	return ACL_SUCCESS;
}

/* Only for functions whose binary says what parameters they have */
static aclError get_described(const void *handle, struct anpu_func **out)
{
	aclError ret = get(handle, out);

	if (ret || (*out)->params)
		return ret;
	ret = acl_fail(
		ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"the binary does not tell the parameters of '%s': compile it with scripts/anpucc",
		(*out)->name);
	acl_obj_put(&(*out)->obj);
	return ret;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
	struct anpu_func *f = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(paramCount);
	ret = get_described(func, &f);
	if (ret)
		return ret;
	*paramCount = f->param_count;
	acl_obj_put(&f->obj);
	return ACL_SUCCESS;
}

aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
				   size_t *paramSize)
{
	struct anpu_meta_param p;
	struct anpu_func *f = NULL;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(paramOffset);
	ACL_CHECK_PTR(paramSize);
	ret = get_described(func, &f);
	if (ret)
		return ret;
	if (paramIndex < f->param_count) {
		p = param_at(f, paramIndex);
		*paramOffset = p.offset;
		*paramSize = p.size;
	} else {
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "paramIndex is %zu and '%s' has %u parameters", paramIndex, f->name,
			       f->param_count);
	}
	acl_obj_put(&f->obj);
	return ret;
}

/* Most values have one of these sizes, for which a call of memcpy() costs more than the copy */
static void copy_value(uint8_t *to, const void *from, uint32_t size)
{
	switch (size) {
	case 8:
		memcpy(to, from, 8);
		break;
	case 4:
		memcpy(to, from, 4);
		break;
	default:
		memcpy(to, from, size);
	}
}

/* Gathers the values into the function's argument block */
static aclError pack(const struct anpu_func *func, void **args, uint8_t *block)
{
	uint32_t i;

	if (func->args_size > MAX_ARGS_BYTES)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"'%s' takes %u bytes of arguments and this call can pass %u",
				func->name, func->args_size, MAX_ARGS_BYTES);
	if (func->param_count && !args)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "args is NULL and '%s' has %u parameters",
				func->name, func->param_count);
	memset(block, 0, func->args_size);
	for (i = 0; i < func->param_count; i++) {
		struct anpu_meta_param p = param_at(func, i);

		if (!args[i])
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"args[%u] is NULL and must point at a value of %u bytes", i,
					p.size);
		copy_value(block + p.offset, args[i], p.size);
	}
	return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks, aclrtStream stream,
					aclrtLaunchKernelCfg *cfg, void **args)
{
	uint8_t block[MAX_ARGS_BYTES];
	struct anpu_launch l;
	struct anpu_func *f = NULL;
	aclError ret;

	ACL_ENTER();
	ret = get_described(func, &f);
	if (ret)
		return ret;
	ret = pack(f, args, block);
	if (!ret)
		ret = anpu_launch_begin(&l, func, numBlocks, cfg, stream);
	if (!ret) {
		ret = anpu_launch_host_args(&l, block, f->args_size, NULL, 0);
		anpu_launch_end(&l);
	}
	acl_obj_put(&f->obj);
	return ret;
}
