// SPDX-License-Identifier: MIT
/*
 * Device memory in the checking mode. Each allocation has pages of its own and ends where the last one
 * does, as far as its start may be aligned; behind it the device has nothing mapped. What is mapped around
 * the allocation is a guard with a pattern, which is looked at when a stream has been synchronised, and when
 * the allocation is freed. Marks in it tell the device's checking mode where the allocation begins and ends,
 * to the byte, so that kernels fault at the instruction that leaves it. The allocation itself begins with
 * another pattern, a signalling NaN in each format, by which memory is recognised that nothing has written.
 */
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "memory/memory.h"

#define CHECKED_ALIGN 64
#define GUARD	      0xa5
#define PAGE	      4096
#define MARK	      sizeof(struct anpu_check_mark)

static void fill(void *to, uint64_t size)
{
	const uint32_t word = ANPU_UNWRITTEN;
	uint64_t i;

	for (i = 0; i + 4 <= size; i += 4)
		memcpy((char *)to + i, &word, 4);
}

/* Marks in a guard's page, or at its ends, say where the allocation is. */
static void make_guard(unsigned char page[PAGE], uint64_t va, uint64_t size, bool behind, uint64_t bound)
{
	const uint64_t key = ANPU_MARK_KEY(va & ~(uint64_t)(PAGE - 1));
	const struct anpu_check_mark mark = { .key = key, .bound = key + bound };

	memset(page, GUARD, size);
	memcpy(page + (behind ? size - MARK : 0), &mark, MARK);
}

/* The guards around an allocation, one by one: @at is 0 at first. What is behind its end is less than a page */
static bool next_guard(const struct anpu_region *r, uint64_t *at, uint64_t *start, uint64_t *size,
		       unsigned char page[PAGE])
{
	uint64_t end = r->lead + r->user_size;

	*start = *at;
	if (*at < r->lead) {
		*size = min_u64(PAGE, r->lead - *at);
		make_guard(page, r->va + *at, *size, false, *size);
		*at += *size;
		return true;
	}
	if (*at >= r->size || end == r->size)
		return false;
	*start = end;
	*size = r->size - end;
	make_guard(page, r->va + end, *size, true, end % PAGE);
	*at = r->size;
	return true;
}

static void make_guards(const struct anpu_region *r, char *cpu)
{
	uint64_t at = 0, start, size;
	unsigned char page[PAGE];

	while (next_guard(r, &at, &start, &size, page))
		memcpy(cpu + start, page, size);
}

/* How much is left behind the end, for the start to be aligned and for a mark to have room */
static uint64_t tail_of(uint64_t size)
{
	uint64_t tail = align_up(size, CHECKED_ALIGN) - size;

	return tail && tail < MARK ? tail + CHECKED_ALIGN : tail;
}

int anpu_guarded_new(struct anpu_device *dev, uint64_t size, uint64_t *va)
{
	struct anpu_region *region;
	char *cpu;
	int err = anpu_region_new(dev, ANPU_REGION_BIG, DRM_ANPU_BO_HBM, size + tail_of(size),
				  DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE, &region);

	if (err)
		return err;
	region->user_size = size;
	region->lead = (uint32_t)(region->size - size - tail_of(size));
	*va = region->va + region->lead;
	cpu = anpu_region_window(region);
	if (!cpu) /* a device whose memory the CPU cannot have: nothing is told of it */
		return 0;
	make_guards(region, cpu);
	fill(cpu + region->lead, size);
	pthread_mutex_lock(&dev->lock);
	region->guarded = true;
	pthread_mutex_unlock(&dev->lock);
	return 0;
}

void anpu_guard_around(struct anpu_region *region, uint64_t size)
{
	char *cpu = anpu_region_window(region);

	if (!cpu)
		return;
	if (region->size - size < MARK)
		size = region->size;
	fill(cpu, size);
	pthread_mutex_lock(&region->dev->lock);
	region->user_size = size;
	make_guards(region, cpu);
	region->guarded = true;
	pthread_mutex_unlock(&region->dev->lock);
}

/* The first and the last byte of a guard that is not as it was; false if all are. Repairs the guard */
static bool damaged(unsigned char *guard, const unsigned char *was, uint64_t size, uint64_t *first, uint64_t *last)
{
	bool found = false;
	uint64_t i;

	if (!memcmp(guard, was, size))
		return false;
	for (i = 0; i < size; i++) {
		if (guard[i] == was[i])
			continue;
		if (!found)
			*first = i;
		*last = i;
		found = true;
		guard[i] = was[i];
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

void anpu_guard_look(struct anpu_region *region, const struct anpu_noticed *noticed)
{
	unsigned char *cpu = region->guarded ? anpu_region_window(region) : NULL;
	uint64_t first, last, at = 0, start, size;
	unsigned char page[PAGE];

	if (!cpu || !region->user_size)
		return;
	while (next_guard(region, &at, &start, &size, page)) {
		if (!damaged(cpu + start, page, size, &first, &last))
			continue;
		if (start < region->lead)
			tell(region, region->lead - start - last, last - first + 1, false, noticed);
		else
			tell(region, first + 1, last - first + 1, true, noticed);
	}
}

void anpu_guards_look(struct anpu_device *dev, const struct anpu_noticed *noticed)
{
	struct anpu_region *region;
	uint64_t at = 0;

	while ((region = anpu_region_next(dev, &at))) {
		pthread_mutex_lock(&dev->lock);
		anpu_guard_look(region, noticed);
		pthread_mutex_unlock(&dev->lock);
		anpu_region_put(region);
	}
}

void anpu_unwritten_look(const struct anpu_mem *mem, const void *data, uint64_t size, const char *what,
			 const struct anpu_site *site)
{
	uint64_t i, first = 0, bytes = 0;
	char made[600], all[16];
	uint32_t word;

	if (mem->place != ANPU_PLACE_DEVICE || !mem->region->guarded)
		return;
	for (i = -(mem->addr - mem->base) % 4; i + 4 <= size; i += 4) {
		memcpy(&word, (const char *)data + i, 4);
		if (word != ANPU_UNWRITTEN)
			continue;
		if (!bytes)
			first = i;
		bytes += 4;
	}
	if (!bytes)
		return;
	anpu_site_text(&mem->region->site, made, sizeof(made));
	anpu_finding("uninitialised", site,
		     "%s reads %llu bytes that nothing has written since aclrtMalloc(), the first at byte %llu of the "
		     "allocation of %s at %#llx, made by %s",
		     what, (unsigned long long)bytes, (unsigned long long)(mem->addr + first - mem->base),
		     acl_bytes(mem->size, all), (unsigned long long)mem->base, made);
}

bool anpu_is_unwritten(const struct anpu_mem *mem, uint64_t size)
{
	const char *cpu = mem->place == ANPU_PLACE_DEVICE && mem->region->guarded ? anpu_window_of(mem) : NULL;
	uint64_t i;
	uint32_t word;

	if (!cpu || mem->addr % 4 || size < 4)
		return false;
	for (i = 0; i + 4 <= size; i += 4) {
		memcpy(&word, cpu + i, 4);
		if (word != ANPU_UNWRITTEN)
			return false;
	}
	return true;
}

static void tell_leak(const struct anpu_region *region)
{
	char bytes[16];

	if (region->guarded && region->user_size)
		anpu_finding("leak", &region->site, "%s of device memory at %#llx were never freed; the call that made them is",
			     acl_bytes(region->user_size, bytes), (unsigned long long)(region->va + region->lead));
}

void anpu_leaks_look(struct anpu_device *dev)
{
	struct anpu_region *region;
	uint64_t at = 0;

	while ((region = anpu_region_next(dev, &at))) {
		tell_leak(region);
		anpu_region_put(region);
	}
}

void anpu_front_leak(const void *ptr)
{
	ACL_UNCANCELLED();
	struct anpu_mem mem;

	if (!anpu_checking())
		return;
	if (!anpu_in_device_range(ptr)) {
		anpu_host_memory_tell_leak((uintptr_t)ptr);
	} else if (anpu_mem_at(ptr, &mem)) {
		tell_leak(mem.region);
		anpu_mem_done(&mem);
	}
}
