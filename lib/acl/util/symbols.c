// SPDX-License-Identifier: MIT
/* The symbol tables of a module's file, which also have what the dynamic linker does not know: static variables and functions. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/module.h"

/* A part of the file, or NULL if it is not inside */
static const void *part(const char *file, size_t size, uint64_t offset, uint64_t bytes)
{
	return offset <= size && bytes <= size - offset ? file + offset : NULL;
}

static bool search(const char *file, size_t size, const Elf64_Shdr *table, const Elf64_Shdr *names, anpu_symbol_fn *see, void *arg)
{
	const char *syms = part(file, size, table->sh_offset, table->sh_size);
	const char *text = part(file, size, names->sh_offset, names->sh_size);
	uint64_t i;
	Elf64_Sym s;

	if (!syms || !text)
		return false;
	for (i = 0; i + sizeof(s) <= table->sh_size; i += sizeof(s)) {
		memcpy(&s, syms + i, sizeof(s));
		if (s.st_shndx == SHN_UNDEF || s.st_name >= names->sh_size || !text[s.st_name] ||
		    (ELF64_ST_TYPE(s.st_info) != STT_OBJECT && ELF64_ST_TYPE(s.st_info) != STT_FUNC))
			continue;
		if (see(&s, text + s.st_name, names->sh_size - s.st_name, arg))
			return true;
	}
	return false;
}

static bool search_file(const char *file, size_t size, anpu_symbol_fn *see, void *arg)
{
	Elf64_Ehdr ehdr;
	const char *table;
	unsigned int i;

	if (size < sizeof(ehdr))
		return false;
	memcpy(&ehdr, file, sizeof(ehdr));
	table = part(file, size, ehdr.e_shoff, (uint64_t)ehdr.e_shnum * sizeof(Elf64_Shdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_shentsize != sizeof(Elf64_Shdr) || !table)
		return false;
	for (i = 0; i < ehdr.e_shnum; i++) {
		Elf64_Shdr s, names;

		memcpy(&s, table + i * sizeof(s), sizeof(s));
		if (s.sh_type != SHT_SYMTAB || s.sh_link >= ehdr.e_shnum)
			continue;
		memcpy(&names, table + s.sh_link * sizeof(names), sizeof(names));
		if (search(file, size, &s, &names, see, arg))
			return true;
	}
	return false;
}

bool anpu_module_symbols(const struct anpu_module *m, anpu_symbol_fn *see, void *arg)
{
	bool found = false;
	struct stat st;
	void *file;
	int fd;

	fd = open(*m->path ? m->path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size) {
		file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			found = search_file(file, st.st_size, see, arg);
			munmap(file, st.st_size);
		}
	}
	close(fd);
	return found;
}
