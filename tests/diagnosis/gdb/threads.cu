// SPDX-License-Identifier: MIT
/* A kernel with threads. */
extern "C" __global__ void turn(int *out)
{
	__shared__ int part[64];

	part[threadIdx.x] = threadIdx.x;
	__syncthreads();
	int got = part[blockDim.x - 1 - threadIdx.x]; /* TURNED */
	out[threadIdx.x] = got;
}
