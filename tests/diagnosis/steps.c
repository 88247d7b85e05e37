// SPDX-License-Identifier: MIT
/*
 * A right program of four steps, each of an operator and a copy that the device makes: what it prints shows what a fault
 * that was injected has changed.
 *
 * usage: steps [pause]	with "pause" it prints "ready" and waits for a line before each step
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>

#define N 256

static const char *text(void)
{
	const char *message = aclGetRecentErrMsg();

	return message ? message : "";
}

static void *allocate(bool host)
{
	void *p = NULL;
	aclError ret = host ? aclrtMallocHost(&p, N * 4) : aclrtMalloc(&p, N * 4, ACL_MEM_MALLOC_HUGE_FIRST);

	printf("allocation: %d %s\n", ret, ret ? text() : "");
	if (ret)
		exit(0);
	return p;
}

static int wrong(const float *v, float want)
{
	int n = 0;

	for (int i = 0; i < N; i++)
		n += v[i] != want;
	return n;
}

int main(int argc, char **argv)
{
	struct { void *out; float value; uint32_t pad; uint64_t n; } args = { .n = N };
	aclrtBinHandle bin;
	aclrtFuncHandle fill;
	aclrtStream stream;
	float *host;
	bool pause = argc > 1 && !strcmp(argv[1], "pause");
	char line[8];

	aclInit(NULL);
	if (aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
	    aclrtBinaryLoadFromFile("build/tests/diagnosis/kernels.o", NULL, &bin) ||
	    aclrtBinaryGetFunction(bin, "fill", &fill))
		return 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	args.out = allocate(false);
	host = allocate(true);
	memset(host, 0, N * 4);
	aclrtSetOpExecuteTimeOutWithMs(500);
	for (int i = 1; i <= 4; i++) {
		aclError ret;

		if (pause) {
			printf("ready\n");
			if (!fgets(line, sizeof(line), stdin))
				return 2;
		}
		args.value = (float)i;
		ret = aclrtLaunchKernelWithHostArgs(fill, 1, stream, NULL, &args, sizeof(args), NULL, 0);
		if (!ret)
			ret = aclrtMemcpyAsync(host, N * 4, args.out, N * 4, ACL_MEMCPY_DEVICE_TO_HOST, stream);
		if (!ret)
			ret = aclrtSynchronizeStreamWithTimeout(stream, 5000);
		printf("step %d: %d, %d wrong. %s\n", i, ret, wrong(host, (float)i), ret ? text() : "");
	}
	return 0;
}
