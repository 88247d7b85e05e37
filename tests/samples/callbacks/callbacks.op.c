/* SPDX-License-Identifier: MIT */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void square(uint64_t *word)
{
	*word = *word * *word;
}
