// SPDX-License-Identifier: MIT
/*
 * Notifies: a record sets a word to 1, a wait takes the 1 away in the same step that sees it.
 * Counting notifies: records change a number of 32 bits, waits compare it.
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

/* The names that messages use */
static const char *noun(enum acl_type type)
{
	return type == ACL_TYPE_NOTIFY ? "notify" : "cntNotify";
}

static aclError create(enum acl_type type, void **handle, uint64_t flag)
{
	struct anpu_context *ctx;
	struct notify *n;
	aclError ret;
	int err;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", noun(type));
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
	acl_obj_init(&n->obj, type, ctx->obj.dev, notify_release);
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
		*handle = acl_obj_handle(&n->obj);
	return ret;
}

static aclError find(enum acl_type type, void *handle, struct notify **out)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", noun(type));
	obj = acl_obj_find(handle, type);
	if (!obj)
		return acl_bad_handle(handle, type, noun(type));
	*out = container_of(obj, struct notify, obj);
	return ACL_SUCCESS;
}

static aclError destroy(enum acl_type type, void *handle)
{
	struct acl_obj *obj;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", noun(type));
	obj = acl_obj_remove(handle, type);
	if (!obj)
		return acl_bad_handle(handle, type, noun(type));
	anpu_slot_give(obj->dev, &container_of(obj, struct notify, obj)->slot);
	acl_obj_put(obj);
	return ACL_SUCCESS;
}

static aclError get_number(enum acl_type type, void *handle, uint32_t *number)
{
	struct notify *n;
	aclError ret;

	if (!number)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "notifyId is NULL");
	ret = find(type, handle, &n);
	if (ret)
		return ret;
	*number = n->number;
	acl_obj_put(&n->obj);
	return ACL_SUCCESS;
}

/* Submits a packet of either kind on the notify's word */
static aclError submit(enum acl_type type, void *handle, aclrtStream stream,
		       union anpu_packet *pkt)
{
	struct anpu_stream *s;
	struct notify *n;
	aclError ret = find(type, handle, &n);

	if (ret)
		return ret;
	ret = anpu_stream_find(stream, &s);
	if (!ret && s->obj.dev != n->obj.dev) {
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_CONTEXT,
			"%s %p was made for device %d and the stream belongs to device %d",
			noun(type), handle, n->obj.dev->id, s->obj.dev->id);
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

static uint64_t wait_limit(uint32_t seconds)
{
	return seconds ? seconds * 1000000ULL : ANPU_TIMEOUT_NEVER;
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	ACL_ENTER();
	return create(ACL_TYPE_NOTIFY, notify, flag);
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	ACL_ENTER();
	return destroy(ACL_TYPE_NOTIFY, notify);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	ACL_ENTER();
	return get_number(ACL_TYPE_NOTIFY, notify, notifyId);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	union anpu_packet pkt = anpu_signal_packet(0, 1, 0, ANPU_SEM_SET);

	ACL_ENTER();
	return submit(ACL_TYPE_NOTIFY, notify, stream, &pkt);
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
					  .timeout_us = wait_limit(timeout),
				  } };

	ACL_ENTER();
	return submit(ACL_TYPE_NOTIFY, notify, stream, &pkt);
}

aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num)
{
	struct notify *n;
	aclError ret = ACL_SUCCESS;
	size_t i;

	ACL_ENTER();
	ACL_CHECK_PTR(notifies);
	if (!num)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "num is 0");
	/* all are looked at before the first one changes */
	for (i = 0; i < num && !ret; i++) {
		ret = find(ACL_TYPE_NOTIFY, notifies[i], &n);
		if (!ret)
			acl_obj_put(&n->obj);
	}
	for (i = 0; i < num && !ret; i++) {
		ret = find(ACL_TYPE_NOTIFY, notifies[i], &n);
		if (ret)
			break;
		__atomic_store_n(&n->slot.cpu->value, 0, __ATOMIC_SEQ_CST);
		acl_obj_put(&n->obj);
	}
	return ret;
}

aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag)
{
	ACL_ENTER();
	return create(ACL_TYPE_CNT_NOTIFY, cntNotify, flag);
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)
{
	ACL_ENTER();
	return destroy(ACL_TYPE_CNT_NOTIFY, cntNotify);
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId)
{
	ACL_ENTER();
	return get_number(ACL_TYPE_CNT_NOTIFY, cntNotify, notifyId);
}

static aclError change(aclrtCntNotify cntNotify, aclrtStream stream, uint32_t op, uint32_t value)
{
	union anpu_packet pkt = anpu_signal_packet(0, value, 0, op);

	pkt.sem_signal.width = 4;
	return submit(ACL_TYPE_CNT_NOTIFY, cntNotify, stream, &pkt);
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)
{
	ACL_ENTER();
	return change(cntNotify, stream, ANPU_SEM_SET, 0);
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
			      aclrtCntNotifyRecordInfo *info)
{
	uint32_t op;

	ACL_ENTER();
	ACL_CHECK_PTR(info);
	switch (info->mode) {
	case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
		op = ANPU_SEM_SET;
		break;
	case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
		op = ANPU_SEM_ADD;
		break;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
		op = ANPU_SEM_OR;
		break;
	case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
		op = ANPU_SEM_AND;
		break;
	default:
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"info->mode is %d and must be 0 (set), 1 (add), 2 (or) or 4 (and)",
				(int)info->mode);
	}
	return change(cntNotify, stream, op, info->value);
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,
				       aclrtCntNotifyWaitInfo *info)
{
	static const uint32_t cond[] = {
		[ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE] = ANPU_SEM_LT,
		[ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE] = ANPU_SEM_EQ,
		[ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE] = ANPU_SEM_GT,
		[ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE] = ANPU_SEM_GE,
		[ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE] = ANPU_SEM_EQ,
	};
	union anpu_packet pkt = { .sem_wait = {
					  .hdr.opcode = ANPU_OP_SEM_WAIT,
					  .mask = UINT32_MAX,
					  .width = 4,
				  } };

	ACL_ENTER();
	ACL_CHECK_PTR(info);
	if ((size_t)info->mode >= ARRAY_SIZE(cond))
		return acl_fail(ACL_ERROR_INVALID_PARAM, "info->mode is %d and must be 0 to %zu",
				(int)info->mode, ARRAY_SIZE(cond) - 1);
	if (info->isClear > 1)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "info->isClear is %u and must be 0 or 1",
				info->isClear);
	pkt.hdr.flags = info->isClear ? ANPU_SEM_CLEAR : 0;
	pkt.sem_wait.cond = cond[info->mode];
	pkt.sem_wait.value = info->value;
	if (info->mode == ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE)
		pkt.sem_wait.mask = info->value;
	pkt.sem_wait.timeout_us = wait_limit(info->timeout);
	return submit(ACL_TYPE_CNT_NOTIFY, cntNotify, stream, &pkt);
}
