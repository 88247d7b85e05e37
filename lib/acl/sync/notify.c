// SPDX-License-Identifier: MIT
/*
 * Notifies: a record sets a word to 1, a wait takes the 1 away in the same step that sees it.
 * Counting notifies: records change a number of 32 bits, waits compare it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sync/sync.h"

struct notify {
	struct acl_obj obj;
	pthread_mutex_t lock;
	struct anpu_slot slot; /* under lock, because an export may move it */
	uint32_t number;
	bool used;    /* a task of a stream uses it */
	uint64_t key; /* under which others find it, 0: none */
};

static _Atomic uint32_t next_number = 1;

bool anpu_notify_at(struct acl_obj *obj, uint64_t addr, uint32_t *number, uint64_t *value, bool *shared)
{
	struct notify *n = container_of(obj, struct notify, obj);

	*number = n->number;
	*shared = n->key || n->slot.reserve;
	*value = n->slot.cpu ? (uint32_t)__atomic_load_n(&n->slot.cpu->value, __ATOMIC_RELAXED) : 0;
	return n->slot.va && addr - n->slot.va < sizeof(struct anpu_slot_memory);
}

static void notify_release(struct acl_obj *obj)
{
	struct notify *n = container_of(obj, struct notify, obj);

	anpu_slot_release(&n->slot);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

/* The names that messages use */
static const char *noun(enum acl_type type)
{
	return type == ACL_TYPE_NOTIFY ? "notify" : "cntNotify";
}

/* A notify without a slot, not published; NULL after acl_fail() */
static struct notify *make(enum acl_type type)
{
	struct anpu_context *ctx;
	struct notify *n;

	if (anpu_context_current(&ctx))
		return NULL;
	n = calloc(1, sizeof(*n));
	if (n) {
		acl_obj_init(&n->obj, type, ctx->obj.dev, notify_release);
		pthread_mutex_init(&n->lock, NULL);
		n->number = atomic_fetch_add(&next_number, 1);
	} else {
		acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a notify");
	}
	anpu_context_put(ctx);
	return n;
}

/* Gives it a handle, unless something has failed */
static aclError publish(struct notify *n, aclError ret, void **handle)
{
	if (!ret && !acl_obj_give(&n->obj, handle))
		ret = acl_fail(ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
				"no handle is left for a notify, or its device was reset");
	if (!ret)
		return ACL_SUCCESS;
	if (n->slot.region)
		anpu_slot_give(n->obj.dev, &n->slot);
	acl_obj_put(&n->obj);
	return ret;
}

static aclError create(enum acl_type type, void **handle, uint64_t flag)
{
	struct notify *n;
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
	n = make(type);
	if (!n)
		return acl_last_failure();
	err = anpu_slot_take(n->obj.dev, &n->slot);
	return publish(n, err ? anpu_fail_ioctl(n->obj.dev, err, "allocating notifies") : ACL_SUCCESS,
		       handle);
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
	struct notify *n;

	if (!handle)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "%s is NULL", noun(type));
	obj = acl_obj_remove(handle, type);
	if (!obj)
		return acl_bad_handle(handle, type, noun(type));
	n = container_of(obj, struct notify, obj);
	if (n->key)
		(void)anpu_share_end(n->key, ANPU_SHARE_NOTIFY);
	anpu_notify_ended(n->number, n->slot.va);
	anpu_slot_give(obj->dev, &n->slot);
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
	if (ret) {
		acl_obj_put(&n->obj);
		return ret;
	}
	if (s->obj.dev != n->obj.dev)
		ret = acl_fail(
			ACL_ERROR_RT_STREAM_CONTEXT,
			"%s %p was made for device %d and the stream belongs to device %d",
			noun(type), handle, n->obj.dev->id, s->obj.dev->id);
	else
		ret = anpu_stream_await_room(s);
	if (!ret) {
		pthread_mutex_lock(&n->lock);
		n->used = true;
		if (pkt->hdr.opcode == ANPU_OP_SEM_WAIT)
			pkt->sem_wait.addr = n->slot.va;
		else
			pkt->sem_signal.addr = n->slot.va;
		ret = anpu_stream_submit(s, pkt, NULL);
		pthread_mutex_unlock(&n->lock);
	}
	anpu_stream_put(s);
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
	ACL_ENTER_SHORT();
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

	ACL_ENTER_SHORT();
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
		pthread_mutex_lock(&n->lock);
		__atomic_store_n(&n->slot.cpu->value, 0, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&n->lock);
		acl_obj_put(&n->obj);
	}
	return ret;
}

/* Between processes ---------------------------------------------------------------------------- */

/* A word in memory of its own, which other processes may have; notify locked */
static aclError move_slot(struct notify *n)
{
	struct anpu_device *dev = n->obj.dev;
	struct anpu_slot own;
	int err;

	if (n->slot.own)
		return ACL_SUCCESS;
	if (n->used && !anpu_streams_idle(dev))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the notify is in tasks that may not have run: get its key before it is "
				"used, or call aclrtSynchronizeDevice()");
	err = anpu_slot_take_own(dev, &own);
	if (err)
		return anpu_fail_ioctl(dev, err, "allocating a notify for other processes");
	own.cpu->value = __atomic_load_n(&n->slot.cpu->value, __ATOMIC_ACQUIRE);
	anpu_slot_give(dev, &n->slot);
	anpu_slot_release(&n->slot);
	n->slot = own;
	return ACL_SUCCESS;
}

static aclError export_notify(struct notify *n, bool anybody)
{
	aclError ret;

	if (n->slot.reserve)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the notify was imported: its maker gives the key out");
	pthread_mutex_lock(&n->lock);
	ret = move_slot(n);
	if (!ret && !n->key)
		ret = anpu_sync_export(n->obj.dev, &n->slot, ANPU_SHARE_NOTIFY, anybody, &n->key);
	pthread_mutex_unlock(&n->lock);
	return ret;
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len, uint64_t flags)
{
	struct notify *n;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(key);
	if (len < ANPU_KEY_SIZE)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "len is %zu and the key needs %d bytes",
				len, ANPU_KEY_SIZE);
	if (flags & ~ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be made of ACL_RT_NOTIFY_EXPORT_FLAG_* bits",
				(unsigned long long)flags);
	ret = find(ACL_TYPE_NOTIFY, notify, &n);
	if (ret)
		return ret;
	ret = export_notify(n, flags & ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	if (!ret)
		snprintf(key, len, ANPU_KEY_FORMAT, (unsigned long long)n->key);
	acl_obj_put(&n->obj);
	return ret;
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num)
{
	struct notify *n;
	aclError ret;
	int err;

	ACL_ENTER_SHORT();
	ACL_CHECK_PTR(pid);
	if (!num || num > 65536)
		return acl_fail(ACL_ERROR_INVALID_PARAM, "num is %zu and must be 1 to 65536", num);
	ret = find(ACL_TYPE_NOTIFY, notify, &n);
	if (ret)
		return ret;
	pthread_mutex_lock(&n->lock);
	err = anpu_share_allow(n->key, ANPU_SHARE_NOTIFY, pid, num);
	pthread_mutex_unlock(&n->lock);
	acl_obj_put(&n->obj);
	if (!err)
		return ACL_SUCCESS;
	return err == -ENOMEM ? acl_fail(ACL_ERROR_BAD_ALLOC, "no memory for a list of processes")
			      : acl_fail(ACL_ERROR_RT_PARAM_INVALID,
					 "notify %p has no key: call aclrtNotifyGetExportKey() before",
					 notify);
}

aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key, uint64_t flags)
{
	struct notify *n;
	uint64_t number;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(notify);
	ACL_CHECK_PTR(key);
	if (flags & ~ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS)
		return acl_fail(ACL_ERROR_INVALID_PARAM,
				"flags is %#llx and must be made of ACL_RT_NOTIFY_IMPORT_FLAG_* bits",
				(unsigned long long)flags);
	ret = anpu_share_parse(key, "aclrtNotifyGetExportKey", &number);
	if (ret)
		return ret;
	n = make(ACL_TYPE_NOTIFY);
	if (!n)
		return acl_last_failure();
	ret = anpu_sync_import(n->obj.dev, number, ANPU_SHARE_NOTIFY, key,
			       flags & ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS, &n->slot);
	return publish(n, ret, notify);
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
	ACL_ENTER_SHORT();
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
