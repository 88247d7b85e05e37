/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills.
 */
#ifndef _ACL_RT_MEMCPY_H_
#define _ACL_RT_MEMCPY_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtGetMemcpyDescSize - size of a copy descriptor in device memory
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @descSize: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or another kind.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);

/**
 * aclrtMemcpy - copy and wait for this copy
 * @dst: destination, host or device
 * @destMax: bytes available at dst
 * @src: source, host or device
 * @count: bytes to copy, at most destMax
 * @kind: a documented kind; the pointers decide the direction
 *
 * Does not wait for streams: work that is queued and touches the memory must be synchronised
 * first.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, INNER_ and INTER_DEVICE_TO_DEVICE and what is no kind; ACL_ERROR_RT_PARAM_INVALID
 *	when count exceeds destMax, or when a device range is not inside one live allocation.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
		aclrtMemcpyKind kind);

/**
 * aclrtMemcpyAsync - queue a copy
 * @dst: destination, host or device
 * @destMax: bytes available at dst
 * @src: source, host or device
 * @count: bytes to copy, at most destMax
 * @kind: direction, which must match the pointers; ACL_MEMCPY_DEFAULT takes it from them
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * With pinned host memory the call returns at once and the buffers must stay as they are until the
 * copy ran; with pageable host memory the call returns after the copy.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtMemcpy();
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT for ACL_MEMCPY_HOST_TO_HOST; ACL_ERROR_RT_PARAM_INVALID
 *	when kind and pointers disagree.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
		size_t count, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithDesc - queue a device copy whose addresses are read from a descriptor when
 *	the copy runs, so an earlier kernel may write it
 * @desc: device address of the descriptor, see aclrtSetMemcpyDesc()
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream, not NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind,
		aclrtStream stream);

/**
 * aclrtMemset - fill device or pinned host memory with a byte, and wait for it
 * @devPtr: start
 * @maxCount: bytes available
 * @value: the byte, low 8 bits count
 * @count: bytes to fill, at most maxCount
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_PARAM_INVALID when count exceeds maxCount or the memory is neither.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value,
		size_t count);

/**
 * aclrtMemsetAsync - queue a fill, see aclrtMemset()
 * @devPtr: start
 * @maxCount: bytes available
 * @value: the byte, low 8 bits count
 * @count: bytes to fill, at most maxCount
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
		size_t count, aclrtStream stream);

/**
 * aclrtSetMemcpyDesc - write a copy descriptor into device memory
 * @desc: device address with aclrtGetMemcpyDescSize() bytes
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @srcAddr: device address to copy from
 * @dstAddr: device address to copy to
 * @count: bytes
 * @config: must be NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr,
		void *dstAddr, size_t count, void *config);

/**
 * aclrtMemcpy2d - copy a rectangle between host and device, and wait for it
 * @dst: destination
 * @dpitch: bytes from one row of dst to the next, at least width
 * @src: source
 * @spitch: bytes from one row of src to the next, at least width
 * @width: bytes of a row, at most 5000000
 * @height: rows, at most 5242880
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEVICE_TO_HOST
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
		size_t width, size_t height, aclrtMemcpyKind kind);

/**
 * aclrtMemcpy2dAsync - queue a copy of a rectangle, see aclrtMemcpy2d()
 * @dst: destination
 * @dpitch: bytes from one row of dst to the next, at least width
 * @src: source
 * @spitch: bytes from one row of src to the next, at least width
 * @width: bytes of a row, at most 5000000
 * @height: rows, at most 5242880
 * @kind: also ACL_MEMCPY_DEVICE_TO_DEVICE
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src,
		size_t spitch, size_t width, size_t height, aclrtMemcpyKind kind,
		aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithCondition - older name of aclrtMemcpyAsync()
 * @dst: destination
 * @destMax: bytes available at dst
 * @src: source
 * @count: bytes to copy
 * @kind: direction
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Deprecated.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax,
		const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyBatch - do many copies of one direction, in any order, and wait for them
 * @dsts: destinations
 * @destMaxs: bytes available at each
 * @srcs: sources
 * @sizes: bytes of each copy
 * @numBatches: number of copies
 * @attrs: where the memory lies
 * @attrsIndexes: first copy that each attribute holds for; ascending, the first is 0
 * @numAttrs: number of attributes, at most numBatches
 * @failIndex: out, the copy that failed, or SIZE_MAX when none is to blame
 *
 * All are checked first: when one is refused, nothing is copied.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_INVALID_PARAM for NULL, no copies, bad attributes; ACL_ERROR_RT_PARAM_INVALID when
 *	a copy runs past its destination, or memory lies elsewhere than its attribute says, or the
 *	directions differ; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for host to host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs,
		size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
		size_t numAttrs, size_t *failIndex);

/**
 * aclrtMemcpyBatchAsync - queue many copies of one direction, see aclrtMemcpyBatch()
 * @dsts: destinations
 * @destMaxs: bytes available at each
 * @srcs: sources
 * @sizes: bytes of each copy
 * @numBatches: number of copies
 * @attrs: where the memory lies
 * @attrsIndexes: first copy that each attribute holds for; ascending, the first is 0
 * @numAttrs: number of attributes, at most numBatches
 * @failIndex: out, the copy that failed, or SIZE_MAX when none is to blame
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs,
		size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
		size_t numAttrs, size_t *failIndex, aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithOffset - queue a copy within the device between places that pointers in
 *	memory name
 * @dst: address of a pointer to the destination, in device or pinned memory, a multiple of 8
 * @destMax: bytes available there
 * @dstDataOffset: added to the pointer
 * @src: address of a pointer to the source, likewise
 * @count: bytes to copy, at most destMax; 0 copies nothing
 * @srcDataOffset: added to the pointer
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * The pointers are read when the stream gets there, so tasks before may write them. One that leads
 * nowhere is a failure of the stream.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or another kind; ACL_ERROR_RT_PARAM_INVALID when count does not fit or the device
 *	cannot read a pointer; ACL_ERROR_RT_ADDR_UNALIGNED; ACL_ERROR_RT_STREAM_CAPTURED.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax,
		size_t dstDataOffset, const void **src, size_t count, size_t srcDataOffset,
		aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsyncV2 - aclrtMemcpyBatchAsync() that does not tell which copy failed
 * @dsts: destinations
 * @destMaxs: bytes available at each
 * @srcs: sources
 * @sizes: bytes of each copy
 * @numBatches: number of copies
 * @attrs: where the memory lies
 * @attrsIndexes: first copy that each attribute holds for; ascending, the first is 0
 * @numAttrs: number of attributes, at most numBatches
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 * aclrtMemcpyBatchAsync().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs,
		size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
		size_t numAttrs, aclrtStream stream);

/**
 * aclrtMemcpyBatchV2 - aclrtMemcpyBatch() that does not tell which copy failed
 * @dsts: destinations
 * @destMaxs: bytes available at each
 * @srcs: sources
 * @sizes: bytes of each copy
 * @numBatches: number of copies
 * @attrs: where the memory lies
 * @attrsIndexes: first copy that each attribute holds for; ascending, the first is 0
 * @numAttrs: number of attributes, at most numBatches
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs,
		size_t *sizes, size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
		size_t numAttrs);

/**
 * aclrtMemcpyFromSymbol - copy from an operator's variable, see aclrtGetSymbolAddress()
 * @dst: destination
 * @dstMax: bytes available there
 * @symbol: address of a variable of the program that has the same name
 * @count: bytes to copy
 * @offset: where in the variable to begin
 * @kind: ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEFAULT
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or another kind; ACL_ERROR_RT_PARAM_INVALID when the bytes do not fit; else as
 *	aclrtGetSymbolAddress().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol,
		size_t count, size_t offset, aclrtMemcpyKind kind);

/**
 * aclrtMemcpyFromSymbolAsync - queue aclrtMemcpyFromSymbol()
 * @dst: destination; a copy to memory that is not pinned is done when the call returns
 * @dstMax: bytes available there
 * @symbol: address of a variable of the program that has the same name
 * @count: bytes to copy
 * @offset: where in the variable to begin
 * @kind: ACL_MEMCPY_DEVICE_TO_HOST or ACL_MEMCPY_DEFAULT
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtMemcpyFromSymbol(); ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax,
		const void *symbol, size_t count, size_t offset, aclrtMemcpyKind kind,
		aclrtStream stream);

/**
 * aclrtMemcpyToSymbol - copy into an operator's variable, see aclrtGetSymbolAddress()
 * @symbol: address of a variable of the program that has the same name
 * @src: source
 * @count: bytes to copy
 * @offset: where in the variable to begin
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEFAULT
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or another kind; ACL_ERROR_RT_PARAM_INVALID when the bytes do not fit or the
 *	variable is constant; else as aclrtGetSymbolAddress().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count,
		size_t offset, aclrtMemcpyKind kind);

/**
 * aclrtMemcpyToSymbolAsync - queue aclrtMemcpyToSymbol()
 * @symbol: address of a variable of the program that has the same name
 * @src: source; a copy from memory that is not pinned is done when the call returns
 * @count: bytes to copy
 * @offset: where in the variable to begin
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE or ACL_MEMCPY_DEFAULT
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtMemcpyToSymbol(); ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src,
		size_t count, size_t offset, aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemsetD32 - fill memory with a word of 32 bits
 * @ptr: device or pinned memory, a multiple of 4
 * @memSize: bytes available
 * @value: word
 * @N: how many words
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_ADDR_UNALIGNED; ACL_ERROR_RT_PARAM_INVALID when the words do not
 *	fit or the device cannot reach the memory.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);

/**
 * aclrtMemsetD32Async - queue aclrtMemsetD32()
 * @ptr: device or pinned memory, a multiple of 4
 * @memSize: bytes available
 * @value: word
 * @N: how many words
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtMemsetD32().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value,
		size_t N, aclrtStream stream);

/**
 * aclrtReduceAsync - queue a sum, maximum or minimum: dst = dst op src, element by element
 * @dst: device or pinned memory, a multiple of the element's size
 * @src: the same; it may be dst, but must not overlap it in another way
 * @count: bytes, a multiple of the element's size, at least one element
 * @kind: ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, _MAX or _MIN
 * @type: ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_BF16 or ACL_FLOAT
 * @stream: a stream of the current context's device; NULL means its default stream
 * @reserve: NULL
 *
 * Asynchronous. Sums of integers wrap. Sums of floating-point numbers are rounded once, to nearest
 * even. If an element is NaN, so is the result; +0 is greater than -0. Tasks of two streams that
 * reduce to the same memory at the same time disturb each other.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, for count 0, for unknown kinds and types; ACL_ERROR_RT_FEATURE_NOT_SUPPORT for
 *	ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL and for other types; ACL_ERROR_RT_ADDR_UNALIGNED;
 *	ACL_ERROR_RT_PARAM_INVALID for a part of an element, for pageable memory and for what is not
 *	allocated; ACL_ERROR_RT_STREAM_CONTEXT for a stream or memory of another device.
 */
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count,
		aclrtReduceKind kind, aclDataType type, aclrtStream stream, void *reserve);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_MEMCPY_H_ */
