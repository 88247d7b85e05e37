/* SPDX-License-Identifier: MIT */
/*
 * Reading an operator's ELF file. Depends on nothing else of the library, so that tools and fuzzers
 * can use it. Trusts nothing in the file: every offset, size and count is checked before use.
 */
#ifndef ANPU_ELF_READER_H
#define ANPU_ELF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANPU_ELF_PAGE 4096ULL
/* Largest address range that a binary may ask for */
#define ANPU_ELF_MAX_SPAN     (1ULL << 30)
#define ANPU_ELF_MAX_SEGMENTS 16

#define ANPU_ELF_X 1
#define ANPU_ELF_W 2
#define ANPU_ELF_R 4

struct anpu_elf_segment {
	uint64_t vaddr; /* as in the file, any alignment */
	uint64_t memsz;
	uint64_t offset;
	uint64_t filesz;
	uint32_t flags; /* ANPU_ELF_* */
};

struct anpu_elf_symbol {
	const char *name;
	uint64_t value;
	uint64_t size;
	uint8_t func; /* 1: a function, 0: an object */
	uint8_t global;
};

/* Zero-terminated strings, one behind the other */
struct anpu_elf_strings {
	const char *text;
	uint32_t size;
};

/* The record .ascend.meta.<name> of a kernel; what it does not say is 0 */
struct anpu_elf_meta {
	const char *name;
	uint32_t kernel_type; /* ANPU_META_TYPE_*, or 0 */
	uint32_t cross_core_sync;
	uint32_t mix_cube; /* ratio of cube to vector sub-blocks */
	uint32_t mix_vector;
	uint32_t stack_size; /* bytes */
	uint64_t tiling_key;
	uint32_t block_count;
	uint32_t sched_mode;
	uint32_t isa_version;
	uint32_t threads;     /* most of a block; 0: the kernel has none */
	uint32_t shared_size; /* bytes of static shared variables */
	uint32_t cluster[3];  /* blocks of a cluster that it is written for; 0: any */
	const uint8_t *params; /* param_count * sizeof(struct anpu_meta_param), unaligned */
	uint32_t param_count;
	uint32_t args_size; /* bytes of arguments that the parameters need */
	struct anpu_elf_strings param_names; /* anpu_elf_string() */
	struct anpu_elf_strings param_types;
};

struct anpu_image {
	uint64_t low; /* page-aligned range of all segments */
	uint64_t high;
	uint64_t managed; /* variables that the program reaches, too, at the same address */
	uint64_t managed_size; /* 0: there are none */
	unsigned int segment_count;
	struct anpu_elf_segment segment[ANPU_ELF_MAX_SEGMENTS]; /* ascending, no page shared */
	size_t symbol_count;
	struct anpu_elf_symbol *symbol;
	size_t meta_count;
	struct anpu_elf_meta *meta;
	uint64_t rela; /* checked relocations, all R_RISCV_RELATIVE or NONE */
	uint64_t rela_size;
	size_t size;
	uint8_t data[]; /* the file; names point into it */
};

/* A kernel found by name */
struct anpu_elf_kernel {
	const struct anpu_elf_symbol
		*func; /* as the programmer wrote it; the cube part of a pair */
	const struct anpu_elf_symbol *aiv_func; /* likewise the vector part, or NULL */
	const struct anpu_elf_symbol *entry; /* its thunk, where a block starts */
	const struct anpu_elf_symbol *aiv;   /* the thunk of a pair's vector part, or NULL */
	const struct anpu_elf_meta *meta;    /* or NULL */
};

/*
 * Copies and checks a file. Returns the image, to be freed with anpu_elf_free(), or NULL with a
 * sentence in @why that begins with a verb ("is empty"); then errno is ENOMEM if nothing is wrong with
 * the file but that there is no memory for it.
 */
struct anpu_image *anpu_elf_parse(const void *data, size_t size, char *why, size_t why_size);
void anpu_elf_free(struct anpu_image *image);

/*
 * Writes the image as it is at device address @base into @mem of high - low bytes, which stand for
 * [base, base + high - low): segments, zeroes, relocations.
 */
void anpu_elf_place(const struct anpu_image *image, uint64_t base, void *mem);

/* Finds a kernel, a pair name_mix_aic + name_mix_aiv by its base name. Returns 0 or -1 */
int anpu_elf_find(const struct anpu_image *image, const char *name, struct anpu_elf_kernel *kernel);

/* The object (a variable) of a name, or that an address (as in the file) lies in; or NULL */
const struct anpu_elf_symbol *anpu_elf_object(const struct anpu_image *image, const char *name);
const struct anpu_elf_symbol *anpu_elf_object_at(const struct anpu_image *image, uint64_t vaddr);

/* Name of the only kernel with a tiling key, or NULL; @count: how many have it */
const char *anpu_elf_kernel_of_key(const struct anpu_image *image, uint64_t key, size_t *count);

/* String @index, or "" if there are not so many */
const char *anpu_elf_string(const struct anpu_elf_strings *strings, unsigned int index);

/* The kernels' names for a message, "add_fp32, add_fp16 and 3 more" */
void anpu_elf_names(const struct anpu_image *image, char *buf, size_t size);

/* Name of kernel @n of the file; false: it has not so many */
bool anpu_elf_kernel_at(const struct anpu_image *image, size_t n, char *buf, size_t size);

/* The function that an address (as in the file) lies in, or NULL */
const struct anpu_elf_symbol *anpu_elf_function_at(const struct anpu_image *image, uint64_t vaddr);

#endif /* ANPU_ELF_READER_H */
