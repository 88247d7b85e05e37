// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reset: of one stream, and of the device when it does not do what it must.
 */
#include <linux/capability.h>

#include "anpu_trace.h"

/* Helpers -------------------------------------------------------------------------------------- */

/**
 * anpu_streams_kill_all() - anpu_stream_kill() for all streams
 * @adev: device
 */
void anpu_streams_kill_all(struct anpu_device *adev)
{
	guard(spinlock_irqsave)(&adev->streams_lock);
	for (u32 i = 0; i < adev->n_queues; i++) {
		if (adev->streams[i])
			anpu_stream_kill(adev->streams[i]);
	}
}

/* What processes have mapped of dead streams is taken back; status pages tell what happened. */
static void anpu_revoke_user_queues(struct anpu_device *adev)
{
	for (u32 i = 1; i < adev->n_queues; i++) {
		struct anpu_stream *stream __free(anpu_stream) = anpu_stream_of_queue(adev, i);

		if (stream && stream->flags & DRM_ANPU_STREAM_USER_QUEUE)
			anpu_stream_revoke(stream, false);
	}
}

/* After a reset no queue runs: who waits for that need not any more. */
static void anpu_all_stopped(struct anpu_device *adev)
{
	guard(spinlock_irqsave)(&adev->streams_lock);
	for (u32 i = 0; i < adev->n_queues; i++) {
		if (adev->streams[i])
			complete_all(&adev->streams[i]->stopped);
	}
}

static int anpu_restart_own(struct anpu_device *adev)
{
	struct anpu_stream *own = adev->own;

	if (!own)
		return 0;
	/* A user of it was woken by anpu_streams_kill_all() and lets go of the lock. */
	guard(mutex)(&own->lock);
	scoped_guard(spinlock_irqsave, &own->wait_lock)
		own->dead = false;
	return anpu_stream_start(own);
}

/* The device ----------------------------------------------------------------------------------- */

/**
 * anpu_device_restart() - reset a device whose streams are dead, and bring it up again
 * @adev: device
 *
 * Called with anpu_device.reset_lock held. If the device does not come back, it is cut off from the
 * bus, so that memory it may have known can be freed all the same.
 *
 * Return: 0, -ETIMEDOUT or -EIO.
 */
int anpu_device_restart(struct anpu_device *adev)
{
	struct device *dev = &adev->pdev->dev;
	int ret;

	lockdep_assert_held(&adev->reset_lock);
	ret = anpu_device_reset_hw(adev);
	if (!ret)
		ret = anpu_device_program(adev);
	if (ret) {
		dev_err(dev, "the device does not come back: error %d, it is not used any more\n",
			ret);
		pci_clear_master(adev->pdev);
		WRITE_ONCE(adev->dead, true);
	} else {
		pci_set_master(adev->pdev);
	}
	WRITE_ONCE(adev->resets, adev->resets + 1);
	anpu_all_stopped(adev);
	anpu_revoke_user_queues(adev);
	if (!ret && anpu_restart_own(adev))
		dev_err(dev, "the driver's own queue does not start again\n");
	return ret;
}

/**
 * anpu_reset_device() - reset the device; all streams die
 * @adev: device, in a section of anpu_enter()
 * @resets: anpu_device.resets when the caller saw a reason; a reset since then will do
 * @why: the reason, for the log
 *
 * Return: 0, -ETIMEDOUT or -EIO.
 */
int anpu_reset_device(struct anpu_device *adev, u32 resets, const char *why)
{
	int ret;

	scoped_guard(mutex, &adev->reset_lock) {
		if (adev->resets != resets)
			return 0;
		if (adev->dead)
			return -EIO;
		dev_warn(&adev->pdev->dev, "resetting the device: %s\n", why);
		trace_anpu_reset(adev, why);
		WRITE_ONCE(adev->resetting, true);
		anpu_dump(adev, why);
		anpu_streams_kill_all(adev);
		ret = anpu_device_restart(adev);
		WRITE_ONCE(adev->resetting, false);
	}
	anpu_send_reset(adev);
	return ret;
}

/**
 * anpu_device_kill() - the device goes away: wake everybody, and let nobody in any more
 * @adev: device
 */
void anpu_device_kill(struct anpu_device *adev)
{
	struct anpu_file *file;

	scoped_guard(mutex, &adev->reset_lock)
		WRITE_ONCE(adev->gone, true);
	anpu_streams_kill_all(adev);
	anpu_memory_wake();
	guard(mutex)(&adev->files_lock);
	list_for_each_entry(file, &adev->files, link)
		wake_up_interruptible_all(&file->drm->event_wait);
}

/* RESET ---------------------------------------------------------------------------------------- */

static int anpu_stream_restart(struct anpu_stream *stream, u32 resets)
{
	struct anpu_device *adev = stream->adev;

	guard(mutex)(&adev->reset_lock);
	if (adev->resets != resets || adev->dead || READ_ONCE(adev->away))
		return -EIO;
	if (adev->gone)
		return -ENODEV;
	scoped_guard(spinlock_irqsave, &stream->wait_lock)
		stream->dead = false;
	return anpu_stream_start(stream);
}

static int anpu_reset_stream(struct anpu_stream *stream)
{
	u32 resets = READ_ONCE(stream->adev->resets);
	int ret;

	/* Submitters that wait for room give up their lock. */
	if (!anpu_stream_kill(stream))
		return -EIO;
	guard(mutex)(&stream->lock);
	if (stream->destroyed)
		return -ENOENT;
	anpu_stream_stop_begin(stream);
	anpu_stream_stop_end(stream, resets);
	ret = anpu_stream_restart(stream, resets);
	if (ret)
		anpu_stream_kill(stream);
	return ret;
}

int anpu_reset_ioctl(struct drm_device *drm, void *data, struct drm_file *drm_file)
{
	struct anpu_stream *stream __free(anpu_stream) = NULL;
	struct anpu_device *adev = to_anpu_device(drm);
	struct drm_anpu_reset *args = data;
	u32 resets = READ_ONCE(adev->resets);

	CLASS(anpu_enter, idx)(drm);
	if (idx < 0)
		return idx;
	switch (args->scope) {
	case DRM_ANPU_RESET_STREAM:
		stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
		return stream ? anpu_reset_stream(stream) : -ENOENT;
	case DRM_ANPU_ABORT_STREAM:
		stream = anpu_stream_lookup(to_anpu_file(drm_file), args->stream);
		return stream ? anpu_stream_command(stream, ANPU_QUEUE_ABORT) : -ENOENT;
	case DRM_ANPU_RESET_DEVICE:
		if (args->stream)
			return -EINVAL;
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		return anpu_reset_device(adev, resets, "asked to by a process");
	}
	return -EINVAL;
}
