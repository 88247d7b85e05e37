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
 * Reading clears it.
 *
 * Return: the text, valid until this thread's next call of this function; NULL when nothing
 *	failed.
 */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/**
 * aclInit - start the runtime in this process
 * @configPath: JSON file with options, nested at most 10 deep, "{}" and NULL for defaults;
 *	"defaultDevice": {"default_device": "0"} makes a device current in every thread without
 *	aclrtSetDevice()
 *
 * Every call adds a reference, only the first one's configuration counts.
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg():
 *	ACL_ERROR_REPEAT_INITIALIZE on a repeated call, which callers may ignore; ACL_ERROR_INVALID_FILE
 *	when the file cannot be read; ACL_ERROR_PARSE_FILE when it is not JSON.
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
 * @pkgName: name of the package, e.g. "runtime"
 * @versionStr: out, ACL_PKG_VERSION_MAX_SIZE bytes of the caller
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	when a pointer is NULL or the package is unknown.
 */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/* Hook at aclFinalize */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
		aclFinalizeCallbackFunc cbFunc, void *userData);

/* Remove */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
		aclFinalizeCallbackFunc cbFunc);

/* Drop one init reference, really stop at zero, optional count out */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/* Is one CANN attribute on (0/1) */
ACL_FUNC_VISIBILITY aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);

/* List of CANN attributes (inf-nan, bf16, jit) */
ACL_FUNC_VISIBILITY aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/* Hook at aclInit */
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type,
		aclInitCallbackFunc cbFunc, void *userData);

/* Remove */
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
		aclInitCallbackFunc cbFunc);

/* Process-wide option read */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* Process-wide option write */
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/* [deprecated] version record of a named package (old) */
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
		aclCANNPackageVersion *version);

/* Version number of a package */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_INIT_H_ */
