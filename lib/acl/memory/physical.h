/* SPDX-License-Identifier: MIT */
/* Physical memory: buffer objects with a handle of the program, which it maps where it wants. */
#ifndef ANPU_PHYSICAL_H
#define ANPU_PHYSICAL_H

#include "device/device.h"

struct anpu_physical {
	struct acl_obj obj;
	uint32_t handle; /* GEM */
	uint64_t size;
	bool host;	  /* system memory */
	bool imported;	  /* from another process */
	int fd;		  /* of the dma-buf if only that can be mapped by the CPU, or -1 */
	atomic_uint uses; /* of the handle: aclrtFreePhysical() ends one */
};

/* Physical memory behind a GEM handle, which it takes over unless it fails; not published */
struct anpu_physical *anpu_physical_make(struct anpu_device *dev, uint32_t gem, uint64_t size,
					 bool host, bool imported);
/* The memory of a handle with a reference, or NULL after acl_fail() */
struct anpu_physical *anpu_physical_find(aclrtDrvMemHandle handle);
/* One more use of the memory's handle, which it gets anew if all uses of that have ended */
aclError anpu_physical_use(struct anpu_physical *p, aclrtDrvMemHandle *handle);
/* Physical memory for the CPU, to be unmapped; NULL if that is not possible */
void *anpu_physical_map(const struct anpu_physical *p, uint64_t at, uint64_t size);

#endif /* ANPU_PHYSICAL_H */
