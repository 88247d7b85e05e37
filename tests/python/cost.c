// SPDX-License-Identifier: MIT
/* Loops of calls from C for cost.py: nanoseconds of one call. */
#include <time.h>

#include <acl/acl.h>

double cost_get_device(int count);
double cost_memcpy(int count, void *dst, void *src);
double cost_launch(int count, void *kernel, void *args, void *stream);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

double cost_get_device(int count)
{
	double start = now();
	int32_t device;
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtGetDevice(&device);
	return (now() - start) / count;
}

double cost_memcpy(int count, void *dst, void *src)
{
	double start = now();
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtMemcpy(dst, 4096, src, 4096, ACL_MEMCPY_HOST_TO_DEVICE);
	return (now() - start) / count;
}

double cost_launch(int count, void *kernel, void *args, void *stream)
{
	double start = now();
	int i;

	for (i = 0; i < count; i++)
		(void)aclrtLaunchKernel(kernel, 1, args, 8, stream);
	return (now() - start) / count;
}
