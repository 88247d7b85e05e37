// SPDX-License-Identifier: MIT
/* Variables that the program reaches, too, and one that it does not. */
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
