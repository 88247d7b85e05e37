// SPDX-License-Identifier: MIT
/*
 * Operator binaries: from a file or from memory onto the device, and their kernels by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <anpu/anpu_isa.h>

#include "launch/elf.h"
#include "launch/launch.h"

struct binary_desc {
	struct acl_obj obj;
	const void *data;
	size_t size;
};

static void binary_release(struct acl_obj *obj)
{
	struct anpu_binary *bin = container_of(obj, struct anpu_binary, obj);

	if (bin->region)
		anpu_region_put(bin->region);
	anpu_elf_free(bin->image);
	pthread_mutex_destroy(&bin->lock);
	free(bin->name);
	free(bin);
}

static void func_release(struct acl_obj *obj)
{
	struct anpu_func *func = container_of(obj, struct anpu_func, obj);

	acl_obj_put(&func->binary->obj);
	free(func->name);
	free(func);
}

/* Maps the segments of a placed image, each with its own rights; between them nothing is mapped */
static int map_segments(struct anpu_binary *bin, struct anpu_region *region)
{
	struct drm_anpu_vm_bind_op op[ANPU_ELF_MAX_SEGMENTS] = { 0 };
	unsigned int i;

	for (i = 0; i < bin->image->segment_count; i++) {
		const struct anpu_elf_segment *s = &bin->image->segment[i];
		uint64_t start = s->vaddr & ~(ANPU_ELF_PAGE - 1);

		op[i].op = DRM_ANPU_VM_MAP;
		op[i].flags = DRM_ANPU_VM_READ | (s->flags & ANPU_ELF_W ? DRM_ANPU_VM_WRITE : 0) |
			      (s->flags & ANPU_ELF_X ? DRM_ANPU_VM_EXEC : 0);
		op[i].offset = start - bin->image->low;
		op[i].va = region->va + op[i].offset;
		op[i].size = align_up(s->vaddr + s->memsz, ANPU_ELF_PAGE) - start;
		op[i].handle = region->handle;
	}
	return anpu_vm_bind(region->dev, op, bin->image->segment_count);
}

/* Lets the program reach the managed variables, if there are any */
static int show_managed(const struct anpu_image *image, struct anpu_region *region)
{
	return image->managed_size ? anpu_region_show_part(region, image->managed - image->low, image->managed_size) : 0;
}

/* Puts the image onto the device if it is not there yet; binary locked */
static aclError upload(struct anpu_binary *bin)
{
	struct anpu_device *dev = bin->obj.dev;
	bool in_hbm = dev->info.flags & DRM_ANPU_INFO_HBM_MMAP && !bin->image->managed_size;
	struct anpu_region *region;
	void *mem;
	int err;

	if (bin->region)
		return ACL_SUCCESS;
	err = anpu_print_ring(dev);
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating a print buffer");
	err = anpu_region_new(dev, ANPU_REGION_CODE, in_hbm ? DRM_ANPU_BO_HBM : DRM_ANPU_BO_SYSTEM,
			      bin->image->high - bin->image->low, 0, &region);
	if (err == -ENOSPC)
		return acl_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
				"device %d has no room for '%s', which needs %llu bytes", dev->id,
				bin->name,
				(unsigned long long)(bin->image->high - bin->image->low));
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating device memory for an operator");
	mem = anpu_region_window(region);
	if (mem) {
		anpu_elf_place(bin->image, region->va, mem);
		err = map_segments(bin, region);
		if (!err)
			err = show_managed(bin->image, region);
	} else {
		err = -ENOMEM;
	}
	if (err) {
		anpu_region_end(region);
		return anpu_fail_ioctl(dev, err, "mapping an operator");
	}
	bin->region = region;
	bin->base = region->va - bin->image->low;
	pthread_mutex_lock(&dev->lock);
	region->binary = bin;
	pthread_mutex_unlock(&dev->lock);
	anpu_code_list_add(bin);
	return ACL_SUCCESS;
}

static aclError check_options(const aclrtBinaryLoadOptions *options, bool *lazy)
{
	size_t i;

	*lazy = false;
	if (!options)
		return ACL_SUCCESS;
	if (options->numOpt && !options->options)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"options->options is NULL and numOpt is %zu", options->numOpt);
	for (i = 0; i < options->numOpt; i++) {
		const aclrtBinaryLoadOption *o = &options->options[i];

		switch (o->type) {
		case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
			if (o->value.isLazyLoad > 1)
				return acl_fail(ACL_ERROR_INVALID_PARAM,
						"option %zu: isLazyLoad is %u and must be 0 or 1",
						i, o->value.isLazyLoad);
			*lazy = o->value.isLazyLoad;
			break;
		case ACL_RT_BINARY_LOAD_OPT_MAGIC: /* the file says itself what it is for */
			if (o->value.magic != ACL_RT_BINARY_MAGIC_ELF_AICORE &&
			    o->value.magic != ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE &&
			    o->value.magic != ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE)
				return acl_fail(ACL_ERROR_INVALID_PARAM,
						"option %zu: magic %#x is unknown", i,
						o->value.magic);
			break;
		case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
			return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
					"option %zu: this device runs no kernels for a device CPU",
					i);
		default:
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"option %zu has the unknown type %d", i, (int)o->type);
		}
	}
	return ACL_SUCCESS;
}

static struct anpu_binary *new_binary(struct anpu_device *dev, const char *name)
{
	static _Atomic uint64_t serial;
	struct anpu_binary *bin = calloc(1, sizeof(*bin));

	if (bin) {
		bin->serial = atomic_fetch_add(&serial, 1);
		bin->name = strdup(name);
		pthread_mutex_init(&bin->lock, NULL);
		acl_obj_init(&bin->obj, ACL_TYPE_BINARY, dev, binary_release);
	}
	if (bin && !bin->name) {
		acl_obj_put(&bin->obj);
		bin = NULL;
	}
	return bin;
}

static aclError load(const void *data, size_t size, const char *name,
		     const aclrtBinaryLoadOptions *options, aclrtBinHandle *handle)
{
	struct anpu_context *ctx;
	struct anpu_binary *bin;
	char why[400];
	bool lazy;
	aclError ret = check_options(options, &lazy);

	if (!ret)
		ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	bin = new_binary(ctx->obj.dev, name);
	anpu_context_put(ctx);
	if (!bin)
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a binary");
	bin->image = anpu_elf_parse(data, size, why, sizeof(why));
	if (!bin->image)
		ret = acl_fail(errno == ENOMEM ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_INVALID_FILE,
			       "'%s' %s", name, why);
	else if (!lazy)
		ret = upload(bin);
	if (!ret && !acl_obj_give(&bin->obj, handle))
		ret = acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
				"no handle is left for a binary, or its device was reset");
	if (ret)
		anpu_binary_end(bin);
	return ret;
}

/* Maps a file for reading; an empty one gives an empty mapping. 0 or -errno */
static int map_file(const char *path, void **data, size_t *size)
{
	/* a pipe without a writer would hold the open() up for ever */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	*size = err ? 0 : st.st_size;
	if (*size) {
		*data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (*data == MAP_FAILED)
			err = -errno;
	}
	close(fd);
	return err;
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *options,
				 aclrtBinHandle *binHandle)
{
	void *data = NULL;
	size_t size = 0;
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(binPath);
	ACL_CHECK_PTR(binHandle);
	err = map_file(binPath, &data, &size);
	if (err)
		return acl_fail(ACL_ERROR_RT_FILE_OPEN, "'%s' cannot be read: %s", binPath,
				strerror(-err));
	ret = load(data, size, binPath, options, binHandle);
	if (data)
		munmap(data, size);
	return ret;
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length,
				 const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
	ACL_ENTER();
	ACL_CHECK_PTR(data);
	ACL_CHECK_PTR(binHandle);
	if (!length)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "length is 0");
	return load(data, length, "the image in memory", options, binHandle);
}

aclError anpu_front_binary(const void *data, size_t length, const char *name, aclrtBinHandle *binHandle)
{
	ACL_ENTER();
	return load(data, length, name, NULL, binHandle);
}

static void desc_release(struct acl_obj *obj)
{
	free(container_of(obj, struct binary_desc, obj));
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
	ACL_UNCANCELLED();
	void *handle;
	struct binary_desc *desc;

	if (acl_enter(__func__))
		return NULL;
	if (!data || !dataLen) {
		acl_fail(ACL_ERROR_INVALID_PARAM, data ? "dataLen is 0" : "data is NULL");
		return NULL;
	}
	desc = calloc(1, sizeof(*desc));
	if (!desc) {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for the description of a binary");
		return NULL;
	}
	acl_obj_init(&desc->obj, ACL_TYPE_BINARY_DESC, NULL, desc_release);
	desc->data = data;
	desc->size = dataLen;
	if (!acl_obj_give(&desc->obj, &handle)) {
		acl_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			"no handle is left for a binary, or its device was reset");
		acl_obj_put(&desc->obj);
		return NULL;
	}
	return handle;
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
	struct acl_obj *obj;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(binary);
	obj = acl_obj_remove(binary, ACL_TYPE_BINARY_DESC);
	if (!obj)
		return acl_bad_handle(binary, ACL_TYPE_BINARY_DESC, "binary");
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
	struct binary_desc *desc;
	struct acl_obj *obj;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(binary);
	ACL_CHECK_PTR(binHandle);
	obj = acl_obj_find(binary, ACL_TYPE_BINARY_DESC);
	if (!obj)
		return acl_bad_handle(binary, ACL_TYPE_BINARY_DESC, "binary");
	desc = container_of(obj, struct binary_desc, obj);
	ret = load(desc->data, desc->size, "the image in memory", NULL, binHandle);
	acl_obj_put(obj);
	return ret;
}

/* The binary of a handle, with a reference, checked to be on the thread's device */
static aclError find_binary(aclrtBinHandle handle, struct anpu_binary **out)
{
	struct anpu_context *ctx;
	struct acl_obj *obj = acl_obj_find(handle, ACL_TYPE_BINARY);
	aclError ret;

	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_BINARY, "binHandle");
	ret = anpu_context_current(&ctx);
	if (!ret) {
		if (ctx->obj.dev != obj->dev)
			ret = acl_fail(ACL_ERROR_RT_STREAM_CONTEXT,
				       "binHandle %p was loaded onto device %d and this thread "
				       "uses device %d",
				       handle, obj->dev->id, ctx->obj.dev->id);
		anpu_context_put(ctx);
	}
	if (ret)
		acl_obj_put(obj);
	else
		*out = container_of(obj, struct anpu_binary, obj);
	return ret;
}

void anpu_binary_end(struct anpu_binary *bin)
{
	struct anpu_func *func, *next;
	struct anpu_region *region;

	anpu_launch_hooks.binary_end(bin);
	pthread_mutex_lock(&bin->lock);
	func = bin->funcs;
	bin->funcs = NULL;
	region = bin->region;
	bin->region = NULL;
	bin->ended = true;
	pthread_mutex_unlock(&bin->lock);
	for (; func; func = next) {
		struct acl_obj *obj = acl_obj_remove(acl_obj_handle(&func->obj), ACL_TYPE_FUNC);

		next = func->next;
		if (obj)
			acl_obj_put(obj);
		acl_obj_put(&func->obj); /* the list's reference */
	}
	if (region) {
		pthread_mutex_lock(&region->dev->lock);
		region->binary = NULL;
		pthread_mutex_unlock(&region->dev->lock);
		anpu_code_list_remove(region->dev, bin);
		anpu_region_end(region);
	}
	acl_obj_put(&bin->obj);
}

void anpu_binaries_end(struct anpu_device *dev)
{
	struct acl_obj *obj;

	while ((obj = acl_obj_remove_of(dev, ACL_TYPE_BINARY)))
		anpu_binary_end(container_of(obj, struct anpu_binary, obj));
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
	struct anpu_binary *bin;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(binHandle);
	ret = find_binary(binHandle, &bin);
	if (ret)
		return ret;
	/* the timeline still finds the names of kernels that have run */
	if (anpu_traces())
		anpu_trace_collect();
	if (acl_obj_remove(binHandle, ACL_TYPE_BINARY))
		anpu_binary_end(bin);
	else /* another thread was faster */
		ret = acl_bad_handle(binHandle, ACL_TYPE_BINARY, "binHandle");
	acl_obj_put(&bin->obj);
	return ret;
}

static uint8_t core_type_of(const struct anpu_elf_kernel *k)
{
	if (k->aiv)
		return ANPU_CORE_MIX;
	switch (k->meta ? k->meta->kernel_type : 0) {
	case ANPU_META_TYPE_AIC:
	case ANPU_META_TYPE_MIX_AIC:
		return ANPU_CORE_AIC;
	case ANPU_META_TYPE_AIV:
	case ANPU_META_TYPE_MIX_AIV:
		return ANPU_CORE_AIV;
	default:
		return ANPU_CORE_ANY;
	}
}

/* A function for the binary's list; binary locked and uploaded */
static struct anpu_func *new_func(struct anpu_binary *bin, const char *name,
				  const struct anpu_elf_kernel *k)
{
	struct anpu_func *func = calloc(1, sizeof(*func));

	if (!func)
		return NULL;
	acl_obj_get(&bin->obj);
	func->binary = bin;
	acl_obj_init(&func->obj, ACL_TYPE_FUNC, bin->obj.dev, func_release);
	func->name = strdup(name);
	func->entry = bin->base + k->entry->value;
	func->code_size = k->func->size;
	func->core_type = core_type_of(k);
	if (k->aiv) {
		func->aiv_entry = k->aiv->value - k->entry->value;
		func->aiv_size = k->aiv_func ? k->aiv_func->size : 0;
		func->mix_ratio = k->meta && k->meta->mix_vector ? k->meta->mix_vector : 1;
	}
	if (k->meta) {
		func->sched_mode = k->meta->sched_mode == ANPU_SCHED_BATCH ? ANPU_SCHED_BATCH : 0;
		func->threads = k->meta->threads;
		func->shared_size = k->meta->shared_size;
		memcpy(func->cluster, k->meta->cluster, sizeof(func->cluster));
		func->args_size = k->meta->args_size;
		func->params = k->meta->params;
		func->param_count = k->meta->param_count;
	}
	acl_obj_get(&func->obj); /* one reference of the registry, one of the list */
	if (!func->name || !acl_obj_publish(&func->obj)) {
		acl_obj_put(&func->obj);
		acl_obj_put(&func->obj);
		return NULL;
	}
	func->next = bin->funcs;
	bin->funcs = func;
	return func;
}

static aclError get_function(struct anpu_binary *bin, const char *name, aclrtFuncHandle *handle)
{
	struct anpu_elf_kernel kernel;
	struct anpu_func *func;
	char names[300];
	aclError ret;

	for (func = bin->funcs; func; func = func->next) {
		if (!strcmp(func->name, name)) {
			*handle = acl_obj_handle(&func->obj);
			return ACL_SUCCESS;
		}
	}
	if (anpu_elf_find(bin->image, name, &kernel)) {
		anpu_elf_names(bin->image, names, sizeof(names));
		return acl_fail(ACL_ERROR_RT_KERNEL_LOOKUP,
				"'%s' has no kernel '%s'; its kernels: %s", bin->name, name, names);
	}
	ret = upload(bin);
	if (ret)
		return ret;
	func = new_func(bin, name, &kernel);
	if (!func)
		return acl_fail(ACL_ERROR_BAD_ALLOC,
				"no memory or no handle is left for a function");
	*handle = acl_obj_handle(&func->obj);
	return ACL_SUCCESS;
}

aclError anpu_binary_function(struct anpu_binary *bin, const char *name, aclrtFuncHandle *func)
{
	aclError ret;

	pthread_mutex_lock(&bin->lock);
	if (bin->ended) /* another thread was faster */
		ret = acl_bad_handle(acl_obj_handle(&bin->obj), ACL_TYPE_BINARY, "binHandle");
	else
		ret = get_function(bin, name, func);
	pthread_mutex_unlock(&bin->lock);
	return ret;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName,
				aclrtFuncHandle *funcHandle)
{
	struct anpu_binary *bin;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(binHandle);
	ACL_CHECK_PTR(kernelName);
	ACL_CHECK_PTR(funcHandle);
	ret = find_binary(binHandle, &bin);
	if (ret)
		return ret;
	ret = anpu_binary_function(bin, kernelName, funcHandle);
	acl_obj_put(&bin->obj);
	return ret;
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle, uint64_t funcEntry,
				       aclrtFuncHandle *funcHandle)
{
	struct anpu_binary *bin;
	const char *name;
	size_t count;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(binHandle);
	ACL_CHECK_PTR(funcHandle);
	ret = find_binary(binHandle, &bin);
	if (ret)
		return ret;
	pthread_mutex_lock(&bin->lock);
	name = anpu_elf_kernel_of_key(bin->image, funcEntry, &count);
	if (bin->ended)
		ret = acl_bad_handle(binHandle, ACL_TYPE_BINARY, "binHandle");
	else if (name)
		ret = get_function(bin, name, funcHandle);
	else
		ret = acl_fail(ACL_ERROR_RT_KERNEL_LOOKUP,
			       "'%s' has %zu kernels with the key %llu in their records, and one is "
			       "wanted: ask by name, with aclrtBinaryGetFunction()",
			       bin->name, count, (unsigned long long)funcEntry);
	pthread_mutex_unlock(&bin->lock);
	acl_obj_put(&bin->obj);
	return ret;
}

/* Variables ------------------------------------------------------------------------------------ */

bool anpu_binary_variable(const struct anpu_region *region, uint64_t va, uint64_t *base,
			  uint64_t *size)
{
	const struct anpu_binary *bin = region->binary;
	const struct anpu_elf_symbol *sym;

	sym = bin ? anpu_elf_object_at(bin->image, va - region->va + bin->image->low) : NULL;
	if (!sym)
		return false;
	*base = region->va + (sym->value - bin->image->low);
	*size = sym->size;
	return true;
}

static bool in_writable_segment(const struct anpu_image *image, uint64_t vaddr)
{
	unsigned int i;

	for (i = 0; i < image->segment_count; i++)
		if (vaddr - image->segment[i].vaddr < image->segment[i].memsz)
			return image->segment[i].flags & ANPU_ELF_W;
	return false;
}

aclError anpu_binary_global(struct anpu_binary *bin, const char *name, uint64_t *va, uint64_t *size,
			    bool *writable)
{
	const struct anpu_elf_symbol *sym;
	aclError ret = ACL_SUCCESS;

	*va = 0;
	pthread_mutex_lock(&bin->lock);
	sym = bin->ended ? NULL : anpu_elf_object(bin->image, name);
	if (sym)
		ret = upload(bin);
	if (sym && !ret) {
		*va = bin->base + sym->value;
		*size = sym->size;
		*writable = in_writable_segment(bin->image, sym->value);
	}
	pthread_mutex_unlock(&bin->lock);
	return ret;
}

bool anpu_binary_has_kernel(struct anpu_binary *bin, const char *name)
{
	struct anpu_elf_kernel kernel;

	return !anpu_elf_find(bin->image, name, &kernel);
}

aclError anpu_front_kernel(aclrtBinHandle binary, size_t n, char *name, size_t size)
{
	struct anpu_binary *bin;
	aclError ret;

	ACL_ENTER_SHORT();
	ret = find_binary(binary, &bin);
	if (ret)
		return ret;
	/* no mistake: who counts kernels comes to the end */
	if (!anpu_elf_kernel_at(bin->image, n, name, size))
		ret = ACL_ERROR_RT_KERNEL_LOOKUP;
	acl_obj_put(&bin->obj);
	return ret;
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
	uint64_t va = 0, bytes = 0;
	struct anpu_binary *bin;
	bool writable;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(binHandle);
	ACL_CHECK_PTR(name);
	if (!dptr && !size)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "dptr and size are both NULL");
	ret = find_binary(binHandle, &bin);
	if (ret)
		return ret;
	ret = anpu_binary_global(bin, name, &va, &bytes, &writable);
	if (!ret && !va)
		ret = acl_fail(ACL_ERROR_RT_SYMBOL_NOT_FOUND,
			       "'%s' has no variable '%s': static ones, which the compiler may remove, have a name in "
			       "sources NAME.cu only",
			       bin->name, name);
	if (!ret && dptr)
		*dptr = (void *)(uintptr_t)va;
	if (!ret && size)
		*size = bytes;
	acl_obj_put(&bin->obj);
	return ret;
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
	struct anpu_binary *bin;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(binHandle);
	ACL_CHECK_PTR(binAddr);
	ACL_CHECK_PTR(binSize);
	ret = find_binary(binHandle, &bin);
	if (ret)
		return ret;
	pthread_mutex_lock(&bin->lock);
	*binAddr = bin->region ? (void *)(uintptr_t)bin->region->va : NULL;
	*binSize = bin->region ? bin->image->high - bin->image->low : 0;
	pthread_mutex_unlock(&bin->lock);
	acl_obj_put(&bin->obj);
	return ACL_SUCCESS;
}

/* "name+0x10 in file.o", or with @bare "name" of a kernel's entry; false if it is not in @bin */
static bool symbolise_in(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n, bool bare)
{
	size_t prefix = strlen(ANPU_ENTRY_PREFIX);
	const struct anpu_elf_symbol *sym;
	const char *name, *file;

	if (!bin->region || addr - bin->region->va >= bin->region->size)
		return false;
	sym = anpu_elf_function_at(bin->image, addr - bin->base);
	if (!sym)
		return false;
	name = sym->name;
	if (bare && !strncmp(name, ANPU_ENTRY_PREFIX, prefix))
		name += prefix;
	file = strrchr(bin->name, '/');
	if (bare)
		snprintf(buf, n, "%s", name);
	else
		snprintf(buf, n, "%s+%#llx in %s", name,
			 (unsigned long long)(addr - bin->base - sym->value),
			 file ? file + 1 : bin->name);
	return true;
}

/* The source of an address, if the binary has lines; false if it is not in @bin */
static bool lines_in(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n)
{
	struct anpu_source place[ANPU_PLACES];
	unsigned int count;

	if (!bin->region || addr - bin->region->va >= bin->region->size)
		return false;
	count = anpu_lines_image(bin->image->data, bin->image->size, addr - bin->base, place);
	if (count)
		anpu_places_text(place, count, buf, n);
	return true;
}

/* Calls @look for the device's binaries, each locked, until one says that it has the address */
static void ask_binaries(struct anpu_device *dev, uint64_t addr, char *buf, size_t n,
			 bool (*look)(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n))
{
	size_t count = acl_obj_list(dev, ACL_TYPE_BINARY, NULL, 0), got, i;
	struct acl_obj **list = calloc(count + 1, sizeof(*list));
	bool found = false;

	*buf = 0;
	if (!list)
		return; /* the message has no name then */
	got = acl_obj_list(dev, ACL_TYPE_BINARY, list, count);
	for (i = 0; i < got && i < count; i++) {
		struct anpu_binary *bin = container_of(list[i], struct anpu_binary, obj);

		pthread_mutex_lock(&bin->lock);
		if (!found)
			found = look(bin, addr, buf, n);
		pthread_mutex_unlock(&bin->lock);
		acl_obj_put(list[i]);
	}
	free(list);
}

/* The name that programs ask for: that of a pair without the suffix of its half */
static bool name_in(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n)
{
	char *suffix;

	if (!symbolise_in(bin, addr, buf, n, true))
		return false;
	suffix = strstr(buf, "_mix_ai");
	if (suffix && strlen(suffix) == strlen("_mix_aic"))
		*suffix = 0;
	return true;
}

static bool offset_in(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n)
{
	return symbolise_in(bin, addr, buf, n, false);
}

void anpu_symbolise(struct anpu_device *dev, uint64_t addr, char *buf, size_t n, bool bare)
{
	ask_binaries(dev, addr, buf, n, bare ? name_in : offset_in);
}

static bool base_in(struct anpu_binary *bin, uint64_t addr, char *buf, size_t n)
{
	if (!bin->region || addr - bin->region->va >= bin->region->size)
		return false;
	snprintf(buf, n, "-o %#llx %s", (unsigned long long)bin->base, bin->name);
	return true;
}

void anpu_code_base(struct anpu_device *dev, uint64_t addr, char *buf, size_t n)
{
	ask_binaries(dev, addr, buf, n, base_in);
}

void anpu_code_lines(struct anpu_device *dev, uint64_t addr, char *buf, size_t n)
{
	ask_binaries(dev, addr, buf, n, lines_in);
}
