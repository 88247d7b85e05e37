// SPDX-License-Identifier: MIT
/* The reader of operator files, on a small file made here and on everything that can be wrong. */
#include <elf.h>

#include <anpu/anpu_isa.h>

#include "launch/elf.h"
#include "tap.h"

/* A file as the linker makes it: code at 0x1000, data at 0x3000 with two relocations at its start */
struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[3];
	uint32_t code[16];
	struct {
		uint64_t pointer;
		uint64_t second;
		Elf64_Rela rela, again;
		Elf64_Dyn dyn[4];
	} data;
	char strings[256];
	Elf64_Sym sym[8];
	uint8_t meta[96];
	uint8_t half[2][64]; /* records of pair_mix_aic and pair_mix_aiv */
	Elf64_Shdr shdr[7];
};

#define AT(member) offsetof(struct file, member)
#define CODE	   0x1000
#define DATA	   0x3000

static struct file f;
static char why[400];
static size_t strings_used;

static uint32_t add_string(const char *s)
{
	uint32_t at = strings_used;

	memcpy(f.strings + at, s, strlen(s) + 1);
	strings_used += strlen(s) + 1;
	return at;
}

static void add_symbol(int i, const char *name, uint64_t value, int type)
{
	f.sym[i] = (Elf64_Sym){
		.st_name = add_string(name),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
		.st_shndx = 1,
		.st_value = value,
		.st_size = 8,
	};
}

static uint8_t *add_record(uint8_t *p, uint16_t type, uint16_t size, const void *value)
{
	memcpy(p, &type, 2);
	memcpy(p + 2, &size, 2);
	memcpy(p + 4, value, size);
	return p + 4 + size;
}

/* Half 0 or 1 of the MIX kernel: parameters of @bytes each, one more record */
static uint8_t *make_half(int half, unsigned int params, uint16_t bytes, uint32_t type)
{
	static const char *const names[] = { ANPU_META_PREFIX "pair_mix_aic", ANPU_META_PREFIX "pair_mix_aiv" };
	struct anpu_meta_param param[4] = { 0 };
	uint8_t *end = f.half[half];

	for (unsigned int i = 0; i < params; i++)
		param[i] = (struct anpu_meta_param){ .offset = (uint16_t)(8 * i), .size = bytes };
	end = add_record(end, ANPU_META_KERNEL_TYPE, 4, &type);
	end = add_record(end, ANPU_META_PARAMS, params * sizeof(param[0]), param);
	f.shdr[5 + half] = (Elf64_Shdr){ .sh_name = f.shdr[5 + half].sh_name ?: add_string(names[half]),
					 .sh_type = SHT_PROGBITS,
					 .sh_offset = AT(half) + half * sizeof(f.half[0]),
					 .sh_size = end - f.half[half] };
	return end;
}

/* One more record for a half, as large as a uint32_t */
static void add_to_half(int half, uint8_t *end, uint16_t type, uint32_t value)
{
	f.shdr[5 + half].sh_size = add_record(end, type, 4, &value) - f.half[half];
}

static void make_sections(void)
{
	struct anpu_meta_param params[2] = { { .offset = 0, .size = 8 },
					     { .offset = 8, .size = 4 } };
	uint32_t type = ANPU_META_TYPE_AIV, isa = ANPU_ISA_VERSION;
	uint8_t *end;

	strings_used = 1;
	add_symbol(1, "add", CODE, STT_FUNC);
	add_symbol(2, ANPU_ENTRY_PREFIX "add", CODE + 8, STT_FUNC);
	add_symbol(3, "pair_mix_aic", CODE + 16, STT_FUNC);
	add_symbol(4, ANPU_ENTRY_PREFIX "pair_mix_aic", CODE + 24, STT_FUNC);
	add_symbol(5, ANPU_ENTRY_PREFIX "pair_mix_aiv", CODE + 32, STT_FUNC);
	add_symbol(6, "table", DATA, STT_OBJECT);
	add_symbol(7, "helper", CODE + 40, STT_FUNC);
	end = add_record(f.meta, ANPU_META_KERNEL_TYPE, 4, &type);
	end = add_record(end, 0x7777, 3, "xyz"); /* of a later version */
	end = add_record(end, ANPU_META_PARAMS, sizeof(params), params);
	end = add_record(end, ANPU_META_PARAM_NAMES, 6, "x\0alph"); /* no zero at the end */
	end = add_record(end, ANPU_META_PARAM_TYPES, 9, "int *\0\0u8");
	end = add_record(end, ANPU_META_ISA_VERSION, 4, &isa);
	f.shdr[1] = (Elf64_Shdr){ .sh_name = add_string(".symtab"),
				  .sh_type = SHT_SYMTAB,
				  .sh_offset = AT(sym),
				  .sh_size = sizeof(f.sym),
				  .sh_link = 2,
				  .sh_entsize = sizeof(Elf64_Sym) };
	f.shdr[2] = (Elf64_Shdr){ .sh_name = add_string(".strtab"),
				  .sh_type = SHT_STRTAB,
				  .sh_offset = AT(strings),
				  .sh_size = sizeof(f.strings) };
	f.shdr[3] = (Elf64_Shdr){ .sh_name = add_string(ANPU_META_PREFIX "add"),
				  .sh_type = SHT_PROGBITS,
				  .sh_offset = AT(meta),
				  .sh_size = end - f.meta };
	f.shdr[4] = f.shdr[2];
	make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIC);
	make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
}

static void make(void)
{
	memset(&f, 0, sizeof(f));
	f.ehdr = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_flags = 4,
		.e_phoff = AT(phdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shoff = AT(shdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 7,
		.e_shstrndx = 4,
	};
	f.phdr[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_X,
				  .p_offset = AT(code),
				  .p_vaddr = CODE,
				  .p_filesz = sizeof(f.code),
				  .p_memsz = sizeof(f.code) };
	f.phdr[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
				  .p_flags = PF_R | PF_W,
				  .p_offset = AT(data),
				  .p_vaddr = DATA,
				  .p_filesz = sizeof(f.data),
				  .p_memsz = sizeof(f.data) + 100 };
	f.phdr[2] = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
				  .p_offset = AT(data.dyn),
				  .p_vaddr = DATA + AT(data.dyn) - AT(data),
				  .p_filesz = sizeof(f.data.dyn),
				  .p_memsz = sizeof(f.data.dyn) };
	f.code[0] = 0x13;
	f.data.rela =
		(Elf64_Rela){ .r_offset = DATA, .r_info = R_RISCV_RELATIVE, .r_addend = CODE + 4 };
	f.data.again =
		(Elf64_Rela){ .r_offset = DATA + 8, .r_info = R_RISCV_RELATIVE, .r_addend = DATA + 24 };
	f.data.dyn[0] = (Elf64_Dyn){ .d_tag = DT_RELA, .d_un.d_val = DATA + 16 };
	f.data.dyn[1] = (Elf64_Dyn){ .d_tag = DT_RELASZ, .d_un.d_val = 2 * sizeof(Elf64_Rela) };
	make_sections();
}

/* Parses a copy of exactly @size bytes, so that the sanitizer sees a read past the end */
static struct anpu_image *parse(const void *data, size_t size)
{
	void *copy = malloc(size ? size : 1);
	struct anpu_image *image;

	memcpy(copy, data, size);
	strcpy(why, "(nothing)");
	image = anpu_elf_parse(copy, size, why, sizeof(why));
	free(copy);
	return image;
}

static void refused(const char *part)
{
	struct anpu_image *image = parse(&f, sizeof(f));

	if (image)
		FAIL("accepted, and should be refused with '%s'", part);
	if (!strstr(why, part))
		FAIL("'%s' does not say '%s'", why, part);
}

#define REFUSED(part, ...)     \
	do {                   \
		make();        \
		__VA_ARGS__;   \
		refused(part); \
	} while (0)

static void good_file(void)
{
	struct anpu_image *image;
	uint8_t *mem;
	uint64_t pointer;

	make();
	image = parse(&f, sizeof(f));
	if (!image)
		FAIL("refused: %s", why);
	CHECK_EQ(image->low, 0x1000);
	CHECK_EQ(image->high, 0x4000);
	CHECK_EQ(image->segment_count, 2);
	mem = malloc(image->high - image->low);
	memset(mem, 0xff, image->high - image->low);
	anpu_elf_place(image, 0x7f0000000000, mem);
	CHECK_EQ(*(uint32_t *)mem, 0x13);
	CHECK_EQ(mem[sizeof(f.code)], 0);
	memcpy(&pointer, mem + DATA - CODE, 8);
	CHECK_EQ(pointer, 0x7f0000000004);
	memcpy(&pointer, mem + DATA - CODE + 8, 8);
	CHECK_EQ(pointer, 0x7f0000000000 + DATA - CODE + 24);
	CHECK_EQ(mem[DATA - CODE + sizeof(f.data) + 99], 0);
	free(mem);
	anpu_elf_free(image);
}

static const struct anpu_elf_symbol *object(struct anpu_image **image, const char *name)
{
	*image = parse(&f, sizeof(f));
	if (!*image)
		FAIL("refused: %s", why);
	return anpu_elf_object(*image, name);
}

/* Variables: those of which all bytes are in one segment, and are the program's, not the code's */
static void objects_by_name_and_address(void)
{
	const uint64_t end = DATA + sizeof(f.data) + 100;
	const struct anpu_elf_symbol *s;
	struct anpu_image *image;

	make();
	s = object(&image, "table");
	CHECK(s && s->value == DATA && s->size == 8 && s->global);
	CHECK(!anpu_elf_object(image, "add") && !anpu_elf_object(image, "tabl") && !anpu_elf_object(image, "table2"));
	CHECK(anpu_elf_object_at(image, DATA) == s && anpu_elf_object_at(image, DATA + 7) == s);
	CHECK(!anpu_elf_object_at(image, DATA - 1) && !anpu_elf_object_at(image, DATA + 8));
	CHECK(!anpu_elf_object_at(image, CODE));
	anpu_elf_free(image);

	/* what is neither a variable nor a function has no object behind it */
	f.sym[6].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	CHECK(!object(&image, "table") && !anpu_elf_object_at(image, DATA));
	anpu_elf_free(image);
	f.sym[6].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);

	f.sym[6].st_size = 0;
	CHECK(!object(&image, "table") && !anpu_elf_object_at(image, DATA));
	anpu_elf_free(image);
	f.sym[6].st_size = 8;
	f.sym[6].st_value = end - 8;
	CHECK(object(&image, "table") && anpu_elf_object_at(image, end - 1));
	anpu_elf_free(image);
	f.sym[6].st_value++;
	CHECK(!object(&image, "table") && !anpu_elf_object_at(image, end - 1));
	anpu_elf_free(image);
	f.sym[6].st_value = CODE - 4;
	CHECK(!object(&image, "table") && !anpu_elf_object_at(image, CODE));
	anpu_elf_free(image);

	/* of two with one name the global one, in either order */
	make();
	f.sym[7] = f.sym[6];
	f.sym[7].st_value = DATA + 16;
	for (int local = 6; local <= 7; local++) {
		f.sym[6].st_info = ELF64_ST_INFO(local == 6 ? STB_LOCAL : STB_GLOBAL, STT_OBJECT);
		f.sym[7].st_info = ELF64_ST_INFO(local == 7 ? STB_LOCAL : STB_GLOBAL, STT_OBJECT);
		s = object(&image, "table");
		CHECK(s && s->value == (local == 6 ? DATA + 16 : DATA));
		anpu_elf_free(image);
	}
	f.sym[6].st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
	f.sym[7].st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
	s = object(&image, "table");
	CHECK(s && !s->global);
	anpu_elf_free(image);
}

static void kernels_by_name(void)
{
	struct anpu_image *image;
	struct anpu_elf_kernel k;
	char names[100];

	make();
	image = parse(&f, sizeof(f));
	CHECK(image);
	CHECK(!anpu_elf_find(image, "add", &k));
	CHECK_EQ(k.entry->value, CODE + 8);
	CHECK_EQ(k.func->value, CODE);
	CHECK(!k.aiv);
	CHECK(k.meta);
	CHECK_EQ(k.meta->kernel_type, ANPU_META_TYPE_AIV);
	CHECK_EQ(k.meta->param_count, 2);
	CHECK_EQ(k.meta->args_size, 12);
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_names, 0), "x"));
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_names, 1), ""));
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_types, 0), "int *"));
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_types, 1), ""));
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_types, 2), ""));
	CHECK(!strcmp(anpu_elf_string(&k.meta->param_types, 3), ""));
	CHECK(!anpu_elf_find(image, "pair", &k));
	CHECK_EQ(k.entry->value, CODE + 24);
	CHECK_EQ(k.aiv->value, CODE + 32);
	CHECK(anpu_elf_find(image, "helper", &k)); /* no entry: a function, but no kernel */
	CHECK(anpu_elf_find(image, "table", &k));
	CHECK(anpu_elf_find(image, "", &k));
	CHECK(anpu_elf_find(image, "ad", &k));
	anpu_elf_names(image, names, sizeof(names));
	if (strcmp(names, "add, pair_mix_aic, pair_mix_aiv"))
		FAIL("names are '%s'", names);
	anpu_elf_names(image, names, 30);
	if (strcmp(names, "add and 2 more"))
		FAIL("short names are '%s'", names);
	anpu_elf_free(image);
}

static void function_is(uint64_t address, const char *name)
{
	struct anpu_image *image = parse(&f, sizeof(f));
	const struct anpu_elf_symbol *s;

	CHECK(image);
	s = anpu_elf_function_at(image, address);
	if (!s || strcmp(s->name, name))
		FAIL("%#llx is in '%s' and not in '%s'", (unsigned long long)address, s ? s->name : "nothing", name);
	anpu_elf_free(image);
}

/* The function that begins last before an address and has it, in whatever order the table has them; objects are none */
static void functions_by_address(void)
{
	static const char *const entry = ANPU_ENTRY_PREFIX "add";
	struct anpu_image *image;

	for (int swapped = 0; swapped < 2; swapped++) {
		make();
		if (swapped) {
			Elf64_Sym first = f.sym[1];

			f.sym[1] = f.sym[7];
			f.sym[7] = first;
		}
		function_is(CODE, "add");
		function_is(CODE + 7, "add");
		function_is(CODE + 8, entry);
		function_is(CODE + 15, entry);
		function_is(CODE + 40, "helper");
		function_is(CODE + 47, "helper");
		image = parse(&f, sizeof(f));
		CHECK(image);
		CHECK(!anpu_elf_function_at(image, CODE - 1));
		CHECK(!anpu_elf_function_at(image, CODE + 48));
		CHECK(!anpu_elf_function_at(image, DATA));
		anpu_elf_free(image);
		/* one around the others, and one without a size, which goes on for ever */
		f.sym[swapped ? 7 : 1].st_size = 100;
		function_is(CODE + 8, entry);
		function_is(CODE + 48, "add");
		f.sym[swapped ? 1 : 7].st_size = 0;
		function_is(CODE + 41, "helper");
		function_is(CODE + 1000, "helper");
		function_is(CODE + 4, "add");
	}
}

/* A kernel for this instruction set, with additions to it, loads. One for the next does not; both numbers are told */
static void instruction_sets(void)
{
	static const uint32_t newer = ANPU_ISA_VERSION + 0x100, same = ANPU_ISA_VERSION | 0xff;
	struct anpu_image *image;
	char both[80];

	make();
	add_to_half(0, make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIC), ANPU_META_ISA_VERSION, same);
	image = parse(&f, sizeof(f));
	CHECK(image);
	anpu_elf_free(image);
	snprintf(both, sizeof(both), "set %u, which is newer than this library knows (%u)", newer >> 8,
		 ANPU_ISA_VERSION >> 8);
	make();
	add_to_half(0, make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIC), ANPU_META_ISA_VERSION, newer);
	refused(both);
}

static void no_elf(void)
{
	CHECK(!parse("", 0));
	CHECK(strstr(why, "is empty"));
	CHECK(!parse("ab", 2));
	CHECK(strstr(why, "only 2 bytes"));
	CHECK(!parse("#!/bin/sh\necho\n", 15));
	CHECK(strstr(why, "is no ELF file"));
	CHECK(strstr(why, "23 21 2f 62"));
	make();
	CHECK(!parse(&f, 63));
	CHECK(strstr(why, "is truncated"));
}

static void wrong_kind(void)
{
	REFUSED("x86-64", f.ehdr.e_machine = EM_X86_64);
	REFUSED("scripts/anpucc", f.ehdr.e_machine = EM_AARCH64);
	REFUSED("ET_REL", f.ehdr.e_type = ET_REL);
	REFUSED("fixed addresses", f.ehdr.e_type = ET_EXEC);
	REFUSED("type 4", f.ehdr.e_type = ET_CORE);
	REFUSED("64-bit", f.ehdr.e_ident[EI_CLASS] = ELFCLASS32);
	REFUSED("little-endian", f.ehdr.e_ident[EI_DATA] = ELFDATA2MSB);
	REFUSED("compressed", f.ehdr.e_flags |= 1);
	REFUSED("dynamic linker", f.phdr[2].p_type = PT_INTERP);
	REFUSED("thread-local", f.phdr[2].p_type = PT_TLS);
	REFUSED("shared library", f.data.dyn[0].d_tag = DT_NEEDED);
	REFUSED("no symbol table", f.shdr[1].sh_type = SHT_PROGBITS);
	REFUSED("no symbol table", f.ehdr.e_shnum = 0);
	REFUSED("no executable segment", f.phdr[0].p_flags = PF_R);
	REFUSED("writable and executable", f.phdr[0].p_flags = PF_R | PF_W | PF_X);
}

static void bad_headers(void)
{
	REFUSED("program headers", f.ehdr.e_phnum = 0);
	REFUSED("program headers", f.ehdr.e_phentsize = 40);
	REFUSED("truncated", f.ehdr.e_phoff = sizeof(f));
	REFUSED("truncated", f.ehdr.e_phoff = UINT64_MAX - 8);
	REFUSED("truncated", f.ehdr.e_phnum = 65535);
	REFUSED("truncated", f.ehdr.e_shoff = UINT64_MAX);
	REFUSED("malformed", f.ehdr.e_shentsize = 1);
	REFUSED("malformed", f.phdr[0].p_filesz = f.phdr[0].p_memsz + 1);
	REFUSED("truncated", f.phdr[0].p_offset = UINT64_MAX - 16);
	REFUSED("truncated", f.phdr[0].p_filesz = f.phdr[0].p_memsz = 1 << 20);
	REFUSED("too large", f.phdr[1].p_vaddr = UINT64_MAX - 4);
	REFUSED("too large", f.phdr[1].p_memsz = UINT64_MAX);
	REFUSED("too large", f.phdr[1].p_vaddr = ANPU_ELF_MAX_SPAN);
	REFUSED("share a page", f.phdr[1].p_vaddr = CODE + 0x800);
	REFUSED("out of order", f.phdr[1].p_vaddr = 0);
}

static void bad_relocations(void)
{
	REFUSED("type 2", f.data.rela.r_info = R_RISCV_64);
	REFUSED("outside its segments", f.data.rela.r_offset = 0x2000);
	REFUSED("outside its segments", f.data.rela.r_offset = UINT64_MAX - 3);
	REFUSED("malformed", f.data.dyn[1].d_un.d_val = 1 << 20);
	REFUSED("malformed", f.data.dyn[1].d_un.d_val = sizeof(Elf64_Rela) - 1);
	REFUSED("malformed", f.data.dyn[0].d_un.d_val = UINT64_MAX - 7);
	REFUSED("kind", f.data.dyn[0].d_tag = DT_REL);
	REFUSED("kind", f.data.dyn[0].d_tag = 36);
	REFUSED("procedure linkage", f.data.dyn[0].d_tag = DT_JMPREL;
		f.data.dyn[1].d_tag = DT_PLTRELSZ);
	REFUSED("truncated", f.phdr[2].p_offset = sizeof(f));
}

static void undefined_symbol_is_named(void)
{
	/* symbol 7 of the table at 0x3000 is "nowhere", which the program does not define */
	make();
	f.data.rela.r_info = ELF64_R_INFO(1, R_RISCV_64);
	f.data.dyn[2] = (Elf64_Dyn){ .d_tag = DT_SYMTAB, .d_un.d_val = CODE };
	f.data.dyn[3] = (Elf64_Dyn){ .d_tag = DT_STRTAB, .d_un.d_val = CODE + 48 };
	refused("symbol '?'"); /* no DT_STRSZ: nothing may be read */
}

static void bad_symbols(void)
{
	REFUSED("malformed", f.sym[1].st_name = sizeof(f.strings));
	REFUSED("no place for code", f.sym[1].st_value = DATA);
	REFUSED("no place for code", f.sym[1].st_value = CODE + 2);
	REFUSED("no place for code", f.sym[1].st_value = UINT64_MAX - 1);
	REFUSED("truncated", f.shdr[1].sh_size = 1 << 20);
	REFUSED("truncated", f.shdr[1].sh_offset = UINT64_MAX - 8);
	REFUSED("malformed", f.shdr[1].sh_link = 99);
	REFUSED("truncated", f.shdr[2].sh_offset = sizeof(f));
	REFUSED("truncated", f.shdr[3].sh_size = 1 << 20);
	REFUSED("malformed", f.shdr[3].sh_size -= 1);
	REFUSED("type 9", f.meta[4] = 9);
	REFUSED("newer", f.meta[f.shdr[3].sh_size - 3] = 9);
	REFUSED("malformed", memset(f.strings, 'x', sizeof(f.strings)));
}

static void survives_every_prefix(void)
{
	struct anpu_image *image;

	make();
	for (size_t n = 0; n < sizeof(f); n++) {
		image = parse(&f, n);
		if (image)
			FAIL("%zu of %zu bytes were accepted", n, sizeof(f));
	}
}

/* The halves of a MIX kernel get one block of arguments, and the records of the cube half count for both. */
static void mix_halves(void)
{
	struct anpu_image *image;
	uint8_t *end;

	REFUSED("'pair_mix_aic' 2 in 16 bytes, 'pair_mix_aiv' 3 in 24",
		make_half(1, 3, 8, ANPU_META_TYPE_MIX_AIV));
	REFUSED("take different arguments", make_half(1, 2, 4, ANPU_META_TYPE_MIX_AIV));
	REFUSED("take different arguments", make_half(0, 1, 8, ANPU_META_TYPE_MIX_AIC));
	REFUSED("KERNEL_TYPE records 5 and 5", make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIV));
	REFUSED("KERNEL_TYPE records 4 and 2", make_half(1, 2, 8, ANPU_META_TYPE_AIC));
	REFUSED("different MIX_RATIO records", end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		add_to_half(1, end, ANPU_META_MIX_RATIO, 1 | 2 << 16));
	REFUSED("different SCHED_MODE records", end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		add_to_half(1, end, ANPU_META_SCHED_MODE, 1));
	REFUSED("different BLOCK_COUNT records", end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		add_to_half(1, end, ANPU_META_BLOCK_COUNT, 3));
	REFUSED("different TILING_KEY records", end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		add_to_half(1, end, ANPU_META_TILING_KEY, 3));
	/* half of the ratio is the same */
	REFUSED("different MIX_RATIO records", end = make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIC);
		add_to_half(0, end, ANPU_META_MIX_RATIO, 1 | 1 << 16); end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		add_to_half(1, end, ANPU_META_MIX_RATIO, 1 | 2 << 16));
	/* the cube half says it, the vector half the same or nothing */
	for (int both = 0; both < 2; both++) {
		make();
		end = make_half(0, 2, 8, ANPU_META_TYPE_MIX_AIC);
		add_to_half(0, end, ANPU_META_MIX_RATIO, 1 | 2 << 16);
		end = make_half(1, 2, 8, ANPU_META_TYPE_MIX_AIV);
		if (both)
			add_to_half(1, end, ANPU_META_MIX_RATIO, 1 | 2 << 16);
		image = parse(&f, sizeof(f));
		if (!image)
			FAIL("refused: %s", why);
		anpu_elf_free(image);
	}
}

static uint32_t kernel_type_of_pair(void)
{
	struct anpu_image *image = parse(&f, sizeof(f));
	struct anpu_elf_kernel k;
	uint32_t type;

	if (!image)
		FAIL("refused: %s", why);
	CHECK(!anpu_elf_find(image, "pair", &k));
	type = k.meta ? k.meta->kernel_type : 0;
	anpu_elf_free(image);
	return type;
}

/*
 * Records with the name of the kernel itself come first, then those of the cube half, then those of
 * the vector half.
 */
static void records_of_a_mix_kernel_by_name(void)
{
	make();
	CHECK_EQ(kernel_type_of_pair(), ANPU_META_TYPE_MIX_AIC);
	add_symbol(6, "pair_mix_aiv", CODE + 48, STT_FUNC);
	f.shdr[5].sh_name = add_string(".other");
	CHECK_EQ(kernel_type_of_pair(), ANPU_META_TYPE_MIX_AIV);
	f.shdr[5].sh_name = add_string(ANPU_META_PREFIX "pair");
	CHECK_EQ(kernel_type_of_pair(), ANPU_META_TYPE_MIX_AIC);
	f.shdr[5].sh_name = add_string(".other");
	f.shdr[6].sh_name = f.shdr[5].sh_name;
	CHECK_EQ(kernel_type_of_pair(), 0);
}

/* Random damage: whatever is accepted must be usable without harm */
static void survives_damage(void)
{
	uint64_t seed = 88172645463325252ULL;
	struct anpu_elf_kernel k;
	unsigned int accepted = 0;
	char names[64];

	for (int round = 0; round < 100000; round++) {
		struct anpu_image *image;
		uint8_t *bytes = (uint8_t *)&f;

		make();
		for (int i = 0; i <= round % 4; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[seed % sizeof(f)] = seed >> 32;
		}
		image = parse(&f, sizeof(f));
		if (!image)
			continue;
		accepted++;
		if (image->high - image->low < 1 << 20) {
			void *mem = malloc(image->high - image->low);

			anpu_elf_place(image, 0x7f0000000000, mem);
			free(mem);
		}
		anpu_elf_find(image, "add", &k);
		anpu_elf_names(image, names, sizeof(names));
		anpu_elf_function_at(image, CODE + 4);
		anpu_elf_free(image);
	}
	CHECK(accepted > 100);
}

TAP_MAIN(TEST(good_file), TEST(objects_by_name_and_address), TEST(kernels_by_name), TEST(functions_by_address), TEST(instruction_sets),
	 TEST(no_elf), TEST(wrong_kind), TEST(bad_headers),
	 TEST(bad_relocations), TEST(undefined_symbol_is_named), TEST(bad_symbols),
	 TEST(mix_halves), TEST(records_of_a_mix_kernel_by_name), TEST(survives_every_prefix),
	 TEST(survives_damage))
