/* SPDX-License-Identifier: MIT */
/*
 * Memory of the device and pinned memory of the host.
 */
#ifndef _ACL_RT_MEMORY_H_
#define _ACL_RT_MEMORY_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtFree - free device memory at once
 * @devPtr: what aclrtMalloc() returned
 *
 * Does not wait for tasks that still use it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for an address that is not the start of a live device
 *	allocation, the message says what it is.
 */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/**
 * aclrtFreeHost - free pinned host memory
 * @hostPtr: what aclrtMallocHost() returned
 *
 * Does not wait for tasks that still use it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for any other address.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/**
 * aclrtMalloc - allocate device memory on the current context's device
 * @devPtr: out, a multiple of 64; the same number is valid on the device
 * @size: bytes above 0, rounded up to a multiple of 32 plus 32
 * @policy: page size to prefer; one that does not exist is no error
 *
 * The content is undefined; the host must not touch it.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION when the device is
 *	full.
 */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/**
 * aclrtMallocHost - allocate pinned host memory, which the device reaches under the same address
 *	and which is copied without staging
 * @hostPtr: out, a multiple of 64
 * @size: bytes above 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/**
 * aclrtGetMemInfo - free and total bytes of one kind of device memory
 * @attr: kind; the device has HBM, which also answers for DDR; other kinds give 0 and 0
 * @free: out, bytes, with those that the library keeps ready for small allocations of this process
 * @total: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/**
 * aclrtHostGetDevicePointer - device address of registered host memory
 * @pHost: address in host memory registered by aclrtHostRegisterV2(), or pinned
 * @pDevice: out, for kernels; it is the same number
 * @flag: must be 0
 *
 * Return: ACL_SUCCESS; 100000 for NULL or a flag; 507911 if it is not registered; 107000 if it was
 * registered without ACL_HOST_REG_MAPPED.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/**
 * aclrtHostRegister - make the caller's host memory visible to the device
 * @ptr: start, a multiple of 4096
 * @size: bytes
 * @type: ACL_HOST_REGISTER_MAPPED, or _READONLY for kernels that only read
 * @devPtr: out, for kernels; it is @ptr
 *
 * The pages are pinned, and copies to and from the range are as fast as with aclrtMallocHost().
 * Unregister before the memory is freed or the process forks.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, 0 or another type; 107008 for an address that is not
 * aligned; 107000 for memory that is not mapped or not writable; 507910 if a part is registered or
 * pinned already; 207000 for _IOMEMORY and addresses below 4 GiB; 207001; 107002.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type,
		void **devPtr);

/**
 * aclrtHostRegisterV2 - as aclrtHostRegister(), with flags; see aclrtHostGetDevicePointer()
 * @ptr: start, a multiple of 4096
 * @size: bytes
 * @flag: ACL_HOST_REG_* bits, at least one: with _PINNED alone it is for copies only
 *
 * Return: as aclrtHostRegister().
 */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/**
 * aclrtHostUnregister - undo a registration
 * @ptr: start of the registered range; tasks that use it must have run
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 507911 if no registered range begins there.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/**
 * aclrtMallocAlign32 - as aclrtMalloc(), with the size rounded up to a multiple of 32 and no more
 * @devPtr: out, a multiple of 64
 * @size: bytes above 0
 * @policy: page size to prefer
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): see aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
		aclrtMemMallocPolicy policy);

/**
 * aclrtMallocHostWithCfg - as aclrtMallocHost(), with attributes
 * @ptr: out
 * @size: bytes above 0
 * @cfg: attributes, NULL for none: ACL_RT_MEM_ATTR_MODULE_ID and _VA_FLAG, which change nothing
 *
 * Return: as aclrtMallocHost(); 100000 for other attributes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
		aclrtMallocConfig *cfg);

/**
 * aclrtPointerGetAttributes - where an address lies: device memory, pinned host memory, or memory
 *	the runtime does not know
 * @ptr: any address
 * @attributes: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr,
		aclrtPtrAttributes *attributes);

/**
 * aclrtValueWait - queue a wait until a word of device memory fulfils a condition
 * @devAddr: device address, a multiple of 8
 * @value: right side of the condition
 * @flag: one of ACL_STREAM_WAIT_VALUE_*
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag,
		aclrtStream stream);

/**
 * aclrtValueWrite - queue a 64-bit store to device memory
 * @devAddr: device address, a multiple of 8
 * @value: what to store
 * @flag: must be 0
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag,
		aclrtStream stream);

/**
 * aclrtCheckMemType - ask whether addresses are device memory of certain types
 * @addrList: addresses
 * @size: how many, above 0
 * @memType: ACL_RT_MEM_TYPE_* bits: DEV for allocated memory, RSVD for addresses of
 *	aclrtReserveMemAddress(); there is no memory of type DVPP
 * @checkResult: out, 1 if each address is of one of the types, else 0
 * @reserve: 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0 or unknown bits.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType,
		uint32_t *checkResult, uint32_t reserve);

/**
 * aclrtCmoAsync - queue a cache hint
 * @src: device or pinned memory
 * @size: bytes, above 0
 * @cmoType: ACL_RT_CMO_TYPE_*
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * There is nothing to do, because all memory is coherent here: the call checks its arguments.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0 or an unknown type; ACL_ERROR_RT_PARAM_INVALID when the range is not in one live
 *	allocation; as other tasks for the stream.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType,
		aclrtStream stream);

/**
 * aclrtFreeHostWithDevSync - free pinned host memory after the current device's tasks
 * @hostPtr: what aclrtMallocHost() returned
 *
 * Waits for all streams of the device.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtFreeHost();
 *	ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/**
 * aclrtFreeWithDevSync - free device memory after the current device's tasks
 * @devPtr: what aclrtMalloc() returned
 *
 * Waits for all streams of the device.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtFree();
 *	ACL_ERROR_RT_CONTEXT_NULL without a context.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/**
 * aclrtGetMemUsageInfo - ask what this process uses a device's memory for
 * @deviceId: device number
 * @memUsageInfo: out, an array: name of the use, bytes now, the most that there were; largest
 *	first
 * @inputNum: room in the array, above 0
 * @outputNum: out, entries written
 *
 * The uses are malloc (aclrtMalloc() and friends), pool (memory pools), physical
 * (aclrtMallocPhysical()), operators (binaries) and runtime (what the library needs itself).
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo,
		size_t inputNum, size_t *outputNum);

/**
 * aclrtHostMemMapCapabilities - ask whether a part of the device reaches host memory that is
 *	registered
 * @deviceId: device number
 * @hacType: ACL_RT_HAC_TYPE_*
 * @capabilities: out, ACL_RT_HOST_MEM_MAP_SUPPORTED for the queues (STARS), the cores and the copy
 *	engine; the device has none of the others
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown type; ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
		aclrtHostMemMapCapability *capabilities);

/**
 * aclrtMallocCached - as aclrtMalloc(), for memory that operators read through a cache
 * @devPtr: out, a multiple of 64
 * @size: bytes above 0
 * @policy: page size to prefer
 *
 * All device memory is coherent here: it is the same memory, and aclrtMemFlush() has nothing to do.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
		aclrtMemMallocPolicy policy);

/**
 * aclrtMallocForTaskScheduler - allocate memory that the queues can wait on and signal
 * @devPtr: out, a multiple of 64
 * @size: bytes above 0
 * @policy: page size to prefer, see aclrtMallocWithCfg()
 * @cfg: attributes, or NULL
 *
 * All device memory is like that here: this is aclrtMallocWithCfg().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtMallocWithCfg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size,
		aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtMallocWithCfg - as aclrtMalloc(), with attributes
 * @devPtr: out, a multiple of 64
 * @size: bytes above 0
 * @policy: page size to prefer, with the bits for low or high bandwidth, which are the same here
 * @cfg: attributes, or NULL: the device, which must be the current one; a module number, which is
 *	not used
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0 or an unknown attribute; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another device, an
 *	address flag, or read-only memory; ACL_ERROR_RT_CONTEXT_NULL; ACL_ERROR_RT_MEMORY_ALLOCATION
 *	when the device is full.
 */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
		aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg);

/**
 * aclrtMemAllocManaged - allocate memory that the program and the device use at one address
 * @ptr: out
 * @size: bytes above 0, rounded up to 2 MiB
 * @flag: ACL_RT_MEM_ATTACH_GLOBAL
 *
 * It is system memory, mapped for the current device; it does not move, whoever uses it, and other
 * devices reach it by copies only. Copies may call it host or device memory. Freed with
 * aclrtFree().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, 0, more than 3 TiB or another flag; ACL_ERROR_RT_CONTEXT_NULL;
 *	ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag);

/**
 * aclrtMemFlush - make what operators wrote through a cache visible
 * @devPtr: device or pinned memory
 * @size: bytes, above 0
 *
 * There is nothing to do, because all memory is coherent here: the call checks its arguments.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_PARAM_INVALID when the range is not in one live allocation.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);

/**
 * aclrtMemGetAddressRange - the allocation that an address lies in
 * @ptr: an address of device or pinned memory
 * @pbase: out, start of the allocation
 * @psize: out, bytes that can be used
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID for an address that is in no live allocation.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize);

/**
 * aclrtMemInvalidate - make operators forget what they have read into a cache
 * @devPtr: device or pinned memory
 * @size: bytes, above 0
 *
 * There is nothing to do, because all memory is coherent here: the call checks its arguments.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_PARAM_INVALID when the range is not in one live allocation.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/**
 * aclrtMemManagedAdvise - tell how a range of managed memory will be used
 * @ptr: address in memory of aclrtMemAllocManaged()
 * @size: bytes, a multiple of 2 MiB
 * @advise: ACL_MEM_ADVISE_*
 * @location: a device, the host or a NUMA node; not looked at for READ_MOSTLY and
 *	UNSET_PREFERRED_LOCATION
 *
 * The memory stays where it is: advice is remembered, for each page of 2 MiB that the range
 * touches, and answered by aclrtMemManagedGetAttr().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, a size or advice that is none, or a location that is none;
 *	ACL_ERROR_RT_INVALID_DEVICEID; ACL_ERROR_RT_PARAM_INVALID for other memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void * const ptr, uint64_t size,
		aclrtMemManagedAdviseType advise, aclrtMemManagedLocation location);

/**
 * aclrtMemManagedGetAttr - ask for an attribute of a range of managed memory
 * @attribute: ACL_MEM_RANGE_ATTRIBUTE_*
 * @ptr: address in memory of aclrtMemAllocManaged()
 * @size: bytes above 0
 * @data: out, an int32_t; for ACCESSED_BY an array of them
 * @dataSize: 4; for ACCESSED_BY a multiple of 4
 *
 * READ_MOSTLY is 1 if all pages have the advice. Locations are the number of a device or NUMA
 * node, -1 for the host, -2 if there is none or the pages do not agree; types are
 * ACL_MEM_LOCATIONTYPE_*. ACCESSED_BY lists those that all pages have, and fills up with -2.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, an unknown attribute or a wrong size; ACL_ERROR_RT_PARAM_INVALID for other memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
		const void *ptr, size_t size, void *data, size_t dataSize);

/**
 * aclrtMemManagedGetAttrs - ask for several attributes, see aclrtMemManagedGetAttr()
 * @attributes: which
 * @numAttributes: how many, above 0
 * @ptr: address in memory of aclrtMemAllocManaged()
 * @size: bytes above 0
 * @data: out, where each goes
 * @dataSizes: bytes of each
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtMemManagedGetAttr().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
		size_t numAttributes, const void *ptr, size_t size, void **data, size_t *dataSizes);

/**
 * aclrtMemManagedPrefetchAsync - queue a prefetch of managed memory
 * @ptr: address in memory of aclrtMemAllocManaged()
 * @size: bytes, a multiple of 2 MiB
 * @location: a device, the host or a NUMA node
 * @flags: 0
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Both sides reach the memory where it is, so nothing is moved or queued; the location is
 * remembered, see aclrtMemManagedGetAttr().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, a wrong size, location or flag; ACL_ERROR_RT_INVALID_DEVICEID;
 *	ACL_ERROR_RT_PARAM_INVALID for other memory; ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size,
		aclrtMemManagedLocation location, uint32_t flags, aclrtStream stream);

/**
 * aclrtMemManagedPrefetchBatchAsync - queue several prefetches, see aclrtMemManagedPrefetchAsync()
 * @ptrs: addresses
 * @sizes: bytes of each, multiples of 2 MiB
 * @count: how many, above 0
 * @prefetchLocs: locations
 * @prefetchLocIdxs: first range that each location holds for; ascending, the first is 0
 * @numPrefetchLocs: number of locations, 1 to count
 * @flags: 0
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * All count, or none.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtMemManagedPrefetchAsync().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes,
		size_t count, aclrtMemManagedLocation *prefetchLocs, size_t *prefetchLocIdxs,
		size_t numPrefetchLocs, uint64_t flags, aclrtStream stream);

/**
 * aclrtMemP2PMap - put memory of one device into the address space of another, before it is used
 * @devPtr: memory of a device
 * @size: bytes, of one allocation
 * @dstDevId: device that is to reach it
 * @flags: must be 0
 *
 * aclrtDeviceEnablePeerAccess() of that device has done it already: this tells whether it could.
 *
 * Return: ACL_SUCCESS; 100000 for NULL, 0 or flags; 107000 for what is not memory of a device, or
 * if access is not open; 107001 for a device that does not exist; 207000 if that device cannot
 * reach the memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId,
		uint64_t flags);

/* Cache hint with barrier id */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType,
		uint32_t barrierId, aclrtStream stream);

/**
 * aclrtCmoAsyncWithDesc - queue a cache hint for memory that a descriptor names
 * @cmoDesc: device memory, made by aclrtCmoSetDesc()
 * @cmoType: ACL_RT_CMO_TYPE_*
 * @stream: a stream of the current context's device; NULL means its default stream
 * @reserve: must be NULL
 *
 * There is nothing to do, because all memory is coherent here: the call checks its arguments.
 *
 * Return: as aclrtCmoAsync().
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType,
		aclrtStream stream, const void *reserve);

/**
 * aclrtCmoGetDescSize - bytes of a descriptor for cache hints
 * @size: out
 *
 * Return: ACL_SUCCESS; 100000 for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoGetDescSize(size_t *size);

/**
 * aclrtCmoSetDesc - make a descriptor for cache hints
 * @cmoDesc: device memory of aclrtCmoGetDescSize() bytes
 * @src: device or pinned memory
 * @size: bytes, above 0
 *
 * Return: ACL_SUCCESS; 100000 for NULL or 0; 107000 for memory that is not allocated, or not of a
 * device.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);

/* Wait barrier ids */
ACL_FUNC_VISIBILITY aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream,
		uint32_t flag);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MEMORY_H_ */
