// SPDX-License-Identifier: MIT
/* Operators that do nothing, for measuring what a launch costs. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void empty(void)
{
}

/* The same with arguments, as most kernels have them. */
ANPU_KERNEL void empty_args(void *x, void *y, void *z, uint32_t n)
{
	(void)x;
	(void)y;
	(void)z;
	(void)n;
}

/* Runs for about that many instructions and touches no memory. */
ANPU_KERNEL void spin(uint64_t instructions)
{
	for (uint64_t i = instructions / 2; i; i--)
		__asm__ volatile("");
}
