// SPDX-License-Identifier: MIT
/*
 * Two copies of the library in one process, from two directories, know nothing of each other: what a
 * part of the program set up with one, another part asks of the other. So a sentence can say.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

struct search {
	const char *own; /* path of this copy */
	uintptr_t base;	 /* where it is loaded */
	char other[256];
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = strrchr(info->dlpi_name, '/');
	struct search *s = arg;

	(void)size;
	name = name ? name + 1 : info->dlpi_name;
	if (info->dlpi_addr == s->base || (strcmp(name, "libascendcl.so") && strcmp(name, "libacl.so")))
		return 0;
	snprintf(s->other, sizeof(s->other), "%s", info->dlpi_name);
	return 1;
}

const char *acl_other_copy(char *buf, size_t size)
{
	struct search s = { 0 };
	Dl_info self;

	buf[0] = 0;
	if (!dladdr((void *)acl_other_copy, &self))
		return buf;
	s.base = (uintptr_t)self.dli_fbase;
	if (anpu_modules_each(look, &s))
		snprintf(buf, size,
			 ". The process has a second copy of the library, %s beside %s: what was set up with "
			 "one is unknown to the other, so link and load one of them",
			 s.other, self.dli_fname);
	return buf;
}
