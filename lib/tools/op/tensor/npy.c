// SPDX-License-Identifier: MIT
/*
 * NumPy's file format: the magic bytes, the version, the length of a header that is a Python
 * dictionary, then the elements. numpy.save() of an array of ml_dtypes.bfloat16 writes type V2.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op/tensor/npy.h"

#define MAGIC	   "\x93NUMPY"
#define HEADER_MAX 65536
#define ALIGN	   64

bool op_npy_name(const char *path)
{
	size_t n = strlen(path);

	return n >= 4 && !strcmp(path + n - 4, ".npy");
}

/* The text behind 'key': in the header, or NULL */
static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	if (!at)
		return NULL;
	at += strlen(key);
	while (*at == '\'' || *at == '"' || *at == ':' || *at == ' ')
		at++;
	return at;
}

static int parse_type(struct op_arg *arg, const char *descr, const char *path, const char *text)
{
	char name[16] = "", order = *descr;
	const struct op_type *type;

	if (order == '[')
		return op_complain(text, "'%s' holds records, not numbers", path);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(descr, "'\""), descr);
	type = op_type_npy(name + (order && strchr("<>|=", order) != NULL));
	if (!type)
		return op_complain(text,
				   "'%s' has elements of NumPy's type %s, which the AI core does "
				   "not know",
				   path, name);
	if (order == '>')
		return op_complain(text,
				   "'%s' is big-endian (%s); save it with array.astype('<%s')",
				   path, name, type->npy);
	/* a file of type V2 may hold any type of 16 bits, and one of u16 bf16, if the argument says so */
	if (arg->type && arg->type != type && !(type->form == OP_BFLOAT && arg->type->size == 2) &&
	    !(arg->type->form == OP_BFLOAT && type->form == OP_UNSIGNED && type->size == 2))
		return op_complain(text, "'%s' has elements of type %s, the tensor %s", path,
				   type->name, arg->type->name);
	if (!arg->type)
		arg->type = type;
	return 0;
}

static int parse_shape(struct op_arg *arg, const char *shape, const char *path, const char *text)
{
	unsigned int dims = 0;
	size_t dim[OP_MAX_DIMS], count = 1;
	char *end;

	if (*shape++ != '(')
		return op_complain(text, "'%s' has a header without a shape", path);
	while (*shape && *shape != ')') {
		unsigned long long n = strtoull(shape, &end, 10);

		if (end == shape || dims == OP_MAX_DIMS || n < 1 || n > OP_MAX_ELEMENTS / count)
			return op_complain(text,
					   "'%s' has a shape of no elements, of more than 2^30, or "
					   "of more than %d dimensions",
					   path, OP_MAX_DIMS);
		dim[dims++] = (size_t)n;
		count *= (size_t)n;
		shape = end + strspn(end, "L, ");
	}
	if (!dims)
		dim[dims++] = 1; /* a scalar */
	if (arg->count && arg->count != count)
		return op_complain(text, "'%s' has %zu elements, the tensor %zu", path, count,
				   arg->count);
	arg->count = count;
	if (!arg->dims) {
		arg->dims = dims;
		memcpy(arg->dim, dim, sizeof(dim));
	}
	return 0;
}

static int parse_header(struct op_arg *arg, const char *header, const char *path, const char *text)
{
	const char *descr = value_of(header, "descr"), *shape = value_of(header, "shape"),
		   *fortran = value_of(header, "fortran_order");

	if (!descr || !shape || !fortran)
		return op_complain(text, "'%s' has no header as numpy.save() writes it", path);
	if (parse_type(arg, descr, path, text) || parse_shape(arg, shape, path, text))
		return -1;
	if (!strncmp(fortran, "True", 4) && arg->dims > 1)
		return op_complain(text,
				   "'%s' is in Fortran's order; save it with "
				   "numpy.ascontiguousarray()",
				   path);
	return 0;
}

static char *read_header(FILE *file)
{
	uint8_t head[12];
	uint32_t length;
	char *text;

	if (fread(head, 1, 10, file) != 10 || memcmp(head, MAGIC, 6) || head[6] < 1 || head[6] > 3)
		return NULL;
	length = head[8] | (uint32_t)head[9] << 8;
	if (head[6] > 1) {
		if (fread(head + 10, 1, 2, file) != 2)
			return NULL;
		length |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
	}
	if (length > HEADER_MAX)
		return NULL;
	text = calloc(length + 1, 1);
	if (text && fread(text, 1, length, file) != length) {
		free(text);
		text = NULL;
	}
	return text;
}

static int read_elements(struct op_arg *arg, FILE *file, const char *path, const char *text)
{
	arg->size = arg->count * arg->type->size;
	if (!arg->data)
		arg->data = malloc(arg->size);
	if (!arg->data)
		return op_complain(text, "out of memory");
	if (fread(arg->data, 1, arg->size, file) != arg->size)
		return op_complain(text, "'%s' ends before its %zu elements of %s do", path,
				   arg->count, arg->type->name);
	if (fgetc(file) != EOF)
		return op_complain(text, "'%s' has more bytes than its %zu elements of %s", path,
				   arg->count, arg->type->name);
	return 0;
}

int op_npy_read(struct op_arg *arg, const char *path, const char *text)
{
	FILE *file = fopen(path, "rb");
	char *header;
	int bad;

	if (!file)
		return op_complain(text, "cannot read '%s': %s", path, strerror(errno));
	header = read_header(file);
	if (!header)
		bad = op_complain(text, "'%s' is not a file as numpy.save() writes it", path);
	else
		bad = parse_header(arg, header, path, text) || read_elements(arg, file, path, text);
	free(header);
	fclose(file);
	return bad ? -1 : 0;
}

int op_npy_header(const struct op_arg *arg, FILE *file)
{
	char text[256], shape[128];
	int used, padded;

	op_arg_shape(arg, shape, sizeof(shape));
	used = snprintf(text, sizeof(text),
			"{'descr': '%c%s', 'fortran_order': False, 'shape': (%s%s), }",
			arg->type->size == 1 || arg->type->form == OP_BFLOAT ? '|' : '<',
			arg->type->npy, shape, arg->dims == 1 ? "," : "");
	/* the elements begin at a multiple of 64 bytes, the header ends with a line feed */
	padded = (10 + used + 1 + ALIGN - 1) / ALIGN * ALIGN - 10;
	return fwrite(MAGIC "\x01\x00", 1, 8, file) == 8 && fputc(padded & 255, file) != EOF &&
			       fputc(padded >> 8, file) != EOF &&
			       fprintf(file, "%-*s\n", padded - 1, text) == padded
		       ? 0
		       : -1;
}
