// SPDX-License-Identifier: MIT
/*
 * More that can be asked about devices: which one it is, what lies between two, what it can do, how
 * it failed. See info.c.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* Opens a device to ask it something; the caller closes it with anpu_device_close() */
static aclError open_for_question(int32_t id, struct anpu_device **dev)
{
	*dev = anpu_device_open(id);
	return *dev ? ACL_SUCCESS : acl_last_failure();
}

static aclError check_exists(int32_t id)
{
	struct anpu_device *dev;
	aclError ret = open_for_question(id, &dev);

	if (!ret)
		anpu_device_close(dev);
	return ret;
}

static uint64_t pci_address(int32_t id, aclError *ret)
{
	struct anpu_device *dev;
	uint64_t address;

	*ret = open_for_question(id, &dev);
	if (*ret)
		return 0;
	address = dev->info.pci_address;
	anpu_device_close(dev);
	return address;
}

/* The machine tells devices apart by their kind and PCI address */
aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
	static const uint8_t kind[8] = { 'A', 'N', 'P', 'U', 0x12, 0x34, 0x11, 0xe9 };
	uint64_t address;
	aclError ret;
	int i;

	ACL_ENTER();
	ACL_CHECK_PTR(uuid);
	address = pci_address(deviceId, &ret);
	if (ret)
		return ret;
	memcpy(uuid->bytes, kind, sizeof(kind));
	for (i = 0; i < 8; i++)
		uuid->bytes[8 + i] = (char)(address >> (56 - 8 * i));
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,
				  int32_t *value)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	ret = check_exists(deviceId);
	if (ret)
		return ret;
	if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
	    devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "devFeatureType is %d and must be %d or %d",
				(int)devFeatureType,
				ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV,
				ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV);
	*value = ACL_DEV_FEATURE_NOT_SUPPORT; /* there is no device CPU, and no memory queue */
	return ACL_SUCCESS;
}

/* Between two devices ---------------------------------------------------------------------------- */

/* Of two paths like ".../pci0000:00/0000:00:03.0/0000:01:00.0", what is the same, up to the last '/' */
static size_t common(const char *a, const char *b)
{
	size_t i, end = 0;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			end = i;
	return end;
}

static uint64_t topology(const char *a, const char *b)
{
	const char *root = strstr(a, "/pci");
	size_t same = common(a, b), start;

	if (!root || same <= (size_t)(root - a))
		return ACL_RT_DEVS_TOPOLOGY_SYS; /* under different host bridges */
	start = strcspn(root + 1, "/") + (size_t)(root + 1 - a);
	if (same == start)
		return ACL_RT_DEVS_TOPOLOGY_PHB; /* only the host bridge is common */
	if (!strchr(a + same + 1, '/') && !strchr(b + same + 1, '/'))
		return ACL_RT_DEVS_TOPOLOGY_PIX; /* behind one PCI bridge */
	return ACL_RT_DEVS_TOPOLOGY_PIB;
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
	char a[PATH_MAX], b[PATH_MAX];
	uint64_t first, second = 0;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(value);
	first = pci_address(deviceId > INT32_MAX ? -1 : (int32_t)deviceId, &ret);
	if (!ret)
		second = pci_address(otherDeviceId > INT32_MAX ? -1 : (int32_t)otherDeviceId, &ret);
	if (ret)
		return ret;
	if (deviceId == otherDeviceId)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"deviceId and otherDeviceId are both %u: name two devices", deviceId);
	if (anpu_node_bridges(first, a) || anpu_node_bridges(second, b))
		return acl_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
				"/sys/bus/pci/devices does not have the devices %u and %u", deviceId,
				otherDeviceId);
	*value = topology(a, b);
	return ACL_SUCCESS;
}

static bool operation_exists(aclrtAtomicOperation op)
{
	return (op >= ACL_RT_ATOMIC_OPERATION_INTEGER_ADD &&
		op <= ACL_RT_ATOMIC_OPERATION_FLOAT_MAX) ||
	       (op >= ACL_RT_ATOMIC_OPERATION_DMA_ADD && op <= ACL_RT_ATOMIC_OPERATION_DMA_MAX) ||
	       (op >= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD &&
		op <= ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH);
}

/*
 * Atomic copies of the cores are atomic among themselves, and not with what the CPU or another
 * device does to the same memory: between two of them there are none.
 */
static aclError no_atomics(uint32_t *capabilities, const aclrtAtomicOperation *operations,
			   uint32_t count)
{
	uint32_t i;

	ACL_CHECK_PTR(capabilities);
	ACL_CHECK_PTR(operations);
	if (!count)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "count is 0");
	for (i = 0; i < count; i++)
		if (!operation_exists(operations[i]))
			return acl_fail(ACL_ERROR_INVALID_PARAM,
					"operations[%u] is %d, which is no operation", i,
					(int)operations[i]);
	memset(capabilities, 0, count * sizeof(*capabilities));
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities,
					      const aclrtAtomicOperation *operations,
					      const uint32_t count, int32_t deviceId)
{
	aclError ret;

	ACL_ENTER();
	ret = check_exists(deviceId);
	return ret ? ret : no_atomics(capabilities, operations, count);
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities,
					     const aclrtAtomicOperation *operations,
					     const uint32_t count, int32_t srcDeviceId,
					     int32_t dstDeviceId)
{
	aclError ret;

	ACL_ENTER();
	ret = check_exists(srcDeviceId);
	if (!ret)
		ret = check_exists(dstDeviceId);
	if (!ret && srcDeviceId == dstDeviceId)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "srcDeviceId and dstDeviceId are both %d: name two devices",
			       srcDeviceId);
	return ret ? ret : no_atomics(capabilities, operations, count);
}

/* The thread's device ---------------------------------------------------------------------------- */

static aclError check_current(void)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (!ret)
		anpu_context_put(ctx);
	return ret;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
	ACL_ENTER_SHORT();
	if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "tsId is %d and must be 0 or 1", (int)tsId);
	return check_current(); /* one scheduler has all cores */
}

aclError aclrtDeviceL2CacheFlush(void *rsv)
{
	ACL_ENTER_SHORT();
	if (rsv)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "rsv is %p and must be NULL", rsv);
	return check_current(); /* between the cores and the memory is no cache */
}

/* Failures --------------------------------------------------------------------------------------- */

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
	struct anpu_device *dev;
	aclrtErrorType type;

	ACL_ENTER();
	ACL_CHECK_PTR(errorInfo);
	dev = anpu_device_find(deviceId);
	if (!dev)
		return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID,
				"deviceId is %d, a device that this process does not use", deviceId);
	type = atomic_load(&dev->error_type);
	if (atomic_load(&dev->lost))
		type = ACL_RT_ERROR_OTHERS;
	anpu_device_put(dev);
	*errorInfo = (aclrtErrorInfo){ .errorType = type,
				       .hasDetail = type == ACL_RT_ERROR_AICORE };
	/* no hardware can break here: every failure is one of an operator */
	if (type == ACL_RT_ERROR_AICORE)
		errorInfo->detail.aicoreErrType = ACL_RT_AICORE_ERROR_SW;
	return ACL_SUCCESS;
}
