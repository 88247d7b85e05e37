// SPDX-License-Identifier: MIT
/*
 * The name of a variable or function of the program itself, by its address: from the dynamic symbols
 * if it is exported, else from the symbol table of the file that it was loaded from.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "launch/launch.h"

struct search {
	uint64_t value;
	char *name;
	size_t size;
};

static bool is_it(const Elf64_Sym *symbol, const char *name, size_t most, void *arg)
{
	const struct search *s = arg;

	if (symbol->st_value != s->value)
		return false;
	snprintf(s->name, s->size, "%.*s", (int)most, name);
	return true;
}

bool anpu_host_symbol(const void *ptr, char *name, size_t size)
{
	struct search s = { .name = name, .size = size };
	struct anpu_module m;
	Dl_info info;

	if (dladdr(ptr, &info) && info.dli_saddr == ptr && info.dli_sname) {
		snprintf(name, size, "%s", info.dli_sname);
		return true;
	}
	if (!anpu_module_find((uintptr_t)ptr, &m))
		return false;
	s.value = (uintptr_t)ptr - m.base;
	return anpu_module_symbols(&m, is_it, &s);
}
