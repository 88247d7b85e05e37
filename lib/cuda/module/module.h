/* SPDX-License-Identifier: MIT */
/* Modules, libraries and functions, and how many blocks of one run at a time. */
#ifndef ANPU_CUDA_MODULE_H
#define ANPU_CUDA_MODULE_H

#include "cuda/core/core.h"
#include "cuda/context/context.h"

struct cu_module {
	struct cu_rec rec;
	uint64_t ctx;
	uint64_t library; /* key of the library that has it, or 0 */
};

#define CU_NAME_MAX 4096 /* bytes of a kernel's name */

struct cu_func {
	struct cu_rec rec;
	uint64_t module;
	uint64_t ctx; /* 0: of the other front, whose modules belong to a device */
	char *name;
	struct anpu_front_func has;
	int dynamic_shared; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int carveout;
	int cluster[3];
	int cluster_must;
	int non_portable;
	int cluster_policy;
	struct cu_kept *kept; /* params.c, or NULL */
};

/* Bytes of an ELF image in memory; INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX */
CUresult cu_image_size(const void *image, size_t *size);
/* The same for an image in @room bytes, with CU_IMAGE_HEADER bytes behind them that may be read */
#define CU_IMAGE_HEADER 64
CUresult cu_image_inside(const void *image, size_t room, size_t *size);
/*
 * heap.c: writes into a module whose kernels use malloc() where the context's heap is, which is made then; has the context
 * one, so that its size cannot be chosen any more
 */
CUresult cu_heap_tell(struct cu_ctx *ctx, aclrtBinHandle bin, const void *image, size_t size);
bool cu_heap_made(const struct cu_ctx *ctx);
/* jit.c: where a program wants to read why an image was refused */
struct cu_jit {
	char *log; /* or NULL */
	size_t room;
	void **used; /* where the length of the text goes, or NULL */
};
/* Takes the options of a call that loads or links an image, and answers those that have a result */
CUresult cu_jit_begin(struct cu_jit *jit, unsigned int n, const CUjit_option *options, void **values);
/* Passes on a code; the sentence of a failure goes into the log */
CUresult cu_jit_end(const struct cu_jit *jit, CUresult ret);
/* link.c, merge.c */
struct cu_image {
	uint8_t *data;
	size_t size;
};
/*
 * text.c: the image that text stands for, with CU_IMAGE_HEADER bytes behind it that may be read; without data: @image is no such text.
 * @room: bytes that may be read, or SIZE_MAX if the text ends with a zero
 */
CUresult cu_text_image(const void *image, size_t room, struct cu_image *out);
struct cu_link {
	struct cu_rec rec;
	struct cu_image *added;
	size_t count;
	struct cu_image linked; /* cuLinkComplete(): NULL before */
	struct cu_jit jit;	/* of cuLinkCreate() */
};
/* One image, to be freed, with the kernels of all; INVALID_IMAGE, INVALID_VALUE for a name that two have, NOT_SUPPORTED */
CUresult cu_merge(const struct cu_image *images, size_t n, struct cu_image *out);
/* Loads an image into the current context */
CUresult cu_module_load(struct cu_ctx *ctx, const void *image, size_t size, const char *name, struct cu_module **out);
void cu_module_end(struct cu_module *m);
/* A variable that the program reaches, too */
CUresult cu_module_managed(struct cu_module *m, CUdeviceptr *dptr, size_t *bytes, const char *name);
/* The function of a module, with its record */
CUresult cu_module_function(struct cu_module *m, const char *name, CUfunction *out);
/* The record of a function of either front, or of a kernel of a library in the current context */
CUresult cu_func_get(CUfunction f, struct cu_func **out);
CUresult cu_func_attribute(struct cu_func *f, CUfunction_attribute attrib, int *value);
/* Most blocks of a cluster: 8, which all devices of the API have, unless the function may have more */
#define CU_PORTABLE_CLUSTER 8
uint32_t cu_func_max_cluster(const struct cu_func *f);
CUresult cu_func_set(struct cu_func *f, CUfunction_attribute attrib, int value);
/* library.c: the function of a kernel in the current context */
CUresult cu_kernel_function(CUkernel kernel, CUfunction *out);
CUresult cu_read_file(const char *path, void **data, size_t *size);

#endif /* ANPU_CUDA_MODULE_H */
