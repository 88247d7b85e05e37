/* SPDX-License-Identifier: MIT */
/* Slots: words that device and CPU share, for events and notifies. */
#ifndef ANPU_SLOT_H
#define ANPU_SLOT_H

#include <anpu/anpu_packet.h>

#include "memory/memory.h"

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
/* Drops the owner's reference */
void anpu_slot_release(struct anpu_slot *slot);
/* The stream begins, and has ended in the driver: between them its tasks may touch slots */
void anpu_slots_watch(struct anpu_stream *s);
void anpu_slots_unwatch(struct anpu_stream *s);
/* Has the stream of this number left its task @seq behind: it is done, was dropped, or the stream has ended */
bool anpu_slots_passed(struct anpu_device *dev, int32_t number, uint64_t seq);
/* Frees the slots of a device that ends */
void anpu_slots_end(struct anpu_device *dev);
/* A packet that changes a word of 8 bytes, with its time stamp at @time if not 0 */
union anpu_packet anpu_signal_packet(uint64_t addr, uint64_t value, uint64_t time, uint32_t op);

#endif /* ANPU_SLOT_H */
