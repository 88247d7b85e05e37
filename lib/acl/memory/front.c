// SPDX-License-Identifier: MIT
/* The private door (core/front.h): memory. */
#include "memory/memory.h"

void anpu_front_ordered(const void *pinned)
{
	anpu_host_memory_ordered(pinned);
}

void anpu_front_shared(const void *registered)
{
	ACL_UNCANCELLED();
	anpu_host_memory_shared(registered);
}
