// SPDX-License-Identifier: MIT
/* Kernels of the samples for CUDA's driver API. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

/* *sum = of all numbers: each thread's part, each block's as a tree, then block 0 adds those of all blocks */
extern "C" __global__ void cooperative_sum(const int *in, int n, long long *part, long long *sum)
{
	__shared__ long long tree[256];
	long long mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		mine += in[i];
	tree[threadIdx.x] = mine;
	for (int half = blockDim.x / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			tree[threadIdx.x] += tree[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		part[blockIdx.x] = tree[0];
	cg::this_grid().sync();
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		*sum = 0;
		for (int b = 0; b < gridDim.x; b++)
			*sum += part[b];
	}
}

/*
 * Lets the kernel behind it begin at once, and waits for it: *met would stay 0 if the two did not run at the
 * same time, and after a while the wait is given up.
 */
extern "C" __global__ void produce(int *data, int n, volatile int *begun, int *met)
{
	cudaTriggerProgrammaticLaunchCompletion();
	for (long long until = clock64() + 200000000; !*begun && clock64() < until;)
		;
	*met = *begun;
	for (int i = 0; i < n; i++)
		data[i] = 3 * i;
}

/* Begins before @data are there, does what does not need them, and waits for the kernel in front of it. */
extern "C" __global__ void consume(const int *data, int n, volatile int *begun, long long *sum)
{
	long long result = 0;

	*begun = 1;
	cudaGridDependencySynchronize();
	for (int i = 0; i < n; i++)
		result += data[i];
	*sum = result;
}

/* out[i] = in[i - 1] + in[i] + in[i + 1]: the blocks of a cluster get their neighbours' edges from their shared memory */
extern "C" __global__ void __cluster_dims__(4) cluster_stencil(const int *in, int *out, int n)
{
	__shared__ int part[64];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x, last = blockDim.x - 1, i = blockIdx.x * blockDim.x + t;
	int rank = cluster.block_rank(), blocks = cluster.num_blocks(), left, right;

	part[t] = in[i];
	cluster.sync();
	if (t)
		left = part[t - 1];
	else if (rank)
		left = *cluster.map_shared_rank(&part[last], rank - 1);
	else
		left = i ? in[i - 1] : 0;
	if (t < last)
		right = part[t + 1];
	else if (rank < blocks - 1)
		right = *cluster.map_shared_rank(&part[0], rank + 1);
	else
		right = i < n - 1 ? in[i + 1] : 0;
	out[i] = left + part[t] + right;
	cluster.sync();		/* a block's shared memory goes with its block */
}
