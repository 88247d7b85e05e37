// SPDX-License-Identifier: MIT
/*
 * The files of operators that a process tells gdb of: struct anpu_code_list, in its own memory. It is read when a kernel
 * begins and has changed since. The process may write anything there at any time, so every number is read once and checked,
 * and a list that makes no sense is one that ends earlier.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "diag/debug.h"
#include "memory/guard.h"

/**
 * struct reading - memory of a process that is copied
 * @good: all of it was there
 */
struct reading {
	struct worker *w;
	uint32_t space;
	uint64_t va;
	void *to;
	uint64_t size;
	bool good;
};

static void do_read(void *arg)
{
	struct reading *r = arg;
	struct core_fault f;

	mmu_enter(&r->w->mmu, r->space);
	r->good = mmu_read_mem(&r->w->mmu, r->to, r->va, r->size, &f);
	mmu_exit(&r->w->mmu);
}

static bool read_process(struct worker *w, uint32_t space, uint64_t va, void *to, uint64_t size)
{
	struct reading r = { .w = w, .space = space, .va = va, .to = to, .size = size };
	uint64_t addr;

	if (va + size < va)
		return false;
	if (guard_call(w->m, do_read, &r, &addr))
		return r.good;
	guard_leave(&w->mmu);
	return false;
}

static void take_file(struct worker *w, uint32_t space, struct anpu_code_file *file)
{
	uint8_t *image;

	if (!file->serial || gdb_code_known(w->m->gdb, space, file->serial) || !file->size || file->size > ANPU_CODE_SIZE_MAX)
		return;
	image = malloc(file->size);
	file->name[ANPU_CODE_NAME_SIZE - 1] = 0;
	if (image && read_process(w, space, file->image, image, file->size))
		gdb_code_loaded(w->m->gdb, space, file->serial, file->base, file->name, image, file->size);
	free(image);
}

/* List locked */
static void take_list(struct worker *w, uint32_t space, const struct anpu_code_list *list)
{
	struct anpu_code_file file;
	uint64_t va = list->first;

	gdb_code_begin(w->m->gdb, space);
	for (unsigned int i = 0; va && !(va % 8) && i < ANPU_CODE_LIST_MAX; i++) {
		if (!read_process(w, space, va, &file, sizeof(file)))
			break;
		va = file.next;
		take_file(w, space, &file);
	}
	gdb_code_end(w->m->gdb, space, list->serial);
}

void codelist_read(struct worker *w, uint32_t space)
{
	struct anpu_code_list list;

	pthread_mutex_lock(&w->m->list_lock);
	if (read_process(w, space, ANPU_CODE_LIST_VA, &list, sizeof(list)) && list.magic == ANPU_CODE_LIST_MAGIC &&
	    !gdb_code_listed(w->m->gdb, space, list.serial))
		take_list(w, space, &list);
	pthread_mutex_unlock(&w->m->list_lock);
}
