// SPDX-License-Identifier: MIT
/*
 * Addresses of the device cannot be touched by the CPU, except where physical memory of the host is mapped
 * to them: such memory is mapped into the process, too, at the same address and with rights of its own.
 */
#include <errno.h>
#include <sys/mman.h>

#include "memory/memory.h"
#include "memory/physical.h"

static int prot_of(uint32_t rights)
{
	return (rights & DRM_ANPU_VM_READ ? PROT_READ : PROT_NONE) |
	       (rights & DRM_ANPU_VM_WRITE ? PROT_WRITE : PROT_NONE);
}

int anpu_region_show(struct anpu_region *region)
{
	const struct anpu_physical *p = container_of(region->owner, struct anpu_physical, obj);
	void *at = (void *)(uintptr_t)region->va;
	void *map = anpu_physical_map(p, region->bo_offset, region->size);
	int err = -ENOMEM;

	if (!map)
		return err;
	if (mremap(map, region->size, region->size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != at) {
		err = -errno;
		anpu_unmap(region->dev, map, region->size);
		return err;
	}
	region->cpu_rights = DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE;
	region->shown = true;
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
	if (!region->shown)
		return;
	region->shown = false;
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
