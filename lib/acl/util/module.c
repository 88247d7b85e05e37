// SPDX-License-Identifier: MIT
/*
 * Modules of the process, as the dynamic linker knows them.
 */
#include <link.h>
#include <stdio.h>

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

bool anpu_module_find(uint64_t addr, struct anpu_module *m)
{
	struct search s = { addr, m };

	return dl_iterate_phdr(look, &s);
}
