// SPDX-License-Identifier: MIT
/*
 * The checking mode's look at memory of the host by what a front or the allocator knows of it: the program's objects, which are
 * smaller than what a copy is told, and views of memory that the program has not got.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "memory/memory.h"

static _Atomic(bool (*)(const void *, size_t, char *, size_t)) front_objects;

void anpu_front_objects(bool (*find)(const void *at, size_t size, char *buf, size_t room))
{
	atomic_store(&front_objects, find);
}

void anpu_object_look(const struct anpu_mem *mem, uint64_t size, const char *name, bool writes)
{
	bool (*find)(const void *, size_t, char *, size_t) = atomic_load(&front_objects);
	char text[400];

	if (mem->place != ANPU_PLACE_PAGEABLE || !size)
		return;
	if ((find && find((void *)(uintptr_t)mem->addr, size, text, sizeof(text))) || anpu_heap_wrong(mem->addr, size, text, sizeof(text)))
		anpu_finding("host-memory", NULL, "%s %s %llu bytes at %#llx, %s", name, writes ? "takes" : "gives",
			     (unsigned long long)size, (unsigned long long)mem->addr, text);
}

/* Tells the mistake of using [ptr, ptr + size) as memory of the host; false: none is known */
static bool wrong_view(const void *ptr, size_t size, char *text, size_t room)
{
	struct anpu_mem mem = { .place = ANPU_PLACE_PAGEABLE, .addr = (uintptr_t)ptr };
	char made[1000];

	if (anpu_in_device_range(ptr) && anpu_mem_at(ptr, &mem)) {
		anpu_site_text(&mem.region->site, made, sizeof(made));
		snprintf(text, room, "device memory made by %s: only the device reaches it, copy it with aclrtMemcpy()", made);
		anpu_mem_done(&mem);
		return true;
	}
	(void)anpu_mem_look_host(&mem, 0, "ptr"); /* fails for lengths only */
	if (mem.place == ANPU_PLACE_PINNED && mem.base) {
		snprintf(text, room, "in pinned memory of %llu bytes at %#llx, which has %llu from there on",
			 (unsigned long long)mem.size, (unsigned long long)mem.base,
			 (unsigned long long)(mem.base + mem.size - mem.addr));
		return size > mem.base + mem.size - mem.addr;
	}
	snprintf(text, room, "in the ");
	return mem.place == ANPU_PLACE_PAGEABLE && !anpu_in_process((uintptr_t)ptr) &&
	       anpu_ended_brief((uintptr_t)ptr, text + 7, room - 7);
}

void anpu_front_looks(const char *api, const void *ptr, size_t size)
{
	ACL_UNCANCELLED();
	struct anpu_site site;
	char text[1200];

	if (!anpu_checking() || !size || !wrong_view(ptr, size, text, sizeof(text)))
		return;
	anpu_site_here(&site);
	site.api = api;
	anpu_finding("host-access", &site, "%s() gives %zu bytes at %p to look at, %s", api, size, ptr, text);
}
