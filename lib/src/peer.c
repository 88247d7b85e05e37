// SPDX-License-Identifier: MIT
/*
 * Peer access. Devices exchange data by copies, which go through the host's memory and need no
 * permission. Where peer access is open, one of the two devices makes a large copy itself: for that
 * time it has the other's memory in its address space, at the same address.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "anpu_lib.h"

/* Below that, the detour by the host's memory takes less than import and mapping. */
#define PEER_MIN (256 << 10)

/* Copies one after the other: the mapping that they make is at a fixed address. */
static pthread_mutex_t copy_lock = PTHREAD_MUTEX_INITIALIZER;

/* peers[a][b]: device a may reach the memory of device b */
static atomic_bool peers[ANPU_MAX_DEVICES][ANPU_MAX_DEVICES];

void anpu_peers_forget(int id)
{
	int i;

	for (i = 0; i < ANPU_MAX_DEVICES; i++)
		atomic_store(&peers[id][i], false);
}

static aclError check_device(const char *name, int32_t id)
{
	char why[256];
	int n = anpu_device_count(why, sizeof(why));

	if (id >= 0 && id < n && id < ANPU_MAX_DEVICES)
		return ACL_SUCCESS;
	return acl_fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s is %d, which does not exist: %s", name,
			id, n < 0 ? why : "numbers go from 0 to aclrtGetDeviceCount() - 1");
}

/* The devices exist; the thread's device, with another one */
static aclError check_peer(int32_t peer, int *self)
{
	struct anpu_context *ctx;
	aclError ret = anpu_context_current(&ctx);

	if (ret)
		return ret;
	*self = ctx->obj.dev->id;
	anpu_context_put(ctx);
	ret = check_device("peerDeviceId", peer);
	if (!ret && peer == *self)
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "peerDeviceId is %d, the device that this thread uses itself", peer);
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
	aclError ret;
	int self;

	ACL_ENTER();
	if (flags)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "flags is %#x and must be 0", flags);
	ret = check_peer(peerDeviceId, &self);
	if (!ret)
		atomic_store(&peers[self][peerDeviceId], true);
	return ret;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
	aclError ret;
	int self;

	ACL_ENTER();
	ret = check_peer(peerDeviceId, &self);
	if (!ret && !atomic_exchange(&peers[self][peerDeviceId], false))
		ret = acl_fail(ACL_ERROR_RT_PARAM_INVALID,
			       "access from device %d to device %d is not open: "
			       "aclrtDeviceEnablePeerAccess() was not called",
			       self, peerDeviceId);
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
		*status = atomic_load(&peers[deviceId][peerDeviceId]);
	return ret;
}

/* What the region's own device may do with it: the other one may not do more */
static uint32_t rights_of(const struct anpu_region *region)
{
	switch (region->kind) {
	case ANPU_REGION_BIG:
	case ANPU_REGION_SLAB:
	case ANPU_REGION_POOL:
		return DRM_ANPU_VM_READ | DRM_ANPU_VM_WRITE;
	case ANPU_REGION_MAPPED:
		return region->rights;
	default:
		return 0;
	}
}

/* The other device's object, in the address space of @dev, at its own address */
static int map_peer(struct anpu_device *dev, const struct anpu_region *region, uint32_t *gem)
{
	struct drm_prime_handle prime = {
		.handle = region->handle,
		.flags = DRM_CLOEXEC | DRM_RDWR,
	};
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_MAP,
		.flags = rights_of(region),
		.va = region->va,
		.size = region->size,
		.offset = region->bo_offset,
	};
	int err = anpu_ioctl(region->dev->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);

	if (err)
		return err;
	err = anpu_import_fd(dev, prime.fd, gem);
	close(prime.fd);
	if (err)
		return err;
	op.handle = *gem;
	err = anpu_vm_bind(dev, &op, 1);
	if (err)
		anpu_import_drop(dev, *gem);
	return err;
}

static int unmap_peer(struct anpu_device *dev, const struct anpu_region *region, uint32_t gem)
{
	struct drm_anpu_vm_bind_op op = {
		.op = DRM_ANPU_VM_UNMAP,
		.va = region->va,
		.size = region->size,
	};
	int err = anpu_vm_bind(dev, &op, 1);

	anpu_import_drop(dev, gem);
	return err;
}

aclError anpu_peer_copy(const struct anpu_mem *dst, const struct anpu_mem *src, uint64_t count,
			bool *done)
{
	bool pull = atomic_load(&peers[dst->dev->id][src->dev->id]);
	const struct anpu_mem *here = pull ? dst : src, *there = pull ? src : dst;
	aclError ret = ACL_SUCCESS;
	uint32_t gem;
	int err, end;

	*done = false;
	if (count < PEER_MIN || there->pieces || !rights_of(there->region) ||
	    !(pull || atomic_load(&peers[src->dev->id][dst->dev->id])))
		return ACL_SUCCESS;
	pthread_mutex_lock(&copy_lock);
	err = map_peer(here->dev, there->region, &gem);
	if (!err) {
		union anpu_packet pkt = {
			.copy = { .hdr.opcode = ANPU_OP_COPY, .dst = dst->addr, .src = src->addr,
				  .size = count },
		};

		ret = anpu_run_packet(here->dev, pkt);
		end = unmap_peer(here->dev, there->region, gem);
		if (!ret && end)
			ret = anpu_fail_ioctl(here->dev, end, "unmapping a peer's memory");
		*done = true;
	} else if (err != -EOPNOTSUPP) {
		ret = anpu_fail_ioctl(here->dev, err, "mapping a peer's memory");
	}
	pthread_mutex_unlock(&copy_lock);
	return ret;
}
