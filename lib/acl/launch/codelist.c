// SPDX-License-Identifier: MIT
/*
 * Files of operators for a debugger of the device: struct anpu_code_list, with a copy of each file. A device that has no
 * debugger is told nothing. If there is no memory for it, the debugger lacks names, and nothing else happens.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "launch/elf.h"
#include "launch/launch.h"

/**
 * struct anpu_code_files - what a device's debugger is told; under a lock of this file
 * @page: of @list, whose object is mapped at ANPU_CODE_LIST_VA, too
 * @first: binaries in the order of the list
 */
struct anpu_code_files {
	struct anpu_region *page;
	struct anpu_code_list *list;
	struct anpu_binary *first;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct anpu_code_file *file_of(struct anpu_binary *bin)
{
	return anpu_region_window(bin->listed);
}

/* Locked: the list has changed */
static void publish(struct anpu_code_files *files)
{
	struct anpu_binary *bin;

	files->list->first = files->first ? files->first->listed->va : 0;
	for (bin = files->first; bin; bin = bin->next_listed)
		file_of(bin)->next = bin->next_listed ? bin->next_listed->listed->va : 0;
	__atomic_store_n(&files->list->serial, files->list->serial + 1, __ATOMIC_RELEASE);
}

/* Locked: maps the list where a debugger looks for it */
static int map_list(struct anpu_device *dev, struct anpu_code_files *files)
{
	struct drm_anpu_vm_bind_op op = { .op = DRM_ANPU_VM_MAP, .flags = DRM_ANPU_VM_READ, .va = ANPU_CODE_LIST_VA };
	int err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, sizeof(struct anpu_code_list), DRM_ANPU_VM_READ,
				  &files->page);

	if (err)
		return err;
	files->list = anpu_region_window(files->page);
	op.handle = files->page->handle;
	op.size = ANPU_ELF_PAGE;
	if (files->list) {
		*files->list = (struct anpu_code_list){ .magic = ANPU_CODE_LIST_MAGIC };
		err = anpu_vm_bind(dev, &op, 1);
	}
	if (files->list && !err) {
		anpu_region_get(files->page); /* the other reference is the table of regions' */
		return 0;
	}
	anpu_region_end(files->page);
	return err ? err : -ENOMEM;
}

/* Locked; NULL: there is no memory */
static struct anpu_code_files *files_of(struct anpu_device *dev)
{
	struct anpu_code_files *files = dev->code_files;

	if (files)
		return files;
	files = calloc(1, sizeof(*files));
	if (files && map_list(dev, files)) {
		free(files);
		files = NULL;
	}
	dev->code_files = files;
	return files;
}

/* Locked: a copy of the file, and its description, in memory that a debugger can read */
static int describe(struct anpu_device *dev, struct anpu_binary *bin)
{
	const struct anpu_image *image = bin->image;
	struct anpu_code_file *file;
	size_t length = strlen(bin->name), cut = 0;
	int err = anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_SYSTEM, sizeof(*file) + image->size, DRM_ANPU_VM_READ,
				  &bin->listed);

	if (err) {
		bin->listed = NULL;
		return err;
	}
	file = file_of(bin);
	if (!file) {
		anpu_region_end(bin->listed);
		bin->listed = NULL;
		return -ENOMEM;
	}
	*file = (struct anpu_code_file){
		.serial = bin->serial + 1,
		.base = bin->base,
		.image = bin->listed->va + sizeof(*file),
		.size = image->size,
	};
	if (length >= sizeof(file->name))
		cut = length - sizeof(file->name) + 1;
	strcpy(file->name, bin->name + cut);
	memcpy(file + 1, image->data, image->size);
	return 0;
}

void anpu_code_list_add(struct anpu_binary *bin)
{
	struct anpu_device *dev = bin->obj.dev;
	struct anpu_code_files *files;
	struct anpu_binary **at;

	if (!(dev->info.flags & DRM_ANPU_INFO_CODE_LIST) || bin->image->size > ANPU_CODE_SIZE_MAX)
		return;
	pthread_mutex_lock(&lock);
	files = files_of(dev);
	if (files && !describe(dev, bin)) {
		for (at = &files->first; *at; at = &(*at)->next_listed)
			;
		*at = bin;
		publish(files);
	}
	pthread_mutex_unlock(&lock);
}

void anpu_code_list_remove(struct anpu_device *dev, struct anpu_binary *bin)
{
	struct anpu_binary **at;

	if (!bin->listed)
		return;
	pthread_mutex_lock(&lock);
	for (at = &dev->code_files->first; *at != bin; at = &(*at)->next_listed)
		;
	*at = bin->next_listed;
	publish(dev->code_files);
	pthread_mutex_unlock(&lock);
	anpu_region_end(bin->listed);
	bin->listed = NULL;
	bin->next_listed = NULL;
}

void anpu_code_list_free(struct anpu_device *dev)
{
	if (!dev->code_files)
		return;
	anpu_region_put(dev->code_files->page);
	free(dev->code_files);
	dev->code_files = NULL;
}
