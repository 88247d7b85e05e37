// SPDX-License-Identifier: MIT
/*
 * Queries about a device, whether this process uses it or not.
 */
#include <stdio.h>
#include <string.h>

#include <anpu/anpu_isa.h>

#include "device/device.h"

/* Opens a device to ask it something; the caller closes it with anpu_device_close() */
static aclError open_for_question(int32_t id, struct anpu_device **dev)
{
	*dev = anpu_device_open(id);
	return *dev ? ACL_SUCCESS : acl_last_failure();
}

/* Kernels are compiled for the chip that the device is called, and find the UB of that generation. */
static int64_t ub_bytes(void)
{
	const char *name = acl_soc_name() ?: "";

	if (!strncmp(name, "Ascend310P", strlen("Ascend310P")))
		return ANPU_UB_2002;
	return strncmp(name, "Ascend950", strlen("Ascend950")) ? ANPU_UB_2201 : ANPU_UB_3510;
}

#define HAS_NOT -1 /* the device has no such thing */
#define UNKNOWN -2

/* Devices since 1.6: any axis of a grid may have all of its blocks, any of a block all of its threads. */
static int64_t of_threads(const struct drm_anpu_info *info, aclrtDevAttr attr)
{
	switch (attr) {
	case ACL_DEV_ATTR_WARP_SIZE:
		return ANPU_WARP_SIZE;
	case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
		return ANPU_MAX_SPAWN;
	case ACL_DEV_ATTR_MAX_GRID_DIM_X:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
		return info->max_blocks;
	default:
		return ANPU_MAX_THREADS;
	}
}

static int64_t attribute(const struct anpu_device *dev, aclrtDevAttr attr)
{
	const struct drm_anpu_info *info = &dev->info;

	switch (attr) {
	case ACL_DEV_ATTR_AICPU_CORE_NUM:
	case ACL_DEV_ATTR_L2_CACHE_SIZE:
		return 0;
	case ACL_DEV_ATTR_AICORE_CORE_NUM:
	case ACL_DEV_ATTR_CUBE_CORE_NUM:
		return info->cores;
	case ACL_DEV_ATTR_VECTOR_CORE_NUM:
		return info->vector_cores;
	case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
		return ub_bytes();
	case ACL_DEV_ATTR_MAX_BLOCK_PER_GRID:
		return info->max_blocks;
	case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
		return info->hbm_size;
	case ACL_DEV_ATTR_PHY_CHIP_ID:
		return dev->machine;
	case ACL_DEV_ATTR_HD_CONNECT_TYPE:
		return ACL_HOST_DEVICE_CONNECT_TYPE_PCIE;
	case ACL_DEV_ATTR_DEVICE_FORM_FACTOR:
		return ACL_DEVICE_FORM_FACTOR_PCIE_CARD;
	case ACL_DEV_ATTR_IS_VIRTUAL:
		return 1;
	case ACL_DEV_ATTR_WARP_SIZE:
	case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
	case ACL_DEV_ATTR_MAX_GRID_DIM_X:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Y:
	case ACL_DEV_ATTR_MAX_GRID_DIM_Z:
	case ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_X:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_Y:
	case ACL_DEV_ATTR_MAX_BLOCK_DIM_Z:
		return info->flags & DRM_ANPU_INFO_LAUNCH ? of_threads(info, attr) : HAS_NOT;
	case ACL_DEV_ATTR_SMP_ID:
	case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
	case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
	case ACL_DEV_ATTR_SUPER_POD_ID:
	case ACL_DEV_ATTR_CUST_OP_PRIVILEGE:
	case ACL_DEV_ATTR_MAINBOARD_ID:
	case ACL_DEV_ATTR_NPU_ARCH:
		return HAS_NOT;
	default:
		return UNKNOWN;
	}
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
	struct anpu_device *dev;
	int64_t v;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	ret = open_for_question(deviceId > INT32_MAX ? -1 : (int32_t)deviceId, &dev);
	if (ret)
		return ret;
	v = attribute(dev, attr);
	anpu_device_close(dev);
	if (v == UNKNOWN)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "attr is %d, which is none of ACL_DEV_ATTR_*",
				(int)attr);
	if (v == HAS_NOT)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"attribute %d is of something that this device does not have",
				(int)attr);
	*value = v;
	return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
	static const aclrtDevAttr attr[] = {
		[ACL_DEVICE_INFO_AI_CORE_NUM] = ACL_DEV_ATTR_AICORE_CORE_NUM,
		[ACL_DEVICE_INFO_VECTOR_CORE_NUM] = ACL_DEV_ATTR_VECTOR_CORE_NUM,
		[ACL_DEVICE_INFO_L2_SIZE] = ACL_DEV_ATTR_L2_CACHE_SIZE,
	};
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	if ((int)deviceInfo < 0 || (size_t)deviceInfo >= ARRAY_SIZE(attr))
		return acl_fail(ACL_ERROR_INVALID_PARAM, "deviceInfo is %d and must be 0 to %zu",
				(int)deviceInfo, ARRAY_SIZE(attr) - 1);
	ret = open_for_question(deviceId > INT32_MAX ? -1 : (int32_t)deviceId, &dev);
	if (ret)
		return ret;
	*value = attribute(dev, attr[deviceInfo]);
	anpu_device_close(dev);
	return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
	struct drm_anpu_memory_info info;
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_MEMORY,
		.size = sizeof(info),
		.pointer = (uintptr_t)&info,
	};
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(deviceStatus);
	ret = open_for_question(deviceId, &dev);
	if (ret)
		return ret;
	*deviceStatus = anpu_ioctl(dev, DRM_IOCTL_ANPU_DEV_QUERY, &q)
				? ACL_RT_DEVICE_STATUS_ABNORMAL
				: ACL_RT_DEVICE_STATUS_NORMAL;
	anpu_device_close(dev);
	return ACL_SUCCESS;
}

/* How busy a device was when it was asked about last, by its number; 0 before */
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static struct drm_anpu_busy_info busy_before[ANPU_MAX_DEVICES];

static int32_t percent(uint64_t part, double whole)
{
	double p = whole > 0 ? 100.0 * (double)part / whole + 0.5 : 0;

	return p > 100 ? 100 : (int32_t)p;
}

/*
 * Busy time since the last call, or since the device was switched on if it was plugged in since
 * then
 */
static aclError core_rates(struct anpu_device *dev, aclrtUtilizationInfo *out)
{
	struct drm_anpu_busy_info now, *last = &busy_before[dev->id];
	struct drm_anpu_dev_query q = {
		.type = DRM_ANPU_QUERY_BUSY,
		.size = sizeof(now),
		.pointer = (uintptr_t)&now,
	};
	double whole;
	int err;

	if (!(dev->info.flags & DRM_ANPU_INFO_BUSY))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"aclrtGetDeviceUtilizationRate() needs a driver and a device of "
				"version 1.5, and device %d has older ones", dev->id);
	pthread_mutex_lock(&busy_lock);
	err = anpu_ioctl(dev, DRM_IOCTL_ANPU_DEV_QUERY, &q);
	if (!err) {
		if (now.device_ns < last->device_ns || now.cube_ns < last->cube_ns ||
		    now.vector_ns < last->vector_ns)
			*last = (struct drm_anpu_busy_info){ 0 };
		whole = (double)dev->info.cores * (double)(now.device_ns - last->device_ns);
		out->cubeUtilization = percent(now.cube_ns - last->cube_ns, whole);
		out->vectorUtilization = percent(now.vector_ns - last->vector_ns, whole);
		*last = now;
	}
	pthread_mutex_unlock(&busy_lock);
	return err ? anpu_fail_ioctl(dev, err, "asking how busy the device is") : ACL_SUCCESS;
}

static aclError memory_rate(struct anpu_device *dev, aclrtUtilizationInfo *out)
{
	struct drm_anpu_memory_info info;
	aclError ret = anpu_memory_info(dev, &info);

	if (ret)
		return ret;
	out->memoryUtilization = percent(info.hbm_total - info.hbm_free, (double)info.hbm_total);
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
	aclrtUtilizationInfo rates = { 0 };
	struct anpu_device *dev;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(utilizationInfo);
	ret = open_for_question(deviceId, &dev);
	if (ret)
		return ret;
	ret = core_rates(dev, &rates);
	if (!ret)
		ret = memory_rate(dev, &rates);
	anpu_device_close(dev);
	if (ret)
		return ret;
	rates.utilizationExtend = utilizationInfo->utilizationExtend; /* reserved */
	*utilizationInfo = rates;
	return ACL_SUCCESS;
}

static void bus_id(const struct anpu_device *dev, char *text, size_t size)
{
	uint64_t p = dev->info.pci_address;

	snprintf(text, size, "%04x:%02x:%02x.%x", (unsigned int)(p >> 32),
		 (unsigned int)(p >> 16 & 0xff), (unsigned int)(p >> 8 & 0xff),
		 (unsigned int)(p & 0xff));
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
	struct anpu_device *dev;
	char text[32];
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(pciBusId);
	ret = open_for_question(deviceId, &dev);
	if (ret)
		return ret;
	bus_id(dev, text, sizeof(text));
	anpu_device_close(dev);
	if (len < 0 || strlen(text) >= (size_t)len)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"len is %d and the bus id '%s' needs %zu bytes", len, text,
				strlen(text) + 1);
	strcpy(pciBusId, text);
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
	struct anpu_device *dev;
	char text[32], why[256];
	int32_t id, count;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(pciBusId);
	ACL_CHECK_PTR(deviceId);
	count = anpu_device_count(why, sizeof(why));
	for (id = 0; id < count; id++) {
		ret = open_for_question(id, &dev);
		if (ret)
			return ret;
		bus_id(dev, text, sizeof(text));
		anpu_device_close(dev);
		if (!strcasecmp(text, pciBusId)) {
			*deviceId = id;
			return ACL_SUCCESS;
		}
	}
	return acl_fail(anpu_device_error(count, ACL_ERROR_RT_INVALID_DEVICEID),
			"no ANPU has the PCI address '%s'%s%s", pciBusId, count < 0 ? ": " : "", count < 0 ? why : "");
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority, int32_t *greatestPriority)
{
	struct anpu_context *ctx;
	aclError ret;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(leastPriority);
	ACL_CHECK_PTR(greatestPriority);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	anpu_context_put(ctx);
	*leastPriority = DRM_ANPU_PRIORITIES - 1;
	*greatestPriority = 0;
	return ACL_SUCCESS;
}
