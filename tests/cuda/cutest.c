// SPDX-License-Identifier: MIT
#include "cutest.h"

/* for left.c: nothing gives a whole process back here */
bool test_leaves = true;

CUcontext start(void)
{
	CUcontext ctx;

	CU(cuInit(0));
	CU(cuCtxCreate(&ctx, 0, 0));
	return ctx;
}

CUmodule ops(void)
{
	static CUmodule module;

	if (!module)
		CU(cuModuleLoad(&module, OPS));
	return module;
}

CUfunction op(const char *name)
{
	CUfunction f;

	CU(cuModuleGetFunction(&f, ops(), name));
	return f;
}

CUdeviceptr dev_alloc(size_t bytes)
{
	CUdeviceptr p;

	CU(cuMemAlloc(&p, bytes));
	CU(cuMemsetD8(p, 0, bytes));
	/* streams of CU_STREAM_NON_BLOCKING do not wait for the legacy one, where fills run */
	CU(cuStreamSynchronize(CU_STREAM_LEGACY));
	return p;
}

uint64_t read_u64(CUdeviceptr ptr)
{
	uint64_t v;

	CU(cuMemcpyDtoH(&v, ptr, sizeof(v)));
	return v;
}

CUstream new_stream(unsigned int flags)
{
	CUstream s;

	CU(cuStreamCreate(&s, flags));
	return s;
}

CUresult launch_args(CUfunction f, unsigned int blocks, CUstream stream, uint64_t *values, unsigned int n)
{
	void *params[16];
	unsigned int i;

	for (i = 0; i < n; i++)
		params[i] = &values[i];
	return cuLaunchKernel(f, blocks, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

CUDA_KERNEL_NODE_PARAMS one_thread(const char *name, void **args)
{
	return (CUDA_KERNEL_NODE_PARAMS){ .func = op(name), .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1, .blockDimY = 1,
					  .blockDimZ = 1, .kernelParams = args };
}

CUgraphNode add_kernel(CUgraph g, CUgraphNode behind, const char *name, void **args)
{
	CUDA_KERNEL_NODE_PARAMS k = one_thread(name, args);
	CUgraphNode node;

	CU(cuGraphAddKernelNode(&node, g, &behind, behind != NULL, &k));
	return node;
}

CUgraphExec instantiated(CUgraph g)
{
	CUgraphExec exec;

	CU(cuGraphInstantiate(&exec, g, 0));
	return exec;
}
