// SPDX-License-Identifier: MIT
/*
 * The oldest form of launches: a function keeps block, shared memory and parameters, and a launch has the grid. The
 * parameters are a block as a C struct with these members, which is what extra has in the newer form.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/module/module.h"

#define MAX_PARAMS 4096 /* bytes of the parameters of a function */

struct cu_kept {
	unsigned int block[3], shared, size;
	unsigned char params[MAX_PARAMS];
};

/* Protects the struct cu_kept of all functions */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The function's record, with a place for what it keeps; on success the lock is held */
static CUresult kept_of(CUfunction hfunc, struct cu_func **f)
{
	CUresult ret = cu_func_get(hfunc, f);

	if (ret)
		return ret;
	pthread_mutex_lock(&lock);
	if (!(*f)->kept) {
		(*f)->kept = calloc(1, sizeof(*(*f)->kept));
		if ((*f)->kept)
			(*f)->kept->block[0] = (*f)->kept->block[1] = (*f)->kept->block[2] = 1;
	}
	if ((*f)->kept)
		return CUDA_SUCCESS;
	pthread_mutex_unlock(&lock);
	return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the parameters of a function");
}

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	if (x < 1 || y < 1 || z < 1)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "a block of %d x %d x %d threads: each number must be 1 or more", x, y,
			       z);
	ret = kept_of(hfunc, &f);
	if (ret)
		return ret;
	f->kept->block[0] = (unsigned int)x;
	f->kept->block[1] = (unsigned int)y;
	f->kept->block[2] = (unsigned int)z;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	ret = kept_of(hfunc, &f);
	if (ret)
		return ret;
	f->kept->shared = bytes;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	if (numbytes > MAX_PARAMS)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "parameters of %u bytes, and %d are the most", numbytes, MAX_PARAMS);
	ret = kept_of(hfunc, &f);
	if (ret)
		return ret;
	f->kept->size = numbytes;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

static CUresult set(CUfunction hfunc, int offset, const void *ptr, unsigned int numbytes)
{
	struct cu_func *f;
	CUresult ret;

	if (offset < 0 || offset > MAX_PARAMS || numbytes > (unsigned int)(MAX_PARAMS - offset))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "%u bytes at %d: parameters have places from 0 to %d", numbytes, offset,
			       MAX_PARAMS);
	ret = kept_of(hfunc, &f);
	if (ret)
		return ret;
	memcpy(f->kept->params + offset, ptr, numbytes);
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
	CU_ENTER();
	return set(hfunc, offset, &value, sizeof(value));
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value)
{
	CU_ENTER();
	return set(hfunc, offset, &value, sizeof(value));
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
	CU_ENTER();
	CU_CHECK_PTR(ptr);
	return set(hfunc, offset, ptr, numbytes);
}

/* A launch of what the function keeps, as it is now */
static CUresult launch(CUfunction hfunc, int width, int height, CUstream stream)
{
	struct cu_func *f;
	struct cu_kept kept;
	size_t size;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, kept.params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			  CU_LAUNCH_PARAM_END };
	CUresult ret;

	if (width < 1 || height < 1)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "a grid of %d x %d blocks: each number must be 1 or more", width,
			       height);
	ret = kept_of(hfunc, &f);
	if (ret)
		return ret;
	kept = *f->kept;
	pthread_mutex_unlock(&lock);
	size = kept.size;
	return cuLaunchKernel(hfunc, (unsigned int)width, (unsigned int)height, 1, kept.block[0], kept.block[1], kept.block[2],
			      kept.shared, stream, NULL, size ? extra : NULL);
}

CUresult cuLaunch(CUfunction f)
{
	CU_ENTER();
	return launch(f, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
	CU_ENTER();
	return launch(f, grid_width, grid_height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
	CU_ENTER();
	return launch(f, grid_width, grid_height, hStream);
}
