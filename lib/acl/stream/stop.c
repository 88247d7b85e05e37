// SPDX-License-Identifier: MIT
/*
 * aclrtStreamStop(): the task that runs ends, those behind it go on.
 */
#include <errno.h>
#include <string.h>

#include "stream/stream.h"

/*
 * Is it a task of the program that takes its time? Others are done in a moment. What the library
 * itself lets a stream wait for, so that memory and graphs are not used twice at a time, is not
 * ended: the task that waits for that has not begun.
 */
static bool can_stop(const struct anpu_stream *s, uint64_t seq)
{
	struct anpu_task task;

	if (!anpu_task_find(s, seq, &task))
		return false;
	switch (task.opcode) {
	case ANPU_OP_KERNEL:
	case ANPU_OP_COPY:
	case ANPU_OP_COPY_2D:
	case ANPU_OP_COPY_DESC:
	case ANPU_OP_FILL:
	case ANPU_OP_REDUCE:
	case ANPU_OP_RANDOM:
	case ANPU_OP_INDIRECT:
		return true;
	case ANPU_OP_SEM_WAIT:
		return !task.internal;
	default:
		return false;
	}
}

/*
 * The ended task may be a wait: the stream's later tasks are no longer known to follow what it
 * waited for
 */
static void forget_follows(struct anpu_stream *s)
{
	pthread_mutex_lock(&s->lock);
	memset(s->follows, 0, sizeof(s->follows));
	pthread_mutex_unlock(&s->lock);
}

static aclError stop_task(struct anpu_stream *s)
{
	struct drm_anpu_reset end = { .scope = DRM_ANPU_END_TASK, .stream = s->kernel_id };
	struct anpu_device *dev = s->obj.dev;
	int err;

	if (!(dev->info.flags & DRM_ANPU_INFO_END_TASK))
		return acl_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				"aclrtStreamStop() needs a driver and a device of version 1.5, and "
				"device %d has older ones", dev->id);
	/* The number names the task, because another one may run when the device gets the call */
	end.seq = __atomic_load_n(&s->status->started, __ATOMIC_ACQUIRE);
	if (end.seq <= anpu_stream_completed(s) || !can_stop(s, end.seq))
		return ACL_SUCCESS;
	err = anpu_ioctl(dev, DRM_IOCTL_ANPU_RESET, &end);
	/* the call may have ended the task, and another thread's aclrtDestroyStream() then the stream */
	if ((err == -ENOENT || err == -EIO) && s->dead)
		return ACL_SUCCESS;
	if (err)
		return anpu_fail_ioctl(dev, err, "stopping a task");
	forget_follows(s);
	anpu_stream_hooks.progress(dev);
	return ACL_SUCCESS;
}

aclError aclrtStreamStop(aclrtStream stream)
{
	struct anpu_stream *s;
	aclError ret;

	ACL_ENTER();
	ANPU_CHECK_STREAM(stream);
	ret = anpu_stream_find_leaving(stream, &s);
	if (ret)
		return ret;
	ret = stop_task(s);
	anpu_stream_put(s);
	return ret;
}
