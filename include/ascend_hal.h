/* SPDX-License-Identifier: MIT */
/*
 * libascend_hal.so: programs link it beside libruntime.so and call little of it. Device numbers are those of
 * libascendcl.so.
 */
#ifndef ASCEND_HAL_H
#define ASCEND_HAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tagDrvError {
	DRV_ERROR_NONE = 0,
	DRV_ERROR_NO_DEVICE = 1,
	DRV_ERROR_INVALID_DEVICE = 2,
	DRV_ERROR_INVALID_VALUE = 3,
	DRV_ERROR_INNER_ERR = 7,
	DRV_ERROR_NOT_SUPPORT = 0xfffe
} drvError_t;

#define HAL_API __attribute__((visibility("default")))

/* How many devices there are */
HAL_API drvError_t drvGetDevNum(uint32_t *num_dev);
/* 1: the program runs on the host, not on the device */
HAL_API drvError_t drvGetPlatformInfo(uint32_t *info);
/* Not built */
HAL_API drvError_t halGetDeviceInfo(uint32_t devId, int32_t moduleType, int32_t infoType, int64_t *value);
HAL_API drvError_t halMemAlloc(void **pp, unsigned long long size, unsigned long long flag);
HAL_API drvError_t halMemFree(void *pp);

#ifdef __cplusplus
}
#endif

#endif /* ASCEND_HAL_H */
