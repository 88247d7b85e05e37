// SPDX-License-Identifier: MIT
/* Element types: reading, writing, formatting, comparing. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/tensor/type.h"

static const struct op_type types[] = {
	{ "f16", OP_FLOAT, 2, "f2" },	 { "f32", OP_FLOAT, 4, "f4" },
	{ "f64", OP_FLOAT, 8, "f8" },	 { "bf16", OP_BFLOAT, 2, "V2" },
	{ "s8", OP_SIGNED, 1, "i1" },	 { "s16", OP_SIGNED, 2, "i2" },
	{ "s32", OP_SIGNED, 4, "i4" },	 { "s64", OP_SIGNED, 8, "i8" },
	{ "u8", OP_UNSIGNED, 1, "u1" },	 { "u16", OP_UNSIGNED, 2, "u2" },
	{ "u32", OP_UNSIGNED, 4, "u4" }, { "u64", OP_UNSIGNED, 8, "u8" },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

const struct op_type *op_type_find(const char *text, const char *ends, const char **rest)
{
	for (size_t i = 0; i < TYPES; i++) {
		size_t n = strlen(types[i].name);

		if (!strncmp(text, types[i].name, n) && text[n] && strchr(ends, text[n])) {
			*rest = text + n;
			return &types[i];
		}
	}
	return NULL;
}

const struct op_type *op_type_of(enum op_form form, size_t size)
{
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].form == form && types[i].size == size)
			return &types[i];
	return NULL;
}

const struct op_type *op_type_npy(const char *name)
{
	if (!strcmp(name, "b1")) /* bool */
		name = "u1";
	for (size_t i = 0; i < TYPES; i++)
		if (!strcmp(types[i].npy, name))
			return &types[i];
	return NULL;
}

bool op_type_real(const struct op_type *type)
{
	return type->form == OP_FLOAT || type->form == OP_BFLOAT;
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

double op_half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, mantissa = bits & 1023;
	double size = exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24);

	if (exponent == 31)
		size = mantissa ? NAN : INFINITY;
	return bits & 0x8000 ? -size : size;
}

/* Rounds a double to the nearest bf16, ties to even, without rounding to float first. */
static uint16_t bfloat_of(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	/* ties are decided by the part of the double that was rounded away in the float */
	if ((bits & 0xffff) == 0x8000 && (double)f != value)
		return (uint16_t)((bits >> 16) + (fabs(value) > fabs((double)f)));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Elements ------------------------------------------------------------------------------------- */

void op_put_real(uint8_t *at, const struct op_type *type, double value)
{
	float f = (float)value;
	uint16_t h = type->form == OP_BFLOAT ? bfloat_of(value) : half_of(value);

	if (type->size == 8)
		memcpy(at, &value, 8);
	else if (type->size == 4)
		memcpy(at, &f, 4);
	else
		memcpy(at, &h, 2);
}

void op_put_integer(uint8_t *at, const struct op_type *type, int64_t value)
{
	if (op_type_real(type))
		op_put_real(at, type, (double)value);
	else
		memcpy(at, &value, type->size);
}

static uint64_t bits_of(const uint8_t *at, const struct op_type *type)
{
	uint64_t u = 0;

	memcpy(&u, at, type->size);
	return u;
}

static int64_t signed_of(uint64_t u, const struct op_type *type)
{
	return (int64_t)(u << (64 - 8 * type->size)) >> (64 - 8 * type->size);
}

double op_get(const uint8_t *at, const struct op_type *type)
{
	uint64_t u = bits_of(at, type);
	uint32_t b = (uint32_t)u << 16;
	double d;
	float f;

	switch (type->form) {
	case OP_UNSIGNED:
		return (double)u;
	case OP_SIGNED:
		return (double)signed_of(u, type);
	case OP_BFLOAT:
		memcpy(&f, &b, 4);
		return (double)f;
	default:
		memcpy(&f, &u, 4);
		memcpy(&d, &u, 8);
		if (type->size == 2)
			return op_half_value((uint16_t)u);
		return type->size == 4 ? (double)f : d;
	}
}

void op_format(char *text, size_t size, const uint8_t *at, const struct op_type *type)
{
	uint64_t u = bits_of(at, type);

	if (type->form == OP_UNSIGNED)
		snprintf(text, size, "%llu", (unsigned long long)u);
	else if (type->form == OP_SIGNED)
		snprintf(text, size, "%lld", (long long)signed_of(u, type));
	else
		snprintf(text, size, "%.*g",
			 type->size == 8   ? 17
			 : type->size == 4 ? 9
					   : 5,
			 op_get(at, type));
}

int op_put_text(uint8_t *at, const struct op_type *type, const char *text, const char *end)
{
	char *stop;

	errno = 0;
	if (op_type_real(type)) {
		op_put_real(at, type, strtod(text, &stop));
	} else {
		bool minus = *text == '-', hex = !strncmp(text, "0x", 2);
		int64_t value = minus ? strtoll(text, &stop, 0) : (int64_t)strtoull(text, &stop, 0);
		unsigned int bits = 8 * (unsigned int)type->size;
		/* a hexadecimal number may have the sign's bit */
		uint64_t most = UINT64_MAX >> (64 - bits) >> (type->form == OP_SIGNED && !hex);

		op_put_integer(at, type, value);
		if (minus ? value < (type->form == OP_SIGNED ? INT64_MIN >> (64 - bits) : 0) :
			    (uint64_t)value > most)
			return -1;
	}
	return stop == end && stop != text && errno != ERANGE ? 0 : -1;
}

/* The rank of a floating-point number among all of its type; both zeroes have rank 0 */
static int64_t rank(uint64_t u, unsigned int bits)
{
	uint64_t sign = 1ULL << (bits - 1);

	return u & sign ? -(int64_t)(u & (sign - 1)) : (int64_t)u;
}

uint64_t op_distance(const uint8_t *a, const uint8_t *b, const struct op_type *type)
{
	uint64_t u = bits_of(a, type), v = bits_of(b, type);
	unsigned int bits = 8 * (unsigned int)type->size;

	if (type->form == OP_UNSIGNED)
		return u > v ? u - v : v - u;
	if (op_type_real(type)) {
		bool x = isnan(op_get(a, type)), y = isnan(op_get(b, type));

		if (x || y)
			return x && y ? 0 : UINT64_MAX;
		u = (uint64_t)rank(u, bits);
		v = (uint64_t)rank(v, bits);
	} else {
		u = (uint64_t)signed_of(u, type);
		v = (uint64_t)signed_of(v, type);
	}
	return (int64_t)u > (int64_t)v ? u - v : v - u;
}
