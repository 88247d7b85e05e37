/* SPDX-License-Identifier: MIT */
/* binary16 and bfloat16 to binary32 and back, to nearest even; NaN becomes the canonical one. */
#ifndef ANPU_MODEL_HALF_H
#define ANPU_MODEL_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline float from_f16(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;

	if (rest >= 0x7c00)
		return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
	if (rest >= 0x400)
		return float_of(sign | ((rest << 13) + (112U << 23)));
	return float_of(sign | bits_of((float)rest * 0x1p-24f));
}

static inline uint16_t to_f16(float f)
{
	uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;

	if (rest > 0x7f800000)
		return 0x7e00;
	if (rest >= 0x47800000)	/* 65536; what is rounded up to it becomes infinity below */
		return sign | 0x7c00;
	if (rest >= 0x38800000)	/* 2^-14 */
		return sign | (rest - (112U << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
	/* the last bit of what lies from 0.5 to 1 is that of a subnormal half */
	return sign | (bits_of(float_of(rest) + 0.5f) - bits_of(0.5f));
}

static inline float from_bf16(uint16_t half)
{
	return float_of((uint32_t)half << 16);
}

static inline uint16_t to_bf16(float f)
{
	uint32_t bits = bits_of(f);

	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7fc0;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

#endif /* ANPU_MODEL_HALF_H */
