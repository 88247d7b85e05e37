/* SPDX-License-Identifier: MIT */
/*
 * Argument lists: values are appended in the order of the kernel's parameters. A placeholder is a
 * pointer to data that travels with the arguments, so that small tables need no copy of their own.
 */
#include "sample.h"

enum { N = 16 };

static void show(const char *what, const float *device_y)
{
	float y[N];

	CHECK(aclrtSynchronizeStream(NULL));
	CHECK(aclrtMemcpy(y, sizeof(y), device_y, sizeof(y), ACL_MEMCPY_DEVICE_TO_HOST));
	printf("%s:", what);
	for (int i = 0; i < 5; i++)
		printf(" %g", (double)y[i]);
	printf("\n");
}

static void append_all(aclrtArgsHandle args, void *x, void *y, aclrtParamHandle *table,
		       aclrtParamHandle *degree)
{
	uint32_t two = 2, n = N;
	aclrtParamHandle unused;

	CHECK(aclrtKernelArgsAppend(args, &x, sizeof(x), &unused));
	CHECK(aclrtKernelArgsAppend(args, &y, sizeof(y), &unused));
	CHECK(aclrtKernelArgsAppendPlaceHolder(args, table));
	CHECK(aclrtKernelArgsAppend(args, &two, sizeof(two), degree));
	CHECK(aclrtKernelArgsAppend(args, &n, sizeof(n), &unused));
}

/* The runtime's memory: one list per thread, which the next aclrtKernelArgsInit() reuses */
static void in_the_runtimes_memory(aclrtFuncHandle function, void *x, void *y)
{
	aclrtParamHandle table, degree;
	aclrtArgsHandle args;
	uint32_t one = 1;
	float *c;

	CHECK(aclrtKernelArgsInit(function, &args));
	append_all(args, x, y, &table, &degree);
	CHECK(aclrtKernelArgsGetPlaceHolderBuffer(args, table, 3 * sizeof(*c), (void **)&c));
	c[0] = 1;
	c[1] = 2;
	c[2] = 3;
	CHECK(aclrtKernelArgsFinalize(args));
	CHECK(aclrtLaunchKernelWithConfig(function, 2, NULL, NULL, args, NULL));
	show("1 + 2x + 3x^2", y);

	/* A value may be changed; the list has to be finalised again then */
	CHECK(aclrtKernelArgsParaUpdate(args, degree, &one, sizeof(one)));
	CHECK(aclrtKernelArgsFinalize(args));
	CHECK(aclrtLaunchKernelWithConfig(function, 2, NULL, NULL, args, NULL));
	show("1 + 2x", y);
}

/* The program's memory: as many lists at a time as it likes */
static void in_own_memory(aclrtFuncHandle function, void *x, void *y)
{
	/* five parameters, each rounded up to 8 bytes, and the placeholder's data */
	size_t wanted = 5 * 8 + 3 * sizeof(float), handle_size, size;
	aclrtParamHandle table, degree;
	aclrtArgsHandle args;
	void *memory;
	float *c;

	CHECK(aclrtKernelArgsGetHandleMemSize(function, &handle_size));
	CHECK(aclrtKernelArgsGetMemSize(function, wanted, &size));
	args = malloc(handle_size);
	memory = malloc(size);
	if (!args || !memory)
		exit(EXIT_FAILURE);
	CHECK(aclrtKernelArgsInitByUserMem(function, args, memory, size));
	append_all(args, x, y, &table, &degree);
	CHECK(aclrtKernelArgsGetPlaceHolderBuffer(args, table, 3 * sizeof(*c), (void **)&c));
	c[0] = 0;
	c[1] = 0;
	c[2] = 1;
	CHECK(aclrtKernelArgsFinalize(args));
	CHECK(aclrtLaunchKernelWithConfig(function, 2, NULL, NULL, args, NULL));
	free(memory); /* the launch has copied everything */
	free(args);
	show("x^2", y);
}

int main(int argc, char **argv)
{
	aclrtFuncHandle function;
	aclrtBinHandle binary;
	float host[N];
	void *x, *y;

	(void)argc;
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	binary = sample_load(argv[0], "arguments");
	function = sample_function(binary, "polynomial");
	x = sample_device_memory(sizeof(host));
	y = sample_device_memory(sizeof(host));
	for (int i = 0; i < N; i++)
		host[i] = (float)i;
	CHECK(aclrtMemcpy(x, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));

	in_the_runtimes_memory(function, x, y);
	in_own_memory(function, x, y);

	CHECK(aclrtFree(y));
	CHECK(aclrtFree(x));
	CHECK(aclrtBinaryUnLoad(binary));
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
	return 0;
}
