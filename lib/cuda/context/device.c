// SPDX-License-Identifier: MIT
/* Devices and their properties. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>
#include <anpu/anpu_packet.h>

#include "cuda/context/context.h"
#include "cuda/stream/stream.h"

CUresult cu_check_device(CUdevice dev)
{
	uint32_t count = 0;
	CUresult ret = cu_code(aclrtGetDeviceCount(&count));

	if (ret)
		return ret;
	if (dev < 0 || (uint32_t)dev >= count)
		return cu_fail(CUDA_ERROR_INVALID_DEVICE, "device %d does not exist: there are %u, from 0 on", dev,
			       count);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	uint32_t n = 0;
	aclError err;

	CU_ENTER();
	CU_CHECK_PTR(count);
	err = aclrtGetDeviceCount(&n);
	*count = (int)n;
	return cu_code(err);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(device);
	ret = cu_check_device(ordinal);
	if (!ret)
		*device = ordinal;
	return ret;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(name);
	if (len <= 0)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "len is %d and must be above 0", len);
	ret = cu_check_device(dev);
	if (!ret)
		snprintf(name, (size_t)len, "ANPU %s", aclrtGetSocName());
	return ret;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	aclrtUuid id;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(uuid);
	ret = cu_check_device(dev);
	if (!ret)
		ret = cu_code(aclrtDeviceGetUuid(dev, &id));
	if (!ret)
		memcpy(uuid->bytes, id.bytes, sizeof(uuid->bytes));
	return ret;
}

/* One number of libacl's; 0 for what it does not have */
static int64_t info(CUdevice dev, aclrtDevAttr attr)
{
	int64_t v = 0;

	return aclrtGetDeviceInfo((uint32_t)dev, attr, &v) ? 0 : v;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
	int64_t v = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(bytes);
	ret = cu_check_device(dev);
	if (!ret)
		ret = cu_code(aclrtGetDeviceInfo((uint32_t)dev, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &v));
	if (!ret)
		*bytes = (size_t)v;
	return ret;
}

static int pci(CUdevice dev, CUdevice_attribute attrib)
{
	unsigned int domain = 0, bus = 0, device = 0;
	char id[32] = "";

	if (aclrtDeviceGetPCIBusId(dev, id, sizeof(id)) || sscanf(id, "%x:%x:%x", &domain, &bus, &device) != 3)
		return 0;
	return (int)(attrib == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID ? domain
		     : attrib == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID	 ? bus
								 : device);
}

/* Does the device run threads in a block */
static bool has_threads(CUdevice dev)
{
	return info(dev, ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK) > 1;
}

/* Attributes that are the same for all devices of this kind; INT_MIN: depends on the device */
static int constant(CUdevice_attribute attrib)
{
	switch ((int)attrib) {
	case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
	case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
		return INT_MAX;
	case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
	case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
	case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
		return 64;
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: /* kHz: the device's clock counts nanoseconds */
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
		return 1000000;
	case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
		return 64;
	case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY: /* constants are in the module's memory */
		return 65536;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: /* 32 integer and 32 floating-point ones a thread */
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
		return 64 * 1024;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
		return CU_COMPUTEMODE_DEFAULT;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: /* clusters and what launches have since that one */
		return 9;
	case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
		return 2;
	case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
		return CU_SYNC_DOMAINS;
	case CU_DEVICE_ATTRIBUTE_NUMA_ID:
	case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
		return -1;
	case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
	case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
	case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
	case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
	case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
	case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
	case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
	case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V2:
	case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V2:
	case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
	case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
	case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
		return 1;
	case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:
		return CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
	default:
		return 0; /* what this device does not have */
	}
}

static int attribute(CUdevice_attribute attrib, CUdevice dev)
{
	bool threads = has_threads(dev);

	switch ((int)attrib) {
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
		return threads ? (int)info(dev, ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK) : 1;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
		return threads ? (int)info(dev, ACL_DEV_ATTR_WARP_SIZE) : 1;
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
	case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
		return (int)info(dev, ACL_DEV_ATTR_MAX_BLOCK_PER_GRID);
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
		return (int)info(dev, ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE);
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
		return (int)info(dev, ACL_DEV_ATTR_AICORE_CORE_NUM);
	case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
		return threads;
	case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
	case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
	case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
		return pci(dev, attrib);
	default:
		return constant(attrib);
	}
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pi);
	if ((int)attrib < 1 || attrib >= CU_DEVICE_ATTRIBUTE_MAX)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attrib is %d and must be 1 to %d", (int)attrib,
			       (int)CU_DEVICE_ATTRIBUTE_MAX - 1);
	ret = cu_check_device(dev);
	if (!ret)
		*pi = attribute(attrib, dev);
	return ret;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
	CUresult ret;
	int i;

	CU_ENTER();
	CU_CHECK_PTR(prop);
	ret = cu_check_device(dev);
	if (ret)
		return ret;
	memset(prop, 0, sizeof(*prop));
	for (i = 0; i < 3; i++) {
		prop->maxThreadsDim[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, dev);
		prop->maxGridSize[i] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, dev);
	}
	prop->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, dev);
	prop->sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, dev);
	prop->totalConstantMemory = attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, dev);
	prop->SIMDWidth = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, dev);
	prop->memPitch = attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH, dev);
	prop->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, dev);
	prop->clockRate = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, dev);
	prop->textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, dev);
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(major);
	CU_CHECK_PTR(minor);
	ret = cu_check_device(dev);
	if (ret)
		return ret;
	*major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev);
	*minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, dev);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
	int32_t id = 0;
	aclError err;

	CU_ENTER();
	CU_CHECK_PTR(dev);
	CU_CHECK_PTR(pciBusId);
	err = aclrtDeviceGetByPCIBusId(pciBusId, &id);
	if (!err)
		*dev = id;
	return cu_code(err);
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(pciBusId);
	ret = cu_check_device(dev);
	return ret ? ret : cu_code(aclrtDeviceGetPCIBusId(dev, pciBusId, len));
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
	int32_t can = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(canAccessPeer);
	ret = cu_check_device(dev);
	if (!ret)
		ret = cu_check_device(peerDev);
	if (!ret)
		ret = cu_code(aclrtDeviceCanAccessPeer(&can, dev, peerDev));
	if (!ret)
		*canAccessPeer = can;
	return ret;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
	int can = 0;
	CUresult ret;

	CU_ENTER();
	CU_CHECK_PTR(value);
	if (attrib < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK || attrib > CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED)
		return cu_fail(CUDA_ERROR_INVALID_VALUE, "attrib is %d and must be 1 to 4", (int)attrib);
	ret = cuDeviceCanAccessPeer(&can, srcDevice, dstDevice);
	if (!ret && srcDevice == dstDevice)
		ret = cu_fail(CUDA_ERROR_INVALID_DEVICE, "srcDevice and dstDevice are both %d", srcDevice);
	/* the other's memory is mapped, so stores and atomic operations are those of its own; all ways are equal */
	if (!ret)
		*value = (attrib == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
			  attrib == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED) && can;
	return ret;
}
