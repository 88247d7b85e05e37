// SPDX-License-Identifier: MIT
/* A sum by a cooperative kernel: its blocks meet at a barrier of the grid, so they all have to be there. */
#include "common.h"

#define N 50000
#define THREADS 256

int main(int argc, char **argv)
{
	static int numbers[N];
	long long sum = 0, expected = 0;
	CUdeviceptr in, part, out;
	CUfunction function;
	CUmodule module;
	CUdevice device;
	int n = N, cores;

	(void)argc;
	function = begin(argv[0], "cooperative_sum", &module);
	CHECK(cuCtxGetDevice(&device));
	CHECK(cuDeviceGetAttribute(&cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
	for (int i = 0; i < N; i++) {
		numbers[i] = i * 7 - 1000;
		expected += numbers[i];
	}
	in = device_memory(sizeof(numbers));
	part = device_memory(8 * (size_t)cores);
	out = device_memory(8);
	CHECK(cuMemcpyHtoD(in, numbers, sizeof(numbers)));
	CHECK(cuLaunchCooperativeKernel(function, (unsigned int)cores, 1, 1, THREADS, 1, 1, 0, NULL,
					(void *[]){ &in, &n, &part, &out }));
	CHECK(cuMemcpyDtoH(&sum, out, 8));
	printf("the sum is %lld, expected %lld\n", sum, expected);
	/* one block more would never come to the barrier; it is refused */
	printf("one block per core and one more: %s\n",
	       cuLaunchCooperativeKernel(function, (unsigned int)cores + 1, 1, 1, THREADS, 1, 1, 0, NULL,
					 (void *[]){ &in, &n, &part, &out }) ==
	       CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE ? "too large" : "not refused");
	return sum != expected;
}
