// SPDX-License-Identifier: MIT
/* A vector sum through cuLaunchKernelEx(), with an attribute: the launch's priority. */
#include "common.h"

#define N 100000

int main(int argc, char **argv)
{
	static float a[N], b[N], c[N];
	CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value = { .priority = 1 } };
	CUlaunchConfig config = { .gridDimX = (N + 255) / 256, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 256,
				  .blockDimY = 1, .blockDimZ = 1, .attrs = &attribute, .numAttrs = 1 };
	CUdeviceptr da, db, dc;
	CUfunction add;
	CUmodule module;
	int n = N, wrong = 0;

	(void)argc;
	add = begin(argv[0], "vector_add", &module);
	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = (float)(2 * i);
	}
	da = device_memory(sizeof(a));
	db = device_memory(sizeof(b));
	dc = device_memory(sizeof(c));
	CHECK(cuMemcpyHtoD(da, a, sizeof(a)));
	CHECK(cuMemcpyHtoD(db, b, sizeof(b)));
	CHECK(cuStreamCreate(&config.hStream, CU_STREAM_NON_BLOCKING));
	CHECK(cuLaunchKernelEx(&config, add, (void *[]){ &da, &db, &dc, &n }, NULL));
	CHECK(cuStreamSynchronize(config.hStream));
	CHECK(cuMemcpyDtoH(c, dc, sizeof(c)));
	for (int i = 0; i < N; i++)
		wrong += c[i] != (float)(3 * i);
	printf("%d sums by %u blocks of %u threads, %d wrong\n", N, config.gridDimX, config.blockDimX, wrong);
	return wrong != 0;
}
