/* SPDX-License-Identifier: MIT */
/*
 * Media: the device has no units for pictures and videos. libacl_dvpp.so has memory for them, which is
 * the device's ordinary memory; its other functions return ACL_ERROR_RT_FEATURE_NOT_SUPPORT, or NULL, with a
 * sentence.
 */
#ifndef ACL_OPS_ACL_DVPP_H_
#define ACL_OPS_ACL_DVPP_H_

#include "../acl_base.h"
#include "../acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct acldvppPicDesc acldvppPicDesc;
typedef struct acldvppRoiConfig acldvppRoiConfig;
typedef struct acldvppResizeConfig acldvppResizeConfig;
typedef struct acldvppChannelDesc acldvppChannelDesc;
typedef struct acldvppJpegeConfig acldvppJpegeConfig;

/**
 * acldvppMalloc - device memory
 * @devPtr: where to put the address
 * @size: bytes, more than 0
 *
 * Return: ACL_SUCCESS or a code, as aclrtMalloc().
 */
ACL_FUNC_VISIBILITY aclError acldvppMalloc(void **devPtr, size_t size);
/* Frees memory of acldvppMalloc(); as aclrtFree() */
ACL_FUNC_VISIBILITY aclError acldvppFree(void *devPtr);

ACL_FUNC_VISIBILITY acldvppChannelDesc *acldvppCreateChannelDesc(void);
ACL_FUNC_VISIBILITY aclError acldvppDestroyChannelDesc(acldvppChannelDesc *channelDesc);
ACL_FUNC_VISIBILITY aclError acldvppCreateChannel(acldvppChannelDesc *channelDesc);
ACL_FUNC_VISIBILITY aclError acldvppDestroyChannel(acldvppChannelDesc *channelDesc);
ACL_FUNC_VISIBILITY acldvppPicDesc *acldvppCreatePicDesc(void);
ACL_FUNC_VISIBILITY aclError acldvppDestroyPicDesc(acldvppPicDesc *picDesc);
ACL_FUNC_VISIBILITY acldvppResizeConfig *acldvppCreateResizeConfig(void);
ACL_FUNC_VISIBILITY aclError acldvppDestroyResizeConfig(acldvppResizeConfig *resizeConfig);
ACL_FUNC_VISIBILITY acldvppRoiConfig *acldvppCreateRoiConfig(uint32_t left, uint32_t right,
		uint32_t top, uint32_t bottom);
ACL_FUNC_VISIBILITY aclError acldvppDestroyRoiConfig(acldvppRoiConfig *roiConfig);
ACL_FUNC_VISIBILITY aclError acldvppVpcResizeAsync(acldvppChannelDesc *channelDesc,
		acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc,
		acldvppResizeConfig *resizeConfig, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError acldvppVpcCropAsync(acldvppChannelDesc *channelDesc,
		acldvppPicDesc *inputDesc, acldvppPicDesc *outputDesc, acldvppRoiConfig *cropArea,
		aclrtStream stream);
ACL_FUNC_VISIBILITY aclError acldvppJpegDecodeAsync(acldvppChannelDesc *channelDesc, const void *data,
		uint32_t size, acldvppPicDesc *outputDesc, aclrtStream stream);
ACL_FUNC_VISIBILITY aclError acldvppJpegGetImageInfo(const void *data, uint32_t size, uint32_t *width,
		uint32_t *height, int32_t *components);

#ifdef __cplusplus
}
#endif

#endif /* ACL_OPS_ACL_DVPP_H_ */
