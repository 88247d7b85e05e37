// SPDX-License-Identifier: MIT
/*
 * Addresses of the device cannot be touched by the CPU, except where physical memory of the host is mapped
 * to them: such memory is mapped into the process, too, at the same address and with rights of its own.
 */
#include <errno.h>
#include <sys/mman.h>

#include "memory/memory.h"
#include "memory/physical.h"

#define PAGE 4096ULL

static int prot_of(uint32_t rights)
{
	return (rights & DRM_ANPU_VM_READ ? PROT_READ : PROT_NONE) |
	       (rights & DRM_ANPU_VM_WRITE ? PROT_WRITE : PROT_NONE);
}

/* Moves a mapping to the address that the device has for it; NULL is none */
static int move_to(struct anpu_region *region, void *map, uint64_t va, uint64_t size)
{
	void *at = (void *)(uintptr_t)va;
	int err;

	if (!map)
		return -ENOMEM;
	if (mremap(map, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) == at)
		return 0;
	err = -errno;
	anpu_unmap(region->dev, map, size);
	return err;
}

int anpu_region_show(struct anpu_region *region)
{
	const struct anpu_physical *p = container_of(region->owner, struct anpu_physical, obj);
	int err = move_to(region, anpu_physical_map(p, region->bo_offset, region->size), region->va, region->size);

	if (err)
		return err;
	region->cpu_rights = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE;
	region->shown = true;
	return 0;
}

int anpu_region_show_part(struct anpu_region *region, uint64_t offset, uint64_t size)
{
	uint64_t first = region->va + (offset & ~(PAGE - 1)), behind = region->va + align_up(offset + size, PAGE);
	int err = move_to(region, anpu_bo_map(region->dev, region->handle, 0, region->size), region->va, region->size);

	if (err)
		return err;
	/* the driver maps whole objects only; a wild store of the program is not to meet code */
	(void)mprotect((void *)(uintptr_t)region->va, first - region->va, PROT_NONE);
	(void)mprotect((void *)(uintptr_t)behind, region->va + region->size - behind, PROT_NONE);
	region->part = offset;
	region->part_size = size;
	return 0;
}

int anpu_region_show_rights(struct anpu_region *region, uint32_t rights)
{
	if (mprotect((void *)(uintptr_t)region->va, region->size, prot_of(rights)))
		return -errno;
	region->cpu_rights = rights;
	return 0;
}

void anpu_region_hide(struct anpu_region *region)
{
	if (!region->shown && !region->part_size)
		return;
	region->shown = false;
	region->part_size = 0;
	/* fails only at the process's limit of mappings, and then the old memory stays there unused */
	(void)mmap((void *)(uintptr_t)region->va, region->size, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

aclError anpu_mem_may(struct anpu_mem *mem, uint64_t len, bool write, const char *name)
{
	uint32_t want = write ? DRM_ANPU_VM_WRITE : DRM_ANPU_VM_READ;
	uint64_t at = mem->addr, end = mem->addr + len;
	const struct anpu_region *region;
	bool device = true, cpu = true;

	if (mem->place != ANPU_PLACE_DEVICE || mem->region->kind != ANPU_REGION_MAPPED)
		return ACL_SUCCESS;
	pthread_mutex_lock(&mem->dev->lock);
	for (; at < end; at = region->va + region->size) {
		region = anpu_region_find_locked(mem->dev, at);
		if (!region || region->kind != ANPU_REGION_MAPPED)
			break; /* another thread has unmapped it: told by the device */
		device = device && region->rights & want;
		cpu = cpu && region->shown && region->cpu_rights & want;
	}
	pthread_mutex_unlock(&mem->dev->lock);
	if (device)
		return ACL_SUCCESS;
	if (cpu) { /* the CPU copies it alone */
		mem->place = ANPU_PLACE_PAGEABLE;
		return ACL_SUCCESS;
	}
	return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			"%s with %llu bytes from %#llx is mapped without the right to %s it: "
			"aclrtMemSetAccess() gives device %d that right",
			name, (unsigned long long)len, (unsigned long long)mem->addr,
			write ? "write" : "read", mem->dev->id);
}
