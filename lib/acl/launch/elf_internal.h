/* SPDX-License-Identifier: MIT */
/* Shared by the two files of the ELF reader. */
#ifndef ANPU_ELF_INTERNAL_H
#define ANPU_ELF_INTERNAL_H

#include <elf.h>

#include "elf.h"

struct anpu_elf_reader {
	struct anpu_image *image;
	char *why;
	size_t why_size;
	Elf64_Ehdr ehdr;
	const uint8_t *phdr;
	Elf64_Phdr dynamic;
	uint64_t rela, relasz, jmprel, pltrelsz;
	uint64_t symtab, strtab, strsz;
};

/* Writes the reason; returns -1 */
int anpu_elf_refuse(struct anpu_elf_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* [offset, offset + size) of the file, or NULL if that is not inside it */
const void *anpu_elf_at(const struct anpu_elf_reader *r, uint64_t offset, uint64_t size);
/* The segment that holds [vaddr, vaddr + size), or NULL */
const struct anpu_elf_segment *anpu_elf_segment_of(const struct anpu_image *image, uint64_t vaddr,
						   uint64_t size);
/* Symbols and .ascend.meta records; 0 or -1 */
int anpu_elf_read_sections(struct anpu_elf_reader *r);

#endif /* ANPU_ELF_INTERNAL_H */
