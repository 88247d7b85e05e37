// SPDX-License-Identifier: MIT
/* Every block says where it is. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void hello(uint32_t number, double real, const char *text)
{
	anpu_printf("block %u of %u on core %u: %u %.3f %s\n", anpu_block_idx(), anpu_block_num(),
		    anpu_core_id(), number, real, text ? text : "no text");
}
