// SPDX-License-Identifier: MIT
/* A stencil whose blocks come in clusters of four and read each other's shared memory at their edges. */
#include "common.h"

#define N 1024
#define THREADS 64

int main(int argc, char **argv)
{
	int in[N], out[N], clusters, wrong = 0, n = N;
	CUlaunchConfig config = { .gridDimX = N / THREADS, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS,
				  .blockDimY = 1, .blockDimZ = 1 };
	CUdeviceptr din, dout;
	CUfunction stencil;
	CUmodule module;

	(void)argc;
	stencil = begin(argv[0], "cluster_stencil", &module);
	for (int i = 0; i < N; i++)
		in[i] = i * i % 1000;
	din = device_memory(sizeof(in));
	dout = device_memory(sizeof(out));
	CHECK(cuMemcpyHtoD(din, in, sizeof(in)));
	CHECK(cuOccupancyMaxActiveClusters(&clusters, stencil, &config));
	CHECK(cuLaunchKernelEx(&config, stencil, (void *[]){ &din, &dout, &n }, NULL));
	CHECK(cuMemcpyDtoH(out, dout, sizeof(out)));
	for (int i = 0; i < N; i++)
		wrong += out[i] != (i ? in[i - 1] : 0) + in[i] + (i < N - 1 ? in[i + 1] : 0);
	printf("%d sums of three neighbours in %d clusters, at least one at a time: %s, %d wrong\n", N,
	       N / THREADS / 4, clusters >= 1 ? "yes" : "no", wrong);
	return wrong != 0;
}
