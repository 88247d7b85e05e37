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
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/**
 * aclrtMallocPhysical - allocate physical memory, to be mapped by aclrtMapMem()
 * @handle: out
 * @size: bytes, a multiple of aclrtMemGetAllocationGranularity()
 * @prop: kind and place
 * @flags: must be 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
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
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size, size_t offset,
		aclrtDrvMemHandle handle, uint64_t flags);

/**
 * aclrtMemGetAllocationGranularity - unit of sizes for aclrtMallocPhysical()
 * @prop: kind and place
 * @option: smallest or recommended
 * @granularity: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
		aclrtMemGranularityOptions option, size_t *granularity);

/**
 * aclrtMemRetainAllocationHandle - physical memory behind a mapped address; adds a reference
 * @virPtr: mapped address
 * @handle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
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
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc,
		size_t count);

/**
 * aclrtReleaseMemAddress - give back a reserved range
 * @virPtr: its start
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/**
 * aclrtReserveMemAddress - reserve a range of device addresses
 * @virPtr: out
 * @size: bytes
 * @alignment: must be 0
 * @expectPtr: address wanted, or NULL
 * @flags: 1 for huge pages
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
		void *expectPtr, uint64_t flags);

/**
 * aclrtUnmapMem - undo aclrtMapMem()
 * @virPtr: mapped address
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/* Read rights */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location,
		uint64_t *flag);

/* Properties of a handle */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
		aclrtPhysicalMemProp *prop);

/* Map without access rights yet */
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset,
		aclrtDrvMemHandle handle, uint64_t flags);

/* Reserve variant */
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
