// SPDX-License-Identifier: MIT
/*
 * Libraries: images that belong to no context, and their kernels. A library has a module in each context in which one
 * of its kernels was used.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"
#include "cuda/module/module.h"
#include "cuda/graph/graph.h"

#define META ANPU_META_PREFIX /* and a kernel's name: the section with its record */

struct cu_library {
	struct cu_rec rec;
	void *image;
	size_t size;
	char *name; /* of its file, or NULL */
	pthread_mutex_t lock; /* while a module is made */
};

struct cu_kernel {
	struct cu_rec rec;
	uint64_t library;
	char *name;
};

/* table.c */
extern const size_t cu_record_size[CU_TYPES];
const size_t cu_record_size[CU_TYPES] = {
	[CU_CTX] = sizeof(struct cu_ctx),	[CU_STREAM] = sizeof(struct cu_stream),
	[CU_FUNC] = sizeof(struct cu_func),	[CU_MODULE] = sizeof(struct cu_module),
	[CU_LIBRARY] = sizeof(struct cu_library), [CU_KERNEL] = sizeof(struct cu_kernel),
	[CU_GRAPH] = sizeof(struct cu_graph),	[CU_EXEC] = sizeof(struct cu_exec),
	[CU_NODE] = sizeof(struct cu_node),	[CU_LINK] = sizeof(struct cu_link),
	[CU_OBJECT] = sizeof(struct cu_object),
};

static CUresult find_library(CUlibrary handle, struct cu_library **out)
{
	*out = cu_find(CU_LIBRARY, handle);
	return *out ? CUDA_SUCCESS
		    : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no library, or one that has ended", (void *)handle);
}

static CUresult find_kernel(CUkernel handle, struct cu_kernel **out)
{
	*out = cu_find(CU_KERNEL, handle);
	return *out ? CUDA_SUCCESS
		    : cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no kernel, or one whose library has ended",
			      (void *)handle);
}

static CUresult add_library(CUlibrary *library, void *image, size_t size, const char *name)
{
	struct cu_library *l = cu_add(CU_LIBRARY, NULL);

	if (!l) {
		free(image);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a library");
	}
	l->image = image;
	l->size = size;
	l->name = name ? strdup(name) : NULL; /* without memory for it sentences say "the image in memory" */
	pthread_mutex_init(&l->lock, NULL);
	*library = cu_handle(l);
	return CUDA_SUCCESS;
}

static CUresult check_options(CUlibraryOption *options, unsigned int n)
{
	unsigned int i;

	if (n && !options)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "libraryOptions is NULL and there are %u", n);
	for (i = 0; i < n; i++)
		if ((unsigned int)options[i] >= CU_LIBRARY_NUM_OPTIONS)
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "library option %u is %d, which is none", i,
				       (int)options[i]);
	return CUDA_SUCCESS;
}

static CUresult load_data(CUlibrary *library, const void *code)
{
	struct cu_image text;
	size_t size = 0;
	void *image;
	CUresult ret = cu_text_image(code, SIZE_MAX, &text);

	if (!ret && text.data)
		return add_library(library, text.data, text.size, NULL);
	if (!ret)
		ret = cu_image_size(code, &size);
	if (ret)
		return ret;
	image = malloc(size);
	if (!image)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the %zu bytes of the image", size);
	memcpy(image, code, size);
	return add_library(library, image, size, NULL);
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
			   unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
			   unsigned int numLibraryOptions)
{
	struct cu_jit jit;
	CUresult ret;

	(void)libraryOptionValues; /* the image is always copied */
	CU_ENTER();
	CU_CHECK_PTR(library);
	CU_CHECK_PTR(code);
	ret = cu_jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
	if (!ret)
		ret = check_options(libraryOptions, numLibraryOptions);
	return ret ? ret : cu_jit_end(&jit, load_data(library, code));
}

static CUresult load_file(CUlibrary *library, const char *path)
{
	size_t size = 0, inside = 0;
	void *image = NULL;
	CUresult ret = cu_read_file(path, &image, &size);

	if (ret)
		return ret;
	if (size < sizeof(Elf64_Ehdr) || memcmp(image, ELFMAG, SELFMAG))
		ret = cu_image_size(image, &inside);
	if (ret) {
		free(image);
		return ret;
	}
	return add_library(library, image, size, path);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
			       void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
			       void **libraryOptionValues, unsigned int numLibraryOptions)
{
	struct cu_jit jit;
	CUresult ret;

	(void)libraryOptionValues;
	CU_ENTER();
	CU_CHECK_PTR(library);
	CU_CHECK_PTR(fileName);
	ret = cu_jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
	if (!ret)
		ret = check_options(libraryOptions, numLibraryOptions);
	return ret ? ret : cu_jit_end(&jit, load_file(library, fileName));
}

static void end_module_of(void *record, void *arg)
{
	struct cu_module *m = record;

	if (m->library == *(uint64_t *)arg)
		cu_module_end(m);
}

static void end_kernel_of(void *record, void *arg)
{
	struct cu_kernel *k = record;

	if (k->library != *(uint64_t *)arg)
		return;
	free(k->name);
	k->name = NULL;
	cu_drop(k);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	struct cu_library *l;
	uint64_t key;
	CUresult ret;

	CU_ENTER();
	ret = find_library(library, &l);
	if (ret)
		return ret;
	key = l->rec.key;
	cu_each(CU_MODULE, end_module_of, &key);
	cu_each(CU_KERNEL, end_kernel_of, &key);
	free(l->image);
	free(l->name);
	l->image = NULL;
	l->name = NULL;
	pthread_mutex_destroy(&l->lock);
	cu_drop(l);
	return CUDA_SUCCESS;
}

/* The name of section @i of the image; NULL: there are not so many, or it leaves the image */
static const char *section_name(const struct cu_library *l, unsigned int i)
{
	const char *base = l->image, *name;
	const Elf64_Ehdr *e = l->image;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(base + e->e_shoff);

	if (l->size < sizeof(*e) || e->e_shentsize != sizeof(*s) || e->e_shstrndx >= e->e_shnum || e->e_shoff > l->size ||
	    e->e_shnum > (l->size - e->e_shoff) / sizeof(*s) || i >= e->e_shnum || s[e->e_shstrndx].sh_offset >= l->size)
		return NULL;
	name = base + s[e->e_shstrndx].sh_offset + s[i].sh_name;
	return name < base + l->size && memchr(name, 0, (size_t)(base + l->size - name)) ? name : NULL;
}

/* The name of a kernel whose record is section @i of the image; NULL: the section is another one, or the image ends */
static const char *kernel_name(const struct cu_library *l, unsigned int i, bool *more)
{
	const char *section = section_name(l, i);

	*more = section != NULL;
	return section && !strncmp(section, META, sizeof(META) - 1) ? section + sizeof(META) - 1 : NULL;
}

/* Has the image variables that the program reaches, too */
static bool has_managed(const struct cu_library *l)
{
	const char *section;
	unsigned int i;

	for (i = 0; (section = section_name(l, i)); i++)
		if (!strcmp(section, ANPU_MANAGED_SECTION))
			return true;
	return false;
}

struct wanted {
	uint64_t library, ctx;
	struct cu_module *found; /* of the context */
	struct cu_module *other; /* of another one */
};

static void match_module(void *record, void *arg)
{
	struct cu_module *m = record;
	struct wanted *w = arg;

	if (m->library == w->library)
		*(m->ctx == w->ctx ? &w->found : &w->other) = m;
}

/* The library's module in the current context, which it gets now if it has none */
static CUresult module_of(struct cu_library *l, struct cu_module **out)
{
	struct wanted w = { .library = l->rec.key };
	struct cu_ctx *ctx;
	CUresult ret = cu_current(&ctx);

	if (ret)
		return ret;
	w.ctx = ctx->rec.key;
	pthread_mutex_lock(&l->lock);
	cu_each(CU_MODULE, match_module, &w);
	if (!w.found && w.other && has_managed(l))
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the library has __managed__ variables, which lie in the memory of the context "
							"that has used it first: use it there, or load a module for this context");
	else if (!w.found)
		ret = cu_module_load(ctx, l->image, l->size, l->name, &w.found);
	if (!ret)
		w.found->library = l->rec.key;
	pthread_mutex_unlock(&l->lock);
	*out = w.found;
	return ret;
}

struct name_of {
	uint64_t library;
	const char *name;
	struct cu_kernel *found;
};

static void match_kernel(void *record, void *arg)
{
	struct cu_kernel *k = record;
	struct name_of *w = arg;

	if (k->library == w->library && k->name && !strcmp(k->name, w->name))
		w->found = k;
}

static bool has_kernel(const struct cu_library *l, const char *name)
{
	const char *found;
	unsigned int i;
	bool more = true;

	for (i = 0; more; i++) {
		found = kernel_name(l, i, &more);
		if (found && !strcmp(found, name))
			return true;
	}
	return false;
}

/* The library's kernel of a name, which it has */
static CUresult kernel_of(struct cu_library *l, const char *name, CUkernel *out)
{
	struct name_of w = { .library = l->rec.key, .name = name };

	pthread_mutex_lock(&l->lock);
	cu_each(CU_KERNEL, match_kernel, &w);
	if (!w.found) {
		w.found = cu_add(CU_KERNEL, NULL);
		if (w.found) {
			w.found->library = l->rec.key;
			w.found->name = strdup(name);
		}
	}
	pthread_mutex_unlock(&l->lock);
	if (!w.found || !w.found->name)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a kernel");
	*out = cu_handle(w.found);
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
	struct cu_library *l;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pKernel);
	CU_CHECK_PTR(name);
	ret = find_library(library, &l);
	if (!ret && !has_kernel(l, name))
		ret = cu_fail(CUDA_ERROR_NOT_FOUND, "the library has no kernel '%s'", name);
	return ret ? ret : kernel_of(l, name, pKernel);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
	struct cu_library *l;
	unsigned int i;
	bool more = true;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(count);
	ret = find_library(lib, &l);
	if (ret)
		return ret;
	*count = 0;
	for (i = 0; more; i++)
		*count += kernel_name(l, i, &more) != NULL;
	return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
	unsigned int i, n = 0;
	struct cu_library *l;
	const char *name;
	bool more = true;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(kernels);
	ret = find_library(lib, &l);
	for (i = 0; more && n < numKernels && !ret; i++) {
		name = kernel_name(l, i, &more);
		if (name)
			ret = kernel_of(l, name, &kernels[n++]);
	}
	return ret;
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
	struct cu_module *m = NULL;
	struct cu_library *l;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pMod);
	ret = find_library(library, &l);
	if (!ret)
		ret = module_of(l, &m);
	if (!ret)
		*pMod = cu_handle(m);
	return ret;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
	struct cu_module *m = NULL;
	struct cu_library *l;
	CUresult ret;

	CU_ENTER();
	ret = find_library(library, &l);
	if (!ret)
		ret = module_of(l, &m);
	return ret ? ret : cuModuleGetGlobal(dptr, bytes, cu_handle(m), name);
}

/* The library's module of any context */
static CUresult any_module_of(struct cu_library *l, struct cu_module **out)
{
	struct wanted w = { .library = l->rec.key };

	pthread_mutex_lock(&l->lock);
	cu_each(CU_MODULE, match_module, &w);
	pthread_mutex_unlock(&l->lock);
	*out = w.other;
	return w.other ? CUDA_SUCCESS : module_of(l, out);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
	struct cu_module *m = NULL;
	struct cu_library *l;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(name);
	ret = find_library(library, &l);
	if (!ret && !has_managed(l))
		ret = cu_fail(CUDA_ERROR_NOT_FOUND, "the library has no __managed__ variable");
	if (!ret)
		ret = any_module_of(l, &m);
	return ret ? ret : cu_module_managed(m, dptr, bytes, name);
}

CUresult cu_kernel_function(CUkernel kernel, CUfunction *out)
{
	struct cu_module *m = NULL;
	struct cu_library *l;
	struct cu_kernel *k;
	CUresult ret = find_kernel(kernel, &k);

	if (!ret)
		ret = find_library(CU_PTR(k->library), &l);
	if (!ret)
		ret = module_of(l, &m);
	return ret ? ret : cu_module_function(m, k->name, out);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	CU_ENTER();
	CU_CHECK_PTR(pFunc);
	return cu_kernel_function(kernel, pFunc);
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
	struct cu_kernel *k;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(name);
	ret = find_kernel(hfunc, &k);
	if (!ret)
		*name = k->name;
	return ret;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
	struct cu_kernel *k;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pLib);
	ret = find_kernel(kernel, &k);
	if (!ret)
		*pLib = CU_PTR(k->library);
	return ret;
}

/* The kernel's function on a device: in the current context, which must be of that */
static CUresult function_on(CUkernel kernel, CUdevice dev, struct cu_func **f)
{
	CUfunction func = NULL;
	struct cu_ctx *ctx;
	CUresult ret = cu_check_device(dev);

	if (!ret)
		ret = cu_current(&ctx);
	if (!ret && ctx->dev != dev)
		ret = cu_fail(CUDA_ERROR_INVALID_DEVICE,
			      "dev is %d and the current context is of device %d: make one of that device current", dev,
			      ctx->dev);
	if (!ret)
		ret = cu_kernel_function(kernel, &func);
	return ret ? ret : cu_func_get(func, f);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pi);
	ret = function_on(kernel, dev, &f);
	return ret ? ret : cu_func_attribute(f, attrib, pi);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	ret = function_on(kernel, dev, &f);
	return ret ? ret : cu_func_set(f, attrib, val);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
	CUfunction func = NULL;
	CUresult ret;

	CU_ENTER();
	ret = cu_kernel_function(kernel, &func);
	return ret ? ret : cuFuncGetParamInfo(func, paramIndex, paramOffset, paramSize);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
	struct cu_func *f;
	CUresult ret;

	CU_ENTER();
	ret = function_on(kernel, dev, &f);
	return ret ? ret : cuFuncSetCacheConfig(cu_handle(f), config);
}
