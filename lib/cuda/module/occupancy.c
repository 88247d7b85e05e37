// SPDX-License-Identifier: MIT
/* How many blocks, threads and clusters run at a time: a core runs one block. */
#include "cuda/context/context.h"
#include "cuda/module/module.h"

/* Can a block be like that */
static bool fits(const struct cu_func *f, int threads, size_t shared)
{
	return threads > 0 && (uint32_t)threads <= f->has.threads && shared <= f->has.dynamic_shared;
}

static CUresult max_blocks(int *numBlocks, CUfunction func, int blockSize, size_t shared, unsigned int flags)
{
	struct cu_func *f;
	CUresult ret;

	CU_CHECK_PTR(numBlocks);
	if (blockSize <= 0 || (flags & ~(unsigned int)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "blockSize is %d and must be above 0; flags is %#x", blockSize,
			       flags);
	ret = cu_func_get(func, &f);
	if (!ret)
		*numBlocks = fits(f, blockSize, shared);
	return ret;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
						     size_t dynamicSMemSize)
{
	CU_ENTER_CTX(ctx);
	return max_blocks(numBlocks, func, blockSize, dynamicSMemSize, 0);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
							      size_t dynamicSMemSize, unsigned int flags)
{
	CU_ENTER_CTX(ctx);
	return max_blocks(numBlocks, func, blockSize, dynamicSMemSize, flags);
}

/* Shared memory of a block with so many threads */
static size_t shared_of(CUoccupancyB2DSize size_of, int threads, size_t shared)
{
	const char *name;

	if (!size_of)
		return shared;
	name = cu_pause();
	shared = size_of(threads);
	cu_resume(name);
	return shared;
}

static CUresult potential(int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize size_of, size_t shared,
			  int limit, unsigned int flags)
{
	struct cu_func *f;
	CUresult ret;
	int threads;

	CU_CHECK_PTR(minGridSize);
	CU_CHECK_PTR(blockSize);
	if (flags & ~(unsigned int)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "flags is %#x and must be 0 or 1", flags);
	ret = cu_func_get(func, &f);
	if (ret)
		return ret;
	threads = (int)f->has.threads;
	if (limit > 0 && limit < threads)
		threads = limit;
	/* whole warps, as far as the shared memory that they need is there */
	while (threads > 1 && !fits(f, threads, shared_of(size_of, threads, shared)))
		threads = threads > 32 ? (threads - 1) / 32 * 32 : threads - 1;
	if (!fits(f, threads, shared_of(size_of, threads, shared)))
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "no block of '%s' fits with this much shared memory", f->name);
	*blockSize = threads;
	*minGridSize = (int)f->has.cores;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
					  CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
					  int blockSizeLimit)
{
	CU_ENTER_CTX(ctx);
	return potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
						   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
						   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
	CU_ENTER_CTX(ctx);
	return potential(minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit,
			 flags);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(dynamicSmemSize);
	if (numBlocks <= 0 || blockSize <= 0)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "numBlocks is %d, blockSize %d, and both must be above 0",
			       numBlocks, blockSize);
	ret = cu_func_get(func, &f);
	if (!ret)
		*dynamicSmemSize = numBlocks == 1 && (uint32_t)blockSize <= f->has.threads ? f->has.dynamic_shared : 0;
	return ret;
}

/* The cluster that a launch with this configuration would have; 1 without one */
static CUresult cluster_of(const struct cu_func *f, const CUlaunchConfig *config, unsigned int *blocks)
{
	uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
	unsigned int i;

	*blocks = 1;
	for (i = 0; i < 3 && f->cluster[0]; i++)
		*blocks *= f->cluster[i] ? (unsigned int)f->cluster[i] : 1;
	for (i = 0; i < config->numAttrs; i++)
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			*blocks = config->attrs[i].value.clusterDim.x * config->attrs[i].value.clusterDim.y *
				  config->attrs[i].value.clusterDim.z;
	if (!*blocks || !threads || threads > INT32_MAX || !fits(f, (int)threads, config->sharedMemBytes))
		return cu_fail(CUDA_ERROR_INVALID_VALUE,
			       "no block of '%s' has %llu threads and %u bytes of shared memory, or the cluster has none",
			       f->name, (unsigned long long)threads, config->sharedMemBytes);
	return CUDA_SUCCESS;
}

/* The kernel, and the blocks of a cluster that the launch @config of it has */
static CUresult cluster_of_launch(CUfunction func, const CUlaunchConfig *config, struct cu_func **f, unsigned int *blocks)
{
	CUresult ret = cu_func_get(func, f);

	return ret ? ret : cluster_of(*f, config, blocks);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config)
{
	unsigned int blocks;
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(clusterSize);
	CU_CHECK_PTR(config);
	ret = cluster_of_launch(func, config, &f, &blocks);
	if (!ret)
		*clusterSize = (int)cu_func_max_cluster(f);
	return ret;
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config)
{
	unsigned int blocks;
	struct cu_func *f;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(numClusters);
	CU_CHECK_PTR(config);
	ret = cluster_of_launch(func, config, &f, &blocks);
	if (!ret)
		*numClusters = blocks > cu_func_max_cluster(f) ? 0 : (int)(f->has.cores / blocks);
	return ret;
}
