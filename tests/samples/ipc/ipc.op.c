/* SPDX-License-Identifier: MIT */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void multiply_by_3(uint32_t *words, uint32_t n)
{
	for (uint32_t i = anpu_block_idx(); i < n; i += anpu_block_num())
		words[i] *= 3;
}
