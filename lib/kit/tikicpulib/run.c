// SPDX-License-Identifier: MIT
/*
 * CPU mode (include/ascendc/cpu/calls.h): operators run on the device model in this process, by libascendcl. A program of
 * this mode looks at no results, so that whatever fails ends it, with a sentence.
 */
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ascendc/cpu/calls.h>

#include "front.h"

/* An operator file with a tiling key in it, loaded */
struct loaded {
	struct loaded *next;
	const void *image;
	uint64_t key;
	aclrtBinHandle bin;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the four below */
static struct loaded *all;
static aclrtStream stream;
static uint64_t tiling_key;
static bool ready;

/* The launch that the calling thread's ICPU_RUN_KF() has announced */
static __thread struct {
	const char *what, *file;
	int line;
	uint32_t blocks;
	bool launched;
} call;

__attribute__((noreturn)) static void die(const char *doing, aclError err)
{
	const char *why = aclGetRecentErrMsg();

	fflush(stdout);
	if (call.what)
		fprintf(stderr, "%s:%d: ", call.file, call.line);
	fprintf(stderr, "tikicpulib: %s failed with %d: %s%s", doing, err, why ? why : "no reason is known",
		why && *why && why[strlen(why) - 1] == '\n' ? "" : "\n");
	exit(1);
}

/* Before any call that looks for devices: this mode has the device model, wherever it runs */
__attribute__((constructor)) static void choose_the_model(void)
{
	setenv("ANPU_DEVICE", "direct", 0);
}

/* Lock held */
static void start(void)
{
	aclError err;

	if (!ready) {
		err = aclInit(NULL);
		if (err && err != ACL_ERROR_REPEAT_INITIALIZE)
			die("aclInit()", err);
	}
	ready = true;
	err = aclrtSetDevice(0);
	if (!err && !stream)
		err = aclrtCreateStream(&stream);
	if (err)
		die("opening the device model", err);
}

void *anpu_cpu_alloc(size_t size)
{
	void *ptr = NULL;
	aclError err;

	pthread_mutex_lock(&lock);
	start();
	pthread_mutex_unlock(&lock);
	err = aclrtMallocHost(&ptr, size ? size : 1);
	if (err)
		die("GmAlloc()", err);
	memset(ptr, 0, size);
	return ptr;
}

void anpu_cpu_free(void *ptr)
{
	aclError err = ptr ? aclrtFreeHost(ptr) : ACL_SUCCESS;

	if (err)
		die("GmFree()", err);
}

void anpu_cpu_tiling_key(uint64_t key)
{
	pthread_mutex_lock(&lock);
	tiling_key = key;
	pthread_mutex_unlock(&lock);
}

void anpu_cpu_begin(const char *what, uint32_t blocks, const char *file, int line)
{
	call.what = what;
	call.file = file;
	call.line = line;
	call.blocks = blocks;
	call.launched = false;
}

void anpu_cpu_end(void)
{
	if (!call.launched) {
		fprintf(stderr, "%s:%d: ICPU_RUN_KF(%s): no operator was run. The first argument must be the name of a kernel, "
			"whose source is compiled by anpucc --run-mode=cpu; a function of the host cannot be one\n",
			call.file, call.line, call.what);
		exit(1);
	}
	call.what = NULL;
}

/* Writes the key into the variables that TILING_KEY_IS() reads: one, or one in each half of a MIX kernel */
static void set_key(unsigned char *image, uint64_t key)
{
	const Elf64_Ehdr *file = (const Elf64_Ehdr *)image;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + file->e_shoff);
	static const char name[] = "anpu_key_of_file";

	for (int i = 0; i < file->e_shnum; i++) {
		const Elf64_Sym *sym = (const Elf64_Sym *)(image + sections[i].sh_offset);

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = sections[i].sh_size / sizeof(*sym); n--; sym++) {
			const Elf64_Shdr *s = sections + sym->st_shndx;

			if (!sym->st_shndx || sym->st_shndx >= file->e_shnum || s->sh_type == SHT_NOBITS ||
			    strncmp((char *)image + sections[sections[i].sh_link].sh_offset + sym->st_name, name,
				    sizeof(name) - 1))
				continue;
			memcpy(image + s->sh_offset + (sym->st_value - s->sh_addr), &key, sizeof(key));
		}
	}
}

/* The operator with the present key; lock held. anpucc has written the image, so its tables are sound. */
static aclError load(const void *image, size_t size, aclrtBinHandle *bin)
{
	struct loaded *l;
	unsigned char *copy;
	aclError err;

	for (l = all; l; l = l->next)
		if (l->image == image && l->key == tiling_key) {
			*bin = l->bin;
			return ACL_SUCCESS;
		}
	l = calloc(1, sizeof(*l));
	copy = malloc(size);
	if (!l || !copy) {
		free(l);
		free(copy);
		return ACL_ERROR_BAD_ALLOC;
	}
	memcpy(copy, image, size);
	set_key(copy, tiling_key);
	err = aclrtBinaryLoadFromData(copy, size, NULL, &l->bin);
	free(copy);
	if (err) {
		free(l);
		return err;
	}
	*l = (struct loaded){ all, image, tiling_key, l->bin };
	all = l;
	*bin = l->bin;
	return ACL_SUCCESS;
}

void anpu_cpu_launch(const void *image, size_t size, const char *name, void **args)
{
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	aclError err;

	pthread_mutex_lock(&lock);
	start();
	err = load(image, size, &bin);
	pthread_mutex_unlock(&lock);
	if (err)
		die("loading the operator", err);
	err = aclrtBinaryGetFunction(bin, name, &func);
	if (!err)
		err = aclrtLaunchKernelWithArgsArray(func, call.what ? call.blocks : 1, stream, NULL, args);
	if (err)
		die(name, err);
	call.launched = true;
	err = aclrtSynchronizeStream(stream);
	if (err)
		die(name, err);
}
