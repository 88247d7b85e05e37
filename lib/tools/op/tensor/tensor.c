// SPDX-License-Identifier: MIT
/* Parsing the arguments of anpu-op, and writing tensors to files. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "op/tensor/npy.h"
#include "op/tensor/tensor.h"

int op_complain(const char *text, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "anpu-op: argument '%s': ", text);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

/* Sources -------------------------------------------------------------------------------------- */

static int allocate(struct op_arg *arg, const char *text)
{
	arg->size = arg->count * arg->type->size;
	arg->data = calloc(arg->size + 1, 1);
	return arg->data ? 0 : op_complain(text, "out of memory");
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
			return op_complain(
				text, "the list has more numbers than the tensor has elements");
		if (op_put_text(arg->data + have++ * arg->type->size, arg->type, at, end))
			return op_complain(
				text,
				"'%.*s' is not a number of type %s; sources are zero, iota, "
				"rand, @FILE, a number or a list of numbers",
				(int)(end - at), at, arg->type->name);
		if (!*end)
			break;
	}
	/* One number fills the tensor; a list has a number for each element. */
	if (have == 1)
		for (; have < arg->count; have++)
			memcpy(arg->data + have * arg->type->size, arg->data, arg->type->size);
	return have == arg->count
		       ? 0
		       : op_complain(
				 text,
				 "the list has %zu numbers, fewer than the tensor's %zu elements",
				 have, arg->count);
}

static int read_file(struct op_arg *arg, const char *path, const char *text)
{
	FILE *file = fopen(path, "rb");
	long size = -1;
	int bad;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (size < 0) {
		op_complain(text, "cannot read '%s': %s", path, strerror(errno));
		if (file)
			fclose(file);
		return -1;
	}
	rewind(file);
	if (!arg->count)
		arg->count = (size_t)size / arg->type->size;
	bad = arg->data ? 0 : allocate(arg, text);
	if (!bad &&
	    ((size_t)size != arg->size || fread(arg->data, 1, arg->size, file) != arg->size))
		bad = op_complain(text, "'%s' has %ld bytes, %zu elements of %s need %zu", path,
				  size, arg->count, arg->type->name, arg->size);
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
		if (op_type_real(arg->type))
			op_put_real(at, arg->type, (double)(int64_t)state / 0x1p63);
		else
			op_put_integer(at, arg->type, (int64_t)((state >> 32) % 100));
	}
}

int op_arg_source(struct op_arg *arg, const char *source, const char *text, uint64_t seed)
{
	if (*source == '@' && op_npy_name(source))
		return op_npy_read(arg, source + 1, text);
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
			op_put_integer(arg->data + i * arg->type->size, arg->type, (int64_t)i);
	else if (strcmp(source, "zero"))
		return read_list(arg, source, text);
	return 0;
}

/* Tensors -------------------------------------------------------------------------------------- */

static int parse_dims(struct op_arg *arg, const char **at, const char *text)
{
	size_t count = 1;
	char *end;

	do {
		unsigned long long n = strtoull(*at + 1, &end, 0);

		if (end == *at + 1 || (*end != ']' && *end != ',') || (*at)[1] == '-' || n < 1 ||
		    n > OP_MAX_ELEMENTS / count || arg->dims == OP_MAX_DIMS)
			return op_complain(
				text,
				"between [ and ] stands the number of elements, 1 to 2^30, "
				"or up to %d dimensions with commas between them",
				OP_MAX_DIMS);
		arg->dim[arg->dims++] = (size_t)n;
		count *= (size_t)n;
		*at = end;
	} while (*end == ',');
	arg->count = count;
	*at = end + 1;
	return 0;
}

static int parse_tensor(struct op_arg *arg, const char *rest, const char *text, uint64_t seed)
{
	if (*rest == '[' && parse_dims(arg, &rest, text))
		return -1;
	if (*rest && *rest != '=')
		return op_complain(text,
				   "after the type and [COUNT] comes = and what fills the tensor");
	if (op_arg_source(arg, *rest ? rest + 1 : "zero", text, seed))
		return -1;
	if (!arg->count)
		return op_complain(text, "the tensor has no elements");
	if (!arg->dims) {
		arg->dims = 1;
		arg->dim[0] = arg->count;
	}
	arg->before = malloc(arg->size);
	if (!arg->before)
		return op_complain(text, "out of memory");
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
		const struct op_type *type = op_type_find(at, ":", &number);

		end = at + strcspn(at, ",}");
		if (!type)
			return op_complain(text, "members of a structure are written TYPE:NUMBER");
		offset = (offset + type->size - 1) / type->size * type->size;
		if (offset + type->size > OP_VALUE_MAX)
			return op_complain(text, "the structure is larger than %d bytes",
					   OP_VALUE_MAX);
		if (op_put_text(arg->data + offset, type, number + 1, end))
			return op_complain(text, "a member is not a number of its type");
		offset += type->size;
		align = type->size > align ? type->size : align;
	}
	if (strcmp(at, "}"))
		return op_complain(text, "a structure ends with }");
	arg->size = (offset + align - 1) / align * align;
	if (size && arg->size != size)
		return op_complain(text, "the structure has %zu bytes, the parameter %zu",
				   arg->size, size);
	return 0;
}

static int not_a_number(const char *text, const struct op_param *param, const struct op_type *type)
{
	char range[80] = "";

	if (type && type->form == OP_UNSIGNED && *param->type)
		snprintf(range, sizeof(range), ", a whole number from 0 to %llu",
			 (unsigned long long)(UINT64_MAX >> (64 - 8 * type->size)));
	else if (type && type->form == OP_SIGNED && *param->type)
		snprintf(range, sizeof(range), ", a whole number from %lld to %lld",
			 -(long long)(INT64_MAX >> (64 - 8 * type->size)) - 1,
			 (long long)(INT64_MAX >> (64 - 8 * type->size)));
	if (*param->type)
		return op_complain(text, "not a number of the parameter's type %s%s", param->type,
				   range);
	return op_complain(
		text,
		"not a number that fits the parameter%s; write NUMBER, TYPE:NUMBER, "
		"{TYPE:NUMBER,...}, or TYPE[COUNT]=SOURCE for a tensor",
		param->size == 1   ? " of 1 byte"
		: param->size == 2 ? " of 2 bytes"
		: param->size == 4 ? " of 4 bytes"
				   : "");
}

static int parse_value(struct op_arg *arg, const char *text, const struct op_param *param)
{
	const char *number = text, *end = text + strlen(text);
	const struct op_type *type = op_type_find(text, ":", &number);
	const struct op_type *known = param->pointer ? NULL : op_ctype(param->type, false);
	size_t want = param->size ? param->size : 8;
	bool real = strpbrk(text, ".") || (strpbrk(text, "eE") && strncmp(text, "0x", 2)) ||
		    strstr(text, "inf") || strstr(text, "nan");

	arg->data = calloc(OP_VALUE_MAX + 8, 1);
	if (!arg->data)
		return op_complain(text, "out of memory");
	if (*text == '{')
		return parse_struct(arg, text, param->size);
	if (type && known && type != known && !param->cast)
		return op_complain(text, "is %s, but the parameter has the type %s, which is %s; leave "
				   "'%s:' out, or give --cast to pass these bytes",
				   type->name, param->type, known->name, type->name);
	if (type)
		number++;
	else if (known)
		type = known;
	else if (real)
		type = op_type_of(OP_FLOAT, want);
	else
		type = op_type_of(*text == '-' ? OP_SIGNED : OP_UNSIGNED, want);
	if (!type || op_put_text(arg->data, type, number, end))
		return not_a_number(text, param, type);
	arg->type = type;
	arg->count = 1;
	arg->size = type->size;
	if (!param->size || param->size == type->size)
		return 0;
	return op_complain(text, "has %zu bytes, the parameter %zu", arg->size, param->size);
}

static int check_tensor(const struct op_arg *arg, const char *text, const struct op_param *param)
{
	const struct op_type *wants = op_ctype(param->type, true);

	if (param->cast || !param->pointer || op_ctype_takes(param->type, arg->type))
		return 0;
	return op_complain(text, "is a tensor of %s, but the parameter has the type %s and points to %s; "
			   "write %s[...]=..., or give --cast to pass these bytes",
			   arg->type->name, param->type, wants->name, wants->name);
}

static int parse_npy(struct op_arg *arg, const char *text)
{
	if (op_npy_read(arg, text + 1, text))
		return -1;
	arg->before = malloc(arg->size);
	if (!arg->before)
		return op_complain(text, "out of memory");
	memcpy(arg->before, arg->data, arg->size);
	return 0;
}

/* "same:N": the address of argument N, whose kind op_parse_args() knows */
static int parse_same(struct op_arg *arg, const char *text, const struct op_param *param)
{
	const char *number = text + strlen("same:");
	char *end;
	unsigned long n = strtoul(number, &end, 10);

	if (!isdigit((unsigned char)*number) || *end || n >= INT_MAX)
		return op_complain(text, "not the number of an argument, from 0");
	if (param->size && param->size != 8)
		return op_complain(text, "is an address, but the parameter has %zu bytes", param->size);
	arg->same = (unsigned int)n + 1;
	arg->size = 8;
	arg->data = calloc(1, arg->size);
	return arg->data ? 0 : op_complain(text, "out of memory");
}

/* "list:N,M,...": the address of a list of tensors, whose kinds op_parse_args() knows */
static int parse_list(struct op_arg *arg, const char *text, const struct op_param *param)
{
	const char *at = text + strlen("list:");
	size_t most = 1;

	if (param->size && param->size != 8)
		return op_complain(text, "is an address, but the parameter has %zu bytes", param->size);
	for (const char *comma = at; *comma; comma++)
		most += *comma == ',';
	arg->size = 8;
	arg->data = calloc(1, arg->size);
	arg->members = calloc(most, sizeof(*arg->members));
	if (!arg->data || !arg->members)
		return op_complain(text, "out of memory");
	for (;; at++) {
		char *end;
		unsigned long n = strtoul(at, &end, 10);

		if (!isdigit((unsigned char)*at) || (*end && *end != ',') || n >= INT_MAX)
			return op_complain(text, "not the numbers of arguments, from 0, with commas between them");
		arg->members[arg->member_count++] = (unsigned int)n;
		at = end;
		if (!*at)
			return 0;
	}
}

int op_arg_parse(struct op_arg *arg, const char *text, const struct op_param *param, uint64_t seed)
{
	const char *rest = text;

	memset(arg, 0, sizeof(*arg));
	/* a file of NumPy needs no type before it: it has one inside */
	arg->type = op_type_find(text, "[=", &rest);
	if (arg->type || (*text == '@' && op_npy_name(text))) {
		if (param->size && !param->pointer && param->size != 8)
			return op_complain(text, "is a tensor, but the parameter is a value");
		arg->kind = OP_TENSOR;
		if (arg->type ? parse_tensor(arg, rest, text, seed) : parse_npy(arg, text))
			return -1;
		return check_tensor(arg, text, param);
	}
	if (*text == '@')
		return op_complain(text, "a file of raw elements needs a type: write TYPE=@FILE or "
					 "TYPE[SHAPE]=@FILE");
	arg->kind = OP_VALUE;
	if (!strncmp(text, "same:", strlen("same:")))
		return parse_same(arg, text, param);
	if (!strncmp(text, "list:", strlen("list:")))
		return parse_list(arg, text, param);
	if (!strcmp(text, "null"))
		text = "0";
	if (param->pointer && strncmp(text, "0x", 2) && strcmp(text, "0"))
		return op_complain(text, "the parameter is a pointer: give a tensor "
					 "(TYPE[COUNT]=SOURCE), null, or an address 0x...");
	return parse_value(arg, text, param);
}

void op_arg_free(struct op_arg *arg)
{
	free(arg->data);
	free(arg->before);
	free(arg->members);
	memset(arg, 0, sizeof(*arg));
}

/* Results -------------------------------------------------------------------------------------- */

void op_arg_shape(const struct op_arg *arg, char *text, size_t size)
{
	int used = 0;

	*text = 0;
	for (unsigned int i = 0; i < arg->dims && used >= 0 && (size_t)used < size; i++)
		used += snprintf(text + used, size - (size_t)used, "%s%zu", i ? "," : "",
				 arg->dim[i]);
}

int op_arg_write(const struct op_arg *arg, const char *path)
{
	FILE *file = fopen(path, "wb");
	int bad = !file || (op_npy_name(path) && op_npy_header(arg, file)) ||
		  fwrite(arg->data, 1, arg->size, file) != arg->size;

	if (file && fclose(file))
		bad = 1;
	if (bad)
		fprintf(stderr, "anpu-op: cannot write '%s': %s\n", path, strerror(errno));
	return bad ? -1 : 0;
}
