/* SPDX-License-Identifier: MIT */
/* Two steps of a computation, and one that takes a while. */
#include <anpu/anpu_intrin.h>

ANPU_KERNEL void wait_then_store(uint64_t *to, uint64_t value, uint64_t microseconds)
{
	uint64_t end = anpu_time_ns() + microseconds * 1000;

	while (anpu_time_ns() < end)
		;
	*to = value;
}

ANPU_KERNEL void add_one(uint64_t *to, const uint64_t *from)
{
	*to = *from + 1;
}
