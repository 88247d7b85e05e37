// SPDX-License-Identifier: MIT
/* The C types of a kernel's parameters, as anpucc writes them down, and which arguments fit them. */
#include <string.h>

#include "op/tensor/type.h"

static const struct {
	const char *c;
	const char *type;
} names[] = {
	{ "_Float16", "f16" },	   { "half", "f16" },
	{ "__fp16", "f16" },	   { "__bf16", "bf16" },
	{ "bfloat16_t", "bf16" },  { "float", "f32" },
	{ "double", "f64" },	   { "int8_t", "s8" },
	{ "signed char", "s8" },   { "int16_t", "s16" },
	{ "short", "s16" },	   { "int32_t", "s32" },
	{ "int", "s32" },	   { "int64_t", "s64" },
	{ "long", "s64" },	   { "long long", "s64" },
	{ "uint8_t", "u8" },	   { "unsigned char", "u8" },
	{ "bool", "u8" },	   { "_Bool", "u8" },
	{ "char", "u8" },	   { "uint16_t", "u16" },
	{ "unsigned short", "u16" }, { "uint32_t", "u32" },
	{ "unsigned int", "u32" }, { "uint64_t", "u64" },
	{ "unsigned long", "u64" }, { "unsigned long long", "u64" },
	{ "size_t", "u64" },
};

/* Copies @text without qualifiers, and for a pointer without its star. */
static void bare(const char *text, bool pointer, char *out, size_t size)
{
	static const char *const words[] = { "const ", "volatile ", "restrict ", "__gm__ " };
	size_t n;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(text, words[i], strlen(words[i]))) {
			bare(text + strlen(words[i]), pointer, out, size);
			return;
		}
	n = strlen(text);
	if (pointer && n && text[n - 1] == '*')
		n--;
	while (n && text[n - 1] == ' ')
		n--;
	snprintf(out, size, "%.*s", (int)n, text);
}

const struct op_type *op_ctype(const char *text, bool pointer)
{
	const char *rest;
	char name[64], type[8];

	bare(text, pointer, name, sizeof(name));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].c, name)) {
			snprintf(type, sizeof(type), "%s:", names[i].type);
			return op_type_find(type, ":", &rest);
		}
	return NULL;
}

bool op_ctype_takes(const char *text, const struct op_type *type)
{
	const struct op_type *wants = op_ctype(text, true);

	/* a pointer to bytes is what Ascend C has for every tensor; bf16 has no other type in C */
	return !wants || wants == type || wants->size == 1 ||
	       (wants->form == OP_UNSIGNED && wants->size == 2 && type->form == OP_BFLOAT);
}
