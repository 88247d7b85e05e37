// SPDX-License-Identifier: MIT
/*
 * Device memory in the checking mode. Each allocation has pages of its own and ends where the last one
 * does, as far as its start may be aligned; behind it the device has nothing mapped. What is mapped around
 * the allocation is a guard with a pattern, which is looked at when a stream has been synchronised, and when
 * the allocation is freed. The allocation itself begins with another pattern, a signalling NaN in each
 * format, by which memory is recognised that nothing has written.
 */
#include <stdio.h>
#include <string.h>

#include "memory/memory.h"

#define CHECKED_ALIGN 64
#define GUARD	      0xa5
#define UNWRITTEN     0xffa5ffa5u

static void fill(void *to, uint64_t size)
{
	const uint32_t word = UNWRITTEN;
	uint64_t i;

	for (i = 0; i + 4 <= size; i += 4)
		memcpy((char *)to + i, &word, 4);
}

int anpu_guarded_new(struct anpu_device *dev, uint64_t size, uint64_t *va)
{
	struct anpu_region *region;
	uint64_t tail;
	char *cpu;
	int err = anpu_region_new(dev, ANPU_REGION_BIG, DRM_ANPU_BO_HBM, size,
				  DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &region);

	if (err)
		return err;
	region->lead = (uint32_t)(region->size - align_up(size, CHECKED_ALIGN));
	*va = region->va + region->lead;
	cpu = anpu_region_window(region);
	if (!cpu) /* a device whose memory the CPU cannot have: nothing is told of it */
		return 0;
	tail = region->size - region->lead - size;
	memset(cpu, GUARD, region->lead);
	fill(cpu + region->lead, size);
	memset(cpu + region->lead + size, GUARD, tail);
	region->guarded = true;
	return 0;
}

/* The first and the last byte of a guard that is not as it was; false if all are. Repairs the guard */
static bool damaged(unsigned char *guard, uint64_t size, uint64_t *first, uint64_t *last)
{
	bool found = false;
	uint64_t i;

	/* nearly always: each byte is as the one before it */
	if (!size || (guard[0] == GUARD && !memcmp(guard, guard + 1, size - 1)))
		return false;
	for (i = 0; i < size; i++) {
		if (guard[i] == GUARD)
			continue;
		if (!found)
			*first = i;
		*last = i;
		found = true;
		guard[i] = GUARD;
	}
	return found;
}

/* Lines are looked up only now, as that takes as long as hundreds of launches */
static void tell(const struct anpu_region *region, uint64_t gap, uint64_t bytes, bool behind,
		 const struct anpu_noticed *noticed)
{
	char made[600], size[16], task[900], launched[800];
	int n = snprintf(task, sizeof(task), "noticed %s", noticed->when);

	anpu_site_text(&noticed->site, launched, sizeof(launched));
	if (*launched)
		snprintf(task + n, sizeof(task) - n, "; the latest kernel of stream %d was launched by %s",
			 noticed->stream, launched);
	anpu_site_text(&region->site, made, sizeof(made));
	anpu_finding("out-of-bounds", NULL,
		     "%llu byte%s %s, from %llu byte%s %s, were written: the allocation has %s at %#llx, made by "
		     "%s; %s",
		     (unsigned long long)bytes, bytes == 1 ? "" : "s",
		     behind ? "behind the end of an allocation" : "before an allocation",
		     (unsigned long long)gap, gap == 1 ? "" : "s", behind ? "behind its last one" : "before its first one",
		     acl_bytes(region->user_size, size), (unsigned long long)(region->va + region->lead), made, task);
}

/* The region's lock is the device's, which is not held: the program may not free it meanwhile */
void anpu_guard_look(struct anpu_region *region, const struct anpu_noticed *noticed)
{
	unsigned char *cpu = region->guarded ? anpu_region_window(region) : NULL;
	uint64_t first, last, end;

	if (!cpu || !region->user_size)
		return;
	end = region->lead + region->user_size;
	if (damaged(cpu, region->lead, &first, &last))
		tell(region, region->lead - last, last - first + 1, false, noticed);
	if (damaged(cpu + end, region->size - end, &first, &last))
		tell(region, first + 1, last - first + 1, true, noticed);
}

void anpu_guards_look(struct anpu_device *dev, const struct anpu_noticed *noticed)
{
	struct anpu_region *region;
	uint64_t at = 0;

	while ((region = anpu_region_next(dev, &at))) {
		anpu_guard_look(region, noticed);
		anpu_region_put(region);
	}
}

void anpu_unwritten_look(const struct anpu_mem *mem, const void *data, uint64_t size, const char *what)
{
	uint64_t i, first = 0, bytes = 0;
	char made[600], all[16];
	uint32_t word;

	if (mem->place != ANPU_PLACE_DEVICE || !mem->region->guarded)
		return;
	for (i = -(mem->addr - mem->base) % 4; i + 4 <= size; i += 4) {
		memcpy(&word, (const char *)data + i, 4);
		if (word != UNWRITTEN)
			continue;
		if (!bytes)
			first = i;
		bytes += 4;
	}
	if (!bytes)
		return;
	anpu_site_text(&mem->region->site, made, sizeof(made));
	anpu_finding("uninitialised", NULL,
		     "%s reads %llu bytes that nothing has written since aclrtMalloc(), the first at byte %llu of the "
		     "allocation of %s at %#llx, made by %s",
		     what, (unsigned long long)bytes, (unsigned long long)(mem->addr + first - mem->base),
		     acl_bytes(mem->size, all), (unsigned long long)mem->base, made);
}

bool anpu_is_unwritten(const struct anpu_mem *mem, uint64_t size)
{
	const char *cpu = mem->place == ANPU_PLACE_DEVICE && mem->region->guarded ? anpu_region_window(mem->region)
										 : NULL;
	uint64_t i;
	uint32_t word;

	if (!cpu || mem->addr % 4 || size < 4)
		return false;
	cpu += mem->addr - mem->region->va;
	for (i = 0; i + 4 <= size; i += 4) {
		memcpy(&word, cpu + i, 4);
		if (word != UNWRITTEN)
			return false;
	}
	return true;
}

void anpu_leaks_look(struct anpu_device *dev)
{
	struct anpu_region *region;
	char bytes[16];
	uint64_t at = 0;

	while ((region = anpu_region_next(dev, &at))) {
		if (region->guarded && region->user_size)
			anpu_finding("leak", &region->site,
				     "%s of device memory at %#llx were never freed; the call that made them is",
				     acl_bytes(region->user_size, bytes),
				     (unsigned long long)(region->va + region->lead));
		anpu_region_put(region);
	}
}
