/* SPDX-License-Identifier: MIT */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void store(volatile uint64_t *to, uint64_t value)
{
	*to = value;
}

ANPU_KERNEL void check_positive(int64_t value)
{
	anpu_assert(value > 0);
}
