// SPDX-License-Identifier: MIT
/*
 * Float sums in three streams whose last bits tell the order of the blocks that added to them.
 * usage: deterministic OPERATORS
 */
#include <acl/acl.h>
#include <stdio.h>

#define N	3000
#define OK(call) do {									\
	int ret_ = (call);								\
	if (ret_) {									\
		fprintf(stderr, "%s: %d %s\n", #call, ret_, aclGetRecentErrMsg());	\
		return 1;								\
	}										\
} while (0)

struct args {
	void *in, *sum;
	uint64_t n;
};

int main(int argc, char **argv)
{
	static float in[N], sum[16];
	struct args a = { .n = N };
	aclrtBinHandle bin;
	aclrtFuncHandle f;
	aclrtStream s[3];

	if (argc != 2)
		return 2;
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	for (int i = 0; i < N; i++)
		in[i] = (float)(i * 2654435761U % 100003) * 1e-3f;
	OK(aclrtMalloc(&a.in, sizeof(in), ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&a.sum, sizeof(sum), ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(a.in, sizeof(in), in, sizeof(in), ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemset(a.sum, sizeof(sum), 0, sizeof(sum)));
	OK(aclrtBinaryLoadFromFile(argv[1], NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "float_sum", &f));
	for (int i = 0; i < 3; i++) {
		struct args b = a;

		b.sum = (char *)a.sum + 4 * i;
		OK(aclrtCreateStream(&s[i]));
		OK(aclrtLaunchKernelWithHostArgs(f, 37, s[i], NULL, &b, sizeof(b), NULL, 0));
		OK(aclrtLaunchKernelWithHostArgs(f, 11 + i, s[i], NULL, &b, sizeof(b), NULL, 0));
	}
	for (int i = 0; i < 3; i++)
		OK(aclrtSynchronizeStream(s[i]));
	OK(aclrtMemcpy(sum, sizeof(sum), a.sum, sizeof(sum), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("sums %a %a %a\n", (double)sum[0], (double)sum[1], (double)sum[2]);
	return aclFinalize();
}
