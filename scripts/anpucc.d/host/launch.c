// SPDX-License-Identifier: MIT
/*
 * What clang calls for kernel<<<blocks, nullptr, stream>>>(...): a constructor registers the operator and
 * its kernels, which touches no device; a call loads the operator where it is first used and launches.
 * anpucc makes these functions local to the object that it writes.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <acl/acl.h>

#include "module.h"
#ifdef ANPU_CPU_MODE
#include <ascendc/cpu/calls.h>
#endif

struct kernel {
	struct kernel *next;
	const void *stub; /* the function that the host's code calls */
	struct anpu_module *module;
	size_t index;
};

/* What anpucc has embedded: the size, then the operator */
struct image {
	uint64_t size;
	uint64_t reserved;
	unsigned char bytes[];
};

struct wrapper {
	int magic, version;
	const struct image *image;
	void *unused;
};

struct grid {
	unsigned int x, y, z;
};

static struct kernel *kernels;
static struct anpu_module module = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const char **names;

static __thread unsigned int call_blocks;
static __thread void *call_stream;
static __thread int call_result;

void **__cudaRegisterFatBinary(const struct wrapper *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
int __cudaRegisterFunction(void **handle, const void *stub, char *function, const char *name, int limit,
			   void *tid, void *bid, void *bdim, void *gdim, int *wsize);
unsigned int __cudaPushCallConfiguration(unsigned int blocks, void *l2ctrl, void *stream);
int __cudaPopCallConfiguration(struct grid *blocks, struct grid *unused, size_t *size, void **stream);
int cudaLaunchKernel(const void *stub, struct grid grid, struct grid unused, void **args, size_t size,
		     void *stream);
int anpu_launched(void);

void **__cudaRegisterFatBinary(const struct wrapper *wrapper)
{
	module.image = wrapper->image->bytes;
	module.size = wrapper->image->size;
	return (void **)&module;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

/* Runs at exit. The binaries that an unloaded library has loaded are freed by the device's reset. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct kernel *k;

	(void)handle;
	while ((k = kernels)) {
		kernels = k->next;
		free(k);
	}
	free(names);
	names = NULL;
	module.names = NULL;
}

int __cudaRegisterFunction(void **handle, const void *stub, char *function, const char *name, int limit,
			   void *tid, void *bid, void *bdim, void *gdim, int *wsize)
{
	struct kernel *k = calloc(1, sizeof(*k));
	const char **more = realloc(names, (module.kernels + 1) * sizeof(*names));

	(void)handle, (void)function, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim;
	(void)wsize;
	if (more)
		names = more;
	if (!k || !more) {
		fprintf(stderr, "anpu: no memory to remember kernel '%s'\n", name);
		abort();
	}
	names[module.kernels] = name;
	module.names = names;
	*k = (struct kernel){ kernels, stub, &module, module.kernels++ };
	kernels = k;
	return 0;
}

unsigned int __cudaPushCallConfiguration(unsigned int blocks, void *l2ctrl, void *stream)
{
	(void)l2ctrl;
	call_blocks = blocks;
	call_stream = stream;
	return 0;
}

int __cudaPopCallConfiguration(struct grid *blocks, struct grid *unused, size_t *size, void **stream)
{
	*blocks = (struct grid){ call_blocks, 1, 1 };
	*unused = (struct grid){ 1, 1, 1 };
	*size = 0;
	*stream = call_stream;
	/* a call without <<<>>>, as ICPU_RUN_KF() makes, has no configuration */
	call_blocks = 0;
	call_stream = NULL;
	return 0;
}

static aclError launch(const void *stub, unsigned int blocks, void **args, void *stream,
		       const char **name)
{
	const struct kernel *k;
	aclrtFuncHandle func;
	aclError err;

	for (k = kernels; k && k->stub != stub; k = k->next)
		;
	if (!k)
		return ACL_ERROR_RT_PARAM_INVALID;
	*name = k->module->names[k->index];
#ifdef ANPU_CPU_MODE
	/* a call by ICPU_RUN_KF(), which has told libtikicpulib the number of blocks */
	if (!blocks) {
		anpu_cpu_launch(k->module->image, k->module->size, *name, args);
		return ACL_SUCCESS;
	}
#endif
	err = anpu_module_find(k->module, k->index, &func);
	return err ? err : aclrtLaunchKernelWithArgsArray(func, blocks, stream, NULL, args);
}

int anpu_launched(void)
{
	return call_result;
}

/* Few programs look at the result, so a failure is also printed. */
int cudaLaunchKernel(const void *stub, struct grid grid, struct grid unused, void **args, size_t size,
		     void *stream)
{
	const char *name = "(no kernel of this file)";
	aclError err = launch(stub, grid.x, args, stream, &name);

	(void)unused, (void)size;
	if (err)
		fprintf(stderr, "anpu: launching %s<<<%u>>> failed with %d\n", name, grid.x, err);
	call_result = err;
	return err;
}
