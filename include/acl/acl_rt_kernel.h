/* SPDX-License-Identifier: MIT */
/*
 * Operator binaries, argument lists, launches.
 */
#ifndef _ACL_RT_KERNEL_H_
#define _ACL_RT_KERNEL_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtBinaryGetFunction - find a kernel in a loaded binary by name
 * @binHandle: binary handle
 * @kernelName: name as in the symbol table; a MIX pair is found by its base name
 * @funcHandle: out, valid until the binary is unloaded
 *
 * A lazily loaded binary goes to the device now.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_KERNEL_LOOKUP for an unknown name, the
 *	message lists those there are.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
		const char *kernelName, aclrtFuncHandle *funcHandle);

/**
 * aclrtBinaryLoad - check an image and put it on the current device
 * @binary: what aclrtCreateBinary() returned
 * @binHandle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtBinaryLoadFromFile().
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);

/**
 * aclrtBinaryLoadFromFile - load an operator's binary onto the current context's device
 * @binPath: path of an ELF file for the device (ET_DYN, EM_RISCV)
 * @options: ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD to wait until the first aclrtBinaryGetFunction();
 *	NULL loads now
 * @binHandle: out
 *
 * Many threads may load at once.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_FILE_OPEN when the file cannot be read; ACL_ERROR_INVALID_FILE when
 *	it is no operator, the message says why; ACL_ERROR_RT_CONTEXT_NULL;
 *	ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char *binPath,
		aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/**
 * aclrtBinaryUnLoad - remove a binary from its device; its function handles end
 * @binHandle: binary handle
 *
 * Synchronise work that uses it first. In the context of the load.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is not loaded; ACL_ERROR_RT_STREAM_CONTEXT
 *	from another device.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/**
 * aclrtCreateBinary - describe an image in host memory for aclrtBinaryLoad()
 * @data: image
 * @dataLen: bytes
 *
 * The memory is not copied and must stay until then.
 *
 * Return: the description, NULL for NULL or 0.
 */
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);

/**
 * aclrtDestroyBinary - free the description, not the image and not what was loaded from it
 * @binary: what aclrtCreateBinary() returned
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);

/**
 * aclrtKernelArgsAppend - append a value to an argument list by copy, in the order of the kernel's
 *	parameters
 * @argsHandle: argument list
 * @param: the value
 * @paramSize: its bytes
 * @paramHandle: out, for aclrtKernelArgsParaUpdate()
 *
 * At most 128 parameters, each starts at a multiple of 8.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or 0; ACL_ERROR_RT_PARAM_INVALID when the list is full;
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT after the list was finalised or a placeholder buffer was
 *	taken.
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param,
		size_t paramSize, aclrtParamHandle *paramHandle);

/**
 * aclrtKernelArgsAppendPlaceHolder - append a pointer parameter that is filled at launch with the
 *	device address of data that travels with the arguments
 * @argsHandle: argument list
 * @paramHandle: out, for aclrtKernelArgsGetPlaceHolderBuffer()
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): see
 *	aclrtKernelArgsAppend().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
		aclrtParamHandle *paramHandle);

/**
 * aclrtKernelArgsFinalize - declare an argument list complete
 * @argsHandle: argument list
 *
 * Needed again after aclrtKernelArgsParaUpdate().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/**
 * aclrtKernelArgsGetHandleMemSize - bytes of host memory for a list handle that the caller owns
 * @funcHandle: function handle
 * @memSize: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
		size_t *memSize);

/**
 * aclrtKernelArgsGetMemSize - bytes of host memory for the arguments of a list that the caller
 *	owns
 * @funcHandle: function handle
 * @userArgsSize: sum of the parameters' sizes, each rounded up to a multiple of 8, and of
 *	placeholder data; 0 for a kernel without parameters
 * @actualArgsSize: out, at least userArgsSize and never 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
		size_t userArgsSize, size_t *actualArgsSize);

/**
 * aclrtKernelArgsGetPlaceHolderBuffer - host buffer whose content the kernel finds behind a
 *	placeholder
 * @argsHandle: argument list
 * @paramHandle: what aclrtKernelArgsAppendPlaceHolder() gave
 * @dataSize: bytes above 0; below 2048 is advised
 * @bufferAddr: out, owned by the runtime
 *
 * Call it after all parameters are appended.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_RT_PARAM_INVALID for a parameter that is no placeholder.
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
		aclrtParamHandle paramHandle, size_t dataSize, void **bufferAddr);

/**
 * aclrtKernelArgsInit - start an argument list in the runtime's memory
 * @funcHandle: function handle
 * @argsHandle: out
 *
 * Each thread has one, which the next call reuses; it is not freed by the caller.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
		aclrtArgsHandle *argsHandle);

/**
 * aclrtKernelArgsInitByUserMem - start an argument list in the caller's memory, which must stay
 *	until the launch returned
 * @funcHandle: function handle
 * @argsHandle: memory of aclrtKernelArgsGetHandleMemSize() bytes
 * @userHostMem: memory for the arguments
 * @actualArgsSize: its bytes, from aclrtKernelArgsGetMemSize()
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
		aclrtArgsHandle argsHandle, void *userHostMem, size_t actualArgsSize);

/**
 * aclrtKernelArgsParaUpdate - overwrite an appended value with one of the same size
 * @argsHandle: argument list
 * @paramHandle: what aclrtKernelArgsAppend() gave
 * @param: new value
 * @paramSize: its bytes, as at the append
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg().
 */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
		aclrtParamHandle paramHandle, void *param, size_t paramSize);

/**
 * aclrtLaunchKernel - queue a kernel whose arguments already lie in device memory
 * @funcHandle: function handle
 * @numBlocks: blocks to run, 1 or more
 * @argsData: device address of the packed arguments, in slots of 8 bytes; a host address is
 *	refused, see aclrtLaunchKernelWithHostArgs()
 * @argsSize: bytes
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Asynchronous: a fault shows at the next synchronisation.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for argsData NULL or numBlocks 0; ACL_ERROR_RT_INVALID_HANDLE for what is no function;
 *	ACL_ERROR_RT_PARAM_INVALID for too many blocks or a range that is not device memory;
 *	ACL_ERROR_RT_STREAM_CONTEXT for a stream of another device.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
		const void *argsData, size_t argsSize, aclrtStream stream);

/**
 * aclrtLaunchKernelV2 - as aclrtLaunchKernel(), with attributes
 * @funcHandle: function handle
 * @numBlocks: blocks to run, 1 or more
 * @argsData: device address of the packed arguments
 * @argsSize: bytes
 * @cfg: attributes, NULL for none
 * @stream: a stream of the current context's device; NULL means its default stream
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as aclrtLaunchKernel();
 *	ACL_ERROR_INVALID_PARAM for an attribute that is unknown or contradicts another.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
		const void *argsData, size_t argsSize, aclrtLaunchKernelCfg *cfg,
		aclrtStream stream);

/**
 * aclrtLaunchKernelWithConfig - queue a kernel with a finalised argument list
 * @funcHandle: function handle
 * @numBlocks: blocks to run, 1 or more
 * @stream: a stream of the current context's device; NULL means its default stream
 * @cfg: attributes, NULL for none
 * @argsHandle: the list
 * @reserve: must be NULL
 *
 * The list may be changed once the call returned.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtLaunchKernelV2(); ACL_ERROR_RT_PARAM_INVALID for a list that is not finalised.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
		uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
		aclrtArgsHandle argsHandle, void *reserve);

/**
 * aclrtLaunchKernelWithHostArgs - queue a kernel with packed arguments in host memory, which are
 *	copied before the call returns
 * @funcHandle: function handle
 * @numBlocks: blocks to run, 1 or more
 * @stream: a stream of the current context's device; NULL means its default stream
 * @cfg: attributes, NULL for none
 * @hostArgs: arguments in slots of 8 bytes, then the placeholders' data; NULL only with argsSize 0
 * @argsSize: bytes of all of it
 * @placeHolderArray: for each pointer to that data: the slot at addrOffset gets the device address
 *	of hostArgs + dataOffset
 * @placeHolderNum: number of those
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtLaunchKernelV2(); ACL_ERROR_RT_PARAM_INVALID for offsets outside the arguments or a
 *	slot that is not 8-byte aligned.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
		uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs,
		size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/**
 * aclrtBinaryLoadFromData - as aclrtBinaryLoadFromFile(), from host memory, which is copied
 * @data: image
 * @length: bytes
 * @options: see aclrtBinaryLoadFromFile()
 * @binHandle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtBinaryLoadFromFile(); ACL_ERROR_INVALID_PARAM for NULL or 0.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
		const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle);

/**
 * aclrtGetHardwareSyncAddr - address that kernels of mixed type use for synchronising cores
 * @addr: out, device address
 *
 * Nothing is kept there: cores here synchronise without memory. 64 KiB may be read and written.
 *
 * Return: ACL_SUCCESS; 100000 for NULL; 107002, 207001.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetHardwareSyncAddr(void **addr);

/**
 * aclrtBinaryGetDevAddress - where an operator file is on the device
 * @binHandle: binary
 * @binAddr: out, NULL when it was loaded lazily and is not there yet
 * @binSize: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no binary;
 *	ACL_ERROR_RT_STREAM_CONTEXT for a binary of another device.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle,
		void **binAddr, size_t *binSize);

/**
 * aclrtBinaryGetFunctionByEntry - kernel of a binary by its number
 * @binHandle: binary handle
 * @funcEntry: the tiling key in the kernel's record (.ascend.meta)
 * @funcHandle: out
 *
 * For tools that write such records; anpucc writes none, ask by name.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_STREAM_CONTEXT;
 *	ACL_ERROR_RT_KERNEL_LOOKUP when no kernel has the number, or several.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
		uint64_t funcEntry, aclrtFuncHandle *funcHandle);

/**
 * aclrtBinaryGetGlobal - address and size of an operator's variable
 * @binHandle: binary handle; a lazy one is uploaded
 * @name: name of the variable, as the compiler writes it
 * @dptr: out, or NULL
 * @size: out, bytes, or NULL
 *
 * The address is good for copies and for kernels, until the binary is unloaded.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE; ACL_ERROR_RT_STREAM_CONTEXT;
 *	ACL_ERROR_RT_SYMBOL_NOT_FOUND.
 */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name,
		void **dptr, size_t *size);

/**
 * aclrtCheckArchCompatibility - can operators that were built for a chip run here
 * @socVersion: name of the chip
 * @canCompatible: out, 1 for the name that aclrtGetSocName() returns, else 0
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion,
		int32_t *canCompatible);

/**
 * aclrtFunctionGetAvailDynUbufPerBlock - bytes of the unified buffer that a launch may ask for
 * @func: function handle
 * @flags: 0
 * @dynamicUbufSize: out, 0: kernels lay out the buffer themselves
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or other flags; ACL_ERROR_RT_INVALID_HANDLE for what is no function.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags,
		size_t *dynamicUbufSize);

/**
 * aclrtFunctionGetBinary - the binary that a function is in
 * @funcHandle: function handle
 * @binHandle: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle,
		aclrtBinHandle *binHandle);

/**
 * aclrtFunctionGetParamCount - number of parameters of a kernel
 * @func: function handle
 * @paramCount: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function;
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT when its binary does not tell.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount);

/**
 * aclrtFunctionGetParamInfo - place of a parameter in the argument block
 * @func: function handle
 * @paramIndex: number of the parameter, from 0
 * @paramOffset: out, bytes
 * @paramSize: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function;
 *	ACL_ERROR_RT_PARAM_INVALID when there is no such parameter; ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 *	when its binary does not tell.
 */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex,
		size_t *paramOffset, size_t *paramSize);

/**
 * aclrtGetFuncBySymbol - kernel by a function of the program
 * @symbol: a function of the program that has the kernel's name, or that with aclrtlaunch_ before
 *	it
 * @funcHandle: out
 *
 * Looked up in the binaries that are loaded onto the current device, the last one first.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_SYMBOL for what has no name (the program was stripped);
 *	ACL_ERROR_RT_INVALID_DEVICE_FUNCTION when no binary has such a kernel.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle);

/**
 * aclrtGetFunctionAddr - device addresses of a kernel's code
 * @funcHandle: function handle
 * @aicAddr: out, of the part for cube or whole cores, or NULL
 * @aivAddr: out, of the part for vector cores, or NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr,
		void **aivAddr);

/**
 * aclrtGetFunctionAttribute - a property of a kernel
 * @funcHandle: function handle
 * @attrType: ACL_FUNC_ATTR_KERNEL_TYPE: an aclrtKernelType; ACL_FUNC_ATTR_KERNEL_RATIO: of a mixed
 *	kernel the vector sub-blocks above, the cube sub-blocks in the low 16 bits, else 0;
 *	ACL_FUNC_ATTR_KERNEL_SCHED_MODE: 0 normal, 1 batch
 * @attrValue: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown attribute; ACL_ERROR_RT_INVALID_HANDLE for what is no function.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
		aclrtFuncAttribute attrType, int64_t *attrValue);

/**
 * aclrtGetFunctionName - name of a kernel
 * @funcHandle: function handle
 * @maxLen: bytes at name
 * @name: out, with a zero at the end
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function;
 *	ACL_ERROR_RT_PARAM_INVALID when maxLen is too small.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen,
		char *name);

/**
 * aclrtGetFunctionSize - bytes of code of a kernel
 * @funcHandle: function handle
 * @aicSize: out, of the part for cube or whole cores, 0 if there is none
 * @aivSize: out, of the part for vector cores, 0 if there is none
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_HANDLE for what is no function.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize,
		size_t *aivSize);

/**
 * aclrtGetSymbolAddress - device address of an operator's variable
 * @symbol: address of a variable of the program that has the same name
 * @devPtr: out, good on the current device while the binary is loaded
 *
 * No compiler joins the two: the name is looked up in the binaries that are loaded onto the
 * current device, the last one first.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL; ACL_ERROR_RT_INVALID_SYMBOL for what has no name (the program was stripped);
 *	ACL_ERROR_RT_SYMBOL_NOT_FOUND when no binary has such a variable.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr);

/**
 * aclrtGetSymbolSize - size of an operator's variable, see aclrtGetSymbolAddress()
 * @symbol: address of a variable of the program that has the same name
 * @size: out, bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): as
 *	aclrtGetSymbolAddress().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolSize(const void *symbol, size_t *size);

/**
 * aclrtLaunchKernelWithArgsArray - launch a kernel with an array of pointers to its arguments
 * @func: function handle
 * @numBlocks: blocks, at least 1
 * @stream: a stream of the current context's device; NULL means its default stream
 * @cfg: attributes, or NULL
 * @args: for each parameter a pointer to its value, which is read before the call returns
 *
 * Asynchronous.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or no blocks; ACL_ERROR_RT_INVALID_HANDLE for what is no function;
 *	ACL_ERROR_RT_FEATURE_NOT_SUPPORT when the binary does not tell the parameters;
 *	ACL_ERROR_RT_STREAM_CONTEXT when function and stream are of different devices.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks,
		aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args);

/**
 * aclrtLaunchSIMTKernelWithArgsArray - queue a kernel with a grid and threads in three axes
 * @func: function handle
 * @gridDim: blocks in x, y, z
 * @blockDim: threads of a block in x, y, z, at most as many as the kernel's record says
 * @dynUbufSize: bytes of dynamic shared memory in the unified buffer
 * @stream: a stream of the current context's device; NULL means its default stream
 * @cfg: attributes, NULL for none
 * @args: a pointer to each parameter's value
 *
 * Return: as aclrtLaunchKernelWithArgsArray(); ACL_ERROR_INVALID_PARAM for a 0 in a dimension;
 *	ACL_ERROR_RT_PARAM_INVALID for more threads or memory than the kernel can have.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim,
		dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
		void **args);

/**
 * aclrtLaunchSIMTKernelWithHostArgs - the same with arguments as one block of host memory
 * @func: function handle
 * @gridDim: blocks in x, y, z
 * @blockDim: threads of a block in x, y, z
 * @dynUbufSize: bytes of dynamic shared memory in the unified buffer
 * @stream: a stream of the current context's device; NULL means its default stream
 * @cfg: attributes, NULL for none
 * @hostArgs: each parameter at a multiple of 8 bytes; copied before the call returns
 * @argsSize: bytes
 * @placeHolderArray: where addresses of data in the block are to be written
 * @placeHolderNum: their number
 *
 * Return: as aclrtLaunchSIMTKernelWithArgsArray() and aclrtLaunchKernelWithHostArgs().
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim,
		dim3 blockDim, size_t dynUbufSize, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
		void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
		size_t placeHolderNum);

/* Name a function of a CPU-kernel image */
ACL_FUNC_VISIBILITY aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName,
		const char *kernelName, aclrtFuncHandle *funcHandle);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_KERNEL_H_ */
