// SPDX-License-Identifier: MIT
/*
 * A program whose operators are looked at in gdb. Each word of the command line is a step; behind each the program waits for the
 * stream and prints what it has got.
 *
 * usage: program STEP...
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <acl/acl.h>

#define N	8
#define FOLDER	"build/tests/diagnosis/gdb/"

static aclrtStream stream;
static float *tensor;

static aclrtFuncHandle kernel(const char *file, const char *name)
{
	static struct { const char *file; aclrtBinHandle bin; } loaded[8];
	aclrtFuncHandle f = NULL;
	char path[200];
	int i = 0;

	while (loaded[i].file && strcmp(loaded[i].file, file))
		i++;
	if (!loaded[i].file) {
		loaded[i].file = file;
		snprintf(path, sizeof(path), FOLDER "%s", file);
		if (aclrtBinaryLoadFromFile(path, NULL, &loaded[i].bin))
			printf("%s\n", aclGetRecentErrMsg());
	}
	if (aclrtBinaryGetFunction(loaded[i].bin, name, &f))
		printf("%s\n", aclGetRecentErrMsg());
	return f;
}

static void launch(const char *file, const char *name, unsigned int blocks, const void *args, size_t size)
{
	if (aclrtLaunchKernelWithHostArgs(kernel(file, name), blocks, stream, NULL, (void *)args, size, NULL, 0))
		printf("%s\n", aclGetRecentErrMsg());
}

static void threads(void)
{
	struct { void *x; } args = { tensor };
	dim3 one = { 1, 1, 1 }, block = { 8, 1, 1 };

	if (aclrtLaunchSIMTKernelWithHostArgs(kernel("threads.o", "turn"), one, block, 0, stream, NULL, &args, sizeof(args), NULL, 0))
		printf("%s\n", aclGetRecentErrMsg());
}

static void step(const char *name)
{
	struct { void *x; float v; uint32_t pad, n; } args = { tensor, 2, 0, N };
	struct { void *x; uint32_t n; } work = { tensor, 200000 };

	if (!strcmp(name, "scale"))
		launch("first.o", name, 2, &args, sizeof(args));
	if (!strcmp(name, "outside")) {
		args.n = 1 << 20;
		launch("first.o", "scale", 1, &args, sizeof(args));
	}
	if (!strcmp(name, "add"))
		launch("second.o", name, 1, &args, sizeof(args));
	if (!strcmp(name, "meet"))
		launch("first.o", name, 3, &args.x, sizeof(args.x));
	if (!strcmp(name, "work"))
		launch("first.o", name, 1, &work, sizeof(work));
	if (!strcmp(name, "endless"))
		launch("second.o", name, 1, &args.x, sizeof(args.x));
	if (!strcmp(name, "pair"))
		launch("second.o", name, 2, &args.x, sizeof(args.x));
	if (!strcmp(name, "parts"))
		launch("halves.o", name, 1, &args.x, sizeof(args.x));
	if (!strcmp(name, "turn"))
		threads();
	/* limits that a person in a debugger does not keep */
	if (!strcmp(name, "hurry"))
		aclrtSetOpExecuteTimeOutWithMs(300);
	if (!strcmp(name, "leave"))
		exit(7);
	if (!strcmp(name, "die"))
		raise(SIGKILL);
	if (!strcmp(name, "second"))
		sleep(1);
}

int main(int argc, char **argv)
{
	float host[N] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	aclError ret;

	setvbuf(stdout, NULL, _IOLBF, 0);
	aclInit(NULL);
	if (aclrtSetDevice(0) || aclrtCreateStream(&stream) || aclrtMalloc((void **)&tensor, 4096, ACL_MEM_MALLOC_HUGE_FIRST)) {
		printf("%s\n", aclGetRecentErrMsg());
		return 1;
	}
	aclrtMemcpy(tensor, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
	for (int i = 1; i < argc; i++) {
		step(argv[i]);
		ret = aclrtSynchronizeStream(stream);
		printf("%s: %d %s\n", argv[i], ret, ret ? aclGetRecentErrMsg() : "");
		aclrtMemcpy(host, sizeof(host), tensor, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
		for (int k = 0; k < N; k++)
			printf("%g%c", host[k], k + 1 < N ? ' ' : '\n');
	}
	aclFinalize();
	return 3;
}
