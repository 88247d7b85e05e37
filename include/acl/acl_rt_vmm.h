/* SPDX-License-Identifier: MIT */
/*
 * Addresses and physical memory apart.
 */
#ifndef _ACL_RT_VMM_H_
#define _ACL_RT_VMM_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtFreePhysical - release physical memory; it is freed when nothing maps it any more
 * @handle: physical memory
 *
 * The memory lives on while it is mapped.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017 for what is no handle.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * aclrtMallocPhysical - allocate physical memory, to be mapped by aclrtMapMem()
 * @handle: out
 * @size: bytes, a multiple of aclrtMemGetAllocationGranularity()
 * @prop: kind and place
 * @flags: must be 0
 *
 * Kinds of memory and of handles make no difference. On a device it must be the thread's.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, flags, a size that is no multiple, or a property that does
 * not exist; 107001 for another device; 107002; 207001.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
		const aclrtPhysicalMemProp *prop, uint64_t flags);

/**
 * aclrtMapMem - map physical memory into a reserved range of addresses
 * @virPtr: address in a range of aclrtReserveMemAddress()
 * @size: bytes
 * @offset: must be 0
 * @handle: physical memory
 * @flags: must be 0
 *
 * Address and size are multiples of 2 MiB. The device may read and write the memory at once; copies
 * may run over mappings that follow each other.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, flags, offset or a size that does not fit; 107017; 107000
 * if the range is not reserved, in use, or another device's.
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size, size_t offset,
		aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemGetAllocationGranularity - unit of sizes for aclrtMallocPhysical()
 * @prop: kind and place
 * @option: smallest or recommended
 * @granularity: out, bytes
 *
 * It is 2 MiB for both.
 *
 * Return: ACL_SUCCESS; 100000 for NULL or a property or option that does not exist.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
		aclrtMemGranularityOptions option, size_t *granularity);

/**
 * aclrtMemRetainAllocationHandle - physical memory behind a mapped address; adds a reference
 * @virPtr: mapped address
 * @handle: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if nothing is mapped there.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void *virPtr,
		aclrtDrvMemHandle *handle);

/**
 * aclrtMemSetAccess - give devices rights to a mapped range
 * @virPtr: start
 * @size: bytes
 * @desc: rights and places
 * @count: number of desc
 *
 * The range must cover whole mappings. Rights are none, to read, or to read and write, of the
 * device that the memory belongs to, or of another one that is in use, whatever its peer access.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, 0 or other flags; 107000 for a range that is not made of
 * mappings; 107001 for a device that is not in use; 207000 for other places, or if that device
 * cannot reach the memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc,
		size_t count);

/**
 * aclrtReleaseMemAddress - give back a reserved range
 * @virPtr: its start
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if it is not that, or something is mapped there.
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * aclrtReserveMemAddress - reserve a range of device addresses
 * @virPtr: out
 * @size: bytes
 * @alignment: 0, or a power of two up to 2 MiB: ranges begin at multiples of 2 MiB
 * @expectPtr: address wanted, or NULL
 * @flags: 1 for huge pages
 *
 * Return: ACL_SUCCESS; 100000 for NULL, 0 or another alignment or flag; 107002; 207001 if no range
 * is left.
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
		void *expectPtr, uint64_t flags);

/**
 * aclrtUnmapMem - undo aclrtMapMem()
 * @virPtr: mapped address
 *
 * It also succeeds when the host has no memory left for it: then the next call that makes, maps or
 * releases something takes the mapping away.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if no mapping begins there.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/**
 * aclrtMemGetAccess - what a device may do with mapped memory
 * @virPtr: mapped address
 * @location: the device
 * @flag: out, ACL_RT_MEM_ACCESS_FLAGS_*
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107000 if nothing is mapped there.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location,
		uint64_t *flag);

/**
 * aclrtMemGetAllocationPropertiesFromHandle - where physical memory is
 * @handle: physical memory
 * @prop: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107017.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
		aclrtPhysicalMemProp *prop);

/**
 * aclrtMemMapNoAccess - as aclrtMapMem(), without rights until aclrtMemSetAccess()
 * @virPtr: as for aclrtMapMem(), and so are the others
 * @size: bytes
 * @offset: must be 0
 * @handle: physical memory
 * @flags: must be 0
 *
 * Return: as aclrtMapMem().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset,
		aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtReserveMemAddressNoUCMemory - as aclrtReserveMemAddress(): there is no uncached memory
 * anyway
 * @virPtr: out
 * @size: bytes
 * @alignment: 0, or a power of two up to 2 MiB
 * @expectPtr: address wanted, or NULL
 * @flags: 1 for huge pages
 *
 * Return: as aclrtReserveMemAddress().
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size,
		size_t alignment, void *expectPtr, uint64_t flags);

/* Link choice */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc,
		uint32_t linkIdx);

/* Link choice */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
		aclrtMemLinkType adviceLink);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_VMM_H_ */
