/* SPDX-License-Identifier: MIT */
/*
 * The room memory: what an address is (device memory, pinned or pageable memory of the host, managed
 * memory), buffer objects and their addresses, physical memory, peers, sharing with other processes.
 *
 * Uses: util, core, device.
 */
#ifndef ANPU_MEMORY_H
#define ANPU_MEMORY_H

#include "memory/peer.h"
#include "memory/physical.h"
#include "memory/region.h"
#include "memory/share.h"

enum anpu_place {
	ANPU_PLACE_PAGEABLE, /* host memory that the device does not know */
	ANPU_PLACE_PINNED,   /* aclrtMallocHost() */
	ANPU_PLACE_DEVICE
};

struct anpu_mem {
	enum anpu_place place;
	uint64_t addr;
	uint64_t base; /* of the allocation */
	uint64_t size;
	int pinned_for;		    /* PINNED: number of the device */
	struct anpu_device *dev;    /* DEVICE: with a reference */
	struct anpu_region *region; /* DEVICE: with a reference */
	bool pieces;		    /* DEVICE: the range goes on in the next mapping */
	bool managed;		    /* PINNED: aclrtMemAllocManaged(); DEVICE: the host's physical memory, or managed variables */
};

/*
 * Questions of this room to those above it; rooms.c has their functions.
 * @await_tasks	waits for all tasks of the calling thread's device, whether or not they fail
 * @freed	the checking mode: the program frees this memory
 * @allocation	for kinds of regions whose insides another room has, or NULL: start and size of the
 *		allocation that holds @va, false if there is none; device locked
 */
struct anpu_memory_hooks {
	aclError (*await_tasks)(void);
	void (*freed)(uint64_t va, uint64_t size);
	bool (*allocation[ANPU_REGION_KINDS])(const struct anpu_region *region, uint64_t va,
					      uint64_t *base, uint64_t *size);
};
extern const struct anpu_memory_hooks anpu_memory_hooks;

/*
 * Finds out what [ptr, ptr + len) is. Fails with 107000 when it is in a device's range but not
 * inside one live allocation, or begins in pinned memory and runs past its end.
 */
aclError anpu_mem_look(const void *ptr, uint64_t len, const char *name, struct anpu_mem *mem);
/* The same for what is only read, which may be the arguments of a kernel that failed */
aclError anpu_mem_look_source(const void *ptr, uint64_t len, const char *name,
			      struct anpu_mem *mem);
void anpu_mem_done(struct anpu_mem *mem);
/* The live allocation at an address of a device, without a failure if there is none */
bool anpu_mem_at(const void *ptr, struct anpu_mem *mem);
/* The CPU's address of device memory, or NULL */
void *anpu_window_of(const struct anpu_mem *mem);
/*
 * May it be read, or written, as rights of mappings have it. Memory that only the CPU may touch becomes
 * like any of the host's. 107000 with @name of the parameter
 */
aclError anpu_mem_may(struct anpu_mem *mem, uint64_t len, bool write, const char *name);
/* Is the address in a live allocation of the region; device locked */
bool anpu_allocated_locked(const struct anpu_region *region, uint64_t va);
/* The first or the last allocation in the region, if it has any for the program; device locked */
bool anpu_edge_locked(const struct anpu_region *region, bool last, uint64_t *base, uint64_t *size);
/* The call that made the allocation which begins at @base. Device locked */
struct anpu_site anpu_made_locked(const struct anpu_region *region, uint64_t base);

/* guard.c: memory in the checking mode. An allocation between guards; 0 or -errno */
/*
 * uses.c: lets the device note what a kernel whose arguments are at @args does with the allocations that @n pointers
 * point to; @ask goes behind the arguments. What it has noted of one of them, ANPU_ACCESS_*; false: that is lost
 */
struct anpu_check_ask;
bool anpu_uses_ask(struct anpu_device *dev, const uint64_t *pointers, unsigned int n, uint64_t args,
		   struct anpu_check_ask *ask, uint64_t *ticket);
bool anpu_uses_read(struct anpu_device *dev, uint64_t ticket, unsigned int index, uint32_t *access);
/* The parts of that allocation that the kernel, which is over, has used and written, from @first up to @end; false: they are not known */
struct anpu_span {
	uint64_t first, end;
};
bool anpu_uses_parts(struct anpu_device *dev, uint64_t ticket, unsigned int index, struct anpu_span *any, struct anpu_span *written);
int anpu_guarded_new(struct anpu_device *dev, uint64_t size, uint64_t *va);
/* The same for memory that begins where a region does, which is less than a page longer than the @size bytes of it */
void anpu_guard_around(struct anpu_region *region, uint64_t size);
/* When somebody looks at guards; if @site has a call, that launched the latest kernel of the stream */
struct anpu_noticed {
	const char *when;
	int32_t stream;
	struct anpu_site site;
};
/* Reports what was written into the guards of one allocation (its device locked, as other threads free), or of all */
void anpu_guard_look(struct anpu_region *region, const struct anpu_noticed *noticed);
void anpu_guards_look(struct anpu_device *dev, const struct anpu_noticed *noticed);
/* Reports what is read of it, or was copied from it to @data, and was never written; @what reads it, @site: as for anpu_finding() */
void anpu_unwritten_look(const struct anpu_mem *mem, const void *data, uint64_t size, const char *what,
			 const struct anpu_site *site);
/* Has nothing written these bytes */
bool anpu_is_unwritten(const struct anpu_mem *mem, uint64_t size);
/* Reports the allocations that are left */
void anpu_leaks_look(struct anpu_device *dev);

/*
 * touch.c: the checking mode's look at what the program does with pinned memory that copies use. A copy of a stream
 * reads @va, or with @source, an address of the device, writes there; the program knows that it is done; pinned memory ends.
 */
void anpu_touch_start(void);
void anpu_touch_copy(int32_t stream, uint64_t seq, uint64_t va, uint64_t size, uint64_t source);
/* In the checking mode: the calling thread copies these bytes now, none with @count 0 */
void anpu_touch_cpu_copy(const void *dst, const void *src, uint64_t count);
void anpu_touch_done(int32_t stream, uint64_t seq);
void anpu_touch_freed(uint64_t va, uint64_t size);
/* In the checking mode: a copy uses @size bytes there; is the program's object as large? @name: the copy's parameter */
void anpu_object_look(const struct anpu_mem *mem, uint64_t size, const char *name, bool writes);
/* heap.c: is ordinary memory of the program smaller than that, or was it freed? Then @text says so */
bool anpu_heap_wrong(uint64_t addr, uint64_t size, char *text, size_t room);
/* A block of malloc(), with the words in front of it that glibc keeps */
struct anpu_heap_block {
	uint64_t at, size;
	bool freed, mapped; /* @mapped: it has a mapping of its own */
};
/*
 * The block in use that has the address; false: none is known. And was what it has up to @end freed since, as far as that can
 * still be seen; @thoroughly: in the time that all blocks take
 */
bool anpu_heap_find(uint64_t addr, struct anpu_heap_block *b);
bool anpu_heap_ended(const struct anpu_heap_block *b, uint64_t end, bool thoroughly);

/*
 * pageable.c: in the checking mode: an asynchronous copy behind task @seq of the stream uses ordinary memory of the program. Then: the program uses
 * the device, or knows that the stream's tasks up to @seq are done.
 */
void anpu_pageable_copy(int32_t stream, uint64_t seq, uint64_t va, uint64_t size, bool writes);
void anpu_pageable_look(void);
void anpu_pageable_done(int32_t stream, uint64_t seq);

/* address.c: what an address is, in words, for a message about what device @dev did there */
void anpu_address_text(struct anpu_device *dev, uint64_t addr, char *buf, size_t size);
/* If a freed allocation was there: what it was, where it was freed and made; else false */
bool anpu_ended_text(uint64_t addr, char *buf, size_t size);
/* The same without what to do, which is for tasks */
bool anpu_ended_brief(uint64_t addr, char *buf, size_t size);
/* Is it an address that the process has mapped */
bool anpu_in_process(uint64_t addr);
/* NULL, or a small offset from it */
bool anpu_is_null(uint64_t addr);
/* Was it in a binary that has been unloaded */
bool anpu_ended_code(uint64_t addr);

/* hostmem.c: the part of anpu_mem_look() about host memory */
aclError anpu_mem_look_host(struct anpu_mem *mem, uint64_t len, const char *name);
bool anpu_is_pinned(const void *ptr);
/*
 * Is it memory of aclrtMallocHost(), which the device has mapped for itself, and no front orders its uses; from where to
 * where the allocation is
 */
bool anpu_mallocd_host(const void *ptr, uint64_t *base, uint64_t *end);
/* A front orders its uses itself */
void anpu_host_memory_ordered(const void *pinned);
/* See anpu_front_shared() */
void anpu_host_memory_shared(const void *registered);
/* Managed memory of @size bytes, a multiple of 2 MiB */
aclError anpu_managed_malloc(void **ptr, uint64_t size);
/* Frees managed memory: false if @ptr is none, else @ret is what came of it */
bool anpu_managed_free(void *ptr, aclError *ret);
/*
 * managed.c: notes where ranges of managed memory are wanted, all or none of them. Location n is for
 * the ranges from number @firsts[n] on; with one location @firsts is not looked at
 */
aclError anpu_managed_prefetch(const void *const *ptrs, const size_t *sizes, size_t count,
			       const aclrtMemManagedLocation *locations, const size_t *firsts,
			       size_t location_count);
/* managed.c: the advice for a range ends with it */
void anpu_managed_forget(uint64_t base);
/* Takes pinned memory from a device that ends; the memory itself stays until aclrtFreeHost() */
/* The checking mode, at the end: pinned memory that the program has not freed. Returns @ret */
aclError anpu_host_memory_tell_left(aclError ret);
/* The same for the memory at an address, if it is pinned and the library's */
void anpu_host_memory_tell_leak(uint64_t addr);
void anpu_host_memory_orphan(struct anpu_device *dev);

/* Success, or the failure that ANPU_INJECT has for this allocation (inject.c) */
aclError anpu_planned_failure(uint64_t size);

#endif /* ANPU_MEMORY_H */
