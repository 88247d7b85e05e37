// SPDX-License-Identifier: MIT
/* Parsing, printing and comparing the arguments of anpu-op. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op_tensor.h"

#define MAX_ELEMENTS (1ULL << 30)

enum form { SIGNED, UNSIGNED, FLOAT, BFLOAT };

struct op_type {
	const char *name;
	enum form form;
	size_t size;
};

static const struct op_type types[] = {
	{ "f16", FLOAT, 2 },	{ "f32", FLOAT, 4 },	{ "f64", FLOAT, 8 },
	{ "bf16", BFLOAT, 2 },	{ "s8", SIGNED, 1 },	{ "s16", SIGNED, 2 },
	{ "s32", SIGNED, 4 },	{ "s64", SIGNED, 8 },	{ "u8", UNSIGNED, 1 },
	{ "u16", UNSIGNED, 2 }, { "u32", UNSIGNED, 4 }, { "u64", UNSIGNED, 8 },
};

static int complain(const char *text, const char *why)
{
	fprintf(stderr, "anpu-op: argument '%s': %s\n", text, why);
	return -1;
}

/* The type whose name @text begins with, followed by one of @ends; @rest is after the name. */
static const struct op_type *find_type(const char *text, const char *ends, const char **rest)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t n = strlen(types[i].name);

		if (!strncmp(text, types[i].name, n) && text[n] && strchr(ends, text[n])) {
			*rest = text + n;
			return &types[i];
		}
	}
	return NULL;
}

/* fp16 ----------------------------------------------------------------------------------------- */

static uint16_t half_of(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	int exponent;

	if (isnan(value))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	if (size < 0x1p-14)
		return sign | (uint16_t)rint(size * 0x1p24);
	frexp(size, &exponent);
	return sign |
	       (uint16_t)(((exponent + 14) << 10) + (int)rint(ldexp(size, 11 - exponent)) - 1024);
}

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double size = exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24);

	if (exponent == 31)
		size = mantissa ? NAN : INFINITY;
	return bits & 0x8000 ? -size : size;
}

static uint16_t bfloat_of(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Elements ------------------------------------------------------------------------------------- */

static void put_integer(uint8_t *at, const struct op_type *type, uint64_t value)
{
	memcpy(at, &value, type->size);
}

static void put_real(uint8_t *at, const struct op_type *type, double value)
{
	float f = (float)value;
	uint16_t h = type->form == BFLOAT ? bfloat_of(value) : half_of(value);

	if (type->size == 8)
		memcpy(at, &value, 8);
	else if (type->size == 4)
		memcpy(at, &f, 4);
	else
		memcpy(at, &h, 2);
}

static void put(uint8_t *at, const struct op_type *type, int64_t value)
{
	if (type->form == SIGNED || type->form == UNSIGNED)
		put_integer(at, type, (uint64_t)value);
	else
		put_real(at, type, (double)value);
}

static double get(const uint8_t *at, const struct op_type *type)
{
	uint64_t u = 0;
	uint32_t b;
	double d;
	float f;

	memcpy(&u, at, type->size);
	switch (type->form) {
	case UNSIGNED:
		return (double)u;
	case SIGNED:
		return (double)((int64_t)(u << (64 - 8 * type->size)) >> (64 - 8 * type->size));
	case BFLOAT:
		b = (uint32_t)u << 16;
		memcpy(&f, &b, 4);
		return (double)f;
	default:
		memcpy(&f, &u, 4);
		memcpy(&d, &u, 8);
		return type->size == 2 ? half_value((uint16_t)u) : type->size == 4 ? (double)f : d;
	}
}

static void print_element(const uint8_t *at, const struct op_type *type)
{
	uint64_t u = 0;

	memcpy(&u, at, type->size);
	if (type->form == UNSIGNED)
		printf(" %llu", (unsigned long long)u);
	else if (type->form == SIGNED)
		printf(" %lld",
		       (long long)((int64_t)(u << (64 - 8 * type->size)) >> (64 - 8 * type->size)));
	else
		printf(" %.*g", type->size == 8 ? 17 : type->size == 4 ? 9 : 5, get(at, type));
}

/* Writes the number that is all of [text, end). */
static int put_number(uint8_t *at, const struct op_type *type, const char *text, const char *end)
{
	char *stop;

	errno = 0;
	if (type->form == FLOAT || type->form == BFLOAT) {
		put_real(at, type, strtod(text, &stop));
	} else {
		int64_t value =
			*text == '-' ? strtoll(text, &stop, 0) : (int64_t)strtoull(text, &stop, 0);
		unsigned int bits = 8 * (unsigned int)type->size;

		put_integer(at, type, (uint64_t)value);
		/* What is cut off must be copies of the sign, or zeroes. */
		if (bits < 64 &&
		    (*text == '-' ? value < -(1LL << (bits - 1)) : (uint64_t)value >> bits))
			return -1;
	}
	return stop == end && stop != text && errno != ERANGE ? 0 : -1;
}

/* Tensors -------------------------------------------------------------------------------------- */

static int allocate(struct op_arg *arg, const char *text)
{
	arg->size = arg->count * arg->type->size;
	arg->data = calloc(arg->size + 1, 1);
	return arg->data ? 0 : complain(text, "out of memory");
}

static int read_list(struct op_arg *arg, const char *list, const char *text)
{
	size_t have = 0;
	const char *at = list, *end;

	if (!arg->count) {
		for (arg->count = 1, at = list; *at; at++)
			arg->count += *at == ',';
		if (allocate(arg, text))
			return -1;
	}
	for (at = list;; at = end + 1) {
		end = at + strcspn(at, ",");
		if (have == arg->count)
			return complain(text,
					"the list has more numbers than the tensor has elements");
		if (put_number(arg->data + have++ * arg->type->size, arg->type, at, end))
			return complain(text, "not a number of that type; sources are zero, iota, "
					      "rand, @FILE, a number or a list of numbers");
		if (!*end)
			break;
	}
	/* One number fills the tensor, a list must be complete. */
	if (have == 1)
		for (; have < arg->count; have++)
			memcpy(arg->data + have * arg->type->size, arg->data, arg->type->size);
	return have == arg->count
		       ? 0
		       : complain(text, "the list has fewer numbers than the tensor has elements");
}

static int read_file(struct op_arg *arg, const char *path, const char *text)
{
	FILE *file = fopen(path, "rb");
	long size = -1;
	int bad;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (size < 0) {
		fprintf(stderr, "anpu-op: argument '%s': cannot read '%s': %s\n", text, path,
			strerror(errno));
		if (file)
			fclose(file);
		return -1;
	}
	rewind(file);
	if (!arg->count)
		arg->count = (size_t)size / arg->type->size;
	bad = arg->data ? 0 : allocate(arg, text);
	if (!bad &&
	    ((size_t)size != arg->size || fread(arg->data, 1, arg->size, file) != arg->size)) {
		fprintf(stderr,
			"anpu-op: argument '%s': '%s' has %ld bytes, %zu elements of %s need %zu\n",
			text, path, size, arg->count, arg->type->name, arg->size);
		bad = -1;
	}
	fclose(file);
	return bad;
}

/* Numbers of -1 to 1 for floating point, 0 to 99 for integers */
static void fill_random(struct op_arg *arg, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;

	for (size_t i = 0; i < arg->count; i++) {
		uint8_t *at = arg->data + i * arg->type->size;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (arg->type->form == FLOAT || arg->type->form == BFLOAT)
			put_real(at, arg->type, (double)(int64_t)state / 0x1p63);
		else
			put(at, arg->type, (int64_t)((state >> 32) % 100));
	}
}

static int fill(struct op_arg *arg, const char *source, const char *text, uint64_t seed)
{
	if (*source == '@')
		return read_file(arg, source + 1, text);
	if (!arg->count)
		return read_list(arg, source, text);
	if (allocate(arg, text))
		return -1;
	if (!strcmp(source, "rand"))
		fill_random(arg, seed);
	else if (!strcmp(source, "iota"))
		for (size_t i = 0; i < arg->count; i++)
			put(arg->data + i * arg->type->size, arg->type, (int64_t)i);
	else if (strcmp(source, "zero"))
		return read_list(arg, source, text);
	return 0;
}

static int parse_tensor(struct op_arg *arg, const char *rest, const char *text, uint64_t seed)
{
	char *end;

	if (*rest == '[') {
		unsigned long long count = strtoull(rest + 1, &end, 0);

		if (end == rest + 1 || *end != ']' || rest[1] == '-' || count < 1 ||
		    count > MAX_ELEMENTS)
			return complain(text,
					"between [ and ] stands the number of elements, 1 to 2^30");
		arg->count = (size_t)count;
		rest = end + 1;
	}
	if (*rest && *rest != '=')
		return complain(text,
				"after the type and [COUNT] comes = and what fills the tensor");
	if (fill(arg, *rest ? rest + 1 : "zero", text, seed))
		return -1;
	if (!arg->count)
		return complain(text, "the tensor has no elements");
	arg->before = malloc(arg->size);
	if (!arg->before)
		return complain(text, "out of memory");
	memcpy(arg->before, arg->data, arg->size);
	return 0;
}

/* Values --------------------------------------------------------------------------------------- */

/* {TYPE:NUMBER,...}: the members of a structure, each aligned to its size. */
static int parse_struct(struct op_arg *arg, const char *text, size_t size)
{
	const char *at = text + 1, *end, *number;
	size_t offset = 0, align = 1;

	for (; *at && *at != '}'; at = *end == ',' ? end + 1 : end) {
		const struct op_type *type = find_type(at, ":", &number);

		end = at + strcspn(at, ",}");
		if (!type)
			return complain(text, "members of a structure are written TYPE:NUMBER");
		offset = (offset + type->size - 1) / type->size * type->size;
		if (offset + type->size > OP_VALUE_MAX)
			return complain(text, "the structure is too large");
		if (put_number(arg->data + offset, type, number + 1, end))
			return complain(text, "a member is not a number of its type");
		offset += type->size;
		align = type->size > align ? type->size : align;
	}
	if (strcmp(at, "}"))
		return complain(text, "a structure ends with }");
	arg->size = (offset + align - 1) / align * align;
	if (size && arg->size != size) {
		fprintf(stderr,
			"anpu-op: argument '%s': the structure has %zu bytes, the parameter %zu\n",
			text, arg->size, size);
		return -1;
	}
	return 0;
}

static int parse_value(struct op_arg *arg, const char *text, size_t size)
{
	static const struct op_type *const floats[9] = {
		[2] = &types[0], [4] = &types[1], [8] = &types[2]
	};
	const char *number = text, *end = text + strlen(text);
	const struct op_type *type = find_type(text, ":", &number);
	size_t want = size ? size : 8;
	bool real = strpbrk(text, ".") || (strpbrk(text, "eE") && strncmp(text, "0x", 2));

	arg->data = calloc(OP_VALUE_MAX + 8, 1);
	if (!arg->data)
		return complain(text, "out of memory");
	if (*text == '{')
		return parse_struct(arg, text, size);
	if (type) {
		number++;
	} else if (real) {
		type = want <= 8 ? floats[want] : NULL;
	} else {
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (types[i].size == want &&
			    types[i].form == (*text == '-' ? SIGNED : UNSIGNED))
				type = &types[i];
	}
	if (!type || put_number(arg->data, type, number, end))
		return complain(text,
				"not a number that fits the parameter; write NUMBER, TYPE:NUMBER, "
				"{TYPE:NUMBER,...}, or TYPE[COUNT]=SOURCE for a tensor");
	arg->type = type;
	arg->count = 1;
	arg->size = type->size;
	if (!size || size == type->size)
		return 0;
	fprintf(stderr, "anpu-op: argument '%s' has %zu bytes, the parameter %zu\n", text,
		arg->size, size);
	return -1;
}

int op_arg_parse(struct op_arg *arg, const char *text, size_t size, bool pointer, uint64_t seed)
{
	const char *rest;

	memset(arg, 0, sizeof(*arg));
	arg->type = find_type(text, "[=", &rest);
	if (arg->type) {
		if (size && !pointer && size != 8)
			return complain(text, "is a tensor, but the parameter is a value");
		arg->kind = OP_TENSOR;
		return parse_tensor(arg, rest, text, seed);
	}
	arg->kind = OP_VALUE;
	if (!strcmp(text, "null"))
		text = "0";
	if (pointer && strncmp(text, "0x", 2) && strcmp(text, "0"))
		return complain(text, "the parameter is a pointer: give a tensor "
				      "(TYPE[COUNT]=SOURCE), null, or an address 0x...");
	return parse_value(arg, text, size);
}

void op_arg_free(struct op_arg *arg)
{
	free(arg->data);
	free(arg->before);
	memset(arg, 0, sizeof(*arg));
}

/* Results -------------------------------------------------------------------------------------- */

void op_arg_print(const struct op_arg *arg, unsigned int number, size_t limit)
{
	size_t i;

	printf("argument %u: %s[%zu]%s:", number, arg->type->name, arg->count,
	       memcmp(arg->data, arg->before, arg->size) ? " changed" : "");
	for (i = 0; i < arg->count && i < limit; i++)
		print_element(arg->data + i * arg->type->size, arg->type);
	printf("%s\n", i < arg->count ? " ..." : "");
}

int op_arg_write(const struct op_arg *arg, const char *path)
{
	FILE *file = fopen(path, "wb");
	int bad = !file || fwrite(arg->data, 1, arg->size, file) != arg->size;

	if (file && fclose(file))
		bad = 1;
	if (bad)
		fprintf(stderr, "anpu-op: cannot write '%s': %s\n", path, strerror(errno));
	return bad ? -1 : 0;
}

static bool same(const uint8_t *a, const uint8_t *b, const struct op_type *type, double tolerance)
{
	double got = get(a, type), wanted = get(b, type);
	double allowed = tolerance * (fabs(wanted) > 1 ? fabs(wanted) : 1);

	if (!memcmp(a, b, type->size))
		return true;
	/* Integers of 64 bits can differ without differing as doubles. */
	if (type->form == SIGNED || type->form == UNSIGNED)
		return tolerance > 0 && fabs(got - wanted) <= allowed;
	return got == wanted || fabs(got - wanted) <= allowed || (isnan(got) && isnan(wanted));
}

int op_arg_expect(const struct op_arg *arg, unsigned int number, const char *want, double tolerance)
{
	struct op_arg other = { .kind = OP_TENSOR, .type = arg->type, .count = arg->count };
	int bad = fill(&other, want, want, 0);

	for (size_t i = 0; !bad && i < arg->count; i++) {
		const uint8_t *at = arg->data + i * arg->type->size,
			      *want_at = other.data + i * arg->type->size;

		if (same(at, want_at, arg->type, tolerance))
			continue;
		fprintf(stderr, "anpu-op: argument %u: element %zu is %.17g, expected %.17g\n",
			number, i, get(at, arg->type), get(want_at, arg->type));
		bad = -1;
	}
	op_arg_free(&other);
	return bad;
}
