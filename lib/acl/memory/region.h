/* SPDX-License-Identifier: MIT */
/* Buffer objects in a device's address range. */
#ifndef ANPU_REGION_H
#define ANPU_REGION_H

#include "device/device.h"

enum anpu_region_kind {
	ANPU_REGION_BIG = 1, /* one aclrtMalloc() */
	ANPU_REGION_SLAB,    /* many small ones */
	ANPU_REGION_CODE,    /* an operator's binary */
	ANPU_REGION_INTERNAL, /* of the library: slots, bounce buffers */
	ANPU_REGION_RESERVED, /* addresses of aclrtReserveMemAddress(), without memory */
	ANPU_REGION_MAPPED,   /* physical memory mapped there */
	ANPU_REGION_POOL,     /* of a memory pool */
	ANPU_REGION_STATUS,   /* of the library, what aclrtCtxGetFloatOverflowAddr() shows of it */
	ANPU_REGION_ARGS,     /* of the library, arguments of kernels, which aclrtMemcpy() may read */
	ANPU_REGION_KINDS
};

/* The past of a range, for messages about tasks that still use it: memory/address.c */
enum anpu_ended_kind {
	ANPU_ENDED_FREED,
	ANPU_ENDED_CODE,
	ANPU_ENDED_POOL,
	ANPU_ENDED_MAPPING,
	ANPU_ENDED_IMPORT, /* by key */
	ANPU_ENDED_HOST
};
/* @made: where the program has made it, or NULL; it ends in the call that this thread is in */
void anpu_ended_note(uint64_t va, uint64_t size, enum anpu_ended_kind kind, const struct anpu_site *made);

struct anpu_arena;

struct anpu_region {
	struct anpu_device *dev; /* not counted: regions end before their device */
	atomic_uint refs;
	enum anpu_region_kind kind;
	uint32_t handle;
	uint64_t va;
	uint64_t size;	      /* of the object, and mapped */
	uint64_t user_size;   /* BIG: bytes that the program asked for, rounded; STATUS: that it sees */
	uint32_t lead;	      /* BIG: where in it the allocation begins, see guard.c */
	bool alone;	      /* no other region begins where its memory ends */
	bool guarded;	      /* BIG: it has patterns of guard.c */
	bool live;	      /* not yet freed; under the device's lock */
	bool hbm;	      /* counted in the device's use; of its memory */
	void *_Atomic window; /* the CPU's mapping, made when first needed */
	struct anpu_slab *slab;
	struct anpu_arena *arena; /* POOL: its blocks; under the device's lock */
	const struct anpu_binary *binary; /* CODE: whose image it is; likewise */
	struct anpu_region *next, *prev; /* in the device's list of slabs with room */
	struct acl_obj *owner;	  /* MAPPED: of the handle, referenced */
	struct anpu_region *reserve; /* MAPPED: whose addresses these are, referenced */
	uint32_t mapped;	     /* RESERVED: mappings in it; under the device's lock */
	uint32_t rights;	     /* MAPPED: DRM_ANPU_VM_* */
	bool shown;		     /* MAPPED: to the CPU, at the same address; cpumap.c */
	uint32_t cpu_rights;	     /* that it has there: DRM_ANPU_VM_* */
	uint64_t part;		     /* CODE: offset of the variables that the CPU sees, at the same address */
	uint64_t part_size;	     /* and their bytes; 0: none */
	uint64_t bo_offset;	     /* MAPPED: where in the object it begins */
	bool imported;		     /* MAPPED: by key */
	struct anpu_peer_map *peers; /* other devices that have it in their address space; memory/peermap.c */
	struct anpu_region *next_ended;
	struct anpu_site site; /* BIG, POOL, RESERVED, MAPPED: the call that made it */
};

/*
 * Makes a buffer object and gives it addresses; maps it readable and writable unless @vm_flags is
 * 0, when the caller maps it. Returns 0 or -errno.
 */
int anpu_region_new(struct anpu_device *dev, enum anpu_region_kind kind, uint32_t bo_type,
		    uint64_t size, uint32_t vm_flags, struct anpu_region **out);
/* Addresses without memory, a multiple of 2 MiB, at @expect if that is free. 0 or -errno */
int anpu_region_reserve(struct anpu_device *dev, uint64_t size, uint64_t expect,
			struct anpu_region **out);
/*
 * Maps an object into reserved addresses, in whole chunks; with reference to the object that has
 * the handle, from @offset of it on. -EEXIST if something is mapped there, -EINVAL if it is not
 * inside @reserve.
 */
int anpu_region_map(struct anpu_region *reserve, uint64_t va, uint64_t size, uint32_t handle,
		    struct acl_obj *owner, uint64_t offset, bool imported);
/* Gives reserved addresses back; -EBUSY if something is mapped there. Drops a reference */
int anpu_region_release(struct anpu_region *reserve);
/* The next live region from chunk @at on, with a reference, or NULL; @at is where to go on */
struct anpu_region *anpu_region_next(struct anpu_device *dev, uint64_t *at);
/* Changes what the device may do with a mapped region; 0 for nothing. 0 or -errno */
int anpu_region_protect(struct anpu_region *region, uint32_t vm_flags);
/*
 * cpumap.c: maps a region of the host's physical memory into the process, to read and write. 0 or
 * -errno
 */
int anpu_region_show(struct anpu_region *region);
/* Maps the pages of a part of a region, which has an object in system memory, into the process, to read and write */
int anpu_region_show_part(struct anpu_region *region, uint64_t offset, uint64_t size);
/* Changes what the CPU may do with it; DRM_ANPU_VM_* or 0 */
int anpu_region_show_rights(struct anpu_region *region, uint32_t rights);
/* Nothing is there for the CPU any more */
void anpu_region_hide(struct anpu_region *region);
/* Unmaps it from the device; the object goes with the last reference. Drops one reference */
void anpu_region_end(struct anpu_region *region);
/* Unmaps those that anpu_region_end() could not unmap for want of the host's memory, if there is some now */
void anpu_regions_settle(struct anpu_device *dev);
void anpu_region_get(struct anpu_region *region);
void anpu_region_put(struct anpu_region *region);
/* The CPU's mapping of the object, or NULL */
void *anpu_region_window(struct anpu_region *region);
/* The parts of it, for memory without a region: bind, close, map into the process (NULL: failed) */
int anpu_vm_bind(struct anpu_device *dev, struct drm_anpu_vm_bind_op *ops, uint32_t count);
void anpu_bo_close(struct anpu_device *dev, uint32_t handle);
void *anpu_bo_map(struct anpu_device *dev, uint32_t handle, uint64_t offset, uint64_t size);
/* Region that owns an address, with a reference, or NULL */
struct anpu_region *anpu_region_find(struct anpu_device *dev, uint64_t va);
/* The same with the device's lock held and no reference */
struct anpu_region *anpu_region_find_locked(struct anpu_device *dev, uint64_t va);

/* meminfo.c: the process uses so much more of the device's memory */
void anpu_use(struct anpu_device *dev, enum anpu_use use, int64_t bytes);

/* A device begins, ends, and is released: the table of its regions */
aclError anpu_regions_begin(struct anpu_device *dev);
void anpu_regions_end(struct anpu_device *dev);
void anpu_regions_release(struct anpu_device *dev);

#endif /* ANPU_REGION_H */
