// SPDX-License-Identifier: MIT
/* A library whose destructor calls libcuda, which may have ended. */
#include <stdio.h>

static int (*init)(unsigned int);
static int (*count)(int *);

void late_calls(int (*of_init)(unsigned int), int (*of_count)(int *))
{
	init = of_init;
	count = of_count;
}

__attribute__((destructor)) static void end(void)
{
	int n = 0;

	if (init)
		printf("at the end: cuInit %d, cuDeviceGetCount %d\n", init(0), count(&n));
}
