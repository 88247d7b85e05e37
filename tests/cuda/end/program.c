// SPDX-License-Identifier: MIT
/*
 * Lets two copies of a library call libcuda at the end of the process: program LIBRARY LIBCUDA LIBRARY. One is loaded
 * before libcuda and one behind it, so that with every C library the destructor of one runs behind that of libcuda.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *load(const char *file)
{
	void *lib = dlopen(file, RTLD_NOW);

	if (!lib) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return lib;
}

typedef int init_fn(unsigned int);
typedef int count_fn(int *);

static void tell(void *lib, init_fn *init, count_fn *count)
{
	void (*late_calls)(init_fn *, count_fn *) = dlsym(lib, "late_calls");

	late_calls(init, count);
}

int main(int argc, char **argv)
{
	void *before = load(argv[argc - 3]), *cuda = load(argv[argc - 2]), *behind = load(argv[argc - 1]);
	init_fn *init = dlsym(cuda, "cuInit");
	count_fn *count = dlsym(cuda, "cuDeviceGetCount");
	int n = 0;

	printf("cuInit %d, ", init(0));
	printf("cuDeviceGetCount %d\n", count(&n));
	tell(before, init, count);
	tell(behind, init, count);
	return 0;
}
