// SPDX-License-Identifier: MIT
/*
 * Debian's libgcc_eh.a, which musl-gcc links, finds unwind tables by a function of glibc's. This has the function for musl;
 * a libgcc that was built for musl does not need it.
 */
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* As glibc's <dlfcn.h> has it on x86-64 */
struct dl_find_object {
	uint64_t flags;
	void *map_start;
	void *map_end;
	void *link_map;
	void *eh_frame;
	uint64_t reserved[7];
};

struct search {
	uintptr_t pc;
	struct dl_find_object *result;
};

int _dl_find_object(void *pc, struct dl_find_object *result);

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	int found = 0;

	(void)size;
	s->result->eh_frame = NULL;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && s->pc >= start && s->pc < end) {
			s->result->map_start = (void *)start;
			s->result->map_end = (void *)end;
			found = 1;
		}
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			s->result->eh_frame = (void *)start;
	}
	return found && s->result->eh_frame;
}

int _dl_find_object(void *pc, struct dl_find_object *result)
{
	struct search s = { (uintptr_t)pc, result };

	*result = (struct dl_find_object){ 0 };
	return dl_iterate_phdr(look, &s) ? 0 : -1;
}
