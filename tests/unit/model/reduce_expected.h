/* SPDX-License-Identifier: MIT */
/* What REDUCE must make of two elements, by other ways than the device's. */
#ifndef REDUCE_EXPECTED_H
#define REDUCE_EXPECTED_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <anpu/anpu_packet.h>

static bool is_float(unsigned int type)
{
	return type >= ANPU_REDUCE_F16;
}

static uint64_t nan_of(unsigned int type)
{
	return type == ANPU_REDUCE_F16 ? 0x7e00 : type == ANPU_REDUCE_BF16 ? 0x7fc0 : 0x7fc00000;
}

/* The number as a double, which is exact */
static double number(unsigned int type, uint32_t bits)
{
	unsigned int digits = type == ANPU_REDUCE_F16 ? 10 : type == ANPU_REDUCE_BF16 ? 7 : 23;
	unsigned int width = 8 * ANPU_REDUCE_SIZE(type), bias = type == ANPU_REDUCE_F16 ? 15 : 127;
	int exponent = bits >> digits & ((1U << (width - 1 - digits)) - 1);
	double mantissa = bits & ((1U << digits) - 1), value;

	if (exponent == (int)(2 * bias + 1))
		value = mantissa ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(mantissa + (1U << digits), exponent - (int)(bias + digits));
	else
		value = ldexp(mantissa, 1 - (int)(bias + digits));
	return bits >> (width - 1) & 1 ? -value : value;
}

/*
 * The number next to a sum, found by search: the greatest that is not greater than its magnitude,
 * or the one above that. Beyond the greatest, the next is the power of two that would follow.
 */
static uint32_t nearest(unsigned int type, double sum)
{
	uint32_t low = 0, high = type == ANPU_REDUCE_F16 ? 0x7c00 : type == ANPU_REDUCE_BF16 ?
				 0x7f80 : 0x7f800000;
	uint32_t sign = signbit(sum) ? 1U << (8 * ANPU_REDUCE_SIZE(type) - 1) : 0, top = high;
	double size = fabs(sum), next;

	if (isinf(sum))
		return sign | high;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (number(type, middle) <= size)
			low = middle;
		else
			high = middle;
	}
	next = high == top ? ldexp(1, type == ANPU_REDUCE_F16 ? 16 : 128) : number(type, high);
	if (size - number(type, low) == next - size)
		return sign | (low & 1 ? high : low);
	return sign | (size - number(type, low) < next - size ? low : high);
}

static uint32_t expected_float(unsigned int op, unsigned int type, uint32_t a, uint32_t b)
{
	double x = number(type, a), y = number(type, b);
	bool a_less = x < y || (x == y && signbit(x) && !signbit(y));

	if (isnan(x) || isnan(y) || (op == ANPU_REDUCE_SUM && isnan(x + y)))
		return nan_of(type);
	if (op == ANPU_REDUCE_SUM)
		return nearest(type, x + y);
	return a_less == (op == ANPU_REDUCE_MAX) ? b : a;
}

static uint32_t expected(unsigned int op, unsigned int type, uint32_t a, uint32_t b)
{
	unsigned int shift = 32 - 8 * ANPU_REDUCE_SIZE(type);
	int32_t x = (int32_t)(a << shift) >> shift, y = (int32_t)(b << shift) >> shift;

	if (is_float(type))
		return expected_float(op, type, a, b);
	if (op == ANPU_REDUCE_SUM)
		return (a + b) << shift >> shift;
	return (x < y) == (op == ANPU_REDUCE_MAX) ? b : a;
}

#endif /* REDUCE_EXPECTED_H */
