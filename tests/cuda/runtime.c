// SPDX-License-Identifier: MIT
/* The calls of the runtime API that are inline functions over the driver API, in a program that launches by the latter. */
#include "cutest.h"

#include <cuda_runtime.h>

#define RT(call) CHECK_EQ((call), cudaSuccess)

static void called(void *arg)
{
	*(int *)arg = 1;
}

/* Memory, copies and streams of either API are those of the other; a thread needs no context of its own */
static void memory_and_streams_are_the_drivers(void)
{
	uint64_t *p, *pinned, value = 0;
	cudaEvent_t begin, end;
	cudaStream_t s;
	CUfunction f;
	CUmodule m;
	float ms = -1;
	int flag = 0;
	void *a[] = { &p, &(uint64_t){ 77 } };

	RT(cudaFree(NULL)); /* as programs begin */
	RT(cudaMalloc((void **)&p, 64));
	RT(cudaMallocHost((void **)&pinned, 64));
	RT(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	RT(cudaEventCreate(&begin));
	RT(cudaEventCreate(&end));
	RT(cudaMemset(p, 0xff, 64));
	RT(cudaDeviceSynchronize());
	CU(cuModuleLoad(&m, OPS));
	CU(cuModuleGetFunction(&f, m, "store"));
	RT(cudaEventRecord(begin, s));
	CU(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, a, NULL));
	RT(cudaMemcpyAsync(pinned, p, 16, cudaMemcpyDeviceToHost, s));
	RT(cudaLaunchHostFunc(s, called, &flag));
	RT(cudaEventRecord(end, s));
	RT(cudaEventSynchronize(end));
	RT(cudaStreamSynchronize(s));
	CHECK_EQ(pinned[0], 77);
	CHECK_EQ(pinned[1], ~0ULL);
	CHECK_EQ(flag, 1);
	RT(cudaEventElapsedTime(&ms, begin, end));
	CHECK(ms >= 0);
	RT(cudaMemcpy(&value, p, 8, cudaMemcpyDefault));
	CHECK_EQ(value, 77);
	RT(cudaStreamQuery(s));
	RT(cudaEventDestroy(begin));
	RT(cudaEventDestroy(end));
	RT(cudaStreamDestroy(s));
	RT(cudaFreeHost(pinned));
	RT(cudaFree(p));
}

static void failures_are_kept_and_told(void)
{
	int count = -1;
	void *p;

	RT(cudaGetDeviceCount(&count));
	CHECK(count > 0);
	CHECK_EQ(cudaSetDevice(1000), cudaErrorInvalidDevice);
	CHECK_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
	CHECK_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
	CHECK_EQ(cudaGetLastError(), cudaSuccess);
	CHECK_EQ(cudaMalloc(&p, 1ULL << 50), cudaErrorMemoryAllocation);
	CHECK_EQ(cudaMemcpy(&p, &p, 8, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
	CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	CHECK(strstr(cudaGetErrorString(cudaErrorMemoryAllocation), "memory"));
}

static void devices_have_properties(void)
{
	struct cudaDeviceProp p;
	int major = 0, version = 0, device = -1;
	size_t left, all;

	RT(cudaSetDevice(0));
	RT(cudaGetDevice(&device));
	CHECK_EQ(device, 0);
	RT(cudaGetDeviceProperties(&p, 0));
	RT(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	CHECK_EQ(p.major, major);
	CHECK(p.maxThreadsPerBlock >= 1 && p.multiProcessorCount >= 1 && p.totalGlobalMem && p.name[0]);
	RT(cudaMemGetInfo(&left, &all));
	CHECK(left && left <= all);
	RT(cudaDriverGetVersion(&version));
	CHECK_EQ(version, CUDA_VERSION);
	RT(cudaDeviceReset());
}

TAP_MAIN(TEST(memory_and_streams_are_the_drivers), TEST(failures_are_kept_and_told), TEST(devices_have_properties))
