// SPDX-License-Identifier: MIT
/*
 * Reading an operator's ELF file: the symbol table, .ascend.meta.<kernel> records, and looking
 * kernels up by name.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "elf.h"
#include "elf_internal.h"

/* A name in a string table; NULL if it does not end inside the table */
static const char *string_at(const struct anpu_elf_reader *r, const Elf64_Shdr *strings,
			     uint32_t name)
{
	const char *s = anpu_elf_at(r, strings->sh_offset, strings->sh_size);

	if (!s || name >= strings->sh_size || !memchr(s + name, 0, strings->sh_size - name))
		return NULL;
	return s + name;
}

static Elf64_Shdr section_at(const struct anpu_elf_reader *r, const uint8_t *table, unsigned int i)
{
	Elf64_Shdr s = { 0 };

	if (i < r->ehdr.e_shnum)
		memcpy(&s, table + i * sizeof(s), sizeof(s));
	return s;
}

static int check_function(struct anpu_elf_reader *r, const struct anpu_elf_symbol *sym)
{
	const struct anpu_elf_segment *seg = anpu_elf_segment_of(r->image, sym->value, 4);

	if (!seg || !(seg->flags & PF_X) || sym->value % 4)
		return anpu_elf_refuse(
			r, "is malformed: function '%s' is at 0x%llx, which is no place for code",
			sym->name, (unsigned long long)sym->value);
	return 0;
}

static int read_symbols(struct anpu_elf_reader *r, const uint8_t *table, const Elf64_Shdr *section)
{
	const uint8_t *s = anpu_elf_at(r, section->sh_offset, section->sh_size);
	Elf64_Shdr strings = section_at(r, table, section->sh_link);
	size_t count = section->sh_size / sizeof(Elf64_Sym), i;

	if (!s || !anpu_elf_at(r, strings.sh_offset, strings.sh_size))
		return anpu_elf_refuse(r,
				       "is truncated: its symbol table lies behind its %zu bytes",
				       r->image->size);
	r->image->symbol = calloc(count ? count : 1, sizeof(*r->image->symbol));
	if (!r->image->symbol)
		return anpu_elf_refuse(r, "has %zu symbols, which do not fit into memory", count);
	for (i = 0; i < count; i++) {
		struct anpu_elf_symbol *out = &r->image->symbol[r->image->symbol_count];
		Elf64_Sym sym;

		memcpy(&sym, s + i * sizeof(sym), sizeof(sym));
		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE)
			continue;
		if (ELF64_ST_TYPE(sym.st_info) != STT_FUNC &&
		    ELF64_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		out->name = string_at(r, &strings, sym.st_name);
		out->value = sym.st_value;
		out->size = sym.st_size;
		out->func = ELF64_ST_TYPE(sym.st_info) == STT_FUNC;
		out->global = ELF64_ST_BIND(sym.st_info) != STB_LOCAL;
		if (!out->name)
			return anpu_elf_refuse(
				r,
				"is malformed: the name of symbol %zu is outside its string table",
				i);
		if (out->func && check_function(r, out))
			return -1;
		if (*out->name)
			r->image->symbol_count++;
	}
	return 0;
}

static uint64_t little_endian(const uint8_t *p, unsigned int n)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < n && i < 8; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void read_params(struct anpu_elf_meta *m, const uint8_t *value, unsigned int length)
{
	struct anpu_meta_param p;
	unsigned int i;

	m->params = value;
	m->param_count = length / sizeof(p);
	for (i = 0; i < m->param_count; i++) {
		memcpy(&p, value + i * sizeof(p), sizeof(p));
		if ((uint32_t)p.offset + p.size > m->args_size)
			m->args_size = (uint32_t)p.offset + p.size;
	}
}

static void read_record(struct anpu_elf_meta *m, unsigned int type, const uint8_t *value,
			unsigned int length)
{
	uint64_t v = little_endian(value, length);

	switch (type) {
	case ANPU_META_KERNEL_TYPE:
		m->kernel_type = v;
		break;
	case ANPU_META_CROSS_SYNC:
		m->cross_core_sync = v;
		break;
	case ANPU_META_MIX_RATIO:
		m->mix_cube = v & 0xffff;
		m->mix_vector = v >> 16 & 0xffff;
		break;
	case ANPU_META_STACK_SIZE:
		m->stack_size = v;
		break;
	case ANPU_META_TILING_KEY:
		m->tiling_key = v;
		break;
	case ANPU_META_BLOCK_COUNT:
		m->block_count = v;
		break;
	case ANPU_META_SCHED_MODE:
		m->sched_mode = v;
		break;
	case ANPU_META_ISA_VERSION:
		m->isa_version = v;
		break;
	case ANPU_META_THREADS:
		m->threads = v;
		break;
	case ANPU_META_SHARED_SIZE:
		m->shared_size = v;
		break;
	case ANPU_META_CLUSTER:
		if (length == sizeof(m->cluster))
			memcpy(m->cluster, value, sizeof(m->cluster));
		break;
	case ANPU_META_PARAMS:
		read_params(m, value, length);
		break;
	case ANPU_META_PARAM_NAMES:
		m->param_names = (struct anpu_elf_strings){ (const char *)value, length };
		break;
	case ANPU_META_PARAM_TYPES:
		m->param_types = (struct anpu_elf_strings){ (const char *)value, length };
		break;
	default: /* later versions may say more */
		break;
	}
}

static int read_meta(struct anpu_elf_reader *r, const Elf64_Shdr *section, const char *name)
{
	const uint8_t *p = anpu_elf_at(r, section->sh_offset, section->sh_size);
	struct anpu_elf_meta *more;
	uint64_t left = section->sh_size;

	if (!p)
		return anpu_elf_refuse(r, "is truncated: section %s%s lies behind its %zu bytes",
				       ANPU_META_PREFIX, name, r->image->size);
	more = realloc(r->image->meta, (r->image->meta_count + 1) * sizeof(*more));
	if (!more)
		return anpu_elf_refuse(r, "has more .ascend.meta records than fit into memory");
	r->image->meta = more;
	more += r->image->meta_count++;
	*more = (struct anpu_elf_meta){ .name = name };
	while (left >= 4) {
		unsigned int type = little_endian(p, 2), length = little_endian(p + 2, 2);

		if (length > left - 4)
			return anpu_elf_refuse(r,
					       "is malformed: a record in section %s%s says %u "
					       "bytes and %llu are left",
					       ANPU_META_PREFIX, name, length,
					       (unsigned long long)left - 4);
		read_record(more, type, p + 4, length);
		p += 4 + length;
		left -= 4 + length;
	}
	if (more->kernel_type > ANPU_META_TYPE_MIX_AIV)
		return anpu_elf_refuse(r, "has a kernel '%s' of type %u, and types end at %u", name,
				       more->kernel_type, ANPU_META_TYPE_MIX_AIV);
	if (more->stack_size > ANPU_STACK_SIZE)
		return anpu_elf_refuse(
			r, "has a kernel '%s' that needs %u bytes of stack, and a core has %u",
			name, more->stack_size, ANPU_STACK_SIZE);
	if (more->isa_version >> 8 > ANPU_ISA_VERSION >> 8)
		return anpu_elf_refuse(r,
				       "has a kernel '%s' for instruction set %u, which is newer "
				       "than this library knows (%u)",
				       name, more->isa_version >> 8, ANPU_ISA_VERSION >> 8);
	return 0;
}

static const struct anpu_elf_meta *find_meta(const struct anpu_image *image, const char *name)
{
	size_t i;

	for (i = 0; i < image->meta_count; i++)
		if (!strcmp(image->meta[i].name, name))
			return &image->meta[i];
	return NULL;
}

/* A record of the vector half that the cube half, whose records count for both, has not or has otherwise */
static const char *contradiction(const struct anpu_elf_meta *aic, const struct anpu_elf_meta *aiv)
{
	if (aiv->mix_vector && (aiv->mix_vector != aic->mix_vector || aiv->mix_cube != aic->mix_cube))
		return "MIX_RATIO";
	if (aiv->sched_mode && aiv->sched_mode != aic->sched_mode)
		return "SCHED_MODE";
	if (aiv->block_count && aiv->block_count != aic->block_count)
		return "BLOCK_COUNT";
	if (aiv->tiling_key && aiv->tiling_key != aic->tiling_key)
		return "TILING_KEY";
	return NULL;
}

/* Both halves of a MIX kernel are launched as one: with the same arguments, by the records of the cube half. */
static int check_pair(struct anpu_elf_reader *r, const struct anpu_elf_meta *aic,
		      const struct anpu_elf_meta *aiv)
{
	const char *record = contradiction(aic, aiv);
	bool params = aic->params && aiv->params;

	if (aic->kernel_type == ANPU_META_TYPE_AIV || aic->kernel_type == ANPU_META_TYPE_MIX_AIV ||
	    aiv->kernel_type == ANPU_META_TYPE_AIC || aiv->kernel_type == ANPU_META_TYPE_MIX_AIC)
		return anpu_elf_refuse(r,
				       "has a MIX kernel whose halves '%s' and '%s' have the KERNEL_TYPE "
				       "records %u and %u, which exchange cube and vector unit",
				       aic->name, aiv->name, aic->kernel_type, aiv->kernel_type);
	if (record)
		return anpu_elf_refuse(r,
				       "has a MIX kernel whose halves '%s' and '%s' have different %s "
				       "records: write it in the cube half, which counts for both",
				       aic->name, aiv->name, record);
	if (params && (aic->param_count != aiv->param_count ||
		       memcmp(aic->params, aiv->params,
			      aic->param_count * sizeof(struct anpu_meta_param))))
		return anpu_elf_refuse(r,
				       "has a MIX kernel whose halves take different arguments: '%s' "
				       "%u in %u bytes, '%s' %u in %u; both get the same block of "
				       "arguments, so give them the same parameters",
				       aic->name, aic->param_count, aic->args_size, aiv->name,
				       aiv->param_count, aiv->args_size);
	return 0;
}

static int check_pairs(struct anpu_elf_reader *r)
{
	const size_t n = strlen(ANPU_MIX_AIC_SUFFIX);
	size_t i;

	for (i = 0; i < r->image->meta_count; i++) {
		const struct anpu_elf_meta *aic = &r->image->meta[i], *aiv;
		size_t length = strlen(aic->name);
		char name[256];

		if (length < n || length >= sizeof(name) ||
		    strcmp(aic->name + length - n, ANPU_MIX_AIC_SUFFIX))
			continue;
		snprintf(name, sizeof(name), "%.*s" ANPU_MIX_AIV_SUFFIX, (int)(length - n), aic->name);
		aiv = find_meta(r->image, name);
		if (aiv && check_pair(r, aic, aiv))
			return -1;
	}
	return 0;
}

/* Variables that the program is to reach lie in one section, and that in a segment with data */
static int read_managed(struct anpu_elf_reader *r, const Elf64_Shdr *section)
{
	const struct anpu_elf_segment *seg = anpu_elf_segment_of(r->image, section->sh_addr, section->sh_size);

	if (!seg || !(seg->flags & PF_W))
		return anpu_elf_refuse(r, "is malformed: section " ANPU_MANAGED_SECTION " is at 0x%llx with 0x%llx bytes, which is "
					  "no place for variables",
				       (unsigned long long)section->sh_addr, (unsigned long long)section->sh_size);
	r->image->managed = section->sh_addr;
	r->image->managed_size = section->sh_size;
	return 0;
}

int anpu_elf_read_sections(struct anpu_elf_reader *r)
{
	Elf64_Shdr names;
	const uint8_t *table;
	unsigned int i;

	if (r->ehdr.e_shnum && r->ehdr.e_shentsize != sizeof(Elf64_Shdr))
		return anpu_elf_refuse(r, "is malformed: section headers of %u bytes",
				       r->ehdr.e_shentsize);
	table = anpu_elf_at(r, r->ehdr.e_shoff, (uint64_t)r->ehdr.e_shnum * sizeof(Elf64_Shdr));
	if (!table)
		return anpu_elf_refuse(r,
				       "is truncated: its section headers lie behind its %zu bytes",
				       r->image->size);
	names = section_at(r, table, r->ehdr.e_shstrndx);
	for (i = 0; i < r->ehdr.e_shnum; i++) {
		Elf64_Shdr s = section_at(r, table, i);
		const char *name = string_at(r, &names, s.sh_name);

		if (s.sh_type == SHT_SYMTAB && !r->image->symbol && read_symbols(r, table, &s))
			return -1;
		if (name && s.sh_size && !strcmp(name, ANPU_MANAGED_SECTION) && read_managed(r, &s))
			return -1;
		if (name && s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL &&
		    !strncmp(name, ANPU_META_PREFIX, strlen(ANPU_META_PREFIX)) &&
		    read_meta(r, &s, name + strlen(ANPU_META_PREFIX)))
			return -1;
	}
	if (!r->image->symbol)
		return anpu_elf_refuse(
			r, "has no symbol table, so its kernels have no names: do not strip it");
	return check_pairs(r);
}

/* The function called prefix + name + suffix */
static const struct anpu_elf_symbol *find_function(const struct anpu_image *image,
						   const char *prefix, const char *name,
						   const char *suffix)
{
	size_t before = strlen(prefix), n = strlen(name), i;

	for (i = 0; i < image->symbol_count; i++) {
		const struct anpu_elf_symbol *s = &image->symbol[i];

		if (s->func && !strncmp(s->name, prefix, before) &&
		    !strncmp(s->name + before, name, n) && !strcmp(s->name + before + n, suffix))
			return s;
	}
	return NULL;
}

int anpu_elf_find(const struct anpu_image *image, const char *name, struct anpu_elf_kernel *kernel)
{
	*kernel = (struct anpu_elf_kernel){
		.func = find_function(image, "", name, ""),
		.entry = find_function(image, ANPU_ENTRY_PREFIX, name, ""),
	};
	if (!kernel->entry) {
		kernel->func = find_function(image, "", name, ANPU_MIX_AIC_SUFFIX);
		kernel->entry = find_function(image, ANPU_ENTRY_PREFIX, name, ANPU_MIX_AIC_SUFFIX);
		kernel->aiv = find_function(image, ANPU_ENTRY_PREFIX, name, ANPU_MIX_AIV_SUFFIX);
		kernel->aiv_func = find_function(image, "", name, ANPU_MIX_AIV_SUFFIX);
		if (!kernel->entry || !kernel->aiv)
			return -1;
	}
	if (!kernel->func)
		return -1;
	kernel->meta = find_meta(image, name);
	if (!kernel->meta)
		kernel->meta = find_meta(image, kernel->func->name);
	if (!kernel->meta && kernel->aiv_func)
		kernel->meta = find_meta(image, kernel->aiv_func->name);
	return 0;
}

const char *anpu_elf_string(const struct anpu_elf_strings *strings, unsigned int index)
{
	const char *at = strings->text, *end = at + strings->size, *zero;

	while (at < end && (zero = memchr(at, 0, (size_t)(end - at)))) {
		if (!index--)
			return at;
		at = zero + 1;
	}
	return "";
}

void anpu_elf_names(const struct anpu_image *image, char *buf, size_t size)
{
	size_t prefix = strlen(ANPU_ENTRY_PREFIX), total = 0, shown = 0, used = 0, i;

	*buf = 0;
	for (i = 0; i < image->symbol_count; i++) {
		const char *name = image->symbol[i].name;

		if (!image->symbol[i].func || strncmp(name, ANPU_ENTRY_PREFIX, prefix))
			continue;
		total++;
		if (used + strlen(name + prefix) + 24 > size)
			continue;
		used += snprintf(buf + used, size - used, "%s%s", shown ? ", " : "", name + prefix);
		shown++;
	}
	if (!total)
		snprintf(buf, size, "none");
	else if (shown < total)
		snprintf(buf + used, size - used, "%s%zu more", shown ? " and " : "",
			 total - shown);
}

bool anpu_elf_kernel_at(const struct anpu_image *image, size_t n, char *buf, size_t size)
{
	size_t prefix = strlen(ANPU_ENTRY_PREFIX), cut = strlen(ANPU_MIX_AIC_SUFFIX), length, i;

	for (i = 0; i < image->symbol_count; i++) {
		const char *name = image->symbol[i].name;

		if (!image->symbol[i].func || strncmp(name, ANPU_ENTRY_PREFIX, prefix))
			continue;
		name += prefix;
		length = strlen(name);
		/* the halves of a pair are one kernel */
		if (length > cut && !strcmp(name + length - cut, ANPU_MIX_AIV_SUFFIX))
			continue;
		if (n--)
			continue;
		if (length > cut && !strcmp(name + length - cut, ANPU_MIX_AIC_SUFFIX))
			length -= cut;
		snprintf(buf, size, "%.*s", (int)length, name);
		return true;
	}
	return false;
}

const struct anpu_elf_symbol *anpu_elf_function_at(const struct anpu_image *image, uint64_t vaddr)
{
	const struct anpu_elf_symbol *best = NULL;
	size_t i;

	for (i = 0; i < image->symbol_count; i++) {
		const struct anpu_elf_symbol *s = &image->symbol[i];

		if (!s->func || vaddr < s->value || (best && best->value > s->value))
			continue;
		if (s->size && vaddr - s->value >= s->size)
			continue;
		best = s;
	}
	return best;
}

/* A symbol whose bytes are not in one segment is ignored */
static int inside(const struct anpu_image *image, const struct anpu_elf_symbol *s)
{
	return s->size && anpu_elf_segment_of(image, s->value, s->size);
}

/* Has the variable that name in the program: a static one of C++ has it behind _ZL and its length */
static bool is_named(const struct anpu_elf_symbol *s, const char *name)
{
	char *plain;

	if (!strcmp(s->name, name))
		return true;
	if (s->global || strncmp(s->name, "_ZL", 3))
		return false;
	return strtoul(s->name + 3, &plain, 10) == strlen(plain) && !strcmp(plain, name);
}

const struct anpu_elf_symbol *anpu_elf_object(const struct anpu_image *image, const char *name)
{
	const struct anpu_elf_symbol *local = NULL;
	size_t i;

	for (i = 0; i < image->symbol_count; i++) {
		const struct anpu_elf_symbol *s = &image->symbol[i];

		if (s->func || !is_named(s, name) || !inside(image, s))
			continue;
		if (s->global)
			return s;
		local = s;
	}
	return local;
}

const struct anpu_elf_symbol *anpu_elf_object_at(const struct anpu_image *image, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < image->symbol_count; i++) {
		const struct anpu_elf_symbol *s = &image->symbol[i];

		if (!s->func && vaddr >= s->value && vaddr - s->value < s->size && inside(image, s))
			return s;
	}
	return NULL;
}

const char *anpu_elf_kernel_of_key(const struct anpu_image *image, uint64_t key, size_t *count)
{
	const char *name = NULL;
	size_t i;

	*count = 0;
	for (i = 0; i < image->meta_count; i++) {
		if (image->meta[i].tiling_key != key)
			continue;
		name = image->meta[i].name;
		(*count)++;
	}
	return *count == 1 ? name : NULL;
}
