// SPDX-License-Identifier: MIT
/* Variables that the program reaches, too, and one that it does not. */
#include "managed.cuh"

__managed__ unsigned long long managed_counter = 7;
__device__ __managed__ unsigned long long managed_table[600];
__device__ unsigned long long counter = 5;

/* Tells what the program has stored, and leaves it something to find */
extern "C" __global__ void swap_managed(unsigned long long *p)
{
	*p = managed_counter;
	managed_counter += counter;
	managed_table[599] = managed_table[0] + (unsigned long long)&managed_counter;
}

/* A brief block: it counts in seen[its number], and in *bad if it does not begin with the memory and registers of a new core */
extern "C" __global__ void fresh(unsigned *seen, unsigned *bad)
{
	__shared__ int kept[32];
	extern __shared__ int dynamic[];
	volatile int local;
	unsigned long flags;
	int t = threadIdx.x % 32, wrong = local;

	__asm__ volatile("csrr %0, fcsr" : "=r"(flags));
	wrong |= kept[t] | dynamic[t] | (int)flags;
	__syncthreads();
	if (wrong)
		atomicAdd(bad, 1u);
	local = -1;
	kept[t] = dynamic[t] = -1;
	__asm__ volatile("csrw fcsr, %0" : : "r"(0x3fl));
	if (!threadIdx.x)
		atomicAdd(&seen[blockIdx.x], 1u);
}

/* Static, and written by the program alone */
static __constant__ unsigned int static_constant[4];
static __device__ unsigned int static_variable[2] = { 1, 2 };
namespace {
__device__ unsigned int nameless_variable = 6;
}
extern "C" __global__ void read_static(unsigned int *out)
{
	out[0] = static_constant[3];
	out[1] = static_variable[1];
	out[2] = static_in_header;
	out[3] = nameless_in_header[1];
	out[4] = nameless_variable;
}

/* No kernel uses these; programs find them by their names, as other compilers keep them */
__device__ unsigned int for_the_program_alone[3] = { 4, 5, 6 };
__constant__ double constant_for_the_program;

/* Ends the loop that it runs in at 0 */
extern "C" __global__ void count_down(unsigned int *left, cudaGraphConditionalHandle handle)
{
	if (--*left == 0)
		cudaGraphSetConditional(handle, 0);
}
