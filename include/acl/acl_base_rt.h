/* SPDX-License-Identifier: MIT */
/*
 * Types that every AscendCL header needs: aclError, element types and formats, versions.
 */
#ifndef _ACL_BASE_RT_H_
#define _ACL_BASE_RT_H_

/* Structures hold addresses and sizes of 64 bits, and there is no library for another width */
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ != 8
#error "libascendcl is for 64-bit programs: compile without -m32 and -mx32"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))

/* Version of the API that these headers follow */
#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

/* 0, or one of the codes of acl_base.h and error_codes/rt_error_codes.h */
typedef int aclError;

/* Bits of an IEEE half */
typedef uint16_t aclFloat16;

/* A pointer and a size, see aclCreateDataBuffer() */
typedef struct aclDataBuffer aclDataBuffer;

/* Type of an element of a tensor */
typedef enum aclDataType {
	ACL_DT_UNDEFINED  = -1,
	ACL_FLOAT         = 0,
	ACL_FLOAT16       = 1,
	ACL_INT8          = 2,
	ACL_INT32         = 3,
	ACL_UINT8         = 4,
	ACL_INT16         = 6,
	ACL_UINT16        = 7,
	ACL_UINT32        = 8,
	ACL_INT64         = 9,
	ACL_UINT64        = 10,
	ACL_DOUBLE        = 11,
	ACL_BOOL          = 12,
	ACL_STRING        = 13,
	ACL_COMPLEX64     = 16,
	ACL_COMPLEX128    = 17,
	ACL_BF16          = 27,
	ACL_INT4          = 29,
	ACL_UINT1         = 30,
	ACL_COMPLEX32     = 33,
	ACL_HIFLOAT8      = 34,
	ACL_FLOAT8_E5M2   = 35,
	ACL_FLOAT8_E4M3FN = 36,
	ACL_FLOAT8_E8M0   = 37,
	ACL_FLOAT6_E3M2   = 38,
	ACL_FLOAT6_E2M3   = 39,
	ACL_FLOAT4_E2M1   = 40,
	ACL_FLOAT4_E1M2   = 41
} aclDataType;

/* Order of the dimensions of a tensor in memory */
typedef enum aclFormat {
	ACL_FORMAT_UNDEFINED        = -1,
	ACL_FORMAT_NCHW             = 0,
	ACL_FORMAT_NHWC             = 1,
	ACL_FORMAT_ND               = 2,
	ACL_FORMAT_NC1HWC0          = 3,
	ACL_FORMAT_FRACTAL_Z        = 4,
	ACL_FORMAT_NC1HWC0_C04      = 12,
	ACL_FORMAT_HWCN             = 16,
	ACL_FORMAT_NDHWC            = 27,
	ACL_FORMAT_FRACTAL_NZ       = 29,
	ACL_FORMAT_NCDHW            = 30,
	ACL_FORMAT_NDC1HWC0         = 32,
	ACL_FRACTAL_Z_3D            = 33,
	ACL_FORMAT_NC               = 35,
	ACL_FORMAT_NCL              = 47,
	ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
	ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
	ACL_FORMAT_FRACTAL_NZ_C0_2  = 52,
	ACL_FORMAT_FRACTAL_NZ_C0_4  = 53,
	ACL_FORMAT_FRACTAL_NZ_C0_8  = 54
} aclFormat;

/* Severity for aclAppLog() */
typedef enum aclLogLevel {
	ACL_DEBUG   = 0,
	ACL_INFO    = 1,
	ACL_WARNING = 2,
	ACL_ERROR   = 3
} aclLogLevel;

/* Where a tensor lies */
typedef enum aclMemType {
	ACL_MEMTYPE_DEVICE                   = 0,
	ACL_MEMTYPE_HOST                     = 1,
	ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2
} aclMemType;

/* Options of a process or a context */
typedef enum aclSysParamOpt {
	ACL_OPT_DETERMINISTIC             = 0,
	ACL_OPT_ENABLE_DEBUG_KERNEL       = 1,
	ACL_OPT_STRONG_CONSISTENCY        = 2,
	ACL_OPT_ENABLE_KERNEL_EARLY_START = 3
} aclSysParamOpt;

/* Properties of the software, see aclGetCannAttribute() */
typedef enum aclCannAttr {
	ACL_CANN_ATTR_UNDEFINED   = -1,
	ACL_CANN_ATTR_INF_NAN     = 0,
	ACL_CANN_ATTR_BF16        = 1,
	ACL_CANN_ATTR_JIT_COMPILE = 2
} aclCannAttr;

/* Kinds of aclGetDeviceCapability() */
typedef enum aclDeviceInfo {
	ACL_DEVICE_INFO_UNDEFINED       = -1,
	ACL_DEVICE_INFO_AI_CORE_NUM     = 0,
	ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
	ACL_DEVICE_INFO_L2_SIZE         = 2
} aclDeviceInfo;

#ifdef __cplusplus
}
#endif

#endif /* _ACL_BASE_RT_H_ */
