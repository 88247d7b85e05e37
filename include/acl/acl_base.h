/* SPDX-License-Identifier: MIT */
/*
 * Codes of the acl layer, data buffers, half precision, logging.
 */
#ifndef _ACL_BASE_H_
#define _ACL_BASE_H_

#include "acl_base_rt.h"
#include "error_codes/rt_error_codes.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * 100xxx: a mistake of the caller; 2xxxxx: a resource or a feature; 3xxxxx: a limit; 5xxxxx:
 * internal. Constants and not an enum, so that they mix with codes of the runtime in a C++ switch.
 */
static const int ACL_ERROR_NONE                            = 0;
static const int ACL_SUCCESS                               = 0;
static const int ACL_ERROR_INVALID_PARAM                   = 100000;
static const int ACL_ERROR_UNINITIALIZE                    = 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE               = 100002;
static const int ACL_ERROR_INVALID_FILE                    = 100003;
static const int ACL_ERROR_WRITE_FILE                      = 100004;
static const int ACL_ERROR_INVALID_FILE_SIZE               = 100005;
static const int ACL_ERROR_PARSE_FILE                      = 100006;
static const int ACL_ERROR_FILE_MISSING_ATTR               = 100007;
static const int ACL_ERROR_FILE_ATTR_INVALID               = 100008;
static const int ACL_ERROR_INVALID_DUMP_CONFIG             = 100009;
static const int ACL_ERROR_INVALID_PROFILING_CONFIG        = 100010;
static const int ACL_ERROR_INVALID_MODEL_ID                = 100011;
static const int ACL_ERROR_DESERIALIZE_MODEL               = 100012;
static const int ACL_ERROR_PARSE_MODEL                     = 100013;
static const int ACL_ERROR_READ_MODEL_FAILURE              = 100014;
static const int ACL_ERROR_MODEL_SIZE_INVALID              = 100015;
static const int ACL_ERROR_MODEL_MISSING_ATTR              = 100016;
static const int ACL_ERROR_MODEL_INPUT_NOT_MATCH           = 100017;
static const int ACL_ERROR_MODEL_OUTPUT_NOT_MATCH          = 100018;
static const int ACL_ERROR_MODEL_NOT_DYNAMIC               = 100019;
static const int ACL_ERROR_OP_TYPE_NOT_MATCH               = 100020;
static const int ACL_ERROR_OP_INPUT_NOT_MATCH              = 100021;
static const int ACL_ERROR_OP_OUTPUT_NOT_MATCH             = 100022;
static const int ACL_ERROR_OP_ATTR_NOT_MATCH               = 100023;
static const int ACL_ERROR_OP_NOT_FOUND                    = 100024;
static const int ACL_ERROR_OP_LOAD_FAILED                  = 100025;
static const int ACL_ERROR_UNSUPPORTED_DATA_TYPE           = 100026;
static const int ACL_ERROR_FORMAT_NOT_MATCH                = 100027;
static const int ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED     = 100028;
static const int ACL_ERROR_KERNEL_NOT_FOUND                = 100029;
static const int ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030;
static const int ACL_ERROR_KERNEL_ALREADY_REGISTERED       = 100031;
static const int ACL_ERROR_INVALID_QUEUE_ID                = 100032;
static const int ACL_ERROR_REPEAT_SUBSCRIBE                = 100033;
static const int ACL_ERROR_STREAM_NOT_SUBSCRIBE            = 100034;
static const int ACL_ERROR_THREAD_NOT_SUBSCRIBE            = 100035;
static const int ACL_ERROR_WAIT_CALLBACK_TIMEOUT           = 100036;
static const int ACL_ERROR_REPEAT_FINALIZE                 = 100037;
static const int ACL_ERROR_NOT_STATIC_AIPP                 = 100038;
static const int ACL_ERROR_COMPILING_STUB_MODE             = 100039;
static const int ACL_ERROR_GROUP_NOT_SET                   = 100040;
static const int ACL_ERROR_GROUP_NOT_CREATE                = 100041;
static const int ACL_ERROR_PROF_ALREADY_RUN                = 100042;
static const int ACL_ERROR_PROF_NOT_RUN                    = 100043;
static const int ACL_ERROR_DUMP_ALREADY_RUN                = 100044;
static const int ACL_ERROR_DUMP_NOT_RUN                    = 100045;
static const int ACL_ERROR_PROF_REPEAT_SUBSCRIBE           = 148046;
static const int ACL_ERROR_PROF_API_CONFLICT               = 148047;
static const int ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG  = 148048;
static const int ACL_ERROR_INVALID_OPP_PATH                = 148049;
static const int ACL_ERROR_OP_UNSUPPORTED_DYNAMIC          = 148050;
static const int ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED   = 148051;
static const int ACL_ERROR_UNSUPPORTED_JPEG                = 148052;
static const int ACL_ERROR_INVALID_BUNDLE_MODEL_ID         = 148053;
static const int ACL_ERROR_BAD_ALLOC                       = 200000;
static const int ACL_ERROR_API_NOT_SUPPORT                 = 200001;
static const int ACL_ERROR_INVALID_DEVICE                  = 200002;
static const int ACL_ERROR_MEMORY_ADDRESS_UNALIGNED        = 200003;
static const int ACL_ERROR_RESOURCE_NOT_MATCH              = 200004;
static const int ACL_ERROR_INVALID_RESOURCE_HANDLE         = 200005;
static const int ACL_ERROR_FEATURE_UNSUPPORTED             = 200006;
static const int ACL_ERROR_PROF_MODULES_UNSUPPORTED        = 200007;
static const int ACL_ERROR_STORAGE_OVER_LIMIT              = 300000;
static const int ACL_ERROR_INTERNAL_ERROR                  = 500000;
static const int ACL_ERROR_FAILURE                         = 500001;
static const int ACL_ERROR_GE_FAILURE                      = 500002;
static const int ACL_ERROR_RT_FAILURE                      = 500003;
static const int ACL_ERROR_DRV_FAILURE                     = 500004;
static const int ACL_ERROR_PROFILING_FAILURE               = 500005;

/**
 * aclAppLog - write a line to the runtime's log, standard error; its text is cut at 1023 bytes
 * @logLevel: lines below the level of the environment variable ASCEND_GLOBAL_LOG_LEVEL
 *	(0 debug, 1 info, 2 warning, 3 error, 4 nothing; 3 if unset) are dropped
 * @func: function name
 * @file: file name
 * @line: line number
 * @fmt: format as for printf(), and its values
 */
ACL_FUNC_VISIBILITY void aclAppLog(aclLogLevel logLevel, const char *func, const char *file,
		uint32_t line, const char *fmt, ...);

/**
 * aclDataTypeSize - bytes of one element of a type
 * @dataType: type
 *
 * Return: bytes; 0 for types that have no whole number of bytes or are unknown.
 */
ACL_FUNC_VISIBILITY size_t aclDataTypeSize(aclDataType dataType);

/**
 * aclFloat16ToFloat - widen a half to float
 * @value: bits of the half
 *
 * Infinity and NaN become finite, as on chips that saturate.
 *
 * Return: the float.
 */
ACL_FUNC_VISIBILITY float aclFloat16ToFloat(aclFloat16 value);

/**
 * aclFloatToFloat16 - narrow a float to half, rounding to nearest even and saturating at 65504
 * @value: the float
 *
 * Return: bits of the half.
 */
ACL_FUNC_VISIBILITY aclFloat16 aclFloatToFloat16(float value);

/**
 * aclCreateDataBuffer - describe a piece of memory
 * @data: its address, which is only kept
 * @size: its bytes
 *
 * Return: the description, to be freed with aclDestroyDataBuffer(); NULL without memory.
 */
ACL_FUNC_VISIBILITY aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);

/**
 * aclDestroyDataBuffer - free a description, not the memory that it describes
 * @dataBuffer: description
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);

/**
 * aclGetDataBufferAddr - address in a description
 * @dataBuffer: description
 *
 * Return: the address; NULL for NULL.
 */
ACL_FUNC_VISIBILITY void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);

/**
 * aclGetDataBufferSize - bytes in a description, in 32 bits
 * @dataBuffer: description
 *
 * Deprecated: use aclGetDataBufferSizeV2().
 *
 * Return: the low 32 bits of the size; 0 for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);

/**
 * aclGetDataBufferSizeV2 - bytes in a description
 * @dataBuffer: description
 *
 * Return: the size; 0 for NULL.
 */
ACL_FUNC_VISIBILITY size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

/**
 * aclUpdateDataBuffer - let a description describe other memory
 * @dataBuffer: description
 * @data: address
 * @size: bytes
 *
 * Return: ACL_SUCCESS or a code, with a sentence in aclGetRecentErrMsg(): ACL_ERROR_INVALID_PARAM
 *	for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data,
		size_t size);

#ifdef __cplusplus
}
#endif

#include "acl_app_log.h"

#endif /* _ACL_BASE_H_ */
