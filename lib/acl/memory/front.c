// SPDX-License-Identifier: MIT
/* The private door (core/front.h): memory, and what is left. */
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

void anpu_front_left(const char *prefix)
{
	ACL_UNCANCELLED();
	struct anpu_device *dev;

	for (int id = 0; anpu_checking() && id < ANPU_MAX_DEVICES; id++) {
		dev = anpu_device_find(id);
		if (!dev)
			continue;
		acl_obj_tell_left_by(dev, prefix);
		anpu_device_put(dev);
	}
}
