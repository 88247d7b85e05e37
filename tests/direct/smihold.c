// SPDX-License-Identifier: MIT
/*
 * Holds what anpu-smi is to see: on each device 8 MiB and two streams; in the second one a task that fails, one that has
 * run, then one without an end. Prints "ready" and ends when its standard input does. With "fork" a child lives as long.
 */
#include <acl/acl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call) do { \
	if (call) { \
		printf("%s: %s\n", #call, aclGetRecentErrMsg()); \
		return 1; \
	} \
} while (0)

static int hold(int device)
{
	static aclrtStream streams[16][2];
	aclrtFuncHandle bad, busy;
	aclrtBinHandle bin;
	struct { void *from, *to; } args = { (void *)0x123400000000, NULL };
	void *p;

	CHECK(aclrtSetDevice(device));
	CHECK(aclrtMalloc(&p, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtCreateStream(&streams[device][0]));
	CHECK(aclrtCreateStream(&streams[device][1]));
	CHECK(aclrtBinaryLoadFromFile("build/operators/bad.o", NULL, &bin));
	CHECK(aclrtBinaryGetFunction(bin, "bad_read", &bad));
	CHECK(aclrtBinaryGetFunction(bin, "bad_endless", &busy));
	args.to = p;
	CHECK(aclrtLaunchKernelWithHostArgs(bad, 1, streams[device][1], NULL, &args, sizeof(args), NULL, 0));
	CHECK(!aclrtSynchronizeStream(streams[device][1]));
	CHECK(aclrtMemsetAsync(p, 4096, 1, 4096, streams[device][1]));
	CHECK(aclrtSynchronizeStream(streams[device][1]));
	CHECK(aclrtLaunchKernelWithHostArgs(busy, 1, streams[device][1], NULL, NULL, 0, NULL, 0));
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t devices;
	char c;

	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&devices));
	for (uint32_t i = 0; i < devices; i++)
		if (hold(i))
			return 1;
	if (argc > 1 && !strcmp(argv[1], "fork"))
		(void)fork();
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	_exit(0);
}
