/* SPDX-License-Identifier: MIT */
/* The first binary of the program that gdb looks at. */
#include <anpu/anpu_intrin.h>

static float scaled(float v, float factor)
{
	return v * factor; /* SCALED */
}

ANPU_KERNEL void scale(float *x, float factor, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num()) {
		float v = scaled(x[i], factor);

		x[i] = v;
	}
}

/* Each block puts a number into its scratchpad, and all wait for each other */
ANPU_KERNEL void meet(float *x)
{
	*(volatile uint32_t *)0x100040 = 7 + anpu_block_idx();
	anpu_syncall(ANPU_SYNC_KIND);
	x[anpu_block_idx()] += 1; /* MET */
}

/* Some hundred thousand instructions between two launches that are of interest */
ANPU_KERNEL void work(float *x, uint32_t n)
{
	volatile float sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (float)i;
	x[0] = sum;
}
