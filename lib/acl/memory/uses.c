// SPDX-License-Identifier: MIT
/*
 * The checking mode asks the device which of the allocations that a kernel's arguments point to the kernel reads
 * and which it writes: many operators declare all their tensors alike. The device notes that in a page of the
 * library's, whose address stands behind the arguments.
 */
#include <string.h>

#include <anpu/anpu_isa.h>

#include "memory/memory.h"

#define SLOT  2048u
#define SLOTS 1024u

struct slot {
	struct anpu_check_uses head;
	struct anpu_check_use use[ANPU_CHECK_USES_MAX]; /* @head.count of them, and as many struct anpu_check_part */
	struct anpu_check_part part[ANPU_CHECK_USES_MAX];
};
_Static_assert(sizeof(struct slot) <= SLOT, "a slot has room for all pointers");

static struct slot *slot_of(const struct anpu_device *dev, uint64_t ticket)
{
	return (struct slot *)((char *)anpu_region_window(dev->uses) + ticket % SLOTS * SLOT);
}

/* Device locked, or nobody else can have it */
static bool begin(struct anpu_device *dev)
{
	struct anpu_region *region = NULL;
	bool ok;

	pthread_mutex_lock(&dev->lock);
	ok = dev->uses;
	pthread_mutex_unlock(&dev->lock);
	if (ok)
		return true;
	if (anpu_region_new(dev, ANPU_REGION_INTERNAL, DRM_ANPU_BO_HBM, SLOT * SLOTS,
			    DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &region))
		return false;
	pthread_mutex_lock(&dev->lock);
	ok = !dev->uses;
	if (ok)
		dev->uses = region;
	pthread_mutex_unlock(&dev->lock);
	if (!ok)
		anpu_region_end(region);
	return anpu_region_window(dev->uses);
}

bool anpu_uses_ask(struct anpu_device *dev, const uint64_t *pointers, unsigned int n, uint64_t args,
		   struct anpu_check_ask *ask, uint64_t *ticket)
{
	struct anpu_mem mem;
	struct slot *s;
	unsigned int i;

	if (!n || n > ANPU_CHECK_USES_MAX || !begin(dev))
		return false;
	*ticket = atomic_fetch_add(&dev->uses_next, 1) + 1;
	s = slot_of(dev, *ticket);
	memset(s, 0, sizeof(*s));
	s->head.count = n;
	s->head.flags = ANPU_CHECK_PARTS;
	s->head.ticket = *ticket;
	for (i = 0; i < n; i++) {
		if (!anpu_in_device_range((void *)(uintptr_t)pointers[i]) ||
		    !anpu_mem_at((void *)(uintptr_t)pointers[i], &mem))
			continue;
		s->use[i].va = mem.base;
		s->use[i].size = mem.size;
		anpu_mem_done(&mem);
	}
	*ask = (struct anpu_check_ask){
		.key = ANPU_MARK_KEY(args),
		.uses = dev->uses->va + *ticket % SLOTS * SLOT,
	};
	return true;
}

bool anpu_uses_read(struct anpu_device *dev, uint64_t ticket, unsigned int index, uint32_t *access)
{
	const struct slot *s = dev->uses ? slot_of(dev, ticket) : NULL;

	if (!s || s->head.ticket != ticket || index >= s->head.count)
		return false;
	*access = __atomic_load_n(&s->use[index].access, __ATOMIC_ACQUIRE);
	return true;
}

static struct anpu_span span(uint64_t base, uint64_t low, uint64_t high)
{
	return (struct anpu_span){ .first = base + ~low, .end = base + high };
}

bool anpu_uses_parts(struct anpu_device *dev, uint64_t ticket, unsigned int index, struct anpu_span *any, struct anpu_span *written)
{
	const struct slot *s = dev->uses ? slot_of(dev, ticket) : NULL;
	const struct anpu_check_part *p;

	if (!s || s->head.ticket != ticket || index >= s->head.count)
		return false;
	p = (const struct anpu_check_part *)(const void *)&s->use[s->head.count] + index;
	if (!p->high)
		return false;
	*any = span(s->use[index].va, p->low, p->high);
	*written = p->write_high ? span(s->use[index].va, p->write_low, p->write_high) : (struct anpu_span){ 0 };
	return true;
}
