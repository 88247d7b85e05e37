// SPDX-License-Identifier: MIT
/*
 * One image of several. Each is linked already and needs nothing of the others, so all that is to do is to give them different
 * addresses: their files lie one behind the other in the new one, with program headers that place them one behind the other, too,
 * relocations and symbols that say the new addresses, and the kernels' records. Lines of sources are not taken over.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "cuda/module/module.h"

#define PAGE	     4096ULL
#define MAX_SEGMENTS 16 /* of an image that libacl loads: ANPU_ELF_MAX_SEGMENTS */

/* Bytes that grow */
struct bytes {
	uint8_t *data;
	size_t size, room;
	bool failed; /* no memory */
};

/* One of the images, at @place in the new file and at @delta in the addresses */
struct part {
	const uint8_t *data;
	size_t size, place;
	uint64_t delta;
	const Elf64_Ehdr *e;
	const Elf64_Phdr *ph;
	const Elf64_Shdr *sh;
};

struct merge {
	struct bytes file, phdrs, shdrs, rela, strings, names;
	struct bytes locals, globals; /* symbols */
	const char **kernels; /* names of records, in the images */
	size_t kernel_count;
	unsigned int segments, managed;
	uint64_t next; /* address behind all segments, a multiple of the page */
};

static uint64_t page_up(uint64_t v)
{
	return (v + PAGE - 1) & ~(PAGE - 1);
}

/* Where they lie in it */
static size_t append(struct bytes *b, const void *data, size_t size)
{
	size_t at = b->size, room = b->room ? b->room : 4096;
	uint8_t *more;

	while (room < at + size)
		room *= 2;
	if (room > b->room && !b->failed) {
		more = realloc(b->data, room);
		b->failed = !more;
		if (more) {
			b->data = more;
			b->room = room;
		}
	}
	if (b->failed)
		return 0;
	if (data)
		memcpy(b->data + at, data, size);
	else
		memset(b->data + at, 0, size);
	b->size = at + size;
	return at;
}

/* To a multiple of 8 */
static void pad(struct bytes *b)
{
	append(b, NULL, -b->size & 7);
}

/* [offset, offset + size) of an image, or NULL */
static const void *inside(const struct part *p, uint64_t offset, uint64_t size)
{
	return offset <= p->size && size <= p->size - offset ? p->data + offset : NULL;
}

/* The same for content at addresses */
static const void *loaded(const struct part *p, uint64_t addr, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < p->e->e_phnum; i++) {
		const Elf64_Phdr *ph = &p->ph[i];

		if (ph->p_type == PT_LOAD && addr >= ph->p_vaddr && addr - ph->p_vaddr <= ph->p_filesz &&
		    size <= ph->p_filesz - (addr - ph->p_vaddr))
			return inside(p, ph->p_offset + (addr - ph->p_vaddr), size);
	}
	return NULL;
}

static CUresult malformed(const char *what)
{
	return cu_fail(CUDA_ERROR_INVALID_IMAGE, "an image has %s: link files of anpucc", what);
}

static CUresult look(struct part *p)
{
	p->e = inside(p, 0, sizeof(*p->e));
	if (!p->e || p->e->e_type != ET_DYN || p->e->e_machine != EM_RISCV)
		return malformed("another machine or type than kernels");
	if (p->e->e_phentsize != sizeof(Elf64_Phdr) || p->e->e_shentsize != sizeof(Elf64_Shdr) ||
	    p->e->e_shstrndx >= p->e->e_shnum || (p->e->e_phoff | p->e->e_shoff) % 8)
		return malformed("headers that cannot be read");
	p->ph = inside(p, p->e->e_phoff, (uint64_t)p->e->e_phnum * sizeof(*p->ph));
	p->sh = inside(p, p->e->e_shoff, (uint64_t)p->e->e_shnum * sizeof(*p->sh));
	return p->ph && p->sh ? CUDA_SUCCESS : malformed("headers behind its end");
}

/* A zero-terminated string of a section with strings, or NULL */
static const char *string_at(const struct part *p, uint32_t section, uint32_t offset)
{
	const Elf64_Shdr *s = section < p->e->e_shnum ? &p->sh[section] : NULL;
	const char *text = s ? inside(p, s->sh_offset, s->sh_size) : NULL;

	return text && offset < s->sh_size && memchr(text + offset, 0, s->sh_size - offset) ? text + offset : NULL;
}

static CUresult take_segments(struct merge *m, const struct part *p)
{
	uint64_t end = m->next;
	unsigned int i;

	for (i = 0; i < p->e->e_phnum; i++) {
		Elf64_Phdr ph = p->ph[i];

		if (ph.p_type != PT_LOAD || !ph.p_memsz)
			continue;
		if (!inside(p, ph.p_offset, ph.p_filesz) || ph.p_vaddr > 1ULL << 32 || ph.p_memsz > 1ULL << 32)
			return malformed("segments outside of it");
		ph.p_offset += p->place;
		ph.p_vaddr += p->delta;
		ph.p_paddr = ph.p_vaddr;
		append(&m->phdrs, &ph, sizeof(ph));
		m->segments++;
		if (end < page_up(ph.p_vaddr + ph.p_memsz))
			end = page_up(ph.p_vaddr + ph.p_memsz);
	}
	m->next = end;
	return CUDA_SUCCESS;
}

static CUresult take_relocations(struct merge *m, const struct part *p)
{
	uint64_t table = 0, size = 0, i;
	const Elf64_Dyn *d = NULL;
	const Elf64_Rela *r;
	Elf64_Rela e;

	for (i = 0; i < p->e->e_phnum && !d; i++)
		if (p->ph[i].p_type == PT_DYNAMIC) {
			d = inside(p, p->ph[i].p_offset, p->ph[i].p_filesz);
			size = p->ph[i].p_filesz;
			if (!d)
				return malformed("a dynamic table outside of it");
		}
	if (!d)
		return CUDA_SUCCESS;
	i = size / sizeof(*d);
	for (size = 0; i && d->d_tag != DT_NULL; i--, d++) {
		if (d->d_tag == DT_RELA)
			table = d->d_un.d_val;
		else if (d->d_tag == DT_RELASZ)
			size = d->d_un.d_val;
		else if (d->d_tag == DT_NEEDED || d->d_tag == DT_JMPREL || d->d_tag == DT_REL)
			return malformed("symbols of other images");
	}
	r = size ? loaded(p, table, size) : NULL;
	if (size && !r)
		return malformed("relocations outside of it");
	for (i = 0; i < size / sizeof(*r); i++) {
		memcpy(&e, r + i, sizeof(e));
		if (ELF64_R_TYPE(e.r_info) != R_RISCV_RELATIVE && ELF64_R_TYPE(e.r_info) != R_RISCV_NONE)
			return malformed("symbols of other images");
		e.r_offset += p->delta;
		e.r_addend += (int64_t)p->delta;
		append(&m->rela, &e, sizeof(e));
	}
	return CUDA_SUCCESS;
}

static CUresult take_symbols(struct merge *m, const struct part *p, const Elf64_Shdr *s)
{
	const uint8_t *table = inside(p, s->sh_offset, s->sh_size);
	const char *name;
	Elf64_Sym sym;
	uint64_t i;

	if (!table)
		return malformed("a symbol table outside of it");
	for (i = 0; i < s->sh_size / sizeof(sym); i++) {
		memcpy(&sym, table + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE ||
		    (ELF64_ST_TYPE(sym.st_info) != STT_FUNC && ELF64_ST_TYPE(sym.st_info) != STT_OBJECT))
			continue;
		name = string_at(p, s->sh_link, sym.st_name);
		if (!name)
			return malformed("a symbol whose name lies outside of it");
		sym.st_name = (uint32_t)append(&m->strings, name, strlen(name) + 1);
		sym.st_value += p->delta;
		sym.st_shndx = 1;
		append(ELF64_ST_BIND(sym.st_info) == STB_LOCAL ? &m->locals : &m->globals, &sym, sizeof(sym));
	}
	return CUDA_SUCCESS;
}

static CUresult take_kernel(struct merge *m, const char *name)
{
	const char **more;
	size_t i;

	for (i = 0; i < m->kernel_count; i++)
		if (!strcmp(m->kernels[i], name))
			return cu_fail(CUDA_ERROR_INVALID_VALUE, "two of the images have a kernel '%s'", name + strlen(ANPU_META_PREFIX));
	more = realloc(m->kernels, (m->kernel_count + 1) * sizeof(*more));
	if (!more)
		return cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the names of kernels");
	m->kernels = more;
	m->kernels[m->kernel_count++] = name;
	return CUDA_SUCCESS;
}

/* The section as it is in the new file */
static void add_section(struct merge *m, const Elf64_Shdr *s, const char *name)
{
	Elf64_Shdr new = *s;

	new.sh_name = (uint32_t)append(&m->names, name, strlen(name) + 1);
	append(&m->shdrs, &new, sizeof(new));
}

static CUresult take_sections(struct merge *m, const struct part *p)
{
	CUresult ret = CUDA_SUCCESS;
	unsigned int i;

	for (i = 0; i < p->e->e_shnum && !ret; i++) {
		Elf64_Shdr s = p->sh[i];
		const char *name = string_at(p, p->e->e_shstrndx, s.sh_name);

		s.sh_offset += p->place;
		if (s.sh_type == SHT_SYMTAB) {
			ret = take_symbols(m, p, &p->sh[i]);
		} else if (name && s.sh_type != SHT_NULL && !strncmp(name, ANPU_META_PREFIX, strlen(ANPU_META_PREFIX))) {
			ret = take_kernel(m, name);
			add_section(m, &s, name);
		} else if (name && s.sh_size && !strcmp(name, ANPU_MANAGED_SECTION)) {
			s.sh_addr += p->delta;
			add_section(m, &s, name);
			m->managed++;
		}
	}
	return ret;
}

static CUresult take(struct merge *m, const struct cu_image *image)
{
	struct part p = { .data = image->data, .size = image->size, .delta = m->next };
	CUresult ret = look(&p);

	if (ret)
		return ret;
	pad(&m->file);
	p.place = append(&m->file, p.data, p.size);
	ret = take_segments(m, &p);
	if (!ret)
		ret = take_relocations(m, &p);
	return ret ? ret : take_sections(m, &p);
}

/* Relocations of all, and the table that tells where they are, in a segment of their own */
static void add_relocations(struct merge *m)
{
	Elf64_Dyn d[] = { { .d_tag = DT_RELA, .d_un.d_val = m->next }, { .d_tag = DT_RELASZ, .d_un.d_val = m->rela.size },
			  { .d_tag = DT_RELAENT, .d_un.d_val = sizeof(Elf64_Rela) }, { .d_tag = DT_NULL } };
	Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = m->next, .p_align = PAGE };

	pad(&m->file);
	ph.p_offset = append(&m->file, m->rela.data, m->rela.size);
	append(&m->file, d, sizeof(d));
	ph.p_filesz = ph.p_memsz = m->rela.size + sizeof(d);
	append(&m->phdrs, &ph, sizeof(ph));
	ph.p_type = PT_DYNAMIC;
	ph.p_offset += m->rela.size;
	ph.p_vaddr += m->rela.size;
	ph.p_filesz = ph.p_memsz = sizeof(d);
	append(&m->phdrs, &ph, sizeof(ph));
	m->segments++;
}

/* A table of the linker's own, with its header */
static void add_table(struct merge *m, const char *name, uint32_t type, const struct bytes *b, Elf64_Shdr s)
{
	pad(&m->file);
	s.sh_type = type;
	s.sh_offset = append(&m->file, b->data, b->size);
	s.sh_size = b->size;
	s.sh_addralign = 8;
	add_section(m, &s, name);
}

/* Adds the sections that follow the images, and writes the headers */
static void finish(struct merge *m)
{
	unsigned int sections = (unsigned int)(m->shdrs.size / sizeof(Elf64_Shdr));
	unsigned int locals = (unsigned int)(m->locals.size / sizeof(Elf64_Sym));
	Elf64_Shdr s = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	Elf64_Ehdr e;

	if (m->rela.size)
		add_relocations(m);
	add_table(m, ".strtab", SHT_STRTAB, &m->strings, (Elf64_Shdr){ 0 });
	/* in one table local symbols come first */
	append(&m->locals, m->globals.data, m->globals.size);
	add_table(m, ".symtab", SHT_SYMTAB, &m->locals,
		  (Elf64_Shdr){ .sh_link = sections, .sh_entsize = sizeof(Elf64_Sym), .sh_info = locals });
	/* which names itself, so the name comes first */
	s.sh_name = (uint32_t)append(&m->names, ".shstrtab", sizeof(".shstrtab"));
	s.sh_offset = append(&m->file, m->names.data, m->names.size);
	s.sh_size = m->names.size;
	append(&m->shdrs, &s, sizeof(s));
	if (m->file.failed || m->shdrs.failed || m->phdrs.failed)
		return;
	memcpy(&e, m->file.data, sizeof(e));
	pad(&m->file);
	e.e_phoff = append(&m->file, m->phdrs.data, m->phdrs.size);
	e.e_phnum = (uint16_t)(m->phdrs.size / sizeof(Elf64_Phdr));
	e.e_shoff = append(&m->file, m->shdrs.data, m->shdrs.size);
	e.e_shnum = (uint16_t)(sections + 3);
	e.e_shstrndx = (uint16_t)(sections + 2);
	e.e_entry = 0;
	if (!m->file.failed)
		memcpy(m->file.data, &e, sizeof(e));
}

static bool out_of_memory(const struct merge *m)
{
	return m->file.failed || m->phdrs.failed || m->shdrs.failed || m->rela.failed || m->locals.failed ||
	       m->globals.failed || m->strings.failed || m->names.failed;
}

CUresult cu_merge(const struct cu_image *images, size_t n, struct cu_image *out)
{
	struct merge m = { 0 };
	CUresult ret = CUDA_SUCCESS;
	size_t i;

	/* the file's header, an empty section, an empty name and an empty symbol */
	append(&m.file, n ? images[0].data : NULL, sizeof(Elf64_Ehdr));
	append(&m.shdrs, NULL, sizeof(Elf64_Shdr));
	append(&m.names, NULL, 1);
	append(&m.strings, NULL, 1);
	append(&m.locals, NULL, sizeof(Elf64_Sym));
	for (i = 0; i < n && !ret; i++)
		ret = take(&m, &images[i]);
	if (!ret)
		finish(&m);
	if (!ret && m.segments > MAX_SEGMENTS)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the images have %u segments together, and an image has at most %u: load them as "
							"several modules", m.segments, MAX_SEGMENTS);
	if (!ret && m.managed > 1)
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "%u of the images have __managed__ variables: load them as several modules", m.managed);
	if (!ret && (m.shdrs.size / sizeof(Elf64_Shdr) > UINT16_MAX - 256))
		ret = cu_fail(CUDA_ERROR_NOT_SUPPORTED, "the images have too many kernels for one: load them as several modules");
	if (!ret && out_of_memory(&m))
		ret = cu_fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the linked image");
	if (!ret)
		*out = (struct cu_image){ m.file.data, m.file.size };
	else
		free(m.file.data);
	free(m.phdrs.data);
	free(m.shdrs.data);
	free(m.rela.data);
	free(m.locals.data);
	free(m.globals.data);
	free(m.strings.data);
	free(m.names.data);
	free(m.kernels);
	return ret;
}
