// SPDX-License-Identifier: MIT
/*
 * Events and notifies between processes: a slot in a page of its own, which the other process maps at
 * an address of its own. Both devices' queues and both processes see one word.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/event.h"

#define PAGE 4096

aclError anpu_sync_export(struct anpu_device *dev, const struct anpu_slot *slot,
			  enum anpu_share_kind kind, bool anybody, uint64_t *number)
{
	struct anpu_shared what = { .host = true, .size = PAGE };

	return anpu_share_gem(dev, slot->region->handle, kind, &what, anybody, number);
}

aclError anpu_sync_import(struct anpu_device *dev, uint64_t number, enum anpu_share_kind kind,
			  const char *name, bool peer, struct anpu_slot *slot)
{
	struct anpu_physical *p;
	struct anpu_shared what;
	aclError ret = anpu_share_find(number, kind, name, &what);
	int err;

	if (!ret && peer)
		ret = anpu_share_enable_peer(dev, &what);
	if (ret)
		return ret;
	p = anpu_share_import(dev, &what);
	if (!p)
		return acl_last_failure();
	atomic_store(&p->uses, 0); /* the slot's memory has no handle of the program */
	err = p->size < PAGE ? -EINVAL : anpu_slot_open(dev, p, slot);
	acl_obj_put(&p->obj);
	return err ? anpu_fail_ioctl(dev, err, "mapping what another process shares") : ACL_SUCCESS;
}

uint64_t anpu_own_process(void)
{
	static _Atomic uint32_t space;
	uint32_t inode = atomic_load_explicit(&space, memory_order_relaxed);
	struct stat st;

	if (!inode && !stat("/proc/self/ns/pid", &st)) {
		inode = (uint32_t)st.st_ino;
		atomic_store_explicit(&space, inode, memory_order_relaxed);
	}
	return (uint64_t)inode << 32 | (uint32_t)getpid();
}

bool anpu_process_ended(uint64_t process)
{
	pid_t pid = (pid_t)(uint32_t)process;

	/* Processes of other PID namespaces have other numbers here, if any */
	return pid > 0 && process >> 32 && process >> 32 == anpu_own_process() >> 32 && kill(pid, 0) && errno == ESRCH;
}

/*
 * Looks now and then whether the wait is to end: -EINTR if a front says so, -EOWNERDEAD if the process that has called for
 * the record has ended, and left it undone
 */
static int wait_in_slices(struct event *e, struct drm_anpu_wait *wait, uint64_t latest, int64_t deadline)
{
	bool ended;
	int err;

	for (;;) {
		ended = anpu_process_ended(process_of(e, latest));
		wait->timeout_ns = anpu_wait_slice(deadline, true);
		err = anpu_ioctl(e->obj.dev, DRM_IOCTL_ANPU_WAIT, wait);
		if (err != -ETIME || wait->timeout_ns >= deadline)
			return err;
		if (anpu_interrupted())
			return -EINTR;
		if (ended) /* a slice ago: what the device was still doing for the process is done */
			return -EOWNERDEAD;
	}
}

aclError anpu_event_sync_shared(struct event *e, int64_t deadline)
{
	uint64_t latest = records_of(e);
	struct drm_anpu_wait_item item = {
		.type = DRM_ANPU_WAIT_MEMORY,
		.value = latest,
		.mask = UINT64_MAX,
		.offset = value_offset(e, latest),
		.handle = e->slot.region->handle,
		.cond = ANPU_SEM_GE,
		.width = 8,
	};
	struct drm_anpu_wait wait = {
		.flags = DRM_ANPU_WAIT_ALL,
		.timeout_ns = deadline,
		.items = { .stride = sizeof(item), .count = 1, .array = (uintptr_t)&item },
	};
	unsigned int noted;
	char text[600];
	int err;

	if (complete(e))
		return ACL_SUCCESS;
	noted = anpu_wait_begins(ANPU_WAITS_FOR_EVENT, e->obj.dev->id, e->number, 0);
	err = wait_in_slices(e, &wait, latest, deadline);
	anpu_wait_over(noted);
	if (err == -EINTR)
		return anpu_fail_interrupted();
	if (err == -ETIME) {
		anpu_event_text(e, text, sizeof(text));
		return acl_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
				"the time is up, and record number %llu of the event, which another process has called for, has not "
				"completed; it is %s", (unsigned long long)latest, text);
	}
	if (err == -EOWNERDEAD)
		return acl_fail(ACL_ERROR_RT_IPC_ERROR,
				"record number %llu of the event was called for by process %d, which has ended: it will not happen",
				(unsigned long long)latest, (int)(uint32_t)process_of(e, latest));
	return err ? anpu_fail_ioctl(e->obj.dev, err, "waiting for an event") : ACL_SUCCESS;
}

static aclError export_event(struct event *e)
{
	aclError ret = ACL_SUCCESS;

	if (!e->shared)
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"the event was made without ACL_EVENT_IPC: make it with "
				"aclrtCreateEventExWithFlag()");
	if (e->slot.reserve)
		return acl_fail(ACL_ERROR_RT_PARAM_INVALID,
				"the event was opened with aclrtIpcOpenEventHandle(): its maker gives "
				"the handle out");
	pthread_mutex_lock(&e->lock);
	if (!e->key)
		ret = anpu_sync_export(e->obj.dev, &e->slot, ANPU_SHARE_EVENT, true, &e->key);
	pthread_mutex_unlock(&e->lock);
	return ret;
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
	struct event *e;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(handle);
	ret = anpu_event_find(event, &e);
	if (ret)
		return ret;
	ret = export_event(e);
	if (!ret) {
		memset(handle, 0, sizeof(*handle));
		snprintf(handle->reserved, ANPU_KEY_SIZE, ANPU_KEY_FORMAT,
			 (unsigned long long)e->key);
		handle->reserved[ANPU_KEY_SIZE] = (char)(e->flags & ACL_EVENT_TIME_LINE);
	}
	acl_obj_put(&e->obj);
	return ret;
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
	uint32_t flags = ACL_EVENT_IPC | ACL_EVENT_SYNC;
	struct event *e;
	uint64_t number;
	aclError ret;

	ACL_ENTER();
	ACL_CHECK_PTR(event);
	flags |= (uint8_t)handle.reserved[ANPU_KEY_SIZE] & ACL_EVENT_TIME_LINE;
	handle.reserved[ANPU_KEY_SIZE] = 0;
	ret = anpu_share_parse(handle.reserved, "aclrtIpcGetEventHandle", &number);
	if (ret)
		return ret;
	e = anpu_event_make(flags, true);
	if (!e)
		return acl_last_failure();
	ret = anpu_sync_import(e->obj.dev, number, ANPU_SHARE_EVENT, handle.reserved,
			       false, &e->slot);
	return anpu_event_publish(e, ret, event);
}
