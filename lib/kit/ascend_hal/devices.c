// SPDX-License-Identifier: MIT
/* Questions about devices. */
#include <ascend_hal.h>

#include "front.h"

drvError_t drvGetDevNum(uint32_t *num_dev)
{
	if (!num_dev) {
		kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "num_dev is NULL");
		return DRV_ERROR_INVALID_VALUE;
	}
	return aclrtGetDeviceCount(num_dev) ? DRV_ERROR_NO_DEVICE : DRV_ERROR_NONE;
}

drvError_t drvGetPlatformInfo(uint32_t *info)
{
	if (!info) {
		kit_fail(__func__, ACL_ERROR_INVALID_PARAM, "info is NULL");
		return DRV_ERROR_INVALID_VALUE;
	}
	*info = 1;
	return DRV_ERROR_NONE;
}
