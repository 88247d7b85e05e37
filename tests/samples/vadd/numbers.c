// SPDX-License-Identifier: MIT
/*
 * Files of numbers, told apart by the end of their names:
 *   .f32, .f16   raw little-endian fp32 or fp16 elements, nothing else
 *   other        text: decimal numbers between white space or commas, '#' begins a comment
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "numbers.h"

size_t type_size(enum type type)
{
	return type == FP16 ? 2 : 4;
}

const char *type_name(enum type type)
{
	return type == FP16 ? "fp16" : "fp32";
}

enum type file_type(const char *path)
{
	const char *end = strrchr(path, '.');

	if (end && !strcmp(end, ".f32"))
		return FP32;
	if (end && !strcmp(end, ".f16"))
		return FP16;
	return NO_TYPE;
}

/* To the nearest fp16, ties to even; rint() rounds in just that way. */
static uint16_t to_half(double value)
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

static double from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double size;

	if (exponent == 31)
		size = mantissa ? NAN : INFINITY;
	else if (exponent == 0)
		size = ldexp(mantissa, -24);
	else
		size = ldexp(mantissa + 1024, exponent - 25);
	return bits & 0x8000 ? -size : size;
}

double tensor_get(const struct tensor *tensor, size_t i)
{
	return tensor->type == FP16 ? from_half(tensor->f16[i]) : (double)tensor->f32[i];
}

void tensor_set(struct tensor *tensor, size_t i, double value)
{
	if (tensor->type == FP16)
		tensor->f16[i] = to_half(value);
	else
		tensor->f32[i] = (float)value;
}

int tensor_new(struct tensor *tensor, enum type type, size_t count)
{
	tensor->type = type;
	tensor->count = count;
	tensor->data = malloc(count * type_size(type) + 1);
	if (tensor->data)
		return 0;
	fprintf(stderr, "vadd: out of memory for %zu elements\n", count);
	return -1;
}

void tensor_free(struct tensor *tensor)
{
	free(tensor->data);
	tensor->data = NULL;
}

/* The whole file with a zero after it; the caller frees it. */
static char *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	char *text = NULL;

	if (!file || fstat(fileno(file), &st)) {
		fprintf(stderr, "vadd: cannot open '%s': %s\n", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		fprintf(stderr, "vadd: '%s' is not a regular file\n", path);
		goto out;
	}
	*size = (size_t)st.st_size;
	text = malloc(*size + 1);
	if (!text || fread(text, 1, *size, file) != *size) {
		fprintf(stderr, "vadd: cannot read the %zu bytes of '%s': %s\n", *size, path,
			text ? "the file is shorter" : "out of memory");
		free(text);
		text = NULL;
		goto out;
	}
	text[*size] = '\0';
out:
	if (file)
		fclose(file);
	return text;
}

/* Skips white space, commas and comments; counts lines. */
static char *skip(char *at, unsigned int *line)
{
	for (;; at++) {
		if (*at == '#')
			at += strcspn(at, "\n");
		if (*at == '\n')
			++*line;
		else if (!*at || !strchr(" \t\r,", *at))
			return at;
	}
}

static int parse_number(char **at, double *value, enum type type, const char *path,
			unsigned int line)
{
	size_t length = strcspn(*at, " \t\r\n,#");
	double limit = type == FP16 ? 65520 : 0x1.ffffffp127;
	char *end;

	errno = 0;
	*value = strtod(*at, &end);
	if (length == 0 || end != *at + length) {
		fprintf(stderr, "vadd: %s:%u: '%.*s' is not a number\n", path, line,
			(int)(length > 40 ? 40 : length), *at);
		return -1;
	}
	/* An infinity is a number if it is written so, not if strtod() makes it of 1e999. */
	if (isinf(*value) ? errno == ERANGE : fabs(*value) >= limit) {
		fprintf(stderr, "vadd: %s:%u: %.*s is too large for %s\n", path, line, (int)length,
			*at, type_name(type));
		return -1;
	}
	*at = end;
	return 0;
}

static int read_text(struct tensor *tensor, enum type type, char *text, size_t size,
		     const char *path)
{
	unsigned int line = 1;
	char *at = text;
	double value;

	if (memchr(text, '\0', size)) {
		fprintf(stderr, "vadd: '%s' is not text; name raw data .f32 or .f16\n", path);
		return -1;
	}
	/* Every number but the last takes two characters at least. */
	if (tensor_new(tensor, type, size / 2 + 1))
		return -1;
	tensor->count = 0;
	for (at = skip(at, &line); *at; at = skip(at, &line)) {
		if (parse_number(&at, &value, type, path, line)) {
			tensor_free(tensor);
			return -1;
		}
		tensor_set(tensor, tensor->count++, value);
	}
	return 0;
}

static int read_raw(struct tensor *tensor, enum type type, const char *data, size_t size,
		    const char *path)
{
	if (file_type(path) != type) {
		fprintf(stderr,
			"vadd: '%s' holds %s elements, but the operator is to add %s: change "
			"--type or the file\n",
			path, type_name(file_type(path)), type_name(type));
		return -1;
	}
	if (size % type_size(type)) {
		fprintf(stderr,
			"vadd: '%s' has %zu bytes, which is not a multiple of the %zu bytes of an "
			"%s element\n",
			path, size, type_size(type), type_name(type));
		return -1;
	}
	if (tensor_new(tensor, type, size / type_size(type)))
		return -1;
	memcpy(tensor->data, data, size);
	return 0;
}

int tensor_read(struct tensor *tensor, enum type type, const char *path)
{
	size_t size;
	char *text = slurp(path, &size);
	int bad;

	if (!text)
		return -1;
	if (file_type(path) == NO_TYPE)
		bad = read_text(tensor, type, text, size, path);
	else
		bad = read_raw(tensor, type, text, size, path);
	free(text);
	if (!bad && tensor->count == 0) {
		fprintf(stderr, "vadd: '%s' contains no numbers\n", path);
		tensor_free(tensor);
		bad = -1;
	}
	return bad;
}

/* With as few digits as give the same element when they are read again */
static void print_element(FILE *file, const struct tensor *tensor, size_t i)
{
	double value = tensor_get(tensor, i);
	char text[40];

	for (int digits = tensor->type == FP16 ? 3 : 6; digits <= 9; digits++) {
		double again;

		snprintf(text, sizeof(text), "%.*g", digits, value);
		again = strtod(text, NULL);
		if (isnan(value) || (tensor->type == FP16 ? to_half(again) == tensor->f16[i]
							  : (float)again == tensor->f32[i]))
			break;
	}
	fprintf(file, "%s\n", text);
}

int tensor_write(const struct tensor *tensor, const char *path)
{
	FILE *file = fopen(path, "wb");
	size_t i;
	int bad;

	if (!file) {
		fprintf(stderr, "vadd: cannot create '%s': %s\n", path, strerror(errno));
		return -1;
	}
	if (file_type(path) != NO_TYPE)
		fwrite(tensor->data, type_size(tensor->type), tensor->count, file);
	else
		for (i = 0; i < tensor->count; i++)
			print_element(file, tensor, i);
	bad = ferror(file);
	if (fclose(file) || bad) {
		fprintf(stderr, "vadd: cannot write '%s': %s\n", path, strerror(errno));
		return -1;
	}
	return 0;
}
