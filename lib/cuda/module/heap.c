// SPDX-License-Identifier: MIT
/*
 * The heap of kernels, which malloc() and new take memory from. A context has one as soon as it loads a module that uses it; each such
 * module has a variable that tells its kernels where it is. What the heap looks like inside is the kernels' matter
 * (include/anpu/cudart/device/heap.h): it begins with its size, and zeros.
 */
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/module/module.h"

#define VARIABLE "_ZN12anpu_heap_ofIvE2atE"
#define HEAD	 4096 /* bytes at the beginning that are written */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of each context's heap */

bool cu_heap_made(const struct cu_ctx *ctx)
{
	bool made;

	pthread_mutex_lock(&lock);
	made = ctx->heap != 0;
	pthread_mutex_unlock(&lock);
	return made;
}

/* Under the lock; the memory ends with the context */
static CUresult make(struct cu_ctx *ctx)
{
	uint64_t head[HEAD / sizeof(uint64_t)] = { ctx->limit[CU_LIMIT_MALLOC_HEAP_SIZE] };
	void *p = NULL;
	CUresult ret = cu_code(anpu_front_malloc(&p, head[0]));

	if (!ret)
		ret = cu_code(aclrtMemcpy(p, sizeof(head), head, sizeof(head), ACL_MEMCPY_HOST_TO_DEVICE));
	if (!ret)
		ret = cu_mem_add((uintptr_t)p, head[0], CU_MEM_HEAP, 0, ctx);
	if (ret && p)
		(void)aclrtFree(p);
	if (!ret)
		ctx->heap = (uintptr_t)p;
	return ret;
}

CUresult cu_heap_tell(struct cu_ctx *ctx, aclrtBinHandle bin, const void *image, size_t size)
{
	void *variable = NULL;
	size_t bytes = 0;
	CUresult ret = CUDA_SUCCESS;

	/* the name is in the image's table of symbols if a kernel uses the heap */
	if (!memmem(image, size, VARIABLE, sizeof(VARIABLE)))
		return CUDA_SUCCESS;
	pthread_mutex_lock(&lock);
	if (!ctx->heap)
		ret = make(ctx);
	if (!ret)
		ret = cu_code(aclrtBinaryGetGlobal(bin, VARIABLE, &variable, &bytes));
	if (!ret)
		ret = cu_code(aclrtMemcpy(variable, bytes, &ctx->heap, sizeof(ctx->heap), ACL_MEMCPY_HOST_TO_DEVICE));
	pthread_mutex_unlock(&lock);
	return ret;
}
