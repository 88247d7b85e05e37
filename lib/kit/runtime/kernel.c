// SPDX-License-Identifier: MIT
/* Binaries, functions that are registered under an address of the program, launches. */
#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <runtime/rt.h>

#include "front.h"

/* A kernel that rtFunctionRegister() has named; lock protects the tree of them, by stub */
struct function {
	const void *stub;
	char *name; /* stubName; NULL if there was none */
	aclrtFuncHandle handle;
	aclrtBinHandle binary;
};

/* The name or handle that rtGetFunctionByName() or rtDevBinaryUnRegister() looks for, and the result */
struct look {
	const char *name;
	aclrtBinHandle binary;
	struct function *found;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *functions;

static int by_stub(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct function *)a)->stub;
	uintptr_t y = (uintptr_t)((const struct function *)b)->stub;

	return (x > y) - (x < y);
}

static void look_at(const void *node, VISIT visit, void *arg)
{
	struct function *f = *(struct function *const *)node;
	struct look *look = arg;

	if (visit != postorder && visit != leaf)
		return;
	if (look->name ? f->name && !strcmp(f->name, look->name) : f->binary == look->binary)
		look->found = f;
}

static void free_function(struct function *f)
{
	free(f->name);
	free(f);
}

rtError_t rtDevBinaryRegister(const rtDevBinary_t *bin, void **handle)
{
	if (!bin || !handle)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "%s is NULL", bin ? "handle" : "bin");
	switch (bin->magic) {
	case RT_DEV_BINARY_MAGIC_ELF:
	case RT_DEV_BINARY_MAGIC_ELF_AIVEC:
	case RT_DEV_BINARY_MAGIC_ELF_AICUBE:
		return aclrtBinaryLoadFromData(bin->data, bin->length, NULL, handle);
	case RT_DEV_BINARY_MAGIC_ELF_AICPU:
		return kit_fail(__func__, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"bin->magic is RT_DEV_BINARY_MAGIC_ELF_AICPU: the device has no CPU for operators");
	default:
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID,
				"bin->magic is 0x%x and must be one of RT_DEV_BINARY_MAGIC_ELF* of runtime/rt.h",
				bin->magic);
	}
}

rtError_t rtRegisterAllKernel(const rtDevBinary_t *bin, void **handle)
{
	return rtDevBinaryRegister(bin, handle);
}

rtError_t rtDevBinaryUnRegister(void *handle)
{
	struct look look = { .binary = handle };
	int err = aclrtBinaryUnLoad(handle);

	if (err)
		return err;
	pthread_rwlock_wrlock(&lock);
	for (;;) {
		look.found = NULL;
		twalk_r(functions, look_at, &look);
		if (!look.found)
			break;
		tdelete(look.found, &functions, by_stub);
		free_function(look.found);
	}
	pthread_rwlock_unlock(&lock);
	return RT_ERROR_NONE;
}

/* Puts @f into the tree, in place of the one with its address if there is one; false without memory */
static bool keep_function(struct function *f)
{
	struct function **at, *old = NULL;

	pthread_rwlock_wrlock(&lock);
	at = tsearch(f, &functions, by_stub);
	if (at && *at != f) {
		old = *at;
		*at = f;
	}
	pthread_rwlock_unlock(&lock);
	if (old)
		free_function(old);
	return at;
}

rtError_t rtFunctionRegister(void *binHandle, const void *stubFunc, const char_t *stubName,
			     const void *kernelInfoExt, uint32_t funcMode)
{
	const char *kernel = kernelInfoExt ? kernelInfoExt : stubName;
	aclrtFuncHandle handle;
	struct function *f;
	int err;

	if (!stubFunc || !kernel)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "%s",
				stubFunc ? "stubName and kernelInfoExt are NULL: one has to name the kernel" :
					   "stubFunc is NULL");
	if (funcMode)
		return kit_fail(__func__, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"funcMode is %u and only 0 is built", funcMode);
	err = aclrtBinaryGetFunction(binHandle, kernel, &handle);
	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (f)
		*f = (struct function){ stubFunc, stubName ? strdup(stubName) : NULL, handle, binHandle };
	if (!f || (stubName && !f->name) || !keep_function(f)) {
		if (f)
			free_function(f);
		return kit_fail(__func__, ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a function");
	}
	return RT_ERROR_NONE;
}

rtError_t rtGetFunctionByName(const char_t *stubName, void **stubFunc)
{
	struct look look = { .name = stubName };

	if (!stubName || !stubFunc)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "%s is NULL",
				stubName ? "stubFunc" : "stubName");
	pthread_rwlock_rdlock(&lock);
	twalk_r(functions, look_at, &look);
	if (look.found)
		*stubFunc = (void *)look.found->stub;
	pthread_rwlock_unlock(&lock);
	return look.found ? RT_ERROR_NONE :
			    kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID,
				     "no function is registered under the name '%s'", stubName);
}

static int find_function(const char *api, const void *stub, aclrtFuncHandle *handle)
{
	struct function key = { .stub = stub }, **at;

	pthread_rwlock_rdlock(&lock);
	at = tfind(&key, &functions, by_stub);
	if (at)
		*handle = (*at)->handle;
	pthread_rwlock_unlock(&lock);
	return at ? 0 : kit_fail(api, ACL_ERROR_RT_PARAM_INVALID,
				 "stubFunc %p is not registered: rtFunctionRegister() does it", stub);
}

#define MAX_INPUTS 128

/* The places in the arguments that are to hold addresses of data behind them; the number of them, or -1 */
static int placeholders(const rtArgsEx_t *args, aclrtPlaceHolderInfo *out)
{
	int n = 0;

	if (args->hostInputInfoNum > MAX_INPUTS || (args->hostInputInfoNum && !args->hostInputInfoPtr))
		return -1;
	for (; n < args->hostInputInfoNum; n++)
		out[n] = (aclrtPlaceHolderInfo){ .addrOffset = args->hostInputInfoPtr[n].addrOffset,
						 .dataOffset = args->hostInputInfoPtr[n].dataOffset };
	if (args->hasTiling)
		out[n++] = (aclrtPlaceHolderInfo){ .addrOffset = args->tilingAddrOffset,
						   .dataOffset = args->tilingDataOffset };
	return n;
}

static int launch(const char *api, aclrtFuncHandle func, uint32_t blocks, const rtArgsEx_t *args,
		  const void *sm, rtStream_t stm, const rtTaskCfgInfo_t *task)
{
	aclrtPlaceHolderInfo places[MAX_INPUTS + 1];
	aclrtLaunchKernelAttr attrs[3];
	aclrtLaunchKernelCfg cfg = { .attrs = attrs };
	int n;

	if (!args || sm)
		return kit_fail(api, ACL_ERROR_RT_PARAM_INVALID, "%s",
				args ? "smDesc has to be NULL: there is no such memory" : "argsInfo is NULL");
	n = placeholders(args, places);
	if (n < 0)
		return kit_fail(api, ACL_ERROR_RT_PARAM_INVALID,
				"hostInputInfoNum is %u with hostInputInfoPtr %p: at most %d places",
				args->hostInputInfoNum, (void *)args->hostInputInfoPtr, MAX_INPUTS);
	if (args->isNoNeedH2DCopy)
		return kit_fail(api, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"isNoNeedH2DCopy is not built: give arguments in host memory");
	if (task && (task->qos || task->partId || task->d2dCrossFlag || task->dumpflag))
		return kit_fail(api, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"qos, partId, d2dCrossFlag and dumpflag of cfgInfo have to be 0");
	if (task && task->schemMode)
		attrs[cfg.numAttrs++] = (aclrtLaunchKernelAttr){
			.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, .value.schemMode = task->schemMode };
	if (task && task->blockDimOffset)
		attrs[cfg.numAttrs++] = (aclrtLaunchKernelAttr){
			.id = ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET,
			.value.blockDimOffset = task->blockDimOffset };
	if (task && task->localMemorySize)
		attrs[cfg.numAttrs++] = (aclrtLaunchKernelAttr){
			.id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE,
			.value.dynUBufSize = task->localMemorySize };
	return aclrtLaunchKernelWithHostArgs(func, blocks, stm, cfg.numAttrs ? &cfg : NULL, args->args,
					     args->argsSize, n ? places : NULL, (size_t)n);
}

rtError_t rtKernelLaunch(const void *stubFunc, uint32_t blockDim, void *args, uint32_t argsSize,
			 rtSmDesc_t *smDesc, rtStream_t stm)
{
	rtArgsEx_t info = { .args = args, .argsSize = argsSize };
	aclrtFuncHandle func;
	int err = find_function(__func__, stubFunc, &func);

	return err ? err : launch(__func__, func, blockDim, &info, smDesc, stm, NULL);
}

rtError_t rtKernelLaunchWithFlag(const void *stubFunc, uint32_t blockDim, rtArgsEx_t *argsInfo,
				 rtSmDesc_t *smDesc, rtStream_t stm, uint32_t flags)
{
	return rtKernelLaunchWithFlagV2(stubFunc, blockDim, argsInfo, smDesc, stm, flags, NULL);
}

rtError_t rtKernelLaunchWithFlagV2(const void *stubFunc, uint32_t blockDim, rtArgsEx_t *argsInfo,
				   rtSmDesc_t *smDesc, rtStream_t stm, uint32_t flags,
				   const rtTaskCfgInfo_t *cfgInfo)
{
	aclrtFuncHandle func;
	int err;

	if (flags)
		return kit_fail(__func__, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"flags are 0x%x and only 0 is built: no launch is dumped", flags);
	err = find_function(__func__, stubFunc, &func);
	return err ? err : launch(__func__, func, blockDim, argsInfo, smDesc, stm, cfgInfo);
}

rtError_t rtKernelLaunchWithHandleV2(void *hdl, const uint64_t tilingKey, uint32_t blockDim,
				     rtArgsEx_t *argsInfo, rtSmDesc_t *smDesc, rtStream_t stm,
				     const rtTaskCfgInfo_t *cfgInfo)
{
	aclrtFuncHandle func;
	int err = aclrtBinaryGetFunctionByEntry(hdl, tilingKey, &func);

	return err ? err : launch(__func__, func, blockDim, argsInfo, smDesc, stm, cfgInfo);
}

rtError_t rtGetC2cCtrlAddr(uint64_t *addr, uint32_t *len)
{
	void *at;
	int err;

	if (!addr || !len)
		return kit_fail(__func__, ACL_ERROR_RT_PARAM_INVALID, "%s is NULL", addr ? "len" : "addr");
	err = aclrtGetHardwareSyncAddr(&at);
	if (err)
		return err;
	*addr = (uintptr_t)at;
	*len = 64 << 10; /* as include/acl/acl_rt_kernel.h says of that memory */
	return RT_ERROR_NONE;
}
