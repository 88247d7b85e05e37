// SPDX-License-Identifier: MIT
/*
 * Peer access. Devices exchange data by copies, which go through the host's memory and need no
 * permission; what a program opens and closes here is remembered, and answered.
 */
#include "anpu_lib.h"

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
