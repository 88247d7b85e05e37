/* SPDX-License-Identifier: MIT */
/*
 * Handles, constants, enumerations and structures of the runtime. Values and layouts are ABI.
 */
#ifndef _ACL_RT_TYPES_H_
#define _ACL_RT_TYPES_H_

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles. The runtime knows each live one, so a stale or foreign one is an error and no crash. */
typedef void *aclrtStream;
typedef void *aclmdlRITask;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef void *aclrtCntNotify;
typedef void *aclrtLabel;
typedef void *aclrtLabelList;
typedef void *aclrtMbuf;
typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;
typedef void *aclrtTaskGrp;
typedef void *aclrtDrvMemHandle;
typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;
typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;
typedef void *aclmdlRI;
typedef void *aclmdlRICondHandle;

/* Argument of failure callbacks, read by the aclrtGet...FromExceptionInfo() functions */
typedef struct aclrtExceptionInfo aclrtExceptionInfo;
/* Groups of cores, see aclrtCreateGroupInfo() */
typedef struct aclrtGroupInfo aclrtGroupInfo;
/* Reserved part of aclrtUtilizationInfo */
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

#ifndef ACL_DIM3_DEFINED
#define ACL_DIM3_DEFINED
/* Extent of a grid or of a block; what a C++ program leaves out is 1 */
typedef struct dim3 {
	uint32_t x;
	uint32_t y;
	uint32_t z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
	constexpr
#endif
	dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
#endif
} dim3;
#endif

/* Events: properties, and flags of record and wait */
#define ACL_EVENT_SYNC                    0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE               0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010U
#define ACL_EVENT_EXTERNAL                0x00000020U
#define ACL_EVENT_IPC                     0x00000040U
#define ACL_IPC_EVENT_HANDLE_SIZE         64U
#define ACL_EVENT_RECORD_DEFAULT          0x0U
#define ACL_EVENT_RECORD_EXTERNAL         0x01U
#define ACL_EVENT_WAIT_DEFAULT            0x0U
#define ACL_EVENT_WAIT_EXTERNAL           0x01U

/* aclmdlRIBindStream(): the stream runs from the start of the graph, or when another starts it */
#define ACL_MODEL_STREAM_FLAG_HEAD    0x00000000U
#define ACL_MODEL_STREAM_FLAG_DEFAULT 0x7FFFFFFFU

/* Streams: properties, conditions of aclrtValueWait(), failure modes */
#define ACL_STREAM_FAST_LAUNCH     0x00000001U
#define ACL_STREAM_FAST_SYNC       0x00000002U
#define ACL_STREAM_PERSISTENT      0x00000004U
#define ACL_STREAM_HUGE            0x00000008U
#define ACL_STREAM_CPU_SCHEDULE    0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U
#define ACL_STREAM_WAIT_VALUE_GEQ  0x00000000U
#define ACL_STREAM_WAIT_VALUE_EQ   0x00000001U
#define ACL_STREAM_WAIT_VALUE_AND  0x00000002U
#define ACL_STREAM_WAIT_VALUE_NOR  0x00000003U
#define ACL_CONTINUE_ON_FAILURE    0x00000000U
#define ACL_STOP_ON_FAILURE        0x00000001U

/* Notifies */
#define ACL_NOTIFY_DEFAULT                               0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY                       0x00000001U
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS     0x02UL

/* Device features, connections and forms */
#define ACL_DEV_FEATURE_SUPPORT           0x00000001
#define ACL_DEV_FEATURE_NOT_SUPPORT       0x00000000
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB   2
#define ACL_DEVICE_FORM_FACTOR_POD        0
#define ACL_DEVICE_FORM_FACTOR_A_K        1
#define ACL_DEVICE_FORM_FACTOR_A_X        2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD  3

/* Links between devices: unsigned long long, or unsigned long where the language lacks that type */
#if (defined(__cplusplus) && __cplusplus >= 201103L) || \
	(defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define ACL_RT_TOPOLOGY_BIT(bit) bit##ULL
#else
#define ACL_RT_TOPOLOGY_BIT(bit) bit##UL
#endif
#define ACL_RT_DEVS_TOPOLOGY_HCCS         ACL_RT_TOPOLOGY_BIT(0x01)
#define ACL_RT_DEVS_TOPOLOGY_PIX          ACL_RT_TOPOLOGY_BIT(0x02)
#define ACL_RT_DEVS_TOPOLOGY_PIB          ACL_RT_TOPOLOGY_BIT(0x04)
#define ACL_RT_DEVS_TOPOLOGY_PHB          ACL_RT_TOPOLOGY_BIT(0x08)
#define ACL_RT_DEVS_TOPOLOGY_SYS          ACL_RT_TOPOLOGY_BIT(0x10)
#define ACL_RT_DEVS_TOPOLOGY_SIO          ACL_RT_TOPOLOGY_BIT(0x20)
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW      ACL_RT_TOPOLOGY_BIT(0x40)

/* Sharing memory between processes */
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT                 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION  0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT                 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS      0x1UL
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT                     0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION      0x1UL
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO                0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS               1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH   2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3

/* Memory: registration, kinds, links */
#define ACL_HOST_REG_MAPPED              0x2UL
#define ACL_HOST_REG_IOMEMORY            0x4UL
#define ACL_HOST_REG_READONLY            0x8UL
#define ACL_HOST_REG_PINNED              0x10000000UL
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U
#define ACL_RT_MEM_ATTACH_GLOBAL         0x01U
#define ACL_RT_MEM_LINK_IDX_0            0U
#define ACL_RT_MEM_LINK_IDX_1            1U
#define ACL_RT_CMO_MAX_BARRIER_NUM       6U
#define ACL_RT_MEM_TYPE_DEV              0X2U
#define ACL_RT_MEM_TYPE_DVPP             0X8U
#define ACL_RT_MEM_TYPE_RSVD             0X10U

/* Memory errors */
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128
#define UCE_INFO_RESERVED_SIZE      14
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

/* Graphs */
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

/* Kernel binaries */
#define ACL_RT_BINARY_MAGIC_ELF_AICORE      0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE   0x41494343U

/* Versions of packages */
#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

/* Where a program runs */
typedef enum aclrtRunMode {
	ACL_DEVICE = 0,
	ACL_HOST   = 1
} aclrtRunMode;

/* Task schedulers */
typedef enum aclrtTsId {
	ACL_TS_ID_AICORE   = 0,
	ACL_TS_ID_AIVECTOR = 1,
	ACL_TS_ID_RESERVED = 2
} aclrtTsId;

/* Old status of an event: complete is 0 */
typedef enum aclrtEventStatus {
	ACL_EVENT_STATUS_COMPLETE  = 0,
	ACL_EVENT_STATUS_NOT_READY = 1,
	ACL_EVENT_STATUS_RESERVED  = 2
} aclrtEventStatus;

/* Status of an event: complete is 1 */
typedef enum aclrtEventRecordedStatus {
	ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
	ACL_EVENT_RECORDED_STATUS_COMPLETE  = 1
} aclrtEventRecordedStatus;

/* Status of the waits for an event */
typedef enum aclrtEventWaitStatus {
	ACL_EVENT_WAIT_STATUS_COMPLETE  = 0,
	ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
	ACL_EVENT_WAIT_STATUS_RESERVED  = 65535
} aclrtEventWaitStatus;

/* Status of a stream */
typedef enum aclrtStreamStatus {
	ACL_STREAM_STATUS_COMPLETE  = 0,
	ACL_STREAM_STATUS_NOT_READY = 1,
	ACL_STREAM_STATUS_RESERVED  = 65535
} aclrtStreamStatus;

/* Does a callback hold its stream */
typedef enum aclrtCallbackBlockType {
	ACL_CALLBACK_NO_BLOCK = 0,
	ACL_CALLBACK_BLOCK    = 1
} aclrtCallbackBlockType;

/* Direction of a copy */
typedef enum aclrtMemcpyKind {
	ACL_MEMCPY_HOST_TO_HOST           = 0,
	ACL_MEMCPY_HOST_TO_DEVICE         = 1,
	ACL_MEMCPY_DEVICE_TO_HOST         = 2,
	ACL_MEMCPY_DEVICE_TO_DEVICE       = 3,
	ACL_MEMCPY_DEFAULT                = 4,
	ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE  = 5,
	ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
	ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

/* Hints for managed memory */
typedef enum aclrtMemManagedAdviseType {
	ACL_MEM_ADVISE_SET_READ_MOSTLY          = 0,
	ACL_MEM_ADVISE_UNSET_READ_MOSTLY        = 1,
	ACL_MEM_ADVISE_SET_PREFERRED_LOCATION   = 2,
	ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
	ACL_MEM_ADVISE_SET_ACCESSED_BY          = 4,
	ACL_MEM_ADVISE_UNSET_ACCESSED_BY        = 5
} aclrtMemManagedAdviseType;

/* Places for managed memory */
typedef enum aclrtMemManagedLocationType {
	ACL_MEM_LOCATIONTYPE_INVALID           = 0,
	ACL_MEM_LOCATIONTYPE_DEVICE            = 1,
	ACL_MEM_LOCATIONTYPE_HOST              = 2,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA         = 3,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4
} aclrtMemManagedLocationType;

/* Page size for device memory; bits from 256 up may be added for aclrtMallocWithCfg() */
typedef enum aclrtMemMallocPolicy {
	ACL_MEM_MALLOC_HUGE_FIRST          = 0,
	ACL_MEM_MALLOC_HUGE_ONLY           = 1,
	ACL_MEM_MALLOC_NORMAL_ONLY         = 2,
	ACL_MEM_MALLOC_HUGE_FIRST_P2P      = 3,
	ACL_MEM_MALLOC_HUGE_ONLY_P2P       = 4,
	ACL_MEM_MALLOC_NORMAL_ONLY_P2P     = 5,
	ACL_MEM_MALLOC_HUGE1G_ONLY         = 6,
	ACL_MEM_MALLOC_HUGE1G_ONLY_P2P     = 7,
	ACL_MEM_TYPE_LOW_BAND_WIDTH        = 256,
	ACL_MEM_TYPE_HIGH_BAND_WIDTH       = 4096,
	ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

/* How host memory is registered */
typedef enum aclrtHostRegisterType {
	ACL_HOST_REGISTER_MAPPED   = 0,
	ACL_HOST_REGISTER_IOMEMORY = 4,
	ACL_HOST_REGISTER_READONLY = 8
} aclrtHostRegisterType;

/* Attributes of an allocation */
typedef enum aclrtMallocAttrType {
	ACL_RT_MEM_ATTR_RSV       = 0,
	ACL_RT_MEM_ATTR_MODULE_ID = 1,
	ACL_RT_MEM_ATTR_DEVICE_ID = 2,
	ACL_RT_MEM_ATTR_VA_FLAG   = 3
} aclrtMallocAttrType;

/* Kinds of device memory */
typedef enum aclrtMemAttr {
	ACL_DDR_MEM            = 0,
	ACL_HBM_MEM            = 1,
	ACL_DDR_MEM_HUGE       = 2,
	ACL_DDR_MEM_NORMAL     = 3,
	ACL_HBM_MEM_HUGE       = 4,
	ACL_HBM_MEM_NORMAL     = 5,
	ACL_DDR_MEM_P2P_HUGE   = 6,
	ACL_DDR_MEM_P2P_NORMAL = 7,
	ACL_HBM_MEM_P2P_HUGE   = 8,
	ACL_HBM_MEM_P2P_NORMAL = 9,
	ACL_HBM_MEM_HUGE1G     = 10,
	ACL_HBM_MEM_P2P_HUGE1G = 11,
	ACL_MEM_NORMAL         = 12,
	ACL_MEM_HUGE           = 13,
	ACL_MEM_HUGE1G         = 14,
	ACL_MEM_P2P_NORMAL     = 15,
	ACL_MEM_P2P_HUGE       = 16,
	ACL_MEM_P2P_HUGE1G     = 17
} aclrtMemAttr;

/* Page sizes */
typedef enum aclrtMemPgType {
	NORMAL_PAGE_TYPE = 0,
	HUGE_PAGE_TYPE   = 1,
	HUGE1G_PAGE_TYPE = 2
} aclrtMemPgType;

/* Kinds of physical memory */
typedef enum aclrtMemType {
	HBM_TYPE     = 0,
	DDR_TYPE     = 1,
	P2P_HBM_TYPE = 2,
	P2P_DDR_TYPE = 3
} aclrtMemType;

/* Attributes of shared memory */
typedef enum aclrtIpcMemAttrType {
	ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

/* Fields of a group of cores */
typedef enum aclrtGroupAttr {
	ACL_GROUP_AICORE_INT  = 0,
	ACL_GROUP_AIV_INT     = 1,
	ACL_GROUP_AIC_INT     = 2,
	ACL_GROUP_SDMANUM_INT = 3,
	ACL_GROUP_ASQNUM_INT  = 4,
	ACL_GROUP_GROUPID_INT = 5
} aclrtGroupAttr;

/* Results of floating point overflow */
typedef enum aclrtFloatOverflowMode {
	ACL_RT_OVERFLOW_MODE_SATURATION = 0,
	ACL_RT_OVERFLOW_MODE_INFNAN     = 1,
	ACL_RT_OVERFLOW_MODE_UNDEF      = 2
} aclrtFloatOverflowMode;

/* Options of a stream, see aclrtSetStreamConfigOpt() */
typedef enum aclrtStreamConfigAttr {
	ACL_RT_STREAM_WORK_ADDR_PTR = 0,
	ACL_RT_STREAM_WORK_SIZE     = 1,
	ACL_RT_STREAM_FLAG          = 2,
	ACL_RT_STREAM_PRIORITY      = 3
} aclrtStreamConfigAttr;

/* Where an address lies */
typedef enum aclrtMemLocationType {
	ACL_MEM_LOCATION_TYPE_HOST         = 0,
	ACL_MEM_LOCATION_TYPE_DEVICE       = 1,
	ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
	ACL_MEM_LOCATION_TYPE_MANAGED      = 3,
	ACL_MEM_LOCATION_TYPE_HOST_NUMA    = 4
} aclrtMemLocationType;

/* Properties of a managed range */
typedef enum aclrtMemManagedRangeAttribute {
	ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY                 = 1,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION          = 2,
	ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY                 = 3,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE     = 4,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID       = 5,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION      = 6,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID   = 8
} aclrtMemManagedRangeAttribute;

/* Kind of physical allocation */
typedef enum aclrtMemAllocationType {
	ACL_MEM_ALLOCATION_TYPE_PINNED = 0
} aclrtMemAllocationType;

/* How physical memory may be exported */
typedef enum aclrtMemHandleType {
	ACL_MEM_HANDLE_TYPE_NONE  = 0,
	ACL_MEM_HANDLE_TYPE_POSIX = 2
} aclrtMemHandleType;

/* Kinds of exported numbers */
typedef enum aclrtMemSharedHandleType {
	ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
	ACL_MEM_SHARE_HANDLE_TYPE_FABRIC  = 2
} aclrtMemSharedHandleType;

/* Which unit of sizes */
typedef enum aclrtMemGranularityOptions {
	ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM     = 0,
	ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
	ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF       = 65535
} aclrtMemGranularityOptions;

/* Does a device work */
typedef enum aclrtDeviceStatus {
	ACL_RT_DEVICE_STATUS_NORMAL   = 0,
	ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
	ACL_RT_DEVICE_STATUS_END      = 65535
} aclrtDeviceStatus;

/* A recording refuses some calls: to all threads, to the recording thread, or to none */
typedef enum aclmdlRICaptureMode {
	ACL_MODEL_RI_CAPTURE_MODE_GLOBAL       = 0,
	ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
	ACL_MODEL_RI_CAPTURE_MODE_RELAXED      = 2
} aclmdlRICaptureMode;

/* State of a recording */
typedef enum aclmdlRICaptureStatus {
	ACL_MODEL_RI_CAPTURE_STATUS_NONE        = 0,
	ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE      = 1,
	ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

/* The part of a device that failed */
typedef enum aclrtErrorType {
	ACL_RT_NO_ERROR      = 0,
	ACL_RT_ERROR_MEMORY  = 1,
	ACL_RT_ERROR_L2      = 2,
	ACL_RT_ERROR_AICORE  = 3,
	ACL_RT_ERROR_LINK    = 4,
	ACL_RT_ERROR_L3_PORT = 5,
	ACL_RT_ERROR_OTHERS  = 65535
} aclrtErrorType;

/* Kind of a core failure */
typedef enum aclrtAicoreErrorType {
	ACL_RT_AICORE_ERROR_UNKNOWN  = 0,
	ACL_RT_AICORE_ERROR_SW       = 1,
	ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;

/* Cache operations */
typedef enum aclrtCmoType {
	ACL_RT_CMO_TYPE_PREFETCH  = 0,
	ACL_RT_CMO_TYPE_WRITEBACK = 1,
	ACL_RT_CMO_TYPE_INVALID   = 2,
	ACL_RT_CMO_TYPE_FLUSH     = 3
} aclrtCmoType;

/* The level whose last error is asked for */
typedef enum aclrtLastErrLevel {
	ACL_RT_THREAD_LEVEL = 0
} aclrtLastErrLevel;

/* Options of loading */
typedef enum aclrtBinaryLoadOptionType {
	ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD       = 1,
	ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC      = 2,
	ACL_RT_BINARY_LOAD_OPT_MAGIC           = 2,
	ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;

/* Kinds of cores */
typedef enum aclrtEngineType {
	ACL_RT_ENGINE_TYPE_AIC = 0,
	ACL_RT_ENGINE_TYPE_AIV = 1
} aclrtEngineType;

/* Attributes of a launch */
typedef enum aclrtLaunchKernelAttrId {
	ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE          = 1,
	ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE   = 2,
	ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE       = 2,
	ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE         = 3,
	ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET     = 4,
	ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
	ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP           = 6,
	ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT             = 7,
	ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US          = 8,
	ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING    = 9,
	/*
	 * Of this library alone, for aclrtLaunchSIMTKernelWithArgsArray() and ...WithHostArgs(): 0x1000 and the
	 * number of the driver API's attribute. Values stand in rsv, see Documentation/launch.md.
	 */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_COOPERATIVE     = 0x1002, /* rsv[0]: 1 */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_CLUSTER         = 0x1004, /* rsv[0..2]: blocks in x, y, z */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_OVERLAP         = 0x1006, /* rsv[0]: 1 */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_TRIGGER_EVENT   = 0x1007, /* rsv[0..1]: event; rsv[2]: 1, when blocks begin */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_PRIORITY        = 0x1008, /* rsv[0]: 0 (first) to 7 */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_BEGUN_EVENT     = 0x100c, /* rsv[0..1]: event */
	ACL_RT_LAUNCH_KERNEL_ATTR_ANPU_UPDATABLE       = 0x100d  /* rsv[0]: 1; rsv[2..3], out: handle */
} aclrtLaunchKernelAttrId;

/* Attributes of a stream */
typedef enum aclrtStreamAttr {
	ACL_STREAM_ATTR_FAILURE_MODE         = 1,
	ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
	ACL_STREAM_ATTR_USER_CUSTOM_TAG      = 3,
	ACL_STREAM_ATTR_CACHE_OP_INFO        = 4,
	ACL_STREAM_ATTR_PRIORITY             = 5
} aclrtStreamAttr;

/* Kinds of tasks in a graph */
typedef enum aclmdlRITaskType {
	ACL_MODEL_RI_TASK_DEFAULT      = 0,
	ACL_MODEL_RI_TASK_KERNEL       = 1,
	ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
	ACL_MODEL_RI_TASK_EVENT_WAIT   = 3,
	ACL_MODEL_RI_TASK_EVENT_RESET  = 4,
	ACL_MODEL_RI_TASK_VALUE_WRITE  = 5,
	ACL_MODEL_RI_TASK_VALUE_WAIT   = 6
} aclmdlRITaskType;

/* Attributes for aclrtGetDeviceInfo() */
typedef enum aclrtDevAttr {
	ACL_DEV_ATTR_AICPU_CORE_NUM             = 1,
	ACL_DEV_ATTR_AICORE_CORE_NUM            = 101,
	ACL_DEV_ATTR_CUBE_CORE_NUM              = 102,
	ACL_DEV_ATTR_VECTOR_CORE_NUM            = 201,
	ACL_DEV_ATTR_WARP_SIZE                  = 202,
	ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
	ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE  = 204,
	ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE       = 204,
	ACL_DEV_ATTR_MAX_GRID_DIM_X             = 205,
	ACL_DEV_ATTR_MAX_GRID_DIM_Y             = 206,
	ACL_DEV_ATTR_MAX_GRID_DIM_Z             = 207,
	ACL_DEV_ATTR_MAX_BLOCK_PER_GRID         = 208,
	ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK      = 209,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_X            = 210,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Y            = 211,
	ACL_DEV_ATTR_MAX_BLOCK_DIM_Z            = 212,
	ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE      = 301,
	ACL_DEV_ATTR_L2_CACHE_SIZE              = 302,
	ACL_DEV_ATTR_SMP_ID                     = 401,
	ACL_DEV_ATTR_PHY_CHIP_ID                = 402,
	ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID        = 403,
	ACL_DEV_ATTR_SUPER_POD_DEVICE_ID        = 403,
	ACL_DEV_ATTR_SUPER_POD_SERVER_ID        = 404,
	ACL_DEV_ATTR_SUPER_POD_ID               = 405,
	ACL_DEV_ATTR_CUST_OP_PRIVILEGE          = 406,
	ACL_DEV_ATTR_MAINBOARD_ID               = 407,
	ACL_DEV_ATTR_HD_CONNECT_TYPE            = 408,
	ACL_DEV_ATTR_DEVICE_FORM_FACTOR         = 409,
	ACL_DEV_ATTR_IS_VIRTUAL                 = 501,
	ACL_DEV_ATTR_NPU_ARCH                   = 601
} aclrtDevAttr;

/* Features, see aclrtGetDeviceCapability() */
typedef enum aclrtDevFeatureType {
	ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
	ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV       = 21
} aclrtDevFeatureType;

/* Operations of aclrtReduceAsync() */
typedef enum aclrtReduceKind {
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM   = 10,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX   = 11,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN   = 12,
	ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;

/* Resources that can be limited */
typedef enum aclrtDevResLimitType {
	ACL_RT_DEV_RES_CUBE_CORE   = 0,
	ACL_RT_DEV_RES_VECTOR_CORE = 1
} aclrtDevResLimitType;

/* Comparisons */
typedef enum aclrtCondition {
	ACL_RT_EQUAL            = 0,
	ACL_RT_NOT_EQUAL        = 1,
	ACL_RT_GREATER          = 2,
	ACL_RT_GREATER_OR_EQUAL = 3,
	ACL_RT_LESS             = 4,
	ACL_RT_LESS_OR_EQUAL    = 5
} aclrtCondition;

/* Types for aclrtSwitchStream() */
typedef enum aclrtCompareDataType {
	ACL_RT_SWITCH_INT32 = 0,
	ACL_RT_SWITCH_INT64 = 1
} aclrtCompareDataType;

/* Distributions of random numbers */
typedef enum aclrtRandomNumFuncType {
	ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK      = 0,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS          = 1,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS           = 2,
	ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

/* When an abort hook runs */
typedef enum aclrtDeviceTaskAbortStage {
	ACL_RT_DEVICE_TASK_ABORT_PRE  = 0,
	ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;

/* Kinds of changes by aclrtTaskUpdateAsync() */
typedef enum aclrtUpdateTaskAttrId {
	ACL_RT_UPDATE_RANDOM_TASK  = 1,
	ACL_RT_UPDATE_AIC_AIV_TASK = 2
} aclrtUpdateTaskAttrId;

/* When a device hook runs */
typedef enum aclrtDeviceState {
	ACL_RT_DEVICE_STATE_SET_PRE    = 0,
	ACL_RT_DEVICE_STATE_SET_POST   = 1,
	ACL_RT_DEVICE_STATE_RESET_PRE  = 2,
	ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;

/* When a snapshot hook runs */
typedef enum aclrtSnapShotStage {
	ACL_RT_SNAPSHOT_LOCK_PRE     = 0,
	ACL_RT_SNAPSHOT_BACKUP_PRE   = 1,
	ACL_RT_SNAPSHOT_BACKUP_POST  = 2,
	ACL_RT_SNAPSHOT_RESTORE_PRE  = 3,
	ACL_RT_SNAPSHOT_RESTORE_POST = 4,
	ACL_RT_SNAPSHOT_UNLOCK_POST  = 5
} aclrtSnapShotStage;

/* When a stream hook runs */
typedef enum aclrtStreamState {
	ACL_RT_STREAM_STATE_CREATE_POST = 1,
	ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;

/* Attributes for aclrtGetFunctionAttribute() */
typedef enum aclrtFuncAttribute {
	ACL_FUNC_ATTR_KERNEL_TYPE       = 1,
	ACL_FUNC_ATTR_KERNEL_RATIO      = 2,
	ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3
} aclrtFuncAttribute;

/* Kinds of kernels */
typedef enum aclrtKernelType {
	ACL_KERNEL_TYPE_AICORE = 0,
	ACL_KERNEL_TYPE_CUBE   = 1,
	ACL_KERNEL_TYPE_VECTOR = 2,
	ACL_KERNEL_TYPE_MIX    = 3,
	ACL_KERNEL_TYPE_AICPU  = 100
} aclrtKernelType;

/* The effect of a record on a counting notify */
typedef enum aclrtCntNotifyRecordMode {
	ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
	ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE       = 1,
	ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE    = 2,
	ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE   = 4
} aclrtCntNotifyRecordMode;

/* The comparison of a wait */
typedef enum aclrtCntNotifyWaitMode {
	ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE               = 0,
	ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE              = 1,
	ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE             = 2,
	ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE    = 3,
	ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4
} aclrtCntNotifyWaitMode;

/* Rights to mapped memory */
typedef enum aclrtMemAccessFlags {
	ACL_RT_MEM_ACCESS_FLAGS_NONE      = 0,
	ACL_RT_MEM_ACCESS_FLAGS_READ      = 1,
	ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;

/* Packages with a version */
typedef enum aclCANNPackageName {
	ACL_PKG_NAME_CANN       = 0,
	ACL_PKG_NAME_RUNTIME    = 1,
	ACL_PKG_NAME_COMPILER   = 2,
	ACL_PKG_NAME_HCCL       = 3,
	ACL_PKG_NAME_TOOLKIT    = 4,
	ACL_PKG_NAME_OPP        = 5,
	ACL_PKG_NAME_OPP_KERNEL = 6,
	ACL_PKG_NAME_DRIVER     = 7
} aclCANNPackageName;

/* Engines of a device */
typedef enum aclrtHacType {
	ACL_RT_HAC_TYPE_STARS   = 0,
	ACL_RT_HAC_TYPE_AICPU   = 1,
	ACL_RT_HAC_TYPE_AIC     = 2,
	ACL_RT_HAC_TYPE_AIV     = 3,
	ACL_RT_HAC_TYPE_PCIEDMA = 4,
	ACL_RT_HAC_TYPE_RDMA    = 5,
	ACL_RT_HAC_TYPE_SDMA    = 6,
	ACL_RT_HAC_TYPE_DVPP    = 7,
	ACL_RT_HAC_TYPE_UDMA    = 8,
	ACL_RT_HAC_TYPE_CCU     = 9
} aclrtHacType;

/* Can an engine reach host memory */
typedef enum aclrtHostMemMapCapability {
	ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
	ACL_RT_HOST_MEM_MAP_SUPPORTED     = 1
} aclrtHostMemMapCapability;

/* Links between devices */
typedef enum aclrtMemLinkType {
	ACL_RT_MEM_ACCESS_LINK_SIO           = 0,
	ACL_RT_MEM_ACCESS_LINK_HCCS          = 1,
	ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH   = 2,
	ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3
} aclrtMemLinkType;

/* Widths and types of an atomic operation, bits */
typedef enum aclrtAtomicOperationCapability {
	ACL_RT_ATOMIC_CAPABILITY_SIGNED     = 1,
	ACL_RT_ATOMIC_CAPABILITY_UNSIGNED   = 2,
	ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 4,
	ACL_RT_ATOMIC_CAPABILITY_REDUCTION  = 4,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR8    = 8,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR16   = 16,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR32   = 32,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR64   = 64,
	ACL_RT_ATOMIC_CAPABILITY_SCALAR128  = 128,
	ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 256
} aclrtAtomicOperationCapability;

/* Atomic operations */
typedef enum aclrtAtomicOperation {
	ACL_RT_ATOMIC_OPERATION_INTEGER_ADD       = 0,
	ACL_RT_ATOMIC_OPERATION_INTEGER_MIN       = 1,
	ACL_RT_ATOMIC_OPERATION_INTEGER_MAX       = 2,
	ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
	ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
	ACL_RT_ATOMIC_OPERATION_AND               = 5,
	ACL_RT_ATOMIC_OPERATION_OR                = 6,
	ACL_RT_ATOMIC_OPERATION_XOR               = 7,
	ACL_RT_ATOMIC_OPERATION_EXCHANGE          = 8,
	ACL_RT_ATOMIC_OPERATION_CAS               = 9,
	ACL_RT_ATOMIC_OPERATION_FLOAT_ADD         = 10,
	ACL_RT_ATOMIC_OPERATION_FLOAT_MIN         = 11,
	ACL_RT_ATOMIC_OPERATION_FLOAT_MAX         = 12,
	ACL_RT_ATOMIC_OPERATION_DMA_ADD           = 30,
	ACL_RT_ATOMIC_OPERATION_DMA_MIN           = 31,
	ACL_RT_ATOMIC_OPERATION_DMA_MAX           = 32,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD   = 40,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN   = 41,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX   = 42,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS   = 43,
	ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH  = 44
} aclrtAtomicOperation;

/* Flags of a condition */
typedef enum aclmdlRICondHandleFlag {
	ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1
} aclmdlRICondHandleFlag;

/* Kinds of conditional tasks */
typedef enum aclmdlRICondTaskType {
	ACL_MODEL_RI_COND_TYPE_IF     = 0,
	ACL_MODEL_RI_COND_TYPE_WHILE  = 1,
	ACL_MODEL_RI_COND_TYPE_SWITCH = 2
} aclmdlRICondTaskType;

/* Limits of a device */
typedef enum aclrtDeviceLimit {
	ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE                = 0,
	ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE       = 1,
	ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE                = 2,
	ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
	ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE          = 4
} aclrtDeviceLimit;

/* Whose init or finalize hook */
typedef enum aclRegisterCallbackType {
	ACL_REG_TYPE_ACL_MODEL       = 0,
	ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
	ACL_REG_TYPE_ACL_OP_CBLAS    = 2,
	ACL_REG_TYPE_ACL_OP_COMPILER = 3,
	ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
	ACL_REG_TYPE_ACL_TDT_QUEUE   = 5,
	ACL_REG_TYPE_ACL_DVPP        = 6,
	ACL_REG_TYPE_ACL_RETR        = 7,
	ACL_REG_TYPE_OTHER           = 65535
} aclRegisterCallbackType;

/* State of a process for snapshots */
typedef enum aclrtProcessState {
	ACL_RT_PROCESS_STATE_RUNNING = 0,
	ACL_RT_PROCESS_STATE_LOCKED  = 1
} aclrtProcessState;

#ifdef __cplusplus
}
#endif

#endif /* _ACL_RT_TYPES_H_ */
