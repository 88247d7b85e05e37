// SPDX-License-Identifier: MIT
/*
 * Modules of the process, as the dynamic linker knows them.
 */
#include <pthread.h>
#include <stdio.h>

#include "util/forks.h"
#include "util/module.h"

struct search {
	uint64_t addr;
	struct anpu_module *found;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *s = arg;
	unsigned int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || s->addr - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
			continue;
		s->found->base = info->dlpi_addr;
		snprintf(s->found->path, sizeof(s->found->path), "%s", info->dlpi_name);
		return 1;
	}
	return 0;
}

/* glibc's own lock of the list stays locked in a child of fork() if another thread had it: no thread of this library has it then. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
	anpu_forks_free(&lock);
}

bool anpu_modules_each(int (*fn)(struct dl_phdr_info *info, size_t size, void *arg), void *arg)
{
	bool stopped;

	pthread_once(&once, start);
	pthread_mutex_lock(&lock);
	stopped = dl_iterate_phdr(fn, arg);
	pthread_mutex_unlock(&lock);
	return stopped;
}

bool anpu_module_find(uint64_t addr, struct anpu_module *m)
{
	struct search s = { addr, m };

	return anpu_modules_each(look, &s);
}
