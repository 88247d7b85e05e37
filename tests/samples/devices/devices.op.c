/* SPDX-License-Identifier: MIT */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void sum(const uint32_t *words, uint32_t n, uint64_t *result)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += words[i];
	*result = total;
}
