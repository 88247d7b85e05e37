// SPDX-License-Identifier: MIT
/* The kernels of an operator file, and which of them a misspelt name may mean. */
#include <stdlib.h>
#include <string.h>

#include "op/session.h"

#define MAX_NAMES 4096

/* Names ---------------------------------------------------------------------------------------- */

/* Insertions, deletions and replacements that make one word of another, up to 64 letters each */
static unsigned int distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	unsigned int row[66];

	if (strlen(a) > 64 || n > 64)
		return strcmp(a, b) ? 64 : 0;
	for (unsigned int j = 0; j <= n; j++)
		row[j] = j;
	for (; *a; a++) {
		unsigned int diagonal = row[0]++;

		for (size_t j = 0; j < n; j++) {
			unsigned int best = diagonal + (*a != b[j]);

			diagonal = row[j + 1];
			if (row[j + 1] + 1 < best)
				best = row[j + 1] + 1;
			if (row[j] + 1 < best)
				best = row[j] + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

const char *op_nearest(const char *word, const char *const *words, size_t count)
{
	const char *best = NULL;
	unsigned int least = (unsigned int)strlen(word) / 3 + 2;

	for (size_t i = 0; i < count; i++) {
		unsigned int d = distance(word, words[i]);

		/* a word that begins with the misspelt one is near, too */
		if (*word && !strncmp(word, words[i], strlen(word)))
			d = 1;
		if (d < least) {
			least = d;
			best = words[i];
		}
	}
	return best;
}

/* Names of the kernels of a file, one for both halves of a MIX kernel; the caller frees names and list. */
static size_t kernel_names(const struct anpu_image *image, char ***names)
{
	size_t prefix = strlen(ANPU_ENTRY_PREFIX), n = 0;

	*names = calloc(MAX_NAMES, sizeof(**names));
	for (size_t i = 0; *names && i < image->symbol_count && n < MAX_NAMES; i++) {
		const char *name = image->symbol[i].name;
		struct anpu_elf_kernel k;
		char *copy, *suffix;

		if (!image->symbol[i].func || strncmp(name, ANPU_ENTRY_PREFIX, prefix))
			continue;
		copy = strdup(name + prefix);
		if (!copy)
			break;
		suffix = strstr(copy, ANPU_MIX_AIC_SUFFIX);
		if (!suffix)
			suffix = strstr(copy, ANPU_MIX_AIV_SUFFIX);
		if (suffix) {
			char c = *suffix;

			*suffix = 0;
			if (!anpu_elf_find(image, copy, &k) && k.aiv) {
				/* the name comes from the cube half: skip the vector half */
				if (strstr(name, ANPU_MIX_AIV_SUFFIX)) {
					free(copy);
					continue;
				}
			} else {
				*suffix = c;
			}
		}
		(*names)[n++] = copy;
	}
	return n;
}

static void free_names(char **names, size_t count)
{
	while (count)
		free(names[--count]);
	free(names);
}

void op_no_kernel(const struct anpu_image *image, const char *file, const char *name)
{
	char **names, list[256];
	size_t n = kernel_names(image, &names);
	const char *near = op_nearest(name, (const char *const *)names, n);

	anpu_elf_names(image, list, sizeof(list));
	fprintf(stderr, "anpu-op: '%s' has no kernel '%s'", file, name);
	if (near)
		fprintf(stderr, ", did you mean '%s'?", near);
	fprintf(stderr, "%s it has %s\n", near ? "" : ";", list);
	free_names(names, n);
}

int op_find_arg(const struct op_session *s, const char *option, const char *text)
{
	const char *labels[OP_MAX_ARGS] = { 0 }, *near;
	unsigned int count = s->options.arg_count, i;
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (end != text && !*end) {
		i = number < count ? (unsigned int)number : count;
	} else {
		for (i = 0; i < count && strcmp(s->label[i], text); i++)
			;
	}
	if (i < count && s->arg[i].kind == OP_TENSOR)
		return (int)i;
	if (i < count) {
		fprintf(stderr, "anpu-op: --%s=%s=...: %s is not a tensor\n", option, text,
			s->name[i]);
		return -1;
	}
	for (i = 0; i < count; i++)
		labels[i] = s->label[i];
	near = op_nearest(text, labels, count);
	fprintf(stderr, "anpu-op: --%s=%s=...: there is no such argument", option, text);
	if (near && (end == text || *end))
		fprintf(stderr, ", did you mean '%s'?\n", near);
	else if (count)
		fprintf(stderr, "; they are numbered from 0 to %u\n", count - 1);
	else
		fprintf(stderr, "; the kernel has none\n");
	return -1;
}

/* Lists ---------------------------------------------------------------------------------------- */

static const char *kind_name(const struct anpu_elf_kernel *k)
{
	if (k->aiv)
		return "mix";
	switch (k->meta ? k->meta->kernel_type : 0) {
	case ANPU_META_TYPE_AIC:
	case ANPU_META_TYPE_MIX_AIC:
		return "cube";
	case ANPU_META_TYPE_AIV:
	case ANPU_META_TYPE_MIX_AIV:
		return "vector";
	default:
		return "any";
	}
}

static void list_text(const char *name, const struct anpu_elf_kernel *k)
{
	const char *kind = kind_name(k);
	struct anpu_meta_param p;

	printf("%s:", name);
	if (!k->meta || (!k->meta->params && k->meta->param_count))
		printf(" parameters unknown");
	else if (!k->meta->param_count)
		printf(" no parameters");
	for (unsigned int i = 0; op_kernel_param(k, i, &p); i++) {
		const char *type = anpu_elf_string(&k->meta->param_types, i);

		printf("%s ", i ? "," : "");
		if (*type)
			printf("%s %s", type, anpu_elf_string(&k->meta->param_names, i));
		else
			printf("%s %s", p.kind == ANPU_PARAM_POINTER ? "pointer" : "value",
			       anpu_elf_string(&k->meta->param_names, i));
		if (p.kind != ANPU_PARAM_POINTER)
			printf(" (%u bytes)", p.size);
	}
	if (strcmp(kind, "any"))
		printf(" [%s core]", kind);
	putchar('\n');
}

static void list_json(struct op_json *j, const char *name, const struct anpu_elf_kernel *k)
{
	struct anpu_meta_param p;

	op_json_open(j, NULL, '{');
	op_json_string(j, "name", name);
	op_json_string(j, "core", kind_name(k));
	op_json_open(j, "parameters", '[');
	for (unsigned int i = 0; op_kernel_param(k, i, &p); i++) {
		op_json_open(j, NULL, '{');
		op_json_string(j, "name", anpu_elf_string(&k->meta->param_names, i));
		op_json_string(j, "type", anpu_elf_string(&k->meta->param_types, i));
		op_json_number(j, "size", p.size);
		op_json_bool(j, "pointer", p.kind == ANPU_PARAM_POINTER);
		op_json_close(j, '{');
	}
	op_json_close(j, '[');
	op_json_close(j, '{');
}

void op_list_kernels(const struct anpu_image *image, bool json)
{
	struct op_json j = { .out = stdout };
	char **names;
	size_t n = kernel_names(image, &names);

	if (json)
		op_json_open(&j, NULL, '[');
	for (size_t i = 0; i < n; i++) {
		struct anpu_elf_kernel k;

		if (anpu_elf_find(image, names[i], &k))
			continue;
		if (json)
			list_json(&j, names[i], &k);
		else
			list_text(names[i], &k);
	}
	if (json)
		op_json_close(&j, '[');
	else if (!n)
		printf("no kernel is described in this file; compile it with anpucc\n");
	free_names(names, n);
}
