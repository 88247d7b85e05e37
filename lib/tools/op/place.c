// SPDX-License-Identifier: MIT
/* Puts the operator and its arguments into its memory, and takes the results out of it. */
#include <stdlib.h>
#include <string.h>

#include "op/session.h"

/* Tensors begin at a multiple of this, as aclrtMalloc() has it. */
#define TENSOR_ALIGN 64

bool op_kernel_param(const struct anpu_elf_kernel *kernel, unsigned int i,
		     struct anpu_meta_param *param)
{
	if (!kernel->meta || !kernel->meta->params || i >= kernel->meta->param_count)
		return false;
	memcpy(param, kernel->meta->params + i * sizeof(*param), sizeof(*param));
	return true;
}

static int wrong_count(const struct op_session *s)
{
	const struct anpu_elf_meta *meta = s->kernel.meta;

	fprintf(stderr, "anpu-op: kernel '%s' takes %u arguments, %u are given;", s->options.kernel,
		meta->param_count, s->param_count);
	for (unsigned int i = 0; i < meta->param_count; i++) {
		const char *type = anpu_elf_string(&meta->param_types, i);

		fprintf(stderr, "%s%s%s%s", i ? ", " : " they are ", type, *type ? " " : "",
			anpu_elf_string(&meta->param_names, i));
	}
	fputs(meta->param_count ? "\n" : " it has no parameters\n", stderr);
	return -1;
}

/* Whether lists may have these members: tensors behind the kernel's own arguments */
static int check_lists(struct op_session *s)
{
	unsigned int count = s->options.arg_count, listed = 0;
	bool taken[OP_MAX_ARGS] = { false };

	for (unsigned int i = 0; i < count; i++) {
		for (unsigned int k = 0; k < s->arg[i].member_count; k++) {
			unsigned int n = s->arg[i].members[k];

			if (n >= count || s->arg[n].kind != OP_TENSOR)
				return op_complain(s->options.args[i], "argument %u is no tensor", n);
			listed += !taken[n];
			taken[n] = true;
		}
	}
	s->param_count = count - listed;
	for (unsigned int i = 0; i < s->param_count; i++)
		if (taken[i])
			return op_complain(s->options.args[i],
					   "is a member of a list; members stand behind all arguments that the kernel has parameters for");
	return 0;
}

int op_parse_args(struct op_session *s)
{
	const struct anpu_elf_meta *meta = s->kernel.meta;
	bool known = meta && (meta->params || meta->param_count == 0), lists = false;

	s->param_count = s->options.arg_count;
	for (unsigned int i = 0; i < s->options.arg_count; i++)
		lists |= !strncmp(s->options.args[i], "list:", strlen("list:"));
	if (known && !lists && meta->param_count != s->param_count)
		return wrong_count(s);
	for (unsigned int i = 0; i < s->options.arg_count; i++) {
		struct anpu_meta_param param = { 0 };
		bool own = meta && i < meta->param_count;
		const char *name = own ? anpu_elf_string(&meta->param_names, i) : "";
		const char *type = own ? anpu_elf_string(&meta->param_types, i) : "";
		bool pointer =
			op_kernel_param(&s->kernel, i, &param) && param.kind == ANPU_PARAM_POINTER;
		const struct op_param p = { param.size, pointer, type, s->options.cast };

		snprintf(s->label[i], sizeof(s->label[i]), "%s", name);
		snprintf(s->name[i], sizeof(s->name[i]), *name ? "argument %u (%s)" : "argument %u",
			 i, name);
		if (!*name)
			snprintf(s->label[i], sizeof(s->label[i]), "arg%u", i);
		if (op_arg_parse(&s->arg[i], s->options.args[i], &p, s->options.seed + i)) {
			if (*name)
				fprintf(stderr, "  it is for parameter %u, %s%s%s\n", i, type,
					*type ? " " : "", name);
			return -1;
		}
		if (s->arg[i].same && (s->arg[i].same > i || s->arg[s->arg[i].same - 1].kind != OP_TENSOR))
			return op_complain(s->options.args[i], "argument %u is no tensor that stands before this one", s->arg[i].same - 1);
	}
	if (check_lists(s))
		return -1;
	return known && meta->param_count != s->param_count ? wrong_count(s) : 0;
}

static struct op_region *map(struct op_memory *m, const char *name, uint64_t size, uint64_t align,
			     uint32_t access)
{
	struct op_region *region = op_map(m, name, size, align, access);

	if (!region)
		fprintf(stderr, "anpu-op: out of memory for %s of %llu bytes\n", name,
			(unsigned long long)size);
	return region;
}

/* The operator's image: every segment with its own rights, at the distances that the file wants. */
static int place_image(struct op_session *s)
{
	const struct anpu_image *image = s->image;
	uint8_t *mem = malloc(image->high - image->low);

	if (!mem) {
		fprintf(stderr, "anpu-op: out of memory for the operator\n");
		return -1;
	}
	s->base = s->memory.next;
	anpu_elf_place(image, s->base, mem);
	for (unsigned int i = 0; i < image->segment_count; i++) {
		const struct anpu_elf_segment *seg = &image->segment[i];
		uint64_t low = seg->vaddr & ~(ANPU_ELF_PAGE - 1);
		uint64_t high =
			(seg->vaddr + seg->memsz + ANPU_ELF_PAGE - 1) & ~(ANPU_ELF_PAGE - 1);
		uint32_t access = (seg->flags & ANPU_ELF_R ? ANPU_ACCESS_READ : 0) |
				  (seg->flags & ANPU_ELF_W ? ANPU_ACCESS_WRITE : 0) |
				  (seg->flags & ANPU_ELF_X ? ANPU_ACCESS_FETCH : 0);
		bool code = seg->flags & ANPU_ELF_X;
		struct op_region *region;

		s->memory.next = s->base + (low - image->low);
		region = map(&s->memory, code ? "the operator's code" : "the operator's data",
			     high - low, ANPU_ELF_PAGE, access);
		if (!region) {
			free(mem);
			return -1;
		}
		region->label = code ? "code" : "data";
		memcpy(op_host(region), mem + (low - image->low), high - low);
	}
	free(mem);
	return 0;
}

/* Bytes of an argument in the argument block */
static uint32_t slots(const struct op_arg *arg)
{
	return arg->kind == OP_TENSOR
		       ? ANPU_ARG_SLOT
		       : (uint32_t)(arg->size + ANPU_ARG_SLOT - 1) / ANPU_ARG_SLOT * ANPU_ARG_SLOT;
}

/*
 * A list of tensors as kernels read it: the offset of the addresses in bytes; of each tensor the number of dimensions and,
 * in the upper half, its number in the list, then the dimensions; the addresses.
 */
static int place_list(struct op_session *s, unsigned int i)
{
	struct op_arg *arg = &s->arg[i];
	struct op_region *region;
	uint64_t words = 1, at = 1, *list;

	for (unsigned int k = 0; k < arg->member_count; k++)
		words += 2 + s->arg[arg->members[k]].dims;
	region = map(&s->memory, s->name[i], words * 8, TENSOR_ALIGN, ANPU_ACCESS_READ);
	if (!region)
		return -1;
	region->label = s->label[i];
	list = (uint64_t *)(void *)op_host(region);
	list[0] = (words - arg->member_count) * 8;
	for (unsigned int k = 0; k < arg->member_count; k++) {
		const struct op_arg *member = &s->arg[arg->members[k]];

		list[at++] = member->dims | (uint64_t)k << 32;
		for (unsigned int d = 0; d < member->dims; d++)
			list[at++] = member->dim[d];
		list[words - arg->member_count + k] = member->address;
	}
	memcpy(arg->data, &region->start, 8);
	return 0;
}

static int place_args(struct op_session *s)
{
	const uint32_t access = ANPU_ACCESS_READ | ANPU_ACCESS_WRITE;
	unsigned int count = s->options.arg_count;
	struct op_region *region;
	uint32_t size = 0, at = 0;

	for (unsigned int i = 0; i < count; i++) {
		size += i < s->param_count ? slots(&s->arg[i]) : 0;
		if (s->arg[i].kind == OP_VALUE)
			continue;
		region = map(&s->memory, s->name[i], s->arg[i].size + s->options.slack,
			     TENSOR_ALIGN, access);
		if (!region)
			return -1;
		region->label = s->label[i];
		s->region[i] = region;
		s->arg[i].address = region->start;
		memcpy(op_host(region), s->arg[i].data, s->arg[i].size);
	}
	for (unsigned int i = 0; i < s->param_count; i++)
		if (s->arg[i].member_count && place_list(s, i))
			return -1;
	region = map(&s->memory, "the argument block", size, ANPU_ARG_SLOT, access);
	if (!region)
		return -1;
	region->label = "args";
	s->launch.args = region->start;
	s->launch.args_size = size;
	memset(op_host(region), 0, size);
	for (unsigned int i = 0; i < s->param_count; i++) {
		if (s->arg[i].kind == OP_TENSOR || s->arg[i].same)
			memcpy(op_host(region) + at, &s->arg[s->arg[i].same ? s->arg[i].same - 1 : i].address, 8);
		else
			memcpy(op_host(region) + at, s->arg[i].data, s->arg[i].size);
		at += slots(&s->arg[i]);
	}
	return 0;
}

int op_place(struct op_session *s)
{
	const struct anpu_elf_kernel *k = &s->kernel;

	if (place_image(s) || place_args(s))
		return -1;
	s->launch.entry = s->base + (k->entry->value - s->image->low);
	if (k->aiv)
		s->launch.aiv_entry = s->base + (k->aiv->value - s->image->low);
	return 0;
}

void op_fetch(struct op_session *s)
{
	for (unsigned int i = 0; i < s->options.arg_count; i++) {
		const struct op_region *r = s->region[i];

		if (r)
			memcpy(s->arg[i].data, op_host(r), s->arg[i].size);
	}
}
