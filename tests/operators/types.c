// SPDX-License-Identifier: MIT
/* Operators that do nothing with their parameter: what the checking mode knows of its type. */
#include <stdint.h>

#include <anpu/anpu_intrin.h>

/* Names that programs have for numbers of 16 bits */
typedef _Float16 half;
typedef _Float16 __half;
typedef uint16_t bfloat16_t;

#define TAKES(name, type) \
	ANPU_KERNEL void takes_##name(type *x) \
	{ \
		(void)x; \
	}

TAKES(char, char)
TAKES(void, void)
TAKES(int8_t, int8_t)
TAKES(float, float)
TAKES(double, double)
TAKES(half, half)
TAKES(float16, _Float16)
TAKES(cuda_half, __half)
TAKES(bfloat16_t, bfloat16_t)
TAKES(short, short)
TAKES(unsigned_short, unsigned short)
TAKES(int16_t, int16_t)
TAKES(uint16_t, uint16_t)
TAKES(int, int)
TAKES(unsigned_int, unsigned int)
TAKES(int32_t, int32_t)
TAKES(uint32_t, uint32_t)
TAKES(long, long)
TAKES(unsigned_long, unsigned long)
TAKES(int64_t, int64_t)
TAKES(uint64_t, uint64_t)
TAKES(const_float, const float)
TAKES(volatile_double, volatile double)
TAKES(const_volatile_int, const volatile int)
