/* SPDX-License-Identifier: MIT */
/*
 * Types of collective communication. Names, values and layouts are those that programs for HCCL are compiled with.
 */
#ifndef HCCL_TYPES_H_
#define HCCL_TYPES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Codes that functions return; a sentence is in aclGetRecentErrMsg() */
typedef enum {
	HCCL_SUCCESS             = 0,
	HCCL_E_PARA              = 1,  /* an argument is wrong */
	HCCL_E_PTR               = 2,  /* a pointer is NULL */
	HCCL_E_MEMORY            = 3,  /* no memory of the device or the host */
	HCCL_E_INTERNAL          = 4,  /* a mistake of the library */
	HCCL_E_NOT_SUPPORT       = 5,  /* not built, or not possible here */
	HCCL_E_NOT_FOUND         = 6,
	HCCL_E_UNAVAIL           = 7,  /* the communicator is in no state for it */
	HCCL_E_SYSCALL           = 8,  /* the operating system refused something */
	HCCL_E_TIMEOUT           = 9,  /* ranks did not come in time */
	HCCL_E_OPEN_FILE_FAILURE = 10,
	HCCL_E_TCP_CONNECT       = 11, /* the root of a communicator was not reached */
	HCCL_E_ROCE_CONNECT      = 12,
	HCCL_E_TCP_TRANSFER      = 13,
	HCCL_E_ROCE_TRANSFER     = 14,
	HCCL_E_RUNTIME           = 15, /* a function of libascendcl failed */
	HCCL_E_DRV               = 16,
	HCCL_E_PROFILING         = 17,
	HCCL_E_CCE               = 18,
	HCCL_E_NETWORK           = 19,
	HCCL_E_AGAIN             = 20,
	HCCL_E_REMOTE            = 21, /* another rank ended or failed */
	HCCL_E_SUSPENDING        = 22, /* the communicator is suspended */
	HCCL_E_OPRETRY_FAIL      = 23,
	HCCL_E_OOM               = 24,
	HCCL_E_IN_STATUS         = 1041,
	HCCL_E_RESERVED
} HcclResult;

/* A communicator of one rank */
typedef void *HcclComm;

/* Answers of HcclCommGetStatus() */
typedef enum {
	HCCL_COMM_STATUS_READY      = 0,
	HCCL_COMM_STATUS_SUSPENDING = 1,
	HCCL_COMM_STATUS_INVALID    = 254, /* it has failed */
	HCCL_COMM_STATUS_RESERVED   = 255
} HcclCommStatus;

/* Memory that a communicator was told of with HcclCommSymWinRegister() */
typedef void *HcclCommSymWindow;
typedef HcclCommSymWindow CommSymWindow;

typedef enum {
	HCCL_WIN_DEFAULT        = 0, /* not built, as published */
	HCCL_WIN_COLL_SYMMETRIC = 1
} symmetricMemoryFlag;

typedef enum {
	HCCL_REDUCE_SUM  = 0,
	HCCL_REDUCE_PROD = 1,
	HCCL_REDUCE_MAX  = 2,
	HCCL_REDUCE_MIN  = 3,
	HCCL_REDUCE_RESERVED = 255
} HcclReduceOp;

typedef enum {
	HCCL_DATA_TYPE_INT8    = 0,
	HCCL_DATA_TYPE_INT16   = 1,
	HCCL_DATA_TYPE_INT32   = 2,
	HCCL_DATA_TYPE_FP16    = 3,
	HCCL_DATA_TYPE_FP32    = 4,
	HCCL_DATA_TYPE_INT64   = 5,
	HCCL_DATA_TYPE_UINT64  = 6,
	HCCL_DATA_TYPE_UINT8   = 7,
	HCCL_DATA_TYPE_UINT16  = 8,
	HCCL_DATA_TYPE_UINT32  = 9,
	HCCL_DATA_TYPE_FP64    = 10,
	HCCL_DATA_TYPE_BFP16   = 11,
	HCCL_DATA_TYPE_INT128  = 12,
	/* these are moved and not reduced */
	HCCL_DATA_TYPE_HIF8    = 14,
	HCCL_DATA_TYPE_FP8E4M3 = 15,
	HCCL_DATA_TYPE_FP8E5M2 = 16,
	HCCL_DATA_TYPE_FP8E8M0 = 17,
	HCCL_DATA_TYPE_RESERVED = 255
} HcclDataType;

#define HCCL_ROOT_INFO_BYTES 4108

/* How ranks find each other: made by one, copied to the others by the program */
typedef struct HcclRootInfoDef {
	char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

typedef enum {
	HCCL_SEND = 0,
	HCCL_RECV = 1,
	HCCL_SEND_RECV_RESERVED
} HcclSendRecvType;

/* One piece of work of HcclBatchSendRecv() */
typedef struct HcclSendRecvItemDef {
	HcclSendRecvType sendRecvType;
	void *buf;
	uint64_t count;
	HcclDataType dataType;
	uint32_t remoteRank;
} HcclSendRecvItem;

/* Settings of the process, HcclSetConfig() */
typedef enum {
	HCCL_DETERMINISTIC = 0,
	HCCL_CONFIG_RESERVED
} HcclConfig;

union HcclConfigValue {
	int32_t value;
};
#ifndef __cplusplus
typedef union HcclConfigValue HcclConfigValue;
#endif

/* HcclConfigGetInfo() tells one of these of a communicator */
typedef enum {
	HCCL_CONFIG_TYPE_INVALID              = -1,
	HCCL_CONFIG_TYPE_OP_EXPANSION_MODE    = 0, /* HcclConfigTypeOpExpansionMode */
	HCCL_CONFIG_TYPE_HCCL_ALGO            = 1, /* char[HCCL_COMM_ALGO_MAX_LENGTH] */
	HCCL_CONFIG_TYPE_UB_MULTI_CHANNEL_NUM = 2  /* there is no such network: HCCL_E_NOT_SUPPORT */
} HcclConfigType;

/* A part of the machine that makes tasks of a collective */
typedef enum {
	HCCL_OP_EXPANSION_MODE_INVALID = -1,
	HCCL_OP_EXPANSION_MODE_AI_CPU  = 0,
	HCCL_OP_EXPANSION_MODE_AIV     = 1,
	HCCL_OP_EXPANSION_MODE_HOST    = 2,
	HCCL_OP_EXPANSION_MODE_HOST_TS = 3 /* the host, and the device runs them: this library, whatever is asked for */
} HcclOpExpansionMode;
typedef HcclOpExpansionMode HcclConfigTypeOpExpansionMode;

/* Settings that HcclCommConfig can have; HcclGetCommConfigCapability() returns the first value that it cannot */
typedef enum {
	HCCL_COMM_CONFIG_BUFFER_SIZE              = 0,
	HCCL_COMM_CONFIG_DETERMINISTIC            = 1,
	HCCL_COMM_CONFIG_COMM_NAME                = 2,
	HCCL_COMM_CONFIG_OP_EXPANSION             = 3,
	HCCL_COMM_CONFIG_OP_EXPANSION_MODE        = 3, /* the same by another name */
	HCCL_COMM_CONFIG_SUPPORT_INIT_BY_ENV      = 4,
	HCCL_COMM_CONFIG_WORLD_RANKID             = 5,
	HCCL_COMM_CONFIG_JOBID                    = 6,
	HCCL_COMM_CONFIG_ACLGRAPH_ZEROCOPY_ENABLE = 7,
	HCCL_COMM_CONFIG_EXEC_TIMEOUT             = 8,
	HCCL_COMM_CONFIG_ALGO                     = 9,
	HCCL_COMM_CONFIG_RETRY                    = 10,
	HCCL_COMM_CONFIG_BUFFER_NAME              = 11,
	HCCL_COMM_CONFIG_RESERVED
} HcclCommConfigCapability;

#define COMM_NAME_MAX_LENGTH			128
#define UDI_MAX_LENGTH				128
#define HCCL_COMM_ALGO_MAX_LENGTH		1600
#define HCCL_COMM_RETRY_ENABLE_MAX_LENGTH	50
#define HCCL_COMM_RETRY_PARAMS_MAX_LENGTH	128
#define BUFFER_NAME_MAX_LENGTH			128

#define HCCL_COMM_CONFIG_INFO_BYTES		24
#define HCCL_COMM_CONFIG_MAGIC_WORD		0xf0f0f0f0U
#define HCCL_COMM_CONFIG_VERSION		10U
#define HCCL_COMM_DEFAULT_BUFFSIZE		200U
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET	0xffffffffU
#define HCCL_COMM_DEFAULT_DETERMINISTIC		0U
#define HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET	0xffffffffU
#define HCCL_COMM_DEFAULT_OP_EXPANSION_MODE	0U
#define HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET	0xffffffffU
#define HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET	0xffffffffU
#define HCCL_COMM_QOS_CONFIG_NOT_SET		0xffffffffU
#define HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET	(-1)
#define HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE	16ULL

/*
 * Settings of one communicator. Programs fill it with HcclCommConfigInit() first; it begins with size, magic word and
 * version of the layout that they were compiled with, which is shorter in older versions.
 */
typedef struct HcclCommConfigDef {
	char reserved[HCCL_COMM_CONFIG_INFO_BYTES];
	uint32_t hcclBufferSize;    /* MiB of memory of the device for data on their way */
	uint32_t hcclDeterministic; /* results are the same in every run anyway */
	char hcclCommName[COMM_NAME_MAX_LENGTH];
	char hcclUdi[UDI_MAX_LENGTH];
	uint32_t hcclOpExpansionMode;
	uint32_t hcclRdmaTrafficClass;
	uint32_t hcclRdmaServiceLevel;
	uint32_t hcclWorldRankID;
	uint64_t hcclJobID;
	uint8_t aclGraphZeroCopyEnable;
	int32_t hcclExecTimeOut;    /* seconds */
	char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];
	char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
	char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
	char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
	uint32_t hcclQos;
	uint64_t hcclSymWinMaxMemSizePerRank;
} HcclCommConfig;

#ifdef __cplusplus
}
#endif

#endif /* HCCL_TYPES_H_ */
