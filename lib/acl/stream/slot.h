/* SPDX-License-Identifier: MIT */
/* Physical memory, and slots: words that device and CPU share, for events and notifies. */
#ifndef ANPU_SLOT_H
#define ANPU_SLOT_H

#include <anpu/anpu_packet.h>

#include "memory/region.h"

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
/* Physical memory for the CPU, to be unmapped; NULL if that is not possible */
void *anpu_physical_map(const struct anpu_physical *p, uint64_t at, uint64_t size);

struct anpu_slot_memory {
	uint64_t value;
	uint64_t time_ns;
	uint64_t waits; /* waits that were satisfied */
	uint64_t records; /* events of several processes: that were called for */
	uint64_t reserved[4];
};

struct anpu_slot {
	struct anpu_slot_memory *cpu;
	uint64_t va;
	struct anpu_region *region; /* referenced */
	struct anpu_region *reserve; /* imported: whose addresses these are */
	bool own;		    /* it has the region for itself */
};

/* A slot of zeroes; 0 or -errno */
int anpu_slot_take(struct anpu_device *dev, struct anpu_slot *slot);
/* The same in memory of its own, which others may have */
int anpu_slot_take_own(struct anpu_device *dev, struct anpu_slot *slot);
/* A slot in memory of another process */
int anpu_slot_open(struct anpu_device *dev, struct anpu_physical *p, struct anpu_slot *slot);
/* Lets the slot be used again once the tasks that are queued now have run */
void anpu_slot_give(struct anpu_device *dev, const struct anpu_slot *slot);
/* Ends the owner's access to it */
void anpu_slot_release(struct anpu_slot *slot);
/* Frees the slots of a device that ends */
void anpu_slots_end(struct anpu_device *dev);
/* sync/event.c: a packet that changes a word of 8 bytes, with its time stamp at @time if not 0 */
union anpu_packet anpu_signal_packet(uint64_t addr, uint64_t value, uint64_t time, uint32_t op);

#endif /* ANPU_SLOT_H */
