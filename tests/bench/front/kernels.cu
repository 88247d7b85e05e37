// SPDX-License-Identifier: MIT
/* Kernels of tests/bench/front. */
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void nothing(float *, float *, float *, int)
{
}

/* A link of a chain: what it does first does not need the link in front */
extern "C" __global__ void link(int *sum, int rounds)
{
	int v = 0;

	cudaTriggerProgrammaticLaunchCompletion();
	for (volatile int i = 0; i < rounds; i = i + 1)
		v++;
	cudaGridDependencySynchronize();
	if (!threadIdx.x)
		sum[blockIdx.x] += v;
}

/* Work that has all cores until *stop is set */
extern "C" __global__ void load(volatile int *stop, volatile int *begun)
{
	atomicAdd((int *)begun, 1);
	while (!*stop)
		;
}

extern "C" __global__ void grid_barriers(int rounds)
{
	while (rounds--)
		cg::this_grid().sync();
}

extern "C" __global__ void cluster_barriers(int rounds)
{
	while (rounds--)
		cg::this_cluster().sync();
}
