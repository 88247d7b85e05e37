/* SPDX-License-Identifier: MIT */
/* Shared by the samples for CUDA's driver API: a check of every call, and their kernels. */
#ifndef COMMON_H
#define COMMON_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libacl's: the sentence about this thread's newest failure */
const char *aclGetRecentErrMsg(void);

#define CHECK(call) do { \
	CUresult code_ = (call); \
	if (code_ != CUDA_SUCCESS) { \
		const char *name_ = NULL, *text_ = aclGetRecentErrMsg(); \
		cuGetErrorName(code_, &name_); \
		fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, name_ ? name_ : "?", \
			text_ ? text_ : "(no message)"); \
		exit(EXIT_FAILURE); \
	} \
} while (0)

/* The first device, its context, and a function of kernels.o, which lies beside the program */
static inline CUfunction begin(const char *argv0, const char *kernel, CUmodule *module)
{
	const char *slash = strrchr(argv0, '/');
	CUfunction function;
	CUcontext context;
	CUdevice device;
	char path[4096];

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuCtxCreate(&context, 0, device));
	snprintf(path, sizeof(path), "%.*skernels.o", slash ? (int)(slash - argv0) + 1 : 0, argv0);
	CHECK(cuModuleLoad(module, path));
	CHECK(cuModuleGetFunction(&function, *module, kernel));
	return function;
}

/* Memory of zeros. The fill runs in the default stream, for which streams of CU_STREAM_NON_BLOCKING do not wait. */
static inline CUdeviceptr device_memory(size_t bytes)
{
	CUdeviceptr p;

	CHECK(cuMemAlloc(&p, bytes));
	CHECK(cuMemsetD8(p, 0, bytes));
	CHECK(cuStreamSynchronize(NULL));
	return p;
}

#endif /* COMMON_H */
