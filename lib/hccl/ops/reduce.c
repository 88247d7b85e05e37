// SPDX-License-Identifier: MIT
/*
 * Reductions that the device has no task for: dst[i] = dst[i] op src[i]. Sums and products of integers wrap. Products
 * of fp16 and bf16 are made in fp32 and rounded to nearest even. If an element is NaN, so is the largest and the
 * smallest; +0 is greater than -0, as for the device's own reductions.
 */
#include <anpu/anpu_intrin.h>

#define KERNEL(name, type, expression) \
	ANPU_KERNEL void name(type *dst, const type *src, uint64_t n) \
	{ \
		uint64_t first, count = anpu_share(n, 64 / sizeof(type), &first), i; \
\
		for (i = first; i < first + count; i++) { \
			type a = dst[i], b = src[i]; \
\
			dst[i] = (type)(expression); \
		} \
	}

#define MAX	(a > b ? a : b)
#define MIN	(a < b ? a : b)

KERNEL(prod_8, uint8_t, (uint32_t)a * b)
KERNEL(prod_16, uint16_t, (uint32_t)a * b)
KERNEL(prod_32, uint32_t, a * b)
KERNEL(prod_64, uint64_t, a * b)
KERNEL(sum_64, uint64_t, a + b)
KERNEL(max_s64, int64_t, MAX)
KERNEL(min_s64, int64_t, MIN)
KERNEL(max_u64, uint64_t, MAX)
KERNEL(min_u64, uint64_t, MIN)
KERNEL(max_u32, uint32_t, MAX)
KERNEL(min_u32, uint32_t, MIN)
KERNEL(max_u16, uint16_t, MAX)
KERNEL(min_u16, uint16_t, MIN)
KERNEL(max_u8, uint8_t, MAX)
KERNEL(min_u8, uint8_t, MIN)
KERNEL(prod_f32, float, a * b)
KERNEL(prod_f16, _Float16, (float)a * (float)b)
KERNEL(prod_f64, double, a * b)
KERNEL(sum_f64, double, a + b)

static inline int64_t bits_of(double d)
{
	union {
		double d;
		int64_t bits;
	} u = { .d = d };

	return u.bits;
}

/* As numbers whose order is that of the doubles, with +0 above -0 */
static inline int64_t ordered(double d)
{
	int64_t bits = bits_of(d);

	return bits < 0 ? bits ^ INT64_MAX : bits;
}

KERNEL(max_f64, double, a != a ? a : b != b ? b : ordered(a) > ordered(b) ? a : b)
KERNEL(min_f64, double, a != a ? a : b != b ? b : ordered(a) < ordered(b) ? a : b)

static inline float widen(uint16_t h)
{
	union {
		uint32_t bits;
		float f;
	} u = { .bits = (uint32_t)h << 16 };

	return u.f;
}

static inline uint16_t narrow(float f)
{
	union {
		float f;
		uint32_t bits;
	} u = { .f = f };

	if (f != f)
		return 0x7fc0;
	return (uint16_t)((u.bits + 0x7fff + (u.bits >> 16 & 1)) >> 16);
}

KERNEL(prod_bf16, uint16_t, narrow(widen(a) * widen(b)))
