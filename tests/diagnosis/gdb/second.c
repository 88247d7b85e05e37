/* SPDX-License-Identifier: MIT */
/* The second binary of the program that gdb looks at, which is loaded later. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void add(float *x, float value, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num())
		x[i] += value; /* ADDED */
}

ANPU_KERNEL void endless(volatile float *x)
{
	while (!x[0])
		; /* ENDLESS */
}

/* Waits for the second block, which has to run meanwhile */
ANPU_KERNEL void pair(volatile float *x)
{
	if (anpu_block_idx()) {
		x[1] = 5;
		return;
	}
	while (x[1] != 5) /* WAITING */
		;
	x[0] = 6; /* WAITED */
}
