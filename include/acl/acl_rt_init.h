/* SPDX-License-Identifier: MIT */
/*
 * Start and end of the runtime, versions, errors, options of the process.
 */
#ifndef _ACL_RT_INIT_H_
#define _ACL_RT_INIT_H_

#include "acl_rt_structs.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclFinalize - end the use of the runtime in this process, whatever the count of aclInit() calls
 *
 * Devices that are still set are reset first.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_REPEAT_FINALIZE when the runtime is not initialised.
 */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/**
 * aclGetRecentErrMsg - text of this thread's failures since the last call, newest first
 *
 * Reading clears it. With "err_msg_mode": "1" in the file of aclInit() it is the process's
 * failures.
 *
 * Return: the text, valid until this thread's next call of this function; NULL when nothing
 *	failed.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/**
 * aclInit - start the runtime in this process
 * @configPath: JSON file with options, nested at most 10 deep; "{}" in it, NULL or "" for defaults;
 *	"defaultDevice": {"default_device": "0"} makes a device current in every thread without
 *	aclrtSetDevice(); "err_msg_mode": "1" keeps messages for the process, not for each thread;
 *	"profiler": {"switch": "on", "output": FOLDER} records a timeline until aclFinalize(), in
 *	FOLDER/anpu_PID_init_N.json (Documentation/timeline.md); other keys are ignored
 *
 * Every call adds a reference, only the first one's configuration counts.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_REPEAT_INITIALIZE on a repeated call, which callers may ignore;
 *	ACL_ERROR_INVALID_FILE when the file cannot be read; ACL_ERROR_PARSE_FILE when it is not
 *	JSON, or a value is none of those above; ACL_ERROR_INVALID_PROFILING_CONFIG when the
 *	timeline cannot be written.
 */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/**
 * aclrtGetSocName - name of the chip of the current device, or of device 0 when the thread has
 *	none
 *
 * Return: a string that lives as long as the process, NULL when there is no device.
 */
ACL_FUNC_VISIBILITY const char *aclrtGetSocName(void);

/**
 * aclrtGetLastError - this thread's last failed runtime call, then cleared
 * @level: ACL_RT_THREAD_LEVEL
 *
 * Return: the code, or ACL_SUCCESS when nothing failed since the last call.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/**
 * aclrtGetVersion - version of the API, see ACL_MAJOR_VERSION
 * @majorVersion: out
 * @minorVersion: out
 * @patchVersion: out
 *
 * Deprecated: use aclsysGetVersionStr().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	when a pointer is NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
		int32_t *patchVersion);

/**
 * aclrtPeekAtLastError - this thread's last failed runtime call, which stays set
 * @level: ACL_RT_THREAD_LEVEL
 *
 * Return: the code, or ACL_SUCCESS.
 */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/**
 * aclsysGetVersionStr - version of one package as a string
 * @pkgName: "cann" (the whole, which has the runtime's version), "runtime" (the API) or "driver" (of
 *	device 0)
 * @versionStr: out, ACL_PKG_VERSION_MAX_SIZE bytes of the caller
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	when a pointer is NULL or the package is unknown.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/**
 * aclFinalizeCallbackRegister - let a function run when the use of the runtime ends, before devices
 *	are reset
 * @type: which library asks
 * @cbFunc: function; one that is registered for the type already gets the new @userData
 * @userData: its argument
 *
 * The functions run in the thread that ends it, the one registered last runs first, whatever the
 * others return. The first failure is what aclFinalize() returns.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown type.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
		aclFinalizeCallbackFunc cbFunc, void *userData);

/**
 * aclFinalizeCallbackUnRegister - undo aclFinalizeCallbackRegister()
 * @type: as registered
 * @cbFunc: as registered
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, an unknown type or a function that is not registered.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
		aclFinalizeCallbackFunc cbFunc);

/**
 * aclFinalizeReference - take back one aclInit(); the last one ends the use of the runtime
 * @refCount: out, references that remain; may be NULL
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_REPEAT_FINALIZE when the runtime is not initialised.
 */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/**
 * aclGetCannAttribute - does the installation have a property
 * @cannAttr: which
 * @value: out, 1 or 0
 *
 * ACL_CANN_ATTR_JIT_COMPILE is 0: operators are compiled before they are loaded.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown property.
 */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);

/**
 * aclGetCannAttributeList - properties that the installation has
 * @cannAttrList: out, array that lives as long as the process
 * @num: out, its elements
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/**
 * aclInitCallbackRegister - let a function run at the end of aclInit()
 * @type: which library asks
 * @cbFunc: function; one that is registered for the type already gets the new @userData
 * @userData: its last argument
 *
 * The functions run in the order in which they were registered, with the text of the configuration
 * file (NULL and 0 without one). When one fails the runtime is ended again and aclInit() returns
 * its code. Nothing runs for an aclInit() that was called before.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown type.
 */
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type,
		aclInitCallbackFunc cbFunc, void *userData);

/**
 * aclInitCallbackUnRegister - undo aclInitCallbackRegister()
 * @type: as registered
 * @cbFunc: as registered
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL, an unknown type or a function that is not registered.
 */
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
		aclInitCallbackFunc cbFunc);

/**
 * aclrtGetSysParamOpt - read an option of the process
 * @opt: which
 * @value: out
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or an unknown option; ACL_ERROR_RT_PARAM_INVALID when it was never set.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/**
 * aclrtSetSysParamOpt - set an option of the process
 * @opt: which
 * @value: 1 on, 0 off
 *
 * The runtime keeps options for operator libraries that ask; it computes the same with any of them.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for an unknown option or another value.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/**
 * aclsysGetCANNVersion - version of one package, whole and in parts
 * @name: ACL_PKG_NAME_CANN (the whole, which has the runtime's version), ACL_PKG_NAME_RUNTIME or
 *	ACL_PKG_NAME_DRIVER; others are not installed
 * @version: out
 *
 * Deprecated: use aclsysGetVersionStr().
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL or a package that is not here.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
		aclCANNPackageVersion *version);

/**
 * aclsysGetVersionNum - version of one package as a number that can be compared
 * @pkgName: "cann" (the whole, which has the runtime's version), "runtime" or "driver"
 * @versionNum: out, major * 10000000 + minor * 100000 + patch * 1000
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	when a pointer is NULL or the package is unknown.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_INIT_H_ */
