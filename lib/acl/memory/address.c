// SPDX-License-Identifier: MIT
/*
 * Messages about a task or a call that used a wrong address describe the address in words. The library
 * recognises live allocations, the latest ones that have ended, handles, pinned memory, and the process's
 * own memory.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/memory.h"

/* Ended ranges that are remembered; a program usually uses a freed pointer soon */
#define ENDED 1024
/* A pointer that was not set, and an index or a field added to it */
#define NULL_END 4096

struct ended {
	uint64_t va;
	uint64_t size;
	enum anpu_ended_kind kind;
	struct anpu_site made;
	struct anpu_site freed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nests inside of all others */
static struct ended ended[ENDED];
static unsigned int next_ended; /* the oldest, which is overwritten next */

void anpu_ended_note(uint64_t va, uint64_t size, enum anpu_ended_kind kind, const struct anpu_site *made)
{
	struct ended e = { .va = va, .size = size, .kind = kind };

	anpu_site_here(&e.freed);
	if (made)
		e.made = *made;
	pthread_mutex_lock(&lock);
	ended[next_ended] = e;
	next_ended = (next_ended + 1) % ENDED;
	pthread_mutex_unlock(&lock);
	anpu_tell_memory_ended(va);
}

/* The latest range that has ended and had the address */
static bool find_ended(uint64_t addr, struct ended *out)
{
	bool found = false;
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 1; i <= ENDED && !found; i++) {
		*out = ended[(next_ended + ENDED - i) % ENDED];
		found = out->size && addr - out->va < out->size;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

bool anpu_ended_code(uint64_t addr)
{
	struct ended e;

	return find_ended(addr, &e) && e.kind == ANPU_ENDED_CODE;
}

/* @advise: with what to do where a task has used it */
static void ended_text(const struct ended *e, bool advise, char *buf, size_t size)
{
	static const char *const what[] = {
		[ANPU_ENDED_FREED] = "device memory that was freed: synchronise the streams that use "
				     "it before aclrtFree()",
		[ANPU_ENDED_CODE] = "part of a binary that was unloaded: synchronise the streams that "
				    "run it before aclrtBinaryUnLoad()",
		[ANPU_ENDED_POOL] = "memory that a pool has given back: synchronise the streams that "
				    "use it before its blocks are freed",
		[ANPU_ENDED_MAPPING] = "where the mapping of aclrtMapMem() was ended: synchronise the "
				       "streams that use it before aclrtUnmapMem()",
		[ANPU_ENDED_IMPORT] = "where another process's memory was closed: synchronise the "
				      "streams that use it before aclrtIpcMemClose()",
		[ANPU_ENDED_HOST] = "host memory that was freed or unregistered: synchronise the "
				    "streams that use it before aclrtFreeHost() or "
				    "aclrtHostUnregister()",
	};
	char bytes[16], made[400], freed[400];

	anpu_site_text(&e->made, made, sizeof(made));
	anpu_site_text(&e->freed, freed, sizeof(freed));
	snprintf(buf, size, "%s at %#llx, %.*s%s%s%s%s%s", acl_bytes(e->size, bytes),
		 (unsigned long long)e->va, advise ? INT_MAX : (int)strcspn(what[e->kind], ":"), what[e->kind], *freed || *made ? " (" : "",
		 *freed ? "ended by " : "", freed, *made ? ", made by " : "", made);
	if (*freed || *made)
		strncat(buf, ")", size - strlen(buf) - 1);
}

bool anpu_ended_text(uint64_t addr, char *buf, size_t size)
{
	struct ended e;

	if (!find_ended(addr, &e))
		return false;
	ended_text(&e, true, buf, size);
	return true;
}

bool anpu_ended_brief(uint64_t addr, char *buf, size_t size)
{
	struct ended e;

	if (!find_ended(addr, &e))
		return false;
	ended_text(&e, false, buf, size);
	return true;
}

/* The same for the message about a task */
static void was_ended_text(const struct ended *e, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "in the ");

	if (n < size)
		ended_text(e, true, buf + n, size - n);
}

/* Is there a page of the process */
bool anpu_in_process(uint64_t addr)
{
	unsigned char vec;

	return !mincore((void *)(uintptr_t)(addr & ~4095ULL), 1, &vec);
}

static void host_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	struct anpu_mem mem = { .place = ANPU_PLACE_PAGEABLE, .addr = addr };
	struct ended e;

	(void)anpu_mem_look_host(&mem, 0, "addr"); /* fails for lengths only */
	if (mem.place == ANPU_PLACE_PINNED && mem.pinned_for != dev->id)
		snprintf(buf, size,
			 "%s memory of device %d, which device %d does not reach: allocate it with "
			 "device %d set, or copy it",
			 mem.managed ? "managed" : "pinned host", mem.pinned_for, dev->id, dev->id);
	else if (mem.place == ANPU_PLACE_PINNED)
		snprintf(buf, size, "behind the end of the pinned memory at %#llx",
			 (unsigned long long)mem.base);
	else if (find_ended(addr, &e))
		was_ended_text(&e, buf, size);
	else if (anpu_in_process(addr))
		snprintf(buf, size,
			 "host memory, which the device does not reach: copy it with aclrtMemcpy(), "
			 "or take it from aclrtMallocHost()");
	else
		snprintf(buf, size, "no address of this process's device or host memory");
}

struct neighbour {
	uint64_t base;
	uint64_t size;
	uint64_t gap; /* between it and the address */
	struct anpu_site made;
	bool found;
};

/* The last allocation that ends at or before the address; device locked */
static struct neighbour below(struct anpu_device *dev, uint64_t addr)
{
	struct neighbour n = { .found = false };
	uint64_t i = (addr - dev->va_base) >> ANPU_CHUNK_SHIFT;

	do {
		struct anpu_region *r = dev->chunks[i];

		n.found = r && r->va + r->size <= addr && anpu_edge_locked(r, true, &n.base, &n.size);
		if (n.found)
			n.made = anpu_made_locked(r, n.base);
	} while (!n.found && i-- > 0);
	n.gap = addr - (n.base + n.size);
	return n;
}

/* The first allocation that begins behind the address; device locked */
static struct neighbour above(struct anpu_device *dev, uint64_t addr)
{
	struct neighbour n = { .found = false };
	uint64_t i = (addr - dev->va_base) >> ANPU_CHUNK_SHIFT;

	while (!n.found && ++i < dev->va_size >> ANPU_CHUNK_SHIFT) {
		struct anpu_region *r = dev->chunks[i];

		n.found = r && r->va > addr && anpu_edge_locked(r, false, &n.base, &n.size);
		if (n.found)
			n.made = anpu_made_locked(r, n.base);
	}
	n.gap = n.base - addr;
	return n;
}

/* The allocation of the checking mode whose guard has the address; device locked */
static struct neighbour around(const struct anpu_region *r, uint64_t addr, bool *behind)
{
	struct neighbour n = { .base = r->va + r->lead, .size = r->user_size, .made = r->site, .found = true };

	*behind = addr >= n.base;
	n.gap = *behind ? addr - (n.base + n.size) : n.base - addr;
	return n;
}

/* Is the address in the guard around an allocation; device locked */
static bool in_guard(const struct anpu_region *r, uint64_t addr)
{
	return r && r->live && r->guarded && addr - r->va < r->size && addr - r->va - r->lead >= r->user_size;
}

static void nearest_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	struct neighbour lower, upper, n;
	char bytes[16], gap[16], made[400] = "";
	const struct anpu_region *r;
	bool behind;

	pthread_mutex_lock(&dev->lock);
	r = anpu_region_find_locked(dev, addr);
	if (in_guard(r, addr)) {
		n = around(r, addr, &behind);
	} else {
		lower = below(dev, addr);
		upper = above(dev, addr);
		behind = lower.found && (!upper.found || lower.gap <= upper.gap);
		n = behind ? lower : upper;
	}
	pthread_mutex_unlock(&dev->lock);
	if (n.found)
		anpu_site_text(&n.made, made, sizeof(made));
	if (n.found)
		snprintf(buf, size,
			 "memory that is not allocated, %s%s%s the nearest allocation, %s at %#llx%s%s%s",
			 n.gap ? acl_bytes(n.gap, gap) : "right", " ", behind ? "behind the end of" : "before",
			 acl_bytes(n.size, bytes), (unsigned long long)n.base,
			 *made ? " (made by " : "", made, *made ? ")" : "");
	else
		snprintf(buf, size, "memory that is not allocated: this process has none on device %d",
			 dev->id);
}

static void device_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	int owner = anpu_device_number_of((void *)(uintptr_t)addr);
	struct anpu_region *region;
	bool live, reserved;
	struct ended e;

	if (owner != dev->id) {
		snprintf(buf, size,
			 "memory that is not allocated for device %d (it is an address of device %d: "
			 "see aclrtDeviceEnablePeerAccess())",
			 dev->id, owner);
		return;
	}
	pthread_mutex_lock(&dev->lock);
	region = anpu_region_find_locked(dev, addr);
	live = region && region->live && addr - region->va < region->size && !in_guard(region, addr);
	reserved = live && region->kind == ANPU_REGION_RESERVED;
	pthread_mutex_unlock(&dev->lock);
	if ((!live || reserved) && find_ended(addr, &e))
		was_ended_text(&e, buf, size);
	else if (reserved)
		snprintf(buf, size, "inside of aclrtReserveMemAddress()'s addresses, where "
				    "aclrtMapMem() has mapped nothing");
	else if (live)
		snprintf(buf, size, "memory that is not mapped for the device: see "
				    "aclrtMemSetAccess()");
	else
		nearest_text(dev, addr, buf, size);
}

bool anpu_is_null(uint64_t addr)
{
	return addr < NULL_END;
}

void anpu_address_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size)
{
	const char *handle = acl_handle_type(addr);

	if (anpu_is_null(addr))
		snprintf(buf, size, "NULL%s: a pointer that was not set",
			 addr ? " plus an offset" : "");
	else if (handle)
		snprintf(buf, size,
			 "the handle of %s and no address: pass device memory of aclrtMalloc()", handle);
	else if (anpu_in_device_range((void *)(uintptr_t)addr))
		device_text(dev, addr, buf, size);
	else
		host_text(dev, addr, buf, size);
}
