// SPDX-License-Identifier: MIT
/*
 * One kernel from both fronts: memory of AscendCL and a stream of the driver API, a launch by each, an event
 * of AscendCL between the two streams.
 */
#include <acl/acl.h>

#include "common.h"

#define N 512

#define ACL(call) do { \
	aclError code_ = (call); \
	if (code_ != ACL_SUCCESS) { \
		fprintf(stderr, "%s:%d: %s: %d: %s\n", __FILE__, __LINE__, #call, code_, aclGetRecentErrMsg()); \
		exit(EXIT_FAILURE); \
	} \
} while (0)

int main(int argc, char **argv)
{
	float ones[N], result[N];
	void *a, *b, *c;
	aclrtStream second;
	aclrtEvent done;
	CUstream first;
	CUfunction add;
	CUmodule module;
	int n = N, wrong = 0;

	(void)argc;
	add = begin(argv[0], "vector_add", &module);
	for (int i = 0; i < N; i++)
		ones[i] = 1;
	ACL(aclrtMalloc(&a, sizeof(ones), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMalloc(&b, sizeof(ones), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMalloc(&c, sizeof(ones), ACL_MEM_MALLOC_HUGE_FIRST));
	ACL(aclrtMemcpy(a, sizeof(ones), ones, sizeof(ones), ACL_MEMCPY_HOST_TO_DEVICE));
	CHECK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	ACL(aclrtCreateStream(&second));
	ACL(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
	/* b = a + a, by the driver API */
	CHECK(cuLaunchKernel(add, N / 128, 1, 1, 128, 1, 1, 0, first, (void *[]){ &a, &a, &b, &n }, NULL));
	ACL(aclrtRecordEvent(done, first));
	ACL(aclrtStreamWaitEvent(second, done));
	/* c = b + a, by AscendCL: a CUfunction is an aclrtFuncHandle */
	ACL(aclrtLaunchSIMTKernelWithArgsArray(add, (dim3){ N / 128, 1, 1 }, (dim3){ 128, 1, 1 }, 0, second, NULL,
					       (void *[]){ &b, &a, &c, &n }));
	ACL(aclrtSynchronizeStream(second));
	CHECK(cuMemcpyDtoH(result, (CUdeviceptr)c, sizeof(result)));
	for (int i = 0; i < N; i++)
		wrong += result[i] != 3;
	printf("1 + 1 by cuLaunchKernel(), + 1 by aclrtLaunchSIMTKernelWithArgsArray(): %g, %d wrong\n",
	       (double)result[0], wrong);
	return wrong != 0;
}
