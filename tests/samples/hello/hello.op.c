/* SPDX-License-Identifier: MIT */
/* An operator in C that prints. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void hello(uint32_t number)
{
	anpu_printf("hello from the NPU: block %u of %u got %u\n", anpu_block_idx(),
		    anpu_block_num(), number);
}
