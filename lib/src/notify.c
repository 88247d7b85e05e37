// SPDX-License-Identifier: MIT
/*
 * Notifies: a record sets a word to 1, a wait takes the 1 away in the same step that sees it.
 */
#include <stdlib.h>

#include "anpu_lib.h"

struct notify {
	struct acl_obj obj;
	struct anpu_slot slot;
	uint32_t number;
};

static _Atomic uint32_t next_number = 1;

static void notify_release(struct acl_obj *obj)
{
	struct notify *n = container_of(obj, struct notify, obj);

	anpu_slot_release(&n->slot);
	free(n);
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	struct anpu_context *ctx;
	struct notify *n;
	aclError ret;
	int err;

	ACL_ENTER();
	ACL_CHECK_PTR(notify);
	if (flag == ACL_NOTIFY_DEVICE_USE_ONLY)
		return acl_fail(
			ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"notifies for the device alone are not built yet: use ACL_NOTIFY_DEFAULT");
	if (flag)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flag is %#llx and must be ACL_NOTIFY_DEFAULT (0)",
				(unsigned long long)flag);
	ret = anpu_context_current(&ctx);
	if (ret)
		return ret;
	n = calloc(1, sizeof(*n));
	if (!n) {
		anpu_context_put(ctx);
		return acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a notify");
	}
	acl_obj_init(&n->obj, ACL_TYPE_NOTIFY, ctx->obj.dev, notify_release);
	anpu_context_put(ctx);
	n->number = atomic_fetch_add(&next_number, 1);
	err = anpu_slot_take(n->obj.dev, &n->slot);
	if (err)
		ret = anpu_fail_ioctl(n->obj.dev, err, "allocating notifies");
	else if (!acl_obj_publish(&n->obj))
		ret = acl_fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "no handle is left for a notify");
	if (ret)
		acl_obj_put(&n->obj);
	else
		*notify = acl_obj_handle(&n->obj);
	return ret;
}

static aclError find_notify(aclrtNotify handle, struct notify **out)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "notify is NULL");
	obj = acl_obj_find(handle, ACL_TYPE_NOTIFY);
	if (!obj)
		return acl_bad_handle(handle, ACL_TYPE_NOTIFY, "notify");
	*out = container_of(obj, struct notify, obj);
	return ACL_SUCCESS;
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	struct acl_obj *obj;

	ACL_ENTER();
	ACL_CHECK_PTR(notify);
	obj = acl_obj_remove(notify, ACL_TYPE_NOTIFY);
	if (!obj)
		return acl_bad_handle(notify, ACL_TYPE_NOTIFY, "notify");
	anpu_slot_give(obj->dev, &container_of(obj, struct notify, obj)->slot);
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	struct notify *n;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(notifyId);
	ret = find_notify(notify, &n);
	if (ret)
		return ret;
	*notifyId = n->number;
	acl_obj_put(&n->obj);
	return ACL_SUCCESS;
}

/* Submits a packet of either kind on the notify's word */
static aclError submit(aclrtNotify notify, aclrtStream stream, union anpu_packet *pkt)
{
	struct anpu_stream *s;
	struct notify *n;
	aclError ret = find_notify(notify, &n);

	if (ret)
		return ret;
	ret = anpu_stream_find(stream, &s);
	if (!ret && s->obj.dev != n->obj.dev) {
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_CONTEXT,
			"notify %p was made for device %d and the stream belongs to device %d",
			notify, n->obj.dev->id, s->obj.dev->id);
		anpu_stream_put(s);
	} else if (!ret) {
		if (pkt->hdr.opcode == ANPU_OP_SEM_WAIT)
			pkt->sem_wait.addr = n->slot.va;
		else
			pkt->sem_signal.addr = n->slot.va;
		ret = anpu_stream_submit(s, pkt, NULL);
		anpu_stream_put(s);
	}
	acl_obj_put(&n->obj);
	return ret;
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	union anpu_packet pkt = anpu_signal_packet(0, 1, 0, ANPU_SEM_SET);

	ACL_ENTER();
	return submit(notify, stream, &pkt);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
	union anpu_packet pkt = { .sem_wait = {
					  .hdr = { .opcode = ANPU_OP_SEM_WAIT,
						   .flags = ANPU_SEM_CLEAR },
					  .value = 1,
					  .mask = UINT64_MAX,
					  .cond = ANPU_SEM_EQ,
					  .width = 8,
					  .timeout_us = timeout ? timeout * 1000000ULL
								: ANPU_TIMEOUT_NEVER,
				  } };

	ACL_ENTER();
	return submit(notify, stream, &pkt);
}
