// SPDX-License-Identifier: MIT
/*
 * Reading an operator's ELF file: header, segments, dynamic table and relocations.
 * Symbols and .ascend.meta records are in elf_symbols.c.
 */
#include <errno.h>
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"
#include "elf_internal.h"

#ifndef EF_RISCV_RVC
#define EF_RISCV_RVC 1
#endif
#define DT_RELR_ 36 /* newer than some <elf.h> */

int anpu_elf_refuse(struct anpu_elf_reader *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->why, r->why_size, fmt, args);
	va_end(args);
	return -1;
}

const void *anpu_elf_at(const struct anpu_elf_reader *r, uint64_t offset, uint64_t size)
{
	if (offset > r->image->size || size > r->image->size - offset)
		return NULL;
	return r->image->data + offset;
}

static const char *machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "32-bit x86";
	case EM_AARCH64:
		return "AArch64";
	case EM_ARM:
		return "32-bit Arm";
	default:
		return "another machine";
	}
}

static int check_ident(struct anpu_elf_reader *r)
{
	const uint8_t *d = r->image->data;
	size_t size = r->image->size;

	if (!size)
		return anpu_elf_refuse(r, "is empty");
	if (size < SELFMAG || memcmp(d, ELFMAG, SELFMAG)) {
		if (size < SELFMAG)
			return anpu_elf_refuse(r, "is no ELF file: it has only %zu bytes", size);
		return anpu_elf_refuse(
			r, "is no ELF file: it begins with the bytes %02x %02x %02x %02x", d[0],
			d[1], d[2], d[3]);
	}
	if (size < sizeof(Elf64_Ehdr))
		return anpu_elf_refuse(
			r, "is truncated: it has %zu bytes and the ELF header alone has %zu", size,
			sizeof(Elf64_Ehdr));
	if (d[EI_CLASS] != ELFCLASS64)
		return anpu_elf_refuse(r, "is no 64-bit ELF file (class %u)", d[EI_CLASS]);
	if (d[EI_DATA] != ELFDATA2LSB)
		return anpu_elf_refuse(r, "is no little-endian ELF file (data %u)", d[EI_DATA]);
	return 0;
}

static int check_header(struct anpu_elf_reader *r)
{
	if (check_ident(r))
		return -1;
	memcpy(&r->ehdr, r->image->data, sizeof(r->ehdr));
	if (r->ehdr.e_machine != EM_RISCV)
		return anpu_elf_refuse(r,
				       "is built for %s (machine %u) and the AI core is 64-bit "
				       "RISC-V: compile it with scripts/anpucc",
				       machine_name(r->ehdr.e_machine), r->ehdr.e_machine);
	if (r->ehdr.e_type == ET_REL)
		return anpu_elf_refuse(r, "is a relocatable object (ET_REL) that was not linked "
					  "yet: link it with scripts/anpucc");
	if (r->ehdr.e_type == ET_EXEC)
		return anpu_elf_refuse(r, "is linked to fixed addresses (ET_EXEC) and must be "
					  "position-independent: link it with scripts/anpucc");
	if (r->ehdr.e_type != ET_DYN)
		return anpu_elf_refuse(r,
				       "is an ELF file of type %u and no linked operator (ET_DYN)",
				       r->ehdr.e_type);
	if (r->ehdr.e_flags & EF_RISCV_RVC)
		return anpu_elf_refuse(r, "has compressed instructions, which the AI core does "
					  "not: compile it with scripts/anpucc (-march without c)");
	if (r->ehdr.e_phentsize != sizeof(Elf64_Phdr) || !r->ehdr.e_phnum)
		return anpu_elf_refuse(r,
				       "has no program headers that can be read (%u of %u bytes)",
				       r->ehdr.e_phnum, r->ehdr.e_phentsize);
	r->phdr = anpu_elf_at(r, r->ehdr.e_phoff, (uint64_t)r->ehdr.e_phnum * sizeof(Elf64_Phdr));
	if (!r->phdr)
		return anpu_elf_refuse(r,
				       "is truncated: its program headers lie behind its %zu bytes",
				       r->image->size);
	return 0;
}

static Elf64_Phdr phdr_at(const struct anpu_elf_reader *r, unsigned int i)
{
	Elf64_Phdr p;

	memcpy(&p, r->phdr + i * sizeof(p), sizeof(p));
	return p;
}

static uint64_t page_down(uint64_t v)
{
	return v & ~(ANPU_ELF_PAGE - 1);
}

static uint64_t page_up(uint64_t v)
{
	return page_down(v + ANPU_ELF_PAGE - 1);
}

static int check_segment(struct anpu_elf_reader *r, unsigned int i, const Elf64_Phdr *p)
{
	const struct anpu_elf_segment *last;

	if (p->p_filesz > p->p_memsz)
		return anpu_elf_refuse(r,
				       "is malformed: segment %u has %llu bytes in the file and "
				       "only %llu in memory",
				       i, (unsigned long long)p->p_filesz,
				       (unsigned long long)p->p_memsz);
	if (!anpu_elf_at(r, p->p_offset, p->p_filesz))
		return anpu_elf_refuse(
			r, "is truncated: segment %u ends at byte %llu of a file of %zu bytes", i,
			(unsigned long long)(p->p_offset + p->p_filesz), r->image->size);
	if (p->p_vaddr >= ANPU_ELF_MAX_SPAN || p->p_memsz > ANPU_ELF_MAX_SPAN - p->p_vaddr)
		return anpu_elf_refuse(r,
				       "is too large: segment %u wants addresses from 0x%llx for "
				       "0x%llx bytes and the limit is 0x%llx",
				       i, (unsigned long long)p->p_vaddr,
				       (unsigned long long)p->p_memsz,
				       (unsigned long long)ANPU_ELF_MAX_SPAN);
	if ((p->p_flags & PF_W) && (p->p_flags & PF_X))
		return anpu_elf_refuse(r,
				       "has a segment (%u) that is writable and executable, which "
				       "the device does not map",
				       i);
	if (r->image->segment_count == ANPU_ELF_MAX_SEGMENTS)
		return anpu_elf_refuse(r, "has more than %u segments", ANPU_ELF_MAX_SEGMENTS);
	if (!r->image->segment_count)
		return 0;
	last = &r->image->segment[r->image->segment_count - 1];
	if (page_down(p->p_vaddr) < page_up(last->vaddr + last->memsz))
		return anpu_elf_refuse(r,
				       "has segments that are out of order or share a page of %llu "
				       "bytes (segment %u at 0x%llx): link it with scripts/anpucc",
				       ANPU_ELF_PAGE, i, (unsigned long long)p->p_vaddr);
	return 0;
}

static int read_segments(struct anpu_elf_reader *r)
{
	struct anpu_image *image = r->image;
	unsigned int i, executable = 0;

	for (i = 0; i < r->ehdr.e_phnum; i++) {
		Elf64_Phdr p = phdr_at(r, i);

		if (p.p_type == PT_INTERP)
			return anpu_elf_refuse(
				r, "is a program that wants a dynamic linker, and no operator");
		/* shared variables of kernels with threads: offsets in the unified buffer, nothing to load */
		if (p.p_type == PT_TLS && p.p_filesz)
			return anpu_elf_refuse(
				r, "has thread-local variables with initial values, which operators cannot have");
		if (p.p_type == PT_DYNAMIC)
			r->dynamic = p;
		if (p.p_type != PT_LOAD || !p.p_memsz)
			continue;
		if (check_segment(r, i, &p))
			return -1;
		image->segment[image->segment_count++] = (struct anpu_elf_segment){
			.vaddr = p.p_vaddr,
			.memsz = p.p_memsz,
			.offset = p.p_offset,
			.filesz = p.p_filesz,
			.flags = p.p_flags & (PF_R | PF_W | PF_X),
		};
		executable += !!(p.p_flags & PF_X);
	}
	if (!executable)
		return anpu_elf_refuse(r, "has no executable segment, so no code");
	image->low = page_down(image->segment[0].vaddr);
	i = image->segment_count - 1;
	image->high = page_up(image->segment[i].vaddr + image->segment[i].memsz);
	return 0;
}

const struct anpu_elf_segment *anpu_elf_segment_of(const struct anpu_image *image, uint64_t vaddr,
						   uint64_t size)
{
	unsigned int i;

	for (i = 0; i < image->segment_count; i++) {
		const struct anpu_elf_segment *s = &image->segment[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr <= s->memsz &&
		    size <= s->memsz - (vaddr - s->vaddr))
			return s;
	}
	return NULL;
}

/* Content of the file that is loaded at [vaddr, vaddr + size), or NULL */
static const uint8_t *loaded(const struct anpu_image *image, uint64_t vaddr, uint64_t size)
{
	const struct anpu_elf_segment *s = anpu_elf_segment_of(image, vaddr, size);

	if (!s || vaddr - s->vaddr > s->filesz || size > s->filesz - (vaddr - s->vaddr))
		return NULL;
	return image->data + s->offset + (vaddr - s->vaddr);
}

/* Name of a dynamic symbol for a message; the string ends within the file */
static const char *dynamic_name(const struct anpu_elf_reader *r, uint32_t index)
{
	const uint8_t *s = loaded(r->image, r->symtab + (uint64_t)index * sizeof(Elf64_Sym),
				  sizeof(Elf64_Sym));
	Elf64_Sym sym;
	const uint8_t *name;

	if (!index || !s)
		return "?";
	memcpy(&sym, s, sizeof(sym));
	name = sym.st_name < r->strsz ? loaded(r->image, r->strtab, r->strsz) : NULL;
	if (!name || !memchr(name + sym.st_name, 0, r->strsz - sym.st_name))
		return "?";
	return (const char *)name + sym.st_name;
}

static int check_relocations(struct anpu_elf_reader *r, uint64_t table, uint64_t size)
{
	const uint8_t *rela = loaded(r->image, table, size);
	uint64_t i;

	if (!rela || size % sizeof(Elf64_Rela))
		return anpu_elf_refuse(r,
				       "is malformed: its relocation table at 0x%llx with 0x%llx "
				       "bytes is not in the file",
				       (unsigned long long)table, (unsigned long long)size);
	for (i = 0; i < size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela e;

		memcpy(&e, rela + i, sizeof(e));
		if (ELF64_R_TYPE(e.r_info) == R_RISCV_NONE)
			continue;
		if (ELF64_R_TYPE(e.r_info) != R_RISCV_RELATIVE)
			return anpu_elf_refuse(
				r,
				"has a relocation of type %u against symbol '%s' at 0x%llx and "
				"only R_RISCV_RELATIVE can be applied: link it with "
				"scripts/anpucc, which reports symbols that are not defined",
				(unsigned int)ELF64_R_TYPE(e.r_info),
				dynamic_name(r, ELF64_R_SYM(e.r_info)),
				(unsigned long long)e.r_offset);
		if (!anpu_elf_segment_of(r->image, e.r_offset, 8))
			return anpu_elf_refuse(r,
					       "is malformed: a relocation changes address 0x%llx, "
					       "outside its segments",
					       (unsigned long long)e.r_offset);
	}
	return 0;
}

/* Reads the dynamic table's entries into r; entries that operators cannot have are refused */
static int read_dynamic(struct anpu_elf_reader *r)
{
	const uint8_t *d = anpu_elf_at(r, r->dynamic.p_offset, r->dynamic.p_filesz);
	uint64_t i;

	if (!d)
		return anpu_elf_refuse(r,
				       "is truncated: its dynamic table lies behind its %zu bytes",
				       r->image->size);
	for (i = 0; i + sizeof(Elf64_Dyn) <= r->dynamic.p_filesz; i += sizeof(Elf64_Dyn)) {
		Elf64_Dyn e;

		memcpy(&e, d + i, sizeof(e));
		switch (e.d_tag) {
		case DT_NULL:
			return 0;
		case DT_NEEDED:
			return anpu_elf_refuse(
				r, "needs a shared library, and operators must be linked whole");
		case DT_REL:
		case DT_RELR_:
			return anpu_elf_refuse(r,
					       "has relocations of a kind (dynamic tag %lld) that "
					       "is not supported: link it with scripts/anpucc",
					       (long long)e.d_tag);
		case DT_RELA:
			r->rela = e.d_un.d_val;
			break;
		case DT_RELASZ:
			r->relasz = e.d_un.d_val;
			break;
		case DT_JMPREL:
			r->jmprel = e.d_un.d_val;
			break;
		case DT_PLTRELSZ:
			r->pltrelsz = e.d_un.d_val;
			break;
		case DT_SYMTAB:
			r->symtab = e.d_un.d_val;
			break;
		case DT_STRTAB:
			r->strtab = e.d_un.d_val;
			break;
		case DT_STRSZ:
			r->strsz = e.d_un.d_val;
			break;
		}
	}
	return 0;
}

static int read_relocations(struct anpu_elf_reader *r)
{
	if (!r->dynamic.p_filesz)
		return 0;
	if (read_dynamic(r))
		return -1;
	if (r->relasz && check_relocations(r, r->rela, r->relasz))
		return -1;
	if (r->pltrelsz) {
		if (!check_relocations(r, r->jmprel, r->pltrelsz))
			anpu_elf_refuse(r, "has a procedure linkage table, which operators cannot "
					   "have: link it with scripts/anpucc");
		return -1;
	}
	r->image->rela = r->rela;
	r->image->rela_size = r->relasz;
	return 0;
}

struct anpu_image *anpu_elf_parse(const void *data, size_t size, char *why, size_t why_size)
{
	struct anpu_elf_reader r = { .why = why, .why_size = why_size };

	/* errno is ENOMEM if malloc() failed, and 0 if the file was refused */
	errno = 0;
	r.image = malloc(sizeof(*r.image) + size);
	if (!r.image) {
		anpu_elf_refuse(&r, "does not fit into memory with its %zu bytes", size);
		return NULL;
	}
	memset(r.image, 0, sizeof(*r.image));
	r.image->size = size;
	if (size)
		memcpy(r.image->data, data, size);
	if (check_header(&r) || read_segments(&r) || read_relocations(&r) ||
	    anpu_elf_read_sections(&r)) {
		anpu_elf_free(r.image);
		return NULL;
	}
	return r.image;
}

void anpu_elf_free(struct anpu_image *image)
{
	if (!image)
		return;
	free(image->symbol);
	free(image->meta);
	free(image);
}

void anpu_elf_place(const struct anpu_image *image, uint64_t base, void *mem)
{
	const uint8_t *rela = loaded(image, image->rela, image->rela_size);
	uint8_t *out = mem;
	unsigned int s;
	uint64_t i;

	memset(out, 0, image->high - image->low);
	for (s = 0; s < image->segment_count; s++)
		memcpy(out + image->segment[s].vaddr - image->low,
		       image->data + image->segment[s].offset, image->segment[s].filesz);
	for (i = 0; rela && i < image->rela_size; i += sizeof(Elf64_Rela)) {
		Elf64_Rela e;
		uint64_t value;

		memcpy(&e, rela + i, sizeof(e));
		if (ELF64_R_TYPE(e.r_info) != R_RISCV_RELATIVE)
			continue;
		value = base - image->low + e.r_addend;
		memcpy(out + e.r_offset - image->low, &value, sizeof(value));
	}
}
