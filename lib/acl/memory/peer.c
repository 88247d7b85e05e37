// SPDX-License-Identifier: MIT
/*
 * Peer access. Where it is open, a device has the other's memory in its address space (peermap.c),
 * for operators, tasks and copies. Without it, copies between devices go through the host's memory.
 */
#include <errno.h>

#include "memory/memory.h"

static aclError check_device(const char *name, int32_t id)
{
	char why[256];
	int n = anpu_device_count(why, sizeof(why));

	if (id >= 0 && id < n && id < ANPU_MAX_DEVICES)
		return ACL_SUCCESS;
	return acl_fail(anpu_device_error(n, ACL_ERROR_RT_INVALID_DEVICEID),
			"%s is %d, which does not exist: %s", name, id,
			n < 0 ? why : "numbers go from 0 to aclrtGetDeviceCount() - 1");
}

/* The devices exist; the thread's device with a reference, if @peer is another one */
static aclError check_peer(int32_t peer, struct anpu_device **self)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	ret = check_device("peerDeviceId", peer);
	if (!ret && peer == ctx->obj.dev->id)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "peerDeviceId is %d, the device that this thread uses itself", peer);
	*self = ctx->obj.dev;
	if (!ret)
		anpu_device_get(*self);
	anpu_context_put(ctx);
	return ret;
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(canAccessPeer);
	ret = check_device("deviceId", deviceId);
	if (!ret)
		ret = check_device("peerDeviceId", peerDeviceId);
	if (!ret)
		*canAccessPeer = deviceId != peerDeviceId;
	return ret;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
	struct anpu_device *self;
	aclError ret;
	int err;

	ACL_ENTER();
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#x and must be 0", flags);
	ret = check_peer(peerDeviceId, &self);
	if (ret)
		return ret;
	err = anpu_peer_open(self, peerDeviceId);
	if (err)
		ret = anpu_fail_ioctl(self, err, "mapping a peer's memory");
	anpu_device_put(self);
	return ret;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
	struct anpu_device *self;
	aclError ret;

	ACL_ENTER();
	ret = check_peer(peerDeviceId, &self);
	if (ret)
		return ret;
	if (!anpu_peer_close(self, peerDeviceId))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "access from device %d to device %d is not open: "
			       "aclrtDeviceEnablePeerAccess() was not called",
			       self->id, peerDeviceId);
	anpu_device_put(self);
	return ret;
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)
{
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(status);
	ret = check_device("deviceId", deviceId);
	if (!ret)
		ret = check_device("peerDeviceId", peerDeviceId);
	if (!ret)
		*status = anpu_peer_is_open(deviceId, peerDeviceId);
	return ret;
}

/* The program's number of the device at a PCI address, or -1 if it does not see that */
static int id_of(uint64_t pci_address)
{
	char why[256];
	int n = anpu_device_count(why, sizeof(why)), i, found = -1;

	for (i = 0; i < n && i < ANPU_MAX_DEVICES && found < 0; i++) {
		struct anpu_device *dev = anpu_device_open(i);

		if (!dev)
			continue;
		if (dev->info.pci_address == pci_address)
			found = i;
		anpu_device_close(dev);
	}
	return found;
}

aclError anpu_peer_open_by_pci(struct anpu_device *dev, uint64_t pci_address)
{
	int id = id_of(pci_address);
	int err = id < 0 ? 0 : anpu_peer_open(dev, id);

	return err ? anpu_fail_ioctl(dev, err, "mapping a peer's memory") : ACL_SUCCESS;
}

/* Access lets a device map a peer's memory at once: there is nothing left to be done here */
static aclError check_map(void *devPtr, size_t size, int32_t dst, const struct anpu_mem *mem)
{
	struct anpu_device *dev;
	aclError ret = ACL_SUCCESS;

	if (mem->place != ANPU_PLACE_DEVICE)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"devPtr is %p, which is not the memory of a device", devPtr);
	if (mem->dev->id == dst)
		return ACL_SUCCESS;
	if (!anpu_peer_is_open(dst, mem->dev->id))
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"access from device %d to device %d, whose memory devPtr %p is, is not "
				"open: call aclrtDeviceEnablePeerAccess(%d, 0) with device %d set",
				dst, mem->dev->id, devPtr, mem->dev->id, dst);
	dev = anpu_device_find(dst);
	if (!dev || !anpu_peer_reaches(dev, mem, 0))
		ret = acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			       "device %d cannot have the %zu bytes at %p, memory of device %d, in its "
			       "address space: they have no rights there, are mapped in pieces, or the "
			       "devices do not reach each other; aclrtMemcpy() copies between them",
			       dst, size, devPtr, mem->dev->id);
	if (dev)
		anpu_device_put(dev);
	return ret;
}

aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags)
{
	struct anpu_mem mem;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(devPtr);
	if (!size || flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"size is %zu and must not be 0, flags is %#llx and must be 0", size,
				(unsigned long long)flags);
	ret = check_device("dstDevId", dstDevId);
	if (!ret)
		ret = anpu_mem_look(devPtr, size, "devPtr", &mem);
	if (ret)
		return ret;
	ret = check_map(devPtr, size, dstDevId, &mem);
	anpu_mem_done(&mem);
	return ret;
}

bool anpu_peer_reaches(const struct anpu_device *dev, const struct anpu_mem *mem, uint32_t rights)
{
	uint32_t has = mem->pieces ? 0 : anpu_peer_rights(mem->region, dev);

	return has && (has & rights) == rights;
}
