// SPDX-License-Identifier: MIT
/* Modules: images that anpucc has linked, on the device of a context. A CUmodule is an aclrtBinHandle. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/context/context.h"
#include "cuda/memory/memory.h"
#include "cuda/module/module.h"

#define FAT_MAGIC	0xba55ed50u /* what other compilers put images into */
#define FAT_WRAPPER	0x466243b1u

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

CUresult cu_image_size(const void *image, size_t *size)
{
	const Elf64_Ehdr *e = image;
	uint64_t end;
	uint32_t magic;
	unsigned int i;

	memcpy(&magic, image, sizeof(magic));
	if (magic == FAT_MAGIC || magic == FAT_WRAPPER)
		return cu_fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
			       "the image is a fat binary for other devices: compile its kernels with anpucc");
	if (memcmp(image, ELFMAG, SELFMAG)) {
		if (!strncmp(image, ".version", 8) || !strncmp(image, "//", 2))
			return cu_fail(CUDA_ERROR_INVALID_PTX,
				       "the image is PTX, and there is no compiler for it at run time: compile the "
				       "kernels with anpucc");
		return cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image does not begin as an ELF file: compile the kernels "
							 "with anpucc");
	}
	if (e->e_ident[EI_CLASS] != ELFCLASS64)
		return cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image is no ELF file of 64 bits");
	end = most(sizeof(*e), e->e_shoff + (uint64_t)e->e_shnum * e->e_shentsize);
	end = most(end, e->e_phoff + (uint64_t)e->e_phnum * e->e_phentsize);
	for (i = 0; i < e->e_phnum && e->e_phentsize == sizeof(Elf64_Phdr); i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)((const char *)image + e->e_phoff) + i;

		end = most(end, p->p_offset + p->p_filesz);
	}
	for (i = 0; i < e->e_shnum && e->e_shentsize == sizeof(Elf64_Shdr); i++) {
		const Elf64_Shdr *s = (const Elf64_Shdr *)((const char *)image + e->e_shoff) + i;

		if (s->sh_type != SHT_NOBITS)
			end = most(end, s->sh_offset + s->sh_size);
	}
	*size = end;
	return CUDA_SUCCESS;
}

CUresult cu_image_inside(const void *image, size_t room, size_t *size)
{
	const Elf64_Ehdr *e = image;
	CUresult ret = CUDA_SUCCESS;
	uint64_t heads;

	if (!memcmp(image, ELFMAG, SELFMAG)) {
		heads = most((uint64_t)e->e_shnum * e->e_shentsize, (uint64_t)e->e_phnum * e->e_phentsize);
		if (room < sizeof(*e) || room < heads || most(e->e_shoff, e->e_phoff) > room - heads)
			return cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image has %zu bytes, and its headers are not in them", room);
	}
	ret = cu_image_size(image, size);
	if (!ret && *size > room)
		ret = cu_fail(CUDA_ERROR_INVALID_IMAGE, "the image has %zu bytes, and its headers tell of %zu", room, *size);
	return ret;
}

/* Replaces text that stands for an image; behind it are zeros */
static CUresult of_text(void **data, size_t *size)
{
	struct cu_image text;
	CUresult ret = cu_text_image(*data, SIZE_MAX, &text);

	if (ret || !text.data)
		return ret;
	free(*data);
	*data = text.data;
	*size = text.size;
	return CUDA_SUCCESS;
}

CUresult cu_read_file(const char *path, void **data, size_t *size)
{
	FILE *f = fopen(path, "re");
	long end = -1;
	CUresult ret = CUDA_SUCCESS;

	if (!f)
		return cu_fail(CUDA_ERROR_FILE_NOT_FOUND, "'%s' cannot be opened: %s", path, strerror(errno));
	if (!fseek(f, 0, SEEK_END))
		end = ftell(f);
	rewind(f);
	/* what looks at its beginning may always read a header there */
	*data = end >= 0 ? calloc(1, (size_t)end + sizeof(Elf64_Ehdr)) : NULL;
	if (end < 0)
		ret = cu_fail(CUDA_ERROR_FILE_NOT_FOUND, "'%s' cannot be read", path);
	else if (!*data)
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the %ld bytes of '%s'", end, path);
	else if (fread(*data, 1, (size_t)end, f) != (size_t)end)
		ret = cu_fail(CUDA_ERROR_INVALID_IMAGE, "'%s' cannot be read", path);
	fclose(f);
	*size = (size_t)end;
	if (!ret)
		ret = of_text(data, size);
	if (ret && end >= 0)
		free(*data);
	return ret;
}

CUresult cu_module_load(struct cu_ctx *ctx, const void *image, size_t size, const char *name, struct cu_module **out)
{
	aclrtBinHandle bin = NULL;
	CUresult ret = cu_code(anpu_front_binary(image, size, name ? name : "the image in memory", &bin));

	if (ret)
		return ret == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_INVALID_IMAGE : ret;
	ret = cu_heap_tell(ctx, bin, image, size);
	if (ret) {
		(void)aclrtBinaryUnLoad(bin);
		return ret;
	}
	*out = cu_add(CU_MODULE, bin);
	if (!*out) {
		(void)aclrtBinaryUnLoad(bin);
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a module");
	}
	(*out)->ctx = ctx->rec.key;
	return CUDA_SUCCESS;
}

static void forget_function(void *record, void *arg)
{
	struct cu_func *f = record;

	if (f->module != *(uint64_t *)arg)
		return;
	free(f->name);
	free(f->kept);
	f->name = NULL;
	f->kept = NULL;
	cu_drop(f);
}

void cu_module_end(struct cu_module *m)
{
	uint64_t before = anpu_front_context(), key = m->rec.key;

	cu_each(CU_FUNC, forget_function, &key);
	anpu_front_set_context(m->ctx);
	/* with its context it has ended already */
	(void)aclrtBinaryUnLoad(CU_PTR(key));
	anpu_front_set_context(before);
	cu_drop(m);
}

static CUresult load_data(struct cu_ctx *ctx, CUmodule *module, const void *image)
{
	struct cu_image text;
	struct cu_module *m;
	size_t size = 0;
	CUresult ret = cu_text_image(image, SIZE_MAX, &text);

	if (!ret && text.data)
		ret = cu_image_inside(text.data, text.size, &size);
	else if (!ret)
		ret = cu_image_size(image, &size);
	if (!ret)
		ret = cu_module_load(ctx, text.data ? text.data : image, size, NULL, &m);
	if (!ret)
		*module = cu_handle(m);
	free(text.data);
	return ret;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
	struct cu_module *m;
	void *data = NULL;
	size_t size = 0, inside = 0;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(module);
	CU_CHECK_PTR(fname);
	ret = cu_read_file(fname, &data, &size);
	if (ret)
		return ret;
	if (size >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG))
		inside = size; /* libacl looks at the rest */
	else
		ret = cu_image_size(data, &inside);
	if (!ret)
		ret = cu_module_load(ctx, data, size, fname, &m);
	if (!ret)
		*module = cu_handle(m);
	free(data);
	return ret;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(module);
	CU_CHECK_PTR(image);
	return load_data(ctx, module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
			    void **optionValues)
{
	struct cu_jit jit;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(module);
	CU_CHECK_PTR(image);
	ret = cu_jit_begin(&jit, numOptions, options, optionValues);
	return ret ? ret : cu_jit_end(&jit, load_data(ctx, module, image));
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(module);
	CU_CHECK_PTR(fatCubin);
	return load_data(ctx, module, fatCubin);
}

CUresult cuModuleUnload(CUmodule hmod)
{
	struct cu_module *m;
	struct cu_ctx *ctx;
	CUresult ret;

	CU_ENTER();
	m = cu_find(CU_MODULE, hmod);
	if (m && !anpu_front_context())
		cu_use_context(m->ctx);
	ret = cu_current(&ctx);
	if (ret)
		return ret;
	if (!m)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no module, or one that has ended", (void *)hmod);
	if (m->library)
		return cu_fail(CUDA_ERROR_NOT_PERMITTED, "the module belongs to a library: unload that");
	/* kernels of it that run end first */
	ret = cu_await_work();
	cu_module_end(m);
	return ret;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	CU_ENTER();
	CU_CHECK_PTR(mode);
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
	struct cu_module *m;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(hfunc);
	CU_CHECK_PTR(name);
	m = cu_find(CU_MODULE, hmod);
	if (!m)
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no module, or one that has ended", (void *)hmod);
	return cu_module_function(m, name, hfunc);
}

static CUresult count(CUmodule hmod, unsigned int *n)
{
	char name[8];

	if (!cu_find(CU_MODULE, hmod))
		return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no module, or one that has ended", (void *)hmod);
	for (*n = 0; !anpu_front_kernel(hmod, *n, name, sizeof(name)); ++*n)
		;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *pCount, CUmodule mod)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(pCount);
	return count(mod, pCount);
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
	char name[CU_NAME_MAX];
	unsigned int n = 0, i;
	CUresult ret;

	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(functions);
	ret = count(mod, &n);
	if (!ret && (!numFunctions || numFunctions > n))
		ret = cu_fail(CUDA_ERROR_INVALID_VALUE, "numFunctions is %u and the module has %u", numFunctions, n);
	for (i = 0; i < numFunctions && !ret; i++) {
		ret = cu_code(anpu_front_kernel(mod, i, name, sizeof(name)));
		if (!ret)
			ret = cu_module_function(cu_find(CU_MODULE, mod), name, &functions[i]);
	}
	return ret;
}

/* @m: whose context the thread has */
static CUresult variable_of(CUmodule m, const char *name, CUdeviceptr *dptr, size_t *bytes)
{
	void *p = NULL;
	size_t size = 0;
	CUresult ret;

	if (!dptr && !bytes)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "dptr and bytes are both NULL");
	ret = cu_code(aclrtBinaryGetGlobal(m, name, &p, &size));
	if (ret)
		return ret;
	if (dptr)
		*dptr = (uintptr_t)p;
	if (bytes)
		*bytes = size;
	return CUDA_SUCCESS;
}

CUresult cu_module_managed(struct cu_module *m, CUdeviceptr *dptr, size_t *bytes, const char *name)
{
	CUdeviceptr at = 0;
	CUresult ret;

	cu_use_context(m->ctx);
	ret = variable_of(cu_handle(m), name, &at, bytes);
	if (!ret && !cu_is_place(CU_PTR(at), ACL_MEM_LOCATION_TYPE_MANAGED))
		ret = cu_fail(CUDA_ERROR_NOT_FOUND, "'%s' is no __managed__ variable: cuLibraryGetGlobal() has its address", name);
	if (!ret && dptr)
		*dptr = at;
	return ret;
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
	CU_ENTER_CTX(ctx);
	CU_CHECK_PTR(name);
	return variable_of(hmod, name, dptr, bytes);
}
